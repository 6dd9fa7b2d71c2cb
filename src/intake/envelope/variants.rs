//! Samples changed in ways that their formats' writers are known to write, each with what changes
//! in the session: mostly nothing.

use serde_json::{Value, json};

use super::{Format, proof, reader};
use crate::intake::json::{self, Told};

type Change = fn(&mut Vec<Value>);

/// Reads the sample as changed, and holds it against the sample as it is but for `differs`.
fn check(format: Format, name: &str, what: &str, change: Change, differs: &Value) {
    let mut source = std::io::Cursor::new(proof::text(name));
    let mut objects = Vec::new();
    json::objects(&mut source, &mut |o| objects.push(o)).expect("in memory");
    let read = |objects: &[Value]| {
        let mut reader = reader(format);
        objects.iter().for_each(|object| reader.object(object));
        let session = reader.finish(&Told::default());
        let mut session = serde_json::to_value(session).expect("a session is JSON");
        let fields = session.as_object_mut().expect("an object");
        fields.remove("transcript");
        fields.remove("warnings");
        session
    };
    let mut expected = read(&objects);
    merge(&mut expected, differs);
    change(&mut objects);
    assert_eq!(read(&objects), expected, "{name}: {what}");
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) if !from.is_empty() => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Applies `change` to everything in `value`, innermost first.
fn everywhere(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Object(object) => object.values_mut().for_each(|v| everywhere(v, change)),
        Value::Array(array) => array.iter_mut().for_each(|v| everywhere(v, change)),
        _ => {}
    }
    change(value);
}

fn without(objects: &mut [Value], keys: &[&str]) {
    for object in objects {
        everywhere(object, &mut |value| {
            if let Some(object) = value.as_object_mut() {
                keys.iter().for_each(|key| {
                    object.remove(*key);
                });
            }
        });
    }
}

/// Writes each object that `is` twice, one after the other.
fn twice(objects: &mut Vec<Value>, is: fn(&Value) -> bool) {
    let all = std::mem::take(objects);
    for object in all {
        if is(&object) {
            objects.push(object.clone());
        }
        objects.push(object);
    }
}

fn is(object: &Value, kind: &str) -> bool {
    object["type"] == kind
}

fn same(format: Format, name: &str, what: &str, change: Change) {
    check(
        format,
        name,
        what,
        change,
        &json!({"format": format.word()}),
    );
}

#[test]
fn codex_writes_its_events_with_more_and_less_around_them() {
    let (exec, name) = (Format::CodexExec, "codex-exec-turns");
    same(exec, name, "items told while they run", |o| {
        twice(o, |o| is(o, "item.started"));
    });
    same(exec, name, "items told only when they end", |o| {
        o.retain(|o| !is(o, "item.started"));
    });
    same(
        exec,
        name,
        "a resumed run begins with its thread again",
        |o| {
            let thread = o[0].clone();
            let second = o
                .iter()
                .rposition(|o| is(o, "turn.started"))
                .expect("two turns");
            o.insert(second, thread);
        },
    );
    let reasoning = json!({"tokens": {"reasoning": null}});
    check(
        exec,
        name,
        "before reasoning was told",
        |o| without(o, &["reasoning_output_tokens"]),
        &reasoning,
    );

    let (legacy, name) = (Format::CodexExecLegacy, "codex-exec-legacy-cumulative");
    same(legacy, name, "counts sent again", |o| {
        twice(o, |o| o["msg"]["type"] == "token_count");
    });
    same(legacy, name, "without the last call's own count", |o| {
        without(o, &["last_token_usage"])
    });
    same(
        legacy,
        "codex-exec-legacy-percall",
        "with the reasoning's text in parts",
        |o| {
            twice(o, |o| o["msg"]["type"] == "agent_reasoning");
        },
    );
}

#[test]
fn codex_session_files_differ_by_version() {
    let (rollout, name) = (Format::CodexRollout, "codex-rollout-current");
    same(rollout, name, "counts sent again", |o| {
        twice(o, |o| o["payload"]["type"] == "token_count");
    });
    same(rollout, name, "records written again", |o| {
        twice(o, |o| is(o, "token_usage_record"))
    });
    same(rollout, name, "without counts of all so far", |o| {
        o.retain(|o| o["payload"]["type"] != "token_count");
    });
    same(rollout, name, "before records by answer", |o| {
        o.retain(|o| !is(o, "token_usage_record"));
    });
    same(rollout, name, "without ordinals", |o| {
        without(o, &["ordinal"])
    });

    let name = "codex-rollout-fork-replay";
    same(rollout, name, "the copy's counts sent again", |o| {
        twice(o, |o| o["payload"]["type"] == "token_count");
    });
    same(rollout, name, "the copy told by ordinals", |o| {
        for (n, line) in o.iter_mut().enumerate() {
            line["ordinal"] = json!(n);
        }
        o[0]["payload"]["subagent_history_start_ordinal"] = json!(7);
    });
    same(rollout, name, "a sub-agent's file", |o| {
        without(o, &["forked_from_id"]);
        o[0]["payload"]["source"] = json!({"subagent": {"thread_spawn": {"depth": 1}}});
    });
}

