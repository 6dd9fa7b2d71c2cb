//! XML as tools write it, read as a stream: any encoding, no document type definitions, nothing
//! fetched or expanded, and never more in memory than a few pieces, however large the text.
//!
//! What is not quite XML but clear is read: characters that XML forbids are replaced, a lone
//! ampersand and unknown entities stay as they are; [`Xml::told`] says so. A text that stops in
//! the middle ([`XmlError::CutOff`]) is told from one that is wrong ([`XmlError::Malformed`]).

mod chop;
mod decode;
mod references;

use std::{fmt, io};

use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::events::{BytesStart, Event as Raw};

use self::chop::Chop;
use self::decode::Decode;
use self::references::Joined;
use crate::record::Source;

/// Elements inside of each other.
const DEPTH_MAX: usize = 64;
/// Bytes of one attribute.
const ATTRIBUTE_MAX: usize = 1 << 20;
/// Attributes of one element.
const ATTRIBUTES_MAX: usize = 128;

/// The next thing in a text.
#[derive(Debug)]
pub(super) enum Event<'x> {
    /// An element begins. One without content is closed next.
    Open(&'x Element),
    /// The element of this name ends.
    Close(&'x str),
    /// The whole text was read; its root was closed.
    End,
}

/// The start of an element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Element {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Its name, without a prefix.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The value of an attribute, references resolved; its name as written.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All attributes as written, in their order.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.attributes.iter();
        all.map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// Why a text is not read to its end.
#[derive(Debug)]
pub(super) enum XmlError {
    /// It cannot be read.
    Io(io::Error),
    /// It ends too early; an empty one does.
    CutOff,
    /// It is not XML; says where it goes wrong.
    Malformed(String),
    /// It defines its own document type.
    DtdRefused,
    /// Larger than anything a report needs; says what.
    TooLarge(&'static str),
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XmlError::Io(e) => write!(f, "not readable: {e}"),
            XmlError::CutOff => f.write_str("cut off"),
            XmlError::Malformed(what) => write!(f, "malformed: {what}"),
            XmlError::DtdRefused => f.write_str("it defines its own document type"),
            XmlError::TooLarge(what) => write!(f, "{what} is too large"),
        }
    }
}

/// What was mended while reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mended {
    /// It is not in the encoding it says (or implies) it is in.
    pub(super) encoding_fallback: bool,
    /// Characters that XML forbids, raw or as references, were replaced; entities nobody knows and
    /// lone ampersands were left as they are.
    pub(super) invalid_characters: bool,
}

/// A text, read from its beginning.
pub(super) struct Xml<'s> {
    reader: Reader<Chop<'s>>,
    buffer: Vec<u8>,
    element: Element,
    closed: String,
    depth: usize,
    rooted: bool,
    mended: bool,
}

enum Step {
    Open,
    Close,
    Text,
    End,
}

