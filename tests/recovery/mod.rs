//! Chains whose history somebody rewrote: what still counts, what is said, what comes back.
//!
//! | file | for what |
//! | --- | --- |
//! | `mod` | a recorded chain of 60 checkpoints, and what is done to it |
//! | `kept` | with the keep ref in place every figure stays, whatever is done |
//! | `lost` | without it: what `reconcile` proposes, does, and says is gone |
//! | `rules` | which of several lines counts, in every clone alike |
//! | `scored` | the configuration that a chain's records name |

mod kept;
mod lost;
mod rules;
mod scored;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, OnceLock};

use git_evolve::ledger::{Batch, Entry, append};
use git_evolve::record::mask::Masker;
use git_evolve::record::{
    Body, ChainPath, Checkpoint, Event, Head, Moment, ObjectName, Record, RecordId, Role, Suite,
    Tests,
};
use git_evolve::repo::{Oid, Repo as Opened};

use crate::support::Repo;

pub const BEGIN: &str = "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e";
pub const PATH: &str = "exp/arm/1";
pub const BRANCH: &str = "evolve/exp/arm/1";
pub const KEEP: &str = "refs/evolve/chains/exp/arm/1";
/// Checkpoints of the generated chain.
pub const LENGTH: u32 = 60;

/// A repository with one recorded chain, its branch checked out.
pub struct Ground {
    pub repo: Repo,
    carrying: Carrying,
    branch: &'static str,
    path: &'static str,
    /// What the subjects of the commits that are dropped hold, as `sed` reads it.
    dropped: &'static str,
}

/// The message of a commit of the chain.
fn message(k: u32, role: &str) -> String {
    let place = match k {
        0 => "0 base".to_owned(),
        k => format!("{k} step-{k}"),
    };
    let mut text = format!(
        "{place} {role}\n\nEvolve-Chain: {PATH}\nEvolve-Checkpoint: {place}\nEvolve-Role: {role}\n"
    );
    if role == "base" {
        let _ = writeln!(text, "Evolve-Begin: {BEGIN}");
    }
    text
}

/// The commits as `git fast-import` reads them: each agent commit changes one method;
/// each third one touches a pinned file, which the reset commit after it puts back.
fn stream() -> String {
    let mut out = String::new();
    let mut time = 1_700_000_000;
    let mut commit =
        |branch: &str, from: Option<&str>, message: &str, files: &[(String, String)]| {
            time += 60;
            let _ = writeln!(out, "commit {branch}");
            let _ = writeln!(out, "committer Ada <ada@example.invalid> {time} +0000");
            let _ = write!(out, "data {}\n{message}", message.len());
            if let Some(from) = from {
                let _ = writeln!(out, "from {from}");
            }
            for (path, text) in files {
                let _ = write!(out, "M 644 inline {path}\ndata {}\n{text}\n", text.len());
            }
        };
    let pinned = || ("Pinned.java".to_owned(), "class Pinned {}\n".to_owned());
    // One method a checkpoint, far enough apart to be changed in any order.
    let class = |n: u32, k: u32| {
        let mut text = format!("class C{n} {{\n");
        for of in (1..=LENGTH).filter(|of| of % 4 == n) {
            let value = if of <= k { of } else { 0 };
            let _ = write!(
                text,
                "    int m{of}(int a) {{\n        int b = a;\n        return b + {value};\n    }}\n\n"
            );
        }
        text.push_str("}\n");
        (format!("src/C{n}.java"), text)
    };
    let branch = format!("refs/heads/{BRANCH}");
    commit(
        "refs/heads/main",
        None,
        "project\n",
        &[pinned(), ("README".to_owned(), "read me\n".to_owned())],
    );
    let first: Vec<_> = (0..4).map(|n| class(n, 0)).collect();
    commit(
        &branch,
        Some("refs/heads/main"),
        &message(0, "base"),
        &first,
    );
    for k in 1..=LENGTH {
        let mut files = vec![class(k % 4, k)];
        if k % 3 == 0 {
            files.push((
                "Pinned.java".to_owned(),
                format!("class Pinned {{ int i{k}; }}\n"),
            ));
        }
        commit(&branch, None, &message(k, "agent"), &files);
        let back: &[(String, String)] = if k % 3 == 0 { &[pinned()] } else { &[] };
        commit(&branch, None, &message(k, "reset"), back);
    }
    out
}

