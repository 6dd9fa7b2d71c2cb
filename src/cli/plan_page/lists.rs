//! The lists of `git evolve plan`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::chosen::{Chosen, Planned};
use super::warnings::Warning;
use crate::plan::{
    Agent, Arm, Base, Check, Command, Gate, Isolation, OnFail, Plan, PromptRoute, Setup, SuiteRun,
    Task, Text,
};
use crate::repo::{Oid, Reader, shell_word};
use crate::report::{Column, Field, List, Tone};

/// What the bases of a plan are here.
#[derive(Debug)]
pub(super) struct Bases {
    known: BTreeMap<String, Found>,
}

/// One base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A commit that is here.
    Commit(Oid),
    /// Files beside the plan, which become one.
    Files,
    /// A commit of another repository that is not here yet.
    Elsewhere,
    /// No commit of this repository.
    Nowhere,
}

/// What the chains of an arm and task stand on.
pub(super) fn base<'p>(plan: &'p Plan, arm: &'p Arm, task: Option<&'p Task>) -> &'p Base {
    let of_task = || task.and_then(|t| t.base.as_ref());
    let own = arm.base.as_ref().or_else(of_task);
    own.unwrap_or(&plan.experiment.base)
}

/// All bases that a plan names.
pub(super) fn bases(plan: &Plan) -> impl Iterator<Item = &Base> {
    let own = plan.arms.iter().filter_map(|a| a.base.as_ref());
    let of_tasks = plan.tasks.iter().filter_map(|t| t.base.as_ref());
    own.chain(of_tasks).chain([&plan.experiment.base])
}

/// A base as the plan writes it.
pub(super) fn written(base: &Base) -> String {
    match base {
        Base::Revision(revision) => revision.clone(),
        Base::Folder(path) => format!("./{}", path.display()),
        Base::Bundle(path, None) => path.display().to_string(),
        Base::Bundle(path, Some(revision)) => format!("{}@{revision}", path.display()),
        Base::Remote(address, id) => format!("{address}@{id}"),
    }
}

impl Bases {
    /// Looks them up.
    pub(super) fn of(plan: &Plan, reader: &Reader) -> Bases {
        let known = bases(plan).map(|base| (written(base), found(base, reader)));
        Bases {
            known: known.collect(),
        }
    }

    /// What a base is here.
    pub(super) fn find(&self, base: &Base) -> Found {
        let found = self.known.get(&written(base));
        found.copied().unwrap_or(Found::Nowhere)
    }
}

fn found(base: &Base, reader: &Reader) -> Found {
    match base {
        Base::Revision(revision) => match reader.commit_at(revision) {
            Ok(id) => Found::Commit(id),
            Err(_) => Found::Nowhere,
        },
        Base::Folder(_) | Base::Bundle(..) => Found::Files,
        Base::Remote(_, id) => match Oid::from_hex(id) {
            Some(id) if reader.commit(id).is_ok() => Found::Commit(id),
            _ => Found::Elsewhere,
        },
    }
}

pub(super) fn chains(plan: &Plan, chosen: &Chosen<'_>, bases: &Bases) -> List {
    let mut list = List::new("chains", "")
        .column(Column::paths("chain"))
        .column(Column::machine("arm"))
        .column(Column::machine("task"))
        .column(Column::machine("number"))
        .column(Column::words("base"))
        .column(Column::left("base_commit").titled("commit"))
        .column(Column::right("checkpoints").titled("ckpts"))
        .column(Column::right("done"))
        .column(Column::left("state"))
        .column(Column::below("differs"));
    for chain in &chosen.chains {
        let base = base(plan, chain.arm, chain.task);
        let commit = match bases.find(base) {
            Found::Commit(id) => Field::short(&id.to_string(), &id.short()),
            _ => Field::none(),
        };
        list.row(vec![
            chain.path.to_string().into(),
            chain.arm.name.as_str().into(),
            chain.path.task.clone().into(),
            chain.path.chain.into(),
            written(base).into(),
            commit,
            chain.checkpoints.len().into(),
            chain.done.into(),
            state(chain).into(),
            chain.differs.clone().into(),
        ]);
    }
    list
}

