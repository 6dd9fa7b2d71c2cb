//! Character and entity references, resolved and joined with the text around them. Only the five
//! entities every XML knows are: others stay as they are written.

use super::decode::is_allowed as is_character;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reference {
    Character(char),
    /// The first half of a surrogate pair, as some tools write characters beyond U+FFFF.
    High(u32),
    Low(u32),
    Forbidden,
    Unknown,
}

/// What `&name;` stands for.
fn resolve(name: &str) -> Reference {
    let number = match name.strip_prefix('#') {
        None => {
            return match name {
                "amp" => Reference::Character('&'),
                "lt" => Reference::Character('<'),
                "gt" => Reference::Character('>'),
                "quot" => Reference::Character('"'),
                "apos" => Reference::Character('\''),
                _ => Reference::Unknown,
            };
        }
        Some(number) => number,
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Reference::Unknown;
    }
    match u32::from_str_radix(digits, radix) {
        Ok(code @ 0xD800..=0xDBFF) => Reference::High(code),
        Ok(code @ 0xDC00..=0xDFFF) => Reference::Low(code),
        Ok(code) => match char::from_u32(code).filter(|c| is_character(*c)) {
            Some(c) => Reference::Character(c),
            None => Reference::Forbidden,
        },
        Err(_) => Reference::Forbidden,
    }
}

/// Whether XML allows the reference.
pub(super) fn is_allowed(name: &str) -> bool {
    matches!(resolve(name), Reference::Character(_))
}

/// Text and references, joined up to a number of bytes.
pub(super) struct Joined {
    text: String,
    most: usize,
    full: bool,
    high: Option<u32>,
    mended: bool,
    returned: bool,
}

impl Joined {
    pub(super) fn new(most: usize) -> Self {
        Joined {
            text: String::new(),
            most,
            full: false,
            high: None,
            mended: false,
            returned: false,
        }
    }

    /// Appends text without references; line ends become line feeds.
    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.half();
        let mut rest = match (self.returned, text.strip_prefix('\n')) {
            (true, Some(rest)) => rest,
            _ => text,
        };
        self.returned = text.ends_with('\r');
        while let Some(at) = rest.find('\r') {
            self.push(&rest[..at]);
            self.push("\n");
            rest = &rest[at + 1..];
            rest = rest.strip_prefix('\n').unwrap_or(rest);
        }
        self.push(rest);
    }

    /// Appends what `&name;` stands for.
    pub(super) fn reference(&mut self, name: &str) {
        self.returned = false;
        let found = resolve(name);
        if let (Some(high), Reference::Low(low)) = (self.high, found) {
            self.high = None;
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            let c = char::from_u32(code).unwrap_or('\u{FFFD}');
            self.push(c.encode_utf8(&mut [0; 4]));
            return;
        }
        self.half();
        self.mended |= !matches!(found, Reference::Character(_));
        match found {
            Reference::Character(c) => self.push(c.encode_utf8(&mut [0; 4])),
            Reference::High(high) => self.high = Some(high),
            Reference::Low(_) | Reference::Forbidden => self.push("\u{FFFD}"),
            Reference::Unknown => {
                self.push("&");
                self.push(name);
                self.push(";");
            }
        }
    }

    /// All of it, and whether something was mended.
    pub(super) fn finish(mut self) -> (String, bool) {
        self.half();
        (self.text, self.mended)
    }

    fn half(&mut self) {
        if self.high.take().is_some() {
            self.push("\u{FFFD}");
        }
    }

    fn push(&mut self, text: &str) {
        if self.full {
            return;
        }
        let room = self.most - self.text.len();
        let mut length = text.len().min(room);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        self.full = length < text.len();
        self.text.push_str(&text[..length]);
    }
}

/// The value of an attribute as it is written: references resolved, white space made spaces; and
/// whether something was mended.
pub(super) fn value(raw: &str) -> (String, bool) {
    if !raw.contains(['&', '\t', '\n', '\r']) {
        return (raw.to_owned(), false);
    }
    let mut joined = Joined::new(raw.len() + 4);
    let spaced = |text: &str| text.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    let mut parts = raw.split('&');
    joined.text(&spaced(parts.next().unwrap_or_default()));
    let mut lone = false;
    for part in parts {
        match part.split_once(';') {
            Some((name, rest)) if !name.contains(char::is_whitespace) => {
                joined.reference(name);
                joined.text(&spaced(rest));
            }
            _ => {
                lone = true;
                joined.text("&");
                joined.text(&spaced(part));
            }
        }
    }
    let (text, mended) = joined.finish();
    (text, mended || lone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_what_they_stand_for() {
        let plain = |raw: &str, text: &str| assert_eq!(value(raw), (text.to_owned(), false));
        plain("a &lt;b&gt; &amp;&quot;&apos;", "a <b> &\"'");
        plain("&#65;&#x42;&#x1F600;&#9;|&#10;", "AB😀\t|\n");
        plain("a\tb\r\nc\nd", "a b c d");
        plain("", "");
        plain("&amp;lt;", "&lt;");
    }

    #[test]
    fn what_xml_forbids_is_mended_and_said() {
        let mended = |raw: &str, text: &str| assert_eq!(value(raw), (text.to_owned(), true));
        mended("a&#0;b&#27;&#xFFFE;", "a\u{FFFD}b\u{FFFD}\u{FFFD}");
        mended("&#55357;&#56832;", "😀");
        mended("&#xD83D; x&#xDE00;", "\u{FFFD} x\u{FFFD}");
        mended("&#xD83D;", "\u{FFFD}");
        mended("&nbsp;&#xZZ;&#;", "&nbsp;&#xZZ;&#;");
        mended("a & b; c &", "a & b; c &");
        mended("&#99999999999;", "\u{FFFD}");
    }

    #[test]
    fn text_is_capped_at_a_character_and_its_lines_end_alike() {
        let mut joined = Joined::new(4);
        joined.text("aé");
        joined.text("é");
        joined.text("b");
        assert_eq!(joined.finish(), ("aé".to_owned(), false));
        let mut joined = Joined::new(99);
        joined.text("a\r\nb\rc\r");
        joined.text("\nd");
        joined.reference("#13");
        joined.text("\n");
        assert_eq!(joined.finish().0, "a\nb\nc\nd\r\n");
    }
}
