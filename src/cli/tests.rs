//! `git evolve tests`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, Global, ScopeArgs, SettingsArgs};
use super::overview;
use super::session::{Done, Session};
use crate::error::{Error, Result};
use crate::history::ChainEvidence;
use crate::history::evidence::{Compared, Fate, Gate, Verdict, between, compare};
use crate::ledger::{Chain, Chains};
use crate::record::{Role, Suite, TestOutcome};
use crate::repo::Oid;
use crate::report::{Column, Field, List, Listing, Tone, counted, write_listing};

/// Show which tests a change broke, repaired, lost or brought
///
/// Compares the gate of a chain's checkpoint with the last valid one before it, or with that of
/// another commit, test by test: what broke and how, what the checkpoint was declared to change,
/// what is unstable, vanished, was repaired, renamed, is skipped now or new. Renamed tests are
/// paired first. It judges nothing.
#[derive(Debug, Args)]
pub(super) struct TestsArgs {
    /// A commit of a chain (an agent commit, the reset after it, or the base), or CHAIN@K; else
    /// HEAD
    #[arg(value_name = "COMMIT|CHAIN@K")]
    pub commit: Option<String>,
    /// The commit to compare with; else that of the last valid gate before it
    #[arg(long, value_name = "COMMIT|CHAIN@K")]
    pub against: Option<String>,
    /// Whose tests: the experimenter's, or those the agent left; else the experimenter's where
    /// they were recorded
    #[arg(long, value_name = "acceptance|visible", value_enum)]
    pub suite: Option<SuiteWord>,
    /// List the tests that are as before, too
    #[arg(long)]
    pub all: bool,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Read test patterns and checkpoints from FILE, as `evolve.toml` has them
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Whose tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SuiteWord {
    /// The experimenter's
    Acceptance,
    /// As the agent left them
    Visible,
}

impl SuiteWord {
    pub(super) fn suite(self) -> Suite {
        match self {
            SuiteWord::Acceptance => Suite::Acceptance,
            SuiteWord::Visible => Suite::Visible,
        }
    }

    fn word(self) -> &'static str {
        match self {
            SuiteWord::Acceptance => "acceptance",
            SuiteWord::Visible => "visible",
        }
    }
}

/// Runs it.
///
/// # Errors
/// Wrong usage; a repository that cannot be read; unavailable where a gate is not there.
pub(super) fn run(global: &Global, args: &TestsArgs) -> Result<Done> {
    let settings = SettingsArgs {
        scope: ScopeArgs {
            config: args.config.clone(),
            ..ScopeArgs::default()
        },
        ..SettingsArgs::default()
    };
    let session = Session::open(global, &settings)?;
    let chains = session.chains()?;
    let now = At::of(&session, &chains, args.commit.as_deref())?;
    let against = match &args.against {
        Some(text) => Some(At::of(&session, &chains, Some(text))?),
        None => None,
    };
    let request = session.chain_request(now.chain, &[])?;
    let evidence = session.evidence(now.chain, &request, false)?;
    let word = args.suite.unwrap_or_else(|| now.suite(&evidence));
    let suite = word.suite();
    let other;
    let (from, before, gate, passage, mut remarks) = match &against {
        None => {
            let since = evidence
                .since(now.checkpoint, suite)
                .map_err(|why| now.without(&why))?;
            let from = At {
                checkpoint: since.from,
                ..now
            };
            let passage = since.passage.clone();
            (
                from,
                since.before,
                since.now,
                passage,
                since.passed_over.to_vec(),
            )
        }
        Some(at) => {
            let own = session.chain_request(at.chain, &[])?;
            other = session.evidence(at.chain, &own, false)?;
            let gate = now.gate(&evidence, suite)?;
            let before = at.gate(&other, suite)?;
            let passage = between(&session.reader, before, gate);
            (*at, before, gate, passage, Vec::new())
        }
    };
    remarks.extend(gate.remarks());
    if before.broken {
        remarks.push("what it is compared with does not build".to_owned());
    }
    let compared = compare(before, gate, &passage, &|id| evidence.belongs(id));
    let rows = rows(&evidence, now.checkpoint, &compared);
    let mut listing = Listing::new(session.stamp(&request));
    let place = |at: At<'_>| {
        let commit = at.commit();
        serde_json::json!({
            "chain": at.chain.label,
            "checkpoint": at.checkpoint,
            "commit": commit.map(|c| c.to_string()),
        })
    };
    listing.fact("at", Field::from(place(now)));
    listing.fact("against", Field::from(place(from)));
    listing.fact("suite", word.word());
    listing.fact("broken", gate.broken);
    let counts: BTreeMap<&str, usize> = rows.iter().fold(BTreeMap::new(), |mut sums, row| {
        *sums.entry(row.change.word()).or_default() += 1;
        sums
    });
    listing.fact("counts", Field::from(serde_json::json!(counts)));
    listing.list(tests(&rows, args.all));
    listing.list(problems(gate));
    listing.remark(headline(now, from, word, &rows, gate));
    for remark in remarks.iter().chain(&now.chain.notes) {
        listing.remark(remark.clone());
    }
    let unchanged = counts.get(Change::Unchanged.word()).copied().unwrap_or(0);
    if unchanged > 0 && !args.all {
        listing.remark(format!(
            "{} as before: --all lists them",
            counted(unchanged as u64, "test is", "tests are")
        ));
    }
    let layout = session.output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    session.output.data(&out, layout.format)?;
    Ok(Done::Well)
}

