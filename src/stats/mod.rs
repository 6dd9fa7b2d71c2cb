//! Numbers about numbers: series, slopes, resampling, phases, verdicts, comparisons of arms.
//!
//! Knows no code and no git: it takes values by chain and checkpoint, and gives back numbers.
//! Everything is a pure function of its input and a seed, summed in a fixed order with the
//! four operations and the square root only, so that every machine gives the same bits.
//! `docs/statistics.md` has every formula, why it was chosen, and how well it covers.

mod adjust;
mod bootstrap;
mod compare;
mod effect;
mod front;
mod generator;
mod interval;
mod means;
mod paired;
mod percentile;
mod permutation;
mod phases;
mod proportion;
mod repeats;
mod series;
mod share;
mod slope;
mod strata;
mod student;
mod student_table;
mod threshold;
mod totals;
mod trend;
mod verdict;

pub use adjust::holm;
pub use compare::{Comparison, Separation, compare};
pub use effect::Effect;
pub use front::{Place, front};
pub use generator::SplitMix64;
pub use interval::Interval;
pub use means::{Mean, mean_over_tasks};
pub use paired::compare_paired;
pub use percentile::{percentile, percentile_rank};
pub use permutation::Permutation;
pub use phases::{Phase, PhaseName};
pub use proportion::{Proportion, Tries, proportion, proportion_difference};
pub use repeats::{evoscore, pass_at_k, pass_hat_k};
pub use series::{Observation, Point, Series, group};
pub use share::{ValueShare, value_shares};
pub use strata::compare_within;
pub use threshold::{Bound, Kept, kept, pooled};
pub use totals::mean_and_sd;
pub use trend::{BandPoint, ChainSlope, CurvePoint, Options, Share, Trend, trend};
pub use verdict::{Direction, MIN_CHAINS, Verdict, VerdictText, verdict};
