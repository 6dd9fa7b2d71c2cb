//! Messages as Anthropic's API has them, each of whose blocks stands in a line of its own: answers
//! counted once, their calls of tools and the results.

use std::collections::HashMap;

use serde_json::Value;

use super::amount::{Amount, Buckets, model_name, text};
use super::anthropic;
use super::draft::Draft;
use super::events::{At, Seen, short};
use super::packed::Packed;
use crate::record::{Did, Moment};

/// More answers than any session has; beyond it tokens are unknown.
const ANSWERS_MAX: usize = 229_000;

/// More models than any session has.
const MODELS_MAX: usize = 4_000;

/// Where a line stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its thread; 0 is the main one.
    pub(super) thread: u32,
    /// Its time.
    pub(super) at: Option<Moment>,
}

/// Answers and results so far.
#[derive(Debug, Default)]
pub(super) struct Messages {
    by_id: HashMap<u64, u32>,
    answers: Vec<Answer>,
    models: Vec<String>,
    results: Seen,
    /// Calls in threads of sub-agents: the main thread's own call of that id replaces one.
    beside: HashMap<u64, At>,
    /// Lines that repeat an answer that was there.
    pub(super) repeated: bool,
    /// Some cache writes do not tell their lifetime.
    pub(super) lifetime_unstated: bool,
    /// There were more than are kept.
    pub(super) over: bool,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    tokens: Packed,
    /// An index of `models`.
    model: Option<u16>,
    main: bool,
    /// One of its lines says why it stopped.
    stopped: bool,
    /// One of its lines tells no number of tokens where it tells what was generated: it could be
    /// the one that counts.
    wrong: bool,
    event: Option<At>,
}

impl Messages {
    /// Takes a line of an answer. `id` is the message's, else the line's own.
    pub(super) fn assistant(&mut self, draft: &mut Draft, message: &Value, id: &str, at: Place) {
        let main = at.thread == 0;
        let known = self.by_id.get(&short(id)).copied();
        // A sub-agent's log may begin with its parent's answer: the main thread's own counts.
        let replayed = known.is_some_and(|i| self.answers[i as usize].main && !main);
        self.repeated |= known.is_some();
        if replayed {
            return;
        }
        let index = match known {
            Some(index) => index as usize,
            None if self.answers.len() >= ANSWERS_MAX => {
                self.over = true;
                return;
            }
            None => {
                self.by_id.insert(short(id), self.answers.len() as u32);
                self.answers.push(Answer {
                    tokens: Packed::from(Buckets::default()),
                    model: None,
                    main,
                    stopped: false,
                    wrong: false,
                    event: None,
                });
                self.answers.len() - 1
            }
        };
        let name = text(message, "model").and_then(model_name);
        let before = self.answers[index];
        let moves = main && !before.main;
        if known.is_none() || moves {
            if let Some(event) = before.event {
                draft.events.remove(event);
            }
            let event = draft
                .events
                .answer(at.thread, at.at, id, name.as_deref(), None);
            self.answers[index].event = event;
        } else if let Some(event) = before.event.and_then(|e| draft.events.get(e)) {
            event.at = event.at.max(at.at);
        }
        self.take(index, message, name, known.is_none() || moves);
        self.answers[index].main = main;
        self.calls(draft, message, at);
    }

    /// Keeps the whole line with the most output tokens, the last of several: fields of different
    /// lines may belong to different models.
    fn take(&mut self, index: usize, message: &Value, model: Option<String>, first: bool) {
        let usage = message.get("usage").filter(|u| u.is_object());
        let usage = usage.map(anthropic::usage);
        let buckets = usage.as_ref().map_or(Buckets::UNUSABLE, |u| u.buckets);
        let before = Buckets::from(self.answers[index].tokens);
        self.answers[index].wrong |= usage.as_ref().is_some_and(|u| u.output_wrong);
        if first || buckets.output.known() >= before.output.known() {
            self.lifetime_unstated |= usage.is_some_and(|u| u.lifetime_unstated);
            let model = model.and_then(|name| self.model(name));
            self.answers[index].tokens = buckets.into();
            self.answers[index].model = model;
        }
        let stopped = message.get("stop_reason").is_some_and(Value::is_string);
        self.answers[index].stopped |= stopped;
    }

    fn model(&mut self, name: String) -> Option<u16> {
        let known = self.models.iter().position(|m| *m == name);
        let index = known.or_else(|| {
            (self.models.len() < MODELS_MAX).then(|| {
                self.models.push(name);
                self.models.len() - 1
            })
        });
        u16::try_from(index?).ok()
    }

    fn calls(&mut self, draft: &mut Draft, message: &Value, at: Place) {
        for block in blocks(message) {
            if text(block, "type") != Some("tool_use") {
                continue;
            }
            let (Some(id), Some(name)) = (text(block, "id"), text(block, "name")) else {
                continue;
            };
            if !draft.call(id) {
                let Some(event) = self.beside.remove(&short(id)).filter(|_| at.thread == 0) else {
                    continue;
                };
                draft.events.remove(event);
            }
            let input = block.get("input").unwrap_or(&Value::Null);
            let (does, target) = anthropic::tool(name, input);
            let event = draft.events.call(at.thread, at.at, id, name, does, &target);
            if let Some(event) = event.filter(|_| at.thread != 0) {
                self.beside.insert(short(id), event);
            }
        }
    }

