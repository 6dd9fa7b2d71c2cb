//! A record for the unit tests of this module.

use super::{Body, ChainPath, Head, Moment, ObjectName, Record, RecordId, Role};

pub(super) fn head() -> Head {
    let name = |digit: &str| ObjectName::parse(&digit.repeat(40)).expect("an object id");
    Head {
        id: RecordId::parse("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e").expect("an id"),
        at: Moment::from_millis(1_796_022_729_123).expect("a moment"),
        tool: "git-evolve 0.1.0".to_owned(),
        chain: ChainPath::parse("a/b/1").expect("a path"),
        begin: RecordId::parse("0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0f").expect("an id"),
        checkpoint: 0,
        checkpoint_id: "base".to_owned(),
        role: Role::Base,
        commit: name("1"),
        tree: name("2"),
        parent: Some(name("3")),
        for_checkpoint: None,
        attempt: None,
    }
}

pub(super) fn record(body: Body) -> Record {
    Record {
        head: head(),
        body,
        masked: Vec::new(),
    }
}
