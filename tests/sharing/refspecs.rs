//! Settings of the user's and of other tools that delete or overwrite what was fetched.

use super::*;

/// A clone with records, a record of its own that nobody else has, and one on the server that it
/// has not seen.
fn diverged() -> (Field, PathBuf, String) {
    let field = Field::published();
    let clone = field.clone("clone", &[]);
    field.good(&clone, &["fetch"]);
    record(field.repo.path(), &field.chain[1]);
    field.good(field.repo.path(), &["push"]);
    let mine = record(&clone, &field.chain[2]);
    (field, clone, mine)
}

fn assert_union(field: &Field, clone: &Path, mine: &str) {
    let all = field.records(clone);
    assert_eq!(all.len(), 5);
    assert!(all.iter().any(|(_, id)| id == mine), "my record is gone");
    assert!(all.is_superset(&field.records(field.repo.path())));
}

#[test]
fn a_forced_notes_refspec_takes_no_record_from_us() {
    let (field, clone, mine) = diverged();
    let forced = "+refs/notes/evolve/*:refs/notes/evolve/*";
    field.git(&clone, &["config", "--add", "remote.origin.fetch", forced]);
    field.good(&clone, &["fetch"]);
    assert_union(&field, &clone, &mine);
    field.good(&clone, &["push"]);
    assert_union(&field, &clone, &mine);
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 5);
}

#[test]
fn an_unforced_notes_refspec_does_not_stop_us_when_notes_diverge() {
    let (field, clone, mine) = diverged();
    let unforced = "refs/notes/evolve/*:refs/notes/evolve/*";
    field.git(
        &clone,
        &["config", "--add", "remote.origin.fetch", unforced],
    );
    let plain = field
        .repo
        .command("git", &clone)
        .args(["fetch", "-q"])
        .output();
    assert!(
        !plain.expect("git runs").status.success(),
        "git itself stops here"
    );
    field.good(&clone, &["fetch"]);
    assert_union(&field, &clone, &mine);
}

#[test]
fn a_remote_without_records_is_no_failure() {
    let field = Field::without_records();
    let clone = field.clone("clone", &[]);
    let said = field.good(&clone, &["fetch"]);
    assert!(said.contains("has no records"), "{said}");
    assert_eq!(field.refs(&clone, "refs/notes"), "");
    assert_eq!(field.refs(&clone, "refs/evolve"), "");
}

#[test]
fn pruning_settings_delete_nothing() {
    let (field, clone, mine) = diverged();
    for (key, value) in [
        ("fetch.prune", "true"),
        ("fetch.pruneTags", "true"),
        ("remote.origin.prune", "true"),
        ("remote.origin.pruneTags", "true"),
        ("remote.origin.tagOpt", "--tags"),
    ] {
        field.git(&clone, &["config", key, value]);
    }
    let wild = "refs/notes/evolve/*:refs/notes/evolve/*";
    field.git(&clone, &["config", "--add", "remote.origin.fetch", wild]);
    field.git(&clone, &["tag", "mine"]);
    field.git(&clone, &["update-ref", "refs/notes/evolve/tests", NOTES]);
    field.git(&clone, &["update-ref", "refs/remotes/origin/old", "HEAD"]);
    field.git(&field.server, &["tag", "theirs", "main"]);
    field.good(&clone, &["fetch"]);
    assert_union(&field, &clone, &mine);
    assert!(field.has(&clone, "refs/tags/mine").is_some());
    assert!(
        field.has(&clone, "refs/tags/theirs").is_none(),
        "tags are the user's"
    );
    assert!(field.has(&clone, "refs/notes/evolve/tests").is_some());
    assert!(field.has(&clone, "refs/remotes/origin/old").is_some());
    let log = field.git(&clone, &["reflog", "show", NOTES]);
    assert!(log.lines().count() >= 2, "{log}");
}

