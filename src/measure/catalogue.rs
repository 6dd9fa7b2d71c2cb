//! The one registry of measures: every id, what it means, and the figure of a step.
//!
//! A measure is one entry in the file of its family; the list below only puts the families
//! in order.

use std::sync::LazyLock;

use crate::error::{Error, Result};

pub use super::definition::{
    Availability, Direction, Level, Measure, NOT_IN_THIS_VERSION, OF_WHOLE_CHAINS, Pool, Renames,
};
pub use super::evaluate::figure;
use super::{
    blast, breakage, chains, complexity, concentration, correctness, entropy, erosion, files,
    lines, packages, parent_tests, peaks, planned, process, progress, reedit, size, suite_coverage,
    surface,
};

/// Version of the definitions; stands in every output beside the figures.
pub const DEFINITIONS: &str = "1";

static ALL: LazyLock<Vec<Measure>> = LazyLock::new(|| {
    [
        blast::MEASURES,
        files::MEASURES,
        lines::MEASURES,
        packages::MEASURES,
        reedit::MEASURES,
        complexity::MEASURES,
        planned::WASTE,
        surface::MEASURES,
        entropy::MEASURES,
        planned::CHANGE,
        erosion::MEASURES,
        peaks::MEASURES,
        size::MEASURES,
        planned::STATE,
        concentration::MEASURES,
        correctness::MEASURES,
        breakage::MEASURES,
        progress::MEASURES,
        parent_tests::MEASURES,
        suite_coverage::MEASURES,
        chains::MEASURES,
        process::MEASURES,
        process::ALL_ATTEMPTS,
    ]
    .concat()
});

/// Every measure, in the order the documentation lists them.
pub fn all() -> &'static [Measure] {
    &ALL
}

/// Every family, in the order of the catalogue.
pub fn families() -> Vec<&'static str> {
    let mut families: Vec<&'static str> = Vec::new();
    for measure in all() {
        if !families.contains(&measure.family) {
            families.push(measure.family);
        }
    }
    families
}

/// The measure of an id or alias, in any letter case, with `-` for `_` where typed so.
pub fn find(id_or_alias: &str) -> Option<&'static Measure> {
    let word = plain(id_or_alias);
    let by_id = all().iter().find(|m| m.id == word);
    by_id.or_else(|| {
        all()
            .iter()
            .find(|m| m.aliases.iter().any(|a| plain(a) == word))
    })
}

/// The id, alias, family or level that `word` was most likely meant to be.
pub fn nearest(word: &str) -> Option<&'static str> {
    let word = plain(word);
    if word.is_empty() {
        return None;
    }
    let far = word.chars().count().div_ceil(3).max(1);
    vocabulary()
        .map(|known| (strsim::damerau_levenshtein(&word, &plain(known)), known))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
        .or_else(|| vocabulary().find(|known| word.len() > 2 && plain(known).contains(&word)))
}

/// The measures that `words` name: ids, aliases, families (`blast`), levels (`change`),
/// `primary` or `all`, separated by commas or blanks. Order as given, none twice.
///
/// # Errors
///
/// A usage error with the nearest known word, where a word names nothing or there is none.
pub fn select(words: &str) -> Result<Vec<&'static Measure>> {
    let mut chosen: Vec<&'static Measure> = Vec::new();
    let mut any = false;
    for word in words.split([',', ' ', '\t', '\n']).map(plain) {
        if word.is_empty() {
            continue;
        }
        any = true;
        let group: Vec<&'static Measure> = match find(&word) {
            Some(measure) => vec![measure],
            None => all().iter().filter(|m| is_in(m, &word)).collect(),
        };
        if group.is_empty() {
            return Err(unknown_word(&word));
        }
        for measure in group {
            if !chosen.iter().any(|m| m.id == measure.id) {
                chosen.push(measure);
            }
        }
    }
    if !any {
        return Err(Error::usage("no metric was named").with_hint(
            "name ids or families, separated by commas; `git evolve metrics` lists them",
        ));
    }
    Ok(chosen)
}

/// A word as it is compared: no blanks around it, lower case, `_` for `-`.
fn plain(word: &str) -> String {
    word.trim().to_ascii_lowercase().replace('-', "_")
}

fn is_in(measure: &Measure, word: &str) -> bool {
    word == "all"
        || (word == "primary" && measure.primary)
        || measure.family == word
        || measure.level.word() == word
}

/// Every word [`select`] knows: ids first, so that they win where two are equally near.
fn vocabulary() -> impl Iterator<Item = &'static str> {
    let ids = all().iter().map(|m| m.id);
    let aliases = all().iter().flat_map(|m| m.aliases.iter().copied());
    let levels = Level::ALL.into_iter().map(Level::word);
    ids.chain(aliases)
        .chain(families())
        .chain(levels)
        .chain(["all", "primary"])
}

