//! The lines of two versions of one file, and the hunks between them.
//!
//! The diff is Myers' (E. Myers, "An O(ND) difference algorithm and its variations", 1986) as
//! gix has it, with its choice of where an ambiguous hunk stands. What is added here is what
//! shows in `git diff -U0` and no longer with context: a common end of the two files is set
//! aside in blocks before anything is split into lines. That moves hunks, since a hunk does not
//! slide into what was set aside and the lines in it do not count as frequent.

use std::cell::Cell;

use gix::bstr::ByteSlice;
use gix::diff::blob::{Algorithm, Diff, IndentHeuristic, IndentLevel, Token};

use super::Hunk;
use super::line_table::{LineTable, Side, Texts};

/// How many bytes of a blob are looked at for a NUL.
const BINARY_WINDOW: usize = 8_000;
/// A common end is set aside in blocks of so many bytes.
const TAIL_BLOCK: usize = 1_024;
/// A tab goes to the next multiple of so many columns.
const TAB_WIDTH: u8 = 8;
/// The longest content, in bytes, that is compared line by line; git's own limit.
const LONGEST: usize = 1 << 30;
/// So many lines before and after what differs are looked at as closely as that.
const MARGIN: usize = 64;

/// True where git takes the content for binary: a NUL in the first 8,000 bytes.
pub fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(BINARY_WINDOW)]
        .find_byte(0)
        .is_some()
}

/// The number of lines as git counts them: a last line without line feed counts.
pub fn line_count(content: &[u8]) -> u32 {
    // Counted in bytes first: as many as a processor compares at once.
    let feeds = |part: &[u8]| part.iter().map(|b| u8::from(*b == b'\n')).sum::<u8>();
    let feeds: usize = content
        .chunks(192)
        .map(|part| usize::from(feeds(part)))
        .sum();
    let open = usize::from(content.last().is_some_and(|b| *b != b'\n'));
    u32::try_from(feeds + open).unwrap_or(u32::MAX)
}

/// Compares the lines of two versions; keeps its buffers from one comparison to the next.
#[derive(Default)]
pub struct LineDiffer {
    table: LineTable,
    old: Vec<Token>,
    new: Vec<Token>,
    old_middle: Vec<Token>,
    new_middle: Vec<Token>,
    near_head: Vec<Token>,
    near_tail: Vec<Token>,
    /// How often a line that is in neither middle stands near them.
    seen: Vec<u32>,
    diff: Diff,
}

impl LineDiffer {
    /// A differ with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The hunks of `git diff -U0` with its default algorithm and the indent heuristic, in
    /// order. Lines keep their line feed, so that a last line with one and one without differ.
    /// Content over 1 GiB on either side is not compared: one hunk replaces all of it.
    ///
    /// Nothing is said of binary content; ask [`is_binary`] first.
    pub fn hunks(&mut self, old: &[u8], new: &[u8]) -> Vec<Hunk> {
        if old == new {
            return Vec::new();
        }
        if old.len() > LONGEST || new.len() > LONGEST {
            return vec![Hunk {
                old_start: 0,
                old_len: line_count(old),
                new_start: 0,
                new_len: line_count(new),
            }];
        }
        let tail = common_tail(old, new);
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let texts = Texts { old, new };
        let (hunks, sure) = self.compare(texts, MARGIN);
        if sure {
            return hunks;
        }
        self.compare(texts, usize::MAX).0
    }

