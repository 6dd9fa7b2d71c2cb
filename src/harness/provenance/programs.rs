//! The programs that a gate's commands name, and what each says its version is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use crate::harness::process::{self, Job, Stop};
use crate::plan::{self, Check, Gate};
use crate::record::RecordId;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);
/// What is kept of what it says, in bytes.
const READ: u64 = 16 << 10;
/// What is kept of the line that says it, in characters.
const KEPT: usize = 200;

/// A program's name to the argument that makes it say its version.
const KNOWN: [(&str, &str); 15] = [
    ("cargo", "--version"),
    ("dotnet", "--version"),
    ("go", "version"),
    ("gotestsum", "--version"),
    ("gradle", "--version"),
    ("java", "-version"),
    ("mvn", "--version"),
    ("node", "--version"),
    ("npm", "--version"),
    ("pytest", "--version"),
    ("python", "--version"),
    ("python3", "--version"),
    ("ruby", "--version"),
    ("tox", "--version"),
    ("uv", "--version"),
];

/// Programs that run on Java. The wrappers among them are the project's own and are not run.
const ON_JAVA: [&str; 4] = ["gradle", "gradlew", "mvn", "mvnw"];

/// A question for a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    /// The program's name.
    pub(super) name: String,
    /// Its words.
    words: Vec<String>,
    /// Variables that it is asked under, beside those of every gate.
    environment: BTreeMap<String, String>,
}

/// What is to be asked of a gate's programs; none twice.
pub(super) fn of_gate(gate: &Gate) -> BTreeSet<Question> {
    let mut questions = BTreeSet::new();
    for suite in [&gate.visible, &gate.acceptance].into_iter().flatten() {
        questions.extend(of_command(&suite.command, &suite.environment));
    }
    for check in &gate.checks {
        if let Check::Command { command, .. } = check {
            questions.extend(of_command(command, &BTreeMap::new()));
        }
    }
    questions
}

