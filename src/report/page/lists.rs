//! Lists of plain facts, as a terminal shows them, turned into tables of a page.

use super::super::listing::List;
use super::document::{Cell, Table};

/// The table of a list; `None` where it has no rows.
pub(super) fn table(id: &str, list: &List) -> Option<Table> {
    if list.is_empty() {
        return None;
    }
    let caption = match list.title() {
        "" => "What happened, chain by chain",
        title => title,
    };
    let mut table = Table::new(id, caption);
    for (title, number) in list.columns_for_people() {
        table = match number {
            true => table.number(title),
            false => table.words(title),
        };
    }
    for row in list.rows_for_people() {
        let cells = row.into_iter().enumerate().map(|(i, text)| match i {
            0 => Cell::head(text),
            _ => text.into(),
        });
        table.row(cells);
    }
    Some(table)
}
