//! What the tests of `git evolve run` share: a project, a plan beside it, an agent that is a
//! script, a runner of tests that is one, and what came of a run.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::Repo;

/// An agent that does its work: a value goes to the checkpoint's number, a new file comes, the
/// guide is tampered with; one commit of its own, and something that is not committed.
pub(super) const WORKS: &str = "\
cat > \"$TMPDIR/asked\"
echo \"$EVOLVE_CHECKPOINT\" > src/value
echo \"is $EVOLVE_CHECKPOINT_ID\" >> src/log
echo tampered >> GUIDE.md
git add -A && git commit -qm 'My own words' || exit 9
echo new > \"src/new$EVOLVE_CHECKPOINT\"
";

/// A runner: each `*.t` is a test that passes where its command ends with 0; JUnit comes out.
const RUNNER: &str = "\
out=$1; shift
mkdir -p \"$(dirname \"$out\")\"
echo '<testsuites><testsuite name=\"pytest\">' > \"$out.part\"
failed=0
for t in \"$@\"; do
  printf '<testcase classname=\"t\" name=\"%s\" time=\"0.1\">' \"$(basename \"$t\" .t)\" >> \"$out.part\"
  if ! sh \"$t\" > said 2>&1; then
    failed=1; printf '<failure message=\"%s\"/>' \"$(cat said)\" >> \"$out.part\"
  fi
  echo '</testcase>' >> \"$out.part\"
done
echo '</testsuite></testsuites>' >> \"$out.part\"
mv \"$out.part\" \"$out\"
exit $failed
";

/// A gate whose tests hold while a value is the checkpoint's number or more.
pub(super) const GATE: &str = "
[gate.acceptance]
command = ['sh', 'lab/run.sh', 'out/report.xml', 'lab/one.t', 'lab/two.t']
reports = ['out/*.xml']
tests = [{ from = 'run.sh', to = 'lab/run.sh' }, { from = 'acceptance', to = 'lab' }]
isolation = 'none'
";

/// A project, and an experiment beside it.
pub(super) struct Lab {
    pub(super) repo: Repo,
}

impl Lab {
    /// With an agent that runs `agent`, and more tables of the plan.
    pub(super) fn new(agent: &str, more: &str) -> Lab {
        let repo = Repo::new();
        repo.write("src/value", "0\n");
        repo.write("src/log", "begun\n");
        repo.write("GUIDE.md", "Be good.\n");
        repo.commit("project");
        let lab = Lab { repo };
        lab.beside("run.sh", RUNNER);
        lab.beside("acceptance/one.t", "test \"$(cat src/value)\" -ge 1\n");
        lab.beside(
            "acceptance/two.t",
            "echo \"the value is $(cat src/value)\"; test \"$(cat src/value)\" -ge \"$EVOLVE_CHECKPOINT\"\n",
        );
        lab.agent(agent);
        lab.plan("chains = 1", "", more);
        lab
    }

    /// The script that the agent runs; each launch is noted.
    pub(super) fn agent(&self, script: &str) {
        let noted = format!(
            "echo \"$EVOLVE_PURPOSE $EVOLVE_CHECKPOINT\" >> '{}'\n{script}",
            self.folder().join("launched").display()
        );
        self.beside("agent.sh", &noted);
    }

    /// Writes the plan: three checkpoints, one arm; more of `[experiment]`, of `[agent]`, and
    /// more tables.
    pub(super) fn plan(&self, experiment: &str, agent: &str, more: &str) {
        let script = self.folder().join("agent.sh");
        let script = script.display();
        let arms = match more.contains("[[arms]]") {
            true => "",
            false => "[[arms]]\nname = 'a'\n",
        };
        let checkpoints = match more.contains("[[checkpoints]]") {
            true => "",
            false => {
                "[[checkpoints]]\nid = 'one'\nprompt_text = 'Do one.'\n\
                 [[checkpoints]]\nid = 'two'\nprompt_text = 'Do two.'\n\
                 [[checkpoints]]\nid = 'three'\nprompt_text = 'Do three.'\n"
            }
        };
        let plan = format!(
            "[experiment]\nname = 'exp'\nbase = 'main'\n{experiment}\n\
             [agent]\ncommand = ['sh', '{script}']\nisolation = 'none'\n{agent}\n\
             [controls]\npinned = ['GUIDE.md']\n{more}\n{arms}{checkpoints}"
        );
        self.beside("evolve.toml", &plan);
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.repo.around().join("lab")
    }

