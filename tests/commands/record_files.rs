//! `git evolve record`: which files are taken, which stop it, which are left out.

use super::checkpoints::{paths, project, record_on, refused, well};
use super::err;
use crate::support::Repo;

fn begun() -> Repo {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo
}

fn tree(repo: &Repo) -> Vec<String> {
    let listing = repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    listing.lines().map(str::to_owned).collect()
}

fn new_files(repo: &Repo) -> Vec<String> {
    let listing = repo.git(&["diff", "--name-only", "--diff-filter=A", "HEAD^", "HEAD"]);
    listing.lines().map(str::to_owned).collect()
}

#[test]
fn files_that_were_there_before_are_left_out_while_they_stay_as_they_are() {
    let repo = project();
    for name in ["same.txt", "changed.txt", "committed.txt", "asked.txt"] {
        repo.write(name, "before\n");
    }
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.write("changed.txt", "after\n");
    repo.write("src/B.java", "class B {}\n");
    repo.git(&["add", "committed.txt", "src/B.java"]);
    repo.git(&["commit", "-q", "-m", "own"]);
    let said = well(&repo, &["record", "--include", "asked.txt"]);
    assert!(
        said.contains("unchanged: 'committed.txt', 'same.txt'"),
        "{said}"
    );
    assert_eq!(new_files(&repo), ["asked.txt", "changed.txt", "src/B.java"]);
    let record = record_on(&repo, "HEAD");
    assert_eq!(paths(&record, "left_out"), ["committed.txt", "same.txt"]);
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "?? committed.txt\n?? same.txt"
    );
}

#[test]
fn new_files_that_look_like_credentials_or_are_large_stop_it() {
    let repo = begun();
    repo.write("src/B.java", "class B {}\n");
    for (name, content, why) in [
        (
            ".env",
            "A=1\n".to_owned(),
            "is called as files of credentials are",
        ),
        ("deploy/key.pem", "x\n".to_owned(), "is called as"),
        ("conf/credentials-x.json", "{}\n".to_owned(), "is called as"),
        (
            "src/Token.java",
            "String t = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\";\n".to_owned(),
            "holds what looks like a credential",
        ),
        (
            "big.bin",
            "x".repeat((10 << 20) + 1),
            "is larger than 10 MiB",
        ),
    ] {
        repo.write(name, &content);
        let said = refused(&repo, 2, &["record"]);
        assert!(said.contains(&format!("'{name}' {why}")), "{said}");
        assert!(!said.contains("B.java' "), "{said}");
        let id = repo.git(&["hash-object", name]);
        let known = repo
            .command("git", repo.path())
            .args(["cat-file", "-e", &id])
            .status();
        assert!(
            !known.unwrap().success(),
            "{name} came into the object store"
        );
        // The same once the agent committed it.
        repo.git(&["add", name]);
        repo.git(&["commit", "-q", "-m", "own"]);
        let said = refused(&repo, 2, &["record"]);
        assert!(said.contains(&format!("'{name}' {why}")), "{said}");
        repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        repo.write("src/B.java", "class B {}\n");
    }
}

#[test]
fn include_takes_and_exclude_leaves_out_what_stops_it() {
    let repo = begun();
    repo.write(".env", "A=1\n");
    repo.write("sub/.env", "B=1\n");
    repo.write("own.pem", "x\n");
    repo.git(&["add", "own.pem"]);
    repo.git(&["commit", "-q", "-m", "own"]);
    repo.write("scratch/a.txt", "x\n");
    refused(&repo, 2, &["record", "--include", ".env"]);
    for wrong in [
        &["record", "--include", "none.txt"][..],
        &["record", "--exclude", "none.txt"],
        &["record", "--exclude", "pom.xml"],
    ] {
        refused(&repo, 2, wrong);
    }
    // From a subfolder, with a specification of git's.
    let sub = repo.path().join("sub");
    let words = [
        "record",
        "--include",
        ".env",
        "--exclude",
        "../.env",
        ":(top)*.pem",
        "../scratch",
    ];
    let out = repo.evolve_in(&sub, &words);
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    assert!(
        err(&out).contains("the agent's own commits still hold it"),
        "{}",
        err(&out)
    );
    assert_eq!(new_files(&repo), ["sub/.env"]);
    let record = record_on(&repo, "HEAD");
    assert_eq!(
        paths(&record, "left_out"),
        [".env", "own.pem", "scratch/a.txt"]
    );
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "?? .env\n?? own.pem\n?? scratch/"
    );
}

