//! Laws of the analyser: a version read from its neighbour equals the version read from
//! scratch, whatever the edit and however broken the file; nothing crashes it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use git_evolve::syntax::{Analyser, Language, LineEdit, Profile, Unparsed, Version};
use proptest::prelude::*;

use super::syntax_oracle::fixtures;

/// What only a whole file can tell: names that mean something elsewhere, numbers, keys by
/// order, surroundings.
const WHOLE: &[(&str, &str)] = &[
    (
        "go",
        "package p\n\nvar run = 1\n\ntype T struct{ a int }\n\nfunc (t T) run() int {\n\treturn run()\n}\n\n\
         func (t T) halt() int {\n\tif run() { return halt() }\n\treturn run()\n}\n\n\
         func halt() int { return halt() }\n\nvar _ = func() {}\nvar f = func() {}\nvar _ = each(func() { func() {}() })\n\n\
         func last() {\n\tgo func() {}()\n\tvar f = func() { last() }\n\tlast := f\n\tlast()\n}\n\ntype (\n\tA int\n\tb int\n)\n",
    ),
    (
        "java",
        "package p;\nimport q.R;\npublic class A {\n  int a = 1;\n  R r = new R() {\n    public void one() { two(); }\n    void two() { }\n  };\n  \
         static { new R() { void in() { } }; }\n  A() { new A(); }\n  @X public int m(int a) { return m(a); } int n() { return 1; }\n  \
         interface I {\n    int K = 1;\n    int i();\n    default void d() { }\n  }\n  enum E {\n    ONE { void e() { } },\n    TWO;\n    \
         void e() { }\n  }\n  class Inner {\n    R s = new R() { void s() { } };\n    void m() { class L { void l() { } } }\n  }\n}\n",
    ),
    (
        "python",
        "\"\"\"Doc.\"\"\"\nimport a\n\nX = 1,\n\"\"\"not\ncode?\"\"\"\n\nif a:\n    import b\n    Y = [\n        1,\n    ]\n\n\
         class C(object):\n    \"\"\"Doc\n    too.\"\"\"\n    z = f\"\"\"{a=}\n    x {b}\n    \"\"\"\n\n    @deco\n    def m(self):\n        def n():\n            \
         return self.m()\n        return n\n\n    def _p(self): return 1\n\n    class D:\n        def m(self):\n            pass\n\nprint(X)\n",
    ),
];

/// The fixture sources of a language.
fn sources(language: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(fixtures().join(language))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_none_or(|e| e != "csv"))
        .collect();
    paths.sort();
    let mut texts: Vec<Vec<u8>> = paths.iter().map(|p| std::fs::read(p).unwrap()).collect();
    let whole = WHOLE.iter().filter(|(l, _)| *l == language);
    for (_, text) in whole {
        // As often as a quarter of the files: these are the ones that go wrong.
        texts.extend(vec![text.as_bytes().to_vec(); paths.len() / 3]);
    }
    texts
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|b| *b == b'\n').collect()
}

/// The line edits between two texts.
fn edits(old: &[u8], new: &[u8]) -> Vec<LineEdit> {
    let (old, new) = (lines(old), lines(new));
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
    let mut out = Vec::<LineEdit>::new();
    let mut joins = false;
    for op in ops {
        let (tag, a, b) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            joins = false;
            continue;
        }
        let n = |i: usize| u32::try_from(i).unwrap();
        match out.last_mut().filter(|_| joins) {
            Some(last) => {
                last.old_len = n(a.end) - last.old_start;
                last.new_len = n(b.end) - last.new_start;
            }
            None => out.push(LineEdit {
                old_start: n(a.start),
                old_len: n(a.len()),
                new_start: n(b.start),
                new_len: n(b.len()),
            }),
        }
        joins = true;
    }
    out
}

