//! A page read as a browser reads it, as far as this project writes them: tags, attributes, text.

/// One element, with the text that is right in it and in what it holds.
#[derive(Debug, Clone, Default)]
pub struct Element {
    /// Its name, in lower case.
    pub name: String,
    /// Its attributes, decoded.
    pub attributes: Vec<(String, String)>,
    /// Its text and that of all in it, decoded.
    pub text: String,
    /// What is in it, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// An attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| v.as_str())
    }

    /// Itself and everything in it.
    pub fn all(&self) -> Vec<&Element> {
        let mut all = vec![self];
        all.extend(self.children.iter().flat_map(Element::all));
        all
    }

    /// Everything in it of a name.
    pub fn named(&self, name: &str) -> Vec<&Element> {
        let all = self.all().into_iter();
        all.filter(|e| e.name == name).collect()
    }
}

const VOID: [&str; 5] = ["br", "input", "link", "meta", "img"];
/// Elements that end where the next of their kind, or what holds them, does.
const OPEN_ENDED: [&str; 4] = ["td", "th", "tr", "p"];

/// Reads a page; what is not well formed is a failure.
pub fn read(html: &str) -> Element {
    let mut stack = vec![Element::default()];
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text(&mut stack, &rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!DOCTYPE html>") {
            rest = after;
            continue;
        }
        let (tag, after) = tag(rest);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            close(&mut stack, name.trim());
            continue;
        }
        let (name, attributes, empty) = parts(tag);
        implied(&mut stack, &name);
        if name == "script" || name == "style" {
            let end = format!("</{name}>");
            let to = rest.find(&end).expect("raw text ends");
            let element = Element {
                name,
                attributes,
                text: rest[..to].to_owned(),
                children: Vec::new(),
            };
            rest = &rest[to + end.len()..];
            stack.last_mut().unwrap().children.push(element);
            continue;
        }
        let void = VOID.contains(&name.as_str());
        stack.push(Element {
            name,
            attributes,
            ..Element::default()
        });
        if empty || void {
            pop(&mut stack);
        }
    }
    text(&mut stack, rest);
    assert_eq!(
        stack.len(),
        1,
        "never closed: {}",
        stack.last().unwrap().name
    );
    stack.pop().unwrap()
}

fn text(stack: &mut [Element], raw: &str) {
    assert!(!raw.contains('>'), "a '>' that ends nothing: {raw}");
    stack.last_mut().unwrap().text.push_str(&decoded(raw));
}

/// The inside of a tag, and what follows it; quotes are respected.
fn tag(rest: &str) -> (&str, &str) {
    let mut quote = None;
    for (i, c) in rest.char_indices().skip(1) {
        match (quote, c) {
            (None, '>') => return (&rest[1..i], &rest[i + 1..]),
            (None, '"' | '\'') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            (None, '<') => panic!("a tag in a tag: {}", &rest[..i.min(200)]),
            _ => {}
        }
    }
    panic!("a tag never ends: {}", &rest[..rest.len().min(200)]);
}

fn parts(tag: &str) -> (String, Vec<(String, String)>, bool) {
    let empty = tag.ends_with('/');
    let tag = tag.strip_suffix('/').unwrap_or(tag);
    let end = tag.find(char::is_whitespace).unwrap_or(tag.len());
    let name = tag[..end].to_ascii_lowercase();
    assert!(
        name.chars().all(|c| c.is_ascii_alphanumeric()) && !name.is_empty(),
        "no name of an element: {name}"
    );
    let mut attributes = Vec::new();
    let mut rest = tag[end..].trim_start();
    while !rest.is_empty() {
        let stop = rest.find(|c: char| c == '=' || c.is_whitespace());
        let stop = stop.unwrap_or(rest.len());
        let key = rest[..stop].to_owned();
        rest = &rest[stop..];
        let Some(value) = rest.strip_prefix('=') else {
            attributes.push((key, String::new()));
            rest = rest.trim_start();
            continue;
        };
        let inside = value.strip_prefix('"').expect("values are in quotes");
        let to = inside.find('"').expect("quotes are closed");
        attributes.push((key, decoded(&inside[..to])));
        rest = &inside[to + 1..];
        assert!(
            rest.is_empty() || rest.starts_with(' '),
            "after a value: {rest}"
        );
        rest = rest.trim_start();
    }
    (name, attributes, empty)
}

fn pop(stack: &mut Vec<Element>) {
    let done = stack.pop().unwrap();
    let parent = stack.last_mut().expect("something holds it");
    parent.text.push_str(&done.text);
    parent.children.push(done);
}

/// What ends before an element of `name` begins.
fn implied(stack: &mut Vec<Element>, name: &str) {
    let ends: &[&str] = match name {
        "td" | "th" => &["td", "th"],
        "tr" => &["td", "th", "tr"],
        _ => &[],
    };
    while ends.contains(&stack.last().unwrap().name.as_str()) {
        pop(stack);
    }
}

fn close(stack: &mut Vec<Element>, name: &str) {
    while stack.last().unwrap().name != name {
        let open = stack.last().unwrap().name.clone();
        assert!(
            OPEN_ENDED.contains(&open.as_str()) && open != "p",
            "</{name}> closes <{open}>"
        );
        pop(stack);
    }
    pop(stack);
}

fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';').expect("an entity ends") + at;
        out.push_str(match &rest[at..=end] {
            "&amp;" => "&",
            "&lt;" => "<",
            "&gt;" => ">",
            "&quot;" => "\"",
            "&#39;" => "'",
            "&#10;" => "\n",
            other => panic!("an entity: {other}"),
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}
