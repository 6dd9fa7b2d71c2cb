//! What can be typed of a study: which arms, what is compared with what, of which checkpoints.

use clap::{Args, ValueEnum};

use super::quality::QualityArgs;
use crate::cli::args::{MetricsChoice, PathArgs, SettingsArgs};
use crate::cli::at::AtArgs;
use crate::error::Result;
use crate::measure::catalogue::{self, Availability, Level, Measure};
use crate::report::Attempts;

/// Which arms, and how they are compared.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct StudyArgs {
    /// Arms, in the order shown, or experiments, whose arms they stand for; else all arms but
    /// references. Of several experiments an arm is EXPERIMENT/ARM
    #[arg(value_name = "ARM")]
    pub arms: Vec<String>,
    /// Compare the others with this arm (else: the plan's baseline, the first named, the first by
    /// name)
    #[arg(long, value_name = "ARM")]
    pub baseline: Option<String>,
    /// Compare every pair of arms, and not each with the baseline alone
    #[arg(long)]
    pub pairwise: bool,
    /// Compare the levels of a factor of the plan, the arms of each level taken together; `task`:
    /// the arms task by task, beside the comparison over all tasks
    #[arg(long, value_name = "task|FACTOR")]
    pub by: Option<String>,
    /// Compare within each task, or within each level of a factor, then over all of them, labels
    /// permuted within each
    #[arg(long, value_name = "task|FACTOR")]
    pub within: Option<String>,
    /// Which checkpoints figures are of
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub attempts: AttemptsWord,
    /// Exit with 1 where the arms differ in how they were made and the plan does not declare it
    #[arg(long)]
    pub strict_provenance: bool,
    /// Parameters of scores.
    #[command(flatten)]
    pub quality: QualityArgs,
    /// Which measures.
    #[command(flatten)]
    pub metrics: MetricsChoice,
    /// Paths.
    #[command(flatten)]
    pub paths: PathArgs,
    /// Which tree of a checkpoint.
    #[command(flatten)]
    pub at: AtArgs,
    /// What can move a figure.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Which checkpoints, as typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AttemptsWord {
    /// All that were reached
    #[default]
    All,
    /// Those that passed
    Passing,
}

impl From<AttemptsWord> for Attempts {
    fn from(word: AttemptsWord) -> Attempts {
        match word {
            AttemptsWord::All => Attempts::All,
            AttemptsWord::Passing => Attempts::Passing,
        }
    }
}

/// The levels in the order a study leads with them: what changes did, what the tests said, what
/// it took, what the tree is.
const LEADING: [Level; 4] = [Level::Change, Level::State, Level::Tests, Level::Process];

impl StudyArgs {
    /// The measures typed; else those a study leads with: every primary one that this version
    /// computes and that has numbers, by level: changes, the state, tests, then what it took.
    ///
    /// # Errors
    /// A usage error for a word that names nothing, or only scores of whole arms.
    pub(in crate::cli) fn measures(&self) -> Result<Vec<&'static Measure>> {
        if let Some(words) = &self.metrics.metrics {
            return catalogue::select(words);
        }
        let leads = |m: &&Measure| {
            m.primary && m.availability == Availability::Implemented && m.id != "outcome"
        };
        let of = |level: Level| catalogue::all().iter().filter(move |m| m.level == level);
        Ok(LEADING.into_iter().flat_map(of).filter(leads).collect())
    }
}
