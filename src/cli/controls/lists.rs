//! The lists that are shown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::sums::{self, Arm, Sums};
use crate::ledger::{Control, ControlCount, Controlled, spans};
use crate::report::{Column, Field, List, Tone, counted};

/// What of one figure a table names.
const SHOWN: usize = 5;

/// For people: what happened in each chain, then what is not known of it.
pub(super) fn happened(all: &[(String, Sums)]) -> List {
    let mut list = List::new("controls", "")
        .column(Column::heading("chain"))
        .column(Column::left("what"))
        .column(Column::right("count"))
        .column(Column::left("checkpoints"))
        .column(Column::below("where"));
    for (chain, sums) in all {
        for (control, sum) in sums.iter().filter(|(_, s)| s.count > 0) {
            list.row(vec![
                chain.as_str().into(),
                control.title().into(),
                least(sum.count, sum.unknown.is_empty()),
                spans(&sum.checkpoints).into(),
                Field::joined(first(&sum.what)),
            ]);
        }
        let mut lacking = BTreeMap::<String, (Vec<&str>, BTreeSet<u32>)>::new();
        for (control, sum) in sums.iter().filter(|(_, s)| !s.unknown.is_empty()) {
            let whys: Vec<&str> = sum.whys.iter().map(String::as_str).collect();
            let (titles, numbers) = lacking.entry(whys.join("; ")).or_default();
            titles.push(control.title());
            numbers.extend(&sum.unknown);
        }
        for (why, (titles, numbers)) in lacking {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            list.row(vec![
                chain.as_str().into(),
                match titles.as_slice() {
                    [one] => (*one).into(),
                    all => counted(all.len() as u64, "figure", "figures").into(),
                },
                Field::unknown(),
                spans(&numbers).into(),
                Field::words([why, titles.join(", ")]),
            ]);
        }
        let quiet = |s: &sums::Sum| s.count == 0 && s.unknown.is_empty();
        if sums.values().all(quiet) {
            list.row(vec![
                chain.as_str().into(),
                "nothing: every figure is 0".into(),
                0_u64.into(),
            ]);
        }
    }
    list
}

/// A count that may be a part of it.
fn least(count: u64, whole: bool) -> Field {
    match whole {
        true => count.into(),
        false => Field::short(&format!("at least {count}"), &format!("≥{count}")),
    }
}

fn first(what: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = what.iter().take(SHOWN).cloned().collect();
    if let Some(more) = what.len().checked_sub(SHOWN).filter(|n| *n > 0) {
        shown.push(format!("and {more} more"));
    }
    shown
}

/// Every figure of every checkpoint.
pub(super) fn checkpoints(all: &[Controlled]) -> List {
    let mut list = List::new("checkpoints", "")
        .column(Column::left("chain"))
        .column(Column::left("arm"))
        .column(Column::right("checkpoint"))
        .column(Column::left("checkpoint_id"))
        .column(Column::left("id"))
        .column(Column::right("count"))
        .column(Column::left("unknown"))
        .column(Column::left("what"));
    for chain in all {
        for checkpoint in &chain.checkpoints {
            for (control, count) in &checkpoint.figures {
                let (count, why, what) = match count {
                    ControlCount::Known(n, what) => ((*n).into(), Field::none(), what.as_slice()),
                    ControlCount::Unknown(why) => (Field::unknown(), why.as_str().into(), &[][..]),
                };
                list.row(vec![
                    chain.chain.as_str().into(),
                    chain.arm.as_str().into(),
                    checkpoint.number.into(),
                    checkpoint.id.as_str().into(),
                    control.id().into(),
                    count,
                    why,
                    Field::words(what.iter().map(String::as_str)),
                ]);
            }
        }
    }
    list
}

/// Every figure of every chain.
pub(super) fn chains(all: &[Controlled]) -> List {
    let mut list = List::new("chains", "")
        .column(Column::left("chain"))
        .column(Column::left("arm"))
        .column(Column::left("id"))
        .column(Column::right("count"))
        .column(Column::right("at_least"))
        .column(Column::left("checkpoints"))
        .column(Column::left("unknown_at"))
        .column(Column::left("unknown"));
    for chain in all {
        for (control, sum) in sums::of(chain) {
            list.row(vec![
                chain.chain.as_str().into(),
                chain.arm.as_str().into(),
                control.id().into(),
                sum.whole().map_or_else(Field::unknown, Field::from),
                sum.at_least().map_or_else(Field::unknown, Field::from),
                numbers(&sum.checkpoints),
                numbers(&sum.unknown),
                Field::words(sum.whys.iter().map(String::as_str)),
            ]);
        }
    }
    list
}

