//! `git evolve records`.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::{self, Absence, Records};
use crate::record::{
    Body, Event, Kind, Record, RecordId, Role, Session, TestMap, Validity, mask::sha256,
};
use crate::repo::{Oid, Reader, Repo};
use crate::report::{
    Column, Format, Joined, Layout, List, Listing, counted, write_listing, write_records,
};

/// Print records as they stand in git notes, joined by attempt
///
/// One object an attempt: chain, checkpoint, attempt, commit, and in `records` the records by
/// kind, each as its line has it; records of no attempt are joined by their commit. The same
/// records give the same bytes in every clone. CHAIN is a chain's path or label, or the beginning
/// of a path (an experiment, an arm); COMMIT any commit of it, or CHAIN@K. Without either: all.
///
/// Payloads themselves (`content`, `head`, `tail` of raw records) are left out without
/// --payloads. Lines that are no records, of later versions, or of commits that are not here are
/// counted on standard error.
#[derive(Debug, Args)]
pub(super) struct RecordsArgs {
    /// Records of these kinds alone
    #[arg(long, value_name = "KIND", value_enum, num_args = 1.., value_delimiter = ',')]
    pub kind: Vec<KindWord>,
    /// With the payloads, as they were kept
    #[arg(long)]
    pub payloads: bool,
    /// Of these chains or commits
    #[arg(value_name = "CHAIN|COMMIT")]
    pub of: Vec<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The kinds as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum KindWord {
    /// What happened at commits
    Checkpoint,
    /// Sessions
    Envelope,
    /// Gate runs
    Tests,
    /// Coverage
    Coverage,
    /// Payloads
    Raw,
}

impl KindWord {
    fn kind(self) -> Kind {
        match self {
            KindWord::Checkpoint => Kind::Checkpoint,
            KindWord::Envelope => Kind::Envelope,
            KindWord::Tests => Kind::Tests,
            KindWord::Coverage => Kind::Coverage,
            KindWord::Raw => Kind::Raw,
        }
    }
}

/// Runs it.
///
/// # Errors
/// No repository, an unknown chain or commit, notes that cannot be read.
pub(super) fn run(global: &Global, args: &RecordsArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let reader = repo.reader()?;
    let output = Output::new(global, &Habits::read(&repo));
    let layout = output.layout(args.format);
    let mut kinds: Vec<Kind> = args.kind.iter().map(|k| k.kind()).collect();
    if kinds.is_empty() {
        kinds.extend(Kind::ALL);
    }
    // A group's place is told by all of its records, whichever are shown.
    let mut read = kinds.clone();
    read.push(Kind::Checkpoint);
    let records = ledger::records(&reader, &read)?;
    let mut groups = Groups::default();
    for kind in Kind::ALL.into_iter().filter(|k| read.contains(k)) {
        groups.take(&reader, &records, kind)?;
    }
    let wanted = wanted(&reader, &groups, &args.of)?;
    let shown: Vec<Group> = groups
        .sorted()
        .into_iter()
        .filter(|g| wanted.is_empty() || wanted.iter().any(|w| w.takes(g)))
        .filter_map(|g| g.of_kinds(&kinds))
        .collect();
    let remarks = remarks(&records, &kinds);
    remarks.iter().for_each(|r| say(r));
    print(&output, layout, shown, args.payloads, &remarks)?;
    Ok(absent(&records))
}

/// Says why there may be records elsewhere, where none is here.
fn absent(records: &Records) -> Done {
    let (what, remotes) = match &records.absence {
        Some(Absence::NotFetched(remotes)) => ("records were never fetched from", remotes),
        Some(Absence::CutOff(remotes)) => ("a shallow clone left out the records of", remotes),
        Some(Absence::LeftOut(remotes)) => ("a partial clone left the records to", remotes),
        Some(Absence::None) => {
            say("no records");
            return Done::Well;
        }
        None => return Done::Well,
    };
    say(&format!("{what} {}", remotes.join(", ")));
    if let Some(remote) = remotes.first() {
        say(&format!("hint: git evolve fetch {remote}"));
    }
    Done::Unknown
}

/// One record and its line.
struct Entry {
    kind: Kind,
    record: Record,
    line: Vec<u8>,
}

/// The records of one attempt, or of one commit.
struct Group {
    entries: Vec<Entry>,
}

/// Records by chain, and attempt or commit.
#[derive(Default)]
struct Groups {
    by: BTreeMap<(String, Result<RecordId, String>), BTreeMap<(Kind, RecordId, String), Entry>>,
}

impl Groups {
    fn take(&mut self, reader: &Reader, records: &Records, kind: Kind) -> Result<()> {
        let places = [&records.lines, &records.dangling];
        let commits: BTreeSet<Oid> = places
            .iter()
            .filter_map(|by| by.get(&kind))
            .flat_map(|by| by.keys().copied())
            .collect();
        for commit in commits {
            for (stored, line) in records.lines_on(reader, kind, commit)? {
                let Some(record) = stored.record() else {
                    continue;
                };
                let head = &record.head;
                let begin = head.begin.to_string();
                let by = head.attempt.clone().ok_or_else(|| head.commit.to_string());
                // A copy that a rewrite made is the same record.
                let key = (kind, head.id.clone(), sha256(&line));
                let group = self.by.entry((begin, by)).or_default();
                group.entry(key).or_insert_with(|| Entry {
                    kind,
                    record: record.clone(),
                    line,
                });
            }
        }
        Ok(())
    }

