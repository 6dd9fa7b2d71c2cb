//! Each figure from what the records say of a checkpoint.

use std::collections::{BTreeMap, BTreeSet};

use super::{Control, Count, Said, purpose};
use crate::record::{
    Contained, Envelope, Gated, How, Launch, Paths, Purpose, Record, Restored, SetupRun,
};

/// Most things that a figure names.
const NAMED: usize = 100;

const BY_HAND: &str = "recorded by hand, or by an earlier version: no record tells";
const NO_SESSION: &str = "no session recorded";
const NO_GATE: &str = "no gate recorded";
const NOT_WATCHED: &str = "not every session was started by a run: nobody watched its processes";

/// All figures that a checkpoint can have.
pub(super) fn figures(number: u32, said: &Said<'_>) -> BTreeMap<Control, Count> {
    let mut all = BTreeMap::new();
    if number > 0 {
        restored(said, &mut all);
        contained(said, &mut all);
        all.insert(Control::HistoryRewritten, rewritten(said));
    }
    // At the base there may be no gate and no session, and no attempt is made there.
    if number > 0 || !said.gates.is_empty() {
        gates(said, &mut all);
    }
    if number > 0 || !said.sessions.is_empty() {
        sessions(said, &mut all);
    }
    if number == 0 {
        for control in [
            Control::FailedAttempts,
            Control::Interrupted,
            Control::RateLimited,
        ] {
            all.remove(&control);
        }
    }
    all.insert(Control::FailedSetups, setups(said));
    all.insert(Control::ContentsChanged, contents(said));
    all
}

fn unknown(why: &str) -> Count {
    Count::Unknown(why.to_owned())
}

/// So many things, the first of which are named.
fn known(things: impl IntoIterator<Item = String>) -> Count {
    let mut count = 0;
    let mut named = Vec::new();
    for thing in things {
        count += 1;
        if named.len() < NAMED {
            named.push(thing);
        }
    }
    Count::Known(count, named)
}

fn restored(said: &Said<'_>, all: &mut BTreeMap<Control, Count>) {
    let rules = [
        (Control::PinnedRestored, "pinned"),
        (Control::TestsRestored, "tests"),
        (Control::HiddenRemoved, "hidden"),
    ];
    let Some(reset) = said.reset else {
        for (control, _) in rules {
            all.insert(control, unknown("no reset recorded"));
        }
        return;
    };
    for (control, rule) in rules {
        let count = match &reset.restored {
            None => known([]),
            Some(restored) => by_rule(restored, rule),
        };
        all.insert(control, count);
    }
}

fn by_rule(restored: &Restored, rule: &str) -> Count {
    if restored.path_count > restored.paths.len() as u64 {
        return Count::Unknown(format!(
            "the record lists {} of {} paths",
            restored.paths.len(),
            restored.path_count
        ));
    }
    let ours = restored.by == "controls";
    if ours && restored.paths.iter().any(|p| p.rule.is_none()) {
        return unknown("which of the controls put paths back is not recorded");
    }
    let of_it = restored
        .paths
        .iter()
        .filter(|p| p.rule.as_deref() == Some(rule));
    known(of_it.map(|p| {
        let how = match p.how {
            How::Restored => "changed",
            How::Returned => "deleted",
            How::Removed => "added",
        };
        format!("{} ({how})", p.path.path)
    }))
}

