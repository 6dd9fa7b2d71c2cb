//! The three moments git is asked to call at.

/// A moment at which git calls us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// After a commit was made.
    PostCommit,
    /// After an amend or a rebase.
    PostRewrite,
    /// Before a push.
    PrePush,
}

impl HookEvent {
    /// All of them, in the order they are listed.
    pub const ALL: [HookEvent; 3] = [
        HookEvent::PostCommit,
        HookEvent::PostRewrite,
        HookEvent::PrePush,
    ];

    /// Git's word for it.
    pub fn word(self) -> &'static str {
        match self {
            HookEvent::PostCommit => "post-commit",
            HookEvent::PostRewrite => "post-rewrite",
            HookEvent::PrePush => "pre-push",
        }
    }

    /// The event git calls so.
    pub fn parse(word: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|e| e.word() == word)
    }

    /// The event whose hook gets `args`: one configured command serves all three, and git does
    /// not say which it is. `post-commit` has no arguments, `post-rewrite` begins with the
    /// command that rewrote, `pre-push` has a remote's name and its URL (githooks(5)).
    pub fn from_arguments(args: &[&str]) -> Option<HookEvent> {
        match args {
            [] => Some(HookEvent::PostCommit),
            // Before the next one: a remote may be called `amend`.
            [_, _] => Some(HookEvent::PrePush),
            ["amend" | "rebase", ..] => Some(HookEvent::PostRewrite),
            _ => None,
        }
    }

    /// The line of shell that calls us at this event, for the hooks of a manager.
    pub fn line(self) -> &'static str {
        let script = match self {
            HookEvent::PostCommit => include_str!("../../../hooks/post-commit"),
            HookEvent::PostRewrite => include_str!("../../../hooks/post-rewrite"),
            HookEvent::PrePush => include_str!("../../../hooks/pre-push"),
        };
        script.lines().nth(1).unwrap_or_default()
    }

    /// Whether git hands this hook something to read.
    pub(super) fn reads(self) -> bool {
        self != HookEvent::PostCommit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_from_the_arguments_git_gives() {
        let of = HookEvent::from_arguments;
        assert_eq!(of(&[]), Some(HookEvent::PostCommit));
        assert_eq!(of(&["amend"]), Some(HookEvent::PostRewrite));
        assert_eq!(of(&["rebase"]), Some(HookEvent::PostRewrite));
        assert_eq!(of(&["origin", "url"]), Some(HookEvent::PrePush));
        assert_eq!(of(&["amend", "url"]), Some(HookEvent::PrePush));
        assert_eq!(of(&["other"]), None);
    }

    #[test]
    fn each_script_is_one_line_that_calls_its_event() {
        for event in HookEvent::ALL {
            let line = event.line();
            assert!(
                line.contains(&format!("git-evolve hook {} \"$@\"", event.word())),
                "{line}"
            );
            assert!(line.ends_with("|| :"), "{line}");
            assert_eq!(HookEvent::parse(event.word()), Some(event));
        }
        assert_eq!(HookEvent::parse("pre-commit"), None);
    }
}
