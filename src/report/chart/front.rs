//! Cost against quality.

use super::Look;
use super::canvas::{Anchor, Canvas, TEXT, at};
use super::curve::widest;
use super::letters;
use super::marks;
use super::plot::{self, Frame};
use super::scale::{self, Scale};
use super::svg::Svg;
use crate::measure::Value;
use crate::report::number::short;
use crate::report::{FrontArm, Quality, StudyArm, counted};
use crate::stats::Place;

const TITLE: &str = "Cost and success";

/// An arm that has a place.
struct Point<'a> {
    arm: &'a FrontArm,
    name: &'a str,
    cost: f64,
    success: f64,
    on_front: bool,
    /// How far the rings of other arms in the same place reach beyond a mark.
    around: f64,
}

/// Arms in cost (less is better) and success (more is better), and a line through those that none
/// beats in both, stepped: between two arms nothing was tried. Arms without a place are named
/// below, with why.
pub fn front(quality: &Quality, arms: &[StudyArm], look: &Look) -> Svg {
    let mut canvas = Canvas::new(look);
    let name = |at: usize| arms.get(at).map_or("?", |a| a.name.as_str());
    let desc = described(quality, &name);
    let finite = |v: &Value| v.number().filter(|n| n.is_finite());
    let mut points: Vec<Point<'_>> = quality
        .front
        .iter()
        .filter_map(|arm| {
            Some(Point {
                arm,
                name: name(arm.arm),
                cost: finite(&arm.cost)?,
                success: finite(&arm.success)?,
                on_front: matches!(arm.place, Place::OnFront | Place::Tied),
                around: 0.0,
            })
        })
        .collect();
    let rings: Vec<f64> = points
        .iter()
        .map(|p| {
            let same = |q: &&Point<'_>| q.cost == p.cost && q.success == p.success;
            3.0 * (points.iter().filter(same).count() as f64 - 1.0)
        })
        .collect();
    for (point, rings) in points.iter_mut().zip(rings) {
        point.around = rings;
    }
    let y = canvas.heading(look, TITLE, "up and left is better");
    let cost = widest(points.iter().map(|p| (p.cost, p.cost)));
    let success = widest(points.iter().map(|p| (p.success, p.success)));
    let (Some(cost), Some(success)) = (cost, success) else {
        let y = canvas.note(
            y + 4.0,
            "No arm has both a known cost and a known pass rate.",
        );
        let y = unplaced(&mut canvas, y, quality, &name);
        return canvas.finish(y + 8.0, TITLE, &desc);
    };
    let (cost_span, cost_ticks) = scale::axis(cost.0, cost.1, 5);
    let (success_span, success_ticks) = scale::axis(success.0, success.1, 5);
    let left = (plot::widest_label(&success_ticks) + 10.0).clamp(24.0, 90.0);
    let y = canvas.note(y, "pass_at_1, mean over tasks");
    let frame = Frame {
        left,
        top: y + 12.0,
        right: canvas.width() - 12.0,
        bottom: y + 12.0 + ((canvas.width() - left) * 0.6).clamp(170.0, 320.0),
    };
    let scales = (
        Scale::new(cost_span, (frame.left + 6.0, frame.right - 6.0)),
        Scale::new(success_span, (frame.bottom - 6.0, frame.top + 6.0)),
    );
    plot::upright(&mut canvas, frame, scales.1, &success_ticks, true);
    plot::below(&mut canvas, frame, scales.0, &cost_ticks);
    let middle = (frame.left + frame.right) / 2.0;
    let place = (middle, frame.bottom + 27.0);
    canvas.text(
        place,
        "ev-tick",
        Anchor::Middle,
        "mean cost of a chain, USD",
    );
    let steps = stairs(&points, scales, frame);
    canvas.path("ev-zero", " stroke-dasharray=\"4 3\"", &drawn(&steps));
    let mut taken: Vec<Room> = points
        .iter()
        .map(|p| Room::around((scales.0.at(p.cost), scales.1.at(p.success)), 6.0))
        .collect();
    taken.extend(steps.windows(2).map(|w| Room::between(w[0], w[1])));
    for point in &points {
        let place = (scales.0.at(point.cost), scales.1.at(point.success));
        label(&mut canvas, point, place, frame, &mut taken);
    }
    for (before, point) in points.iter().enumerate() {
        let place = (scales.0.at(point.cost), scales.1.at(point.success));
        // Arms in one place: rings around the mark of the first.
        let same = |p: &&Point<'_>| p.cost == point.cost && p.success == point.success;
        let ring = points[..before].iter().filter(same).count();
        let colour = marks::colour(point.arm.arm);
        let class = if ring > 0 {
            format!("ev-ring ev-s{colour}")
        } else if point.on_front {
            format!("ev-mark ev-f{colour}")
        } else {
            // Hollow: beaten.
            format!("ev-hollow ev-s{colour}")
        };
        let shape = marks::mark(point.arm.arm, place, 5.0 + 3.0 * ring as f64);
        canvas.titled_path(&class, "", &shape, &sentence(point.arm, &name));
    }
    let note = "Dashed: the front. Filled: no other arm passes as often for less. Hollow: another \
                arm is at least as good in both, and better in one.";
    let y = canvas.note(frame.bottom + 31.0, note);
    let y = unplaced(&mut canvas, y, quality, &name);
    canvas.finish(y + 6.0, TITLE, &desc)
}