    /// Takes a line of the user's: a prompt, or results of tools.
    pub(super) fn user(&mut self, draft: &mut Draft, message: &Value, at: Place) {
        let mut results = false;
        for block in blocks(message) {
            if text(block, "type") != Some("tool_result") {
                continue;
            }
            results = true;
            let Some(id) = text(block, "tool_use_id") else {
                continue;
            };
            if !self.results.first(id) {
                continue;
            }
            let ok = block.get("is_error") != Some(&Value::Bool(true));
            if !ok {
                draft.failed(id);
            }
            draft.events.result(at.thread, at.at, id, ok);
        }
        if !results {
            draft.events.input(at.thread, at.at);
        }
    }

    /// Distinct answers, unless there were too many.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.over).then_some(self.answers.len() as u64)
    }

    /// Whether no line of some answer says why it stopped: its output may not be final.
    pub(super) fn is_partial(&self) -> bool {
        self.answers.iter().any(|a| !a.stopped)
    }

    /// Whether the answer `id` was seen.
    pub(super) fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(&short(id))
    }

    /// Models of the main thread's answers.
    pub(super) fn main_models(&self) -> Vec<&str> {
        let main = self.answers.iter().filter(|a| a.main);
        let mut used: Vec<u16> = main.filter_map(|a| a.model).collect();
        used.sort_unstable();
        used.dedup();
        let name = |m: u16| self.models.get(usize::from(m)).map(String::as_str);
        used.into_iter().filter_map(name).collect()
    }

    /// Names the models that answered, without their tokens.
    pub(super) fn name_models(&self, draft: &mut Draft) {
        for model in &self.models {
            draft.model(model);
        }
    }

    /// Adds every answer's tokens to the draft. `last` says whether the output told is final.
    pub(super) fn add(&self, draft: &mut Draft, last: bool) {
        for answer in &self.answers {
            draft.tokens(self.name_of(answer), answer.tokens(last));
        }
        if self.over {
            draft.tokens(None, Buckets::UNUSABLE);
        }
    }

    /// Puts every answer's tokens into its event.
    pub(super) fn tell(&self, draft: &mut Draft, last: bool) {
        for answer in &self.answers {
            let Some(event) = answer.event.and_then(|e| draft.events.get(e)) else {
                continue;
            };
            if let Did::Answer { tokens, model, .. } = &mut event.what {
                *tokens = Some(answer.tokens(last).tokens());
                *model = self.name_of(answer).map(str::to_owned);
            }
        }
    }

    fn name_of(&self, answer: &Answer) -> Option<&str> {
        let index = usize::from(answer.model?);
        self.models.get(index).map(String::as_str)
    }
}

impl Answer {
    fn tokens(&self, last: bool) -> Buckets {
        let told = Buckets::from(self.tokens);
        match last {
            true if self.wrong => Buckets {
                output: Amount::Unusable,
                ..told
            },
            true => told,
            false => Buckets {
                output: Amount::Absent,
                reasoning: Amount::Absent,
                ..told
            },
        }
    }
}

/// The blocks of a message; none where its content is a text.
pub(super) fn blocks(message: &Value) -> &[Value] {
    message
        .get("content")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::intake::envelope::Format;
    use crate::intake::json::Told;

    fn line(model: &str, input: u64, output: Value) -> Value {
        json!({"model": model, "content": [],
            "usage": {"input_tokens": input, "output_tokens": output}})
    }

    fn total(lines: &[(u32, &str, Value)]) -> crate::record::Session {
        let mut draft = Draft::new(Format::ClaudeTranscript);
        let mut messages = Messages::default();
        for (thread, id, message) in lines {
            let place = Place {
                thread: *thread,
                at: None,
            };
            messages.assistant(&mut draft, message, id, place);
        }
        messages.add(&mut draft, true);
        messages.tell(&mut draft, true);
        draft.finish(&Told::default())
    }

    #[test]
    fn of_an_answers_lines_the_one_with_most_output_counts_whole() {
        let session = total(&[
            (0, "m", line("a", 5, json!(1))),
            (0, "m", line("b", 7, json!(40))),
            (0, "m", line("a", 9, json!(null))),
            (0, "m", line("a", 9, json!(3))),
        ]);
        assert_eq!(session.tokens.input, Some(7));
        assert_eq!(session.tokens.output, Some(40));
        assert_eq!(session.by_model.keys().collect::<Vec<_>>(), ["b"]);
        let session = total(&[
            (0, "m", line("a", 5, json!(4))),
            (0, "m", line("a", 6, json!(4))),
        ]);
        assert_eq!(session.tokens.input, Some(6), "the last of several");
    }

    #[test]
    fn an_answer_without_output_makes_the_sum_unknown_and_no_less() {
        let session = total(&[
            (0, "m", line("a", 5, json!(4))),
            (0, "n", line("a", 5, json!(null))),
        ]);
        assert_eq!(
            (session.tokens.input, session.tokens.output),
            (Some(10), None)
        );
        let session = total(&[(0, "n", json!({"model": "a", "content": []}))]);
        assert_eq!((session.tokens.input, session.tokens.output), (None, None));
    }

    #[test]
    fn the_main_threads_answer_counts_whichever_comes_first() {
        let call = json!({"model": "a", "usage": {"input_tokens": 1, "output_tokens": 2},
            "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "f"}}]});
        for order in [[0, 4], [4, 0]] {
            let lines = order.map(|thread| (thread, "m", call.clone()));
            let session = total(&lines);
            assert_eq!(session.tokens.output, Some(2));
            assert_eq!(session.tool_calls, Some(1));
            let events = session.transcript.expect("events").events;
            let threads: Vec<u32> = events.iter().map(|e| e.thread).collect();
            assert_eq!(threads, [0, 0], "the answer and its call");
        }
    }
}
