//! `git evolve doctor`: each finding made with real git, and a repository without any.

use std::process::Output;
use std::time::{Duration, SystemTime};

use super::{err, out};
use crate::support::Repo;

/// The findings as (id, severity, what).
fn read(o: &Output) -> Vec<(String, String, String)> {
    let document: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
    let word = |f: &serde_json::Value, key: &str| f[key].as_str().unwrap_or("").to_owned();
    let findings = document["findings"].as_array().expect("findings");
    findings
        .iter()
        .map(|f| (word(f, "id"), word(f, "severity"), word(f, "what")))
        .collect()
}

fn examined(repo: &Repo) -> Vec<(String, String, String)> {
    read(&repo.evolve(&["doctor", "--format", "json"]))
}

/// The severity and words of finding `id`, which is there once; the exit code goes with it.
fn one(repo: &Repo, id: &str) -> (String, String) {
    let o = repo.evolve(&["doctor", "--format", "json"]);
    let all = read(&o);
    let grave = all.iter().any(|(_, severity, _)| severity != "note");
    assert_eq!(o.status.code(), Some(i32::from(grave)), "{all:#?}");
    let mut with: Vec<_> = all.iter().filter(|(i, _, _)| i == id).cloned().collect();
    assert_eq!(with.len(), 1, "{id} in {all:#?}");
    let (_, severity, what) = with.remove(0);
    (severity, what)
}

fn has(repo: &Repo, id: &str) -> bool {
    examined(repo).iter().any(|(i, _, _)| i == id)
}

fn with_commit() -> Repo {
    let repo = Repo::new();
    repo.write("f", "a\n");
    repo.commit("a");
    repo
}

/// A repository with a remote `origin` that has its branch.
fn with_remote() -> Repo {
    let repo = with_commit();
    let server = repo.around().join("server");
    let path = server.to_str().expect("UTF-8").to_owned();
    repo.git(&["init", "-q", "--bare", "-b", "main", &path]);
    repo.git(&["remote", "add", "origin", &path]);
    repo.git(&["push", "-q", "-u", "origin", "main"]);
    repo
}

