//! A study for people: what differs beside what is compared, every measure with its pairs, cost
//! against quality, and what was not counted.

use std::collections::BTreeMap;
use std::io::Write;

use super::json::name;
use super::{measure, quality};
use crate::error::Result;
use crate::measure::Value;
use crate::report::figure::{UNDEFINED, UNKNOWN};
use crate::report::number::short;
use crate::report::quality::sentences;
use crate::report::reason;
use crate::report::study::{Attempts, Declared, MeasureTable, Study};
use crate::report::table::{Cell, Table, Tone};
use crate::report::text::{self, counted};

/// Things left out that are named one by one; of more the rest is counted.
const NAMED: usize = 8;

/// Writes a study for a terminal of `width`.
pub(super) fn write_table(out: &mut dyn Write, study: &Study, width: usize) -> Result<()> {
    let say = |out: &mut dyn Write, tone: Tone, line: &str| -> Result<()> {
        writeln!(out, "{}", tone.paint(&text::wrap(line, width, 2)))?;
        Ok(())
    };
    say(out, Tone::Title, &headline(study))?;
    for line in provenance(study) {
        say(out, Tone::Missing, &line)?;
    }
    let tables: Vec<&MeasureTable> = told(study).collect();
    for table in &tables {
        writeln!(out)?;
        let title = text::fit(&measure::title(table), width).into_owned();
        writeln!(out, "{}", Tone::Title.paint(&title))?;
        measure::fitted(study, table, width).write(out, width)?;
    }
    for table in quality::tables(study, width)
        .into_iter()
        .chain(quality::front(study))
    {
        writeln!(out)?;
        table.write(out, width)?;
    }
    let sentences = sentences(study);
    if !sentences.is_empty() {
        writeln!(out)?;
    }
    for line in sentences {
        say(out, Tone::Plain, &line)?;
    }
    writeln!(out)?;
    for line in feet(study, &tables) {
        say(out, Tone::Faint, &line)?;
    }
    Ok(())
}

/// Writes a study as Markdown, uncut.
pub(super) fn write_markdown(out: &mut dyn Write, study: &Study) -> Result<()> {
    writeln!(out, "{}", headline(study))?;
    if let Some(table) = differences(study) {
        writeln!(out)?;
        table.write_markdown(out)?;
    }
    let tables: Vec<&MeasureTable> = told(study).collect();
    for table in &tables {
        writeln!(out, "\n### {}\n", measure::title(table))?;
        let columns = measure::columns(table);
        let mut shown = table.to_owned().clone();
        shown.pairs.clear();
        measure::laid_out(study, &shown, &columns, None).write_markdown(out)?;
        if !table.pairs.is_empty() {
            writeln!(out)?;
            measure::pairs_table(study, table).write_markdown(out)?;
        }
    }
    for table in quality::tables(study, usize::MAX)
        .into_iter()
        .chain(quality::front(study))
    {
        writeln!(out)?;
        table.write_markdown(out)?;
    }
    for line in sentences(study) {
        writeln!(out, "\n{line}")?;
    }
    for line in feet(study, &tables) {
        writeln!(out, "\n{line}")?;
    }
    Ok(())
}

/// What is compared with what.
fn headline(study: &Study) -> String {
    let chains: usize = study.arms.iter().map(|a| a.chains.len()).sum();
    let of = |arm: &crate::report::StudyArm| {
        let chains = counted(arm.chains.len() as u64, "chain", "chains");
        let reached: usize = arm.chains.iter().map(|c| c.checkpoints.len()).sum();
        let reached = counted(reached as u64, "checkpoint", "checkpoints");
        let mark = if arm.baseline && study.arms.len() > 1 {
            "; baseline"
        } else {
            ""
        };
        format!("{} ({chains}, {reached}{mark})", text::visible(&arm.name))
    };
    let arms: Vec<String> = study.arms.iter().map(of).collect();
    let within = study.within.as_ref().map(|w| format!(", within {w}"));
    let by = match study.by.as_str() {
        "arm" => String::new(),
        by => format!("by {}: ", text::visible(by)),
    };
    let attempts = match study.attempts {
        Attempts::All => "",
        Attempts::Passing => "; only checkpoints that passed",
    };
    match chains {
        0 => "no chains".to_owned(),
        _ => format!(
            "{by}{}{}{attempts}",
            arms.join(", "),
            within.unwrap_or_default()
        ),
    }
}

