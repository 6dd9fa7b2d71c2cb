//! One measure in many small figures of one scale.

use super::Look;
use super::canvas::{Anchor, Canvas, TEXT};
use super::curve::{Curve, curve, widest};
use super::legend;
use super::plot::{self, Frame};
use super::scale;
use super::svg::Svg;
use super::words;
use crate::measure::catalogue::Measure;
use crate::report::{ArmFigure, StudyArm, counted};

/// One of several small figures, such as a task.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Its name.
    pub name: String,
    /// One an arm, in the study's order; `None` where the arm has no chain of it.
    pub arms: Vec<Option<ArmFigure>>,
}

/// Space between panels, and the least width of one.
const BETWEEN: f64 = 12.0;
const NARROWEST: f64 = 130.0;

/// Small figures beside and below each other, all with the same axes, so that they can be
/// compared: mean lines and bands, no lines of single chains.
pub fn multiples(measure: &Measure, panels: &[Panel], arms: &[StudyArm], look: &Look) -> Svg {
    let mut canvas = Canvas::new(look);
    let title = words::title(measure);
    let desc = described(measure, panels, arms);
    let y = canvas.heading(look, &title, &words::unit(measure));
    let names: Vec<(usize, &str)> = arms.iter().map(|a| a.name.as_str()).enumerate().collect();
    let y = legend::flow(&mut canvas, y, &names);
    let drawn: Vec<Vec<(usize, Curve)>> = panels
        .iter()
        .map(|panel| {
            let figures = panel.arms.iter().enumerate();
            figures
                .filter_map(|(at, f)| Some((at, curve(measure, f.as_ref()?, arms.get(at)))))
                .collect()
        })
        .collect();
    let all = || drawn.iter().flatten().map(|(_, c)| c);
    let extent = widest(all().filter_map(|c| c.extent(false)));
    let ends = widest(all().flat_map(|c| c.indices.iter().map(|i| (*i, *i))));
    let (Some(extent), Some(ends)) = (extent, ends) else {
        let y = canvas.note(y + 8.0, "No checkpoint has a value.");
        return canvas.finish(y + 8.0, &title, &desc);
    };
    let (span, ticks) = scale::axis(extent.0, extent.1, 3);
    let left = (plot::widest_label(&ticks) + 10.0).clamp(24.0, 90.0);
    let columns = columns(canvas.width() - left - 8.0, panels.len());
    let wide = (canvas.width() - left - 8.0 - BETWEEN * (columns as f64 - 1.0)) / columns as f64;
    let high = (wide * 0.55).clamp(70.0, 140.0);
    let mut bottom = y;
    for (place, (panel, curves)) in panels.iter().zip(&drawn).enumerate() {
        let (row, column) = ((place / columns) as f64, (place % columns) as f64);
        let frame = Frame {
            left: left + column * (wide + BETWEEN),
            top: y + 32.0 + row * (high + 44.0),
            right: left + column * (wide + BETWEEN) + wide,
            bottom: y + 32.0 + row * (high + 44.0) + high,
        };
        let title = (frame.left, frame.top - 7.0);
        canvas.text_in(wide, TEXT, title, "ev-strong", Anchor::Start, &panel.name);
        let scales = (frame.rightward(ends), frame.upward(span));
        plot::upright(&mut canvas, frame, scales.1, &ticks, place % columns == 0);
        let below = scale::checkpoints(ends.0, ends.1, plot::ticks_that_fit(frame, ends.1).min(6));
        plot::below(&mut canvas, frame, scales.0, &below);
        for (arm, curve) in curves {
            plot::draw(&mut canvas, *arm, curve, scales);
        }
        let name = |at: usize| arms.get(at).map_or("?", |a| a.name.as_str());
        let told = curves.iter().map(|(at, c)| (name(*at), c));
        plot::spots(&mut canvas, told, scales);
        if curves.iter().all(|(_, c)| c.runs.is_empty()) {
            let middle = (
                (frame.left + frame.right) / 2.0,
                (frame.top + frame.bottom) / 2.0,
            );
            canvas.text(middle, "ev-tick", Anchor::Middle, "no value");
        }
        bottom = frame.bottom;
    }
    let middle = (left + canvas.width() - 8.0) / 2.0;
    canvas.text(
        (middle, bottom + 27.0),
        "ev-tick",
        Anchor::Middle,
        "checkpoint",
    );
    let note = "Line: mean of the chains. Band: one standard deviation (population) each side. \
                All panels have the same axes.";
    let y = canvas.note(bottom + 30.0, note);
    canvas.finish(y + 6.0, &title, &desc)
}

/// How many panels stand beside each other.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a width of paper over that of a panel"
)]
fn columns(room: f64, panels: usize) -> usize {
    let fit = ((room + BETWEEN) / (NARROWEST + BETWEEN)) as usize;
    fit.clamp(1, panels.max(1))
}

fn described(measure: &Measure, panels: &[Panel], arms: &[StudyArm]) -> String {
    let mut out = format!(
        "{} by checkpoint, in {}: {} with the same axes.",
        words::title(measure),
        words::unit(measure),
        counted(panels.len() as u64, "panel", "panels")
    );
    for panel in panels {
        out.push_str(&format!(" {}:", panel.name));
        for (arm, figure) in arms.iter().zip(&panel.arms) {
            out.push(' ');
            match figure {
                Some(figure) => out.push_str(&words::arm(&arm.name, figure)),
                None => out.push_str(&format!("{}: no chain.", arm.name)),
            }
        }
    }
    out
}
