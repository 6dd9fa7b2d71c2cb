//! The files that a plan names, looked at where they are.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::plan::problems::{Named, Reading, What};
use crate::plan::{Overlay, Plan};

/// A longer text is no prompt.
const WORDS_MAX: u64 = 1 << 20;

/// Looks whether each file is there, is what it is to be, and stands in `folder`, links
/// followed.
pub(super) fn look(r: &mut Reading<'_>, folder: &Path) {
    let top = folder.canonicalize();
    for file in r.files() {
        if let Some(message) = wrong(&file, folder, top.as_deref().unwrap_or(folder)) {
            r.wrong(file.at, message);
        }
    }
}

fn wrong(file: &Named, folder: &Path, top: &Path) -> Option<String> {
    let shown = match file.path.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => file.path.display().to_string(),
    };
    let full = match folder.join(&file.path).canonicalize() {
        Ok(full) => full,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Some(format!("there is no file '{shown}'"));
        }
        Err(e) => return Some(format!("'{shown}' cannot be read: {e}")),
    };
    if !full.starts_with(top) {
        return Some(format!("'{shown}' is a link that leaves the plan's folder"));
    }
    let is = match full.metadata() {
        Ok(is) => is,
        Err(e) => return Some(format!("'{shown}' cannot be read: {e}")),
    };
    match file.what {
        What::Folder if !is.is_dir() => Some(format!("'{shown}' is no folder")),
        What::Words | What::File if !is.is_file() => Some(format!("'{shown}' is no file")),
        What::Either if !is.is_file() && !is.is_dir() => {
            Some(format!("'{shown}' is neither a file nor a folder"))
        }
        What::Words => words(&full, &shown),
        _ => None,
    }
}

/// Words can be told to an agent.
fn words(full: &Path, shown: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let read = File::open(full).and_then(|f| f.take(WORDS_MAX + 1).read_to_end(&mut bytes));
    match read {
        Err(e) => Some(format!("'{shown}' cannot be read: {e}")),
        Ok(_) if bytes.len() as u64 > WORDS_MAX => Some(format!("'{shown}' is larger than 1 MiB")),
        Ok(_) => match std::str::from_utf8(&bytes) {
            Err(_) => Some(format!("'{shown}' is not UTF-8")),
            Ok(text) if text.trim().is_empty() => Some(format!("'{shown}' says nothing")),
            Ok(_) => None,
        },
    }
}

/// A file that comes to stand in a folder of the tree gets its own name there.
pub(super) fn settle(plan: &mut Plan) {
    let folder = plan.folder.clone();
    let settle = |overlay: &mut Overlay| {
        let in_folder = overlay.to.is_empty() || overlay.to.ends_with('/');
        let stem = overlay.to.trim_end_matches('/').to_owned();
        let name = overlay.from.file_name().and_then(|n| n.to_str());
        overlay.to = match name {
            Some(name) if in_folder && folder.join(&overlay.from).is_file() => {
                match stem.is_empty() {
                    true => name.to_owned(),
                    false => format!("{stem}/{name}"),
                }
            }
            _ => stem,
        };
    };
    for arm in &mut plan.arms {
        arm.files.iter_mut().for_each(settle);
        arm.specs.iter_mut().for_each(|s| settle(&mut s.file));
        let of_tasks = arm.of_tasks.values_mut();
        let all = of_tasks.map(|t| (&mut t.agent, &mut t.gate));
        for (agent, gate) in all.chain(std::iter::once((&mut arm.agent, &mut arm.gate))) {
            agent.config.iter_mut().for_each(settle);
            let tests = gate.acceptance.iter_mut().flat_map(|s| &mut s.tests);
            tests.for_each(settle);
        }
    }
}
