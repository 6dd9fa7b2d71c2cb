//! Which file of the tree a path of a report is, and when it is none.

use std::collections::BTreeSet;

use git_evolve::intake::coverage;
use git_evolve::record::{CoverageMap, Opened, Reading, TreeFacts};

use super::{map, tree};

fn lcov(names: &[&str]) -> String {
    let record = |name: &&str| format!("SF:{name}\nDA:1,1\nend_of_record\n");
    names.iter().map(record).collect()
}

fn go(names: &[&str]) -> String {
    let block = |name: &&str| format!("{name}:1.1,1.9 1 1\n");
    let blocks: String = names.iter().map(block).collect();
    format!("mode: set\n{blocks}")
}

/// `group/package/file`, or `/package/file` without a group.
fn jacoco(report: &str, files: &[(&str, &str, &str)]) -> String {
    let mut text = format!("<report name=\"{report}\"><sessioninfo/>");
    for (group, package, file) in files {
        let inner = format!(
            "<package name=\"{package}\"><sourcefile name=\"{file}\"><line nr=\"1\" mi=\"0\" ci=\"1\"/></sourcefile></package>"
        );
        text += &match *group {
            "" => inner,
            _ => format!("<group name=\"{group}\">{inner}</group>"),
        };
    }
    text + "</report>"
}

fn paths(found: &CoverageMap) -> Vec<&str> {
    found.files.keys().map(String::as_str).collect()
}

fn unmapped(found: &CoverageMap) -> Vec<&str> {
    found.unmapped.iter().map(String::as_str).collect()
}

fn within(build_root: &str, paths: &[&str]) -> TreeFacts {
    TreeFacts {
        build_root: Some(build_root.to_owned()),
        ..tree(paths)
    }
}

#[test]
fn the_longest_end_that_one_file_has_is_that_file() {
    let files = tree(&["src/a/x.c", "lib/a/x.c", "lib/y.c", "z.c"]);
    let names = [
        "a/x.c",
        "/home/ci/lib/a/x.c",
        "/home/ci/old/a/x.c",
        "y.c",
        "/gone/lib/y.c",
    ];
    let found = map(lcov(&names).as_bytes(), Some(&files));
    assert_eq!(paths(&found), ["lib/a/x.c", "lib/y.c"]);
    assert_eq!(unmapped(&found), ["/home/ci/old/a/x.c", "a/x.c"]);
    assert!(found.warnings.contains("ambiguous-path"));
    // A name alone is no end of a path from a root, and no folder's end is another folder's.
    let found = map(
        lcov(&["/usr/include/y.c", "/x/yy/xa/x.c", "b/x.c"]).as_bytes(),
        Some(&files),
    );
    assert_eq!(paths(&found), [""; 0]);
    assert_eq!(found.unmapped.len(), 3);
}

#[test]
fn what_lies_under_the_build_root_is_there_or_nowhere() {
    let files = within("/ci/x", &["src/a.c", "lib/b/c.c"]);
    let names = ["/ci/x/src/a.c", "/ci/x/gen/lib/b/c.c", "/opt/lib/b/c.c"];
    let found = map(lcov(&names).as_bytes(), Some(&files));
    assert_eq!(paths(&found), ["src/a.c"]);
    assert_eq!(unmapped(&found), ["/ci/x/gen/lib/b/c.c", "/opt/lib/b/c.c"]);
}

#[test]
fn one_folder_that_has_every_path_is_the_root() {
    let files = tree(&["a.c", "lib/b.c", "x/lib/b.c"]);
    let found = map(lcov(&["/app/a.c", "/app/lib/b.c"]).as_bytes(), Some(&files));
    assert_eq!(paths(&found), ["a.c", "lib/b.c"]);
    let other = within("/ci/x", &["a.c", "lib/b.c"]);
    let found = map(lcov(&["/app/a.c", "/app/lib/b.c"]).as_bytes(), Some(&other));
    assert_eq!(paths(&found), ["a.c", "lib/b.c"]);
    // One path that lies elsewhere is not enough to doubt the root that is known.
    let found = map(lcov(&["/usr/lib/a.c"]).as_bytes(), Some(&other));
    assert_eq!(unmapped(&found), ["/usr/lib/a.c"]);
}

