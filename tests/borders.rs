//! Who may use whom: the arrows of `docs/modules.md`, read from the `crate::` paths in `src`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Module to the modules it may name. `error` is everybody's.
const MAY_USE: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("record", &[]),
    ("plan", &["record", "repo"]),
    ("repo", &[]),
    ("syntax", &[]),
    ("intake", &["record"]),
    ("ledger", &["repo", "record"]),
    ("history", &["repo", "syntax", "ledger", "record"]),
    ("measure", &["history", "record"]),
    ("stats", &["measure"]),
    ("report", &["stats", "measure", "history"]),
    ("harness", &["repo", "record", "intake", "ledger", "plan"]),
];

/// A crate to the one module that may name it.
const OWNED: &[(&str, &str)] = &[
    ("gix", "repo"),
    ("tree_sitter", "syntax"),
    ("tree_sitter_java", "syntax"),
    ("tree_sitter_python", "syntax"),
    ("tree_sitter_go", "syntax"),
    ("quick_xml", "intake"),
    ("saphyr_parser", "plan"),
    ("encoding_rs", "intake"),
    ("clap", "cli"),
    ("anyhow", "cli"),
];

fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Source files by module, comments cut off.
fn modules() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut by = BTreeMap::<String, Vec<_>>::new();
    for file in files {
        let inside = file.strip_prefix(&src).expect("under src");
        let first = inside.components().next().expect("a name");
        let module = Path::new(first.as_os_str()).file_stem().expect("a stem");
        let text = std::fs::read_to_string(&file).expect("readable");
        let code: String = text
            .lines()
            .map(|l| l.split("//").next().unwrap_or(""))
            .collect::<Vec<_>>()
            .join("\n");
        by.entry(module.to_string_lossy().into_owned())
            .or_default()
            .push((file, code));
    }
    by
}

/// The first path segments after each `crate::`.
fn named(code: &str) -> Vec<String> {
    code.match_indices("crate::")
        .map(|(i, m)| {
            code[i + m.len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .collect()
}

#[test]
fn modules_use_only_what_the_design_lets_them() {
    let all = modules();
    let known: Vec<&str> = MAY_USE.iter().map(|(m, _)| *m).collect();
    let mut wrong = Vec::new();
    for (module, files) in &all {
        if ["lib", "main", "cli"].contains(&module.as_str()) {
            continue;
        }
        let Some((_, may)) = MAY_USE.iter().find(|(m, _)| m == module) else {
            wrong.push(format!("{module} is not in the table"));
            continue;
        };
        for (file, code) in files {
            for used in named(code) {
                let is_module = known.contains(&used.as_str()) || used == "cli";
                if is_module && used != *module && used != "error" && !may.contains(&used.as_str())
                {
                    wrong.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_library_with_a_home_is_named_nowhere_else() {
    let mut wrong = Vec::new();
    for (module, files) in modules() {
        for (file, code) in files {
            for (library, home) in OWNED {
                let named = code
                    .match_indices(&format!("{library}::"))
                    .any(|(i, _)| !code[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
                if named && module != *home {
                    wrong.push(format!("{} names {library}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn processes_start_and_words_are_printed_only_where_they_may() {
    let mut wrong = Vec::new();
    for (module, files) in modules() {
        for (file, code) in files {
            let starts = code.contains("process::Command") || code.contains("Command::new");
            if starts && !["repo", "harness", "cli"].contains(&module.as_str()) {
                wrong.push(format!("{} starts a process", file.display()));
            }
            let prints = ["println!", "eprintln!", "print!(", "eprint!("];
            if prints.iter().any(|p| code.contains(p)) && module != "cli" {
                wrong.push(format!("{} prints", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_source_file_is_two_files() {
    let mut wrong = Vec::new();
    for files in modules().values() {
        for (file, code) in files {
            let lines = code.lines().count();
            if lines > 500 {
                wrong.push(format!("{}: {lines} lines", file.display()));
            }
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if ["util", "utils", "common", "helpers", "misc"].contains(&stem.as_str()) {
                wrong.push(format!("{}: a name that names nothing", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
