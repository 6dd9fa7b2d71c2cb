//! One run of the program on one repository: what was opened, what was typed, what holds.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::args::{FormatArgs, Global, SettingsArgs};
use super::at::At;
use super::config::Layer;
use super::habits::Habits;
use super::output::{Output, say};
use super::prices::Tables;
use super::request::{Request, Window};
use super::scored;
use crate::error::{Error, Result};
use crate::history::evidence::{SessionEvidence, collect, noops};
use crate::history::{ChainEvidence, Settings};
use crate::intake::Readers;
use crate::ledger::{self, Chain, Chains, Listing, Recorded, Records};
use crate::measure::catalogue::DEFINITIONS;
use crate::plan::source::read_toml;
use crate::record::{Body, Kind, Suite, TOOL};
use crate::repo::{Oid, Reader, Repo};
use crate::report::{Format, SCHEMA, Stamp};
use crate::syntax::{ANALYSER, ANALYSER_VERSION};

/// The configuration file, from the top of the tree.
const CONFIG: &[u8] = b"evolve.toml";
/// A larger configuration file is none.
pub(super) const CONFIG_MAX: u64 = 1 << 20;

/// What a command has at hand.
pub(super) struct Session<'a> {
    /// What holds for every subcommand.
    pub global: &'a Global,
    /// The repository.
    pub repo: Repo,
    /// A reader of it.
    pub reader: Reader,
    /// Where output goes.
    pub output: Output,
    habits: Habits,
    /// Command line over `--config FILE`.
    typed: Layer,
    /// Which tree of a checkpoint is measured.
    pub at: At,
    /// The checkpoint records, once chains were looked for.
    recorded: RefCell<Option<Arc<Recorded>>>,
    /// Tables of prices.
    prices: Tables,
    /// Where records are, once a chain's were asked for.
    listing: Listing,
    /// The chains, once they were looked for.
    found: RefCell<Vec<Chain>>,
    /// Sessions for nothing by their chain's base, where a measure asked for them.
    noops: RefCell<BTreeMap<Oid, Vec<SessionEvidence>>>,
    /// What was said of configurations, so that it is said once.
    said: RefCell<BTreeSet<String>>,
}

/// How a command ended, where it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// Well.
    Well,
    /// What was asked for is unknown: exit 3.
    Unknown,
    /// A check did not hold, and what it found was said: exit 1.
    Failed,
    /// It was stopped before its end, and how to go on was said: exit 130.
    Interrupted,
}

impl<'a> Session<'a> {
    /// Opens the repository and reads what was typed.
    ///
    /// # Errors
    /// No repository; a `--config FILE` that cannot be read or is wrong.
    pub(super) fn open(global: &'a Global, settings: &SettingsArgs) -> Result<Session<'a>> {
        let repo = Repo::discover(&directory(global))?;
        let reader = repo.reader()?;
        let habits = Habits::read(&repo);
        let output = Output::new(global, &habits);
        let mut typed = Layer::typed(settings);
        if let Some(file) = &settings.scope.config {
            typed = typed.over(config_file(global, file)?);
        }
        Ok(Session {
            global,
            repo,
            reader,
            output,
            habits,
            typed,
            at: At::default(),
            recorded: RefCell::default(),
            prices: Tables::typed(global, settings)?,
            listing: Listing::default(),
            found: RefCell::default(),
            noops: RefCell::default(),
            said: RefCell::default(),
        })
    }

    /// The same session, in which that tree of each checkpoint is measured.
    #[must_use]
    pub(super) fn at(mut self, at: At) -> Session<'a> {
        self.at = at;
        self
    }

