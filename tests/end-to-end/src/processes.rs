//! Finds processes, and waits for a condition.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::kill;

/// Returns the commands of the processes that have this in their environment.
#[must_use]
pub fn processes_with(variable: &str) -> Vec<String> {
    let command = |id: libc::pid_t| fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let text = |id| String::from_utf8_lossy(&command(id)).replace('\0', " ");
    ids_with(variable).map(text).collect()
}

/// Returns the commands of the processes that name this directory on their command lines, as all of a run do.
#[must_use]
pub fn processes_of(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let commands = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let commands = commands.map(|it| String::from_utf8_lossy(&it).replace('\0', " "));
    commands.filter(|command| command.contains(&*directory.to_string_lossy())).collect()
}

/// Kills these processes.
pub fn kill_processes_with(variable: &str) {
    ids_with(variable).for_each(kill);
}

fn ids_with(variable: &str) -> impl Iterator<Item = libc::pid_t> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    entries.filter_map(move |entry| {
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let has_it = environment.windows(variable.len()).any(|it| it == variable.as_bytes());
        entry.file_name().to_str().filter(|_| has_it)?.parse().ok()
    })
}

/// Returns true if the directory has no entries.
#[must_use]
pub fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).expect("a directory").next().is_none()
}

/// Waits a while for this to hold.
pub fn soon(holds: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    holds()
}
