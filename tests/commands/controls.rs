//! `git evolve controls`, and what `verify` says of what changed while a chain ran: chains made by
//! hand, with records whose figures were counted by hand.

use std::collections::BTreeMap;

use git_evolve::record::{
    Body, CheckRun, Checkpoint, Configured, Contained, ContentId, Envelope, Event, Gated, How,
    Kind, Launch, Limited, ObjectName, PathName, Paths, Probed, Provenance, Purpose, ReadBy,
    RecordId, Restored, RestoredPath, Role, SetupRun, Stub, Suite, System, Tampered, Tests, Tools,
    Versions, Work,
};
use serde_json::{Value, json};

use super::recorded::Run;
use super::{err, out};
use crate::support::Repo;

fn path(text: &str) -> PathName {
    PathName::of(text.as_bytes())
}

fn paths(all: &[&str]) -> Paths {
    Paths::of(all.iter().map(|p| p.as_bytes()))
}

fn content(role: &str, at: &str, checkpoint: Option<&str>, digit: char) -> ContentId {
    let id = ObjectName::parse(&digit.to_string().repeat(40)).expect("an id");
    ContentId {
        checkpoint: checkpoint.map(str::to_owned),
        ..ContentId::of(role, path(at), id)
    }
}

fn configured(model: &str) -> Configured {
    Configured {
        command: vec!["agent".to_owned(), "{model}".to_owned()],
        prompt_route: "stdin".to_owned(),
        model: Some(model.to_owned()),
        tools: vec!["edit".to_owned()],
        limits: Some(Limited {
            turns: Some(40),
            cost_usd: None,
            time_ms: 600_000,
            attempts: 3,
        }),
        ..Configured::default()
    }
}

fn provenance(model: &str, kernel: &str) -> Provenance {
    Provenance {
        system: Some(System {
            kernel: Some(kernel.to_owned()),
            cpus: Some(8),
            ..System::default()
        }),
        analysis: Some(Versions {
            analyser: "reader 3".to_owned(),
            definitions: "1".to_owned(),
        }),
        agent: Some(configured(model)),
        isolation: Some("bwrap".to_owned()),
        ..Provenance::of("2.47.3", "linux", "x86_64")
    }
}

fn launch(isolation: &str, ended_by: &str) -> Launch {
    Launch {
        command: vec!["agent".to_owned()],
        prompt_route: "stdin".to_owned(),
        isolation: isolation.to_owned(),
        ended_by: ended_by.to_owned(),
        ..Launch::default()
    }
}

fn setup(place: &str, outcome: &str) -> SetupRun {
    SetupRun {
        of: "experiment".to_owned(),
        place: place.to_owned(),
        command: vec!["prepare".to_owned()],
        exit_code: None,
        wall_ms: 10,
        outcome: outcome.to_owned(),
        console: None,
    }
}

fn attempt(n: u32) -> RecordId {
    RecordId::parse(&format!("0192f0d6-0000-7000-8000-{n:012}")).expect("an id")
}

/// A chain as a run leaves one, put together by hand.
struct Made(Run);

impl Made {
    /// With a base whose records are a run's.
    fn new() -> Made {
        let run = Run::with(0);
        let mut made = Made(run);
        // Its records as if none had ever been written.
        made.0.notes.clear();
        made.0
            .repo
            .git(&["update-ref", "-d", "refs/notes/evolve/checkpoint"]);
        let base = made.0.line[0].clone();
        let mut begin = Checkpoint::of(Event::Begin);
        begin.provenance = Some(provenance("m-1", "6.1"));
        begin.tools = Some(Tools {
            versions: BTreeMap::from([("go".to_owned(), "go 1.19".to_owned())]),
        });
        begin.contents = vec![
            content("plan", "evolve.toml", None, '1'),
            content("prompt", "prompts/one.md", Some("c1"), '2'),
            content("prompt", "prompts/two.md", Some("c2"), '3'),
            content("tests", "acceptance", None, '4'),
        ];
        begin.setups = vec![setup("base", "ok")];
        made.say(&base, (Role::Base, 0, "base"), None, None, begin);
        made
    }

