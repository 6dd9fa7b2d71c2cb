//! `git evolve controls`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::overview;
use super::session::{Done, Session, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::{self, Absence, Chain, Chains, Control, Controlled, Records};
use crate::record::Kind;
use crate::repo::Repo;
use crate::report::{Format, List, Listing, counted, write_listing};

mod lists;
mod sums;

/// Show what the controls of a run did: what was put back, tampered with, contained
///
/// Figures a checkpoint, chain and arm, counted from the records: files put back, tests and runner
/// files that gates found changed, what agents did to git beside their work, links, nested
/// repositories and processes, how sessions ended, what hid the rest of the machine from each
/// session and gate, and what changed while a chain ran. What no record tells is `?`, never 0: a
/// chain recorded by hand has no watched processes.
///
/// Tables show what happened and what is not known; other formats have every figure. CHAIN is a
/// chain's path or label, or the beginning of a path (an experiment, an arm).
#[derive(Debug, Args)]
pub(super) struct ControlsArgs {
    /// Explain every figure, those that are 0 too
    #[arg(long)]
    pub explain: bool,
    /// Only the chains of this arm
    #[arg(long, value_name = "ARM")]
    pub arm: Option<String>,
    /// Only these chains
    #[arg(value_name = "CHAIN")]
    pub chains: Vec<String>,
    /// In which format.
    #[command(flatten)]
    pub format: FormatArgs,
}

/// Runs it.
///
/// # Errors
/// No repository; an unknown chain or arm; refs or notes that cannot be read.
pub(super) fn run(global: &Global, args: &ControlsArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let reader = repo.reader()?;
    let output = Output::new(global, &Habits::read(&repo));
    let layout = output.layout(args.format);
    let chains = ledger::chains(&reader)?;
    let records = ledger::records(&reader, &[Kind::Checkpoint, Kind::Envelope, Kind::Tests])?;
    let chosen = chosen(&chains, args)?;
    let mut all: Vec<Controlled> = chosen
        .iter()
        .map(|chain| ledger::controlled(chain, &records))
        .collect();
    let missing = missing(&records);
    if let Some((why, _)) = &missing {
        all.iter_mut().for_each(|c| blot(c, why));
    }
    let for_people = matches!(layout.format, Format::Table | Format::Markdown);
    let arms = sums::by_arm(&all);
    let mut listing = Listing::new(stamp("none"));
    listing.fact("chains", all.len());
    listing.fact("arms", arms.len());
    if for_people {
        let sums: Vec<(String, sums::Sums)> =
            all.iter().map(|c| (c.chain.clone(), sums::of(c))).collect();
        listing.list(lists::happened(&sums));
        if arms.len() < all.len() {
            listing.list(lists::arms(&arms, true));
        }
        listing.list(lists::changed(&all));
        listing.list(lists::isolation(&all, true));
        let shown = match args.explain {
            true => Control::ALL.iter().copied().collect(),
            false => sums::seen(&all),
        };
        lists::footnotes(&shown)
            .into_iter()
            .for_each(|note| listing.remark(note));
        remarks(&all, &mut listing);
    } else {
        listing.list(lists::checkpoints(&all));
        listing.list(lists::chains(&all));
        listing.list(lists::arms(&arms, false));
        listing.list(lists::changed(&all));
        listing.list(lists::isolation(&all, false));
        listing.list(lists::kinds());
        remarks(&all, &mut listing);
    }
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    output.data(&out, layout.format)?;
    for remark in chains.remarks.iter().chain(&records.remarks) {
        say(remark);
    }
    if let Some((why, bring)) = missing {
        say(&why);
        say(&format!("hint: {bring}"));
        return Ok(Done::Unknown);
    }
    let nothing = !all.is_empty() && all.iter().all(sums::is_unknown);
    Ok(
        match nothing || global.strict && all.iter().any(sums::has_unknown) {
            true => Done::Unknown,
            false => Done::Well,
        },
    )
}

/// What a report shows of `chains`: the lists for people, and what is to be said.
///
/// # Errors
/// Notes that cannot be read.
pub(super) fn for_report(
    session: &Session<'_>,
    chains: &[&Chain],
) -> Result<(Vec<List>, Vec<String>)> {
    let kinds = [Kind::Checkpoint, Kind::Envelope, Kind::Tests];
    let mut all: Vec<Controlled> = Vec::new();
    let mut said = Vec::new();
    for chain in chains {
        let records = session.records(chain, &kinds)?;
        all.push(ledger::controlled(chain, &records));
        if let Some((why, _)) = missing(&records).filter(|(why, _)| !said.contains(why)) {
            said.push(why);
        }
    }
    for why in &said {
        all.iter_mut().for_each(|c| blot(c, why));
    }
    let mut listing = Listing::new(stamp("none"));
    remarks(&all, &mut listing);
    said.extend(listing.remarks().iter().cloned());
    let sums: Vec<(String, sums::Sums)> =
        all.iter().map(|c| (c.chain.clone(), sums::of(c))).collect();
    let arms = sums::by_arm(&all);
    Ok((
        vec![
            lists::arms(&arms, true),
            lists::happened(&sums),
            lists::changed(&all),
            lists::isolation(&all, true),
        ],
        said,
    ))
}

/// The chains that were asked for.
fn chosen<'c>(chains: &'c Chains, args: &ControlsArgs) -> Result<Vec<&'c Chain>> {
    let of_arm = overview::of_arm(chains, args.arm.as_deref())?;
    let all: Vec<&Chain> = of_arm.into_iter().map(|(_, chain)| chain).collect();
    if args.chains.is_empty() {
        return Ok(all);
    }
    let mut wanted = BTreeSet::new();
    for word in &args.chains {
        let path = word.trim_end_matches('/');
        let named: BTreeSet<&str> = chains.named(path).map(|c| c.begin.as_str()).collect();
        let is_of = |chain: &Chain| {
            let at = chain.path.to_string();
            let below = at
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'));
            below || named.contains(chain.begin.as_str())
        };
        let found: Vec<&str> = chains
            .chains
            .iter()
            .filter(|c| !path.is_empty() && is_of(c))
            .map(|c| c.label.as_str())
            .collect();
        if found.is_empty() {
            let labels = chains.chains.iter().map(|c| c.label.as_str());
            let near =
                labels.max_by(|a, b| strsim::jaro(a, word).total_cmp(&strsim::jaro(b, word)));
            let error = Error::usage(format!("there is no chain {word}"));
            return Err(match near {
                Some(near) => {
                    error.with_hint(format!("there are {}, one is {near}", chains.chains.len()))
                }
                None => error.with_hint("there are no chains in this repository"),
            });
        }
        wanted.extend(found);
    }
    Ok(all
        .into_iter()
        .filter(|c| wanted.contains(c.label.as_str()))
        .collect())
}

