//! The text of what git runs: the dispatcher of one event, and the one command in git's
//! configuration. Both are known again by their bytes, so that nothing else is ever removed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::HookEvent;

/// The end of the name under which the user's own hook waits beside the dispatcher.
pub(super) const KEPT: &str = ".evolve-user";

/// The variable that makes our hooks say that they run, and do nothing else: it names an
/// existing file they add a line to.
pub const PROBE: &str = "GIT_EVOLVE_PROBE";

/// A dispatcher: runs the user's own hook with the same arguments, input and folder, then us,
/// and ends with the status of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    /// Our program, as found when it was installed.
    pub binary: PathBuf,
    /// The folder of hooks did not exist before.
    pub made_folder: bool,
}

const MARK: &str = "# git-evolve dispatcher 1 for ";
const MADE: &str = "# the folder was made for it\n";

impl Script {
    /// The dispatcher's bytes.
    pub(super) fn bytes(&self, event: HookEvent) -> Vec<u8> {
        let mut text = head(event, self.made_folder).into_bytes();
        text.extend(quoted(&self.binary));
        text.extend(tail(event).into_bytes());
        text
    }

    /// The dispatcher that `bytes` are, byte for byte.
    pub(super) fn read(event: HookEvent, bytes: &[u8]) -> Option<Script> {
        [false, true].into_iter().find_map(|made_folder| {
            let quoted = bytes
                .strip_prefix(head(event, made_folder).as_bytes())?
                .strip_suffix(tail(event).as_bytes())?;
            let script = Script {
                binary: unquoted(quoted)?,
                made_folder,
            };
            (script.bytes(event) == bytes).then_some(script)
        })
    }

    /// Whether `bytes` were a dispatcher once, and somebody changed them.
    pub(super) fn was(bytes: &[u8]) -> bool {
        bytes
            .windows(MARK.len())
            .take(4096)
            .any(|w| w == MARK.as_bytes())
    }
}

fn head(event: HookEvent, made_folder: bool) -> String {
    let event = event.word();
    let made = if made_folder { MADE } else { "" };
    format!(
        "#!/bin/sh\n{MARK}{event}; `git evolve hooks uninstall` takes it away.\n{made}\
         # A hook that was here before is {event}{KEPT} beside this file, and runs first.\n\
         git_evolve="
    )
}

fn tail(event: HookEvent) -> String {
    let word = event.word();
    // What git hands over can be read once only, so it is read here, to the last line feed.
    let (read, feed) = match event.reads() {
        true => (
            "git_evolve_in=$(cat; echo .)\ngit_evolve_in=${git_evolve_in%.}\n",
            "printf %s \"$git_evolve_in\" 2>/dev/null | ",
        ),
        false => ("", ""),
    };
    // A push that the user's own hook refuses publishes nothing.
    let refused = match event {
        HookEvent::PrePush => "[ \"$git_evolve_status\" = 0 ] || exit \"$git_evolve_status\"\n",
        _ => "",
    };
    format!(
        "\n\
         case $0 in */*) git_evolve_own=${{0%/*}} ;; *) git_evolve_own=. ;; esac\n\
         git_evolve_own=$git_evolve_own/{word}{KEPT}\n\
         git_evolve_status=0\n\
         {read}\
         if [ -z \"${{{PROBE}-}}\" ] && [ -f \"$git_evolve_own\" ] && [ -x \"$git_evolve_own\" ]; then\n\
         \x20   {feed}\"$git_evolve_own\" \"$@\" || git_evolve_status=$?\n\
         fi\n\
         {refused}\
         if [ -x \"$git_evolve\" ] || git_evolve=$(command -v git-evolve); then\n\
         \x20   {feed}\"$git_evolve\" hook {word} \"$@\" || :\n\
         else\n\
         \x20   {MISSED}\n\
         fi\n\
         exit \"$git_evolve_status\"\n"
    )
}

/// Leaves a mark where a run may have lost something, and says nothing.
const MISSED: &str = "git_evolve=$(git rev-parse --git-common-dir 2>/dev/null)/evolve && \
     [ -d \"$git_evolve\" ] && date >\"$git_evolve/missed\" 2>/dev/null || :";

/// The command for git's configuration; git runs it with the shell and adds `"$@"`.
pub(super) fn command(binary: &Path) -> OsString {
    let mut text = COMMAND_HEAD.as_bytes().to_vec();
    text.extend(quoted(binary));
    text.extend(command_tail().into_bytes());
    from_bytes(text)
}

const COMMAND_HEAD: &str = "git_evolve_hook() { git_evolve=";

fn command_tail() -> String {
    format!(
        "; if [ -x \"$git_evolve\" ] || git_evolve=$(command -v git-evolve); \
         then \"$git_evolve\" hook configured \"$@\" || :; else {MISSED}; fi; }}; git_evolve_hook"
    )
}

/// The program that a configured command calls first, if the command is ours.
pub(super) fn command_binary(value: &[u8]) -> Option<PathBuf> {
    let quoted = value
        .strip_prefix(COMMAND_HEAD.as_bytes())?
        .strip_suffix(command_tail().as_bytes())?;
    unquoted(quoted)
}

/// `path` as one word of the shell.
fn quoted(path: &Path) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            other => word.push(*other),
        }
    }
    word.push(b'\'');
    word
}

/// The path that [`quoted`] made `word` of; `None` for any other word.
fn unquoted(word: &[u8]) -> Option<PathBuf> {
    let mut inner = word.strip_prefix(b"'")?.strip_suffix(b"'")?;
    let mut path = Vec::with_capacity(inner.len());
    while let Some((byte, rest)) = inner.split_first() {
        inner = match byte {
            b'\'' => rest.strip_prefix(b"\\''")?,
            _ => rest,
        };
        path.push(*byte);
    }
    Some(PathBuf::from(from_bytes(path)))
}

/// Bytes that came from a path or from git as a word of this system.
pub(super) fn from_bytes(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dispatcher_is_known_by_its_bytes_alone() {
        for binary in [
            "/usr/bin/git-evolve",
            "/it's/a \"path\"/$(x)",
            "/'",
            "/a\nb",
            "",
        ] {
            for made_folder in [false, true] {
                for event in HookEvent::ALL {
                    let script = Script {
                        binary: binary.into(),
                        made_folder,
                    };
                    let bytes = script.bytes(event);
                    assert_eq!(Script::read(event, &bytes), Some(script.clone()));
                    let mut changed = bytes.clone();
                    changed.extend(b"echo more\n");
                    assert_eq!(Script::read(event, &changed), None);
                    assert!(Script::was(&changed));
                    assert!(!bytes.contains(&b'\r'));
                    for other in HookEvent::ALL.into_iter().filter(|o| *o != event) {
                        assert_eq!(Script::read(other, &bytes), None);
                    }
                }
            }
        }
        assert!(!Script::was(b"#!/bin/sh\nexit 0\n"));
    }

    #[test]
    fn a_configured_command_is_ours_only_as_we_write_it() {
        let command = command(Path::new("/it's/here"));
        let bytes = command.as_encoded_bytes();
        assert_eq!(command_binary(bytes), Some("/it's/here".into()));
        assert_eq!(command_binary(b"git evolve hook configured"), None);
        assert_eq!(
            command_binary(&[bytes, b" --more".as_slice()].concat()),
            None
        );
        assert!(!bytes.contains(&b'\n'));
    }
}
