//! Valgrind's log files.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

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
        // ==PID== KEY: VALUE
        let Some((_, text)) = line.strip_prefix("==").and_then(|rest| rest.split_once("== "))
        else {
            continue;
        };
        if let Some(parent) = text.strip_prefix("Parent PID: ") {
            preamble.parent = parent.trim().parse().ok();
        } else if let Some(command) = text.strip_prefix("Command: ") {
            command.clone_into(&mut preamble.command);
        }
    }
    preamble
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
