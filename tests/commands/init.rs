//! `git evolve init`: a plan for whatever the repository is, which is one at once.

use serde_json::Value;

use super::err;
use crate::support::Repo;

/// A repository with these files, and the plan that `init` made for it.
fn begun(files: &[(&str, &str)]) -> (Repo, String, Value) {
    let repo = Repo::new();
    for (path, content) in files {
        repo.write(path, content);
    }
    repo.commit("a project");
    let got = repo.evolve(&["init"]);
    assert!(got.status.success(), "{}", err(&got));
    let plan = std::fs::read_to_string(repo.path().join("evolve.toml")).expect("written");
    let shown = repo.stdout(&["plan", "--format", "json"]);
    let shown = serde_json::from_str(&shown).expect("JSON");
    (repo, plan, shown)
}

/// The gate's command, and its reports.
fn gate(shown: &Value) -> (&str, Vec<&str>) {
    let commands = shown["commands"].as_array().expect("commands");
    let gate = commands.iter().find(|c| c["what"] == "gate: visible");
    let gate = gate.expect("a gate");
    let reports = gate["reports"].as_array().expect("reports").iter();
    (
        gate["command"].as_str().expect("a command"),
        reports.filter_map(Value::as_str).collect(),
    )
}

#[test]
fn maven_is_found_with_its_wrapper_and_coverage() {
    let (_repo, plan, shown) = begun(&[
        ("pom.xml", "<project/>"),
        ("core/pom.xml", "<project/>"),
        ("AGENTS.md", "be kind\n"),
    ]);
    let (command, reports) = gate(&shown);
    assert_eq!(
        command,
        "mvn -B -ntp --fail-at-end \"-Dmaven.repo.local=$EVOLVE_CACHE/maven\" test"
    );
    assert!(reports.contains(&"**/target/surefire-reports/*.xml"));
    assert!(plan.contains("pinned = [\"/AGENTS.md\"]"), "{plan}");
    let jacoco = "<artifactId>jacoco-maven-plugin</artifactId>";
    let (_repo, plan, shown) = begun(&[("pom.xml", jacoco), ("mvnw", "")]);
    let (command, _) = gate(&shown);
    assert!(command.starts_with("./mvnw -B"), "{command}");
    assert!(command.ends_with(" verify"), "{command}");
    assert!(plan.contains("coverage = [\"**/target/site/jacoco/jacoco.xml\"]"));
}

#[test]
fn gradle_is_found_in_either_language() {
    for build in ["build.gradle", "build.gradle.kts"] {
        let (_repo, plan, shown) = begun(&[(build, "plugins { jacoco }"), ("gradlew", "")]);
        let (command, reports) = gate(&shown);
        assert!(command.starts_with("./gradlew --no-daemon"), "{command}");
        assert!(command.ends_with("test jacocoTestReport"), "{command}");
        assert_eq!(reports, ["**/build/test-results/*/*.xml"]);
        assert!(plan.contains("environment.GRADLE_USER_HOME = \"{cache}/gradle\""));
    }
}

#[test]
fn pytest_is_found_by_each_of_its_marks() {
    for files in [
        &[("pyproject.toml", "[tool.pytest.ini_options]\n")][..],
        &[("setup.cfg", "[tool:pytest]\n")],
        &[("tox.ini", "[pytest]\n")],
        &[("pytest.ini", "")],
        &[("tests/test_a.py", "def test_a(): pass\n")],
        &[("tests/unit/test_a.py", "def test_a(): pass\n")],
    ] {
        let (_repo, plan, shown) = begun(files);
        let (command, reports) = gate(&shown);
        assert!(command.starts_with("python3 -m pytest"), "{files:?}");
        assert_eq!(reports, ["evolve-reports/pytest.xml"]);
        assert!(plan.contains("# coverage = "), "{plan}");
    }
    let (_repo, plan, _) = begun(&[("pyproject.toml", "test = ['pytest', 'pytest-cov']\n")]);
    assert!(plan.contains("coverage = [\"evolve-reports/coverage.xml\"]"));
    // A project of another kind with a tests folder is none.
    let (_repo, plan, _) = begun(&[("tests/a.rs", ""), ("setup.cfg", "[metadata]\n")]);
    assert!(plan.contains("# [gate.visible]"), "{plan}");
}

