//! The tests part of `show`: which tests a change broke, and which it mended.

use std::collections::BTreeSet;

use super::show::ShowView;
use super::table::{Align, Cell, Table, Tone};

/// The measures whose tests are listed, each test under the first that counts it.
const LISTED: [&str; 4] = [
    "regressions",
    "unsatisfied_replacements",
    "strict_pass",
    "fail_to_pass",
];
/// Tests that are listed of one measure; `git evolve tests` has the others.
const MOST: usize = 20;

/// The tests that figures of this change count or leave out; `None` where there are none.
pub(super) fn tests(view: &ShowView<'_>) -> Option<Table> {
    let mut table = Table::new()
        .column("  measure", Align::Left)
        .paths("test")
        .words("");
    let mut seen = BTreeSet::new();
    let listed = LISTED.iter().filter_map(|id| {
        let (id, figure) = view.change.figures.iter().find(|(f, _)| f == id)?;
        Some((*id, &figure.items))
    });
    for (id, items) in listed {
        let new: Vec<_> = items.iter().filter(|i| seen.insert(&i.name)).collect();
        for item in new.iter().take(MOST) {
            let tone = match item.note.starts_with("not counted") {
                true => Tone::Faint,
                false if id == "fail_to_pass" => Tone::Better,
                false => Tone::Worse,
            };
            table.row(vec![
                Cell::new(format!("  {id}")).tone(tone),
                Cell::new(&item.name),
                Cell::new(&item.note).tone(Tone::Faint),
            ]);
        }
        if new.len() > MOST {
            table.note(&format!(
                "{} more: git evolve tests {}",
                new.len() - MOST,
                view.change.step.commit.id.short()
            ));
        }
    }
    (!table.is_empty()).then_some(table)
}
