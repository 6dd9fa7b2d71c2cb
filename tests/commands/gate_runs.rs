//! `git evolve gate`: suites run in fresh exports, what is not the agent's put back, every run
//! recorded.

use std::path::PathBuf;

use serde_json::Value;

use super::checkpoints::well;
use super::err;
use crate::support::Repo;

/// A runner of tests that is a shell script: each `*.t` in a folder is a test that passes where
/// its command ends with 0; what they come to is a JUnit report.
const RUNNER: &str = "\
out=$1; shift
mkdir -p \"$(dirname \"$out\")\"
echo '<testsuites><testsuite name=\"pytest\">' > \"$out.part\"
failed=0
for t in \"$@\"; do
  [ -f \"$t\" ] || continue
  name=$(basename \"$t\" .t)
  class=$(dirname \"$t\" | tr / .)
  printf '<testcase classname=\"%s\" name=\"%s\" time=\"0.1\">' \"$class\" \"$name\" >> \"$out.part\"
  if sh \"$t\" > said.txt 2>&1; then echo \"$t passes\"; else
    failed=1
    echo \"$t fails\"
    printf '<failure message=\"%s\"/>' \"$(head -c 200 said.txt)\" >> \"$out.part\"
  fi
  echo '</testcase>' >> \"$out.part\"
done
echo '</testsuite></testsuites>' >> \"$out.part\"
mv \"$out.part\" \"$out\"
exit $failed
";

/// The experimenter's plan beside the repository: `gate` is the text of its `[gate]` tables.
struct Lab {
    repo: Repo,
}

impl Lab {
    /// A project with a value in a file, its own tests, and the experimenter's beside it.
    fn new(more: &str) -> Lab {
        let repo = Repo::new();
        repo.write("src/value", "1\n");
        repo.write("src/other", "a\n");
        repo.write("tests/own.t", "grep -q . src/value\n");
        repo.write("rules.md", "Be good.\n");
        repo.commit("project");
        let lab = Lab { repo };
        lab.beside("run.sh", RUNNER);
        lab.beside(
            "acceptance/one.t",
            "echo \"value is $(cat src/value)\"; test \"$(cat src/value)\" -ge 1\n",
        );
        lab.beside("acceptance/two.t", "test \"$(cat src/other)\" = a\n");
        lab.plan(more);
        lab
    }

    fn plan(&self, more: &str) {
        let plan = format!(
            "[experiment]\nname = 'exp'\nbase = 'main'\n\
             [[arms]]\nname = 'arm'\nbaseline = true\n\
             [agent]\ncommand = ['true']\n{more}"
        );
        self.beside("evolve.toml", &plan);
    }

    fn folder(&self) -> PathBuf {
        self.repo.around().join("lab")
    }

    fn beside(&self, path: &str, text: &str) {
        let file = self.folder().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// A checkpoint of the chain, in which the agent makes these edits.
    fn checkpoint(&self, k: u32, id: &str, edits: impl Fn(&Repo)) {
        let k = k.to_string();
        let at = format!("{k}:{id}");
        well(&self.repo, &["begin", "exp/arm/1", &at]);
        edits(&self.repo);
        well(&self.repo, &["record"]);
        well(&self.repo, &["reset"]);
    }

    fn gate(&self, words: &[&str]) -> std::process::Output {
        let plan = self.folder().join("evolve.toml");
        let scratch = self.repo.around().join("scratch");
        let mut all = vec!["gate", "--plan", plan.to_str().unwrap()];
        all.extend(["--scratch", scratch.to_str().unwrap()]);
        all.extend(words);
        let done = self.repo.evolve(&all);
        // Nothing stays of an export.
        let left = exports(&scratch);
        assert!(left.is_empty(), "{left:?}");
        done
    }

    /// The gate's row of one checkpoint: exit status, whether it holds, and what is said.
    fn gated(&self, of: &str) -> (Option<i32>, Value, String) {
        let done = self.gate(&[of, "--format", "json"]);
        let told: Value =
            serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", err(&done)));
        let row = told["gates"][0].clone();
        (done.status.code(), row, err(&done))
    }

    /// Records of gate runs on a commit, oldest first.
    fn records(&self, of: &str) -> Vec<Value> {
        let note = self
            .repo
            .git(&["notes", "--ref", "evolve/tests", "show", of]);
        let mut all: Vec<Value> = note
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        all.sort_by_key(|r| r["id"].as_str().unwrap().to_owned());
        all
    }

    fn outcome(&self) -> Vec<String> {
        let done = self.repo.evolve(&[
            "log",
            "--chain",
            "exp/arm/1",
            "--metrics",
            "outcome",
            "--format",
            "json",
        ]);
        let log: Value = serde_json::from_slice(&done.stdout).unwrap();
        let changes = log["changes"].as_array().unwrap();
        let word = |c: &Value| c["metrics"]["outcome"].to_string();
        changes.iter().rev().map(word).collect()
    }
}

/// Folders of gates that are still there.
fn exports(scratch: &std::path::Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    let repositories = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    for chain in repositories.flat_map(|r| std::fs::read_dir(r.path()).unwrap().flatten()) {
        for entry in std::fs::read_dir(chain.path()).unwrap().flatten() {
            if entry.file_name() != "cache" && entry.file_name() != "tmp" {
                left.push(entry.path());
            }
        }
    }
    left
}

const ACCEPTANCE: &str = "\
[[checkpoints]]
id = 'one'
prompt_text = 'Make it two.'
[[checkpoints]]
id = 'two'
prompt_text = 'Make it three.'
[gate.acceptance]
command = ['sh', 'lab/run.sh', 'out/report.xml', 'lab/one.t', 'lab/two.t']
reports = ['out/*.xml']
tests = [{ from = 'run.sh', to = 'lab/run.sh' }, { from = 'acceptance', to = 'lab' }]
isolation = 'none'
";

#[test]
fn a_chain_is_gated_and_a_regression_is_found() {
    let lab = Lab::new(ACCEPTANCE);
    lab.checkpoint(1, "one", |r| r.write("src/value", "2\n"));
    lab.checkpoint(2, "two", |r| {
        r.write("src/value", "3\n");
        r.write("src/other", "b\n");
    });
    let done = lab.gate(&["--format", "csv"]);
    let said = err(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    let rows = String::from_utf8(done.stdout).unwrap();
    assert!(rows.contains("exp/arm/1,1,"), "{rows}");
    assert!(
        said.contains(
            "exp/arm/1@2: check reports (acceptance): does not hold: 1 test fails: lab::two"
        ),
        "{said}"
    );
    let first = &lab.records("evolve/exp/arm/1~3")[0];
    assert_eq!(first["suite"], "acceptance");
    assert_eq!(first["exit_code"], 0);
    assert_eq!(first["map"]["validity"], "valid");
    assert_eq!(first["gated"]["checks"][0]["holds"], true);
    assert_eq!(first["gated"]["attempt"], 1);
    assert_eq!(first["gated"]["isolation"], "none");
    assert_eq!(first["gated"]["ended_by"], "itself");
    assert_eq!(first["gated"]["contents"].as_array().unwrap().len(), 3);
    assert_eq!(first["ran_tree"], Value::Null);
    assert!(first["started"].as_str() <= first["ended"].as_str());
    assert_eq!(
        lab.outcome(),
        [r#"{"value":"pass"}"#, r#"{"value":"fail"}"#]
    );
    let broke = lab
        .repo
        .stdout(&["tests", "exp/arm/1@2", "--format", "csv"]);
    assert!(broke.contains("broke,failed,lab::two"), "{broke}");
    // Again: the new record stands beside the old one.
    lab.gate(&["exp/arm/1@1"]);
    assert_eq!(lab.records("evolve/exp/arm/1~3").len(), 2);
    assert_eq!(lab.repo.git(&["status", "--porcelain"]), "");
}

/// What was found changed in a record that is not the agent's: `what path how put_back`.
fn tampered(record: &Value) -> Vec<String> {
    let all = record["gated"]["tampered"].as_array();
    let all = all.into_iter().flatten();
    all.map(|t| {
        let word = |key: &str| t[key].as_str().unwrap().to_owned();
        format!(
            "{} {} {} {}",
            word("what"),
            word("path"),
            word("how"),
            t["put_back"]
        )
    })
    .collect()
}

#[test]
fn what_is_not_the_agents_is_put_back_and_told() {
    let controls = "[controls]\npinned = ['rules.md']\ntests = ['tests/']\nhidden = ['secret*']\n";
    let lab = Lab::new(&format!("{ACCEPTANCE}{controls}"));
    lab.checkpoint(1, "one", |r| {
        r.write("src/other", "b\n");
        // The experimenter's own, guessed.
        r.write("lab/two.t", "true\n");
        r.write("lab/run.sh", "echo forged\n");
        r.write("rules.md", "Do as you like.\n");
        r.write("tests/own.t", "true\n");
        r.write("tests/new.t", "true\n");
        r.write("secret.txt", "x\n");
        r.write("conftest.py", "import os\n");
        // A report that no run made.
        r.write(
            "out/forged.xml",
            "<testsuites><testsuite name='pytest'><testcase classname='lab' name='two'/>\
             </testsuite></testsuites>",
        );
    });
    let (code, row, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(row["holds"], false);
    assert!(
        said.contains("1 report is part of the tree, and deleted before the run: out/forged.xml"),
        "{said}"
    );
    let record = &lab.records("evolve/exp/arm/1~1")[0];
    assert_eq!(
        tampered(record),
        [
            "runner conftest.py added true",
            "tests lab/run.sh added true",
            "tests lab/two.t added true",
            "pinned rules.md changed true",
            "hidden secret.txt added true",
            "tests tests/own.t changed true",
            "report out/forged.xml added true",
        ]
    );
    // Of the forged report nothing is left, and the test that was guessed is the real one.
    let tests = record["map"]["tests"].as_object().unwrap();
    assert_eq!(tests["lab::two"]["outcome"], "failed");
    assert_eq!(record["map"]["files"].as_array().unwrap().len(), 1);
}

#[test]
fn a_link_in_the_agents_tree_leads_nowhere() {
    let lab = Lab::new(ACCEPTANCE);
    let outside = lab.repo.around().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    lab.checkpoint(1, "one", |r| {
        std::os::unix::fs::symlink(&outside, r.path().join("lab")).unwrap();
        std::os::unix::fs::symlink(&outside, r.path().join("out")).unwrap();
    });
    let (_, row, said) = lab.gated("exp/arm/1");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "{said}");
    // The report went through the agent's link: it is none.
    assert!(outside.join("report.xml").exists());
    assert_eq!(row["holds"], Value::Null, "{said}");
    assert!(
        row["gate"].as_str().unwrap().contains("no-reports"),
        "{row}"
    );
}

#[test]
fn the_runner_of_a_command_is_the_bases_whatever_became_of_it() {
    let plan = ACCEPTANCE.replace(
        "['sh', 'lab/run.sh', 'out/report.xml', 'lab/one.t', 'lab/two.t']",
        "\"make -s check\"",
    );
    let lab = Lab::new(&plan);
    let rule = |line: &str| format!("check:\n\t{line}\n");
    lab.repo
        .write("Makefile", rule("sh lab/run.sh out/report.xml lab/*.t"));
    lab.repo.commit("rules");
    lab.checkpoint(1, "one", |r| {
        r.write("src/other", "b\n");
        r.write("Makefile", rule("cp fine.xml out/report.xml"));
    });
    if std::process::Command::new("make")
        .arg("--version")
        .output()
        .is_err()
    {
        println!("left out: make is not installed");
        return;
    }
    let (code, _, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("'Makefile' changed (it says what the command runs): put back for the run"),
        "{said}"
    );
}

#[test]
fn a_build_file_whose_test_part_changed_gives_no_verdict_unless_it_is_pinned_or_free() {
    let edit = |r: &Repo| {
        r.write(
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = '-p forge'\n",
        );
    };
    let lab = Lab::new(ACCEPTANCE);
    lab.checkpoint(1, "one", edit);
    let (code, row, said) = lab.gated("exp/arm/1");
    assert_eq!((code, &row["holds"]), (Some(3), &Value::Null), "{said}");
    assert!(
        row["gate"]
            .as_str()
            .unwrap()
            .contains("pyproject.toml could forge"),
        "{row}"
    );
    for (more, put_back) in [
        ("[controls]\npinned = ['pyproject.toml']\n", 1),
        ("[gate]\nrunner_files_free = ['pyproject.toml']\n", 0),
    ] {
        // `[gate]` stands before its parts.
        lab.plan(&format!("{more}{ACCEPTANCE}"));
        let (code, _, said) = lab.gated("exp/arm/1");
        assert_eq!(code, Some(0), "{said}");
        let last = lab.records("evolve/exp/arm/1~1").pop().unwrap();
        assert_eq!(tampered(&last).len(), put_back, "{last}");
    }
}

#[test]
fn a_set_up_that_fails_is_never_the_agents_failure_and_is_tried_again() {
    let setup = "[[setup]]\ncommand = \"echo preparing; exit 3\"\n";
    let lab = Lab::new(&format!("{setup}{ACCEPTANCE}"));
    lab.checkpoint(1, "one", |r| r.write("src/other", "b\n"));
    let (code, row, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        row["gate"].as_str().unwrap().contains("setup-failed"),
        "{row}"
    );
    let records = lab.records("evolve/exp/arm/1~1");
    // One retry is the plan's default; both are kept.
    let attempts: Vec<&Value> = records.iter().map(|r| &r["gated"]["attempt"]).collect();
    assert_eq!(attempts, [1, 2]);
    let run = &records[0]["gated"]["setups"][0];
    assert_eq!(run["of"], "experiment");
    assert_eq!(run["in"], "gate");
    assert_eq!(run["outcome"], "failed");
    assert_eq!(run["exit_code"], 3);
    assert_eq!(run["console"], "preparing\n");
    assert_eq!(records[0]["gated"]["ended_by"], "setup");
    assert!(
        lab.outcome()[0].contains("setup-failed"),
        "{:?}",
        lab.outcome()
    );
}

#[test]
fn a_run_that_does_not_end_is_ended_and_is_no_verdict() {
    let plan = ACCEPTANCE.replace(
        "['sh', 'lab/run.sh', 'out/report.xml', 'lab/one.t', 'lab/two.t']",
        "\"sleep 60 & sleep 60\"",
    ) + "timeout = '1s'\n";
    let lab = Lab::new(&format!("[gate]\nretries = 0\n{plan}"));
    lab.checkpoint(1, "one", |_| {});
    let began = std::time::Instant::now();
    let (code, row, said) = lab.gated("exp/arm/1");
    assert!(began.elapsed() < std::time::Duration::from_secs(30));
    assert_eq!(code, Some(3), "{said}");
    assert!(row["gate"].as_str().unwrap().contains("timeout"), "{row}");
    let record = &lab.records("evolve/exp/arm/1~1")[0];
    assert_eq!(record["gated"]["ended_by"], "timeout");
    assert_eq!(record["map"]["validity"], "invalid");
}

#[test]
fn a_command_that_is_not_there_and_one_that_lies_about_its_end_are_no_verdicts() {
    let lab = Lab::new(&ACCEPTANCE.replace("['sh', 'lab/run.sh'", "['no-such-runner'"));
    lab.checkpoint(1, "one", |_| {});
    let (code, row, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        row["gate"].as_str().unwrap().contains("aborted-run"),
        "{row}"
    );
    let record = &lab.records("evolve/exp/arm/1~1")[0];
    assert_eq!(record["gated"]["ended_by"], "not-started");
    let lies = "\"sh lab/run.sh out/report.xml lab/one.t; exit 7\"";
    let command = "['sh', 'lab/run.sh', 'out/report.xml', 'lab/one.t', 'lab/two.t']";
    lab.plan(&ACCEPTANCE.replace(command, lies));
    let (code, row, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        row["gate"].as_str().unwrap().contains("ended with 7"),
        "{row}"
    );
}

#[test]
fn the_code_before_runs_the_same_tests_and_the_agents_own_new_ones() {
    let plan = ACCEPTANCE.to_owned()
        + "before = true\nselect = 'up_to'\n\
           [gate.visible]\n\
           command = [\"sh\", \"-c\", \"sh $0 out/v.xml tests/*.t\", \"/LAB/run.sh\"]\n\
           reports = ['out/v.xml']\nbefore = true\nisolation = 'none'\n";
    let lab = Lab::new("");
    let here = lab.folder();
    lab.plan(&plan.replace("/LAB", here.to_str().unwrap()));
    lab.beside("acceptance/one.t", "test \"$(cat src/value)\" = 2\n");
    lab.checkpoint(1, "one", |r| {
        r.write("src/value", "2\n");
        r.write("tests/mine.t", "test \"$(cat src/value)\" = 2\n");
    });
    let (code, _, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(0), "{said}");
    let on_parent = lab.records("evolve/exp/arm/1~2");
    assert_eq!(on_parent.len(), 2, "{on_parent:?}");
    for record in &on_parent {
        assert_eq!(record["for_checkpoint"], 1);
        assert_eq!(record["gated"]["checks"], Value::Null);
    }
    let of = |suite: &str| on_parent.iter().find(|r| r["suite"] == suite).unwrap();
    assert_eq!(
        of("acceptance")["map"]["tests"]["lab::one"]["outcome"],
        "failed"
    );
    assert_eq!(
        of("acceptance")["selected"]["checkpoints"],
        serde_json::json!([1])
    );
    let visible = &of("visible")["map"]["tests"];
    assert_eq!(visible["tests::mine"]["outcome"], "failed");
    assert_eq!(visible["tests::own"]["outcome"], "passed");
    assert_eq!(
        of("visible")["gated"]["contents"][0]["path"],
        "tests/mine.t"
    );
    let log = lab.repo.stdout(&[
        "log",
        "--chain",
        "exp/arm/1",
        "--metrics",
        "fail_to_pass,pass_to_pass",
        "--format",
        "csv",
    ]);
    let row = log.lines().nth(1).unwrap();
    assert!(row.ends_with("1,1") || row.contains(",1,1,"), "{log}");
    // The checks stand with the last suite on the commit itself.
    let records = lab.records("evolve/exp/arm/1~1");
    assert_eq!(records[0]["suite"], "visible");
    assert_eq!(records[0]["gated"]["checks"], Value::Null);
    assert_eq!(records[1]["gated"]["checks"][0]["of"], "acceptance");
}

#[test]
fn every_check_must_hold() {
    let checks = |more: &str| {
        ACCEPTANCE
            .replace(
                "[gate.acceptance]",
                &format!("[gate]\nchecks = ['acceptance', 'declared', {more}]\n[gate.acceptance]"),
            )
            .replacen(
                "prompt_text = 'Make it two.'",
                "prompt_text = 'x'\nfail_to_pass = ['lab::one']\npass_to_pass = ['lab::two']",
                1,
            )
    };
    let lab = Lab::new(&checks(
        "{ command = 'test -f lab/one.t && grep -q 2 src/value' }",
    ));
    lab.checkpoint(1, "one", |r| r.write("src/value", "2\n"));
    let (code, _, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(0), "{said}");
    let record = lab.records("evolve/exp/arm/1~1").pop().unwrap();
    let checks_of = record["gated"]["checks"].as_array().unwrap();
    let words: Vec<String> = checks_of
        .iter()
        .map(|c| format!("{} {}", c["check"].as_str().unwrap(), c["holds"]))
        .collect();
    assert_eq!(words, ["reports true", "declared true", "command true"]);
    lab.plan(&checks("{ command = 'echo no good >&2; exit 4' }"));
    let (code, _, said) = lab.gated("exp/arm/1");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("does not hold: it ended with 4: no good"),
        "{said}"
    );
}

#[test]
fn a_base_is_gated_as_the_chains_baseline_and_a_dry_run_runs_nothing() {
    let lab = Lab::new(ACCEPTANCE);
    lab.checkpoint(1, "one", |_| {});
    let dry = lab.gate(&["--dry-run"]);
    assert_eq!(dry.status.code(), Some(0), "{}", err(&dry));
    assert!(String::from_utf8_lossy(&dry.stdout).contains("would run acceptance"));
    let (code, row, said) = {
        let done = lab.gate(&["--base", "--format", "json"]);
        let told: Value = serde_json::from_slice(&done.stdout).unwrap();
        (done.status.code(), told["gates"][0].clone(), err(&done))
    };
    assert_eq!(
        (code, &row["checkpoint"]),
        (Some(0), &Value::from(0)),
        "{said}"
    );
    let record = &lab.records("evolve/exp/arm/1~2")[0];
    assert_eq!(record["for_checkpoint"], 0);
    assert_eq!(record["role"], "base");
    for wrong in [&["exp/arm/9"][..], &["exp/arm/1@7"], &["--arm", "none"]] {
        assert_eq!(lab.gate(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_dry_run_names_the_checks_of_a_gate_that_has_no_suite() {
    let suite = ACCEPTANCE.find("[gate.acceptance]").unwrap();
    let checks =
        "[gate]\nchecks = [{ command = 'make lint' }, { command = ['test', '-f', 'x'] }]\n";
    let lab = Lab::new(&format!("{}{checks}", &ACCEPTANCE[..suite]));
    lab.checkpoint(1, "one", |_| {});
    let dry = lab.gate(&["--dry-run"]);
    assert_eq!(dry.status.code(), Some(0), "{}", err(&dry));
    let text = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(text.contains("would check make lint, test -f x"), "{text}");
    assert!(!text.contains("no suite"), "{text}");
}

#[test]
fn references_become_a_chain_of_their_own_that_stands_beside_the_arms() {
    let with = |id: &str, patch: &str| {
        (
            format!("id = '{id}'"),
            format!("id = '{id}'\nreference = '{patch}'"),
        )
    };
    let (one, two) = (with("one", "one.patch"), with("two", "two.patch"));
    let plan = ACCEPTANCE.replace(&one.0, &one.1).replace(&two.0, &two.1);
    let lab = Lab::new(ACCEPTANCE);
    let patch = |from: &str, to: &str| {
        format!("--- a/src/value\n+++ b/src/value\n@@ -1 +1 @@\n-{from}\n+{to}\n")
    };
    lab.beside("one.patch", &patch("1", "2"));
    lab.beside("two.patch", &patch("2", "3"));
    lab.checkpoint(1, "one", |r| r.write("src/value", "2\n"));
    lab.repo.git(&["switch", "-q", "main"]);
    lab.plan(&plan);
    let done = lab.gate(&["--reference", "--format", "csv"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let rows = String::from_utf8(done.stdout).unwrap();
    assert_eq!(rows.lines().count(), 3, "{rows}");
    assert!(rows.contains("exp/reference/1,2,"), "{rows}");
    let show = |of: &str| lab.repo.git(&["show", of]);
    assert_eq!(show("evolve/exp/reference/1:src/value"), "3");
    let message = lab
        .repo
        .git(&["log", "-1", "--format=%B", "evolve/exp/reference/1~1"]);
    assert!(message.contains("Evolve-Role: agent") && message.contains("Evolve-Checkpoint: 2 two"));
    // Made once: what is there is only gated again.
    let tip = lab.repo.git(&["rev-parse", "evolve/exp/reference/1"]);
    lab.gate(&["--reference"]);
    assert_eq!(lab.repo.git(&["rev-parse", "evolve/exp/reference/1"]), tip);
    assert_eq!(lab.records("evolve/exp/reference/1~1").len(), 2);
    // It is nobody's attempt, and stands beside the arms where it is asked for.
    let log = lab.repo.evolve(&["log", "--metrics", "outcome"]);
    let text = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(!text.contains("reference"), "{text}");
    assert!(
        err(&log).contains("1 chain of a reference is left out"),
        "{}",
        err(&log)
    );
    let asked = lab
        .repo
        .evolve(&["log", "--arm", "reference", "--metrics", "outcome"]);
    let text = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert!(
        text.contains("reference") && text.contains("pass"),
        "{text}"
    );
    assert_eq!(lab.repo.git(&["status", "--porcelain"]), "");
    // A patch that does not apply is the plan's fault.
    lab.beside("two.patch", &patch("7", "8"));
    let lab_two = Lab::new(&plan);
    lab_two.beside("one.patch", &patch("1", "2"));
    lab_two.beside("two.patch", &patch("7", "8"));
    lab_two.plan(&plan);
    let done = lab_two.gate(&["--reference"]);
    assert_eq!(done.status.code(), Some(2), "{}", err(&done));
    assert!(
        err(&done).contains("two.patch does not apply"),
        "{}",
        err(&done)
    );
}
