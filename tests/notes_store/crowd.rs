//! Many writers at once: threads, processes, linked worktrees.

use std::process::{Child, Stdio};

use git_evolve::ledger::drain;

use super::*;

/// A process of its own that writes records: this test program, called again.
fn writer(repo: &Repo, dir: &std::path::Path, rounds: usize) -> Child {
    let exe = std::env::current_exe().expect("this program");
    repo.command(exe.to_str().expect("a path in UTF-8"), dir)
        .args(["--exact", "--ignored", "--nocapture"])
        .arg("notes_store::crowd::a_writer")
        .env("NOTES_STORE_ROUNDS", rounds.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

#[test]
#[ignore = "the other tests start it as a process of its own"]
fn a_writer() {
    let Some(rounds) = std::env::var_os("NOTES_STORE_ROUNDS") else {
        return;
    };
    let rounds: usize = rounds.to_str().expect("text").parse().expect("a number");
    let here = std::env::current_dir().expect("a folder");
    let repo = git_evolve::repo::Repo::discover(&here).expect("opened");
    let head = repo.reader().expect("a reader").head().expect("read");
    let head = head.expect("a commit");
    for _ in 0..rounds {
        let batch = Batch {
            entries: vec![checkpoint(head)],
            configs: Vec::new(),
        };
        append(&repo, batch).expect("written");
        println!("one is in");
    }
}

fn finished(children: Vec<Child>) {
    for child in children {
        let out = child.wait_with_output().expect("ended");
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}{errors}");
        assert!(said.contains("one is in"), "{said}");
    }
}

fn crowd(init: &[&str], writers: usize, worktrees: usize) {
    let repo = Repo::with(init);
    repo.commit("one");
    let mut places = vec![repo.path().to_owned()];
    for n in 0..worktrees {
        let place = repo.around().join(format!("tree-{n}"));
        let place_text = place.to_str().expect("UTF-8").to_owned();
        repo.git(&["worktree", "add", "-q", "--detach", &place_text]);
        places.push(place);
    }
    let children = (0..writers)
        .map(|n| writer(&repo, &places[n % places.len()], 3))
        .collect();
    finished(children);
    assert_eq!(counted_by_git(&repo), (writers * 3, writers * 3));
    assert_eq!(counted(&repo), writers * 3);
    let spool = repo.path().join(".git/evolve/spool");
    let left = std::fs::read_dir(spool).expect("a folder").count();
    assert_eq!(left, 0, "the spool is empty");
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn processes_in_linked_worktrees_write_at_once_and_lose_nothing() {
    crowd(&[], 40, 9);
}

#[test]
fn processes_write_at_once_where_refs_are_in_tables() {
    crowd(&["--ref-format=reftable"], 10, 0);
}

#[test]
fn threads_write_to_several_kinds_and_commits_at_once() {
    let repo = Repo::with(&["--object-format=sha256"]);
    let commits: Vec<Oid> = (0..4)
        .map(|n| oid(&repo.commit(&format!("c{n}"))))
        .collect();
    let path = repo.path();
    std::thread::scope(|scope| {
        for t in 0..8 {
            let commits = &commits;
            scope.spawn(move || {
                let opened = Opened::discover(path).expect("opened");
                for n in 0..5 {
                    let commit = commits[(t + n) % commits.len()];
                    let batch = Batch {
                        entries: vec![checkpoint(commit), envelope(commit)],
                        configs: Vec::new(),
                    };
                    let written = append(&opened, batch).expect("written");
                    assert_eq!(written.lines, 2);
                }
            });
        }
    });
    let reader = open(&repo).reader().expect("a reader");
    let found = records(&reader, &Kind::ALL).expect("read");
    for kind in [Kind::Checkpoint, Kind::Envelope] {
        let lines = found.lines[&kind].values().map(Vec::len);
        assert_eq!(lines.sum::<usize>(), 40, "{kind}");
    }
    assert!(found.all().all(|(_, _, line)| line.local && !line.spooled));
}

#[test]
fn gits_own_writers_in_between_lose_nothing_of_ours() {
    let repo = Repo::new();
    let commit = repo.commit("one");
    let others: Vec<String> = (0..10).map(|n| repo.commit(&format!("o{n}"))).collect();
    std::thread::scope(|scope| {
        let path = repo.path();
        let target = oid(&commit);
        scope.spawn(move || {
            let opened = Opened::discover(path).expect("opened");
            for _ in 0..10 {
                let batch = Batch {
                    entries: vec![checkpoint(target)],
                    configs: Vec::new(),
                };
                append(&opened, batch).expect("written");
            }
        });
        // Only commits of its own are built here: git's notes would overwrite what came between.
        for other in &others {
            let name = "refs/notes/evolve/checkpoint";
            let old = repo.git(&["for-each-ref", "--format=%(objectname)", name]);
            if !old.is_empty() {
                let tree = format!("{old}^{{tree}}");
                let made = repo.git(&["commit-tree", "-p", &old, "-m", other, &tree]);
                let words = ["update-ref", name, &made, &old];
                let _ = repo.command("git", path).args(words).output();
            }
        }
    });
    assert_eq!(counted_by_git(&repo), (10, 10));
}

#[test]
fn killed_writers_leave_nothing_half_written_and_lose_nothing_that_was_in() {
    let repo = Repo::new();
    repo.commit("one");
    let mut said = 0;
    for n in 0..30_u64 {
        let mut child = writer(&repo, repo.path(), 1_000);
        std::thread::sleep(std::time::Duration::from_millis(20 + n * 7));
        child.kill().expect("killed");
        let out = child.wait_with_output().expect("ended");
        let lines = String::from_utf8_lossy(&out.stdout).into_owned();
        said += lines.matches("one is in").count();
    }
    drain(&open(&repo)).expect("completed");
    let (lines, distinct) = counted_by_git(&repo);
    assert_eq!(lines, distinct);
    assert!(lines >= said && said > 0, "{lines} of at least {said}");
    assert!(lines <= said + 30, "{lines} of at most {said} and 30");
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(
        write(
            &repo,
            vec![checkpoint(oid(&repo.git(&["rev-parse", "HEAD"])))]
        )
        .completed,
        0
    );
}
