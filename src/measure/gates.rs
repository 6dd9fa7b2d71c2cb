//! The gates of a step, for the measures that read them.

use crate::history::Step;
use crate::history::evidence::{ChainEvidence, Gate, Since};
use crate::record::Suite;

use super::{Item, Value};

/// What the records of a step's chain say, and its checkpoint's number.
///
/// # Errors
/// Why there is nothing.
pub(super) fn number(step: &Step) -> Result<(&ChainEvidence, u32), String> {
    step.recorded()
}

/// The gate of a step's checkpoint.
///
/// # Errors
/// Why there is none.
pub(super) fn gate(step: &Step, suite: Suite) -> Result<(&ChainEvidence, u32, &Gate), String> {
    let (evidence, number) = step.recorded()?;
    Ok((evidence, number, evidence.gate(number, suite)?))
}

/// The gate of a step's checkpoint beside the last valid one before it.
///
/// # Errors
/// Why one of the two is not there.
pub(super) fn since(step: &Step) -> Result<(&ChainEvidence, u32, Since<'_>), String> {
    let (evidence, number) = step.recorded()?;
    Ok((evidence, number, evidence.since(number, Suite::Acceptance)?))
}

/// The value with what is to be known before trusting it, where it is known.
pub(super) fn remarked(value: Value, remarks: &[String]) -> Value {
    match remarks.is_empty() {
        true => value,
        false => value.remarked(remarks.join("; ")),
    }
}

/// A test that a figure counted.
pub(super) fn counted(id: &str, how: &str) -> Item {
    Item {
        path: Vec::new(),
        name: id.to_owned(),
        note: how.to_owned(),
    }
}

/// A test that is listed beside a figure, which does not count it.
pub(super) fn apart(id: &str, why: &str) -> Item {
    counted(id, &format!("not counted: {why}"))
}