#[test]
fn gemini_tells_less_in_older_versions() {
    let (result, name) = (Format::GeminiResult, "gemini-result-success");
    same(result, name, "before roles", |o| without(o, &["roles"]));
    same(result, name, "before the uncached prompt was told", |o| {
        without(o, &["input"])
    });
    same(result, name, "with warnings", |o| {
        o[0]["warnings"] = json!(["a"])
    });
    let stream = Format::GeminiStream;
    let name = "gemini-stream-turn-limit";
    same(stream, name, "answers in parts", |o| {
        let part = json!({"type": "message", "role": "assistant", "delta": true, "content": "x",
            "timestamp": "2026-11-05T06:00:05.000Z"});
        o.splice(2..2, [part.clone(), part]);
    });
    same(stream, name, "warnings on the way", |o| {
        o.insert(
            3,
            json!({"type": "error", "severity": "warning", "message": "429"}),
        );
    });
    let whole = json!({"by_model": {}});
    check(
        stream,
        name,
        "before models were told apart",
        |o| without(o, &["models"]),
        &whole,
    );
}

#[test]
fn opencode_and_copilot_repeat_and_leave_out() {
    let (run, name) = (Format::OpencodeRun, "opencode-run");
    same(run, name, "before totals were told", |o| {
        without(o, &["total"])
    });
    same(run, name, "parts written again", |o| twice(o, |_| true));
    same(run, name, "reasoning shown", |o| {
        let mut part = o[7].clone();
        part["type"] = json!("reasoning");
        part["part"]["id"] = json!("prt_r");
        o.insert(7, part);
    });
    let (usage, name) = (Format::CopilotUsage, "copilot-usage");
    same(usage, name, "before the same was told by agent", |o| {
        without(o, &["agentMetrics", "providerModelMetrics"]);
    });
    same(usage, name, "told by provider, too", |o| {
        o[0]["providerModelMetrics"] = o[0]["modelMetrics"].clone();
    });
    let partial = json!({"cost_usd": null, "by_model": {"claude-haiku-4.5": {"cost_usd": null},
        "gpt-5.4": {"cost_usd": null}}});
    check(
        usage,
        name,
        "credits not all known",
        |o| {
            everywhere(&mut o[0], &mut |v| {
                if v["aiCreditsStatus"] == "complete" {
                    v["aiCreditsStatus"] = json!("partial");
                }
            });
        },
        &partial,
    );
    let (stream, name) = (Format::CopilotStream, "copilot-stream");
    same(stream, name, "without what is shown and not kept", |o| {
        o.retain(|o| !is(o, "assistant.message_delta"));
    });
    same(stream, name, "messages written again", |o| {
        twice(o, |o| is(o, "assistant.message"))
    });
    let untold = json!({"tokens": {"output": null}});
    check(
        stream,
        name,
        "before written tokens were told",
        |o| without(o, &["outputTokens"]),
        &untold,
    );
}

#[test]
fn goose_and_aider_write_in_parts() {
    let (goose, name) = (Format::GooseStream, "goose-stream");
    same(goose, name, "chunks written again", |o| {
        twice(o, |o| is(o, "message"))
    });
    same(goose, name, "notifications between", |o| {
        o.insert(
            1,
            json!({"type": "notification", "extension_id": "x", "log": {"message": "y"}}),
        );
    });
    same(goose, "goose-json", "with what is shown to nobody", |o| {
        let messages = o[0]["messages"].as_array_mut().expect("messages");
        messages.insert(
            1,
            json!({"role": "assistant", "content": [{"type": "thinking"}]}),
        );
    });
    let total = json!({"cost_usd": null, "tokens": {"input": null, "output": null,
        "cache_read": null, "cache_creation_5m": null}});
    check(
        goose,
        name,
        "before totals were split",
        |o| {
            *o.last_mut().expect("the end") = json!({"type": "complete", "total_tokens": 19830});
        },
        &total,
    );
    let (aider, name) = (Format::AiderAnalytics, "aider-analytics");
    same(aider, name, "without running totals", |o| {
        without(o, &["total_cost", "total_tokens"])
    });
    same(aider, name, "with commands between", |o| {
        o.insert(
            3,
            json!({"event": "command_run", "properties": {}, "time": 1_795_200_004}),
        );
    });
    same(aider, name, "a second launch that did nothing", |o| {
        o.insert(
            8,
            json!({"event": "exit", "properties": {"reason": "x"}, "time": 1_795_200_061}),
        );
        o.insert(
            9,
            json!({"event": "launched", "properties": {}, "time": 1_795_200_061}),
        );
    });
}

