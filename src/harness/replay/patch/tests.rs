use std::collections::BTreeMap;
use std::process::Command;

use super::*;

type Files = BTreeMap<String, String>;

fn files(of: &[(&str, &str)]) -> Files {
    of.iter()
        .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
        .collect()
}

fn applied(patch: &str, on: &[(&str, &str)]) -> Result<Files> {
    let mut tree = files(on);
    for file in parse(patch.as_bytes())? {
        file.apply(&mut tree)?;
    }
    Ok(tree)
}

#[test]
fn a_plain_patch_applies_where_its_lines_are() {
    let patch = "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n";
    let there = applied(patch, &[("f", "a\nb\nc\n")]).expect("fits");
    assert_eq!(there["f"], "a\nx\nb\nc\n");
    let lower = applied(patch, &[("f", "0\n0\na\nb\nc\n")]).expect("fits");
    assert_eq!(lower["f"], "0\n0\na\nx\nb\nc\n");
    let refused = applied(patch, &[("f", "a\nc\nb\n")]).expect_err("nowhere");
    assert!(
        refused.to_string().contains("are not there: a"),
        "{refused}"
    );
}

#[test]
fn hunks_apply_in_order_and_never_over_each_other() {
    let patch = "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+c\n";
    let there = applied(patch, &[("f", "a\na\n")]).expect("fits");
    assert_eq!(there["f"], "b\nc\n");
    assert!(applied(patch, &[("f", "a\nz\n")]).is_err());
}

#[test]
fn files_come_go_and_move() {
    let patch = "\
diff --git a/new b/new
new file mode 100755
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-y
diff --git a/old name b/deep/new name
similarity index 100%
rename from old name
rename to deep/new name
diff --git a/empty b/empty
new file mode 100644
";
    let there = applied(patch, &[("gone", "y\n"), ("old name", "z\n")]).expect("fits");
    let wanted = files(&[("deep/new name", "z\n"), ("empty", ""), ("new", "x")]);
    assert_eq!(there, wanted);
    assert!(applied(patch, &[("gone", "other\n"), ("old name", "z\n")]).is_err());
    assert!(applied(patch, &[("gone", "y\n"), ("old name", "z\n"), ("new", "")]).is_err());
}

#[test]
fn what_is_out_of_form_or_outside_is_refused() {
    for patch in [
        "@@ -1 +1 @@\n-a\n+b\n",
        "--- f\n+++ f\n@@ -1,3 +1 @@\n-a\n+b\n",
        "--- f\n+++ f\n@@ one @@\n",
        "--- f\n+++ f\n@@ -1 +1 @@\n-a\nb\n",
        "--- a/../f\n+++ a/../f\n@@ -1 +1 @@\n-a\n+b\n",
        "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+b\n",
        "diff --git a/l b/l\nnew file mode 120000\n",
        "diff --git a/l b/l\nBinary files a/l and b/l differ\n",
    ] {
        assert!(applied(patch, &[("f", "a\n")]).is_err(), "{patch}");
    }
}

#[test]
fn quoted_paths_are_read() {
    assert_eq!(unquoted(r#""tab\there \303\244""#), "tab\there ä");
    assert_eq!(
        git_names(r#""a/\303\244" "b/\303\244""#),
        Some(("ä".to_owned(), "ä".to_owned()))
    );
    assert_eq!(
        git_names("a/x y b/x y"),
        Some(("x y".to_owned(), "x y".to_owned()))
    );
}

/// Between any two of some texts, what git writes as a diff leads from the one to the other.
#[test]
fn what_git_writes_applies() {
    let texts = [
        "",
        "a\n",
        "a",
        "a\nb\nc\n",
        "b\nc\n",
        "a\nb\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk",
        "x\na\nb\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\ny\n",
        "\n\n",
        "a\r\nb\r\n",
    ];
    let around = tempfile::tempdir().expect("a folder");
    for old in texts {
        for new in texts.iter().filter(|n| **n != old) {
            for context in ["-U0", "-U1", "-U3"] {
                std::fs::write(around.path().join("old"), old).expect("written");
                std::fs::write(around.path().join("new"), new).expect("written");
                let out = Command::new("git")
                    .current_dir(around.path())
                    .args(["diff", "--no-index", context, "old", "new"])
                    .output()
                    .expect("git runs");
                // It names two files; the change is of one.
                let text = String::from_utf8_lossy(&out.stdout)
                    .replace("a/old b/new", "a/f b/f")
                    .replace("--- a/old", "--- a/f")
                    .replace("+++ b/new", "+++ b/f");
                let there = applied(&text, &[("f", old)]);
                let there = there.unwrap_or_else(|e| panic!("{e}\n{text}"));
                assert_eq!(there["f"], *new, "{context}: {text}");
            }
        }
    }
}
