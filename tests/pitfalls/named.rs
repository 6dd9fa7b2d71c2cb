//! The page of pitfalls, and the tests it names.

use std::collections::BTreeSet;
use std::path::Path;

/// Every test below `tests` and in `src`, as `folder::…::name`, read from the files.
fn tests(folder: &Path, module: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|n| n.to_str()).expect("UTF-8");
        let inner = match (module, name) {
            (_, "mod" | "main") => module.to_owned(),
            ("", _) => name.to_owned(),
            _ => format!("{module}::{name}"),
        };
        if path.is_dir() {
            tests(&path, &inner, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let mut marked = false;
            for line in text.lines() {
                let line = line.trim();
                marked |= line == "#[test]";
                if let Some(rest) = line.strip_prefix("fn ").filter(|_| marked) {
                    let name = rest.split('(').next().expect("a name");
                    found.insert(format!("{inner}::{name}"));
                    marked = false;
                }
            }
        }
    }
}

#[test]
fn every_test_that_the_page_of_pitfalls_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    tests(&root.join("tests"), "", &mut found);
    assert!(found.contains("pitfalls::named::every_test_that_the_page_of_pitfalls_names_is_there"));
    let page = std::fs::read_to_string(root.join("docs/pitfalls.md")).expect("the page");
    let mut rows = 0;
    let mut named = BTreeSet::new();
    for row in page
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| ---"))
    {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [situation, _, last] = cells[..] else {
            panic!("three cells: {row}");
        };
        if situation.trim() == "situation" {
            continue;
        }
        rows += 1;
        let names = last.split('`').skip(1).step_by(2);
        for name in names {
            assert!(found.contains(name), "no test is called {name}: {row}");
            named.insert(name.to_owned());
        }
        assert!(last.contains('`'), "a row names its test: {row}");
    }
    assert!(rows > 70, "{rows}");
    // Each test of this folder is of a row.
    let ours = found
        .iter()
        .filter(|n| n.starts_with("pitfalls::") && !n.starts_with("pitfalls::named::"));
    for name in ours {
        assert!(named.contains(name), "no row names {name}");
    }
}
