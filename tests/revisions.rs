//! Revisions, ranges, dates and walks, against git's own answers.

use git_evolve::Kind;
use git_evolve::repo::{
    LineEnd, Oid, Reader, Repo as Opened, RevisionSpec, parse_date, parse_range, parse_words,
};

use crate::support::Repo;

fn reader(repo: &Repo) -> Reader {
    let opened = Opened::discover(repo.path()).expect("found");
    opened.reader().expect("a reader")
}

fn oid(text: &str) -> Oid {
    Oid::from_hex(text).expect("an id")
}

fn listed(reader: &Reader, range: &RevisionSpec) -> Vec<String> {
    let mut ids = Vec::new();
    reader
        .line(range, |c| {
            ids.push(c.id.to_string());
            true
        })
        .expect("a walk");
    ids
}

/// A history with side branches merged both ways, an octopus, a second root, and clocks that go
/// backwards.
fn tangled() -> Repo {
    let repo = Repo::new();
    let mut n = 0;
    let mut commit = |name: &str| {
        n += 1;
        repo.write(&format!("{name}.txt"), format!("{n}\n"));
        repo.commit(&format!("{name} {n}"));
    };
    commit("m");
    commit("m");
    for (branch, from) in [("a", "main"), ("b", "main~1"), ("c", "a")] {
        repo.git(&["checkout", "-q", "-b", branch, from]);
        commit(branch);
        commit(branch);
    }
    repo.git(&["checkout", "-q", "main"]);
    commit("m");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge a", "a"]);
    repo.git(&["checkout", "-q", "b"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "main into b", "main"]);
    commit("b");
    repo.git(&["checkout", "-q", "--orphan", "root2"]);
    commit("r");
    repo.git(&["checkout", "-q", "-f", "main"]);
    commit("m");
    let merge = ["merge", "-q", "--no-ff", "-s", "ours"];
    repo.git(&[&merge[..], &["-m", "octopus", "b", "c"]].concat());
    let unrelated = ["--allow-unrelated-histories", "-m", "roots", "root2"];
    repo.git(&[&merge[..], &unrelated].concat());
    // A commit from long before its parent, and one after it.
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let old = repo
        .command("git", repo.path())
        .args(["commit-tree", &tree, "-p", "a", "-m", "old clock"])
        .env("GIT_COMMITTER_DATE", "@1000000000 +0000")
        .output()
        .expect("git");
    let old = String::from_utf8(old.stdout)
        .expect("an id")
        .trim()
        .to_owned();
    repo.git(&["branch", "skewed", &old]);
    repo.git(&[
        "merge", "-q", "--no-ff", "-s", "ours", "-m", "skewed", "skewed",
    ]);
    commit("m");
    repo.git(&["tag", "-a", "-m", "t", "v1", "main~2"]);
    repo
}

#[test]
fn ranges_leave_out_what_git_leaves_out() {
    let repo = tangled();
    let reader = reader(&repo);
    let names = [
        "main", "main~1", "main~2", "main~4", "a", "b", "b~1", "c", "root2", "skewed", "v1",
    ];
    for from in names {
        for to in names {
            let text = format!("{from}..{to}");
            let range = parse_range(&reader, &text).expect("a range");
            let by_git = repo.git(&["rev-list", "--first-parent", &text]);
            let by_git: Vec<&str> = by_git.lines().collect();
            assert_eq!(listed(&reader, &range), by_git, "{text}");
            let words = [format!("^{from}"), to.to_owned()];
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(parse_words(&reader, &words).expect("a range"), range);
            let ancestor = repo
                .command("git", repo.path())
                .args(["merge-base", "--is-ancestor", from, to])
                .status()
                .expect("git")
                .success();
            let (f, t) = (
                reader.commit_at(from).expect("it"),
                reader.commit_at(to).expect("it"),
            );
            assert_eq!(
                reader.is_ancestor(f, t).expect("a walk"),
                ancestor,
                "{text}"
            );
        }
        let tip = parse_range(&reader, from).expect("a tip");
        let by_git = repo.git(&["rev-list", "--first-parent", from]);
        assert_eq!(listed(&reader, &tip), by_git.lines().collect::<Vec<_>>());
    }
}