/// The corners of the front as stairs: to the right of an arm nothing better is known until the
/// next.
fn stairs(points: &[Point<'_>], (x, y): (Scale, Scale), frame: Frame) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = points
        .iter()
        .filter(|p| p.on_front)
        .map(|p| (x.at(p.cost), y.at(p.success)))
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut out = Vec::new();
    let mut level = frame.bottom;
    for (px, py) in steps {
        out.push((px, level));
        out.push((px, py));
        level = py;
    }
    if !out.is_empty() {
        out.push((frame.right, level));
    }
    out
}

fn drawn(corners: &[(f64, f64)]) -> String {
    let place = |(i, (x, y)): (usize, &(f64, f64))| {
        let letter = if i == 0 { 'M' } else { 'L' };
        format!("{letter}{} {}", at(*x), at(*y))
    };
    corners.iter().enumerate().map(place).collect()
}

/// A rectangle of paper.
#[derive(Debug, Clone, Copy)]
struct Room {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Room {
    fn around((x, y): (f64, f64), r: f64) -> Room {
        Room {
            left: x - r,
            top: y - r,
            right: x + r,
            bottom: y + r,
        }
    }

    /// What a level or upright line covers.
    fn between(a: (f64, f64), b: (f64, f64)) -> Room {
        Room {
            left: a.0.min(b.0) - 1.0,
            top: a.1.min(b.1) - 1.0,
            right: a.0.max(b.0) + 1.0,
            bottom: a.1.max(b.1) + 1.0,
        }
    }

    /// Area that both cover.
    fn shared(self, other: Room) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }
}

/// Writes the name of an arm where it covers least: beside its mark, or farther off with a line to
/// it.
fn label(
    canvas: &mut Canvas,
    point: &Point<'_>,
    (x, y): (f64, f64),
    frame: Frame,
    taken: &mut Vec<Room>,
) {
    let room = (frame.right - frame.left) * 0.6;
    // Names on the front are set strong.
    let size = if point.on_front {
        TEXT * letters::STRONG
    } else {
        TEXT
    };
    let name = letters::cut(point.name, size, room);
    let wide = letters::width(&name, size);
    let mut best: Option<(f64, Room, bool, Anchor)> = None;
    for (ring, far) in [9.0, 18.0, 32.0, 48.0, 66.0].into_iter().enumerate() {
        let far = far + point.around;
        // Right, left, above, below, and the corners between.
        for (sx, sy) in [
            (1.0, 0.0),
            (-1.0, 0.0),
            (0.0, -1.0),
            (0.0, 1.0),
            (0.8, -0.8),
            (0.8, 0.8),
            (-0.8, -0.8),
            (-0.8, 0.8),
        ] {
            let (anchor, left) = if sx > 0.0 {
                (Anchor::Start, x + sx * far)
            } else if sx < 0.0 {
                (Anchor::End, x + sx * far - wide)
            } else {
                (Anchor::Middle, x - wide / 2.0)
            };
            let middle: f64 = y + sy * (far + 4.0);
            let here = Room {
                left,
                top: middle - 7.0,
                right: left + wide,
                bottom: middle + 7.0,
            };
            let outside = (frame.left - here.left).max(0.0)
                + (here.right - frame.right - 8.0).max(0.0)
                + (frame.top - 4.0 - here.top).max(0.0)
                + (here.bottom - frame.bottom).max(0.0);
            let covered: f64 = taken.iter().map(|t| here.shared(*t)).sum();
            let cost = outside * 40.0 + covered * 10.0 + ring as f64;
            if best.as_ref().is_none_or(|b| cost < b.0 - 1e-6) {
                best = Some((cost, here, ring > 0, anchor));
            }
        }
    }
    let Some((_, here, led, anchor)) = best else {
        return;
    };
    let middle = (here.top + here.bottom) / 2.0;
    if led {
        let near = x.clamp(here.left, here.right);
        let edge = middle.clamp(y.min(here.bottom), y.max(here.top));
        let d = format!("M{} {}L{} {}", at(x), at(y), at(near), at(edge));
        canvas.path("ev-axis", "", &d);
    }
    let class = if point.on_front {
        "ev-strong"
    } else {
        "ev-soft"
    };
    let start = match anchor {
        Anchor::Start => here.left,
        Anchor::Middle => x,
        Anchor::End => here.right,
    };
    let place = (start, middle + 4.0);
    canvas.text_in(room, TEXT, place, class, anchor, point.name);
    taken.push(here);
}

/// Names of arms without a place, and why.
fn unplaced<'a>(
    canvas: &mut Canvas,
    y: f64,
    quality: &Quality,
    name: &impl Fn(usize) -> &'a str,
) -> f64 {
    let mut y = y;
    for arm in &quality.front {
        if let Some(why) = why_not(arm) {
            y = canvas.note(y, &format!("Not placed: {}: {why}.", name(arm.arm)));
        }
    }
    y
}

