//! Children of our own choosing around hooks: where they run, and how long.

use std::process::Child;
use std::time::{Duration, Instant};

use super::super::Repo;

/// How often a child is looked at while it is waited for.
const PAUSE: Duration = Duration::from_millis(5);

/// The folder git runs hooks in.
pub(super) fn home_of_hooks(repo: &Repo) -> &std::path::Path {
    repo.work_dir().unwrap_or_else(|| repo.git_dir())
}

/// Waits for `child` no longer than `bound`, then ends it. True where it ended with success.
pub(super) fn ends_well_within(mut child: Child, bound: Duration) -> bool {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begun.elapsed() < bound => std::thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
