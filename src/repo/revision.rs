//! Revisions, ranges and dates, as people type them to git.

use std::collections::HashSet;

use gix::objs::Kind as ObjectKind;

use super::{Oid, Reader};
use crate::error::{Error, Result};

/// Which commits are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionSpec {
    /// One commit and all before it.
    Tip(Oid),
    /// What is reachable from `to` and not from `from`.
    Range {
        /// Where the range begins; this commit and all before it are left out.
        from: Option<Oid>,
        /// The newest commit.
        to: Oid,
    },
}

impl RevisionSpec {
    /// The newest commit.
    pub fn tip(&self) -> Oid {
        match *self {
            RevisionSpec::Tip(tip) => tip,
            RevisionSpec::Range { to, .. } => to,
        }
    }
}

/// Reads `A..B`, `A..`, `..B` (an empty side is HEAD) or `B`, as `git log` does.
///
/// # Errors
/// An unknown revision ([`Kind::Git`](crate::Kind::Git)); `A...B`, which names two lines
/// ([`Kind::Usage`](crate::Kind::Usage)).
pub fn parse_range(reader: &Reader, text: &str) -> Result<RevisionSpec> {
    parse_words(reader, &[text])
}

/// Reads a range from words: one of what [`parse_range`] reads, or `B` and `^A` in either order.
///
/// # Errors
/// As [`parse_range`]; more than one newest or oldest commit is wrong usage.
pub fn parse_words(reader: &Reader, words: &[&str]) -> Result<RevisionSpec> {
    let or_head = |text: &str| reader.commit_at(if text.is_empty() { "HEAD" } else { text });
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for word in words {
        if let Some(without) = word.strip_prefix('^') {
            from.push(reader.commit_at(without)?);
        } else if let Some((a, b)) = split_range(word) {
            if let Some(b) = b.strip_prefix('.') {
                return Err(Error::usage(format!(
                    "'{word}' names the commits of two lines, and only one can be followed"
                ))
                .with_hint(format!("write '{a}..{b}'")));
            }
            from.push(or_head(a)?);
            to.push(or_head(b)?);
        } else {
            to.push(reader.commit_at(word)?);
        }
    }
    match (from.as_slice(), to.as_slice()) {
        ([], [to]) => Ok(RevisionSpec::Tip(*to)),
        ([from], [to]) => Ok(RevisionSpec::Range {
            from: Some(*from),
            to: *to,
        }),
        ([_], []) => {
            Err(Error::usage("a range needs its newest commit").with_hint("write '^A B' or 'A..B'"))
        }
        _ => Err(Error::usage("more than one range was given")
            .with_hint("one line of commits can be followed: 'A..B', 'B', or '^A B'")),
    }
}

/// The two sides of the first `..`, unless the text is `:/…` or `REV:PATH`, which may hold dots.
fn split_range(word: &str) -> Option<(&str, &str)> {
    let at = word.find("..")?;
    if word[..at].contains(':') {
        return None;
    }
    Some((&word[..at], &word[at + 2..]))
}

/// Reads a date: RFC 3339, a day (its first second in UTC), git's relative forms (`2 weeks ago`,
/// `yesterday`), `@SECONDS`, and the other forms git writes. `now` and the result are seconds
/// since the epoch; without a zone, times are in UTC.
///
/// # Errors
/// [`Kind::Usage`](crate::Kind::Usage) where the text is no date.
pub fn parse_date(text: &str, now: i64) -> Result<i64> {
    let wrong = || {
        Error::usage(format!("'{text}' is no date"))
            .with_hint("for example 2026-01-31, 2026-01-31T12:00:00Z, '2 weeks ago', yesterday")
    };
    let text = text.trim();
    if let Some(time) = without_zone(text) {
        return Ok(time);
    }
    let now = gix::date::Time::new(now, 0)
        .to_zoned()
        .map_err(|e| wrong().with_source(e))?;
    // RFC 3339 writes the zone of UTC as `Z`, which the parser knows as an offset only.
    let utc = match text.strip_suffix(['Z', 'z']) {
        Some(rest) if rest.contains(':') => format!("{}+00:00", drop_fraction(rest)),
        _ => drop_fraction(text),
    };
    gix::date::parse(&utc, Some(now))
        .map(|t| t.seconds)
        .map_err(|e| wrong().with_source(e))
}

/// `2026-01-31T12:00[:00]`, with a blank or `T`, taken as UTC.
fn without_zone(text: &str) -> Option<i64> {
    let (day, clock) = text.split_once(['T', 't', ' '])?;
    let digits = |s: &str, dash: char| {
        s.split(dash)
            .all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    };
    let colons = clock.matches(':').count();
    if !digits(day, '-') || !digits(clock, ':') || !(1..=2).contains(&colons) {
        return None;
    }
    let seconds = if colons == 1 { ":00" } else { "" };
    gix::date::parse(&format!("{day} {clock}{seconds} +0000"), None)
        .ok()
        .map(|t| t.seconds)
}

