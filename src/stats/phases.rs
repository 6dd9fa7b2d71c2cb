//! The trajectory in five numbers.

use super::series::Grid;

/// A fifth of the chain, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhaseName {
    /// The first fifth.
    Start,
    /// The second.
    Early,
    /// The third.
    Mid,
    /// The fourth.
    Late,
    /// The last.
    Final,
}

impl PhaseName {
    /// All five, in order.
    pub const ALL: [PhaseName; 5] = [
        PhaseName::Start,
        PhaseName::Early,
        PhaseName::Mid,
        PhaseName::Late,
        PhaseName::Final,
    ];

    /// The name, as the tables print it.
    pub fn as_str(self) -> &'static str {
        match self {
            PhaseName::Start => "Start",
            PhaseName::Early => "Early",
            PhaseName::Mid => "Mid",
            PhaseName::Late => "Late",
            PhaseName::Final => "Final",
        }
    }
}

/// The mean of one fifth of the chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Which fifth.
    pub name: PhaseName,
    /// Mean of its checkpoint values, each chain's each checkpoint counted once; `None` where it
    /// has none.
    pub mean: Option<f64>,
    /// How many values that is the mean of.
    pub n: usize,
}

/// Phase means: the checkpoint at position i (from 0) of the n given is in fifth ⌊5i/n⌋, whether
/// it has a value or not, so that a missing value moves no border. Empty under five checkpoints.
pub(super) fn phases(grid: &Grid) -> Vec<Phase> {
    if grid.positions < PhaseName::ALL.len() {
        return Vec::new();
    }
    let phase = |(fifth, name): (usize, &PhaseName)| {
        let mut sum = 0.0;
        let mut n = 0_usize;
        for row in &grid.rows {
            for (value, position) in row.iter().zip(&grid.position) {
                if !value.is_nan() && 5 * position / grid.positions == fifth {
                    sum += value;
                    n += 1;
                }
            }
        }
        Phase {
            name: *name,
            mean: (n > 0).then(|| sum / n as f64),
            n,
        }
    };
    PhaseName::ALL.iter().enumerate().map(phase).collect()
}

#[cfg(test)]
mod tests {
    use super::{PhaseName, phases};
    use crate::stats::series::{Grid, Point, Series};

    fn grid(values: &[Option<f64>]) -> Grid {
        let points = values
            .iter()
            .enumerate()
            .map(|(i, &value)| Point {
                index: i as f64 + 1.0,
                value,
            })
            .collect();
        Grid::new(&[Series {
            chain: "1".to_owned(),
            points,
        }])
    }

    #[test]
    fn twenty_checkpoints_make_five_phases_of_four() {
        let values: Vec<_> = (1..=20).map(|i| Some(f64::from(i))).collect();
        let got = phases(&grid(&values));
        assert!(got.iter().all(|p| p.n == 4));
        let means: Vec<_> = got.iter().map(|p| p.mean.expect("values")).collect();
        assert_eq!(means, [2.5, 6.5, 10.5, 14.5, 18.5]);
        assert_eq!(got[4].name, PhaseName::Final);
    }

    #[test]
    fn a_missing_value_moves_no_border() {
        let mut values: Vec<_> = (1..=20).map(|i| Some(f64::from(i))).collect();
        values[0] = None;
        let got = phases(&grid(&values));
        assert_eq!((got[0].n, got[0].mean), (3, Some(3.0)));
        assert_eq!(got[1].mean, Some(6.5));
        let all = phases(&grid(&[Some(1.0), None, Some(1.0), Some(1.0), Some(1.0)]));
        assert_eq!((all[1].n, all[1].mean), (0, None));
    }

    #[test]
    fn under_five_checkpoints_there_are_no_phases() {
        assert!(phases(&grid(&[Some(1.0); 4])).is_empty());
        assert_eq!(
            phases(&grid(&[Some(1.0); 7]))
                .iter()
                .map(|p| p.n)
                .collect::<Vec<_>>(),
            [2, 1, 2, 1, 1]
        );
    }
}
