//! `git evolve run`: chains are begun, worked through and recorded, and what a user has stays as
//! it is.

use serde_json::json;

use super::err;
use super::run_lab::{GATE, Lab, WORKS};

#[test]
fn a_plan_is_run_through_every_checkpoint_of_every_chain() {
    let lab = Lab::new(WORKS, "");
    lab.plan(
        "chains = 2",
        "",
        "[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\n",
    );
    let head = lab.repo.git(&["rev-parse", "HEAD"]);
    let told = lab.ends(0, &["--jobs", "2"]);
    assert_eq!(told["chains"].as_array().unwrap().len(), 4);
    for chain in told["chains"].as_array().unwrap() {
        assert_eq!(chain["end"], "complete");
        assert_eq!(chain["done"], 3);
        // What nobody told is not nothing.
        assert_eq!(chain["cost_usd"], json!(null));
        assert_eq!(chain["sessions_of_unknown_cost"], 3);
    }
    let line = lab.line("exp/b/2");
    let subjects: Vec<&str> = line.iter().map(|l| l.split_once(' ').unwrap().1).collect();
    assert_eq!(
        subjects,
        [
            "Begin exp/b/2",
            "1 one: Do one.",
            "1 one: reset",
            "2 two: Do two.",
            "2 two: reset",
            "3 three: Do three.",
            "3 three: reset",
        ]
    );
    // Committed and uncommitted work is one commit; the guide is put back behind it.
    let files = |of: &str| lab.repo.git(&["ls-tree", "-r", "--name-only", of]);
    assert_eq!(
        files("evolve/exp/a/1"),
        "GUIDE.md\nsrc/log\nsrc/new1\nsrc/new2\nsrc/new3\nsrc/value"
    );
    let show = |of: &str| lab.repo.git(&["show", of]);
    assert_eq!(show("evolve/exp/a/1:GUIDE.md"), "Be good.");
    assert_eq!(show("evolve/exp/a/1^:GUIDE.md"), "Be good.\ntampered");
    assert_eq!(show("evolve/exp/a/1:src/value"), "3");
    // The agent's own commits are kept, and quoted.
    assert_eq!(
        lab.refs("refs/evolve/agent/exp/a/1/"),
        ["1/1", "2/1", "3/1"]
    );
    let message = lab
        .repo
        .git(&["log", "-1", "--format=%B", "evolve/exp/a/1^"]);
    assert!(message.contains("\n    My own words\n"), "{message}");
    // Nothing of the user's moved.
    assert_eq!(lab.repo.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(lab.repo.git(&["status", "--porcelain"]), "");
    assert_eq!(lab.refs("refs/evolve/chains/exp/").len(), 4);
    lab.holds();
    // Once more: nothing is left to do, and nobody is asked.
    let before = lab.launched();
    let told = lab.ends(0, &[]);
    assert_eq!(told["chains"][0]["end"], "complete");
    assert_eq!(told["chains"][0]["sessions"], 0);
    assert_eq!(lab.launched(), before);
    assert_eq!(before.len(), 12);
}

#[test]
fn records_say_what_each_commit_was_made_with() {
    let lab = Lab::new(WORKS, GATE);
    lab.ends(0, &["--until", "1"]);
    let agent = lab.repo.git(&["rev-parse", "evolve/exp/a/1^"]);
    let [record] = lab.notes("checkpoint", &agent).try_into().unwrap();
    assert_eq!(record["event"], "agent");
    assert_eq!(record["work"]["commit_count"], 1);
    assert_eq!(record["work"]["uncommitted"], true);
    assert_eq!(record["work"]["untracked"]["first"][0]["path"], "src/new1");
    assert_eq!(record["work"]["history_rewritten"], false);
    assert!(record["config"]["blob"].is_string());
    assert_eq!(record["provenance"]["isolation"], "none");
    let roles: Vec<&str> = record["contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["role"].as_str().unwrap())
        .collect();
    assert!(roles.contains(&"plan") && roles.contains(&"prompt") && roles.contains(&"tests"));
    let [session] = lab.notes("envelope", &agent).try_into().unwrap();
    assert_eq!(session["purpose"], "implement");
    assert_eq!(session["outcome"], "success");
    assert_eq!(session["attempt"], record["attempt"]);
    assert_eq!(session["launch"]["turn"], 1);
    assert_eq!(session["launch"]["tree"], record["tree"]);
    assert_eq!(session["launch"]["prompt_route"], "stdin");
    let reset = lab.repo.git(&["rev-parse", "evolve/exp/a/1"]);
    let [put_back] = lab.notes("checkpoint", &reset).try_into().unwrap();
    assert_eq!(put_back["restored"]["paths"][0]["path"], "GUIDE.md");
    assert_eq!(put_back["attempt"], record["attempt"]);
    let base = lab.repo.git(&["rev-parse", "evolve/exp/a/1~2"]);
    let [begun] = lab.notes("checkpoint", &base).try_into().unwrap();
    let project = lab.repo.git(&["rev-parse", "main"]);
    assert_eq!(begun["project"], project.as_str());
    assert_eq!(
        lab.gates("exp/a/1"),
        [
            "Begin exp/a/1: acceptance t::one=failed t::two=passed",
            "1 one: Do one.: acceptance t::one=passed t::two=passed"
        ]
    );
}

#[test]
fn what_is_asked_for_is_run_and_nothing_else() {
    let lab = Lab::new(WORKS, "");
    lab.plan(
        "chains = 2",
        "",
        "[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\n",
    );
    let told = lab.ends(0, &["--dry-run"]);
    assert_eq!(told["chains"].as_array().unwrap().len(), 4);
    assert_eq!(told["chains"][0]["end"], "planned");
    assert!(lab.launched().is_empty());
    assert!(lab.refs("refs/evolve/").is_empty() && !lab.scratch().exists());
    assert!(!lab.repo.path().join(".git/evolve").exists());
    lab.ends(0, &["--arm", "b", "--chain", "2", "--until", "2"]);
    assert_eq!(lab.refs("refs/heads/evolve/exp/"), ["b/2"]);
    assert_eq!(lab.launched(), ["implement 1", "implement 2"]);
    lab.ends(0, &["--chain", "exp/b/2"]);
    assert_eq!(lab.launched().len(), 3);
    for (words, said) in [
        (["--arm", "c"], "the plan has no arm c"),
        (["--task", "t"], "the plan has no task t"),
        (["--chain", "3"], "no chain of the plan is called 3"),
    ] {
        let done = lab.run(&words);
        assert_eq!(done.status.code(), Some(2));
        assert!(err(&done).contains(said), "{}", err(&done));
    }
}

#[test]
fn a_branch_that_is_checked_out_is_not_moved() {
    let lab = Lab::new(WORKS, "");
    lab.ends(0, &["--until", "1"]);
    lab.repo.git(&["switch", "-q", "evolve/exp/a/1"]);
    let done = lab.run(&[]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        err(&done).contains("evolve/exp/a/1 is checked out in"),
        "{}",
        err(&done)
    );
    lab.repo.git(&["switch", "-q", "main"]);
    let tree = lab.repo.around().join("other");
    let tree = tree.to_str().unwrap();
    lab.repo
        .git(&["worktree", "add", "-q", tree, "evolve/exp/a/1"]);
    let done = lab.run(&[]);
    assert_eq!(done.status.code(), Some(2));
    assert!(err(&done).contains("other"), "{}", err(&done));
}

#[test]
fn an_agent_that_changes_nothing_makes_an_empty_commit() {
    let lab = Lab::new("cat > /dev/null", "");
    lab.ends(0, &[]);
    let line = lab.line("exp/a/1");
    assert_eq!(line.len(), 7);
    let trees: Vec<&str> = line.iter().map(|l| l.split_once(' ').unwrap().0).collect();
    assert!(trees.iter().all(|t| *t == trees[0]), "{line:?}");
    lab.holds();
}

#[test]
fn a_base_has_the_arms_files_and_not_the_experiments_own() {
    let lab = Lab::new("cat > /dev/null", "");
    let repo = &lab.repo;
    repo.write("evolve.toml", "");
    repo.write("prompts/one.md", "# Do one\n");
    repo.write("arms/spring/RULES.md", "Spring.\n");
    repo.write("specs/api.md", "It must.\n");
    repo.write("hidden/secret.txt", "x\n");
    repo.write("accept/a.t", "true\n");
    repo.write("shown/b.t", "true\n");
    let script = lab.folder().join("agent.sh");
    // The plan is nobody's to see under whatever name.
    for (file, name) in [("evolve.toml", "exp"), ("other.toml", "more")] {
        repo.write(
            file,
            format!(
                "[experiment]\nname = '{name}'\nbase = 'HEAD'\nchains = 1\n\
             [agent]\ncommand = ['sh', '{}']\nisolation = 'none'\n\
             [controls]\nhidden = ['hidden/']\ntests = ['shown/']\n\
             [gate]\nbaseline = false\n[gate.acceptance]\ncommand = ['true']\nreports = ['x.xml']\n\
             tests = [{{ from = 'accept', to = 'accept' }}, {{ from = 'shown', to = 'shown' }}]\n\
             isolation = 'none'\n\
             [[setup]]\ncommand = ['sh', '-c', 'echo made > made.txt; echo also > src/value']\n\
             generates = true\n\
             [[arms]]\nname = 'spring'\nfiles = [{{ from = 'arms/spring', to = 'rules' }}]\n\
             [[arms.specs]]\nfile = 'specs/api.md'\nto = 'SPEC.md'\nkind = 'authoritative'\n\
             [[checkpoints]]\nid = 'one'\nprompt = 'prompts/one.md'\n",
                script.display()
            ),
        );
        repo.commit("plan");
        let scratch = lab.scratch();
        let words = [
            "run",
            "--plan",
            file,
            "--scratch",
            scratch.to_str().unwrap(),
        ];
        let done = repo.evolve(&words);
        assert_eq!(done.status.code(), Some(1), "{}", err(&done));
        let base = repo.git(&["rev-parse", &format!("evolve/{name}/spring/1~2")]);
        assert_eq!(
            repo.git(&["ls-tree", "-r", "--name-only", &base]),
            "GUIDE.md\nSPEC.md\nmade.txt\nrules/RULES.md\nshown/b.t\nsrc/log\nsrc/value"
        );
        assert_eq!(repo.git(&["show", &format!("{base}:src/value")]), "also");
        let [begun] = lab.notes("checkpoint", &base).try_into().unwrap();
        assert_eq!(begun["setups"][0]["in"], "base");
        assert_eq!(begun["setups"][0]["outcome"], "ok");
        assert_eq!(
            repo.git(&[
                "log",
                "-1",
                "--format=%s",
                &format!("evolve/{name}/spring/1^")
            ]),
            "1 one: Do one"
        );
        let named = begun["contents"].as_array().unwrap();
        assert!(
            named
                .iter()
                .any(|c| c["role"] == "plan" && c["path"] == file),
            "{named:?}"
        );
    }
}

#[test]
fn a_base_is_brought_in_once_and_kept() {
    let lab = Lab::new("cat > /dev/null", "");
    lab.ends(0, &["--until", "1"]);
    let kept = lab.refs("refs/evolve/bases/");
    assert_eq!(kept.len(), 1);
    assert!(kept[0].starts_with("exp/experiment-"), "{kept:?}");
    let first = lab.repo.git(&["rev-parse", "main"]);
    lab.repo.write("src/later", "x\n");
    lab.repo.commit("the branch moves on");
    lab.plan("chains = 2", "", "");
    let done = lab.run(&["--until", "1"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(err(&done).contains("chains stand on"), "{}", err(&done));
    assert_eq!(lab.repo.git(&["rev-parse", "evolve/exp/a/2~3"]), first);
}

#[test]
fn a_base_may_be_a_folder_a_bundle_or_a_commit_elsewhere() {
    let lab = Lab::new("cat > /dev/null", "");
    let elsewhere = crate::support::Repo::new();
    elsewhere.write("only/there", "x\n");
    let commit = elsewhere.commit("there");
    let bundle = lab.folder().join("there.bundle");
    elsewhere.git(&[
        "bundle",
        "create",
        "-q",
        bundle.to_str().unwrap(),
        "main",
        "HEAD",
    ]);
    lab.beside("files/in/folder", "y\n");
    let address = elsewhere.path().display().to_string();
    let arms = format!(
        "[[arms]]\nname = 'folder'\nbase = './files'\n\
         [[arms]]\nname = 'bundle'\nbase = './there.bundle'\n\
         [[arms]]\nname = 'branch'\nbase = './there.bundle@main'\n\
         [[arms]]\nname = 'remote'\nbase = '{address}@{commit}'\n"
    );
    lab.plan("chains = 1", "", &arms);
    lab.ends(0, &["--until", "1"]);
    let files = |arm: &str| {
        let of = format!("evolve/exp/{arm}/1");
        lab.repo.git(&["ls-tree", "-r", "--name-only", &of])
    };
    assert_eq!(files("folder"), "in/folder");
    assert_eq!(files("bundle"), "only/there");
    assert_eq!(files("branch"), "only/there");
    assert_eq!(files("remote"), "only/there");
    assert_eq!(
        lab.repo.git(&["rev-parse", "evolve/exp/remote/1~3"]),
        commit
    );
    assert!(lab.refs("refs/evolve/bases-fetched").is_empty());
    // The same files are the same commit, wherever they are brought in.
    let folder = lab.repo.git(&["rev-parse", "evolve/exp/folder/1~3"]);
    let parents = lab.repo.git(&["log", "-1", "--format=%P|%an|%at", &folder]);
    assert_eq!(parents, "|git-evolve|0");
}
