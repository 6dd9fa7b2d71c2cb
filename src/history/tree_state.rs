//! The state of the tree, kept up to date change by change.
//!
//! Sums are updated by what changed and read off as whole numbers, so that they do not depend
//! on where the run began. The touched subsystem is what `git diff --name-only BASE COMMIT`
//! would list of production code: files whose content at their path is not the base's.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::repo::{Oid, TreeChange};
use crate::syntax::Language;

use super::ground::{Ground, file};
use super::lineage::VersionFacts;
use super::summary::Summary;
use super::tally::Tally;
use super::{Extreme, FileClass, LanguageState, LeftOut, Settings};

/// One live code file.
struct Live {
    blob: Oid,
    facts: Option<VersionFacts>,
    /// Whether its summary is counted: production by the tree's own marks.
    counted: bool,
}

/// One language's running sums.
#[derive(Default)]
struct Sums {
    files: i64,
    loc: i64,
    lines: i64,
    all: Tally,
    /// Rows of the `--functions` glob, where one is given.
    globbed: Tally,
    entries: BTreeMap<Arc<[u8]>, Arc<Summary>>,
    unread: BTreeMap<Arc<[u8]>, Arc<Summary>>,
    scoped: Tally,
    scoped_lines: i64,
    touched: BTreeMap<Arc<[u8]>, Arc<Summary>>,
}

/// The tree at one position, and the base its touched subsystem is seen from.
pub(super) struct TreeState<'a> {
    settings: &'a Settings,
    live: HashMap<Arc<[u8]>, Live>,
    base: HashMap<Arc<[u8]>, Oid>,
    sums: BTreeMap<Language, Sums>,
}

