//! Without the keep ref: what `reconcile` proposes, does, and says is gone.

use super::{BRANCH, Carrying, Deed, Ground, KEEP, LENGTH, PATH, called, figures};

const CARRYING: [Carrying; 2] = [Carrying::Nothing, Carrying::ByGit];

/// The log before anything was done.
fn before() -> String {
    let (code, log, said) = Ground::new(Carrying::Nothing).log();
    assert_eq!(code, Some(0), "{said}");
    log
}

/// Does what is proposed; nothing is proposed after.
fn settle(ground: &Ground) -> Vec<serde_json::Value> {
    let (code, findings, said) = ground.reconcile(&[]);
    assert_eq!(code, Some(1), "{findings:?} {said}");
    let (code, _, said) = ground.reconcile(&["--apply"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, again, _) = ground.reconcile(&[]);
    assert_eq!(code, Some(0), "{again:?}");
    assert!(again.iter().all(|f| f["proposed"] == false), "{again:?}");
    findings
}

/// The ids of records on a commit.
fn records_on(ground: &Ground, commit: &str) -> usize {
    let shown = ground
        .repo
        .command("git", ground.repo.path())
        .args([
            "notes",
            "--ref=refs/notes/evolve/checkpoint",
            "show",
            commit,
        ])
        .output()
        .expect("git runs");
    String::from_utf8_lossy(&shown.stdout).lines().count()
}

#[test]
fn an_amended_commit_gets_its_records_back() {
    let before = before();
    for carrying in CARRYING {
        let ground = Ground::unkept(carrying);
        ground.does(Deed::Amend);
        let (_, log, said) = ground.log();
        assert_eq!(log, before, "{carrying:?}");
        let told = "checkpoint 60 (reset) stands here as";
        assert!(said.contains(told), "{carrying:?}: {said}");
        let findings = settle(&ground);
        let carried = called(&findings, "carry").len();
        assert_eq!(
            carried,
            usize::from(carrying == Carrying::Nothing),
            "{findings:?}"
        );
        assert_eq!(records_on(&ground, BRANCH), 1);
        assert_eq!(
            ground.git(&["rev-parse", KEEP]),
            ground.git(&["rev-parse", BRANCH])
        );
    }
}

#[test]
fn a_commit_that_lost_its_trailers_counts_by_its_record() {
    let before = before();
    for carrying in CARRYING {
        let ground = Ground::unkept(carrying);
        // The agent commit of checkpoint 60, said otherwise, and the reset commit after it.
        let reset = ground.id(60, "reset");
        ground.git(&["reset", "-q", "--hard", "HEAD~1"]);
        ground.does(Deed::AmendMessage);
        ground.git(&["cherry-pick", "--allow-empty", &reset]);
        let (_, log, said) = ground.log();
        let (left, told) = match carrying {
            Carrying::Nothing => (
                LENGTH - 1,
                "recorded and not on its line: the agent commit of checkpoint 60",
            ),
            _ => (
                LENGTH,
                "by its record it is the agent commit of checkpoint 60",
            ),
        };
        assert_eq!(log.lines().count(), left as usize, "{carrying:?}");
        assert!(said.contains(told), "{carrying:?}: {said}");
        let findings = settle(&ground);
        if carrying == Carrying::Nothing {
            let agent = called(&findings, "carry")
                .into_iter()
                .find(|f| f["role"] == "agent");
            let agent = agent.unwrap_or_else(|| panic!("{findings:?}"));
            assert_eq!(
                agent["evidence"],
                serde_json::json!(["tree and parent tree"])
            );
            assert_eq!(agent["records"], "1 checkpoint, 1 tests");
        }
        let (_, log, _) = ground.log();
        assert_eq!(figures(&log), figures(&before), "{carrying:?}");
    }
}

#[test]
fn an_equal_patch_is_evidence_where_neither_trailers_nor_trees_are() {
    let before = before();
    let ground = Ground::unkept(Carrying::Nothing);
    let (agent, reset) = (ground.id(60, "agent"), ground.id(60, "reset"));
    ground.git(&["reset", "-q", "--hard", "HEAD~2"]);
    ground.repo.write("NOTES", "somebody's own\n");
    ground.repo.commit("somebody's own");
    ground.git(&["cherry-pick", "-n", &agent]);
    ground.git(&["commit", "-q", "-m", "said otherwise"]);
    ground.git(&["cherry-pick", "--allow-empty", &reset]);
    assert_eq!(ground.log().1.lines().count(), LENGTH as usize - 1);
    let findings = settle(&ground);
    let carried = called(&findings, "carry");
    let agent = carried.iter().find(|f| f["role"] == "agent");
    let agent = agent.unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!(agent["evidence"], serde_json::json!(["patch"]));
    assert_eq!(figures(&ground.log().1), figures(&before));
}

#[test]
fn a_rebased_chain_takes_its_records_along() {
    let before = before();
    let ground = Ground::unkept(Carrying::Nothing);
    ground.does(Deed::Rebase);
    let (_, log, said) = ground.log();
    assert_eq!(figures(&log), figures(&before));
    let told = "121 of its commits, of checkpoints 0-60, stand here rewritten";
    assert!(said.contains(told), "{said}");
    let findings = settle(&ground);
    assert_eq!(called(&findings, "carry").len(), 1 + 2 * LENGTH as usize);
    assert_eq!(figures(&ground.log().1), figures(&before));
}

#[test]
fn what_was_squashed_dropped_or_deleted_is_kept_while_it_is_still_here() {
    let before = before();
    for carrying in CARRYING {
        for (deed, missing) in [
            (Deed::Squash, "collapsed"),
            (Deed::Drop, "agent commit of checkpoint 56"),
            (Deed::DeleteBranch, "is recorded and no ref leads to it"),
        ] {
            let ground = Ground::unkept(carrying);
            ground.does(deed);
            let (code, log, said) = ground.log();
            assert_ne!(log, before, "{carrying:?} {deed:?}");
            assert!(said.contains(missing), "{carrying:?} {deed:?}: {said}");
            let expected = if deed == Deed::DeleteBranch { 3 } else { 0 };
            assert_eq!(code, Some(expected), "{said}");
            let findings = settle(&ground);
            let kept = called(&findings, "keep");
            assert!(
                kept.iter()
                    .any(|k| k["ref"] == KEEP && k["proposed"] == true),
                "{carrying:?} {deed:?}: {findings:?}"
            );
            assert_eq!(ground.log().1, before, "{carrying:?} {deed:?}");
        }
    }
}

#[test]
fn what_is_gone_is_said_to_the_commit() {
    let ground = Ground::unkept(Carrying::Nothing);
    let agent = ground.id(56, "agent");
    ground.does(Deed::Drop);
    ground.does(Deed::Collect);
    let (code, log, said) = ground.log();
    assert_eq!((code, log.lines().count()), (Some(0), LENGTH as usize - 1));
    let told = format!(
        "the agent commit of checkpoint 56 ({}), which is not in this repository",
        &agent[..7]
    );
    assert!(said.contains(&told), "{said}");
    let findings = settle(&ground);
    let gone = called(&findings, "gone");
    assert_eq!(gone.len(), 2, "{findings:?}");
    assert_eq!(gone[0]["old"], serde_json::json!([agent]));
    assert_eq!(gone[0]["records"], "1 checkpoint, 1 tests");
    assert!(gone.iter().all(|g| g["checkpoints"] == "56"), "{gone:?}");
    // The commits after it were rewritten: their trailers alone tell which they were.
    assert_eq!(called(&findings, "carry").len(), 8, "{findings:?}");
}

#[test]
fn a_chain_that_is_gone_with_all_its_commits_is_said_to_be() {
    let ground = Ground::unkept(Carrying::Nothing);
    ground.does(Deed::DeleteBranch);
    ground.does(Deed::Collect);
    let (code, log, said) = ground.log();
    assert_eq!((code, log.as_str()), (Some(3), ""), "{said}");
    assert!(
        said.contains("0 of its 121 recorded commits are here"),
        "{said}"
    );
    let (code, findings, _) = ground.reconcile(&[PATH]);
    assert_eq!(code, Some(0), "{findings:?}");
    let [gone] = called(&findings, "gone")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(gone["checkpoints"], "0-60");
    assert_eq!(gone["records"], "121 checkpoint, 60 tests");
    assert_eq!(gone["old"].as_array().map(Vec::len), Some(121));
}

#[test]
fn a_branch_that_no_record_knows_comes_back_from_the_reflog() {
    let ground = Ground::unkept(Carrying::Nothing);
    let tip = ground.git(&["rev-parse", BRANCH]);
    for kind in ["checkpoint", "tests"] {
        ground.git(&["update-ref", "-d", &format!("refs/notes/evolve/{kind}")]);
    }
    ground.does(Deed::DeleteBranch);
    let findings = settle(&ground);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(ground.git(&["rev-parse", KEEP]), tip);
}

#[test]
fn several_commits_that_it_could_be_wait_for_a_word() {
    let ground = Ground::unkept(Carrying::Nothing);
    let lost = ground.id(60, "reset");
    let agent = ground.id(60, "agent");
    // The reset commit of checkpoint 60 twice, neither of which is the one that was recorded.
    ground.git(&["reset", "-q", "--hard", &agent]);
    let message = super::message(60, "reset");
    for file in ["a.txt", "b.txt"] {
        ground.repo.write(file, "x\n");
        ground.repo.commit(&message);
    }
    ground.does(Deed::Collect);
    let (code, findings, _) = ground.reconcile(&[]);
    assert_eq!(code, Some(1));
    let [waiting] = called(&findings, "ambiguous")[..] else {
        panic!("{findings:?}")
    };
    let new = waiting["new"].as_array().expect("candidates");
    assert_eq!(
        (new.len(), &waiting["old"]),
        (2, &serde_json::json!([lost]))
    );
    ground.reconcile(&["--apply"]);
    assert_eq!(records_on(&ground, "HEAD"), 0);

    let stranger = format!("{lost}={agent}");
    let out = ground.repo.evolve(&["reconcile", "--pick", &stranger]);
    assert_eq!(out.status.code(), Some(2));
    let picked = format!("{lost}=HEAD");
    for _ in 0..2 {
        let (code, findings, said) = ground.reconcile(&["--apply", "--pick", &picked]);
        assert_eq!(code, Some(0), "{findings:?} {said}");
        assert_eq!(records_on(&ground, "HEAD"), 1);
    }
}

#[test]
fn a_clone_that_is_cut_off_says_what_it_cannot_tell() {
    let ground = Ground::new(Carrying::Nothing);
    let from = format!("file://{}", ground.repo.path().display());
    ground.git(&["clone", "-q", "--depth=3", &from, "../shallow"]);
    let dir = ground.repo.around().join("shallow");
    let notes = "refs/notes/evolve/checkpoint:refs/notes/evolve/checkpoint";
    let fetch = [
        "-C",
        dir.to_str().expect("UTF-8"),
        "fetch",
        "-q",
        "origin",
        notes,
    ];
    ground.git(&fetch);
    let out = ground
        .repo
        .evolve_in(&dir, &["reconcile", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let findings = document["findings"].as_array().expect("findings").clone();
    assert_eq!(out.status.code(), Some(0), "{findings:?}");
    assert!(!findings.is_empty() && called(&findings, "gone").is_empty());
    let unknown = called(&findings, "unknown");
    assert!(
        unknown
            .iter()
            .any(|f| f["command"] == "git fetch --unshallow"),
        "{findings:?}"
    );
}