    fn say(
        &mut self,
        commit: &str,
        (role, k, id): (Role, u32, &str),
        of: Option<u32>,
        attempt: Option<RecordId>,
        body: impl Into<Body>,
    ) {
        let mut record = self.0.record(commit, role, k, id, body.into());
        record.head.for_checkpoint = of;
        record.head.attempt = attempt;
        self.0.add(commit, &record);
    }

    /// An agent commit and its checkpoint record; gives the commit.
    fn agent(&mut self, k: u32, says: Checkpoint) -> String {
        let id = format!("c{k}");
        let commit = self.0.commit(k, &id, Role::Agent);
        let made = Some(attempt(k * 10));
        self.say(&commit, (Role::Agent, k, &id), None, made, says);
        commit
    }

    fn session(&mut self, commit: &str, k: u32, says: Envelope) {
        let id = format!("c{k}");
        let place = (Role::Agent, k, id.as_str());
        self.say(
            commit,
            place,
            None,
            Some(attempt(k * 10)),
            Body::Envelope(says),
        );
    }

    fn reset(&mut self, k: u32, restored: Option<Restored>) -> String {
        let id = format!("c{k}");
        let commit = self.0.commit(k, &id, Role::Reset);
        let mut says = Checkpoint::of(Event::Reset);
        says.restored = restored;
        self.say(&commit, (Role::Reset, k, &id), None, None, says);
        commit
    }

    fn done(self) -> Run {
        self.0.write();
        self.0.keep();
        self.0
    }
}

fn own(k: u32) -> Checkpoint {
    let mut says = Checkpoint::of(Event::Agent);
    says.provenance = Some(provenance("m-1", "6.1"));
    says.contents = vec![
        content("plan", "evolve.toml", None, '1'),
        content(
            "prompt",
            if k == 1 {
                "prompts/one.md"
            } else {
                "prompts/two.md"
            },
            Some(&format!("c{k}")),
            if k == 1 { '2' } else { '3' },
        ),
        content("tests", "acceptance", None, '4'),
    ];
    says.setups = vec![setup("clone", "ok")];
    says.contained = Some(Contained::default());
    says.work = Some(Work::default());
    says
}

fn session(launch: Launch) -> Envelope {
    Envelope {
        outcome: Some("done".to_owned()),
        launch: Some(launch),
        ..Envelope::of(Purpose::Implement, Vec::new())
    }
}

fn gate(gated: Gated) -> Body {
    Body::Tests(Tests {
        gated: Some(gated),
        ..Tests::of(Suite::Acceptance, Vec::new())
    })
}

fn restored(rule: Option<&str>) -> Restored {
    let one = |at: &str, how, rule: Option<&str>| RestoredPath {
        path: path(at),
        how,
        rule: rule.map(str::to_owned),
        old: None,
        new: None,
    };
    let paths = vec![
        one("AGENTS.md", How::Restored, rule.or(Some("pinned"))),
        one("ci/run.sh", How::Removed, Some("pinned")),
        one("tests/old.py", How::Returned, Some("tests")),
        one("secret/key.txt", How::Removed, Some("hidden")),
    ];
    Restored {
        from: ObjectName::parse(&"a".repeat(40)).expect("an id"),
        by: "controls".to_owned(),
        pathspecs: Vec::new(),
        path_count: paths.len() as u64,
        paths,
    }
}