impl<'a> TreeState<'a> {
    /// The tree before the first change; its base is itself.
    pub(super) fn new(settings: &'a Settings, initial: &[(Box<[u8]>, Oid)]) -> TreeState<'a> {
        let code = |p: &[u8]| Language::of_path(p).is_some();
        let shared: Vec<(Arc<[u8]>, Oid)> = initial
            .iter()
            .filter(|(p, _)| code(p))
            .map(|(p, id)| (Arc::from(&**p), *id))
            .collect();
        TreeState {
            settings,
            live: shared
                .iter()
                .map(|(p, id)| {
                    let live = Live {
                        blob: *id,
                        facts: None,
                        counted: false,
                    };
                    (Arc::clone(p), live)
                })
                .collect(),
            base: shared.into_iter().collect(),
            sums: BTreeMap::new(),
        }
    }

    /// Takes in the facts of one version (`None`: the path is gone) at `position`.
    pub(super) fn version(
        &mut self,
        ground: &Ground<'_>,
        position: Option<usize>,
        path: &Arc<[u8]>,
        facts: Option<VersionFacts>,
    ) {
        self.uncount(path);
        match facts {
            None => {
                if let Some(l) = self.live.get_mut(path) {
                    l.facts = None;
                }
            }
            Some(facts) => {
                if let Some(l) = self.live.get_mut(path) {
                    l.facts = Some(facts);
                }
                self.count(ground, position, path);
            }
        }
    }

    /// Takes in which blobs a change left at which paths. Comes before its versions.
    pub(super) fn change(&mut self, change: &TreeChange) {
        for f in &change.files {
            if let Some(old) = &f.old_path {
                self.gone(old);
            }
            if Language::of_path(&f.path).is_none() {
                continue;
            }
            match file(f.new) {
                None => self.gone(&f.path),
                Some(blob) => {
                    let path: Arc<[u8]> = f.path[..].into();
                    self.uncount(&path);
                    self.live.insert(
                        path,
                        Live {
                            blob,
                            facts: None,
                            counted: false,
                        },
                    );
                }
            }
        }
    }

    /// Counts every file anew whose class other marks may have changed.
    pub(super) fn recount(&mut self, ground: &Ground<'_>, position: usize) {
        let paths: Vec<Arc<[u8]>> = self.live.keys().cloned().collect();
        for path in paths {
            self.uncount(&path);
            self.count(ground, Some(position), &path);
        }
    }

    /// Moves the base on by one change.
    pub(super) fn base_change(&mut self, change: &TreeChange) {
        for f in &change.files {
            if let Some(old) = &f.old_path {
                let old: Arc<[u8]> = old[..].into();
                self.base.remove(&old);
                self.retouch(&old);
            }
            let path: Arc<[u8]> = f.path[..].into();
            match file(f.new) {
                Some(blob) if Language::of_path(&path).is_some() => {
                    self.base.insert(Arc::clone(&path), blob);
                }
                _ => {
                    self.base.remove(&path);
                }
            }
            self.retouch(&path);
        }
    }

    fn gone(&mut self, path: &[u8]) {
        let path: Arc<[u8]> = path.into();
        self.uncount(&path);
        self.live.remove(&path);
    }

    fn is_touched(&self, path: &Arc<[u8]>) -> bool {
        self.live
            .get(path)
            .is_some_and(|l| self.base.get(path) != Some(&l.blob))
    }

    fn retouch(&mut self, path: &Arc<[u8]>) {
        let Some(summary) = self
            .live
            .get(path)
            .filter(|l| l.counted)
            .and_then(|l| l.facts.as_ref()?.summary.clone())
        else {
            return;
        };
        let touched = self.is_touched(path);
        let settings = self.settings;
        let sums = self.sums.entry(summary.language).or_default();
        if touched {
            sums.touch(settings, path, &summary);
        } else {
            sums.untouch(settings, path);
        }
    }

    fn count(&mut self, ground: &Ground<'_>, position: Option<usize>, path: &Arc<[u8]>) {
        let touched = self.is_touched(path);
        let settings = self.settings;
        let Some(live) = self.live.get_mut(path) else {
            return;
        };
        let Some(facts) = &live.facts else {
            return;
        };
        let marks = ground.own_marks(position, path);
        let class = ground.class(path, marks, facts.header);
        let (FileClass::Production, Some(summary)) = (class, facts.summary.clone()) else {
            return;
        };
        live.counted = true;
        let sums = self.sums.entry(summary.language).or_default();
        sums.add(settings, path, &summary, 1);
        if touched {
            sums.touch(settings, path, &summary);
        }
    }

    fn uncount(&mut self, path: &Arc<[u8]>) {
        let settings = self.settings;
        let Some(live) = self.live.get_mut(path) else {
            return;
        };
        if !std::mem::take(&mut live.counted) {
            return;
        }
        if let Some(summary) = live.facts.as_ref().and_then(|f| f.summary.clone()) {
            let sums = self.sums.entry(summary.language).or_default();
            sums.untouch(settings, path);
            sums.add(settings, path, &summary, -1);
        }
    }

    /// What the tree is now.
    pub(super) fn read(&self) -> BTreeMap<Language, LanguageState> {
        self.sums
            .iter()
            .filter(|(_, s)| s.files > 0)
            .map(|(l, s)| (*l, s.read(*l, self.settings.functions.is_some())))
            .collect()
    }
}

impl Sums {
    fn add(&mut self, settings: &Settings, path: &Arc<[u8]>, summary: &Arc<Summary>, sign: i64) {
        self.files += sign;
        self.lines += sign * i64::from(summary.lines);
        let limits = &settings.thresholds;
        match &summary.read {
            Err(_) if sign > 0 => {
                self.unread.insert(Arc::clone(path), Arc::clone(summary));
            }
            Err(_) => {
                self.unread.remove(path);
            }
            Ok(read) => {
                self.loc += sign * read.loc;
                self.all.apply(&read.rows, sign, limits);
                if settings
                    .functions
                    .as_ref()
                    .is_some_and(|g| g.is_match(&*String::from_utf8_lossy(path)))
                {
                    self.globbed.apply(&read.rows, sign, limits);
                }
                if read.entry.is_some() && sign > 0 {
                    self.entries.insert(Arc::clone(path), Arc::clone(summary));
                } else {
                    self.entries.remove(path);
                }
            }
        }
    }

    fn touch(&mut self, settings: &Settings, path: &Arc<[u8]>, summary: &Arc<Summary>) {
        if self.touched.contains_key(path) {
            return;
        }
        self.touched.insert(Arc::clone(path), Arc::clone(summary));
        self.scoped_lines += i64::from(summary.lines);
        if let Ok(read) = &summary.read {
            self.scoped.apply(&read.rows, 1, &settings.thresholds);
        }
    }

    fn untouch(&mut self, settings: &Settings, path: &Arc<[u8]>) {
        if let Some(summary) = self.touched.remove(path) {
            self.scoped_lines -= i64::from(summary.lines);
            if let Ok(read) = &summary.read {
                self.scoped.apply(&read.rows, -1, &settings.thresholds);
            }
        }
    }

