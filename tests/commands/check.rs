//! `check`: figures of repositories made by hand, held against limits.

use std::process::Output;

use super::{class, err, out, runs, small};
use crate::support::Repo;

fn code(done: &Output) -> i32 {
    done.status.code().unwrap_or(-1)
}

fn json(repo: &Repo, words: &[&str]) -> serde_json::Value {
    let done = repo.evolve(&[&["check"], words, &["--format", "json"]].concat());
    serde_json::from_str(&out(&done)).unwrap_or_else(|_| panic!("{}", err(&done)))
}

#[test]
fn what_is_on_the_limit_is_held_and_what_is_over_it_is_not() {
    let repo = small();
    // HEAD~2 adds six lines, modifies f, adds g.
    for (limit, exit) in [
        ("churn=5", 1),
        ("churn=6", 0),
        ("churn=7", 0),
        ("existing_fns_modified=0", 1),
        ("existing_fns_modified=1", 0),
    ] {
        let done = repo.evolve(&["check", "HEAD~2", "--max", limit]);
        assert_eq!(code(&done), exit, "{limit}: {}{}", out(&done), err(&done));
    }
    for (limit, exit) in [("churn=5", 0), ("churn=6", 0), ("churn=7", 1)] {
        let done = repo.evolve(&["check", "HEAD~2", "--min", limit]);
        assert_eq!(code(&done), exit, "{limit}: {}", out(&done));
    }
    let both = repo.evolve(&[
        "check",
        "HEAD~2",
        "--max",
        "churn=6",
        "--min",
        "fns_added=1",
        "--max",
        "net_cc=1",
    ]);
    assert_eq!(code(&both), 1, "net_cc is 2: {}", out(&both));
    assert!(
        out(&both).contains("not held: 1 of 3 limits"),
        "{}",
        out(&both)
    );
}

