//! What git does to records, and what an environment does to git: each situation made by real
//! git, and what the program then says, or what it left in the repository. `docs/pitfalls.md`
//! lists them, with the tests of the other folders that hold some of them.

mod hooks;
mod named;
mod notes;
mod rewriting;
mod shapes;
mod sharing;
mod trailers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Mutex;

use serde_json::Value;

use crate::support::Repo;

/// The chain that most tests work on.
const CHAIN: &str = "exp/arm/1";
/// Its branch.
const BRANCH: &str = "evolve/exp/arm/1";
/// Its keep ref.
const KEPT: &str = "refs/evolve/chains/exp/arm/1";
/// Where checkpoint records are.
const CHECKPOINTS: &str = "refs/notes/evolve/checkpoint";

fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A project of one class.
fn project() -> Repo {
    project_with(&[])
}

/// The same, with more words for `git init`.
fn project_with(init: &[&str]) -> Repo {
    let repo = Repo::with(init);
    repo.write("src/A.java", class(0));
    repo.commit("project");
    repo
}

/// A class whose one method has so many branches.
fn class(branches: usize) -> String {
    let mut text = "class A {\n    int f(int x) {\n".to_owned();
    for i in 0..branches {
        text.push_str(&format!("        if (x == {i}) return {i};\n"));
    }
    text + "        return x;\n    }\n}\n"
}

/// Runs the program in `dir`, expects success, gives what it did.
fn done(repo: &Repo, dir: &Path, words: &[&str]) -> Output {
    let o = repo.evolve_in(dir, words);
    assert_eq!(
        o.status.code(),
        Some(0),
        "{words:?}: {}{}",
        out(&o),
        err(&o)
    );
    o
}

/// The same in the work tree; gives what it said.
fn well(repo: &Repo, words: &[&str]) -> String {
    err(&done(repo, repo.path(), words))
}

/// Runs the program, expects this exit code, gives what it said.
fn fails(repo: &Repo, code: i32, words: &[&str]) -> String {
    let o = repo.evolve(words);
    assert_eq!(
        o.status.code(),
        Some(code),
        "{words:?}: {}{}",
        out(&o),
        err(&o)
    );
    err(&o)
}

/// Git in any folder: success expected, its output without the last line feed.
fn git(repo: &Repo, dir: &Path, words: &[&str]) -> String {
    let o = repo.command("git", dir).args(words).output();
    let o = o.expect("git runs");
    assert!(o.status.success(), "git {words:?}: {}", err(&o));
    out(&o).trim_end_matches('\n').to_owned()
}

/// Git whose success does not matter.
fn perhaps(repo: &Repo, words: &[&str]) -> Output {
    let mut command = repo.command("git", repo.path());
    command.env("GIT_EDITOR", "true").args(words);
    command.output().expect("git runs")
}

/// A file beside the work tree, for `--envelope` and the like.
fn captured(repo: &Repo, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = repo.around().join(name);
    std::fs::write(&path, content).expect("written");
    text(&path).to_owned()
}

/// Works through checkpoint `k` of [`CHAIN`]: one more branch in `f`, an envelope, a report.
fn checkpoint(repo: &Repo, k: usize) {
    well(repo, &["begin", CHAIN, &k.to_string()]);
    repo.write("src/A.java", class(k));
    capture(repo, k);
    well(repo, &["reset"]);
}

/// Records what is pending, with an envelope and a report.
fn capture(repo: &Repo, k: usize) {
    let envelope = captured(repo, "envelope.json", format!("{{\"cost\":{k}}}\n"));
    let report = captured(repo, "report.xml", format!("<t n=\"{k}\"/>\n"));
    well(
        repo,
        &["record", "--envelope", &envelope, "--tests", &report],
    );
}

/// A project with a chain of so many checkpoints, its branch checked out: a copy of one that was
/// worked through.
fn worked(checkpoints: usize) -> Repo {
    static MADE: Mutex<BTreeMap<usize, Repo>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().expect("no test failed in making it");
    let original = made.entry(checkpoints).or_insert_with(|| {
        let repo = project();
        for k in 1..=checkpoints {
            checkpoint(&repo, k);
        }
        repo
    });
    let repo = Repo::new();
    let from = format!("{}/.", text(original.path()));
    let words = ["-a", &from, text(repo.path())];
    let copied = repo.command("cp", repo.around()).args(words).status();
    assert!(copied.expect("cp runs").success());
    repo
}

