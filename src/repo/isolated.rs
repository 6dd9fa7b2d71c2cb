//! A clone that shares nothing: made from a pack of one chain's objects, with a git directory that
//! is written here and not by `git clone`, so that no template, hook, remote, alternate, hard link
//! or configuration of anybody's comes in.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use super::call::succeeded;
use super::export::{system, vacant};
use super::program::{git, not_started, repository};
use super::{Oid, Reader, Repo};
use crate::error::{Error, Result};

/// Variables that would make git work on another repository than the one it is given.
const ELSEWHERE: [&str; 10] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_TEMPLATE_DIR",
];
const HEAD: &str = "ref: refs/heads/main\n";

impl Repo {
    /// A clone of `tip` in the folder `into` (empty or missing), on branch `main`: made from a
    /// pack of `base` and what stands on it, cut off below `base`; with the whole history below
    /// it where `history`. Checked out byte for byte, submodules as empty folders; an index that
    /// says so; nobody's identity but `agent`'s.
    ///
    /// # Errors
    /// Usage where `into` holds anything; internal where `base` is no ancestor of `tip`; git
    /// where an object is missing or something cannot be written.
    pub fn isolated_clone(&self, tip: Oid, base: Oid, history: bool, into: &Path) -> Result<()> {
        let reader = self.reader()?;
        if !reader.is_ancestor(base, tip)? {
            return Err(Error::internal(format!(
                "cloning {tip}: {base} is none of its ancestors"
            )));
        }
        vacant(into)?;
        let git_dir = into.join(".git");
        bare_bones(&git_dir, tip.0.kind())?;
        let cut = match (history, reader.commit(base)?.parents.is_empty()) {
            (false, false) => vec![base],
            _ => Vec::new(),
        };
        let pack = git_dir.join("objects/pack/incoming");
        self.pack(tip, &cut, &pack)?;
        let mut index = ours(&git_dir);
        index.args(["index-pack", "--stdin"]);
        index.stdin(open(&pack)?).stdout(Stdio::null());
        let out = index.stderr(Stdio::piped()).output().map_err(not_started)?;
        succeeded("index-pack", out)?;
        let writing = |e| Error::git(format!("writing {}", git_dir.display())).with_source(e);
        fs::remove_file(&pack).map_err(writing)?;
        let mut edges = cut;
        if history {
            edges.extend(reader.edges_below(tip)?);
        }
        if !edges.is_empty() {
            let lines: String = edges.iter().map(|id| format!("{id}\n")).collect();
            fs::write(git_dir.join("shallow"), lines).map_err(writing)?;
        }
        fs::write(git_dir.join("refs/heads/main"), format!("{tip}\n")).map_err(writing)?;
        let tree = reader.commit(tip)?.tree;
        self.write_files(&reader.leaves(tree)?, into)?;
        self.write_index(tree, into)
    }

    /// A pack of `tip` and its history, as if the commits `cut` had no parents, in the new file
    /// `to`.
    fn pack(&self, tip: Oid, cut: &[Oid], to: &Path) -> Result<()> {
        let doing = |e| Error::git(format!("writing {}", to.display())).with_source(e);
        let file = File::create_new(to).map_err(doing)?;
        let mut input: String = cut.iter().map(|id| format!("--shallow {id}\n")).collect();
        input.push_str(&format!("{tip}\n"));
        let words = [
            "--revs",
            "--stdout",
            "-q",
            "--delta-base-offset",
            // A bitmap's pack may be sent as it is, with what else stands in it.
            "--no-use-bitmap-index",
        ];
        let out = self
            .program()
            .call(&[], "pack-objects", &words)
            .fetching()
            .input(input)
            .output_to(Stdio::from(file))
            .run()?;
        succeeded("pack-objects", out).map(drop)
    }

    /// The index of the files of `tree` in the work tree `top`, which hold what it says.
    fn write_index(&self, tree: Oid, top: &Path) -> Result<()> {
        let repo = self.git();
        let options = gix::validate::path::component::Options::default();
        let mut index = gix::index::State::from_tree(&tree.0, &repo.objects, options)
            .map_err(|e| Error::git(format!("reading tree {tree}")).with_source(e))?;
        let paths: Vec<_> = index
            .entries()
            .iter()
            .map(|e| e.path(&index).to_owned())
            .collect();
        for (entry, path) in index.entries_mut().iter_mut().zip(&paths) {
            let doing = || format!("checking out {path}");
            let full = top.join(system(path)?);
            let stat = gix::index::fs::Metadata::from_path_no_follow(&full)
                .map_err(|e| Error::git(doing()).with_source(e))?;
            entry.stat = gix::index::entry::Stat::from_fs(&stat)
                .map_err(|e| Error::git(doing()).with_source(e))?;
        }
        let mut file = gix::index::File::from_state(index, top.join(".git/index"));
        file.write(gix::index::write::Options::default())
            .map_err(|e| Error::git("writing the index").with_source(e))
    }
}

impl Reader {
    /// The commits below `tip` behind which history is cut off here.
    fn edges_below(&self, tip: Oid) -> Result<Vec<Oid>> {
        let mut below = self.edges();
        let mut trouble = None;
        below.retain(|edge| {
            let is_below = self.is_ancestor(*edge, tip);
            is_below.unwrap_or_else(|e| {
                trouble = Some(e);
                false
            })
        });
        trouble.map_or(Ok(below), Err)
    }
}

/// What makes a folder a git directory, and nothing more. `HEAD` names the unborn branch `main`.
pub(super) fn bare_bones(git_dir: &Path, hash: gix::hash::Kind) -> Result<()> {
    let writing = |e| Error::git(format!("making {}", git_dir.display())).with_source(e);
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        fs::create_dir_all(git_dir.join(folder)).map_err(writing)?;
    }
    fs::write(git_dir.join("HEAD"), HEAD).map_err(writing)?;
    fs::write(git_dir.join("config"), configuration(hash)).map_err(writing)
}

fn configuration(hash: gix::hash::Kind) -> String {
    let (version, extension) = match hash {
        gix::hash::Kind::Sha1 => (0, String::new()),
        other => (1, format!("[extensions]\n\tobjectFormat = {other}\n")),
    };
    format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = false\n\
         \tlogallrefupdates = true\n{extension}\
         [user]\n\tname = agent\n\temail = agent@localhost.invalid\n"
    )
}

/// Git on a repository that was made here, whatever the environment says of another.
pub(super) fn ours(git_dir: &Path) -> Command {
    let mut command = git(git_dir);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command.env("GIT_NO_LAZY_FETCH", "1");
    command.args(repository(git_dir, None));
    command
}

pub(super) fn open(file: &Path) -> Result<File> {
    File::open(file).map_err(|e| Error::git(format!("reading {}", file.display())).with_source(e))
}