#[test]
fn what_others_wrote_is_never_taken_for_a_file_of_the_tree() {
    let files = tree(&["lib/index.js", "vendor/p/q.c", "src/shop/cart.py"]);
    let names = [
        "node_modules/p/lib/index.js",
        "/app/node_modules/lib/index.js",
        "/venv/lib/python3/site-packages/src/shop/cart.py",
        "/app/vendor/p/q.c",
    ];
    let found = map(lcov(&names).as_bytes(), Some(&files));
    assert_eq!(paths(&found), ["vendor/p/q.c"]);
    assert_eq!(found.unmapped.len(), 3);
}

#[test]
fn a_name_may_hold_a_backslash_where_the_tree_has_it() {
    let files = tree(&["a\\b.c", "a/b.c"]);
    assert_eq!(
        paths(&map(lcov(&["a\\b.c"]).as_bytes(), Some(&files))),
        ["a\\b.c"]
    );
    assert_eq!(
        paths(&map(lcov(&[".\\a\\b.c"]).as_bytes(), Some(&files))),
        ["a/b.c"]
    );
}

fn cobertura(sources: &[&str], name: &str) -> String {
    let sources: String = sources
        .iter()
        .map(|s| format!("<source>{s}</source>"))
        .collect();
    format!(
        "<coverage><sources>{sources}</sources><packages><package><classes><class filename=\"{name}\">\
         <lines><line number=\"1\" hits=\"1\"/></lines></class></classes></package></packages></coverage>"
    )
}

#[test]
fn a_declared_source_rules_over_a_file_that_happens_to_have_the_name() {
    let files = within("/ci/x", &["shop/cart.py", "src/shop/cart.py"]);
    for (sources, path) in [
        (&["/ci/x/src"][..], Some("src/shop/cart.py")),
        (&["src"], Some("src/shop/cart.py")),
        (&["./src/"], Some("src/shop/cart.py")),
        (&["/ci/x"], Some("shop/cart.py")),
        (&["."], Some("shop/cart.py")),
        (&[], Some("shop/cart.py")),
        (&["/ci/x/src", "/ci/x"], None),
        (&["/ci/x/src", "/ci/x/src/"], Some("src/shop/cart.py")),
        (&["/ci/x/lib"], Some("shop/cart.py")),
        (&["/ci/x/lib/../src"], Some("src/shop/cart.py")),
        (&["/ci/x/../../.."], Some("shop/cart.py")),
    ] {
        let found = map(cobertura(sources, "shop/cart.py").as_bytes(), Some(&files));
        assert_eq!(
            found.files.keys().next().map(String::as_str),
            path,
            "{sources:?}"
        );
        assert_eq!(
            found.warnings.contains("ambiguous-path"),
            path.is_none(),
            "{sources:?}"
        );
    }
    // A source of another machine: the longest end of both together.
    let text = cobertura(&["/builds/7/src"], "shop/cart.py");
    let found = map(
        text.as_bytes(),
        Some(&tree(&["shop/cart.py", "src/shop/cart.py"])),
    );
    assert_eq!(paths(&found), ["src/shop/cart.py"]);
}

#[test]
fn the_group_of_jacoco_tells_modules_apart_by_whole_words() {
    let files = tree(&[
        "core/src/main/java/p/A.java",
        "libs/core-api/src/main/java/p/A.java",
        "score/src/main/java/p/A.java",
    ]);
    for (group, path) in [
        ("core", Some("core/src/main/java/p/A.java")),
        ("shop-core", Some("core/src/main/java/p/A.java")),
        (
            "shop_core-api",
            Some("libs/core-api/src/main/java/p/A.java"),
        ),
        (
            ":libs:core-api",
            Some("libs/core-api/src/main/java/p/A.java"),
        ),
        ("score", Some("score/src/main/java/p/A.java")),
        ("web", None),
        ("", None),
    ] {
        let found = map(
            jacoco("x", &[(group, "p", "A.java")]).as_bytes(),
            Some(&files),
        );
        assert_eq!(
            found.files.keys().next().map(String::as_str),
            path,
            "{group}"
        );
        assert_eq!(
            found.warnings.contains("ambiguous-path"),
            path.is_none(),
            "{group}"
        );
    }
    // A report of one module has its name.
    let found = map(
        jacoco("score", &[("", "p", "A.java")]).as_bytes(),
        Some(&files),
    );
    assert_eq!(paths(&found), ["score/src/main/java/p/A.java"]);
}

