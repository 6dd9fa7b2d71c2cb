//! An experiment laid out for reading: its arms side by side, measure by measure. Plain data,
//! computed before it comes here; what is written from it (tables, pages, figures) computes
//! nothing.
//!
//! Everything is in the order shown. Arms are named by their place in [`Study::arms`].

mod differences;
mod heat;
mod laid_out;
mod measured;
mod quality;

pub use differences::{Declared, Difference, Provenance};
pub use heat::{HeatCell, HeatMap, HeatRow};
pub use laid_out::{Attempts, LeftOut, Study, StudyArm, StudyChain, StudyCheckpoint};
pub use measured::{ArmFigure, MeasureTable, Pair, Total};
pub use quality::{FrontArm, Part, Quality, Score};