#[test]
fn a_walk_says_why_it_ended() {
    let repo = tangled();
    let reader = reader(&repo);
    let range = parse_range(&reader, "main~1..").expect("a range");
    assert_eq!(range.tip(), reader.head().expect("HEAD").expect("born"));
    assert_eq!(
        reader.line(&range, |_| true).expect("a walk"),
        LineEnd::Excluded
    );
    let none = parse_range(&reader, "main..main~3").expect("a range");
    assert!(listed(&reader, &none).is_empty());
    let all = parse_range(&reader, "main").expect("a tip");
    let mut left = 2;
    let end = reader.line(&all, |_| {
        left -= 1;
        left > 0
    });
    assert_eq!((end.expect("a walk"), left), (LineEnd::Stopped, 0));
}

#[test]
fn merges_bring_in_what_rev_list_says() {
    let repo = tangled();
    let reader = reader(&repo);
    let merges = repo.git(&["rev-list", "--merges", "--all"]);
    assert_eq!(merges.lines().count(), 5);
    for merge in merges.lines() {
        let commit = reader.commit(oid(merge)).expect("here");
        let mut ours: Vec<String> = reader
            .merged_commits(&commit)
            .expect("a walk")
            .iter()
            .map(ToString::to_string)
            .collect();
        ours.sort();
        let by_git = repo.git(&[
            "rev-list",
            &format!("{merge}^@"),
            "--not",
            &format!("{merge}^1"),
        ]);
        let mut theirs: Vec<&str> = by_git.lines().collect();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{}", commit.subject());
    }
    let plain = reader
        .commit(reader.commit_at("a").expect("a"))
        .expect("here");
    assert!(reader.merged_commits(&plain).expect("none").is_empty());
}

#[test]
fn revisions_are_what_rev_parse_says() {
    let repo = tangled();
    let reader = reader(&repo);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let short = &head[..9];
    for revision in [
        "HEAD",
        "@",
        "main",
        "heads/main",
        "refs/heads/main",
        "v1",
        "HEAD^2",
        "main~3^2~1",
        "v1^{commit}",
        "main^{/merge a}",
        ":/main into",
        "main@{0}",
        "HEAD@{yesterday}",
        &head,
        short,
        &short.to_uppercase(),
        "v1-0-gabcdef0",
    ] {
        let asked = format!("{revision}^{{commit}}");
        let asked = if revision.starts_with(":/") {
            revision
        } else {
            &asked
        };
        let out = repo
            .command("git", repo.path())
            .args(["rev-parse", "--verify", "--quiet", asked])
            .output()
            .expect("git");
        let theirs = String::from_utf8(out.stdout)
            .expect("UTF-8")
            .trim()
            .to_owned();
        let ours = reader.commit_at(revision).map(|id| id.to_string());
        assert_eq!(ours.unwrap_or_default(), theirs, "{revision}");
    }
}

#[test]
fn a_branch_that_looks_like_an_id_is_the_branch() {
    let repo = Repo::new();
    let one = repo.commit("one");
    let two = repo.commit("two");
    let name = &one[..7];
    repo.git(&["branch", name, &two]);
    assert_eq!(
        reader(&repo).commit_at(name).expect("the branch"),
        oid(&two)
    );
}

#[test]
fn what_is_no_revision_is_said_with_a_hint() {
    let repo = tangled();
    let reader = reader(&repo);
    repo.git(&["tag", "blob", "HEAD:m.txt"]);
    for (revision, said) in [
        ("nowhere", "unknown revision 'nowhere'"),
        ("", "unknown revision ''"),
        ("--all", "unknown revision '--all'"),
        ("deadbeef", "unknown revision 'deadbeef'"),
        ("HEAD~999", "unknown revision 'HEAD~999'"),
        ("main..b", "unknown revision 'main..b'"),
        ("blob", "'blob' is a blob, not a commit"),
        ("HEAD^{tree}", "'HEAD^{tree}' is a tree, not a commit"),
    ] {
        let e = reader.commit_at(revision).expect_err(revision);
        assert_eq!((e.to_string().as_str(), e.kind()), (said, Kind::Git));
    }
    let absent = "1".repeat(40);
    let e = reader.commit_at(&absent).expect_err("absent");
    assert!(e.to_string().contains("unknown revision") && e.hint().is_some());
    for (words, kind) in [
        (&["main...b"][..], Kind::Usage),
        (&["main", "b"], Kind::Usage),
        (&["^main"], Kind::Usage),
        (&["main..nowhere"], Kind::Git),
    ] {
        assert_eq!(
            parse_words(&reader, words).expect_err("wrong").kind(),
            kind,
            "{words:?}"
        );
    }
}

