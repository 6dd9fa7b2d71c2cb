//! What Codex writes of a call: whether its output says that it failed, and the file of a patch.

use serde::Deserialize;
use serde_json::Value;

use super::amount::{text, whole};
use super::codex::mcp_failed;

/// Whether an output says that its command ended with another code than 0, or the tool failed.
pub(super) fn output_failed(output: &Value) -> bool {
    let exit = output.get("metadata").and_then(|m| m.get("exit_code"));
    output.get("success") == Some(&Value::Bool(false))
        || whole(exit).is_some_and(|code| code != 0)
        || output.as_str().is_some_and(text_failed)
        || output
            .get("content")
            .and_then(Value::as_str)
            .is_some_and(text_failed)
}

/// The same of an output that is a text: JSON in older versions, lines before `Output:` in newer.
fn text_failed(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Ended {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        exit_code: Value,
    }
    if text.starts_with('{') {
        let ended = serde_json::from_str::<Ended>(text);
        return ended.is_ok_and(|ended| {
            whole(Some(&ended.metadata.exit_code)).is_some_and(|code| code != 0)
        });
    }
    let heads = text.lines().take(12).take_while(|line| *line != "Output:");
    heads
        .filter_map(|line| {
            line.strip_prefix("Exit code: ")
                .or_else(|| line.strip_prefix("Process exited with code "))
        })
        .any(|code| code.trim().parse::<i64>().is_ok_and(|code| code != 0))
}

/// The file that a patch is about, where it is one.
pub(super) fn patched(patch: &str) -> Option<&str> {
    let mut files = patch.lines().filter_map(|line| {
        ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
            .iter()
            .find_map(|head| line.strip_prefix(head))
    });
    let first = files.next()?;
    files.all(|file| file == first).then_some(first)
}

/// Whether an event of a call's end says that it failed.
pub(super) fn end_failed(told: &Value) -> bool {
    let exit = whole(told.get("exit_code"));
    exit.is_some_and(|code| code != 0)
        || matches!(text(told, "status"), Some("failed" | "declined"))
        || told.get("success") == Some(&Value::Bool(false))
        || told.get("result").is_some_and(mcp_failed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_tells_its_exit_code_in_three_forms() {
        for (output, failed) in [
            (json!(r#"{"output":"x","metadata":{"exit_code":2}}"#), true),
            (json!(r#"{"output":"x","metadata":{"exit_code":0}}"#), false),
            (
                json!("Exit code: 1\nWall time: 2 s\nOutput:\nExit code: 0"),
                true,
            ),
            (
                json!("Process exited with code 0\nOutput:\nExit code: 1"),
                false,
            ),
            (json!("{\"output\":"), false),
            (json!({"content": "no", "success": false}), true),
            (json!({"content": "Exit code: 3\n"}), true),
            (
                json!([{"type": "input_text", "text": "Exit code: 1"}]),
                false,
            ),
            (json!(null), false),
        ] {
            assert_eq!(output_failed(&output), failed, "{output}");
        }
    }

    #[test]
    fn an_event_tells_a_failure_in_four_ways() {
        for (told, failed) in [
            (json!({"exit_code": 1, "status": "completed"}), true),
            (json!({"exit_code": 0, "status": "completed"}), false),
            (json!({"status": "declined"}), true),
            (json!({"success": false}), true),
            (json!({"result": {"Err": "timeout"}}), true),
            (json!({"result": {"Ok": {}}}), false),
        ] {
            assert_eq!(end_failed(&told), failed, "{told}");
        }
    }

    #[test]
    fn a_patch_of_one_file_names_it() {
        let one = "*** Begin Patch\n*** Update File: a.go\n@@\n*** End Patch";
        assert_eq!(patched(one), Some("a.go"));
        assert_eq!(patched(&format!("{one}\n*** Add File: b.go")), None);
        assert_eq!(patched("nothing"), None);
    }
}
