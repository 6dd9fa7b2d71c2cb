//! Comparisons task by task and within levels, against numpy and against every labelling there
//! is. `fixtures/statistics/comparisons.json` is written by `tests/scripts/comparisons.py`.

use std::path::Path;

use git_evolve::stats::{
    Comparison, Options, Point, Separation, Series, compare, compare_paired, compare_within, trend,
};
use proptest::prelude::*;
use serde_json::Value;

type Level = (Vec<Series>, Vec<Series>);

fn series(arm: &str, index: &[f64], rows: &[Vec<f64>]) -> Vec<Series> {
    let chain = |(i, row): (usize, &Vec<f64>)| Series {
        chain: format!("{arm}/{i:02}"),
        points: index
            .iter()
            .zip(row)
            .map(|(&index, &v)| Point {
                index,
                value: (!v.is_nan()).then_some(v),
            })
            .collect(),
    };
    rows.iter().enumerate().map(chain).collect()
}

/// Both arms over all levels, their chains told apart by level.
fn whole(levels: &[Level], side: fn(&Level) -> &Vec<Series>) -> Vec<Series> {
    let chains = levels.iter().enumerate().flat_map(|(at, level)| {
        side(level).iter().cloned().map(move |mut s| {
            s.chain = format!("{at}/{}", s.chain);
            s
        })
    });
    chains.collect()
}

fn compared(how: &str, levels: &[Level], options: &Options) -> (Comparison, Vec<usize>) {
    let (a, b) = (
        trend(&whole(levels, |l| &l.0), options),
        trend(&whole(levels, |l| &l.1), options),
    );
    match how {
        "paired" => compare_paired(levels, (&a, &b), options),
        _ => compare_within(levels, (&a, &b), options),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter()
        .map(|v| v.as_f64().unwrap_or(f64::NAN))
        .collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value
        .as_array()
        .expect("rows")
        .iter()
        .map(numbers)
        .collect()
}

#[track_caller]
fn close(got: Option<f64>, expected: &Value, what: &str) {
    match expected.as_f64() {
        None => assert_eq!(got, None, "{what}"),
        Some(expected) => {
            let got = got.unwrap_or(f64::NAN);
            assert!(
                (got - expected).abs() <= 1e-9,
                "{what}: {got}, not {expected}"
            );
        }
    }
}

#[test]
fn numpy_finds_the_same_differences_by_task_and_within_levels() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/statistics/comparisons.json");
    let text = std::fs::read_to_string(file).expect("a readable fixture");
    let fixture: Value = serde_json::from_str(&text).expect("JSON");
    let options = Options {
        resamples: fixture["options"]["resamples"].as_u64().expect("a count") as u32,
        seed: fixture["options"]["seed"].as_u64().expect("a seed"),
    };
    let cases = fixture["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let index = numbers(&case["index"]);
        let levels: Vec<Level> = case["levels"]
            .as_array()
            .expect("levels")
            .iter()
            .map(|l| {
                let arm = |arm: &str| series(arm, &index, &rows(&l[arm]));
                (arm("a"), arm("b"))
            })
            .collect();
        let (got, used) = compared(case["how"].as_str().expect("a word"), &levels, &options);
        let expected = &case["expected"];
        assert_eq!(used.len(), levels.len(), "{name}");
        close(got.slopes.0, &expected["slopes"][0], name);
        close(got.slopes.1, &expected["slopes"][1], name);
        close(got.slope_difference, &expected["difference"], name);
        for (interval, key) in [(got.percentile, "percentile"), (got.t_widened, "t_widened")] {
            close(
                interval.map(|i| i.low),
                &expected[key][0],
                &format!("{name}: {key}"),
            );
            close(
                interval.map(|i| i.high),
                &expected[key][1],
                &format!("{name}: {key}"),
            );
        }
        let p = got.permutation.expect("a test");
        assert!(p.exact, "{name}");
        assert_eq!(p.labellings, expected["labellings"], "{name}");
        close(Some(p.p), &expected["p"], &format!("{name}: p"));
        close(
            got.smallest_detectable,
            &expected["smallest_detectable"],
            name,
        );
        close(
            got.effect.and_then(|e| e.hedges_g),
            &expected["hedges_g"],
            name,
        );
        close(
            got.effect.map(|e| e.cliffs_delta),
            &expected["cliffs_delta"],
            name,
        );
    }
}