/// The commits of the chain: base, agent 1, reset 1, …
fn line(repo: &Repo) -> Vec<String> {
    let range = format!("main..{KEPT}");
    let listed = repo.git(&["rev-list", "--reverse", "--first-parent", &range]);
    listed.lines().map(str::to_owned).collect()
}

/// The lines of a note, as bytes are.
fn lines_on(repo: &Repo, kind: &str, commit: &str) -> Vec<String> {
    let notes = format!("--ref=refs/notes/evolve/{kind}");
    let o = perhaps(repo, &["notes", &notes, "show", commit]);
    out(&o).lines().map(str::to_owned).collect()
}

/// The records in it.
fn records_on(repo: &Repo, kind: &str, commit: &str) -> Vec<Value> {
    let lines = lines_on(repo, kind, commit);
    let read = |l: &String| serde_json::from_str(l).expect("a JSON line");
    lines.iter().filter(|l| !l.is_empty()).map(read).collect()
}

/// Puts a note of any content on anything, as git stores it.
fn put(repo: &Repo, kind: &str, target: &str, content: &str) {
    let file = captured(repo, "note", content);
    let blob = repo.git(&["hash-object", "-w", "--no-filters", &file]);
    let notes = format!("--ref=refs/notes/evolve/{kind}");
    repo.git(&["notes", &notes, "add", "-f", "-C", &blob, target]);
}

fn document(o: &Output) -> Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", out(o), err(o)))
}

/// What `status` says in `dir`, whatever its exit code.
fn status_in(repo: &Repo, dir: &Path) -> Value {
    document(&repo.evolve_in(dir, &["status", "--format", "json"]))
}

fn status(repo: &Repo) -> Value {
    status_in(repo, repo.path())
}

/// The ids of the findings of `verify` or `doctor`.
fn found_in(repo: &Repo, dir: &Path, command: &str) -> Vec<String> {
    let document = document(&repo.evolve_in(dir, &[command, "--format", "json"]));
    let findings = document["findings"].as_array().expect("a list");
    let id = |f: &Value| f["id"].as_str().expect("a word").to_owned();
    findings.iter().map(id).collect()
}

fn found(repo: &Repo, command: &str) -> Vec<String> {
    found_in(repo, repo.path(), command)
}

/// Nothing to be mended is found, the exit code says so.
fn sound(repo: &Repo, dir: &Path) {
    done(repo, dir, &["verify"]);
}

/// The rows of `log` with these words.
fn log_in(repo: &Repo, dir: &Path, words: &[&str]) -> Vec<Value> {
    let words = [&["log", "--format", "jsonl"], words].concat();
    let text = out(&done(repo, dir, &words));
    let read = |l: &str| serde_json::from_str(l).expect("a JSON line");
    text.lines().map(read).collect()
}

/// The figures of the chain, checkpoint by checkpoint.
fn figures(repo: &Repo, dir: &Path) -> Vec<(u64, Value)> {
    let rows = log_in(repo, dir, &["--chain", CHAIN]);
    let row = |r: &Value| {
        (
            r["checkpoint"].as_u64().expect("a number"),
            r["metrics"].clone(),
        )
    };
    rows.iter().map(row).collect()
}

/// A bare repository, called `origin` here, which has `main`.
fn server(repo: &Repo) -> PathBuf {
    let path = repo.around().join("server.git");
    repo.git(&["init", "-q", "--bare", "-b", "main", text(&path)]);
    repo.git(&["remote", "add", "origin", text(&path)]);
    repo.git(&["push", "-q", "origin", "main"]);
    path
}

/// A hook of the user's.
fn hook(repo: &Repo, name: &str, body: &str) {
    let path = repo.path().join(".git/hooks").join(name);
    crate::support::executable(&path, format!("#!/bin/sh\n{body}\n"), 0o755);
}
