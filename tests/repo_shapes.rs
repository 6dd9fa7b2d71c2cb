//! Repositories of every shape git makes, read as git reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use git_evolve::repo::{
    Attributes, EntryMode, LineEnd, Mailmap, Oid, Person, Reader, Repo as Opened, RevisionSpec,
    attribute_files, is_missing, parse_date, parse_range, parse_words, trailers,
};
use git_evolve::{Error, Kind};

use crate::support::Repo;

fn open(dir: &Path) -> Reader {
    Opened::discover(dir)
        .expect("a repository")
        .reader()
        .expect("a reader")
}

fn oid(text: &str) -> Oid {
    Oid::from_hex(text).expect("an id")
}

/// Git in any folder of the temporary ones.
fn git(repo: &Repo, dir: &Path, args: &[&str]) -> String {
    let out = repo.command("git", dir).args(args).output().expect("git");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "git {args:?}: {said}");
    String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
}

/// `git ls-tree -r -z`, as [`Reader::files`] says it.
fn listed(reader: &Reader, tree: Oid) -> Vec<String> {
    let files = reader.files(tree).expect("files");
    files
        .iter()
        .map(|(path, e)| {
            let mode = match e.mode {
                EntryMode::File => "file",
                EntryMode::Symlink => "link",
                EntryMode::Gitlink => "gitlink",
            };
            format!("{mode} {} {}", e.id, String::from_utf8_lossy(path))
        })
        .collect()
}

fn listed_by_git(repo: &Repo, dir: &Path, tree: &str) -> Vec<String> {
    let out = git(repo, dir, &["ls-tree", "-r", "-z", tree]);
    let mut lines: Vec<String> = out
        .split('\0')
        .filter(|l| !l.is_empty())
        .map(|line| {
            let (meta, path) = line.split_once('\t').expect("a tab");
            let mut words = meta.split(' ');
            let mode = match words.next().expect("a mode") {
                "120000" => "link",
                "160000" => "gitlink",
                _ => "file",
            };
            format!("{mode} {} {path}", words.nth(1).expect("an id"))
        })
        .collect();
    lines.sort_by(|a, b| {
        a.splitn(3, ' ')
            .nth(2)
            .expect("a path")
            .as_bytes()
            .cmp(b.splitn(3, ' ').nth(2).expect("a path").as_bytes())
    });
    lines
}

fn three_commits(repo: &Repo) -> [String; 3] {
    repo.write("src/A.java", "class A {}\n");
    repo.write("src.txt", "dotted names sort before the folder\n");
    let one = repo.commit("one");
    repo.write("src/B.java", "class B {}\n");
    repo.write("src/deep/C.java", "class C {}\n");
    let two = repo.commit("two");
    repo.write("src/A.java", "class A { int a; }\n");
    let three = repo.commit("three\n\nbody\n");
    [one, two, three]
}

fn line(reader: &Reader, range: &RevisionSpec) -> (Vec<String>, LineEnd) {
    let mut ids = Vec::new();
    let end = reader
        .line(range, |c| {
            ids.push(c.id.to_string());
            true
        })
        .expect("a walk");
    (ids, end)
}

#[test]
fn a_plain_repository_is_read_as_git_reads_it() {
    let repo = Repo::new();
    let [one, two, three] = three_commits(&repo);
    let opened = Opened::discover(repo.path()).expect("a repository");
    assert!(!opened.is_bare() && !opened.is_shallow() && !opened.is_partial());
    assert_eq!(opened.prefix(), Some(&b""[..]));
    let reader = opened.reader().expect("a reader");
    assert_eq!(reader.head().expect("HEAD"), Some(oid(&three)));
    let commit = reader.commit(oid(&three)).expect("a commit");
    assert_eq!(commit.subject(), "three");
    assert_eq!(commit.message, "three\n\nbody\n");
    assert_eq!(commit.parents, [oid(&two)]);
    assert_eq!(commit.author.email, "ada@example.invalid");
    assert_eq!(
        listed(&reader, commit.tree),
        listed_by_git(&repo, repo.path(), "HEAD")
    );
    assert_eq!(
        line(&reader, &RevisionSpec::Tip(oid(&three))),
        (vec![three, two, one], LineEnd::Root)
    );
    let entry = reader
        .entry(commit.tree, b"src/deep/C.java")
        .expect("readable")
        .expect("there");
    let mut bytes = Vec::new();
    reader.blob(entry.id, &mut bytes).expect("a blob");
    assert_eq!(bytes, b"class C {}\n");
    assert_eq!(reader.blob_size(entry.id).expect("a size"), 11);
    assert_eq!(reader.blob_id(&bytes).expect("an id"), entry.id);
    for absent in [&b"src"[..], b"src/deep/D.java", b"src.txt/x", b""] {
        assert_eq!(reader.entry(commit.tree, absent).expect("readable"), None);
    }
}
