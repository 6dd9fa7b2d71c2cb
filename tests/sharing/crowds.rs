//! Several writers at one server at once.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn eight_clones_push_twenty_records_each_at_once_and_all_are_everywhere() {
    let field = Field::without_records();
    field.good(field.repo.path(), &["push", "--yes"]);
    let clones: Vec<PathBuf> = (0..8).map(|n| field.clone(&format!("c{n}"), &[])).collect();
    for clone in &clones {
        let entries = (0..20).map(|n| entry(clone, &field.chain[n % 3])).collect();
        let batch = Batch {
            entries,
            configs: Vec::new(),
        };
        append(&Opened::discover(clone).expect("open"), batch).expect("written");
    }
    let running: Vec<_> = clones
        .iter()
        .map(|clone| {
            field
                .repo
                .command(env!("CARGO_BIN_EXE_git-evolve"), clone)
                .args(["push", "--yes"])
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("starts")
        })
        .collect();
    for child in running {
        let out = child.wait_with_output().expect("ends");
        assert!(out.status.success(), "{}", said(&out));
    }
    let there = records_at(&field.repo, &field.server, NOTES);
    assert_eq!(there.len(), 160);
    for clone in &clones {
        field.good(clone, &["fetch"]);
        assert_eq!(field.records(clone), there);
    }
    field.git(&field.server, &["fsck", "--strict"]);
}

/// A server on which somebody else's push wins as often as `file` has lines.
fn rival(field: &Field, file: &Path) {
    let script = format!(
        "unset GIT_QUARANTINE_PATH\n\
         refs=$(cat)\n\
         case $refs in *refs/notes/evolve/checkpoint*) ;; *) exit 0;; esac\n\
         next=$(head -n 1 '{file}'); [ -n \"$next\" ] || exit 0\n\
         sed 1d '{file}' >'{file}.rest'; mv '{file}.rest' '{file}'\n\
         git update-ref {NOTES} $next\n",
        file = file.display()
    );
    hook(&field.server, "pre-receive", &script);
}

#[test]
fn a_push_that_comes_too_late_is_merged_and_tried_again() {
    let field = Field::published();
    let other = field.clone("other", &[]);
    field.good(&other, &["fetch"]);
    let theirs = record(&other, &field.chain[1]);
    let won = field.has(&other, NOTES).expect("notes");
    field.git(
        &field.server,
        &[
            "fetch",
            "-q",
            other.to_str().expect("utf-8"),
            &format!("+{NOTES}:refs/keep/x"),
        ],
    );
    let turns = field.at("turns");
    std::fs::write(&turns, format!("{won}\n")).expect("written");
    rival(&field, &turns);

    let mine = record(field.repo.path(), &field.chain[2]);
    let said = field.good(field.repo.path(), &["push"]);
    assert!(said.contains("published 1 record"), "{said}");
    assert!(said.contains("1 record (checkpoint 1) arrived"), "{said}");
    assert_eq!(std::fs::read_to_string(&turns).expect("read"), "");
    let there = records_at(&field.repo, &field.server, NOTES);
    for id in [mine, theirs] {
        assert!(there.iter().any(|(_, i)| *i == id), "{id}");
    }
    assert_eq!(there.len(), 5);
    assert_eq!(field.records(field.repo.path()), there);
}

