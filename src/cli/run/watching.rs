//! What is seen of a run: on a terminal one line a running chain and one in all, else a line an
//! event.

use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::output::say;
use crate::harness::run::{Happens, Watch};
use crate::plan::Plan;
use crate::record::ChainPath;
use crate::report::{counted, visible};

/// Shows a run as it goes on.
pub(super) struct Watching {
    bars: Option<MultiProgress>,
    details: bool,
    seen: Mutex<Seen>,
}

struct Seen {
    began: Instant,
    lines: BTreeMap<ChainPath, ProgressBar>,
    all: Option<ProgressBar>,
    /// Checkpoints of the chains that were taken up: done, and asked for.
    done: u64,
    of: u64,
    /// Done now.
    now: u64,
    cost: f64,
    known: u64,
    unknown: u64,
}

impl Watching {
    /// Watches a run of `plan`; with `details` what is read and gated, too.
    pub(super) fn new(plan: &Plan, details: bool) -> Watching {
        let terminal = std::io::stderr().is_terminal();
        let bars = terminal
            .then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(8)));
        let per_task = |task| plan.checkpoints_of(task).len() as u64;
        let checkpoints: u64 = match plan.tasks.is_empty() {
            true => per_task(None),
            false => plan.tasks.iter().map(|t| per_task(Some(t))).sum(),
        };
        let of = checkpoints * plan.arms.len() as u64 * u64::from(plan.experiment.chains);
        Watching {
            bars,
            details,
            seen: Mutex::new(Seen {
                began: Instant::now(),
                lines: BTreeMap::new(),
                all: None,
                done: 0,
                of,
                now: 0,
                cost: 0.0,
                known: 0,
                unknown: 0,
            }),
        }
    }

    /// Asks whether to begin, where somebody sits at a terminal and the plan spends money.
    pub(super) fn agreed(&self, plan: &Plan) -> bool {
        if self.bars.is_none() || !std::io::stdin().is_terminal() {
            return true;
        }
        let chains = u64::from(plan.experiment.chains)
            * plan.arms.len() as u64
            * (plan.tasks.len() as u64).max(1);
        let mut err = std::io::stderr().lock();
        let budget = match plan.experiment.budget_usd {
            Some(budget) => format!("at most ${budget:.2}"),
            None => "without a budget".to_owned(),
        };
        let _ = write!(
            err,
            "run {} of {}, {budget}? [Y/n] ",
            counted(chains, "chain", "chains"),
            plan.experiment.name
        );
        let _ = err.flush();
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).is_err() {
            return false;
        }
        !line.is_empty() && !line.trim().to_ascii_lowercase().starts_with('n')
    }

    /// Takes the lines away.
    pub(super) fn finish(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        for bar in std::mem::take(&mut seen.lines).into_values() {
            bar.finish_and_clear();
        }
        if let Some(all) = seen.all.take() {
            all.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => {
                let shown = visible(text);
                bars.suspend(|| say(&shown));
            }
            None => say(text),
        }
    }
}

impl Watch for Watching {
    fn tell(&self, chain: Option<&ChainPath>, event: &Happens<'_>) {
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
        seen.count(event);
        let name = chain.map(ToString::to_string).unwrap_or_default();
        if let Some(bars) = &self.bars
            && let Some(chain) = chain
        {
            seen.draw(bars, chain, event);
            let quiet = matches!(
                event,
                Happens::Begins { .. } | Happens::Doing { .. } | Happens::Session { .. }
            );
            if quiet || matches!(event, Happens::Detail(_)) && !self.details {
                return;
            }
        }
        if matches!(event, Happens::Detail(_)) && !self.details {
            return;
        }
        drop(seen);
        self.line(&format!("{name}: {}", words(event)));
    }
}

