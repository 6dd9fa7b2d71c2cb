//! Which repository is meant: a remote's name, or an address that has none.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::child;
use crate::error::{Error, Result};
use crate::repo::Repo;

/// Another repository that this one exchanges with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// The folder of its tracking refs: its name, or one made from its address.
    pub name: String,
    /// What git is told: its name, or its address.
    pub place: String,
    /// Whether git's configuration knows it by its name.
    pub named: bool,
    /// Where git fetches from.
    pub url: String,
    /// Where git pushes to; more than one where so configured.
    pub push_urls: Vec<String>,
}

impl Remote {
    /// A repository by its address alone. Its tracking folder is the same for every spelling
    /// that differs in credentials, a last `/` or `.git` only.
    pub fn at(url: &str) -> Remote {
        Remote {
            name: folder_name(url),
            place: url.to_owned(),
            named: false,
            url: url.to_owned(),
            push_urls: vec![url.to_owned()],
        }
    }

    /// The addresses pushed to that are not the one fetched from.
    pub fn other_push_urls(&self) -> impl Iterator<Item = &str> {
        let urls = self.push_urls.iter().map(String::as_str);
        urls.filter(|u| *u != self.url)
    }

    /// The address as it may be shown: without a password in it.
    pub fn shown(&self) -> String {
        let url = without_credentials(&self.url);
        match self.named {
            true => format!("{} ({url})", self.name),
            false => url,
        }
    }

    /// Where git keeps what it sees of this remote's branches; an address has a place among
    /// ours.
    pub fn branches(&self) -> String {
        match self.named {
            true => format!("refs/remotes/{}/", self.name),
            false => format!("refs/evolve/remotes/{}/heads/", self.name),
        }
    }

    /// Where its notes and keep refs are seen: `<this><kind>`, `<this>chains/<path>`.
    pub fn tracking(&self) -> String {
        format!("refs/evolve/remotes/{}/", self.name)
    }
}

/// What a command does with a remote; decides which is meant where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It reads from it.
    Fetch,
    /// It writes to it.
    Push,
}

impl Repo {
    /// The remote called `asked`, or at the address `asked` (a relative path is taken from
    /// `from`); where nothing was asked for the one of the branch, for pushing that of
    /// `remote.pushDefault`, the only one, or `origin`.
    ///
    /// # Errors
    /// Usage where there is no such remote, or none at all; git where its configuration cannot
    /// be read.
    pub fn remote(&self, asked: Option<&str>, from: &Path, direction: Direction) -> Result<Remote> {
        let names = self.lines_of(&["remote"])?.unwrap_or_default();
        let Some(asked) = asked else {
            return self.named(&self.usual(&names, direction)?);
        };
        if names.iter().any(|n| n == asked) {
            return self.named(asked);
        }
        let path = from.join(asked);
        let is_path = path.exists();
        if asked.starts_with('-') || !(is_path || asked.contains([':', '/'])) {
            let known = match names.as_slice() {
                [] => "no remote is configured: name an address".to_owned(),
                names => format!("remotes here: {}", names.join(", ")),
            };
            return Err(Error::usage(format!("no remote is called '{asked}'")).with_hint(known));
        }
        let url = match std::fs::canonicalize(&path) {
            Ok(real) if is_path => real.to_string_lossy().into_owned(),
            _ => asked.to_owned(),
        };
        for name in names {
            let known = self.named(&name)?;
            if folder_name(&known.url) == folder_name(&url)
                && known.push_urls == [known.url.clone()]
            {
                return Ok(known);
            }
        }
        Ok(Remote::at(&url))
    }

    fn usual(&self, names: &[String], direction: Direction) -> Result<String> {
        let known = |name: Option<String>| name.filter(|n| names.contains(n));
        let branch = self.first_line(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        if let Some(branch) = branch {
            let key = format!("branch.{branch}.remote");
            if let Some(name) = known(self.first_line(&["config", "--get", &key])?) {
                return Ok(name);
            }
        }
        if direction == Direction::Push
            && let Some(name) =
                known(self.first_line(&["config", "--get", "remote.pushDefault"])?)
        {
            return Ok(name);
        }
        match names {
            [only] => Ok(only.clone()),
            names if names.iter().any(|n| n == "origin") => Ok("origin".to_owned()),
            [] => Err(Error::usage("no remote is configured")
                .with_hint("git remote add origin URL, or name an address")),
            names => Err(Error::usage("no remote is named, and there are several")
                .with_hint(format!("name one of {}", names.join(", ")))),
        }
    }

    fn named(&self, name: &str) -> Result<Remote> {
        let urls = |more: &[&str]| {
            let words = [&["remote", "get-url", "--all"], more, &["--", name]].concat();
            self.lines_of(&words).map(Option::unwrap_or_default)
        };
        let url = urls(&[])?.into_iter().next();
        let Some(url) = url else {
            return Err(Error::usage(format!("remote '{name}' has no address"))
                .with_hint(format!("git remote set-url {name} URL")));
        };
        Ok(Remote {
            name: name.to_owned(),
            place: name.to_owned(),
            named: true,
            push_urls: urls(&["--push"])?,
            url,
        })
    }

    fn first_line(&self, words: &[&str]) -> Result<Option<String>> {
        Ok(self.lines_of(words)?.and_then(|l| l.into_iter().next()))
    }

    /// The lines git prints; `None` where its exit status says that there is no answer.
    pub(super) fn lines_of(&self, words: &[&str]) -> Result<Option<Vec<String>>> {
        let manner = child::Manner::default();
        let said = child::run(
            self.exchanging(manner),
            &child::words(words),
            child::Input::Nothing,
            manner,
        )?;
        if !said.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&said.output);
        Ok(Some(text.lines().map(str::to_owned).collect()))
    }
}

/// A ref folder from an address: readable, and another for another address.
fn folder_name(url: &str) -> String {
    let plain = without_credentials(url);
    let plain = plain.strip_prefix("file://").unwrap_or(&plain);
    let plain = plain.trim_end_matches('/');
    let plain = plain.strip_suffix("/.git").unwrap_or(plain);
    let plain = plain.strip_suffix(".git").unwrap_or(plain);
    let last = plain.rsplit(['/', ':', '\\']).next().unwrap_or_default();
    let mut readable: String = last
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    if readable.trim_matches('-').is_empty() {
        "url".clone_into(&mut readable);
    }
    let digest = Sha256::digest(plain.as_bytes());
    let digits: String = digest[..6].iter().map(|b| format!("{b:02x}")).collect();
    format!("{}-{digits}", readable.trim_matches('-'))
}

/// The address without `user:password@`, which is nobody's to show or to name.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, h)| h);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_folder_whatever_its_spelling() {
        let name = folder_name("https://example.org/team/Run.git");
        assert!(name.starts_with("run-"), "{name}");
        for same in [
            "https://ada:secret@example.org/team/Run.git/",
            "https://example.org/team/Run",
            "https://example.org/team/Run/.git",
        ] {
            assert_eq!(folder_name(same), name, "{same}");
        }
        assert_ne!(folder_name("https://example.org/other/Run"), name);
        assert_eq!(folder_name("file:///srv/x.git"), folder_name("/srv/x"));
        for odd in ["/", "git@host:~", "..", "a..b.lock", "x y~^:?*[\\@{"] {
            let name = folder_name(odd);
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
            assert!(name.chars().all(plain), "{odd}: {name}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let remote = Remote::at("https://ada:secret@example.org/x");
        assert_eq!(remote.shown(), "https://example.org/x");
        assert_eq!(Remote::at("git@host:x").shown(), "git@host:x");
    }
}