/// A checkpoint of a chain.
#[derive(Clone, Copy)]
struct At<'c> {
    chain: &'c Chain,
    checkpoint: u32,
}

impl<'c> At<'c> {
    fn of(session: &Session<'_>, chains: &'c Chains, typed: Option<&'c str>) -> Result<At<'c>> {
        if let Some((name, number)) = typed.and_then(|t| t.rsplit_once('@'))
            && let Ok(checkpoint) = number.parse()
            && chains.named(name).next().is_some()
        {
            let chain = overview::named(chains, name)?;
            let at = At { chain, checkpoint };
            return match at.commit() {
                Some(_) => Ok(at),
                None => Err(Error::usage(format!(
                    "chain {} has no checkpoint {checkpoint}",
                    chain.label
                ))),
            };
        }
        let commit = match typed {
            Some(text) => Some(session.reader.commit_at(text)?),
            None => session.reader.head()?,
        };
        let Some(commit) = commit else {
            return Err(Error::unavailable(
                "no commit yet: there is nothing to compare",
            ));
        };
        let short = commit.short();
        let Some((chain, at)) = chains.chain_of(commit) else {
            return Err(Error::unavailable(format!(
                "{short} is in no chain, and gates are recorded of checkpoints"
            ))
            .with_hint("`git evolve log` lists the chains there are"));
        };
        let found = chain.line.get(at);
        match found.map(|c| c.role) {
            Some(Role::Agent | Role::Base | Role::Reset) => Ok(At {
                chain,
                checkpoint: found.map_or(0, |c| c.checkpoint),
            }),
            Some(Role::Superseded) => Err(Error::usage(format!(
                "{short} was superseded: a later agent commit counts for its checkpoint"
            ))),
            _ => Err(Error::usage(format!(
                "{short} is no checkpoint of chain {}",
                chain.label
            ))),
        }
    }

    /// The commit whose gate it is.
    fn commit(&self) -> Option<Oid> {
        let own = |c: &&crate::ledger::ChainCommit| {
            c.checkpoint == self.checkpoint && matches!(c.role, Role::Agent | Role::Base)
        };
        self.chain.line.iter().rfind(own).map(|c| c.id)
    }

    /// The suite that is meant where none is typed: the experimenter's, unless the agent's alone
    /// was recorded.
    fn suite(&self, evidence: &ChainEvidence) -> SuiteWord {
        let is = |suite| {
            let verdict = evidence.verdict_at(self.checkpoint, suite);
            !matches!(verdict, Verdict::Absent(_))
        };
        match !is(Suite::Acceptance) && is(Suite::Visible) {
            true => SuiteWord::Visible,
            false => SuiteWord::Acceptance,
        }
    }

    fn gate<'e>(&self, evidence: &'e ChainEvidence, suite: Suite) -> Result<&'e Gate> {
        evidence
            .gate(self.checkpoint, suite)
            .map_err(|why| self.without(&why))
    }

    fn without(&self, why: &str) -> Error {
        Error::unavailable(format!(
            "checkpoint {} of chain {}: {why}",
            self.checkpoint, self.chain.label
        ))
        .with_hint("--against COMMIT names another gate, --suite another suite")
    }
}

/// What became of a test, as it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Broke,
    Exempted,
    Unstable,
    Vanished,
    Repaired,
    Renamed,
    Skipped,
    New,
    Unchanged,
}

impl Change {
    const ALL: [Change; 9] = [
        Change::Broke,
        Change::Exempted,
        Change::Unstable,
        Change::Vanished,
        Change::Repaired,
        Change::Renamed,
        Change::Skipped,
        Change::New,
        Change::Unchanged,
    ];

    fn word(self) -> &'static str {
        match self {
            Change::Broke => "broke",
            Change::Exempted => "exempted",
            Change::Unstable => "unstable",
            Change::Vanished => "vanished",
            Change::Repaired => "repaired",
            Change::Renamed => "renamed",
            Change::Skipped => "skipped",
            Change::New => "new",
            Change::Unchanged => "unchanged",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Change::Broke => Tone::Worse,
            Change::Repaired => Tone::Better,
            Change::Unstable | Change::Vanished => Tone::Missing,
            _ => Tone::Plain,
        }
    }
}

/// One test, as it is listed.
struct Row<'t> {
    change: Change,
    how: &'static str,
    test: &'t Compared,
    category: Option<&'static str>,
    note: String,
}

/// The tests in the order they are listed: by what became of them, then by id.
fn rows<'t>(evidence: &ChainEvidence, number: u32, all: &'t [Compared]) -> Vec<Row<'t>> {
    let mut rows: Vec<Row<'t>> = all.iter().map(|test| row(evidence, number, test)).collect();
    rows.sort_by(|a, b| (a.change, &a.test.id).cmp(&(b.change, &b.test.id)));
    rows
}

