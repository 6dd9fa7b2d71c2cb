//! Whole experiments with the replay agent, from a plan to its figures.

mod misbehaving;
pub mod small;
mod whole;
