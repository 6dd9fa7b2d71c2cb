//! Size: functions and code lines, as context for everything else.
//!
//! Formula: counts, sums, means and greatest values over production functions; code lines by
//! the counting rules of the analyser, configuration lines as lines neither blank nor comment.
//! Source: PetClinic-Evolve (`fn_*`, `java_loc`, `yaml_loc`).
//! Reads high on: big trees. Healthy growth is a rising count with a flat mean and maximum.
//! Blind spot: says nothing of quality; configuration is never part of a code ratio.

use crate::history::{ConfigLines, Language, Needs, Step};

use super::definition::{Direction, Level, Measure, NOTHING, TREE};
use super::population::number;
use super::tree::{all_languages, each_language, one_language, state, whole};
use super::{Figure, Value};

const CONFIG_LINES: Needs = Needs {
    config_lines: true,
    ..NOTHING
};

const fn size(compute: fn(&Step) -> Figure) -> Measure {
    Measure {
        direction: Direction::Descriptive,
        primary: false,
        needs: TREE,
        ..Measure::now("size", Level::State, compute)
    }
}

const LOC: Measure = Measure {
    unit: "lines",
    edges: "None of it: 0. Files that cannot be read are left out and named; where none can be, \
            unknown.",
    source: "PetClinic-Evolve (PC) for the need, this project's counting rules",
    reads_high: "The size of the code; a line with one brace is a code line too.",
    blind_spot: "Comments, blank lines and Python docstrings are no code lines.",
    ..size(loc)
};

const READ_EDGES: &str =
    "No functions: undefined. Files that cannot be read are left out and named.";

pub(super) const MEASURES: &[Measure] = &[
    Measure {
        id: "fn_count",
        title: "functions",
        unit: "functions",
        definition: "Production functions in the configured glob (all of them by default), every \
                     language added.",
        edges: "None: 0. Files that cannot be read are left out and named; where none can be, \
                unknown.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Growth by new units.",
        blind_spot: "Go closures and methods of anonymous classes are rows of their own.",
        ..size(fn_count)
    },
    Measure {
        id: "fn_nloc_avg",
        title: "mean function length",
        unit: "lines",
        per_language: true,
        definition: "Mean code lines of the production functions in the configured glob.",
        edges: READ_EDGES,
        source: "PetClinic-Evolve (PC)",
        reads_high: "Functions that grow instead of multiplying.",
        blind_spot: "The long tail: a mean stays low beside one giant.",
        ..size(fn_nloc_avg)
    },
    Measure {
        id: "fn_nloc_max",
        title: "longest function",
        unit: "lines",
        per_language: true,
        definition: "Code lines of the longest production function in the configured glob.",
        edges: READ_EDGES,
        source: "PetClinic-Evolve (PC)",
        reads_high: "One function that keeps growing.",
        blind_spot: "All functions but one; long tables of data read like long logic.",
        ..size(fn_nloc_max)
    },
    Measure {
        id: "fn_cc_max",
        title: "most complex function",
        unit: "CC",
        per_language: true,
        definition: "Greatest cyclomatic complexity of a production function in the configured \
                     glob.",
        edges: READ_EDGES,
        source: "PetClinic-Evolve (PC)",
        reads_high: "One function that absorbs each new rule.",
        blind_spot: "All functions but one; a flat switch reads like a knot.",
        ..size(fn_cc_max)
    },
    Measure {
        id: "loc",
        title: "code lines",
        definition: "Code lines of the production tree, every analysed language added.",
        ..LOC
    },
    Measure {
        id: "loc_java",
        title: "Java code lines",
        definition: "Code lines of the production tree's Java files.",
        compute: Some(loc_java),
        ..LOC
    },
    Measure {
        id: "loc_python",
        title: "Python code lines",
        definition: "Code lines of the production tree's Python files.",
        compute: Some(loc_python),
        ..LOC
    },
    Measure {
        id: "loc_go",
        title: "Go code lines",
        definition: "Code lines of the production tree's Go files.",
        compute: Some(loc_go),
        ..LOC
    },
    Measure {
        id: "fn_sloc",
        aliases: &["java_loc"],
        title: "code lines in functions",
        unit: "lines",
        per_language: true,
        definition: "Code lines summed over all production functions: what PetClinic-Evolve \
                     calls java_loc.",
        edges: "No functions: 0. Files that cannot be read are left out and named; where none \
                can be, unknown.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "The size of the logic.",
        blind_spot: "Fields, imports, module-level code and types are not in it.",
        ..size(fn_sloc)
    },
    Measure {
        id: "loc_yaml",
        aliases: &["yaml_loc"],
        title: "YAML lines",
        unit: "lines",
        needs: CONFIG_LINES,
        definition: "Lines neither blank nor comment in YAML files, within the configured globs \
                     (all of them by default).",
        edges: "None: 0. Never part of a code ratio.",
        source: "PetClinic-Evolve (PC)",
        reads_high: "Logic spread into wiring; also pipelines and deployment files.",
        blind_spot: "Which of it is wiring and which is data.",
        ..size(loc_yaml)
    },
    Measure {
        id: "loc_config",
        title: "configuration lines",
        unit: "lines",
        needs: CONFIG_LINES,
        definition: "Lines neither blank nor comment in YAML, TOML, XML and properties files, \
                     within the configured globs (all of them by default).",
        edges: "None: 0. Never part of a code ratio.",
        source: "PetClinic-Evolve (PC), widened from YAML",
        reads_high: "Logic spread into configuration; also build files and data.",
        blind_spot: "Which of it is wiring and which is data.",
        ..size(loc_config)
    },
];

