//! What agents' tools do to files, by their names and arguments.

use serde_json::Value;

use super::amount::{text, whole};
use super::events::Target;
use crate::record::Does;

/// Names, without the server before them, of tools that read the one file they are given.
const READS: [&str; 6] = [
    "read",
    "read_file",
    "read_text_file",
    "view",
    "view_file",
    "view_image",
];

/// Names of tools that write or edit the one file they are given.
const WRITES: [&str; 16] = [
    "apply_patch",
    "create",
    "create_file",
    "edit",
    "edit_file",
    "insert",
    "multi_edit",
    "multiedit",
    "patch",
    "replace",
    "replace_in_file",
    "str_replace",
    "undo_edit",
    "update",
    "write",
    "write_file",
];

/// Names of editors whose argument `command` says what they do.
const EDITORS: [&str; 5] = [
    "edit_and_view",
    "file_editor",
    "str_replace_based_edit_tool",
    "str_replace_editor",
    "text_editor",
];

/// Arguments that name the file.
const PATHS: [&str; 7] = [
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "absolutePath",
    "target_file",
    "filename",
];

/// What the tool does to the file that its arguments name; [`Does::Other`] where they name none.
pub(super) fn does(tool: &str, arguments: &Value) -> Does {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let name = name.rsplit('.').next().unwrap_or(name);
    if path(arguments).is_none() {
        return Does::Other;
    }
    let name = match text(arguments, "command") {
        Some(command) if EDITORS.contains(&name) => command,
        _ => name,
    };
    if READS.contains(&name) {
        Does::Read
    } else if WRITES.contains(&name) {
        Does::Write
    } else {
        Does::Other
    }
}

/// The file and the lines that the arguments ask for.
pub(super) fn target(arguments: &Value) -> Target<'_> {
    let number = |key| whole(arguments.get(key));
    let bound = |at| whole(arguments.get("view_range")?.get(at));
    let offset = number("offset")
        .or_else(|| number("start_line"))
        .or_else(|| bound(0));
    let last = number("end_line").or_else(|| bound(1));
    let limit = number("limit").or_else(|| {
        let lines = last?.checked_sub(offset.unwrap_or(1))?.checked_add(1)?;
        (lines > 0).then_some(lines)
    });
    Target {
        path: path(arguments),
        offset,
        limit,
    }
}

fn path(arguments: &Value) -> Option<&str> {
    PATHS.iter().find_map(|key| text(arguments, key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_known_by_its_name_and_its_file() {
        let file = json!({"path": "/a"});
        assert_eq!(does("read_file", &file), Does::Read);
        assert_eq!(does("fs__read_file", &file), Does::Read);
        assert_eq!(does("replace", &json!({"file_path": "/a"})), Does::Write);
        assert_eq!(does("bash", &json!({"command": "cat /a"})), Does::Other);
        assert_eq!(does("read", &json!({"url": "https://a"})), Does::Other);
        assert_eq!(does("read_file", &json!({"path": 7})), Does::Other);
        let view = json!({"path": "/a", "command": "view"});
        assert_eq!(does("developer__text_editor", &view), Does::Read);
        assert_eq!(does("bash", &view), Does::Other, "a shell's command");
        let other = json!({"path": "/a", "command": "lint"});
        assert_eq!(does("str_replace_editor", &other), Does::Other);
    }

    #[test]
    fn lines_asked_for_come_in_three_forms() {
        let lines = |arguments: &Value| {
            let target = target(arguments);
            (target.offset, target.limit)
        };
        assert_eq!(lines(&json!({"offset": 3, "limit": 4})), (Some(3), Some(4)));
        assert_eq!(
            lines(&json!({"start_line": 3, "end_line": 4})),
            (Some(3), Some(2))
        );
        assert_eq!(lines(&json!({"view_range": [3, 9]})), (Some(3), Some(7)));
        assert_eq!(
            lines(&json!({"view_range": [3, -1]})),
            (Some(3), None),
            "to the end"
        );
        assert_eq!(
            lines(&json!({"start_line": i64::MIN, "end_line": i64::MAX})),
            (Some(i64::MIN), None)
        );
        assert_eq!(
            lines(&json!({"offset": "3", "view_range": 5})),
            (None, None)
        );
    }
}
