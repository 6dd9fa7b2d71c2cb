//! Lines of commits measured: the one place where the history is run and figures are taken.

use std::sync::Arc;

use super::output::say;
use super::progress::Bar;
use super::request::Request;
use super::session::Session;
use crate::error::{Error, Result};
use crate::history::{self, Line, Needs, Plan, RunCounts, Select, WindowRule};
use crate::ledger::{Chain, Chains};
use crate::measure::catalogue::{self, Measure};
use crate::measure::{Figure, Value};
use crate::repo::{Oid, RevisionSpec};
use crate::report::Change;

/// Measures lines for one command and adds up what that took.
pub struct Measuring<'s> {
    session: &'s Session<'s>,
    measures: Vec<&'static Measure>,
    needs: Needs,
    paths: Vec<Vec<u8>>,
    bar: Bar,
    counts: RunCounts,
}

impl<'s> Measuring<'s> {
    /// Measures `measures`, limited to `paths` where there are any.
    pub fn new(
        session: &'s Session<'s>,
        measures: &[&'static Measure],
        paths: Vec<Vec<u8>>,
    ) -> Measuring<'s> {
        let needs = measures
            .iter()
            .fold(Needs::default(), |n, m| n.union(m.needs));
        Measuring {
            session,
            measures: measures.to_vec(),
            needs,
            paths,
            bar: Bar::new(),
            counts: RunCounts::default(),
        }
    }

    /// The session it measures in.
    pub fn session(&self) -> &'s Session<'s> {
        self.session
    }

    /// Asks for evidence beyond what the measures need.
    #[must_use]
    pub fn also(mut self, needs: Needs) -> Self {
        self.needs = self.needs.union(needs);
        self
    }

    /// What a run over `line` is told.
    pub fn plan(&self, line: Line, request: &Request) -> Plan {
        Plan {
            repo: self.session.repo.clone(),
            line,
            settings: request.settings.clone(),
            needs: self.needs,
            threads: self.session.threads(),
            paths: self.paths.clone(),
        }
    }

    /// The measured changes of `line`, oldest first.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn line(&mut self, line: Line, request: &Request) -> Result<Vec<Change>> {
        for remark in &line.remarks {
            say(remark);
        }
        let run = history::run(&self.plan(line, request), &self.bar)?;
        add(&mut self.counts, &run.counts);
        Ok(run.steps.into_iter().map(|s| self.change(s)).collect())
    }

    /// A step and the figures asked for.
    pub fn change(&self, step: history::Step) -> Change {
        let figures = self
            .measures
            .iter()
            .map(|m| (m.id, catalogue::figure(m, &step)))
            .collect();
        Change {
            step: Arc::new(step),
            figures,
        }
    }

    /// Says what all of it took, where `--stats` asks for it.
    pub fn finish(&self) {
        if !self.session.global.stats {
            return;
        }
        let c = &self.counts;
        say(&format!(
            "{} commits walked, {} blobs read ({} bytes), {} parsed fresh, {} parsed \
             incrementally, {} hunks",
            c.commits_walked,
            c.blobs_read,
            c.bytes_read,
            c.parsed_fresh,
            c.parsed_incremental,
            c.hunks
        ));
    }
}

fn add(to: &mut RunCounts, more: &RunCounts) {
    to.commits_walked += more.commits_walked;
    to.blobs_read += more.blobs_read;
    to.bytes_read += more.bytes_read;
    to.parsed_fresh += more.parsed_fresh;
    to.parsed_incremental += more.parsed_incremental;
    to.hunks += more.hunks;
}

/// How many of the figures are unknown, and how many there are.
pub fn unknown<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> (usize, usize) {
    let mut counts = (0, 0);
    for figure in figures {
        counts.0 += usize::from(matches!(figure.value, Value::Unknown(_)));
        counts.1 += 1;
    }
    counts
}

/// Which changes of a line are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Where the line ends, and what is left out of it.
    pub range: RevisionSpec,
    /// The newest so many; none: all of the range.
    pub last: Option<usize>,
    /// Committed at this time or later.
    pub since: Option<i64>,
}

/// Where the window of a request begins.
///
/// # Errors
/// An unknown `--base`.
pub fn window(session: &Session<'_>, request: &Request) -> Result<WindowRule> {
    match &request.base {
        Some(base) => Ok(WindowRule::Base(session.reader.commit_at(base)?)),
        None => Ok(WindowRule::Lookback(request.settings.lookback)),
    }
}

