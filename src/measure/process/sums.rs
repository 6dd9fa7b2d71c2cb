//! Sums over sessions, some of which go on with others.
//!
//! Where a total of a session holds that of the one it goes on with, the earlier one is taken
//! off. So a sum is one of totals with weights: a session whose total a later one of the same sum
//! holds has the weight 0, and need not be known.

use std::collections::{BTreeMap, HashSet};

use super::told::{Scope, Sort, are_alike, scope};
use crate::history::evidence::{ChainEvidence, Said, SessionEvidence};
use crate::record::{Did, Session, Transcript, Usd};

/// What can be added up.
pub(super) trait Amount: Copy + PartialOrd {
    /// Nothing.
    const ZERO: Self;
    /// So many times it, added to `sum`; `None` out of range.
    fn weighed(self, weight: i64, sum: Self) -> Option<Self>;
    /// For people.
    fn shown(self) -> String;
}

impl Amount for i64 {
    const ZERO: i64 = 0;

    fn weighed(self, weight: i64, sum: i64) -> Option<i64> {
        self.checked_mul(weight)?.checked_add(sum)
    }

    fn shown(self) -> String {
        self.to_string()
    }
}

impl Amount for Usd {
    const ZERO: Usd = Usd::ZERO;

    fn weighed(self, weight: i64, sum: Usd) -> Option<Usd> {
        let more = self.times(weight.unsigned_abs())?;
        match weight < 0 {
            true => sum.minus(more),
            false => sum.plus(more),
        }
    }

    fn shown(self) -> String {
        self.to_string()
    }
}

/// The session that another one goes on with.
pub(super) enum Before<'e> {
    /// It began anew.
    Nothing,
    /// This one.
    One(&'e SessionEvidence),
    /// One that is not here: which.
    Missing(String),
}

/// What `session` of `evidence` goes on with: the latest record before it of the session it
/// names, else of its own id.
pub(super) fn before<'e>(evidence: &'e ChainEvidence, session: &SessionEvidence) -> Before<'e> {
    let named = session.resumes.as_deref();
    let own = session.session.known().ok();
    let Some(wanted) = named.or_else(|| own?.session_id.as_deref()) else {
        return Before::Nothing;
    };
    let all = evidence.checkpoints.iter().flat_map(|c| &c.sessions);
    let found = all
        .filter(|s| s.record < session.record && is_called(s, wanted))
        .max_by(|a, b| a.record.cmp(&b.record));
    match (found, named) {
        (Some(found), _) => Before::One(found),
        (None, Some(named)) => Before::Missing(named.to_owned()),
        (None, None) => Before::Nothing,
    }
}

fn is_called(session: &SessionEvidence, wanted: &str) -> bool {
    session.record.as_str() == wanted
        || matches!(&session.session, Said::Known(s) if s.session_id.as_deref() == Some(wanted))
}

/// Adds up what `told` says of `sessions`. `sort` says which totals go on.
///
/// # Errors
/// Why the sum is unknown: how many sessions do not tell it, the first reason, and what the
/// others add up to.
pub(super) fn sum<'e, A: Amount>(
    evidence: &'e ChainEvidence,
    sessions: &[&'e SessionEvidence],
    sort: Sort,
    told: impl Fn(&'e SessionEvidence, &'e Session) -> Result<A, String>,
) -> Result<A, String> {
    let mut weights: BTreeMap<&str, (&SessionEvidence, i64)> = BTreeMap::new();
    let mut weigh = |session: &'e SessionEvidence, by: i64| {
        weights
            .entry(session.record.as_str())
            .or_insert((session, 0))
            .1 += by;
    };
    let mut lacking: Vec<String> = Vec::new();
    let mut goes_on = false;
    for &one in sessions {
        match held(evidence, one, sort) {
            Ok(None) => weigh(one, 1),
            Ok(Some(earlier)) => {
                goes_on = true;
                if let (Ok(a), Ok(b)) = (tell(earlier, &told), tell(one, &told))
                    && b < a
                {
                    lacking.push(
                        "its totals are below those of the session it goes on with".to_owned(),
                    );
                    continue;
                }
                weigh(one, 1);
                weigh(earlier, -1);
            }
            Err(why) => lacking.push(why),
        }
    }
    let mut total = A::ZERO;
    for (session, weight) in weights.into_values() {
        match tell(session, &told) {
            _ if weight == 0 => {}
            Ok(amount) => {
                total = amount
                    .weighed(weight, total)
                    .ok_or_else(|| "an amount out of range".to_owned())?;
            }
            Err(why) if weight < 0 => {
                lacking.push(format!("of the session it goes on with: {why}"))
            }
            Err(why) => lacking.push(why),
        }
    }
    match lacking.first() {
        None => Ok(total),
        Some(why) if sessions.len() == 1 => Err(why.clone()),
        Some(why) => {
            let all = sessions.len();
            let lack = lacking.len().min(all);
            let known = match lack < all && total > A::ZERO && !goes_on {
                true => format!("; the others add up to {}", total.shown()),
                false => String::new(),
            };
            Err(format!(
                "{lack} of {all} sessions do not tell it ({why}){known}"
            ))
        }
    }
}

