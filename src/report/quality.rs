//! A sentence an arm: what it costs and how often it passes, against the baseline.

use super::number::short;
use super::study::{FrontArm, Study};
use super::text::counted;
use crate::measure::Value;
use crate::stats::{Interval, MIN_CHAINS, Place};

/// One sentence an arm, in the study's order: cost and success against the baseline with their
/// intervals, and where it stands. None where there is no second arm.
pub fn sentences(study: &Study) -> Vec<String> {
    let front = &study.quality.front;
    if front.len() < 2 {
        return Vec::new();
    }
    front.iter().map(|row| sentence(study, row)).collect()
}

fn name(study: &Study, at: usize) -> &str {
    study.arms.get(at).map_or("", |arm| &arm.name)
}

fn sentence(study: &Study, row: &FrontArm) -> String {
    let arm = name(study, row.arm);
    let baseline = study.arms.iter().find(|a| a.baseline);
    let said = match baseline {
        Some(base) if base.name != arm => {
            format!("{arm} {}, {}", cost(row), success(row))
        }
        _ => format!("{arm} {}, {}", own_cost(row), own_success(row)),
    };
    let mut out = format!("{said}: {}", stands(study, row));
    out += &known_of(row);
    let base = study.arms.iter().position(|a| a.baseline);
    let base = study.quality.front.iter().find(|r| Some(r.arm) == base);
    let too_few = few(row) || base.is_some_and(few);
    match (baseline.is_some_and(|b| b.name != arm), too_few) {
        (true, true) => out += "; too few chains to rely on it",
        (true, false) if shows_nothing(row) => out += "; these chains show neither difference",
        _ => {}
    }
    out
}

/// Whether cost or success is known of too few chains, however many there are.
fn few(row: &FrontArm) -> bool {
    row.counted.0.min(row.counted.1) < MIN_CHAINS
}

/// `; cost known of 3 of 7 chains`: of how many chains the two are known, where not of all and
/// where both are known at all.
fn known_of(row: &FrontArm) -> String {
    if row.place == Place::Unknown {
        return String::new();
    }
    let part = |what: &str, known: usize| {
        let chains = counted(row.chains as u64, "chain", "chains");
        (known < row.chains).then(|| format!("; {what} known of {known} of {chains}"))
    };
    let parts = [part("cost", row.counted.0), part("success", row.counted.1)];
    parts.into_iter().flatten().collect()
}

/// `costs 12 % more a chain (95 %: 3 % less to 29 % more)`.
fn cost(row: &FrontArm) -> String {
    let Some(more) = row.cost_against_baseline else {
        return match &row.cost {
            Value::Known(_) => "has no cost to compare with".to_owned(),
            Value::Undefined(why) | Value::Unknown(why) => format!("is of unknown cost ({why})"),
            Value::Word(_) => "is of unknown cost".to_owned(),
        };
    };
    let said = match percent(more).as_str() {
        "0" => "costs as much a chain".to_owned(),
        shown => format!("costs {shown} % {} a chain", than(more, "more", "less")),
    };
    said + &span(row.cost_interval, |v| {
        format!("{} % {}", percent(v), than(v, "more", "less"))
    })
}

/// `passes 8 points more often (95 %: 22 less to 38 more)`.
fn success(row: &FrontArm) -> String {
    let Some(more) = row.success_against_baseline else {
        return match &row.success {
            Value::Known(_) => "its success has nothing to compare with".to_owned(),
            Value::Undefined(why) | Value::Unknown(why) => {
                format!("how often it passes is unknown ({why})")
            }
            Value::Word(_) => "how often it passes is unknown".to_owned(),
        };
    };
    let said = match percent(more).as_str() {
        "0" => "passes as often".to_owned(),
        points => {
            let points = match points {
                "1" => "1 point".to_owned(),
                points => format!("{points} points"),
            };
            format!("passes {points} {} often", than(more, "more", "less"))
        }
    };
    said + &span(row.success_interval, |v| {
        format!("{} {}", percent(v), than(v, "more", "less"))
    })
}

/// `, the baseline, costs 1.640 USD a chain`.
fn own_cost(row: &FrontArm) -> String {
    match &row.cost {
        Value::Known(known) => format!("costs {} USD a chain", short(known.value)),
        Value::Undefined(why) | Value::Unknown(why) => format!("is of unknown cost ({why})"),
        Value::Word(_) => "is of unknown cost".to_owned(),
    }
}

/// `passes 6 of 10 times`.
fn own_success(row: &FrontArm) -> String {
    match &row.success {
        Value::Known(known) => match (known.num, known.den) {
            (Some(passed), Some(of)) => format!("passes {} of {} times", short(passed), short(of)),
            _ => format!("passes {} % of the time", percent(known.value)),
        },
        Value::Undefined(why) | Value::Unknown(why) => {
            format!("how often it passes is unknown ({why})")
        }
        Value::Word(_) => "how often it passes is unknown".to_owned(),
    }
}