fn gates(said: &Said<'_>, all: &mut BTreeMap<Control, Count>) {
    let kinds = [
        (Control::TamperedTests, "tests"),
        (Control::TamperedPinned, "pinned"),
        (Control::TamperedHidden, "hidden"),
        (Control::RunnerChanged, "runner"),
        (Control::VisibleTestsGone, "tests-gone"),
    ];
    let gated: Vec<&Gated> = said
        .gates
        .iter()
        .filter_map(|(_, g)| g.gated.as_ref())
        .collect();
    let why = match (said.gates.len(), gated.len()) {
        (0, _) => Some(NO_GATE),
        (all, ours) if ours < all => Some("not every gate was run by this program"),
        _ => None,
    };
    if let Some(why) = why {
        let of_gates = [Control::NotPutBack, Control::GatesAgain];
        for control in kinds.iter().map(|(c, _)| *c).chain(of_gates) {
            all.insert(control, unknown(why));
        }
        return;
    }
    // Several suites and tries of one tree find the same: each path once.
    let mut found = BTreeMap::<(&str, &str, &str), bool>::new();
    for tampered in gated.iter().flat_map(|g| &g.tampered) {
        let key = (
            tampered.what.as_str(),
            tampered.path.path.as_str(),
            tampered.how.as_str(),
        );
        let back = found.entry(key).or_insert(true);
        *back &= tampered.put_back;
    }
    let named = |what: &str, path: &str, how: &str, back: bool| match (what, back) {
        ("tests-gone", _) => path.to_owned(),
        (_, true) => format!("{path} ({how}, put back)"),
        (_, false) => format!("{path} ({how}, not put back)"),
    };
    for (control, kind) in kinds {
        let of_it = found.iter().filter(|((what, ..), _)| *what == kind);
        let of_it = of_it.map(|((what, path, how), back)| named(what, path, how, *back));
        all.insert(control, known(of_it));
    }
    let left = found
        .iter()
        .filter(|((what, ..), back)| *what != "tests-gone" && !**back)
        .map(|((what, path, how), _)| format!("{path} ({what} {how})"));
    all.insert(Control::NotPutBack, known(left));
    let again = gated.iter().filter(|g| g.attempt.is_some_and(|n| n > 1));
    let again = again.map(|g| format!("try {}", g.attempt.unwrap_or_default()));
    all.insert(Control::GatesAgain, known(again));
}

/// One list of what was contained.
type Of = fn(&Contained) -> &Paths;

/// What of each session's tree was not taken as it was: of the attempt that made the commit and
/// of those that made none.
fn contained(said: &Said<'_>, all: &mut BTreeMap<Control, Count>) {
    let surroundings = [
        (Control::GitConfig, "config"),
        (Control::GitHooks, "hooks"),
        (Control::GitAttributes, "attributes"),
        (Control::GitExclude, "exclude"),
        (Control::GitRefs, "refs"),
        (Control::GitObjects, "objects"),
        (Control::HostileSubmodule, "hostile-submodule"),
    ];
    let attempts = said
        .sessions
        .iter()
        .filter_map(|(_, s)| s.contained.as_ref());
    let made = said.agent.and_then(|a| a.contained.as_ref());
    let found: Vec<&Contained> = made.into_iter().chain(attempts).collect();
    if !said.is_of_a_run() {
        by_hand(said, all);
        return;
    }
    for (control, word) in surroundings {
        let changed = found
            .iter()
            .filter(|c| c.git_changed.iter().any(|w| w == word));
        all.insert(control, known(changed.map(|_| word.to_owned())));
    }
    let stubs = found.iter().flat_map(|c| &c.stubs);
    let stubs = stubs.map(|s| format!("{} ({} bytes)", s.path.path, s.size));
    all.insert(Control::Stubs, known(stubs));
    let lists: [(Control, Of); 4] = [
        (Control::LinksOut, |c| &c.links_out),
        (Control::Special, |c| &c.special),
        (Control::Nested, |c| &c.git_folders),
        (Control::TooMany, |c| &c.too_many),
    ];
    for (control, of) in lists {
        all.insert(control, paths(found.iter().map(|c| of(c))));
    }
}

