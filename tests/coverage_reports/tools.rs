//! Reports of real tools, against what the tools themselves make of them: what
//! `tests/scripts/coverage-tools.sh` leaves in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use git_evolve::record::{CoverageMap, LineSet, TreeFacts};

use super::map;

/// A part of the folder, where its tool was there, with its files as the tree.
fn part(name: &str) -> Option<(PathBuf, TreeFacts)> {
    let folder = std::env::var_os("COVERAGE_TOOLS").expect("COVERAGE_TOOLS names the folder");
    let folder = Path::new(&folder).join(name);
    let mut paths = Vec::new();
    files(&folder, &folder, &mut paths);
    if paths.is_empty() {
        println!("{name}: not there");
        return None;
    }
    paths.sort();
    let go_mod = paths.iter().filter(|p| p.ends_with("go.mod"));
    let text = |p: &String| std::fs::read_to_string(folder.join(p)).expect("readable");
    let tree = TreeFacts {
        go_mod: go_mod.map(|p| (p.clone(), text(p))).collect(),
        build_root: folder.to_str().map(str::to_owned),
        paths,
    };
    Some((folder, tree))
}

fn files(root: &Path, folder: &Path, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let name = path
            .strip_prefix(root)
            .expect("inside")
            .to_str()
            .expect("utf-8")
            .to_owned();
        match path.is_dir() {
            true => files(root, &path, into),
            false => into.push(name),
        }
    }
}

fn read(folder: &Path, name: &str, tree: &TreeFacts) -> CoverageMap {
    let found = map(
        &std::fs::read(folder.join(name)).expect("a report"),
        Some(tree),
    );
    assert_eq!(found.unmapped, BTreeSet::new(), "{name}");
    assert_eq!(found.warnings, BTreeSet::new(), "{name}");
    found
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("what the tool says")
}

/// All branches taken, and all there are.
fn branches(map: &CoverageMap) -> (u64, u64) {
    let all = map.files.values().filter_map(|f| f.branches.as_ref());
    let all = all.flat_map(BTreeMap::values);
    all.fold((0, 0), |(a, b), (taken, total)| (a + taken, b + total))
}

#[test]
#[ignore = "reads what tests/scripts/coverage-tools.sh left in COVERAGE_TOOLS"]
fn coverage_py_reports_the_lines_that_are_read_in_each_of_its_formats() {
    let Some((folder, tree)) = part("py") else {
        return;
    };
    let report = text(&folder, "report.txt");
    let total = report
        .lines()
        .find(|l| l.starts_with("TOTAL"))
        .expect("a total");
    let told: Vec<u64> = total
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    let maps = ["coverage.json", "coverage.xml", "coverage.info"].map(|n| read(&folder, n, &tree));
    for found in &maps {
        let totals = found.totals();
        assert_eq!(totals.executable, told[0], "{}", found.format);
        assert_eq!(
            totals.executable - totals.covered,
            told[1],
            "{}",
            found.format
        );
        assert_eq!(branches(found).1, told[2], "{}", found.format);
        assert_eq!(totals.partial, told[3], "{}", found.format);
        let (file, first) = (
            &found.files["src/shop/cart.py"],
            &maps[0].files["src/shop/cart.py"],
        );
        assert_eq!(
            (&file.covered, &file.missed),
            (&first.covered, &first.missed)
        );
        assert_eq!(
            (&file.partial, &file.branches),
            (&first.partial, &first.branches)
        );
    }
    // Each test of the test report that touches the sources has its lines, under its id there.
    let junit = text(&folder, "junit.xml");
    let case =
        regex::Regex::new("<testcase classname=\"([^\"]*)\" name=\"([^\"]*)\"").expect("valid");
    let ids: BTreeSet<String> = case
        .captures_iter(&junit)
        .map(|c| format!("{}::{}", &c[1], &c[2]))
        .collect();
    let per_test = maps[0].per_test.as_ref().expect("contexts");
    assert_eq!(per_test.keys().cloned().collect::<BTreeSet<_>>(), ids);
    let loading = maps[0].import_only.as_ref().expect("contexts");
    let tests = per_test
        .values()
        .filter_map(|files| files.get("src/shop/cart.py"));
    let tests = tests.fold(LineSet::default(), |all, lines| all.union(lines));
    let all = tests.union(&loading["src/shop/cart.py"]);
    assert_eq!(all, maps[0].files["src/shop/cart.py"].covered);
}

