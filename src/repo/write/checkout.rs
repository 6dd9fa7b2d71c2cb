//! The first checkout: the files of a tree and an index, in a work tree that is still empty.

use std::fs;
use std::path::Path;

use gix::bstr::{BString, ByteSlice};

use super::Writer;
use crate::error::{Error, Result};
use crate::repo::Oid;

impl Writer {
    /// Writes the files of `tree` into the work tree and an index that says so, for a
    /// repository whose work tree is still empty: existing files are never written over.
    ///
    /// # Errors
    /// Internal for a tree with links or submodules, or a bare repository; git where a file
    /// cannot be written.
    pub fn check_out(&self, tree: Oid) -> Result<()> {
        let root = self
            .repo
            .workdir()
            .ok_or_else(|| Error::internal("checking out: the repository is bare"))?;
        let mut index =
            gix::index::State::from_tree(&tree.0, &self.repo.objects, Default::default())
                .map_err(|e| Error::git(format!("reading tree {tree}")).with_source(e))?;
        let paths: Vec<BString> = index
            .entries()
            .iter()
            .map(|e| e.path(&index).to_owned())
            .collect();
        for (entry, path) in index.entries_mut().iter_mut().zip(&paths) {
            let executable = match entry.mode {
                gix::index::entry::Mode::FILE => false,
                gix::index::entry::Mode::FILE_EXECUTABLE => true,
                _ => {
                    return Err(Error::internal(format!(
                        "checking out {path}: neither a file nor an executable"
                    )));
                }
            };
            let full = root.join(gix::path::from_bstr(path.as_bstr()).map_err(|e| {
                Error::git(format!("checking out {path}: no path of this system")).with_source(e)
            })?);
            let blob = self
                .repo
                .find_blob(entry.id)
                .map_err(|e| Error::git(format!("reading the blob of {path}")).with_source(e))?;
            write_new(&full, &blob.data, executable)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
            let stat = gix::index::fs::Metadata::from_path_no_follow(&full)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
            entry.stat = gix::index::entry::Stat::from_fs(&stat)
                .map_err(|e| Error::git(format!("checking out {path}")).with_source(e))?;
        }
        let mut file = gix::index::File::from_state(index, self.repo.index_path());
        file.write(gix::index::write::Options::default())
            .map_err(|e| Error::git("writing the index").with_source(e))
    }
}

fn write_new(path: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if executable {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o777);
    }
    #[cfg(not(unix))]
    let _ = executable;
    std::io::Write::write_all(&mut options.open(path)?, bytes)
}

#[cfg(test)]
mod tests {
    use super::super::trial::{git, stamp, to, writer};
    use super::super::{Leaf, LeafMode, NewCommit};
    use super::*;

    #[test]
    fn a_checkout_is_clean_and_writes_over_nothing() {
        let (_folder, writer) = writer();
        let id = writer.blob(b"x\n").expect("written");
        let leaf = |mode| Leaf { mode, id };
        let files = [
            (b"run".to_vec(), leaf(LeafMode::Executable)),
            (b"a/b".to_vec(), leaf(LeafMode::Plain)),
        ];
        let tree = writer.tree(&files.into()).expect("written");
        let by = stamp(1);
        let new = NewCommit {
            tree,
            parents: &[],
            author: &by,
            committer: &by,
            message: b"m\n",
        };
        let tip = writer.commit(&new).expect("written");
        let main = [to("refs/heads/main", None, tip)];
        writer.move_refs(&main, &by, "test").expect("moved");
        writer.check_out(tree).expect("checked out");
        assert_eq!(git(&writer, &["status", "--porcelain"]), "");

        fs::write(writer.path().join("run"), "mine\n").expect("written");
        assert!(writer.check_out(tree).is_err());
        let kept = fs::read(writer.path().join("run")).expect("readable");
        assert_eq!(kept, b"mine\n");
    }
}