#[test]
fn a_range_is_added_up_and_each_change_of_it_can_be_asked_for() {
    let repo = Repo::new();
    for branches in 0..4 {
        repo.write("src/A.java", class(branches, 0));
        repo.commit(&format!("branch {branches}"));
    }
    // Three changes of three lines each, each to f.
    let three = "HEAD~3..HEAD";
    let check =
        |words: &[&str]| code(&repo.evolve(&[&["check", "--range", three], words].concat()));
    assert_eq!(check(&["--max", "churn=9"]), 0);
    assert_eq!(check(&["--max", "churn=8"]), 1);
    assert_eq!(check(&["--max", "churn=3", "--each"]), 0);
    assert_eq!(check(&["--max", "churn=2", "--each"]), 1);
    let found = json(&repo, &[three, "--max", "existing_fns_modified=2"]);
    let limit = &found["limits"][0];
    assert_eq!(
        (&limit["scope"], &limit["value"]),
        (&"range".into(), &3.into())
    );
    assert_eq!(limit["changes"].as_array().unwrap().len(), 3);
    assert_eq!(limit["changes"][0]["items"][0]["path"], "src/A.java");
    assert_eq!(
        (&found["kept"], &found["changes"]),
        (&"not held".into(), &3.into())
    );
    let text = repo.evolve(&["check", three, "--max", "existing_fns_modified=2"]);
    assert!(out(&text).contains("src/A.java A::f"), "{}", out(&text));
    // What the tree is does not add up: CC is 2, 3, 4 after them.
    let state = json(&repo, &[three, "--max", "fn_cc_max=3"]);
    let limit = &state["limits"][0];
    assert_eq!(
        (&limit["scope"], &limit["kept"]),
        (&"change".into(), &"not held".into())
    );
    let kept: Vec<&str> = limit["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["kept"].as_str().unwrap())
        .collect();
    assert_eq!(kept, ["not held", "held", "held"]);
    let text = repo.evolve(&["check", three, "--max", "fn_cc_max=3"]);
    assert!(
        out(&text).contains("not held by 1 of 3 changes"),
        "{}",
        out(&text)
    );
    assert!(
        out(&text).contains("does not add up over changes"),
        "{}",
        out(&text)
    );
}

#[test]
fn a_ratio_is_pooled_and_one_over_nothing_is_held() {
    let repo = Repo::new();
    for branches in 0..4 {
        repo.write("src/A.java", class(branches, 0));
        repo.commit(&format!("branch {branches}"));
    }
    // f has 6, 9, 12 lines after them, of which 0, 3, 6 are of an earlier change: 9/27.
    let found = json(&repo, &["HEAD~3..HEAD", "--max", "reedit_rate=0.5"]);
    let limit = &found["limits"][0];
    assert_eq!((&limit["num"], &limit["den"]), (&9.into(), &27.into()));
    let exact = (9.0_f64 / 27.0).to_string();
    let check = |n: &str| {
        let limit = format!("reedit_rate={n}");
        code(&repo.evolve(&["check", "HEAD~3..HEAD", "--max", &limit]))
    };
    assert_eq!((check(&exact), check("0.33")), (0, 1));
    let none = small();
    let words = ["check", "HEAD", "--max", "reedit_rate=0", "--format", "csv"];
    let done = none.evolve(&words);
    assert_eq!(code(&done), 0, "nothing was edited");
    assert!(out(&done).contains(",undefined,"), "{}", out(&done));
}

#[test]
fn unknown_is_never_a_pass_unless_it_is_asked_for() {
    let repo = small();
    repo.write("src/B.java", "class B { int f( {\n");
    repo.commit("no Java");
    let words = ["check", "HEAD", "--max", "net_cc=100"];
    let done = repo.evolve(&words);
    assert_eq!(code(&done), 3, "{}", out(&done));
    assert!(out(&done).contains("unknown"), "{}", out(&done));
    let pass = repo.evolve(&[&words[..], &["--allow-unknown"]].concat());
    assert_eq!(code(&pass), 0);
    assert!(out(&pass).contains("--allow-unknown"), "{}", out(&pass));
    let strict = repo.evolve(&[&words[..], &["--allow-unknown", "--strict"]].concat());
    assert_eq!(code(&strict), 3);
    // What is over its limit weighs more than what is not known.
    let both = repo.evolve(&[&words[..], &["--max", "churn=0"]].concat());
    assert_eq!(code(&both), 1);
    let both = repo.evolve(&[&words[..], &["--max", "churn=0", "--informational"]].concat());
    assert_eq!(code(&both), 0);
    assert!(out(&both).contains("informational"), "{}", out(&both));
    let later = repo.evolve(&["check", "HEAD", "--max", "clone_lines=0"]);
    assert_eq!(code(&later), 3, "this version does not compute it");
}

#[test]
fn wrong_words_are_said_before_anything_is_measured() {
    let repo = small();
    for (words, said) in [
        (&["--max", "chrun=3"][..], "did you mean churn?"),
        (&["--max", "churn"], "not MEASURE=N"),
        (&["--max", "churn=x"], "not MEASURE=N"),
        (&["--max", "pass_at_1=1"], "is of whole chains"),
        (&["--max", "outcome=1"], "outcome is a word"),
        (&["HEAD"], "there is no threshold to check"),
        (
            &["HEAD", "--max", "churn=1", "--min", "churn=2"],
            "cannot be at least 2 and at most 1",
        ),
        (
            &["--max", "churn=1"],
            "neither an upstream nor an origin/HEAD",
        ),
        (
            &["--staged", "--worktree", "--max", "churn=1"],
            "cannot be used with",
        ),
        (
            &["HEAD", "--chain", "x/y/1", "--max", "churn=1"],
            "cannot be used with",
        ),
    ] {
        let done = repo.evolve(&[&["check"], words].concat());
        assert_eq!(code(&done), 2, "{words:?}: {}", err(&done));
        assert!(err(&done).contains(said), "{words:?}: {}", err(&done));
        assert_eq!(out(&done), "");
    }
    let unknown = repo.evolve(&["check", "nowhere..HEAD", "--max", "churn=1"]);
    assert_eq!(code(&unknown), 128);
}

#[test]
fn thresholds_of_a_file_hold_where_none_are_typed_one_by_one() {
    let repo = small();
    repo.write(
        "evolve.toml",
        "[check]\nmax = { churn = 5, fns_added = 0 }\neach = true\n",
    );
    let before = repo.evolve(&["check", "HEAD~2"]);
    assert_eq!(code(&before), 2, "the work tree has no say");
    repo.commit("limits");
    let at = "HEAD~3";
    let found = json(&repo, &[at]);
    let ids: Vec<&str> = found["limits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["measure"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["churn", "fns_added"]);
    assert_eq!(found["limits"][0]["scope"], "change");
    let typed = json(&repo, &[at, "--max", "churn=6"]);
    assert_eq!(typed["limits"][0]["kept"], "held");
    assert_eq!(typed["limits"][1]["kept"], "not held");
    repo.write("ci.toml", "[check]\nmax.fns_added = 1\nmax.churn = 6\n");
    let file = repo.evolve(&["check", at, "--config", "ci.toml"]);
    assert_eq!(code(&file), 0, "{}{}", out(&file), err(&file));
    let over = repo.evolve(&["check", at, "--config", "ci.toml", "--max", "churn=5"]);
    assert_eq!(code(&over), 1);
    repo.write("wrong.toml", "[check]\nmax.chrun = 1\n");
    let wrong = repo.evolve(&["check", at, "--config", "wrong.toml"]);
    assert_eq!(code(&wrong), 2);
    let said = err(&wrong);
    assert!(
        said.contains("wrong.toml:2:5: no such measure: chrun"),
        "{said}"
    );
    assert!(said.contains("did you mean churn?"), "{said}");
    // The same file says what counts to other commands, and nothing of limits.
    assert_eq!(code(&repo.evolve(&["log"])), 0);
}

#[test]
fn each_language_is_held_against_a_limit_of_complexity() {
    let repo = Repo::new();
    repo.write("a.py", "def f(x):\n    return x\n");
    repo.write("A.java", class(0, 0));
    repo.commit("two languages");
    repo.write(
        "a.py",
        "def f(x):\n    if x:\n        return 1\n    if x > 1:\n        return 2\n    return x\n",
    );
    repo.write("A.java", class(1, 0));
    repo.commit("branches");
    let found = json(&repo, &["HEAD", "--max", "net_cc=1"]);
    let told: Vec<(&str, i64, &str)> = found["limits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            (
                l["language"].as_str().unwrap(),
                l["value"].as_i64().unwrap(),
                l["kept"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("java", 1, "held"), ("python", 2, "not held")]);
    let java = ["check", "HEAD", "--max", "net_cc=1", "--language", "java"];
    assert_eq!(code(&repo.evolve(&java)), 0);
    // No change of one language is none of the other's.
    repo.write("a.py", "def f(x):\n    return x\n");
    repo.commit("only Python");
    let range = json(&repo, &["HEAD~2..HEAD", "--max", "net_cc=1"]);
    assert_eq!(range["limits"][0]["value"], 1);
    assert_eq!(range["limits"][1]["value"], 0);
}

#[test]
fn a_renamed_file_keeps_its_functions() {
    let repo = Repo::new();
    repo.write("src/A.java", class(2, 3));
    repo.commit("add A");
    repo.remove("src/A.java");
    repo.write("src/other/A.java", class(3, 3));
    repo.commit("move A, a branch in f");
    let words = [
        "HEAD",
        "--max",
        "existing_fns_modified=0",
        "--max",
        "fns_added=0",
    ];
    let found = json(&repo, &words);
    let limits = &found["limits"];
    assert_eq!(
        (&limits[0]["value"], &limits[1]["value"]),
        (&1.into(), &0.into())
    );
    assert_eq!(
        limits[0]["changes"][0]["items"][0]["path"],
        "src/other/A.java"
    );
}

#[test]
fn the_index_and_the_work_tree_are_what_git_diff_says() {
    let repo = small();
    repo.write("src/A.java", class(3, 0));
    repo.git(&["add", "-A"]);
    repo.write("src/A.java", class(4, 1));
    repo.write(
        "src/New.java",
        "class New {\n    int n() {\n        return 1;\n    }\n}\n",
    );
    let numbers = |words: &[&str]| -> (i64, i64) {
        let text = repo.git(&[&["diff", "--numstat"], words, &["--", "src/*.java"]].concat());
        text.lines().fold((0, 0), |(added, removed), line| {
            let mut words = line.split_whitespace();
            let mut next = || words.next().unwrap().parse::<i64>().unwrap();
            (added + next(), removed + next())
        })
    };
    let figures = |word: &str| -> (i64, i64) {
        let words = [word, "--max", "lines_added=0", "--max", "lines_removed=0"];
        let found = json(&repo, &words);
        let value = |at: usize| found["limits"][at]["value"].as_i64().unwrap();
        (value(0), value(1))
    };
    assert_eq!(figures("--staged"), numbers(&["--cached"]));
    let (added, removed) = numbers(&["HEAD"]);
    assert_eq!(
        figures("--worktree"),
        (added + 5, removed),
        "and the file that is new"
    );
    let done = repo.evolve(&["check", "--staged", "--max", "fns_deleted=0"]);
    assert_eq!(code(&done), 1);
    assert!(out(&done).contains("the index: 1 change"), "{}", out(&done));
    repo.git(&["commit", "-q", "-a", "-m", "all of it"]);
    repo.git(&["clean", "-q", "-f", "-d"]);
    for word in ["--staged", "--worktree"] {
        let done = repo.evolve(&["check", word, "--max", "churn=0"]);
        assert_eq!(code(&done), 0);
        assert!(
            err(&done).contains("there is nothing to check"),
            "{}",
            err(&done)
        );
    }
}

#[test]
fn without_words_it_is_what_the_branch_adds() {
    let repo = small();
    let clone = repo.around().join("clone");
    repo.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let git = |words: &[&str]| {
        let done = repo.command("git", &clone).args(words).output().unwrap();
        assert!(done.status.success(), "{}", err(&done));
    };
    let check =
        |more: &[&str]| repo.evolve_in(&clone, &[&["check", "--max", "churn=0"], more].concat());
    let none = check(&[]);
    assert_eq!(code(&none), 0, "{}", err(&none));
    assert!(
        out(&none).contains("origin/main..HEAD: 0 changes"),
        "{}",
        out(&none)
    );
    git(&["checkout", "-q", "-b", "topic"]);
    std::fs::write(clone.join("src/A.java"), class(1, 0)).unwrap();
    git(&["commit", "-q", "-a", "-m", "branch"]);
    let topic = check(&[]);
    assert_eq!(code(&topic), 1, "{}", out(&topic));
    assert!(
        out(&topic).contains("origin/main..HEAD: 1 change"),
        "{}",
        out(&topic)
    );
    // Pushed, the branch's own upstream holds all of it, and is not what it is held against.
    git(&["push", "-q", "-u", "origin", "topic"]);
    assert!(out(&check(&[])).contains("origin/main..HEAD: 1 change"));
    // A job has a detached HEAD.
    git(&["checkout", "-q", "--detach"]);
    assert!(out(&check(&[])).contains("origin/main..HEAD: 1 change"));
    // A branch that names another one is held against that.
    git(&["checkout", "-q", "topic"]);
    git(&["branch", "-q", "older", "origin/main~1"]);
    git(&["branch", "-q", "-u", "older"]);
    let older = check(&[]);
    assert!(
        out(&older).contains("older..HEAD: 2 changes"),
        "{}",
        out(&older)
    );
}

#[test]
fn a_shallow_clone_says_that_it_is_too_shallow() {
    let repo = small();
    repo.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    repo.write("src/A.java", class(1, 0));
    repo.commit("branch");
    let clone = repo.around().join("clone");
    let from = format!("file://{}", repo.path().display());
    let to = clone.to_str().unwrap();
    repo.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        "--no-single-branch",
        &from,
        to,
    ]);
    let words = [
        "check",
        "--range",
        "origin/main..HEAD",
        "--max",
        "churn=1000",
    ];
    let done = repo.evolve_in(&clone, &words);
    assert_eq!(code(&done), 3, "{}", out(&done));
    assert!(err(&done).contains("fetch-depth: 0"), "{}", err(&done));
    assert_eq!(out(&done), "");
    let one = repo.evolve_in(&clone, &["check", "HEAD", "--max", "churn=1000"]);
    assert_eq!(code(&one), 3);
    assert!(
        out(&one).contains("edge of a shallow clone"),
        "{}",
        out(&one)
    );
    let deep = repo.around().join("deep");
    let to = deep.to_str().unwrap();
    repo.git(&[
        "clone",
        "-q",
        "--depth",
        "3",
        "--no-single-branch",
        &from,
        to,
    ]);
    let done = repo.evolve_in(&deep, &words);
    assert_eq!(code(&done), 0, "{}{}", out(&done), err(&done));
    assert!(out(&done).contains(": 1 change"), "{}", out(&done));
}

