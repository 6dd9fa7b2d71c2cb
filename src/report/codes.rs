//! The codes that readers of foreign files give, in words.

/// What a warning, or a reason why a gate run is not valid, means; `None` for a code that is not
/// known here.
pub fn code(code: &str) -> Option<&'static str> {
    let (_, words) = CODES.iter().find(|(known, _)| *known == code)?;
    Some(words)
}

/// Codes in the order in which things go wrong: files first, then processes, then what they ran;
/// those without a place in it last, by name.
pub fn in_order<'c>(codes: impl IntoIterator<Item = &'c String>) -> Vec<&'c str> {
    let rank = |code: &str| ORDER.iter().position(|known| *known == code);
    let mut all: Vec<&str> = codes.into_iter().map(String::as_str).collect();
    all.sort_by_key(|code| (rank(code).unwrap_or(ORDER.len()), *code));
    all
}

const ORDER: [&str; 18] = [
    "setup-failed",
    "no-reports",
    "all-reports-stale",
    "dtd-refused",
    "truncated-report",
    "unreadable-report",
    "no-tests",
    "aborted-run",
    "forked-vm-crash",
    "class-started-not-finished",
    "classes-missing",
    "package-without-verdict",
    "timeout",
    "build-failed",
    "root-errors-without-testcase",
    "package-failed-without-tests",
    "collection-error",
    "suite-load-error",
];

