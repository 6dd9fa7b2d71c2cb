//! What goes out, what is asked before, what is said after.

use super::*;

#[test]
fn an_ordinary_push_leaves_the_records_behind_and_ours_publishes_them() {
    let field = Field::new();
    field.repo.git(&["push", "-q", "origin", "main"]);
    field.repo.git(&["push", "-q", "--all"]);
    assert_eq!(field.refs(&field.server, "refs/notes"), "");

    let said = field.good(field.repo.path(), &["push", "--yes"]);
    assert!(
        said.contains("published 3 records (checkpoint 3)"),
        "{said}"
    );
    let notes = field.has(&field.server, NOTES);
    assert!(notes.is_some());
    assert_eq!(notes, field.has(field.repo.path(), NOTES));
    assert_eq!(
        notes,
        field.has(&field.server, "refs/heads/evolve-notes/checkpoint")
    );
    // The tracking ref equals what the remote has.
    let tracking = "refs/evolve/remotes/origin/checkpoint";
    assert_eq!(notes, field.has(field.repo.path(), tracking));
    let branch = format!("refs/heads/evolve/{PATH}");
    assert_eq!(
        field.has(&field.server, &branch).as_ref(),
        field.chain.last()
    );
}

#[test]
fn the_first_push_to_a_remote_asks_and_sends_nothing_unasked() {
    let field = Field::new();
    // A branch that somebody pushed by hand is no consent to the records.
    let branch = format!("refs/heads/evolve/{PATH}");
    field.git(field.repo.path(), &["push", "-q", "origin", &branch]);
    let before = field.refs(&field.server, "refs");
    let said = field.bad(field.repo.path(), &["push"], 2);
    assert!(said.contains("checkpoint 3 records"), "{said}");
    assert!(said.contains("--yes"), "{said}");
    assert_eq!(field.refs(&field.server, "refs"), before);

    field.good(field.repo.path(), &["push", "--yes"]);
    record(field.repo.path(), &field.chain[1]);
    let said = field.good(field.repo.path(), &["push"]);
    assert!(said.contains("published 1 record (checkpoint 1)"), "{said}");
    let said = field.good(field.repo.path(), &["push"]);
    assert!(said.contains("nothing new to publish"), "{said}");
}

#[test]
fn a_dry_run_says_what_would_go_out_and_changes_nothing_anywhere() {
    let field = Field::new();
    let state = |f: &Field| (f.refs(&f.server, "refs"), f.refs(f.repo.path(), "refs"));
    let before = state(&field);
    let out = field.evolve(field.repo.path(), &["push", "--dry-run"]);
    assert_eq!(out.status.code(), Some(0));
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(text.contains("1 chain: demo/plain/1"), "{text}");
    assert!(text.contains("checkpoint 3 records, "), "{text}");
    assert_eq!(state(&field), before);

    field.good(field.repo.path(), &["push", "--yes"]);
    let text = field.repo.stdout(&["push", "-n"]);
    assert!(text.starts_with("nothing to publish"), "{text}");
}

#[test]
fn a_plain_clone_of_what_was_pushed_is_complete() {
    let field = Field::published();
    let plain = field.clone("plain", &[]);
    let notes = "refs/remotes/origin/evolve-notes/checkpoint";
    let all = records_at(&field.repo, &plain, notes);
    assert_eq!(all, field.records(field.repo.path()));
    assert_eq!(all.len(), 3);
    let tip = field.has(&plain, &format!("refs/remotes/origin/evolve/{PATH}"));
    assert_eq!(tip.as_ref(), field.chain.last());
    // Where a clone is cut to one branch, one command brings the rest.
    let shallow = field.clone("shallow", &["--depth=1"]);
    assert_eq!(field.refs(&shallow, "refs/remotes/origin/evolve-notes"), "");
    field.good(&shallow, &["fetch"]);
    assert_eq!(field.records(&shallow), all);
}

