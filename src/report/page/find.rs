//! What there is to say first, and where the arms stand.

use super::super::number::{exact, short};
use super::super::study::{Attempts, Part, Score, Study};
use super::document::{Block, Cell, Figure, Inline, Section, Table, Tone, code, para};
use super::headline::{HeadlineKind, headlines};
use super::model::Report;
use super::{figures, measures, run};
use crate::measure::Value;
use crate::stats::Place;

/// The headlines.
pub(super) fn section(report: &Report) -> Section<'_> {
    let found = headlines(&report.study, &super::deciding(report));
    let mut blocks = Vec::new();
    if report.study.arms.len() < 2 {
        blocks.push(para("One arm alone: there is nothing to compare it with."));
    }
    let finding = |h: &super::headline::Headline| {
        let tone = match h.kind {
            HeadlineKind::Better if !h.may_be_chance() => Tone::Better,
            HeadlineKind::Worse if !h.may_be_chance() => Tone::Worse,
            HeadlineKind::Better | HeadlineKind::Worse | HeadlineKind::Differs => Tone::Plain,
            HeadlineKind::NotShown
            | HeadlineKind::TooFewChains
            | HeadlineKind::TooFewTasks
            | HeadlineKind::NoInterval => Tone::Open,
        };
        (
            match h.may_be_chance() {
                true => format!("{}, perhaps", h.kind.word()),
                false => h.kind.word().to_owned(),
            },
            tone,
            vec![
                Inline::Strong(measures::capital(&h.name())),
                format!(": {}.", h.claim_beside_its_word()).into(),
            ],
            format!("{}.", measures::capital(&h.evidence())),
        )
    };
    let (secondary, primary): (Vec<_>, Vec<_>) = found.iter().partition(|h| h.secondary);
    if !primary.is_empty() {
        blocks.push(Block::Findings(
            primary.iter().map(|h| finding(h)).collect(),
        ));
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
        blocks.push(Block::Findings(
            secondary.iter().map(|h| finding(h)).collect(),
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

/// Every measure in one table, and the differences side by side.
pub(super) fn glance(report: &Report) -> Section<'_> {
    let mut blocks = vec![para(format!(
        "{} Of each arm: first → last checkpoint of the mean curve over chains, below it the slope \
         per checkpoint and what it reads as (*: the t-widened interval holds zero). Of two arms: \
         the difference of slopes with its t-widened 95 % interval, below it whether they separate, \
         and p adjusted by Holm. Arrows say which way is better.",
        run::attempts(&report.study)
    ))];
    let forest = figures::in_page("forest", 760, |look| figures::forest(report, look));
    if let Some((svg, narrow)) = forest {
        let figure = Figure::of("forest", &svg).wide().or_narrow(&narrow);
        blocks.push(Block::Figure(figure));
    }
    blocks.extend(measures::glance(
        &report.study,
        "glance",
        "Measures, arms side by side",
        true,
    ));
    if let Some(other) = &report.other {
        let mut inner = vec![para(run::attempts(other))];
        inner.extend(measures::glance(
            other,
            "other",
            &format!("Measures, attempts {}", other.attempts.word()),
            false,
        ));
        let summary = match other.attempts {
            Attempts::All => "The same over all checkpoints that were reached",
            Attempts::Passing => "The same over passing checkpoints alone",
        };
        blocks.push(Block::Details {
            id: "other".to_owned(),
            summary: vec![summary.into()],
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

/// Cost against quality, and the scores of whole chains.
pub(super) fn quality(report: &Report) -> Option<Section<'_>> {
    let study = &report.study;
    let quality = &study.quality;
    if quality.front.is_empty() && quality.scores.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    let front = figures::in_page("front", 560, |look| figures::front(report, look));
    if let Some((svg, narrow)) = front {
        let figure = Figure::of("front", &svg).or_narrow(&narrow);
        blocks.push(Block::Figure(figure));
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
    for part in Part::ALL {
        let scores: Vec<_> = quality.scores.iter().filter(|s| s.part == part).collect();
        if !scores.is_empty() {
            blocks.push(Block::Table(score_table(study, part, &scores)));
        }
    }
    if !quality.remarks.is_empty() {
        let remarks = quality.remarks.iter().map(|r| vec![r.as_str().into()]);
        blocks.push(Block::Bullets(remarks.collect()));
    }
    Some(Section {
        id: "quality".to_owned(),
        title: "Cost against quality".to_owned(),
        blocks,
    })
}

fn score_table(study: &Study, part: Part, scores: &[&Score]) -> Table {
    let id = match part {
        Part::Success => "scores-success",
        Part::Chains => "scores-chains",
        Part::Spending => "scores-spending",
        Part::Effort => "scores-effort",
        Part::Reference => "scores-reference",
    };
    let title = part.title();
    let mut table = Table::new(id, format!("Scores: {title}"))
        .words("score")
        .words("id")
        .words("unit");
    for arm in &study.arms {
        table = table.number(arm.name.as_str());
    }
    for score in scores {
        let mut cells = vec![
            Cell {
                inlines: vec![
                    score.title.as_str().into(),
                    format!(" {}", score.direction.arrow()).into(),
                ],
                head: true,
            },
            code(score.id.as_str()).into(),
            score.unit.into(),
        ];
        cells.extend(score.values.iter().enumerate().map(|(at, v)| {
            let mut inlines = vec![value(v, true)];
            if let Some(i) = score.intervals.get(at).copied().flatten() {
                inlines.push(Inline::Break);
                inlines.push(Inline::Toned(measures::interval(Some(i)), Tone::Faint));
            }
            Cell::of(inlines)
        }));
        table.row(cells);
    }
    table
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
