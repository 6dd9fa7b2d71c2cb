//! What an error's message and code say of how a session ended.

use crate::record::Status;

/// Of an HTTP status.
pub(super) fn of_code(code: u64) -> Option<Status> {
    match code {
        429 => Some(Status::RateLimited),
        503 | 529 => Some(Status::Overloaded),
        _ => None,
    }
}

/// Of a message; [`Status::Error`] where it names nothing better.
pub(super) fn of_message(message: &str) -> Status {
    const LIMITED: [&str; 7] = [
        "rate limit",
        "rate_limit",
        "ratelimit",
        "usage limit",
        "too many requests",
        "quota",
        "resource_exhausted",
    ];
    const FULL: [&str; 6] = [
        "context window",
        "context length",
        "context_length",
        "maximum context",
        "prompt is too long",
        "contextwindowexceeded",
    ];
    const BUSY: [&str; 3] = ["overloaded", "service unavailable", "serviceunavailable"];
    // A message is a line or two; what is longer says it at its beginning.
    let head: String = message.chars().take(4000).collect();
    let text = head.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
    if has(&LIMITED) || names_code(&text, "429") {
        Status::RateLimited
    } else if has(&FULL) {
        Status::ContextLimit
    } else if has(&BUSY) || names_code(&text, "503") || names_code(&text, "529") {
        Status::Overloaded
    } else {
        Status::Error
    }
}

/// Whether the three digits stand in the text as a number of their own.
fn names_code(text: &str, code: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_tells_limits_from_other_errors() {
        for (message, status) in [
            (
                "exceeded retry limit, last status: 429 Too Many Requests",
                Status::RateLimited,
            ),
            ("You've hit your usage limit.", Status::RateLimited),
            (
                "unexpected status 503 Service Unavailable",
                Status::Overloaded,
            ),
            ("status 529: try again", Status::Overloaded),
            (
                "Your input exceeds the context window of this model",
                Status::ContextLimit,
            ),
            ("file a4293.txt has 1429 lines", Status::Error),
            ("", Status::Error),
        ] {
            assert_eq!(of_message(message), status, "{message}");
        }
        assert_eq!(of_code(429), Some(Status::RateLimited));
        assert_eq!(of_code(500), None);
    }
}
