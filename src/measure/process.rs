//! What making a change took: money, tokens, turns, time.
//!
//! The figure of a checkpoint is that of the attempt that made its agent commit, sub-agents
//! included; with `_all` it is that of every attempt, failed and rate-limited ones too. Sessions
//! that were for something else (review, refactor, probe, noop) are in neither. Two sources of
//! one session that disagree make it unknown.
//!
//! Source: what the agents report, as PetClinic-Evolve and the scaffold benchmark read it.
//! Reads high on: long contexts, slow tools, trial and error.
//! Blind spot: what an agent does not report, and what was done by hand.

mod all;
mod figures;
mod sums;
mod told;
mod worked;

#[cfg(test)]
mod tests;

pub(super) use all::MEASURES as ALL_ATTEMPTS;
pub use worked::{Worked, unreached, worked};

use figures::Which::Made;
use told::Count;

use super::Figure;
use super::definition::{CAPTURES, Direction, Level, Measure, NOOPS, Pool};
use crate::history::Step;

const SPENDING: &str = "spending";
const TOKENS: &str = "tokens";
const EFFORT: &str = "effort";
const TIME: &str = "time";
const OVERHEAD: &str = "overhead";

const EDGES: &str = "No session recorded, or a format that does not tell it: unknown, never 0.";
const NO_WALL: &str = "its wall time is not recorded";
const NO_WAIT: &str = "the wait before it is not recorded";

const fn taken(family: &'static str, unit: &'static str, compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        unit,
        pool: Pool::Sum,
        edges: EDGES,
        source: "agent's own report, as PetClinic-Evolve (PC) reads it",
        needs: CAPTURES,
        ..Measure::now(family, Level::Process, compute)
    }
}