/// A chain with this slope over four checkpoints.
fn line(arm: &str, at: usize, slope: f64) -> Series {
    Series {
        chain: format!("{arm}/{at:02}"),
        points: (1..=4)
            .map(|k| Point {
                index: f64::from(k),
                value: Some(slope * f64::from(k)),
            })
            .collect(),
    }
}

fn arm(name: &str, slopes: &[f64]) -> Vec<Series> {
    slopes
        .iter()
        .enumerate()
        .map(|(at, s)| line(name, at, *s))
        .collect()
}

fn level((a, b): &(Vec<f64>, Vec<f64>)) -> Level {
    (arm("a", a), arm("b", b))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// All differences of means that relabelling within the levels can give, averaged over them.
fn relabelled(levels: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let of_level = |(a, b): &(Vec<f64>, Vec<f64>)| -> Vec<f64> {
        let all: Vec<f64> = a.iter().chain(b).copied().collect();
        let chosen = |bits: u32| -> (Vec<f64>, Vec<f64>) {
            let (one, other): (Vec<(usize, f64)>, Vec<(usize, f64)>) = all
                .iter()
                .copied()
                .enumerate()
                .partition(|(i, _)| bits >> i & 1 == 1);
            let plain = |v: Vec<(usize, f64)>| v.into_iter().map(|x| x.1).collect();
            (plain(one), plain(other))
        };
        (0..1_u32 << all.len())
            .filter(|bits| bits.count_ones() as usize == a.len())
            .map(|bits| {
                let (one, other) = chosen(bits);
                mean(&one) - mean(&other)
            })
            .collect()
    };
    let mut sums = vec![0.0];
    for level in levels {
        let each = of_level(level);
        sums = sums
            .iter()
            .flat_map(|s| each.iter().map(move |d| s + d))
            .collect();
    }
    sums.iter().map(|s| s / levels.len() as f64).collect()
}

fn share(all: &[f64], observed: f64) -> f64 {
    let hits = all.iter().filter(|d| d.abs() >= observed.abs() - 1e-9);
    hits.count() as f64 / all.len() as f64
}

fn slopes() -> impl Strategy<Value = Vec<f64>> {
    // Few different values, so that ties are frequent.
    prop::collection::vec((-8..8_i32).prop_map(|s| f64::from(s) / 4.0), 1..4)
}

fn levels() -> impl Strategy<Value = Vec<(Vec<f64>, Vec<f64>)>> {
    prop::collection::vec((slopes(), slopes()), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn labels_within_levels_are_permuted_as_enumeration_does(of in levels()) {
        let all: Vec<Level> = of.iter().map(level).collect();
        let (got, used) = compared("within", &all, &Options::default());
        prop_assert_eq!(used.len(), of.len());
        let differences: Vec<f64> = of.iter().map(|(a, b)| mean(a) - mean(b)).collect();
        let observed = mean(&differences);
        prop_assert!((got.slope_difference.expect("slopes") - observed).abs() < 1e-9);
        let every = relabelled(&of);
        let p = got.permutation.expect("a test");
        prop_assert_eq!(p.labellings as usize, every.len());
        prop_assert!((p.p - share(&every, observed)).abs() < 1e-12);
    }

    #[test]
    fn signs_of_differences_by_task_are_flipped_as_enumeration_does(of in levels()) {
        let all: Vec<Level> = of.iter().map(level).collect();
        let (got, _) = compared("paired", &all, &Options::default());
        let differences: Vec<f64> = of.iter().map(|(a, b)| mean(a) - mean(b)).collect();
        let n = differences.len();
        let every: Vec<f64> = (0..1_u32 << n)
            .map(|bits| {
                let signed = differences.iter().enumerate();
                let signed = signed.map(|(i, d)| if bits >> i & 1 == 1 { *d } else { -d });
                signed.sum::<f64>() / n as f64
            })
            .collect();
        let p = got.permutation.expect("a test");
        prop_assert_eq!(p.labellings as usize, every.len());
        prop_assert!((p.p - share(&every, mean(&differences))).abs() < 1e-12);
    }

    #[test]
    fn one_level_is_a_comparison_of_whole_arms(of in (slopes(), slopes())) {
        let one = level(&of);
        let plain = compare(&one.0, &one.1, &Options::default());
        let (got, _) = compared("within", &[one], &Options::default());
        prop_assert_eq!(got.permutation.map(|p| p.p), plain.permutation.map(|p| p.p));
        prop_assert_eq!(got.percentile, plain.percentile);
        prop_assert_eq!(got.smallest_detectable, plain.smallest_detectable);
    }

    #[test]
    fn the_order_of_chains_moves_nothing(of in levels()) {
        let all: Vec<Level> = of.iter().map(level).collect();
        let turned: Vec<Level> = all
            .iter()
            .map(|(a, b)| (a.iter().rev().cloned().collect(), b.iter().rev().cloned().collect()))
            .collect();
        for how in ["paired", "within"] {
            let options = Options::default();
            prop_assert_eq!(compared(how, &all, &options), compared(how, &turned, &options));
        }
    }

    #[test]
    fn swapping_the_arms_turns_signs_alone(of in levels()) {
        let all: Vec<Level> = of.iter().map(level).collect();
        let swapped: Vec<Level> = all.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        for how in ["paired", "within"] {
            let (one, _) = compared(how, &all, &Options::default());
            let (other, _) = compared(how, &swapped, &Options::default());
            let other = other.mirrored();
            prop_assert_eq!(one.slopes, other.slopes);
            prop_assert!((one.slope_difference.expect("a") - other.slope_difference.expect("b")).abs() < 1e-12);
            prop_assert_eq!(one.permutation, other.permutation);
            prop_assert_eq!(one.effect.map(|e| e.cliffs_delta), other.effect.map(|e| e.cliffs_delta));
            prop_assert_eq!(one.separation, other.separation);
        }
    }

    #[test]
    fn what_is_mirrored_twice_is_itself(of in (slopes(), slopes())) {
        let one = level(&of);
        let plain = compare(&one.0, &one.1, &Options::default());
        prop_assert_eq!(plain.clone().mirrored().mirrored(), plain);
    }
}

#[test]
fn levels_that_differ_in_level_alone_do_not_hide_what_pairing_shows() {
    // Tasks differ much, the arms by a little in each: labels over all chains see nothing.
    let of: Vec<(Vec<f64>, Vec<f64>)> = (0..8)
        .map(|t| {
            let base = f64::from(t) * 3.0;
            (vec![base + 0.5, base + 0.6], vec![base, base + 0.1])
        })
        .collect();
    let all: Vec<Level> = of.iter().map(level).collect();
    let options = Options::default();
    let flat = compare(&whole(&all, |l| &l.0), &whole(&all, |l| &l.1), &options);
    let p = |c: &Comparison| c.permutation.expect("a test").p;
    assert!(p(&flat) > 0.5, "{}", p(&flat));
    let (paired, _) = compared("paired", &all, &options);
    assert_eq!(p(&paired), 2.0 / 256.0);
    assert!(
        paired
            .percentile
            .is_some_and(|i| i.low > 0.4 && i.high < 0.6)
    );
    let (within, _) = compared("within", &all, &options);
    assert!(p(&within) < 0.001, "{}", p(&within));
}

#[test]
fn what_an_arm_lacks_says_nothing_and_few_tasks_are_called_so() {
    let empty = (vec![0.5], Vec::new());
    let of = [
        (vec![0.5, 0.7], vec![0.1, 0.2]),
        empty,
        (vec![0.4], vec![0.3]),
    ];
    let all: Vec<Level> = of.iter().map(level).collect();
    let (paired, used) = compared("paired", &all, &Options::default());
    assert_eq!(used, [0, 2]);
    assert_eq!(paired.separation, Separation::TooFewTasks);
    assert_eq!(paired.permutation.map(|p| p.labellings), Some(4));
    assert_eq!(
        paired.effect, None,
        "two differences have no spread to speak of"
    );
    let (within, used) = compared("within", &all, &Options::default());
    assert_eq!(used, [0, 2]);
    assert_eq!(within.chains, (3, 3));
    assert_eq!(within.percentile, None, "a level has one chain of an arm");
    assert!(within.permutation.is_some());
    let (none, used) = compared("paired", &all[1..2], &Options::default());
    assert!(used.is_empty() && none.slope_difference.is_none() && none.permutation.is_none());
}

#[test]
fn more_signs_than_can_be_looked_at_are_drawn() {
    let of: Vec<(Vec<f64>, Vec<f64>)> = (0..24)
        .map(|t| {
            (
                vec![f64::from(t * 7 % 11) + 1.5],
                vec![f64::from(t * 5 % 9)],
            )
        })
        .collect();
    let all: Vec<Level> = of.iter().map(level).collect();
    let (got, _) = compared("paired", &all, &Options::default());
    let p = got.permutation.expect("a test");
    assert!(!p.exact && p.labellings == 9_999, "{p:?}");
    assert!(p.p > 0.0 && p.p < 0.05, "{p:?}");
}
