//! `git evolve import`: run folders in the layout of SlopCodeBench, written here.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{err, out};
use crate::support::Repo;

const ARM: &str = "tiny-plain";

/// A run of one problem, `two_sums`, of three checkpoints, beside the repository.
struct Run {
    folder: PathBuf,
}

impl Run {
    fn new(repo: &Repo, name: &str) -> Run {
        let run = Run {
            folder: repo.around().join(name),
        };
        run.put(
            "config.yaml",
            &format!(
                "agent:\n  type: claude_code\n  version: 9.9.1\n  permission_mode: plan\n  cost_limits:\n    step_limit: 50\n    cost_limit: 0\n\
                 model:\n  name: tiny\nprompt_path: /home/ada/prompts/plain.jinja\nthinking: none\n\
                 pass_policy: any\npost_checkpoint_skill: null\noutput_path: outputs/{name}\nproblems:\n- two_sums\n- unbegun\n"
            ),
        );
        run.put("environment.yaml", "environment:\n  env:\n    MODE: fast\n");
        let checkpoints: String = (1..=3)
            .map(|n| format!("  checkpoint_{n}:\n    include_prior_tests: {}\n", n != 3))
            .collect();
        run.put(
            "two_sums/problem.yaml",
            &format!("name: two_sums\ncheckpoints:\n{checkpoints}"),
        );
        run.put(
            "two_sums/run_info.yaml",
            "summary:\n  started: '2026-03-01T10:00:00.250000'\n",
        );
        run.checkpoint(1, "def add(a, b):\n    return a + b\n", &json!({
            "checkpoint_1-Core": {"passed": ["test_add"], "failed": [], "skipped": []},
            "checkpoint_1-Error": {"passed": ["test_text"], "failed": [], "skipped": ["test_slow"]},
        }), 0);
        run.checkpoint(2, "def add(a, b):\n    if a:\n        return a + b\n    return b\n", &json!({
            "checkpoint_1-Regression": {"passed": ["test_add"], "failed": ["test_text"], "skipped": ["test_slow"]},
            "checkpoint_2-Core": {"passed": [], "failed": ["test_sub"], "skipped": []},
            "checkpoint_2-Functionality": {"passed": ["test_mul"], "failed": [], "skipped": []},
        }), 1);
        run.rows(&[(1, "ran"), (2, "ran"), (3, "skipped")]);
        run
    }

