//! Figures read back by a real parser.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element: its name, its attributes, the text directly in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub text: String,
    /// How many elements are around it.
    pub depth: usize,
}

fn opened(tag: &BytesStart<'_>, depth: usize) -> Element {
    let mut attributes = BTreeMap::new();
    for attribute in tag.attributes() {
        let attribute = attribute.expect("a well-formed attribute");
        let key = attribute.key.as_ref().to_owned();
        let value = attribute
            .normalized_value(quick_xml::XmlVersion::Implicit1_0)
            .expect("known entities");
        assert!(attributes.insert(key, value.into_owned()).is_none());
    }
    Element {
        name: tag.name().as_ref().to_owned(),
        attributes,
        text: String::new(),
        depth,
    }
}

/// Every element in the order it begins. Panics where the text is not well-formed, holds a
/// character that XML 1.0 forbids, or more than one element at the top.
pub fn well_formed(xml: &str) -> Vec<Element> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(allowed), "a forbidden character");
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut all, mut open, mut tops) = (Vec::<Element>::new(), Vec::<usize>::new(), 0);
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(tag) => {
                tops += usize::from(open.is_empty());
                all.push(opened(&tag, open.len()));
                open.push(all.len() - 1);
            }
            Event::Empty(tag) => all.push(opened(&tag, open.len())),
            Event::End(_) => {
                open.pop().expect("something is open");
            }
            Event::Text(text) => {
                if let Some(at) = open.last() {
                    all[*at].text.push_str(&text);
                }
            }
            Event::GeneralRef(entity) => {
                let c = match &*entity {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("an entity that is none of XML's: {other}"),
                };
                all[*open.last().expect("inside")].text.push_str(c);
            }
            Event::Eof => break,
            Event::Decl(_) => assert!(all.is_empty()),
            other => panic!("{other:?} has no place in a figure"),
        }
    }
    assert!(open.is_empty() && tops == 1, "{tops} elements at the top");
    all
}
