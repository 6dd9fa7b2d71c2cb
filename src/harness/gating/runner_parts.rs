//! The part of a file that bears on how tests run.
//!
//! What cannot be read as what it should be counts whole: a file that hides its meaning is no
//! less able to forge a report.

/// How much of a file counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// These tables of a TOML file, with what is below them.
    Toml(&'static [&'static str]),
    /// These sections of an INI file.
    Ini(&'static [&'static str]),
    /// These keys of a JSON object.
    Json(&'static [&'static str]),
    /// Of a Maven project all but what it depends on and what describes it.
    Pom,
    /// Of a Gradle script all but its dependencies.
    Gradle,
    /// A Go test file that has a `TestMain`.
    TestMain,
    /// What a `go.mod` replaces.
    GoReplace,
}

/// Whether the part differs between two contents; what is not there has no part.
pub(super) fn differs(part: Part, before: Option<&[u8]>, now: Option<&[u8]>) -> bool {
    if before == now {
        return false;
    }
    match part {
        Part::Whole => true,
        Part::TestMain => [before, now].into_iter().flatten().any(has_test_main),
        _ => of(part, before) != of(part, now),
    }
}

/// The part as text; `None` where there is none of it.
fn of(part: Part, content: Option<&[u8]>) -> Option<String> {
    let whole = std::str::from_utf8(content?).ok();
    let Some(text) = whole else {
        return Some(String::from_utf8_lossy(content?).into_owned());
    };
    let found = match part {
        Part::Whole | Part::TestMain => text.to_owned(),
        Part::Toml(tables) => match toml::from_str::<toml::Table>(text) {
            Ok(all) => toml_tables(&all, tables),
            Err(_) => text.to_owned(),
        },
        Part::Ini(sections) => ini(text, sections),
        Part::Json(keys) => match serde_json::from_str::<serde_json::Value>(text) {
            Ok(serde_json::Value::Object(all)) => keys
                .iter()
                .filter_map(|key| Some(format!("{key}={}\n", all.get(*key)?)))
                .collect(),
            _ => text.to_owned(),
        },
        Part::Pom => pom(text),
        Part::Gradle => without_block(text, "dependencies"),
        Part::GoReplace => replaced(text),
    };
    (!found.trim().is_empty()).then_some(found)
}

fn toml_tables(all: &toml::Table, tables: &[&str]) -> String {
    let mut found = String::new();
    for path in tables {
        let mut parts = path.split('.');
        let mut at = parts.next().and_then(|first| all.get(first));
        for part in parts {
            at = at.and_then(|value| value.get(part));
        }
        if let Some(value) = at {
            found.push_str(&format!("{path}={value:?}\n"));
        }
    }
    found
}

fn ini(text: &str, sections: &[&str]) -> String {
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        if let Some(name) = line
            .trim()
            .strip_prefix('[')
            .and_then(|l| l.strip_suffix(']'))
        {
            inside = sections.contains(&name.trim());
        }
        if inside && !line.trim().is_empty() {
            found.push_str(line);
            found.push('\n');
        }
    }
    found
}

