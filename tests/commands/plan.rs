//! `git evolve plan`: what would run, what is done of it, and what is wrong with a plan.

use serde_json::Value;

use super::{err, out};
use crate::support::Repo;

const PLAN: &str = r#"
[experiment]
name = "exp"
chains = 2
budget_usd = 40

[agent]
command = ["sh", "-c", "true", "{max_cost_usd}"]
limits = { time = "45m", attempts = 2, cost_usd = 2.5 }
on_fail = "repair"

[gate.acceptance]
command = "sh run-tests.sh"
reports = "report.xml"
tests = [{ from = "acceptance", to = "checks" }]

[noop]
sessions = 3

[probe]
every = 2
prompt_text = "which rules hold?"

[[arms]]
name = "plain"
baseline = true

[[arms]]
name = "split"
agent = { limits = { attempts = 3 } }

[[checkpoints]]
id = "c1"
prompt = "prompts/01.md"

[[checkpoints]]
id = "c2"
prompt_text = "more of it"
requires = ["c1"]
"#;

/// A repository with a plan and all that it names.
fn planned(plan: &str) -> Repo {
    let repo = Repo::new();
    repo.write("src/a.py", "def f():\n    return 1\n");
    repo.write("prompts/01.md", "do it\n");
    repo.write("acceptance/test_a.py", "def test_a():\n    pass\n");
    repo.write("evolve.toml", plan);
    repo.commit("a project with a plan");
    repo
}

fn json(repo: &Repo, args: &[&str]) -> Value {
    let mut words = vec!["plan", "--format", "json"];
    words.extend(args);
    serde_json::from_str(&repo.stdout(&words)).expect("JSON")
}

#[test]
fn a_plan_is_shown_with_its_chains_commands_files_and_bounds() {
    let repo = planned(PLAN);
    let shown = json(&repo, &[]);
    assert_eq!(shown["schema"], 1);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let chains = shown["chains"].as_array().expect("chains");
    let paths: Vec<&str> = chains.iter().filter_map(|c| c["chain"].as_str()).collect();
    assert_eq!(
        paths,
        ["exp/plain/1", "exp/plain/2", "exp/split/1", "exp/split/2"]
    );
    assert_eq!(chains[0]["base_commit"], head.as_str());
    assert_eq!(chains[0]["state"], "to begin");
    // Each chain: 2 checkpoints and a probe; each arm: 3 sessions for nothing.
    assert_eq!(shown["sessions"], 4 * 3 + 2 * 3);
    // 2 attempts at each of 4 checkpoints, 3 in the other arm.
    assert_eq!(shown["sessions_at_most"], 8 + 12 + 4 + 6);
    assert_eq!(shown["cost_usd_at_most"], 30.0 * 2.5);
    assert_eq!(shown["budget_usd"], 40.0);
    let files = shown["files"].as_array().expect("files");
    let tests = files.iter().find(|f| f["what"] == "acceptance tests");
    let tests = tests.expect("listed");
    assert_eq!(
        (&tests["files"], &tests["to"]),
        (&1.into(), &"checks".into())
    );
    let commands = shown["commands"].as_array().expect("commands");
    let agents: Vec<(&Value, &Value)> = commands
        .iter()
        .filter(|c| c["what"] == "agent")
        .map(|c| (&c["time_s"], &c["attempts"]))
        .collect();
    assert_eq!(
        agents,
        [(&2700.0.into(), &2.into()), (&2700.0.into(), &3.into())]
    );
    let table = repo.stdout(&["plan"]);
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        table.contains("0 of 8 checkpoints done; 18 sessions at least, 30"),
        "{table}"
    );
    assert!(
        table.contains("no session is begun once $40.00 are spent"),
        "{table}"
    );
    let csv = repo.stdout(&["plan", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 5, "a header and a line a chain");
    assert!(
        repo.stdout(&["plan", "--format", "md"])
            .contains("| exp/plain/1 |")
    );
}

