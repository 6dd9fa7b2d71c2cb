//! `git evolve push`.

use std::collections::BTreeSet;
use std::io::Write;

use clap::Args;

use super::args::Global;
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory};
use super::talk::{bytes, counted, manner_of, plural, say_places};
use crate::error::{Error, Kind, Result};
use crate::ledger::{NotesRef, Preview, Published, WAY_OUT, drain, preview, publish};
use crate::repo::{Direction, PushRef, Remote, Repo};
use crate::report::Format;

/// Most names that are listed.
const SHOWN: usize = 20;

/// Publish the records and chains of this repository
///
/// Records go out as notes and, the same commits, as branches evolve-notes/…, so that a plain
/// `git clone` is complete. Chains go out as branches evolve/…, as far as they are recorded; what
/// is kept beside them as evolve-kept/…. Records of others are fetched and merged first. Nothing
/// is forced; no configuration is written.
#[derive(Debug, Args)]
pub(super) struct PushArgs {
    /// A remote's name or an address [default: the branch's remote, remote.pushDefault, the only
    /// one, or origin]
    #[arg(value_name = "REMOTE")]
    pub remote: Option<String>,
    /// Do not ask before the first push to a remote
    #[arg(long)]
    pub yes: bool,
    /// Say what would go out, and send nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}

/// Runs it.
///
/// # Errors
/// No repository; no such remote; one that cannot be reached; a first push that nobody agreed
/// to; refs that the remote refused.
pub(super) fn run(global: &Global, args: &PushArgs) -> Result<Done> {
    let directory = directory(global);
    let repo = Repo::discover(&directory)?;
    let remote = repo.remote(args.remote.as_deref(), &directory, Direction::Push)?;
    let manner = manner_of(&repo)?;
    say_places(&remote, Direction::Push);
    if args.dry_run {
        let preview = preview(&repo, &remote, manner)?;
        let mut text = lines(&preview, &remote);
        text.extend(warnings(&preview));
        let text = text.join("\n") + "\n";
        let output = Output::new(global, &Habits::read(&repo));
        output.data(text.as_bytes(), Format::Table)?;
        return Ok(Done::Well);
    }
    for remark in drain(&repo)?.remarks {
        say(&remark);
    }
    let before = preview(&repo, &remote, manner)?;
    if before.first && !is_empty(&before) && !args.yes {
        for line in lines(&before, &remote) {
            say(&line);
        }
        agree(&remote, manner.interactive)?;
    }
    for line in warnings(&before) {
        say(&line);
    }
    let published = publish(&repo, &remote, &before.held, &BTreeSet::new(), manner)?;
    report(&published, &remote)
}

fn is_empty(preview: &Preview) -> bool {
    preview.refs.is_empty() && preview.records.is_empty()
}

/// What would go out, for people.
fn lines(preview: &Preview, remote: &Remote) -> Vec<String> {
    let shown = remote.shown();
    if is_empty(preview) {
        return vec![format!("nothing to publish: {shown} has it all")];
    }
    let mut lines = vec![match preview.first {
        true => format!("first push to {shown}, which holds nothing of this yet; to go out:"),
        false => format!("to go out to {shown}:"),
    }];
    let (chains, kept) = split(&preview.refs);
    if !chains.is_empty() {
        let names: Vec<&str> = chains.into_iter().collect();
        let n = plural(names.len() as u64, "chain");
        lines.push(format!("  {n}: {}", listed(&names)));
    }
    if !kept.is_empty() {
        let n = plural(kept.len() as u64, "kept commit");
        lines.push(format!("  {n} beside them: {}", listed(&kept)));
    }
    for (notes, count) in &preview.records {
        let what = match notes {
            NotesRef::Config => plural(count.records, "configuration"),
            NotesRef::Records(kind) => {
                format!("{} {}", kind.word(), plural(count.records, "record"))
            }
        };
        lines.push(format!("  {what}, {}", bytes(count.bytes)));
    }
    if preview.first {
        lines.push("whoever can read that repository can read all of this".to_owned());
    }
    lines.extend(preview.remarks.iter().cloned());
    lines
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 1 => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

fn warnings(preview: &Preview) -> Vec<String> {
    let large = preview.large.iter().map(|(target, notes, size)| {
        format!(
            "warning: the {} note of {} has {}; many hosts refuse files of 100 MiB",
            notes.word(),
            target.short(),
            bytes(*size)
        )
    });
    let payloads = preview.payloads.iter().map(|(digest, size)| {
        format!(
            "payload {digest} ({}) is over the cap and stays here",
            bytes(*size)
        )
    });
    large.chain(payloads).collect()
}

/// Chains by their paths, and the other branches.
fn split(refs: &[PushRef]) -> (BTreeSet<&str>, Vec<&str>) {
    let chain = |r: &&PushRef| r.name.starts_with("refs/heads/evolve/");
    let chains = refs.iter().filter(chain);
    let others = refs.iter().filter(|r| !chain(r));
    (
        chains
            .filter_map(|r| r.name.strip_prefix("refs/heads/evolve/"))
            .collect(),
        others
            .filter_map(|r| r.name.strip_prefix("refs/heads/"))
            .collect(),
    )
}

fn agree(remote: &Remote, interactive: bool) -> Result<()> {
    if !interactive {
        return Err(Error::usage(format!(
            "first push to {}: nothing was sent",
            remote.shown()
        ))
        .with_hint("`--yes` agrees to it, `--dry-run` only shows it"));
    }
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(b"publish? [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::new(Kind::Check, "nothing was sent")),
    }
}

/// Says what came of it.
fn report(published: &Published, remote: &Remote) -> Result<Done> {
    let shown = remote.shown();
    for remark in &published.remarks {
        say(remark);
    }
    if !published.restored.is_empty() {
        say(&format!(
            "{shown} had {} that it has no more: put back",
            counted(&published.restored)
        ));
    }
    for (path, there) in &published.apart {
        say(&format!(
            "evolve/{path} at {shown} ({}) is not the chain as recorded and stays where it is: \
             the chain went to evolve-kept/{path}/",
            there.short()
        ));
    }
    for commit in &published.folded {
        say(&format!(
            "commit {} of an agent was folded into an agent commit, is on a branch of {shown} \
             already and stays there",
            commit.short()
        ));
    }
    let (chains, kept) = split(&published.refs);
    let mut done = vec![counted(&published.records)];
    if !chains.is_empty() {
        done.push(plural(chains.len() as u64, "chain"));
    }
    if !kept.is_empty() {
        done.push(plural(kept.len() as u64, "kept commit"));
    }
    let nothing = published.records.is_empty() && published.refs.is_empty();
    say(&match nothing {
        true if published.refused.is_empty() => format!("nothing new to publish to {shown}"),
        true => format!("nothing was published to {shown}"),
        false => format!("published {} to {shown}", done.join(", ")),
    });
    if !published.arrived.is_empty() {
        say(&format!("{} arrived", counted(&published.arrived)));
    }
    if published.refused.is_empty() {
        return Ok(Done::Well);
    }
    for refusal in &published.refused {
        say(&format!("refused: {}", refusal.name));
        for line in &refusal.words {
            say(&format!("  {line}"));
        }
    }
    let n = plural(published.refused.len() as u64, "ref");
    let error = Error::new(Kind::Check, format!("{shown} did not take {n}"));
    let raced = published.refused.iter().all(|r| r.raced);
    Err(error.with_hint(match raced {
        true => "everything is kept here; push again, or wait longer: git config \
                 evolve.pushTimeout 120"
            .to_owned(),
        false => format!("everything is kept here; as a file: {WAY_OUT}"),
    }))
}
