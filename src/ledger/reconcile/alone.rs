//! A chain that no ref leads to: what records and reflogs still name of it.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;
use super::{Found, Item};
use crate::error::Result;
use crate::ledger::chains::{Lazy, Line, join};
use crate::record::{ChainPath, Role};
use crate::repo::{Oid, is_missing};

/// Everything about the chain that begins with `begin`.
pub(super) fn items(survey: &mut Survey<'_>, begin: &str) -> Result<Vec<Item>> {
    let mut by_commit = BTreeMap::<Oid, (u32, Role)>::new();
    let mut path: Option<ChainPath> = None;
    for h in survey.held(begin) {
        path.get_or_insert_with(|| h.head.chain.clone());
        by_commit.insert(h.of, (h.head.checkpoint, h.head.role));
    }
    let mut here = Vec::new();
    let mut gone = Vec::new();
    for id in by_commit.keys() {
        match survey.reader.commit(*id) {
            Ok(_) => here.push(*id),
            Err(e) if is_missing(&e) => gone.push(*id),
            Err(e) => return Err(e),
        }
    }
    let mut lines = survey.lost_lines(begin, &here)?;
    for line in survey.in_reflog(begin) {
        if !lines.iter().any(|l| l.holds(line.tip())) {
            lines.retain(|l| !line.holds(l.tip()));
            lines.push(line.clone());
        }
    }
    let label = path
        .or_else(|| lines.first().map(|l| l.path.clone()))
        .map_or_else(|| begin.to_owned(), |p| p.to_string());
    let mut items = Vec::new();
    let mut by_base = BTreeMap::<Oid, Vec<Line>>::new();
    for line in &lines {
        by_base.entry(line.base()).or_default().push(line.clone());
    }
    let lazy = Lazy::new(survey.reader);
    if let Some(chain) = join(begin.to_owned(), by_base, &lazy)?
        && let Some(line) = lines.iter().find(|l| l.tip() == chain.tip)
    {
        let mut item = Item::new(&label, begin, Found::Keep);
        let ids: Vec<Oid> = line.commits.iter().map(|c| c.id).collect();
        item.old = vec![line.tip()];
        let agents = line.commits.iter().filter(|c| c.role == Role::Agent);
        item.checkpoints = agents
            .map(|c| c.checkpoint)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        item.records = survey.count(begin, &ids);
        item.evidence.extend(chain.notes);
        item.says = format!(
            "no ref leads to it; its {} commits up to {} are still here",
            ids.len(),
            line.tip().short()
        );
        survey.keep(&mut item, &line.path, line);
        items.push(item);
    }
    let loose: Vec<Oid> = here
        .into_iter()
        .filter(|id| !lines.iter().any(|l| l.holds(*id)))
        .collect();
    let word = survey.cut_off.map_or(Found::Gone, |_| Found::Unknown);
    for (ids, found, says) in [
        (
            loose,
            word,
            "here, but their first parents lead to no base of this chain",
        ),
        (
            gone,
            word,
            match survey.cut_off {
                Some(_) => "not here, which a clone that is cut off need not have",
                None => {
                    "not in this repository: their records remain, what they changed cannot be had"
                }
            },
        ),
    ] {
        if ids.is_empty() {
            continue;
        }
        let mut item = Item::new(&label, begin, found);
        let checkpoints: BTreeSet<u32> = ids
            .iter()
            .filter_map(|id| Some(by_commit.get(id)?.0))
            .collect();
        item.checkpoints = checkpoints.into_iter().collect();
        item.records = survey.count(begin, &ids);
        item.says = format!("{} of its recorded commits are {says}", ids.len());
        item.old = ids;
        if found == Found::Unknown {
            item.command = Some("git fetch --unshallow".to_owned())
                .filter(|_| survey.cut_off == Some("a shallow clone"));
        }
        items.push(item);
    }
    Ok(items)
}
