//! Repositories of every shape, and what may stand around them.

use super::*;

/// What every reading command says in `dir`: exit code and output.
fn readings(repo: &Repo, dir: &Path) -> Vec<(Option<i32>, String)> {
    let chain = ["log", "--chain", CHAIN, "--format", "json"];
    let others = [
        &["log", "main", "--format", "json"][..],
        &["slope", "--format", "json"],
        &["show", "main", "--format", "json"],
        &["functions", "main", "--format", "json"],
        &["files", "main", "--format", "json"],
        &["verify", "--format", "json"],
    ];
    let all = [&[&chain[..]], &others[..]].concat();
    let said = |words: &&[&str]| {
        let o = repo.evolve_in(dir, words);
        assert!(
            o.status.success(),
            "{words:?} in {}: {}",
            dir.display(),
            err(&o)
        );
        (o.status.code(), out(&o))
    };
    all.iter().map(said).collect()
}

#[test]
fn before_the_first_commit_inside_the_git_directory_and_outside_of_any_each_has_its_answer() {
    let unborn = Repo::new();
    for words in [
        &["log"][..],
        &["slope"],
        &["status"],
        &["verify"],
        &["doctor"],
    ] {
        done(&unborn, unborn.path(), words);
    }
    let said = err(&unborn.evolve(&["begin", CHAIN, "1"]));
    assert!(said.contains("commit"), "{said}");
    assert_eq!(unborn.git(&["for-each-ref"]), "");
    let repo = worked(1);
    let inside = repo.path().join(".git");
    assert_eq!(figures(&repo, &inside), figures(&repo, repo.path()));
    sound(&repo, &inside);
    // What is written from there is what would be from above.
    done(&repo, &inside, &["begin", CHAIN, "2"]);
    repo.write("src/A.java", class(2));
    done(&repo, &inside, &["record"]);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]),
        "src/A.java"
    );
    let none = repo.around().join("none");
    std::fs::create_dir(&none).expect("made");
    for words in [
        &["log"][..],
        &["status"],
        &["verify"],
        &["record"],
        &["push"],
        &["doctor"],
    ] {
        let o = repo.evolve_in(&none, words);
        assert_eq!(o.status.code(), Some(128), "{words:?}");
        assert!(
            err(&o).starts_with("fatal: not a git repository"),
            "{words:?}: {}",
            err(&o)
        );
        assert!(o.stdout.is_empty());
    }
}

#[test]
fn a_bare_repository_and_a_work_tree_of_one_answer_like_any_other() {
    let repo = worked(2);
    let here = readings(&repo, repo.path());
    let bare = repo.around().join("bare.git");
    repo.git(&["clone", "-q", "--mirror", ".", text(&bare)]);
    assert_eq!(readings(&repo, &bare), here);
    let of_bare = repo.around().join("of-bare");
    git(
        &repo,
        &bare,
        &["worktree", "add", "-q", "--detach", text(&of_bare), "main"],
    );
    assert_eq!(readings(&repo, &of_bare), here);
    let o = repo.evolve_in(&bare, &["record"]);
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    assert!(err(&o).contains("needs a work tree"), "{}", err(&o));
    // Work goes on in it.
    done(&repo, &of_bare, &["begin", CHAIN, "3"]);
    done(&repo, &of_bare, &["record"]);
    let server = server(&repo);
    done(&repo, &bare, &["push", "--yes", text(&server)]);
    assert!(!git(&repo, &server, &["rev-parse", CHECKPOINTS]).is_empty());
}

#[test]
fn a_detached_checkout_of_one_commit_says_what_it_cannot_know() {
    let repo = project();
    repo.write("src/A.java", class(4));
    repo.commit("four branches");
    let server = server(&repo);
    let ci = repo.around().join("ci");
    repo.git(&["init", "-q", text(&ci)]);
    let url = format!("file://{}", server.display());
    git(&repo, &ci, &["remote", "add", "origin", &url]);
    git(
        &repo,
        &ci,
        &[
            "fetch",
            "-q",
            "--no-tags",
            "--depth=1",
            "origin",
            "+main:refs/remotes/origin/main",
        ],
    );
    git(
        &repo,
        &ci,
        &["checkout", "-q", "--detach", "refs/remotes/origin/main"],
    );
    let o = repo.evolve_in(&ci, &["log", "--format", "json"]);
    assert!(matches!(o.status.code(), Some(0 | 3)), "{}", err(&o));
    assert!(err(&o).contains("git fetch --unshallow"), "{}", err(&o));
    assert_ne!(
        repo.evolve_in(&ci, &["log", "--strict"]).status.code(),
        Some(0)
    );
    let o = repo.evolve_in(&ci, &["begin", CHAIN, "1"]);
    assert!(o.status.success(), "a chain can begin on it: {}", err(&o));
}