fn row<'t>(evidence: &ChainEvidence, number: u32, test: &'t Compared) -> Row<'t> {
    let declared = evidence.declares(number, test);
    let failed = matches!(test.now, Some(TestOutcome::Failed | TestOutcome::Error));
    let skipped = |outcome| outcome == Some(TestOutcome::Skipped);
    let now = test.now.map_or("not run", word);
    let (change, how) = match test.fate {
        Fate::NotRun if declared => (Change::Exempted, "not run"),
        fate if fate.is_regression() => (Change::Broke, fate.words()),
        Fate::Unstable => (Change::Unstable, now),
        Fate::Unbuilt | Fate::Removed | Fate::Deselected | Fate::Gone => {
            (Change::Vanished, test.fate.words())
        }
        Fate::Repaired => (Change::Repaired, now),
        Fate::New => (Change::New, now),
        _ if test.was.is_some() => (Change::Renamed, now),
        _ if skipped(test.now) && !skipped(test.before) => (Change::Skipped, now),
        _ if test.unstable => (Change::Unstable, now),
        _ => (Change::Unchanged, now),
    };
    let mut notes = Vec::new();
    if let Some(was) = &test.was {
        notes.push(format!("was {was}"));
    }
    if test.fate == Fate::New && declared && failed {
        notes.push("a replacement that fails on arrival".to_owned());
    } else if change == Change::Broke && declared {
        notes.push("declared to change, and still run".to_owned());
    }
    if test.unstable && change != Change::Unstable {
        notes.push("unstable".to_owned());
    }
    Row {
        change,
        how,
        test,
        category: test.belongs.at(number).map(|c| c.word()),
        note: notes.join("; "),
    }
}

fn word(outcome: TestOutcome) -> &'static str {
    match outcome {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Error => "error",
        TestOutcome::Skipped => "skipped",
    }
}

fn tests(rows: &[Row<'_>], all: bool) -> List {
    let mut list = List::new("tests", "")
        .column(Column::heading("change"))
        .column(Column::left("how").titled("  now"))
        .column(Column::paths("test"))
        .column(Column::machine("was"))
        .column(Column::machine("before"))
        .column(Column::machine("now"))
        .column(Column::right("checkpoint").titled("ck"))
        .column(Column::left("category"))
        .column(Column::machine("unstable"))
        .column(Column::below("note"));
    for row in rows.iter().filter(|r| all || r.change != Change::Unchanged) {
        let test = row.test;
        list.row(vec![
            Field::from(row.change.word()).tone(row.change.tone()),
            Field::short(row.how, &format!("  {}", row.how)).tone(row.change.tone()),
            test.id.as_str().into(),
            test.was.clone().into(),
            test.before.map(word).into(),
            test.now.map(word).into(),
            test.belongs.checkpoint.into(),
            row.category.into(),
            test.unstable.into(),
            Some(row.note.clone()).filter(|n| !n.is_empty()).into(),
        ]);
    }
    list
}

fn problems(gate: &Gate) -> List {
    let mut list = List::new("problems", "failures that are no test")
        .column(Column::left("kind").titled("  kind"))
        .column(Column::paths("where"))
        .column(Column::machine("outcome"))
        .column(Column::below("message"));
    for problem in &gate.problems {
        let first = problem.message.as_deref().and_then(|m| m.lines().next());
        list.row(vec![
            Field::short(&problem.kind, &format!("  {}", problem.kind)),
            problem.place.as_str().into(),
            word(problem.outcome).into(),
            first.into(),
        ]);
    }
    list
}

/// `checkpoint 3 of e/a/1 against checkpoint 2: 1 broke, 2 new; 40 passed, 1 failed`.
fn headline(now: At<'_>, from: At<'_>, suite: SuiteWord, rows: &[Row<'_>], gate: &Gate) -> String {
    let mut changed = Vec::new();
    for change in Change::ALL {
        let n = rows.iter().filter(|r| r.change == change).count();
        if n > 0 && change != Change::Unchanged {
            changed.push(format!("{n} {}", change.word()));
        }
    }
    if changed.is_empty() {
        changed.push("nothing changed".to_owned());
    }
    let outcomes = [
        TestOutcome::Passed,
        TestOutcome::Failed,
        TestOutcome::Error,
        TestOutcome::Skipped,
    ];
    let mut counts = Vec::new();
    for outcome in outcomes {
        let n = gate
            .tests
            .values()
            .filter(|t| t.outcome() == outcome)
            .count();
        if n > 0 {
            counts.push(format!("{n} {}", word(outcome)));
        }
    }
    if counts.is_empty() {
        counts.push("no test ran".to_owned());
    }
    let other = match now.chain.label == from.chain.label {
        true => String::new(),
        false => format!(" of {}", from.chain.label),
    };
    format!(
        "{} suite, checkpoint {} of {} against checkpoint {}{other}: {}; {}",
        suite.word(),
        now.checkpoint,
        now.chain.label,
        from.checkpoint,
        changed.join(", "),
        counts.join(", ")
    )
}
