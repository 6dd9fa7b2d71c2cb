//! Repositories of every shape git makes, read as git reads them.

mod environment;
mod names;

use std::path::Path;

use git_evolve::Kind;
use git_evolve::repo::{
    EntryMode, LineEnd, Oid, Reader, Repo as Opened, RevisionSpec, is_missing, missing,
};

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

#[test]
fn a_subfolder_and_a_linked_worktree_lead_to_the_same_repository() {
    let repo = Repo::new();
    let [_, two, three] = three_commits(&repo);
    let inside = Opened::discover(&repo.path().join("src/deep")).expect("found");
    assert_eq!(inside.prefix(), Some(&b"src/deep"[..]));
    repo.git(&["worktree", "add", "-q", "-b", "w", "../linked", &two]);
    let linked = Opened::discover(&repo.around().join("linked/src")).expect("found");
    assert_eq!(linked.common_dir(), inside.git_dir());
    assert_ne!(linked.git_dir(), inside.git_dir());
    assert_eq!(linked.prefix(), Some(&b"src"[..]));
    assert!(linked.work_dir().is_some_and(|d| d.ends_with("linked")));
    let reader = linked.reader().expect("a reader");
    assert_eq!(reader.head().expect("HEAD"), Some(oid(&two)));
    assert_eq!(reader.commit_at("main").expect("shared refs"), oid(&three));
    let names: Vec<String> = reader
        .references()
        .expect("refs")
        .into_iter()
        .map(|r| r.name)
        .collect();
    assert_eq!(names, ["refs/heads/main", "refs/heads/w"]);
}

#[test]
fn a_bare_repository_and_a_worktree_of_one_are_read() {
    let repo = Repo::new();
    let [_, _, three] = three_commits(&repo);
    let bare = repo.around().join("bare.git");
    repo.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let opened = Opened::discover(&bare).expect("found");
    assert!(opened.is_bare());
    assert_eq!((opened.work_dir(), opened.prefix()), (None, None));
    let reader = opened.reader().expect("a reader");
    assert_eq!(reader.head().expect("HEAD"), Some(oid(&three)));
    let refused = reader.worktree().expect_err("no work tree");
    assert_eq!(refused.kind(), Kind::Git);
    git(
        &repo,
        &bare,
        &["worktree", "add", "-q", "../of-bare", "main"],
    );
    let of_bare = Opened::discover(&repo.around().join("of-bare")).expect("found");
    assert!(!of_bare.is_bare());
    assert!(
        of_bare
            .reader()
            .expect("one")
            .worktree()
            .expect("clean")
            .entries
            .is_empty()
    );
}

#[test]
fn a_detached_and_an_unborn_head_are_told() {
    let repo = Repo::new();
    assert_eq!(open(repo.path()).head().expect("unborn"), None);
    assert!(open(repo.path()).references().expect("none").is_empty());
    let [one, ..] = three_commits(&repo);
    repo.git(&["checkout", "-q", "--detach", &one]);
    assert_eq!(open(repo.path()).head().expect("HEAD"), Some(oid(&one)));
}

#[test]
fn no_repository_and_no_folder_are_git_errors() {
    let repo = Repo::new();
    let outside = repo.around().join("outside");
    std::fs::create_dir(&outside).expect("made");
    let e = Opened::discover(&outside).expect_err("none there");
    assert_eq!(e.kind(), Kind::Git);
    assert!(e.to_string().starts_with("not a git repository"), "{e}");
    let e = Opened::discover(&repo.around().join("nowhere")).expect_err("none there");
    assert!(e.to_string().starts_with("cannot change to"), "{e}");
}

#[test]
fn a_shallow_clone_ends_at_its_edge_and_says_so() {
    let repo = Repo::new();
    let [_, two, three] = three_commits(&repo);
    let from = format!("file://{}", repo.path().display());
    repo.git(&["clone", "-q", "--depth=2", &from, "../shallow"]);
    let opened = Opened::discover(&repo.around().join("shallow")).expect("found");
    assert!(opened.is_shallow());
    let reader = opened.reader().expect("a reader");
    let edge = reader.commit(oid(&two)).expect("here");
    assert!(edge.shallow && edge.parents.len() == 1);
    assert!(!reader.commit(oid(&three)).expect("here").shallow);
    assert_eq!(
        line(&reader, &RevisionSpec::Tip(oid(&three))),
        (vec![three, two], LineEnd::Shallow)
    );
    let e = reader.commit(edge.parents[0]).expect_err("cut off");
    assert!(is_missing(&e) && !missing(&e).expect("told").promised);
    let e = reader.commit_at("HEAD~2").expect_err("cut off");
    assert!(e.hint().is_some_and(|h| h.contains("--unshallow")), "{e:?}");
}

