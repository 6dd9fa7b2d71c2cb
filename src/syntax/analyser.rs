//! The analyser: parses a version of a file and reads its structure, from scratch or from
//! the version before.

use std::ops::ControlFlow;
use std::sync::Arc;

use tree_sitter::{Language as Grammar, ParseOptions, ParseState, Parser, Tree};

use super::draft::Draft;
use super::edits::{ByteEdit, Dirty, Shift, byte_edits, input_edit};
use super::go::{Go, GoIds};
use super::java::{Java, JavaIds};
use super::language::Language;
use super::model::{LineEdit, ParseCounts, Profile, Structure, Unparsed};
use super::python::{Python, PythonIds};
use super::reuse::{Old, Unit};
use super::settled::Settled;
use super::text::Text;
use super::walk::{Frame, walk};
use crate::{Error, Result};

/// The analyser's id, for outputs and records.
pub const ANALYSER: &str = "evolve-syntax";
/// Its own version and those of the grammars: with another one of these, figures may move.
pub const ANALYSER_VERSION: &str =
    "1 (tree-sitter-java 0.23.5, tree-sitter-python 0.25.0, tree-sitter-go 0.25.0)";

/// Work a parse may take, in calls of the parser's progress callback (each a fixed number of
/// the parser's own steps): this many, and so many more for each KiB of text. Ordinary files
/// take 5 to 30 a KiB, a hundred thousand brackets in one another 60.
const WORK_BASE: u64 = 5_000;
const WORK_PER_KIB: u64 = 200;

/// Reads versions of files. One per thread: it holds the parsers and buffers.
pub struct Analyser {
    profile: Profile,
    java: (Parser, JavaIds, Vec<Frame<super::java_kinds::Kind>>),
    python: (Parser, PythonIds, Vec<Frame<super::python_kinds::Kind>>),
    go: (Parser, GoIds, Vec<Frame<super::go_kinds::Kind>>),
    counts: ParseCounts,
}

/// One version of a file, read: its text, its tree and its structure. Cloning is cheap.
#[derive(Clone)]
pub struct Version(Arc<Read>);

struct Read {
    language: Language,
    text: Option<Text>,
    tree: Option<Tree>,
    /// Work spent on the tree, all incremental parses since the last fresh one included.
    work: u64,
    structure: Result<Arc<Structure>, Unparsed>,
    numbers: Vec<u32>,
    units: Vec<Unit>,
    settled: Vec<Settled>,
}

/// The version before, its tree already told of the edits.
struct Before<'b> {
    structure: &'b Structure,
    read: &'b Read,
    edits: &'b [ByteEdit],
    tree: &'b Tree,
}

impl Version {
    /// The structure, or why there is none.
    ///
    /// # Errors
    /// Why the content has no structure.
    pub fn structure(&self) -> Result<&Arc<Structure>, Unparsed> {
        self.0.structure.as_ref().map_err(|e| *e)
    }

    fn without(language: Language, why: Unparsed) -> Version {
        Version(Arc::new(Read {
            language,
            text: None,
            tree: None,
            work: 0,
            structure: Err(why),
            numbers: Vec::new(),
            units: Vec::new(),
            settled: Vec::new(),
        }))
    }
}

impl std::fmt::Debug for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Version")
            .field("language", &self.0.language)
            .field("structure", &self.0.structure)
            .finish_non_exhaustive()
    }
}

fn parser(grammar: &Grammar) -> Result<Parser> {
    let mut parser = Parser::new();
    parser
        .set_language(grammar)
        .map_err(|e| Error::internal("setting up the parser").with_source(e))?;
    Ok(parser)
}

impl Analyser {
    /// Sets up the parsers and resolves every node kind the rules name.
    ///
    /// # Errors
    /// A grammar that lacks a kind (`Kind::Internal`).
    pub fn new(profile: Profile) -> Result<Analyser> {
        let java: Grammar = tree_sitter_java::LANGUAGE.into();
        let python: Grammar = tree_sitter_python::LANGUAGE.into();
        let go: Grammar = tree_sitter_go::LANGUAGE.into();
        Ok(Analyser {
            profile,
            java: (parser(&java)?, JavaIds::resolve(&java)?, Vec::new()),
            python: (parser(&python)?, PythonIds::resolve(&python)?, Vec::new()),
            go: (parser(&go)?, GoIds::resolve(&go)?, Vec::new()),
            counts: ParseCounts::default(),
        })
    }

    /// How often the parsers ran.
    pub fn counts(&self) -> ParseCounts {
        self.counts
    }

    /// Reads a version from scratch. A language that is not analysed has no structure
    /// ([`Unparsed::GaveUp`]).
    pub fn analyse(&mut self, language: Language, source: &Arc<[u8]>) -> Version {
        match Text::read(source) {
            Ok(text) => self.fresh(language, text),
            Err(why) => Version::without(language, why),
        }
    }

