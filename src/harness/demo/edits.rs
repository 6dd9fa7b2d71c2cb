//! Edit scripts: what the demonstration's agent did at one checkpoint, as data.
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

use crate::error::{Error, Result};

/// The files of a work tree: path to content.
pub(super) type Files = BTreeMap<String, String>;

/// What is done in one variant of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The agent's own commit messages.
    pub(super) messages: Vec<String>,
    actions: Vec<Action>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Action {
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

/// Reads a script into its variants.
///
/// # Errors
/// Internal, with the line, where a directive is unknown or out of place.
pub(super) fn parse(text: &str) -> Result<BTreeMap<char, Script>> {
    let mut all = Script::default();
    let mut variants = BTreeMap::new();
    let mut current: Option<(char, Script)> = None;
    let blocks = blocks(text)?;
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        let wrong = |why: &str| {
            Error::internal(format!(
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
    Ok(variants)
}

impl Script {
    /// Does to `files` what the script says.
    ///
    /// # Errors
    /// Internal where an action does not fit the files: its text is not there exactly once, a
    /// file is missing or in the way.
    pub(super) fn apply(&self, files: &mut Files) -> Result<()> {
        self.actions
            .iter()
            .try_for_each(|action| action.apply(files))
    }
}

impl Action {
    fn apply(&self, files: &mut Files) -> Result<()> {
        match self {
            Action::Edit { path, find, put } => {
                let text = files.get_mut(path).ok_or_else(|| missing(path))?;
                *text = replaced(path, text, find, put)?;
            }
            Action::Create { path, text } => create(files, path, text.clone())?,
            Action::Delete { path } => {
                files.remove(path).ok_or_else(|| missing(path))?;
            }
            Action::Rename { old, new } => {
                let text = files.remove(old).ok_or_else(|| missing(old))?;
                create(files, new, text)?;
            }
        }
        Ok(())
    }
}

fn create(files: &mut Files, path: &str, text: String) -> Result<()> {
    match files.insert(path.to_owned(), text) {
        None => Ok(()),
        Some(_) => Err(Error::internal(format!(
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
        return Err(Error::internal(format!(
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
    Error::internal(format!("applying an edit script: {path} is not there"))
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
            return Err(Error::internal(format!(
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

    fn files(of: &[(&str, &str)]) -> Files {
        of.iter()
            .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
            .collect()
    }

    fn refusal(script: &str, on: &[(&str, &str)]) -> String {
        let variants = parse(script).expect("well formed");
        variants[&'a']
            .apply(&mut files(on))
            .expect_err("does not fit")
            .to_string()
    }

    #[test]
    fn a_variant_does_what_all_do_and_then_its_own() {
        let variants = parse(SCRIPT).expect("well formed");
        assert_eq!(variants.keys().collect::<Vec<_>>(), [&'a', &'b']);
        assert_eq!(variants[&'a'].messages, ["Say it\n"]);
        let mut tree = files(&[("old.txt", "w\nx\ny\n"), ("gone.txt", "\n")]);
        variants[&'b'].apply(&mut tree).expect("fits");
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
