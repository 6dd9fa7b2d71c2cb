//! The messages of a chain's commits: a subject, what there is to say, the trailers.

use std::fmt::Write;

use crate::record::{ChainPath, Role};

/// Where in which chain a commit stands.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The chain.
    pub path: &'a ChainPath,
    /// The checkpoint's number, from 1.
    pub checkpoint: u32,
    /// The checkpoint's id in the plan.
    pub id: &'a str,
}

/// The message of a chain's base commit; `begin` is the UUIDv7 that makes this chain another
/// than every other of the same path.
pub fn base_message(path: &ChainPath, begin: &str) -> String {
    base(
        path,
        begin,
        &format!(
            "The files of arm {} come in, what the agent must not see goes out.",
            path.arm
        ),
    )
}

/// The message of a base commit that has the files of the commit it stands on.
pub fn plain_base_message(path: &ChainPath, begin: &str) -> String {
    base(path, begin, "The files are those of the commit before.")
}

/// The message of the base commit of a chain that was imported; `what` says from where, and what
/// it begins with.
pub(super) fn imported_base_message(path: &ChainPath, begin: &str, what: &str) -> String {
    base(path, begin, &one_line(what))
}

fn base(path: &ChainPath, begin: &str, what: &str) -> String {
    let mut text = format!("Begin {path}\n\n{what}\n\n");
    let base = Place {
        path,
        checkpoint: 0,
        id: "base",
    };
    trailers(&mut text, base, Role::Base);
    line(&mut text, "Evolve-Begin", begin);
    text
}

/// The message of an agent commit: what was asked for, and the agent's own messages, each
/// line indented, so that no line of theirs can be read as a trailer.
pub fn agent_message(place: Place<'_>, request: &str, own: &[&str]) -> String {
    let mut text = format!("{} {}: {}\n", place.checkpoint, place.id, one_line(request));
    for message in own {
        text.push('\n');
        for said in message.trim_end().lines() {
            if said.trim().is_empty() {
                text.push('\n');
            } else {
                let _ = writeln!(text, "    {}", said.trim_end());
            }
        }
    }
    text.push('\n');
    trailers(&mut text, place, Role::Agent);
    text
}

/// The message of a reset commit, with the paths it put back.
pub fn reset_message(place: Place<'_>, put_back: &[&str]) -> String {
    let mut text = format!("{} {}: reset\n\n", place.checkpoint, place.id);
    if put_back.is_empty() {
        text.push_str("Nothing the experiment owns was touched.\n");
    } else {
        text.push_str("Put back what the experiment owns:\n\n");
        for path in put_back {
            let _ = writeln!(text, "    {}", one_line(path));
        }
    }
    text.push('\n');
    trailers(&mut text, place, Role::Reset);
    text
}

fn trailers(text: &mut String, place: Place<'_>, role: Role) {
    line(text, "Evolve-Chain", place.path);
    line(
        text,
        "Evolve-Checkpoint",
        format_args!("{} {}", place.checkpoint, place.id),
    );
    line(text, "Evolve-Role", role.word());
}

fn line(text: &mut String, key: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{key}: {value}");
}

/// Line ends and other control characters become blanks: a subject stays one line.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> ChainPath {
        ChainPath::parse("demo/layered/1").expect("well formed")
    }

    #[test]
    fn an_agents_own_trailers_stay_indented() {
        let path = path();
        let place = Place {
            path: &path,
            checkpoint: 3,
            id: "member",
        };
        let text = agent_message(place, "Members\npay less", &["Done\n\nEvolve-Role: base\n"]);
        assert_eq!(
            text,
            "3 member: Members pay less\n\n    Done\n\n    Evolve-Role: base\n\n\
             Evolve-Chain: demo/layered/1\nEvolve-Checkpoint: 3 member\nEvolve-Role: agent\n"
        );
    }

    #[test]
    fn a_base_names_its_beginning_last() {
        let text = base_message(&path(), "019bb695-5a80-79e7-ad5e-829066c549f8");
        assert!(text.ends_with(
            "\n\nEvolve-Chain: demo/layered/1\nEvolve-Checkpoint: 0 base\n\
             Evolve-Role: base\nEvolve-Begin: 019bb695-5a80-79e7-ad5e-829066c549f8\n"
        ));
    }
}
