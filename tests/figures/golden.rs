//! One figure of each kind, byte for byte, and many more to be looked at.

use std::path::Path;

use git_evolve::report::chart::{
    HeatCell, Look, Panel, Svg, forest, front, heat, lines, multiples, page_style,
    slope_differences, slopes,
};
use git_evolve::report::{MeasureTable, StudyArm};
use git_evolve::stats::Series;

use super::reading::well_formed;
use super::sample::{Chance, arms, chains, figure, heat_map, placed, series, table};

/// Held against its golden file; the new one is written where `EVOLVE_FIGURES` says.
fn holds(name: &str, figure: &Svg) {
    let file = figure.file();
    well_formed(&file);
    let inline = figure.inline();
    well_formed(&inline);
    written(name, figure);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/figures/{name}.svg"));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == file,
        "{name} is not what fixtures/figures/{name}.svg is: look at the new one \
         (EVOLVE_FIGURES=DIR) and put it there if it is right"
    );
}

fn written(name: &str, figure: &Svg) {
    if let Some(dir) = std::env::var_os("EVOLVE_FIGURES") {
        let dir = Path::new(&dir);
        std::fs::create_dir_all(dir).expect("a folder");
        std::fs::write(dir.join(format!("{name}.svg")), figure.file()).expect("written");
        std::fs::write(dir.join(format!("{name}.part")), figure.inline()).expect("written");
        std::fs::write(dir.join("page.css"), page_style()).expect("written");
    }
}

fn two_arms() -> Vec<Vec<Series>> {
    let mut chance = Chance::new(5);
    vec![
        chains(&mut chance, (6, 10), (1.0, 0.31, 0.5)),
        chains(&mut chance, (6, 10), (1.2, 0.02, 0.4)),
    ]
}

const NAMES: [&str; 2] = ["layered", "composed"];

fn tables() -> (Vec<MeasureTable>, Vec<StudyArm>) {
    let two = two_arms();
    let mut chance = Chance::new(11);
    let mut of = |id: &str, a: (f64, f64, f64), b: (f64, f64, f64)| {
        let both = [
            chains(&mut chance, (6, 10), a),
            chains(&mut chance, (6, 10), b),
        ];
        table(id, &both)
    };
    let tables = vec![
        table("existing_fns_modified", &two),
        of("net_cognitive", (3.0, 1.4, 3.0), (3.0, 0.1, 2.0)),
        of("reedit_rate", (0.2, 0.031, 0.08), (0.1, -0.004, 0.06)),
        of("entry_cc", (3.0, 1.9, 0.6), (3.0, 0.0, 0.0)),
        of("cost_usd", (0.4, 0.01, 0.1), (0.5, 0.006, 0.1)),
        of("strict_pass", (0.9, -0.05, 0.2), (0.95, -0.01, 0.1)),
    ];
    (tables, arms(&NAMES, &two))
}

#[test]
fn lines_are_what_they_were() {
    let two = two_arms();
    let look = Look::new("modified");
    let table = table("existing_fns_modified", &two);
    holds("lines", &lines(&table, &arms(&NAMES, &two), &look));
}

#[test]
fn a_forest_is_what_it_was() {
    let (tables, arms) = tables();
    let look = Look::new("slopes");
    let wide = Look::new("differences").wide(720);
    let differences = forest(&slope_differences(&tables, &arms), &wide);
    written("forest-differences", &differences);
    well_formed(&differences.file());
    holds("forest", &forest(&slopes(&tables, &arms), &look));
}

#[test]
fn a_front_is_what_it_was() {
    let known = |c, s| (Some(c), Some(s));
    let quality = placed(&[
        known(4.2, 0.62),
        known(5.1, 0.81),
        known(5.2, 0.8),
        known(5.15, 0.79),
        (None, Some(0.9)),
        known(9.3, 0.84),
    ]);
    let names = [
        "layered",
        "composed",
        "composed-spec",
        "hexagonal",
        "event-sourced",
        "spec",
    ];
    let arms = arms(&names, &vec![Vec::new(); 6]);
    holds("front", &front(&quality, &arms, &Look::new("front")));
}

