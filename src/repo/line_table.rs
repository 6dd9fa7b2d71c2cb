//! Numbers for the lines of two texts: equal numbers exactly where the bytes are equal.

use std::hash::{BuildHasher as _, RandomState};

use gix::bstr::ByteSlice;
use gix::diff::blob::Token;

/// The two texts that lines are numbered from.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    /// Before the change.
    pub(super) old: &'a [u8],
    /// After it.
    pub(super) new: &'a [u8],
}

/// One of two texts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The text before the change.
    Old,
    /// The text after it.
    New,
}

impl<'a> Texts<'a> {
    fn of(&self, side: Side) -> &'a [u8] {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

/// Where a line stands, for the first time it was seen.
struct Line {
    hash: u64,
    side: Side,
    start: u32,
    end: u32,
}

/// The lines seen so far, found again by open addressing. Texts are at most 1 GiB, so that every
/// offset and number fits in 32 bits.
pub(super) struct LineTable {
    /// Numbers of lines; 0 is free. A power of two long, at most half full.
    slots: Vec<u32>,
    lines: Vec<Line>,
    /// Not known to who made the texts, lest they put all their lines into one slot.
    seed: u64,
}

impl Default for LineTable {
    fn default() -> Self {
        LineTable {
            slots: Vec::new(),
            lines: Vec::new(),
            seed: RandomState::new().hash_one(0),
        }
    }
}

impl LineTable {
    /// Stands for any line that has no number.
    pub(super) const OTHER: Token = Token(0);
    const SMALLEST: usize = 1 << 10;

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.slots.clear();
        self.slots.resize(Self::SMALLEST, 0);
    }

    /// One more than the highest number.
    pub(super) fn bound(&self) -> u32 {
        self.lines.len() as u32 + 1
    }

    /// The bytes of a line; empty for [`LineTable::OTHER`].
    pub(super) fn bytes<'a>(&self, line: Token, texts: Texts<'a>) -> &'a [u8] {
        let place = (line.0 as usize).checked_sub(1);
        let Some(line) = place.and_then(|place| self.lines.get(place)) else {
            return &[];
        };
        &texts.of(line.side)[line.start as usize..line.end as usize]
    }

    /// Appends the numbers of the lines between two byte offsets of one text, numbering those
    /// that have none yet.
    pub(super) fn number(
        &mut self,
        texts: Texts<'_>,
        side: Side,
        range: (usize, usize),
        into: &mut Vec<Token>,
    ) {
        each_line(texts.of(side), range, |start, end| {
            if self.slots.len() < 2 * (self.lines.len() + 1) {
                self.grow();
            }
            let hash = hash_of(&texts.of(side)[start..end], self.seed);
            let (slot, seen) = self.find(texts, side, (start, end), hash);
            into.push(seen.unwrap_or_else(|| {
                self.lines.push(Line {
                    hash,
                    side,
                    start: start as u32,
                    end: end as u32,
                });
                self.slots[slot] = self.lines.len() as u32;
                Token(self.lines.len() as u32)
            }));
        });
    }

    /// The same without numbering: a line that has no number is [`LineTable::OTHER`].
    pub(super) fn recognise(
        &self,
        texts: Texts<'_>,
        side: Side,
        range: (usize, usize),
        into: &mut Vec<Token>,
    ) {
        each_line(texts.of(side), range, |start, end| {
            let hash = hash_of(&texts.of(side)[start..end], self.seed);
            let (_, seen) = self.find(texts, side, (start, end), hash);
            into.push(seen.unwrap_or(Self::OTHER));
        });
    }

    /// The slot a line is in or would go to, and its number if it is there.
    fn find(
        &self,
        texts: Texts<'_>,
        side: Side,
        (start, end): (usize, usize),
        hash: u64,
    ) -> (usize, Option<Token>) {
        let bytes = &texts.of(side)[start..end];
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let seen = Token(self.slots[slot]);
            if seen == Self::OTHER {
                return (slot, None);
            }
            if self.lines[seen.0 as usize - 1].hash == hash && self.bytes(seen, texts) == bytes {
                return (slot, Some(seen));
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(Self::SMALLEST);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (number, line) in (1..).zip(&self.lines) {
            let mut slot = line.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number;
        }
    }
}

/// Calls `each` with start and end of every line between two offsets of a text; the first is the
/// start of a line. A line has its line feed with it.
fn each_line(text: &[u8], (from, to): (usize, usize), mut each: impl FnMut(usize, usize)) {
    let mut start = from;
    while start < to {
        let feed = text[start..to].find_byte(b'\n');
        let end = feed.map_or(to, |feed| start + feed + 1);
        each(start, end);
        start = end;
    }
}

/// A 64-bit hash of a few bytes: eight at a time, folded by a wide product.
pub(super) fn hash_of(bytes: &[u8], seed: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, word: u64| {
        let wide = u128::from(hash ^ word) * u128::from(ODD);
        (wide as u64) ^ ((wide >> 64) as u64)
    };
    let mut hash = seed ^ ODD ^ bytes.len() as u64;
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