/// What of these is known of work that was recorded by hand.
fn by_hand(said: &Said<'_>, all: &mut BTreeMap<Control, Count>) {
    for control in [
        Control::GitAttributes,
        Control::GitExclude,
        Control::GitRefs,
        Control::GitObjects,
        Control::HostileSubmodule,
        Control::Stubs,
        Control::LinksOut,
        Control::Special,
        Control::TooMany,
    ] {
        all.insert(control, unknown(BY_HAND));
    }
    let work = said.agent.and_then(|a| a.work.as_ref());
    let surroundings = [(Control::GitConfig, "config"), (Control::GitHooks, "hooks")];
    for (control, word) in surroundings {
        let count = work.map(|w| {
            let changed = w.surroundings_changed.iter().filter(|c| *c == word);
            known(changed.cloned())
        });
        all.insert(control, count.unwrap_or_else(|| unknown(BY_HAND)));
    }
    let nested = work.map(|w| paths([&w.nested]));
    all.insert(Control::Nested, nested.unwrap_or_else(|| unknown(BY_HAND)));
}

fn paths<'p>(all: impl IntoIterator<Item = &'p Paths>) -> Count {
    let (mut count, mut named) = (0_u64, Vec::new());
    for paths in all {
        count = count.saturating_add(paths.count);
        let left = NAMED.saturating_sub(named.len());
        named.extend(paths.first.iter().take(left).map(|p| p.path.clone()));
    }
    Count::Known(count, named)
}

fn rewritten(said: &Said<'_>) -> Count {
    let attempts = said.sessions.iter().filter_map(|(_, s)| s.work.as_ref());
    let made = said.agent.and_then(|a| a.work.as_ref());
    if made.is_none() && !said.is_of_a_run() {
        return unknown(BY_HAND);
    }
    let all = made.into_iter().chain(attempts);
    known(
        all.filter(|w| w.history_rewritten)
            .map(|_| "history".to_owned()),
    )
}

/// What sessions themselves tell.
fn sessions(said: &Said<'_>, all: &mut BTreeMap<Control, Count>) {
    let of_a_run = said.is_of_a_run();
    let empty = said.sessions.is_empty();
    // Of an attempt that a kill cut off there is no more than that.
    let cut_off = |s: &Envelope| s.outcome.as_deref() == Some("interrupted");
    let watched: Vec<(&Envelope, Option<&Launch>)> = said
        .sessions
        .iter()
        .map(|(_, s)| (*s, s.launch.as_ref()))
        .filter(|(s, launch)| launch.is_some() || !cut_off(s))
        .collect();
    let why = if empty && !of_a_run {
        Some(NO_SESSION)
    } else if watched.iter().any(|(_, launch)| launch.is_none()) {
        Some(NOT_WATCHED)
    } else {
        None
    };
    let launches = || watched.iter().filter_map(|(s, l)| l.map(|l| (*s, l)));
    let mut put = |control, count: Count| {
        let count = why.map_or(count, unknown);
        all.insert(control, count);
    };
    let left = launches().filter(|(_, l)| l.left_running > 0);
    let sum = left
        .clone()
        .fold(0_u64, |n, (_, l)| n.saturating_add(l.left_running));
    let named = left.map(|(s, l)| format!("{} by {}", l.left_running, purpose(s.purpose)));
    put(Control::LeftRunning, Count::Known(sum, named.collect()));
    let dropped = launches().filter(|(_, l)| l.output_dropped > 0);
    let sum = dropped
        .clone()
        .fold(0_u64, |n, (_, l)| n.saturating_add(l.output_dropped));
    let named =
        dropped.map(|(s, l)| format!("{} bytes of {}", l.output_dropped, purpose(s.purpose)));
    put(Control::OutputDropped, Count::Known(sum, named.collect()));
    let timed_out = launches().filter(|(_, l)| l.ended_by == "timeout");
    put(
        Control::Timeouts,
        known(timed_out.map(|(s, _)| purpose(s.purpose).to_owned())),
    );
    let over = launches().filter(|(_, l)| l.over.iter().any(|o| o != "time"));
    let over = over.map(|(s, l)| format!("{} of {}", l.over.join(", "), purpose(s.purpose)));
    put(Control::OverLimit, known(over));
    let wrote = launches().filter_map(|(s, l)| {
        let read_only = matches!(s.purpose, Purpose::Review | Purpose::Probe);
        l.wrote
            .as_ref()
            .filter(|w| read_only && w.count > 0)
            .map(|w| (s, w))
    });
    let wrote = wrote.map(|(s, w)| {
        let first = w.first.first().map_or("", |p| p.path.as_str());
        format!("{}: {} paths, {first}", purpose(s.purpose), w.count)
    });
    put(Control::ReadOnlyWrote, known(wrote));

    let outcomes = |word: &'static str| {
        let of = said
            .sessions
            .iter()
            .filter(move |(_, s)| s.outcome.as_deref() == Some(word));
        of.map(|(r, _)| called(r)).collect::<BTreeSet<String>>()
    };
    let resumed = said.sessions.iter().filter_map(|(_, s)| s.resumes.clone());
    let resumed = known(resumed.map(|id| format!("goes on with {id}")));
    let none = matches!(resumed, Count::Known(0, _));
    let attempts = [
        (Control::FailedAttempts, failed(said)),
        (Control::Interrupted, known(outcomes("interrupted"))),
        (Control::RateLimited, known(outcomes("rate_limited"))),
    ];
    for (control, count) in attempts {
        let count = if of_a_run { count } else { unknown(BY_HAND) };
        all.insert(control, count);
    }
    let resumed = if none && !of_a_run {
        unknown(if empty { NO_SESSION } else { BY_HAND })
    } else {
        resumed
    };
    all.insert(Control::Resumed, resumed);
}

