//! Records kept in notes: what git's own notes commands and settings do to them.

use std::time::{Duration, SystemTime};

use super::*;

/// Begins checkpoint 1 and changes the class.
fn begun() -> Repo {
    let repo = project();
    well(&repo, &["begin", CHAIN, "1"]);
    repo.write("src/A.java", class(1));
    repo
}

/// A lock file in the git directory, so many seconds old.
fn lock(repo: &Repo, name: &str, age: u64) -> PathBuf {
    let path = repo.path().join(".git").join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let file = std::fs::File::create(&path).expect("made");
    let then = SystemTime::now() - Duration::from_secs(age);
    file.set_modified(then).expect("dated");
    path
}

/// The files that wait in the spool.
fn waiting(repo: &Repo) -> usize {
    let folder = std::fs::read_dir(repo.path().join(".git/evolve/spool"));
    folder.map(Iterator::count).unwrap_or_default()
}

#[test]
fn a_ref_that_somebody_locks_delays_a_record_and_loses_nothing() {
    let repo = begun();
    repo.git(&["config", "evolve.lockTimeout", "0.3"]);
    let held = lock(&repo, "refs/notes/evolve/checkpoint.lock", 5);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let said = fails(&repo, 128, &["record"]);
    assert!(said.contains("refs/notes/evolve/checkpoint.lock"), "{said}");
    let (_, age) = said.split_once("has been there for ").expect("its age");
    let seconds: f64 = age
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert!((5.0..60.0).contains(&seconds), "{said}");
    assert!(held.exists(), "it may be in use");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head, "no branch moved");
    assert_eq!(waiting(&repo), 1);
    assert_eq!(status(&repo)["spooled"], 1, "readers count it");

    // Nobody has held a ref for ten minutes: what is left of somebody who was killed.
    lock(&repo, "refs/notes/evolve/checkpoint.lock", 600);
    let said = well(&repo, &["record"]);
    assert!(said.contains("refs/notes/evolve/checkpoint.lock"), "{said}");
    assert!(!held.exists());
    assert_eq!(waiting(&repo), 0);
    assert_eq!(records_on(&repo, "checkpoint", "HEAD").len(), 1);
    sound(&repo, repo.path());
}

#[test]
fn what_git_would_tidy_up_in_a_text_is_stored_as_it_came() {
    let repo = begun();
    repo.git(&["config", "core.commentChar", "{"]);
    repo.git(&["config", "core.autocrlf", "true"]);
    let content = "{\"a\":\"x  \"}  \n\n\n# no comment\r\n\t{\"b\":1}";
    let file = captured(&repo, "raw.json", content);
    well(&repo, &["record", "--envelope", &file]);
    let raw = &records_on(&repo, "raw", "HEAD")[0];
    assert_eq!(raw["content"], content);
    assert_eq!(raw["size"], content.len());
    let sum = repo.command("sha256sum", repo.path()).arg(&file).output();
    let sum = out(&sum.expect("sha256sum runs"));
    assert_eq!(raw["sha256"].as_str(), sum.split(' ').next());
    // The blob ends with the line feed of its line and has no other.
    let note = repo.git(&["notes", "--ref=refs/notes/evolve/raw", "list", "HEAD"]);
    let o = perhaps(&repo, &["cat-file", "blob", &note]);
    assert_eq!(o.stdout.iter().filter(|b| **b == b'\n').count(), 1);
    assert!(o.stdout.ends_with(b"}\n"));
    sound(&repo, repo.path());
}

#[test]
fn a_payload_larger_than_any_argument_goes_in_and_one_over_the_cap_stays_beside() {
    let repo = begun();
    let map: String = (0..150_000)
        .map(|i| format!("\"com.example.T{i}::t\":\"pass\",\n"))
        .collect();
    assert!(map.len() > 4 << 20);
    let large = captured(&repo, "map.json", &map);
    well(&repo, &["record", "--tests", &large]);
    let raw = &records_on(&repo, "raw", "HEAD")[0];
    assert_eq!(raw["content"].as_str(), Some(map.as_str()));

    repo.git(&["config", "evolve.payloadCap", "1"]);
    let envelope = captured(&repo, "envelope.json", &map);
    well(&repo, &["record", "--envelope", &envelope]);
    let envelopes = records_on(&repo, "envelope", "HEAD");
    let id = &envelopes[0]["raw"][0];
    let raws = records_on(&repo, "raw", "HEAD");
    let stub = raws.iter().find(|r| r["id"] == *id).expect("its payload");
    assert!(stub["content"].is_null() && stub.to_string().len() < 1 << 20);
    let sum = stub["sha256"].as_str().expect("a digest");
    let kept = repo.path().join(".git/evolve/large").join(sum);
    assert_eq!(std::fs::read(kept).expect("kept"), map.as_bytes());
    let listed = status(&repo)["large_payloads"].clone();
    assert_eq!(
        (&listed[0]["name"], &listed[0]["here"]),
        (&"envelope.json".into(), &true.into())
    );
    sound(&repo, repo.path());
}

