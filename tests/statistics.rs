//! Slopes, intervals and comparisons against published figures and a second implementation.
//!
//! `fixtures/statistics/scb_slopes.csv` holds erosion and verbosity of the SlopCodeBench
//! reference solutions by scb-check 0.2.0; `cases.json` is written by
//! `tests/scripts/statistics.py cases`, which does everything again with numpy and scipy.

use std::path::Path;

use git_evolve::stats::{
    Interval, Observation, Options, Point, Series, SplitMix64, Trend, compare, group, holm, trend,
};
use proptest::prelude::*;
use serde_json::Value;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/statistics");
    std::fs::read_to_string(folder.join(name)).expect("a readable fixture")
}

/// The series of one measure of the golden file; `column` 2 is erosion, 3 verbosity.
fn golden(column: usize) -> Vec<Series> {
    let text = fixture("scb_slopes.csv");
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        Observation {
            arm: "reference".to_owned(),
            chain: cells[0].to_owned(),
            index: cells[1].parse().expect("a checkpoint"),
            value: Some(cells[column].parse().expect("a value")),
        }
    });
    group(rows).remove("reference").expect("one arm")
}

/// The chains that have checkpoints 1 to 5, cut to these.
fn balanced(column: usize) -> Vec<Series> {
    let mut series = golden(column);
    series.retain(|s| s.points.len() >= 5);
    series.iter_mut().for_each(|s| s.points.truncate(5));
    series
}

#[track_caller]
fn close(got: Option<f64>, expected: f64, within: f64, what: &str) {
    let got = got.unwrap_or(f64::NAN);
    assert!(
        (got - expected).abs() <= within,
        "{what}: {got}, not {expected}"
    );
}

#[track_caller]
fn ends(got: Option<Interval>, expected: [f64; 2], within: f64, what: &str) {
    close(got.map(|i| i.low), expected[0], within, what);
    close(got.map(|i| i.high), expected[1], within, what);
}

#[test]
fn the_balanced_set_has_the_published_slopes_and_intervals() {
    let options = Options::default();
    let erosion = trend(&balanced(2), &options);
    assert_eq!((erosion.chains, erosion.checkpoints), (11, 5));
    let curve = [0.302770, 0.338979, 0.449442, 0.527936, 0.544027];
    for (point, mean) in erosion.mean_curve.iter().zip(curve) {
        close(Some(point.mean), mean, 1e-6, "mean curve");
    }
    close(erosion.slope, 0.067147, 1e-6, "erosion");
    ends(erosion.percentile, [0.031103, 0.103684], 0.003, "erosion");
    let verbosity = trend(&balanced(3), &options);
    close(verbosity.slope, 0.031646, 1e-6, "verbosity");
    ends(
        verbosity.percentile,
        [0.010404, 0.055348],
        0.003,
        "verbosity",
    );
    // Without gaps the two estimators are one.
    close(
        erosion.mean_of_chain_slopes,
        0.067147,
        1e-6,
        "mean of slopes",
    );
}

#[test]
fn chains_of_unequal_length_have_the_published_slopes_and_intervals() {
    let options = Options::default();
    let erosion = trend(&golden(2), &options);
    assert_eq!((erosion.chains, erosion.checkpoints), (20, 8));
    close(erosion.slope, 0.067337, 1e-6, "erosion");
    ends(erosion.percentile, [-0.019350, 0.083384], 0.003, "erosion");
    let verbosity = trend(&golden(3), &options);
    close(verbosity.slope, 0.070465, 1e-6, "verbosity");
    ends(
        verbosity.percentile,
        [-0.009069, 0.082629],
        0.003,
        "verbosity",
    );
    assert_eq!(erosion.mean_curve.last().map(|p| p.chains), Some(1));
}

