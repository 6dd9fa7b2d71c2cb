//! A small experiment that runs anywhere in a second or two: its test runner is a shell script
//! that looks for what each checkpoint was to bring, and writes what it found as JUnit does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::Repo;

/// The runner of the acceptance suite: for each selected checkpoint k, `rule_k` must be called
/// and defined.
const RUNNER: &str = r#"mkdir -p reports
{
  echo '<?xml version="1.0"?>'
  echo '<testsuite name="shop">'
  echo '<testcase classname="shop" name="price" time="0.1"/>'
  for k in $(echo "$EVOLVE_CHECKPOINTS" | tr , ' '); do
    printf '<testcase classname="shop" name="rule %s" time="0.1">' "$k"
    if ! grep -q "def rule_$k(" shop.py || ! grep -q "= rule_$k(" shop.py; then
      printf '<failure message="rule %s is not there">AssertionError</failure>' "$k"
    fi
    echo '</testcase>'
  done
  echo '</testsuite>'
} > reports/acceptance.xml
! grep -q '<failure' reports/acceptance.xml
"#;

/// A small experiment and where it stands.
pub struct Small {
    pub repo: Repo,
    /// Recordings, outside the repository.
    pub patches: PathBuf,
    /// A line for every launch of an agent.
    pub launches: PathBuf,
    pub scratch: PathBuf,
    plan: Plan,
}

/// What a small experiment is.
#[derive(Clone)]
pub struct Plan {
    pub arms: Vec<&'static str>,
    pub chains: u32,
    pub checkpoints: u32,
    /// Another agent's words than the replay agent's, by arm.
    pub agents: BTreeMap<&'static str, Vec<String>>,
    /// More words for the replay agent.
    pub agent: Vec<String>,
    /// What a sandbox is to it.
    pub isolation: &'static str,
    /// How long a session may take.
    pub time: &'static str,
    /// Lines of `[agent]`.
    pub lines: String,
    /// Lines of `[agent.limits]`.
    pub limits: String,
    /// Tables at the end of the plan.
    pub tables: String,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            arms: vec!["one", "two"],
            chains: 2,
            checkpoints: 3,
            agents: BTreeMap::new(),
            agent: Vec::new(),
            isolation: "none",
            time: "1m",
            lines: "on_fail = \"continue\"\n".to_owned(),
            limits: String::new(),
            tables: "[noop]\nsessions = 1\n".to_owned(),
        }
    }
}

impl Small {
    /// The experiment in a repository of its own, nothing run yet.
    ///
    /// In arm `two` chain 2 takes rule 1 away at checkpoint 3.
    pub fn new(plan: &Plan) -> Small {
        let repo = Repo::new();
        let around = repo.around().canonicalize().expect("a real path");
        let small = Small {
            patches: around.join("patches"),
            launches: around.join("launches"),
            scratch: around.join("scratch"),
            plan: plan.clone(),
            repo,
        };
        small.project();
        small.record();
        small
    }

    fn project(&self) {
        let repo = &self.repo;
        repo.write(
            "shop.py",
            "def price(order):\n    total = sum(order)\n    return total\n",
        );
        repo.write(".gitignore", "reports/\n");
        repo.write(
            "tests/test_price.py",
            "def test_price():\n    assert True\n",
        );
        repo.write("experiment/acceptance/run.sh", RUNNER);
        repo.write(
            "experiment/guide/AGENTS.md",
            "# Rules\n\nEach rule is a function.\n",
        );
        repo.write("evolve.toml", self.text());
        repo.commit("the project and its plan");
    }

