//! The demonstration run, against real git and against figures counted by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::support::{Repo, demo};

const ARMS: [&str; 2] = ["layered", "composed"];
const CHECKPOINTS: [&str; 10] = [
    "bulk", "delivery", "member", "packing", "sorting", "rounding", "voucher", "island", "tidy",
    "winter",
];
const PINNED: [&str; 3] = [
    "pom.xml",
    "src/main/java/nursery/Money.java",
    "src/test/java/nursery/AcceptanceTest.java",
];
const DESK: &str = "src/main/java/nursery/OrderDesk.java";

/// A demonstration and a clean environment to look at it from.
struct Demo {
    around: Repo,
    path: PathBuf,
}

/// One commit of a chain as git tells it.
#[derive(Debug)]
struct Told {
    id: String,
    tree: String,
    parent: String,
    chain: String,
    checkpoint: String,
    role: String,
    begin: String,
    /// Status letter and path (of a rename: `old => new`), sorted.
    changed: BTreeSet<(char, String)>,
}

impl Demo {
    fn shared() -> Demo {
        Demo {
            around: Repo::new(),
            path: demo::shared(),
        }
    }

    fn git(&self, args: &[&str]) -> String {
        let out = self
            .around
            .command("git", &self.path)
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "git {args:?}: {said}");
        String::from_utf8(out.stdout).unwrap()
    }

    fn chains(&self) -> Vec<(String, Vec<Told>)> {
        let named = ARMS
            .iter()
            .flat_map(|arm| (1..=6).map(move |n| format!("demo/{arm}/{n}")));
        named
            .map(|path| (path.clone(), self.chain(&path)))
            .collect()
    }

    /// The commits of a chain, its base first.
    fn chain(&self, path: &str) -> Vec<Told> {
        let field = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x2C)");
        let format = format!(
            "--format=%x01%H%x00%T%x00%P%x00{}%x00{}%x00{}%x00{}%x00",
            field("Evolve-Chain"),
            field("Evolve-Checkpoint"),
            field("Evolve-Role"),
            field("Evolve-Begin"),
        );
        let range = format!("main..refs/heads/evolve/{path}");
        let log = self.git(&["log", "--reverse", "--name-status", "-M", &format, &range]);
        log.split('\u{1}').skip(1).map(told).collect()
    }
}

fn told(text: &str) -> Told {
    let mut fields = text.split('\0').map(str::to_owned);
    let mut next = || fields.next().unwrap();
    Told {
        id: next(),
        tree: next(),
        parent: next(),
        chain: next(),
        checkpoint: next(),
        role: next(),
        begin: next(),
        changed: next()
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| {
                let (status, paths) = line.split_once('\t').unwrap();
                (status.chars().next().unwrap(), paths.replace('\t', " => "))
            })
            .collect(),
    }
}

fn touches(commit: &Told, path: &str) -> bool {
    commit.changed.iter().any(|(_, p)| p == path)
}