/// The settings of a chain: those of its base's tree.
///
/// # Errors
/// A wrong `evolve.toml` there; `--base`, which a chain has of its own.
pub fn chain_request(session: &Session<'_>, chain: &Chain, paths: &[Vec<u8>]) -> Result<Request> {
    let tree = session.reader.commit(chain.base)?.tree;
    let request = session.request(Some(tree), paths)?;
    if request.base.is_some() {
        return Err(Error::usage(format!(
            "--base does not go with chain {}: its base is {}",
            chain.label,
            chain.base.short()
        )));
    }
    Ok(request)
}

/// The changes of a range, newest first, and how many the plain part had before `last` cut it.
///
/// A commit on a chain's first-parent line is measured in its chain. Where the range ends in a
/// chain, the chain is the line.
///
/// # Errors
/// The repository cannot be read.
pub fn range(
    measuring: &mut Measuring<'_>,
    chains: &Chains,
    request: &Request,
    wanted: &Wanted,
) -> Result<Ranged> {
    let session = measuring.session;
    let tip = wanted.range.tip();
    if let Some((chain, _)) = chains.chain_of(tip) {
        let own = chain_request(session, chain, &measuring.paths)?;
        let inside = inside(session, wanted)?;
        let mut changes = chain_changes(measuring, chain, &own, |id| inside.contains(&id))?;
        if let Some(last) = wanted.last {
            changes.truncate(last);
        }
        return Ok(Ranged {
            changes,
            request: own,
            chain: Some((chain.label.clone(), chain.base)),
        });
    }
    let select = Select {
        tip,
        last: wanted.last,
        since: wanted.since,
        exclude: match wanted.range {
            RevisionSpec::Range {
                from: Some(from), ..
            } => vec![from],
            _ => Vec::new(),
        },
    };
    let rule = window(session, request)?;
    let mut line = Line::plain(&session.reader, &select, &rule)?;
    let mut borrowed: Vec<(usize, Oid)> = Vec::new();
    line.measured.retain(|at| {
        let id = line.commits[*at].commit.id;
        let in_chain = chains.chain_of(id).is_some();
        if in_chain {
            borrowed.push((*at, id));
        }
        !in_chain
    });
    let order: Vec<Oid> = line.commits.iter().map(|c| c.commit.id).collect();
    let mut changes = match line.measured.is_empty() {
        true => Vec::new(),
        false => measuring.line(line, request)?,
    };
    for chain in &chains.chains {
        let here: Vec<Oid> = borrowed
            .iter()
            .map(|(_, id)| *id)
            .filter(|id| chain.line.iter().any(|c| c.id == *id))
            .collect();
        if !here.is_empty() {
            let own = chain_request(session, chain, &measuring.paths)?;
            changes.extend(chain_changes(measuring, chain, &own, |id| {
                here.contains(&id)
            })?);
        }
    }
    if !borrowed.is_empty() {
        changes.sort_by_key(|c| order.iter().position(|id| *id == c.step.commit.id));
    }
    changes.reverse();
    Ok(Ranged {
        changes,
        request: request.clone(),
        chain: None,
    })
}

/// What a range was measured as.
pub struct Ranged {
    /// Newest first.
    pub changes: Vec<Change>,
    /// Under which settings.
    pub request: Request,
    /// The chain it ends in: label and base.
    pub chain: Option<(String, Oid)>,
}

/// The commits of a range that are young enough, all of them.
fn inside(session: &Session<'_>, wanted: &Wanted) -> Result<std::collections::BTreeSet<Oid>> {
    let mut inside = std::collections::BTreeSet::new();
    session.reader.line(&wanted.range, |commit| {
        if wanted.since.is_none_or(|since| commit.time >= since) {
            inside.insert(commit.id);
        }
        true
    })?;
    Ok(inside)
}

/// The agent commits of a chain that `keep` keeps, newest first.
///
/// # Errors
/// The repository cannot be read.
pub fn chain_changes(
    measuring: &mut Measuring<'_>,
    chain: &Chain,
    request: &Request,
    keep: impl Fn(Oid) -> bool,
) -> Result<Vec<Change>> {
    let mut line = Line::chain(&measuring.session.reader, chain)?;
    line.measured.retain(|at| keep(line.commits[*at].commit.id));
    if line.measured.is_empty() {
        return Ok(Vec::new());
    }
    let mut changes = measuring.line(line, request)?;
    changes.reverse();
    Ok(changes)
}
