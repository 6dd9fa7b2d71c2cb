//! What a process prints, on its way into a file: the first and the last of it, the middle counted.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::error::{Error, Result};

/// Most of the end that is kept; what is kept beyond it is the beginning.
const TAIL: u64 = 1 << 20;
const BUFFER: usize = 64 << 10;

/// Bytes that passed, and those of them that are in the file.
#[derive(Debug, Default)]
struct Counts {
    all: AtomicU64,
    dropped: AtomicU64,
}

/// A stream on its way into a file.
pub(super) struct Copying {
    counts: Arc<Counts>,
    done: mpsc::Receiver<std::io::Result<()>>,
}

/// Opens the file that a stream goes to, anew: whatever stands there (a link too) goes first.
pub(super) fn fresh(path: &Path) -> Result<File> {
    let doing = |e| Error::internal(format!("writing {}", path.display())).with_source(e);
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(doing(e)),
        _ => {}
    }
    let mut options = File::options();
    options
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(doing)
}

impl Copying {
    /// Copies `from` into `to` in a thread of its own, of which `keep` bytes stay.
    ///
    /// # Errors
    /// Internal where no thread can be started.
    pub(super) fn start(from: impl Read + Send + 'static, to: File, keep: u64) -> Result<Copying> {
        let counts = Arc::new(Counts::default());
        let (tell, done) = mpsc::channel();
        let theirs = Arc::clone(&counts);
        std::thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || {
                // Nobody may wait for it any more.
                let _ = tell.send(copy(from, to, keep, &theirs));
            })
            .map_err(|e| Error::internal("reading a process's output").with_source(e))?;
        Ok(Copying { counts, done })
    }

    /// The copying of nothing.
    pub(super) fn nothing() -> Copying {
        Copying {
            counts: Arc::default(),
            done: mpsc::channel().1,
        }
    }

    /// Waits for the end of the stream, but not longer than `time`: a process that got away may
    /// hold it open. Gives all bytes, and those of them that were not kept.
    ///
    /// # Errors
    /// Internal where the file could not be written.
    pub(super) fn end(self, time: Duration) -> Result<(u64, u64)> {
        if let Ok(Err(e)) = self.done.recv_timeout(time) {
            return Err(Error::internal("keeping a process's output").with_source(e));
        }
        Ok((
            self.counts.all.load(Ordering::SeqCst),
            self.counts.dropped.load(Ordering::SeqCst),
        ))
    }
}

fn copy(mut from: impl Read, mut to: File, keep: u64, counts: &Counts) -> std::io::Result<()> {
    let tail_room = TAIL.min(keep / 2);
    let mut head_room = keep - tail_room;
    let mut tail = Tail::new(tail_room);
    let mut buffer = vec![0; BUFFER];
    // A file that takes no more must not stop the process that prints: its bytes are counted on.
    let mut failed = None;
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => {
                failed.get_or_insert(e);
                break;
            }
        };
        counts.all.fetch_add(n as u64, Ordering::SeqCst);
        let head = head_room.min(n as u64);
        head_room -= head;
        let (head, rest) = buffer[..n].split_at(usize::try_from(head).unwrap_or(n));
        if failed.is_none()
            && let Err(e) = to.write_all(head)
        {
            failed = Some(e);
        }
        let dropped = tail.push(rest);
        counts.dropped.fetch_add(dropped, Ordering::SeqCst);
    }
    let dropped = counts.dropped.load(Ordering::SeqCst);
    if dropped > 0 {
        // On a line of its own, so that what is read line by line reads on behind it.
        write!(to, "\n[git-evolve: {dropped} bytes left out here]\n")?;
    }
    let (first, second) = tail.halves();
    to.write_all(first)?;
    to.write_all(second)?;
    failed.map_or(Ok(()), Err)
}

/// The last bytes of a stream, in a ring.
struct Tail {
    ring: Vec<u8>,
    room: usize,
    /// Where the oldest byte is, once the ring is full.
    oldest: usize,
}

impl Tail {
    fn new(room: u64) -> Tail {
        Tail {
            ring: Vec::new(),
            room: usize::try_from(room).unwrap_or(usize::MAX),
            oldest: 0,
        }
    }

    /// Takes more; gives how many bytes it let go.
    fn push(&mut self, mut bytes: &[u8]) -> u64 {
        let fill = bytes.len().min(self.room - self.ring.len());
        self.ring.extend_from_slice(&bytes[..fill]);
        bytes = &bytes[fill..];
        let let_go = bytes.len() as u64;
        if self.room == 0 {
            return let_go;
        }
        if bytes.len() > self.room {
            bytes = &bytes[bytes.len() - self.room..];
        }
        for part in [
            bytes.len().min(self.room - self.oldest),
            bytes.len().saturating_sub(self.room - self.oldest),
        ] {
            let (now, rest) = bytes.split_at(part);
            self.ring[self.oldest..self.oldest + part].copy_from_slice(now);
            self.oldest = (self.oldest + part) % self.room;
            bytes = rest;
        }
        let_go
    }

    fn halves(&self) -> (&[u8], &[u8]) {
        (&self.ring[self.oldest..], &self.ring[..self.oldest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: &[u8], keep: u64) -> (Vec<u8>, u64, u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        let counts = Counts::default();
        copy(bytes, fresh(&path).expect("opened"), keep, &counts).expect("copied");
        let all = counts.all.load(Ordering::SeqCst);
        let dropped = counts.dropped.load(Ordering::SeqCst);
        (std::fs::read(path).expect("readable"), all, dropped)
    }

    #[test]
    fn what_fits_is_kept_whole() {
        for size in [0usize, 1, 5, 9, 10] {
            let bytes: Vec<u8> = (0..size).map(|i| b'a' + i as u8).collect();
            assert_eq!(kept(&bytes, 10), (bytes.clone(), size as u64, 0), "{size}");
        }
    }

    #[test]
    fn of_more_the_first_and_the_last_are_kept_and_the_middle_is_counted() {
        let bytes: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
        for keep in [10u64, 1_000, 100_001] {
            let (file, all, dropped) = kept(&bytes, keep);
            assert_eq!((all, dropped), (1_200_000, 1_200_000 - keep));
            let said = format!("\n[git-evolve: {dropped} bytes left out here]\n");
            let half = usize::try_from(keep / 2).expect("small");
            let first = usize::try_from(keep).expect("small") - half;
            let want = [
                &bytes[..first],
                said.as_bytes(),
                &bytes[bytes.len() - half..],
            ]
            .concat();
            assert!(file == want, "{keep}");
        }
    }

    #[test]
    fn the_file_is_new_where_a_link_stands() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "mine").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        drop(fresh(&link).expect("opened"));
        assert_eq!(std::fs::read(&target).expect("readable"), b"mine");
    }
}
