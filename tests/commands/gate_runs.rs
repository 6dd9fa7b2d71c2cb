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
        well(&self.repo, &["begin", "exp/arm/1", &k, "--id", id]);
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
        let text = self.repo.stdout(&[
            "log",
            "--chain",
            "exp/arm/1",
            "--metrics",
            "outcome",
            "--format",
            "json",
        ]);
        let log: Value = serde_json::from_str(&text).unwrap();
        let changes = log["changes"].as_array().unwrap();
        let word = |c: &Value| c["metrics"]["outcome"].to_string();
        changes.iter().rev().map(word).collect()
    }
}

/// Folders of gates that are still there.
fn exports(scratch: &std::path::Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for chain in std::fs::read_dir(scratch).into_iter().flatten().flatten() {
        for entry in std::fs::read_dir(chain.path()).unwrap().flatten() {
            if entry.file_name() != "cache" {
                left.push(entry.path());
            }
        }
    }
    left
}

const ACCEPTANCE: &str = "\
[[checkpoints]]
id = 'one'
prompt = { text = 'Make it two.' }
[[checkpoints]]
id = 'two'
prompt = { text = 'Make it three.' }
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
    assert_eq!(lab.outcome(), ["\"pass\"", "\"fail\""]);
    let broke = lab
        .repo
        .stdout(&["tests", "exp/arm/1@2", "--format", "csv"]);
    assert!(broke.contains("broke,failed,lab::two"), "{broke}");
    // Again: the new record stands beside the old one.
    lab.gate(&["exp/arm/1@1"]);
    assert_eq!(lab.records("evolve/exp/arm/1~3").len(), 2);
    assert_eq!(lab.repo.git(&["status", "--porcelain"]), "");
}
