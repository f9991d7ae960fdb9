//! Threads that read and store the files of finished cases, while other cases run.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::Scope;

use iai_callgrind_launch::{CaseEnd, CaseEvent};
use iai_callgrind_process::spawn_scoped;

use crate::error::Result;
use crate::run::Outcome;

/// Number of threads. Storing a result waits for the disk several times, while other threads read.
const READERS: usize = 3;

/// Maximum number of cases that wait for a thread. Their files are in one directory, which is
/// listed for each of them.
const WAITING: usize = 8;

/// The end of a case, with its outcome once it was read.
pub(super) type ReadEnd = (CaseEnd, Option<Box<Outcome>>);

/// Starts threads that send the outcomes which `read` returns. The returned sender passes finished
/// cases to them. The threads exit once it is dropped.
///
/// # Errors
///
/// Returns an error if a thread can't start.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    read: &'scope (dyn Fn(&CaseEnd) -> Outcome + Sync),
    events: &Sender<CaseEvent<ReadEnd>>,
) -> Result<SyncSender<CaseEnd>> {
    let (ends, waiting) = mpsc::sync_channel(WAITING);
    let waiting = Arc::new(Mutex::new(waiting));
    for _ in 0..READERS {
        let (waiting, events) = (Arc::clone(&waiting), events.clone());
        spawn_scoped(scope, move || {
            while let Some(end) = next(&waiting) {
                let outcome = Some(Box::new(read(&end)));
                if events.send(CaseEvent::Ended((end, outcome))).is_err() {
                    break;
                }
            }
        })?;
    }
    Ok(ends)
}

/// Waits for the next case that ended.
fn next(waiting: &Mutex<Receiver<CaseEnd>>) -> Option<CaseEnd> {
    waiting.lock().unwrap().recv().ok()
}
