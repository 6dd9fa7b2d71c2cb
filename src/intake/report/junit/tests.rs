use std::io::Cursor;

use super::*;

fn read_at(path: &str, text: &str) -> (Draft, Result<(), XmlError>) {
    let mut draft = Draft::default();
    let done = read(&mut Cursor::new(text.as_bytes()), path, &mut draft);
    (draft, done)
}

fn whole(text: &str) -> Draft {
    let (draft, done) = read_at("report", text);
    done.expect("a report");
    draft
}

/// Tests by id, with what is said of them.
fn tests(draft: &Draft) -> Vec<String> {
    let all = draft.tests.iter().map(|(id, test)| {
        let mut words = format!("{id} {:?}", test.outcome).to_lowercase();
        for (said, word) in [
            (test.flaky, "flaky"),
            (test.xfail, "xfail"),
            (test.timeout, "timeout"),
            (test.container, "container"),
        ] {
            if said {
                words.push_str(&format!(" {word}"));
            }
        }
        if let Some(reruns) = test.reruns {
            words.push_str(&format!(" reruns {reruns}"));
        }
        words
    });
    all.collect()
}

fn problems(draft: &Draft) -> Vec<String> {
    let all = draft.problems.iter();
    all.map(|p| format!("{} {} {:?}", p.kind, p.place, p.outcome))
        .collect()
}

fn warnings(draft: &Draft) -> Vec<&str> {
    draft.warnings.iter().copied().collect()
}

fn reasons(draft: &Draft) -> Vec<&str> {
    draft.reasons.iter().copied().collect()
}

const SUREFIRE: &str = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
    xsi:noNamespaceSchemaLocation='https://maven.apache.org/x/surefire-test-report.xsd'";

#[test]
fn what_stands_for_a_class_is_a_problem_in_every_version_of_surefire() {
    let draft = whole(&format!(
        "<testsuite {SUREFIRE} name='o.ATest'>
           <testcase name='' classname='o.ATest'><failure type='x'>no db\nat x</failure></testcase>
           <testcase name='o.BTest' classname='o.BTest'><error message='no file'/></testcase>
           <testcase name='initializationError' classname='o.CTest'><error/></testcase>
           <testcase name='initializationError' classname='o.DTest'><skipped/></testcase>
           <testcase name='EmptyTest' classname='EmptyTest'><skipped message='all'/></testcase>
           <testcase name='a' classname='o.BTest'/>
         </testsuite>"
    ));
    assert_eq!(
        problems(&draft),
        [
            "class-level EmptyTest Skipped",
            "class-level o.ATest Failed",
            "class-level o.BTest Error",
            "class-level o.CTest Error",
            "class-level o.DTest Skipped",
        ]
    );
    assert_eq!(tests(&draft), ["o.btest::a passed"]);
    let messages: Vec<_> = draft
        .problems
        .iter()
        .map(|p| p.message.as_deref())
        .collect();
    assert_eq!(
        messages,
        [
            Some("all"),
            Some("no db\nat x"),
            Some("no file"),
            None,
            None
        ]
    );
    assert_eq!(draft.testcases, 6);
    assert_eq!(draft.format, Some("surefire-xml"));
}

#[test]
fn a_class_that_came_up_at_the_second_try_leaves_neither_test_nor_problem() {
    let draft = whole(&format!(
        "<testsuite {SUREFIRE} name='o.ATest'>
           <testcase name='o.ATest' classname='o.ATest'><flakyError/></testcase>
           <testcase name='a' classname='o.ATest'/>
         </testsuite>"
    ));
    assert_eq!(tests(&draft), ["o.atest::a passed"]);
    assert!(draft.problems.is_empty());
}

#[test]
fn where_class_and_name_are_always_equal_they_mean_nothing() {
    for name in ["jest tests", "my tests"] {
        let draft = whole(&format!(
            "<testsuites name='{name}'><testsuite name='undefined'>
               <testcase classname='unit.a.b' name='unit.a.b'><failure/></testcase>
               <testcase classname=' a' name=' a'><failure>no</failure></testcase>
               <testcase classname='sum adds 1.5' name='sum adds 1.5'><failure/></testcase>
             </testsuite></testsuites>"
        ));
        assert_eq!(
            tests(&draft),
            [
                "a::a failed",
                "sum adds 1.5::sum adds 1.5 failed",
                "unit.a.b::unit.a.b failed"
            ]
        );
    }
}

#[test]
fn files_that_do_not_load_break_the_run() {
    let draft = whole(
        "<testsuites name='jest tests' tests='0' failures='0' errors='1'>
           <testsuite name='src/a.test.js' errors='1' failures='0' skipped='0' tests='0'
             timestamp='1970-01-01T00:00:00'>
             <testcase classname='Test suite failed to run' name='src/a.test.js' time='0'>
               <error>Cannot find module</error>
             </testcase></testsuite></testsuites>",
    );
    assert_eq!(problems(&draft), ["suite-load src/a.test.js Error"]);
    assert_eq!(reasons(&draft), ["suite-load-error"]);
    assert_eq!((draft.newest, draft.tests.len()), (None, 0));
}

