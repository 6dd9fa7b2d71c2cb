//! Sessions of agents: which files tell of one, and what is read out of them together.
//!
//! Files whose session ids are equal tell of one session and become one record. A file that
//! states none joins the one envelope there is where it is the one transcript, and the other way
//! round; else it is a session of its own. Logs of sub-agents (`SESSION/subagents/…` beside
//! `SESSION.jsonl`) belong to their session. Of a folder of transcripts only those are taken whose
//! session an envelope names, where envelopes are given.

use std::path::{Path, PathBuf};

use super::gate::console;
use super::globs;
use super::payloads::{Captured, Ground, READERS, not_read, open, require_file};
use super::session_files::{SUBAGENTS, Source, Told, folder, groups, is_log, transcript};
use super::workplace::Say;
use super::written::{Written, value};
use crate::error::{Error, Result};
use crate::ledger::{Content, as_kept, name_of};
use crate::record::{
    Body, Contained, Envelope, Launch, Moment, Opened, Payload, Probed, Purpose, ReadBy, Readers,
    Reading, RecordId, Session, SetupRun, Status, Unkept, Work,
};

/// What is known of sessions beside their files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionSaid {
    /// What they were for; else the change that was asked for.
    pub purpose: Option<Purpose>,
    /// How they ended; else what is read.
    pub outcome: Option<String>,
    /// Milliseconds of our own clock around the agent's process.
    pub wall_ms: Option<u64>,
    /// Milliseconds waited before this attempt.
    pub waited_ms: Option<u64>,
    /// The exit status of the agent's process.
    pub exit_code: Option<i64>,
    /// The agent's version, as the program says it.
    pub agent_version: Option<String>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The session this one goes on with.
    pub resumes: Option<String>,
    /// What the harness knows of one that it drove.
    pub driven: Option<Box<Driven>>,
}

/// What the harness knows of a session that it drove.
#[derive(Debug, Clone, PartialEq)]
pub struct Driven {
    /// When it began.
    pub started: Moment,
    /// When it ended.
    pub ended: Option<Moment>,
    /// How it was started, and how its processes ended.
    pub launch: Option<Launch>,
    /// What a probe's answer named.
    pub probed: Option<Probed>,
    /// Set-up commands that ran for it, where no checkpoint record has them.
    pub setups: Vec<SetupRun>,
    /// Of an attempt that made no agent commit: what was found of its work.
    pub work: Option<Work>,
    /// The same: what of its tree was not taken as it was.
    pub contained: Option<Contained>,
    /// Files of what it printed beside its envelope, of which the ends are kept.
    pub printed: Vec<PathBuf>,
}

impl SessionSaid {
    /// Whether it tells of a session by itself.
    fn tells(&self) -> bool {
        let numbers = self.wall_ms.is_some() || self.waited_ms.is_some();
        numbers || self.outcome.is_some() || self.exit_code.is_some() || self.driven.is_some()
    }
}

/// The files of sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    sources: Vec<Source>,
    keep: bool,
    said: SessionSaid,
}

impl Sessions {
    /// The files that were named.
    ///
    /// # Errors
    /// Usage where one cannot be read, or a folder holds none.
    pub(super) fn find(captured: &Captured) -> Result<Sessions> {
        let mut sources = Vec::new();
        for file in &captured.envelopes {
            require_file(file)?;
            sources.push(Source {
                file: file.clone(),
                payload: Payload::Envelope,
                path: None,
                leader: None,
                from_folder: false,
            });
        }
        for given in &captured.transcripts {
            match given.is_dir() {
                true => folder(given, &mut sources)?,
                false => {
                    require_file(given)?;
                    let leader = sources.len();
                    sources.push(transcript(given, name_of(given), None, false));
                    let beside = given.with_extension("").join(SUBAGENTS);
                    let top = given.parent().unwrap_or(Path::new(""));
                    for found in globs::below(&beside).into_iter().filter(is_log) {
                        let path = globs::path_from(&found.file, [top]);
                        sources.push(transcript(&found.file, path, Some(leader), false));
                    }
                }
            }
        }
        let said = &captured.session;
        if sources.is_empty() && !said.tells() && *said != SessionSaid::default() {
            return Err(
                Error::usage("something is said of a session, and none is captured").with_hint(
                    "--envelope FILE or --transcript FILE; --outcome for one that left no file",
                ),
            );
        }
        Ok(Sessions {
            sources,
            keep: captured.keep_transcripts,
            said: captured.session.clone(),
        })
    }