/// An event in words.
fn words(event: &Happens<'_>) -> String {
    match event {
        Happens::Begins { done, of } => format!("{done} of {of} checkpoints are done"),
        Happens::Doing {
            checkpoint: 0,
            what,
            ..
        } => format!("base: {what}"),
        Happens::Doing {
            checkpoint,
            id,
            what,
        } => format!("checkpoint {checkpoint} {id}: {what}"),
        Happens::Session {
            checkpoint,
            purpose,
            outcome,
            cost_usd,
        } => {
            let cost = match cost_usd {
                Some(cost) => format!("${cost:.4}"),
                None => "cost unknown".to_owned(),
            };
            let of = match checkpoint {
                0 => "base".to_owned(),
                _ => format!("checkpoint {checkpoint}"),
            };
            format!("{of}: {purpose} session ended: {outcome}, {cost}")
        }
        Happens::Done {
            checkpoint,
            id,
            verdict,
            took,
        } => {
            let took = took.map(|t| format!(" in {}", time(t))).unwrap_or_default();
            format!("checkpoint {checkpoint} {id}: done{took}: {verdict}")
        }
        Happens::NotReached { checkpoint, id } => {
            format!("checkpoint {checkpoint} {id}: not reached: one that it requires did not pass")
        }
        Happens::Remark(text) | Happens::Detail(text) => (*text).to_owned(),
        Happens::Ends(end) => match end.why() {
            Some(why) => format!("{}: {why}", end.word()),
            None => end.word().to_owned(),
        },
    }
}

impl Seen {
    fn count(&mut self, event: &Happens<'_>) {
        match event {
            Happens::Begins { done, .. } => self.done += u64::from(*done),
            Happens::Session { cost_usd, .. } => match cost_usd {
                Some(cost) => {
                    self.cost += cost;
                    self.known += 1;
                }
                None => self.unknown += 1,
            },
            Happens::Done { .. } => {
                self.done += 1;
                self.now += 1;
            }
            _ => {}
        }
    }

    fn draw(&mut self, bars: &MultiProgress, chain: &ChainPath, event: &Happens<'_>) {
        if let Happens::Ends(_) = event {
            if let Some(line) = self.lines.remove(chain) {
                line.finish_and_clear();
                bars.remove(&line);
            }
        } else {
            let line = self.lines.entry(chain.clone()).or_insert_with(|| {
                let line = bars.insert(0, ProgressBar::new_spinner());
                if let Ok(style) = ProgressStyle::with_template("{prefix} {msg} {elapsed}") {
                    line.set_style(style);
                }
                line.set_prefix(visible(&chain.to_string()).into_owned());
                line.enable_steady_tick(Duration::from_secs(1));
                line
            });
            if let Happens::Doing { .. } = event {
                line.reset_elapsed();
                line.set_message(visible(&words(event)).into_owned());
            }
        }
        let text = self.whole();
        let all = self.all.get_or_insert_with(|| {
            let all = bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{msg} {elapsed}") {
                all.set_style(style);
            }
            all.enable_steady_tick(Duration::from_secs(1));
            all
        });
        all.set_message(text);
    }

    /// All of it in a line: what is done, what it cost, what is left by what was done now.
    fn whole(&self) -> String {
        let mut parts = vec![format!("{}/{} checkpoints", self.done, self.of)];
        let left = self.of.saturating_sub(self.done);
        parts.push(match (self.known, self.unknown) {
            (0, 0) => "no session yet".to_owned(),
            (0, _) => "cost unknown".to_owned(),
            (_, 0) => format!("${:.2}", self.cost),
            (_, n) => format!("${:.2}, {n} unknown", self.cost),
        });
        if self.now > 0 && left > 0 {
            let each = self.began.elapsed().as_secs_f64() / self.now as f64;
            let rest = Duration::from_secs_f64((each * left as f64).min(1e9));
            let money = match self.known {
                0 => "cost unknown".to_owned(),
                _ => format!("${:.2}", self.cost / self.now as f64 * left as f64),
            };
            parts.push(format!("left: about {}, {money}", time(rest)));
        }
        parts.join(" · ")
    }
}

/// A time in words.
fn time(of: Duration) -> String {
    let seconds = of.as_secs();
    match seconds {
        0 => format!("{} ms", of.as_millis()),
        1..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
