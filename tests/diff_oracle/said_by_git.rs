//! Git's answers, read from its plumbing with every setting named.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use git_evolve::repo::{Hunk, LineDiffer, is_binary, line_count};

/// One modified file of a history as git shows it.
struct Edit {
    commit: String,
    old: String,
    new: String,
    binary: bool,
    hunks: Vec<Hunk>,
}

/// Git in `folder`, without what a user's or the repository's settings do to a diff.
pub(super) fn plain_git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .args([
            "-c",
            "diff.algorithm=myers",
            "-c",
            "diff.indentHeuristic=true",
        ])
        .args(["-c", "diff.interHunkContext=0", "-c", "core.quotePath=true"]);
    git
}

pub(super) fn output(mut git: Command, args: &[&str]) -> String {
    let out = git.args(args).output().expect("git runs");
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Splits the answer of `--name-status -z` into lines such as `R old new`, sorted.
pub(super) fn name_status(raw: &str) -> Vec<String> {
    let mut fields = raw.split_terminator('\0');
    let mut words = Vec::new();
    while let Some(status) = fields.next() {
        let letter = &status[..1];
        let paths = fields.by_ref().take(if letter == "R" { 2 } else { 1 });
        let line = [letter].into_iter().chain(paths).collect::<Vec<_>>();
        words.push(line.join(" "));
    }
    words.sort();
    words
}

/// `--attr-source` of nothing, so that no attribute hides a diff.
pub(super) fn no_attributes(folder: &Path) -> String {
    let tree = output(
        plain_git(folder),
        &["hash-object", "-t", "tree", "/dev/null"],
    );
    format!("--attr-source={}", tree.trim())
}

/// Calls `each` with every modified file of the first-parent line of HEAD.
fn edits(folder: &Path, mut each: impl FnMut(Edit)) {
    let mut git = plain_git(folder);
    git.arg(no_attributes(folder)).args([
        "log",
        "--first-parent",
        "--root",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "-m",
        "-p",
        "-U0",
        "--full-index",
        "--diff-filter=M",
        "--format=commit %H",
    ]);
    let mut child = git.stdout(Stdio::piped()).spawn().expect("git runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let (mut commit, mut edit) = (String::new(), None::<Edit>);
    let mut line = Vec::new();
    let number = |text: &str| text.parse::<u32>().expect("a number");
    while lines.read_until(b'\n', &mut line).expect("readable") > 0 {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if let Some(id) = text.strip_prefix("commit ") {
            commit = id.to_owned();
        } else if text.starts_with("diff --git ") {
            edit.take().into_iter().for_each(&mut each);
        } else if let Some(ids) = text.strip_prefix("index ") {
            let ids = ids.split(' ').next().unwrap_or_default();
            let (old, new) = ids.split_once("..").expect("two ids");
            edit = Some(Edit {
                commit: commit.clone(),
                old: old.to_owned(),
                new: new.to_owned(),
                binary: false,
                hunks: Vec::new(),
            });
        } else if text.starts_with("Binary files ") {
            edit.as_mut().expect("an edit").binary = true;
        } else if let Some(range) = text.strip_prefix("@@ -") {
            let range = range.split(" @@").next().unwrap_or_default();
            let (old, new) = range.split_once(" +").expect("two ranges");
            let part = |range: &str| {
                let (start, len) = range.split_once(',').unwrap_or((range, "1"));
                let (start, len) = (number(start), number(len));
                // Git names the line before an empty range.
                (if len == 0 { start } else { start - 1 }, len)
            };
            let ((old_start, old_len), (new_start, new_len)) = (part(old), part(new));
            edit.as_mut().expect("an edit").hunks.push(Hunk {
                old_start,
                old_len,
                new_start,
                new_len,
            });
            // The lines themselves may look like anything; a missing line feed has a line more.
            for _ in 0..old_len + new_len {
                lines.read_until(b'\n', &mut line).expect("readable");
                line.clear();
            }
        }
    }
    edit.into_iter().for_each(&mut each);
    assert!(child.wait().expect("git ends").success());
}

/// Blobs of a repository, through one `git cat-file`.
struct Blobs {
    child: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Blobs {
    fn of(folder: &Path) -> Self {
        let mut git = plain_git(folder);
        git.args(["cat-file", "--batch"]);
        let git = git.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = git.spawn().expect("git runs");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Blobs { child, answers }
    }

    /// `None` for what is not here or no blob (a submodule).
    fn read(&mut self, id: &str) -> Option<Vec<u8>> {
        let questions = self.child.stdin.as_mut().expect("a pipe");
        writeln!(questions, "{id}").expect("written");
        let mut head = String::new();
        self.answers.read_line(&mut head).expect("an answer");
        let mut words = head.split_whitespace().skip(1);
        if words.next() != Some("blob") {
            return None;
        }
        let size = words.next().and_then(|n| n.parse().ok()).expect("a size");
        let mut content = vec![0; size];
        self.answers.read_exact(&mut content).expect("the blob");
        self.answers.read_exact(&mut [0]).expect("a line feed");
        Some(content)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

#[derive(Default)]
pub(super) struct Tally {
    pub(super) edits: usize,
    pub(super) equal: usize,
    pub(super) binary: usize,
    pub(super) absent: usize,
    pub(super) git_lines: (u64, u64),
    pub(super) our_lines: (u64, u64),
    pub(super) differing: Vec<String>,
}

fn add_lines(total: &mut (u64, u64), hunks: &[Hunk]) {
    for hunk in hunks {
        total.0 += u64::from(hunk.new_len);
        total.1 += u64::from(hunk.old_len);
    }
}

/// Compares the hunks of every modified file with git's.
pub(super) fn compare_hunks(folder: &Path) -> Tally {
    let (mut blobs, mut differ) = (Blobs::of(folder), LineDiffer::new());
    let mut tally = Tally::default();
    edits(folder, |edit| {
        let (Some(old), Some(new)) = (blobs.read(&edit.old), blobs.read(&edit.new)) else {
            tally.absent += 1;
            return;
        };
        assert_eq!(
            edit.binary,
            is_binary(&old) || is_binary(&new),
            "{}",
            edit.new
        );
        if edit.binary {
            tally.binary += 1;
            return;
        }
        let hunks = differ.hunks(&old, &new);
        assert_applies(&old, &new, &hunks);
        add_lines(&mut tally.git_lines, &edit.hunks);
        add_lines(&mut tally.our_lines, &hunks);
        tally.edits += 1;
        if hunks == edit.hunks {
            tally.equal += 1;
        } else {
            let id = format!("{} {} {}", edit.commit, edit.old, edit.new);
            tally.differing.push(id);
        }
    });
    tally
}

/// Both contents' lines outside the hunks are the same ones.
#[track_caller]
fn assert_applies(old: &[u8], new: &[u8], hunks: &[Hunk]) {
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |b| *b == b'\n').collect() };
    let (old_lines, new_lines) = (lines(old), lines(new));
    assert_eq!(line_count(old) as usize, old_lines.len());
    let (mut at, mut made) = (0, Vec::new());
    for hunk in hunks {
        let [start, len, new_start, new_len] =
            [hunk.old_start, hunk.old_len, hunk.new_start, hunk.new_len].map(|n| n as usize);
        assert!(len + new_len > 0, "an empty hunk");
        made.extend_from_slice(&old_lines[at..start]);
        assert_eq!(made.len(), new_start, "the hunk stands elsewhere");
        made.extend_from_slice(&new_lines[new_start..new_start + new_len]);
        at = start + len;
    }
    made.extend_from_slice(&old_lines[at..]);
    assert!(made == new_lines, "the hunks do not lead from old to new");
}
