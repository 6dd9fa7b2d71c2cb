//! Lines of configuration files that are neither blank nor comment.

use super::{ConfigLines, Settings};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Yaml,
    Toml,
    Xml,
    Properties,
}

fn format(path: &[u8]) -> Option<Format> {
    let dot = path.iter().rposition(|b| *b == b'.')?;
    match &path[dot + 1..] {
        b"yml" | b"yaml" => Some(Format::Yaml),
        b"toml" => Some(Format::Toml),
        b"xml" => Some(Format::Xml),
        b"properties" => Some(Format::Properties),
        _ => None,
    }
}

/// Whether `path` is a configuration file that counts.
pub(super) fn counts(settings: &Settings, path: &[u8]) -> bool {
    format(path).is_some()
        && settings
            .config_globs
            .as_ref()
            .is_none_or(|g| g.is_match(&*String::from_utf8_lossy(path)))
}

/// The lines of one file; binary content has none.
pub(super) fn count(path: &[u8], content: &[u8]) -> ConfigLines {
    let Some(format) = format(path) else {
        return ConfigLines::default();
    };
    if crate::repo::is_binary(content) {
        return ConfigLines::default();
    }
    let lines = match format {
        Format::Xml => xml(content),
        Format::Yaml | Format::Toml => lines(content, b"#"),
        Format::Properties => lines(content, b"#!"),
    };
    ConfigLines {
        yaml: if format == Format::Yaml { lines } else { 0 },
        all: lines,
    }
}

fn lines(content: &[u8], comment: &[u8]) -> u64 {
    let carries = |line: &&[u8]| {
        line.trim_ascii()
            .first()
            .is_some_and(|b| !comment.contains(b))
    };
    content.split(|b| *b == b'\n').filter(carries).count() as u64
}

/// Lines with anything outside of `<!-- … -->`.
fn xml(content: &[u8]) -> u64 {
    let mut count = 0;
    let mut inside = false;
    for line in content.split(|b| *b == b'\n') {
        let mut rest = line;
        let mut carries = false;
        loop {
            let mark: &[u8] = if inside { b"-->" } else { b"<!--" };
            let found = rest.windows(mark.len()).position(|w| w == mark);
            let until = found.unwrap_or(rest.len());
            if !inside {
                carries |= !rest[..until].trim_ascii().is_empty();
            }
            let Some(at) = found else { break };
            inside = !inside;
            rest = &rest[at + mark.len()..];
        }
        count += u64::from(carries);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_and_comment_lines_carry_no_configuration() {
        let yaml = b"# a\na: 1 # b\n\n  # c\nb:\n  - 2\n";
        assert_eq!(count(b"x.yml", yaml), ConfigLines { yaml: 3, all: 3 });
        let properties = b"! a\n# b\nc=1\r\n\r\n";
        assert_eq!(
            count(b"x.properties", properties),
            ConfigLines { yaml: 0, all: 1 }
        );
    }

    #[test]
    fn an_xml_comment_may_span_lines_and_share_them() {
        let xml = b"<a>\n<!-- one -->\n<!-- two\nthree --> <b/>\n</a> <!-- x -->\n\n";
        assert_eq!(count(b"pom.xml", xml), ConfigLines { yaml: 0, all: 3 });
    }
}
