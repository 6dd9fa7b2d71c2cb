//! Which processes of a job are still there, wherever they went, and ending them.
//!
//! A job's processes are those of its group, those that carry its mark in the environment they
//! were started with, and all that stand under one of these. A daemon that left its group and
//! threw its environment away is looked for all the while it has a parent of the job; once it has
//! none it is a child of ours (we are the reaper of what our children leave behind).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open,
    pidfd_send_signal, set_child_subreaper, waitid,
};

/// The variable that a job's processes carry.
pub(super) const MARK: &str = "EVOLVE_MARK";
/// What git's children of ours carry: what they leave behind (a daemon that keeps credentials)
/// is not ours to end.
const INSIDE: &[u8] = b"GIT_EVOLVE_INSIDE=1";
/// More of an environment is not looked through.
const ENVIRONMENT: u64 = 256 << 10;
/// How long ending everything may take: somebody may start processes as fast as they are ended.
const ENDING: Duration = Duration::from_secs(5);

/// The jobs that run now: their group, to what is known of them.
static RUNNING: Mutex<BTreeMap<i32, Known>> = Mutex::new(BTreeMap::new());

struct Known {
    mark: Vec<u8>,
    /// Processes that were seen under the job: id and start time.
    seen: BTreeSet<(i32, u64)>,
}

fn running() -> MutexGuard<'static, BTreeMap<i32, Known>> {
    // What a panicking thread leaves is still a map of groups.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process with `spawn`, which gives its id, and knows it from its first moment on.
pub(super) fn known<T>(
    mark: &str,
    spawn: impl FnOnce() -> std::io::Result<(i32, T)>,
) -> std::io::Result<T> {
    // Where this is no Linux, what leaves its group is lost to us; nothing else is.
    let _ = set_child_subreaper(Some(rustix::process::getpid()));
    let mut jobs = running();
    let (group, started) = spawn()?;
    let mark = format!("{MARK}={mark}").into_bytes();
    let seen = BTreeSet::new();
    jobs.insert(group, Known { mark, seen });
    Ok(started)
}

/// A process as the system lists it.
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    start: u64,
    zombie: bool,
    /// It carries the job's mark.
    marked: bool,
}

/// All processes; none where the system has no such list, or lists them by the numbers of another
/// namespace: those would name somebody else here.
fn all() -> Vec<Process> {
    if !numbers_are_ours() {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.parse().ok()
    });
    pids.filter_map(stat).collect()
}

fn stat(pid: i32) -> Option<Process> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let at = text.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(text.get(at + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Process {
        pid,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
        marked: false,
    })
}

/// This process's own number.
fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

fn numbers_are_ours() -> bool {
    fs::read_link("/proc/self").is_ok_and(|own| own.to_str() == Some(&own_pid().to_string()))
}

/// The session this process stands in, as the list gives it: 0 where its leader is outside our
/// namespace (in a container), which `getsid` of the library takes for impossible.
fn own_session() -> Option<i32> {
    Some(stat(own_pid())?.session)
}

/// Whether somebody else's child was left to us. Whatever this program starts itself, here or
/// elsewhere, stays in our session (`ours`); of what a job starts only a daemon leaves it.
fn is_orphan(p: &Process, ours: Option<i32>) -> bool {
    p.parent == own_pid() && ours.is_some_and(|session| session != p.session)
}

fn environment(pid: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(format!("/proc/{pid}/environ")) {
        // Half of it is as good as none.
        let _ = file.take(ENVIRONMENT).read_to_end(&mut bytes);
    }
    bytes
}

fn holds(environment: &[u8], variable: &[u8]) -> bool {
    environment.split(|b| *b == 0).any(|v| v == variable)
}

