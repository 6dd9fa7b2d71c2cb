//! What is read of a report, before its paths are found in the tree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::contexts::{self, Who};
use super::file::FileDraft;
use super::paths;
use super::places::{Meant, Place, Places};
use crate::record::{CoverageMap, LineSet, TreeFacts};

/// A report with more files is not read.
const MOST_FILES: usize = 200_000;
/// Lines that are collected before they are joined with what is known.
const PENDING: usize = 1 << 16;

/// Why a report is not read to its end.
#[derive(Debug)]
pub(super) struct TooMany;

/// A path as the report has it, with the names of the modules it stands under, the nearest first.
type Reported = (String, Vec<String>);

/// What is read so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Paths in the order they came, and what is told of each.
    files: Vec<(Reported, FileDraft)>,
    index: HashMap<Reported, usize>,
    at: Option<usize>,
    ran: Vec<u32>,
    idle: Vec<u32>,
    /// Lines that are told of now were executed by this context.
    context: Option<u32>,
    contexts: Contexts,
    /// Folders that paths may be relative to.
    pub(super) sources: Vec<String>,
    warnings: BTreeSet<&'static str>,
}

/// Lines by what executed them.
#[derive(Debug, Default)]
struct Contexts {
    names: Vec<String>,
    index: HashMap<String, u32>,
    /// Context and file to lines.
    lines: BTreeMap<(u32, usize), LineSet>,
}

/// How a report is to be understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Its format.
    pub(super) format: &'static str,
    /// Its paths.
    pub(super) meant: Meant,
    /// Its contexts are those of coverage.py: others than tests are among them.
    pub(super) contexts: bool,
}

impl Draft {
    /// Adds a warning.
    pub(super) fn warn(&mut self, code: &'static str) {
        self.warnings.insert(code);
    }

    /// What follows is told of this file.
    ///
    /// # Errors
    /// There are more files than a report has.
    pub(super) fn at(&mut self, name: &str, modules: &[String]) -> Result<(), TooMany> {
        let now = self.at.map(|at| &self.files[at].0);
        if now.is_some_and(|(n, m)| n == name && m == modules) {
            return Ok(());
        }
        self.settle();
        let reported = (name.to_owned(), modules.to_vec());
        let at = match self.index.get(&reported) {
            Some(at) => *at,
            None if self.files.len() == MOST_FILES => return Err(TooMany),
            None => {
                self.files.push((reported.clone(), FileDraft::default()));
                self.index.insert(reported, self.files.len() - 1);
                self.files.len() - 1
            }
        };
        self.at = Some(at);
        Ok(())
    }

    /// No file is spoken of any more.
    pub(super) fn leave(&mut self) {
        self.settle();
        self.at = None;
    }

    /// What follows was executed by this context.
    pub(super) fn by(&mut self, context: Option<&str>) {
        self.settle();
        self.context = context.map(|name| self.contexts.number(name));
    }

    /// The number of a context.
    pub(super) fn context(&mut self, name: &str) -> u32 {
        self.contexts.number(name)
    }

    /// The name of a context.
    pub(super) fn context_name(&self, number: u32) -> &str {
        let name = self.contexts.names.get(number as usize);
        name.map_or("", String::as_str)
    }

    /// Lines of the file that a context executed.
    pub(super) fn ran_by(&mut self, context: u32, lines: &LineSet) {
        if let Some(at) = self.at {
            self.contexts.add(context, at, lines);
        }
    }

    /// Tells of a line.
    pub(super) fn line(&mut self, line: u32, ran: bool) {
        if self.ran.len() + self.idle.len() >= PENDING {
            self.settle();
        }
        match ran {
            true => self.ran.push(line),
            false => self.idle.push(line),
        }
    }

    /// What is told of the file spoken of; lines told by `line` come later.
    pub(super) fn file(&mut self) -> Option<&mut FileDraft> {
        self.at.map(|at| &mut self.files[at].1)
    }

    fn settle(&mut self) {
        let ran: LineSet = self.ran.drain(..).collect();
        let idle: LineSet = self.idle.drain(..).collect();
        let Some(at) = self.at else { return };
        let file = &mut self.files[at].1;
        if !ran.is_empty() {
            file.ran = file.ran.union(&ran);
        }
        if !idle.is_empty() {
            file.idle = file.idle.union(&idle);
        }
        if let Some(context) = self.context {
            self.contexts.add(context, at, &ran);
        }
    }

