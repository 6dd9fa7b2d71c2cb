//! What a report says of one file, in the order and as often as it says it.

use std::collections::BTreeMap;

use crate::record::{FileCoverage, LineSet};

/// No source file has more lines: what is told of one behind it is not believed.
pub(super) const LAST_LINE: u32 = 10_000_000;

/// Where a block of statements lies: line and column of its start, line and column of its end.
pub(super) type Block = [u32; 4];

/// Everything told of one file; what is told twice is joined, and covered wins.
#[derive(Debug, Clone, Default)]
pub(super) struct FileDraft {
    /// Lines that were executed.
    pub(super) ran: LineSet,
    /// Lines that were not.
    pub(super) idle: LineSet,
    /// Lines of which every part was executed.
    pub(super) whole: LineSet,
    /// Lines of which some part was not.
    pub(super) part: LineSet,
    /// Lines taken out.
    pub(super) excluded: LineSet,
    /// Branches taken and branches there are, where single ones have no name: the best told.
    pub(super) counts: BTreeMap<u32, (u32, u32)>,
    /// Blocks and whether they were executed.
    pub(super) blocks: BTreeMap<Block, bool>,
    branches: Branches,
}

impl FileDraft {
    /// Tells of one branch: which of its line it is, and whether it was taken.
    pub(super) fn branch(&mut self, line: u32, which: u32, taken: bool) {
        self.branches.tell(line, which, taken);
    }

    /// Tells of branches by their numbers; more taken than there are: nothing is told.
    pub(super) fn count(&mut self, line: u32, taken: u32, total: u32) {
        if taken <= total && total > 0 {
            let best = self.counts.entry(line).or_default();
            *best = (*best).max((taken, total));
        }
    }

    /// Tells of a block of statements.
    pub(super) fn block(&mut self, block: Block, ran: bool) {
        *self.blocks.entry(block).or_default() |= ran;
    }

    /// Everything that `other` tells, too.
    pub(super) fn join(&mut self, other: FileDraft) {
        self.ran = self.ran.union(&other.ran);
        self.idle = self.idle.union(&other.idle);
        self.whole = self.whole.union(&other.whole);
        self.part = self.part.union(&other.part);
        self.excluded = self.excluded.union(&other.excluded);
        for (line, (taken, total)) in other.counts {
            self.count(line, taken, total);
        }
        for (block, ran) in other.blocks {
            self.block(block, ran);
        }
        self.branches.join(other.branches);
    }

    /// What is known of the file. A line is partly covered where it was executed and one of its
    /// branches was not taken, or one of its blocks not executed, or where this was told.
    pub(super) fn finish(self) -> FileCoverage {
        let (mut ran, mut idle) = (Vec::new(), Vec::new());
        for ([first, _, last, _], covered) in self.blocks {
            match covered {
                true => ran.push((first, last)),
                false => idle.push((first, last)),
            }
        }
        let idle = LineSet::from_ranges(idle);
        let covered = self.ran.union(&LineSet::from_ranges(ran));
        let missed = self.idle.union(&idle).difference(&covered);
        let mut branches = self.branches.counted();
        for (line, best) in self.counts {
            let known = branches.entry(line).or_default();
            *known = (*known).max(best);
        }
        let untaken = branches.iter().filter(|(_, (taken, total))| taken < total);
        let untaken: LineSet = untaken.map(|(line, _)| *line).collect();
        let partial = untaken
            .union(&idle)
            .union(&self.part)
            .difference(&self.whole);
        let wide = |(line, (taken, total))| (line, (u64::from(taken), u64::from(total)));
        let branches: BTreeMap<_, _> = branches.into_iter().map(wide).collect();
        FileCoverage {
            partial: partial.intersection(&covered),
            excluded: self.excluded.difference(&covered).difference(&missed),
            covered,
            missed,
            branches: (!branches.is_empty()).then_some(branches),
        }
    }
}

/// Branches that have names within their lines: eight bytes each, however often they are told.
#[derive(Debug, Clone, Default)]
struct Branches {
    /// Line, branch and, in the lowest bit, whether it was taken.
    told: Vec<u64>,
    /// So many of `told` are sorted, and each branch is there once.
    settled: usize,
}

impl Branches {
    fn tell(&mut self, line: u32, which: u32, taken: bool) {
        if self.told.len() >= 2 * self.settled + 4096 {
            self.settle();
        }
        let branch = u64::from(line) << 32 | u64::from(which << 1);
        self.told.push(branch | u64::from(taken));
    }