#[test]
fn benchmarks_agents_store_the_same_in_other_places() {
    let (mini, name) = (Format::MiniSweAgentTrajectory, "mini-swe-agent-trajectory");
    same(mini, name, "calls named in the actions only", |o| {
        without(o, &["tool_calls"])
    });
    same(mini, name, "calls named in the answer only", |o| {
        without(o, &["actions"])
    });
    same(mini, name, "what was read told at one place only", |o| {
        without(o, &["cache_read_input_tokens"]);
    });
    let call = json!({"tool_calls": 2});
    let paid = |o: &mut Vec<Value>| {
        let last = &mut o[0]["messages"][6];
        last["role"] = json!("user");
        last["extra"]["actions"] = json!([]);
        last["tool_calls"] = json!([]);
    };
    check(mini, name, "a paid answer in a wrong form", paid, &call);
    let (swe, name) = (Format::SweAgentTrajectory, "swe-agent-trajectory");
    same(swe, name, "the configuration as an object", |o| {
        let config = o[0]["replay_config"].as_str().expect("a text").to_owned();
        o[0]["replay_config"] = serde_json::from_str(&config).expect("JSON");
    });
    same(swe, name, "before queries were stored", |o| {
        without(o, &["query", "extra_info"])
    });
    let tries = json!({"tool_calls": null});
    check(
        swe,
        name,
        "several tries",
        |o| {
            o[0]["attempts"] = json!([{"info": o[0]["info"]}, {"info": o[0]["info"]}]);
        },
        &tries,
    );
    let (hands, name) = (Format::OpenhandsTrajectory, "openhands-trajectory");
    same(hands, name, "metrics told again by results", |o| {
        for n in [3, 5] {
            o[n]["llm_metrics"] = o[n - 1]["llm_metrics"].clone();
        }
    });
    same(hands, name, "times with their zone", |o| {
        for event in o {
            let time = event["timestamp"].as_str().expect("a time").to_owned();
            event["timestamp"] = json!(format!("{time}Z"));
        }
    });
    same(hands, name, "states told", |o| {
        o.insert(
            1,
            json!({"id": 9, "source": "environment", "observation": "agent_state_changed",
            "extras": {"agent_state": "running"}, "timestamp": "2026-03-02T10:00:00.500000"}),
        );
    });
    let (state, name) = (Format::OpenhandsState, "openhands-state");
    same(state, name, "nothing used by a third model", |o| {
        o[0]["stats"]["usage_to_metrics"]["title"] = json!({"model_name": "default",
            "accumulated_cost": 0.0, "accumulated_token_usage": {"model": "", "prompt_tokens": 0,
            "completion_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}});
    });
    let snapshot = json!({"api_calls": null, "duration_api_ms": null, "started_at": null,
        "ended_at": null});
    check(
        state,
        name,
        "a snapshot without its lists",
        |o| {
            without(o, &["token_usages", "costs", "response_latencies"]);
        },
        &snapshot,
    );
    let unnamed = json!({"session_id": null, "status": "unknown"});
    check(
        state,
        name,
        "its statistics alone",
        |o| o[0] = o[0]["stats"].clone(),
        &unnamed,
    );
}

#[test]
fn a_last_line_that_stands_twice_counts_once() {
    for (format, name) in [
        (Format::AmpStream, "amp-stream"),
        (Format::ClaudeResult, "claude-result-success"),
        (Format::ClaudeResult, "claude-result-max-turns-legacy"),
        (Format::ClaudeStream, "claude-stream-two-results"),
        (Format::ClaudeTranscript, "claude-transcript-current"),
        (Format::CodexExec, "codex-exec-turns"),
        (Format::CodexExecLegacy, "codex-exec-legacy-percall"),
        (Format::CodexExecLegacy, "codex-exec-legacy-cumulative"),
        (Format::CodexRollout, "codex-rollout-current"),
        (Format::CursorStream, "cursor-stream"),
        (Format::GeminiStream, "gemini-stream-turn-limit"),
        (Format::GooseStream, "goose-stream"),
    ] {
        same(format, name, "its last line twice", |o| {
            o.extend(o.last().cloned());
        });
    }
}

#[test]
fn a_whole_number_written_as_a_float_is_the_same() {
    for (format, name) in [
        (Format::AiderAnalytics, "aider-analytics"),
        (Format::AmpStream, "amp-stream"),
        (Format::ClaudeResult, "claude-result-multi-model"),
        (Format::ClaudeStream, "claude-stream-retry"),
        (Format::ClaudeTranscript, "claude-transcript-sidechain"),
        (Format::CodexExec, "codex-exec-turns"),
        (Format::CodexExecLegacy, "codex-exec-legacy-percall"),
        (Format::CodexRollout, "codex-rollout-current"),
        (Format::CopilotUsage, "copilot-usage"),
        (Format::CursorStream, "cursor-stream"),
        (Format::GeminiResult, "gemini-result-success"),
        (Format::GeminiStream, "gemini-stream-turn-limit"),
        (Format::GooseStream, "goose-stream"),
        (Format::MiniSweAgentTrajectory, "mini-swe-agent-trajectory"),
        (Format::OpencodeRun, "opencode-run"),
        (Format::OpenhandsTrajectory, "openhands-trajectory"),
    ] {
        same(format, name, "1 as 1.0", |objects| {
            for object in objects {
                everywhere(object, &mut |value| {
                    if let Some(number) = value.as_i64() {
                        *value = json!(number as f64);
                    }
                });
            }
        });
    }
}