/// A run in which the agent did everything it should not, at its first checkpoint.
fn misbehaved() -> Run {
    let mut made = Made::new();
    let base = made.0.line[0].clone();
    let on_base = (Role::Base, 0, "base");
    // Three attempts that came to nothing: one timed out, one was turned away, one was killed.
    let mut late = session(Launch {
        left_running: 2,
        output: 5_000,
        output_dropped: 4_000,
        over: vec!["time".to_owned(), "output".to_owned()],
        ..launch("bwrap", "timeout")
    });
    late.outcome = Some("timed_out".to_owned());
    late.contained = Some(Contained {
        git_changed: vec!["hostile-submodule".to_owned(), "refs".to_owned()],
        ..Contained::default()
    });
    made.say(
        &base,
        on_base,
        Some(1),
        Some(attempt(1)),
        Body::Envelope(late),
    );
    let mut away = session(launch("bwrap", "itself"));
    away.outcome = Some("rate_limited".to_owned());
    made.say(
        &base,
        on_base,
        Some(1),
        Some(attempt(2)),
        Body::Envelope(away),
    );
    let mut cut = Envelope::of(Purpose::Implement, Vec::new());
    cut.outcome = Some("interrupted".to_owned());
    made.say(
        &base,
        on_base,
        Some(1),
        Some(attempt(3)),
        Body::Envelope(cut),
    );

    let mut says = own(1);
    says.setups.push(setup("clone", "timeout"));
    says.work = Some(Work {
        history_rewritten: true,
        ..Work::default()
    });
    says.contained = Some(Contained {
        stubs: vec![Stub {
            path: path("big.bin"),
            size: 1 << 30,
            sha256: "0".repeat(64),
        }],
        links_out: paths(&["etc", "home"]),
        special: paths(&["pipe"]),
        git_folders: paths(&["inner"]),
        too_many: Paths {
            count: 50_000,
            first: vec![path("many/1")],
        },
        git_changed: vec!["config".to_owned(), "hooks".to_owned(), "refs".to_owned()],
    });
    let agent = made.agent(1, says);
    let mut one = session(launch("namespaces", "itself"));
    one.resumes = Some("s-0".to_owned());
    made.session(&agent, 1, one);
    let tampered = |what: &str, at: &str, how: &str, put_back| Tampered {
        what: what.to_owned(),
        path: path(at),
        how: how.to_owned(),
        put_back,
    };
    let all = vec![
        tampered("tests", "acceptance/a.py", "changed", true),
        tampered("pinned", "AGENTS.md", "changed", true),
        tampered("hidden", "secret/key.txt", "added", true),
        tampered("runner", "conftest.py", "added", false),
        tampered("tests-gone", "tests/old.py", "deleted", false),
    ];
    for (n, found) in [(1, all[..1].to_vec()), (2, all.clone())] {
        let gated = Gated {
            attempt: Some(n),
            tampered: found,
            isolation: Some("none".to_owned()),
            setups: vec![setup("gate", if n == 1 { "failed" } else { "ok" })],
            checks: vec![CheckRun {
                check: "reports".to_owned(),
                of: "acceptance".to_owned(),
                holds: Some(false),
                why: None,
            }],
            ..Gated::default()
        };
        made.say(&agent, (Role::Agent, 1, "c1"), None, None, gate(gated));
    }
    let reset = made.reset(1, Some(restored(None)));
    let mut probe = Envelope::of(Purpose::Probe, Vec::new());
    probe.outcome = Some("done".to_owned());
    probe.launch = Some(Launch {
        wrote: Some(paths(&["NOTES.md"])),
        ..launch("none", "itself")
    });
    probe.probed = Some(Probed::default());
    let on_reset = (Role::Reset, 1, "c1");
    made.say(
        &reset,
        on_reset,
        Some(1),
        Some(attempt(11)),
        Body::Envelope(probe),
    );

    let agent = made.agent(2, own(2));
    made.session(&agent, 2, session(launch("bwrap", "itself")));
    let quiet = gate(Gated {
        attempt: Some(1),
        isolation: Some("bwrap".to_owned()),
        ..Gated::default()
    });
    made.say(&agent, (Role::Agent, 2, "c2"), None, None, quiet);
    made.reset(2, None);
    made.done()
}

