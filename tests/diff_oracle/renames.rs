//! Tree changes, renames and origins against `git diff-tree -M` and `git blame`.

use std::collections::BTreeMap;

use git_evolve::repo::{ChangeStatus, EntryMode, FileChange, Oid, TreeChange, change_between};

use super::said_by_git::name_status;
use crate::support::Repo;

pub(super) fn oid(text: &str) -> Oid {
    Oid::from_hex(text).expect("a full id")
}

/// Our change of the last commit, against its first parent or the empty tree.
fn change_of_head(repo: &Repo) -> TreeChange {
    let trees = repo.git(&["log", "-2", "--first-parent", "--format=%T"]);
    let mut trees = trees.lines().map(oid);
    let new = trees.next();
    change_between(repo.path(), trees.next(), new).expect("a change")
}

/// Status, old path and path of every change, in the words of `--name-status`.
pub(super) fn words(change: &TreeChange) -> Vec<String> {
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let one = |f: &FileChange| match (&f.status, &f.old_path) {
        (ChangeStatus::Renamed, Some(old)) => format!("R {} {}", text(old), text(&f.path)),
        (status, _) => {
            let (old, new) = (f.old.map(|e| e.mode), f.new.map(|e| e.mode));
            let letter = match status {
                ChangeStatus::Added => "A",
                ChangeStatus::Deleted => "D",
                _ if old == new => "M",
                _ => "T",
            };
            format!("{letter} {}", text(&f.path))
        }
    };
    let mut words: Vec<String> = change.files.iter().map(one).collect();
    words.sort();
    words
}

/// The same as git says it.
fn git_words(repo: &Repo) -> Vec<String> {
    let raw = repo.git(&[
        "diff-tree",
        "-r",
        "-z",
        "-M",
        "-l1000",
        "--root",
        "--no-commit-id",
        "--name-status",
        "HEAD",
    ]);
    name_status(&raw)
}

/// The origin of each added or renamed path.
fn origins(change: &TreeChange) -> BTreeMap<String, String> {
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let files = change.files.iter();
    files
        .filter_map(|f| Some((text(&f.path), text(&f.origin.as_ref()?.0))))
        .collect()
}

/// The file that blame names for the lines of `path` that are older than HEAD.
fn blamed_source(repo: &Repo, path: &str) -> Option<String> {
    let out = repo.git(&["blame", "--porcelain", "HEAD", "--", path]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let mut commit = "";
    for line in out.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        if first.len() == head.len() && first.bytes().all(|b| b.is_ascii_hexdigit()) {
            commit = first;
        } else if let Some(name) = line.strip_prefix("filename ")
            && commit != head
        {
            return Some(name.to_owned());
        }
    }
    None
}

/// A text of lines that no hash takes for one another.
pub(super) fn prose(lines: usize, seed: u64) -> Vec<String> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + (state % 26) as u8)
    };
    let line = |_| (0..30).map(|_| letter()).chain(['\n']).collect();
    (0..lines).map(line).collect()
}

/// `keep` lines of the prose of `seed`, the others of 100 of another's.
fn alike(keep: usize, seed: u64, other: u64) -> String {
    [&prose(100, seed)[..keep], &prose(100, other)[keep..]]
        .concat()
        .concat()
}

/// Commits `old`, then `new` in its place, and expects our change to read as git's.
#[track_caller]
fn same_as_git(old: &[(&str, String)], new: &[(&str, String)]) -> (Repo, TreeChange) {
    let repo = Repo::new();
    for (path, content) in old {
        repo.write(path, content);
    }
    repo.commit("old");
    // The index is filled anew, so that a folder may stand where a file stood.
    for top in std::fs::read_dir(repo.path()).expect("a work tree") {
        let top = top.expect("an entry").path();
        if top.is_file() {
            std::fs::remove_file(top).expect("removed");
        } else if !top.ends_with(".git") {
            std::fs::remove_dir_all(top).expect("removed");
        }
    }
    for (path, content) in new {
        repo.write(path, content);
    }
    repo.commit("new");
    let change = change_of_head(&repo);
    assert_eq!(words(&change), git_words(&repo));
    assert!(!change.rename_limit_hit);
    (repo, change)
}

