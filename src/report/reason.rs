//! Reasons that differ in nothing but their numbers are said once below a table.

use std::collections::{BTreeMap, BTreeSet};

/// A part of a reason: what stands between its numbers, or a whole number that is a word of its
/// own. Fractions, versions, dates and what begins with a nought are words: nothing can be left
/// out of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Words(&'a str),
    Number(u64),
}

/// What to say for each of `reasons`: itself, or, where several differ in their numbers only
/// (`… (1 file)`, `… (3 files)`), one text for all of them with the ranges (`… (1–3 files)`).
pub(super) fn fold<'a>(reasons: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let reasons: BTreeSet<&str> = reasons.into_iter().collect();
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for reason in reasons {
        kinds.entry(kind(reason)).or_default().push(reason);
    }
    let mut said = BTreeMap::new();
    for alike in kinds.values() {
        let text = together(alike);
        said.extend(alike.iter().map(|reason| (*reason, text.clone())));
    }
    said
}

fn parts(reason: &str) -> Vec<Part<'_>> {
    let bytes = reason.as_bytes();
    let in_word = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_alphanumeric);
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    // Between digits these hold a fraction, a version, a date or a time together.
    let joins = |i: usize| bytes.get(i).is_some_and(|b| b".,-:".contains(b));
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let end = at + digits;
        let inside = at > 0 && in_word(at - 1) || in_word(end);
        let behind = at > 1 && joins(at - 1) && digit(at - 2);
        let before = joins(end) && digit(end + 1);
        let whole = digits == 1 || digits > 1 && bytes[at] != b'0';
        let alone = whole && !(inside || behind || before);
        match reason[at..end].parse() {
            Ok(number) if alone => {
                parts.push(Part::Words(&reason[start..at]));
                parts.push(Part::Number(number));
                start = end;
                at = end;
            }
            // Past the digits, or past one byte: all that is cut at stands at an ASCII digit.
            _ => at = end.max(at + 1),
        }
        while !reason.is_char_boundary(at) {
            at += 1;
        }
    }
    parts.push(Part::Words(&reason[start..]));
    parts
}

/// The reason without its numbers, and without the `s` of a plural.
fn kind(reason: &str) -> String {
    let mut kind = String::new();
    for part in parts(reason) {
        match part {
            Part::Words(words) => {
                let mut letters = words.chars().peekable();
                while let Some(letter) = letters.next() {
                    let last = letters.peek().is_none_or(|next| !next.is_alphanumeric());
                    if letter != 's' || !last {
                        kind.push(letter);
                    }
                }
            }
            Part::Number(_) => kind.push('#'),
        }
    }
    kind
}

fn numbers(reason: &str) -> Vec<u64> {
    let number = |part: Part<'_>| match part {
        Part::Number(n) => Some(n),
        Part::Words(_) => None,
    };
    parts(reason).into_iter().filter_map(number).collect()
}

/// One text for reasons of one kind, in the words of the one with the greatest numbers, which
/// has the plurals.
fn together(alike: &[&str]) -> String {
    let all: Vec<Vec<u64>> = alike.iter().map(|r| numbers(r)).collect();
    let greatest =
        (0..alike.len()).max_by_key(|i| all[*i].iter().map(|n| u128::from(*n)).sum::<u128>());
    let Some(words) = greatest.map(|i| alike[i]) else {
        return String::new();
    };
    let (mut text, mut nth) = (String::new(), 0);
    for part in parts(words) {
        match part {
            Part::Words(words) => text.push_str(words),
            Part::Number(number) => {
                let at = || all.iter().filter_map(|n| n.get(nth)).copied();
                let (low, high) = (at().min().unwrap_or(number), at().max().unwrap_or(number));
                text.push_str(&match low == high {
                    true => number.to_string(),
                    false => format!("{low}–{high}"),
                });
                nth += 1;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reasons: &[&str]) -> BTreeSet<String> {
        fold(reasons.iter().copied()).into_values().collect()
    }

    #[test]
    fn reasons_that_differ_in_numbers_are_one() {
        assert_eq!(
            said(&[
                "no parser for Rust (1 file)",
                "no parser for Rust (13 files)",
                "no parser for Rust (2 files)",
                "no parser for C (1 file)",
            ]),
            [
                "no parser for C (1 file)",
                "no parser for Rust (1–13 files)"
            ]
            .map(str::to_owned)
            .into()
        );
        assert_eq!(
            said(&[
                "syntax error in 4 changed files",
                "syntax error in 1 changed file"
            ]),
            ["syntax error in 1–4 changed files".to_owned()].into()
        );
        assert_eq!(
            said(&[
                "cut 1 changes before; 200 are needed",
                "cut 59 changes before; 200 are needed"
            ]),
            ["cut 1–59 changes before; 200 are needed".to_owned()].into()
        );
    }

    #[test]
    fn other_reasons_stay_as_they_are() {
        for reason in [
            "",
            "7",
            "syntax error",
            "tree 6b4dd095 is not in this repository",
            "é1é 18446744073709551616 ½",
            "file over 5 MiB (1 file)",
            "the others add up to 0.0291792",
            "at least 12.05: it stops without its result",
            "prices of 2026-01-05, at 07:05",
            "session 0042 is not here",
            "12.",
            "up to 3, 4-5",
        ] {
            assert_eq!(said(&[reason]), [reason.to_owned()].into());
        }
        let ids = ["tree 12ab is away", "tree 34ab is away", "a1", "a2"];
        assert_eq!(
            said(&ids).len(),
            4,
            "a number inside of a word is no number"
        );
        let amounts = ["at least 0.05", "at least 1.5", "at least 0.5"];
        assert_eq!(
            said(&amounts),
            amounts.map(str::to_owned).into(),
            "a part of a fraction is no number"
        );
    }
}