#[test]
fn a_race_that_is_lost_again_and_again_ends_with_everything_kept() {
    let field = Field::published();
    let dir = field.repo.path();
    // Two states that differ each time; neither comes from the other.
    let states: Vec<String> = (0..2)
        .map(|n| {
            let tree = field.git(dir, &["rev-parse", &format!("{NOTES}^{{tree}}")]);
            field.git(dir, &["commit-tree", &tree, "-m", &format!("state {n}")])
        })
        .collect();
    for state in &states {
        field.git(
            dir,
            &[
                "push",
                "-q",
                "origin",
                &format!("{state}:refs/keep/{state}"),
            ],
        );
    }
    let turns = field.at("turns");
    let many: Vec<&str> = (0..4000).map(|n| states[n % 2].as_str()).collect();
    std::fs::write(&turns, many.join("\n") + "\n").expect("written");
    rival(&field, &turns);
    field.repo.git(&["config", "evolve.pushTimeout", "1.5"]);
    let mine = record(dir, &field.chain[2]);
    let began = Instant::now();
    let said = field.bad(dir, &["push"], 1);
    assert!(began.elapsed() < Duration::from_secs(20), "{said}");
    assert!(
        said.contains("kept changing") && said.contains("pushTimeout"),
        "{said}"
    );
    assert!(field.records(dir).iter().any(|(_, id)| *id == mine));
    std::fs::remove_file(field.server.join("hooks/pre-receive")).expect("removed");
    field.good(dir, &["push"]);
    assert!(
        records_at(&field.repo, &field.server, NOTES)
            .iter()
            .any(|(_, id)| *id == mine)
    );
}

#[test]
fn notes_with_nothing_in_common_are_merged() {
    let field = Field::published();
    // A clone that wrote before it fetched.
    let fresh = field.clone("fresh", &[]);
    let mine = record(&fresh, &field.chain[2]);
    let (a, b) = (field.has(&fresh, NOTES), field.has(&field.server, NOTES));
    let (a, b) = (a.expect("notes"), b.expect("notes"));
    let base = field
        .repo
        .command("git", &fresh)
        .args(["merge-base", &a, &b])
        .output();
    assert!(
        !base.expect("git runs").status.success(),
        "they have a base"
    );
    field.good(&fresh, &["push"]);
    let there = records_at(&field.repo, &field.server, NOTES);
    assert_eq!(there.len(), 4);
    assert!(there.iter().any(|(_, id)| *id == mine));
    field.good(field.repo.path(), &["fetch"]);
    assert_eq!(field.records(field.repo.path()), there);
}

#[test]
fn a_push_inside_pre_push_does_not_call_pre_push_again() {
    let field = Field::published();
    record(field.repo.path(), &field.chain[1]);
    let calls = field.at("calls");
    hook(
        field.repo.path(),
        "pre-push",
        &format!(
            "echo x >>'{calls}'; [ $(wc -l <'{calls}') -ge 8 ] && exit 1\n\
             unset GIT_EVOLVE_INSIDE\n\
             '{}' push --yes || exit 1",
            env!("CARGO_BIN_EXE_git-evolve"),
            calls = calls.display()
        ),
    );
    field.repo.commit("more");
    field.repo.git(&["push", "-q", "origin", "main"]);
    assert_eq!(std::fs::read_to_string(&calls).expect("read"), "x\n");
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 4);
    let head = field.repo.git(&["rev-parse", "main"]);
    assert_eq!(field.has(&field.server, "refs/heads/main"), Some(head));
}

#[test]
fn a_child_of_ours_carries_the_guard_at_which_our_hooks_return() {
    let field = Field::published();
    record(field.repo.path(), &field.chain[1]);
    let seen = field.at("seen");
    hook(
        &field.server,
        "post-receive",
        &format!("echo \"$GIT_EVOLVE_INSIDE\" >>'{}'", seen.display()),
    );
    field.good(field.repo.path(), &["push"]);
    assert_eq!(std::fs::read_to_string(&seen).expect("read"), "1\n");
}

#[test]
fn refs_that_another_push_carries_are_left_to_it() {
    use git_evolve::ledger::{preview, publish};
    use git_evolve::repo::{Direction, Manner};
    let field = Field::new();
    let repo = Opened::discover(field.repo.path()).expect("open");
    let remote = repo
        .remote(None, field.repo.path(), Direction::Push)
        .expect("origin");
    let before = preview(&repo, &remote, Manner::default()).expect("a preview");
    assert!(before.first);
    let branch = format!("refs/heads/evolve/{PATH}");
    let leave = BTreeSet::from([branch.clone()]);
    let done = publish(&repo, &remote, &before.held, &leave, Manner::default()).expect("done");
    assert!(done.refused.is_empty() && done.refs.is_empty());
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
    assert_eq!(field.has(&field.server, &branch), None);
}