/// One random change of a text.
#[derive(Debug, Clone)]
enum Change {
    /// Lines are taken out.
    Delete(prop::sample::Index, u8),
    /// Lines are repeated elsewhere.
    Copy(prop::sample::Index, u8, prop::sample::Index),
    /// Lines of another source are put in.
    Insert(
        prop::sample::Index,
        prop::sample::Index,
        u8,
        prop::sample::Index,
    ),
    /// Bytes are taken out, wherever.
    Cut(prop::sample::Index, u8),
    /// A piece of text is put in, wherever.
    Put(prop::sample::Index, &'static str),
    /// A line is indented.
    Indent(prop::sample::Index),
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "\"",
    "\"\"\"",
    "'''",
    "'",
    "`",
    "#",
    "//",
    "/*",
    "*/",
    ";",
    ":",
    "\n",
    "\n\n",
    " x ",
    "if x:\n    y = 1\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "@",
    ",",
    "\\\n",
    "&&",
    " and ",
    "func() {}",
    "class A {}\n",
    "def f(): pass\n",
    "var f = func() {}\n",
    "f\"{x}\"",
    "?",
    "else",
    "case",
    "\t",
    "    ",
];

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => (at(), 1u8..6).prop_map(|(a, n)| Change::Delete(a, n)),
        4 => (at(), 1u8..12, at()).prop_map(|(a, n, b)| Change::Copy(a, n, b)),
        4 => (at(), at(), 1u8..12, at()).prop_map(|(f, a, n, b)| Change::Insert(f, a, n, b)),
        1 => (at(), 1u8..4).prop_map(|(a, n)| Change::Cut(a, n)),
        2 => (at(), prop::sample::select(PIECES)).prop_map(|(a, p)| Change::Put(a, p)),
        1 => at().prop_map(Change::Indent),
    ]
}

fn apply(text: &[u8], change: &Change, others: &[Vec<u8>]) -> Vec<u8> {
    let parts = lines(text);
    let place = |i: &prop::sample::Index| i.index(parts.len() + 1);
    let take = |from: &[&[u8]], at: &prop::sample::Index, n: u8| -> Vec<u8> {
        let at = at.index(from.len() + 1);
        from[at..(at + usize::from(n)).min(from.len())].concat()
    };
    let put =
        |at: usize, piece: &[u8]| [&parts[..at].concat(), piece, &parts[at..].concat()].concat();
    match change {
        Change::Delete(at, n) => {
            let at = place(at);
            let end = (at + usize::from(*n)).min(parts.len());
            [parts[..at].concat(), parts[end..].concat()].concat()
        }
        Change::Copy(from, n, to) => put(place(to), &take(&parts, from, *n)),
        Change::Insert(other, from, n, to) => {
            let other = &others[other.index(others.len())];
            put(place(to), &take(&lines(other), from, *n))
        }
        Change::Cut(at, n) => {
            let at = at.index(text.len() + 1);
            let end = (at + usize::from(*n)).min(text.len());
            [&text[..at], &text[end..]].concat()
        }
        Change::Put(at, piece) => {
            let at = at.index(text.len() + 1);
            [&text[..at], piece.as_bytes(), &text[at..]].concat()
        }
        Change::Indent(at) => {
            let at = place(at);
            put(at, b"    ")
        }
    }
}

/// Reads `texts` one from the other and each from scratch.
fn same_from_scratch(
    analyser: &mut Analyser,
    language: Language,
    texts: &[Vec<u8>],
) -> Result<(), TestCaseError> {
    let mut version: Option<(Version, &Vec<u8>)> = None;
    for text in texts {
        let source: Arc<[u8]> = text.as_slice().into();
        let fresh = analyser.analyse(language, &source);
        let next = match &version {
            None => fresh.clone(),
            Some((old, before)) => analyser.reanalyse(old, &edits(before, text), &source),
        };
        prop_assert_eq!(
            next.structure(),
            fresh.structure(),
            "\n--- text\n{}",
            String::from_utf8_lossy(text)
        );
        version = Some((next, text));
    }
    Ok(())
}

