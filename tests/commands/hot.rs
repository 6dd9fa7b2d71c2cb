//! `hot` and `slope --explain`: functions followed through a history, held against counts by
//! hand and against git's own list of the commits that touched a function's lines.

use serde_json::Value;

use super::{err, out};
use crate::support::Repo;

const BODY: &str = "def f(a):\n    b = a\n    c = b\n    d = c\n    return d\n";

/// A function that is added, grows twice, is taken to another file, gets another signature
/// there, and whose file is renamed; a neighbour that changes once.
fn story() -> Repo {
    let repo = Repo::new();
    repo.write("a.py", BODY);
    repo.write("z.py", "def z(a):\n    return a\n");
    repo.commit("begin");
    let grown = BODY.replace("    b = a\n", "    b = a\n    if a:\n        b = 1\n");
    repo.write("a.py", &grown);
    repo.commit("grow");
    repo.write("z.py", "def z(a):\n    # why\n    return a\n");
    repo.commit("remark on z");
    let more = grown.replace(
        "    return d\n",
        "    while d:\n        d -= 1\n    return d\n",
    );
    repo.write("a.py", &more);
    repo.commit("grow more");
    repo.write("a.py", "# nothing\n");
    repo.write("b.py", format!("import sys\n\n\n{more}"));
    repo.commit("move");
    repo.write("c.py", format!("import sys\n\n\n{more}"));
    std::fs::remove_file(repo.path().join("b.py")).unwrap();
    repo.commit("rename its file");
    repo.write(
        "c.py",
        format!("import sys\n\n\n{}", more.replace("d = c", "d = c + 1")),
    );
    repo.commit("change");
    repo
}

fn json(repo: &Repo, words: &[&str]) -> Value {
    let mut all = words.to_vec();
    all.extend(["--format", "json"]);
    serde_json::from_str(&repo.stdout(&all)).unwrap()
}

