//! Commands that are killed at any moment.

use std::path::Path;
use std::process::Command;

use super::{Dice, envelope, evolve, git, ids, is_sound, killed_after, kills, project, time};
use crate::support::Repo;

const KINDS: [&str; 3] = ["checkpoint", "envelope", "raw"];

fn all_ids(repo: &Repo, dir: &Path) -> Vec<String> {
    KINDS
        .iter()
        .flat_map(|kind| ids(repo, dir, &format!("refs/notes/evolve/{kind}")))
        .collect()
}

fn ours(repo: &Repo, dir: &Path, args: &[&str]) -> Command {
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), dir);
    command.args(args);
    command
}

fn work(repo: &Repo, n: usize) -> String {
    repo.write("src/a.py", format!("def a():\n    return {n}\n"));
    let file = envelope(repo, &format!("work-{n}"));
    file.to_str().expect("UTF-8").to_owned()
}

/// Kills in one repository: what is looked at after each of them grows with those before.
const IN_ONE: usize = 25;

/// Spreads `all` kills over repositories; each gets a seed and how many are its.
fn spread(all: usize, mut kill: impl FnMut(u64, usize)) {
    let mut left = all;
    let mut seed = 7;
    while left > 0 {
        let part = left.min(IN_ONE);
        kill(seed, part);
        left -= part;
        seed += 1;
    }
}

#[test]
fn a_record_killed_at_any_moment_is_whole_or_repeats_with_success() {
    spread(kills(), kill_record);
}

#[test]
fn a_push_and_a_fetch_killed_at_any_moment_lose_nothing_and_repeat_with_success() {
    spread(kills(), kill_push_and_fetch);
}

fn kill_record(seed: u64, kills: usize) {
    let repo = project();
    evolve(&repo, repo.path(), &["begin", "exp/arm/1", "1"]);
    let file = work(&repo, 0);
    let mut whole = time(|| {
        evolve(&repo, repo.path(), &["record", "--envelope", &file]);
    });
    evolve(&repo, repo.path(), &["reset"]);
    let mut dice = Dice(seed);
    let mut cut_short = 0;
    for n in 1..=kills {
        let k = (n + 1).to_string();
        evolve(&repo, repo.path(), &["begin", "exp/arm/1", &k]);
        let file = work(&repo, n);
        let before = all_ids(&repo, repo.path());
        let args = ["record", "--envelope", file.as_str()];
        let delay = dice.moment(whole);
        cut_short += usize::from(killed_after(
            ours(&repo, repo.path(), &args),
            delay,
            n % 2 == 0,
        ));
        is_sound(&repo, repo.path());
        let now = all_ids(&repo, repo.path());
        assert!(before.iter().all(|id| now.contains(id)), "a record is gone");
        whole = (whole * 3
            + time(|| {
                evolve(&repo, repo.path(), &["record"]);
            }))
            / 4;
        evolve(&repo, repo.path(), &["reset"]);
        is_sound(&repo, repo.path());
        let tip = git(&repo, repo.path(), &["show", "evolve/exp/arm/1:src/a.py"]);
        assert_eq!(tip, format!("def a():\n    return {n}\n"));
        assert_eq!(git(&repo, repo.path(), &["status", "--porcelain"]), "");
    }
    let checkpoints = ids(&repo, repo.path(), "refs/notes/evolve/checkpoint");
    assert_eq!(checkpoints.len(), 1 + 2 * (kills + 1));
    assert!(cut_short * 4 >= kills, "only {cut_short} were cut short");
}

fn kill_push_and_fetch(seed: u64, kills: usize) {
    let repo = project();
    let server = repo.around().join("server.git");
    let other = repo.around().join("other");
    let (at, there) = (
        server.to_str().expect("UTF-8").to_owned(),
        other.to_str().expect("UTF-8").to_owned(),
    );
    git(
        &repo,
        repo.around(),
        &["init", "-q", "--bare", "-b", "main", &at],
    );
    git(&repo, repo.path(), &["remote", "add", "origin", &at]);
    git(&repo, repo.path(), &["push", "-q", "origin", "main"]);
    evolve(&repo, repo.path(), &["begin", "exp/arm/1", "1"]);
    let file = work(&repo, 0);
    evolve(&repo, repo.path(), &["record", "--envelope", &file]);
    evolve(&repo, repo.path(), &["push", "--yes"]);
    evolve(&repo, repo.around(), &["clone", &at, &there]);
    let mut dice = Dice(seed);
    let mut pushing = time(|| {
        evolve(&repo, repo.path(), &["push"]);
    });
    let mut fetching = pushing;
    let mut cut_short = 0;
    for n in 1..=kills {
        let file = envelope(&repo, &format!("more-{n}"));
        evolve(
            &repo,
            repo.path(),
            &["record", "--envelope", file.to_str().expect("UTF-8")],
        );
        let before = all_ids(&repo, repo.path());
        let delay = dice.moment(pushing);
        cut_short += usize::from(killed_after(
            ours(&repo, repo.path(), &["push"]),
            delay,
            // The server of a path is a child of ours, and no kill here ends a real one.
            false,
        ));
        is_sound(&repo, repo.path());
        assert_eq!(all_ids(&repo, repo.path()), before);
        pushing = (pushing * 3
            + time(|| {
                evolve(&repo, repo.path(), &["push"]);
            }))
            / 4;
        git(&repo, &server, &["fsck", "--no-dangling"]);
        assert_eq!(all_ids(&repo, &server), before, "the server has all");

        let theirs = all_ids(&repo, &other);
        let delay = dice.moment(fetching);
        cut_short += usize::from(killed_after(
            ours(&repo, &other, &["fetch"]),
            delay,
            n % 2 == 0,
        ));
        is_sound(&repo, &other);
        let now = all_ids(&repo, &other);
        assert!(theirs.iter().all(|id| now.contains(id)), "a record is gone");
        fetching = (fetching * 3
            + time(|| {
                evolve(&repo, &other, &["fetch"]);
            }))
            / 4;
        is_sound(&repo, &other);
        assert_eq!(all_ids(&repo, &other), before);
    }
    assert!(
        cut_short * 4 >= 2 * kills,
        "only {cut_short} of {} were cut short",
        2 * kills
    );
}