    /// The settings that hold where `tree` is the one whose `evolve.toml` counts.
    ///
    /// # Errors
    /// A wrong `evolve.toml`, or a wrong setting; an unknown base.
    pub(super) fn request(&self, tree: Option<Oid>, paths: &[Vec<u8>]) -> Result<Request> {
        let mut layer = self.layer(tree)?;
        if let Some(base) = &layer.base {
            layer.base = Some(self.reader.commit_at(base)?.to_string());
        }
        let prices = self.prices.of(&self.reader, &layer, tree)?;
        Ok(Request::new(&layer, Window::Plain, tree, paths)?.with_prices(prices))
    }

    /// The settings of a chain: those of the configuration that its records name over those of
    /// its base's tree.
    ///
    /// # Errors
    /// As [`Session::request`]; a base that was typed, since a chain has its own; a configuration
    /// that is not here.
    pub(super) fn chain_request(&self, chain: &Chain, paths: &[Vec<u8>]) -> Result<Request> {
        if self.typed.base.is_some() {
            return Err(Error::usage(format!(
                "--base does not go with chain {}: its base is {}",
                chain.label,
                chain.base.short()
            )));
        }
        let tree = self.reader.commit(chain.base)?.tree;
        let plan = self.plan(tree)?;
        let noted = match &*self.recorded.borrow() {
            Some(recorded) => scored::layer(&self.reader, chain, recorded, plan.as_deref())?,
            None => scored::NoteLayer::default(),
        };
        if let Some(remark) = noted.remark
            && self.said.borrow_mut().insert(remark.clone())
        {
            say(&remark);
        }
        let below = match plan {
            Some(text) => Layer::read(&text, "evolve.toml")?,
            None => None,
        };
        let layers = [noted.layer, below].map(Option::unwrap_or_default);
        let layer = layers
            .into_iter()
            .fold(self.typed.clone().on(&chain.path), |upper, below| {
                upper.over(below.on(&chain.path))
            });
        let prices = self.prices.of(&self.reader, &layer, Some(tree))?;
        let request = Request::new(&layer, Window::Chain, Some(tree), paths)?;
        Ok(request.with_prices(prices).measured_at(self.at))
    }

    /// The records of `kinds` on the commits of `chain`: of one chain at a time, since test maps
    /// and transcripts of all would be held at once otherwise.
    ///
    /// # Errors
    /// Refs that cannot be read.
    pub(super) fn records(&self, chain: &Chain, kinds: &[Kind]) -> Result<Records> {
        let commits = chain.line.iter().map(|c| c.id).collect();
        self.listing.records_on(&self.reader, kinds, &commits)
    }

    /// Whether a run of the acceptance suite is recorded of `chain`.
    ///
    /// # Errors
    /// Refs that cannot be read.
    pub(super) fn is_gated(&self, chain: &Chain) -> Result<bool> {
        let found = self.records(chain, &[Kind::Tests])?;
        let acceptance =
            |body: &Body| matches!(body, Body::Tests(t) if t.suite == Suite::Acceptance);
        let mut records = found.all().filter_map(|(_, _, stored)| stored.record());
        Ok(records.any(|r| acceptance(&r.body)))
    }

    /// Whether anything of `kind` is recorded of `chain`.
    ///
    /// # Errors
    /// Refs that cannot be read.
    pub(super) fn holds(&self, chain: &Chain, kind: Kind) -> Result<bool> {
        let found = self.records(chain, &[kind])?;
        Ok(!found.lines.is_empty())
    }

