//! What Claude Code, Amp and Cursor have in common: usage as Anthropic tells it, tools, and the
//! words of errors.

use serde_json::Value;

use super::amount::{Amount, Buckets};
use super::events::Target;
use super::failure::{of_code, of_message};
use crate::record::{Does, Status};

/// Keys of one way to tell tokens.
pub(super) struct Keys {
    pub(super) input: &'static str,
    pub(super) output: &'static str,
    pub(super) cache_read: &'static str,
    pub(super) cache_creation: &'static str,
}

/// Of answers and of a result's `usage`.
pub(super) const OF_USAGE: Keys = Keys {
    input: "input_tokens",
    output: "output_tokens",
    cache_read: "cache_read_input_tokens",
    cache_creation: "cache_creation_input_tokens",
};

/// Of a result's `modelUsage`.
pub(super) const OF_MODEL: Keys = Keys {
    input: "inputTokens",
    output: "outputTokens",
    cache_read: "cacheReadInputTokens",
    cache_creation: "cacheCreationInputTokens",
};

/// Buckets, and whether cache writes are among them whose lifetime is not told.
pub(super) struct Usage {
    pub(super) buckets: Buckets,
    /// What it says was generated is no number of tokens.
    pub(super) output_wrong: bool,
    pub(super) lifetime_unstated: bool,
}

/// The usage of an answer, or of a result. One without input or output tokens leaves something
/// out; caches may go untold.
pub(super) fn usage(told: &Value) -> Usage {
    let nested = told.get("cache_creation").unwrap_or(&Value::Null);
    let nested = (
        Amount::at(nested, "ephemeral_5m_input_tokens"),
        Amount::at(nested, "ephemeral_1h_input_tokens"),
    );
    let details = told.get("output_tokens_details").unwrap_or(&Value::Null);
    split(
        told,
        &OF_USAGE,
        nested,
        Amount::at(details, "thinking_tokens"),
    )
}

/// The usage of a model in `modelUsage`.
pub(super) fn model_usage(told: &Value) -> Usage {
    let nested = (
        Amount::at(told, "cacheCreationEphemeral5mInputTokens"),
        Amount::at(told, "cacheCreationEphemeral1hInputTokens"),
    );
    split(told, &OF_MODEL, nested, Amount::at(told, "thinkingTokens"))
}

/// Cache writes are split as the nested numbers say. What the flat number has beyond them, and
/// all of it where there are none, was written for a time that is not stated.
fn split(
    told: &Value,
    keys: &Keys,
    nested: (Amount<u64>, Amount<u64>),
    reasoning: Amount<u64>,
) -> Usage {
    let flat: Amount<u64> = Amount::at(told, keys.cache_creation);
    let (short, long) = nested;
    let both = short.plus(long);
    let (short, unstated) = match (flat, both) {
        (Amount::Unusable, _) | (_, Amount::Unusable) => (Amount::Unusable, false),
        (_, Amount::Absent) => (flat, flat.known().is_some_and(|f| f > 0)),
        (Amount::Known(flat), Amount::Known(both)) if flat > both => {
            (short.plus(Amount::Known(flat - both)), true)
        }
        _ => (short, false),
    };
    let output: Amount<u64> = Amount::at(told, keys.output);
    let long = match short {
        Amount::Unusable => Amount::Unusable,
        _ => long,
    };
    Usage {
        buckets: Buckets {
            input: Amount::at(told, keys.input).needed(),
            output: output.needed(),
            cache_read: Amount::at(told, keys.cache_read),
            cache_creation_5m: short,
            cache_creation_1h: long,
            reasoning,
        },
        output_wrong: output == Amount::Unusable,
        lifetime_unstated: unstated,
    }
}

/// What a tool of Claude Code or Amp does, and to which file.
pub(super) fn tool<'v>(name: &str, input: &'v Value) -> (Does, Target<'v>) {
    let path = |keys: &[&str]| keys.iter().find_map(|k| input.get(*k)?.as_str());
    let file = || path(&["file_path", "path", "notebook_path"]);
    match name {
        "Read" | "NotebookRead" | "read_file" => {
            let range = input.get("read_range").and_then(Value::as_array);
            let range = range.and_then(|r| Some((number(r.first())?, number(r.get(1))?)));
            let target = Target {
                path: file(),
                offset: number(input.get("offset")).or(range.map(|(from, _)| from)),
                limit: number(input.get("limit"))
                    .or(range.and_then(|(from, to)| to.checked_sub(from)?.checked_add(1))),
            };
            (Does::Read, target)
        }
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "edit_file" | "create_file"
        | "undo_edit" => {
            let target = Target {
                path: file(),
                ..Target::default()
            };
            (Does::Write, target)
        }
        _ => (Does::Other, Target::default()),
    }
}

