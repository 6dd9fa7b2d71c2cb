//! What is earlier: windows, bases, roots, shallow cuts, ignored revisions, moves.

use serde_json::Value;

use super::{OWNER, PATH, edit, expect, java, newest, word};
use crate::support::Repo;

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
fn behind_a_version_that_is_not_here_nobody_knows_who_wrote_what() {
    let r = java();
    r.write("app.yml", "a: 1\n");
    edit(&r, PATH, OWNER, "return 0;", "return 1;");
    let yaml = r.git(&["rev-parse", "HEAD:app.yml"]);
    let gone = r.git(&["rev-parse", &format!("HEAD:{PATH}")]);
    for n in 2..=4 {
        edit(&r, PATH, OWNER, "return 0;", &format!("return {n};"));
    }
    for id in [gone, yaml] {
        r.remove(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    }
    let m = newest(&r, &[]);
    // This change and its parent are here; what their lines' writers hang on is not.
    expect(&m, &[("existing_fns_modified", "1"), ("churn", "2")]);
    for id in [
        "reedit_rate",
        "reedit_rate_pc",
        "reedit_settled_rate",
        "churn_hot_share",
        "loc_yaml",
        "loc_config",
    ] {
        assert!(
            word(&m, id).starts_with("unknown: "),
            "{id}: {}",
            word(&m, id)
        );
    }
}