#[test]
fn a_heat_map_is_what_it_was() {
    let mut map = heat_map(&mut Chance::new(3), 12, 10, &NAMES);
    map.panels[0].rows[4].cells[6..9].fill(HeatCell::Invalid);
    map.panels[0].rows[2].cells[7..9].fill(HeatCell::NotRun);
    map.panels[1].rows[1].cells[5..9].fill(HeatCell::Unknown);
    holds("heat", &heat(&map, &Look::new("heat")));
}

#[test]
fn small_multiples_are_what_they_were() {
    let mut chance = Chance::new(8);
    let panel = |name: &str, chance: &mut Chance, alone: bool| {
        let mut of = |slope| {
            let chains = chains(chance, (3, 8), (2.0, slope, 0.6));
            figure("existing_fns_modified", &chains)
        };
        Panel {
            name: name.to_owned(),
            arms: vec![Some(of(0.4)), (!alone).then(|| of(0.1))],
        }
    };
    let panels: Vec<Panel> = [
        "orders",
        "search",
        "invoices",
        "a-task-with-a-long-name-indeed",
    ]
    .iter()
    .enumerate()
    .map(|(at, name)| panel(name, &mut chance, at == 2))
    .collect();
    let arms = arms(&NAMES, &two_arms());
    let measure = table("existing_fns_modified", &two_arms()).measure;
    let wide = multiples(measure, &panels, &arms, &Look::new("tasks").wide(720));
    written("multiples-wide", &wide);
    holds(
        "multiples",
        &multiples(measure, &panels, &arms, &Look::new("tasks")),
    );
}

