//! A report as one document for programs.

use std::io::Write;

use serde::Serialize;

use super::super::compare::json::Document as StudyJson;
use super::super::log::document;
use super::super::number::Number;
use super::headline::{HeadlineJson, headlines};
use super::hypothesis::{Finding, Hypothesis};
use super::model::{Regression, Report};
use crate::error::Result;

/// Writes a report.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, report: &Report) -> Result<()> {
    let study = &report.study;
    let found = headlines(study, &super::deciding(report));
    document(
        out,
        &Document {
            study: StudyJson::from(study),
            hypothesis: report.hypothesis.as_ref().map(HypothesisJson::from),
            headlines: found.iter().map(HeadlineJson::from).collect(),
            other_attempts: report.other.as_ref().map(StudyJson::from),
            regressions: report
                .regressions
                .iter()
                .map(|r| RegressionJson::of(report, r))
                .collect(),
        },
    )
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    study: StudyJson<'a>,
    hypothesis: Option<HypothesisJson<'a>>,
    headlines: Vec<HeadlineJson<'a>>,
    regressions: Vec<RegressionJson<'a>>,
    other_attempts: Option<StudyJson<'a>>,
}

#[derive(Serialize)]
struct HypothesisJson<'a> {
    statement: Option<&'a str>,
    standing: &'static str,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    metric: &'a str,
    arm: &'a str,
    against: &'a str,
    expected: &'static str,
    smallest: Option<Number>,
    difference: Option<Number>,
    low: Option<Number>,
    high: Option<Number>,
    p_holm: Option<Number>,
    standing: &'static str,
    why: String,
}

#[derive(Serialize)]
struct RegressionJson<'a> {
    arm: &'a str,
    chain: &'a str,
    checkpoint: u32,
    checkpoint_id: &'a str,
    commit: &'a str,
    test: &'a str,
    how: &'a str,
    counted: bool,
}

impl<'a> From<&'a Hypothesis> for HypothesisJson<'a> {
    fn from(h: &'a Hypothesis) -> Self {
        HypothesisJson {
            statement: h.statement.as_deref(),
            standing: h.standing().word(),
            findings: h.findings.iter().map(FindingJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(f: &'a Finding) -> Self {
        let (standing, why) = f.standing();
        FindingJson {
            metric: &f.measure,
            arm: &f.arm,
            against: &f.against,
            expected: f.expected.word(),
            smallest: f.smallest.map(Number),
            difference: f.difference.map(Number),
            low: f.interval.map(|i| Number(i.low)),
            high: f.interval.map(|i| Number(i.high)),
            p_holm: f.holm.map(Number),
            standing: standing.word(),
            why,
        }
    }
}

impl<'a> RegressionJson<'a> {
    fn of(report: &'a Report, r: &'a Regression) -> RegressionJson<'a> {
        RegressionJson {
            arm: report.study.arms.get(r.arm).map_or("", |a| &a.name),
            chain: &r.chain,
            checkpoint: r.checkpoint,
            checkpoint_id: &r.checkpoint_id,
            commit: &r.commit,
            test: &r.test,
            how: &r.how,
            counted: !r.apart,
        }
    }
}
