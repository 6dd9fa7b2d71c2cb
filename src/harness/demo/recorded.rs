//! The demonstration's recordings: what its replay agent does and answers, from the program.

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
        other => return Err(no_arm(other)),
    };
    let Some(text) = checkpoint.checked_sub(1).and_then(|at| edits.get(at)) else {
        return Ok(None);
    };
    let plan = plan::parse(sources::PLAN)?;
    let chains = plan.arm.iter().find(|a| a.name == arm).map(|a| &a.chains);
    let chain = chains.and_then(|c| c.get(number.saturating_sub(1) % c.len().max(1)));
    let letter = chain.and_then(|letters| letters.chars().nth(checkpoint - 1));
    let mut variants = parse_edits(text)?;
    let script = letter.and_then(|l| variants.remove(&l)).ok_or_else(|| {
        Error::internal(format!(
            "reading the plan of the demonstration: arm {arm}: no variant at checkpoint \
             {checkpoint}"
        ))
    })?;
    Ok(Some(script))
}

/// What the agent of `arm` answers when it is asked for the rules after a checkpoint, where that
/// is recorded.
///
/// # Errors
/// Usage where there is no such arm.
pub(in crate::harness) fn answer(arm: &str, checkpoint: usize) -> Result<Option<&'static str>> {
    let answers = match arm {
        "layered" => sources::LAYERED_ANSWERS,
        "composed" => sources::COMPOSED_ANSWERS,
        other => return Err(no_arm(other)),
    };
    let mut answers = answers.iter();
    Ok(answers.find(|(k, _)| *k == checkpoint).map(|(_, a)| *a))
}

fn no_arm(name: &str) -> Error {
    Error::usage(format!("the demonstration has no arm '{name}'"))
        .with_hint("its arms: layered, composed")
}