#[test]
fn single_chains_have_the_published_slopes_and_no_interval() {
    let published = [
        ("circuit_eval", 0.049514),
        ("dag_execution", 0.046050),
        ("database_migration", 0.068891),
        ("eve_industry", 0.169869),
        ("etl_pipeline", -0.053156),
        ("eve_jump_planner", 0.416129),
        ("file_merger", 0.003061),
        ("migrate_configs", 0.136347),
        ("trajectory_api", 0.062292),
        ("code_search", 0.012784),
    ];
    let all = golden(2);
    let by_chain = trend(&all, &Options::default()).chain_slopes;
    for (name, slope) in published {
        let one: Vec<Series> = all.iter().filter(|s| s.chain == name).cloned().collect();
        let alone = trend(&one, &Options::default());
        close(alone.slope, slope, 1e-6, name);
        assert_eq!((alone.percentile, alone.t_widened), (None, None));
        let among = by_chain.iter().find(|c| c.chain == name).expect("a chain");
        assert_eq!(among.slope, alone.slope);
    }
}

fn cases() -> Value {
    serde_json::from_str(&fixture("cases.json")).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter()
        .map(|v| v.as_f64().unwrap_or(f64::NAN))
        .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn pair(value: &Value) -> [f64; 2] {
    let v = numbers(value);
    [v[0], v[1]]
}

fn options() -> Options {
    let options = &cases()["options"];
    Options {
        resamples: options["resamples"].as_u64().expect("a count") as u32,
        seed: options["seed"].as_u64().expect("a seed"),
    }
}

fn series(index: &Value, rows: &Value) -> Vec<Series> {
    let index = numbers(index);
    let chain = |(i, row): (usize, &Value)| {
        let points = index.iter().zip(numbers(row)).map(|(&index, v)| Point {
            index,
            value: (!v.is_nan()).then_some(v),
        });
        Series {
            chain: format!("{i:02}"),
            points: points.collect(),
        }
    };
    let rows = rows.as_array().expect("rows");
    rows.iter().enumerate().map(chain).collect()
}

fn hold_trend(got: &Trend, expected: &Value, within: f64, what: &str) {
    close(got.slope, number(&expected["slope"]), within, what);
    let mean = numbers(&expected["curve"]);
    let defined = |all: &Vec<f64>| -> Vec<f64> {
        let pairs = all.iter().zip(&mean);
        pairs.filter(|p| !p.1.is_nan()).map(|p| *p.0).collect()
    };
    let curve = defined(&mean);
    let chains = defined(&numbers(&expected["chains"]));
    let band = defined(&numbers(&expected["band"]));
    assert_eq!(got.mean_curve.len(), curve.len(), "{what}");
    for i in 0..curve.len() {
        close(Some(got.mean_curve[i].mean), curve[i], within, what);
        assert_eq!(got.mean_curve[i].chains as f64, chains[i], "{what}");
        close(Some(got.band[i].sd), band[i], within, what);
    }
    for (phase, mean) in got.phases.iter().zip(numbers(&expected["phases"])) {
        close(phase.mean, mean, within, what);
    }
    for (chain, slope) in got
        .chain_slopes
        .iter()
        .zip(numbers(&expected["chain_slopes"]))
    {
        assert_eq!(chain.slope.is_none(), slope.is_nan(), "{what}");
        close(
            Some(chain.slope.unwrap_or(0.0)),
            if slope.is_nan() { 0.0 } else { slope },
            within,
            what,
        );
    }
    let mean_of_slopes = number(&expected["mean_of_chain_slopes"]);
    close(got.mean_of_chain_slopes, mean_of_slopes, within, what);
    ends(got.percentile, pair(&expected["percentile"]), within, what);
    ends(got.t_widened, pair(&expected["t_widened"]), within, what);
    close(
        got.standard_error,
        number(&expected["standard_error"]),
        within,
        what,
    );
    assert_eq!(
        u64::from(got.resamples_undefined),
        expected["resamples_undefined"],
        "{what}"
    );
    let sum: f64 = got.shares.iter().map(|s| s.share).sum();
    close(got.slope, sum, within, what);
}

#[test]
fn numpy_finds_the_same_trends_on_the_same_resamples() {
    let cases = cases();
    let mut undefined = 0;
    for case in cases["arms"].as_array().expect("arms") {
        let name = case["name"].as_str().expect("a name");
        let within = if name == "high_level" { 1e-7 } else { 1e-9 };
        for arm in ["a", "b"] {
            let got = trend(&series(&case["index"], &case[arm]), &options());
            hold_trend(
                &got,
                &case[&format!("trend_{arm}")],
                within,
                &format!("{name} {arm}"),
            );
            undefined += got.resamples_undefined;
        }
    }
    assert!(undefined > 0, "no case has a resample without a slope");
}

#[test]
fn numpy_finds_the_same_comparisons() {
    for case in cases()["arms"].as_array().expect("arms") {
        let name = case["name"].as_str().expect("a name");
        let within = if name == "high_level" { 1e-7 } else { 1e-9 };
        let (a, b) = (
            series(&case["index"], &case["a"]),
            series(&case["index"], &case["b"]),
        );
        let got = compare(&a, &b, &options());
        let expected = &case["compare"];
        close(
            got.slope_difference,
            number(&expected["difference"]),
            within,
            name,
        );
        ends(got.percentile, pair(&expected["percentile"]), within, name);
        ends(got.t_widened, pair(&expected["t_widened"]), within, name);
        assert_eq!(
            u64::from(got.resamples_undefined),
            expected["resamples_undefined"]
        );
        let test = got.permutation.expect("a test");
        assert!(test.exact, "{name}");
        assert_eq!(test.labellings, expected["labellings"], "{name}");
        close(Some(test.p), number(&expected["p"]), 1e-12, name);
        let effect = got.effect.expect("an effect");
        close(effect.hedges_g, number(&expected["hedges_g"]), 1e-6, name);
        close(
            Some(effect.cliffs_delta),
            number(&expected["cliffs_delta"]),
            1e-12,
            name,
        );
        close(
            got.smallest_detectable,
            number(&expected["smallest_detectable"]),
            within,
            name,
        );
    }
}

#[test]
fn scipy_finds_the_same_in_random_arms() {
    let random: Value = serde_json::from_str(&fixture("random.json")).expect("JSON");
    let options = Options {
        resamples: random["options"]["resamples"].as_u64().expect("a count") as u32,
        seed: random["options"]["seed"].as_u64().expect("a seed"),
    };
    let mut ps = Vec::new();
    for (at, case) in random["pairs"]
        .as_array()
        .expect("pairs")
        .iter()
        .enumerate()
    {
        let of = |arm: &str| series(&case["index"], &case[arm]);
        for arm in ["a", "b"] {
            let (given, expected) = (of(arm), &case[&format!("of_{arm}")]);
            let got = trend(&given, &options);
            let what = format!("pair {at} {arm}");
            let curve = numbers(&expected["curve"]);
            let largest = curve.iter().fold(1e-3_f64, |most, v| most.max(v.abs()));
            let within = 1e-10 * largest;
            close(got.slope, number(&expected["slope"]), within, &what);
            ends(got.percentile, pair(&expected["percentile"]), within, &what);
            let (chains, band) = (numbers(&expected["chains"]), numbers(&expected["band"]));
            assert_eq!(got.mean_curve.len(), curve.len(), "{what}");
            for i in 0..curve.len() {
                close(Some(got.mean_curve[i].mean), curve[i], within, &what);
                assert_eq!(got.mean_curve[i].chains as f64, chains[i], "{what}");
                close(Some(got.band[i].sd), band[i], within, &what);
            }
            // The resamples are drawn with these indices, the first of them here.
            let mut generator = SplitMix64::new(options.seed);
            let drawn = (0..given.len()).map(|_| generator.below(given.len()) as f64);
            let first: Vec<f64> = drawn.collect();
            assert_eq!(first, numbers(&expected["first_indices"]), "{what}");
        }
        let test = compare(&of("a"), &of("b"), &options)
            .permutation
            .expect("a test");
        assert!(test.exact, "pair {at}");
        assert_eq!(test.labellings, case["labellings"], "pair {at}");
        close(
            Some(test.p),
            number(&case["p"]),
            1e-12,
            &format!("pair {at}: p"),
        );
        ps.push(test.p);
    }
    for (got, expected) in holm(&ps).iter().zip(numbers(&random["holm"])) {
        close(Some(*got), expected, 1e-12, "statsmodels' Holm");
    }
}

#[test]
fn a_sampled_p_is_the_exact_one_within_its_error() {
    let random: Value = serde_json::from_str(&fixture("random.json")).expect("JSON");
    let case = &random["many_labellings"];
    let (a, b) = (
        series(&case["index"], &case["a"]),
        series(&case["index"], &case["b"]),
    );
    let exact = number(&case["p"]);
    let options = |seed| Options {
        resamples: 10,
        seed,
    };
    for seed in 0..4 {
        let got = compare(&a, &b, &options(seed)).permutation.expect("a test");
        assert!(!got.exact);
        assert_eq!(got.labellings, 9_999);
        // Four standard errors of as many draws, and the one that counts itself.
        let error = (exact * (1.0 - exact) / 9_999.0).sqrt();
        assert!(
            (got.p - exact).abs() < 4.0 * error + 1e-4,
            "{got:?}, not {exact}"
        );
    }
}

#[test]
fn holm_and_the_generator_are_those_of_the_second_implementation() {
    let cases = cases();
    for case in cases["holm"].as_array().expect("lists") {
        let got = holm(&numbers(&case["p"]));
        for (g, e) in got.iter().zip(numbers(&case["adjusted"])) {
            close(Some(*g), e, 1e-15, "holm");
        }
    }
    let mut generator = SplitMix64::new(options().seed);
    for index in numbers(&cases["indices_below_10"]) {
        assert_eq!(generator.below(10) as f64, index);
    }
}

#[test]
fn the_bits_of_an_interval_are_the_same_on_every_machine() {
    let got = trend(&golden(2), &Options::default());
    let bits = |i: Option<Interval>| i.map(|i| (i.low.to_bits(), i.high.to_bits()));
    let pinned = format!("{:x?} {:x?}", bits(got.percentile), bits(got.t_widened));
    let expected = "Some((bf93fd5d624508dc, 3fb57144c327fda1)) \
                    Some((bf9c7ed060d745ac, 3fb5d8320a393a2c))";
    assert_eq!(pinned, expected);
}

#[test]
fn the_order_of_chains_and_rows_moves_no_bit() {
    let forward = golden(3);
    let mut backward: Vec<Series> = forward.iter().rev().cloned().collect();
    backward.iter_mut().for_each(|s| s.points.reverse());
    let options = Options::default();
    assert_eq!(trend(&forward, &options), trend(&backward, &options));
    let (a, b) = forward.split_at(9);
    let (c, d) = backward.split_at(11);
    assert_eq!(compare(a, b, &options), compare(d, c, &options));
}

#[test]
fn another_seed_draws_another_interval_close_by() {
    let of = |seed| {
        let options = Options {
            seed,
            ..Options::default()
        };
        trend(&balanced(2), &options)
            .percentile
            .expect("an interval")
    };
    assert_ne!(of(0), of(1));
    ends(Some(of(1)), [of(0).low, of(0).high], 0.003, "seeds 0 and 1");
}

/// Chains of five checkpoints whose values are sums of twelve uniform numbers: as good as normal
/// here, and without any trend.
fn trendless(generator: &mut SplitMix64, chains: usize) -> Vec<Series> {
    let mut normal = || {
        let uniform = |_| (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (0..12).map(uniform).sum::<f64>() - 6.0
    };
    let chain = |i: usize| Series {
        chain: format!("{i:02}"),
        points: (1..=5)
            .map(|k| Point {
                index: f64::from(k),
                value: Some(normal()),
            })
            .collect(),
    };
    (0..chains).map(chain).collect()
}

#[test]
#[ignore = "a simulation of half a minute; docs/statistics.md has the figures"]
fn the_widened_interval_covers_as_the_documentation_says() {
    let mut generator = SplitMix64::new(11);
    let runs = 2000;
    for (chains, least, most) in [
        (3, 0.92, 0.97),
        (5, 0.92, 0.97),
        (10, 0.92, 0.97),
        (20, 0.92, 0.97),
    ] {
        let mut held = 0;
        for _ in 0..runs {
            let got = trend(&trendless(&mut generator, chains), &Options::default());
            held += usize::from(!got.t_widened.expect("one").excludes_zero());
        }
        let share = held as f64 / f64::from(runs);
        assert!((least..=most).contains(&share), "{chains} chains: {share}");
    }
}

#[test]
#[ignore = "a simulation of half a minute; docs/statistics.md has the figures"]
fn comparisons_of_equal_arms_err_as_often_as_the_documentation_says() {
    let mut generator = SplitMix64::new(12);
    let runs = 1000;
    for (a, b) in [(6, 6), (6, 10)] {
        let (mut held, mut rejected) = (0, 0);
        for _ in 0..runs {
            let (a, b) = (trendless(&mut generator, a), trendless(&mut generator, b));
            let got = compare(&a, &b, &Options::default());
            held += usize::from(!got.t_widened.expect("one").excludes_zero());
            rejected += usize::from(got.permutation.expect("a test").p <= 0.05);
        }
        let share = |n: usize| n as f64 / f64::from(runs);
        assert!((0.93..=0.975).contains(&share(held)), "{}", share(held));
        assert!(
            (0.03..=0.07).contains(&share(rejected)),
            "{}",
            share(rejected)
        );
    }
}

/// An arm with gaps: chains by checkpoints, some values missing.
fn arms() -> impl Strategy<Value = Vec<Vec<Option<f64>>>> {
    (2_usize..8).prop_flat_map(|k| {
        let value = prop::option::weighted(0.8, -100.0..100.0_f64);
        prop::collection::vec(prop::collection::vec(value, k), 1..8)
    })
}

fn of(rows: &[Vec<Option<f64>>], change: impl Fn(f64) -> f64) -> Trend {
    let chain = |(i, row): (usize, &Vec<Option<f64>>)| Series {
        chain: format!("{i}"),
        points: row
            .iter()
            .enumerate()
            .map(|(k, v)| Point {
                index: (k + k / 3) as f64,
                value: v.map(&change),
            })
            .collect(),
    };
    let series: Vec<Series> = rows.iter().enumerate().map(chain).collect();
    trend(
        &series,
        &Options {
            resamples: 50,
            seed: 3,
        },
    )
}

proptest! {
    #[test]
    fn a_trend_does_not_see_the_level_and_scales_with_its_values(rows in arms(), by in -50.0..50.0_f64) {
        let (plain, moved, scaled) = (of(&rows, |v| v), of(&rows, |v| v + by), of(&rows, |v| v * by));
        prop_assert_eq!(plain.slope.is_some(), moved.slope.is_some());
        if let (Some(p), Some(m), Some(s)) = (plain.slope, moved.slope, scaled.slope) {
            prop_assert!((p - m).abs() < 1e-9 && (p * by - s).abs() < 1e-8);
        }
        if let (Some(p), Some(m)) = (plain.percentile, moved.percentile) {
            prop_assert!((p.low - m.low).abs() < 1e-9 && (p.high - m.high).abs() < 1e-9);
        }
    }

    #[test]
    fn the_parts_of_a_trend_agree(rows in arms()) {
        let t = of(&rows, |v| v);
        let known = rows.iter().flatten().flatten().count();
        let empty = rows.iter().filter(|r| r.iter().all(Option::is_none)).count();
        prop_assert_eq!(t.values, known);
        prop_assert_eq!(t.missing, rows.iter().map(Vec::len).sum::<usize>() - known);
        prop_assert_eq!(t.chains, rows.len() - empty);
        prop_assert_eq!(t.mean_curve.len(), t.band.len());
        prop_assert_eq!(t.percentile.is_some() && t.chains < 2, false);
        if let (Some(p), Some(w)) = (t.percentile, t.t_widened) {
            prop_assert!(w.low <= p.low && p.low <= p.high && p.high <= w.high);
        }
        if !t.phases.is_empty() {
            prop_assert_eq!(t.phases.iter().map(|p| p.n).sum::<usize>(), known);
        }
    }
}