#[test]
fn at_the_edge_of_a_shallow_clone_figures_are_unknown_and_not_a_whole_file() {
    let repo = project();
    for k in 1..=3 {
        repo.write("src/A.java", class(k));
        repo.commit(&k.to_string());
    }
    let cut = repo.around().join("cut");
    let url = format!("file://{}", repo.path().display());
    repo.git(&["clone", "-q", "--depth=2", &url, text(&cut)]);
    let whole = log_in(&repo, repo.path(), &[]);
    let o = repo.evolve_in(&cut, &["log", "--format", "jsonl"]);
    let rows: Vec<Value> = out(&o)
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 2);
    let churn = |row: &Value| row["metrics"]["churn"].clone();
    assert_eq!(churn(&rows[0]), churn(&whole[0]), "its parent is here");
    let edge = churn(&rows[1]);
    assert!(
        edge["value"].is_null() && edge["unknown"].is_string(),
        "{edge}"
    );
    assert!(err(&o).contains("git fetch --unshallow"), "{}", err(&o));
    let o = repo.evolve_in(&cut, &["slope", "--metrics", "churn", "--format", "json"]);
    let slope = document(&o);
    assert!(!slope.to_string().contains("\"slope\":0.0"), "{slope}");
}

#[test]
fn a_partial_clone_without_its_remote_says_which_objects_are_missing_and_goes_on() {
    let repo = worked(2);
    let server = server(&repo);
    git(
        &repo,
        &server,
        &["config", "uploadpack.allowFilter", "true"],
    );
    well(&repo, &["push", "--yes"]);
    let part = repo.around().join("part");
    let url = format!("file://{}", server.display());
    repo.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &url,
        text(&part),
    ]);
    git(
        &repo,
        &part,
        &["remote", "set-url", "origin", "file:///nowhere"],
    );
    let o = repo.evolve_in(&part, &["log", "main", "--format", "jsonl"]);
    let rows: Vec<Value> = out(&o)
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 1, "{}", err(&o));
    let churn = &rows[0]["metrics"]["churn"];
    assert!(churn["unknown"].is_string(), "{churn}");
    let brings = "git fetch --refetch --no-filter";
    assert!(err(&o).contains(brings), "{}", err(&o));
    // Once the remote is back: notes come whole in our fetch, files in the one that is named.
    git(&repo, &part, &["remote", "set-url", "origin", &url]);
    done(&repo, &part, &["fetch"]);
    assert_eq!(status_in(&repo, &part)["chains"][0]["records"], 13);
    git(&repo, &part, &["fetch", "-q", "--refetch", "--no-filter"]);
    assert_eq!(figures(&repo, &part), figures(&repo, repo.path()));
}

#[test]
fn work_trees_share_the_records_and_each_has_its_own_pending_checkpoint() {
    let repo = project();
    let inside = repo.path().join(".claude/worktrees/one");
    repo.git(&["worktree", "add", "-q", "--detach", text(&inside), "main"]);
    let beside = repo.around().join("two");
    repo.git(&["worktree", "add", "-q", "--detach", text(&beside), "main"]);
    for (n, dir) in [&inside, &beside].into_iter().enumerate() {
        done(&repo, dir, &["begin", &format!("exp/arm/{}", n + 1), "1"]);
        std::fs::write(dir.join("src/New.java"), "class New {\n}\n").expect("written");
    }
    assert_eq!(status(&repo)["pending"].as_array().map(Vec::len), Some(2));
    assert!(!repo.path().join(".git/evolve/pending.json").exists());
    for dir in [&inside, &beside] {
        done(&repo, dir, &["record"]);
        assert_eq!(
            status_in(&repo, dir)["chains"].as_array().map(Vec::len),
            Some(2)
        );
    }
    for name in ["one", "two"] {
        let own = repo.path().join(".git/worktrees").join(name).join("evolve");
        assert!(own.exists() && !own.join("lock").exists() && !own.join("spool").exists());
    }
    assert!(
        repo.path().join(".git/evolve/lock").exists(),
        "one lock for all"
    );
    // A work tree inside of another is none of its files.
    well(&repo, &["begin", "exp/arm/3", "1"]);
    repo.write("src/A.java", class(1));
    let said = well(&repo, &["record"]);
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]),
        "src/A.java",
        "{said}"
    );
    let record = &records_on(&repo, "checkpoint", "HEAD")[0];
    assert!(
        !record["work"]["untracked"].to_string().contains(".claude"),
        "{record}"
    );
}

