//! What is counted, each with its name and the sentence that explains it.

macro_rules! controls {
    ($($variant:ident $id:literal $title:literal $explained:literal)*) => {
        /// One thing that controls do or find.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Control {
            $(#[doc = $explained] $variant,)*
        }

        impl Control {
            /// All of them, in the order they are shown.
            pub const ALL: &[Control] = &[$(Control::$variant,)*];

            /// The id in machine formats.
            pub fn id(self) -> &'static str {
                match self { $(Control::$variant => $id,)* }
            }

            /// What people call it.
            pub fn title(self) -> &'static str {
                match self { $(Control::$variant => $title,)* }
            }

            /// What it says, in a sentence.
            pub fn explained(self) -> &'static str {
                match self { $(Control::$variant => $explained,)* }
            }
        }
    };
}

controls! {
    PinnedRestored "pinned_restored" "pinned files put back"
        "Files that the experiment pins were changed, deleted or added by the agent; the reset commit has them as in the base again."
    TestsRestored "tests_restored" "tests put back"
        "Tests of the base were changed or deleted by the agent; the reset commit has them as in the base again."
    HiddenRemoved "hidden_removed" "hidden files removed"
        "Files that the experiment hides were in the agent's tree; the reset commit took them away."
    TamperedTests "tampered_tests" "experimenter's tests tampered with"
        "A gate found the experimenter's tests changed, deleted or added to in the agent's tree; it ran with the experiment's own where it says `put back`."
    TamperedPinned "tampered_pinned" "pinned files tampered with"
        "A gate found pinned files changed in the tree it was to score; it ran with the experiment's own where it says `put back`."
    TamperedHidden "tampered_hidden" "hidden files there again"
        "A gate found files that are hidden from the agent in its tree; it ran without them where it says `put back`."
    RunnerChanged "runner_changed" "files of the test runner changed"
        "Files that tell a test runner what to run or report (`conftest.py`, `pom.xml`, `package.json` scripts and the like) changed: a report could be forged by them; look at the change before trusting it."
    VisibleTestsGone "visible_tests_gone" "visible tests gone"
        "Tests that were in the tree before the checkpoint are no longer there: work can pass its own tests by deleting them."
    NotPutBack "not_put_back" "tampering that was not put back"
        "Of what a gate found tampered with, what stayed as the agent left it while the gate ran."
    GitConfig "git_config_changed" "git configuration changed"
        "The agent changed the configuration of the repository it worked in; none of it was used, since no git runs there after a session (by hand: it may have been)."
    GitHooks "git_hooks_changed" "git hooks changed"
        "The agent changed hooks of the repository it worked in; none of them ran after the session (by hand: they may have)."
    GitAttributes "git_attributes_changed" "git attributes changed"
        "The agent changed the attributes beside the tree of the repository it worked in; the tree was taken byte for byte all the same."
    GitExclude "git_exclude_changed" "git excludes changed"
        "The agent changed the ignore rules beside the tree of the repository it worked in; they were not followed."
    GitRefs "git_refs_changed" "git refs changed"
        "The agent made, moved or deleted branches, tags or other refs of its clone; nothing but its files was taken."
    GitObjects "git_objects_changed" "git object store changed"
        "The agent changed where its clone finds objects (alternates, replacements, grafts); nothing was read through it."
    HostileSubmodule "hostile_submodule" "submodule with a command"
        "The agent left a `.gitmodules` that names a command as the update of a submodule; it is in the tree as it was left, and nothing here runs it. Do not run `git submodule` in such a tree."
    HistoryRewritten "history_rewritten" "history rewritten"
        "The commit the checkpoint stands on is no ancestor of what the agent left: it rewrote history. The agent commit stands on the right parent all the same, so measurements hold."
    Stubs "stubs" "files taken as stubs"
        "Files over the size limit came in as stubs that name their size and digest."
    LinksOut "links_out" "links out of the tree"
        "Symbolic links that lead out of the tree were taken as links and never followed."
    Special "special_files" "special and unreadable files left out"
        "Sockets, pipes, devices and files that could not be read were left out of the tree."
    Nested "nested_repositories" "nested repositories"
        "The agent made repositories inside the tree; their files were taken as plain files, their `.git` was left out (by hand: only a commit id came in)."
    TooMany "too_many_files" "files left out for their number"
        "There were more files than a tree may have; the rest was left out, so figures of the change are of a part of it."
    LeftRunning "processes_left" "processes left running"
        "Processes were still running when the session ended, and were ended."
    OutputDropped "output_dropped" "output dropped (bytes)"
        "Bytes of what sessions printed were not kept, since they printed more than the limit."
    Timeouts "timeouts" "sessions timed out"
        "Sessions were ended by their time limit."
    OverLimit "over_limit" "sessions over a limit"
        "Sessions went over a limit of turns, cost or output."
    FailedAttempts "failed_attempts" "attempts without a result"
        "Attempts made no agent commit: they failed, ran out of a limit, or did not pass a gate that asks for repair. Each is kept at `refs/evolve/attempts/`."
    Interrupted "interrupted_attempts" "attempts interrupted"
        "Attempts were cut off by somebody who stopped or killed the run; another was begun, and they do not count against the limit of attempts."
    RateLimited "rate_limits" "attempts rate-limited"
        "Attempts were turned away by the provider's limits; the run waited and tried again."
    FailedSetups "failed_setups" "set-up commands failed"
        "Set-up commands failed or ran out of time, which is never the agent's failure."
    Resumed "resumed_sessions" "sessions resumed"
        "Sessions went on with an earlier one, although each is to be fresh: what an agent remembers of other checkpoints moves its figures."
    ReadOnlyWrote "read_only_wrote" "read-only sessions that wrote"
        "Review or probe sessions, which are to read alone, wrote to their clone; what they wrote was not taken."
    GatesAgain "gates_again" "gate runs tried again"
        "Gate runs without a verdict were tried again, as the plan allows; all of them are kept."
    ContentsChanged "contents_changed" "plan, prompts or tests changed"
        "The plan, a prompt, a specification or tests are others than when the chain began: figures before and after are of different experiments."
}
