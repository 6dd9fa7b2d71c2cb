//! Which arms are compared on which measure, by what statistics, and Holm over all of it.

use std::collections::BTreeSet;

use super::chosen::{Member, Side};
use crate::report::{LeftOut, MeasureTable, Pair, short};
use crate::stats::{Comparison, Options, Series, compare, compare_paired, compare_within, holm};

/// How a study compares.
pub(super) struct Design<'a> {
    /// Every pair, and not each with the first.
    pub pairwise: bool,
    /// One comparison a task beside that over all.
    pub by_task: bool,
    /// What comparisons are made within.
    pub within: Option<&'a str>,
}

/// A level that chains are in: experiment and task, or nothing and a factor's level.
type Level<'g> = (&'g str, &'g str);

/// Two sides, and the levels that both have chains in.
struct Meeting<'g> {
    /// What is compared, by its place.
    it: usize,
    /// What it is compared with.
    with: usize,
    how: How,
    levels: Vec<Level<'g>>,
}

/// By what statistics whole sides are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// All chains of one with all of the other.
    Whole,
    /// Task by task.
    Paired,
    /// Within levels, which are shown one by one, too.
    Within,
}

/// Compares the sides on every table; what could not be compared, and why, goes to `left_out` and
/// `remarks`.
pub(super) fn compare_all(
    tables: &mut [MeasureTable],
    sides: &[Side<'_>],
    design: &Design<'_>,
    left_out: &mut Vec<LeftOut>,
    remarks: &mut Vec<String>,
) {
    let meetings = meetings(sides, design);
    let shown = Shown::of(sides);
    for meeting in &meetings {
        said(meeting, sides, design, &shown, left_out, remarks);
    }
    for side in sides {
        if let Some(within) = design.within {
            let without = side.chains.iter().filter(|c| level(c, design).is_none());
            left_out.extend(without.map(|c| LeftOut {
                what: c.gathered.chain.label.clone(),
                why: match within {
                    "task" => "it has no task".to_owned(),
                    factor => format!("its plan gives it no level of {factor}"),
                },
            }));
        }
    }
    for table in tables.iter_mut() {
        let pairs = meetings
            .iter()
            .flat_map(|meeting| of_table(table, sides, meeting, design, &shown));
        table.pairs = pairs.collect();
    }
    adjust(tables);
    remarks.extend(floor(tables));
}

/// The level of a chain: of what comparisons are made within, else its task.
fn level<'g>(chain: &'g Member<'g>, design: &Design<'_>) -> Option<Level<'g>> {
    match design.within {
        None | Some("task") => chain.task,
        Some(factor) => chain.level(factor).map(|level| ("", level)),
    }
}

fn levels<'g>(side: &'g Side<'g>, design: &Design<'_>) -> BTreeSet<Level<'g>> {
    side.chains
        .iter()
        .filter_map(|c| level(c, design))
        .collect()
}

/// How levels are shown: with the experiment in front where there are several.
struct Shown {
    several: bool,
}

impl Shown {
    fn of(sides: &[Side<'_>]) -> Shown {
        let chains = sides.iter().flat_map(|s| &s.chains);
        let experiments: BTreeSet<&str> = chains
            .map(|c| c.gathered.chain.path.experiment.as_str())
            .collect();
        Shown {
            several: experiments.len() > 1,
        }
    }

    fn level(&self, level: Level<'_>) -> String {
        match self.several && !level.0.is_empty() {
            true => format!("{}/{}", level.0, level.1),
            false => level.1.to_owned(),
        }
    }
}

/// What is compared with what: each side with the first one, or every pair. Within the levels of a
/// factor sides that share none cannot meet: one that does not meet the first is compared with the
/// first that it meets.
fn meetings<'g>(sides: &'g [Side<'g>], design: &Design<'_>) -> Vec<Meeting<'g>> {
    let all: Vec<BTreeSet<Level<'g>>> = sides.iter().map(|s| levels(s, design)).collect();
    let mut meetings = Vec::new();
    for it in 1..sides.len() {
        for with in 0..it {
            let shared: Vec<Level<'g>> = all[it].intersection(&all[with]).copied().collect();
            if design.within.is_some() && shared.is_empty() {
                continue;
            }
            meetings.push(Meeting {
                it,
                with,
                how: match design.within {
                    Some(_) => How::Within,
                    None if shared.len() > 1 => How::Paired,
                    None => How::Whole,
                },
                levels: shared,
            });
            if !design.pairwise {
                break;
            }
        }
    }
    meetings
}

