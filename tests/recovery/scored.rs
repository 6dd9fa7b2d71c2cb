//! The configuration that a chain's records name.

use git_evolve::ledger::{Batch, append};
use git_evolve::record::mask::Masker;
use git_evolve::record::{
    Body, Checkpoint, Configuration, Event, ObjectName, Role, snapshot_digest, snapshot_of,
};
use git_evolve::repo::Repo as Opened;

use super::{BRANCH, PATH, entry};
use crate::support::Repo;

/// A chain of two checkpoints whose base has an `evolve.toml`, on its branch.
fn chain(plan: &str) -> Repo {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    repo.commit("project");
    repo.git(&["checkout", "-q", "-b", BRANCH]);
    repo.write("evolve.toml", plan);
    repo.commit(&super::message(0, "base"));
    for k in 1..=2 {
        repo.write("A.java", format!("class A {{ int i{k}; }}\n"));
        repo.commit(&super::message(k, "agent"));
        repo.commit(&super::message(k, "reset"));
    }
    repo
}

/// Records the agent commit of checkpoint `k` as scored under `plan`; the note itself is written
/// where `noted`.
fn scored(repo: &Repo, k: u32, plan: &str, noted: bool) -> String {
    let note = snapshot_of(plan, &Masker::general()).expect("a plan");
    repo.write("../note.json", &note);
    let blob = repo.git(&["hash-object", "../note.json"]);
    std::fs::remove_file(repo.path().join("../note.json")).expect("removed");
    let mut says = Checkpoint::of(Event::Agent);
    says.config = Some(Configuration {
        blob: ObjectName::parse(&blob).expect("an id"),
        sha256: snapshot_digest(&note),
    });
    write(repo, k, says, noted.then_some(note));
    blob
}

fn write(repo: &Repo, k: u32, says: Checkpoint, note: Option<Vec<u8>>) {
    let at = format!("{BRANCH}~{}", 5 - 2 * k);
    let ids = repo.git(&["log", "-1", "--format=%H %T %P", &at]);
    let ids: Vec<&str> = ids.split(' ').collect();
    let id = format!("step-{k}");
    let place = (k, id.as_str(), Role::Agent);
    let batch = Batch {
        entries: vec![entry([ids[0], ids[1], ids[2]], place, Body::from(says))],
        configs: note.into_iter().collect(),
    };
    append(&Opened::discover(repo.path()).expect("found"), batch).expect("written");
}

/// What `show` prints as settings of the chain's log, and what was said.
fn settings(repo: &Repo, more: &[&str]) -> (Option<i32>, serde_json::Value, String) {
    let mut words = vec![
        "log",
        "--chain",
        PATH,
        "--metrics",
        "churn",
        "--format",
        "json",
    ];
    words.extend(more);
    let out = repo.evolve(&words);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let document = serde_json::from_slice::<serde_json::Value>(&out.stdout).unwrap_or_default();
    (out.status.code(), document["settings"].clone(), said)
}

#[test]
fn the_note_rules_over_the_tree_and_what_is_typed_over_the_note() {
    let repo = chain("[measure]\ncc_threshold = 5\nentry = 'tree'\n");
    let (_, tree, _) = settings(&repo, &[]);
    assert_eq!(
        (&tree["cc_threshold"], &tree["entry"]),
        (&5.into(), &"tree".into())
    );
    scored(
        &repo,
        2,
        "[measure]\ncc_threshold = 7\ncc_extreme_threshold = 20\n",
        true,
    );
    let (code, noted, said) = settings(&repo, &[]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(noted["cc_threshold"], 7);
    assert_eq!(noted["cc_extreme_threshold"], 20);
    assert_eq!(
        noted["entry"], "tree",
        "what the note does not say the tree says"
    );
    let (_, typed, _) = settings(&repo, &["--cc-threshold", "9"]);
    assert_eq!(
        (&typed["cc_threshold"], &typed["cc_extreme_threshold"]),
        (&9.into(), &20.into())
    );
}

#[test]
fn of_several_the_last_checkpoints_counts_and_it_is_said() {
    let repo = chain("");
    scored(&repo, 2, "[measure]\ncc_threshold = 7\n", true);
    let (_, _, said) = settings(&repo, &[]);
    assert_eq!(said, "");
    scored(&repo, 1, "[measure]\ncc_threshold = 6\n", true);
    let (code, noted, said) = settings(&repo, &[]);
    assert_eq!((code, &noted["cc_threshold"]), (Some(0), &7.into()));
    assert!(
        said.contains("scored under the configuration of checkpoint 2"),
        "{said}"
    );
    assert!(said.contains("checkpoint 1 had another"), "{said}");
    // The newest record of that commit, by its id.
    scored(&repo, 2, "[measure]\ncc_threshold = 8\n", true);
    assert_eq!(settings(&repo, &[]).1["cc_threshold"], 8);
}

#[test]
fn a_note_that_is_not_here_fails_the_request_unless_the_tree_has_the_same() {
    let plan = "[measure]\ncc_threshold = 5\n";
    let repo = chain(plan);
    let blob = scored(
        &repo,
        2,
        "# the same\nmeasure = { cc_threshold = 5 }\n",
        false,
    );
    let (code, same, said) = settings(&repo, &[]);
    assert_eq!((code, &same["cc_threshold"]), (Some(0), &5.into()));
    let told = format!("configuration {} of chain {PATH} is not here", &blob[..7]);
    assert_eq!(said.matches(&told).count(), 1, "{said}");
    assert!(said.contains("`git evolve fetch` brings it"), "{said}");

    scored(&repo, 2, "[measure]\ncc_threshold = 6\n", false);
    for words in [["log", "--chain", PATH], ["slope", "--metrics", "churn"]] {
        let out = repo.evolve(&words);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(3), "{words:?} {said}");
        assert!(out.stdout.is_empty(), "{words:?}");
        assert!(
            said.contains("is not in this repository, and the figures depend on it"),
            "{said}"
        );
        assert!(
            said.contains("hint: `git evolve fetch` brings it"),
            "{said}"
        );
    }
}

#[test]
fn a_note_that_is_not_what_the_record_names_is_refused() {
    let repo = chain("");
    let note = snapshot_of("[measure]\ncc_threshold = 7\n", &Masker::general()).expect("a plan");
    let blob = scored(&repo, 1, "[measure]\ncc_threshold = 7\n", true);
    let mut says = Checkpoint::of(Event::Agent);
    says.config = Some(Configuration {
        blob: ObjectName::parse(&blob).expect("an id"),
        sha256: snapshot_digest(b"{}"),
    });
    write(&repo, 2, says, Some(note));
    let (code, _, said) = settings(&repo, &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("its digest is another"), "{said}");
}

#[test]
fn a_note_out_of_form_is_wrong_usage_as_a_file_is() {
    let repo = chain("");
    scored(&repo, 2, "[measure]\nlokback = 7\n", true);
    let (code, _, said) = settings(&repo, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("unknown key 'lokback' in [measure]"),
        "{said}"
    );
    assert!(said.contains("did you mean 'lookback'?"), "{said}");
}
