//! The shape of the repository, the version of git, and who writes.

use std::path::Path;

use super::settings::{Setting, is_on, of_remotes, value};
use super::{Finding, Severity};
use crate::error::Result;
use crate::repo::{GitVersion, Repo};

/// A git that is too old.
pub(super) fn version(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    let version = repo.git_version()?;
    if version < GitVersion::LEAST {
        found.push(Finding::new(
            "git-too-old",
            Severity::Error,
            format!("git is {version}; {} is the least", GitVersion::LEAST),
            "records are written through git in ways that older versions do not know",
        ));
    }
    Ok(())
}

/// History or objects that are not here.
pub(super) fn cut_off(repo: &Repo, settings: &[Setting], found: &mut Vec<Finding>) {
    if repo.is_shallow() {
        found.push(
            Finding::new(
                "shallow",
                Severity::Warning,
                "this is a shallow clone: history is cut off",
                "chains whose base is cut off are not seen, and figures of the oldest changes \
                 are unknown",
            )
            .mended_by("git fetch --unshallow"),
        );
    }
    if !repo.is_partial() {
        return;
    }
    let named = value(settings, "extensions.partialclone");
    let promisors: Vec<&str> = of_remotes(settings, "promisor")
        .map(|(name, _)| name)
        .chain(named)
        .collect();
    let with_url = |name: &&str| value(settings, &format!("remote.{name}.url")).is_some();
    if promisors.iter().any(with_url) {
        found.push(
            Finding::new(
                "partial",
                Severity::Note,
                format!("this is a partial clone of {}", promisors[0]),
                "what it left to its remote is not fetched while measuring: figures that need \
                 it are unknown",
            )
            .mended_by(format!("git fetch --refetch --no-filter {}", promisors[0])),
        );
    } else {
        let name = promisors.first().copied().unwrap_or("origin");
        found.push(
            Finding::new(
                "promisor-missing",
                Severity::Warning,
                format!("this is a partial clone of '{name}', a remote without an address"),
                "what was left to it cannot be fetched any more, by git neither",
            )
            .mended_by(format!("git remote add {name} URL")),
        );
    }
}

/// Formats that some programs do not read.
pub(super) fn formats(repo: &Repo, found: &mut Vec<Finding>) {
    if repo.shape.reftable {
        found.push(Finding::new(
            "reftable",
            Severity::Note,
            "refs are kept in reftables",
            "refs are read and moved through the git program, which is slower",
        ));
    }
    if repo.git().object_hash() == gix::hash::Kind::Sha256 {
        found.push(Finding::new(
            "sha256",
            Severity::Note,
            "objects are named by SHA-256",
            "many hosts take no such repository",
        ));
    }
}

/// Nobody to sign commits with a name.
pub(super) fn identity(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    if repo.identity()?.invented {
        found.push(
            Finding::new(
                "no-identity",
                if repo.is_bare() {
                    Severity::Note
                } else {
                    Severity::Warning
                },
                "git has no name and address for you",
                "`begin`, `record` and `reset` make commits and never invent who did; notes are \
                 written as git-evolve <git-evolve@localhost.invalid>",
            )
            .mended_by(
                "git config --global user.name NAME && git config --global user.email ADDRESS",
            ),
        );
    }
    Ok(())
}

/// Commits that are to be signed, and nothing that signs.
pub(super) fn signing(settings: &[Setting], found: &mut Vec<Finding>) {
    if !is_on(settings, "commit.gpgsign") {
        return;
    }
    let format = value(settings, "gpg.format").unwrap_or("openpgp");
    let (key, usual) = match format {
        "ssh" => ("gpg.ssh.program", "ssh-keygen"),
        "x509" => ("gpg.x509.program", "gpgsm"),
        _ => ("gpg.openpgp.program", "gpg"),
    };
    let older = (format == "openpgp").then(|| value(settings, "gpg.program"));
    let program = value(settings, key).or(older.flatten()).unwrap_or(usual);
    let signing_key = value(settings, "user.signingkey");
    let no_key = format == "ssh"
        && value(settings, "gpg.ssh.defaultkeycommand").is_none()
        && signing_key
            .is_none_or(|k| !k.starts_with("key::") && !k.starts_with("ssh-") && !is_file(k));
    let why = "where signing fails `begin`, `record` and `reset` fail with git's message and \
               change nothing; notes are not signed";
    let mend = "git config commit.gpgSign false";
    if !is_program(program) {
        found.push(
            Finding::new(
                "signing",
                Severity::Note,
                format!("commit.gpgSign is on, and '{program}' is not here to sign"),
                why,
            )
            .mended_by(mend),
        );
    } else if no_key {
        found.push(
            Finding::new(
                "signing",
                Severity::Note,
                "commit.gpgSign is on, and user.signingKey names no key that is here",
                why,
            )
            .mended_by(mend),
        );
    }
}

fn is_file(path: &str) -> bool {
    let whole = match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    };
    whole.is_file()
}

fn is_program(name: &str) -> bool {
    if name.contains('/') {
        return is_file(name);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder: std::path::PathBuf| {
        let with = |end: &str| Path::new(&folder).join(format!("{name}{end}")).is_file();
        with("") || with(".exe")
    })
}

/// Everybody's repositories trusted.
pub(super) fn trust(settings: &[Setting], found: &mut Vec<Finding>) {
    if value(settings, "safe.directory") == Some("*") {
        found.push(
            Finding::new(
                "safe-directory",
                Severity::Note,
                "safe.directory is '*': repositories of other users are read like your own",
                "their settings and hooks are then run by git as you",
            )
            .mended_by("git config --global --fixed-value --unset-all safe.directory '*'"),
        );
    }
}
