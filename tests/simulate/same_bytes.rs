//! The same experiment gives the same bytes: with any number of threads, from any kind of clone,
//! in any environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Repo;
use crate::support::large::{Size, make};

/// What is asked of each.
const ASKED: [&[&str]; 5] = [
    &["slope", "--metrics", "all", "--format", "json"],
    &["log", "--arm", "grown", "--format", "jsonl"],
    &["compare", "--metrics", "all", "--format", "json"],
    &["report"],
    &["report", "--format", "md"],
];

fn small(hash: &'static str) -> Size {
    Size {
        chains: 2,
        checkpoints: 5,
        tests: 20,
        files: 4,
        calls: 4,
        hash,
        ..Size::default()
    }
}

fn made(around: &Repo, hash: &'static str) -> PathBuf {
    let dir = around.around().join(hash);
    make(&dir, &small(hash));
    dir
}

/// What is printed in `dir`, by what was asked.
fn printed(around: &Repo, dir: &Path, more: &[&str], set: impl Fn(&mut Command)) -> Vec<Vec<u8>> {
    let one = |args: &&[&str]| {
        let mut command = around.command(env!("CARGO_BIN_EXE_git-evolve"), dir);
        set(&mut command);
        let out = command.args(more).args(*args).output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{args:?}: {said}");
        assert!(out.stdout.len() > 200, "{args:?}");
        out.stdout
    };
    ASKED.iter().map(one).collect()
}

#[track_caller]
fn same(one: &[Vec<u8>], other: &[Vec<u8>], what: &str) {
    for ((one, other), asked) in one.iter().zip(other).zip(ASKED) {
        let differs = one.split(|b| *b == b'\n').zip(other.split(|b| *b == b'\n'));
        let first = differs.enumerate().find(|(_, (a, b))| a != b);
        let first = first.map(|(n, (a, b))| {
            let cut = |line: &[u8]| String::from_utf8_lossy(line).chars().take(300).collect();
            let (a, b): (String, String) = (cut(a), cut(b));
            format!("line {}: {a}\nnot {b}", n + 1)
        });
        assert!(one == other, "{asked:?}, {what}: {first:?}");
    }
}

#[test]
fn any_number_of_threads_prints_the_same() {
    for hash in ["sha1", "sha256"] {
        let around = Repo::new();
        let dir = made(&around, hash);
        let one = printed(&around, &dir, &["--threads", "1"], |_| {});
        let three = printed(&around, &dir, &["--threads", "3"], |_| {});
        same(&one, &three, hash);
    }
}

#[test]
fn any_clone_prints_the_same() {
    let around = Repo::new();
    let dir = made(&around, "sha1");
    let there = printed(&around, &dir, &[], |_| {});
    let from = dir.to_str().expect("UTF-8");
    let kinds: [(&str, &[&str]); 4] = [
        ("plain", &["--no-local"]),
        ("bare", &["--bare", "--no-local"]),
        ("mirror", &["--mirror"]),
        ("shared", &["--shared"]),
    ];
    for (kind, args) in kinds {
        let to = around.around().join(kind);
        let to = to.to_str().expect("UTF-8");
        around.git(&[&["clone", "-q"], args, &[from, to]].concat());
        same(&there, &printed(&around, Path::new(to), &[], |_| {}), kind);
    }
}

#[test]
fn any_environment_prints_the_same() {
    let around = Repo::new();
    let dir = made(&around, "sha1");
    let plain = printed(&around, &dir, &[], |_| {});
    let home = around.around().join("other home");
    std::fs::create_dir_all(&home).expect("a folder");
    let config = "[core]\n\tquotePath = false\n\tabbrev = 20\n\tautocrlf = true\n[diff]\n\
                  \talgorithm = histogram\n\trenames = copies\n\tcontext = 9\n\tnoprefix = true\n\
                  [log]\n\tdate = relative\n\tmailmap = false\n[i18n]\n\
                  \tlogOutputEncoding = latin1\n[color]\n\tui = always\n[user]\n\tname = Bob\n";
    std::fs::write(home.join(".gitconfig"), config).expect("written");
    let elsewhere = printed(&around, &dir, &[], |c| {
        c.env("HOME", &home).env("XDG_CONFIG_HOME", &home);
        c.env("LC_ALL", "tr_TR.UTF-8").env("LANG", "tr_TR.UTF-8");
        c.env("TZ", "Pacific/Kiritimati").env("COLUMNS", "43");
        c.env("GIT_DIFF_OPTS", "-u0").env("SOURCE_DATE_EPOCH", "1");
    });
    same(&plain, &elsewhere, "another home, locale and zone");
}