/// What is left of a Maven project: parent, properties of tests, build, profiles, reporting,
/// modules, repositories.
fn pom(text: &str) -> String {
    let text = without_comments(text);
    let mut found = String::new();
    let (outside, build) = cut(&text, "build");
    let (outside, profiles) = cut(&outside, "profiles");
    let (outside, properties) = cut(&outside, "properties");
    for line in properties.split('<').map(str::trim) {
        let name = line
            .split('>')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let of_tests = [
            "test", "surefire", "failsafe", "skip", "junit", "argline", "plugin",
        ];
        if !name.starts_with('/') && of_tests.iter().any(|w| name.contains(w)) {
            found.push_str(line);
            found.push('\n');
        }
    }
    for element in [
        "parent",
        "reporting",
        "modules",
        "pluginRepositories",
        "repositories",
    ] {
        found.push_str(&cut(&outside, element).1);
    }
    found.push_str(&build);
    found.push_str(&profiles);
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without the elements of that name, and these.
fn cut(text: &str, element: &str) -> (String, String) {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let (mut outside, mut inside) = (String::new(), String::new());
    let mut rest = text;
    while let Some(start) = rest.find(&open) {
        let end = rest[start..]
            .find(&close)
            .map(|at| start + at + close.len());
        // One that never ends is all that follows.
        let end = end.unwrap_or(rest.len());
        outside.push_str(&rest[..start]);
        inside.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    outside.push_str(rest);
    (outside, inside)
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        kept.push_str(&rest[..start]);
        let end = rest[start..].find("-->").map(|at| start + at + 3);
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    kept.push_str(rest);
    kept
}

/// A script without the blocks `name { … }` at its outermost level, and without blanks.
fn without_block(text: &str, name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    let mut skipping = None;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("//") || bare.is_empty() {
            continue;
        }
        if depth == 0
            && skipping.is_none()
            && bare
                .strip_prefix(name)
                .is_some_and(|r| r.trim_start().starts_with('{'))
        {
            skipping = Some(depth);
        }
        if skipping.is_none() {
            kept.push_str(bare);
            kept.push('\n');
        }
        depth = (depth + bare.matches('{').count()).saturating_sub(bare.matches('}').count());
        if skipping.is_some_and(|at| depth <= at) {
            skipping = None;
        }
    }
    kept
}

fn replaced(text: &str) -> String {
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines().map(str::trim) {
        let begins = line
            .strip_prefix("replace")
            .is_some_and(|r| r.starts_with([' ', '\t', '(']));
        if inside || begins {
            found.push_str(line);
            found.push('\n');
        }
        inside = (inside || (begins && line.ends_with('('))) && line != ")";
    }
    found
}

fn has_test_main(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    text.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        matches!(words.as_slice(), ["func", name] if name.starts_with("TestMain("))
    }) || text.contains("func TestMain(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(part: Part, before: &str, now: &str) -> bool {
        differs(part, Some(before.as_bytes()), Some(now.as_bytes()))
    }

    #[test]
    fn a_part_differs_only_where_it_bears_on_tests() {
        let json = Part::Json(&["scripts", "jest"]);
        assert!(!both(
            json,
            "{\"dependencies\":{}}",
            "{\"dependencies\":{\"a\":\"1\"}}"
        ));
        assert!(both(json, "{}", "{\"scripts\":{\"test\":\"true\"}}"));
        assert!(both(json, "{}", "{\"scripts\""));
        let ini = Part::Ini(&["pytest"]);
        assert!(!both(ini, "[flake8]\na=1\n", "[flake8]\na=2\n"));
        assert!(both(ini, "[flake8]\na=1\n", "[ pytest ]\naddopts = -p x\n"));
        let gradle = "test { useJUnitPlatform() }\n";
        assert!(!both(
            Part::Gradle,
            gradle,
            &format!("dependencies {{\n  a 'x'\n}}\n{gradle}")
        ));
        assert!(both(
            Part::Gradle,
            gradle,
            "test { ignoreFailures = true }\n"
        ));
        assert!(!both(
            Part::GoReplace,
            "module a\n",
            "module a\nrequire b v1\n"
        ));
        assert!(both(
            Part::GoReplace,
            "module a\n",
            "module a\nreplace (\n b => ./b\n)\n"
        ));
        assert!(both(
            Part::TestMain,
            "package a\n",
            "package a\nfunc TestMain(m *testing.M) {}\n"
        ));
        assert!(!both(
            Part::TestMain,
            "package a\n",
            "package a\nfunc TestX(t *testing.T) {}\n"
        ));
    }

    #[test]
    fn of_a_maven_project_what_it_depends_on_and_is_called_does_not_count() {
        let pom = |name: &str, properties: &str, build: &str| {
            format!(
                "<project><name>{name}</name><properties>{properties}</properties>\
                 <dependencies><dependency><artifactId>{name}</artifactId></dependency>\
                 </dependencies><build>{build}</build></project>"
            )
        };
        let old = pom("a", "<x.version>1</x.version>", "");
        assert!(!both(
            Part::Pom,
            &old,
            &pom("b", "<x.version>2</x.version>", "")
        ));
        assert!(!both(
            Part::Pom,
            &old,
            &old.replace("<build>", "<!-- <skip/> --> <build>")
        ));
        assert!(both(
            Part::Pom,
            &old,
            &pom("a", "<skipTests>true</skipTests>", "")
        ));
        assert!(both(Part::Pom, &old, &pom("a", "", "<plugins/>")));
        assert!(both(
            Part::Pom,
            &old,
            &old.replace("</project>", "<profiles><profile/></profiles></project>")
        ));
    }
}
