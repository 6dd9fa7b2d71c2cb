//! The trailers that make a commit one of a chain.
//!
//! `Evolve-Chain: <path>`, `Evolve-Checkpoint: <k> <id>`, `Evolve-Role: base|agent|reset`, and
//! on the base `Evolve-Begin: <UUIDv7>`. Each once and well formed, or the commit is foreign.

use crate::record::{ChainPath, RecordId, Role, is_part};
use crate::repo::{trailer_values, trailers};

/// What a commit's trailers say it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainTrailers {
    /// The path of its chain.
    pub path: ChainPath,
    /// The checkpoint's number; 0 for the base.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan; `base` for the base.
    pub checkpoint_id: String,
    /// Base, agent or reset.
    pub role: Role,
    /// The chain's identity, lower case; on the base only.
    pub begin: Option<String>,
}

impl ChainTrailers {
    /// Reads a whole commit message; `None` where a trailer is missing, doubled or out of form,
    /// or where the message was put together from those of several commits of chains, as a
    /// squash does: only its last trailers would be seen.
    pub fn read(message: &str) -> Option<ChainTrailers> {
        if !mentions(message) || ChainTrailers::claims(message).len() > 1 {
            return None;
        }
        let all = trailers(message);
        let one = |key: &str| {
            let mut found = trailer_values(&all, key);
            found.next().filter(|_| found.next().is_none())
        };
        let path = ChainPath::parse(one("Evolve-Chain")?)?;
        let (number, id) = one("Evolve-Checkpoint")?.split_once(' ')?;
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let checkpoint = number.parse::<u32>().ok().filter(|_| digits)?;
        if !is_part(id) {
            return None;
        }
        let role = match one("Evolve-Role")? {
            "base" => Role::Base,
            "agent" => Role::Agent,
            "reset" => Role::Reset,
            _ => return None,
        };
        let begin = match role {
            Role::Base if checkpoint == 0 && id == "base" => {
                Some(RecordId::parse(one("Evolve-Begin")?)?.to_string())
            }
            Role::Agent | Role::Reset if checkpoint > 0 => None,
            _ => return None,
        };
        Some(ChainTrailers {
            path,
            checkpoint,
            checkpoint_id: id.to_owned(),
            role,
            begin,
        })
    }
}

/// What one group of trailer lines says, wherever in a message it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// The value of `Evolve-Chain` before it; empty where there is none.
    pub chain: String,
    /// The value of `Evolve-Checkpoint`.
    pub checkpoint: String,
    /// The value of `Evolve-Role` after it; empty where there is none.
    pub role: String,
}

impl ChainTrailers {
    /// The commits of chains that a message names at the beginning of lines, each once, sorted.
    /// One that we wrote names one: what an agent said stands in it indented.
    pub fn claims(message: &str) -> Vec<Claim> {
        claims(message, |line| line)
    }

    /// The same, indented lines too, as `git merge --squash` lists the commits it joins.
    pub fn claims_listed(message: &str) -> Vec<Claim> {
        claims(message, str::trim_start)
    }
}

fn claims(message: &str, cut: impl Fn(&str) -> &str) -> Vec<Claim> {
    let mut found = Vec::<Claim>::new();
    let mut chain = "";
    if !mentions(message) {
        return found;
    }
    for line in message.lines() {
        let line = cut(line);
        if let Some(path) = value(line, "Evolve-Chain") {
            chain = path;
        } else if let Some(checkpoint) = value(line, "Evolve-Checkpoint") {
            found.push(Claim {
                chain: chain.to_owned(),
                checkpoint: checkpoint.to_owned(),
                role: String::new(),
            });
        } else if let Some(role) = value(line, "Evolve-Role")
            && let Some(last) = found.last_mut().filter(|c| c.role.is_empty())
        {
            role.clone_into(&mut last.role);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What follows `key:` on a line that begins with it.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (head, rest) = line.split_once(':')?;
    head.trim_end()
        .eq_ignore_ascii_case(key)
        .then(|| rest.trim())
}

/// Whether the message may hold our trailers at all; most commits are done with here.
fn mentions(message: &str) -> bool {
    const KEY: &[u8] = b"evolve-chain";
    message
        .as_bytes()
        .windows(KEY.len())
        .any(|w| w.eq_ignore_ascii_case(KEY))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "0190f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e";

    fn message(chain: &str, checkpoint: &str, role: &str, more: &str) -> String {
        format!(
            "S\n\nEvolve-Chain: {chain}\nEvolve-Checkpoint: {checkpoint}\nEvolve-Role: {role}\n{more}"
        )
    }

    #[test]
    fn a_base_and_an_agent_commit_are_read() {
        let begin = format!("Evolve-Begin: {}\n", BEGIN.to_uppercase());
        let base = ChainTrailers::read(&message("e/a/1", "0 base", "base", &begin)).expect("base");
        assert_eq!(base.begin.as_deref(), Some(BEGIN));
        assert_eq!((base.role, base.checkpoint), (Role::Base, 0));
        let agent = ChainTrailers::read(&message("e/a/t/1", "12 add-x", "agent", "")).expect("one");
        assert_eq!(
            (agent.checkpoint, agent.checkpoint_id.as_str()),
            (12, "add-x")
        );
        assert_eq!(agent.path.to_string(), "e/a/t/1");
    }

    #[test]
    fn a_message_out_of_form_is_no_chain_commit() {
        let begin = format!("Evolve-Begin: {BEGIN}\n");
        for m in [
            message("e/a/1", "0 base", "base", ""),
            message(
                "e/a/1",
                "0 base",
                "base",
                "Evolve-Begin: 0190f0c5-7a3b-4c41-9d2e-5f6a7b8c9d0e\n",
            ),
            message("e/a/1", "1 base", "base", &begin),
            message("e/a/1", "0 x", "agent", ""),
            message("e/a/1", "+1 x", "agent", ""),
            message("e/a/1", "1", "agent", ""),
            message("e/a/1", "1 X", "agent", ""),
            message("e/a/1", "1 ../x", "agent", ""),
            message("e/a/1", "99999999999 x", "agent", ""),
            message("E/a/1", "1 x", "agent", ""),
            message("e/a/1", "1 x", "foreign", ""),
            message("e/a/1", "1 x", "agent", "Evolve-Role: reset\n"),
            message("e/a/1", "1 x", "agent", "\nprose\n"),
            "S\n\n    Evolve-Chain: e/a/1\n    Evolve-Checkpoint: 1 x\n    Evolve-Role: agent\n"
                .to_owned(),
        ] {
            assert_eq!(ChainTrailers::read(&m), None, "{m}");
        }
    }
}
