//! What becomes of sessions of `git evolve run`: those that fail, are turned away, may not go on,
//! are repaired; and those beside the work.

use super::err;
use super::run_lab::{GATE, Lab, WORKS};

#[test]
fn an_attempt_that_fails_is_kept_and_another_one_made() {
    let fails = "\
n=$(wc -l < \"$(dirname \"$0\")/launched\")
if [ \"$n\" = 1 ]; then echo half > src/half; echo token=hunter2hunter2 boom >&2; exit 3; fi
if [ \"$n\" = 2 ]; then exit 4; fi
";
    let lab = Lab::new(&format!("{fails}{WORKS}"), "");
    lab.plan("chains = 1", "limits = { attempts = 3 }", "");
    lab.ends(0, &["--until", "1"]);
    assert_eq!(lab.launched().len(), 3);
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let [first, second] = lab.notes("envelope", &base).try_into().unwrap();
    assert_eq!(first["outcome"], "error");
    assert_eq!(first["exit_code"], 3);
    assert_eq!(second["exit_code"], 4);
    assert_ne!(first["attempt"], second["attempt"]);
    assert_eq!(first["work"]["untracked"]["first"][0]["path"], "src/half");
    // What it said on its way out stands beside it, masked; what went well is no console's.
    let printed = |on: &str| -> Vec<serde_json::Value> {
        let all = lab.notes("raw", on).into_iter();
        all.filter(|r| r["payload"] == "console").collect()
    };
    let [said] = printed(&base).try_into().unwrap();
    assert_eq!(said["of"], first["id"]);
    assert_eq!(first["raw"], serde_json::json!([said["id"]]));
    assert_eq!(said["content"], "token=[masked] boom\n");
    assert!(printed(&lab.repo.git(&["rev-parse", "evolve/exp/a/1~1"])).is_empty());
    // The second left nothing to keep.
    assert_eq!(lab.refs("refs/evolve/attempts/exp/a/1/"), ["1/1"]);
    let kept = "refs/evolve/attempts/exp/a/1/1/1";
    assert_eq!(lab.repo.git(&["rev-parse", &format!("{kept}^")]), base);
    assert_eq!(lab.repo.git(&["show", &format!("{kept}:src/half")]), "half");
    assert!(
        !lab.repo
            .git(&["log", "-1", "--format=%B", kept])
            .contains("Evolve-")
    );
    lab.holds();
}

#[test]
fn attempts_that_are_used_up_end_the_chain_or_are_passed_over() {
    let fails = format!("[ \"$EVOLVE_CHECKPOINT\" = 2 ] && exit 1\n{WORKS}");
    let lab = Lab::new(&fails, "");
    lab.plan("chains = 1", "limits = { attempts = 2 }", "");
    let told = lab.ends(1, &[]);
    assert_eq!(told["chains"][0]["end"], "failed");
    assert_eq!(told["chains"][0]["failed"], serde_json::json!(["2"]));
    assert_eq!(told["chains"][0]["not_reached"], serde_json::json!(["3"]));
    let why = told["chains"][0]["why"].as_str().unwrap();
    assert_eq!(why, "checkpoint 2: the agent did not finish in 2 attempts");
    assert_eq!(lab.launched().len(), 3);
    // Again: the records say that they are used up.
    lab.ends(1, &[]);
    assert_eq!(lab.launched().len(), 3);
    let go_on = "on_fail = 'continue'\nlimits = { attempts = 2 }";
    lab.plan("chains = 1", go_on, "");
    let told = lab.ends(0, &[]);
    assert_eq!(told["chains"][0]["done"], 2);
    assert_eq!(told["chains"][0]["failed"], serde_json::json!(["2"]));
    assert_eq!(told["chains"][0]["not_reached"], serde_json::json!([]));
    let line = lab.line("exp/a/1");
    assert!(line.last().unwrap().ends_with("3 three: reset"), "{line:?}");
    assert_eq!(lab.launched().len(), 4);
    lab.holds();
    // Behind the third there is no place for the second, whatever its agent does now.
    lab.agent(WORKS);
    lab.ends(0, &[]);
    assert_eq!(lab.launched().len(), 4);
    assert_eq!(lab.line("exp/a/1"), line);
}

#[test]
fn a_gate_that_fails_ends_the_chain_and_what_requires_it_is_not_reached() {
    let wrong = WORKS.replace("> src/value", "> /dev/null");
    let lab = Lab::new(&wrong, GATE);
    let told = lab.ends(1, &[]);
    assert_eq!(told["chains"][0]["end"], "failed");
    assert_eq!(told["chains"][0]["failed"], serde_json::json!(["1"]));
    assert_eq!(lab.line("exp/a/1").len(), 3);
    lab.ends(1, &[]);
    assert_eq!(lab.launched().len(), 1);
    assert_eq!(lab.gates("exp/a/1").len(), 2);
    let needs = "[[checkpoints]]\nid = 'one'\nprompt_text = 'Do one.'\n\
                 [[checkpoints]]\nid = 'two'\nprompt_text = 'Do two.'\nrequires = ['one']\n\
                 [[checkpoints]]\nid = 'three'\nprompt_text = 'Do three.'\n";
    lab.agent(WORKS);
    lab.plan(
        "chains = 1",
        "on_fail = 'continue'",
        &format!("{GATE}{needs}"),
    );
    let told = lab.ends(0, &[]);
    assert_eq!(told["chains"][0]["not_reached"], serde_json::json!(["2"]));
    let line = lab.line("exp/a/1");
    assert!(line[3].ends_with("3 three: Do three."), "{line:?}");
    lab.holds();
}

#[test]
fn attempts_of_two_that_are_given_up_stand_on_the_same_commit() {
    let fails =
        format!("[ \"$EVOLVE_CHECKPOINT\" != 3 ] && echo half > src/half && exit 1\n{WORKS}");
    let lab = Lab::new(&fails, "");
    lab.plan("chains = 1", "on_fail = 'continue'", "");
    let told = lab.ends(0, &[]);
    assert_eq!(told["chains"][0]["failed"], serde_json::json!(["1-2"]));
    let kept = lab.refs("refs/evolve/attempts/exp/a/1/");
    assert_eq!(kept, ["1/1", "2/1"]);
    lab.holds();
}

#[test]
fn a_gate_runs_in_a_sandbox_where_there_is_one() {
    let gate = GATE.replace("isolation = 'none'\n", "");
    assert_ne!(gate, GATE);
    let lab = Lab::new(WORKS, &gate);
    let told = lab.ends(0, &["--until", "1"]);
    assert_eq!(told["chains"][0]["done"], 1);
    assert_eq!(lab.gates("exp/a/1").len(), 2);
}

#[test]
fn a_plan_that_is_wrong_anywhere_starts_nothing() {
    for (more, said) in [
        ("[measure]\nlookback = -1\n", "lookback"),
        (
            "[refactor]\nprompt_text = 'tidy'\nmax = { net_c = 3 }\n",
            "there is no measure 'net_c'",
        ),
        (
            "[[arms]]\nname = 'a'\nbase = 'nowhere'\n",
            "base 'nowhere' is no commit of this repository",
        ),
    ] {
        let lab = Lab::new(WORKS, "");
        lab.plan("chains = 1", "", more);
        let o = lab.run(&[]);
        assert_eq!(o.status.code(), Some(2), "{more}: {}", err(&o));
        assert!(err(&o).contains(said), "{more}: {}", err(&o));
        assert!(!lab.folder().join("launched").exists(), "{more}");
    }
}

#[test]
fn checks_alone_are_recorded_and_not_made_again_and_what_was_left_out_by_plan_is_no_defect() {
    let more = "[gate]\nchecks = [{ command = 'test \"$(cat src/value)\" != 2' }]\n\
                [[checkpoints]]\nid = 'one'\nprompt_text = 'Do one.'\n\
                [[checkpoints]]\nid = 'two'\nprompt_text = 'Do two.'\n\
                [[checkpoints]]\nid = 'three'\nprompt_text = 'Do three.'\nrequires = ['two']\n\
                [[checkpoints]]\nid = 'four'\nprompt_text = 'Do four.'\n";
    let lab = Lab::new(WORKS, "");
    lab.plan("chains = 1", "on_fail = 'continue'", more);
    for _ in 0..2 {
        let told = lab.ends(0, &[]);
        assert_eq!(told["chains"][0]["not_reached"], serde_json::json!(["3"]));
        assert_eq!(told["chains"][0]["failed"], serde_json::json!(["2"]));
        assert_eq!(lab.launched().len(), 3);
        let log = ["log", "-1", "--format=%H", "--grep"];
        for (subject, holds) in [
            ("1 one: Do", true),
            ("2 two: Do", false),
            ("4 four: Do", true),
        ] {
            let on = lab
                .repo
                .git(&[&log[..], &[subject, "evolve/exp/a/1"]].concat());
            let [gated] = lab.notes("tests", &on).try_into().unwrap();
            assert_eq!(gated["gated"]["checks"][0]["holds"], holds, "{subject}");
        }
    }
    let shown = [
        "log",
        "--chain",
        "exp/a/1",
        "--metrics",
        "outcome",
        "--format",
        "csv",
    ];
    let shown = lab.repo.evolve(&shown);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let outcomes: Vec<&str> = shown.lines().filter_map(|l| l.split(',').nth(8)).collect();
    assert_eq!(outcomes, ["value", "pass", "fail", "pass"], "{shown}");
    let said = lab.repo.evolve(&["verify"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.contains("checkpoint 4 comes right after 2: the run goes on"),
        "{said}"
    );
    assert!(said.contains("0 errors, 0 warnings"), "{said}");
}

#[test]
fn a_repair_goes_on_from_what_failed_and_is_shown_what_the_plan_says() {
    let repairs = "\
asked=$(cat)
echo \"$asked\" >> \"$(dirname \"$0\")/asked\"
case $asked in
  *'does not pass'*) echo \"$EVOLVE_CHECKPOINT\" > src/value ;;
  *) echo -1 > src/value; echo kept > src/first ;;
esac
";
    let lab = Lab::new(repairs, "");
    let agent =
        "on_fail = 'repair'\nrepair_shows = ['tests', 'messages']\nlimits = { attempts = 2 }";
    lab.plan("chains = 1", agent, GATE);
    lab.ends(0, &["--until", "1"]);
    assert_eq!(lab.launched().len(), 2);
    let asked = std::fs::read_to_string(lab.folder().join("asked")).unwrap();
    assert!(
        asked.contains("t::one") && asked.contains("the value is -1"),
        "{asked}"
    );
    assert_eq!(asked.matches("Do one.").count(), 1, "{asked}");
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let show = |of: &str| lab.repo.git(&["show", of]);
    assert_eq!(show("evolve/exp/a/1:src/first"), "kept");
    assert_eq!(show("evolve/exp/a/1:src/value"), "1");
    assert_eq!(lab.repo.git(&["rev-parse", "evolve/exp/a/1^^"]), base);
    let kept = "refs/evolve/attempts/exp/a/1/1/1";
    assert_eq!(show(&format!("{kept}:src/value")), "-1");
    // The base's own gate stands there, too.
    let [own, gate] = lab.notes("tests", &base).try_into().unwrap();
    assert_eq!(own["for_checkpoint"], 0);
    assert_eq!(gate["for_checkpoint"], 1);
    let tree = lab.repo.git(&["rev-parse", &format!("{kept}^{{tree}}")]);
    assert_eq!(gate["ran_tree"], tree.as_str());
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    assert_eq!(lab.notes("tests", &agent).len(), 1);
    lab.holds();
    // Killed between the two, it repairs all the same.
    let killed = Lab::new(repairs, "");
    let agent =
        "on_fail = 'repair'\nrepair_shows = ['tests', 'messages']\nlimits = { attempts = 2 }";
    killed.plan("chains = 1", agent, GATE);
    for place in [
        "run-attempt-notes",
        "run-attempt-completed",
        "run-attempt-working",
    ] {
        killed.dies(place);
    }
    killed.ends(0, &["--until", "1"]);
    assert_eq!(killed.line("exp/a/1"), lab.line("exp/a/1"));
    killed.holds();
}

#[test]
fn being_turned_away_is_waited_for_and_counts_against_nothing() {
    let away = "\
n=$(wc -l < \"$(dirname \"$0\")/launched\")
if [ \"$n\" -le 2 ]; then echo 'HTTP 429 Too Many Requests' >&2; exit 1; fi
";
    let lab = Lab::new(&format!("{away}{WORKS}"), "");
    let agent = "rate_limit_wait = ['200ms', '1s']\nrate_limit_retries = 3\n\
                 rate_limited = { patterns = ['429'] }";
    lab.plan("chains = 1", agent, "");
    lab.ends(0, &["--until", "1"]);
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let [first, second] = lab.notes("envelope", &base).try_into().unwrap();
    assert_eq!(first["outcome"], "rate_limited");
    assert_eq!(second["waited_ms"], 200);
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    let [last] = lab.notes("envelope", &agent).try_into().unwrap();
    assert_eq!(last["waited_ms"], 400);
    lab.holds();
}

#[test]
fn a_wait_is_counted_once_whatever_is_tried_after_it() {
    let away = "\
n=$(wc -l < \"$(dirname \"$0\")/launched\")
[ \"$n\" = 1 ] && { echo 'HTTP 429 Too Many Requests' >&2; exit 1; }
[ \"$n\" = 2 ] && exit 3
[ \"$n\" = 4 ] && { echo 'HTTP 429 Too Many Requests' >&2; exit 1; }
";
    let lab = Lab::new(&format!("{away}{WORKS}"), "");
    let agent = "limits = { attempts = 3 }\nrate_limit_wait = ['200ms', '1s']\n\
                 rate_limited = { patterns = ['429'] }";
    lab.plan("chains = 1", agent, "");
    lab.ends(0, &["--until", "2"]);
    let waited = |commit: &str| -> Vec<serde_json::Value> {
        let on = lab.repo.git(&["rev-parse", commit]);
        let sessions = lab.notes("envelope", &on);
        sessions.iter().map(|s| s["waited_ms"].clone()).collect()
    };
    let none = serde_json::Value::Null;
    assert_eq!(waited("evolve/exp/a/1~4"), [none.clone(), 200.into()]);
    assert_eq!(waited("evolve/exp/a/1~3"), std::slice::from_ref(&none));
    // The next one begins with the first wait again.
    assert_eq!(waited("evolve/exp/a/1~2"), [none]);
    assert_eq!(waited("evolve/exp/a/1~1"), [200]);
}

#[test]
fn dead_credentials_stop_everything() {
    let lab = Lab::new("echo 'Invalid API key' >&2; exit 1", "");
    lab.plan(
        "chains = 3",
        "credentials_dead = { patterns = ['Invalid API key'] }",
        "",
    );
    let done = lab.run(&[]);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        err(&done).contains("no session can succeed any more"),
        "{}",
        err(&done)
    );
    assert!(
        err(&done).contains("git evolve run --plan"),
        "{}",
        err(&done)
    );
    assert_eq!(lab.launched().len(), 1);
    // With new ones it goes on.
    lab.agent(WORKS);
    lab.ends(0, &[]);
    assert_eq!(lab.launched().len(), 10);
    lab.holds();
}

#[test]
fn a_set_up_that_fails_is_not_the_agents_failure() {
    let setup = "[[setup]]\ncommand = ['sh', '-c', 'echo made > made.txt; test -f src/ready']\n";
    let lab = Lab::new(WORKS, setup);
    let told = lab.ends(1, &[]);
    assert_eq!(told["chains"][0]["end"], "set-up failed");
    assert_eq!(told["cost_usd"].to_string(), "0.0", "not -0.0");
    assert!(lab.launched().is_empty());
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1"]);
    let [cut] = lab.notes("envelope", &base).try_into().unwrap();
    assert_eq!(cut["outcome"], "setup_failed");
    assert_eq!(cut["setups"][0]["outcome"], "failed");
    assert_eq!(cut["setups"][0]["in"], "clone");
    // What it left is nobody's work; a service runs beside.
    let served = "[[setup]]\ncommand = ['sh', '-c', 'echo made > made.txt']\n\
                  [[setup]]\ncommand = ['sh', '-c', 'echo up > \"$EVOLVE_TMP/up\"; sleep 4004.5']\n\
                  service = { ready = ['sh', '-c', 'test -f \"$EVOLVE_TMP/up\"'] }\n";
    let agent = "test -f \"$EVOLVE_TMP/up\" || exit 7\ntest -f made.txt || exit 8\n";
    lab.agent(&format!("{agent}{WORKS}"));
    lab.plan("chains = 1", "", served);
    lab.ends(0, &["--until", "1"]);
    let files = lab
        .repo
        .git(&["ls-tree", "-r", "--name-only", "evolve/exp/a/1"]);
    assert!(!files.contains("made.txt"), "{files}");
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    let [record] = lab.notes("checkpoint", &agent).try_into().unwrap();
    assert_eq!(record["work"]["left_out"]["first"][0]["path"], "made.txt");
    assert_eq!(record["setups"].as_array().unwrap().len(), 2);
}

#[test]
fn probes_and_sessions_for_nothing_stand_beside_the_work() {
    let asked = "\
case $EVOLVE_PURPOSE in
  probe) echo 'Rules: LAYERS are kept; also caching.'; echo no > written; exit 0 ;;
  noop) echo OK; exit 0 ;;
esac
";
    let more = "[probe]\nevery = 2\nprompt_text = 'Which rules?'\n\
                [[probe.rules]]\nid = 'layers'\nkeywords = ['layers?']\n\
                [[probe.rules]]\nid = 'cache'\nkeywords = ['cach']\ncheckpoint = 'three'\n\
                [[probe.rules]]\nid = 'names'\nkeywords = ['names']\ncheckpoint = 'two'\n\
                [noop]\nsessions = 2\n";
    let lab = Lab::new(&format!("{asked}{WORKS}"), more);
    lab.plan("chains = 2", "", more);
    lab.ends(0, &[]);
    let launched = lab.launched();
    let count = |what: &str| launched.iter().filter(|l| l.starts_with(what)).count();
    assert_eq!(
        (count("noop"), count("probe"), count("implement")),
        (2, 2, 6)
    );
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~6"]);
    let noops = lab.notes("envelope", &base);
    assert!(
        noops
            .iter()
            .all(|n| n["purpose"] == "noop" && n["for_checkpoint"] == 0)
    );
    assert_eq!(noops.len(), 2);
    let reset = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let [probe] = lab.notes("envelope", &reset).try_into().unwrap();
    assert_eq!(probe["purpose"], "probe");
    assert_eq!(probe["for_checkpoint"], 2);
    assert_eq!(
        probe["probed"]["landed"],
        serde_json::json!(["layers", "names"])
    );
    assert_eq!(probe["probed"]["named"], serde_json::json!(["layers"]));
    // Asked again, nobody is.
    lab.ends(0, &[]);
    assert_eq!(lab.launched().len(), launched.len());
    let none = Lab::new(&format!("{asked}{WORKS}"), more);
    none.ends(0, &["--no-probe", "--no-noop"]);
    assert_eq!(none.launched().len(), 3);
    lab.holds();
    // Killed in the middle of one, it is recorded and held again.
    let killed = Lab::new(&format!("{asked}{WORKS}"), more);
    killed.dies("run-attempt-aside");
    killed.dies("run-attempt-asked");
    killed.dies("run-attempt-aside-notes");
    killed.ends(0, &["--until", "2"]);
    let base = killed.repo.git(&["rev-parse", "evolve/exp/a/1~4"]);
    let noops = killed.notes("envelope", &base);
    let words: Vec<&str> = noops
        .iter()
        .map(|n| n["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["interrupted", "interrupted", "success", "success"]);
    killed.holds();
}

#[test]
fn a_turn_of_clearing_up_is_asked_for_while_a_measure_is_over() {
    let agent = "\
case $EVOLVE_PURPOSE in
  implement) cat > /dev/null; for i in 1 2 3 4 5; do echo \"x = $i\" >> src/code.py; done ;;
  refactor) cat >> \"$(dirname \"$0\")/asked\"; echo 'x = 1' > src/code.py ;;
esac
";
    let more = "[refactor]\nturns = 2\nprompt_text = 'Too much: {measures}'\nmax = { added = 3 }\n";
    let more = more.replace("added", "churn");
    let lab = Lab::new(agent, &more);
    lab.ends(0, &["--until", "1"]);
    assert_eq!(lab.launched(), ["implement 1", "refactor 1"]);
    let asked = std::fs::read_to_string(lab.folder().join("asked")).unwrap();
    assert!(asked.contains("churn is 5, at most 3"), "{asked}");
    assert_eq!(
        lab.repo.git(&["show", "evolve/exp/a/1:src/code.py"]),
        "x = 1"
    );
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    let [record] = lab.notes("checkpoint", &agent).try_into().unwrap();
    let turns = record["turns"].as_array().unwrap();
    assert_eq!(turns[0]["purpose"], "implement");
    assert_eq!(turns[1]["purpose"], "refactor");
    assert_eq!(turns[1]["tree"], record["tree"]);
    // The tree after each turn is kept.
    assert_eq!(lab.refs("refs/evolve/agent/exp/a/1/"), ["1/1", "1/2"]);
    let first = lab
        .repo
        .git(&["rev-parse", "refs/evolve/agent/exp/a/1/1/1^{tree}"]);
    assert_eq!(turns[0]["tree"], first.as_str());
    let sessions = lab.notes("envelope", &agent);
    let purposes: Vec<&str> = sessions
        .iter()
        .map(|s| s["purpose"].as_str().unwrap())
        .collect();
    assert_eq!(purposes, ["implement", "refactor"]);
    lab.holds();
}

#[test]
fn a_review_may_not_write_and_its_answer_is_applied() {
    let agent = "\
case $EVOLVE_PURPOSE in
  implement) cat > /dev/null; echo 'x = 1' > src/code.py ;;
  refactor) cat > \"$(dirname \"$0\")/asked\"; echo 'x = 2' > src/code.py ;;
  review) chmod -R u+w . ; echo spoilt > src/code.py
    if grep -q 2 src/kept 2>/dev/null; then echo LGTM; else echo 'Make it two.'; fi ;;