#[test]
fn an_ambiguous_short_id_lists_what_it_may_be() {
    let repo = Repo::new();
    // Commits until two ids share four digits: about 300 are enough, and 65,536 surely are.
    let tree = repo.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let mut stream = String::new();
    for i in 0..1_500 {
        stream.push_str(&format!(
            "commit refs/heads/m\ncommitter A <a@b> {i} +0000\ndata 0\n"
        ));
    }
    let file = repo.around().join("stream");
    std::fs::write(&file, stream).expect("written");
    let input = std::fs::File::open(&file).expect("it");
    let status = repo
        .command("git", repo.path())
        .args(["fast-import", "--quiet"])
        .stdin(input)
        .status();
    assert!(status.expect("git").success());
    let all = repo.git(&["rev-list", "m"]);
    let mut ids: Vec<&str> = all.lines().collect();
    ids.sort_unstable();
    let pair = ids
        .windows(2)
        .find(|w| w[0][..4] == w[1][..4])
        .expect("two of 1,500 share four digits");
    let reader = reader(&repo);
    let e = reader.commit_at(&pair[0][..4]).expect_err("ambiguous");
    assert!(e.to_string().contains("is ambiguous"), "{e}");
    assert!(
        e.hint()
            .is_some_and(|h| h.contains(pair[0]) && h.contains(pair[1])),
        "{e:?}"
    );
    // A tree does not make a commit's id ambiguous.
    let same = ids.iter().find(|i| i[..4] == tree[..4]);
    let found = reader.commit_at(&tree[..4]);
    assert_eq!(found.is_ok(), same.is_some());
    assert_eq!(
        reader.tree_at(&tree[..12]).expect("a tree"),
        (oid(&tree), None)
    );
}

#[test]
fn trees_are_found_by_commit_tag_path_and_id() {
    let repo = Repo::new();
    repo.write("src/A.java", "class A {}\n");
    let one = repo.commit("one");
    let top = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let src = repo.git(&["rev-parse", "HEAD:src"]);
    repo.git(&["tag", "-a", "-m", "t", "tree-tag", &src]);
    let reader = reader(&repo);
    for (treeish, tree, commit) in [
        ("HEAD", &top, Some(oid(&one))),
        (one.as_str(), &top, Some(oid(&one))),
        ("HEAD^{tree}", &top, None),
        ("HEAD:src", &src, None),
        (src.as_str(), &src, None),
        ("tree-tag", &src, None),
    ] {
        assert_eq!(
            reader.tree_at(treeish).expect(treeish),
            (oid(tree), commit),
            "{treeish}"
        );
    }
    assert!(reader.tree_at("HEAD:src/A.java").is_err());
    let empty = reader.empty_tree();
    assert_eq!(
        reader.tree_at(&empty.to_string()).expect("stored nowhere"),
        (empty, None)
    );
}

#[test]
fn dates_are_rfc_3339_days_in_utc_and_gits_relative_words() {
    // 2026-03-31T12:00:00Z
    let now = 1_774_958_400;
    let day = 86_400;
    for (text, want) in [
        ("2026-01-31", 1_769_817_600),
        ("2026-01-31T00:00:10Z", 1_769_817_610),
        ("2026-01-31T00:00:10z", 1_769_817_610),
        ("2026-01-31T00:00:10.75Z", 1_769_817_610),
        ("2026-01-31T02:00:10+02:00", 1_769_817_610),
        ("2026-01-31T02:00:10.5+02:00", 1_769_817_610),
        ("2026-01-31 00:00:10", 1_769_817_610),
        ("2026-01-31T00:01", 1_769_817_660),
        ("2026-01-31 02:00:10 +0200", 1_769_817_610),
        ("@5", 5),
        ("now", now),
        ("yesterday", now - day),
        ("2 weeks ago", now - 14 * day),
        ("2.weeks.ago", now - 14 * day),
        ("3 days 1 hour ago", now - 3 * day - 3_600),
        // 31 February rolls over, as in git.
        ("1 month ago", 1_772_539_200),
    ] {
        assert_eq!(parse_date(text, now).expect(text), want, "{text}");
    }
    for text in [
        "",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "12",
        "2026-01-31T25:00:00Z",
    ] {
        let e = parse_date(text, now).expect_err(text);
        assert_eq!(e.kind(), Kind::Usage, "{text}");
    }
}
