//! Which git this is.

use std::fmt;

use super::Repo;
use crate::error::{Error, Result};

/// The first two numbers of git's version, which is all that anything here depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    /// The first.
    pub major: u32,
    /// The second.
    pub minor: u32,
}

impl GitVersion {
    /// The oldest git that this program works with.
    pub const LEAST: GitVersion = GitVersion::new(2, 31);
    /// The first git that runs hooks named in its configuration.
    pub const CONFIGURED_HOOKS: GitVersion = GitVersion::new(2, 54);
    /// The first git that has `git hook run`.
    pub const HOOK_RUN: GitVersion = GitVersion::new(2, 36);

    /// `MAJOR.MINOR`.
    pub const fn new(major: u32, minor: u32) -> GitVersion {
        GitVersion { major, minor }
    }

    /// Reads what `git version` prints, with whatever a vendor puts before, between and behind
    /// the numbers (`git version 2.39.5 (Apple Git-154)`, `2.47.0.windows.2`, `2.55.GIT`).
    pub fn parse(said: &str) -> Option<GitVersion> {
        let word = said
            .split_whitespace()
            .find(|w| w.starts_with(|c: char| c.is_ascii_digit()))?;
        let mut parts = word.split('.');
        let major = leading_number(parts.next()?)?;
        let minor = leading_number(parts.next()?)?;
        Some(GitVersion { major, minor })
    }
}

impl Repo {
    /// Git's version, as it says it.
    ///
    /// # Errors
    /// Git could not be started.
    pub fn git_says_version(&self) -> Result<String> {
        let said = self.program().output(&["version"])?;
        let text = String::from_utf8_lossy(&said);
        let text = text.trim();
        Ok(text.strip_prefix("git version ").unwrap_or(text).to_owned())
    }

    /// The version of the git program on the PATH.
    ///
    /// # Errors
    /// There is none, or it does not say its version.
    pub fn git_version(&self) -> Result<GitVersion> {
        let said = self.git_says_version()?;
        GitVersion::parse(&said)
            .ok_or_else(|| Error::git(format!("git version: no version number in '{said}'")))
    }
}

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

fn leading_number(part: &str) -> Option<u32> {
    let end = part
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(part.len());
    part[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_its_first_two_numbers_whatever_a_vendor_adds() {
        for (said, wanted) in [
            ("git version 2.47.3\n", (2, 47)),
            ("git version 2.39.5 (Apple Git-154)", (2, 39)),
            ("git version 2.47.0.windows.2", (2, 47)),
            ("git version 2.55.GIT", (2, 55)),
            ("git version 2.43.0-rc1", (2, 43)),
            ("git version 2.54-rc0", (2, 54)),
            ("git version 2.55.0.16.g1a3e64c6c4.dirty", (2, 55)),
            ("git version 3.0", (3, 0)),
        ] {
            let (major, minor) = wanted;
            assert_eq!(
                GitVersion::parse(said),
                Some(GitVersion { major, minor }),
                "{said}"
            );
        }
    }

    #[test]
    fn words_without_two_numbers_are_no_version() {
        for said in [
            "",
            "git version",
            "git version two",
            "2",
            "2.x",
            "99999999999.1",
        ] {
            assert_eq!(GitVersion::parse(said), None, "{said}");
        }
    }

    #[test]
    fn hooks_in_the_configuration_begin_with_2_54() {
        let first = GitVersion::CONFIGURED_HOOKS;
        assert!(GitVersion::new(2, 53) < first);
        assert!(GitVersion::new(2, 54) >= first);
        assert!(GitVersion::new(3, 0) >= first);
        assert!(GitVersion::new(1, 99) < first);
    }
}
