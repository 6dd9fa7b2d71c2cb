//! One chain from all lines that share an `Evolve-Begin`: which of them counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lines::Line;
use super::recorded::{Lazy, Recorded, Sitting};
use super::{Chain, ChainCommit, ChainCopy};
use crate::error::Result;
use crate::record::{Event, RecordId, Role};
use crate::repo::Oid;

/// One chain from all lines that share `begin`, by base commit. Records are asked only where the
/// lines differ by more than their length.
///
/// # Errors
/// Notes that cannot be read.
pub(in crate::ledger) fn join(
    begin: String,
    by_base: BTreeMap<Oid, Vec<Line>>,
    records: &Lazy<'_>,
) -> Result<Option<Chain>> {
    let mut heads: Vec<Line> = heads(by_base.into_values().flatten().collect());
    let recorded = match heads.len() {
        0 | 1 => None,
        _ => Some(records.get()?),
    };
    let Some(chosen) = choose(&heads, recorded) else {
        return Ok(None);
    };
    let mut notes = Vec::new();
    let mut copies = Vec::<ChainCopy>::new();
    let base = heads[chosen].base();
    let mut rest: Vec<usize> = (0..heads.len()).filter(|i| *i != chosen).collect();
    while let Some(i) = best(&heads, &rest, recorded) {
        rest.retain(|j| *j != i);
        let other = &heads[i];
        let why = takes_over(&heads[chosen], other, recorded);
        if other.base() == base {
            notes.push(diverged(&heads[chosen], other, why));
        } else if !copies.iter().any(|c| c.base == other.base()) {
            // Of several lines on one other base the one that would count there comes first.
            copies.push(ChainCopy {
                base: other.base(),
                tip: other.tip(),
                refs: other.refs.clone(),
            });
        }
    }
    if !copies.is_empty() {
        let bases: Vec<String> = copies.iter().map(|c| c.base.short()).collect();
        notes.push(format!(
            "copied on another base ({}): the copy is counted nowhere",
            bases.join(", ")
        ));
    }
    let line = heads.swap_remove(chosen);
    let counted: HashSet<Oid> = line.commits.iter().map(|c| c.id).collect();
    let others = heads.iter().flat_map(|l| &l.commits).map(|c| c.id);
    let aside = others.filter(|id| !counted.contains(id)).collect();
    notes.extend(line.notes.iter().cloned());
    let tip = line.tip();
    let mut commits = line.commits;
    supersede(&mut commits);
    notes.extend(out_of_order(&commits));
    Ok(Some(Chain {
        label: line.path.to_string(),
        begun_as: line.path.clone(),
        path: line.path,
        begin,
        base,
        tip,
        line: commits,
        notes,
        copies,
        aside,
    }))
}

/// The lines whose tip no other line holds; the others are older states of one of them. In the
/// order of their tips' ids. What the refs of an older state say of its line is kept with all
/// lines that hold it.
pub(in crate::ledger) fn heads(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by_key(Line::tip);
    let told: Vec<(Oid, bool, u32)> = lines
        .iter()
        .map(|l| (l.tip(), l.kept, l.rewritten))
        .collect();
    let newest: Vec<bool> = lines
        .iter()
        .map(|a| !lines.iter().any(|b| b.tip() != a.tip() && b.holds(a.tip())))
        .collect();
    let mut heads: Vec<Line> = lines
        .into_iter()
        .zip(newest)
        .filter_map(|(line, newest)| newest.then_some(line))
        .collect();
    for head in &mut heads {
        for (tip, kept, rewritten) in &told {
            if head.holds(*tip) {
                head.kept |= kept;
                head.rewritten = head.rewritten.max(*rewritten);
            }
        }
    }
    heads
}

/// Which of `heads` counts.
///
/// One that an adoption, or where there is none a `rewritten` ref, says takes over; else the one on the base that was
/// the original; of those on one base see [`beats`].
fn choose(heads: &[Line], recorded: Option<&Recorded>) -> Option<usize> {
    let all: Vec<usize> = (0..heads.len()).collect();
    let (Some(recorded), [_, _, ..]) = (recorded, heads) else {
        return all.first().copied();
    };
    let newest = heads.iter().map(|l| l.rewritten).max().unwrap_or(0);
    let mut left: Vec<usize> = all;
    // Adoptions are shared and `rewritten` refs are not: what every clone can see goes first.
    let adopted: Vec<Option<RecordId>> = left
        .iter()
        .map(|i| newest_adoption(&heads[*i], heads, recorded))
        .collect();
    if let Some(last) = adopted.iter().flatten().max() {
        left.retain(|i| adopted[*i].as_ref() == Some(last));
    } else if newest > 0 {
        left.retain(|i| heads[*i].rewritten == newest);
    }
    // The original base bears its own record; without records it is the kept one; else the one
    // with the smaller id, alike in every clone.
    let original = left.iter().map(|i| heads[*i].base()).min_by_key(|base| {
        let own = recorded
            .on(*base)
            .iter()
            .filter(|s| s.is_own() && s.says.event == Event::Begin)
            .map(|s| s.head.id.clone())
            .min();
        let kept = left
            .iter()
            .any(|i| heads[*i].base() == *base && heads[*i].kept);
        (own.is_none(), own, !kept, *base)
    })?;
    left.retain(|i| heads[*i].base() == original);
    best(heads, &left, Some(recorded))
}

