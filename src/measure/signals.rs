//! What a transcript tells of how the work went: reads that were no news, failures in a row, and
//! where the time went. Each thread (the main one, and each sub-agent) is read by itself.
//!
//! Source: the scaffold benchmark (SC), which names them; the definitions are ours.
//! Reads high on: a context that was lost, tools that fail one after the other.
//! Blind spot: reads through a shell, and a wrong idea whose tools all succeed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::record::{Did, Does, Happening, Transcript};

/// What one transcript tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signals {
    /// Reads of the same path, offset and limit as an earlier successful one of their thread,
    /// with no successful write of that path in between.
    pub redundant_reads: u64,
    /// Runs of failed tool results in a row, each as long as it can be.
    pub wrong_turns: u64,
    /// Milliseconds of each answer: its last block's time less the latest input or tool result
    /// before it; thread by thread. An answer without either time is not here.
    pub model_step_ms: Vec<i64>,
    /// Milliseconds of each tool call: the result's time less the call's; thread by thread. A
    /// call without either time is not here.
    pub tool_ms: Vec<i64>,
}

/// Computes the signals of a transcript.
pub fn signals(transcript: &Transcript) -> Signals {
    let mut signals = Signals::default();
    for thread in threads(transcript) {
        let outcomes = outcomes(&thread);
        signals.redundant_reads += redundant_reads(&thread, &outcomes);
        signals.wrong_turns += wrong_turns(&thread);
        model_steps(&thread, &mut signals.model_step_ms);
        tool_times(&thread, &mut signals.tool_ms);
    }
    signals
}

/// Milliseconds between consecutive messages (inputs, answers, tool results) of one thread, of
/// all threads; messages without a time are passed over.
pub fn step_latencies(transcript: &Transcript) -> Vec<u64> {
    let mut latencies = Vec::new();
    for thread in threads(transcript) {
        let mut times: Vec<i64> = thread
            .iter()
            .filter(|h| !matches!(h.what, Did::Call { .. }))
            .filter_map(|h| h.at.map(|at| at.millis()))
            .collect();
        times.sort_unstable();
        latencies.extend(times.windows(2).map(|two| two[1].abs_diff(two[0])));
    }
    latencies
}

/// How many tools were called: calls with one id are one.
pub fn tool_calls(transcript: &Transcript) -> u64 {
    call_ids(transcript).len() as u64
}

