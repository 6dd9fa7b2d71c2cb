//! The one registry of measures: every id, what it means, and the figure of a step.
//!
//! A measure is one entry in the file of its family; the list below only puts the families
//! in order. What makes a figure unknown before anything is counted (a shallow boundary, a
//! cut window, renames that were not looked for) is decided here, once.

use std::sync::LazyLock;

use crate::error::{Error, Result};
use crate::history::{FileClass, Status, Step, Trouble};

pub use super::definition::{
    Availability, Direction, Level, Measure, NOT_IN_THIS_VERSION, Pool, Renames,
};
use super::{Figure, Value};
use super::{
    blast, chains, complexity, concentration, correctness, entropy, erosion, files, lines,
    packages, peaks, planned, process, reedit, size, surface,
};

/// Version of the definitions; stands in every output beside the figures.
pub const DEFINITIONS: &str = "1";

static ALL: LazyLock<Vec<Measure>> = LazyLock::new(|| {
    [
        blast::MEASURES,
        files::MEASURES,
        lines::MEASURES,
        packages::MEASURES,
        reedit::MEASURES,
        complexity::MEASURES,
        planned::WASTE,
        surface::MEASURES,
        entropy::MEASURES,
        planned::CHANGE,
        erosion::MEASURES,
        peaks::MEASURES,
        size::MEASURES,
        planned::STATE,
        concentration::MEASURES,
        correctness::MEASURES,
        chains::MEASURES,
        process::MEASURES,
    ]
    .concat()
});

/// Every measure, in the order the documentation lists them.
pub fn all() -> &'static [Measure] {
    &ALL
}

/// The measure of an id or alias, in any letter case, with `-` for `_` where typed so.
pub fn find(id_or_alias: &str) -> Option<&'static Measure> {
    let word = plain(id_or_alias);
    let by_id = all().iter().find(|m| m.id == word);
    by_id.or_else(|| {
        all()
            .iter()
            .find(|m| m.aliases.iter().any(|a| plain(a) == word))
    })
}

/// The id, alias, family or level that `word` was most likely meant to be.
pub fn nearest(word: &str) -> Option<&'static str> {
    let word = plain(word);
    if word.is_empty() {
        return None;
    }
    let far = word.chars().count().div_ceil(3).max(1);
    vocabulary()
        .map(|known| (strsim::damerau_levenshtein(&word, &plain(known)), known))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
        .or_else(|| vocabulary().find(|known| word.len() > 2 && plain(known).contains(&word)))
}

/// The measures that `words` name: ids, aliases, families (`blast`), levels (`change`),
/// `primary` or `all`, separated by commas or blanks. Order as given, none twice.
///
/// # Errors
///
/// A usage error with the nearest known word, where a word names nothing or there is none.
pub fn select(words: &str) -> Result<Vec<&'static Measure>> {
    let mut chosen: Vec<&'static Measure> = Vec::new();
    let mut any = false;
    for word in words.split([',', ' ', '\t', '\n']).map(plain) {
        if word.is_empty() {
            continue;
        }
        any = true;
        let group: Vec<&'static Measure> = match find(&word) {
            Some(measure) => vec![measure],
            None => all().iter().filter(|m| is_in(m, &word)).collect(),
        };
        if group.is_empty() {
            return Err(unknown_word(&word));
        }
        for measure in group {
            if !chosen.iter().any(|m| m.id == measure.id) {
                chosen.push(measure);
            }
        }
    }
    if !any {
        return Err(Error::usage("no metric was named").with_hint(
            "name ids or families, separated by commas; `git evolve metrics` lists them",
        ));
    }
    Ok(chosen)
}

/// The figure of `measure` on `step`: unknown with its reason where something stands in the
/// way, else what the measure computes.
pub fn figure(measure: &Measure, step: &Step) -> Figure {
    let Some(compute) = measure.compute else {
        return unknown(measure, step, NOT_IN_THIS_VERSION);
    };
    if let Some(reason) = obstacle(measure, step) {
        return unknown(measure, step, &reason);
    }
    compute(step)
}

/// What makes `measure` unknown on `step` whatever the evidence says.
fn obstacle(measure: &Measure, step: &Step) -> Option<String> {
    if measure.level == Level::Change {
        match &step.trouble {
            Some(Trouble::Shallow) => {
                return Some("the parent is behind a shallow clone's boundary".to_owned());
            }
            Some(Trouble::Missing(what)) => return Some(what.clone()),
            None => {}
        }
    }
    if measure.windowed
        && let Some(reason) = &step.window.cut
    {
        return Some(reason.clone());
    }
    if step.rename_limit_hit && renames_matter(measure.renames, step) {
        return Some(
            "more than 1,000 files added and deleted: renames were not looked for".to_owned(),
        );
    }
    None
}

/// Whether renames that were not looked for could have changed the figure.
fn renames_matter(renames: Renames, step: &Step) -> bool {
    match renames {
        Renames::Indifferent => false,
        Renames::Paired => true,
        Renames::ByClass => {
            let left = step
                .edits
                .iter()
                .any(|e| e.status == Status::Deleted && e.old_is(FileClass::Production));
            let came = step.edits.iter().any(|e| {
                e.status == Status::Added
                    && !e.new_is(FileClass::Production)
                    && !e.new_is(FileClass::Test)
            });
            left && came
        }
    }
}

fn unknown(measure: &Measure, step: &Step, reason: &str) -> Figure {
    Figure {
        language: step.context.language.filter(|_| measure.per_language),
        ..Figure::from(Value::unknown(reason))
    }
}

/// A word as it is compared: no blanks around it, lower case, `_` for `-`.
fn plain(word: &str) -> String {
    word.trim().to_ascii_lowercase().replace('-', "_")
}

fn is_in(measure: &Measure, word: &str) -> bool {
    word == "all"
        || (word == "primary" && measure.primary)
        || measure.family == word
        || measure.level.word() == word
}

/// Every word [`select`] knows: ids first, so that they win where two are equally near.
fn vocabulary() -> impl Iterator<Item = &'static str> {
    let ids = all().iter().map(|m| m.id);
    let aliases = all().iter().flat_map(|m| m.aliases.iter().copied());
    let families = all().iter().map(|m| m.family);
    let levels = Level::ALL.into_iter().map(Level::word);
    ids.chain(aliases)
        .chain(families)
        .chain(levels)
        .chain(["all", "primary"])
}

fn unknown_word(word: &str) -> Error {
    let hint = match nearest(word) {
        Some(near) => format!("did you mean `{near}`? `git evolve metrics` lists them all"),
        None => "`git evolve metrics` lists them all".to_owned(),
    };
    Error::usage(format!("no such metric: {word}")).with_hint(hint)
}
