//! One function over time.

use super::{Code, FUNCTIONS, Followable, HotArgs, Score, base, chain_named, of_chain, of_range};
use crate::cli::groups;
use crate::cli::measured::Measuring;
use crate::cli::progress::Bar;
use crate::cli::session::{Done, Session};
use crate::error::{Error, Result};
use crate::history::{
    Followed, Happened, Line, PathFilter, Place, Select, Status, Version, WindowRule, follow,
    tree_files,
};
use crate::ledger::Chains;
use crate::repo::Oid;
use crate::report::{Change, Column, Field, List, Listing, date, signed, sparkline, time};

/// How often the beginning of a function is looked for in another file.
const HOPS: usize = 64;
/// How many blocks a curve has.
const CURVE: usize = 40;

/// Shows the versions of the function `name` of `path`.
///
/// # Errors
/// No function of that name, or several; a repository that cannot be read.
pub(super) fn run(
    session: &Session<'_>,
    chains: &Chains,
    args: &HotArgs,
    path: &[u8],
    name: &str,
    place: Option<&str>,
) -> Result<Done> {
    let chain = chain_named(chains, place)?;
    let (line, all) = match chain {
        Some(chain) => {
            let mut measuring = Measuring::new(session, &[], Vec::new())?.also(FUNCTIONS);
            let line = of_chain(&mut measuring, chain, &[], Code::All)?;
            measuring.finish();
            let all = follow(line.changes.iter().map(|c| &*c.step));
            (line, all)
        }
        None => back_to_its_beginning(session, chains, args, path, name, place)?,
    };
    let tip = match (chain, line.changes.last()) {
        (Some(chain), _) => Some(chain.tip),
        (None, Some(newest)) => Some(newest.step.commit.id),
        (None, None) => session.reader.head()?,
    };
    let Some(found) = pick(&all, path, name)? else {
        return Err(none(session, tip, path, name)?);
    };
    let mut listing = Listing::new(line.stamp.clone());
    listing.settings(&line.settings);
    listing.fact("path", Field::bytes(&found.path));
    listing.fact("key", found.key.to_string());
    listing.fact("name", found.name.to_string());
    listing.fact("touched", found.touched());
    listing.list(versions(session, &line, found)?);
    listing.remark(format!(
        "{}::{}{}",
        String::from_utf8_lossy(&found.path),
        found.key,
        if found.last.is_none() {
            ", gone since"
        } else {
            ""
        }
    ));
    for (score, word) in Score::ALL.iter().zip(["cc", "cognitive", "sloc"]) {
        listing.remark(curve(found, *score, word));
    }
    if let Some(chain) = &line.chain {
        session.say_aside(args.format, &chain.label, &chain.notes);
        for note in &chain.notes {
            listing.remark(note.clone());
        }
        listing.remark(format!("the checkpoints of chain {}", chain.label));
    }
    if let Some(lost) = super::unread(&line.changes) {
        listing.remark(lost);
    }
    super::print(session, &listing, args.format)
}

/// The changes of a plain history that bear on a function: those of its file, and of each file
/// it was in before.
fn back_to_its_beginning(
    session: &Session<'_>,
    chains: &Chains,
    args: &HotArgs,
    path: &[u8],
    name: &str,
    place: Option<&str>,
) -> Result<(Followable, Vec<Followed>)> {
    let mut paths = vec![path.to_vec()];
    loop {
        let mut measuring = Measuring::new(session, &[], paths.clone())?.also(FUNCTIONS);
        let line = of_range(
            &mut measuring,
            chains,
            args,
            place,
            (&paths, usize::MAX, Code::All),
        )?;
        measuring.finish();
        let all = follow(line.changes.iter().map(|c| &*c.step));
        if line.chain.is_some() {
            return Ok((line, all));
        }
        let before = match pick(&all, path, name)? {
            Some(found) => came_from(session, &line.changes, found)?,
            // No change touched it since its file has this path.
            None => paths.last().and_then(|p| renamed_to(&line.changes, p)),
        };
        match before {
            Some(before) if paths.len() < HOPS && !paths.contains(&before) => paths.push(before),
            _ => return Ok((line, all)),
        }
    }
}

