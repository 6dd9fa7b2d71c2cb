//! Which functions a change added, deleted and touched.
//!
//! A touched line counts for its innermost function alone. Old lines touch when inside the old
//! span. New lines touch when strictly inside the new span, so that a function written behind
//! another one's closing brace does not touch it; a Python span ends with a line of the body,
//! which counts as inside, unless the tokens are the same (then the diff only slid).

use std::collections::BTreeMap;

use crate::repo::Hunk;
use crate::syntax::{Function, Language, Structure};

use super::origins::Origin;
use super::{BodyOrigins, FnChange, FnChangeKind, FnScore, FunctionEvidence, PcBody, Totals};

/// What the function evidence of one file is made from. A side that is not there is empty.
pub(super) struct Sides<'a> {
    /// The file's language.
    pub language: Language,
    /// Before.
    pub old: &'a Structure,
    /// After.
    pub new: &'a Structure,
    /// From old to new.
    pub hunks: &'a [Hunk],
    /// Writers of the new lines, where they were asked for.
    pub new_origins: Option<&'a [Origin]>,
    /// Writers of the old lines, where they were asked for.
    pub old_origins: Option<&'a [Origin]>,
}

/// Tells whose a line is.
pub(super) trait Writers {
    /// Whether a line with this origin is an earlier checkpoint's.
    fn is_prior(&self, origin: Origin) -> bool;
    /// The same as PetClinic-Evolve reads it (reset lines are an earlier checkpoint's).
    fn is_prior_pc(&self, origin: Origin) -> bool;
    /// Whether the measured change wrote it.
    fn is_own(&self, origin: Origin) -> bool;
    /// Groups writers of replaced lines for people.
    fn written(&self, by_writer: &BTreeMap<u32, u32>) -> Vec<super::Written>;
}

/// The function evidence of one file of a change.
pub(super) fn evidence(sides: &Sides<'_>, writers: &dyn Writers) -> FunctionEvidence {
    let pairs = pair(sides.old, sides.new);
    let old_touch = touched_old(sides);
    let new_touch = touched_new(sides);
    let mut changes = Vec::new();
    let mut bodies = None;
    let (old_nth, new_nth) = (nth(sides.old), nth(sides.new));
    for (n, function) in sides.new.functions.iter().enumerate() {
        let Some(o) = pairs.old_of_new[n] else {
            changes.push(FnChange {
                kind: FnChangeKind::Added,
                key: function.key.clone(),
                old_key: None,
                nth: new_nth[n],
                old_nth: new_nth[n],
                name: name(sides.new, function),
                before: None,
                after: Some(score(function)),
                origins: None,
                rewrote: Vec::new(),
            });
            continue;
        };
        let before = &sides.old.functions[o];
        let same_tokens = before.tokens == function.tokens && before.key == function.key;
        let touched = old_touch[o].is_some()
            || new_touch[n] == Touch::Inside
            || (new_touch[n] == Touch::LastLine && !same_tokens);
        let kind = if touched || before.key != function.key {
            if same_tokens {
                FnChangeKind::Reformatted
            } else {
                FnChangeKind::Modified
            }
        } else if before.cc != function.cc || before.cognitive != function.cognitive {
            FnChangeKind::Rescored
        } else {
            continue;
        };
        let origins = match (kind, sides.new_origins) {
            (FnChangeKind::Rescored, _) | (_, None) => None,
            (_, Some(lines)) => {
                Some(bodies.get_or_insert_with(|| body_origins(sides.new, lines, writers))[n])
            }
        };
        changes.push(FnChange {
            kind,
            key: function.key.clone(),
            old_key: (before.key != function.key).then(|| before.key.clone()),
            nth: new_nth[n],
            old_nth: old_nth[o],
            name: name(sides.new, function),
            before: Some(score(before)),
            after: Some(score(function)),
            origins,
            rewrote: old_touch[o]
                .as_ref()
                .map(|w| writers.written(w))
                .unwrap_or_default(),
        });
    }
    for (o, function) in sides.old.functions.iter().enumerate() {
        if pairs.new_of_old[o].is_none() {
            changes.push(FnChange {
                kind: FnChangeKind::Deleted,
                key: function.key.clone(),
                old_key: None,
                nth: old_nth[o],
                old_nth: old_nth[o],
                name: name(sides.old, function),
                before: Some(score(function)),
                after: None,
                origins: None,
                rewrote: old_touch[o]
                    .as_ref()
                    .map(|w| writers.written(w))
                    .unwrap_or_default(),
            });
        }
    }
    FunctionEvidence {
        changes,
        pc: pc_bodies(sides, writers),
        before: totals(sides.language, sides.old),
        after: totals(sides.language, sides.new),
        exports_added: difference(&sides.new.exports, &sides.old.exports),
        exports_removed: difference(&sides.old.exports, &sides.new.exports),
    }
}

