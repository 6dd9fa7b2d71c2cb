//! `git evolve reset`: what is put back, and what is left alone.

use super::checkpoints::{project, record_on, refused, undo, well, work_through};
use super::err;
use crate::support::Repo;

/// A recorded checkpoint in which the agent touched all that the experiment owns.
fn recorded() -> Repo {
    let repo = project();
    repo.write("ci/a.yml", "a\n");
    repo.write("src/test/BTest.java", "class BTest {}\n");
    repo.commit("more");
    well(&repo, &["begin", "exp/arm/1", "1:one"]);
    repo.write("src/A.java", "class A { int a; }\n");
    repo.write("pom.xml", "<other/>\n");
    repo.remove("ci/a.yml");
    repo.write("ci/b.yml", "b\n");
    repo.write("src/test/ATest.java", "class ATest { int weaker; }\n");
    repo.remove("src/test/BTest.java");
    repo.write("src/test/NewTest.java", "class NewTest {}\n");
    repo.write("src/test/AcceptanceTest.java", "class AcceptanceTest {}\n");
    well(&repo, &["record"]);
    repo
}

#[test]
fn controls_put_back_what_the_experiment_owns() {
    let repo = recorded();
    let agent = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["reset"]);
    assert!(
        said.contains("next: git evolve begin exp/arm/1 2"),
        "{said}"
    );
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), agent);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // Against the base only the agent's own work is left.
    assert_eq!(
        repo.git(&["diff", "--name-status", "HEAD~2", "HEAD"]),
        "M\tsrc/A.java\nA\tsrc/test/NewTest.java"
    );
    assert!(repo.path().join("src/test/BTest.java").exists());
    assert!(!repo.path().join("src/test/AcceptanceTest.java").exists());
    let record = record_on(&repo, "HEAD");
    assert_eq!(record["event"], "reset");
    assert_eq!(record["restored"]["by"], "controls");
    assert_eq!(
        record["restored"]["from"],
        repo.git(&["rev-parse", "HEAD~2"]).as_str()
    );
    let did: Vec<String> = record["restored"]["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            format!(
                "{} {}",
                p["how"].as_str().unwrap(),
                p["path"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        did,
        [
            "returned ci/a.yml",
            "removed ci/b.yml",
            "restored pom.xml",
            "restored src/test/ATest.java",
            "removed src/test/AcceptanceTest.java",
            "returned src/test/BTest.java",
        ]
    );
    let pom = &record["restored"]["paths"][2];
    assert_eq!(
        pom["old"],
        repo.git(&["rev-parse", "HEAD^:pom.xml"]).as_str()
    );
    assert_eq!(
        pom["new"],
        repo.git(&["rev-parse", "HEAD:pom.xml"]).as_str()
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        repo.git(&["rev-parse", "HEAD"])
    );

    let again = well(&repo, &["reset"]);
    assert!(again.contains("is a reset commit"), "{again}");
    undo(&repo, &said);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), agent);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    well(&repo, &["reset"]);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), agent);
}

#[test]
fn changes_in_the_way_stop_it_and_others_stay() {
    let repo = recorded();
    repo.write("README", "staged\n");
    repo.git(&["add", "README"]);
    repo.write("README", "and changed\n");
    repo.write("src/A.java", "class A { int later; }\n");
    repo.write("ci/a.yml", "untracked, where a file comes back\n");
    let said = refused(&repo, 2, &["reset"]);
    assert!(said.contains("not committed: 'ci/a.yml'"), "{said}");
    repo.remove("ci/a.yml");
    repo.write("pom.xml", "<mine/>\n");
    let said = refused(&repo, 2, &["reset"]);
    assert!(said.contains("not committed: 'pom.xml'"), "{said}");
    repo.git(&["checkout", "-q", "pom.xml"]);
    repo.write(".git/info/exclude", "a.yml\n");
    repo.write("ci/a.yml", "ignored, where a file comes back\n");
    refused(&repo, 2, &["reset"]);
    repo.remove("ci/a.yml");
    well(&repo, &["reset"]);
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "AM README\n M src/A.java"
    );
    assert_eq!(
        std::fs::read(repo.path().join("README")).unwrap(),
        b"and changed\n"
    );
    assert!(repo.path().join("ci/a.yml").exists());
}