#[test]
fn the_module_that_a_report_lies_in_tells_files_apart() {
    let files = within(
        "/ci/x",
        &["core/src/main/java/p/A.java", "api/src/main/java/p/A.java"],
    );
    let text = jacoco("x", &[("", "p", "A.java")]);
    for (path, found) in [
        (
            "api/target/site/jacoco/jacoco.xml",
            Some("api/src/main/java/p/A.java"),
        ),
        (
            "/ci/x/core/build/reports/r.xml",
            Some("core/src/main/java/p/A.java"),
        ),
        ("/elsewhere/core/target/r.xml", None),
        ("target/r.xml", None),
    ] {
        let mut file = Opened {
            path: path.to_owned(),
            modified: None,
            bytes: Box::new(std::io::Cursor::new(text.as_bytes())),
        };
        let Reading::Read(map) = coverage::read(&mut file, Some(&files)) else {
            panic!("{path}");
        };
        assert_eq!(map.files.keys().next().map(String::as_str), found, "{path}");
    }
}

#[test]
fn a_file_name_alone_is_enough_for_kotlin_and_for_nothing_else() {
    let files = tree(&[
        "k/kotlin/shop/Cart.kt",
        "k/kotlin/a/Two.kt",
        "k/kotlin/b/Two.kt",
        "j/x/A.java",
    ]);
    let text = jacoco(
        "x",
        &[
            ("", "org/shop", "Cart.kt"),
            ("", "org", "Two.kt"),
            ("", "org", "A.java"),
        ],
    );
    let found = map(text.as_bytes(), Some(&files));
    assert_eq!(paths(&found), ["k/kotlin/shop/Cart.kt"]);
    assert_eq!(unmapped(&found), ["org/A.java", "org/Two.kt"]);
    let warnings: BTreeSet<&str> = found.warnings.iter().map(String::as_str).collect();
    assert_eq!(
        warnings,
        BTreeSet::from(["ambiguous-path", "matched-by-file-name"])
    );
}

#[test]
fn go_packages_are_found_by_their_modules_alone() {
    let mut files = tree(&[
        "go.mod",
        "a/a.go",
        "c.go",
        "x/go.mod",
        "x/c.go",
        "vendor/other.org/v/v.go",
    ]);
    for (path, text) in [
        ("go.mod", "module example.com/shop"),
        ("x/go.mod", "module example.com/x"),
    ] {
        files.go_mod.insert(path.to_owned(), text.to_owned());
    }
    let names = [
        "example.com/shop/a/a.go",
        "example.com/x/c.go",
        "other.org/v/v.go",
        "other.org/shop/a/a.go",
        "example.com/shop/b.go",
        "command-line-arguments/c.go",
    ];
    let found = map(go(&names).as_bytes(), Some(&files));
    assert_eq!(
        paths(&found),
        ["a/a.go", "vendor/other.org/v/v.go", "x/c.go"]
    );
    assert_eq!(unmapped(&found), [names[5], names[4], names[3]]);
    // Two modules of one name: nothing tells which is meant.
    files
        .go_mod
        .insert("x/go.mod".to_owned(), "module example.com/shop".to_owned());
    let found = map(go(&["example.com/shop/c.go"]).as_bytes(), Some(&files));
    assert_eq!(unmapped(&found), ["example.com/shop/c.go"]);
    assert!(found.warnings.contains("ambiguous-path"));
}

#[test]
fn without_a_tree_paths_stay_as_they_are_and_modules_apart() {
    let names = ["./a.c", "/x/../b.c", "w\\c.c"];
    let found = map(lcov(&names).as_bytes(), None);
    assert_eq!(paths(&found), names);
    assert_eq!(unmapped(&found), [""; 0]);
    let text = jacoco(
        "x",
        &[
            ("core", "p", "A.java"),
            ("api", "p", "A.java"),
            ("api", "p", "B.java"),
        ],
    );
    let found = map(text.as_bytes(), None);
    assert_eq!(paths(&found), ["api/p/A.java", "core/p/A.java", "p/B.java"]);
    assert!(found.warnings.contains("ambiguous-path"));
}

#[test]
fn two_spellings_of_one_file_are_one_file() {
    let text = "SF:a.c\nDA:1,1\nBRDA:1,0,0,1\nBRDA:1,0,1,0\nend_of_record\n\
                SF:./a.c\nDA:1,1\nDA:2,0\nBRDA:1,0,0,0\nBRDA:1,0,1,1\nend_of_record\n";
    let found = map(text.as_bytes(), Some(&tree(&["a.c"])));
    let file = &found.files["a.c"];
    assert_eq!(
        (file.covered.to_string(), file.missed.to_string()),
        ("1".into(), "2".into())
    );
    assert_eq!(file.partial.to_string(), "");
    assert_eq!(file.branches.as_ref().map(|b| b[&1]), Some((2, 2)));
}
