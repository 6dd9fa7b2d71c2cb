//! A set of line numbers, kept and written as ranges: `1-5,8`.

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

    /// The ranges in order, first and last line of each.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The lines of all `ranges` (first and last line of each), given in any order; a range that
    /// ends before it begins has none.
    pub fn from_ranges(mut ranges: Vec<(u32, u32)>) -> LineSet {
        ranges.retain_mut(|(first, last)| {
            *first = (*first).max(1);
            first <= last
        });
        ranges.sort_unstable();
        ranges.dedup_by(|(first, last), (_, before)| {
            let joined = *first <= before.saturating_add(1);
            if joined {
                *before = (*last).max(*before);
            }
            joined
        });
        // What is kept is many times smaller than what it was made of.
        if ranges.capacity() > 2 * ranges.len() {
            ranges.shrink_to_fit();
        }
        LineSet { ranges }
    }

    /// The lines of either.
    pub fn union(&self, other: &LineSet) -> LineSet {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => LineSet::from_ranges([self.ranges.as_slice(), &other.ranges].concat()),
        }
    }

    /// The lines of both.
    pub fn intersection(&self, other: &LineSet) -> LineSet {
        let (mut i, mut j) = (0, 0);
        let mut ranges = Vec::new();
        while let (Some(a), Some(b)) = (self.ranges.get(i), other.ranges.get(j)) {
            let (first, last) = (a.0.max(b.0), a.1.min(b.1));
            if first <= last {
                ranges.push((first, last));
            }
            if a.1 < b.1 {
                i += 1;
            } else {
                j += 1;
            }
        }
        LineSet { ranges }
    }

    /// The lines that `other` has not.
    pub fn difference(&self, other: &LineSet) -> LineSet {
        let mut ranges = Vec::new();
        let mut away = other.ranges.as_slice();
        for &(mut first, last) in &self.ranges {
            away = &away[away.partition_point(|(_, end)| *end < first)..];
            let mut left = true;
            for &(from, to) in away.iter().take_while(|(from, _)| *from <= last) {
                if from > first {
                    ranges.push((first, from - 1));
                }
                left = to < last;
                first = to.saturating_add(1);
            }
            if left {
                ranges.push((first, last));
            }
        }
        LineSet { ranges }
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
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut lines = lines.into_iter().filter(|n| *n > 0).peekable();
        while let Some(first) = lines.next() {
            let mut last = first;
            while let Some(next) = lines.next_if(|n| last.checked_add(1) == Some(*n)) {
                last = next;
            }
            ranges.push((first, last));
        }
        LineSet::from_ranges(ranges)
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
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    fn sets() -> impl Strategy<Value = (BTreeSet<u32>, BTreeSet<u32>)> {
        let lines = || prop::collection::btree_set(1u32..80, 0..50);
        (lines(), lines())
    }

    fn lines(set: &LineSet) -> BTreeSet<u32> {
        // Written and read back, so that ranges that touch or are out of order are found.
        let read = LineSet::parse(&set.to_string()).expect("in form");
        assert_eq!(&read, set);
        read.iter().collect()
    }

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

    proptest! {
        #[test]
        fn joining_common_and_left_lines_are_those_of_sets((a, b) in sets()) {
            let one: LineSet = a.iter().copied().collect();
            let two: LineSet = b.iter().copied().collect();
            prop_assert_eq!(lines(&one.union(&two)), &a | &b);
            prop_assert_eq!(lines(&one.intersection(&two)), &a & &b);
            prop_assert_eq!(lines(&one.difference(&two)), &a - &b);
        }

        #[test]
        fn lines_and_ranges_may_come_in_any_order_and_twice(
            given in prop::collection::vec((0u32..60, 0u32..60), 0..30)
        ) {
            let told: BTreeSet<u32> = given.iter().flat_map(|(a, b)| (*a).max(1)..=*b).collect();
            prop_assert_eq!(lines(&LineSet::from_ranges(given.clone())), told);
            let firsts: BTreeSet<u32> = given.iter().map(|(a, _)| *a).filter(|n| *n > 0).collect();
            let set: LineSet = given.iter().map(|(a, _)| *a).collect();
            prop_assert_eq!(lines(&set), firsts);
        }
    }

    #[test]
    fn the_greatest_numbers_do_not_run_over() {
        let all = LineSet::from_ranges(vec![(0, u32::MAX), (u32::MAX, u32::MAX)]);
        assert_eq!(all.len(), u64::from(u32::MAX));
        assert_eq!(all.difference(&all), LineSet::default());
        let last: LineSet = [u32::MAX, u32::MAX - 1].into_iter().collect();
        assert_eq!(last.ranges(), [(u32::MAX - 1, u32::MAX)]);
        assert_eq!(all.difference(&last).ranges(), [(1, u32::MAX - 2)]);
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
