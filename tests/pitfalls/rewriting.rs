//! A rewritten history: what a record and a figure belong to afterwards.

use super::*;

/// What must not change, whatever is done to the branch: the figures, and how much is recorded.
fn kept(repo: &Repo) -> (Vec<(u64, Value)>, Value, Value) {
    let status = status(repo);
    let chain = &status["chains"][0];
    assert_eq!(status["chains"].as_array().map(Vec::len), Some(1));
    (
        figures(repo, repo.path()),
        chain["checkpoints"].clone(),
        chain["records"].clone(),
    )
}

/// The findings of `reconcile`, as words.
fn reconcile(repo: &Repo) -> Vec<String> {
    let o = repo.evolve(&["reconcile", "--format", "json"]);
    let document = document(&o);
    let findings = document["findings"].as_array().expect("a list");
    let word = |f: &Value| f["finding"].as_str().expect("a word").to_owned();
    findings.iter().map(word).collect()
}

/// A rebase with this edit of its list.
fn rebase(repo: &Repo, todo: &str, words: &[&str]) {
    let mut command = repo.command("git", repo.path());
    command.env("GIT_EDITOR", "true");
    command.env("GIT_SEQUENCE_EDITOR", todo);
    let o = command.args(["rebase", "-q"]).args(words).output();
    let o = o.expect("git runs");
    assert!(o.status.success(), "{words:?}: {}", err(&o));
}

fn carried_by_git(repo: &Repo) {
    repo.git(&["config", "notes.rewriteRef", "refs/notes/evolve/*"]);
}

#[test]
fn an_amended_and_rebased_chain_keeps_its_figures_though_git_carries_no_note() {
    let repo = worked(2);
    let before = kept(&repo);
    repo.git(&[
        "commit",
        "-q",
        "--amend",
        "--allow-empty",
        "--no-edit",
        "--date=now",
    ]);
    assert_eq!(
        records_on(&repo, "checkpoint", "HEAD").len(),
        0,
        "git lost it"
    );
    assert_eq!(kept(&repo), before);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("other", "o\n");
    repo.commit("other");
    repo.git(&["checkout", "-q", BRANCH]);
    // The key that carries them, and the one that switches it off again.
    carried_by_git(&repo);
    repo.git(&["config", "notes.rewrite.rebase", "false"]);
    rebase(&repo, "true", &["--empty=keep", "main"]);
    assert_eq!(
        records_on(&repo, "checkpoint", "HEAD").len(),
        0,
        "git lost it"
    );
    assert_eq!(kept(&repo), before);
    assert!(found(&repo, "doctor").contains(&"notes-rewrite-off".to_owned()));
    assert_eq!(reconcile(&repo), ["rewritten"]);
    well(&repo, &["reconcile", "--apply"]);
    let (figures, checkpoints, _) = kept(&repo);
    assert_eq!(
        (figures, checkpoints),
        (before.0, before.1),
        "now of the rewritten line"
    );
    assert_eq!(
        records_on(&repo, "checkpoint", "HEAD").len(),
        2,
        "its own and the adoption"
    );
}

#[test]
fn checkpoints_that_were_squashed_into_one_are_nobodys_and_nothing_is_counted_twice() {
    let repo = worked(2);
    let base = line(&repo)[0].clone();
    let before = kept(&repo);
    carried_by_git(&repo);
    rebase(
        &repo,
        "sed -i -e 2,4s/pick/squash/",
        &["-i", "--empty=keep", &base],
    );
    assert_eq!(repo.git(&["rev-list", "--count", "main..HEAD"]), "2");
    let on = records_on(&repo, "checkpoint", "HEAD");
    assert_eq!(on.len(), 4, "git put all of them on one commit");
    assert_eq!(kept(&repo), before);
    let findings = reconcile(&repo);
    assert!(findings.contains(&"collapsed".to_owned()), "{findings:?}");
    assert!(!found(&repo, "verify").iter().any(|id| id == "id-conflict"));
}

