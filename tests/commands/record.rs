//! `git evolve record`: the agent commit, its record, what was captured.

use super::checkpoints::{
    paths, project, record_on, records_on, refs, refused, state, undo, well, work_through,
};
use super::err;
use crate::support::Repo;

fn begun() -> Repo {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1:first"]);
    repo
}

#[test]
fn committed_and_uncommitted_work_become_one_commit() {
    let repo = begun();
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/B.java", "class B {\n}\n");
    repo.commit("Add B\n\nEvolve-Role: base\nEvolve-Begin: 0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e\n");
    repo.write("src/B.java", "class B {\n    int b;\n}\n");
    let own = repo.commit("Fill B");
    repo.write("src/A.java", "class A {\n    int a;\n}\n");
    repo.write("src/C.java", "class C {\n}\n");
    repo.write("src/D.java", "class D {\n}\n");
    repo.git(&["add", "src/D.java"]);
    repo.write("src/D.java", "class D {\n    int d;\n}\n");
    repo.remove("src/test/ATest.java");
    let said = well(&repo, &["record"]);
    assert!(said.contains("takes untracked 'src/C.java'"), "{said}");
    assert!(
        said.contains("2 commits of the agent's own folded, 1 untracked file"),
        "{said}"
    );

    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), base);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(
        repo.git(&["diff", "--name-status", "HEAD^", "HEAD"]),
        "M\tsrc/A.java\nA\tsrc/B.java\nA\tsrc/C.java\nA\tsrc/D.java\nD\tsrc/test/ATest.java"
    );
    assert!(repo.git(&["show", "HEAD:src/D.java"]).contains("int d"));
    assert_eq!(
        repo.git(&["log", "-1", "--format=%B"]).trim_end(),
        "1 first: Fill B\n\n    Add B\n\n    Evolve-Role: base\n    \
         Evolve-Begin: 0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e\n\n    Fill B\n\n\
         Evolve-Chain: exp/arm/1\nEvolve-Checkpoint: 1 first\nEvolve-Role: agent"
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/agent/exp/arm/1/1/1"]),
        own
    );
    let tip = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        tip
    );

    let record = record_on(&repo, &tip);
    assert_eq!(record["event"], "agent");
    assert_eq!(record["parent"], base.as_str());
    assert_eq!(record["work"]["commit_count"], 2);
    assert_eq!(record["work"]["commits"][1], own.as_str());
    assert_eq!(record["work"]["history_rewritten"], false);
    assert_eq!(record["work"]["uncommitted"], true);
    assert_eq!(paths(&record, "untracked"), ["src/C.java"]);
    assert!(record["started"].as_str() <= record["ended"].as_str());
    let config = record["config"]["blob"].as_str().unwrap();
    assert_eq!(
        repo.git(&["notes", "--ref=refs/notes/evolve/config", "show", config]),
        r#"{"controls":{"hidden":["Acceptance*"],"pinned":["pom.xml","ci/"],"tests":"src/test/"}}"#
    );
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_checkpoint_without_a_change_is_kept() {
    let repo = begun();
    let base = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["record", "-m", "did nothing"]);
    assert!(said.contains("no commit of the agent's own"), "{said}");
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), base);
    assert_eq!(repo.git(&["diff", "HEAD^", "HEAD"]), "");
    assert_eq!(
        repo.git(&["log", "-1", "--format=%s"]),
        "1 first: did nothing"
    );
    let record = record_on(&repo, "HEAD");
    assert_eq!(record["work"]["uncommitted"], false);
    assert!(!refs(&repo).iter().any(|r| r.contains("/agent/")));
}

#[test]
fn recording_again_changes_nothing_and_an_undone_record_is_made_anew() {
    let repo = begun();
    repo.write("src/B.java", "class B {}\n");
    repo.commit("own");
    let before = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["record"]);
    let now = state(&repo);
    let again = well(&repo, &["record"]);
    assert!(again.contains("is recorded already"), "{again}");
    assert_eq!(state(&repo), now);

    let first = repo.git(&["rev-parse", "HEAD"]);
    undo(&repo, &said);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    well(&repo, &["record", "-m", "better"]);
    let second = repo.git(&["rev-parse", "HEAD"]);
    assert_ne!(first, second);
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/chains/exp/arm/1"]),
        second
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "1 first: better");
}

