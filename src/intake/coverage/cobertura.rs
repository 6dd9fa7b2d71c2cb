//! Cobertura's XML, as coverage.py, coverlet, gcovr, istanbul and others write it.
//!
//! A class has a file name, relative to one of the `source` folders, and lines; its methods repeat
//! them. A file may have several classes, and a class the same line twice.

use super::Unreadable;
use super::draft::Draft;
use super::file::{is_hit, line_number};
use crate::intake::xml::{Element, Event, Xml};
use crate::record::Source;

/// Bytes of one `source`.
const SOURCE_MAX: usize = 4096;

/// Reads a whole report.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unreadable> {
    let mut xml = Xml::new(source)?;
    let mut header = None;
    // Whether each open element is a class whose lines are read.
    let mut open: Vec<bool> = Vec::new();
    loop {
        match xml.next()? {
            Event::Open(element) => match element.name() {
                "coverage" if open.is_empty() => {
                    header = counted(element);
                    open.push(false);
                }
                "source" => {
                    let text = xml.text(SOURCE_MAX)?;
                    draft.sources.push(text.trim().to_owned());
                }
                "class" => {
                    let name = element.attribute("filename").filter(|n| !n.is_empty());
                    match name {
                        Some(name) => draft.at(name, &[])?,
                        None => draft.warn("class-without-file"),
                    }
                    open.push(name.is_some());
                }
                "line" if open.contains(&true) => {
                    line(element, draft);
                    xml.skip()?;
                }
                "sources" | "packages" | "package" | "classes" | "lines" => open.push(false),
                _ => xml.skip()?,
            },
            Event::Close(_) => {
                if open.pop() == Some(true) {
                    draft.leave();
                }
            }
            Event::End => break,
        }
    }
    if header.is_some_and(|header| header != draft.counted()) {
        draft.warn("header-counts-differ");
    }
    Ok(())
}

fn line(element: &Element, draft: &mut Draft) {
    let number = element.attribute("number").and_then(line_number);
    let ran = element.attribute("hits").and_then(is_hit);
    let (Some(number), Some(ran)) = (number, ran) else {
        draft.warn("unreadable-lines");
        return;
    };
    draft.line(number, ran);
    let branches = element.attribute("branch") != Some("false");
    let counts = element.attribute("condition-coverage").filter(|_| branches);
    if let (Some((taken, total)), Some(file)) = (counts.and_then(fraction), draft.file()) {
        file.count(number, taken, total);
    }
}

/// `50% (1/2)`.
fn fraction(text: &str) -> Option<(u32, u32)> {
    let (_, inner) = text.split_once('(')?;
    let (taken, total) = inner.split_once(')')?.0.split_once('/')?;
    Some((taken.trim().parse().ok()?, total.trim().parse().ok()?))
}

fn counted(element: &Element) -> Option<(u64, u64)> {
    let number = |name: &str| element.attribute(name)?.trim().parse::<u64>().ok();
    Some((number("lines-valid")?, number("lines-covered")?))
}
