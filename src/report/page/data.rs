//! The data behind every figure and table of a report, as CSV.

use super::super::csv::record;
use super::super::figure::fields;
use super::super::number::exact;
use super::super::study::{Attempts, HeatMap, Study};
use super::headline::headlines;
use super::model::Report;
use crate::error::Result;
use crate::stats::Interval;

type Rows = Vec<Vec<String>>;

/// The files of `report --data`: name and content. The values themselves are `log --format csv`.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn data_files(report: &Report) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let study = &report.study;
    let mut files = vec![
        ("chains.csv", chains(study)?),
        ("slopes.csv", slopes(study)?),
        ("curves.csv", curves(study)?),
        ("phases.csv", phases(study)?),
        ("chain-slopes.csv", chain_slopes(study)?),
        ("totals.csv", totals(study)?),
        ("comparisons.csv", comparisons(study)?),
        ("headlines.csv", leads(report)?),
        ("hypothesis.csv", hypothesis(report)?),
        ("differences.csv", differences(study)?),
        ("left-out.csv", left_out(study)?),
        ("front.csv", front(study)?),
        ("scores.csv", scores(study)?),
        ("tests.csv", tests(&report.outcomes)?),
        ("heat.csv", tests(&report.heat)?),
        ("regressions.csv", regressions(report)?),
    ];
    if let Some(other) = &report.other {
        let names = match other.attempts {
            Attempts::All => ["all-slopes.csv", "all-curves.csv", "all-comparisons.csv"],
            Attempts::Passing => [
                "passing-slopes.csv",
                "passing-curves.csv",
                "passing-comparisons.csv",
            ],
        };
        let files_of = [slopes(other)?, curves(other)?, comparisons(other)?];
        files.extend(names.into_iter().zip(files_of));
    }
    Ok(files)
}

fn csv(head: &[&str], rows: Rows) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    record(&mut out, head.iter().copied())?;
    for row in rows {
        record(&mut out, row.iter().map(String::as_str))?;
    }
    Ok(out)
}

fn number(n: Option<f64>) -> String {
    n.map(exact).unwrap_or_default()
}

fn ends(i: Option<Interval>) -> [String; 2] {
    [number(i.map(|i| i.low)), number(i.map(|i| i.high))]
}

fn arm(study: &Study, at: usize) -> String {
    study
        .arms
        .get(at)
        .map_or_else(String::new, |a| a.name.clone())
}

fn chains(study: &Study) -> Result<Vec<u8>> {
    let mut rows = Rows::new();
    for arm in &study.arms {
        for chain in &arm.chains {
            for k in &chain.checkpoints {
                rows.push(vec![
                    arm.name.clone(),
                    chain.label.clone(),
                    chain.task.clone().unwrap_or_default(),
                    chain.number.to_string(),
                    chain.base.clone(),
                    chain.planned.map(|p| p.to_string()).unwrap_or_default(),
                    k.number.to_string(),
                    k.id.clone(),
                    k.commit.clone(),
                ]);
            }
        }
    }
    csv(
        &[
            "arm",
            "chain",
            "task",
            "number",
            "base",
            "planned",
            "checkpoint",
            "checkpoint_id",
            "commit",
        ],
        rows,
    )
}

