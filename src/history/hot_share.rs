//! How much of the modification churn since base lies in the three most re-opened files.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::HotShare;

/// Churn of modified production files over a moving window.
#[derive(Debug, Default)]
pub(super) struct HotFiles {
    window: VecDeque<(u32, Arc<[u8]>, Option<u64>)>,
    files: BTreeMap<Arc<[u8]>, (u64, u64)>,
    all: u64,
    /// Changes of the window whose lines are not known.
    unread: u64,
}

impl HotFiles {
    /// Takes in one file's churn at `position`.
    pub(super) fn add(&mut self, position: u32, path: Arc<[u8]>, churn: Option<u64>) {
        let file = self.files.entry(Arc::clone(&path)).or_default();
        file.0 += 1;
        file.1 += churn.unwrap_or(0);
        self.all += churn.unwrap_or(0);
        self.unread += u64::from(churn.is_none());
        self.window.push_back((position, path, churn));
    }

    /// Forgets what happened at or before `base`.
    pub(super) fn forget(&mut self, base: u32) {
        while self.window.front().is_some_and(|(p, _, _)| *p <= base) {
            let Some((_, path, churn)) = self.window.pop_front() else {
                return;
            };
            self.unread -= u64::from(churn.is_none());
            let churn = churn.unwrap_or(0);
            self.all -= churn;
            if let Some(file) = self.files.get_mut(&path) {
                file.0 -= 1;
                file.1 -= churn;
                if file.0 == 0 {
                    self.files.remove(&path);
                }
            }
        }
    }

    /// The share now; `None` where some lines are not known. Most re-opened: most edits; ties:
    /// more churn, then path.
    pub(super) fn share(&self) -> Option<HotShare> {
        if self.unread > 0 {
            return None;
        }
        let mut top: Vec<(u64, u64)> = self.files.values().copied().collect();
        // Paths are in order already and the sort is stable.
        top.sort_by(|a, b| b.cmp(a));
        Some(HotShare {
            top: top.iter().take(3).map(|f| f.1).sum(),
            all: self.all,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(p: &str) -> Arc<[u8]> {
        p.as_bytes().into()
    }

    #[test]
    fn the_three_files_with_most_edits_count_whatever_their_churn() {
        let mut hot = HotFiles::default();
        for (position, name, churn) in [
            (1, "a", 1),
            (2, "a", 1),
            (3, "b", 5),
            (3, "c", 4),
            (4, "d", 9),
            (5, "b", 5),
        ] {
            hot.add(position, path(name), Some(churn));
        }
        // a (2 edits), b (2 edits), then d (1 edit, more churn than c).
        assert_eq!(hot.share(), Some(HotShare { top: 21, all: 25 }));
        hot.forget(2);
        assert_eq!(hot.share(), Some(HotShare { top: 23, all: 23 }));
        hot.add(6, path("e"), None);
        assert_eq!(hot.share(), None, "lines that are not known are not zero");
        hot.forget(6);
        assert_eq!(hot.share(), Some(HotShare { top: 0, all: 0 }));
    }
}
