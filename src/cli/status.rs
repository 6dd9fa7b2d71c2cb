//! `git evolve status`.

use clap::Args;

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::ledger::{
    Absence, ChainStatus, CheckpointStatus, RemoteStatus, Status, Unpublished, status,
};
use crate::repo::Repo;
use crate::report::{Column, Field, List, Listing, Tone, counted, write_listing};

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
            listing.list(checkpoints(&chosen, &status, &known));
            for chain in chosen {
                remark_chain(&mut listing, chain);
            }
        }
        None => listing.list(chains(&status, &known)),
    }
    listing.list(pending(&status));
    listing.list(remotes(&status));
    listing.list(payloads(&status));
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
        Some(Absence::None) if status.cut_off => Knowledge {
            word: "cut off",
            words: Some("a shallow clone cut off the beginning of chains".to_owned()),
            bring: unshallow(),
        },
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
}

/// What several checkpoints lack, one word for each kind: `envelope 2-4; tests 3`.
fn missing(chain: &ChainStatus, known: &Knowledge) -> Field {
    if chain.records == 0 && known.word != "complete" && known.word != "none" {
        return Field::from(format!("? records {}", known.word)).tone(Tone::Missing);
    }
    let kinds = [
        "agent commit",
        "record",
        "reset",
        "reset record",
        "envelope",
        "tests",
        "coverage",
    ];
    let mut said = Vec::new();
    if chain.checkpoints.is_empty() {
        said.push("no checkpoint yet".to_owned());
    } else if chain.records == 0 {
        said.push("all records".to_owned());
    }
    for kind in kinds {
        let of_records = !matches!(kind, "reset" | "agent commit");
        let lacking = |c: &&CheckpointStatus| c.missing.contains(&kind);
        let numbers: Vec<u32> = chain
            .checkpoints
            .iter()
            .filter(lacking)
            .map(|c| c.number)
            .collect();
        if !numbers.is_empty() && (chain.records > 0 || !of_records) {
            said.push(format!("{kind} {}", spans(&numbers)));
        }
    }
    Field::from(said.join("; "))
}

