//! Ids that changed although the tests did not: which vanished id goes on as which new one.
//!
//! Three things rename tests that nobody touched: parameters named after their position, a test
//! file that moved, and a tool that names tests in another way. What is paired is listed, what
//! could be meant by two is not paired.

use std::collections::{BTreeMap, BTreeSet};

use super::test_places::splits;

mod columns;
mod moved;
mod schemes;

pub use schemes::SchemeChange;

/// What pairing came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairing {
    /// Pairs, by their earlier id. No id stands in two of them, and none that is on both sides.
    pub pairs: Vec<Pair>,
    /// Vanished and new ids that differ from one of the other side in a number alone, so that
    /// nothing tells which is which (`positional-ids`). They stay vanished and new.
    pub positional: BTreeSet<String>,
    /// Classes whose tests are named in another way than before (`id-scheme-changed`).
    pub schemes: Vec<SchemeChange>,
}

/// One test under two ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Its earlier id.
    pub before: String,
    /// Its id now.
    pub now: String,
    /// What renamed it.
    pub why: Renaming,
}

/// What renamed a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Renaming {
    /// Parameters that are named after their position.
    Parameters,
    /// Its file moved.
    Moved,
    /// Its class is told with another path than before.
    Scheme,
}

impl Pairing {
    /// Earlier id to the id now.
    pub fn forward(&self) -> BTreeMap<&str, &str> {
        let pairs = self.pairs.iter();
        pairs.map(|p| (p.before.as_str(), p.now.as_str())).collect()
    }
}

/// What is left to be paired.
struct Left<'a> {
    vanished: BTreeSet<&'a str>,
    appeared: BTreeSet<&'a str>,
    pairs: Vec<Pair>,
}

impl Left<'_> {
    /// Keeps those of `edges` whose ends have no other one.
    fn pair_lonely(&mut self, edges: &BTreeSet<(String, String)>, why: Renaming) {
        let mut from: BTreeMap<&str, u32> = BTreeMap::new();
        let mut to: BTreeMap<&str, u32> = BTreeMap::new();
        for (before, now) in edges {
            *from.entry(before).or_default() += 1;
            *to.entry(now).or_default() += 1;
        }
        for (before, now) in edges {
            if from[before.as_str()] == 1 && to[now.as_str()] == 1 {
                self.vanished.remove(before.as_str());
                self.appeared.remove(now.as_str());
                self.pairs.push(Pair {
                    before: before.clone(),
                    now: now.clone(),
                    why,
                });
            }
        }
    }
}

/// Pairs the ids that are in `before` alone with those in `now` alone, one to one.
///
/// `before` and `now` are the ids of two runs, whatever came of them, containers left out;
/// `moved` has renamed files of the change between them, earlier path to path now. Tried in this
/// order, each on what is left:
/// 1. *moved*: equal names, classes that stand in the two paths of one rename;
/// 2. *parameters*: the same function, parameters equal but for the digits at the end of those
///    that are named after their position (`path3`), at least one equal as it is; of Gradle's
///    `[2] label` the same label;
/// 3. *scheme*: equal names, a class that is told with more or fewer leading parts, or in
///    another module, and that is on either side alone.
pub fn pair<'a>(
    before: impl IntoIterator<Item = &'a str>,
    now: impl IntoIterator<Item = &'a str>,
    moved: &BTreeMap<String, String>,
) -> Pairing {
    let before: BTreeSet<&str> = before.into_iter().collect();
    let now: BTreeSet<&str> = now.into_iter().collect();
    let mut left = Left {
        vanished: before.difference(&now).copied().collect(),
        appeared: now.difference(&before).copied().collect(),
        pairs: Vec::new(),
    };
    let mut pairing = Pairing::default();
    if !left.vanished.is_empty() && !left.appeared.is_empty() {
        moved::pair(&mut left, moved);
        columns::pair(&mut left, &before, &now);
        schemes::pair(&mut left, &before, &now, &mut pairing.schemes);
        pairing.positional = columns::positional(&left);
        schemes::renamed_within(&left, &before, &pairing.positional, &mut pairing.schemes);
    }
    pairing.schemes.sort();
    pairing.pairs = left.pairs;
    pairing.pairs.sort();
    pairing
}

