//! A study as JSON: one document, or one object a line.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;

use crate::error::Result;
use crate::report::figure::ValueJson;
use crate::report::log::line;
use crate::report::number::Number;
use crate::report::stamp::{SettingsValues, Stamp};
use crate::report::study::{
    ArmFigure, Difference, FrontArm, LeftOut, MeasureTable, Pair, Quality, Score, Study, StudyArm,
    StudyChain, Total,
};
use crate::report::trend::{ComparisonJson, IntervalJson, TrendJson};
use crate::stats::Place;

/// A whole study.
#[derive(Serialize)]
pub(in crate::report) struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    settings: &'a SettingsValues,
    experiments: &'a [String],
    by: &'a str,
    within: Option<&'a str>,
    attempts: &'static str,
    arms: Vec<ArmJson<'a>>,
    differences: Vec<DifferenceJson<'a>>,
    measures: Vec<TableJson<'a>>,
    quality: QualityJson<'a>,
    left_out: Vec<LeftOutJson<'a>>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct ArmJson<'a> {
    arm: &'a str,
    baseline: bool,
    factors: &'a BTreeMap<String, String>,
    chains: Vec<ChainJson<'a>>,
}

#[derive(Serialize)]
struct ChainJson<'a> {
    chain: &'a str,
    task: Option<&'a str>,
    number: u32,
    base: &'a str,
    planned: Option<u32>,
    checkpoints: Vec<CheckpointJson<'a>>,
}

#[derive(Serialize)]
struct CheckpointJson<'a> {
    checkpoint: u32,
    id: &'a str,
    commit: &'a str,
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    sort: &'static str,
    what: &'a str,
    declared: &'static str,
    values: BTreeMap<&'a str, &'a [String]>,
    unknown: BTreeMap<&'a str, u64>,
}

#[derive(Serialize)]
struct LeftOutJson<'a> {
    what: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct TableJson<'a> {
    metric: &'static str,
    language: Option<&'a str>,
    title: &'static str,
    unit: &'static str,
    direction: &'static str,
    level: &'static str,
    primary: bool,
    arms: Vec<FigureJson<'a>>,
    comparisons: Vec<PairJson<'a>>,
}

#[derive(Serialize)]
struct FigureJson<'a> {
    arm: &'a str,
    first: Option<Number>,
    last: Option<Number>,
    #[serde(flatten)]
    trend: TrendJson<'a>,
    unknown: usize,
    total: Option<TotalJson<'a>>,
}

#[derive(Serialize)]
struct TotalJson<'a> {
    mean: Option<Number>,
    sd: Option<Number>,
    chains: BTreeMap<&'a str, Option<Number>>,
}

#[derive(Serialize)]
struct PairJson<'a> {
    first: &'a str,
    second: &'a str,
    level: Option<&'a str>,
    design: Option<String>,
    paired: bool,
    over: &'a [String],
    chains: [usize; 2],
    slopes: [Option<Number>; 2],
    #[serde(flatten)]
    comparison: ComparisonJson,
    labellings: Option<u64>,
}

#[derive(Serialize)]
struct QualityJson<'a> {
    scores: Vec<ScoreJson<'a>>,
    front: Vec<FrontJson<'a>>,
    efficient: Vec<&'a str>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct ScoreJson<'a> {
    score: &'a str,
    title: &'a str,
    part: &'static str,
    unit: &'static str,
    direction: &'static str,
    arms: BTreeMap<&'a str, ScoredJson<'a>>,
}

#[derive(Serialize)]
struct ScoredJson<'a> {
    #[serde(flatten)]
    value: ValueJson<'a>,
    interval: Option<IntervalJson>,
}

#[derive(Serialize)]
struct FrontJson<'a> {
    arm: &'a str,
    cost_usd: ValueJson<'a>,
    pass_at_1: ValueJson<'a>,
    wrong_turns: ValueJson<'a>,
    place: &'static str,
    dominated_by: Vec<&'a str>,
    cost_against_baseline: Option<Number>,
    cost_interval: Option<IntervalJson>,
    success_against_baseline: Option<Number>,
    success_interval: Option<IntervalJson>,
    chains: usize,
    cost_known: usize,
    success_known: usize,
}

