//! Reading what was named: which files are one thing, and what they are.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Known, Readers, RunFacts, TreeFacts};
use crate::error::{Error, Result};
use crate::harness::files_below;
use crate::intake::{What, identify};
use crate::measure::{pricing, signals};
use crate::record::{CoverageMap, Moment, Opened, Readers as _, Reading, Session, TestMap};

/// A file's path, from where it was looked for, and where it is.
pub(super) type Named = (String, PathBuf);

/// What was read.
#[derive(Debug)]
pub(super) struct Inspected {
    /// The file or folder, as it was named.
    pub(super) file: String,
    /// What it was.
    pub(super) was: Was,
    /// What is to be said of it beside that.
    pub(super) notes: Vec<String>,
}

/// What a file was.
#[derive(Debug)]
pub(super) enum Was {
    /// A session.
    Session(Box<Telling>),
    /// A gate run.
    Tests(Box<TestMap>),
    /// A coverage report.
    Coverage(Box<CoverageMap>),
    /// Something else that is known.
    Ignored(String),
    /// Nothing known.
    Unrecognised,
    /// Nothing at all.
    Empty,
    /// Of a known format and not readable: why.
    Unreadable(String, String),
}

/// A session, and what is computed from it.
#[derive(Debug)]
pub(super) struct Telling {
    pub(super) session: Session,
    /// By the table that was given.
    pub(super) priced: Option<pricing::Priced>,
    /// Of a session whose messages are told.
    pub(super) signals: Option<signals::Signals>,
}

impl Inspected {
    /// Whether nothing was recognised, or what was cannot be read.
    pub(super) fn is_unknown(&self) -> bool {
        !matches!(self.was, Was::Session(_) | Was::Tests(_) | Was::Coverage(_))
    }
}

/// Reads one file or folder.
///
/// # Errors
/// Usage where a file cannot be opened.
pub(super) fn one(folder: &Path, typed: &Path, known: &Known) -> Result<Vec<Inspected>> {
    let place = folder.join(typed);
    let shown = typed.display().to_string();
    let files = files_of(&place)?;
    match place.is_dir() {
        true => group(shown, files, known),
        false => {
            let what = what(&files[0])?;
            Ok(vec![single(shown, &files, what, known)?])
        }
    }
}

/// Reads all of them as one run or one session.
///
/// # Errors
/// Usage where a file cannot be opened.
pub(super) fn together(folder: &Path, typed: &[PathBuf], known: &Known) -> Result<Vec<Inspected>> {
    let mut files = Vec::new();
    for typed in typed {
        let place = folder.join(typed);
        if place.is_dir() {
            files.extend(files_of(&place)?);
        } else {
            // Modules stand in paths.
            let path = typed.components().map(|c| c.as_os_str().to_string_lossy());
            files.push((path.collect::<Vec<_>>().join("/"), place));
        }
    }
    let shown: Vec<String> = typed.iter().map(|f| f.display().to_string()).collect();
    group(shown.join(", "), files, known)
}

/// That `file`, if it is there, is no pipe or device: what is read more than once cannot come from
/// one, and opening one waits for whoever writes to it.
///
/// # Errors
/// Usage where it is one.
pub(super) fn no_pipe(file: &Path) -> Result<()> {
    match std::fs::metadata(file) {
        Ok(meta) if !meta.is_file() => Err(Error::usage(format!("{} is no file", file.display()))
            .with_hint("what comes through a pipe is written to a file first")),
        _ => Ok(()),
    }
}

/// The file itself, or all below the folder.
///
/// # Errors
/// None for a folder; usage where a file has no name, or is a pipe.
pub(super) fn files_of(place: &Path) -> Result<Vec<Named>> {
    if place.is_dir() {
        return Ok(below(place));
    }
    no_pipe(place)?;
    let name = place
        .file_name()
        .ok_or_else(|| Error::usage(format!("{} is no file", place.display())))?;
    Ok(vec![(
        name.to_string_lossy().into_owned(),
        place.to_owned(),
    )])
}

