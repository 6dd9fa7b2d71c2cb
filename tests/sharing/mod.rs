//! Push, fetch and clone against real repositories: bare ones as servers, on this machine alone.
//!
//! Each situation in which records get lost elsewhere, with an assertion on what is there after.

mod agents;
mod clones;
mod crowds;
mod names;
mod publishing;
mod refspecs;
mod servers;
mod transports;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use git_evolve::ledger::{Batch, Entry, append};
use git_evolve::record::{
    Body, ChainPath, Checkpoint, Event, Head, Kind, Moment, ObjectName, Record, RecordId, Role,
    mask::Masker,
};
use git_evolve::repo::{Oid, Repo as Opened};

use crate::support::Repo;

/// The path of the chain that most tests publish.
const PATH: &str = "demo/plain/1";
/// The ref of checkpoint records.
const NOTES: &str = "refs/notes/evolve/checkpoint";

/// A project with one chain and a record on each of its commits, and a server that has the
/// project alone.
struct Field {
    repo: Repo,
    server: PathBuf,
    /// Base, agent and reset commit.
    chain: Vec<String>,
}

impl Field {
    fn new() -> Field {
        let field = Field::without_records();
        for commit in &field.chain {
            record(field.repo.path(), commit);
        }
        field
    }

    fn without_records() -> Field {
        Field::with(&[])
    }

    /// The same with more words for `git init`, here and on the server.
    fn with(init: &[&str]) -> Field {
        let repo = Repo::with(init);
        repo.write("f", "a\n");
        repo.commit("project");
        let server = bare(&repo, "server.git");
        if !init.is_empty() {
            std::fs::remove_dir_all(&server).expect("removed");
            let words = [
                &["init", "-q", "--bare", "-b", "main"],
                init,
                &["server.git"],
            ]
            .concat();
            git(&repo, repo.around(), &words);
        }
        repo.git(&["remote", "add", "origin", server.to_str().expect("utf-8")]);
        repo.git(&["push", "-q", "origin", "main"]);
        let chain = chain(&repo, repo.path(), PATH);
        Field {
            repo,
            server,
            chain,
        }
    }

    /// The same, and all of it published.
    fn published() -> Field {
        let field = Field::new();
        field.good(field.repo.path(), &["push", "--yes"]);
        field
    }

    fn at(&self, name: &str) -> PathBuf {
        self.repo.around().join(name)
    }

    /// A plain clone of the server.
    fn clone(&self, name: &str, more: &[&str]) -> PathBuf {
        let to = self.at(name);
        let mut words = vec!["clone", "-q"];
        words.extend(more);
        let url = format!("file://{}", self.server.display());
        words.extend([url.as_str(), to.to_str().expect("utf-8")]);
        git(&self.repo, self.repo.around(), &words);
        to
    }

    fn evolve(&self, dir: &Path, words: &[&str]) -> Output {
        self.repo.evolve_in(dir, words)
    }

    /// Runs the program, expects success, gives its words.
    fn good(&self, dir: &Path, words: &[&str]) -> String {
        let out = self.evolve(dir, words);
        let said = said(&out);
        assert_eq!(out.status.code(), Some(0), "{words:?}: {said}");
        said
    }

    /// Runs the program, expects this exit code, gives its words.
    fn bad(&self, dir: &Path, words: &[&str], code: i32) -> String {
        let out = self.evolve(dir, words);
        let said = said(&out);
        assert_eq!(out.status.code(), Some(code), "{words:?}: {said}");
        said
    }

    fn git(&self, dir: &Path, words: &[&str]) -> String {
        git(&self.repo, dir, words)
    }

    /// The refs below `prefix` with their commits.
    fn refs(&self, dir: &Path, prefix: &str) -> String {
        let format = "--format=%(refname) %(objectname)";
        self.git(dir, &["for-each-ref", format, prefix])
    }