/// The repository that all tests start from.
struct Original {
    git_dir: PathBuf,
    /// Id and subject of each commit of the chain.
    listed: String,
    _folder: Mutex<Repo>,
}

/// Made once.
fn original() -> &'static Original {
    static MADE: OnceLock<Original> = OnceLock::new();
    MADE.get_or_init(|| {
        let repo = Repo::new();
        let mut import = repo
            .command("git", repo.path())
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git runs");
        let pipe = import.stdin.as_mut().expect("a pipe");
        pipe.write_all(stream().as_bytes()).expect("written");
        assert!(import.wait().expect("git ends").success());
        repo.git(&["update-ref", "--create-reflog", KEEP, BRANCH]);
        record(&repo, BRANCH);
        repo.git(&["pack-refs", "--all"]);
        Original {
            git_dir: repo.path().join(".git"),
            listed: repo.git(&["log", "--format=%H %s", BRANCH]),
            _folder: Mutex::new(repo),
        }
    })
}

/// Records every commit of the chain that ends at `tip`, as `begin`, `record` and `reset` do.
pub fn record(repo: &Repo, tip: &str) {
    let listed = repo.git(&[
        "log",
        "--first-parent",
        "--reverse",
        "--format=%H %T %P|%s",
        tip,
    ]);
    let mut batch = Batch::default();
    for line in listed.lines() {
        let (ids, subject) = line.split_once('|').expect("a subject");
        let ids: Vec<&str> = ids.split_whitespace().collect();
        let words: Vec<&str> = subject.split(' ').collect();
        let [k, id, role] = words.as_slice() else {
            continue;
        };
        let role = match *role {
            "base" => Role::Base,
            "agent" => Role::Agent,
            "reset" => Role::Reset,
            _ => continue,
        };
        let mut bodies = vec![Body::from(Checkpoint::of(match role {
            Role::Base => Event::Begin,
            Role::Agent => Event::Agent,
            _ => Event::Reset,
        }))];
        if role == Role::Agent {
            bodies.push(Body::Tests(Tests {
                exit_code: Some(0),
                ..Tests::of(Suite::Visible, Vec::new())
            }));
        }
        for body in bodies {
            batch.entries.push(entry(
                [ids[0], ids[1], ids[2]],
                (k.parse().expect("a number"), id, role),
                body,
            ));
        }
    }
    let opened = Opened::discover(repo.path()).expect("found");
    append(&opened, batch).expect("recorded");
}

/// A record of a commit: its id, tree and parent; its checkpoint, that one's id and its role.
pub fn entry(ids: [&str; 3], place: (u32, &str, Role), body: Body) -> Entry {
    let name = |text: &str| ObjectName::parse(text).expect("an id");
    let record = Record {
        head: Head {
            id: RecordId::new(),
            at: Moment::now(),
            tool: "git-evolve test".to_owned(),
            chain: ChainPath::parse(PATH).expect("a path"),
            begin: RecordId::parse(BEGIN).expect("an id"),
            checkpoint: place.0,
            checkpoint_id: place.1.to_owned(),
            role: place.2,
            commit: name(ids[0]),
            tree: name(ids[1]),
            parent: Some(name(ids[2])),
            for_checkpoint: None,
            attempt: None,
        },
        body,
        masked: Vec::new(),
    };
    Entry {
        kind: record.body.kind(),
        target: Oid::from_hex(ids[0]).expect("an id"),
        line: record.line(&Masker::general()).expect("a line"),
    }
}

/// What carries records over a rewrite, beside our own hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrying {
    /// Nothing.
    Nothing,
    /// `notes.rewriteRef`, as git copies notes.
    ByGit,
    /// Somebody, from each commit to the new one of the same subject.
    ByHand,
}

pub const CARRYING: [Carrying; 3] = [Carrying::Nothing, Carrying::ByGit, Carrying::ByHand];

/// What somebody does to the chain's branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Amend,
    AmendMessage,
    Squash,
    Drop,
    Rebase,
    CherryPick,
    SquashMerge,
    DeleteBranch,
    Collect,
}