fn tell<'e, A>(
    session: &'e SessionEvidence,
    told: impl Fn(&'e SessionEvidence, &'e Session) -> Result<A, String>,
) -> Result<A, String> {
    let read = session.session.known().map_err(str::to_owned)?;
    told(session, read)
}

/// The session whose totals those of `session` hold.
fn held<'e>(
    evidence: &'e ChainEvidence,
    session: &'e SessionEvidence,
    sort: Sort,
) -> Result<Option<&'e SessionEvidence>, String> {
    let Ok(read) = session.session.known() else {
        return Ok(None);
    };
    if sort == Sort::Tools {
        return Ok(None);
    }
    let earlier = before(evidence, session);
    match (scope(read, sort), earlier) {
        (_, Before::Nothing) | (Scope::Run, _) => Ok(None),
        (Scope::Unclear, _) => Err(format!(
            "{} does not say whether its totals go on from the session before",
            read.format
        )),
        (Scope::Session, Before::Missing(id)) => Err(missing(&id)),
        (Scope::Session, Before::One(earlier)) => {
            if let Ok(before) = earlier.session.known()
                && (!are_alike(before, read) || scope(before, sort) != Scope::Session)
            {
                return Err("the session it goes on with does not tell its totals".to_owned());
            }
            Ok(Some(earlier))
        }
    }
}

/// Why what goes on from a session that is not here is unknown.
pub(super) fn missing(id: &str) -> String {
    let id: String = id.chars().take(64).collect();
    format!("it goes on with session {id}, of which there is no record")
}

/// True where `later` holds events of `earlier`: the file of a session that went on.
pub(super) fn holds(later: &Transcript, earlier: &Transcript) -> bool {
    let known = ids(earlier);
    ids(later).iter().any(|id| known.contains(id))
}

/// What of `later` came after `earlier`: in each thread what follows its last event of it.
pub(super) fn after(later: &Transcript, earlier: &Transcript) -> Transcript {
    let known = ids(earlier);
    let mut cut: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, happening) in later.events.iter().enumerate() {
        if id(&happening.what).is_some_and(|id| known.contains(&id)) {
            cut.insert(happening.thread, at);
        }
    }
    let events = later.events.iter().enumerate();
    Transcript {
        events: events
            .filter(|(at, h)| cut.get(&h.thread).is_none_or(|last| at > last))
            .map(|(_, h)| h.clone())
            .collect(),
    }
}

/// Answers and calls by id; one of each may have the same.
type Id<'t> = (bool, &'t str);

fn id(did: &Did) -> Option<Id<'_>> {
    match did {
        Did::Answer { id, .. } => Some((true, id)),
        Did::Call { id, .. } | Did::Result { id, .. } => Some((false, id)),
        Did::Input => None,
    }
}

fn ids(transcript: &Transcript) -> HashSet<Id<'_>> {
    transcript
        .events
        .iter()
        .filter_map(|h| id(&h.what))
        .collect()
}
