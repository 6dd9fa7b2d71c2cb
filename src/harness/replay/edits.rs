//! Edit scripts: what an agent did at one checkpoint, as data that a person can write.
//!
//! A script is read line by line. A line that begins with `%` is a directive, the lines under
//! it, up to the next directive, are its text; blank lines and lines that begin with `#`
//! directly before a directive are nobody's.
//!
//! | directive | what it does |
//! | --- | --- |
//! | `% variant X` | what follows is done by chains of variant `X` only; what stands before the first one, by all |
//! | `% message` | the text is a commit message of the agent's own |
//! | `% edit PATH` … `% to` … | the text, found as whole lines exactly once, becomes the text under `% to` |
//! | `% create PATH` | the text is a new file |
//! | `% delete PATH` | the file goes |
//! | `% rename OLD NEW` | the file moves, as it is |

use std::collections::BTreeMap;

use super::files::Tree;
use crate::error::{Error, Result};

/// What is done in one variant of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::harness) struct Script {
    /// The agent's own commit messages.
    pub(in crate::harness) messages: Vec<String>,
    pub(in crate::harness) actions: Vec<Action>,
}

/// One thing that is done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::harness) enum Action {
    Edit {
        path: String,
        find: Vec<String>,
        put: Vec<String>,
    },
    Create {
        path: String,
        text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old: String,
        new: String,
    },
}

/// Reads a script into its variants; one without any has the variant `a` alone.
///
/// # Errors
/// Usage, with the line, where a directive is unknown or out of place.
pub(in crate::harness) fn parse(text: &str) -> Result<BTreeMap<char, Script>> {
    let mut all = Script::default();
    let mut variants = BTreeMap::new();
    let mut current: Option<(char, Script)> = None;
    let blocks = blocks(text)?;
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        let wrong = |why: &str| {
            Error::usage(format!(
                "reading an edit script: line {}: {why}: {}",
                block.number, block.directive
            ))
        };
        let words: Vec<&str> = block.directive.split_whitespace().collect();
        let script = current.as_mut().map_or(&mut all, |(_, script)| script);
        match words.as_slice() {
            ["variant", name] => {
                let mut letters = name.chars();
                let (Some(letter), None) = (letters.next(), letters.next()) else {
                    return Err(wrong("a variant is one letter"));
                };
                if let Some((done, script)) = current.replace((letter, all.clone())) {
                    variants.insert(done, script);
                }
                if variants.contains_key(&letter) {
                    return Err(wrong("a variant twice"));
                }
            }
            ["message"] => script.messages.push(joined(&block.text)),
            ["edit", path] => {
                let to = blocks.next_if(|b| b.directive == "to");
                let to = to.ok_or_else(|| wrong("an edit without its `% to`"))?;
                script.actions.push(Action::Edit {
                    path: (*path).to_owned(),
                    find: block.text.clone(),
                    put: to.text.clone(),
                });
            }
            ["create", path] => script.actions.push(Action::Create {
                path: (*path).to_owned(),
                text: joined(&block.text),
            }),
            ["delete", path] => script.actions.push(Action::Delete {
                path: (*path).to_owned(),
            }),
            ["rename", old, new] => script.actions.push(Action::Rename {
                old: (*old).to_owned(),
                new: (*new).to_owned(),
            }),
            _ => return Err(wrong("no such directive here")),
        }
    }
    variants.extend(current);
    if variants.is_empty() {
        variants.insert('a', all);
    }
    Ok(variants)
}

impl Action {
    /// The file by which it is spoken of.
    pub(super) fn path(&self) -> &str {
        match self {
            Action::Edit { path, .. } | Action::Create { path, .. } | Action::Delete { path } => {
                path
            }
            Action::Rename { new, .. } => new,
        }
    }

    /// Does it to `tree`.
    ///
    /// # Errors
    /// Usage where it does not fit the files: its text is not there exactly once, a file is
    /// missing or in the way.
    pub(in crate::harness) fn apply(&self, tree: &mut dyn Tree) -> Result<()> {
        match self {
            Action::Edit { path, find, put } => {
                let text = tree.read(path)?.ok_or_else(|| missing(path))?;
                let text = String::from_utf8(text).map_err(|e| {
                    Error::usage(format!("applying an edit script: {path} is no text"))
                        .with_source(e)
                })?;
                tree.write(path, replaced(path, &text, find, put)?.as_bytes(), None)
            }
            Action::Create { path, text } => create(tree, path, text.as_bytes()),
            Action::Delete { path } => {
                tree.read(path)?.ok_or_else(|| missing(path))?;
                tree.remove(path)
            }
            Action::Rename { old, new } => {
                let text = tree.read(old)?.ok_or_else(|| missing(old))?;
                create(tree, new, &text)?;
                tree.remove(old)
            }
        }
    }
}

