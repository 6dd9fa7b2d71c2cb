//! Records in notes: what is written stands there once, whoever else writes, and whatever was
//! interrupted; git reads what we write, and we what git and others wrote.

mod crowd;
mod fan_out;
mod interrupted;
mod union;

use std::collections::BTreeMap;

use git_evolve::ledger::{Batch, Entry, Written, append, records};
use git_evolve::record::mask::Masker;
use git_evolve::record::{
    Body, ChainPath, Checkpoint, Event, Head, Kind, Line, Moment, ObjectName, Purpose, Record,
    RecordId, Role,
};
use git_evolve::repo::{Oid, Repo as Opened};

use crate::support::Repo;

fn open(repo: &Repo) -> Opened {
    Opened::discover(repo.path()).expect("opened")
}

fn oid(hex: &str) -> Oid {
    Oid::from_hex(hex).expect("an id")
}

/// The head of a new record on `commit`.
fn head(commit: Oid) -> Head {
    let name = ObjectName::parse(&commit.to_string()).expect("an object id");
    Head {
        id: RecordId::new(),
        at: Moment::from_millis(1_796_022_729_123).expect("a moment"),
        tool: "git-evolve 0.1.0".to_owned(),
        chain: ChainPath::parse("a/b/1").expect("a path"),
        begin: RecordId::parse("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f").expect("an id"),
        checkpoint: 1,
        checkpoint_id: "one".to_owned(),
        role: Role::Agent,
        commit: name.clone(),
        tree: name,
        parent: None,
        for_checkpoint: None,
        attempt: None,
    }
}

fn line(commit: Oid, body: Body) -> Line {
    let record = Record {
        head: head(commit),
        body,
        masked: Vec::new(),
    };
    record.line(&Masker::general()).expect("a line")
}

fn checkpoint(commit: Oid) -> Entry {
    Entry {
        kind: Kind::Checkpoint,
        target: commit,
        line: line(commit, Body::from(Checkpoint::of(Event::Agent))),
    }
}

fn envelope(commit: Oid) -> Entry {
    let body = git_evolve::record::Envelope::of(Purpose::Implement, Vec::new());
    Entry {
        kind: Kind::Envelope,
        target: commit,
        line: line(commit, Body::Envelope(body)),
    }
}

fn write(repo: &Repo, entries: Vec<Entry>) -> Written {
    let batch = Batch {
        entries,
        configs: Vec::new(),
    };
    append(&open(repo), batch).expect("written")
}

/// How many lines of checkpoint records git finds in the notes, and how many of them differ.
fn counted_by_git(repo: &Repo) -> (usize, usize) {
    let listing = repo.git(&["notes", "--ref=refs/notes/evolve/checkpoint", "list"]);
    let mut all = BTreeMap::<String, usize>::new();
    for row in listing.lines() {
        let (blob, _) = row.split_once(' ').expect("blob and target");
        for line in repo.git(&["cat-file", "blob", blob]).lines() {
            *all.entry(line.to_owned()).or_default() += 1;
        }
    }
    (all.values().sum(), all.len())
}

/// How many checkpoint records the union read finds.
fn counted(repo: &Repo) -> usize {
    let reader = open(repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    assert_eq!(found.conflicts, []);
    found.all().count()
}
