//! Figures from elsewhere: a long CSV table turned into series.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use super::args::Global;
use super::habits::Habits;
use super::output::{Output, say};
use super::series::WORDS;
use super::session::{Done, directory};
use super::slope::{SlopeArgs, foreign_stamp};
use super::trends::{NamedPile, Pile, compared, direction};
use crate::error::{Error, Result};
use crate::measure::catalogue;
use crate::report::{Grouping, SettingsValues, SlopeView, write_slopes};
use crate::stats::{Direction, Observation, group};

/// A larger table is refused.
const MAX: u64 = 1 << 30;
/// Bad rows named before the rest is only counted.
const NAMED: usize = 10;

/// `slope --data FILE`.
///
/// # Errors
/// A usage error that names each bad row's line and what is wrong with it.
pub(super) fn run(global: &Global, args: &SlopeArgs, file: &Path) -> Result<Done> {
    let (name, bytes) = read(global, file)?;
    let rows = parse(&name, &bytes)?;
    let chosen = match &args.metrics.metrics {
        Some(words) => Some(chosen(words, &rows)?),
        None => None,
    };
    let mut by_measure: BTreeMap<(String, String), Vec<Row>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for row in rows {
        if chosen.as_ref().is_some_and(|c| !c.contains(&row.metric)) {
            continue;
        }
        if !order.contains(&row.metric) {
            order.push(row.metric.clone());
        }
        let key = (row.metric.clone(), row.language.clone());
        by_measure.entry(key).or_default().push(row);
    }
    let mut slopes = Vec::new();
    let mut named: Vec<(String, Vec<NamedPile>)> = Vec::new();
    for metric in &order {
        let languages = by_measure.iter().filter(|((m, _), _)| m == metric);
        for ((_, language), rows) in languages {
            let language = (!language.is_empty()).then_some(language.as_str());
            let mut piles = Vec::new();
            for (arm, pile) in piles_of(rows) {
                slopes.push(pile.row(&arm, metric, language, way(metric)));
                piles.push(NamedPile {
                    group: arm,
                    language: language.map(str::to_owned),
                    series: pile.series,
                });
            }
            named.push((metric.clone(), piles));
        }
    }
    let armless = slopes.iter().all(|r| r.group.is_empty());
    let comparisons = compared(named.into_iter());
    let stamp = foreign_stamp();
    let view = SlopeView {
        stamp: &stamp,
        settings: &SettingsValues::new(),
        grouping: if armless {
            Grouping::History
        } else {
            Grouping::Arm
        },
        rows: &slopes,
        comparisons: &comparisons,
        remarks: &[],
    };
    let output = Output::new(global, &Habits::default());
    let mut out = Vec::new();
    write_slopes(&mut out, view, output.layout(args.format))?;
    output.data(&out, output.layout(args.format).format)?;
    if slopes.is_empty() {
        say(&format!("{name}: no rows"));
    }
    let unknown = slopes.iter().filter(|r| r.all_unknown).count();
    let all = !slopes.is_empty() && unknown == slopes.len();
    Ok(if all || unknown > 0 && global.strict {
        Done::Unknown
    } else {
        Done::Well
    })
}

/// Which way of a measure is the good one; foreign measures only describe.
fn way(metric: &str) -> Direction {
    catalogue::find(metric).map_or(Direction::Descriptive, |m| direction(m.direction))
}

/// The measures that `words` name: names as they stand in the data, or the catalogue's.
fn chosen(words: &str, rows: &[Row]) -> Result<BTreeSet<String>> {
    let there: BTreeSet<&str> = rows.iter().map(|r| r.metric.as_str()).collect();
    let mut chosen = BTreeSet::new();
    for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        if word == "all" {
            chosen.extend(there.iter().map(|m| (*m).to_owned()));
        } else if there.contains(word) {
            chosen.insert(word.to_owned());
        } else {
            let known = catalogue::select(word)?;
            let known: Vec<_> = known.iter().filter(|m| there.contains(m.id)).collect();
            if known.is_empty() {
                let there: Vec<&str> = there.iter().copied().collect();
                return Err(Error::usage(format!("no figures of {word} in the data"))
                    .with_hint(format!("it holds {}", there.join(", "))));
            }
            chosen.extend(known.iter().map(|m| m.id.to_owned()));
        }
    }
    Ok(chosen)
}