#[test]
fn code_that_an_agent_put_into_a_repository_of_its_own_is_not_one_line() {
    let repo = worked(1);
    well(&repo, &["begin", CHAIN, "2"]);
    let inner = repo.path().join("lib");
    std::fs::create_dir(&inner).expect("made");
    git(&repo, &inner, &["init", "-q"]);
    std::fs::write(inner.join("X.java"), class(9)).expect("written");
    git(&repo, &inner, &["add", "-A"]);
    git(&repo, &inner, &["commit", "-q", "-m", "inner"]);
    repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "-A"]);
    repo.git(&["commit", "-q", "-m", "swallowed"]);
    let said = well(&repo, &["record"]);
    assert!(said.contains("'lib'"), "{said}");
    assert!(repo.git(&["ls-tree", "HEAD", "lib"]).starts_with("160000 "));
    assert_eq!(
        repo.git(&["diff", "--numstat", "HEAD^", "HEAD"]),
        "1\t0\tlib"
    );
    let rows = log_in(&repo, repo.path(), &["--chain", CHAIN]);
    assert_eq!(rows[0]["metrics"]["churn"]["value"], 0);
    assert_eq!(rows[0]["metrics"]["fns_added"]["value"], 0);
    let o = done(&repo, repo.path(), &["show", "HEAD"]);
    assert!(
        out(&o).contains("lib") && (out(&o) + &err(&o)).contains("nested"),
        "{}{}",
        out(&o),
        err(&o)
    );
    // A declared one is left alone as well, and no news.
    let sub = project();
    let url = text(sub.path()).to_owned();
    repo.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "vendor/sub",
    ]);
    repo.git(&["commit", "-q", "-m", "a submodule"]);
    let row = &log_in(&repo, repo.path(), &["HEAD", "--last", "1"])[0];
    assert_eq!(row["metrics"]["fns_added"]["value"], 0);
    let files = out(&done(
        &repo,
        repo.path(),
        &["files", "HEAD", "--format", "csv"],
    ));
    assert!(
        !files.contains("vendor/sub,") && !files.contains("\nlib,"),
        "{files}"
    );
}

#[test]
fn a_run_is_recorded_read_shared_and_checked_with_long_ids_and_with_refs_in_tables() {
    let plain = worked(2);
    let expected = figures(&plain, plain.path());
    for init in ["--object-format=sha256", "--ref-format=reftable"] {
        let repo = project_with(&[init]);
        for k in 1..=2 {
            checkpoint(&repo, k);
        }
        assert_eq!(figures(&repo, repo.path()), expected, "{init}");
        let server = repo.around().join("server.git");
        repo.git(&["init", "-q", "--bare", "-b", "main", init, text(&server)]);
        repo.git(&["remote", "add", "origin", text(&server)]);
        repo.git(&["push", "-q", "origin", "main"]);
        well(&repo, &["push", "--yes"]);
        let copy = repo.around().join("copy");
        repo.git(&["clone", "-q", text(&server), text(&copy)]);
        assert_eq!(figures(&repo, &copy), expected, "{init}");
        sound(&repo, repo.path());
        sound(&repo, &copy);
    }
}