/// The path of the file a function was in before the first change that is known of it.
fn came_from(
    session: &Session<'_>,
    changes: &[Change],
    found: &Followed,
) -> Result<Option<Vec<u8>>> {
    let Some(first) = found.versions.first() else {
        return Ok(None);
    };
    let change = &changes[first.step];
    // The oldest path: what every move since has said.
    let since = found.versions.iter().find_map(|v| match &v.what {
        Happened::Moved(from) | Happened::Carried(from) => Some(from),
        _ => None,
    });
    let oldest = since.unwrap_or(&found.path);
    if first.what != Happened::Added {
        // Its file may have had another path in a change before that did not touch it.
        return Ok(renamed_to(&changes[..=first.step], oldest));
    }
    // What the paths left out of that change may say where it came from.
    let select = Select {
        tip: change.step.commit.id,
        last: Some(1),
        since: None,
        exclude: Vec::new(),
        paths: PathFilter::default(),
    };
    let line = Line::plain(&session.reader, &select, WindowRule::Lookback(2))?;
    let mut request = session.plain_request(&[])?;
    Code::All.set(&mut request);
    let mut measuring = Measuring::new(session, &[], Vec::new())?.also(FUNCTIONS);
    let whole = measuring.line(line, &request)?;
    let all = follow(whole.iter().map(|c| &*c.step));
    Ok(all.into_iter().find_map(|f| {
        let same = f.path == *oldest && f.versions.len() == 1;
        match &f.versions[0].what {
            Happened::Moved(from) if same && moved_is(found, &f) => Some(from.to_vec()),
            _ => None,
        }
    }))
}

/// The path a file had before the newest of `changes` that renamed it to `path`.
fn renamed_to(changes: &[Change], path: &[u8]) -> Option<Vec<u8>> {
    changes.iter().rev().find_map(|change| {
        let mut edits = change.step.edits.iter();
        let it = edits.find(|e| *e.path == *path && e.status == Status::Renamed)?;
        it.old_path.as_ref().map(|old| old.to_vec())
    })
}

/// Whether the function that one change moved is the one that was added there.
fn moved_is(found: &Followed, moved: &Followed) -> bool {
    let first_key = found.versions.iter().find_map(|v| match &v.what {
        Happened::Resigned(old) => Some(&**old),
        _ => None,
    });
    *moved.key == *first_key.unwrap_or(&found.key)
}

/// The function that `name` names in `path`: by its key, its key without parameters, its name,
/// the last part of it; the first of these that any has. Those that are there win over those
/// that are gone.
///
/// # Errors
/// Several have it.
fn pick<'f>(all: &'f [Followed], path: &[u8], name: &str) -> Result<Option<&'f Followed>> {
    let ways: [fn(&Followed) -> &str; 4] = [
        |f| &f.key,
        |f| base(&f.key),
        |f| &f.name,
        |f| last_part(base(&f.key)),
    ];
    for way in ways {
        for here in [true, false] {
            let fits =
                |f: &&Followed| *f.path == *path && f.last.is_some() == here && way(f) == name;
            let found: Vec<&Followed> = all.iter().filter(fits).collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok(Some(one)),
                several => {
                    let keys: Vec<&str> = several.iter().map(|f| &*f.key).collect();
                    return Err(Error::usage(format!(
                        "several functions of {} are called {name}",
                        String::from_utf8_lossy(path)
                    ))
                    .with_hint(format!("name one of them: {}", keys.join(", "))));
                }
            }
        }
    }
    Ok(None)
}

/// What stands behind the last `::` or `.`.
fn last_part(name: &str) -> &str {
    name.rsplit([':', '.']).next().unwrap_or(name)
}

/// The error for a function of which no version was found: it is not there, no change of these
/// touched it, or what would tell is not here.
fn none(session: &Session<'_>, tip: Option<Oid>, path: &[u8], name: &str) -> Result<Error> {
    let shown = String::from_utf8_lossy(path).into_owned();
    let Some(tip) = tip else {
        return Ok(Error::git("no commit yet: there is no function"));
    };
    let tree = session.reader.commit(tip)?.tree;
    if session.reader.entry(tree, path)?.is_none() {
        return Ok(Error::git(format!("no file '{shown}' in {}", tip.short())));
    }
    let request = session.request(session.head_tree()?, &[])?;
    let filter = PathFilter::new(&[path.to_vec()])?;
    let (settings, bar) = (&request.settings, Bar::new());
    let files = tree_files(&session.repo, tree, settings, &filter, 1, &bar)?;
    let unread = files.iter().find_map(|f| f.structure.as_ref().err());
    if let Some(why) = unread {
        let at = tip.short();
        return Ok(Error::unavailable(format!(
            "the functions of {shown} at {at} are unknown: {why}"
        )));
    }
    let structures = files.iter().filter_map(|f| f.structure.as_ref().ok());
    let keys: Vec<String> = structures
        .flat_map(|s| s.functions.iter().map(|f| f.key.to_string()))
        .collect();
    let has = |key: &String| key == name || base(key) == name || last_part(base(key)) == name;
    if keys.iter().any(has) {
        if session.reader.is_shallow() {
            let said = format!("{shown}::{name} is older than this shallow clone");
            return Ok(
                Error::unavailable(said).with_hint("`git fetch --unshallow` brings the rest")
            );
        }
        return Ok(
            Error::usage(format!("none of these changes touched {shown}::{name}"))
                .with_hint("without a range the whole history of HEAD is looked at"),
        );
    }
    let error = Error::usage(format!(
        "no function '{name}' in {shown} at {}",
        tip.short()
    ));
    let known: Vec<&str> = keys.iter().map(|k| last_part(base(k))).collect();
    Ok(match crate::cli::config::nearest(name, &known) {
        Some(near) => error.with_hint(format!("did you mean {near}?")),
        None => error.with_hint(format!("`git evolve functions HEAD {shown}` lists them")),
    })
}

