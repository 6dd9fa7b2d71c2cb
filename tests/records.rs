//! The notes of every schema so far, read by this version; and the reference of their fields.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use git_evolve::record::mask::{self, Masker};
use git_evolve::record::{
    Body, CoverageMap, Did, Encoding, Event, How, Kind, Purpose, ReadLine, Record, Role, Session,
    Suite, TestMap, read_line, sheet,
};
use serde::Deserialize;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/notes/v1")
}

/// The notes with what is read out of payloads.
fn read_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/notes/v1-read")
}

/// The notes with what a run by the harness adds.
fn run_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/notes/v1-run")
}

/// Every golden note: its kind and bytes.
fn notes() -> Vec<(Kind, Vec<u8>)> {
    let mut all = Vec::new();
    for (folder, kinds) in [
        (folder(), &Kind::ALL[..]),
        (read_folder(), &Kind::ALL[1..]),
        (run_folder(), &Kind::ALL[..3]),
    ] {
        for kind in kinds {
            let file = folder.join(format!("{kind}.jsonl"));
            all.push((*kind, std::fs::read(file).expect("a golden note")));
        }
    }
    all
}

fn note(kind: Kind) -> Vec<u8> {
    std::fs::read(folder().join(format!("{kind}.jsonl"))).expect("a golden note")
}

fn records(kind: Kind) -> Vec<Record> {
    records_in(kind, &note(kind))
}

fn records_in(kind: Kind, note: &[u8]) -> Vec<Record> {
    sheet::lines(note)
        .map(|line| match read_line(kind, line) {
            ReadLine::Known(record) => *record,
            other => panic!("{kind}: {other:?}"),
        })
        .collect()
}

#[test]
fn golden_notes_are_written_back_byte_for_byte() {
    for (kind, bytes) in notes() {
        let mut written = Vec::new();
        for record in records_in(kind, &bytes) {
            let line = record.line(&Masker::general()).expect("a line");
            written.extend_from_slice(line.bytes());
            written.push(b'\n');
        }
        assert_eq!(
            String::from_utf8_lossy(&written),
            String::from_utf8_lossy(&bytes),
            "{kind}"
        );
        assert_eq!(sheet::union([bytes.as_slice()]), bytes, "{kind}");
    }
}

#[test]
fn golden_checkpoint_records_say_what_happened() {
    let all = records(Kind::Checkpoint);
    let find = |event: Event, k: u32| {
        let found = all.iter().find_map(|r| match &r.body {
            Body::Checkpoint(c) if c.event == event && r.head.checkpoint == k => Some((r, c)),
            _ => None,
        });
        found.expect("a record")
    };
    let (begin, body) = find(Event::Begin, 0);
    assert_eq!(begin.head.role, Role::Base);
    assert_eq!(begin.head.chain.to_string(), "shop/layered/fees/2");
    assert_eq!(begin.head.at.to_string(), "2026-11-30T07:12:01.001Z");
    let config = body.config.as_ref().expect("a configuration");
    let snapshot = std::fs::read(folder().join("config.json")).expect("the snapshot");
    assert_eq!(config.sha256, mask::sha256(&snapshot));

    let (_, body) = find(Event::Agent, 1);
    let work = body.work.as_ref().expect("work");
    assert_eq!((work.commit_count, work.untracked.count), (2, 2));
    assert_eq!(
        work.untracked.first[1].path_hex.as_deref(),
        Some("7372632f62ff642e7079")
    );
    assert!(work.uncommitted && !work.history_rewritten);

    let (_, body) = find(Event::Reset, 1);
    let restored = body.restored.as_ref().expect("what was put back");
    let how: Vec<How> = restored.paths.iter().map(|p| p.how).collect();
    assert_eq!(how, [How::Restored, How::Returned, How::Removed]);
    assert_eq!(restored.paths[2].new, None);

    let (rename, body) = find(Event::Rename, 0);
    assert_eq!(body.renamed_to.as_deref(), Some("shop/layered/fees/3"));
    assert_eq!(rename.head.parent, None);
    let (_, body) = find(Event::Adopt, 2);
    assert!(body.adopts.is_some());
}

