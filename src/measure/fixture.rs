//! Hand-made steps for the tests of this module.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::history::{
    BodyOrigins, Commit, Context, Edit, FileClass, FnChange, FnChangeKind, FnScore,
    FunctionEvidence, Functions, Language, LanguageState, LeftOut, LineCounts, Lines, Needs, Oid,
    Person, Place, State, Status, Step, Totals, Window,
};

use super::catalogue::{figure, find};
use super::{Figure, Known, Value};

/// As if everything had been computed.
const EVERYTHING: Needs = Needs {
    lines: true,
    all_lines: true,
    origins: true,
    functions: true,
    tree: true,
    config_lines: true,
    hot_share: true,
    captures: true,
    noops: true,
};

/// A change of a Java project in a plain history that edited `edits`.
pub(super) fn step(edits: Vec<Edit>) -> Step {
    let id = |digit: &str| Oid::from_hex(&digit.repeat(40)).expect("forty hex digits");
    let person = Person {
        name: "A".to_owned(),
        email: "a@example.org".to_owned(),
    };
    Step {
        commit: Arc::new(Commit {
            id: id("a"),
            tree: id("b"),
            parents: vec![id("c")],
            author: person.clone(),
            committer: person,
            time: 0,
            message: "change".to_owned(),
            shallow: false,
        }),
        parent: Some(id("c")),
        place: Place::Plain { position: 1 },
        context: Arc::new(Context {
            language: Some(Language::Java),
            needs: EVERYTHING,
            ..Context::default()
        }),
        window: Window {
            length: 200,
            base: Some(id("d")),
            growing: false,
            cut: None,
        },
        root: false,
        merge: false,
        ignored_rev: false,
        turn: crate::history::Turn::Last,
        pending: false,
        trouble: None,
        rename_limit_hit: false,
        edits,
        state: None,
        integrity: Vec::new(),
        evidence: None,
    }
}

/// The step with another shown language.
pub(super) fn showing(mut step: Step, language: Option<Language>) -> Step {
    step.context = Arc::new(Context {
        language,
        ..(*step.context).clone()
    });
    step
}

/// The step with a state of these languages.
pub(super) fn with_state<const N: usize>(
    mut step: Step,
    languages: [(Language, LanguageState); N],
) -> Step {
    step.state = Some(State {
        languages: BTreeMap::from(languages),
        ..State::default()
    });
    step
}

/// A production file that changed in this way, with no lines and no functions.
pub(super) fn edit(status: Status, path: &str) -> Edit {
    let production = Some(FileClass::Production);
    Edit {
        path: path.as_bytes().into(),
        old_path: None,
        status,
        language: Language::of_path(path.as_bytes()),
        old_class: production.filter(|_| status != Status::Added),
        new_class: production.filter(|_| status != Status::Deleted),
        lines: Lines::Counted(LineCounts::default()),
        functions: Functions::Read(Box::default()),
    }
}

/// A modified production file.
pub(super) fn modified(path: &str) -> Edit {
    edit(Status::Modified, path)
}

/// A renamed production file.
pub(super) fn renamed(old: &str, new: &str) -> Edit {
    Edit {
        old_path: Some(old.as_bytes().into()),
        ..edit(Status::Renamed, new)
    }
}

impl Edit {
    /// With these line counts.
    pub(super) fn lines(mut self, added: u32, removed: u32) -> Edit {
        self.lines = Lines::Counted(LineCounts {
            added,
            removed,
            removed_settled: Some(0),
        });
        self
    }

    /// With both sides there are of `class`.
    pub(super) fn class(mut self, class: FileClass) -> Edit {
        self.old_class = self.old_class.map(|_| class);
        self.new_class = self.new_class.map(|_| class);
        self
    }

    /// With these functions.
    pub(super) fn functions(mut self, evidence: FunctionEvidence) -> Edit {
        self.functions = Functions::Read(Box::new(evidence));
        self
    }

    /// With these function changes.
    pub(super) fn changes(self, changes: Vec<FnChange>) -> Edit {
        self.functions(FunctionEvidence {
            changes,
            ..FunctionEvidence::default()
        })
    }

    /// With these sums of CC and cognitive score, before and after.
    pub(super) fn totals(self, before: (i64, i64), after: (i64, i64)) -> Edit {
        let totals = |(cc, cognitive)| Totals {
            cc,
            cognitive,
            functions: 1,
        };
        self.functions(FunctionEvidence {
            before: totals(before),
            after: totals(after),
            ..FunctionEvidence::default()
        })
    }
}

/// A function change with CC and cognitive score before and after.
pub(super) fn change(
    kind: FnChangeKind,
    key: &str,
    before: Option<(u32, u32)>,
    after: Option<(u32, u32)>,
) -> FnChange {
    let score = |(cc, cognitive)| FnScore {
        cc,
        cognitive,
        ..FnScore::default()
    };
    FnChange {
        kind,
        key: key.into(),
        old_key: None,
        nth: 0,
        old_nth: 0,
        name: key.into(),
        before: before.map(score),
        after: after.map(score),
        origins: None,
        rewrote: Vec::new(),
    }
}

/// A modified function whose body has these lines, so many of them prior.
pub(super) fn body(key: &str, prior: u32, lines: u32) -> FnChange {
    FnChange {
        origins: Some(BodyOrigins {
            lines,
            prior,
            own: 0,
        }),
        ..change(FnChangeKind::Modified, key, Some((1, 0)), Some((1, 0)))
    }
}

/// So many files left out for one reason.
pub(super) fn left_out(files: u64, reason: &str) -> LeftOut {
    LeftOut {
        files,
        reasons: BTreeMap::from([(reason.to_owned(), files)]),
        ..LeftOut::default()
    }
}

/// The figure of the measure `id` on `step`.
pub(super) fn of(id: &str, step: &Step) -> Figure {
    figure(find(id).expect("a known measure"), step)
}

/// The value of the measure `id` on `step`.
pub(super) fn value(id: &str, step: &Step) -> Value {
    of(id, step).value
}

/// The number of the measure `id` on `step`; none where it is not known.
pub(super) fn number(id: &str, step: &Step) -> Option<f64> {
    value(id, step).number()
}

/// The known value of the measure `id` on `step`.
pub(super) fn known(id: &str, step: &Step) -> Known {
    match value(id, step) {
        Value::Known(known) => known,
        other => panic!("{id} is {other:?}"),
    }
}

/// The reason why the measure `id` is unknown on `step`.
pub(super) fn unknown(id: &str, step: &Step) -> String {
    match value(id, step) {
        Value::Unknown(reason) => reason,
        other => panic!("{id} is {other:?}"),
    }
}

/// What was empty, where the measure `id` is undefined on `step`.
pub(super) fn undefined(id: &str, step: &Step) -> String {
    match value(id, step) {
        Value::Undefined(empty) => empty,
        other => panic!("{id} is {other:?}"),
    }
}
