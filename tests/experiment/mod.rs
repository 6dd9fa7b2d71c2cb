//! Whole experiments with the replay agent, from a plan to its figures.

mod misbehaving;
mod quality;
pub mod small;
mod whole;
