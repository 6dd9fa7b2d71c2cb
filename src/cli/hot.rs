//! `git evolve hot`.

mod function;
mod ranking;

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::args::{FormatArgs, Global, PathArgs, SelectArgs, SettingsArgs};
use super::measured::{self, InChain, Measuring};
use super::output::say;
use super::overview;
use super::request::Request;
use super::selection::wanted;
use super::session::{Done, Session};
use crate::error::{Error, Result};
use crate::history::{FnScore, Needs};
use crate::ledger::Chains;
use crate::report::{Change, Listing, SettingsValues, Stamp, write_listing};

/// Show which functions grew most over a range or a chain, or one function over time
///
/// Without a function: the production functions that changes touched, those first whose
/// complexity grew most, with their scores before the first of these changes and after the last,
/// how many changes touched them, and which checkpoints or authors. Of HEAD's last 200 changes,
/// of a range, of a chain; where nothing is named and HEAD is in no chain, of every chain.
///
/// With PATH::NAME: a line a version of that function, oldest first, over the whole first-parent
/// history, a range or a chain. NAME is its key (`Shop::price(int)`), its key without parameters,
/// its name in `git evolve functions`, or the last part of it.
///
/// A renamed file takes its functions along. One that goes in one file and comes in another by
/// the same change is followed where the key is the same and both are about as long.
#[derive(Debug, Args)]
pub(super) struct HotArgs {
    /// PATH::NAME of a function; a revision, a range `A..B`, or a chain
    #[arg(value_name = "PATH::NAME|RANGE|CHAIN", num_args = 0..=2)]
    pub words: Vec<String>,
    /// Which changes.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What decides who comes first
    #[arg(long, value_name = "cc|cognitive|sloc|touched", value_enum, default_value_t = By::Cc)]
    pub by: By,
    /// Show the first N functions (of several chains: of each; 0: all that grew)
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Paths.
    #[command(flatten)]
    pub paths: PathArgs,
    /// What can move a figure.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// What decides who comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// Cyclomatic complexity gained
    Cc,
    /// Cognitive complexity gained
    Cognitive,
    /// Lines of code gained
    Sloc,
    /// Changes that touched it
    Touched,
}

/// Changes of a plain history where nothing says how many.
const LAST: usize = 200;

/// What has to be looked at to follow functions.
const FUNCTIONS: Needs = Needs {
    lines: true,
    all_lines: false,
    origins: false,
    functions: true,
    tree: false,
    config_lines: false,
    hot_share: false,
    captures: false,
    noops: false,
};

/// Changes of one line, oldest first.
struct Followable {
    changes: Vec<Change>,
    stamp: Stamp,
    settings: SettingsValues,
    chain: Option<InChain>,
}

/// Runs it.
///
/// # Errors
/// Wrong usage; an unknown function; a repository that cannot be read.
pub(super) fn run(global: &Global, args: &HotArgs) -> Result<Done> {
    let (function, place) = words(&args.words)?;
    let session = Session::open(global, &args.settings)?;
    let chains = session.chains()?;
    match function {
        Some((path, name)) => {
            if !args.paths.paths.is_empty() {
                return Err(Error::usage("a function is named, and paths are, too"));
            }
            let path = session.path(&OsString::from(path))?;
            function::run(&session, &chains, args, &path, name, place)
        }
        None => ranking::run(&session, &chains, args, place),
    }
}

/// A function's path and name, and where to look.
type Typed<'w> = (Option<(&'w str, &'w str)>, Option<&'w str>);

/// What the words are: a function has `::` in it, which no revision and no chain has.
fn words(words: &[String]) -> Result<Typed<'_>> {
    let (functions, places): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|w| w.contains("::"));
    if functions.len() > 1 || places.len() > 1 {
        return Err(
            Error::usage("more than one function, or more than one range")
                .with_hint("one PATH::NAME, and one range or chain"),
        );
    }
    let function = functions.first().and_then(|w| w.split_once("::"));
    if let Some((path, name)) = function
        && (path.is_empty() || name.is_empty())
    {
        return Err(Error::usage(
            "a function is PATH::NAME, and one of them is missing",
        ));
    }
    Ok((function, places.first().map(|w| w.as_str())))
}

/// Which code is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    /// Production code.
    Production,
    /// Tests, too.
    All,
}

