//! The replay agent: it stands where an agent would, and does what was recorded. For
//! demonstrations and tests; it is no agent, asks no model, and says so wherever it speaks.
//!
//! It reads its prompt as an agent does, changes the work tree it runs in, may commit some of it
//! itself, and prints an envelope. Everything follows from its recordings and its seed.

mod behaviour;
mod edits;
mod envelope;
mod files;
mod patch;
mod source;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use behaviour::{Behaviour, Doing};
pub(super) use edits::{Script, parse as parse_edits};
use envelope::{Draw, End, Work};
use files::Folder;
use source::{Change, Part, Sought};

use super::demo;
use crate::error::{Error, Result};
use crate::repo::{Repo, trailer_values, trailers};

/// What is replayed, and how.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    /// The work tree.
    pub folder: PathBuf,
    /// Where recordings are looked for.
    pub patches: Option<PathBuf>,
    /// Or the arm of the demonstration whose recordings these are.
    pub demo: Option<String>,
    /// Variants by chain: for chain n the nth, one letter for all checkpoints or one for each.
    pub variants: Vec<String>,
    /// What the session is for; nothing known: `implement`.
    pub purpose: Option<String>,
    /// The checkpoint's number; 0 where it belongs to none.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// What its figures are drawn from, with the chain, the checkpoint and the try.
    pub seed: u64,
    /// Where tries are counted; without, each is the first.
    pub state: Option<PathBuf>,
    /// A file that gets a line for every launch.
    pub launches: Option<PathBuf>,
    /// How many of the changed files are committed, each by itself, where the recording does not
    /// say it.
    pub commits: usize,
    /// What happens beside.
    pub behaviour: Vec<Behaviour>,
    /// The prompt.
    pub prompt: Vec<u8>,
}

/// What a replay prints and how it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Its envelope, one line.
    pub envelope: String,
    /// What it says beside.
    pub words: Vec<String>,
    /// Its exit status.
    pub exit: u8,
}

/// Does what is recorded.
///
/// # Errors
/// Usage where there is no prompt, no recording, or one that does not fit the work tree; git
/// where the work tree cannot be written.
pub fn replay(asked: &Replay) -> Result<Replayed> {
    if asked.prompt.iter().all(u8::is_ascii_whitespace) {
        return Err(Error::usage("the prompt is empty")
            .with_hint("give it on standard input, as last argument, or with --prompt-file"));
    }
    let purpose = asked
        .purpose
        .clone()
        .unwrap_or_else(|| "implement".to_owned());
    let chain = chain_of(&asked.folder);
    let attempt = next_try(asked, &purpose)?;
    if let Some(file) = &asked.launches {
        note_launch(file, asked, chain.as_deref(), &purpose, attempt)?;
    }
    let happens: Vec<Doing> = asked
        .behaviour
        .iter()
        .filter_map(|b| b.at(asked.number, &asked.id, attempt))
        .collect();
    for doing in &happens {
        match doing {
            Doing::Wait(ms) => std::thread::sleep(Duration::from_millis(*ms)),
            Doing::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            _ => {}
        }
    }
    let sought = Sought {
        variant: variant(&asked.variants, chain.as_deref(), asked.number),
        purpose,
        number: asked.number,
        id: asked.id.clone(),
        attempt,
    };
    let mut words = vec![format!(
        "replay agent: not an agent; {} {}, try {attempt}",
        sought.purpose, sought.id
    )];
    let end = end_of(&happens);
    let (change, answer) = recorded(asked, &sought, chain.as_deref())?;
    let part = match (&end, happens.contains(&Doing::Nothing)) {
        (_, true) | (End::RateLimited(_) | End::NoCredentials, _) => 0,
        (End::Failed, _) if !happens.contains(&Doing::Half) => 0,
        (End::Failed | End::OverTurns, _) => change.parts.len().div_ceil(2),
        (End::Well, _) => change.parts.len(),
    };
    let seed = format!(
        "{} {} {} {} {} {attempt}",
        asked.seed,
        chain.as_deref().unwrap_or(""),
        sought.purpose,
        sought.number,
        sought.id
    );
    let mut draw = Draw::new(&seed);
    work(asked, &change, part, &mut draw, &mut words)?;
    let is_short = matches!(sought.purpose.as_str(), "noop" | "probe");
    let answer = answer.unwrap_or_else(|| summary(&change, part));
    let figures = Work {
        prompt: asked.prompt.len() as u64,
        files: part as u64,
        answer: answer.len() as u64,
        is_short,
    };
    Ok(Replayed {
        envelope: envelope::line(&mut draw, &end, &answer, &figures),
        words,
        exit: u8::from(end != End::Well),
    })
}

