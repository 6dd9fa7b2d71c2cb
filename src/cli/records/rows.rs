//! Records in rows, for people: what each says in a few words.

use serde_json::Value;

use super::joined::Group;
use crate::record::{Body, CoverageMap, Record, Session, TestMap, Validity};
use crate::report::{Column, Field, List, counted};

/// One row a record.
pub(super) fn list(groups: &[Group]) -> List {
    let mut list = List::new("records", "")
        .column(Column::heading("group"))
        .column(Column::machine("chain"))
        .column(Column::machine("begin"))
        .column(Column::machine("checkpoint"))
        .column(Column::machine("attempt"))
        .column(Column::left("kind"))
        .column(Column::left("commit"))
        .column(Column::left("at"))
        .column(Column::words("what"))
        .column(Column::machine("id"));
    for group in groups {
        let joined = group.joined(false);
        let of = joined.attempt.clone();
        let heading = format!(
            "{}  {}{}{}",
            joined.chain,
            joined.checkpoint,
            joined
                .checkpoint_id
                .iter()
                .map(|id| format!(" {id}"))
                .collect::<String>(),
            of.iter().map(|a| format!("  {a}")).collect::<String>(),
        );
        for entry in group.shown() {
            let head = &entry.record.head;
            let at = head.at.to_string();
            let commit = head.commit.to_string();
            let short = commit.get(..7).unwrap_or(&commit);
            list.row(vec![
                heading.as_str().into(),
                joined.chain.as_str().into(),
                joined.begin.as_str().into(),
                joined.checkpoint.into(),
                joined.attempt.clone().into(),
                entry.kind.word().into(),
                Field::short(&commit, short),
                Field::short(&at, at.get(..16).unwrap_or(&at)),
                what(&entry.record).into(),
                head.id.to_string().into(),
            ]);
        }
    }
    list
}

/// A record in a few words.
fn what(record: &Record) -> String {
    fn word(value: impl serde::Serialize) -> Option<String> {
        let value = serde_json::to_value(value).ok()?;
        value.as_str().map(str::to_owned)
    }
    fn read<T: serde::de::DeserializeOwned>(value: Option<&Value>) -> Option<T> {
        T::deserialize(value?).ok()
    }
    let parts: Vec<Option<String>> = match &record.body {
        Body::Checkpoint(says) => vec![word(says.event)],
        Body::Envelope(says) => {
            let session: Option<Session> = read(says.session.as_ref());
            vec![
                word(says.purpose),
                says.outcome.clone(),
                match &session {
                    Some(session) => Some(session.format.clone()),
                    None => Some("not read".to_owned()),
                },
                session.and_then(|s| Some(format!("${:.2}", s.cost_usd?))),
            ]
        }
        Body::Tests(says) => {
            let map: Option<TestMap> = read(says.map.as_ref());
            let counts = map.as_ref().map(TestMap::counts);
            vec![
                word(says.suite),
                match &map {
                    Some(map) if map.validity == Validity::Valid => None,
                    Some(map) => word(map.validity),
                    None => Some("not read".to_owned()),
                },
                counts.map(|c| format!("{} of {} passed", c.passed, c.total)),
                map.and_then(|m| m.format),
            ]
        }
        Body::Coverage(says) => {
            let map: Option<CoverageMap> = read(says.files.as_ref());
            vec![match map {
                Some(map) => {
                    let totals = map.totals();
                    Some(format!(
                        "{}, {} of {} lines",
                        map.format, totals.covered, totals.executable
                    ))
                }
                None => Some("not read".to_owned()),
            }]
        }
        Body::Raw(says) => vec![
            word(says.payload),
            Some(says.path.clone().unwrap_or_else(|| says.name.clone())),
            Some(counted(says.size, "byte", "bytes")),
        ],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
