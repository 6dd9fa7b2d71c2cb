//! The functions that grew most.

use std::collections::BTreeMap;

use super::{
    By, Code, FUNCTIONS, Followable, HotArgs, LAST, Score, base, chain_named, of_chain, of_range,
};
use crate::cli::groups;
use crate::cli::measured::Measuring;
use crate::cli::output::say;
use crate::cli::overview;
use crate::cli::session::{Done, Session};
use crate::error::Result;
use crate::history::{FileClass, Followed, follow};
use crate::ledger::Chains;
use crate::report::{Change, Column, Field, Format, List, Listing, counted, signed};

/// How many functions are shown where nothing says it.
const TOP: usize = 20;
/// The same of each of several chains.
const TOP_EACH: usize = 5;
/// How many authors are named.
const AUTHORS: usize = 3;

/// Shows those of a chain, of every chain, or of a range.
///
/// # Errors
/// The repository cannot be read.
pub(super) fn run(
    session: &Session<'_>,
    chains: &Chains,
    args: &HotArgs,
    place: Option<&str>,
) -> Result<Done> {
    let paths = session.paths(&args.paths.paths)?;
    let mut measuring = Measuring::new(session, &[], paths.clone())?.also(FUNCTIONS);
    let unranged = place.is_none() && args.select.last.is_none() && args.select.since.is_none();
    let head = session.reader.head()?;
    let in_chain = head.is_some_and(|head| chains.chain_of(head).is_some());
    let lines = match chain_named(chains, place)? {
        Some(chain) => vec![of_chain(&mut measuring, chain, &paths, Code::Production)?],
        None if unranged && !in_chain && !chains.chains.is_empty() => {
            let mut lines = Vec::new();
            for (_, chain) in overview::of_arm(chains, None)? {
                lines.push(of_chain(&mut measuring, chain, &paths, Code::Production)?);
            }
            lines
        }
        None => vec![of_range(
            &mut measuring,
            chains,
            args,
            place,
            (&paths, LAST, Code::Production),
        )?],
    };
    measuring.finish();
    let stamps: Vec<_> = lines
        .iter()
        .map(|l| (l.stamp.clone(), l.settings.clone()))
        .collect();
    let (stamp, settings, mixed) = overview::shared(&stamps);
    let several = lines.len() > 1;
    let top = match args.top {
        Some(0) => usize::MAX,
        Some(top) => top,
        None if several => TOP_EACH,
        None => TOP,
    };
    let markdown = session.output.layout(args.format).format == Format::Markdown;
    let mut list = columns(several, markdown);
    let mut remarks = Vec::new();
    for line in &lines {
        let changes = &line.changes;
        let name = line.chain.as_ref().map(|c| c.label.as_str());
        let functions = ranked(changes, args.by);
        let shown = functions.len().min(top);
        let authors = match line.chain {
            Some(_) => Vec::new(),
            None => groups::authors(session, changes)?,
        };
        for (f, grown) in &functions[..shown] {
            list.row(row(f, *grown, name, changes, &authors));
        }
        if !several {
            remarks.push(said(line, functions.len(), shown, args.by));
        }
        for note in line.chain.iter().flat_map(|c| &c.notes) {
            remarks.push(match several {
                true => format!("{}: {note}", name.unwrap_or_default()),
                false => note.clone(),
            });
        }
        remarks.extend(super::unread(changes));
    }
    if several {
        let each = match top {
            usize::MAX => "all that grew".to_owned(),
            top => format!("the first {top} of each"),
        };
        remarks.push(format!(
            "{}, {each}. One chain: `git evolve hot CHAIN`. HEAD's own line: `git evolve hot HEAD`",
            counted(lines.len() as u64, "chain", "chains")
        ));
    }
    // Where nothing was found and not everything could be read, nothing is known to be there.
    let unknown = list.is_empty() && lines.iter().any(|l| super::unread(&l.changes).is_some());
    match (list.is_empty(), unknown) {
        (true, false) => say("no function grew"),
        (true, true) => say("which functions grew is unknown"),
        (false, _) => {}
    }
    let mut listing = Listing::new(stamp);
    listing.settings(&settings);
    listing.fact("by", word(args.by));
    let total: usize = lines.iter().map(|l| l.changes.len()).sum();
    listing.fact("changes", total);
    remarks.extend(mixed);
    listing.list(list);
    for remark in remarks {
        listing.remark(remark);
    }
    let done = super::print(session, &listing, args.format)?;
    Ok(if unknown { Done::Unknown } else { done })
}

fn word(by: By) -> &'static str {
    match by {
        By::Cc => "cc",
        By::Cognitive => "cognitive",
        By::Sloc => "sloc",
        By::Touched => "touched",
    }
}

/// What was looked at.
fn said(line: &Followable, grown: usize, shown: usize, by: By) -> String {
    let changes = line.changes.len() as u64;
    let what = match &line.chain {
        Some(chain) => format!(
            "chain {}, {}",
            chain.label,
            counted(changes, "checkpoint", "checkpoints")
        ),
        None => counted(changes, "change", "changes"),
    };
    let which = match by {
        By::Touched => "touched",
        _ => "grew",
    };
    let functions = counted(grown as u64, "production function", "production functions");
    match shown < grown {
        true => format!("{what}: {functions} {which}, {shown} shown (--top 0: all)"),
        false => format!("{what}: {functions} {which}"),
    }
}