fn end_of(happens: &[Doing]) -> End {
    let mut ends = happens.iter().rev().filter_map(|d| match d {
        Doing::Fail | Doing::Half => Some(End::Failed),
        Doing::RateLimit(after) => Some(End::RateLimited(*after)),
        Doing::NoCredentials => Some(End::NoCredentials),
        Doing::OverTurns => Some(End::OverTurns),
        Doing::Nothing | Doing::Hang | Doing::Wait(_) | Doing::Needs(_) => None,
    });
    ends.next().unwrap_or(End::Well)
}

/// The recording of a session, and its answer where that is recorded too.
fn recorded(
    asked: &Replay,
    sought: &Sought,
    chain: Option<&str>,
) -> Result<(Change, Option<String>)> {
    if let Some(arm) = &asked.demo {
        return demonstrated(arm, sought, number_of(chain));
    }
    let folder = asked.patches.as_deref().ok_or_else(|| {
        Error::usage("nothing is named that could be replayed")
            .with_hint("--patches DIR names a folder of patches")
    })?;
    let change = source::change_in(folder, sought)?;
    let answer = source::answer_in(folder, sought)?;
    match change {
        Some(change) => Ok((change, answer)),
        // An answer alone is a recording too, and only the first purpose has to change anything.
        None if answer.is_some() || sought.purpose != "implement" => {
            Ok((Change::default(), answer))
        }
        None => Err(Error::usage(format!(
            "no recording of checkpoint {} ({}) in {}",
            sought.number,
            sought.id,
            folder.display()
        ))
        .with_hint(format!(
            "a file {id}.patch, {id}.diff or {id}.edits, or a folder {id}, with the id or the \
             number as its name",
            id = sought.id
        ))),
    }
}

/// The demonstration's recording of a session. Only its implement sessions change anything.
fn demonstrated(arm: &str, sought: &Sought, chain: usize) -> Result<(Change, Option<String>)> {
    let at = usize::try_from(sought.number).unwrap_or(0);
    match sought.purpose.as_str() {
        "implement" => match demo::script(arm, chain, at)? {
            Some(script) => Ok((script.into(), None)),
            None => Err(Error::usage(format!(
                "the demonstration has no checkpoint {at}"
            ))),
        },
        "probe" => Ok((
            Change::default(),
            demo::answer(arm, at)?.map(|a| a.trim_end().to_owned()),
        )),
        _ => Ok((Change::default(), Some("OK".to_owned()))),
    }
}

/// Applies the first `parts` parts, committing in between.
fn work(
    asked: &Replay,
    change: &Change,
    parts: usize,
    draw: &mut Draw,
    words: &mut Vec<String>,
) -> Result<()> {
    let mut tree = Folder::new(&asked.folder);
    let mut messages: Vec<String> = change.messages.clone();
    let mut after: Vec<usize> = if messages.is_empty() {
        let n = asked.commits.min(parts);
        let paths = change.parts.iter().take(n).map(Part::path);
        messages = paths.map(|p| format!("Change {p}\n")).collect();
        (1..=n).collect()
    } else {
        // The last part is now and then left uncommitted.
        let left = usize::from(parts > messages.len() && draw.between(0, 2) == 0);
        let n = messages.len();
        (1..=n).map(|i| ((parts - left) * i).div_ceil(n)).collect()
    };
    after.dedup();
    let mut messages = messages.into_iter();
    for (part, done) in change.parts.iter().take(parts).zip(1..) {
        part.apply(&mut tree)?;
        if after.contains(&done)
            && let Some(message) = messages.next()
            && let Err(e) = commit(&asked.folder, &message)
        {
            words.push(format!("replay agent: not committed: {e}"));
        }
    }
    Ok(())
}

/// Commits all there is, as an agent would: with git, in its own work tree.
fn commit(folder: &Path, message: &str) -> Result<()> {
    for words in [
        &["add", "--all"][..],
        &[
            "commit",
            "--quiet",
            "--no-verify",
            "--no-gpg-sign",
            "-m",
            message,
        ],
    ] {
        let mut git = Command::new("git");
        // No housekeeping behind our back: the clone is gone in a moment.
        git.args(["-c", "maintenance.auto=false", "-c", "gc.auto=0"]);
        let done = git.current_dir(folder).args(words).output();
        let done = done.map_err(|e| Error::git("starting git").with_source(e))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            return Err(Error::git(format!("git {}: {said}", words[0])));
        }
    }
    Ok(())
}

fn summary(change: &Change, parts: usize) -> String {
    let paths: Vec<&str> = change.parts.iter().take(parts).map(Part::path).collect();
    match paths.as_slice() {
        [] => "Replayed a recording that changes nothing.".to_owned(),
        paths => format!("Replayed a recording: {}.", paths.join(", ")),
    }
}

