//! The plans that chains were run by, as their records or their bases have them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cli::scored;
use crate::cli::session::Session;
use crate::error::{Kind, Result};
use crate::ledger::Chain;
use crate::plan::{self, Plan};

/// Plans that were read, each once.
#[derive(Default)]
pub(super) struct Plans {
    by_text: BTreeMap<String, Option<Arc<Plan>>>,
    /// Why some could not be read.
    pub remarks: BTreeSet<String>,
}

impl Plans {
    /// The plan of `chain`: the configuration that its records name, else `evolve.toml` of its
    /// base; `None` where there is none, or it is no plan that can be run.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub(super) fn of(&mut self, session: &Session<'_>, chain: &Chain) -> Result<Option<Arc<Plan>>> {
        let recorded = session.recorded().unwrap_or_default();
        let noted = match scored::text(&session.reader, chain, &recorded) {
            Ok(text) => text,
            Err(e) if matches!(e.kind(), Kind::Unavailable | Kind::Usage) => {
                self.remarks.insert(format!("{e}: its plan is unknown"));
                return Ok(None);
            }
            Err(e) => return Err(e),
        };
        let text = match noted {
            Some(text) => Some(text),
            None => session.plan(session.reader.commit(chain.base)?.tree)?,
        };
        let Some(text) = text else { return Ok(None) };
        if let Some(known) = self.by_text.get(&text) {
            return Ok(known.clone());
        }
        // Settings alone, as `[measure]` without any arm, are no plan, and no fault.
        let read = plan::read_alone(&text, "evolve.toml").ok().map(Arc::new);
        self.by_text.insert(text, read.clone());
        Ok(read)
    }
}
