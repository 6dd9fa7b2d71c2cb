//! Measures of small changes against figures counted by hand: what each kind of edit is.

mod classes;
mod edits;
mod window;

use serde_json::Value;

use crate::support::Repo;

/// The figures of the newest change, `--metrics all` unless told.
fn newest(r: &Repo, words: &[&str]) -> Value {
    let mut args = vec!["log", "--last", "1", "--format", "jsonl"];
    if !words.contains(&"--metrics") {
        args.extend(["--metrics", "all"]);
    }
    args.extend(words);
    let text = r.stdout(&args);
    let line = text.lines().next().expect("one change");
    serde_json::from_str::<Value>(line).expect("JSON")["metrics"].clone()
}

/// A figure as a short word: its number, `undefined`, or `unknown: reason`.
fn word(metrics: &Value, id: &str) -> String {
    let f = &metrics[id];
    if let Some(v) = f.get("value") {
        return v.to_string();
    }
    match (f.get("undefined"), f.get("unknown")) {
        (Some(_), _) => "undefined".to_owned(),
        (_, Some(r)) => format!("unknown: {}", r.as_str().unwrap_or("?")),
        _ => format!("no figure {id}: {f}"),
    }
}

fn expect(metrics: &Value, wanted: &[(&str, &str)]) {
    let got: Vec<(&str, String)> = wanted
        .iter()
        .map(|(id, _)| (*id, word(metrics, id)))
        .collect();
    let wanted: Vec<(&str, String)> = wanted.iter().map(|(i, w)| (*i, (*w).to_owned())).collect();
    assert_eq!(got, wanted);
}

const OWNER: &str = "package a;

class Owner {
    int age(int now) {
        if (now > born && born > 0) {
            return now - born;
        }
        return 0;
    }

    void greet() {
        say(\"hello\");
    }
}
";

/// A Java repository with one class, committed as the second change.
fn java() -> Repo {
    let r = Repo::new();
    r.write("README.md", "owners\n");
    r.commit("root");
    r.write("src/main/java/a/Owner.java", OWNER);
    r.commit("owner");
    r
}

fn edit(r: &Repo, path: &str, text: &str, from: &str, to: &str) {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    r.write(path, text.replace(from, to));
    r.commit("edit");
}

const PATH: &str = "src/main/java/a/Owner.java";
