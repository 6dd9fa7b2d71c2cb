//! Pure: a step in, values out. One family a file; [`catalogue`] is the registry.

pub mod value;

pub use value::{Figure, Item, Known, LeftOut, Value};