fn difference(
    a: &[crate::syntax::Export],
    b: &[crate::syntax::Export],
) -> Vec<crate::syntax::Export> {
    a.iter()
        .filter(|e| b.binary_search(e).is_err())
        .cloned()
        .collect()
}

/// Of each function which of its key it is, by order.
fn nth(structure: &Structure) -> Vec<u32> {
    let mut seen = BTreeMap::<&str, u32>::new();
    let functions = structure.functions.iter();
    functions
        .map(|f| {
            let next = seen.entry(&f.key).or_default();
            let mine = *next;
            *next += 1;
            mine
        })
        .collect()
}

fn name(structure: &Structure, function: &Function) -> Box<str> {
    structure
        .rows
        .get(function.row as usize)
        .map_or_else(|| function.key.clone(), |r| r.name.clone())
}

fn score(f: &Function) -> FnScore {
    FnScore {
        cc: f.cc,
        cognitive: f.cognitive,
        nloc: f.nloc,
        start: f.start,
        end: f.end,
    }
}

/// Sums over the rows of one version: every row's CC; cognitive as RULES 6 adds it up (a Go
/// closure is already in its declaration's score).
fn totals(language: Language, structure: &Structure) -> Totals {
    let mut t = Totals {
        functions: u32::try_from(structure.functions.len()).unwrap_or(u32::MAX),
        ..Totals::default()
    };
    for row in &structure.rows {
        t.cc += i64::from(row.cc);
        if !(language == Language::Go && row.nested) {
            t.cognitive += i64::from(row.cognitive);
        }
    }
    t
}

struct Pairs {
    old_of_new: Vec<Option<usize>>,
    new_of_old: Vec<Option<usize>>,
}

/// Pairs functions by key, equal keys by order; what is left over by key without parameters,
/// where that leaves one candidate on each side.
fn pair(old: &Structure, new: &Structure) -> Pairs {
    let mut pairs = Pairs {
        old_of_new: vec![None; new.functions.len()],
        new_of_old: vec![None; old.functions.len()],
    };
    let mut by_key = BTreeMap::<&str, Vec<usize>>::new();
    for (o, f) in old.functions.iter().enumerate().rev() {
        by_key.entry(&f.key).or_default().push(o);
    }
    for (n, f) in new.functions.iter().enumerate() {
        if let Some(o) = by_key.get_mut(&*f.key).and_then(Vec::pop) {
            pairs.old_of_new[n] = Some(o);
            pairs.new_of_old[o] = Some(n);
        }
    }
    let mut left = BTreeMap::<&str, (Vec<usize>, Vec<usize>)>::new();
    for (o, f) in old.functions.iter().enumerate() {
        if pairs.new_of_old[o].is_none() {
            left.entry(f.base()).or_default().0.push(o);
        }
    }
    for (n, f) in new.functions.iter().enumerate() {
        if pairs.old_of_new[n].is_none()
            && let Some(entry) = left.get_mut(f.base())
        {
            entry.1.push(n);
        }
    }
    for (o, n) in left.into_values() {
        if let ([o], [n]) = (o.as_slice(), n.as_slice()) {
            pairs.old_of_new[*n] = Some(*o);
            pairs.new_of_old[*o] = Some(*n);
        }
    }
    pairs
}