    /// By chain, checkpoint, then age.
    fn sorted(self) -> Vec<Group> {
        let groups = self.by.into_values();
        let mut all: Vec<Group> = groups
            .map(|by| Group {
                entries: by.into_values().collect(),
            })
            .collect();
        all.sort_by_cached_key(|g| {
            let head = &g.first().record.head;
            let oldest = g.entries.iter().map(|e| &e.record.head.id).min();
            (
                head.chain.clone(),
                head.begin.clone(),
                g.checkpoint(),
                oldest.cloned(),
            )
        });
        all
    }
}

impl Group {
    /// The record that says where the group stands: that of the agent commit, else the oldest.
    fn first(&self) -> &Entry {
        let rank = |e: &&Entry| {
            let made = matches!(&e.record.body, Body::Checkpoint(c) if c.event == Event::Agent);
            let agent = e.record.head.role == Role::Agent;
            (!made, !agent, e.record.head.id.clone())
        };
        let first = self.entries.iter().min_by_key(rank);
        first.expect("a group is made for an entry")
    }

    fn checkpoint(&self) -> u32 {
        let head = &self.first().record.head;
        head.for_checkpoint.unwrap_or(head.checkpoint)
    }

    fn of_kinds(mut self, kinds: &[Kind]) -> Option<Group> {
        // Where it stands is told before anything is left out.
        let first = self.first().record.head.id.clone();
        let (mut shown, hidden): (Vec<Entry>, Vec<Entry>) = self
            .entries
            .drain(..)
            .partition(|e| kinds.contains(&e.kind));
        if shown.is_empty() {
            return None;
        }
        let head = hidden.into_iter().find(|e| e.record.head.id == first);
        if let Some(mut head) = head {
            head.line.clear();
            shown.push(head);
        }
        Some(Group { entries: shown })
    }

    /// What is shown.
    fn shown(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| !e.line.is_empty())
    }

    fn joined(&self, payloads: bool) -> Joined {
        let head = &self.first().record.head;
        let own = head.for_checkpoint.is_none_or(|k| k == head.checkpoint);
        let mut records = Vec::new();
        for kind in Kind::ALL {
            let of_it = self.shown().filter(|e| e.kind == kind);
            let lines = of_it.map(|e| match (kind, payloads) {
                (Kind::Raw, false) => without_payload(&e.line),
                _ => e.line.clone(),
            });
            records.push((kind.word(), lines.collect()));
        }
        Joined {
            chain: head.chain.to_string(),
            begin: head.begin.to_string(),
            checkpoint: self.checkpoint(),
            checkpoint_id: own.then(|| head.checkpoint_id.clone()),
            attempt: head.attempt.as_ref().map(ToString::to_string),
            commit: head.commit.to_string(),
            records,
        }
    }
}

