//! `begin`, `record` and `reset` in repositories of every shape.

use super::checkpoints::{done, fill, project, record_on, well};
use super::err;
use crate::support::Repo;

#[test]
fn a_checkpoint_is_worked_through_in_either_hash_and_ref_format() {
    for init in ["--object-format=sha256", "--ref-format=reftable"] {
        let repo = Repo::with(&[init]);
        fill(&repo);
        well(&repo, &["begin", "exp/arm/1", "1"]);
        repo.write("src/B.java", "class B {}\n");
        repo.write("pom.xml", "<other/>\n");
        repo.commit("own");
        repo.write("src/A.java", "class A { int a; }\n");
        well(&repo, &["record"]);
        let said = well(&repo, &["reset"]);
        assert!(
            said.contains("put back 1 path: 'pom.xml'"),
            "{init}: {said}"
        );
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{init}");
        assert_eq!(record_on(&repo, "HEAD^")["event"], "agent", "{init}");
        assert_eq!(
            repo.git(&["fsck", "--strict", "--no-dangling"]),
            "",
            "{init}"
        );
        well(&repo, &["begin", "exp/arm/1", "2"]);
    }
}

#[cfg(unix)]
#[test]
fn odd_paths_links_and_modes_come_through() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repo = project();
    repo.write("ci/run", "#!/bin/sh\n");
    symlink("run", repo.path().join("ci/link")).unwrap();
    repo.write("folder/inside.txt", "x\n");
    repo.write("file", "x\n");
    repo.commit("more");
    well(&repo, &["begin", "exp/arm/1", "1"]);
    let odd = [
        &b"bad\xff.py"[..],
        b"sp ace\nnl.py",
        b"\"quote'.py",
        b":(top)x.py",
        b"-dash.py",
    ];
    for name in odd {
        let name = std::ffi::OsStr::from_bytes(name);
        std::fs::write(repo.path().join(name), "x = 1\n").unwrap();
    }
    let full = |p: &str| repo.path().join(p);
    std::fs::set_permissions(full("ci/run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(full("ci/link")).unwrap();
    symlink("../pom.xml", full("ci/link")).unwrap();
    std::fs::remove_dir_all(full("folder")).unwrap();
    repo.write("folder", "now a file\n");
    std::fs::remove_file(full("file")).unwrap();
    repo.write("file/inside.txt", "now a folder\n");
    well(&repo, &["record"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let listing = repo.git(&["-c", "core.quotePath=true", "ls-tree", "-r", "HEAD"]);
    for line in [
        "\"bad\\377.py\"",
        "\"sp ace\\nnl.py\"",
        "\tfolder",
        "\tfile/inside.txt",
    ] {
        assert!(listing.contains(line), "{line}: {listing}");
    }
    assert!(
        listing.contains("100755 blob") && listing.contains("120000 blob"),
        "{listing}"
    );
    let record = record_on(&repo, "HEAD");
    let hex = |p: &serde_json::Value| p["path_hex"] == "626164ff2e7079";
    assert!(
        record["work"]["untracked"]["first"]
            .as_array()
            .unwrap()
            .iter()
            .any(hex)
    );

    // All under ci/ is pinned: mode and link come back.
    let said = well(&repo, &["reset"]);
    assert!(
        said.contains("put back 2 paths: 'ci/link', 'ci/run'"),
        "{said}"
    );
    assert_eq!(
        std::fs::read_link(full("ci/link")).unwrap(),
        std::path::Path::new("run")
    );
    let mode = std::fs::metadata(full("ci/run"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn line_ends_and_filters_act_as_git_add_does() {
    let repo = project();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    repo.write(
        ".gitattributes",
        "*.up filter=up\n*.bin -text\npom.xml eol=lf\n",
    );
    repo.commit("attributes");
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.write("src/A.java", "class A {\r\n}\r\n");
    repo.write("src/B.java", "class B {\r\n}\r\n");
    repo.write("x.up", "abc\n");
    repo.write("x.bin", "a\r\n");
    well(&repo, &["record"]);
    let shown = |path: &str| {
        let spec = format!("HEAD:{path}");
        let out = repo
            .command("git", repo.path())
            .args(["cat-file", "blob", &spec])
            .output();
        String::from_utf8(out.unwrap().stdout).unwrap()
    };
    assert_eq!(shown("src/B.java"), "class B {\n}\n");
    assert_eq!(shown("x.up"), "ABC\n");
    assert_eq!(shown("x.bin"), "a\r\n");
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD", "--", "src/A.java"]),
        ""
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(
        std::fs::read(repo.path().join("src/B.java")).unwrap(),
        b"class B {\r\n}\r\n"
    );
}

#[test]
fn a_sparse_checkout_loses_nothing() {
    let repo = project();
    repo.write("far/F.java", "class F {}\n");
    repo.write("ci/build.yml", "a\n");
    repo.commit("more");
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.git(&[
        "sparse-checkout",
        "set",
        "--no-cone",
        "/*",
        "!/far/",
        "!/ci/",
    ]);
    assert!(!repo.path().join("far").exists());
    repo.write("src/B.java", "class B {}\n");
    repo.write("far/New.java", "class New {}\n");
    well(&repo, &["record"]);
    let diff = repo.git(&["diff", "--name-status", "HEAD^", "HEAD"]);
    assert_eq!(diff, "A\tfar/New.java\nA\tsrc/B.java");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.path().join("far/F.java").exists());

    // A pinned path outside the checkout comes back in the commit, and not on disk.
    let blob = repo.git(&["rev-parse", "HEAD:pom.xml"]);
    well(&repo, &["reset"]);
    well(&repo, &["begin", "exp/arm/1", "2"]);
    repo.git(&[
        "update-index",
        "--cacheinfo",
        &format!("100644,{blob},ci/build.yml"),
    ]);
    repo.git(&["update-index", "--skip-worktree", "ci/build.yml"]);
    repo.git(&["commit", "-q", "-m", "own"]);
    well(&repo, &["record"]);
    let said = well(&repo, &["reset"]);
    assert!(said.contains("put back 1 path: 'ci/build.yml'"), "{said}");
    assert_eq!(repo.git(&["show", "HEAD:ci/build.yml"]), "a");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(!repo.path().join("ci/build.yml").exists());
}

#[test]
fn linked_work_trees_and_subfolders_work_each_for_themselves() {
    let repo = project();
    let mut folders = vec![];
    for n in 1..=3 {
        let folder = repo.around().join(format!("w{n}"));
        repo.git(&[
            "worktree",
            "add",
            "-q",
            "--detach",
            folder.to_str().unwrap(),
            "main",
        ]);
        folders.push(folder);
    }
    let run = |n: usize, words: &[&str]| {
        let inside = folders[n].join("src");
        done(repo.evolve_in(&inside, words), words)
    };
    for (n, folder) in folders.iter().enumerate() {
        run(n, &["begin", &format!("exp/arm/{}", n + 1), "1"]);
        std::fs::write(folder.join(format!("src/N{n}.java")), "class N {}\n").unwrap();
    }
    for n in 0..3 {
        run(n, &["record"]);
        run(n, &["reset"]);
        let branch = format!("evolve/exp/arm/{}", n + 1);
        assert_eq!(
            repo.git(&["diff", "--name-only", "main", &branch]),
            format!("src/N{n}.java")
        );
    }
    assert!(!repo.path().join(".git/evolve/pending.json").exists());
}

#[test]
fn ten_work_trees_record_at_once() {
    let repo = project();
    let threads: Vec<_> = (1..=10)
        .map(|n| {
            let folder = repo.around().join(format!("w{n}"));
            repo.git(&[
                "worktree",
                "add",
                "-q",
                "--detach",
                folder.to_str().unwrap(),
                "main",
            ]);
            let mut commands = Vec::new();
            for k in 1..=3 {
                for words in [
                    vec!["begin".to_owned(), format!("exp/arm/{n}"), k.to_string()],
                    vec!["record".to_owned()],
                    vec!["reset".to_owned()],
                ] {
                    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), &folder);
                    command.args(&words);
                    commands.push((k, words, command));
                }
            }
            std::thread::spawn(move || {
                for (k, words, mut command) in commands {
                    if words[0] == "record" {
                        std::fs::write(folder.join(format!("F{k}.java")), "class F {}\n").unwrap();
                    }
                    let out = command.output().unwrap();
                    assert_eq!(out.status.code(), Some(0), "{n} {words:?}: {}", err(&out));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let notes = repo.git(&["notes", "--ref=refs/notes/evolve/checkpoint", "list"]);
    assert_eq!(notes.lines().count(), 10 * (1 + 3 * 2));
    let kept = repo.git(&["for-each-ref", "refs/evolve/chains"]);
    assert_eq!(kept.lines().count(), 10);
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}