#[test]
fn a_chain_that_the_remote_has_otherwise_goes_beside_it_and_nothing_is_forced() {
    let field = Field::published();
    let dir = field.repo.path();
    let branch = format!("refs/heads/evolve/{PATH}");
    let mine = commit_on(&field.repo, dir, &field.chain[2], "mine", Some((PATH, 2)));
    // Somebody else continued the same chain and was first.
    let other = field.clone("other", &[]);
    let theirs = commit_on(
        &field.repo,
        &other,
        &field.chain[2],
        "theirs",
        Some((PATH, 2)),
    );
    field.git(
        &other,
        &["push", "-q", "origin", &format!("{theirs}:{branch}")],
    );
    for name in [&branch, &format!("refs/evolve/chains/{PATH}")] {
        field.git(dir, &["update-ref", name, &mine]);
    }
    let said = field.good(dir, &["push"]);
    assert!(said.contains("is not the chain as recorded"), "{said}");
    assert_eq!(field.has(&field.server, &branch), Some(theirs));
    let kept = format!("refs/heads/evolve-kept/{PATH}/{}", &mine[..12]);
    assert_eq!(field.has(&field.server, &kept), Some(mine));
    let said = field.good(dir, &["push"]);
    assert!(!said.contains("kept commit"), "nothing goes twice: {said}");
}

#[test]
fn a_chain_moves_forward_on_the_remote() {
    let field = Field::published();
    let dir = field.repo.path();
    let next = commit_on(&field.repo, dir, &field.chain[2], "next", Some((PATH, 2)));
    let branch = format!("refs/heads/evolve/{PATH}");
    for name in [&branch, &format!("refs/evolve/chains/{PATH}")] {
        field.git(dir, &["update-ref", name, &next]);
    }
    field.good(dir, &["push"]);
    assert_eq!(field.has(&field.server, &branch), Some(next));
    assert_eq!(field.refs(&field.server, "refs/heads/evolve-kept"), "");
}

#[test]
fn work_that_is_not_recorded_yet_is_not_published() {
    let field = Field::new();
    let dir = field.repo.path();
    let half = commit_on(&field.repo, dir, &field.chain[2], "half done", None);
    let branch = format!("refs/heads/evolve/{PATH}");
    field.git(dir, &["update-ref", &branch, &half]);
    field.good(dir, &["push", "--yes"]);
    assert_eq!(
        field.has(&field.server, &branch).as_ref(),
        field.chain.last()
    );
    let kind = field
        .repo
        .command("git", &field.server)
        .args(["cat-file", "-t", &half])
        .output();
    assert!(
        !kind.expect("git runs").status.success(),
        "the half-done commit went out"
    );
}

#[test]
fn kept_commits_go_beside_the_chain_and_a_taken_number_is_not_overwritten() {
    let field = Field::new();
    let dir = field.repo.path();
    let base = &field.chain[0];
    let folded = commit_on(&field.repo, dir, base, "folded", None);
    let failed = commit_on(&field.repo, dir, base, "failed", None);
    let rewritten = commit_on(
        &field.repo,
        dir,
        &field.chain[1],
        "rewritten",
        Some((PATH, 2)),
    );
    for (name, commit) in [
        (format!("refs/evolve/agent/{PATH}/1/1"), &folded),
        (format!("refs/evolve/attempts/{PATH}/1/1"), &failed),
        (format!("refs/evolve/rewritten/{PATH}/2"), &rewritten),
    ] {
        field.git(dir, &["update-ref", &name, commit]);
    }
    let taken = format!("refs/heads/evolve-kept/{PATH}/attempt/1/1");
    field.git(dir, &["push", "-q", "origin", &format!("{base}:{taken}")]);
    field.good(dir, &["push", "--yes"]);
    let kept = |name: &str| {
        field.has(
            &field.server,
            &format!("refs/heads/evolve-kept/{PATH}/{name}"),
        )
    };
    assert_eq!(kept("agent/1/1"), Some(folded));
    assert_eq!(kept("attempt/1/1").as_ref(), Some(base));
    assert_eq!(kept(&format!("attempt/1/{}", &failed[..12])), Some(failed));
    assert_eq!(kept(&rewritten[..12]), Some(rewritten));
}

