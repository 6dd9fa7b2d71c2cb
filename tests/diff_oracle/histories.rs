//! Whole histories against git; run on demand:
//! `EVOLVE_CLONES=/a/repo:/b/repo cargo test --profile quick --test main -- --ignored --nocapture`

use std::path::Path;

use git_evolve::repo::{ChangeStatus, EntryMode, change_between};

use super::renames::{oid, words};
use super::said_by_git::{compare_hunks, name_status, output, plain_git};

#[test]
#[ignore = "takes whole clones, named in EVOLVE_CLONES"]
#[expect(clippy::print_stderr, reason = "the counts are what it is run for")]
fn whole_histories_have_the_hunks_that_git_gives_them() {
    let clones = std::env::var("EVOLVE_CLONES").expect("EVOLVE_CLONES, paths separated by ':'");
    let mut below = Vec::new();
    for clone in clones.split(':') {
        let tally = compare_hunks(Path::new(clone));
        let share = 100.0 * tally.equal as f64 / tally.edits.max(1) as f64;
        eprintln!(
            "{clone}: {} edits, {} equal ({share:.3} %), {} binary, {} not here; lines added and \
             removed: git {:?}, ours {:?}",
            tally.edits, tally.equal, tally.binary, tally.absent, tally.git_lines, tally.our_lines
        );
        for id in tally.differing.iter().take(10) {
            eprintln!("  {id}");
        }
        if share < 99.9 {
            below.push(clone);
        }
    }
    assert!(below.is_empty(), "under 99.9 %: {below:?}");
}

/// The file that blame follows `path` to in the commit's first parent, where it finds any line
/// there.
fn blamed_source(folder: &Path, commit: &str, path: &str) -> Option<String> {
    let out = output(
        plain_git(folder),
        &[
            "blame",
            "--first-parent",
            "--porcelain",
            &format!("{commit}^1..{commit}"),
            "--",
            path,
        ],
    );
    let mut at = "";
    for line in out.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if first.len() == commit.len() && first.bytes().all(|b| b.is_ascii_hexdigit()) {
            at = first;
        } else if let Some(name) = line.strip_prefix("filename ")
            && at != commit
        {
            return Some(name.to_owned());
        }
    }
    None
}

#[test]
#[ignore = "takes whole clones, named in EVOLVE_CLONES"]
#[expect(clippy::print_stderr, reason = "the counts are what it is run for")]
fn whole_histories_have_the_renames_and_origins_that_git_finds() {
    let clones = std::env::var("EVOLVE_CLONES").expect("EVOLVE_CLONES, paths separated by ':'");
    let mut differing = Vec::new();
    for clone in clones.split(':') {
        let folder = Path::new(clone);
        let log = ["log", "--first-parent", "--format=%H %T %P", "HEAD"];
        let log = output(plain_git(folder), &log);
        let commits: Vec<Vec<&str>> = log.lines().map(|l| l.split(' ').collect()).collect();
        let empty = output(
            plain_git(folder),
            &["hash-object", "-t", "tree", "/dev/null"],
        );
        let (mut renamed, mut origins, mut unseen, mut absent) = (0, 0, 0, 0);
        for (i, commit) in commits.iter().enumerate() {
            let parent = commits.get(i + 1).map(|parent| parent[1]);
            let change = change_between(folder, parent.map(oid), Some(oid(commit[1])));
            let change = change.expect("a change");
            let args = ["diff-tree", "-r", "-z", "-M", "-l1000", "--name-status"];
            let trees = [parent.unwrap_or(empty.trim()), commit[1]];
            let raw = output(plain_git(folder), &[&args[..], &trees].concat());
            if words(&change) != name_status(&raw) {
                differing.push(format!("{clone} {}: renames", commit[0]));
            }
            for file in &change.files {
                renamed += usize::from(file.status == ChangeStatus::Renamed);
                let new = matches!(file.status, ChangeStatus::Renamed | ChangeStatus::Added);
                let any_gone = change.files.iter().any(|f| f.old.is_some());
                let is_file = file.new.is_some_and(|e| e.mode == EntryMode::File);
                if !new || !is_file || !any_gone || parent.is_none() {
                    continue;
                }
                let here = file.new.is_some_and(|e| is_here(folder, &e.id.to_string()));
                if !here {
                    // Without the blob git cannot blame it either.
                    absent += 1;
                    continue;
                }
                let path = String::from_utf8_lossy(&file.path);
                let ours = file
                    .origin
                    .as_ref()
                    .map(|(path, _)| String::from_utf8_lossy(path));
                let blamed = blamed_source(folder, commit[0], &path);
                origins += 1;
                if ours.is_some() && blamed.is_none() {
                    // Alike by pieces of lines, so that no line is older.
                    unseen += 1;
                } else if ours.as_deref() != blamed.as_deref() {
                    let id = format!("{clone} {} {path}: {ours:?}, {blamed:?}", commit[0]);
                    differing.push(id);
                }
            }
        }
        eprintln!(
            "{clone}: {} commits, {renamed} renames, {origins} origins, {unseen} without a line, \
             {absent} not here",
            commits.len()
        );
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

/// Whether a clone has an object.
fn is_here(folder: &Path, id: &str) -> bool {
    let found = plain_git(folder).args(["cat-file", "-e", id]).output();
    found.expect("git runs").status.success()
}