    fn settle(&mut self) {
        // A branch taken stands behind the same one not taken.
        self.told.sort_unstable();
        self.told.dedup_by(|next, kept| {
            let same = *next >> 1 == *kept >> 1;
            if same {
                *kept = *next;
            }
            same
        });
        self.told.shrink_to_fit();
        self.settled = self.told.len();
    }

    fn join(&mut self, other: Branches) {
        self.told.extend(other.told);
        self.settle();
    }

    fn counted(mut self) -> BTreeMap<u32, (u32, u32)> {
        self.settle();
        let mut lines = BTreeMap::<u32, (u32, u32)>::new();
        for branch in self.told {
            let line = u32::try_from(branch >> 32).unwrap_or(u32::MAX);
            let (taken, total) = lines.entry(line).or_default();
            *taken += u32::from(branch & 1 == 1);
            *total += 1;
        }
        lines
    }
}

/// A number of 31 bits that stands for a branch's name: small pairs of numbers stand for
/// themselves, so that two of them are never taken for one.
pub(super) fn branch_name(block: &str, branch: &str) -> u32 {
    let small = |text: &str, below: u32| text.parse::<u32>().ok().filter(|n| *n < below);
    if let (Some(block), Some(branch)) = (small(block, 1 << 14), small(branch, 1 << 16)) {
        return block << 16 | branch;
    }
    // FNV-1a: the same everywhere.
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in block.bytes().chain([0]).chain(branch.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    let folded = (hash ^ (hash >> 32)) & 0x3FFF_FFFF;
    u32::try_from(folded).unwrap_or(0) | 1 << 30
}

/// A line's number; `None` where it is none that is believed.
pub(super) fn line_number(text: &str) -> Option<u32> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number.filter(|n| (1..=LAST_LINE).contains(n))
}

/// Whether a count of executions is above zero; `None` where it is no count. It may be larger
/// than numbers are here, or written with an exponent.
pub(super) fn is_hit(text: &str) -> Option<bool> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(text.bytes().any(|b| b != b'0'));
    }
    let starts = text.starts_with(|c: char| c.is_ascii_digit());
    let count: f64 = text.parse().ok().filter(|_| starts)?;
    (count.is_finite() && count.fract() == 0.0).then_some(count > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_wins_and_what_is_whole_once_is_not_partly_covered() {
        let set = |text: &str| LineSet::parse(text).expect("in form");
        let mut one = FileDraft {
            ran: set("1-3"),
            idle: set("4-6"),
            part: set("1-2"),
            excluded: set("3,9"),
            ..FileDraft::default()
        };
        one.join(FileDraft {
            ran: set("2,5"),
            whole: set("2"),
            ..FileDraft::default()
        });
        let found = one.finish();
        assert_eq!(found.covered.to_string(), "1-3,5");
        assert_eq!(found.missed.to_string(), "4,6");
        assert_eq!(found.partial.to_string(), "1");
        assert_eq!(found.excluded.to_string(), "9");
        assert_eq!(found.branches, None);
    }

    #[test]
    fn a_branch_told_many_times_is_one_branch() {
        let mut file = FileDraft::default();
        for round in 0..20_000 {
            file.branch(7, branch_name("0", &(round % 4).to_string()), round == 5);
            file.branch(8, branch_name("0", "jump to line 9"), false);
        }
        assert!(file.branches.told.len() < 10_000);
        file.ran = [7, 8].into_iter().collect();
        let found = file.finish();
        assert_eq!(found.partial.to_string(), "7-8");
        let branches = found.branches.expect("branches");
        assert_eq!(branches, BTreeMap::from([(7, (1, 4)), (8, (0, 1))]));
    }

    #[test]
    fn names_of_branches_are_told_apart() {
        let names = [
            ("0", "1"),
            ("1", "0"),
            ("0", "jump to line 1"),
            ("0", "exit"),
            ("e0", "1"),
        ];
        let all: std::collections::BTreeSet<u32> =
            names.iter().map(|(a, b)| branch_name(a, b)).collect();
        assert_eq!(all.len(), names.len());
        assert!(all.iter().all(|n| *n < 1 << 31));
    }

    #[test]
    fn numbers_that_are_none_are_not_read() {
        for text in ["0", "-1", "1.5", "", "+1", "10000001", "99999999999", "x"] {
            assert_eq!(line_number(text), None, "{text}");
        }
        assert_eq!(line_number(" 10000000 "), Some(LAST_LINE));
        assert_eq!(is_hit("0"), Some(false));
        assert_eq!(is_hit("18446744073709551616"), Some(true));
        assert_eq!(is_hit("1.5e+10"), Some(true));
        for text in ["-1", "1.5", "", "inf", "NaN", "=====", "1e999"] {
            assert_eq!(is_hit(text), None, "{text}");
        }
    }
}
