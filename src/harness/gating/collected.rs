//! Reports in an export: those that were there before a run go, those that are there after it are
//! copied out, so that nothing can change them while they are read. The tree belongs to nobody
//! who can be trusted: links are not followed, and what is no plain file is none.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use globset::GlobSet;

use crate::error::{Error, Result};
use crate::repo::path_globs;

/// Folders below one that are looked into.
const DEEPEST: usize = 64;
/// Reports of one run.
const FILES: usize = 20_000;
/// Bytes of all of them.
const BYTES: u64 = 2 << 30;
/// Entries of an export that are looked at.
const ENTRIES: usize = 2_000_000;

/// Globs over an export, as all of a plan's: paths from its top.
pub(super) struct Globs(GlobSet);

impl Globs {
    /// # Errors
    /// Usage where a text is no glob; `place` is what errors call them.
    pub(super) fn of(place: &str, globs: &[String]) -> Result<Globs> {
        path_globs(place, globs).map(Globs)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A report that was copied out of an export.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Report {
    /// Its path in the export, with `/`.
    pub(super) path: String,
    /// Where it is now, with the time it was last written.
    pub(super) file: PathBuf,
}

/// The reports of one run.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) reports: Vec<Report>,
    /// Those that were left out, and why.
    pub(super) left_out: Vec<String>,
}

/// Deletes what `globs` match in an export; gives the paths, sorted.
///
/// # Errors
/// Git where a file cannot be deleted.
pub(super) fn clear(top: &Path, globs: &[&Globs]) -> Result<Vec<String>> {
    let mut gone = Vec::new();
    if globs.iter().all(|g| g.is_empty()) {
        return Ok(gone);
    }
    let mut all = Vec::new();
    walk(top, Path::new(""), 0, &mut all);
    for inside in all {
        let path = shown(&inside);
        if globs.iter().any(|g| g.0.is_match(&path)) {
            let file = top.join(&inside);
            fs::remove_file(&file)
                .map_err(|e| Error::git(format!("deleting {}", file.display())).with_source(e))?;
            gone.push(path);
        }
    }
    gone.sort();
    Ok(gone)
}

/// Copies what `globs` match in an export into the new folder `to`.
///
/// # Errors
/// Git where a copy cannot be written.
pub(super) fn collect(top: &Path, globs: &Globs, to: &Path) -> Result<Collected> {
    let mut found = Collected::default();
    if globs.is_empty() {
        return Ok(found);
    }
    let mut all = Vec::new();
    walk(top, Path::new(""), 0, &mut all);
    all.sort();
    let mut left = BYTES;
    for inside in all {
        let path = shown(&inside);
        if !globs.0.is_match(&path) {
            continue;
        }
        if found.reports.len() >= FILES {
            found
                .left_out
                .push(format!("{path} and more: over {FILES} reports"));
            break;
        }
        let file = to.join(format!("{:05}", found.reports.len()));
        let name = inside
            .file_name()
            .map_or_else(OsString::new, ToOwned::to_owned);
        match copy(&top.join(&inside), &file, &name, left)? {
            Ok((file, size)) => {
                left = left.saturating_sub(size);
                found.reports.push(Report { path, file });
            }
            Err(why) => found.left_out.push(format!("{path}: {why}")),
        }
    }
    Ok(found)
}

/// Copies a plain file into the new folder `folder`, under its own name; the inner error says why
/// it is none.
fn copy(
    from: &Path,
    folder: &Path,
    name: &std::ffi::OsStr,
    most: u64,
) -> Result<std::result::Result<(PathBuf, u64), String>> {
    let meta = match fs::symlink_metadata(from) {
        Ok(meta) if meta.is_file() => meta,
        Ok(_) => return Ok(Err("no plain file".to_owned())),
        Err(e) => return Ok(Err(e.to_string())),
    };
    if meta.len() > most {
        return Ok(Err(format!("reports hold more than {} MiB", BYTES >> 20)));
    }
    let mut source = match open(from) {
        Ok(file) => file.take(meta.len()),
        Err(e) => return Ok(Err(e.to_string())),
    };
    let to = folder.join(name);
    let writing = |e| Error::git(format!("writing {}", to.display())).with_source(e);
    fs::create_dir_all(folder).map_err(writing)?;
    let mut file = fs::File::create_new(&to).map_err(writing)?;
    if let Err(e) = std::io::copy(&mut source, &mut file) {
        return Ok(Err(e.to_string()));
    }
    // A report that is older than the run is told by this.
    if let Ok(at) = meta.modified() {
        file.set_modified(at).map_err(writing)?;
    }
    Ok(Ok((to, meta.len())))
}

/// Opens a file that is no link; whoever is still there may have put one in its place.
fn open(path: &Path) -> std::io::Result<fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::other("no plain file")),
    }
}

