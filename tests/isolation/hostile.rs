//! An agent that misbehaves in its clone: what is taken in, and what is told of the rest.

use std::path::{Path, PathBuf};

use git_evolve::repo::{self, Bounds, CloneNote, TakenIn};

use super::clones::{git_in, oid, open};
use crate::support::{Repo, agents};

/// A chain's base, and the clone of it.
pub struct Scene {
    pub repo: Repo,
    pub ours: repo::Repo,
    pub base: String,
    pub clone: PathBuf,
    note: CloneNote,
}

impl Scene {
    pub fn new() -> Scene {
        let repo = Repo::new();
        repo.write("AGENTS.md", "the rules\n");
        repo.write("README.md", "# Project\n");
        repo.write("etc", "a file\n");
        repo.write("src/app.py", "print(1)\n");
        repo.write("tests/test_app.py", "def test(): pass\n");
        repo.write("generated/kept.py", "x = 1\n");
        repo.write(".gitignore", "*.pyc\ngenerated/\nnode_modules/\n");
        repo.git(&["add", "-f", "generated/kept.py"]);
        let base = repo.commit("base");
        let ours = open(&repo);
        let clone = repo.around().join("clone");
        ours.isolated_clone(oid(&base), oid(&base), false, &clone)
            .expect("cloned");
        let note = CloneNote::of(&clone).expect("noted");
        Scene {
            repo,
            ours,
            base,
            clone,
            note,
        }
    }

