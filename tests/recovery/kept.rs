//! With the keep ref in place every figure stays, whatever is done to the branch.

use super::{CARRYING, Carrying, DEEDS, Deed, Ground, LENGTH, PATH};

/// Whether the branch that is checked out is still the chain's.
fn comes_after_the_branch(deed: Deed) -> bool {
    matches!(deed, Deed::Collect)
}

fn holds(carrying: Carrying, deeds: &[Deed]) {
    holds_on(&Ground::new(carrying), LENGTH, deeds);
}

fn holds_on(ground: &Ground, length: u32, deeds: &[Deed]) {
    let (code, before, said) = ground.log();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(before.lines().count(), length as usize);
    for deed in deeds {
        ground.does(*deed);
        let (code, after, said) = ground.log();
        assert_eq!(code, Some(0), "{deed:?}: {said}");
        assert_eq!(after, before, "{deed:?} of {deeds:?}");
    }
    // What is proposed never makes that worse: it may only let a whole rewritten line take over.
    let (_, findings, _) = ground.reconcile(&[]);
    for f in &findings {
        let proposed = f["proposed"] == true;
        assert!(!proposed || f["finding"] == "rewritten", "{deeds:?}: {f}");
    }
}

#[test]
fn the_figures_of_a_kept_chain_outlive_each_kind_of_rewriting() {
    for carrying in CARRYING {
        for deed in DEEDS {
            if comes_after_the_branch(deed) {
                holds(carrying, &[Deed::DeleteBranch, deed]);
            } else {
                holds(carrying, &[deed]);
            }
        }
    }
}

#[test]
fn the_figures_of_a_kept_chain_outlive_all_of_it_in_sequence() {
    for carrying in CARRYING {
        holds(carrying, &DEEDS);
    }
}

#[test]
fn the_figures_of_the_demonstration_outlive_all_of_it() {
    for carrying in CARRYING {
        for deed in DEEDS {
            holds_on(&Ground::demo(carrying), 10, &[deed]);
        }
        holds_on(&Ground::demo(carrying), 10, &DEEDS);
    }
}

#[test]
fn there_is_nothing_to_reconcile_in_a_fresh_demonstration() {
    let ground = Ground::demo(Carrying::Nothing);
    let out = ground.repo.evolve(&["reconcile"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(
        (out.status.code(), text.as_str()),
        (Some(0), "nothing to do\n")
    );
}

#[test]
fn a_chain_whose_branch_is_gone_is_safe_and_the_command_brings_it_back() {
    let ground = Ground::new(Carrying::Nothing);
    ground.does(Deed::DeleteBranch);
    ground.does(Deed::Collect);
    let (code, findings, _) = ground.reconcile(&[PATH]);
    assert_eq!(code, Some(0), "{findings:?}");
    let [safe] = super::called(&findings, "safe")[..] else {
        panic!("{findings:?}")
    };
    let command = safe["command"].as_str().expect("a command");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    ground.git(&words);
    let (code, findings, _) = ground.reconcile(&[PATH]);
    assert_eq!((code, findings.len()), (Some(0), 0), "{findings:?}");
}

#[test]
fn copies_and_squashes_on_other_lines_are_listed_and_never_counted() {
    let ground = Ground::new(Carrying::Nothing);
    ground.does(Deed::SquashMerge);
    ground.git(&["checkout", "-q", "-b", "other"]);
    let first = ground.id(1, "agent");
    ground.git(&["cherry-pick", "--keep-redundant-commits", &first]);
    let (code, findings, _) = ground.reconcile(&[]);
    assert_eq!(code, Some(0), "{findings:?}");
    let [copy] = super::called(&findings, "copy")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(copy["checkpoints"], "1");
    assert_eq!(copy["ref"], "refs/heads/other");
    assert_eq!(copy["old"], serde_json::json!([first]));
    let [squash] = super::called(&findings, "collapsed")[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(squash["checkpoints"], "0-60");
    assert_eq!(
        squash["new"],
        serde_json::json!([ground.git(&["rev-parse", "main"])])
    );
}
