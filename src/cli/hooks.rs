//! `git evolve hooks`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::args::{FormatArgs, Global};
use super::habits::Habits;
use super::output::{Output, say};
use super::session::{Done, directory, stamp};
use crate::error::{Error, Result};
use crate::repo::GitVersion;
use crate::repo::Repo;
use crate::repo::hooks::{self, Deed, Survey};
use crate::report::{HookRow, HooksView, decoded, hex_where_needed, write_hooks};

/// Have git call git-evolve after commits and rewrites and before pushes
///
/// Hooks are a convenience: everything works without them. post-commit lists the commits made
/// during a checkpoint, post-rewrite carries records over an amend or a rebase, pre-push
/// publishes records where `evolve.publishOnPush` is true. A hook never fails your command.
///
/// With git 2.54 or newer they stand in the repository's configuration and no file is touched.
/// Before that, a dispatcher in the hooks folder runs your own hook first; `uninstall` puts
/// every byte back. Where core.hooksPath names a folder outside the git directory nothing is
/// written, and the line to add to it is shown.
#[derive(Debug, Args)]
pub(super) struct HooksArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// What can be done with hooks.
#[derive(Debug, Clone, Subcommand)]
pub(super) enum What {
    /// Install them; twice changes nothing
    Install(FormatArgs),
    /// Take them away and put back what was there before
    Uninstall(FormatArgs),
    /// Show whether they are installed, and whether they run
    Status(FormatArgs),
}

/// Runs it.
///
/// # Errors
/// No repository; git, its configuration or the hooks folder cannot be read or written.
pub(super) fn run(global: &Global, args: &HooksArgs) -> Result<Done> {
    let repo = Repo::discover(&directory(global))?;
    let version = repo.git_version()?;
    let format = match &args.what {
        What::Install(format) => {
            tell(&hooks::install(&repo, version, &program()?)?);
            format
        }
        What::Uninstall(format) => {
            let deeds = hooks::uninstall(&repo)?;
            if deeds.is_empty() {
                say("no hooks of git-evolve are installed here");
            }
            tell(&deeds);
            format
        }
        What::Status(format) => format,
    };
    show(global, &repo, version, *format)
}

/// Says what was done, one line for all events where they say the same.
fn tell(deeds: &[Deed]) {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for deed in deeds {
        let event = deed.event.map_or("hooks", |e| e.word());
        match told.iter_mut().find(|(said, _)| *said == deed.said) {
            Some((_, events)) => events.push(event),
            None => told.push((&deed.said, vec![event])),
        }
    }
    for (said, events) in told {
        say(&format!("{}: {said}", events.join(", ")));
    }
}

fn show(global: &Global, repo: &Repo, version: GitVersion, format: FormatArgs) -> Result<Done> {
    let survey = hooks::survey(repo, version)?;
    let output = Output::new(global, &Habits::read(repo));
    let layout = output.layout(format);
    let rows = rows(&survey);
    let view = HooksView {
        stamp: &stamp("none"),
        git: version.to_string(),
        hooks_path: survey.place.configured.map(|p| (p.value, p.scope)),
        missed: hooks::missed(repo),
        rows: &rows,
    };
    let mut out = Vec::new();
    write_hooks(&mut out, &view, layout)?;
    output.data(&out, layout.format)?;
    Ok(Done::Well)
}

fn rows(survey: &Survey) -> Vec<HookRow> {
    let text = |path: &PathBuf| decoded(path.as_os_str().as_encoded_bytes()).into_owned();
    let row = |s: &hooks::Standing| HookRow {
        event: s.event.word(),
        state: s.state.word(),
        runs: s.runs,
        place: text(&s.place),
        place_hex: hex_where_needed(s.place.as_os_str().as_encoded_bytes()),
        user_hook: s.user_hook.as_ref().map(text),
        remark: s.remark.clone(),
        add: s.add.as_ref().map(|(_, line)| line.clone()),
        add_to: s.add.as_ref().map(|(file, _)| text(file)),
    };
    survey.events.iter().map(row).collect()
}

/// The path hooks call this program by: as it is found on the PATH, where that is this program,
/// since a package manager's link outlives the version it points to.
fn program() -> Result<PathBuf> {
    let running = std::env::current_exe()
        .map_err(|e| Error::internal("finding the path of this program").with_source(e))?;
    let real = |p: &PathBuf| std::fs::canonicalize(p).ok();
    let named = format!("git-evolve{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let linked = std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&named))
        .find(|path| real(path).is_some());
    Ok(match linked {
        Some(path) if real(&path) == real(&running) => path,
        _ => running,
    })
}
