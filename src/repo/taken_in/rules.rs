//! Which paths are ignored: by the `.gitignore` files of the parent's tree and of the folder.

use std::path::{Path, PathBuf};

use gix::bstr::BStr;
use gix::glob::pattern::Case;
use gix::ignore::search::Ignore;
use gix::ignore::{Kind, Search};

/// A longer file of rules is not read: git itself has no such bound, people's are far below.
pub(super) const MOST: u64 = 1 << 20;

/// The rules of the folders from the top down to where the walk is, the last of them foremost.
#[derive(Default)]
pub(super) struct Rules(Search);

impl Rules {
    /// Adds the rules that stand in the folder `path` (empty, or ended by `/`): the parent's
    /// tree's and the folder's own, which go before. Gives what [`Rules::leave`] takes.
    pub(super) fn enter(
        &mut self,
        path: &[u8],
        parent: Option<Vec<u8>>,
        own: Option<Vec<u8>>,
    ) -> usize {
        let before = self.0.patterns.len();
        let parent = parent.filter(|p| Some(p) != own.as_ref());
        let source = match gix::path::from_byte_slice(path) {
            Ok(folder) => folder.join(".gitignore"),
            // No rule can be found of such a folder; git could not open it either.
            Err(_) => return before,
        };
        for bytes in [parent, own].into_iter().flatten() {
            self.add(&bytes, source.clone());
        }
        before
    }

    fn add(&mut self, bytes: &[u8], source: PathBuf) {
        let how = Ignore::default();
        // It fails only where the source does not lie below the root, and it does.
        let _ = self
            .0
            .add_patterns_buffer(bytes, source, Some(Path::new("")), how);
    }

    /// Takes the rules of the folder away that was entered last.
    pub(super) fn leave(&mut self, before: usize) {
        self.0.patterns.truncate(before);
    }

    /// Whether the rules ignore `path`.
    pub(super) fn ignore(&self, path: &[u8], folder: bool) -> bool {
        let path: &BStr = path.into();
        let found = self
            .0
            .pattern_matching_relative_path(path, Some(folder), Case::Sensitive);
        found.is_some_and(|m| !m.pattern.is_negative() && m.kind == Kind::Expendable)
    }
}
