//! The samples as other writers would have written them: what is read stays the same.

use std::fmt::Write as _;

use git_evolve::record::TreeFacts;
use serde_json::Value;

use super::map;
use super::samples::{Sample, all, holds};

fn of(format: &str) -> Vec<(Sample, String)> {
    let all = all().into_iter().filter(|s| s.format == format);
    let all = all.map(|s| {
        let text = String::from_utf8(s.bytes.clone()).expect("utf-8");
        (s, text)
    });
    all.collect()
}

fn same(sample: &Sample, mutation: &str, text: impl AsRef<[u8]>) {
    let found = map(text.as_ref(), sample.tree.as_ref());
    holds(
        &format!("{} {mutation}", sample.name),
        &found,
        &sample.expected,
    );
}

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// A tag's attributes the other way around.
fn attributes_turned(xml: &str) -> String {
    let tag = regex::Regex::new(r#"<([A-Za-z]+)((?:\s+[\w:-]+="[^"]*")+)\s*(/?)>"#).expect("valid");
    let one = regex::Regex::new(r#"[\w:-]+="[^"]*""#).expect("valid");
    tag.replace_all(xml, |found: &regex::Captures<'_>| {
        let mut all: Vec<&str> = one.find_iter(&found[2]).map(|m| m.as_str()).collect();
        all.reverse();
        format!("<{} {}{}>", &found[1], all.join("\n  "), &found[3])
    })
    .into_owned()
}

fn in_utf16(xml: &str) -> Vec<u8> {
    let end = xml.find("?>").expect("a declaration");
    utf16(&format!(
        "<?xml version=\"1.0\" encoding=\"UTF-16\"{}",
        &xml[end..]
    ))
}

fn xml_mutations(sample: &Sample, text: &str, line: &str) {
    same(sample, "with attributes turned", attributes_turned(text));
    same(
        sample,
        "pretty-printed with CRLF",
        crlf(&text.replace("><", ">\n  <")),
    );
    same(sample, "in UTF-16", in_utf16(text));
    let quotes = regex::Regex::new("=\"([^\"']*)\"").expect("valid");
    let body = text.find("?>").expect("a declaration");
    let turned = quotes.replace_all(&text[body..], "='$1'");
    let head = &text[..body];
    // The document type keeps its quotes: they are not those of attributes.
    same(sample, "in single quotes", format!("{head}{turned}"));
    let unknown = format!(
        "<extra><lines><{line} nr=\"999\" number=\"999\" hits=\"1\" ci=\"1\"/></lines></extra>"
    );
    let many = text
        .replace(
            "<package ",
            &format!("{unknown}<package  later=\"&lt;1&gt;\" "),
        )
        .replace(
            &format!("<{line} "),
            &format!("<!-- <{line} nr=\"9\"/> --><{line} later=\"1\" "),
        );
    assert_ne!(many, text);
    same(sample, "with unknown elements and attributes", many);
    same(sample, "behind a mark", format!("\u{FEFF}{text}"));
}

#[test]
fn jacoco_may_be_written_in_other_ways() {
    for (sample, text) in of("jacoco") {
        xml_mutations(&sample, &text, "line");
        let children = text.find("<group").expect("groups");
        let end = text.rfind("</report>").expect("an end");
        let twice = format!("{}{}", &text[..end], &text[children..]);
        same(&sample, "with all groups twice", twice);
    }
}

#[test]
fn cobertura_may_be_written_in_other_ways() {
    for (sample, text) in of("cobertura") {
        xml_mutations(&sample, &text, "line");
        let from = text.find("<packages>").expect("packages") + "<packages>".len();
        let to = text.find("</packages>").expect("an end");
        let inner = &text[from..to];
        let twice = format!("{}{inner}{inner}{}", &text[..from], &text[to..]);
        same(&sample, "with all packages twice", twice);
        let (from, to) = (text.find("<sources>").expect("sources"), "</sources>");
        let to = text.find(to).expect("an end") + to.len();
        let end = text.rfind("</coverage>").expect("an end");
        let last = format!(
            "{}{}{}</coverage>",
            &text[..from],
            &text[to..end],
            &text[from..to]
        );
        same(&sample, "with its sources last", last);
    }
}

#[test]
fn cobertura_filenames_may_be_from_the_root() {
    for (sample, text) in of("cobertura")
        .into_iter()
        .filter(|(s, _)| s.name.contains("coveragepy"))
    {
        let text = text.replace("filename=\"", "filename=\"/build/shop/src/");
        same(&sample, "with absolute paths", &text);
        let text = text.replace("/build/shop/src/shop/", "D:\\build\\shop\\src\\shop\\");
        let tree = TreeFacts {
            build_root: Some("d:\\build\\shop".to_owned()),
            ..sample.tree.clone().expect("a tree")
        };
        holds(
            "windows",
            &map(text.as_bytes(), Some(&tree)),
            &sample.expected,
        );
    }
}

/// Records of LCOV, each with what is before it.
fn records(text: &str) -> Vec<&str> {
    let end = "end_of_record\n";
    text.split_inclusive(end)
        .filter(|r| r.ends_with(end))
        .collect()
}

#[test]
fn lcov_may_be_written_in_other_ways() {
    let checksums = regex::Regex::new(r"(?m)^(DA:\d+,\d+)$").expect("valid");
    for (sample, text) in of("lcov") {
        same(&sample, "with CRLF", crlf(&text));
        same(&sample, "in UTF-16", utf16(&text));
        same(&sample, "twice", format!("{text}{text}"));
        let mut turned = records(&text);
        turned.reverse();
        same(&sample, "with records turned", turned.concat());
        let mut shuffled = String::new();
        for record in records(&text) {
            let lines: Vec<&str> = record.lines().collect();
            let body = lines
                .iter()
                .position(|l| l.starts_with("SF:"))
                .expect("a file")
                + 1;
            let (head, rest) = lines.split_at(body);
            let rest = rest[..rest.len() - 1].iter().rev();
            for line in head.iter().chain(rest).chain(&["end_of_record"]) {
                writeln!(shuffled, "{line}").expect("text");
            }
        }
        same(&sample, "with lines turned", shuffled);
        let unknown = text
            .replace(
                "end_of_record",
                "VER:x\nMCDC:1,2,t,1,0,c\nFNL:0,1,2\nnot a record\nend_of_record",
            )
            .replace("LF:", "LF:9");
        same(
            &sample,
            "with unknown lines and wrong sums",
            format!("# made by hand\n{unknown}"),
        );
        let checked = checksums.replace_all(&text, "$1,SF:x,end_of_record");
        same(&sample, "with checksums", checked.as_ref());
    }
}

#[test]
fn go_profiles_may_be_written_in_other_ways() {
    for (sample, text) in of("go-coverprofile") {
        same(&sample, "with CRLF", crlf(&text));
        same(&sample, "behind a mark", format!("\u{FEFF}{text}"));
        same(&sample, "twice", format!("{text}{text}"));
        let (mode, rest) = text.split_once('\n').expect("a mode");
        let mut lines: Vec<&str> = rest.lines().collect();
        lines.reverse();
        same(
            &sample,
            "with lines turned",
            format!("{mode}\n{}", lines.join("\n")),
        );
        lines.sort_unstable();
        same(
            &sample,
            "with lines sorted and apart",
            format!("\n{mode}\n\n{}\n\n", lines.join("\n\n")),
        );
        let tree = sample.tree.clone().expect("a tree");
        let root = tree
            .build_root
            .clone()
            .unwrap_or_else(|| "/build/shop".to_owned());
        let absolute = text.replace("\nexample.com/shop/", &format!("\n{root}/"));
        let tree = TreeFacts {
            build_root: Some(root),
            ..tree
        };
        holds(
            "absolute",
            &map(absolute.as_bytes(), Some(&tree)),
            &sample.expected,
        );
    }
}

/// JSON with keys in the order that `turned` says, and `more` in objects of fixed keys.
fn written(value: &Value, turned: bool, more: bool, as_text: bool, into: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            if turned {
                keys.reverse();
            }
            into.push('{');
            if more && (map.contains_key("summary") || map.contains_key("meta")) {
                into.push_str("\"later\": {\"files\": [1, {\"meta\": null}]}, ");
            }
            for (i, key) in keys.into_iter().enumerate() {
                into.push_str(if i > 0 { ",\n" } else { "" });
                write!(into, "{}: ", Value::from(key.as_str())).expect("text");
                written(&map[key], turned, more, as_text, into);
            }
            into.push('}');
        }
        Value::Array(all) => {
            into.push('[');
            for (i, value) in all.iter().enumerate() {
                into.push_str(if i > 0 { ", " } else { "" });
                written(value, turned, more, as_text, into);
            }
            into.push(']');
        }
        Value::Number(number) if as_text => write!(into, "\"{number}\"").expect("text"),
        other => write!(into, "{other}").expect("text"),
    }
}

