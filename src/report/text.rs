//! Text from a repository made fit for a terminal: control characters shown, bytes decoded,
//! widths counted in columns.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` with everything that could steer a terminal written out (`\u{1b}`, `\n`): C0, DEL,
/// C1, and the marks that turn the reading direction.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{feff}')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
        || ('\u{2028}'..='\u{2029}').contains(&c)
}

/// Bytes as text, what is not UTF-8 replaced, nothing escaped: for JSON and CSV.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Bytes as text for people: decoded and made [`visible`].
pub fn shown(bytes: &[u8]) -> String {
    visible(&decoded(bytes)).into_owned()
}

/// The bytes in lower-case hex where they are not UTF-8, for `path_hex`.
pub fn hex_where_needed(bytes: &[u8]) -> Option<String> {
    use std::fmt::Write;
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let mut out = String::with_capacity(bytes.len() * 2);
    for b in bytes {
        // Writing into a string cannot fail.
        let _ = write!(out, "{b:02x}");
    }
    Some(out)
}

/// Columns `text` takes on a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text of more than `most` characters by its beginning and its end, with `…` between: names
/// that somebody else made must not fill a page.
pub(super) fn ends(text: &str, most: usize) -> Cow<'_, str> {
    let all = text.chars().count();
    if all <= most {
        return Cow::Borrowed(text);
    }
    let after = most.saturating_sub(1) / 3;
    let before = most.saturating_sub(1) - after;
    let mut out: String = text.chars().take(before).collect();
    out.push('…');
    out.extend(text.chars().skip(all - after));
    Cow::Owned(out)
}

/// `text` in at most `columns`, its end replaced by `…` where it is longer.
pub fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w > columns - 1 {
            break;
        }
        used += w;
        out.push(c);
    }
    out.push('…');
    Cow::Owned(out)
}

/// `text` in at most `columns`, its beginning replaced by `…`: for paths, whose end tells more.
pub(super) fn fit_end(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = Vec::new();
    let mut used = 0;
    for c in text.chars().rev() {
        let w = c.width().unwrap_or(0);
        if used + w > columns - 1 {
            break;
        }
        used += w;
        kept.push(c);
    }
    kept.push('…');
    Cow::Owned(kept.into_iter().rev().collect())
}

/// `text` broken at blanks into lines of at most `columns`, each line after the first begun
/// with `indent` blanks. What stands between backticks is one word, so that a command can be
/// copied; a word longer than a line stands alone.
pub fn wrap(text: &str, columns: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in words(text) {
        let w = width(&word);
        if used > 0 && used + 1 + w > columns {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = indent;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(&word);
        used += w;
    }
    out
}

/// The words of `text`; from a backtick to the next one is no end of a word.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text.split_whitespace();
    std::iter::from_fn(move || {
        let mut word = rest.next()?.to_owned();
        let open = |word: &str| word.matches('`').count() % 2 == 1;
        // One that is never closed is a letter like any other.
        if open(&word) && rest.clone().any(|w| w.contains('`')) {
            while open(&word)
                && let Some(next) = rest.next()
            {
                word.push(' ');
                word.push_str(next);
            }
        }
        Some(word)
    })
}

/// `n` and its noun: `1 change`, `2 changes`.
pub fn counted(n: impl Into<u64>, one: &str, many: &str) -> String {
    let n = n.into();
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible("a\tb\nc\u{9b}d"), "a\\tb\\nc\\u{9b}d");
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
        assert!(matches!(visible("plain é 漢"), Cow::Borrowed(_)));
    }

    #[test]
    fn bytes_that_are_not_utf8_have_hex_and_others_none() {
        assert_eq!(hex_where_needed(b"ab\xff"), Some("6162ff".to_owned()));
        assert_eq!(hex_where_needed("é".as_bytes()), None);
        assert_eq!(shown(b"a\xff\x1b"), "a\u{fffd}\\u{1b}");
    }

    #[test]
    fn text_is_cut_by_columns_not_by_bytes() {
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit_end("src/long/A.java", 8), "…/A.java");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(ends("abcdef", 6), "abcdef");
        assert_eq!(ends("abcdefghij", 7), "abcd…ij");
        assert_eq!(ends(&"é".repeat(10_000), 240).chars().count(), 240);
        assert_eq!(ends("abc", 0), "…");
    }

    #[test]
    fn text_wraps_at_blanks() {
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
    }
}
