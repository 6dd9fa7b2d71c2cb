//! Values with a form of their own: durations, sizes, commands, texts, overlays, bases, paths.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::placeholders::{self, Where};
use super::problems::{Fields, Reading, What, number};
use super::source::{Node, Value};
use super::{Base, Command, Overlay, Text};
use crate::repo::path_globs;

/// Longer than anybody waits.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A duration: `"30m"`, `"1h 30m"`, a number of seconds. Above zero.
pub(super) fn duration(node: &Node) -> Option<Duration> {
    let read = match &node.value {
        Value::Text(text) => {
            let read: jiff::SignedDuration = text.trim().parse().ok()?;
            Duration::try_from(read).ok()?
        }
        _ => Duration::try_from_secs_f64(number(node)?).ok()?,
    };
    (!read.is_zero() && read <= LONGEST).then_some(read)
}

impl Fields<'_> {
    /// A duration.
    pub(super) fn time(&self, r: &mut Reading<'_>, key: &str) -> Option<Duration> {
        const WANTED: &str = "a time above 0 and up to 30 days: \"90s\", \"30m\", \"1h 30m\", or a number of seconds";
        self.read(r, key, WANTED, duration)
    }

    /// A number of bytes: a number, or with a unit.
    pub(super) fn bytes(&self, r: &mut Reading<'_>, key: &str) -> Option<u64> {
        const WANTED: &str = "a number of bytes above 0, or a string as \"64 MiB\"";
        self.read(r, key, WANTED, |node| {
            let bytes = match &node.value {
                Value::Integer(n) => u64::try_from(*n).ok()?,
                Value::Text(text) => sized(text)?,
                _ => return None,
            };
            (1..=1 << 40).contains(&bytes).then_some(bytes)
        })
    }

    /// A command: a line for `sh`, or words.
    pub(super) fn command(&self, r: &mut Reading<'_>, key: &str, place: Where) -> Option<Command> {
        let node = self.get(key)?;
        let wanted = "a line for sh, or a list of words: a program and its arguments";
        let command = match &node.value {
            Value::Text(line) if !line.trim().is_empty() => {
                placeholders::check_line(r, node.at, line, place);
                Command::Shell(line.clone())
            }
            Value::List(all) if !all.is_empty() => {
                let mut words = Vec::new();
                for node in all {
                    let Some(word) = node.as_text() else {
                        r.kind(node.at, key, self.title, wanted);
                        return None;
                    };
                    placeholders::check(r, node.at, word, place);
                    words.push(word.to_owned());
                }
                if words[0].is_empty() {
                    r.kind(node.at, key, self.title, wanted);
                    return None;
                }
                Command::Words(words)
            }
            _ => {
                r.kind(node.at, key, self.title, wanted);
                return None;
            }
        };
        Some(command)
    }

    /// Words for an agent: `key` names a file, `key_text` has them.
    pub(super) fn words(&self, r: &mut Reading<'_>, key: &str) -> Option<Text> {
        let here = format!("{key}_text");
        let file = self.path(r, key, What::Words).map(Text::File);
        let text = self.text(r, &here).map(Text::Here);
        if self.get(key).is_some()
            && let Some(node) = self.get(&here)
        {
            let title = self.title;
            r.wrong(node.at, format!("{title} has both {key} and {here}"));
        }
        file.or(text)
    }

    /// A path in the plan's folder.
    pub(super) fn path(&self, r: &mut Reading<'_>, key: &str, what: What) -> Option<PathBuf> {
        let text = self.text(r, key)?;
        inside(r, self.at(key), &text, what)
    }

    /// Files that are laid over a tree: `"from"`, `{ from = …, to = … }`, or a list of both.
    pub(super) fn overlays(&self, r: &mut Reading<'_>, key: &str) -> Vec<Overlay> {
        match self.get(key) {
            None => Vec::new(),
            Some(Node {
                value: Value::List(all),
                ..
            }) => all
                .iter()
                .filter_map(|n| overlay(r, n, key, self.title))
                .collect(),
            Some(node) => overlay(r, node, key, self.title).into_iter().collect(),
        }
    }

    /// Globs over the paths of a tree.
    pub(super) fn globs(&self, r: &mut Reading<'_>, key: &str) -> Option<Vec<String>> {
        let node = self.get(key)?;
        let Some(globs) = node.as_texts() else {
            r.kind(node.at, key, self.title, "a glob or a list of globs");
            return None;
        };
        if let Err(e) = path_globs(key, &globs) {
            r.wrong(node.at, e.to_string());
        }
        Some(globs)
    }

    /// Regular expressions.
    pub(super) fn patterns(&self, r: &mut Reading<'_>, key: &str) -> Option<Vec<String>> {
        let patterns = self.texts(r, key)?;
        for pattern in &patterns {
            check_pattern(r, self.at(key), pattern);
        }
        Some(patterns)
    }

    /// One regular expression.
    pub(super) fn pattern(&self, r: &mut Reading<'_>, key: &str) -> Option<String> {
        let pattern = self.text(r, key)?;
        check_pattern(r, self.at(key), &pattern);
        Some(pattern)
    }

    /// A base.
    pub(super) fn base(&self, r: &mut Reading<'_>, key: &str) -> Option<Base> {
        let text = self.text(r, key)?;
        base(r, self.at(key), &text)
    }
}