/// The word for where an arm stands.
pub(super) fn place(place: Place) -> &'static str {
    match place {
        Place::OnFront => "efficient",
        Place::Tied => "efficient, tied",
        Place::Dominated => "dominated",
        Place::Unknown => "unknown",
    }
}

/// The name of the arm at a place.
pub(super) fn name(study: &Study, at: usize) -> &str {
    study.arms.get(at).map_or("", |arm| &arm.name)
}

impl<'a> From<&'a Study> for Document<'a> {
    fn from(study: &'a Study) -> Self {
        Document {
            stamp: &study.stamp,
            settings: &study.settings,
            experiments: &study.experiments,
            by: &study.by,
            within: study.within.as_deref(),
            attempts: study.attempts.word(),
            arms: study.arms.iter().map(arm).collect(),
            differences: study
                .differences
                .iter()
                .map(|d| difference(study, d))
                .collect(),
            measures: study.measures.iter().map(|t| table(study, t)).collect(),
            quality: quality(study, &study.quality),
            left_out: study.left_out.iter().map(left_out).collect(),
            remarks: &study.remarks,
        }
    }
}

fn arm(arm: &StudyArm) -> ArmJson<'_> {
    ArmJson {
        arm: &arm.name,
        baseline: arm.baseline,
        factors: &arm.factors,
        chains: arm.chains.iter().map(chain).collect(),
    }
}

fn chain(chain: &StudyChain) -> ChainJson<'_> {
    let checkpoints = chain.checkpoints.iter().map(|c| CheckpointJson {
        checkpoint: c.number,
        id: &c.id,
        commit: &c.commit,
    });
    ChainJson {
        chain: &chain.label,
        task: chain.task.as_deref(),
        number: chain.number,
        base: &chain.base,
        planned: chain.planned,
        checkpoints: checkpoints.collect(),
    }
}

fn difference<'a>(study: &'a Study, difference: &'a Difference) -> DifferenceJson<'a> {
    let values = difference.values.iter().enumerate();
    let unknown = difference.unknown.iter().enumerate();
    DifferenceJson {
        sort: difference.sort,
        what: &difference.what,
        declared: difference.declared.words(),
        unknown: unknown.map(|(at, n)| (name(study, at), *n)).collect(),
        values: values
            .map(|(at, v)| (name(study, at), v.as_slice()))
            .collect(),
    }
}

fn left_out(left_out: &LeftOut) -> LeftOutJson<'_> {
    LeftOutJson {
        what: &left_out.what,
        why: &left_out.why,
    }
}

fn table<'a>(study: &'a Study, table: &'a MeasureTable) -> TableJson<'a> {
    let m = table.measure;
    let arms = table.arms.iter().enumerate();
    TableJson {
        metric: m.id,
        language: table.language.as_deref(),
        title: m.title,
        unit: m.unit,
        direction: m.direction.words(),
        level: m.level.word(),
        primary: m.primary,
        arms: arms.map(|(at, f)| figure(name(study, at), f)).collect(),
        comparisons: table.pairs.iter().map(|p| pair(study, p)).collect(),
    }
}

fn figure<'a>(arm: &'a str, figure: &'a ArmFigure) -> FigureJson<'a> {
    let t = &figure.trend;
    FigureJson {
        arm,
        first: t.first.map(|p| Number(p.mean)),
        last: t.last.map(|p| Number(p.mean)),
        trend: TrendJson::new(t, figure.verdict, &figure.missing, false),
        unknown: figure.points.1,
        total: figure.total.as_ref().map(total),
    }
}

fn total(total: &Total) -> TotalJson<'_> {
    let chains = total.chains.iter();
    TotalJson {
        mean: total.mean.map(Number),
        sd: total.sd.map(Number),
        chains: chains
            .map(|(name, sum)| (name.as_str(), sum.map(Number)))
            .collect(),
    }
}