fn state(chain: &Planned<'_>) -> &'static str {
    match (chain.begun, chain.done as usize) {
        (false, _) => "to begin",
        (true, done) if done >= chain.checkpoints.len() => "complete",
        (true, _) => "begun",
    }
}

pub(super) fn checkpoints(plan: &Plan, chosen: &Chosen<'_>) -> List {
    let mut list = List::new("checkpoints", "Checkpoints")
        .column(Column::heading("task"))
        .column(Column::right("number").titled("#"))
        .column(Column::left("id"))
        .column(Column::paths("prompt"))
        .column(Column::right("prompt_bytes").titled("bytes"))
        .column(Column::words("requires"))
        .column(Column::words("scope"))
        .column(Column::machine("scope_except"))
        .column(Column::words("expects"))
        .column(Column::paths("reference"));
    for task in &chosen.tasks {
        for (number, checkpoint) in (1_u32..).zip(plan.checkpoints_of(*task)) {
            let mut expects = Vec::new();
            if checkpoint.answer.is_some() {
                expects.push("an answer".to_owned());
            }
            let declared = checkpoint.fail_to_pass.len() + checkpoint.pass_to_pass.len();
            if declared > 0 {
                expects.push(format!("{declared} declared tests"));
            }
            list.row(vec![
                task.map(|t| t.name.as_str()).into(),
                number.into(),
                checkpoint.id.as_str().into(),
                text(&checkpoint.prompt),
                bytes(&plan.folder, &checkpoint.prompt).into(),
                Field::words(checkpoint.requires.iter().map(String::as_str)),
                Field::words(checkpoint.scope.iter().flatten().map(String::as_str)),
                Field::words(checkpoint.scope_except.iter().map(String::as_str)),
                Field::words(expects),
                checkpoint
                    .reference
                    .as_ref()
                    .map(|p| p.display().to_string())
                    .into(),
            ]);
        }
    }
    list
}

fn text(text: &Text) -> Field {
    match text {
        Text::File(path) => path.display().to_string().into(),
        Text::Here(_) => Field::short("", "(in the plan)"),
    }
}

fn bytes(folder: &Path, text: &Text) -> Option<u64> {
    match text {
        Text::Here(words) => Some(words.len() as u64),
        Text::File(path) => folder.join(path).metadata().ok().map(|m| m.len()),
    }
}

/// A command as it would be typed.
pub(super) fn line(command: &Command) -> String {
    match command {
        Command::Shell(line) => line.trim().to_owned(),
        Command::Words(words) => words
            .iter()
            .map(|w| shell_word(w).to_string())
            .collect::<Vec<_>>()
            .join(" "),
    }
}

pub(super) fn commands(plan: &Plan, chosen: &Chosen<'_>) -> List {
    let mut list = List::new("commands", "Commands")
        .column(Column::left("of"))
        .column(Column::left("what"))
        .column(Column::below("command"))
        .column(Column::left("time"))
        .column(Column::machine("time_s"))
        .column(Column::left("bounds"))
        .column(Column::machine("attempts"))
        .column(Column::machine("max_turns"))
        .column(Column::machine("max_cost_usd"))
        .column(Column::machine("prompt"))
        .column(Column::machine("model"))
        .column(Column::machine("isolation"))
        .column(Column::below("reports").titled("reports: "))
        .column(Column::machine("coverage"));
    setups(&mut list, "experiment", &plan.setup);
    for arm in &chosen.arms {
        setups(&mut list, &arm.name, &arm.setup);
        let own = arm.of_tasks.iter();
        let own = own.filter(|(name, _)| chosen.tasks.iter().flatten().any(|t| t.name == **name));
        for (task, of_task) in own {
            let of = format!("{}/{task}", arm.name);
            agent(&mut list, &of, &of_task.agent);
            gate(&mut list, &of, &of_task.gate);
        }
        let others = chosen.tasks.iter().any(|t| {
            let name = t.map(|t| t.name.as_str());
            name.is_none_or(|n| !arm.of_tasks.contains_key(n))
        });
        if others {
            agent(&mut list, &arm.name, &arm.agent);
            gate(&mut list, &arm.name, &arm.gate);
        }
    }
    for task in chosen.tasks.iter().flatten() {
        setups(&mut list, &task.name, &task.setup);
    }
    list
}

fn setups(list: &mut List, of: &str, setups: &[Setup]) {
    for setup in setups {
        let what = match (&setup.service, setup.generates) {
            (Some(_), _) => "service",
            (None, true) => "set-up of the base",
            (None, false) => "set-up",
        };
        let mut row = command(of, what, &setup.command, setup.timeout);
        let ready = setup.service.as_ref().and_then(|s| s.ready.as_ref());
        row.push(ready.map(|c| format!("ready: {}", line(c))).into());
        list.row(row);
    }
}

fn command(of: &str, what: &str, command: &Command, time: Duration) -> Vec<Field> {
    vec![
        of.into(),
        what.into(),
        Field::short(&line(command), &line(command).replace('\n', "; ")),
        spelled(time).into(),
        json!(time.as_secs_f64()).into(),
    ]
}

fn agent(list: &mut List, of: &str, agent: &Agent) {
    let limits = &agent.limits;
    let mut bounds = Vec::new();
    if limits.attempts > 1 {
        bounds.push(format!("{} attempts", limits.attempts));
    }
    if let Some(turns) = limits.turns {
        bounds.push(format!("{turns} turns"));
    }
    if let Some(cost) = limits.cost_usd {
        bounds.push(format!("${cost}"));
    }
    bounds.push(match agent.on_fail {
        OnFail::Stop => "stops where it fails".to_owned(),
        OnFail::Repair => "repairs".to_owned(),
        OnFail::Continue => "goes on where it fails".to_owned(),
    });
    let mut row = command(of, "agent", &agent.command, limits.time);
    row.extend([
        Field::words(bounds),
        limits.attempts.into(),
        limits.turns.into(),
        json!(limits.cost_usd).into(),
        match agent.prompt {
            PromptRoute::Stdin => "stdin",
            PromptRoute::Argument => "argument",
            PromptRoute::File => "file",
        }
        .into(),
        agent.model.clone().into(),
        isolation(agent.isolation).into(),
    ]);
    list.row(row);
}

fn isolation(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Auto => "auto",
        Isolation::Required => "required",
        Isolation::None => "none",
    }
}

