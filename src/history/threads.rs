//! Work handed out to threads; results in the order of the work, whatever the thread count.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// Told how far long work is.
pub trait Progress: Sync {
    /// A stage with so many units begins.
    fn begin(&self, stage: &'static str, total: u64);
    /// So many units are done.
    fn advance(&self, units: u64);
    /// The stage is over.
    fn end(&self);
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// Runs `work` on items `0..items`, each thread with tools of its own.
///
/// # Errors
/// The first error by item number; a thread that panicked.
pub(super) fn on_all<T: Send, W>(
    threads: usize,
    items: usize,
    tools: impl Fn() -> Result<W> + Sync,
    work: impl Fn(&mut W, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::with_capacity(items));
    let one = || -> Result<()> {
        let mut tool = None;
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= items {
                return Ok(());
            }
            let tool = match &mut tool {
                Some(t) => t,
                None => tool.insert(tools()?),
            };
            let result = work(tool, item);
            if let Ok(mut list) = done.lock() {
                list.push((item, result));
            }
        }
    };
    let count = threads.max(1).min(items);
    if count <= 1 {
        one()?;
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..count).map(|_| scope.spawn(one)).collect();
            let mut outcome = Ok(());
            for h in handles {
                match h.join() {
                    Ok(r) => outcome = outcome.and(r),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            outcome
        })?;
    }
    let mut list = done
        .into_inner()
        .map_err(|_| Error::internal("a thread ended while it held the results"))?;
    list.sort_by_key(|(item, _)| *item);
    list.into_iter().map(|(_, r)| r).collect()
}

/// Groups items into pieces of work of similar weight, in order.
pub(super) fn batches(items: usize, weight: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
    const ENOUGH: usize = 16;
    let mut all = Vec::new();
    let mut batch = Vec::new();
    let mut sum = 0;
    for i in 0..items {
        batch.push(i);
        sum += weight(i);
        if sum >= ENOUGH {
            all.push(std::mem::take(&mut batch));
            sum = 0;
        }
    }
    if !batch.is_empty() {
        all.push(batch);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_work() {
        for threads in [1, 2, 7] {
            let got = on_all(threads, 100, || Ok(()), |(), i| Ok(i * 2)).expect("no errors");
            assert_eq!(got, (0..100).map(|i| i * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_error_of_the_first_item_that_failed_is_told() {
        let work = |(): &mut (), i: usize| {
            if i % 10 == 7 {
                Err(Error::usage(format!("item {i}")))
            } else {
                Ok(i)
            }
        };
        let error = on_all(2, 50, || Ok(()), work).expect_err("seven fails");
        assert_eq!(error.to_string(), "item 7");
    }

    #[test]
    fn batches_hold_every_item_once_and_in_order() {
        let all: Vec<usize> = batches(100, |i| i % 5).into_iter().flatten().collect();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }
}