    fn put(&self, path: &str, text: &str) {
        let file = self.folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn rows(&self, states: &[(u32, &str)]) {
        let row = |(n, state): &(u32, &str)| {
            let name = format!("checkpoint_{n}");
            format!(
                "{}\n",
                json!({"problem": "two_sums", "checkpoint": name, "state": state, "loc": 7})
            )
            .replace(":7", ":NaN")
        };
        let rows: String = states.iter().map(row).collect();
        self.put("checkpoint_results.jsonl", &rows);
    }

    fn checkpoint(&self, n: u32, code: &str, tests: &Value, exit: i64) {
        let at = format!("two_sums/checkpoint_{n}");
        self.put(&format!("{at}/snapshot/sums.py"), code);
        self.put(&format!("{at}/prompt.txt"), &format!("Part {n}.\n"));
        let inference = json!({"started": format!("2026-03-01T1{n}:00:00"), "completed": format!("2026-03-01T1{n}:05:00.5"),
            "elapsed": 300.5, "had_error": false, "usage": {"cost": 0.25, "steps": 4,
            "net_tokens": {"input": 90, "output": 8, "cache_read": 7, "cache_write": 0, "reasoning": 0}}});
        self.put(
            &format!("{at}/inference_result.json"),
            &inference.to_string(),
        );
        let result = json!({"type": "result", "subtype": "success", "is_error": false, "session_id": format!("s{n}"),
            "total_cost_usd": 0.25, "num_turns": 5, "duration_ms": 300_000, "usage": {"input_tokens": 90, "output_tokens": 8},
            "modelUsage": {"tiny": {"inputTokens": 95, "outputTokens": 9, "cacheReadInputTokens": 7,
            "cacheCreationInputTokens": 0, "costUSD": 0.25}}});
        self.put(&format!("{at}/agent/stdout.jsonl"), &format!("{result}\n"));
        self.evaluation(&at, n, tests, exit, false);
        self.put(&format!("{at}/diff.json"), "{}");
    }

    fn evaluation(&self, at: &str, n: u32, tests: &Value, exit: i64, failure: bool) {
        let evaluation = json!({"schema_version": 1, "checkpoint_name": format!("checkpoint_{n}"), "tests": tests,
            "pytest_exit_code": exit, "infrastructure_failure": failure});
        self.put(&format!("{at}/evaluation.json"), &evaluation.to_string());
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.join(inside)
    }

    fn shown(&self) -> &str {
        self.folder.to_str().unwrap()
    }
}

fn import(repo: &Repo, run: &Run, more: &[&str]) -> std::process::Output {
    let mut words = vec!["import", "slopcodebench", run.shown()];
    words.extend(more);
    repo.evolve(&words)
}

fn json_of(repo: &Repo, run: &Run, more: &[&str]) -> Value {
    let mut words = vec!["--format", "json"];
    words.extend(more);
    let done = import(repo, run, &words);
    serde_json::from_str(&out(&done)).unwrap_or_else(|e| panic!("{e}: {}", err(&done)))
}

fn states(done: &Value) -> Vec<&str> {
    let chains = done["chains"].as_array().unwrap();
    chains
        .iter()
        .map(|c| c["state"].as_str().unwrap())
        .collect()
}

fn asides<'d>(done: &'d Value, why: &str) -> Vec<(&'d str, &'d str)> {
    let all = done["asides"].as_array().unwrap().iter();
    all.filter(|a| a["why"] == why)
        .map(|a| (a["what"].as_str().unwrap(), a["said"].as_str().unwrap()))
        .collect()
}

fn refs(repo: &Repo) -> String {
    repo.git(&["for-each-ref", "--format=%(refname) %(objectname)"])
}

fn figures(repo: &Repo, chain: &str, measures: &str) -> Vec<String> {
    let text = repo.stdout(&[
        "log",
        "--chain",
        chain,
        "--metrics",
        measures,
        "--format",
        "csv",
    ]);
    let mut rows: Vec<String> = (text.lines().skip(1))
        .map(|l| {
            let cells: Vec<&str> = l.split(',').collect();
            format!("{} {} {}", cells[4], cells[6], cells[8])
        })
        .collect();
    rows.sort();
    rows
}

fn chain(n: u32) -> String {
    format!("slopcodebench/{ARM}/two-sums/{n}")
}

