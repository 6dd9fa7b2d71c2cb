//! The lists of `git evolve status`.

use super::Knowledge;
use crate::ledger::{ChainStatus, CheckpointStatus, RemoteStatus, Status, Unpublished, runs};
use crate::report::{Column, Field, List, Tone, counted};

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
            said.push(format!("{kind} {}", runs(&numbers).join(", ")));
        }
    }
    Field::from(said.join("; "))
}

/// What the remote that has most of a chain has not.
fn least(chain: &ChainStatus) -> Option<Unpublished> {
    let all = chain.unpublished.values().copied();
    all.min_by_key(|u| (u.commits, u.records))
}

pub(super) fn chains(status: &Status, known: &Knowledge) -> List {
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
        .column(Column::machine("notes"))
        .column(Column::machine("kept_attempts"))
        .column(Column::machine("kept_agent"));
    for chain in &status.chains {
        let done = chain.checkpoints.iter().filter(|c| c.agent.is_some());
        let last = chain.checkpoints.last();
        let unpublished = least(chain);
        let records = match chain.records {
            0 if known.word != "complete" && known.word != "none" => Field::unknown(),
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
            chain.kept_attempts.into(),
            chain.kept_agent.into(),
        ]);
    }
    list
}

pub(super) fn checkpoints(chosen: &[&ChainStatus], status: &Status, known: &Knowledge) -> List {
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

pub(super) fn pending(status: &Status) -> List {
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

pub(super) fn remotes(status: &Status) -> List {
    let mut list = List::new("remotes", "Not on the remotes yet")
        .column(Column::words("remote"))
        .column(Column::machine("configured"))
        .column(Column::machine("known"))
        .column(Column::right("commits"))
        .column(Column::right("records"))
        .column(Column::right("commits_without_records").titled("pushed without records"))
        .column(Column::machine("unmerged"))
        .column(Column::below("note"));
    let of_interest = !status.chains.is_empty();
    for RemoteStatus {
        name,
        configured,
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
            (*configured).into(),
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

pub(super) fn payloads(status: &Status) -> List {
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
