//! What the end of a run's console shows that no report does.
//!
//! Only what tools themselves write is looked for, never ids of tests.

use std::collections::BTreeSet;

use super::draft::MESSAGE_MAX;
use super::text::beginning;

/// No console is looked at beyond its last part of this size.
const CONSOLE_MAX: usize = 4 << 20;
/// Classes that are told, at most.
const CLASSES_MAX: usize = 10_000;

/// What a console shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Console {
    /// A fork of Surefire died.
    pub(super) fork_crashed: bool,
    /// The whole run ran out of time.
    pub(super) timed_out: bool,
    /// Classes that Surefire says it runs, and does not say it ran.
    pub(super) unfinished: BTreeSet<String>,
    /// The change does not compile, by what the build tool says, and what it says.
    pub(super) build_failed: Option<String>,
    /// pytest was stopped.
    pub(super) interrupted: bool,
}

/// Looks at a console.
pub(super) fn look(console: &str) -> Console {
    let beyond = console.len().saturating_sub(CONSOLE_MAX);
    let from = beginning(console, beyond).len();
    let mut seen = Console::default();
    let mut maven = None;
    let mut failure = false;
    let lines: Vec<&str> = console[from..].lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let bare = unmarked(line);
        seen.fork_crashed |= bare.contains("The forked VM terminated without")
            || bare.starts_with("Crashed tests:")
            || bare.contains("Error occurred in starting fork");
        seen.timed_out |= bare.contains("There was a timeout in the fork")
            || bare.contains("There was a timeout or other error in the fork")
            || bare.starts_with("++++") && bare.contains(" Timeout +++")
            || bare.starts_with("> Timeout has been exceeded");
        // Surefire: `Running X`, then `Tests run: 1, … - in X` (`-- in X` since 3).
        if let Some(class) = bare.strip_prefix("Running ") {
            if seen.unfinished.len() < CLASSES_MAX && !class.trim().contains(' ') {
                seen.unfinished.insert(class.trim().to_owned());
            }
        } else if bare.starts_with("Tests run:")
            && let Some((_, class)) = bare.rsplit_once(" in ")
        {
            seen.unfinished.remove(class.trim());
        }
        failure |= bare.starts_with("BUILD FAILURE");
        if bare.starts_with("COMPILATION ERROR") && line.contains("ERROR]") {
            maven.get_or_insert(at);
        }
        let gradle = bare.starts_with("> Compilation failed; see the compiler")
            || bare.starts_with("> Compilation error. See log")
            || (bare.starts_with("> Task :") && is_compile_task(bare));
        let others = bare.starts_with("go: errors parsing go.mod")
            || (bare.starts_with("error: could not compile `") && !bare.contains("(lib doc)"));
        if (gradle || others) && seen.build_failed.is_none() {
            seen.build_failed = Some(excerpt(&lines, at));
        }
        seen.interrupted |= is_interruption(bare);
    }
    if let Some(at) = maven.filter(|_| failure) {
        seen.build_failed.get_or_insert_with(|| excerpt(&lines, at));
    }
    seen
}

/// A line without Maven's `[ERROR] `.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let marks = ["[INFO]", "[ERROR]", "[WARNING]"];
    let mark = marks.iter().find_map(|mark| line.strip_prefix(mark));
    mark.map_or(line, str::trim)
}

fn is_compile_task(line: &str) -> bool {
    let Some(task) = line.strip_suffix(" FAILED") else {
        return false;
    };
    let name = task.rsplit(':').next().unwrap_or_default();
    name.starts_with("compile")
}

/// pytest's `!!!! KeyboardInterrupt !!!!`; that it stopped for errors of collection, or since so
/// many failed, is none.
fn is_interruption(line: &str) -> bool {
    line.starts_with("!!!")
        && line.ends_with("!!!")
        && (line.contains(" KeyboardInterrupt ") || line.contains(" _pytest.outcomes.Exit: "))
}

fn excerpt(lines: &[&str], at: usize) -> String {
    let mut text = String::new();
    for line in lines[at..].iter().take(12) {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    beginning(&text, MESSAGE_MAX).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_surefire_begins_and_does_not_end() {
        let seen = look(
            "[INFO] Running a.ATest\n[INFO] Tests run: 1, Failures: 0 - in a.ATest\n\
             [INFO] Running a.BTest\r\n\
             [INFO] Running a.CTest\n\
             [ERROR] Tests run: 2, Failures: 1, Time elapsed: 0.1 s <<< FAILURE! -- in a.CTest\n\
             Running the server\n[INFO] Tests run: 3, Failures: 1\n",
        );
        assert_eq!(seen.unfinished, BTreeSet::from(["a.BTest".to_owned()]));
        assert!(!seen.fork_crashed);
    }

    #[test]
    fn a_corrupted_channel_is_no_crash_and_a_dead_fork_is() {
        let noise = "[WARNING] Corrupted STDOUT by directly writing to native stream in forked JVM";
        assert_eq!(look(noise), Console::default());
        for text in [
            "[ERROR] The forked VM terminated without properly saying goodbye. VM crash?",
            "[ERROR] The forked VM terminated without saying properly goodbye.",
            "Crashed tests:\norg.example.BCrashTest",
            "[ERROR] Error occurred in starting fork, check output in log",
        ] {
            assert!(look(text).fork_crashed, "{text}");
        }
    }

    #[test]
    fn what_does_not_compile_is_told_by_the_build_tool() {
        for text in [
            "[ERROR] COMPILATION ERROR : \n[ERROR] A.java:[3,1] x\n[INFO] BUILD FAILURE",
            "> Task :compileJava FAILED\nA.java:3: error",
            "> Task :app:compileTestKotlin FAILED",
            "* What went wrong:\n> Compilation failed; see the compiler error output for details.",
            "error: could not compile `x` (lib test) due to 1 previous error",
            "go: errors parsing go.mod:",
        ] {
            assert!(look(text).build_failed.is_some(), "{text}");
        }
        for text in [
            "[ERROR] COMPILATION ERROR : in a test's own output\n[INFO] BUILD SUCCESS",
            "> Task :test FAILED",
            "COMPILATION ERROR\nBUILD FAILURE",
        ] {
            assert_eq!(look(text).build_failed, None, "{text}");
        }
    }

    #[test]
    fn pytest_says_when_it_was_stopped() {
        assert!(look("!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!").interrupted);
        assert!(look("!!!!!! _pytest.outcomes.Exit: no more !!!!!!").interrupted);
        assert!(!look("!!!!!! Interrupted: 2 errors during collection !!!!!!").interrupted);
        assert!(!look("!!!!!! stopping after 1 failures !!!!!!").interrupted);
        assert!(look("+++++++++ Timeout +++++++++").timed_out);
    }
}
