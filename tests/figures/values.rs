//! What a figure tells is what it was handed.

use std::collections::BTreeSet;

use git_evolve::report::chart::{
    HeatCell, HeatMap, HeatPanel, HeatRow, Look, forest, front, heat, lines, slopes,
};
use git_evolve::report::{counted, short, signed};

use super::reading::{Element, well_formed};
use super::sample::{Chance, arms, chains, placed, series, table};

fn titles(inline: &str) -> Vec<String> {
    let all = well_formed(inline);
    let titles = all.iter().filter(|e| e.name == "title" && e.depth > 1);
    titles.map(|e| e.text.clone()).collect()
}

fn shown(inline: &str) -> Vec<Element> {
    let all = well_formed(inline);
    all.into_iter().filter(|e| e.name == "text").collect()
}

#[test]
fn every_point_tells_its_values() {
    let mut chance = Chance::new(17);
    let all = [0.2, -0.1].map(|s| chains(&mut chance, (7, 25), (3.0, s, 0.5)));
    let names = ["layered", "composed"];
    let table = table("existing_fns_modified", &all);
    let figure = lines(&table, &arms(&names, &all), &Look::new("x"));
    let told: BTreeSet<String> = titles(&figure.inline())
        .iter()
        .flat_map(|t| t.split("; "))
        .map(str::to_owned)
        .collect();
    for (name, arm) in names.iter().zip(&table.arms) {
        for (point, band) in arm.trend.mean_curve.iter().zip(&arm.trend.band) {
            let line = format!(
                "{name} @{}: {}, sd {}, 7 chains",
                short(point.index),
                short(point.mean),
                short(band.sd)
            );
            assert!(told.contains(&line), "{line}");
        }
        let slope = signed(arm.trend.slope.expect("a slope"));
        let said = figure.words();
        assert!(
            said.contains(&format!("slope {slope} a checkpoint")),
            "{said}"
        );
    }
    // Every chain is there, by name, once.
    for chain in all.iter().flatten() {
        assert!(told.contains(&chain.chain));
    }
}

#[test]
fn a_line_has_a_gap_where_nothing_is_known() {
    let values = [Some(1.0), Some(2.0), None, Some(2.0), Some(3.0)];
    let all = [vec![series("x/a/1", &values), series("x/a/2", &values)]];
    let line = |id: &str| {
        let figure = lines(&table(id, &all), &arms(&["a"], &all), &Look::new("x"));
        let read = well_formed(&figure.inline());
        let line = read.iter().rfind(|e| {
            let class = e.attributes.get("class");
            class.is_some_and(|c| c.starts_with("ev-line")) && e.attributes["d"].contains('l')
        });
        line.expect("a line").attributes["d"].clone()
    };
    assert_eq!(line("churn").matches('M').count(), 2);
    // What is taken at some checkpoints only is joined.
    assert_eq!(line("probe_recall").matches('M').count(), 1);
}

#[test]
fn how_many_chains_are_behind_each_mean_is_shown_where_it_varies() {
    let all = [vec![
        series("x/a/1", &[Some(1.0); 6]),
        series("x/a/2", &[Some(2.0); 4]),
        series("x/a/3", &[Some(2.0); 4]),
    ]];
    let figure = lines(&table("churn", &all), &arms(&["a"], &all), &Look::new("x"));
    let text: Vec<String> = shown(&figure.inline())
        .into_iter()
        .map(|e| e.text)
        .collect();
    let at = text.iter().position(|t| t == "Chains behind each mean:");
    let at = at.expect("the numbers are shown");
    assert_eq!(text[at + 1..at + 7], ["3", "3", "3", "3", "1", "1"]);
    let same = [vec![series("x/a/1", &[Some(1.0); 6])]];
    let figure = lines(
        &table("churn", &same),
        &arms(&["a"], &same),
        &Look::new("x"),
    );
    assert!(!figure.inline().contains("Chains behind"));
}

