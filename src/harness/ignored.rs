//! Ignored files that look like source: an edited `.gitignore` must not hide work.

use std::fs;

use crate::error::Result;
use crate::repo::{TreePath, WorkTree};

/// Extensions of source files.
const SOURCES: [&str; 49] = [
    "c", "cc", "cjs", "clj", "cpp", "cs", "css", "cxx", "dart", "erl", "ex", "exs", "fs", "go",
    "groovy", "h", "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "kts", "lua", "m", "mjs",
    "ml", "mm", "php", "pl", "pm", "proto", "py", "pyi", "r", "rb", "rs", "scala", "sh", "sql",
    "svelte", "swift", "ts", "tsx", "vb", "vue", "zig",
];
/// Folders of dependencies, builds and caches.
const FOLDERS: [&str; 28] = [
    ".cache",
    ".eggs",
    ".git",
    ".gradle",
    ".hg",
    ".idea",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "bower_components",
    "build",
    "coverage",
    "dist",
    "htmlcov",
    "node_modules",
    "obj",
    "out",
    "site-packages",
    "target",
    "vendor",
    "venv",
];
/// No more is listed, and folders deeper than this are not looked into.
const MOST: usize = 10_000;
const DEEPEST: usize = 40;

/// Ignored source files, in order, but for those under folders of dependencies and builds.
///
/// # Errors
/// Git where a folder cannot be read.
pub(super) fn sources(work: &WorkTree) -> Result<Vec<TreePath>> {
    let mut found = Vec::new();
    for path in work.ignored()? {
        let stem = path.strip_suffix(b"/").unwrap_or(&path);
        if stem.split(|b| *b == b'/').any(is_passed_over) {
            continue;
        }
        if stem.len() == path.len() {
            if is_source(stem) {
                found.push(path);
            }
        } else {
            below(work, stem, 0, &mut found);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found.sort();
    Ok(found)
}

/// Adds the source files below `folder`. What cannot be read is not there; links are not
/// followed, other repositories not entered.
fn below(work: &WorkTree, folder: &[u8], depth: usize, found: &mut Vec<TreePath>) {
    let Ok(full) = work.on_disk(folder) else {
        return;
    };
    if depth > DEEPEST || full.join(".git").exists() {
        return;
    }
    for entry in fs::read_dir(full).into_iter().flatten().flatten() {
        if found.len() >= MOST {
            return;
        }
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let path = [folder, b"/", name].concat();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_passed_over(name) => {
                below(work, &path, depth + 1, found);
            }
            Ok(kind) if kind.is_file() && is_source(&path) => found.push(path.into()),
            _ => {}
        }
    }
}

/// Whether a folder of this name holds dependencies, builds or caches.
pub(super) fn is_passed_over(name: &[u8]) -> bool {
    FOLDERS.iter().any(|f| f.as_bytes() == name)
}

/// Whether a path's extension is one of source files.
pub(super) fn is_source(path: &[u8]) -> bool {
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
    let Some(dot) = name.iter().rposition(|b| *b == b'.').filter(|at| *at > 0) else {
        return false;
    };
    let extension = name[dot + 1..].to_ascii_lowercase();
    SOURCES.iter().any(|s| s.as_bytes() == extension)
}
