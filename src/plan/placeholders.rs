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
const AGENT: [&str; 12] = [
    "clone",
    "config",
    "home",
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

/// The names between braces in a text, with the place of each brace: a lower-case letter, then
/// such letters, digits and `_`. Other braces are themselves, and `{{name}}` is the text `{name}`.
pub fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = text[from..].find('{').map(|at| from + at) {
            from = at + 1;
            let literal = text[from..].strip_prefix('{').and_then(name);
            if let Some(word) = literal
                && text[from + 1 + word.len()..].starts_with("}}")
            {
                from += word.len() + 3;
            } else if let Some(word) = name(&text[from..]) {
                from += word.len() + 1;
                return Some((at, word));
            }
        }
        None
    })
}

/// The name that `text` begins with, where a brace closes it.
fn name(text: &str) -> Option<&str> {
    let word = &text[..text.find('}')?];
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let begins = word.starts_with(|c: char| c.is_ascii_lowercase());
    (begins && word.bytes().all(plain)).then_some(word)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_other_braces_are_not() {
        let of = |text| names(text).map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(of("a{model}b{max_turns}{a1}"), ["model", "max_turns", "a1"]);
        assert_eq!(of(r#"{"k": {}} {A} {{model}} {1} { {"#), [""; 0]);
        assert_eq!(of("{{model} \u{e4} {model}}"), ["model", "model"]);
        assert_eq!(names("\u{e4}{model}").next(), Some((2, "model")));
    }
}
