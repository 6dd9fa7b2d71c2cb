//! The table of languages: which file names belong to which, and which of them are analysed.

use std::fmt;

/// A language this program knows by file name. The first three are analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// `.java`
    Java,
    /// `.py`, `.pyi`
    Python,
    /// `.go`
    Go,
    /// `.js`, `.jsx`, `.mjs`, `.cjs`
    JavaScript,
    /// `.ts`, `.tsx`, `.mts`, `.cts`
    TypeScript,
    /// `.kt`, `.kts`
    Kotlin,
    /// `.rs`
    Rust,
    /// `.c`, `.h`
    C,
    /// `.cc`, `.cpp`, `.cxx`, `.hh`, `.hpp`, `.hxx`
    Cpp,
    /// `.cs`
    CSharp,
    /// `.rb`
    Ruby,
    /// `.php`
    Php,
    /// `.scala`, `.sc`
    Scala,
}

/// Extension (as written, without the dot) to language.
const EXTENSIONS: &[(&str, Language)] = &[
    ("java", Language::Java),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("go", Language::Go),
    ("js", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("ts", Language::TypeScript),
    ("tsx", Language::TypeScript),
    ("mts", Language::TypeScript),
    ("cts", Language::TypeScript),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("rs", Language::Rust),
    ("c", Language::C),
    ("h", Language::C),
    ("cc", Language::Cpp),
    ("cpp", Language::Cpp),
    ("cxx", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("cs", Language::CSharp),
    ("rb", Language::Ruby),
    ("php", Language::Php),
    ("scala", Language::Scala),
    ("sc", Language::Scala),
];

impl Language {
    /// Every language, analysed ones first.
    pub const ALL: [Language; 13] = [
        Language::Java,
        Language::Python,
        Language::Go,
        Language::JavaScript,
        Language::TypeScript,
        Language::Kotlin,
        Language::Rust,
        Language::C,
        Language::Cpp,
        Language::CSharp,
        Language::Ruby,
        Language::Php,
        Language::Scala,
    ];

    /// The language of a path by its extension; `None` for what is not code.
    pub fn of_path(path: &[u8]) -> Option<Language> {
        let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
        let dot = name.iter().rposition(|b| *b == b'.')?;
        let ext = &name[dot + 1..];
        EXTENSIONS
            .iter()
            .find(|(e, _)| e.as_bytes() == ext)
            .map(|(_, l)| *l)
    }

    /// Whether functions of this language are read (else only its files and lines are known).
    pub fn is_analysed(self) -> bool {
        matches!(self, Language::Java | Language::Python | Language::Go)
    }

    /// The id in options and machine output: `java`, `csharp`, …
    pub fn id(self) -> &'static str {
        match self {
            Language::Java => "java",
            Language::Python => "python",
            Language::Go => "go",
            Language::JavaScript => "javascript",
            Language::TypeScript => "typescript",
            Language::Kotlin => "kotlin",
            Language::Rust => "rust",
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::CSharp => "csharp",
            Language::Ruby => "ruby",
            Language::Php => "php",
            Language::Scala => "scala",
        }
    }

    /// The language of an id, in any letter case.
    pub fn from_id(id: &str) -> Option<Language> {
        let id = id.to_ascii_lowercase();
        Language::ALL.into_iter().find(|l| l.id() == id)
    }

    /// The name for people: `Java`, `C#`, …
    pub fn name(self) -> &'static str {
        match self {
            Language::Java => "Java",
            Language::Python => "Python",
            Language::Go => "Go",
            Language::JavaScript => "JavaScript",
            Language::TypeScript => "TypeScript",
            Language::Kotlin => "Kotlin",
            Language::Rust => "Rust",
            Language::C => "C",
            Language::Cpp => "C++",
            Language::CSharp => "C#",
            Language::Ruby => "Ruby",
            Language::Php => "PHP",
            Language::Scala => "Scala",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
