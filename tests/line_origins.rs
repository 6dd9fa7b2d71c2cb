//! Line origins against `git blame --first-parent`: small histories always, whole public ones
//! on demand (`EVOLVE_CLONES=path:path cargo test -- --ignored`).

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use git_evolve::history::{
    Line, Needs, PathFilter, Plan, Select, Settings, WindowRule, line_origins,
};
use git_evolve::repo::{Oid, Repo};

use crate::support;

fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let out = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .output()
        .expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

/// The commit of each line, as blame says it.
fn blame(dir: &Path, commit: &str, path: &str) -> Vec<String> {
    let out = git(
        dir,
        &["blame", "--first-parent", "--porcelain", commit, "--", path],
    );
    let text = String::from_utf8_lossy(&out);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut words = line.split(' ');
        let id = words.next().unwrap_or("");
        let numbers = words.filter(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()));
        if id.len() >= 40 && id.bytes().all(|b| b.is_ascii_hexdigit()) && numbers.count() >= 2 {
            lines.push(id.to_owned());
        }
    }
    lines
}

/// Lines of `path` and how many have blame's writer.
fn compare(repo: &Repo, dir: &Path, commit: &str, path: &str) -> (usize, Vec<usize>) {
    let reader = repo.reader().expect("a reader");
    let tip = Oid::from_hex(commit).expect("an id");
    let root = git(dir, &["rev-list", "--first-parent", commit]);
    let root = String::from_utf8_lossy(&root)
        .lines()
        .last()
        .expect("a root")
        .to_owned();
    let root = Oid::from_hex(&root).expect("an id");
    let select = Select {
        tip,
        last: Some(1),
        since: None,
        exclude: Vec::new(),
        paths: PathFilter::default(),
    };
    let line = Line::plain(&reader, &select, WindowRule::Base(root)).expect("a line");
    let line = line.only(&[tip]);
    let plan = Plan {
        repo: repo.clone(),
        line,
        settings: Settings::default(),
        needs: Needs {
            origins: true,
            ..Needs::default()
        },
        threads: 1,
        paths: PathFilter::default(),
        ignored: HashSet::new(),
        language: None,
    };
    let ours = line_origins(&plan, path.as_bytes()).expect("origins");
    let theirs = blame(dir, commit, path);
    assert_eq!(ours.len(), theirs.len(), "{path} at {commit}");
    let differ = ours
        .iter()
        .zip(&theirs)
        .enumerate()
        .filter(|(_, (a, b))| a.commit.to_string() != **b)
        .map(|(i, _)| i + 1)
        .collect();
    (ours.len(), differ)
}

#[test]
fn lines_have_the_writer_that_blame_names() {
    let r = support::Repo::new();
    let text = |lines: &[&str]| lines.join("\n") + "\n";
    r.write(
        "a.py",
        text(&["one", "two", "three", "four", "five", "six", "seven"]),
    );
    r.commit("root");
    r.write(
        "a.py",
        text(&[
            "one", "TWO", "three", "four", "five", "six", "seven", "eight",
        ]),
    );
    r.commit("edit and append");
    r.remove("a.py");
    r.write(
        "b.py",
        text(&[
            "one", "TWO", "three", "four", "FIVE", "six", "seven", "eight",
        ]),
    );
    r.commit("rename and edit");
    r.git(&["checkout", "-q", "-b", "side"]);
    r.write(
        "b.py",
        text(&[
            "zero", "one", "TWO", "three", "four", "FIVE", "six", "seven", "eight",
        ]),
    );
    r.commit("on a side branch");
    r.git(&["checkout", "-q", "main"]);
    r.write("other.py", "x = 1\n");
    r.commit("meanwhile");
    r.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    r.write(
        "b.py",
        text(&[
            "zero", "one", "TWO", "three", "FIVE", "six", "seven", "eight", "nine",
        ]),
    );
    let tip = r.commit("after the merge");
    let repo = Repo::discover(r.path()).expect("opened");
    let (lines, differ) = compare(&repo, r.path(), &tip, "b.py");
    assert_eq!((lines, differ), (9, vec![]));
}

#[test]
fn two_files_can_come_from_one_deleted_file() {
    let r = support::Repo::new();
    let lines: Vec<String> = (0..40)
        .map(|i| format!("line {i} of the old file"))
        .collect();
    r.write("old.go", lines.join("\n") + "\n");
    r.commit("root");
    r.remove("old.go");
    r.write("left.go", lines[..30].join("\n") + "\n");
    r.write("right.go", lines[10..].join("\n") + "\n");
    let tip = r.commit("split");
    let repo = Repo::discover(r.path()).expect("opened");
    for path in ["left.go", "right.go"] {
        let (_, differ) = compare(&repo, r.path(), &tip, path);
        assert_eq!(differ, Vec::<usize>::new(), "{path}");
    }
}

