//! Claims: of any number of claimants one has a chain, and nobody takes it by mistake.

use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use git_evolve::harness::claims::{Claims, Taking};
use git_evolve::record::ChainPath;
use git_evolve::repo::{Direction, Repo as Opened};

use crate::support::{Repo, executable};

/// A bare remote and clones of it, each of which is a machine.
struct Field {
    around: Repo,
    remote: PathBuf,
    clones: Vec<PathBuf>,
}

impl Field {
    fn new(clones: usize) -> Field {
        let around = Repo::new();
        around.write("f", "x\n");
        around.commit("project");
        let remote = around.around().join("remote.git");
        around.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
        let clones = (0..clones)
            .map(|n| {
                let to = around.around().join(format!("machine-{n}"));
                around.git(&[
                    "clone",
                    "-q",
                    remote.to_str().unwrap(),
                    to.to_str().unwrap(),
                ]);
                to
            })
            .collect();
        Field {
            around,
            remote,
            clones,
        }
    }

    /// The claims refs of the remote.
    fn refs(&self) -> String {
        let mut git = self.around.command("git", &self.remote);
        let out = git
            .args(["for-each-ref", "--format=%(refname)", "refs/evolve/claims"])
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap()
    }

    fn message(&self, path: &str) -> String {
        let mut git = self.around.command("git", &self.remote);
        let name = format!("refs/evolve/claims/{path}");
        let out = git.args(["log", "-1", "--format=%an%n%B", &name]).output();
        String::from_utf8(out.unwrap().stdout).unwrap()
    }

    fn configure(&self, key: &str, value: &str) {
        for clone in &self.clones {
            let mut git = self.around.command("git", clone);
            assert!(git.args(["config", key, value]).status().unwrap().success());
        }
    }
}

fn claims(clone: &Path, take_over: bool) -> Claims {
    let repo = Opened::discover(clone).unwrap();
    let remote = repo.remote(Some("origin"), clone, Direction::Push).unwrap();
    Claims::at(&repo, remote, take_over).unwrap()
}

fn path(text: &str) -> ChainPath {
    ChainPath::parse(text).unwrap()
}

fn theirs(taking: Taking) -> String {
    match taking {
        Taking::Theirs(why) => why,
        Taking::Ours(held, _) => panic!("it is ours: {:?}", held.claim()),
    }
}

#[test]
fn of_eight_claimants_at_once_one_has_the_chain() {
    let field = Field::new(8);
    for round in 0..3 {
        let chain = path(&format!("e/a/{}", round + 1));
        let start = Barrier::new(field.clones.len());
        let taken: Vec<Taking> = std::thread::scope(|scope| {
            let running: Vec<_> = (field.clones.iter())
                .map(|clone| {
                    let (start, chain) = (&start, &chain);
                    scope.spawn(move || {
                        let claims = claims(clone, false);
                        start.wait();
                        claims.take(chain).unwrap()
                    })
                })
                .collect();
            running.into_iter().map(|r| r.join().unwrap()).collect()
        });
        let (ours, theirs): (Vec<&Taking>, Vec<&Taking>) =
            (taken.iter()).partition(|t| matches!(t, Taking::Ours(..)));
        assert_eq!((ours.len(), theirs.len()), (1, 7), "{taken:?}");
        for one in theirs {
            let Taking::Theirs(why) = one else { continue };
            assert!(why.contains("not run here"), "{why}");
        }
        assert_eq!(field.refs(), format!("refs/evolve/claims/{chain}\n"));
        // What is no longer needed is given back.
        drop(taken);
        assert_eq!(field.refs(), "");
    }
}

#[test]
fn a_claim_says_who_and_until_when_and_no_host() {
    let field = Field::new(2);
    let chain = path("e/a/task/1");
    let Taking::Ours(held, None) = claims(&field.clones[0], false).take(&chain).unwrap() else {
        panic!("not taken");
    };
    let message = field.message("e/a/task/1");
    let line = message.lines().find(|l| l.starts_with('{')).unwrap();
    let said: serde_json::Value = serde_json::from_str(line).unwrap();
    let mut keys: Vec<&String> = said.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["chain", "id", "machine", "taken", "until", "v"]);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    assert!(host.is_empty() || !message.contains(host), "{message}");
    assert!(message.starts_with("git-evolve\n"), "{message}");
    let all = claims(&field.clones[1], false).all().unwrap();
    assert_eq!(all, [held.claim()]);
    // This repository's own claim is no obstacle to it: its processes are kept apart otherwise.
    let again = claims(&field.clones[0], false).take(&chain).unwrap();
    assert!(matches!(again, Taking::Ours(_, None)), "{again:?}");
    let why = theirs(claims(&field.clones[1], true).take(&chain).unwrap());
    assert!(why.contains("its claim holds until"), "{why}");
}