/// A line a difference that the plan does not declare, then one of those that it does.
fn provenance(study: &Study) -> Vec<String> {
    let undeclared = study
        .differences
        .iter()
        .filter(|d| d.declared != Declared::ByThePlan);
    let mut lines: Vec<String> = undeclared
        .map(|d| {
            let values =
                (0..study.arms.len()).map(|at| format!("{} {}", name(study, at), d.words(at)));
            let values: Vec<String> = values.collect();
            let line = format!("{}, {}: {}", d.what, d.declared.words(), values.join("; "));
            text::visible(&line).into_owned()
        })
        .collect();
    let declared: Vec<&str> = study
        .differences
        .iter()
        .filter(|d| d.declared == Declared::ByThePlan)
        .map(|d| d.what.as_str())
        .collect();
    if !declared.is_empty() {
        let line = format!("differs as the plan declares: {}", declared.join(", "));
        lines.push(text::visible(&line).into_owned());
    }
    lines
}

/// The differences as a table.
fn differences(study: &Study) -> Option<Table> {
    let mut table = Table::new().words("difference");
    for arm in &study.arms {
        table = table.words(&arm.name);
    }
    table = table.words("in the plan");
    for d in &study.differences {
        let mut cells = vec![Cell::new(&d.what)];
        cells.extend((0..study.arms.len()).map(|at| Cell::new(d.words(at))));
        cells.push(Cell::new(d.declared.words()));
        table.row(cells);
    }
    (!table.is_empty()).then_some(table)
}

/// The measures that are shown: those with a number, unless nothing ever moved.
fn told(study: &Study) -> impl Iterator<Item = &MeasureTable> {
    let many = study.measures.len() > 1;
    let tells =
        move |t: &&MeasureTable| !many || !measure::is_empty(t) && measure::constant(t).is_none();
    study.measures.iter().filter(tells)
}

/// The lines below: what marks mean, what is missing and why, what was left out.
fn feet(study: &Study, told: &[&MeasureTable]) -> Vec<String> {
    let mut lines = Vec::new();
    let figures = || told.iter().flat_map(|t| &t.arms);
    if figures().any(|f| f.verdict.is_some_and(|v| v.t_widened_holds_zero)) {
        lines.push("* the t-widened interval holds zero".to_owned());
    }
    if told.iter().any(|t| !t.pairs.is_empty()) {
        lines.push(
            "slopes are per checkpoint. p: the labels of the arms permuted over chains (≈: drawn); \
             Holm: over all comparisons made here. g, δ: Hedges, Cliff. detectable: the difference \
             that so many chains show in four of five such experiments"
                .to_owned(),
        );
    }
    if figures().any(|f| f.trend.slope.is_none() && f.points.0 > f.points.1) {
        lines.push(format!(
            "{UNDEFINED} no slope: it takes numbers at two checkpoints or more"
        ));
    }
    let constant: Vec<String> = study
        .measures
        .iter()
        .filter(|_| study.measures.len() > 1)
        .filter_map(|t| {
            let value = measure::constant(t)?;
            Some(format!("{} {}", t.measure.id, short(value)))
        })
        .collect();
    if !constant.is_empty() {
        lines.push(format!(
            "the same in every checkpoint of every arm: {}",
            constant.join(", ")
        ));
    }
    lines.extend(missing(study));
    lines.extend(scores_unknown(study));
    lines.extend(scores_of_a_part(study));
    lines.extend(study.quality.remarks.iter().cloned());
    lines.extend(left_out(study));
    lines.extend(study.remarks.iter().cloned());
    lines.push(format!("config {}", study.stamp.config));
    lines
        .into_iter()
        .map(|l| text::visible(&l).into_owned())
        .collect()
}

