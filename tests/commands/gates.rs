//! Gate runs recorded, joined, compared and shown: `git evolve tests`, and the measures of tests
//! in `log`, `show` and `slope`.

use serde_json::Value;

use super::checkpoints::well;
use super::{err, out};
use crate::support::Repo;

const PLAN: &str = "\
[measure]
test_patterns = ['test_cp0*(?P<checkpoint>\\d+)::test_(?P<category>core|error)?']
[[checkpoints]]
id = 'one'
[[checkpoints]]
id = 'two'
[[checkpoints]]
id = 'three'
mutates = ['one']
";

/// A JUnit report of pytest: `cp1::core_a+ cp1::b- cp2::c~`.
fn report(tests: &str) -> String {
    let mut text = "<testsuites><testsuite name=\"pytest\">".to_owned();
    for word in tests.split_whitespace() {
        let (id, mark) = word.split_at(word.len() - 1);
        let (class, name) = id.split_once("::").unwrap();
        let inside = match mark {
            "-" => "<failure message=\"no\">no</failure>",
            "!" => "<error message=\"no\">no</error>",
            "~" => "<skipped message=\"no\"/>",
            _ => "",
        };
        text.push_str(&format!(
            "<testcase classname=\"tests.test_{class}\" name=\"test_{name}\" time=\"0.1\">{inside}\
             </testcase>"
        ));
    }
    text + "</testsuite></testsuites>\n"
}