fn fn_count(step: &Step) -> Figure {
    all_languages(step, |of| signed(of.sizes.count))
}

fn fn_nloc_avg(step: &Step) -> Figure {
    each_language(step, whole, |of| {
        let rows = number(signed(of.sizes.count));
        Value::ratio(number(of.sizes.nloc_sum), rows, "no functions")
    })
}

fn fn_nloc_max(step: &Step) -> Figure {
    each_language(step, whole, |of| {
        greatest(of.sizes.count, of.sizes.nloc_max)
    })
}

fn fn_cc_max(step: &Step) -> Figure {
    each_language(step, whole, |of| greatest(of.sizes.count, of.sizes.cc_max))
}

fn fn_sloc(step: &Step) -> Figure {
    each_language(step, whole, |of| Value::count(of.fn_sloc))
}

fn loc(step: &Step) -> Figure {
    all_languages(step, |of| of.loc)
}

fn loc_java(step: &Step) -> Figure {
    one_language(step, Language::Java, |of| of.loc)
}

fn loc_python(step: &Step) -> Figure {
    one_language(step, Language::Python, |of| of.loc)
}

fn loc_go(step: &Step) -> Figure {
    one_language(step, Language::Go, |of| of.loc)
}

fn loc_yaml(step: &Step) -> Figure {
    config(step, |lines| lines.yaml)
}

fn loc_config(step: &Step) -> Figure {
    config(step, |lines| lines.all)
}

fn config(step: &Step, pick: impl Fn(&ConfigLines) -> u64) -> Figure {
    Figure::from(match state(step).map(|state| state.config) {
        Ok(Some(lines)) => Value::count(pick(&lines)),
        Ok(None) => Value::unknown("a configuration file could not be read"),
        Err(reason) => Value::unknown(reason),
    })
}

