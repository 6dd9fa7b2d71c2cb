//! Servers that refuse, hide or rewrite.

use super::*;

const RULE: &str = "while read o n r; do case $r in refs/notes/*) \
    echo 'notes are not welcome here' >&2; exit 1;; esac; done";

#[test]
fn a_server_that_refuses_notes_takes_all_the_rest() {
    let field = Field::new();
    hook(&field.server, "pre-receive", RULE);
    let said = field.bad(field.repo.path(), &["push", "--yes"], 1);
    assert!(
        said.contains("refused: refs/notes/evolve/checkpoint"),
        "{said}"
    );
    assert!(said.contains("notes are not welcome here"), "{said}");
    assert_eq!(field.refs(&field.server, "refs/notes"), "");
    let branch = format!("refs/heads/evolve/{PATH}");
    assert_eq!(
        field.has(&field.server, &branch).as_ref(),
        field.chain.last()
    );
    let notes = records_at(
        &field.repo,
        &field.server,
        "refs/heads/evolve-notes/checkpoint",
    );
    assert_eq!(notes.len(), 3, "the branch of the same commits went");
    // A plain push of the code is untouched, and so is what others read.
    field.repo.commit("more");
    field.repo.git(&["push", "-q", "origin", "main"]);
    let clone = field.clone("clone", &[]);
    field.good(&clone, &["fetch"]);
    assert_eq!(field.records(&clone).len(), 3);
}

#[test]
fn the_way_out_of_a_refusal_is_one_file_that_holds_everything() {
    let field = Field::new();
    let dir = field.repo.path();
    let failed = commit_on(&field.repo, dir, &field.chain[0], "failed", None);
    field.git(
        dir,
        &[
            "update-ref",
            &format!("refs/evolve/attempts/{PATH}/1/1"),
            &failed,
        ],
    );
    hook(&field.server, "pre-receive", "echo 'closed' >&2; exit 1");
    let said = field.bad(dir, &["push", "--yes"], 1);
    let line = said.lines().find_map(|l| l.split_once("as a file: "));
    let (_, line) = line.unwrap_or_else(|| panic!("no way out: {said}"));
    let out = field
        .repo
        .command("sh", dir)
        .args(["-c", line])
        .output()
        .expect("runs");
    assert!(out.status.success(), "{line}: {}", super::said(&out));

    let empty = field.clone("empty", &[]);
    let file = dir.join("evolve.bundle");
    field.good(&empty, &["fetch", file.to_str().expect("utf-8")]);
    assert_eq!(field.records(&empty), field.records(dir));
    assert_eq!(field.records(&empty).len(), 3);
    let refs = field.refs(&empty, "refs/evolve/remotes");
    assert!(
        refs.contains(&format!("/chains/{PATH} {}", field.chain[2])),
        "{refs}"
    );
    assert!(
        refs.contains(&format!("/attempts/{PATH}/1/1 {failed}")),
        "{refs}"
    );
}

#[test]
fn a_server_that_refuses_one_chain_takes_the_others() {
    let field = Field::new();
    let second = chain(&field.repo, field.repo.path(), "demo/plain/2");
    let third = chain(&field.repo, field.repo.path(), "demo/plain/3");
    hook(
        &field.server,
        "pre-receive",
        "while read o n r; do case $r in */demo/plain/2) echo 'not that one' >&2; exit 1;; esac; done",
    );
    let said = field.bad(field.repo.path(), &["push", "--yes"], 1);
    assert!(
        said.contains("refused: refs/heads/evolve/demo/plain/2"),
        "{said}"
    );
    assert!(said.contains("not that one"), "{said}");
    let has = |n: u32| field.has(&field.server, &format!("refs/heads/evolve/demo/plain/{n}"));
    assert_eq!(has(1).as_ref(), field.chain.last());
    assert_eq!(has(2), None);
    assert_eq!(has(3).as_ref(), third.last());
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
    std::fs::remove_file(field.server.join("hooks/pre-receive")).expect("removed");
    field.good(field.repo.path(), &["push"]);
    assert_eq!(has(2).as_ref(), second.last());
}

#[test]
fn hidden_notes_are_refused_in_words_and_read_from_the_branch() {
    let field = Field::new();
    field.git(
        &field.server,
        &["config", "transfer.hideRefs", "refs/notes"],
    );
    let said = field.bad(field.repo.path(), &["push", "--yes"], 1);
    assert!(
        said.contains("refused: refs/notes/evolve/checkpoint"),
        "{said}"
    );
    assert!(said.contains("[remote rejected]"), "{said}");
    let clone = field.clone("clone", &[]);
    let mine = record(&clone, &field.chain[0]);
    field.good(&clone, &["fetch"]);
    assert_eq!(field.records(&clone).len(), 4);
    field.bad(&clone, &["push"], 1);
    let there = records_at(
        &field.repo,
        &field.server,
        "refs/heads/evolve-notes/checkpoint",
    );
    assert!(there.iter().any(|(_, id)| *id == mine));
    assert_eq!(there.len(), 4);
}

