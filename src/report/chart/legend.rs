//! Which line is whose.

use super::canvas::{Anchor, Canvas, TEXT, at};
use super::letters;
use super::marks;

/// One arm in a legend.
pub(super) struct Entry {
    /// Its place, for its colour.
    pub(super) arm: usize,
    /// Its name.
    pub(super) name: String,
    /// What is said of it beside the name; may be empty.
    pub(super) said: String,
}

/// A line an arm: its sample, its name, and at the other side what is said of it, on a line of
/// its own where it has no room. Gives back where drawing goes on.
pub(super) fn rows(canvas: &mut Canvas, y: f64, entries: &[Entry]) -> f64 {
    let right = canvas.width() - 4.0;
    let mut y = y;
    for entry in entries {
        y += 15.0;
        sample(canvas, entry.arm, (4.0, y - 4.0));
        let name = letters::width(&entry.name, TEXT * letters::STRONG);
        let said = letters::width(&entry.said, TEXT);
        let start = 38.0;
        let beside = start + name + 12.0 + said <= right;
        let room = right - start;
        let class = "ev-strong";
        canvas.text_in(room, TEXT, (start, y), class, Anchor::Start, &entry.name);
        if !entry.said.is_empty() && beside {
            canvas.text((right, y), "ev-soft", Anchor::End, &entry.said);
        } else if !entry.said.is_empty() {
            for line in letters::lines(&entry.said, TEXT, room) {
                y += 14.0;
                canvas.text_in(room, TEXT, (start, y), "ev-soft", Anchor::Start, &line);
            }
        }
    }
    y
}

/// Names alone, as many beside each other as fit.
pub(super) fn flow(canvas: &mut Canvas, y: f64, names: &[(usize, &str)]) -> f64 {
    let right = canvas.width() - 4.0;
    let (mut x, mut y) = (4.0, y + 15.0);
    for &(arm, name) in names {
        let wide = 34.0 + letters::width(name, TEXT * letters::STRONG).min(right - 38.0) + 14.0;
        if x > 4.0 && x + wide - 14.0 > right {
            x = 4.0;
            y += 15.0;
        }
        sample(canvas, arm, (x, y - 4.0));
        let room = right - x - 34.0;
        canvas.text_in(room, TEXT, (x + 34.0, y), "ev-strong", Anchor::Start, name);
        x += wide;
    }
    y
}

/// A piece of the arm's line with its mark.
pub(super) fn sample(canvas: &mut Canvas, arm: usize, (x, y): (f64, f64)) {
    let colour = marks::colour(arm);
    canvas.path(
        &format!("ev-line ev-s{colour}"),
        &marks::dashes(arm),
        &format!("M{} {}h28", at(x), at(y)),
    );
    canvas.path(
        &format!("ev-mark ev-f{colour}"),
        "",
        &marks::mark(arm, (x + 14.0, y), 3.6),
    );
}
