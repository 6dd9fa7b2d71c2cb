//! Experiments that never took place.

use std::collections::BTreeMap;

use git_evolve::measure::catalogue::{self, Direction};
use git_evolve::measure::value::Value;
use git_evolve::report::chart::{HeatCell, HeatMap, HeatPanel, HeatRow};
use git_evolve::report::{
    ArmFigure, FrontArm, MeasureTable, Pair, Quality, StudyArm, StudyChain, StudyCheckpoint,
};
use git_evolve::stats::{self, Options, Place, Point, Series, SplitMix64};

/// Numbers from 0 to below 1.
pub struct Chance(SplitMix64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(SplitMix64::new(seed))
    }

    pub fn part(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: u32) -> u32 {
        ((self.part() * f64::from(n)) as u32).min(n - 1)
    }

    /// Roughly normal, mean 0, standard deviation 1.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.part()).sum::<f64>() - 6.0
    }
}

const OPTIONS: Options = Options {
    resamples: 200,
    seed: 0,
};

/// One chain's values, from checkpoint 1; `None` where there is none.
pub fn series(chain: &str, values: &[Option<f64>]) -> Series {
    Series {
        chain: chain.to_owned(),
        points: (1u32..)
            .zip(values)
            .map(|(k, v)| Point {
                index: f64::from(k),
                value: *v,
            })
            .collect(),
    }
}

/// Arms of a study whose chains have these series.
pub fn arms(names: &[&str], arms: &[Vec<Series>]) -> Vec<StudyArm> {
    let chain = |(n, s): (u32, &Series)| StudyChain {
        label: s.chain.clone(),
        task: None,
        number: n,
        base: "0".repeat(40),
        checkpoints: s
            .points
            .iter()
            .map(|p| StudyCheckpoint {
                number: p.index as u32,
                id: format!("c{}", p.index),
                commit: "1".repeat(40),
            })
            .collect(),
        planned: None,
    };
    names
        .iter()
        .zip(arms)
        .enumerate()
        .map(|(at, (name, chains))| StudyArm {
            name: (*name).to_owned(),
            baseline: at == 0,
            factors: BTreeMap::new(),
            chains: (1u32..).zip(chains).map(chain).collect(),
        })
        .collect()
}

/// One measure of these arms, compared with the first.
pub fn table(id: &str, arms: &[Vec<Series>]) -> MeasureTable {
    let measure = catalogue::find(id).expect("a measure of the catalogue");
    let figure = |series: &Vec<Series>| figure(id, series);
    let pair = |first: usize| Pair {
        first,
        second: 0,
        stratum: None,
        paired: false,
        over: Vec::new(),
        comparison: stats::compare(&arms[first], &arms[0], &OPTIONS),
        holm: Some(0.031),
    };
    MeasureTable {
        measure,
        language: measure.per_language.then(|| "java".to_owned()),
        arms: arms.iter().map(figure).collect(),
        pairs: (1..arms.len()).map(pair).collect(),
    }
}

/// One measure of one arm.
pub fn figure(id: &str, series: &[Series]) -> ArmFigure {
    let measure = catalogue::find(id).expect("a measure of the catalogue");
    let direction = match measure.direction {
        Direction::LowerIsBetter => stats::Direction::LowerIsBetter,
        Direction::HigherIsBetter => stats::Direction::HigherIsBetter,
        Direction::Descriptive => stats::Direction::Descriptive,
    };
    let trend = stats::trend(series, &OPTIONS);
    let points = || series.iter().flat_map(|s| &s.points);
    let missing = points().filter(|p| p.value.is_none()).count();
    ArmFigure {
        verdict: Some(stats::verdict(&trend, direction)),
        trend,
        series: series.to_vec(),
        missing: (missing > 0)
            .then(|| ("no valid gate".to_owned(), missing as u64))
            .into_iter()
            .collect(),
        points: (points().count(), missing),
        total: None,
    }
}

/// Chains of one arm: values around a line.
pub fn chains(
    chance: &mut Chance,
    (n, checkpoints): (usize, usize),
    (start, slope, spread): (f64, f64, f64),
) -> Vec<Series> {
    (1..=n)
        .map(|c| {
            let own = chance.normal() * spread * 0.5;
            let values: Vec<_> = (0..checkpoints)
                .map(|k| Some(start + slope * k as f64 + own + chance.normal() * spread))
                .collect();
            series(&format!("x/arm/{c}"), &values)
        })
        .collect()
}

/// An arm in cost and success.
pub fn placed(arms: &[(Option<f64>, Option<f64>)]) -> Quality {
    let places = stats::front(arms);
    let value = |v: Option<f64>| {
        v.map_or_else(
            || Value::unknown("no envelope of 2 of 6 chains"),
            Value::known,
        )
    };
    let front = arms.iter().zip(places).enumerate();
    Quality {
        scores: Vec::new(),
        efficient: Vec::new(),
        remarks: Vec::new(),
        front: front
            .map(|(arm, ((cost, success), place))| FrontArm {
                arm,
                cost: value(*cost),
                success: value(*success),
                dominated_by: if place == Place::Dominated {
                    let beats = |(c, s): &(Option<f64>, Option<f64>)| {
                        c.zip(*cost).is_some_and(|(a, b)| a <= b)
                            && s.zip(*success).is_some_and(|(a, b)| a >= b)
                    };
                    let others = arms.iter().enumerate();
                    others
                        .filter(|(at, other)| *at != arm && beats(other))
                        .map(|(at, _)| at)
                        .collect()
                } else {
                    Vec::new()
                },
                place,
                cost_against_baseline: None,
                success_against_baseline: None,
                wrong_turns: Value::unknown("no envelope"),
                cost_interval: None,
                success_interval: None,
                counted: if cost.is_some() { (6, 6) } else { (4, 6) },
                chains: 6,
            })
            .collect(),
    }
}

/// `tests` tests over `checkpoints` of arms with `chains` chains: each comes at some checkpoint,
/// most pass, some break later and a few come back.
pub fn heat_map(chance: &mut Chance, tests: usize, checkpoints: u32, arms: &[&str]) -> HeatMap {
    let chains = 10;
    let names: Vec<(String, String)> = (0..tests)
        .map(|t| {
            let from = t * checkpoints as usize / tests.max(1) + 1;
            (
                format!("checkpoint {from}"),
                format!("tests/test_orders.py::test_{t}_is_kept"),
            )
        })
        .collect();
    let panel = |name: &&str, chance: &mut Chance| HeatPanel {
        name: (*name).to_owned(),
        rows: names
            .iter()
            .enumerate()
            .map(|(t, (group, label))| {
                let from = t as u32 * checkpoints / tests.max(1) as u32;
                let mut broken = 0;
                let cells = (0..checkpoints)
                    .map(|k| {
                        if k < from {
                            return HeatCell::None;
                        }
                        match chance.below(60) {
                            0 => broken = (broken + 1 + chance.below(4)).min(chains),
                            1 => broken = broken.saturating_sub(3),
                            _ => {}
                        }
                        match chance.below(900) {
                            0 => HeatCell::Invalid,
                            1 => HeatCell::NotRun,
                            2 => HeatCell::Unknown,
                            _ => HeatCell::Passed {
                                passed: chains - broken,
                                of: chains,
                            },
                        }
                    })
                    .collect();
                HeatRow {
                    label: label.clone(),
                    group: group.clone(),
                    cells,
                }
            })
            .collect(),
    };
    HeatMap {
        title: "Tests by checkpoint".to_owned(),
        checkpoints: (1..=checkpoints).collect(),
        panels: arms.iter().map(|a| panel(a, chance)).collect(),
    }
}
