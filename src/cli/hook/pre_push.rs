//! What the pre-push hook does where it is asked to: it publishes to the remote that is pushed
//! to, apart from the user's push and within a bounded time.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;

use super::super::args::Global;
use super::super::output::say;
use super::super::session::directory;
use super::super::talk::{counted, plural};
use crate::error::Result;
use crate::ledger::{Published, drain, preview, publish};
use crate::repo::{Direction, Manner, Remote, Repo};

/// How long one exchange with the other side may take.
const LIMIT: Duration = Duration::from_secs(20);
/// How long the user's push waits for all of them.
const PATIENCE: Duration = Duration::from_secs(60);

/// Publishes to `remote` where `evolve.publishOnPush` is true, and says one line of it.
///
/// # Errors
/// Git where the other side cannot be reached or our refs cannot be read or written.
pub(super) fn run(global: &Global, repo: &Repo, remote: Option<&str>) -> Result<()> {
    if !repo.is_on("evolve.publishOnPush") {
        return Ok(());
    }
    let theirs = named_refs(&super::input()?);
    let remote = repo.remote(remote, &directory(global), Direction::Push)?;
    let (to, from) = mpsc::channel();
    let (own, there) = (repo.clone(), remote.clone());
    // Ends with the process, should it take too long: what it sent until then holds, and each
    // push of it is whole or not at all.
    std::thread::spawn(move || to.send(publish_to(&own, &there, &theirs)));
    match from.recv_timeout(PATIENCE) {
        Ok(said) => {
            if let Some(line) = said? {
                say(&format!("git-evolve: {line}"));
            }
        }
        Err(_) => say(&format!(
            "git-evolve: publishing to {} took more than {} seconds; `git evolve push` goes on \
             with it",
            remote.shown(),
            PATIENCE.as_secs()
        )),
    }
    Ok(())
}

/// The line to be said; `None` where there was nothing to publish.
fn publish_to(repo: &Repo, remote: &Remote, theirs: &BTreeSet<String>) -> Result<Option<String>> {
    let manner = Manner {
        limit: LIMIT,
        ..Manner::default()
    };
    drain(&repo.with_patience(super::PATIENCE))?;
    let before = preview(repo, remote, manner)?;
    if before.refs.is_empty() && before.records.is_empty() {
        return Ok(None);
    }
    let shown = remote.shown();
    if before.first {
        return Ok(Some(format!(
            "nothing of this was ever published to {shown}: `git evolve push {}` shows what \
             would go out, and asks",
            remote.name
        )));
    }
    let published = publish(repo, remote, &before.held, theirs, manner)?;
    let something = !published.refs.is_empty()
        || !published.records.is_empty()
        || !published.refused.is_empty();
    Ok(something.then(|| line(&published, &shown)))
}

/// The refs there that the user's push is about to set, of the lines git hands over: `LOCAL ID
/// REMOTE ID`. They are left to it: it would be refused for coming second.
fn named_refs(input: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(input);
    let third = |line: &str| line.split(' ').nth(2).map(str::to_owned);
    text.lines().filter_map(third).collect()
}

fn line(published: &Published, shown: &str) -> String {
    let mut words = vec![counted(&published.records)];
    if !published.refs.is_empty() {
        words.push(plural(published.refs.len() as u64, "ref"));
    }
    let refused = match published.refused.len() {
        0 => String::new(),
        n => format!(
            "; {} refused, `git evolve push` says why",
            plural(n as u64, "ref")
        ),
    };
    format!("published {} to {shown}{refused}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refs_of_the_users_push_are_the_third_words() {
        let input = b"refs/heads/a 1 refs/heads/b 2\n(delete) 0 refs/heads/c 3\nodd\n";
        let names: Vec<String> = named_refs(input).into_iter().collect();
        assert_eq!(names, ["refs/heads/b", "refs/heads/c"]);
    }
}