#[test]
fn go_is_found_and_several_tools_run_one_after_the_other() {
    let (_repo, _, shown) = begun(&[("go.mod", "module a\n")]);
    let (command, reports) = gate(&shown);
    assert!(command.contains("go test -json"), "{command}");
    assert_eq!(reports, ["evolve-reports/go-test.json"]);
    let (repo, _, shown) = begun(&[
        ("server/go.mod", "module a\n"),
        ("app/pom.xml", "<project/>"),
        ("app/module/pom.xml", "<project/>"),
        ("vendor/x/go.mod", "module x\n"),
        ("odd name/go.mod", "module y\n"),
    ]);
    let (command, reports) = gate(&shown);
    let lines: Vec<&str> = command.lines().collect();
    assert_eq!(lines.len(), 4, "{command}");
    assert!(lines[1].starts_with("(cd app && mvn "), "{command}");
    assert!(lines[2].starts_with("(cd server && "), "{command}");
    assert!(reports.contains(&"app/**/target/surefire-reports/*.xml"));
    assert!(reports.contains(&"server/evolve-reports/go-test.json"));
    // The line is one that a shell reads.
    let mut sh = repo.command("sh", repo.path());
    assert!(
        sh.args(["-n", "-c", command])
            .status()
            .expect("sh")
            .success()
    );
}

#[test]
fn examples_name_folders_and_tests_as_the_tool_has_them() {
    for (file, folder, pattern) in [
        (
            "pom.xml",
            "src/test/java/acceptance",
            r"Cp(?P<checkpoint>\d+)Tests",
        ),
        (
            "pytest.ini",
            "tests/acceptance",
            r"test_cp(?P<checkpoint>\d+)",
        ),
        ("go.mod", "acceptance", r"TestCp(?P<checkpoint>\d+)"),
        ("a.txt", "tests/acceptance", r"cp(?P<checkpoint>\d+)"),
    ] {
        let (_repo, plan, _) = begun(&[(file, "")]);
        assert!(plan.contains(&format!("to = \"{folder}\" }}]")), "{plan}");
        assert!(
            plan.contains(&format!("# tests = [\"{folder}/\"]")),
            "{plan}"
        );
        assert!(plan.contains(&format!("['{pattern}', ")), "{plan}");
        let java = file == "pom.xml";
        assert_eq!(plan.contains("src/test"), java, "{plan}");
    }
}

