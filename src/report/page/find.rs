//! What there is to say first, and where the arms stand.

use super::super::number::{exact, short};
use super::super::study::Study;
use super::document::{Block, Cell, Figure, Inline, Section, Table, Tone, code, para};
use super::headline::{HeadlineKind, headlines};
use super::model::Report;
use super::{figures, measures};
use crate::measure::Value;
use crate::stats::Place;

/// The headlines.
pub(super) fn section(report: &Report) -> Section<'_> {
    let found = headlines(&report.study, &super::deciding(report));
    let mut blocks = Vec::new();
    if report.study.arms.len() < 2 {
        blocks.push(para("One arm alone: there is nothing to compare it with."));
    }
    let bullet = |h: &super::headline::Headline| {
        let tone = match h.kind {
            HeadlineKind::Better => Tone::Better,
            HeadlineKind::Worse => Tone::Worse,
            HeadlineKind::Differs => Tone::Plain,
            HeadlineKind::NotShown | HeadlineKind::TooFewChains | HeadlineKind::NoInterval => {
                Tone::Open
            }
        };
        vec![
            Inline::Toned(h.kind.word().to_owned(), tone),
            " ".into(),
            Inline::Strong(h.name()),
            ": ".into(),
            h.claim().into(),
            ". ".into(),
            Inline::Toned(format!("{}.", capital(&h.evidence())), Tone::Faint),
        ]
    };
    let (secondary, primary): (Vec<_>, Vec<_>) = found.iter().partition(|h| h.secondary);
    if !primary.is_empty() {
        blocks.push(Block::Bullets(primary.iter().map(|h| bullet(h)).collect()));
    }
    if !report.sentences.is_empty() {
        blocks.push(Block::Bullets(
            report
                .sentences
                .iter()
                .map(|s| vec![s.as_str().into()])
                .collect(),
        ));
    }
    if !secondary.is_empty() {
        blocks.push(para(
            "Secondary: aggregate ratios, which can stay still while what they are made of moves.",
        ));
        blocks.push(Block::Bullets(
            secondary.iter().map(|h| bullet(h)).collect(),
        ));
    }
    if blocks.is_empty() {
        blocks.push(para(
            "None: no leading measure has values in two arms that are compared.",
        ));
    }
    Section {
        id: "headlines".to_owned(),
        title: "Headlines".to_owned(),
        blocks,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Every measure in one table, and the differences side by side.
pub(super) fn glance(report: &Report) -> Section<'_> {
    let mut blocks = vec![para(
        "All checkpoints that were reached (--attempts all). Slopes are per checkpoint, on the \
         mean curve over chains; arrows say which way is better.",
    )];
    if let Some(svg) = figures::forest(report) {
        blocks.push(Block::Figure(Figure::of("forest", &svg)));
    }
    blocks.extend(measures::glance(
        &report.study,
        "glance",
        "Measures, arms side by side",
        true,
    ));
    if let Some(passing) = &report.passing {
        let mut inner = vec![para(
            "Only checkpoints whose outcome is pass (--attempts passing); those of unknown outcome \
             are left out.",
        )];
        inner.extend(left_out_count(passing));
        inner.extend(measures::glance(
            passing,
            "passing",
            "Passing checkpoints alone, arms side by side",
            false,
        ));
        blocks.push(Block::Details {
            id: "passing".to_owned(),
            summary: vec!["The same over passing checkpoints alone".into()],
            open: false,
            blocks: inner,
        });
    }
    Section {
        id: "glance".to_owned(),
        title: "All measures at a glance".to_owned(),
        blocks,
    }
}

fn left_out_count<'r>(passing: &Study) -> Vec<Block<'r>> {
    let of = |arm: &super::super::study::StudyArm| -> usize {
        arm.chains.iter().map(|c| c.checkpoints.len()).sum()
    };
    let words: Vec<String> = passing
        .arms
        .iter()
        .map(|a| format!("{} {}", a.name, of(a)))
        .collect();
    match words.is_empty() {
        true => Vec::new(),
        false => vec![para(format!(
            "Checkpoints that passed: {}.",
            words.join(", ")
        ))],
    }
}

/// Cost against quality, and the scores of whole chains.
pub(super) fn quality(report: &Report) -> Option<Section<'_>> {
    let study = &report.study;
    let quality = &study.quality;
    if quality.front.is_empty() && quality.scores.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    if let Some(svg) = figures::front(report) {
        blocks.push(Block::Figure(Figure::of("front", &svg)));
    }
    if !quality.front.is_empty() {
        let mut table = Table::new("front-table", "Cost of a chain against passing, arm by arm")
            .words("arm")
            .number("cost of a chain, USD")
            .number("pass at 1")
            .number("cost against the baseline")
            .number("passing against the baseline")
            .words("stands");
        for f in &quality.front {
            let name = |at: usize| study.arms.get(at).map_or("?", |a| a.name.as_str());
            let place = match f.place {
                Place::OnFront => "efficient".to_owned(),
                Place::Tied => "efficient, tied".to_owned(),
                Place::Dominated => {
                    let by: Vec<&str> = f.dominated_by.iter().map(|at| name(*at)).collect();
                    format!("dominated by {}", by.join(", "))
                }
                Place::Unknown => "unknown".to_owned(),
            };
            let percent = |v: Option<f64>, by: f64, unit: &str| {
                v.map_or_else(
                    || "–".to_owned(),
                    |v| format!("{}{:.1} {unit}", if v > 0.0 { "+" } else { "" }, v * by),
                )
            };
            table.row([
                Cell::head(name(f.arm)),
                value(&f.cost, false).into(),
                value(&f.success, false).into(),
                percent(f.cost_against_baseline, 100.0, "%").into(),
                percent(f.success_against_baseline, 100.0, "points").into(),
                place.into(),
            ]);
        }
        blocks.push(Block::Table(table));
    }
    if !quality.scores.is_empty() {
        let mut table = Table::new("scores", "Scores of whole chains")
            .words("score")
            .words("id")
            .words("unit");
        for arm in &study.arms {
            table = table.number(arm.name.as_str());
        }
        for score in &quality.scores {
            let mut cells = vec![
                Cell::head(score.title.as_str()),
                code(score.id.as_str()).into(),
                score.unit.into(),
            ];
            cells.extend(score.values.iter().map(|v| value(v, true).into()));
            table.row(cells);
        }
        blocks.push(Block::Table(table));
    }
    Some(Section {
        id: "quality".to_owned(),
        title: "Cost against quality".to_owned(),
        blocks,
    })
}

/// A value for people, with its remark or reason behind it.
fn value(value: &Value, rounded: bool) -> Inline {
    match value {
        Value::Known(k) => {
            let shown = short(k.value);
            let mut more = Vec::new();
            if rounded && shown != exact(k.value) {
                more.push(exact(k.value));
            }
            if let (Some(n), Some(d)) = (k.num, k.den) {
                more.push(format!("{} of {}", exact(n), exact(d)));
            }
            more.extend(k.remark.as_deref().map(str::to_owned));
            match more.is_empty() {
                true => shown.into(),
                false => Inline::Titled(shown, more.join("; ")),
            }
        }
        Value::Word(word) => (*word).into(),
        Value::Undefined(what) => Inline::Titled("–".to_owned(), format!("undefined: {what}")),
        Value::Unknown(why) => Inline::Titled("?".to_owned(), format!("unknown: {why}")),
    }
}
