//! The black-box tests: one binary, one file a subject.
//!
//! | file | for what |
//! | --- | --- |
//! | `support` | temporary repositories made by real git, with their own home, clock and identity |
//! | `measures` | what each kind of edit is, against figures counted by hand |
//! | `isolation` | clones that share nothing, and what is taken in after somebody misbehaved there |
//! | `line_origins` | who wrote each line, against git blame |
//! | `commands` | the program as it is typed: output, exit codes, one file a subcommand |
//! | `figures` | figures: well-formed, stable, inside their frame, telling what was handed in |
//! | `comparisons` | arms compared by task and within levels, against numpy and enumeration |
//! | `hooks` | hooks put in, run and taken away beside everybody else's, with real git |
//! | `borders` | who may use whom among the modules of `src` |
//! | `coverage_reports` | coverage reports of every format, the samples and what tools make of them |
//! | `chains` | chains, found in histories made by real git |
//! | `commit_text` | trailers, mailmaps and attributes, read as git reads them |
//! | `notes_store` | records written by many at once, read from every place, against git's own notes |
//! | `crash` | many writers at once, and writers that are killed: nothing is lost |
//! | `pending` | what is not committed yet, with nothing written |
//! | `pitfalls` | what git and an environment do to records, each situation made by real git |
//! | `prices` | every sample of an envelope against its price and its signals |
//! | `recovery` | chains whose history was rewritten: what counts, what comes back |
//! | `repo_shapes` | repositories of every shape git makes, read as git reads them |
//! | `records` | the notes of every schema so far, and the reference of their fields |
//! | `syntax_functions` | keys, folding, classes, exports, token hashes |
//! | `syntax_laws` | a version read from its neighbour equals itself read from scratch; no crash |
//! | `syntax_oracle` | rows of the fixture sources and of public repositories against the reference tools |
//! | `sharing` | push, fetch and clone: what arrives, what is never lost, what is said |
//! | `test_streams` | test reports that are streams or JSON, runs told twice, and what makes a run a verdict |
//! | `simulate` | large experiments made in seconds, whose truth is known |
//! | `statistics` | slopes, intervals and comparisons against published figures and numpy |
//! | `diff_oracle` | tree changes, renames and line hunks against git |
//! | `envelopes` | samples of what agents leave behind, as they are, changed and joined |
//! | `revisions` | revisions, ranges, dates and walks, against git's own answers |
//! | `test_reports` | test reports of every tool in the samples, as they are and rewritten, cut off, or none |
//! | `experiment` | whole experiments with the replay agent, from a plan to its figures |
//! | `kills` | runs that are killed or asked to stop: what comes of them is what others make |
//! | `machines` | one experiment on several machines: claims, chains to run, two clones and one remote |
//! | `demo` | the demonstration run: its structure against git, its figures against hand counts |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::allow_attributes,
    unreachable_pub,
    clippy::print_stdout,
    reason = "a test that fails says so by panicking"
)]

mod borders;
mod chains;
mod commands;
mod commit_text;
mod comparisons;
mod coverage_reports;
mod crash;
mod demo;
mod diff_oracle;
mod envelopes;
mod experiment;
mod figures;
mod hooks;
mod isolation;
mod kills;
mod line_origins;
mod machines;
mod measures;
mod notes_store;
mod pending;
mod pitfalls;
mod prices;
mod records;
mod recovery;
mod repo_shapes;
mod revisions;
mod sharing;
mod simulate;
mod statistics;
mod support;
mod syntax_functions;
mod syntax_laws;
mod syntax_oracle;
mod test_reports;
mod test_streams;