#[test]
fn golden_captures_name_their_payloads_and_these_name_them() {
    let payloads = records(Kind::Raw);
    let mut named = BTreeSet::new();
    for kind in [Kind::Envelope, Kind::Tests, Kind::Coverage] {
        for record in records(kind) {
            let raw = match &record.body {
                Body::Envelope(e) => &e.raw,
                Body::Tests(t) => &t.raw,
                Body::Coverage(c) => &c.raw,
                other => panic!("{other:?}"),
            };
            for id in raw {
                let payload = payloads.iter().find(|p| p.head.id == *id);
                let Body::Raw(payload) = &payload.expect("a payload").body else {
                    panic!("no payload")
                };
                assert_eq!(payload.of, record.head.id);
                named.insert(id.clone());
            }
        }
    }
    assert_eq!(named.len(), payloads.len());
    let encodings: Vec<Encoding> = payloads
        .iter()
        .filter_map(|p| match &p.body {
            Body::Raw(raw) => Some(raw.encoding),
            _ => None,
        })
        .collect();
    assert_eq!(encodings.len(), 3);
    for encoding in [Encoding::Text, Encoding::Base64, Encoding::Large] {
        assert!(encodings.contains(&encoding));
    }
    let suites: BTreeSet<bool> = records(Kind::Tests)
        .iter()
        .map(|r| matches!(&r.body, Body::Tests(t) if t.suite == Suite::Visible))
        .collect();
    assert_eq!(suites.len(), 2);
}

