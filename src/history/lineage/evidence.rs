//! The evidence of one file of a measured change: its classes, lines and functions.

use std::sync::Arc;

use crate::error::Result;
use crate::repo::{ChangeStatus, Hunk, is_binary, line_count};
use crate::syntax::{Language, Structure};

use super::super::file_state::FileState;
use super::super::origins::Origin;
use super::super::others;
use super::super::summary::Unread;
use super::super::touch::{self, Sides};
use super::super::worker::Worker;
use super::super::writers::{SeenFrom, is_a_change};
use super::super::{Edit, FileClass, Functions, Integrity, LineCounts, Lines, Status};
use super::{Compared, Turn, Walk};

impl Walk<'_, '_> {
    /// The evidence of one file of a change, where it is asked for.
    pub(super) fn measure(
        &mut self,
        turn: &mut Turn<'_>,
        mut new: Option<&mut FileState>,
        hunks: &[Hunk],
        compared: Option<&Compared>,
    ) -> Result<()> {
        let ground = self.ground;
        let position = turn.position;
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        let measured = ground.measured.get(position).copied().unwrap_or(false)
            && ground.paths.takes(turn.change);
        let churn = ground.needs.hot_share && is_a_change(ground.role(position));
        if !measured && !churn {
            return Ok(());
        }
        if turn.old.is_none() && new.is_none() {
            return Ok(());
        }
        // A file that was code once, or is what code was copied to: its own change is no code's.
        if others::is_other(turn.change) {
            return Ok(());
        }
        let status = match (&turn.old, &new, turn.change.status) {
            (None, _, _) => Status::Added,
            (_, None, _) => Status::Deleted,
            (Some(o), Some(n), ChangeStatus::Modified) if o.blob == n.blob => return Ok(()),
            (_, _, ChangeStatus::Renamed) => Status::Renamed,
            _ => Status::Modified,
        };
        let (old_class, new_class) = self.classes(turn, new.as_deref_mut(), measured);
        let view = SeenFrom::new(ground.line, position);
        let lines = if ground.needs.lines || churn {
            self.lines(
                turn.old.as_mut(),
                new.as_deref_mut(),
                hunks,
                compared,
                &view,
            )
        } else {
            Lines::NotAsked
        };
        if churn
            && status == Status::Modified
            && new_class == Some(FileClass::Production)
            && lines != Lines::Binary
        {
            let total = match &lines {
                Lines::Counted(c) => Some(u64::from(c.added) + u64::from(c.removed)),
                _ => None,
            };
            self.findings
                .churn
                .push((number, turn.change.path[..].into(), total));
        }
        if !measured {
            return Ok(());
        }
        let language = Language::of_path(&turn.change.path);
        let production = [old_class, new_class].contains(&Some(FileClass::Production));
        let functions = match language {
            None => Functions::NotCode,
            Some(_) if !ground.needs.functions || !production => Functions::NotAsked,
            Some(l) => self.functions(l, turn, new, hunks, compared, &view)?,
        };
        self.findings.edits.push((
            number,
            Edit {
                path: turn.change.path[..].into(),
                old_path: turn.change.old_path.as_deref().map(Into::into),
                status,
                language: language
                    .or_else(|| turn.change.old_path.as_deref().and_then(Language::of_path)),
                old_class,
                new_class,
                lines,
                functions,
            },
        ));
        Ok(())
    }

    /// The classes of both sides for this change, and what a reader should know of them.
    fn classes(
        &mut self,
        turn: &mut Turn<'_>,
        new: Option<&mut FileState>,
        say: bool,
    ) -> (Option<FileClass>, Option<FileClass>) {
        let ground = self.ground;
        let position = turn.position;
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        let path: &[u8] = &turn.change.path;
        let old_path: &[u8] = turn.change.old_path.as_deref().unwrap_or(path);
        let chain = ground.line.chain.is_some();
        let mut old_header = false;
        let mut said_before = false;
        let old_class = turn.old.as_mut().map(|old| {
            old_header = self.header(old_path, old);
            // In a chain a line that came later changes no class, and is said once.
            said_before =
                chain && Language::of_path(old_path).is_some_and(|l| old.header(self.worker, l));
            ground.class(
                old_path,
                ground.judging_marks(position, old_path),
                old_header,
            )
        });
        let new_class = new.map(|new| {
            let own_header = Language::of_path(path).is_some_and(|l| new.header(self.worker, l));
            let there = turn.change.old_path.is_none() && old_class.is_some();
            let header = match there {
                true => old_header,
                false => self.header(path, new),
            };
            let judged = ground.class(path, ground.judging_marks(position, path), header);
            let now_header = own_header && !said_before;
            let now = ground.class(path, ground.own_marks(Some(position), path), now_header);
            if say && !there && header && judged == FileClass::Generated {
                self.findings.integrity.push((
                    number,
                    Integrity::JudgedByItself {
                        path: path.into(),
                        class: judged,
                    },
                ));
            }
            (judged, now)
        });
        let new_class = new_class.map(|(judged, now)| {
            let was_production = old_class == Some(FileClass::Production);
            if was_production && (judged != FileClass::Production || now != FileClass::Production) {
                if say {
                    self.findings.integrity.push((
                        number,
                        Integrity::ClassChanged {
                            path: path.into(),
                            now: if judged == FileClass::Production {
                                now
                            } else {
                                judged
                            },
                        },
                    ));
                }
                return FileClass::Production;
            }
            judged
        });
        (old_class, new_class)
    }

