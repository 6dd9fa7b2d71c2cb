//! What became of tests, checkpoint by checkpoint.

use super::Look;
use super::canvas::{Anchor, Canvas, TEXT, TICK, at};
use super::heat_cells::{self, Grid};
use super::letters;
use super::scale;
use super::svg::Svg;
use crate::report::counted;

/// Tests, or categories of them, over checkpoints, arms side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeatMap {
    /// What it is, in one line.
    pub title: String,
    /// The checkpoints, ascending.
    pub checkpoints: Vec<u32>,
    /// One an arm.
    pub panels: Vec<HeatPanel>,
}

/// One arm's part of a heat map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeatPanel {
    /// The arm's name.
    pub name: String,
    /// Its rows. Where all panels have the same, they share names and stand beside each other.
    pub rows: Vec<HeatRow>,
}

/// One test or category.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeatRow {
    /// Its name.
    pub label: String,
    /// What it belongs to (its checkpoint or category); rows of a group follow each other. May
    /// be empty.
    pub group: String,
    /// One a checkpoint, in the map's order; those that are missing are [`HeatCell::None`].
    pub cells: Vec<HeatCell>,
}

/// One test at one checkpoint, over the chains of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum HeatCell {
    /// It passed `passed` of the `of` times it was judged (chains, or chains times tests of a
    /// category). Of zero times: as [`HeatCell::None`].
    Passed {
        /// How often it passed.
        passed: u32,
        /// How often it was judged.
        of: u32,
    },
    /// It belongs to no checkpoint up to here, or none was reached: nothing to judge.
    #[default]
    None,
    /// It should have run and did not (skipped, not collected).
    NotRun,
    /// The gates gave no verdict.
    Invalid,
    /// No record tells.
    Unknown,
}

/// Rows this high have room for their names.
const NAMED: f64 = 12.0;

/// The heat map: the darker (on dark ground the lighter), the more of the chains fail. What was
/// not run, judged or recorded has a pattern of its own. Names stand beside rows that are high
/// enough, else those of groups do; all of them belong in the text beside the figure.
pub fn heat(map: &HeatMap, look: &Look) -> Svg {
    let mut canvas = Canvas::new(look);
    let desc = described(map);
    let mut y = canvas.heading(look, &map.title, "");
    let cells = map
        .panels
        .iter()
        .flat_map(|p| &p.rows)
        .flat_map(|r| &r.cells);
    if map.checkpoints.is_empty() || cells.clone().all(|c| heat_cells::level(*c).is_none()) {
        let y = canvas.note(y + 4.0, "No test was judged at any checkpoint.");
        return canvas.finish(y + 8.0, &map.title, &desc);
    }
    let id = canvas.id("");
    canvas.raw(&heat_cells::patterns(&id));
    y = heat_cells::legend(&mut canvas, y, cells.copied());
    let same = map.panels.windows(2).all(|w| {
        let names = |p: &HeatPanel| -> Vec<(String, String)> {
            let name = |r: &HeatRow| (r.group.clone(), r.label.clone());
            p.rows.iter().map(name).collect()
        };
        names(&w[0]) == names(&w[1])
    });
    let beside = same && (map.panels.len() as f64) * 90.0 + 60.0 <= canvas.width();
    if beside {
        let panels: Vec<&HeatPanel> = map.panels.iter().collect();
        y = band(&mut canvas, y, map, &panels);
    } else {
        for panel in &map.panels {
            y = band(&mut canvas, y, map, &[panel]) + 6.0;
        }
    }
    let middle = canvas.width() / 2.0;
    canvas.text((middle, y + 8.0), "ev-tick", Anchor::Middle, "checkpoint");
    canvas.finish(y + 16.0, &map.title, &desc)
}

/// Panels of the same rows beside each other; gives back where they end.
fn band(canvas: &mut Canvas, y: f64, map: &HeatMap, panels: &[&HeatPanel]) -> f64 {
    let Some(first) = panels.first() else {
        return y;
    };
    let rows = &first.rows;
    let high = row_height(rows.len());
    let named = high >= NAMED;
    let labels = label_room(canvas.width(), rows, named);
    let gap = 14.0;
    let room = canvas.width() - labels - 6.0 - gap * (panels.len() as f64 - 1.0);
    let wide = room / panels.len() as f64;
    let top = y + 26.0;
    // With names beside rows, a group has a line of its own above its rows.
    let mut tops = Vec::with_capacity(rows.len());
    let mut free = top;
    let mut ends: Vec<(f64, f64, &str)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let begins = at == 0 || rows[at - 1].group != row.group;
        if begins && !row.group.is_empty() {
            free += if named {
                15.0
            } else if at > 0 {
                1.0
            } else {
                0.0
            };
            ends.push((free, free, &row.group));
        }
        tops.push(free);
        free += high;
        if let Some(end) = ends.last_mut().filter(|e| e.2 == row.group) {
            end.1 = free;
        }
    }
    for (place, panel) in panels.iter().enumerate() {
        let left = labels + place as f64 * (wide + gap);
        let title = (left, y + 21.0);
        canvas.text_in(wide, TEXT, title, "ev-strong", Anchor::Start, &panel.name);
        let grid = Grid {
            left,
            column: wide / map.checkpoints.len().max(1) as f64,
            // Rows with names are told apart by a gap.
            high: if named { high - 1.5 } else { high },
            tops: &tops,
            checkpoints: &map.checkpoints,
        };
        heat_cells::draw(canvas, &grid, panel);
        axis(canvas, map, left, wide, free);
    }
    if named {
        for (top, row) in tops.iter().zip(rows) {
            let place = (labels - 5.0, top + high / 2.0 + 3.5);
            canvas.name_in(labels - 8.0, place, &row.label);
        }
        for (top, _, group) in &ends {
            let room = canvas.width() - 8.0;
            canvas.text_in(
                room,
                TICK,
                (4.0, top - 4.0),
                "ev-strong",
                Anchor::Start,
                group,
            );
        }
    } else {
        groups(canvas, labels, &ends);
    }
    free + 18.0
}

