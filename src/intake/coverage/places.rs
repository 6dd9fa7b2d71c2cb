//! Which file of the tree a path of a report is: never a guess. What is no file, or could be more
//! than one, is nowhere.
//!
//! In this order: where a declared source has it, exactly, under the build root (or under the one
//! folder that has every path of the report), the longest end of it that one file alone has.
//! Several files with one such end are told apart by the module that the report says it is from.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::modules::GoModules;
use super::paths::{self, Path};
use crate::record::TreeFacts;

/// Most folders in a row that a module's name is made of.
const FOLDERS: usize = 4;

/// How the paths of a report are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// Of files, from where a tool ran or from a root.
    Files,
    /// Of a package and a file in it.
    Packages,
    /// Of a Go package and a file in it.
    GoPackages,
}

/// Where a path of a report lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// At this path.
    At(String),
    /// At this path, by its file name alone.
    ByName(String),
    /// It is no file of the tree.
    Nowhere,
    /// More than one file could be meant.
    Several,
}

/// The files of one tree, to be found.
pub(super) struct Places<'t> {
    paths: HashSet<&'t str>,
    /// Each path with its segments turned around and `/` behind each, sorted: paths with one end
    /// stand side by side.
    turned: Vec<(String, &'t str)>,
    build_root: Option<Path>,
    go: GoModules,
    meant: Meant,
    sources: Vec<Path>,
    /// Folder of the module that the report lies in.
    module: Option<String>,
    /// Paths from a root lie under this folder, or nowhere.
    root: Option<Path>,
}