    /// Whether there is no session.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty() && !self.said.tells()
    }

    /// Whether a session is known of that left no file.
    pub(super) fn is_bare(&self) -> bool {
        self.sources.is_empty() && self.said.tells()
    }

    /// What they were for.
    pub(super) fn purpose(&self) -> Purpose {
        self.said.purpose.unwrap_or(Purpose::Implement)
    }

    /// How many envelopes there are.
    pub(super) fn envelopes(&self) -> usize {
        self.of(Payload::Envelope)
    }

    /// How many transcripts there are.
    pub(super) fn transcripts(&self) -> usize {
        self.of(Payload::Transcript)
    }

    fn of(&self, payload: Payload) -> usize {
        let of_it = self.sources.iter().filter(|s| s.payload == payload);
        of_it.count()
    }

    /// Adds a record a session.
    ///
    /// # Errors
    /// Usage where a file cannot be read.
    pub(super) fn add(&self, ground: &Ground<'_>, to: &mut Written, say: Say<'_>) -> Result<()> {
        if self.is_bare() {
            let envelope = Envelope::of(self.purpose(), Vec::new());
            return self.capture(RecordId::new(), envelope, true, to);
        }
        let told = self.told(say)?;
        let groups = groups(&self.sources, &told, say);
        let before = to.captures().len();
        for group in &groups {
            // One process is one session's, however many logs tell of it: its time counts once.
            let whole = self.said.driven.is_none() || to.captures().len() == before;
            self.session(group, whole, ground, to, say)?;
        }
        if self.said.driven.is_some() && to.captures().len() == before {
            // None of its files was of use: it took place all the same.
            let envelope = Envelope::of(self.purpose(), Vec::new());
            return self.capture(RecordId::new(), envelope, true, to);
        }
        Ok(())
    }

    /// What each file says of its session by itself; read only where it decides something.
    fn told(&self, say: Say<'_>) -> Result<Vec<Told>> {
        let mut told = Vec::new();
        let alone = self.sources.iter().filter(|s| s.leader.is_none()).count() < 2;
        for source in &self.sources {
            if source.leader.is_some() || alone && !source.from_folder {
                told.push(Told::Session(None));
                continue;
            }
            let content = Content::File(source.file.clone());
            let mut opened = open(name_of(&source.file), None, &content)?;
            told.push(match READERS.session(std::slice::from_mut(&mut opened)) {
                Reading::Read(session) => Told::Session(session.session_id),
                // One that was named is somebody's all the same.
                _ if !source.from_folder => Told::Session(None),
                _ => {
                    say(&format!(
                        "{}: no transcript of a known format; left out",
                        source.file.display()
                    ));
                    Told::Nothing
                }
            });
        }
        Ok(told)
    }

    /// One session's record.
    fn session(
        &self,
        group: &[&Source],
        whole: bool,
        ground: &Ground<'_>,
        to: &mut Written,
        say: Say<'_>,
    ) -> Result<()> {
        let id = RecordId::new();
        let mut envelope = Envelope::of(self.purpose(), Vec::new());
        let mut contents = Vec::new();
        for source in group {
            let file = &source.file;
            if source.payload == Payload::Envelope || self.keep {
                let path = source.path.clone();
                let (raw, content) = to.keep(ground.repo, &id, source.payload, file, path, None)?;
                envelope.raw.push(raw);
                contents.push(content);
            } else {
                let (content, size, sha256) = as_kept(ground.repo, file, to.masker())?;
                envelope.unkept.push(Unkept {
                    name: name_of(file),
                    size,
                    sha256,
                });
                contents.push(content);
            }
        }
        let mut files = Vec::new();
        for (source, content) in group.iter().zip(&contents) {
            let path = source.path.clone();
            let path = path.unwrap_or_else(|| name_of(&source.file));
            files.push(open(path, None, content)?);
        }
        let reading = READERS.session(&mut files);
        drop::<Vec<Opened<'_>>>(files);
        let shown: Vec<String> = group.iter().map(|s| s.file.display().to_string()).collect();
        match &reading {
            Reading::Read(session) => {
                say(&format!("{}: {}", shown.join(", "), in_words(session)));
                envelope.read_by = Some(ReadBy {
                    reader: session.format.clone(),
                    version: READERS.version(),
                });
                envelope.session = Some(value(session)?);
                envelope.outcome = outcome(session.status);
            }
            // Nothing would be left of it.
            _ if envelope.raw.is_empty() => {
                to.forget(&id);
                say(&format!(
                    "{}: no transcript of a known format; not recorded (--keep-transcript keeps it)",
                    shown.join(", ")
                ));
                return Ok(());
            }
            other => {
                // What was not read is no part of what the record says.
                envelope.unkept.clear();
                say(&not_read(&group[0].file, "session", other));
            }
        }
        self.capture(id, envelope, whole, to)
    }

    /// Adds a session's record, with the ends of what it printed.
    fn capture(
        &self,
        id: RecordId,
        mut envelope: Envelope,
        whole: bool,
        to: &mut Written,
    ) -> Result<()> {
        let driven = self.said.driven.as_deref().filter(|_| whole);
        for file in driven.map_or(&[][..], |d| &d.printed) {
            let end = console(file, to.masker())?;
            if !end.is_empty() {
                let (raw, _) = to.keep_bytes(&id, Payload::Console, name_of(file), end)?;
                envelope.raw.push(raw);
            }
        }
        to.capture(id, Body::Envelope(self.with_what_is_said(envelope, whole)))
    }

    fn with_what_is_said(&self, mut envelope: Envelope, whole: bool) -> Envelope {
        let said = self.said.clone();
        if !whole {
            envelope.outcome = said.outcome.or(envelope.outcome);
            return envelope;
        }
        envelope.outcome = said.outcome.or(envelope.outcome);
        envelope.wall_ms = said.wall_ms;
        envelope.waited_ms = said.waited_ms;
        envelope.exit_code = said.exit_code;
        envelope.agent_version = said.agent_version;
        envelope.model = said.model;
        envelope.resumes = said.resumes;
        if let Some(driven) = said.driven {
            envelope.started = Some(driven.started);
            envelope.ended = driven.ended;
            envelope.launch = driven.launch;
            envelope.probed = driven.probed;
            envelope.setups = driven.setups;
            envelope.work = driven.work;
            envelope.contained = driven.contained;
        }
        envelope
    }
}

/// How a session ended, as records say it.
fn outcome(status: Status) -> Option<String> {
    if status == Status::Unknown {
        return None;
    }
    let word = serde_json::to_value(status).ok()?;
    word.as_str().map(str::to_owned)
}

/// A session in a line.
fn in_words(session: &Session) -> String {
    let mut parts = vec![session.format.clone()];
    parts.extend(outcome(session.status));
    parts.extend(session.cost_usd.map(|cost| format!("${cost:.4}")));
    let tokens = [session.tokens.input, session.tokens.output];
    if let [Some(input), Some(output)] = tokens {
        parts.push(format!("{input} tokens in, {output} out"));
    }
    if !session.warnings.is_empty() {
        let warnings: Vec<&str> = session.warnings.iter().map(String::as_str).collect();
        parts.push(format!("warnings: {}", warnings.join(", ")));
    }
    parts.join(", ")
}