#[test]
fn replaced_and_grafted_commits_are_measured_as_they_were_committed() {
    let repo = project();
    for k in 1..=3 {
        repo.write("src/A.java", class(k));
        repo.commit(&k.to_string());
    }
    let words = ["log", "--format", "json"];
    let before = repo.stdout(&words);
    repo.git(&["replace", "--graft", "HEAD", "HEAD~2"]);
    assert_eq!(
        repo.git(&["rev-list", "--count", "HEAD"]),
        "3",
        "git believes it"
    );
    assert_eq!(repo.stdout(&words), before);
    let said = found(&repo, "doctor");
    assert!(said.contains(&"replace-refs".to_owned()), "{said:?}");
    // A commit of a chain that is replaced stays what it was.
    let repo = worked(1);
    let before = figures(&repo, repo.path());
    let agent = line(&repo)[1].clone();
    let tree = repo.git(&["rev-parse", "main^{tree}"]);
    let other = repo.git(&["commit-tree", &tree, "-m", "nothing of ours"]);
    repo.git(&["replace", &agent, &other]);
    std::fs::write(repo.path().join(".git/info/grafts"), format!("{agent}\n")).expect("written");
    assert_eq!(figures(&repo, repo.path()), before);
    sound(&repo, repo.path());
}

#[test]
fn merges_are_measured_against_their_first_parent_and_roots_against_nothing() {
    let repo = project();
    for name in ["a", "b"] {
        repo.git(&["checkout", "-q", "-b", name, "main"]);
        repo.write(&format!("src/{name}.java"), class(0).replace('A', name));
        repo.commit(name);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.write("h", "h\n");
    repo.commit("h");
    repo.git(&["merge", "-q", "-m", "octopus", "a", "b"]);
    assert_eq!(
        repo.git(&["rev-list", "--parents", "-1", "HEAD"])
            .split(' ')
            .count(),
        4
    );
    let rows = log_in(&repo, repo.path(), &[]);
    let subjects: Vec<&str> = rows
        .iter()
        .map(|r| r["subject"].as_str().expect("words"))
        .collect();
    assert_eq!(subjects, ["octopus", "h", "project"], "first parents alone");
    assert_eq!(
        rows[0]["metrics"]["fns_added"]["value"], 2,
        "what it brought in"
    );
    assert_eq!(
        rows[2]["metrics"]["fns_added"]["value"], 1,
        "the root's own"
    );
    // The same parent twice, and a second root.
    let head = repo.git(&["rev-parse", "HEAD"]);
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let who = "t <t@e.invalid> 1700009999 +0000";
    let object = format!(
        "tree {tree}\nparent {head}\nparent {head}\nauthor {who}\ncommitter {who}\n\ntwice\n"
    );
    let file = captured(&repo, "commit", object);
    let twice = repo.git(&["hash-object", "-t", "commit", "-w", &file]);
    let row = &log_in(&repo, repo.path(), &[&twice, "--last", "1"])[0];
    assert_eq!(
        (&row["subject"], &row["metrics"]["churn"]["value"]),
        (&"twice".into(), &0.into())
    );
    let root = repo.git(&["commit-tree", &tree, "-m", "another root"]);
    let joined = repo.git(&[
        "commit-tree",
        &tree,
        "-p",
        &head,
        "-p",
        &root,
        "-m",
        "joined",
    ]);
    let row = &log_in(&repo, repo.path(), &[&joined, "--last", "1"])[0];
    assert_eq!(row["metrics"]["churn"]["value"], 0);
}

#[test]
fn changes_since_a_date_are_found_behind_one_that_is_dated_before_it() {
    let repo = Repo::new();
    let dates = [
        "2030-01-01T00:00:00Z",
        "2001-01-01T00:00:00Z",
        "2024-01-01T00:00:00Z",
    ];
    for (n, date) in dates.into_iter().enumerate() {
        repo.write("src/A.java", class(n));
        repo.git(&["add", "-A"]);
        let mut command = repo.command("git", repo.path());
        command.env("GIT_COMMITTER_DATE", date);
        let o = command
            .args(["commit", "-q", "-m", &n.to_string()])
            .output();
        assert!(o.expect("runs").status.success());
    }
    let git = repo.git(&["log", "--format=%s", "--since=2019-01-01"]);
    assert_eq!(git, "2", "git stops at the old one");
    let rows = log_in(&repo, repo.path(), &["--since", "2019-01-01"]);
    let subjects: Vec<&str> = rows.iter().filter_map(|r| r["subject"].as_str()).collect();
    assert_eq!(subjects, ["2", "0"]);
}

#[test]
fn a_chain_is_in_the_order_of_its_commits_whatever_their_dates() {
    let repo = project();
    let dates = [
        "2030-01-01T00:00:00Z",
        "2001-01-01T00:00:00Z",
        "2001-01-01T00:00:00Z",
    ];
    for (n, date) in dates.into_iter().enumerate() {
        let k = (n + 1).to_string();
        repo.write("src/A.java", class(n));
        for words in [&["begin", CHAIN, &k][..], &["record"], &["reset"]] {
            if words[0] == "record" {
                repo.write("src/A.java", class(n + 1));
            }
            let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), repo.path());
            command
                .env("GIT_COMMITTER_DATE", date)
                .env("GIT_AUTHOR_DATE", date)
                .args(words);
            let o = command.output().expect("runs");
            assert!(o.status.success(), "{}", err(&o));
        }
    }
    let since = repo.git(&["log", "--format=%s", "--since=2019-01-01", BRANCH]);
    assert!(
        !since.contains("checkpoint-1"),
        "git stops at the first old date"
    );
    let order: Vec<u64> = figures(&repo, repo.path())
        .iter()
        .map(|(k, _)| *k)
        .collect();
    assert_eq!(order, [3, 2, 1]);
    sound(&repo, repo.path());
    let slope = |words: &[&str]| document(&done(&repo, repo.path(), words));
    let table = slope(&["slope", "--metrics", "churn", "--format", "json"]);
    assert!(table.to_string().contains("\"churn\""), "{table}");
}