    /// What the records of a chain say; with `noops` those of sessions for nothing of other
    /// chains of its arm, too.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub(super) fn evidence(
        &self,
        chain: &Chain,
        request: &Request,
        noops: bool,
    ) -> Result<Arc<ChainEvidence>> {
        let recorded = self.recorded.borrow().clone().unwrap_or_default();
        let plan = request.test_plan.clone();
        let settings = &request.settings;
        let (reader, listing) = (&self.reader, &self.listing);
        let mut found = collect(reader, listing, chain, &recorded, &Readers, settings, plan)?;
        if noops {
            found.arm_noops = self.arm_noops(chain, settings)?;
        }
        Ok(Arc::new(found))
    }

    /// The sessions for nothing of the other chains of `chain`'s arm.
    fn arm_noops(&self, chain: &Chain, settings: &Settings) -> Result<Vec<SessionEvidence>> {
        let arm = |c: &Chain| (c.path.experiment.clone(), c.path.arm.clone());
        let mut sessions = Vec::new();
        for other in self.found.borrow().iter() {
            if arm(other) != arm(chain) || other.begin == chain.begin {
                continue;
            }
            let mut known = self.noops.borrow_mut();
            let of_it = match known.entry(other.base) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let (reader, listing) = (&self.reader, &self.listing);
                    new.insert(noops(reader, listing, other, &Readers, settings)?)
                }
            };
            sessions.extend(of_it.iter().cloned());
        }
        Ok(sessions)
    }

    fn layer(&self, tree: Option<Oid>) -> Result<Layer> {
        let text = match tree {
            Some(tree) => self.plan(tree)?,
            None => None,
        };
        let below = match text {
            Some(text) => Layer::read(&text, "evolve.toml")?,
            None => None,
        };
        Ok(self.typed.clone().over(below.unwrap_or_default()))
    }

    /// The repository's chains. What they leave to be said is said, also where none was found:
    /// one whose base a shallow clone cut off looks like an ordinary line, and is none.
    ///
    /// # Errors
    /// Refs or commits that cannot be read.
    pub(super) fn chains(&self) -> Result<Chains> {
        let mut found = ledger::chains(&self.reader)?;
        found.note_gaps(&self.reader)?;
        self.found.borrow_mut().clone_from(&found.chains);
        *self.recorded.borrow_mut() = Some(Arc::clone(found.recorded(&self.reader)?));
        for remark in &found.remarks {
            say(remark);
        }
        Ok(found)
    }

    /// The checkpoint records, once chains were looked for.
    pub(super) fn recorded(&self) -> Option<Arc<Recorded>> {
        self.recorded.borrow().clone()
    }

    /// Says what is to be said of a chain where `format` has no place for it: rows for programs
    /// hold figures alone.
    pub(super) fn say_aside(&self, format: FormatArgs, label: &str, notes: &[String]) {
        if matches!(
            self.output.layout(format).format,
            Format::Csv | Format::JsonLines
        ) {
            for note in notes {
                say(&format!("{label}: {note}"));
            }
        }
    }

    /// The settings of a plain history: those of HEAD's tree, whatever range is shown.
    ///
    /// # Errors
    /// As [`Session::request`].
    pub(super) fn plain_request(&self, paths: &[Vec<u8>]) -> Result<Request> {
        self.request(self.head_tree()?, paths)
    }

    /// HEAD's tree; `None` before the first commit.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub(super) fn head_tree(&self) -> Result<Option<Oid>> {
        match self.reader.head()? {
            Some(head) => Ok(Some(self.reader.commit(head)?.tree)),
            None => Ok(None),
        }
    }

    /// The text of `evolve.toml` in `tree`, where there is one.
    ///
    /// # Errors
    /// The tree cannot be read; a usage error for one that is too large or no text.
    pub(super) fn plan(&self, tree: Oid) -> Result<Option<String>> {
        let Some(entry) = self.reader.entry(tree, CONFIG)? else {
            return Ok(None);
        };
        if entry.mode != crate::repo::EntryMode::File {
            return Ok(None);
        }
        if self.reader.blob_size(entry.id)? > CONFIG_MAX {
            return Err(Error::usage("evolve.toml is larger than 1 MiB"));
        }
        let mut bytes = Vec::new();
        self.reader.blob(entry.id, &mut bytes)?;
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Error::usage("evolve.toml is not UTF-8"))
    }

    /// The stamp of output made under `request`.
    pub(super) fn stamp(&self, request: &Request) -> Stamp {
        stamp(&request.digest)
    }

    /// How many threads to use.
    pub(super) fn threads(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        self.global
            .threads
            .or(self.habits.threads)
            .map_or_else(available, usize::from)
    }

    /// Paths as typed, from the folder the program runs in, turned into paths from the top of
    /// the tree.
    ///
    /// # Errors
    /// A path that leaves the work tree.
    pub(super) fn paths(&self, typed: &[OsString]) -> Result<Vec<Vec<u8>>> {
        typed.iter().map(|p| self.path(p)).collect()
    }

    /// One path, as [`Session::paths`] has them; empty for the top.
    ///
    /// # Errors
    /// A path that leaves the work tree.
    pub(super) fn path(&self, typed: &OsString) -> Result<Vec<u8>> {
        let path = Path::new(typed);
        let outside = || {
            Error::usage(format!("'{}' is outside the repository", path.display()))
                .with_hint("paths are below the top of the work tree")
        };
        let prefix = self.repo.prefix().unwrap_or(b"");
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let inner = match (path.is_absolute(), self.repo.work_dir()) {
            (false, _) => {
                parts.extend(
                    prefix
                        .split(|b| *b == b'/')
                        .filter(|p| !p.is_empty())
                        .map(<[u8]>::to_vec),
                );
                path.to_owned()
            }
            (true, Some(top)) => path.strip_prefix(top).map_err(|_| outside())?.to_owned(),
            (true, None) => return Err(outside()),
        };
        for part in inner.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop().ok_or_else(outside)?;
                }
                Component::Normal(name) => parts.push(name.as_encoded_bytes().to_vec()),
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        Ok(parts.join(&b'/'))
    }

    /// What the exit says when `unknown` of `asked` figures were unknown; says it, too.
    pub(super) fn done(&self, unknown: usize, asked: usize) -> Done {
        if unknown == 0 {
            return Done::Well;
        }
        say(&format!(
            "{unknown} of {asked} figures are unknown; the reasons stand with them"
        ));
        if self.repo.is_partial() {
            say(
                "where an object is missing: this partial clone left it to its remote, and \
                 `git fetch --refetch --no-filter` brings it",
            );
        }
        if unknown == asked || self.global.strict {
            Done::Unknown
        } else {
            Done::Well
        }
    }
}

