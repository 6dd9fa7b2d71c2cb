//! What readers of payloads are told of the commit that these were recorded for.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::record::TreeFacts;
use crate::repo::{EntryMode, Oid, Reader};

/// A larger `go.mod` is none.
const GO_MOD_MAX: u64 = 1 << 20;
/// More `go.mod` files are not read.
const GO_MODS: usize = 10_000;

/// The files of `tree`: paths of all but links and submodules, and the text of every `go.mod`. `build_root` is where it was
/// checked out when the reports were written, as the record says (masked).
///
/// # Errors
/// A tree that cannot be read.
pub fn tree_facts(reader: &Reader, tree: Oid, build_root: Option<&str>) -> Result<TreeFacts> {
    let mut facts = TreeFacts {
        build_root: build_root.map(str::to_owned),
        paths: Vec::new(),
        go_mod: BTreeMap::new(),
    };
    let mut bytes = Vec::new();
    for (path, entry) in reader.files(tree)? {
        if entry.mode != EntryMode::File {
            continue;
        }
        let is_go_mod = path.as_ref() == b"go.mod" || path.ends_with(b"/go.mod");
        let path = String::from_utf8_lossy(&path).into_owned();
        // What a partial clone left to its remote is a module whose name is not known.
        if is_go_mod
            && facts.go_mod.len() < GO_MODS
            && reader.blob_size(entry.id).is_ok_and(|s| s <= GO_MOD_MAX)
            && reader.blob(entry.id, &mut bytes).is_ok()
        {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            facts.go_mod.insert(path.clone(), text);
        }
        facts.paths.push(path);
    }
    facts.paths.sort();
    Ok(facts)
}
