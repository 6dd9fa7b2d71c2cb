//! Which of several lines counts, in every clone alike.

use git_evolve::ledger::{Batch, Chains, append, chains};
use git_evolve::record::{Body, Checkpoint, Event, ObjectName, Role};
use git_evolve::repo::Repo as Opened;

use super::{BRANCH, Carrying, Deed, Ground, KEEP, PATH, called, entry, figures, record};
use crate::support::Repo;

fn find(dir: &std::path::Path) -> Chains {
    let opened = Opened::discover(dir).expect("found");
    let reader = opened.reader().expect("read");
    let mut found = chains(&reader).expect("chains");
    found.note_gaps(&reader).expect("noted");
    found
}

fn tip(dir: &std::path::Path) -> String {
    let found = find(dir);
    assert_eq!(found.chains.len(), 1, "{found:?}");
    found.chains[0].tip.to_string()
}

/// A base on `main` and two lines from it with one agent commit each, on branches `one` and `two`.
fn two_lines() -> (Repo, [String; 2]) {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    repo.commit("project");
    repo.git(&["checkout", "-q", "-b", "one"]);
    repo.commit(&super::message(0, "base"));
    repo.git(&["branch", "two"]);
    let line = |branch: &str| {
        repo.git(&["checkout", "-q", branch]);
        repo.write("A.java", format!("class A {{ int {branch}; }}\n"));
        repo.commit(&super::message(1, "agent"))
    };
    let lines = ["one", "two"].map(line);
    (repo, lines)
}

#[test]
fn of_diverged_lines_the_one_that_was_recorded_first_counts_in_every_clone() {
    for first in [0, 1] {
        let (repo, lines) = two_lines();
        assert_eq!(
            tip(repo.path()),
            *lines.iter().min().expect("two"),
            "without records the smaller id counts"
        );
        record(&repo, &lines[1 - first]);
        // A record alone is better than none.
        assert_eq!(tip(repo.path()), lines[1 - first]);
        let second = repo.git(&["rev-parse", "refs/notes/evolve/checkpoint"]);
        repo.git(&["update-ref", "-d", "refs/notes/evolve/checkpoint"]);
        record(&repo, &lines[first]);
        repo.git(&[
            "update-ref",
            "refs/evolve/remotes/other/checkpoint",
            &second,
        ]);
        // Both are recorded now, the other one earlier.
        assert_eq!(tip(repo.path()), lines[1 - first]);
        let from = repo.path().display().to_string();
        repo.git(&["clone", "-q", "--mirror", &from, "../mirror.git"]);
        assert_eq!(tip(&repo.around().join("mirror.git")), lines[1 - first]);
        let said = &find(repo.path()).chains[0].notes[0];
        assert!(said.contains("diverged after"), "{said}");
    }
}

#[test]
fn an_inherited_record_ranks_below_an_own_one_of_whatever_age() {
    let (repo, [one, two]) = two_lines();
    record(&repo, &one);
    // The older record is copied to the other line, whose own is made after it.
    let notes = ["notes", "--ref=refs/notes/evolve/checkpoint"];
    let copy = |from: &str, to: &str| repo.git(&[notes[0], notes[1], "copy", "-f", from, to]);
    copy(&one, &two);
    assert_eq!(tip(repo.path()), one);
    repo.git(&[notes[0], notes[1], "remove", &one]);
    assert_eq!(
        tip(repo.path()),
        two,
        "an inherited one is better than none"
    );
    record(&repo, &one);
    assert_eq!(tip(repo.path()), one, "and worse than a younger own one");
}

