//! Names of tests, their times and their modules, as the formats write them, in one form.

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::record::Moment;

/// Folders that build tools write reports below.
const OUTPUT: [&str; 2] = ["target", "build"];

/// The module a report belongs to: its folder up to the last `target` or `build`; none at the
/// root, and none where the path is not relative.
pub(super) fn module(path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.starts_with('/') || path.split('/').next().is_some_and(|p| p.ends_with(':')) {
        return None;
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|p| !matches!(*p, "" | "."))
        .collect();
    let (_, folders) = parts.split_last()?;
    let at = folders.iter().rposition(|p| OUTPUT.contains(p))?;
    let module = folders[..at].join("/");
    (!module.is_empty()).then_some(module)
}

/// Whether the path runs through these folders, one in the other.
pub(super) fn is_below(path: &str, folders: &str) -> bool {
    let path = path.replace('\\', "/");
    path.starts_with(&format!("{folders}/")) || path.contains(&format!("/{folders}/"))
}

/// Seconds. Commas part thousands only as in `1,024.12`; in `0,160` one is a decimal sign or
/// not, so that it is no time rather than a wrong one.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = if text.contains(',') {
        let whole = text.split('.').next().unwrap_or_default();
        let mut groups = whole.split(',');
        let first = groups.next().unwrap_or_default();
        let digits = |g: &str| g.bytes().all(|b| b.is_ascii_digit());
        let sound = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
        if !sound || groups.any(|g| g.len() != 3 || !digits(g)) {
            return None;
        }
        text.replacen(',', "", whole.matches(',').count())
    } else {
        text.to_owned()
    };
    let begins = plain.bytes().next()?;
    if !(begins.is_ascii_digit() || begins == b'.') {
        return None;
    }
    let seconds: f64 = plain.parse().ok()?;
    seconds.is_finite().then_some(seconds)
}

/// The name of a test of the JUnit platform in the form of its console launcher, where it is
/// written in another: `m{A, B}[2]` (Surefire 2) becomes `m(A, B)[2]`, `m()[2]` becomes `m[2]`.
/// Only names that are exactly a method, its types and a number are; display names may hold
/// braces.
pub(super) fn platform_name(name: &str) -> Option<String> {
    let at = name.find(['{', '('])?;
    let (method, rest) = name.split_at(at);
    let close = if rest.starts_with('{') { '}' } else { ')' };
    let end = rest.find(close)?;
    let (types, number) = (&rest[1..end], &rest[end + 1..]);
    let numbered = number.is_empty()
        || number
            .strip_prefix('[')
            .and_then(|n| n.strip_suffix(']'))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if !is_identifier(method) || !numbered {
        return None;
    }
    if types.trim().is_empty() {
        return Some(format!("{method}{number}"));
    }
    let sound = types.split(',').all(|t| is_type(t.trim()));
    (close == '}' && sound).then(|| format!("{method}({types}){number}"))
}

fn is_type(text: &str) -> bool {
    let mut text = text.strip_suffix("...").unwrap_or(text);
    while let Some(element) = text.strip_suffix("[]") {
        text = element;
    }
    text.split('.').all(is_identifier)
}

fn is_identifier(text: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    text.starts_with(begins) && text.chars().all(|c| begins(c) || c.is_numeric())
}

/// Whether it may be the full name of a class of the JVM in a package.
pub(super) fn is_class_name(text: &str) -> bool {
    text.contains('.') && text.split('.').all(is_identifier)
}

/// The time a suite tells of itself; without a zone it is taken as UTC. Some writers put 1970
/// where they know none: before 2000 there is none.
pub(super) fn suite_time(text: &str) -> Option<Moment> {
    let text = text.trim();
    let instant = match text.parse::<Timestamp>() {
        Ok(instant) => instant,
        Err(_) => {
            let civil = text.parse::<DateTime>().ok()?;
            civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
        }
    };
    let since_2000 = instant.as_second() >= 946_684_800;
    since_2000.then(|| Moment::from_millis(instant.as_millisecond()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_the_folder_above_the_build_output() {
        let of = |path: &str| module(path);
        assert_eq!(
            of("api/target/surefire-reports/x.xml").as_deref(),
            Some("api")
        );
        assert_eq!(
            of("./a/b/build/test-results/test/x.xml").as_deref(),
            Some("a/b")
        );
        assert_eq!(of("a\\target\\x.xml").as_deref(), Some("a"));
        assert_eq!(of("build/a/target/x.xml").as_deref(), Some("build/a"));
        for none in [
            "target/x.xml",
            "x.xml",
            "a/x.xml",
            "a/target",
            "",
            "/r/a/target/x.xml",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(of("C:\\r\\a\\target\\x.xml"), None);
        assert!(is_below("a/build/test-results/x.xml", "build/test-results"));
        assert!(is_below(
            "target\\surefire-reports\\x.xml",
            "surefire-reports"
        ));
        assert!(!is_below("my-surefire-reports/x.xml", "surefire-reports"));
    }

    #[test]
    fn times_with_separators_are_read_where_they_are_clear() {
        for (text, expected) in [
            ("0.160", Some(0.16)),
            ("1,024.12", Some(1024.12)),
            ("12,345,678.9", Some(12_345_678.9)),
            ("1,024", Some(1024.0)),
            ("1.0E-4", Some(1.0e-4)),
            (" 3 ", Some(3.0)),
            (".5", Some(0.5)),
            ("0", Some(0.0)),
            ("0,160", None),
            ("1,02.12", None),
            ("1,0245", None),
            ("1024,123", None),
            ("1.024,12", None),
            ("1.5,000", None),
            ("NaN", None),
            ("inf", None),
            ("-0.000000", None),
            ("-1", None),
            ("1e999", None),
            ("", None),
            ("1s", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_the_platform_are_one_whatever_tool_wrote_them() {
        for (raw, name) in [
            ("m{A, B}[2]", "m(A, B)[2]"),
            ("sums{int, int, int}[1]", "sums(int, int, int)[1]"),
            ("m{TestInfo}", "m(TestInfo)"),
            (
                "m{java.util.List, int[]}[10]",
                "m(java.util.List, int[])[10]",
            ),
            ("m()", "m"),
            ("m()[2]", "m[2]"),
            ("größe{}[1]", "größe[1]"),
        ] {
            assert_eq!(platform_name(raw).as_deref(), Some(name), "{raw}");
        }
        for kept in [
            "m",
            "m[2]",
            "m(A, B)[2]",
            "a set {1, 2}",
            "set{1, 2}[1]",
            "m{A}[x]",
            "m{A}[1] more",
            "m{A",
            "{A}[1]",
            "calls m()",
            "[1] a",
        ] {
            assert_eq!(platform_name(kept), None, "{kept}");
        }
    }

    #[test]
    fn suites_tell_their_time_with_or_without_a_zone() {
        let of = |text| suite_time(text).map(|m| m.to_string());
        let at = |text: &str| Some(text.to_owned());
        assert_eq!(of("2026-03-01T08:15:00"), at("2026-03-01T08:15:00.000Z"));
        assert_eq!(of("2026-03-02T10:13:02Z"), at("2026-03-02T10:13:02.000Z"));
        assert_eq!(
            of("2026-03-02T10:11:47.157117+01:00"),
            at("2026-03-02T09:11:47.157Z")
        );
        assert_eq!(of("1970-01-01T00:00:00"), None);
        assert_eq!(of("yesterday"), None);
    }
}