#[test]
fn a_demonstration_is_a_sound_repository_with_main_checked_out() {
    let demo = Demo::shared();
    assert_eq!(demo.git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(demo.git(&["status", "--porcelain", "--ignored"]), "");
    assert_eq!(demo.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    assert!(demo.path.join(DESK).is_file());
    // Nobody's name but its own is in it, and none of this machine's.
    let who = demo.git(&["log", "--all", "--format=%an <%ae>%n%cn <%ce>"]);
    let who: BTreeSet<&str> = who.lines().collect();
    let known = [
        "agent <agent@localhost.invalid>",
        "git-evolve demo <demo@git-evolve.invalid>",
    ];
    assert!(who.iter().all(|w| known.contains(w)), "{who:?}");
    let main = demo.git(&["log", "--format=%ai", "main"]);
    assert_eq!(main.lines().count(), 4);
    assert!(
        main.lines()
            .all(|l| l.starts_with("2026-01-") && l.ends_with("+0000")),
        "{main}"
    );
    assert!(
        !demo.path.join(".git/evolve/run").exists() || nothing_in(&demo.path),
        "left in hand"
    );
}

/// Whether no chain's state says that something is in hand.
fn nothing_in(path: &std::path::Path) -> bool {
    let states = std::fs::read_dir(path.join(".git/evolve/run")).expect("a folder");
    let names = states.map(|e| e.expect("an entry").file_name());
    names
        .into_iter()
        .all(|n| !n.to_string_lossy().ends_with(".json"))
}

#[test]
fn every_chain_is_a_base_and_then_agent_and_reset_by_turns() {
    let demo = Demo::shared();
    let main = demo.git(&["rev-parse", "main"]);
    let mut begins = BTreeSet::new();
    for (path, commits) in demo.chains() {
        assert_eq!(commits.len(), 1 + 2 * CHECKPOINTS.len(), "{path}");
        let mut parent = main.trim().to_owned();
        for (at, commit) in commits.iter().enumerate() {
            let (role, checkpoint) = match at {
                0 => ("base", "0 base".to_owned()),
                _ => (
                    if at % 2 == 1 { "agent" } else { "reset" },
                    format!("{} {}", at.div_ceil(2), CHECKPOINTS[at.div_ceil(2) - 1]),
                ),
            };
            assert_eq!(commit.parent, parent, "{path}: {commit:?}");
            assert_eq!(commit.chain, path, "{commit:?}");
            assert_eq!(commit.role, role, "{commit:?}");
            assert_eq!(commit.checkpoint, checkpoint, "{commit:?}");
            assert_eq!(commit.begin.is_empty(), at != 0, "{commit:?}");
            parent.clone_from(&commit.id);
        }
        begins.insert(commits[0].begin.clone());
        let kept = demo.git(&["rev-parse", &format!("refs/evolve/chains/{path}")]);
        assert_eq!(kept.trim(), parent, "{path}");
        // The plan is the experiment's, and no agent sees it; its settings are in the records.
        assert!(touches(&commits[0], "evolve.toml"), "{:?}", commits[0]);
        assert!(touches(&commits[0], "REQUESTS.md"), "{:?}", commits[0]);
    }
    assert_eq!(begins.len(), 12);
}

#[test]
fn what_the_experiment_owns_is_as_in_the_base_after_every_reset() {
    let demo = Demo::shared();
    let mut put_back = BTreeSet::new();
    for (path, commits) in demo.chains() {
        for pair in commits[1..].chunks(2) {
            let [agent, reset] = pair else {
                panic!("{path}: an agent commit without its reset");
            };
            let owned = |c: &Told| -> BTreeSet<(char, String)> {
                let of = c.changed.iter();
                of.filter(|(_, p)| PINNED.contains(&p.as_str()))
                    .cloned()
                    .collect()
            };
            assert_eq!(owned(agent), reset.changed, "{path}: {agent:?}");
            put_back.extend(reset.changed.iter().map(|(_, p)| p.clone()));
            let range = format!("{}..{}", commits[0].id, reset.id);
            let args = [&["diff", "--name-only", &range, "--"][..], &PINNED].concat();
            assert_eq!(demo.git(&args), "", "{path}");
        }
    }
    assert_eq!(put_back, PINNED.map(str::to_owned).into());
}

#[test]
fn the_layered_arm_reopens_one_handler_and_the_composed_arm_adds_classes() {
    let demo = Demo::shared();
    for (path, commits) in demo.chains() {
        let agents: Vec<&Told> = commits.iter().filter(|c| c.role == "agent").collect();
        let layered = path.starts_with("demo/layered/");
        for (agent, id) in agents.iter().zip(CHECKPOINTS) {
            let rules: Vec<&String> = (agent.changed.iter())
                .filter(|(status, p)| *status == 'A' && p.contains("/rules/"))
                .map(|(_, p)| p)
                .collect();
            match id {
                "sorting" => {
                    assert!(
                        touches(agent, "src/main/java/nursery/Order.java"),
                        "{agent:?}"
                    );
                    assert!(
                        touches(agent, "src/test/java/nursery/OrderTest.java"),
                        "{agent:?}"
                    );
                }
                "rounding" => assert!(agent.changed.len() <= 1, "{agent:?}"),
                "tidy" => {
                    let gone = ('D', "src/main/java/nursery/ShelfTag.java".to_owned());
                    assert!(agent.changed.contains(&gone), "{agent:?}");
                    let moved = agent.changed.iter().filter(|(status, _)| *status == 'R');
                    assert_eq!(moved.count(), 2, "{agent:?}");
                }
                "island" if !layered => {
                    let known = "src/main/java/nursery/rules/DeliveryRule.java";
                    assert!(touches(agent, known) && rules.len() <= 1, "{agent:?}");
                }
                _ => assert_eq!(rules.is_empty(), layered, "{agent:?}"),
            }
            let prices = !["sorting", "rounding", "tidy"].contains(&id);
            if prices {
                assert_eq!(touches(agent, DESK), layered, "{path}: {agent:?}");
            }
        }
    }
}

#[test]
fn some_checkpoints_change_nothing_and_some_only_a_comment() {
    let demo = Demo::shared();
    let mut trees = BTreeSet::new();
    let (mut nothing, mut comment) = (BTreeSet::new(), BTreeSet::new());
    for (path, commits) in demo.chains() {
        let arm = path.split('/').nth(1).unwrap().to_owned();
        let reset = &commits[2 * 5];
        let agent = &commits[2 * 5 + 1];
        assert_eq!(agent.checkpoint, "6 rounding");
        if agent.tree == reset.tree {
            nothing.insert(arm);
        } else if touches(agent, DESK) {
            let diff = demo.git(&["show", "--format=", "-U0", &agent.id]);
            let changed = diff.lines().skip_while(|l| !l.starts_with("@@")).skip(1);
            for line in changed {
                assert!(
                    line.trim_start_matches('+').trim().starts_with("//"),
                    "{line}"
                );
            }
            comment.insert(arm);
        }
        trees.insert(commits.last().unwrap().tree.clone());
    }
    assert_eq!(nothing.len(), 2);
    assert_eq!(comment.len(), 2);
    assert_eq!(trees.len(), 12, "no two chains end alike");
}

#[test]
fn a_users_configuration_moves_nothing_and_a_clone_has_the_same_chains() {
    let one = Demo::shared();
    let around = Repo::new();
    let template = around.around().join("template");
    std::fs::create_dir_all(template.join("hooks")).unwrap();
    let hook = template.join("hooks/reference-transaction");
    crate::support::executable(&hook, "#!/bin/sh\nexit 1\n", 0o755);
    let config = format!(
        "[init]\n\tdefaultBranch = trunk\n\ttemplateDir = {}\n\tdefaultObjectFormat = sha256\n\
         [user]\n\tname = Other\n\temail = other@example.invalid\n[commit]\n\tgpgSign = true\n\
         [core]\n\tautocrlf = true\n\thooksPath = {}\n\tlogAllRefUpdates = false\n",
        template.display(),
        template.join("hooks").display()
    );
    let global = around.around().join("hostile");
    std::fs::write(&global, config).unwrap();
    let dir = around.around().join("deep/down/other");
    let out = around
        .command(env!("CARGO_BIN_EXE_git-evolve"), around.around())
        .args(["demo", dir.to_str().unwrap()])
        .env("GIT_CONFIG_GLOBAL", &global)
        .env("GIT_DIR", around.path().join(".git"))
        .env("GIT_AUTHOR_DATE", "@1 +0200")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{said}");
    let two = Demo { around, path: dir };
    // Ids and times are each run's own; trees, roles and changes are those of the recordings.
    for ((path, one), (_, two)) in one.chains().iter().zip(two.chains()) {
        let shape = |c: &Told| (c.tree.clone(), c.role.clone(), c.checkpoint.clone());
        let (one, two): (Vec<_>, Vec<_>) = (
            one.iter().map(shape).collect(),
            two.iter().map(shape).collect(),
        );
        assert_eq!(one, two, "{path}");
    }
    let main = |d: &Demo| d.git(&["rev-parse", "main"]);
    assert_eq!(main(&one), main(&two));
    let clone = two.around.around().join("clone");
    two.git(&["clone", "-q", "--no-local", ".", clone.to_str().unwrap()]);
    let there = two
        .around
        .command("git", &clone)
        .args(["branch", "-r"])
        .output();
    let there = String::from_utf8(there.unwrap().stdout).unwrap();
    assert_eq!(there.matches("origin/evolve/demo/").count(), 12);
}

#[test]
fn a_folder_that_holds_anything_is_refused_and_left_as_it_is() {
    let around = Repo::new();
    let dir = around.around().join("full");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("mine"), "mine\n").unwrap();
    for path in [dir.clone(), dir.join("mine")] {
        let refused = git_evolve::harness::demo::make(&path).unwrap_err();
        assert_eq!(refused.kind(), git_evolve::Kind::Usage);
        assert!(refused.hint().is_some());
        assert!(refused.to_string().contains(path.to_str().unwrap()));
    }
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    std::fs::remove_file(dir.join("mine")).unwrap();
    assert!(
        git_evolve::harness::demo::make(&dir).is_ok(),
        "an empty folder will do"
    );
}

/// Metric by checkpoint, as `expected.csv` writes values: `3`, `3/26`, `undefined`.
type Figures = BTreeMap<(String, String, String, String), String>;

fn by_hand() -> Figures {
    let lines = include_str!("../fixtures/demo/expected.csv").lines();
    let rows = lines.filter(|l| !l.starts_with('#')).skip(1);
    rows.map(|row| {
        let fields: Vec<String> = row.split(',').map(str::to_owned).collect();
        let [arm, chain, checkpoint, metric, value] = <[String; 5]>::try_from(fields).unwrap();
        ((arm, chain, checkpoint, metric), value)
    })
    .collect()
}

#[test]
fn the_figures_counted_by_hand_cover_a_whole_chain_of_each_arm() {
    let figures = by_hand();
    let metrics: BTreeSet<&String> = figures.keys().map(|(.., metric)| metric).collect();
    assert_eq!(metrics.len(), 11);
    assert_eq!(
        figures.len(),
        ARMS.len() * CHECKPOINTS.len() * metrics.len()
    );
}

#[test]
fn git_counts_the_lines_that_were_counted_by_hand() {
    let demo = Demo::shared();
    let figures = by_hand();
    for arm in ARMS {
        let commits = demo.chain(&format!("demo/{arm}/1"));
        for (agent, k) in commits.iter().filter(|c| c.role == "agent").zip(1..) {
            let args = [
                "show",
                "--format=",
                "--numstat",
                "-M",
                &agent.id,
                "--",
                "src/main",
            ];
            let (mut added, mut removed) = (0, 0);
            for line in demo.git(&args).lines() {
                let mut counts = line.split('\t').map(|n| n.parse::<u32>());
                added += counts.next().unwrap().unwrap();
                removed += counts.next().unwrap().unwrap();
            }
            for (metric, counted) in [("lines_added", added), ("lines_removed", removed)] {
                let key = [arm, "1", &k.to_string(), metric].map(str::to_owned);
                assert_eq!(
                    figures[&key.into()],
                    counted.to_string(),
                    "{arm} {k} {metric}"
                );
            }
        }
    }
}

#[test]
fn the_log_of_a_chain_gives_the_figures_counted_by_hand() {
    let demo = Demo::shared();
    let expected = by_hand();
    let metrics: BTreeSet<&str> = expected.keys().map(|(.., m)| m.as_str()).collect();
    let metrics = metrics.into_iter().collect::<Vec<_>>().join(",");
    let mut found = Figures::new();
    for arm in ARMS {
        let chain = format!("demo/{arm}/1");
        let agents: BTreeSet<String> = (demo.chain(&chain).into_iter())
            .filter(|c| c.role == "agent")
            .map(|c| c.id)
            .collect();
        let args = [
            "log",
            "--chain",
            &chain,
            "--metrics",
            &metrics,
            "--format",
            "csv",
        ];
        let out = demo.around.evolve_in(&demo.path, &args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}");
        let csv = String::from_utf8(out.stdout).unwrap();
        let mut lines = csv.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let row: BTreeMap<&str, &str> = head.iter().copied().zip(line.split(',')).collect();
            if !agents.contains(row["commit"]) {
                continue;
            }
            let value = match (row["state"], row["den"]) {
                ("known", "") => row["value"].to_owned(),
                ("known", den) => format!("{}/{den}", row["num"]),
                (state, _) => state.to_owned(),
            };
            let key = ["arm", "chain", "checkpoint", "metric"].map(|k| row[k].to_owned());
            assert_eq!(
                found.insert(key.into(), value),
                None,
                "{line} a second time"
            );
        }
    }
    assert_eq!(found, expected);
}