impl<'s> Xml<'s> {
    /// Prepares to read a source from its beginning.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) fn new(source: &'s mut dyn Source) -> io::Result<Self> {
        let mut reader = Reader::from_reader(Chop::new(Decode::new(source)?));
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.expand_empty_elements = true;
        Ok(Xml {
            reader,
            buffer: Vec::new(),
            element: Element::default(),
            closed: String::new(),
            depth: 0,
            rooted: false,
            mended: false,
        })
    }

    /// The next start or end of an element; text in between is passed over.
    ///
    /// # Errors
    /// Why it is not read on; asked again, it is the end.
    pub(super) fn next(&mut self) -> Result<Event<'_>, XmlError> {
        loop {
            match self.step(true, None)? {
                Step::Open => return Ok(Event::Open(&self.element)),
                Step::Close => return Ok(Event::Close(&self.closed)),
                Step::End => return Ok(Event::End),
                Step::Text => {}
            }
        }
    }

    /// Passes over the rest of the element opened last, its end included; builds nothing.
    ///
    /// # Errors
    /// As `next`.
    pub(super) fn skip(&mut self) -> Result<(), XmlError> {
        self.pass(None)
    }

    /// The text in the rest of the element opened last and all in it, at most `most` bytes; reads
    /// on to its end.
    ///
    /// # Errors
    /// As `next`.
    pub(super) fn text(&mut self, most: usize) -> Result<String, XmlError> {
        let mut joined = Joined::new(most);
        self.pass(Some(&mut joined))?;
        let (text, mended) = joined.finish();
        self.mended |= mended;
        Ok(text)
    }

    /// What was mended so far.
    pub(super) fn told(&self) -> Mended {
        let from = &self.reader.get_ref().from;
        Mended {
            encoding_fallback: from.fallback,
            invalid_characters: from.marred || self.mended,
        }
    }

    fn pass(&mut self, mut into: Option<&mut Joined>) -> Result<(), XmlError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if let Step::End = self.step(false, into.as_deref_mut())? {
                break;
            }
        }
        Ok(())
    }

    /// One event; attributes are kept where `build`, text is appended to `into`.
    fn step(&mut self, build: bool, into: Option<&mut Joined>) -> Result<Step, XmlError> {
        self.buffer.clear();
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => return Err(self.error(error)),
        };
        let outside = self.depth == 0;
        match event {
            Raw::Start(start) => {
                if outside && self.rooted {
                    return Err(malformed("a second root"));
                }
                if self.depth == DEPTH_MAX {
                    return Err(XmlError::TooLarge("the nesting of elements"));
                }
                self.depth += 1;
                self.rooted = true;
                if build {
                    self.mended |= self.element.take(&start)?;
                }
                Ok(Step::Open)
            }
            Raw::End(end) => {
                self.depth -= 1;
                self.closed.clear();
                self.closed.push_str(end.local_name().as_ref());
                Ok(Step::Close)
            }
            Raw::Text(text) => {
                if outside
                    && !text
                        .trim_matches(|c: char| c.is_ascii_whitespace())
                        .is_empty()
                {
                    return Err(malformed("text outside of the root"));
                }
                self.mended |= text.starts_with('&');
                if let Some(into) = into {
                    into.text(&text);
                }
                Ok(Step::Text)
            }
            Raw::CData(text) => {
                if outside {
                    return Err(malformed("text outside of the root"));
                }
                if let Some(into) = into {
                    into.text(&text);
                }
                Ok(Step::Text)
            }
            Raw::GeneralRef(reference) => {
                if outside {
                    return Err(malformed("text outside of the root"));
                }
                match into {
                    Some(into) => into.reference(&reference),
                    None => self.mended |= !references::is_allowed(&reference),
                }
                Ok(Step::Text)
            }
            Raw::Eof => {
                let open = self.reader.get_ref().is_open();
                if self.depth > 0 || !self.rooted || open {
                    return Err(XmlError::CutOff);
                }
                Ok(Step::End)
            }
            Raw::Empty(_) | Raw::Comment(_) | Raw::Decl(_) | Raw::PI(_) | Raw::DocType(_) => {
                Ok(Step::Text)
            }
        }
    }

    fn error(&mut self, error: Error) -> XmlError {
        if let Some(refused) = self.reader.get_mut().refused.take() {
            return refused;
        }
        match error {
            Error::Io(e) => XmlError::Io(io::Error::new(e.kind(), e.to_string())),
            Error::Syntax(_) => XmlError::CutOff,
            other => XmlError::Malformed(other.to_string()),
        }
    }
}

impl Element {
    /// Becomes `start`; whether something in it was mended.
    fn take(&mut self, start: &BytesStart<'_>) -> Result<bool, XmlError> {
        self.attributes.clear();
        self.name.clear();
        self.name.push_str(start.local_name().as_ref());
        let mut mended = false;
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|e| malformed(&e.to_string()))?;
            if self.attributes.len() == ATTRIBUTES_MAX {
                return Err(XmlError::TooLarge("the number of attributes"));
            }
            let (value, marred) = references::value(&attribute.value);
            mended |= marred;
            let key = attribute.key.as_ref().to_owned();
            self.attributes.push((key, value));
        }
        Ok(mended)
    }
}

