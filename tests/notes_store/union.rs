//! The union of notes: one result whatever the order, the same as git's own merge, and one read
//! from every place.

use std::collections::BTreeMap;

use git_evolve::ledger::{Content, NotesRef, add_payload, append_lines, join, read_payload};
use git_evolve::record::{Payload, ReadLine, read_line};
use proptest::prelude::*;

use super::*;

const REF: &str = "refs/notes/evolve/checkpoint";
const CHECKPOINTS: NotesRef = NotesRef::Records(Kind::Checkpoint);

/// A repository with three commits, and notes of others under `refs/evolve/remotes/<n>`.
struct Sides {
    repo: Repo,
    commits: Vec<Oid>,
    lines: Vec<Vec<u8>>,
}

impl Sides {
    fn new() -> Sides {
        let repo = Repo::new();
        let commits: Vec<Oid> = (0..3)
            .map(|n| oid(&repo.commit(&format!("c{n}"))))
            .collect();
        let lines = (0..6)
            .map(|n| checkpoint(commits[n % 3]).line.bytes().to_vec())
            .collect();
        Sides {
            repo,
            commits,
            lines,
        }
    }

    /// Writes the notes that give commit `c` the lines of which bits are set in `notes[c]`.
    fn side(&self, name: &str, notes: &[u8]) -> Oid {
        for (commit, bits) in self.commits.iter().zip(notes) {
            let set = (0..6).filter(|n| bits & (1 << n) != 0);
            let text: Vec<&[u8]> = set.map(|n| self.lines[n].as_slice()).collect();
            if text.is_empty() {
                continue;
            }
            let file = self.repo.around().join("note");
            let text = git_evolve::record::sheet::union(text);
            std::fs::write(&file, text).expect("written");
            let blob = self
                .repo
                .git(&["hash-object", "-w", file.to_str().expect("UTF-8")]);
            let (name, commit) = (format!("--ref={name}"), commit.to_string());
            self.repo
                .git(&["notes", &name, "add", "-f", "-C", &blob, &commit]);
        }
        oid(&self.repo.git(&["rev-parse", name]))
    }

    fn content(&self, name: &str) -> BTreeMap<String, String> {
        let listing = self.repo.git(&["notes", &format!("--ref={name}"), "list"]);
        listing
            .lines()
            .map(|row| {
                let (blob, target) = row.split_once(' ').expect("blob and target");
                (
                    target.to_owned(),
                    self.repo.git(&["cat-file", "blob", blob]),
                )
            })
            .collect()
    }

    /// What ours becomes when `tips` are joined one after another.
    fn joined(&self, tips: &[Oid]) -> BTreeMap<String, String> {
        for tip in tips {
            join(&open(&self.repo), &[(CHECKPOINTS, *tip)]).expect("joined");
        }
        let content = self.content(REF);
        self.repo.git(&["update-ref", "-d", REF]);
        content
    }
}

