//! What a clone has and has not.

use super::*;

/// A server that has the chain and the notes, and no branches of notes.
fn shared(repo: &Repo) -> String {
    let server = server(repo);
    repo.git(&["push", "-q", "origin", BRANCH, "refs/notes/evolve/*"]);
    format!("file://{}", server.display())
}

#[test]
fn a_clone_made_with_the_one_option_reads_all_records_offline() {
    let repo = worked(2);
    let url = shared(&repo);
    let copy = repo.around().join("copy");
    let option = "remote.origin.fetch=+refs/notes/evolve/*:refs/evolve/remotes/origin/*";
    repo.git(&["clone", "-q", "-c", option, &url, text(&copy)]);
    git(&repo, &copy, &["remote", "set-url", "origin", "/nowhere"]);
    assert_eq!(git(&repo, &copy, &["for-each-ref", "refs/notes"]), "");
    let seen = status_in(&repo, &copy);
    assert_eq!(seen["records"], "complete");
    assert_eq!(seen["chains"][0]["records"], 13);
    assert_eq!(figures(&repo, &copy), figures(&repo, repo.path()));
    sound(&repo, &copy);
}

#[test]
fn records_that_were_not_fetched_are_no_empty_run_and_the_command_that_brings_them_is_named() {
    let repo = worked(2);
    let url = shared(&repo);
    let copy = repo.around().join("copy");
    repo.git(&["clone", "-q", &url, text(&copy)]);
    let seen = status_in(&repo, &copy);
    assert_eq!(seen["records"], "not fetched");
    assert_eq!(seen["bring"], "git evolve fetch origin");
    assert!(
        seen["chains"][0]["missing"]
            .to_string()
            .contains("not fetched")
    );
    let o = repo.evolve_in(&copy, &["verify"]);
    assert_eq!(o.status.code(), Some(3), "{}{}", out(&o), err(&o));
    assert!((out(&o) + &err(&o)).contains("git evolve fetch origin"));
    assert!(found_in(&repo, &copy, "doctor").contains(&"records-not-fetched".to_owned()));
    done(&repo, &copy, &["fetch", "origin"]);
    sound(&repo, &copy);
    // Where nobody has any, that is another answer.
    let none = project();
    assert_eq!(status(&none)["records"], "none");
}