/// Why an arm has no place; `None` where it has.
fn why_not(arm: &FrontArm) -> Option<String> {
    let why = |what: &str, value: &Value| match value {
        Value::Known(k) if k.value.is_finite() => None,
        Value::Known(_) | Value::Word(_) => Some(format!("{what} is no number")),
        Value::Undefined(why) => Some(format!("{what} undefined ({why})")),
        Value::Unknown(why) => Some(format!("{what} unknown ({why})")),
    };
    let parts: Vec<String> = [why("cost", &arm.cost), why("pass_at_1", &arm.success)]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn sentence<'a>(arm: &FrontArm, name: &impl Fn(usize) -> &'a str) -> String {
    if let Some(why) = why_not(arm) {
        return format!("{}: {why}", name(arm.arm));
    }
    let number = |v: &Value| v.number().map(short).unwrap_or_default();
    let place = match arm.place {
        Place::OnFront => "on the front".to_owned(),
        Place::Tied => "on the front, tied".to_owned(),
        Place::Dominated => {
            let by: Vec<&str> = arm.dominated_by.iter().map(|a| name(*a)).collect();
            format!("dominated by {}", by.join(", "))
        }
        Place::Unknown => "no place".to_owned(),
    };
    let (cost, success) = arm.counted;
    let over = if cost == arm.chains && success == arm.chains {
        String::new()
    } else {
        let chains = counted(arm.chains as u64, "chain", "chains");
        format!(", cost known of {cost} and success of {success} of {chains}")
    };
    format!(
        "{}: {} USD, pass_at_1 {}, {place}{over}",
        name(arm.arm),
        number(&arm.cost),
        number(&arm.success)
    )
}

fn described<'a>(quality: &Quality, name: &impl Fn(usize) -> &'a str) -> String {
    let mut out = format!(
        "Mean cost of a chain in USD against pass_at_1 of {}; less cost and more success are \
         better.",
        counted(quality.front.len() as u64, "arm", "arms")
    );
    for arm in &quality.front {
        out.push_str(&format!(" {}.", sentence(arm, name)));
    }
    out
}
