//! Which files tell of one session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::globs;
use super::said;
use super::workplace::Say;
use crate::error::{Error, Result};
use crate::ledger::name_of;
use crate::record::Payload;

/// The folder of logs of sub-agents beside a session's.
pub(super) const SUBAGENTS: &str = "subagents";

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    pub(super) payload: Payload,
    /// Its path from the folder that was given.
    pub(super) path: Option<String>,
    /// The source whose sub-agent wrote it.
    pub(super) leader: Option<usize>,
    /// It was found in a folder that was given.
    pub(super) from_folder: bool,
}

/// What a file by itself says of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// Its id, where it states one.
    Session(Option<String>),
    /// It tells of none.
    Nothing,
}

pub(super) fn transcript(
    file: &Path,
    path: String,
    leader: Option<usize>,
    from_folder: bool,
) -> Source {
    Source {
        file: file.to_owned(),
        payload: Payload::Transcript,
        path: Some(path),
        leader,
        from_folder,
    }
}

pub(super) fn is_log(found: &globs::Found) -> bool {
    let extension = found.file.extension().and_then(|e| e.to_str());
    matches!(extension, Some("jsonl" | "json" | "traj"))
        && !name_of(&found.file).ends_with(".meta.json")
}

/// The transcripts in a folder, logs of sub-agents behind those they belong to.
pub(super) fn folder(given: &Path, sources: &mut Vec<Source>) -> Result<()> {
    let found: Vec<_> = globs::below(given).into_iter().filter(is_log).collect();
    if found.is_empty() {
        return Err(Error::usage(format!(
            "--transcript {}: no transcript in it",
            given.display()
        ))
        .with_hint("transcripts are .jsonl, .json or .traj files"));
    }
    let leads = |file: &Path| {
        let folder = file.parent().filter(|p| p.ends_with(SUBAGENTS))?;
        Some(folder.parent()?.with_extension("jsonl"))
    };
    let mut at = BTreeMap::new();
    let (followers, leaders): (Vec<_>, Vec<_>) = found
        .iter()
        .partition(|f| leads(&f.file).is_some_and(|leader| found.iter().any(|f| f.file == leader)));
    for leader in leaders {
        at.insert(leader.file.clone(), sources.len());
        let path = globs::path_from(&leader.file, [given]);
        sources.push(transcript(&leader.file, path, None, true));
    }
    for follower in followers {
        let leader = leads(&follower.file).and_then(|f| at.get(&f).copied());
        let path = globs::path_from(&follower.file, [given]);
        sources.push(transcript(&follower.file, path, leader, true));
    }
    Ok(())
}

