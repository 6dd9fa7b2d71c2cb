//! Chains, found in histories made by real git.

use git_evolve::ledger::{Chain, Chains, chains};
use git_evolve::record::Role;
use git_evolve::repo::{Oid, Repo as Opened};

use crate::support::Repo;

const BEGIN: &str = "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e";
const OTHER: &str = "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f";

fn find(repo: &Repo) -> Chains {
    find_in(repo.path())
}

fn find_in(dir: &std::path::Path) -> Chains {
    let reader = Opened::discover(dir)
        .expect("found")
        .reader()
        .expect("read");
    chains(&reader).expect("chains")
}

fn base(repo: &Repo, path: &str, begin: &str) -> String {
    repo.commit(&format!(
        "Base\n\nEvolve-Chain: {path}\nEvolve-Checkpoint: 0 base\nEvolve-Role: base\nEvolve-Begin: {begin}\n"
    ))
}

fn member(repo: &Repo, path: &str, k: u32, role: &str) -> String {
    repo.write(
        "A.java",
        format!(
            "// {path} {k} {role} {:?}\n",
            repo.git(&["rev-parse", "HEAD"])
        ),
    );
    repo.commit(&format!(
        "Do {k}\n\nEvolve-Chain: {path}\nEvolve-Checkpoint: {k} step-{k}\nEvolve-Role: {role}\n"
    ))
}

/// A project commit on `main`, then a chain's base on `evolve/<path>`.
fn begun(path: &str) -> (Repo, String) {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    repo.commit("project");
    repo.git(&["checkout", "-q", "-b", &format!("evolve/{path}")]);
    let id = base(&repo, path, BEGIN);
    (repo, id)
}

fn shown(chain: &Chain) -> Vec<(String, &'static str, u32)> {
    let line = chain.line.iter();
    line.map(|c| (c.id.to_string(), c.role.word(), c.checkpoint))
        .collect()
}

fn only(found: &Chains) -> &Chain {
    assert_eq!(found.chains.len(), 1, "{found:?}");
    &found.chains[0]
}

#[test]
fn a_chain_is_its_first_parent_line_from_the_base_on() {
    let (repo, b) = begun("exp/arm/1");
    let a1 = member(&repo, "exp/arm/1", 1, "agent");
    let r1 = member(&repo, "exp/arm/1", 1, "reset");
    let a2 = member(&repo, "exp/arm/1", 2, "agent");
    let found = find(&repo);
    let chain = only(&found);
    assert_eq!(chain.path.to_string(), "exp/arm/1");
    assert_eq!(
        (chain.label.as_str(), chain.begin.as_str()),
        ("exp/arm/1", BEGIN)
    );
    assert_eq!(
        shown(chain),
        [
            (b.clone(), "base", 0),
            (a1, "agent", 1),
            (r1.clone(), "reset", 1),
            (a2.clone(), "agent", 2)
        ]
    );
    assert_eq!(chain.line[3].checkpoint_id, "step-2");
    assert_eq!((chain.base.to_string(), chain.tip.to_string()), (b, a2));
    assert!(chain.notes.is_empty() && chain.copies.is_empty() && found.remarks.is_empty());
    let reset = Oid::from_hex(&r1).expect("an id");
    assert_eq!(found.chain_of(reset).map(|(_, at)| at), Some(2));
    let project = Oid::from_hex(&repo.git(&["rev-parse", "main"])).expect("an id");
    assert!(found.chain_of(project).is_none());
}

#[test]
fn foreign_and_superseded_commits_are_told_apart() {
    let path = "exp/arm/task/1";
    let (repo, _) = begun(path);
    member(&repo, path, 1, "agent");
    repo.commit("somebody's own\n\nprose that says\nEvolve-Chain: exp/arm/task/1\n");
    member(&repo, "exp/arm/task/2", 1, "agent");
    member(&repo, path, 1, "agent");
    member(&repo, path, 1, "reset");
    repo.commit("on top of all");
    let found = find(&repo);
    let roles: Vec<Role> = only(&found).line.iter().map(|c| c.role).collect();
    assert_eq!(
        roles,
        [
            Role::Base,
            Role::Superseded,
            Role::Foreign,
            Role::Foreign,
            Role::Agent,
            Role::Reset,
            Role::Foreign
        ]
    );
    assert_eq!(only(&found).line[2].checkpoint_id, "");
}

