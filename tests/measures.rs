//! Measures of small changes against figures counted by hand: what each kind of edit is.

use serde_json::Value;

use crate::support::Repo;

/// The figures of the newest change, `--metrics all` unless told.
fn newest(r: &Repo, words: &[&str]) -> Value {
    let mut args = vec!["log", "--last", "1", "--format", "jsonl"];
    if !words.contains(&"--metrics") {
        args.extend(["--metrics", "all"]);
    }
    args.extend(words);
    let text = r.stdout(&args);
    let line = text.lines().next().expect("one change");
    serde_json::from_str::<Value>(line).expect("JSON")["metrics"].clone()
}

/// A figure as a short word: its number, `undefined`, or `unknown: reason`.
fn word(metrics: &Value, id: &str) -> String {
    let f = &metrics[id];
    if let Some(v) = f.get("value") {
        return v.to_string();
    }
    match (f.get("undefined"), f.get("unknown")) {
        (Some(_), _) => "undefined".to_owned(),
        (_, Some(r)) => format!("unknown: {}", r.as_str().unwrap_or("?")),
        _ => format!("no figure {id}: {f}"),
    }
}

fn expect(metrics: &Value, wanted: &[(&str, &str)]) {
    let got: Vec<(&str, String)> = wanted
        .iter()
        .map(|(id, _)| (*id, word(metrics, id)))
        .collect();
    let wanted: Vec<(&str, String)> = wanted.iter().map(|(i, w)| (*i, (*w).to_owned())).collect();
    assert_eq!(got, wanted);
}

const OWNER: &str = "package a;

class Owner {
    int age(int now) {
        if (now > born && born > 0) {
            return now - born;
        }
        return 0;
    }

    void greet() {
        say(\"hello\");
    }
}
";

/// A Java repository with one class, committed as the second change.
fn java() -> Repo {
    let r = Repo::new();
    r.write("README.md", "owners\n");
    r.commit("root");
    r.write("src/main/java/a/Owner.java", OWNER);
    r.commit("owner");
    r
}

fn edit(r: &Repo, path: &str, text: &str, from: &str, to: &str) {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    r.write(path, text.replace(from, to));
    r.commit("edit");
}

const PATH: &str = "src/main/java/a/Owner.java";

#[test]
fn a_new_file_adds_its_whole_score() {
    let r = java();
    // age: CC 1 + if + && = 3, cognitive if 1 + && 1 = 2; greet: CC 1.
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "2"),
            ("existing_fns_modified", "0"),
            ("net_cc", "4"),
            ("net_cognitive", "2"),
            ("files_created", "1"),
            ("source_files_added", "1"),
            ("lines_added", "14"),
            ("churn", "14"),
            ("packages_touched", "1"),
            ("reedit_rate", "undefined"),
            ("reedit_settled_rate", "undefined"),
            ("change_entropy", "0"),
            ("hotspots", "0"),
            ("loc", "12"),
            ("fn_count", "2"),
            ("fn_cc_max", "3"),
        ],
    );
}

#[test]
fn adding_a_function_to_an_old_file_modifies_none() {
    let r = java();
    let added = "        say(\"hello\");\n    }\n\n    void bye() {\n        for (;;) {\n            say(\"bye\");\n        }\n    }\n}\n";
    edit(
        &r,
        PATH,
        OWNER,
        "        say(\"hello\");\n    }\n}\n",
        added,
    );
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "1"),
            ("existing_fns_modified", "0"),
            // PetClinic-Evolve's own count takes the new function for a modified one.
            ("fns_modified_in_old_files", "1"),
            ("net_cc", "2"),
            ("net_cognitive", "1"),
            ("files_created", "0"),
            ("files_changed", "1"),
            ("lines_added", "6"),
            ("lines_removed", "0"),
            ("reedit_rate", "undefined"),
        ],
    );
}

