//! What push, fetch and clone have in common: how git may ask, and how counts are said.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};

use super::output::say;
use crate::error::Result;
use crate::ledger::NotesRef;
use crate::repo::{Direction, Manner, Remote, Repo};

/// How git may behave: somebody at a terminal may be asked and sees progress.
pub(super) fn manner() -> Manner<'static> {
    let err = std::io::stderr().is_terminal();
    Manner {
        interactive: err && std::io::stdin().is_terminal(),
        progress: if err { Some(&progress) } else { None },
        ..Manner::default()
    }
}

/// The same, bounded by the user's `evolve.networkTimeout`.
///
/// # Errors
/// Usage where that is no number of seconds.
pub(super) fn manner_of(repo: &Repo) -> Result<Manner<'static>> {
    let mut manner = manner();
    if let Some(limit) = repo.seconds_setting("evolve.networkTimeout")? {
        manner.limit = limit;
    }
    Ok(manner)
}

/// Git's progress goes on as it is, but for what would steer the terminal.
fn progress(line: &str) {
    let plain = |c: char| !c.is_control() || matches!(c, '\r' | '\n');
    let line: String = line.chars().filter(|c| plain(*c)).collect();
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(line.as_bytes()).and_then(|()| err.flush());
}

/// Says where a remote's records come from, where they go somewhere else.
pub(super) fn say_places(remote: &Remote, direction: Direction) {
    let others: Vec<String> = remote
        .other_push_urls()
        .map(|u| Remote::at(u).shown())
        .collect();
    if !others.is_empty() {
        let others = others.join(", ");
        let from = Remote::at(&remote.url).shown();
        say(&match direction {
            Direction::Fetch => {
                format!(
                    "fetching from {from}; {} is pushed to {others}",
                    remote.name
                )
            }
            Direction::Push => {
                format!(
                    "pushing to {others}; {} is fetched from {from}",
                    remote.name
                )
            }
        });
    }
}

/// `3 records (checkpoint 2, tests 1)`, configurations apart.
pub(super) fn counted(counts: &BTreeMap<NotesRef, u64>) -> String {
    let records = |n: &NotesRef| *n != NotesRef::Config;
    let all: u64 = counts
        .iter()
        .filter(|(n, _)| records(n))
        .map(|(_, c)| c)
        .sum();
    let kinds: Vec<String> = counts
        .iter()
        .filter(|(n, c)| records(n) && **c > 0)
        .map(|(n, c)| format!("{} {c}", n.word()))
        .collect();
    let mut text = plural(all, "record");
    if !kinds.is_empty() {
        text = format!("{text} ({})", kinds.join(", "));
    }
    match counts.get(&NotesRef::Config) {
        Some(n) if *n > 0 => format!("{text} and {}", plural(*n, "configuration")),
        _ => text,
    }
}

/// `1 record`, `2 records`.
pub(super) fn plural(n: u64, word: &str) -> String {
    match n {
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    }
}

/// Bytes for people.
pub(super) fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    for (unit, size) in UNITS {
        if n >= size {
            let tenths = n / (size / 10);
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
    }
    plural(n, "byte")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Kind;

    #[test]
    fn counts_are_said_by_kind_and_configurations_apart() {
        let counts = BTreeMap::from([
            (NotesRef::Records(Kind::Checkpoint), 2),
            (NotesRef::Records(Kind::Tests), 1),
            (NotesRef::Config, 1),
        ]);
        assert_eq!(
            counted(&counts),
            "3 records (checkpoint 2, tests 1) and 1 configuration"
        );
        assert_eq!(counted(&BTreeMap::new()), "0 records");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(50 << 20), "50.0 MiB");
    }
}
