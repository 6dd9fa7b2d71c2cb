//! Curves in a frame: axes, bands, lines, marks, and what is told where one points.

use std::collections::BTreeMap;

use super::canvas::{Anchor, Canvas, TICK, at, polyline};
use super::curve::{Curve, Spot};
use super::letters;
use super::marks;
use super::scale::{Scale, Ticks};
use crate::report::number::short;

/// The frame of a plot on paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// Places of values from low to high, upwards.
    pub(super) fn upward(&self, ends: (f64, f64)) -> Scale {
        Scale::new(ends, (self.bottom, self.top))
    }

    /// Places of values from low to high, to the right, with room at both sides.
    pub(super) fn rightward(&self, ends: (f64, f64)) -> Scale {
        let room = ((self.right - self.left) * 0.03).min(9.0);
        Scale::new(ends, (self.left + room, self.right - room))
    }
}

/// Width of the widest label.
pub(super) fn widest_label(ticks: &Ticks) -> f64 {
    let widths = ticks.labels.iter().map(|l| letters::width(l, TICK));
    widths.fold(0.0, f64::max)
}

/// Lines across the frame at the ticks of the upright axis, their numbers left of it if
/// `labelled`, a strong line at zero where values lie on both sides of it.
pub(super) fn upright(canvas: &mut Canvas, frame: Frame, y: Scale, ticks: &Ticks, labelled: bool) {
    let mut grid = String::new();
    for value in &ticks.values {
        let (x, y) = (at(frame.left), at(y.at(*value)));
        grid.push_str(&format!("M{x} {y}H{}", at(frame.right)));
    }
    canvas.path("ev-grid", "", &grid);
    let ends = (ticks.values.first(), ticks.values.last());
    if let (Some(first), Some(last)) = ends
        && *first < 0.0
        && *last > 0.0
    {
        let zero = at(y.at(0.0));
        let d = format!("M{} {zero}H{}", at(frame.left), at(frame.right));
        canvas.path("ev-zero", "", &d);
    }
    if labelled {
        for (value, label) in ticks.values.iter().zip(&ticks.labels) {
            let place = (frame.left - 5.0, y.at(*value) + 3.5);
            canvas.text(place, "ev-tick", Anchor::End, label);
        }
    }
}

/// The axis below the frame; numbers that would touch the one before are left out.
pub(super) fn below(canvas: &mut Canvas, frame: Frame, x: Scale, ticks: &Ticks) {
    let mut d = format!(
        "M{} {}H{}",
        at(frame.left),
        at(frame.bottom),
        at(frame.right)
    );
    for value in &ticks.values {
        d.push_str(&format!("M{} {}v4", at(x.at(*value)), at(frame.bottom)));
    }
    canvas.path("ev-axis", "", &d);
    let mut free = f64::NEG_INFINITY;
    for (value, label) in ticks.values.iter().zip(&ticks.labels) {
        let half = letters::width(label, TICK) / 2.0;
        let middle = x.at(*value);
        if middle - half >= free {
            free = middle + half + 4.0;
            let place = (middle, frame.bottom + 14.0);
            canvas.text(place, "ev-tick", Anchor::Middle, label);
        }
    }
}

/// How many ticks of checkpoints from low to high fit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a width of paper over that of a number"
)]
pub(super) fn ticks_that_fit(frame: Frame, high: f64) -> usize {
    let label = letters::width(&short(high), TICK) + 10.0;
    (((frame.right - frame.left) / label.max(18.0)) as usize).max(1)
}

/// Everything of one arm but what is told.
pub(super) fn draw(canvas: &mut Canvas, arm: usize, curve: &Curve, (x, y): (Scale, Scale)) {
    let colour = marks::colour(arm);
    let dashes = marks::dashes(arm);
    // Where checkpoints lie close, edges and a thick line would be one blot.
    let close = curve.runs.iter().any(|run| {
        run.windows(2)
            .any(|w| x.at(w[1].index) - x.at(w[0].index) < 2.5)
    });
    let (mut line, mut edges) = (String::new(), String::new());
    let mut band = String::new();
    for run in &curve.runs {
        for spread in spreads(run) {
            let side = |sign: f64| -> Vec<(f64, f64)> {
                let point = |(s, sd): &(Spot, f64)| (x.at(s.index), y.at(s.mean + sign * sd));
                spread.iter().map(point).collect()
            };
            let (upper, lower) = (side(1.0), side(-1.0));
            if let ([top], [bottom]) = (&upper[..], &lower[..]) {
                // A band of one checkpoint is a bar.
                let (left, high, low) = (at(top.0 - 1.5), at(top.1), at(bottom.1));
                band.push_str(&format!("M{left} {high}h3V{low}h-3Z"));
                continue;
            }
            if !close {
                edges.push_str(&polyline(&upper));
                edges.push_str(&polyline(&lower));
            }
            let around: Vec<_> = upper.into_iter().chain(lower.into_iter().rev()).collect();
            band.push_str(&polyline(&around));
            band.push('Z');
        }
        if run.len() > 1 {
            let points: Vec<_> = run.iter().map(|s| (x.at(s.index), y.at(s.mean))).collect();
            line.push_str(&polyline(&points));
        }
    }
    canvas.path(&format!("ev-band ev-f{colour}"), "", &band);
    canvas.path(&format!("ev-edge ev-s{colour}"), &dashes, &edges);
    let class = if close { "ev-fine" } else { "ev-line" };
    canvas.path(&format!("{class} ev-s{colour}"), &dashes, &line);
    canvas.path(
        &format!("ev-mark ev-f{colour}"),
        "",
        &arm_marks(arm, curve, (x, y)),
    );
}

