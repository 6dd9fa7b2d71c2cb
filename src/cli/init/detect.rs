//! Which build tools a work tree uses, and what an experiment should own in it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How deep below the top projects are looked for.
const DEPTH: usize = 2;
/// More folders are not looked at.
const FOLDERS: usize = 2000;
/// So much of a build file is looked through.
const HEAD: u64 = 1 << 20;
/// Folders with files of others.
const NOT_OURS: [&str; 8] = [
    "build",
    "dist",
    "fixtures",
    "node_modules",
    "target",
    "testdata",
    "third_party",
    "vendor",
];

/// What runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    Maven,
    Gradle,
    Pytest,
    Go,
}

/// A project that a tool builds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Project {
    pub(super) tool: Tool,
    /// From the top, with a slash at its end; empty: the top.
    pub(super) folder: String,
    /// The line that runs its tests, in its folder.
    pub(super) line: String,
    /// Variables it needs, so that what it fetches is kept over a chain.
    pub(super) environment: Vec<(&'static str, &'static str)>,
    /// Globs of its reports, from the top.
    pub(super) reports: Vec<String>,
    /// Globs of its coverage.
    pub(super) coverage: Vec<String>,
    /// A line for the reader of the plan.
    pub(super) remark: Option<&'static str>,
}

impl Project {
    /// `Maven`, or `Go in server/`.
    pub(super) fn words(&self) -> String {
        let tool = match self.tool {
            Tool::Maven => "Maven",
            Tool::Gradle => "Gradle",
            Tool::Pytest => "pytest",
            Tool::Go => "Go",
        };
        match self.folder.as_str() {
            "" => tool.to_owned(),
            folder => format!("{tool} in {folder}"),
        }
    }
}

