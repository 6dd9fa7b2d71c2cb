//! Which tests pass where, and which broke.

use super::super::study::HeatMap;
use super::super::text::{counted, ends};
use super::document::{Block, Cell, Figure, Section, Table, code, para};
use super::figures;
use super::model::{Regression, Report};

/// Regressions listed in full; more are counted, and stand in the data.
const LISTED: usize = 250;
/// Characters of a test's name that are shown; the data have all of them.
pub(super) const NAME: usize = 240;

/// Tests by checkpoint; `None` where no gate is recorded.
pub(super) fn heat(report: &Report) -> Option<Section<'_>> {
    if report.heat.iter().all(|m| m.rows.is_empty()) {
        return None;
    }
    let mut blocks = vec![para(
        "How many of the outcomes of a row passed at each checkpoint, over the chains of an arm: \
         acceptance suite, gates with a verdict. Skipped tests are in no rate.",
    )];
    if let Some(svg) = figures::heat(&report.heat) {
        let figure = Figure::of("heat-figure", &svg).wide();
        blocks.push(Block::Figure(figure.moved("Tests that passed, the figure")));
    }
    for (at, map) in report.heat.iter().enumerate() {
        let id = format!("heat-{}", at + 1);
        blocks.push(Block::Details {
            id: format!("{id}-values"),
            summary: vec![format!("{}: passed of run, by checkpoint", map.arm).into()],
            open: false,
            blocks: vec![Block::Table(heat_table(&id, map))],
        });
    }
    Some(Section {
        id: "heat".to_owned(),
        title: "Tests by checkpoint".to_owned(),
        blocks,
    })
}

fn heat_table(id: &str, map: &HeatMap) -> Table {
    let mut table = Table::new(
        format!("{id}-table"),
        format!("{}: passed of run, by checkpoint", map.arm),
    )
    .words(map.rows_are)
    .number("tests");
    for k in &map.checkpoints {
        table = table.number(k.to_string());
    }
    for row in &map.rows {
        let mut cells = vec![
            Cell::head(ends(&row.label, NAME).into_owned()),
            row.tests.to_string().into(),
        ];
        cells.extend(row.cells.iter().map(|c| {
            Cell::from(match c.of() {
                0 => String::new(),
                of => format!("{}/{of}", c.passed),
            })
        }));
        table.row(cells);
    }
    table.notes.push(format!(
        "An empty cell: nothing of the row ran there. Gates with a verdict, of chains that reached \
         the checkpoint: {}.",
        judged(map)
    ));
    table
}

/// `1–8: 6 of 6; 9: 5 of 6`.
fn judged(map: &HeatMap) -> String {
    let mut spans: Vec<(u32, u32, (u32, u32))> = Vec::new();
    for (k, n) in map.checkpoints.iter().zip(&map.judged) {
        match spans.last_mut() {
            Some(last) if last.2 == *n => last.1 = *k,
            _ => spans.push((*k, *k, *n)),
        }
    }
    let words: Vec<String> = spans
        .iter()
        .map(|(from, to, (n, of))| match from == to {
            true => format!("{from}: {n} of {of}"),
            false => format!("{from}–{to}: {n} of {of}"),
        })
        .collect();
    words.join("; ")
}

/// Tests that broke, with the commits that broke them.
pub(super) fn regressions(report: &Report) -> Option<Section<'_>> {
    let measured = report
        .values
        .iter()
        .find(|v| v.measure.id == "regressions")?;
    if !measured.any_known() {
        return None;
    }
    let (counted_ones, apart): (Vec<&Regression>, Vec<&Regression>) =
        report.regressions.iter().partition(|r| !r.apart);
    let mut blocks = vec![para(match counted_ones.len() {
        0 => "No test that passed at a gate fails at the next one that has a verdict.".to_owned(),
        n => format!(
            "{} that passed at the last gate with a verdict and do not at this one, among tests \
             that both were asked for.",
            counted(n as u64, "test", "tests")
        ),
    })];
    let (known, _, unknown) = measured.counts();
    if unknown > 0 {
        blocks.push(para(format!(
            "Known at {known} of {} checkpoints.",
            known + unknown
        )));
    }
    if !counted_ones.is_empty() {
        blocks.extend(table(
            report,
            "regression-table",
            "Tests that broke",
            &counted_ones,
        ));
    }
    if !apart.is_empty() {
        blocks.push(Block::Details {
            id: "regressions-apart".to_owned(),
            summary: vec![format!("Listed apart, not counted ({})", apart.len()).into()],
            open: false,
            blocks: table(
                report,
                "regression-apart-table",
                "Tests that are gone, renamed, unstable or declared to change",
                &apart,
            ),
        });
    }
    Some(Section {
        id: "regressions".to_owned(),
        title: "Regressions".to_owned(),
        blocks,
    })
}

fn table<'r>(report: &'r Report, id: &str, caption: &str, of: &[&Regression]) -> Vec<Block<'r>> {
    let mut table = Table::new(id, caption)
        .words("arm")
        .words("chain")
        .number("checkpoint")
        .words("id")
        .words("commit")
        .words("what")
        .words("test");
    for r in of.iter().take(LISTED) {
        let arm = report
            .study
            .arms
            .get(r.arm)
            .map_or("?", |a| a.name.as_str());
        table.row([
            Cell::head(arm),
            r.chain.as_str().into(),
            r.checkpoint.to_string().into(),
            r.checkpoint_id.as_str().into(),
            report.commit(&r.commit).into(),
            r.how.as_str().into(),
            code(ends(&r.test, NAME)).into(),
        ]);
    }
    if let Some(more) = of.len().checked_sub(LISTED).filter(|n| *n > 0) {
        table
            .notes
            .push(format!("And {more} more: `--data DIR` has all of them."));
    }
    vec![Block::Table(table)]
}
