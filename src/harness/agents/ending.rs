//! How a session ended: told apart by its process, its envelope, and the plan's signs.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};

use super::State;
use crate::harness::payloads::{READERS, open};
use crate::harness::process::{By, Ended};
use crate::ledger::{Content, name_of};
use crate::plan::{Agent, Limits, Signs};
use crate::record::{Readers, Reading, Status};

/// What is looked through of output and errors for signs.
const LAST: u64 = 64 << 10;
/// Longest wait that a session may ask for.
const LONGEST: f64 = 7.0 * 86_400.0;
/// Most bytes of what a session said last that go into a reason.
const REASON: usize = 200;

/// What an envelope tells of its session's end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Told {
    pub(super) status: Option<Status>,
    pub(super) cost_usd: Option<f64>,
    turns: Option<u64>,
}

impl Told {
    /// Reads envelopes together; one that is none tells nothing.
    pub(super) fn read(envelopes: &[PathBuf]) -> Told {
        let contents: Vec<_> = envelopes
            .iter()
            .map(|file| (name_of(file), Content::File(file.clone())))
            .collect();
        let opened = contents
            .iter()
            .map(|(name, content)| open(name.clone(), None, content));
        let Ok(mut opened) = opened.collect::<Result<Vec<_>, _>>() else {
            return Told::default();
        };
        match READERS.session(&mut opened) {
            Reading::Read(session) => Told {
                status: Some(session.status).filter(|s| *s != Status::Unknown),
                cost_usd: session.cost_usd,
                turns: session.num_turns,
            },
            _ => Told::default(),
        }
    }

    /// Which limits it was over, of those that only the envelope tells of.
    pub(super) fn over(&self, limits: &Limits) -> Vec<String> {
        let mut over = Vec::new();
        if let (Some(cost), Some(most)) = (self.cost_usd, limits.cost_usd)
            && cost > most
        {
            over.push("cost_usd".to_owned());
        }
        if let (Some(turns), Some(most)) = (self.turns, limits.turns)
            && turns > u64::from(most)
        {
            over.push("turns".to_owned());
        }
        over
    }
}

/// How the session ended that printed into `out` and `err`.
pub(super) fn state(agent: &Agent, ended: &Ended, told: &Told, out: &Path, err: &Path) -> State {
    if ended.by == By::Interrupt {
        return State::Interrupted;
    }
    let last = [end_of(out), end_of(err)];
    let well = ended.exit_code == Some(0)
        && told.status.is_none_or(|s| s == Status::Success)
        && ended.by == By::Itself;
    if let Some(sign) = sign(&agent.credentials_dead, ended, &last, well) {
        return State::CredentialsDead(sign);
    }
    let away = matches!(told.status, Some(Status::RateLimited | Status::Overloaded));
    if away || sign(&agent.rate_limited, ended, &last, well).is_some() {
        let after = last.iter().rev().find_map(|l| retry_after(l));
        return State::RateLimited { after };
    }
    if ended.by == By::Timeout {
        return State::TimedOut;
    }
    match told.status {
        Some(Status::MaxTurns) => return State::OverLimit("turns".to_owned()),
        Some(Status::BudgetExceeded) => return State::OverLimit("cost_usd".to_owned()),
        _ => {}
    }
    if let Some(over) = told.over(&agent.limits).into_iter().next() {
        return State::OverLimit(over);
    }
    if let Some(signal) = ended.signal {
        return State::Killed(signal);
    }
    let said = || match last_line(&last[1]).or_else(|| last_line(&last[0])) {
        Some(line) => format!(": {line}"),
        None => String::new(),
    };
    match (told.status, ended.exit_code) {
        (Some(Status::Success) | None, Some(0)) => State::Done,
        (Some(Status::Success) | None, code) => {
            let code = code.unwrap_or_default();
            State::Failed(format!("exit status {code}{}", said()))
        }
        (Some(Status::ContextLimit), _) => State::Failed("its context was full".to_owned()),
        (Some(Status::Interrupted), _) => State::Failed("it was interrupted".to_owned()),
        _ => State::Failed(format!("its envelope tells of an error{}", said())),
    }
}