#[test]
fn a_partial_clone_tells_absent_blobs_from_other_trouble() {
    let repo = Repo::new();
    three_commits(&repo);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", repo.path().display());
    repo.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &from,
        "../partial",
    ]);
    let dir = repo.around().join("partial");
    git(
        &repo,
        &dir,
        &["remote", "set-url", "origin", "file:///nowhere"],
    );
    let opened = Opened::discover(&dir).expect("found");
    assert!(opened.is_partial() && !opened.is_shallow());
    let reader = opened.reader().expect("a reader");
    let (tree, _) = reader.tree_at("HEAD").expect("trees are here");
    let (_, entry) = reader.files(tree).expect("trees are here")[0].clone();
    let e = reader
        .blob(entry.id, &mut Vec::new())
        .expect_err("left to the remote");
    assert!(
        is_missing(&e) && missing(&e).expect("told").promised,
        "{e:?}"
    );
    assert!(is_missing(
        &reader.blob_size(entry.id).expect_err("no size either")
    ));
    let e = reader
        .blob(tree, &mut Vec::new())
        .expect_err("a tree is no blob");
    assert!(!is_missing(&e));
}

#[test]
fn a_damaged_object_is_an_error_and_not_an_absence() {
    let repo = Repo::new();
    repo.write("A.java", "class A {}\n");
    repo.commit("one");
    let id = repo.git(&["rev-parse", "HEAD:A.java"]);
    let loose = repo
        .path()
        .join(".git/objects")
        .join(&id[..2])
        .join(&id[2..]);
    std::fs::remove_file(&loose).expect("removed");
    std::fs::write(&loose, b"no zlib stream").expect("written");
    let e = open(repo.path())
        .blob(oid(&id), &mut Vec::new())
        .expect_err("damaged");
    assert!(!is_missing(&e), "{e:?}");
    assert!(e.to_string().contains(&id), "{e}");
}

#[test]
fn a_sha_256_repository_is_read_like_any_other() {
    let repo = Repo::with(&["--object-format=sha256"]);
    let [one, two, three] = three_commits(&repo);
    assert_eq!(one.len(), 64);
    let reader = open(repo.path());
    let commit = reader.commit(oid(&three)).expect("a commit");
    assert_eq!(
        listed(&reader, commit.tree),
        listed_by_git(&repo, repo.path(), "HEAD")
    );
    assert_eq!(
        line(&reader, &RevisionSpec::Tip(oid(&three))).0,
        [three.clone(), two, one.clone()]
    );
    assert_eq!(reader.commit_at(&one[..12]).expect("a short id"), oid(&one));
    assert_eq!(
        reader.empty_tree().to_string(),
        repo.git(&["hash-object", "-t", "tree", "/dev/null"])
    );
    assert!(
        reader
            .files(reader.empty_tree())
            .expect("nothing")
            .is_empty()
    );
    // A whole id of the other hash names nothing here.
    let e = reader
        .commit_at(&"a".repeat(40))
        .expect_err("not of this hash");
    assert!(e.to_string().contains("unknown revision"), "{e}");
    repo.write("src/A.java", "class New {}\n");
    let pending = reader.worktree().expect("read");
    assert_eq!(pending.entries.len(), 1);
    assert_eq!(
        pending.entries[0].new.expect("there").id.to_string(),
        repo.git(&["hash-object", "src/A.java"])
    );
}

#[test]
fn a_reftable_repository_is_read_through_git() {
    let repo = Repo::with(&["--ref-format=reftable"]);
    assert_eq!(open(repo.path()).head().expect("unborn"), None);
    let [one, two, three] = three_commits(&repo);
    repo.git(&["tag", "-a", "-m", "t", "v1", &two]);
    let opened = Opened::discover(&repo.path().join("src")).expect("found");
    let reader = opened.reader().expect("a reader");
    assert_eq!(reader.head().expect("HEAD"), Some(oid(&three)));
    for (revision, id) in [
        ("main", &three),
        ("HEAD~2", &one),
        ("v1", &two),
        (&one[..8], &one),
    ] {
        assert_eq!(reader.commit_at(revision).expect(revision), oid(id));
    }
    assert!(reader.commit_at("nowhere").is_err());
    let refs = reader.references().expect("refs");
    let names: Vec<&str> = refs.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/tags/v1"]);
    assert_eq!(refs[1].commit, oid(&two));
    assert_eq!(
        line(&reader, &RevisionSpec::Tip(oid(&three))),
        (vec![three, two, one], LineEnd::Root)
    );
    repo.write("new.txt", "n\n");
    repo.git(&["add", "new.txt"]);
    assert_eq!(reader.staged().expect("read").entries.len(), 1);
}

#[test]
fn replace_refs_and_grafts_change_nothing() {
    let repo = Repo::new();
    let [one, two, three] = three_commits(&repo);
    let before = line(&open(repo.path()), &RevisionSpec::Tip(oid(&three)));
    repo.git(&["replace", "--graft", &three, &one]);
    std::fs::write(repo.path().join(".git/info/grafts"), format!("{two}\n")).expect("written");
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
    let reader = open(repo.path());
    assert_eq!(line(&reader, &RevisionSpec::Tip(oid(&three))), before);
    assert_eq!(
        reader.commit(oid(&three)).expect("raw").parents,
        [oid(&two)]
    );
}