#[test]
fn a_bare_repository_a_first_commit_and_an_empty_range_are_checked() {
    let repo = Repo::new();
    let unborn = repo.evolve(&["check", "--max", "churn=1"]);
    assert_eq!(code(&unborn), 0);
    assert!(err(&unborn).contains("no commit yet"), "{}", err(&unborn));
    repo.write("src/A.java", class(0, 0));
    repo.git(&["add", "-A"]);
    let staged = repo.evolve(&["check", "--staged", "--max", "churn=1"]);
    assert_eq!(code(&staged), 0);
    assert!(
        err(&staged).contains("before the first commit"),
        "{}",
        err(&staged)
    );
    repo.commit("add A");
    let first = repo.evolve(&["check", "HEAD", "--max", "fns_added=0"]);
    assert_eq!(code(&first), 1);
    assert!(out(&first).contains("is the root"), "{}", out(&first));
    let empty = repo.evolve(&["check", "HEAD..HEAD", "--max", "churn=0", "--format", "csv"]);
    assert_eq!(code(&empty), 0);
    assert!(
        err(&empty).contains("there is nothing to check"),
        "{}",
        err(&empty)
    );
    repo.write("src/A.java", class(1, 0));
    repo.commit("branch");
    let bare = repo.around().join("bare.git");
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let check =
        |words: &[&str]| repo.evolve_in(&bare, &[&["check", "--max", "churn=2"], words].concat());
    assert_eq!(code(&check(&["HEAD~1..HEAD"])), 1);
    assert_eq!(code(&check(&["HEAD~1..HEAD", "--max", "net_cc=1"])), 1);
    assert_eq!(code(&check(&["--staged"])), 128);
}

