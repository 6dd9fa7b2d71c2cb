//! JaCoCo's XML.
//!
//! Lines stand in `sourcefile`, whose path is that of its package and its name; `class` has counters
//! only. A line's instructions and branches are counted as missed and covered; one is covered
//! where an instruction is, partly where some instruction or branch is not.

use super::Unreadable;
use super::draft::Draft;
use super::file::line_number;
use crate::intake::xml::{Element, Event, Xml};
use crate::record::{LineSet, Source};

/// Lines whose state is collected before it is joined with what is known.
const PENDING: usize = 1 << 16;

/// Reads a whole report.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unreadable> {
    let mut xml = Xml::new(source)?;
    let mut at = At::default();
    let mut header = None;
    loop {
        match xml.next()? {
            Event::Open(element) => match (element.name(), at.open.len()) {
                ("report", 0) | ("group" | "package", _) => at.enter(element),
                ("sourcefile", _) => {
                    at.enter(element);
                    at.lines = 0;
                }
                ("line", _) if at.in_file() => {
                    if at.lines == 0 {
                        draft.at(&at.path(), &at.modules())?;
                    }
                    at.lines += 1;
                    at.line(element, draft);
                    xml.skip()?;
                }
                ("counter", _) => {
                    if element.attribute("type") == Some("LINE") && at.open.len() == 1 {
                        header = counted(element);
                    }
                    xml.skip()?;
                }
                _ => xml.skip()?,
            },
            Event::Close(_) => {
                if at.in_file() && at.lines == 0 {
                    // Compiled without line numbers: nothing is known of its lines.
                    draft.warn("file-without-lines");
                } else if at.in_file() {
                    at.settle(draft);
                    draft.leave();
                }
                at.open.pop();
            }
            Event::End => break,
        }
    }
    if header.is_some_and(|header| header != draft.counted()) {
        draft.warn("header-counts-differ");
    }
    Ok(())
}

/// Where in the report it is, and what waits to be joined with what is known of the file.
#[derive(Default)]
struct At {
    /// The elements that are open, by their kind and name.
    open: Vec<(&'static str, String)>,
    lines: u64,
    whole: Vec<u32>,
    part: Vec<u32>,
}

impl At {
    fn enter(&mut self, element: &Element) {
        let kind = match element.name() {
            "group" => "group",
            "package" => "package",
            "sourcefile" => "sourcefile",
            _ => "report",
        };
        let name = element.attribute("name").unwrap_or_default();
        self.open.push((kind, name.to_owned()));
    }

    fn in_file(&self) -> bool {
        self.open
            .last()
            .is_some_and(|(kind, _)| *kind == "sourcefile")
    }

    /// Package and file name.
    fn path(&self) -> String {
        let named = |wanted: &str| {
            let found = self.open.iter().rev().find(|(kind, _)| *kind == wanted);
            found.map_or("", |(_, name)| name.as_str())
        };
        match (named("package"), named("sourcefile")) {
            ("", file) => file.to_owned(),
            (package, file) => format!("{package}/{file}"),
        }
    }

    /// Names of what it is in, the innermost group first; the report's own is the module's where
    /// there is no group.
    fn modules(&self) -> Vec<String> {
        let named = self
            .open
            .iter()
            .rev()
            .filter(|(kind, _)| ["group", "report"].contains(kind));
        named.map(|(_, name)| name.clone()).collect()
    }

    fn line(&mut self, element: &Element, draft: &mut Draft) {
        let number = element.attribute("nr").and_then(line_number);
        let count = |name: &str| match element.attribute(name) {
            None => Some(0),
            Some(text) => text.trim().parse::<u32>().ok(),
        };
        let counts = (count("mi"), count("ci"), count("mb"), count("cb"));
        let (Some(number), (Some(mi), Some(ci), Some(mb), Some(cb))) = (number, counts) else {
            draft.warn("unreadable-lines");
            return;
        };
        // A line without instructions cannot be executed.
        if mi == 0 && ci == 0 {
            return;
        }
        draft.line(number, ci > 0);
        if let Some(file) = draft.file() {
            file.count(number, cb, cb.saturating_add(mb));
        }
        match (ci > 0, mi > 0 || mb > 0) {
            (true, true) => self.part.push(number),
            (true, false) => self.whole.push(number),
            (false, _) => {}
        }
        if self.part.len() + self.whole.len() >= PENDING {
            self.settle(draft);
        }
    }

    fn settle(&mut self, draft: &mut Draft) {
        let part: LineSet = self.part.drain(..).collect();
        let whole: LineSet = self.whole.drain(..).collect();
        if let Some(file) = draft.file() {
            file.part = file.part.union(&part);
            file.whole = file.whole.union(&whole);
        }
    }
}

fn counted(element: &Element) -> Option<(u64, u64)> {
    let number = |name: &str| element.attribute(name)?.trim().parse::<u64>().ok();
    let covered = number("covered")?;
    Some((number("missed")?.checked_add(covered)?, covered))
}
