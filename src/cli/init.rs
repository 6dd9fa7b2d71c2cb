//! `git evolve init`.

mod detect;
mod from;
mod written;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::Global;
use super::output::say;
use super::plan_file;
use super::session::{Done, directory};
use crate::error::{Error, Result};
use crate::plan;
use crate::repo::Repo;

/// Write a commented plan (evolve.toml) for this repository
///
/// Looks for Maven, Gradle, pytest and Go and writes how each runs its tests, where the reports
/// and coverage come to stand, and which files an experiment should own. What it wrote can be
/// looked at with `git evolve plan` at once; then put your change requests into prompts/ and say
/// which agent works.
///
/// Nothing that is there is overwritten without --force.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Overwrite the plan and prompts that are there
    #[arg(long)]
    pub force: bool,
    /// Take the change requests of FILE, a list as PetClinic's checkpoints.yaml
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Write the plan here, and prompts/ beside it [default: evolve.toml at the top]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs it.
///
/// # Errors
/// No repository; files that are there already; a list of requests that is wrong; files that
/// cannot be written.
pub(super) fn run(global: &Global, args: &InitArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let target = match (&args.output, repo.work_dir()) {
        (Some(file), _) => directory(global).join(file),
        (None, Some(top)) => top.join("evolve.toml"),
        (None, None) => {
            return Err(
                Error::usage("a bare repository has no work tree to write a plan in")
                    .with_hint("-o FILE says where it shall stand"),
            );
        }
    };
    let name = target
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .ok_or_else(|| Error::usage("-o names no file"))?;
    let folder = target.parent().unwrap_or(Path::new("")).to_owned();
    let requests = match &args.from {
        Some(file) => Some(from::read(global, file)?),
        None => None,
    };
    let found = match repo.work_dir() {
        Some(top) => detect::projects(top),
        None => Vec::new(),
    };
    let owned = repo.work_dir().map(detect::owned).unwrap_or_default();
    let experiment = experiment_name(&repo);
    let asked = match &requests {
        Some(requests) => from::checkpoints(requests),
        None => written::example(),
    };
    let text = written::plan(&experiment, &found, &owned, &asked);
    let mut files = vec![(target.clone(), text.clone())];
    let prompts = asked
        .iter()
        .map(|a| (folder.join(&a.file), a.prompt.clone()));
    files.extend(prompts);
    write_all(&files, args.force)?;
    // What was written is a plan, whatever was found: else the fault is ours.
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => &folder,
    };
    plan::read(&text, &name, folder)
        .and_then(|_| plan_file::figures(&text, &name))
        .map_err(|e| Error::internal(format!("writing a plan that is none: {e}")))?;
    tell(&name, &found, asked.len(), requests.as_ref());
    Ok(Done::Well)
}

fn tell(name: &str, found: &[detect::Project], asked: usize, requests: Option<&plan::Requests>) {
    for remark in requests.into_iter().flat_map(|r| &r.remarks) {
        say(remark);
    }
    match found {
        [] => say("no Maven, Gradle, pytest or Go found: say under [gate.visible] how tests run"),
        found => {
            let words: Vec<String> = found.iter().map(detect::Project::words).collect();
            say(&format!("found {}", words.join(", ")));
        }
    }
    let files = crate::report::counted(asked as u64, "prompt", "prompts");
    say(&format!("wrote {name} and {files} in prompts/"));
    say("next: say under [agent] who works, then `git evolve plan` shows what would run");
}

/// The experiment's name: that of the folder, as a part of a chain's path.
fn experiment_name(repo: &Repo) -> String {
    let top = repo.work_dir().unwrap_or(repo.common_dir());
    let name = top.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".git").to_lowercase();
    let mut part = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | '0'..='9' => part.push(c),
            _ if !part.is_empty() && !part.ends_with('-') => part.push('-'),
            _ => {}
        }
    }
    part.truncate(63);
    match part.trim_end_matches('-') {
        "" => "experiment".to_owned(),
        part => part.to_owned(),
    }
}

/// Writes all files, or none where one is there and must not be overwritten.
fn write_all(files: &[(PathBuf, String)], force: bool) -> Result<()> {
    let there: Vec<String> = files
        .iter()
        .filter(|(path, _)| path.symlink_metadata().is_ok())
        .map(|(path, _)| path.display().to_string())
        .collect();
    if !force && !there.is_empty() {
        return Err(Error::usage(format!("already there: {}", there.join(", ")))
            .with_hint("--force overwrites, -o FILE writes elsewhere"));
    }
    for (path, text) in files {
        let failed = |e: std::io::Error| {
            let shown = path.display();
            Error::usage(format!("writing {shown}")).with_source(e)
        };
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        if force && path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
            // The link is ours to replace, what it leads to is not.
            std::fs::remove_file(path).map_err(failed)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true);
        match force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        let file = options.open(path);
        file.and_then(|mut f| f.write_all(text.as_bytes()))
            .map_err(failed)?;
    }
    Ok(())
}
