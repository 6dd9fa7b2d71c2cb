//! `{names}` in commands and environments of a plan, which a run fills in.

use super::problems::Reading;
use super::source::{nearest, suggestion};

/// Where a placeholder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// The agent's command, environment, envelope and logs.
    Agent,
    /// Commands and environments of gates.
    Gate,
    /// Set-up commands.
    Setup,
}

/// Placeholders everywhere. Each is also a variable of the environment, in upper case with
/// `EVOLVE_` before it.
const EVERYWHERE: [&str; 6] = [
    "cache",
    "checkpoint",
    "checkpoint_id",
    "checkpoints",
    "port",
    "tmp",
];

/// Those of sessions.
const AGENT: [&str; 10] = [
    "config",
    "max_cost_usd",
    "max_turns",
    "model",
    "permission_mode",
    "prompt",
    "prompt_file",
    "purpose",
    "session",
    "tools",
];

/// Those of gates.
const GATE: [&str; 1] = ["suite"];

impl Where {
    /// All placeholders there, in order.
    pub fn known(self) -> Vec<&'static str> {
        let own: &[&str] = match self {
            Where::Agent => &AGENT,
            Where::Gate => &GATE,
            Where::Setup => &[],
        };
        let mut all = [&EVERYWHERE[..], own].concat();
        all.sort_unstable();
        all
    }
}

/// The names between braces in a text: lower-case letters and `_`. Other braces are themselves.
pub fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let name = &rest[..rest.find('}')?];
        let plain = |b: u8| b.is_ascii_lowercase() || b == b'_';
        (!name.is_empty() && name.bytes().all(plain)).then_some((at, name))
    })
}

/// A text in which placeholders are filled in.
pub(super) fn check(r: &mut Reading<'_>, at: usize, text: &str, place: Where) {
    let known = place.known();
    for (_, name) in names(text) {
        if !known.contains(&name) {
            let hint = suggestion(name, &known, "placeholders here");
            r.wrong_so(at, format!("unknown placeholder {{{name}}}"), hint);
        }
    }
}

/// A line for `sh`, in which they are not: it has variables.
pub(super) fn check_line(r: &mut Reading<'_>, at: usize, line: &str, place: Where) {
    let known = place.known();
    for (start, name) in names(line) {
        if line[..start].ends_with('$') {
            continue;
        }
        let meant = match known.contains(&name) {
            true => Some(name),
            false => nearest(name, &known).filter(|k| {
                // Braces are common in lines: a letter off is a slip, more is another word.
                k.len() > 3 && strsim::damerau_levenshtein(k, name) == 1
            }),
        };
        if let Some(meant) = meant {
            r.wrong_so(
                at,
                format!("{{{name}}} is not filled in in a line for sh"),
                format!(
                    "write \"$EVOLVE_{}\" there, or a list of words",
                    meant.to_uppercase()
                ),
            );
        }
    }
}