    /// Lines that can be executed and those that were, of all files as they are reported.
    pub(super) fn counted(&mut self) -> (u64, u64) {
        self.settle();
        let counts = self.files.iter().map(|(_, f)| {
            let missed = f.idle.difference(&f.ran).len();
            (f.ran.len() + missed, f.ran.len())
        });
        counts.fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// What was read, with paths of the tree; without one, as they are. `report` is where the
    /// report lies.
    pub(super) fn finish(
        mut self,
        manner: Manner,
        tree: Option<&TreeFacts>,
        report: &str,
    ) -> CoverageMap {
        self.leave();
        drop(std::mem::take(&mut self.index));
        let paths = match tree {
            Some(tree) => self.found(tree, manner.meant, report),
            None => self.as_reported(),
        };
        let mut unmapped = BTreeSet::new();
        let mut drafts = BTreeMap::<String, FileDraft>::new();
        for (((name, _), draft), path) in self.files.into_iter().zip(&paths) {
            match path {
                Some(path) => match drafts.get_mut(path) {
                    Some(known) => known.join(draft),
                    None => drop(drafts.insert(path.clone(), draft)),
                },
                None => drop(unmapped.insert(paths::shown(&name))),
            }
        }
        let files = drafts
            .into_iter()
            .map(|(path, draft)| (path, draft.finish()));
        let mut map = CoverageMap {
            format: manner.format.to_owned(),
            files: files.collect(),
            per_test: None,
            import_only: None,
            unmapped,
            warnings: self.warnings.iter().map(|w| (*w).to_owned()).collect(),
        };
        self.contexts.finish(manner.contexts, &paths, &mut map);
        map
    }

    /// The path of the tree that each file has.
    fn found(&mut self, tree: &TreeFacts, meant: Meant, report: &str) -> Vec<Option<String>> {
        let mut places = Places::new(tree, meant, &self.sources, report);
        places.survey(self.files.iter().map(|((name, _), _)| name.as_str()));
        let all = self
            .files
            .iter()
            .map(|((name, modules), _)| match places.place(name, modules) {
                Place::At(path) => Some(path),
                Place::ByName(path) => {
                    self.warnings.insert("matched-by-file-name");
                    Some(path)
                }
                Place::Several => {
                    self.warnings.insert("ambiguous-path");
                    None
                }
                Place::Nowhere => None,
            });
        all.collect()
    }

    /// Paths as they are; where one stands under several modules, the module's name before it,
    /// since the report says that these are several files.
    fn as_reported(&mut self) -> Vec<Option<String>> {
        let mut times = HashMap::<&str, u32>::new();
        for ((name, _), _) in &self.files {
            *times.entry(name).or_default() += 1;
        }
        let all = self.files.iter().map(|((name, modules), _)| {
            if name.contains('\0') || name.len() > paths::LONGEST {
                self.warnings.insert("unusable-path");
                return None;
            }
            match modules.first() {
                Some(module) if times.get(name.as_str()).is_some_and(|n| *n > 1) => {
                    self.warnings.insert("ambiguous-path");
                    Some(format!("{module}/{name}"))
                }
                _ => Some(name.clone()),
            }
        });
        all.collect()
    }
}

impl Contexts {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.index.get(name) {
            return *number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), number);
        number
    }

    fn add(&mut self, context: u32, file: usize, lines: &LineSet) {
        let known = self.lines.entry((context, file)).or_default();
        *known = known.union(lines);
    }

    /// Puts into `map` what tests executed, and what was executed by no test while loading.
    fn finish(self, coverage_py: bool, paths: &[Option<String>], map: &mut CoverageMap) {
        let who = match coverage_py {
            true => contexts::sorted(&self.names, &mut map.warnings),
            false => self.names.into_iter().map(Who::Test).collect(),
        };
        if !who.iter().any(|w| matches!(w, Who::Test(_))) {
            return;
        }
        let mut per_test = BTreeMap::<String, BTreeMap<String, LineSet>>::new();
        let mut loading = BTreeMap::<String, LineSet>::new();
        let mut others = BTreeMap::<String, LineSet>::new();
        for ((context, file), lines) in self.lines {
            let who = who.get(context as usize);
            let test = match who {
                Some(Who::Test(id)) => Some(per_test.entry(id.clone()).or_default()),
                _ => None,
            };
            let path = paths.get(file).and_then(Option::as_ref);
            let Some((path, known)) = path.and_then(|p| map.files.get_key_value(p)) else {
                continue;
            };
            let lines = lines.intersection(&known.covered);
            if lines.is_empty() {
                continue;
            }
            let all = match who {
                Some(Who::Loading) => &mut loading,
                _ => &mut others,
            };
            let all = all.entry(path.clone()).or_default();
            *all = all.union(&lines);
            if let Some(test) = test {
                let all = test.entry(path.clone()).or_default();
                *all = all.union(&lines);
            }
        }
        if coverage_py {
            for (path, lines) in &mut loading {
                if let Some(others) = others.get(path) {
                    *lines = lines.difference(others);
                }
            }
            loading.retain(|_, lines| !lines.is_empty());
            map.import_only = Some(loading);
        }
        map.per_test = Some(per_test);
    }
}
