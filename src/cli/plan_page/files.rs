//! The files that a plan names, and how large they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::plan::{Arm, Base, Overlay, Plan, Task, Text};

/// Folders with more files are counted no further.
const FILES_MAX: u64 = 100_000;

/// A file or folder that the plan names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named<'p> {
    /// Whose it is: an arm, a task, `experiment`.
    pub(super) of: String,
    pub(super) what: &'static str,
    /// From the plan's folder.
    pub(super) path: PathBuf,
    /// Where it comes to stand in a tree.
    pub(super) to: Option<&'p str>,
}

/// How large it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// All files that are named for these arms and tasks, each once.
pub(super) fn of<'p>(
    plan: &'p Plan,
    arms: &[&'p Arm],
    tasks: &[Option<&'p Task>],
) -> Vec<Named<'p>> {
    let mut all = Collected::default();
    for task in tasks {
        let own = task.filter(|t| !t.checkpoints.is_empty());
        let of = own.map_or("experiment", |t| &t.name);
        for checkpoint in plan.checkpoints_of(*task) {
            all.text(of, "prompt", Some(&checkpoint.prompt));
            if let Some(patch) = &checkpoint.reference {
                all.path(of, "reference", patch);
            }
        }
        if let Some(task) = task {
            all.base(&task.name, task.base.as_ref());
        }
    }
    all.base("experiment", Some(&plan.experiment.base));
    let probe = plan.probe.as_ref().map(|p| &p.prompt);
    all.text("experiment", "probe", probe);
    all.text("experiment", "noop", plan.noop.as_ref().map(|n| &n.prompt));
    if let Some(review) = &plan.review {
        all.text("experiment", "review", Some(&review.prompt));
        all.text("experiment", "review", review.apply.as_ref());
    }
    for arm in arms {
        let name = &arm.name;
        all.base(name, arm.base.as_ref());
        all.overlays(name, "arm's files", &arm.files);
        all.overlays(name, "specification", arm.specs.iter().map(|s| &s.file));
        all.text(name, "prompt prefix", arm.prompt_prefix.as_ref());
        all.text(name, "prompt suffix", arm.prompt_suffix.as_ref());
        let workings = tasks.iter().map(|t| arm.on(t.map(|t| t.name.as_str())));
        for working in workings {
            all.overlays(name, "agent's configuration", &working.agent.config);
            all.text(name, "repair prompt", working.agent.repair_prompt.as_ref());
            all.text(name, "refactor prompt", working.refactor.map(|r| &r.prompt));
            let tests = working.gate.acceptance.iter().flat_map(|s| &s.tests);
            all.overlays(name, "acceptance tests", tests);
        }
    }
    all.list
}

#[derive(Default)]
struct Collected<'p> {
    list: Vec<Named<'p>>,
    seen: BTreeSet<Named<'p>>,
}

impl<'p> Collected<'p> {
    fn add(&mut self, of: &str, what: &'static str, path: &Path, to: Option<&'p str>) {
        let named = Named {
            of: of.to_owned(),
            what,
            path: path.to_owned(),
            to,
        };
        if self.seen.insert(named.clone()) {
            self.list.push(named);
        }
    }

    fn path(&mut self, of: &str, what: &'static str, path: &Path) {
        self.add(of, what, path, None);
    }

    fn text(&mut self, of: &str, what: &'static str, text: Option<&Text>) {
        if let Some(Text::File(path)) = text {
            self.path(of, what, path);
        }
    }

    fn overlays(
        &mut self,
        of: &str,
        what: &'static str,
        all: impl IntoIterator<Item = &'p Overlay>,
    ) {
        for overlay in all {
            self.add(of, what, &overlay.from, Some(&overlay.to));
        }
    }

    fn base(&mut self, of: &str, base: Option<&Base>) {
        if let Some(Base::Folder(path) | Base::Bundle(path, _)) = base {
            self.path(of, "base", path);
        }
    }
}

impl Named<'_> {
    /// How large it is; `None` where it cannot be read. Links are not followed.
    pub(super) fn size(&self, folder: &Path) -> Option<Size> {
        let mut size = Size::default();
        each(&folder.join(&self.path), &mut |_, bytes| {
            size.files += 1;
            size.bytes += bytes;
        })
        .then_some(size)
    }
}

/// Calls `at` with every file at or below `path` and its size; false where something cannot be
/// read or there are too many.
pub(super) fn each(path: &Path, at: &mut impl FnMut(&Path, u64)) -> bool {
    let mut left = vec![path.to_owned()];
    let mut seen = 0;
    while let Some(path) = left.pop() {
        // What the plan names may be a link in its folder; below that none is followed.
        let is = match seen {
            0 => path.metadata(),
            _ => path.symlink_metadata(),
        };
        seen += 1;
        let Ok(is) = is else { return false };
        if seen > FILES_MAX {
            return false;
        }
        if is.is_dir() {
            let Ok(entries) = std::fs::read_dir(&path) else {
                return false;
            };
            let entries: Result<Vec<_>, _> = entries.map(|e| e.map(|e| e.path())).collect();
            let Ok(mut entries) = entries else {
                return false;
            };
            entries.sort_unstable_by(|a, b| b.cmp(a));
            left.extend(entries);
        } else {
            at(&path, is.len());
        }
    }
    true
}