    /// Hunks, and whether they are sure to be those of the whole texts.
    ///
    /// Most of the two texts is a common head and a common tail. Of these only `margin` lines
    /// get numbers. A line further out matters in three ways. How often a line of the middle
    /// stands there decides what the diff leaves out, so that such lines are recognised, unless
    /// the middles have no line in common: then there is nothing to decide. A hunk might slide
    /// out so far, but it never passes a line that stands once near the middle and not in it:
    /// there must be one on either side. And the lines around a hunk say where it is best put:
    /// where one of them has no number the hunks are not sure.
    fn compare(&mut self, texts: Texts<'_>, margin: usize) -> (Vec<Hunk>, bool) {
        let Texts { old, new } = texts;
        let head = common_head(old, new);
        let tail = common_whole_lines_at_the_end(&old[head..], &new[head..]);
        let (old_tail, new_tail) = (old.len() - tail, new.len() - tail);

        let table = &mut self.table;
        table.clear();
        for part in [
            &mut self.old,
            &mut self.new,
            &mut self.old_middle,
            &mut self.new_middle,
            &mut self.near_head,
            &mut self.near_tail,
        ] {
            part.clear();
        }
        table.number(texts, Side::Old, (head, old_tail), &mut self.old_middle);
        let of_old = table.bound();
        table.number(texts, Side::New, (head, new_tail), &mut self.new_middle);
        let shared = self.new_middle.iter().any(|line| line.0 < of_old);
        let of_middles = table.bound();

        let head_from = last_lines(&old[..head], margin);
        let tail_to = old_tail + first_lines(&old[old_tail..], margin);
        table.number(texts, Side::Old, (head_from, head), &mut self.near_head);
        table.number(texts, Side::Old, (old_tail, tail_to), &mut self.near_tail);
        self.seen.clear();
        self.seen.resize((table.bound() - of_middles) as usize, 0);
        let place = |line: &Token| line.0.checked_sub(of_middles).map(|at| at as usize);
        let near = || self.near_head.iter().chain(&self.near_tail);
        near().filter_map(place).for_each(|at| self.seen[at] += 1);
        let seen = &self.seen;
        let stops = |near: &[Token]| near.iter().filter_map(place).any(|at| seen[at] == 1);
        if (head_from > 0 && !stops(&self.near_head))
            || (tail_to < old.len() && !stops(&self.near_tail))
        {
            return (Vec::new(), false);
        }

        let mut skipped = 0;
        if shared {
            table.recognise(texts, Side::Old, (0, head_from), &mut self.old);
        } else if head_from > 0 {
            self.old.push(LineTable::OTHER);
            skipped = line_count(&old[..head_from]) - 1;
        }
        self.old.extend_from_slice(&self.near_head);
        self.new.extend_from_slice(&self.old);
        self.old.extend_from_slice(&self.old_middle);
        self.new.extend_from_slice(&self.new_middle);
        let tail_at = self.old.len();
        self.old.extend_from_slice(&self.near_tail);
        if shared {
            table.recognise(texts, Side::Old, (tail_to, old.len()), &mut self.old);
        } else if tail_to < old.len() {
            self.old.push(LineTable::OTHER);
        }
        self.new.extend_from_slice(&self.old[tail_at..]);

        let lines = &self.table;
        self.diff
            .compute_with(Algorithm::Myers, &self.old, &self.new, lines.bound());
        let sure = Cell::new(true);
        let indent = |line: Token| {
            sure.set(sure.get() && line != LineTable::OTHER);
            IndentLevel::for_ascii_line(lines.bytes(line, texts).iter().copied(), TAB_WIDTH)
        };
        self.diff
            .postprocess_with(&self.old, &self.new, IndentHeuristic::new(indent));
        let hunk = |h: gix::diff::blob::Hunk| Hunk {
            old_start: skipped + h.before.start,
            old_len: h.before.end - h.before.start,
            new_start: skipped + h.after.start,
            new_len: h.after.end - h.after.start,
        };
        (self.diff.hunks().map(hunk).collect(), sure.get())
    }
}

/// Where the last `count` lines of a text that ends with a whole line begin.
fn last_lines(text: &[u8], count: usize) -> usize {
    let mut start = text.len();
    for _ in 0..count {
        if start == 0 {
            break;
        }
        start = text[..start - 1]
            .rfind_byte(b'\n')
            .map_or(0, |feed| feed + 1);
    }
    start
}

/// Where the first `count` lines of a text end.
fn first_lines(text: &[u8], count: usize) -> usize {
    let mut end = 0;
    for _ in 0..count {
        match text[end..].find_byte(b'\n') {
            Some(feed) => end += feed + 1,
            None => return text.len(),
        }
    }
    end
}

/// The length of the common end that is set aside: whole blocks, shortened so that what stays
/// ends with a whole line.
fn common_tail(old: &[u8], new: &[u8]) -> usize {
    let longest = old.len().min(new.len());
    let mut tail = 0;
    while tail + TAIL_BLOCK <= longest
        && old[old.len() - tail - TAIL_BLOCK..old.len() - tail]
            == new[new.len() - tail - TAIL_BLOCK..new.len() - tail]
    {
        tail += TAIL_BLOCK;
    }
    match old[old.len() - tail..].find_byte(b'\n') {
        Some(feed) => tail - (feed + 1),
        None => 0,
    }
}

/// The length of the common start, whole lines only.
fn common_head(old: &[u8], new: &[u8]) -> usize {
    const STEP: usize = 64;
    let longest = old.len().min(new.len());
    let mut same = 0;
    while same + STEP <= longest && old[same..same + STEP] == new[same..same + STEP] {
        same += STEP;
    }
    same += old[same..longest]
        .iter()
        .zip(&new[same..longest])
        .take_while(|(a, b)| a == b)
        .count();
    old[..same].rfind_byte(b'\n').map_or(0, |feed| feed + 1)
}