    /// Misbehaves in the clone; gives what it said.
    pub fn misbehave(&self, how: &[&str], variables: &[(&str, &str)]) -> String {
        let words = agents::script(
            &self.repo.around().join("fakes"),
            "agent.sh",
            agents::MISBEHAVES,
        );
        let mut command = self.repo.command("sh", &self.clone);
        let out = command
            .args(&words[1..])
            .args(how)
            .envs(variables.iter().copied())
            .output()
            .expect("it ran");
        assert!(out.status.success());
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    pub fn tree(&self) -> repo::Oid {
        oid(&self
            .repo
            .git(&["rev-parse", &format!("{}^{{tree}}", self.base)]))
    }

    fn take(&self, bounds: &Bounds) -> TakenIn {
        self.ours
            .take_in(&self.clone, self.tree(), bounds)
            .expect("taken")
    }

    /// The paths of the tree that was taken, with their modes.
    fn files(&self, taken: &TakenIn) -> Vec<String> {
        let tree = taken.tree.to_string();
        let listed = self
            .repo
            .git(&["-c", "core.quotePath=true", "ls-tree", "-r", &tree]);
        listed
            .lines()
            .map(|l| {
                let (mode, path) = (&l[..6], l.split_once('\t').expect("a path").1);
                format!("{mode} {path}")
            })
            .collect()
    }

    /// What differs between the base and the tree that was taken.
    fn changes(&self, taken: &TakenIn) -> Vec<String> {
        let tree = taken.tree.to_string();
        let words = [
            "diff-tree",
            "-r",
            "--no-renames",
            "--name-status",
            &self.base,
            &tree,
        ];
        let listed = self.repo.git(&words);
        listed.lines().map(|l| l.replace('\t', " ")).collect()
    }
}

fn texts(paths: &[repo::TreePath]) -> Vec<String> {
    let text = |p: &repo::TreePath| String::from_utf8_lossy(p).into_owned();
    paths.iter().map(text).collect()
}

/// That nothing the agent left was run: each of its commands makes a file.
fn nothing_ran(clone: &Path) {
    assert!(!clone.join("ran").exists());
    assert!(!clone.join(".git/hooks/post-checkout.ran").exists());
}

#[test]
fn nothing_done_is_nothing_changed() {
    let scene = Scene::new();
    scene.misbehave(&[], &[]);
    let taken = scene.take(&Bounds::default());
    assert_eq!(taken.tree, scene.tree());
    assert_eq!(scene.note.changed(&scene.clone), [""; 0]);
}

#[test]
fn its_work_comes_in_committed_or_not() {
    let scene = Scene::new();
    scene.misbehave(&["tests", "guide", "commit"], &[]);
    std::fs::write(scene.clone.join("src/app.py"), "print(2)\n").expect("written");
    let taken = scene.take(&Bounds::default());
    assert_eq!(
        scene.changes(&taken),
        [
            "M AGENTS.md",
            "A own.txt",
            "M src/app.py",
            "D tests/test_app.py"
        ]
    );
    assert_eq!(texts(&taken.added), ["own.txt"]);
    // Its own commits are no change beside the tree.
    assert_eq!(scene.note.changed(&scene.clone), [""; 0]);
}

#[test]
fn hooks_filters_and_configuration_are_told_and_run_nowhere() {
    let scene = Scene::new();
    scene.misbehave(
        &[
            "hooks",
            "attributes",
            "config",
            "exclude",
            "alternates",
            "refs",
        ],
        &[],
    );
    std::fs::write(scene.clone.join("src/app.py"), "print(3)\r\n").expect("written");
    let taken = scene.take(&Bounds::default());
    nothing_ran(&scene.clone);
    assert_eq!(
        scene.note.changed(&scene.clone),
        [
            "attributes",
            "config",
            "exclude",
            "hooks",
            "objects",
            "refs"
        ]
    );
    assert_eq!(
        scene.changes(&taken),
        ["A .gitattributes", "A hidden.py", "M src/app.py"]
    );
    let raw = scene
        .repo
        .git(&["cat-file", "blob", &format!("{}:src/app.py", taken.tree)]);
    assert_eq!(raw, "print(3)\r");
    // What an exclude file of its own hides is taken all the same.
    let own = scene
        .ours
        .own_commits(&scene.clone, oid(&scene.base))
        .expect("looked at");
    assert_eq!((own.commits.len(), own.rewritten), (0, Some(false)));
    nothing_ran(&scene.clone);
}

#[test]
fn head_elsewhere_is_told() {
    let scene = Scene::new();
    scene.misbehave(&["elsewhere"], &[]);
    assert_eq!(scene.note.changed(&scene.clone), ["head", "refs"]);
    let taken = scene.take(&Bounds::default());
    assert_eq!(scene.changes(&taken), ["A e.txt"]);
}

#[test]
fn an_ignored_file_stays_out_and_is_listed_where_it_looks_like_source() {
    let scene = Scene::new();
    scene.misbehave(&["ignore"], &[]);
    for (path, text) in [
        ("generated/kept.py", "x = 2\n"),
        ("generated/new.py", "new"),
        ("generated/deep/note.txt", "no source"),
        ("node_modules/x/index.py", "dependency"),
        ("src/app.pyc", "built"),
    ] {
        let at = scene.clone.join(path);
        std::fs::create_dir_all(at.parent().expect("a parent")).expect("made");
        std::fs::write(at, text).expect("written");
    }
    let bounds = Bounds {
        is_source: |p| p.ends_with(b".py"),
        is_passed_over: |n| n == b"node_modules" || n == b"build",
        ..Bounds::default()
    };
    let taken = scene.take(&bounds);
    // The agent's rules hold for new files, the parent's too; what the parent tracks is taken.
    assert_eq!(
        scene.changes(&taken),
        ["M .gitignore", "M generated/kept.py"]
    );
    assert_eq!(
        texts(&taken.ignored_sources),
        ["generated/new.py", "secret_work.py"]
    );
}

#[test]
fn a_nested_repository_comes_in_as_plain_files() {
    let scene = Scene::new();
    scene.misbehave(&["nested"], &[]);
    std::fs::write(scene.clone.join("src/.git"), "gitdir: /somewhere\n").expect("written");
    let taken = scene.take(&Bounds::default());
    assert_eq!(scene.changes(&taken), ["A inner/code.py"]);
    assert_eq!(texts(&taken.git_folders), ["inner/.git", "src/.git"]);
}

#[test]
fn links_come_in_as_links_and_nothing_behind_them_does() {
    let scene = Scene::new();
    scene.misbehave(&["links", "special"], &[]);
    std::fs::remove_dir_all(scene.clone.join("tests")).expect("removed");
    std::os::unix::fs::symlink("/etc", scene.clone.join("tests")).expect("linked");
    let taken = scene.take(&Bounds::default());
    let files = scene.files(&taken);
    for link in ["d/fine", "etc", "passwd", "tests", "up"] {
        assert!(files.contains(&format!("120000 {link}")), "{files:?}");
    }
    assert!(
        !files
            .iter()
            .any(|f| f.contains("tests/") || f.contains("pipe"))
    );
    assert_eq!(texts(&taken.links_out), ["etc", "passwd", "tests", "up"]);
    assert_eq!(texts(&taken.special), ["pipe"]);
    let target = scene
        .repo
        .git(&["cat-file", "blob", &format!("{}:etc", taken.tree)]);
    assert_eq!(target, "/etc");
}

#[test]
fn a_file_that_is_too_large_comes_in_as_a_stub() {
    let scene = Scene::new();
    scene.misbehave(&["sparse", "large"], &[("LARGE", "1000001")]);
    let bounds = Bounds {
        file: 1_000_000,
        ..Bounds::default()
    };
    let taken = scene.take(&bounds);
    let sizes: Vec<_> = taken.stubs.iter().map(|s| (&*s.path, s.size)).collect();
    assert_eq!(
        sizes,
        [(&b"large.bin"[..], 1_000_001), (b"sparse.bin", 1 << 30)]
    );
    let text = scene
        .repo
        .git(&["cat-file", "blob", &format!("{}:large.bin", taken.tree)]);
    let sha256 = {
        let mut command = scene.repo.command("sha256sum", &scene.clone);
        let out = command.arg("large.bin").output().expect("it ran");
        String::from_utf8_lossy(&out.stdout)[..64].to_owned()
    };
    assert_eq!(
        text,
        format!(
            "git-evolve: this file was too large to be taken; this text stands for it\n\
             path large.bin\nsize 1000001\nsha256 {sha256}"
        )
    );
    assert_eq!(taken.stubs[0].sha256.as_deref(), Some(sha256.as_str()));
    // Without room for a digest there is a stub all the same.
    let taken = scene.take(&Bounds {
        digested: 2_000_000,
        ..bounds
    });
    assert_eq!(taken.stubs[1].sha256, None);
    let stub = format!("{}:sparse.bin", taken.tree);
    assert!(
        scene
            .repo
            .git(&["cat-file", "blob", &stub])
            .ends_with("sha256 not computed")
    );
}

#[test]
fn odd_names_are_taken_or_refused_as_git_does() {
    let scene = Scene::new();
    scene.misbehave(&["odd"], &[]);
    let taken = scene.take(&Bounds::default());
    assert_eq!(texts(&taken.refused), ["git~1"]);
    assert_eq!(texts(&taken.git_folders), [".GIT"]);
    assert_eq!(&*taken.added[0], b"a\xffb");
    assert_eq!(scene.changes(&taken), ["A \"a\\377b\""]);
    let fsck = scene.repo.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(fsck, "");
}

#[test]
fn what_its_owner_may_not_read_is_read_all_the_same() {
    let scene = Scene::new();
    scene.misbehave(&["unreadable"], &[]);
    let taken = scene.take(&Bounds::default());
    assert_eq!(scene.changes(&taken), ["A closed.txt", "A shut/in.txt"]);
    assert_eq!(texts(&taken.unreadable), [""; 0]);
}

#[test]
fn modes_are_kept_and_only_the_executable_bit_counts() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    let set = |name: &str, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(scene.clone.join(name), mode).expect("set");
    };
    set("README.md", 0o600);
    set("src/app.py", 0o755);
    let taken = scene.take(&Bounds::default());
    assert_eq!(scene.changes(&taken), ["M src/app.py"]);
    assert!(
        scene
            .files(&taken)
            .contains(&"100755 src/app.py".to_owned())
    );
}

