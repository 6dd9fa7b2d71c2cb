//! Refs: what they are called and which commit they stand for.

use gix::bstr::ByteSlice;
use gix::objs::Kind as ObjectKind;

use super::{Oid, Reader};
use crate::error::{Error, Result};

/// A ref that stands for a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The full name (`refs/heads/main`), lossily decoded.
    pub name: String,
    /// The commit, tags peeled.
    pub commit: Oid,
    /// True where the ref only points to another ref (`refs/remotes/origin/HEAD`).
    pub symbolic: bool,
}

/// A ref and the object it names, whatever that is: nothing is peeled, nothing is looked up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RawRef {
    /// The full name, lossily decoded.
    pub name: String,
    /// The object.
    pub id: Oid,
}

/// Most tags of tags that are followed.
const TAG_DEPTH: usize = 32;

impl Reader {
    /// The commit of HEAD; `None` where there is no commit yet.
    ///
    /// # Errors
    /// HEAD cannot be read, or names no commit.
    pub fn head(&self) -> Result<Option<Oid>> {
        if self.shape.reftable {
            return match self.rev_parse_by_git("HEAD")? {
                Some(id) => self.peel_to_commit(id),
                None => Ok(None),
            };
        }
        let reading = |e: gix::Error| Error::git("reading HEAD").with_source(e);
        let mut head = self.git.head().map_err(reading)?;
        match head.try_peel_to_id().map_err(reading)? {
            Some(id) => self.peel_to_commit(Oid(id.detach())),
            None => Ok(None),
        }
    }

    /// All refs that stand for commits, sorted by name; those of other worktrees, broken ones and
    /// those whose object is not here are left out.
    ///
    /// # Errors
    /// The refs cannot be read at all.
    pub fn references(&self) -> Result<Vec<Reference>> {
        let mut found = if self.shape.reftable {
            self.references_by_git()?
        } else {
            self.references_by_gix()?
        };
        found.sort();
        found.dedup_by(|a, b| a.name == b.name);
        Ok(found)
    }