/// The path of the chain that the work tree stands on, from the trailers of its newest commit
/// that has them.
fn chain_of(folder: &Path) -> Option<String> {
    let reader = Repo::discover(folder).ok()?.reader().ok()?;
    let mut next = reader.head().ok()??;
    for _ in 0..100 {
        let commit = reader.commit(next).ok()?;
        let found = trailers(&commit.message);
        if let Some(path) = trailer_values(&found, "Evolve-Chain").next() {
            return Some(path.to_owned());
        }
        next = *commit.parents.first()?;
    }
    None
}

/// The number of a chain, from its path.
fn number_of(chain: Option<&str>) -> usize {
    let number = chain.and_then(|c| c.rsplit('/').next());
    number.and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// The letter of a chain at a checkpoint.
fn variant(variants: &[String], chain: Option<&str>, checkpoint: u32) -> Option<char> {
    let at = number_of(chain).saturating_sub(1);
    let letters = variants.get(at % variants.len().max(1))?;
    let at = usize::try_from(checkpoint.saturating_sub(1)).unwrap_or(0);
    letters.chars().nth(at).or_else(|| letters.chars().last())
}

/// Which try of this session it is; counted where there is a place for it.
fn next_try(asked: &Replay, purpose: &str) -> Result<u32> {
    let Some(folder) = &asked.state else {
        return Ok(1);
    };
    let folder = folder.join("replay");
    let file = folder.join(format!("{purpose}-{}", asked.number));
    let failed = |e| Error::git(format!("counting tries in {}", file.display())).with_source(e);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let attempt = before.trim().parse::<u32>().unwrap_or(0) + 1;
    std::fs::write(&file, attempt.to_string()).map_err(failed)?;
    Ok(attempt)
}

fn note_launch(
    file: &Path,
    asked: &Replay,
    chain: Option<&str>,
    purpose: &str,
    attempt: u32,
) -> Result<()> {
    let line = serde_json::json!({
        "chain": chain, "purpose": purpose, "checkpoint": asked.number, "try": attempt,
    });
    let failed = |e| Error::git(format!("writing {}", file.display())).with_source(e);
    let mut open = std::fs::OpenOptions::new();
    let mut open = open.append(true).create(true).open(file).map_err(failed)?;
    open.write_all(format!("{line}\n").as_bytes())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_its_letter_at_each_checkpoint() {
        let of = |variants: &[&str], chain, k| {
            let variants: Vec<String> = variants.iter().map(|v| (*v).to_owned()).collect();
            variant(&variants, Some(chain), k)
        };
        assert_eq!(of(&[], "e/a/1", 1), None);
        assert_eq!(of(&["a", "b"], "e/a/2", 9), Some('b'));
        assert_eq!(of(&["ab", "cd"], "e/a/3", 2), Some('b'));
        assert_eq!(of(&["ab"], "e/a/t/7", 3), Some('b'));
    }

    fn asked(top: &Path, patches: &Path) -> Replay {
        Replay {
            folder: top.to_owned(),
            patches: Some(patches.to_owned()),
            number: 1,
            id: "one".to_owned(),
            prompt: b"Do it.".to_vec(),
            state: Some(top.join("../state")),
            ..Replay::default()
        }
    }

    #[test]
    fn a_replay_does_what_is_recorded_and_says_that_it_is_one() {
        let around = tempfile::tempdir().expect("a folder");
        let (top, patches) = (around.path().join("top"), around.path().join("patches"));
        std::fs::create_dir_all(&top).expect("made");
        std::fs::create_dir_all(patches.join("one")).expect("made");
        std::fs::write(patches.join("one/f"), "x\n").expect("written");
        let mut asked = asked(&top, &patches);
        asked.behaviour = vec![Behaviour::parse("needs=2").expect("well formed")];
        let first = replay(&asked).expect("replayed");
        assert_eq!(first.exit, 1);
        assert!(!top.join("f").exists());
        let second = replay(&asked).expect("replayed");
        assert_eq!(second.exit, 0);
        assert_eq!(std::fs::read(top.join("f")).expect("there"), b"x\n");
        assert!(
            second.words[0].contains("not an agent"),
            "{:?}",
            second.words
        );
        assert!(second.envelope.contains("Replayed"), "{}", second.envelope);
        asked.prompt = b" \n".to_vec();
        assert!(replay(&asked).is_err());
        asked.prompt = b"Do it.".to_vec();
        (asked.id, asked.number) = ("two".to_owned(), 2);
        let refused = replay(&asked).expect_err("no recording");
        assert!(refused.hint().is_some_and(|h| h.contains("two.patch")));
    }
}