fn create(tree: &mut dyn Tree, path: &str, text: &[u8]) -> Result<()> {
    match tree.read(path)? {
        None => tree.write(path, text, None),
        Some(_) => Err(Error::usage(format!(
            "applying an edit script: {path} is there already"
        ))),
    }
}

fn replaced(path: &str, text: &str, find: &[String], put: &[String]) -> Result<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut places = lines
        .windows(find.len().max(1))
        .enumerate()
        .filter(|(_, window)| window.iter().eq(find.iter()))
        .map(|(at, _)| at);
    let (Some(at), None) = (places.next(), places.next()) else {
        return Err(Error::usage(format!(
            "applying an edit script: {path}: not there exactly once: {}",
            find.first().map_or("", |line| line.trim())
        )));
    };
    let before = lines[..at].iter().copied();
    let after = lines[at + find.len()..].iter().copied();
    let new = before.chain(put.iter().map(String::as_str)).chain(after);
    Ok(new.flat_map(|line| [line, "\n"]).collect())
}

fn missing(path: &str) -> Error {
    Error::usage(format!("applying an edit script: {path} is not there"))
}

struct Block<'a> {
    /// Line number of the directive, from 1.
    number: usize,
    directive: &'a str,
    text: Vec<String>,
}

fn blocks(script: &str) -> Result<Vec<Block<'_>>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for (index, line) in script.lines().enumerate() {
        if let Some(directive) = line.strip_prefix('%') {
            blocks.push(Block {
                number: index + 1,
                directive: directive.trim(),
                text: Vec::new(),
            });
        } else if let Some(block) = blocks.last_mut() {
            block.text.push(line.to_owned());
        } else if !is_nobodys(line) {
            return Err(Error::usage(format!(
                "reading an edit script: line {}: text before a directive",
                index + 1
            )));
        }
    }
    for block in &mut blocks {
        while block.text.last().is_some_and(|line| is_nobodys(line)) {
            block.text.pop();
        }
    }
    Ok(blocks)
}

fn is_nobodys(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
# a remark
% create new.txt
one

two
% variant a
% message
Say it

# the other way
% variant b
% edit old.txt
x
y
% to
z
% rename old.txt moved.txt
% delete gone.txt
";

    type Files = BTreeMap<String, String>;

    fn apply(script: &Script, files: &mut Files) -> Result<()> {
        script.actions.iter().try_for_each(|a| a.apply(files))
    }

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter()
            .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
            .collect()
    }

    fn refusal(script: &str, on: &[(&str, &str)]) -> String {
        let variants = parse(script).expect("well formed");
        apply(&variants[&'a'], &mut files(on))
            .expect_err("does not fit")
            .to_string()
    }

    #[test]
    fn a_variant_does_what_all_do_and_then_its_own() {
        let variants = parse(SCRIPT).expect("well formed");
        assert_eq!(variants.keys().collect::<Vec<_>>(), [&'a', &'b']);
        assert_eq!(variants[&'a'].messages, ["Say it\n"]);
        let mut tree = files(&[("old.txt", "w\nx\ny\n"), ("gone.txt", "\n")]);
        apply(&variants[&'b'], &mut tree).expect("fits");
        assert_eq!(
            tree,
            files(&[("moved.txt", "w\nz\n"), ("new.txt", "one\n\ntwo\n")])
        );
    }

    #[test]
    fn an_edit_that_does_not_fit_is_refused() {
        let edit = "% variant a\n% edit f\nx\n% to\ny\n";
        assert!(refusal(edit, &[("f", "z\n")]).contains("not there exactly once: x"));
        assert!(refusal(edit, &[("f", "x\nx\n")]).contains("not there exactly once: x"));
        assert!(refusal(edit, &[]).contains("f is not there"));
        let rename = "% variant a\n% rename f g\n";
        assert!(refusal(rename, &[("f", ""), ("g", "")]).contains("g is there already"));
    }

    #[test]
    fn a_script_out_of_form_is_refused() {
        for script in [
            "text\n% variant a\n",
            "% variant ab\n",
            "% variant a\n% variant b\n% variant a\n",
            "% edit f\nx\n",
            "% to\nx\n",
            "% perhaps f\n",
        ] {
            assert!(parse(script).is_err(), "{script}");
        }
    }
}