/// The one of the lines `among` that beats the others.
fn best(heads: &[Line], among: &[usize], recorded: Option<&Recorded>) -> Option<usize> {
    among.iter().copied().reduce(|best, other| {
        if beats(&heads[other], &heads[best], recorded) {
            other
        } else {
            best
        }
    })
}

/// The newest adoption on a commit of `line` that names a commit which another of `heads` has
/// and `line` has not.
fn newest_adoption(line: &Line, heads: &[Line], recorded: &Recorded) -> Option<RecordId> {
    let rival = |id: Oid| !line.holds(id) && heads.iter().any(|other| other.holds(id));
    line.commits
        .iter()
        .flat_map(|c| recorded.on(c.id))
        .filter(|s| adopts(s).is_some_and(rival))
        .map(|s| s.head.id.clone())
        .max()
}

/// The commit that an own adoption record says its commit stands for.
pub(in crate::ledger) fn adopts(s: &Sitting) -> Option<Oid> {
    let own = s.is_own() && s.says.event == Event::Adopt;
    let named = s.says.adopts.as_ref().filter(|_| own)?;
    Oid::from_hex(named.as_str())
}

/// Why `chosen` counts before `other` although it is the younger of the two. A `rewritten` ref is
/// named only where no adoption says it, since only this repository has it.
fn takes_over(chosen: &Line, other: &Line, recorded: Option<&Recorded>) -> Option<String> {
    let on = chosen.commits.iter().map(|c| c.id);
    let adopted: Vec<Oid> = on
        .flat_map(|id| recorded.map_or(&[][..], |r| r.on(id)))
        .filter_map(adopts)
        .filter(|id| !chosen.holds(*id))
        .collect();
    if adopted.iter().any(|id| other.holds(*id)) {
        return Some("an adoption is recorded".to_owned());
    }
    let newer = adopted.is_empty() && chosen.rewritten > other.rewritten;
    newer.then(|| format!("rewriting {} takes over", chosen.rewritten))
}

/// Of two diverged lines on one base, whether `a` counts: the one whose first agent commit of
/// its own bears the older record, where an inherited record is younger than every own one and
/// no record is younger still; else the one whose first agent commit has the smaller id. One
/// without an agent commit of its own loses; of two such the same is asked of their first commit
/// with a role, then of their first commit.
fn beats(a: &Line, b: &Line, recorded: Option<&Recorded>) -> bool {
    let common = a.common(b);
    let key = |line: &Line| {
        let own = line.commits.get(common..).unwrap_or_default();
        let agent = own.iter().find(|c| c.role == Role::Agent);
        let known = agent.or_else(|| own.iter().find(|c| c.role != Role::Foreign));
        let first = known.or_else(|| own.first()).map(|c| c.id);
        let record = first.zip(recorded).and_then(|(id, r)| {
            let of_agent = r.on(id).iter().filter(|s| s.says.event != Event::Adopt);
            let oldest = of_agent.map(Sitting::rank).min();
            oldest.map(|(inherited, id)| (inherited, id.clone()))
        });
        (
            agent.is_none(),
            record.is_none(),
            record,
            known.is_none(),
            first,
        )
    };
    key(a) < key(b)
}

/// What is said of a line that does not count. Refs are left out: the words stand in documents,
/// which are alike in every clone, and the refs that lead to the tip are not.
fn diverged(chosen: &Line, other: &Line, why: Option<String>) -> String {
    let common = chosen.common(other);
    format!(
        "diverged after {}: {} counts{}, {} does not",
        chosen.commits[common.saturating_sub(1)].id.short(),
        chosen.tip().short(),
        why.map(|w| format!(" ({w})")).unwrap_or_default(),
        other.tip().short(),
    )
}

/// Of several agent commits for one checkpoint the last counts.
fn supersede(commits: &mut [ChainCommit]) {
    let mut last = HashSet::new();
    for commit in commits.iter_mut().rev() {
        if commit.role == Role::Agent && !last.insert(commit.checkpoint) {
            commit.role = Role::Superseded;
        }
    }
}

fn out_of_order(commits: &[ChainCommit]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut highest = 0;
    let mut ids = HashMap::<u32, &str>::new();
    for c in commits.iter().filter(|c| c.role != Role::Foreign) {
        if c.checkpoint < highest {
            notes.push(format!(
                "checkpoint {} ({}) comes after checkpoint {highest}",
                c.checkpoint,
                c.id.short()
            ));
        }
        highest = highest.max(c.checkpoint);
        let first = ids.entry(c.checkpoint).or_insert(&c.checkpoint_id);
        if *first != c.checkpoint_id {
            notes.push(format!(
                "checkpoint {} is called both {first} and {}",
                c.checkpoint, c.checkpoint_id
            ));
        }
    }
    notes
}