fn unknown_word(word: &str) -> Error {
    let hint = match nearest(word) {
        Some(near) => format!("did you mean `{near}`? `git evolve metrics` lists them all"),
        None => "`git evolve metrics` lists them all".to_owned(),
    };
    Error::usage(format!("no such metric: {word}")).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn ids(level: Level, availability: Availability) -> String {
        let ids: Vec<&str> = all()
            .iter()
            .filter(|m| m.level == level && m.availability == availability)
            .map(|m| m.id)
            .collect();
        ids.join(" ")
    }

    #[test]
    fn these_are_the_measures_that_are_implemented() {
        assert_eq!(
            ids(Level::Change, Availability::Implemented),
            "existing_fns_modified fns_modified_in_old_files fns_reformatted fns_added \
             fns_deleted files_created files_deleted files_changed source_files_added \
             lines_added lines_removed lines_net churn test_lines_added test_lines_removed \
             churn_all other_files_changed other_churn packages_touched reedit_rate \
             reedit_rate_pc reedit_settled_rate net_cc net_cognitive hotspots public_added \
             change_entropy"
        );
        assert_eq!(
            ids(Level::State, Availability::Implemented),
            "erosion erosion_scoped erosion_extreme hotspot_cc wmc_max wmc_max_file entry_cc \
             fn_count fn_nloc_avg fn_nloc_max fn_cc_max loc loc_java loc_python loc_go fn_sloc \
             loc_yaml loc_config cc_gini cc_top20 churn_hot_share"
        );
        assert_eq!(
            ids(Level::Tests, Availability::Implemented),
            "outcome strict_pass iso_pass core_pass strict_pass_rate iso_pass_rate \
             core_pass_rate regressions unsatisfied_replacements true_regressions \
             true_regressions_declared nc_prev nc_initial fail_to_pass pass_to_pass \
             step2_regression_rate new_regression_test suite_line_coverage suite_branch_coverage"
        );
        assert_eq!(
            ids(Level::Process, Availability::Implemented),
            "cost_usd cost_priced_usd cost_gap input_tokens output_tokens cache_read_tokens \
             cache_creation_tokens reasoning_tokens num_turns attempts review_cycles \
             duration_ms duration_api_ms wall_ms wait_ms tool_calls redundant_reads wrong_turns \
             step_latency_p50 step_latency_p99 fixed_tokens task_tokens probe_recall first_try \
             cost_usd_all cost_priced_usd_all input_tokens_all output_tokens_all cache_read_tokens_all \
             cache_creation_tokens_all reasoning_tokens_all num_turns_all tool_calls_all \
             redundant_reads_all wrong_turns_all duration_ms_all duration_api_ms_all \
             wall_ms_all wait_ms_all"
        );
        assert_eq!(
            ids(Level::Chain, Availability::Implemented),
            "evoscore_strict evoscore_nc evoscore_nc_prev zero_regression_rate pass_at_1 \
             pass_at_k pass_hat_k ratio_to_reference on_front"
        );
    }

    #[test]
    fn these_are_the_measures_that_are_listed_and_not_implemented() {
        assert_eq!(
            ids(Level::Change, Availability::NotInThisVersion),
            "dead_introduced clones_introduced files_outside_scope changed_line_coverage \
             changed_branch_coverage redundant_added_tests added_tests_off_change \
             duplicated_test_lines"
        );
        assert_eq!(
            ids(Level::State, Availability::NotInThisVersion),
            "verbosity clone_lines pattern_lines verbosity_pc clone_lines_renamed"
        );
        assert_eq!(ids(Level::Tests, Availability::NotInThisVersion), "");
        assert_eq!(ids(Level::Chain, Availability::NotInThisVersion), "");
        assert_eq!(ids(Level::Process, Availability::NotInThisVersion), "");
        for measure in all() {
            assert_eq!(
                measure.compute.is_some() || measure.level == Level::Chain,
                measure.availability == Availability::Implemented,
                "{}",
                measure.id
            );
        }
    }

    fn that(holds: impl Fn(&Measure) -> bool) -> String {
        let ids: Vec<&str> = all().iter().filter(|m| holds(m)).map(|m| m.id).collect();
        ids.join(" ")
    }

    #[test]
    fn directions_windows_and_languages_are_as_the_definitions_say() {
        let now = |m: &Measure| m.compute.is_some();
        assert_eq!(
            that(|m| now(m) && m.direction == Direction::LowerIsBetter),
            "existing_fns_modified fns_modified_in_old_files packages_touched reedit_rate \
             reedit_rate_pc reedit_settled_rate net_cc net_cognitive hotspots change_entropy \
             erosion erosion_scoped erosion_extreme hotspot_cc wmc_max wmc_max_file entry_cc \
             cc_gini cc_top20 churn_hot_share regressions unsatisfied_replacements \
             true_regressions true_regressions_declared step2_regression_rate cost_usd \
             cost_priced_usd cache_read_tokens num_turns attempts review_cycles duration_ms \
             duration_api_ms wall_ms wait_ms redundant_reads wrong_turns step_latency_p50 \
             step_latency_p99 fixed_tokens cost_usd_all cost_priced_usd_all \
             cache_read_tokens_all num_turns_all redundant_reads_all wrong_turns_all \
             duration_ms_all duration_api_ms_all wall_ms_all wait_ms_all"
        );
        assert_eq!(
            that(|m| now(m) && m.direction == Direction::HigherIsBetter),
            "strict_pass iso_pass core_pass strict_pass_rate iso_pass_rate core_pass_rate nc_prev \
             nc_initial fail_to_pass pass_to_pass probe_recall first_try"
        );
        assert_eq!(
            that(|m| m.per_language),
            "net_cc net_cognitive erosion erosion_scoped erosion_extreme hotspot_cc wmc_max \
             wmc_max_file entry_cc fn_nloc_avg fn_nloc_max fn_cc_max fn_sloc cc_gini cc_top20"
        );
        assert_eq!(
            that(|m| m.windowed),
            "reedit_rate reedit_rate_pc reedit_settled_rate erosion_scoped hotspot_cc wmc_max \
             wmc_max_file churn_hot_share"
        );
        assert_eq!(that(|m| m.needs_entry), "entry_cc");
    }

    #[test]
    fn every_word_names_one_thing() {
        let mut seen = BTreeSet::new();
        for word in all()
            .iter()
            .flat_map(|m| std::iter::once(m.id).chain(m.aliases.iter().copied()))
        {
            assert!(seen.insert(plain(word)), "{word} twice");
        }
        for word in families()
            .into_iter()
            .chain(Level::ALL.map(Level::word))
            .chain(["all", "primary"])
        {
            assert!(seen.insert(word.to_owned()), "{word} twice");
        }
    }

    #[test]
    fn every_measure_is_described_in_whole_sentences() {
        for m in all() {
            assert!(
                m.id.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{}",
                m.id
            );
            for (what, text) in [("title", m.title), ("unit", m.unit), ("source", m.source)] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{} {what}", m.id);
            }
            for (what, text) in [
                ("definition", m.definition),
                ("edges", m.edges),
                ("reads_high", m.reads_high),
                ("blind_spot", m.blind_spot),
            ] {
                assert!(text.len() > 10 && text.ends_with('.'), "{} {what}", m.id);
                assert!(!text.contains("  "), "{} {what}: {text}", m.id);
            }
        }
    }

    #[test]
    fn a_measure_is_found_by_the_names_of_its_sources() {
        for (word, id) in [
            ("normalized_change", "nc_prev"),
            ("java_loc", "fn_sloc"),
            ("yaml_loc", "loc_yaml"),
            ("pass^k", "pass_hat_k"),
            ("pass@1", "pass_at_1"),
            ("ZRR", "zero_regression_rate"),
            ("Re-edit-rate", "reedit_rate"),
            (" net_cc ", "net_cc"),
        ] {
            assert_eq!(find(word).map(|m| m.id), Some(id), "{word}");
        }
        assert!(find("blast").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn the_nearest_word_is_offered_and_nothing_for_nonsense() {
        assert_eq!(nearest("chrun"), Some("churn"));
        assert_eq!(nearest("hotspot_c"), Some("hotspot_cc"));
        assert_eq!(nearest("pakages_touched"), Some("packages_touched"));
        assert_eq!(nearest("gini"), Some("cc_gini"));
        assert_eq!(nearest("stat"), Some("state"));
        assert_eq!(nearest("qqqqqqqq"), None);
        assert_eq!(nearest(""), None);
    }

    fn selected(words: &str) -> String {
        let chosen = select(words).expect("known words");
        let ids: Vec<&str> = chosen.iter().map(|m| m.id).collect();
        ids.join(" ")
    }

    #[test]
    fn words_select_in_the_order_given_and_nothing_twice() {
        assert_eq!(selected("churn, net_cc"), "churn net_cc");
        assert_eq!(
            selected("spread,churn,packages_touched"),
            "packages_touched change_entropy churn"
        );
        assert_eq!(
            selected("net_cc complexity"),
            "net_cc net_cognitive hotspots"
        );
        assert_eq!(select("all").expect("all").len(), all().len());
        let levels = select("change,state,tests,chain,process").expect("levels");
        assert_eq!(levels.len(), all().len());
        assert!(
            select("primary")
                .expect("primary")
                .iter()
                .all(|m| m.primary)
        );
    }

    #[test]
    fn a_word_that_names_nothing_is_a_usage_error_with_the_nearest() {
        let error = select("churn,net_c").expect_err("unknown");
        assert_eq!(error.kind(), crate::Kind::Usage);
        assert_eq!(error.to_string(), "no such metric: net_c");
        assert!(error.hint().expect("a hint").contains("`net_cc`"));
        let empty = select(" , ").expect_err("nothing named");
        assert_eq!(empty.to_string(), "no metric was named");
    }
}