const CODES: &[(&str, &str)] = &[
    // Of sessions.
    (
        "cache_split_unknown",
        "cached tokens are inside input and cannot be told apart",
    ),
    (
        "cache_ttl_unstated",
        "cache writes whose lifetime is not told, counted as written for five minutes",
    ),
    (
        "cost_covers_more",
        "the reported cost covers other files, too",
    ),
    (
        "duplicate_entries",
        "entries that were repeated were counted once",
    ),
    ("model_unknown", "no model is named"),
    ("no_result_line", "the stream stops without its result"),
    ("no_usage", "it has no token counts at all"),
    (
        "output_from_total",
        "output is the total less the prompt, since the output field leaves reasoning out",
    ),
    (
        "output_tokens_partial",
        "some messages have no final count, so output may be too low",
    ),
    (
        "output_tokens_unknown",
        "only counts from the start of messages were seen, so output is not known",
    ),
    (
        "price_step_unknown",
        "the prompt passes a price step, but calls cannot be told apart: base rates",
    ),
    (
        "reasoning_rate_unknown",
        "reasoning has a rate of its own, but how much of the output it was is not told",
    ),
    (
        "replayed_history",
        "entries copied from an earlier session were left out",
    ),
    ("truncated_last_line", "the last line is torn"),
    ("unfinished_step", "a step began and did not end"),
    (
        "usage_main_loop_only",
        "no totals by model: sub-agents and side calls are not in the tokens",
    ),
    (
        "context_1m",
        "a model was used with its context of a million tokens",
    ),
    (
        "cost_incomplete",
        "models that the agent has no prices for are not in the reported cost",
    ),
    (
        "counted_by_harness",
        "tokens, dollars and turns are those that the harness counted: the main loop's",
    ),
    (
        "counts_from_transcript",
        "calls and times are those of the whole log, not of the envelope's run",
    ),
    (
        "file_not_recognised",
        "a file beside the others is in no known format",
    ),
    (
        "objects_too_large",
        "objects over the size that is read were passed over",
    ),
    ("several_sessions", "the files tell of several sessions"),
    (
        "tokens_from_transcript",
        "tokens are those of the log: the envelope has not all",
    ),
    (
        "too_many_ids",
        "more distinct ids than are kept: what counts them is not known",
    ),
    (
        "transcript_cut",
        "the reduced transcript holds the first events only",
    ),
    (
        "unusable_figures",
        "figures that are none (negative, fractional, text) were left out",
    ),
    // Why a gate run is broken: a result.
    ("build-failed", "the change does not build"),
    (
        "collection-error",
        "tests could not be collected: a module does not import",
    ),
    (
        "package-failed-without-tests",
        "a package failed before any of its tests ran",
    ),
    (
        "root-errors-without-testcase",
        "the report counts errors that no test case tells of: something did not build",
    ),
    ("suite-load-error", "a file of tests could not be loaded"),
    // Why it is invalid: no verdict.
    ("aborted-run", "the run was cut short"),
    ("all-reports-stale", "every report is older than the run"),
    (
        "class-started-not-finished",
        "the console tells of a class that began and never ended",
    ),
    (
        "classes-missing",
        "classes whose tests passed at the last valid run are missing, and their files are still there",
    ),
    (
        "dtd-refused",
        "the XML declares entities, which are never expanded",
    ),
    (
        "forked-vm-crash",
        "the console tells of a test process that died",
    ),
    ("no-reports", "no report was found"),
    ("no-tests", "the reports hold no test"),
    (
        "package-without-verdict",
        "a package has no verdict: the stream stops",
    ),
    (
        "setup-failed",
        "a set-up command failed, and nothing was run",
    ),
    ("timeout", "the run was stopped by its time limit"),
    ("truncated-report", "a report is cut off or cannot be read"),
    ("unreadable-report", "a report cannot be read from the disk"),
    // Of test reports.
    ("summary-only", "the report has sums and no tests"),
    (
        "subtests-not-told",
        "of a test's subtests the report tells of the last alone",
    ),
    (
        "stopped-early",
        "the run stopped before all tests it had selected",
    ),
    (
        "duplicate-report-ignored",
        "a report that is there twice was counted once",
    ),
    ("benchmarks-only", "only benchmarks ran, which are no tests"),
    (
        "all-skipped",
        "every test was skipped: nothing was verified",
    ),
    (
        "cached-result",
        "results came from a cache: the tests did not run",
    ),
    (
        "duplicate-id",
        "several tests share an id; the worst outcome counts",
    ),
    (
        "encoding-fallback",
        "the bytes are not in the declared encoding",
    ),
    (
        "event-contradicts-package",
        "an event contradicts its package's verdict, which counts",
    ),
    (
        "exit-code-differs",
        "the exit status does not fit the outcomes",
    ),
    (
        "header-counts-differ",
        "the header's counts are not those of its test cases",
    ),
    (
        "id-scheme-changed",
        "ids are written in another way than before",
    ),
    (
        "invalid-xml-characters",
        "characters that XML forbids were replaced",
    ),
    ("non-json-lines", "lines that are no JSON were passed over"),
    (
        "not-a-test-report",
        "some files are no test reports and were left out",
    ),
    (
        "positional-ids",
        "tests are named by their position: a renamed one cannot be followed",
    ),
    (
        "rerun-collision-suspected",
        "a flaky test may be two tests of one name, of which one fails",
    ),
    (
        "stale-report-ignored",
        "reports older than the run were left out",
    ),
    (
        "test-without-verdict",
        "tests began and have no verdict of their own",
    ),
    ("unreadable-time", "a duration cannot be read"),
    ("worker-crash", "a worker process crashed and was replaced"),
    // Of coverage reports.
    ("unusable-path", "a path that can be no file's was left out"),
    (
        "file-without-lines",
        "files without line numbers: nothing is known of their lines",
    ),
    (
        "ambiguous-path",
        "a path of the report may be more than one file",
    ),
    (
        "class-without-file",
        "a class that names no file was left out",
    ),
    (
        "contexts-are-functions",
        "contexts name test functions, not single tests with their parameters",
    ),
    (
        "contexts-not-tests",
        "contexts that name no test were left out",
    ),
    (
        "cut-off",
        "the report is cut off; what comes before the cut is read",
    ),
    (
        "executed-lines-exceed-statements",
        "more lines are listed as executed than there are statements",
    ),
    (
        "matched-by-file-name",
        "a path was found by the file's name alone",
    ),
    (
        "unreadable-lines",
        "lines that are out of form were left out",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_code_stands_once_and_codes_of_the_samples_are_known() {
        let all: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(all.len(), CODES.len());
        assert!(ORDER.iter().all(|c| code(c).is_some()));
        let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/samples");
        let mut codes = BTreeSet::new();
        for folder in ["envelopes", "test-reports", "coverage"] {
            let folder = std::path::Path::new(samples).join(folder);
            for entry in std::fs::read_dir(folder).expect("samples").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if !name.ends_with(".expected.json") {
                    continue;
                }
                let bytes = std::fs::read(entry.path()).expect("read");
                let value: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
                for key in ["warnings", "reasons"] {
                    let list = value[key].as_array().into_iter().flatten();
                    codes.extend(list.filter_map(|c| c.as_str().map(str::to_owned)));
                }
            }
        }
        let unknown: Vec<_> = codes.iter().filter(|c| code(c).is_none()).collect();
        assert!(codes.len() > 30 && unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn each_code_is_explained_in_the_documentation() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/");
        let read = |name| std::fs::read_to_string(format!("{docs}{name}.md")).expect("a page");
        let pages = ["records", "sessions", "coverage"].map(read).concat();
        let lacking: Vec<&str> = CODES
            .iter()
            .map(|(code, _)| *code)
            .filter(|code| !pages.contains(&format!("`{code}`")))
            .collect();
        assert!(lacking.is_empty(), "{lacking:?}");
    }
}