fn reported(repo: &Repo, name: &str, tests: &str) -> String {
    let path = repo.around().join(name);
    std::fs::write(&path, report(tests)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A chain with an agent commit for each of `gates`, which is its acceptance gate; none: empty.
fn chain(gates: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.write("src/a.py", "def f():\n    return 1\n");
    repo.write("tests/test_cp1.py", "def test_core_a(): pass\n");
    repo.write("evolve.toml", PLAN);
    repo.commit("project");
    for (k, tests) in (1..).zip(gates) {
        well(&repo, &["begin", "exp/arm/1", &k.to_string()]);
        repo.write("src/a.py", format!("def f():\n    return {k}\n"));
        let mut words = vec!["record"];
        let file = reported(&repo, &format!("{k}.xml"), tests);
        if !tests.is_empty() {
            words.extend(["--tests", &file, "--suite", "acceptance"]);
        }
        well(&repo, &words);
        well(&repo, &["reset"]);
    }
    repo
}

fn attach(repo: &Repo, to: &str, name: &str, tests: &str, more: &[&str]) {
    let file = reported(repo, name, tests);
    let mut words = vec!["attach", to, "--tests", &file, "--suite", "acceptance"];
    words.extend(more);
    well(repo, &words);
}

/// The figures of `metrics` at every checkpoint, the newest first.
fn figures(repo: &Repo, metrics: &str) -> Vec<Value> {
    let done = repo.evolve(&[
        "log",
        "--chain",
        "exp/arm/1",
        "--metrics",
        metrics,
        "--format",
        "json",
    ]);
    let log: Value =
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", err(&done)));
    let changes = log["changes"].as_array().unwrap();
    changes.iter().map(|c| c["metrics"].clone()).collect()
}

fn unknown(repo: &Repo, metric: &str) -> String {
    let newest = figures(repo, metric).remove(0);
    newest[metric]["unknown"]
        .as_str()
        .unwrap_or_else(|| panic!("{newest}"))
        .to_owned()
}

const THREE: [&str; 3] = [
    "cp1::core_a+ cp1::error_b+ cp1::more-",
    "cp1::core_a+ cp1::error_b- cp1::more+ cp2::core_c+ cp2::d~",
    "cp1::new- cp1::more+ cp2::core_c- cp3::core_e+",
];

#[test]
fn a_row_of_a_chain_has_its_first_and_last_word_and_tells_undefined_from_unknown() {
    let repo = chain(&["cp9::x+", "cp9::x-", ""]);
    let text = repo.stdout(&[
        "log",
        "--metrics",
        "outcome,core_pass,step2_regression_rate",
    ]);
    let row = text.lines().find(|l| l.starts_with("arm  1")).unwrap_or("");
    let cells: Vec<&str> = row.split("  ").map(str::trim).collect();
    assert!(cells.contains(&"pass → fail"), "{text}");
    // Not of one kind: the last gate is missing.
    assert!(cells.contains(&"?"), "{text}");
    let whole = chain(&["cp9::x+", "cp9::x-"]);
    let text = whole.stdout(&["log", "--metrics", "core_pass"]);
    let row = text.lines().find(|l| l.starts_with("arm  1")).unwrap_or("");
    assert!(row.contains('–') && !row.contains('?'), "{text}");
}

#[test]
fn what_became_of_each_test_is_listed_by_what_it_is() {
    let repo = chain(&THREE);
    assert_eq!(
        repo.stdout(&["tests", "exp/arm/1@3", "--format", "csv"]),
        "change,how,test,was,before,now,checkpoint,category,unstable,note\n\
         broke,failed,tests.test_cp2::test_core_c,,passed,failed,2,regression,no,\n\
         exempted,not run,tests.test_cp1::test_core_a,,passed,,1,regression,no,\n\
         vanished,gone,tests.test_cp1::test_error_b,,failed,,1,regression,no,\n\
         vanished,gone,tests.test_cp2::test_d,,skipped,,2,regression,no,\n\
         new,failed,tests.test_cp1::test_new,,,failed,1,regression,no,a replacement that fails on arrival\n\
         new,passed,tests.test_cp3::test_core_e,,,passed,3,core,no,\n"
    );
    let text = repo.stdout(&["tests"]);
    assert!(
        text.contains("acceptance suite, checkpoint 3 of exp/arm/1 against checkpoint 2: 1 broke"),
        "{text}"
    );
    assert!(
        text.contains("1 test is as before: --all lists them"),
        "{text}"
    );
    let json = repo.stdout(&[
        "tests",
        "HEAD",
        "--against",
        "exp/arm/1@1",
        "--format",
        "json",
    ]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["against"]["checkpoint"], 1);
    assert_eq!(json["counts"]["repaired"], 1);
    assert_eq!(json["suite"], "acceptance");
}

#[test]
fn the_measures_of_tests_stand_in_log_show_and_slope() {
    let repo = chain(&THREE);
    attach(
        &repo,
        "exp/arm/1@0",
        "base.xml",
        "cp1::core_a- cp1::error_b-",
        &[],
    );
    let all = figures(&repo, "tests");
    let of = |k: usize, id: &str| all[3 - k][id]["value"].clone();
    assert_eq!(of(1, "outcome"), "fail");
    assert_eq!(of(1, "regressions"), 0);
    assert_eq!(of(1, "iso_pass_rate"), 2.0 / 3.0);
    assert_eq!(of(2, "regressions"), 1);
    assert_eq!(of(2, "iso_pass"), 1);
    assert_eq!(of(2, "core_pass"), 1);
    assert_eq!(of(2, "nc_prev"), 0.5);
    assert_eq!(of(2, "step2_regression_rate"), 0.5);
    assert_eq!(of(3, "regressions"), 2);
    assert_eq!(of(3, "true_regressions"), 1);
    assert_eq!(of(3, "unsatisfied_replacements"), 1);
    assert_eq!(all[0]["fail_to_pass"]["value"], Value::Null);
    let log = repo.stdout(&["log", "--chain", "exp/arm/1"]);
    assert!(log.lines().next().unwrap().contains("outcome"), "{log}");
    let show = repo.stdout(&["show", "HEAD^"]);
    assert!(show.contains("\ntests\n"), "{show}");
    assert!(
        show.contains("tests.test_cp2::test_core_c  failed"),
        "{show}"
    );
    let slope = repo.stdout(&["slope", "--metrics", "tests", "--format", "csv"]);
    assert!(slope.contains("strict_pass"), "{slope}");
}

#[test]
fn a_gate_of_the_parent_tells_what_a_change_mended() {
    let repo = chain(&["cp1::core_a+ cp1::b+"]);
    let on_base = "cp1::core_a- cp1::b+";
    attach(
        &repo,
        "exp/arm/1@0",
        "p.xml",
        on_base,
        &["--for-checkpoint", "1"],
    );
    let figures = figures(&repo, "fail_to_pass,pass_to_pass,regressions").remove(0);
    assert_eq!(figures["fail_to_pass"]["value"], 1);
    assert_eq!(figures["pass_to_pass"]["value"], 1);
    assert_eq!(
        figures["regressions"]["unknown"], "no gate before it to compare with",
        "it is no gate of the base"
    );
}

#[test]
fn a_second_run_names_unstable_tests_whichever_came_first() {
    let runs = ["cp1::core_a+ cp1::b+", "cp1::core_a- cp1::b+"];
    for order in [[0, 1], [1, 0]] {
        let repo = chain(&[runs[order[0]], "cp1::b+ cp1::core_a-"]);
        attach(&repo, "exp/arm/1@1", "again.xml", runs[order[1]], &[]);
        let all = figures(&repo, "strict_pass,regressions");
        assert_eq!(all[1]["strict_pass"]["value"], 0, "the worst wins");
        assert_eq!(all[0]["regressions"]["value"], 0);
        let csv = repo.stdout(&["tests", "exp/arm/1@2", "--format", "csv"]);
        assert!(
            csv.contains("\nunstable,failed,tests.test_cp1::test_core_a,"),
            "{csv}"
        );
    }
}

#[test]
fn a_gate_without_a_verdict_is_passed_over_and_said() {
    let repo = chain(&["cp1::core_a+ cp1::b+", "", "cp1::b+"]);
    let nothing = repo.around().join("nothing-*.xml");
    let words = [
        "attach",
        "exp/arm/1@2",
        "--suite",
        "acceptance",
        "--allow-missing",
        "--tests",
    ];
    let words: Vec<&str> = words
        .into_iter()
        .chain([nothing.to_str().unwrap()])
        .collect();
    well(&repo, &words);
    let all = figures(&repo, "regressions,outcome");
    assert_eq!(
        all[1]["regressions"]["unknown"],
        "gate without a verdict (no-reports)"
    );
    assert_eq!(
        all[1]["outcome"]["unknown"],
        "gate without a verdict (no-reports)"
    );
    assert_eq!(all[0]["regressions"]["value"], 1);
    assert_eq!(
        all[0]["regressions"]["remark"],
        "compared with checkpoint 1: the gate of checkpoint 2 has no verdict"
    );
    let text = repo.stdout(&["tests"]);
    assert!(
        text.contains("the gate of checkpoint 2 has no verdict"),
        "{text}"
    );
    let done = repo.evolve(&["tests", "exp/arm/1@2"]);
    assert_eq!(done.status.code(), Some(3));
    assert!(err(&done).contains("checkpoint 2 of chain exp/arm/1: gate without a verdict"));
}

#[test]
fn what_has_no_gates_says_why() {
    let repo = chain(&["", "cp1::core_a+"]);
    let all = figures(&repo, "strict_pass,regressions");
    assert_eq!(
        all[1]["strict_pass"]["unknown"],
        "no gate of the acceptance suite recorded"
    );
    assert_eq!(
        all[0]["regressions"]["unknown"],
        "no gate before it to compare with"
    );
    let done = repo.evolve(&["tests"]);
    assert_eq!(done.status.code(), Some(3), "{}", out(&done));
    let plain = repo.evolve(&["tests", "exp/arm/1@9"]);
    assert_eq!(plain.status.code(), Some(2));
    let project = repo.git(&["rev-parse", "main"]);
    let done = repo.evolve(&["tests", &project]);
    assert_eq!(done.status.code(), Some(3));
    assert!(err(&done).contains("is in no chain"), "{}", err(&done));
    let done = repo.evolve(&[
        "log",
        &project,
        "--metrics",
        "strict_pass",
        "--format",
        "json",
    ]);
    assert_eq!(done.status.code(), Some(3));
    assert!(out(&done).contains("only checkpoints of a chain have records"));
}

/// Rewrites the one tests record on `commit`.
fn rewrite(repo: &Repo, commit: &str, change: impl Fn(&mut Value) -> Vec<Value>) {
    let notes = "--ref=refs/notes/evolve/tests";
    let line = repo.git(&["notes", notes, "show", commit]);
    let mut record: Value = serde_json::from_str(&line).unwrap();
    let lines = change(&mut record);
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let text = lines.join("\n") + "\n";
    repo.git(&["notes", notes, "add", "-f", "-m", &text, commit]);
}

#[test]
fn what_an_older_reader_read_is_read_again_from_the_payload() {
    let repo = chain(&["cp1::core_a+ cp1::b-"]);
    rewrite(&repo, "HEAD^", |record| {
        record["read_by"]["version"] = 0.into();
        record["map"]["tests"] = serde_json::json!({});
        vec![record.clone()]
    });
    let figures = figures(&repo, "strict_pass_rate").remove(0);
    assert_eq!(figures["strict_pass_rate"]["value"], 0.5);
    repo.git(&["update-ref", "-d", "refs/notes/evolve/raw"]);
    assert_eq!(
        unknown(&repo, "strict_pass_rate"),
        "a gate run was not read: its payload is not in this repository"
    );
}

#[test]
fn a_record_of_a_later_version_or_two_of_one_id_make_the_gate_unknown() {
    let repo = chain(&["cp1::core_a+"]);
    rewrite(&repo, "HEAD^", |record| {
        let mut later = record.clone();
        later["v"] = 99.into();
        vec![record.clone(), later]
    });
    let why = unknown(&repo, "strict_pass");
    assert!(why.contains("of a later version (v 99)"), "{why}");
    let repo = chain(&["cp1::core_a+"]);
    rewrite(&repo, "HEAD^", |record| {
        let mut other = record.clone();
        other["exit_code"] = 7.into();
        vec![record.clone(), other]
    });
    let why = unknown(&repo, "outcome");
    assert!(why.contains("have one id and differ"), "{why}");
}

#[test]
fn gates_that_were_not_fetched_are_not_gates_that_were_not_recorded() {
    let repo = chain(&["cp1::core_a+"]);
    let clone = repo.around().join("clone");
    let (from, to) = (repo.path().to_str().unwrap(), clone.to_str().unwrap());
    repo.git(&["clone", "-q", from, to]);
    let words = [
        "log",
        "--chain",
        "exp/arm/1",
        "--metrics",
        "strict_pass",
        "--format",
        "json",
    ];
    let done = repo.evolve_in(&clone, &words);
    assert_eq!(done.status.code(), Some(3), "{}", err(&done));
    assert!(
        out(&done).contains("records of gate runs not fetched"),
        "{}",
        out(&done)
    );
}
