//! Recorded patches: unified diffs, as `diff -u` and `git diff` write them, read and applied.
//!
//! A hunk applies where its lines stand exactly: at the line it names, else at the nearest place
//! that has them. Nothing is matched by halves. Of git's extended headers those of new, deleted
//! and renamed files and of modes are known; binary patches and links are refused.

use super::files::{Tree, is_inside};
use crate::error::{Error, Result};

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FilePatch {
    /// Its path before; `None`: it is new.
    old: Option<String>,
    /// Its path after; `None`: it goes.
    new: Option<String>,
    /// Whether it can be run, where that is said.
    executable: Option<bool>,
    hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Hunk {
    /// Line number before, from 1; 0 in an empty file.
    start: usize,
    /// Lines before and after, each with its line feed, where it has one.
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
}

impl FilePatch {
    /// The path by which the file is spoken of.
    pub(super) fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or("")
    }

    /// Does it to `tree`.
    ///
    /// # Errors
    /// Usage where it does not fit: a file is missing or in the way, a hunk's lines are nowhere.
    pub(super) fn apply(&self, tree: &mut dyn Tree) -> Result<()> {
        let before = match &self.old {
            Some(path) => tree
                .read(path)?
                .ok_or_else(|| Error::usage(format!("applying a patch: {path} is not there")))?,
            None => Vec::new(),
        };
        let after = self.changed(&before)?;
        if let Some(new) = &self.new
            && self.old.as_ref() != Some(new)
            && tree.read(new)?.is_some()
        {
            return Err(Error::usage(format!(
                "applying a patch: {new} is there already"
            )));
        }
        match (&self.old, &self.new) {
            (old, Some(new)) => {
                tree.write(new, &after, self.executable)?;
                match old.as_ref().filter(|old| *old != new) {
                    Some(old) => tree.remove(old),
                    None => Ok(()),
                }
            }
            (Some(_), None) if !after.is_empty() => Err(Error::usage(format!(
                "applying a patch: {} is deleted and has other lines than these",
                self.path()
            ))),
            (Some(old), None) => tree.remove(old),
            (None, None) => Ok(()),
        }
    }

    fn changed(&self, content: &[u8]) -> Result<Vec<u8>> {
        let lines: Vec<&[u8]> = content.split_inclusive(|b| *b == b'\n').collect();
        let mut out: Vec<u8> = Vec::with_capacity(content.len());
        // The next line not yet taken over, and how far hunks stood from where they said.
        let (mut at, mut moved) = (0_usize, 0_isize);
        for hunk in &self.hunks {
            let said = hunk
                .start
                .saturating_sub(usize::from(!hunk.before.is_empty()));
            let wanted = said.saturating_add_signed(moved);
            let place = nearest(&lines, &hunk.before, wanted, at).ok_or_else(|| {
                let first = hunk.before.first().map(Vec::as_slice).unwrap_or_default();
                Error::usage(format!(
                    "applying a patch: {}: the lines of the hunk at line {} are not there: {}",
                    self.path(),
                    hunk.start,
                    String::from_utf8_lossy(first).trim()
                ))
            })?;
            moved = isize::try_from(place).unwrap_or(0) - isize::try_from(said).unwrap_or(0);
            lines[at..place].iter().for_each(|l| out.extend(*l));
            hunk.after.iter().for_each(|l| out.extend(l));
            at = place + hunk.before.len();
        }
        lines[at..].iter().for_each(|l| out.extend(*l));
        Ok(out)
    }
}

/// The place at or after `from` nearest to `wanted` where `lines` has `these`; of two as near the
/// earlier.
fn nearest(lines: &[&[u8]], these: &[Vec<u8>], wanted: usize, from: usize) -> Option<usize> {
    let last = lines.len().checked_sub(these.len())?;
    let fits = |at: usize| {
        let there = &lines[at..at + these.len()];
        there.iter().zip(these).all(|(a, b)| *a == b.as_slice())
    };
    if these.is_empty() {
        return (from..=last).contains(&wanted).then_some(wanted);
    }
    (from..=last)
        .filter(|at| fits(*at))
        .min_by_key(|at| at.abs_diff(wanted))
}