fn gate(list: &mut List, of: &str, gate: &Gate) {
    let mut suite = |what: &str, run: &SuiteRun| {
        let mut row = command(of, what, &run.command, run.timeout);
        let reports = run.reports.iter().map(String::as_str);
        row.push(run.before.then_some("also on the parent").into());
        row.extend((0..5).map(|_| Field::none()));
        row.extend([
            isolation(run.isolation).into(),
            Field::joined(reports.map(str::to_owned).collect()),
            Field::words(run.coverage.iter().map(String::as_str)),
        ]);
        list.row(row);
    };
    if let Some(run) = &gate.visible {
        suite("gate: visible", run);
    }
    if let Some(run) = &gate.acceptance {
        suite("gate: acceptance", run);
    }
    for check in &gate.checks {
        if let Check::Command {
            command: run,
            exit_code,
            timeout,
        } = check
        {
            let mut row = command(of, "gate: check", run, *timeout);
            row.push(format!("exit code {exit_code}").into());
            list.row(row);
        }
    }
}

/// A time as the plan writes one.
fn spelled(time: Duration) -> String {
    match jiff::SignedDuration::try_from(time) {
        Ok(time) => format!("{time:#}"),
        Err(_) => format!("{} s", time.as_secs()),
    }
}

pub(super) fn files(plan: &Plan, chosen: &Chosen<'_>) -> List {
    let mut list = List::new("files", "Files")
        .column(Column::left("of"))
        .column(Column::left("what"))
        .column(Column::paths("path"))
        .column(Column::paths("to"))
        .column(Column::right("files"))
        .column(Column::right("bytes"));
    for file in super::files::of(plan, &chosen.arms, &chosen.tasks) {
        let size = file.size(&plan.folder);
        list.row(vec![
            file.of.as_str().into(),
            file.what.into(),
            file.path.display().to_string().into(),
            file.to.map(str::to_owned).into(),
            size.map(|s| s.files).into(),
            size.map(|s| s.bytes).into(),
        ]);
    }
    list
}

pub(super) fn warnings(all: &[Warning]) -> List {
    let mut list = List::new("warnings", "Warnings")
        .column(Column::words("of"))
        .column(Column::machine("kind"))
        .column(Column::below("warning"));
    // What is said of several arms is said once.
    let mut of: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for warning in all {
        let same = of.entry((warning.kind, &warning.words)).or_default();
        same.push(&warning.of);
    }
    for warning in all {
        if let Some(of) = of.remove(&(warning.kind, warning.words.as_str())) {
            list.row(vec![
                Field::words(of),
                warning.kind.into(),
                Field::from(warning.words.as_str()).tone(Tone::Missing),
            ]);
        }
    }
    list
}
