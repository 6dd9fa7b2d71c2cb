//! `git evolve status`.

mod lists;

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::{Absence, ChainStatus, Status, status};
use crate::repo::Repo;
use crate::report::{Listing, counted, write_listing};

/// Show the chains, what was captured of them, and what is missing or unpublished
///
/// One row a chain; `--chain` shows its checkpoints. A checkpoint is complete with its agent and
/// reset commits and their records, an envelope and a gate run; coverage is asked for where one
/// checkpoint of the chain has it. Nothing is fetched.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Show the checkpoints of this chain: its path, or as it is shown
    #[arg(long, value_name = "PATH")]
    pub chain: Option<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository; an unknown chain; refs or notes that cannot be read.
pub(super) fn run(global: &Global, args: &StatusArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let output = Output::new(global, &Habits::read(&repo));
    let status = status(&repo, &repo.reader()?)?;
    let mut listing = Listing::new(stamp("none"));
    let known = knowledge(&status);
    listing.fact("records", known.word);
    listing.fact("bring", known.bring.clone());
    facts(&mut listing, &status);
    match &args.chain {
        Some(name) => {
            let chosen: Vec<&ChainStatus> = status
                .chains
                .iter()
                .filter(|c| c.label == *name || c.path == *name)
                .collect();
            if chosen.is_empty() {
                return Err(unknown_chain(name, &status, &known));
            }
            listing.list(lists::checkpoints(&chosen, &status, &known));
            for chain in chosen {
                remark_chain(&mut listing, chain);
            }
        }
        None => listing.list(lists::chains(&status, &known)),
    }
    listing.list(lists::pending(&status));
    listing.list(lists::remotes(&status));
    listing.list(lists::payloads(&status));
    remarks(&mut listing, &status, &known);
    let layout = output.layout(args.format);
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    for remark in &status.remarks {
        say(remark);
    }
    if status.chains.is_empty() && known.word != "none" && known.word != "complete" {
        return Ok(Done::Unknown);
    }
    Ok(Done::Well)
}

/// Whether the records that there may be are here.
struct Knowledge {
    /// `complete` (as far as is known), `none`, `not fetched`, `cut off`.
    word: &'static str,
    /// Said to people.
    words: Option<String>,
    /// The command that brings them.
    bring: Option<String>,
}

fn knowledge(status: &Status) -> Knowledge {
    let unshallow = || Some("git fetch --unshallow".to_owned());
    match &status.absence {
        Some(Absence::NotFetched(remotes)) => Knowledge {
            word: "not fetched",
            words: Some(format!(
                "records were never fetched from {}: whether there are any is not known here",
                remotes.join(", ")
            )),
            bring: Some(format!("git evolve fetch {}", remotes[0])),
        },
        Some(Absence::CutOff(remotes)) => Knowledge {
            word: "cut off",
            words: Some(format!(
                "a shallow clone left out the records and the beginning of history ({})",
                remotes.join(", ")
            )),
            bring: unshallow(),
        },
        Some(Absence::LeftOut(remotes)) => Knowledge {
            word: "not fetched",
            words: Some(format!(
                "a partial clone left the records to {}",
                remotes.join(", ")
            )),
            bring: remotes.first().map(|r| format!("git evolve fetch {r}")),
        },
        // Records alone are no chains: what they belong to lies behind the cut.
        Some(Absence::None) | None
            if status.cut_off && (status.absence.is_some() || status.chains.is_empty()) =>
        {
            Knowledge {
                word: "cut off",
                words: Some("a shallow clone cut off the beginning of chains".to_owned()),
                bring: unshallow(),
            }
        }
        Some(Absence::None) => Knowledge {
            word: "none",
            words: None,
            bring: None,
        },
        None => Knowledge {
            word: "complete",
            words: None,
            bring: None,
        },
    }
}

fn unknown_chain(name: &str, status: &Status, known: &Knowledge) -> Error {
    if let Some(bring) = known.bring.as_ref().filter(|_| status.chains.is_empty()) {
        return Error::unavailable(format!("chain {name} is not here"))
            .with_hint(format!("it may be elsewhere: {bring}"));
    }
    let labels: Vec<&str> = status.chains.iter().map(|c| c.label.as_str()).collect();
    let near = labels
        .iter()
        .max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
    let error = Error::usage(format!("there is no chain {name}"));
    match near {
        Some(near) => error.with_hint(format!("there are {}, one is {near}", labels.len())),
        None => error.with_hint("there are no chains in this repository"),
    }
}

