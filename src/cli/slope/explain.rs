//! `slope --explain`: which checkpoints drive a slope, and what changed there.

use std::collections::BTreeMap;

use crate::cli::output::say;
use crate::cli::session::{Done, Session};
use crate::cli::trends::{self, Group};
use crate::error::Result;
use crate::history::{FnChange, Functions, Language, Lines, Place};
use crate::measure::Value;
use crate::measure::catalogue::Measure;
use crate::report::{
    Change, Column, Field, Format, Grouping, List, Listing, SettingsValues, Stamp, counted, short,
    signed, write_listing,
};
use crate::stats::{Options, Share, Trend, ValueShare, trend, value_shares};

/// How many checkpoints are shown of the slope of one measure.
const TOP: usize = 10;
/// The same where several slopes are shown.
const TOP_EACH: usize = 3;
/// How many things that changed a table names.
const NAMED: usize = 3;

/// What is explained, and how much of it.
pub(super) struct Asked<'a> {
    /// The measures.
    pub measures: &'a [&'static Measure],
    /// What the groups are.
    pub grouping: Grouping,
    /// The groups.
    pub groups: &'a [Group<'a>],
    /// How many checkpoints are shown of each slope; 0: all.
    pub top: Option<usize>,
    /// By what it was made.
    pub stamp: &'a Stamp,
    /// The settings' values.
    pub settings: &'a SettingsValues,
    /// What a reader should know.
    pub remarks: &'a [String],
}

/// Prints the checkpoints that drive each slope, the one that adds most first.
///
/// # Errors
/// What the output says.
pub(super) fn print(
    session: &Session<'_>,
    asked: &Asked<'_>,
    format: crate::cli::args::FormatArgs,
) -> Result<Done> {
    let layout = session.output.layout(format);
    let for_people = matches!(layout.format, Format::Table | Format::Markdown);
    let top = match (asked.top, asked.measures.len()) {
        (Some(0), _) => usize::MAX,
        (Some(top), _) => top,
        (None, _) if !for_people => usize::MAX,
        (None, 1) => TOP,
        (None, _) => TOP_EACH,
    };
    let mut checkpoints = checkpoints_list(asked.grouping);
    let mut values = values_list(asked.grouping);
    let mut remarks: Vec<String> = Vec::new();
    let (mut without, mut all) = (0, 0);
    for measure in asked.measures {
        for (at, language, pile) in trends::piles(measure, asked.groups) {
            let language = language.map(Language::id);
            let group = &asked.groups[at];
            let trend = trend(&pile.series, &Options::default());
            let title = title(measure, language, &group.name, &trend);
            all += 1;
            if trend.slope.is_none() {
                without += usize::from(pile.unknown == pile.points);
                let why = pile.missing.keys().next();
                remarks.push(match why {
                    Some(why) => format!("{title}: {why}"),
                    None => title,
                });
                continue;
            }
            let of_values = value_shares(&pile.series, &trend);
            let mut shares = trend.shares.clone();
            shares.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
            let about = About {
                measure,
                language,
                group,
                trend: &trend,
                title: &title,
            };
            for share in shares.iter().take(top) {
                checkpoints.row(about.checkpoint(share, &of_values));
            }
            if shares.len() > top {
                let rest: f64 = shares[top..].iter().map(|s| s.share).sum();
                remarks.push(format!(
                    "{}: the other {} add {} together",
                    name(measure, language, &group.name),
                    counted((shares.len() - top) as u64, "checkpoint", "checkpoints"),
                    signed(rest)
                ));
            }
            for one in &of_values {
                values.row(about.value(one));
            }
        }
    }
    if checkpoints.is_empty() {
        say("no slope to explain");
    }
    let mut listing = Listing::new(asked.stamp.clone());
    listing.settings(asked.settings);
    listing.fact("by", asked.grouping.word());
    listing.list(checkpoints);
    if matches!(layout.format, Format::Json | Format::JsonLines) {
        listing.list(values);
    }
    remarks.push(
        "a share is (x − x̄)(y − ȳ) ÷ Σ(x − x̄)²: what the checkpoint adds to the slope; all of \
         them sum to it"
            .to_owned(),
    );
    for remark in remarks.iter().chain(asked.remarks) {
        listing.remark(remark.clone());
    }
    let mut out = Vec::new();
    write_listing(&mut out, &listing, layout)?;
    session.output.data(&out, layout.format)?;
    Ok(session.done(without, all))
}

