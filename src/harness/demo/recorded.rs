//! The demonstration's recordings: what its replay agent does, from the edit scripts in the
//! program.

use super::plan;
use super::sources;
use crate::error::{Error, Result};
use crate::harness::replay::{Script, parse_edits};

/// What chain `number` of `arm` does at checkpoint `checkpoint`; `None` beyond the last.
///
/// # Errors
/// Usage where there is no such arm; internal where the fixtures do not fit together.
pub(in crate::harness) fn script(
    arm: &str,
    number: usize,
    checkpoint: usize,
) -> Result<Option<Script>> {
    let edits = match arm {
        "layered" => sources::LAYERED_EDITS,
        "composed" => sources::COMPOSED_EDITS,
        other => {
            return Err(
                Error::usage(format!("the demonstration has no arm '{other}'"))
                    .with_hint("its arms: layered, composed"),
            );
        }
    };
    let Some(text) = checkpoint.checked_sub(1).and_then(|at| edits.get(at)) else {
        return Ok(None);
    };
    let plan = plan::parse(sources::PLAN)?;
    let chains = plan.arm.iter().find(|a| a.name == arm).map(|a| &a.chain);
    let chain = chains.and_then(|c| c.get(number.saturating_sub(1) % c.len().max(1)));
    let letter = chain.and_then(|c| c.variants.chars().nth(checkpoint - 1));
    let mut variants = parse_edits(text)?;
    let script = letter.and_then(|l| variants.remove(&l)).ok_or_else(|| {
        Error::internal(format!(
            "reading the plan of the demonstration: arm {arm}: no variant at checkpoint {checkpoint}"
        ))
    })?;
    Ok(Some(script))
}
