//! Clones of every shape.

use super::*;

#[test]
fn our_clone_has_the_records_at_once() {
    let field = Field::published();
    let url = field.server.to_str().expect("utf-8").to_owned();
    let around = field.repo.around();
    let said = field.good(around, &["clone", &url, "mine"]);
    assert!(said.contains("3 records (checkpoint 3) arrived"), "{said}");
    let mine = field.at("mine");
    assert_eq!(field.records(&mine), field.records(field.repo.path()));
    let tip = field.has(&mine, &format!("refs/remotes/origin/evolve/{PATH}"));
    assert_eq!(tip.as_ref(), field.chain.last());
    // As git does: the folder's name comes from the address, a full one is refused.
    field.good(around, &["clone", &url]);
    assert_eq!(field.records(&field.at("server")).len(), 3);
    let said = field.bad(around, &["clone", &url], 128);
    assert!(said.contains("already exists"), "{said}");
    field.bad(around, &["clone", &format!("{url}-none"), "nowhere"], 128);
    assert!(!field.at("nowhere").exists());
}

#[test]
fn options_behind_two_dashes_go_to_git_clone() {
    let field = Field::published();
    let url = format!("file://{}", field.server.display());
    let around = field.repo.around();
    field.good(
        around,
        &["clone", &url, "up", "--", "--origin=team/up", "--depth=1"],
    );
    let up = field.at("up");
    assert_eq!(field.git(&up, &["remote"]), "team/up");
    assert_eq!(
        field.git(&up, &["rev-parse", "--is-shallow-repository"]),
        "true"
    );
    assert_eq!(field.records(&up).len(), 3);
    assert!(
        field
            .has(&up, "refs/evolve/remotes/team/up/checkpoint")
            .is_some()
    );
    assert!(
        field
            .has(&up, &format!("refs/remotes/team/up/evolve/{PATH}"))
            .is_some()
    );
    let elsewhere = field.at("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    field.good(&elsewhere, &["clone", &url, "--", "--mirror"]);
    assert_eq!(field.records(&elsewhere.join("server.git")).len(), 3);
}

#[test]
fn a_clone_whose_records_cannot_be_fetched_says_what_is_there() {
    let field = Field::published();
    let url = field.server.to_str().expect("utf-8").to_owned();
    // Something of the user's stands where the local notes would.
    let template = field.at("template");
    std::fs::create_dir_all(template.join("refs/notes")).expect("folders");
    std::fs::write(
        template.join("refs/notes/evolve"),
        format!("{}\n", field.chain[0]),
    )
    .expect("written");
    let option = format!("--template={}", template.display());
    let said = field.bad(
        field.repo.around(),
        &["clone", &url, "part", "--", &option],
        128,
    );
    assert!(
        said.contains("part is there, but its records could not be fetched"),
        "{said}"
    );
    assert!(said.contains("evolve fetch"), "{said}");
    assert!(field.at("part").join("f").exists());
}

#[test]
fn a_clone_made_from_inside_another_repository_reads_the_new_one() {
    let field = Field::published();
    let url = field.server.to_str().expect("utf-8").to_owned();
    let other = Repo::new();
    let out = field
        .repo
        .command(env!("CARGO_BIN_EXE_git-evolve"), field.repo.around())
        .args(["clone", &url, "inner"])
        .env("GIT_DIR", other.path().join(".git"))
        .env("GIT_WORK_TREE", other.path())
        .output()
        .expect("runs");
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(field.records(&field.at("inner")).len(), 3);
    assert_eq!(field.refs(other.path(), "refs"), "");
}

#[test]
fn a_mirror_clone_keeps_lines_of_its_own() {
    let field = Field::published();
    let mirror = field.clone("mirror.git", &["--mirror"]);
    assert_eq!(field.records(&mirror).len(), 3);
    let mine = record(&mirror, &field.chain[0]);
    record(field.repo.path(), &field.chain[1]);
    field.good(field.repo.path(), &["push"]);
    field.good(&mirror, &["fetch"]);
    let all = field.records(&mirror);
    assert_eq!(all.len(), 5);
    assert!(all.iter().any(|(_, id)| *id == mine));
    // A mirror's setting would push everything and delete the rest.
    field.git(&field.server, &["branch", "other", "main"]);
    field.good(&mirror, &["push"]);
    assert!(field.has(&field.server, "refs/heads/other").is_some());
    assert_eq!(records_at(&field.repo, &field.server, NOTES), all);
}

#[test]
fn a_bare_clone_publishes_what_it_has_as_branches_to_another_server() {
    let field = Field::new();
    let dir = field.repo.path();
    let failed = commit_on(&field.repo, dir, &field.chain[0], "failed", None);
    field.git(
        dir,
        &[
            "update-ref",
            &format!("refs/evolve/attempts/{PATH}/1/1"),
            &failed,
        ],
    );
    field.good(dir, &["push", "--yes"]);
    let bare = field.clone("bare.git", &["--bare"]);
    assert_eq!(
        field.refs(&bare, "refs/notes"),
        "",
        "a bare clone has no notes refs"
    );
    let second = super::bare(&field.repo, "second.git");
    field.good(&bare, &["push", "--yes", second.to_str().expect("utf-8")]);
    assert_eq!(records_at(&field.repo, &second, NOTES), field.records(dir));
    let branch = format!("refs/heads/evolve/{PATH}");
    assert_eq!(field.has(&second, &branch).as_ref(), field.chain.last());
    let kept = format!("refs/heads/evolve-kept/{PATH}/attempt/1/1");
    assert_eq!(field.has(&second, &kept), Some(failed));
    field.good(&bare, &["fetch"]);
    assert_eq!(field.records(&bare).len(), 3);
}

#[test]
fn a_shallow_single_branch_clone_gets_everything_with_one_fetch() {
    let field = Field::published();
    let shallow = field.clone("shallow", &["--depth=1", "--branch=main"]);
    assert_eq!(field.refs(&shallow, "refs/remotes/origin/evolve"), "");
    field.good(&shallow, &["fetch"]);
    assert_eq!(field.records(&shallow), field.records(field.repo.path()));
    let tip = field.has(&shallow, &format!("refs/remotes/origin/evolve/{PATH}"));
    assert_eq!(tip.as_ref(), field.chain.last());
    let mine = record(&shallow, &field.chain[2]);
    field.good(&shallow, &["push"]);
    assert!(
        records_at(&field.repo, &field.server, NOTES)
            .iter()
            .any(|(_, id)| *id == mine)
    );
}

#[test]
fn notes_of_a_clone_cut_to_depth_one_merge_with_the_whole() {
    let field = Field::published();
    let cut = field.clone("cut", &["--depth=1", "--no-single-branch"]);
    assert!(
        field
            .has(&cut, "refs/remotes/origin/evolve-notes/checkpoint")
            .is_some()
    );
    record(&cut, &field.chain[2]);
    record(field.repo.path(), &field.chain[1]);
    field.good(field.repo.path(), &["push"]);
    field.good(&cut, &["push"]);
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 5);
    field.good(field.repo.path(), &["fetch"]);
    assert_eq!(field.records(field.repo.path()), field.records(&cut));
    field.git(&cut, &["fsck"]);
}

