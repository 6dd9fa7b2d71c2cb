//! The same over every attempt at the change, for what can be added.

use super::figures::{self, Which::All};
use super::told::Count;
use super::{EFFORT, NO_WAIT, NO_WALL, SPENDING, TIME, TOKENS, described};
use crate::history::Step;
use crate::measure::Figure;
use crate::measure::definition::{Direction, Measure};

const SUM_EDGES: &str = "One session that does not tell it makes the sum unknown; the reason says how many, and \
     what the others add up to.";

const SOURCE: &str = "scaffold benchmark (SC): failed attempts cost, too";

const fn sum(family: &'static str, unit: &'static str, compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        edges: SUM_EDGES,
        source: SOURCE,
        ..described(family, unit, compute)
    }
}

const fn lower(family: &'static str, unit: &'static str, compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        direction: Direction::LowerIsBetter,
        ..sum(family, unit, compute)
    }
}

/// Over every attempt.
pub(in crate::measure) const MEASURES: &[Measure] = &[
    Measure {
        id: "cost_usd_all",
        title: "cost of all attempts",
        definition: "Cost in US dollars of every attempt, as the agent's \
                     command reported it.",
        reads_high: "Attempts that failed.",
        blind_spot: "It is the command's own estimate; see cost_priced_usd_all.",
        ..lower(SPENDING, "USD", |step| figures::cost(step, All))
    },
    Measure {
        id: "cost_priced_usd_all",
        title: "priced cost of all attempts",
        definition: "Cost of every attempt by the dated price table.",
        reads_high: "Attempts that failed.",
        blind_spot: "Discounts, tiers and prices after the table's date.",
        ..lower(SPENDING, "USD", |step| figures::cost_priced(step, All))
    },
    Measure {
        id: "input_tokens_all",
        title: "input tokens of all attempts",
        definition: "Prompt tokens of every attempt that were not read from \
                     the cache.",
        reads_high: "New context in each request, and attempts that failed.",
        blind_spot: "Most of the context is in cache_read_tokens_all.",
        ..sum(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Input, All)
        })
    },
    Measure {
        id: "output_tokens_all",
        title: "output tokens of all attempts",
        definition: "Tokens the model wrote in every attempt, its reasoning \
                     included.",
        reads_high: "Much code, long reasoning, and attempts that failed.",
        blind_spot: "A size signal, not one of quality.",
        ..sum(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Output, All)
        })
    },
    Measure {
        id: "cache_read_tokens_all",
        title: "cache-read tokens of all attempts",
        definition: "Prompt tokens of every attempt read from the cache.",
        reads_high: "Code of which much must be read, and attempts that failed.",
        blind_spot: "It grows with the number of turns, whatever is read.",
        ..lower(TOKENS, "tokens", |step| {
            figures::counted(step, Count::CacheRead, All)
        })
    },
    Measure {
        id: "cache_creation_tokens_all",
        title: "cache-creation tokens of all attempts",
        definition: "Prompt tokens of every attempt written to the cache.",
        reads_high: "Much new context, and attempts that failed.",
        blind_spot: "Cache lifetimes differ in price; the record has them apart.",
        ..sum(TOKENS, "tokens", |step| {
            figures::counted(step, Count::CacheCreation, All)
        })
    },
    Measure {
        id: "reasoning_tokens_all",
        title: "reasoning tokens of all attempts",
        definition: "The part of the output tokens of every attempt that was \
                     reasoning.",
        reads_high: "Long thinking, and attempts that failed.",
        blind_spot: "What was thought.",
        ..sum(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Reasoning, All)
        })
    },
    Measure {
        id: "num_turns_all",
        title: "turns of all attempts",
        definition: "Agent steps of every attempt.",
        reads_high: "Trial and error, within attempts and over them.",
        blind_spot: "A step that reads counts like one that rewrites a file.",
        ..lower(EFFORT, "turns", |step| {
            figures::counted(step, Count::Turns, All)
        })
    },
    Measure {
        id: "tool_calls_all",
        title: "tool calls of all attempts",
        definition: "Distinct tool calls of every attempt.",
        reads_high: "Much looking around and much trying.",
        blind_spot: "What was called.",
        ..sum(EFFORT, "calls", |step| {
            figures::counted(step, Count::ToolCalls, All)
        })
    },
    Measure {
        id: "redundant_reads_all",
        title: "redundant reads of all attempts",
        definition: "Redundant reads of every attempt, each attempt by itself.",
        reads_high: "Context lost and read again.",
        blind_spot: "What an attempt reads that an earlier one had read.",
        ..lower(EFFORT, "reads", |step| {
            figures::counted(step, Count::RedundantReads, All)
        })
    },
    Measure {
        id: "wrong_turns_all",
        title: "wrong turns of all attempts",
        definition: "Wrong turns of every attempt.",
        reads_high: "Trying what does not work.",
        blind_spot: "A wrong idea whose tools all succeed.",
        ..lower(EFFORT, "runs", |step| {
            figures::counted(step, Count::WrongTurns, All)
        })
    },
    Measure {
        id: "duration_ms_all",
        title: "duration of all attempts",
        definition: "Time of every attempt as reported, with waits inside \
                     sessions.",
        reads_high: "Slow builds and tests, and attempts that failed.",
        blind_spot: "A property of the toolchain more than of the code.",
        ..lower(TIME, "ms", |step| {
            figures::counted(step, Count::Duration, All)
        })
    },
    Measure {
        id: "duration_api_ms_all",
        title: "model time of all attempts",
        definition: "Time the model took in every attempt, without the tools \
                     that ran.",
        reads_high: "More context and more to write, and attempts that failed.",
        blind_spot: "The provider's load.",
        ..lower(TIME, "ms", |step| {
            figures::counted(step, Count::ModelTime, All)
        })
    },
    Measure {
        id: "wall_ms_all",
        title: "wall time of all attempts",
        definition: "Time from start to end of the agent's process, of every \
                     attempt, by our own monotonic clock.",
        reads_high: "Everything that takes time.",
        blind_spot: "What the time went to.",
        ..lower(TIME, "ms", |step| {
            figures::clocked(step, All, |s| s.wall_ms, NO_WALL)
        })
    },
    Measure {
        id: "wait_ms_all",
        title: "wait time of all attempts",
        definition: "Waits before the attempts, all of them.",
        reads_high: "Rate limits.",
        blind_spot: "Waits inside a session.",
        ..lower(TIME, "ms", |step| {
            figures::clocked(step, All, figures::waited, NO_WAIT)
        })
    },
];
