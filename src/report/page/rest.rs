//! Controls, what is not known, what was left out, what is not measured, and definitions.

use std::collections::BTreeMap;

use super::super::reason;
use super::document::{Block, Cell, Inline, Section, Table, Term, code, para};
use super::lists;
use super::model::{Report, ValueTable};
use crate::measure::catalogue::{self, Availability, Measure};

/// What the controls did; `None` where nothing is known of any.
pub(super) fn controls(report: &Report) -> Option<Section<'_>> {
    if report.controls.is_empty() && report.control_remarks.is_empty() {
        return None;
    }
    let mut blocks: Vec<Block<'_>> = report
        .control_remarks
        .iter()
        .map(|r| para(r.as_str()))
        .collect();
    for (i, list) in report.controls.iter().enumerate() {
        let id = format!("controls-{}", i + 1);
        let Some(table) = lists::table(&id, list) else {
            continue;
        };
        match table.rows.len() > 12 {
            true => blocks.push(Block::Details {
                id: format!("{id}-all"),
                summary: vec![format!("{} ({})", table.caption, table.rows.len()).into()],
                open: false,
                blocks: vec![Block::Table(table)],
            }),
            false => blocks.push(Block::Table(table)),
        }
    }
    Some(Section {
        id: "controls".to_owned(),
        title: "Controls".to_owned(),
        blocks,
    })
}

/// What is not known, and what was left out.
pub(super) fn unknown(report: &Report) -> Section<'_> {
    let mut blocks = Vec::new();
    let partly: Vec<&ValueTable> = report.values.iter().filter(|v| v.counts().2 > 0).collect();
    if partly.is_empty() {
        blocks.push(para(
            "Every figure that was asked for is known or undefined.",
        ));
    } else {
        let mut table = Table::new("unknown-table", "Measures with figures that are unknown")
            .words("measure")
            .number("known")
            .number("undefined")
            .number("unknown")
            .words("why");
        for v in partly {
            let (known, undefined, unknown) = v.counts();
            let by = v.unknown_reasons();
            let said = reason::fold(by.keys().copied());
            let mut sums = BTreeMap::<&str, u64>::new();
            for (reason, n) in &by {
                *sums.entry(said[*reason].as_str()).or_default() += n;
            }
            let why: Vec<String> = sums.iter().map(|(r, n)| format!("{r} ({n})")).collect();
            table.row([
                Cell {
                    inlines: vec![code(v.measure.id)],
                    head: true,
                },
                known.to_string().into(),
                undefined.to_string().into(),
                unknown.to_string().into(),
                why.join("; ").into(),
            ]);
        }
        let many = table.rows.len() > 12;
        match many {
            true => blocks.push(Block::Details {
                id: "unknown-all".to_owned(),
                summary: vec![
                    format!(
                        "{} measures have figures that are unknown",
                        table.rows.len()
                    )
                    .into(),
                ],
                open: false,
                blocks: vec![Block::Table(table)],
            }),
            false => blocks.push(Block::Table(table)),
        }
    }
    let left_out = &report.study.left_out;
    match left_out.is_empty() {
        true => blocks.push(para("No chain and no checkpoint was left out.")),
        false => {
            let mut table = Table::new("left-out", "Chains and checkpoints that were not counted")
                .words("what")
                .words("why");
            for l in left_out {
                table.row([Cell::head(l.what.as_str()), l.why.as_str().into()]);
            }
            blocks.push(Block::Table(table));
        }
    }
    if !report.study.remarks.is_empty() {
        blocks.push(Block::Bullets(
            report
                .study
                .remarks
                .iter()
                .map(|r| vec![r.as_str().into()])
                .collect(),
        ));
    }
    Section {
        id: "unknown".to_owned(),
        title: "What is not known, and what was left out".to_owned(),
        blocks,
    }
}

/// One list of what this version does not measure.
pub(super) fn not_measured<'r>() -> Section<'r> {
    let mut table = Table::new(
        "not-measured-table",
        "Measures that this version does not compute",
    )
    .words("measure")
    .words("id");
    let missing = |m: &&Measure| m.availability == Availability::NotInThisVersion;
    for m in catalogue::all().iter().filter(missing) {
        table.row([Cell::head(m.title), code(m.id).into()]);
    }
    let blocks = match table.rows.is_empty() {
        true => vec![para("This version computes every measure that it defines.")],
        false => vec![Block::Table(table)],
    };
    Section {
        id: "not-measured".to_owned(),
        title: "What this version does not measure".to_owned(),
        blocks,
    }
}

/// How to read the page, and every measure shown.
pub(super) fn definitions(report: &Report) -> Section<'_> {
    let mut measures: Vec<&'static Measure> = Vec::new();
    let of_values = report.values.iter().map(|v| v.measure);
    let of_scores = report.study.quality.scores.iter().filter_map(|s| s.measure);
    for m in of_values.chain(of_scores) {
        if !measures.iter().any(|known| known.id == m.id) {
            measures.push(m);
        }
    }
    measures.sort_by_key(|m| super::order::rank(m));
    let terms = measures.iter().map(|m| Term {
        id: format!("def-{}", m.id),
        word: vec![m.title.into(), " ".into(), code(m.id)],
        meaning: meaning(m),
    });
    Section {
        id: "definitions".to_owned(),
        title: "Definitions".to_owned(),
        blocks: vec![
            Block::Bullets(READING.iter().map(|r| vec![(*r).into()]).collect()),
            Block::Terms(terms.collect()),
        ],
    }
}

fn meaning(m: &Measure) -> Vec<Vec<Inline>> {
    let mut lines = vec![vec![m.definition.into()]];
    for (word, text) in [
        ("Edges", m.edges),
        ("Reads high on", m.reads_high),
        ("Blind spot", m.blind_spot),
        ("Source", m.source),
    ] {
        if !text.is_empty() {
            lines.push(vec![Inline::Strong(format!("{word}: ")), text.into()]);
        }
    }
    lines
}

/// How to read figures, slopes and verdicts.
const READING: [&str; 7] = [
    "?: unknown, something needed is missing. –: undefined, a ratio over nothing, or nothing to \
     show. Neither is zero, and neither goes into a mean.",
    "Slope: least squares on the mean curve over chains, per checkpoint.",
    "95 % interval: percentile bootstrap over chains, 2,000 resamples. t-widened: the same moved \
     out for the number of chains; claims rest on it.",
    "Reads as: degrades or improves (rises or falls where neither side is better) where the \
     percentile interval excludes zero, else flat; flat says that these chains cannot tell, not \
     that nothing changes.",
    "Separates: one arm's interval excludes zero and the other's holds it; strongly: the two do \
     not overlap.",
    "p: permutation of the arm labels over chains; Holm: adjusted over all comparisons of this \
     report.",
    "Smallest these chains would have shown: the difference that four of five such experiments \
     find at the 5 % level.",
];