/// The sources by session, in the order in which each is first named.
pub(super) fn groups<'s>(
    sources: &'s [Source],
    told: &[Told],
    say: Say<'_>,
) -> Vec<Vec<&'s Source>> {
    // Of each source the first one of its session.
    let mut first: Vec<Option<usize>> = Vec::new();
    let mut by_id = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        first.push(match (&told[at], source.leader) {
            (_, Some(leader)) => first[leader],
            (Told::Nothing, None) => None,
            (Told::Session(None), None) => Some(at),
            (Told::Session(Some(id)), None) => Some(*by_id.entry(id).or_insert(at)),
        });
    }
    let named = |at: usize| matches!(&told[at], Told::Session(Some(_)));
    let heads: Vec<usize> = (0..sources.len())
        .filter(|at| first[*at] == Some(*at) && sources[*at].leader.is_none())
        .collect();
    let of = |payload: Payload| -> Vec<usize> {
        let of_it = heads.iter().copied();
        of_it.filter(|at| sources[*at].payload == payload).collect()
    };
    let (envelopes, transcripts) = (of(Payload::Envelope), of(Payload::Transcript));
    // The one envelope and the one transcript, where either does not say whose it is.
    if let ([envelope], [transcript]) = (envelopes.as_slice(), transcripts.as_slice())
        && !(named(*envelope) && named(*transcript))
    {
        for into in &mut first {
            if *into == Some(*transcript) {
                *into = Some(*envelope);
            }
        }
    } else if !envelopes.is_empty() {
        // A folder may hold other sessions than those that were captured.
        let others = |at: &&usize| sources[**at].from_folder;
        let others: Vec<usize> = transcripts.iter().filter(others).copied().collect();
        if !others.is_empty() {
            say(&format!(
                "{} of other sessions than the envelopes' left out (--transcript FILE takes one)",
                said::count(others.len(), "transcript", "transcripts")
            ));
        }
        for into in &mut first {
            *into = into.filter(|at| !others.contains(at));
        }
    }
    let mut groups = BTreeMap::<usize, Vec<&Source>>::new();
    for (source, first) in sources.iter().zip(&first) {
        if let Some(first) = first {
            groups.entry(*first).or_default().push(source);
        }
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, payload: Payload, leader: Option<usize>, from_folder: bool) -> Source {
        Source {
            file: PathBuf::from(name),
            payload,
            path: None,
            leader,
            from_folder,
        }
    }

    fn grouped(sources: &[Source], told: &[Option<&str>]) -> Vec<Vec<String>> {
        let told: Vec<Told> = told
            .iter()
            .map(|id| Told::Session(id.map(str::to_owned)))
            .collect();
        let groups = groups(sources, &told, &mut |_| {});
        let name = |s: &&Source| s.file.display().to_string();
        groups
            .iter()
            .map(|g| g.iter().map(name).collect())
            .collect()
    }

    #[test]
    fn files_of_one_session_are_one_record() {
        use Payload::{Envelope, Transcript};
        let envelope = |name| source(name, Envelope, None, false);
        let log = |name| source(name, Transcript, None, false);
        let sources = [envelope("e1"), envelope("e2"), log("t1"), log("t2")];
        let ids = [Some("a"), Some("b"), Some("b"), Some("c")];
        assert_eq!(
            grouped(&sources, &ids),
            [vec!["e1"], vec!["e2", "t1"], vec!["t2"]]
        );
        // Who states no id joins where there is one of each only.
        let pair = [envelope("e"), log("t")];
        assert_eq!(grouped(&pair, &[None, Some("a")]), [vec!["e", "t"]]);
        assert_eq!(grouped(&pair, &[None, None]), [vec!["e", "t"]]);
        assert_eq!(grouped(&pair, &[Some("a"), Some("b")]), [["e"], ["t"]]);
        let three = [envelope("e1"), envelope("e2"), log("t")];
        assert_eq!(
            grouped(&three, &[None, None, None]),
            [["e1"], ["e2"], ["t"]]
        );
        // Sub-agents go with theirs, whatever they state.
        let agents = [
            envelope("e"),
            log("t"),
            source("t/subagents/x", Transcript, Some(1), false),
        ];
        let ids = [Some("a"), Some("a"), Some("x")];
        assert_eq!(grouped(&agents, &ids), [["e", "t", "t/subagents/x"]]);
    }

    #[test]
    fn of_a_folder_the_sessions_of_the_envelopes_are_taken() {
        use Payload::{Envelope, Transcript};
        let found = |name, leader| source(name, Transcript, leader, true);
        let logs = [
            source("e", Envelope, None, false),
            found("a", None),
            found("b", None),
            found("b/subagents/x", Some(2)),
        ];
        let ids = [Some("a"), Some("a"), Some("b"), None];
        assert_eq!(grouped(&logs, &ids), [["e", "a"]]);
        let alone = [
            found("a", None),
            found("b", None),
            found("b/subagents/x", Some(1)),
        ];
        let ids = [Some("a"), Some("b"), None];
        assert_eq!(
            grouped(&alone, &ids),
            [vec!["a"], vec!["b", "b/subagents/x"]]
        );
    }
}