/// A small history from numbers: files of few distinct lines that are edited, renamed, split.
fn random_history(r: &support::Repo, steps: &[(u8, u8, u8, u8)]) -> (String, Vec<String>) {
    let mut files: std::collections::BTreeMap<String, Vec<String>> = (0..2)
        .map(|f| {
            let lines = (0..12).map(|i| format!("line {} of {f}", i % 7)).collect();
            (format!("f{f}.py"), lines)
        })
        .collect();
    let put = |files: &std::collections::BTreeMap<String, Vec<String>>| {
        for (path, lines) in files {
            r.write(path, lines.join("\n") + "\n");
        }
    };
    put(&files);
    let mut tip = r.commit("root");
    for (n, (kind, at, length, salt)) in steps.iter().enumerate() {
        let names: Vec<String> = files.keys().cloned().collect();
        let name = names[usize::from(*at) % names.len()].clone();
        let lines = files.get(&name).expect("a file").clone();
        let from = usize::from(*at) % (lines.len() + 1);
        let to = (from + usize::from(*length) % 4).min(lines.len());
        let fresh: Vec<String> = (0..*salt % 4)
            .map(|i| format!("line {}", (u16::from(*salt) + u16::from(i)) % 9))
            .collect();
        match kind % 5 {
            0 | 1 => {
                files
                    .get_mut(&name)
                    .expect("a file")
                    .splice(from..to, fresh);
            }
            2 => {
                files.remove(&name);
                r.remove(&name);
                let mut moved = lines;
                moved.push(format!("moved {n}"));
                files.insert(format!("m{n}.py"), moved);
            }
            3 => {
                files.remove(&name);
                r.remove(&name);
                let half = lines.len() / 4;
                files.insert(format!("a{n}.py"), lines[half..].to_vec());
                files.insert(format!("b{n}.py"), lines[..lines.len() - half].to_vec());
            }
            _ => {
                let mut turned = lines;
                let middle = turned.len() / 2;
                turned.rotate_left(middle);
                files.insert(name, turned);
            }
        }
        put(&files);
        tip = r.commit(&format!("step {n}"));
    }
    (tip, files.into_keys().collect())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 6,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    })]

    #[test]
    fn lines_of_random_histories_have_the_writer_that_blame_names(
        steps in proptest::collection::vec(proptest::prelude::any::<(u8, u8, u8, u8)>(), 4..14),
    ) {
        let r = support::Repo::new();
        let (tip, paths) = random_history(&r, &steps);
        let repo = Repo::discover(r.path()).expect("opened");
        for path in paths {
            let content = git(r.path(), &["show", &format!("{tip}:{path}")]);
            if content == b"\n" {
                continue;
            }
            let (_, differ) = compare(&repo, r.path(), &tip, &path);
            proptest::prop_assert!(differ.is_empty(), "{path}: lines {differ:?}");
        }
    }
}

#[test]
#[ignore = "needs clones of public repositories: EVOLVE_CLONES=path:path"]
fn lines_of_whole_histories_have_the_writer_that_blame_names() {
    let clones = std::env::var("EVOLVE_CLONES").expect("EVOLVE_CLONES names clones");
    let files: usize = std::env::var("EVOLVE_FILES").map_or(80, |n| n.parse().expect("a number"));
    for clone in clones.split(':') {
        let dir = Path::new(clone);
        let repo = Repo::discover(dir).expect("opened");
        let head = String::from_utf8(git(dir, &["rev-parse", "HEAD"])).expect("hex");
        let head = head.trim();
        let middle =
            String::from_utf8(git(dir, &["rev-list", "--first-parent", head])).expect("hex");
        let all: Vec<&str> = middle.lines().collect();
        for commit in [head, all[all.len() / 3], all[all.len() * 2 / 3]] {
            let list = git(dir, &["ls-tree", "-r", "--name-only", "-z", commit]);
            let list = String::from_utf8_lossy(&list).into_owned();
            let code: Vec<&str> = list
                .split('\0')
                .filter(|p| [".java", ".py", ".go"].iter().any(|e| p.ends_with(e)))
                .collect();
            let step = (code.len() / files).max(1);
            let (mut lines, mut wrong) = (0, 0);
            for path in code.iter().step_by(step) {
                let (n, differ) = compare(&repo, dir, commit, path);
                lines += n;
                if !differ.is_empty() {
                    println!(
                        "  {path}: {} of {n} lines differ, first {}",
                        differ.len(),
                        differ[0]
                    );
                }
                wrong += differ.len();
            }
            println!(
                "{clone} {}: {} of {lines} lines equal",
                &commit[..7],
                lines - wrong
            );
            assert!(
                wrong * 1000 <= lines * 3,
                "more than 0.3 % of the lines differ"
            );
        }
    }
}