/// Figures at the edge of what there is; well-formed, and written to be looked at.
#[test]
fn odd_experiments_have_figures_too() {
    let mut chance = Chance::new(21);
    let show = |name: &str, id: &str, names: &[&str], all: &[Vec<Series>], look: Look| {
        let figure = lines(&table(id, all), &arms(names, all), &look);
        well_formed(&figure.file());
        written(name, &figure);
    };
    let long = [
        chains(&mut chance, (10, 60), (2.0, 0.05, 1.0)),
        chains(&mut chance, (10, 60), (2.0, 0.01, 0.7)),
    ];
    show(
        "lines-60",
        "existing_fns_modified",
        &NAMES,
        &long,
        Look::new("a"),
    );
    show(
        "lines-60-wide",
        "existing_fns_modified",
        &NAMES,
        &long,
        Look::new("a").wide(720),
    );

    let mut gaps = long.clone();
    for (c, series) in gaps[0].iter_mut().enumerate() {
        series.points.truncate(60 - c * 4);
        for k in [11, 12, 30, 32] {
            series.points[k.min(20)].value = None;
        }
    }
    show("lines-gaps", "net_cognitive", &NAMES, &gaps, Look::new("b"));
    let short: Vec<Vec<Series>> = gaps
        .iter()
        .map(|a| {
            let mut a = a.clone();
            for (c, s) in a.iter_mut().enumerate() {
                s.points.truncate(if c < 3 { 9 } else { 6 });
            }
            a
        })
        .collect();
    show("lines-few", "net_cognitive", &NAMES, &short, Look::new("c"));

    let sparse = [0.5, 0.2].map(|drop| {
        let of = |c: usize| {
            let values: Vec<_> = (1..=20)
                .map(|k| (k % 5 == 0).then(|| 1.0 - drop * f64::from(k) / 20.0 - 0.02 * c as f64))
                .collect();
            series(&format!("x/a/{c}"), &values)
        };
        (0..6).map(of).collect::<Vec<_>>()
    });
    show(
        "lines-sparse",
        "probe_recall",
        &NAMES,
        &sparse,
        Look::new("d"),
    );

    let many: Vec<Vec<Series>> = (0..8)
        .map(|a| {
            chains(
                &mut chance,
                (3, 24),
                (5.0 + f64::from(a), 0.1 * f64::from(a), 0.3),
            )
        })
        .collect();
    let names = [
        "layered",
        "composed",
        "hexagonal",
        "event-sourced",
        "spec",
        "spec-and-guidance",
        "an-architecture-with-a-name-that-is-much-longer-than-anybody-would-like-it",
        "plain",
    ];
    show("lines-8-arms", "loc_java", &names, &many, Look::new("e"));

    let of = |value: f64| {
        (0..3)
            .map(|c| series(&format!("x/a/{c}"), &[Some(value); 7]))
            .collect::<Vec<_>>()
    };
    show(
        "lines-constant",
        "churn",
        &NAMES,
        &[of(7.0), of(7.0)],
        Look::new("f"),
    );
    show(
        "lines-zero",
        "churn",
        &NAMES,
        &[of(0.0), of(0.0)],
        Look::new("g"),
    );
    let one = [vec![series("x/a/1", &[Some(3.5)])]];
    show("lines-one-point", "churn", &NAMES, &one, Look::new("h"));
    let alone = [vec![series(
        "x/a/1",
        &[Some(3.0), None, Some(-4.0), Some(2.0)],
    )]];
    show("lines-one-chain", "net_cc", &NAMES, &alone, Look::new("i"));
    let none = [vec![series("x/a/1", &[None, None])]];
    show("lines-none", "regressions", &NAMES, &none, Look::new("j"));
    show(
        "lines-300",
        "churn",
        &NAMES,
        &[
            chains(&mut chance, (4, 300), (100.0, 0.2, 40.0)),
            chains(&mut chance, (4, 300), (100.0, 0.0, 40.0)),
        ],
        Look::new("k"),
    );
    show(
        "lines-huge",
        "input_tokens",
        &NAMES,
        &[
            chains(&mut chance, (6, 20), (1.2e6, 9e4, 2e5)),
            chains(&mut chance, (6, 20), (1.1e6, 2e4, 2e5)),
        ],
        Look::new("l"),
    );
    show(
        "lines-tiny",
        "cost_usd",
        &NAMES,
        &[chains(&mut chance, (6, 20), (2e-6, 1e-8, 1e-7))],
        Look::new("m"),
    );

    let big = heat_map(&mut Chance::new(4), 300, 60, &NAMES);
    let figure = heat(&big, &Look::new("n"));
    well_formed(&figure.file());
    written("heat-300", &figure);
    assert!(figure.inline().len() < 400_000, "{}", figure.inline().len());
    written("heat-300-wide", &heat(&big, &Look::new("n").wide(720)));
    let categories = heat_map(&mut Chance::new(9), 4, 60, &NAMES);
    written("heat-few", &heat(&categories, &Look::new("o")));

    let known = |c: f64, s: f64| (Some(c), Some(s));
    let crowd: Vec<_> = (0..8)
        .map(|_| known(3.0 + chance.part() * 0.2, 0.5 + chance.part() * 0.05))
        .collect();
    let all = arms(&names, &many);
    written(
        "front-crowd",
        &front(&placed(&crowd), &all, &Look::new("p")),
    );
    written(
        "front-crowd-wide",
        &front(&placed(&crowd), &all, &Look::new("p").wide(720)),
    );
    written(
        "front-one",
        &front(&placed(&[known(3.0, 1.0)]), &all, &Look::new("q")),
    );
    written(
        "front-none",
        &front(&placed(&[(None, None)]), &all, &Look::new("r")),
    );
    let ties = [known(3.0, 1.0), known(3.0, 1.0), known(0.0, 0.0)];
    written("front-ties", &front(&placed(&ties), &all, &Look::new("s")));
}
