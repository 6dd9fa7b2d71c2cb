//! Reports rewritten as other writers would have written them: the same must come of them.

use super::samples::{Given, Sample, differences, read, samples};

/// A piece of XML, bytes kept as characters.
#[derive(Clone, Debug)]
enum Piece {
    Open {
        name: String,
        /// Name, quotation mark, value as written.
        attributes: Vec<(String, char, String)>,
        closed: bool,
    },
    Close(String),
    Text(String),
    Section(String),
    /// Declaration, comment, document type.
    Other(String),
}

/// Splits well-formed XML.
fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let until = |rest: &str, end: &str| rest.find(end).expect("closed") + end.len();
    while !rest.is_empty() {
        let length = if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            let end = inside.find("]]>").expect("closed");
            pieces.push(Piece::Section(inside[..end].to_owned()));
            "<![CDATA[".len() + end + 3
        } else if rest.starts_with("<!--") {
            let length = until(rest, "-->");
            pieces.push(Piece::Other(rest[..length].to_owned()));
            length
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            let length = until(rest, ">");
            pieces.push(Piece::Other(rest[..length].to_owned()));
            length
        } else if rest.starts_with("</") {
            let length = until(rest, ">");
            pieces.push(Piece::Close(rest[2..length - 1].trim().to_owned()));
            length
        } else if rest.starts_with('<') {
            let (piece, length) = open(rest);
            pieces.push(piece);
            length
        } else {
            let length = rest.find('<').unwrap_or(rest.len());
            pieces.push(Piece::Text(rest[..length].to_owned()));
            length
        };
        rest = &rest[length..];
    }
    pieces
}

fn open(text: &str) -> (Piece, usize) {
    let blank = |c: char| c.is_ascii_whitespace();
    let end = text
        .find(|c: char| blank(c) || "/>".contains(c))
        .expect("closed");
    let mut attributes = Vec::new();
    let mut at = end;
    loop {
        at += text[at..].find(|c: char| !blank(c)).expect("closed");
        let closed = text[at..].starts_with("/>");
        if closed || text[at..].starts_with('>') {
            let name = text[1..end].to_owned();
            let piece = Piece::Open {
                name,
                attributes,
                closed,
            };
            return (piece, at + if closed { 2 } else { 1 });
        }
        let equals = at + text[at..].find('=').expect("a value");
        let key = text[at..equals].trim().to_owned();
        let from = equals + 1 + text[equals + 1..].find(['"', '\'']).expect("quoted");
        let quote = text[from..].chars().next().expect("a mark");
        let to = from + 1 + text[from + 1..].find(quote).expect("closed");
        attributes.push((key, quote, text[from + 1..to].to_owned()));
        at = to + 1;
    }
}

fn written(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Open {
                name,
                attributes,
                closed,
            } => {
                out.push_str(&format!("<{name}"));
                for (key, quote, value) in attributes {
                    out.push_str(&format!(" {key}={quote}{value}{quote}"));
                }
                out.push_str(if *closed { "/>" } else { ">" });
            }
            Piece::Close(name) => out.push_str(&format!("</{name}>")),
            Piece::Text(text) | Piece::Other(text) => out.push_str(text),
            Piece::Section(text) => out.push_str(&format!("<![CDATA[{text}]]>")),
        }
    }
    out
}

/// What looks random, and is the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn attributes_in_another_order(pieces: &mut [Piece], dice: &mut Dice) {
    for piece in pieces {
        if let Piece::Open { attributes, .. } = piece {
            for last in (1..attributes.len()).rev() {
                attributes.swap(last, dice.below(last + 1));
            }
            for (_, quote, value) in attributes.iter_mut() {
                let other = if *quote == '"' { '\'' } else { '"' };
                if !value.contains(other) {
                    *quote = other;
                }
            }
        }
    }
}

fn with_comments(pieces: &mut Vec<Piece>, dice: &mut Dice) {
    let noise = [
        "<!-- <testcase name='no' classname='No'><failure/></testcase> -->",
        "<?stop </testsuite> ?>",
        "<!---->",
        "<!-- - -- &#0; & -->",
    ];
    let mut out = Vec::new();
    for (i, piece) in pieces.drain(..).enumerate() {
        let declaration = matches!(&piece, Piece::Other(text) if text.starts_with("<?xml"));
        let after = i > 0 || declaration;
        out.push(piece);
        if after {
            out.push(Piece::Other(noise[dice.below(noise.len())].to_owned()));
        }
    }
    *pieces = out;
}