fn of_command(
    command: &plan::Command,
    environment: &BTreeMap<String, String>,
) -> BTreeSet<Question> {
    let words: Vec<&str> = match command {
        plan::Command::Words(words) => words.iter().map(String::as_str).collect(),
        plan::Command::Shell(line) => line
            .split(|c: char| c.is_whitespace() || ";|&(){}<>'\"`".contains(c))
            .filter(|w| !w.is_empty())
            .collect(),
    };
    // What is filled in later is not known here.
    let filled = |text: &str| !text.contains(['{', '$']);
    let environment: BTreeMap<String, String> = environment
        .iter()
        .filter(|(_, value)| filled(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut questions = BTreeSet::new();
    let mut ask = |name: &str, words: &[&str]| {
        questions.insert(Question {
            name: name.to_owned(),
            words: words.iter().map(|w| (*w).to_owned()).collect(),
            environment: environment.clone(),
        });
    };
    for (at, word) in words.iter().enumerate().filter(|(_, w)| filled(w)) {
        let name = Path::new(word).file_name().and_then(|n| n.to_str());
        let name = name.unwrap_or_default();
        if ON_JAVA.contains(&name) {
            ask("java", &["java", "-version"]);
        }
        let Some((name, how)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        // A module that Python is told to run: of this Python, not whichever stands on the PATH.
        match at.checked_sub(2).map(|from| &words[from..at]) {
            Some([python, "-m"]) if filled(python) => ask(name, &[python, "-m", name, how]),
            _ if is_program(word) => ask(name, &[word, how]),
            _ => {}
        }
    }
    questions
}

/// Whether a word names a program outside the project: by its name alone, or by its whole path.
fn is_program(word: &str) -> bool {
    !word.contains('/') || word.starts_with('/')
}

impl Question {
    /// What the program says; `None` where it is not there, fails, or does not end in time.
    pub(super) fn ask(&self) -> Option<String> {
        let folder = std::env::temp_dir().join(format!("git-evolve-{}", RecordId::new()));
        std::fs::create_dir(&folder).ok()?;
        let said = self.ask_in(&folder);
        // It lies in the system's folder for what may go.
        let _ = std::fs::remove_dir_all(&folder);
        said
    }

    fn ask_in(&self, folder: &Path) -> Option<String> {
        let mut environment = BTreeMap::from([
            ("LANG".into(), "C.UTF-8".into()),
            ("TERM".into(), "dumb".into()),
        ]);
        for name in ["PATH", "HOME"] {
            environment.extend(std::env::var_os(name).map(|value| (name.into(), value)));
        }
        let own = self.environment.iter();
        environment.extend(own.map(|(name, value)| (name.into(), value.into())));
        let words = self.words.iter().map(Into::into).collect();
        let job = Job {
            environment,
            keep: READ,
            time: PATIENCE,
            ..Job::new(words, folder, &folder.join("said"))
        };
        let ended = process::run(&job, &Stop::new()).ok()?;
        if ended.by != process::By::Itself || ended.exit_code != Some(0) {
            return None;
        }
        let said = [&job.out, &job.err].map(|file| std::fs::read(file).unwrap_or_default());
        said.iter().find_map(|text| line(text))
    }
}

/// The first line that has a digit, without what a terminal would obey.
fn line(said: &[u8]) -> Option<String> {
    static OBEYED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("\x1b\\[[0-9;?]*[A-Za-z]").ok());
    let text = String::from_utf8_lossy(said);
    let text = match &*OBEYED {
        Some(obeyed) => obeyed.replace_all(&text, ""),
        None => text,
    };
    let plain = text.lines().map(|l| {
        let l: String = l.chars().filter(|c| !c.is_control()).collect();
        l.trim().to_owned()
    });
    let mut lines = plain.filter(|l| l.chars().any(|c| c.is_ascii_digit()));
    lines.next().map(|l| l.chars().take(KEPT).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command: &plan::Command) -> Vec<String> {
        of_command(command, &BTreeMap::new())
            .into_iter()
            .map(|q| format!("{}: {}", q.name, q.words.join(" ")))
            .collect()
    }

    fn words(text: &str) -> plan::Command {
        plan::Command::Words(text.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn programs_are_those_that_a_command_names() {
        for (text, wanted) in [
            ("pytest -q tests", vec!["pytest: pytest --version"]),
            (
                "python3 -m pytest -q",
                vec![
                    "pytest: python3 -m pytest --version",
                    "python3: python3 --version",
                ],
            ),
            (
                "/opt/venv/bin/python -m pytest",
                vec![
                    "pytest: /opt/venv/bin/python -m pytest --version",
                    "python: /opt/venv/bin/python --version",
                ],
            ),
            ("go test -json ./...", vec!["go: go version"]),
            (
                "mvn -o -q test",
                vec!["java: java -version", "mvn: mvn --version"],
            ),
            ("./mvnw test", vec!["java: java -version"]),
            ("{cache}/venv/bin/pytest", vec![]),
            ("node_modules/.bin/node", vec![]),
            ("make check", vec![]),
        ] {
            assert_eq!(asked(&words(text)), wanted, "{text}");
        }
        let line = plan::Command::Shell("cd app && (go build; node run.js)".to_owned());
        assert_eq!(asked(&line), ["go: go version", "node: node --version"]);
    }

    fn question(line: &str) -> Question {
        Question {
            name: "x".to_owned(),
            words: ["sh", "-c", line].map(str::to_owned).to_vec(),
            environment: BTreeMap::from([("V".to_owned(), "3.4".to_owned())]),
        }
    }

    #[test]
    fn the_first_line_with_a_number_is_the_version() {
        let said = question("echo; echo hello; echo tool $V; echo more 1").ask();
        assert_eq!(said.as_deref(), Some("tool 3.4"));
        let said = question("echo openjdk 17 >&2").ask();
        assert_eq!(said.as_deref(), Some("openjdk 17"));
        let said = question("printf '\\033[1mtool 5\\033[0m\\n'").ask();
        assert_eq!(said.as_deref(), Some("tool 5"));
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_has_no_version() {
        assert_eq!(question("echo 1; exit 3").ask(), None);
        assert_eq!(question("echo words alone").ask(), None);
        let mut none = question("");
        none.words = vec!["no-such-program-of-this-name".to_owned()];
        assert_eq!(none.ask(), None);
    }

    #[test]
    fn what_a_program_says_without_end_is_not_kept() {
        let said = question("yes 7 | head -c 3000000").ask();
        assert_eq!(said.as_deref(), Some("7"));
    }
}
