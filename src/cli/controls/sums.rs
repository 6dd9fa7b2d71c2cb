//! Figures of checkpoints added up over a chain, and of chains over an arm.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{CheckpointControls, Control, ControlCount, Controlled};

/// One figure over several checkpoints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sum {
    /// The sum over those where it is known.
    pub count: u64,
    /// How many these are.
    pub known: u64,
    /// Checkpoints at which it is not known.
    pub unknown: Vec<u32>,
    /// Why.
    pub whys: BTreeSet<String>,
    /// Checkpoints at which it is not 0.
    pub checkpoints: Vec<u32>,
    /// What was found there.
    pub what: Vec<String>,
}

impl Sum {
    /// The count, where it is known everywhere.
    pub(super) fn whole(&self) -> Option<u64> {
        (self.unknown.is_empty() && self.known > 0).then_some(self.count)
    }

    /// What it is at least; `None` where it is known nowhere.
    pub(super) fn at_least(&self) -> Option<u64> {
        (self.known > 0).then_some(self.count)
    }
}

/// Every figure over several checkpoints.
pub(super) type Sums = BTreeMap<Control, Sum>;

/// Those of a chain.
pub(super) fn of(chain: &Controlled) -> Sums {
    let mut sums = Sums::new();
    for checkpoint in &chain.checkpoints {
        for (control, count) in &checkpoint.figures {
            let sum = sums.entry(*control).or_default();
            match count {
                ControlCount::Known(count, what) => {
                    sum.known += 1;
                    sum.count = sum.count.saturating_add(*count);
                    if *count > 0 {
                        sum.checkpoints.push(checkpoint.number);
                        sum.what.extend(what.iter().cloned());
                    }
                }
                ControlCount::Unknown(why) => {
                    sum.unknown.push(checkpoint.number);
                    sum.whys.insert(why.clone());
                }
            }
        }
    }
    sums
}

/// One arm's figures.
pub(super) struct Arm {
    /// Its name, with the experiment before it.
    pub name: String,
    /// How many chains it has.
    pub chains: u64,
    /// Every figure: the sum over its chains, in how many of them it is not 0, and in how many it
    /// is not wholly known.
    pub figures: BTreeMap<Control, OfArm>,
}

/// One figure of an arm.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OfArm {
    /// The sum over checkpoints where it is known.
    pub count: u64,
    /// Whether it is known anywhere.
    pub known: bool,
    /// Chains in which it is not 0.
    pub with: u64,
    /// Chains in which it is not known at every checkpoint.
    pub lacking: u64,
}

/// The figures of each arm, by name.
pub(super) fn by_arm(all: &[Controlled]) -> Vec<Arm> {
    let mut arms = BTreeMap::<&str, Arm>::new();
    for chain in all {
        let arm = arms.entry(&chain.arm).or_insert_with(|| Arm {
            name: chain.arm.clone(),
            chains: 0,
            figures: BTreeMap::new(),
        });
        arm.chains += 1;
        for (control, sum) in of(chain) {
            let figure = arm.figures.entry(control).or_default();
            figure.count = figure.count.saturating_add(sum.count);
            figure.known |= sum.known > 0;
            figure.with += u64::from(sum.count > 0);
            figure.lacking += u64::from(!sum.unknown.is_empty());
        }
    }
    arms.into_values().collect()
}

/// The figures that are not 0 anywhere.
pub(super) fn seen(all: &[Controlled]) -> BTreeSet<Control> {
    let mut seen = BTreeSet::new();
    for chain in all {
        seen.extend(
            of(chain)
                .iter()
                .filter(|(_, s)| s.count > 0)
                .map(|(c, _)| *c),
        );
    }
    seen
}

/// Whether something of a checkpoint is not known.
pub(super) fn lacks(checkpoint: &CheckpointControls) -> bool {
    let mut counts = checkpoint.figures.values();
    counts.any(|c| matches!(c, ControlCount::Unknown(_)))
}

/// Whether something of a chain is not known.
pub(super) fn has_unknown(chain: &Controlled) -> bool {
    chain.checkpoints.iter().any(lacks)
}

/// Whether nothing of a chain is known.
pub(super) fn is_unknown(chain: &Controlled) -> bool {
    let mut counts = chain.checkpoints.iter().flat_map(|c| c.figures.values());
    counts.all(|c| matches!(c, ControlCount::Unknown(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(name: &str, counts: &[Option<u64>]) -> Controlled {
        let checkpoint = |(at, count): (usize, &Option<u64>)| CheckpointControls {
            number: u32::try_from(at).expect("small") + 1,
            id: "x".to_owned(),
            figures: BTreeMap::from([(
                Control::Stubs,
                match count {
                    Some(n) => ControlCount::Known(*n, vec![format!("{at}.bin")]),
                    None => ControlCount::Unknown("nobody looked".to_owned()),
                },
            )]),
            isolation: BTreeMap::new(),
        };
        Controlled {
            chain: name.to_owned(),
            arm: "e/a".to_owned(),
            checkpoints: counts.iter().enumerate().map(checkpoint).collect(),
            changed: Vec::new(),
        }
    }

    #[test]
    fn a_sum_over_what_is_not_known_everywhere_is_a_least() {
        let stubs = |counts: &[Option<u64>]| of(&chain("c", counts))[&Control::Stubs].clone();
        let all = stubs(&[Some(2), Some(0), Some(3)]);
        assert_eq!((all.whole(), all.at_least()), (Some(5), Some(5)));
        assert_eq!(all.checkpoints, [1, 3]);
        assert_eq!(all.what, ["0.bin", "2.bin"]);
        let some = stubs(&[Some(2), None]);
        assert_eq!((some.whole(), some.at_least()), (None, Some(2)));
        assert_eq!(some.unknown, [2]);
        let none = stubs(&[None, None]);
        assert_eq!((none.whole(), none.at_least()), (None, None));
        assert!(is_unknown(&chain("c", &[None])) && has_unknown(&chain("c", &[None, Some(1)])));
        assert!(!is_unknown(&chain("c", &[None, Some(0)])));
    }

    #[test]
    fn an_arm_has_the_sum_of_its_chains() {
        let all = [
            chain("one", &[Some(2), None]),
            chain("two", &[Some(0)]),
            chain("three", &[Some(4)]),
        ];
        let arms = by_arm(&all);
        assert_eq!((arms.len(), arms[0].chains), (1, 3));
        let wanted = OfArm {
            count: 6,
            known: true,
            with: 2,
            lacking: 1,
        };
        assert_eq!(arms[0].figures[&Control::Stubs], wanted);
        assert_eq!(seen(&all), BTreeSet::from([Control::Stubs]));
    }
}