pub const DEEDS: [Deed; 9] = [
    Deed::CherryPick,
    Deed::Amend,
    Deed::AmendMessage,
    Deed::Squash,
    Deed::Drop,
    Deed::Rebase,
    Deed::SquashMerge,
    Deed::DeleteBranch,
    Deed::Collect,
];

impl Ground {
    /// A copy of the generated repository.
    pub fn new(carrying: Carrying) -> Ground {
        let repo = Repo::new();
        copy(&original().git_dir, &repo.path().join(".git"));
        let ground = Ground {
            repo,
            carrying,
            branch: BRANCH,
            path: PATH,
            dropped: "step-56 ",
        };
        ground.set_out();
        ground
    }

    /// The demonstration, with one of its chains checked out.
    pub fn demo(carrying: Carrying) -> Ground {
        static MADE: OnceLock<(PathBuf, Mutex<Repo>)> = OnceLock::new();
        let (git_dir, _) = MADE.get_or_init(|| {
            let around = Repo::new();
            let target = around.around().join("demo");
            copy(
                &crate::support::demo::shared().join(".git"),
                &target.join(".git"),
            );
            // One pack is copied sooner than thousands of files.
            let folder = target.to_str().expect("UTF-8");
            around.git(&["-C", folder, "repack", "-adq"]);
            around.git(&["-C", folder, "pack-refs", "--all"]);
            (target.join(".git"), Mutex::new(around))
        });
        let repo = Repo::new();
        copy(git_dir, &repo.path().join(".git"));
        let ground = Ground {
            repo,
            carrying,
            branch: "evolve/demo/layered/2",
            path: "demo/layered/2",
            dropped: " 8 island",
        };
        ground.set_out();
        ground
    }

    fn set_out(&self) {
        self.git(&["checkout", "-q", "-f", self.branch]);
        if self.carrying == Carrying::ByGit {
            self.git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
            self.git(&["config", "notes.rewriteMode", "cat_sort_uniq"]);
        }
    }

    /// The same without the keep ref.
    pub fn unkept(carrying: Carrying) -> Ground {
        let ground = Ground::new(carrying);
        ground.repo.git(&["update-ref", "-d", KEEP]);
        ground
    }

    /// The commit of checkpoint `k` with this role on the chain as it was made.
    pub fn id(&self, k: u32, role: &str) -> String {
        let ends = format!(
            " {k} {} {role}",
            if k == 0 {
                "base".to_owned()
            } else {
                format!("step-{k}")
            }
        );
        let line = original().listed.lines().find(|l| l.ends_with(&ends));
        line.expect("recorded")
            .split(' ')
            .next()
            .expect("an id")
            .to_owned()
    }

    pub fn git(&self, args: &[&str]) -> String {
        self.repo.git(args)
    }