/// The first fields of a row on one measure of one arm.
fn each<'s>(
    study: &'s Study,
) -> impl Iterator<Item = ([String; 3], &'s super::super::study::ArmFigure)> + 's {
    study.measures.iter().flat_map(move |table| {
        let arms = table.arms.iter().enumerate();
        arms.map(move |(at, figure)| {
            let language = table.language.clone().unwrap_or_default();
            (
                [arm(study, at), table.measure.id.to_owned(), language],
                figure,
            )
        })
    })
}

fn slopes(study: &Study) -> Result<Vec<u8>> {
    let rows = each(study).map(|(key, figure)| {
        let t = &figure.trend;
        let mut row = key.to_vec();
        row.push(number(t.slope));
        row.extend(ends(t.percentile));
        row.extend(ends(t.t_widened));
        row.extend([
            number(t.standard_error),
            number(t.mean_of_chain_slopes),
            t.chains.to_string(),
            t.checkpoints.to_string(),
            t.values.to_string(),
            t.missing.to_string(),
            number(t.first.map(|p| p.mean)),
            number(t.last.map(|p| p.mean)),
            figure.verdict.map(|v| v.to_string()).unwrap_or_default(),
        ]);
        row
    });
    csv(
        &[
            "arm",
            "metric",
            "language",
            "slope",
            "low",
            "high",
            "t_low",
            "t_high",
            "standard_error",
            "mean_of_chain_slopes",
            "chains",
            "checkpoints",
            "values",
            "missing",
            "first",
            "last",
            "verdict",
        ],
        rows.collect(),
    )
}

fn curves(study: &Study) -> Result<Vec<u8>> {
    let rows = each(study).flat_map(|(key, figure)| {
        let t = &figure.trend;
        t.mean_curve.iter().enumerate().map(move |(i, p)| {
            let mut row = key.to_vec();
            row.extend([
                exact(p.index),
                exact(p.mean),
                number(t.band.get(i).map(|b| b.sd)),
                p.chains.to_string(),
                number(t.shares.get(i).map(|s| s.share)),
            ]);
            row
        })
    });
    csv(
        &[
            "arm",
            "metric",
            "language",
            "checkpoint",
            "mean",
            "sd",
            "chains",
            "share",
        ],
        rows.collect(),
    )
}

fn phases(study: &Study) -> Result<Vec<u8>> {
    let rows = each(study).flat_map(|(key, figure)| {
        figure.trend.phases.iter().map(move |p| {
            let mut row = key.to_vec();
            row.extend([p.name.as_str().to_owned(), number(p.mean), p.n.to_string()]);
            row
        })
    });
    csv(
        &["arm", "metric", "language", "phase", "mean", "n"],
        rows.collect(),
    )
}

fn chain_slopes(study: &Study) -> Result<Vec<u8>> {
    let rows = each(study).flat_map(|(key, figure)| {
        figure.trend.chain_slopes.iter().map(move |c| {
            let mut row = key.to_vec();
            row.extend([c.chain.clone(), number(c.slope)]);
            row
        })
    });
    csv(
        &["arm", "metric", "language", "chain", "slope"],
        rows.collect(),
    )
}

fn totals(study: &Study) -> Result<Vec<u8>> {
    let rows = each(study).flat_map(|(key, figure)| {
        let chains = figure.total.iter().flat_map(|t| &t.chains);
        chains.map(move |(chain, sum)| {
            let mut row = key.to_vec();
            row.extend([chain.clone(), number(*sum)]);
            row
        })
    });
    csv(
        &["arm", "metric", "language", "chain", "total"],
        rows.collect(),
    )
}

fn comparisons(study: &Study) -> Result<Vec<u8>> {
    let mut rows = Rows::new();
    for table in &study.measures {
        for pair in &table.pairs {
            let c = &pair.comparison;
            let mut row = vec![
                table.measure.id.to_owned(),
                table.language.clone().unwrap_or_default(),
                arm(study, pair.first),
                arm(study, pair.second),
                pair.stratum.clone().unwrap_or_default(),
                if pair.paired { "yes" } else { "no" }.to_owned(),
                c.separation.as_str().to_owned(),
                number(c.slope_difference),
            ];
            row.extend(ends(c.percentile));
            row.extend(ends(c.t_widened));
            row.extend([
                number(c.permutation.map(|p| p.p)),
                number(pair.holm),
                number(c.effect.and_then(|e| e.hedges_g)),
                number(c.effect.map(|e| e.cliffs_delta)),
                number(c.smallest_detectable),
                c.chains.0.to_string(),
                c.chains.1.to_string(),
            ]);
            rows.push(row);
        }
    }
    csv(
        &[
            "metric",
            "language",
            "first",
            "second",
            "stratum",
            "paired",
            "separation",
            "slope_difference",
            "low",
            "high",
            "t_low",
            "t_high",
            "p",
            "p_holm",
            "hedges_g",
            "cliffs_delta",
            "smallest_detectable",
            "first_chains",
            "second_chains",
        ],
        rows,
    )
}

fn leads(report: &Report) -> Result<Vec<u8>> {
    let found = headlines(&report.study, &super::deciding(report));
    let rows = found.iter().map(|h| {
        vec![
            h.measure.to_owned(),
            h.language.clone().unwrap_or_default(),
            h.first.clone(),
            h.second.clone(),
            h.kind.word().to_owned(),
            h.sentence(),
        ]
    });
    csv(
        &["metric", "language", "first", "second", "says", "sentence"],
        rows.collect(),
    )
}

fn hypothesis(report: &Report) -> Result<Vec<u8>> {
    let findings = report.hypothesis.iter().flat_map(|h| &h.findings);
    let rows = findings.map(|f| {
        let (standing, why) = f.standing();
        let mut row = vec![
            f.measure.clone(),
            f.arm.clone(),
            f.against.clone(),
            f.expected.word().to_owned(),
            number(f.smallest),
            number(f.difference),
        ];
        row.extend(ends(f.interval));
        row.extend([number(f.holm), standing.word().to_owned(), why]);
        row
    });
    csv(
        &[
            "metric",
            "arm",
            "against",
            "expected",
            "smallest",
            "difference",
            "t_low",
            "t_high",
            "p_holm",
            "standing",
            "why",
        ],
        rows.collect(),
    )
}

fn differences(study: &Study) -> Result<Vec<u8>> {
    let rows = study.differences.iter().flat_map(|d| {
        (0..study.arms.len()).map(move |at| {
            vec![
                d.sort.to_owned(),
                d.what.clone(),
                d.declared.words().to_owned(),
                arm(study, at),
                d.words(at),
            ]
        })
    });
    csv(
        &["sort", "what", "declared", "arm", "values"],
        rows.collect(),
    )
}

fn left_out(study: &Study) -> Result<Vec<u8>> {
    let rows = study.left_out.iter();
    csv(
        &["what", "why"],
        rows.map(|l| vec![l.what.clone(), l.why.clone()]).collect(),
    )
}

fn front(study: &Study) -> Result<Vec<u8>> {
    use crate::stats::Place;
    let rows = study.quality.front.iter().map(|f| {
        let by: Vec<String> = f.dominated_by.iter().map(|at| arm(study, *at)).collect();
        vec![
            arm(study, f.arm),
            number(f.cost.number()),
            number(f.success.number()),
            match f.place {
                Place::OnFront => "on front",
                Place::Tied => "tied",
                Place::Dominated => "dominated",
                Place::Unknown => "unknown",
            }
            .to_owned(),
            by.join(", "),
            number(f.cost_against_baseline),
            number(f.success_against_baseline),
        ]
    });
    csv(
        &[
            "arm",
            "cost_usd",
            "pass_at_1",
            "place",
            "dominated_by",
            "cost_against_baseline",
            "success_against_baseline",
        ],
        rows.collect(),
    )
}

fn scores(study: &Study) -> Result<Vec<u8>> {
    let rows = study.quality.scores.iter().flat_map(|s| {
        s.values.iter().enumerate().map(move |(at, value)| {
            let mut row = vec![s.id.clone(), arm(study, at)];
            row.extend(fields(value));
            row.extend(ends(s.intervals.get(at).copied().flatten()));
            row
        })
    });
    csv(
        &[
            "score", "arm", "value", "num", "den", "state", "reason", "low", "high",
        ],
        rows.collect(),
    )
}

fn tests(maps: &[HeatMap]) -> Result<Vec<u8>> {
    let mut rows = Rows::new();
    for map in maps {
        for row in &map.rows {
            for (k, cell) in map.checkpoints.iter().zip(&row.cells) {
                if cell.of() + cell.skipped == 0 {
                    continue;
                }
                rows.push(vec![
                    map.arm.clone(),
                    row.label.clone(),
                    row.tests.to_string(),
                    k.to_string(),
                    cell.passed.to_string(),
                    cell.failed.to_string(),
                    cell.skipped.to_string(),
                ]);
            }
        }
    }
    csv(
        &[
            "arm",
            "row",
            "tests",
            "checkpoint",
            "passed",
            "failed",
            "skipped",
        ],
        rows,
    )
}

fn regressions(report: &Report) -> Result<Vec<u8>> {
    let rows = report.regressions.iter().map(|r| {
        vec![
            arm(&report.study, r.arm),
            r.chain.clone(),
            r.checkpoint.to_string(),
            r.checkpoint_id.clone(),
            r.commit.clone(),
            r.test.clone(),
            r.how.clone(),
            if r.apart { "no" } else { "yes" }.to_owned(),
        ]
    });
    csv(
        &[
            "arm",
            "chain",
            "checkpoint",
            "checkpoint_id",
            "commit",
            "test",
            "how",
            "counted",
        ],
        rows.collect(),
    )
}
