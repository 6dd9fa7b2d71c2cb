//! The reduced transcript while it is being collected, and sets of ids that stay small.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::record::{Did, Does, Happening, Moment, Tokens, Transcript};

/// Bytes that the events of one session may take in memory: about 50,000 of them.
const EVENTS_MAX: usize = 12 << 20;

/// More distinct ids than any session has; beyond it figures that need them are unknown.
const IDS_MAX: usize = 900_000;

/// More threads than any session has.
const THREADS_MAX: usize = 50_000;

/// Eight bytes that stand for an id, so that sets of ids stay small.
pub(super) fn short(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Ids that were seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ids: HashSet<u64>,
    /// There were more than are kept.
    pub(super) over: bool,
}

impl Seen {
    /// Notes `id`; whether it is new.
    pub(super) fn first(&mut self, id: &str) -> bool {
        let id = short(id);
        if self.ids.len() >= IDS_MAX && !self.ids.contains(&id) {
            self.over = true;
            return true;
        }
        self.ids.insert(id)
    }

    /// Whether `id` was seen.
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.contains(&short(id))
    }

    /// Whether the id that `short` stands for was seen.
    pub(super) fn has_short(&self, short: u64) -> bool {
        self.ids.contains(&short)
    }

    /// How many, unless there were too many.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.over).then_some(self.ids.len() as u64)
    }
}

/// Numbers of threads by what names them; the main one is 0.
#[derive(Debug, Default)]
pub(super) struct Threads {
    known: HashMap<u64, u32>,
}

impl Threads {
    /// The thread that `name` names; its own number from the first time on.
    pub(super) fn of(&mut self, name: &str) -> u32 {
        let next = self.known.len() as u32 + 1;
        if self.known.len() >= THREADS_MAX {
            return *self.known.get(&short(name)).unwrap_or(&next);
        }
        *self.known.entry(short(name)).or_insert(next)
    }
}

/// Events in the order of the file, bounded.
#[derive(Debug, Default)]
pub(super) struct Events {
    kept: Vec<Option<Happening>>,
    bytes: usize,
    /// Some did not fit: those kept are the first.
    pub(super) cut: bool,
}

/// Where an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At(u32);

/// What a call of a tool is about.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Target<'v> {
    /// The file.
    pub(super) path: Option<&'v str>,
    /// First line asked for.
    pub(super) offset: Option<i64>,
    /// How many lines were asked for.
    pub(super) limit: Option<i64>,
}

impl Events {
    fn push(&mut self, thread: u32, at: Option<Moment>, what: Did, texts: usize) -> Option<At> {
        let size = size_of::<Happening>() + texts;
        if self.cut || self.bytes + size > EVENTS_MAX {
            self.cut = true;
            return None;
        }
        self.bytes += size;
        self.kept.push(Some(Happening { thread, at, what }));
        Some(At(self.kept.len() as u32 - 1))
    }

    /// Somebody wrote to the agent.
    pub(super) fn input(&mut self, thread: u32, at: Option<Moment>) {
        self.push(thread, at, Did::Input, 0);
    }

    /// A model answered; what is not known yet can be set later.
    pub(super) fn answer(
        &mut self,
        thread: u32,
        at: Option<Moment>,
        id: &str,
        model: Option<&str>,
        tokens: Option<Tokens>,
    ) -> Option<At> {
        let texts = id.len() + model.map_or(0, str::len);
        let what = Did::Answer {
            id: id.to_owned(),
            model: model.map(str::to_owned),
            tokens,
        };
        self.push(thread, at, what, texts)
    }

    /// A tool was called.
    pub(super) fn call(
        &mut self,
        thread: u32,
        at: Option<Moment>,
        id: &str,
        tool: &str,
        does: Does,
        target: &Target<'_>,
    ) -> Option<At> {
        let texts = id.len() + tool.len() + target.path.map_or(0, str::len);
        let what = Did::Call {
            id: id.to_owned(),
            tool: tool.to_owned(),
            does,
            path: target.path.map(str::to_owned),
            offset: target.offset,
            limit: target.limit,
        };
        self.push(thread, at, what, texts)
    }

    /// A tool's result came back.
    pub(super) fn result(
        &mut self,
        thread: u32,
        at: Option<Moment>,
        id: &str,
        ok: bool,
    ) -> Option<At> {
        let what = Did::Result {
            id: id.to_owned(),
            ok,
        };
        self.push(thread, at, what, id.len())
    }

    /// The event at `at`, unless it was dropped.
    pub(super) fn get(&mut self, at: At) -> Option<&mut Happening> {
        self.kept.get_mut(at.0 as usize)?.as_mut()
    }

    /// Takes the event at `at` out.
    pub(super) fn remove(&mut self, at: At) {
        if let Some(place) = self.kept.get_mut(at.0 as usize) {
            *place = None;
        }
    }

    /// The reduced transcript, its threads numbered in the order they appear; none where there
    /// are no events.
    pub(super) fn finish(self) -> Option<Transcript> {
        let mut numbers = BTreeMap::from([(0, 0)]);
        let events: Vec<Happening> = self
            .kept
            .into_iter()
            .flatten()
            .map(|mut event| {
                let next = numbers.len() as u32;
                event.thread = *numbers.entry(event.thread).or_insert(next);
                event
            })
            .collect();
        (!events.is_empty()).then_some(Transcript { events })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_their_order_and_can_be_mended_and_taken_out() {
        let mut events = Events::default();
        events.input(0, None);
        let first = events.answer(7, None, "m1", None, None).expect("it fits");
        let second = events
            .answer(9, None, "m2", Some("m"), None)
            .expect("it fits");
        events.result(9, None, "c", false);
        events.remove(first);
        assert_eq!(events.get(first), None);
        events.get(second).expect("kept").at = Moment::from_millis(5);
        let made = events.finish().expect("some").events;
        assert_eq!(made.iter().map(|e| e.thread).collect::<Vec<_>>(), [0, 1, 1]);
        assert_eq!(made[1].at, Moment::from_millis(5));
        assert_eq!(Events::default().finish(), None);
    }

    #[test]
    fn events_and_ids_stay_within_their_bounds() {
        let mut events = Events::default();
        let path = "p".repeat(60_000);
        let target = Target {
            path: Some(&path),
            ..Target::default()
        };
        for _ in 0..1000 {
            events.call(0, None, "c", "Read", Does::Read, &target);
        }
        assert!(events.cut);
        let kept = events.finish().expect("some").events.len();
        assert!((150..250).contains(&kept), "{kept}");

        let mut threads = Threads::default();
        assert_eq!(
            (threads.of("a"), threads.of("b"), threads.of("a")),
            (1, 2, 1)
        );
        let mut seen = Seen::default();
        assert!(seen.first("a") && !seen.first("a") && seen.has("a") && !seen.has("b"));
        assert_eq!(seen.count(), Some(1));
    }
}
