//! What agents pushed before their records existed.

use super::*;

#[test]
fn commits_that_an_agent_pushed_and_that_were_folded_stay_where_they_are() {
    let field = Field::new();
    let dir = field.repo.path();
    // The agent committed and pushed inside its turn, on a branch of its own.
    let own = commit_on(&field.repo, dir, &field.chain[0], "wip", None);
    field.git(
        dir,
        &["push", "-q", "origin", &format!("{own}:refs/heads/topic")],
    );
    field.git(dir, &["fetch", "-q", "origin"]);
    let quiet = commit_on(&field.repo, dir, &field.chain[0], "not pushed", None);
    field.git(
        dir,
        &["update-ref", &format!("refs/evolve/agent/{PATH}/1/1"), &own],
    );
    field.git(
        dir,
        &[
            "update-ref",
            &format!("refs/evolve/agent/{PATH}/1/2"),
            &quiet,
        ],
    );
    let said = field.good(dir, &["push", "--yes"]);
    let folded: Vec<&str> = said.lines().filter(|l| l.contains("stays there")).collect();
    assert_eq!(folded.len(), 1, "{said}");
    assert!(folded[0].contains(&own[..7]), "{said}");
    assert_eq!(field.has(&field.server, "refs/heads/topic"), Some(own));
}

#[test]
fn a_chains_branch_that_the_agent_pushed_is_left_and_the_recorded_one_goes_beside_it() {
    let field = Field::new();
    let dir = field.repo.path();
    let branch = format!("refs/heads/evolve/{PATH}");
    let own = commit_on(&field.repo, dir, &field.chain[0], "wip", None);
    field.git(dir, &["push", "-q", "origin", &format!("{own}:{branch}")]);
    let said = field.good(dir, &["push", "--yes"]);
    assert!(said.contains("stays where it is"), "{said}");
    assert_eq!(field.has(&field.server, &branch), Some(own));
    let kept = format!("refs/heads/evolve-kept/{PATH}/{}", &field.chain[2][..12]);
    assert_eq!(field.has(&field.server, &kept).as_ref(), field.chain.last());
}

#[test]
fn a_record_that_comes_after_the_commits_were_pushed_is_published_by_the_next_push() {
    let field = Field::without_records();
    let dir = field.repo.path();
    field
        .repo
        .git(&["push", "-q", "origin", &format!("evolve/{PATH}")]);
    assert!(
        field
            .repo
            .stdout(&["push", "-n"])
            .contains("nothing to publish")
    );
    let late = record(dir, &field.chain[1]);
    // A branch pushed by hand is no consent to what was captured.
    let said = field.good(dir, &["push", "--yes"]);
    assert!(said.contains("published 1 record"), "{said}");
    let there = records_at(&field.repo, &field.server, NOTES);
    assert_eq!(there, BTreeSet::from([(field.chain[1].clone(), late)]));
}

#[test]
fn lines_that_wait_in_the_spool_are_published_too() {
    let field = Field::new();
    let dir = field.repo.path();
    // A lock that somebody holds: the record goes to the spool.
    let opened = Opened::discover(dir).expect("open");
    let before = field.records(dir).len();
    field.git(dir, &["config", "evolve.lockTimeout", "0.1"]);
    let soon = std::time::Instant::now() + std::time::Duration::from_secs(5);
    let lock = git_evolve::repo::Lock::take(&opened, soon).expect("the lock");
    let late = entry(dir, &field.chain[1]);
    let batch = Batch {
        entries: vec![late],
        configs: Vec::new(),
    };
    let opened = Opened::discover(dir).expect("open");
    append(&opened, batch).expect_err("the lock is held");
    assert_eq!(field.records(dir).len(), before);
    drop(lock);
    let said = field.good(dir, &["push", "--yes"]);
    assert!(said.contains("published 4 records"), "{said}");
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 4);
}