    fn has(&self, dir: &Path, name: &str) -> Option<String> {
        let found = self.git(
            dir,
            &["for-each-ref", "--format=%(objectname) %(refname)", name],
        );
        let line = found.lines().find(|l| l.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    }

    /// The ids of the checkpoint records in `dir`'s own notes, with their commits.
    fn records(&self, dir: &Path) -> BTreeSet<(String, String)> {
        records_at(&self.repo, dir, NOTES)
    }
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn bare(repo: &Repo, name: &str) -> PathBuf {
    let path = repo.around().join(name);
    let words = ["init", "-q", "--bare", "-b", "main"];
    let target = path.to_str().expect("utf-8");
    git(repo, repo.around(), &[&words[..], &[target]].concat());
    path
}

fn git(repo: &Repo, dir: &Path, words: &[&str]) -> String {
    let out = repo
        .command("git", dir)
        .args(words)
        .output()
        .expect("git runs");
    assert!(out.status.success(), "git {words:?}: {}", said(&out));
    String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
}

/// Makes a chain on the commit that `dir` has checked out: base, agent, reset; its branch and its
/// keep ref. `HEAD` is where it was.
fn chain(repo: &Repo, dir: &Path, path: &str) -> Vec<String> {
    let begin = RecordId::new();
    let mut parent = git(repo, dir, &["rev-parse", "HEAD"]);
    let tree = git(repo, dir, &["rev-parse", "HEAD^{tree}"]);
    let mut commits = Vec::new();
    for (checkpoint, role) in [("0 base", "base"), ("1 one", "agent"), ("1 one", "reset")] {
        let mut message = format!(
            "{role}\n\nEvolve-Chain: {path}\nEvolve-Checkpoint: {checkpoint}\nEvolve-Role: {role}\n"
        );
        if role == "base" {
            message.push_str(&format!("Evolve-Begin: {}\n", begin.as_str()));
        }
        parent = git(
            repo,
            dir,
            &["commit-tree", &tree, "-p", &parent, "-m", &message],
        );
        commits.push(parent.clone());
    }
    let keep = format!("refs/evolve/chains/{path}");
    let branch = format!("refs/heads/evolve/{path}");
    git(repo, dir, &["update-ref", &keep, &parent]);
    git(repo, dir, &["update-ref", &branch, &parent]);
    commits
}

/// A commit on `parent` with the same tree, and trailers of `path` where it is one of a chain.
fn commit_on(
    repo: &Repo,
    dir: &Path,
    parent: &str,
    subject: &str,
    chain: Option<(&str, u32)>,
) -> String {
    let tree = git(repo, dir, &["rev-parse", &format!("{parent}^{{tree}}")]);
    let mut message = format!("{subject}\n");
    if let Some((path, k)) = chain {
        message.push_str(&format!(
            "\nEvolve-Chain: {path}\nEvolve-Checkpoint: {k} c{k}\nEvolve-Role: agent\n"
        ));
    }
    git(
        repo,
        dir,
        &["commit-tree", &tree, "-p", parent, "-m", &message],
    )
}

/// The line of a new checkpoint record for `commit`.
fn entry(dir: &Path, commit: &str) -> Entry {
    let reader = Opened::discover(dir)
        .expect("open")
        .reader()
        .expect("reader");
    let target = Oid::from_hex(commit).expect("an id");
    let object = reader.commit(target).expect("a commit");
    let name = |id: Oid| ObjectName::parse(&id.to_string()).expect("an id");
    let record = Record {
        head: Head {
            id: RecordId::new(),
            at: Moment::now(),
            tool: "git-evolve test".to_owned(),
            chain: ChainPath::parse(PATH).expect("a path"),
            begin: RecordId::new(),
            checkpoint: 1,
            checkpoint_id: "one".to_owned(),
            role: Role::Agent,
            commit: name(target),
            tree: name(object.tree),
            parent: object.parents.first().map(|p| name(*p)),
            for_checkpoint: None,
            attempt: None,
        },
        body: Body::from(Checkpoint::of(Event::Agent)),
        masked: Vec::new(),
    };
    Entry {
        kind: Kind::Checkpoint,
        target,
        line: record.line(&Masker::general()).expect("a line"),
    }
}

/// Writes a checkpoint record for `commit` and gives its id.
fn record(dir: &Path, commit: &str) -> String {
    let entry = entry(dir, commit);
    let id = entry.line.id().as_str().to_owned();
    let batch = Batch {
        entries: vec![entry],
        configs: Vec::new(),
    };
    append(&Opened::discover(dir).expect("open"), batch).expect("written");
    id
}

/// The ids of the records in a notes ref or commit, with their commits.
fn records_at(repo: &Repo, dir: &Path, at: &str) -> BTreeSet<(String, String)> {
    let there = repo
        .command("git", dir)
        .args(["rev-parse", "-q", "--verify", at])
        .output()
        .expect("git runs");
    if !there.status.success() {
        return BTreeSet::new();
    }
    let listed = git(repo, dir, &["ls-tree", "-r", at]);
    let mut found = BTreeSet::new();
    for line in listed.lines() {
        let (meta, path) = line.split_once('\t').expect("a tree entry");
        let blob = meta.split(' ').nth(2).expect("an id");
        let target = path.replace('/', "");
        for line in git(repo, dir, &["cat-file", "blob", blob]).lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            let id = value["id"].as_str().expect("an id").to_owned();
            assert!(found.insert((target.clone(), id)), "twice: {line}");
        }
    }
    found
}

/// Writes a hook of a bare repository or a work tree.
fn hook(dir: &Path, name: &str, script: &str) {
    let folder = if dir.join("hooks").is_dir() {
        dir.join("hooks")
    } else {
        dir.join(".git/hooks")
    };
    std::fs::create_dir_all(&folder).expect("a folder");
    script_at(&folder.join(name), script);
}

fn script_at(path: &Path, script: &str) {
    crate::support::executable(path, format!("#!/bin/sh\n{script}\n"), 0o755);
}