fn pair<'a>(study: &'a Study, pair: &'a Pair) -> PairJson<'a> {
    let c = &pair.comparison;
    PairJson {
        first: name(study, pair.first),
        second: name(study, pair.second),
        level: pair.stratum.as_deref(),
        design: pair.how(study.within.as_deref()),
        paired: pair.paired,
        over: &pair.over,
        chains: [c.chains.0, c.chains.1],
        slopes: [c.slopes.0.map(Number), c.slopes.1.map(Number)],
        comparison: ComparisonJson::new(c, pair.holm),
        labellings: c.permutation.map(|p| p.labellings),
    }
}

fn quality<'a>(study: &'a Study, quality: &'a Quality) -> QualityJson<'a> {
    QualityJson {
        scores: quality.scores.iter().map(|s| score(study, s)).collect(),
        front: quality.front.iter().map(|f| front(study, f)).collect(),
        efficient: quality
            .efficient
            .iter()
            .map(|at| name(study, *at))
            .collect(),
        remarks: &quality.remarks,
    }
}

fn score<'a>(study: &'a Study, score: &'a Score) -> ScoreJson<'a> {
    let arms = score.values.iter().enumerate().map(|(at, value)| {
        let interval = score.intervals.get(at).copied().flatten();
        let scored = ScoredJson {
            value: ValueJson(value),
            interval: interval.map(Into::into),
        };
        (name(study, at), scored)
    });
    ScoreJson {
        score: &score.id,
        title: &score.title,
        part: score.part.title(),
        unit: score.unit,
        direction: score.direction.words(),
        arms: arms.collect(),
    }
}

fn front<'a>(study: &'a Study, front: &'a FrontArm) -> FrontJson<'a> {
    FrontJson {
        arm: name(study, front.arm),
        cost_usd: ValueJson(&front.cost),
        pass_at_1: ValueJson(&front.success),
        wrong_turns: ValueJson(&front.wrong_turns),
        place: place(front.place),
        dominated_by: front
            .dominated_by
            .iter()
            .map(|at| name(study, *at))
            .collect(),
        cost_against_baseline: front.cost_against_baseline.map(Number),
        cost_interval: front.cost_interval.map(Into::into),
        success_against_baseline: front.success_against_baseline.map(Number),
        success_interval: front.success_interval.map(Into::into),
        chains: front.chains,
        cost_known: front.counted.0,
        success_known: front.counted.1,
    }
}

/// One line of the JSON Lines form: what it is, then the object that stands in the document.
#[derive(Serialize)]
struct Row<'a, T> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    row: &'static str,
    metric: Option<&'a str>,
    language: Option<&'a str>,
    #[serde(flatten)]
    value: T,
}

/// Writes one object a difference, arm's figure, comparison, score, place on the front, and thing
/// left out.
pub(super) fn write_lines(out: &mut dyn Write, study: &Study) -> Result<()> {
    fn row<'a, T: Serialize>(
        out: &mut dyn Write,
        study: &'a Study,
        (row, table): (&'static str, Option<&'a MeasureTable>),
        value: T,
    ) -> Result<()> {
        let row = Row {
            stamp: &study.stamp,
            row,
            metric: table.map(|t| t.measure.id),
            language: table.and_then(|t| t.language.as_deref()),
            value,
        };
        line(out, &row)
    }
    for d in &study.differences {
        row(out, study, ("difference", None), difference(study, d))?;
    }
    for t in &study.measures {
        for (at, f) in t.arms.iter().enumerate() {
            row(out, study, ("arm", Some(t)), figure(name(study, at), f))?;
        }
        for p in &t.pairs {
            row(out, study, ("comparison", Some(t)), pair(study, p))?;
        }
    }
    for s in &study.quality.scores {
        row(out, study, ("score", None), score(study, s))?;
    }
    for f in &study.quality.front {
        row(out, study, ("front", None), front(study, f))?;
    }
    for l in &study.left_out {
        row(out, study, ("left out", None), left_out(l))?;
    }
    Ok(())
}
