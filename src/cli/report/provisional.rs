//! A study laid out from trends.

use super::ReportArgs;
use crate::cli::study::Gathered;
use crate::cli::trends;
use crate::error::Result;
use crate::history::Place;
use crate::measure::catalogue::Measure;
use crate::report::{
    ArmFigure, Attempts, MeasureTable, Pair, Quality, Study, StudyArm, StudyChain, StudyCheckpoint,
};

pub(super) fn lay_out(
    gathered: &Gathered<'_>,
    _args: &ReportArgs,
    measures: &[&'static Measure],
) -> Result<Study> {
    let groups = gathered.groups();
    let rows = trends::rows(measures, &groups);
    let compared = trends::comparisons(measures, &groups);
    let name = |at: usize| gathered.arms[at].name.as_str();
    let mut tables = Vec::new();
    for measure in measures {
        let mut languages: Vec<Option<String>> = rows
            .iter()
            .filter(|r| r.measure == measure.id)
            .map(|r| r.language.clone())
            .collect();
        languages.sort();
        languages.dedup();
        for language in languages {
            let arms: Vec<ArmFigure> = (0..gathered.arms.len())
                .filter_map(|at| {
                    rows.iter().find(|r| {
                        r.measure == measure.id && r.language == language && r.group == name(at)
                    })
                })
                .map(|row| ArmFigure {
                    trend: row.trend.clone(),
                    verdict: row.verdict,
                    series: Vec::new(),
                    missing: row.missing.clone(),
                    points: (row.trend.values + row.trend.missing, 0),
                    total: None,
                })
                .collect();
            let pairs = compared
                .iter()
                .filter(|c| c.measure == measure.id && c.language == language)
                .map(|c| Pair {
                    first: gathered
                        .arms
                        .iter()
                        .position(|a| a.name == c.first)
                        .unwrap_or(0),
                    second: gathered
                        .arms
                        .iter()
                        .position(|a| a.name == c.second)
                        .unwrap_or(0),
                    stratum: None,
                    paired: false,
                    comparison: c.comparison.clone(),
                    holm: c.holm,
                })
                .collect();
            if arms.len() == gathered.arms.len() {
                tables.push(MeasureTable {
                    measure,
                    language,
                    arms,
                    pairs,
                });
            }
        }
    }
    let mut experiments: Vec<String> = gathered
        .arms
        .iter()
        .flat_map(|a| &a.chains)
        .map(|c| c.chain.path.experiment.clone())
        .collect();
    experiments.sort();
    experiments.dedup();
    Ok(Study {
        stamp: gathered.stamp.clone(),
        settings: gathered.settings.clone(),
        experiments,
        arms: gathered
            .arms
            .iter()
            .enumerate()
            .map(|(at, arm)| StudyArm {
                name: arm.name.clone(),
                baseline: at == 0,
                factors: std::collections::BTreeMap::new(),
                chains: arm
                    .chains
                    .iter()
                    .map(|c| StudyChain {
                        label: c.chain.label.clone(),
                        task: c.chain.path.task.clone(),
                        number: c.chain.path.chain,
                        base: c.chain.base.to_string(),
                        planned: None,
                        checkpoints: c
                            .changes
                            .iter()
                            .filter_map(|change| match &change.step.place {
                                Place::Chain {
                                    checkpoint,
                                    checkpoint_id,
                                    ..
                                } => Some(StudyCheckpoint {
                                    number: *checkpoint,
                                    id: checkpoint_id.clone(),
                                    commit: change.step.commit.id.to_string(),
                                }),
                                Place::Plain { .. } => None,
                            })
                            .collect(),
                    })
                    .collect(),
            })
            .collect(),
        by: "arm".to_owned(),
        within: None,
        attempts: Attempts::All,
        measures: tables,
        quality: Quality::default(),
        differences: Vec::new(),
        left_out: Vec::new(),
        remarks: gathered.remarks.clone(),
    })
}