#[test]
fn growing_adds_the_growth_and_deleting_subtracts() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "        return 0;\n",
        "        return now < 0 ? -1 : 0;\n",
    );
    let grown = newest(&r, &[]);
    expect(
        &grown,
        &[
            ("existing_fns_modified", "1"),
            ("fns_reformatted", "0"),
            ("net_cc", "1"),
            ("net_cognitive", "1"),
            ("churn", "2"),
            // Six body lines; five of the change before (an earlier one), one of this.
            ("reedit_settled_rate", "0"),
        ],
    );
    assert_eq!(grown["reedit_rate"]["num"], 5);
    assert_eq!(grown["reedit_rate"]["den"], 6);
    let without: String = OWNER
        .lines()
        .filter(|l| !["    void greet() {", "        say(\"hello\");"].contains(l))
        .map(|l| format!("{l}\n"))
        .collect();
    let without = without.replace(
        "        return 0;\n    }\n\n    }\n",
        "        return 0;\n    }\n",
    );
    r.write(PATH, without);
    r.commit("delete");
    expect(
        &newest(&r, &[]),
        &[
            ("fns_deleted", "1"),
            ("net_cc", "-2"),
            ("existing_fns_modified", "1"),
        ],
    );
}

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
fn an_edit_of_a_comment_only_reformats() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "        return 0;\n",
        "        // nobody\n        return 0;\n",
    );
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "1"),
            ("fns_reformatted", "1"),
            ("net_cc", "0"),
        ],
    );
}

#[test]
fn an_annotation_is_outside_of_the_body_and_a_new_overload_is_another_function() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "    void greet() {",
        "    @Deprecated\n    void greet() {",
    );
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "0"), ("churn", "1")],
    );
    let overload = OWNER.replace(
        "    void greet() {",
        "    void greet(String name) {\n        say(name);\n    }\n\n    void greet() {",
    );
    r.write(PATH, overload);
    r.commit("overload");
    expect(
        &newest(&r, &[]),
        &[("fns_added", "1"), ("fns_deleted", "0")],
    );
}

#[test]
fn a_changed_parameter_list_is_the_same_function_modified() {
    let r = java();
    edit(
        &r,
        PATH,
        OWNER,
        "int age(int now) {",
        "int age(long now, int zone) {",
    );
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "1"),
            ("fns_added", "0"),
            ("fns_deleted", "0"),
        ],
    );
}

#[test]
fn a_moved_file_keeps_its_functions_and_their_writers() {
    let r = java();
    r.write("filler.txt", "x\n");
    r.commit("another change");
    r.remove(PATH);
    r.write(
        "src/main/java/b/Owner.java",
        OWNER.replace("return 0;", "return 7;"),
    );
    r.commit("move and edit");
    let m = newest(&r, &[]);
    expect(
        &m,
        &[
            ("files_created", "0"),
            ("files_deleted", "0"),
            ("files_changed", "1"),
            ("existing_fns_modified", "1"),
            ("fns_added", "0"),
            ("packages_touched", "2"),
            ("churn", "2"),
        ],
    );
    // Five of six lines were written two changes before; the one replaced, too.
    assert_eq!(
        (&m["reedit_rate"]["num"], &m["reedit_rate"]["den"]),
        (&5.into(), &6.into())
    );
    assert_eq!(m["reedit_settled_rate"]["num"], 1);
}

#[test]
fn a_method_of_an_anonymous_class_belongs_to_the_method_around_it() {
    let r = java();
    let text = "class A {\n    Runnable r() {\n        return new Runnable() {\n            public void run() {\n                if (on) {\n                    go();\n                }\n            }\n        };\n    }\n}\n";
    r.write("src/main/java/a/A.java", text);
    r.commit("anonymous");
    expect(
        &newest(&r, &[]),
        &[("fns_added", "1"), ("fn_count", "4"), ("net_cc", "3")],
    );
    edit(&r, "src/main/java/a/A.java", text, "go();", "stop();");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "1"), ("fns_added", "0")],
    );
}