/// The command a finding names, run as it stands.
fn mend(repo: &Repo, id: &str) {
    let o = repo.evolve(&["doctor", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
    let findings = document["findings"].as_array().expect("findings");
    let finding = findings
        .iter()
        .find(|f| f["id"] == id)
        .expect("the finding");
    let command = finding["mend"].as_str().expect("a command");
    let status = repo
        .command("sh", repo.path())
        .args(["-c", command])
        .output()
        .expect("sh runs");
    assert!(status.status.success(), "{command}: {}", err(&status));
    assert!(!has(repo, id), "{command} does not mend {id}");
}

#[test]
fn a_clean_repository_has_nothing_to_mend() {
    let repo = with_remote();
    let o = repo.evolve(&["doctor", "--format", "json"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    for (id, severity, what) in read(&o) {
        assert_eq!(severity, "note", "{id}: {what}");
    }
    let mirror = repo.around().join("bare");
    let (from, to) = (repo.path(), mirror.as_path());
    let words = ["clone", "-q", "--bare"];
    repo.git(
        &[
            &words[..],
            &[from.to_str().expect("UTF-8"), to.to_str().expect("UTF-8")],
        ]
        .concat(),
    );
    let o = repo.evolve_in(&mirror, &["doctor"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
}

#[test]
fn it_speaks_every_format_and_fits_80_columns() {
    let repo = with_remote();
    repo.git(&[
        "config",
        "--add",
        "remote.origin.fetch",
        "+refs/notes/evolve/*:refs/notes/evolve/*",
    ]);
    let table = out(&repo.evolve(&["doctor"]));
    assert!(table.contains("fetch-overwrites-records"), "{table}");
    assert!(table.contains("mend:"), "{table}");
    for line in table.lines().filter(|l| !l.contains("mend:")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&repo.evolve(&["doctor", "--format", "json"]).stdout).expect("JSON");
    for key in [
        "schema", "tool", "errors", "warnings", "notes", "git", "findings",
    ] {
        assert!(!json[key].is_null(), "{key}");
    }
    assert_eq!(json["errors"], 1);
    let csv = out(&repo.evolve(&["doctor", "--format", "csv"]));
    assert!(
        csv.starts_with("severity,id,what,why,mend\nerror,fetch-overwrites-records,"),
        "{csv}"
    );
    let lines = out(&repo.evolve(&["doctor", "--format", "jsonl"]));
    for line in lines.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(row["list"], "findings");
        assert_eq!(row["schema"], 1);
    }
    let md = out(&repo.evolve(&["doctor", "--format", "md"]));
    assert!(
        md.starts_with("| severity | id | what | why | mend |"),
        "{md}"
    );
}

#[test]
fn outside_a_repository_it_ends_like_git() {
    let repo = Repo::new();
    let o = repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.around())
        .env("GIT_CEILING_DIRECTORIES", repo.around())
        .arg("doctor")
        .output()
        .expect("runs");
    assert_eq!(o.status.code(), Some(128), "{}", err(&o));
}

#[test]
fn a_forced_refspec_on_notes_is_found_in_every_scope() {
    for scope in ["--local", "--global"] {
        let repo = with_remote();
        let value = "+refs/notes/*:refs/notes/*";
        repo.git(&["config", scope, "--add", "remote.origin.fetch", value]);
        let (severity, what) = one(&repo, "fetch-overwrites-records");
        assert_eq!(severity, "error");
        assert!(what.contains(&scope[2..]), "{what}");
        mend(&repo, "fetch-overwrites-records");
    }
    let repo = with_remote();
    let o = repo
        .command("git", repo.path())
        .env("PATH", path_with_us())
        .args([
            "-c",
            "remote.origin.fetch=+refs/evolve/*:refs/evolve/*",
            "evolve",
            "doctor",
        ])
        .output()
        .expect("git runs");
    assert_eq!(o.status.code(), Some(1));
    assert!(out(&o).contains("fetch-overwrites-records"), "{}", out(&o));
}

/// PATH with the folder of the program in front, so that `git evolve` finds it.
fn path_with_us() -> std::ffi::OsString {
    let ours = std::path::Path::new(env!("CARGO_BIN_EXE_git-evolve"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![ours.parent().expect("a folder").to_owned()];
    folders.extend(std::env::split_paths(&path));
    std::env::join_paths(folders).expect("a path")
}

#[test]
fn an_unforced_refspec_is_a_warning_and_an_error_where_fetches_prune() {
    let repo = with_remote();
    let value = "refs/notes/evolve/*:refs/notes/evolve/*";
    repo.git(&["config", "--add", "remote.origin.fetch", value]);
    assert_eq!(one(&repo, "fetch-refuses-records").0, "warning");
    repo.git(&["config", "--global", "fetch.prune", "true"]);
    assert_eq!(one(&repo, "fetch-prunes-records").0, "error");
    assert!(!has(&repo, "fetch-refuses-records"));
    repo.git(&["config", "remote.origin.prune", "false"]);
    assert!(
        has(&repo, "fetch-refuses-records"),
        "the remote's own setting holds"
    );
    mend(&repo, "fetch-refuses-records");
}

#[test]
fn the_safe_refspec_is_not_found_fault_with() {
    let repo = with_remote();
    let value = "+refs/notes/evolve/*:refs/evolve/remotes/origin/*";
    repo.git(&["config", "--add", "remote.origin.fetch", value]);
    repo.git(&["config", "fetch.prune", "true"]);
    let grave: Vec<_> = examined(&repo)
        .into_iter()
        .filter(|f| f.1 != "note")
        .collect();
    assert!(grave.is_empty(), "{grave:#?}");
}

#[test]
fn an_exact_refspec_is_found_while_the_ref_is_absent() {
    let repo = with_remote();
    let value = "+refs/notes/evolve/tests:refs/evolve/remotes/origin/tests";
    repo.git(&["config", "--add", "remote.origin.fetch", value]);
    assert!(
        !repo
            .command("git", repo.path())
            .args(["fetch", "-q"])
            .output()
            .expect("runs")
            .status
            .success()
    );
    assert_eq!(one(&repo, "fetch-names-absent-ref").0, "warning");
    repo.git(&["notes", "--ref=refs/notes/evolve/tests", "add", "-m", "{}"]);
    repo.git(&["push", "-q", "origin", "refs/notes/evolve/tests"]);
    repo.git(&["fetch", "-q"]);
    assert!(!has(&repo, "fetch-names-absent-ref"));
}

#[test]
fn mirrors_are_found_on_both_sides() {
    let repo = with_remote();
    let (server, mirror) = (repo.around().join("server"), repo.around().join("mirror"));
    repo.git(&[
        "clone",
        "-q",
        "--mirror",
        server.to_str().expect("UTF-8"),
        mirror.to_str().expect("UTF-8"),
    ]);
    let o = repo.evolve_in(&mirror, &["doctor", "--format", "json"]);
    let ids: Vec<_> = read(&o).into_iter().map(|f| f.0).collect();
    assert!(ids.contains(&"fetch-mirror".to_owned()), "{ids:?}");
    assert!(ids.contains(&"push-mirror".to_owned()), "{ids:?}");
}

#[test]
fn push_refspecs_are_found() {
    let repo = with_remote();
    repo.git(&[
        "config",
        "remote.origin.push",
        "refs/notes/evolve/*:refs/notes/evolve/*",
    ]);
    assert_eq!(one(&repo, "push-refspec").0, "warning");
    mend(&repo, "push-refspec");
    repo.git(&["config", "remote.origin.push", "HEAD:refs/for/main"]);
    assert_eq!(one(&repo, "push-refspec").0, "note");
}

#[test]
fn tracking_refs_of_a_remote_that_went_are_found() {
    let repo = with_remote();
    let local = "refs/notes/evolve/tests";
    repo.git(&["notes", "--ref", local, "add", "-m", "{}"]);
    repo.git(&["update-ref", "refs/evolve/remotes/origin/tests", local]);
    repo.git(&[
        "update-ref",
        "refs/evolve/remotes/repo-0123456789ab/heads/x",
        "HEAD",
    ]);
    assert!(!has(&repo, "tracking-stranded"));
    repo.git(&["remote", "rename", "origin", "up"]);
    let (severity, what) = one(&repo, "tracking-stranded");
    assert_eq!(severity, "note");
    assert!(what.contains("'origin'"), "{what}");
    mend(&repo, "tracking-stranded");
    // Where it holds what is nowhere else here, nothing is said that would delete it.
    repo.git(&["update-ref", "refs/evolve/remotes/origin/tests", local]);
    repo.git(&["update-ref", "-d", local]);
    let json = out(&repo.evolve(&["doctor", "--format", "jsonl"]));
    let stranded = json
        .lines()
        .find(|l| l.contains("tracking-stranded"))
        .expect("the finding");
    assert!(
        stranded.contains("git evolve fetch origin") && !stranded.contains("delete"),
        "{stranded}"
    );
}

#[test]
fn refs_that_block_a_namespace_are_found_and_renamed() {
    for (name, words) in [
        (
            "refs/notes/evolve",
            vec!["notes", "--ref=evolve", "add", "-m", "oops"],
        ),
        ("refs/evolve", vec!["update-ref", "refs/evolve", "HEAD"]),
        (
            "refs/notes/evolve/tests/x",
            vec!["update-ref", "refs/notes/evolve/tests/x", "HEAD"],
        ),
        ("refs/heads/evolve", vec!["branch", "evolve"]),
        ("refs/heads/evolve-notes", vec!["branch", "evolve-notes"]),
    ] {
        let repo = with_commit();
        repo.git(&words);
        let (severity, what) = one(&repo, "namespace-blocked");
        assert_eq!(severity, "error", "{name}");
        assert!(what.starts_with(&format!("{name} excludes")), "{what}");
        mend(&repo, "namespace-blocked");
    }
}

#[test]
fn settings_that_redirect_notes_are_found() {
    let repo = with_commit();
    repo.git(&["config", "core.notesRef", "refs/notes/mine"]);
    assert_eq!(one(&repo, "notes-redirected").0, "note");
    repo.git(&["config", "core.notesRef", "refs/notes/evolve/tests"]);
    assert_eq!(one(&repo, "notes-redirected").0, "warning");
    mend(&repo, "notes-redirected");
    let o = repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.path())
        .env("GIT_NOTES_REF", "refs/notes/zz")
        .args(["doctor", "--format", "json"])
        .output()
        .expect("runs");
    let all = read(&o);
    assert!(
        all.iter()
            .any(|f| f.0 == "notes-redirected" && f.2.contains("GIT_NOTES_REF")),
        "{all:?}"
    );
}

#[test]
fn a_display_setting_is_a_warning_where_git_warns() {
    let repo = with_commit();
    repo.git(&["config", "notes.displayRef", "refs/notes/evolve/tests"]);
    assert_eq!(one(&repo, "notes-displayed").0, "warning");
    repo.git(&["config", "notes.displayRef", "refs/notes/evolve/*"]);
    assert_eq!(one(&repo, "notes-displayed").0, "note");
    mend(&repo, "notes-displayed");
    repo.git(&["config", "notes.displayRef", "refs/notes/review"]);
    assert!(!has(&repo, "notes-displayed"));
}

#[test]
fn a_rewrite_mode_that_drops_records_is_found() {
    let repo = with_commit();
    repo.git(&["config", "notes.rewriteMode", "overwrite"]);
    assert!(!has(&repo, "notes-rewrite-loses"), "no records are carried");
    repo.git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
    assert_eq!(one(&repo, "notes-rewrite-loses").0, "warning");
    mend(&repo, "notes-rewrite-loses");
    repo.git(&["config", "notes.rewrite.rebase", "false"]);
    assert_eq!(one(&repo, "notes-rewrite-off").0, "note");
    mend(&repo, "notes-rewrite-off");
}

#[test]
fn an_unfinished_notes_merge_is_found() {
    let repo = with_commit();
    repo.git(&["notes", "--ref=refs/notes/evolve/tests", "add", "-m", "1"]);
    repo.git(&["notes", "--ref=refs/notes/other", "add", "-m", "2"]);
    let merge = [
        "notes",
        "--ref=refs/notes/evolve/tests",
        "merge",
        "refs/notes/other",
    ];
    let o = repo
        .command("git", repo.path())
        .args(merge)
        .output()
        .expect("runs");
    assert_eq!(o.status.code(), Some(1));
    let (severity, what) = one(&repo, "notes-merge-unfinished");
    assert_eq!(severity, "warning");
    assert!(what.contains("refs/notes/evolve/tests"), "{what}");
    mend(&repo, "notes-merge-unfinished");
}

#[test]
fn lock_files_are_notes_while_young_and_warnings_when_old() {
    for name in [
        "index.lock",
        "packed-refs.lock",
        "refs/notes/evolve/tests.lock",
        "refs/evolve/chains/a/b/1.lock",
        "refs/heads/evolve/a/b/1.lock",
    ] {
        let repo = with_commit();
        let path = repo.path().join(".git").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let file = std::fs::File::create(&path).expect("made");
        assert_eq!(one(&repo, "lock-file").0, "note", "{name}");
        let old = SystemTime::now() - Duration::from_secs(300);
        file.set_modified(old).expect("set");
        let (severity, what) = one(&repo, "lock-file");
        assert_eq!(severity, "warning", "{name}");
        assert!(what.contains(name) && what.contains("5 min"), "{what}");
        mend(&repo, "lock-file");
    }
}

#[test]
fn who_holds_our_lock_is_said() {
    let repo = with_commit();
    let folder = repo.path().join(".git/evolve");
    std::fs::create_dir_all(&folder).expect("made");
    let path = folder.join("lock");
    std::fs::write(&path, "4711 1700000000000\n").expect("written");
    assert!(!has(&repo, "lock-held"), "a file that nobody locks is none");
    let file = std::fs::File::open(&path).expect("open");
    file.lock().expect("locked");
    let (severity, what) = one(&repo, "lock-held");
    assert_eq!(severity, "warning");
    assert!(what.contains("process 4711"), "{what}");
    file.unlock().expect("unlocked");
    assert!(!has(&repo, "lock-held"));
}

#[test]
fn what_was_set_aside_is_found() {
    let repo = with_commit();
    let folder = repo.path().join(".git/evolve");
    std::fs::create_dir_all(folder.join("spool")).expect("made");
    std::fs::create_dir_all(folder.join("large")).expect("made");
    std::fs::write(folder.join("spool/a.bad"), "x").expect("written");
    std::fs::write(folder.join("spool/b.jsonl"), "").expect("written");
    std::fs::write(folder.join("large/0123"), "x").expect("written");
    assert_eq!(one(&repo, "spool-damaged").0, "warning");
    assert_eq!(one(&repo, "spool-waiting").0, "note");
    assert_eq!(one(&repo, "payloads-kept-here").0, "note");
}

#[test]
fn a_missing_identity_is_found() {
    let repo = with_commit();
    let run = |dir: &std::path::Path| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), dir);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env_remove(format!("GIT_{who}_NAME"));
            command.env_remove(format!("GIT_{who}_EMAIL"));
        }
        read(
            &command
                .args(["doctor", "--format", "json"])
                .output()
                .expect("runs"),
        )
    };
    let found = run(repo.path());
    let nobody: Vec<_> = found.iter().filter(|f| f.0 == "no-identity").collect();
    assert_eq!(nobody.len(), 1, "{found:?}");
    assert_eq!(nobody[0].1, "warning");
    repo.git(&["config", "user.name", "Ada"]);
    repo.git(&["config", "user.email", "ada@example.invalid"]);
    assert!(!run(repo.path()).iter().any(|f| f.0 == "no-identity"));
}

#[test]
fn signing_without_what_signs_is_a_note() {
    let repo = with_commit();
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.git(&["config", "gpg.program", "no-such-program"]);
    assert_eq!(one(&repo, "signing").0, "note");
    repo.git(&["config", "gpg.format", "ssh"]);
    repo.git(&["config", "gpg.ssh.program", "sh"]);
    repo.git(&["config", "user.signingKey", "/no/such/key"]);
    assert_eq!(one(&repo, "signing").0, "note");
    mend(&repo, "signing");
}

#[test]
fn replaced_objects_and_grafts_are_notes() {
    let repo = with_commit();
    repo.write("f", "b\n");
    repo.commit("b");
    repo.git(&["replace", "--graft", "HEAD"]);
    assert_eq!(one(&repo, "replace-refs").0, "note");
    mend(&repo, "replace-refs");
    let head = repo.git(&["rev-parse", "HEAD"]);
    std::fs::create_dir_all(repo.path().join(".git/info")).expect("made");
    std::fs::write(repo.path().join(".git/info/grafts"), head + "\n").expect("written");
    assert_eq!(one(&repo, "grafts").0, "note");
}

#[test]
fn shallow_and_partial_clones_are_found() {
    let repo = with_remote();
    repo.write("f", "b\n");
    repo.commit("b");
    repo.git(&["push", "-q", "origin", "main"]);
    let server = format!("file://{}", repo.around().join("server").display());
    let shallow = repo.around().join("shallow");
    let to = shallow.to_str().expect("UTF-8");
    repo.git(&["clone", "-q", "--depth", "1", &server, to]);
    let o = repo.evolve_in(&shallow, &["doctor", "--format", "json"]);
    let found = read(&o);
    assert!(
        found.iter().any(|f| f.0 == "shallow" && f.1 == "warning"),
        "{found:?}"
    );
    let partial = repo.around().join("partial");
    let to = partial.to_str().expect("UTF-8");
    repo.git(&[
        "-C",
        repo.around().join("server").to_str().expect("UTF-8"),
        "config",
        "uploadpack.allowFilter",
        "true",
    ]);
    repo.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &server,
        to,
    ]);
    let ids = |dir: &std::path::Path| -> Vec<(String, String)> {
        let o = repo.evolve_in(dir, &["doctor", "--format", "json"]);
        read(&o).into_iter().map(|f| (f.0, f.1)).collect()
    };
    assert!(ids(&partial).contains(&("partial".to_owned(), "note".to_owned())));
    repo.git(&["-C", to, "config", "--unset", "remote.origin.url"]);
    assert!(ids(&partial).contains(&("promisor-missing".to_owned(), "warning".to_owned())));
}