fn columns(several: bool, markdown: bool) -> List {
    let aside = |key| match markdown {
        true => Column::right(key),
        false => Column::machine(key),
    };
    let label = match several {
        true => Column::heading("chain"),
        false => Column::machine("chain"),
    };
    List::new("functions", "")
        .column(label)
        .column(Column::right("cc_grown").titled("+cc"))
        .column(aside("cc_first"))
        .column(Column::right("cc_last").titled("cc"))
        .column(aside("cognitive_first"))
        .column(Column::right("cognitive_last").titled("cognitive"))
        .column(aside("sloc_first"))
        .column(Column::right("sloc_last").titled("sloc"))
        .column(Column::right("touched"))
        .column(Column::paths("function"))
        .column(Column::machine("path"))
        .column(Column::machine("key"))
        .column(Column::machine("checkpoints"))
        .column(Column::machine("authors"))
        .column(Column::below("by"))
}

/// The production functions that are there at last and grew (or, by touches, were touched), the
/// first of them first; with how much they grew in each score.
fn ranked(changes: &[Change], by: By) -> Vec<(Followed, [i64; 3])> {
    let all = follow(changes.iter().map(|c| &*c.step));
    let mut ranked: Vec<(Followed, [i64; 3])> = all
        .into_iter()
        .filter(|f| f.class == Some(FileClass::Production))
        .filter_map(|f| Some((grown(&f)?, f)))
        .map(|(grown, f)| (f, grown))
        .collect();
    let weight = |(f, [cc, cognitive, sloc]): &(Followed, [i64; 3])| {
        let touched = i64::try_from(f.touched()).unwrap_or(i64::MAX);
        match by {
            By::Cc => [*cc, *cognitive, *sloc, touched],
            By::Cognitive => [*cognitive, *cc, *sloc, touched],
            By::Sloc => [*sloc, *cc, *cognitive, touched],
            By::Touched => [touched, *cc, *cognitive, *sloc],
        }
    };
    ranked.retain(|f| weight(f)[0] > 0);
    // Those that are equal stay in order of path and key.
    ranked.sort_by_key(|f| std::cmp::Reverse(weight(f)));
    ranked
}

/// How much a function that is there at last grew since the first change that touched it, or
/// since nothing where that one added it.
fn grown(f: &Followed) -> Option<[i64; 3]> {
    let last = f.last?;
    Some(Score::ALL.map(|s| s.of(last) - f.first.map_or(0, |first| s.of(first))))
}

fn row(
    f: &Followed,
    grown: [i64; 3],
    chain: Option<&str>,
    changes: &[Change],
    authors: &[String],
) -> Vec<Field> {
    let touching: Vec<usize> = f
        .versions
        .iter()
        .filter(|v| v.what.is_touch())
        .map(|v| v.step)
        .collect();
    let path = String::from_utf8_lossy(&f.path).into_owned();
    let checkpoints: Vec<String> = match chain {
        Some(_) => touching
            .iter()
            .map(|at| changes[*at].index().to_string())
            .collect(),
        None => Vec::new(),
    };
    let by_author = by_author(&touching, authors);
    let by = match chain {
        Some(_) => format!("checkpoints {}", checkpoints.join(" ")),
        None => authors_shown(&by_author),
    };
    let mut fields = vec![
        Field::from(chain),
        Field::from(grown[0]).shown_as(signed(grown[0] as f64)),
    ];
    for score in Score::ALL {
        let first = f.first.map(|s| score.of(s));
        let last = f.last.map(|s| score.of(s));
        let shown = match (first, last) {
            (Some(a), Some(b)) => format!("{a} → {b}"),
            (None, Some(b)) => format!("new → {b}"),
            _ => String::new(),
        };
        fields.extend([Field::from(first), Field::from(last).shown_as(shown)]);
    }
    fields.extend([
        Field::from(touching.len()),
        Field::from(format!("{path}::{}", base(&f.key))),
        Field::bytes(&f.path),
        Field::from(f.key.to_string()),
        Field::words(checkpoints),
        Field::words(by_author.iter().map(|(name, n)| format!("{name} {n}"))),
        Field::from(by),
    ]);
    fields
}

/// Who made the changes that touched a function, and how many each, most first.
fn by_author(touching: &[usize], authors: &[String]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in touching.iter().filter_map(|at| authors.get(*at)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts
        .into_iter()
        .map(|(name, n)| (name.to_owned(), n))
        .collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts
}

/// `Ann 5, Bob 2 and 3 others`.
fn authors_shown(by_author: &[(String, usize)]) -> String {
    let name = |full: &str| full.split(" <").next().unwrap_or(full).to_owned();
    let named: Vec<String> = by_author
        .iter()
        .take(AUTHORS)
        .map(|(full, n)| format!("{} {n}", name(full)))
        .collect();
    match by_author.len().saturating_sub(AUTHORS) {
        0 => named.join(", "),
        more => format!(
            "{} and {}",
            named.join(", "),
            counted(more as u64, "other", "others")
        ),
    }
}
