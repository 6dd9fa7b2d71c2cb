//! The commits that an agent made itself, brought from its clone into our own store.
//!
//! No git runs in that clone: its objects are an alternate of a scratch repository of our own,
//! with our own configuration and no hooks, and what comes from there passes `git index-pack
//! --strict` or `git unpack-objects --strict`, which names each object anew by its content and refuses malformed ones.

mod ended;
mod tip;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::isolated::{bare_bones, open, ours};
use super::{Oid, Repo};
use crate::error::{Error, Result};
use ended::bounded;

pub use tip::CloneNote;

/// Most commits that are brought.
const COMMITS: usize = 10_000;
/// Most bytes of their pack, and most bytes and files of the clone's store that are looked at.
const PACK: u64 = 256 << 20;
const STORE: u64 = 8 << 30;
const STORE_FILES: usize = 1_000_000;
/// Up to so many objects are written one by one.
const LOOSE: u32 = 200;
/// How long each git may take, and how much memory it may ask for.
const TIME: Duration = Duration::from_secs(300);

/// What an agent did to its clone's graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCommits {
    /// What its HEAD names; `None` where that cannot be told.
    pub tip: Option<Oid>,
    /// The commits since the parent, parents before children; they are in our store now. Empty
    /// too where they could not be brought.
    pub commits: Vec<Oid>,
    /// The parent is no ancestor of the tip: history was rewritten. `None`: not known.
    pub rewritten: Option<bool>,
    /// Why they could not be brought.
    pub refused: Option<String>,
}

impl OwnCommits {
    fn refused(tip: Option<Oid>, why: impl Into<String>) -> OwnCommits {
        OwnCommits {
            tip,
            commits: Vec::new(),
            rewritten: None,
            refused: Some(why.into()),
        }
    }
}

impl Repo {
    /// Brings the commits that `HEAD` of the clone at `top` reaches and `parent` does not into
    /// this store. They are kept once a ref names them.
    ///
    /// # Errors
    /// Git where our own store cannot be read or written. What is wrong with the clone is no
    /// error: `OwnCommits::refused` says it.
    pub fn own_commits(&self, top: &Path, parent: Oid) -> Result<OwnCommits> {
        let git_dir = top.join(".git");
        let tip = match tip::of(&git_dir) {
            Ok(tip) if tip.0.kind() == parent.0.kind() => tip,
            Ok(_) => return Ok(OwnCommits::refused(None, "its HEAD is of another hash")),
            Err(why) => return Ok(OwnCommits::refused(None, why)),
        };
        if tip == parent {
            return Ok(OwnCommits {
                tip: Some(tip),
                rewritten: Some(false),
                ..OwnCommits::default()
            });
        }
        let objects = git_dir.join("objects");
        if let Err(why) = tip::store(&objects, STORE, STORE_FILES) {
            return Ok(OwnCommits::refused(Some(tip), why));
        }
        let scratch = Scratch::new(self, &objects, parent)?;
        match scratch.bring(self, tip, parent) {
            Ok(brought) => Ok(brought),
            Err(Trouble::Theirs(why)) => Ok(OwnCommits::refused(Some(tip), why)),
            Err(Trouble::Ours(e)) => Err(e),
        }
    }
}

/// Whose fault it is that something did not go.
enum Trouble {
    Ours(Error),
    Theirs(String),
}

impl From<Error> for Trouble {
    fn from(e: Error) -> Trouble {
        Trouble::Ours(e)
    }
}

