//! A measure over checkpoints: the mean line of every arm, its spread, its chains.

use super::Look;
use super::canvas::{Anchor, Canvas, TICK, at};
use super::curve::{Curve, curve, is_sparse, widest};
use super::legend;
use super::marks;
use super::plot::{self, Frame};
use super::scale;
use super::svg::Svg;
use super::words;
use crate::report::number::signed;
use crate::report::{ArmFigure, MeasureTable, StudyArm, counted};

/// Mean line and band (one population standard deviation each side) of every arm; the lines of
/// single chains, hidden until the page shows them; at each point its values. A line has a gap
/// where a checkpoint has no value, but for measures that are taken at some checkpoints only. The
/// number of chains is shown below where it is not the same everywhere.
pub fn lines(table: &MeasureTable, arms: &[StudyArm], look: &Look) -> Svg {
    let mut canvas = Canvas::new(look);
    let measure = table.measure;
    let title = words::heading(table);
    let curves: Vec<Curve> = table
        .arms
        .iter()
        .enumerate()
        .map(|(at, figure)| curve(measure, figure, arms.get(at)))
        .collect();
    let named: Vec<(&str, &ArmFigure)> = arms
        .iter()
        .map(|a| a.name.as_str())
        .zip(&table.arms)
        .collect();

    let mut y = canvas.heading(look, &title, &words::unit(measure));
    let entries: Vec<legend::Entry> = named
        .iter()
        .enumerate()
        .map(|(arm, (name, figure))| legend::Entry {
            arm,
            name: (*name).to_owned(),
            said: said(figure, curves.get(arm)),
        })
        .collect();
    y = legend::rows(&mut canvas, y, &entries);

    let extent = widest(curves.iter().filter_map(|c| c.extent(look.chains)));
    let indices = || curves.iter().flat_map(|c| c.indices.iter().copied());
    let ends = widest(indices().map(|i| (i, i)));
    let (Some(extent), Some(ends)) = (extent, ends) else {
        let y = canvas.note(y + 8.0, "No checkpoint has a value.");
        return canvas.finish(y + 8.0, &title, &words::lines(table, &named));
    };
    let (span, ticks) = scale::axis(extent.0, extent.1, 5);
    let left = (plot::widest_label(&ticks) + 10.0).clamp(24.0, 90.0);
    let wide = canvas.width() - left - 8.0;
    let frame = Frame {
        left,
        top: y + 14.0,
        right: canvas.width() - 8.0,
        bottom: y + 14.0 + (wide * 0.5).clamp(150.0, 260.0),
    };
    let scales = (frame.rightward(ends), frame.upward(span));
    plot::upright(&mut canvas, frame, scales.1, &ticks, true);
    let below = scale::checkpoints(ends.0, ends.1, plot::ticks_that_fit(frame, ends.1));
    plot::below(&mut canvas, frame, scales.0, &below);
    for (arm, curve) in curves.iter().enumerate() {
        plot::draw(&mut canvas, arm, curve, scales);
    }
    if look.chains {
        canvas.open("ev-chains");
        for (arm, curve) in curves.iter().enumerate() {
            plot::chains(&mut canvas, arm, curve, scales);
        }
        canvas.close();
    }
    let told = named.iter().zip(&curves).map(|((name, _), c)| (*name, c));
    plot::spots(&mut canvas, told, scales);

    let mut y = frame.bottom + 27.0;
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text((middle, y), "ev-tick", Anchor::Middle, "checkpoint");
    if varies(&curves) {
        y = counts(&mut canvas, y, frame, scales.0, &curves);
    }
    let spread = curves.iter().any(|c| c.spots().any(|s| s.sd.is_some()));
    let what = if spread {
        "Line: mean of the chains. Band: one standard deviation (population) each side."
    } else {
        "Line: mean of the chains; no checkpoint has two of them, so there is no band."
    };
    y = canvas.note(y + 3.0, what);
    let gaps = if is_sparse(measure) {
        Vec::new()
    } else {
        words::missing(&named)
    };
    for missing in gaps {
        y = canvas.note(y, &missing);
    }
    canvas.finish(y + 6.0, &title, &words::lines(table, &named))
}

/// What a legend says of an arm.
fn said(figure: &ArmFigure, curve: Option<&Curve>) -> String {
    let chains = match curve.and_then(Curve::counts) {
        None => return "no value".to_owned(),
        Some((low, high)) if low < high => format!("{low} to {high} chains"),
        Some((_, n)) => counted(n as u64, "chain", "chains"),
    };
    let slope = match figure.trend.slope {
        Some(slope) => format!("slope {}", signed(slope).replace('-', "−")),
        None => "no slope".to_owned(),
    };
    let verdict = figure.verdict.filter(|_| figure.trend.slope.is_some());
    let verdict = verdict.map(|v| format!(", {v}")).unwrap_or_default();
    format!("{chains}, {slope}{verdict}")
}

/// Whether some checkpoint has another number of chains than the others of its arm.
fn varies(curves: &[Curve]) -> bool {
    curves
        .iter()
        .filter_map(Curve::counts)
        .any(|(low, high)| low != high)
}

/// How many chains each mean is of: as numbers where they have room, else as bars.
fn counts(canvas: &mut Canvas, y: f64, frame: Frame, x: scale::Scale, curves: &[Curve]) -> f64 {
    let all = || curves.iter().flat_map(|c| c.indices.iter().copied());
    let most = curves.iter().filter_map(|c| c.counts().map(|c| c.1)).max();
    let most = most.unwrap_or(1).max(1);
    let ends = widest(all().map(|i| (i, i))).unwrap_or((0.0, 0.0));
    let step = (x.at(ends.1) - x.at(ends.0)) / (ends.1 - ends.0).max(1.0);
    let digits = super::letters::width(&most.to_string(), TICK);
    let as_numbers = step >= digits + 3.0;
    let mut y = canvas.note(y + 2.0, "Chains behind each mean:");
    for (arm, curve) in curves.iter().enumerate() {
        let colour = marks::colour(arm);
        y += 15.0;
        let place = (frame.left - 12.0, y - 4.0);
        let class = format!("ev-mark ev-f{colour}");
        canvas.path(&class, "", &marks::mark(arm, place, 3.2));
        if as_numbers {
            for spot in curve.spots() {
                let place = (x.at(spot.index), y);
                canvas.text(place, "ev-tick", Anchor::Middle, &spot.chains.to_string());
            }
            continue;
        }
        let half = (step / 2.0).max(0.4);
        let bar = |n: usize| 11.0 * n as f64 / most as f64;
        let mut d = String::new();
        for run in &curve.runs {
            let mut rest = &run[..];
            while let Some(first) = rest.first() {
                let same = rest.iter().take_while(|s| s.chains == first.chains).count();
                let (now, after) = rest.split_at(same);
                let last = now.last().unwrap_or(first);
                d.push_str(&format!(
                    "M{} {}V{}H{}V{}Z",
                    at(x.at(first.index) - half),
                    at(y),
                    at(y - bar(first.chains)),
                    at(x.at(last.index) + half),
                    at(y)
                ));
                rest = after;
            }
        }
        canvas.path(&format!("ev-f{colour}"), " fill-opacity=\".55\"", &d);
    }
    y
}
