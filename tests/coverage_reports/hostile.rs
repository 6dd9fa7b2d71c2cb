//! Reports that are none, that are torn, and that were made to do harm.

use std::time::{Duration, Instant};

use git_evolve::intake::coverage;
use git_evolve::record::{CoverageMap, Reading, TreeFacts};

use super::samples::all;
use super::{map, opened, reading, tree};

#[test]
fn what_is_no_coverage_report_is_not_recognised() {
    for text in [
        "<?xml version=\"1.0\"?><coverage generated=\"1\" clover=\"4\"><project timestamp=\"1\"><file name=\"a.php\"><line num=\"1\" type=\"stmt\" count=\"1\"/></file></project></coverage>",
        "<testsuite name=\"x\"><testcase name=\"a\"/></testsuite>",
        "<report><item/></report>",
        "<html><body>coverage</body></html>",
        "{\"files\": []}",
        "{\"meta\": {}}",
        "{\"meta\": 1, \"files\": {}}",
        "[1]",
        "{\"total\": {\"lines\": {}}, \"/a.js\": {\"statementMap\": {}}}",
        "mode of transport\n",
        "SFX:a\nDA:1,1\n",
        "\0\0\0\0",
        "SQLite format 3\0",
    ] {
        assert_eq!(
            reading(text.as_bytes(), None),
            Reading::Unrecognised,
            "{text}"
        );
        assert_eq!(
            coverage::identify(&mut opened(text.as_bytes())),
            None,
            "{text}"
        );
    }
    for text in ["", " \r\n\t", "\u{FEFF}\n"] {
        assert_eq!(reading(text.as_bytes(), None), Reading::Empty, "{text:?}");
    }
}

#[test]
fn reports_of_tests_and_sessions_are_no_coverage_reports() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples");
    let mut folders = vec![samples.join("envelopes"), samples.join("test-reports")];
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("readable");
            let format = coverage::identify(&mut opened(&bytes));
            assert_eq!(format, None, "{}", path.display());
            looked += 1;
        }
    }
    assert!(looked > 100, "{looked}");
}

#[test]
fn a_report_cut_anywhere_is_read_refused_or_not_recognised_and_never_better_than_it_was() {
    for sample in all() {
        let whole = map(&sample.bytes, None);
        for end in 0..sample.bytes.len() {
            match reading(&sample.bytes[..end], None) {
                Reading::Read(part) => {
                    assert!(
                        part.totals().covered <= whole.totals().covered,
                        "{}",
                        sample.name
                    );
                    let lines = ["lcov", "go-coverprofile"].contains(&sample.format.as_str());
                    let rest = &sample.bytes[end..];
                    assert!(
                        lines || rest.trim_ascii().is_empty(),
                        "{} {end}",
                        sample.name
                    );
                }
                Reading::Unreadable(format, why) => {
                    assert_eq!(format, sample.format);
                    assert_eq!(why, "cut off", "{} {end}", sample.name);
                }
                Reading::Empty | Reading::Unrecognised => {}
            }
        }
    }
}

#[test]
fn a_tracefile_without_its_end_says_so() {
    let found = map(b"SF:a.c\nDA:1,1\nDA:2", None);
    assert_eq!(found.files["a.c"].covered.to_string(), "1");
    let warnings: Vec<&String> = found.warnings.iter().collect();
    assert_eq!(warnings, ["cut-off", "unreadable-lines"]);
}

