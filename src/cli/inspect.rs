//! `git evolve inspect`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::args::{FormatArgs, Global};
use super::captures::time;
use super::output::say;
use super::session::{Done, directory, stamp, without_repository};
use crate::error::{Error, Result};
use crate::intake::Readers;
use crate::record::{Moment, PriceTable, RunFacts, TreeFacts};
use crate::report::{Format, write_listing, write_object};

mod given;
mod people;
mod read;
mod shape;

/// Say what a file is, and print what is read out of it; nothing is recorded
///
/// FILE is an agent's envelope or transcript, a test report or a coverage report: its content
/// says which, never its name. A folder is one gate run, of all test reports below it; else the
/// sessions, or the coverage reports, below it. Several FILEs are read one by one, or with
/// --together as one run or one session.
///
/// The figures depend on what a capture knows beside the file (exit status, start, console, tree,
/// prices); the options say it. Needs no repository.
///
/// JSON is one object for one FILE or folder and an array of objects for several. A file of no
/// known format gives `"format": null` and an `error` (`unrecognised`, `empty`).
#[derive(Debug, Args)]
#[command(after_long_help = EXITS)]
pub(super) struct InspectArgs {
    /// Files and folders
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub files: Vec<PathBuf>,
    /// Read all FILEs as one gate run, or one session
    #[arg(long)]
    pub together: bool,
    /// Print the reduced transcript of a session, too
    #[arg(long)]
    pub events: bool,
    /// When the tests began: RFC 3339, or seconds since 1970; older reports are stale
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub started: Option<Moment>,
    /// The exit status of the command that ran the tests
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub exit_code: Option<i64>,
    /// What that command printed
    #[arg(long, value_name = "FILE")]
    pub console: Option<PathBuf>,
    /// The files of the commit: paths in lines or ended by NUL, output of `git ls-tree -r`, a
    /// JSON array, a JSON object with `repo_tree`, `build_root` and `go_mod`, or a folder
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
    /// The last valid run before: a report, a list of ids that passed, or JSON of inspect
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,
    /// Price sessions by this table, in the format of litellm
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Where the tree was checked out when reports were written
    #[arg(long, value_name = "DIR", requires = "tree")]
    pub build_root: Option<String>,
    /// The model that was asked for, for formats that name none
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

const EXITS: &str = "\
Exit status:
  0    read
  2    a file is not there, or an option is wrong
  3    nothing that was given is of a known format (with --strict: anything is not)";

/// What a capture would know.
struct Known {
    run: RunFacts,
    tree: Option<TreeFacts>,
    prices: Option<PriceTable>,
    model: Option<String>,
    events: bool,
    /// The console, which is no report.
    console: Option<PathBuf>,
}

impl Known {
    /// Whether anything is known of a gate run.
    fn of_a_run(&self) -> bool {
        let run = &self.run;
        run.exit_code.is_some()
            || run.started.is_some()
            || run.console.is_some()
            || run.previous.is_some()
    }
}

/// Runs it.
///
/// # Errors
/// Usage where a file is not there or cannot be read, or an option's file is none of its kind.
pub(super) fn run(global: &Global, args: &InspectArgs) -> Result<Done> {
    let folder = directory(global);
    let known = known(&folder, args)?;
    for file in &args.files {
        let place = folder.join(file);
        std::fs::metadata(&place)
            .map_err(|e| Error::usage(format!("reading {}", file.display())).with_source(e))?;
    }
    let inspected = match args.together {
        true => read::together(&folder, &args.files, &known)?,
        false => {
            let mut all = Vec::new();
            for file in &args.files {
                all.extend(read::one(&folder, file, &known)?);
            }
            all
        }
    };
    let output = without_repository(global);
    let layout = output.layout(args.format);
    let stamp = stamp("none");
    let mut out = Vec::new();
    match layout.format {
        Format::Json | Format::JsonLines => {
            let objects: Vec<_> = inspected.iter().map(shape::object).collect();
            write_object(&mut out, &stamp, &objects, layout.format)?;
        }
        Format::Table | Format::Csv | Format::Markdown => {
            for (at, one) in inspected.iter().enumerate() {
                let listing = people::listing(&stamp, one, &known, layout.format);
                if at > 0 && layout.format == Format::Table {
                    out.push(b'\n');
                }
                write_listing(&mut out, &listing, layout)?;
            }
        }
    }
    output.data(&out, layout.format)?;
    inspected.iter().flat_map(|i| &i.notes).for_each(|n| say(n));
    let unknown = inspected.iter().filter(|i| i.is_unknown()).count();
    Ok(match unknown {
        0 => Done::Well,
        n if n == inspected.len() || global.strict => Done::Unknown,
        _ => Done::Well,
    })
}

fn known(folder: &Path, args: &InspectArgs) -> Result<Known> {
    let place = |file: &PathBuf| folder.join(file);
    let mut tree = match &args.tree {
        Some(file) => Some(given::tree(&place(file))?),
        None => None,
    };
    if let (Some(tree), Some(root)) = (&mut tree, &args.build_root) {
        tree.build_root = Some(root.clone());
    }
    // Where no file is named nothing can be mapped onto one.
    let tree = tree.filter(|t| !t.paths.is_empty());
    let console = args.console.as_ref().map(place);
    let run = RunFacts {
        command: Vec::new(),
        exit_code: args.exit_code,
        started: args.started,
        console: console.as_deref().map(given::console).transpose()?,
        tree: tree.clone(),
        previous: match &args.previous {
            Some(file) => Some(given::previous(&place(file))?),
            None => None,
        },
        ended_by: None,
    };
    Ok(Known {
        run,
        tree,
        prices: args
            .prices
            .as_ref()
            .map(|f| given::prices(&place(f)))
            .transpose()?,
        model: args.model.clone(),
        events: args.events,
        console,
    })
}