#[test]
fn an_edited_gitignore_does_not_hide_work() {
    let repo = begun();
    repo.write(
        ".gitignore",
        "secret/\n*.log.py\nnode_modules/\nbuild/\n*.o\n",
    );
    repo.write("secret/deep/Hidden.java", "class Hidden {}\n");
    repo.write("x.log.py", "x = 1\n");
    repo.write("node_modules/m/index.js", "1\n");
    repo.write("build/Gen.java", "class Gen {}\n");
    repo.write("secret/a.o", "1\n");
    let said = well(&repo, &["record", "--include", "x.log.py"]);
    assert!(
        said.contains(
            "ignored files that look like source, not recorded: 'secret/deep/Hidden.java' ("
        ),
        "{said}"
    );
    let record = record_on(&repo, "HEAD");
    assert_eq!(
        paths(&record, "ignored_sources"),
        ["secret/deep/Hidden.java"]
    );
    assert_eq!(new_files(&repo), [".gitignore", "x.log.py"]);
}

#[test]
fn a_nested_repository_is_said_and_a_declared_submodule_is_not() {
    let repo = begun();
    let nested = Repo::new();
    nested.write("X.java", "class X {}\n");
    nested.commit("x");
    let source = nested.path().to_str().unwrap();
    repo.git(&["clone", "-q", source, "lib"]);
    repo.git(&["init", "-q", "empty"]);
    repo.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        source,
        "module",
    ]);
    let other = repo.path().join(".claude/worktrees/w");
    repo.git(&["worktree", "add", "-q", "-b", "w", other.to_str().unwrap()]);
    let said = well(&repo, &["record"]);
    assert!(
        said.contains("repositories of their own, of which a commit id alone is recorded: 'lib'"),
        "{said}"
    );
    assert!(
        said.contains("'empty' is a repository of its own without a commit"),
        "{said}"
    );
    let record = record_on(&repo, "HEAD");
    assert_eq!(paths(&record, "nested"), ["lib"]);
    assert_eq!(new_files(&repo), [".gitmodules", "lib", "module"]);
    assert!(!tree(&repo).iter().any(|p| p.starts_with(".claude")));
}

#[test]
fn a_change_of_the_same_size_in_the_same_moment_is_seen() {
    let repo = begun();
    // As on a file system of coarse times: size and time alone say whether a file is the same.
    repo.git(&["config", "core.checkStat", "minimal"]);
    repo.git(&["config", "core.trustctime", "false"]);
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let at_that_moment = |path: &str| {
        let file = std::fs::File::options()
            .write(true)
            .open(repo.path().join(path));
        file.unwrap().set_modified(moment).unwrap();
    };
    repo.write("src/B.java", "class B { int a; }\n");
    at_that_moment("src/B.java");
    repo.git(&["add", "src/B.java"]);
    repo.write("src/B.java", "class B { int b; }\n");
    at_that_moment("src/B.java");
    at_that_moment(".git/index");
    well(&repo, &["record"]);
    assert_eq!(repo.git(&["show", "HEAD:src/B.java"]), "class B { int b; }");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn files_that_git_was_told_not_to_look_at_are_said() {
    let repo = begun();
    repo.git(&["update-index", "--assume-unchanged", "src/A.java"]);
    repo.git(&["update-index", "--skip-worktree", "pom.xml"]);
    let said = well(&repo, &["record"]);
    assert!(
        said.contains("does not look at them: 'pom.xml', 'src/A.java'"),
        "{said}"
    );
}
