//! The files that a recorded change is applied to: a work tree on disk, or a table in memory.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Files by their paths, parts joined by `/`.
pub(in crate::harness) trait Tree {
    /// The content of the file at `path`; `None` where there is none.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>>;
    /// Puts a file there, folders made as needed; `executable` where that is said.
    fn write(&mut self, path: &str, content: &[u8], executable: Option<bool>) -> Result<()>;
    /// Takes the file away, and the folders that are empty then.
    fn remove(&mut self, path: &str) -> Result<()>;
}

/// Whether a recorded change may name `path`: it cannot leave the tree, and git's folder is no
/// part of it.
pub(super) fn is_inside(path: &str) -> bool {
    let part = |p: &str| {
        let outside = ["", ".", ".."].contains(&p) || p.eq_ignore_ascii_case(".git");
        !outside && !p.contains(['\0', '\\'])
    };
    path.split('/').all(part)
}

/// A work tree on disk. Symbolic links are not followed.
#[derive(Debug)]
pub(super) struct Folder {
    top: PathBuf,
}

impl Folder {
    /// The work tree whose top is `top`.
    pub(super) fn new(top: &Path) -> Folder {
        Folder {
            top: top.to_owned(),
        }
    }

    /// Where `path` is on disk.
    ///
    /// # Errors
    /// Usage where it would leave the tree, by its own words or through a link.
    fn place(&self, path: &str) -> Result<PathBuf> {
        if !is_inside(path) {
            return Err(Error::usage(format!(
                "applying a recorded change: the path {path:?} leaves the work tree"
            )));
        }
        let mut place = self.top.clone();
        for part in path.split('/') {
            place.push(part);
            let is_link = fs::symlink_metadata(&place).is_ok_and(|m| m.is_symlink());
            if is_link {
                return Err(Error::usage(format!(
                    "applying a recorded change: {path}: {} is a symbolic link",
                    place.display()
                )));
            }
        }
        Ok(place)
    }
}

fn failed(doing: &str, path: &Path, e: std::io::Error) -> Error {
    Error::git(format!("{doing} {}", path.display())).with_source(e)
}

impl Tree for Folder {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let place = self.place(path)?;
        match fs::read(&place) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(e) => Err(failed("reading", &place, e)),
        }
    }

    fn write(&mut self, path: &str, content: &[u8], executable: Option<bool>) -> Result<()> {
        let place = self.place(path)?;
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|e| failed("creating", folder, e))?;
        }
        fs::write(&place, content).map_err(|e| failed("writing", &place, e))?;
        #[cfg(unix)]
        if let Some(executable) = executable {
            use std::os::unix::fs::PermissionsExt;
            let mode = if executable { 0o755 } else { 0o644 };
            fs::set_permissions(&place, fs::Permissions::from_mode(mode))
                .map_err(|e| failed("marking", &place, e))?;
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        let place = self.place(path)?;
        fs::remove_file(&place).map_err(|e| failed("removing", &place, e))?;
        // What is not empty stays.
        let mut folder = place.parent();
        while let Some(f) = folder.filter(|f| *f != self.top && fs::remove_dir(f).is_ok()) {
            folder = f.parent();
        }
        Ok(())
    }
}

impl Tree for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.get(path).map(|text| text.clone().into_bytes()))
    }

    fn write(&mut self, path: &str, content: &[u8], _: Option<bool>) -> Result<()> {
        let text = String::from_utf8(content.to_vec())
            .map_err(|e| Error::internal(format!("{path} is no text")).with_source(e))?;
        self.insert(path.to_owned(), text);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        match BTreeMap::remove(self, path) {
            Some(_) => Ok(()),
            None => Err(Error::internal(format!("{path} is not there"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leaves_the_tree() {
        for path in ["a", "a/b.c", "..a/b", ".gitignore", "a/.github/x"] {
            assert!(is_inside(path), "{path}");
        }
        for path in [
            "",
            "/a",
            "a/",
            "../a",
            "a/../../b",
            "./a",
            ".git/config",
            "a/.GIT/hooks/x",
        ] {
            assert!(!is_inside(path), "{path}");
        }
    }

    #[test]
    fn a_link_is_not_followed_and_an_empty_folder_goes() {
        let around = tempfile::tempdir().expect("a folder");
        let (top, outside) = (around.path().join("top"), around.path().join("outside"));
        fs::create_dir_all(&top).expect("made");
        fs::create_dir_all(&outside).expect("made");
        std::os::unix::fs::symlink(&outside, top.join("out")).expect("linked");
        let mut folder = Folder::new(&top);
        assert!(folder.write("out/file", b"x", None).is_err());
        assert!(folder.read("out/file").is_err());
        assert_eq!(fs::read_dir(&outside).expect("read").count(), 0);
        folder.write("a/b/c", b"x", Some(true)).expect("written");
        assert_eq!(folder.read("a/b/c").expect("read"), Some(b"x".to_vec()));
        assert_eq!(folder.read("a/b/c/d").expect("read"), None);
        folder.remove("a/b/c").expect("removed");
        assert!(!top.join("a").exists());
    }
}
