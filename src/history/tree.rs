//! The files of one tree: for `functions`, `files`, and to tell a tree's main language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::Result;
use crate::repo::{Attributes, Entry, Oid, Reader, Repo, attribute_files, is_binary, line_count};
use crate::syntax::{self, Language, Structure};

use super::ground::file;
use super::paths::PathFilter;
use super::scope;
use super::summary::Unread;
use super::threads::{self, Progress, Silent};
use super::worker::Worker;
use super::{FileClass, Profile, Settings};
use crate::repo::Marks;

/// One code file of a tree.
#[derive(Debug, Clone)]
pub struct TreeFile {
    /// Its path.
    pub path: Arc<[u8]>,
    /// Its language.
    pub language: Language,
    /// Its class, by the tree's own marks.
    pub class: FileClass,
    /// Its functions, or why there are none.
    pub structure: Result<Arc<Structure>, Unread>,
    /// Physical lines; 0 for binary content.
    pub lines: u32,
}

/// Every code file of a tree, tests too, sorted by path.
///
/// # Errors
/// A tree that cannot be read.
pub fn tree_files(
    repo: &Repo,
    tree: Oid,
    settings: &Settings,
    paths: &PathFilter,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<TreeFile>> {
    let reader = repo.reader()?;
    let all = reader.files(tree)?;
    let marks = Attributes::read(&reader, &attribute_files(&all))?;
    let wanted: Vec<(Arc<[u8]>, Oid, Language, Marks)> = all
        .into_iter()
        .filter(|(path, _)| paths.matches(path))
        .filter_map(|(path, entry)| {
            let language = Language::of_path(&path)?;
            let blob = file(Some(entry))?;
            let m = marks.marks(&path);
            Some((Arc::from(path), blob, language, m))
        })
        .collect();
    progress.begin("reading files", wanted.len() as u64);
    let found = threads::on_all(
        threads,
        wanted.len(),
        || Worker::new(repo, settings.profile),
        |worker, i| {
            let (path, blob, language, marks) = &wanted[i];
            progress.advance(1);
            one(worker, settings, path, *blob, *language, *marks)
        },
    );
    progress.end();
    found
}

fn one(
    worker: &mut Worker,
    settings: &Settings,
    path: &Arc<[u8]>,
    blob: Oid,
    language: Language,
    marks: Marks,
) -> Result<TreeFile> {
    let bytes = worker.read(blob);
    let header = bytes
        .as_ref()
        .is_some_and(|b| syntax::generated_header(language, b));
    let lines = bytes
        .as_ref()
        .filter(|b| !is_binary(b))
        .map_or(0, |b| line_count(b));
    let structure = match bytes {
        _ if !language.is_analysed() => Err(Unread::NoParser(language)),
        _ if settings.profile == Profile::Scb && language != Language::Python => {
            Err(Unread::NotInProfile(settings.profile))
        }
        None => Err(Unread::Unparsed(syntax::Unparsed::Missing)),
        Some(bytes) => worker
            .parse(language, None, &bytes)?
            .structure()
            .map(Arc::clone)
            .map_err(Unread::Unparsed),
    };
    Ok(TreeFile {
        path: Arc::clone(path),
        language,
        class: scope::classify(settings, path, marks, header),
        structure,
        lines,
    })
}

/// The analysed language with most code lines of production code in a tree; ties: the first by
/// name. `None` where there is none. Parses only where there are several to choose from.
///
/// # Errors
/// A tree that cannot be read.
pub fn main_language(
    repo: &Repo,
    tree: Oid,
    settings: &Settings,
    threads: usize,
) -> Result<Option<Language>> {
    let reader = repo.reader()?;
    let files = reader.files(tree)?;
    let candidates = candidates(&reader, settings, &files)?;
    if candidates.len() < 2 {
        return Ok(candidates.first().copied());
    }
    let mut lines: BTreeMap<Language, i64> = BTreeMap::new();
    let all = tree_files(
        repo,
        tree,
        settings,
        &PathFilter::default(),
        threads,
        &Silent,
    )?;
    for f in all.iter().filter(|f| f.class == FileClass::Production) {
        if let Ok(s) = &f.structure {
            *lines.entry(f.language).or_default() += i64::from(s.nloc);
        }
    }
    let most = lines
        .iter()
        .max_by_key(|(l, n)| (**n, std::cmp::Reverse(**l)))
        .map(|(l, _)| *l);
    Ok(most.or(candidates.first().copied()))
}

/// Analysed languages with a file that is production code by its path and marks.
fn candidates(
    reader: &Reader,
    settings: &Settings,
    files: &[(Box<[u8]>, Entry)],
) -> Result<Vec<Language>> {
    let marks = Attributes::read(reader, &attribute_files(files))?;
    let mut found = BTreeSet::new();
    for (path, entry) in files {
        if file(Some(*entry)).is_none() {
            continue;
        }
        let Some(language) = Language::of_path(path).filter(|l| l.is_analysed()) else {
            continue;
        };
        let m = marks.marks(path);
        if !found.contains(&language)
            && scope::classify(settings, path, m, false) == FileClass::Production
        {
            found.insert(language);
        }
    }
    Ok(found.into_iter().collect())
}
