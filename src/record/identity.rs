//! Who a commit of a chain is: its chain's path, its checkpoint, its role.

use std::fmt;

/// `<experiment>/<arm>[/<task>]/<n>`: the label of one chain.
///
/// Each part matches `[a-z0-9][a-z0-9-]{0,62}`; a task is not all digits; `n` is a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainPath {
    /// The experiment's name.
    pub experiment: String,
    /// The arm's name.
    pub arm: String,
    /// The task's name, where the experiment has tasks.
    pub task: Option<String>,
    /// The chain's number within its arm (and task).
    pub chain: u32,
}

impl ChainPath {
    /// Reads a path as trailers and branch names write it; `None` where a part is out of form.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let (experiment, arm, task, n) = match parts.as_slice() {
            [e, a, n] => (*e, *a, None, *n),
            [e, a, t, n] => (*e, *a, Some(*t), *n),
            _ => return None,
        };
        let named = [Some(experiment), Some(arm), task];
        if !named.into_iter().flatten().all(is_part)
            || task.is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()))
        {
            return None;
        }
        if n.is_empty() || n.len() > 9 || !n.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(ChainPath {
            experiment: experiment.to_owned(),
            arm: arm.to_owned(),
            task: task.map(str::to_owned),
            chain: n.parse().ok()?,
        })
    }
}

/// Whether `text` is one valid part of a chain path: `[a-z0-9][a-z0-9-]{0,62}`.
pub fn is_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes[0] != b'-'
        && bytes
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
}

impl fmt::Display for ChainPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.experiment, self.arm)?;
        if let Some(task) = &self.task {
            write!(f, "/{task}")?;
        }
        write!(f, "/{}", self.chain)
    }
}

/// What a commit is in the line it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The commit a chain begins with (checkpoint 0).
    Base,
    /// The agent's change for one checkpoint.
    Agent,
    /// What the experiment put back after an agent commit.
    Reset,
    /// A commit in a chain without our trailers.
    Foreign,
    /// An agent commit that a later one for the same checkpoint replaces.
    Superseded,
    /// A change of a plain history.
    Change,
}

impl Role {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Role::Base => "base",
            Role::Agent => "agent",
            Role::Reset => "reset",
            Role::Foreign => "foreign",
            Role::Superseded => "superseded",
            Role::Change => "change",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_path_reads_back_as_it_is_written() {
        for text in ["exp/spring/1", "exp/spring/fix-12/3"] {
            let path = ChainPath::parse(text).expect("well formed");
            assert_eq!(path.to_string(), text);
        }
    }

    #[test]
    fn a_chain_path_out_of_form_is_refused() {
        for text in [
            "",
            "a/b",
            "a/b/c",
            "A/b/1",
            "a/b/12/1",
            "a/-b/1",
            "a/b/c/d/1",
            "a/b/1x",
            "a//1",
            "a/b/../1",
            "a/b/99999999999",
        ] {
            assert_eq!(ChainPath::parse(text), None, "{text}");
        }
    }
}
