//! What a message says, and what only looks like it.

use super::*;

/// The trailers of an agent commit of checkpoint 1.
const OURS: &str = "Evolve-Chain: exp/arm/1\nEvolve-Checkpoint: 1 one\nEvolve-Role: agent\n";

/// A commit object with this message, byte for byte, on the tip of the chain.
fn commit(repo: &Repo, message: &[u8], encoding: Option<&str>) -> String {
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let parent = repo.git(&["rev-parse", "HEAD"]);
    let who = "Ada <ada@example.invalid> 1700000000 +0000";
    let mut object =
        format!("tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n").into_bytes();
    if let Some(encoding) = encoding {
        object.extend(format!("encoding {encoding}\n").bytes());
    }
    object.push(b'\n');
    object.extend(message);
    let file = captured(repo, "commit", object);
    repo.git(&["hash-object", "-t", "commit", "-w", &file])
}

/// Whether a commit with this message is the chain's agent commit, as we see it.
fn counts(repo: &Repo, message: &str) -> bool {
    let base = repo.git(&["rev-parse", BRANCH]);
    let tip = commit(repo, message.as_bytes(), None);
    for name in [KEPT, "refs/heads/evolve/exp/arm/1"] {
        repo.git(&["update-ref", name, &tip]);
    }
    let seen = status(repo)["chains"][0].clone();
    for name in [KEPT, "refs/heads/evolve/exp/arm/1"] {
        repo.git(&["update-ref", name, &base]);
    }
    let (checkpoints, foreign) = (seen["checkpoints"].as_u64(), seen["foreign"].as_u64());
    assert_eq!(
        checkpoints.unwrap_or(9) + foreign.unwrap_or(9),
        1,
        "{message:?}: {seen}"
    );
    checkpoints == Some(1)
}

fn begun() -> Repo {
    let repo = project();
    well(&repo, &["begin", CHAIN, "1:one"]);
    well(&repo, &["begin", "--abandon"]);
    repo
}

#[test]
fn a_commit_is_in_the_chain_exactly_where_git_reads_its_trailers() {
    let repo = begun();
    let quoted = OURS.replace("Evolve", "    Evolve");
    let cases: [(&str, String, bool); 16] = [
        ("plain", format!("S\n\n{OURS}"), true),
        ("only the subject", OURS.to_owned(), false),
        ("no empty line", format!("S\n{OURS}"), false),
        (
            "prose in the same paragraph",
            format!(
                "S\n\nprose\nmore\nand more\nyet more\nstill\nprose\nwords\nlast\nline\nten\n{OURS}"
            ),
            false,
        ),
        (
            "prose and a trailer of git's own",
            format!("S\n\nprose\n{OURS}Signed-off-by: t <t@e>\n"),
            true,
        ),
        ("prose after", format!("S\n\n{OURS}\nprose\n"), false),
        (
            "a second paragraph of trailers",
            format!("S\n\n{OURS}\nCo-authored-by: x <x@y>\n"),
            false,
        ),
        (
            "another trailer beside",
            format!("S\n\n{OURS}Co-authored-by: x <x@y>\n"),
            true,
        ),
        (
            "underscores",
            format!("S\n\n{}", OURS.replace('-', "_")),
            false,
        ),
        (
            "lower case",
            format!(
                "S\n\n{}",
                OURS.replace("Evolve-C", "evolve-c")
                    .replace("Evolve-R", "evolve-r")
            ),
            true,
        ),
        (
            "line ends of Windows",
            format!("S\n\n{OURS}").replace('\n', "\r\n"),
            true,
        ),
        ("quoted", format!("S\n\nthey wrote:\n\n{quoted}"), false),
        ("a rule before", format!("S\n\nbody\n\n---\n\n{OURS}"), true),
        (
            "a patch behind",
            format!("S\n\n{OURS}---\n f | 1 +\n"),
            false,
        ),
        (
            "no number",
            format!("S\n\n{}", OURS.replace("1 one", "one")),
            false,
        ),
        (
            "another chain's path",
            format!("S\n\n{}", OURS.replace("exp/arm/1", "../../x")),
            false,
        ),
    ];
    for (name, message, expected) in cases {
        assert_eq!(counts(&repo, &message), expected, "{name}");
        // Values are ours to judge, what a trailer is, is git's.
        if !["no number", "another chain's path"].contains(&name) {
            let tip = commit(&repo, message.as_bytes(), None);
            let git = repo.git(&[
                "log",
                "-1",
                "--format=%(trailers:key=Evolve-Role,valueonly)",
                &tip,
            ]);
            assert_eq!(git.trim() == "agent", expected, "git on {name}");
        }
    }
    let twice = format!("S\n\nEvolve-Checkpoint: 2 two\n{OURS}");
    let tip = commit(&repo, twice.as_bytes(), None);
    let git = repo.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Evolve-Checkpoint,valueonly)",
        &tip,
    ]);
    assert_eq!(git.lines().count(), 2, "git keeps both");
    assert!(!counts(&repo, &twice), "two answers are none");
}