/// The files below a folder by their paths from there, sorted.
pub(super) fn below(folder: &Path) -> Vec<Named> {
    let mut files = Vec::new();
    for file in files_below(folder) {
        let inner = file.strip_prefix(folder).unwrap_or(&file);
        let parts = inner.components().map(|c| c.as_os_str().to_string_lossy());
        let path = parts.collect::<Vec<_>>().join("/");
        files.push((path, file));
    }
    files.sort();
    files
}

fn open((path, file): &Named) -> Result<Opened<'static>> {
    let reading = |e| Error::usage(format!("reading {}", file.display())).with_source(e);
    let opened = File::open(file).map_err(reading)?;
    let modified = opened.metadata().and_then(|m| m.modified()).ok();
    let millis = modified
        .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_millis()).ok());
    Ok(Opened {
        path: path.clone(),
        modified: millis.and_then(Moment::from_millis),
        bytes: Box::new(opened),
    })
}

fn what(file: &Named) -> Result<Option<What>> {
    Ok(identify(&mut open(file)?))
}

/// Reads the reports of one run.
///
/// # Errors
/// Usage where a file cannot be opened.
pub(super) fn reports(files: &[Named], run: &RunFacts) -> Result<TestMap> {
    let mut opened = files.iter().map(open).collect::<Result<Vec<_>>>()?;
    Ok(Readers.tests(&mut opened, run))
}

/// One thing that is made of `files`, the first of which is `what`.
fn single(shown: String, files: &[Named], what: Option<What>, known: &Known) -> Result<Inspected> {
    let mut notes = Vec::new();
    let was = match what {
        Some(What::Report(_)) => Was::Tests(Box::new(reports(files, &known.run)?)),
        Some(What::Envelope(_)) => session(files, known)?,
        Some(What::Coverage(_)) => {
            let was = coverage(&files[0], known.tree.as_ref())?;
            if known.tree.is_none() && matches!(was, Was::Coverage(_)) {
                notes.push(format!(
                    "{shown}: paths are the report's own; --tree FILE maps them onto those of a commit"
                ));
            }
            was
        }
        Some(What::Ignored(what)) => Was::Ignored(what.to_owned()),
        Some(What::Empty) => Was::Empty,
        None => Was::Unrecognised,
    };
    Ok(Inspected {
        file: shown,
        was,
        notes,
    })
}

fn session(files: &[Named], known: &Known) -> Result<Was> {
    let mut opened = files.iter().map(open).collect::<Result<Vec<_>>>()?;
    Ok(match Readers.session(&mut opened) {
        Reading::Read(mut session) => {
            let model = known.model.as_deref();
            let table = known.prices.as_ref();
            let priced = table.map(|t| pricing::price(&session, model, t));
            // Of a part of the events they would be too small.
            let cut = session.warnings.contains("transcript_cut");
            let whole = session.transcript.as_ref().filter(|_| !cut);
            let signals = whole.map(signals::signals);
            // As JSON a long session's events take many times the memory they take here.
            if !known.events {
                session.transcript = None;
            }
            Was::Session(Box::new(Telling {
                session,
                priced,
                signals,
            }))
        }
        Reading::Empty => Was::Empty,
        Reading::Unrecognised => Was::Unrecognised,
        Reading::Unreadable(format, why) => Was::Unreadable(format, why),
    })
}

fn coverage(file: &Named, tree: Option<&TreeFacts>) -> Result<Was> {
    Ok(match Readers.coverage(&mut open(file)?, tree) {
        Reading::Read(map) => Was::Coverage(Box::new(map)),
        Reading::Empty => Was::Empty,
        Reading::Unrecognised => Was::Unrecognised,
        Reading::Unreadable(format, why) => Was::Unreadable(format, why),
    })
}

