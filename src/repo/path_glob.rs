//! Globs over the paths of a tree, as settings write them.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::{Error, Result};

/// A glob over paths from the top of the tree, as `.gitignore` reads one: `*` stops at `/`,
/// without a `/` it matches a name in any folder, with one at the end all below.
///
/// # Errors
/// Text that is no glob.
pub fn path_glob(text: &str) -> std::result::Result<Glob, globset::Error> {
    let rooted = text.strip_prefix("./").or_else(|| text.strip_prefix('/'));
    let body = rooted.unwrap_or(text);
    let mut full = String::new();
    let stem = body.strip_suffix('/').unwrap_or(body);
    if rooted.is_none() && !stem.contains('/') {
        full.push_str("**/");
    }
    full.push_str(body);
    if body.ends_with('/') {
        full.push_str("**");
    }
    GlobBuilder::new(&full).literal_separator(true).build()
}

/// All of `globs` as one set; `place` is what errors call it.
///
/// # Errors
/// Usage where a text is no glob.
pub fn path_globs(place: &str, globs: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for text in globs {
        let glob = path_glob(text)
            .map_err(|e| Error::usage(format!("{place}: no glob: '{text}': {}", e.kind())))?;
        set.add(glob);
    }
    set.build()
        .map_err(|e| Error::usage(format!("{place}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_reads_as_gitignore_reads_it() {
        for (text, path, matches) in [
            ("*Test.java", "a/b/FooTest.java", true),
            ("src/*.go", "src/a.go", true),
            ("src/*.go", "src/b/a.go", false),
            ("src/**", "src/b/a.go", true),
            ("gen/", "x/gen/a/b.py", true),
            ("/gen/", "x/gen/a.py", false),
            ("/a.py", "a.py", true),
            ("/a.py", "b/a.py", false),
        ] {
            let glob = path_glob(text).expect("a glob").compile_matcher();
            assert_eq!(glob.is_match(path), matches, "{text} on {path}");
        }
    }
}
