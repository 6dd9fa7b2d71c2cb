//! What is not committed yet: index and work tree against HEAD, with nothing written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use git_evolve::Kind;
use git_evolve::repo::{Entry, EntryMode, Pending, Reader, Repo as Opened};

use crate::support::Repo;

fn reader(repo: &Repo) -> Reader {
    let opened = Opened::discover(repo.path()).expect("found");
    opened.reader().expect("a reader")
}

/// `path: old id -> new id`, in short.
fn shown(pending: &Pending) -> Vec<String> {
    let id = |e: Option<Entry>| e.map_or_else(|| "-".to_owned(), |e| e.id.short());
    pending
        .entries
        .iter()
        .map(|e| {
            format!(
                "{} {} {}",
                String::from_utf8_lossy(&e.path),
                id(e.old),
                id(e.new)
            )
        })
        .collect()
}

fn short(repo: &Repo, args: &[&str]) -> String {
    repo.git(args)[..7].to_owned()
}

/// Every file under `dir` with its content and time of change.
fn snapshot(dir: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).expect("readable") {
            let path = entry.expect("an entry").path();
            let meta = std::fs::symlink_metadata(&path).expect("there");
            if meta.is_dir() {
                open.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                found.insert(
                    path.display().to_string(),
                    (bytes, meta.modified().expect("a time")),
                );
            }
        }
    }
    found
}

fn some_files() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "*.class\nbuild/\n");
    repo.write("A.java", "class A {}\n");
    repo.write("gone.java", "class G {}\n");
    repo.write("dir/B.java", "class B {}\n");
    repo.write("same.java", "class S {}\n");
    repo.commit("one");
    repo
}

#[test]
fn the_index_is_compared_and_nothing_is_written() {
    let repo = some_files();
    repo.write("A.java", "class A { int a; }\n");
    repo.write("new.java", "class N {}\n");
    repo.git(&["add", "A.java", "new.java"]);
    repo.git(&["rm", "-q", "gone.java"]);
    repo.git(&["update-index", "--chmod=+x", "same.java"]);
    repo.write("planned.java", "class P {}\n");
    repo.git(&["add", "-N", "planned.java"]);
    // What lies in the work tree alone is not staged.
    repo.write("A.java", "class A { int b; }\n");
    repo.write("dir/B.java", "class B { int b; }\n");
    let before = snapshot(&repo.path().join(".git"));
    let reader = reader(&repo);
    let pending = reader.staged().expect("read");
    assert_eq!(before, snapshot(&repo.path().join(".git")));
    assert_eq!(
        shown(&pending),
        [
            format!(
                "A.java {} {}",
                short(&repo, &["rev-parse", "HEAD:A.java"]),
                short(&repo, &["rev-parse", ":A.java"])
            ),
            format!(
                "gone.java {} -",
                short(&repo, &["rev-parse", "HEAD:gone.java"])
            ),
            format!("new.java - {}", short(&repo, &["rev-parse", ":new.java"])),
        ]
    );
    assert!(pending.overlay.is_empty() && pending.remarks.is_empty());
    assert_eq!(pending.base, reader.head().expect("HEAD"));
}

#[test]
fn the_work_tree_is_compared_and_nothing_is_written() {
    let repo = some_files();
    repo.write("A.java", "class A { int a; }\n");
    repo.remove("gone.java");
    // A file whose times changed and whose content did not.
    repo.write("same.java", "class S {}\n");
    repo.write("B.class", "ignored");
    repo.write("build/C.java", "ignored");
    repo.write("sp ace/\u{fc}.java", "class U {}\n");
    repo.write("staged.java", "class T {}\n");
    repo.git(&["add", "staged.java"]);
    repo.write("planned.java", "class P {}\n");
    repo.git(&["add", "-N", "planned.java"]);
    repo.write("empty.java", "");
    std::os::unix::fs::symlink("A.java", repo.path().join("link")).expect("a link");
    let before = snapshot(repo.path());
    let reader = reader(&repo);
    let pending = reader.worktree().expect("read");
    assert_eq!(before, snapshot(repo.path()));
    let now = |path: &str| short(&repo, &["hash-object", path]);
    let link = pending
        .entries
        .iter()
        .find(|e| *e.path == *b"link")
        .expect("listed");
    let link = link.new.expect("there");
    assert_eq!(link.mode, EntryMode::Symlink);
    assert_eq!(pending.overlay[&link.id].as_ref(), b"A.java");
    assert_eq!(
        shown(&pending),
        [
            format!(
                "A.java {} {}",
                short(&repo, &["rev-parse", "HEAD:A.java"]),
                now("A.java")
            ),
            format!("empty.java - {}", now("empty.java")),
            format!(
                "gone.java {} -",
                short(&repo, &["rev-parse", "HEAD:gone.java"])
            ),
            format!("link - {}", link.id.short()),
            format!("planned.java - {}", now("planned.java")),
            format!("sp ace/\u{fc}.java - {}", now("sp ace/\u{fc}.java")),
            format!("staged.java - {}", now("staged.java")),
        ]
    );
    let reader = reader.with_overlay(Arc::new(pending.overlay.clone()));
    for entry in &pending.entries {
        let Some(new) = entry.new.filter(|e| e.mode == EntryMode::File) else {
            continue;
        };
        let mut bytes = Vec::new();
        reader
            .blob(new.id, &mut bytes)
            .expect("in store or overlay");
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        assert_eq!(bytes, std::fs::read(repo.path().join(path)).expect("there"));
        assert_eq!(
            reader.blob_size(new.id).expect("a size"),
            bytes.len() as u64
        );
    }
}

