//! The time that processes wait for the CPU for real-time priority, which does not count for their
//! limits.

use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use super::orphans::ancestors;

/// A process that waits, until this is dropped.
#[derive(Debug)]
pub(super) struct Wait {
    since: Instant,
    number: usize,
}

/// The waits of the run.
static WAITS: LazyLock<Mutex<Vec<Entry>>> = LazyLock::new(Mutex::default);

#[derive(Debug)]
struct Entry {
    /// The process with those above it.
    processes: Vec<libc::pid_t>,
    since: Instant,
    until: Option<Instant>,
}

impl Wait {
    /// Starts now.
    pub(super) fn start(process: libc::pid_t) -> Self {
        let since = Instant::now();
        let mut waits = WAITS.lock().unwrap();
        waits.push(Entry { processes: ancestors(process).collect(), since, until: None });
        Self { since, number: waits.len() - 1 }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        WAITS.lock().unwrap()[self.number].until = Some(Instant::now());
    }
}

/// Returns the time since this moment for which a process or a descendant has waited, and `true` if
/// it still does.
pub(super) fn waited(process: libc::pid_t, start: Instant) -> (Duration, bool) {
    let waits = WAITS.lock().unwrap();
    let of_process = waits.iter().filter(|wait| wait.processes.contains(&process));
    of_process.fold((Duration::ZERO, false), |(sum, waits), wait| {
        let until = wait.until.unwrap_or_else(Instant::now);
        // A process can wait before the runner knows it
        let time = until.saturating_duration_since(wait.since.max(start));
        (sum + time, waits || wait.until.is_none())
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn a_process_waits_with_those_that_it_descends_from() {
        // Other tests wait for processes of their own
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let own = child.id().cast_signed();
        let start = Instant::now();
        let wait = Wait::start(own);
        thread::sleep(Duration::from_millis(20));
        let middle = Instant::now();
        let parent = ancestors(own).nth(1).unwrap();
        assert!(waited(own, start).0 >= wait.elapsed() / 2 && waited(parent, start).1);
        drop(wait);
        let (whole, is_waiting) = waited(own, start);
        assert!(whole >= Duration::from_millis(20) && !is_waiting);
        assert!(waited(own, middle).0 < whole);
        assert_eq!(waited(own, Instant::now()), (Duration::ZERO, false));
        assert_eq!(waited(i32::MAX, start), (Duration::ZERO, false));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