/// All files below a folder, links too; folders behind links are not entered.
fn walk(top: &Path, below: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if depth > DEEPEST || found.len() > ENTRIES {
        return;
    }
    for entry in fs::read_dir(top.join(below))
        .into_iter()
        .flatten()
        .flatten()
    {
        let inner = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(top, &inner, depth + 1, found),
            Ok(_) => found.push(inner),
            Err(_) => {}
        }
    }
}

fn shown(inside: &Path) -> String {
    let parts: Vec<_> = inside
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.join("/")
}

/// Removes a folder that a run worked in, whatever it did to permissions there.
///
/// # Errors
/// Git where something of it stays.
pub(super) fn remove(folder: &Path) -> Result<()> {
    let gone = |r: &std::io::Result<()>| {
        matches!(r, Ok(()))
            || r.as_ref()
                .is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
    };
    let mut removed = fs::remove_dir_all(folder);
    if !gone(&removed) {
        let mut seen = BTreeSet::new();
        open_up(folder, 0, &mut seen);
        removed = fs::remove_dir_all(folder);
    }
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::git(format!("removing {}", folder.display())).with_source(e))
        }
        _ => Ok(()),
    }
}

/// Lets us write in all folders below one.
fn open_up(folder: &Path, depth: usize, seen: &mut BTreeSet<PathBuf>) {
    use std::os::unix::fs::PermissionsExt;
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|m| m.is_dir());
    if depth > 1_000 || !is_folder || !seen.insert(folder.to_owned()) {
        return;
    }
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|k| k.is_dir()) {
            open_up(&entry.path(), depth + 1, seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(all: &[&str]) -> Globs {
        let all: Vec<String> = all.iter().map(|g| (*g).to_owned()).collect();
        Globs::of("reports", &all).expect("globs")
    }

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for path in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("a parent")).expect("made");
            fs::write(file, path).expect("written");
        }
        folder
    }

    #[test]
    fn what_was_there_goes_and_what_is_there_is_copied_out() {
        let at = folder(&["out/a.xml", "out/b.txt", "m/target/c.xml", "x.json"]);
        let (xml, json) = (globs(&["out/*.xml", "target/"]), globs(&["x.json"]));
        let to = tempfile::tempdir().expect("a folder");
        let kept = collect(at.path(), &xml, to.path()).expect("copied");
        let paths: Vec<&str> = kept.reports.iter().map(|r| r.path.as_str()).collect();
        assert_eq!(paths, ["m/target/c.xml", "out/a.xml"]);
        assert_eq!(
            fs::read(&kept.reports[1].file).expect("there"),
            b"out/a.xml"
        );
        let gone = clear(at.path(), &[&xml, &json]).expect("cleared");
        assert_eq!(gone, ["m/target/c.xml", "out/a.xml", "x.json"]);
        assert!(at.path().join("out/b.txt").exists());
    }

    #[test]
    fn a_link_is_no_report_and_its_target_stays() {
        let at = folder(&["secret", "out/a.xml"]);
        let link = at.path().join("out/b.xml");
        std::os::unix::fs::symlink(at.path().join("secret"), &link).expect("linked");
        let to = tempfile::tempdir().expect("a folder");
        let kept = collect(at.path(), &globs(&["out/*"]), to.path()).expect("copied");
        assert_eq!(kept.reports.len(), 1);
        assert_eq!(kept.left_out, ["out/b.xml: no plain file"]);
        clear(at.path(), &[&globs(&["out/"])]).expect("cleared");
        assert!(at.path().join("secret").exists());
        assert!(!link.exists());
    }

    #[test]
    fn a_folder_that_was_locked_is_removed() {
        use std::os::unix::fs::PermissionsExt;
        let at = folder(&["a/b/c"]);
        let locked = at.path().join("a/b");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("locked");
        remove(&at.path().join("a")).expect("removed");
        assert!(!at.path().join("a").exists());
        remove(&at.path().join("a")).expect("nothing to remove");
    }
}