const fn described(
    family: &'static str,
    unit: &'static str,
    compute: fn(&Step) -> Figure,
) -> Measure {
    Measure {
        direction: Direction::Descriptive,
        primary: false,
        ..taken(family, unit, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "cost_usd",
        aliases: &["total_cost_usd", "cost"],
        title: "cost",
        definition: "Cost in US dollars, as the agent's command reported it.",
        reads_high: "Much context read and much written.",
        blind_spot: "It is the command's own estimate; see cost_priced_usd.",
        ..taken(SPENDING, "USD", |step| figures::cost(step, Made))
    },
    Measure {
        id: "cost_priced_usd",
        title: "cost by the price table",
        definition: "Cost by the dated price table (--prices): tokens of each kind times their \
                     price, by call where calls are told apart.",
        edges: "A model that is not in the table, or that nobody names: unknown. A long-context \
                step that single calls may pass and that cannot be told: at base rates, said.",
        source: "PluginBench (PB), scaffold benchmark (SC)",
        reads_high: "Much context read and much written.",
        blind_spot: "Discounts, tiers and prices after the table's date.",
        ..taken(SPENDING, "USD", |step| figures::cost_priced(step, Made))
    },
    Measure {
        id: "cost_gap",
        title: "cost gap",
        definition: "Reported cost less cost by the price table.",
        edges: "Either unknown: unknown. Computed exactly, then rounded once.",
        source: "scaffold benchmark (SC)",
        reads_high: "A report or a table that is wrong.",
        blind_spot: "Which of the two it is.",
        ..described(SPENDING, "USD", |step| figures::cost_gap(step, Made))
    },
    Measure {
        id: "input_tokens",
        title: "input tokens",
        definition: "Prompt tokens that were not read from the cache.",
        reads_high: "New context in each request.",
        blind_spot: "Most of the context is in cache_read_tokens.",
        ..described(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Input, Made)
        })
    },
    Measure {
        id: "output_tokens",
        title: "output tokens",
        definition: "Tokens the model wrote, its reasoning included.",
        reads_high: "Much code, many edits, long reasoning.",
        blind_spot: "A size signal, not one of quality.",
        ..described(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Output, Made)
        })
    },
    Measure {
        id: "cache_read_tokens",
        aliases: &["cache_read", "cache_read_input_tokens"],
        title: "cache-read tokens",
        definition: "Prompt tokens read from the cache: how much context was read again.",
        reads_high: "Code of which much must be read to change it.",
        blind_spot: "It grows with the number of turns, whatever is read.",
        ..taken(TOKENS, "tokens", |step| {
            figures::counted(step, Count::CacheRead, Made)
        })
    },
    Measure {
        id: "cache_creation_tokens",
        aliases: &["cache_creation_input_tokens"],
        title: "cache-creation tokens",
        definition: "Prompt tokens written to the cache.",
        reads_high: "Much new context.",
        blind_spot: "Cache lifetimes differ in price; the record has them apart.",
        ..described(TOKENS, "tokens", |step| {
            figures::counted(step, Count::CacheCreation, Made)
        })
    },
    Measure {
        id: "reasoning_tokens",
        title: "reasoning tokens",
        definition: "The part of the output tokens that was reasoning.",
        edges: "Not every agent reports it: unknown.",
        source: "PluginBench (PB)",
        reads_high: "Long thinking.",
        blind_spot: "What was thought.",
        ..described(TOKENS, "tokens", |step| {
            figures::counted(step, Count::Reasoning, Made)
        })
    },
    Measure {
        id: "num_turns",
        aliases: &["turns"],
        title: "turns",
        definition: "Agent steps: one model response with the tools it called.",
        reads_high: "Trial and error.",
        blind_spot: "A step that reads counts like one that rewrites a file.",
        ..taken(EFFORT, "turns", |step| {
            figures::counted(step, Count::Turns, Made)
        })
    },
    Measure {
        id: "attempts",
        title: "attempts",
        definition: "Tries at the checkpoint, failed and rate-limited ones included.",
        reads_high: "Work that failed and was begun again.",
        blind_spot: "Why a try failed.",
        ..taken(EFFORT, "attempts", figures::attempts)
    },
    Measure {
        id: "review_cycles",
        title: "review cycles",
        definition: "Review sessions of the checkpoint.",
        source: "scaffold benchmark (SC)",
        reads_high: "Work that was sent back.",
        blind_spot: "What the reviews found.",
        ..taken(EFFORT, "sessions", figures::review_cycles)
    },
    Measure {
        id: "duration_ms",
        title: "duration",
        definition: "Session time as reported, with waits inside the session.",
        reads_high: "Slow builds and tests as much as slow thinking.",
        blind_spot: "A property of the toolchain more than of the code.",
        ..taken(TIME, "ms", |step| {
            figures::counted(step, Count::Duration, Made)
        })
    },
    Measure {
        id: "duration_api_ms",
        title: "model time",
        definition: "Time the model took, without the tools that ran.",
        reads_high: "More context and more to write.",
        blind_spot: "The provider's load.",
        ..taken(TIME, "ms", |step| {
            figures::counted(step, Count::ModelTime, Made)
        })
    },
    Measure {
        id: "wall_ms",
        title: "wall time",
        definition: "Time from start to end of the agent's process, by our own monotonic clock.",
        edges: "Not run by this program: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Everything that takes time.",
        blind_spot: "What the time went to.",
        ..taken(TIME, "ms", |step| {
            figures::clocked(step, Made, |s| s.wall_ms, NO_WALL)
        })
    },
    Measure {
        id: "wait_ms",
        title: "wait time",
        definition: "Waits before the attempt.",
        edges: "Not recorded: unknown.",
        reads_high: "Rate limits.",
        blind_spot: "Waits inside a session.",
        ..taken(TIME, "ms", |step| {
            figures::clocked(step, Made, figures::waited, NO_WAIT)
        })
    },
    Measure {
        id: "tool_calls",
        title: "tool calls",
        definition: "Distinct tool calls.",
        source: "scaffold benchmark (SC)",
        reads_high: "Much looking around and much trying.",
        blind_spot: "What was called.",
        ..described(EFFORT, "calls", |step| {
            figures::counted(step, Count::ToolCalls, Made)
        })
    },
    Measure {
        id: "redundant_reads",
        title: "redundant reads",
        definition: "Reads of a file range that had been read before, with no write to it in \
                     between.",
        edges: "No transcript: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Context lost and read again.",
        blind_spot: "Reads through shell commands.",
        ..taken(EFFORT, "reads", |step| {
            figures::counted(step, Count::RedundantReads, Made)
        })
    },
    Measure {
        id: "wrong_turns",
        title: "wrong turns",
        definition: "Runs of consecutive failed tool results in a thread, each as long as it can \
                     be.",
        edges: "No transcript: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Trying what does not work.",
        blind_spot: "A wrong idea whose tools all succeed.",
        ..taken(EFFORT, "runs", |step| {
            figures::counted(step, Count::WrongTurns, Made)
        })
    },
    Measure {
        id: "step_latency_p50",
        title: "median step latency",
        pool: Pool::None,
        definition: "Median time between consecutive messages, linearly interpolated.",
        edges: "Fewer than two messages: undefined. No transcript: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Slow steps as a rule.",
        blind_spot: "Model and tool time are not told apart.",
        ..taken(TIME, "ms", |step| figures::step_latency(step, 0.5))
    },
    Measure {
        id: "step_latency_p99",
        title: "step latency, 99th percentile",
        pool: Pool::None,
        definition: "99th percentile of the time between consecutive messages, linearly \
                     interpolated.",
        edges: "Fewer than two messages: undefined. No transcript: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "A few very slow steps, mostly builds.",
        blind_spot: "In a short session it is the slowest step.",
        ..taken(TIME, "ms", |step| figures::step_latency(step, 0.99))
    },
    Measure {
        id: "fixed_tokens",
        title: "fixed tokens",
        pool: Pool::None,
        definition: "Tokens of a session that loads the context and does no work (noop): the mean \
                     over those of the arm.",
        edges: "No such session: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Guidance that is always loaded.",
        blind_spot: "What is loaded only on demand.",
        needs: NOOPS,
        ..taken(OVERHEAD, "tokens", figures::fixed_tokens)
    },
    Measure {
        id: "task_tokens",
        title: "task tokens",
        pool: Pool::None,
        definition: "All tokens of the attempt (read, written and generated) less the fixed ones.",
        edges: "Either unknown: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Work that takes much context or much trying.",
        blind_spot: "Fixed tokens are read again each turn; they are taken off once.",
        needs: NOOPS,
        ..described(OVERHEAD, "tokens", figures::task_tokens)
    },
    Measure {
        id: "probe_recall",
        title: "recall of a fresh reader",
        unit: "ratio",
        direction: Direction::HigherIsBetter,
        pool: Pool::None,
        definition: "Rules that an agent without history names, by the plan's keywords ÷ rules \
                     landed so far.",
        edges: "Sparse: unknown where no probe ran, drawn as joined points, its slope over the \
                checkpoints that have one. No rule landed: undefined. Of several probes the last \
                that came to an answer.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Code from which a newcomer can tell what it does.",
        blind_spot: "Rules it names in other words than the key expects.",
        needs: CAPTURES,
        ..Measure::now("probe", Level::Process, figures::probe_recall)
    },
    Measure {
        id: "first_try",
        title: "first try",
        direction: Direction::HigherIsBetter,
        pool: Pool::None,
        definition: "The checkpoint passed (strict_pass) with one attempt and no failed tool \
                     result.",
        edges: "Any of the three unknown: unknown, since else what is known would all be 0.",
        source: "scaffold benchmark (SC)",
        reads_high: "Work done without a wrong turn.",
        blind_spot: "A failed search counts like a failed build.",
        ..taken(EFFORT, "flag", figures::first_try)
    },
];
