//! Which files a command runs, or runs by: scripts and configuration, not what it works on.

use std::collections::BTreeSet;

use crate::plan::Command;

/// What stands before the program that is meant.
const BEFORE: [&str; 8] = [
    "env", "exec", "nice", "nohup", "time", "timeout", "command", "xvfb-run",
];
/// Programs whose first plain word is a script.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "source", "."];
/// Programs that take a file of their own configuration.
const RUNNERS: [&str; 20] = [
    "make", "gmake", "bmake", "mvn", "mvnw", "gradle", "gradlew", "ant", "pytest", "py.test",
    "tox", "nox", "jest", "vitest", "mocha", "npx", "ctest", "python", "python3", "coverage",
];
/// Options of these whose value is such a file.
const OPTIONS: [&str; 12] = [
    "-c",
    "-f",
    "-s",
    "--build-file",
    "--config",
    "--config-file",
    "--file",
    "--init-script",
    "--makefile",
    "--rcfile",
    "--settings",
    "--settings-file",
];

/// What a command says.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    /// Paths that it runs or runs by.
    pub(super) files: BTreeSet<String>,
    /// It runs make.
    pub(super) makes: bool,
}

/// Looks at a command.
pub(super) fn of(command: &Command) -> Spoken {
    let mut spoken = Spoken::default();
    match command {
        Command::Words(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            spoken.take(&words);
            // A line for a shell is one, however it gets there.
            if let [shell, options, line, ..] = words.as_slice()
                && is_shell(shell)
                && options.starts_with('-')
                && options.ends_with('c')
            {
                spoken.line(line);
            }
        }
        Command::Shell(line) => spoken.line(line),
    }
    spoken
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_shell(word: &str) -> bool {
    SHELLS.contains(&base(word)) || word == "."
}

impl Spoken {
    fn line(&mut self, line: &str) {
        for one in line.split([';', '&', '|', '\n', '(', ')', '`', '{', '}']) {
            let words: Vec<&str> = one
                .split_whitespace()
                .map(|w| w.trim_matches(['\'', '"', '$']))
                .filter(|w| !w.is_empty())
                .collect();
            self.take(&words);
        }
    }

    /// Takes the words of one program.
    fn take(&mut self, words: &[&str]) {
        let is_before = |w: &&str| {
            let plain = w.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
            plain || BEFORE.contains(w) || w.bytes().all(|b| b.is_ascii_digit())
        };
        let start = words.iter().position(|w| !is_before(w));
        let Some((program, rest)) = start.and_then(|at| words[at..].split_first()) else {
            return;
        };
        self.name(program);
        self.makes |= matches!(base(program), "make" | "gmake" | "bmake");
        if is_shell(program) {
            if let Some(script) = rest.iter().find(|w| !w.starts_with('-')) {
                self.name(script);
            }
            return;
        }
        if !RUNNERS.contains(&base(program)) {
            return;
        }
        for (at, word) in rest.iter().enumerate() {
            if let Some((option, value)) = word.split_once('=')
                && OPTIONS.contains(&option)
            {
                self.name(value);
            } else if OPTIONS.contains(word)
                && let Some(value) = rest.get(at + 1)
            {
                self.name(value);
            }
        }
    }

    fn name(&mut self, word: &str) {
        let path = word.strip_prefix("./").unwrap_or(word);
        self.files.insert(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_configuration_are_named_and_what_is_worked_on_is_not() {
        let of = |line: &str| of(&Command::Shell(line.to_owned()));
        let has = |line: &str, path: &str| of(line).files.contains(path);
        assert!(has("A=1 timeout 5 ./ci/run.sh src/a", "ci/run.sh"));
        assert!(has("cd x && sh -e ci/all.sh src/a", "ci/all.sh"));
        assert!(has("pytest -c ci/py.ini tests", "ci/py.ini"));
        assert!(has("mvn --settings=ci/m.xml verify", "ci/m.xml"));
        for line in [
            "./run src/a",
            "sh run src/a",
            "test -f src/a",
            "python3 src/a",
            "grep -c src/a",
        ] {
            assert!(!has(line, "src/a"), "{line}");
        }
        assert!(of("(cd x; make -s check)").makes);
        assert!(!of("sh make.sh").makes);
        let words = ["sh", "-ec", "make test"].map(str::to_owned).to_vec();
        assert!(super::of(&Command::Words(words)).makes);
    }
}
