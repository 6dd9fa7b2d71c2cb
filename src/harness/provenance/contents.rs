//! The content ids of the files that a run is made with, as git computes them of the bytes as they
//! are: blob ids of files and of words that stand in the plan, tree ids of folders.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::plan::{Arm, Checkpoint, Overlay, Plan, Task, Text};
use crate::record::{ContentId, ObjectName, PathName};
use crate::repo::{Leaf, LeafMode, Oid, Reader};

/// Files of one folder that are listed one by one; its tree id stands for all of them.
const LISTED: usize = 1_000;
/// Files of one folder; more are no part of a plan.
const MOST: usize = 200_000;
/// A larger file is none of a plan's, in bytes.
const LARGEST: u64 = 512 << 20;
/// Folders below one that are looked into.
const DEEPEST: usize = 64;

/// The contents that a chain of `arm` on `task` is run with: of the whole chain, or of one
/// checkpoint alone, which leaves out what the base holds since. Sorted, none twice.
///
/// # Errors
/// Usage where a file of the plan cannot be read, or is too large.
pub(in crate::harness) fn contents(
    reader: &Reader,
    plan: &Plan,
    arm: &Arm,
    task: Option<&Task>,
    checkpoint: Option<&Checkpoint>,
) -> Result<Vec<ContentId>> {
    let mut listed = Contents {
        reader,
        plan,
        each: checkpoint.is_none(),
        found: Vec::new(),
    };
    let id = reader.blob_id(plan.text.as_bytes())?;
    listed.add("plan", listed.own_name(), None, id);
    let working = arm.on(task.map(|t| t.name.as_str()));
    let everyones = [
        ("prompt-prefix", &arm.prompt_prefix),
        ("prompt-suffix", &arm.prompt_suffix),
        ("repair-prompt", &working.agent.repair_prompt),
    ];
    for (role, text) in everyones {
        if let Some(text) = text {
            listed.text(role, text, None)?;
        }
    }
    if let Some(refactor) = working.refactor {
        listed.text("refactor-prompt", &refactor.prompt, None)?;
    }
    if let Some(review) = &plan.review {
        listed.text("review-prompt", &review.prompt, None)?;
        if let Some(apply) = &review.apply {
            listed.text("review-apply", apply, None)?;
        }
    }
    let all = plan.checkpoints_of(task).iter();
    let own = checkpoint.into_iter();
    let these: Vec<&Checkpoint> = match checkpoint {
        Some(_) => own.collect(),
        None => all.collect(),
    };
    for checkpoint in these {
        listed.text("prompt", &checkpoint.prompt, Some(&checkpoint.id))?;
        if let Some(patch) = &checkpoint.reference {
            listed.path("reference", patch, Some(&checkpoint.id))?;
        }
    }
    if checkpoint.is_none() {
        if let Some(probe) = &plan.probe {
            listed.text("probe-prompt", &probe.prompt, None)?;
        }
        if let Some(noop) = &plan.noop {
            listed.text("noop-prompt", &noop.prompt, None)?;
        }
        listed.overlays("arm-file", &arm.files)?;
        for spec in &arm.specs {
            listed.path("spec", &spec.file.from, None)?;
        }
    }
    listed.overlays("config", &working.agent.config)?;
    for suite in [&working.gate.visible, &working.gate.acceptance] {
        listed.overlays("tests", suite.as_ref().map_or(&[], |s| &s.tests))?;
    }
    let mut found = listed.found;
    found.sort();
    found.dedup();
    Ok(found)
}

struct Contents<'a> {
    reader: &'a Reader,
    plan: &'a Plan,
    /// Whether the files of folders are listed one by one, too.
    each: bool,
    found: Vec<ContentId>,
}