#[test]
fn formats_that_not_everybody_reads_are_notes() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.write("f", "a\n");
    repo.commit("a");
    assert_eq!(one(&repo, "sha256").0, "note");
    let repo = Repo::with(&["--ref-format=reftable"]);
    repo.write("f", "a\n");
    repo.commit("a");
    assert_eq!(one(&repo, "reftable").0, "note");
    repo.git(&["notes", "--ref=evolve", "add", "-m", "oops"]);
    assert_eq!(one(&repo, "namespace-blocked").0, "error");
}

#[test]
fn notes_that_hosts_refuse_are_found() {
    let repo = with_commit();
    for (mib, severity) in [(51, "warning"), (101, "error")] {
        repo.write("big", vec![b'x'; mib << 20]);
        let blob = repo.git(&["hash-object", "-w", "big"]);
        repo.remove("big");
        repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/raw",
            "add",
            "-f",
            "-C",
            &blob,
        ]);
        let (found, what) = one(&repo, "note-too-large");
        assert_eq!(found, severity, "{what}");
        assert!(what.contains(&format!("{mib} MiB")), "{what}");
    }
}

#[test]
fn trusting_everybody_is_a_note() {
    let repo = with_commit();
    repo.git(&["config", "--global", "safe.directory", "*"]);
    assert_eq!(one(&repo, "safe-directory").0, "note");
    mend(&repo, "safe-directory");
}

