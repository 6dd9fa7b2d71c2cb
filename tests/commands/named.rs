//! Checkpoints named as `CHAIN@K` wherever a revision may stand.

use super::{err, out, runs};

#[test]
fn a_checkpoint_is_named_wherever_a_revision_is() {
    let repo = runs();
    let same = |named: &[&str], plain: &[&str]| {
        let (named, plain) = (repo.evolve(named), repo.evolve(plain));
        assert!(named.status.success(), "{}", err(&named));
        assert_eq!(out(&named), out(&plain));
        assert!(!out(&named).is_empty());
    };
    let (one, commit) = ("exp/plain/1@1", "evolve/exp/plain/1~3");
    let json = ["--format", "json"];
    for command in ["show", "log", "functions", "files"] {
        let with = |word| [&[command, word][..], &json].concat();
        same(&with(one), &with(commit));
    }
    let lines = |word| ["lines", word, "src/A.java"];
    same(&lines(one), &lines(commit));
    same(
        &["log", "exp/plain/1@1..exp/plain/1@2"],
        &["log", "evolve/exp/plain/1~3..evolve/exp/plain/1~1"],
    );
    same(
        &["show", "exp/plain/1@0"],
        &["show", "evolve/exp/plain/1~4"],
    );
    for (word, code, said) in [
        ("exp/plain/1@9", 2, "chain exp/plain/1 has no checkpoint 9"),
        ("exp/plain/9@1", 128, "unknown revision"),
        ("main@x", 128, "unknown revision"),
    ] {
        let done = repo.evolve(&["show", word]);
        assert_eq!(done.status.code(), Some(code), "{word}: {}", err(&done));
        assert!(err(&done).contains(said), "{word}: {}", err(&done));
    }
}