/// `cc ▁▁▄█ 3 → 22 (+19)`.
fn curve(found: &Followed, score: Score, word: &str) -> String {
    let first = found.first.map(|s| score.of(s));
    let began = found.first.map(|s| score.of(s) as f64);
    let since = found
        .versions
        .iter()
        .map(|v| v.score.map(|s| score.of(s) as f64));
    let values: Vec<Option<f64>> = began.map(Some).into_iter().chain(since).collect();
    let blocks = sparkline(&values, CURVE);
    let last = found.last.map(|s| score.of(s));
    let from = first.map_or("new".to_owned(), |v| v.to_string());
    match last {
        Some(last) => format!(
            "{word} {blocks} {from} → {last} ({})",
            signed((last - first.unwrap_or(0)) as f64)
        ),
        None => format!("{word} {blocks} {from} → gone"),
    }
}

/// One row a version.
fn versions(session: &Session<'_>, line: &Followable, found: &Followed) -> Result<List> {
    let in_chain = line.chain.is_some();
    let authors = match in_chain {
        true => Vec::new(),
        false => groups::authors(session, &line.changes)?,
    };
    let mut list = List::new("versions", "").column(Column::left("commit"));
    list = match in_chain {
        true => list
            .column(Column::right("checkpoint").titled("k"))
            .column(Column::left("checkpoint_id").titled("checkpoint"))
            .column(Column::machine("time")),
        false => list
            .column(Column::machine("checkpoint"))
            .column(Column::machine("checkpoint_id"))
            .column(Column::left("time")),
    };
    list = list
        .column(Column::right("cc"))
        .column(Column::right("cognitive").titled("cog"))
        .column(Column::right("sloc"))
        .column(Column::left("what"))
        .column(Column::machine("from"))
        .column(Column::machine("author"))
        .column(match in_chain {
            true => Column::machine("subject"),
            false => Column::words("subject"),
        });
    for version in &found.versions {
        list.row(row(
            version,
            &line.changes[version.step],
            authors.get(version.step),
        ));
    }
    Ok(list)
}

fn row(version: &Version, change: &Change, author: Option<&String>) -> Vec<Field> {
    let commit = &change.step.commit;
    let id = commit.id.to_string();
    let (checkpoint, checkpoint_id) = match &change.step.place {
        Place::Plain { .. } => (None, None),
        Place::Chain {
            checkpoint,
            checkpoint_id,
            ..
        } => (Some(*checkpoint), Some(checkpoint_id.clone())),
    };
    let (what, from) = words(&version.what);
    let mut fields = vec![
        Field::short(&id, &commit.id.short()),
        checkpoint.into(),
        checkpoint_id.into(),
        Field::short(&time(commit.time), &date(commit.time)),
    ];
    fields.extend(Score::ALL.map(|score| Field::from(version.score.map(|s| score.of(s)))));
    let shown = match (&version.what, &from) {
        (Happened::Resigned(old), _) => format!("was {old}"),
        (_, None) => what.to_owned(),
        (_, Some(from)) => format!("{what} {from}"),
    };
    fields.extend([
        Field::short(what, &shown),
        from.into(),
        author.cloned().into(),
        Field::from(commit.subject().to_owned()),
    ]);
    fields
}

/// What happened, in words, and the path or key before.
fn words(what: &Happened) -> (&'static str, Option<String>) {
    let path = |p: &[u8]| Some(String::from_utf8_lossy(p).into_owned());
    match what {
        Happened::Added => ("added", None),
        Happened::Modified => ("modified", None),
        Happened::Reformatted => ("reformatted", None),
        Happened::Resigned(old) => ("renamed", Some(old.to_string())),
        Happened::Rescored => ("rescored", None),
        Happened::Moved(from) => ("moved from", path(from)),
        Happened::Carried(from) => ("file was", path(from)),
        Happened::Between => ("put back", None),
        Happened::Deleted => ("deleted", None),
    }
}

#[cfg(test)]
mod tests {
    use super::{base, last_part};

    #[test]
    fn a_key_is_named_with_and_without_its_parameters_and_by_its_last_part() {
        for (key, without, last) in [
            ("Outer.Inner::m(int,String)", "Outer.Inner::m", "m"),
            ("Class.outer.inner", "Class.outer.inner", "inner"),
            ("(T).run", "(T).run", "run"),
            ("Op.ADD::apply()", "Op.ADD::apply", "apply"),
            ("main", "main", "main"),
        ] {
            assert_eq!(base(key), without);
            assert_eq!(last_part(base(key)), last);
        }
    }
}
