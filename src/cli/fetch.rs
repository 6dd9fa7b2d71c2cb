//! `git evolve fetch`.

use clap::Args;

use super::args::Global;
use super::output::say;
use super::session::{Done, directory};
use super::talk::{counted, manner_of, say_places};
use crate::error::{Error, Result};
use crate::ledger::{Received, drain, receive};
use crate::repo::{Direction, Remote, Repo};

/// Bring the records and chains of another repository
///
/// Records arrive in tracking refs (refs/evolve/remotes/REMOTE/…) and are merged, record by
/// record, into those of this repository: nothing recorded here is lost. Chains arrive as
/// remote-tracking branches. The work tree, HEAD, FETCH_HEAD and the configuration stay as they
/// are; nothing is pruned and no tag is followed.
#[derive(Debug, Args)]
pub(super) struct FetchArgs {
    /// A remote's name, an address or a bundle [default: the branch's remote, the only one, or
    /// origin]
    #[arg(value_name = "REMOTE")]
    pub remote: Option<String>,
}

/// Runs it.
///
/// # Errors
/// No repository; no such remote; a remote that cannot be read.
pub(super) fn run(global: &Global, args: &FetchArgs) -> Result<Done> {
    let directory = directory(global);
    let repo = Repo::discover(&directory)?;
    for remark in drain(&repo)?.remarks {
        say(&remark);
    }
    let remote = repo.remote(args.remote.as_deref(), &directory, Direction::Fetch)?;
    fetch(&repo, &remote)?;
    Ok(Done::Well)
}

/// Fetches from `remote` and says what arrived.
///
/// # Errors
/// A remote that cannot be read.
pub(super) fn fetch(repo: &Repo, remote: &Remote) -> Result<()> {
    say_places(remote, Direction::Fetch);
    let received = receive(repo, remote, manner_of(repo)?)?;
    say_received(&received, remote);
    match received.failed {
        Some(why) => Err(Error::git(why)
            .with_hint("all else is here; give that ref another name, and fetch again")),
        None => Ok(()),
    }
}

fn say_received(received: &Received, remote: &Remote) {
    for remark in &received.remarks {
        say(remark);
    }
    let shown = remote.shown();
    if !received.has_records() {
        say(&format!("{shown} has no records"));
    } else if received.arrived.is_empty() {
        say(&format!("no new records at {shown}"));
    }
    if !received.arrived.is_empty() {
        say(&format!(
            "{} arrived from {shown}",
            counted(&received.arrived)
        ));
    }
    if !received.lost.is_empty() {
        say(&format!(
            "warning: {shown} had {} that it has no more; they are kept here, and `git evolve \
             push` puts them back",
            counted(&received.lost)
        ));
    }
}
