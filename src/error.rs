//! The one error type of the library: what was being done, and what kind of trouble it is.
//!
//! The kind decides the exit code (`docs/exit-codes.md`), the message says what was being
//! done on which path or commit, the hint says what to do next. The command line prints
//! them; nothing else in the crate prints.

use std::fmt;

/// What kind of trouble an [`Error`] is; fixes the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A check did not hold (exit 1).
    Check,
    /// A flag, metric, arm, pattern or configuration is wrong (exit 2).
    Usage,
    /// Everything asked for is unknown: data is not here, or not measured by this version (exit 3).
    Unavailable,
    /// Our own fault (exit 70).
    Internal,
    /// Git itself: no repository, an unknown revision, a broken object (exit 128).
    Git,
    /// The reader of our output went away (exit 0).
    BrokenPipe,
}

impl Kind {
    /// The process exit code of this kind.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::Check => 1,
            Kind::Usage => 2,
            Kind::Unavailable => 3,
            Kind::Internal => 70,
            Kind::Git => 128,
            Kind::BrokenPipe => 0,
        }
    }
}

/// An error with its kind, an optional hint, and the error that caused it.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync + 'static>>,
}

/// The result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` with a message in lower case and without a final period.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error {
            kind,
            message: message.into(),
            hint: None,
            source: None,
        }
    }

    /// A wrong flag, name, pattern or configuration.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Trouble with the repository or a revision.
    pub fn git(message: impl Into<String>) -> Self {
        Self::new(Kind::Git, message)
    }

    /// A state that only a fault of this program can reach.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// Everything asked for is unknown.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync + 'static>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of trouble this is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What to do next, where something can be said.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        let kind = if e.kind() == std::io::ErrorKind::BrokenPipe {
            Kind::BrokenPipe
        } else {
            Kind::Internal
        };
        Error::new(kind, "writing output").with_source(e)
    }
}