/// Attempts of which no agent commit came, for other reasons than a stop or a rate limit.
fn failed(said: &Said<'_>) -> Count {
    let made: BTreeSet<_> = said
        .sessions
        .iter()
        .filter(|(r, _)| r.head.for_checkpoint.is_none())
        .filter_map(|(r, _)| r.head.attempt.as_ref())
        .collect();
    let failed = said
        .sessions
        .iter()
        .filter(|(r, s)| {
            let elsewhere = matches!(
                s.outcome.as_deref(),
                Some("interrupted" | "rate_limited" | "setup_failed")
            );
            let other = r.head.attempt.as_ref().is_none_or(|a| !made.contains(a));
            s.purpose == Purpose::Implement
                && r.head.for_checkpoint.is_some()
                && other
                && !elsewhere
        })
        .map(|(r, s)| match &s.outcome {
            Some(outcome) if outcome == "success" => format!("{} (not taken)", called(r)),
            Some(outcome) => format!("{} ({outcome})", called(r)),
            None => called(r),
        });
    known(failed.collect::<BTreeSet<String>>())
}

/// What an attempt is called: its id, shortened to where ids of one run differ.
fn called(record: &Record) -> String {
    let attempt = record.head.attempt.as_ref().unwrap_or(&record.head.id);
    format!("attempt {attempt}")
}

fn setups(said: &Said<'_>) -> Count {
    let checkpoints = [said.begin, said.agent].into_iter().flatten();
    let all: Vec<&SetupRun> = checkpoints
        .flat_map(|c| &c.setups)
        .chain(said.sessions.iter().flat_map(|(_, s)| &s.setups))
        .chain(
            said.gates
                .iter()
                .filter_map(|(_, g)| g.gated.as_ref())
                .flat_map(|g| &g.setups),
        )
        .collect();
    if all.is_empty() && !said.is_of_a_run() {
        return unknown(BY_HAND);
    }
    let failed = all.into_iter().filter(|s| s.outcome != "ok");
    known(failed.map(|s| format!("{} ({}, {})", s.command.join(" "), s.place, s.outcome)))
}

fn contents(said: &Said<'_>) -> Count {
    let told = [said.begin, said.agent].into_iter().flatten();
    let told = told.map(|c| c.contents.len()).sum::<usize>() > 0;
    let gates = said.gates.iter().filter_map(|(_, g)| g.gated.as_ref());
    let laid = gates.map(|g| g.contents.len()).sum::<usize>() > 0;
    if !told && !laid {
        return unknown("what it was made with is not recorded");
    }
    known(said.changed.iter().cloned())
}
