//! What makes a run valid, broken, or none.

use std::collections::BTreeSet;

use git_evolve::intake::report::missing_classes;
use git_evolve::record::{Moment, RunFacts, TestMap, TreeFacts, Validity};

use super::given::run;

const TWO: &str = r#"<testsuites name="pytest tests"><testsuite name="pytest" tests="2">
<testcase classname="tests.test_a" name="t[x]"/><testcase classname="tests.test_a" name="u"/>
</testsuite></testsuites>"#;
const FAILING: &str = r#"<testsuite name="a.ATest"><testcase classname="a.ATest" name="t"><failure/>
</testcase></testsuite>"#;

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn judged(xml: &str, facts: &RunFacts) -> (Validity, BTreeSet<String>, BTreeSet<String>) {
    let map = run(&[("r.xml", None, xml.as_bytes())], facts);
    (map.validity, map.reasons, map.warnings)
}

fn exit(code: i64) -> RunFacts {
    RunFacts {
        exit_code: Some(code),
        ..RunFacts::default()
    }
}

fn ran(command: &str, code: i64) -> RunFacts {
    RunFacts {
        command: command.split(' ').map(str::to_owned).collect(),
        ..exit(code)
    }
}

#[test]
fn the_exit_status_alone_is_a_remark_unless_the_run_was_ended() {
    let valid = Validity::Valid;
    assert_eq!(judged(TWO, &exit(0)), (valid, set(&[]), set(&[])));
    assert_eq!(
        judged(TWO, &exit(1)),
        (valid, set(&[]), set(&["exit-code-differs"]))
    );
    assert_eq!(judged(FAILING, &exit(1)), (valid, set(&[]), set(&[])));
    assert_eq!(
        judged(FAILING, &exit(0)),
        (valid, set(&[]), set(&["exit-code-differs"]))
    );
    for code in [126, 127, 137, 139, 143] {
        let (validity, reasons, _) = judged(TWO, &exit(code));
        assert_eq!(
            (validity, reasons),
            (Validity::Invalid, set(&["aborted-run"])),
            "{code}"
        );
    }
    assert_eq!(
        judged(TWO, &ran("timeout 60 make test", 124)).1,
        set(&["timeout"])
    );
    assert_eq!(
        judged(TWO, &ran("python -m pytest -q", 2)).1,
        set(&["aborted-run"])
    );
    assert_eq!(
        judged(TWO, &ran("/venv/bin/pytest", 3)).1,
        set(&["aborted-run"])
    );
    // A command that is not told: the report speaks for it.
    let failing = TWO.replace("name=\"u\"/>", "name=\"u\"><failure/></testcase>");
    for (xml, code, aborted) in [
        (TWO, 2, true),
        (TWO, 3, true),
        (&failing, 4, true),
        (&failing, 2, false),
        (FAILING, 3, false),
    ] {
        let reasons = set(if aborted { &["aborted-run"] } else { &[] });
        assert_eq!(judged(xml, &exit(code)).1, reasons, "{code}: {xml}");
    }
    assert_eq!(
        judged(FAILING, &ran("make test", 2)).1,
        set(&[]),
        "make says 2 for any failure"
    );
    assert_eq!(
        judged(FAILING, &ran("pytest -x tests", 1)).2,
        set(&["stopped-early"])
    );
}

#[test]
fn what_was_not_built_is_broken_whatever_lies_around() {
    let console = "[ERROR] COMPILATION ERROR : \n[ERROR] A.java:[1,1] no\n[INFO] BUILD FAILURE\n";
    let facts = RunFacts {
        console: Some(console.to_owned()),
        started: Moment::parse("2026-03-02T10:00:00.000Z"),
        ..exit(1)
    };
    let map = run(&[], &facts);
    assert_eq!(
        (map.validity, map.reasons),
        (Validity::Broken, set(&["build-failed"]))
    );
    assert!(
        map.problems[0]
            .message
            .as_deref()
            .is_some_and(|m| m.contains("A.java"))
    );
    let old = [("r.xml", Some("2026-03-01T10:00:00.000Z"), TWO.as_bytes())];
    let map = run(&old, &facts);
    assert_eq!(
        (map.validity, map.tests.len()),
        (Validity::Broken, 0),
        "no test of an earlier run"
    );
    let map = run(
        &old,
        &RunFacts {
            console: None,
            ..facts
        },
    );
    assert_eq!(
        (map.validity, map.reasons),
        (Validity::Invalid, set(&["all-reports-stale"]))
    );
    assert_eq!(run(&[], &exit(0)).reasons, set(&["no-reports"]));
}

