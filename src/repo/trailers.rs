//! Trailers: the `Key: value` lines that end a commit message.
//!
//! Read from the message alone, so that no `trailer.*` or `core.commentChar` setting has a say:
//! what git's documentation of `interpret-trailers` calls trailers, in its default
//! configuration and without `---` ending the message. Git's own answer is the tests' oracle.

/// The trailers of a whole commit message (subject and body), in order, duplicates kept.
///
/// Keys are as written; compare them without regard to case. Values are trimmed, and a value
/// folded over several lines is joined with single blanks.
pub fn trailers(message: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = message.split('\n').collect();
    let lines = &lines[..end_of_text(&lines)];
    let Some(block) = last_block(lines) else {
        return Vec::new();
    };
    let mut found: Vec<(String, String)> = Vec::new();
    // Whether the line before was a trailer (or its continuation) that more may be added to.
    let mut open = false;
    for line in block {
        if open && line.starts_with(is_space) {
            if let Some((_, value)) = found.last_mut() {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(line.trim_matches(is_space));
            }
            continue;
        }
        open = false;
        if let Some((key, value)) = split(line) {
            found.push((key.to_owned(), value.to_owned()));
            open = true;
        }
    }
    found
}

/// The values of the trailers called `key`, whatever their case.
pub fn values<'a>(trailers: &'a [(String, String)], key: &str) -> impl Iterator<Item = &'a str> {
    trailers
        .iter()
        .filter(move |(k, _)| k.eq_ignore_ascii_case(key))
        .map(|(_, v)| v.as_str())
}

/// Git's notion of white space.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_blank(line: &str) -> bool {
    line.chars().all(is_space)
}

/// How many lines remain once the scissors line and what follows it are gone, and then the
/// comments, empty lines and old-style list of conflicts that end the message.
fn end_of_text(lines: &[&str]) -> usize {
    const SCISSORS: &str = "# ------------------------ >8 ------------------------";
    // Both marks are known by the line feed after them, which the last piece has not.
    let whole = lines.len() - 1;
    let text = lines[..whole]
        .iter()
        .position(|l| *l == SCISSORS)
        .unwrap_or(lines.len());
    let mut end = 0;
    let mut conflicts = false;
    for (i, line) in lines[..text].iter().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if *line == "Conflicts:" && i < whole {
            conflicts = true;
        } else if !(conflicts && line.starts_with('\t')) {
            conflicts = false;
            end = i + 1;
        }
    }
    end
}

/// The last paragraph, where it is one of trailers: it is not the title's, and either every line
/// is a trailer (or continues one), or one was made by git and at least a quarter are trailers.
fn last_block<'a, 'b>(lines: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let title = lines
        .iter()
        .position(|l| !l.starts_with('#') && is_blank(l))?;
    let (mut good, mut bad, mut indented) = (0usize, 0usize, 0usize);
    let mut by_git = false;
    let mut text_seen = false;
    for (i, line) in lines.iter().enumerate().skip(title).rev() {
        if line.starts_with('#') {
            bad += indented;
            indented = 0;
        } else if is_blank(line) {
            if !text_seen {
                continue;
            }
            bad += indented;
            let all = good > 0 && bad == 0;
            let enough = by_git && good * 3 >= bad;
            return (all || enough).then(|| &lines[i + 1..]);
        } else {
            text_seen = true;
            if line.starts_with("Signed-off-by: ")
                || line.starts_with("(cherry picked from commit ")
            {
                by_git = true;
                good += 1;
                indented = 0;
            } else if line.starts_with(is_space) {
                // Continues a trailer, if the line above turns out to be one.
                indented += 1;
            } else if split(line).is_some() {
                good += 1;
                indented = 0;
            } else {
                bad += 1 + indented;
                indented = 0;
            }
        }
    }
    None
}

/// Key and value: ASCII letters, digits and hyphens, perhaps blanks, a colon, the value.
fn split(line: &str) -> Option<(&str, &str)> {
    let colon = line.find(':')?;
    let key = line[..colon].trim_end_matches([' ', '\t']);
    let fits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    fits.then(|| (key, line[colon + 1..].trim_matches(is_space)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> String {
        let found: Vec<String> = trailers(message)
            .iter()
            .map(|(k, v)| format!("{k}={v}"))
            .collect();
        found.join("|")
    }

    #[test]
    fn only_the_last_paragraph_holds_trailers() {
        for (message, want) in [
            ("S\n\nEvolve-Checkpoint: 1 a\n", "Evolve-Checkpoint=1 a"),
            ("Evolve-Checkpoint: 1 a\n", ""),
            ("S\nEvolve-Checkpoint: 1 a\n", ""),
            ("S\n\nprose\nA: 1\n", ""),
            (
                "S\n\nprose\nA: 1\nSigned-off-by: t <t@e>\n",
                "A=1|Signed-off-by=t <t@e>",
            ),
            ("S\n\nA: 1\n\nprose\n", ""),
            ("S\n\nA: 1\n\nB: 2\n", "B=2"),
            ("S\n\nA_B: 1\n", ""),
            ("S\n\na: 1\na: 2\n", "a=1|a=2"),
            ("S\r\n\r\nA: 1\r\n", "A=1"),
            ("S\n\nbody\n\n---\n\nA: 1\n", "A=1"),
            ("S\n\nA: 1\n  two\n\tthree\nB:\n", "A=1 two three|B="),
            ("S\n\n  A: 1\n", ""),
            ("S\n\nA : 1\n# note\n\n", "A=1"),
            ("", ""),
            ("\n\n", ""),
        ] {
            assert_eq!(read(message), want, "{message:?}");
        }
    }

    #[test]
    fn values_are_found_whatever_the_case_of_their_key() {
        let all = trailers("S\n\nevolve-role: base\nEVOLVE-ROLE: agent\nOther: x\n");
        let found: Vec<&str> = values(&all, "Evolve-Role").collect();
        assert_eq!(found, ["base", "agent"]);
    }
}
