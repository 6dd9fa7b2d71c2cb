//! The reader against plans that are whole, and plans in which one thing is wrong.

mod wrong;

use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::plan::{
    Check, Command, Isolation, OnFail, Overlay, PromptRoute, Select, Shown, SpecKind, Text,
};
use crate::record::Suite;

/// The least that is a plan.
const LEAST: &str = "[experiment]\nname = 'exp'\n[agent]\ncommand = ['sh', '-c', 'true']\n\
                     [[arms]]\nname = 'plain'\n[[checkpoints]]\nid = 'one'\nprompt_text = 'do it'\n";

fn text(words: &str) -> Text {
    Text::Here(words.to_owned())
}

/// What is said of a plan that is wrong.
fn said_of(plan: &str) -> String {
    let error = read_alone(plan, "e").expect_err(plan);
    error.to_string()
}

#[test]
fn a_short_plan_is_read_and_the_rest_is_what_it_is_where_nothing_is_said() {
    let plan = read_alone(LEAST, "evolve.toml").expect("well formed");
    assert_eq!((plan.experiment.chains, plan.experiment.seed), (6, 0));
    assert_eq!(plan.experiment.base, Base::Revision("HEAD".to_owned()));
    assert_eq!(plan.text, LEAST);
    let working = plan.arms[0].on(None);
    let agent = working.agent;
    assert_eq!(
        agent.command,
        Command::Words(["sh", "-c", "true"].map(str::to_owned).to_vec())
    );
    assert_eq!(agent.prompt, PromptRoute::Stdin);
    assert_eq!(agent.limits.time, Duration::from_secs(30 * 60));
    assert_eq!((agent.limits.attempts, agent.limits.output), (1, 64 << 20));
    assert_eq!(agent.on_fail, OnFail::Stop);
    assert_eq!(agent.isolation, Isolation::Auto);
    assert!(agent.network && !agent.history);
    let (first, most) = agent.rate_limit_wait;
    assert_eq!((first.as_secs(), most.as_secs()), (60, 1800));
    assert_eq!(working.gate.retries, 1);
    assert!(working.gate.baseline && working.gate.visible.is_none());
    assert_eq!(working.refactor, None);
    assert_eq!(plan.checkpoints[0].prompt, text("do it"));
    assert_eq!(plan.checkpoints[0].scope, None);
    assert_eq!(plan.controls, Controls::default());
    assert_eq!((plan.probe, plan.noop, plan.review), (None, None, None));
}

#[test]
fn an_arm_overrides_key_by_key_and_stands_over_a_task() {
    let plan = "[experiment]\nname = 'exp'\n[agent]\ncommand = 'run'\nmodel = 'a'\n\
        repair_prompt_text = 'mend it'\nlimits = { time = '1h', attempts = 3 }\n\
        environment = { A = '1', B = '2' }\n[gate]\nretries = 4\n\
        [gate.visible]\ncommand = 'test'\nreports = 'r.xml'\n[refactor]\nmax = { net_cc = 3 }\nprompt_text = 'x'\n\
        [[arms]]\nname = 'one'\n[[arms]]\nname = 'two'\n[arms.agent]\nmodel = 'b'\n\
        environment.B = '3'\nlimits.time = 90\n[arms.refactor]\nturns = 2\n\
        [[tasks]]\nname = 't'\ngate.visible.command = 'other'\nagent = { model = 'c', tools = ['x'] }\n\
        [[checkpoints]]\nid = 'k'\nprompt_text = 'p'\n";
    let plan = read_alone(plan, "e").expect("well formed");
    let [one, two] = plan.arms.as_slice() else {
        panic!("two arms")
    };
    let (a, b) = (one.on(None), two.on(None));
    assert_eq!(a.agent.model.as_deref(), Some("a"));
    assert_eq!(b.agent.model.as_deref(), Some("b"));
    assert_eq!(b.agent.limits.attempts, 3);
    assert_eq!(b.agent.limits.time, Duration::from_secs(90));
    assert_eq!(a.agent.limits.time, Duration::from_secs(3600));
    let environment: Vec<&str> = b.agent.environment.values().map(String::as_str).collect();
    assert_eq!(environment, ["1", "3"]);
    assert_eq!(b.agent.repair_prompt, Some(text("mend it")));
    assert_eq!(a.refactor.map(|r| r.turns), Some(1));
    assert_eq!(
        b.refactor.map(|r| (r.turns, r.max["net_cc"])),
        Some((2, 3.0))
    );
    let command = |w: crate::plan::Working<'_>| w.gate.visible.as_ref().map(|s| s.command.clone());
    let shell = |line: &str| Some(Command::Shell(line.to_owned()));
    assert_eq!(command(a), shell("test"));
    let (a, b) = (one.on(Some("t")), two.on(Some("t")));
    assert_eq!((command(a), command(b)), (shell("other"), shell("other")));
    assert_eq!(a.gate.visible.as_ref().map(|s| s.reports.len()), Some(1));
    assert_eq!(a.gate.retries, 4);
    assert_eq!(a.agent.model.as_deref(), Some("c"));
    assert_eq!(b.agent.model.as_deref(), Some("b"), "the arm is compared");
    assert_eq!(b.agent.tools, ["x"]);
}

