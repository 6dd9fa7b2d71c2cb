//! Several files of one session, made out of one transcript: its run's result, its stream, and
//! the transcript parted into the session's own file and its sub-agents'.

use git_evolve::record::{Session, Status};
use serde_json::{Value, json};

use super::random::Random;
use super::{differences, read, sample, told};

fn lines(name: &str) -> Vec<String> {
    let bytes = sample(name).bytes;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(str::to_owned).collect()
}

fn session(files: &[&[u8]]) -> Session {
    match read(files) {
        git_evolve::record::Reading::Read(session) => session,
        other => panic!("{other:?}"),
    }
}

fn text(lines: &[String]) -> Vec<u8> {
    let mut text = lines.join("\n");
    text.push('\n');
    text.into_bytes()
}

/// The result that a run with the current transcript's tokens would print.
fn result(change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut result = json!({"type": "result", "subtype": "success", "is_error": false,
        "session_id": "12121212-aaaa-4bbb-8ccc-121212121212", "total_cost_usd": 0.31807,
        "num_turns": 9, "duration_ms": 65400, "duration_api_ms": 25210,
        "usage": {"input_tokens": 13, "output_tokens": 2263},
        "modelUsage": {"claude-opus-4-8": {"inputTokens": 13, "outputTokens": 2263,
            "thinkingTokens": 710, "cacheReadInputTokens": 84860,
            "cacheCreationInputTokens": 22350, "cacheCreationEphemeral5mInputTokens": 1200,
            "cacheCreationEphemeral1hInputTokens": 21150, "webSearchRequests": 0,
            "costUSD": 0.31807}}});
    change(&mut result);
    result.to_string().into_bytes()
}

