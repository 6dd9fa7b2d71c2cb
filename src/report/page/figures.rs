//! The drawings of a page.

use super::super::chart::{self, Look, Svg};
use super::super::study::{FrontArm, HeatMap, HeatRow, MeasureTable};
use super::super::text::ends;
use super::model::Report;
use super::{measures, order};

/// A drawing and the name of its file.
pub(super) type Drawing = (String, Svg);

/// A measure over the checkpoints; `id` is its place in the page.
pub(super) fn lines(report: &Report, table: &MeasureTable, id: &str) -> Svg {
    let look = Look::new(&format!("{id}-svg")).bare();
    let look = match has_chains(report, table) {
        true => look,
        false => look.without_chains(),
    };
    chart::lines(table, &report.study.arms, &look)
}

/// Values up to which a figure holds the lines of its single chains whatever its measure.
const MANY: usize = 600;

/// Whether the lines of single chains are in the figure of a measure: of a large experiment they
/// would be most of the page.
pub(super) fn has_chains(report: &Report, table: &MeasureTable) -> bool {
    let values: usize = table.arms.iter().map(|a| a.trend.values).sum();
    let leads = order::headline(table.measure).is_some();
    values <= MANY
        || leads
        || super::deciding(report)
            .iter()
            .any(|id| id == table.measure.id)
}

/// How the arms' slopes differ, measure by measure; `None` where nothing is compared.
pub(super) fn forest(report: &Report, look: &Look) -> Option<Svg> {
    let shown = measures::shown(&report.study);
    let deciding = super::deciding(report);
    let leads = |m| order::headline(m).is_some();
    let primary: Vec<MeasureTable> = shown
        .into_iter()
        .filter(|t| deciding.iter().any(|id| id == t.measure.id) || leads(t.measure))
        .filter(|t| !t.pairs.is_empty())
        .cloned()
        .collect();
    if primary.is_empty() {
        return None;
    }
    let forest = chart::slope_differences(&primary, &report.study.arms);
    (!forest.rows.is_empty()).then(|| chart::forest(&forest, look))
}

/// Cost against passing; `None` where no arm has both.
pub(super) fn front(report: &Report, look: &Look) -> Option<Svg> {
    let quality = &report.study.quality;
    let both = |f: &FrontArm| f.cost.number().is_some() && f.success.number().is_some();
    let any = quality.front.iter().any(both);
    any.then(|| chart::front(quality, &report.study.arms, look))
}

/// A drawing as it stands in a page: as broad as `broad`, and drawn again for a telephone, where
/// the letters of the broad one could not be read.
pub(super) fn in_page(
    id: &str,
    broad: u32,
    of: impl Fn(&Look) -> Option<Svg>,
) -> Option<(Svg, Svg)> {
    let look = |name: &str, wide| Look::new(&format!("{id}{name}-svg")).wide(wide);
    Some((of(&look("", broad))?, of(&look("-narrow", 360))?))
}

/// Tests by checkpoint, the arms beside each other; `None` where nothing ran.
pub(super) fn heat(maps: &[HeatMap]) -> Option<Svg> {
    if maps.iter().all(|m| m.rows.is_empty()) {
        return None;
    }
    let mut checkpoints: Vec<u32> = maps.iter().flat_map(|m| &m.checkpoints).copied().collect();
    checkpoints.sort_unstable();
    checkpoints.dedup();
    let panel = |map: &HeatMap| chart::HeatPanel {
        name: map.arm.clone(),
        rows: map
            .rows
            .iter()
            .map(|row| chart::HeatRow {
                label: ends(&row.label, super::tests::NAME).into_owned(),
                group: String::new(),
                cells: checkpoints
                    .iter()
                    .map(|k| {
                        let at = map.checkpoints.binary_search(k).ok();
                        at.map_or(chart::HeatCell::None, |at| cell(map, row, at))
                    })
                    .collect(),
            })
            .collect(),
    };
    let map = chart::HeatMap {
        title: "Tests that passed, by checkpoint".to_owned(),
        panels: maps.iter().map(panel).collect(),
        checkpoints: checkpoints.clone(),
    };
    Some(chart::heat(&map, &Look::new("heat-svg").wide(900)))
}

/// What a cell is, in the words of the drawing.
fn cell(map: &HeatMap, row: &HeatRow, at: usize) -> chart::HeatCell {
    let judged = map.judged.get(at).copied().unwrap_or_default();
    match row.cells.get(at) {
        Some(c) if c.of() > 0 => chart::HeatCell::Passed {
            passed: c.passed,
            of: c.of(),
        },
        Some(c) if c.skipped > 0 => chart::HeatCell::NotRun,
        _ if judged.0 == 0 => chart::HeatCell::Invalid,
        _ => chart::HeatCell::None,
    }
}

/// Every drawing of a report with its name: small ones stand alone.
pub(super) fn all(report: &Report) -> Vec<Drawing> {
    let mut drawings: Vec<Drawing> = measures::shown(&report.study)
        .into_iter()
        .map(|table| {
            let name = match &table.language {
                Some(language) => format!("{}-{language}", table.measure.id),
                None => table.measure.id.to_owned(),
            };
            let look = Look::new(&name).wide(480);
            (name, chart::lines(table, &report.study.arms, &look))
        })
        .collect();
    let look = |name: &str, wide| Look::new(&format!("{name}-svg")).wide(wide);
    drawings.extend(forest(report, &look("forest", 760)).map(|svg| ("forest".to_owned(), svg)));
    drawings.extend(front(report, &look("front", 560)).map(|svg| ("front".to_owned(), svg)));
    drawings.extend(heat(&report.heat).map(|svg| ("tests".to_owned(), svg)));
    drawings
}