#[test]
fn too_many_files_are_left_out_in_order_and_counted() {
    let scene = Scene::new();
    scene.misbehave(&["many"], &[("MANY", "300")]);
    std::fs::write(scene.clone.join("src/app.py"), "print(4)\n").expect("written");
    std::fs::write(scene.clone.join("zz.txt"), "late\n").expect("written");
    let bounds = Bounds {
        files: 100,
        ..Bounds::default()
    };
    let taken = scene.take(&bounds);
    assert_eq!((taken.added.len(), taken.too_many_count), (100, 201));
    // What the parent has comes in whatever its number.
    assert!(scene.changes(&taken).contains(&"M src/app.py".to_owned()));
    assert_eq!(&*taken.added[0], b"many/f0.txt");
    assert_eq!(
        texts(&taken.too_many).last().map(String::as_str),
        Some("zz.txt")
    );
    assert_eq!(taken, scene.take(&bounds));
}

#[test]
fn a_submodule_stays_one_while_its_folder_is_empty() {
    let scene = Scene::new();
    let id = "1".repeat(scene.base.len());
    scene.repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{id},sub"),
    ]);
    scene.repo.git(&["commit", "-q", "-m", "with a submodule"]);
    let tree = oid(&scene.repo.git(&["rev-parse", "HEAD^{tree}"]));
    let take = || {
        let taken = scene.ours.take_in(&scene.clone, tree, &Bounds::default());
        scene.files(&taken.expect("taken"))
    };
    let has = |files: &[String], line: &str| files.iter().any(|f| f == line);
    assert!(!has(&take(), "160000 sub"), "its folder is gone");
    std::fs::create_dir(scene.clone.join("sub")).expect("made");
    assert!(has(&take(), "160000 sub"));
    std::fs::write(scene.clone.join("sub/code.py"), "x\n").expect("written");
    assert!(has(&take(), "100644 sub/code.py"));
}