#[test]
fn one_path_begun_twice_is_two_chains_with_labels() {
    let (repo, first) = begun("exp/arm/1");
    member(&repo, "exp/arm/1", 1, "agent");
    repo.git(&["branch", "-q", "-m", "kept-elsewhere"]);
    repo.git(&["checkout", "-q", "-b", "evolve/exp/arm/1", "main"]);
    let second = base(&repo, "exp/arm/1", OTHER);
    let found = find(&repo);
    let labels: Vec<&str> = found.chains.iter().map(|c| c.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            format!("exp/arm/1@{}", &first[..7]),
            format!("exp/arm/1@{}", &second[..7])
        ]
    );
    assert_eq!(found.named("exp/arm/1").count(), 2);
    assert_eq!(found.named(labels[1]).count(), 1);
}

#[test]
fn a_rebased_chain_is_a_copy_of_the_kept_one() {
    let path = "exp/arm/1";
    let (repo, b) = begun(path);
    let a1 = member(&repo, path, 1, "agent");
    repo.git(&["update-ref", &format!("refs/evolve/chains/{path}"), &a1]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("other.txt", "x\n");
    repo.commit("project goes on");
    repo.git(&["checkout", "-q", &format!("evolve/{path}")]);
    repo.git(&["rebase", "-q", "main"]);
    let rebased = repo.git(&["rev-parse", "HEAD"]);
    let found = find(&repo);
    let chain = only(&found);
    assert_eq!((chain.base.to_string(), chain.tip.to_string()), (b, a1));
    assert_eq!(chain.copies.len(), 1);
    assert_eq!(chain.copies[0].tip.to_string(), rebased);
    assert_eq!(chain.copies[0].refs, [format!("refs/heads/evolve/{path}")]);
    assert!(
        chain.notes[0].contains("counted nowhere"),
        "{:?}",
        chain.notes
    );
    assert!(
        found
            .chain_of(Oid::from_hex(&rebased).expect("an id"))
            .is_none()
    );
}

#[test]
fn of_several_tips_the_descendant_wins_wherever_it_is_named() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    let a1 = member(&repo, path, 1, "agent");
    repo.git(&["update-ref", "refs/remotes/origin/evolve/exp/arm/1", &a1]);
    repo.git(&["update-ref", "refs/evolve/chains/exp/arm/1", &a1]);
    repo.git(&["branch", "-q", "-f", "main", &a1]);
    let a2 = member(&repo, path, 2, "agent");
    repo.git(&[
        "update-ref",
        "refs/remotes/other/evolve-kept/exp/arm/1/abc1234",
        &a2,
    ]);
    repo.git(&["checkout", "-q", "--detach", "main"]);
    repo.git(&["update-ref", "-d", "refs/heads/evolve/exp/arm/1"]);
    let found = find(&repo);
    let chain = only(&found);
    assert_eq!(chain.tip.to_string(), a2);
    assert!(chain.notes.is_empty(), "{:?}", chain.notes);
}

#[test]
fn of_diverged_tips_the_smaller_first_agent_commit_counts_and_it_is_said() {
    let path = "exp/arm/1";
    let (repo, b) = begun(path);
    let one = member(&repo, path, 1, "agent");
    let one_tip = member(&repo, path, 2, "agent");
    repo.git(&["checkout", "-q", "-b", "elsewhere", &b]);
    repo.write("more.txt", "x\n");
    let two = member(&repo, path, 1, "agent");
    let two_tip = member(&repo, path, 2, "agent");
    repo.git(&["checkout", "-q", "-b", "evolve/foreign-only", &b]);
    repo.commit("a foreign commit");
    let found = find(&repo);
    let chain = only(&found);
    let (wins, loses) = if one < two {
        (one_tip, two_tip)
    } else {
        (two_tip, one_tip)
    };
    assert_eq!(chain.tip.to_string(), wins);
    assert_eq!(chain.notes.len(), 2, "{:?}", chain.notes);
    assert!(
        chain.notes[0].contains(&loses[..7]) && chain.notes[0].contains(&b[..7]),
        "{:?}",
        chain.notes
    );
}