/// The ids of its tool calls.
pub fn call_ids(transcript: &Transcript) -> BTreeSet<&str> {
    transcript
        .events
        .iter()
        .filter_map(|h| match &h.what {
            Did::Call { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect()
}

/// How many calls failed: those with a result that is marked as failed.
pub fn tool_errors(transcript: &Transcript) -> u64 {
    let failed: HashSet<&str> = transcript
        .events
        .iter()
        .filter_map(|h| match &h.what {
            Did::Result { id, ok: false } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    failed.len() as u64
}

/// The events of each thread, in their order.
fn threads(transcript: &Transcript) -> Vec<Vec<&Happening>> {
    let mut threads: BTreeMap<u32, Vec<&Happening>> = BTreeMap::new();
    for happening in &transcript.events {
        threads.entry(happening.thread).or_default().push(happening);
    }
    threads.into_values().collect()
}

/// Which calls came back well.
fn outcomes<'t>(thread: &[&'t Happening]) -> HashMap<&'t str, bool> {
    thread
        .iter()
        .filter_map(|h| match &h.what {
            Did::Result { id, ok } => Some((id.as_str(), *ok)),
            _ => None,
        })
        .collect()
}

fn redundant_reads(thread: &[&Happening], outcomes: &HashMap<&str, bool>) -> u64 {
    let mut seen: HashMap<&str, HashSet<(Option<i64>, Option<i64>)>> = HashMap::new();
    let mut calls = HashSet::new();
    let mut redundant = 0;
    for happening in thread {
        let Did::Call {
            id,
            does,
            path: Some(path),
            offset,
            limit,
            ..
        } = &happening.what
        else {
            continue;
        };
        if !calls.insert(id.as_str()) {
            continue;
        }
        let ok = outcomes.get(id.as_str()) == Some(&true);
        match does {
            Does::Read => {
                let ranges = seen.entry(path).or_default();
                let range = (*offset, *limit);
                redundant += u64::from(ranges.contains(&range));
                if ok {
                    ranges.insert(range);
                }
            }
            Does::Write if ok => {
                seen.remove(path.as_str());
            }
            Does::Write | Does::Other => {}
        }
    }
    redundant
}

fn wrong_turns(thread: &[&Happening]) -> u64 {
    let mut runs = 0;
    let mut failing = false;
    for happening in thread {
        if let Did::Result { ok, .. } = &happening.what {
            runs += u64::from(!ok && !failing);
            failing = !ok;
        }
    }
    runs
}

fn model_steps(thread: &[&Happening], into: &mut Vec<i64>) {
    let mut asked = None;
    for happening in thread {
        match &happening.what {
            Did::Input | Did::Result { .. } => asked = asked.max(happening.at),
            Did::Answer { .. } => {
                if let (Some(asked), Some(at)) = (asked, happening.at) {
                    into.push(at.millis() - asked.millis());
                }
            }
            Did::Call { .. } => {}
        }
    }
}

fn tool_times(thread: &[&Happening], into: &mut Vec<i64>) {
    let mut results = HashMap::new();
    for happening in thread {
        if let (Did::Result { id, .. }, Some(at)) = (&happening.what, happening.at) {
            results.entry(id.as_str()).or_insert(at);
        }
    }
    let mut calls = HashSet::new();
    for happening in thread {
        if let Did::Call { id, .. } = &happening.what
            && calls.insert(id.as_str())
            && let (Some(called), Some(back)) = (happening.at, results.get(id.as_str()))
        {
            into.push(back.millis() - called.millis());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Moment;

    fn at(thread: u32, millis: i64, what: Did) -> Happening {
        Happening {
            thread,
            at: Moment::from_millis(millis),
            what,
        }
    }

    fn input(millis: i64) -> Happening {
        at(0, millis, Did::Input)
    }

    fn answer(millis: i64) -> Happening {
        at(
            0,
            millis,
            Did::Answer {
                id: millis.to_string(),
                model: None,
                tokens: None,
            },
        )
    }

    fn call(millis: i64, id: &str, does: Does, path: &str, offset: Option<i64>) -> Happening {
        at(
            0,
            millis,
            Did::Call {
                id: id.to_owned(),
                tool: "T".to_owned(),
                does,
                path: (!path.is_empty()).then(|| path.to_owned()),
                offset,
                limit: None,
            },
        )
    }

    fn result(millis: i64, id: &str, ok: bool) -> Happening {
        at(
            0,
            millis,
            Did::Result {
                id: id.to_owned(),
                ok,
            },
        )
    }

    fn of(events: Vec<Happening>) -> Signals {
        signals(&Transcript { events })
    }

    /// A call and its result, one after the other.
    fn done(id: &str, does: Does, path: &str, ok: bool) -> [Happening; 2] {
        [call(0, id, does, path, None), result(0, id, ok)]
    }

    #[test]
    fn a_read_is_redundant_after_a_successful_one_without_a_successful_write_between() {
        use Does::{Other, Read, Write};
        let count = |steps: &[[Happening; 2]]| of(steps.concat()).redundant_reads;
        let read = |id: &str, ok| done(id, Read, "a", ok);
        assert_eq!(
            count(&[read("1", true), read("2", true), read("3", true)]),
            2
        );
        assert_eq!(count(&[read("1", false), read("2", true)]), 0);
        assert_eq!(count(&[read("1", true), read("2", false)]), 1);
        let write = |id: &str, path: &str, ok| done(id, Write, path, ok);
        assert_eq!(
            count(&[read("1", true), write("2", "a", true), read("3", true)]),
            0
        );
        assert_eq!(
            count(&[read("1", true), write("2", "a", false), read("3", true)]),
            1
        );
        assert_eq!(
            count(&[read("1", true), write("2", "b", true), read("3", true)]),
            1
        );
        assert_eq!(count(&[done("1", Other, "a", true), read("2", true)]), 0);
        assert_eq!(
            count(&[done("1", Read, "", true), done("2", Read, "", true)]),
            0
        );
        let range = |id: &str, from| [call(0, id, Read, "a", from), result(0, id, true)];
        assert_eq!(
            count(&[range("1", None), range("2", Some(1)), range("3", Some(1))]),
            1
        );
    }

    #[test]
    fn one_call_written_twice_is_one_and_a_call_without_result_read_nothing() {
        let twice = vec![
            call(0, "1", Does::Read, "a", None),
            call(0, "1", Does::Read, "a", None),
            result(0, "1", true),
        ];
        assert_eq!(of(twice).redundant_reads, 0);
        let open = vec![
            call(0, "1", Does::Read, "a", None),
            call(0, "2", Does::Read, "a", None),
            result(0, "2", true),
        ];
        assert_eq!(of(open).redundant_reads, 0);
    }

    #[test]
    fn threads_are_read_by_themselves() {
        let mut events: Vec<Happening> = done("1", Does::Read, "a", false).into();
        for mut happening in done("2", Does::Read, "a", false) {
            happening.thread = 1;
            events.push(happening);
        }
        events.extend(done("3", Does::Read, "b", false));
        let found = of(events);
        assert_eq!((found.redundant_reads, found.wrong_turns), (0, 2));
    }

    #[test]
    fn a_wrong_turn_is_as_long_as_it_can_be() {
        let run = |oks: &[bool]| {
            let events = oks.iter().enumerate();
            of(events
                .map(|(i, ok)| result(0, &i.to_string(), *ok))
                .collect())
            .wrong_turns
        };
        assert_eq!(run(&[]), 0);
        assert_eq!(run(&[true, true]), 0);
        assert_eq!(run(&[false, false, true, false]), 2);
        let with_words_between = vec![result(0, "1", false), input(1), result(2, "2", false)];
        assert_eq!(of(with_words_between).wrong_turns, 1);
    }

    #[test]
    fn times_are_from_the_latest_word_to_the_answer_and_from_call_to_result() {
        let events = vec![
            answer(5),
            input(10),
            answer(40),
            call(30, "1", Does::Other, "", None),
            call(40, "2", Does::Other, "", None),
            result(90, "2", true),
            result(70, "1", true),
            answer(100),
            call(100, "3", Does::Other, "", None),
        ];
        let found = of(events.clone());
        assert_eq!(found.model_step_ms, [30, 10]);
        assert_eq!(found.tool_ms, [40, 50]);
        let steps = step_latencies(&Transcript { events });
        assert_eq!(steps, [5, 30, 30, 20, 10]);
    }
}