#[test]
fn fetches_at_once_in_one_repository_all_succeed() {
    let field = Field::published();
    let clone = field.clone("clone", &["--depth=1"]);
    let linked = field.at("linked");
    field.git(
        &clone,
        &[
            "worktree",
            "add",
            "-q",
            "--detach",
            linked.to_str().expect("utf-8"),
        ],
    );
    for round in 0..3 {
        record(field.repo.path(), &field.chain[round]);
        field.good(field.repo.path(), &["push"]);
        let running: Vec<_> = [&clone, &linked, &clone, &linked]
            .iter()
            .map(|dir| {
                field
                    .repo
                    .command(env!("CARGO_BIN_EXE_git-evolve"), dir)
                    .arg("fetch")
                    .stderr(std::process::Stdio::piped())
                    .spawn()
                    .expect("starts")
            })
            .collect();
        for child in running {
            let out = child.wait_with_output().expect("ends");
            assert!(out.status.success(), "{}", said(&out));
        }
        assert_eq!(field.records(&clone), field.records(field.repo.path()));
    }
}

#[test]
fn a_lock_that_a_killed_fetch_left_is_removed_when_it_is_old_and_said() {
    let field = Field::published();
    let clone = field.clone("clone", &[]);
    let lock = clone.join(".git/refs/evolve/remotes/origin/checkpoint.lock");
    std::fs::create_dir_all(lock.parent().expect("a folder")).expect("folders");
    std::fs::write(&lock, "").expect("written");
    field.git(&clone, &["config", "evolve.lockTimeout", "0.3"]);
    let said = field.bad(&clone, &["fetch"], 128);
    assert!(
        said.contains("checkpoint.lock"),
        "a young lock is somebody's: {said}"
    );
    let old = std::time::SystemTime::now() - Duration::from_secs(120);
    let file = std::fs::File::options()
        .write(true)
        .open(&lock)
        .expect("open");
    file.set_modified(old).expect("set");
    let said = field.good(&clone, &["fetch"]);
    assert!(said.contains("removed the stale lock"), "{said}");
    assert_eq!(field.records(&clone).len(), 3);
}

/// Kills `words` in `dir` at ever later moments, and then lets it end.
fn kill_often(field: &Field, dir: &Path, words: &[&str], times: u32) {
    for n in 0..times {
        let mut child = field
            .repo
            .command(env!("CARGO_BIN_EXE_git-evolve"), dir)
            .args(words)
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("starts");
        // Moments that no two rounds share, over what the command takes.
        std::thread::sleep(Duration::from_millis(u64::from(n * 37 % 150)));
        let _ = child.kill();
        let _ = child.wait();
    }
    field.good(dir, words);
}

/// `EVOLVE_KILLS` asks for more; on demand 250 of each make the 500 of a campaign.
#[test]
fn killed_pushes_and_fetches_lose_nothing_and_repeat_with_success() {
    let times = std::env::var("EVOLVE_KILLS")
        .ok()
        .and_then(|n| n.parse().ok());
    let times: u32 = times.unwrap_or(20);
    let field = Field::published();
    let dir = field.repo.path();
    let clone = field.clone("clone", &[]);
    let rounds = 5;
    for round in 0..rounds {
        record(dir, &field.chain[round % 3]);
        record(&clone, &field.chain[(round + 1) % 3]);
        let mine = field.records(dir);
        kill_often(&field, dir, &["push"], times / rounds as u32);
        kill_often(&field, &clone, &["fetch"], times / rounds as u32);
        field.good(&clone, &["push"]);
        field.good(dir, &["fetch"]);
        assert!(field.records(dir).is_superset(&mine));
        assert_eq!(field.records(dir), field.records(&clone));
    }
    assert_eq!(field.records(dir).len(), 3 + 2 * rounds);
    for place in [dir, &clone, &field.server] {
        let out = field
            .repo
            .command("git", place)
            .args(["fsck", "--strict"])
            .output();
        let out = out.expect("git runs");
        assert!(out.status.success(), "{}", said(&out));
    }
}
