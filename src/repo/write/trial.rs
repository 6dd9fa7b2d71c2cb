//! What the tests of writing share: a fresh repository, and git to look at it.

use super::{RefMove, Stamp, Writer};
use crate::repo::{Oid, Person};

pub(in crate::repo) fn writer() -> (tempfile::TempDir, Writer) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let writer = Writer::create(folder.path()).expect("created");
    (folder, writer)
}

pub(in crate::repo) fn git(writer: &Writer, args: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let out = command
        .args(args)
        .current_dir(writer.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git runs");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "git {args:?}: {said}");
    String::from_utf8(out.stdout).expect("UTF-8")
}

pub(in crate::repo) fn stamp(seconds: i64) -> Stamp {
    Stamp {
        person: Person {
            name: "Ada".to_owned(),
            email: "ada@example.invalid".to_owned(),
        },
        seconds,
    }
}

pub(super) fn to(name: &str, old: Option<Oid>, new: Oid) -> RefMove {
    RefMove {
        name: name.to_owned(),
        old,
        new: Some(new),
    }
}