/// The projects of a work tree, by tool and folder. One below another of the same tool is a part
/// of that one.
pub(super) fn projects(top: &Path) -> Vec<Project> {
    let mut found: Vec<Project> = Vec::new();
    let mut folders = vec![(String::new(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = folders.pop() {
        seen += 1;
        if seen > FOLDERS {
            break;
        }
        let here = top.join(&folder);
        for tool in [Tool::Maven, Tool::Gradle, Tool::Pytest, Tool::Go] {
            let part = found
                .iter()
                .any(|p| p.tool == tool && folder.starts_with(&p.folder));
            if !part {
                found.extend(project(tool, &here, &folder));
            }
        }
        if depth < DEPTH {
            let mut below = names(&here, true);
            below.retain(|n| is_plain(n) && !NOT_OURS.contains(&n.as_str()));
            // The last one is looked at first.
            below.sort_unstable_by(|a, b| b.cmp(a));
            let below = below
                .into_iter()
                .map(|n| (format!("{folder}{n}/"), depth + 1));
            folders.extend(below);
        }
    }
    found.sort();
    found
}

/// A name that is itself in a glob, in a shell's line and in a plan.
fn is_plain(name: &str) -> bool {
    !name.starts_with(['.', '-'])
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

/// Names in a folder that are UTF-8: of folders, or of files. Links are neither.
fn names(folder: &Path, folders: bool) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|e| {
            e.file_type()
                .is_ok_and(|t| if folders { t.is_dir() } else { t.is_file() })
        })
        .filter_map(|e| e.file_name().into_string().ok())
        .collect()
}

/// The beginning of a file; empty where there is none.
fn head(folder: &Path, name: &str) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(folder.join(name)) {
        // What cannot be read says nothing.
        let _ = file.take(HEAD).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn project(tool: Tool, here: &Path, folder: &str) -> Option<Project> {
    let files = names(here, false);
    let has = |name: &str| files.iter().any(|f| f == name);
    let build = |names: &[&str]| {
        let there: Vec<String> = names
            .iter()
            .filter(|n| has(n))
            .map(|n| head(here, n))
            .collect();
        (!there.is_empty()).then(|| there.join("\n"))
    };
    match tool {
        Tool::Maven => build(&["pom.xml"]).map(|pom| maven(folder, has("mvnw"), &pom)),
        Tool::Gradle => build(&[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
        ])
        .map(|text| gradle(folder, has("gradlew"), &text)),
        Tool::Pytest => is_pytest(here, &files).then(|| pytest(folder, here)),
        Tool::Go => has("go.mod").then(|| go(folder)),
    }
}

fn maven(folder: &str, wrapper: bool, pom: &str) -> Project {
    let program = if wrapper { "./mvnw" } else { "mvn" };
    let jacoco = pom.contains("jacoco-maven-plugin");
    let goal = if jacoco { "verify" } else { "test" };
    Project {
        tool: Tool::Maven,
        folder: folder.to_owned(),
        line: format!(
            "{program} -B -ntp --fail-at-end \"-Dmaven.repo.local=$EVOLVE_CACHE/maven\" {goal}"
        ),
        environment: match wrapper {
            true => vec![("MAVEN_USER_HOME", "{cache}/maven-wrapper")],
            false => Vec::new(),
        },
        reports: vec![
            format!("{folder}**/target/surefire-reports/*.xml"),
            format!("{folder}**/target/failsafe-reports/*.xml"),
        ],
        coverage: match jacoco {
            true => vec![format!("{folder}**/target/site/jacoco/jacoco.xml")],
            false => Vec::new(),
        },
        remark: None,
    }
}

fn gradle(folder: &str, wrapper: bool, build: &str) -> Project {
    let program = if wrapper { "./gradlew" } else { "gradle" };
    let jacoco = build.contains("jacoco");
    let tasks = if jacoco {
        "test jacocoTestReport"
    } else {
        "test"
    };
    Project {
        tool: Tool::Gradle,
        folder: folder.to_owned(),
        line: format!("{program} --no-daemon --console=plain --continue {tasks}"),
        environment: vec![("GRADLE_USER_HOME", "{cache}/gradle")],
        reports: vec![format!("{folder}**/build/test-results/*/*.xml")],
        coverage: match jacoco {
            true => vec![format!("{folder}**/build/reports/jacoco/*/*.xml")],
            false => Vec::new(),
        },
        remark: jacoco
            .then_some("jacocoTestReport writes XML where `reports.xml.required` is true"),
    }
}

/// A configuration of pytest's, or tests as it finds them.
fn is_pytest(here: &Path, files: &[String]) -> bool {
    let says = |name: &str, words: &[&str]| {
        files.iter().any(|f| f == name) && {
            let text = head(here, name);
            words.iter().any(|w| text.contains(w))
        }
    };
    let is_test = |name: &String| {
        let stem = name.strip_suffix(".py");
        stem.is_some_and(|s| s.starts_with("test_") || s.ends_with("_test") || s == "conftest")
    };
    let in_folder = |name: &str| {
        let folder = here.join(name);
        names(&folder, false).iter().any(is_test)
            || names(&folder, true)
                .iter()
                .any(|below| names(&folder.join(below), false).iter().any(is_test))
    };
    files
        .iter()
        .any(|f| f == "pytest.ini" || f == ".pytest.ini")
        || says("pyproject.toml", &["[tool.pytest", "pytest"])
        || says("setup.cfg", &["[tool:pytest]", "pytest"])
        || says("tox.ini", &["[pytest]", "pytest"])
        || files.iter().any(is_test)
        || in_folder("tests")
        || in_folder("test")
}

fn pytest(folder: &str, here: &Path) -> Project {
    let files = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
        "dev-requirements.txt",
    ];
    let covers = files
        .iter()
        .any(|name| head(here, name).contains("pytest-cov"));
    let mut line =
        "python3 -m pytest -q -p no:cacheprovider --junitxml=evolve-reports/pytest.xml".to_owned();
    if covers {
        line.push_str(" --cov --cov-report=xml:evolve-reports/coverage.xml");
    }
    let coverage = covers.then(|| format!("{folder}evolve-reports/coverage.xml"));
    Project {
        tool: Tool::Pytest,
        folder: folder.to_owned(),
        line,
        environment: vec![("PYTHONDONTWRITEBYTECODE", "1")],
        reports: vec![format!("{folder}evolve-reports/pytest.xml")],
        coverage: coverage.into_iter().collect(),
        remark: Some("what it imports must be installed: see [[setup]]"),
    }
}

fn go(folder: &str) -> Project {
    Project {
        tool: Tool::Go,
        folder: folder.to_owned(),
        line: "mkdir -p evolve-reports && go test -json \
               -coverprofile=evolve-reports/cover.out ./... >evolve-reports/go-test.json"
            .to_owned(),
        environment: vec![
            ("GOCACHE", "{cache}/go-build"),
            ("GOMODCACHE", "{cache}/go-mod"),
        ],
        reports: vec![format!("{folder}evolve-reports/go-test.json")],
        coverage: vec![format!("{folder}evolve-reports/cover.out")],
        remark: None,
    }
}

/// Files that an experiment should own: guides of agents, and what runs beside the tests.
pub(super) fn owned(top: &Path) -> Vec<String> {
    const GUIDES: [&str; 10] = [
        ".claude/",
        ".cursor/",
        ".cursorrules",
        ".github/copilot-instructions.md",
        ".github/workflows/",
        ".gitlab-ci.yml",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        "Jenkinsfile",
    ];
    GUIDES
        .into_iter()
        .filter(|path| top.join(path.trim_end_matches('/')).exists())
        // From the top, not in any folder.
        .map(|path| format!("/{path}"))
        .collect()
}
