//! A command line as it is typed, in words: as a POSIX shell splits it, but that nothing is
//! expanded.

use super::captures::CommandWords;

/// The words of `text`: quotes of both kinds and backslashes are read.
///
/// # Errors
/// A quote that does not end, or no word at all.
pub(super) fn read(text: &str) -> Result<CommandWords, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if open == c => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some('"'), '\\') => {
                let next = chars.next().ok_or("it ends in a backslash")?;
                let word = word.get_or_insert_default();
                if !matches!(next, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(next);
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote in it does not end".to_owned());
    }
    words.extend(word);
    match words.is_empty() {
        true => Err("no word in it".to_owned()),
        false => Ok(words.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_a_shell_would_see() {
        for (text, words) in [
            ("mvn -q test", &["mvn", "-q", "test"][..]),
            (
                r#"  a 'b c' "d \"e\" \x" f\ g "#,
                &["a", "b c", r#"d "e" \x"#, "f g"],
            ),
            ("pytest -k 'not slow'''", &["pytest", "-k", "not slow"]),
            ("a '' b", &["a", "", "b"]),
        ] {
            assert_eq!(read(text).expect("words").to_vec(), words, "{text}");
        }
        for wrong in ["", "  ", "a 'b", "\"a\\"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