#[test]
fn a_similar_file_is_renamed_and_an_unlike_one_is_not() {
    let stays = ("kept.txt", alike(100, 9, 9));
    for keep in [100, 90, 75, 51, 50, 49, 10] {
        let (_, change) = same_as_git(
            &[stays.clone(), ("a/old.txt", alike(keep, 1, 2))],
            &[stays.clone(), ("b/new.txt", alike(100, 1, 1))],
        );
        let renamed = change
            .files
            .iter()
            .any(|f| f.status == ChangeStatus::Renamed);
        assert_eq!(renamed, keep >= 50, "{keep} lines of 100");
    }
}

#[test]
fn equal_contents_are_paired_in_path_order_by_file_name_first() {
    let same = || prose(20, 1).concat();
    let all = |paths: &[&'static str]| -> Vec<(&str, String)> {
        paths.iter().map(|p| (*p, same())).collect()
    };
    same_as_git(&all(&["a/1", "b/2", "c/9"]), &all(&["y/8", "z/9"]));
    same_as_git(&all(&["a/9", "b/1"]), &all(&["y/8", "z/9"]));
    same_as_git(&all(&["a/1"]), &all(&["x/1", "y/1", "z/2"]));
    let empty = |paths: &[&'static str]| -> Vec<(&str, String)> {
        paths.iter().map(|p| (*p, String::new())).collect()
    };
    same_as_git(&empty(&["a/1", "a/2"]), &empty(&["z/2", "z/3"]));
}

#[test]
fn of_many_equal_files_a_hundred_are_looked_at() {
    let many = |folder: &str, numbers: &[usize]| -> Vec<(String, String)> {
        let path = |n| format!("{folder}/f{n:03}");
        numbers
            .iter()
            .map(|n| (path(n), "same\n".to_owned()))
            .collect()
    };
    let old = many("a", &(0..130).collect::<Vec<_>>());
    for numbers in [&[99][..], &[100], &[3, 4, 101], &[120, 121, 122]] {
        let new = many("b", numbers);
        let named = |files: &'_ [(String, String)]| -> Vec<(&'static str, String)> {
            let leak = |path: &String| -> &'static str { path.clone().leak() };
            files.iter().map(|(p, c)| (leak(p), c.clone())).collect()
        };
        same_as_git(&named(&old), &named(&new));
    }
}

#[test]
fn a_file_name_found_once_on_each_side_goes_before_the_best_score() {
    for keep in [80, 75, 74] {
        same_as_git(
            &[("a/x.txt", alike(keep, 1, 3)), ("a/y.txt", alike(95, 1, 4))],
            &[("b/x.txt", alike(100, 1, 1))],
        );
    }
    same_as_git(
        &[
            ("a/x.txt", alike(60, 1, 3)),
            ("c/x.txt", alike(60, 1, 4)),
            ("a/y.txt", alike(95, 1, 5)),
        ],
        &[("b/x.txt", alike(100, 1, 1)), ("b/y.txt", alike(55, 1, 6))],
    );
}