/// The length of the common end, whole lines only; both sides start at the start of a line.
fn common_whole_lines_at_the_end(old: &[u8], new: &[u8]) -> usize {
    const STEP: usize = 64;
    let longest = old.len().min(new.len());
    let (o, n) = (&old[old.len() - longest..], &new[new.len() - longest..]);
    let mut from = longest;
    while from >= STEP && o[from - STEP..from] == n[from - STEP..from] {
        from -= STEP;
    }
    while from > 0 && o[from - 1] == n[from - 1] {
        from -= 1;
    }
    let starts_line = |side: &[u8]| {
        let at = side.len() - longest + from;
        at == 0 || side[at - 1] == b'\n'
    };
    if starts_line(old) && starts_line(new) {
        return longest - from;
    }
    match o[from..].find_byte(b'\n') {
        Some(feed) => longest - (from + feed + 1),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(old: &str, new: &str) -> Vec<(u32, u32, u32, u32)> {
        LineDiffer::new()
            .hunks(old.as_bytes(), new.as_bytes())
            .iter()
            .map(|h| (h.old_start, h.old_len, h.new_start, h.new_len))
            .collect()
    }

    #[test]
    fn a_last_line_counts_with_and_without_line_feed() {
        assert_eq!(line_count(b""), 0);
        assert_eq!(line_count(b"a"), 1);
        assert_eq!(line_count(b"a\n"), 1);
        assert_eq!(line_count(b"a\n\nb"), 3);
    }

    #[test]
    fn a_nul_makes_binary_only_in_the_first_eight_thousand_bytes() {
        let mut content = vec![b'a'; 8_001];
        content[8_000] = 0;
        assert!(!is_binary(&content));
        content[7_999] = 0;
        assert!(is_binary(&content));
        assert!(!is_binary(b""));
    }

    #[test]
    fn a_missing_last_line_feed_is_a_change_of_the_last_line() {
        assert_eq!(hunks("a\nb", "a\nb\n"), [(1, 1, 1, 1)]);
        assert_eq!(hunks("a\nb\n", "a\nb\n"), []);
    }

    #[test]
    fn an_empty_side_gives_one_hunk_with_an_empty_range() {
        assert_eq!(hunks("", "a\nb\n"), [(0, 0, 0, 2)]);
        assert_eq!(hunks("a\nb\n", ""), [(0, 2, 0, 0)]);
        assert_eq!(hunks("", ""), []);
    }

    #[test]
    fn a_common_end_is_set_aside_in_blocks_that_leave_whole_lines() {
        let end = "0123456789abcde\n".repeat(100);
        let (old, new) = (format!("old\n{end}"), format!("new\n{end}"));
        // One block of 1,024 is 64 lines; the line at whose start the cut falls stays.
        assert_eq!(common_tail(old.as_bytes(), new.as_bytes()), 1_024 - 16);
        let open = "x".repeat(2_048);
        assert_eq!(common_tail(open.as_bytes(), open.as_bytes()), 0);
    }

    #[test]
    fn numbers_are_equal_exactly_where_lines_are() {
        let texts = Texts {
            old: b"one\ntwo\n\nthree\none\n",
            new: b"one\n\ntwo\none\nfour",
        };
        let (mut table, mut old, mut new) = (LineTable::default(), Vec::new(), Vec::new());
        table.clear();
        table.number(texts, Side::Old, (0, texts.old.len()), &mut old);
        table.recognise(texts, Side::New, (0, texts.new.len()), &mut new);
        assert_eq!(new, [old[0], old[2], old[1], old[0], LineTable::OTHER]);
        table.number(texts, Side::New, (0, texts.new.len()), &mut new);
        assert_eq!(new[5..9], new[..4]);
        assert_eq!(table.bytes(new[9], texts), b"four");
        assert_eq!((old[0], old.len()), (old[4], 5));
    }

    #[test]
    fn what_is_said_to_be_sure_of_a_part_is_so_of_the_whole() {
        let mut state = 7_u32;
        let mut below = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        let (mut sure_ones, mut differ) = (0, LineDiffer::new());
        for round in 0..4_000 {
            let kinds = 2 + round % 9;
            let mut line = |_| {
                [
                    "a\n", "\n", " b\n", "}\n", "  c\n", "d\n", "e\n", "f\n", "\tg\n", "h\n",
                ][below(kinds) as usize]
            };
            let mut lines: Vec<&str> = (0..60).map(&mut line).collect();
            let old = lines.concat();
            let put: Vec<&str> = (0..round as usize % 4).map(&mut line).collect();
            let at = below(50) as usize;
            lines.splice(at..at + below(4) as usize, put);
            let new = lines.concat();
            let texts = Texts {
                old: old.as_bytes(),
                new: new.as_bytes(),
            };
            for margin in [1, 3, 12] {
                let (part, sure) = differ.compare(texts, margin);
                if sure {
                    sure_ones += 1;
                    let whole = differ.compare(texts, usize::MAX);
                    assert_eq!((part, true), whole, "{old:?} {new:?}");
                }
            }
        }
        assert!(sure_ones > 2_000, "{sure_ones}");
    }

    #[test]
    fn a_table_that_grows_keeps_its_numbers() {
        let text: String = (0..5_000).map(|i| format!("line {i}\n")).collect();
        let mut changed = text.clone();
        changed.push_str("line 7\n");
        assert_eq!(hunks(&text, &changed), [(5_000, 0, 5_000, 1)]);
    }
}