/// The parts of a run that have a spread.
fn spreads(run: &[Spot]) -> Vec<Vec<(Spot, f64)>> {
    let mut out: Vec<Vec<(Spot, f64)>> = Vec::new();
    let mut open = false;
    for spot in run {
        match (spot.sd, out.last_mut()) {
            (Some(sd), Some(last)) if open => last.push((*spot, sd)),
            (Some(sd), _) => out.push(vec![(*spot, sd)]),
            (None, _) => {}
        }
        open = spot.sd.is_some();
    }
    out
}

/// Marks at the points of an arm: at all where they have room, else at some, those of several
/// arms not at the same; always at a point that stands alone.
fn arm_marks(arm: usize, curve: &Curve, (x, y): (Scale, Scale)) -> String {
    const APART: f64 = 14.0;
    let mut out = String::new();
    for run in &curve.runs {
        let mut last: Option<f64> = None;
        let first = run.first().map_or(0.0, |s| x.at(s.index));
        for spot in run {
            let place = (x.at(spot.index), y.at(spot.mean));
            // The first mark of each arm stands a little later than that of the arm before.
            let from = last.map_or(first + (arm % 4) as f64 * APART / 4.0 - 0.01, |l| l + APART);
            if run.len() == 1 || place.0 >= from || dense(run, x) {
                out.push_str(&marks::mark(arm, place, 3.2));
                last = Some(place.0);
            }
        }
    }
    out
}

/// Whether every point of a run has room for its mark.
fn dense(run: &[Spot], x: Scale) -> bool {
    run.windows(2)
        .all(|w| x.at(w[1].index) - x.at(w[0].index) >= 9.0)
}

/// The lines of single chains, each of which tells its name.
pub(super) fn chains(canvas: &mut Canvas, arm: usize, curve: &Curve, (x, y): (Scale, Scale)) {
    let class = format!("ev-chain ev-s{}", marks::colour(arm));
    let dashes = marks::dashes(arm);
    for chain in &curve.chains {
        let mut d = String::new();
        for run in &chain.runs {
            let mut points: Vec<_> = run.iter().map(|p| (x.at(p.0), y.at(p.1))).collect();
            if let [(px, py)] = points[..] {
                points = vec![(px - 2.0, py), (px + 2.0, py)];
            }
            d.push_str(&polyline(&points));
        }
        canvas.titled_path(&class, &dashes, &d, &chain.name);
    }
}

/// What the points of curves tell, those of several arms in one place together.
pub(super) fn spots<'a>(
    canvas: &mut Canvas,
    curves: impl Iterator<Item = (&'a str, &'a Curve)>,
    (x, y): (Scale, Scale),
) {
    let mut told: Vec<((f64, f64), String)> = Vec::new();
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (name, curve) in curves {
        for spot in curve.spots() {
            let place = (x.at(spot.index), y.at(spot.mean));
            let text = telling(name, spot);
            match seen.get(&(at(place.0), at(place.1))) {
                Some(&before) => {
                    told[before].1.push_str("; ");
                    told[before].1.push_str(&text);
                }
                None => {
                    seen.insert((at(place.0), at(place.1)), told.len());
                    told.push((place, text));
                }
            }
        }
    }
    canvas.open("ev-hit");
    for (place, text) in told {
        canvas.spot(place, &text);
    }
    canvas.close();
}

/// `layered @12: 4.310, sd 1.204, 9 chains`.
fn telling(name: &str, spot: &Spot) -> String {
    let sd = spot.sd.map(|sd| format!(", sd {}", short(sd)));
    format!(
        "{name} @{}: {}{}, {}",
        short(spot.index),
        short(spot.mean),
        sd.unwrap_or_default(),
        crate::report::counted(spot.chains as u64, "chain", "chains"),
    )
}
