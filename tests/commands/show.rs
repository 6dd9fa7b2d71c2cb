//! `show`.

use super::{err, runs, small};
use crate::support::Repo;

fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_change_is_explained_function_by_function() {
    let repo = small();
    let shown = document(&repo.stdout(&["show", "HEAD~2", "--format", "json"]));
    let functions = shown["files"][0]["functions"].as_array().unwrap();
    let changes: Vec<(&str, &str)> = functions
        .iter()
        .map(|f| {
            (
                f["change"].as_str().unwrap(),
                f["function"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(changes, [("modified", "A::f"), ("added", "A::g")]);
    assert_eq!(functions[0]["before"]["cc"], 1);
    assert_eq!(functions[0]["after"]["cc"], 2);
    assert_eq!(functions[1]["before"], serde_json::Value::Null);
    assert_eq!(shown["metrics"]["churn"]["value"], 6);
    let text = repo.stdout(&["show", "HEAD~2", "--diff"]);
    assert!(text.contains("+        if (x > 0) {"), "{text}");
    assert!(text.contains("branch in f, new g"), "{text}");
}

#[test]
fn a_figure_stands_among_those_before_it() {
    let repo = small();
    let shown = document(&repo.stdout(&["show", "HEAD", "--format", "json", "--metrics", "churn"]));
    // Before it: 6 and 0; the root is no change like others. Its own is 0.
    assert_eq!(shown["standings"]["churn"]["of"], 2);
    assert_eq!(shown["standings"]["churn"]["rank"], 0.25);
}

#[test]
fn commits_that_are_not_the_agents_are_shown_as_what_they_are() {
    let repo = runs();
    let role = |revision: &str| {
        document(&repo.stdout(&["show", revision, "--format", "json"]))["role"].clone()
    };
    assert_eq!(role("evolve/exp/plain/1"), "reset");
    assert_eq!(role("evolve/exp/plain/1~1"), "agent");
    assert_eq!(role("evolve/exp/plain/1~4"), "base");
    assert_eq!(role("main"), "change");
    let text = repo.stdout(&["show", "evolve/exp/plain/1"]);
    assert!(text.contains("not the agent's doing"), "{text}");
}

#[test]
fn what_is_not_committed_is_shown_as_a_change() {
    let repo = small();
    repo.write("src/A.java", super::class(3, 0));
    let worktree = document(&repo.stdout(&["show", "--worktree", "--format", "json"]));
    assert_eq!(worktree["pending"], "the work tree");
    assert_eq!(worktree["metrics"]["fns_deleted"]["value"], 1);
    let none = repo.evolve(&["show", "--staged"]);
    assert_eq!(none.status.code(), Some(0));
    assert!(err(&none).contains("does not differ"), "{}", err(&none));
    repo.git(&["add", "-A"]);
    let staged = document(&repo.stdout(&["show", "--staged", "--format", "json"]));
    assert_eq!(staged["metrics"], worktree["metrics"]);
    let diff = repo.stdout(&["show", "--staged", "--diff"]);
    assert!(diff.contains("+        if (x == 2) {"), "{diff}");
}

#[test]
fn a_range_is_no_change() {
    let repo = small();
    assert_eq!(
        repo.evolve(&["show", "HEAD~1..HEAD"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_staged_submodule_with_its_entry_is_no_nested_repository() {
    let repo = small();
    let head = repo.git(&["rev-parse", "HEAD"]);
    let link = format!("160000,{head},sub");
    repo.git(&["update-index", "--add", "--cacheinfo", &link]);
    assert!(
        repo.stdout(&["show", "--staged"])
            .contains("nested-repository")
    );
    repo.write(
        ".gitmodules",
        "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
    );
    repo.git(&["add", ".gitmodules"]);
    assert!(
        !repo
            .stdout(&["show", "--staged"])
            .contains("nested-repository")
    );
}

#[test]
fn what_is_not_committed_has_no_id_and_no_time() {
    let repo = small();
    repo.write("README", "other words\n");
    let shown = document(&repo.stdout(&["show", "--worktree", "--format", "json"]));
    for key in ["commit", "subject", "time"] {
        assert!(shown[key].is_null(), "{key}");
    }
    let csv = repo.stdout(&[
        "show",
        "--worktree",
        "--format",
        "csv",
        "--metrics",
        "churn",
    ]);
    assert_eq!(csv.lines().nth(1), Some(",,,,1,,churn,,0,,,known,"));
}

#[test]
fn an_unknown_revision_is_one_clear_line() {
    let repo = small();
    let said = err(&repo.evolve(&["log", "nosuch"]));
    assert_eq!(
        said.lines().next(),
        Some("fatal: unknown revision 'nosuch'")
    );
}

#[test]
fn the_diff_of_each_of_many_functions_is_its_own() {
    let repo = Repo::new();
    let file = |round: u32| -> String {
        let function = |n: u32| format!("def f{n}(x):\n    return {n}, {round}\n\n\n");
        // No line feed ends the last one.
        (0..400).map(function).collect::<String>() + &format!("def last(): return {round}")
    };
    repo.write("a.py", file(1));
    repo.commit("one");
    repo.write("a.py", file(2));
    repo.commit("two");
    let text = repo.stdout(&["show", "--diff"]);
    for n in 0..400 {
        let (old, new) = (format!("-    return {n}, 1"), format!("+    return {n}, 2"));
        let at = text.find(&format!(" f{n} ")).unwrap();
        let part = text[at..].lines().skip(1).take(3).collect::<Vec<_>>();
        let shown: Vec<&str> = part.iter().map(|l| l.trim_start()).collect();
        assert_eq!(
            shown,
            [&format!("def f{n}(x):"), old.as_str(), new.as_str()]
        );
    }
    assert!(text.contains("-def last(): return 1") && text.contains("+def last(): return 2"));
}