impl<'t> Places<'t> {
    /// For one report: how its paths are meant, what it says its sources are, and where it lies.
    pub(super) fn new(
        tree: &'t TreeFacts,
        meant: Meant,
        sources: &[String],
        report: &str,
    ) -> Places<'t> {
        let paths = tree.paths.iter().map(String::as_str);
        let mut turned: Vec<(String, &str)> = paths.clone().map(|p| (turn(p), p)).collect();
        turned.sort_unstable();
        turned.dedup();
        let build_root = tree.build_root.as_deref().and_then(Path::read);
        let module = module_folder(report, build_root.as_ref());
        // Sources are folders: `.` is the one everything is in.
        let sources = sources.iter().filter_map(|s| match s.trim() {
            "" | "." | "./" | ".\\" => Some(Path {
                absolute: false,
                text: String::new(),
            }),
            source => Path::read(source),
        });
        Places {
            paths: paths.collect(),
            turned,
            go: GoModules::of(&tree.go_mod),
            meant,
            sources: sources.collect(),
            module,
            root: None,
            build_root: build_root.filter(|root| root.absolute),
        }
    }

    /// Looks at all paths of the report, for what they tell together: whether the build root is
    /// theirs, and if it is not, which one folder has a file for each of them.
    pub(super) fn survey<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let names = names.map(|n| {
            n.strip_prefix('_')
                .filter(|r| r.starts_with('/'))
                .unwrap_or(n)
        });
        let absolute: Vec<Path> = names
            .filter_map(Path::read)
            .filter(|p| p.absolute)
            .collect();
        if let Some(root) = &self.build_root {
            let all = absolute.iter().chain(&self.sources);
            if all.clone().any(|p| p.under(root).is_some() || p == root) {
                self.root = Some(root.clone());
                return;
            }
        }
        let enough = if self.build_root.is_some() { 2 } else { 1 };
        let Some(first) = absolute.first().filter(|_| absolute.len() >= enough) else {
            return;
        };
        let folders = first
            .text
            .match_indices('/')
            .map(|(end, _)| &first.text[..end]);
        let mut found = folders.chain([""]).filter(|folder| {
            let inside = |p: &Path| paths::under(&p.text, folder).is_some_and(|r| self.has(r));
            !paths::is_foreign(folder) && absolute.iter().all(inside)
        });
        if let (Some(folder), None) = (found.next(), found.next()) {
            self.root = Some(Path {
                absolute: true,
                text: folder.to_owned(),
            });
        }
    }

    /// Where a path lies; `modules` are names of what it belongs to, the nearest first.
    pub(super) fn place(&self, name: &str, modules: &[String]) -> Place {
        match self.meant {
            Meant::Files => self.file(name, modules),
            Meant::Packages => self.package(name, modules),
            Meant::GoPackages => self.go_package(name, modules),
        }
    }

    fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn at(&self, path: &str) -> Place {
        match self.has(path) {
            true => Place::At(path.to_owned()),
            false => Place::Nowhere,
        }
    }

    fn file(&self, name: &str, modules: &[String]) -> Place {
        let Some(path) = Path::read(name) else {
            return Place::Nowhere;
        };
        if path.absolute {
            return self.absolute(&path, modules);
        }
        let joined = self.sources.iter().filter_map(|s| s.join(name));
        let mut found = BTreeSet::new();
        for joined in joined {
            let place = match joined.absolute {
                true => self.absolute(&joined, modules),
                false => self.at(&joined.text),
            };
            match place {
                Place::At(path) => drop(found.insert(path)),
                Place::Several => return Place::Several,
                Place::Nowhere | Place::ByName(_) => {}
            }
        }
        match (found.pop_first(), found.is_empty()) {
            (Some(path), true) => Place::At(path),
            (Some(_), false) => Place::Several,
            // A name may hold a backslash where names may.
            (None, _) if self.has(name) => Place::At(name.to_owned()),
            (None, _) if self.has(&path.text) => Place::At(path.text),
            (None, _) => self.by_end(&path.text, modules),
        }
    }

    fn absolute(&self, path: &Path, modules: &[String]) -> Place {
        match &self.root {
            Some(root) => path
                .under(root)
                .map_or(Place::Nowhere, |rest| self.at(rest)),
            None => match self.build_root.as_ref().and_then(|root| path.under(root)) {
                Some(rest) => self.at(rest),
                None if !path.text.contains('/') => Place::Nowhere,
                None => self.by_end(&path.text, modules),
            },
        }
    }

    fn package(&self, name: &str, modules: &[String]) -> Place {
        let Some(path) = Path::read(name) else {
            return Place::Nowhere;
        };
        match self.ending(&path.text) {
            [] if path.text.ends_with(".kt") => {
                let file = path.text.rsplit('/').next().unwrap_or_default();
                match self.one_of(self.ending(file), file, modules) {
                    Place::At(path) => Place::ByName(path),
                    other => other,
                }
            }
            found => match self.one_of(found, &path.text, modules) {
                Place::Several => match self.at(&path.text) {
                    Place::Nowhere => Place::Several,
                    exactly => exactly,
                },
                place => place,
            },
        }
    }

    fn go_package(&self, name: &str, modules: &[String]) -> Place {
        // Packages outside of a module: `_` and the folder.
        let from_root = name
            .strip_prefix('_')
            .filter(|rest| rest.starts_with(['/', '\\']));
        let name = from_root.unwrap_or(name);
        let Some(path) = Path::read(name) else {
            return Place::Nowhere;
        };
        if path.absolute {
            return self.absolute(&path, modules);
        }
        if name.starts_with("./") || self.go.is_empty() {
            return self.file(name, modules);
        }
        let here = self.go.candidates(&path.text);
        let mut found: BTreeSet<String> = here.into_iter().filter(|p| self.has(p)).collect();
        match (found.pop_first(), found.is_empty()) {
            (Some(path), true) => Place::At(path),
            (Some(_), false) => Place::Several,
            (None, _) => Place::Nowhere,
        }
    }

    /// The files whose paths end with these segments.
    fn ending(&self, end: &str) -> &[(String, &'t str)] {
        self.turned_with(&turn(end))
    }

    fn turned_with(&self, start: &str) -> &[(String, &'t str)] {
        let from = self.turned.partition_point(|(t, _)| t.as_str() < start);
        let rest = &self.turned[from..];
        &rest[..rest.partition_point(|(t, _)| t.starts_with(start))]
    }

    /// The file that has the longest end of `path`: all of it, or at least a folder and a name,
    /// where what is left away is no folder of what others wrote.
    fn by_end(&self, path: &str, modules: &[String]) -> Place {
        let turned = turn(path);
        let mut end = path;
        let mut length = turned.len();
        loop {
            let found = self.turned_with(&turned[..length]);
            if !found.is_empty() {
                return self.one_of(found, end, modules);
            }
            let Some((left, rest)) = end.split_once('/') else {
                return Place::Nowhere;
            };
            if !rest.contains('/') || paths::is_foreign(left) {
                return Place::Nowhere;
            }
            length -= left.len() + 1;
            end = rest;
        }
    }

    /// The only one of `found`, or the one in the module.
    fn one_of(&self, found: &[(String, &'t str)], end: &str, modules: &[String]) -> Place {
        let mut left: Vec<&str> = found.iter().map(|(_, path)| *path).collect();
        if left.is_empty() {
            return Place::Nowhere;
        }
        for module in modules {
            if left.len() > 1 {
                left = nearest(&left, end, module);
            }
        }
        if let (Some(module), true) = (&self.module, left.len() > 1) {
            let inside = left.iter().filter(|p| paths::under(p, module).is_some());
            if let [only] = inside.collect::<Vec<_>>()[..] {
                return Place::At((*only).to_owned());
            }
        }
        match left[..] {
            [only] => Place::At(only.to_owned()),
            _ => Place::Several,
        }
    }
}

/// Those of `paths` whose folders name `module` best: with all words of a folder's name being the
/// last words of the module's (`shop-core` is in `core`); all of them where none does.
fn nearest<'p>(paths: &[&'p str], end: &str, module: &str) -> Vec<&'p str> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let module = words(module);
    let mut by_words: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let folders = path.strip_suffix(end).unwrap_or(path);
        let folders: Vec<Vec<String>> = folders.split('/').map(words).collect();
        let best = (0..folders.len()).flat_map(|from| {
            let folders = &folders;
            let module = &module;
            (from + 1..=folders.len().min(from + FOLDERS)).filter_map(move |to| {
                let joined = folders[from..to].concat();
                module.ends_with(&joined).then_some(joined.len())
            })
        });
        by_words
            .entry(best.max().unwrap_or(0))
            .or_default()
            .push(path);
    }
    by_words
        .pop_last()
        .map(|(_, best)| best)
        .unwrap_or_default()
}

/// `a/b.c` as `b.c/a/`.
fn turn(path: &str) -> String {
    let mut turned = String::with_capacity(path.len() + 1);
    for segment in path.rsplit('/') {
        turned.push_str(segment);
        turned.push('/');
    }
    turned
}

/// Where a report lies up to its `target` or `build` folder: the module it was written for.
fn module_folder(report: &str, build_root: Option<&Path>) -> Option<String> {
    let path = Path::read(report)?;
    let inside = match path.absolute {
        true => path.under(build_root?)?,
        false => path.text.as_str(),
    };
    let end = ["target", "build"].iter().filter_map(|folder| {
        let from = inside.find(&format!("/{folder}/"))?;
        Some(&inside[..from])
    });
    end.min_by_key(|module| module.len()).map(str::to_owned)
}
