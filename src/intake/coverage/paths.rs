//! Paths as reports write them, brought to one form.

/// A longer path names no file.
pub(super) const LONGEST: usize = 4096;

/// Folders of what others wrote: what lies in one is never taken for a file outside of it.
const FOREIGN: &[&str] = &[
    "node_modules",
    "site-packages",
    "dist-packages",
    "third_party",
    "vendor",
];

/// A path: its segments, without `.`, `..` and empty ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    /// Whether it begins at a root or a drive.
    pub(super) absolute: bool,
    /// Joined by `/`; a drive is the first one.
    pub(super) text: String,
}

impl Path {
    /// Reads a path with `/` or `\` in it; `None` where it names nothing that could be a file of
    /// a tree: it is empty, too long, holds a NUL, or climbs out of where it begins.
    pub(super) fn read(written: &str) -> Option<Path> {
        if written.len() > LONGEST || written.contains('\0') {
            return None;
        }
        let written = written.trim().replace('\\', "/");
        let drive = drive(&written);
        let mut segments: Vec<&str> = Vec::new();
        for segment in written.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop().filter(|s| Some(*s) != drive)?),
                name => segments.push(name),
            }
        }
        let mut text = segments.join("/");
        if let Some(drive) = drive {
            text[..drive.len()].make_ascii_lowercase();
        }
        let absolute = drive.is_some() || written.starts_with('/');
        (!text.is_empty() || absolute).then_some(Path { absolute, text })
    }

    /// `name` as it is found from here.
    pub(super) fn join(&self, name: &str) -> Option<Path> {
        Path::read(&format!(
            "{}{}/{name}",
            if self.absolute { "/" } else { "" },
            self.text
        ))
        .map(|joined| Path {
            absolute: self.absolute,
            ..joined
        })
    }

    /// What is left of it under `root`.
    pub(super) fn under<'p>(&'p self, root: &Path) -> Option<&'p str> {
        if self.absolute != root.absolute {
            return None;
        }
        under(&self.text, &root.text)
    }
}

/// What is left of `path` under `folder`, which may be the empty path.
pub(super) fn under<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        _ => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// Whether a folder of it holds what others wrote.
pub(super) fn is_foreign(folders: &str) -> bool {
    folders.split('/').any(|s| FOREIGN.contains(&s))
}

fn drive(path: &str) -> Option<&str> {
    let drive = path.get(..2)?;
    let letter = drive.as_bytes()[0].is_ascii_alphabetic();
    let ended = matches!(path.as_bytes().get(2), None | Some(b'/'));
    (letter && drive.ends_with(':') && ended).then_some(drive)
}

/// A path as it stands in a list of what was not found: never longer than paths are.
pub(super) fn shown(written: &str) -> String {
    if written.len() <= LONGEST {
        return written.to_owned();
    }
    let mut end = LONGEST;
    while !written.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &written[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(written: &str) -> Option<String> {
        let path = Path::read(written)?;
        Some(format!(
            "{}{}",
            if path.absolute { "/" } else { "" },
            path.text
        ))
    }

    #[test]
    fn spellings_of_one_path_are_one() {
        for written in [
            "a/b.c",
            "./a//b.c",
            "a\\b.c",
            ".\\a\\.\\b.c",
            "x/../a/b.c",
            " a/b.c ",
        ] {
            assert_eq!(text(written).as_deref(), Some("a/b.c"), "{written}");
        }
        assert_eq!(text("C:\\x\\a.c").as_deref(), Some("/c:/x/a.c"));
        assert_eq!(text("c:/x/./a.c").as_deref(), Some("/c:/x/a.c"));
        assert_eq!(
            text("\\\\host\\share\\a.c").as_deref(),
            Some("/host/share/a.c")
        );
        assert_eq!(text("a:b.c").as_deref(), Some("a:b.c"));
        assert_eq!(text("/").as_deref(), Some("/"));
    }

    #[test]
    fn what_climbs_out_or_is_no_path_is_none() {
        let long = "a/".repeat(LONGEST);
        for written in [
            "",
            " ",
            ".",
            "..",
            "../a",
            "a/../../b",
            "/..",
            "C:/../a",
            "a\0b",
            &long,
        ] {
            assert_eq!(text(written), None, "{written:?}");
        }
        assert_eq!(shown(&"ä".repeat(LONGEST)).chars().count(), LONGEST / 2 + 1);
    }

    #[test]
    fn a_name_is_found_from_a_folder_and_a_folder_left_away() {
        let root = Path::read("/build/shop/").expect("a path");
        let join = |name: &str| root.join(name).map(|p| (p.absolute, p.text));
        assert_eq!(join("../x/a.c"), Some((true, "build/x/a.c".into())));
        assert_eq!(join("../../../a.c"), None);
        let path = |written: &str| Path::read(written).expect("a path");
        assert_eq!(path("/build/shop/a/b.c").under(&root), Some("a/b.c"));
        assert_eq!(path("/build/shopping/b.c").under(&root), None);
        assert_eq!(path("build/shop/b.c").under(&root), None);
        assert_eq!(path("/b.c").under(&path("/")), Some("b.c"));
    }
}