/// `1-3, 5` for 1, 2, 3, 5.
fn spans(numbers: &[u32]) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for n in numbers {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => spans.push((*n, *n)),
        }
    }
    let shown = spans.iter().map(|(a, b)| match a == b {
        true => a.to_string(),
        false => format!("{a}-{b}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// What the remote that has most of a chain has not.
fn least(chain: &ChainStatus) -> Option<Unpublished> {
    let all = chain.unpublished.values().copied();
    all.min_by_key(|u| (u.commits, u.records))
}

fn chains(status: &Status, known: &Knowledge) -> List {
    let mut list = List::new("chains", "")
        .column(Column::paths("chain"))
        .column(Column::machine("path"))
        .column(Column::machine("begin"))
        .column(Column::machine("base"))
        .column(Column::machine("tip"))
        .column(Column::left("held_by").titled("held by"))
        .column(Column::machine("branches"))
        .column(Column::machine("kept"))
        .column(Column::right("checkpoints").titled("ckpts"))
        .column(Column::machine("last"))
        .column(Column::left("last_id").titled("last"))
        .column(Column::machine("reset"))
        .column(Column::right("records").titled("records"))
        .column(Column::machine("unpublished_records"))
        .column(Column::machine("unpublished_commits"))
        .column(Column::left("unpublished"))
        .column(Column::words("missing"))
        .column(Column::machine("foreign"))
        .column(Column::machine("superseded"))
        .column(Column::machine("copies"))
        .column(Column::machine("notes"));
    for chain in &status.chains {
        let done = chain.checkpoints.iter().filter(|c| c.agent.is_some());
        let last = chain.checkpoints.last();
        let unpublished = least(chain);
        let records = match chain.records {
            0 if known.word != "complete" && known.word != "none" => {
                Field::from("?").tone(Tone::Missing)
            }
            n => n.into(),
        };
        let behind = unpublished.map(|u| match (u.commits, u.records) {
            (0, 0) => "–".to_owned(),
            (0, records) => counted(records, "record", "records"),
            (commits, 0) => counted(commits as u64, "commit", "commits"),
            (commits, records) => format!("{commits} + {records}"),
        });
        list.row(vec![
            Field::from(chain.label.as_str()),
            chain.path.as_str().into(),
            chain.begin.as_str().into(),
            chain.base.to_string().into(),
            chain.tip.to_string().into(),
            chain.standing.word().into(),
            Field::words(chain.standing.branches.keys().map(String::as_str)),
            chain.standing.is_kept().into(),
            done.count().into(),
            last.map(|c| c.number).into(),
            last.map(|c| format!("{} {}", c.number, c.id)).into(),
            last.map(|c| c.reset.is_some()).into(),
            records,
            unpublished.map(|u| u.records).into(),
            unpublished.map(|u| u.commits).into(),
            behind.into(),
            missing(chain, known),
            chain.foreign.into(),
            chain.superseded.into(),
            chain.copies.into(),
            Field::words(chain.notes.iter().map(String::as_str)),
        ]);
    }
    list
}

fn checkpoints(chosen: &[&ChainStatus], status: &Status, known: &Knowledge) -> List {
    let mut list = List::new("checkpoints", "")
        .column(Column::heading("chain"))
        .column(Column::right("checkpoint").titled("#"))
        .column(Column::words("id"))
        .column(Column::left("agent"))
        .column(Column::left("reset"))
        .column(Column::right("record"))
        .column(Column::right("envelope"))
        .column(Column::right("tests"))
        .column(Column::right("coverage").titled("cov"))
        .column(Column::right("raw"))
        .column(Column::right("attempts").titled("att"))
        .column(Column::machine("superseded"))
        .column(Column::machine("inherited"))
        .column(Column::machine("not_counted"))
        .column(Column::machine("newer"))
        .column(Column::machine("spooled"))
        .column(Column::below("missing").titled("missing:"));
    for chain in chosen {
        let unknown = chain.records == 0 && !status.chains.is_empty() && known.bring.is_some();
        let number = |n: u64| match (n, unknown) {
            (0, true) => Field::none(),
            (0, false) => Field::from(0_u64).tone(Tone::Faint),
            (n, _) => n.into(),
        };
        for c in &chain.checkpoints {
            let captured = &c.captured;
            let commit = |id: Option<crate::repo::Oid>| match id {
                Some(id) => Field::short(&id.to_string(), &id.short()).tone(Tone::Id),
                None => Field::none(),
            };
            let lacks = match unknown {
                true => vec![format!("? records {}", known.word)],
                false if chain.records == 0 => vec!["all records".to_owned()],
                false => c.missing.iter().map(|m| (*m).to_owned()).collect(),
            };
            list.row(vec![
                Field::from(chain.label.as_str()),
                c.number.into(),
                c.id.as_str().into(),
                commit(c.agent),
                commit(c.reset),
                number(captured.checkpoint + captured.reset),
                number(captured.envelope),
                number(captured.tests),
                number(captured.coverage),
                number(captured.raw),
                number(captured.attempts),
                c.superseded.into(),
                captured.inherited.into(),
                captured.not_counted.into(),
                captured.newer.into(),
                c.spooled.into(),
                Field::joined(lacks),
            ]);
        }
    }
    list
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
    for note in &chain.notes {
        listing.remark(format!("{}: {note}", chain.label));
    }
}

fn pending(status: &Status) -> List {
    let mut list = List::new("pending", "Pending checkpoints")
        .column(Column::left("work_tree").titled("work tree"))
        .column(Column::machine("here"))
        .column(Column::machine("git_dir"))
        .column(Column::paths("chain"))
        .column(Column::right("checkpoint").titled("#"))
        .column(Column::words("checkpoint_id").titled("id"))
        .column(Column::left("phase"))
        .column(Column::right("commits"))
        .column(Column::machine("started"))
        .column(Column::below("damaged"));
    for p in &status.pending {
        let name = match p.here {
            true => format!("{} (this)", p.work_tree),
            false => p.work_tree.clone(),
        };
        list.row(vec![
            Field::short(&p.work_tree, &name),
            p.here.into(),
            p.git_dir.display().to_string().into(),
            p.chain.clone().into(),
            p.checkpoint.into(),
            p.checkpoint_id.clone().into(),
            p.phase.clone().into(),
            p.commits.into(),
            p.started.clone().into(),
            p.damaged.then_some("its file cannot be read").into(),
        ]);
    }
    list
}

fn remotes(status: &Status) -> List {
    let mut list = List::new("remotes", "Not on the remotes yet")
        .column(Column::words("remote"))
        .column(Column::machine("known"))
        .column(Column::right("commits"))
        .column(Column::right("records"))
        .column(Column::right("commits_without_records").titled("pushed without records"))
        .column(Column::machine("unmerged"))
        .column(Column::below("note"));
    let of_interest = !status.chains.is_empty();
    for RemoteStatus {
        name,
        known,
        unpublished,
        unmerged,
    } in status.remotes.iter().filter(|_| of_interest)
    {
        let note = match (known, unpublished.commits_without_records, unmerged) {
            (false, ..) => Some("nothing was ever published to it or fetched from it"),
            (true, 1.., _) => Some("commits are there whose records are not: `git evolve push`"),
            (true, _, 1..) => Some("it has records that are not merged: `git evolve fetch`"),
            _ => None,
        };
        list.row(vec![
            name.as_str().into(),
            (*known).into(),
            unpublished.commits.into(),
            unpublished.records.into(),
            unpublished.commits_without_records.into(),
            (*unmerged).into(),
            note.into(),
        ]);
    }
    list
}

fn payloads(status: &Status) -> List {
    let mut list = List::new("large_payloads", "Payloads that no push takes along")
        .column(Column::paths("chain"))
        .column(Column::words("name"))
        .column(Column::right("size").titled("bytes"))
        .column(Column::left("here"))
        .column(Column::machine("sha256"));
    for p in &status.large {
        list.row(vec![
            p.chain.as_str().into(),
            p.name.as_str().into(),
            p.size.into(),
            p.here.into(),
            p.sha256.as_str().into(),
        ]);
    }
    list
}

fn remarks(listing: &mut Listing, status: &Status, known: &Knowledge) {
    if status.chains.is_empty() && known.word != "cut off" {
        listing.remark("no chains: no experiment was run in this repository, as far as is known");
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
    let said: [(u64, &str); 7] = [
        (
            status.spooled,
            "records wait in the spool: the next command that writes takes them up",
        ),
        (
            status.damaged_spool_files as u64,
            "spool files are damaged: `git evolve doctor`",
        ),
        (
            bad,
            "lines of notes are no records: `git evolve verify` names them",
        ),
        (
            status.newer,
            "records are of a later version: what needs them is unknown",
        ),
        (
            status.conflicts as u64,
            "ids stand on different records: `git evolve verify`",
        ),
        (
            status.elsewhere,
            "records are on commits of no chain: `git evolve reconcile`",
        ),
        (
            status.dangling,
            "records are of commits that are not here: `git evolve verify`",
        ),
    ];
    for (count, words) in said {
        if count > 0 {
            listing.remark(format!("{count} {words}"));
        }
    }
    let (foreign, superseded, copies) = status.chains.iter().fold((0, 0, 0), |sum, c| {
        (sum.0 + c.foreign, sum.1 + c.superseded, sum.2 + c.copies)
    });
    for (count, words) in [
        (
            foreign,
            "foreign commits stand in chains: no checkpoint, their lines count as the base's",
        ),
        (
            superseded,
            "agent commits are superseded by later ones of the same checkpoint",
        ),
        (
            copies,
            "copies of chains are counted nowhere: `git evolve reconcile`",
        ),
    ] {
        if count > 0 {
            listing.remark(format!("{count} {words}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spans;

    #[test]
    fn neighbouring_numbers_are_one_span() {
        assert_eq!(spans(&[1, 2, 3, 5, 7, 8]), "1-3, 5, 7-8");
        assert_eq!(spans(&[4]), "4");
        assert_eq!(spans(&[]), "");
    }
}