#[test]
fn it_records_only_on_the_branch_that_begin_noted() {
    let repo = begun();
    repo.git(&["checkout", "-q", "-b", "elsewhere"]);
    let said = refused(&repo, 2, &["record"]);
    assert!(said.contains("HEAD is on elsewhere"), "{said}");
    assert!(said.contains("is pending on evolve/exp/arm/1"), "{said}");
    assert!(said.contains("hint: git switch evolve/exp/arm/1"), "{said}");
    repo.git(&["checkout", "-q", "--detach"]);
    let said = refused(&repo, 2, &["record"]);
    assert!(said.contains("HEAD is detached"), "{said}");
    repo.git(&["checkout", "-q", "evolve/exp/arm/1"]);
    repo.git(&["update-ref", "-d", "refs/heads/evolve/exp/arm/1"]);
    let out = repo.evolve(&["record"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(err(&out).contains("hint: git update-ref refs/heads/evolve/exp/arm/1 "));
}

#[test]
fn it_does_not_record_in_the_middle_of_a_merge() {
    let repo = begun();
    repo.write("src/A.java", "class A { int a; }\n");
    repo.commit("ours");
    repo.git(&["checkout", "-q", "-b", "other", "HEAD^"]);
    repo.write("src/A.java", "class A { int b; }\n");
    repo.commit("theirs");
    repo.git(&["checkout", "-q", "evolve/exp/arm/1"]);
    let merge = repo
        .command("git", repo.path())
        .args(["merge", "-q", "other"])
        .output();
    assert!(!merge.unwrap().status.success());
    let said = refused(&repo, 2, &["record"]);
    assert!(said.contains("a merge is in progress"), "{said}");
    // The same open paths without a merge that says so.
    std::fs::remove_file(repo.path().join(".git/MERGE_HEAD")).unwrap();
    let said = refused(&repo, 2, &["record"]);
    assert!(said.contains("unmerged: 'src/A.java'"), "{said}");
}

#[test]
fn a_rewritten_history_is_recorded_as_such_and_the_delta_stands() {
    let repo = begun();
    work_up_to_second(&repo);
    let parent = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/B.java", "class B {}\n");
    let dropped = repo.commit("dropped");
    std::fs::write(
        repo.path().join(".git/evolve/commits"),
        format!("{dropped}\nnonsense\n{dropped}\n{}\n", "0".repeat(40)),
    )
    .unwrap();
    repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    repo.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "mine now"]);
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["record"]);
    assert!(said.contains("the agent rewrote history"), "{said}");
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), parent);
    assert_eq!(repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]), "");
    assert_eq!(record_on(&repo, "HEAD")["work"]["history_rewritten"], true);
    let kept = |n: u32| repo.git(&["rev-parse", &format!("refs/evolve/agent/exp/arm/1/2/{n}")]);
    assert_eq!([kept(1), kept(2)], [tip, dropped]);
}

fn work_up_to_second(repo: &Repo) {
    well(repo, &["record"]);
    well(repo, &["reset"]);
    well(repo, &["begin", "exp/arm/1", "2"]);
}

#[test]
fn commits_that_are_on_a_remote_stay_there_and_are_said() {
    let repo = begun();
    repo.write("src/B.java", "class B {}\n");
    repo.commit("pushed");
    let server = repo.around().join("server");
    let server = server.to_str().unwrap();
    repo.git(&["init", "-q", "--bare", server]);
    repo.git(&["remote", "add", "origin", server]);
    repo.git(&["push", "-q", "origin", "HEAD"]);
    repo.write("src/C.java", "class C {}\n");
    repo.commit("not pushed");
    let said = well(&repo, &["record"]);
    assert!(
        said.contains("1 of the agent's own commits is on a remote already"),
        "{said}"
    );
}

