//! What the plan set out to find, held against what was measured.

use crate::cli::study::GatheredChain;
use crate::plan::{self, Primary};
use crate::report::{Expected, Finding, Hypothesis, Study};
use crate::stats::holm;

/// The hypothesis of the newest plan that states one, with what was found; `None` where none
/// does.
pub(super) fn of(study: &Study, arms: &[Vec<&GatheredChain<'_>>]) -> Option<Hypothesis> {
    let plans = arms.iter().flatten().filter_map(|c| c.plan.as_ref());
    let stated: Vec<&plan::Hypothesis> = plans.filter_map(|p| p.hypothesis.as_ref()).collect();
    let hypothesis = stated.last()?;
    let mut findings: Vec<Finding> = hypothesis
        .primary
        .iter()
        .flat_map(|primary| of_measure(study, primary))
        .collect();
    // Named beforehand: they are a family of their own.
    let p: Vec<f64> = findings
        .iter()
        .map(|f| f.holm.unwrap_or(f64::NAN))
        .collect();
    for (finding, adjusted) in findings.iter_mut().zip(holm(&p)) {
        finding.holm = (!adjusted.is_nan()).then_some(adjusted);
    }
    Some(Hypothesis {
        statement: hypothesis.statement.clone(),
        findings,
    })
}

/// One a language that the measure has figures in, and arm against the baseline; of an arm that was
/// not compared with it one that says so, since a part that was not seen supports nothing. `holm` of
/// each is its p-value as it is.
fn of_measure(study: &Study, primary: &Primary) -> Vec<Finding> {
    let id = crate::measure::catalogue::find(&primary.measure).map(|m| m.id);
    let tables = study.measures.iter().filter(|t| Some(t.measure.id) == id);
    let expected = match primary.direction {
        plan::Direction::Lower => Expected::Lower,
        plan::Direction::Higher => Expected::Higher,
        plan::Direction::Differs => Expected::Differs,
    };
    let mut findings = Vec::new();
    for table in tables {
        let over_all = table.pairs.iter().filter(|p| p.stratum.is_none());
        for pair in over_all.filter(|p| p.second == 0) {
            let name = |at: usize| study.arms.get(at).map_or("?", |a| a.name.as_str());
            let c = &pair.comparison;
            findings.push(Finding {
                measure: match &table.language {
                    Some(language) => format!("{} ({language})", table.measure.id),
                    None => table.measure.id.to_owned(),
                },
                unit: table.measure.unit.to_owned(),
                arm: name(pair.first).to_owned(),
                against: name(pair.second).to_owned(),
                expected,
                smallest: primary.smallest,
                difference: c.slope_difference,
                interval: c.t_widened,
                holm: c.permutation.map(|p| p.p),
                chains: c.chains,
                tasks: pair.paired.then_some(pair.over.len()),
            });
        }
    }
    if let Some((baseline, others)) = study.arms.split_first() {
        let seen: Vec<String> = findings.iter().map(|f| f.arm.clone()).collect();
        let unseen = others.iter().filter(|arm| !seen.contains(&arm.name));
        findings.extend(unseen.map(|arm| Finding {
            measure: primary.measure.clone(),
            unit: String::new(),
            arm: arm.name.clone(),
            against: baseline.name.clone(),
            expected,
            smallest: primary.smallest,
            difference: None,
            interval: None,
            holm: None,
            chains: (0, 0),
            tasks: None,
        }));
    }
    findings
}
