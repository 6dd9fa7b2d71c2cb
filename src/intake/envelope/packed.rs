//! Tokens of one answer in few bytes, since a long session has a hundred thousand of them.

use super::amount::{Amount, Buckets};

/// Six buckets of at most 2³² − 1 tokens each; one with more is no answer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed {
    values: [u32; 6],
    /// Two bits for each value: 0 absent, 1 unusable, 2 known.
    states: u16,
}

impl From<Buckets> for Packed {
    fn from(from: Buckets) -> Packed {
        let mut packed = Packed {
            values: [0; 6],
            states: 0,
        };
        for (i, amount) in from.each().into_iter().enumerate() {
            let state = match amount {
                Amount::Absent => 0,
                Amount::Unusable => 1,
                Amount::Known(value) => match u32::try_from(value) {
                    Ok(value) => {
                        packed.values[i] = value;
                        2
                    }
                    Err(_) => 1,
                },
            };
            packed.states |= state << (2 * i);
        }
        packed
    }
}

impl From<Packed> for Buckets {
    fn from(from: Packed) -> Buckets {
        let at = |i: usize| match from.states >> (2 * i) & 3 {
            0 => Amount::Absent,
            2 => Amount::Known(u64::from(from.values[i])),
            _ => Amount::Unusable,
        };
        Buckets {
            input: at(0),
            output: at(1),
            cache_read: at(2),
            cache_creation_5m: at(3),
            cache_creation_1h: at(4),
            reasoning: at(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_read_back_as_they_were_packed() {
        let buckets = Buckets {
            input: Amount::Known(7),
            output: Amount::Unusable,
            cache_read: Amount::Absent,
            cache_creation_5m: Amount::Known(u64::from(u32::MAX)),
            cache_creation_1h: Amount::Known(0),
            reasoning: Amount::Absent,
        };
        assert_eq!(Buckets::from(Packed::from(buckets)), buckets);
        let large = Buckets {
            input: Amount::Known(1 << 32),
            ..buckets
        };
        assert_eq!(Buckets::from(Packed::from(large)).input, Amount::Unusable);
    }
}