/// What several files are together: one run where any of them is a test report, or something is
/// known of a run and nothing else is among them; else sessions; else coverage reports.
fn group(shown: String, files: Vec<Named>, known: &Known) -> Result<Vec<Inspected>> {
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    let console = known.console.as_deref().and_then(real);
    let files: Vec<Named> = files
        .into_iter()
        .filter(|(_, file)| console.is_none() || real(file) != console)
        .collect();
    let mut sorted: BTreeMap<&str, Vec<Named>> = BTreeMap::new();
    for file in &files {
        let what = what(file)?;
        let class = match what {
            Some(What::Report(_)) => "report",
            Some(What::Envelope(_)) => "envelope",
            Some(What::Coverage(_)) => "coverage",
            Some(What::Ignored(_)) => "ignored",
            Some(What::Empty) => "empty",
            None => "unknown",
        };
        sorted.entry(class).or_default().push(file.clone());
    }
    let has = |class: &str| sorted.contains_key(class);
    let nothing_else = !has("envelope") && !has("coverage");
    if has("report") || nothing_else && known.of_a_run() {
        let was = Was::Tests(Box::new(reports(&files, &known.run)?));
        return Ok(vec![Inspected {
            file: shown,
            was,
            notes: Vec::new(),
        }]);
    }
    if nothing_else {
        let was = match has("unknown") || has("ignored") {
            true => Was::Unrecognised,
            false => Was::Empty,
        };
        return Ok(vec![Inspected {
            file: shown,
            was,
            notes: Vec::new(),
        }]);
    }
    let class = if has("envelope") {
        "envelope"
    } else {
        "coverage"
    };
    let mut notes = Vec::new();
    for (path, _) in sorted
        .iter()
        .filter(|(c, _)| **c != class)
        .flat_map(|(_, f)| f)
    {
        notes.push(format!("{shown}: {path} is no {class} and was left out"));
    }
    let taken = sorted.remove(class).unwrap_or_default();
    let mut all = Vec::new();
    if class == "coverage" {
        for file in taken {
            let shown = format!("{shown}/{}", file.0);
            let what = identify(&mut open(&file)?);
            all.push(single(shown, &[file], what, known)?);
        }
    } else {
        for files in by_session(taken, known)? {
            let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
            let shown = format!("{shown}: {}", names.join(", "));
            all.push(Inspected {
                was: session(&files, known)?,
                file: shown,
                notes: Vec::new(),
            });
        }
    }
    if let Some(first) = all.first_mut() {
        first.notes.splice(0..0, notes);
    }
    Ok(all)
}

/// Files of one session id together; one that states none is a session of its own.
fn by_session(files: Vec<Named>, known: &Known) -> Result<Vec<Vec<Named>>> {
    let mut groups: Vec<(Option<String>, Vec<Named>)> = Vec::new();
    for file in files {
        let id = match session(std::slice::from_ref(&file), known)? {
            Was::Session(telling) => telling.session.session_id,
            _ => None,
        };
        match groups.iter_mut().find(|(of, _)| of.is_some() && *of == id) {
            Some((_, group)) => group.push(file),
            None => groups.push((id, vec![file])),
        }
    }
    Ok(groups.into_iter().map(|(_, files)| files).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn telling(folder: &Path, name: &str, events: bool) -> Box<Telling> {
        let known = Known {
            run: RunFacts::default(),
            tree: None,
            prices: None,
            model: None,
            events,
            console: None,
        };
        let mut read = one(folder, Path::new(name), &known).expect("readable");
        match read.pop().map(|read| read.was) {
            Some(Was::Session(telling)) => telling,
            other => panic!("a session: {other:?}"),
        }
    }

    #[test]
    fn events_are_kept_only_where_they_are_printed() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples/envelopes");
        for events in [false, true] {
            let read = telling(&top, "claude-transcript-sidechain.jsonl", events);
            assert_eq!(read.session.transcript.is_some(), events);
            assert!(read.signals.is_some(), "computed either way");
        }
    }

    #[test]
    fn what_needs_all_events_is_unknown_where_some_were_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = r#"{"type":"user","session_id":"s","message":{"content":"x"}}"#;
        let head = r#"{"type":"system","subtype":"init","claude_code_version":"2"}"#;
        for (lines, known) in [(10, true), (300_000, false)] {
            let text = format!("{head}\n{}", format!("{line}\n").repeat(lines));
            std::fs::write(folder.path().join("long"), text).expect("written");
            let read = telling(folder.path(), "long", false);
            assert_eq!(read.signals.is_some(), known, "{lines}");
        }
    }
}