#[test]
fn a_server_that_refuses_the_branches_of_notes_still_has_the_notes() {
    let field = Field::new();
    hook(
        &field.server,
        "update",
        "case $1 in refs/heads/evolve-notes/*) echo 'no such branch' >&2; exit 1;; esac",
    );
    let said = field.bad(field.repo.path(), &["push", "--yes"], 1);
    assert!(
        said.contains("refused: refs/heads/evolve-notes/checkpoint"),
        "{said}"
    );
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
    let branch = format!("refs/heads/evolve/{PATH}");
    assert_eq!(
        field.has(&field.server, &branch).as_ref(),
        field.chain.last()
    );
}

#[test]
fn a_compacted_remote_is_merged_as_any_other() {
    let field = Field::published();
    let other = field.clone("other", &[]);
    field.good(&other, &["fetch"]);
    let mine = record(&other, &field.chain[1]);
    // The server's notes were squashed into one commit without parents.
    let tree = field.git(&field.server, &["rev-parse", &format!("{NOTES}^{{tree}}")]);
    let root = field.git(
        &field.server,
        &[
            "-c",
            "user.name=s",
            "-c",
            "user.email=s@x",
            "commit-tree",
            &tree,
            "-m",
            "compact",
        ],
    );
    for name in [NOTES, "refs/heads/evolve-notes/checkpoint"] {
        field.git(&field.server, &["update-ref", name, &root]);
    }
    let said = field.good(&other, &["push"]);
    assert!(!said.contains("no more"), "nothing was lost: {said}");
    let there = records_at(&field.repo, &field.server, NOTES);
    assert_eq!(there.len(), 4);
    assert!(there.iter().any(|(_, id)| *id == mine));
}

#[test]
fn what_looks_like_a_credential_in_a_fetched_record_is_masked_here() {
    let field = Field::without_records();
    let commit = &field.chain[1];
    let entry = entry(field.repo.path(), commit);
    let text = String::from_utf8(entry.line.bytes().to_vec()).expect("UTF-8");
    // Split, so that this file itself holds no such thing.
    let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
    let leaky = text.replace("git-evolve test", &format!("git-evolve {token}"));
    assert!(leaky.contains(&token));
    std::fs::write(field.repo.path().join("leak"), &leaky).expect("written");
    field
        .repo
        .git(&["notes", "--ref", NOTES, "add", "-F", "leak", commit]);
    field
        .repo
        .git(&["push", "-q", "origin", NOTES, &format!("evolve/{PATH}")]);
    let clone = field.clone("clone", &[]);
    field.good(&clone, &["fetch"]);
    let note = field.git(&clone, &["notes", "--ref", NOTES, "show", commit]);
    assert!(
        !note.contains(&token) && note.contains("[masked]"),
        "{note}"
    );
    // Again and again changes nothing.
    let before = field.has(&clone, NOTES);
    let said = field.good(&clone, &["fetch"]);
    assert!(said.contains("no new records"), "{said}");
    assert_eq!(field.has(&clone, NOTES), before);
}

#[test]
fn a_branch_that_is_in_the_way_of_chains_does_not_stop_records() {
    let field = Field::new();
    field.git(&field.server, &["branch", "evolve", "main"]);
    let said = field.bad(field.repo.path(), &["push", "--yes"], 1);
    assert!(
        said.contains(&format!("refused: refs/heads/evolve/{PATH}")),
        "{said}"
    );
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
    // And here: what a clone has of a branch that is gone meanwhile.
    let clone = field.clone("clone", &[]);
    field.git(&field.server, &["branch", "-D", "evolve"]);
    record(field.repo.path(), &field.chain[0]);
    field.good(field.repo.path(), &["push"]);
    let said = field.bad(&clone, &["fetch"], 128);
    assert!(
        said.contains("refs/remotes/origin/evolve is in the way"),
        "{said}"
    );
    assert_eq!(field.records(&clone).len(), 4);
    field.git(&clone, &["update-ref", "-d", "refs/remotes/origin/evolve"]);
    field.good(&clone, &["fetch"]);
    assert!(
        field
            .has(&clone, &format!("refs/remotes/origin/evolve/{PATH}"))
            .is_some()
    );
}
