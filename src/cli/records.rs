//! `git evolve records`.

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::{self, Absence, Records};
use crate::record::Kind;
use crate::repo::{Reader, Repo};
use crate::report::{Format, Joined, Layout, Listing, counted, write_listing, write_records};

mod joined;
mod rows;

use joined::{Entry, Group, Groups};

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
            listing.list(rows::list(&groups));
            write_listing(&mut out, &listing, layout)?;
        }
    }
    output.data(&out, layout.format)
}
