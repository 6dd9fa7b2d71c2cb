//! Figures: well-formed by a real parser, the same bytes twice, nothing outside, nothing but what
//! was handed in.
//!
//! Golden files of one figure of each kind are in `fixtures/figures`; with `EVOLVE_FIGURES=DIR`
//! every figure of these tests is written into that folder, to be looked at.

mod golden;
mod laws;
mod reading;
mod sample;
mod values;
