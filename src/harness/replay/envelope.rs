//! What a replay says of its session: a result line in the form of Claude Code's, with figures
//! drawn from a seed. The model is called `replay`, so that no table has a price for it.

use serde_json::{Value, json};

use crate::record::mask::sha256;

/// The model's name in every envelope.
pub(super) const MODEL: &str = "replay";

/// Numbers that follow from a seed.
pub(super) struct Draw {
    seed: String,
    drawn: u32,
}

impl Draw {
    pub(super) fn new(seed: &str) -> Draw {
        Draw {
            seed: seed.to_owned(),
            drawn: 0,
        }
    }

    /// A whole number of `from..to`.
    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        let digest = self.digest();
        let number = u64::from_str_radix(&digest[..15], 16).unwrap_or(0);
        from + number % (to - from).max(1)
    }

    /// The id of a session, in the form of a UUID of version 4.
    pub(super) fn session_id(&mut self) -> String {
        let d = self.digest();
        format!(
            "{}-{}-4{}-8{}-{}",
            &d[..8],
            &d[8..12],
            &d[12..15],
            &d[15..18],
            &d[18..30]
        )
    }

    fn digest(&mut self) -> String {
        self.drawn += 1;
        sha256(format!("{} {}", self.drawn, self.seed).as_bytes())
    }
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Well,
    Failed,
    RateLimited(Option<u64>),
    NoCredentials,
    OverTurns,
}

/// What a session did, as far as its figures go.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    /// Bytes of the prompt.
    pub(super) prompt: u64,
    /// Files changed.
    pub(super) files: u64,
    /// Bytes of the answer.
    pub(super) answer: u64,
    /// Nothing was asked for: it answers at once.
    pub(super) is_short: bool,
}

/// The result line, without a line feed.
pub(super) fn line(draw: &mut Draw, end: &End, answer: &str, work: &Work) -> String {
    let session = draw.session_id();
    let used = match end {
        End::RateLimited(_) | End::NoCredentials => Used::default(),
        _ => Used::by(draw, work),
    };
    let (text, subtype, reason) = match end {
        End::Well => (answer.to_owned(), "success", "completed"),
        End::Failed => (answer.to_owned(), "error_during_execution", "api_error"),
        End::OverTurns => (answer.to_owned(), "error_max_turns", "max_turns"),
        End::RateLimited(after) => {
            let after = after.map_or(String::new(), |s| format!(" Try again in {s} seconds."));
            let text = format!(
                "API Error: Request rejected (429) · This request would exceed the rate limit.{after}"
            );
            (text, "success", "api_error")
        }
        End::NoCredentials => (
            "API Error: 401 authentication_error · Please run /login".to_owned(),
            "success",
            "api_error",
        ),
    };
    let status = match end {
        End::RateLimited(_) => json!(429),
        End::NoCredentials => json!(401),
        _ => Value::Null,
    };
    let mut told = json!({
        "type": "result",
        "subtype": subtype,
        "is_error": *end != End::Well,
        "api_error_status": status,
        "duration_ms": used.duration,
        "duration_api_ms": used.duration * 3 / 4,
        "num_turns": used.turns,
        "result": text,
        "session_id": session,
        "total_cost_usd": used.cost(),
        "terminal_reason": reason,
        "usage": {
            "input_tokens": used.input,
            "cache_creation_input_tokens": used.written,
            "cache_read_input_tokens": used.read,
            "output_tokens": used.output,
            "server_tool_use": { "web_search_requests": 0 },
            "service_tier": "standard",
            "cache_creation": {
                "ephemeral_1h_input_tokens": 0,
                "ephemeral_5m_input_tokens": used.written,
            },
        },
        "modelUsage": {},
        "permission_denials": [],
    });
    match end {
        End::RateLimited(_) => told["api_error_type"] = json!("rate_limit_error"),
        End::NoCredentials => told["api_error_type"] = json!("authentication_error"),
        _ => {
            told["modelUsage"][MODEL] = json!({
                "inputTokens": used.input,
                "outputTokens": used.output,
                "cacheReadInputTokens": used.read,
                "cacheCreationInputTokens": used.written,
                "cacheCreationEphemeral5mInputTokens": used.written,
                "cacheCreationEphemeral1hInputTokens": 0,
                "webSearchRequests": 0,
                "costUSD": used.cost(),
                "contextWindow": 200_000,
            });
        }
    }
    told.to_string()
}

/// Tokens, turns, milliseconds.
#[derive(Debug, Default)]
struct Used {
    turns: u64,
    duration: u64,
    input: u64,
    written: u64,
    read: u64,
    output: u64,
}

impl Used {
    fn by(draw: &mut Draw, work: &Work) -> Used {
        // What every session reads before it is asked for anything.
        let fixed = 17_000 + draw.between(0, 400);
        let prompt = work.prompt / 4;
        if work.is_short {
            return Used {
                turns: 1,
                duration: draw.between(2_000, 6_000),
                input: 3,
                written: fixed + prompt,
                read: 0,
                output: 12 + work.answer / 4,
            };
        }
        let turns = 4 + 2 * work.files + draw.between(0, 6);
        Used {
            turns,
            duration: turns * draw.between(6_000, 14_000),
            input: 3 * turns,
            written: fixed + prompt + turns * draw.between(400, 900),
            read: (turns - 1) * (fixed + prompt + draw.between(1_000, 6_000)),
            output: turns * draw.between(90, 260) + work.answer / 4,
        }
    }

    /// US dollars, at rates made up for this: 3, 3.75, 0.30 and 15 a million.
    fn cost(&self) -> f64 {
        let millionths =
            self.input * 300 + self.written * 375 + self.read * 30 + self.output * 1_500;
        #[expect(
            clippy::cast_precision_loss,
            reason = "hundredths of millionths of dollars, far below 2^52"
        )]
        let dollars = millionths as f64 / 1e8;
        (dollars * 1e6).round() / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(seed: &str, end: &End, work: &Work) -> Value {
        let line = line(&mut Draw::new(seed), end, "done", work);
        serde_json::from_str(&line).expect("JSON")
    }

    #[test]
    fn a_seed_gives_one_envelope_and_another_seed_another() {
        let work = Work {
            prompt: 400,
            files: 3,
            ..Work::default()
        };
        assert_eq!(told("a", &End::Well, &work), told("a", &End::Well, &work));
        let (a, b) = (told("a", &End::Well, &work), told("b", &End::Well, &work));
        assert_ne!(a["session_id"], b["session_id"]);
        assert_ne!(a["total_cost_usd"], b["total_cost_usd"]);
        assert_eq!(a["modelUsage"][MODEL]["costUSD"], a["total_cost_usd"]);
        assert_eq!(
            a["modelUsage"][MODEL]["outputTokens"],
            a["usage"]["output_tokens"]
        );
        assert_eq!(a["session_id"].as_str().map(str::len), Some(36));
    }

    #[test]
    fn a_session_that_was_turned_away_used_nothing() {
        let limited = told("a", &End::RateLimited(Some(7)), &Work::default());
        assert_eq!(limited["total_cost_usd"], 0.0);
        assert_eq!(limited["api_error_status"], 429);
        assert!(
            limited["result"]
                .as_str()
                .is_some_and(|r| r.contains("7 seconds"))
        );
    }
}
