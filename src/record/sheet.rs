//! A note as a set of lines: joining two notes is the union, so that order, repetition and
//! who was first never matter.

use std::collections::BTreeSet;

/// The lines of a note that are not blank, without line feeds and white space at their ends.
pub fn lines(note: &[u8]) -> impl Iterator<Item = &[u8]> {
    note.split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
}

/// The note of all lines of `notes`: each once, sorted by bytes, each ended by a line feed.
pub fn union<'a>(notes: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let all: BTreeSet<&[u8]> = notes.into_iter().flat_map(lines).collect();
    let mut note = Vec::with_capacity(all.iter().map(|l| l.len() + 1).sum());
    for line in all {
        note.extend_from_slice(line);
        note.push(b'\n');
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn note() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof![
            "\\{\"a\":[0-9]{1,2}\\}".prop_map(String::into_bytes),
            Just(Vec::new()),
            proptest::collection::vec(any::<u8>(), 0..6),
        ];
        proptest::collection::vec(line, 0..6).prop_map(|lines| lines.join(&b'\n'))
    }

    proptest! {
        #[test]
        fn joining_is_a_union(a in note(), b in note(), c in note()) {
            let join = |x: &[u8], y: &[u8]| union([x, y]);
            prop_assert_eq!(join(&a, &b), join(&b, &a));
            prop_assert_eq!(join(&join(&a, &b), &c), join(&a, &join(&b, &c)));
            let one = union([a.as_slice()]);
            prop_assert_eq!(&join(&a, &a), &one);
            prop_assert_eq!(&union([one.as_slice()]), &one);
            for line in lines(&a).chain(lines(&b)) {
                let joined = join(&a, &b);
                prop_assert_eq!(lines(&joined).filter(|l| *l == line).count(), 1);
            }
        }
    }

    #[test]
    fn blank_lines_and_repeated_lines_go() {
        let joined = union([b"{\"k\":2}\r\n\n\n{\"k\":1}".as_slice(), b"{\"k\":1}\n"]);
        assert_eq!(joined, b"{\"k\":1}\n{\"k\":2}\n");
        assert_eq!(union([b"\n \n".as_slice()]), b"");
    }
}