#[test]
fn what_was_read_reads_back_as_it_was_written() {
    let read = |kind: Kind| {
        let file = read_folder().join(format!("{kind}.jsonl"));
        records_in(kind, &std::fs::read(file).expect("a golden note"))
    };
    let mut seen = 0;
    for record in [Kind::Envelope, Kind::Tests, Kind::Coverage]
        .map(read)
        .concat()
    {
        let (was, again) = match &record.body {
            Body::Envelope(e) => {
                let Some(was) = &e.session else {
                    assert_eq!(e.outcome.as_deref(), Some("rate_limited"));
                    continue;
                };
                let session = Session::deserialize(was).expect("a session");
                assert_eq!(session.by_model.len(), 1);
                assert!(!e.is_readable_again());
                let does: Vec<_> = session.transcript.iter().flat_map(|t| &t.events).collect();
                assert!(matches!(&does[3].what, Did::Result { ok: false, .. }));
                (was, serde_json::to_value(session))
            }
            Body::Tests(t) => {
                let was = t.map.as_ref().expect("a map");
                let map = TestMap::deserialize(was).expect("a map");
                assert_eq!(map.counts().total, map.tests.len().saturating_sub(1) as u64);
                (was, serde_json::to_value(map))
            }
            Body::Coverage(c) => {
                let was = c.files.as_ref().expect("files");
                let map = CoverageMap::deserialize(was).expect("a map");
                assert_eq!((map.totals().executable, map.totals().covered), (7, 6));
                (was, serde_json::to_value(map))
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(again.expect("JSON"), *was);
        seen += 1;
    }
    assert_eq!(seen, 4);
    let kinds: BTreeSet<String> = read(Kind::Raw)
        .iter()
        .map(|r| match &r.body {
            Body::Raw(raw) => format!("{:?}", raw.payload),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds.len(), 5);
}

fn run_records(kind: Kind) -> Vec<Record> {
    let file = run_folder().join(format!("{kind}.jsonl"));
    records_in(kind, &std::fs::read(file).expect("a golden note"))
}

#[test]
fn what_a_run_adds_is_read_out_of_its_golden_notes() {
    let all = run_records(Kind::Checkpoint);
    let of = |event: Event| {
        let found = all.iter().find_map(|r| match &r.body {
            Body::Checkpoint(c) if c.event == event => Some(c),
            _ => None,
        });
        found.expect("a record")
    };
    let begin = of(Event::Begin);
    let roles: BTreeSet<&str> = begin.contents.iter().map(|c| c.role.as_str()).collect();
    assert_eq!(roles.len(), 8, "{roles:?}");
    let prompt = begin
        .contents
        .iter()
        .find(|c| c.path.path == "prompts/late-fee.md");
    assert_eq!(
        prompt.expect("a prompt").checkpoint.as_deref(),
        Some("late-fee")
    );
    let made = begin.provenance.as_ref().expect("provenance");
    let system = made.system.as_ref().expect("a system");
    assert_eq!((system.cpus, system.memory_gib), (Some(8), Some(32)));
    let agent = made.agent.as_ref().expect("an agent");
    assert_eq!(agent.environment["SERVICE_TOKEN"], "[masked]");
    assert_eq!(agent.limits.as_ref().and_then(|l| l.turns), Some(80));
    assert_eq!((agent.network, agent.history), (Some(true), Some(false)));
    assert_eq!(made.isolation.as_deref(), Some("bwrap"));
    assert_eq!(begin.setups[0].place, "base");
    let tools = begin.tools.as_ref().expect("tools");
    assert_eq!(tools.versions["python3"], "Python 3.12.3");

    let agent = of(Event::Agent);
    let purposes: Vec<Purpose> = agent.turns.iter().map(|t| t.purpose).collect();
    assert_eq!(purposes, [Purpose::Implement, Purpose::Refactor]);
    let contained = agent.contained.as_ref().expect("what was contained");
    assert_eq!(contained.stubs[0].size, 1 << 30);
    assert_eq!(
        (contained.links_out.count, contained.too_many.count),
        (2, 50_001)
    );
    assert_eq!(contained.git_changed.len(), 6);

    let mut sessions = run_records(Kind::Envelope).into_iter();
    let (mut failed, mut probe) = (sessions.next().expect("one"), sessions.next().expect("two"));
    if matches!(&failed.body, Body::Envelope(e) if e.purpose == Purpose::Probe) {
        std::mem::swap(&mut failed, &mut probe);
    }
    assert_eq!(failed.head.for_checkpoint, Some(1));
    let (Body::Envelope(failed), Body::Envelope(probe)) = (failed.body, probe.body) else {
        panic!("no sessions")
    };
    let launch = failed.launch.expect("a launch");
    assert_eq!(launch.over, ["time", "output"]);
    assert_eq!((launch.signal, launch.left_running), (Some(9), 3));
    assert_eq!(
        (launch.output, launch.output_dropped),
        (1 << 30, 1_056_964_608)
    );
    assert_eq!(
        (launch.ended_by.as_str(), launch.turn),
        ("timeout", Some(1))
    );
    assert_eq!(failed.setups[0].outcome, "timeout");
    assert!(failed.work.expect("work").history_rewritten && failed.contained.is_some());
    let probed = probe.probed.expect("what it named");
    assert_eq!((probed.landed.len(), probed.named.len()), (3, 2));
    let wrote = probe.launch.and_then(|l| l.wrote).expect("it wrote");
    assert_eq!(wrote.first[0].path, "NOTES.md");

    let gate = run_records(Kind::Tests).remove(0);
    let Body::Tests(gate) = gate.body else {
        panic!("no gate")
    };
    let gated = gate.gated.expect("how it ran");
    let held: Vec<Option<bool>> = gated.checks.iter().map(|c| c.holds).collect();
    assert_eq!(held, [Some(false), None, Some(true)]);
    let what: Vec<(&str, bool)> = gated
        .tampered
        .iter()
        .map(|t| (t.what.as_str(), t.put_back))
        .collect();
    let wanted = [
        ("pinned", true),
        ("runner", false),
        ("tests", true),
        ("tests-gone", false),
    ];
    assert_eq!(what, wanted);
    assert_eq!(
        (gated.attempt, gated.setups[0].exit_code),
        (Some(2), Some(127))
    );
}

/// A line of a golden note with the value at `pointer` put in place of what is there.
fn with(kind: Kind, line: usize, pointer: &str, value: Value) -> ReadLine {
    let note = std::fs::read(run_folder().join(format!("{kind}.jsonl"))).expect("a golden note");
    let line = sheet::lines(&note).nth(line).expect("a line");
    let mut whole: Value = serde_json::from_slice(line).expect("JSON");
    *whole.pointer_mut(pointer).expect("a place") = value;
    read_line(kind, &serde_json::to_vec(&whole).expect("JSON"))
}

#[test]
fn a_line_with_a_part_out_of_form_is_bad_as_a_whole() {
    let long = || json!("x".repeat(2 << 20));
    for (kind, line, pointer, value, why) in [
        (
            Kind::Checkpoint,
            0,
            "/provenance/isolation",
            json!("Bwrap 1"),
            "isolation",
        ),
        (
            Kind::Checkpoint,
            0,
            "/provenance/system/cpus",
            json!(0),
            "cpus",
        ),
        (
            Kind::Checkpoint,
            0,
            "/provenance/system/memory_gib",
            json!(-1),
            "u32",
        ),
        (
            Kind::Checkpoint,
            0,
            "/provenance/agent/limits/cost_usd",
            json!(-2),
            "cost_usd",
        ),
        (
            Kind::Checkpoint,
            0,
            "/provenance/agent/limits/attempts",
            json!(0),
            "attempts",
        ),
        (
            Kind::Checkpoint,
            0,
            "/contents/0/id",
            json!("abc"),
            "object id",
        ),
        (Kind::Checkpoint, 0, "/contents/0/role", json!(""), "role"),
        (
            Kind::Checkpoint,
            0,
            "/contents/3/checkpoint",
            json!("../x"),
            "checkpoint id",
        ),
        (
            Kind::Checkpoint,
            0,
            "/setups/0/wall_ms",
            json!(u64::MAX),
            "wall_ms",
        ),
        (
            Kind::Checkpoint,
            0,
            "/setups/0/command",
            json!("one"),
            "sequence",
        ),
        (Kind::Checkpoint, 0, "/tools/versions/go", long(), "tools"),
        (
            Kind::Checkpoint,
            1,
            "/contained/stubs/0/sha256",
            json!("0"),
            "sha256",
        ),
        (
            Kind::Checkpoint,
            1,
            "/contained/links_out/count",
            json!(1),
            "links_out",
        ),
        (
            Kind::Checkpoint,
            1,
            "/contained/git_changed/0",
            json!("a b"),
            "git_changed",
        ),
        (
            Kind::Checkpoint,
            1,
            "/turns/0/purpose",
            json!("play"),
            "play",
        ),
        (
            Kind::Envelope,
            0,
            "/launch/ended_by",
            json!("\u{1b}[1m"),
            "ended_by",
        ),
        (Kind::Envelope, 0, "/launch/signal", json!(0), "signal"),
        (
            Kind::Envelope,
            0,
            "/launch/output_dropped",
            json!(1_u64 << 40),
            "output_dropped",
        ),
        (Kind::Envelope, 0, "/launch/turn", json!(0), "turn"),
        (
            Kind::Envelope,
            1,
            "/probed/named/0",
            json!("other"),
            "had not landed",
        ),
        (
            Kind::Envelope,
            1,
            "/probed/landed/0",
            json!("tax-rate"),
            "twice",
        ),
        (Kind::Tests, 0, "/gated/attempt", json!(0), "attempt"),
        (Kind::Tests, 0, "/gated/checks/0/why", long(), "why"),
        (
            Kind::Tests,
            0,
            "/gated/tampered/0/put_back",
            json!(1),
            "boolean",
        ),
    ] {
        let read = with(kind, line, pointer, value);
        let ReadLine::Bad(bad) = read else {
            panic!("{pointer}: {read:?}")
        };
        assert!(bad.to_string().contains(why), "{pointer}: {bad}");
    }
}

/// Objects whose keys are names of others, not fields.
const NAMES: [&str; 7] = [
    "branches",
    "by_model",
    "environment",
    "import_only",
    "per_test",
    "tests",
    "versions",
];

/// All keys of an object and of the objects in it, except those that are no fields; of what is
/// read out of payloads only where it is `typed`.
fn keys(value: &Value, typed: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                found.insert(key.clone());
                if !typed && ["session", "map", "files"].contains(&key.as_str()) {
                    continue;
                }
                let names = NAMES.contains(&key.as_str()) || is_by_path(key, inner);
                match inner.as_object().filter(|_| names) {
                    Some(named) => named.values().for_each(|v| keys_of_fields(v, found)),
                    None => keys(inner, typed, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|i| keys(i, typed, found)),
        _ => {}
    }
}

/// The fields of what stands under a name, where it has some.
fn keys_of_fields(value: &Value, found: &mut BTreeSet<String>) {
    let sets = |v: &Value| v.is_string() || v.is_array();
    if !value.as_object().is_some_and(|o| o.values().all(sets)) || value.get("outcome").is_some() {
        keys(value, true, found);
    }
}

/// `files` within `files` of a coverage record is by path.
fn is_by_path(key: &str, value: &Value) -> bool {
    key == "files" && value.get("format").is_none()
}

#[test]
fn every_field_of_the_golden_notes_is_in_the_reference() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records.md");
    let reference = std::fs::read_to_string(reference).expect("the reference");
    let mut found = BTreeSet::new();
    for (at, (_, note)) in notes().iter().enumerate() {
        for line in sheet::lines(note) {
            let line = serde_json::from_slice(line).expect("JSON");
            keys(&line, at >= Kind::ALL.len(), &mut found);
        }
    }
    let word = |text: &str, key: &str| {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .any(|w| w == key)
    };
    let missing: Vec<&String> = found.iter().filter(|k| !word(&reference, k)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found.len() > 180, "{found:?}");
}
