//! Whole experiments with the replay agent, from a plan to its figures.

pub mod small;
mod whole;