impl Contents<'_> {
    fn add(&mut self, role: &str, path: PathName, checkpoint: Option<&str>, id: Oid) {
        let Some(id) = ObjectName::parse(&id.to_string()) else {
            return;
        };
        let checkpoint = checkpoint.map(str::to_owned);
        self.found.push(ContentId {
            checkpoint,
            ..ContentId::of(role, path, id)
        });
    }

    /// The path of the plan itself.
    fn own_name(&self) -> PathName {
        PathName::of(self.plan.file.as_bytes())
    }

    fn text(&mut self, role: &str, text: &Text, checkpoint: Option<&str>) -> Result<()> {
        match text {
            Text::Here(words) => {
                let id = self.reader.blob_id(words.as_bytes())?;
                self.add(role, self.own_name(), checkpoint, id);
                Ok(())
            }
            Text::File(path) => self.path(role, path, checkpoint),
        }
    }

    fn overlays(&mut self, role: &str, overlays: &[Overlay]) -> Result<()> {
        let mut each = overlays.iter();
        each.try_for_each(|o| self.path(role, &o.from, None))
    }

    /// A file, or all that is in a folder.
    fn path(&mut self, role: &str, path: &Path, checkpoint: Option<&str>) -> Result<()> {
        let at = self.plan.folder.join(path);
        let kind = fs::metadata(&at).map_err(|e| reading(&at, e))?;
        if !kind.is_dir() {
            let id = self.reader.blob_id(&read(&at)?)?;
            self.add(role, self.shown(&at), checkpoint, id);
            return Ok(());
        }
        let mut files = BTreeMap::new();
        self.below(&at, &mut Vec::new(), &mut files, DEEPEST)?;
        if self.each {
            for (inner, leaf) in files.iter().take(LISTED) {
                let file = at.join(Path::new(std::ffi::OsStr::from_bytes(inner)));
                self.add(role, self.shown(&file), checkpoint, leaf.id);
            }
        }
        let id = self.reader.tree_id(&files)?;
        self.add(role, self.shown(&at), checkpoint, id);
        Ok(())
    }

    /// The files below `at` as a tree would hold them. Links are not followed.
    fn below(
        &self,
        at: &Path,
        name: &mut Vec<u8>,
        into: &mut BTreeMap<Vec<u8>, Leaf>,
        left: usize,
    ) -> Result<()> {
        for entry in fs::read_dir(at).map_err(|e| reading(at, e))? {
            let entry = entry.map_err(|e| reading(at, e))?;
            let (path, own) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(|e| reading(&path, e))?;
            let length = name.len();
            if length > 0 {
                name.push(b'/');
            }
            name.extend_from_slice(own.as_bytes());
            if kind.is_dir() {
                if own != ".git" && left > 0 {
                    self.below(&path, name, into, left - 1)?;
                }
            } else {
                let (mode, bytes) = if kind.is_symlink() {
                    let target = fs::read_link(&path).map_err(|e| reading(&path, e))?;
                    (LeafMode::Symlink, target.as_os_str().as_bytes().to_vec())
                } else {
                    let about = entry.metadata().map_err(|e| reading(&path, e))?;
                    let mode = match about.permissions().mode() & 0o100 {
                        0 => LeafMode::Plain,
                        _ => LeafMode::Executable,
                    };
                    (mode, read(&path)?)
                };
                let id = self.reader.blob_id(&bytes)?;
                into.insert(name.clone(), Leaf { mode, id });
                if into.len() > MOST {
                    let what = format!("{} holds more than {MOST} files", at.display());
                    return Err(Error::usage(what));
                }
            }
            name.truncate(length);
        }
        Ok(())
    }

    /// A path from the plan's folder, where it is in it.
    fn shown(&self, at: &Path) -> PathName {
        let plain = |p: &Path| -> PathBuf { p.components().collect() };
        let (at, folder) = (plain(at), plain(&self.plan.folder));
        let inside = at.strip_prefix(&folder).unwrap_or(&at);
        PathName::of(inside.as_os_str().as_bytes())
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let about = fs::metadata(path).map_err(|e| reading(path, e))?;
    if !about.is_file() {
        return Err(Error::usage(format!("{}: not a file", path.display())));
    }
    if about.len() > LARGEST {
        let (path, most) = (path.display(), LARGEST >> 20);
        return Err(Error::usage(format!("{path} is over {most} MiB")));
    }
    fs::read(path).map_err(|e| reading(path, e))
}

