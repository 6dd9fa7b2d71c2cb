//! Files beside the plan, as they come to stand in a tree.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::plan::{Overlay, Text};
use crate::repo::{Oid, TreePath, Writer};

/// Most files of one folder.
const MOST: usize = 200_000;
/// A larger file belongs to no plan, in bytes.
const LARGEST: u64 = 512 << 20;
/// Folders in folders that are looked into.
const DEEPEST: usize = 64;

/// Paths of a tree, and what they become.
pub(super) type Edits = BTreeMap<TreePath, Option<(u32, Oid)>>;

/// What a text of the plan says, files read from `folder`.
///
/// # Errors
/// Usage where the file cannot be read or is no UTF-8.
pub(super) fn words(folder: &Path, text: &Text) -> Result<String> {
    match text {
        Text::Here(words) => Ok(words.clone()),
        Text::File(path) => {
            let path = folder.join(path);
            fs::read_to_string(&path).map_err(|e| reading(&path, e))
        }
    }
}

/// Writes the files of `overlay`, from `folder` on, as blobs, and adds their places to `edits`.
/// Links are kept as links; a folder `.git` is not looked into.
///
/// # Errors
/// Usage where a file cannot be read, is too large, or there are too many.
pub(super) fn lay(
    writer: &Writer,
    folder: &Path,
    overlay: &Overlay,
    edits: &mut Edits,
) -> Result<()> {
    let from = folder.join(&overlay.from);
    for (inner, file) in files(&from)? {
        let mut path = overlay.to.as_bytes().to_vec();
        if !inner.is_empty() {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(&inner);
        }
        let about = fs::symlink_metadata(&file).map_err(|e| reading(&file, e))?;
        let leaf = if about.is_symlink() {
            let target = fs::read_link(&file).map_err(|e| reading(&file, e))?;
            (0o120_000, writer.blob(target.as_os_str().as_bytes())?)
        } else {
            if about.len() > LARGEST {
                let most = LARGEST >> 20;
                let what = format!("{} is over {most} MiB", file.display());
                return Err(Error::usage(what));
            }
            let bytes = fs::read(&file).map_err(|e| reading(&file, e))?;
            let mode = match about.permissions().mode() & 0o100 {
                0 => 0o100_644,
                _ => 0o100_755,
            };
            (mode, writer.blob(&bytes)?)
        };
        edits.insert(path.into(), Some(leaf));
    }
    Ok(())
}

/// The files of `from`: itself with an empty path, or all below it with their paths from there,
/// sorted.
///
/// # Errors
/// Usage where a folder cannot be read, or there are too many files.
pub(super) fn files(from: &Path) -> Result<Vec<(Vec<u8>, PathBuf)>> {
    let mut found = Vec::new();
    match fs::metadata(from).map_err(|e| reading(from, e))?.is_dir() {
        false => found.push((Vec::new(), from.to_owned())),
        true => below(from, &mut Vec::new(), &mut found, DEEPEST)?,
    }
    found.sort();
    Ok(found)
}

fn below(
    at: &Path,
    name: &mut Vec<u8>,
    found: &mut Vec<(Vec<u8>, PathBuf)>,
    left: usize,
) -> Result<()> {
    for entry in fs::read_dir(at).map_err(|e| reading(at, e))? {
        let entry = entry.map_err(|e| reading(at, e))?;
        let kind = entry.file_type().map_err(|e| reading(&entry.path(), e))?;
        let length = name.len();
        if length > 0 {
            name.push(b'/');
        }
        name.extend_from_slice(entry.file_name().as_bytes());
        if kind.is_dir() {
            if entry.file_name() != ".git" && left > 0 {
                below(&entry.path(), name, found, left - 1)?;
            }
        } else if kind.is_file() || kind.is_symlink() {
            found.push((name.clone(), entry.path()));
            if found.len() > MOST {
                let what = format!("{} holds more than {MOST} files", at.display());
                return Err(Error::usage(what));
            }
        }
        name.truncate(length);
    }
    Ok(())
}

fn reading(path: &Path, e: std::io::Error) -> Error {
    Error::usage(format!("reading {}", path.display())).with_source(e)
}
