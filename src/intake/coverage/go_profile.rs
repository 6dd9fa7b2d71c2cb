//! Profiles of `go test -coverprofile`.
//!
//! After `mode: set|count|atomic` each line is `file:line.column,line.column statements count`.
//! With `-coverpkg` every test binary writes every block, so that equal blocks are one. A line can
//! be executed where it lies in a block that has statements; it was where one such block was, and
//! partly where another was not.

use super::Unreadable;
use super::draft::Draft;
use super::file::{Block, LAST_LINE, is_hit};
use super::identify::mode;
use super::lines::Lines;
use crate::record::Source;

/// Reads a whole profile, or several in one file.
pub(super) fn read(source: &mut dyn Source, draft: &mut Draft) -> Result<(), Unreadable> {
    let mut lines = Lines::new(source)?;
    while let Some(line) = lines.next()? {
        let read = line.text().map(str::trim);
        if read.is_some_and(|line| line.is_empty() || mode(line)) {
            continue;
        }
        let Some((name, block, statements, ran)) = read.and_then(parse) else {
            draft.warn("unreadable-lines");
            continue;
        };
        draft.at(name, &[])?;
        if let (Some(file), true) = (draft.file(), statements) {
            file.block(block, ran);
        }
    }
    Ok(())
}

/// File, block, whether it has statements, whether it was executed.
fn parse(line: &str) -> Option<(&str, Block, bool, bool)> {
    let (rest, count) = line.rsplit_once(' ')?;
    let (rest, statements) = rest.rsplit_once(' ')?;
    let (name, span) = rest.rsplit_once(':')?;
    let (start, end) = span.split_once(',')?;
    let point = |text: &str| -> Option<(u32, u32)> {
        let (line, column) = text.split_once('.')?;
        let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        if !digits(line) || !digits(column) {
            return None;
        }
        let line = line.parse().ok()?;
        Some((line, column.parse().ok()?)).filter(|_| (1..=LAST_LINE).contains(&line))
    };
    let ((first, from), (last, to)) = (point(start)?, point(end)?);
    let block = [first, from, last, to];
    let valid = !name.is_empty() && (first, from) <= (last, to);
    valid.then_some(())?;
    Some((name, block, is_hit(statements)?, is_hit(count)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_blanks_and_colons() {
        let line = r"C:\my go\a.go:3.10,5.2 2 18446744073709551616";
        assert_eq!(
            parse(line),
            Some((r"C:\my go\a.go", [3, 10, 5, 2], true, true))
        );
        assert_eq!(
            parse("a.go:9.1,9.30 0 0"),
            Some(("a.go", [9, 1, 9, 30], false, false))
        );
    }

    #[test]
    fn what_is_no_block_is_none() {
        for line in [
            "a.go:1.1,4000000000.1 1 1",
            "a.go:0.1,1.1 1 1",
            "a.go:5.1,4.1 1 1",
            "a.go:5.9,5.1 1 1",
            "a.go:1.1,2.1 1 -1",
            "a.go:1.1,2.1 -1 1",
            "a.go:1,2 1 1",
            "a.go:1.1,2.1 1",
            ":1.1,2.1 1 1",
            "a.go",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
