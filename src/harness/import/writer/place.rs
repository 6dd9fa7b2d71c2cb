//! Where a chain goes: its path and its identity, both derived.

use sha2::{Digest, Sha256};

use super::super::model::ChainFound;
use super::Import;
use crate::error::Result;
use crate::ledger::{Chain, Chains};
use crate::record::{ChainPath, Event, Moment, RecordId};
use crate::repo::Reader;

/// Chains of one arm and task.
const MOST: u32 = 100_000;

/// Where a chain goes.
pub(super) struct Place<'c> {
    pub(super) path: ChainPath,
    /// Its identity.
    pub(super) begin: RecordId,
    /// The chain, where it is here already.
    pub(super) here: Option<&'c Chain>,
}

/// The moment that nothing is known of.
pub(super) fn epoch() -> Moment {
    Moment::from_millis(0).unwrap_or_else(Moment::now)
}

/// The identity of `chain` under `path`: of the same run under the same path always the same.
fn begin_of(path: &ChainPath, chain: &ChainFound) -> RecordId {
    let mut seed = Sha256::new();
    seed.update(b"git-evolve import\0");
    seed.update(path.to_string());
    seed.update(b"\0");
    seed.update(&chain.identity);
    RecordId::derived(chain.began.unwrap_or_else(epoch), 0, &seed.finalize())
}

/// The chain's own place where it is here already, else the next free one; the error says which
/// path is taken.
pub(super) fn find<'c>(
    chains: &'c Chains,
    asked: &Import,
    chain: &ChainFound,
) -> std::result::Result<Place<'c>, (ChainPath, String)> {
    let path_of = |number| ChainPath {
        experiment: asked.experiment.clone(),
        arm: chain.arm.clone(),
        task: Some(chain.task.clone()),
        chain: number,
    };
    let numbers = match asked.chain {
        Some(number) => number..=number,
        None => 1..=MOST,
    };
    let mut free = None;
    for number in numbers {
        let path = path_of(number);
        let begin = begin_of(&path, chain);
        let mut at = chains
            .chains
            .iter()
            .filter(|c| c.path == path || c.begun_as == path)
            .peekable();
        if at.peek().is_none() {
            free = Some((path, begin));
            break;
        }
        if let Some(here) = at.find(|c| c.begin == begin.as_str()) {
            let here = Some(here);
            return Ok(Place { path, begin, here });
        }
    }
    // Of a gap in the numbers the chain behind it is the run's own all the same.
    let own = chains.chains.iter().find(|c| {
        let fits = |path: &ChainPath| {
            let number = asked.chain.unwrap_or(path.chain);
            *path == path_of(number)
        };
        fits(&c.begun_as) && c.begin == begin_of(&c.begun_as, chain).as_str()
    });
    if let Some(here) = own {
        let path = here.begun_as.clone();
        let begin = begin_of(&path, chain);
        let here = Some(here);
        return Ok(Place { path, begin, here });
    }
    match free {
        Some((path, begin)) => Ok(Place {
            path,
            begin,
            here: None,
        }),
        None => Err((
            path_of(asked.chain.unwrap_or(1)),
            "another chain holds this path".to_owned(),
        )),
    }
}

/// Other chains that the same problem of the same run was imported as.
///
/// # Errors
/// Notes that cannot be read.
pub(super) fn elsewhere(
    chains: &Chains,
    reader: &Reader,
    chain: &ChainFound,
    place: &Place<'_>,
) -> Result<Vec<String>> {
    if chains.chains.is_empty() {
        return Ok(Vec::new());
    }
    let recorded = chains.recorded(reader)?;
    let others = chains
        .chains
        .iter()
        .filter(|c| c.begin != place.begin.as_str());
    let same = others.filter(|c| {
        let is_import = recorded
            .of_chain_on(c.base, &c.begin)
            .any(|s| s.says.event == Event::Begin);
        is_import && c.begin == begin_of(&c.begun_as, chain).as_str()
    });
    Ok(same.map(|c| c.label.clone()).collect())
}