#[test]
fn modules_that_are_not_collected_are_problems_and_a_skipped_one_is_no_failure() {
    let draft = whole(
        "<testsuites name='pytest tests'><testsuite name='mine' tests='4' errors='2' skipped='1'>
           <testcase classname='' name='tests.test_bad'><error message='collection failure'>x
           </error></testcase>
           <testcase classname='tests.test_c' name='TestC'><error message='collection failure'/>
           </testcase>
           <testcase classname='' name='tests.test_db'>
             <skipped type='pytest.skip' message='collection skipped'>no db</skipped></testcase>
           <testcase classname='tests.test_ok' name='test_a'/>
         </testsuite></testsuites>",
    );
    assert_eq!(
        problems(&draft),
        [
            "collection tests.test_bad Error",
            "collection tests.test_c.TestC Error",
            "collection tests.test_db Skipped",
        ]
    );
    assert_eq!(reasons(&draft), ["collection-error"]);
    assert_eq!(tests(&draft), ["tests.test_ok::test_a passed"]);
    assert!(draft.warnings.is_empty(), "{:?}", draft.warnings);
    let skipped = whole(
        "<testsuite name='pytest'><testcase classname='' name='test_db'>
         <skipped message='collection skipped'/></testcase></testsuite>",
    );
    assert!(skipped.reasons.is_empty());
}

#[test]
fn packages_that_do_not_build_are_seen_in_the_root_alone() {
    let draft = whole("<testsuites tests='0' failures='0' errors='2' time='0.3'/>");
    assert_eq!(reasons(&draft), ["root-errors-without-testcase"]);
    let problem = draft.problems.first().expect("one");
    assert_eq!((problem.place.as_str(), problem.count), ("", Some(2)));
    let other = whole(
        "<testsuites errors='2'><testsuite name='a' errors='2'><testcase name='b'/></testsuite>
         </testsuites>",
    );
    assert!(other.reasons.is_empty() && other.problems.is_empty());
    assert_eq!(warnings(&other), ["header-counts-differ"]);
}

#[test]
fn a_go_package_that_fails_after_its_tests_is_a_problem_that_breaks_nothing() {
    let draft = whole(
        "<testsuites><testsuite name='e.com/p' tests='1'>
           <properties><property name='go.version' value='go1.22'/></properties>
           <testcase classname='e.com/p' name='TestA' time='0.1'/>
           <testcase classname='' name='TestMain'><failure message='Failed'>exit 3</failure>
           </testcase></testsuite></testsuites>",
    );
    assert_eq!(problems(&draft), ["package e.com/p Error"]);
    assert!(draft.reasons.is_empty());
    assert_eq!(tests(&draft), ["e.com/p::testa passed"]);
}

#[test]
fn go_tests_with_parts_are_containers_unless_they_fail_by_themselves() {
    let draft = whole(
        "<testsuite name='p'><properties><property name='go.version' value='1'/></properties>
           <testcase classname='p' name='TestA'><failure/></testcase>
           <testcase classname='p' name='TestA/x'><failure/></testcase>
           <testcase classname='p' name='TestB'><failure/></testcase>
           <testcase classname='p' name='TestB/x/y'/>
           <testcase classname='p' name='TestC'/>
           <testcase classname='p' name='TestC/x'/>
           <testcase classname='q' name='TestD'/>
           <testcase classname='p' name='TestD/x'/>
         </testsuite>",
    );
    assert_eq!(
        tests(&draft),
        [
            "p::testa failed container",
            "p::testa/x failed",
            "p::testb failed",
            "p::testb/x/y passed",
            "p::testc passed container",
            "p::testc/x passed",
            "p::testd/x passed",
            "q::testd passed",
        ]
    );
}

#[test]
fn repeats_are_flaky_or_failed_and_two_tests_of_one_name_are_suspected() {
    let suite = |header: &str, cases: &str| {
        whole(&format!(
            "<testsuite {SUREFIRE} name='o.T' {header}>{cases}</testsuite>"
        ))
    };
    let always =
        "<testcase name='a' classname='o.T'><error/><rerunError/><rerunFailure/></testcase>";
    let flaky = "<testcase name='b' classname='o.T'><flakyFailure/><flakyError/></testcase>";
    let late = "<testcase name='c' classname='o.T'><flakyFailure/><flakyFailure/><flakyFailure/>\
                </testcase>";
    let draft = suite("tests='6'", &format!("{always}{flaky}"));
    assert_eq!(
        tests(&draft),
        ["o.t::a error reruns 2", "o.t::b passed flaky"]
    );
    assert_eq!(warnings(&draft), ["header-counts-differ"]);
    let draft = suite("tests='7'", &format!("{always}{flaky}"));
    assert_eq!(
        warnings(&draft),
        ["header-counts-differ", "rerun-collision-suspected"]
    );
    let draft = suite("", &format!("{always}{late}"));
    assert_eq!(warnings(&draft), ["rerun-collision-suspected"]);
    assert!(suite("", late).warnings.is_empty());
}

