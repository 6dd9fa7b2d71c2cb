//! How wide text will be, roughly and rather too wide: nobody knows the reader's fonts.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// How much wider strong letters are.
pub(super) const STRONG: f64 = 1.1;

/// Width of `text` set `size` high.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(letter).sum::<f64>() * size
}

/// In parts of the size; what wide sans-serif faces have, others less.
fn letter(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | 'I' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '"' => 0.41,
        'c' | 's' | 'k' | 'v' | 'x' | 'y' | 'z' | '_' | 'J' => 0.59,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.98,
        '0'..='9' | 'a'..='z' => 0.63,
        'A'..='Z' => 0.74,
        c => match c.width().unwrap_or(0) {
            0 => 0.0,
            1 => 0.7,
            _ => 1.1,
        },
    }
}

/// `text` in at most `room`, its end replaced by `…` where it is wider.
pub(super) fn cut(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let room = room - letter('…') * size;
    let mut out = String::new();
    let mut used = 0.0;
    for c in text.chars() {
        used += letter(c) * size;
        if used > room {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    Cow::Owned(out)
}

/// `text` in at most `room`, its beginning replaced by `…`: for names whose end tells more.
pub(super) fn cut_front(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let turned: String = text.chars().rev().collect();
    Cow::Owned(cut(&turned, size, room).chars().rev().collect())
}

/// `text` broken at blanks into lines of at most `room`; a longer word stands alone, to be cut.
pub(super) fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(last) = out.last_mut()
            && width(last, size) + letter(' ') * size + width(word, size) <= room
        {
            last.push(' ');
            last.push_str(word);
        } else {
            out.push(word.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_wide_is_cut_to_its_room() {
        let long = "a name that nobody would give to anything on paper";
        for room in [0.0, 5.0, 30.0, 100.0, 200.0] {
            let text = cut(long, 11.0, room);
            assert!(text.ends_with('…'), "{text}");
            assert!(text.len() == 3 || width(&text, 11.0) <= room, "{text}");
        }
        assert_eq!(cut("short", 11.0, 100.0), "short");
        assert_eq!(cut_front("tests/a.py::test_b", 10.0, 60.0), "…py::test_b");
    }

    #[test]
    fn lines_break_at_blanks() {
        let text = lines("one two three four", 10.0, 70.0);
        assert_eq!(text, ["one two", "three four"]);
    }
}
