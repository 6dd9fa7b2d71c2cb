//! A 64-bit hash of a function's tokens, the same in every run and on every platform.

/// The hash of no tokens.
pub(super) const START: u64 = 0x9e37_79b9_7f4a_7c15;
/// The mark of a function inside the function.
pub(super) const NESTED: u64 = 1;
/// The mark of a block's begin (Python).
pub(super) const BLOCK: u64 = 2;
/// The mark of a block's end (Python).
pub(super) const BLOCK_END: u64 = 3;
/// The mark of a statement's begin (Python) or of the place between two (Go).
pub(super) const STATEMENT: u64 = 4;

const K: u64 = 0xff51_afd7_ed55_8ccd;

fn mix(hash: u64, word: u64) -> u64 {
    let x = (hash ^ word).wrapping_mul(K);
    x ^ (x >> 29)
}

/// Adds one token's text: its length, then its bytes as little-endian words.
pub(super) fn token(mut hash: u64, text: &[u8]) -> u64 {
    hash = mix(hash, text.len() as u64);
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        let word: [u8; 8] = word.try_into().unwrap_or_default();
        hash = mix(hash, u64::from_le_bytes(word));
    }
    let mut rest = [0; 8];
    let tail = words.remainder();
    rest[..tail.len()].copy_from_slice(tail);
    mix(hash, u64::from_le_bytes(rest)).rotate_left(5)
}

/// Adds a mark that no token's text can be taken for.
pub(super) fn mark(hash: u64, mark: u64) -> u64 {
    // A length no token has.
    mix(hash, !mark).rotate_left(11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_tells_token_borders_apart() {
        let one = token(START, b"ab");
        let two = token(token(START, b"a"), b"b");
        assert_ne!(one, two);
        assert_ne!(mark(one, NESTED), mark(one, BLOCK));
        assert_ne!(token(START, b"12345678"), token(START, b"123456789"));
    }

    #[test]
    fn the_hash_of_a_text_never_changes() {
        let h = token(token(START, b"return"), b"some_longer_name");
        assert_eq!(h, 0x8f3a_3788_44fa_9064);
    }
}