#[test]
fn a_run_becomes_chains_with_its_tests_cost_and_tokens() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    let done = json_of(&repo, &run, &[]);
    assert_eq!(states(&done), ["new"]);
    let reached = asides(&done, "not-reached");
    assert!(
        reached
            .iter()
            .any(|(what, said)| *what == "checkpoint_3" && said.contains("the run says skipped")),
        "{reached:?}"
    );
    assert!(
        reached.iter().any(|(what, _)| *what == "unbegun"),
        "{reached:?}"
    );
    let passed: Vec<&str> = asides(&done, "not-mapped")
        .into_iter()
        .map(|(w, _)| w)
        .collect();
    assert!(passed.contains(&"checkpoint_*/diff.json"), "{passed:?}");
    assert!(passed.contains(&"checkpoint_results.jsonl"), "{passed:?}");
    let measures = "cost_usd,input_tokens,num_turns,wall_ms,strict_pass_rate,iso_pass_rate,core_pass,\
                    regressions,existing_fns_modified,outcome";
    assert_eq!(
        figures(&repo, &chain(1), measures),
        [
            "1 core_pass 1",
            "1 cost_usd 0.25",
            "1 existing_fns_modified 0",
            "1 input_tokens 90",
            "1 iso_pass_rate 1",
            "1 num_turns 4",
            "1 outcome pass",
            "1 regressions ",
            "1 strict_pass_rate 1",
            "1 wall_ms 300500",
            "2 core_pass 0",
            "2 cost_usd 0.25",
            "2 existing_fns_modified 1",
            "2 input_tokens 90",
            "2 iso_pass_rate 0.5",
            "2 num_turns 4",
            "2 outcome fail",
            "2 regressions 1",
            "2 strict_pass_rate 0.5",
            "2 wall_ms 300500",
        ]
    );
    let verified = repo.evolve(&["verify"]);
    assert!(verified.status.success(), "{}", out(&verified));
    let log = repo.git(&[
        "log",
        "--format=%an %ad %s",
        "--date=iso-strict",
        &format!("evolve/{}", chain(1)),
    ]);
    assert!(
        log.contains("git-evolve import 2026-03-01T12:05:00Z 2 checkpoint-2: two_sums"),
        "{log}"
    );
    let base = repo.git(&[
        "rev-list",
        "--max-parents=0",
        &format!("evolve/{}", chain(1)),
    ]);
    assert_eq!(repo.git(&["ls-tree", &base]), "");
}

#[test]
fn the_same_source_is_the_same_chain_everywhere_and_again_adds_nothing() {
    let (one, two) = (Repo::new(), Repo::new());
    let run = Run::new(&one, "run");
    let first = import(&one, &run, &[]);
    assert!(first.status.success(), "{}", err(&first));
    assert!(
        err(&first).contains("undo: git update-ref "),
        "{}",
        err(&first)
    );
    // Records that no ref leads to are what a killed import leaves.
    assert!(import(&two, &run, &[]).status.success());
    let branch = format!("refs/heads/evolve/{}", chain(1));
    let keep = format!("refs/evolve/chains/{}", chain(1));
    for name in [&branch, &keep] {
        two.git(&["update-ref", "-d", name]);
    }
    assert_eq!(states(&json_of(&two, &run, &[])), ["new"]);
    let tip = |repo: &Repo| repo.git(&["rev-parse", &branch]);
    assert_eq!(tip(&one), tip(&two));
    for kind in ["checkpoint", "envelope", "tests", "raw", "config"] {
        let tree = format!("refs/notes/evolve/{kind}^{{tree}}");
        assert_eq!(
            one.git(&["rev-parse", &tree]),
            two.git(&["rev-parse", &tree]),
            "{kind}"
        );
    }
    let before = refs(&one);
    let again = json_of(&one, &run, &[]);
    assert_eq!(states(&again), ["unchanged"]);
    assert_eq!(refs(&one), before);
    let other = json_of(&one, &run, &["--arm", "other"]);
    assert_eq!(states(&other), ["new"]);
    assert!(
        asides(&other, "remark")
            .iter()
            .any(|(_, said)| said.contains(&chain(1)))
    );
    // Another run of the same arm is its next chain.
    let next = json_of(&one, &Run::new(&one, "second"), &[]);
    assert_eq!(next["chains"][0]["chain"], json!(chain(2)));
    assert_eq!(states(&json_of(&one, &run, &[])), ["unchanged"]);
}

