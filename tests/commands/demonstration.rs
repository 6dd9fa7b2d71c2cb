//! `demo`.

use super::{err, out};
use crate::support::Repo;

#[test]
fn the_demonstration_prints_what_log_and_slope_print_there() {
    let repo = Repo::new();
    let done = repo.evolve_in(repo.around(), &["demo", "made"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let made = repo.around().join("made");
    let log = out(&repo.evolve_in(&made, &["log"]));
    let slope = out(&repo.evolve_in(&made, &["slope"]));
    assert_eq!(out(&done), format!("{log}{slope}"));
    let words = err(&done);
    let next = words.split("next:\n").nth(1).unwrap();
    for line in next.lines().skip(1) {
        let typed = line.trim().strip_prefix("git evolve ").unwrap();
        let typed: Vec<&str> = typed.split(' ').collect();
        let done = repo.evolve_in(&made, &typed);
        assert_eq!(done.status.code(), Some(0), "{typed:?}: {}", err(&done));
        match typed.iter().position(|word| *word == "-o") {
            Some(at) => assert!(made.join(typed[at + 1]).is_file(), "{typed:?}"),
            None => assert!(!out(&done).is_empty(), "{typed:?}"),
        }
    }
    assert_eq!(
        repo.evolve_in(repo.around(), &["demo", "made"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn without_a_folder_the_demonstration_has_a_new_one_among_the_temporary_ones() {
    let repo = Repo::new();
    let (here, temporary) = (repo.path(), repo.around().join("it's temporary"));
    std::fs::create_dir(&temporary).unwrap();
    std::os::unix::fs::symlink("/nowhere", temporary.join("evolve-demo-2")).unwrap();
    std::fs::create_dir(temporary.join("evolve-demo")).unwrap();
    let mut demo = repo.command(env!("CARGO_BIN_EXE_git-evolve"), here);
    let done = demo.arg("demo").env("TMPDIR", &temporary).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let words = err(&done);
    let line = words.lines().find_map(|l| l.strip_prefix("  cd ")).unwrap();
    let there = repo
        .command("sh", here)
        .args(["-c", &format!("cd {line} && pwd -P")])
        .output()
        .unwrap();
    let there = out(&there);
    assert!(there.contains("it's temporary/evolve-demo-3"), "{there}");
    // Nothing else is left among the temporary folders.
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 3);
    assert_eq!(
        repo.git(&["status", "--porcelain"]),
        "",
        "nothing is left here"
    );
}
