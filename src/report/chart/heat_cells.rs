//! The cells of a heat map: their shades and patterns, drawn in runs.

use super::canvas::{Anchor, Canvas, TICK, at};
use super::heat::{HeatCell, HeatPanel};
use super::letters;
use super::svg::escaped;

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// A shade, from 0 (all pass) to 5 (none does).
    Shade(u8),
    NotRun,
    Invalid,
    Unknown,
}

impl Level {
    /// The shade, where it is one.
    pub(super) fn failing(self) -> Option<u8> {
        match self {
            Level::Shade(n) => Some(n),
            _ => None,
        }
    }

    const ALL: [Level; 9] = [
        Level::Shade(0),
        Level::Shade(1),
        Level::Shade(2),
        Level::Shade(3),
        Level::Shade(4),
        Level::Shade(5),
        Level::NotRun,
        Level::Invalid,
        Level::Unknown,
    ];

    fn words(self) -> &'static str {
        match self {
            Level::Shade(0) => "all pass",
            Level::Shade(1) => "≤ 25 % fail",
            Level::Shade(2) => "≤ 50 %",
            Level::Shade(3) => "≤ 75 %",
            Level::Shade(4) => "< 100 %",
            Level::Shade(_) => "all fail",
            Level::NotRun => "not run",
            Level::Invalid => "no verdict",
            Level::Unknown => "unknown",
        }
    }

    /// The attributes that paint it, with a blank in front.
    fn paint(self, id: &str) -> String {
        match self {
            Level::Shade(n) => format!(" class=\"ev-h{n}\""),
            Level::NotRun => format!(" fill=\"url(#{id}n)\""),
            Level::Invalid => format!(" fill=\"url(#{id}i)\""),
            Level::Unknown => format!(" fill=\"url(#{id}u)\""),
        }
    }
}

/// How a cell is drawn; `None`: not at all.
pub(super) fn level(cell: HeatCell) -> Option<Level> {
    match cell {
        HeatCell::Passed { of: 0, .. } | HeatCell::None => None,
        HeatCell::Passed { passed, of } => {
            let failed = u64::from(of.saturating_sub(passed));
            let quarters = (failed * 4).div_ceil(u64::from(of));
            Some(Level::Shade(match quarters {
                0 => 0,
                _ if failed == u64::from(of) => 5,
                n => u8::try_from(n).unwrap_or(4).min(4),
            }))
        }
        HeatCell::NotRun => Some(Level::NotRun),
        HeatCell::Invalid => Some(Level::Invalid),
        HeatCell::Unknown => Some(Level::Unknown),
    }
}

/// The patterns, told apart without colour: lines one way, lines both ways, dots.
pub(super) fn patterns(id: &str) -> String {
    let pattern = |name: &str, inside: &str| {
        format!(
            "<pattern id=\"{id}{name}\" width=\"4\" height=\"4\" \
             patternUnits=\"userSpaceOnUse\"><path class=\"ev-blank\" d=\"M0 0h4v4h-4z\"/>\
             <path class=\"ev-hatch\" d=\"{inside}\"/></pattern>\n"
        )
    };
    format!(
        "<defs>\n{}{}{}</defs>\n",
        pattern("n", "M-1 1l2-2M0 4l4-4M3 5l2-2"),
        pattern("i", "M0 0l4 4M0 4l4-4"),
        pattern("u", "M1 2h2"),
    )
}

/// Where the cells of a panel are.
pub(super) struct Grid<'a> {
    pub(super) left: f64,
    /// Width of a column, height of a row.
    pub(super) column: f64,
    pub(super) high: f64,
    /// Upper end of each row.
    pub(super) tops: &'a [f64],
    pub(super) checkpoints: &'a [u32],
}

/// A run of equal things: what, from which column, to which (exclusive).
fn runs<T: PartialEq + Copy>(cells: &[T]) -> Vec<(T, usize, usize)> {
    let mut out = Vec::new();
    let mut from = 0;
    for same in cells.chunk_by(|a, b| a == b) {
        out.push((same[0], from, from + same.len()));
        from += same.len();
    }
    out
}

/// Over this many cells a row tells of all its cells at once.
const SINGLY: usize = 1500;