    /// Reads a version that `edits` turn `previous` into: the same result as
    /// [`Analyser::analyse`], faster. `edits` are in order and do not overlap; where they are
    /// not the difference of the two sources the version is read from scratch.
    pub fn reanalyse(
        &mut self,
        previous: &Version,
        edits: &[LineEdit],
        source: &Arc<[u8]>,
    ) -> Version {
        let text = match Text::read(source) {
            Ok(text) => text,
            Err(why) => return Version::without(previous.0.language, why),
        };
        match self.incremental(&previous.0, edits, text) {
            Ok(version) => version,
            Err(text) => self.fresh(previous.0.language, text),
        }
    }

    fn fresh(&mut self, language: Language, text: Text) -> Version {
        if !language.is_analysed() {
            return Version::without(language, Unparsed::GaveUp);
        }
        self.counts.fresh += 1;
        let limit = work_limit(&text);
        match self.parse(language, &text, None, limit) {
            Some((tree, work)) => self.read(language, text, tree, work, None),
            None => Version::without(language, Unparsed::GaveUp),
        }
    }

    /// Gives the text back where it is to be read from scratch.
    fn incremental(
        &mut self,
        previous: &Read,
        edits: &[LineEdit],
        text: Text,
    ) -> Result<Version, Text> {
        let (Some(before), Some(tree), Ok(structure)) =
            (&previous.text, &previous.tree, &previous.structure)
        else {
            return Err(text);
        };
        if before.original.is_some() || text.original.is_some() {
            return Err(text);
        }
        let Some(edits) = byte_edits(before, &text, edits) else {
            return Err(text);
        };
        // A text so hard to parse that a fresh parse might give up is parsed afresh, so that
        // giving up does not depend on the way.
        let Some(limit) = (work_limit(&text) / 2).checked_sub(previous.work) else {
            return Err(text);
        };
        let mut edited = tree.clone();
        for edit in edits.iter().rev() {
            edited.edit(&input_edit(before, &text, edit));
        }
        self.counts.incremental += 1;
        let parsed = self.parse(previous.language, &text, Some(&edited), limit);
        let Some((tree, work)) = parsed.filter(|(tree, _)| !tree.root_node().has_error()) else {
            return Err(text);
        };
        let old = Before {
            structure,
            read: previous,
            edits: &edits,
            tree: &edited,
        };
        Ok(self.read(
            previous.language,
            text,
            tree,
            previous.work + work,
            Some(old),
        ))
    }

    fn parse(
        &mut self,
        language: Language,
        text: &Text,
        old: Option<&Tree>,
        limit: u64,
    ) -> Option<(Tree, u64)> {
        let parser = match language {
            Language::Java => &mut self.java.0,
            Language::Python => &mut self.python.0,
            Language::Go => &mut self.go.0,
            _ => return None,
        };
        let bytes = text.as_bytes();
        let mut work = 0;
        let mut progress = |_: &ParseState| {
            work += 1;
            if work > limit {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, old, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree.map(|t| (t, work))
    }

    fn read(
        &mut self,
        language: Language,
        text: Text,
        tree: Tree,
        work: u64,
        old: Option<Before<'_>>,
    ) -> Version {
        if tree.root_node().has_error() {
            return Version::without(language, Unparsed::SyntaxError);
        }
        let old = old.map(|b| {
            let near = Dirty::near(&text, b.edits);
            let shift = Shift::new(b.edits);
            let Read {
                numbers,
                units,
                settled,
                ..
            } = b.read;
            Old::new(
                b.structure,
                numbers,
                units,
                settled,
                shift,
                near,
                (b.tree, &tree),
            )
        });
        let mut d = Draft::new(text.as_str(), self.profile, text.original.as_deref(), old);
        let mut cursor = tree.walk();
        match language {
            Language::Java => {
                let (_, ids, frames) = &mut self.java;
                walk(&mut Java::new(ids), &mut d, &ids.kinds, &mut cursor, frames);
            }
            Language::Python => {
                let (_, ids, frames) = &mut self.python;
                let mut rules = Python::new(ids);
                walk(&mut rules, &mut d, &ids.kinds, &mut cursor, frames);
            }
            _ => {
                let (_, ids, frames) = &mut self.go;
                let mut rules = Go::new(ids);
                walk(&mut rules, &mut d, &ids.kinds, &mut cursor, frames);
                Go::finish(&mut d);
            }
        }
        if d.gave_up {
            return Version::without(language, Unparsed::GaveUp);
        }
        let Draft {
            rows,
            functions,
            classes,
            mut exports,
            nloc,
            numbers,
            units,
            mut settled,
            ..
        } = d;
        // A statement within another was complete before it.
        settled.sort_by_key(Settled::place);
        exports.sort_unstable();
        exports.dedup();
        drop(cursor);
        Version(Arc::new(Read {
            language,
            structure: Ok(Arc::new(Structure {
                rows,
                functions,
                classes,
                exports,
                nloc,
            })),
            text: Some(text),
            tree: Some(tree),
            work,
            numbers,
            units,
            settled,
        }))
    }
}

fn work_limit(text: &Text) -> u64 {
    WORK_BASE + WORK_PER_KIB * (text.as_bytes().len() as u64).div_ceil(1024)
}
