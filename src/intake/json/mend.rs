//! What writers write and JSON does not allow, made into what it allows.

/// `text` with bytes that are no UTF-8 and halves of surrogate pairs replaced by U+FFFD, and
/// `NaN`, `Infinity` and numbers beyond all range by null; `None` where it has none of them.
pub(super) fn mend(text: &[u8]) -> Option<Vec<u8>> {
    let valid = String::from_utf8_lossy(text);
    let bytes = valid.as_bytes();
    let mut made = Vec::with_capacity(bytes.len());
    let mut mended = bytes != text;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (taken, replaced) = match rest[0] {
            b'"' => {
                let taken = string(rest, &mut made, &mut mended);
                at += taken;
                continue;
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let taken = word(rest);
                (taken, !is_fine(&rest[..taken]))
            }
            _ => (1, false),
        };
        if replaced {
            made.extend(b"null");
            mended = true;
        } else {
            made.extend(&rest[..taken]);
        }
        at += taken;
    }
    mended.then_some(made)
}

fn word(text: &[u8]) -> usize {
    let of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
    let length = text.iter().take_while(|b| of_word(b)).count();
    length.max(1)
}

/// Whether a word that begins as a number does can stay: what is no number is no concern here.
fn is_fine(word: &[u8]) -> bool {
    if matches!(word, b"NaN" | b"Infinity" | b"-Infinity") {
        return false;
    }
    let number = std::str::from_utf8(word).ok().map(str::parse::<f64>);
    !matches!(number, Some(Ok(number)) if number.is_infinite())
}

/// Copies the string that `text` begins with; its length.
fn string(text: &[u8], made: &mut Vec<u8>, mended: &mut bool) -> usize {
    let mut at = 1;
    made.push(b'"');
    while at < text.len() {
        let rest = &text[at..];
        match rest[0] {
            b'"' => {
                made.push(b'"');
                return at + 1;
            }
            b'\\' => match (unit(rest), rest.get(6..).and_then(unit)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                    made.extend(&rest[..12]);
                    at += 12;
                }
                (Some(0xD800..=0xDFFF), _) => {
                    made.extend("\u{fffd}".as_bytes());
                    *mended = true;
                    at += 6;
                }
                _ => {
                    let taken = rest.len().min(2);
                    made.extend(&rest[..taken]);
                    at += taken;
                }
            },
            byte => {
                made.push(byte);
                at += 1;
            }
        }
    }
    at
}

/// The UTF-16 unit of a `\uXXXX` that `text` begins with.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.get(..6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> Option<String> {
        mend(text.as_bytes()).map(|m| String::from_utf8(m).expect("UTF-8"))
    }

    #[test]
    fn only_what_is_wrong_is_replaced() {
        assert_eq!(mended(r#"{"a":1,"b":"\ud83d\ude00 NaN 1e999 \\"}"#), None);
        assert_eq!(mended("[1,-2.5e3,true,xyz"), None);
        assert_eq!(
            mended("[NaN, -Infinity,1e999]").as_deref(),
            Some("[null, null,null]")
        );
        assert_eq!(
            mended(r#""a\ude00\ud83d""#).as_deref(),
            Some("\"a\u{fffd}\u{fffd}\"")
        );
        assert_eq!(
            mend(b"\"\xff\"").as_deref(),
            Some("\"\u{fffd}\"".as_bytes())
        );
        for torn in ["\"", "\"\\", "\"\\u", "\"\\ud8", "\"\\ud83d", "-", "1e"] {
            let _ = mended(torn);
        }
    }
}
