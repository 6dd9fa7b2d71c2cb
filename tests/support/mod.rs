//! Temporary repositories made by real git, with their own home, clock and identity.

#[expect(dead_code, reason = "the unit tests use the others")]
pub mod agents;
pub mod demo;
pub mod html;
pub mod large;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository in a temporary folder that goes with the value.
pub struct Repo {
    folder: tempfile::TempDir,
    path: PathBuf,
    clock: std::sync::atomic::AtomicU64,
}

impl Repo {
    /// An empty repository with a work tree and the branch `main`.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// The same, with more words for `git init`.
    pub fn with(init: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("repo");
        let repo = Repo {
            path,
            folder,
            clock: std::sync::atomic::AtomicU64::new(1_700_000_000),
        };
        std::fs::create_dir_all(repo.home()).expect("a home");
        let mut args = vec!["init", "-q", "-b", "main"];
        args.extend(init);
        let target = repo.path.to_str().expect("utf-8 temp path").to_owned();
        args.push(&target);
        let status = repo.command("git", repo.folder.path()).args(&args).status();
        assert!(status.expect("git runs").success(), "git init");
        repo
    }

    /// The work tree.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The temporary folder around the work tree.
    pub fn around(&self) -> &Path {
        self.folder.path()
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A command in `dir` with nothing of the user's in its environment.
    pub fn command(&self, program: &str, dir: &Path) -> Command {
        let mut c = Command::new(program);
        c.current_dir(dir);
        c.env_clear();
        c.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        c.env("HOME", self.home());
        c.env("XDG_CONFIG_HOME", self.home().join("config"));
        c.env("GIT_CONFIG_NOSYSTEM", "1");
        c.env("LC_ALL", "C");
        c.env("TZ", "UTC");
        c.env("GIT_TERMINAL_PROMPT", "0");
        c.env("GIT_AUTHOR_NAME", "Ada");
        c.env("GIT_AUTHOR_EMAIL", "ada@example.invalid");
        c.env("GIT_COMMITTER_NAME", "Ada");
        c.env("GIT_COMMITTER_EMAIL", "ada@example.invalid");
        let now = format!(
            "@{} +0000",
            self.clock.load(std::sync::atomic::Ordering::Relaxed)
        );
        c.env("GIT_AUTHOR_DATE", &now);
        c.env("GIT_COMMITTER_DATE", &now);
        c
    }

    /// Runs git in the work tree, expects success, gives its standard output without the last
    /// line feed.
    pub fn git(&self, args: &[&str]) -> String {
        let out = self
            .command("git", &self.path)
            .args(args)
            .output()
            .expect("git runs");
        assert!(
            out.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8_lossy(&out.stdout)
            .trim_end_matches('\n')
            .to_owned()
    }

    /// Writes a file of the work tree, folders made as needed.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let full = self.path.join(path);
        std::fs::create_dir_all(full.parent().expect("a parent")).expect("folders");
        std::fs::write(full, content).expect("written");
    }

    /// Removes a file of the work tree.
    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path.join(path)).expect("removed");
    }

    /// Commits everything in the work tree, a minute after the commit before; gives its id.
    pub fn commit(&self, message: &str) -> String {
        self.clock
            .fetch_add(60, std::sync::atomic::Ordering::Relaxed);
        self.git(&["add", "-A"]);
        self.git(&[
            "commit",
            "-q",
            "--allow-empty",
            "--cleanup=verbatim",
            "-m",
            message,
        ]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs `git-evolve` in the work tree.
    pub fn evolve(&self, args: &[&str]) -> Output {
        self.evolve_in(&self.path, args)
    }

    /// Runs `git-evolve` in `dir`.
    pub fn evolve_in(&self, dir: &Path, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_git-evolve"), dir)
            .args(args)
            .output()
            .expect("git-evolve runs")
    }

    /// Runs `git-evolve`, expects success, gives its standard output.
    pub fn stdout(&self, args: &[&str]) -> String {
        let out = self.evolve(args);
        assert!(
            out.status.success(),
            "git-evolve {args:?}: {:?} {}",
            out.status.code(),
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).expect("UTF-8 output")
    }
}

/// Writes a file that can be run. Another process writes it: one of ours that starts meanwhile
/// in another thread would hold it open for writing, and the system runs no such file.
pub fn executable(path: &Path, content: impl AsRef<[u8]>, mode: u32) {
    use std::io::Write;
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    let mut child = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod \"$2\" \"$1\"", "sh"])
        .arg(path)
        .arg(format!("{mode:o}"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("sh runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(content.as_ref()).expect("written");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}