#[test]
fn the_safe_refspec_and_ours_live_together_and_the_push_is_a_fast_forward() {
    let (field, clone, mine) = diverged();
    let safe = "+refs/notes/evolve/*:refs/evolve/remotes/origin/*";
    field.git(&clone, &["config", "--add", "remote.origin.fetch", safe]);
    field.git(&clone, &["config", "fetch.prune", "true"]);
    field.git(&clone, &["fetch", "-q"]);
    let before = field.has(&field.server, NOTES).expect("notes");
    field.git(
        &field.server,
        &["config", "receive.denyNonFastForwards", "true"],
    );
    field.good(&clone, &["push"]);
    assert_union(&field, &clone, &mine);
    let after = field.has(&field.server, NOTES).expect("notes");
    field.git(
        &field.server,
        &["merge-base", "--is-ancestor", &before, &after],
    );
    // A blanket push of notes does not publish what was fetched.
    field.git(&clone, &["push", "-q", "origin", "refs/notes/*"]);
    assert_eq!(field.refs(&field.server, "refs/evolve"), "");
}

#[test]
fn nothing_of_the_users_moves_but_our_refs() {
    let field = Field::published();
    let clone = field.clone("clone", &["--single-branch"]);
    std::fs::write(clone.join("f"), "half an edit\n").expect("written");
    field.git(&clone, &["fetch", "-q"]);
    let state = |clone: &Path| {
        let read = |name: &str| std::fs::read(clone.join(".git").join(name)).expect("read");
        (
            ["FETCH_HEAD", "HEAD", "config", "index"].map(read),
            field.git(clone, &["status", "--porcelain"]),
            field.refs(clone, "refs/heads"),
        )
    };
    let before = state(&clone);
    field.repo.commit("more");
    field.repo.git(&["push", "-q", "origin", "main"]);
    field.good(&clone, &["fetch"]);
    assert_eq!(state(&clone), before);
    let tracked = field.refs(&clone, "refs/remotes/origin");
    assert!(
        tracked.contains(&format!("refs/remotes/origin/evolve/{PATH} ")),
        "{tracked}"
    );
    assert_eq!(field.records(&clone).len(), 3);
}

#[test]
fn push_settings_of_the_user_change_nothing_of_what_we_send() {
    let field = Field::new();
    for (key, value) in [
        ("push.default", "nothing"),
        ("push.followTags", "true"),
        ("push.gpgSign", "true"),
        ("push.recurseSubmodules", "on-demand"),
        ("push.useForceIfIncludes", "true"),
        ("remote.origin.push", "refs/heads/main:refs/heads/elsewhere"),
    ] {
        field.repo.git(&["config", key, value]);
    }
    field
        .repo
        .git(&["tag", "-a", "-m", "x", "mine", &field.chain[2]]);
    field.good(field.repo.path(), &["push", "--yes"]);
    assert_eq!(field.refs(&field.server, "refs/tags"), "");
    assert_eq!(field.has(&field.server, "refs/heads/elsewhere"), None);
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
}

#[test]
fn no_garbage_collection_is_started_by_us() {
    let field = Field::new();
    for (key, value) in [
        ("gc.auto", "1"),
        ("gc.autoDetach", "false"),
        ("maintenance.auto", "true"),
    ] {
        field.repo.git(&["config", key, value]);
    }
    let trace = field.at("trace");
    for words in [&["push", "--yes"][..], &["fetch"]] {
        let out = field
            .repo
            .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.path())
            .args(words)
            .env("GIT_TRACE", &trace)
            .output()
            .expect("runs");
        assert!(out.status.success(), "{}", said(&out));
    }
    let trace = std::fs::read_to_string(trace).expect("a trace");
    assert!(
        trace.contains("git-upload-pack") || trace.contains("upload-pack"),
        "{trace}"
    );
    let packs = std::fs::read_dir(field.repo.path().join(".git/objects/pack")).expect("a folder");
    assert_eq!(packs.count(), 0, "something was packed: {trace}");
}
