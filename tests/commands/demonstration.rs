//! `demo`.

use super::{err, out};
use crate::support::Repo;

#[test]
fn the_demonstration_prints_what_log_and_slope_print_there() {
    let repo = Repo::new();
    let done = repo.evolve_in(repo.around(), &["demo", "made"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let made = repo.around().join("made");
    let log = out(&repo.evolve_in(&made, &["log"]));
    let slope = out(&repo.evolve_in(&made, &["slope"]));
    assert_eq!(out(&done), format!("{log}{slope}"));
    let words = err(&done);
    let next = words.split("next:\n").nth(1).unwrap();
    for line in next.lines().skip(1) {
        let typed = line.trim().strip_prefix("git evolve ").unwrap();
        let typed: Vec<&str> = typed.split(' ').collect();
        let done = repo.evolve_in(&made, &typed);
        assert_eq!(done.status.code(), Some(0), "{typed:?}: {}", err(&done));
        assert!(!out(&done).is_empty(), "{typed:?}");
    }
    assert_eq!(
        repo.evolve_in(repo.around(), &["demo", "made"])
            .status
            .code(),
        Some(2)
    );
}
