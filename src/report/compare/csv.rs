//! A study as CSV: one row an arm's measure, a comparison, or an arm's score.

use std::io::Write;

use super::json::name;
use crate::error::Result;
use crate::measure::Value;
use crate::report::csv;
use crate::report::number::exact;
use crate::report::study::{ArmFigure, MeasureTable, Pair, Study};
use crate::stats::PhaseName;

/// The columns. What a row has no use for is empty.
const COLUMNS: [&str; 36] = [
    "row",
    "metric",
    "language",
    "arm",
    "against",
    "level",
    "design",
    "chains",
    "chains_against",
    "checkpoints",
    "values",
    "missing",
    "first",
    "last",
    "start",
    "early",
    "mid",
    "late",
    "final",
    "slope",
    "low",
    "high",
    "t_low",
    "t_high",
    "standard_error",
    "mean_of_chain_slopes",
    "total_mean",
    "total_sd",
    "p",
    "p_holm",
    "hedges_g",
    "cliffs_delta",
    "smallest_detectable",
    "value",
    "reads_as",
    "reason",
];

/// One row, its columns by name.
struct Row([String; COLUMNS.len()]);

impl Row {
    fn new(row: &str, metric: &str, language: Option<&str>, arm: &str) -> Row {
        let mut new = Row(std::array::from_fn(|_| String::new()));
        new.set("row", row).set("metric", metric).set("arm", arm);
        new.set("language", language.unwrap_or(""));
        new
    }

    fn set(&mut self, column: &str, value: impl Into<String>) -> &mut Row {
        if let Some(at) = COLUMNS.iter().position(|c| *c == column) {
            self.0[at] = value.into();
        }
        self
    }

    fn number(&mut self, column: &str, value: Option<f64>) -> &mut Row {
        self.set(column, value.map(exact).unwrap_or_default())
    }

    fn write(&self, out: &mut dyn Write) -> Result<()> {
        csv::record(out, self.0.iter().map(String::as_str))
    }
}

/// Writes all of it.
///
/// # Errors
/// What `out` says.
pub(super) fn write(out: &mut dyn Write, study: &Study) -> Result<()> {
    csv::record(out, COLUMNS)?;
    for table in &study.measures {
        for (at, figure) in table.arms.iter().enumerate() {
            arm(table, name(study, at), figure).write(out)?;
        }
        for each in &table.pairs {
            pair(study, table, each).write(out)?;
        }
    }
    for score in &study.quality.scores {
        for (at, value) in score.values.iter().enumerate() {
            let mut row = Row::new("score", &score.id, None, name(study, at));
            let interval = score.intervals.get(at).copied().flatten();
            row.number("low", interval.map(|i| i.low));
            row.number("high", interval.map(|i| i.high));
            match value {
                Value::Known(k) => row
                    .set("value", exact(k.value))
                    .set("reason", k.remark.clone().unwrap_or_default()),
                Value::Word(word) => row.set("value", *word),
                Value::Undefined(why) => row.set("reads_as", "undefined").set("reason", why),
                Value::Unknown(why) => row.set("reads_as", "unknown").set("reason", why),
            };
            row.write(out)?;
        }
    }
    Ok(())
}

fn arm(table: &MeasureTable, name: &str, figure: &ArmFigure) -> Row {
    let t = &figure.trend;
    let mut row = Row::new("arm", table.measure.id, table.language.as_deref(), name);
    row.set("chains", t.chains.to_string())
        .set("checkpoints", t.checkpoints.to_string())
        .set("values", t.values.to_string())
        .set("missing", t.missing.to_string())
        .number("first", t.first.map(|p| p.mean))
        .number("last", t.last.map(|p| p.mean))
        .number("slope", t.slope)
        .number("low", t.percentile.map(|i| i.low))
        .number("high", t.percentile.map(|i| i.high))
        .number("t_low", t.t_widened.map(|i| i.low))
        .number("t_high", t.t_widened.map(|i| i.high))
        .number("standard_error", t.standard_error)
        .number("mean_of_chain_slopes", t.mean_of_chain_slopes)
        .number("total_mean", figure.total.as_ref().and_then(|t| t.mean))
        .number("total_sd", figure.total.as_ref().and_then(|t| t.sd));
    for phase in &t.phases {
        let column = match phase.name {
            PhaseName::Start => "start",
            PhaseName::Early => "early",
            PhaseName::Mid => "mid",
            PhaseName::Late => "late",
            PhaseName::Final => "final",
        };
        row.number(column, phase.mean);
    }
    let reasons: Vec<String> = figure
        .missing
        .iter()
        .map(|(why, n)| format!("{n} {why}"))
        .collect();
    row.set(
        "reads_as",
        figure.verdict.map(|v| v.to_string()).unwrap_or_default(),
    );
    row.set("reason", reasons.join("; "));
    row
}

fn pair(study: &Study, table: &MeasureTable, pair: &Pair) -> Row {
    let c = &pair.comparison;
    let first = name(study, pair.first);
    let mut row = Row::new(
        "comparison",
        table.measure.id,
        table.language.as_deref(),
        first,
    );
    row.set("against", name(study, pair.second))
        .set("level", pair.stratum.clone().unwrap_or_default())
        .set(
            "design",
            pair.how(study.within.as_deref()).unwrap_or_default(),
        )
        .set("chains", c.chains.0.to_string())
        .set("chains_against", c.chains.1.to_string())
        .number("slope", c.slope_difference)
        .number("low", c.percentile.map(|i| i.low))
        .number("high", c.percentile.map(|i| i.high))
        .number("t_low", c.t_widened.map(|i| i.low))
        .number("t_high", c.t_widened.map(|i| i.high))
        .number("p", c.permutation.map(|p| p.p))
        .number("p_holm", pair.holm)
        .number("hedges_g", c.effect.and_then(|e| e.hedges_g))
        .number("cliffs_delta", c.effect.map(|e| e.cliffs_delta))
        .number("smallest_detectable", c.smallest_detectable)
        .set("reads_as", c.separation.as_str());
    row
}
