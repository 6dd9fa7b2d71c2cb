//! Whose a line is, seen from one measured change.

use std::collections::BTreeMap;

use crate::record::Role;

use super::Written;
use super::line::Line;
use super::origins::Origin;
use super::touch::Writers;

/// The writers as seen from the change at one position.
pub(super) struct SeenFrom<'a> {
    line: &'a Line,
    position: u32,
    base: u32,
    own: u32,
}

impl<'a> SeenFrom<'a> {
    /// The view from `position`.
    pub(super) fn new(line: &'a Line, position: usize) -> SeenFrom<'a> {
        let clamp = |p: usize| u32::try_from(p).unwrap_or(u32::MAX);
        let mut view = SeenFrom {
            line,
            position: clamp(position),
            base: clamp(line.window_base(position)),
            own: 0,
        };
        view.own = match (&line.chain, line.commits.get(position)) {
            // What has no checkpoint of its own stands where the next one would.
            (Some(_), Some(c)) if matches!(c.role, Role::Foreign | Role::Change) => {
                let before = line.commits.iter().take(position);
                before.map(|c| c.checkpoint).max().unwrap_or(0) + 1
            }
            _ => view.checkpoint(view.position),
        };
        view
    }

    /// The checkpoint of a writer: of a chain, the plan's number; of a plain history, the
    /// position from the window's base. The base and everything older: 0.
    pub(super) fn checkpoint(&self, writer: u32) -> u32 {
        if writer <= self.base {
            return 0;
        }
        match (&self.line.chain, self.line.commits.get(writer as usize)) {
            (Some(_), Some(c)) => c.checkpoint,
            _ => writer - self.base,
        }
    }

    /// The checkpoint of the change itself.
    pub(super) fn own_checkpoint(&self) -> u32 {
        self.own
    }

    /// Whether a line was written two or more checkpoints ago, the base being checkpoint 0.
    pub(super) fn is_settled(&self, origin: Origin) -> bool {
        origin.writer != self.position
            && self.own_checkpoint() >= self.checkpoint(origin.writer) + 2
    }
}

impl Writers for SeenFrom<'_> {
    fn is_prior(&self, origin: Origin) -> bool {
        origin.writer > self.base
            && origin.writer < self.position
            && (self.line.chain.is_none()
                || self.checkpoint(origin.writer) != self.own_checkpoint())
    }

    fn is_prior_pc(&self, origin: Origin) -> bool {
        origin.blamed > self.base && origin.blamed < self.position
    }

    fn is_own(&self, origin: Origin) -> bool {
        origin.writer == self.position
    }

    fn written(&self, by_writer: &BTreeMap<u32, u32>) -> Vec<Written> {
        let mut list = Vec::new();
        let mut base_lines = 0;
        for (writer, lines) in by_writer {
            if *writer <= self.base {
                base_lines += lines;
                continue;
            }
            list.push(Written {
                commit: self.line.commits.get(*writer as usize).map(|c| c.commit.id),
                checkpoint: self.checkpoint(*writer),
                lines: *lines,
            });
        }
        if base_lines > 0 {
            list.push(Written {
                commit: None,
                checkpoint: 0,
                lines: base_lines,
            });
        }
        list.sort_by(|a, b| b.lines.cmp(&a.lines).then(b.checkpoint.cmp(&a.checkpoint)));
        list
    }
}

/// Whether commits of this role measure churn: agents' and ordinary changes.
pub(super) fn is_a_change(role: Role) -> bool {
    matches!(role, Role::Agent | Role::Change)
}
