//! Files that could forge a report: what configures or replaces the runner of the tests.
//!
//! One table, by ecosystem, each row with its reason. A file that has no other purpose is put back
//! as the base has it before the experimenter's tests run. Of a file that has others (a build
//! file) only the part that bears on tests is compared: a new dependency is nobody's business
//! here; where that part changed, the file stays as it is and is reported, unless `[controls]`
//! pins it.

use std::collections::BTreeSet;

use globset::GlobSet;

use super::command_words;
use super::runner_parts::{self as parts, Part};
use crate::error::Result;
use crate::plan::{Command, Gate};
use crate::repo::path_globs;

/// One row of the table.
struct Row {
    ecosystem: &'static str,
    /// As `.gitignore` reads them.
    globs: &'static [&'static str],
    part: Part,
    /// Put back before the experimenter's tests run.
    put_back: bool,
    why: &'static str,
}

const TABLE: &[Row] = &[
    Row {
        ecosystem: "pytest",
        globs: &["conftest.py"],
        part: Part::Whole,
        put_back: true,
        why: "its hooks can rewrite every outcome, leave tests out, and write the report",
    },
    Row {
        ecosystem: "pytest",
        globs: &["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"],
        part: Part::Whole,
        put_back: true,
        why: "names plugins, options and which tests there are",
    },
    Row {
        ecosystem: "pytest",
        globs: &["pyproject.toml"],
        part: Part::Toml(&[
            "tool.pytest",
            "project.entry-points.pytest11",
            "tool.poetry.plugins",
        ]),
        put_back: false,
        why: "its pytest tables name plugins and options",
    },
    Row {
        ecosystem: "pytest",
        globs: &["setup.cfg", "tox.ini"],
        part: Part::Ini(&["tool:pytest", "pytest", "options.entry_points"]),
        put_back: false,
        why: "its pytest sections name plugins and options",
    },
    Row {
        ecosystem: "python",
        globs: &["sitecustomize.py", "usercustomize.py", "*.pth"],
        part: Part::Whole,
        put_back: true,
        why: "runs in every process of Python before the tests do",
    },
    Row {
        ecosystem: "python",
        globs: &[
            "/pytest.py",
            "/pytest/",
            "/_pytest/",
            "/pluggy.py",
            "/pluggy/",
            "/unittest.py",
            "/unittest/",
            "/coverage.py",
            "/coverage/",
        ],
        part: Part::Whole,
        put_back: true,
        why: "a module at the top is found before the runner of that name",
    },
    Row {
        ecosystem: "python",
        globs: &["*.dist-info/", "*.egg-info/"],
        part: Part::Whole,
        put_back: true,
        why: "its entry points make any module a plugin of the runner",
    },
    Row {
        ecosystem: "python",
        globs: &["noxfile.py"],
        part: Part::Whole,
        put_back: true,
        why: "says what running the tests means",
    },
    Row {
        ecosystem: "maven",
        globs: &["pom.xml"],
        part: Part::Pom,
        put_back: false,
        why: "build plug-ins, profiles and properties of tests decide what runs and what is reported",
    },
    Row {
        ecosystem: "maven",
        globs: &[".mvn/", "mvnw", "mvnw.cmd"],
        part: Part::Whole,
        put_back: true,
        why: "options, extensions and the program itself",
    },
    Row {
        ecosystem: "junit",
        globs: &[
            "junit-platform.properties",
            "META-INF/services/org.junit.*",
            "**/META-INF/services/org.junit.*",
            "**/META-INF/services/org.testng.*",
            "surefire.properties",
        ],
        part: Part::Whole,
        put_back: true,
        why: "extensions and listeners found on the class path can change outcomes",
    },
    Row {
        ecosystem: "junit",
        globs: &[
            "**/org/junit/**",
            "**/junit/framework/**",
            "**/org/apache/maven/surefire/**",
        ],
        part: Part::Whole,
        put_back: true,
        why: "classes of the project are found before the runner's of the same name",
    },
    Row {
        ecosystem: "gradle",
        globs: &["build.gradle", "build.gradle.kts"],
        part: Part::Gradle,
        put_back: false,
        why: "what is no dependency is code of the build: it decides what runs and what is reported",
    },
    Row {
        ecosystem: "gradle",
        globs: &[
            "settings.gradle",
            "settings.gradle.kts",
            "init.gradle",
            "init.gradle.kts",
            "gradle.properties",
            "gradle/wrapper/",
            "gradlew",
            "gradlew.bat",
            "buildSrc/",
            "init.d/",
        ],
        part: Part::Whole,
        put_back: true,
        why: "code and options of the build, and the program itself",
    },
    Row {
        ecosystem: "go",
        globs: &["*_test.go"],
        part: Part::TestMain,
        put_back: true,
        why: "TestMain runs in place of the package's tests and can print their outcomes",
    },
    Row {
        ecosystem: "go",
        globs: &["go.mod"],
        part: Part::GoReplace,
        put_back: false,
        why: "a replaced module may be a library of assertions that hold always",
    },
    Row {
        ecosystem: "go",
        globs: &["go.work", "go.env"],
        part: Part::Whole,
        put_back: true,
        why: "replaces modules, and sets flags of the tool",
    },
    Row {
        ecosystem: "go",
        globs: &["vendor/"],
        part: Part::Whole,
        put_back: false,
        why: "what is vendored is built in place of the module of that name",
    },
    Row {
        ecosystem: "npm",
        globs: &["package.json"],
        part: Part::Json(&[
            "scripts",
            "jest",
            "vitest",
            "mocha",
            "ava",
            "tap",
            "nyc",
            "c8",
            "overrides",
            "resolutions",
        ]),
        put_back: false,
        why: "its scripts are what a test command runs, and runners keep their options there",
    },
    Row {
        ecosystem: "npm",
        globs: &[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"],
        part: Part::Whole,
        put_back: true,
        why: "names the shell and the registry that scripts run with",
    },
    Row {
        ecosystem: "jest",
        globs: &[
            "jest.config.*",
            "jest.setup.*",
            ".babelrc",
            "babel.config.*",
        ],
        part: Part::Whole,
        put_back: true,
        why: "reporters, environments and transforms can change outcomes",
    },
    Row {
        ecosystem: "vitest",
        globs: &["vitest.config.*", "vitest.workspace.*", "vitest.setup.*"],
        part: Part::Whole,
        put_back: true,
        why: "reporters and set-up files can change outcomes",
    },
    Row {
        ecosystem: "vitest",
        globs: &["vite.config.*"],
        part: Part::Whole,
        put_back: false,
        why: "may hold the runner's options, and is the build's configuration",
    },
    Row {
        ecosystem: "mocha",
        globs: &[".mocharc", ".mocharc.*", "karma.conf.*"],
        part: Part::Whole,
        put_back: true,
        why: "reporters and required files can change outcomes",
    },
    Row {
        ecosystem: "cargo",
        globs: &[".cargo/"],
        part: Part::Whole,
        put_back: true,
        why: "names the program that runs test binaries",
    },
];

/// Files of `make`, where a command runs it.
const MAKE: [&str; 4] = ["Makefile", "makefile", "GNUmakefile", "*.mk"];

/// What is to be done about a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Concern {
    /// How much of it counts.
    pub(super) part: Part,
    /// It is put back before the experimenter's tests run.
    pub(super) put_back: bool,
    /// How it could forge reports.
    pub(super) why: &'static str,
}