#[test]
fn odd_places_odd_names_and_links_are_no_hindrance() {
    // A name with a space, an umlaut and a line feed.
    let repo = Repo::new();
    let odd = repo.around().join("sp ace \u{fc}\nnl");
    repo.git(&["init", "-q", "-b", "main", text(&odd)]);
    std::fs::create_dir(odd.join("src")).expect("made");
    std::fs::write(odd.join("src/A.java"), class(0)).expect("written");
    git(&repo, &odd, &["add", "-A"]);
    git(&repo, &odd, &["commit", "-q", "-m", "project"]);
    let session = captured(&repo, "e.json", "{}\n");
    let round: [&[&str]; 3] = [
        &["begin", CHAIN, "1"],
        &["record", "--envelope", &session],
        &["reset"],
    ];
    for words in round {
        done(&repo, &odd, words);
    }
    sound(&repo, &odd);
    done(&repo, &odd, &["hooks", "install"]);
    assert_eq!(figures(&repo, &odd).len(), 1);

    // The git directory behind a link, a branch called HEAD, and objects borrowed from another.
    let lender = project();
    let repo = Repo::new();
    let borrower = repo.around().join("borrower");
    repo.git(&[
        "clone",
        "-q",
        "--shared",
        text(lender.path()),
        text(&borrower),
    ]);
    std::fs::rename(borrower.join(".git"), repo.around().join("moved")).expect("moved");
    std::os::unix::fs::symlink(repo.around().join("moved"), borrower.join(".git")).expect("a link");
    git(&repo, &borrower, &["update-ref", "refs/heads/HEAD", "HEAD"]);
    for words in round {
        done(&repo, &borrower, words);
    }
    assert_eq!(figures(&repo, &borrower).len(), 1);
    sound(&repo, &borrower);

    // From outside, by git's own two variables.
    let outside = repo.around().join("outside");
    std::fs::create_dir(&outside).expect("made");
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-evolve"), &outside);
    command
        .env("GIT_DIR", borrower.join(".git"))
        .env("GIT_WORK_TREE", &borrower);
    let o = command
        .args(["status", "--format", "json"])
        .output()
        .expect("runs");
    assert_eq!(document(&o)["chains"][0]["records"], 5);
}