    /// The object that the ref `full_name` names (a symbolic ref: that its target names); `None`
    /// where there is no such ref. Nothing is peeled.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn reference(&self, full_name: &str) -> Result<Option<Oid>> {
        if self.shape.reftable {
            let found = self.raw_by_git(&[full_name])?;
            return Ok(found
                .into_iter()
                .find(|r| r.name == full_name)
                .map(|r| r.id));
        }
        let reading =
            |e: gix::Error| Error::git(format!("reading the ref {full_name}")).with_source(e);
        let name = gix::refs::FullName::try_from(full_name)
            .map_err(|e| Error::git(format!("'{full_name}' is no ref name")).with_source(e))?;
        let Some(mut found) = self.git.try_find_reference(&name).map_err(reading)? else {
            return Ok(None);
        };
        if found.name() != name.as_ref() {
            return Ok(None);
        }
        if let Some(id) = found.target().try_id() {
            return Ok(Some(Oid(id.to_owned())));
        }
        // A symbolic ref to nothing names no object.
        Ok(found.follow_to_object().ok().map(|id| Oid(id.detach())))
    }

    /// All refs whose names begin with one of `prefixes` (whole parts: `refs/notes/evolve`), with
    /// the objects they name, sorted by name, each once; broken ones are left out.
    ///
    /// # Errors
    /// The refs cannot be read at all.
    pub fn references_under(&self, prefixes: &[&str]) -> Result<Vec<RawRef>> {
        let mut found = if self.shape.reftable {
            self.raw_by_git(prefixes)?
        } else {
            self.raw_by_gix(prefixes)?
        };
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn raw_by_gix(&self, prefixes: &[&str]) -> Result<Vec<RawRef>> {
        let listing = |e: gix::Error| Error::git("listing refs").with_source(e);
        let platform = self.git.references().map_err(listing)?;
        let mut found = Vec::new();
        for prefix in prefixes {
            let folder = format!("{}/", prefix.trim_end_matches('/'));
            // gix lists nothing below a part that Windows keeps for a device (`aux`, `con`), though
            // git itself has such refs: then what is above it is listed.
            let mut above = folder.as_str();
            let under = loop {
                let shorter = above[..above.len() - 1].rfind('/').map(|at| &above[..=at]);
                match (platform.prefixed(above), shorter) {
                    (Ok(under), _) => break under,
                    (Err(_), Some(shorter)) => above = shorter,
                    (Err(e), None) => return Err(listing(e)),
                }
            };
            for mut reference in under.filter_map(Result::ok) {
                if !reference.name().as_bstr().starts_with(folder.as_bytes()) {
                    continue;
                }
                let id = match reference.target().try_id() {
                    Some(id) => id.to_owned(),
                    None => match reference.follow_to_object() {
                        Ok(id) => id.detach(),
                        Err(_) => continue,
                    },
                };
                found.push(RawRef {
                    name: reference.name().as_bstr().to_str_lossy().into_owned(),
                    id: Oid(id),
                });
            }
            if let Some(id) = self.reference(prefix.trim_end_matches('/'))? {
                found.push(RawRef {
                    name: prefix.trim_end_matches('/').to_owned(),
                    id,
                });
            }
        }
        Ok(found)
    }

    fn raw_by_git(&self, prefixes: &[&str]) -> Result<Vec<RawRef>> {
        let mut words = vec!["for-each-ref", "--format=%(objectname) %(refname)"];
        words.extend(prefixes);
        let listing = self.program().output(&words)?;
        let listing = String::from_utf8_lossy(&listing);
        Ok(listing
            .lines()
            .filter_map(|line| {
                let (id, name) = line.split_once(' ')?;
                Some(RawRef {
                    name: name.to_owned(),
                    id: Oid::from_hex(id)?,
                })
            })
            .collect())
    }

    fn references_by_gix(&self) -> Result<Vec<Reference>> {
        let listing = |e: gix::Error| Error::git("listing refs").with_source(e);
        let platform = self.git.references().map_err(listing)?;
        let mut found = Vec::new();
        for reference in platform.all().map_err(listing)?.filter_map(Result::ok) {
            let mut reference = reference;
            let name = reference.name().as_bstr().to_str_lossy().into_owned();
            let (symbolic, target) = match reference.target().try_id() {
                Some(id) => (false, id.to_owned()),
                // A symbolic ref to nothing is an ordinary state (a fresh remote's HEAD).
                None => match reference.follow_to_object() {
                    Ok(id) => (true, id.detach()),
                    Err(_) => continue,
                },
            };
            if let Some(commit) = self.commit_behind(Oid(target))? {
                found.push(Reference {
                    name,
                    commit,
                    symbolic,
                });
            }
        }
        Ok(found)
    }

    fn references_by_git(&self) -> Result<Vec<Reference>> {
        let listing = self.program().output(&[
            "for-each-ref",
            "--format=%(objectname) %(refname) %(symref)",
        ])?;
        let mut found = Vec::new();
        for line in listing.split(|b| *b == b'\n') {
            let mut words = line.splitn(3, |b| *b == b' ');
            let (Some(id), Some(name)) = (words.next(), words.next()) else {
                continue;
            };
            let Some(id) = gix::ObjectId::from_hex(id).ok() else {
                continue;
            };
            if let Some(commit) = self.commit_behind(Oid(id))? {
                found.push(Reference {
                    name: String::from_utf8_lossy(name).into_owned(),
                    commit,
                    symbolic: words.next().is_some_and(|s| !s.is_empty()),
                });
            }
        }
        Ok(found)
    }

    /// The commit that `id` is or that the tag `id` names; `None` for anything else and for what
    /// is not here.
    ///
    /// # Errors
    /// The object store cannot be read.
    pub fn peeled(&self, id: Oid) -> Result<Option<Oid>> {
        self.commit_behind(id)
    }

    /// The commit that `id` is or that a tag `id` names; `None` for anything else and for what is
    /// not here.
    pub(super) fn commit_behind(&self, id: Oid) -> Result<Option<Oid>> {
        let mut at = id;
        for _ in 0..TAG_DEPTH {
            match self.kind(at)? {
                Some(ObjectKind::Commit) => return Ok(Some(at)),
                Some(ObjectKind::Tag) => match self.tagged(at)? {
                    Some(next) => at = next,
                    None => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The object that tag `id` names; `None` where the tag is malformed.
    pub(super) fn tagged(&self, id: Oid) -> Result<Option<Oid>> {
        let mut raw = Vec::new();
        self.object(id, ObjectKind::Tag, &mut raw)?;
        let target = raw
            .strip_prefix(b"object ")
            .and_then(|rest| rest.split(|b| *b == b'\n').next());
        Ok(target
            .and_then(|hex| gix::ObjectId::from_hex(hex).ok())
            .map(Oid))
    }

    fn peel_to_commit(&self, id: Oid) -> Result<Option<Oid>> {
        match self.commit_behind(id)? {
            Some(commit) => Ok(Some(commit)),
            None => Err(
                Error::git(format!("HEAD names {id}, which is no commit here"))
                    .with_hint("`git fsck` says what is missing"),
            ),
        }
    }
}