/// Why figures are missing: a line a reason, the measures it holds for behind it.
fn missing(study: &Study) -> Vec<String> {
    let figures = || {
        study
            .measures
            .iter()
            .flat_map(|t| t.arms.iter().map(move |f| (t, f)))
    };
    let said = reason::fold(
        figures()
            .flat_map(|(_, f)| f.missing.keys())
            .map(String::as_str),
    );
    let mut by_reason: BTreeMap<&str, Vec<(&str, u64, usize)>> = BTreeMap::new();
    for (table, figure) in figures() {
        for (why, n) in &figure.missing {
            let measures = by_reason.entry(said[why.as_str()].as_str()).or_default();
            match measures.iter_mut().find(|m| m.0 == table.measure.id) {
                Some(known) => {
                    known.1 += n;
                    known.2 += figure.points.0;
                }
                None => measures.push((table.measure.id, *n, figure.points.0)),
            }
        }
    }
    let line = |(why, measures): (&str, Vec<(&str, u64, usize)>)| {
        let words: Vec<String> = measures
            .iter()
            .map(
                |(id, n, of)| match u64::try_from(*of).is_ok_and(|of| of == *n) {
                    true => (*id).to_owned(),
                    false => format!("{id} ({n} of {of})"),
                },
            )
            .collect();
        format!("no number, {why}: {}", words.join(", "))
    };
    by_reason.into_iter().map(line).collect()
}

/// Why scores are unknown, a line a reason.
fn scores_unknown(study: &Study) -> Vec<String> {
    let unknown = || {
        let scores = study.quality.scores.iter();
        scores.flat_map(|score| {
            score.values.iter().filter_map(move |value| match value {
                Value::Unknown(why) => Some((score.id.as_str(), why.as_str())),
                _ => None,
            })
        })
    };
    let said = reason::fold(unknown().map(|(_, why)| why));
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, why) in unknown() {
        let ids = by_reason.entry(said[why].as_str()).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let line = |(why, ids): (&str, Vec<&str>)| format!("{UNKNOWN} {why}: {}", ids.join(", "));
    by_reason.into_iter().map(line).collect()
}

/// Which scores leave something out: a line for each choice of arms and of how much of them, the
/// scores it holds for behind it.
fn scores_of_a_part(study: &Study) -> Vec<String> {
    let mut by_part: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for score in &study.quality.scores {
        let of_arms = score.values.iter().enumerate().filter_map(|(at, value)| {
            let Value::Known(known) = value else {
                return None;
            };
            let over = of_a_part(known.remark.as_deref()?)?;
            Some(format!("{} {over}", name(study, at)))
        });
        let of_arms: Vec<String> = of_arms.collect();
        if !of_arms.is_empty() {
            let scores = by_part.entry(of_arms.join(", ")).or_default();
            scores.push(&score.id);
        }
    }
    let line = |(part, ids): (String, Vec<&str>)| format!("{part}: {}", ids.join(", "));
    by_part.into_iter().map(line).collect()
}

/// `over 3 of 7 chains` of the remark of a score that leaves some out.
fn of_a_part(remark: &str) -> Option<&str> {
    let (over, _) = remark.split_once("; left out ")?;
    Some(over)
}

/// What was left out: a line a reason, with the first few of what it holds for.
fn left_out(study: &Study) -> Vec<String> {
    let said = reason::fold(study.left_out.iter().map(|l| l.why.as_str()));
    let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
    for left in &study.left_out {
        let why = said[left.why.as_str()].as_str();
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, what)) => what.push(&left.what),
            None => by_reason.push((why, vec![&left.what])),
        }
    }
    let line = |(why, what): (&str, Vec<&str>)| {
        let named = what
            .iter()
            .take(NAMED)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        match what.len().saturating_sub(NAMED) {
            0 => format!("left out, {why}: {named}"),
            more => format!("left out, {why}: {named} and {more} more"),
        }
    };
    by_reason.into_iter().map(line).collect()
}