/// A number as models write it, texts too.
fn number(value: Option<&Value>) -> Option<i64> {
    let value = value?;
    value
        .as_i64()
        .or_else(|| value.as_str()?.trim().parse().ok())
        .or_else(|| {
            let float = value.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
        })
}

/// What kind of error this is, from the provider's HTTP status, its type and its text.
pub(super) fn failure(status: Option<u64>, kind: Option<&str>, text: &str) -> Status {
    if let Some(status) = status.and_then(of_code) {
        return status;
    }
    match kind {
        Some("rate_limit_error" | "rate_limit") => return Status::RateLimited,
        Some("overloaded_error" | "overloaded") => return Status::Overloaded,
        _ => {}
    }
    let end = text.floor_char_boundary(2000);
    let lower = text[..end].to_lowercase();
    // The limits of an account, in the words of different years.
    let hit = lower.contains("hit your") && lower.contains("limit");
    match hit || lower.contains("limit reached") {
        true => Status::RateLimited,
        false => of_message(text),
    }
}

/// A provider's HTTP status, as a number or as text.
pub(super) fn http_status(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn writes(told: Value) -> (Amount<u64>, Amount<u64>, bool) {
        let usage = usage(&told);
        let buckets = usage.buckets;
        (
            buckets.cache_creation_5m,
            buckets.cache_creation_1h,
            usage.lifetime_unstated,
        )
    }

    #[test]
    fn cache_writes_are_split_by_their_lifetime() {
        use Amount::{Absent, Known, Unusable};
        let nested = |five: u64, hour: u64| {
            json!({"ephemeral_5m_input_tokens": five,
            "ephemeral_1h_input_tokens": hour})
        };
        let flat = "cache_creation_input_tokens";
        assert_eq!(
            writes(json!({flat: 10, "cache_creation": nested(3, 7)})),
            (Known(3), Known(7), false)
        );
        assert_eq!(
            writes(json!({flat: 12, "cache_creation": nested(3, 7)})),
            (Known(5), Known(7), true)
        );
        assert_eq!(
            writes(json!({flat: 0, "cache_creation": nested(3, 7)})),
            (Known(3), Known(7), false)
        );
        assert_eq!(writes(json!({flat: 9})), (Known(9), Absent, true));
        assert_eq!(writes(json!({flat: 0})), (Known(0), Absent, false));
        assert_eq!(writes(json!({flat: null})), (Absent, Absent, false));
        assert_eq!(writes(json!({flat: "9"})), (Unusable, Unusable, false));
        assert_eq!(
            writes(json!({flat: 9, "cache_creation": {"ephemeral_1h_input_tokens": -1}})),
            (Unusable, Unusable, false)
        );
    }

    #[test]
    fn a_usage_without_input_or_output_is_unusable_there() {
        let buckets = usage(&json!({"output_tokens": null})).buckets;
        assert_eq!(buckets.input, Amount::Unusable);
        assert_eq!(buckets.output, Amount::Unusable);
        assert_eq!(buckets.cache_read, Amount::Absent);
    }

    #[test]
    fn limits_are_told_from_other_errors() {
        let of = |text| failure(None, None, text);
        for text in [
            "Claude AI usage limit reached|1755806400",
            "5-hour limit reached ∙ resets 1am",
            "You've hit your session limit · resets 8:20pm (Europe/Istanbul)",
            "API Error: Request rejected (429)",
        ] {
            assert_eq!(of(text), Status::RateLimited, "{text}");
        }
        assert_eq!(of("API Error: 529 {\"type\":\"x\"}"), Status::Overloaded);
        assert_eq!(of("Prompt is too long"), Status::ContextLimit);
        assert_eq!(of("API Error: Connection closed"), Status::Error);
        assert_eq!(failure(Some(503), None, ""), Status::Overloaded);
        assert_eq!(http_status(Some(&json!("429"))), Some(429));
    }

    #[test]
    fn ranges_are_read_in_every_form() {
        let told = json!({"path": "a", "read_range": [10, 19]});
        let (does, target) = tool("Read", &told);
        assert_eq!(does, Does::Read);
        assert_eq!((target.offset, target.limit), (Some(10), Some(10)));
        let told = json!({"file_path": "a", "offset": "5", "limit": 2.0});
        let (_, target) = tool("Read", &told);
        assert_eq!((target.offset, target.limit), (Some(5), Some(2)));
        assert_eq!(tool("Bash", &told), (Does::Other, Target::default()));
        let told = json!({"read_range": [i64::MIN, i64::MAX]});
        assert_eq!(tool("Read", &told).1.limit, None);
    }
}
