//! A set of line numbers, kept and written as ranges: `1-5,8`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Most lines that a set read from text may have: more is no source file.
const MOST: u64 = 50_000_000;

/// Line numbers from 1, as sorted ranges that neither touch nor overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct LineSet {
    ranges: Vec<(u32, u32)>,
}

impl LineSet {
    /// Whether it has no line.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many lines it has.
    pub fn len(&self) -> u64 {
        let lengths = self.ranges.iter().map(|(a, b)| u64::from(b - a) + 1);
        lengths.sum()
    }

    /// The lines in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|(a, b)| *a..=*b)
    }

    /// Whether `line` is in it.
    pub fn contains(&self, line: u32) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= line);
        after > 0 && self.ranges[after - 1].1 >= line
    }

    /// Reads `1-5,8`; `None` where it is out of form or out of order.
    pub fn parse(text: &str) -> Option<LineSet> {
        let mut set = LineSet::default();
        if text.is_empty() {
            return Some(set);
        }
        let mut lines = 0;
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            let touching = set.ranges.last().is_some_and(|(_, b)| *b >= first - 1);
            lines += u64::from(last.checked_sub(first)?) + 1;
            if touching || lines > MOST {
                return None;
            }
            set.ranges.push((first, last));
        }
        Some(set)
    }
}

/// A line number from 1, in digits alone.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits && *n > 0)
}

impl FromIterator<u32> for LineSet {
    fn from_iter<I: IntoIterator<Item = u32>>(lines: I) -> LineSet {
        let lines: BTreeSet<u32> = lines.into_iter().filter(|n| *n > 0).collect();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for line in lines {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == line => *last = line,
                _ => ranges.push((line, line)),
            }
        }
        LineSet { ranges }
    }
}

impl std::fmt::Display for LineSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (first, last)) in self.ranges.iter().enumerate() {
            if i > 0 {
                f.write_char(',')?;
            }
            if first == last {
                write!(f, "{first}")?;
            } else {
                write!(f, "{first}-{last}")?;
            }
        }
        Ok(())
    }
}

impl Serialize for LineSet {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LineSet {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        LineSet::parse(&text).ok_or_else(|| serde::de::Error::custom("line ranges out of form"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_is_the_lines_it_was_made_of_and_reads_back_as_written(
            lines in prop::collection::btree_set(1u32..200, 0..60)
        ) {
            let set: LineSet = lines.iter().copied().collect();
            prop_assert_eq!(set.iter().collect::<BTreeSet<u32>>(), lines.clone());
            prop_assert_eq!(set.len(), lines.len() as u64);
            prop_assert!((0..220).all(|n| set.contains(n) == lines.contains(&n)));
            prop_assert_eq!(LineSet::parse(&set.to_string()), Some(set));
        }
    }

    #[test]
    fn what_is_out_of_form_is_refused() {
        for text in [
            "0",
            "3-2",
            "1,1",
            "1,2",
            "2,1",
            "1-",
            "a",
            "+1",
            "1 ",
            "1-4294967295",
        ] {
            assert_eq!(LineSet::parse(text), None, "{text}");
        }
        assert_eq!(LineSet::parse("1-3,5").map(|s| s.len()), Some(4));
    }
}