#[test]
fn a_run_that_went_on_grows_and_a_changed_one_is_told_and_left_alone() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    assert!(import(&repo, &run, &[]).status.success());
    run.checkpoint(
        3,
        "def add(a, b):\n    return b\n",
        &json!({"checkpoint_3-Core": {"passed": ["test_new"]}}),
        0,
    );
    run.rows(&[(1, "ran"), (2, "ran"), (3, "ran")]);
    let grown = json_of(&repo, &run, &[]);
    assert_eq!(states(&grown), ["grown"]);
    assert_eq!(grown["chains"][0]["added_checkpoints"], json!([3]));
    // Tests of earlier checkpoints were not asked for at the third: none of them is lost.
    let told = figures(&repo, &chain(1), "regressions,strict_pass");
    assert!(told.contains(&"3 regressions 0".to_owned()), "{told:?}");
    let before = refs(&repo);
    run.put("two_sums/checkpoint_2/snapshot/more.py", "x = 1\n");
    fs::remove_file(run.path("two_sums/checkpoint_1/prompt.txt")).unwrap();
    let done = import(&repo, &run, &["--format", "json"]);
    assert_eq!(done.status.code(), Some(1));
    let said = err(&done);
    assert!(said.contains("checkpoint_2/snapshot changed"), "{said}");
    assert!(said.contains("checkpoint_1/prompt.txt gone"), "{said}");
    assert_eq!(refs(&repo), before);
    let beside = json_of(&repo, &run, &["--chain", "7"]);
    assert_eq!(states(&beside), ["new"]);
}

#[test]
fn broken_and_invalid_gates_are_told_apart_and_failed_sessions_from_tests() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    let none = json!({});
    run.evaluation("two_sums/checkpoint_1", 1, &none, 126, true);
    run.evaluation("two_sums/checkpoint_2", 2, &none, 2, true);
    run.put(
        "two_sums/checkpoint_2/evaluation/report.json",
        &json!({"exitcode": 2, "summary": {"collected": 0}, "tests": [],
            "collectors": [{"nodeid": "test_two.py", "outcome": "failed", "longrepr": "ImportError"}]}).to_string(),
    );
    // A session that failed and left nothing.
    let failed = json!({"started": "2026-03-01T13:00:00", "had_error": true, "error_message": "gone", "usage": {"cost": 0.5, "steps": 1, "net_tokens": {}}});
    run.put(
        "two_sums/checkpoint_3/inference_result.json",
        &failed.to_string(),
    );
    run.rows(&[(1, "ran"), (2, "ran"), (3, "error")]);
    let done = json_of(&repo, &run, &[]);
    assert_eq!(states(&done), ["new"]);
    let told = figures(
        &repo,
        &chain(1),
        "strict_pass,strict_pass_rate,cost_usd_all",
    );
    assert_eq!(
        told,
        [
            "1 cost_usd_all 0.25",
            "1 strict_pass ",
            "1 strict_pass_rate ",
            "2 cost_usd_all 0.25",
            "2 strict_pass 0",
            "2 strict_pass_rate 0"
        ],
    );
    let records = repo.stdout(&["records", "--kind", "tests", "--format", "jsonl"]);
    assert!(
        records.contains("\"broken\"") && records.contains("\"invalid\""),
        "{records}"
    );
    let sessions = repo.stdout(&["records", "--kind", "envelope", "--format", "json"]);
    assert!(sessions.contains("\"for_checkpoint\":3"), "{sessions}");
    assert_eq!(states(&json_of(&repo, &run, &[])), ["unchanged"]);
    assert!(repo.evolve(&["verify"]).status.success());
}

