//! Where a recorded change is found: the files of a folder, by checkpoint, purpose, variant and
//! try, most particular first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::edits::{self, Action, Script};
use super::files::Tree;
use super::patch::{self, FilePatch};
use crate::error::{Error, Result};

/// A larger recorded file is none.
const MOST: u64 = 64 << 20;

/// What a session is about, as far as its recording is looked for.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    /// `implement`, `refactor`, `review`, `probe`, `noop`.
    pub(super) purpose: String,
    /// The checkpoint's number; 0 for what belongs to none.
    pub(super) number: u32,
    /// Its id.
    pub(super) id: String,
    /// The chain's variant at this checkpoint.
    pub(super) variant: Option<char>,
    /// Which try, from 1.
    pub(super) attempt: u32,
}

/// A recorded change: its parts in order, and the messages of commits in between.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) parts: Vec<Part>,
    pub(super) messages: Vec<String>,
}

/// One file's change.
#[derive(Debug)]
pub(super) enum Part {
    Patch(FilePatch),
    Action(Action),
    /// A file of a recorded folder, and where it comes to stand.
    Copy(PathBuf, String),
}

impl Part {
    pub(super) fn path(&self) -> &str {
        match self {
            Part::Patch(patch) => patch.path(),
            Part::Action(action) => action.path(),
            Part::Copy(_, to) => to,
        }
    }

    /// # Errors
    /// Usage where it does not fit the tree.
    pub(super) fn apply(&self, tree: &mut dyn Tree) -> Result<()> {
        match self {
            Part::Patch(patch) => patch.apply(tree),
            Part::Action(action) => action.apply(tree),
            Part::Copy(from, to) => tree.write(to, &bytes(from)?, Some(is_executable(from))),
        }
    }
}

impl From<Script> for Change {
    fn from(script: Script) -> Change {
        Change {
            parts: script.actions.into_iter().map(Part::Action).collect(),
            messages: script.messages,
        }
    }
}

/// The recorded change in `folder`; `None` where there is none for this session.
///
/// # Errors
/// Usage where it cannot be read or is out of form.
pub(super) fn change_in(folder: &Path, sought: &Sought) -> Result<Option<Change>> {
    for stem in stems(sought) {
        let as_folder = folder.join(&stem);
        if as_folder.is_dir() {
            return copies(&as_folder).map(Some);
        }
        for ending in ["patch", "diff"] {
            let file = folder.join(format!("{stem}.{ending}"));
            if file.is_file() {
                let parts = patch::parse(&bytes(&file)?).map_err(|e| of(&file, e))?;
                return Ok(Some(Change {
                    parts: parts.into_iter().map(Part::Patch).collect(),
                    messages: Vec::new(),
                }));
            }
        }
        let file = folder.join(format!("{stem}.edits"));
        if file.is_file() {
            let text = String::from_utf8_lossy(&bytes(&file)?).into_owned();
            let script = edits::parse(&text)
                .and_then(|all| script_of(all, sought.variant))
                .map_err(|e| of(&file, e))?;
            return Ok(Some(script.into()));
        }
    }
    Ok(None)
}

/// The recorded answer in `folder`, where there is one.
///
/// # Errors
/// Usage where it cannot be read.
pub(super) fn answer_in(folder: &Path, sought: &Sought) -> Result<Option<String>> {
    let files = stems(sought)
        .into_iter()
        .map(|stem| folder.join(format!("{stem}.answer")));
    match files.into_iter().find(|f| f.is_file()) {
        Some(file) => Ok(Some(
            String::from_utf8_lossy(&bytes(&file)?)
                .trim_end()
                .to_owned(),
        )),
        None => Ok(None),
    }
}

/// The script of a variant; where it is not among them that of variant `a`, and of a script with a
/// single one that.
///
/// # Errors
/// Usage where there is none of these.
fn script_of(mut all: BTreeMap<char, Script>, variant: Option<char>) -> Result<Script> {
    let only = all.keys().next().copied().filter(|_| all.len() == 1);
    let letters = [variant, Some('a'), only];
    let found = letters.into_iter().flatten().find(|l| all.contains_key(l));
    found.and_then(|l| all.remove(&l)).ok_or_else(|| {
        Error::usage(format!(
            "there is neither a variant {} nor a variant a",
            variant.unwrap_or('a')
        ))
    })
}