fn sized(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

fn check_pattern(r: &mut Reading<'_>, at: usize, pattern: &str) {
    if let Err(e) = regex::Regex::new(pattern) {
        r.wrong(at, no_pattern(pattern, &e));
    }
}

/// What is said of a text that is no regular expression.
pub fn no_pattern(pattern: &str, error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().last().unwrap_or("").trim();
    let last = last.strip_prefix("error: ").unwrap_or(last);
    format!("no regular expression: '{pattern}': {last}")
}

/// A path that does not leave the plan's folder, in its shortest form.
fn inside(r: &mut Reading<'_>, at: usize, text: &str, what: What) -> Option<PathBuf> {
    let mut parts = PathBuf::new();
    let leaves = |r: &mut Reading<'_>| {
        r.wrong(at, format!("'{text}' leaves the plan's folder"));
        None
    };
    if text.contains('\0') {
        r.wrong(at, "a path has no NUL in it");
        return None;
    }
    for part in Path::new(text).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name),
            Component::ParentDir => {
                if !parts.pop() {
                    return leaves(r);
                }
            }
            Component::RootDir | Component::Prefix(_) => return leaves(r),
        }
    }
    r.named(at, &parts, what);
    Some(parts)
}

/// A path in a tree, without slashes at its ends; empty: the top.
fn in_tree(r: &mut Reading<'_>, at: usize, text: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                r.wrong(at, format!("'{text}' leaves the tree"));
                return None;
            }
            part if part.eq_ignore_ascii_case(".git") || part.contains(['\0', '\n']) => {
                r.wrong(at, format!("'{text}' is no path that a tree can have"));
                return None;
            }
            part => parts.push(part),
        }
    }
    if text.starts_with('/') {
        r.wrong(at, format!("'{text}' leaves the tree"));
        return None;
    }
    Some(parts.join("/"))
}

/// One overlay. A file that is to stand in a folder (`to` empty, or with a slash at its end)
/// stands there under its own name; only the disk says what is a file, so that is done where
/// files are looked at.
pub(super) fn overlay(
    r: &mut Reading<'_>,
    node: &Node,
    key: &str,
    title: &'static str,
) -> Option<Overlay> {
    match &node.value {
        Value::Text(from) if !from.is_empty() => Some(Overlay {
            from: inside(r, node.at, from, What::Either)?,
            to: String::new(),
        }),
        Value::Table(table) => {
            let fields = r.open(table, "an overlay", &["from", "to"]);
            let Some(from) = fields.text(r, "from") else {
                if fields.get("from").is_none() {
                    r.wrong(node.at, format!("{key} in {title} has no `from`"));
                }
                return None;
            };
            let from = inside(r, fields.at("from"), &from, What::Either)?;
            let to = match fields.get("to") {
                None => String::new(),
                Some(node) => {
                    let Some(text) = node.as_text() else {
                        r.kind(node.at, "to", title, "a path in the tree");
                        return None;
                    };
                    let mut to = in_tree(r, node.at, text)?;
                    if text.ends_with('/') && !to.is_empty() {
                        to.push('/');
                    }
                    to
                }
            };
            Some(Overlay { from, to })
        }
        _ => {
            let wanted = "a path, { from = \"…\", to = \"…\" }, or a list of these";
            r.kind(node.at, key, title, wanted);
            None
        }
    }
}

/// Reads a base: `./folder`, `x.bundle[@REVISION]`, `URL@COMMIT`, else a revision.
fn base(r: &mut Reading<'_>, at: usize, text: &str) -> Option<Base> {
    let is_id = |id: &str| {
        matches!(id.len(), 40 | 64)
            && id
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    if let Some((address, id)) = text.rsplit_once('@')
        && is_id(id)
        && address.contains(['/', ':'])
        && !address.starts_with('-')
    {
        return Some(Base::Remote(address.to_owned(), id.to_owned()));
    }
    if text.contains("://") {
        let message = format!("base '{text}' does not name a commit by its full id");
        r.wrong_so(at, message, "write URL@COMMIT, so that it stays the same");
        return None;
    }
    let bundle = match text.split_once(".bundle@") {
        Some((stem, revision)) => Some((format!("{stem}.bundle"), Some(revision.to_owned()))),
        None if text.ends_with(".bundle") => Some((text.to_owned(), None)),
        None => None,
    };
    if let Some((path, revision)) = bundle {
        if revision
            .as_ref()
            .is_some_and(|r| r.is_empty() || r.starts_with('-'))
        {
            r.wrong(
                at,
                format!("base '{text}' names no revision behind its `@`"),
            );
            return None;
        }
        return Some(Base::Bundle(inside(r, at, &path, What::File)?, revision));
    }
    let folder = [".", "..", "/"].contains(&text)
        || ["./", "../", "/"].iter().any(|s| text.starts_with(s))
        || text.ends_with('/');
    if folder {
        return Some(Base::Folder(inside(r, at, text, What::Folder)?));
    }
    if text.starts_with('-') || text.contains("..") || text.chars().any(char::is_control) {
        r.wrong(at, format!("base '{text}' is no revision"));
        return None;
    }
    Some(Base::Revision(text.to_owned()))
}