#[test]
fn an_old_git_is_an_error() {
    let repo = with_commit();
    let folder = repo.around().join("bin");
    std::fs::create_dir_all(&folder).expect("made");
    let real = repo
        .command("sh", repo.path())
        .args(["-c", "command -v git"])
        .output()
        .expect("sh runs");
    let script = format!(
        "#!/bin/sh\nfor w in \"$@\"; do [ \"$w\" = version ] && echo 'git version 2.30.9' && exit\ndone\nexec {} \"$@\"\n",
        out(&real).trim()
    );
    let program = folder.join("git");
    std::fs::write(&program, script).expect("written");
    let made = repo
        .command("chmod", repo.path())
        .args(["755"])
        .arg(&program)
        .status();
    assert!(made.expect("runs").success());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::iter::once(folder)
        .chain(std::env::split_paths(&path))
        .collect();
    let o = repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), repo.path())
        .env("PATH", std::env::join_paths(folders).expect("a path"))
        .args(["doctor", "--format", "json"])
        .output()
        .expect("runs");
    assert_eq!(o.status.code(), Some(1), "{}", err(&o));
    assert!(
        read(&o)
            .iter()
            .any(|f| f.0 == "git-too-old" && f.1 == "error")
    );
}

#[test]
fn nothing_is_written_in_a_repository_that_is_looked_at() {
    let repo = with_remote();
    let list = || {
        let o = repo
            .command("find", repo.path())
            .args([
                ".git",
                "-type",
                "f",
                "-newermt",
                "1970-01-02",
                "-printf",
                "%p %T@ %s\n",
            ])
            .output()
            .expect("find runs");
        out(&o)
    };
    let before = list();
    repo.evolve(&["doctor"]);
    assert_eq!(list(), before);
}

