//! Who wrote the lines of a version: carried over, or put back by a reset.

use std::sync::Arc;

use crate::record::Role;
use crate::repo::{Hunk, is_binary, line_count};

use super::super::FileClass;
use super::super::file_state::FileState;
use super::super::origins::{self, Origin, Writing};
use super::super::scope;
use super::{Compared, Turn, Walk};

impl Walk<'_, '_> {
    /// Who wrote the lines of `new`.
    pub(super) fn write_origins(
        &mut self,
        turn: &mut Turn<'_>,
        new: &mut FileState,
        compared: Option<&Compared>,
    ) {
        // Set until the writers are known.
        new.origins_lost = true;
        let position = turn.position;
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        let role = self.ground.role(position);
        let Some(bytes) = new.bytes(self.worker) else {
            return;
        };
        let lines = if is_binary(&bytes) {
            0
        } else {
            line_count(&bytes)
        };
        let writing = if self.ground.passes_through(position) {
            Writing::PassThrough(number)
        } else {
            match role {
                Role::Agent | Role::Superseded | Role::Change => Writing::Own(number),
                Role::Base | Role::Reset | Role::Foreign => Writing::Base(number),
            }
        };
        let whole = [Hunk {
            old_start: 0,
            old_len: 0,
            new_start: 0,
            new_len: lines,
        }];
        let source_here = turn
            .source
            .as_mut()
            .is_none_or(|s| s.bytes(self.worker).is_some());
        if !source_here {
            return;
        }
        let (mut carried, written): (Vec<Origin>, &[Hunk]) = match (compared, &mut turn.source) {
            (Some(c), Some(source)) => match source.origins_or_base(self.worker) {
                Some(old) => (origins::carry(&old, &c.hunks, lines, writing), &c.hunks),
                None => return,
            },
            _ => (origins::carry(&[], &whole, lines, writing), &whole),
        };
        if role == Role::Reset && self.restore(turn, new, &mut carried, written) {
            self.findings.strange_resets.push(number);
        }
        new.origins = Some(Arc::new(carried));
        new.origins_lost = false;
    }

    /// Gives lines a reset put back their old writers; tells whether it changed a production
    /// file beyond that.
    fn restore(
        &mut self,
        turn: &Turn<'_>,
        new: &mut FileState,
        carried: &mut [Origin],
        written: &[Hunk],
    ) -> bool {
        let path: &[u8] = &turn.change.path;
        let header = self.header(path, new);
        let marks = self.ground.judging_marks(turn.position, path);
        let production = self.ground.class(path, marks, header) == FileClass::Production;
        let (Some(before), true) = (
            self.before_agent.1.get(path).cloned(),
            self.before_agent.0 == self.last_agent(turn.position),
        ) else {
            return production;
        };
        let Some(mut before) = before else {
            return production;
        };
        let restored = before.blob == new.blob;
        if let (Some(old), Some(c)) = (
            before.origins_or_base(self.worker),
            self.compare(Some(&mut before), new),
        ) {
            origins::restore(carried, &old, &c.hunks, written);
        }
        production && !restored
    }

    pub(super) fn check_deletion_by_reset(&mut self, turn: &Turn<'_>) {
        if self.ground.role(turn.position) != Role::Reset {
            return;
        }
        let path: &[u8] = &turn.change.path;
        let agent_made_it = self.before_agent.0 == self.last_agent(turn.position)
            && matches!(self.before_agent.1.get(path), Some(None));
        let production = scope::classify(
            self.ground.settings,
            path,
            self.ground.judging_marks(turn.position, path),
            false,
        ) == FileClass::Production;
        if production && !agent_made_it {
            let number = u32::try_from(turn.position).unwrap_or(u32::MAX);
            self.findings.strange_resets.push(number);
        }
    }

    fn last_agent(&self, position: usize) -> Option<usize> {
        (0..position)
            .rev()
            .find(|p| matches!(self.ground.role(*p), Role::Agent | Role::Superseded))
    }
}