#[test]
fn only_the_chains_that_are_asked_for_are_shown() {
    let repo = planned(PLAN);
    let paths = |args: &[&str]| -> Vec<String> {
        let shown = json(&repo, args);
        let chains = shown["chains"].as_array().expect("chains").clone();
        let paths = chains.iter().filter_map(|c| c["chain"].as_str());
        paths.map(str::to_owned).collect()
    };
    assert_eq!(paths(&["--arm", "split", "--chain", "2"]), ["exp/split/2"]);
    assert_eq!(paths(&["--chain", "exp/plain/1"]), ["exp/plain/1"]);
    for (args, said) in [
        (["--arm", "splat"], "the plan has no arm 'splat'"),
        (["--chain", "3"], "the plan has no chain 3 among these"),
        (["--task", "x"], "the plan has no task 'x'"),
    ] {
        let got = repo.evolve(&[&["plan"][..], &args].concat());
        assert_eq!(got.status.code(), Some(2), "{args:?}");
        assert!(err(&got).contains(said), "{}", err(&got));
    }
    let got = repo.evolve(&["plan", "--arm", "splat"]);
    assert!(err(&got).contains("did you mean 'split'?"), "{}", err(&got));
}

#[test]
fn what_is_done_of_a_chain_is_shown_beside_it() {
    let repo = planned(PLAN);
    repo.git(&["checkout", "-q", "-b", "evolve/exp/split/1"]);
    let trailers = "Evolve-Chain: exp/split/1\nEvolve-Checkpoint: ";
    let begin = "Evolve-Begin: 0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d01";
    repo.commit(&format!(
        "base\n\n{trailers}0 base\nEvolve-Role: base\n{begin}\n"
    ));
    repo.write("src/a.py", "def f():\n    return 2\n");
    repo.commit(&format!("one\n\n{trailers}1 first\nEvolve-Role: agent\n"));
    repo.commit(&format!("one\n\n{trailers}1 first\nEvolve-Role: reset\n"));
    repo.git(&["checkout", "-q", "main"]);
    let shown = json(&repo, &["--arm", "split"]);
    let chain = &shown["chains"][0];
    assert_eq!(
        (&chain["done"], &chain["state"]),
        (&1.into(), &"begun".into())
    );
    assert_eq!(
        chain["differs"],
        "checkpoint 1 is 'first' there, 'c1' in the plan"
    );
    assert_eq!(shown["checkpoints_done"], 1);
    // The noop sessions are those of chain 1, which has begun.
    assert_eq!(shown["sessions"], 3 + 2);
}

