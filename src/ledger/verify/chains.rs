//! Chains: the order of roles, what holds their commits, whether they follow one plan.

use std::collections::BTreeMap;

use super::{Defect, Ground, Verified};
use crate::error::Result;
use crate::ledger::Chain;
use crate::record::{Body, Kind, Record, Role};
use crate::repo::{Oid, Severity};

pub(super) fn check(ground: &Ground<'_>, verified: &mut Verified) -> Result<()> {
    let mut refs = BTreeMap::<Oid, Vec<String>>::new();
    for reference in ground
        .reader
        .references()?
        .into_iter()
        .filter(|r| !r.symbolic)
    {
        let names = refs.entry(reference.commit).or_default();
        names.push(reference.name);
    }
    for chain in &ground.chains.chains {
        order(chain, goes_on(ground, chain), verified);
        held(ground, chain, &refs, verified);
        for note in &chain.notes {
            let what = note.clone();
            verified
                .defects
                .push(of(chain, "chain-remark", Severity::Note, what));
        }
    }
    one_plan(ground, verified);
    Ok(())
}

fn of(chain: &Chain, id: &'static str, severity: Severity, what: String) -> Defect {
    Defect::new(id, severity, what).in_chain(&chain.label)
}

/// Whether the agent that a chain's records name was configured to go on where a checkpoint does
/// not pass: such a run leaves out what needs that one, and what no attempt came to an end at.
fn goes_on(ground: &Ground<'_>, chain: &Chain) -> bool {
    let of_it = |record: &&Record| record.head.begin.as_str() == chain.begin;
    let all = chain
        .line
        .iter()
        .flat_map(|c| ground.records.on(Kind::Checkpoint, c.id));
    all.filter_map(|s| s.record()).filter(of_it).any(|record| {
        let Body::Checkpoint(says) = &record.body else {
            return false;
        };
        let made = says.provenance.as_ref().and_then(|p| p.agent.as_ref());
        made.is_some_and(|agent| agent.on_fail.as_deref() == Some("continue"))
    })
}

/// Base, then agent, reset, agent, reset…, their numbers counting up; where the run `goes_on`, some
/// may be left out.
fn order(chain: &Chain, goes_on: bool, verified: &mut Verified) {
    let mut open: Option<(u32, Oid)> = None;
    // The checkpoint of a replaced agent commit, whose reset may still come.
    let mut replaced: Option<u32> = None;
    let mut last = 0;
    for commit in &chain.line {
        let k = commit.checkpoint;
        let id = commit.id;
        let mut say = |id: &'static str, severity, what: String| {
            let defect = of(chain, id, severity, what).at(commit.id);
            verified.defects.push(defect);
        };
        match commit.role {
            Role::Base | Role::Change => {}
            Role::Foreign => say(
                "foreign-commit",
                Severity::Note,
                format!(
                    "{} has no trailers of this chain: it is no checkpoint",
                    id.short()
                ),
            ),
            Role::Superseded => {
                say(
                    "superseded",
                    Severity::Note,
                    format!(
                        "{} is replaced by a later agent commit of checkpoint {k}",
                        id.short()
                    ),
                );
                replaced = Some(k);
            }
            Role::Agent => {
                if let Some((before, _)) = open {
                    say(
                        "reset-missing",
                        Severity::Warning,
                        format!("checkpoint {before} was never reset before checkpoint {k} began"),
                    );
                }
                if k < last {
                    say(
                        "out-of-order",
                        Severity::Error,
                        format!("checkpoint {k} comes after checkpoint {last}"),
                    );
                } else if k > last.saturating_add(1) {
                    let (severity, why) = match goes_on {
                        true => (Severity::Note, ": the run goes on where one does not pass"),
                        false => (Severity::Warning, ""),
                    };
                    say(
                        "checkpoint-skipped",
                        severity,
                        format!("checkpoint {k} comes right after {last}{why}"),
                    );
                }
                last = last.max(k);
                open = Some((k, id));
                replaced = None;
            }
            Role::Reset => {
                match open {
                    Some((agent, _)) if agent == k => {}
                    None if replaced == Some(k) => {}
                    Some((agent, _)) => say(
                        "out-of-order",
                        Severity::Error,
                        format!("a reset of checkpoint {k} follows the agent commit of {agent}"),
                    ),
                    None => say(
                        "reset-unpaired",
                        Severity::Warning,
                        format!("a reset of checkpoint {k} follows no agent commit"),
                    ),
                }
                open = None;
                replaced = None;
            }
        }
    }
}

