//! What making a change took: listed with their definitions, not computed in this version.
//!
//! The figure of a checkpoint is that of the attempt that made its agent commit, sub-agents
//! included. Two sources of one session that disagree make it unknown.

use super::definition::{Direction, Level, Measure, Pool};

const SPENDING: &str = "spending";
const TOKENS: &str = "tokens";
const EFFORT: &str = "effort";
const TIME: &str = "time";
const OVERHEAD: &str = "overhead";

const EDGES: &str = "No envelope recorded, or one that lacks it: unknown, never 0.";

const fn taken(family: &'static str, unit: &'static str) -> Measure {
    Measure {
        unit,
        pool: Pool::Sum,
        edges: EDGES,
        source: "agent's own report, as PetClinic-Evolve (PC) reads it",
        ..Measure::later(family, Level::Process)
    }
}

const fn described(family: &'static str, unit: &'static str) -> Measure {
    Measure {
        direction: Direction::Descriptive,
        primary: false,
        ..taken(family, unit)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "cost_usd",
        aliases: &["total_cost_usd", "cost"],
        title: "cost",
        definition: "Cost of the session in US dollars, as the agent's command reported it.",
        reads_high: "Much context read and much written.",
        blind_spot: "It is the command's own estimate; see cost_priced_usd.",
        ..taken(SPENDING, "USD")
    },
    Measure {
        id: "cost_priced_usd",
        title: "cost by the price table",
        definition: "Cost of the session by the dated price table: tokens of each kind times \
                     their price.",
        edges: "A model that is not in the table: unknown.",
        source: "PluginBench (PB), scaffold benchmark (SC)",
        reads_high: "Much context read and much written.",
        blind_spot: "Discounts, tiers and prices after the table's date.",
        ..taken(SPENDING, "USD")
    },
    Measure {
        id: "cost_gap",
        title: "cost gap",
        definition: "Reported cost less cost by the price table.",
        edges: "Either unknown: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "A report or a table that is wrong.",
        blind_spot: "Which of the two it is.",
        ..described(SPENDING, "USD")
    },
    Measure {
        id: "input_tokens",
        title: "input tokens",
        definition: "Prompt tokens that were not read from the cache.",
        reads_high: "New context in each request.",
        blind_spot: "Most of the context is in cache_read_tokens.",
        ..described(TOKENS, "tokens")
    },
    Measure {
        id: "output_tokens",
        title: "output tokens",
        definition: "Tokens the model wrote, its reasoning included.",
        reads_high: "Much code, many edits, long reasoning.",
        blind_spot: "A size signal, not one of quality.",
        ..described(TOKENS, "tokens")
    },
    Measure {
        id: "cache_read_tokens",
        aliases: &["cache_read", "cache_read_input_tokens"],
        title: "cache-read tokens",
        definition: "Prompt tokens read from the cache: how much context was read again.",
        reads_high: "Code of which much must be read to change it.",
        blind_spot: "It grows with the number of turns, whatever is read.",
        ..taken(TOKENS, "tokens")
    },
    Measure {
        id: "cache_creation_tokens",
        aliases: &["cache_creation_input_tokens"],
        title: "cache-creation tokens",
        definition: "Prompt tokens written to the cache.",
        reads_high: "Much new context.",
        blind_spot: "Cache lifetimes differ in price; the record has them apart.",
        ..described(TOKENS, "tokens")
    },
    Measure {
        id: "reasoning_tokens",
        title: "reasoning tokens",
        definition: "The part of the output tokens that was reasoning.",
        edges: "Not every agent reports it: unknown.",
        source: "PluginBench (PB)",
        reads_high: "Long thinking.",
        blind_spot: "What was thought.",
        ..described(TOKENS, "tokens")
    },
    Measure {
        id: "num_turns",
        aliases: &["turns"],
        title: "turns",
        definition: "Agent steps: one model response with the tools it called.",
        reads_high: "Trial and error.",
        blind_spot: "A step that reads counts like one that rewrites a file.",
        ..taken(EFFORT, "turns")
    },
    Measure {
        id: "attempts",
        title: "attempts",
        definition: "Tries at the checkpoint, failed and rate-limited ones included.",
        reads_high: "Work that failed and was begun again.",
        blind_spot: "Why a try failed.",
        ..taken(EFFORT, "attempts")
    },
    Measure {
        id: "review_cycles",
        title: "review cycles",
        definition: "Review sessions of the checkpoint.",
        source: "scaffold benchmark (SC)",
        reads_high: "Work that was sent back.",
        blind_spot: "What the reviews found.",
        ..taken(EFFORT, "sessions")
    },
    Measure {
        id: "duration_ms",
        title: "duration",
        definition: "Session time as reported, with waits inside the session.",
        reads_high: "Slow builds and tests as much as slow thinking.",
        blind_spot: "A property of the toolchain more than of the code.",
        ..taken(TIME, "ms")
    },
    Measure {
        id: "duration_api_ms",
        title: "model time",
        definition: "Time the model took, without the tools that ran.",
        reads_high: "More context and more to write.",
        blind_spot: "The provider's load.",
        ..taken(TIME, "ms")
    },
    Measure {
        id: "wall_ms",
        title: "wall time",
        definition: "Time from start to end of the agent's process, by our own monotonic clock.",
        edges: "Not run by this program: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Everything that takes time.",
        blind_spot: "What the time went to.",
        ..taken(TIME, "ms")
    },
    Measure {
        id: "wait_ms",
        title: "wait time",
        definition: "Waits between attempts.",
        reads_high: "Rate limits.",
        blind_spot: "Waits inside a session.",
        ..taken(TIME, "ms")
    },
    Measure {
        id: "tool_calls",
        title: "tool calls",
        definition: "Tool calls of the session.",
        edges: "No transcript: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Much looking around and much trying.",
        blind_spot: "What was called.",
        ..described(EFFORT, "calls")
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
        ..taken(EFFORT, "reads")
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
        ..taken(EFFORT, "runs")
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
        ..taken(TIME, "ms")
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
        ..taken(TIME, "ms")
    },
    Measure {
        id: "fixed_tokens",
        title: "fixed tokens",
        pool: Pool::None,
        definition: "Tokens of a probe that loads the context and does no work.",
        edges: "No such probe: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Guidance that is always loaded.",
        blind_spot: "What is loaded only on demand.",
        ..taken(OVERHEAD, "tokens")
    },
    Measure {
        id: "task_tokens",
        title: "task tokens",
        pool: Pool::None,
        definition: "All tokens of a session less the fixed ones.",
        edges: "Either unknown: unknown.",
        source: "scaffold benchmark (SC)",
        reads_high: "Work that takes much context or much trying.",
        blind_spot: "Fixed tokens are read again each turn; they are taken off once.",
        ..described(OVERHEAD, "tokens")
    },
    Measure {
        id: "probe_recall",
        title: "recall of a fresh reader",
        unit: "ratio",
        direction: Direction::HigherIsBetter,
        pool: Pool::None,
        definition: "Rules that an agent without history names ÷ rules landed so far.",
        edges: "Sparse: only where a probe ran. No rule landed: undefined.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Code from which a newcomer can tell what it does.",
        blind_spot: "Rules it names in other words than the key expects.",
        ..taken("probe", "ratio")
    },
];
