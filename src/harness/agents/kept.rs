//! What a session left behind, copied to where no agent reaches it: its envelope and logs, which
//! lie in folders that it could write in.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};

use super::{Layout, Places, Session};
use crate::error::{Error, Result};
use crate::repo::path_globs;

/// Most bytes of one file, most files, deepest folder, and most entries that are looked at.
const BYTES: u64 = 512 << 20;
const FILES: usize = 1_000;
const DEEPEST: usize = 24;
const ENTRIES: usize = 200_000;

/// Files that were kept.
pub(super) struct Kept {
    /// What the agent reported.
    pub(super) envelopes: Vec<PathBuf>,
    /// Its own logs.
    pub(super) transcripts: Vec<PathBuf>,
}

/// Keeps the envelope (`out`, where the plan names no file) and the logs of a session.
///
/// # Errors
/// Usage where a placeholder stands for nothing or a glob is none; internal where a copy cannot
/// be written.
pub(super) fn keep(
    session: &Session<'_>,
    places: &Places,
    layout: &Layout,
    out: &Path,
) -> Result<Kept> {
    let agent = session.agent;
    let roots = [layout.work.as_path(), session.clone];
    let mut envelopes = Vec::new();
    match &agent.envelope {
        None => {
            if out.metadata().is_ok_and(|m| m.len() > 0) {
                envelopes.push(out.to_owned());
            }
        }
        Some(named) => {
            let path = session.clone.join(places.text(named)?);
            if let Some((root, inner)) = below(&path, roots) {
                let name = inner.file_name().unwrap_or_default();
                let to = layout.kept.join("envelope").join(name);
                envelopes.extend(copy(root, &inner, &to)?);
            }
        }
    }
    let mut transcripts = Vec::new();
    for glob in &agent.transcripts {
        let glob = session.clone.join(places.text(glob)?);
        let Some((root, inner)) = below(&glob, roots) else {
            return Err(Error::usage(format!(
                "looking for transcripts in {}: they lie neither in the session's folder nor in \
                 the clone",
                glob.display()
            ))
            .with_hint("begin with {config}, {home}, {session} or {clone}"));
        };
        let globs = path_globs("transcripts", &[inner.to_string_lossy().into_owned()])?;
        for file in files(root) {
            if transcripts.len() >= FILES {
                break;
            }
            let inner = file.strip_prefix(root).unwrap_or(&file);
            if globs.is_match(inner) {
                let to = layout.kept.join("transcripts").join(inner);
                transcripts.extend(copy(root, inner, &to)?);
            }
        }
    }
    transcripts.sort();
    transcripts.dedup();
    Ok(Kept {
        envelopes,
        transcripts,
    })
}

/// The root that `path` lies in, and its way from there; `None` where in none.
fn below<'r>(path: &Path, roots: [&'r Path; 2]) -> Option<(&'r Path, PathBuf)> {
    roots.into_iter().find_map(|root| {
        let inner = path.strip_prefix(root).ok()?;
        let plain = |c: Component<'_>| matches!(c, Component::Normal(_));
        inner
            .components()
            .all(plain)
            .then(|| (root, inner.to_owned()))
    })
}

/// The regular files below `root`, in order; no link is followed.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST && entry.file_name() != ".git" => {
                    open.push((entry.path(), depth + 1));
                }
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
            if seen >= ENTRIES {
                break;
            }
        }
    }
    found.sort();
    found
}

/// Copies the regular file `inner` of `root`, no folder on the way being a link; `None` where
/// there is none.
fn copy(root: &Path, inner: &Path, to: &Path) -> Result<Option<PathBuf>> {
    let Some(file) = open(root, inner) else {
        return Ok(None);
    };
    let writing = |e| Error::internal(format!("writing {}", to.display())).with_source(e);
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(writing)?;
    let mut target = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(to)
        .map_err(writing)?;
    std::io::copy(&mut file.take(BYTES), &mut target).map_err(writing)?;
    Ok(Some(to.to_owned()))
}

fn open(root: &Path, inner: &Path) -> Option<File> {
    let plain = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open(root, plain | OFlags::DIRECTORY, Mode::empty()).ok()?;
    let mut names = inner.components().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            let flags = plain | OFlags::DIRECTORY;
            folder = openat(&folder, name.as_os_str(), flags, Mode::empty()).ok()?;
            continue;
        }
        // A pipe must not keep us waiting.
        let flags = plain | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(openat(&folder, name.as_os_str(), flags, Mode::empty()).ok()?);
        return file.metadata().ok()?.is_file().then_some(file);
    }
    None
}
