//! Notes trees of every shape: ours read by git, git's and odd ones read and kept by us.

use std::collections::BTreeMap;

use git_evolve::repo::{Oid, Writer};

use super::*;

const REF: &str = "refs/notes/evolve/checkpoint";

/// Commits that nothing else is about, made in one go; their ids spread over all digits.
fn many(repo: &Repo, count: usize) -> Vec<Oid> {
    let mut script = String::new();
    for n in 1..=count {
        script.push_str(&format!(
            "commit refs/heads/many\nmark :{n}\ncommitter Ada <ada@example.invalid> {n} +0000\ndata 2\n.\n"
        ));
    }
    feed(repo, &["fast-import", "--quiet"], script.as_bytes());
    repo.git(&["rev-list", "refs/heads/many"])
        .lines()
        .map(oid)
        .collect()
}

fn feed(repo: &Repo, args: &[&str], input: &[u8]) -> String {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = repo
        .command("git", repo.path())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input)
        .expect("fed");
    let out = child.wait_with_output().expect("git ends");
    assert!(out.status.success(), "git {args:?}");
    String::from_utf8(out.stdout)
        .expect("UTF-8")
        .trim_end()
        .to_owned()
}

fn noted(repo: &Repo) -> BTreeMap<String, String> {
    repo.git(&["notes", "--ref", REF, "list"])
        .lines()
        .map(|row| {
            let (blob, target) = row.split_once(' ').expect("blob and target");
            (target.to_owned(), blob.to_owned())
        })
        .collect()
}

fn set(repo: &Repo, edits: &BTreeMap<Oid, Oid>) {
    let opened = open(repo);
    let at = opened
        .reader()
        .expect("a reader")
        .reference(REF)
        .expect("read");
    let tree = Writer::open(&opened)
        .expect("opened")
        .notes_tree(at, edits)
        .expect("written");
    let commit = repo.git(&["commit-tree", "-m", "x", &tree.to_string()]);
    repo.git(&["update-ref", REF, &commit]);
}

/// Folders in the tree, at any depth.
fn folders(repo: &Repo) -> usize {
    let listing = repo.git(&["ls-tree", "-r", "-t", REF]);
    listing.lines().filter(|l| l.contains(" tree ")).count()
}

fn round_trip(init: &[&str]) {
    let repo = Repo::with(init);
    let targets = many(&repo, 300);
    let blob = oid(&feed(&repo, &["hash-object", "-w", "--stdin"], b"x\n"));
    let other = oid(&feed(&repo, &["hash-object", "-w", "--stdin"], b"y\n"));
    let mut want = BTreeMap::new();
    for some in targets.chunks(37) {
        let edits: BTreeMap<Oid, Oid> = some.iter().map(|t| (*t, blob)).collect();
        set(&repo, &edits);
        want.extend(some.iter().map(|t| (t.to_string(), blob.to_string())));
        assert_eq!(noted(&repo), want);
    }
    assert!(folders(&repo) > 100, "spread over folders");
    // Git on top of ours, then we on top of git's.
    for (n, target) in targets.iter().enumerate().step_by(50) {
        let target = target.to_string();
        let text = other.to_string();
        repo.git(&["notes", "--ref", REF, "add", "-f", "-C", &text, &target]);
        want.insert(target, text);
        assert_eq!(noted(&repo), want, "git after {n}");
    }
    set(&repo, &BTreeMap::from([(targets[0], blob)]));
    want.insert(targets[0].to_string(), blob.to_string());
    assert_eq!(noted(&repo), want);
    let reader = open(&repo).reader().expect("a reader");
    let at = reader.reference(REF).expect("read").expect("there");
    let ours: BTreeMap<String, String> = reader
        .notes(at)
        .expect("read")
        .into_iter()
        .map(|(t, blobs)| (t.to_string(), blobs[0].to_string()))
        .collect();
    assert_eq!(ours, want);
    assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn git_and_we_write_on_top_of_each_other_and_lose_nothing() {
    round_trip(&[]);
}

#[test]
fn notes_of_a_sha_256_repository_are_the_same() {
    round_trip(&["--object-format=sha256"]);
}

#[test]
fn every_spelling_of_a_target_is_read_and_one_is_left_after_an_edit() {
    let repo = Repo::new();
    let target = repo.commit("one");
    let second = repo.commit("two");
    let blobs: Vec<String> = (0..5)
        .map(|n| {
            feed(
                &repo,
                &["hash-object", "-w", "--stdin"],
                format!("{n}\n").as_bytes(),
            )
        })
        .collect();
    let entry =
        |mode: &str, kind: &str, id: &str, name: &str| format!("{mode} {kind} {id}\t{name}\n");
    let tree = |rows: &[String]| feed(&repo, &["mktree"], rows.concat().as_bytes());
    let (a, rest) = target.split_at(2);
    let (b, last) = rest.split_at(2);
    // flat, two levels, one level in upper case, and things that are no notes.
    let deep = tree(&[entry("100644", "blob", &blobs[0], last)]);
    let folder = tree(&[
        entry("040000", "tree", &deep, b),
        entry("100644", "blob", &blobs[1], "README"),
        entry("100644", "blob", &blobs[2], rest),
    ]);
    let root = tree(&[
        entry("100644", "blob", &blobs[3], &target),
        entry("040000", "tree", &folder, a),
        entry("100644", "blob", &blobs[4], &second),
        entry("100644", "blob", &blobs[4], "zz"),
        entry("100644", "blob", &blobs[4], &"a".repeat(39)),
        entry("120000", "blob", &blobs[4], &"b".repeat(40)),
    ]);
    let commit = repo.git(&["commit-tree", "-m", "x", &root]);
    repo.git(&["update-ref", REF, &commit]);

    let reader = open(&repo).reader().expect("a reader");
    let at = oid(&commit);
    let mut all: Vec<Oid> = [0, 2, 3].iter().map(|n| oid(&blobs[*n])).collect();
    all.sort();
    assert_eq!(reader.note(at, oid(&target)).expect("read"), all);
    let notes = reader.notes(at).expect("read");
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[&oid(&target)], all);

    set(&repo, &BTreeMap::from([(oid(&target), oid(&blobs[1]))]));
    let reader = open(&repo).reader().expect("a reader");
    let at = reader.reference(REF).expect("read").expect("there");
    assert_eq!(
        reader.note(at, oid(&target)).expect("read"),
        [oid(&blobs[1])]
    );
    assert_eq!(
        reader.note(at, oid(&second)).expect("read"),
        [oid(&blobs[4])]
    );
    let left = repo.git(&["ls-tree", "-r", "--name-only", REF]);
    for kept in [
        "zz",
        &"a".repeat(39),
        &"b".repeat(40),
        &format!("{a}/README"),
    ] {
        assert!(left.lines().any(|l| *l == *kept), "{kept} in {left}");
    }
    assert_eq!(left.lines().count(), 6, "{left}");
}

