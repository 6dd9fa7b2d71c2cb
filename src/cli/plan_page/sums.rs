//! How many sessions a plan is, how long they may take, what they can cost.

use std::time::Duration;

use super::chosen::Chosen;
use crate::plan::Plan;
use crate::report::counted;

/// Sums over the chains that were asked for, of what is not done yet.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// Checkpoints, done ones too.
    pub(super) checkpoints: u64,
    pub(super) done: u64,
    /// Sessions where each checkpoint is done at once and nothing asks for a further turn.
    pub(super) least: u64,
    /// Sessions at most; waits for a rate limit are not among them.
    pub(super) most: u64,
    /// What they can cost; `None`: an agent has no limit.
    pub(super) cost_usd: Option<f64>,
    time: Duration,
}

/// The sums of `chosen`.
pub(super) fn of(plan: &Plan, chosen: &Chosen<'_>) -> Sums {
    let mut sums = Sums {
        cost_usd: Some(0.0),
        ..Sums::default()
    };
    for chain in &chosen.chains {
        let working = chain.arm.on(chain.task.map(|t| t.name.as_str()));
        let limits = &working.agent.limits;
        let all = chain.checkpoints.len() as u64;
        let done = u64::from(chain.done);
        let left = all - done;
        sums.checkpoints += all;
        sums.done += done;
        let reviews = plan.review.as_ref().map_or(0, |r| u64::from(r.cycles));
        let applied = plan.review.as_ref().is_some_and(|r| r.apply.is_some());
        let turns = working.refactor.map_or(0, |r| u64::from(r.turns));
        let further = turns + reviews * (1 + u64::from(applied));
        let attempts = u64::from(limits.attempts);
        let most = left * attempts * (1 + further);
        sums.least += left * (1 + u64::from(plan.review.is_some()));
        sums.most += most;
        sums.add(most, limits.time, limits.cost_usd);
        if let Some(probe) = &plan.probe {
            let every = u64::from(probe.every);
            let probes = all / every - done / every;
            sums.least += probes;
            sums.most += probes;
            sums.add(probes, probe.time, limits.cost_usd);
        }
        if let Some(noop) = &plan.noop
            && chain.path.chain == 1
            && !chain.begun
            && chosen.tasks.first().map(|t| t.map(|t| &t.name)) == Some(chain.task.map(|t| &t.name))
        {
            let sessions = u64::from(noop.sessions);
            sums.least += sessions;
            sums.most += sessions;
            sums.add(sessions, noop.time, limits.cost_usd);
        }
    }
    sums
}

impl Sums {
    fn add(&mut self, sessions: u64, time: Duration, cost_usd: Option<f64>) {
        // Numbers of sessions are far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let n = sessions as f64;
        if sessions > 0 {
            self.cost_usd = self
                .cost_usd
                .zip(cost_usd)
                .map(|(sum, each)| sum + n * each);
            let each = time.as_secs_f64() * n;
            let each = Duration::try_from_secs_f64(each).unwrap_or(Duration::MAX);
            self.time = self.time.saturating_add(each);
        }
    }

    /// Hours at most, one session after the other.
    pub(super) fn hours(&self) -> f64 {
        (self.time.as_secs_f64() / 360.0).round() / 10.0
    }

    /// The same in words.
    pub(super) fn words(&self, budget: Option<f64>) -> Vec<String> {
        let mut words = vec![format!(
            "{} of {} done; {} at least, {} at most",
            self.done,
            counted(self.checkpoints, "checkpoint", "checkpoints"),
            counted(self.least, "session", "sessions"),
            counted(self.most, "session", "sessions"),
        )];
        let mut bound = format!("{} hours at most, one after the other", self.hours());
        match self.cost_usd {
            Some(cost) => bound.push_str(&format!("; ${cost:.2} at most by their limits")),
            None => bound.push_str("; no limit of cost: limits.cost_usd in [agent] sets one"),
        }
        if let Some(budget) = budget {
            bound.push_str(&format!(
                "; no session is begun once ${budget:.2} are spent"
            ));
        }
        words.push(bound);
        words
    }
}
