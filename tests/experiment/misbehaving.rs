//! Agents that misbehave, through a whole run: what each did is contained, recorded, and told by
//! `git evolve controls`.

use std::collections::BTreeMap;
use std::path::Path;

use super::small::{Plan, Small};
use crate::support::agents::{MISBEHAVES, script};

/// What an agent does, and the figures of `controls` that tell of it.
const WAYS: &[(&str, &[&str])] = &[
    ("rewrite", &["history_rewritten"]),
    ("guide", &["pinned_restored"]),
    ("tests", &["tests_restored"]),
    ("hooks", &["git_hooks_changed"]),
    ("attributes", &["git_attributes_changed"]),
    ("config", &["git_config_changed"]),
    ("exclude", &["git_exclude_changed"]),
    ("alternates", &["git_objects_changed"]),
    ("refs", &["git_refs_changed"]),
    ("nested", &["nested_repositories"]),
    ("links", &["links_out"]),
    ("special", &["special_files"]),
    ("daemons", &["processes_left"]),
    ("snoops", &[]),
];

/// Those that take minutes or gigabytes.
const HEAVY: &[(&str, &[&str])] = &[
    ("many", &[]),
    ("sparse", &["stubs"]),
    ("large", &["stubs"]),
    ("prints", &["output_dropped"]),
    ("ends", &["timeouts"]),
];

/// Runs an arm for each way, one checkpoint each, and holds what `controls` tells against it.
fn misbehave(ways: &[(&'static str, &[&str])], time: &'static str) {
    let around = tempfile::tempdir().expect("a folder");
    let scripts = around.path().canonicalize().expect("a real path");
    let words = script(&scripts, "misbehaves.sh", MISBEHAVES);
    // The first arm has no guide of its own, and does nothing.
    let arms = ["calm"].into_iter().chain(ways.iter().map(|(way, _)| *way));
    let arms: Vec<&'static str> = arms.collect();
    let agents = arms.iter().map(|way| {
        let words = [&words[..], &[(*way).to_owned()]].concat();
        (*way, words)
    });
    let plan = Plan {
        agents: agents.collect(),
        arms: arms.clone(),
        chains: 1,
        checkpoints: 1,
        isolation: "auto",
        time,
        lines: format!(
            "on_fail = \"continue\"\nvisible = [{:?}]\n\
             environment = {{ SNOOP = \"/nowhere\" }}\n",
            scripts.display().to_string()
        ),
        tables: String::new(),
        ..Plan::default()
    };
    let small = Small::new(&plan);
    // What it looks for is where the experiment is.
    let snoop = format!(
        "{} {}",
        small
            .repo
            .path()
            .canonicalize()
            .expect("a real path")
            .display(),
        small.scratch.display()
    );
    let text = std::fs::read_to_string(small.repo.path().join("evolve.toml")).expect("a plan");
    small
        .repo
        .write("evolve.toml", text.replace("/nowhere", &snoop));
    small.repo.commit("where it looks");
    let out = small.run(&["--jobs", "2"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(matches!(out.status.code(), Some(0 | 1)), "{said}");

    let told = small.repo.stdout(&["controls", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    for row in told["chains"].as_array().expect("rows") {
        let word = |key: &str| row[key].as_str().unwrap_or("").to_owned();
        let count = row["count"]
            .as_u64()
            .or(row["at_least"].as_u64())
            .unwrap_or(0);
        counts.insert((word("chain"), word("id")), count);
    }
    for (way, figures) in ways {
        for figure in *figures {
            let at = (format!("small/{way}/1"), (*figure).to_owned());
            let count = counts.get(&at).copied().unwrap_or(0);
            assert!(count > 0, "{way}: {figure} is not told: {said}");
        }
    }
    let explained = small.repo.stdout(&["controls"]);
    for (way, figures) in ways {
        let is_there = explained.contains(&format!("small/{way}/1"));
        assert!(
            is_there || figures.is_empty(),
            "{way} is not in {explained}"
        );
    }

    // Nothing of it ran, left its clone, or stands in the way.
    assert!(
        ran(small.repo.around()).is_none(),
        "{:?}",
        ran(small.repo.around())
    );
    assert_eq!(small.repo.git(&["status", "--porcelain"]), "");
    small.repo.git(&["fsck", "--no-dangling"]);
    small.repo.stdout(&["verify"]);
    for (way, _) in ways {
        let branch = format!("evolve/small/{way}/1");
        let found = small
            .repo
            .git(&["for-each-ref", &format!("refs/heads/{branch}")]);
        assert!(!found.is_empty(), "{way} has no chain: {said}");
        let files = small.repo.git(&["ls-tree", "-r", "--name-only", &branch]);
        let hidden = |f: &str| f.split('/').any(|p| p.eq_ignore_ascii_case(".git"));
        assert!(!files.lines().any(hidden), "{way}: {files}");
    }
    let sandboxed = told["isolation"].to_string();
    let sandboxed = sandboxed.contains("bwrap") || sandboxed.contains("namespaces");
    if !sandboxed {
        println!("left out: no sandbox is here, so what an agent sees of the disk is not held");
    } else if ways.iter().any(|(way, _)| *way == "snoops") {
        let raw = small.records("envelope");
        let snoops = raw.iter().filter(|r| r["chain"] == "small/snoops/1");
        for record in snoops {
            let text = record.to_string();
            assert!(
                !text.contains("evolve.toml") && !text.contains("small/calm"),
                "{text}"
            );
        }
    }
}

/// A file that a hook, a filter or a setting of an agent's would have left.
fn ran(folder: &Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        let name = entry.file_name();
        let name = name.to_string_lossy();
        match kind.is_dir() {
            true => ran(&path),
            false => (name == "ran" || name.ends_with(".ran")).then_some(path),
        }
    })
}

#[test]
fn what_misbehaving_agents_do_is_contained_recorded_and_told() {
    misbehave(WAYS, "2m");
}

#[test]
#[ignore = "minutes and gigabytes: 100,000 files, files and output of a gigabyte, no end"]
fn what_agents_that_misbehave_without_measure_do_is_contained_recorded_and_told() {
    misbehave(HEAVY, "60s");
}