fn reading(path: &Path, e: std::io::Error) -> Error {
    Error::usage(format!("reading {}", path.display())).with_source(e)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::trial;
    use super::*;
    use crate::plan::OfTask;
    use crate::repo::{Repo, Writer};

    fn put(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn git(folder: &Path, args: &[&str]) -> String {
        let out = Command::new("git")
            .args(args)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git runs");
        assert!(out.status.success(), "git {args:?}");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }

    fn folder() -> (tempfile::TempDir, Reader) {
        let folder = tempfile::tempdir().expect("a folder");
        Writer::create(folder.path()).expect("a repository");
        for (path, text) in [
            ("prompts/one.md", "Do one.\n"),
            ("SPEC.md", "It must.\n"),
            ("arm/GUIDE.md", "guide\n"),
            ("arm/.git/config", "not looked at\n"),
            ("acceptance/a/one_test.py", "assert 1\n"),
            ("acceptance/run.sh", "#!/bin/sh\n"),
        ] {
            put(folder.path(), path, text);
        }
        let script = folder.path().join("acceptance/run.sh");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("set");
        std::os::unix::fs::symlink("run.sh", folder.path().join("acceptance/link")).expect("made");
        let reader = Repo::discover(folder.path()).and_then(|r| r.reader());
        (folder, reader.expect("a repository"))
    }

    fn shown(contents: &[ContentId]) -> Vec<String> {
        let of = |c: &ContentId| c.checkpoint.as_ref().map(|k| format!(" of {k}"));
        contents
            .iter()
            .map(|c| format!("{} {}{}", c.role, c.path.path, of(c).unwrap_or_default()))
            .collect()
    }

    #[test]
    fn a_chain_names_every_file_and_a_checkpoint_its_own() {
        let (folder, reader) = folder();
        let plan = trial::plan(folder.path());
        let arm = &plan.arms[0];
        let all = contents(&reader, &plan, arm, None, None).expect("read");
        assert_eq!(
            shown(&all),
            [
                "arm-file arm",
                "arm-file arm/GUIDE.md",
                "plan evolve.toml",
                "prompt evolve.toml of two",
                "prompt prompts/one.md of one",
                "prompt-prefix evolve.toml",
                "spec SPEC.md",
                "tests acceptance",
                "tests acceptance/a/one_test.py",
                "tests acceptance/link",
                "tests acceptance/run.sh",
            ]
        );
        let own = contents(&reader, &plan, arm, None, plan.checkpoints.first()).expect("read");
        assert_eq!(
            shown(&own),
            [
                "plan evolve.toml",
                "prompt prompts/one.md of one",
                "prompt-prefix evolve.toml",
                "tests acceptance",
            ]
        );
        let unchanged = |c: &ContentId| all.contains(c);
        assert!(own.iter().all(unchanged), "the same ids in both");
    }

    #[test]
    fn ids_are_those_that_git_gives_the_same_bytes() {
        let (folder, reader) = folder();
        let plan = trial::plan(folder.path());
        let all = contents(&reader, &plan, &plan.arms[0], None, None).expect("read");
        let id = |role: &str, path: &str| {
            let found = all.iter().find(|c| c.role == role && c.path.path == path);
            found.expect("listed").id.to_string()
        };
        let at = folder.path();
        let hash = |path: &str| git(at, &["hash-object", "--no-filters", path]);
        assert_eq!(id("spec", "SPEC.md"), hash("SPEC.md"));
        let test = "acceptance/a/one_test.py";
        assert_eq!(id("tests", test), hash(test));
        let work = at.to_str().expect("UTF-8");
        let git_dir = Repo::discover(at).expect("a repository");
        let git_dir = git_dir.git_dir().to_str().expect("UTF-8").to_owned();
        let place = [&format!("--git-dir={git_dir}"), "--work-tree", work];
        let run = |args: &[&str]| git(at, &[&place[..], args].concat());
        run(&["add", "acceptance"]);
        let tree = run(&["write-tree", "--prefix=acceptance/"]);
        assert_eq!(id("tests", "acceptance"), tree);
        put(at, "acceptance/a/one_test.py", "assert 2\n");
        let own = contents(
            &reader,
            &plan,
            &plan.arms[0],
            None,
            plan.checkpoints.first(),
        );
        let own = own.expect("read");
        let tests = own.iter().find(|c| c.role == "tests").expect("listed");
        assert_ne!(
            tests.id.to_string(),
            tree,
            "a changed file changes its folder"
        );
    }

    #[test]
    fn what_a_task_overrides_is_named_as_it_holds_there_and_the_plan_by_its_file() {
        let (folder, reader) = folder();
        let mut plan = trial::plan(folder.path());
        plan.file = "other.toml".to_owned();
        put(folder.path(), "own/two_test.py", "assert 2\n");
        let task = Task {
            name: "t".to_owned(),
            base: None,
            setup: Vec::new(),
            checkpoints: Vec::new(),
        };
        let arm = &mut plan.arms[0];
        let mut own = OfTask {
            agent: arm.agent.clone(),
            gate: arm.gate.clone(),
            refactor: None,
        };
        let suite = own.gate.acceptance.as_mut().expect("a suite");
        suite.tests = vec![trial::overlay("own")];
        own.agent.repair_prompt = Some(Text::Here("Mend it.\n".to_owned()));
        arm.of_tasks.insert(task.name.clone(), own);
        let (arm, one) = (&plan.arms[0], plan.checkpoints.first());
        let own = contents(&reader, &plan, arm, Some(&task), one).expect("read");
        assert_eq!(
            shown(&own),
            [
                "plan other.toml",
                "prompt prompts/one.md of one",
                "prompt-prefix other.toml",
                "repair-prompt other.toml",
                "tests own",
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let (folder, reader) = folder();
        let plan = trial::plan(folder.path());
        fs::remove_file(folder.path().join("SPEC.md")).expect("removed");
        let error = contents(&reader, &plan, &plan.arms[0], None, None).expect_err("not there");
        assert!(error.to_string().contains("SPEC.md"), "{error}");
        assert_eq!(error.kind(), crate::Kind::Usage);
    }
}
