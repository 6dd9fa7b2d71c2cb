//! `git evolve completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::args::{Global, Words};
use super::session::{Done, without_repository};
use crate::error::Result;

/// Print a completion script for a shell
///
/// For example `git evolve completions bash > ~/.local/share/bash-completion/completions/git-evolve`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// What git's own completion of bash looks for when `git evolve` is typed: the words from
/// `evolve` on are completed as those of `git-evolve`.
const BASH: &str = r#"
_git_evolve() {
    local at
    for ((at = 0; at < cword; at++)); do
        [[ "${words[at]}" == evolve ]] && break
    done
    COMP_WORDS=(git-evolve "${words[@]:at + 1}")
    COMP_CWORD=$((cword - at))
    _git__evolve git-evolve "$cur" "$prev"
}
"#;

/// The script of a shell.
pub(super) fn script(shell: Shell) -> Vec<u8> {
    let mut out = Vec::new();
    let mut command = Words::command();
    clap_complete::generate(shell, &mut command, "git-evolve", &mut out);
    if shell == Shell::Bash {
        out.extend_from_slice(BASH.as_bytes());
    }
    out
}

/// Runs it.
///
/// # Errors
/// What standard output says.
pub(super) fn run(global: &Global, args: &CompletionsArgs) -> Result<Done> {
    without_repository(global).raw(&script(args.shell))?;
    Ok(Done::Well)
}
