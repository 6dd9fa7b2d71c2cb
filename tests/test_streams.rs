//! Reports that are streams or JSON, runs told twice, and what makes a run a verdict.

mod given;
mod go;
mod judged;
mod pairs;
mod pytest;