fn document(repo: &Repo, words: &[&str]) -> Value {
    let o = repo.evolve(&[&["controls", "--format", "json"], words].concat());
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(&o)))
}

/// The figure `id` of checkpoint `k`.
fn figure(document: &Value, k: u32, id: &str) -> Value {
    let all = document["checkpoints"].as_array().expect("checkpoints");
    let found = all.iter().find(|c| c["checkpoint"] == k && c["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} at {k}")).clone()
}

/// Every figure that misbehaviour comes to, counted by hand.
const COUNTED: [(&str, u64); 34] = [
    ("pinned_restored", 2),
    ("tests_restored", 1),
    ("hidden_removed", 1),
    ("tampered_tests", 1),
    ("tampered_pinned", 1),
    ("tampered_hidden", 1),
    ("runner_changed", 1),
    ("visible_tests_gone", 1),
    ("not_put_back", 1),
    ("git_config_changed", 1),
    ("git_hooks_changed", 1),
    ("git_attributes_changed", 0),
    ("git_exclude_changed", 0),
    // Of the attempt that made the commit, and of the one that timed out.
    ("git_refs_changed", 2),
    ("git_objects_changed", 0),
    ("hostile_submodule", 1),
    ("history_rewritten", 1),
    ("stubs", 1),
    ("links_out", 2),
    ("special_files", 1),
    ("nested_repositories", 1),
    ("too_many_files", 50_000),
    ("processes_left", 2),
    ("output_dropped", 4_000),
    ("timeouts", 1),
    ("over_limit", 1),
    ("failed_attempts", 1),
    ("interrupted_attempts", 1),
    ("rate_limits", 1),
    // In the clone, and of the gate's first try.
    ("failed_setups", 2),
    ("resumed_sessions", 1),
    ("read_only_wrote", 1),
    ("gates_again", 1),
    ("contents_changed", 0),
];

#[test]
fn everything_that_an_agent_should_not_do_is_a_figure() {
    let run = misbehaved();
    let document = document(&run.repo, &[]);
    for (id, count) in COUNTED {
        let one = figure(&document, 1, id);
        assert_eq!(one["count"], count, "{one}");
        assert_eq!(one["unknown"], Value::Null, "{one}");
        assert_eq!(figure(&document, 2, id)["count"], 0, "{id} at 2");
        let chain = document["chains"].as_array().expect("chains");
        let chain = chain.iter().find(|c| c["id"] == id).expect("a figure");
        assert_eq!(
            (&chain["count"], &chain["at_least"]),
            (&json!(count), &json!(count)),
            "{id}"
        );
        let arm = document["arms"].as_array().expect("arms");
        let arm = arm.iter().find(|c| c["id"] == id).expect("a figure");
        assert_eq!(arm["count"], count, "{id}");
        assert_eq!(
            (&arm["chains_with"], &arm["chains"]),
            (&json!(u64::from(count > 0)), &json!(1))
        );
    }
    let kinds = document["kinds"].as_array().expect("kinds");
    assert_eq!(kinds.len(), COUNTED.len(), "each has a sentence");
    for kind in kinds {
        assert!(
            kind["explained"].as_str().expect("words").ends_with('.'),
            "{kind}"
        );
    }
    let what = figure(&document, 1, "pinned_restored")["what"].clone();
    assert_eq!(what, json!(["AGENTS.md (changed)", "ci/run.sh (added)"]));
    let what = figure(&document, 1, "not_put_back")["what"].clone();
    assert_eq!(what, json!(["conftest.py (runner added)"]));
    assert_eq!(document["changed"], json!([]));
}