/// What a reader should know of a meeting, whatever the measure.
fn said(
    meeting: &Meeting<'_>,
    sides: &[Side<'_>],
    design: &Design<'_>,
    shown: &Shown,
    left_out: &mut Vec<LeftOut>,
    remarks: &mut Vec<String>,
) {
    let (it, with) = (&sides[meeting.it], &sides[meeting.with]);
    let (mine, theirs) = (levels(it, design), levels(with, design));
    let word = match design.within {
        None | Some("task") => "task",
        Some(factor) => factor,
    };
    if meeting.how == How::Whole {
        if mine != theirs {
            remarks.push(format!(
                "{} − {}: fewer than two tasks have chains of both, so all chains of one are held \
                 against all of the other, and the tasks may be what differs",
                it.name, with.name
            ));
        }
        return;
    }
    for level in mine.symmetric_difference(&theirs) {
        let lacks = if mine.contains(level) { with } else { it };
        left_out.push(LeftOut {
            what: format!("{word} {}", shown.level(*level)),
            why: format!(
                "{} has no chain of it, and {} − {} leaves it out",
                lacks.name, it.name, with.name
            ),
        });
    }
}

/// The comparisons of one meeting on one table.
fn of_table(
    table: &MeasureTable,
    sides: &[Side<'_>],
    meeting: &Meeting<'_>,
    design: &Design<'_>,
    shown: &Shown,
) -> Vec<Pair> {
    let (it, with) = (meeting.it, meeting.with);
    let figures = (&table.arms[it], &table.arms[with]);
    // Two arms without any value have nothing to compare.
    if (figures.0.trend.chains, figures.1.trend.chains) == (0, 0) {
        return Vec::new();
    }
    // Resamples are drawn in the order of names, so that the same two arms give the same figures
    // whichever of them is the baseline.
    let turned = sides[it].name > sides[with].name;
    let (one, other) = if turned { (with, it) } else { (it, with) };
    let options = Options::default();
    let pair = |stratum: Option<String>, over: Vec<String>, comparison: Comparison| Pair {
        first: it,
        second: with,
        paired: meeting.how == How::Paired && stratum.is_none(),
        stratum,
        over,
        comparison: match turned {
            true => comparison.mirrored(),
            false => comparison,
        },
        holm: None,
    };
    let within = |place: usize, at: Level<'_>| in_level(table, &sides[place], place, design, at);
    let split: Vec<(Vec<Series>, Vec<Series>)> = match meeting.how {
        How::Whole if !design.by_task => Vec::new(),
        _ => meeting
            .levels
            .iter()
            .map(|at| (within(one, *at), within(other, *at)))
            .collect(),
    };
    let trends = (&table.arms[one].trend, &table.arms[other].trend);
    let named = |used: Vec<usize>| {
        used.iter()
            .map(|at| shown.level(meeting.levels[*at]))
            .collect()
    };
    let mut pairs = Vec::new();
    match meeting.how {
        How::Whole => {
            let (a, b) = (&table.arms[one].series, &table.arms[other].series);
            pairs.push(pair(None, Vec::new(), compare(a, b, &options)));
        }
        How::Paired => {
            let (comparison, used) = compare_paired(&split, trends, &options);
            pairs.push(pair(None, named(used), comparison));
        }
        How::Within => {}
    }
    if design.by_task || meeting.how == How::Within {
        for (at, (a, b)) in meeting.levels.iter().zip(&split) {
            let comparison = compare(a, b, &options);
            if comparison.chains != (0, 0) {
                pairs.push(pair(Some(shown.level(*at)), Vec::new(), comparison));
            }
        }
    }
    if meeting.how == How::Within && meeting.levels.len() > 1 {
        let (comparison, used) = compare_within(&split, trends, &options);
        pairs.push(pair(None, named(used), comparison));
    }
    pairs
}

/// The series of a side's chains in one level.
fn in_level(
    table: &MeasureTable,
    side: &Side<'_>,
    place: usize,
    design: &Design<'_>,
    at: Level<'_>,
) -> Vec<Series> {
    let here: BTreeSet<&str> = side
        .chains
        .iter()
        .filter(|c| level(c, design) == Some(at))
        .map(|c| c.gathered.chain.label.as_str())
        .collect();
    let series = table.arms[place].series.iter();
    series
        .filter(|s| here.contains(s.chain.as_str()))
        .cloned()
        .collect()
}

/// Holm's adjustment over every comparison of the study.
fn adjust(tables: &mut [MeasureTable]) {
    let pairs = || tables.iter().flat_map(|t| &t.pairs);
    let p: Vec<f64> = pairs()
        .map(|pair| pair.comparison.permutation.map_or(f64::NAN, |p| p.p))
        .collect();
    let adjusted = holm(&p);
    let pairs = tables.iter_mut().flat_map(|t| &mut t.pairs);
    for (pair, adjusted) in pairs.zip(adjusted) {
        pair.holm = (!adjusted.is_nan()).then_some(adjusted);
    }
}

/// Where no p-value can come below 5 % once it is adjusted, whatever the figures: how low one can.
fn floor(tables: &[MeasureTable]) -> Option<String> {
    let (mut tests, mut least) = (0_u32, f64::INFINITY);
    for pair in tables.iter().flat_map(|t| &t.pairs) {
        let Some(p) = pair.comparison.permutation else {
            continue;
        };
        tests += 1;
        // Of arms of one size each labelling has a mirror that is as extreme.
        let (a, b) = pair.comparison.chains;
        let mirrored = pair.paired || a == b;
        let lowest = match (p.exact, mirrored) {
            (true, true) => 2.0 / p.labellings as f64,
            (true, false) => 1.0 / p.labellings as f64,
            (false, _) => 1.0 / (p.labellings + 1) as f64,
        };
        least = least.min(lowest);
    }
    let floor = (f64::from(tests) * least).min(1.0);
    (tests > 1 && floor > 0.05).then(|| {
        format!(
            "{tests} comparisons were made, and with so few chains none can have an adjusted p \
             below {}: `--metrics` names fewer",
            short(floor)
        )
    })
}