#[test]
fn a_chain_that_nothing_keeps_is_found() {
    let run = super::recorded::Run::with(2);
    assert!(!has(&run.repo, "chain-not-kept"));
    let keep = "refs/evolve/chains/exp/plain/1";
    run.repo.git(&["update-ref", "-d", keep]);
    assert_eq!(one(&run.repo, "chain-not-kept").0, "warning");
    mend(&run.repo, "chain-not-kept");
    run.repo.git(&["update-ref", keep, &run.line[1]]);
    assert!(
        has(&run.repo, "chain-not-kept"),
        "a keep ref that lags behind"
    );
    mend(&run.repo, "chain-not-kept");
}

#[test]
fn records_that_are_not_here_or_not_merged_are_found() {
    let run = super::recorded::Run::with(1);
    let url = format!("file://{}", run.publish());
    let clone = |name: &str, words: &[&str]| {
        let to = run.repo.around().join(name);
        let rest = [
            "--branch",
            "evolve/exp/plain/1",
            &url,
            to.to_str().expect("UTF-8"),
        ];
        run.repo.git(&[&["clone", "-q"], words, &rest].concat());
        let found = read(&run.repo.evolve_in(&to, &["doctor", "--format", "json"]));
        found.into_iter().map(|f| (f.0, f.1)).collect::<Vec<_>>()
    };
    let plain = clone("plain", &[]);
    assert!(
        plain.contains(&("records-not-merged".to_owned(), "note".to_owned())),
        "{plain:?}"
    );
    let single = clone("single", &["--single-branch"]);
    assert!(
        single.contains(&("records-not-fetched".to_owned(), "warning".to_owned())),
        "{single:?}"
    );
}