/// Some keep ref holds the last commit of the chain's own, and what keep refs hold is on the line.
/// Foreign commits behind it are work that is not recorded yet.
fn held(
    ground: &Ground<'_>,
    chain: &Chain,
    refs: &BTreeMap<Oid, Vec<String>>,
    verified: &mut Verified,
) {
    let mut kept = 0;
    let mut branch = false;
    let mut remote = false;
    for (at, commit) in chain.line.iter().enumerate() {
        for name in refs.get(&commit.id).into_iter().flatten() {
            if is_keep(name) {
                kept = at + 1;
            }
            // Of a chain with checkpoints a branch on the base holds nothing.
            let holds = at > 0 || chain.line.len() == 1;
            branch |= holds && name.starts_with("refs/heads/");
            remote |= ["refs/remotes/", "refs/evolve/remotes/"]
                .iter()
                .any(|space| name.starts_with(space));
        }
    }
    let keep = format!("refs/evolve/chains/{}", chain.path);
    let own: Vec<(&String, &Oid)> = refs
        .iter()
        .flat_map(|(id, names)| names.iter().map(move |n| (n, id)))
        .filter(|(name, _)| {
            **name == keep || name.strip_prefix(&keep).is_some_and(|r| r.starts_with('@'))
        })
        .collect();
    let elsewhere = own
        .iter()
        .find(|(_, id)| !chain.line.iter().any(|c| c.id == **id));
    let own_commits = chain.own_commits();
    if kept >= own_commits {
        if !branch && !remote {
            let what = "keep refs alone lead to it: its branch is gone".to_owned();
            verified
                .defects
                .push(of(chain, "only-kept", Severity::Note, what));
        }
        return;
    }
    let tip = chain.line[own_commits - 1].id;
    if kept > 0 {
        let what = format!("its keep ref lacks the last {} commits", own_commits - kept);
        let mend = format!("git update-ref {keep} {tip} {}", chain.line[kept - 1].id);
        let defect = of(chain, "keep-behind", Severity::Warning, what).at(tip);
        verified.defects.push(defect.mended_by(mend));
    } else if let Some((name, id)) = elsewhere
        && branch
    {
        let what = format!("{name} names {}, which is not on its line", id.short());
        let defect = of(chain, "keep-diverged", Severity::Warning, what).at(tip);
        verified
            .defects
            .push(defect.mended_by("git evolve reconcile"));
    } else if branch && !remote && !ground.bare {
        let what = "no keep ref holds it: with its branch its commits go".to_owned();
        let mend = format!("git update-ref {keep} {tip} ''");
        let defect = of(chain, "not-kept", Severity::Warning, what).at(tip);
        verified.defects.push(defect.mended_by(mend));
    }
}

/// Whether a ref is there to keep a chain.
fn is_keep(name: &str) -> bool {
    name.starts_with("refs/evolve/chains/") || name.starts_with("refs/evolve/rewritten/")
}

/// Checkpoints are called alike wherever one plan was recorded first, and a chain stays with it.
fn one_plan(ground: &Ground<'_>, verified: &mut Verified) {
    let mut called = BTreeMap::<(String, u32), BTreeMap<String, (usize, Oid)>>::new();
    for (i, chain) in ground.chains.chains.iter().enumerate() {
        let Some(plan) = first_plan(ground, chain) else {
            continue;
        };
        for (later, at) in plans(ground, chain) {
            if later.1 != plan {
                let what = format!(
                    "is scored under configuration {}, the chain began under {}",
                    short(&later.1),
                    short(&plan)
                );
                let defect = of(chain, "plan-changed", Severity::Note, what).at(at);
                verified.defects.push(defect.of(&later.0.head.id));
            }
        }
        for commit in &chain.line {
            if matches!(commit.role, Role::Agent | Role::Superseded | Role::Reset) {
                let names = called.entry((plan.clone(), commit.checkpoint)).or_default();
                names
                    .entry(commit.checkpoint_id.clone())
                    .or_insert((i, commit.id));
            }
        }
    }
    for ((plan, k), names) in called {
        if names.len() < 2 {
            continue;
        }
        let words: Vec<&str> = names.keys().map(String::as_str).collect();
        let what = format!(
            "checkpoint {k} of the plan {} is called {} in different places",
            short(&plan),
            words.join(" and ")
        );
        for (i, id) in names.values() {
            let chain = &ground.chains.chains[*i];
            let defect = of(chain, "plan-differs", Severity::Error, what.clone());
            verified.defects.push(defect.at(*id));
        }
    }
}

/// The configuration digests that a chain's checkpoint records name.
fn plans<'a>(ground: &'a Ground<'_>, chain: &'a Chain) -> Vec<((&'a Record, String), Oid)> {
    let mut found = Vec::new();
    for commit in &chain.line {
        for stored in ground.records.on(Kind::Checkpoint, commit.id) {
            let Some(record) = stored.record() else {
                continue;
            };
            if record.head.begin.as_str() != chain.begin {
                continue;
            }
            if let Body::Checkpoint(body) = &record.body
                && let Some(config) = &body.config
            {
                found.push(((record, config.sha256.clone()), commit.id));
            }
        }
    }
    found
}

/// The one of the oldest record.
fn first_plan(ground: &Ground<'_>, chain: &Chain) -> Option<String> {
    let oldest = plans(ground, chain)
        .into_iter()
        .min_by(|((a, _), _), ((b, _), _)| a.head.id.cmp(&b.head.id));
    oldest.map(|((_, plan), _)| plan)
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