#[test]
fn a_partial_clone_gets_whole_records_and_reads_them_offline() {
    let field = Field::published();
    field.git(&field.server, &["config", "uploadpack.allowFilter", "true"]);
    for filter in ["blob:none", "tree:0"] {
        let name = filter.replace(':', "-");
        let partial = field.clone(&name, &["--no-checkout", &format!("--filter={filter}")]);
        let said = field.good(&partial, &["fetch"]);
        assert!(said.contains("arrived from origin"), "{said}");
        field.git(&partial, &["remote", "set-url", "origin", "/nowhere"]);
        assert_eq!(
            field.records(&partial),
            field.records(field.repo.path()),
            "{filter}"
        );
        field.git(
            &partial,
            &[
                "remote",
                "set-url",
                "origin",
                field.server.to_str().expect("utf-8"),
            ],
        );
        record(&partial, &field.chain[2]);
        field.good(&partial, &["push"]);
        field.good(field.repo.path(), &["fetch"]);
    }
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 5);
}

#[test]
fn a_linked_worktree_and_a_subfolder_share_with_all_the_rest() {
    let field = Field::new();
    let linked = field.at("linked");
    field.repo.git(&[
        "worktree",
        "add",
        "-q",
        "--detach",
        linked.to_str().expect("utf-8"),
    ]);
    let deep = linked.join("deep");
    std::fs::create_dir_all(&deep).expect("a folder");
    field.good(&deep, &["push", "--yes"]);
    assert_eq!(records_at(&field.repo, &field.server, NOTES).len(), 3);
    let tracking = "refs/evolve/remotes/origin/checkpoint";
    assert!(field.has(field.repo.path(), tracking).is_some());
}

#[test]
fn every_clone_prints_the_same_of_a_chain_that_diverged() {
    let field = Field::published();
    let dir = field.repo.path();
    let other = commit_on(&field.repo, dir, &field.chain[0], "pushed", Some((PATH, 1)));
    let branch = format!("{other}:refs/heads/evolve/demo/plain/other");
    field.git(dir, &["push", "-q", "origin", &branch]);
    let clones = [
        dir.to_owned(),
        field.clone("plain", &[]),
        field.clone("bare.git", &["--bare"]),
        field.clone("mirror.git", &["--mirror"]),
    ];
    for command in ["log", "slope"] {
        let printed = clones.each_ref().map(|at| {
            let out = field.evolve(at, &[command]);
            String::from_utf8_lossy(&out.stdout).into_owned()
        });
        assert!(printed[0].contains("diverged after"), "{}", printed[0]);
        for other in &printed {
            assert_eq!(other, &printed[0]);
        }
    }
}

#[test]
fn a_clone_without_the_records_says_so_and_what_brings_them() {
    let field = Field::published();
    field.git(&field.server, &["config", "uploadpack.allowFilter", "true"]);
    let told = |at: &Path| {
        let out = field.evolve(at, &["status", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        (json, out.status.code())
    };
    let partial = field.clone("partial", &["--no-checkout", "--filter=blob:none"]);
    let (json, _) = told(&partial);
    assert_eq!(json["records"], "not fetched");
    assert_eq!(json["bring"], "git evolve fetch origin");
    assert!(json["chains"][0]["records"].is_null(), "{json}");
    field.good(&partial, &["fetch", "origin"]);
    assert_eq!(told(&partial).0["records"], "complete");

    // The chain's base is behind the cut, its records are not.
    let cut = field.clone("cut", &["--depth=2", "--no-single-branch"]);
    let (json, code) = told(&cut);
    assert_eq!((&json["records"], code), (&"cut off".into(), Some(3)));
    assert_eq!(json["bring"], "git fetch --unshallow");
    let out = field.evolve(&cut, &["verify", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(json["warnings"], 0, "{json}");
    assert_eq!(json["bring"], "git fetch --unshallow");

    let single = field.clone("single", &["--single-branch"]);
    let (json, _) = told(&single);
    let said = json["remarks"].to_string();
    assert!(said.contains("`git evolve fetch origin` brings"), "{said}");
    field.good(&single, &["fetch"]);
    assert_eq!(told(&single).0["chains"].as_array().map(Vec::len), Some(1));
}
