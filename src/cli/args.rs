//! What can be typed: the subcommands and the groups of options they share.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::{
    attach, begin, check, clone, compare, completions, controls, demo, doctor, explain, fetch,
    files, functions, gate, help, hook, hooks, hot, init, inspect, lines, log, matrix, metrics,
    plan_page, push, reconcile, record, records, replay, report, reset, run, show, slope, status,
    tests, verify,
};
use crate::report::Format;

/// Measures how a code base changes when agents change it, from the git repository alone.
///
/// Every figure is computed from commits. An ordinary repository needs no set-up: `git evolve
/// log` shows what the last changes did to its functions, `git evolve slope` whether the
/// figures rise or fall. In a repository that holds runs of agents (chains on `evolve/…`
/// branches) the same commands compare the arms.
///
/// A figure is a number, `–` (undefined: nothing to take a ratio of) or `?` (unknown: something
/// needed is missing; the reason stands below). Unknown is never zero.
#[derive(Debug, Parser)]
#[command(
    name = "git-evolve",
    bin_name = "git evolve",
    version,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_long_help = MORE
)]
pub(super) struct Words {
    /// What holds for every subcommand.
    #[command(flatten)]
    pub global: Global,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program's own manual says beyond its options.
const MORE: &str = "\
Exit status:
  0    done; also an empty range, and some figures unknown
  1    a check did not hold
  2    wrong usage: an option, a measure, a setting, bad data
  3    everything asked for is unknown (with --strict: anything)
  70   a fault of the program's own
  128  git itself: no repository, an unknown revision

Settings:
  What can move a figure comes, first hit, from the command line or --config FILE, of a chain from
  the configuration that its records name, and from the [measure] table of evolve.toml in HEAD's
  tree (of a chain: its base's). Keys are the long options with `_` for `-`. A digest of all of
  them stands in every output.

Habits in git configuration, none of which moves a figure:
  evolve.format    the format where --format is not given
  evolve.pager     the pager, before GIT_PAGER and core.pager; `false` for none
  evolve.threads   the number of threads where --threads is not given

Limits and choices in git configuration:
  evolve.lockTimeout     seconds to wait for locks of others, 10 where not given
  evolve.pushTimeout     seconds in which push tries again while others publish, 30
  evolve.networkTimeout  seconds that one git command may talk to another repository where
                         nobody sits at a terminal, 600
  evolve.payloadCap      MiB up to which a payload goes into a note, 64
  evolve.claimRemote     the remote at which run claims chains where --claim is not given
  evolve.claimTime       seconds that a claim holds where it is not renewed, 1800
  evolve.publishOnPush   true: the pre-push hook publishes records with every push";

/// What holds for every subcommand.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub(super) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Use N threads; the output is the same whatever N
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Say on standard error how much was read and parsed
    #[arg(long, global = true)]
    pub stats: bool,
    /// Exit with 3 when any figure is unknown
    #[arg(long, global = true)]
    pub strict: bool,
    /// Do not page long output
    #[arg(long, global = true)]
    pub no_pager: bool,
}

/// The subcommands; what each does is said where its arguments are.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Log(log::LogArgs),
    Slope(slope::SlopeArgs),
    Report(report::ReportArgs),
    Hot(hot::HotArgs),
    Compare(compare::CompareArgs),
    Show(show::ShowArgs),
    Check(check::CheckArgs),
    Functions(functions::FunctionsArgs),
    Files(files::FilesArgs),
    Lines(lines::LinesArgs),
    Tests(tests::TestsArgs),
    Matrix(matrix::MatrixArgs),
    Metrics(metrics::MetricsArgs),
    Explain(explain::ExplainArgs),
    Init(init::InitArgs),
    Plan(plan_page::PlanPageArgs),
    Run(run::RunArgs),
    Begin(begin::BeginArgs),
    Record(record::RecordArgs),
    Attach(attach::AttachArgs),
    Gate(gate::GateArgs),
    Reset(reset::ResetArgs),
    Records(records::RecordsArgs),
    Inspect(inspect::InspectArgs),
    Controls(controls::ControlsArgs),
    Status(status::StatusArgs),
    Verify(verify::VerifyArgs),
    Push(push::PushArgs),
    Fetch(fetch::FetchArgs),
    Clone(clone::CloneArgs),
    Hooks(hooks::HooksArgs),
    #[command(hide = true)]
    Hook(hook::HookArgs),
    Doctor(doctor::DoctorArgs),
    Reconcile(reconcile::ReconcileArgs),
    Demo(demo::DemoArgs),
    #[command(hide = true)]
    ReplayAgent(replay::ReplayArgs),
    Completions(completions::CompletionsArgs),
    Help(help::HelpArgs),
}

