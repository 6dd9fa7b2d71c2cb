//! A report in which everything that comes from a repository is hostile.

use std::collections::BTreeMap;

use super::*;
use crate::measure::catalogue;
use crate::report::study::{
    ArmFigure, Attempts, Declared, Difference, HeatCell, HeatMap, HeatRow, LeftOut, MeasureTable,
    Pair, Provenance, Quality, Study, StudyArm, StudyChain, StudyCheckpoint,
};
use crate::report::{Column, Field, List, SettingsValues, Stamp};
use crate::stats::{Direction, Options, Point, Series, compare, trend, verdict};

/// Ends an element, an attribute in either quotes, a script, a code span and a table; then marks
/// itself.
const HOSTILE: &str = "</title></style></script><script>evil()</script>\"' onload=evil() x=\"`|\n\
                       ](https://evil.example) ![](https://evil.example/i.png) @everyone \
                       --><img src=x onerror=evil()>\u{202e}\u{0}";

pub(super) fn hostile() -> Report {
    let series = |by: f64| -> Vec<Series> {
        (0..6)
            .map(|c| Series {
                chain: format!("{HOSTILE}{c}"),
                points: (1..=5)
                    .map(|i| Point {
                        index: f64::from(i),
                        value: Some(by * f64::from(i) + f64::from(c) / 8.0),
                    })
                    .collect(),
            })
            .collect()
    };
    let measure = catalogue::find("churn").expect("it is there");
    let figure = |by: f64| {
        let series = series(by);
        let trend = trend(&series, &Options::default());
        ArmFigure {
            verdict: Some(verdict(&trend, Direction::Descriptive)),
            trend,
            series,
            missing: BTreeMap::from([(HOSTILE.to_owned(), 1)]),
            points: (30, 0),
            total: None,
        }
    };
    let text = || HOSTILE.to_owned();
    let chain = || StudyChain {
        label: text(),
        task: Some(text()),
        number: 1,
        base: "a".repeat(40),
        checkpoints: vec![StudyCheckpoint {
            number: 1,
            id: text(),
            commit: "b".repeat(40),
        }],
        planned: Some(1),
    };
    let arm = |baseline| StudyArm {
        name: text(),
        baseline,
        factors: BTreeMap::from([(text(), text())]),
        chains: vec![chain()],
    };
    let map = || HeatMap {
        arm: text(),
        rows_are: "test",
        checkpoints: vec![1],
        rows: vec![HeatRow {
            label: text(),
            tests: 1,
            cells: vec![HeatCell {
                passed: 1,
                failed: 0,
                skipped: 0,
            }],
        }],
        judged: vec![(1, 1)],
    };
    let mut list = List::new("x", "x").column(Column::left("what"));
    list.row(vec![Field::from(HOSTILE)]);
    Report {
        study: Study {
            stamp: Stamp {
                schema: 1,
                tool: "git-evolve".to_owned(),
                analyser: "1".to_owned(),
                definitions: "1".to_owned(),
                config: "0".repeat(16),
            },
            settings: SettingsValues::from([(text(), serde_json::json!(HOSTILE))]),
            experiments: vec![text()],
            arms: vec![arm(true), arm(false)],
            by: "arm".to_owned(),
            within: Some(text()),
            attempts: Attempts::All,
            measures: vec![MeasureTable {
                measure,
                language: None,
                arms: vec![figure(1.0), figure(0.0)],
                pairs: vec![Pair {
                    first: 1,
                    second: 0,
                    stratum: None,
                    paired: false,
                    over: Vec::new(),
                    comparison: compare(&series(1.0), &series(0.0), &Options::default()),
                    holm: Some(0.2),
                }],
            }],
            quality: Quality::default(),
            differences: vec![Difference {
                sort: "plan",
                what: text(),
                values: vec![vec![text()], Vec::new()],
                unknown: vec![0, 1],
                declared: Declared::No,
            }],
            provenance: vec![Provenance {
                sort: "agent",
                what: text(),
                values: vec![vec![text()], Vec::new()],
                unknown: vec![0, 1],
            }],
            left_out: vec![LeftOut {
                what: text(),
                why: text(),
            }],
            remarks: vec![text()],
        },
        other: None,
        hypothesis: Some(Hypothesis {
            statement: Some(text()),
            findings: Vec::new(),
        }),
        sentences: vec![text()],
        values: vec![ValueTable {
            measure,
            language: None,
            checkpoints: vec![1],
            arms: vec![vec![ChainValues {
                chain: text(),
                cells: vec![Some(CellValue::Unknown(0))],
            }]],
            reasons: vec![text()],
        }],
        heat: vec![map()],
        outcomes: vec![map()],
        regressions: vec![Regression {
            arm: 0,
            chain: text(),
            checkpoint: 1,
            checkpoint_id: text(),
            commit: "b".repeat(40),
            test: text(),
            how: text(),
            apart: false,
        }],
        controls: vec![list],
        control_remarks: vec![text()],
        commit_url: None,
    }
}

fn written(format: PageFormat) -> String {
    let mut out = Vec::new();
    write(&mut out, &hostile(), format).expect("written");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn a_hostile_repository_adds_no_element_and_no_attribute_to_a_page() {
    let html = written(PageFormat::Html);
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script").count(), 1);
    assert_eq!(html.matches("<style").count(), 1);
    assert_eq!(html.matches("<img").count(), 0);
    assert_eq!(html.matches("-->").count(), 0);
    assert!(
        !html.contains("\"' on") && !html.contains("' onload"),
        "a quote is closed"
    );
    assert!(!html.contains("href=\"https://evil"));
    assert!(!html.contains('\u{202e}') && !html.contains('\u{0}'));
    // It is there all the same, to be read.
    assert!(html.matches("&lt;img src=x onerror=evil()&gt;").count() > 20);
}

#[test]
fn the_same_holds_for_the_figures_that_stand_alone() {
    for (name, svg) in figure_files(&hostile()) {
        assert!(!svg.contains("<script") && !svg.contains("<img"), "{name}");
        assert!(!svg.contains("' onload") && !svg.contains("-->"), "{name}");
        assert!(!svg.contains('\u{0}'), "{name}");
    }
}

#[test]
fn a_comment_has_no_markup_link_or_call_of_it() {
    let md = written(PageFormat::Markdown);
    // What stands between two backticks is code, and the hostile text has no two in a row.
    let md: String = md.split("``").step_by(2).collect();
    assert!(!md.contains("<script") && !md.contains("<img"), "{md}");
    assert!(
        !md.contains("](https://evil") && !md.contains("@everyone"),
        "{md}"
    );
    for line in md.lines() {
        // A row of a table has the cells of its head: no pipe of it counts.
        assert!(
            !line.trim_start().starts_with("](") && !line.starts_with("evil"),
            "{line}"
        );
    }
    assert!(md.contains("evil"));
}

#[test]
fn the_document_and_the_data_quote_it() {
    let json: serde_json::Value = serde_json::from_str(&written(PageFormat::Json)).expect("JSON");
    assert_eq!(json["hypothesis"]["statement"], HOSTILE);
    let files = data_files(&hostile()).expect("written");
    let regressions = files.iter().find(|(name, _)| *name == "regressions.csv");
    let text = String::from_utf8_lossy(&regressions.expect("it is there").1).into_owned();
    assert!(text.contains(&HOSTILE.replace('"', "\"\"")), "{text}");
}
