//! What a commit changed, against git: raw changes with renames, origins, and the hunks of `-U0`.
//!
//! | file | for what |
//! | --- | --- |
//! | `said_by_git` | git's answers, read from its plumbing |
//! | `hunks` | line hunks: the cases, random edits |
//! | `renames` | tree changes, renames, origins: the cases |
//! | `histories` | both over whole clones, run on demand |

mod histories;
mod hunks;
mod renames;
mod said_by_git;
