//! How much of one file is found again in another, as git's rename search sees it.
//!
//! A content is cut into pieces that end with a line feed or after 64 bytes; what two contents
//! share is the bytes of the pieces they share, each as often as the scarcer side has it, over
//! the size of the larger one. In text the carriage return of a line end counts for the size
//! only. Pieces are told apart by a hash of 32 bits here; git's own hash is shorter, so that
//! it now and then sees two pieces as one and a file as slightly more alike.

use super::line_table::hash_of;
use super::lines::is_binary;

/// What [`score`] gives for equal contents: similarity is measured in 60,000ths.
pub(super) const FULL: u32 = 60_000;
/// A pair less alike than this is no rename.
pub(super) const HALF: u32 = FULL / 2;
/// A pair that shares a file name found once on each side is taken at once from here on.
pub(super) const SAME_NAME: u32 = FULL / 4 * 3;

/// The longest piece, in bytes.
const PIECE: usize = 64;

/// A content as the bag of its pieces.
pub(super) struct Print {
    size: u64,
    /// Hash of a piece and the bytes all its occurrences hold; sorted by hash, each once.
    pieces: Vec<(u32, u32)>,
}

impl Print {
    /// Cuts a content into pieces.
    pub(super) fn of(content: &[u8]) -> Self {
        let text = !is_binary(content);
        let mut pieces = Vec::with_capacity(content.len() / 24 + 1);
        let mut rest = content;
        let mut joined = [0; PIECE];
        while !rest.is_empty() {
            let (piece, read) = next_piece(rest, text, &mut joined);
            // A piece has at most 64 bytes.
            pieces.push((hash_of(piece, 0) as u32, piece.len() as u32));
            rest = &rest[read..];
        }
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        Print {
            size: content.len() as u64,
            pieces,
        }
    }
}

/// The first piece of a content that is not empty, and how many bytes it was read from.
/// `joined` is room for a piece with a carriage return taken out.
fn next_piece<'a>(content: &'a [u8], text: bool, joined: &'a mut [u8; PIECE]) -> (&'a [u8], usize) {
    let window = &content[..content.len().min(PIECE)];
    let feed = window.iter().position(|b| *b == b'\n');
    let end = feed.map_or(window.len(), |at| at + 1);
    if !text {
        return (&window[..end], end);
    }
    if feed.is_some() && end >= 2 && window[end - 2] == b'\r' {
        joined[..end - 2].copy_from_slice(&window[..end - 2]);
        joined[end - 2] = b'\n';
        return (&joined[..end - 1], end);
    }
    // A carriage return as the last of 64 bytes does not fill the piece when its line feed
    // comes next.
    if feed.is_none()
        && end == PIECE
        && window[end - 1] == b'\r'
        && content.get(end) == Some(&b'\n')
    {
        joined[..end - 1].copy_from_slice(&window[..end - 1]);
        joined[end - 1] = b'\n';
        return (&joined[..end], end + 1);
    }
    (&window[..end], end)
}

/// True where two sizes lie so far apart that the contents cannot reach `least`.
pub(super) fn sizes_rule_out(a: u64, b: u64, least: u32) -> bool {
    u128::from(a.min(b)) * u128::from(FULL) < u128::from(a.max(b)) * u128::from(least)
}

/// How alike two contents are, in 60,000ths, rounded down.
pub(super) fn score(a: &Print, b: &Print) -> u32 {
    let larger = a.size.max(b.size);
    if larger == 0 {
        return 0;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0_u64);
    while let (Some(x), Some(y)) = (a.pieces.get(i), b.pieces.get(j)) {
        if x.0 == y.0 {
            shared += u64::from(x.1.min(y.1));
        }
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    // Never more than FULL, since what is shared is part of the larger content.
    u32::try_from(u128::from(shared) * u128::from(FULL) / u128::from(larger)).unwrap_or(FULL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(a: &[u8], b: &[u8]) -> u32 {
        score(&Print::of(a), &Print::of(b)) * 100 / FULL
    }

    fn lines(n: usize) -> Vec<u8> {
        (0..n)
            .flat_map(|i| format!("line {i} of many\n").into_bytes())
            .collect()
    }

    #[test]
    fn equal_contents_are_fully_alike_and_strangers_are_not() {
        assert_eq!(percent(&lines(50), &lines(50)), 100);
        assert_eq!(percent(b"one\n", b"two\n"), 0);
        assert_eq!(percent(b"", b""), 0);
        assert_eq!(percent(b"", b"a\n"), 0);
    }

    #[test]
    fn a_piece_counts_as_often_as_the_scarcer_side_has_it() {
        assert_eq!(percent(b"a\na\na\nb\n", b"a\nc\na\nd\n"), 50);
    }

    #[test]
    fn order_does_not_matter() {
        let mut turned: Vec<_> = lines(40)
            .split_inclusive(|b| *b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        turned.reverse();
        assert_eq!(percent(&lines(40), &turned.concat()), 100);
    }

    #[test]
    fn line_ends_of_text_cost_their_bytes_only() {
        let feeds = b"0123456\n".repeat(20);
        let returns = b"0123456\r\n".repeat(20);
        assert_eq!(percent(&feeds, &returns), 88);
        assert_eq!(
            percent(
                &[b"\0\n", &feeds[..]].concat(),
                &[b"\0\n", &returns[..]].concat()
            ),
            1
        );
    }

    #[test]
    fn a_byte_put_before_a_long_line_moves_every_piece() {
        let long: Vec<u8> = (0..2_000_u32)
            .map(|i| (i * 7 + i / 50) as u8 % 90 + 33)
            .collect();
        assert!(percent(&long, &[b"x", &long[..]].concat()) < 10);
        assert_eq!(percent(&long, &[&long[..], b"x"].concat()), 99);
    }

    #[test]
    fn sizes_rule_out_only_what_cannot_reach_the_score() {
        assert!(!sizes_rule_out(50, 100, HALF));
        assert!(sizes_rule_out(49, 100, HALF));
        assert!(sizes_rule_out(74, 100, SAME_NAME));
        assert!(!sizes_rule_out(75, 100, SAME_NAME));
        assert!(!sizes_rule_out(0, 0, HALF));
    }
}
