//! What `functions` and `files` share: a tree, perhaps limited to paths, read.

use std::ffi::OsString;

use super::args::{Global, ScopeArgs, SettingsArgs};
use super::output::say;
use super::progress::Bar;
use super::revision;
use super::session::Session;
use crate::error::{Error, Result};
use crate::history::{PathFilter, TreeFile, tree_files};
use crate::repo::Oid;
use crate::report::{Stamp, unread_line};

/// A tree's code files, and by what they were read.
pub(super) struct ReadTree<'a> {
    /// The session.
    pub session: Session<'a>,
    /// The files, by path.
    pub files: Vec<TreeFile>,
    /// By what.
    pub stamp: Stamp,
}

/// Reads the tree that the first word names, or HEAD's, limited to the paths that follow.
///
/// # Errors
/// An unknown tree; a repository that cannot be read.
pub(super) fn read<'a>(
    global: &'a Global,
    scope: &ScopeArgs,
    words: &[OsString],
) -> Result<ReadTree<'a>> {
    let settings = SettingsArgs {
        scope: scope.clone(),
        ..SettingsArgs::default()
    };
    let session = Session::open(global, &settings)?;
    let Some((tree, commit, paths)) = tree_and_paths(&session, words)? else {
        say("no commit yet: there is no tree");
        let stamp = session.stamp(&session.request(None, &[])?);
        return Ok(ReadTree {
            session,
            files: Vec::new(),
            stamp,
        });
    };
    let request = session.request(config_tree(&session, commit)?, &[])?;
    let bar = Bar::new();
    let threads = session.threads();
    let filter = PathFilter::new(&paths)?;
    let files = tree_files(
        &session.repo,
        tree,
        &request.settings,
        &filter,
        threads,
        &bar,
    )?;
    if files.is_empty() && !paths.is_empty() {
        say("no code file below these paths");
    }
    if let Some(line) = unread_line(&files) {
        say(&line);
    }
    let stamp = session.stamp(&request);
    Ok(ReadTree {
        session,
        files,
        stamp,
    })
}

/// The tree whose `evolve.toml` counts: a chain's base's, or HEAD's.
fn config_tree(session: &Session<'_>, commit: Option<Oid>) -> Result<Option<Oid>> {
    if let Some(commit) = commit {
        let chains = session.chains()?;
        if let Some((chain, _)) = chains.chain_of(commit) {
            return Ok(Some(session.reader.commit(chain.base)?.tree));
        }
    }
    session.head_tree()
}

type Place = (Oid, Option<Oid>, Vec<Vec<u8>>);

/// The first word is a tree where it names one, else a path in HEAD's tree.
fn tree_and_paths(session: &Session<'_>, words: &[OsString]) -> Result<Option<Place>> {
    let at_head = |words: &[OsString]| -> Result<Option<Place>> {
        let Some(head) = session.reader.head()? else {
            return Ok(None);
        };
        let tree = session.reader.commit(head)?.tree;
        Ok(Some((tree, Some(head), session.paths(words)?)))
    };
    let Some((first, rest)) = words.split_first() else {
        return at_head(&[]);
    };
    let Some(text) = first.to_str() else {
        return at_head(words);
    };
    match session.reader.tree_at(text) {
        // `REV:FOLDER` and trees have paths of their own.
        Ok((tree, commit @ Some(_))) => Ok(Some((tree, commit, session.paths(rest)?))),
        Ok((tree, None)) => {
            let plain = |p: &OsString| p.as_encoded_bytes().to_vec();
            Ok(Some((tree, None, rest.iter().map(plain).collect())))
        }
        Err(unknown) => {
            let Some(tree) = session.head_tree()? else {
                return Err(unknown);
            };
            let path = session.path(first)?;
            let there = session.reader.entry(tree, &path)?.is_some()
                || session.reader.folder(tree, &path)?.is_some();
            if there {
                at_head(words)
            } else if let Some(commit) = revision::checkpoint(session, text)? {
                let tree = session.reader.commit(commit)?.tree;
                Ok(Some((tree, Some(commit), session.paths(rest)?)))
            } else {
                Err(neither(text, unknown))
            }
        }
    }
}

fn neither(text: &str, unknown: Error) -> Error {
    match unknown.kind() {
        crate::Kind::Git => Error::git(format!(
            "'{text}' is neither a revision nor a path in HEAD's tree"
        ))
        .with_source(unknown),
        _ => unknown,
    }
}