esac
";
    let more = "[review]\nprompt_text = 'Look.'\napply_text = 'Apply: {answer}'\ncycles = 1\n\
                satisfied = 'LGTM'\n";
    let lab = Lab::new(agent, more);
    lab.ends(0, &["--until", "1"]);
    assert_eq!(lab.launched(), ["implement 1", "review 1", "refactor 1"]);
    let asked = std::fs::read_to_string(lab.folder().join("asked")).unwrap();
    assert!(asked.contains("Apply: Make it two."), "{asked}");
    assert_eq!(
        lab.repo.git(&["show", "evolve/exp/a/1:src/code.py"]),
        "x = 2"
    );
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    let sessions = lab.notes("envelope", &agent);
    assert_eq!(
        sessions[1]["launch"]["wrote"]["first"][0]["path"],
        "src/code.py"
    );
    let purposes: Vec<&str> = sessions
        .iter()
        .filter_map(|s| s["purpose"].as_str())
        .collect();
    assert_eq!(purposes, ["implement", "review", "refactor"]);
    lab.holds();
}

#[test]
fn no_session_is_begun_once_the_budget_is_spent() {
    let costs = "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\
                 \"num_turns\":1,\"result\":\"ok\",\"session_id\":\"s\",\"total_cost_usd\":0.75,\
                 \"usage\":{\"input_tokens\":1,\"output_tokens\":1}}'\n";
    let lab = Lab::new(&format!("{WORKS}{costs}"), "");
    lab.plan("chains = 1\nbudget_usd = 1.0", "", "");
    let told = lab.ends(1, &[]);
    assert_eq!(told["chains"][0]["end"], "budget spent");
    assert_eq!(told["chains"][0]["cost_usd"], 1.5);
    assert_eq!(told["chains"][0]["sessions_of_unknown_cost"], 0);
    assert_eq!(lab.launched().len(), 2);
    lab.ends(1, &[]);
    assert_eq!(lab.launched().len(), 2);
}

#[test]
fn an_agent_that_takes_its_clone_away_failed_whatever_it_says() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "not yours\n").unwrap();
    let link = format!("ln -s '{}' \"$top\"", outside.path().display());
    for what in [link.as_str(), ":", "echo file > \"$top\""] {
        let gone = format!("top=$PWD; cd ..; rm -rf \"$top\"; {what}\nexit 0\n");
        let lab = Lab::new(&gone, "");
        let told = lab.ends(1, &["--until", "1"]);
        assert_eq!(told["chains"][0]["end"], "failed", "{what}");
        let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1"]);
        let [session] = lab.notes("envelope", &base).try_into().unwrap();
        assert_eq!(session["outcome"], "error", "{what}");
        assert_eq!(session["exit_code"], 0);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
        lab.holds();
    }
}