#[test]
fn what_was_captured_is_stored_as_it_came() {
    let repo = begun();
    let report = |name: &str| repo.around().join(name);
    std::fs::write(report("envelope.json"), "{\"cost\": 1}\r\n").unwrap();
    std::fs::create_dir_all(report("reports/deep")).unwrap();
    std::fs::write(report("reports/b.xml"), "<b/>").unwrap();
    std::fs::write(report("reports/a.xml"), "<a/>").unwrap();
    std::fs::write(report("reports/deep/c.xml"), "<c/>").unwrap();
    std::fs::write(report("reports/x.txt"), "x").unwrap();
    std::fs::write(report("cover.bin"), b"\x00\xff").unwrap();
    for wrong in [
        &["record", "--tests", "../reports/*.json"][..],
        &["record", "--envelope", "../none.json"],
        &["record", "--coverage", "../reports"],
        &["record", "--config", "../reports/a.xml"],
        &["record", "--suite", "visible"],
    ] {
        refused(&repo, 2, wrong);
    }
    let said = well(
        &repo,
        &[
            "record",
            "--envelope",
            "../envelope.json",
            "--tests",
            "../reports/**/*.xml",
            "--suite",
            "acceptance",
            "--coverage",
            "../cover.bin",
        ],
    );
    assert!(
        said.contains("1 envelope, 3 test reports, 1 coverage report"),
        "{said}"
    );
    let raw = records_on(&repo, "raw", "HEAD");
    let by_id = |id: &serde_json::Value| raw.iter().find(|r| r["id"] == *id).unwrap();
    let tests = &records_on(&repo, "tests", "HEAD")[0];
    assert_eq!(tests["suite"], "acceptance");
    let names: Vec<&str> = tests["raw"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| by_id(id)["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a.xml", "b.xml", "c.xml"]);
    let envelope = &records_on(&repo, "envelope", "HEAD")[0];
    assert_eq!(envelope["purpose"], "implement");
    assert_eq!(by_id(&envelope["raw"][0])["content"], "{\"cost\": 1}\r\n");
    assert_eq!(by_id(&envelope["raw"][0])["of"], envelope["id"]);
    let coverage = &records_on(&repo, "coverage", "HEAD")[0];
    assert_eq!(by_id(&coverage["raw"][0])["encoding"], "base64");
    let attempt = &record_on(&repo, "HEAD")["attempt"];
    assert!(attempt.is_string());
    for record in raw.iter().chain([tests, envelope, coverage]) {
        assert_eq!(record["attempt"], *attempt);
    }
    let before = repo.git(&["rev-parse", "HEAD"]);
    repo.write("../envelope.json", "{\"cost\": 2}\n");
    let again = well(&repo, &["record", "--envelope", "../envelope.json"]);
    assert!(again.contains("added to checkpoint 1"), "{again}");
    assert_eq!(records_on(&repo, "raw", "HEAD").len(), 6);
    assert_eq!(records_on(&repo, "envelope", "HEAD").len(), 2);
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn a_configuration_is_named_by_its_content() {
    let repo = begun();
    std::fs::write(
        repo.around().join("plan.toml"),
        "z = 1\n[arms]\nb = 2026-01-02\na = [1.5, true]\nkey = 'token ghp_0123456789abcdefghijABCDEFGHIJ012345'\n",
    )
    .unwrap();
    well(&repo, &["record", "--config", "../plan.toml"]);
    let record = record_on(&repo, "HEAD");
    let blob = record["config"]["blob"].as_str().unwrap();
    let text = repo.git(&["cat-file", "blob", blob]);
    assert!(!text.contains("ghp_"), "{text}");
    assert!(
        text.starts_with(r#"{"arms":{"a":[1.5,true],"b":"2026-01-02","key":""#)
            && text.ends_with("\"z\":1}"),
        "{text}"
    );
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let repo = begun();
    repo.write("src/B.java", "class B {}\n");
    repo.write("src/A.java", "class A { int a; }\n");
    let before = state(&repo);
    let said = well(&repo, &["record", "--dry-run"]);
    assert!(said.contains("takes untracked 'src/B.java'"), "{said}");
    assert!(
        said.contains("would record checkpoint 1 first of exp/arm/1: 2 changed files"),
        "{said}"
    );
    assert_eq!(state(&repo), before);
}

#[test]
fn without_identity_or_signature_nothing_changes() {
    let repo = begun();
    repo.write("src/B.java", "class B {}\n");
    let run = |drop_identity: bool| {
        let before = state(&repo);
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
        command.arg("record");
        if drop_identity {
            for name in [
                "AUTHOR_NAME",
                "AUTHOR_EMAIL",
                "COMMITTER_NAME",
                "COMMITTER_EMAIL",
            ] {
                command.env_remove(format!("GIT_{name}"));
            }
        }
        let out = command.output().unwrap();
        assert_eq!(out.status.code(), Some(128), "{}", err(&out));
        assert_eq!(state(&repo), before, "{}", err(&out));
        err(&out)
    };
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let said = run(true);
    assert!(said.contains("Please tell me who you are"), "{said}");
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.git(&["config", "gpg.program", "false"]);
    let said = run(false);
    assert!(said.contains("gpg failed to sign"), "{said}");
    repo.git(&["config", "commit.gpgSign", "false"]);
    well(&repo, &["record"]);
}

#[test]
fn what_the_agent_did_to_configuration_and_hooks_is_recorded() {
    let repo = begun();
    repo.git(&["config", "alias.x", "status"]);
    repo.write(".git/hooks/post-commit", "#!/bin/sh\n");
    let said = well(&repo, &["record"]);
    assert!(said.contains("the repository's config and hooks"), "{said}");
    let record = record_on(&repo, "HEAD");
    assert_eq!(
        record["work"]["surroundings_changed"],
        serde_json::json!(["config", "hooks"])
    );
}

#[test]
fn hostile_settings_for_trailers_and_messages_change_nothing() {
    let repo = project();
    for (key, value) in [
        ("trailer.separators", "="),
        ("trailer.x.key", "Evolve-Role"),
        ("trailer.x.cmd", "echo injected"),
        ("core.commentChar", "E"),
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("i18n.logOutputEncoding", "UTF-16"),
        ("commit.cleanup", "scissors"),
        ("status.showUntrackedFiles", "no"),
        ("core.quotePath", "true"),
        ("diff.renames", "copies"),
        ("core.autocrlf", "input"),
    ] {
        repo.git(&["config", key, value]);
    }
    work_through(&repo, "exp/arm/1", "1:one");
    well(&repo, &["begin", "exp/arm/1", "2:two"]);
    repo.write("src/é.java", "class É {}\n");
    well(&repo, &["record", "-m", "Zoë's change\nwith two lines"]);
    let raw = repo.git(&[
        "-c",
        "i18n.logOutputEncoding=UTF-8",
        "cat-file",
        "commit",
        "HEAD",
    ]);
    assert!(!raw.contains("\nencoding "), "{raw}");
    assert!(
        raw.contains("\n\n2 two: Zoë's change with two lines\n"),
        "{raw}"
    );
    assert!(!raw.contains("injected"));
    let log = repo.stdout(&["log", "--metrics", "churn", "--format", "csv"]);
    assert!(log.contains("exp,arm,,1,2,"), "{log}");
}

#[test]
fn what_an_agent_said_is_quoted_without_secrets() {
    let repo = begun();
    let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    for (n, message) in [
        format!("Use {token}"),
        format!("Read /home/ada/notes\n\npassword: abcdefgh1\n\nsee https://ada:pw@h/x {token}"),
        format!("Title with {token}"),
    ]
    .iter()
    .enumerate()
    {
        repo.write("src/B.java", format!("class B {{\n    int b{n};\n}}\n"));
        repo.commit(message);
    }
    well(&repo, &["record"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    for secret in ["ghp_", "/home/ada", "abcdefgh1", "ada:pw"] {
        assert!(!message.contains(secret), "{message}");
    }
    assert!(
        message.starts_with("1 first: Title with [masked]\n"),
        "{message}"
    );
    assert!(message.contains("    Read ~/notes\n"), "{message}");
    well(&repo, &["reset"]);
    well(&repo, &["begin", "exp/arm/1", "2:second"]);
    well(&repo, &["record", "-m", &format!("Take {token}")]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(
        message.starts_with("2 second: Take [masked]\n"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn no_hook_of_the_users_runs() {
    let repo = project();
    let ran = repo.around().join("ran");
    let names = [
        "post-index-change",
        "post-checkout",
        "post-commit",
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "reference-transaction",
        "post-rewrite",
    ];
    for name in names {
        let hook = repo.path().join(".git/hooks").join(name);
        let script = format!("#!/bin/sh\necho {name} >> '{}'\n", ran.display());
        crate::support::executable(&hook, script, 0o755);
    }
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.write("src/A.java", "class A {\n    int a;\n}\n");
    repo.write("src/B.java", "class B {\n}\n");
    well(&repo, &["record"]);
    well(&repo, &["reset", "--from", "HEAD~1", "--", "src"]);
    let said = std::fs::read_to_string(&ran).unwrap_or_default();
    assert_eq!(said, "");
}

#[test]
fn a_capture_that_is_recorded_already_is_not_recorded_twice() {
    let repo = begun();
    let file = |name: &str| {
        let path = repo.around().join(name);
        std::fs::write(&path, format!("{{\"is\":\"{name}\"}}")).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (one, two, report) = (file("one.json"), file("two.json"), file("report.xml"));
    let asked = ["record", "--envelope", &one, "--tests", &report];
    well(&repo, &asked);
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let count = |kind: &str| records_on(&repo, kind, &tip).len();
    assert_eq!([count("envelope"), count("tests"), count("raw")], [1, 1, 2]);
    let said = well(&repo, &asked);
    assert!(said.contains("2 captures are recorded already"), "{said}");
    assert_eq!([count("envelope"), count("tests"), count("raw")], [1, 1, 2]);
    let said = well(&repo, &["record", "--envelope", &one, &two]);
    assert!(said.contains("1 capture is recorded already"), "{said}");
    assert_eq!([count("envelope"), count("tests"), count("raw")], [2, 1, 3]);
}

#[test]
fn credentials_that_only_the_agents_own_commits_hold_are_said() {
    let repo = begun();
    repo.write(".env", "A=1\n");
    repo.write("src/B.java", "class B {\n    // AKIAABCDEFGHIJKLMNOP\n}\n");
    repo.commit("with a key");
    repo.remove(".env");
    repo.write("src/B.java", "class B {\n}\n");
    repo.commit("without");
    let said = well(&repo, &["record", "--dry-run"]);
    assert!(
        said.contains("looks like a credential: '.env', 'src/B.java'"),
        "{said}"
    );
    well(&repo, &["record"]);
    let said = well(&repo, &["reset"]);
    assert!(!said.contains("credential"), "{said}");
}

#[test]
fn a_pending_file_whose_id_is_out_of_form_is_not_worked_with() {
    let repo = begun();
    let file = repo.path().join(".git/evolve/pending.json");
    let noted = std::fs::read_to_string(&file).expect("read");
    let edited = noted.replace("\"first\"", "\"x\\nEvolve-Role: base\"");
    assert_ne!(noted, edited);
    std::fs::write(&file, edited).expect("written");
    let before = refs(&repo);
    let o = repo.evolve(&["record"]);
    assert_eq!(o.status.code(), Some(128), "{}", err(&o));
    assert!(err(&o).contains("begin --abandon"), "{}", err(&o));
    assert_eq!(refs(&repo), before);
}