#[test]
fn a_forest_says_every_interval() {
    let mut chance = Chance::new(3);
    let all = [0.5, 0.0].map(|s| chains(&mut chance, (6, 9), (3.0, s, 0.5)));
    let table = table("churn", &all);
    let study = arms(&["a", "b"], &all);
    let figure = forest(
        &slopes(std::slice::from_ref(&table), &study),
        &Look::new("x"),
    );
    for (name, arm) in ["a", "b"].iter().zip(&table.arms) {
        let (p, t) = (arm.trend.percentile.unwrap(), arm.trend.t_widened.unwrap());
        let line = format!(
            "{name}: {}, 95 % interval {} to {}, t-widened {} to {}, {}",
            signed(arm.trend.slope.unwrap()),
            short(p.low),
            short(p.high),
            short(t.low),
            short(t.high),
            arm.verdict.unwrap()
        );
        assert!(titles(&figure.inline()).contains(&line), "{line}");
        assert!(figure.words().contains(&line));
    }
}

#[test]
fn a_front_places_what_is_known_and_names_the_rest() {
    let quality = placed(&[
        (Some(2.0), Some(0.5)),
        (Some(3.0), Some(0.4)),
        (None, Some(1.0)),
    ]);
    let all = vec![Vec::new(); 3];
    let figure = front(&quality, &arms(&["a", "b", "c"], &all), &Look::new("x"));
    assert_eq!(
        titles(&figure.inline()),
        [
            "a: 2 USD, pass_at_1 0.500, on the front",
            "b: 3 USD, pass_at_1 0.400, dominated by a",
        ]
    );
    assert!(
        figure
            .words()
            .contains("c: cost unknown (no envelope of 2 of 6 chains)")
    );
    let text: Vec<String> = shown(&figure.inline())
        .into_iter()
        .map(|e| e.text)
        .collect();
    assert!(
        text.iter().any(|t| t.starts_with("Not placed: c")),
        "{text:?}"
    );
}

#[test]
fn names_on_a_front_cover_neither_each_other_nor_a_mark() {
    // Names as wide as they are taken to be; marks five from their middle.
    let known = |c: f64, s: f64| (Some(c), Some(s));
    let quality = placed(&[
        known(1.0, 0.50),
        known(1.01, 0.50),
        known(1.02, 0.51),
        known(1.01, 0.52),
        known(2.0, 0.9),
    ]);
    let names = ["first", "second", "third", "fourth", "far"];
    let figure = front(
        &quality,
        &arms(&names, &vec![Vec::new(); 5]),
        &Look::new("x"),
    );
    let boxes: Vec<(f64, f64, f64)> = shown(&figure.inline())
        .iter()
        .filter(|e| names.contains(&e.text.as_str()))
        .map(|e| {
            let at = |name: &str| e.attributes[name].parse::<f64>().unwrap();
            let wide = e.text.len() as f64 * 6.2;
            let class = &e.attributes["class"];
            let left = if class.contains("ev-end") {
                at("x") - wide
            } else if class.contains("ev-mid") {
                at("x") - wide / 2.0
            } else {
                at("x")
            };
            (left, left + wide, at("y"))
        })
        .collect();
    assert_eq!(boxes.len(), names.len());
    for (i, a) in boxes.iter().enumerate() {
        for b in &boxes[..i] {
            let apart = a.0 >= b.1 || b.0 >= a.1 || (a.2 - b.2).abs() >= 11.0;
            assert!(apart, "{boxes:?}");
        }
    }
}

#[test]
fn a_heat_map_tells_every_cell_of_a_small_one() {
    let passed = |passed| HeatCell::Passed { passed, of: 3 };
    let cells = vec![
        HeatCell::None,
        passed(3),
        passed(3),
        passed(1),
        HeatCell::Invalid,
        HeatCell::NotRun,
        HeatCell::Unknown,
    ];
    let map = HeatMap {
        title: "Tests".to_owned(),
        checkpoints: vec![1, 2, 3, 4, 5, 6, 9],
        panels: vec![HeatPanel {
            name: "a".to_owned(),
            rows: vec![HeatRow {
                label: "t".to_owned(),
                group: String::new(),
                cells,
            }],
        }],
    };
    let figure = heat(&map, &Look::new("x"));
    assert_eq!(
        titles(&figure.inline()),
        [
            "t @2–3: 3 of 3 pass",
            "t @4: 1 of 3 pass",
            "t @5: no verdict",
            "t @6: not run",
            "t @9: unknown",
        ]
    );
    assert!(figure.words().contains(&format!(
        "a: of the places of {} by checkpoint 2 pass in every chain, 1 in some, 0 in none, \
         1 were not run, 1 have no verdict, 1 are unknown.",
        counted(1u64, "row", "rows")
    )));
}