/// Draws a panel: one path a shade, in runs along the rows, so that it stays small.
pub(super) fn draw(canvas: &mut Canvas, grid: &Grid<'_>, panel: &HeatPanel) {
    let columns = grid.checkpoints.len();
    let x = |column: usize| grid.left + column as f64 * grid.column;
    let id = canvas.id("");
    let mut out = String::from("<g shape-rendering=\"crispEdges\">\n");
    for wanted in Level::ALL {
        let mut path = Path::default();
        for (row, top) in panel.rows.iter().zip(grid.tops) {
            let shown = &row.cells[..row.cells.len().min(columns)];
            let levels: Vec<_> = shown.iter().map(|c| level(*c)).collect();
            for (level, from, to) in runs(&levels) {
                if level == Some(wanted) {
                    path.run((x(from), *top), x(to), grid.high);
                }
            }
        }
        if !path.d.is_empty() {
            out.push_str(&format!("<path{} d=\"{}\"/>\n", wanted.paint(&id), path.d));
        }
    }
    out.push_str("</g>\n<g class=\"ev-hit\">\n");
    let singly = panel.rows.len() * columns <= SINGLY;
    for (row, top) in panel.rows.iter().zip(grid.tops) {
        let shown = &row.cells[..row.cells.len().min(columns)];
        let runs = runs(shown);
        let rect = |from: usize, to: usize, title: &str| {
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
                at(x(from)),
                at(*top),
                at(x(to) - x(from)),
                at(grid.high),
                escaped(title)
            )
        };
        let told = |(cell, from, to): &(HeatCell, usize, usize)| {
            let span = match (grid.checkpoints.get(*from), grid.checkpoints.get(to - 1)) {
                (Some(a), Some(b)) if a < b => format!("{a}–{b}"),
                (Some(a), _) => a.to_string(),
                _ => String::new(),
            };
            (span, words(*cell))
        };
        if singly {
            for run in runs.iter().filter(|r| level(r.0).is_some()) {
                let (span, said) = told(run);
                out.push_str(&rect(
                    run.1,
                    run.2,
                    &format!("{} @{span}: {said}", row.label),
                ));
            }
        } else {
            const MOST: usize = 6;
            let mut said: Vec<String> = runs
                .iter()
                .filter(|r| level(r.0).is_some())
                .take(MOST)
                .map(|run| {
                    let (span, said) = told(run);
                    format!("@{span} {said}")
                })
                .collect();
            if runs.len() > MOST {
                said.push("…".to_owned());
            }
            if !said.is_empty() {
                let title = format!("{}: {}", row.label, said.join(", "));
                out.push_str(&rect(0, columns, &title));
            }
        }
    }
    out.push_str("</g>\n");
    canvas.raw(&out);
}

/// What a cell tells.
fn words(cell: HeatCell) -> String {
    match cell {
        HeatCell::Passed { passed, of } => format!("{passed} of {of} pass"),
        HeatCell::None => "nothing to judge".to_owned(),
        HeatCell::NotRun => Level::NotRun.words().to_owned(),
        HeatCell::Invalid => Level::Invalid.words().to_owned(),
        HeatCell::Unknown => Level::Unknown.words().to_owned(),
    }
}

/// Rectangles as one path, each begun relative to the one before.
#[derive(Default)]
struct Path {
    d: String,
    last: Option<(f64, f64)>,
}

impl Path {
    fn run(&mut self, (x, y): (f64, f64), to: f64, high: f64) {
        // Tenths, so that rounding does not add up.
        let tenths = |v: f64| (v * 10.0).round();
        let here = (tenths(x), tenths(y));
        let wide = at((tenths(to) - here.0) / 10.0);
        let high = at((tenths(y + high) - here.1) / 10.0);
        match self.last {
            None => {
                let (x, y) = (at(here.0 / 10.0), at(here.1 / 10.0));
                self.d.push_str(&format!("M{x} {y}"));
            }
            Some(last) => {
                let dx = at((here.0 - last.0) / 10.0);
                let dy = at((here.1 - last.1) / 10.0);
                let sep = if dy.starts_with('-') { "" } else { " " };
                self.d.push_str(&format!("m{dx}{sep}{dy}"));
            }
        }
        // Closing goes back to where the rectangle began.
        self.d.push_str(&format!("h{wide}v{high}h-{wide}z"));
        self.last = Some(here);
    }
}

/// The shades, and those of the patterns that occur. Gives back where drawing goes on.
pub(super) fn legend(canvas: &mut Canvas, y: f64, cells: impl Iterator<Item = HeatCell>) -> f64 {
    let mut there = [false; Level::ALL.len()];
    for cell in cells {
        if let Some(at) = level(cell).and_then(|l| Level::ALL.iter().position(|a| *a == l)) {
            there[at] = true;
        }
    }
    let right = canvas.width() - 4.0;
    let id = canvas.id("");
    let (mut x, mut y) = (4.0, y + 12.0);
    for (at_, level) in Level::ALL.iter().enumerate() {
        if level.failing().is_none() && !there[at_] {
            continue;
        }
        let wide = 18.0 + letters::width(level.words(), TICK);
        if x > 4.0 && x + wide > right {
            x = 4.0;
            y += 16.0;
        }
        canvas.raw(&format!(
            "<path{} d=\"M{} {}h13v11h-13z\"/>\n",
            level.paint(&id),
            at(x),
            at(y - 9.0)
        ));
        canvas.path(
            "ev-axis",
            "",
            &format!("M{} {}h13v11h-13z", at(x), at(y - 9.0)),
        );
        canvas.text((x + 18.0, y), "ev-tick", Anchor::Start, level.words());
        x += wide + 10.0;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_are_quarters_and_all_and_none_have_their_own() {
        let shade = |passed, of| level(HeatCell::Passed { passed, of });
        assert_eq!(shade(10, 10), Some(Level::Shade(0)));
        assert_eq!(shade(9, 10), Some(Level::Shade(1)));
        assert_eq!(shade(5, 10), Some(Level::Shade(2)));
        assert_eq!(shade(3, 10), Some(Level::Shade(3)));
        assert_eq!(shade(1, 10), Some(Level::Shade(4)));
        assert_eq!(shade(0, 10), Some(Level::Shade(5)));
        assert_eq!(shade(0, 0), None);
        assert_eq!(shade(7, 3), Some(Level::Shade(0)));
        assert_eq!(level(HeatCell::None), None);
    }

    #[test]
    fn rectangles_do_not_drift() {
        let mut path = Path::default();
        for row in 0..3 {
            path.run((1.04, f64::from(row) * 2.44), 3.0, 2.44);
        }
        assert_eq!(path.d, "M1 0h2v2.4h-2zm0 2.4h2v2.5h-2zm0 2.5h2v2.4h-2z");
    }
}
