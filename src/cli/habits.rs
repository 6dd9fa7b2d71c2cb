//! One user's habits, from git configuration. None of them moves a figure.

use super::args::FormatWord;
use super::output::say;
use crate::repo::Repo;
use crate::report::Format;
use clap::ValueEnum;

/// Every key that is read, and what it does.
pub(super) const KEYS: [(&str, &str); 3] = [
    ("evolve.format", "the format where --format is not given"),
    (
        "evolve.pager",
        "the pager, before GIT_PAGER and core.pager; `false` for none",
    ),
    (
        "evolve.threads",
        "the number of threads where --threads is not given",
    ),
];

/// What the user likes.
#[derive(Debug, Clone, Default)]
pub(super) struct Habits {
    /// `evolve.format`.
    pub format: Option<Format>,
    /// `evolve.pager`.
    pub pager: Option<String>,
    /// `evolve.threads`.
    pub threads: Option<u16>,
}

impl Habits {
    /// Reads them; a value that is none is said and passed over, since a habit must not stop
    /// work.
    pub(super) fn read(repo: &Repo) -> Habits {
        let [format, pager, threads] = KEYS.map(|(key, _)| repo.setting(key));
        let wrong = |key: &str, value: &str| say(&format!("warning: {key} is '{value}': ignored"));
        Habits {
            format: format.and_then(|word| match FormatWord::from_str(&word, true) {
                Ok(word) => Some(word.into()),
                Err(_) => {
                    wrong(KEYS[0].0, &word);
                    None
                }
            }),
            pager,
            threads: threads.and_then(|n| match n.parse() {
                Ok(n) if n > 0 => Some(n),
                _ => {
                    wrong(KEYS[2].0, &n);
                    None
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manual_names_every_habit() {
        let manual = crate::cli::command().render_long_help().to_string();
        for (key, what) in super::KEYS {
            assert!(manual.contains(key) && manual.contains(what), "{key}");
        }
    }
}