#[test]
fn a_claim_whose_time_is_over_is_taken_over_only_where_that_is_asked_for() {
    let field = Field::new(2);
    let chain = path("e/a/1");
    let Taking::Ours(held, _) = claims(&field.clones[0], false).take(&chain).unwrap() else {
        panic!("not taken");
    };
    // A machine that was switched off: its claim stays, and its time goes by.
    let old = field.message("e/a/1");
    std::mem::forget(held);
    let line = old.lines().find(|l| l.starts_with('{')).unwrap();
    let mut said: serde_json::Value = serde_json::from_str(line).unwrap();
    said["until"] = "2020-01-01T00:00:00.000Z".into();
    let message = format!("Claim of e/a/1\n\n{said}\n");
    let git = |words: &[&str]| {
        let out = field
            .around
            .command("git", &field.remote)
            .args(words)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    let tree = git(&["rev-parse", "refs/evolve/claims/e/a/1^{tree}"]);
    let commit = git(&["commit-tree", &tree, "-m", &message]);
    git(&["update-ref", "refs/evolve/claims/e/a/1", &commit]);

    let why = theirs(claims(&field.clones[1], false).take(&chain).unwrap());
    assert!(why.contains("--take-over"), "{why}");
    let Taking::Ours(ours, Some(said)) = claims(&field.clones[1], true).take(&chain).unwrap()
    else {
        panic!("not taken over");
    };
    assert!(said.contains("taken over from machine"), "{said}");
    assert!(
        field
            .message("e/a/1")
            .contains(ours.claim().machine.as_str())
    );
    drop(ours);
    assert_eq!(field.refs(), "");

    // What is no claim is nobody's to take.
    git(&["update-ref", "refs/evolve/claims/e/a/1", "main"]);
    let why = theirs(claims(&field.clones[1], true).take(&chain).unwrap());
    assert!(why.contains("no claim that this version reads"), "{why}");
}

#[test]
fn a_claim_is_renewed_while_it_is_held_and_one_that_was_taken_over_is_known_to_be_lost() {
    let field = Field::new(2);
    field.configure("evolve.claimTime", "1.5");
    let chain = path("e/a/1");
    let Taking::Ours(held, _) = claims(&field.clones[0], false).take(&chain).unwrap() else {
        panic!("not taken");
    };
    let first = held.claim();
    let waited = |what: &dyn Fn() -> bool| {
        (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            what()
        })
    };
    assert!(waited(&|| held.claim().until > first.until), "not renewed");
    assert_eq!(held.claim().taken, first.taken);
    assert_eq!(held.lost(), None);
    let name = "refs/evolve/claims/e/a/1";
    let mut git = field.around.command("git", &field.remote);
    assert!(
        git.args(["update-ref", name, "main"])
            .status()
            .unwrap()
            .success()
    );
    assert!(waited(&|| held.lost().is_some()), "not noticed");
    drop(held);
    assert_eq!(field.refs(), format!("{name}\n"), "what is not ours stays");
}

#[test]
fn a_server_that_deletes_nothing_is_told_that_a_claim_is_given_back() {
    let field = Field::new(2);
    let keeps = "#!/bin/sh\ncase $3 in *[!0]*) exit 0 ;; esac\nexit 1\n";
    executable(&field.remote.join("hooks/update"), keeps, 0o755);
    let chain = path("e/a/1");
    drop(claims(&field.clones[0], false).take(&chain).unwrap());
    assert!(field.message("e/a/1").contains("\"given_back\":true"));
    assert_eq!(claims(&field.clones[1], false).all().unwrap(), []);
    let next = claims(&field.clones[1], false).take(&chain).unwrap();
    assert!(matches!(next, Taking::Ours(_, None)), "{next:?}");
}

#[test]
fn a_server_that_takes_no_claims_says_so() {
    let field = Field::new(1);
    let hook = field.remote.join("hooks/pre-receive");
    executable(
        &hook,
        "#!/bin/sh\necho 'nothing of that kind here' >&2\nexit 1\n",
        0o755,
    );
    let refused = claims(&field.clones[0], false)
        .take(&path("e/a/1"))
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("claiming e/a/1") && text.contains("nothing of that kind"),
        "{text}"
    );
    assert!(refused.hint().is_some());
}