#[test]
fn a_whole_rewritten_branch_takes_over_when_it_is_told_to_in_every_clone() {
    let ground = Ground::new(Carrying::Nothing);
    let (_, before, _) = ground.log();
    ground.does(Deed::Rebase);
    let rebased = ground.git(&["rev-parse", BRANCH]);
    let original = ground.git(&["rev-parse", KEEP]);
    assert_eq!(tip(ground.repo.path()), original);
    let (code, findings, _) = ground.reconcile(&[PATH]);
    assert_eq!(code, Some(1));
    let [rewritten] = called(&findings, "rewritten")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(rewritten["ref"], "refs/evolve/rewritten/exp/arm/1/2");
    let (code, _, said) = ground.reconcile(&[PATH, "--apply"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(&format!(
            "undo: git update-ref -d refs/evolve/rewritten/exp/arm/1/2 {rebased}"
        )),
        "{said}"
    );
    assert_eq!(tip(ground.repo.path()), rebased);
    assert_eq!(figures(&ground.log().1), figures(&before));
    let (code, findings, _) = ground.reconcile(&[]);
    assert_eq!(code, Some(0), "{findings:?}");

    // A clone has branches and notes, and none of our own refs.
    ground.git(&["branch", "-f", "original", &original]);
    let from = ground.repo.path().display().to_string();
    ground.git(&["clone", "-q", &from, "../plain"]);
    let plain = ground.repo.around().join("plain");
    let notes = "refs/notes/evolve/*:refs/notes/evolve/*";
    ground.git(&[
        "-C",
        plain.to_str().expect("UTF-8"),
        "fetch",
        "-q",
        "origin",
        notes,
    ]);
    assert_eq!(tip(&plain), rebased);

    // And back again.
    ground.git(&["update-ref", "-d", "refs/evolve/rewritten/exp/arm/1/2"]);
    ground.git(&["update-ref", "-d", "refs/notes/evolve/checkpoint"]);
    assert_eq!(tip(ground.repo.path()), original);
}

#[test]
fn a_line_rewritten_in_part_never_takes_over() {
    let ground = Ground::new(Carrying::ByGit);
    ground.does(Deed::Squash);
    let (code, findings, _) = ground.reconcile(&[]);
    assert_eq!(code, Some(0), "{findings:?}");
    let [rewritten] = called(&findings, "rewritten")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(rewritten["proposed"], false);
    assert_eq!(rewritten["checkpoints"], "51-52");
    let [collapsed] = called(&findings, "collapsed")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(collapsed["old"].as_array().map(Vec::len), Some(4));
    assert_eq!(collapsed["checkpoints"], "51-52");
}

#[test]
fn commits_joined_without_a_word_are_told_by_their_trees() {
    let ground = Ground::new(Carrying::Nothing);
    // Checkpoint 60, its agent and reset commit, made one under the agent's message.
    let agent = ground.id(60, "agent");
    ground.git(&["reset", "-q", "--soft", "HEAD~1"]);
    let message = super::message(60, "agent");
    ground.git(&["commit", "-q", "--amend", "-m", &message]);
    let (_, findings, _) = ground.reconcile(&[]);
    let [collapsed] = called(&findings, "collapsed")[..] else {
        panic!("{findings:?}")
    };
    let old = collapsed["old"].as_array().expect("commits");
    assert_eq!((old.len(), &old[0]), (2, &serde_json::json!(agent)));
}

#[test]
fn a_renamed_chain_goes_by_the_newest_name_and_answers_to_the_first() {
    let ground = Ground::new(Carrying::Nothing);
    let base = ground.id(0, "base");
    let ids = ground.git(&["log", "-1", "--format=%H %T %P", &base]);
    let ids: Vec<&str> = ids.split(' ').collect();
    let opened = Opened::discover(ground.repo.path()).expect("found");
    for to in ["exp/arm/7", "other/arm/7", "not a path"] {
        let mut says = Checkpoint::of(Event::Rename);
        says.renamed_to = Some(to.to_owned());
        let place = (0, "base", Role::Base);
        let entries = vec![entry([ids[0], ids[1], ids[2]], place, Body::from(says))];
        let configs = Vec::new();
        append(&opened, Batch { entries, configs }).expect("written");
    }
    let found = find(ground.repo.path());
    let chain = &found.chains[0];
    assert_eq!(chain.label, "other/arm/7");
    assert_eq!(chain.begun_as.to_string(), PATH);
    for name in ["other/arm/7", PATH] {
        assert_eq!(found.named(name).count(), 1, "{name}");
    }
    let (code, log, said) = ground.log();
    assert_eq!(code, Some(0), "{said}");
    assert!(log.contains("\"path\":\"other/arm/7\""), "{log}");
}

#[test]
fn a_record_that_trailers_contradict_is_said_and_does_not_count() {
    let ground = Ground::new(Carrying::Nothing);
    let agent = ground.id(7, "agent");
    let stranger = ground.id(9, "agent");
    let notes = [
        "notes",
        "--ref=refs/notes/evolve/checkpoint",
        "append",
        "-C",
    ];
    let blob = ground.git(&[
        "notes",
        "--ref=refs/notes/evolve/checkpoint",
        "list",
        &stranger,
    ]);
    ground.git(&[notes[0], notes[1], notes[2], notes[3], &blob, &agent]);
    let (_, before, _) = Ground::new(Carrying::Nothing).log();
    let (code, log, said) = ground.log();
    assert_eq!((code, log), (Some(0), before));
    let told = format!(
        "{}: it is the agent commit of checkpoint 7, a record on it is of the agent commit of checkpoint 9",
        &agent[..7]
    );
    assert!(said.contains(&told), "{said}");
}

#[test]
fn an_adoption_says_what_a_commit_without_trailers_is() {
    let (repo, [one, _]) = two_lines();
    record(&repo, &one);
    repo.git(&["checkout", "-q", "one"]);
    repo.git(&["branch", "-q", "-D", "two"]);
    repo.write("A.java", "class A { int other; }\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--amend", "-m", "said otherwise"]);
    repo.git(&["branch", "-q", "-m", BRANCH]);
    assert_eq!(find(repo.path()).chains[0].line[1].role, Role::Foreign);
    let ids = repo.git(&["log", "-1", "--format=%H %T %P"]);
    let ids: Vec<&str> = ids.split(' ').collect();
    let mut says = Checkpoint::of(Event::Adopt);
    says.adopts = ObjectName::parse(&one);
    let place = (1, "step-1", Role::Agent);
    let entries = vec![entry([ids[0], ids[1], ids[2]], place, Body::from(says))];
    let opened = Opened::discover(repo.path()).expect("found");
    append(
        &opened,
        Batch {
            entries,
            configs: Vec::new(),
        },
    )
    .expect("written");
    let found = find(repo.path());
    let adopted = &found.chains[0].line[1];
    assert_eq!((adopted.role, adopted.checkpoint), (Role::Agent, 1));
    assert_eq!(adopted.checkpoint_id, "step-1");
}
