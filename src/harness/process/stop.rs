//! Being asked to stop: by Ctrl-C, by TERM, by another part of the program.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How long a pause sleeps before it looks again.
const LOOK: Duration = Duration::from_millis(50);

/// Whether all work is to end soon. Cheap to clone; one for everything that waits.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
}

impl Stop {
    /// One that nobody asks but [`Stop::ask`].
    pub fn new() -> Stop {
        Stop::default()
    }

    /// One that Ctrl-C and TERM ask. The second signal ends every process that was started, and
    /// this one, at once (exit 130); `last` is what is still done then.
    ///
    /// # Errors
    /// Internal where the system takes no handler.
    pub fn on_signals(last: impl Fn() + Send + 'static) -> Result<Stop> {
        let doing = |e| Error::internal("listening for signals").with_source(e);
        let stop = Stop::new();
        let (mut hear, tell) = UnixStream::pair().map_err(doing)?;
        for signal in [
            signal_hook::consts::SIGINT,
            signal_hook::consts::SIGTERM,
            signal_hook::consts::SIGHUP,
        ] {
            let tell = tell.try_clone().map_err(doing)?;
            signal_hook::low_level::pipe::register(signal, tell).map_err(doing)?;
        }
        let asked = stop.clone();
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let mut signals = [0; 16];
                while let Ok(n) = hear.read(&mut signals) {
                    if n > 1 || n == 1 && asked.asked() {
                        asked.ask();
                        super::remains::end_everything();
                        last();
                        std::process::exit(130);
                    }
                    if n == 0 {
                        return;
                    }
                    asked.ask();
                }
            })
            .map_err(doing)?;
        Ok(stop)
    }

    /// Asks everything that holds this to end.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Waits; false where it was asked to stop meanwhile.
    pub fn pause(&self, time: Duration) -> bool {
        let began = Instant::now();
        while !self.asked() {
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(LOOK));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_ends_when_somebody_asks() {
        let stop = Stop::new();
        assert!(stop.pause(Duration::from_millis(1)));
        let other = stop.clone();
        let asks = std::thread::spawn(move || other.ask());
        assert!(!stop.pause(Duration::from_secs(60)));
        asks.join().expect("it asked");
    }
}