fn tree(paths: &[&str]) -> TreeFacts {
    TreeFacts {
        paths: paths.iter().map(|p| (*p).to_owned()).collect(),
        ..TreeFacts::default()
    }
}

#[test]
fn a_class_is_missing_where_its_file_is_still_there() {
    let facts = RunFacts {
        tree: Some(tree(&[
            "tests/test_a.py",
            "tests/test_b.py",
            "tests/test_c.py",
        ])),
        previous: Some(set(&[
            "tests.test_a::t[x]",
            "tests.test_a::gone",
            "tests.test_b.TestX::t[a::b]",
            "tests.test_gone::t",
        ])),
        ..RunFacts::default()
    };
    let map = run(&[("r.xml", None, TWO.as_bytes())], &facts);
    assert_eq!(
        (map.validity, &map.reasons),
        (Validity::Invalid, &set(&["classes-missing"]))
    );
    let missing = missing_classes(&map, &facts);
    let told: Vec<_> = missing
        .iter()
        .map(|m| (m.class.as_str(), m.file.as_str()))
        .collect();
    assert_eq!(told, [("tests.test_b.TestX", "tests/test_b.py")]);

    // What does not load explains what does not run.
    let broken = TWO.replace(
        "</testsuite>",
        r#"<testcase classname="" name="tests.test_b"><error message="collection failure"/>
        </testcase></testsuite>"#,
    );
    assert_eq!(judged(&broken, &facts).1, set(&["collection-error"]));
    let alone = r#"<testsuites name="pytest tests"><testsuite name="pytest"><testcase classname=""
        name="tests.test_z"><error message="collection failure"/></testcase></testsuite></testsuites>"#;
    assert_eq!(judged(alone, &facts).1, set(&["collection-error"]));
    let without = RunFacts {
        tree: None,
        ..facts
    };
    assert_eq!(judged(TWO, &without).0, Validity::Valid);
}

#[test]
fn a_class_under_another_name_is_said_and_not_missing() {
    let facts = RunFacts {
        tree: Some(tree(&["svc/tests/test_a.py"])),
        previous: Some(set(&["svc.tests.test_a::t[x]", "svc.tests.test_a::u"])),
        ..RunFacts::default()
    };
    let (validity, _, warnings) = judged(TWO, &facts);
    assert_eq!(
        (validity, warnings),
        (Validity::Valid, set(&["id-scheme-changed"]))
    );
}

#[test]
fn the_same_report_twice_counts_once() {
    let same = [
        ("a/r.xml", None, TWO.as_bytes()),
        ("b/r.xml", None, TWO.as_bytes()),
    ];
    let map = run(&same, &RunFacts::default());
    assert!(map.tests.values().all(|t| t.occurrences.is_none()));
    assert_eq!(
        map.files[1].left_out.as_deref(),
        Some("the same as a/r.xml")
    );
    // One of two modules is a report of its own.
    let modules = [
        ("a/target/surefire-reports/r.xml", None, FAILING.as_bytes()),
        ("b/target/surefire-reports/r.xml", None, FAILING.as_bytes()),
    ];
    let map: TestMap = run(&modules, &RunFacts::default());
    assert_eq!(map.tests.len(), 2);
    // An old one does not stand for a new one.
    let facts = RunFacts {
        started: Moment::parse("2026-03-02T10:00:00.000Z"),
        ..RunFacts::default()
    };
    let files = [
        ("a.xml", Some("2026-03-01T10:00:00.000Z"), TWO.as_bytes()),
        ("b.xml", Some("2026-03-02T10:00:05.000Z"), TWO.as_bytes()),
    ];
    assert_eq!(run(&files, &facts).tests.len(), 2);
}
