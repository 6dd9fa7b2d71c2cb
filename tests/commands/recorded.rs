//! A repository with a recorded chain: commits and notes made by real git, lines by the library.

use std::collections::BTreeMap;

use git_evolve::record::mask::{Masker, sha256};
use git_evolve::record::{
    Body, ChainPath, Checkpoint, Configuration, Encoding, Envelope, Event, Head, Kind, Moment,
    ObjectName, Payload, Purpose, Raw, Record, RecordId, Role, Suite, Tests,
};

use crate::support::Repo;

/// The identity of the chain.
pub const BEGIN: &str = "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d11";
/// The configuration it is scored under.
pub const CONFIG: &str = r#"{"experiment":"exp"}"#;

/// A recorded chain `exp/plain/1`.
pub struct Run {
    pub repo: Repo,
    /// Base, agent 1, reset 1, agent 2, …
    pub line: Vec<String>,
    /// What every note holds, by kind and commit.
    pub notes: BTreeMap<(Kind, String), Vec<String>>,
    next: u32,
}

impl Run {
    /// One with so many checkpoints, everything captured, kept, the branch checked out.
    pub fn with(checkpoints: u32) -> Run {
        let repo = Repo::new();
        repo.write("src/A.java", "class A {\n}\n");
        repo.commit("project");
        repo.git(&["checkout", "-q", "-b", "evolve/exp/plain/1"]);
        let mut run = Run {
            repo,
            line: Vec::new(),
            notes: BTreeMap::new(),
            next: 0,
        };
        let base = run.commit(0, "base", Role::Base);
        let blob = run.blob(CONFIG);
        run.repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/config",
            "add",
            "-C",
            &blob,
            &blob,
        ]);
        let mut begin = Checkpoint::of(Event::Begin);
        begin.config = Some(run.config(&blob));
        let begin = run.record(&base, Role::Base, 0, "base", Body::from(begin));
        run.add(&base, &begin);
        for k in 1..=checkpoints {
            run.checkpoint(k);
        }
        run.write();
        run.keep();
        run
    }

    pub fn config(&self, blob: &str) -> Configuration {
        Configuration {
            blob: ObjectName::parse(blob).expect("an id"),
            sha256: sha256(CONFIG.as_bytes()),
        }
    }

    /// The base, an agent or a reset commit.
    pub fn commit(&mut self, k: u32, id: &str, role: Role) -> String {
        let word = role.word();
        let begin = match role {
            Role::Base => format!("Evolve-Begin: {BEGIN}\n"),
            _ => String::new(),
        };
        if role == Role::Agent {
            self.repo
                .write("src/A.java", format!("class A {{\n    int f{k};\n}}\n"));
        }
        let commit = self.repo.commit(&format!(
            "{word} {k}\n\nEvolve-Chain: exp/plain/1\nEvolve-Checkpoint: {k} {id}\nEvolve-Role: {word}\n{begin}"
        ));
        self.line.push(commit.clone());
        commit
    }

    /// One whole checkpoint; notes are only put down by [`Run::write`].
    pub fn checkpoint(&mut self, k: u32) {
        let id = format!("c{k}");
        let agent = self.commit(k, &id, Role::Agent);
        let body = Body::from(Checkpoint::of(Event::Agent));
        let record = self.record(&agent, Role::Agent, k, &id, body);
        self.add(&agent, &record);
        let payload = self.id();
        let envelope = Body::Envelope(Envelope::of(Purpose::Implement, vec![payload.clone()]));
        let envelope = self.record(&agent, Role::Agent, k, &id, envelope);
        self.add(&agent, &envelope);
        let mut raw = self.record(&agent, Role::Agent, k, &id, raw(&envelope.head.id, "out"));
        raw.head.id = payload;
        self.add(&agent, &raw);
        let tests = Body::Tests(Tests {
            exit_code: Some(0),
            ..Tests::of(Suite::Acceptance, Vec::new())
        });
        let tests = self.record(&agent, Role::Agent, k, &id, tests);
        self.add(&agent, &tests);
        let reset = self.commit(k, &id, Role::Reset);
        let body = Body::from(Checkpoint::of(Event::Reset));
        let record = self.record(&reset, Role::Reset, k, &id, body);
        self.add(&reset, &record);
    }

    pub fn id(&mut self) -> RecordId {
        self.next += 1;
        let text = format!("0190f0c5-7a3b-7c41-9d2e-{:012x}", self.next);
        RecordId::parse(&text).expect("an id")
    }

    /// A record of `commit` with its own tree and parent.
    pub fn record(&mut self, commit: &str, role: Role, k: u32, id: &str, body: Body) -> Record {
        let name =
            |rev: &str| ObjectName::parse(&self.repo.git(&["rev-parse", rev])).expect("an id");
        let head = Head {
            id: RecordId::parse(BEGIN).expect("an id"),
            at: Moment::parse("2026-11-30T07:12:09.123Z").expect("a moment"),
            tool: "git-evolve 0.1.0".to_owned(),
            chain: ChainPath::parse("exp/plain/1").expect("a path"),
            begin: RecordId::parse(BEGIN).expect("an id"),
            checkpoint: k,
            checkpoint_id: id.to_owned(),
            role,
            commit: name(commit),
            tree: name(&format!("{commit}^{{tree}}")),
            parent: Some(name(&format!("{commit}^"))),
            for_checkpoint: None,
            attempt: None,
        };
        let id = self.id();
        Record {
            head: Head { id, ..head },
            body,
            masked: Vec::new(),
        }
    }

    /// The record's line goes into the note on `commit`.
    pub fn add(&mut self, commit: &str, record: &Record) {
        let line = text(record);
        self.line_on(record.body.kind(), commit, line);
    }

    pub fn line_on(&mut self, kind: Kind, commit: &str, line: String) {
        let lines = self.notes.entry((kind, commit.to_owned())).or_default();
        lines.push(line);
        lines.sort();
    }

    pub fn blob(&self, content: &str) -> String {
        let path = self.repo.around().join("content");
        std::fs::write(&path, content).expect("written");
        let path = path.to_str().expect("UTF-8");
        self.repo.git(&["hash-object", "-w", "--no-filters", path])
    }

    /// Puts every note down as it stands in `notes`.
    pub fn write(&self) {
        for ((kind, commit), lines) in &self.notes {
            self.put(*kind, commit, &(lines.join("\n") + "\n"));
        }
    }

    /// A note of any content.
    pub fn put(&self, kind: Kind, target: &str, content: &str) {
        let blob = self.blob(content);
        let refname = format!("--ref=refs/notes/evolve/{kind}");
        self.repo
            .git(&["notes", &refname, "add", "-f", "-C", &blob, target]);
    }

    /// The keep ref, at the branch's tip.
    pub fn keep(&self) {
        self.repo.git(&[
            "update-ref",
            "refs/evolve/chains/exp/plain/1",
            "evolve/exp/plain/1",
        ]);
    }

    /// The agent commit of checkpoint `k`.
    pub fn agent(&self, k: usize) -> &str {
        &self.line[2 * k - 1]
    }

    /// Publishes everything as `git evolve push` does, to a new bare repository `origin`.
    pub fn publish(&self) -> String {
        let server = self.repo.around().join("server");
        let path = server.to_str().expect("UTF-8").to_owned();
        if !server.exists() {
            self.repo
                .git(&["init", "-q", "--bare", "-b", "main", &path]);
            self.repo.git(&["remote", "add", "origin", &path]);
        }
        // Of two patterns for one source a push takes the first.
        let notes = "refs/notes/evolve/*";
        for to in ["refs/heads/evolve-notes/*", notes] {
            let spec = format!("{notes}:{to}");
            self.repo
                .git(&["push", "-q", "origin", "main", "evolve/exp/plain/1", &spec]);
        }
        self.repo.git(&["fetch", "-q", "origin"]);
        path
    }
}

/// A payload of the record `of`.
pub fn raw(of: &RecordId, content: &str) -> Body {
    Body::Raw(Raw {
        of: of.clone(),
        payload: Payload::Envelope,
        name: "out.json".to_owned(),
        path: None,
        modified: None,
        encoding: Encoding::Text,
        content: Some(content.to_owned()),
        size: content.len() as u64,
        sha256: sha256(content.as_bytes()),
        head: None,
        tail: None,
    })
}

/// The line of a record.
pub fn text(record: &Record) -> String {
    let line = record.line(&Masker::general()).expect("a line");
    String::from_utf8(line.bytes().to_vec()).expect("UTF-8")
}
