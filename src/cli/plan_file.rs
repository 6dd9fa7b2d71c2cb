//! The plan that a command runs by: where it is, read and held against the measures.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::Global;
use super::check::Checked;
use super::config::Layer;
use super::request::{Request, Window};
use super::session::directory;
use crate::error::{Error, Result};
use crate::measure::catalogue;
use crate::plan::source::{Node, Table, Value, read_toml};
use crate::plan::{self, PLAN_MAX, Plan};
use crate::repo::Repo;

/// The plan at the top of the work tree.
const PLAN: &str = "evolve.toml";

/// Which plan.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct PlanArgs {
    /// The plan; paths in it begin in its folder [default: evolve.toml at the top of the work tree]
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
}

/// Reads the plan of `args`, all of it.
///
/// # Errors
/// Usage where there is none, or for what is wrong with it, with line and column.
pub(super) fn read(global: &Global, repo: &Repo, args: &PlanArgs) -> Result<Plan> {
    let (path, name) = match &args.plan {
        Some(file) => (directory(global).join(file), file.display().to_string()),
        None => match repo.work_dir() {
            Some(top) => (top.join(PLAN), PLAN.to_owned()),
            None => {
                return Err(
                    Error::usage("a bare repository has no work tree with a plan")
                        .with_hint("--plan FILE names one"),
                );
            }
        },
    };
    let text = text_of(&path, &name)?;
    let file = path
        .canonicalize()
        .map_err(|e| Error::usage(format!("reading the plan {name}")).with_source(e))?;
    let plan = plan::read(&text, &name, file.parent().unwrap_or(Path::new("/")));
    let figures = figures(&text, &name);
    match (plan, figures) {
        (Ok(mut plan), Ok(())) => {
            // Of a link, what it leads to.
            if let Some(file) = file.file_name() {
                plan.file = file.to_string_lossy().into_owned();
            }
            Ok(plan)
        }
        (Err(e), Ok(())) | (Ok(_), Err(e)) => Err(e),
        (Err(a), Err(b)) => Err(all_of(vec![a, b])),
    }
}

/// What several parts found wrong, as one error, a line each; what two of them found once.
fn all_of(errors: Vec<Error>) -> Error {
    let mut lines = Vec::<String>::new();
    let mut alone = errors;
    for error in &alone {
        let said = error.to_string();
        let last = said.lines().count().saturating_sub(1);
        for (at, line) in said.lines().enumerate() {
            let hint = error.hint().filter(|_| at == last);
            let line = match hint {
                Some(hint) => format!("{line} ({hint})"),
                None => line.to_owned(),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    match lines.len() {
        0 | 1 if !alone.is_empty() => alone.remove(0),
        _ => Error::usage(lines.join("\n")),
    }
}

fn text_of(path: &Path, name: &str) -> Result<String> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::usage(format!("there is no plan {name}"))
                .with_hint("`git evolve init` writes one for this repository"));
        }
        Err(e) => return Err(Error::usage(format!("reading the plan {name}")).with_source(e)),
    };
    let is_file = file.metadata().is_ok_and(|m| m.is_file());
    let mut bytes = Vec::new();
    if is_file {
        file.take(PLAN_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Error::usage(format!("reading the plan {name}")).with_source(e))?;
    } else {
        return Err(Error::usage(format!("{name} is no file")));
    }
    if bytes.len() as u64 > PLAN_MAX {
        return Err(Error::usage(format!("{name} is larger than 1 MiB")));
    }
    String::from_utf8(bytes).map_err(|_| Error::usage(format!("{name} is not UTF-8")))
}

/// What a plan says of figures: its settings, what it says of tests, and the measures it names.
///
/// # Errors
/// Usage, with line and column.
pub(super) fn figures(text: &str, name: &str) -> Result<()> {
    let (source, plan) = read_toml(text, name)?;
    let mut errors = Vec::new();
    match Layer::read(text, name) {
        // Key by key, so that what is wrong is named with its place.
        Ok(layer) => {
            for (at, alone) in Layer::apart_of(&source, &plan)? {
                if let Err(e) = Request::new(&alone, Window::Chain, None, &[]) {
                    errors.push(with_hint(source.wrong(at, &e), &e));
                }
            }
            if errors.is_empty() {
                let all = layer.unwrap_or_default();
                errors.extend(Request::new(&all, Window::Chain, None, &[]).err());
            }
        }
        Err(e) => errors.push(e),
    }
    errors.extend(Checked::of(&source, &plan).err());
    for (at, id) in measures(&plan) {
        if catalogue::find(id).is_none() {
            let error = source.wrong(at, format!("there is no measure '{id}'"));
            errors.push(error.with_hint(match catalogue::nearest(id) {
                Some(near) => format!("did you mean '{near}'?"),
                None => "`git evolve metrics` lists them".to_owned(),
            }));
        }
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(all_of(errors)),
    }
}

fn with_hint(error: Error, cause: &Error) -> Error {
    match cause.hint() {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// The measures that a plan names, with their places.
fn measures(plan: &Table) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let primary = plan
        .get("hypothesis")
        .and_then(Node::as_table)
        .and_then(|t| t.get("primary"));
    for table in tables(primary) {
        if let Some((node, id)) = table.get("measure").and_then(|n| Some((n, n.as_text()?))) {
            found.push((node.at, id));
        }
    }
    let arms = tables(plan.get("arms")).into_iter();
    let all = arms.chain(tables(plan.get("tasks"))).chain([plan]);
    for table in all {
        let max = table
            .get("refactor")
            .and_then(Node::as_table)
            .and_then(|t| t.get("max"))
            .and_then(Node::as_table);
        for entry in max.into_iter().flat_map(|t| &t.entries) {
            found.push((entry.at, entry.key.as_str()));
        }
    }
    found
}

fn tables(node: Option<&Node>) -> Vec<&Table> {
    match node.map(|n| &n.value) {
        Some(Value::List(all)) => all.iter().filter_map(Node::as_table).collect(),
        _ => Vec::new(),
    }
}