/// The files that could forge the reports of one command.
pub(super) struct RunnerFiles {
    rows: Vec<(GlobSet, Concern)>,
    free: GlobSet,
    /// Paths that the commands name as what they run, or run by.
    named: BTreeSet<String>,
}

impl RunnerFiles {
    /// Those of the table, those that the plan names, and those that `commands` name.
    ///
    /// # Errors
    /// Usage where a glob of the plan is none.
    pub(super) fn of<'c>(
        gate: &Gate,
        commands: impl IntoIterator<Item = &'c Command>,
    ) -> Result<RunnerFiles> {
        let whole = |why| Concern {
            part: Part::Whole,
            put_back: true,
            why,
        };
        let mut rows = vec![(
            path_globs("gate.runner_files", &gate.runner_files)?,
            whole("the plan says that it could"),
        )];
        let mut named = BTreeSet::new();
        let mut makes = false;
        for command in commands {
            let spoken = command_words::of(command);
            makes |= spoken.makes;
            named.extend(spoken.files);
        }
        if makes {
            rows.push((
                path_globs("make", &MAKE.map(str::to_owned))?,
                whole("it says what the command runs"),
            ));
        }
        for row in TABLE {
            let globs: Vec<String> = row.globs.iter().map(|g| (*g).to_owned()).collect();
            let concern = Concern {
                part: row.part,
                put_back: row.put_back,
                why: row.why,
            };
            rows.push((path_globs(row.ecosystem, &globs)?, concern));
        }
        Ok(RunnerFiles {
            rows,
            free: path_globs("gate.runner_files_free", &gate.runner_files_free)?,
            named,
        })
    }

    /// What is to be done where `path` changed from one content to another (`None`: it is not
    /// there); `None`: nothing, it forges no report, or what changed in it does not bear on tests.
    pub(super) fn concern(
        &self,
        path: &str,
        before: Option<&[u8]>,
        now: Option<&[u8]>,
    ) -> Option<Concern> {
        if self.free.is_match(path) {
            return None;
        }
        if self.named.contains(path) {
            return Some(Concern {
                part: Part::Whole,
                put_back: true,
                why: "the command names it",
            });
        }
        let found = self.rows.iter().find(|(globs, _)| globs.is_match(path));
        let concern = found.map(|(_, concern)| *concern)?;
        parts::differs(concern.part, before, now).then_some(concern)
    }

    /// Whether the contents of `path` are looked at.
    pub(super) fn may_concern(&self, path: &str) -> bool {
        !self.free.is_match(path)
            && (self.named.contains(path) || self.rows.iter().any(|(g, _)| g.is_match(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate() -> Gate {
        Gate {
            visible: None,
            acceptance: None,
            checks: Vec::new(),
            retries: 0,
            runner_files: vec!["ci/run.lua".to_owned()],
            runner_files_free: vec!["docs/conftest.py".to_owned()],
            baseline: false,
        }
    }

    fn of(command: &str) -> RunnerFiles {
        let command = Command::Shell(command.to_owned());
        RunnerFiles::of(&gate(), [&command]).expect("globs")
    }

    #[test]
    fn every_row_has_globs_and_a_reason_and_the_manual_lists_it() {
        let manual = include_str!("../../../docs/gates.md");
        for row in TABLE {
            assert!(
                !row.globs.is_empty() && !row.why.is_empty(),
                "{}",
                row.ecosystem
            );
            for glob in row.globs {
                assert!(
                    manual.contains(&format!("`{glob}`")),
                    "docs/gates.md: {glob}"
                );
            }
        }
    }

    #[test]
    fn what_could_forge_a_report_is_known_by_its_path() {
        let files = of(
            "make check REPORTS=out; sh ./ci/all.sh src/a.py; pytest --config=ci/py.ini src/b.py",
        );
        for (path, put_back) in [
            ("conftest.py", Some(true)),
            ("a/b/conftest.py", Some(true)),
            ("docs/conftest.py", None),
            ("ci/run.lua", Some(true)),
            ("ci/all.sh", Some(true)),
            ("ci/py.ini", Some(true)),
            ("Makefile", Some(true)),
            ("src/a.py", None),
            ("src/b.py", None),
            ("pytest/__init__.py", Some(true)),
            ("src/pytest/__init__.py", None),
            (".mvn/maven.config", Some(true)),
            (
                "src/main/resources/META-INF/services/org.junit.platform.launcher.X",
                Some(true),
            ),
            ("vendor/x/y.go", Some(false)),
        ] {
            let found = files.concern(path, None, Some(b"x"));
            assert_eq!(found.map(|c| c.put_back), put_back, "{path}");
            assert_eq!(files.may_concern(path), put_back.is_some(), "{path}");
        }
        assert!(of("pytest").concern("Makefile", None, Some(b"x")).is_none());
    }

    #[test]
    fn of_a_build_file_only_what_bears_on_tests_counts() {
        let files = of("mvn test");
        let pom = |dependency: &str, plugin: &str| {
            format!(
                "<project><dependencies><dependency>{dependency}</dependency></dependencies>\
                 <build><plugins>{plugin}</plugins></build></project>"
            )
        };
        let (old, new) = (pom("a", ""), pom("b", ""));
        let is = |old: &str, new: &str, path: &str| {
            files
                .concern(path, Some(old.as_bytes()), Some(new.as_bytes()))
                .is_some()
        };
        assert!(!is(&old, &new, "pom.xml"));
        assert!(is(&old, &pom("a", "<plugin>surefire</plugin>"), "pom.xml"));
        assert!(!is(
            "[project]\nname='a'\n",
            "[project]\nname='b'\n",
            "pyproject.toml"
        ));
        assert!(is(
            "[project]\nname='a'\n",
            "[project]\nname='a'\n[tool.pytest.ini_options]\naddopts='-p forge'\n",
            "pyproject.toml"
        ));
    }
}
