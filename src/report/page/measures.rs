//! The measures: all of them at a glance, then one by one.

use std::collections::BTreeMap;

use super::super::number::{short, signed};
use super::super::reason;
use super::super::slope_table::chains;
use super::super::study::{ArmFigure, MeasureTable, Pair, Study};
use super::super::text::counted;
use super::document::{Block, Card, Cell, Figure, Inline, Section, Table, Tone, code, para};
use super::figures;
use super::model::{Report, ValueTable};
use super::order::{Part, rank};
use crate::measure::catalogue::Measure;
use crate::stats::{Interval, Separation, Verdict};

/// The measures that have a number anywhere, in the order shown.
pub(super) fn shown(study: &Study) -> Vec<&MeasureTable> {
    let mut all: Vec<&MeasureTable> = study
        .measures
        .iter()
        .filter(|t| t.arms.iter().any(|a| a.trend.values > 0))
        .collect();
    all.sort_by_key(|t| rank(t.measure));
    all
}

pub(super) fn interval(i: Option<Interval>) -> String {
    i.map_or_else(
        || "–".to_owned(),
        |i| format!("{} … {}", short(i.low), short(i.high)),
    )
}

pub(super) fn number(n: Option<f64>) -> String {
    n.map_or_else(|| "–".to_owned(), short)
}

/// With its first letter a capital.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn name(table: &MeasureTable) -> String {
    match &table.language {
        Some(language) => format!("{} ({language})", table.measure.title),
        None => table.measure.title.to_owned(),
    }
}

/// What is unique of a table in the page: `m-net_cc`, `m-net_cc-java`.
pub(super) fn id(measure: &str, language: Option<&str>) -> String {
    match language {
        Some(language) => format!("m-{measure}-{language}"),
        None => format!("m-{measure}"),
    }
}

fn id_of(table: &MeasureTable) -> String {
    id(table.measure.id, table.language.as_deref())
}

pub(super) fn reads(figure: &ArmFigure) -> Inline {
    let Some(said) = figure.verdict else {
        return "–".into();
    };
    let words = said.to_string();
    match said.verdict {
        Verdict::Degrades => Inline::Toned(words, Tone::Worse),
        Verdict::Improves => Inline::Toned(words, Tone::Better),
        Verdict::Flat | Verdict::Rises | Verdict::Falls => words.into(),
        Verdict::TooFewChains | Verdict::OneChain | Verdict::NoSlope => {
            Inline::Toned(words, Tone::Faint)
        }
    }
}

fn separation(pair: &Pair) -> Inline {
    let words = pair.comparison.separation.as_str();
    match pair.comparison.separation {
        Separation::Separates | Separation::SeparatesStrongly => Inline::Strong(words.to_owned()),
        Separation::Overlaps => words.into(),
        Separation::TooFewChains | Separation::TooFewTasks | Separation::NoInterval => {
            Inline::Toned(words.to_owned(), Tone::Faint)
        }
    }
}

/// All measures in one table, as `compare` has them.
pub(super) fn glance<'r>(study: &Study, id: &str, caption: &str, jump: bool) -> Vec<Block<'r>> {
    let tables = shown(study);
    let mut blocks = Vec::new();
    for part in Part::ALL {
        let mine: Vec<&&MeasureTable> = tables
            .iter()
            .filter(|t| Part::of(t.measure) == part)
            .collect();
        if mine.is_empty() {
            continue;
        }
        let mut table = Table::new(
            format!("{id}-{}", part.id()),
            format!("{caption}: {}", part.title()),
        )
        .words("measure");
        for arm in &study.arms {
            table = table.words(arm.name.as_str());
        }
        let pairs = over_all(study, &tables);
        for (first, second) in &pairs {
            table = table.words(format!(
                "{} − {}",
                arm_name(study, *first),
                arm_name(study, *second)
            ));
        }
        for measure in mine {
            let title = name(measure);
            let head = match jump {
                true => Inline::Jump(title, id_of(measure)),
                false => title.into(),
            };
            let mut cells = vec![Cell {
                inlines: vec![
                    head,
                    format!(" {}", measure.measure.direction.arrow()).into(),
                ],
                head: true,
            }];
            for figure in &measure.arms {
                cells.push(at_a_glance(figure));
            }
            for (first, second) in &pairs {
                let mut own = measure.pairs.iter().filter(|p| p.stratum.is_none());
                let pair = own.find(|p| (p.first, p.second) == (*first, *second));
                cells.push(pair.map_or_else(|| Cell::from("–"), pair_at_a_glance));
            }
            table.row(cells);
        }
        blocks.push(Block::Table(table));
    }
    blocks
}