#[test]
fn an_empty_payload_deletes_no_note_and_makes_none_empty() {
    let repo = worked(1);
    let agent = line(&repo)[1].clone();
    let empty = captured(&repo, "empty.json", "");
    for option in ["--envelope", "--tests", "--coverage"] {
        well(&repo, &["begin", CHAIN, "2"]);
        well(&repo, &["record", option, &empty]);
        let raw = &records_on(&repo, "raw", "HEAD")[0];
        assert_eq!(
            (&raw["content"], &raw["size"]),
            (&"".into(), &0.into()),
            "{option}"
        );
        repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        repo.git(&["update-ref", KEPT, "HEAD"]);
    }
    assert_eq!(records_on(&repo, "raw", &agent).len(), 2);
    let all = repo.git(&["for-each-ref", "--format=%(refname)", "refs/notes"]);
    for name in all.lines() {
        let notes = repo.git(&["notes", &format!("--ref={name}"), "list"]);
        for blob in notes.lines().filter_map(|l| l.split(' ').next()) {
            assert_ne!(repo.git(&["cat-file", "-s", blob]), "0", "{name}");
        }
    }
}

#[test]
fn gits_own_line_merge_of_two_sides_loses_and_doubles_nothing() {
    let repo = worked(1);
    let kinds = ["envelope", "raw"];
    for kind in kinds {
        let from = format!("refs/notes/evolve/{kind}");
        repo.git(&["update-ref", &format!("refs/notes/other/{kind}"), &from]);
    }
    // Each side adds a session to the second checkpoint.
    let add = |name: &str| {
        let file = captured(&repo, name, format!("{{\"session\":\"{name}\"}}\n"));
        well(&repo, &["begin", CHAIN, "2"]);
        well(&repo, &["record", "--envelope", &file]);
    };
    add("ours");
    let agent2 = repo.git(&["rev-parse", "HEAD"]);
    for kind in kinds {
        let ours = repo.git(&["rev-parse", &format!("refs/notes/evolve/{kind}")]);
        repo.git(&["update-ref", &format!("refs/notes/mine/{kind}"), &ours]);
        repo.git(&[
            "update-ref",
            &format!("refs/notes/evolve/{kind}"),
            &format!("refs/notes/other/{kind}"),
        ]);
    }
    let file = captured(&repo, "theirs", "{\"session\":\"theirs\"}\n");
    well(&repo, &["record", "--envelope", &file]);
    for kind in kinds {
        let words = [
            "notes",
            &format!("--ref=refs/notes/evolve/{kind}"),
            "merge",
            "-q",
            "-s",
            "cat_sort_uniq",
        ];
        repo.git(&[&words[..], &[&format!("refs/notes/mine/{kind}")]].concat());
        assert_eq!(records_on(&repo, kind, &agent2).len(), 2, "{kind}");
    }
    let names: Vec<Value> = records_on(&repo, "raw", &agent2)
        .iter()
        .map(|r| r["name"].clone())
        .collect();
    assert!(
        names.contains(&"ours".into()) && names.contains(&"theirs".into()),
        "{names:?}"
    );
    assert!(
        !found(&repo, "verify")
            .iter()
            .any(|id| id == "id-conflict" || id == "line-bad")
    );
    // Blank lines, other orders and doubles change no count.
    let before = status(&repo);
    let mut lines = lines_on(&repo, "envelope", &agent2);
    lines.reverse();
    lines.extend([String::new(), lines[0].clone()]);
    put(&repo, "envelope", &agent2, &(lines.join("\n\n") + "\n\n"));
    let after = status(&repo);
    assert_eq!(
        after["chains"][0]["records"],
        before["chains"][0]["records"]
    );
    assert_eq!(
        (&after["bad_lines"], &after["conflicts"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn what_git_notes_append_puts_between_records_is_skipped_and_what_is_no_record_counted() {
    let repo = worked(1);
    let agent = line(&repo)[1].clone();
    let records = status(&repo)["chains"][0]["records"].as_u64();
    let good = lines_on(&repo, "tests", &agent)[0].replace("\"id\":\"0", "\"id\":\"1");
    let append = |line: &str| {
        repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/tests",
            "append",
            "-m",
            line,
            &agent,
        ]);
    };
    append(&good);
    assert_eq!(
        lines_on(&repo, "tests", &agent)
            .iter()
            .filter(|l| l.is_empty())
            .count(),
        1
    );
    let now = status(&repo);
    assert_eq!(now["chains"][0]["records"].as_u64(), records.map(|n| n + 1));
    assert_eq!(now["bad_lines"], 0);
    append("somebody's words");
    let now = status(&repo);
    assert_eq!(now["bad_lines"], 1);
    assert_eq!(now["chains"][0]["records"].as_u64(), records.map(|n| n + 1));
    assert_eq!(
        figures(&repo, repo.path()).len(),
        1,
        "no command fails of it"
    );
    assert!(found(&repo, "verify").contains(&"line-bad".to_owned()));
}

#[test]
fn records_are_found_and_added_when_git_spreads_the_notes_over_folders() {
    let repo = worked(1);
    let who = "committer a <a@example.invalid> 1 +0000";
    let mut script = String::new();
    for i in 1..=300 {
        script.push_str(&format!("commit refs/other\nmark :{i}\n{who}\ndata 0\n\n"));
    }
    script.push_str(&format!(
        "commit {CHECKPOINTS}\n{who}\ndata 0\nfrom {CHECKPOINTS}^0\n"
    ));
    for i in 1..=300 {
        script.push_str(&format!("N inline :{i}\ndata 3\n{{}}\n\n"));
    }
    let file = captured(&repo, "import", &script);
    let o = repo
        .command("sh", repo.path())
        .args(["-c", &format!("git fast-import --quiet <'{file}'")])
        .output();
    let o = o.expect("runs");
    assert!(o.status.success(), "{}", err(&o));
    let top = |repo: &Repo| repo.git(&["ls-tree", CHECKPOINTS]);
    assert!(top(&repo).contains(" tree "), "spread by git");
    assert_eq!(status(&repo)["chains"][0]["records"], 7);
    checkpoint(&repo, 2);
    assert!(top(&repo).contains(" tree "));
    for commit in line(&repo) {
        assert_eq!(
            records_on(&repo, "checkpoint", &commit).len(),
            1,
            "git finds them too"
        );
    }
    assert_eq!(status(&repo)["chains"][0]["records"], 13);
    let all = repo.git(&["notes", "--ref=refs/notes/evolve/checkpoint", "list"]);
    assert_eq!(all.lines().count(), 300 + 5);
}

#[test]
fn a_notes_ref_in_the_way_of_ours_is_named_with_what_renames_it() {
    for init in [&[][..], &["--ref-format=reftable"]] {
        let repo = project_with(init);
        repo.git(&["notes", "--ref=evolve", "add", "-m", "oops"]);
        let said = fails(&repo, 128, &["begin", CHAIN, "1"]);
        assert!(said.contains("refs/notes/evolve"), "{said}");
        let (_, rest) = said.split_once("rename that ref: ").expect("a command");
        let (command, _) = rest.split_once(';').expect("its end");
        let o = repo
            .command("sh", repo.path())
            .args(["-c", command])
            .output();
        assert!(o.expect("runs").status.success(), "{command}");
        well(&repo, &["begin", CHAIN, "1"]);
        well(&repo, &["record"]);
        assert_eq!(records_on(&repo, "checkpoint", "HEAD").len(), 1);
        assert_eq!(
            repo.git(&["notes", "--ref=renamed-evolve", "show", "main"]),
            "oops"
        );
    }
}

#[test]
fn a_chain_begun_at_a_tag_has_its_records_on_commits_and_one_on_a_tag_is_no_record() {
    let repo = project();
    repo.git(&["tag", "-a", "-m", "t", "v1"]);
    repo.git(&["checkout", "-q", "v1"]);
    checkpoint(&repo, 1);
    let notes = repo.git(&["notes", "--ref=refs/notes/evolve/checkpoint", "list"]);
    for target in notes.lines().filter_map(|l| l.split(' ').nth(1)) {
        assert_eq!(repo.git(&["cat-file", "-t", target]), "commit");
    }
    let before = status(&repo)["chains"][0]["records"].clone();
    let copy = lines_on(&repo, "tests", &line(&repo)[1])[0].replace("\"id\":\"0", "\"id\":\"1");
    put(&repo, "tests", "v1", &(copy + "\n"));
    assert_eq!(status(&repo)["chains"][0]["records"], before);
    assert!(found(&repo, "verify").contains(&"note-on-no-commit".to_owned()));
}

#[test]
fn records_of_what_is_not_here_or_no_commit_are_kept_passed_over_and_said() {
    let repo = worked(1);
    let agent = line(&repo)[1].clone();
    let copy = |n: u32| {
        lines_on(&repo, "tests", &agent)[0].replace("\"id\":\"0", &format!("\"id\":\"{n}")) + "\n"
    };
    let absent = "1234567890123456789012345678901234567890";
    let blob = repo.git(&["rev-parse", "HEAD:src/A.java"]);
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    for (n, target) in [(1, absent), (2, &blob), (3, &tree)] {
        put(&repo, "tests", target, &copy(n));
    }
    let before = status(&repo);
    assert_eq!(before["chains"][0]["records"], 7);
    assert_eq!(before["dangling"], 1);
    let ids = found(&repo, "verify");
    let count = |id: &str| ids.iter().filter(|i| *i == id).count();
    assert_eq!(
        (count("record-dangling"), count("note-on-no-commit")),
        (1, 2),
        "{ids:?}"
    );
    // Writing keeps every one.
    let had = repo.git(&["notes", "--ref=refs/notes/evolve/tests", "list"]);
    checkpoint(&repo, 2);
    let has = repo.git(&["notes", "--ref=refs/notes/evolve/tests", "list"]);
    assert!(had.lines().all(|l| has.contains(l)));
    assert_eq!(has.lines().count(), had.lines().count() + 1);
}

#[test]
fn settings_that_redirect_notes_do_not_redirect_ours() {
    let repo = project();
    repo.git(&["config", "core.notesRef", "refs/notes/yy"]);
    repo.git(&["config", "notes.displayRef", "refs/notes/yy"]);
    for words in [&["begin", CHAIN, "1"][..], &["record"], &["reset"]] {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
        command.env("GIT_NOTES_REF", "refs/notes/zz").args(words);
        let o = command.output().expect("runs");
        assert!(o.status.success(), "{}", err(&o));
    }
    let refs = repo.git(&["for-each-ref", "--format=%(refname)", "refs/notes"]);
    assert_eq!(refs, CHECKPOINTS);
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
    command
        .env("GIT_NOTES_REF", "refs/notes/zz")
        .args(["status", "--format", "json"]);
    assert_eq!(
        document(&command.output().expect("runs"))["chains"][0]["records"],
        3
    );
}

#[test]
fn no_command_of_ours_shows_records_in_everybodys_log() {
    let repo = worked(1);
    server(&repo);
    well(&repo, &["hooks", "install"]);
    well(&repo, &["push", "--yes"]);
    well(&repo, &["fetch"]);
    well(
        &repo,
        &["clone", text(&repo.around().join("server.git")), "../copy"],
    );
    for dir in [repo.path().to_owned(), repo.around().join("copy")] {
        let config = git(&repo, &dir, &["config", "--list"]);
        assert!(!config.contains("notes."), "{config}");
        let log = repo
            .command("git", &dir)
            .args(["log", "--all"])
            .output()
            .expect("runs");
        assert!(!out(&log).contains("\"checkpoint_id\"") && log.stderr.is_empty());
    }
}

/// Runs the program with no identity that git knows.
fn as_nobody(repo: &Repo, words: &[&str]) -> Output {
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
    for name in [
        "AUTHOR_NAME",
        "AUTHOR_EMAIL",
        "COMMITTER_NAME",
        "COMMITTER_EMAIL",
    ] {
        command.env_remove(format!("GIT_{name}"));
    }
    command.args(words).output().expect("runs")
}

#[test]
fn without_an_identity_records_are_written_under_the_programs_own() {
    let repo = begun();
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let o = as_nobody(&repo, &["record"]);
    assert_eq!(o.status.code(), Some(128));
    assert!(
        err(&o).contains("Please tell me who you are"),
        "{}",
        err(&o)
    );
    assert_eq!(
        repo.git(&["rev-parse", "HEAD"]),
        head,
        "no name is invented on a branch"
    );
    well(&repo, &["record"]);
    // What only adds to the notes needs nobody's name.
    let file = captured(&repo, "late.json", "{}\n");
    let o = as_nobody(&repo, &["record", "--envelope", &file]);
    assert!(o.status.success(), "{}", err(&o));
    let who = repo.git(&[
        "log",
        "-1",
        "--format=%an <%ae> %cn <%ce>",
        "refs/notes/evolve/envelope",
    ]);
    let own = "git-evolve <git-evolve@localhost.invalid>";
    assert_eq!(who, format!("{own} {own}"));
    let o = as_nobody(&repo, &["doctor", "--format", "json"]);
    assert!(out(&o).contains("\"no-identity\""), "{}", out(&o));
}

#[test]
fn notes_are_not_signed_and_the_users_commits_are_as_the_user_says() {
    let repo = begun();
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.git(&["config", "gpg.program", "false"]);
    let before = (
        repo.git(&["for-each-ref"]),
        repo.git(&["status", "--porcelain"]),
    );
    let said = fails(&repo, 128, &["record"]);
    assert!(said.contains("gpg failed to sign"), "{said}");
    assert_eq!(
        (
            repo.git(&["for-each-ref"]),
            repo.git(&["status", "--porcelain"])
        ),
        before
    );
    let signer = repo.around().join("signer");
    crate::support::executable(
        &signer,
        "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho\necho x\necho '-----END PGP SIGNATURE-----'\n",
        0o755,
    );
    repo.git(&["config", "gpg.program", signer.to_str().expect("UTF-8")]);
    well(&repo, &["record"]);
    assert!(
        repo.git(&["cat-file", "commit", "HEAD"])
            .contains("\ngpgsig ")
    );
    assert!(
        !repo
            .git(&["cat-file", "commit", CHECKPOINTS])
            .contains("gpgsig")
    );
}

#[test]
fn every_ref_of_ours_has_a_reflog_whatever_the_settings() {
    for setting in ["true", "false"] {
        let repo = project();
        repo.git(&["config", "core.logAllRefUpdates", setting]);
        checkpoint(&repo, 1);
        for name in [CHECKPOINTS, "refs/notes/evolve/envelope", KEPT] {
            let log = repo.git(&["reflog", "show", name]);
            let moves = if name == "refs/notes/evolve/envelope" {
                1
            } else {
                3
            };
            assert_eq!(log.lines().count(), moves, "{setting} {name}");
        }
    }
}

#[test]
fn a_chain_without_a_branch_outlives_garbage_collection() {
    let repo = worked(1);
    let commits = line(&repo);
    let before = figures(&repo, repo.path());
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", BRANCH]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    for commit in commits {
        repo.git(&["cat-file", "-e", &commit]);
    }
    assert_eq!(status(&repo)["chains"][0]["held_by"], "kept");
    assert_eq!(figures(&repo, repo.path()), before);
    sound(&repo, repo.path());
}

#[test]
fn in_a_clone_that_has_only_the_last_commit_no_record_is_cleaned_away() {
    let repo = worked(2);
    server(&repo);
    well(&repo, &["push", "--yes"]);
    let url = format!("file://{}", repo.around().join("server.git").display());
    let cut = repo.around().join("cut");
    repo.git(&["clone", "-q", "--depth=1", &url, text(&cut)]);
    let all = |dir: &Path| {
        git(&repo, dir, &["ls-tree", "-r", "--name-only", CHECKPOINTS])
            .lines()
            .count()
    };
    done(&repo, &cut, &["fetch"]);
    assert_eq!(all(&cut), 5);
    for words in [&["verify"][..], &["status"], &["doctor"]] {
        repo.evolve_in(&cut, words);
    }
    done(&repo, &cut, &["push", "--yes"]);
    assert_eq!((all(&cut), all(&repo.around().join("server.git"))), (5, 5));
}

#[test]
fn a_notes_merge_that_somebody_left_unfinished_stops_no_record() {
    let repo = worked(1);
    let agent = line(&repo)[1].clone();
    repo.git(&["update-ref", "refs/notes/side", "refs/notes/evolve/tests"]);
    for (name, words) in [("refs/notes/side", "a"), ("refs/notes/evolve/tests", "b")] {
        repo.git(&[
            "notes",
            &format!("--ref={name}"),
            "append",
            "-m",
            words,
            &agent,
        ]);
    }
    let o = perhaps(
        &repo,
        &[
            "notes",
            "--ref=refs/notes/evolve/tests",
            "merge",
            "refs/notes/side",
        ],
    );
    assert!(!o.status.success());
    let left = repo.path().join(".git/NOTES_MERGE_WORKTREE");
    assert!(left.exists());
    checkpoint(&repo, 2);
    assert_eq!(records_on(&repo, "tests", &line(&repo)[3]).len(), 1);
    assert!(left.exists(), "it is not ours to end");
    assert!(found(&repo, "doctor").contains(&"notes-merge-unfinished".to_owned()));
}

#[test]
fn a_command_makes_one_commit_a_ref_and_starts_no_more_of_git_as_history_grows() {
    let repo = worked(1);
    let counted = |words: &[&str]| {
        let trace = repo.around().join("trace");
        let _ = std::fs::remove_file(&trace);
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
        command.env("GIT_TRACE2_EVENT", &trace).args(words);
        let o = command.output().expect("runs");
        assert!(o.status.success(), "{words:?}: {}", err(&o));
        let trace = std::fs::read_to_string(&trace).unwrap_or_default();
        trace
            .lines()
            .filter(|l| l.contains("\"event\":\"start\""))
            .count()
    };
    let reading = [
        &["status"][..],
        &["verify"],
        &["log", "--chain", CHAIN],
        &["slope"],
    ];
    let small: Vec<usize> = reading.iter().map(|words| counted(words)).collect();
    let round = |k: usize| {
        let begin = counted(&["begin", CHAIN, &k.to_string()]);
        repo.write("src/A.java", class(k));
        (begin, counted(&["record"]), counted(&["reset"]))
    };
    let early = round(2);
    for k in 3..=7 {
        checkpoint(&repo, k);
    }
    let large: Vec<usize> = reading.iter().map(|words| counted(words)).collect();
    assert_eq!(large, small);
    assert_eq!(round(8), early);
    // A base and 8 times agent and reset.
    assert_eq!(repo.git(&["rev-list", "--count", CHECKPOINTS]), "17");
    let files: Vec<String> = (0..20)
        .map(|i| captured(&repo, &format!("e{i}"), "{}"))
        .collect();
    let before: usize = repo
        .git(&["rev-list", "--count", "refs/notes/evolve/raw"])
        .parse()
        .expect("a number");
    well(&repo, &["begin", CHAIN, "9"]);
    let words: Vec<&str> = ["record", "--envelope"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    well(&repo, &words);
    let after: usize = repo
        .git(&["rev-list", "--count", "refs/notes/evolve/raw"])
        .parse()
        .expect("a number");
    assert_eq!(after, before + 1);
}

#[test]
fn the_records_of_a_checkpoint_come_in_together_or_not_at_all() {
    let repo = begun();
    repo.git(&["config", "evolve.lockTimeout", "0.3"]);
    let envelope = captured(&repo, "e.json", "{}\n");
    let before = repo.git(&["for-each-ref"]);
    // The last of the refs in their order.
    let held = lock(&repo, "refs/notes/evolve/raw.lock", 1);
    fails(
        &repo,
        128,
        &["record", "--envelope", &envelope, "--tests", &envelope],
    );
    assert_eq!(repo.git(&["for-each-ref"]), before);
    std::fs::remove_file(held).expect("removed");
    well(&repo, &["record"]);
    for (kind, lines) in [("checkpoint", 1), ("envelope", 1), ("tests", 1), ("raw", 2)] {
        assert_eq!(records_on(&repo, kind, "HEAD").len(), lines, "{kind}");
    }
    assert_eq!(waiting(&repo), 0);
    sound(&repo, repo.path());
}
