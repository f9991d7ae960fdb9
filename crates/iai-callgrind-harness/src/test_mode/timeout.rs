//! The timeout of a case in test mode.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{env, process};

use super::summary::FAILED;
use crate::background::spawn;
use crate::error::Cause;
use crate::{message, platform};

const VARIABLE: &str = "IAI_CALLGRIND_TIMEOUT";

/// Units of durations with their seconds.
const UNITS: [(&str, f64); 6] =
    [("ms", 0.001), ("s", 1.0), ("sec", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];

/// Timeout for each case, with its text for messages.
pub(super) struct Timeout {
    text: String,
    duration: Duration,
    /// Standard error output, which is hidden while a case runs.
    stderr: Arc<File>,
}

impl Timeout {
    /// Reads the environment variable. `None` if it is not set.
    pub(super) fn of_this_process() -> Result<Option<Self>, Cause> {
        let Some(text) = env::var(VARIABLE).ok().filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let wrong = Cause::Variable { name: VARIABLE, expected: message::TIMEOUT_VALUE };
        let duration = parse(&text).ok_or(wrong)?;
        let stderr = platform::copy_of_stderr().map_err(Cause::Descriptor)?;
        Ok(Some(Self { text, duration, stderr: Arc::new(stderr) }))
    }

    /// Watches the case with this name until the guard is dropped. After the timeout the process ends,
    /// because a case runs in this process and a thread can't be ended alone.
    pub(super) fn watch(&self, case: &str) -> Guard {
        let has_ended = Arc::new((Mutex::new(false), Condvar::new()));
        let guard = Guard(Arc::clone(&has_ended));
        let stderr = Arc::clone(&self.stderr);
        let (duration, message) = (self.duration, message::timed_out(case, &self.text));
        spawn(Box::new(move || {
            let (mutex, condition) = &*has_ended;
            let state = mutex.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = condition.wait_timeout_while(state, duration, |has_ended| !*has_ended);
            let (has_ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if !*has_ended {
                // The exit code reports the failure too
                let _ = writeln!(&*stderr, "{message}");
                process::exit(FAILED.into());
            }
        }));
        guard
    }
}

/// Ends the watch over a case when it is dropped.
pub(super) struct Guard(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Guard {
    fn drop(&mut self) {
        let (mutex, condition) = &*self.0;
        *mutex.lock().unwrap_or_else(PoisonError::into_inner) = true;
        condition.notify_one();
    }
}

/// Parses a duration such as `10s` or `1m 30s`, which is not zero.
fn parse(text: &str) -> Option<Duration> {
    let (mut rest, mut seconds) = (text.trim(), 0.0);
    while !rest.is_empty() {
        let (number, unit) = rest.split_at(rest.find(char::is_alphabetic)?);
        let end = unit.find(|next: char| !next.is_alphabetic()).unwrap_or(unit.len());
        let (unit, next) = unit.split_at(end);
        let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        seconds += number.trim().parse::<f64>().ok().filter(|number| *number >= 0.0)? * factor;
        rest = next.trim_start();
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_units() {
        for (text, seconds) in [
            ("10s", 10.0),
            ("500ms", 0.5),
            ("2m", 120.0),
            ("1m 30s", 90.0),
            ("1h1min", 3660.0),
            ("1.5 s", 1.5),
        ] {
            assert_eq!(parse(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        for wrong in ["", "10", "s", "0s", "-1s", "10 parsecs", "99999999999999999999h", "1m-1s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
