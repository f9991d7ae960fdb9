//! Valgrind's log files.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::lines::{Line, Lines};

/// How much of a log to search: the preamble is in the first lines.
const PREAMBLE: u64 = 4096;

/// Which process started the one that this log is of, and the command it ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Preamble {
    pub(crate) parent: Option<i32>,
    pub(crate) command: String,
}

/// Reads a log's preamble. What isn't there (yet) is left out.
pub(crate) fn preamble(log: &Path) -> Preamble {
    File::open(log).map(|file| parse(BufReader::new(file.take(PREAMBLE)))).unwrap_or_default()
}

fn parse(lines: impl BufRead) -> Preamble {
    let mut preamble = Preamble::default();
    for line in lines.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if let Some((_, text)) = message(&line) {
            preamble.take(text);
        }
    }
    preamble
}

/// What a line of Valgrind's says, and of which process: `==PID== KEY: VALUE`.
fn message(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("==").and_then(|rest| rest.split_once("== "))
}

impl Preamble {
    fn take(&mut self, text: &str) {
        if let Some(parent) = text.strip_prefix("Parent PID: ") {
            self.parent = parent.trim().parse().ok();
        } else if let Some(command) = text.strip_prefix("Command: ") {
            command.clone_into(&mut self.command);
        }
    }
}

/// What the log of several processes, one after the other, says of one of them.
#[derive(Debug)]
pub(crate) struct ProcessLog {
    pub(crate) pid: u64,
    pub(crate) preamble: Preamble,
    /// The number of its last line in the file, counted from one.
    pub(crate) last: usize,
    /// Those of its lines that were asked for, with their numbers, without `==PID== `.
    pub(crate) lines: Vec<(usize, String)>,
}

/// The processes whose logs are in this file, with the lines that are to be kept.
pub(crate) fn processes(log: &Path, mut keep: impl FnMut(&str) -> bool) -> Result<Vec<ProcessLog>> {
    let mut processes: Vec<ProcessLog> = Vec::new();
    each_message(log, |Message { process, pid, line, text }| {
        if process == processes.len() {
            let (preamble, lines) = (Preamble::default(), Vec::new());
            processes.push(ProcessLog { pid, preamble, last: line, lines });
        }
        let process = &mut processes[process];
        process.preamble.take(text);
        process.last = line;
        if keep(text) {
            process.lines.push((line, text.to_owned()));
        }
    })?;
    Ok(processes)
}

/// A line of Valgrind's in the log of several processes.
pub(crate) struct Message<'a> {
    /// Which of the processes, counted from zero.
    pub(crate) process: usize,
    pub(crate) pid: u64,
    /// The number of the line.
    pub(crate) line: usize,
    /// What it says.
    pub(crate) text: &'a str,
}

/// Hands over what Valgrind says in this log, line by line.
pub(crate) fn each_message(log: &Path, mut take: impl FnMut(Message<'_>)) -> Result<()> {
    let mut lines = Lines::open(log).map_err(Error::io("read", log))?;
    let mut last: Option<(usize, u64)> = None;
    // A process that is killed can leave half a line
    while let Some(Line { number, text, .. }) = lines.next().map_err(Error::io("read", log))? {
        let line = String::from_utf8_lossy(text);
        let Some((pid, text)) = message(line.trim_end_matches('\r')) else { continue };
        let Ok(pid) = pid.parse() else { continue };
        let process = match last {
            Some((process, same)) if same == pid => process,
            Some((process, _)) => process + 1,
            None => 0,
        };
        last = Some((process, pid));
        take(Message { process, pid, line: number, text });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_and_the_command_are_in_the_preamble() {
        let log = "==12== Callgrind, a call-graph generating cache profiler\n\
                   ==12== Command: /bin/true -- x\n==12== Parent PID: 7\n==12== \n";
        let expected = Preamble { parent: Some(7), command: "/bin/true -- x".to_owned() };
        assert_eq!(parse(log.as_bytes()), expected);
    }

    #[test]
    fn a_log_without_a_preamble_tells_nothing() {
        for log in ["", "==12==", "==12== Parent PID: many\n", "\u{0}\n"] {
            assert_eq!(parse(log.as_bytes()), Preamble::default());
        }
    }
}