fn malformed(what: &str) -> XmlError {
    XmlError::Malformed(what.to_owned())
}

/// The first element of a text: what kind of file it is.
///
/// # Errors
/// Why there is none to be read.
pub(super) fn root(source: &mut dyn Source) -> Result<Element, XmlError> {
    let mut xml = Xml::new(source).map_err(XmlError::Io)?;
    match xml.next()? {
        Event::Open(element) => Ok(element.clone()),
        Event::Close(_) | Event::End => Err(XmlError::CutOff),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Everything of a text as words, or why not.
    fn words(bytes: &[u8]) -> Result<(String, Mended), (String, String)> {
        let mut source = Cursor::new(bytes);
        let mut xml = Xml::new(&mut source).expect("in memory");
        let mut words = String::new();
        loop {
            match xml.next() {
                Ok(Event::Open(element)) => {
                    words.push_str(&format!("<{}", element.name()));
                    for (name, value) in element.attributes() {
                        words.push_str(&format!(" {name}={value}"));
                    }
                    words.push('>');
                    let name = element.name().to_owned();
                    if name == "text" {
                        let text = xml
                            .text(100_000)
                            .map_err(|e| (words.clone(), e.to_string()))?;
                        words.push_str(&text);
                    } else if name == "skip" {
                        xml.skip().map_err(|e| (words.clone(), e.to_string()))?;
                    }
                }
                Ok(Event::Close(name)) => words.push_str(&format!("</{name}>")),
                Ok(Event::End) => return Ok((words, xml.told())),
                Err(e) => return Err((words, e.to_string())),
            }
        }
    }

    fn good(text: &str) -> String {
        let (words, mended) = words(text.as_bytes()).expect("well-formed");
        assert_eq!(mended, Mended::default());
        words
    }

    fn bad(text: &str) -> String {
        words(text.as_bytes()).expect_err("not well-formed").1
    }

    #[test]
    fn elements_attributes_and_text_come_in_order() {
        let text = "<?xml version='1.0'?>\n<!-- <no/> --><a x:b = \"1 > 0\" c='&lt;\"'><d/>
            <p:e>t</p:e><text>a &amp; b<![CDATA[<c>&amp;]]]]><![CDATA[>]]> <i>d</i><!--x-->e\r\n</text>
            <skip><text>no</text></skip></a> <?end now?>\n";
        assert_eq!(
            good(text),
            "<a x:b=1 > 0 c=<\"><d></d><e></e><text>a & b<c>&amp;]]> de\n<skip></a>"
        );
    }

    #[test]
    fn a_text_that_stops_is_told_from_one_that_is_wrong() {
        let whole = "<?xml version='1.0'?><!-- c --><a b='1'>t<![CDATA[x]]><c/>&amp;</a>";
        for at in (0..whole.len()).filter(|at| whole.is_char_boundary(*at)) {
            assert_eq!(bad(&whole[..at]), "cut off", "{}", &whole[..at]);
        }
        good(whole);
        assert_eq!(bad("<a/><!-- "), "cut off");
        assert_eq!(bad("  \n"), "cut off");
        for wrong in [
            "<a></b>",
            "<a/><b/>",
            "<a/>x",
            "x<a/>",
            "<a/></a>",
            "<a <b/>>",
            "<a b=1/>",
            "<a b='1' b='2'/>",
            "<a>< /a>",
            "<a></a '>",
            "<!WHAT><a/>",
            "<a/>&amp;",
            "<![CDATA[x]]><a/>",
            "{\"json\": 1}",
        ] {
            assert!(
                bad(wrong).starts_with("malformed"),
                "{wrong}: {}",
                bad(wrong)
            );
        }
    }

    #[test]
    fn document_types_are_refused_inside_and_ignored_outside() {
        good("<!DOCTYPE a SYSTEM \"a[b].dtd\"><a/>");
        good("<!DOCTYPE a PUBLIC '-//X//EN' 'http://x.invalid/a.dtd' ><a/>");
        good("<!doctype a><a/>");
        good("<a><text><![CDATA[<!DOCTYPE a [ <!ENTITY b 'c'> ]>]]></text></a>");
        let far = format!("<!--{}--><!DOCTYPE a [", "x".repeat(300_000));
        for refused in [
            "<!DOCTYPE a [ <!ENTITY b 'c'> ]><a/>",
            "<!DOCTYPE a SYSTEM 'x' []><a/>",
            "<a><!DOCTYPE a [ ]></a>",
            "<a><!ENTITY b 'c'></a>",
            far.as_str(),
        ] {
            assert_eq!(bad(refused), "it defines its own document type");
        }
    }

    #[test]
    fn what_xml_forbids_is_read_and_said() {
        let text = "<a b='&#7;\u{1}'><text>\u{0}&#xD83D;&#xDE00;&nbsp; a & b</text><c>&#0;</c></a>";
        let (words, mended) = words(text.as_bytes()).expect("readable");
        assert_eq!(
            words,
            "<a b=\u{FFFD}\u{FFFD}><text>\u{FFFD}😀&nbsp; a & b<c></c></a>"
        );
        assert!(mended.invalid_characters && !mended.encoding_fallback);
    }

    #[test]
    fn long_text_is_whole_whatever_it_is_made_of() {
        for unit in [
            "x", "]", "]]", "] ]>", "é", "&amp;", "&", "-->", "😀]", " & ", ";",
        ] {
            let long = unit.repeat(100_000 / unit.len());
            let section = long.replace("]]>", "");
            let text = format!("<a><text><![CDATA[{section}]]></text></a>");
            assert_eq!(
                words(text.as_bytes()).expect("read").0,
                format!("<a><text>{section}</a>")
            );
            let plain = long.replace("]]>", "");
            let text = format!("<a><text>{plain}</text></a>");
            let expected = plain.replace("&amp;", "&");
            assert_eq!(
                words(text.as_bytes()).expect("read").0,
                format!("<a><text>{expected}</a>")
            );
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let deep = |n: usize| format!("{}{}", "<a>".repeat(n), "</a>".repeat(n));
        good(&deep(DEPTH_MAX));
        assert_eq!(
            bad(&deep(DEPTH_MAX + 1)),
            "the nesting of elements is too large"
        );
        let skipped = format!("<skip>{}</skip>", deep(DEPTH_MAX));
        assert_eq!(bad(&skipped), "the nesting of elements is too large");
        let long = |n: usize| format!("<a b='{}'/>", "x".repeat(n));
        good(&long(ATTRIBUTE_MAX));
        assert_eq!(bad(&long(ATTRIBUTE_MAX + 2)), "an attribute is too large");
        let many: String = (0..=ATTRIBUTES_MAX).map(|i| format!(" a{i}=''")).collect();
        assert_eq!(
            bad(&format!("<a{many}/>")),
            "the number of attributes is too large"
        );
        let wide: String = (0..6)
            .map(|i| format!(" a{i}='{}'", "x".repeat(900_000)))
            .collect();
        assert_eq!(bad(&format!("<a{wide}/>")), "a tag is too large");
    }

    #[test]
    fn the_root_tells_what_a_file_is() {
        let mut source =
            Cursor::new(b"<?xml version='1.0'?><!DOCTYPE r SYSTEM 'x'><p:r a='1'>".to_vec());
        let element = root(&mut source).expect("a root");
        assert_eq!((element.name(), element.attribute("a")), ("r", Some("1")));
        assert!(matches!(
            root(&mut Cursor::new(b"<r")),
            Err(XmlError::CutOff)
        ));
    }
}