fn facts(listing: &mut Listing, status: &Status) {
    let bad: u64 = status.skipped.values().map(|s| s.bad_lines()).sum();
    listing.fact("spooled", status.spooled);
    listing.fact("damaged_spool_files", status.damaged_spool_files);
    listing.fact("bad_lines", bad);
    listing.fact("newer", status.newer);
    listing.fact("conflicts", status.conflicts);
    listing.fact("elsewhere", status.elsewhere);
    listing.fact("dangling", status.dangling);
    listing.fact("bases", status.bases);
}

fn remark_chain(listing: &mut Listing, chain: &ChainStatus) {
    let standing = &chain.standing;
    let mut held = Vec::new();
    held.extend(standing.branches.keys().map(|b| format!("branch {b}")));
    if standing.kept > 0 {
        held.push("a keep ref".to_owned());
    }
    held.extend(standing.remotes.keys().map(|r| format!("remote {r}")));
    listing.remark(format!(
        "{}: base {}, tip {}, held by {}",
        chain.label,
        chain.base.short(),
        chain.tip.short(),
        held.join(", ")
    ));
    let beside = [
        (chain.kept_attempts, "attempt", "attempts"),
        (
            chain.kept_agent,
            "commit of the agent's",
            "commits of the agent's",
        ),
    ];
    let beside: Vec<String> = beside
        .iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| counted(*n as u64, one, many))
        .collect();
    if !beside.is_empty() {
        let beside = beside.join(" and ");
        listing.remark(format!("{}: {beside} kept beside its line", chain.label));
    }
    for note in &chain.notes {
        listing.remark(format!("{}: {note}", chain.label));
    }
}

fn remarks(listing: &mut Listing, status: &Status, known: &Knowledge) {
    if status.chains.is_empty() && known.word != "cut off" {
        listing.remark("no chains: no experiment was run in this repository, as far as is known");
        if let Some(remote) = status.narrow.first() {
            listing.remark(format!(
                "of {remote} not all branches are fetched here: `git evolve fetch {remote}` brings \
                 chains and records, where it has any"
            ));
        }
    }
    if let Some(words) = &known.words {
        let bring = known.bring.as_deref().unwrap_or_default();
        listing.remark(format!("{words}. `{bring}` brings them"));
    } else if known.word == "none" && !status.chains.is_empty() {
        listing.remark("no records: nothing was captured of these chains");
    }
    if !status.chains.is_empty() && status.remotes.is_empty() {
        listing.remark("no remote is known: nothing of this is anywhere else");
    }
    let bad: u64 = status.skipped.values().map(|s| s.bad_lines()).sum();
    let mut said = vec![
        (
            status.spooled,
            ["record waits", "records wait"],
            " in the spool: the next command that writes takes it up",
        ),
        (
            status.damaged_spool_files as u64,
            ["spool file is damaged", "spool files are damaged"],
            ": `git evolve doctor`",
        ),
        (
            bad,
            [
                "line of notes is no record",
                "lines of notes are no records",
            ],
            ": `git evolve verify` says which",
        ),
        (
            status.newer,
            ["record of a later version", "records of a later version"],
            ": what needs it is unknown",
        ),
        (
            status.conflicts as u64,
            ["id stands", "ids stand"],
            " on different records: `git evolve verify`",
        ),
        (
            status.elsewhere,
            ["record", "records"],
            " on commits of no chain: `git evolve reconcile`",
        ),
        (
            status.dangling,
            ["record", "records"],
            " of commits that are not here: `git evolve verify`",
        ),
    ];
    let (foreign, superseded, copies) = status.chains.iter().fold((0, 0, 0), |sum, c| {
        (sum.0 + c.foreign, sum.1 + c.superseded, sum.2 + c.copies)
    });
    said.extend([
        (
            foreign as u64,
            ["foreign commit", "foreign commits"],
            " in chains: no checkpoint; what is theirs counts as the base's",
        ),
        (
            superseded as u64,
            ["agent commit", "agent commits"],
            " superseded by later ones of the same checkpoint",
        ),
        (
            copies as u64,
            ["copy of a chain", "copies of chains"],
            " counted nowhere: `git evolve reconcile`",
        ),
    ]);
    for (count, [one, many], rest) in said {
        if count > 0 {
            listing.remark(format!("{}{rest}", counted(count, one, many)));
        }
    }
}
