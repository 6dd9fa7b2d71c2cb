//! Envelopes and transcripts of coding agents, each read into one session.
//!
//! `detect` tells the format from the objects alone; each format has a reader that is given the
//! objects in order and makes the session at the end.

mod aider;
mod amount;
mod amp;
mod answering;
mod anthropic;
mod claude_result;
mod claude_stream;
mod claude_transcript;
mod codex;
mod codex_exec;
mod codex_history;
mod codex_legacy;
mod codex_output;
mod codex_rollout;
mod codex_turns;
mod copilot_stream;
mod copilot_usage;
mod cursor;
pub mod detect;
mod draft;
mod events;
mod failure;
mod format;
mod gemini_result;
mod gemini_stream;
mod goose;
#[cfg(test)]
mod hostile;
mod join;
mod messages;
mod mini_swe_agent;
mod opencode;
mod openhands_state;
mod openhands_trajectory;
mod packed;
#[cfg(test)]
mod proof;
mod slopcodebench;
mod swe_agent;
mod tools;
#[cfg(test)]
mod variants;

use serde_json::Value;

pub use detect::{Found, of as detect};
pub use format::Format;

use super::json::{self, Told};
use crate::record::{Opened, Reading, Session, Source};

/// Reads the objects of one file of one format.
pub(super) trait SessionReader {
    /// Takes the next object.
    fn object(&mut self, object: &Value);

    /// The session; `told` is what the text was beside its objects.
    fn finish(self: Box<Self>, told: &Told) -> Session;
}

/// The reader of a format.
fn reader(format: Format) -> Box<dyn SessionReader> {
    match format {
        Format::AiderAnalytics => Box::new(aider::AiderAnalytics::new()),
        Format::AmpStream => Box::new(amp::Stream::new()),
        Format::ClaudeResult | Format::ClaudeStream => Box::new(claude_stream::Stream::new(format)),
        Format::ClaudeTranscript => Box::new(claude_transcript::Transcript::new()),
        Format::CodexExec => Box::new(codex_exec::CodexExec::new()),
        Format::CodexExecLegacy => Box::new(codex_legacy::CodexLegacy::new()),
        Format::CodexRollout => Box::new(codex_rollout::CodexRollout::new()),
        Format::CopilotStream => Box::new(copilot_stream::CopilotStream::new()),
        Format::CopilotUsage => Box::new(copilot_usage::CopilotUsage::new()),
        Format::CursorStream => Box::new(cursor::Stream::new()),
        Format::GeminiResult => Box::new(gemini_result::GeminiResult::new()),
        Format::GeminiStream => Box::new(gemini_stream::GeminiStream::new()),
        Format::GooseStream => Box::new(goose::GooseStream::new()),
        Format::MiniSweAgentTrajectory => Box::new(mini_swe_agent::MiniSweAgent::new()),
        Format::OpencodeRun => Box::new(opencode::OpencodeRun::new()),
        Format::OpenhandsState => Box::new(openhands_state::OpenhandsState::new()),
        Format::OpenhandsTrajectory => Box::new(openhands_trajectory::OpenhandsTrajectory::new()),
        Format::SlopCodeBenchInference => Box::new(slopcodebench::Inference::new()),
        Format::SweAgentTrajectory => Box::new(swe_agent::SweAgent::new()),
    }
}

/// Reads a file as one of `format`, whatever it is: what its reader makes of bytes that are not
/// for it. [`read`] is the door for all else.
///
/// # Errors
/// Those of reading.
pub fn read_as(format: Format, source: &mut dyn Source) -> std::io::Result<Session> {
    let mut reader = reader(format);
    let told = json::objects(source, &mut |object| reader.object(&object))?;
    Ok(reader.finish(&told))
}

/// Reads one session out of the files that tell of it: one, or its envelope and its agent's own
/// logs in any number. What each tells and what comes of two that disagree, `join` says.
///
/// [`Reading::Empty`] where all are; [`Reading::Unrecognised`] where none is in a known format.
pub fn read(files: &mut [Opened<'_>]) -> Reading<Session> {
    let mut known = Vec::new();
    let mut unknown = 0_u64;
    for file in files.iter_mut() {
        match detect(&mut *file.bytes) {
            Err(failed) => return Reading::Unreadable(String::new(), failed.to_string()),
            Ok(Found::Empty) => {}
            Ok(Found::Unknown) => unknown += 1,
            Ok(Found::Format(format)) => known.push((format, file)),
        }
    }
    if known.is_empty() {
        return match unknown {
            0 => Reading::Empty,
            _ => Reading::Unrecognised,
        };
    }
    let mut sessions = Vec::new();
    let mut transcript: Option<claude_transcript::Transcript> = None;
    for (format, file) in known {
        let source = &mut *file.bytes;
        let read = match format {
            // All of them together: an answer may stand in several.
            Format::ClaudeTranscript => {
                let reader = transcript.get_or_insert_with(claude_transcript::Transcript::new);
                json::objects(source, &mut |object| reader.object(&object)).map(|told| {
                    reader.file(&told);
                })
            }
            _ => {
                let mut reader = reader(format);
                json::objects(source, &mut |object| reader.object(&object))
                    .map(|told| sessions.push((format, reader.finish(&told))))
            }
        };
        if let Err(failed) = read {
            return Reading::Unreadable(format.word().to_owned(), failed.to_string());
        }
    }
    if let Some(reader) = transcript {
        sessions.push((Format::ClaudeTranscript, reader.session()));
    }
    match join::join(sessions) {
        None => Reading::Unrecognised,
        Some(mut session) => {
            if unknown > 0 {
                let code = draft::warning::FILE_NOT_RECOGNISED;
                session.warnings.insert(code.to_owned());
            }
            Reading::Read(session)
        }
    }
}
