//! Files that are named by globs, and their paths from where they were looked for.

use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::error::{Error, Result};

/// Folders below one that are looked into.
const DEEPEST: usize = 64;

/// A file that a glob matches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Where it is.
    pub(super) file: PathBuf,
    /// The folder that the glob was looked for in.
    pub(super) start: PathBuf,
}

/// The files that a glob matches, sorted; a path without special characters is itself, a folder
/// all that is below it.
///
/// # Errors
/// Usage where it is no glob, or a path without special characters is not there and `missing` is
/// not allowed. That a glob matches nothing is for the caller to judge.
pub(super) fn matching(option: &str, glob: &Path, missing: bool) -> Result<Vec<Found>> {
    let shown = glob.display();
    if glob.is_file() {
        let start = glob.parent().unwrap_or(Path::new("")).to_owned();
        let file = glob.to_owned();
        return Ok(vec![Found { file, start }]);
    }
    if glob.is_dir() {
        return Ok(below(glob));
    }
    let special = |c: &Component<'_>| {
        let text = c.as_os_str().as_encoded_bytes();
        text.iter().any(|b| b"*?[{".contains(b))
    };
    let fixed: PathBuf = glob.components().take_while(|c| !special(c)).collect();
    let rest: PathBuf = glob.components().skip_while(|c| !special(c)).collect();
    if rest.as_os_str().is_empty() {
        return match missing {
            true => Ok(Vec::new()),
            false => Err(Error::usage(format!("{option} {shown}: no such file"))),
        };
    }
    let text = rest
        .to_str()
        .ok_or_else(|| Error::usage(format!("{option} {shown}: a glob must be UTF-8")))?;
    let pattern = GlobBuilder::new(text)
        .literal_separator(true)
        .build()
        .map_err(|e| Error::usage(format!("{option} {shown}: no glob: {}", e.kind())))?
        .compile_matcher();
    let deepest = if text.contains("**") {
        DEEPEST
    } else {
        rest.components().count()
    };
    let mut found = Vec::new();
    walk(&fixed, Path::new(""), deepest, Some(&pattern), &mut found);
    found.sort();
    Ok(found)
}

/// All files below `folder`, sorted.
pub(super) fn below(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    walk(folder, Path::new(""), DEEPEST, None, &mut found);
    found.sort();
    found
}

/// All files below `folder`, sorted; links to folders are not followed, `.git` is not entered.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    below(folder).into_iter().map(|found| found.file).collect()
}

/// Adds the files below `start` whose path from there matches. Links to folders are not followed,
/// `.git` is not entered.
fn walk(
    start: &Path,
    below: &Path,
    left: usize,
    glob: Option<&GlobMatcher>,
    found: &mut Vec<Found>,
) {
    let folder = start.join(below);
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &folder
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let inner = below.join(entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if left > 1 && entry.file_name() != ".git" {
                walk(start, &inner, left - 1, glob, found);
            }
        } else if glob.is_none_or(|g| g.is_match(&inner)) && start.join(&inner).is_file() {
            found.push(Found {
                file: start.join(inner),
                start: start.to_owned(),
            });
        }
    }
}

/// The path of `file` from the first of `folders` that it is in, parts joined by `/`; its name
/// where it is in none.
pub(super) fn path_from<'p>(file: &Path, folders: impl IntoIterator<Item = &'p Path>) -> String {
    let real = real(file);
    let inside = folders.into_iter().find_map(|folder| {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        real.strip_prefix(folder).ok().map(Path::to_owned)
    });
    let name = || PathBuf::from(file.file_name().unwrap_or_default());
    let path = inside.unwrap_or_else(name);
    let parts: Vec<_> = path
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.join("/")
}

/// The file where it really is, its own name kept where it is a link.
fn real(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    folder.join(file.file_name().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(found: &[Found], from: &Path) -> Vec<String> {
        found.iter().map(|f| path_from(&f.file, [from])).collect()
    }

    #[test]
    fn globs_folders_and_files_are_found_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path();
        for path in [
            "b/target/x.xml",
            "a/target/x.xml",
            "a/target/y.txt",
            ".git/z.xml",
        ] {
            let file = top.join(path);
            fs::create_dir_all(file.parent().expect("a parent")).expect("made");
            fs::write(file, "x").expect("written");
        }
        let find = |glob: &str| matching("--tests", &top.join(glob), false).expect("found");
        let both = ["a/target/x.xml", "b/target/x.xml"];
        assert_eq!(named(&find("*/target/*.xml"), top), both);
        assert_eq!(named(&find("**/*.xml"), top), both);
        assert_eq!(named(&find("a"), top), ["a/target/x.xml", "a/target/y.txt"]);
        assert_eq!(
            named(&find("a/target/x.xml"), &top.join("a")),
            ["target/x.xml"]
        );
        assert_eq!(named(&find("a/target/x.xml"), &top.join("b")), ["x.xml"]);
        assert_eq!(find("c/*.xml"), []);
        assert!(matching("--tests", &top.join("c.xml"), false).is_err());
        assert_eq!(
            matching("--tests", &top.join("c.xml"), true).ok(),
            Some(Vec::new())
        );
    }
}
