//! Figures: curves with their spread, forest plots, the front of cost and quality, heat maps,
//! small multiples. Each is an SVG that stands in a page or alone, the same bytes everywhere.
//!
//! A figure draws what it is given and computes nothing but places on paper. What it shows is
//! also said in words, with the numbers, in its `<desc>`.

mod canvas;
mod curve;
mod forest;
mod front;
mod heat;
mod heat_cells;
mod legend;
mod letters;
mod lines;
mod look;
mod marks;
mod multiples;
mod plot;
mod scale;
mod style;
mod svg;
mod words;

pub use forest::{Forest, ForestRow, forest, slope_differences, slopes};
pub use front::front;
pub use heat::{HeatCell, HeatMap, HeatPanel, HeatRow, heat};
pub use lines::lines;
pub use look::Look;
pub use multiples::{Panel, multiples};
pub use style::page_style;
pub use svg::Svg;
