//! Which remote is meant.

use super::*;

#[test]
fn without_a_remote_there_is_nothing_to_talk_to_and_that_is_said() {
    let repo = Repo::new();
    repo.commit("x");
    for words in [&["fetch"][..], &["push"], &["push", "--dry-run"]] {
        let out = repo.evolve(words);
        assert_eq!(out.status.code(), Some(2));
        let said = said(&out);
        assert!(
            said.contains("no remote is configured") && said.contains("git remote add"),
            "{said}"
        );
    }
    let out = repo.evolve(&["fetch", "upstream"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(said(&out).contains("no remote is called 'upstream'"));
}

#[test]
fn the_branchs_remote_wins_then_the_push_default_then_the_only_one() {
    let field = Field::new();
    let dir = field.repo.path();
    let second = bare(&field.repo, "second.git");
    let third = bare(&field.repo, "third.git");
    field.repo.git(&["remote", "rename", "origin", "team/up"]);
    let says = |words: &[&str]| {
        let out = field.evolve(dir, words);
        String::from_utf8_lossy(&out.stdout).into_owned() + &said(&out)
    };
    assert!(says(&["push", "-n"]).contains("team/up ("), "the only one");
    field
        .repo
        .git(&["remote", "add", "second", second.to_str().expect("utf-8")]);
    field
        .repo
        .git(&["remote", "add", "third", third.to_str().expect("utf-8")]);
    assert!(
        says(&["push", "-n"]).contains("several"),
        "nothing says which"
    );
    field.repo.git(&["config", "remote.pushDefault", "second"]);
    assert!(says(&["push", "-n"]).contains("second ("));
    assert!(
        says(&["fetch"]).contains("several"),
        "a push default is none for fetching"
    );
    field.repo.git(&["config", "branch.main.remote", "third"]);
    assert!(says(&["push", "-n"]).contains("third ("));
    assert!(says(&["fetch"]).contains("third ("));
    assert!(says(&["push", "-n", "team/up"]).contains("team/up ("));
}

#[test]
fn a_remote_with_a_slash_in_its_name_has_tracking_refs_like_any_other() {
    let field = Field::new();
    let dir = field.repo.path();
    field.repo.git(&["remote", "rename", "origin", "team/up"]);
    field.good(dir, &["push", "--yes"]);
    assert!(
        field
            .has(dir, "refs/evolve/remotes/team/up/checkpoint")
            .is_some()
    );
    let other = field.clone("other", &["--origin=team/up"]);
    field.good(&other, &["fetch"]);
    assert_eq!(field.records(&other).len(), 3);
}

#[test]
fn an_address_has_a_tracking_folder_of_its_own_however_it_is_spelled() {
    let field = Field::published();
    let lone = Repo::new();
    lone.commit("x");
    let spellings = [
        format!("file://{}", field.server.display()),
        field.server.display().to_string(),
        format!("{}/", field.server.display()),
    ];
    for spelling in &spellings {
        let out = lone.evolve(&["fetch", spelling]);
        assert!(out.status.success(), "{}", said(&out));
    }
    let refs = git(
        &lone,
        lone.path(),
        &["for-each-ref", "--format=%(refname)", "refs/evolve"],
    );
    let refs: Vec<&str> = refs.lines().collect();
    assert!(
        refs.iter()
            .all(|r| r.starts_with("refs/evolve/remotes/server-")),
        "{refs:?}"
    );
    let ends = |end: &str| refs.iter().filter(|r| r.ends_with(end)).count();
    assert_eq!(ends("/checkpoint"), 2, "the notes and the branch: {refs:?}");
    assert_eq!(ends(&format!("/heads/evolve/{PATH}")), 1, "{refs:?}");
    assert_eq!(records_at(&lone, lone.path(), NOTES).len(), 3);
    assert_eq!(
        git(&lone, lone.path(), &["for-each-ref", "refs/remotes"]),
        ""
    );
}

#[test]
fn the_address_of_a_known_remote_is_that_remote() {
    let field = Field::published();
    let clone = field.clone("clone", &[]);
    field.good(
        &clone,
        &["fetch", &format!("file://{}", field.server.display())],
    );
    assert!(
        field
            .has(&clone, "refs/evolve/remotes/origin/checkpoint")
            .is_some()
    );
}

#[test]
fn a_relative_path_is_taken_from_where_the_command_was_typed() {
    let field = Field::new();
    let deep = field.repo.path().join("deep");
    std::fs::create_dir_all(&deep).expect("a folder");
    bare(&field.repo, "second.git");
    field.good(&deep, &["push", "--yes", "../../second.git"]);
    let second = field.at("second.git");
    assert_eq!(records_at(&field.repo, &second, NOTES).len(), 3);
    field.good(
        field.repo.around(),
        &["-C", "repo/deep", "fetch", "../../second.git"],
    );
}

#[test]
fn a_push_address_that_differs_is_pushed_to_and_its_records_are_merged_too() {
    let field = Field::published();
    let fork = field.at("fork.git");
    field.git(
        field.repo.around(),
        &[
            "clone",
            "-q",
            "--bare",
            field.server.to_str().expect("utf-8"),
            "fork.git",
        ],
    );
    // Somebody else's record is on the fork alone.
    let other = field.clone("other", &[]);
    let theirs = record(&other, &field.chain[0]);
    field.good(&other, &["push", "--yes", fork.to_str().expect("utf-8")]);
    field.repo.git(&[
        "remote",
        "set-url",
        "--push",
        "origin",
        fork.to_str().expect("utf-8"),
    ]);
    let mine = record(field.repo.path(), &field.chain[1]);
    let before = field.has(&field.server, NOTES);
    let said = field.good(field.repo.path(), &["push"]);
    assert!(
        said.contains("pushing to") && said.contains("fork.git"),
        "{said}"
    );
    let there = records_at(&field.repo, &fork, NOTES);
    for id in [&mine, &theirs] {
        assert!(there.iter().any(|(_, i)| i == id), "{id}");
    }
    assert_eq!(
        field.has(&field.server, NOTES),
        before,
        "the other one is left alone"
    );
    let said = field.good(field.repo.path(), &["fetch"]);
    assert!(said.contains("is pushed to"), "{said}");
}

#[test]
fn a_renamed_and_a_removed_remote_leave_nothing_that_hurts() {
    let field = Field::published();
    let clone = field.clone(
        "clone",
        &[
            "-c",
            "remote.origin.fetch=+refs/notes/evolve/*:refs/evolve/remotes/origin/*",
        ],
    );
    field.good(&clone, &["fetch"]);
    field.git(&clone, &["remote", "rename", "origin", "up"]);
    record(field.repo.path(), &field.chain[1]);
    field.good(field.repo.path(), &["push"]);
    field.good(&clone, &["fetch"]);
    assert_eq!(field.records(&clone).len(), 4);
    assert!(
        field
            .has(&clone, "refs/evolve/remotes/up/checkpoint")
            .is_some()
    );
    field.git(&clone, &["remote", "remove", "up"]);
    assert!(
        field
            .has(&clone, "refs/evolve/remotes/up/checkpoint")
            .is_some()
    );
    field.bad(&clone, &["fetch"], 2);
    field.good(&clone, &["fetch", field.server.to_str().expect("utf-8")]);
    assert_eq!(field.records(&clone).len(), 4);
}
