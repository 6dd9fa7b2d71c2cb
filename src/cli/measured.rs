//! Lines of commits measured: the one place where the history is run and figures are taken.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::at::{self, At};
use super::output::say;
use super::progress::Bar;
use super::request::Request;
use super::session::Session;
use crate::error::Result;
use crate::history::{
    self, ChainEvidence, Language, Line, Needs, PathFilter, Plan, RunCounts, Select, Turn,
    WindowRule, main_language,
};
use crate::ledger::{Chain, Chains};
use crate::measure::catalogue::{self, Measure};
use crate::measure::{Figure, Value};
use crate::record::Role;
use crate::repo::{EntryMode, Oid, Pending, Reader, RevisionSpec};
use crate::report::{Change, counted, fit};

/// Figures that are the same for every change, by measure and language.
type Shared = BTreeMap<(&'static str, Option<Language>), Arc<Figure>>;

/// Measures lines for one command and adds up what that took.
pub(super) struct Measuring<'s> {
    session: &'s Session<'s>,
    measures: Vec<&'static Measure>,
    needs: Needs,
    paths: Vec<Vec<u8>>,
    filter: PathFilter,
    bar: Bar,
    counts: RunCounts,
    languages: BTreeMap<Oid, Option<Language>>,
    said: BTreeSet<String>,
    same: RefCell<Shared>,
    /// What the records said of the last chain whose line was read.
    evidence: RefCell<Option<Arc<ChainEvidence>>>,
}

impl<'s> Measuring<'s> {
    /// Measures `measures`, limited to `paths` where there are any.
    ///
    /// # Errors
    /// A path pattern that is none.
    pub(super) fn new(
        session: &'s Session<'s>,
        measures: &[&'static Measure],
        paths: Vec<Vec<u8>>,
    ) -> Result<Measuring<'s>> {
        let needs = measures
            .iter()
            .fold(Needs::default(), |n, m| n.union(m.needs));
        Ok(Measuring {
            session,
            measures: measures.to_vec(),
            needs,
            filter: PathFilter::new(&paths)?,
            paths,
            bar: Bar::new(),
            counts: RunCounts::default(),
            languages: BTreeMap::new(),
            same: RefCell::default(),
            evidence: RefCell::default(),
            said: BTreeSet::new(),
        })
    }

    /// The session it measures in.
    pub(super) fn session(&self) -> &'s Session<'s> {
        self.session
    }

    /// Asks for evidence beyond what the measures need.
    #[must_use]
    pub(super) fn also(mut self, needs: Needs) -> Self {
        self.needs = self.needs.union(needs);
        self
    }

    /// What a run over `line` is told.
    ///
    /// # Errors
    /// The tree whose settings hold cannot be read.
    pub(super) fn plan(&mut self, line: Line, request: &Request) -> Result<Plan> {
        let ignored = match request.tree {
            Some(tree) if request.settings.ignore_revs => ignored_revs(&self.session.reader, tree)?,
            _ => HashSet::new(),
        };
        Ok(Plan {
            repo: self.session.repo.clone(),
            line,
            settings: request.settings.clone(),
            needs: self.needs,
            threads: self.session.threads(),
            paths: self.filter.clone(),
            ignored,
            language: self.language(request)?,
        })
    }

    /// The language whose figures are shown first, where nothing is set and a measure asks.
    fn language(&mut self, request: &Request) -> Result<Option<Language>> {
        let asked = self.measures.iter().any(|m| m.per_language);
        let Some(tree) = request
            .tree
            .filter(|_| asked && request.settings.language.is_none())
        else {
            return Ok(request.settings.language);
        };
        if let Some(known) = self.languages.get(&tree) {
            return Ok(*known);
        }
        let threads = self.session.threads();
        let found = main_language(&self.session.repo, tree, &request.settings, threads)?;
        self.languages.insert(tree, found);
        Ok(found)
    }

