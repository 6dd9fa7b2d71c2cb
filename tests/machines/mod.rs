//! One experiment on several machines: several clones and one bare remote, on this machine alone.

mod claims;
mod matrix;
mod pairs;
mod workflow;