/// Without the fraction of a second: figures are in whole seconds.
fn drop_fraction(text: &str) -> String {
    let Some(dot) = text.find('.').filter(|i| text[..*i].contains(':')) else {
        return text.to_owned();
    };
    let rest = text[dot + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{}{rest}", &text[..dot])
}

impl Reader {
    /// The commit that `revision` names, tags peeled.
    ///
    /// # Errors
    /// [`Kind::Git`](crate::Kind::Git): unknown, ambiguous, or no commit.
    pub fn commit_at(&self, revision: &str) -> Result<Oid> {
        let id = self.object_at(revision, true)?;
        match self.commit_behind(id)? {
            Some(commit) => Ok(commit),
            None => Err(match self.kind(id)? {
                Some(kind) => Error::git(format!("'{revision}' is a {kind}, not a commit")),
                None => self.unknown(revision),
            }),
        }
    }

    /// The tree that `treeish` names (a commit's tree, `REV:FOLDER`, a tree id), and its commit
    /// where it names one.
    ///
    /// # Errors
    /// [`Kind::Git`](crate::Kind::Git): unknown, ambiguous, or neither commit nor tree.
    pub fn tree_at(&self, treeish: &str) -> Result<(Oid, Option<Oid>)> {
        let mut id = self.object_at(treeish, false)?;
        if let Some(commit) = self.commit_behind(id)? {
            return Ok((self.commit(commit)?.tree, Some(commit)));
        }
        while self.kind(id)? == Some(ObjectKind::Tag) {
            id = self
                .tagged(id)?
                .ok_or_else(|| Error::git(format!("tag {id} is malformed")))?;
        }
        match self.kind(id)? {
            Some(ObjectKind::Tree) => Ok((id, None)),
            Some(kind) => Err(Error::git(format!("'{treeish}' is a {kind}, not a tree"))),
            None if id == self.empty_tree() => Ok((id, None)),
            None => Err(self.unknown(treeish)),
        }
    }

    /// The object that `revision` names. A short id is completed among commits and tags where
    /// `committish`, else among trees too, as git does; `core.disambiguate` is not asked.
    fn object_at(&self, revision: &str, committish: bool) -> Result<Oid> {
        if revision.is_empty() || revision.starts_with('-') {
            return Err(self.unknown(revision));
        }
        if let Some(id) = Oid::from_hex(&revision.to_ascii_lowercase())
            && id.0.kind() == self.git.object_hash()
        {
            return Ok(id);
        }
        if self.shape.reftable {
            if let Some(id) = self.rev_parse_by_git(revision)? {
                return Ok(id);
            }
            if let Some(id) = self.short_id(revision, committish)? {
                return Ok(id);
            }
            return Err(self.unknown(revision));
        }
        // A ref may look like a short id; git then takes the ref.
        let is_ref = matches!(self.git.try_find_reference(revision), Ok(Some(_)));
        if !is_ref && let Some(id) = self.short_id(revision, committish)? {
            return Ok(id);
        }
        match self.git.rev_parse_single(revision) {
            Ok(id) => Ok(Oid(id.detach())),
            // Some forms (`:/text`, `@{yesterday}`) only git itself reads.
            // What the library says of them names its own insides, so it is left out.
            Err(_) => self
                .rev_parse_by_git(revision)?
                .ok_or_else(|| self.unknown(revision)),
        }
    }

    /// The one object whose id begins with `text`; `None` where the text is no short id or there
    /// is no such object.
    fn short_id(&self, text: &str, committish: bool) -> Result<Option<Oid>> {
        let length = self.git.object_hash().len_in_hex();
        if !(4..length).contains(&text.len()) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let Ok(prefix) = gix::hash::Prefix::from_hex(text) else {
            return Ok(None);
        };
        let mut candidates = HashSet::new();
        self.git
            .objects
            .lookup_prefix(prefix, Some(&mut candidates))
            .map_err(|e| Error::git(format!("looking up '{text}'")).with_source(e))?;
        let mut fitting = Vec::new();
        for id in candidates.into_iter().map(Oid) {
            let fits = match self.kind(id)? {
                Some(ObjectKind::Commit | ObjectKind::Tag) => true,
                Some(ObjectKind::Tree) => !committish,
                _ => false,
            };
            if fits {
                fitting.push(id);
            }
        }
        fitting.sort();
        match fitting.as_slice() {
            [] => Ok(None),
            [id] => Ok(Some(*id)),
            many => {
                let shown: Vec<String> = many.iter().take(5).map(ToString::to_string).collect();
                Err(Error::git(format!("short id '{text}' is ambiguous"))
                    .with_hint(format!("it may be {}", shown.join(" or "))))
            }
        }
    }

    /// What `git rev-parse --verify` says; `None` where it knows no such object.
    pub(super) fn rev_parse_by_git(&self, revision: &str) -> Result<Option<Oid>> {
        let out = self.program().run(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            revision,
        ])?;
        if !out.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&out.stdout);
        Ok(text.lines().last().and_then(Oid::from_hex))
    }

    fn unknown(&self, revision: &str) -> Error {
        let hint = if self.git.is_shallow().unwrap_or(false) {
            "history is cut off here: `git fetch --unshallow` brings the rest"
        } else {
            "branches, tags, commit ids and git's forms such as HEAD~3 are known"
        };
        Error::git(format!("unknown revision '{revision}'")).with_hint(hint)
    }
}
