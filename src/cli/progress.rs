//! A bar on standard error, on a terminal only, and only for what takes longer than a second.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::history::Progress;

/// Nothing is drawn before this.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar; its clock starts when it is made.
pub(super) struct Bar {
    wanted: bool,
    started: Instant,
    done: AtomicU64,
    stage: Mutex<Stage>,
}

#[derive(Default)]
struct Stage {
    name: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar that is drawn where standard error is a terminal.
    pub(super) fn new() -> Bar {
        Bar {
            wanted: std::io::stderr().is_terminal(),
            started: Instant::now(),
            done: AtomicU64::new(0),
            stage: Mutex::default(),
        }
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &'static str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        if let Ok(mut at) = self.stage.lock() {
            *at = Stage {
                name: stage,
                total,
                bar: None,
            };
        }
    }

    fn advance(&self, n: u64) {
        let done = self.done.fetch_add(n, Ordering::Relaxed) + n;
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        // Who does not get the lock at once leaves the drawing to who has it.
        if let Ok(mut at) = self.stage.try_lock() {
            let (name, total) = (at.name, at.total);
            let bar = at.bar.get_or_insert_with(|| drawn(name, total));
            bar.set_position(done);
        }
    }

    fn end(&self) {
        if let Ok(mut at) = self.stage.lock()
            && let Some(bar) = at.bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn drawn(stage: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    bar.set_message(stage);
    bar
}