fn random_edits(language: Language, cases: u32) {
    let all = sources(language.id());
    let strategy = (
        any::<prop::sample::Index>(),
        prop::sample::select(&[Profile::Lizard, Profile::Scb][..]),
        prop::collection::vec(prop::collection::vec(change(), 1..4), 1..6),
    );
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&strategy, |(first, profile, steps)| {
        let mut analyser = Analyser::new(profile).unwrap();
        let mut texts = vec![all[first.index(all.len())].clone()];
        for step in &steps {
            let mut text = texts[texts.len() - 1].clone();
            for change in step {
                text = apply(&text, change, &all);
            }
            texts.push(text);
        }
        same_from_scratch(&mut analyser, language, &texts)
    });
    if let Err(e) = result {
        panic!("{e}");
    }
}

fn cases() -> u32 {
    std::env::var("LAW_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(200)
}

#[test]
fn java_read_from_a_neighbour_equals_java_read_from_scratch() {
    random_edits(Language::Java, cases());
}

#[test]
fn python_read_from_a_neighbour_equals_python_read_from_scratch() {
    random_edits(Language::Python, cases());
}

#[test]
fn go_read_from_a_neighbour_equals_go_read_from_scratch() {
    random_edits(Language::Go, cases());
}

#[test]
fn edits_that_are_not_the_difference_do_no_harm() {
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let source = |s: &str| -> Arc<[u8]> { s.as_bytes().into() };
    let old = analyser.analyse(Language::Python, &source("def a():\n    return 1\n"));
    let new = source("def b():\n    return 1 if x else 2\n");
    let fresh = analyser.analyse(Language::Python, &new);
    for lie in [
        vec![],
        vec![LineEdit {
            old_start: 1,
            old_len: 1,
            new_start: 1,
            new_len: 1,
        }],
    ] {
        let read = analyser.reanalyse(&old, &lie, &new);
        assert_eq!(read.structure(), fresh.structure());
    }
}

#[test]
fn deep_nesting_gives_a_result_or_gives_up() {
    let deep = 100_000;
    let texts: &[(Language, String)] = &[
        (
            Language::Java,
            format!(
                "class A {{ int a() {{ return {}1{}; }} }}",
                "(".repeat(deep),
                ")".repeat(deep)
            ),
        ),
        (
            Language::Java,
            format!("class A {{ void a() {{ {} ; }} }}", "if(a) ".repeat(deep)),
        ),
        (
            Language::Java,
            format!(
                "class A {{ int a() {{ return 1{}; }} }}",
                " + 1".repeat(deep)
            ),
        ),
        (
            Language::Java,
            format!(
                "{}{}",
                "class A { void m() {".repeat(deep),
                "}}".repeat(deep)
            ),
        ),
        (Language::Java, "(".repeat(deep)),
        (Language::Java, "class A {".repeat(deep)),
        (
            Language::Python,
            format!("a = {}1{}\n", "(".repeat(deep), ")".repeat(deep)),
        ),
        (Language::Python, format!("a = {}1\n", "not ".repeat(deep))),
        (
            Language::Python,
            format!("a = {}1{}\n", "[".repeat(deep), "]".repeat(deep)),
        ),
        (Language::Python, "(".repeat(deep)),
        (
            Language::Go,
            format!(
                "package a\nvar b = {}1{}\n",
                "(".repeat(deep),
                ")".repeat(deep)
            ),
        ),
        (
            Language::Go,
            format!(
                "package a\nfunc f() {{ {}{} }}\n",
                "if a {".repeat(deep),
                "}".repeat(deep)
            ),
        ),
        (
            Language::Go,
            format!(
                "package a\nvar b = {}{}\n",
                "func() {".repeat(deep),
                "}".repeat(deep)
            ),
        ),
    ];
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    for (language, text) in texts {
        let source: Arc<[u8]> = text.as_bytes().into();
        let start = Instant::now();
        let version = analyser.analyse(*language, &source);
        let shown = &text[..text.len().min(40)];
        assert!(
            !matches!(version.structure(), Err(e) if !matches!(e, Unparsed::GaveUp | Unparsed::SyntaxError)),
            "{language}: {shown}"
        );
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{language}: {shown}"
        );
        let edited = format!("{text} ");
        let edit = LineEdit {
            old_start: 0,
            old_len: 1,
            new_start: 0,
            new_len: 1,
        };
        let source: Arc<[u8]> = edited.as_bytes().into();
        let next = analyser.reanalyse(&version, &[edit], &source);
        let fresh = analyser.analyse(*language, &source);
        assert_eq!(next.structure(), fresh.structure(), "{language}: {shown}");
    }
}

