//! Very large reports, read as a stream: how much memory it takes beside what was read, and how
//! long. Each test runs alone, in a process of its own, since the peak is the process's:
//!
//! `cargo test --test main -- --ignored --nocapture --exact coverage_reports::size::NAME`

use std::io::{BufWriter, Write};
use std::time::Instant;

use git_evolve::intake::coverage;
use git_evolve::record::{FileCoverage, Opened, Reading};

/// A file of at least so many bytes, made of pieces.
fn written(bytes: u64, piece: &dyn Fn(u64) -> String) -> (tempfile::NamedTempFile, u64) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut to = BufWriter::new(file.as_file());
    let (mut length, mut number) = (0, 0);
    while length < bytes {
        let text = piece(number);
        to.write_all(text.as_bytes()).expect("written");
        length += text.len() as u64;
        number += 1;
    }
    to.flush().expect("written");
    drop(to);
    (file, length)
}

/// The most memory this process had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .expect("a peak");
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number")
}

fn reads(what: &str, bytes: u64, head: &str, piece: &dyn Fn(u64) -> String, tail: &str) {
    let (mut file, _) = written(bytes, &|n| match n {
        0 => head.to_owned() + &piece(0),
        n => piece(n),
    });
    file.write_all(tail.as_bytes()).expect("written");
    let before = peak();
    let begun = Instant::now();
    let mut opened = Opened {
        path: "x".to_owned(),
        modified: None,
        bytes: Box::new(file.reopen().expect("readable")),
    };
    let Reading::Read(map) = coverage::read(&mut opened, None) else {
        panic!("{what} is not read");
    };
    let (took, peak) = (begun.elapsed(), peak());
    let files = map.files.values();
    let ranges = |f: &FileCoverage| (f.covered.ranges().len() + f.missed.ranges().len()) as u64;
    let ranges: u64 = files.clone().map(ranges).sum();
    let branches = files.filter_map(|f| f.branches.as_ref());
    let branches: u64 = branches.map(|b| b.len() as u64).sum();
    // Eight bytes a range; a line of branches has 20, and the tree holds eleven in 232.
    let held = (8 * ranges + 22 * branches) / 1024;
    println!(
        "{what}: {} files, {} lines in {ranges} ranges, {branches} lines with branches; {:.1} s; peak \
         {} MiB, of it {} MiB before reading and {} MiB what was read",
        map.files.len(),
        map.totals().executable,
        took.as_secs_f64(),
        peak / 1024,
        before / 1024,
        held / 1024,
    );
    assert!(peak - held < 64 * 1024, "{what}: {peak} KiB");
}

#[test]
#[ignore = "writes 50 MB, and measures the process it runs in: run it alone"]
fn cobertura_of_50_mb_is_read_in_64_mib() {
    let class = |n: u64| {
        let mut text = format!(
            "<package name=\"p{n}\"><classes><class name=\"C\" filename=\"src/p{n}/file{n}.py\"><methods/><lines>\n"
        );
        for line in 1..400 {
            let hits = u64::from(line % 17 > 3);
            let branch = if line % 5 == 0 {
                " branch=\"true\" condition-coverage=\"50% (1/2)\""
            } else {
                ""
            };
            text += &format!("\t\t\t\t\t\t<line number=\"{line}\" hits=\"{hits}\"{branch}/>\n");
        }
        text + "</lines></class></classes></package>\n"
    };
    reads(
        "cobertura",
        50_000_000,
        "<coverage><packages>",
        &class,
        "</packages></coverage>",
    );
}

#[test]
#[ignore = "writes 50 MB, and measures the process it runs in: run it alone"]
fn jacoco_of_50_mb_is_read_in_64_mib() {
    let package = |n: u64| {
        let mut text = format!(
            "<package name=\"org/p{n}\"><class name=\"org/p{n}/A\" sourcefilename=\"A.java\"><method name=\"m\" desc=\"()V\" line=\"3\"><counter type=\"LINE\" missed=\"0\" covered=\"1\"/></method></class><sourcefile name=\"A.java\">"
        );
        for line in 1..400 {
            let (mi, mb) = (u64::from(line % 7 == 0), 2 * u64::from(line % 9 == 0));
            text += &format!(
                "<line nr=\"{line}\" mi=\"{mi}\" ci=\"{}\" mb=\"{mb}\" cb=\"0\"/>",
                line % 13
            );
        }
        text + "</sourcefile></package>"
    };
    reads(
        "jacoco",
        50_000_000,
        "<report name=\"x\"><sessioninfo/>",
        &package,
        "</report>",
    );
}

/// A record of LCOV, as of C code.
fn record(test: &str, file: u64, hit: u64) -> String {
    let mut text = format!("TN:{test}\nSF:/build/src/dir{}/file{file}.c\n", file % 100);
    for line in 1..1000 {
        if line % 40 == 1 {
            text += &format!("FN:{line},function_{line}\nFNDA:{hit},function_{line}\n");
        }
        if line % 6 == 0 {
            text += &format!("BRDA:{line},0,0,{hit}\nBRDA:{line},0,1,{}\n", line % 4);
        }
        if line % 11 != 0 {
            text += &format!("DA:{line},{}\n", (line / 23 + hit) % 3 * 7);
        }
    }
    text + "LF:900\nLH:700\nend_of_record\n"
}

#[test]
#[ignore = "writes 200 MB, and measures the process it runs in: run it alone"]
fn lcov_of_200_mb_of_one_run_is_read_in_64_mib() {
    reads(
        "lcov, one run",
        200_000_000,
        "",
        &|n| record("", n, n % 3),
        "",
    );
}

#[test]
#[ignore = "writes 200 MB, and measures the process it runs in: run it alone"]
fn lcov_of_200_mb_of_a_hundred_tests_is_read_in_64_mib() {
    reads(
        "lcov, tests",
        200_000_000,
        "",
        &|n| record(&format!("test{}", n / 120), n % 120, n % 3),
        "",
    );
}

#[test]
#[ignore = "writes 200 MB, and measures the process it runs in: run it alone"]
fn a_go_profile_of_200_mb_is_read_in_64_mib() {
    let binary = |n: u64| {
        let mut text = String::new();
        for block in 0..2000 {
            let first = 1 + block * 3 % 900;
            text += &format!(
                "example.com/shop/p{}/f.go:{first}.{},{}.3 2 {}\n",
                block % 60,
                2 + block % 7,
                first + 2,
                (block + n) % 4
            );
        }
        text
    };
    reads("go", 200_000_000, "mode: count\n", &binary, "");
}

#[test]
#[ignore = "writes 200 MB, and measures the process it runs in: run it alone"]
fn json_of_coverage_py_of_200_mb_is_read_in_64_mib() {
    let file = |n: u64| {
        let mut text = format!(
            "{}\"src/m{n}.py\": {{\"executed_lines\": [",
            if n == 0 { "" } else { ",\n" }
        );
        let all: Vec<String> = (1..300).map(|n: u64| n.to_string()).collect();
        text += &all.join(", ");
        text += "], \"missing_lines\": [900], \"excluded_lines\": [], \"contexts\": {";
        for line in 1..300 {
            let tests = (0..20).map(|t| format!("\"tests/test_m{}.py::test_{t}|run\"", n % 30));
            let tests: Vec<String> = tests.filter(|_| line % 9 > 0).collect();
            text += &format!(
                "{}\"{line}\": [{}]",
                if line == 1 { "" } else { "," },
                tests.join(", ")
            );
        }
        text + "}}"
    };
    reads(
        "coverage.py",
        200_000_000,
        "{\"meta\": {}, \"files\": {",
        &file,
        "}}",
    );
}
