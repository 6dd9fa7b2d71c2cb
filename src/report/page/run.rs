//! What was run, what of it differs without being declared, and what it was measured by.

use super::super::number::short;
use super::super::study::{Attempts, Declared, Difference, Study};
use super::super::text::counted;
use super::document::{Block, Cell, Inline, Section, Table, Tone, code, para};
use super::model::Report;
use crate::stats::MIN_CHAINS;

/// What was run.
pub(super) fn run(report: &Report) -> Section<'_> {
    let study = &report.study;
    let mut blocks = vec![para(sentence(study)), Block::Table(arms(study))];
    if let Some(few) = too_few(study) {
        blocks.push(Block::Warning(vec![few.into()]));
    }
    blocks.push(Block::Details {
        id: "run-chains".to_owned(),
        summary: vec![format!("The chains ({})", chains(study)).into()],
        open: false,
        blocks: vec![Block::Table(chain_table(report))],
    });
    Section {
        id: "run".to_owned(),
        title: "What was run".to_owned(),
        blocks,
    }
}

fn chains(study: &Study) -> usize {
    study.arms.iter().map(|a| a.chains.len()).sum()
}

fn sentence(study: &Study) -> String {
    let checkpoints: usize = study
        .arms
        .iter()
        .flat_map(|a| &a.chains)
        .map(|c| c.checkpoints.len())
        .sum();
    let what = match study.experiments.as_slice() {
        [one] => format!("Experiment {one}"),
        several => format!("Experiments {}", several.join(", ")),
    };
    let groups = match study.by.as_str() {
        "arm" => counted(study.arms.len() as u64, "arm", "arms"),
        other => format!(
            "{} of {other}",
            counted(study.arms.len() as u64, "level", "levels")
        ),
    };
    let baseline = study.arms.iter().find(|a| a.baseline);
    let against = baseline.map_or_else(String::new, |b| {
        format!(" Others are compared with {}.", b.name)
    });
    format!(
        "{what}: {groups}, {}, {} that were reached.{against} {}",
        counted(chains(study) as u64, "chain", "chains"),
        counted(checkpoints as u64, "checkpoint", "checkpoints"),
        attempts(study),
    )
}

/// Which checkpoints figures are of.
pub(super) fn attempts(study: &Study) -> &'static str {
    match study.attempts {
        Attempts::All => {
            "Figures are of all checkpoints that were reached, whether they passed or not \
             (--attempts all)."
        }
        Attempts::Passing => {
            "Figures are of the checkpoints that passed alone (--attempts passing); those whose \
             outcome is unknown are left out."
        }
    }
}

fn too_few(study: &Study) -> Option<String> {
    let few: Vec<String> = study
        .arms
        .iter()
        .filter(|a| a.chains.len() < MIN_CHAINS)
        .map(|a| format!("{} {}", a.name, a.chains.len()))
        .collect();
    (!few.is_empty()).then(|| {
        format!(
            "Too few chains: {}. Under {MIN_CHAINS} chains an arm nothing is claimed; figures and \
             intervals are shown as they are.",
            few.join(", ")
        )
    })
}

