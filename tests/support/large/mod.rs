//! Large experiments, made in seconds: commits, notes and refs written by `git fast-import`, with
//! code that really changes and records as a run leaves them. What each checkpoint did is told
//! beside it, so that figures can be held against it. The same size gives the same objects.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use git_evolve::stats::SplitMix64;

mod records;
mod sources;

use records::{At, Notes, State};
use sources::{Code, Wanted};

/// The arms: in the first each change opens more functions than the one before.
pub const ARMS: [&str; 2] = ["grown", "parted"];
/// Functions modified a checkpoint, at the first one and more with each later one, by arm.
pub const MODIFIED: [(f64, f64); 2] = [(2.0, 0.05), (2.0, 0.0)];
/// Standard deviation of the second number over chains.
pub const BETWEEN_CHAINS: f64 = 0.02;
/// The first commit's time, in seconds.
const BEGIN: i64 = 1_767_571_200;

/// How large an experiment is made.
#[derive(Debug, Clone)]
pub struct Size {
    /// Chains an arm.
    pub chains: usize,
    /// Checkpoints a chain.
    pub checkpoints: usize,
    /// Tests at the last checkpoint; each brings one.
    pub tests: usize,
    /// Java files at the base; half as many of Python stand beside them.
    pub files: usize,
    /// Calls of tools in each session's reduced transcript.
    pub calls: usize,
    /// Whether payloads are kept: envelopes and reports as they came.
    pub raw: bool,
    /// Of what is random.
    pub seed: u64,
    /// Hash of the repository: `sha1` or `sha256`.
    pub hash: &'static str,
}

impl Default for Size {
    /// 2 arms × 10 chains × 60 checkpoints × 300 tests.
    fn default() -> Self {
        Size {
            chains: 10,
            checkpoints: 60,
            tests: 300,
            files: 40,
            calls: 40,
            raw: true,
            seed: 1,
            hash: "sha1",
        }
    }
}

/// What a chain did, known before anything is measured.
#[derive(Debug, Clone)]
pub struct Truth {
    /// Its arm.
    pub arm: &'static str,
    /// Its number in the arm.
    pub number: usize,
    /// Its path.
    pub path: String,
    /// Checkpoint by checkpoint.
    pub checkpoints: Vec<Done>,
}

/// What one checkpoint did.
#[derive(Debug, Clone, Default)]
pub struct Done {
    /// Functions that existed and were changed.
    pub modified: u64,
    /// New functions.
    pub added: u64,
    /// Growth of the cyclomatic complexity in Java.
    pub net_cc: i64,
    /// Of the session, in millionths of a US dollar.
    pub cost_micros: u64,
    /// Of the session.
    pub output_tokens: u64,
    /// What came of the gate.
    pub gate: GateKind,
    /// Tests that passed; none unless the gate is valid.
    pub passed: usize,
    /// Tests that ran.
    pub ran: usize,
    /// Tests that passed at the last valid gate and do not now.
    pub regressions: usize,
}

/// What came of a gate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GateKind {
    /// It has a verdict.
    #[default]
    Valid,
    /// The change does not build.
    Broken,
    /// It has no verdict.
    Invalid,
}

/// A command of git with nothing of the user's in its environment.
pub fn git(dir: &Path) -> Command {
    let mut c = Command::new("git");
    c.arg("-C").arg(dir).env_clear();
    c.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    c.env("HOME", dir).env("GIT_CONFIG_NOSYSTEM", "1");
    c.env("LC_ALL", "C").env("TZ", "UTC");
    c
}

/// Runs git in `dir`, gives its output.
pub fn said(dir: &Path, args: &[&str], input: &str) -> String {
    let mut child = git(dir)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let out = child.wait_with_output().expect("git ends");
    writer.join().expect("no panic").expect("written");
    assert!(out.status.success(), "git {args:?}");
    String::from_utf8(out.stdout).expect("UTF-8")
}

/// A stream into `git fast-import` that runs in `dir`.
fn import(dir: &Path, args: &[&str], write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
    let mut child = git(dir)
        .args(["fast-import", "--quiet", "--done", "--date-format=raw"])
        .args(args)
        .stdin(Stdio::piped())
        .spawn()
        .expect("git runs");
    let mut stdin = BufWriter::with_capacity(1 << 18, child.stdin.take().expect("a pipe"));
    write(&mut stdin).expect("a stream");
    stdin.write_all(b"done\n").expect("a stream");
    drop(stdin);
    assert!(child.wait().expect("it ends").success(), "git fast-import");
}

fn data(into: &mut dyn Write, bytes: &[u8]) -> std::io::Result<()> {
    writeln!(into, "data {}", bytes.len())?;
    into.write_all(bytes)?;
    writeln!(into)
}