/// Index of the innermost function that holds `line` (1-based).
fn innermost(structure: &Structure, line: u32) -> Option<usize> {
    let functions = &structure.functions;
    let mut at = functions
        .partition_point(|f| f.start <= line)
        .checked_sub(1)?;
    loop {
        let f = functions.get(at)?;
        if f.end >= line {
            return Some(at);
        }
        // A function before this one on the way out may still be open: the parent, or, for
        // two functions on one line, the neighbour.
        at = match f.parent {
            Some(p) => p as usize,
            None => return None,
        };
    }
}

/// For each old function: the writers of its replaced lines; `None` where none was touched.
fn touched_old(sides: &Sides<'_>) -> Vec<Option<BTreeMap<u32, u32>>> {
    let mut touched = vec![None; sides.old.functions.len()];
    for h in sides.hunks {
        for line in h.old_start..h.old_start + h.old_len {
            if let Some(f) = innermost(sides.old, line + 1) {
                let writers: &mut BTreeMap<u32, u32> = touched[f].get_or_insert_with(BTreeMap::new);
                if let Some(o) = sides.old_origins.and_then(|o| o.get(line as usize)) {
                    *writers.entry(o.writer).or_default() += 1;
                }
            }
        }
    }
    touched
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    No,
    LastLine,
    Inside,
}

fn touched_new(sides: &Sides<'_>) -> Vec<Touch> {
    let mut touched = vec![Touch::No; sides.new.functions.len()];
    for h in sides.hunks {
        for line in h.new_start + 1..=h.new_start + h.new_len {
            let Some(n) = innermost(sides.new, line) else {
                continue;
            };
            let f = &sides.new.functions[n];
            if line > f.start && line < f.end {
                touched[n] = Touch::Inside;
            } else if line > f.start
                && sides.language == Language::Python
                && touched[n] == Touch::No
            {
                touched[n] = Touch::LastLine;
            }
        }
    }
    touched
}

/// Who wrote each function's body, every line under its innermost function.
fn body_origins(new: &Structure, origins: &[Origin], writers: &dyn Writers) -> Vec<BodyOrigins> {
    let mut bodies = vec![BodyOrigins::default(); new.functions.len()];
    let last = new.functions.iter().map(|f| f.end).max().unwrap_or(0);
    for line in 1..=last {
        let (Some(n), Some(origin)) = (
            innermost(new, line),
            origins.get(line as usize - 1).copied(),
        ) else {
            continue;
        };
        let body = &mut bodies[n];
        body.lines += 1;
        body.prior += u32::from(writers.is_prior(origin));
        body.own += u32::from(writers.is_own(origin));
    }
    bodies
}

/// Functions a new-side range overlaps, a pure deletion anchored to the line before it.
fn pc_bodies(sides: &Sides<'_>, writers: &dyn Writers) -> Vec<PcBody> {
    let mut bodies = Vec::new();
    for f in &sides.new.functions {
        let hit = sides.hunks.iter().any(|h| {
            let (from, to) = if h.new_len == 0 {
                (h.new_start, h.new_start)
            } else {
                (h.new_start + 1, h.new_start + h.new_len)
            };
            from <= f.end && to >= f.start
        });
        if !hit {
            continue;
        }
        let mut body = PcBody {
            lines: f.end + 1 - f.start.min(f.end),
            prior: None,
        };
        if let Some(origins) = sides.new_origins {
            let from = (f.start as usize).saturating_sub(1).min(origins.len());
            let to = (f.end as usize).clamp(from, origins.len());
            let prior = origins[from..to]
                .iter()
                .filter(|o| writers.is_prior_pc(**o));
            body.prior = u32::try_from(prior.count()).ok();
        }
        bodies.push(body);
    }
    bodies
}
