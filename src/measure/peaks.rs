//! Peaks: the worst function, the heaviest class, the entry handler.
//!
//! Formula: `hotspot_cc` = max CC over the touched subsystem; `wmc_max` = max over its classes
//! of Σ CC; `entry_cc` = max CC over the functions an entry pattern matches.
//! Source: PetClinic-Evolve; weighted methods per class after Chidamber and Kemerer 1994.
//! Reads high on: one place that absorbs each new rule.
//! Blind spot: everything but the greatest; a second god class behind the first is not seen.

use crate::history::Step;

use super::definition::{Level, Measure, TREE};
use super::tree::{each_language, extreme, scoped, whole};
use super::{Figure, Value};

const fn peak(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        unit: "CC",
        per_language: true,
        needs: TREE,
        ..Measure::now("peaks", Level::State, compute)
    }
}

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "hotspot_cc",
        aliases: &["hotspot"],
        title: "hotspot complexity",
        windowed: true,
        definition: "The greatest cyclomatic complexity of a function in the touched subsystem \
                     (files changed since the base and still there), with the function's name.",
        edges: "Ties: the longer one, then by path and line. No function there: undefined. \
                Files that cannot be read are left out and named.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "One function that becomes a god-method.",
        blind_spot: "All functions but one. A jump may be a file that was touched for the \
                     first time, not a function that grew: look at the name.",
        ..peak(hotspot_cc)
    },
    Measure {
        id: "wmc_max",
        aliases: &["wmc"],
        title: "heaviest class",
        windowed: true,
        definition: "Cyclomatic complexity summed by class, the greatest sum in the touched \
                     subsystem, with the class's name. A class is one of the syntax tree, nested \
                     ones by themselves; in Go a receiver type.",
        edges: "Functions outside classes are in none. Methods of anonymous classes count in the \
                class around them. No class there: undefined. Files that cannot be read are left \
                out and named.",
        source: "Chidamber and Kemerer (CK), PetClinic-Evolve (PC), which groups by file",
        reads_high: "A class that collects many rules, though each method stays tidy: what \
                     erosion misses.",
        blind_spot: "Code without classes: Python modules and Go functions without receiver.",
        ..peak(wmc_max)
    },
    Measure {
        id: "wmc_max_file",
        title: "heaviest file",
        primary: false,
        windowed: true,
        definition: "Cyclomatic complexity summed by file, the greatest sum in the touched \
                     subsystem, with the file's name.",
        edges: "No function there: undefined. Files that cannot be read are left out and named.",
        source: "PetClinic-Evolve (PC), as implemented; for comparison with its figures",
        reads_high: "Long files full of functions.",
        blind_spot: "Several small classes in one file read like one big one.",
        ..peak(wmc_max_file)
    },
    Measure {
        id: "entry_cc",
        aliases: &["entry_handler_cc"],
        title: "entry handler complexity",
        needs_entry: true,
        definition: "The greatest cyclomatic complexity among the production functions whose \
                     path::Class::function matches the entry pattern, with the function's name.",
        edges: "No pattern given, or nothing matches: unknown, since a front door that was not \
                found is not one without rules. Ties: the longer one, then by path and line.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "A handler that absorbs each new rule instead of passing it on.",
        blind_spot: "Where the rules went if they are not here; a renamed handler reads as \
                     unknown.",
        ..peak(entry_cc)
    },
];

fn hotspot_cc(step: &Step) -> Figure {
    each_language(step, scoped, |of| {
        let none = Value::Undefined("no function in the touched subsystem".to_owned());
        extreme(of.hotspot.as_ref(), none)
    })
}

fn wmc_max(step: &Step) -> Figure {
    each_language(step, scoped, |of| {
        let none = Value::Undefined("no class in the touched subsystem".to_owned());
        extreme(of.wmc.as_ref(), none)
    })
}

fn wmc_max_file(step: &Step) -> Figure {
    each_language(step, scoped, |of| {
        let none = Value::Undefined("no function in the touched subsystem".to_owned());
        extreme(of.wmc_file.as_ref(), none)
    })
}

fn entry_cc(step: &Step) -> Figure {
    if !step.context.entry_given {
        return Figure {
            language: step.context.language,
            ..Figure::from(Value::unknown("no entry pattern was given"))
        };
    }
    each_language(step, whole, |of| {
        let none = Value::unknown("no function matches the entry pattern");
        extreme(of.entry.as_ref(), none)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::history::{Context, Extreme, Language, LanguageState};
    use crate::measure::fixture::{known, left_out, of, step, undefined, unknown, with_state};

    fn at(value: i64, name: &str) -> Option<Extreme> {
        Some(Extreme {
            value,
            name: name.to_owned(),
        })
    }

    fn with_entry_pattern(mut step: Step) -> Step {
        step.context = Arc::new(Context {
            entry_given: true,
            ..(*step.context).clone()
        });
        step
    }

    #[test]
    fn peaks_carry_the_name_of_what_they_belong_to() {
        let java = LanguageState {
            files: 2,
            hotspot: at(12, "src/A.java::A::run"),
            wmc: at(30, "src/A.java::A"),
            wmc_file: at(34, "src/A.java"),
            entry: at(7, "src/A.java::A::post"),
            ..LanguageState::default()
        };
        let step = with_entry_pattern(with_state(step(Vec::new()), [(Language::Java, java)]));
        for (id, value, name) in [
            ("hotspot_cc", 12.0, "src/A.java::A::run"),
            ("wmc_max", 30.0, "src/A.java::A"),
            ("wmc_max_file", 34.0, "src/A.java"),
            ("entry_cc", 7.0, "src/A.java::A::post"),
        ] {
            let known = known(id, &step);
            assert_eq!(known.value, value, "{id}");
            assert_eq!(known.name.as_deref(), Some(name), "{id}");
        }
    }

    #[test]
    fn an_untouched_tree_has_no_peak() {
        let java = LanguageState {
            files: 1,
            loc: 10,
            ..LanguageState::default()
        };
        let step = with_state(step(Vec::new()), [(Language::Java, java)]);
        assert_eq!(
            undefined("hotspot_cc", &step),
            "no function in the touched subsystem"
        );
        assert_eq!(
            undefined("wmc_max", &step),
            "no class in the touched subsystem"
        );
        undefined("wmc_max_file", &step);
    }

    #[test]
    fn a_peak_over_read_files_names_the_touched_ones_left_out() {
        let java = LanguageState {
            files: 9,
            hotspot: at(12, "src/A.java::A::run"),
            left_out: left_out(5, "syntax error"),
            left_out_scoped: left_out(1, "syntax error"),
            ..LanguageState::default()
        };
        let step = with_state(step(Vec::new()), [(Language::Java, java)]);
        let hotspot = known("hotspot_cc", &step);
        assert_eq!(hotspot.left_out.map(|l| l.files), Some(1));
    }

    #[test]
    fn an_entry_that_was_not_named_or_not_found_is_unknown() {
        let java = LanguageState {
            files: 1,
            loc: 10,
            ..LanguageState::default()
        };
        let without = with_state(step(Vec::new()), [(Language::Java, java)]);
        assert_eq!(unknown("entry_cc", &without), "no entry pattern was given");
        assert_eq!(of("entry_cc", &without).language, Some(Language::Java));
        assert_eq!(
            unknown("entry_cc", &with_entry_pattern(without)),
            "no function matches the entry pattern"
        );
    }
}
