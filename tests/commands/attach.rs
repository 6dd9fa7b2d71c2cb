//! `git evolve attach`, and what `record` reads: captures on a commit that is made already.

use git_evolve::intake::Readers;
use git_evolve::record::{Opened, Readers as _, RunFacts};
use serde_json::Value;

use super::checkpoints::{project, records_on, refused, well, work_through};
use super::err;
use crate::support::Repo;

/// A JUnit report of two tests, the second of which has this child.
fn report(second: &str) -> String {
    format!(
        "<testsuite name=\"s\" tests=\"2\"><testcase classname=\"a.B\" name=\"one\" time=\"0.1\"/>\
         <testcase classname=\"a.B\" name=\"two\" time=\"0.2\">{second}</testcase></testsuite>"
    )
}

/// What Claude Code prints at the end of a session.
fn result(session: &str, cost: &str) -> String {
    format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":10,\
         \"duration_api_ms\":9,\"num_turns\":1,\"session_id\":\"{session}\",\"result\":\"done\",\
         \"total_cost_usd\":{cost},\"usage\":{{\"input_tokens\":1,\"output_tokens\":2,\
         \"cache_read_input_tokens\":0,\"cache_creation_input_tokens\":0}}}}\n"
    )
}

/// A session file of Claude Code.
fn transcript(session: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"{session}\",\"timestamp\":\
         \"2026-05-29T12:00:00.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"secret words\"}}}}\n\
         {{\"type\":\"assistant\",\"uuid\":\"u2\",\"sessionId\":\"{session}\",\"timestamp\":\
         \"2026-05-29T12:00:02.000Z\",\"message\":{{\"id\":\"msg_1\",\"model\":\"claude-sonnet-4-6\",\
         \"role\":\"assistant\",\"stop_reason\":\"end_turn\",\"content\":[{{\"type\":\"tool_use\",\
         \"id\":\"toolu_1\",\"name\":\"Read\",\"input\":{{\"file_path\":\"/home/ada/x.py\"}}}}],\
         \"usage\":{{\"input_tokens\":1,\"output_tokens\":2,\"cache_read_input_tokens\":0,\
         \"cache_creation_input_tokens\":0}}}}}}\n"
    )
}

/// One chain of one checkpoint, recorded and reset.
fn chain() -> Repo {
    let repo = project();
    work_through(&repo, "exp/arm/1", "1:first");
    repo
}

/// Writes a file beside the repository; gives its path.
fn beside(repo: &Repo, name: &str, content: &str) -> String {
    let file = repo.around().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}

fn branches(repo: &Repo) -> String {
    repo.git(&["for-each-ref", "refs/heads", "refs/evolve"])
}

fn one(repo: &Repo, kind: &str, commit: &str) -> Value {
    let mut all = records_on(repo, kind, commit);
    assert_eq!(all.len(), 1, "{kind}: {all:?}");
    all.remove(0)
}

#[test]
fn captures_are_added_to_the_attempt_that_made_the_commit_and_never_twice() {
    let repo = chain();
    let before = branches(&repo);
    let agent = repo.git(&["rev-parse", "HEAD^"]);
    let envelope = beside(&repo, "session.json", &result("s-1", "0.25"));
    let tests = beside(&repo, "out/TEST-a.B.xml", &report(""));
    let coverage = beside(
        &repo,
        "c.info",
        "SF:src/A.java\nDA:1,1\nDA:2,0\nend_of_record\n",
    );
    let words = [
        "attach",
        &agent,
        "--envelope",
        &envelope,
        "--tests",
        &tests,
        "--suite",
        "acceptance",
        "--command",
        "mvn -q 'verify'",
        "--exit-code",
        "0",
        "--coverage",
        &coverage,
    ];
    let said = well(&repo, &words);
    assert!(said.contains("claude-result, success, $0.25"), "{said}");
    assert!(
        said.contains("gate run (acceptance, junit-xml): valid, 2 passed"),
        "{said}"
    );
    assert!(
        said.contains("lcov, 1 of 2 lines executed in 1 file"),
        "{said}"
    );
    assert!(
        said.contains("added to checkpoint 1 of exp/arm/1 (")
            && said.contains("1 envelope, 1 test"),
        "{said}"
    );
    let attempt = one(&repo, "checkpoint", &agent)["attempt"].clone();
    let session = one(&repo, "envelope", &agent);
    assert_eq!(session["session"]["cost_usd"], 0.25);
    assert_eq!(session["outcome"], "success");
    assert_eq!(session["read_by"]["reader"], "claude-result");
    let gate = one(&repo, "tests", &agent);
    assert_eq!(gate["suite"], "acceptance");
    assert_eq!(gate["command"], serde_json::json!(["mvn", "-q", "verify"]));
    assert_eq!(gate["map"]["tests"]["a.B::two"]["outcome"], "passed");
    let lines = one(&repo, "coverage", &agent);
    assert_eq!(lines["files"]["files"]["src/A.java"]["covered"], "1");
    assert_eq!(lines["suite"], "acceptance");
    for record in [&session, &gate, &lines] {
        assert_eq!(record["attempt"], attempt);
    }
    let notes = repo.git(&["rev-parse", "refs/notes/evolve/tests"]);
    let said = well(&repo, &words);
    assert!(said.contains("3 captures are recorded already"), "{said}");
    assert_eq!(repo.git(&["rev-parse", "refs/notes/evolve/tests"]), notes);
    assert_eq!(branches(&repo), before, "no branch moves");
    assert!(repo.evolve(&["verify"]).status.success());
}