#[test]
fn a_text_that_an_arm_says_in_another_way_is_one_text() {
    let plan = LEAST.replace(
        "[[arms]]\nname = 'plain'",
        "repair_prompt = 'a.md'\n[[arms]]\nname = 'plain'\nagent.repair_prompt_text = 'mend'",
    );
    let plan = read_alone(&plan, "e").expect("well formed");
    assert_eq!(plan.arms[0].agent.repair_prompt, Some(text("mend")));
}

#[test]
fn every_value_with_a_form_of_its_own_is_read() {
    let more = "[gate]\nchecks = ['acceptance', 'answer', { command = ['x'], exit_code = 3 }]\n\
        [gate.acceptance]\ncommand = ['go', '{checkpoints}', '{suite}']\ntimeout = '1h 30m'\n\
        tests = ['t', { from = './u/../v', to = '/' }]\nselect = 'up_to'\nbefore = true\n";
    let more = more.replace("to = '/'", "to = 'x//y/'");
    let arm = "name = 'plain'\nbase = 'https://x.y/z.git@0123456789012345678901234567890123456789'\n\
        factors = { size = 3, fast = true }\nfiles = ['arm']\n\
        specs = [{ file = 'spec.md', to = 'docs/', kind = 'informative' }]\n\
        prompt_prefix_text = 'p'\n[[arms.setup]]\ncommand = 'serve'\nservice = { ready = 'ask' }\n";
    let plan = LEAST
        .replace("name = 'plain'\n", arm)
        .replace(
            "prompt_text = 'do it'",
            "prompt_text = 'x'\nanswer = 'yes'\nscope = 'src/'",
        )
        .replace("[[arms]]", &format!("{more}[[arms]]"));
    let plan = read_alone(&plan, "e").expect("well formed");
    let arm = &plan.arms[0];
    assert_eq!(
        arm.base,
        Some(Base::Remote(
            "https://x.y/z.git".to_owned(),
            "0123456789012345678901234567890123456789".to_owned()
        ))
    );
    assert_eq!(arm.factors["fast"], "true");
    assert_eq!(arm.specs[0].kind, SpecKind::Informative);
    assert_eq!(arm.specs[0].file.from, PathBuf::from("spec.md"));
    let service = arm.setup[0].service.as_ref().expect("a service");
    assert_eq!(service.ready, Some(Command::Shell("ask".to_owned())));
    let suite = arm.gate.acceptance.as_ref().expect("a suite");
    assert_eq!(suite.timeout, Duration::from_secs(5400));
    assert_eq!((suite.select, suite.before), (Select::UpTo, true));
    assert_eq!(
        suite.tests[1],
        Overlay {
            from: PathBuf::from("v"),
            to: "x/y/".to_owned()
        }
    );
    assert_eq!(arm.gate.checks[0], Check::Reports(Suite::Acceptance));
    assert!(matches!(
        &arm.gate.checks[2],
        Check::Command { exit_code: 3, .. }
    ));
    assert_eq!(
        plan.checkpoints[0].scope.as_deref(),
        Some(&["src/".to_owned()][..])
    );
}

