//! What chains stand on, brought into this repository once and kept by a ref.
//!
//! `refs/evolve/bases/<experiment>/<whose>-<8 digits>`: the digits are of what the plan says, so
//! that another base is brought in anew and the same one never again, wherever its branch moves.

use std::path::Path;

use super::overlay::{self, Edits};
use crate::error::{Error, Result};
use crate::harness::workplace::Say;
use crate::plan::{Arm, Base, Overlay, Plan, Task};
use crate::record::mask;
use crate::repo::{
    Fetched, Manner, NewCommit, Oid, Outcome, Person, Reader, RefMove, Repo, Stamp, Writer,
};

/// Whose base it is, and what it is.
fn declared<'p>(plan: &'p Plan, arm: &'p Arm, task: Option<&'p Task>) -> (String, &'p Base) {
    if let Some(base) = &arm.base {
        return (format!("arm-{}", arm.name), base);
    }
    if let Some((task, base)) = task.and_then(|t| Some((t, t.base.as_ref()?))) {
        return (format!("task-{}", task.name), base);
    }
    ("experiment".to_owned(), &plan.experiment.base)
}

/// What a chain of `arm` on `task` stands on, in words and as the plan says it.
pub(super) fn base_of<'p>(plan: &'p Plan, arm: &'p Arm, task: Option<&'p Task>) -> &'p Base {
    declared(plan, arm, task).1
}

/// The project's commit that chains of `arm` on `task` stand on, brought in where it is not here.
///
/// # Errors
/// Usage where the plan names what is not there; git where it cannot be read or fetched.
pub(super) fn bring_in(
    repo: &Repo,
    reader: &Reader,
    plan: &Plan,
    arm: &Arm,
    task: Option<&Task>,
    say: Say<'_>,
) -> Result<Oid> {
    let (whose, base) = declared(plan, arm, task);
    let digits = mask::sha256(format!("{base:?}").as_bytes());
    let digits = digits.get(..8).unwrap_or(&digits);
    let name = format!(
        "refs/evolve/bases/{}/{whose}-{digits}",
        plan.experiment.name
    );
    if let Some(kept) = reader.reference(&name)? {
        let commit = reader.peeled(kept)?.ok_or_else(|| {
            Error::git(format!("{name} names {kept}, which is no commit here"))
                .with_hint(format!("git update-ref -d {name}"))
        })?;
        // A branch moves on; what chains of one experiment stand on does not.
        if let Base::Revision(revision) = base
            && let Ok(now) = reader.commit_at(revision)
            && now != commit
        {
            say(&format!(
                "{revision} is at {} now; chains stand on {}, where it was when it was brought in \
                 (`git update-ref -d {name}` takes it anew for chains that are not begun)",
                now.short(),
                commit.short()
            ));
        }
        return Ok(commit);
    }
    let commit = match base {
        Base::Revision(revision) => reader.commit_at(revision).map_err(|e| {
            Error::usage(format!("base '{revision}' is no commit of this repository"))
                .with_source(e)
        })?,
        Base::Folder(folder) => of_folder(repo, reader, &plan.folder, folder)?,
        Base::Bundle(file, revision) => {
            let file = plan.folder.join(file);
            of_bundle(repo, &file, revision.as_deref())?
        }
        Base::Remote(address, id) => of_remote(repo, &plan.folder, address, id)?,
    };
    let keep = RefMove {
        name: name.clone(),
        old: None,
        new: Some(commit),
    };
    match repo.transact(&[keep], "evolve: base brought in")? {
        Outcome::Moved => {}
        // Another process brought it in meanwhile.
        Outcome::Lost => {
            if let Some(kept) = repo.reader()?.reference(&name)? {
                return Ok(kept);
            }
        }
        outcome @ Outcome::Locked { .. } => {
            let what = outcome.obstacle().unwrap_or_default();
            return Err(Error::git(format!("keeping a base by {name}: {what}")));
        }
    }
    say(&format!("base of {whose}: {}", commit.short()));
    Ok(commit)
}