#[test]
fn a_state_after_a_skill_is_the_commit_and_the_one_before_its_first_turn() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    let after = "two_sums/checkpoint_1/after_skill";
    run.put(
        &format!("{after}/snapshot/sums.py"),
        "def plus(a, b):\n    return a + b\n",
    );
    run.evaluation(
        after,
        1,
        &json!({"checkpoint_1-Core": {"failed": ["test_add"]}}),
        1,
        false,
    );
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "r",
        "total_cost_usd": 0.75, "num_turns": 2, "usage": {"input_tokens": 3, "output_tokens": 1}});
    run.put(
        &format!("{after}/agent/stdout.jsonl"),
        &format!("{result}\n"),
    );
    assert_eq!(states(&json_of(&repo, &run, &[])), ["new"]);
    let told = figures(&repo, &chain(1), "cost_usd,outcome");
    assert_eq!(told[..2], ["1 cost_usd 0.25", "1 outcome fail"]);
    let show = |at: &str| {
        let words = [
            "log",
            "--chain",
            &chain(1),
            "--metrics",
            "fns_added",
            "--at",
            at,
            "--format",
            "csv",
        ];
        repo.stdout(&words)
    };
    assert_eq!(
        show("commit").lines().count(),
        show("implement").lines().count()
    );
    let turns = repo.git(&["for-each-ref", "--format=%(refname)", "refs/evolve/agent"]);
    assert_eq!(turns.lines().count(), 2, "{turns}");
    let records = repo.stdout(&["records", "--kind", "envelope", "--format", "jsonl"]);
    assert!(records.contains("refactor"), "{records}");
}

#[test]
fn a_foreign_folder_can_do_no_harm_and_what_is_wrong_is_said() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    let outside = repo.around().join("secret.txt");
    fs::write(&outside, "SECRET").unwrap();
    let state = run.path("two_sums/checkpoint_1/snapshot");
    symlink(&outside, state.join("link")).unwrap();
    symlink(repo.around(), state.join("up")).unwrap();
    fs::create_dir_all(state.join(".git/hooks")).unwrap();
    fs::create_dir_all(state.join("inner/.git")).unwrap();
    fs::write(state.join("inner/kept.txt"), "kept").unwrap();
    fs::write(state.join(".gitignore"), "*.log\n").unwrap();
    fs::write(state.join("all.log"), "in").unwrap();
    let update = "[submodule \"x\"]\n\tpath = x\n\tupdate = !false\n";
    fs::write(state.join(".gitmodules"), update).unwrap();
    let deep = state.join("d/".repeat(202));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("x.py"), "x = 1\n").unwrap();
    fs::write(state.join("run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(state.join("run.sh"), fs::Permissions::from_mode(0o4777)).unwrap();
    let big = fs::File::create(state.join("big.bin")).unwrap();
    big.set_len(51 << 20).unwrap();
    // Files that lead elsewhere, and files of another form.
    let prompt = run.path("two_sums/checkpoint_1/prompt.txt");
    fs::remove_file(&prompt).unwrap();
    symlink(&outside, &prompt).unwrap();
    run.put(
        "two_sums/checkpoint_2/evaluation.json",
        "{\"checkpoint_name\": 1, \"tests\": [",
    );
    run.put(
        "two_sums/checkpoint_2/agent/stdout.jsonl",
        "\u{1b}[31mnot json\n",
    );
    run.put("environment.yaml", "a: &x [1]\nb: *x\n");
    symlink(repo.around(), run.path("away")).unwrap();
    run.put("../../escape/problem.yaml", "name: x\n");
    let done = json_of(&repo, &run, &[]);
    assert_eq!(states(&done), ["new"]);
    let agent = format!("evolve/{}~3", chain(1));
    let tree = repo.git(&["ls-tree", "-r", &agent]);
    let modes: Vec<String> = (tree.lines())
        .map(|l| format!("{} {}", &l[..6], l.split('\t').nth(1).unwrap()))
        .collect();
    assert_eq!(
        modes,
        [
            "100644 .gitignore",
            "100644 .gitmodules",
            "100644 all.log",
            "100644 big.bin",
            "100644 inner/kept.txt",
            "120000 link",
            "100755 run.sh",
            "100644 sums.py",
            "120000 up"
        ]
    );
    let everything = repo.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
    for line in everything.lines().filter(|l| l.contains(" blob ")) {
        let id = line.split(' ').next().unwrap();
        let blob = repo
            .command("git", repo.path())
            .args(["cat-file", "blob", id])
            .output()
            .unwrap();
        assert!(
            !String::from_utf8_lossy(&blob.stdout).contains("SECRET"),
            "{line}"
        );
    }
    let said = asides(&done, "not-as-it-was");
    for words in [
        "big.bin",
        "link",
        "inner/.git",
        ".git: left out",
        "1 file too many or too deep",
        "a command as the update of a submodule",
    ] {
        assert!(
            said.iter().any(|(_, s)| s.contains(words)),
            "{words}: {said:?}"
        );
    }
    let unread: Vec<&str> = asides(&done, "unreadable")
        .into_iter()
        .map(|(w, _)| w)
        .collect();
    assert!(
        unread.iter().any(|w| w.ends_with("evaluation.json")),
        "{unread:?}"
    );
    let terminal = import(&repo, &run, &["--dry-run"]);
    assert!(!err(&terminal).contains('\u{1b}'), "{}", err(&terminal));
    assert!(repo.evolve(&["verify"]).status.success());
}

#[test]
fn a_problem_of_any_name_is_imported_and_rows_that_differ_on_a_state_are_said() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    fs::rename(run.path("two_sums"), run.path("aux")).unwrap();
    let row = |state: &str| {
        let row = json!({"problem": "aux", "checkpoint": "checkpoint_1", "state": state});
        format!("{row}\n")
    };
    let rows: String = ["skipped", "skipped", "error", "ran", "ran"]
        .map(row)
        .concat();
    run.put("checkpoint_results.jsonl", &rows);
    let done = json_of(&repo, &run, &[]);
    assert_eq!(states(&done), ["new"]);
    assert!(
        done["chains"][0]["chain"]
            .as_str()
            .unwrap()
            .ends_with("/aux/1")
    );
    let told = asides(&done, "remark");
    let said = "rows that give a checkpoint another state than a row above: 2; the last counts";
    assert!(
        told.contains(&("checkpoint_results.jsonl", said)),
        "{told:?}"
    );
    assert_eq!(states(&json_of(&repo, &run, &[])), ["unchanged"]);
    assert!(repo.evolve(&["verify"]).status.success());
}