#[test]
fn old_modes_links_submodules_and_odd_names_are_listed() {
    let repo = Repo::new();
    repo.write("x.sh", "#!/bin/sh\n");
    repo.git(&["add", "x.sh"]);
    repo.git(&["update-index", "--chmod=+x", "x.sh"]);
    std::os::unix::fs::symlink("x.sh", repo.path().join("link.java")).expect("a link");
    repo.write("b\u{e4}d\tname\n.java", "class B {}\n");
    repo.write("a.b/c", "");
    repo.write("a/c", "");
    repo.write("a0", "");
    let inner = repo.path().join("lib");
    std::fs::create_dir(&inner).expect("made");
    git(&repo, &inner, &["init", "-q"]);
    std::fs::write(inner.join("X.java"), "class X {}").expect("written");
    git(&repo, &inner, &["add", "X.java"]);
    git(&repo, &inner, &["commit", "-q", "-m", "inner"]);
    repo.commit("one");
    let reader = open(repo.path());
    let (tree, _) = reader.tree_at("HEAD").expect("a tree");
    let all = listed(&reader, tree);
    assert_eq!(all, listed_by_git(&repo, repo.path(), "HEAD"));
    assert!(
        all.iter().any(|l| l.starts_with("gitlink ")) && all.iter().any(|l| l.starts_with("link "))
    );

    // Very old tools padded the modes of folders, and kept the group's write bit.
    let blob = repo.git(&["hash-object", "-w", "x.sh"]);
    let raw = |hex: &str| -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex"))
            .collect()
    };
    let write = |bytes: Vec<u8>| {
        let file = repo.around().join("raw-tree");
        std::fs::write(&file, bytes).expect("written");
        let file = file.to_str().expect("utf-8").to_owned();
        repo.git(&["hash-object", "-w", "-t", "tree", "--literally", &file])
    };
    let folder = write([b"100664 Old.java\0".to_vec(), raw(&blob)].concat());
    let top = write([b"040000 old\0".to_vec(), raw(&folder)].concat());
    assert_eq!(
        listed(&reader, oid(&top)),
        [format!("file {blob} old/Old.java")]
    );
    assert!(
        reader
            .entry(oid(&top), b"old/Old.java")
            .expect("readable")
            .is_some()
    );
    assert_eq!(
        reader.folder(oid(&top), b"old").expect("readable"),
        Some(oid(&folder))
    );
}

#[test]
fn packed_and_loose_tags_of_tags_lead_to_commits_and_other_refs_are_left_out() {
    let repo = Repo::new();
    let [one, two, three] = three_commits(&repo);
    repo.git(&["tag", "-a", "-m", "t", "t1", &one]);
    repo.git(&["tag", "-a", "-m", "t", "t2", "t1"]);
    repo.git(&["tag", "a-tree", &format!("{two}^{{tree}}")]);
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["tag", "-a", "-m", "t", "t3", "t2"]);
    repo.git(&["update-ref", "refs/remotes/origin/x", &two]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/x",
    ]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/gone/HEAD",
        "refs/remotes/gone/x",
    ]);
    let refs = open(repo.path()).references().expect("refs");
    let shown: Vec<(String, String, bool)> = refs
        .into_iter()
        .map(|r| (r.name, r.commit.to_string(), r.symbolic))
        .collect();
    let is = |name: &str, id: &String, symbolic| (name.to_owned(), id.clone(), symbolic);
    assert_eq!(
        shown,
        [
            is("refs/heads/main", &three, false),
            is("refs/remotes/origin/HEAD", &two, true),
            is("refs/remotes/origin/x", &two, false),
            is("refs/tags/t1", &one, false),
            is("refs/tags/t2", &one, false),
            is("refs/tags/t3", &one, false),
        ]
    );
}

#[test]
fn user_settings_are_read_under_evolve_alone() {
    let repo = Repo::new();
    repo.git(&["config", "evolve.pager", "less"]);
    let opened = Opened::discover(repo.path()).expect("found");
    assert_eq!(opened.setting("evolve.pager").as_deref(), Some("less"));
    assert_eq!(opened.setting("evolve.absent"), None);
    assert_eq!(opened.setting("core.bare"), None);
}

#[test]
fn one_repository_is_read_from_several_threads() {
    let repo = Repo::new();
    let [_, _, three] = three_commits(&repo);
    let opened = Opened::discover(repo.path()).expect("found");
    let counts: Vec<usize> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                s.spawn(|| {
                    let reader = opened.reader().expect("a reader");
                    let tree = reader.commit(oid(&three)).expect("here").tree;
                    reader.files(tree).expect("files").len()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .collect()
    });
    assert_eq!(counts, [4; 4]);
}