fn arms(study: &Study) -> Table {
    let factors = study.arms.iter().any(|a| !a.factors.is_empty());
    let mut table = Table::new("run-arms", "Arms, and what was run of them").words("arm");
    if factors {
        table = table.words("factors");
    }
    table = table
        .number("chains")
        .number("tasks")
        .number("checkpoints reached")
        .number("planned")
        .number("chains that reached the end");
    for arm in &study.arms {
        let name = match arm.baseline {
            true => format!("{} (baseline)", arm.name),
            false => arm.name.clone(),
        };
        let mut tasks: Vec<&Option<String>> = arm.chains.iter().map(|c| &c.task).collect();
        tasks.sort();
        tasks.dedup();
        let reached: usize = arm.chains.iter().map(|c| c.checkpoints.len()).sum();
        let planned: Option<u32> = arm.chains.iter().map(|c| c.planned).sum();
        let ended = arm
            .chains
            .iter()
            .map(|c| Some(c.checkpoints.last().map_or(0, |k| k.number) >= c.planned?))
            .collect::<Option<Vec<bool>>>();
        let mut cells = vec![Cell::head(name)];
        if factors {
            let words: Vec<String> = arm
                .factors
                .iter()
                .map(|(k, v)| format!("{k} = {v}"))
                .collect();
            cells.push(words.join(", ").into());
        }
        let or_unknown = |n: Option<String>| match n {
            Some(n) => Inline::Text(n),
            None => Inline::Titled("?".to_owned(), "no plan is recorded that says".to_owned()),
        };
        cells.extend([
            arm.chains.len().to_string().into(),
            tasks.len().to_string().into(),
            reached.to_string().into(),
            or_unknown(planned.map(|p| p.to_string())).into(),
            or_unknown(ended.map(|e| e.iter().filter(|e| **e).count().to_string())).into(),
        ]);
        table.row(cells);
    }
    table
}

fn chain_table(report: &Report) -> Table {
    let mut table = Table::new("run-chain-table", "Chains, by arm")
        .words("chain")
        .words("arm")
        .words("base")
        .words("last checkpoint")
        .words("commit")
        .number("reached")
        .number("planned");
    for arm in &report.study.arms {
        for chain in &arm.chains {
            let last = chain.checkpoints.last();
            table.row([
                Cell::head(chain.label.as_str()),
                arm.name.as_str().into(),
                report.commit(&chain.base).into(),
                last.map_or_else(String::new, |k| format!("{} {}", k.number, k.id))
                    .into(),
                last.map_or_else(|| Inline::from(""), |k| report.commit(&k.commit))
                    .into(),
                chain.checkpoints.len().to_string().into(),
                chain
                    .planned
                    .map_or_else(|| "?".to_owned(), |p| p.to_string())
                    .into(),
            ]);
        }
    }
    table
}

/// How the arms' provenance differs: above every verdict.
pub(super) fn differences(report: &Report) -> Option<Section<'_>> {
    let study = &report.study;
    let table = |id: &str, caption: &str, of: &[&Difference]| {
        let mut table = Table::new(id, caption).words("what").words("sort");
        for arm in &study.arms {
            table = table.words(arm.name.as_str());
        }
        for difference in of {
            let mut cells = vec![Cell::head(difference.what.as_str())];
            cells.push(difference.sort.into());
            cells.extend((0..study.arms.len()).map(|at| difference.words(at).into()));
            table.row(cells);
        }
        Block::Table(table)
    };
    let of = |declared: fn(Declared) -> bool| -> Vec<&Difference> {
        let all = study.differences.iter();
        all.filter(|d| declared(d.declared)).collect()
    };
    let undeclared = of(|d| d != Declared::ByThePlan);
    let declared = of(|d| d == Declared::ByThePlan);
    let mut blocks = Vec::new();
    match undeclared.len() {
        0 if declared.is_empty() && study.differences.is_empty() => return None,
        0 => blocks.push(para(
            "The arms differ in nothing that the plan does not declare, as far as records tell.",
        )),
        n => {
            let no_plan = undeclared.iter().any(|d| d.declared == Declared::NoPlan);
            let why = match no_plan {
                true => "There is no plan that declares",
                false => "The plan does not declare",
            };
            blocks.push(Block::Warning(vec![
                format!(
                    "{why} {} between the arms. Any of them may be what a verdict below comes from.",
                    counted(n as u64, "difference", "differences")
                )
                .into(),
            ]));
            blocks.push(table(
                "differences-undeclared",
                "Differences between arms that no plan declares",
                &undeclared,
            ));
        }
    }
    if !declared.is_empty() {
        blocks.push(table(
            "differences-declared",
            "Differences that the plan declares",
            &declared,
        ));
    }
    Some(Section {
        id: "differences".to_owned(),
        title: "How the arms differ".to_owned(),
        blocks,
    })
}