#[test]
fn a_wrong_plan_is_exit_2_and_all_that_is_wrong_is_named_with_its_place() {
    let wrong = PLAN
        .replace("baseline = true", "basline = true")
        .replace("prompts/01.md", "prompts/07.md")
        .replace("\"45m\"", "0")
        .replace("{max_cost_usd}", "{max_cost}");
    let repo = planned(&wrong);
    let got = repo.evolve(&["plan"]);
    assert_eq!(got.status.code(), Some(2));
    let said = err(&got);
    for line in [
        "evolve.toml:8:32: unknown placeholder {max_cost} (placeholders here: ",
        "evolve.toml:9:19: time in [agent.limits] must be a time above 0",
        "evolve.toml:26:1: unknown key 'basline' in [[arms]] (did you mean 'baseline'?)",
        "evolve.toml:34:10: there is no file 'prompts/07.md'",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert_eq!(out(&got), "");
}

#[test]
fn what_a_plan_says_of_figures_is_looked_at_too() {
    for (more, said) in [
        (
            "[measure]\nlookback = 1\n",
            "evolve.toml:41:12: lookback 1 is too short",
        ),
        (
            "[measure]\nsorce = 'x'\n",
            "evolve.toml:41:1: unknown key 'sorce' in [measure]",
        ),
        (
            "[[hypothesis.primary]]\nmeasure = 'erosoin'\ndirection = 'lower'\n",
            "evolve.toml:41:11: there is no measure 'erosoin'",
        ),
        (
            "[refactor]\nprompt_text = 'tidy up'\nmax = { net_c = 3 }\n",
            "evolve.toml:42:9: there is no measure 'net_c'",
        ),
        (
            "[[checkpoints]]\nid = 'c3'\nprompt_text = 'x'\nmutates = ['c4']\n",
            "evolve.toml:43:11: mutates names no checkpoint of the plan: 'c4'",
        ),
    ] {
        let repo = planned(&format!("{PLAN}{more}"));
        let got = repo.evolve(&["plan"]);
        assert_eq!(got.status.code(), Some(2), "{more}");
        assert!(err(&got).contains(said), "{more}: {}", err(&got));
    }
    let several = format!(
        "{}[[hypothesis.primary]]\nmeasure = 'erosoin'\ndirection = 'down'\n\
         [refactor]\nprompt_text = 'tidy up'\nmax = {{ net_c = 3 }}\n[measure]\nlookback = -1\n",
        PLAN
    );
    let got = planned(&several).evolve(&["plan"]);
    let said = err(&got);
    for part in [
        "direction in [[hypothesis.primary]] cannot be 'down'",
        "there is no measure 'erosoin' (did you mean 'erosion'?)",
        "there is no measure 'net_c'",
        "lookback in [measure] must be",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn what_may_not_be_meant_is_warned_of() {
    let plan = PLAN
        .replace("[\"sh\", \"-c\",", "[\"no-such-agent-here\", \"-c\",")
        .replace("reports = \"report.xml\"\n", "")
        .replace("{max_cost_usd}", "x");
    let repo = planned(&plan);
    // The agent would see one of the acceptance tests: the same content at another place.
    repo.write("copied/t.py", "def test_a():\n    pass\n");
    repo.commit("a copy");
    let shown = json(&repo, &["--arm", "plain"]);
    let warnings = shown["warnings"].as_array().expect("warnings");
    let of = |kind: &str| {
        let found = warnings.iter().find(|w| w["kind"] == kind);
        found.map_or("", |w| w["warning"].as_str().unwrap_or_default())
    };
    assert!(of("chains").starts_with("2 chains an arm are too few"));
    assert_eq!(
        of("program"),
        "the agent's program 'no-such-agent-here' is not on the PATH"
    );
    assert!(of("reports").contains("no test of it will be known"));
    assert!(of("limit").contains("{max_cost_usd}"));
    assert!(
        of("tests-visible").contains("copied/t.py of base HEAD"),
        "{warnings:?}"
    );
    // Hidden, they are not there to be seen.
    repo.write(
        "evolve.toml",
        format!("{plan}[controls]\nhidden = ['copied/']\n"),
    );
    let shown = json(&repo, &["--arm", "plain"]);
    let warnings = shown["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().all(|w| w["kind"] != "tests-visible"));
    // Without a gate nothing is known of a checkpoint.
    let bare = "[experiment]\nname = 'exp'\n[agent]\ncommand = 'true'\n[[arms]]\nname = 'a'\n\
                [[checkpoints]]\nid = 'one'\nprompt_text = 'do it'\n";
    repo.write("evolve.toml", bare);
    assert!(repo.stdout(&["plan"]).contains("there is no gate"));
}

#[test]
fn bases_are_resolved_and_one_that_is_no_commit_is_wrong() {
    let repo = planned(&PLAN.replace("chains = 2", "chains = 2\nbase = 'v9'"));
    let got = repo.evolve(&["plan"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(err(&got).contains("base 'v9' is no commit of this repository"));
    repo.git(&["tag", "v9"]);
    let shown = json(&repo, &[]);
    assert_eq!(shown["chains"][0]["base"], "v9");
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert_eq!(shown["chains"][0]["base_commit"], head.as_str());
}

#[test]
fn a_plan_elsewhere_is_read_with_its_own_folder() {
    let repo = Repo::new();
    repo.write("a.txt", "words\n");
    repo.commit("a project");
    let got = repo.evolve(&["plan"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(err(&got).contains("there is no plan evolve.toml"));
    assert!(err(&got).contains("git evolve init"));
    repo.write("study/prompts/01.md", "do it\n");
    repo.write("study/acceptance/t.py", "x\n");
    repo.write("study/plan.toml", PLAN);
    let shown = json(&repo, &["--plan", "study/plan.toml"]);
    assert_eq!(shown["checkpoints"][0]["prompt_bytes"], 6);
    // A link out of the folder is not followed.
    std::os::unix::fs::symlink("/etc/hostname", repo.path().join("study/prompts/link.md"))
        .expect("a link");
    repo.write("study/plan.toml", PLAN.replace("01.md", "link.md"));
    let got = repo.evolve(&["plan", "--plan", "study/plan.toml"]);
    assert_eq!(got.status.code(), Some(2));
    assert!(
        err(&got).contains("study/plan.toml:34:10: 'prompts/link.md' is a link that leaves"),
        "{}",
        err(&got)
    );
}

/// `docs/plan.md`.
fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plan.md");
    std::fs::read_to_string(path).expect("the page")
}

#[test]
fn the_example_of_the_documentation_is_a_plan() {
    let page = page();
    let example = page.split("```toml\n").nth(1).expect("an example");
    let example = example.split("```").next().expect("its end");
    let repo = Repo::new();
    for file in [
        "agent/settings.json",
        "acceptance/Cp01Tests.java",
        "arms/layered/x/A.java",
        "guides/layered.md",
        "prompts/01.md",
        "prompts/layers.md",
        "prompts/review.md",
        "reference/02.patch",
        "specs/owners.md",
    ] {
        repo.write(file, "words\n");
    }
    repo.write("evolve.toml", example);
    repo.commit("an experiment");
    repo.git(&["tag", "layered-start"]);
    let shown = json(&repo, &[]);
    assert_eq!(shown["chains_asked"], 20);
    let files = shown["files"].as_array().expect("files");
    let to = |path: &str| {
        let found = files.iter().find(|f| f["path"] == path);
        found.map(|f| f["to"].clone()).unwrap_or_default()
    };
    assert_eq!(to("specs/owners.md"), "docs/owners.md");
    assert_eq!(to("guides/layered.md"), "AGENTS.md");
    assert_eq!(to("agent/settings.json"), "settings.json");
}

#[test]
fn the_documentation_has_every_key_and_no_other() {
    let page = page();
    // Heading of the page to a plan with a key in that table that is none: what is known there is
    // said.
    let tables = [
        ("`[experiment]`", "[experiment]\nKEY"),
        ("`[hypothesis]`", "[hypothesis]\nKEY"),
        ("`[[hypothesis.primary]]`", "[[hypothesis.primary]]\nKEY"),
        ("`[agent]`", "[agent]\nKEY"),
        ("`[agent.limits]`", "[agent.limits]\nKEY"),
        ("`[agent.rate_limited]`", "[agent.rate_limited]\nKEY"),
        ("`[gate]`", "[gate]\nKEY"),
        ("`[gate.acceptance]`", "[gate.acceptance]\nKEY"),
        ("a check of `[gate]`", "[gate]\nchecks = [{ KEY }]"),
        ("`[[setup]]`", "[[setup]]\nKEY"),
        ("`[[arms]]`", "[[arms]]\nKEY"),
        ("`[[arms.specs]]`", "[[arms]]\nspecs = [{ KEY }]"),
        ("`[[tasks]]`", "[[tasks]]\nKEY"),
        ("`[[checkpoints]]`", "[[checkpoints]]\nKEY"),
        ("`[controls]`", "[controls]\nKEY"),
        ("`[probe]`", "[probe]\nKEY"),
        ("`[[probe.rules]]`", "[probe]\nrules = [{ KEY }]"),
        ("`[noop]`", "[noop]\nKEY"),
        ("`[refactor]`", "[refactor]\nKEY"),
        ("`[review]`", "[review]\nKEY"),
    ];
    let repo = Repo::new();
    for (heading, plan) in tables {
        let section = page
            .split("\n#")
            .find(|s| {
                s.lines()
                    .next()
                    .is_some_and(|l| l.trim_start_matches('#').trim() == heading)
            })
            .unwrap_or_else(|| panic!("no section {heading}"));
        let row = |line: &str| {
            let key = line.strip_prefix("| `")?.split_once('`')?.0.to_owned();
            Some((key, line.contains("| text |")))
        };
        let mut documented: Vec<String> = Vec::new();
        for (key, is_text) in section.lines().filter_map(row) {
            documented.extend(is_text.then(|| format!("{key}_text")));
            documented.push(key);
        }
        documented.sort_unstable();
        // At least an agent, so that its table is read wherever it stands.
        let agent = if plan.contains("[agent") {
            ""
        } else {
            "[agent]\ncommand = 'x'\n"
        };
        let arm = if plan.contains("[[arms]]") {
            ""
        } else {
            "[[arms]]\nname = 'a'\n"
        };
        let plan = plan.replace("KEY", "nothing-of-the-kind = 1");
        repo.write("evolve.toml", format!("{agent}{arm}{plan}\n"));
        let said = err(&repo.evolve(&["plan"]));
        let known = said
            .lines()
            .find(|l| l.contains("unknown key 'nothing-of-the-kind'"))
            .and_then(|l| l.split("(known keys: ").nth(1))
            .unwrap_or_else(|| panic!("{heading}: {said}"));
        let known: Vec<&str> = known.trim_end_matches(')').split(", ").collect();
        assert_eq!(documented, known, "{heading}");
    }
}