/// The names a recording may have, most particular first.
fn stems(sought: &Sought) -> Vec<String> {
    let Sought { number, id, .. } = sought;
    let mut named = vec![
        format!("{number:02}-{id}"),
        id.clone(),
        number.to_string(),
        format!("{number:02}"),
    ];
    if sought.purpose != "implement" {
        let of = sought.purpose.clone();
        named.iter_mut().for_each(|n| *n = format!("{of}-{n}"));
        named.push(of);
    }
    let attempt = format!(".try{}", sought.attempt);
    let variant = sought.variant.map(|v| format!("-{v}"));
    let variants = variant.iter().map(String::as_str).chain([""]);
    let endings = variants.map(|v| [format!("{v}{attempt}"), v.to_owned()]);
    let (tries, plain): (Vec<String>, Vec<String>) = endings.map(|[t, p]| (t, p)).unzip();
    let endings = tries.iter().chain(&plain);
    endings
        .flat_map(|ending| named.iter().map(move |n| format!("{n}{ending}")))
        .collect()
}

/// The files of a folder, as they are to stand.
fn copies(folder: &Path) -> Result<Change> {
    let mut parts = Vec::new();
    for found in crate::harness::globs::below(folder) {
        let path = found.file.strip_prefix(folder).unwrap_or(&found.file);
        let Some(path) = path.to_str() else {
            return Err(Error::usage(format!(
                "reading {}: a name that is not UTF-8",
                found.file.display()
            )));
        };
        parts.push(Part::Copy(found.file.clone(), path.to_owned()));
    }
    Ok(Change {
        parts,
        messages: Vec::new(),
    })
}

fn bytes(file: &Path) -> Result<Vec<u8>> {
    let doing = || format!("reading {}", file.display());
    let size = fs::metadata(file)
        .map_err(|e| Error::usage(doing()).with_source(e))?
        .len();
    if size > MOST {
        return Err(Error::usage(format!(
            "{}: {size} bytes are too many",
            doing()
        )));
    }
    fs::read(file).map_err(|e| Error::usage(doing()).with_source(e))
}

fn of(file: &Path, error: Error) -> Error {
    Error::usage(format!("{}: {error}", file.display()))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|m| m.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(purpose: &str, variant: Option<char>, attempt: u32) -> Sought {
        Sought {
            purpose: purpose.to_owned(),
            number: 3,
            id: "member".to_owned(),
            variant,
            attempt,
        }
    }

    #[test]
    fn the_most_particular_recording_is_taken() {
        let around = tempfile::tempdir().expect("a folder");
        let write = |name: &str| {
            let text = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
            fs::write(around.path().join(name), text).expect("written");
        };
        let found = |s: &Sought| {
            let change = change_in(around.path(), s).expect("read");
            change.map(|c| c.parts[0].path().to_owned())
        };
        assert_eq!(found(&sought("implement", None, 1)), None);
        write("3.patch");
        assert_eq!(
            found(&sought("implement", Some('b'), 1)).as_deref(),
            Some("3.patch")
        );
        write("member-b.patch");
        assert_eq!(
            found(&sought("implement", Some('b'), 1)).as_deref(),
            Some("member-b.patch")
        );
        assert_eq!(
            found(&sought("implement", Some('a'), 1)).as_deref(),
            Some("3.patch")
        );
        write("03-member.try2.diff");
        assert_eq!(
            found(&sought("implement", None, 2)).as_deref(),
            Some("03-member.try2.diff")
        );
        assert_eq!(
            found(&sought("implement", None, 1)).as_deref(),
            Some("3.patch")
        );
        assert_eq!(found(&sought("refactor", None, 1)), None);
        write("refactor-member.patch");
        assert_eq!(
            found(&sought("refactor", None, 1)).as_deref(),
            Some("refactor-member.patch")
        );
    }

    #[test]
    fn a_folder_of_files_is_laid_over() {
        let around = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(around.path().join("member/src")).expect("made");
        fs::write(around.path().join("member/src/a.py"), "x = 1\n").expect("written");
        fs::write(around.path().join("probe.answer"), "All of it.\n").expect("written");
        let change = change_in(around.path(), &sought("implement", None, 1)).expect("read");
        let paths: Vec<String> = change
            .iter()
            .flat_map(|c| &c.parts)
            .map(|p| p.path().to_owned())
            .collect();
        assert_eq!(paths, ["src/a.py"]);
        let answer = answer_in(around.path(), &sought("probe", None, 1)).expect("read");
        assert_eq!(answer.as_deref(), Some("All of it."));
    }
}
