//! One session, held and noted.

use std::time::Duration;

use super::chain::Chain;
use super::state::Spoken;
use crate::error::Result;
use crate::harness::agents::{Session, State, converse};
use crate::harness::pending::named;
use crate::plan::Checkpoint;
use crate::record::{Launch, Moment, Purpose, RecordId};

/// What a session is asked.
pub(super) struct Talk<'t> {
    pub(super) purpose: Purpose,
    pub(super) prompt: &'t str,
    /// It may write nothing in the clone.
    pub(super) read_only: bool,
    pub(super) time: Duration,
}

impl Chain<'_> {
    /// Holds a session in the clone at `top`; `id` is what its processes carry, `name` what its
    /// folder is called.
    pub(super) fn talk(
        &self,
        place: Option<(u32, &Checkpoint)>,
        top: &std::path::Path,
        (id, name): (&RecordId, &str),
        talk: &Talk<'_>,
    ) -> Result<(State, Spoken)> {
        let started = Moment::now();
        let session = Session {
            agent: &self.agent,
            purpose: talk.purpose,
            prompt: talk.prompt,
            clone: top,
            folder: &self.scratch.session(name),
            places: self.scratch.places_at(place, Some(talk.purpose)),
            hidden: self.run.hidden(),
            read_only: talk.read_only,
            time: talk.time,
            mark: id.to_string(),
        };
        let answered = converse(&session, &self.run.stop)?;
        let mut launch = answered.launch;
        let prompt = self.reader.blob_id(talk.prompt.as_bytes())?;
        launch.prompt = Some(named(prompt));
        let captured = answered.captured;
        let said = captured.session;
        let spoken = Spoken {
            outcome: answered.state.outcome().to_owned(),
            ended: Some(Moment::now()),
            wall_ms: said.wall_ms,
            exit_code: said.exit_code,
            agent_version: answered.agent_version,
            model: said.model,
            launch: Some(launch),
            envelopes: captured.envelopes,
            transcripts: captured.transcripts,
            keep_transcripts: captured.keep_transcripts,
            answer: answered.answer,
            printed: answered.printed,
            ..Spoken::bare(talk.purpose, "", started)
        };
        Ok((answered.state, spoken))
    }
}

impl Spoken {
    /// A session of which nothing is known but what it was for, when it began and how it ended.
    pub(super) fn bare(purpose: Purpose, outcome: &str, started: Moment) -> Spoken {
        Spoken {
            purpose,
            outcome: outcome.to_owned(),
            started,
            ended: None,
            wall_ms: None,
            waited_ms: None,
            exit_code: None,
            agent_version: None,
            model: None,
            launch: None,
            envelopes: Vec::new(),
            transcripts: Vec::new(),
            keep_transcripts: false,
            answer: None,
            printed: Vec::new(),
            tree: None,
            probed: None,
            setups: Vec::new(),
            found: None,
        }
    }

    pub(super) fn launch_mut(&mut self) -> &mut Launch {
        self.launch.get_or_insert_default()
    }
}