/// Why records may be elsewhere, and the command that brings them.
fn missing(records: &Records) -> Option<(String, String)> {
    let (what, remotes) = match records.absence.as_ref()? {
        Absence::NotFetched(remotes) => ("records were never fetched from", remotes),
        Absence::CutOff(remotes) => ("a shallow clone left out the records of", remotes),
        Absence::LeftOut(remotes) => ("a partial clone left the records to", remotes),
        Absence::None => return None,
    };
    let bring = remotes.first().map_or("", String::as_str);
    Some((
        format!("{what} {}", remotes.join(", ")),
        format!("git evolve fetch {bring}").trim_end().to_owned(),
    ))
}

/// Nothing is known of a chain whose records are elsewhere.
fn blot(controlled: &mut Controlled, why: &str) {
    for checkpoint in &mut controlled.checkpoints {
        for count in checkpoint.figures.values_mut() {
            *count = ledger::ControlCount::Unknown(why.to_owned());
        }
    }
}

fn remarks(all: &[Controlled], listing: &mut Listing) {
    if all.is_empty() {
        listing.remark("no chains: no experiment was run in this repository, as far as is known");
        return;
    }
    let checkpoints: usize = all.iter().map(|c| c.checkpoints.len()).sum();
    listing.remark(format!(
        "looked at {}, {} of them with what is not known; what is not shown is 0",
        counted(checkpoints as u64, "checkpoint", "checkpoints"),
        all.iter()
            .flat_map(|c| &c.checkpoints)
            .filter(|c| sums::lacks(c))
            .count()
    ));
    let mut by = BTreeMap::<&str, BTreeSet<&str>>::new();
    for chain in all {
        for checkpoint in &chain.checkpoints {
            for how in checkpoint.isolation.values().flatten() {
                by.entry(how.word()).or_default().insert(&chain.chain);
            }
        }
    }
    let words: Vec<String> = by
        .iter()
        .map(|(word, chains)| {
            format!(
                "{word} in {}",
                counted(chains.len() as u64, "chain", "chains")
            )
        })
        .collect();
    listing.remark(match words.is_empty() {
        true => "isolation: unknown".to_owned(),
        false => format!("isolation: {}", words.join(", ")),
    });
}