fn checkpoints_list(grouping: Grouping) -> List {
    List::new("checkpoints", "")
        .column(Column::heading("slope_of"))
        .column(Column::machine("measure"))
        .column(Column::machine("language"))
        .column(Column::machine(group_key(grouping)))
        .column(Column::machine("slope"))
        .column(Column::right("share"))
        .column(Column::right("percent").titled("of it"))
        .column(Column::right("checkpoint").titled("at"))
        .column(Column::words("checkpoint_id").titled("id"))
        .column(Column::right("mean"))
        .column(Column::right("chains"))
        .column(Column::left("commit").titled("most by"))
        .column(Column::machine("chain"))
        .column(Column::machine("value"))
        .column(Column::below("changed"))
}

fn values_list(grouping: Grouping) -> List {
    List::new("values", "")
        .column(Column::machine("measure"))
        .column(Column::machine("language"))
        .column(Column::machine(group_key(grouping)))
        .column(Column::machine("chain"))
        .column(Column::machine("checkpoint"))
        .column(Column::machine("checkpoint_id"))
        .column(Column::machine("commit"))
        .column(Column::machine("value"))
        .column(Column::machine("share"))
        .column(Column::machine("changed"))
}

fn group_key(grouping: Grouping) -> &'static str {
    match grouping {
        Grouping::History => "group",
        other => other.word(),
    }
}

fn name(measure: &Measure, language: Option<&str>, group: &str) -> String {
    let language = language.map_or(String::new(), |l| format!(" ({l})"));
    match group {
        "" => format!("{}{language}", measure.id),
        group => format!("{}{language}, {group}", measure.id),
    }
}

fn title(measure: &Measure, language: Option<&str>, group: &str, trend: &Trend) -> String {
    let name = name(measure, language, group);
    match trend.slope {
        Some(slope) => format!(
            "{name}: {} a checkpoint ({} → {}, {})",
            signed(slope),
            trend.first.map_or(String::new(), |p| short(p.mean)),
            trend.last.map_or(String::new(), |p| short(p.mean)),
            counted(trend.chains as u64, "chain", "chains")
        ),
        None => format!("{name}: no slope"),
    }
}

/// One slope.
struct About<'a> {
    measure: &'static Measure,
    language: Option<&'static str>,
    group: &'a Group<'a>,
    trend: &'a Trend,
    title: &'a str,
}

impl About<'_> {
    fn checkpoint(&self, share: &Share, values: &[ValueShare]) -> Vec<Field> {
        let slope = self.trend.slope.unwrap_or_default();
        let point = self
            .trend
            .mean_curve
            .iter()
            .find(|p| p.index == share.index);
        let here = values.iter().filter(|v| v.index == share.index);
        // Of several equal ones the first by name.
        let most = here.fold(None, |most: Option<&ValueShare>, v| match most {
            Some(m) if m.share.abs() >= v.share.abs() => Some(m),
            _ => Some(v),
        });
        let change = most.and_then(|v| self.change(v));
        let commit = change.map(|c| c.step.commit.id.to_string());
        let several = self.trend.chains > 1;
        let shown = match (&commit, most) {
            (Some(_), Some(most)) if several => format!(
                "{} {} ({})",
                change.map_or(String::new(), |c| c.step.commit.id.short()),
                tail(&most.chain),
                short(most.value)
            ),
            (Some(_), _) => change.map_or(String::new(), |c| c.step.commit.id.short()),
            (None, _) => String::new(),
        };
        let changed = change.map_or_else(Vec::new, |c| what_changed(self.measure, c));
        let percent = (slope != 0.0).then(|| 100.0 * share.share / slope);
        let mut fields = vec![Field::from(self.title)];
        fields.extend(self.head());
        fields.extend([
            Field::from(slope),
            Field::from(share.share).shown_as(signed(share.share)),
            Field::from(percent).shown_as(percent.map_or(String::new(), |p| format!("{p:.0} %"))),
            Field::from(share.index),
            change.and_then(checkpoint_id).into(),
            Field::from(point.map(|p| p.mean))
                .shown_as(point.map_or(String::new(), |p| short(p.mean))),
            Field::from(point.map(|p| p.chains)),
            Field::from(commit).shown_as(shown),
            Field::from(most.map(|v| v.chain.clone())),
            Field::from(most.map(|v| v.value)),
            named(change, &changed),
        ]);
        fields
    }

    fn value(&self, one: &ValueShare) -> Vec<Field> {
        let change = self.change(one);
        let mut fields = self.head().to_vec();
        fields.extend([
            Field::from(one.chain.clone()),
            Field::from(one.index),
            change.and_then(checkpoint_id).into(),
            change.map(|c| c.step.commit.id.to_string()).into(),
            Field::from(one.value),
            Field::from(one.share),
            Field::words(change.map_or_else(Vec::new, |c| what_changed(self.measure, c))),
        ]);
        fields
    }

    fn head(&self) -> [Field; 3] {
        [
            Field::from(self.measure.id),
            Field::from(self.language),
            Field::from(self.group.name.as_str()),
        ]
    }

    /// The change a value is of.
    fn change(&self, of: &ValueShare) -> Option<&Change> {
        let line = self
            .group
            .lines
            .iter()
            .find(|(name, _)| *name == of.chain)?;
        let entry = line.1.iter().find(|e| e.index == of.index)?;
        Some(entry.change)
    }
}