/// The formats as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatWord {
    /// For people
    Table,
    /// RFC 4180
    Csv,
    /// One document
    Json,
    /// One object a line
    Jsonl,
    /// A Markdown table
    Md,
}

impl From<FormatWord> for Format {
    fn from(word: FormatWord) -> Format {
        match word {
            FormatWord::Table => Format::Table,
            FormatWord::Csv => Format::Csv,
            FormatWord::Json => Format::Json,
            FormatWord::Jsonl => Format::JsonLines,
            FormatWord::Md => Format::Markdown,
        }
    }
}

/// In which format.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct FormatArgs {
    /// Print in this format
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<FormatWord>,
}

/// Which measures.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct MetricsChoice {
    /// Measures to show: ids, families or levels separated by commas, `primary`, or `all`
    /// (`git evolve metrics` lists them)
    #[arg(short = 'm', long, value_name = "all|FAMILY|ID,…")]
    pub metrics: Option<String>,
}

/// Which files are what, and how they are counted.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What counts")]
pub(super) struct ScopeArgs {
    /// Production code is what matches GLOB (repeatable; instead of the built-in rules)
    #[arg(long, value_name = "GLOB")]
    pub source: Vec<String>,
    /// Tests are what matches GLOB (repeatable; instead of the built-in rules)
    #[arg(long, value_name = "GLOB")]
    pub tests: Vec<String>,
    /// Generated code is also what matches GLOB (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub generated: Vec<String>,
    /// Vendored code is also what matches GLOB (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub vendored: Vec<String>,
    /// Count by these rules
    #[arg(long, value_name = "lizard|scb")]
    pub profile: Option<String>,
    /// Read settings from the `measure` table of FILE
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Everything that can move a figure. Each is also a key of the `[measure]` table of
/// `evolve.toml`, with `_` for `-`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What counts")]
pub(super) struct SettingsArgs {
    /// Which files are what.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// The entry handler is what matches REGEX in `path::Class::function` (for entry_cc)
    #[arg(long, value_name = "REGEX")]
    pub entry: Option<String>,
    /// The fn_* measures take in files that match GLOB (repeatable; else all production)
    #[arg(long, value_name = "GLOB")]
    pub functions: Vec<String>,
    /// loc_yaml and loc_config count files that match GLOB (repeatable; else every one)
    #[arg(long, value_name = "GLOB")]
    pub config_globs: Vec<String>,
    /// Show complexity figures of LANG where there are several languages
    #[arg(long, value_name = "LANG")]
    pub language: Option<String>,
    /// A change's earlier changes are the N before it (at least 2; else 200)
    #[arg(long, value_name = "N", conflicts_with = "base")]
    pub lookback: Option<u32>,
    /// A change's earlier changes are those since REV, on the first-parent line
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Erosion counts functions with a cyclomatic complexity above N (else 10)
    #[arg(long, value_name = "N")]
    pub cc_threshold: Option<u32>,
    /// Extreme erosion counts those above N (else 30)
    #[arg(long, value_name = "N")]
    pub cc_extreme_threshold: Option<u32>,
    /// Hotspots are functions with a cognitive complexity above N (else 15)
    #[arg(long, value_name = "N")]
    pub cognitive_threshold: Option<u32>,
    /// Take commits named in .git-blame-ignore-revs for writers of lines like any other
    #[arg(long)]
    pub no_ignore_revs: bool,
    /// A table of prices in litellm's format.
    #[arg(
        long,
        value_name = "FILE",
        help = "Price tokens by FILE, a table in litellm's format (`prices` in [measure] names one in the tree)"
    )]
    pub prices: Option<PathBuf>,
}

/// Which changes of a plain history.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SelectArgs {
    /// The last N changes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub last: Option<u32>,
    /// Changes committed at DATE or later: RFC 3339, a date (UTC), or as `2 weeks ago`
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
}

/// Paths after `--`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct PathArgs {
    /// Only changes that touch these files or folders; what a change did is then counted
    /// in them alone
    #[arg(last = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
}
