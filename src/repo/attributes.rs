//! What `.gitattributes` files of one tree say of its files.
//!
//! Read from blobs: the user's attributes, the system's and `info/attributes` have no say, so a
//! clone, a bare repository and a work tree agree.

use std::fmt;

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice;

use super::{Entry, EntryMode, Oid, Reader};
use crate::error::{Error, Result};

const GENERATED: &str = "linguist-generated";
const VENDORED: &str = "linguist-vendored";
/// Larger attribute files are passed over; git's own limit is 100 MiB.
const MAX_BYTES: u64 = 4 << 20;

/// The attributes that matter here, for the files of one tree.
pub struct Attributes {
    found: Option<Found>,
}

struct Found {
    search: Search,
    /// Made for the attributes asked for; copied for each question.
    blank: Outcome,
}

/// What the attributes say of one file; `None`: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// `linguist-generated`.
    pub generated: Option<bool>,
    /// `linguist-vendored`.
    pub vendored: Option<bool>,
}

/// The `.gitattributes` blobs among `files` (as [`Reader::files`] lists them), each with its
/// folder (empty for the top, else without a last `/`). Two trees with the same list have the
/// same [`Attributes`].
pub fn attribute_files(files: &[(Box<[u8]>, Entry)]) -> Vec<(Box<[u8]>, Oid)> {
    files
        .iter()
        .filter(|(_, e)| e.mode == EntryMode::File)
        .filter_map(|(path, e)| {
            let folder = path.strip_suffix(b".gitattributes")?;
            let folder = match folder {
                [] => folder,
                [dir @ .., b'/'] => dir,
                _ => return None,
            };
            Some((folder.into(), e.id))
        })
        .collect()
}

impl Attributes {
    /// Attributes that say nothing.
    pub fn none() -> Attributes {
        Attributes { found: None }
    }

    /// Reads the attribute files of one tree: pairs of a folder and a blob, in any order. As in
    /// git, a deeper folder's file has the last word, and macros are defined at the top only.
    ///
    /// # Errors
    /// A blob that is missing.
    pub fn read(reader: &Reader, files: &[(Box<[u8]>, Oid)]) -> Result<Attributes> {
        let mut files: Vec<_> = files.iter().collect();
        files.sort();
        let mut contents = Vec::with_capacity(files.len());
        for (folder, id) in files {
            if reader.blob_size(*id)? <= MAX_BYTES {
                let mut bytes = Vec::new();
                reader.blob(*id, &mut bytes)?;
                contents.push((folder.as_ref(), bytes));
            }
        }
        Self::from_contents(contents.iter().map(|(f, b)| (*f, b.as_slice())))
    }

    /// The same from contents in memory, folders sorted.
    fn from_contents<'a>(
        contents: impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
    ) -> Result<Attributes> {
        let failed = |e: std::io::Error| Error::git("reading .gitattributes").with_source(e);
        let mut collection = MetadataCollection::default();
        let none: [std::path::PathBuf; 0] = [];
        let mut search =
            Search::new_globals(none, &mut Vec::new(), &mut collection).map_err(failed)?;
        // Most attribute files speak of line endings and diffs alone. A macro of the top folder
        // may speak of us under another name anywhere.
        let macros = contents
            .clone()
            .any(|(folder, bytes)| folder.is_empty() && bytes.contains_str("[attr]"));
        let mut any = false;
        for (folder, bytes) in contents {
            if !macros && !bytes.contains_str("linguist-") {
                continue;
            }
            any = true;
            // The folder is only ever compared as a path, never opened.
            let root = std::path::PathBuf::from("/");
            let Ok(folder_path) = gix::path::from_byte_slice(folder) else {
                continue;
            };
            let source = root.join(folder_path).join(".gitattributes");
            search
                .add_patterns_buffer(
                    bytes,
                    source,
                    Some(&root),
                    &mut collection,
                    folder.is_empty(),
                )
                .map_err(failed)?;
        }
        if !any {
            return Ok(Attributes::none());
        }
        let mut blank = Outcome::default();
        blank.initialize_with_selection(&collection, [GENERATED, VENDORED]);
        Ok(Attributes {
            found: Some(Found { search, blank }),
        })
    }

    /// Whether nothing is said of any file.
    pub fn is_empty(&self) -> bool {
        self.found.is_none()
    }

    /// What is said of the file at `path`.
    pub fn marks(&self, path: &[u8]) -> Marks {
        let Some(Found { search, blank }) = &self.found else {
            return Marks::default();
        };
        let mut outcome = blank.clone();
        search.pattern_matching_relative_path(
            path.as_bstr(),
            gix::glob::pattern::Case::Sensitive,
            Some(false),
            &mut outcome,
        );
        let mut marks = Marks::default();
        for found in outcome.iter_selected() {
            let said = match found.assignment.state {
                StateRef::Set => Some(true),
                StateRef::Unset => Some(false),
                StateRef::Value(v) => Some(v.as_bstr() != "false"),
                StateRef::Unspecified => None,
            };
            match found.assignment.name.as_str() {
                GENERATED => marks.generated = said,
                VENDORED => marks.vendored = said,
                _ => {}
            }
        }
        marks
    }
}

impl fmt::Debug for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.found.as_ref().map(|o| o.search.num_pattern_lists());
        f.debug_struct("Attributes").field("lists", &lists).finish()
    }
}
