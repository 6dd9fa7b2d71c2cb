//! A folder of a hostile work tree, by its handle: nothing in it is reached through a link.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, readlinkat, statat};
use rustix::io::Errno;

use super::What;
use super::rules::MOST;
use crate::error::{Error, Result};

/// An open folder.
pub(super) struct Folder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// A pipe that took a file's place meanwhile must not keep us waiting.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const HANDLE: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Folder {
    /// The top of the work tree.
    pub(super) fn top(path: &Path) -> Result<Folder> {
        open(path, FOLDER, Mode::empty())
            .map(Folder)
            .map_err(|e| Error::git(format!("taking in {}", path.display())).with_source(e))
    }

    /// The names in it, at most `most`, in the order of the disk.
    pub(super) fn names(&self, most: usize) -> rustix::io::Result<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() >= most {
                break;
            }
            names.push(name.to_vec());
        }
        Ok(names)
    }

    /// What stands at a name, its size, and whether its owner may run it.
    pub(super) fn look(&self, name: &[u8]) -> Option<(What, u64, bool)> {
        let stat = statat(&self.0, named(name)?.as_c_str(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let what = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => What::Folder,
            FileType::RegularFile => What::File,
            FileType::Symlink => What::Link,
            _ => What::Special,
        };
        let size = u64::try_from(stat.st_size).ok()?;
        Some((what, size, stat.st_mode & 0o100 != 0))
    }

    /// The folder at a name; `None` where there is none, or it cannot be opened.
    pub(super) fn folder(&self, name: &[u8]) -> Option<Folder> {
        self.open(name, FOLDER).map(Folder)
    }

    /// The regular file at a name; `None` where there is none, or it cannot be opened.
    pub(super) fn file(&self, name: &[u8]) -> Option<File> {
        let file = File::from(self.open(name, FILE)?);
        file.metadata().ok()?.is_file().then_some(file)
    }

    /// The whole of a small regular file at a name; `None` where there is none, or a greater one.
    pub(super) fn small_file(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.file(name)?;
        file.take(MOST + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= MOST).then_some(bytes)
    }

    /// Where the link at a name leads.
    pub(super) fn link(&self, name: &[u8]) -> Option<Vec<u8>> {
        let target = readlinkat(&self.0, named(name)?.as_c_str(), Vec::new()).ok()?;
        Some(target.into_bytes())
    }

    /// The folder at a path of names below this one; empty: this one again.
    pub(super) fn below(&self, path: &[u8]) -> Option<Folder> {
        let mut here = Folder(openat(&self.0, c".", FOLDER, Mode::empty()).ok()?);
        for name in path.split(|b| *b == b'/').filter(|n| !n.is_empty()) {
            here = here.folder(name)?;
        }
        Some(here)
    }

    fn open(&self, name: &[u8], flags: OFlags) -> Option<OwnedFd> {
        let name = named(name)?;
        match openat(&self.0, name.as_c_str(), flags, Mode::empty()) {
            Err(Errno::ACCESS) => {
                // It is the user's own: who may read it was changed, and may be changed back, by
                // the handle and not by the name.
                let handle = openat(&self.0, name.as_c_str(), HANDLE, Mode::empty()).ok()?;
                let by_handle = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
                let was = std::fs::metadata(&by_handle).ok()?.permissions();
                let more = if flags.contains(OFlags::DIRECTORY) {
                    0o500
                } else {
                    0o400
                };
                let mode = was.mode() | more;
                std::fs::set_permissions(&by_handle, PermissionsExt::from_mode(mode)).ok()?;
                openat(&self.0, name.as_c_str(), flags, Mode::empty()).ok()
            }
            opened => opened.ok(),
        }
    }
}

fn named(name: &[u8]) -> Option<CString> {
    CString::new(name).ok()
}