/// The contents of blobs of a clone, one git process.
struct Blobs {
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    _child: std::process::Child,
}

impl Blobs {
    fn of(clone: &Path) -> Self {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(clone)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Blobs {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            _child: child,
        }
    }

    fn read(&mut self, id: &str) -> Option<Arc<[u8]>> {
        writeln!(self.input, "{id}").unwrap();
        let mut head = String::new();
        self.output.read_line(&mut head).unwrap();
        let size: usize = head.trim().rsplit(' ').next()?.parse().ok()?;
        let mut body = vec![0; size + 1];
        self.output.read_exact(&mut body).unwrap();
        body.pop();
        Some(body.into())
    }
}

/// `HISTORY_CLONE`: a clone, whose whole first-parent history is replayed file by file;
/// `HISTORY_LIMIT`: at most so many commits.
#[test]
#[ignore = "needs a clone"]
fn whole_histories_read_from_neighbours_equal_themselves_read_from_scratch() {
    let clone = std::env::var("HISTORY_CLONE").unwrap();
    let limit = std::env::var("HISTORY_LIMIT").unwrap_or_else(|_| "100000".to_owned());
    let log = Command::new("git")
        .args([
            "-C",
            &clone,
            "log",
            "--first-parent",
            "-m",
            "--format=",
            "--raw",
            "--no-abbrev",
        ])
        .args(["--no-renames", "-n", &limit])
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let mut blobs = Blobs::of(Path::new(&clone));
    let mut analyser = Analyser::new(Profile::Lizard).unwrap();
    let mut fresh_reader = Analyser::new(Profile::Lizard).unwrap();
    let mut last = HashMap::<String, (Version, Arc<[u8]>)>::new();
    let mut stats = HashMap::<Language, (u32, u32, usize, Duration, Duration)>::new();
    for line in log.lines().rev() {
        let mut words = line.splitn(2, '\t');
        let (Some(meta), Some(path)) = (words.next(), words.next()) else {
            continue;
        };
        let meta: Vec<&str> = meta.split(' ').collect();
        let Some(language) = Language::of_path(path.as_bytes()).filter(|l| l.is_analysed()) else {
            continue;
        };
        if !meta[1].starts_with("100") {
            last.remove(path);
            continue;
        }
        let Some(source) = blobs.read(meta[3]) else {
            continue;
        };
        let stat = stats.entry(language).or_default();
        let start = Instant::now();
        let fresh = fresh_reader.analyse(language, &source);
        let fresh_time = start.elapsed();
        let next = match last.get(path) {
            None => fresh,
            Some((old, before)) => {
                let edits = edits(before, &source);
                let start = Instant::now();
                let next = analyser.reanalyse(old, &edits, &source);
                stat.4 += start.elapsed();
                stat.3 += fresh_time;
                stat.0 += 1;
                stat.2 += source.len();
                stat.1 += u32::from(next.structure().is_err());
                assert_eq!(next.structure(), fresh.structure(), "{path} {}", meta[3]);
                next
            }
        };
        last.insert(path.to_owned(), (next, source));
    }
    assert!(!stats.is_empty(), "no file of an analysed language");
    for (language, (steps, without, bytes, fresh, incremental)) in &stats {
        writeln!(
            std::io::stderr(),
            "{language}: {steps} steps ({without} without structure), {bytes} bytes, from scratch {fresh:?}, \
             from the neighbour {incremental:?}; {:?}",
            analyser.counts()
        )
        .unwrap();
    }
}
