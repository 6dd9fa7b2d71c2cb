//! The records of a large experiment, as a run leaves them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use git_evolve::record::{Moment, mask};
use git_evolve::stats::SplitMix64;
use serde_json::{Value, json};

use super::{BEGIN, Done, GateKind, Size, Truth, data, id, uniform};

/// Outcomes of tests by id.
type Outcomes = BTreeMap<String, bool>;

/// A commit of a chain.
#[derive(Debug, Clone, Default)]
pub(super) struct At {
    pub(super) commit: String,
    pub(super) tree: String,
    pub(super) parent: String,
}

/// When a chain began, in milliseconds.
pub(super) fn begun(arm: usize, number: usize) -> i64 {
    1_000 * BEGIN + 3_600_000 * number as i64 + 1_800_000 * arm as i64
}

/// The `n`th id of a moment: a UUID of version 7.
pub(super) fn uuid(millis: i64, n: u64) -> String {
    let low = millis & 0xffff;
    format!("{:08x}-{low:04x}-7000-8000-{n:012x}", millis >> 16)
}

/// Whether the agent changes at checkpoint `k` what is not its own.
pub(super) fn touches_pinned(k: usize) -> bool {
    k.is_multiple_of(7)
}

/// The configuration that the chains are scored under.
pub(super) fn config(size: &Size) -> String {
    let checkpoints: Vec<Value> = (1..=size.checkpoints)
        .map(|k| json!({"id": id(k), "prompt_text": format!("Add {}.", id(k))}))
        .collect();
    json!({
        "agent": {"command": ["agent", "--print"]},
        "arms": [{"baseline": true, "name": "grown"}, {"name": "parted"}],
        "checkpoints": checkpoints,
        "controls": {"pinned": ["AGENTS.md"]},
        "experiment": {"chains": size.chains, "name": "shop", "seed": 1},
        "gate": {"acceptance": {"command": ["mvn", "test"], "reports": ["target/TEST.xml"]}},
        "hypothesis": {
            "primary": [{"direction": "lower", "measure": "existing_fns_modified"}],
            "statement": "Parted rules keep changes small.",
        },
        "measure": {
            "entry": r"Desk\.java::Desk::quote$",
            "test_patterns": [r"T(?P<checkpoint>\d+)(?P<category>Core|Error|Functionality)Test"],
        },
    })
    .to_string()
}

/// Lines of notes that are not written yet, by kind and commit.
#[derive(Default)]
pub(super) struct Notes {
    lines: BTreeMap<&'static str, BTreeMap<String, Vec<String>>>,
}

impl Notes {
    fn add(&mut self, kind: &'static str, record: &Value) {
        let commit = record["commit"].as_str().expect("a commit").to_owned();
        let of_kind = self.lines.entry(kind).or_default();
        of_kind.entry(commit).or_default().push(record.to_string());
    }

    /// Writes them as one commit a kind.
    pub(super) fn write(&mut self, into: &mut dyn Write, of: &str) -> std::io::Result<()> {
        for (kind, notes) in std::mem::take(&mut self.lines) {
            writeln!(into, "commit refs/notes/evolve/{kind}")?;
            writeln!(into, "committer Shop <shop@example.invalid> {BEGIN} +0000")?;
            data(into, format!("{kind} of {of}\n").as_bytes())?;
            for (commit, mut lines) in notes {
                lines.sort();
                let (folder, name) = commit.split_at(2);
                writeln!(into, "M 100644 inline {folder}/{name}")?;
                data(into, (lines.join("\n") + "\n").as_bytes())?;
            }
        }
        Ok(())
    }
}

/// One chain while its records are made.
pub(super) struct State<'a> {
    size: &'a Size,
    path: String,
    begin: String,
    arm: usize,
    millis: i64,
    next: u64,
    config: Value,
    random: SplitMix64,
    tests: Outcomes,
    last_valid: BTreeSet<String>,
    done: Vec<Done>,
}

