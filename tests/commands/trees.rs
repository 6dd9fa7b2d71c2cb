//! `functions`, `files`, `lines`.

use super::{err, out, runs, small};

#[test]
fn functions_have_the_columns_of_the_oracle() {
    let repo = small();
    insta::assert_snapshot!(repo.stdout(&["functions", "--format", "csv"]), @r"
    path,function,start,end,nloc,cc,cognitive,nested
    src/A.java,A::f,2,7,6,2,1,no
    src/A.java,A::g,8,10,3,1,0,no
    src/test/ATest.java,ATest::t,2,3,2,1,0,no
    ");
    insta::assert_snapshot!(repo.stdout(&["functions", "HEAD~3"]), @r"
    path        function  start  end  nloc  cc  cognitive
    src/A.java  A::f          2    4     3   1          0
    config 62cfffe51b606adf
    ");
}

#[test]
fn paths_limit_the_list_and_are_seen_from_where_one_stands() {
    let repo = small();
    let rows = |dir: &str, words: &[&str]| {
        let done = repo.evolve_in(&repo.path().join(dir), words);
        String::from_utf8(done.stdout).unwrap().lines().count() - 1
    };
    assert_eq!(rows("", &["functions", "--format", "csv"]), 3);
    assert_eq!(
        rows("", &["functions", "HEAD", "src/test", "--format", "csv"]),
        1
    );
    assert_eq!(
        rows("", &["functions", "src/test", "--format", "csv"]),
        1,
        "a path alone"
    );
    assert_eq!(
        rows("src", &["functions", "HEAD", "test", "--format", "csv"]),
        1
    );
    assert_eq!(
        rows(
            "src/test",
            &["functions", "HEAD", "../A.java", "--format", "csv"]
        ),
        2
    );
    let outside = repo.evolve_in(&repo.path().join("src"), &["functions", "HEAD", "../../x"]);
    assert_eq!(outside.status.code(), Some(2));
    let neither = repo.evolve(&["functions", "nowhere"]);
    assert_eq!(neither.status.code(), Some(128));
}

#[test]
fn files_have_language_and_class() {
    let repo = small();
    insta::assert_snapshot!(repo.stdout(&["files"]), @r"
    path                 language  class       lines  code  functions
    src/A.java           Java      production     11    11          2
    src/test/ATest.java  Java      test            4     4          1
    config 62cfffe51b606adf
    ");
    let nul = repo.evolve(&["files", "-z"]);
    assert_eq!(nul.stdout, b"src/A.java\0src/test/ATest.java\0");
    let globs = repo.stdout(&["files", "--tests", "A.java", "--format", "csv"]);
    assert!(globs.contains("src/A.java,java,test,"), "{globs}");
}

#[test]
fn a_file_with_a_syntax_error_is_unknown_and_said() {
    let repo = small();
    repo.write("src/B.java", "class B { int f( {\n");
    repo.commit("broken");
    let done = repo.evolve(&["files", "HEAD", "src/B.java", "--format", "csv"]);
    let text = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(
        text.ends_with("src/B.java,java,production,1,,,syntax error\n"),
        "{text}"
    );
    assert!(err(&done).contains("functions unknown in src/B.java: syntax error"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_that_is_not_utf8_has_its_bytes_in_hex() {
    use std::os::unix::ffi::OsStrExt;
    let repo = small();
    let name = std::ffi::OsStr::from_bytes(b"b\xff.py");
    std::fs::write(repo.path().join(name), "x = 1\n").unwrap();
    repo.commit("odd name");
    let text = repo.stdout(&["files", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["files"][0]["path"], "b\u{fffd}.py");
    assert_eq!(document["files"][0]["path_hex"], "62ff2e7079");
    assert!(
        repo.evolve(&["files", "-z"])
            .stdout
            .starts_with(b"b\xff.py\0")
    );
}

#[test]
fn lines_name_who_wrote_each() {
    let repo = small();
    let csv = repo.stdout(&["lines", "HEAD", "src/A.java", "--format", "csv"]);
    let blamed: Vec<String> = repo
        .git(&["blame", "-s", "--porcelain", "HEAD", "--", "src/A.java"])
        .lines()
        .filter(|l| l.len() > 40 && l.as_bytes()[..40].iter().all(u8::is_ascii_hexdigit))
        .map(|l| l[..40].to_owned())
        .collect();
    let ours: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap())
        .collect();
    assert_eq!(ours, blamed);
    assert!(csv.starts_with("line,commit,checkpoint\n1,"), "{csv}");
    assert_eq!(
        repo.evolve(&["lines", "HEAD", "nowhere"]).status.code(),
        Some(128)
    );
}

#[test]
fn lines_of_a_chain_count_its_checkpoints() {
    let repo = runs();
    let csv = repo.stdout(&[
        "lines",
        "evolve/exp/plain/1~2",
        "src/A.java",
        "--format",
        "csv",
    ]);
    let points: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|l| l.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(points, ["0", "0", "1", "1", "1", "0", "0", "0"]);
}

#[test]
fn a_file_that_cannot_be_read_has_no_number_of_lines() {
    let repo = small();
    repo.write("src/B.java", "class B {\0}\n");
    repo.commit("binary");
    let blob = repo.git(&["rev-parse", "HEAD:src/A.java"]);
    let (folder, file) = blob.trim().split_at(2);
    repo.remove(&format!(".git/objects/{folder}/{file}"));
    let done = repo.evolve(&["files", "--format", "csv"]);
    let csv = out(&done);
    assert!(
        csv.contains("src/A.java,java,production,,,,object missing"),
        "{csv}"
    );
    assert!(
        csv.contains("src/B.java,java,production,,,,binary content"),
        "{csv}"
    );
    let table = out(&repo.evolve(&["files"]));
    let row = table.lines().find(|l| l.starts_with("src/A.java")).unwrap();
    assert_eq!(row.matches('?').count(), 3, "{row}");
    let json = out(&repo.evolve(&["files", "--format", "json"]));
    assert_eq!(json.matches("\"lines\": null").count(), 2, "{json}");
}