#[test]
fn typed_paths_are_put_to_what_another_tree_has() {
    let repo = recorded();
    for wrong in [
        &["reset", "--from", "main"][..],
        &["reset", "--", "pom.xml"],
        &["reset", "--from", "main", "--", "nowhere"],
    ] {
        refused(&repo, 2, wrong);
    }
    refused(&repo, 128, &["reset", "--from", "nowhere", "--", "pom.xml"]);
    let main = repo.git(&["rev-parse", "main"]);
    let sub = repo.path().join("src");
    let out = repo.evolve_in(
        &sub,
        &["reset", "--from", "main", "--", "test", ":(top)pom.xml"],
    );
    assert_eq!(out.status.code(), Some(0), "{}", err(&out));
    let diff = repo.git(&[
        "diff",
        "--name-only",
        "main",
        "HEAD",
        "--",
        "src/test",
        "pom.xml",
    ]);
    assert_eq!(diff, "");
    assert!(!repo.path().join("src/test/NewTest.java").exists());
    assert!(repo.path().join("ci/b.yml").exists());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    let record = record_on(&repo, "HEAD");
    assert_eq!(record["restored"]["by"], "pathspec");
    assert_eq!(record["restored"]["from"], main.as_str());
    assert_eq!(
        record["restored"]["pathspecs"],
        serde_json::json!(["test", ":(top)pom.xml"])
    );
    assert_eq!(record["restored"]["path_count"], 5);
}

#[test]
fn where_nothing_is_declared_the_reset_is_empty() {
    let repo = Repo::new();
    repo.write("src/A.java", "class A {}\n");
    repo.commit("one");
    work_through(&repo, "exp/arm/1", "1");
    assert_eq!(repo.git(&["diff", "HEAD^", "HEAD"]), "");
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(
        message.contains("Nothing the experiment owns was touched."),
        "{message}"
    );
    assert_eq!(record_on(&repo, "HEAD")["restored"]["path_count"], 0);
}

#[test]
fn a_wrong_plan_is_named_with_its_place_and_changes_nothing() {
    let repo = project();
    repo.write("evolve.toml", "[controls]\npined = ['pom.xml']\n");
    repo.commit("wrong");
    well(&repo, &["begin", "exp/arm/1", "1"]);
    // What the agent makes of the plan does not count: the base's does.
    repo.write("evolve.toml", "[controls]\npinned = []\n");
    well(&repo, &["record"]);
    let said = refused(&repo, 2, &["reset"]);
    assert!(
        said.contains("evolve.toml:2:1: unknown key 'pined' in [controls]"),
        "{said}"
    );
    assert!(said.contains("did you mean 'pinned'?"), "{said}");
}

#[test]
fn a_file_where_a_pinned_folder_was_makes_room() {
    let repo = project();
    repo.write("ci/deep/a.yml", "a\n");
    repo.commit("more");
    well(&repo, &["begin", "exp/arm/1", "1"]);
    std::fs::remove_dir_all(repo.path().join("ci")).unwrap();
    repo.write("ci", "a file\n");
    std::fs::remove_file(repo.path().join("pom.xml")).unwrap();
    repo.write("pom.xml/inside.txt", "a folder\n");
    well(&repo, &["record"]);
    well(&repo, &["reset"]);
    assert_eq!(repo.git(&["diff", "HEAD~2", "HEAD"]), "");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_reset_stands_right_behind_an_agent_commit() {
    let repo = project();
    let said = refused(&repo, 2, &["reset"]);
    assert!(
        said.contains("HEAD is not on the branch of a chain"),
        "{said}"
    );
    well(&repo, &["begin", "exp/arm/1", "1"]);
    let said = refused(&repo, 2, &["reset"]);
    assert!(said.contains("is not recorded yet"), "{said}");
    well(&repo, &["record"]);
    repo.write("README", "x\n");
    repo.commit("by hand");
    let said = refused(&repo, 2, &["reset"]);
    assert!(said.contains("is no agent commit"), "{said}");
    repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    repo.git(&["checkout", "-q", "--detach"]);
    let said = refused(&repo, 2, &["reset"]);
    assert!(said.contains("git switch evolve/exp/arm/1"), "{said}");
}

#[test]
fn a_clone_without_the_pending_checkpoint_resets_by_the_chain() {
    let repo = recorded();
    std::fs::remove_file(repo.path().join(".git/evolve/pending.json")).unwrap();
    well(&repo, &["reset"]);
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD~2", "HEAD"]),
        "src/A.java\nsrc/test/NewTest.java"
    );
    assert_eq!(record_on(&repo, "HEAD")["checkpoint_id"], "one");
}