/// Hooks of the older way, which stand in files.
fn installed() -> Option<Repo> {
    let repo = with_commit();
    let version = repo.git(&["version"]);
    let minor = version
        .split('.')
        .nth(1)
        .and_then(|m| m.parse::<u32>().ok());
    // From 2.54 on hooks are settings: there are no files to damage.
    if minor.is_none_or(|m| m >= 54) {
        return None;
    }
    repo.stdout(&["hooks", "install"]);
    for id in [
        "hook-silent",
        "hook-replaced",
        "hook-missing",
        "hook-bypassed",
    ] {
        assert!(!has(&repo, id), "{id}");
    }
    Some(repo)
}

#[test]
fn hooks_that_do_not_run_are_found() {
    let damage: [(&str, &str, &[&str]); 5] = [
        (
            "hook-silent",
            "not executable",
            &["chmod", "-x", ".git/hooks/post-commit"],
        ),
        (
            "hook-replaced",
            "line ends of another system",
            &["sed", "-i", "s/$/\\r/", ".git/hooks/post-commit"],
        ),
        (
            "hook-replaced",
            "changed",
            &["sed", "-i", "$a true", ".git/hooks/post-rewrite"],
        ),
        ("hook-missing", "gone", &["rm", ".git/hooks/pre-push"]),
        (
            "hook-bypassed",
            "another folder",
            &["git", "config", "core.hooksPath", ".husky/_"],
        ),
    ];
    for (id, how, words) in damage {
        let Some(repo) = installed() else { return };
        let status = repo
            .command(words[0], repo.path())
            .args(&words[1..])
            .status();
        assert!(status.expect("runs").success(), "{words:?}");
        let (severity, what) = one(&repo, id);
        assert_eq!(severity, "warning", "{how}: {what}");
    }
}