impl Code {
    fn set(self, request: &mut Request) {
        if self == Code::All {
            request.settings = request.settings.clone().with_tests();
        }
    }
}

/// The changes of a chain.
fn of_chain(
    measuring: &mut Measuring<'_>,
    chain: &crate::ledger::Chain,
    paths: &[Vec<u8>],
    code: Code,
) -> Result<Followable> {
    let session = measuring.session();
    let mut request = session.chain_request(chain, paths)?;
    code.set(&mut request);
    let mut changes = measured::chain_changes(measuring, chain, &request, |_| true)?;
    changes.reverse();
    Ok(Followable {
        changes,
        stamp: session.stamp(&request),
        settings: request.values.clone(),
        chain: Some(InChain::of(chain)),
    })
}

/// The changes of a range, or of HEAD.
fn of_range(
    measuring: &mut Measuring<'_>,
    chains: &Chains,
    args: &HotArgs,
    range: Option<&str>,
    (paths, default, code): (&[Vec<u8>], usize, Code),
) -> Result<Followable> {
    let session = measuring.session();
    let mut request = session.plain_request(paths)?;
    code.set(&mut request);
    let Some(wanted) = wanted(session, range, &args.select, default)? else {
        say("no commit yet: there is nothing to measure");
        return Ok(Followable {
            changes: Vec::new(),
            stamp: session.stamp(&request),
            settings: request.values.clone(),
            chain: None,
        });
    };
    let mut ranged = measured::range(measuring, chains, &request, &wanted)?;
    ranged.changes.reverse();
    Ok(Followable {
        changes: ranged.changes,
        stamp: session.stamp(&ranged.request),
        settings: ranged.request.values.clone(),
        chain: ranged.chain,
    })
}

/// The chain that `place` names, where it names one.
///
/// # Errors
/// Several are called so.
fn chain_named<'c>(
    chains: &'c Chains,
    place: Option<&'c str>,
) -> Result<Option<&'c crate::ledger::Chain>> {
    match place {
        Some(name) if chains.named(name).next().is_some() => {
            overview::named(chains, name).map(Some)
        }
        _ => Ok(None),
    }
}

/// How many changes could not be looked at, in words, where any could not.
fn unread(changes: &[Change]) -> Option<String> {
    use crate::history::Functions;
    let unread = |change: &&Change| {
        let unparsed = |f: &Functions| matches!(f, Functions::Unparsed { .. });
        change.step.trouble.is_some() || change.step.edits.iter().any(|e| unparsed(&e.functions))
    };
    let lost = changes.iter().filter(unread).count();
    (lost > 0).then(|| {
        format!(
            "{lost} of {} changes have files whose functions could not be read: what they did to \
             these is not here",
            changes.len()
        )
    })
}

/// A key without its parameter list.
fn base(key: &str) -> &str {
    match key.strip_suffix(')') {
        // A Go receiver stands in brackets in front.
        Some(_) => key
            .rfind('(')
            .filter(|at| *at > 0)
            .map_or(key, |at| &key[..at]),
        None => key,
    }
}

/// A score at one place.
#[derive(Debug, Clone, Copy)]
enum Score {
    Cc,
    Cognitive,
    Sloc,
}

impl Score {
    const ALL: [Score; 3] = [Score::Cc, Score::Cognitive, Score::Sloc];

    fn of(self, score: FnScore) -> i64 {
        match self {
            Score::Cc => i64::from(score.cc),
            Score::Cognitive => i64::from(score.cognitive),
            Score::Sloc => i64::from(score.nloc),
        }
    }
}

/// Prints a listing.
fn print(session: &Session<'_>, listing: &Listing, format: FormatArgs) -> Result<Done> {
    let layout = session.output.layout(format);
    let mut out = Vec::new();
    write_listing(&mut out, listing, layout)?;
    session.output.data(&out, layout.format)?;
    Ok(Done::Well)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_word_with_two_colons_is_a_function_and_any_other_a_place() {
        let typed = ["HEAD~3..".to_owned(), "src/A.java::A.B::m(int)".to_owned()];
        assert_eq!(
            words(&typed).expect("readable"),
            (Some(("src/A.java", "A.B::m(int)")), Some("HEAD~3.."))
        );
        assert_eq!(words(&[]).expect("readable"), (None, None));
        assert!(words(&["a".to_owned(), "b".to_owned()]).is_err());
        assert!(words(&["::b".to_owned()]).is_err());
    }
}