#[test]
#[ignore = "reads what tests/scripts/coverage-tools.sh left in COVERAGE_TOOLS"]
fn functions_that_go_calls_covered_or_not_are_so_line_by_line() {
    let Some((folder, tree)) = part("go") else {
        return;
    };
    let maps = ["set.out", "count.out", "atomic.out"].map(|name| read(&folder, name, &tree));
    assert!(maps.iter().all(|map| map.files == maps[0].files));
    let mut functions = BTreeMap::<String, Vec<(u32, f64)>>::new();
    for line in text(&folder, "func.txt")
        .lines()
        .filter(|l| !l.starts_with("total"))
    {
        let mut words = line.split_whitespace();
        let mut place = words.next().expect("a place").split(':');
        let path = place
            .next()
            .and_then(|p| p.strip_prefix("example.com/shop/"))
            .expect("a path");
        let first = place.next().and_then(|n| n.parse().ok()).expect("a line");
        let share = words
            .last()
            .and_then(|w| w.strip_suffix('%')?.parse().ok())
            .expect("a share");
        functions
            .entry(path.to_owned())
            .or_default()
            .push((first, share));
    }
    for (path, functions) in &functions {
        let file = &maps[1].files[path];
        for (i, (first, share)) in functions.iter().enumerate() {
            let last = functions.get(i + 1).map_or(u32::MAX, |(next, _)| next - 1);
            let body = LineSet::from_ranges(vec![(*first, last)]);
            let (hit, missed) = (
                body.intersection(&file.covered),
                body.intersection(&file.missed),
            );
            assert!(!hit.is_empty() || !missed.is_empty());
            assert_eq!(*share == 0.0, hit.is_empty(), "{path}:{first}");
            let partial = body.intersection(&file.partial);
            assert_eq!(
                *share == 100.0,
                missed.is_empty() && partial.is_empty(),
                "{path}:{first}"
            );
        }
    }
}

#[test]
#[ignore = "reads what tests/scripts/coverage-tools.sh left in COVERAGE_TOOLS"]
fn lcov_sums_up_what_is_read() {
    let Some((folder, tree)) = part("lcov") else {
        return;
    };
    let found = read(&folder, "all.info", &tree);
    let summary = text(&folder, "summary.txt");
    let of = |what: &str| {
        let line = summary
            .lines()
            .find(|l| l.trim().starts_with(what))
            .expect("a sum");
        let numbers = regex::Regex::new(r"\((\d+) of (\d+)").expect("valid");
        let found = numbers.captures(line).expect("numbers");
        (
            found[1].parse::<u64>().expect("a number"),
            found[2].parse::<u64>().expect("a number"),
        )
    };
    let totals = found.totals();
    assert_eq!((totals.covered, totals.executable), of("lines"));
    assert_eq!(branches(&found), of("branches"));
    // Tests apart, and joined again.
    let parts = ["one.info", "two.info"].map(|name| read(&folder, name, &tree));
    let joined = parts[0].joined(&parts[1]);
    assert_eq!(joined.per_test, found.per_test);
    assert_eq!(joined.totals().covered, totals.covered);
}

#[test]
#[ignore = "reads what tests/scripts/coverage-tools.sh left in COVERAGE_TOOLS"]
fn jacoco_counts_the_lines_and_branches_that_are_read() {
    let Some((folder, tree)) = part("jacoco") else {
        return;
    };
    let report = text(&folder, "jacoco.xml");
    // Counts of lines in its header are compared by the reader; it would warn.
    let found = read(&folder, "jacoco.xml", &tree);
    let of = |what: &str| {
        let counter = format!("<counter type=\"{what}\" missed=\"(\\d+)\" covered=\"(\\d+)\"/>");
        let counter = regex::Regex::new(&counter).expect("valid");
        let last = counter.captures_iter(&report).last().expect("a counter");
        let number = |i: usize| last[i].parse::<u64>().expect("a number");
        (number(2), number(1) + number(2))
    };
    let totals = found.totals();
    assert_eq!((totals.covered, totals.executable), of("LINE"));
    assert_eq!(branches(&found), of("BRANCH"));
    let paths: Vec<&String> = found.files.keys().collect();
    let text = "core/src/main/java/org/example/Text.java";
    assert_eq!(paths, ["api/src/main/java/org/example/Main.java", text]);
}
