//! One live file of a lineage: its content, its lines' writers, its last parse.

use std::sync::Arc;

use crate::error::Result;
use crate::repo::{Hunk, Oid, is_binary, line_count};
use crate::syntax::{self, Language, Structure, Unparsed, Version};

use super::origins::Origin;
use super::summary::{Summary, Unread};
use super::worker::Worker;
use super::{Profile, Settings};

/// A file as it stands at one position of the line.
#[derive(Clone)]
pub(super) struct FileState {
    /// Its blob.
    pub blob: Oid,
    content: Content,
    /// Who wrote each line; `None` where not asked for or not known.
    pub origins: Option<Arc<Vec<Origin>>>,
    /// True once a version before this one could not be read: nobody knows who wrote what.
    pub origins_lost: bool,
    parsed: Option<Parsed>,
    /// Whether it opens with a generator's line, once somebody asked.
    header: Option<(Language, bool)>,
}

/// The last version of a lineage that was parsed.
#[derive(Clone)]
struct Parsed {
    blob: Oid,
    language: Language,
    source: Arc<[u8]>,
    version: Version,
}

#[derive(Clone)]
enum Content {
    Unread,
    Missing,
    Bytes(Arc<[u8]>),
}

impl FileState {
    /// A file of which only the blob is known.
    pub(super) fn unread(blob: Oid) -> FileState {
        FileState {
            blob,
            content: Content::Unread,
            origins: None,
            origins_lost: false,
            parsed: None,
            header: None,
        }
    }

    /// The version that follows this one: the last parse goes along.
    pub(super) fn followed_by(&self, blob: Oid) -> FileState {
        FileState {
            blob,
            content: if blob == self.blob {
                self.content.clone()
            } else {
                Content::Unread
            },
            origins: None,
            origins_lost: false,
            parsed: self.parsed.clone(),
            header: self.header.filter(|_| blob == self.blob),
        }
    }

    /// Takes over the last parse of another version, where this one has none of its own.
    pub(super) fn adopt_parse(&mut self, other: &FileState) {
        let current = self.parsed.as_ref().is_some_and(|p| p.blob == self.blob);
        if !current && other.parsed.is_some() {
            self.parsed.clone_from(&other.parsed);
        }
    }

    /// The content, read once.
    pub(super) fn bytes(&mut self, worker: &mut Worker) -> Option<Arc<[u8]>> {
        if matches!(self.content, Content::Unread) {
            self.content = match worker.read(self.blob) {
                Some(bytes) => Content::Bytes(bytes),
                None => Content::Missing,
            };
        }
        match &self.content {
            Content::Bytes(b) => Some(Arc::clone(b)),
            Content::Missing | Content::Unread => None,
        }
    }

    /// The content where it is text; `None` for binary and missing.
    pub(super) fn text(&mut self, worker: &mut Worker) -> Option<Arc<[u8]>> {
        self.bytes(worker).filter(|b| !is_binary(b))
    }

    /// Lines as git counts them; 0 for binary and missing content.
    pub(super) fn lines(&mut self, worker: &mut Worker) -> u32 {
        self.text(worker).map_or(0, |b| line_count(&b))
    }

    /// Whether this version opens with a generator's line.
    pub(super) fn header(&mut self, worker: &mut Worker, language: Language) -> bool {
        if let Some((asked, known)) = self.header
            && asked == language
        {
            return known;
        }
        let found = self
            .bytes(worker)
            .is_some_and(|b| syntax::generated_header(language, &b));
        self.header = Some((language, found));
        found
    }

    /// Its writers; before any change they are all the base's.
    pub(super) fn origins_or_base(&mut self, worker: &mut Worker) -> Option<Arc<Vec<Origin>>> {
        if self.origins_lost {
            return None;
        }
        if self.origins.is_none() {
            let bytes = self.bytes(worker)?;
            let lines = if is_binary(&bytes) {
                0
            } else {
                line_count(&bytes)
            };
            self.origins = Some(Arc::new(vec![Origin::default(); lines as usize]));
        }
        self.origins.clone()
    }

    /// Its structure. `from` are hunks that lead from the blob named to this version, so that
    /// they need not be made again.
    ///
    /// # Errors
    /// A grammar without a node kind the rules name.
    pub(super) fn structure(
        &mut self,
        worker: &mut Worker,
        settings: &Settings,
        language: Language,
        from: Option<(Oid, &[Hunk])>,
    ) -> Result<Result<Arc<Structure>, Unread>> {
        if !language.is_analysed() {
            return Ok(Err(Unread::NoParser(language)));
        }
        if settings.profile == Profile::Scb && language != Language::Python {
            return Ok(Err(Unread::NotInProfile(settings.profile)));
        }
        let Some(bytes) = self.bytes(worker) else {
            return Ok(Err(Unread::Unparsed(Unparsed::Missing)));
        };
        // A rename may change the language of the very same content.
        let current = self
            .parsed
            .as_ref()
            .is_some_and(|p| p.blob == self.blob && p.language == language);
        if !current {
            let version = match &self.parsed {
                Some(p) if p.language == language => match from {
                    Some((origin, hunks)) if origin == p.blob => {
                        worker.parse(language, Some((&p.version, hunks)), &bytes)?
                    }
                    _ => {
                        let hunks = worker.hunks(&p.source, &bytes);
                        worker.parse(language, Some((&p.version, &hunks)), &bytes)?
                    }
                },
                _ => worker.parse(language, None, &bytes)?,
            };
            self.parsed = Some(Parsed {
                blob: self.blob,
                language,
                source: bytes,
                version,
            });
        }
        Ok(match &self.parsed {
            Some(p) => p
                .version
                .structure()
                .map(Arc::clone)
                .map_err(Unread::Unparsed),
            None => Err(Unread::Unparsed(Unparsed::Missing)),
        })
    }

    /// Its summary.
    ///
    /// # Errors
    /// As of [`FileState::structure`].
    pub(super) fn summary(
        &mut self,
        worker: &mut Worker,
        settings: &Settings,
        path: &[u8],
        language: Language,
        from: Option<(Oid, &[Hunk])>,
    ) -> Result<Summary> {
        let structure = self.structure(worker, settings, language, from)?;
        let lines = self.lines(worker);
        let read = match &structure {
            Ok(s) => Ok(&**s),
            Err(u) => Err(*u),
        };
        Ok(Summary::of(settings, path, language, lines, read))
    }
}