/// Reads a patch.
///
/// # Errors
/// Usage, with the line, where it is out of form, binary, of a link or of a path outside the tree.
pub(super) fn parse(text: &[u8]) -> Result<Vec<FilePatch>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let wrong = |why: &str| Error::usage(format!("reading a patch: line {}: {why}", at + 1));
        let line = trimmed(lines[at]);
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = git_names(names).unwrap_or_default();
            files.push(FilePatch {
                old: Some(old),
                new: Some(new),
                ..FilePatch::default()
            });
        } else if line.starts_with("@@ ") {
            let file = files
                .last_mut()
                .ok_or_else(|| wrong("a hunk before any file is named"))?;
            let (hunk, next) = hunk(&lines, at)?;
            file.hunks.push(hunk);
            at = next;
            continue;
        } else if line.starts_with("--- ")
            && lines.get(at + 1).is_some_and(|l| l.starts_with(b"+++ "))
        {
            let (old, new) = (named(&line[4..]), named(&trimmed(lines[at + 1])[4..]));
            match files
                .last_mut()
                .filter(|f| f.hunks.is_empty() && !f.path().is_empty())
            {
                // Both say it; what git's own headers say of renames stands.
                Some(file) => {
                    file.old = old.and(file.old.take());
                    file.new = new.and(file.new.take());
                }
                None => {
                    let plain = FilePatch {
                        old,
                        new,
                        ..FilePatch::default()
                    };
                    match files.last_mut().filter(|f| f.path().is_empty()) {
                        Some(unnamed) => {
                            *unnamed = FilePatch {
                                executable: unnamed.executable,
                                ..plain
                            }
                        }
                        None => files.push(plain),
                    }
                }
            }
            at += 2;
            continue;
        } else if let Some(file) = files.last_mut().filter(|f| f.hunks.is_empty()) {
            extended(file, &line).map_err(wrong)?;
        }
        at += 1;
    }
    for file in &files {
        for path in file.old.iter().chain(&file.new) {
            if !is_inside(path) {
                return Err(Error::usage(format!(
                    "reading a patch: the path {path:?} leaves the tree"
                )));
            }
        }
    }
    Ok(files)
}

/// Takes one of git's extended headers.
fn extended(file: &mut FilePatch, line: &str) -> Result<(), &'static str> {
    let mut mode = |mode: &str| match mode.trim() {
        "100755" => {
            file.executable = Some(true);
            Ok(())
        }
        "100644" => {
            file.executable = Some(false);
            Ok(())
        }
        "120000" => Err("a symbolic link is not applied"),
        "160000" => Err("a submodule is not applied"),
        _ => Err("no such mode"),
    };
    if let Some(m) = line.strip_prefix("new file mode ") {
        mode(m)?;
        file.old = None;
    } else if let Some(m) = line.strip_prefix("deleted file mode ") {
        mode(m)?;
        (file.new, file.executable) = (None, None);
    } else if let Some(m) = line.strip_prefix("new mode ") {
        mode(m)?;
    } else if let Some(path) = line.strip_prefix("rename from ") {
        file.old = Some(unquoted(path));
    } else if let Some(path) = line.strip_prefix("rename to ") {
        file.new = Some(unquoted(path));
    } else if line.starts_with("copy from ") {
        return Err("a copy is not applied: write the file out");
    } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
        return Err("a binary patch is not applied");
    }
    Ok(())
}