/// By what and under which settings it was measured, and who worked.
pub(super) fn provenance(report: &Report) -> Section<'_> {
    let study = &report.study;
    let stamp = &study.stamp;
    let mut blocks = Vec::new();
    if !study.provenance.is_empty() {
        let mut table = Table::new("provenance-arms", "Who worked, and with what")
            .words("what")
            .words("sort");
        for arm in &study.arms {
            table = table.words(arm.name.as_str());
        }
        for row in &study.provenance {
            let mut cells = vec![Cell::head(row.what.as_str()), row.sort.into()];
            cells.extend((0..study.arms.len()).map(|at| row.words(at).into()));
            table.row(cells);
        }
        blocks.push(Block::Table(table));
    }
    let mut table = Table::new("provenance-tool", "What measured it")
        .words("what")
        .words("version");
    for (what, version) in [
        ("program", stamp.tool.as_str()),
        ("analyser", stamp.analyser.as_str()),
        ("definitions", stamp.definitions.as_str()),
        ("configuration", stamp.config.as_str()),
    ] {
        table.row([Cell::head(what), code(version).into()]);
    }
    blocks.push(Block::Table(table));
    if !study.settings.is_empty() {
        let mut table = Table::new("provenance-settings", "Settings that can move a figure")
            .words("setting")
            .words("value");
        for (key, value) in &study.settings {
            table.row([Cell::head(key.as_str()), code(value.to_string()).into()]);
        }
        blocks.push(Block::Details {
            id: "provenance-all".to_owned(),
            summary: vec!["Settings".into()],
            open: false,
            blocks: vec![Block::Table(table)],
        });
    }
    Section {
        id: "provenance".to_owned(),
        title: "Provenance".to_owned(),
        blocks,
    }
}

/// The hypothesis and what came of it.
pub(super) fn hypothesis(report: &Report) -> Section<'_> {
    let mut blocks = Vec::new();
    match &report.hypothesis {
        None => blocks.push(para(
            "No plan that states one is recorded: nothing was to be found out by rule, and the \
             figures below are there to look at.",
        )),
        Some(hypothesis) => {
            let standing = hypothesis.standing();
            let tone = match standing {
                super::hypothesis::Judgement::Supported => Tone::Better,
                super::hypothesis::Judgement::Falsified => Tone::Worse,
                super::hypothesis::Judgement::Undecided => Tone::Open,
            };
            let statement = hypothesis
                .statement
                .clone()
                .unwrap_or_else(|| "The plan names measures that decide, and no statement.".into());
            blocks.push(Block::Verdict(
                standing.word().to_owned(),
                tone,
                vec![statement.into()],
            ));
            if hypothesis.findings.is_empty() {
                blocks.push(para(
                    "No measure that decides was measured of two arms: undecided.",
                ));
            } else {
                blocks.push(Block::Table(findings(hypothesis)));
            }
        }
    }
    Section {
        id: "hypothesis".to_owned(),
        title: "Hypothesis".to_owned(),
        blocks,
    }
}

fn findings(hypothesis: &super::hypothesis::Hypothesis) -> Table {
    let mut table = Table::new(
        "hypothesis-findings",
        "Measures that decide, each arm against the baseline",
    )
    .words("measure")
    .words("arm")
    .words("expected slope")
    .number("smallest that matters")
    .number("difference")
    .number("95 % interval, t-widened")
    .number("p, Holm")
    .words("reads")
    .words("why");
    for f in &hypothesis.findings {
        let (standing, why) = f.standing();
        let number = |v: Option<f64>| v.map_or_else(|| "–".to_owned(), short);
        table.row([
            Cell::head(code(f.measure.as_str())),
            format!("{} against {}", f.arm, f.against).into(),
            f.expected.word().into(),
            number(f.smallest).into(),
            number(f.difference).into(),
            f.interval
                .map_or_else(
                    || "–".to_owned(),
                    |i| format!("{} … {}", short(i.low), short(i.high)),
                )
                .into(),
            number(f.holm).into(),
            standing.word().into(),
            why.into(),
        ]);
    }
    table
}
