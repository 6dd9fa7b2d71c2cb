//! Ways to reach another repository, and others that never answer.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn a_bundle_is_read_like_a_repository() {
    let field = Field::new();
    let dir = field.repo.path();
    field
        .repo
        .git(&["bundle", "create", "-q", "all.bundle", "--all"]);
    let file = dir.join("all.bundle");
    let file = file.to_str().expect("utf-8");
    // Git's own clone of it does not read its notes.
    let plain = field.at("plain");
    field.git(
        field.repo.around(),
        &["clone", "-q", file, plain.to_str().expect("utf-8")],
    );
    assert_eq!(field.refs(&plain, "refs/notes"), "");
    field.good(&plain, &["fetch"]);
    assert_eq!(field.records(&plain), field.records(dir));
    field.good(field.repo.around(), &["clone", file]);
    assert_eq!(field.records(&field.at("all")).len(), 3);
    field.bad(&plain, &["push", "--yes"], 128);
}

#[test]
fn the_records_of_a_colleagues_work_tree_are_fetched_with_what_it_keeps() {
    let field = Field::new();
    let dir = field.repo.path();
    let failed = commit_on(&field.repo, dir, &field.chain[0], "failed", None);
    field.git(
        dir,
        &[
            "update-ref",
            &format!("refs/evolve/attempts/{PATH}/1/1"),
            &failed,
        ],
    );
    field.git(
        dir,
        &["update-ref", "-d", &format!("refs/heads/evolve/{PATH}")],
    );
    let clone = field.clone("clone", &[]);
    field.git(
        &clone,
        &["remote", "add", "ada", dir.to_str().expect("utf-8")],
    );
    field.good(&clone, &["fetch", "ada"]);
    assert_eq!(field.records(&clone), field.records(dir));
    let kept = field.has(&clone, &format!("refs/evolve/remotes/ada/chains/{PATH}"));
    assert_eq!(kept.as_ref(), field.chain.last());
    let attempt = format!("refs/evolve/remotes/ada/attempts/{PATH}/1/1");
    assert_eq!(field.has(&clone, &attempt), Some(failed));
}

#[test]
fn a_remote_that_is_not_there_is_said_with_gits_words() {
    let field = Field::new();
    field
        .repo
        .git(&["remote", "set-url", "origin", "/nowhere/at/all"]);
    for words in [&["fetch"][..], &["push", "--yes"], &["push", "-n"]] {
        let said = field.bad(field.repo.path(), words, 128);
        assert!(said.contains("/nowhere/at/all"), "{said}");
    }
    assert_eq!(field.records(field.repo.path()).len(), 3);
}

/// A folder in which `ssh` is `script`.
fn false_ssh(field: &Field, script: &str) -> std::ffi::OsString {
    let folder = field.at("bin");
    std::fs::create_dir_all(&folder).expect("a folder");
    script_at(&folder.join("ssh"), script);
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

#[test]
fn ssh_is_told_not_to_ask_where_nobody_sits() {
    let field = Field::new();
    let words = field.at("words");
    let path = false_ssh(
        &field,
        &format!("echo \"$@\" >>'{}'; exit 255", words.display()),
    );
    field.repo.git(&[
        "remote",
        "set-url",
        "origin",
        "ssh://nobody@example.invalid/x",
    ]);
    let out = field
        .repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.path())
        .arg("fetch")
        .env("PATH", path)
        .output()
        .expect("runs");
    assert_eq!(out.status.code(), Some(128), "{}", said(&out));
    let words = std::fs::read_to_string(words).expect("ssh was called");
    assert!(words.contains("BatchMode=yes"), "{words}");
}

#[test]
fn a_remote_that_never_answers_is_given_up() {
    let field = Field::new();
    let path = false_ssh(&field, "exec sleep 60");
    field.repo.git(&[
        "remote",
        "set-url",
        "origin",
        "ssh://nobody@example.invalid/x",
    ]);
    field.repo.git(&["config", "evolve.networkTimeout", "1"]);
    let began = Instant::now();
    let out = field
        .repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.path())
        .arg("fetch")
        .env("PATH", path)
        .output()
        .expect("runs");
    assert_eq!(out.status.code(), Some(128), "{}", said(&out));
    assert!(
        said(&out).contains("no end after 1 seconds"),
        "{}",
        said(&out)
    );
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_wants_a_password_gets_none_and_we_end() {
    use std::io::{Read, Write};
    let field = Field::new();
    let door = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = door.local_addr().expect("an address");
    std::thread::spawn(move || {
        for guest in door.incoming().flatten() {
            let mut guest = guest;
            let _ = guest.read(&mut [0; 4096]);
            let _ = guest.write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    let url = format!("http://{address}/x.git");
    field.repo.git(&["remote", "set-url", "origin", &url]);
    let began = Instant::now();
    let out = field
        .repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.path())
        .args(["push", "--yes"])
        .env_remove("GIT_TERMINAL_PROMPT")
        .output()
        .expect("runs");
    assert_eq!(out.status.code(), Some(128), "{}", said(&out));
    assert!(
        said(&out).contains("terminal prompts disabled"),
        "{}",
        said(&out)
    );
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn no_password_in_an_address_is_ever_printed() {
    let field = Field::new();
    field.repo.git(&[
        "remote",
        "set-url",
        "origin",
        "https://ada:geheim@127.0.0.1:9/x.git",
    ]);
    let said = field.bad(field.repo.path(), &["fetch"], 128);
    assert!(!said.contains("geheim"), "{said}");
}

#[test]
fn every_format_of_refs_and_ids_is_shared_alike() {
    for init in ["--ref-format=reftable", "--object-format=sha256"] {
        let field = Field::with(&[init]);
        for commit in &field.chain {
            record(field.repo.path(), commit);
        }
        field.good(field.repo.path(), &["push", "--yes"]);
        let clone = field.at("clone");
        let url = field.server.to_str().expect("utf-8");
        field.good(
            field.repo.around(),
            &["clone", url, "clone", "--", init_for_clone(init)],
        );
        assert_eq!(
            field.records(&clone),
            field.records(field.repo.path()),
            "{init}"
        );
        let mine = record(&clone, &field.chain[0]);
        record(field.repo.path(), &field.chain[1]);
        field.good(field.repo.path(), &["push"]);
        field.good(&clone, &["push"]);
        let there = records_at(&field.repo, &field.server, NOTES);
        assert_eq!(there.len(), 5, "{init}");
        assert!(there.iter().any(|(_, id)| *id == mine), "{init}");
    }
}

fn init_for_clone(init: &str) -> &str {
    match init {
        "--ref-format=reftable" => init,
        _ => "--no-tags",
    }
}

#[test]
fn what_was_seen_is_not_asked_for_again() {
    let field = Field::published();
    let trace = field.at("trace");
    let out = field
        .repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.path())
        .arg("push")
        .env("GIT_TRACE", &trace)
        .output()
        .expect("runs");
    assert!(out.status.success(), "{}", said(&out));
    let trace = std::fs::read_to_string(trace).expect("a trace");
    let asked = |word: &str| {
        let built_in = format!("trace: built-in: git {word} ");
        trace.lines().filter(|l| l.contains(&built_in)).count()
    };
    assert_eq!(
        (asked("ls-remote"), asked("fetch"), asked("push")),
        (1, 0, 0),
        "{trace}"
    );
}