#[test]
fn a_picked_commit_is_a_copy_and_a_reverted_one_no_checkpoint() {
    let repo = worked(2);
    let before = kept(&repo);
    carried_by_git(&repo);
    let agent = line(&repo)[1].clone();
    repo.git(&["checkout", "-q", "main"]);
    repo.write("h", "h\n");
    repo.commit("other");
    repo.git(&["cherry-pick", &agent]);
    let claims = repo.git(&[
        "log",
        "--all",
        "--format=%h",
        "--grep=Evolve-Checkpoint: 1 ",
    ]);
    assert_eq!(claims.lines().count(), 3, "agent, reset and the copy");
    assert_eq!(kept(&repo), before);
    assert_eq!(reconcile(&repo), ["copy"]);
    // On its own line the copy is a change like any other.
    let own = log_in(&repo, repo.path(), &["HEAD"]);
    assert_eq!(own.len(), 3);
    assert!(own[0]["checkpoint"].is_null());
    repo.git(&["checkout", "-q", BRANCH]);
    repo.git(&["revert", "--no-edit", "HEAD~1"]);
    assert_eq!(kept(&repo), before);
    assert_eq!(status(&repo)["chains"][0]["foreign"], 1);
}

#[test]
fn a_squash_merge_of_either_kind_takes_no_part_in_the_run() {
    let repo = worked(2);
    let before = kept(&repo);
    let tip = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--squash", BRANCH]);
    // Git indents the messages; a web page puts the last trailers where trailers are read.
    repo.git(&["commit", "-q", "--no-edit"]);
    assert!(
        repo.git(&["log", "-1", "--format=%B"])
            .contains("    Evolve-Chain: ")
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%(trailers)"]), "");
    let web = "Title (#12)\n\n* one\n\nEvolve-Chain: exp/arm/1\nEvolve-Checkpoint: 2 checkpoint-2\nEvolve-Role: agent\n";
    repo.git(&["commit", "-q", "--amend", "-m", web]);
    assert_ne!(repo.git(&["log", "-1", "--format=%(trailers)"]), "");
    repo.git(&["branch", "-q", "-D", BRANCH]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(kept(&repo), before);
    assert_eq!(found(&repo, "verify"), ["only-kept"]);
    assert_eq!(status(&repo)["chains"][0]["tip"], tip.as_str());
}

#[test]
fn a_strangers_commit_that_got_a_dropped_ones_records_is_measured_by_none_of_them() {
    let repo = worked(1);
    let agent = line(&repo)[1].clone();
    let before = kept(&repo);
    carried_by_git(&repo);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("src/A.java", class(1));
    repo.write("Q", "q\n");
    let stranger = repo.commit("upstream");
    repo.git(&["checkout", "-q", "-b", "topic", &agent]);
    rebase(&repo, "true", &["main"]);
    if records_on(&repo, "tests", &stranger).is_empty() {
        // A git that no longer does it: done by hand what older ones do.
        repo.git(&[
            "notes",
            "--ref=refs/notes/evolve/tests",
            "copy",
            &agent,
            &stranger,
        ]);
    }
    assert_eq!(kept(&repo), before);
    assert!(found(&repo, "verify").contains(&"record-misplaced".to_owned()));
    let findings = reconcile(&repo);
    assert!(!findings.contains(&"carry".to_owned()), "{findings:?}");
    assert!(log_in(&repo, repo.path(), &["HEAD"])[0]["checkpoint"].is_null());
}

#[test]
fn what_rewrites_without_calling_any_hook_takes_no_figure_away() {
    let repo = worked(2);
    well(&repo, &["hooks", "install"]);
    let before = kept(&repo);
    let tip = repo.git(&["rev-parse", "HEAD"]);
    let heads = repo.git(&["rev-parse", "refs/notes/evolve/checkpoint"]);
    let back = || {
        repo.git(&["reset", "-q", "--hard", &tip]);
    };
    let same = repo.git(&["commit-tree", "-p", "HEAD^", "-m", "x", "HEAD^{tree}"]);
    repo.git(&["update-ref", "HEAD", &same]);
    assert_eq!(kept(&repo), before, "update-ref");
    back();
    let mut command = repo.command("git", repo.path());
    command.env("FILTER_BRANCH_SQUELCH_WARNING", "1");
    command.args([
        "filter-branch",
        "-f",
        "--msg-filter",
        "cat; echo Seen: x",
        "main..HEAD",
    ]);
    assert!(command.output().expect("runs").status.success());
    assert_eq!(kept(&repo), before, "filter-branch");
    assert_eq!(reconcile(&repo), ["rewritten"]);
    back();
    repo.git(&[
        "update-ref",
        "-d",
        &format!("refs/original/refs/heads/{BRANCH}"),
    ]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("other", "o\n");
    repo.commit("other");
    repo.git(&["checkout", "-q", BRANCH]);
    let range = format!("{}^..{BRANCH}", line(&repo)[0]);
    let o = perhaps(&repo, &["replay", "--onto", "main", &range]);
    if o.status.success() {
        let moves = captured(&repo, "moves", &o.stdout);
        let o = repo
            .command("sh", repo.path())
            .args(["-c", &format!("git update-ref --stdin <'{moves}'")])
            .output();
        assert!(o.expect("runs").status.success());
        repo.git(&["reset", "-q", "--hard"]);
        assert_ne!(repo.git(&["rev-parse", "HEAD"]), tip);
        assert_eq!(kept(&repo), before, "replay");
        back();
    }
    repo.git(&["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(kept(&repo), before, "reset");
    assert_eq!(
        repo.git(&["rev-parse", "refs/notes/evolve/checkpoint"]),
        heads
    );
}

#[test]
fn trailers_alone_and_a_record_alone_each_say_what_a_commit_is() {
    let repo = worked(1);
    well(&repo, &["begin", CHAIN, "2"]);
    repo.write("src/A.java", class(2));
    capture(&repo, 2);
    let before = kept(&repo);
    // The record alone.
    carried_by_git(&repo);
    repo.git(&["commit", "-q", "--amend", "-m", "other words"]);
    repo.git(&["update-ref", KEPT, "HEAD"]);
    assert_eq!(repo.git(&["log", "-1", "--format=%(trailers)"]), "");
    assert_eq!(kept(&repo).0, before.0);
    assert_eq!(found(&repo, "verify"), ["chain-remark"], "and it is said");
    assert_eq!(
        status(&repo)["elsewhere"],
        0,
        "a record is not astray where a copy of it is at home"
    );
    // The trailers alone.
    let repo = worked(2);
    let before = figures(&repo, repo.path());
    let agent = line(&repo)[3].clone();
    for kind in ["checkpoint", "envelope", "tests", "raw"] {
        repo.git(&[
            "notes",
            &format!("--ref=refs/notes/evolve/{kind}"),
            "remove",
            &agent,
        ]);
    }
    assert_eq!(figures(&repo, repo.path()), before);
    let words = ["status", "--chain", CHAIN, "--format", "json"];
    let rows = document(&repo.evolve(&words))["checkpoints"].clone();
    let missing = rows[1]["missing"].to_string();
    assert!(
        missing.contains("record") && missing.contains("tests"),
        "{missing}"
    );
    // The two at odds.
    let other =
        lines_on(&repo, "checkpoint", &line(&repo)[1])[0].replace("\"id\":\"0", "\"id\":\"1");
    put(&repo, "checkpoint", &agent, &(other + "\n"));
    assert_eq!(figures(&repo, repo.path()), before);
    let findings = found(&repo, "verify");
    assert!(
        findings.contains(&"record-misplaced".to_owned()),
        "{findings:?}"
    );
}

#[test]
fn an_agent_that_rewrites_its_own_commits_or_ours_is_measured_from_the_last_reset() {
    let repo = worked(1);
    well(&repo, &["begin", CHAIN, "2"]);
    let reset = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/A.java", class(2));
    repo.commit("one");
    repo.write("src/A.java", class(3));
    repo.commit("two");
    repo.git(&["reset", "-q", "--soft", &reset]);
    repo.commit("squashed by the agent");
    well(&repo, &["record"]);
    let record = &records_on(&repo, "checkpoint", "HEAD")[0];
    assert_eq!(record["work"]["history_rewritten"], false);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), reset);

    well(&repo, &["reset"]);
    well(&repo, &["begin", CHAIN, "3"]);
    let reset = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/A.java", class(5));
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "all mine"]);
    let own = repo.git(&["rev-parse", "HEAD"]);
    let said = well(&repo, &["record"]);
    assert!(said.contains("the agent rewrote history"), "{said}");
    let record = &records_on(&repo, "checkpoint", "HEAD")[0];
    assert_eq!(record["work"]["history_rewritten"], true);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), reset);
    assert_eq!(
        repo.git(&["diff", "--numstat", "HEAD^", "HEAD"]),
        "2\t0\tsrc/A.java"
    );
    assert_eq!(
        repo.git(&["rev-parse", "refs/evolve/agent/exp/arm/1/3/1"]),
        own
    );
    let churn: Vec<Value> = figures(&repo, repo.path())
        .iter()
        .map(|(_, f)| f["churn"]["value"].clone())
        .collect();
    assert_eq!(churn, [2, 2, 1]);
}