    fn rebase(&self, edit: &str, from: &str) {
        let out = self
            .repo
            .command("git", self.repo.path())
            .args(["rebase", "-q", "-i", from])
            .env("GIT_SEQUENCE_EDITOR", format!("sed -i '{edit}'"))
            .env("GIT_EDITOR", "true")
            .output()
            .expect("git runs");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}");
    }

    /// Does it, to whatever is there by now.
    pub fn does(&self, deed: Deed) {
        let rewrites = matches!(
            deed,
            Deed::Amend | Deed::AmendMessage | Deed::Squash | Deed::Drop | Deed::Rebase
        );
        let by_hand = rewrites && self.carrying == Carrying::ByHand;
        let line = || self.git(&["log", "--first-parent", "--format=%H %s", "HEAD"]);
        let before = if by_hand { line() } else { String::new() };
        self.rewrite(deed);
        if by_hand {
            self.carry(&before, &line(), deed == Deed::AmendMessage);
        }
    }

    /// Copies the notes of each commit of `before` to that of `after` with its subject; `tip`:
    /// of the newest alone.
    fn carry(&self, before: &str, after: &str, tip: bool) {
        let mut pairs = String::new();
        for old in before.lines() {
            let (id, subject) = old.split_once(' ').expect("a subject");
            let same = |l: &&str| tip || l.split_once(' ').is_some_and(|(_, s)| s == subject);
            if let Some((new, _)) = after.lines().find(same).and_then(|l| l.split_once(' '))
                && new != id
            {
                let _ = writeln!(pairs, "{id} {new}");
            }
            if tip {
                break;
            }
        }
        for kind in ["checkpoint", "tests"] {
            let mut copying = self
                .repo
                .command("git", self.repo.path())
                .args(["notes", &format!("--ref=refs/notes/evolve/{kind}")])
                .args(["copy", "-f", "--stdin"])
                .stdin(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("git runs");
            let pipe = copying.stdin.as_mut().expect("a pipe");
            pipe.write_all(pairs.as_bytes()).expect("written");
            // Git says no where one of them has no such note.
            copying.wait().expect("git ends");
        }
    }

    fn rewrite(&self, deed: Deed) {
        let branch = self.branch;
        match deed {
            Deed::Amend => {
                self.repo.write("amended.txt", "more\n");
                self.git(&["add", "-A"]);
                self.git(&["commit", "-q", "--amend", "--no-edit", "--allow-empty"]);
            }
            Deed::AmendMessage => {
                self.git(&[
                    "commit",
                    "-q",
                    "--amend",
                    "--allow-empty",
                    "-m",
                    "said otherwise",
                ]);
            }
            // Two checkpoints become one: three commits go into the one before them.
            Deed::Squash => self.rebase("2,4s/^pick/squash/", "HEAD~20"),
            // One checkpoint: the agent's commit and the reset after it.
            Deed::Drop => self.rebase(&format!("/{}/d", self.dropped), "HEAD~14"),
            Deed::Rebase => {
                self.git(&["checkout", "-q", "main"]);
                self.repo.write("OTHER", "the project goes on\n");
                self.repo.commit("project goes on");
                self.git(&["checkout", "-q", self.branch]);
                self.git(&["rebase", "-q", "main"]);
            }
            Deed::CherryPick => {
                self.git(&["checkout", "-q", "-b", "picked", &format!("{branch}~2")]);
                self.git(&["cherry-pick", "-x", &format!("{branch}~1")]);
                self.git(&["checkout", "-q", self.branch]);
            }
            Deed::SquashMerge => {
                self.git(&["checkout", "-q", "main"]);
                self.git(&["merge", "-q", "--squash", self.branch]);
                let out = self
                    .repo
                    .command("git", self.repo.path())
                    .args(["commit", "-q"])
                    .env("GIT_EDITOR", "true")
                    .output()
                    .expect("git runs");
                assert!(out.status.success());
            }
            Deed::DeleteBranch => {
                self.git(&["checkout", "-q", "--detach", "main"]);
                self.git(&["branch", "-q", "-D", self.branch]);
            }
            Deed::Collect => {
                self.git(&["reflog", "expire", "--expire=now", "--all"]);
                self.git(&["gc", "-q", "--prune=now"]);
            }
        }
    }

    /// The figures of the chain, and what was said.
    pub fn log(&self) -> (Option<i32>, String, String) {
        let out = self.repo.evolve(&[
            "log",
            "--chain",
            self.path,
            "--metrics",
            "churn,loc,reedit_rate",
            "--format",
            "jsonl",
        ]);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (out.status.code(), text(out.stdout), text(out.stderr))
    }

    /// `git evolve reconcile` with more words: exit code, findings, words.
    pub fn reconcile(&self, words: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
        let mut all = vec!["reconcile", "--format", "json"];
        all.extend(words);
        let out = self.repo.evolve(&all);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let document: serde_json::Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{all:?}: {said}"));
        let findings = document["findings"].as_array().cloned().unwrap_or_default();
        (out.status.code(), findings, said)
    }
}

/// The lines of `log` without commit ids and times: what a rewritten commit keeps.
pub fn figures(log: &str) -> Vec<String> {
    log.lines()
        .map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let object = value.as_object_mut().expect("an object");
            for key in ["commit", "parent", "time", "subject", "config"] {
                object.remove(key);
            }
            value.to_string()
        })
        .collect()
}

/// Of `findings` those called `word`.
pub fn called<'f>(findings: &'f [serde_json::Value], word: &str) -> Vec<&'f serde_json::Value> {
    findings.iter().filter(|f| f["finding"] == word).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            // Packs are read-only and may be there already.
            let _ = std::fs::remove_file(&target);
            std::fs::copy(entry.path(), &target).expect("copied");
        }
    }
}