    /// The line of a chain, with what its records say where a measure asks.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub(super) fn chain_line(&self, chain: &Chain, request: &Request) -> Result<Line> {
        let evidence = match self.needs.captures {
            true => Some(self.session.evidence(chain, request, self.needs.noops)?),
            false => None,
        };
        self.evidence.borrow_mut().clone_from(&evidence);
        Ok(Line::chain(&self.session.reader, chain)?.with_evidence(evidence))
    }

    /// What the records said of the chain measured last, where a measure asked; given away, so
    /// that no two chains' records are held at once.
    pub(super) fn take_evidence(&self) -> Option<Arc<ChainEvidence>> {
        self.evidence.borrow_mut().take()
    }

    /// The measured changes of `line`, oldest first.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub(super) fn line(&mut self, line: Line, request: &Request) -> Result<Vec<Change>> {
        // What is to be said of a chain stands in the output; the same word is said once.
        for remark in line.remarks.iter().filter(|_| line.chain.is_none()) {
            if self.said.insert(remark.clone()) {
                say(remark);
            }
        }
        let plan = self.plan(line, request)?;
        let run = history::run(&plan, &self.bar)?;
        self.counts = self.counts.plus(run.counts);
        Ok(run.steps.into_iter().map(|s| self.change(s)).collect())
    }

    /// What is not committed yet, as a change on top of `line`; `None` where the paths leave
    /// nothing of it.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub(super) fn pending(
        &mut self,
        line: Line,
        request: &Request,
        pending: &Pending,
    ) -> Result<Option<Change>> {
        let mut plan = self.plan(line, request)?;
        plan.repo = plan.repo.with_overlay(Arc::new(pending.overlay.clone()));
        let run = history::run_pending(&plan, pending, &self.bar)?;
        self.counts = self.counts.plus(run.counts);
        Ok(run.steps.into_iter().next_back().map(|s| self.change(s)))
    }

    /// A step and the figures asked for.
    fn change(&self, mut step: history::Step) -> Change {
        let figures = self
            .measures
            .iter()
            .map(|m| {
                let figure = || Arc::new(catalogue::figure(m, &step));
                // What is not computed says the same of every change; one copy will do.
                let figure = match m.compute {
                    Some(_) => figure(),
                    None => {
                        let key = (m.id, step.context.language);
                        let mut same = self.same.borrow_mut();
                        Arc::clone(same.entry(key).or_insert_with(figure))
                    }
                };
                (m.id, figure)
            })
            .collect();
        // Whole test maps of every chain would be kept otherwise, and nobody asks again.
        step.evidence = None;
        Change {
            step: Arc::new(step),
            figures,
        }
    }

    /// Says what all of it took, where `--stats` asks for it.
    pub(super) fn finish(&self) {
        if !self.session.global.stats {
            return;
        }
        let c = &self.counts;
        say(&format!(
            "{} commits walked, {} blobs read ({} bytes), {} parsed fresh, {} parsed \
             incrementally, {} pairs of versions compared",
            c.commits, c.blobs_read, c.bytes_read, c.parsed_fresh, c.parsed_incremental, c.diffs
        ));
    }
}

/// Where commits that write no lines are named, from the top of the tree.
const IGNORED: &[u8] = b".git-blame-ignore-revs";

/// How many lines of a file are complained about one by one.
const COMPLAINTS: usize = 3;

/// The commits that `.git-blame-ignore-revs` of `tree` names: one full id a line, what follows
/// `#` is a comment. Other lines are said (the first ones, then how many more) and passed over.
fn ignored_revs(reader: &Reader, tree: Oid) -> Result<HashSet<Oid>> {
    let mut ignored = HashSet::new();
    let entry = reader.entry(tree, IGNORED)?;
    let Some(entry) = entry.filter(|e| e.mode == EntryMode::File) else {
        return Ok(ignored);
    };
    let mut bytes = Vec::new();
    reader.blob(entry.id, &mut bytes)?;
    let mut wrong = 0;
    for (i, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let word = line.split('#').next().unwrap_or("").trim();
        if word.is_empty() {
            continue;
        }
        match Oid::from_hex(&word.to_ascii_lowercase()) {
            Some(id) => {
                ignored.insert(id);
            }
            None => {
                wrong += 1;
                if wrong <= COMPLAINTS {
                    say(&format!(
                        "warning: .git-blame-ignore-revs:{}: '{}' is no full commit id",
                        i + 1,
                        fit(word, 64)
                    ));
                }
            }
        }
    }
    if wrong > COMPLAINTS {
        let more = wrong - COMPLAINTS;
        let lines = counted(more as u64, "more line is", "more lines are");
        say(&format!(
            "warning: .git-blame-ignore-revs: {lines} no full commit id"
        ));
    }
    Ok(ignored)
}

/// How many of the figures are unknown, and how many there are.
pub(super) fn unknown<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> (usize, usize) {
    let mut counts = (0, 0);
    for figure in figures {
        counts.0 += usize::from(matches!(figure.value, Value::Unknown(_)));
        counts.1 += 1;
    }
    counts
}

/// Which changes of a line are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
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
pub(super) fn window(session: &Session<'_>, request: &Request) -> Result<WindowRule> {
    match &request.base {
        Some(base) => Ok(WindowRule::Base(session.reader.commit_at(base)?)),
        None => Ok(WindowRule::Lookback(request.settings.lookback)),
    }
}

