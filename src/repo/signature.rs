//! Who git says is writing, and who stands in for them where git has nobody.

use gix::bstr::{BStr, ByteSlice};

use super::{Person, Repo, Stamp};
use crate::error::{Error, Result};

/// The name and address of notes and reflogs where git has none; the domain is reserved.
const NAME: &str = "git-evolve";
const EMAIL: &str = "git-evolve@localhost.invalid";

/// Who writes notes: author and committer at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The author of notes commits.
    pub author: Stamp,
    /// Their committer, and who stands in reflogs.
    pub committer: Stamp,
    /// True where neither environment nor configuration names anybody, so that
    /// `git-evolve <git-evolve@localhost.invalid>` stands in. What git would guess from the
    /// account and the name of the machine is not taken.
    pub invented: bool,
}

impl Repo {
    /// Who writes notes here, by git's environment and configuration, else the stand-in. Times
    /// are git's (`GIT_AUTHOR_DATE`, `GIT_COMMITTER_DATE`) where given, else now.
    ///
    /// # Errors
    /// Git where a date in the environment cannot be read.
    pub fn identity(&self) -> Result<Identity> {
        let git = self.git();
        let stamp = |who: Option<gix::Result<gix::actor::SignatureRef<'_>>>| match who {
            Some(Ok(who)) => {
                let seconds = who.seconds();
                let (name, email) = (clean(who.name), clean(who.email));
                Ok((!name.is_empty()).then_some(Stamp {
                    person: Person { name, email },
                    seconds,
                }))
            }
            Some(Err(e)) => Err(Error::git("reading the date in git's environment").with_source(e)),
            None => Ok(None),
        };
        let committer = stamp(git.committer())?;
        let invented = committer.is_none();
        let committer = committer.unwrap_or_else(|| Stamp {
            person: Person {
                name: NAME.to_owned(),
                email: EMAIL.to_owned(),
            },
            seconds: now(),
        });
        Ok(Identity {
            author: stamp(git.author())?.unwrap_or_else(|| committer.clone()),
            committer,
            invented,
        })
    }
}

/// Without what may not stand in a commit's header, as git itself leaves it out.
fn clean(text: &BStr) -> String {
    let kept = text
        .to_str_lossy()
        .replace(['<', '>', '\n', '\r', '\0'], "");
    let crud = |c: char| c <= ' ' || matches!(c, '.' | ',' | ':' | ';' | '"' | '\\' | '\'');
    kept.trim_matches(crud).to_owned()
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(i64::MAX))
}
