//! Line hunks against `git diff -U0`.

use proptest::prelude::*;

use super::renames::prose;
use super::said_by_git::compare_hunks;
use crate::support::Repo;

/// Commits `versions` of one file one after the other and compares every step's hunks.
#[track_caller]
fn same_hunks(versions: &[&[u8]]) {
    let repo = Repo::new();
    for (i, content) in versions.iter().enumerate() {
        repo.write("file.txt", content);
        repo.commit(&format!("version {i}"));
    }
    let tally = compare_hunks(repo.path());
    assert_eq!(tally.differing, Vec::<String>::new());
    assert_eq!(tally.edits + tally.binary, versions.len() - 1);
}

const PYTHON: &str = "\
def one():
    if a:
        return 1

    return 2


def three():
    for x in y:
        print(x)

    return 3
";

#[test]
fn insertions_deletions_and_replacements_have_gits_hunks() {
    same_hunks(&[
        b"a\nb\nc\nd\n",
        b"a\nb\nnew\nc\nd\n",
        b"new\nc\nd\n",
        b"new\nC\nd\nend\n",
        b"quite\nanother\nfile\n",
        b"",
        b"one line\n",
    ]);
}

#[test]
fn an_ambiguous_hunk_stands_where_git_puts_it() {
    let two = PYTHON.replace(
        "\n\ndef three",
        "\n\ndef two():\n    for x in z:\n        print(x)\n\n    return 2\n\n\ndef three",
    );
    let ends_blank = format!("{two}\n\n\n");
    let inner = two.replace(
        "        return 1\n",
        "        return 1\n\n        return 1\n",
    );
    same_hunks(&[
        PYTHON.as_bytes(),
        two.as_bytes(),
        inner.as_bytes(),
        ends_blank.as_bytes(),
        PYTHON.as_bytes(),
    ]);
    same_hunks(&[b"a\n\nb\n\nc\n", b"a\n\nb\n\nb\n\nc\n", b"a\n\nc\n"]);
    same_hunks(&[b"x\nx\nx\n", b"x\nx\nx\nx\nx\n", b"x\n", b"x\nx\n"]);
    same_hunks(&[
        b"{\n\ta\n}\n{\n\tb\n}\n",
        b"{\n\ta\n}\n{\n\tc\n}\n{\n\tb\n}\n",
    ]);
}

#[test]
fn lines_that_occur_often_are_treated_as_git_treats_them() {
    let text = |words: &[String]| -> Vec<u8> {
        let lines = words.iter().enumerate();
        let braces = lines.map(|(i, w)| {
            if i % 3 == 0 {
                format!("}}\n{w}")
            } else {
                w.clone()
            }
        });
        braces.collect::<String>().into_bytes()
    };
    let (old, other) = (prose(400, 3), prose(400, 4));
    let mut mixed = old.clone();
    mixed[100..180].clone_from_slice(&other[100..180]);
    mixed[240..250].clone_from_slice(&other[240..250]);
    let mut turned = mixed.clone();
    turned[90..300].reverse();
    same_hunks(&[
        &text(&old),
        &text(&mixed),
        &text(&turned),
        &text(&other),
        &text(&old),
    ]);
}

#[test]
fn a_long_common_end_is_set_aside_as_git_does() {
    let end = "    }\n\n    void method() {\n        call();\n    }\n".repeat(120);
    let old = format!("class A {{\n{end}");
    let new = format!("class A {{\n    }}\n\n    void method() {{\n{end}");
    let open = end.trim_end();
    same_hunks(&[
        old.as_bytes(),
        new.as_bytes(),
        end.as_bytes(),
        open.as_bytes(),
    ]);
    let longer: Vec<String> = (0..40)
        .map(|extra| format!("class A {{\n{}\n{end}", "x".repeat(extra * 53)))
        .collect();
    let mut versions = Vec::new();
    for new in &longer {
        versions.extend([old.as_bytes(), new.as_bytes()]);
    }
    same_hunks(&versions);
}

#[test]
fn line_ends_bytes_and_binary_content_are_gits() {
    same_hunks(&[
        b"a\nb\nc",
        b"a\nb\nc\n",
        b"a\r\nb\r\nc\r\n",
        b"a\r\nb\nc\r\n",
        b"a\rb\rc\r",
        b"\xff\xfe\n\x80\n",
        b"\xff\xfe\nnew\n\x80\n",
        b"a\0b\n",
        b"a\0c\n",
        b"text again\n",
    ]);
}

/// A text of few different lines, some of them without a last line feed.
fn small_text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec!["a", "b", "", "  a", "\tb", "    c", "}", "b\r"]);
    (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, open)| {
        let mut text = lines.join("\n").into_bytes();
        if !open && !lines.is_empty() {
            text.push(b'\n');
        }
        text
    })
}

/// A text and the same after some edits: lines put in, taken out, or moved.
fn edited_text() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let edit = (any::<prop::sample::Index>(), 0..8_usize, small_text());
    (small_text(), prop::collection::vec(edit, 0..4)).prop_map(|(old, edits)| {
        let mut lines: Vec<Vec<u8>> = old
            .split_inclusive(|b| *b == b'\n')
            .map(Vec::from)
            .collect();
        for (at, out, put) in edits {
            let at = at.index(lines.len() + 1);
            let end = (at + out).min(lines.len());
            let put = put.split_inclusive(|b| *b == b'\n').take(6).map(Vec::from);
            lines.splice(at..end, put);
        }
        (old, lines.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn hunks_lead_from_old_to_new_and_are_gits(
        pairs in prop::collection::vec(edited_text(), 40)
    ) {
        let repo = Repo::new();
        for side in 0..2 {
            for (i, pair) in pairs.iter().enumerate() {
                let content = if side == 0 { &pair.0 } else { &pair.1 };
                repo.write(&format!("{i:03}.txt"), content);
            }
            repo.commit("side");
        }
        let tally = compare_hunks(repo.path());
        prop_assert_eq!(tally.differing, Vec::<String>::new());
        let numstat = repo.git(&["diff-tree", "-r", "-U0", "--numstat", "HEAD~1", "HEAD"]);
        let mut total = (0, 0);
        for line in numstat.lines() {
            let mut fields = line.split('\t').map(|n| n.parse::<u64>().unwrap_or(0));
            total.0 += fields.next().unwrap_or(0);
            total.1 += fields.next().unwrap_or(0);
        }
        prop_assert_eq!(total, tally.our_lines);
    }
}