#[test]
fn a_function_is_followed_through_changes_moves_and_renames() {
    let repo = story();
    let doc = json(&repo, &["hot", "c.py::f"]);
    let versions = doc["versions"].as_array().unwrap();
    let row = |v: &Value| {
        let n = |key: &str| v[key].as_i64().unwrap();
        let words = [&v["subject"], &v["what"]].map(|w| w.as_str().unwrap().to_owned());
        (words, n("cc"), n("cognitive"), n("sloc"))
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    let expected = [
        (["begin", "added"], 1, 0, 5),
        (["grow", "modified"], 2, 1, 7),
        (["grow more", "modified"], 3, 2, 9),
        (["move", "moved from"], 3, 2, 9),
        (["rename its file", "file was"], 3, 2, 9),
        (["change", "modified"], 3, 2, 9),
    ];
    let expected: Vec<_> = expected
        .map(|(words, cc, cognitive, sloc)| (words.map(str::to_owned), cc, cognitive, sloc))
        .into();
    assert_eq!(rows, expected);
    assert_eq!(versions[3]["from"], "a.py");
    assert_eq!(versions[4]["from"], "b.py");
    assert_eq!(doc["touched"], 5);
}

#[test]
fn the_commits_are_those_whose_lines_git_follows() {
    let repo = story();
    repo.write(
        "c.py",
        format!("import sys\n\n\n{}", BODY.replace("d = c", "d = 7")),
    );
    repo.commit("shrink");
    // Git follows lines within a file and its renames: from the move on.
    let git = repo.git(&["log", "--first-parent", "--format=%H", "-s", "-L4,8:c.py"]);
    let doc = json(&repo, &["hot", "c.py::f", "HEAD~3.."]);
    let mut ours: Vec<&str> = doc["versions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|v| v["what"] != "file was")
        .map(|v| v["commit"].as_str().unwrap())
        .collect();
    ours.reverse();
    let theirs: Vec<&str> = git.lines().collect();
    assert_eq!(ours, theirs[..ours.len()], "{git}");
    assert!(ours.len() >= 2);
}

#[test]
fn what_grew_most_comes_first_with_its_scores_before_and_after() {
    let repo = story();
    let doc = json(&repo, &["hot"]);
    let rows = doc["functions"].as_array().unwrap();
    assert_eq!(rows[0]["function"], "c.py::f");
    let numbers = |row: &Value, keys: [&str; 5]| keys.map(|k| row[k].as_i64());
    assert_eq!(
        numbers(
            &rows[0],
            ["cc_grown", "cc_first", "cc_last", "sloc_last", "touched"]
        ),
        [Some(3), None, Some(3), Some(9), Some(5)],
        "a change added it: it grew from nothing"
    );
    let since = json(&repo, &["hot", "HEAD~6.."]);
    let row = &since["functions"][0];
    assert_eq!(
        numbers(
            row,
            [
                "cc_grown",
                "cc_first",
                "cc_last",
                "cognitive_first",
                "sloc_first"
            ]
        ),
        [Some(2), Some(1), Some(3), Some(0), Some(5)]
    );
    // Every document has the values that its digest is of.
    let log = json(&repo, &["log"]);
    for doc in [&doc, &since] {
        assert_eq!(doc["config"], log["config"]);
        assert_eq!(doc["settings"], log["settings"]);
    }
    // A function may be a test's, which is one setting more.
    let one = json(&repo, &["hot", "c.py::f"]);
    let count = |doc: &Value| doc["settings"].as_object().map(|s| s.len());
    assert_eq!(count(&one), count(&log).map(|n| n + 1));
    assert!(log["settings"].as_object().is_some_and(|s| !s.is_empty()));
    let touched = json(&repo, &["hot", "HEAD~6..", "--by", "touched"]);
    let names: Vec<&str> = touched["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["function"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["c.py::f", "z.py::z"]);
}

#[test]
fn two_functions_of_one_key_stay_two() {
    let repo = Repo::new();
    let two = |first: &str, second: &str| {
        format!(
            "class A:\n    @property\n    def x(self):\n        return {first}\n\n    @x.setter\n    \
             def x(self, v):\n        {second}\n"
        )
    };
    repo.write("a.py", two("1", "self.v = v"));
    repo.commit("begin");
    repo.write("a.py", two("1", "self.v = v if v else 0"));
    repo.commit("the second");
    let doc = json(&repo, &["hot", "HEAD~1.."]);
    let rows = doc["functions"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["cc_first"], &rows[0]["cc_last"]),
        (&1.into(), &2.into())
    );
}

#[test]
fn a_renamed_class_keeps_its_functions() {
    let repo = Repo::new();
    let class = |name: &str| {
        format!(
            "class {name} {{\n  {name}() {{\n  }}\n  int m(int a) {{\n    return a;\n  }}\n}}\n"
        )
    };
    repo.write("src/One.java", class("One"));
    repo.commit("begin");
    std::fs::remove_file(repo.path().join("src/One.java")).unwrap();
    repo.write("src/Two.java", class("Two"));
    repo.commit("rename");
    for (name, was) in [("m", "One::m(int)"), ("Two::Two()", "One::One()")] {
        let doc = json(&repo, &["hot", &format!("src/Two.java::{name}")]);
        let last = &doc["versions"][1];
        assert_eq!(
            (last["what"].as_str(), last["from"].as_str()),
            (Some("renamed"), Some(was))
        );
    }
}

#[test]
fn words_that_name_nothing_are_wrong_usage_and_say_what_there_is() {
    let repo = story();
    let wrong = |words: &[&str], status: i32, said: &str| {
        let done = repo.evolve(words);
        assert_eq!(done.status.code(), Some(status), "{words:?}");
        assert!(err(&done).contains(said), "{words:?}: {}", err(&done));
    };
    wrong(&["hot", "c.py::g"], 2, "no function 'g' in c.py");
    wrong(&["hot", "no.py::f"], 128, "no file 'no.py'");
    wrong(&["hot", "c.py::f", "z.py::z"], 2, "more than one function");
    wrong(
        &["hot", "z.py::z", "HEAD~1.."],
        2,
        "none of these changes touched z.py::z",
    );
    wrong(&["hot", "nowhere"], 128, "unknown revision");
}

#[test]
fn every_format_and_eighty_columns_hold() {
    let repo = story();
    for words in [
        &["hot"][..],
        &["hot", "c.py::f"],
        &["slope", "--explain", "churn"],
    ] {
        for format in ["table", "csv", "json", "jsonl", "md"] {
            let mut all = words.to_vec();
            all.extend(["--format", format]);
            let done = repo.evolve(&all);
            assert_eq!(done.status.code(), Some(0), "{all:?}: {}", err(&done));
            assert!(!done.stdout.is_empty(), "{all:?}");
            if format == "table" {
                let wide = out(&done).lines().map(|l| l.chars().count()).max();
                assert!(wide <= Some(80), "{all:?}: {wide:?}");
            }
        }
    }
}

#[test]
fn the_shares_of_checkpoints_sum_to_the_slope_and_name_what_changed() {
    let repo = story();
    let doc = json(&repo, &["slope", "--explain", "churn"]);
    let rows = doc["checkpoints"].as_array().unwrap();
    let slope = rows[0]["slope"].as_f64().unwrap();
    let sum: f64 = rows.iter().map(|r| r["share"].as_f64().unwrap()).sum();
    assert!((sum - slope).abs() < 1e-12);
    let plain = json(&repo, &["slope", "--metrics", "churn"]);
    assert_eq!(plain["slopes"][0]["slope"].as_f64(), Some(slope));
    let size: Vec<f64> = rows
        .iter()
        .map(|r| r["share"].as_f64().unwrap().abs())
        .collect();
    assert!(size.is_sorted_by(|a, b| a >= b), "the largest first");
    let functions = json(&repo, &["slope", "--explain", "existing_fns_modified"]);
    let mut grow = functions["checkpoints"].as_array().unwrap().iter();
    let grow = grow.find(|r| r["checkpoint_id"] == "grow").unwrap();
    assert_eq!(grow["changed"], serde_json::json!(["a.py::f"]));
    let both = repo.evolve(&["slope", "--explain", "churn", "--metrics", "net_cc"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn what_a_partial_or_a_shallow_clone_does_not_hold_is_unknown_and_not_absent() {
    let repo = Repo::new();
    repo.write("c.py", "def f(x):\n    return x\n");
    repo.commit("one");
    repo.write(
        "c.py",
        "def f(x):\n    if x:\n        return 1\n    return x\n",
    );
    repo.commit("two");
    repo.write("d.py", "def g():\n    return 1\n");
    repo.commit("three");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", repo.path().display());
    for (name, how, said) in [
        ("part", "--filter=blob:none", "the functions of c.py at"),
        (
            "cut",
            "--depth=1",
            "c.py::f is older than this shallow clone",
        ),
    ] {
        let to = repo.around().join(name);
        repo.git(&[
            "clone",
            "-q",
            "--no-checkout",
            how,
            &from,
            to.to_str().unwrap(),
        ]);
        let one = repo.evolve_in(&to, &["hot", "c.py::f"]);
        let words = String::from_utf8_lossy(&one.stderr).into_owned();
        assert_eq!(one.status.code(), Some(3), "{words}");
        assert!(words.contains(said), "{words}");
    }
    let all = repo.evolve_in(&repo.around().join("part"), &["hot"]);
    let words = String::from_utf8_lossy(&all.stderr).into_owned();
    assert_eq!(all.status.code(), Some(3), "{words}");
    assert!(words.contains("which functions grew is unknown"), "{words}");
}
