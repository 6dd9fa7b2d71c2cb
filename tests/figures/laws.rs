//! What holds for every figure: finite places inside the frame, the same bytes twice, ids of its
//! own, nothing that a name could do.

use std::collections::BTreeSet;

use git_evolve::report::chart::{
    Forest, ForestRow, HeatCell, HeatMap, HeatPanel, HeatRow, Look, Panel, Svg, forest, front,
    heat, lines, multiples,
};
use git_evolve::stats::{Interval, Series};
use proptest::prelude::*;

use super::reading::{Element, well_formed};
use super::sample::{arms, figure, placed, series, table};

/// Reads a figure both ways and looks at every coordinate and id in it.
fn lawful(figure: &Svg) {
    let inline = figure.inline();
    let all = well_formed(&inline);
    well_formed(&figure.file());
    let top = &all[0];
    assert_eq!(top.attributes["role"], "img");
    let size: Vec<f64> = top.attributes["viewBox"]
        .split(' ')
        .map(|n| n.parse().expect("a number"))
        .collect();
    for element in &all {
        inside(element, (size[2], size[3]));
    }
    let ids: Vec<&String> = all.iter().filter_map(|e| e.attributes.get("id")).collect();
    let unique: BTreeSet<&String> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id twice");
    for (role, name) in [("aria-labelledby", "title"), ("aria-describedby", "desc")] {
        let id = &top.attributes[role];
        let said = all.iter().find(|e| e.attributes.get("id") == Some(id));
        let said = said.expect("what names the figure is in it");
        assert_eq!(said.name, name);
        assert!(!said.text.is_empty());
    }
    for element in &all {
        let local = element
            .attributes
            .values()
            .filter_map(|v| v.strip_prefix("url(#"));
        for id in local {
            assert!(
                unique.iter().any(|u| **u == id.trim_end_matches(')')),
                "{id}"
            );
        }
        assert!(!element.name.eq_ignore_ascii_case("script"));
        assert!(
            element
                .attributes
                .keys()
                .all(|k| !k.starts_with("on") && !k.contains("href"))
        );
    }
}

/// Numbers of an attribute, at most one decimal each.
fn numbers(text: &str) -> Vec<f64> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
        rest = &rest[from..];
        let sign = usize::from(rest.starts_with('-'));
        let end = rest[sign..]
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .map_or(rest.len(), |e| e + sign);
        let number = &rest[..end];
        let decimals = number.split_once('.').map_or(0, |(_, d)| d.len());
        assert!(decimals <= 1, "{number} in {text}");
        out.push(
            number
                .parse()
                .unwrap_or_else(|_| panic!("{number} in {text}")),
        );
        rest = &rest[end..];
    }
    out
}

/// Follows a path and looks where it goes.
fn followed(d: &str, look: &mut impl FnMut(f64, f64)) {
    assert!(!d.contains("NaN") && !d.contains("inf"), "{d}");
    let (mut x, mut y, mut start) = (0.0, 0.0, (0.0, 0.0));
    let mut rest = d;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[1..];
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let n = numbers(&rest[..end]);
        rest = &rest[end..];
        match (letter, &n[..]) {
            ('M' | 'L', [a, b]) => (x, y) = (*a, *b),
            ('m' | 'l', [a, b]) => (x, y) = (x + a, y + b),
            ('H', [a]) => x = *a,
            ('V', [a]) => y = *a,
            ('h', [a]) => x += a,
            ('v', [a]) => y += a,
            ('a', [_, _, _, _, _, a, b]) => (x, y) = (x + a, y + b),
            ('Z' | 'z', []) => (x, y) = start,
            other => panic!("{other:?} in {d}"),
        }
        if letter.eq_ignore_ascii_case(&'m') {
            start = (x, y);
        }
        look(x, y);
    }
}

fn inside(element: &Element, (width, height): (f64, f64)) {
    let mut look = |x: f64, y: f64| {
        let here = (-0.5..=width + 0.5).contains(&x) && (-0.5..=height + 0.5).contains(&y);
        assert!(here, "{x} {y} of {width} {height}: {element:?}");
    };
    let number = |name: &str| {
        let text = element.attributes.get(name)?;
        let found = numbers(text);
        assert_eq!(found.len(), 1, "{name}={text}");
        Some(found[0])
    };
    // The patterns have coordinates of their own.
    let pattern = element
        .attributes
        .get("class")
        .is_some_and(|c| c == "ev-hatch");
    if let (Some(d), false) = (element.attributes.get("d"), pattern) {
        followed(d, &mut look);
    }
    for (x, y) in [("x", "y"), ("cx", "cy")] {
        if let (Some(x), Some(y)) = (number(x), number(y)) {
            look(x, y);
            let size = (
                number("width").unwrap_or(0.0),
                number("height").unwrap_or(0.0),
            );
            look(x + size.0, y + size.1);
        }
    }
}

/// Numbers of every size, some of them none.
fn value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        3 => (-1000.0..1000.0).prop_map(Some),
        1 => Just(None),
        1 => Just(Some(0.0)),
        // Squares and sums of these are numbers still.
        1 => any::<f64>().prop_map(|v| (v.abs() < 1e150).then_some(v)),
        1 => (0.0..1e-9).prop_map(Some),
        1 => (1e9..1e15).prop_map(Some),
    ]
}

fn experiment() -> impl Strategy<Value = Vec<Vec<Series>>> {
    let chain = proptest::collection::vec(value(), 0..12);
    let arm = proptest::collection::vec(chain, 0..4);
    proptest::collection::vec(arm, 1..5).prop_map(|arms| {
        let of = |(a, arm): (usize, Vec<Vec<Option<f64>>>)| {
            let chains = arm.iter().enumerate();
            chains
                .map(|(c, v)| series(&format!("x/{a}/{c}"), v))
                .collect()
        };
        arms.into_iter().enumerate().map(of).collect()
    })
}