fn file(into: &mut dyn Write, path: &str, content: &str) -> std::io::Result<()> {
    writeln!(into, "M 100644 inline {path}")?;
    data(into, content.as_bytes())
}

/// A commit to the branch `name`; what follows it in the stream are its files.
fn commit(into: &mut dyn Write, name: &str, at: i64, message: &str) -> std::io::Result<()> {
    writeln!(into, "commit {name}")?;
    writeln!(into, "committer Shop <shop@example.invalid> {at} +0000")?;
    data(into, message.as_bytes())
}

/// Uniform in [0, 1).
fn uniform(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// About normal: the sum of twelve uniform ones.
fn normal(random: &mut SplitMix64) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

/// A whole number whose mean is `mean`.
fn about(mean: f64, random: &mut SplitMix64) -> usize {
    (mean + uniform(random)).floor().max(1.0) as usize
}

/// The id of checkpoint `k`.
fn id(k: usize) -> String {
    format!("rule-{k:03}")
}

/// The plan, as it stands in the tree.
fn plan(size: &Size) -> String {
    let mut plan = format!(
        "[experiment]\nname = \"shop\"\nchains = {}\nseed = 1\n\n\
         [hypothesis]\nstatement = \"Parted rules keep changes small.\"\n\n\
         [[hypothesis.primary]]\nmeasure = \"existing_fns_modified\"\ndirection = \"lower\"\n\n\
         [agent]\ncommand = [\"agent\", \"--print\"]\n\n\
         [[arms]]\nname = \"grown\"\nbaseline = true\n\n[[arms]]\nname = \"parted\"\n\n\
         [gate.acceptance]\ncommand = [\"mvn\", \"test\"]\nreports = [\"target/TEST.xml\"]\n\n\
         [controls]\npinned = [\"AGENTS.md\"]\n\n\
         [measure]\nentry = 'Desk\\.java::Desk::quote$'\n\
         test_patterns = ['T(?P<checkpoint>\\d+)(?P<category>Core|Error|Functionality)Test']\n",
        size.chains
    );
    for k in 1..=size.checkpoints {
        let id = id(k);
        plan.push_str(&format!(
            "\n[[checkpoints]]\nid = \"{id}\"\nprompt_text = \"Add {id}.\"\n"
        ));
    }
    plan
}

/// Makes the repository in the folder `dir`, which is made; gives what its chains did.
pub fn make(dir: &Path, size: &Size) -> Vec<Truth> {
    std::fs::create_dir_all(dir).expect("a folder");
    let format = format!("--object-format={}", size.hash);
    said(dir, &["init", "-q", "-b", "main", &format, "."], "");
    let mut random = SplitMix64::stream(size.seed, 1);
    let code = Code::new(size.files, &mut random);
    let mut truths = Vec::new();
    // Marks of the commits of each chain: its base, then two a checkpoint.
    let mut marks = 1;
    let list = dir.join(".git/marks");
    let marks_to = format!("--export-marks={}", list.display());
    import(dir, &[&marks_to], |into| {
        commit(into, "refs/heads/main", BEGIN, "A shop\n")?;
        file(into, "evolve.toml", &plan(size))?;
        file(into, "AGENTS.md", "Keep it short.\n")?;
        for (path, text) in code.files() {
            file(into, &path, &text)?;
        }
        for arm in 0..ARMS.len() {
            for number in 1..=size.chains {
                let truth = chain(into, size, arm, number, code.clone(), &mut marks)?;
                truths.push(truth);
            }
        }
        Ok(())
    });
    record(dir, size, &mut truths, &list);
    said(dir, &["reset", "-q", "--hard", "main"], "");
    truths
}

/// The commits of one chain.
fn chain(
    into: &mut dyn Write,
    size: &Size,
    arm: usize,
    number: usize,
    mut code: Code,
    marks: &mut usize,
) -> std::io::Result<Truth> {
    let name = ARMS[arm];
    let path = format!("shop/{name}/{number}");
    let branch = format!("refs/heads/evolve/{path}");
    let mut random = SplitMix64::stream(size.seed, (1_000 * (arm + 1) + number) as u64);
    let (level, rise) = MODIFIED[arm];
    let rise = rise + BETWEEN_CHAINS * normal(&mut random);
    let own = |k: usize, id: &str, role: &str| {
        format!("Evolve-Chain: {path}\nEvolve-Checkpoint: {k} {id}\nEvolve-Role: {role}\n")
    };
    let mut mark = |into: &mut dyn Write, from: bool, k: usize, what: &str, own: &str| {
        let at = BEGIN + 3_600 * number as i64 + 600 * k as i64;
        writeln!(into, "commit {branch}\nmark :{marks}")?;
        *marks += 1;
        writeln!(into, "committer Shop <shop@example.invalid> {at} +0000")?;
        data(into, format!("{what}\n\n{own}").as_bytes())?;
        match from {
            true => writeln!(into, "from refs/heads/main"),
            false => Ok(()),
        }
    };
    let begin = records::uuid(records::begun(arm, number), 0);
    let base = format!("{}Evolve-Begin: {begin}\n", own(0, "base", "base"));
    mark(into, true, 0, &format!("Begin {path}"), &base)?;
    let mut checkpoints = Vec::new();
    for k in 1..=size.checkpoints {
        let wanted = Wanted {
            modified: about(level + rise * (k - 1) as f64, &mut random),
            added: random.below(3),
            at_the_entry: arm == 0,
        };
        let did = code.change(k, wanted, &mut random);
        let id = id(k);
        mark(
            into,
            false,
            k,
            &format!("{k} {id}: Add {id}."),
            &own(k, &id, "agent"),
        )?;
        for (path, text) in &did.files {
            file(into, path, text)?;
        }
        let test = format!(
            "package shop;\n\nclass T{k}Test {{\n    void holds() {{\n        \
             assert new Desk().quote({k}, 1) > 0;\n    }}\n}}\n"
        );
        file(into, &format!("src/test/java/shop/T{k}Test.java"), &test)?;
        if records::touches_pinned(k) {
            file(into, "AGENTS.md", &format!("Keep it short.\nNot at {k}.\n"))?;
        }
        mark(
            into,
            false,
            k,
            &format!("{k} {id}: reset"),
            &own(k, &id, "reset"),
        )?;
        if records::touches_pinned(k) {
            file(into, "AGENTS.md", "Keep it short.\n")?;
        }
        checkpoints.push(Done {
            modified: did.modified,
            added: did.added,
            net_cc: did.net_cc,
            ..Done::default()
        });
    }
    Ok(Truth {
        arm: name,
        number,
        path,
        checkpoints,
    })
}

/// The records of all chains, once their commits have names.
fn record(dir: &Path, size: &Size, truths: &mut [Truth], list: &Path) {
    let listed = std::fs::read_to_string(list).expect("marks");
    std::fs::remove_file(list).expect("removed");
    let mut commits = vec![At::default(); listed.lines().count() + 1];
    let pairs = listed.lines().filter_map(|line| line.split_once(' '));
    let ids: Vec<(usize, &str)> = pairs
        .map(|(mark, id)| (mark[1..].parse().expect("a mark"), id))
        .collect();
    let asked: String = ids.iter().map(|(_, id)| format!("{id}\n")).collect();
    let format = ["log", "--no-walk=unsorted", "--format=%H %T %P", "--stdin"];
    let told = said(dir, &format, &asked);
    for ((mark, _), line) in ids.iter().zip(told.lines()) {
        let words: Vec<&str> = line.split(' ').collect();
        commits[*mark] = At {
            commit: words[0].to_owned(),
            tree: words[1].to_owned(),
            parent: words[2].to_owned(),
        };
    }
    let config = records::config(size);
    let blob = said(dir, &["hash-object", "-w", "--stdin"], &config);
    let blob = blob.trim();
    let mut refs = String::new();
    import(dir, &[], |into| {
        let mut notes = Notes::default();
        let mut next = 1;
        for truth in truths.iter_mut() {
            let own = &commits[next..next + 1 + 2 * size.checkpoints];
            next += own.len();
            let mut state = State::new(size, truth, (blob, &config));
            state.base(&own[0], &mut notes);
            for k in 1..=size.checkpoints {
                state.checkpoint(k, [&own[2 * k - 1], &own[2 * k]], &mut notes);
            }
            truth.checkpoints = state.done();
            let tip = &own[2 * size.checkpoints].commit;
            refs.push_str(&format!("create refs/evolve/chains/{} {tip}\n", truth.path));
            notes.write(into, &truth.path)?;
        }
        writeln!(into, "commit refs/notes/evolve/config")?;
        writeln!(into, "committer Shop <shop@example.invalid> {BEGIN} +0000")?;
        data(into, b"config\n")?;
        writeln!(into, "M 100644 {blob} {blob}")
    });
    said(dir, &["update-ref", "--stdin"], &refs);
    let notes = said(
        dir,
        &[
            "for-each-ref",
            "--format=%(objectname) %(refname)",
            "refs/notes",
        ],
        "",
    );
    let published: String = notes
        .lines()
        .filter_map(|line| line.split_once(" refs/notes/evolve/"))
        .map(|(id, kind)| format!("create refs/heads/evolve-notes/{kind} {id}\n"))
        .collect();
    said(dir, &["update-ref", "--stdin"], &published);
}
