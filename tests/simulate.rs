//! Large experiments whose truth is known: what is measured is what was done.

use std::path::Path;

use crate::support::large::{Size, make};

mod figures;
mod known_truth;
mod same_bytes;
mod worlds;

#[test]
#[ignore = "writes a large experiment to the folder that EVOLVE_LARGE names"]
fn a_large_experiment_is_written_where_it_is_asked_for() {
    let to = std::env::var("EVOLVE_LARGE").expect("EVOLVE_LARGE names a folder");
    let mut size = Size::default();
    // CHAINS,CHECKPOINTS,TESTS,FILES
    if let Ok(asked) = std::env::var("EVOLVE_LARGE_SIZE") {
        let asked: Vec<usize> = asked
            .split(',')
            .map(|n| n.parse().expect("a number"))
            .collect();
        (size.chains, size.checkpoints) = (asked[0], asked[1]);
        (size.tests, size.files) = (asked[2], asked[3]);
    }
    let chains = make(Path::new(&to), &size);
    assert_eq!(chains.len(), 2 * size.chains);
}
