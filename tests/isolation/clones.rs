//! What a clone has in it, and what not.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use git_evolve::repo::{self, Oid};

use crate::support::Repo;

pub fn open(repo: &Repo) -> repo::Repo {
    repo::Repo::discover(repo.path()).expect("opened")
}

pub fn oid(text: &str) -> Oid {
    Oid::from_hex(text).expect("an id")
}

/// Git in the clone, with nothing of the user's.
pub fn git_in(repo: &Repo, clone: &Path, args: &[&str]) -> String {
    let mut command = repo.command("git", clone);
    for name in [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ] {
        command.env_remove(name);
    }
    let out = command.args(args).output().expect("git runs");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "git {args:?}: {said}");
    String::from_utf8_lossy(&out.stdout)
        .trim_end_matches('\n')
        .to_owned()
}

/// Every object in a repository's store, reachable or not.
fn objects(repo: &Repo, at: &Path) -> Vec<String> {
    let words = [
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objectname)",
        "--unordered",
    ];
    let mut all: Vec<String> = git_in(repo, at, &words)
        .lines()
        .map(str::to_owned)
        .collect();
    all.sort();
    all
}

/// A project with what git converts, ignores or links, and a chain of two commits on it.
fn project(init: &[&str]) -> (Repo, String, String) {
    let repo = Repo::with(init);
    repo.write("old.txt", "what the project was once\n");
    repo.commit("before");
    repo.remove("old.txt");
    repo.write("README.md", "# Project\r\nwith line ends\r\n");
    repo.write(
        ".gitattributes",
        "*.md text eol=lf\n*.bin filter=lfs\n*.id ident\n*.u working-tree-encoding=UTF-16\n",
    );
    repo.git(&["config", "core.safecrlf", "false"]);
    repo.write("a.bin", b"\0\x01\x02");
    repo.write("x.id", "$Id$\n");
    repo.write("run.sh", "#!/bin/sh\n");
    repo.write("deep/er/file", "deep\n");
    repo.write(".gitignore", "target/\n*.log\n");
    std::os::unix::fs::symlink("deep/er", repo.path().join("link")).expect("linked");
    let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(repo.path().join("run.sh"), runs).expect("executable");
    repo.git(&["add", "-A"]);
    // The blob has the bytes that the work tree has, whatever the attributes say.
    let raw = repo.git(&["hash-object", "-w", "--no-filters", "README.md"]);
    repo.git(&[
        "update-index",
        "--cacheinfo",
        &format!("100644,{raw},README.md"),
    ]);
    let zeros = "1".repeat(raw.len());
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{zeros},sub"),
    ]);
    repo.git(&["commit", "-q", "-m", "base"]);
    let base = repo.git(&["rev-parse", "HEAD"]);
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let tip = repo.git(&["commit-tree", &tree, "-p", &base, "-m", "on it"]);
    repo.git(&["update-ref", "refs/heads/evolve/x/y/1", &tip]);
    (repo, base, tip)
}