/// A repository of our own that sees the clone's objects behind ours.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new(repo: &Repo, objects: &Path, parent: Oid) -> Result<Scratch> {
        let name = format!("evolve/scratch-{}-{}", std::process::id(), number());
        let folder = repo.common_dir().join(name);
        let scratch = Scratch { folder };
        let git_dir = &scratch.folder;
        bare_bones(git_dir, parent.0.kind())?;
        let own = repo.common_dir().join("objects");
        let mut lines = Vec::new();
        for store in [own.as_path(), objects] {
            lines.extend(quoted(store));
            lines.push(b'\n');
        }
        let writing = |e| Error::git(format!("writing {}", git_dir.display())).with_source(e);
        fs::write(git_dir.join("objects/info/alternates"), lines).map_err(writing)?;
        // Cut off where we are: below it nothing is ours to walk.
        let cut: String = repo
            .reader()?
            .edges()
            .iter()
            .map(|e| format!("{e}\n"))
            .collect();
        if !cut.is_empty() {
            fs::write(git_dir.join("shallow"), cut).map_err(writing)?;
        }
        Ok(scratch)
    }

    fn bring(&self, repo: &Repo, tip: Oid, parent: Oid) -> Result<OwnCommits, Trouble> {
        let most = format!("--max-count={}", COMMITS + 1);
        let range = [tip.to_string(), format!("^{parent}")];
        let mut list = ours(&self.folder);
        list.args(["rev-list", "--topo-order", &most]).args(&range);
        let listed = self.theirs("rev-list", list, None)?;
        let mut commits: Vec<Oid> = String::from_utf8_lossy(&listed)
            .lines()
            .filter_map(Oid::from_hex)
            .collect();
        if commits.len() > COMMITS {
            return Err(Trouble::Theirs(format!("there are over {COMMITS} of them")));
        }
        commits.reverse();
        if !commits.is_empty() {
            self.objects(repo, &range)?;
        }
        let reader = repo.reader()?;
        for id in &commits {
            reader.commit(*id)?;
        }
        let rewritten = !reader.is_ancestor(parent, tip)?;
        Ok(OwnCommits {
            tip: Some(tip),
            commits,
            rewritten: Some(rewritten),
            refused: None,
        })
    }

    /// Brings the objects of `range` into our store.
    fn objects(&self, repo: &Repo, range: &[String]) -> Result<(), Trouble> {
        let pack = self.folder.join("brought");
        let making = |e| Error::git(format!("writing {}", pack.display())).with_source(e);
        let mut command = ours(&self.folder);
        command.args(["-c", "pack.threads=1", "-c", "core.bigFileThreshold=1m"]);
        command.args(["pack-objects", "--revs", "--stdout", "-q"]);
        command.args(["--no-use-bitmap-index", "--delta-base-offset"]);
        command.stdout(Stdio::from(File::create_new(&pack).map_err(making)?));
        let input = self.folder.join("range");
        fs::write(&input, format!("{}\n", range.join("\n"))).map_err(making)?;
        self.theirs("pack-objects", command, Some(&input))?;
        let size = fs::metadata(&pack).map_err(making)?.len();
        if size > PACK {
            return Err(Trouble::Theirs(format!(
                "they are {} MiB, over {}",
                size >> 20,
                PACK >> 20
            )));
        }
        let mut command = ours(repo.common_dir());
        command.args(["-c", "core.bigFileThreshold=1m"]);
        // A pack for each session would be thousands in a long experiment: few objects come loose.
        let name = match objects_in(&pack).map_err(making)? <= LOOSE {
            true => {
                command.args(["unpack-objects", "-q", "--strict"]);
                "unpack-objects"
            }
            false => {
                command.args(["index-pack", "--stdin", "--strict", "--threads=1"]);
                "index-pack"
            }
        };
        self.theirs(name, command, Some(&pack)).map(drop)
    }

    fn theirs(
        &self,
        name: &str,
        mut command: std::process::Command,
        input: Option<&Path>,
    ) -> Result<Vec<u8>, Trouble> {
        match input {
            Some(file) => command.stdin(open(file)?),
            None => command.stdin(Stdio::null()),
        };
        match bounded(command, TIME)? {
            Some(out) if out.status.success() => Ok(out.stdout),
            Some(out) => {
                let said = String::from_utf8_lossy(&out.stderr);
                let said = said.lines().next().unwrap_or("it does not say why");
                let said = said
                    .trim_start_matches("fatal: ")
                    .trim_start_matches("error: ");
                Err(Trouble::Theirs(format!("git {name}: {said}")))
            }
            None => Err(Trouble::Theirs(format!(
                "git {name}: no end after {} seconds",
                TIME.as_secs()
            ))),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays of it is of no use to anybody, and is no object of ours.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// How many objects a pack says that it holds.
fn objects_in(pack: &Path) -> std::io::Result<u32> {
    let mut head = [0; 12];
    File::open(pack)?.read_exact(&mut head)?;
    Ok(u32::from_be_bytes([head[8], head[9], head[10], head[11]]))
}

fn number() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

/// A path as git reads it in a list of alternates, whatever is in it.
fn quoted(path: &Path) -> Vec<u8> {
    let mut all = vec![b'"'];
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'"' | b'\\' => all.extend([b'\\', *byte]),
            0x20..=0x7e | 0x80.. => all.push(*byte),
            other => all.extend(format!("\\{other:03o}").into_bytes()),
        }
    }
    all.push(b'"');
    all
}