/// `0 → 2`, below it the slope and what it reads as.
fn at_a_glance(figure: &ArmFigure) -> Cell {
    let t = &figure.trend;
    let ends = match (t.first, t.last) {
        (Some(a), Some(b)) => format!("{} → {}", short(a.mean), short(b.mean)),
        _ => "?".to_owned(),
    };
    let slope = t.slope.map_or_else(|| "–".to_owned(), signed);
    let reads = match (figure.verdict, reads(figure)) {
        (Some(v), Inline::Toned(_, tone)) if v.t_widened_holds_zero => {
            Inline::Toned(format!("{} *", v.verdict.as_str()), tone)
        }
        (Some(v), _) if v.t_widened_holds_zero => format!("{} *", v.verdict.as_str()).into(),
        (_, reads) => reads,
    };
    Cell::of(vec![
        ends.into(),
        Inline::Break,
        Inline::Toned(format!("{slope} "), Tone::Faint),
        reads,
    ])
}

/// The difference with its interval, below it how sure it is.
fn pair_at_a_glance(pair: &Pair) -> Cell {
    let c = &pair.comparison;
    let difference = c.slope_difference.map_or_else(|| "–".to_owned(), signed);
    let within = c.t_widened.map_or_else(String::new, |i| {
        format!(" [{} … {}]", short(i.low), short(i.high))
    });
    let mut inlines = vec![
        format!("{difference}{within}").into(),
        Inline::Break,
        separation(pair),
    ];
    if let Some(p) = pair.holm {
        inlines.push(Inline::Toned(format!(", p {}", short(p)), Tone::Faint));
    }
    Cell::of(inlines)
}

fn arm_name(study: &Study, at: usize) -> &str {
    study.arms.get(at).map_or("?", |a| a.name.as_str())
}

/// The pairs of arms that any measure compares over all chains, in order.
fn over_all(study: &Study, tables: &[&MeasureTable]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = tables
        .iter()
        .flat_map(|t| &t.pairs)
        .filter(|p| p.stratum.is_none())
        .map(|p| (p.first, p.second))
        .filter(|p| p.0 < study.arms.len() && p.1 < study.arms.len())
        .collect();
    pairs.sort_unstable_by_key(|p| (p.1, p.0));
    pairs.dedup();
    pairs
}

/// The parts with their measures, one card each.
pub(super) fn parts(report: &Report) -> Vec<Section<'_>> {
    let tables = shown(&report.study);
    let mut sections = Vec::new();
    for part in Part::ALL {
        let cards: Vec<Block<'_>> = tables
            .iter()
            .filter(|t| Part::of(t.measure) == part)
            .map(|t| Block::Card(Box::new(card(report, t))))
            .chain(
                words_alone(report)
                    .filter(|v| Part::of(v.measure) == part)
                    .map(|v| Block::Card(Box::new(word_card(report, v)))),
            )
            .collect();
        if cards.is_empty() {
            continue;
        }
        let mut blocks = vec![para(part.lead())];
        let cut =
            |t: &&&MeasureTable| Part::of(t.measure) == part && !figures::has_chains(report, t);
        if tables.iter().any(|t| cut(&t)) {
            blocks.push(para(
                "The experiment is large: lines of single chains stand in the figures of leading \
                 measures alone. `--figures` writes all of them, and every value is below each.",
            ));
        }
        blocks.extend(cards);
        sections.push(Section {
            id: part.id().to_owned(),
            title: part.title().to_owned(),
            blocks,
        });
    }
    sections
}

