//! Reading the raw commit object: leniently, since old and foreign tools wrote odd ones.

use std::borrow::Cow;

use super::{Commit, Oid, Person};

/// Reads a raw commit; `None` where it has no tree or an id is out of form. `shallow` is left
/// false.
pub(super) fn parse(id: Oid, raw: &[u8]) -> Option<Commit> {
    let (headers, body) = match find(raw, b"\n\n") {
        Some(i) => (&raw[..=i], &raw[i + 2..]),
        None => (raw, &raw[raw.len()..]),
    };
    let mut tree = None;
    let mut parents = Vec::new();
    let (mut author, mut committer, mut encoding) = (&b""[..], &b""[..], &b""[..]);
    for line in headers.split(|b| *b == b'\n') {
        // A line that begins with a blank continues the header before it (a signature).
        let Some(space) = line.iter().position(|b| *b == b' ') else {
            continue;
        };
        let (key, value) = (&line[..space], &line[space + 1..]);
        match key {
            b"tree" if tree.is_none() => tree = Some(oid(value)?),
            b"parent" => parents.push(oid(value)?),
            b"author" if author.is_empty() => author = value,
            b"committer" if committer.is_empty() => committer = value,
            b"encoding" if encoding.is_empty() => encoding = value,
            _ => {}
        }
    }
    Some(Commit {
        id,
        tree: tree?,
        parents,
        author: person(author, encoding),
        committer: person(committer, encoding),
        time: time(committer),
        message: decode(body, encoding).into_owned(),
        shallow: false,
    })
}

fn oid(hex: &[u8]) -> Option<Oid> {
    gix::ObjectId::from_hex(hex.trim_ascii_end()).ok().map(Oid)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

/// `Name <address> seconds zone`. The address ends at the first `>` after its `<`.
fn person(line: &[u8], encoding: &[u8]) -> Person {
    let open = line.iter().position(|b| *b == b'<').unwrap_or(line.len());
    let rest = line.get(open + 1..).unwrap_or_default();
    let close = rest.iter().position(|b| *b == b'>').unwrap_or(rest.len());
    let text = |bytes: &[u8]| decode(bytes, encoding).trim().to_owned();
    Person {
        name: text(&line[..open]),
        email: text(&rest[..close]),
    }
}

/// The seconds after the last `>`; 0 where there are none, as git shows such commits.
fn time(line: &[u8]) -> i64 {
    let after = line.iter().rposition(|b| *b == b'>').map_or(0, |i| i + 1);
    line[after..]
        .split(|b| *b == b' ')
        .find(|word| !word.is_empty())
        .and_then(|word| std::str::from_utf8(word).ok()?.parse().ok())
        .unwrap_or(0)
}

/// The bytes as UTF-8. Latin-1 and Windows-1252 are decoded; all else is taken for UTF-8, bytes
/// that are not it replaced.
fn decode<'a>(bytes: &'a [u8], encoding: &[u8]) -> Cow<'a, str> {
    let name = encoding.trim_ascii().to_ascii_lowercase();
    match name.as_slice() {
        b"iso-8859-1" | b"iso8859-1" | b"iso_8859-1" | b"latin1" | b"latin-1" | b"l1" => {
            Cow::Owned(bytes.iter().map(|b| char::from(*b)).collect())
        }
        b"windows-1252" | b"cp1252" => Cow::Owned(bytes.iter().map(|b| windows_1252(*b)).collect()),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// Windows-1252 differs from Latin-1 in 0x80 to 0x9f (WHATWG Encoding, index windows-1252).
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}',
        '\u{2021}', '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}',
        '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}',
        '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}',
        '\u{178}',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &[u8]) -> Option<Commit> {
        let id = Oid::from_hex(&"1".repeat(40)).expect("an id");
        parse(id, raw)
    }

    const TREE: &[u8] = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";

    fn with(rest: &[u8]) -> Commit {
        read(&[TREE, rest].concat()).expect("a commit")
    }

    #[test]
    fn a_signature_with_blank_looking_lines_is_no_message() {
        let c = with(
            b"author A <a@b> 5 +0000\ncommitter C <c@d> -7 +0100\ngpgsig -----BEGIN\n \n x\n\nhi\n\nthere\n",
        );
        assert_eq!(c.message, "hi\n\nthere\n");
        assert_eq!((c.time, c.committer.name.as_str()), (-7, "C"));
    }

    #[test]
    fn odd_people_are_read_as_far_as_they_go() {
        for (line, name, email, when) in [
            (&b"committer  A  B  <a@b> 5 +0000"[..], "A  B", "a@b", 5),
            (b"committer <> 5 +0000", "", "", 5),
            (b"committer A <a@b", "A", "a@b", 0),
            (b"committer A", "A", "", 0),
            (b"committer A <x <y> z> 9 +0000", "A", "x <y", 9),
            (b"committer A <a> nonsense", "A", "a", 0),
        ] {
            let c = with(&[line, b"\n\nm"].concat());
            assert_eq!(
                (c.committer.name.as_str(), c.committer.email.as_str()),
                (name, email)
            );
            assert_eq!(c.time, when);
        }
    }

    #[test]
    fn latin_1_and_windows_1252_are_decoded_and_all_else_is_lossy() {
        let c = with(b"author caf\xe9 <a> 1 +0\nencoding ISO-8859-1\n\ncaf\xe9");
        assert_eq!(
            (c.author.name.as_str(), c.message.as_str()),
            ("café", "café")
        );
        assert_eq!(with(b"encoding cp1252\n\n\x80").message, "€");
        assert_eq!(with(b"\n\xff\n").message, "\u{fffd}\n");
    }

    #[test]
    fn a_commit_without_a_tree_or_with_a_broken_parent_is_none() {
        assert!(read(b"author A <a> 1 +0\n\nm").is_none());
        assert!(read(&[TREE, b"parent abc\n\nm"].concat()).is_none());
        assert_eq!(with(b"author A <a> 1 +0\n").message, "");
    }
}