fn read(global: &Global, file: &Path) -> Result<(String, Vec<u8>)> {
    let name = match file.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => file.display().to_string(),
    };
    let wrong = |e: std::io::Error| Error::usage(format!("reading {name}: {e}"));
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(MAX + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(directory(global).join(file))
            .and_then(|f| f.take(MAX + 1).read_to_end(&mut bytes))
    };
    read.map_err(wrong)?;
    if bytes.len() as u64 > MAX {
        return Err(Error::usage(format!("{name} is larger than 1 GiB")));
    }
    Ok((name, bytes))
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    arm: String,
    chain: String,
    checkpoint: f64,
    metric: String,
    language: String,
    value: Option<f64>,
    /// Of a row without a value: whether it is unknown, and why.
    unknown: bool,
    reason: String,
}

/// Series by arm.
fn piles_of(rows: &[Row]) -> BTreeMap<String, Pile> {
    let observations = rows.iter().map(|r| Observation {
        arm: r.arm.clone(),
        chain: r.chain.clone(),
        index: r.checkpoint,
        value: r.value,
    });
    let mut piles: BTreeMap<String, Pile> = group(observations)
        .into_iter()
        .map(|(arm, series)| {
            let pile = Pile {
                series,
                ..Pile::default()
            };
            (arm, pile)
        })
        .collect();
    for row in rows {
        if let Some(pile) = piles.get_mut(&row.arm) {
            pile.points += 1;
            if row.value.is_none() {
                pile.unknown += usize::from(row.unknown);
                *pile.missing.entry(row.reason.clone()).or_default() += 1;
            }
        }
    }
    piles
}

/// Where each column stands.
struct Columns {
    experiment: Option<usize>,
    arm: Option<usize>,
    task: Option<usize>,
    chain: usize,
    checkpoint: usize,
    metric: usize,
    language: Option<usize>,
    value: usize,
    state: Option<usize>,
    reason: Option<usize>,
}

impl Columns {
    fn find(name: &str, head: &csv::StringRecord) -> Result<Columns> {
        let at = |column: &str| head.iter().position(|h| h.trim() == column);
        let need = |column: &str| {
            at(column).ok_or_else(|| {
                Error::usage(format!("{name}:1: no column '{column}'")).with_hint(
                    "the first line names the columns: arm,chain,checkpoint,metric,value, or \
                     those of `git evolve log --format csv`",
                )
            })
        };
        Ok(Columns {
            experiment: at("experiment"),
            arm: at("arm"),
            task: at("task"),
            chain: need("chain")?,
            checkpoint: need("checkpoint")?,
            metric: need("metric")?,
            language: at("language"),
            value: need("value")?,
            state: at("state"),
            reason: at("reason"),
        })
    }

    fn row(&self, record: &csv::StringRecord) -> std::result::Result<Row, String> {
        let field = |at: Option<usize>| at.and_then(|i| record.get(i)).unwrap_or("").trim();
        let checkpoint = field(Some(self.checkpoint));
        let number: f64 = checkpoint
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite())
            .ok_or_else(|| format!("checkpoint '{checkpoint}' is no number"))?;
        let metric = field(Some(self.metric));
        if metric.is_empty() {
            return Err("no metric".to_owned());
        }
        let text = field(Some(self.value));
        let state = field(self.state);
        let value = match text {
            "" => None,
            // A word where a measure has no size.
            text if state == "known" && text.parse::<f64>().is_err() => None,
            text => Some(
                text.parse()
                    .ok()
                    .filter(|n: &f64| n.is_finite())
                    .ok_or_else(|| format!("value '{text}' is no number"))?,
            ),
        };
        let word = state == "known" && value.is_none() && !text.is_empty();
        match (state, value) {
            ("known", None) if !word => {
                return Err("state is known, and there is no value".to_owned());
            }
            ("undefined" | "unknown", Some(_)) => {
                return Err(format!("state is {state}, and there is a value"));
            }
            ("" | "known" | "undefined" | "unknown", _) => {}
            _ => {
                return Err(format!(
                    "state '{state}' is none of known, undefined, unknown"
                ));
            }
        }
        let reason = match field(self.reason) {
            _ if word => WORDS,
            "" => "no value",
            reason => reason,
        };
        let joined = |parts: [&str; 2]| {
            let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
            parts.join("/")
        };
        Ok(Row {
            arm: joined([field(self.experiment), field(self.arm)]),
            chain: joined([field(self.task), field(Some(self.chain))]),
            checkpoint: number,
            metric: metric.to_owned(),
            language: field(self.language).to_owned(),
            value,
            unknown: state != "undefined" && !word,
            reason: reason.to_owned(),
        })
    }
}