#[test]
fn names_that_no_ref_can_have_or_that_exclude_each_other_are_refused() {
    let repo = project();
    let before = repo.git(&["for-each-ref"]);
    for path in [
        "run 1/a/1",
        "a..b/a/1",
        ".x/a/1",
        "exp/a.lock/1",
        "Exp/arm/1",
        "exp/arm",
        "exp/arm/x",
        "../arm/1",
        "-exp/arm/1",
        "exp/1/2/3/4",
        "exp/arm/01x",
    ] {
        let said = fails(&repo, 2, &["begin", "--", path, "1"]);
        assert!(said.contains("EXPERIMENT/ARM"), "{path}: {said}");
    }
    assert_eq!(repo.git(&["for-each-ref"]), before);
    // `exp/arm/1` as a chain and as an arm of another cannot both be refs.
    checkpoint(&repo, 1);
    let o = repo.evolve(&["begin", "exp/arm/1/2", "1"]);
    assert_ne!(o.status.code(), Some(0));
    assert!(!err(&o).contains("panicked"), "{}", err(&o));
    sound(&repo, repo.path());
}

#[test]
fn a_repository_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let repo = worked(1);
    let before = readings(&repo, repo.path());
    fn close(folder: &Path, mode: u32) {
        for entry in std::fs::read_dir(folder).expect("there").flatten() {
            if entry.file_type().expect("a type").is_dir() {
                close(&entry.path(), mode);
            }
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("a mode");
    }
    let files = || {
        let o = repo
            .command("sh", repo.path())
            .args(["-c", "find .git -type f -printf '%p %T@ %s\\n' | sort"])
            .output();
        out(&o.expect("runs"))
    };
    let listed = files();
    close(&repo.path().join(".git"), 0o555);
    let now = readings(&repo, repo.path());
    let o = repo.evolve(&["status", "--format", "json"]);
    close(&repo.path().join(".git"), 0o755);
    assert_eq!(now, before);
    assert_eq!(document(&o)["chains"][0]["records"], 7);
    // To a superuser nothing is closed: what holds everywhere is that nothing was written.
    assert_eq!(files(), listed);
}

#[test]
fn a_repository_of_somebody_elses_is_refused_by_every_command_in_gits_words() {
    let repo = worked(1);
    let given = |owner| {
        [repo.path().to_owned(), repo.path().join(".git")]
            .iter()
            .try_for_each(|p| std::os::unix::fs::chown(p, Some(owner), None))
    };
    if given(12345).is_err() {
        // Only a superuser can give a folder away.
        return;
    }
    for words in [
        &["log"][..],
        &["slope"],
        &["show"],
        &["functions"],
        &["files"],
        &["status"],
        &["verify"],
        &["doctor"],
        &["begin", CHAIN, "2"],
        &["record"],
        &["reset"],
        &["push"],
        &["fetch"],
        &["reconcile"],
        &["hooks", "install"],
    ] {
        let said = fails(&repo, 128, words);
        assert!(said.contains("dubious ownership"), "{words:?}: {said}");
    }
    let global = perhaps(
        &repo,
        &["config", "--global", "--get-all", "safe.directory"],
    );
    assert!(!global.status.success(), "nothing was declared safe");
}

#[test]
fn locks_of_others_stop_no_reading_and_let_no_writing_go_half_way() {
    let repo = worked(1);
    well(&repo, &["begin", CHAIN, "2"]);
    repo.write("src/A.java", class(2));
    let index = || std::fs::read(repo.path().join(".git/index")).expect("an index");
    // Files whose times say nothing are what a reader could refresh the index for.
    let touched = repo
        .command("touch", repo.path())
        .arg("src/A.java")
        .status();
    assert!(touched.expect("runs").success());
    let (bytes, refs) = (index(), repo.git(&["for-each-ref"]));
    let held = repo.path().join(".git/index.lock");
    std::fs::write(&held, "").expect("written");
    let locked = readings(&repo, repo.path());
    done(&repo, repo.path(), &["show", "--worktree"]);
    let o = repo.evolve(&["record"]);
    assert_eq!(o.status.code(), Some(128), "{}", err(&o));
    assert!(err(&o).contains("index.lock"), "{}", err(&o));
    assert!(held.exists(), "it is somebody's");
    std::fs::remove_file(&held).expect("removed");
    assert_eq!(readings(&repo, repo.path()), locked);
    assert_eq!((index(), repo.git(&["for-each-ref"])), (bytes, refs));
    well(&repo, &["record"]);
    assert_eq!(
        repo.git(&["diff", "--name-only", "HEAD^", "HEAD"]),
        "src/A.java"
    );
}
