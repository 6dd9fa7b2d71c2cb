//! The pre-push hook, where it is asked to publish.

use super::*;

const NOTES: &str = "refs/notes/evolve/checkpoint";

/// A repository with a server, a chain of one base commit, and the hooks.
fn field() -> Repo {
    let repo = repository();
    repo.git(&["init", "-q", "--bare", "-b", "main", "../server"]);
    repo.git(&["remote", "add", "origin", "../server"]);
    repo.git(&["push", "-q", "origin", "main"]);
    repo.git(&["checkout", "-q", "-b", "evolve/shop/plain/1"]);
    repo.commit(
        "base\n\nEvolve-Chain: shop/plain/1\nEvolve-Checkpoint: 0 base\nEvolve-Role: base\n\
         Evolve-Begin: 0192f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e\n",
    );
    hooks(&repo, "install");
    note(&repo, 1);
    repo
}

/// Puts record `n` on HEAD.
fn note(repo: &Repo, n: u32) {
    let of = |what: &str| repo.git(&["rev-parse", what]);
    let value = serde_json::json!({
        "at": "2026-11-30T07:12:09.123Z", "begin": "0192f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e",
        "chain": "shop/plain/1", "checkpoint": 0, "checkpoint_id": "base", "commit": of("HEAD"),
        "event": "begin", "id": format!("0192f0c6-1000-7abc-8def-{n:012}"),
        "kind": "checkpoint", "parent": of("HEAD^"), "role": "base",
        "tool": "git-evolve 0.1.0", "tree": of("HEAD^{tree}"), "v": 1,
    });
    let file = repo.around().join("note");
    std::fs::write(&file, format!("{value}\n")).expect("written");
    let blob = repo.git(&["hash-object", "-w", file.to_str().expect("UTF-8")]);
    let notes = format!("--ref={NOTES}");
    repo.git(&["notes", &notes, "add", "-f", "-C", &blob]);
}

/// Pushes, expects success, gives what our hook said.
fn push(repo: &Repo, words: &[&str]) -> Vec<String> {
    let mut command = repo.command("git", repo.path());
    let done = command.args(["push", "-q", "origin"]).args(words).output();
    let done = done.expect("git runs");
    assert!(done.status.success(), "{}", err(&done));
    let said = err(&done);
    let ours = said.lines().filter(|l| l.starts_with("git-evolve: "));
    ours.map(str::to_owned).collect()
}

fn there(repo: &Repo, name: &str) -> String {
    repo.git(&[
        "--git-dir=../server",
        "for-each-ref",
        "--format=%(objectname)",
        name,
    ])
}

#[test]
fn a_push_publishes_nothing_unless_asked_and_nothing_for_the_first_time() {
    let repo = field();
    assert_eq!(push(&repo, &["main:one"]), [""; 0]);
    repo.git(&["config", "evolve.publishOnPush", "yes"]);
    let said = push(&repo, &["main:two"]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("nothing of this was ever published to "),
        "{said:?}"
    );
    assert_eq!(there(&repo, "refs/notes"), "");
    assert_eq!(there(&repo, "refs/heads/evolve"), "");
    assert_ne!(there(&repo, "refs/heads/two"), "");
}

#[test]
fn a_push_publishes_records_and_chains_and_its_own_refs_are_left_to_it() {
    let repo = field();
    let done = repo.evolve(&["push", "--yes"]);
    assert!(done.status.success(), "{}", err(&done));
    repo.git(&["config", "evolve.publishOnPush", "true"]);
    assert_eq!(push(&repo, &["main:nothing-new"]), [""; 0]);
    note(&repo, 2);
    let said = push(&repo, &["main:one"]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("published 1 record (checkpoint 1) to "),
        "{said:?}"
    );
    assert_eq!(there(&repo, NOTES), repo.git(&["rev-parse", NOTES]));

    repo.commit(
        "1 c1: do\n\nEvolve-Chain: shop/plain/1\nEvolve-Checkpoint: 1 c1\nEvolve-Role: agent\n",
    );
    push(&repo, &["evolve/shop/plain/1"]);
    let chain = "refs/heads/evolve/shop/plain/1";
    assert_eq!(there(&repo, chain), repo.git(&["rev-parse", "HEAD"]));
}

#[test]
fn a_server_that_refuses_records_or_is_not_there_stops_no_push_of_code() {
    let repo = field();
    assert!(repo.evolve(&["push", "--yes"]).status.success());
    repo.git(&["config", "evolve.publishOnPush", "true"]);
    note(&repo, 2);
    let rule = "#!/bin/sh\ncase $1 in refs/notes/*|*evolve-notes*) exit 1;; esac\n";
    file(&repo.around().join("server/hooks/update"), rule, 0o755);
    let said = push(&repo, &["main:one"]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("refused"), "{said:?}");
    assert_ne!(there(&repo, "refs/heads/one"), "");

    // The hook alone, with a remote that is gone.
    std::fs::rename(repo.around().join("server"), repo.around().join("moved")).expect("moved");
    let done = repo.evolve(&["hook", "pre-push", "origin", "../server"]);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(err(&done).lines().count(), 1, "{}", err(&done));
}

#[test]
fn a_push_that_the_users_hook_refuses_publishes_nothing() {
    if runs_configured_hooks() {
        return;
    }
    let repo = field();
    assert!(repo.evolve(&["push", "--yes"]).status.success());
    repo.git(&["config", "evolve.publishOnPush", "true"]);
    hooks(&repo, "uninstall");
    file(
        &git_dir(&repo).join("hooks/pre-push"),
        "#!/bin/sh\nexit 1\n",
        0o755,
    );
    hooks(&repo, "install");
    let before = there(&repo, "refs");
    note(&repo, 2);
    let mut command = repo.command("git", repo.path());
    let done = command
        .args(["push", "-q", "origin", "main:one"])
        .output()
        .expect("git runs");
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(there(&repo, "refs"), before);
}