/// Reads the table.
fn parse(name: &str, bytes: &[u8]) -> Result<Vec<Row>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let head = reader.headers().map_err(|e| malformed(name, &e))?.clone();
    if head.iter().all(|h| h.trim().is_empty()) {
        return Err(Error::usage(format!("{name} is empty"))
            .with_hint("the first line names the columns: arm,chain,checkpoint,metric,value"));
    }
    let columns = Columns::find(name, &head)?;
    let mut rows = Vec::new();
    let mut wrong: Vec<(u64, String)> = Vec::new();
    let mut seen = BTreeSet::new();
    for record in reader.records() {
        let record = record.map_err(|e| malformed(name, &e))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != head.len() {
            wrong.push((
                line,
                format!("{} fields instead of {}", record.len(), head.len()),
            ));
            continue;
        }
        match columns.row(&record) {
            Err(what) => wrong.push((line, what)),
            Ok(row) => {
                let place = (
                    row.arm.clone(),
                    row.chain.clone(),
                    row.checkpoint.to_bits(),
                    row.metric.clone(),
                    row.language.clone(),
                );
                if seen.insert(place) {
                    rows.push(row);
                } else {
                    wrong.push((
                        line,
                        format!(
                            "a second value of {} at checkpoint {} of chain '{}'",
                            row.metric, row.checkpoint, row.chain
                        ),
                    ));
                }
            }
        }
    }
    if wrong.is_empty() {
        return Ok(one_experiment(rows));
    }
    let named: Vec<String> = wrong
        .iter()
        .take(NAMED)
        .map(|(line, what)| format!("{name}:{line}: {what}"))
        .collect();
    let error = Error::usage(named.join("\n"));
    Err(match wrong.len() - named.len() {
        0 => error,
        more => error.with_hint(format!("and {more} more bad rows")),
    })
}

/// Arms without their experiment where all are of one.
fn one_experiment(mut rows: Vec<Row>) -> Vec<Row> {
    let experiment = |r: &Row| r.arm.split_once('/').map(|(e, _)| e.to_owned());
    let Some(first) = rows.first().and_then(experiment) else {
        return rows;
    };
    if rows.iter().all(|r| experiment(r).as_ref() == Some(&first)) {
        for row in &mut rows {
            row.arm = row.arm[first.len() + 1..].to_owned();
        }
    }
    rows
}

fn malformed(name: &str, error: &csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Error::usage(format!("{name}:{line}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_table_are_read() {
        let short = parse("f", b"arm,chain,checkpoint,metric,value\na,1,2,m,0.5\n").expect("read");
        assert_eq!((short[0].arm.as_str(), short[0].value), ("a", Some(0.5)));
        let tidy = b"experiment,arm,task,chain,checkpoint,commit,metric,language,value,num,den,state,reason\n\
            e,a,t,1,1,c,m,java,,,,unknown,\"cut, here\"\n";
        let tidy = parse("f", tidy).expect("read");
        assert_eq!(tidy[0].arm, "a");
        assert_eq!(tidy[0].chain, "t/1");
        assert_eq!((tidy[0].value, tidy[0].unknown), (None, true));
        assert_eq!(tidy[0].reason, "cut, here");
    }

    #[test]
    fn bad_rows_are_named_by_line_all_of_them() {
        let error = parse(
            "f.csv",
            b"arm,chain,checkpoint,metric,value\na,1,x,m,1\na,1,2,m,y\na,1\na,1,3,m,1\na,1,3,m,2\n",
        )
        .expect_err("bad");
        assert_eq!(error.kind(), crate::Kind::Usage);
        insta::assert_snapshot!(error.to_string(), @r"
        f.csv:2: checkpoint 'x' is no number
        f.csv:3: value 'y' is no number
        f.csv:4: 2 fields instead of 5
        f.csv:6: a second value of m at checkpoint 3 of chain '1'
        ");
    }

    #[test]
    fn a_missing_column_is_named() {
        let error = parse("f", b"arm,chain,checkpoint,value\n").expect_err("bad");
        assert_eq!(error.to_string(), "f:1: no column 'metric'");
    }
}
