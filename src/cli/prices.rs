//! Tables of prices: the one that was typed, else the one that the settings name in a tree.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use super::args::{Global, SettingsArgs};
use super::config::Layer;
use super::session::directory;
use crate::error::{Error, Result};
use crate::intake::prices::{self, PRICES_MAX};
use crate::record::PriceTable;
use crate::repo::{EntryMode, Oid, Reader};

/// The tables of one run, each read once.
#[derive(Debug)]
pub(super) struct Tables {
    typed: Option<Arc<PriceTable>>,
    in_trees: RefCell<BTreeMap<Oid, Arc<PriceTable>>>,
}

impl Tables {
    /// With the table of `--prices`, where it was typed; a relative path is from the user's
    /// folder.
    ///
    /// # Errors
    /// A usage error for a file that cannot be read or is no table.
    pub(super) fn typed(global: &Global, settings: &SettingsArgs) -> Result<Tables> {
        let typed = match &settings.prices {
            None => None,
            Some(file) => {
                let name = file.display().to_string();
                let unreadable = |e| Error::usage(format!("reading the price table {name}: {e}"));
                let open = std::fs::File::open(directory(global).join(file));
                let mut bytes = Vec::new();
                open.map_err(unreadable)?
                    .take(PRICES_MAX + 1)
                    .read_to_end(&mut bytes)
                    .map_err(unreadable)?;
                Some(Arc::new(read(&bytes, &name)?))
            }
        };
        Ok(Tables {
            typed,
            in_trees: RefCell::default(),
        })
    }

    /// The table that holds under `layer`, whose paths are those of `tree`.
    ///
    /// # Errors
    /// A usage error where the settings name no file of the tree, or one that is no table.
    pub(super) fn of(
        &self,
        reader: &Reader,
        layer: &Layer,
        tree: Option<Oid>,
    ) -> Result<Option<Arc<PriceTable>>> {
        if let Some(typed) = &self.typed {
            return Ok(Some(Arc::clone(typed)));
        }
        let (Some(path), Some(tree)) = (&layer.prices, tree) else {
            return Ok(None);
        };
        let entry = reader.entry(tree, path.as_bytes())?;
        let Some(entry) = entry.filter(|e| e.mode == EntryMode::File) else {
            return Err(Error::usage(format!(
                "prices in [measure]: no file '{path}' in tree {}",
                tree.short()
            ))
            .with_hint(
                "it is a path in the tree of HEAD, or of a chain's base; --prices takes any file",
            ));
        };
        if let Some(known) = self.in_trees.borrow().get(&entry.id) {
            return Ok(Some(Arc::clone(known)));
        }
        if reader.blob_size(entry.id)? > PRICES_MAX {
            return Err(no_table(path, "larger than 64 MiB"));
        }
        let mut bytes = Vec::new();
        reader.blob(entry.id, &mut bytes)?;
        let table = Arc::new(read(&bytes, path)?);
        self.in_trees
            .borrow_mut()
            .insert(entry.id, Arc::clone(&table));
        Ok(Some(table))
    }
}

fn read(bytes: &[u8], name: &str) -> Result<PriceTable> {
    prices::read(bytes).map_err(|why| no_table(name, &why))
}

fn no_table(name: &str, why: &str) -> Error {
    Error::usage(format!("{name} is no price table: {why}"))
        .with_hint("a table has the format of litellm's model_prices_and_context_window.json")
}
