//! Python strings: which lines of a triple-quoted one are code.
//!
//! A triple-quoted literal counts as a comment, its lines (newlines + 1) taken off again,
//! unless the token before it makes it a value. A prefix is such a token, so a prefixed one
//! never is code; the text between two interpolations of an f-string is judged on its own.

use tree_sitter::Node;

use super::draft::{Draft, first_line, last_line};
use super::model::Profile;

/// A formatted string the walk is inside of.
struct Formatted {
    triple: bool,
    /// The lines of the piece of text being read, less one.
    newlines: i32,
    /// Whether there is any text in the piece.
    any: bool,
    /// Whether the piece counts as code.
    code: bool,
}

/// The strings around.
#[derive(Default)]
pub(super) struct Strings {
    open: Vec<Formatted>,
    bare: Option<Bare>,
}

/// SlopCodeBench: a line that so far holds nothing but a string statement.
struct Bare {
    line: u32,
}

impl Strings {
    /// A string node. True where it was dealt with as one token, false where its parts are to
    /// be walked. `statement`: whether it is a statement of its own.
    pub(super) fn whole(&mut self, d: &mut Draft<'_>, node: Node<'_>, statement: bool) -> bool {
        let bytes = d.src.as_bytes().get(node.byte_range()).unwrap_or_default();
        let quote = bytes
            .iter()
            .position(|b| matches!(b, b'"' | b'\''))
            .unwrap_or(0);
        let (prefix, rest) = bytes.split_at(quote);
        let triple = rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''");
        let formatted = prefix
            .iter()
            .any(|b| matches!(b, b'f' | b'F' | b't' | b'T'));
        let code = quote == 0 && d.string_is_code;
        if formatted {
            self.open.push(Formatted {
                triple,
                newlines: 0,
                any: false,
                code,
            });
            return false;
        }
        let first = first_line(node);
        let last = last_line(node);
        if d.profile == Profile::Scb {
            self.scb(
                d,
                node,
                first,
                statement && !prefix.iter().any(|b| matches!(b, b'b' | b'B')),
            );
        } else {
            d.token(node, first, last);
            if triple && !code {
                d.count_lines(-(lines(first, last) + 1));
            }
        }
        d.string_is_code = false;
        true
    }

    fn scb(&mut self, d: &mut Draft<'_>, node: Node<'_>, first: u32, statement: bool) {
        let fresh = i64::from(first) > d.last_line;
        d.token(node, first, first);
        d.last_end = last_line(node);
        self.bare = (statement && fresh).then_some(Bare { line: first });
        if self.bare.is_some() {
            d.count_lines(-1);
        }
    }

    /// A token that is no string.
    pub(super) fn token(&mut self, d: &mut Draft<'_>, line: u32) {
        if let Some(bare) = self.bare.take()
            && bare.line == line
        {
            d.count_lines(1);
        }
    }

    /// A piece of a formatted string's text, its quotes included.
    pub(super) fn part(&mut self, d: &mut Draft<'_>, node: Node<'_>) {
        let (first, last) = (first_line(node), last_line(node));
        if d.profile == Profile::Scb {
            self.token(d, first);
            d.token(node, first, first);
            d.last_end = last;
            Self::braces(d, node, first);
        } else {
            d.token(node, first, last);
        }
        d.string_is_code = false;
        if let Some(string) = self.open.last_mut() {
            string.any = true;
            string.newlines += lines(first, last);
        }
    }

    /// SlopCodeBench's tokens: an escaped brace ends a piece of text, and the next begins on
    /// its line.
    fn braces(d: &mut Draft<'_>, node: Node<'_>, first: u32) {
        let text = d.src.get(node.byte_range()).unwrap_or("");
        for (line, content) in (first..).zip(text.split('\n')) {
            let escaped = content.contains("{{") || content.contains("}}");
            if escaped && i64::from(line) > d.last_line {
                d.last_line = i64::from(line);
                d.count_lines(1);
            }
        }
    }

    fn piece(&mut self, d: &mut Draft<'_>) {
        if let Some(string) = self.open.last_mut() {
            if string.triple && string.any && !string.code && d.profile == Profile::Lizard {
                d.count_lines(-(string.newlines + 1));
            }
            string.newlines = 0;
            string.any = false;
        }
    }

    /// An interpolation: the piece before it is complete, and its last token is the one
    /// before the next piece.
    pub(super) fn interpolation(&mut self, d: &mut Draft<'_>, node: Node<'_>) {
        self.piece(d);
        let text = d.src.get(node.byte_range()).unwrap_or("");
        let inside = text.trim_end_matches('}').trim_end();
        if let Some(string) = self.open.last_mut() {
            string.code = inside.ends_with(['=', '(', ',', '[', '+', '-', '*', '/', '%']);
        }
    }

    /// A formatted string ends.
    pub(super) fn end(&mut self, d: &mut Draft<'_>) {
        self.piece(d);
        self.open.pop();
        d.string_is_code = false;
    }
}

fn lines(first: u32, last: u32) -> i32 {
    i32::try_from(last.saturating_sub(first)).unwrap_or(i32::MAX - 1)
}