#[test]
fn agent_and_attempt_refs_and_picked_commits_are_no_tips() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    let a1 = member(&repo, path, 1, "agent");
    repo.commit("the agent's own commit");
    let own = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["update-ref", "refs/evolve/agent/exp/arm/1/1/1", &own]);
    repo.git(&["update-ref", "refs/evolve/attempts/exp/arm/1/1/1", &own]);
    repo.git(&[
        "update-ref",
        "refs/remotes/o/evolve-kept/exp/arm/1/agent/1/1",
        &own,
    ]);
    repo.git(&["reset", "-q", "--hard", &a1]);
    repo.git(&["checkout", "-q", "-b", "picked", "main"]);
    repo.git(&["cherry-pick", "-x", &a1]);
    let found = find(&repo);
    let chain = only(&found);
    assert_eq!(chain.tip.to_string(), a1);
    assert_eq!(found.remarks.len(), 1, "{:?}", found.remarks);
    assert!(found.remarks[0].contains("refs/heads/picked"));
}

#[test]
fn a_commit_picked_onto_another_chains_line_does_not_lengthen_that_chain() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    let a1 = member(&repo, path, 1, "agent");
    repo.git(&["checkout", "-q", "-b", "release"]);
    member(&repo, "exp/arm/9", 4, "agent");
    let found = find(&repo);
    assert_eq!(only(&found).tip.to_string(), a1);
    assert!(
        found.remarks[0].contains("names chain exp/arm/9"),
        "{:?}",
        found.remarks
    );
}

#[test]
fn a_chain_may_stand_on_another_chains_commit() {
    let (repo, _) = begun("exp/arm/1");
    member(&repo, "exp/arm/1", 1, "agent");
    repo.git(&["checkout", "-q", "-b", "evolve/exp/arm/2"]);
    let second = base(&repo, "exp/arm/2", OTHER);
    member(&repo, "exp/arm/2", 1, "agent");
    let found = find(&repo);
    assert_eq!(found.chains.len(), 2);
    assert_eq!(found.chains[0].line.len(), 2);
    assert_eq!(found.chains[1].base.to_string(), second);
}

#[test]
fn checkpoints_out_of_order_are_noted() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    member(&repo, path, 2, "agent");
    member(&repo, path, 1, "agent");
    let found = find(&repo);
    assert!(
        only(&found).notes[0].starts_with("checkpoint 1 "),
        "{:?}",
        only(&found).notes
    );
}

#[test]
fn a_shallow_clone_without_the_base_says_so() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    member(&repo, path, 1, "agent");
    member(&repo, path, 2, "agent");
    let from = format!("file://{}", repo.path().display());
    repo.git(&["clone", "-q", "--depth=2", &from, "../shallow"]);
    let found = find_in(&repo.around().join("shallow"));
    assert!(found.chains.is_empty());
    assert!(found.remarks[0].contains("shallow"), "{:?}", found.remarks);
}

#[test]
fn a_plain_clone_and_a_bare_one_find_the_same_chains() {
    let path = "exp/arm/1";
    let (repo, _) = begun(path);
    let tip = member(&repo, path, 1, "agent");
    repo.git(&["checkout", "-q", "main"]);
    let from = repo.path().display().to_string();
    repo.git(&["clone", "-q", &from, "../plain"]);
    repo.git(&["clone", "-q", "--bare", &from, "../bare.git"]);
    for dir in ["plain", "bare.git"] {
        let found = find_in(&repo.around().join(dir));
        assert_eq!(only(&found).tip.to_string(), tip, "{dir}");
    }
}

#[test]
fn an_ordinary_repository_has_no_chains_and_no_remarks() {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    repo.commit("one\n\nEvolve-Chain: not enough/of/it\n");
    repo.git(&["branch", "-q", "evolve/just-a-name"]);
    let found = find(&repo);
    assert!(
        found.chains.is_empty() && found.remarks.is_empty(),
        "{found:?}"
    );
    let empty = Repo::new();
    assert!(find(&empty).chains.is_empty());
}