#[test]
fn a_go_closure_belongs_to_its_declaration() {
    let r = Repo::new();
    r.commit("root");
    let text =
        "package p\n\nfunc run() {\n\tgo func() {\n\t\tif on {\n\t\t\twork()\n\t\t}\n\t}()\n}\n";
    r.write("p.go", text);
    r.commit("closure");
    // Rows: run (CC 1), its closure (CC 2); the declaration's cognitive score holds the closure's.
    let added = newest(&r, &[]);
    expect(
        &added,
        &[
            ("fns_added", "1"),
            ("net_cc", "3"),
            ("net_cognitive", "2"),
            ("fn_count", "2"),
        ],
    );
    edit(&r, "p.go", text, "work()", "rest()");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "1"), ("net_cc", "0")],
    );
}

#[test]
fn a_nested_def_is_touched_alone_and_the_last_line_of_a_body_is_inside() {
    let r = Repo::new();
    r.commit("root");
    let text = "def outer(a):\n    def inner(b):\n        return b\n    return inner(a)\n\n\ndef other():\n    pass\n";
    r.write("m.py", text);
    r.commit("nested");
    expect(&newest(&r, &[]), &[("fns_added", "3")]);
    edit(
        &r,
        "m.py",
        text,
        "        return b\n",
        "        b += 1\n        return b\n",
    );
    let m = newest(&r, &[]);
    expect(&m, &[("existing_fns_modified", "1")]);
    assert_eq!(
        m["existing_fns_modified"]["items"][0]["name"],
        "outer.inner"
    );
    // A statement written behind the last line of a body: no line is deleted.
    r.write("m.py", text.replace("    pass\n", "    pass\n    go()\n"));
    r.commit("append a statement");
    let m = newest(&r, &[]);
    assert_eq!(
        word(&m, "existing_fns_modified"),
        "2",
        "inner is put back, other grows"
    );
}

#[test]
fn a_function_written_behind_another_does_not_touch_it() {
    let r = Repo::new();
    r.commit("root");
    let text = "package p\n\nfunc a() {\n\tx()\n}\n";
    r.write("p.go", text);
    r.commit("a");
    r.write("p.go", format!("{text}\nfunc b() {{\n\tx()\n}}\n"));
    r.commit("b");
    expect(
        &newest(&r, &[]),
        &[("existing_fns_modified", "0"), ("fns_added", "1")],
    );
}

