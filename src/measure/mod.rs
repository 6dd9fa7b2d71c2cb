//! Pure: a step in, values out. One family a file; [`catalogue`] is the registry.
//!
//! To add a measure, write its entry and its function in the file of its family (or a new
//! one, listed in [`catalogue`]): words, needs and formula stand together.

pub mod catalogue;
mod definition;
pub mod value;

mod blast;
mod breakage;
mod chains;
mod complexity;
mod concentration;
mod correctness;
mod entropy;
mod erosion;
mod evaluate;
mod files;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod fixture_chain;
mod gates;
mod lines;
mod packages;
mod parent_tests;
mod peaks;
mod percentile;
mod planned;
mod population;
pub mod pricing;
mod process;
mod progress;
mod reedit;
pub mod signals;
mod size;
mod suite_coverage;
mod surface;
mod tree;

pub use breakage::{Breakage, breakages, is_clean};
pub use correctness::Outcome;
pub use percentile::percentile;
pub use process::{Worked, unreached, worked};
pub use progress::{from_initial, from_previous};
pub use value::{Figure, Item, Known, LeftOut, Value};