/// The chain of one file whose agent marks it as generated along the way: by a line on top at
/// checkpoint 1, by an attribute at checkpoint 2.
fn marking() -> Repo {
    let (repo, _) = begun("exp/arm/1");
    let agent = |k: u32| {
        repo.commit(&format!(
            "Do {k}\n\nEvolve-Chain: exp/arm/1\nEvolve-Checkpoint: {k} s{k}\nEvolve-Role: agent\n"
        ))
    };
    repo.write("A.java", "// DO NOT EDIT\nclass A {}\n");
    agent(1);
    repo.write("A.java", "// DO NOT EDIT\nclass A { int a; }\n");
    repo.write(".gitattributes", "*.java linguist-generated\n");
    agent(2);
    repo.write("A.java", "// DO NOT EDIT\nclass A { int a, b; }\n");
    agent(3);
    repo
}

#[test]
fn an_agent_cannot_mark_its_chains_files_out_of_the_measures() {
    let repo = marking();
    let figures = |words: &[&str]| {
        let mut all = vec!["log", "evolve/exp/arm/1", "--format", "csv"];
        all.extend(words);
        let text = repo.stdout(&all);
        let rows = text
            .lines()
            .skip(1)
            .map(|l| l.split(',').collect::<Vec<_>>());
        rows.map(|r| (r[4].to_owned(), r[6].to_owned(), r[8].to_owned()))
            .collect::<Vec<_>>()
    };
    let row = |k: &str, id: &str, v: &str| (k.to_owned(), id.to_owned(), v.to_owned());
    let churn = [
        row("3", "churn", "2"),
        row("2", "churn", "2"),
        row("1", "churn", "1"),
    ];
    assert_eq!(figures(&["--metrics", "churn"]), churn);
    assert_eq!(figures(&["--metrics", "churn", "--last", "1"]), churn[..1]);
    let loc = [
        row("3", "loc", "1"),
        row("2", "loc", "1"),
        row("1", "loc", "1"),
    ];
    assert_eq!(figures(&["--metrics", "loc"]), loc);
    // Said where it was done, and not again.
    let said = |revision: &str| repo.stdout(&["show", revision]).contains("class-changed");
    assert!(said("evolve/exp/arm/1~2"));
    assert!(!said("evolve/exp/arm/1"));
}

#[test]
fn what_is_not_committed_stands_where_head_is_in_its_chain() {
    let (repo, _) = begun("exp/arm/1");
    for k in 1..=3 {
        let body = format!("class A {{\n    int f() {{\n        return {k};\n    }}\n}}\n");
        repo.write("A.java", &body);
        repo.write(&format!("B{k}.java"), "class B {}\n");
        repo.commit(&format!(
            "Do {k}\n\nEvolve-Chain: exp/arm/1\nEvolve-Checkpoint: {k} s{k}\nEvolve-Role: agent\n"
        ));
    }
    repo.git(&["checkout", "-q", "--detach", "evolve/exp/arm/1~1"]);
    repo.write(
        "A.java",
        "class A {\n    int f() {\n        return 9;\n    }\n}\n",
    );
    let words = [
        "--format",
        "json",
        "--metrics",
        "loc,reedit_settled_rate,churn",
    ];
    let shown = repo.stdout(&[&["show", "--worktree"], &words[..]].concat());
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    // A (5 lines), B1 and B2, not the tip's B3.
    assert_eq!(shown["metrics"]["loc"]["value"], 7);
    // The line it replaces is of checkpoint 2, just before it; the next edit will find it settled.
    assert_eq!(shown["metrics"]["reedit_settled_rate"]["num"], 0);
    assert_eq!(shown["standings"]["churn"]["of"], 2);
    repo.write(
        "A.java",
        "class A {\n    int g() {\n        return 2;\n    }\n}\n",
    );
    let shown = repo.stdout(&[&["show", "--worktree"], &words[..]].concat());
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    // `int f()` is of checkpoint 1, two before the one this would be.
    assert_eq!(shown["metrics"]["reedit_settled_rate"]["num"], 1);
}
