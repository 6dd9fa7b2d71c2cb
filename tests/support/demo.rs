//! The demonstration, run once for all tests that look at it and leave it alone.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use super::Repo;

/// Where it is; the lock keeps other test runs out.
static SHARED: LazyLock<(std::fs::File, PathBuf)> = LazyLock::new(|| {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = std::fs::File::create(dir.join("demo.lock")).expect("a lock file");
    lock.lock().expect("locked");
    let path = dir.join("demo");
    match std::fs::remove_dir_all(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => panic!("{e}"),
        _ => {}
    }
    let out = make(&Repo::new(), &path);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{said}");
    (lock, path)
});

/// Its work tree.
pub fn shared() -> PathBuf {
    SHARED.1.clone()
}

/// Runs `git evolve demo` for the folder `to`.
pub fn make(around: &Repo, to: &Path) -> Output {
    around
        .command(env!("CARGO_BIN_EXE_git-evolve"), around.around())
        .arg("demo")
        .arg(to)
        .output()
        .expect("it runs")
}