    pub(super) fn scratch(&self) -> PathBuf {
        self.repo.around().join("scratch")
    }

    pub(super) fn beside(&self, path: &str, text: &str) {
        let file = self.folder().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_git-evolve");
        let mut command = self.repo.command(program, self.repo.path());
        command.args(["run", "--plan"]);
        command.arg(self.folder().join("evolve.toml"));
        command.arg("--scratch").arg(self.scratch());
        command.args(words);
        command
    }

    pub(super) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("git-evolve runs")
    }

    /// A run that ends with this status; what it came to.
    pub(super) fn ends(&self, status: i32, words: &[&str]) -> Value {
        let mut all = vec!["--format", "json"];
        all.extend(words);
        let done = self.run(&all);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(status), "{said}");
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{said}"))
    }

    /// A run that dies at a place.
    pub(super) fn dies(&self, place: &str) {
        let mut command = self.command(&[]);
        let done = command.env("GIT_EVOLVE_TEST_KILL", place).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(137), "{place}: {said}");
    }

    /// How often the agent was launched, for what and at which checkpoint.
    pub(super) fn launched(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder().join("launched")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The commits of a chain: tree and subject.
    pub(super) fn line(&self, chain: &str) -> Vec<String> {
        let branch = format!("evolve/{chain}");
        let log = self.repo.git(&[
            "log",
            "--first-parent",
            "--reverse",
            "--format=%T %s",
            &branch,
            "^main",
        ]);
        log.lines().map(str::to_owned).collect()
    }

    /// The test maps of a chain's commits: subject, suite, tests.
    pub(super) fn gates(&self, chain: &str) -> Vec<String> {
        let branch = format!("evolve/{chain}");
        let log = self.repo.git(&[
            "log",
            "--first-parent",
            "--reverse",
            "--format=%H %s",
            &branch,
            "^main",
        ]);
        let mut found = Vec::new();
        for line in log.lines() {
            let (id, subject) = line.split_once(' ').unwrap();
            for record in self.notes("tests", id) {
                let outcome = |t: &Value| t["outcome"].as_str().unwrap().to_owned();
                let tests = record["map"]["tests"].as_object().unwrap().iter();
                let tests: Vec<String> = tests
                    .map(|(id, t)| format!("{id}={}", outcome(t)))
                    .collect();
                found.push(format!(
                    "{subject}: {} {}",
                    record["suite"].as_str().unwrap(),
                    tests.join(" ")
                ));
            }
        }
        found
    }

    /// The records of a kind on a commit, oldest first.
    pub(super) fn notes(&self, kind: &str, of: &str) -> Vec<Value> {
        let name = format!("evolve/{kind}");
        let mut show = self.repo.command("git", self.repo.path());
        let out = show.args(["notes", "--ref", &name, "show", of]);
        let text = String::from_utf8(out.output().unwrap().stdout).unwrap();
        let mut all: Vec<Value> = text
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        all.sort_by_key(|r| r["id"].as_str().unwrap().to_owned());
        all
    }

    /// That `verify` finds nothing.
    pub(super) fn holds(&self) {
        let done = self.repo.evolve(&["verify"]);
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(0), "{said}");
    }

    /// The refs below a prefix, without it.
    pub(super) fn refs(&self, prefix: &str) -> Vec<String> {
        let all = self
            .repo
            .git(&["for-each-ref", "--format=%(refname)", prefix]);
        let inner = |l: &str| l.strip_prefix(prefix).unwrap().to_owned();
        all.lines().map(inner).collect()
    }
}
