//! Which checkpoint a test belongs to, and of what category it is.

use std::collections::BTreeMap;

use regex::Captures;

use super::{PlannedCheckpoint, TestPlan};

/// Of what kind a test is at one checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The essential path of the request.
    Core,
    /// What is to go wrong rightly.
    Error,
    /// The rest of the request.
    Functionality,
    /// Of an earlier checkpoint, or marked as such.
    Regression,
}

impl Category {
    /// The word in plans and output.
    pub fn word(self) -> &'static str {
        match self {
            Category::Core => "core",
            Category::Error => "error",
            Category::Functionality => "functionality",
            Category::Regression => "regression",
        }
    }

    /// Every category.
    pub const ALL: [Category; 4] = [
        Category::Core,
        Category::Error,
        Category::Functionality,
        Category::Regression,
    ];

    /// The category that `word` names, in any letter case.
    pub fn parse(word: &str) -> Option<Category> {
        Category::ALL
            .into_iter()
            .find(|c| word.eq_ignore_ascii_case(c.word()))
    }
}

/// What is known of a test by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Belongs {
    /// The checkpoint it came with.
    pub checkpoint: Option<u32>,
    /// What it is marked as; `None`: not marked.
    pub category: Option<Category>,
}

impl Belongs {
    /// What the test is at checkpoint `number`: of an earlier one it is [`Category::Regression`];
    /// of this one, or of none that is named, what it is marked as, else functionality. `None`:
    /// nothing says what it is, or it is a later checkpoint's.
    pub fn at(self, number: u32) -> Option<Category> {
        match self.checkpoint {
            Some(own) if own < number => Some(Category::Regression),
            Some(own) if own > number => None,
            Some(_) => Some(self.category.unwrap_or(Category::Functionality)),
            None => self.category,
        }
    }
}

/// Checkpoint numbers by id.
pub type Numbers = BTreeMap<String, u32>;

impl TestPlan {
    /// Whether it says anything of what tests are.
    pub fn tells_tests(&self) -> bool {
        !self.patterns.is_empty() || self.checkpoints.iter().any(|c| !c.tests.is_empty())
    }

    /// The checkpoint of a number.
    pub fn checkpoint(&self, number: u32) -> Option<&PlannedCheckpoint> {
        self.checkpoints.iter().find(|c| c.number == number)
    }

    /// What the test `id` is: by the patterns of the plan's checkpoints, the first that matches
    /// in the plan's order; else by the first of the common patterns. `numbers` are those of
    /// checkpoint ids that a pattern may find.
    pub fn belongs(&self, id: &str, numbers: &Numbers) -> Belongs {
        for checkpoint in &self.checkpoints {
            if let Some((category, _)) = checkpoint.tests.iter().find(|(_, p)| p.is_match(id)) {
                return Belongs {
                    checkpoint: Some(checkpoint.number),
                    category: Category::parse(category),
                };
            }
        }
        let found = self.patterns.iter().find_map(|p| p.captures(id));
        found.map_or_else(Belongs::default, |found| Belongs {
            checkpoint: number_of(&found, numbers),
            category: found
                .name("category")
                .and_then(|word| Category::parse(word.as_str())),
        })
    }

    /// Whether checkpoint `number` is declared to change the test `id`, which is `belongs`.
    pub fn mutates(&self, number: u32, id: &str, belongs: Belongs) -> bool {
        let Some(planned) = self.checkpoint(number) else {
            return false;
        };
        // A checkpoint's own tests are new, not changed.
        let of_another = belongs.checkpoint.filter(|own| *own != number);
        of_another.is_some_and(|own| planned.mutates.contains(&own))
            || planned.mutates_tests.iter().any(|p| p.is_match(id))
    }

    /// Whether checkpoint `number` is declared to change any.
    pub fn mutates_any(&self, number: u32) -> bool {
        self.checkpoint(number)
            .is_some_and(|c| !c.mutates.is_empty() || !c.mutates_tests.is_empty())
    }
}

/// The checkpoint a pattern found: a number, or an id.
fn number_of(found: &Captures<'_>, numbers: &Numbers) -> Option<u32> {
    let word = found.name("checkpoint")?.as_str();
    word.parse().ok().or_else(|| numbers.get(word).copied())
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    fn pattern(text: &str) -> Regex {
        Regex::new(text).expect("a pattern")
    }

    fn plan() -> TestPlan {
        TestPlan {
            patterns: vec![
                pattern(r"Cp0*(?P<checkpoint>\d+)Tests::(?P<category>core|error)?"),
                pattern(r"^tests\.(?P<checkpoint>[a-z-]+)\."),
            ],
            checkpoints: vec![PlannedCheckpoint {
                number: 3,
                id: "three".to_owned(),
                tests: vec![("error".to_owned(), pattern("::refuses"))],
                mutates: vec![2],
                mutates_tests: vec![pattern("::legacy")],
            }],
        }
    }

    fn belongs(id: &str) -> (Option<u32>, Option<Category>) {
        let numbers = Numbers::from([("add-owner".to_owned(), 4)]);
        let found = plan().belongs(id, &numbers);
        (found.checkpoint, found.category)
    }

    #[test]
    fn a_pattern_gives_checkpoint_and_category_and_the_plan_comes_first() {
        assert_eq!(
            belongs("org.Cp07Tests::coreList"),
            (Some(7), Some(Category::Core))
        );
        assert_eq!(belongs("org.Cp007Tests::other"), (Some(7), None));
        assert_eq!(belongs("tests.add-owner.x::t"), (Some(4), None));
        assert_eq!(belongs("tests.unheard.x::t"), (None, None));
        assert_eq!(
            belongs("org.Cp07Tests::refusesNull"),
            (Some(3), Some(Category::Error)),
            "what the plan says of a checkpoint comes first"
        );
        assert_eq!(belongs("other::t"), (None, None));
    }

    #[test]
    fn an_earlier_checkpoints_test_is_regression_whatever_it_is_marked_as() {
        let core = |checkpoint| Belongs {
            checkpoint,
            category: Some(Category::Core),
        };
        assert_eq!(core(Some(2)).at(3), Some(Category::Regression));
        assert_eq!(core(Some(3)).at(3), Some(Category::Core));
        assert_eq!(core(Some(4)).at(3), None);
        assert_eq!(core(None).at(3), Some(Category::Core));
        assert_eq!(Belongs::default().at(3), None);
        let plain = Belongs {
            checkpoint: Some(3),
            category: None,
        };
        assert_eq!(plain.at(3), Some(Category::Functionality));
    }

    #[test]
    fn what_a_checkpoint_may_change_is_named_by_checkpoint_or_by_pattern() {
        let plan = plan();
        let of = |checkpoint| Belongs {
            checkpoint: Some(checkpoint),
            category: None,
        };
        assert!(plan.mutates(3, "x", of(2)));
        assert!(!plan.mutates(3, "x", of(1)));
        assert!(plan.mutates(3, "a::legacy", Belongs::default()));
        assert!(!plan.mutates(4, "x", of(2)), "not in the plan");
        assert!(plan.mutates_any(3) && !plan.mutates_any(1));
    }
}