/// Measures whose values are words: no trend, and values all the same.
fn words_alone(report: &Report) -> impl Iterator<Item = &ValueTable> {
    let numbers = shown(&report.study);
    report.values.iter().filter(move |v| {
        let same = |t: &&MeasureTable| t.measure.id == v.measure.id;
        v.any_known() && !numbers.iter().any(same)
    })
}

fn sub(measure: &Measure) -> Vec<Inline> {
    vec![
        code(measure.id),
        format!(
            " · {} · {} {}",
            measure.unit,
            measure.direction.arrow(),
            measure.direction.words()
        )
        .into(),
        " · ".into(),
        Inline::Jump("definition".to_owned(), format!("def-{}", measure.id)),
    ]
}

fn word_card<'r>(report: &'r Report, values: &'r ValueTable) -> Card<'r> {
    Card {
        id: id(values.measure.id, values.language.as_deref()),
        title: capital(values.measure.title),
        sub: sub(values.measure),
        blocks: vec![
            para("Its values are words, and have no slope."),
            values_block(report, values),
        ],
    }
}

fn card<'r>(report: &'r Report, table: &MeasureTable) -> Card<'r> {
    let study = &report.study;
    let id = id_of(table);
    let mut blocks = Vec::new();
    let drawn = figures::lines(report, table, &id);
    blocks.push(Block::Beside(
        Figure::of(format!("{id}-figure"), &drawn),
        arms(study, table),
    ));
    if !table.pairs.is_empty() {
        blocks.push(Block::Table(pairs(study, table)));
    }
    let values = report
        .values
        .iter()
        .find(|v| v.measure.id == table.measure.id && v.language == table.language);
    if let Some(values) = values {
        blocks.push(values_block(report, values));
    }
    Card {
        id,
        title: capital(&name(table)),
        sub: sub(table.measure),
        blocks,
    }
}

fn values_block<'r>(report: &'r Report, values: &'r ValueTable) -> Block<'r> {
    let arms = report.study.arms.iter().map(|a| a.name.clone()).collect();
    let id = id(values.measure.id, values.language.as_deref());
    let chains: usize = values.arms.iter().map(Vec::len).sum();
    Block::Details {
        id: format!("{id}-values"),
        summary: vec![
            format!(
                "Every value: {} by {}",
                counted(chains as u64, "chain", "chains"),
                counted(values.checkpoints.len() as u64, "checkpoint", "checkpoints")
            )
            .into(),
        ],
        open: false,
        blocks: vec![Block::Values(values, arms)],
    }
}