fn numbers(all: &[u32]) -> Field {
    Field::from(Value::from(all.to_vec()))
}

/// Figures of every arm; for people those that are not 0.
pub(super) fn arms(all: &[Arm], for_people: bool) -> List {
    let mut list = List::new("arms", "Arms")
        .column(match for_people {
            true => Column::heading("arm"),
            false => Column::left("arm"),
        })
        .column(match for_people {
            true => Column::left("what"),
            false => Column::machine("id"),
        })
        .column(Column::right("count"))
        .column(match for_people {
            true => Column::machine("at_least"),
            false => Column::right("at_least"),
        })
        .column(Column::right("chains_with").titled("chains"))
        .column(Column::right("chains").titled("of"))
        .column(match for_people {
            true => Column::machine("chains_unknown"),
            false => Column::right("chains_unknown"),
        });
    for arm in all {
        for (control, of) in &arm.figures {
            if for_people && of.count == 0 {
                continue;
            }
            let least = of.known.then_some(of.count);
            let whole = least.filter(|_| of.lacking == 0);
            list.row(vec![
                arm.name.as_str().into(),
                match for_people {
                    true => control.title(),
                    false => control.id(),
                }
                .into(),
                match (for_people, whole) {
                    (true, _) => self::least(of.count, of.lacking == 0),
                    (false, Some(n)) => n.into(),
                    (false, None) => Field::unknown(),
                },
                least.map_or_else(Field::unknown, Field::from),
                of.with.into(),
                arm.chains.into(),
                of.lacking.into(),
            ]);
        }
    }
    list
}

/// What changed while chains ran.
pub(super) fn changed(all: &[Controlled]) -> List {
    let mut list = List::new("changed", "Changed while the chain ran")
        .column(Column::heading("chain"))
        .column(Column::machine("about"))
        .column(Column::words("what"))
        .column(Column::left("checkpoints"))
        .column(Column::below("began").titled("began with:"))
        .column(Column::below("now").titled("then:"))
        .column(Column::machine("commit"))
        .column(Column::machine("record"));
    for chain in all {
        for change in &chain.changed {
            let shown = spans(&change.checkpoints);
            list.row(vec![
                chain.chain.as_str().into(),
                change.about.word().into(),
                change.what.as_str().into(),
                Field::joined(vec![shown]),
                change.began.as_str().into(),
                change.now.as_str().into(),
                Field::short(&change.commit.to_string(), &change.commit.short()).tone(Tone::Id),
                change.record.to_string().into(),
            ]);
        }
    }
    list
}

/// What hid the rest of the machine from whatever ran.
pub(super) fn isolation(all: &[Controlled], for_people: bool) -> List {
    let mut list = List::new("isolation", "Isolation")
        .column(match for_people {
            true => Column::heading("chain"),
            false => Column::left("chain"),
        })
        .column(match for_people {
            true => Column::left("checkpoints"),
            false => Column::right("checkpoint"),
        })
        .column(Column::left("what"))
        .column(Column::left("isolation"));
    for chain in all {
        if !for_people {
            for checkpoint in &chain.checkpoints {
                for (what, how) in &checkpoint.isolation {
                    list.row(vec![
                        chain.chain.as_str().into(),
                        checkpoint.number.into(),
                        what.as_str().into(),
                        Field::words(how.iter().map(|h| h.word())),
                    ]);
                }
            }
            continue;
        }
        let mut by = BTreeMap::<(&str, Vec<&str>), Vec<u32>>::new();
        for checkpoint in &chain.checkpoints {
            for (what, how) in &checkpoint.isolation {
                let how = how.iter().map(|h| h.word()).collect();
                by.entry((what, how)).or_default().push(checkpoint.number);
            }
        }
        for ((what, how), numbers) in by {
            list.row(vec![
                chain.chain.as_str().into(),
                spans(&numbers).into(),
                what.into(),
                how.join(", ").into(),
            ]);
        }
    }
    list
}

/// What each figure says.
pub(super) fn kinds() -> List {
    let mut list = List::new("kinds", "")
        .column(Column::left("id"))
        .column(Column::left("title"))
        .column(Column::words("explained"));
    for control in Control::ALL {
        list.row(vec![
            control.id().into(),
            control.title().into(),
            control.explained().into(),
        ]);
    }
    list
}

/// The sentences of the figures that are shown.
pub(super) fn footnotes(shown: &BTreeSet<Control>) -> Vec<String> {
    let note = |c: &Control| format!("{}: {}", c.title(), c.explained());
    shown.iter().map(note).collect()
}