    fn lines(
        &mut self,
        old: Option<&mut FileState>,
        new: Option<&mut FileState>,
        hunks: &[Hunk],
        compared: Option<&Compared>,
        view: &SeenFrom<'_>,
    ) -> Lines {
        let mut binary = false;
        let mut unread = None;
        let mut count = |state: Option<&mut FileState>, worker: &mut Worker| {
            let Some(state) = state else {
                return (0, None);
            };
            match state.bytes(worker) {
                Some(b) if is_binary(&b) => binary = true,
                Some(b) => return (line_count(&b), state.origins.clone()),
                None => unread = Some(worker.why_unread(state.blob).unwrap_or("object missing")),
            }
            (0, None)
        };
        let both = old.is_some() && new.is_some();
        let (old_lines, old_origins) = count(old, self.worker);
        let (new_lines, _) = count(new, self.worker);
        if let Some(why) = unread {
            return Lines::Unknown(why.to_owned());
        }
        if binary {
            return Lines::Binary;
        }
        if both && compared.is_none() {
            return Lines::Unknown("the versions could not be compared".to_owned());
        }
        let whole = [Hunk {
            old_start: 0,
            old_len: old_lines,
            new_start: 0,
            new_len: new_lines,
        }];
        let hunks = if both { hunks } else { &whole };
        let removed: u32 = hunks.iter().map(|h| h.old_len).sum();
        let settled = |o: &[Origin]| -> usize {
            let of = |h: &Hunk| {
                let from = (h.old_start as usize).min(o.len());
                let to = (from + h.old_len as usize).min(o.len());
                o[from..to].iter().filter(|x| view.is_settled(**x)).count()
            };
            hunks.iter().map(of).sum()
        };
        let removed_settled = match &old_origins {
            _ if removed == 0 => Some(0),
            Some(o) => u32::try_from(settled(o)).ok(),
            None => None,
        };
        Lines::Counted(LineCounts {
            added: hunks.iter().map(|h| h.new_len).sum(),
            removed,
            removed_settled,
        })
    }

    fn functions(
        &mut self,
        language: Language,
        turn: &mut Turn<'_>,
        new: Option<&mut FileState>,
        hunks: &[Hunk],
        compared: Option<&Compared>,
        view: &SeenFrom<'_>,
    ) -> Result<Functions> {
        let settings = self.ground.settings;
        let old_language = match &turn.change.old_path {
            Some(p) => Language::of_path(p).unwrap_or(language),
            None => language,
        };
        let old_read = match &mut turn.old {
            Some(old) => Some(old.structure(self.worker, settings, old_language, None)?),
            None => None,
        };
        let (new_read, new_origins, new_lines) = match new {
            Some(new) => {
                if let Some(old) = &turn.old {
                    new.adopt_parse(old);
                }
                let from = compared.map(|c| (c.from, c.hunks.as_slice()));
                let read = new.structure(self.worker, settings, language, from)?;
                let lines = new.lines(self.worker);
                (Some(read), new.origins.clone(), lines)
            }
            None => (None, None, 0),
        };
        let unread = |side: &Option<Result<Arc<Structure>, Unread>>| match side {
            Some(Err(u)) => Some(*u),
            _ => None,
        };
        match (unread(&old_read), unread(&new_read)) {
            (None, None) => {}
            (Some(Unread::NoParser(l)), _) | (_, Some(Unread::NoParser(l))) => {
                return Ok(Functions::NoParser(l));
            }
            (Some(Unread::NotInProfile(_)), _) | (_, Some(Unread::NotInProfile(_))) => {
                return Ok(Functions::NoParser(language));
            }
            (old, new) => {
                let why = |u: Option<Unread>| match u {
                    Some(Unread::Unparsed(u)) => Some(u),
                    _ => None,
                };
                return Ok(Functions::Unparsed {
                    old: why(old),
                    new: why(new),
                });
            }
        }
        let empty = Arc::new(Structure::default());
        let old = old_read
            .and_then(Result::ok)
            .unwrap_or_else(|| Arc::clone(&empty));
        let new = new_read.and_then(Result::ok).unwrap_or(empty);
        let old_origins = turn.old.as_ref().and_then(|o| o.origins.clone());
        let whole = [Hunk {
            old_start: 0,
            old_len: turn.old.as_mut().map_or(0, |o| o.lines(self.worker)),
            new_start: 0,
            new_len: new_lines,
        }];
        let both = compared.is_some();
        let sides = Sides {
            language,
            old: &old,
            new: &new,
            hunks: if both { hunks } else { &whole },
            new_origins: new_origins.as_deref().map(Vec::as_slice),
            old_origins: old_origins.as_deref().map(Vec::as_slice),
        };
        Ok(Functions::Read(Box::new(touch::evidence(&sides, view))))
    }
}