/// A raw record's line without the payload.
fn without_payload(line: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut object)) = serde_json::from_slice(line) else {
        return line.to_vec();
    };
    for key in ["content", "head", "tail"] {
        object.remove(key);
    }
    serde_json::to_vec(&object).unwrap_or_else(|_| line.to_vec())
}

/// What was asked for.
enum Wanted {
    /// Chains whose path is this or begins with it.
    Path(String),
    /// Checkpoint `k` of such chains.
    Checkpoint(String, u32),
    /// The chain of this identity.
    Begin(String),
    /// Whatever names this commit.
    Commit(String),
}

impl Wanted {
    fn takes(&self, group: &Group) -> bool {
        let head = &group.first().record.head;
        match self {
            Wanted::Path(path) => is_of(&head.chain.to_string(), path),
            Wanted::Checkpoint(path, k) => {
                is_of(&head.chain.to_string(), path) && group.checkpoint() == *k
            }
            Wanted::Begin(begin) => head.begin.as_str() == begin,
            Wanted::Commit(id) => {
                let names = |e: &Entry| e.record.head.commit.as_str() == id;
                group.entries.iter().any(names)
            }
        }
    }
}

fn is_of(chain: &str, path: &str) -> bool {
    let rest = chain.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn wanted(reader: &Reader, groups: &Groups, words: &[String]) -> Result<Vec<Wanted>> {
    let known = |path: &str| {
        let mut entries = groups.by.values().flat_map(|by| by.values());
        !path.is_empty() && entries.any(|e| is_of(&e.record.head.chain.to_string(), path))
    };
    let mut wanted = Vec::new();
    for word in words {
        let path = word.trim_end_matches('/');
        if known(path) {
            wanted.push(Wanted::Path(path.to_owned()));
            continue;
        }
        if let Some((chain, k)) = path.rsplit_once('@')
            && let Ok(k) = k.parse()
            && known(chain)
        {
            wanted.push(Wanted::Checkpoint(chain.to_owned(), k));
            continue;
        }
        let chains = ledger::chains(reader)?;
        let named: Vec<_> = chains.named(path).map(|c| c.begin.clone()).collect();
        if !named.is_empty() {
            wanted.extend(named.into_iter().map(Wanted::Begin));
            continue;
        }
        let commit = reader.commit_at(word).map_err(|e| {
            let text = format!("{word} is neither a chain nor a commit here");
            match e.kind() {
                crate::error::Kind::Git => Error::git(text)
                    .with_hint("`git evolve status` lists the chains")
                    .with_source(e),
                _ => e,
            }
        })?;
        wanted.push(Wanted::Commit(commit.to_string()));
    }
    Ok(wanted)
}

/// What was passed over.
fn remarks(records: &Records, kinds: &[Kind]) -> Vec<String> {
    let mut all = Vec::new();
    for (kind, skipped) in &records.skipped {
        if !kinds.contains(kind) {
            continue;
        }
        for (v, lines) in &skipped.newer {
            let lines = counted(*lines, "line", "lines");
            all.push(format!(
                "{kind}: {lines} of a later version (v {v}), not shown"
            ));
        }
        for (why, bad) in &skipped.bad {
            let lines = counted(bad.lines, "line is", "lines are");
            all.push(format!("{kind}: {lines} no record, not shown: {why}"));
        }
        if skipped.not_commits > 0 {
            let notes = counted(skipped.not_commits, "note", "notes");
            all.push(format!("{kind}: {notes} on what is no commit, not shown"));
        }
        if skipped.dangling > 0 {
            let notes = counted(skipped.dangling, "note", "notes");
            all.push(format!("{kind}: {notes} on commits that are not here"));
        }
    }
    for conflict in records.conflicts.iter().filter(|c| kinds.contains(&c.kind)) {
        all.push(format!(
            "{}: id {} stands on lines of different content (`git evolve verify`)",
            conflict.kind, conflict.id
        ));
    }
    all.extend(records.remarks.iter().cloned());
    all
}

fn print(
    output: &Output,
    layout: Layout,
    groups: Vec<Group>,
    payloads: bool,
    remarks: &[String],
) -> Result<()> {
    let stamp = stamp("none");
    let mut out = Vec::new();
    match layout.format {
        Format::JsonLines if !output.is_terminal() => {
            // Payloads are large: one attempt at a time.
            for group in &groups {
                out.clear();
                let joined = [group.joined(payloads)];
                write_records(&mut out, &stamp, &joined, remarks, layout.format)?;
                output.raw(&out)?;
            }
            return Ok(());
        }
        Format::Json | Format::JsonLines => {
            let joined: Vec<Joined> = groups.iter().map(|g| g.joined(payloads)).collect();
            write_records(&mut out, &stamp, &joined, remarks, layout.format)?;
        }
        Format::Table | Format::Csv | Format::Markdown => {
            let mut listing = Listing::new(stamp);
            listing.list(list(&groups));
            write_listing(&mut out, &listing, layout)?;
        }
    }
    output.data(&out, layout.format)
}

/// One row a record.
fn list(groups: &[Group]) -> List {
    let mut list = List::new("records", "")
        .column(Column::heading("group"))
        .column(Column::machine("chain"))
        .column(Column::machine("begin"))
        .column(Column::machine("checkpoint"))
        .column(Column::machine("attempt"))
        .column(Column::left("kind"))
        .column(Column::left("commit"))
        .column(Column::left("at"))
        .column(Column::words("what"))
        .column(Column::machine("id"));
    for group in groups {
        let joined = group.joined(false);
        let of = joined.attempt.clone();
        let heading = format!(
            "{}  {}{}{}",
            joined.chain,
            joined.checkpoint,
            joined
                .checkpoint_id
                .iter()
                .map(|id| format!(" {id}"))
                .collect::<String>(),
            of.iter().map(|a| format!("  {a}")).collect::<String>(),
        );
        for entry in group.shown() {
            let head = &entry.record.head;
            let at = head.at.to_string();
            let commit = head.commit.to_string();
            let short = commit.get(..7).unwrap_or(&commit);
            list.row(vec![
                heading.as_str().into(),
                joined.chain.as_str().into(),
                joined.begin.as_str().into(),
                joined.checkpoint.into(),
                joined.attempt.clone().into(),
                entry.kind.word().into(),
                crate::report::Field::short(&commit, short),
                crate::report::Field::short(&at, at.get(..16).unwrap_or(&at)),
                what(&entry.record).into(),
                head.id.to_string().into(),
            ]);
        }
    }
    list
}

/// A record in a few words.
fn what(record: &Record) -> String {
    fn word(value: impl serde::Serialize) -> Option<String> {
        let value = serde_json::to_value(value).ok()?;
        value.as_str().map(str::to_owned)
    }
    fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
        T::deserialize(value?).ok()
    }
    let parts: Vec<Option<String>> = match &record.body {
        Body::Checkpoint(says) => vec![word(says.event)],
        Body::Envelope(says) => {
            let session: Option<Session> = read(says.session.as_ref());
            vec![
                word(says.purpose),
                says.outcome.clone(),
                match &session {
                    Some(session) => Some(session.format.clone()),
                    None => Some("not read".to_owned()),
                },
                session.and_then(|s| Some(format!("${:.2}", s.cost_usd?))),
            ]
        }
        Body::Tests(says) => {
            let map: Option<TestMap> = read(says.map.as_ref());
            let counts = map.as_ref().map(TestMap::counts);
            vec![
                word(says.suite),
                match &map {
                    Some(map) if map.validity == Validity::Valid => None,
                    Some(map) => word(map.validity),
                    None => Some("not read".to_owned()),
                },
                counts.map(|c| format!("{} of {} passed", c.passed, c.total)),
                map.and_then(|m| m.format),
            ]
        }
        Body::Coverage(says) => {
            let map: Option<crate::record::CoverageMap> = read(says.files.as_ref());
            vec![match map {
                Some(map) => {
                    let totals = map.totals();
                    Some(format!(
                        "{}, {} of {} lines",
                        map.format, totals.covered, totals.executable
                    ))
                }
                None => Some("not read".to_owned()),
            }]
        }
        Body::Raw(says) => vec![
            word(says.payload),
            Some(says.path.clone().unwrap_or_else(|| says.name.clone())),
            Some(counted(says.size, "byte", "bytes")),
        ],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