/// Names that would like to be more than names.
const HOSTILE: [&str; 5] = [
    "</title><script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "a\u{0}\u{8}\u{1b}[31m\u{fffe}\u{202e}b",
    "&lt;![CDATA[ ]]> --> é 漢字 👩‍👩‍👧 ",
    "a-name-of-a-test-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on",
];

fn look() -> impl Strategy<Value = Look> {
    (0u32..2000, any::<bool>(), any::<bool>()).prop_map(|(width, heading, chains)| Look {
        id: "f\"><x".to_owned(),
        width,
        heading,
        chains,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn curves_are_lawful(all in experiment(), look in look()) {
        let arms = arms(&HOSTILE, &all);
        let table = table("net_cc", &all);
        let figure = lines(&table, &arms, &look);
        lawful(&figure);
        prop_assert_eq!(figure.file(), lines(&table, &arms, &look).file());
    }

    #[test]
    fn small_multiples_are_lawful(all in experiment(), look in look()) {
        let arms = arms(&HOSTILE, &all);
        let table = table("reedit_rate", &all);
        let panel = |(at, name): (usize, &&str)| Panel {
            name: (*name).to_owned(),
            arms: all
                .iter()
                .enumerate()
                .map(|(a, s)| (a != at).then(|| super::sample::figure("reedit_rate", s)))
                .collect(),
        };
        let panels: Vec<Panel> = HOSTILE.iter().enumerate().map(panel).collect();
        lawful(&multiples(table.measure, &panels, &arms, &look));
        lawful(&multiples(table.measure, &[], &arms, &look));
    }

    #[test]
    fn forests_are_lawful(
        rows in proptest::collection::vec((value(), value(), value(), 0usize..5, any::<bool>()), 0..9),
        look in look(),
    ) {
        let row = |(estimate, low, high, name, own): (Option<f64>, Option<f64>, Option<f64>, usize, bool)| ForestRow {
            group: HOSTILE[name].to_owned(),
            unit: "lines".to_owned(),
            label: HOSTILE[4 - name].to_owned(),
            arm: own.then_some(name),
            estimate,
            percentile: low.zip(high).map(|(low, high)| Interval { low, high }),
            t_widened: high.zip(estimate).map(|(low, high)| Interval { low, high }),
            verdict: HOSTILE[0].to_owned(),
        };
        let all = Forest {
            title: HOSTILE[1].to_owned(),
            rows: rows.into_iter().map(row).collect(),
        };
        lawful(&forest(&all, &look));
    }

    #[test]
    fn fronts_are_lawful(
        places in proptest::collection::vec((value(), value()), 0..5),
        look in look(),
    ) {
        let all = vec![Vec::new(); places.len()];
        lawful(&front(&placed(&places), &arms(&HOSTILE, &all), &look));
    }

    #[test]
    fn heat_maps_are_lawful(
        cells in proptest::collection::vec(proptest::collection::vec((0u32..6, 0u32..9), 0..9), 0..70),
        same in any::<bool>(),
        look in look(),
    ) {
        let cell = |&(kind, n): &(u32, u32)| match kind {
            0 => HeatCell::None,
            1 => HeatCell::NotRun,
            2 => HeatCell::Invalid,
            3 => HeatCell::Unknown,
            _ => HeatCell::Passed { passed: n, of: kind },
        };
        let rows: Vec<HeatRow> = cells
            .iter()
            .enumerate()
            .map(|(at, row)| HeatRow {
                label: HOSTILE[at % 5].to_owned(),
                group: HOSTILE[at / 9 % 5].to_owned(),
                cells: row.iter().map(cell).collect(),
            })
            .collect();
        let fewer = rows[..rows.len() / 2].to_vec();
        let map = HeatMap {
            title: HOSTILE[2].to_owned(),
            checkpoints: (1..=7).collect(),
            panels: vec![
                HeatPanel { name: HOSTILE[0].to_owned(), rows: rows.clone() },
                HeatPanel { name: HOSTILE[1].to_owned(), rows: if same { rows } else { fewer } },
            ],
        };
        lawful(&heat(&map, &look));
    }
}

#[test]
fn three_hundred_checkpoints_are_lawful_and_small() {
    let mut chance = super::sample::Chance::new(2);
    let all = [(); 2].map(|()| super::sample::chains(&mut chance, (10, 300), (9.0, 0.1, 3.0)));
    let figure = lines(
        &table("churn", &all),
        &arms(&["a", "b"], &all),
        &Look::new("x"),
    );
    lawful(&figure);
    assert!(figure.inline().len() < 160_000, "{}", figure.inline().len());
}

#[test]
fn what_is_pointed_at_keeps_the_name_that_was_cut() {
    let all = [vec![series("x/a/1", &[Some(1.0), Some(2.0)])]];
    let name = HOSTILE[4];
    let figure = lines(&table("churn", &all), &arms(&[name], &all), &Look::new("x"));
    let read = well_formed(&figure.inline());
    let cut = read
        .iter()
        .position(|e| e.name == "text" && e.text.ends_with('…'));
    let title = &read[cut.expect("a cut name") + 1];
    assert_eq!((title.name.as_str(), title.text.as_str()), ("title", name));
    let _ = figure_of_nothing();
}

fn figure_of_nothing() -> Svg {
    let none = figure("churn", &[]);
    let panel = Panel {
        name: String::new(),
        arms: vec![Some(none)],
    };
    let measure = table("churn", &[]).measure;
    multiples(
        measure,
        &[panel],
        &arms(&["a"], &[Vec::new()]),
        &Look::new("x"),
    )
}
