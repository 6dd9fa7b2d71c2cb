//! Working through checkpoints by hand: what the tests of `begin`, `record` and `reset` share.

use std::process::Output;

use super::err;
use crate::support::Repo;

/// A project of three files and a plan that pins the build file, owns the tests and hides the
/// acceptance tests.
pub(super) fn project() -> Repo {
    let repo = Repo::new();
    fill(&repo);
    repo
}

pub(super) fn fill(repo: &Repo) {
    repo.write("src/A.java", "class A {\n}\n");
    repo.write("src/test/ATest.java", "class ATest {\n}\n");
    repo.write("pom.xml", "<project/>\n");
    repo.write(
        "evolve.toml",
        "[controls]\npinned = ['pom.xml', 'ci/']\ntests = 'src/test/'\nhidden = ['Acceptance*']\n",
    );
    repo.commit("project");
}

/// Runs `git-evolve`, expects success, gives what it said.
pub(super) fn well(repo: &Repo, words: &[&str]) -> String {
    done(repo.evolve(words), words)
}

pub(super) fn done(out: Output, words: &[&str]) -> String {
    assert_eq!(out.status.code(), Some(0), "{words:?}: {}", err(&out));
    assert!(out.stdout.is_empty(), "{words:?} prints data");
    err(&out)
}

/// Runs `git-evolve`, expects exit status `code` and that no ref, no file and not the index
/// changed; gives what it said.
pub(super) fn refused(repo: &Repo, code: i32, words: &[&str]) -> String {
    let before = state(repo);
    let out = repo.evolve(words);
    assert_eq!(out.status.code(), Some(code), "{words:?}: {}", err(&out));
    assert_eq!(state(repo), before, "{words:?}: {}", err(&out));
    err(&out)
}

/// Everything a refused command must leave alone.
pub(super) fn state(repo: &Repo) -> String {
    let head = std::fs::read_to_string(repo.path().join(".git/HEAD")).unwrap_or_default();
    let pending = std::fs::read_to_string(repo.path().join(".git/evolve/pending.json"));
    [
        head,
        pending.unwrap_or_default(),
        repo.git(&["for-each-ref"]),
        repo.git(&["ls-files", "-s", "-t"]),
        repo.git(&["status", "--porcelain", "--ignored"]),
    ]
    .join("\n--\n")
}

/// The fields of the checkpoint record on `commit`.
pub(super) fn record_on(repo: &Repo, commit: &str) -> serde_json::Value {
    let mut all = records_on(repo, "checkpoint", commit);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

pub(super) fn records_on(repo: &Repo, kind: &str, commit: &str) -> Vec<serde_json::Value> {
    let notes = format!("--ref=refs/notes/evolve/{kind}");
    let text = repo.git(&["notes", &notes, "show", commit]);
    let lines = text.lines();
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The paths in one of a record's lists.
pub(super) fn paths(record: &serde_json::Value, list: &str) -> Vec<String> {
    let first = record["work"][list]["first"].as_array().unwrap();
    let path = |p: &serde_json::Value| p["path"].as_str().unwrap().to_owned();
    first.iter().map(path).collect()
}

/// Runs the undo line of what a command said, as a shell would; `git evolve` is this program.
pub(super) fn undo(repo: &Repo, said: &str) {
    let line = said.lines().find_map(|l| l.strip_prefix("undo: ")).unwrap();
    let line = line.replace("git evolve", env!("CARGO_BIN_EXE_git-evolve"));
    let out = repo
        .command("sh", repo.path())
        .args(["-e", "-c", &line])
        .output()
        .unwrap();
    assert!(out.status.success(), "{line}: {}", err(&out));
}

/// The names of all refs.
pub(super) fn refs(repo: &Repo) -> Vec<String> {
    let all = repo.git(&["for-each-ref", "--format=%(refname)"]);
    all.lines().map(str::to_owned).collect()
}

/// Works through one checkpoint that adds one line to `src/A.java`.
pub(super) fn work_through(repo: &Repo, chain: &str, checkpoint: &str) {
    well(repo, &["begin", chain, checkpoint]);
    let old = std::fs::read_to_string(repo.path().join("src/A.java")).unwrap();
    repo.write("src/A.java", format!("{old}// {checkpoint}\n"));
    well(repo, &["record"]);
    well(repo, &["reset"]);
}
