//! The lines of two versions of one file, and the hunks between them.
//!
//! The diff is Myers' (E. Myers, "An O(ND) difference algorithm and its variations", 1986) as
//! gix has it, with its choice of where an ambiguous hunk stands. What is added here is what
//! shows in `git diff -U0` and no longer with context: a common end of the two files is set
//! aside in blocks before anything is split into lines. That moves hunks, since a hunk does not
//! slide into what was set aside and the lines in it do not count as frequent.

use gix::bstr::ByteSlice;
use gix::diff::blob::{Algorithm, Diff, IndentHeuristic, IndentLevel, Token};

use super::Hunk;

/// How many bytes of a blob are looked at for a NUL.
const BINARY_WINDOW: usize = 8_000;
/// A common end is set aside in blocks of so many bytes.
const TAIL_BLOCK: usize = 1_024;
/// A tab goes to the next multiple of so many columns.
const TAB_WIDTH: u8 = 8;
/// The longest content, in bytes, that is compared line by line; git's own limit.
const LONGEST: usize = 1 << 30;

/// True where git takes the content for binary: a NUL in the first 8,000 bytes.
pub fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(BINARY_WINDOW)]
        .find_byte(0)
        .is_some()
}

/// The number of lines as git counts them: a last line without line feed counts.
pub fn line_count(content: &[u8]) -> u32 {
    let feeds = content.find_iter(b"\n").count();
    let open = usize::from(content.last().is_some_and(|b| *b != b'\n'));
    u32::try_from(feeds + open).unwrap_or(u32::MAX)
}

/// Compares the lines of two versions; keeps its buffers from one comparison to the next.
#[derive(Default)]
pub struct LineDiffer {
    table: LineTable,
    old: Vec<Token>,
    new: Vec<Token>,
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
        self.number_lines(old, new);
        let lines = &self.table;
        self.diff
            .compute_with(Algorithm::Myers, &self.old, &self.new, lines.count());
        let indent = |line: Token| {
            IndentLevel::for_ascii_line(lines.bytes(line, old, new).iter().copied(), TAB_WIDTH)
        };
        self.diff
            .postprocess_with(&self.old, &self.new, IndentHeuristic::new(indent));
        self.diff
            .hunks()
            .map(|h| Hunk {
                old_start: h.before.start,
                old_len: h.before.end - h.before.start,
                new_start: h.after.start,
                new_len: h.after.end - h.after.start,
            })
            .collect()
    }

    /// Gives each line of both sides a number, equal for equal bytes. The lines before the first
    /// and after the last difference are looked up once for both sides.
    fn number_lines(&mut self, old: &[u8], new: &[u8]) {
        self.old.clear();
        self.new.clear();
        self.table.clear();

        let both = (old, new);
        let (table, in_old) = (&mut self.table, &mut self.old);
        let head = common_head(old, new);
        table.number(both, Side::Old, (0, head), in_old);
        self.new.extend_from_slice(in_old);

        let tail = common_whole_lines_at_the_end(&old[head..], &new[head..]);
        let (old_end, new_end) = (old.len() - tail, new.len() - tail);
        table.number(both, Side::Old, (head, old_end), in_old);
        table.number(both, Side::New, (head, new_end), &mut self.new);

        let middle_end = in_old.len();
        table.number(both, Side::Old, (old_end, old.len()), in_old);
        self.new.extend_from_slice(&in_old[middle_end..]);
    }
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// Where a line that was seen stands, for the first time it was seen.
struct Line {
    hash: u64,
    side: Side,
    start: u32,
    end: u32,
}

/// Numbers for lines: open addressing over the lines seen so far.
#[derive(Default)]
struct LineTable {
    /// Line number + 1; 0 is free. A power of two long, at most half full.
    slots: Vec<u32>,
    lines: Vec<Line>,
}

impl LineTable {
    fn clear(&mut self) {
        self.lines.clear();
        self.slots.fill(0);
    }

    /// How many different lines there are.
    fn count(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// The bytes of a line, given the two texts the table was filled from.
    fn bytes<'a>(&self, line: Token, old: &'a [u8], new: &'a [u8]) -> &'a [u8] {
        let line = &self.lines[line.0 as usize];
        let text = match line.side {
            Side::Old => old,
            Side::New => new,
        };
        &text[line.start as usize..line.end as usize]
    }

    /// Appends the numbers of the lines of one of the two texts, between two byte offsets.
    fn number(
        &mut self,
        (old, new): (&[u8], &[u8]),
        side: Side,
        (from, to): (usize, usize),
        into: &mut Vec<Token>,
    ) {
        let text = match side {
            Side::Old => old,
            Side::New => new,
        };
        let mut start = from;
        while start < to {
            let end = text[start..to]
                .find_byte(b'\n')
                .map_or(to, |feed| start + feed + 1);
            into.push(self.look_up((old, new), side, (start, end)));
            start = end;
        }
    }

    fn look_up(
        &mut self,
        (old, new): (&[u8], &[u8]),
        side: Side,
        (start, end): (usize, usize),
    ) -> Token {
        if self.slots.len() < 2 * (self.lines.len() + 1) {
            self.grow();
        }
        let text = match side {
            Side::Old => old,
            Side::New => new,
        };
        let bytes = &text[start..end];
        let hash = hash_of(bytes);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                seen => {
                    let token = Token(seen - 1);
                    if self.lines[token.0 as usize].hash == hash
                        && self.bytes(token, old, new) == bytes
                    {
                        return token;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        // Content is at most 1 GiB here, so that every offset and number fits.
        self.lines.push(Line {
            hash,
            side,
            start: start as u32,
            end: end as u32,
        });
        self.slots[slot] = self.lines.len() as u32;
        Token(self.lines.len() as u32 - 1)
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1 << 10);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (number, line) in self.lines.iter().enumerate() {
            let mut slot = line.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

/// A 64-bit hash of a few bytes: eight at a time, folded by a wide product. It only sorts bytes
/// into buckets; equality is always decided by the bytes.
pub(super) fn hash_of(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, word: u64| {
        let wide = u128::from(hash ^ word) * u128::from(ODD | 1);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    let mut hash = ODD ^ bytes.len() as u64;
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for word in words {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        hash = fold(hash.rotate_left(23), u64::from_le_bytes(eight));
    }
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    fold(hash.rotate_left(23), u64::from_le_bytes(eight))
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
        let old = "one\ntwo\n\nthree\none\n";
        let new = "one\n\ntwo\none\nfour";
        let mut differ = LineDiffer::new();
        differ.number_lines(old.as_bytes(), new.as_bytes());
        let lines = |text: &'static str| text.split_inclusive('\n').collect::<Vec<_>>();
        let (o, n) = (lines(old), lines(new));
        assert_eq!((differ.old.len(), differ.new.len()), (o.len(), n.len()));
        for (i, a) in o.iter().enumerate() {
            for (j, b) in n.iter().enumerate() {
                assert_eq!(differ.old[i] == differ.new[j], a == b, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_table_that_grows_keeps_its_numbers() {
        let text: String = (0..5_000).map(|i| format!("line {i}\n")).collect();
        let mut changed = text.clone();
        changed.push_str("line 7\n");
        assert_eq!(hunks(&text, &changed), [(5_000, 0, 5_000, 1)]);
    }
}
