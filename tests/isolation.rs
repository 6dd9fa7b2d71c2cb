//! Clones that share nothing, and what is taken in of them after somebody misbehaved there.

mod clones;
mod hostile;
mod own_commits;