#[test]
fn a_change_that_changes_nothing_is_zero_for_counts_and_undefined_for_ratios() {
    let r = java();
    r.commit("nothing");
    expect(
        &newest(&r, &[]),
        &[
            ("existing_fns_modified", "0"),
            ("fns_added", "0"),
            ("churn", "0"),
            ("files_changed", "0"),
            ("net_cc", "0"),
            ("reedit_rate", "undefined"),
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
fn earlier_begins_behind_the_base_of_the_window() {
    let r = java();
    for i in 1..=3 {
        edit(
            &r,
            PATH,
            OWNER,
            "say(\"hello\");",
            &format!("say(\"hello {i}\");"),
        );
    }
    // greet has three lines: its braces are of change 1 (the second commit), the middle one is
    // this change's own.
    let m = newest(&r, &["--lookback", "200"]);
    assert_eq!(
        (&m["reedit_rate"]["num"], &m["reedit_rate"]["den"]),
        (&2.into(), &3.into())
    );
    // With two changes of lookback the braces are the base's.
    let m = newest(&r, &["--lookback", "2"]);
    assert_eq!(
        (&m["reedit_rate"]["num"], &m["reedit_rate"]["den"]),
        (&0.into(), &3.into())
    );
}

#[test]
fn an_ignored_revision_passes_writers_through() {
    let r = java();
    r.write("filler.txt", "x\n");
    r.commit("filler");
    let indented = OWNER.replace("        say", "            say");
    r.write(PATH, &indented);
    let reformat = r.commit("reformat");
    let lines = |words: &[&str]| {
        let mut args = vec!["lines", "HEAD", PATH, "--format", "csv"];
        args.extend(words);
        r.stdout(&args)
    };
    let owner = r.git(&["rev-parse", "HEAD~2"]);
    assert!(lines(&[]).contains(&format!("12,{reformat}")));
    r.write(
        ".git-blame-ignore-revs",
        format!("# formatter\n{reformat}\n"),
    );
    r.commit("ignore it");
    assert!(
        lines(&[]).contains(&format!("12,{owner}")),
        "{}",
        lines(&[])
    );
    assert!(lines(&["--no-ignore-revs"]).contains(&format!("12,{reformat}")));
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
fn the_root_is_measured_against_the_empty_tree() {
    let r = Repo::new();
    r.write(PATH, OWNER);
    r.commit("root");
    expect(
        &newest(&r, &[]),
        &[
            ("fns_added", "2"),
            ("churn", "14"),
            ("net_cc", "4"),
            ("reedit_rate", "undefined"),
        ],
    );
    edit(&r, PATH, OWNER, "return 0;", "return 1;");
    let m = newest(&r, &[]);
    // The root's lines are the base's, not an earlier change's, and one change old.
    assert_eq!(
        (&m["reedit_rate"]["num"], &m["reedit_settled_rate"]["num"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn what_the_root_brought_is_not_touched_since_the_base_in_any_range() {
    let r = Repo::new();
    r.write(PATH, OWNER);
    r.write(
        "src/main/java/a/Other.java",
        OWNER.replace("Owner", "Other"),
    );
    r.commit("root");
    edit(&r, PATH, OWNER, "return 0;", "return 1;");
    r.write("README", "more\n");
    r.commit("words");
    let text = r.stdout(&[
        "log",
        "--format",
        "jsonl",
        "--metrics",
        "all",
        "--last",
        "3",
    ]);
    let all: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    for (change, back) in all.iter().zip(["HEAD", "HEAD~1", "HEAD~2"]) {
        assert_eq!(change["metrics"], newest(&r, &[back]), "{back}");
    }
    // Against the empty tree both classes are touched, afterwards only the edited one.
    let classes = ["Owner", "Owner", "Other"].map(|c| format!("src/main/java/a/{c}.java::{c}"));
    for (change, class) in all.iter().zip(classes) {
        assert_eq!(change["metrics"]["wmc_max"]["name"], class);
    }
    let masses: Vec<f64> = all
        .iter()
        .filter_map(|c| c["metrics"]["erosion_scoped"]["den"].as_f64())
        .collect();
    let one = 3.0 * 6.0_f64.sqrt() + 3.0_f64.sqrt();
    for (mass, wanted) in masses.iter().zip([one, one, 2.0 * one]) {
        assert!((mass - wanted).abs() < 1e-9, "{masses:?}");
    }
}

#[test]
fn behind_a_shallow_cut_nothing_is_measured_as_created() {
    let r = java();
    edit(&r, PATH, OWNER, "return 0;", "return 1;");
    edit(&r, PATH, OWNER, "return 0;", "return 2;");
    let clone = r.around().join("shallow");
    let url = format!("file://{}", r.path().display());
    r.git(&[
        "clone",
        "-q",
        "--depth",
        "2",
        &url,
        clone.to_str().expect("utf-8"),
    ]);
    let out = r.evolve_in(&clone, &["log", "--format", "jsonl", "--metrics", "all"]);
    let text = String::from_utf8(out.stdout).expect("utf-8");
    let changes: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(changes.len(), 2);
    let newest = &changes[0]["metrics"];
    expect(
        newest,
        &[
            ("existing_fns_modified", "1"),
            ("churn", "2"),
            ("fn_count", "2"),
        ],
    );
    assert!(
        word(newest, "reedit_rate").contains("shallow"),
        "{}",
        word(newest, "reedit_rate")
    );
    let edge = &changes[1]["metrics"];
    assert!(
        word(edge, "fns_added").contains("shallow"),
        "{}",
        word(edge, "fns_added")
    );
    expect(edge, &[("fn_count", "2")]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("shallow"));
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