#[test]
fn a_dry_run_writes_nothing_and_wrong_words_are_refused_before_anything_is_written() {
    let repo = Repo::new();
    let run = Run::new(&repo, "run");
    let done = json_of(&repo, &run, &["--dry-run"]);
    assert_eq!(states(&done), ["new"]);
    assert_eq!(done["chains"][0]["added_checkpoints"], json!([1, 2]));
    for (more, said) in [
        (&["--arm", "A b"][..], "no name"),
        (&["--experiment", "x/y"], "no name"),
        (&["--task", "three_sums"], "its problems: two_sums"),
        (&["--utc-offset", "8"], "no offset like"),
    ] {
        let done = import(&repo, &run, more);
        assert_eq!(done.status.code(), Some(2), "{more:?}");
        assert!(err(&done).contains(said), "{}", err(&done));
    }
    let words = |folder: &Path| {
        let done = repo.evolve(&["import", "slopcodebench", folder.to_str().unwrap()]);
        assert_eq!(done.status.code(), Some(2), "{}", err(&done));
        err(&done)
    };
    assert!(words(repo.around()).contains("a run may be in it"));
    assert!(words(repo.path()).contains("is no run of SlopCodeBench"));
    assert!(words(&repo.around().join("nothing")).contains("reading "));
    assert_eq!(refs(&repo), "");
    assert_eq!(repo.git(&["count-objects"]), "0 objects, 0 kilobytes");
    // A branch that is checked out is somebody's.
    assert!(
        import(&repo, &run, &["--task", "two-sums"])
            .status
            .success()
    );
    repo.git(&["switch", "-q", &format!("evolve/{}", chain(1))]);
    run.checkpoint(3, "x = 1\n", &json!({}), 5);
    run.rows(&[(3, "ran")]);
    let done = import(&repo, &run, &[]);
    assert_eq!(done.status.code(), Some(1));
    assert!(err(&done).contains("checked out"), "{}", err(&done));
}
