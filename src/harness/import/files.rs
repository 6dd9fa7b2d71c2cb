//! A foreign folder, read with care: nothing is reached through a link, only plain files are
//! opened, and none that is too large.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::error::{Error, Result};

/// Most entries of one folder that are looked at.
const ENTRIES: usize = 200_000;

/// A larger file is not read.
pub(super) const MOST: u64 = 256 << 20;

/// A folder that is one, not a link to one.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

/// What came of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// There is none of this name.
    Absent,
    /// It is not read; why.
    Not(String),
    /// Its bytes.
    Bytes(Vec<u8>),
}

impl Folder {
    /// The folder that was named; it alone may be a link, since a user typed it.
    ///
    /// # Errors
    /// Usage where it is none.
    pub(super) fn top(path: &Path) -> Result<Folder> {
        let shown = path.display();
        let path = fs::canonicalize(path)
            .map_err(|e| Error::usage(format!("reading {shown}")).with_source(e))?;
        match path.is_dir() {
            true => Ok(Folder { path }),
            false => Err(Error::usage(format!("{shown} is no folder"))),
        }
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder `name` in it; `None` where there is none.
    pub(super) fn folder(&self, name: &str) -> Option<Folder> {
        let path = self.path.join(plain(name)?);
        let is = fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir());
        is.then_some(Folder { path })
    }

    /// The plain file `name` in it, no larger than [`MOST`]; the inner error says why not, and is
    /// empty where there is nothing of that name.
    pub(super) fn file(&self, name: &str) -> std::result::Result<PathBuf, String> {
        let path = self.path.join(plain(name).ok_or_else(String::new)?);
        match fs::symlink_metadata(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(String::new()),
            Err(e) => Err(e.to_string()),
            Ok(meta) if meta.is_symlink() => Err("a link, which is not followed".to_owned()),
            Ok(meta) if !meta.is_file() => Err("no plain file".to_owned()),
            Ok(meta) if meta.len() > MOST => Err(format!("larger than {} MiB", MOST >> 20)),
            Ok(_) => Ok(path),
        }
    }

    /// Reads the file `name` in it, of at most `most` bytes.
    pub(super) fn read(&self, name: &str, most: u64) -> Read {
        let path = match self.file(name) {
            Ok(path) => path,
            Err(why) if why.is_empty() => return Read::Absent,
            Err(why) => return Read::Not(why),
        };
        // A link that took its place meanwhile is not followed either.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mut bytes = Vec::new();
        let read = rustix::fs::open(&path, flags, Mode::empty())
            .map_err(std::io::Error::from)
            .and_then(|f| File::from(f).take(most + 1).read_to_end(&mut bytes));
        match read {
            Err(e) => Read::Not(e.to_string()),
            Ok(_) if bytes.len() as u64 > most => {
                Read::Not(format!("larger than {} KiB", most >> 10))
            }
            Ok(_) => Read::Bytes(bytes),
        }
    }

    /// The names in it that are UTF-8, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = entries.take(ENTRIES).map(|e| e.file_name().into_string());
        let mut names: Vec<String> = names.flatten().collect();
        names.sort();
        names
    }
}

/// A name of one part.
fn plain(name: &str) -> Option<&str> {
    let bad = name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']);
    (!bad).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plain_file_is_not_read() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("a"), "text").expect("written");
        fs::create_dir(dir.path().join("d")).expect("made");
        std::os::unix::fs::symlink("a", dir.path().join("l")).expect("linked");
        std::os::unix::fs::symlink("d", dir.path().join("ld")).expect("linked");
        let top = Folder::top(dir.path()).expect("a folder");
        assert_eq!(top.read("a", 4), Read::Bytes(b"text".to_vec()));
        assert_eq!(top.read("a", 3), Read::Not("larger than 0 KiB".to_owned()));
        assert_eq!(top.read("no", 9), Read::Absent);
        assert_eq!(top.read("d", 9), Read::Not("no plain file".to_owned()));
        assert!(matches!(top.read("l", 9), Read::Not(why) if why.contains("link")));
        assert!(top.folder("d").is_some());
        assert!(top.folder("ld").is_none() && top.folder("..").is_none());
        assert_eq!(top.read("../a", 9), Read::Absent);
        assert_eq!(top.names(), ["a", "d", "l", "ld"]);
        assert!(Folder::top(&dir.path().join("a")).is_err());
    }
}