/// The greatest value over `rows` functions.
fn greatest(rows: u64, value: i64) -> Value {
    if rows == 0 {
        return Value::Undefined("no functions".to_owned());
    }
    Value::count(value)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{LanguageState, Sizes, State};
    use crate::measure::fixture::{
        known, left_out, number, of, step, undefined, unknown, with_state,
    };

    fn java() -> LanguageState {
        LanguageState {
            files: 3,
            loc: 120,
            fn_sloc: 90,
            sizes: Sizes {
                count: 4,
                nloc_sum: 90,
                nloc_max: 40,
                cc_max: 11,
            },
            left_out: left_out(1, "syntax error"),
            ..LanguageState::default()
        }
    }

    fn python() -> LanguageState {
        LanguageState {
            files: 1,
            loc: 30,
            fn_sloc: 10,
            sizes: Sizes {
                count: 2,
                nloc_sum: 10,
                nloc_max: 7,
                cc_max: 3,
            },
            ..LanguageState::default()
        }
    }

    fn script() -> LanguageState {
        LanguageState {
            files: 5,
            ..LanguageState::default()
        }
    }

    #[test]
    fn functions_and_lines_are_added_over_languages_and_say_what_is_left_out() {
        let step = with_state(
            step(Vec::new()),
            [
                (Language::Java, java()),
                (Language::Python, python()),
                (Language::JavaScript, script()),
            ],
        );
        assert_eq!(number("fn_count", &step), Some(6.0));
        let loc = known("loc", &step);
        assert_eq!(loc.value, 150.0);
        let left_out = loc.left_out.expect("six files");
        assert_eq!(left_out.files, 6);
        assert_eq!(left_out.reasons["no parser for JavaScript"], 5);
        assert_eq!(left_out.reasons["syntax error"], 1);
        assert_eq!(number("loc_java", &step), Some(120.0));
        assert_eq!(known("loc_python", &step).left_out, None);
        assert_eq!(number("loc_go", &step), Some(0.0));
    }

    #[test]
    fn lengths_and_sums_of_functions_are_one_a_language() {
        let step = with_state(
            step(Vec::new()),
            [(Language::Java, java()), (Language::Python, python())],
        );
        let mean = known("fn_nloc_avg", &step);
        assert_eq!((mean.num, mean.den), (Some(90.0), Some(4.0)));
        assert_eq!(number("fn_nloc_max", &step), Some(40.0));
        assert_eq!(number("fn_cc_max", &step), Some(11.0));
        let sloc = of("fn_sloc", &step);
        assert_eq!(sloc.value.number(), Some(90.0));
        assert_eq!(sloc.by_language[&Language::Python].number(), Some(10.0));
    }

    #[test]
    fn an_empty_tree_has_no_lines_and_no_mean() {
        let none = with_state(step(Vec::new()), []);
        assert_eq!(number("loc", &none), Some(0.0));
        assert_eq!(number("fn_count", &none), Some(0.0));
        assert_eq!(number("fn_sloc", &none), Some(0.0));
        assert_eq!(undefined("fn_nloc_avg", &none), "no functions");
        assert_eq!(undefined("fn_cc_max", &none), "no functions");
    }

    #[test]
    fn a_tree_of_which_nothing_can_be_read_is_unknown_not_empty() {
        let step = with_state(step(Vec::new()), [(Language::JavaScript, script())]);
        assert_eq!(unknown("loc", &step), "no parser for JavaScript (5 files)");
        assert_eq!(
            unknown("fn_count", &step),
            "no parser for JavaScript (5 files)"
        );
    }

    #[test]
    fn configuration_lines_are_counts_where_they_were_asked_for() {
        let mut with = step(Vec::new());
        with.state = Some(State {
            config: Some(ConfigLines { yaml: 12, all: 40 }),
            ..State::default()
        });
        assert_eq!(number("loc_yaml", &with), Some(12.0));
        assert_eq!(number("loc_config", &with), Some(40.0));
        let without = with_state(step(Vec::new()), []);
        assert_eq!(
            unknown("loc_yaml", &without),
            "a configuration file could not be read"
        );
    }

    #[test]
    fn lines_are_known_as_soon_as_one_language_was_read() {
        let unread = LanguageState {
            files: 2,
            left_out: left_out(2, "syntax error"),
            ..LanguageState::default()
        };
        let none = with_state(step(Vec::new()), [(Language::Java, unread.clone())]);
        assert_eq!(unknown("loc", &none), "syntax error (2 files)");
        assert_eq!(unknown("loc_java", &none), "syntax error (2 files)");
        let one = with_state(
            step(Vec::new()),
            [(Language::Java, unread), (Language::Python, python())],
        );
        let loc = known("loc", &one);
        assert_eq!(loc.value, 30.0);
        assert_eq!(loc.left_out.map(|l| l.files), Some(2));
    }
}