/// The files of a folder as a commit without parents: the same files give the same id everywhere.
fn of_folder(repo: &Repo, reader: &Reader, top: &Path, folder: &Path) -> Result<Oid> {
    let writer = Writer::open(repo)?;
    let mut edits = Edits::new();
    let all = Overlay {
        from: folder.to_owned(),
        to: String::new(),
    };
    overlay::lay(&writer, top, &all, &mut edits)?;
    let tree = writer.tree_with(reader, reader.empty_tree(), &edits)?;
    let nobody = Stamp {
        person: Person {
            name: "git-evolve".to_owned(),
            email: "git-evolve@localhost.invalid".to_owned(),
        },
        seconds: 0,
    };
    writer.commit(&NewCommit {
        tree,
        parents: &[],
        author: &nobody,
        committer: &nobody,
        message: b"The files that chains begin with\n",
    })
}

/// A revision in a bundle; else its `HEAD`.
fn of_bundle(repo: &Repo, file: &Path, revision: Option<&str>) -> Result<Oid> {
    let shown = file.display().to_string();
    let place = file
        .to_str()
        .ok_or_else(|| Error::usage(format!("the bundle's path {shown} is not UTF-8")))?;
    let refs = repo.list_remote(place, &[], Manner::default())?;
    let every: Vec<String> = refs.keys().cloned().collect();
    let none = || {
        Error::usage(format!(
            "the bundle {shown} has no {}",
            revision.unwrap_or("HEAD")
        ))
        .with_hint(match every.is_empty() {
            true => "it has no ref".to_owned(),
            false => format!("it has {}", every.join(", ")),
        })
    };
    let Some(revision) = revision else {
        // What is fetched without a place to go to is only brought in; a ref of ours keeps it.
        let temporary = "refs/evolve/bases-fetched/head";
        brought(repo, place, &[format!("HEAD:{temporary}")]).map_err(|e| none().with_source(e))?;
        let commit = repo.reader()?.reference(temporary)?.ok_or_else(none)?;
        let gone = RefMove {
            name: temporary.to_owned(),
            old: Some(commit),
            new: None,
        };
        repo.transact(&[gone], "evolve: base brought in")?;
        return peeled(repo, commit);
    };
    let named = ["", "refs/", "refs/tags/", "refs/heads/"]
        .iter()
        .find_map(|before| refs.get_key_value(&format!("{before}{revision}")));
    if let Some((name, id)) = named {
        brought(repo, place, std::slice::from_ref(name))?;
        return peeled(repo, *id);
    }
    brought(repo, place, &every)?;
    match Oid::from_hex(revision) {
        Some(id) => peeled(repo, id).map_err(|e| none().with_source(e)),
        None => Err(none()),
    }
}

/// A commit of another repository, by its whole id.
fn of_remote(repo: &Repo, folder: &Path, address: &str, id: &str) -> Result<Oid> {
    let commit = Oid::from_hex(id).ok_or_else(|| {
        Error::usage(format!("base {address}@{id}: that is no whole commit id"))
            .with_hint("a base is pinned: write all digits of it")
    })?;
    if repo.reader()?.peeled(commit)? == Some(commit) {
        return Ok(commit);
    }
    // A path is one from the plan's folder.
    let beside = folder.join(address);
    let place = match beside.exists() {
        true => beside.to_string_lossy().into_owned(),
        false => address.to_owned(),
    };
    if brought(repo, &place, &[id.to_owned()]).is_err() {
        // Many servers give only what a ref names.
        let all = ["refs/heads/*", "refs/tags/*"].map(str::to_owned);
        let all: Vec<String> = repo
            .list_remote(&place, &[&all[0], &all[1]], Manner::default())?
            .into_keys()
            .collect();
        brought(repo, &place, &all)?;
    }
    peeled(repo, commit)
}

/// Fetches `refs` and puts them nowhere.
fn brought(repo: &Repo, place: &str, refs: &[String]) -> Result<()> {
    match repo.fetch_from(place, refs, Manner::default())? {
        Fetched::All => Ok(()),
        Fetched::Partly(e) => Err(e),
    }
}

fn peeled(repo: &Repo, id: Oid) -> Result<Oid> {
    repo.reader()?
        .peeled(id)?
        .ok_or_else(|| Error::git(format!("base {id}: no commit of that id came")))
}