/// Whether a process carries the mark that `variable` sets, or a part of it.
fn carries(environment: &[u8], variable: &[u8]) -> bool {
    environment.split(|b| *b == 0).any(|v| {
        let rest = v.strip_prefix(variable);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}

/// The job's processes that are there now, apart from the one we started; those of the frame
/// around a sandbox (which carry no mark) only with `frame`.
fn of_job(group: i32, frame: bool) -> Vec<Process> {
    let processes = all();
    let (us, session) = (own_pid(), own_session());
    let mut jobs = running();
    let others: BTreeSet<i32> = jobs.keys().copied().filter(|g| *g != group).collect();
    let last = others.is_empty();
    let Some(job) = jobs.get_mut(&group) else {
        return Vec::new();
    };
    let mut mine = BTreeSet::from([group]);
    let mut marked = BTreeSet::new();
    for p in processes.iter().filter(|p| p.pid != us) {
        let seen = job.seen.contains(&(p.pid, p.start));
        let environment = match p.zombie {
            true => Vec::new(),
            false => environment(p.pid),
        };
        let has_mark = holds(&environment, &job.mark);
        // The last job answers for orphans of which nobody can say whose they were.
        let orphan = last && !p.zombie && is_orphan(p, session) && !holds(&environment, INSIDE);
        if has_mark {
            marked.insert(p.pid);
        }
        if seen || has_mark || orphan || p.group == group {
            mine.insert(p.pid);
        }
    }
    let carriers = marked.clone();
    // Whatever stands under one of them, in whatever order they are listed.
    let mut grown = true;
    while grown {
        grown = false;
        for p in &processes {
            let under = mine.contains(&p.parent) && p.pid != us && !others.contains(&p.pid);
            if under && mine.insert(p.pid) {
                grown = true;
            }
            let of_marked = marked.contains(&p.parent) || job.seen.contains(&(p.pid, p.start));
            if of_marked && mine.contains(&p.pid) && marked.insert(p.pid) {
                grown = true;
            }
        }
    }
    let mut found = Vec::new();
    for mut p in processes {
        if p.pid == group || !mine.contains(&p.pid) {
            continue;
        }
        p.marked = carriers.contains(&p.pid);
        if marked.contains(&p.pid) || frame {
            job.seen.insert((p.pid, p.start));
        }
        if frame || marked.contains(&p.pid) || p.parent == us {
            found.push(p);
        }
    }
    found
}

/// Remembers who stands under the job now, so that those that lose their parents are known.
pub(super) fn look(group: i32) {
    drop(of_job(group, false));
}

/// Asks all of the job to end that was not asked yet: the frame around a sandbox apart, which would
/// take the others with it before they heard.
pub(super) fn ask(group: i32, framed: bool, asked: &mut BTreeSet<(i32, u64)>) {
    let found = of_job(group, false);
    // Of a frame in which nothing runs yet nobody else has to hear.
    if asked.is_empty() && (!framed || found.is_empty()) {
        signal_group(group, Signal::TERM);
    }
    for p in found {
        if asked.insert((p.pid, p.start)) {
            signal(&p, Signal::TERM);
        }
    }
    asked.insert((group, 0));
}

/// Ends all of the job, and sees to it that nothing of it stays. Gives how many there were that
/// had to be ended, the one we started apart; of one in a sandbox (`framed`) those with its mark,
/// since the frame itself may take a moment to go.
pub(super) fn end(group: i32, framed: bool) -> u64 {
    let began = Instant::now();
    let mut ended = BTreeSet::new();
    let mut signalled = false;
    loop {
        let left = of_job(group, true);
        let alive = left.iter().filter(|p| !p.zombie);
        let alive = alive.filter(|p| !framed || p.marked);
        ended.extend(alive.map(|p| (p.pid, p.start)));
        signal_group(group, Signal::KILL);
        for p in left.iter().filter(|p| !p.zombie) {
            signal(p, Signal::KILL);
        }
        reap_orphans();
        // Only a look after the group was signalled is the last: before that one may be missed
        // that was being started while its parent was already gone.
        if (left.is_empty() && signalled) || began.elapsed() > ENDING {
            return ended.len() as u64;
        }
        if !signalled {
            signalled = true;
            continue;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The job has ended and was waited for: its group may be somebody else's from now on.
pub(super) fn forget(group: i32) {
    running().remove(&group);
}

/// Ends every process that carries `mark`, or a part of it. Gives how many.
pub(super) fn end_marked(mark: &str) -> u64 {
    let mark = format!("{MARK}={mark}").into_bytes();
    let us = own_pid();
    let began = Instant::now();
    let mut ended = BTreeSet::new();
    loop {
        let mut left = all();
        left.retain(|p| p.pid != us && !p.zombie && carries(&environment(p.pid), &mark));
        for p in &left {
            ended.insert((p.pid, p.start));
            signal(p, Signal::KILL);
        }
        if left.is_empty() || began.elapsed() > ENDING {
            return ended.len() as u64;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ends every job at once, without waiting.
pub(super) fn end_everything() {
    let groups: Vec<i32> = running().keys().copied().collect();
    for group in groups {
        signal_group(group, Signal::KILL);
        for p in of_job(group, true) {
            signal(&p, Signal::KILL);
        }
    }
}

fn signal_group(group: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(group) {
        // It may be empty by now.
        let _ = kill_process_group(group, signal);
    }
}

/// Signals the very process that was listed, never one that got its number since.
fn signal(p: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(p.pid) else {
        return;
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => {
            if stat(p.pid).is_some_and(|now| now.start == p.start) {
                // It may have ended by itself.
                let _ = pidfd_send_signal(fd, signal);
            }
        }
        // Older systems have no such handle.
        Err(e) if e == rustix::io::Errno::NOSYS => {
            let _ = rustix::process::kill_process(pid, signal);
        }
        Err(_) => {}
    }
}

/// Takes leave of the dead that somebody left to us: orphans, and members of a job's group or
/// sometime processes of a job that are not the one we started.
fn reap_orphans() {
    let (us, session) = (own_pid(), own_session());
    let jobs = running();
    for p in all() {
        let left_to_us = is_orphan(&p, session)
            || jobs.contains_key(&p.group)
            || jobs.values().any(|j| j.seen.contains(&(p.pid, p.start)));
        if p.zombie
            && p.parent == us
            && left_to_us
            && !jobs.contains_key(&p.pid)
            && let Some(pid) = Pid::from_raw(p.pid)
        {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            // Somebody else of ours may have been faster.
            let _ = waitid(WaitId::Pid(pid), options);
        }
    }
}
