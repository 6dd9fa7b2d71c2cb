//! Answers of models whose blocks come one by one: opened by the first block, told in full later
//! or never.

use super::draft::Draft;
use super::events::At;
use crate::record::{Did, Moment, Tokens};

/// Longer texts are no ids and no models.
const TEXT_MAX: usize = 256;

/// The answer that is being given in the main thread.
#[derive(Debug, Default)]
pub(super) struct Answering {
    /// Answers so far.
    count: u64,
    open: bool,
    /// Where it stands; none where the transcript is full.
    place: Option<At>,
}

impl Answering {
    /// A block of the answer, the first of a new one where none is open.
    pub(super) fn block(&mut self, draft: &mut Draft, at: Option<Moment>) {
        if self.open {
            let event = self.place.and_then(|place| draft.events.get(place));
            if let Some(event) = event {
                event.at = at.or(event.at);
            }
            return;
        }
        self.open = true;
        self.count += 1;
        let id = format!("#{}", self.count);
        self.place = draft.events.answer(0, at, &id, None, None);
    }

    /// What the answer was, now that it is complete; `at` counts where it had no block.
    pub(super) fn told(
        &mut self,
        draft: &mut Draft,
        at: Option<Moment>,
        id: Option<&str>,
        model: Option<&str>,
        tokens: Option<Tokens>,
    ) {
        if !self.open {
            self.block(draft, at);
        }
        let event = self.place.and_then(|place| draft.events.get(place));
        if let Some(Did::Answer {
            id: its_id,
            model: its_model,
            tokens: its_tokens,
        }) = event.map(|event| &mut event.what)
        {
            if let Some(id) = id.filter(|id| id.len() <= TEXT_MAX) {
                id.clone_into(its_id);
            }
            *its_model = model.filter(|m| m.len() <= TEXT_MAX).map(str::to_owned);
            *its_tokens = tokens;
        }
        self.close();
    }

    /// The next block is another answer's.
    pub(super) fn close(&mut self) {
        self.open = false;
        self.place = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::envelope::Format;
    use crate::intake::json::Told;

    #[test]
    fn blocks_of_one_answer_are_one_event_with_its_last_time() {
        let mut draft = Draft::new(Format::GeminiStream);
        let mut answering = Answering::default();
        let at = Moment::from_millis;
        answering.block(&mut draft, at(1));
        answering.block(&mut draft, at(5));
        answering.block(&mut draft, None);
        let tokens = Tokens {
            output: Some(3),
            ..Tokens::default()
        };
        answering.told(&mut draft, at(9), Some("m1"), Some("model"), Some(tokens));
        answering.told(&mut draft, at(11), Some(&"x".repeat(999)), None, None);
        let events = draft
            .finish(&Told::default())
            .transcript
            .expect("two")
            .events;
        let told: Vec<_> = events
            .iter()
            .map(|event| match &event.what {
                Did::Answer { id, tokens, .. } => (event.at, id.as_str(), tokens.is_some()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(told, [(at(5), "m1", true), (at(11), "#2", false)]);
    }
}