#[test]
fn an_added_file_remembers_four_candidates() {
    let old: Vec<(&str, String)> = ["a/0", "a/1", "a/2", "a/3", "a/4", "a/5"]
        .into_iter()
        .zip(10..)
        .map(|(path, other)| (path, alike(90 - other as usize, 1, other)))
        .collect();
    let extra = |n: u64| alike(100, 1, 1) + &prose(1, 50 + n)[0];
    let new: Vec<(&str, String)> = ["b/q", "b/r", "b/s", "b/t", "b/u", "b/v"]
        .into_iter()
        .zip(0..)
        .map(|(path, n)| (path, extra(n)))
        .collect();
    same_as_git(&old, &new);
    // Among equals the place counts in which a candidate is remembered.
    let ties = |low: &[(&'static str, usize)]| -> Vec<(&str, String)> {
        let equal = ["a/1", "a/2", "a/3", "a/4", "a/5"].map(|path| (path, 70));
        let all = low.iter().chain(&equal).zip(100..);
        all.map(|((path, keep), other)| (*path, alike(*keep, 1, other)))
            .collect()
    };
    let target = [("b/q", alike(100, 1, 1))];
    same_as_git(&ties(&[]), &target);
    same_as_git(&ties(&[("a/0", 30)]), &target);
    same_as_git(&ties(&[("a/0", 30), ("a/00", 40)]), &target);
    same_as_git(&ties(&[("a/0", 60), ("a/00", 55)]), &target);
}

#[test]
fn line_ends_and_binary_content_count_in_similarity_as_in_git() {
    let feeds = prose(60, 1).concat();
    let returns = feeds.replace('\n', "\r\n");
    same_as_git(&[("a", feeds.clone())], &[("b", returns.clone())]);
    same_as_git(
        &[("a", format!("\0\n{feeds}"))],
        &[("b", format!("\0\n{returns}"))],
    );
    let long: String = prose(60, 2).concat().replace('\n', "");
    same_as_git(&[("a", long.clone())], &[("b", format!("x{long}"))]);
    same_as_git(&[("a", long.clone())], &[("b", format!("{long}x"))]);
    same_as_git(
        &[("a", long.clone())],
        &[("b", format!("{}\r\n{}", &long[..63], &long[63..]))],
    );
}

#[test]
fn a_change_of_case_alone_is_a_rename() {
    let (_, change) = same_as_git(
        &[("Foo.java", alike(100, 1, 1))],
        &[("foo.java", alike(100, 1, 1))],
    );
    assert_eq!(words(&change), ["R Foo.java foo.java"]);
}

#[test]
fn a_folder_in_a_files_place_is_two_paths() {
    same_as_git(
        &[
            ("a", "file\n".into()),
            ("a.c", "1\n".into()),
            ("b/x", "x\n".into()),
        ],
        &[
            ("a/in", "other\n".into()),
            ("a.c", "2\n".into()),
            ("b", "y\n".into()),
        ],
    );
}

#[test]
fn modes_types_and_submodules_are_listed_and_marked() {
    let repo = Repo::new();
    for path in ["script", "link", "becomes-link", "plain"] {
        repo.write(path, prose(5, path.len() as u64).concat());
    }
    repo.commit("files");
    repo.git(&["update-index", "--chmod=+x", "script"]);
    let target = repo.git(&["hash-object", "-w", "plain"]);
    let commit = repo.git(&["rev-parse", "HEAD"]);
    let entries = [
        format!("120000,{target},becomes-link"),
        format!("160000,{commit},module"),
        format!("120000,{target},new-link"),
    ];
    for entry in &entries {
        repo.git(&["update-index", "--add", "--cacheinfo", entry]);
    }
    repo.git(&["commit", "-q", "-m", "modes"]);
    let change = change_of_head(&repo);
    assert_eq!(words(&change), git_words(&repo));
    let at = |path: &[u8]| {
        change
            .files
            .iter()
            .find(|f| *f.path == *path)
            .expect("listed")
    };
    let script = at(b"script");
    assert_eq!(script.status, ChangeStatus::Modified);
    assert_eq!(script.old, script.new);
    assert_eq!(
        at(b"becomes-link").new.expect("there").mode,
        EntryMode::Symlink
    );
    assert_eq!(at(b"module").new.expect("there").mode, EntryMode::Gitlink);

    // Moved links and submodules are renames; a link is never a rename of a file.
    repo.git(&[
        "update-index",
        "--force-remove",
        "module",
        "new-link",
        "plain",
    ]);
    for entry in [
        format!("160000,{commit},moved-module"),
        format!("120000,{target},moved-plain"),
    ] {
        repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    repo.git(&["commit", "-q", "-m", "moves"]);
    let change = change_of_head(&repo);
    assert_eq!(words(&change), git_words(&repo));
    assert_eq!(
        words(&change),
        ["D plain", "R module moved-module", "R new-link moved-plain"]
    );
}

#[test]
fn a_zero_padded_mode_is_no_change() {
    let repo = Repo::new();
    repo.write("folder/file", "x\n");
    repo.commit("one");
    let folder = repo.git(&["rev-parse", "HEAD:folder"]);
    let raw: Vec<u8> = (0..folder.len() / 2)
        .map(|i| u8::from_str_radix(&folder[2 * i..2 * i + 2], 16).expect("hex"))
        .collect();
    let file = repo.around().join("tree");
    std::fs::write(&file, [&b"040000 folder\0"[..], &raw].concat()).expect("written");
    let file = file.to_str().expect("UTF-8");
    let padded = repo.git(&["hash-object", "-t", "tree", "--literally", "-w", file]);
    let plain = repo.git(&["rev-parse", "HEAD^{tree}"]);
    assert_ne!(padded, plain);
    let change = change_between(repo.path(), Some(oid(&plain)), Some(oid(&padded)));
    assert_eq!(change.expect("a change"), TreeChange::default());
}

#[test]
fn every_added_file_has_the_origin_that_blame_follows() {
    let old = [
        ("a/one.txt", alike(100, 1, 1)),
        ("a/two.txt", alike(100, 2, 2)),
        ("a/three.txt", alike(80, 3, 30)),
        ("a/other.txt", alike(95, 3, 31)),
    ];
    let new = [
        // One deleted file, two added ones, and a copy of it.
        ("b/first.txt", alike(90, 1, 40)),
        ("b/second.txt", alike(60, 1, 41)),
        ("b/equal.txt", alike(100, 1, 1)),
        // The name goes before the score.
        ("b/three.txt", alike(100, 3, 3)),
        ("b/late.txt", alike(95, 3, 42)),
        ("b/stranger.txt", alike(100, 50, 50)),
    ];
    let (repo, change) = same_as_git(&old, &new);
    let origins = origins(&change);
    for (path, _) in &new {
        let ours = origins.get(*path);
        assert_eq!(ours, blamed_source(&repo, path).as_ref(), "{path}");
    }
    assert_eq!(
        origins.get("b/second.txt").map(String::as_str),
        Some("a/one.txt")
    );
    assert_eq!(origins.get("b/stranger.txt"), None);
}

#[test]
fn a_blob_that_is_not_here_keeps_only_its_file_from_the_search() {
    let old = [("a/1", alike(100, 1, 1)), ("a/2", alike(100, 2, 2))];
    let new = [("b/1", alike(90, 1, 3)), ("b/2", alike(90, 2, 4))];
    let (repo, _) = same_as_git(&old, &new);
    let gone = repo.git(&["rev-parse", "HEAD~1:a/1"]);
    let object = format!(".git/objects/{}/{}", &gone[..2], &gone[2..]);
    repo.remove(&object);
    let change = change_of_head(&repo);
    assert_eq!(words(&change), ["A b/1", "D a/1", "R a/2 b/2"]);
    assert_eq!(change.not_compared, [Box::from(&b"a/1"[..])]);
}

#[test]
fn a_tree_that_is_not_here_is_an_error_that_names_it() {
    let repo = Repo::new();
    repo.commit("nothing");
    let id = "1".repeat(40);
    let error = change_between(repo.path(), None, Some(oid(&id))).expect_err("no such tree");
    assert_eq!(error.kind(), git_evolve::Kind::Git);
    assert!(error.to_string().contains(&id), "{error}");
}

#[test]
fn sha256_repositories_are_compared_alike() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.write("a/old.txt", alike(90, 1, 2));
    repo.commit("one");
    repo.remove("a/old.txt");
    repo.write("b/new.txt", alike(100, 1, 1));
    repo.commit("two");
    assert_eq!(words(&change_of_head(&repo)), git_words(&repo));
}