fn with_other_white_space(pieces: &mut Vec<Piece>, dice: &mut Dice) {
    let blanks = ["\r\n", "\r\n\t\t", "   ", "\n\n"];
    let mut out = Vec::new();
    for (i, piece) in pieces.drain(..).enumerate() {
        match piece {
            Piece::Text(text) => out.push(Piece::Text(text.replace('\n', "\r\n"))),
            Piece::Open {
                name,
                mut attributes,
                closed,
            } => {
                for (key, _, _) in &mut attributes {
                    *key = format!("{}{key} ", blanks[dice.below(4)]);
                }
                if i > 0 {
                    out.push(Piece::Text(blanks[dice.below(4)].to_owned()));
                }
                out.push(Piece::Open {
                    name,
                    attributes,
                    closed,
                });
            }
            Piece::Close(name) => {
                out.push(Piece::Close(format!("{name}{}", blanks[dice.below(4)])))
            }
            other => out.push(other),
        }
    }
    out.push(Piece::Text("\r\n\r\n".to_owned()));
    *pieces = out;
}

fn with_unknown_parts(pieces: &mut Vec<Piece>, _: &mut Dice) {
    let mut out = Vec::new();
    for piece in pieces.drain(..) {
        let Piece::Open {
            name,
            mut attributes,
            closed,
        } = piece
        else {
            out.push(piece);
            continue;
        };
        attributes.insert(0, ("x-unknown".to_owned(), '"', "7 &lt; 8".to_owned()));
        attributes.push(("xml:lang".to_owned(), '\'', String::new()));
        let holds = !closed && name.starts_with("test");
        out.push(Piece::Open {
            name,
            attributes,
            closed,
        });
        if holds {
            let unknown =
                "<x:unknown n='1'><inner>text &amp; <failure/></inner></x:unknown><more/>";
            out.extend(split(unknown));
        }
    }
    *pieces = out;
}

fn wrapped(pieces: &mut Vec<Piece>, _: &mut Dice) {
    let root = pieces.iter().position(|p| matches!(p, Piece::Open { .. }));
    let root = root.expect("a root");
    pieces.splice(root..root, split("<testsuites>\n<testsuite>"));
    pieces.extend(split("</testsuite>\n</testsuites>\n"));
}

fn closed_otherwise(pieces: &mut Vec<Piece>, _: &mut Dice) {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces.drain(..) {
        match (piece, out.last_mut()) {
            (
                Piece::Close(name),
                Some(Piece::Open {
                    name: opened,
                    closed,
                    ..
                }),
            ) if *opened == name && !*closed => {
                *closed = true;
            }
            (
                Piece::Open {
                    name,
                    attributes,
                    closed: true,
                },
                _,
            ) => {
                out.push(Piece::Open {
                    name: name.clone(),
                    attributes,
                    closed: false,
                });
                out.push(Piece::Close(name));
            }
            (other, _) => out.push(other),
        }
    }
    *pieces = out;
}

fn with_sections_split(pieces: &mut Vec<Piece>, dice: &mut Dice) {
    let mut out = Vec::new();
    for piece in pieces.drain(..) {
        match piece {
            Piece::Section(text) => {
                let mut at = dice.below(text.len() + 1);
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                out.push(Piece::Section(text[..at].to_owned()));
                out.push(Piece::Section(text[at..].to_owned()));
            }
            Piece::Text(text) if !text.trim().is_empty() && !text.contains(['&', ']']) => {
                out.push(Piece::Section(text));
            }
            other => out.push(other),
        }
    }
    *pieces = out;
}

/// Letters of names as references.
fn with_references(pieces: &mut Vec<Piece>, dice: &mut Dice) {
    for piece in pieces {
        if let Piece::Open { attributes, .. } = piece {
            for (_, _, value) in attributes {
                // Not inside of a reference.
                if value.contains('&') || !value.is_ascii() || value.is_empty() {
                    continue;
                }
                let at = dice.below(value.len());
                let code = value.as_bytes()[at];
                let reference = match dice.below(2) {
                    0 => format!("&#{code};"),
                    _ => format!("&#x{code:x};"),
                };
                value.replace_range(at..=at, &reference);
            }
        }
    }
}

fn utf_16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let text = text.replacen("encoding=\"UTF-8\"", "encoding=\"UTF-16\"", 1);
    let units = mark
        .then_some(0xFEFF)
        .into_iter()
        .chain(text.encode_utf16());
    units
        .flat_map(|u| {
            if big {
                u.to_be_bytes()
            } else {
                u.to_le_bytes()
            }
        })
        .collect()
}

