//! A manual page as text: the few requests that our own pages use.

use crate::report::{Tone, wrap};

/// Blanks before a paragraph.
const INDENT: usize = 7;

/// The page as text of at most `columns`, headings and option names in bold.
pub(super) fn text(page: &str, columns: usize) -> String {
    let mut out = Page {
        out: String::new(),
        columns,
        indent: INDENT,
        words: String::new(),
        tag: Tag::None,
        depth: 0,
    };
    for line in page.lines() {
        out.line(line);
    }
    out.paragraph();
    out.out.trim_start_matches('\n').to_owned()
}

enum Tag {
    None,
    /// The next line is the tag of a paragraph.
    Next,
    /// The paragraph after a tag, further in.
    Body,
}

struct Page {
    out: String,
    columns: usize,
    indent: usize,
    words: String,
    tag: Tag,
    depth: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        let Some(request) = line.strip_prefix('.').filter(|r| !r.is_empty()) else {
            self.text(line);
            return;
        };
        let (name, rest) = request.split_once(' ').unwrap_or((request, ""));
        match name {
            "SH" | "SS" => {
                self.paragraph();
                self.tag = Tag::None;
                self.depth = 0;
                let title = plain(rest).trim_matches('"').to_owned();
                let pad = if name == "SS" { "   " } else { "" };
                self.out
                    .push_str(&format!("\n{pad}{}\n", Tone::Title.paint(&title)));
            }
            "TP" => {
                self.paragraph();
                self.out.push('\n');
                self.tag = Tag::Next;
            }
            "PP" | "P" | "LP" | "sp" => {
                self.paragraph();
                self.out.push('\n');
                if !matches!(self.tag, Tag::Body) || name != "sp" {
                    self.tag = Tag::None;
                }
            }
            "br" => self.paragraph(),
            "IP" => {
                self.paragraph();
                self.words.push('•');
            }
            "RS" => {
                self.paragraph();
                self.depth += 1;
                self.tag = Tag::None;
            }
            "RE" => {
                self.paragraph();
                self.depth = self.depth.saturating_sub(1);
                self.tag = Tag::None;
            }
            // Titles and settings of the typesetter.
            _ => {}
        }
    }

    fn text(&mut self, line: &str) {
        let words = plain(line);
        if matches!(self.tag, Tag::Next) {
            let pad = " ".repeat(self.indent + self.depth * 4);
            self.out
                .push_str(&format!("{pad}{}\n", Tone::Title.paint(&words)));
            self.tag = Tag::Body;
            return;
        }
        if !self.words.is_empty() {
            self.words.push(' ');
        }
        self.words.push_str(&words);
    }

    fn paragraph(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        let further = if matches!(self.tag, Tag::Body) { 4 } else { 0 };
        let indent = self.indent + self.depth * 4 + further;
        let pad = " ".repeat(indent);
        let room = self.columns.saturating_sub(indent).max(20);
        let text = wrap(&words, room, 0).replace('\n', &format!("\n{pad}"));
        self.out.push_str(&format!("{pad}{text}\n"));
    }
}

/// Text without fonts and escapes.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('f') => {
                chars.next();
            }
            Some('-') => out.push('-'),
            Some('e' | '\\') => out.push('\\'),
            Some('(') => match (chars.next(), chars.next()) {
                (Some('a'), Some('q')) => out.push('\''),
                (Some('d'), Some('q')) => out.push('"'),
                _ => {}
            },
            Some('*') => {
                // `\*(Aq` and the like: a string of two letters.
                if chars.next() == Some('(')
                    && chars.next() == Some('A')
                    && chars.next() == Some('q')
                {
                    out.push('\'');
                }
            }
            Some('&') | None => {}
            Some(other) => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_as_text() {
        let page = ".TH x 1\n.SH NAME\nx \\- does it\n.SH OPTIONS\n.TP\n\\fB\\-\\-all\\fR\nTake all\nof them\n.PP\nEnd\n";
        let text = text(page, 60);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r"
        NAME
               x - does it

        OPTIONS

               --all
                   Take all of them

               End
        ");
    }
}