#[test]
fn a_second_run_is_kept_beside_the_first_and_unstable_tests_are_named() {
    let repo = chain();
    let first = beside(&repo, "1.xml", &report(""));
    let second = beside(&repo, "2.xml", &report("<failure message=\"no\"/>"));
    well(&repo, &["attach", "exp/arm/1@1", "--tests", &first]);
    let said = well(&repo, &["attach", "exp/arm/1@1", "--tests", &second]);
    assert!(
        said.contains("2 runs of the visible suite stand beside each other"),
        "{said}"
    );
    assert!(
        said.contains("unstable: a.B::two (passed, failed)"),
        "{said}"
    );
    assert!(!said.contains("a.B::one"), "{said}");
    assert_eq!(records_on(&repo, "tests", "HEAD^").len(), 2);
    // Another suite is another matter.
    let said = well(
        &repo,
        &[
            "attach",
            "exp/arm/1@1",
            "--tests",
            &second,
            "--suite",
            "acceptance",
        ],
    );
    assert!(!said.contains("unstable"), "{said}");
    assert_eq!(records_on(&repo, "tests", "HEAD^").len(), 3);
}

#[test]
fn a_run_behind_the_reset_is_recorded_on_the_agent_commit_with_its_tree() {
    let repo = project();
    well(&repo, &["begin", "exp/arm/1", "1"]);
    repo.write("src/A.java", "class A { int a; }\n");
    repo.write("pom.xml", "<changed/>\n");
    well(&repo, &["record"]);
    well(&repo, &["reset"]);
    let tests = beside(&repo, "t.xml", &report(""));
    well(&repo, &["attach", "HEAD", "--tests", &tests]);
    let gate = one(&repo, "tests", "HEAD^");
    assert_eq!(
        gate["ran_tree"],
        repo.git(&["rev-parse", "HEAD^{tree}"]).as_str()
    );
    assert_eq!(gate["role"], "agent");
    assert_ne!(gate["tree"], gate["ran_tree"]);
}