#[test]
fn the_json_of_coverage_py_may_be_written_in_other_ways() {
    for (sample, text) in of("coveragepy-json") {
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let form = |turned, more, as_text| {
            let mut text = String::new();
            written(&value, turned, more, as_text, &mut text);
            text
        };
        same(&sample, "with keys sorted", form(false, false, false));
        same(&sample, "with keys turned", form(true, false, false));
        same(&sample, "with unknown keys", form(true, true, false));
        same(
            &sample,
            "with CRLF behind a mark",
            format!("\u{FEFF}{}", crlf(&text)),
        );
        same(&sample, "in UTF-16", utf16(&text));
        same(&sample, "with numbers as strings", form(false, false, true));
    }
}

#[test]
fn paths_may_be_absolute_relative_or_of_another_machine() {
    for (sample, text) in of("coveragepy-json").into_iter().chain(of("lcov")) {
        let mut paths: Vec<String> = sample.expected["files"]
            .as_object()
            .expect("files")
            .keys()
            .cloned()
            .collect();
        paths.push("tests/other_test.py".to_owned());
        let build_root = sample.expected["build_root"].as_str();
        let known = build_root
            .map(|root| format!("{root}/"))
            .unwrap_or_default();
        let starts = ["SF:", "\""];
        for (as_written, root) in [
            ("", None),
            ("./", Some("/ci/x")),
            ("/ci/x/", Some("/ci/x")),
            ("/ci/./x/y/../", Some("/ci/x/")),
            ("D:/ci/x/", Some("d:\\ci\\x")),
            ("/somewhere/else/", None),
        ] {
            let mut changed = text.clone();
            for path in &paths {
                for start in starts {
                    let written = format!("{start}{as_written}{path}");
                    changed = changed.replace(&format!("{start}{known}{path}"), &written);
                }
            }
            let tree = TreeFacts {
                paths: paths.clone(),
                build_root: root.map(str::to_owned),
                ..TreeFacts::default()
            };
            let found = map(changed.as_bytes(), Some(&tree));
            holds(
                &format!("{} at {as_written}", sample.name),
                &found,
                &sample.expected,
            );
        }
    }
}