/// The last part of a chain's name: its task and number.
fn tail(chain: &str) -> &str {
    let slash = chain.match_indices('/').nth(1);
    slash.map_or(chain, |(at, _)| &chain[at + 1..])
}

fn checkpoint_id(change: &Change) -> Option<String> {
    match &change.step.place {
        Place::Chain { checkpoint_id, .. } => Some(checkpoint_id.clone()),
        Place::Plain { .. } => Some(change.step.commit.subject().to_owned()),
    }
}

/// The first things that changed, and how many more there are.
fn named(change: Option<&Change>, changed: &[String]) -> Field {
    let all = Field::words(changed.iter().map(String::as_str));
    if change.is_none() || changed.is_empty() {
        return all;
    }
    let first = changed
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    all.shown_as(match changed.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    })
}

/// What a figure counted at a change: its items; else what it belongs to; else the functions
/// whose complexity moved, or the files that changed, the greatest first.
fn what_changed(measure: &Measure, change: &Change) -> Vec<String> {
    let Some(figure) = change.figure(measure.id) else {
        return Vec::new();
    };
    let counted = figure.items.iter();
    let counted = counted.filter(|i| !i.note.starts_with("not counted"));
    let items: Vec<String> = counted
        .map(|item| {
            let path = String::from_utf8_lossy(&item.path);
            match path.is_empty() {
                true => item.name.clone(),
                false => format!("{path}::{}", item.name),
            }
        })
        .collect();
    if !items.is_empty() {
        return items;
    }
    if let Value::Known(known) = &figure.value
        && let Some(name) = &known.name
    {
        return vec![name.clone()];
    }
    let functions = functions(measure, change);
    match functions.is_empty() {
        true => files(change),
        false => functions,
    }
}

/// Functions whose complexity moved, by how much.
fn functions(measure: &Measure, change: &Change) -> Vec<String> {
    let cognitive = measure.id.contains("cognitive");
    let moved = |f: &FnChange| {
        let of = |s: Option<crate::history::FnScore>| {
            s.map_or(0, |s| i64::from(if cognitive { s.cognitive } else { s.cc }))
        };
        of(f.after) - of(f.before)
    };
    let mut found: BTreeMap<String, i64> = BTreeMap::new();
    for edit in change.step.edits.iter().filter(|e| e.is_production()) {
        if let Functions::Read(evidence) = &edit.functions {
            let path = String::from_utf8_lossy(&edit.path);
            for f in &evidence.changes {
                *found.entry(format!("{path}::{}", f.name)).or_default() += moved(f);
            }
        }
    }
    greatest(found.into_iter().filter(|(_, by)| *by != 0).collect())
}

/// Production files by the lines that changed.
fn files(change: &Change) -> Vec<String> {
    let lines = |lines: &Lines| match lines {
        Lines::Counted(c) => Some(i64::from(c.added) + i64::from(c.removed)),
        _ => None,
    };
    let edits = change.step.edits.iter().filter(|e| e.is_production());
    let counted = edits.map(|e| {
        let path = String::from_utf8_lossy(&e.path).into_owned();
        (path, lines(&e.lines).unwrap_or(0))
    });
    let mut found: Vec<(String, i64)> = counted.collect();
    found.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    found
        .into_iter()
        .map(|(path, n)| match n {
            0 => path,
            n => format!("{path} {}", self::lines(n)),
        })
        .collect()
}

fn lines(n: i64) -> String {
    counted(n.unsigned_abs(), "line", "lines")
}

/// `path::name +4`, the greatest first.
fn greatest(mut found: Vec<(String, i64)>) -> Vec<String> {
    found.sort_by_key(|(_, by)| std::cmp::Reverse(by.abs()));
    found
        .into_iter()
        .map(|(name, by)| format!("{name} {by:+}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{greatest, tail};

    #[test]
    fn a_chain_is_shown_by_its_task_and_number() {
        assert_eq!(tail("demo/layered/1"), "1");
        assert_eq!(tail("demo/layered/shop/12"), "shop/12");
        assert_eq!(tail("demo/layered/1@abc1234"), "1@abc1234");
        assert_eq!(tail(""), "");
    }

    #[test]
    fn what_moved_most_comes_first_either_way() {
        let found = [("a", 1), ("b", -4), ("c", 2)].map(|(n, by)| (n.to_owned(), by));
        assert_eq!(greatest(found.to_vec()), ["b -4", "c +2", "a +1"]);
    }
}