    fn read(&self, language: Language, globbed: bool) -> LanguageState {
        let touched_unread = self
            .unread
            .iter()
            .filter(|(p, _)| self.touched.contains_key(*p));
        LanguageState {
            files: u64::try_from(self.files).unwrap_or(0),
            loc: self.loc,
            fn_sloc: self.all.sizes().nloc_sum,
            mass: self.all.mass(),
            mass_scoped: self.scoped.mass(),
            sizes: if globbed {
                self.globbed.sizes()
            } else {
                self.all.sizes()
            },
            gini: self.all.gini(),
            top20: self.all.top20(),
            hotspot: self.hotspot(),
            wmc: if language == Language::Go {
                self.greatest_receiver()
            } else {
                self.greatest(|s| s.read.as_ref().ok()?.classes.first().cloned())
            },
            wmc_file: self.greatest(|s| Some((s.cc(), "".into())).filter(|(cc, _)| *cc > 0)),
            entry: self.entry(),
            left_out: left_out(self.unread.iter(), self.lines),
            left_out_scoped: left_out(touched_unread, self.scoped_lines),
        }
    }

    /// Greatest CC; ties: more NLOC, then first path, then first line.
    fn hotspot(&self) -> Option<Extreme> {
        let mut best: Option<(&Arc<[u8]>, &super::summary::Peak)> = None;
        for (path, summary) in &self.touched {
            if let Some(peak) = summary.read.as_ref().ok().and_then(|r| r.hotspot.as_ref())
                && best.is_none_or(|(_, b)| (peak.cc, peak.nloc) > (b.cc, b.nloc))
            {
                best = Some((path, peak));
            }
        }
        best.map(|(path, peak)| extreme(i64::from(peak.cc), path, &peak.name))
    }

    fn entry(&self) -> Option<Extreme> {
        let mut best: Option<(&Arc<[u8]>, &super::summary::Peak)> = None;
        for (path, summary) in &self.entries {
            if let Some(peak) = summary.read.as_ref().ok().and_then(|r| r.entry.as_ref())
                && best.is_none_or(|(_, b)| (peak.cc, peak.nloc) > (b.cc, b.nloc))
            {
                best = Some((path, peak));
            }
        }
        best.map(|(path, peak)| extreme(i64::from(peak.cc), path, &peak.name))
    }

    /// The receiver type with the greatest sum of CC over the touched files of its package;
    /// ties: first folder, then first name.
    fn greatest_receiver(&self) -> Option<Extreme> {
        type Path<'p> = &'p Arc<[u8]>;
        let mut types: BTreeMap<(&[u8], &str), (i64, Path<'_>)> = BTreeMap::new();
        for (path, summary) in &self.touched {
            let Ok(read) = &summary.read else { continue };
            let end = path.iter().rposition(|b| *b == b'/').unwrap_or(0);
            for (cc, name) in &read.classes {
                let sum = types.entry((&path[..end], name)).or_insert((0, path));
                sum.0 += cc;
            }
        }
        let mut best: Option<(&str, i64, Path<'_>)> = None;
        for ((_, name), (sum, path)) in types {
            if best.is_none_or(|(_, b, _)| sum > b) {
                best = Some((name, sum, path));
            }
        }
        best.map(|(name, sum, path)| extreme(sum, path, name))
    }

    /// The greatest of something over the touched files; ties: first path.
    fn greatest(&self, of: impl Fn(&Summary) -> Option<(i64, Box<str>)>) -> Option<Extreme> {
        let mut best: Option<(i64, Extreme)> = None;
        for (path, summary) in &self.touched {
            if let Some((value, name)) = of(summary)
                && best.as_ref().is_none_or(|(b, _)| value > *b)
            {
                best = Some((value, extreme(value, path, &name)));
            }
        }
        best.map(|(_, extreme)| extreme)
    }
}

fn extreme(value: i64, path: &[u8], name: &str) -> Extreme {
    let path = String::from_utf8_lossy(path);
    Extreme {
        value,
        name: if name.is_empty() {
            path.into_owned()
        } else {
            format!("{path}::{name}")
        },
    }
}

fn left_out<'s>(
    unread: impl Iterator<Item = (&'s Arc<[u8]>, &'s Arc<Summary>)>,
    of_lines: i64,
) -> LeftOut {
    let mut out = LeftOut {
        of_lines: u64::try_from(of_lines).unwrap_or(0),
        ..LeftOut::default()
    };
    for (path, summary) in unread {
        let Err(why) = &summary.read else { continue };
        out.files += 1;
        out.lines += u64::from(summary.lines);
        *out.reasons.entry(why.to_string()).or_default() += 1;
        out.set ^= path_hash(path);
    }
    out
}

/// FNV-1a, so that a set's hash is the same everywhere.
fn path_hash(path: &[u8]) -> u64 {
    path.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