#[test]
fn a_clone_has_the_chain_and_nothing_else() {
    for init in [&[][..], &["--object-format=sha256"]] {
        let (repo, base, tip) = project(init);
        // Another chain, something nobody reaches, and all that a clone could inherit.
        repo.git(&["checkout", "-q", "-f", "-b", "evolve/x/z/1", &base]);
        repo.write("other.txt", "the other chain's\n");
        repo.commit("other");
        repo.git(&["hash-object", "-w", ".gitignore"]);
        repo.git(&["repack", "-adq", "--write-bitmap-index"]);
        repo.git(&[
            "config",
            "--global",
            "init.templateDir",
            repo.path().to_str().expect("UTF-8"),
        ]);
        repo.git(&["config", "--global", "core.hooksPath", "/nowhere"]);
        let clone = repo.around().join("clone");
        open(&repo)
            .isolated_clone(oid(&tip), oid(&base), false, &clone)
            .expect("cloned");

        let words = [
            "rev-list",
            "--objects",
            &tip,
            &format!("^{base}^"),
            "--no-object-names",
        ];
        let mut reached: Vec<String> = repo.git(&words).lines().map(str::to_owned).collect();
        // What the commit below the base has too stands in the clone's base all the same.
        let tree = format!("{base}^{{tree}}");
        let words = ["ls-tree", "-rt", "--object-only", &tree];
        let listed = repo.git(&words);
        reached.extend(
            listed
                .lines()
                .map(str::to_owned)
                .filter(|id| !id.starts_with("1111")),
        );
        reached.push(repo.git(&["rev-parse", &tree]));
        reached.sort();
        reached.dedup();
        assert_eq!(objects(&repo, &clone), reached);

        assert_eq!(git_in(&repo, &clone, &["fsck", "--strict", "--full"]), "");
        assert_eq!(
            git_in(&repo, &clone, &["status", "--porcelain", "--ignored"]),
            ""
        );
        assert_eq!(
            git_in(&repo, &clone, &["rev-parse", "HEAD", "main"]),
            format!("{tip}\n{tip}")
        );
        assert_eq!(git_in(&repo, &clone, &["remote"]), "");
        assert_eq!(
            git_in(&repo, &clone, &["log", "--format=%s"]),
            "on it\nbase"
        );
        let refs = git_in(&repo, &clone, &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(refs, "refs/heads/main");
        for gone in [
            "hooks",
            "info",
            "objects/info/alternates",
            "packed-refs",
            "logs",
        ] {
            assert!(!clone.join(".git").join(gone).exists(), "{gone}");
        }
        let config = std::fs::read_to_string(clone.join(".git/config")).expect("readable");
        assert!(
            !config.contains("remote") && config.contains("name = agent"),
            "{config}"
        );
        // No file is shared with ours.
        for entry in std::fs::read_dir(clone.join(".git/objects/pack")).expect("a folder") {
            let meta = entry.expect("an entry").metadata().expect("its metadata");
            assert_eq!(meta.nlink(), 1);
        }
        git_in(
            &repo,
            &clone,
            &["commit", "-q", "--allow-empty", "-m", "own"],
        );
        let who = git_in(&repo, &clone, &["log", "-1", "--format=%an <%ae> %cn"]);
        assert_eq!(who, "agent <agent@localhost.invalid> agent");
    }
}

#[test]
fn files_are_written_byte_for_byte() {
    let (repo, base, tip) = project(&[]);
    let clone = repo.around().join("clone");
    let ours = open(&repo);
    ours.isolated_clone(oid(&tip), oid(&base), false, &clone)
        .expect("cloned");
    let tree = oid(&repo.git(&["rev-parse", &format!("{tip}^{{tree}}")]));
    let export = repo.around().join("export");
    ours.export(tree, &export).expect("exported");
    assert!(!export.join(".git").exists());
    for at in [&clone, &export] {
        let read = |name: &str| std::fs::read(at.join(name)).expect("readable");
        assert_eq!(read("README.md"), b"# Project\r\nwith line ends\r\n");
        assert_eq!(read("a.bin"), b"\0\x01\x02");
        assert_eq!(read("x.id"), b"$Id$\n");
        assert_eq!(
            std::fs::read_link(at.join("link")).expect("a link"),
            Path::new("deep/er")
        );
        let mode = |name: &str| at.join(name).metadata().expect("there").mode() & 0o111;
        assert_ne!(mode("run.sh"), 0);
        assert_eq!(mode("README.md"), 0);
        let inner = std::fs::read_dir(at.join("sub")).expect("a folder");
        assert_eq!(inner.count(), 0);
    }
    // And taken in again it is the same tree.
    let bounds = repo::Bounds::default();
    for at in [&clone, &export] {
        let taken = ours.take_in(at, tree, &bounds).expect("taken");
        assert_eq!(taken.tree, tree);
        assert_eq!((taken.files, taken.added.len()), (9, 0));
    }
    let e = ours.export(tree, &export).expect_err("it is full");
    assert!(e.to_string().contains("not empty"), "{e}");
}

#[test]
fn with_history_the_clone_goes_on_below_the_base() {
    let (repo, base, tip) = project(&[]);
    let clone = repo.around().join("clone");
    open(&repo)
        .isolated_clone(oid(&tip), oid(&base), true, &clone)
        .expect("cloned");
    assert_eq!(
        git_in(&repo, &clone, &["log", "--format=%s"]),
        "on it\nbase\nbefore"
    );
    assert!(!clone.join(".git/shallow").exists());
    let show = git_in(&repo, &clone, &["show", "HEAD~2:old.txt"]);
    assert_eq!(show, "what the project was once");
    assert_eq!(git_in(&repo, &clone, &["fsck", "--strict"]), "");

    // Of a repository that is cut off itself, what is there.
    let shallow = repo.around().join("shallow");
    let url = format!("file://{}", repo.path().display());
    let shown = shallow.to_str().expect("UTF-8");
    repo.git(&[
        "clone",
        "-q",
        "--depth",
        "2",
        "--branch",
        "evolve/x/y/1",
        &url,
        shown,
    ]);
    let again = repo.around().join("again");
    repo::Repo::discover(&shallow)
        .expect("opened")
        .isolated_clone(oid(&tip), oid(&base), true, &again)
        .expect("cloned");
    assert_eq!(
        git_in(&repo, &again, &["log", "--format=%s"]),
        "on it\nbase"
    );
    assert_eq!(git_in(&repo, &again, &["fsck", "--strict"]), "");
}

#[test]
fn a_tree_that_would_be_written_elsewhere_is_refused() {
    let repo = Repo::new();
    repo.write("f", "x");
    repo.commit("base");
    let blob = repo.git(&["rev-parse", "HEAD:f"]);
    let write = |entries: &[(&str, &str)]| {
        let folder = repo.around().join("raw");
        let mut bytes = Vec::new();
        for (mode, name) in entries {
            bytes.extend(format!("{mode} {name}\0").into_bytes());
            let hex = blob.as_bytes().chunks(2);
            bytes.extend(hex.map(|h| {
                u8::from_str_radix(std::str::from_utf8(h).expect("hex"), 16).expect("hex")
            }));
        }
        std::fs::write(&folder, bytes).expect("written");
        let shown = folder.to_str().expect("UTF-8").to_owned();
        repo.git(&["hash-object", "-w", "-t", "tree", "--literally", &shown])
    };
    for entries in [
        &[("100644", "..")][..],
        &[("100644", ".GIT")],
        &[("100644", "a/b")],
        &[("120000", "a"), ("100644", "a")],
        &[("120000", ".gitmodules")],
    ] {
        let tree = write(entries);
        let into = repo.around().join("export");
        let e = open(&repo).export(oid(&tree), &into).expect_err("refused");
        assert!(e.to_string().contains("malformed"), "{entries:?}: {e}");
    }
}