    /// The plan.
    fn text(&self) -> String {
        let program = env!("CARGO_BIN_EXE_git-evolve");
        let mut words = vec![
            program.to_owned(),
            "replay-agent".to_owned(),
            "--patches".to_owned(),
            self.patches.display().to_string(),
            "--launches".to_owned(),
            self.launches.display().to_string(),
        ];
        words.extend(self.plan.agent.clone());
        let mut text = format!(
            "[experiment]\nname = \"small\"\nchains = {}\nseed = 1\n\n[agent]\ncommand = {words:?}\n\
             isolation = {:?}\n{}\n[agent.limits]\ntime = {:?}\n{}\n\
             [gate.acceptance]\ncommand = [\"sh\", \"acceptance/run.sh\"]\n\
             reports = [\"reports/*.xml\"]\nselect = \"up_to\"\nisolation = {:?}\n\
             tests = [{{ from = \"experiment/acceptance\", to = \"acceptance\" }}]\n\n\
             [controls]\npinned = [\"AGENTS.md\"]\ntests = [\"tests/**\"]\nhidden = [\"experiment/**\"]\n\n\
             [measure]\nentry = 'shop\\.py::price$'\n\n{}\n",
            self.plan.chains,
            self.plan.isolation,
            self.plan.lines,
            self.plan.time,
            self.plan.limits,
            self.plan.isolation,
            self.plan.tables
        );
        for (at, arm) in self.plan.arms.iter().enumerate() {
            text.push_str(&format!("[[arms]]\nname = \"{arm}\"\n"));
            if at == 0 {
                text.push_str("baseline = true\n");
            } else {
                text.push_str("files = [\"experiment/guide\"]\n");
            }
            let variants = ["--variants".to_owned(), "a,b".to_owned()];
            match self.plan.agents.get(arm) {
                Some(own) => text.push_str(&format!("agent.command = {own:?}\n")),
                None if at > 0 => {
                    let words = [&words[..], &variants].concat();
                    text.push_str(&format!("agent.command = {words:?}\n"));
                }
                None => {}
            }
            text.push('\n');
        }
        for k in 1..=self.plan.checkpoints {
            text.push_str(&format!(
                "[[checkpoints]]\nid = \"rule-{k}\"\nprompt_text = \"Bring rule {k}.\"\n\n"
            ));
        }
        text
    }

    /// The recordings: a rule for each checkpoint; one that also changes the pinned guide.
    fn record(&self) {
        let write = |name: String, text: String| {
            std::fs::create_dir_all(&self.patches).expect("made");
            std::fs::write(self.patches.join(name), text).expect("written");
        };
        for k in 1..=self.plan.checkpoints {
            let before = if k == 1 {
                "def price(order):".to_owned()
            } else {
                format!("def rule_{}(total):", k - 1)
            };
            let rule = format!(
                "% edit shop.py\n{before}\n% to\ndef rule_{k}(total):\n    return total + {k} if \
                 total > {k} else total\n\n\n{before}\n% message\nBring rule {k}\n\
                 % edit shop.py\n    return total\n% to\n    total = rule_{k}(total)\n    return \
                 total\n"
            );
            if k == 3 {
                let gone = "% edit shop.py\n    total = rule_1(total)\n% to\n    # nobody needs \
                            that\n";
                write(format!("rule-{k}-b.edits"), format!("{rule}{gone}"));
            }
            write(format!("rule-{k}.edits"), rule);
        }
    }

    /// `git evolve run` with these words, not started yet.
    pub fn command_in(&self, dir: &Path, words: &[&str]) -> Command {
        let mut command = self.repo.command(env!("CARGO_BIN_EXE_git-evolve"), dir);
        command
            // The clock is the system's: made again later, a commit is another one.
            .env_remove("GIT_AUTHOR_DATE")
            .env_remove("GIT_COMMITTER_DATE")
            .arg("run")
            .arg("--scratch")
            .arg(&self.scratch)
            .args(words);
        command
    }

    /// Runs it, and gives what came of it.
    pub fn run(&self, words: &[&str]) -> Output {
        self.command_in(self.repo.path(), words)
            .output()
            .expect("it runs")
    }