/// Names of groups beside their rows, with a line along them; a name that would touch the one
/// above is left out.
fn groups(canvas: &mut Canvas, labels: f64, ends: &[(f64, f64, &str)]) {
    let mut free = f64::NEG_INFINITY;
    for (top, bottom, group) in ends {
        let d = format!(
            "M{} {}V{}",
            at(labels - 4.0),
            at(top + 0.5),
            at(bottom - 0.5)
        );
        canvas.path("ev-axis", "", &d);
        let line = (top + 8.0).max((top + bottom) / 2.0 + 3.5);
        if line - 10.0 >= free {
            free = line;
            let place = (labels - 8.0, line);
            canvas.text_in(labels - 12.0, TICK, place, "ev-tick", Anchor::End, group);
        }
    }
}

/// Height of a row, by how many there are.
fn row_height(rows: usize) -> f64 {
    match rows {
        ..=40 => 15.0,
        41..=60 => NAMED,
        n => (720.0 / n as f64).clamp(1.5, 9.0),
    }
}

/// Room for names left of the cells.
fn label_room(width: f64, rows: &[HeatRow], named: bool) -> f64 {
    let widest = rows
        .iter()
        .map(|r| if named { &r.label } else { &r.group })
        .map(|name| letters::width(name, TICK))
        .fold(0.0, f64::max);
    if widest > 0.0 {
        (widest + 13.0).min(width * 0.33)
    } else {
        8.0
    }
}

/// Numbers of checkpoints below a panel.
fn axis(canvas: &mut Canvas, map: &HeatMap, left: f64, wide: f64, y: f64) {
    let (Some(low), Some(high)) = (map.checkpoints.first(), map.checkpoints.last()) else {
        return;
    };
    let column = wide / map.checkpoints.len() as f64;
    let label = letters::width(&high.to_string(), TICK) + 9.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a width of paper over that of a number"
    )]
    let most = ((wide / label) as usize).max(1);
    let ticks = scale::checkpoints(f64::from(*low), f64::from(*high), most);
    let (mut d, mut free) = (String::new(), f64::NEG_INFINITY);
    for (value, label) in ticks.values.iter().zip(&ticks.labels) {
        let Some(place) = map.checkpoints.iter().position(|c| f64::from(*c) == *value) else {
            continue;
        };
        let x = left + (place as f64 + 0.5) * column;
        d.push_str(&format!("M{} {}v3", at(x), at(y + 1.0)));
        let half = letters::width(label, TICK) / 2.0;
        if x - half >= free {
            free = x + half + 3.0;
            canvas.text((x, y + 13.0), "ev-tick", Anchor::Middle, label);
        }
    }
    canvas.path("ev-axis", "", &d);
}

fn described(map: &HeatMap) -> String {
    let mut out = format!(
        "{}: {} checkpoints, {}.",
        map.title,
        map.checkpoints.len(),
        counted(map.panels.len() as u64, "arm", "arms")
    );
    for panel in &map.panels {
        let cells = || panel.rows.iter().flat_map(|r| &r.cells).copied();
        let n = |what: &dyn Fn(HeatCell) -> bool| cells().filter(|c| what(*c)).count();
        let level = |c: HeatCell| heat_cells::level(c).and_then(heat_cells::Level::failing);
        out.push_str(&format!(
            " {}: of the places of {} by checkpoint {} pass in every chain, {} in some, {} in none",
            panel.name,
            counted(panel.rows.len() as u64, "row", "rows"),
            n(&|c| level(c) == Some(0)),
            n(&|c| matches!(level(c), Some(1..=4))),
            n(&|c| level(c) == Some(5)),
        ));
        for (state, words) in [
            (HeatCell::NotRun, "were not run"),
            (HeatCell::Invalid, "have no verdict"),
            (HeatCell::Unknown, "are unknown"),
        ] {
            let n = n(&|c| c == state);
            if n > 0 {
                out.push_str(&format!(", {n} {words}"));
            }
        }
        out.push('.');
    }
    out
}
