//! Envelopes and transcripts of coding agents, each read into one session.
//!
//! `detect` tells the format from the objects alone; each format has a reader that is given the
//! objects in order and makes the session at the end.

mod aider;
mod amount;
mod answering;
mod codex;
mod codex_exec;
mod codex_history;
mod codex_legacy;
mod codex_output;
mod codex_rollout;
mod copilot_stream;
mod copilot_usage;
mod amp;
mod anthropic;
mod claude_result;
mod claude_stream;
mod claude_transcript;
mod cursor;
pub mod detect;
mod draft;
mod events;
mod failure;
mod format;
mod gemini_result;
mod gemini_stream;
mod goose;
mod mini_swe_agent;
mod opencode;
mod openhands_state;
mod openhands_trajectory;
#[cfg(test)]
mod proof;
mod swe_agent;
mod tools;
mod messages;
mod packed;

use std::io;

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
fn reader(format: Format) -> Option<Box<dyn SessionReader>> {
    Some(match format {
        Format::CodexExec => Box::new(codex_exec::CodexExec::new()),
        Format::CodexExecLegacy => Box::new(codex_legacy::CodexLegacy::new()),
        Format::CodexRollout => Box::new(codex_rollout::CodexRollout::new()),
        Format::GeminiResult => Box::new(gemini_result::GeminiResult::new()),
        Format::GeminiStream => Box::new(gemini_stream::GeminiStream::new()),
        Format::OpencodeRun => Box::new(opencode::OpencodeRun::new()),
        Format::CopilotUsage => Box::new(copilot_usage::CopilotUsage::new()),
        Format::CopilotStream => Box::new(copilot_stream::CopilotStream::new()),
        Format::GooseStream => Box::new(goose::GooseStream::new()),
        Format::AiderAnalytics => Box::new(aider::AiderAnalytics::new()),
        Format::OpenhandsTrajectory => Box::new(openhands_trajectory::OpenhandsTrajectory::new()),
        Format::OpenhandsState => Box::new(openhands_state::OpenhandsState::new()),
        Format::MiniSweAgentTrajectory => Box::new(mini_swe_agent::MiniSweAgent::new()),
        Format::SweAgentTrajectory => Box::new(swe_agent::SweAgent::new()),
        Format::AmpStream => Box::new(amp::Stream::new()),
        Format::ClaudeResult | Format::ClaudeStream => Box::new(claude_stream::Stream::new(format)),
        Format::ClaudeTranscript => Box::new(claude_transcript::Transcript::new()),
        Format::CursorStream => Box::new(cursor::Stream::new()),
        _ => return None,
    })
}

/// Reads one session out of the files that tell of it.
pub fn read(files: &mut [Opened<'_>]) -> Reading<Session> {
    let Some(file) = files.first_mut() else {
        return Reading::Empty;
    };
    match detect(&mut *file.bytes) {
        Err(failed) => Reading::Unreadable(String::new(), failed.to_string()),
        Ok(Found::Empty) => Reading::Empty,
        Ok(Found::Unknown) => Reading::Unrecognised,
        Ok(Found::Format(format)) => match session(format, &mut *file.bytes) {
            Ok(Some(session)) => Reading::Read(session),
            Ok(None) => Reading::Unrecognised,
            Err(failed) => Reading::Unreadable(format.word().to_owned(), failed.to_string()),
        },
    }
}

fn session(format: Format, source: &mut dyn Source) -> io::Result<Option<Session>> {
    let Some(mut reader) = reader(format) else {
        return Ok(None);
    };
    let told = json::objects(source, &mut |object| reader.object(&object))?;
    Ok(Some(reader.finish(&told)))
}
