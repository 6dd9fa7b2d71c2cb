//! A new clone, as `git clone` makes it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::child::{self, Manner};
use super::{loudness, refuse};
use crate::error::{Error, Result};

/// A clone that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cloned {
    /// Where it is.
    pub path: PathBuf,
    /// What git and the other side said.
    pub words: Vec<String>,
}

/// Runs `git clone MORE… URL DIR` in the folder `from`. `dir` is what git would call it where
/// none is given.
///
/// # Errors
/// Usage for an address that is none; git where it refuses or the other side cannot be read.
pub fn clone(
    url: &str,
    dir: Option<&Path>,
    more: &[OsString],
    from: &Path,
    manner: Manner<'_>,
) -> Result<Cloned> {
    if url.is_empty() || url.starts_with('-') {
        return Err(refuse(url));
    }
    let bare = more.iter().any(|w| w == "--bare" || w == "--mirror");
    let named = match dir {
        Some(dir) => dir.to_owned(),
        None => PathBuf::from(folder_of(url, bare).ok_or_else(|| {
            Error::usage(format!("'{url}' names no folder to clone into"))
                .with_hint("name one after the address")
        })?),
    };
    let mut command = child::git(from, manner);
    for name in local_variables(from)? {
        // What was typed as `git -c` is for the clone too.
        if !name.starts_with("GIT_CONFIG") {
            command.env_remove(name);
        }
    }
    if !manner.interactive
        && std::env::var_os("GIT_SSH").is_none()
        && let Some(ssh) = child::silent_ssh(std::env::var("GIT_SSH_COMMAND").ok().as_deref())
    {
        command.env("GIT_SSH_COMMAND", ssh);
    }
    let mut words = child::words(&["clone", loudness(manner)]);
    // `--no-progress` is also git's word for a clone, but only `-q` keeps its chatter back.
    if manner.progress.is_none() {
        words.push("--quiet".into());
    }
    words.extend(more.iter().cloned());
    words.extend(child::words(&["--", url]));
    words.push(named.clone().into());
    let said = child::run(command, &words, child::Input::Nothing, manner)?;
    if !said.status.success() {
        return Err(said.error(&format!("git clone {}", super::shown(url))));
    }
    Ok(Cloned {
        path: from.join(named),
        words: said.words(),
    })
}

/// Whether git's environment names a repository: the next one that is opened would be that.
///
/// # Errors
/// Git where it cannot be started.
pub fn environment_names_a_repository(from: &Path) -> Result<bool> {
    let names = local_variables(from)?;
    Ok(names
        .iter()
        .any(|n| !n.starts_with("GIT_CONFIG") && std::env::var_os(n).is_some()))
}

/// Runs this program with `words` on the repository in `path`, whatever git's environment says;
/// true where it ended well. It speaks for itself.
///
/// # Errors
/// Git where it cannot be started.
pub fn again_in(path: &Path, words: &[&str]) -> Result<bool> {
    let doing = |e| Error::git("starting this program again").with_source(e);
    let mut command = std::process::Command::new(std::env::current_exe().map_err(doing)?);
    for name in local_variables(path)? {
        if !name.starts_with("GIT_CONFIG") {
            command.env_remove(name);
        }
    }
    command.arg("-C").arg(path).args(words);
    Ok(command.status().map_err(doing)?.success())
}

/// The variables that say which repository git is in.
fn local_variables(from: &Path) -> Result<Vec<String>> {
    let manner = Manner::default();
    let words = child::words(&["rev-parse", "--local-env-vars"]);
    let said = child::run(
        child::git(from, manner),
        &words,
        child::Input::Nothing,
        manner,
    )?;
    if !said.status.success() {
        return Err(said.error("asking git which variables are its own"));
    }
    let text = String::from_utf8_lossy(&said.output);
    Ok(text.lines().map(str::to_owned).collect())
}

/// The folder that `git clone URL` makes: the last part of the address, without what only says
/// that it is a repository.
fn folder_of(url: &str, bare: bool) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.trim_end_matches(['/', ' ']);
    let path = path.strip_suffix("/.git").unwrap_or(path);
    let path = path.trim_end_matches('/');
    let last = path.rsplit(['/', ':']).next()?;
    let last = last.strip_suffix(".git").unwrap_or(last);
    let last = last.strip_suffix(".bundle").unwrap_or(last);
    let plain = !last.is_empty() && last != "." && last != "..";
    plain.then(|| match bare {
        true => format!("{last}.git"),
        false => last.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_clone_is_the_one_git_would_make() {
        for (url, folder) in [
            ("https://example.org/team/run.git", "run"),
            ("https://example.org/team/run.git/", "run"),
            ("git@example.org:run.git", "run"),
            ("../run/.git", "run"),
            ("/srv/run.bundle", "run"),
            ("run", "run"),
        ] {
            assert_eq!(folder_of(url, false).as_deref(), Some(folder), "{url}");
        }
        assert_eq!(folder_of("/srv/run", true).as_deref(), Some("run.git"));
        assert_eq!(folder_of("..", false), None);
    }
}