#[test]
fn a_large_flat_tree_of_another_tool_is_spread_and_keeps_its_notes() {
    let repo = Repo::new();
    let targets = many(&repo, 500);
    let blob = feed(&repo, &["hash-object", "-w", "--stdin"], b"x\n");
    let rows: String = targets
        .iter()
        .map(|t| format!("100644 blob {blob}\t{t}\n"))
        .collect();
    let tree = feed(&repo, &["mktree"], rows.as_bytes());
    let commit = repo.git(&["commit-tree", "-m", "x", &tree]);
    repo.git(&["update-ref", REF, &commit]);
    set(&repo, &BTreeMap::from([(targets[7], oid(&blob))]));
    assert_eq!(noted(&repo).len(), 500);
    let direct = repo.git(&["ls-tree", "--name-only", REF]);
    assert!(direct.lines().all(|name| name.len() == 2), "{direct}");
}

#[test]
fn a_small_tree_stays_flat_as_gits() {
    let repo = Repo::new();
    let targets = many(&repo, 20);
    let blob = oid(&feed(&repo, &["hash-object", "-w", "--stdin"], b"x\n"));
    for target in &targets {
        set(&repo, &BTreeMap::from([(*target, blob)]));
    }
    assert_eq!((noted(&repo).len(), folders(&repo)), (20, 0));
}

#[test]
fn one_edit_of_many_notes_writes_a_handful_of_trees() {
    let repo = Repo::new();
    let targets = many(&repo, 2_000);
    let blob = oid(&feed(&repo, &["hash-object", "-w", "--stdin"], b"x\n"));
    set(&repo, &targets.iter().map(|t| (*t, blob)).collect());
    let before = repo.git(&["ls-tree", "-r", "-t", REF]);
    let other = oid(&feed(&repo, &["hash-object", "-w", "--stdin"], b"y\n"));
    set(&repo, &BTreeMap::from([(targets[99], other)]));
    let after = repo.git(&["ls-tree", "-r", "-t", REF]);
    let old: std::collections::BTreeSet<&str> = before.lines().collect();
    let new = after.lines().filter(|l| !old.contains(l)).count();
    assert_eq!(new, 2, "the folder and the note");
}

#[test]
#[ignore = "prints what one append costs beside 10 to 5,000 notes, in milliseconds"]
fn the_cost_of_one_append() {
    for present in [0, 10, 100, 1_000, 5_000] {
        let repo = Repo::new();
        let targets = many(&repo, present + 20);
        let first = targets[..present].iter().map(|t| checkpoint(*t)).collect();
        write(&repo, first);
        repo.git(&["pack-refs", "--all"]);
        let objects = || {
            let counted = repo.git(&["count-objects"]);
            let number = counted.split(' ').next().expect("a number");
            number.parse::<usize>().expect("a number")
        };
        let before = objects();
        let mut took: Vec<f64> = targets[present..]
            .iter()
            .map(|target| {
                let entries = vec![checkpoint(*target), envelope(*target)];
                let start = std::time::Instant::now();
                write(&repo, entries);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        took.sort_by(f64::total_cmp);
        let each = (objects() - before) / took.len();
        println!(
            "{present} notes: median {:.1} ms, worst {:.1} ms, {each} objects an append",
            took[took.len() / 2],
            took[took.len() - 1]
        );
        let start = std::time::Instant::now();
        let read = counted(&repo);
        println!(
            "  reading all {read}: {:.1} ms",
            start.elapsed().as_secs_f64() * 1e3
        );
    }
}