#[test]
fn sub_agents_in_files_of_their_own_give_what_one_file_gives() {
    let whole = sample("claude-transcript-sidechain");
    let (side, main): (Vec<String>, Vec<String>) = lines(&whole.name)
        .into_iter()
        .partition(|l| l.contains("\"isSidechain\":true"));
    for files in [[&main, &side], [&side, &main]] {
        let files = files.map(|lines| text(lines));
        let found = told(&read(&[&files[0], &files[1]]));
        let wrong = differences(&found, &whole.expected);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn copies_in_a_second_file_are_counted_once() {
    let whole = sample("claude-transcript-duplicates");
    let found = told(&read(&[&whole.bytes, &whole.bytes]));
    let mut expected = whole.expected;
    expected["skipped_lines"] = json!(2);
    let wrong = differences(&found, &expected);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_result_has_the_totals_and_its_transcript_the_rest() {
    let log = sample("claude-transcript-current");
    for turn in [false, true] {
        let result = result(|_| {});
        let files: [&[u8]; 2] = if turn {
            [&log.bytes, &result]
        } else {
            [&result, &log.bytes]
        };
        let one = session(&files);
        assert_eq!(one.format, "claude-result");
        assert_eq!(one.agent_version.as_deref(), Some("2.1.332"));
        assert_eq!((one.cost_usd, one.num_turns), (Some(0.31807), Some(9)));
        assert_eq!(one.duration_api_ms, Some(25210));
        assert_eq!((one.tool_calls, one.tool_errors), (Some(5), Some(1)));
        assert_eq!(one.api_calls, Some(5));
        assert_eq!(one.api_retries.map(|r| r.count), Some(2));
        assert_eq!(one.transcript.expect("events").events.len(), 5 + 5 + 5 + 2);
        assert!(one.warnings.contains("counts_from_transcript"));
        let disagree = |code: &&String| code.starts_with(Session::DISAGREES);
        assert_eq!(one.warnings.iter().find(disagree), None);
    }
}

#[test]
fn a_figure_on_which_two_sources_disagree_is_unknown_and_only_that() {
    let log = sample("claude-transcript-current").bytes;
    let dollars = session(&[&result(|r| r["total_cost_usd"] = json!(0.4)), &log]);
    assert_eq!(dollars.cost_usd, None);
    assert!(dollars.disagrees_on("cost_usd") && !dollars.disagrees_on("tokens.output"));
    assert_eq!(dollars.tokens.output, Some(2263));

    // Side calls are in the result alone: it may have more, never less.
    let usage = |r: &mut Value, output: u64| {
        r["modelUsage"]["claude-opus-4-8"]["outputTokens"] = json!(output);
    };
    let more = session(&[&result(|r| usage(r, 2300)), &log]);
    assert_eq!(more.tokens.output, Some(2300));
    let less = session(&[&result(|r| usage(r, 2262)), &log]);
    assert_eq!(less.tokens.output, None);
    assert_eq!(less.by_model["claude-opus-4-8"].tokens.output, None);
    assert!(less.disagrees_on("tokens.output"));
    assert_eq!(
        (less.tokens.input, less.cost_usd),
        (Some(13), Some(0.31807))
    );

    let other = session(&[&result(|r| r["session_id"] = json!("another")), &log]);
    assert!(other.disagrees_on("session_id"));
    assert_eq!(
        other.tool_calls, None,
        "nothing is taken from another session"
    );
    let amp = sample("amp-stream").bytes;
    assert!(session(&[&result(|_| {}), &amp]).disagrees_on("agent"));
}

#[test]
fn a_result_without_totals_by_model_takes_tokens_from_the_transcript() {
    let log = sample("claude-transcript-current").bytes;
    let old = result(|r| {
        r.as_object_mut().expect("an object").remove("modelUsage");
    });
    let one = session(&[&old, &log]);
    assert_eq!(one.tokens.cache_read, Some(84860));
    assert_eq!(one.by_model.len(), 1);
    assert!(!one.warnings.contains("usage_main_loop_only"));
    assert!(one.goes_on().tokens && one.goes_on().calls && !one.goes_on().turns);
    let alone = session(&[&old]);
    assert!(alone.warnings.contains("usage_main_loop_only"));
    assert!(!alone.goes_on().tokens);

    let unsplit = result(|r| {
        let model = r["modelUsage"]["claude-opus-4-8"]
            .as_object_mut()
            .expect("an object");
        model.remove("cacheCreationEphemeral5mInputTokens");
        model.remove("cacheCreationEphemeral1hInputTokens");
    });
    assert_eq!(session(&[&unsplit]).tokens.cache_creation_1h, None);
    let split = session(&[&unsplit, &log]).tokens;
    assert_eq!(
        (split.cache_creation_5m, split.cache_creation_1h),
        (Some(1200), Some(21150))
    );
}

/// The stream of the run that the current transcript is of: the same lines, without the ends.
fn stream(end: usize) -> Vec<u8> {
    let mut made = vec![
        json!({"type": "system", "subtype": "init", "claude_code_version": "2.1.332",
            "tools": [], "model": "claude-opus-4-8",
            "session_id": "12121212-aaaa-4bbb-8ccc-121212121212"})
        .to_string(),
    ];
    for line in lines("claude-transcript-current") {
        let mut value: Value = serde_json::from_str(&line).expect("a line");
        let kind = value["type"].as_str().expect("a type").to_owned();
        let synthetic = value["message"]["model"] == "<synthetic>";
        if !["user", "assistant"].contains(&kind.as_str()) || synthetic {
            continue;
        }
        let object = value.as_object_mut().expect("an object");
        object.remove("sessionId");
        object.remove("isSidechain");
        object.insert(
            "session_id".into(),
            "12121212-aaaa-4bbb-8ccc-121212121212".into(),
        );
        object.insert("parent_tool_use_id".into(), Value::Null);
        if kind == "assistant" {
            value["message"]["usage"]["output_tokens"] = json!(1);
            value["message"]["stop_reason"] = Value::Null;
        }
        made.push(value.to_string());
    }
    made.truncate(end);
    text(&made)
}

#[test]
fn a_stream_that_was_cut_off_takes_from_the_transcript_what_it_lacks() {
    let log = sample("claude-transcript-current").bytes;
    for end in [5, 9, 100] {
        let alone = session(&[&stream(end)]);
        assert_eq!(
            (alone.status, alone.tokens.output),
            (Status::Interrupted, None)
        );
        let one = session(&[&stream(end), &log]);
        assert_eq!(one.format, "claude-stream");
        assert_eq!(
            one.status,
            Status::Success,
            "the transcript ends with an answer"
        );
        assert_eq!(
            (one.tokens.output, one.cost_usd),
            (Some(2263), Some(0.31807))
        );
        assert_eq!((one.tool_calls, one.api_calls), (Some(5), Some(5)), "{end}");
        assert!(one.warnings.contains("no_result_line"));
        assert!(!one.warnings.contains("output_tokens_unknown"));
    }
}

#[test]
fn a_stream_keeps_its_own_counts_beside_the_log_of_a_longer_session() {
    let log = sample("claude-transcript-current").bytes;
    let whole = String::from_utf8(stream(100)).expect("UTF-8");
    // The run resumed the session after its first answer.
    let mut later: Vec<String> = whole.lines().map(str::to_owned).collect();
    later.retain(|l| !l.contains("msg_t12_A") && !l.contains("toolu_t12_1"));
    later.push(String::from_utf8(result(|_| {})).expect("UTF-8"));
    let one = session(&[&text(&later), &log]);
    assert_eq!(one.api_calls, Some(4));
    assert_eq!(one.tool_calls, Some(3));
    assert!(one.goes_on().cost && one.goes_on().tokens && !one.goes_on().calls);
}

#[test]
fn lines_copied_anywhere_change_no_figure_of_a_transcript() {
    for name in [
        "claude-transcript-duplicates",
        "claude-transcript-current",
        "claude-transcript-sidechain",
    ] {
        let expected = sample(name).expected;
        let before = lines(name);
        for seed in 1..=40 {
            let mut random = Random(seed);
            let mut after = before.clone();
            for _ in 0..1 + random.below(12) {
                let copy = before[random.below(before.len())].clone();
                // What a copy of a line that is none adds is one more of them.
                if serde_json::from_str::<Value>(&copy).is_ok() && !copy.contains("cost-state") {
                    // The last line says how the session ended.
                    let at = before.len().min(random.below(after.len()));
                    after.insert(at, copy);
                }
            }
            let found = told(&read(&[&text(&after)]));
            let mut expected = expected.clone();
            // Where a copy comes before its line, the status may be another's.
            expected["status"] = found["status"].clone();
            let wrong = differences(&found, &expected);
            assert!(wrong.is_empty(), "{name} {seed}: {wrong:#?}");
        }
    }
}

#[test]
fn what_is_in_no_known_format_is_said_and_left_out() {
    let unknown = sample("unknown-agent").bytes;
    let one = session(&[&unknown, &result(|_| {}), b" \n"]);
    assert_eq!(one.cost_usd, Some(0.31807));
    assert!(one.warnings.contains("file_not_recognised"));
    assert_eq!(told(&read(&[&unknown, b""]))["error"], "unrecognised");
    assert_eq!(told(&read(&[b"\n", b""]))["error"], "empty");
    assert_eq!(told(&read(&[]))["error"], "empty");
}

#[test]
fn a_codex_run_and_its_log_are_joined() {
    let log = sample("codex-rollout-current");
    let id = log.expected["session_id"].as_str().expect("an id");
    let run = format!(
        "{}\n{}\n{}\n",
        json!({"type": "thread.started", "thread_id": id}),
        json!({"type": "turn.started"}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 524_000,
            "cached_input_tokens": 221_184, "cache_write_input_tokens": 180_960,
            "output_tokens": 4170, "reasoning_output_tokens": 2500}}),
    );
    let one = session(&[&log.bytes, run.as_bytes()]);
    assert_eq!(one.format, "codex-exec");
    assert_eq!(one.models.iter().collect::<Vec<_>>(), ["gpt-5.6-terra"]);
    assert_eq!(one.duration_ms, Some(72080));
    let disagree = |code: &&String| code.starts_with(Session::DISAGREES);
    assert_eq!(one.warnings.iter().find(disagree), None);
    let other = run.replace("4170", "4171");
    let two = session(&[&log.bytes, other.as_bytes()]);
    assert!(two.disagrees_on("tokens.output") && two.tokens.output.is_none());
    assert_eq!(two.by_model["gpt-5.6-terra"].tokens.output, None);
}
