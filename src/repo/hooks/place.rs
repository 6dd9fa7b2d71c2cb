//! Where git looks for hooks, and whose that folder is.

use std::path::{Path, PathBuf};

use super::super::Repo;
use super::run::home_of_hooks;
use super::script::from_bytes;
use super::{HookEvent, Manager};
use crate::error::Result;

/// A manager's file larger than this is not read.
const MANAGED_MAX: u64 = 1 << 20;

/// The folder git looks for hooks in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksPlace {
    /// The folder; absolute. It may not exist.
    pub folder: PathBuf,
    /// Inside the git directory that all worktrees share: nobody else's, so we may write there.
    pub inside: bool,
    /// `core.hooksPath`, where it is set.
    pub configured: Option<HooksPath>,
}

/// The setting `core.hooksPath`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksPath {
    /// As it is set, lossily decoded; empty means the folder git runs in.
    pub value: String,
    /// Where: `local`, `global`, `system`, `worktree`, `command`.
    pub scope: String,
}

impl HooksPlace {
    /// Asks git.
    ///
    /// # Errors
    /// Git is not there or does not say.
    pub fn of(repo: &Repo) -> Result<HooksPlace> {
        let git = repo.program().plain();
        // Not --path-format=absolute: that refuses an empty core.hooksPath, which git takes for
        // the folder it runs in.
        let mut said = git.output(&["rev-parse", "--git-path", "hooks"])?;
        if said.last() == Some(&b'\n') {
            said.pop();
        }
        let folder = home_of_hooks(repo).join(from_bytes(said));
        // Without the `.` of an empty setting.
        let folder: PathBuf = folder.components().collect();
        let setting = git.run(&["config", "--show-scope", "--get", "core.hooksPath"])?;
        let configured = match setting.status.success() {
            true => {
                let text = String::from_utf8_lossy(&setting.stdout);
                let text = text.strip_suffix('\n').unwrap_or(&text);
                let (scope, value) = text.split_once('\t').unwrap_or(("", text));
                Some(HooksPath {
                    value: value.to_owned(),
                    scope: scope.to_owned(),
                })
            }
            false => None,
        };
        Ok(HooksPlace {
            inside: really(&folder).starts_with(really(repo.common_dir())),
            folder,
            configured,
        })
    }

    /// Who looks after the folder, as far as can be told.
    pub(super) fn manager(&self, repo: &Repo) -> Manager {
        let top = home_of_hooks(repo);
        if self.folder.ends_with(".husky/_") || self.folder.ends_with(".husky") {
            return Manager::Husky;
        }
        match lefthook(top) {
            Some(file) => Manager::Lefthook(file),
            None => Manager::Folder,
        }
    }

    /// The file a call for `event` is to be added to.
    pub(super) fn file_to_edit(&self, repo: &Repo, event: HookEvent) -> PathBuf {
        match self.manager(repo) {
            Manager::Husky if self.folder.ends_with("_") => {
                let above = self.folder.parent().unwrap_or(&self.folder);
                above.join(event.word())
            }
            Manager::Husky | Manager::Folder => self.folder.join(event.word()),
            Manager::Lefthook(file) => file,
        }
    }

    /// The file in which somebody wrote down a call of ours for `event`.
    pub(super) fn managed(&self, repo: &Repo, event: HookEvent) -> Option<PathBuf> {
        let top = home_of_hooks(repo);
        let mut files = vec![self.folder.join(event.word())];
        if let Some(above) = self.folder.parent().filter(|_| self.folder.ends_with("_")) {
            files.push(above.join(event.word()));
        }
        // A manager's configuration counts where the manager has its hook.
        if self.folder.join(event.word()).is_file() {
            files.extend(lefthook(top));
            files.push(top.join(".pre-commit-config.yaml"));
        }
        files.into_iter().find(|file| calls_us(file, event))
    }
}

/// The configuration of lefthook in `top`, under any of the names it takes.
fn lefthook(top: &Path) -> Option<PathBuf> {
    ["lefthook", ".lefthook", ".config/lefthook"]
        .into_iter()
        .flat_map(|stem| ["yml", "yaml", "toml", "json"].map(|end| format!("{stem}.{end}")))
        .map(|name| top.join(name))
        .find(|file| file.is_file())
}

fn calls_us(file: &Path, event: HookEvent) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.len() <= MANAGED_MAX);
    if !small {
        return false;
    }
    let text = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .any(|line| {
            ["git-evolve hook ", "git evolve hook "]
                .iter()
                .any(|call| line.contains(&format!("{call}{}", event.word())))
        })
}

/// The path without links and `..`; of what does not exist, as far as it does.
fn really(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => really(above).join(name),
        (Some(above), None) => {
            let above = really(above);
            above.parent().unwrap_or(&above).to_owned()
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_yet_cannot_climb_out_unseen() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = std::fs::canonicalize(folder.path()).expect("there");
        let inner = top.join("git/none/../../out/hooks");
        assert_eq!(really(&inner), top.join("out/hooks"));
        assert_eq!(really(&top.join("git/hooks")), top.join("git/hooks"));
    }

    #[test]
    fn a_call_counts_where_it_is_no_comment() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("post-commit");
        for (text, wanted) in [
            ("#!/bin/sh\ngit evolve hook post-commit || true\n", true),
            (HookEvent::PostCommit.line(), true),
            ("# git evolve hook post-commit\n", false),
            ("git evolve hook post-rewrite\n", false),
        ] {
            std::fs::write(&file, text).expect("written");
            assert_eq!(calls_us(&file, HookEvent::PostCommit), wanted, "{text}");
        }
    }
}