/// What of `signs` is there. Patterns say nothing of a session that ended well: it may speak of
/// what they name.
fn sign(signs: &Signs, ended: &Ended, last: &[Vec<u8>], well: bool) -> Option<String> {
    if let Some(code) = ended.exit_code.filter(|c| signs.exit_codes.contains(c)) {
        return Some(format!("exit status {code}"));
    }
    if well {
        return None;
    }
    signs.patterns.iter().find_map(|pattern| {
        // The plan's reader tells of one that is none.
        let regex = RegexBuilder::new(pattern).multi_line(true).build().ok()?;
        let found = last.iter().find_map(|l| line_with(&regex, l))?;
        Some(found)
    })
}

fn line_with(regex: &Regex, text: &[u8]) -> Option<String> {
    let at = regex.find(text)?.start();
    let from = text[..at]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |i| i + 1);
    let line = text[from..].split(|b| *b == b'\n').next()?;
    Some(short(line))
}

fn last_line(text: &[u8]) -> Option<String> {
    let mut lines = text.split(|b| *b == b'\n').rev();
    let line = lines.find(|l| !l.trim_ascii().is_empty())?;
    // An envelope's line is no word for people.
    (!line.trim_ascii().starts_with(b"{")).then(|| short(line))
}

/// A line as it may stand in a reason: masked, short, without control characters.
fn short(line: &[u8]) -> String {
    let (masked, _) = crate::record::mask::Masker::here().bytes(line);
    let mut text: String = String::from_utf8_lossy(&masked)
        .trim()
        .replace(char::is_control, " ");
    if text.len() > REASON {
        let mut end = REASON;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The last of a file; empty where it cannot be read.
fn end_of(file: &Path) -> Vec<u8> {
    let read = || {
        let mut file = File::open(file)?;
        let from = file.metadata()?.len().saturating_sub(LAST);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(LAST).read_to_end(&mut bytes)?;
        std::io::Result::Ok(bytes)
    };
    read().unwrap_or_default()
}

/// How long the last `retry after` in `text` asks to wait.
fn retry_after(text: &[u8]) -> Option<Duration> {
    static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?i)retry[-_ ]?after["']?\s*[:=]?\s*["']?(\d{1,12}(?:\.\d+)?)\s*(ms|milliseconds?|m(?:in(?:ute)?s?)?\b|h(?:ours?)?\b)?"#,
        )
        .ok()
    });
    let found = SAID.as_ref()?.captures_iter(text).last()?;
    let number: f64 = std::str::from_utf8(&found[1]).ok()?.parse().ok()?;
    let unit = found.get(2).map(|u| u.as_bytes().to_ascii_lowercase());
    let seconds = match unit.as_deref() {
        Some(u) if u.starts_with(b"ms") || u.starts_with(b"mil") => number / 1_000.0,
        Some(u) if u.starts_with(b"m") => number * 60.0,
        Some(_) => number * 3_600.0,
        None => number,
    };
    (seconds <= LONGEST).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_in_its_unit() {
        let after = |t: &str| retry_after(t.as_bytes());
        let seconds = |n| Some(Duration::from_secs_f64(n));
        assert_eq!(after("HTTP 429\nretry-after: 30\n"), seconds(30.0));
        assert_eq!(after("\"retry_after\": 1.5}"), seconds(1.5));
        assert_eq!(after("Retry after 5 minutes"), seconds(300.0));
        assert_eq!(after("retry-after: 250ms"), seconds(0.25));
        assert_eq!(after("retry after 2 h; retry-after=7"), seconds(7.0));
        assert_eq!(after("retry-after: 99999999999"), None);
        assert_eq!(after("try again later"), None);
    }
}