#[test]
fn what_has_no_commit_is_attached_to_the_one_it_started_from() {
    let repo = chain();
    let base = repo.git(&["rev-parse", "HEAD~2"]);
    // A failed attempt at checkpoint 2: its session, and then its gate.
    let failed = beside(&repo, "failed.json", &result("s-9", "0.5"));
    let words = [
        "attach",
        "HEAD",
        "--for-checkpoint",
        "2",
        "--envelope",
        &failed,
        "--wall-ms",
        "1200",
        "--waited-ms",
        "30",
    ];
    well(&repo, &words);
    let session = one(&repo, "envelope", "HEAD");
    assert_eq!(
        (&session["for_checkpoint"], &session["checkpoint"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        (&session["wall_ms"], &session["waited_ms"]),
        (&1200.into(), &30.into())
    );
    let attempt = session["attempt"]
        .as_str()
        .expect("an attempt of its own")
        .to_owned();
    let said = well(&repo, &words);
    assert!(said.contains("1 capture is recorded already"), "{said}");
    let tests = beside(&repo, "t.xml", &report(""));
    well(&repo, &[&words[..], &["--tests", &tests]].concat());
    assert_eq!(one(&repo, "tests", "HEAD")["attempt"], attempt.as_str());
    assert_eq!(records_on(&repo, "envelope", "HEAD").len(), 1);
    // By its id.
    let coverage = beside(&repo, "c.info", "SF:src/A.java\nDA:1,1\nend_of_record\n");
    let by_id = [
        "attach",
        "HEAD",
        "--for-checkpoint",
        "2",
        "--attempt",
        &attempt,
        "--coverage",
        &coverage,
    ];
    well(&repo, &by_id);
    assert_eq!(one(&repo, "coverage", "HEAD")["attempt"], attempt.as_str());
    // The baseline, a gate of the parent's code, a probe and a session without a file.
    well(&repo, &["attach", &base, "--tests", &tests]);
    let gate = one(&repo, "tests", &base);
    assert_eq!(
        (&gate["for_checkpoint"], &gate["attempt"]),
        (&0.into(), &Value::Null)
    );
    well(
        &repo,
        &["attach", &base, "--for-checkpoint", "1", "--tests", &tests],
    );
    assert_eq!(records_on(&repo, "tests", &base).len(), 2);
    let probe = beside(&repo, "probe.json", &result("s-p", "0.1"));
    well(
        &repo,
        &[
            "attach",
            &base,
            "--for-checkpoint",
            "1",
            "--envelope",
            &probe,
            "--purpose",
            "probe",
        ],
    );
    assert_eq!(one(&repo, "envelope", &base)["attempt"], Value::Null);
    let limited = [
        "attach",
        &base,
        "--for-checkpoint",
        "1",
        "--outcome",
        "rate_limited",
        "--agent-exit-code",
        "1",
    ];
    let said = well(&repo, &limited);
    assert!(said.contains("a session without files"), "{said}");
    let all = records_on(&repo, "envelope", &base);
    let bare = all
        .iter()
        .find(|e| e["outcome"] == "rate_limited")
        .expect("recorded");
    assert_eq!(
        (&bare["raw"], &bare["exit_code"]),
        (&serde_json::json!([]), &1.into())
    );
    let said = well(&repo, &limited);
    assert!(said.contains("1 capture is recorded already"), "{said}");
    assert!(repo.evolve(&["verify"]).status.success());
}

#[test]
fn what_captures_do_not_belong_to_is_refused_with_what_to_do() {
    let repo = chain();
    let tests = beside(&repo, "t.xml", &report(""));
    let envelope = beside(&repo, "e.json", &result("s", "1"));
    let base = repo.git(&["rev-parse", "HEAD~2"]);
    for (words, code, why) in [
        (
            &["attach", "main", "--tests", &tests][..],
            2,
            "is a commit of no chain",
        ),
        (&["attach", "HEAD^"], 2, "nothing to attach"),
        (
            &["attach", "nothing-here", "--tests", &tests],
            128,
            "nothing-here",
        ),
        (
            &["attach", "exp/arm/1@7", "--tests", &tests],
            2,
            "has no checkpoint 7",
        ),
        (
            &[
                "attach",
                "HEAD^",
                "--for-checkpoint",
                "2",
                "--tests",
                &tests,
            ],
            2,
            "not of 2",
        ),
        (
            &["attach", "HEAD", "--for-checkpoint", "0", "--tests", &tests],
            2,
            "did not start",
        ),
        (
            &["attach", &base, "--envelope", &envelope],
            2,
            "of which checkpoint the session is",
        ),
        (
            &["attach", "HEAD^", "--tests", "no/*.xml"],
            2,
            "matches no file",
        ),
        (&["attach", "HEAD^", "--tests", "no.xml"], 2, "no such file"),
        (&["attach", "HEAD^", "--envelope", "no.json"], 2, "no.json"),
        (
            &["attach", "HEAD^", "--model", "m", "--tests", &tests],
            2,
            "none is captured",
        ),
        (
            &["attach", "HEAD^", "--tests", &tests, "--left-out", "("],
            2,
            "no regular expression",
        ),
        (&["attach", "HEAD^", "--exit-code", "1"], 2, "--tests"),
        (
            &["attach", "HEAD^", "--tests", &tests, "--attempt", "x"],
            2,
            "UUID",
        ),
    ] {
        let said = refused(&repo, code, words);
        assert!(said.contains(why), "{words:?}: {said}");
    }
    let said = refused(&repo, 2, &["attach", "main", "--tests", &tests]);
    assert!(
        said.contains("hint: ") && said.contains("CHAIN@K"),
        "{said}"
    );
    let said = well(&repo, &["attach", "-n", "HEAD^", "--tests", &tests]);
    assert!(said.contains("would add to checkpoint 1"), "{said}");
    assert!(
        repo.git(&["for-each-ref", "refs/notes/evolve/tests"])
            .is_empty()
    );
}

#[test]
fn many_attach_at_once_in_a_bare_repository() {
    let repo = chain();
    let bare = repo.around().join("bare.git");
    let target = bare.to_str().unwrap();
    repo.git(&["clone", "-q", "--mirror", ".", target]);
    let reports: Vec<String> = (0..6)
        .map(|n| {
            beside(
                &repo,
                &format!("r{n}.xml"),
                &report(&"<skipped/>".repeat(n % 2)).replace("a.B", &format!("a.B{n}")),
            )
        })
        .collect();
    let children: Vec<_> = reports
        .iter()
        .chain([&reports[0]])
        .map(|file| {
            repo.command(env!("CARGO_BIN_EXE_git-evolve"), &bare)
                .args(["attach", "exp/arm/1@1", "--tests", file])
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{}", err(&out));
    }
    let out = repo.evolve_in(&bare, &["records", "--kind", "tests", "--format", "jsonl"]);
    let text = String::from_utf8(out.stdout).unwrap();
    let joined: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(joined["records"]["tests"].as_array().unwrap().len(), 6);
}

#[test]
fn a_home_path_in_ids_paths_and_transcripts_is_masked_and_read_back_the_same() {
    let repo = chain();
    let xml = report("<failure message=\"in /home/ada/shop/x.js\">/home/ada/shop</failure>")
        .replace("a.B", "/home/ada/shop/x.test.js");
    let tests = beside(&repo, "home/ada/t.xml", &xml);
    let console = beside(
        &repo,
        "console.txt",
        &format!("{}token=abcdefgh1 in /home/ada\n", "x\n".repeat(50_000)),
    );
    let log = beside(&repo, "log/s-1.jsonl", &transcript("s-1"));
    beside(
        &repo,
        "log/s-1/subagents/agent-a.jsonl",
        &transcript("s-1")
            .replace("u1", "u3")
            .replace("u2", "u4")
            .replace("msg_1", "msg_2"),
    );
    well(
        &repo,
        &[
            "attach",
            "exp/arm/1@1",
            "--tests",
            &tests,
            "--console",
            &console,
            "--exit-code",
            "1",
            "--transcript",
            &log,
            "--build-root",
            "/home/ada/shop",
            "--left-out",
            "/home/ada/y",
        ],
    );
    let gate = one(&repo, "tests", "HEAD^");
    let ids: Vec<&String> = gate["map"]["tests"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["~/shop/x.test.js::one", "~/shop/x.test.js::two"]);
    let raw = records_on(&repo, "raw", "HEAD^");
    let console = raw
        .iter()
        .find(|r| r["payload"] == "console")
        .expect("kept");
    let kept = console["content"].as_str().unwrap();
    assert!(
        kept.len() <= 64 << 10 && kept.ends_with("token=[masked] in ~\n"),
        "{}",
        kept.len()
    );
    // What stands in the record is what the payload gives that is kept.
    let report = raw.iter().find(|r| r["payload"] == "report").expect("kept");
    let content = report["content"].as_str().unwrap();
    let mut opened = [Opened {
        path: report["path"].as_str().unwrap().to_owned(),
        modified: None,
        bytes: Box::new(std::io::Cursor::new(content.as_bytes())),
    }];
    let again = Readers.tests(&mut opened, &RunFacts::default());
    assert_eq!(
        serde_json::to_value(again.tests).unwrap(),
        gate["map"]["tests"]
    );
    // Transcripts are reduced: what was said is nowhere.
    let session = one(&repo, "envelope", "HEAD^");
    assert_eq!(session["unkept"].as_array().unwrap().len(), 2);
    assert_eq!(session["raw"], serde_json::json!([]));
    let events = session["session"]["transcript"]["events"]
        .as_array()
        .unwrap();
    assert!(events.iter().any(|e| e["path"] == "~/x.py"), "{events:?}");
    for kind in ["envelope", "tests", "raw"] {
        for record in records_on(&repo, kind, "HEAD^") {
            let text = record.to_string();
            assert!(
                !text.contains("/home/ada") && !text.contains("secret words"),
                "{text}"
            );
        }
    }
    // Kept verbatim only where that was asked for.
    let other = beside(&repo, "log/s-2.jsonl", &transcript("s-2"));
    well(
        &repo,
        &[
            "attach",
            "exp/arm/1@1",
            "--transcript",
            &other,
            "--keep-transcript",
        ],
    );
    let raw = records_on(&repo, "raw", "HEAD^");
    let kept = raw
        .iter()
        .find(|r| r["payload"] == "transcript")
        .expect("kept");
    assert!(kept["content"].as_str().unwrap().contains("secret words"));
    assert_eq!(kept["path"], "s-2.jsonl");
}

#[test]
fn a_transcript_that_was_only_read_is_kept_once_that_is_asked_for() {
    let repo = chain();
    let log = beside(&repo, "s-1.jsonl", &transcript("s-1"));
    let on = |extra: &[&str]| {
        let words = ["attach", "exp/arm/1@1", "--transcript", &log];
        well(&repo, &[&words[..], extra].concat())
    };
    let known = || {
        let shown = repo.stdout(&["show", "HEAD^", "--format", "jsonl"]);
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("one object");
        let mut metrics = shown["metrics"].as_object().expect("metrics").clone();
        metrics.retain(|_, figure| !figure["value"].is_null());
        metrics
    };
    on(&[]);
    let once = known();
    assert!(once.contains_key("input_tokens"), "{once:?}");
    let of = |kind: &str| records_on(&repo, kind, "HEAD^");
    let read = of("envelope");
    assert!(!on(&["--keep-transcript"]).contains("recorded already"));
    let (sessions, raw) = (of("envelope"), of("raw"));
    assert_eq!((sessions.len(), raw.len()), (2, 1));
    assert!(sessions.contains(&read[0]), "the first stands as it was");
    assert!(raw[0]["content"].as_str().unwrap().contains("secret words"));
    // The same session twice is one session in every figure.
    assert_eq!(known(), once);
    for extra in [&[][..], &["--keep-transcript"]] {
        assert!(on(extra).contains("1 capture is recorded already"));
        assert_eq!((of("envelope").len(), of("raw").len()), (2, 1));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let repo = chain();
    let pipe = repo.around().join("pipe");
    let made = repo.command("mkfifo", repo.around()).arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let pipe = pipe.to_str().unwrap();
    let report = beside(&repo, "r.xml", "<testsuite name='s' tests='0'/>");
    let on = "exp/arm/1@1";
    for words in [
        &["attach", on, "--envelope", pipe][..],
        &["attach", on, "--transcript", pipe],
        &["attach", on, "--coverage", pipe],
        &["attach", on, "--tests", pipe],
        &["attach", on, "--tests", &report, "--console", pipe],
        &["inspect", pipe],
        &["inspect", &report, "--console", pipe],
    ] {
        let out = repo.evolve(words);
        assert_eq!(out.status.code(), Some(2), "{words:?}: {out:?}");
    }
    assert_eq!(repo.git(&["for-each-ref", "refs/notes/evolve/raw"]), "");
}

#[test]
fn files_of_one_session_are_one_record() {
    let repo = chain();
    let envelope = beside(&repo, "e.json", &result("s-1", "0.25"));
    let other = beside(&repo, "o.json", &result("s-2", "0.75"));
    let log = beside(&repo, "logs/p/s-1.jsonl", &transcript("s-1"));
    beside(&repo, "logs/p/s-3.jsonl", &transcript("s-3"));
    let folder = repo.around().join("logs");
    let said = well(
        &repo,
        &[
            "attach",
            "exp/arm/1@1",
            "--envelope",
            &envelope,
            &other,
            "--transcript",
            folder.to_str().unwrap(),
        ],
    );
    assert!(said.contains("1 transcript of other sessions"), "{said}");
    let all = records_on(&repo, "envelope", "HEAD^");
    assert_eq!(all.len(), 2);
    let first = all
        .iter()
        .find(|e| e["session"]["session_id"] == "s-1")
        .expect("s-1");
    assert_eq!(first["session"]["cost_usd"], 0.25);
    assert_eq!(first["unkept"][0]["name"], "s-1.jsonl");
    assert!(first["session"]["transcript"].is_object());
    let again = well(&repo, &["attach", "exp/arm/1@1", "--transcript", &log]);
    assert!(again.contains("1 capture is recorded already"), "{again}");
}

#[test]
fn a_run_without_reports_is_recorded_where_that_was_asked_for() {
    let repo = chain();
    let console = beside(&repo, "console.txt", "BUILD SUCCESS\n");
    let words = [
        "attach",
        "exp/arm/1@1",
        "--tests",
        "target/*.xml",
        "--allow-missing",
        "--exit-code",
        "0",
        "--console",
        &console,
        "--started",
        "2026-03-02T10:00:00Z",
    ];
    let said = well(&repo, &words);
    assert!(said.contains("invalid (no-reports): no verdict"), "{said}");
    assert!(said.contains("a gate run without reports"), "{said}");
    let gate = one(&repo, "tests", "HEAD^");
    assert_eq!(gate["map"]["validity"], "invalid");
    assert_eq!(gate["started"], "2026-03-02T10:00:00.000Z");
    assert_eq!(gate["raw"].as_array().unwrap().len(), 1);
    let said = well(&repo, &words);
    assert!(said.contains("1 capture is recorded already"), "{said}");
}

#[test]
fn a_file_of_no_known_format_is_kept_and_said() {
    let repo = chain();
    let odd = beside(&repo, "odd.json", "{\"made\":\"up\"}\n");
    let xml = beside(&repo, "t.xml", &report(""));
    let said = well(
        &repo,
        &[
            "attach",
            "exp/arm/1@1",
            "--envelope",
            &odd,
            "--coverage",
            &xml,
        ],
    );
    assert!(
        said.contains("odd.json: no session of a known format; kept"),
        "{said}"
    );
    assert!(said.contains("git evolve inspect"), "{said}");
    assert!(
        said.contains("t.xml: no coverage report of a known format (a test report in JUnit XML)"),
        "{said}"
    );
    let session = one(&repo, "envelope", "HEAD^");
    assert!(session.get("session").is_none() && session.get("read_by").is_none());
    let raw = records_on(&repo, "raw", "HEAD^");
    assert!(raw.iter().any(|r| r["content"] == "{\"made\":\"up\"}\n"));
    // A transcript that nothing is read out of is not kept unasked.
    let log = beside(&repo, "odd.jsonl", "{\"made\":\"up, too\"}\n");
    let said = well(&repo, &["attach", "exp/arm/1@1", "--transcript", &log]);
    assert!(
        said.contains("not recorded (--keep-transcript keeps it)"),
        "{said}"
    );
    assert_eq!(records_on(&repo, "envelope", "HEAD^").len(), 1);
}

#[test]
fn reports_keep_path_and_time_and_the_run_knows_what_passed_before() {
    let repo = project();
    let both = report("").replace("a.B", "shop.FeeTest");
    repo.write("api/src/test/java/shop/FeeTest.java", "class FeeTest {}\n");
    repo.commit("a test");
    for k in ["1", "2"] {
        well(&repo, &["begin", "exp/arm/1", k]);
        repo.write("src/A.java", format!("class A {{ int a{k}; }}\n"));
        well(&repo, &["record"]);
        repo.write("api/target/surefire-reports/TEST-shop.xml", match k {
            "1" => both.as_str(),
            _ => "<testsuite name=\"o\" tests=\"1\"><testcase classname=\"o.T\" name=\"t\"/></testsuite>",
        });
        // From a subfolder: the path is that from the top.
        let out = repo.evolve_in(
            &repo.path().join("api"),
            &["attach", "HEAD", "--tests", "target/*/*.xml"],
        );
        assert!(out.status.success(), "{}", err(&out));
        repo.remove("api/target/surefire-reports/TEST-shop.xml");
        well(&repo, &["reset"]);
    }
    let raw = records_on(&repo, "raw", "HEAD^");
    assert_eq!(raw[0]["path"], "api/target/surefire-reports/TEST-shop.xml");
    assert!(raw[0]["modified"].is_string());
    let gate = one(&repo, "tests", "HEAD^");
    assert_eq!(
        gate["map"]["reasons"],
        serde_json::json!(["classes-missing"])
    );
    let gate = one(&repo, "tests", "HEAD~3");
    let ids: Vec<&String> = gate["map"]["tests"].as_object().unwrap().keys().collect();
    assert_eq!(ids[0], "api//shop.FeeTest::one");
}
