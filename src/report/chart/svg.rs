//! A finished figure, as a part of a page or as a file, and text made fit for XML.

use std::borrow::Cow;
use std::fmt::Write;

use super::style;

/// A finished figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) desc: String,
    pub(super) width: String,
    pub(super) height: String,
    pub(super) body: String,
}

impl Svg {
    /// What it is, in one line; not escaped.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it shows, in words with the numbers; not escaped.
    pub fn words(&self) -> &str {
        &self.desc
    }

    /// For a page whose style holds [`page_style`](super::page_style): no declaration, colours
    /// by the page's variables, as wide as the place it stands in.
    pub fn inline(&self) -> String {
        let mut out = String::with_capacity(self.body.len() + self.desc.len() + 300);
        let _ = write!(
            out,
            "<svg class=\"ev\" role=\"img\" aria-labelledby=\"{id}-t\" \
             aria-describedby=\"{id}-d\" viewBox=\"0 0 {} {}\">",
            self.width,
            self.height,
            id = self.id
        );
        self.inside(&mut out);
        out.push_str("</svg>\n");
        out
    }

    /// As a file of its own: UTF-8, its style in it, in light or dark as the reader's system is.
    pub fn file(&self) -> String {
        let style = style::file_style();
        let mut out = String::with_capacity(self.body.len() + self.desc.len() + style.len() + 400);
        let _ = write!(
            out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
             class=\"ev\" role=\"img\" aria-labelledby=\"{id}-t\" aria-describedby=\"{id}-d\" \
             width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n<style>{style}</style>\n\
             <rect class=\"ev-ground\" width=\"{w}\" height=\"{h}\"/>\n",
            w = self.width,
            h = self.height,
            id = self.id
        );
        self.inside(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn inside(&self, out: &mut String) {
        let _ = write!(
            out,
            "<title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{}",
            escaped(&self.title),
            escaped(&self.desc),
            self.body,
            id = self.id
        );
    }
}

/// Text as XML 1.0 and HTML may hold it, in an element or in quotes: markup escaped; characters
/// that XML forbids, and marks that turn the reading direction, replaced.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '<' | '>' | '&' | '"' | '\'') && !replaced(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if replaced(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn replaced(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{fffe}' | '\u{ffff}' | '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        )
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_forbidden_characters_are_replaced() {
        assert_eq!(escaped("plain é 漢"), "plain é 漢");
        assert_eq!(
            escaped("</title><script>'\"&\u{0}\u{1b}\n\u{202e}\u{ffff}"),
            "&lt;/title&gt;&lt;script&gt;&#39;&quot;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
