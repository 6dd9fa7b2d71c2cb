//! What counts at all: tests, marks, links, languages, files that cannot be read.

use super::{OWNER, PATH, edit, expect, java, newest, word};
use crate::support::Repo;

#[test]
fn test_code_is_out_of_every_production_measure() {
    let r = java();
    r.write(
        "src/test/java/a/OwnerTest.java",
        "class OwnerTest {\n    void a() {\n    }\n}\n",
    );
    r.commit("a test");
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "0"),
            ("net_cc", "0"),
            ("files_created", "0"),
            ("churn", "0"),
            ("test_lines_added", "4"),
            ("churn_all", "4"),
            ("packages_touched", "0"),
            ("change_entropy", "undefined"),
            ("fn_count", "2"),
        ],
    );
}

#[test]
fn a_changed_mode_is_no_change_of_content() {
    let r = java();
    r.git(&["update-index", "--chmod=+x", PATH]);
    r.git(&["commit", "-q", "-m", "mode"]);
    expect(
        &newest(&r, &[]),
        &[
            ("files_changed", "0"),
            ("churn", "0"),
            ("packages_touched", "0"),
        ],
    );
}

#[test]
fn a_file_with_a_syntax_error_makes_its_functions_unknown_and_sums_say_so() {
    let r = java();
    r.write(
        "src/main/java/a/Broken.java",
        "class Broken { void a( { }\n",
    );
    r.commit("broken");
    let m = newest(&r, &[]);
    assert!(
        word(&m, "fns_added").starts_with("unknown: "),
        "{}",
        word(&m, "fns_added")
    );
    assert!(word(&m, "net_cc").starts_with("unknown: "));
    expect(
        &m,
        &[("churn", "1"), ("files_created", "1"), ("fn_count", "2")],
    );
    assert_eq!(m["fn_count"]["left_out"]["files"], 1);
    // The next change touches another file: its own figures are known, the state's say what
    // they left out.
    edit(&r, PATH, OWNER, "return 0;", "return 1;");
    let m = newest(&r, &[]);
    expect(&m, &[("existing_fns_modified", "1"), ("erosion", "0")]);
    assert_eq!(m["erosion"]["left_out"]["files"], 1);
}

#[test]
fn a_language_known_by_name_has_lines_and_files_but_no_functions() {
    let r = java();
    r.write("web/app.ts", "export const a = 1;\nexport const b = 2;\n");
    r.commit("typescript");
    let m = newest(&r, &[]);
    expect(
        &m,
        &[
            ("churn", "2"),
            ("files_created", "1"),
            ("packages_touched", "1"),
            ("net_cc", "0"),
        ],
    );
    assert_eq!(
        word(&m, "fns_added"),
        "unknown: no parser for TypeScript (1 file)"
    );
}

#[test]
fn a_production_file_marked_generated_in_a_change_stays_production_in_it() {
    let r = java();
    r.write(".gitattributes", "*.java linguist-generated\n");
    r.write(PATH, OWNER.replace("return 0;", "return 1;"));
    r.commit("hide it");
    let m = newest(&r, &[]);
    expect(
        &m,
        &[
            ("existing_fns_modified", "1"),
            ("churn", "2"),
            ("fn_count", "0"),
        ],
    );
    let text = r.stdout(&["show", "HEAD"]);
    assert!(
        text.contains("class-changed") || text.contains("generated"),
        "{text}"
    );
    // From the next change on it is generated.
    r.write(PATH, OWNER.replace("return 0;", "return 2;"));
    r.commit("later");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "0"), ("churn", "0")],
    );
}

#[test]
fn links_and_submodules_are_no_source_files() {
    let r = java();
    let link = r.path().join("src/main/java/a/Link.java");
    std::os::unix::fs::symlink("Owner.java", link).expect("a link");
    let id = r.git(&["rev-parse", "HEAD"]);
    r.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{id},lib/Sub.java"),
    ]);
    r.git(&["add", "src"]);
    r.git(&["commit", "-q", "-m", "link and submodule"]);
    expect(
        &newest(&r, &[]),
        &[("files_created", "0"), ("churn", "0"), ("fns_added", "0")],
    );
    let shown = r.stdout(&["show", "HEAD"]);
    assert!(shown.contains("lib/Sub.java"), "{shown}");
}

/// What a file that was code goes on as, once it is none: its changes are ordinary ones of other
/// files, counted once, whatever else is asked for and wherever the range begins.
#[test]
fn a_file_that_was_code_once_is_another_file_and_is_counted_once() {
    let r = Repo::new();
    r.write(
        "tool.py",
        "def run(a):\n    if a:\n        return 1\n    return 2\n",
    );
    r.commit("root");
    r.git(&["mv", "tool.py", "tool"]);
    r.commit("code no longer");
    r.write(
        "tool",
        "def run(a):\n    if a:\n        return 1\n    return 3\n",
    );
    r.commit("edit");
    let wanted = [
        ("other_files_changed", "1"),
        ("other_churn", "2"),
        ("churn_all", "2"),
        ("churn", "0"),
    ];
    expect(&newest(&r, &[]), &wanted);
    for (id, n) in wanted {
        expect(&newest(&r, &["--metrics", id]), &[(id, n)]);
        expect(
            &newest(&r, &["--metrics", id, "--lookback", "2"]),
            &[(id, n)],
        );
    }
}

/// The very same bytes under another language's name are read by that language.
#[test]
fn a_rename_into_another_language_is_read_anew() {
    let r = Repo::new();
    r.write(
        "a.py",
        "def run(a):\n    if a:\n        return 1\n    return 2\n",
    );
    r.write("A.java", OWNER);
    r.commit("root");
    r.git(&["mv", "a.py", "B.java"]);
    r.commit("renamed");
    let m = newest(&r, &[]);
    assert_eq!(m["loc_java"]["left_out"]["files"], 1, "{}", m["loc_java"]);
    let whole = newest(&r, &["--metrics", "loc_java,fn_count"]);
    assert_eq!(whole["loc_java"], m["loc_java"]);
    let files = r.stdout(&["files", "--format", "csv"]);
    assert!(
        files.contains("B.java,java,production,4,,,syntax error"),
        "{files}"
    );
}