    /// Runs it, expects success, gives its words.
    pub fn good(&self, words: &[&str]) -> String {
        let out = self.run(words);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(0), "{words:?}: {said}");
        said
    }

    /// The paths of its chains, in the plan's order.
    pub fn paths(&self) -> Vec<String> {
        let arms = self.plan.arms.iter();
        arms.flat_map(|arm| (1..=self.plan.chains).map(move |n| format!("small/{arm}/{n}")))
            .collect()
    }

    /// How often an agent was launched for each purpose, chain and checkpoint.
    pub fn launched(&self) -> BTreeMap<(String, String, u64), u64> {
        let mut all = BTreeMap::new();
        for line in std::fs::read_to_string(&self.launches)
            .unwrap_or_default()
            .lines()
        {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let word = |key: &str| line[key].as_str().unwrap_or("").to_owned();
            let k = line["checkpoint"].as_u64().unwrap_or(0);
            *all.entry((word("purpose"), word("chain"), k)).or_default() += 1;
        }
        all
    }

    /// The records of a kind, as they stand in the notes.
    pub fn records(&self, kind: &str) -> Vec<serde_json::Value> {
        let notes = format!("refs/notes/evolve/{kind}");
        let listed = self.repo.git(&["ls-tree", "-r", &notes]);
        let blobs = listed.lines().filter_map(|l| l.split_whitespace().nth(2));
        let mut all = Vec::new();
        for blob in blobs {
            for line in self.repo.git(&["cat-file", "blob", blob]).lines() {
                all.push(serde_json::from_str(line).expect("JSON"));
            }
        }
        all
    }

    /// What a chain is, ids and times apart: of each commit its checkpoint, role and tree, and of
    /// the gates on it each suite's outcomes.
    pub fn shape(&self, path: &str) -> Vec<String> {
        shape(&self.repo, self.repo.path(), path)
    }
}

/// The shape of a chain in the repository at `dir`.
pub fn shape(repo: &Repo, dir: &Path, path: &str) -> Vec<String> {
    let git = |words: &[&str]| {
        let out = repo
            .command("git", dir)
            .args(words)
            .output()
            .expect("git runs");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "git {words:?}: {said}");
        String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
    };
    let field = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x2C)");
    let format = format!(
        "--format=%H %T {} / {}",
        field("Evolve-Checkpoint"),
        field("Evolve-Role")
    );
    let branch = format!("refs/heads/evolve/{path}");
    let log = git(&["log", "--reverse", "--first-parent", &format, &branch]);
    let notes = git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/notes/evolve/tests",
    ]);
    let mut shape = Vec::new();
    for line in log
        .lines()
        .filter(|l| l.contains(" / ") && !l.ends_with("/ "))
    {
        let (commit, rest) = line.split_once(' ').expect("an id");
        shape.push(rest.to_owned());
        if notes.is_empty() {
            continue;
        }
        let out = repo
            .command("git", dir)
            .args(["notes", "--ref", "evolve/tests", "show", commit])
            .output()
            .expect("git runs");
        let mut gates: Vec<String> = String::from_utf8_lossy(&out.stdout)
            .lines()
            .map(|l| serde_json::from_str(l).expect("JSON"))
            .map(|r: serde_json::Value| gate(&r))
            .collect();
        gates.sort();
        gates.dedup();
        shape.extend(gates);
    }
    shape
}

/// A gate as it must be the same whenever it ran: checkpoint, suite, validity and outcomes.
fn gate(record: &serde_json::Value) -> String {
    let map = &record["map"];
    let tests: Vec<String> = map["tests"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(id, test)| {
            let outcome = test.as_str().map_or_else(
                || test["outcome"].as_str().unwrap_or("?").to_owned(),
                str::to_owned,
            );
            format!("{id}={outcome}")
        })
        .collect();
    format!(
        "  for {} {} {}: {}",
        record["for_checkpoint"],
        record["suite"].as_str().unwrap_or("?"),
        map["validity"].as_str().unwrap_or("?"),
        tests.join(" ")
    )
}