#[test]
fn merges_are_said_and_can_be_left_out() {
    let repo = small();
    repo.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    repo.write(
        "src/B.java",
        "class B {\n    int b() {\n        return 1;\n    }\n}\n",
    );
    repo.commit("add B");
    repo.git(&["merge", "-q", "--no-edit", "main"]);
    let range = ["check", "--range", "main..HEAD", "--max", "churn_all=5"];
    let all = repo.evolve(&range);
    assert_eq!(code(&all), 1, "README came with the merge: {}", out(&all));
    assert!(out(&all).contains("1 merge among them"), "{}", out(&all));
    let own = repo.evolve(&[&range[..], &["--no-merges"]].concat());
    assert_eq!(code(&own), 0, "{}", out(&own));
    assert!(out(&own).contains("1 merge is left out"), "{}", out(&own));
}

#[test]
fn checkpoints_of_a_chain_are_checked_as_changes() {
    let repo = runs();
    let found = json(
        &repo,
        &["--chain", "exp/plain/1", "--max", "existing_fns_modified=1"],
    );
    assert_eq!(found["limits"][0]["value"], 2);
    assert_eq!(found["of"], "chain exp/plain/1");
    assert_eq!(found["limits"][0]["changes"][0]["checkpoint"], 2);
    let each = [
        "check",
        "--chain",
        "exp/plain/1",
        "--max",
        "existing_fns_modified=1",
        "--each",
    ];
    assert_eq!(code(&repo.evolve(&each)), 0);
    let one = json(&repo, &["evolve/exp/plain/1~1", "--max", "churn=2"]);
    assert_eq!(one["limits"][0]["value"], 3);
    let named = json(&repo, &["exp/plain/1@1", "--max", "churn=2"]);
    assert_eq!(named["limits"][0]["changes"][0]["checkpoint"], 1);
    let none = repo.evolve(&["check", "--chain", "exp/plain/9", "--max", "churn=2"]);
    assert_eq!(code(&none), 2);
}

#[test]
fn a_comment_for_a_pull_request_names_what_broke_a_limit_and_is_inert() {
    let repo = Repo::new();
    repo.write("src/A.java", class(0, 0));
    repo.commit("add A");
    repo.write("src/A.java", class(1, 0));
    repo.commit("<script>alert(1)</script> | @everybody");
    repo.write("src/A.java", class(2, 0));
    repo.commit("again");
    let words = ["check", "HEAD~2..HEAD", "--format", "md", "--max"];
    let done =
        repo.evolve(&[&words[..], &["existing_fns_modified=1", "--max", "churn=1"]].concat());
    assert_eq!(code(&done), 1);
    let text = out(&done);
    assert!(text.starts_with("**not held: 2 of 2 limits**"), "{text}");
    assert!(
        text.contains("| existing_fns_modified | ≤ 1 | 2 | not held |"),
        "{text}"
    );
    assert!(text.contains("- src/A.java A::f(int) in "), "{text}");
    assert!(text.contains("&lt;script&gt;"), "{text}");
    assert!(
        !text.contains("<script>") && !text.contains("@everybody"),
        "{text}"
    );
}