fn notes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0_u8..64, 3).prop_filter("something", |n| n.iter().any(|b| *b > 0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn joining_is_a_union_and_equals_gits_own(a in notes(), b in notes(), c in notes()) {
        let sides = Sides::new();
        let a = sides.side("refs/notes/a", &a);
        let b = sides.side("refs/notes/b", &b);
        let c = sides.side("refs/notes/c", &c);
        let all = sides.joined(&[a, b, c]);
        prop_assert_eq!(&sides.joined(&[c, b, a]), &all);
        prop_assert_eq!(&sides.joined(&[b, a, b, c, a]), &all);
        let at_once: Vec<(NotesRef, Oid)> = [a, b, c].map(|tip| (CHECKPOINTS, tip)).to_vec();
        join(&open(&sides.repo), &at_once).expect("joined");
        prop_assert_eq!(&sides.content(REF), &all);

        let gits = "refs/notes/merged";
        sides.repo.git(&["update-ref", gits, &a.to_string()]);
        let merge = ["notes", "--ref", gits, "merge", "-q", "-s", "cat_sort_uniq"];
        for other in ["refs/notes/b", "refs/notes/c"] {
            sides.repo.git(&[&merge[..], &[other]].concat());
        }
        let sorted = |content: BTreeMap<String, String>| -> BTreeMap<String, Vec<String>> {
            let lines = |text: String| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            content.into_iter().map(|(t, text)| (t, lines(text))).collect()
        };
        prop_assert_eq!(sorted(sides.content(gits)), sorted(all));
    }
}

#[test]
fn moving_to_the_others_commit_is_enough_where_it_has_all_of_ours() {
    let sides = Sides::new();
    let tip = sides.side("refs/notes/a", &[1, 2, 4]);
    let written = join(&open(&sides.repo), &[(CHECKPOINTS, tip)]).expect("joined");
    assert_eq!(written.moved[&CHECKPOINTS], tip);
    assert_eq!(written.lines, 3);
    let later = sides.side("refs/notes/a", &[1 | 8, 2, 4]);
    let written = join(&open(&sides.repo), &[(CHECKPOINTS, later)]).expect("joined");
    assert_eq!((written.moved[&CHECKPOINTS], written.lines), (later, 1));
    let again = join(&open(&sides.repo), &[(CHECKPOINTS, tip)]).expect("joined");
    assert_eq!((again.moved.len(), again.lines), (0, 0));
}

#[test]
fn a_later_commit_that_lost_records_does_not_take_them_from_us() {
    let sides = Sides::new();
    let tip = sides.side("refs/notes/a", &[1, 2, 4]);
    join(&open(&sides.repo), &[(CHECKPOINTS, tip)]).expect("joined");
    let commit = sides.commits[0].to_string();
    sides
        .repo
        .git(&["notes", "--ref=refs/notes/a", "remove", &commit]);
    let pruned = oid(&sides.repo.git(&["rev-parse", "refs/notes/a"]));
    let written = join(&open(&sides.repo), &[(CHECKPOINTS, pruned)]).expect("joined");
    assert_ne!(written.moved[&CHECKPOINTS], pruned);
    assert_eq!(sides.content(REF).len(), 3);
    let contains = ["merge-base", "--is-ancestor", &pruned.to_string(), REF];
    sides.repo.git(&contains);
}

#[test]
fn what_others_did_not_mask_is_masked_on_its_way_in() {
    let sides = Sides::new();
    let commit = sides.commits[0];
    let line = String::from_utf8(sides.lines[0].clone()).expect("UTF-8");
    let leaking = line.replace("git-evolve 0.1.0", "/home/ada/bin/git-evolve");
    let file = sides.repo.around().join("note");
    std::fs::write(&file, &leaking).expect("written");
    let file = file.to_str().expect("UTF-8");
    let words = ["notes", "--ref=refs/notes/a", "add", "-F", file];
    sides
        .repo
        .git(&[&words[..], &[&commit.to_string()]].concat());
    let tip = oid(&sides.repo.git(&["rev-parse", "refs/notes/a"]));
    let written = join(&open(&sides.repo), &[(CHECKPOINTS, tip)]).expect("joined");
    assert_ne!(
        written.moved[&CHECKPOINTS], tip,
        "its commit may not become ours"
    );
    let text = &sides.content(REF)[&commit.to_string()];
    assert!(
        !text.contains("/home/ada") && text.contains("~/bin"),
        "{text}"
    );

    // Both copies are one record to a reader.
    sides.repo.git(&[
        "update-ref",
        "refs/evolve/remotes/up/checkpoint",
        &tip.to_string(),
    ]);
    let reader = open(&sides.repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    let on = found.on(Kind::Checkpoint, commit);
    assert_eq!((on.len(), found.conflicts.len()), (1, 0));
    assert!(on[0].local && on[0].published());
}

#[test]
fn lines_are_read_once_from_all_places_and_say_where_they_stand() {
    let sides = Sides::new();
    let a = sides.side("refs/notes/a", &[1, 2, 0]);
    let b = sides.side("refs/notes/b", &[1, 0, 4]);
    let point = |name: &str, tip: Oid| {
        sides.repo.git(&["update-ref", name, &tip.to_string()]);
    };
    point(REF, a);
    point("refs/evolve/remotes/me/fork/checkpoint", b);
    point("refs/remotes/origin/evolve-notes/checkpoint", b);
    point("refs/heads/evolve-notes/checkpoint", a);
    let reader = open(&sides.repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    assert_eq!(found.sources.len(), 4);
    assert_eq!(found.all().count(), 3);
    let at = |n: usize| &found.on(Kind::Checkpoint, sides.commits[n])[0];
    let remotes = |n: usize| {
        at(n)
            .remotes
            .iter()
            .map(|r| r.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (at(0).local, at(0).branch, remotes(0)),
        (true, true, vec!["me/fork".into(), "origin".into()])
    );
    assert_eq!((at(1).local, at(1).published()), (true, false));
    assert_eq!(
        (at(2).local, at(2).branch, at(2).published()),
        (false, false, true)
    );
}

#[test]
fn what_is_no_record_is_counted_and_never_fails_a_read() {
    let sides = Sides::new();
    let repo = &sides.repo;
    let good = String::from_utf8(sides.lines[0].clone()).expect("UTF-8");
    let newer = String::from_utf8(sides.lines[3].clone())
        .expect("UTF-8")
        .replace("\"v\":1", "\"v\":7");
    let other = good.replace("git-evolve 0.1.0", "git-evolve 0.1.1");
    let note = format!("{good}\n\n\n{good}\n{{\nnot json\n{newer}\n{other}\n");
    let file = repo.around().join("note");
    std::fs::write(&file, note).expect("written");
    let blob = repo.git(&["hash-object", "-w", file.to_str().expect("UTF-8")]);
    let on = |target: &str| {
        repo.git(&["notes", &format!("--ref={REF}"), "add", "-C", &blob, target]);
    };
    on(&sides.commits[0].to_string());
    on("HEAD^{tree}");
    on(&"12".repeat(20));
    let reader = open(repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Checkpoint]).expect("read");
    let skipped = &found.skipped[&Kind::Checkpoint];
    assert_eq!(
        (skipped.blank, skipped.not_commits, skipped.dangling),
        (4, 1, 1)
    );
    assert_eq!(skipped.bad_lines(), 4);
    assert_eq!(skipped.bad["not a JSON object"].lines, 4);
    assert_eq!(skipped.newer, BTreeMap::from([(7, 2)]));
    assert_eq!(found.on(Kind::Checkpoint, sides.commits[0]).len(), 3);
    assert_eq!(found.dangling[&Kind::Checkpoint].len(), 1);
    assert_eq!(found.conflicts.len(), 1);
    let id = &found.conflicts[0].id;
    assert!(found.is_conflict(Kind::Checkpoint, id));

    // An append keeps all of it, the strangers' notes too.
    write(repo, vec![checkpoint(sides.commits[0])]);
    assert_eq!(sides.content(REF).len(), 3);
    let text = &sides.content(REF)[&sides.commits[0].to_string()];
    assert!(
        text.contains("not json") && text.lines().count() == 6,
        "{text}"
    );
}

#[test]
fn a_configuration_is_a_note_on_its_own_blob() {
    let repo = Repo::new();
    repo.commit("one");
    let config = br#"{"profile":"default"}"#.to_vec();
    let batch = || Batch {
        entries: Vec::new(),
        configs: vec![config.clone()],
    };
    append(&open(&repo), batch()).expect("written");
    let again = append(&open(&repo), batch()).expect("written");
    assert_eq!((again.lines, again.moved.len()), (1, 0));
    let listing = repo.git(&["notes", "--ref=refs/notes/evolve/config", "list"]);
    let (blob, target) = listing.split_once(' ').expect("blob and target");
    assert_eq!(blob, target);
    assert_eq!(repo.git(&["cat-file", "blob", blob]).as_bytes(), config);
    let secret = Batch {
        entries: Vec::new(),
        configs: vec![br#"{"at":"/home/ada/x"}"#.to_vec()],
    };
    append(&open(&repo), secret).expect_err("not masked");
}

#[test]
fn payloads_come_back_as_they_were_and_large_ones_stay_beside_the_objects() {
    let repo = Repo::new();
    let commit = oid(&repo.commit("one"));
    repo.git(&["config", "evolve.payloadCap", "1"]);
    let opened = open(&repo);
    let large: Vec<u8> = (0..3_u32 << 20).map(|n| (n % 251) as u8).collect();
    let cases: [(&str, Vec<u8>); 4] = [
        ("text.json", b"{\"a\":\"\xc3\xbc\0\"}\n".to_vec()),
        ("bytes.bin", vec![0xff, 0, 1, 2, 0xfe]),
        ("empty", Vec::new()),
        ("large.bin", large.clone()),
    ];
    let mut additions = Vec::new();
    for (name, bytes) in &cases {
        let file = repo.around().join(name);
        std::fs::write(&file, bytes).expect("written");
        let of = RecordId::new();
        let masker = Masker::general();
        let made = add_payload(&opened, head(commit), of, Payload::Report, &file, &masker);
        additions.push(git_evolve::ledger::Addition {
            kind: Kind::Raw,
            target: commit,
            line: made.expect("a line").bytes().to_vec(),
        });
    }
    append_lines(&opened, additions, Vec::new()).expect("written");
    let reader = open(&repo).reader().expect("a reader");
    let found = records(&reader, &[Kind::Raw]).expect("read");
    let mut seen = 0;
    for stored in found.on(Kind::Raw, commit) {
        let line = stored.line(&reader).expect("read");
        let ReadLine::Known(record) = read_line(Kind::Raw, &line) else {
            panic!("a record");
        };
        let Body::Raw(raw) = record.body else {
            panic!("a raw one");
        };
        let (_, bytes) = cases
            .iter()
            .find(|(n, _)| *n == raw.name)
            .expect("one of them");
        match read_payload(&reader, &raw).expect("read") {
            Content::Here(back) => assert_eq!(&back, bytes, "{}", raw.name),
            Content::File(path) => {
                assert_eq!(raw.name, "large.bin");
                assert_eq!(std::fs::read(&path).expect("read"), large);
                std::fs::remove_file(path).expect("removed");
                let end = 64 << 10;
                let ends = Content::NotHere {
                    head: large[..end].to_vec(),
                    tail: large[large.len() - end..].to_vec(),
                };
                assert_eq!(read_payload(&reader, &raw).expect("read"), ends);
            }
            Content::NotHere { .. } => panic!("it is here"),
        }
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
#[ignore = "prints what a note of 5 MB and one of 60 MB cost, in milliseconds"]
fn the_cost_of_large_payloads() {
    for mib in [5, 60] {
        let repo = Repo::new();
        let commit = oid(&repo.commit("one"));
        let opened = open(&repo);
        let file = repo.around().join("report.xml");
        let row = "<testcase name=\"adds two numbers\" classname=\"a.b.C\" time=\"0.013\"/>\n";
        std::fs::write(&file, row.repeat((mib << 20) / row.len())).expect("written");
        let start = std::time::Instant::now();
        let took = || start.elapsed().as_millis();
        let masker = Masker::here();
        let line = add_payload(
            &opened,
            head(commit),
            RecordId::new(),
            Payload::Report,
            &file,
            &masker,
        );
        let made = took();
        let entry = Entry {
            kind: Kind::Raw,
            target: commit,
            line: line.expect("a line"),
        };
        write(&repo, vec![entry]);
        println!(
            "{mib} MiB: {made} ms to a line, {} ms with the writing",
            took()
        );
        let again = std::time::Instant::now();
        let mut small = checkpoint(commit);
        small.kind = Kind::Raw;
        write(&repo, vec![small]);
        println!(
            "  another line beside it: {} ms",
            again.elapsed().as_millis()
        );
    }
}