#[test]
fn two_chains_of_one_path_are_both_published() {
    let field = Field::new();
    let dir = field.repo.path();
    let keep = format!("refs/evolve/chains/{PATH}");
    let first = field.chain[2].clone();
    let second = chain(&field.repo, dir, PATH);
    // As `begin --again` leaves it: the branch is the second's.
    let again = format!("{keep}@{}", &second[0][..12]);
    field.git(dir, &["update-ref", &again, &second[2]]);
    field.git(dir, &["update-ref", &keep, &first]);
    field.good(dir, &["push", "--yes"]);
    let there = field.has(&field.server, &format!("refs/heads/evolve/{PATH}"));
    assert_eq!(there.as_ref(), Some(&second[2]));
    let kept = format!("refs/heads/evolve-kept/{PATH}/{}", &first[..12]);
    assert_eq!(field.has(&field.server, &kept), Some(first));
}

#[test]
fn records_that_a_mirror_push_erased_are_put_back() {
    let field = Field::published();
    let bystander = field.clone("bystander", &[]);
    field.git(&bystander, &["push", "-q", "--mirror"]);
    assert_eq!(field.refs(&field.server, "refs/notes"), "");
    field.git(
        &field.server,
        &["update-ref", "-d", "refs/heads/evolve-notes/checkpoint"],
    );

    let said = field.good(field.repo.path(), &["fetch"]);
    assert!(
        said.contains("had 3 records (checkpoint 3) that it has no more"),
        "{said}"
    );
    let said = field.good(field.repo.path(), &["push"]);
    assert!(said.contains("put back"), "{said}");
    let there = records_at(&field.repo, &field.server, NOTES);
    assert_eq!(there, field.records(field.repo.path()));
    assert_eq!(there.len(), 3);
}

#[test]
fn a_remote_that_was_set_back_is_merged_and_not_believed() {
    let field = Field::published();
    let dir = field.repo.path();
    let old = field.has(dir, NOTES).expect("notes");
    record(dir, &field.chain[2]);
    field.good(dir, &["push"]);
    for name in [NOTES, "refs/heads/evolve-notes/checkpoint"] {
        field.git(&field.server, &["update-ref", name, &old]);
    }
    // Nothing but the tracking refs has them: the local notes are gone.
    let all = field.records(dir);
    field.git(dir, &["update-ref", "-d", NOTES]);
    let said = field.good(dir, &["fetch"]);
    assert!(
        said.contains("had 1 record (checkpoint 1) that it has no more"),
        "{said}"
    );
    assert_eq!(field.records(dir), all);
    field.good(dir, &["push"]);
    assert_eq!(records_at(&field.repo, &field.server, NOTES), all);
}

#[test]
fn the_users_configuration_is_never_written() {
    let field = Field::new();
    let config = || std::fs::read(field.repo.path().join(".git/config")).expect("read");
    let before = config();
    field.good(field.repo.path(), &["push", "--yes"]);
    field.good(field.repo.path(), &["fetch"]);
    assert_eq!(config(), before);
    // So a plain push still sends the branch.
    field.git(field.repo.path(), &["config", "push.default", "matching"]);
    let next = field.repo.commit("next");
    field.repo.git(&["push", "-q"]);
    assert_eq!(field.has(&field.server, "refs/heads/main"), Some(next));
}

#[test]
fn notes_that_hosts_may_refuse_and_payloads_that_stay_are_named_before() {
    let field = Field::new();
    let dir = field.repo.path();
    let large = dir.join(".git/evolve/large");
    std::fs::create_dir_all(&large).expect("a folder");
    let digest = "ab".repeat(32);
    std::fs::write(large.join(&digest), [0; 2048]).expect("written");
    let text = format!("{{\"x\":\"{}\"}}\n", "y".repeat(51 << 20));
    std::fs::write(field.at("big"), text).expect("written");
    let big = field.at("big");
    let big = big.to_str().expect("utf-8");
    let commit = &field.chain[1];
    field.git(
        dir,
        &[
            "notes",
            "--ref",
            "refs/notes/evolve/raw",
            "add",
            "-F",
            big,
            commit,
        ],
    );
    let said = field.repo.stdout(&["push", "--dry-run"]);
    let note = format!("the raw note of {} has 51.0 MiB", &commit[..7]);
    assert!(said.contains(&note), "{said}");
    let payload = format!("payload {digest} (2.0 KiB) is over the cap and stays here");
    assert!(said.contains(&payload), "{said}");
}
