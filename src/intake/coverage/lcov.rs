//! LCOV's tracefiles, version 1 and 2, as many tools write them.
//!
//! `TN` names a test and holds until the next one; `SF` begins a file, `end_of_record` ends it.
//! Lines (`DA`) and branches (`BRDA`) are read, counts of them are not.

use super::Unreadable;
use super::draft::Draft;
use super::file::{branch_name, is_hit, line_number};
use super::lines::Lines;
use crate::record::Source;

/// Reads a whole tracefile.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unreadable> {
    let mut lines = Lines::new(source)?;
    let mut inside = false;
    while let Some(line) = lines.next()? {
        let Some(line) = line.text() else {
            draft.warn("unreadable-lines");
            continue;
        };
        let line = line.trim_start();
        // Text may hold colons: the first one ends the key.
        let Some((key, value)) = line.split_once(':') else {
            if line.trim_end() == "end_of_record" {
                draft.leave();
                inside = false;
            }
            continue;
        };
        match key {
            "TN" => {
                let name = value.trim();
                draft.by((!name.is_empty()).then_some(name));
            }
            "SF" => {
                draft.at(value.trim(), &[])?;
                inside = true;
            }
            "DA" if inside => match executed(value) {
                Some((line, ran)) => draft.line(line, ran),
                None => draft.warn("unreadable-lines"),
            },
            "BRDA" if inside => match (branch(value), draft.file()) {
                (Some((line, which, taken)), Some(file)) => file.branch(line, which, taken),
                _ => draft.warn("unreadable-lines"),
            },
            _ => {}
        }
    }
    if inside {
        draft.warn("cut-off");
    }
    draft.leave();
    Ok(())
}

/// `line,count` and perhaps a checksum, which may be any text.
fn executed(value: &str) -> Option<(u32, bool)> {
    let mut parts = value.split(',');
    Some((line_number(parts.next()?)?, is_hit(parts.next()?)?))
}

/// `line,block,branch,taken`: `branch` may be any text, `taken` is `-` where the block was never
/// entered.
fn branch(value: &str) -> Option<(u32, u32, bool)> {
    let (line, rest) = value.split_once(',')?;
    let (rest, taken) = rest.rsplit_once(',')?;
    let (block, branch) = rest.split_once(',')?;
    let taken = match taken.trim() {
        "-" => false,
        count => is_hit(count)?,
    };
    Some((
        line_number(line)?,
        branch_name(block.trim(), branch.trim()),
        taken,
    ))
}