#[test]
fn what_is_pending_in_the_work_tree_is_what_git_would_commit() {
    let repo = some_files();
    repo.remove("dir/B.java");
    std::fs::remove_dir(repo.path().join("dir")).expect("removed");
    repo.write("dir", "a file where a folder was\n");
    repo.remove("same.java");
    repo.write("same.java/now/a/F.java", "class F {}\n");
    repo.write("A.java", "class A { int a; }\n");
    let pending = reader(&repo).worktree().expect("read");
    let before = repo.git(&["rev-parse", "HEAD"]);
    repo.commit("all of it");
    let by_git = repo.git(&[
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--abbrev=7",
        &before,
        "HEAD",
    ]);
    let words: Vec<&str> = by_git.split_terminator('\0').collect();
    let theirs: Vec<String> = words
        .chunks(2)
        .map(|pair| {
            let meta: Vec<&str> = pair[0].split(' ').collect();
            let id = |text: &str| {
                if text.starts_with("0000") {
                    "-".to_owned()
                } else {
                    text.to_owned()
                }
            };
            format!("{} {} {}", pair[1], id(meta[2]), id(meta[3]))
        })
        .collect();
    let mut theirs = theirs;
    theirs.sort();
    assert_eq!(shown(&pending), theirs);
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    let pending = reader(&repo).worktree().expect("read");
    assert_eq!((pending.base, pending.base_tree), (None, None));
    assert_eq!(pending.entries.len(), 1);
    assert!(reader(&repo).staged().expect("read").entries.is_empty());
    repo.git(&["add", "A.java"]);
    assert_eq!(reader(&repo).staged().expect("read").entries.len(), 1);
}

#[test]
fn unmerged_paths_are_refused_in_the_index_and_read_from_the_work_tree() {
    let repo = some_files();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("A.java", "class A { int side; }\n");
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("A.java", "class A { int main; }\n");
    repo.commit("main");
    let merged = repo
        .command("git", repo.path())
        .args(["merge", "-q", "side"])
        .output()
        .expect("git");
    assert!(!merged.status.success());
    let e = reader(&repo).staged().expect_err("unmerged");
    assert_eq!(e.kind(), Kind::Git);
    assert!(e.to_string().contains("A.java"), "{e}");
    let pending = reader(&repo).worktree().expect("read");
    assert_eq!(
        shown(&pending),
        [format!(
            "A.java {} {}",
            short(&repo, &["rev-parse", "HEAD:A.java"]),
            short(&repo, &["hash-object", "A.java"])
        )]
    );
}

#[test]
fn nested_repositories_are_left_out_with_a_remark_and_links_are_not_followed() {
    let repo = some_files();
    let inner = repo.path().join("nested");
    std::fs::create_dir(&inner).expect("made");
    let made = repo.command("git", &inner).args(["init", "-q"]).status();
    assert!(made.expect("git").success());
    std::fs::write(inner.join("X.java"), "class X {}").expect("written");
    // The folder became a link that leads to a like-named file elsewhere.
    let outside = repo.around().join("outside");
    std::fs::create_dir(&outside).expect("made");
    std::fs::write(outside.join("B.java"), "class Elsewhere {}").expect("written");
    std::fs::remove_dir_all(repo.path().join("dir")).expect("removed");
    std::os::unix::fs::symlink(&outside, repo.path().join("dir")).expect("a link");
    let pending = reader(&repo).worktree().expect("read");
    let paths: Vec<(String, bool)> = pending
        .entries
        .iter()
        .map(|e| {
            (
                String::from_utf8_lossy(&e.path).into_owned(),
                e.new.is_some(),
            )
        })
        .collect();
    assert_eq!(
        paths,
        [("dir".to_owned(), true), ("dir/B.java".to_owned(), false)]
    );
    assert_eq!(pending.remarks.len(), 1);
    assert!(
        pending.remarks[0].contains("'nested'"),
        "{:?}",
        pending.remarks
    );
}

#[test]
fn filters_and_monitors_of_the_user_do_not_run() {
    let repo = some_files();
    let ran = repo.around().join("ran");
    let touch = format!("touch {}; cat", ran.display());
    repo.git(&["config", "filter.f.clean", &touch]);
    repo.git(&["config", "filter.f.process", &touch]);
    repo.git(&["config", "diff.external", &touch]);
    repo.git(&["config", "core.fsmonitor", &touch]);
    std::fs::write(
        repo.path().join(".git/info/attributes"),
        "* filter=f diff=f\n",
    )
    .expect("it");
    repo.write("A.java", "class A { int a; }\n");
    repo.write("same.java", "class S {}\n");
    let reader = reader(&repo);
    assert_eq!(reader.worktree().expect("read").entries.len(), 1);
    assert!(reader.staged().expect("read").entries.is_empty());
    assert!(!ran.exists());
}

#[test]
fn a_sparse_checkout_leaves_the_rest_as_it_is() {
    let repo = some_files();
    repo.write("far/away/C.java", "class C {}\n");
    repo.commit("two");
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]);
    assert!(!repo.path().join("far").exists());
    let reader = reader(&repo);
    assert!(reader.worktree().expect("read").entries.is_empty());
    assert!(reader.staged().expect("read").entries.is_empty());
    repo.write("dir/B.java", "class B { int b; }\n");
    assert_eq!(reader.worktree().expect("read").entries.len(), 1);
}

#[test]
fn a_held_index_lock_does_not_matter() {
    let repo = some_files();
    repo.write("A.java", "class A { int a; }\n");
    std::fs::write(repo.path().join(".git/index.lock"), "").expect("written");
    assert_eq!(reader(&repo).worktree().expect("read").entries.len(), 1);
}
