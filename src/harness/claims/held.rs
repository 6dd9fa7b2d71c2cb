//! A claim that is held: renewed while it is, given back when it is no longer needed.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::claim::Claim;
use super::{Claims, ref_of, shown};
use crate::record::Moment;
use crate::repo::{Oid, Swapped};

/// A claim of ours. Dropping it gives it back.
#[derive(Debug)]
pub struct Held {
    state: Arc<Mutex<State>>,
    claims: Claims,
    /// Its other end is the thread's; closing it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    claim: Claim,
    /// What the remote's ref is.
    at: Oid,
    lost: Option<String>,
}

impl Held {
    /// Renews `claim`, which stands at `at`, until the value goes.
    pub(super) fn keep(claims: Claims, claim: Claim, at: Oid) -> Held {
        let state = Arc::new(Mutex::new(State {
            claim,
            at,
            lost: None,
        }));
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::Builder::new().name("claim".to_owned()).spawn({
            let (claims, state) = (claims.clone(), Arc::clone(&state));
            move || {
                let third = claims.time / 3;
                let mut rest = third;
                loop {
                    match stopped.recv_timeout(rest) {
                        Err(RecvTimeoutError::Timeout) => {}
                        _ => return,
                    }
                    match renew(&claims, &state) {
                        Renewed::Yes => rest = third,
                        Renewed::Later => rest = (third / 8).max(Duration::from_millis(100)),
                        Renewed::Lost => return,
                    }
                }
            }
        });
        Held {
            state,
            claims,
            stop: Some(stop),
            // Without a thread it is not renewed, and lasts its time.
            thread: thread.ok(),
        }
    }

    /// Why the claim is ours no longer; `None` while it is.
    pub fn lost(&self) -> Option<String> {
        locked(&self.state).lost.clone()
    }

    /// The claim as it was last renewed.
    pub fn claim(&self) -> Claim {
        locked(&self.state).claim.clone()
    }

    fn end(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to renew.
            let _ = thread.join();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end();
        let state = locked(&self.state);
        if state.lost.is_some() {
            return;
        }
        let name = ref_of(&state.claim.chain);
        // Where the remote cannot be reached the claim ends with its time.
        let gone = self.claims.swap(&name, Some(state.at), None);
        if let Ok(Swapped::Refused(_)) = gone {
            // A server that deletes nothing: the claim says itself that it is given back.
            if let Ok(id) = self.claims.write(&state.claim.back()) {
                let _ = self.claims.swap(&name, Some(state.at), Some(id));
            }
        }
    }
}

enum Renewed {
    Yes,
    Later,
    Lost,
}

fn renew(claims: &Claims, state: &Mutex<State>) -> Renewed {
    let (before, at) = {
        let state = locked(state);
        (state.claim.clone(), state.at)
    };
    let next = Claim::new(
        &before.chain,
        &before.machine,
        Some(before.taken),
        claims.millis(),
    );
    let name = ref_of(&before.chain);
    let swapped = claims
        .write(&next)
        .and_then(|id| Ok((claims.swap(&name, Some(at), Some(id))?, id)));
    let why = match swapped {
        Ok((Swapped::Done, id)) => {
            let mut state = locked(state);
            (state.claim, state.at) = (next, id);
            return Renewed::Yes;
        }
        Ok((Swapped::Lost(now), _)) => {
            let who = now.and_then(|id| match claims.read(&name, id) {
                Ok(super::Found::Claim(c)) => Some(format!("machine {}", shown(&c.machine))),
                _ => None,
            });
            let who = who.unwrap_or_else(|| "somebody".to_owned());
            format!("{}: its claim was taken over by {who}", before.chain)
        }
        // The network may be back before its time is over.
        _ if Moment::now() < before.until => return Renewed::Later,
        _ => format!(
            "{}: its claim could not be renewed and was over at {}",
            before.chain, before.until
        ),
    };
    locked(state).lost = Some(why);
    Renewed::Lost
}

fn locked(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    // What is in it is whole after each step.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