#[test]
fn a_hook_whose_program_went_is_found() {
    let Some(repo) = installed() else { return };
    let hook = repo.path().join(".git/hooks/post-commit");
    let text = std::fs::read_to_string(&hook).expect("a dispatcher");
    let ours = env!("CARGO_BIN_EXE_git-evolve");
    assert!(text.contains(ours), "{text}");
    std::fs::write(&hook, text.replace(ours, "/no/such/git-evolve")).expect("written");
    let ids: Vec<String> = examined(&repo).into_iter().map(|f| f.0).collect();
    assert!(
        ids.iter()
            .any(|id| id == "hook-silent" || id == "hook-replaced"),
        "{ids:?}"
    );
}

#[test]
fn a_run_without_hooks_is_a_note() {
    let run = super::recorded::Run::with(1);
    assert_eq!(one(&run.repo, "hooks-absent").0, "note");
    run.repo.stdout(&["hooks", "install"]);
    assert!(!has(&run.repo, "hooks-absent"));
}

/// Every finding has an entry in the documentation, and every entry a finding.
#[test]
fn every_finding_is_documented() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = String::new();
    for place in ["src/repo/health", "src/ledger/verify"] {
        for entry in std::fs::read_dir(root.join(place)).expect("a folder") {
            code += &std::fs::read_to_string(entry.expect("a file").path()).expect("text");
        }
    }
    for file in [
        "src/ledger/verify.rs",
        "src/ledger/health.rs",
        "src/cli/doctor.rs",
    ] {
        code += &std::fs::read_to_string(root.join(file)).expect("text");
    }
    let docs = std::fs::read_to_string(root.join("docs/checking.md")).expect("the page");
    let row = regex::Regex::new(r"(?m)^\| ((?:`[a-z0-9-]+`(?:, )?)+) \| (?:error|warning|note)")
        .expect("a pattern");
    let word = regex::Regex::new(r"`([a-z0-9-]+)`").expect("a pattern");
    let mut documented: Vec<&str> = row
        .captures_iter(&docs)
        .flat_map(|c| {
            word.captures_iter(c.get(1).expect("ids").as_str())
                .map(|w| w.get(1).expect("an id").as_str())
        })
        .collect();
    documented.sort_unstable();
    documented.dedup();
    assert!(documented.len() > 60, "{documented:?}");
    for id in &documented {
        assert!(code.contains(&format!("\"{id}\"")), "{id} is found nowhere");
    }
    let found = regex::Regex::new(r#"(?:Finding::new|Defect::new|\bdefect|\bsay|\bof)\((?:[a-z]+, (?:\*?[a-z]+, )?)?\s*"([a-z0-9-]+)""#).expect("a pattern");
    let mut count = 0;
    for id in found
        .captures_iter(&code)
        .map(|c| c.get(1).expect("an id").as_str())
    {
        count += 1;
        assert!(documented.contains(&id), "{id} is documented nowhere");
    }
    assert!(count > 50, "{count}");
}
