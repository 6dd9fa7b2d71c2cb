//! Many writers at once, and writers that are killed: nothing recorded is lost, nothing is
//! there twice, and the command that was cut short repeats with success.
//!
//! How many kills: `EVOLVE_KILLS`, a dozen a command where it is not set.

mod at_once;
mod kills;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::Repo;

/// How many kills a command gets.
fn kills() -> usize {
    let asked = std::env::var("EVOLVE_KILLS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Runs a command of ours in `dir` and expects success.
fn evolve(repo: &Repo, dir: &Path, args: &[&str]) -> Output {
    let out = repo.evolve_in(dir, args);
    assert!(
        out.status.success(),
        "git-evolve {args:?}: {:?}\n{}",
        out.status.code(),
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

/// Runs git in `dir`, expects success, gives its standard output.
fn git(repo: &Repo, dir: &Path, args: &[&str]) -> String {
    let out = repo.command("git", dir).args(args).output();
    let out = out.expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Every line of every note of `kind` under `notes` (a ref prefix), with how often it stands
/// there.
fn lines(repo: &Repo, dir: &Path, notes: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let known = repo
        .command("git", dir)
        .args(["rev-parse", "-q", "--verify", notes])
        .output();
    if !known.expect("git runs").status.success() {
        return found;
    }
    let listed = git(repo, dir, &["ls-tree", "-r", notes]);
    for entry in listed.lines() {
        let blob = entry.split_whitespace().nth(2).expect("an object");
        for line in git(repo, dir, &["cat-file", "blob", blob]).lines() {
            *found.entry(line.to_owned()).or_default() += 1;
        }
    }
    found
}

/// The ids of the records in `notes`, each of which must stand there once.
fn ids(repo: &Repo, dir: &Path, notes: &str) -> Vec<String> {
    let mut ids: Vec<String> = lines(repo, dir, notes)
        .into_iter()
        .map(|(line, count)| {
            assert_eq!(count, 1, "{line}");
            let record: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            record["id"].as_str().expect("an id").to_owned()
        })
        .collect();
    ids.sort();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id stands on two lines");
    ids
}

/// A process that is killed after `delay`, alone or with the processes it started; false where
/// it was done before.
fn killed_after(mut command: Command, delay: Duration, with_children: bool) -> bool {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("git-evolve starts");
    std::thread::sleep(delay);
    let id = child.id();
    let target = if with_children {
        format!("-{id}")
    } else {
        id.to_string()
    };
    // The child is not waited for yet, so that its id is still its own.
    let _ = Command::new("kill")
        .args(["-9", "--", &target])
        .stderr(Stdio::null())
        .status();
    let status = child.wait().expect("it ends");
    // What it started goes on by itself to its end; a look at the repository meanwhile would see
    // a fetch half done, as `git fsck` beside any fetch does.
    let group = format!("-{id}");
    let goes_on = || {
        let alive = Command::new("kill")
            .args(["-0", "--", &group])
            .stderr(Stdio::null())
            .status();
        alive.is_ok_and(|s| s.success())
    };
    let until = Instant::now() + Duration::from_secs(30);
    while goes_on() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    status.signal() == Some(9)
}

/// What must hold after a kill, and after every command.
fn is_sound(repo: &Repo, dir: &Path) {
    let out = repo
        .command("git", dir)
        .args(["fsck", "--no-dangling", "--strict"])
        .output();
    let out = out.expect("git runs");
    assert!(
        out.status.success() && out.stdout.is_empty(),
        "fsck in {}: {:?}\n{}{}",
        dir.display(),
        out.status,
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    let out = repo.evolve_in(dir, &["verify"]);
    assert!(
        out.status.success(),
        "verify in {}: {:?}\n{}{}",
        dir.display(),
        out.status.code(),
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
}

/// How long `work` takes.
fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Numbers that look random and are the same every time for one seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    /// A moment within a command that takes about `whole`.
    fn moment(&mut self, whole: Duration) -> Duration {
        let micros = u64::try_from(whole.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(micros * 9 / 10))
    }
}

/// A repository with one commit.
fn project() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.py", "def a():\n    return 1\n");
    repo.commit("start");
    repo
}

/// A file for `--envelope`, new each time.
fn envelope(repo: &Repo, name: &str) -> PathBuf {
    let path = repo.around().join(format!("{name}.json"));
    std::fs::write(&path, format!("{{\"session\":\"{name}\"}}\n")).expect("written");
    path
}
