//! Where arms stand in cost and success, and against the baseline.

use std::cmp::Ordering;

use super::effort;
use super::runs::Arm;
use super::success;
use crate::report::FrontArm;
use crate::stats::{Mean, Place, Proportion, front, proportion_difference};

/// What an arm is judged by.
struct Judged {
    cost: Option<Mean>,
    success: Option<Proportion>,
}

/// Where each arm stands, and those on the front in the order they are named.
pub(super) fn of(arms: &[Arm<'_>]) -> (Vec<FrontArm>, Vec<usize>) {
    let mut judged = Vec::new();
    let mut rows = Vec::new();
    for (at, arm) in arms.iter().enumerate() {
        let costs = effort::costs(arm);
        let passes = success::passes(arm);
        judged.push(Judged {
            cost: costs.mean(),
            success: passes.share(),
        });
        rows.push(FrontArm {
            arm: at,
            cost: costs.cell("chain", "chains").0,
            success: passes.cell("chain", "chains").0,
            wrong_turns: effort::wrong_turns(arm).cell("chain", "chains").0,
            place: Place::Unknown,
            dominated_by: Vec::new(),
            cost_against_baseline: None,
            cost_interval: None,
            success_against_baseline: None,
            success_interval: None,
            counted: (costs.known(), passes.known()),
            chains: arm.runs.len(),
        });
    }
    let points: Vec<(Option<f64>, Option<f64>)> = judged
        .iter()
        .map(|j| (j.cost.map(|m| m.value), j.success.map(|p| p.value)))
        .collect();
    let baseline = arms.iter().position(|arm| arm.baseline);
    for (at, place) in front(&points).into_iter().enumerate() {
        rows[at].place = place;
        rows[at].dominated_by = beaten_by(&points, at);
        let Some(base) = baseline.filter(|base| *base != at) else {
            continue;
        };
        let (mine, base) = (&judged[at], &judged[base]);
        if let (Some(cost), Some(to)) = (mine.cost, base.cost) {
            rows[at].cost_against_baseline = cost.against(&to);
            rows[at].cost_interval = cost.against_interval(&to);
        }
        if let (Some(success), Some(to)) = (mine.success, base.success) {
            rows[at].success_against_baseline = Some(success.value - to.value);
            rows[at].success_interval = Some(proportion_difference(success, to));
        }
    }
    let efficient = named(&rows, &points);
    (rows, efficient)
}

/// The arms that are at least as good in both and better in one.
fn beaten_by(points: &[(Option<f64>, Option<f64>)], at: usize) -> Vec<usize> {
    let known = |at: usize| points[at].0.zip(points[at].1);
    let Some((cost, success)) = known(at) else {
        return Vec::new();
    };
    let better = |other: &usize| {
        known(*other).is_some_and(|(c, s)| c <= cost && s >= success && (c < cost || s > success))
    };
    (0..points.len()).filter(better).collect()
}

/// The arms on the front: the cheaper first, of two that are equal in both the one with fewer
/// wrong turns.
fn named(rows: &[FrontArm], points: &[(Option<f64>, Option<f64>)]) -> Vec<usize> {
    let on = |row: &&FrontArm| matches!(row.place, Place::OnFront | Place::Tied);
    let mut on: Vec<usize> = rows.iter().filter(on).map(|row| row.arm).collect();
    let cost = |at: &usize| points[*at].0.unwrap_or(f64::INFINITY);
    let turns = |at: &usize| rows[*at].wrong_turns.number().unwrap_or(f64::INFINITY);
    on.sort_by(|a, b| {
        let by_cost: Ordering = cost(a).total_cmp(&cost(b));
        by_cost.then_with(|| turns(a).total_cmp(&turns(b)))
    });
    on
}
