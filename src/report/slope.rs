//! `slope`: whether measures rise or fall, in every format.

use std::io::Write;

use serde::Serialize;

use super::csv;
use super::layout::{Format, Layout};
use super::log::{document, line};
use super::number::exact;
use super::slope_table::{write_markdown, write_table};
use super::stamp::{SettingsValues, Stamp};
use super::trend::{CompareJson, CompareRow, Grouping, SlopeJson, SlopeRow};
use crate::error::Result;

/// What the slopes show.
#[derive(Debug, Clone, Copy)]
pub struct SlopeView<'a> {
    /// By what they were made.
    pub stamp: &'a Stamp,
    /// The settings' values; empty for foreign data.
    pub settings: &'a SettingsValues,
    /// What the groups are.
    pub grouping: Grouping,
    /// One a measure and group, measures together.
    pub rows: &'a [SlopeRow],
    /// Pairs of arms.
    pub comparisons: &'a [CompareRow],
    /// Which changes were used, and what a reader should know.
    pub remarks: &'a [String],
}

/// Writes the slopes.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, view: SlopeView<'_>, layout: Layout) -> Result<()> {
    match layout.format {
        Format::Table => write_table(out, view, layout.columns),
        Format::Markdown => write_markdown(out, view),
        Format::Csv => write_csv(out, view),
        Format::Json => document(out, &Document::from(view)),
        Format::JsonLines => {
            for row in view.rows {
                let slope = SlopeJson::from(row);
                let stamp = view.stamp;
                line(out, &StampedRow { stamp, slope })?;
            }
            Ok(())
        }
    }
}

#[derive(Serialize)]
struct StampedRow<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    #[serde(flatten)]
    slope: SlopeJson<'a>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    stamp: &'a Stamp,
    settings: &'a SettingsValues,
    by: &'static str,
    remarks: &'a [String],
    slopes: Vec<SlopeJson<'a>>,
    comparisons: Vec<CompareJson<'a>>,
}

impl<'a> From<SlopeView<'a>> for Document<'a> {
    fn from(view: SlopeView<'a>) -> Self {
        Document {
            stamp: view.stamp,
            settings: view.settings,
            by: view.grouping.word(),
            remarks: view.remarks,
            slopes: view.rows.iter().map(SlopeJson::from).collect(),
            comparisons: view.comparisons.iter().map(CompareJson::from).collect(),
        }
    }
}

/// The columns of the CSV form.
pub(super) const COLUMNS: [&str; 18] = [
    "by",
    "group",
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
];

fn write_csv(out: &mut dyn Write, view: SlopeView<'_>) -> Result<()> {
    csv::record(out, COLUMNS)?;
    for row in view.rows {
        let t = &row.trend;
        let number = |v: Option<f64>| v.map(exact).unwrap_or_default();
        let fields = [
            view.grouping.word().to_owned(),
            row.group.clone(),
            row.measure.clone(),
            row.language.clone().unwrap_or_default(),
            number(t.slope),
            number(t.percentile.map(|i| i.low)),
            number(t.percentile.map(|i| i.high)),
            number(t.t_widened.map(|i| i.low)),
            number(t.t_widened.map(|i| i.high)),
            number(t.standard_error),
            number(t.mean_of_chain_slopes),
            t.chains.to_string(),
            t.checkpoints.to_string(),
            t.values.to_string(),
            t.missing.to_string(),
            number(t.first.map(|p| p.mean)),
            number(t.last.map(|p| p.mean)),
            row.verdict.map(|v| v.to_string()).unwrap_or_default(),
        ];
        csv::record(out, fields.iter().map(String::as_str))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::text;
    use super::*;
    use crate::stats::{Direction, Options, Point, Series, trend, verdict};

    fn row(group: &str, by: f64) -> SlopeRow {
        let series: Vec<Series> = (0..6)
            .map(|c| Series {
                chain: c.to_string(),
                points: (1..=6)
                    .map(|i| Point {
                        index: f64::from(i),
                        value: Some(by * f64::from(i) + f64::from(c) / 8.0),
                    })
                    .collect(),
            })
            .collect();
        let trend = trend(&series, &Options::default());
        SlopeRow {
            group: group.to_owned(),
            measure: "existing_fns_modified".to_owned(),
            language: None,
            verdict: Some(verdict(&trend, Direction::LowerIsBetter)),
            trend,
            missing: BTreeMap::new(),
            window_growing: false,
            all_unknown: false,
        }
    }

    fn stamp() -> Stamp {
        Stamp {
            schema: 1,
            tool: "git-evolve".to_owned(),
            analyser: "1".to_owned(),
            definitions: "1".to_owned(),
            config: "0".repeat(16),
        }
    }

    fn written(format: Format, columns: usize) -> String {
        let rows = [row("baseline", 1.0), row("guided", 0.0)];
        let stamp = stamp();
        let mut out = Vec::new();
        let view = SlopeView {
            stamp: &stamp,
            settings: &SettingsValues::new(),
            grouping: Grouping::Arm,
            rows: &rows,
            comparisons: &[],
            remarks: &[],
        };
        write(&mut out, view, Layout { format, columns }).expect("written");
        let text = String::from_utf8(out).expect("UTF-8");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn arms_stand_below_each_other_and_fit_eighty_columns() {
        let table = written(Format::Table, 80);
        insta::assert_snapshot!(table, @r"
        measure                arm       slope  95 % interval  chains  reads as
        existing_fns_modified  baseline     +1          1 … 1       6  degrades
                               guided        0          0 … 0       6  flat
        ");
        assert!(table.lines().all(|l| text::width(l) <= 80), "{table}");
    }

    #[test]
    fn a_json_document_has_curve_and_interval() {
        let value: serde_json::Value =
            serde_json::from_str(&written(Format::Json, 80)).expect("JSON");
        assert_eq!(value["slopes"][0]["slope"], 1);
        assert_eq!(value["slopes"][0]["interval"]["low"], 1);
        assert_eq!(value["slopes"][0]["curve"][5]["chains"], 6);
        assert_eq!(value["slopes"][0]["verdict"], "degrades");
        assert_eq!(value["slopes"][1]["verdict"], "flat");
        assert_eq!(value["by"], "arm");
    }

    #[test]
    fn csv_has_one_row_a_group() {
        let csv = written(Format::Csv, 80);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(
            lines[1].starts_with("arm,baseline,existing_fns_modified,,1,1,1,"),
            "{csv}"
        );
        assert!(lines[1].ends_with(",degrades"), "{csv}");
    }
}