/// One hunk whose header stands at `at`; gives the line behind it.
fn hunk(lines: &[&[u8]], at: usize) -> Result<(Hunk, usize)> {
    let wrong =
        |line: usize, why: &str| Error::usage(format!("reading a patch: line {}: {why}", line + 1));
    let head = trimmed(lines[at]);
    let ranges = ranges(&head).ok_or_else(|| wrong(at, "a hunk's header out of form"))?;
    let ((start, mut old), (_, mut new)) = ranges;
    let mut hunk = Hunk {
        start,
        ..Hunk::default()
    };
    let mut next = at + 1;
    while old > 0 || new > 0 {
        let line = lines
            .get(next)
            .ok_or_else(|| wrong(next, "the patch ends inside a hunk"))?;
        let short = || wrong(next, "more lines than the hunk's header says");
        let (sign, text) = match line.split_first() {
            // Mailers cut the blank of an empty line.
            Some((b'\n', _)) => (b' ', *line),
            Some((sign, text)) => (*sign, text),
            None => (b' ', &b"\n"[..]),
        };
        if matches!(sign, b' ' | b'-') {
            old = old.checked_sub(1).ok_or_else(short)?;
            hunk.before.push(text.to_vec());
        }
        if matches!(sign, b' ' | b'+') {
            new = new.checked_sub(1).ok_or_else(short)?;
            hunk.after.push(text.to_vec());
        }
        match sign {
            b' ' | b'-' | b'+' => {}
            b'\\' => cut(&mut hunk, lines[next - 1].first()),
            _ => return Err(wrong(next, "fewer lines than the hunk's header says")),
        }
        next += 1;
    }
    if lines.get(next).is_some_and(|l| l.starts_with(b"\\")) {
        cut(&mut hunk, lines[next - 1].first());
        next += 1;
    }
    Ok((hunk, next))
}

/// The line before `\ No newline at end of file` has none.
fn cut(hunk: &mut Hunk, sign: Option<&u8>) {
    let of_before = sign
        .is_none_or(|s| *s != b'+')
        .then(|| hunk.before.last_mut());
    let of_after = sign
        .is_none_or(|s| *s != b'-')
        .then(|| hunk.after.last_mut());
    for line in [of_before, of_after].into_iter().flatten().flatten() {
        if line.last() == Some(&b'\n') {
            line.pop();
        }
    }
}

type Range = (usize, usize);

/// `@@ -3,4 +3,5 @@ …`: where and how many, before and after.
fn ranges(head: &str) -> Option<(Range, Range)> {
    let mut words = head.strip_prefix("@@ ")?.split(' ');
    let mut range = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (old, new) = (range('-')?, range('+')?);
    (words.next()? == "@@").then_some((old, new))
}

/// The path of a `---` or `+++` line; `None` for `/dev/null`.
fn named(text: &str) -> Option<String> {
    let text = text.split('\t').next().unwrap_or(text);
    match unquoted(text).as_str() {
        "/dev/null" => None,
        path => Some(stripped(path)),
    }
}

/// `a/x b/x`, where both name the same file; else what other headers say.
fn git_names(text: &str) -> Option<(String, String)> {
    if text.starts_with('"') {
        let end = text.find("\" \"")?;
        let (old, new) = (&text[..=end], &text[end + 2..]);
        return Some((stripped(&unquoted(old)), stripped(&unquoted(new))));
    }
    // Paths may hold blanks: the two halves are alike but for their prefix.
    let halves = text
        .match_indices(' ')
        .map(|(at, _)| (&text[..at], &text[at + 1..]));
    let same = halves
        .map(|(a, b)| (stripped(a), stripped(b)))
        .find(|(a, b)| a == b);
    same.or_else(|| {
        let (a, b) = text.split_once(' ')?;
        Some((stripped(a), stripped(b)))
    })
}

fn stripped(path: &str) -> String {
    let plain = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    plain.unwrap_or(path).to_owned()
}

/// A path as git quotes it: `"tab\there \303\244"`.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut out = Vec::new();
    let mut bytes = inner.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b't') => out.push(b'\t'),
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(first @ b'0'..=b'3') => {
                let mut code = u32::from(first - b'0');
                for _ in 0..2 {
                    let digit = bytes.next_if(|b| matches!(b, b'0'..=b'7'));
                    code = code * 8 + u32::from(digit.unwrap_or(b'0') - b'0');
                }
                out.push(u8::try_from(code).unwrap_or(b'?'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn trimmed(line: &[u8]) -> std::borrow::Cow<'_, str> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests;
