//! What a replay is told to do beside its recording: fail, be turned away, take its time.

use crate::error::{Error, Result};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Says that it failed; nothing is changed.
    Fail,
    /// The first half of the recording, then it says that it failed.
    Half,
    /// Says that it is turned away for a time, in seconds where it says how long.
    RateLimit(Option<u64>),
    /// Says that nobody is logged in.
    NoCredentials,
    /// Says that its turns are used up, after the first half of the recording.
    OverTurns,
    /// Ends well and changes nothing.
    Nothing,
    /// Never ends.
    Hang,
    /// Takes so many milliseconds.
    Wait(u64),
    /// Fails until this try.
    Needs(u32),
}

/// Something that happens, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    doing: Doing,
    /// A checkpoint's number or id; `None`: everywhere.
    checkpoint: Option<String>,
    /// The try; `None`: each.
    attempt: Option<u32>,
}

impl Behaviour {
    /// Reads `WHAT[=N][@CHECKPOINT[.TRY]]`.
    ///
    /// # Errors
    /// Usage where it is out of form.
    pub fn parse(text: &str) -> Result<Behaviour> {
        let wrong = || {
            Error::usage(format!("--do {text}: no such thing")).with_hint(
                "fail, half, rate-limit[=SECONDS], no-credentials, over-turns, nothing, hang, \
                 wait=MILLISECONDS, needs=TRIES; each with @CHECKPOINT or @CHECKPOINT.TRY",
            )
        };
        let (what, place) = match text.split_once('@') {
            Some((what, place)) => (what, Some(place)),
            None => (text, None),
        };
        let (word, number) = match what.split_once('=') {
            Some((word, number)) => (word, Some(number.parse::<u64>().map_err(|_| wrong())?)),
            None => (what, None),
        };
        let doing = match (word, number) {
            ("fail", None) => Doing::Fail,
            ("half", None) => Doing::Half,
            ("rate-limit", seconds) => Doing::RateLimit(seconds),
            ("no-credentials", None) => Doing::NoCredentials,
            ("over-turns", None) => Doing::OverTurns,
            ("nothing", None) => Doing::Nothing,
            ("hang", None) => Doing::Hang,
            ("wait", Some(ms)) => Doing::Wait(ms),
            ("needs", Some(tries)) => Doing::Needs(u32::try_from(tries).map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        let (checkpoint, attempt) = match place.map(|p| p.split_once('.').unwrap_or((p, ""))) {
            None => (None, None),
            Some(("", _)) => return Err(wrong()),
            Some((checkpoint, "")) => (Some(checkpoint.to_owned()), None),
            Some((checkpoint, attempt)) => (
                Some(checkpoint.to_owned()).filter(|c| c != "*"),
                Some(attempt.parse().map_err(|_| wrong())?),
            ),
        };
        Ok(Behaviour {
            doing,
            checkpoint,
            attempt,
        })
    }

    /// What happens at this checkpoint and try, where anything does.
    pub(super) fn at(&self, number: u32, id: &str, attempt: u32) -> Option<Doing> {
        let here = self.checkpoint.as_deref();
        let fits = here.is_none_or(|c| c == id || c.parse() == Ok(number))
            && self.attempt.is_none_or(|a| a == attempt);
        match self.doing {
            Doing::Needs(tries) if fits => (attempt < tries).then_some(Doing::Fail),
            doing => fits.then_some(doing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_is_read_with_its_place() {
        let at = |text: &str, number, id, attempt| {
            Behaviour::parse(text).expect(text).at(number, id, attempt)
        };
        assert_eq!(at("fail", 3, "member", 1), Some(Doing::Fail));
        assert_eq!(at("fail@3", 3, "member", 2), Some(Doing::Fail));
        assert_eq!(at("fail@member.2", 3, "member", 1), None);
        assert_eq!(
            at("rate-limit=2@3.1", 3, "member", 1),
            Some(Doing::RateLimit(Some(2)))
        );
        assert_eq!(at("needs=3", 1, "x", 2), Some(Doing::Fail));
        assert_eq!(at("needs=3", 1, "x", 3), None);
        assert_eq!(at("fail@*.1", 7, "x", 1), Some(Doing::Fail));
        for wrong in [
            "", "perhaps", "wait", "wait=x", "fail=1", "fail@", "fail@1.x",
        ] {
            assert!(Behaviour::parse(wrong).is_err(), "{wrong}");
        }
    }
}