fn stands(study: &Study, row: &FrontArm) -> String {
    match row.place {
        Place::OnFront => "efficient".to_owned(),
        Place::Tied => {
            let known = |r: &FrontArm| (r.cost.number(), r.success.number());
            let front = study.quality.front.iter();
            let tied = front.filter(|r| r.arm != row.arm && known(r) == known(row));
            let names: Vec<&str> = tied.map(|r| name(study, r.arm)).collect();
            let first = study.quality.efficient.iter();
            let first = first.copied().find(|at| {
                let same = |r: &&FrontArm| r.arm == *at;
                study
                    .quality
                    .front
                    .iter()
                    .find(same)
                    .is_some_and(|r| known(r) == known(row))
            });
            let turns = match first == Some(row.arm) {
                true => ", named first",
                false => "",
            };
            format!("efficient, tied with {}{turns}", names.join(" and "))
        }
        Place::Dominated => {
            let by: Vec<&str> = row.dominated_by.iter().map(|at| name(study, *at)).collect();
            format!("dominated by {}", by.join(" and "))
        }
        Place::Unknown => {
            let (costs, passes) = row.counted;
            format!(
                "where it stands is unknown (cost known of {costs}, success of {passes} of {})",
                counted(row.chains as u64, "chain", "chains")
            )
        }
    }
}

/// Whether both differences have an interval that holds zero.
fn shows_nothing(row: &FrontArm) -> bool {
    let holds = |i: Option<Interval>| i.is_some_and(|i| !i.excludes_zero());
    holds(row.cost_interval) && holds(row.success_interval)
}

/// A share in whole per cent, without its sign.
fn percent(share: f64) -> String {
    format!("{:.0}", (100.0 * share).abs())
}

fn than<'w>(value: f64, more: &'w str, less: &'w str) -> &'w str {
    if value < 0.0 { less } else { more }
}

fn span(of: Option<Interval>, words: impl Fn(f64) -> String) -> String {
    of.map_or(String::new(), |i| {
        format!(" (95 %: {} to {})", words(i.low), words(i.high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> FrontArm {
        FrontArm {
            arm: 1,
            cost: Value::known(1.12),
            success: Value::ratio(8.0, 10.0, "none"),
            wrong_turns: Value::known(3.0),
            place: Place::OnFront,
            dominated_by: Vec::new(),
            cost_against_baseline: Some(0.12),
            cost_interval: Some(Interval {
                low: -0.03,
                high: 0.29,
            }),
            success_against_baseline: Some(0.08),
            success_interval: Some(Interval {
                low: -0.22,
                high: 0.38,
            }),
            counted: (10, 10),
            chains: 10,
        }
    }

    #[test]
    fn differences_are_said_with_their_direction_and_interval() {
        assert_eq!(
            format!("{}, {}", cost(&row()), success(&row())),
            "costs 12 % more a chain (95 %: 3 % less to 29 % more), passes 8 points more often \
             (95 %: 22 less to 38 more)"
        );
        let less = FrontArm {
            cost_against_baseline: Some(-0.5),
            cost_interval: None,
            success_against_baseline: Some(0.0),
            success_interval: None,
            ..row()
        };
        assert_eq!(cost(&less), "costs 50 % less a chain");
        assert_eq!(success(&less), "passes as often");
        assert!(shows_nothing(&row()) && !shows_nothing(&less));
    }

    #[test]
    fn what_is_known_of_a_part_of_the_chains_says_so_and_counts_as_that_many() {
        let of = |cost, success, chains| FrontArm {
            counted: (cost, success),
            chains,
            ..row()
        };
        assert_eq!(known_of(&of(10, 10, 10)), "");
        assert_eq!(known_of(&of(1, 10, 10)), "; cost known of 1 of 10 chains");
        assert_eq!(
            known_of(&of(9, 8, 10)),
            "; cost known of 9 of 10 chains; success known of 8 of 10 chains"
        );
        let unplaced = FrontArm {
            place: Place::Unknown,
            ..of(0, 3, 6)
        };
        assert_eq!(known_of(&unplaced), "");
        assert!(few(&of(5, 10, 10)) && few(&of(10, 5, 10)) && few(&of(5, 5, 5)));
        assert!(!few(&of(6, 6, 10)));
    }

    #[test]
    fn what_is_unknown_is_said_with_its_reason() {
        let unknown = FrontArm {
            cost: Value::unknown("no session recorded"),
            success: Value::unknown("no gate recorded"),
            cost_against_baseline: None,
            success_against_baseline: None,
            ..row()
        };
        assert_eq!(cost(&unknown), "is of unknown cost (no session recorded)");
        assert_eq!(
            success(&unknown),
            "how often it passes is unknown (no gate recorded)"
        );
        assert_eq!(own_success(&row()), "passes 8 of 10 times");
    }
}