/// The arms beside each other, what is said of them below each other.
fn arms(study: &Study, table: &MeasureTable) -> Table {
    let mut out = Table::new(
        format!("{}-arms", id_of(table)),
        format!("{}, the arms side by side", capital(&name(table))),
    )
    .words("figure");
    for arm in &study.arms {
        out = out.number(arm.name.as_str());
    }
    let mut row = |title: &str, cell: &dyn Fn(&ArmFigure) -> Inline| {
        let cells = table.arms.iter().map(|figure| Cell::from(cell(figure)));
        out.row([Cell::head(title)].into_iter().chain(cells));
    };
    let plain = |text: String| Inline::Text(text);
    row("chains at a checkpoint", &|f| plain(chains(&f.trend)));
    row("values", &|f| {
        plain(match f.trend.missing {
            0 => f.trend.values.to_string(),
            missing => format!("{} of {}", f.trend.values, f.trend.values + missing),
        })
    });
    row("first", &|f| plain(number(f.trend.first.map(|p| p.mean))));
    row("last", &|f| plain(number(f.trend.last.map(|p| p.mean))));
    if table.arms.iter().any(|a| !a.trend.phases.is_empty()) {
        for phase in crate::stats::PhaseName::ALL {
            row(phase.as_str(), &|f| {
                let mine = f.trend.phases.iter().find(|p| p.name == phase);
                plain(number(mine.and_then(|p| p.mean)))
            });
        }
    }
    row("slope", &|f| {
        plain(f.trend.slope.map_or_else(|| "–".to_owned(), signed))
    });
    row("95 % interval", &|f| plain(interval(f.trend.percentile)));
    row("t-widened", &|f| plain(interval(f.trend.t_widened)));
    row("reads as", &reads);
    if table.arms.iter().any(|a| a.total.is_some()) {
        row("over a chain, mean ± sd", &|f| plain(total(f)));
    }
    for (arm, figure) in study.arms.iter().zip(&table.arms) {
        if !figure.missing.is_empty() {
            let said = reason::fold(figure.missing.keys().map(String::as_str));
            let mut sums = BTreeMap::<&str, u64>::new();
            for (why, n) in &figure.missing {
                *sums.entry(said[why.as_str()].as_str()).or_default() += n;
            }
            let reasons: Vec<String> = sums.iter().map(|(why, n)| format!("{why} ({n})")).collect();
            out.notes
                .push(format!("{}: no number: {}", arm.name, reasons.join("; ")));
        }
    }
    out
}

fn total(figure: &ArmFigure) -> String {
    let Some(total) = &figure.total else {
        return "–".to_owned();
    };
    let known = total.chains.iter().filter(|c| c.1.is_some()).count();
    let over = match known == total.chains.len() {
        true => String::new(),
        false => format!(" ({known} of {} chains)", total.chains.len()),
    };
    match (total.mean, total.sd) {
        (None, _) => "?".to_owned(),
        (Some(mean), None) => format!("{}{over}", short(mean)),
        (Some(mean), Some(sd)) => format!("{} ± {}{over}", short(mean), short(sd)),
    }
}

fn pairs(study: &Study, table: &MeasureTable) -> Table {
    let strata = table.pairs.iter().any(|p| p.stratum.is_some());
    let mut out = Table::new(
        format!("{}-pairs", id_of(table)),
        format!("{}: how the arms differ", capital(&name(table))),
    )
    .words("arms");
    if strata {
        out = out.words(study.within.clone().unwrap_or_else(|| "task".to_owned()));
    }
    out = out
        .number("difference of slopes")
        .number("95 % interval")
        .number("t-widened")
        .words("reads as")
        .number("p")
        .number("p, Holm")
        .number("Hedges’ g")
        .number("Cliff’s δ")
        .number("smallest these chains would have shown");
    for pair in &table.pairs {
        let c = &pair.comparison;
        let how = pair.how(study.within.as_deref());
        let how = how.map_or_else(String::new, |how| format!(", {how}"));
        let mut cells = vec![Cell::head(format!(
            "{} − {}{how}",
            arm_name(study, pair.first),
            arm_name(study, pair.second)
        ))];
        if strata {
            cells.push(
                pair.stratum
                    .clone()
                    .unwrap_or_else(|| "over all".to_owned())
                    .into(),
            );
        }
        cells.extend([
            c.slope_difference
                .map_or_else(|| "–".to_owned(), signed)
                .into(),
            interval(c.percentile).into(),
            interval(c.t_widened).into(),
            separation(pair).into(),
            number(c.permutation.map(|p| p.p)).into(),
            number(pair.holm).into(),
            number(c.effect.and_then(|e| e.hedges_g)).into(),
            number(c.effect.map(|e| e.cliffs_delta)).into(),
            number(c.smallest_detectable).into(),
        ]);
        out.row(cells);
    }
    out
}