#[test]
fn a_repository_of_nothing_known_gets_a_plan_that_says_so() {
    let (repo, _, shown) = begun(&[("a.txt", "words\n")]);
    let kinds: Vec<&str> = shown["warnings"]
        .as_array()
        .expect("warnings")
        .iter()
        .filter_map(|w| w["kind"].as_str())
        .collect();
    assert!(kinds.contains(&"gate"), "{kinds:?}");
    assert_eq!(shown["experiment"], "repo");
    let prompt = std::fs::read_to_string(repo.path().join("prompts/01-first-change.md"));
    assert!(prompt.expect("written").contains("change request"));
    // Before the first commit, too.
    let empty = Repo::new();
    assert!(empty.evolve(&["init"]).status.success());
    assert!(empty.stdout(&["plan"]).contains("commit first"));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let (repo, plan, _) = begun(&[("go.mod", "module a\n")]);
    repo.write("evolve.toml", "mine\n");
    let got = repo.evolve(&["init"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(err(&got).contains("already there: "), "{}", err(&got));
    assert!(err(&got).contains("--force overwrites"), "{}", err(&got));
    let read = || std::fs::read_to_string(repo.path().join("evolve.toml")).expect("there");
    assert_eq!(read(), "mine\n");
    // A prompt alone is enough to write nothing at all.
    repo.remove("evolve.toml");
    assert_eq!(repo.evolve(&["init"]).status.code(), Some(2));
    assert!(!repo.path().join("evolve.toml").exists());
    assert!(repo.evolve(&["init", "--force"]).status.success());
    assert_eq!(read(), plan);
    // With force a link is replaced, and what it leads to is left alone.
    repo.write("elsewhere.toml", "mine\n");
    repo.remove("evolve.toml");
    let link = repo.path().join("evolve.toml");
    std::os::unix::fs::symlink("elsewhere.toml", link).expect("a link");
    assert!(repo.evolve(&["init", "--force"]).status.success());
    assert_eq!(read(), plan);
    let left = std::fs::read_to_string(repo.path().join("elsewhere.toml"));
    assert_eq!(left.expect("there"), "mine\n");
    // Elsewhere it is free to write.
    assert!(
        repo.evolve(&["init", "-o", "study/p.toml"])
            .status
            .success()
    );
    assert!(
        repo.evolve(&["plan", "--plan", "study/p.toml"])
            .status
            .success()
    );
}

const LIST: &str = r#"# The ordered stream of checkpoints.
checkpoints:
  - id: telephone-required
    phase: 1
    type: additive
    spec: "The telephone is required: reject a blank one with 400 (\"bad\")."
  - id: telephone-format
    type: mutative
    mutates: [telephone-required, 'Old.*Tests']
    request:
      spec: "6 to 15 digits."
      prompt: |
        The telephone has 6 to 15 digits.

        Nothing else changes.
"#;

#[test]
fn a_list_of_checkpoints_becomes_a_plan_with_its_prompts() {
    let repo = Repo::new();
    repo.write("pom.xml", "<project/>");
    repo.write("checkpoints.yaml", LIST);
    repo.commit("a project");
    let got = repo.evolve(&["init", "--from", "checkpoints.yaml"]);
    assert!(got.status.success(), "{}", err(&got));
    let read = |path: &str| std::fs::read_to_string(repo.path().join(path)).expect("written");
    assert_eq!(
        read("prompts/01-telephone-required.md"),
        "The telephone is required: reject a blank one with 400 (\"bad\").\n"
    );
    assert_eq!(
        read("prompts/02-telephone-format.md"),
        "The telephone has 6 to 15 digits.\n\nNothing else changes.\n"
    );
    let plan = read("evolve.toml");
    assert!(
        plan.contains("# phase 1, additive\n[[checkpoints]]\n"),
        "{plan}"
    );
    assert!(
        plan.contains("mutates = [\"telephone-required\", \"Old.*Tests\"]"),
        "{plan}"
    );
    assert!(!repo.path().join("prompts/01-first-change.md").exists());
    let shown: Value =
        serde_json::from_str(&repo.stdout(&["plan", "--format", "json"])).expect("JSON");
    let ids: Vec<&str> = shown["checkpoints"]
        .as_array()
        .expect("checkpoints")
        .iter()
        .filter_map(|c| c["id"].as_str())
        .collect();
    assert_eq!(ids, ["telephone-required", "telephone-format"]);
}

#[test]
fn a_list_that_is_wrong_is_named_with_its_place_and_nothing_is_written() {
    let repo = Repo::new();
    repo.write(
        "checkpoints.yaml",
        LIST.replace("[telephone-required,", "[telephone-requird,"),
    );
    let got = repo.evolve(&["init", "--from", "checkpoints.yaml"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(
        err(&got).contains("checkpoints.yaml:9:15: mutates names no checkpoint before this one"),
        "{}",
        err(&got)
    );
    assert!(err(&got).contains("did you mean 'telephone-required'?"));
    assert!(!repo.path().join("evolve.toml").exists());
    repo.write("bomb.yaml", "a: &a [x]\nb: [*a, *a]\n");
    let got = repo.evolve(&["init", "--from", "bomb.yaml"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(
        err(&got).contains("bomb.yaml:2:5: aliases are not followed"),
        "{}",
        err(&got)
    );
    let got = repo.evolve(&["init", "--from", "no.yaml"]);
    assert_eq!(got.status.code(), Some(2));
}