#[test]
fn a_base_is_told_by_its_form() {
    let base = |text: &str| {
        let plan = LEAST.replace("name = 'exp'", &format!("name = 'exp'\nbase = '{text}'"));
        read_alone(&plan, "e").map(|p| p.experiment.base)
    };
    let path = PathBuf::from;
    let revision = |r: &str| Base::Revision(r.to_owned());
    for (text, read) in [
        ("v1.2", revision("v1.2")),
        ("origin/main~3", revision("origin/main~3")),
        ("./a/b", Base::Folder(path("a/b"))),
        ("a/b/", Base::Folder(path("a/b"))),
        ("x/y.bundle", Base::Bundle(path("x/y.bundle"), None)),
        (
            "y.bundle@main",
            Base::Bundle(path("y.bundle"), Some("main".to_owned())),
        ),
    ] {
        assert_eq!(base(text).expect("a base"), read, "{text}");
    }
    for (text, said) in [
        (
            "https://x.y/z.git@main",
            "does not name a commit by its full id",
        ),
        ("../x", "leaves the plan's folder"),
        ("/etc/", "leaves the plan's folder"),
        ("y.bundle@", "names no revision"),
        ("--upload-pack=x", "is no revision"),
        ("a..b", "is no revision"),
    ] {
        let error = base(text).expect_err(text).to_string();
        assert!(error.starts_with("e:3:8: "), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn what_is_wrong_in_a_part_of_all_arms_is_said_once_and_in_the_order_of_the_text() {
    let plan = LEAST.replace("'true']", "'{promt}']").replace(
        "name = 'plain'",
        "name = 'a'\n[[arms]]\nname = 'b'\nbaseline = 1",
    );
    let said = said_of(&plan);
    let places: Vec<&str> = said.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(places, ["e:4:24:", "e:9:12:"]);
    // One cause is not said a hundred times.
    let many: String = (0..50).map(|i| format!("x{i} = 1\n")).collect();
    let said = said_of(&format!("{many}{LEAST}"));
    assert_eq!(said.lines().count(), 21);
    assert!(said.ends_with("and 30 more"), "{said}");
}

#[test]
fn what_would_take_its_square_to_read_is_refused() {
    let keys: String = (0..1001).map(|i| format!("A{i} = '1'\n")).collect();
    let plan = format!("{LEAST}[agent.environment]\n{keys}");
    assert_eq!(
        said_of(&plan),
        "e:10:1: more than 1000 keys or 10000 values are no plan"
    );
    let list = LEAST.replace("'true'", &"'x',".repeat(10_001));
    assert!(said_of(&list).starts_with("e:4:11: more than"));
    let many = |table: &str| -> String {
        (0..200)
            .map(|i| format!("[[{table}]]\nname = 'n{i}'\n"))
            .collect()
    };
    let tasks = many("tasks").replace("\n[[", "\nagent.model = 'x'\n[[");
    let plan = format!("{LEAST}{}{tasks}", many("arms"));
    assert!(said_of(&plan).contains("more than 10000 pairs"), "{plan}");
    let unknown: String = (0..900).map(|i| format!("x{i} = 1\n")).collect();
    assert!(said_of(&format!("{unknown}{LEAST}")).ends_with("and 880 more"));
}

#[test]
fn shown_words_and_routes_are_those_of_the_plan() {
    let plan = LEAST.replace(
        "command = ",
        "prompt = 'file'\nrepair_shows = ['console', 'prompt']\nrepair_prompt_text = 'x'\n\
         on_fail = 'repair'\ncommand = ",
    );
    let agent = read_alone(&plan, "e").expect("well formed").arms[0]
        .agent
        .clone();
    assert_eq!(agent.prompt, PromptRoute::File);
    assert_eq!(agent.repair_shows, [Shown::Console, Shown::Prompt]);
    assert_eq!(
        agent.limits.attempts, 2,
        "a repair is an attempt of its own"
    );
}

/// The example of the documentation.
fn example() -> &'static str {
    let page = include_str!("../../../docs/plan.md");
    let example = page.split("```toml\n").nth(1).expect("an example");
    example.split("```").next().expect("its end")
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(400))]

    #[test]
    fn no_edit_of_a_plan_makes_the_reader_panic_or_lose_its_place(
        edits in proptest::collection::vec((0_usize..4000, 0_usize..12, "[\\PC\n]{0,3}"), 1..4)
    ) {
        let mut text = example().to_owned();
        for (at, gone, there) in edits {
            let at = text.floor_char_boundary(at.min(text.len()));
            let end = text.ceil_char_boundary((at + gone).min(text.len()));
            text.replace_range(at..end, &there);
        }
        match read_alone(&text, "e") {
            Ok(plan) => {
                let owned = controls(&text, "e").expect("a part of what was read");
                proptest::prop_assert_eq!(owned.unwrap_or_default(), plan.controls);
            }
            Err(e) => {
                let said = e.to_string();
                let mut lines = said.lines().filter(|l| !l.starts_with("and "));
                proptest::prop_assert!(lines.all(|l| l.starts_with("e:")), "{}", said);
            }
        }
    }
}

#[test]
fn files_are_looked_at_where_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, content: &[u8]| {
        let full = folder.path().join(path);
        std::fs::create_dir_all(full.parent().expect("a parent")).expect("folders");
        std::fs::write(full, content).expect("written");
    };
    write("p.md", b"do it\n");
    write("empty.md", b" \n");
    write("latin.md", b"\xe4\n");
    write("spec.md", b"spec\n");
    write("more/a.txt", b"a\n");
    let plan = LEAST
        .replace("prompt_text = 'do it'", "prompt = 'PROMPT'")
        .replace(
            "name = 'plain'",
            "name = 'plain'\nfiles = ['more', { from = 'spec.md', to = 'docs/' }, \
         { from = 'spec.md', to = 'docs/it.md' }, 'spec.md']",
        );
    let at = |prompt: &str| read(&plan.replace("PROMPT", prompt), "e", folder.path());
    let to: Vec<String> = at("p.md").expect("all there").arms[0]
        .files
        .iter()
        .map(|f| f.to.clone())
        .collect();
    assert_eq!(to, ["", "docs/spec.md", "docs/it.md", "spec.md"]);
    for (prompt, said) in [
        ("no.md", "e:10:10: there is no file 'no.md'"),
        ("more", "e:10:10: 'more' is no file"),
        ("empty.md", "e:10:10: 'empty.md' says nothing"),
        ("latin.md", "e:10:10: 'latin.md' is not UTF-8"),
    ] {
        assert_eq!(at(prompt).expect_err(prompt).to_string(), said);
    }
}
