//! Micro-benchmarks of the hot paths: `cargo bench`. Prints the median of many runs; compare two
//! builds on one quiet machine, not figures of two machines.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use git_evolve::repo::LineDiffer;
use git_evolve::syntax::{Analyser, Language, LineEdit, Profile};

const SOURCES: [(&str, Language, &str); 3] = [
    (
        "java",
        Language::Java,
        include_str!("../fixtures/sources/java/Cognitive.java"),
    ),
    (
        "python",
        Language::Python,
        include_str!("../fixtures/sources/python/cognitive_cases.py"),
    ),
    (
        "go",
        Language::Go,
        include_str!("../fixtures/sources/go/cognitive.go"),
    ),
];

/// Median nanoseconds of one call, over enough calls to fill a tenth of a second or so.
fn median(mut work: impl FnMut()) -> u128 {
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < 15 || (begin.elapsed().as_millis() < 200 && times.len() < 2_000) {
        let start = Instant::now();
        work();
        times.push(start.elapsed().as_nanos());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

#[expect(clippy::print_stdout, reason = "a benchmark reports what it measured")]
fn report(what: &str, nanoseconds: u128, bytes: usize) {
    let rate = bytes as u128 * 1_000 / nanoseconds.max(1);
    println!("{what:44} {:>10} ns {rate:>6} MB/s", nanoseconds);
}

fn main() {
    for (name, language, unit) in SOURCES {
        let old: Arc<[u8]> = Arc::from(unit.as_bytes());
        let mut lines: Vec<&str> = unit.split_inclusive('\n').collect();
        let middle = lines.len() / 2;
        let blank = "\n";
        lines.insert(middle, blank);
        let new: Arc<[u8]> = Arc::from(lines.concat().as_bytes());
        let Ok(mut analyser) = Analyser::new(Profile::Lizard) else {
            return;
        };
        report(
            &format!("{name}: parse and walk from scratch"),
            median(|| {
                black_box(analyser.analyse(language, &old));
            }),
            old.len(),
        );
        let version = analyser.analyse(language, &old);
        let at = u32::try_from(middle).unwrap_or(0);
        let edit = LineEdit {
            old_start: at,
            old_len: 0,
            new_start: at,
            new_len: 1,
        };
        report(
            &format!("{name}: the same from its neighbour's tree"),
            median(|| {
                black_box(analyser.reanalyse(&version, &[edit], &new));
            }),
            new.len(),
        );
        let mut differ = LineDiffer::new();
        report(
            &format!("{name}: line hunks, one line inserted"),
            median(|| {
                black_box(differ.hunks(&old, &new));
            }),
            old.len() + new.len(),
        );
        let mut shuffled: Vec<&str> = unit.split_inclusive('\n').collect();
        shuffled.rotate_left(middle);
        let far: Vec<u8> = shuffled.concat().into_bytes();
        report(
            &format!("{name}: line hunks, halves swapped"),
            median(|| {
                black_box(differ.hunks(&old, &far));
            }),
            old.len() + far.len(),
        );
    }
}
