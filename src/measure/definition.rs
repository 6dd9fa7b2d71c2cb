//! What is said of a measure: its names, its words, what it needs, and how it is computed.

use crate::history::{Needs, Step};

use super::Figure;

/// Everything about one measure. The words are for people, the rest steers the program.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The id in options, JSON and CSV.
    pub id: &'static str,
    /// Other names it is found by (those of the sources).
    pub aliases: &'static [&'static str],
    /// Two to five words for a heading.
    pub title: &'static str,
    /// What its number counts (`functions`, `lines`, `ratio`, `USD`).
    pub unit: &'static str,
    /// Which way is better.
    pub direction: Direction,
    /// What it is a property of.
    pub level: Level,
    /// The word that selects it together with its kin; never an id.
    pub family: &'static str,
    /// True where it can tell conditions apart by itself; a secondary measure is context.
    pub primary: bool,
    /// True where figures of different languages are never added.
    pub per_language: bool,
    /// True where it looks at earlier changes, back to the base or over the lookback.
    pub windowed: bool,
    /// What undetected renames would do to it.
    pub renames: Renames,
    /// How the figures of several changes become one.
    pub pool: Pool,
    /// What the pass over the history has to compute for it.
    pub needs: Needs,
    /// True where it is unknown without an entry pattern.
    pub needs_entry: bool,
    /// What it is, in one or two sentences.
    pub definition: &'static str,
    /// What it is where the population is empty, unread or odd.
    pub edges: &'static str,
    /// Who defined it.
    pub source: &'static str,
    /// What makes it high.
    pub reads_high: &'static str,
    /// What it does not see.
    pub blind_spot: &'static str,
    /// Whether this version computes it.
    pub availability: Availability,
    /// A step in, a figure out; `None` where this version does not compute it, and of what is a
    /// score of whole chains. Callers use
    /// [`figure`](super::catalogue::figure), which looks at what makes the step unknown first.
    pub compute: Option<fn(&Step) -> Figure>,
}

impl Measure {
    /// A measure of `family` at `level` that this version does not compute, without words.
    pub(super) const fn later(family: &'static str, level: Level) -> Measure {
        Measure {
            id: "",
            aliases: &[],
            title: "",
            unit: "",
            direction: Direction::LowerIsBetter,
            level,
            family,
            primary: true,
            per_language: false,
            windowed: false,
            renames: Renames::Indifferent,
            pool: Pool::None,
            needs: NOTHING,
            needs_entry: false,
            definition: "",
            edges: "",
            source: "",
            reads_high: "",
            blind_spot: "",
            availability: Availability::NotInThisVersion,
            compute: None,
        }
    }

    /// A measure of `family` over whole chains, without words: made of figures of steps, and so
    /// no figure of one.
    pub(super) const fn whole(family: &'static str) -> Measure {
        Measure {
            availability: Availability::Implemented,
            ..Measure::later(family, Level::Chain)
        }
    }

    /// A measure of `family` at `level` that `compute` computes, without words.
    pub(super) const fn now(
        family: &'static str,
        level: Level,
        compute: fn(&Step) -> Figure,
    ) -> Measure {
        Measure {
            availability: Availability::Implemented,
            compute: Some(compute),
            renames: match level {
                Level::Change => Renames::Paired,
                _ => Renames::Indifferent,
            },
            ..Measure::later(family, level)
        }
    }
}

/// What a measure is a property of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// What one change did.
    Change,
    /// What the tree is after it.
    State,
    /// What the tests said of it.
    Tests,
    /// A whole chain, arm or task.
    Chain,
    /// What making it took.
    Process,
}

impl Level {
    /// Every level, in the order of the catalogue.
    pub const ALL: [Level; 5] = [
        Level::Change,
        Level::State,
        Level::Tests,
        Level::Chain,
        Level::Process,
    ];

    /// The word that selects its measures.
    pub fn word(self) -> &'static str {
        match self {
            Level::Change => "change",
            Level::State => "state",
            Level::Tests => "tests",
            Level::Process => "process",
            Level::Chain => "chain",
        }
    }
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// ↓
    LowerIsBetter,
    /// ↑
    HigherIsBetter,
    /// Neither: it describes.
    Descriptive,
}

impl Direction {
    /// `↓`, `↑` or `·`.
    pub fn arrow(self) -> &'static str {
        match self {
            Direction::LowerIsBetter => "↓",
            Direction::HigherIsBetter => "↑",
            Direction::Descriptive => "·",
        }
    }

    /// The words for people and machine output.
    pub fn words(self) -> &'static str {
        match self {
            Direction::LowerIsBetter => "lower is better",
            Direction::HigherIsBetter => "higher is better",
            Direction::Descriptive => "descriptive",
        }
    }
}

/// Whether this version computes a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    /// It does.
    Implemented,
    /// It does not: the figure is unknown, with [`NOT_IN_THIS_VERSION`] as the reason.
    NotInThisVersion,
}

/// The reason of every figure whose measure is not computed.
pub const NOT_IN_THIS_VERSION: &str = "not implemented in this version";

/// The reason of every figure of a single change whose measure is one of whole chains.
pub const OF_WHOLE_CHAINS: &str =
    "a score of whole chains, which `git evolve compare` shows for each arm";

/// How the figures of several changes become one figure of their range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Known values are added.
    Sum,
    /// Numerators are added, denominators are added, then divided: a mean of ratios would
    /// weigh a change of one line like one of a thousand.
    SumOverSum,
    /// Not pooled: a state, an extreme, or something whose sum means nothing.
    None,
}

impl Pool {
    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Pool::Sum => "added up over a range",
            Pool::SumOverSum => "pooled over a range as sum over sum",
            Pool::None => "not pooled over a range",
        }
    }
}

/// What a rename that was not looked for would do to a figure of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Renames {
    /// Nothing.
    Indifferent,
    /// Both sides are read together: the figure would be another.
    Paired,
    /// Each side is read alone; only a production file that left for a place where nothing
    /// is production would be read differently.
    ByClass,
}

/// Needs nothing but the list of changed files.
pub(super) const NOTHING: Needs = Needs {
    lines: false,
    all_lines: false,
    origins: false,
    functions: false,
    tree: false,
    config_lines: false,
    hot_share: false,
    captures: false,
    noops: false,
};

/// Needs the line hunks of code files.
pub(super) const LINES: Needs = Needs {
    lines: true,
    ..NOTHING
};

/// Needs the line hunks of every text file.
pub(super) const ALL_LINES: Needs = Needs {
    lines: true,
    all_lines: true,
    ..NOTHING
};

/// Needs the functions of both sides, by themselves.
pub(super) const FUNCTIONS: Needs = Needs {
    functions: true,
    ..NOTHING
};

/// Needs to know which functions the hunks touch.
pub(super) const TOUCHED: Needs = Needs {
    lines: true,
    functions: true,
    ..NOTHING
};

/// Needs the records of sessions, gate runs and coverage.
pub(super) const CAPTURES: Needs = Needs {
    captures: true,
    ..NOTHING
};

/// Needs them, and those of the arm's sessions that were for nothing.
pub(super) const NOOPS: Needs = Needs {
    noops: true,
    ..CAPTURES
};

/// Needs the functions of the whole tree.
pub(super) const TREE: Needs = Needs {
    tree: true,
    ..NOTHING
};