#[test]
fn a_submodule_that_names_a_command_is_told_and_stays_as_it_is() {
    let scene = Scene::new();
    assert!(!scene.take(&Bounds::default()).hostile_submodule);
    let text = "[submodule \"a\"]\n\tpath = a\n\turl = ./a\n\tupdate = !touch ran\n";
    std::fs::write(scene.clone.join(".gitmodules"), text).expect("written");
    let taken = scene.take(&Bounds::default());
    assert!(taken.hostile_submodule);
    let there = format!("{}:.gitmodules", taken.tree);
    assert_eq!(scene.repo.git(&["cat-file", "-p", &there]), text.trim_end());
    // What the parent's tree has already is nobody's doing now.
    let again = scene
        .ours
        .take_in(&scene.clone, taken.tree, &Bounds::default())
        .expect("taken");
    assert!(!again.hostile_submodule);
}

#[test]
fn a_snooping_agent_finds_no_other_chain_in_its_clone() {
    let scene = Scene::new();
    scene.repo.git(&["checkout", "-q", "-b", "evolve/x/z/1"]);
    scene.repo.write("other.txt", "other\n");
    scene.repo.commit("the other chain");
    let said = scene.misbehave(&["snoops"], &[("SNOOP", ".git")]);
    assert!(!said.contains("other"), "{said}");
    assert_eq!(git_in(&scene.repo, &scene.clone, &["remote"]), "");
}

#[test]
fn many_files_come_in_as_a_pack_and_each_once() {
    let scene = Scene::new();
    scene.misbehave(&["many"], &[("MANY", "1500")]);
    std::fs::write(scene.clone.join("many/large"), vec![b'x'; 300_000]).expect("written");
    std::fs::write(scene.clone.join("many/empty"), "").expect("written");
    let taken = scene.take(&Bounds::default());
    assert_eq!(taken.added.len(), 1502);
    let tree = taken.tree.to_string();
    let words = ["archive", &tree, "many"];
    let mut tar = scene.repo.command("git", scene.repo.path());
    let out = tar.args(words).output().expect("git runs");
    assert!(out.status.success());
    assert!(scene.repo.git(&["show", &format!("{tree}:many/f1499.txt")]) == "file 1499");
    assert_eq!(
        scene
            .repo
            .git(&["show", &format!("{tree}:many/large")])
            .len(),
        300_000
    );
    assert_eq!(scene.repo.git(&["fsck", "--strict", "--no-dangling"]), "");
    let count = scene.repo.git(&["count-objects", "-v"]);
    let of = |key: &str| -> u64 {
        let line = count
            .lines()
            .find_map(|l| l.strip_prefix(key))
            .expect("a line");
        line.trim_start_matches(": ").parse().expect("a number")
    };
    assert!(of("in-pack") > 800 && of("count") < 700, "{count}");
    let packs = std::fs::read_dir(scene.repo.path().join(".git/objects/pack")).expect("a folder");
    let left = packs
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with("tmp"));
    assert_eq!(left.count(), 0);
    // Again nothing is written.
    assert_eq!(scene.take(&Bounds::default()), taken);
    assert_eq!(scene.repo.git(&["count-objects", "-v"]), count);
}

/// How long the first and the second taking in last.
fn timed(scene: &Scene) -> TakenIn {
    let mut taken = Vec::new();
    for _ in 0..2 {
        let began = std::time::Instant::now();
        taken.push(scene.take(&Bounds::default()));
        println!("taken in: {:?}", began.elapsed());
    }
    assert_eq!(taken[0], taken[1]);
    taken.swap_remove(0)
}

#[test]
#[ignore = "writes 100,000 files, which takes a minute in a debug build"]
fn a_hundred_thousand_files_are_taken_in() {
    let scene = Scene::new();
    scene.misbehave(&["many"], &[]);
    let taken = timed(&scene);
    assert_eq!((taken.added.len(), taken.stubs.len()), (100_000, 0));
}

#[test]
#[ignore = "writes a gigabyte, which takes a minute in a debug build"]
fn a_gigabyte_comes_in_as_a_stub_sparse_or_not() {
    let scene = Scene::new();
    scene.misbehave(&["large", "sparse"], &[]);
    let taken = timed(&scene);
    assert_eq!((taken.added.len(), taken.stubs.len()), (2, 2));
    assert_eq!(taken.stubs[0].sha256, taken.stubs[1].sha256);
}