impl<'a> State<'a> {
    pub(super) fn new(size: &'a Size, truth: &Truth, config: (&str, &str)) -> State<'a> {
        let arm = usize::from(truth.arm != super::ARMS[0]);
        let millis = begun(arm, truth.number);
        let base = size.tests.saturating_sub(size.checkpoints);
        let of_base = |n: usize| (format!("shop.T0FunctionalityTest::case{n:03}"), true);
        State {
            size,
            path: truth.path.clone(),
            begin: uuid(millis, 0),
            arm,
            millis,
            next: 1,
            config: json!({
                "blob": config.0, "sha256": mask::sha256(config.1.as_bytes()),
            }),
            random: SplitMix64::stream(size.seed, (7_000 * (arm + 1) + truth.number) as u64),
            tests: (0..base).map(of_base).collect(),
            last_valid: BTreeSet::new(),
            done: truth.checkpoints.clone(),
        }
    }

    /// What the checkpoints did, completed.
    pub(super) fn done(self) -> Vec<Done> {
        self.done
    }

    fn id(&mut self) -> String {
        self.next += 1;
        uuid(self.millis, self.next)
    }

    fn at(&self, seconds: i64) -> String {
        let at = Moment::from_millis(self.millis + 1_000 * seconds);
        at.expect("a time of today").to_string()
    }

    /// What every record has, and `more`.
    fn record(
        &mut self,
        kind: &str,
        (k, role): (usize, &str),
        attempt: Option<&str>,
        at: &At,
        more: Value,
    ) -> Value {
        let mut all = json!({
            "at": self.at(300),
            "begin": self.begin,
            "chain": self.path,
            "checkpoint": k,
            "checkpoint_id": if k == 0 { "base".to_owned() } else { id(k) },
            "commit": at.commit,
            "id": self.id(),
            "kind": kind,
            "parent": at.parent,
            "role": role,
            "tool": "git-evolve 0.1.0",
            "tree": at.tree,
            "v": 1,
        });
        let fields = all.as_object_mut().expect("an object");
        if let Some(attempt) = attempt {
            fields.insert("attempt".to_owned(), json!(attempt));
        }
        let Value::Object(more) = more else {
            return all;
        };
        fields.extend(more);
        all
    }

    fn provenance(&self) -> Value {
        json!({
            "agent": {
                "command": ["agent", "--print"],
                "limits": {"attempts": 1, "time_ms": 3_600_000},
                "model": "some-model-1",
                "on_fail": "continue",
                "prompt_route": "stdin",
                "version": "agent 1.2.3",
            },
            "analysis": {"analyser": "evolve-syntax 1", "definitions": "1"},
            "arch": "x86_64",
            "git": "2.47.3",
            "isolation": "bwrap",
            "os": "linux",
        })
    }

    /// The records of the base.
    pub(super) fn base(&mut self, at: &At, notes: &mut Notes) {
        let more = json!({
            "config": self.config,
            "ended": self.at(1),
            "event": "begin",
            "project": at.parent,
            "provenance": self.provenance(),
            "started": self.at(0),
        });
        let record = self.record("checkpoint", (0, "base"), None, at, more);
        notes.add("checkpoint", &record);
        self.gate(0, at, None, GateKind::Valid, notes);
    }

    /// The records of checkpoint `k`, on its agent and its reset commit.
    pub(super) fn checkpoint(&mut self, k: usize, at: [&At; 2], notes: &mut Notes) {
        self.millis += 600_000;
        let attempt = self.id();
        let none = || json!({"count": 0, "first": []});
        let more = json!({
            "config": self.config,
            "ended": self.at(200),
            "event": "agent",
            "provenance": self.provenance(),
            "started": self.at(0),
            "work": {
                "commit_count": 0, "commits": [], "history_rewritten": false,
                "ignored_sources": none(), "left_out": none(), "nested": none(),
                "surroundings_changed": [], "uncommitted": true, "untracked": none(),
            },
        });
        let record = self.record("checkpoint", (k, "agent"), Some(&attempt), at[0], more);
        notes.add("checkpoint", &record);
        let paths = match touches_pinned(k) {
            true => json!([{
                "how": "restored", "new": at[1].tree, "old": at[0].tree, "path": "AGENTS.md",
                "rule": "pinned",
            }]),
            false => json!([]),
        };
        let count = paths.as_array().map_or(0, Vec::len);
        let restored = json!({
            "by": "controls", "from": at[1].parent, "path_count": count, "paths": paths,
        });
        let more = json!({"ended": self.at(300), "event": "reset", "restored": restored});
        let record = self.record("checkpoint", (k, "reset"), Some(&attempt), at[1], more);
        notes.add("checkpoint", &record);
        self.session(k, at[0], &attempt, notes);
        let kind = match self.random.below(50) {
            0 => GateKind::Broken,
            1 => GateKind::Invalid,
            _ => GateKind::Valid,
        };
        self.gate(k, at[0], Some(&attempt), kind, notes);
    }

    /// The session of checkpoint `k`.
    fn session(&mut self, k: usize, at: &At, attempt: &str, notes: &mut Notes) {
        let rise = [0.02, 0.01][self.arm];
        let cost = 0.4 + rise * k as f64 + 0.2 * uniform(&mut self.random);
        let micros = (cost * 1e6).round() as u64;
        let cost = micros as f64 / 1e6;
        let output = 2_000 + 20 * k as u64 + self.random.below(800) as u64;
        let read = 200_000 + self.random.below(50_000);
        let tokens = json!({
            "cache_creation_1h": 0, "cache_creation_5m": 24_000, "cache_read": read,
            "input": 40, "output": output, "reasoning": null,
        });
        let mut model = tokens.clone();
        model["cost_usd"] = json!(cost);
        model["web_search_requests"] = json!(0);
        let events: Vec<Value> = (0..self.size.calls).flat_map(|n| self.call(n)).collect();
        let failed = events.iter().filter(|e| e["ok"] == json!(false)).count();
        let session = json!({
            "agent": "claude-code", "agent_version": "1.2.3", "api_calls": self.size.calls,
            "api_retries": null, "by_model": {"some-model-1": model}, "cost_usd": cost,
            "duration_api_ms": 100_000 + k, "duration_ms": 140_000 + k,
            "ended_at": self.at(190), "format": "claude-stream", "models": ["some-model-1"],
            "num_turns": 1 + self.size.calls, "session_id": attempt, "skipped_lines": 0,
            "started_at": self.at(0), "status": "success", "tokens": tokens,
            "tool_calls": self.size.calls, "tool_errors": failed,
            "transcript": {"events": events}, "warnings": [], "web_search_requests": 0,
        });
        let (record, raw) = (self.id(), self.id());
        let more = json!({
            "agent_version": "agent 1.2.3", "ended": self.at(195), "exit_code": 0, "id": record,
            "launch": {
                "command": ["agent", "--print"], "ended_by": "itself", "isolation": "bwrap",
                "prompt_route": "stdin",
            },
            "model": "some-model-1", "outcome": "success", "purpose": "implement", "raw": [raw],
            "read_by": {"reader": "claude-stream", "version": 1}, "session": session,
            "started": self.at(0), "wall_ms": 195_000, "waited_ms": 0,
        });
        let session = self.record("envelope", (k, "agent"), Some(attempt), at, more);
        notes.add("envelope", &session);
        if self.size.raw {
            let content = json!({"total_cost_usd": cost, "type": "result"}).to_string() + "\n";
            let of = [&record, &raw, "envelope", "session.out"];
            self.payload((k, "agent"), at, Some(attempt), of, &content, notes);
        }
        let done = &mut self.done[k - 1];
        (done.cost_micros, done.output_tokens) = (micros, output);
    }

    /// A call of a tool and its result.
    fn call(&mut self, n: usize) -> [Value; 2] {
        let (tool, does) = [("Read", "read"), ("Edit", "write"), ("Bash", "other")][n % 3];
        let path = format!("src/main/java/shop/Part{:03}.java", self.random.below(30));
        let ok = self.random.below(12) > 0;
        let at = (3 * n) as i64;
        let mut call = json!({
            "at": self.at(at), "did": "call", "does": does, "id": format!("toolu_{n:06}"),
            "thread": 0, "tool": tool,
        });
        if does != "other" {
            call["path"] = json!(path);
        }
        let result = json!({
            "at": self.at(at + 1 + n as i64 % 2), "did": "result", "id": format!("toolu_{n:06}"),
            "ok": ok, "thread": 0,
        });
        [call, result]
    }

    /// The acceptance gate of checkpoint `k`.
    fn gate(
        &mut self,
        k: usize,
        at: &At,
        attempt: Option<&str>,
        kind: GateKind,
        notes: &mut Notes,
    ) {
        self.outcomes(k);
        let mut map = json!({"format": "surefire-xml", "tests": {}, "validity": "valid"});
        match kind {
            GateKind::Valid => map["tests"] = self.told(),
            GateKind::Broken => {
                map["validity"] = json!("broken");
                map["reasons"] = json!(["build-failed"]);
            }
            GateKind::Invalid => {
                map["validity"] = json!("invalid");
                map["reasons"] = json!(["timeout"]);
            }
        }
        let now = self.tests.iter().filter(|(_, passed)| **passed);
        let now: BTreeSet<String> = now.map(|(id, _)| id.clone()).collect();
        if k > 0 {
            let done = &mut self.done[k - 1];
            done.gate = kind;
            if kind == GateKind::Valid {
                (done.passed, done.ran) = (now.len(), self.tests.len());
                done.regressions = self.last_valid.difference(&now).count();
            }
        }
        if kind == GateKind::Valid {
            self.last_valid = now;
        }
        let role = if k == 0 { "base" } else { "agent" };
        let (record, raw) = (self.id(), self.id());
        let kept = self.size.raw && kind == GateKind::Valid;
        let more = json!({
            "command": ["mvn", "test"], "ended": self.at(290),
            "exit_code": i32::from(self.tests.values().any(|passed| !passed)),
            "gated": {"attempt": 1, "checks": [], "ended_by": "itself", "isolation": "bwrap"},
            "id": record, "map": map, "raw": if kept { vec![raw.clone()] } else { Vec::new() },
            "read_by": {"reader": "surefire-xml", "version": 1}, "started": self.at(210),
            "suite": "acceptance",
        });
        let gate = self.record("tests", (k, role), attempt, at, more);
        notes.add("tests", &gate);
        if kept {
            let report = self.report();
            let of = [&record, &raw, "report", "TEST.xml"];
            self.payload((k, role), at, attempt, of, &report, notes);
        }
    }

    /// Checkpoint `k` brings a test; some that passed fail, some that failed pass.
    fn outcomes(&mut self, k: usize) {
        if k == 0 {
            return;
        }
        let breaks = [1.0 + 0.02 * k as f64, 1.0][self.arm] / self.tests.len().max(1) as f64;
        for passed in self.tests.values_mut() {
            let chance = if *passed { breaks } else { 0.15 };
            if uniform(&mut self.random) < chance {
                *passed = !*passed;
            }
        }
        let category = ["Core", "Error", "Functionality"][k % 3];
        let own = format!("shop.T{k}{category}Test::holds");
        let passes = uniform(&mut self.random) < 0.85;
        self.tests.insert(own, passes);
    }

    /// The tests as a record has them.
    fn told(&self) -> Value {
        let told = self.tests.iter().map(|(id, passed)| {
            let (class, name) = id.split_once("::").expect("a class");
            let outcome = if *passed { "passed" } else { "failed" };
            let test = json!({"class": class, "name": name, "outcome": outcome, "time": 0.004});
            (id.clone(), test)
        });
        Value::Object(told.collect())
    }

    /// The tests as a report has them.
    fn report(&self) -> String {
        let mut report = String::from("<testsuite name=\"shop\">\n");
        for (id, passed) in &self.tests {
            let (class, name) = id.split_once("::").expect("a class");
            report.push_str(&format!(
                "<testcase classname=\"{class}\" name=\"{name}\" time=\"0.004\">"
            ));
            if !passed {
                report.push_str("<failure message=\"expected another\"/>");
            }
            report.push_str("</testcase>\n");
        }
        report + "</testsuite>\n"
    }

    /// A payload; `of` is the record it belongs to, its own id, what it is, and its name.
    fn payload(
        &mut self,
        place: (usize, &str),
        at: &At,
        attempt: Option<&str>,
        of: [&str; 4],
        content: &str,
        notes: &mut Notes,
    ) {
        let more = json!({
            "content": content, "encoding": "text", "id": of[1], "name": of[3], "of": of[0],
            "payload": of[2], "sha256": mask::sha256(content.as_bytes()), "size": content.len(),
        });
        let raw = self.record("raw", place, attempt, at, more);
        notes.add("raw", &raw);
    }
}
