//! Change requests of another harness as checkpoints of a plan.

use std::io::Read;
use std::path::Path;

use super::written::Asked;
use crate::cli::args::Global;
use crate::cli::session::directory;
use crate::error::{Error, Result};
use crate::plan::{Mutates, Requests, read_requests};

/// Reads the list.
///
/// # Errors
/// Usage where it cannot be read, or is wrong, with line and column.
pub(super) fn read(global: &Global, file: &Path) -> Result<Requests> {
    let name = file.display().to_string();
    let failed = |e: std::io::Error| Error::usage(format!("reading {name}")).with_source(e);
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(directory(global).join(file)).map_err(failed)?;
    opened
        .take((1 << 20) + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Error::usage(format!("{name} is not UTF-8")))?;
    read_requests(&text, &name)
}

/// The checkpoints of a list, in its order, each with its prompt file.
pub(super) fn checkpoints(requests: &Requests) -> Vec<Asked> {
    let width = requests.all.len().to_string().len().max(2);
    (1_usize..)
        .zip(&requests.all)
        .map(|(number, request)| {
            let mut said = Vec::new();
            if let Some(phase) = &request.phase {
                said.push(format!("phase {phase}"));
            }
            if let Some(mutative) = request.mutative {
                said.push(if mutative { "mutative" } else { "additive" }.to_owned());
            }
            let mutates = request.mutates.iter().map(|m| match m {
                Mutates::Request(word) | Mutates::Tests(word) => word.clone(),
            });
            Asked {
                id: request.id.clone(),
                file: format!("prompts/{number:0width$}-{}.md", request.id),
                prompt: request.prompt.clone(),
                mutates: mutates.collect(),
                said: said.join(", "),
            }
        })
        .collect()
}