/// The changes of a range, newest first, and how many the plain part had before `last` cut it.
///
/// A commit on a chain's first-parent line is measured in its chain. Where the range ends in a
/// chain, the chain is the line.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn range(
    measuring: &mut Measuring<'_>,
    chains: &Chains,
    request: &Request,
    wanted: &Wanted,
) -> Result<Ranged> {
    let session = measuring.session;
    let tip = wanted.range.tip();
    if let Some((chain, _)) = chains.chain_of(tip) {
        let own = session.chain_request(chain, &measuring.paths)?;
        let inside = inside(session, wanted)?;
        let mut changes = chain_changes(measuring, chain, &own, |id| inside.contains(&id))?;
        if let Some(last) = wanted.last {
            changes.truncate(last);
        }
        return Ok(Ranged {
            changes,
            request: own,
            chain: Some(InChain::of(chain)),
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
        paths: measuring.filter.clone(),
    };
    let rule = window(session, request)?;
    let mut line = Line::plain(&session.reader, &select, rule)?;
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
            let own = session.chain_request(chain, &measuring.paths)?;
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
pub(super) struct Ranged {
    /// Newest first.
    pub changes: Vec<Change>,
    /// Under which settings.
    pub request: Request,
    /// The chain it ends in.
    pub chain: Option<InChain>,
}

/// What is to be said of a chain that is shown.
pub(super) struct InChain {
    /// How it is shown.
    pub label: String,
    /// Its base.
    pub base: Oid,
    /// What a reader should know of it.
    pub notes: Vec<String>,
}

impl InChain {
    /// Of `chain`.
    pub(super) fn of(chain: &Chain) -> InChain {
        InChain {
            label: chain.label.clone(),
            base: chain.base,
            notes: chain.notes.clone(),
        }
    }
}

/// The commits of a range that are young enough, all of them.
fn inside(session: &Session<'_>, wanted: &Wanted) -> Result<BTreeSet<Oid>> {
    let mut inside = BTreeSet::new();
    session.reader.line(&wanted.range, |commit| {
        if wanted.since.is_none_or(|since| commit.time >= since) {
            inside.insert(commit.id);
        }
        true
    })?;
    Ok(inside)
}

/// How many of `changes` were measured after the first of several turns.
pub(super) fn first_turns_of<'c>(changes: impl IntoIterator<Item = &'c Change>) -> usize {
    let first = |c: &&Change| c.step.turn != Turn::Last;
    changes.into_iter().filter(first).count()
}

/// The agent commits of a chain that `keep` keeps, newest first.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn chain_changes(
    measuring: &mut Measuring<'_>,
    chain: &Chain,
    request: &Request,
    keep: impl Fn(Oid) -> bool,
) -> Result<Vec<Change>> {
    let mut line = measuring.chain_line(chain, request)?;
    line.measured.retain(|at| keep(line.commits[*at].commit.id));
    if line.measured.is_empty() {
        return Ok(Vec::new());
    }
    let firsts = match measuring.session.at {
        At::Commit => Vec::new(),
        At::Implement => first_turns(measuring.session, chain, &line)?,
    };
    // Each of them stands on the line as it is, and nothing stands on it.
    let apart = firsts
        .iter()
        .map(|(position, tree)| line.clone().at_first_turn(*position, *tree))
        .collect::<Vec<Line>>();
    let order: Vec<Oid> = line
        .measured
        .iter()
        .map(|at| line.commits[*at].commit.id)
        .collect();
    line.measured
        .retain(|at| firsts.iter().all(|(position, _)| position != at));
    let mut changes = match line.measured.is_empty() {
        true => Vec::new(),
        false => measuring.line(line, request)?,
    };
    for line in apart {
        changes.extend(measuring.line(line, request)?);
    }
    if !firsts.is_empty() {
        changes.sort_by_key(|c| order.iter().position(|id| *id == c.step.commit.id));
    }
    changes.reverse();
    Ok(changes)
}

/// The measured agent commits of `line` whose first turn left another tree: where they stand on
/// it, and that tree, where it is here.
fn first_turns(
    session: &Session<'_>,
    chain: &Chain,
    line: &Line,
) -> Result<Vec<(usize, Option<Oid>)>> {
    let Some(recorded) = session.recorded() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for position in &line.measured {
        let commit = &line.commits[*position];
        if commit.role != Role::Agent {
            continue;
        }
        if let Some(tree) = at::first_turn(session, &recorded, chain, commit.commit.id)? {
            let here = session.reader.has_tree(tree)?;
            found.push((*position, here.then_some(tree)));
        }
    }
    Ok(found)
}