#[test]
fn headers_count_with_or_without_the_suites_inside() {
    let nested = |outer: &str| {
        whole(&format!(
            "<testsuites><testsuite name='a' {outer}><testcase name='x'/>
             <testsuite name='b' tests='1' failures='1'><testcase name='y'><failure/></testcase>
             </testsuite></testsuite></testsuites>"
        ))
    };
    for good in ["", "tests='1' failures='0'", "tests='2' failures='1'"] {
        assert!(nested(good).warnings.is_empty(), "{good}");
    }
    for bad in [
        "tests='3'",
        "tests='2' failures='0'",
        "tests='2' errors='1'",
    ] {
        assert_eq!(warnings(&nested(bad)), ["header-counts-differ"], "{bad}");
    }
    assert_eq!(tests(&nested("")), ["a::x passed", "b::y failed"]);
}

#[test]
fn what_a_status_says_counts_where_no_element_does() {
    let draft = whole(
        "<testsuite name='s' file='tests/s.php'>
           <testcase name='a' status='notrun'/><testcase name='b' status='Disabled'/>
           <testcase name='c' status='run'/><testcase name='d' status='failed'/>
           <testcase name='e' status='disabled' file='x.cc'><failure/></testcase>
           <testcase name='f'><failure/><failure/><error/><skipped/></testcase>
           <testcase name='g'><skipped type='pytest.xfail'/></testcase>
           <testcase name='h'><failure type='test timeout'/></testcase>
         </testsuite>",
    );
    assert_eq!(
        tests(&draft),
        [
            "s::a skipped",
            "s::b skipped",
            "s::c passed",
            "s::d failed",
            "s::e failed",
            "s::f error",
            "s::g skipped xfail",
            "s::h failed timeout",
        ]
    );
    assert_eq!(draft.tests["s::a"].file.as_deref(), Some("tests/s.php"));
    assert_eq!(draft.tests["s::e"].file.as_deref(), Some("x.cc"));
}

#[test]
fn the_folder_of_a_report_tells_its_module_and_its_writer() {
    let text = "<testsuite name='o.T'><testcase name='m()' classname='o.T'/></testsuite>";
    for (path, format, id) in [
        (
            "a/b/target/surefire-reports/x",
            "surefire-xml",
            "a/b//o.T::m",
        ),
        (
            "core/target/failsafe-reports/x",
            "surefire-xml",
            "core//o.T::m",
        ),
        (
            "app/build/test-results/test/x",
            "gradle-junit",
            "app//o.T::m",
        ),
        ("build/test-results/test/x", "gradle-junit", "o.T::m"),
        ("x", "junit-xml", "o.T::m"),
    ] {
        let (draft, _) = read_at(path, text);
        let test = draft.tests.get(id).expect(path);
        assert_eq!(draft.format, Some(format), "{path}");
        assert_eq!(test.raw_name.as_deref(), Some("m()"));
    }
}

#[test]
fn what_comes_before_the_end_of_a_bad_report_is_kept() {
    let (draft, done) = read_at(
        "x",
        "<testsuite name='s' tests='9'><testcase name='a'/><testcase name='b'><failure>",
    );
    assert!(matches!(done, Err(XmlError::CutOff)));
    assert_eq!(tests(&draft), ["s::a passed"]);
    assert!(draft.warnings.is_empty());
    let (draft, done) = read_at("x", "<testsuite name='s'><testcase name='a'/></testsuit>");
    assert!(matches!(done, Err(XmlError::Malformed(_))));
    assert_eq!(draft.testcases, 1);
    let (_, done) = read_at("x", "<report/>");
    assert!(matches!(done, Err(XmlError::Malformed(_))));
}

#[test]
fn the_run_that_was_stopped_in_a_test_is_aborted() {
    let draft = whole(
        "<testsuites name='pytest tests'><testsuite name='pytest' tests='1'>
           <testcase classname='t' name='a'/><testcase time='0.0'/></testsuite></testsuites>",
    );
    assert_eq!(reasons(&draft), ["aborted-run"]);
    assert_eq!(tests(&draft), ["t::a passed"]);
    assert!(draft.warnings.is_empty());
}

#[test]
fn times_are_those_that_can_be_read() {
    let draft = whole(
        "<testsuite name='s'><testcase name='a' time='1,024.12'/><testcase name='b' time='0,160'/>
         </testsuite>",
    );
    assert_eq!(draft.tests["s::a"].time, Some(1024.12));
    assert_eq!(draft.tests["s::b"].time, None);
    assert_eq!(warnings(&draft), ["unreadable-time"]);
}