/// Module, class and name by the first `::`, which is the right place for all but classes that
/// contain it.
fn parts(id: &str) -> (Option<&str>, &str, &str) {
    splits(id).next().unwrap_or((None, "", id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paired(before: &[&str], now: &[&str], moved: &[(&str, &str)]) -> Pairing {
        let moved = moved.iter();
        let moved = moved.map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        pair(
            before.iter().copied(),
            now.iter().copied(),
            &moved.collect(),
        )
    }

    fn shown(pairing: &Pairing) -> Vec<(&str, &str)> {
        pairing.forward().into_iter().collect()
    }

    #[test]
    fn an_inserted_parameter_set_shifts_the_later_ones() {
        let before = [
            "t::f[a.js-path0]",
            "t::f[b2.js-path1]",
            "t::f[c.js-path2]",
            "t::g",
        ];
        let now = [
            "t::f[a.js-path0]",
            "t::f[new.js-path1]",
            "t::f[b2.js-path2]",
            "t::f[c.js-path3]",
            "t::g",
        ];
        let pairing = paired(&before, &now, &[]);
        assert_eq!(
            shown(&pairing),
            [
                ("t::f[b2.js-path1]", "t::f[b2.js-path2]"),
                ("t::f[c.js-path2]", "t::f[c.js-path3]"),
            ]
        );
        assert!(pairing.positional.is_empty() && pairing.schemes.is_empty());
    }

    #[test]
    fn values_that_end_in_digits_do_not_confuse_the_position() {
        let before = ["t::f[x1-p0]", "t::f[x2-p1]"];
        let now = ["t::f[y-p0]", "t::f[x1-p1]", "t::f[x2-p2]"];
        assert_eq!(
            shown(&paired(&before, &now, &[])),
            [
                ("t::f[x1-p0]", "t::f[x1-p1]"),
                ("t::f[x2-p1]", "t::f[x2-p2]")
            ]
        );
        let before = ["t::f[1-p0]", "t::f[2-p1]"];
        let now = ["t::f[0-p0]", "t::f[1-p1]", "t::f[2-p2]"];
        assert_eq!(
            shown(&paired(&before, &now, &[])),
            [("t::f[1-p0]", "t::f[1-p1]"), ("t::f[2-p1]", "t::f[2-p2]")]
        );
    }

    #[test]
    fn numbers_alone_pair_nothing_and_are_said() {
        for (before, now) in [
            (["t::f[path0]"], ["t::f[path1]"]),
            (["o.A::m(int[])[1]"], ["o.A::m(int[])[2]"]),
            (["x/p::T/dup"], ["x/p::T/dup#01"]),
            (["x/p::T/#00"], ["x/p::T/#01"]),
            (["t::f[a0-b0]"], ["t::f[a1-b1]"]),
        ] {
            let pairing = paired(&before, &now, &[]);
            assert_eq!(pairing.pairs, [], "{before:?}");
            assert_eq!(pairing.positional.len(), 2, "{before:?}");
        }
    }

    #[test]
    fn other_values_are_other_tests() {
        let pairing = paired(&["t::price[usd-10]"], &["t::price[usd-20]"], &[]);
        assert_eq!(pairing.pairs, []);
        let pairing = paired(&["t::f[a-path1]"], &["t::g[a-path2]"], &[]);
        assert_eq!(pairing.pairs, [], "another function");
        let pairing = paired(&["t::f"], &["t::g"], &[]);
        assert_eq!(pairing, Pairing::default());
    }

    #[test]
    fn what_could_be_meant_by_two_is_not_paired() {
        let pairing = paired(&["t::f[a-p1]"], &["t::f[a-p2]", "t::f[a-p3]"], &[]);
        assert_eq!(pairing.pairs, []);
        assert_eq!(pairing.positional.len(), 3);
    }

    #[test]
    fn a_label_keeps_its_test_when_its_number_changes() {
        let pairing = paired(
            &["o.C::[1] a", "o.C::[2] b"],
            &["o.C::[1] z", "o.C::[2] a", "o.C::[3] b"],
            &[],
        );
        assert_eq!(
            shown(&pairing),
            [("o.C::[1] a", "o.C::[2] a"), ("o.C::[2] b", "o.C::[3] b")]
        );
    }

    #[test]
    fn tests_follow_their_file() {
        let moved = [
            ("tests/test_a.py", "tests/unit/test_a.py"),
            (
                "core/src/test/java/org/x/ATest.java",
                "core/src/test/java/org/y/BTest.java",
            ),
            ("price/price_test.go", "cost/price_test.go"),
            ("v/sum.test.mjs", "v/add.test.mjs"),
        ];
        let pairing = paired(
            &[
                "tests.test_a.TestB::t[x]",
                "core//org.x.ATest$In::m",
                "example.com/s/price::TestP/sub",
                "v/sum.test.mjs::flaky",
                "tests.test_a::gone",
            ],
            &[
                "tests.unit.test_a.TestB::t[x]",
                "core//org.y.BTest$In::m",
                "example.com/s/cost::TestP/sub",
                "v/add.test.mjs::flaky",
                "tests.unit.test_b::gone",
            ],
            &moved,
        );
        assert_eq!(
            shown(&pairing),
            [
                ("core//org.x.ATest$In::m", "core//org.y.BTest$In::m"),
                (
                    "example.com/s/price::TestP/sub",
                    "example.com/s/cost::TestP/sub"
                ),
                ("tests.test_a.TestB::t[x]", "tests.unit.test_a.TestB::t[x]"),
                ("v/sum.test.mjs::flaky", "v/add.test.mjs::flaky"),
            ]
        );
        assert!(pairing.pairs.iter().all(|p| p.why == Renaming::Moved));
    }

    #[test]
    fn a_class_told_with_a_shorter_path_is_paired_and_said() {
        let pairing = paired(
            &[
                "tests.test_a.TestB::t",
                "tests.test_a.TestB::u",
                "tests.test_c::v",
            ],
            &["test_a.TestB::t", "test_a.TestB::u", "tests.test_c::v"],
            &[],
        );
        assert_eq!(
            shown(&pairing),
            [
                ("tests.test_a.TestB::t", "test_a.TestB::t"),
                ("tests.test_a.TestB::u", "test_a.TestB::u"),
            ]
        );
        assert_eq!(pairing.schemes.len(), 1);
        assert_eq!(pairing.schemes[0].before, "tests.test_a.TestB");
        assert_eq!(pairing.schemes[0].now, "test_a.TestB");
        let pairing = paired(&["api//o.A::t"], &["o.A::t"], &[]);
        assert_eq!(shown(&pairing), [("api//o.A::t", "o.A::t")]);
    }

    #[test]
    fn names_in_another_form_are_said_and_not_paired() {
        let pairing = paired(
            &["o.A::m(Class)[1]", "o.A::m(Class)[2]", "o.A::n"],
            &["o.A::[1] a", "o.A::[2] b", "o.A::n"],
            &[],
        );
        assert_eq!(pairing.pairs, []);
        let [scheme] = pairing.schemes.as_slice() else {
            panic!("one class: {pairing:?}")
        };
        assert_eq!((scheme.vanished, scheme.appeared), (2, 2));
        let pairing = paired(
            &["o.A::m", "o.A::n", "o.A::o"],
            &["o.A::m", "o.A::n", "o.A::p"],
            &[],
        );
        assert_eq!(pairing.schemes, [], "one renamed test is no scheme");
    }

    fn ids() -> impl Strategy<Value = BTreeSet<String>> {
        let class = prop::sample::select(vec!["t", "a.t", "m//t", "a.b.t", "x/p"]);
        let name = prop::sample::select(vec![
            "f", "g", "f[a-p0]", "f[a-p1]", "f[b-p1]", "f[b-p2]", "f[p1]", "f[p2]", "[1] a",
            "[2] a", "T/x#01", "T/x", "f[x1-y1]", "f[x1-y2]", "f[x2-y2]", "", "[", "f[]", "f[-]",
        ]);
        let id = (class, name).prop_map(|(c, n)| format!("{c}::{n}"));
        prop::collection::btree_set(prop_oneof![id, "[a-z0-9:\\[\\]/#. -]{0,12}"], 0..24)
    }

    fn renames() -> impl Strategy<Value = BTreeMap<String, String>> {
        let path = prop::sample::select(vec!["t.py", "a/t.py", "a/b/t.py", "x/p/p_test.go", "q"]);
        prop::collection::btree_map(
            path.clone().prop_map(str::to_owned),
            path.prop_map(str::to_owned),
            0..4,
        )
    }

    proptest! {
        #[test]
        fn pairing_is_one_to_one_and_leaves_what_is_on_both_sides(
            before in ids(), now in ids(), moved in renames(),
        ) {
            let one = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
            let (b, n) = (one(&before), one(&now));
            let pairing = pair(b.iter().map(String::as_str), n.iter().map(String::as_str), &moved);
            let mut from = BTreeSet::new();
            let mut to = BTreeSet::new();
            for pair in &pairing.pairs {
                prop_assert!(before.contains(&pair.before) && !now.contains(&pair.before));
                prop_assert!(now.contains(&pair.now) && !before.contains(&pair.now));
                prop_assert!(from.insert(&pair.before), "{} twice", pair.before);
                prop_assert!(to.insert(&pair.now), "{} twice", pair.now);
            }
            for id in &pairing.positional {
                prop_assert!(before.contains(id) != now.contains(id));
                prop_assert!(!from.contains(id) && !to.contains(id));
            }
            let back = pair(
                b.iter().rev().map(String::as_str),
                n.iter().rev().chain(n.iter()).map(String::as_str),
                &moved,
            );
            prop_assert_eq!(&pairing, &back, "whatever the order");
            let same = pair(b.iter().map(String::as_str), b.iter().map(String::as_str), &moved);
            prop_assert_eq!(same, Pairing::default());
        }
    }
}