#[test]
fn entities_are_not_expanded_and_document_types_not_followed() {
    let body = "<coverage><packages><class filename=\"a.py\"><lines><line number=\"1\" hits=\"1\"/></lines></class></packages></coverage>";
    let harmless = format!("<!DOCTYPE coverage SYSTEM \"http://192.0.2.1/x.dtd\">{body}");
    assert_eq!(map(harmless.as_bytes(), None).totals().covered, 1);
    for subset in [
        "<!ENTITY a \"x\">",
        "<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p;",
    ] {
        let text = format!(
            "<!-- {} --><!DOCTYPE coverage [{subset}]>{body}",
            "-x".repeat(5000)
        );
        match reading(text.as_bytes(), None) {
            Reading::Unrecognised | Reading::Unreadable(..) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn numbers_that_no_file_has_take_neither_memory_nor_time() {
    let begun = Instant::now();
    let go = "mode: set\na.go:1.1,4000000000.1 1 1\na.go:1.1,99999999999999999999.1 1 1\na.go:2.1,2.9 1 1\n";
    let lcov = "SF:a.go\nDA:4000000000,1\nDA:-1,1\nDA:2,1\nBRDA:4294967296,0,0,1\nend_of_record\n";
    let json = "{\"meta\":{},\"files\":{\"a.go\":{\"executed_lines\":[2,4000000000,-1,0,1.5,null,\"x\",[1],1e30,18446744073709551615]}}}";
    let cobertura = "<coverage><packages><class filename=\"a.go\"><lines><line number=\"2\" hits=\"1\"/><line number=\"4000000000\" hits=\"1\"/><line number=\"3\" hits=\"-1\"/><line number=\"4\"/><line hits=\"1\"/><line number=\"2\" hits=\"1\" condition-coverage=\"100% (4294967296/1)\"/></lines></class></packages></coverage>";
    let jacoco = "<report><package name=\"\"><sourcefile name=\"a.go\"><line nr=\"2\" ci=\"1\"/><line nr=\"4000000000\" ci=\"1\"/><line nr=\"3\" ci=\"-1\"/><line nr=\"4\" ci=\"1.5\"/></sourcefile></package></report>";
    for text in [go, lcov, json, cobertura, jacoco] {
        let found = map(text.as_bytes(), None);
        assert_eq!(found.files["a.go"].covered.to_string(), "2", "{text}");
        assert_eq!(found.totals().executable, 1, "{text}");
        assert!(found.warnings.contains("unreadable-lines"), "{text}");
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn wrong_types_in_json_are_unknown_and_never_zero() {
    for (value, covered) in [
        ("null", 0),
        ("\"1\"", 0),
        ("{\"1\": 1}", 0),
        ("7", 0),
        ("[\"3\", 4]", 2),
        ("[3.0, 4e0]", 2),
    ] {
        let text = format!(
            "{{\"meta\":{{\"version\":7}},\"files\":{{\"a.py\":{{\"executed_lines\":{value},\"missing_lines\":[9],\
             \"summary\":{{\"num_statements\":\"many\"}},\"missing_branches\":[[9],[null,2],\"x\",[9,\"y\"]],\
             \"contexts\":{{\"x\":[1],\"4\":\"t\",\"5\":[[\"u\"]]}}}}}}}}"
        );
        let found = map(text.as_bytes(), None);
        let file = &found.files["a.py"];
        assert_eq!(file.covered.len(), covered, "{value}");
        assert_eq!(file.missed.to_string(), "9");
        assert_eq!(found.per_test, None);
        assert!(found.warnings.contains("unreadable-lines"), "{value}");
    }
}

#[test]
fn no_path_of_a_report_leaves_the_tree() {
    let long = "x/".repeat(30_000) + "a.c";
    let names = [
        "../a.c",
        "a/../../a.c",
        "..\\a.c",
        "/build/../../a.c",
        "/build/shop/../a.c",
        "/build/shop/a.c/../../a.c",
        "a.c\0",
        "C:\\..\\a.c",
        &long,
    ];
    let facts = TreeFacts {
        build_root: Some("/build/shop".to_owned()),
        ..tree(&["a.c", "b.c"])
    };
    let mut text = "SF:/build/shop/b.c\nDA:1,1\nend_of_record\n".to_owned();
    for name in names {
        text += &format!("SF:{name}\nDA:1,1\nend_of_record\n");
    }
    let found = map(text.as_bytes(), Some(&facts));
    let files: Vec<&String> = found.files.keys().collect();
    assert_eq!(files, ["b.c"]);
    assert_eq!(found.unmapped.len(), names.len());
    assert!(found.unmapped.iter().all(|name| name.len() < 5000));
}

#[test]
fn many_files_of_one_name_and_deep_paths_are_found_quickly() {
    let begun = Instant::now();
    let paths: Vec<String> = (0..20_000).map(|n| format!("p{n}/q/__init__.py")).collect();
    let facts = TreeFacts {
        paths: paths.clone(),
        ..TreeFacts::default()
    };
    let mut text = String::new();
    for path in &paths {
        text += &format!("SF:/elsewhere/{path}\nDA:1,1\nend_of_record\n");
        text += &format!(
            "SF:q/__init__.py\nDA:1,1\nend_of_record\nSF:{}z.py\n",
            "a/".repeat(60)
        );
    }
    let found = map(text.as_bytes(), Some(&facts));
    assert_eq!(found.files.len(), 20_000);
    assert_eq!(found.unmapped.len(), 2);
    assert!(found.warnings.contains("ambiguous-path"));
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
}

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % end.max(1)
    }
}

/// What holds for everything that is read, whatever the bytes.
fn is_in_order(found: &CoverageMap) {
    for file in found.files.values() {
        let executable = file.covered.union(&file.missed);
        assert!(file.covered.intersection(&file.missed).is_empty());
        assert!(file.partial.difference(&file.covered).is_empty());
        assert!(file.excluded.intersection(&executable).is_empty());
        let mut branches = file.branches.iter().flat_map(|all| all.values());
        assert!(branches.all(|(taken, total)| taken <= total && *total > 0));
    }
    let mut tests = found
        .per_test
        .iter()
        .flat_map(|tests| tests.values().flatten());
    assert!(tests.all(|(path, lines)| lines.difference(&found.files[path].covered).is_empty()));
    assert_eq!(&found.joined(found), found);
}

#[test]
fn samples_with_pieces_of_one_another_are_read_in_order_or_refused() {
    let rounds = std::env::var("COVERAGE_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok());
    let all = all();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let odd = [
        "\0",
        "-1",
        "4294967296",
        "99999999999999999999",
        "\"",
        "<",
        "}",
        "\n",
        "..",
        "\u{FEFF}",
    ];
    let mut read = 0;
    for _ in 0..rounds.unwrap_or(1500) {
        let sample = &all[dice.below(all.len())];
        let mut bytes = sample.bytes.clone();
        for _ in 0..=dice.below(3) {
            let from = dice.below(bytes.len());
            let to = (from + dice.below(40)).min(bytes.len());
            let other = &all[dice.below(all.len())].bytes;
            let start = dice.below(other.len());
            let piece = match dice.below(4) {
                0 => odd[dice.below(odd.len())].as_bytes().to_vec(),
                1 => vec![u8::try_from(dice.below(256)).expect("a byte")],
                2 => other[start..(start + dice.below(60)).min(other.len())].to_vec(),
                _ => bytes[from..to].repeat(2),
            };
            bytes.splice(from..to, piece);
        }
        for tree in [None, sample.tree.as_ref()] {
            if let Reading::Read(found) = reading(&bytes, tree) {
                is_in_order(&found);
                let of = |path: &String| tree.is_none_or(|tree| tree.paths.contains(path));
                assert!(found.files.keys().all(of));
                read += 1;
            }
        }
    }
    assert!(read > 100, "{read}");
}