/// The folder to start in.
pub(super) fn directory(global: &Global) -> PathBuf {
    global
        .directory
        .clone()
        .unwrap_or_else(|| PathBuf::from("."))
}

/// A stamp with the configuration digest `config`.
pub(super) fn stamp(config: &str) -> Stamp {
    Stamp {
        schema: SCHEMA,
        tool: TOOL.to_owned(),
        analyser: format!("{ANALYSER} {ANALYSER_VERSION}"),
        definitions: DEFINITIONS.to_owned(),
        config: config.to_owned(),
    }
}

/// The text of a `--config FILE`.
///
/// # Errors
/// A usage error where it cannot be read.
pub(super) fn config_text(global: &Global, file: &Path) -> Result<String> {
    let path = directory(global).join(file);
    std::fs::read_to_string(path).map_err(|e| {
        let name = file.display();
        Error::usage(format!("reading the configuration {name}: {e}"))
    })
}

fn config_file(global: &Global, file: &Path) -> Result<Layer> {
    let name = file.display().to_string();
    let text = config_text(global, file)?;
    match Layer::read(&text, &name)? {
        Some(layer) => Ok(layer),
        // Limits of `git evolve check` may stand there alone.
        None if read_toml(&text, &name)?.1.get("check").is_some() => Ok(Layer::default()),
        None => Err(Error::usage(format!("{name} has no [measure] table"))
            .with_hint("settings stand below a line [measure]")),
    }
}

/// Output for what needs no repository: the habits of the one we are in hold, where we are in
/// one.
pub(super) fn without_repository(global: &Global) -> Output {
    let habits = Repo::discover(&directory(global)).map(|repo| Habits::read(&repo));
    Output::new(global, &habits.unwrap_or_default())
}