/// In ISO-8859-1, what it lacks as references (but in sections, whose text is not looked at).
fn latin(text: &str) -> Vec<u8> {
    let body = match text.strip_prefix("<?xml") {
        Some(rest) => &rest[rest.find("?>").expect("closed") + 2..],
        None => text,
    };
    let mut out = b"<?xml version='1.0' encoding='iso-8859-1'?>".to_vec();
    for c in body.chars() {
        match u32::from(c) {
            code @ (0..=0x7F | 0xA0..=0xFF) => out.push(code as u8),
            code => out.extend(format!("&#{code};").into_bytes()),
        }
    }
    out
}

/// What cannot be split or written anew: it is not whole, or refused.
fn is_whole(sample: &Sample) -> bool {
    let reasons = sample.expected["reasons"].to_string();
    !reasons.contains("truncated-report") && !reasons.contains("dtd-refused")
}

fn is_xml(file: &Given) -> bool {
    file.bytes.trim_ascii_start().starts_with(b"<")
}

/// Checks all samples with each XML file rewritten.
fn same_after(what: &str, rewrite: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>) {
    let mut wrong = Vec::new();
    let mut rewritten = 0;
    for sample in samples() {
        if sample.expected["format"] == "derived" || !is_whole(&sample) {
            continue;
        }
        let mut files = sample.files.clone();
        for file in files.iter_mut().filter(|f| is_xml(f)) {
            if let Some(bytes) = rewrite(&file.bytes) {
                file.bytes = bytes;
                rewritten += 1;
            }
        }
        let more = differences(&sample, &read(&files, &sample.run));
        wrong.extend(
            more.into_iter()
                .map(|w| format!("{what}: {}: {w}", sample.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rewritten >= 25, "{what}: {rewritten}");
}

/// Rewrites pieces; bytes stand as the characters of their numbers, so that any encoding that
/// holds ASCII passes through.
fn same_after_pieces(what: &str, change: fn(&mut Vec<Piece>, &mut Dice)) {
    for seed in 1..4 {
        let mut dice = Dice(seed);
        same_after(what, &mut |bytes| {
            let text: String = bytes.iter().map(|b| char::from(*b)).collect();
            let mut pieces = split(&text);
            assert_eq!(
                written(&pieces).len(),
                written(&split(&written(&pieces))).len()
            );
            change(&mut pieces, &mut dice);
            let text = written(&pieces);
            Some(text.chars().map(|c| c as u8).collect())
        });
    }
}

#[test]
fn attributes_may_stand_in_any_order_and_quotation() {
    same_after_pieces("order", |pieces, dice| {
        attributes_in_another_order(pieces, dice)
    });
}

#[test]
fn comments_and_instructions_mean_nothing() {
    same_after_pieces("comments", with_comments);
}

#[test]
fn white_space_and_line_ends_mean_nothing() {
    same_after_pieces("white space", with_other_white_space);
}

#[test]
fn unknown_elements_and_attributes_mean_nothing() {
    same_after_pieces("unknown", with_unknown_parts);
}

#[test]
fn suites_may_stand_in_suites() {
    same_after("wrapped", &mut |bytes| {
        let text: String = bytes.iter().map(|b| char::from(*b)).collect();
        let report = text.contains("<testsuite") && !text.contains("<!DOCTYPE");
        let mut pieces = report.then(|| split(&text))?;
        wrapped(&mut pieces, &mut Dice(1));
        Some(written(&pieces).chars().map(|c| c as u8).collect())
    });
}

#[test]
fn empty_elements_may_be_closed_either_way() {
    same_after_pieces("closed", closed_otherwise);
}

#[test]
fn sections_may_be_split_and_stand_for_text() {
    same_after_pieces("sections", with_sections_split);
}

#[test]
fn letters_may_be_references() {
    same_after_pieces("references", with_references);
}

#[test]
fn the_encoding_means_nothing() {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    same_after("UTF-16, marked", &mut |b| {
        Some(utf_16(&text(b)?, false, true))
    });
    same_after("UTF-16, big", &mut |b| Some(utf_16(&text(b)?, true, true)));
    same_after("UTF-16, unmarked", &mut |b| {
        Some(utf_16(&text(b)?, false, false))
    });
    same_after("ISO-8859-1", &mut |b| Some(latin(&text(b)?)));
    same_after("UTF-8, marked", &mut |b| {
        Some([b"\xEF\xBB\xBF", text(b)?.as_bytes()].concat())
    });
}