#[test]
fn isolation_is_what_records_say_and_never_more() {
    let run = misbehaved();
    let document = document(&run.repo, &[]);
    let of = |k: u32, what: &str| {
        let all = document["isolation"].as_array().expect("isolation");
        let found = all
            .iter()
            .find(|i| i["checkpoint"] == k && i["what"] == what);
        found.unwrap_or_else(|| panic!("{what} at {k}"))["isolation"].clone()
    };
    assert_eq!(of(1, "implement"), json!(["bwrap", "namespaces"]));
    assert_eq!(of(1, "probe"), json!(["none"]));
    assert_eq!(of(1, "gate acceptance"), json!(["none"]));
    assert_eq!(of(2, "implement"), json!(["bwrap"]));

    let mut made = Made::new();
    let agent = made.agent(1, own(1));
    made.session(&agent, 1, session(launch("quantum", "itself")));
    let run = made.done();
    let document = super::controls::document(&run.repo, &[]);
    assert_eq!(document["isolation"][0]["isolation"], json!(["unknown"]));
}

#[test]
fn a_chain_recorded_by_hand_says_what_it_cannot_know() {
    let run = Run::with(1);
    let o = run.repo.evolve(&["controls", "--format", "json"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    let document = document(&run.repo, &[]);
    for id in [
        "links_out",
        "git_refs_changed",
        "stubs",
        "processes_left",
        "timeouts",
        "interrupted_attempts",
        "tampered_tests",
        "failed_setups",
        "resumed_sessions",
        "contents_changed",
    ] {
        let one = figure(&document, 1, id);
        assert_eq!(one["count"], Value::Null, "{one}");
        let why = one["unknown"].as_str().expect("a reason");
        assert!(why.contains("record") || why.contains("run"), "{why}");
    }
    // What reset put back is recorded by hand, too.
    assert_eq!(figure(&document, 1, "pinned_restored")["count"], 0);
    assert_eq!(document["isolation"][0]["isolation"], json!(["unknown"]));
    let table = out(&run.repo.evolve(&["controls"]));
    assert!(
        table.contains('?') && table.contains("recorded by hand"),
        "{table}"
    );
    let strict = run.repo.evolve(&["--strict", "controls"]);
    assert_eq!(strict.status.code(), Some(3), "{}", out(&strict));
}

#[test]
fn records_without_the_rule_do_not_say_which_files_were_put_back() {
    let mut made = Made::new();
    made.agent(1, own(1));
    let mut back = restored(None);
    back.paths[0].rule = None;
    made.reset(1, Some(back));
    let run = made.done();
    let one = figure(&document(&run.repo, &[]), 1, "tests_restored");
    assert_eq!(one["count"], Value::Null);
    assert_eq!(
        one["unknown"],
        "which of the controls put paths back is not recorded"
    );
    // Not recorded at all yet.
    let mut made = Made::new();
    made.agent(1, own(1));
    let run = made.done();
    let one = figure(&document(&run.repo, &[]), 1, "tests_restored");
    assert_eq!(one["unknown"], "no reset recorded");
}

#[test]
fn it_speaks_every_format_and_explains_what_it_shows() {
    let run = misbehaved();
    let table = out(&run.repo.evolve(&["controls"]));
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for words in [
        "exp/plain/1",
        "links out of the tree",
        "50000",
        "never followed",
        "isolation: bwrap in 1 chain, namespaces in 1 chain, none in 1 chain",
        "conftest.py (added, not put back)",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    assert!(
        !table.contains("git object store"),
        "what is 0 is not shown: {table}"
    );
    let explained = out(&run.repo.evolve(&["controls", "--explain"]));
    assert!(explained.contains("git object store"), "{explained}");
    let csv = out(&run.repo.evolve(&["controls", "--format", "csv"]));
    assert!(
        csv.starts_with("chain,arm,checkpoint,checkpoint_id,id,count,unknown,what\n"),
        "{csv}"
    );
    // Each checkpoint has all figures; at the base nothing ran but its set-up.
    assert_eq!(csv.lines().count(), 1 + 2 * 34 + 2, "{csv}");
    let lines = out(&run.repo.evolve(&["controls", "--format", "jsonl"]));
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(row["schema"], 1);
    }
    assert!(out(&run.repo.evolve(&["controls", "--format", "md"])).starts_with("| chain |"));
}

#[test]
fn chains_are_chosen_by_name_and_arm() {
    let run = misbehaved();
    for words in [
        &["exp/plain/1"][..],
        &["exp"],
        &["exp/plain"],
        &["--arm", "plain"],
    ] {
        assert_eq!(
            document(&run.repo, words)["chains"]
                .as_array()
                .map(Vec::len),
            Some(34)
        );
    }
    for words in [&["exp/other/1"][..], &["ex"], &["--arm", "other"]] {
        let o = run.repo.evolve(&[&["controls"], words].concat());
        assert_eq!(o.status.code(), Some(2), "{}", out(&o));
        assert!(err(&o).contains("hint: "), "{}", err(&o));
    }
    let o = super::small().evolve(&["controls"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(out(&o).contains("no chains"), "{}", out(&o));
}

/// The findings of `verify` of kind `id`.
fn findings(run: &Run, id: &str, words: &[&str]) -> (Option<i32>, Vec<Value>) {
    let o = run
        .repo
        .evolve(&[&["verify", "--format", "json"], words].concat());
    let document: Value = serde_json::from_slice(&o.stdout).expect("JSON");
    let all = document["findings"].as_array().expect("findings").clone();
    let of_it = all.into_iter().filter(|f| f["id"] == id).collect();
    (o.status.code(), of_it)
}

/// A chain of three checkpoints, in which much changes at the second and third.
fn changing() -> Run {
    let mut made = Made::new();
    made.agent(1, own(1));
    made.reset(1, None);
    let mut two = own(2);
    two.contents[0] = content("plan", "evolve.toml", None, '9');
    two.contents[1] = content("prompt", "prompts/two.md", Some("c2"), '8');
    two.provenance = Some(provenance("m-2", "6.5"));
    two.tools = Some(Tools {
        versions: BTreeMap::from([("go".to_owned(), "go 1.22".to_owned())]),
    });
    let agent = made.agent(2, two);
    let mut says = session(launch("bwrap", "itself"));
    says.model = Some("m-2".to_owned());
    says.agent_version = Some("2.0".to_owned());
    made.session(&agent, 2, says);
    made.reset(2, None);
    let mut three = own(2);
    three.contents = vec![
        content("plan", "evolve.toml", None, '9'),
        content("tests", "acceptance", None, '7'),
    ];
    made.agent(3, three);
    made.reset(3, None);
    made.done()
}

#[test]
fn what_changed_while_a_chain_ran_is_told_with_the_checkpoints_it_touches() {
    let run = changing();
    let (code, contents) = findings(&run, "content-changed", &[]);
    assert_eq!(code, Some(0), "nothing is damaged");
    let what: Vec<&str> = contents
        .iter()
        .map(|f| f["what"].as_str().expect("words"))
        .collect();
    assert_eq!(
        what,
        [
            "plan evolve.toml is 999999999999 at checkpoints 2-3; the chain began with 111111111111",
            "prompt prompts/two.md of checkpoint c2 is 888888888888 at checkpoint 2; the chain began \
             with 333333333333",
            "tests acceptance is 777777777777 at checkpoint 3; the chain began with 444444444444",
        ]
    );
    assert_eq!(contents[0]["commit"], run.agent(2));
    let (_, agent) = findings(&run, "agent-changed", &[]);
    assert_eq!(
        agent.len(),
        1,
        "a version that is first told changes nothing: {agent:?}"
    );
    assert_eq!(
        agent[0]["what"],
        "model is m-2 at checkpoint 2; the chain began with m-1"
    );
    let (_, tools) = findings(&run, "tools-changed", &[]);
    assert_eq!(
        tools[0]["what"],
        "go is go 1.22 at checkpoint 2; the chain began with go 1.19"
    );
    let (_, system) = findings(&run, "system-changed", &[]);
    assert_eq!(
        system[0]["what"],
        "kernel is 6.5 at checkpoint 2; the chain began with 6.1"
    );
    let (code, strict) = findings(&run, "content-changed", &["--strict-controls"]);
    assert_eq!(
        (code, strict[0]["severity"].as_str()),
        (Some(1), Some("warning"))
    );

    let document = document(&run.repo, &[]);
    assert_eq!(figure(&document, 1, "contents_changed")["count"], 0);
    assert_eq!(figure(&document, 2, "contents_changed")["count"], 2);
    assert_eq!(figure(&document, 3, "contents_changed")["count"], 2);
    let changed = document["changed"].as_array().expect("changed");
    assert_eq!(changed.len(), 6);
    let table = out(&run.repo.evolve(&["controls"]));
    assert!(table.contains("Changed while the chain ran"), "{table}");
    assert!(
        table.contains("began with: m-1") && table.contains("then: m-2"),
        "{table}"
    );
}

#[test]
fn an_unchanged_chain_and_a_manual_one_have_no_changes() {
    for run in [misbehaved(), Run::with(3)] {
        for id in [
            "content-changed",
            "agent-changed",
            "tools-changed",
            "system-changed",
        ] {
            assert!(
                findings(&run, id, &["--strict-controls"]).1.is_empty(),
                "{id}"
            );
        }
    }
}

#[test]
fn records_of_a_later_version_make_its_figures_unknown() {
    let mut run = misbehaved();
    let agent = run.agent(1).to_owned();
    let lines = run.notes.get_mut(&(Kind::Tests, agent)).expect("a note");
    lines[0] = lines[0].replace("\"v\":1", "\"v\":9");
    run.write();
    let o = run.repo.evolve(&["controls", "--format", "json"]);
    assert_eq!(
        o.status.code(),
        Some(3),
        "everything is unknown: {}",
        err(&o)
    );
    let one = figure(&document(&run.repo, &[]), 1, "stubs");
    assert_eq!(one["count"], Value::Null);
    assert!(
        one["unknown"]
            .as_str()
            .expect("a reason")
            .contains("later version"),
        "{one}"
    );
}

/// A gate run with these tests: `a+ b-`.
fn ran(suite: Suite, words: &str, on: Option<&str>) -> Body {
    let mut tests = serde_json::Map::new();
    for word in words.split(' ') {
        let (name, mark) = word.split_at(word.len() - 1);
        let outcome = if mark == "+" { "passed" } else { "failed" };
        let test = json!({"class": "c", "name": name, "outcome": outcome});
        tests.insert(format!("c::{name}"), test);
    }
    Body::Tests(Tests {
        map: Some(json!({"format": null, "tests": tests, "validity": "valid"})),
        read_by: Some(ReadBy {
            reader: "none".to_owned(),
            version: 1_000,
        }),
        ran_tree: on.and_then(ObjectName::parse),
        gated: Some(Gated::default()),
        ..Tests::of(suite, Vec::new())
    })
}

/// A session of a run that took `wall` milliseconds.
fn took(purpose: Purpose, outcome: &str, wall: u64) -> Envelope {
    Envelope {
        outcome: Some(outcome.to_owned()),
        wall_ms: Some(wall),
        launch: Some(launch("none", "itself")),
        ..Envelope::of(purpose, Vec::new())
    }
}

#[test]
fn figures_come_from_records_as_a_run_writes_them() {
    let mut made = Made::new();
    let base = made.0.line[0].clone();
    let on_base = (Role::Base, 0, "base");
    for (n, outcome) in [(1, "error"), (2, "rate_limited")] {
        let failed = Body::Envelope(took(Purpose::Implement, outcome, 5));
        made.say(&base, on_base, Some(1), Some(attempt(n)), failed);
    }
    let one = made.agent(1, own(1));
    made.session(&one, 1, took(Purpose::Implement, "success", 40));
    made.session(&one, 1, took(Purpose::Review, "success", 7));
    made.session(&one, 1, took(Purpose::Refactor, "success", 9));
    made.session(&one, 1, took(Purpose::Review, "success", 7));
    let at_one = (Role::Agent, 1, "c1");
    made.say(
        &one,
        at_one,
        None,
        None,
        ran(Suite::Acceptance, "a+ b+ c+ d+ x-", None),
    );
    made.say(&one, at_one, None, None, ran(Suite::Visible, "v+", None));
    let reset = made.reset(1, None);
    let tree = made
        .0
        .repo
        .git(&["rev-parse", &format!("{reset}^{{tree}}")]);
    // With the second checkpoint's tests on what it stands on; a candidate of an attempt that
    // came to nothing is no gate of it.
    let at_reset = (Role::Reset, 1, "c1");
    let before = ran(Suite::Acceptance, "a+ b+ c- d+ x-", Some(&tree));
    made.say(&reset, at_reset, Some(2), None, before);
    let before = ran(Suite::Visible, "v+ w-", Some(&tree));
    made.say(&reset, at_reset, Some(2), None, before);
    let candidate = ran(Suite::Acceptance, "a- b- c- d- x-", Some(&tree));
    made.say(&reset, at_reset, Some(2), Some(attempt(15)), candidate);
    let two = made.agent(2, own(2));
    made.session(&two, 2, took(Purpose::Implement, "success", 30));
    let at_two = (Role::Agent, 2, "c2");
    made.say(
        &two,
        at_two,
        None,
        None,
        ran(Suite::Acceptance, "a+ b- c+ x-", None),
    );
    made.say(&two, at_two, None, None, ran(Suite::Visible, "v+ w+", None));
    let reset = made.reset(2, None);
    let mut probe = took(Purpose::Probe, "success", 3);
    let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
    probe.probed = Some(Probed {
        landed: words(&["p", "q", "r", "s"]),
        named: words(&["q"]),
        answer: "q".to_owned(),
    });
    made.say(
        &reset,
        (Role::Reset, 2, "c2"),
        Some(2),
        Some(attempt(21)),
        Body::Envelope(probe),
    );
    let run = made.done();
    let metrics = "attempts,review_cycles,wall_ms,wait_ms,step2_regression_rate,fail_to_pass,\
                   pass_to_pass,new_regression_test,probe_recall,outcome";
    let all = [
        "log",
        "--chain",
        "exp/plain/1",
        "--format",
        "json",
        "--metrics",
        metrics,
    ];
    let o = run.repo.evolve(&all);
    let log: Value =
        serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {}", err(&o)));
    let value = |k: u64, id: &str| {
        let changes = log["changes"].as_array().expect("changes");
        let change = changes
            .iter()
            .find(|c| c["checkpoint"] == k)
            .expect("a checkpoint");
        change["metrics"][id].clone()
    };
    for (k, id, wanted) in [
        (1, "attempts", 3.0),
        (1, "review_cycles", 2.0),
        (1, "wall_ms", 40.0),
        (1, "wait_ms", 0.0),
        (2, "attempts", 1.0),
        (2, "wall_ms", 30.0),
        // Of a, b, c and d, which passed, b failed and d did not run.
        (2, "step2_regression_rate", 0.5),
        (2, "fail_to_pass", 1.0),
        (2, "pass_to_pass", 1.0),
        (2, "new_regression_test", 1.0),
        (2, "probe_recall", 0.25),
    ] {
        assert_eq!(
            value(k, id)["value"].as_f64(),
            Some(wanted),
            "{id} at {k}: {}",
            value(k, id)
        );
    }
    let why = value(1, "probe_recall").to_string();
    assert!(why.contains("no probe at this checkpoint"), "{why}");
    assert!(
        value(1, "step2_regression_rate")
            .to_string()
            .contains("second step")
    );
    let chains = [
        "log",
        "--format",
        "csv",
        "--metrics",
        "step2_regression_rate",
    ];
    let chains = out(&run.repo.evolve(&chains));
    assert!(chains.contains("0.5"), "shown where chains are: {chains}");
}
