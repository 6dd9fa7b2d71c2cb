//! Where a figure is drawn on: elements with short, stable coordinates.

use std::fmt::Write;

use super::letters;
use super::look::Look;
use super::svg::{Svg, escaped};

/// Height of common text, of a heading, and of ticks.
pub(super) const TEXT: f64 = 11.0;
pub(super) const HEAD: f64 = 13.0;
pub(super) const TICK: f64 = 10.0;

/// A figure being drawn.
pub(super) struct Canvas {
    id: String,
    width: f64,
    body: String,
}

/// How text stands to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn class(self) -> &'static str {
        match self {
            Anchor::Start => "",
            Anchor::Middle => "ev-mid",
            Anchor::End => "ev-end",
        }
    }
}

/// A coordinate: at most one decimal, no sign in front of zero.
pub(super) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// `M x y` and lines from there through the other points, each relative to the one before.
pub(super) fn polyline(points: &[(f64, f64)]) -> String {
    // Tenths, so that rounding does not add up along the line.
    let tenths = |v: f64| (v * 10.0).round();
    let mut out = String::new();
    let mut last = (0.0, 0.0);
    for (i, &(x, y)) in points.iter().enumerate() {
        let here = (tenths(x), tenths(y));
        if i == 0 {
            let _ = write!(out, "M{} {}", at(here.0 / 10.0), at(here.1 / 10.0));
        } else {
            let (dx, dy) = (at((here.0 - last.0) / 10.0), at((here.1 - last.1) / 10.0));
            let sep = if dy.starts_with('-') { "" } else { " " };
            let _ = write!(out, "l{dx}{sep}{dy}");
        }
        last = here;
    }
    out
}

impl Canvas {
    pub(super) fn new(look: &Look) -> Canvas {
        Canvas {
            id: look.own_id(),
            width: look.span(),
            body: String::new(),
        }
    }

    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// An id of the figure's own.
    pub(super) fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.id)
    }

    /// Text that stands on the line `y`.
    pub(super) fn text(&mut self, (x, y): (f64, f64), class: &str, anchor: Anchor, text: &str) {
        self.titled_text((x, y), class, anchor, text, None);
    }

    /// Text of `size` in at most `room`: cut where it is longer, with all of it in a `<title>`.
    pub(super) fn text_in(
        &mut self,
        room: f64,
        size: f64,
        place: (f64, f64),
        class: &str,
        anchor: Anchor,
        text: &str,
    ) {
        let size = match class {
            "ev-strong" | "ev-head" => size * letters::STRONG,
            _ => size,
        };
        let cut = letters::cut(text, size, room);
        let whole = (cut != text).then_some(text);
        self.titled_text(place, class, anchor, &cut, whole);
    }

    /// The same, cut at its beginning.
    pub(super) fn name_in(&mut self, room: f64, place: (f64, f64), text: &str) {
        let cut = letters::cut_front(text, TICK, room);
        let whole = (cut != text).then_some(text);
        self.titled_text(place, "ev-tick", Anchor::End, &cut, whole);
    }

    fn titled_text(
        &mut self,
        (x, y): (f64, f64),
        class: &str,
        anchor: Anchor,
        text: &str,
        title: Option<&str>,
    ) {
        let classes = [class, anchor.class()];
        let classes: Vec<&str> = classes.into_iter().filter(|c| !c.is_empty()).collect();
        let _ = write!(self.body, "<text x=\"{}\" y=\"{}\"", at(x), at(y));
        if !classes.is_empty() {
            let _ = write!(self.body, " class=\"{}\"", classes.join(" "));
        }
        self.body.push('>');
        if let Some(title) = title {
            let _ = write!(self.body, "<title>{}</title>", escaped(title));
        }
        let _ = writeln!(self.body, "{}</text>", escaped(text));
    }

    /// A path of a class; `more` is further attributes, with a blank in front.
    pub(super) fn path(&mut self, class: &str, more: &str, d: &str) {
        if !d.is_empty() {
            let _ = writeln!(self.body, "<path class=\"{class}\"{more} d=\"{d}\"/>");
        }
    }

    /// The same with a `<title>`.
    pub(super) fn titled_path(&mut self, class: &str, more: &str, d: &str, title: &str) {
        if !d.is_empty() {
            let _ = writeln!(
                self.body,
                "<path class=\"{class}\"{more} d=\"{d}\"><title>{}</title></path>",
                escaped(title)
            );
        }
    }

    /// What tells its `title` when it is pointed at: a transparent disc.
    pub(super) fn spot(&mut self, (x, y): (f64, f64), title: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{}\" cy=\"{}\" r=\"5\"><title>{}</title></circle>",
            at(x),
            at(y),
            escaped(title)
        );
    }

    /// Opens a group of a class.
    pub(super) fn open(&mut self, class: &str) {
        let _ = writeln!(self.body, "<g class=\"{class}\">");
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Elements as they are.
    pub(super) fn raw(&mut self, elements: &str) {
        self.body.push_str(elements);
    }

    /// What was drawn so far.
    pub(super) fn body(self) -> String {
        self.body
    }

    /// The heading in as many lines as it takes, if `look` wants one, and `below` in small text;
    /// gives back where drawing goes on.
    pub(super) fn heading(&mut self, look: &Look, title: &str, below: &str) -> f64 {
        let mut y = 4.0;
        if look.heading {
            for line in letters::lines(title, HEAD * letters::STRONG, self.width - 8.0) {
                y += 15.0;
                let room = self.width - 8.0;
                self.text_in(room, HEAD, (4.0, y), "ev-head", Anchor::Start, &line);
            }
        }
        for line in letters::lines(below, TEXT, self.width - 8.0) {
            y += 15.0;
            self.text_in(
                self.width - 8.0,
                TEXT,
                (4.0, y),
                "ev-soft",
                Anchor::Start,
                &line,
            );
        }
        y + 6.0
    }

    /// Small text from `y` downwards, in as many lines as it takes; gives back where it ends.
    pub(super) fn note(&mut self, y: f64, text: &str) -> f64 {
        let mut y = y;
        for line in letters::lines(text, TICK, self.width - 8.0) {
            y += 13.0;
            self.text_in(
                self.width - 8.0,
                TICK,
                (4.0, y),
                "ev-tick",
                Anchor::Start,
                &line,
            );
        }
        y
    }

    /// The figure, `height` high.
    pub(super) fn finish(self, height: f64, title: &str, desc: &str) -> Svg {
        Svg {
            id: self.id,
            title: title.to_owned(),
            desc: desc.to_owned(),
            width: at(self.width),
            height: at(height.ceil()),
            body: self.body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!(at(1.0), "1");
        assert_eq!(at(-0.04), "0");
        assert_eq!(at(0.25 + 0.1), "0.3");
        assert_eq!(at(-1.55), "-1.6");
    }

    #[test]
    fn rounding_does_not_add_up_along_a_line() {
        let points: Vec<_> = (0..4).map(|i| (f64::from(i) * 0.34, 0.0)).collect();
        assert_eq!(polyline(&points), "M0 0l0.3 0l0.4 0l0.3 0");
        assert_eq!(polyline(&[(1.0, 2.0), (3.0, 1.0)]), "M1 2l2-1");
    }
}
