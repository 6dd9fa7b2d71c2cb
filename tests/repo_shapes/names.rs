//! Refs whose names other systems keep for themselves.

use super::{oid, open};
use crate::support::Repo;

/// Names that Windows keeps for devices.
const DEVICES: [&str; 8] = [
    "aux", "com1", "con", "conin$", "conout$", "lpt9", "nul", "prn",
];

#[test]
fn refs_below_any_name_are_listed_loose_and_packed_as_git_lists_them() {
    let repo = Repo::new();
    let one = repo.commit("one");
    for name in DEVICES.iter().chain(&["plain"]) {
        repo.git(&[
            "update-ref",
            &format!("refs/evolve/x/{name}/1/{name}"),
            &one,
        ]);
        repo.git(&["update-ref", &format!("refs/evolve/x/{name}s/2"), &one]);
    }
    for packed in [false, true] {
        if packed {
            repo.git(&["pack-refs", "--all"]);
        }
        let reader = open(repo.path());
        for name in DEVICES.iter().chain(&["plain"]) {
            for under in [
                format!("refs/evolve/x/{name}"),
                format!("refs/evolve/x/{name}/1/"),
                format!("refs/evolve/x/{name}/none/{name}"),
                format!("refs/evolve/x/{name}/1/{name}"),
            ] {
                let listed = reader.references_under(&[&under]).expect("listed");
                let names: Vec<&str> = listed.iter().map(|r| r.name.as_str()).collect();
                let said = repo.git(&["for-each-ref", "--format=%(refname)", &under]);
                assert_eq!(names, said.lines().collect::<Vec<_>>(), "{under}");
                assert!(listed.iter().all(|r| r.id == oid(&one)));
            }
        }
    }
}