#[test]
fn a_rule_in_the_agents_message_ends_no_message_of_ours() {
    let repo = project();
    well(&repo, &["begin", CHAIN, "1:one"]);
    repo.write("src/A.java", class(1));
    let message = "Do it\n\n---\n\nEvolve-Checkpoint: 9 nine\n\n---\ndiff --git a/f b/f\n";
    repo.commit(message);
    well(&repo, &["record"]);
    let file = captured(&repo, "message", repo.git(&["log", "-1", "--format=%B"]));
    for words in [&["--parse"][..], &["--parse", "--no-divider"]] {
        let parsed = repo.git(&[&["interpret-trailers"], words, &[&file]].concat());
        assert_eq!(parsed, OURS.trim_end(), "{words:?}");
    }
    assert_eq!(figures(&repo, repo.path()).len(), 1);
    sound(&repo, repo.path());
}

#[test]
fn settings_for_trailers_change_neither_what_is_written_nor_what_is_read() {
    let settings = [
        ("trailer.separators", "="),
        ("trailer.x.key", "Evolve-Role"),
        ("trailer.x.cmd", "echo injected"),
        ("trailer.ifexists", "replace"),
        ("core.commentChar", "E"),
        ("commit.cleanup", "strip"),
        ("commit.verbose", "true"),
    ];
    let plain = worked(1);
    let hostile = project();
    for (key, value) in settings {
        hostile.git(&["config", key, value]);
    }
    checkpoint(&hostile, 1);
    let message = |repo: &Repo, n: usize| {
        let raw = repo.git(&["cat-file", "commit", &line(repo)[n]]);
        let (_, message) = raw.split_once("\n\n").expect("a message");
        let without = message.lines().filter(|l| !l.starts_with("Evolve-Begin: "));
        without.map(str::to_owned).collect::<Vec<_>>()
    };
    for n in 0..3 {
        assert_eq!(message(&hostile, n), message(&plain, n));
    }
    let hidden = hostile.git(&[
        "log",
        "-1",
        "--format=%(trailers:key=Evolve-Role,valueonly)",
    ]);
    assert_eq!(hidden, "", "git no longer sees it");
    assert_eq!(
        figures(&hostile, hostile.path()),
        figures(&plain, plain.path())
    );
    sound(&hostile, hostile.path());
}

#[test]
fn messages_in_other_encodings_are_read_quoted_and_shown_as_utf_8() {
    let repo = project();
    well(&repo, &["begin", CHAIN, "1:one"]);
    repo.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    repo.git(&["config", "i18n.logOutputEncoding", "UTF-16"]);
    let tip = commit(&repo, b"caf\xe9\n", Some("ISO-8859-1"));
    repo.git(&["update-ref", "HEAD", &tip]);
    let tip = commit(&repo, b"bad \xff byte\n", None);
    repo.git(&["update-ref", "HEAD", &tip]);
    repo.write("src/A.java", class(1));
    well(&repo, &["record"]);
    let raw = repo.git(&["cat-file", "commit", "HEAD"]);
    assert!(!raw.contains("\nencoding "), "{raw}");
    assert!(
        raw.contains("    caf\u{e9}\n") && raw.contains("    bad \u{fffd} byte\n"),
        "{raw}"
    );
    // Whole documents, not one with replaced bytes.
    for words in [
        &["log", "HEAD~1..", "--format", "json"][..],
        &["show", "--format", "json"],
        &["status", "--format", "json"],
    ] {
        let o = done(&repo, repo.path(), words);
        let text = String::from_utf8(o.stdout).expect("UTF-8");
        serde_json::from_str::<Value>(&text).expect("JSON");
    }
    // A chain's own commit, written in another encoding by somebody who rewrote it.
    well(&repo, &["reset"]);
    let latin = [b"r\xe9sum\xe9\n\n".as_slice(), OURS.as_bytes()].concat();
    let tip = commit(&repo, &latin, Some("ISO-8859-1"));
    repo.git(&["update-ref", "HEAD", &tip]);
    repo.git(&["update-ref", KEPT, &tip]);
    let rows = log_in(&repo, repo.path(), &["--chain", CHAIN]);
    assert_eq!(rows[0]["subject"], "r\u{e9}sum\u{e9}");
}
