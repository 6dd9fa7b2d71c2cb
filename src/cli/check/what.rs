//! What is held against thresholds: the changes of a range, of a chain, one change, or what is
//! not committed yet.

use super::CheckArgs;
use crate::cli::at::require_chains;
use crate::cli::measured::{self, Measuring, Wanted};
use crate::cli::output::say;
use crate::cli::overview;
use crate::cli::pending::{self, Below};
use crate::cli::request::Request;
use crate::cli::revision;
use crate::cli::session::Session;
use crate::error::{Error, Result};
use crate::ledger::Chains;
use crate::measure::catalogue::Measure;
use crate::repo::{Oid, RevisionSpec};
use crate::report::{Change, counted};

/// The changes that are checked.
pub(super) struct Looked {
    /// What they are, in words.
    pub of: String,
    /// Newest first.
    pub changes: Vec<Change>,
    /// Under which settings they were measured.
    pub request: Request,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

/// How a shallow clone is made whole.
const DEPTH: &str = "`git fetch --unshallow` brings it; in CI `fetch-depth: 0` (GitHub Actions) \
                     or `GIT_DEPTH: 0` (GitLab) does";

/// Measures what is asked for.
///
/// # Errors
/// Wrong usage, an unknown revision; unavailable where a shallow clone does not say where a range
/// begins.
pub(super) fn look(
    session: &Session<'_>,
    args: &CheckArgs,
    measures: &[&'static Measure],
    paths: &[Vec<u8>],
) -> Result<Looked> {
    let chains = session.chains()?;
    require_chains(session.at, &chains)?;
    let mut measuring = Measuring::new(session, measures, paths.to_vec())?;
    let mut looked = if args.staged || args.worktree {
        uncommitted(&mut measuring, args, &chains, paths)?
    } else if let Some(name) = &args.chain {
        let chain = overview::named(&chains, name)?;
        let request = session.chain_request(chain, paths)?;
        let changes = measured::chain_changes(&mut measuring, chain, &request, |_| true)?;
        Looked {
            of: format!("chain {}", chain.label),
            changes,
            request,
            remarks: chain.notes.clone(),
        }
    } else {
        committed(&mut measuring, args, &chains, paths)?
    };
    measuring.finish();
    if args.no_merges {
        let all = looked.changes.len();
        let merge = |c: &Change| c.step.commit.parents.len() > 1;
        looked.changes.retain(|c| !merge(c));
        let left = all - looked.changes.len();
        if left > 0 {
            let merges = counted(left as u64, "merge is", "merges are");
            looked.remarks.push(format!("{merges} left out"));
        }
    }
    looked.remarks.extend(remarks(&looked.changes, paths, args));
    if looked.changes.is_empty() {
        say(&format!("{}: there is nothing to check", looked.of));
    }
    Ok(looked)
}

/// What is to be known of some changes.
fn remarks(changes: &[Change], paths: &[Vec<u8>], args: &CheckArgs) -> Vec<String> {
    let mut remarks = Vec::new();
    if !paths.is_empty() {
        remarks.push(
            "limited to the paths: what a change did is counted in them alone, what the tree is \
             stays whole"
                .to_owned(),
        );
    }
    if let Some(root) = changes.iter().find(|c| c.step.root) {
        remarks.push(format!(
            "{} is the root: measured against the empty tree",
            root.step.commit.id.short()
        ));
    }
    let merge = |c: &&Change| c.step.commit.parents.len() > 1;
    let merges = changes.iter().filter(merge).count();
    if merges > 0 && changes.len() > 1 && !args.no_merges {
        let merges = counted(merges as u64, "merge", "merges");
        remarks.push(format!(
            "{merges} among them: what a merge brings in counts as its change (--no-merges leaves \
             merges out)"
        ));
    }
    let cut = changes.iter().find(|c| c.step.commit.shallow);
    if let Some(cut) = cut {
        remarks.push(format!(
            "{} stands at the edge of a shallow clone, and what it changed is not here: {DEPTH}",
            cut.step.commit.id.short()
        ));
    }
    remarks
}

/// A range or one change of it.
fn committed(
    measuring: &mut Measuring<'_>,
    args: &CheckArgs,
    chains: &Chains,
    paths: &[Vec<u8>],
) -> Result<Looked> {
    let session = measuring.session();
    let request = session.plain_request(paths)?;
    let empty = |of: String, request: Request| Looked {
        of,
        changes: Vec::new(),
        request,
        remarks: Vec::new(),
    };
    let typed = args.range.as_deref().or(args.revision.as_deref());
    let (range, of) = match typed {
        Some(text) => (revision::range(session, text)?, text.to_owned()),
        None => {
            let Some(head) = session.reader.head()? else {
                return Ok(empty("no commit yet".to_owned(), request));
            };
            let line = session.reader.main_line()?.ok_or_else(|| {
                Error::usage("there is neither an upstream nor an origin/HEAD to begin at")
                    .with_hint(
                        "name what to check: --range origin/main..HEAD, one commit, --staged or \
                         --worktree",
                    )
            })?;
            let from = Some(line.commit);
            let range = RevisionSpec::Range { from, to: head };
            (range, format!("{}..HEAD", line.name))
        }
    };
    let tip = range.tip();
    let one = matches!(range, RevisionSpec::Tip(_));
    if let RevisionSpec::Range {
        from: Some(from), ..
    } = range
    {
        begins(session, from, tip, &of)?;
    }
    let wanted = Wanted {
        range,
        last: one.then_some(1),
        since: None,
    };
    let ranged = measured::range(measuring, chains, &request, &wanted)?;
    let mut remarks = Vec::new();
    let mut changes = ranged.changes;
    let mut of = of;
    if let Some(chain) = ranged.chain {
        remarks.extend(chain.notes.iter().cloned());
        remarks.push(format!("chain {}, agent commits only", chain.label));
        if let Some(newest) = changes.first().filter(|c| one && c.step.commit.id != tip) {
            of = format!("{of}: checkpoint {}", newest.index());
        }
    } else if one {
        // With paths the newest change that touches them may be another.
        changes.retain(|c| c.step.commit.id == tip);
    }
    Ok(Looked {
        of,
        changes,
        request: ranged.request,
        remarks,
    })
}

/// Refuses a range of which a shallow clone does not tell where it begins: all that is here would
/// be taken for the branch's own.
fn begins(session: &Session<'_>, from: Oid, to: Oid, of: &str) -> Result<()> {
    if !session.reader.is_shallow() || session.reader.merge_base(from, to)?.is_some() {
        return Ok(());
    }
    Err(Error::unavailable(format!(
        "{of}: this clone is shallow, and does not hold what both sides have in common"
    ))
    .with_hint(DEPTH))
}

/// The index or the work tree.
fn uncommitted(
    measuring: &mut Measuring<'_>,
    args: &CheckArgs,
    chains: &Chains,
    paths: &[Vec<u8>],
) -> Result<Looked> {
    let session = measuring.session();
    let (found, name) = pending::take(session, args.staged)?;
    let Some(head) = found.base else {
        return Ok(Looked {
            of: format!("{name}, before the first commit"),
            changes: Vec::new(),
            request: session.plain_request(paths)?,
            remarks: Vec::new(),
        });
    };
    let Below { request, line } = pending::below(session, chains, head, paths, 1)?;
    let change = match found.entries.is_empty() {
        true => None,
        false => measuring.pending(line, &request, &found)?,
    };
    Ok(Looked {
        of: name.to_owned(),
        changes: change.into_iter().collect(),
        request,
        remarks: found.remarks.clone(),
    })
}
