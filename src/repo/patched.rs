//! A patch applied to a tree, with no work tree.

use std::fs;
use std::path::Path;

use super::{Oid, Repo};
use crate::error::{Error, Result};

impl Repo {
    /// The tree that `tree` is once git has applied the patch in `file` to it: exactly, without
    /// fuzz, bytes as they are.
    ///
    /// # Errors
    /// Usage where the patch does not apply; git where the tree cannot be read or written.
    pub fn tree_with_patch(&self, tree: Oid, file: &Path) -> Result<Oid> {
        let folder = self.evolve_dir();
        fs::create_dir_all(&folder)
            .map_err(|e| Error::git(format!("making {}", folder.display())).with_source(e))?;
        let index = folder.join(format!("patch-index-{}", std::process::id()));
        // One that a kill left is nobody's.
        let _ = fs::remove_file(&index);
        let made = self.patched(tree, file, &index);
        let _ = fs::remove_file(&index);
        made
    }

    fn patched(&self, tree: Oid, file: &Path, index: &Path) -> Result<Oid> {
        let program = self.program();
        let plain = ["core.autocrlf=false", "core.splitIndex=false"];
        let tree = tree.to_string();
        let read = program.call(&plain, "read-tree", &[&tree]);
        read.index(index).output()?;
        let words = ["--cached", "--whitespace=nowarn", "--"];
        let applied = program.call(&plain, "apply", &words).word(file);
        let said = applied.index(index).run()?;
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr).trim().to_owned();
            return Err(Error::usage(format!(
                "the patch {} does not apply: {why}",
                file.display()
            )));
        }
        let written = program.call(&plain, "write-tree", &[]).index(index);
        let said = written.output()?;
        let text = String::from_utf8_lossy(&said);
        Oid::from_hex(text.trim())
            .ok_or_else(|| Error::git(format!("git write-tree: said '{}'", text.trim())))
    }
}
