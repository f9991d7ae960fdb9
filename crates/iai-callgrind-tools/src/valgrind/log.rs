//! Valgrind's log files.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use iai_callgrind_profile::{Line, Lines, files};

use crate::valgrind::UnknownInstruction;
use crate::{Error, Result};

/// Number of bytes at the start of a log that contain the preamble.
const PREAMBLE: u64 = 4096;

/// The starts of the first lines of the statistics of callgrind and cachegrind.
const STATISTICS: [&str; 3] = ["Events    :", "I   refs:", "I refs:"];

/// Valgrind's last words in the process that started one thread too many.
const TOO_MANY_THREADS: &[u8] = b"Max number of threads is too low";

/// The parent and the command of a process.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Preamble {
    /// The process id of the parent.
    pub parent: Option<i32>,
    /// The command line.
    pub command: String,
}

/// The logs in a directory. Each is read once unless it grows.
#[derive(Debug, Default)]
pub struct ReadLogs {
    /// The sizes of those that are read.
    sizes: HashMap<PathBuf, u64>,
}

impl ReadLogs {
    /// Returns `true` if an unread log in this directory reports that a process has started more
    /// threads than Valgrind allows.
    pub fn have_too_many_threads(&mut self, directory: &Path) -> bool {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let logs = entries.filter_map(|entry| {
            let path = entry.path();
            path.extension().filter(|extension| *extension == "log")?;
            let size = entry.metadata().ok()?.len();
            (self.sizes.insert(path.clone(), size) != Some(size)).then_some(path)
        });
        let mut new = logs.filter_map(|log| files::read(log).ok());
        new.any(|log| says_too_many_threads(&log))
    }
}

/// Returns true if the process of this log has started more threads than Valgrind allows.
pub fn has_too_many_threads(log: &Path) -> bool {
    files::read(log).is_ok_and(|log| says_too_many_threads(&log))
}

fn says_too_many_threads(log: &[u8]) -> bool {
    log.windows(TOO_MANY_THREADS.len()).any(|part| part == TOO_MANY_THREADS)
}

/// Reads the preamble of a log. Missing parts have default values.
pub fn preamble(log: &Path) -> Preamble {
    read_preamble(log).unwrap_or_default()
}

/// Reads the preamble of a log that can be damaged.
pub(crate) fn read_preamble(log: &Path) -> io::Result<Preamble> {
    Ok(parse(BufReader::new(files::open(log)?.take(PREAMBLE))))
}

fn parse(lines: impl BufRead) -> Preamble {
    let mut preamble = Preamble::default();
    for line in lines.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if let Some((_, text)) = split_message(&line) {
            preamble.take(text);
        }
        // The parent comes last
        if preamble.parent.is_some() {
            break;
        }
    }
    preamble
}

/// Splits a line into the process id and the message: `==PID== KEY: VALUE`. With `--time-stamp=yes` it
/// starts with `==TIME PID== `.
fn split_message(line: &str) -> Option<(&str, &str)> {
    let (prefix, text) = line.strip_prefix("==")?.split_once("== ")?;
    let pid = prefix.rsplit_once(' ').map_or(prefix, |(_, pid)| pid);
    Some((pid, text))
}

impl Preamble {
    /// Returns the path of the program. Valgrind writes a backslash before some characters.
    pub fn program(&self) -> Option<PathBuf> {
        let (mut path, mut rest) = (String::new(), self.command.chars());
        while let Some(character) = rest.next().filter(|character| *character != ' ') {
            path.push(if character == '\\' { rest.next()? } else { character });
        }
        (!path.is_empty()).then(|| path.into())
    }

    fn take(&mut self, text: &str) {
        if let Some(parent) = text.strip_prefix("Parent PID: ") {
            self.parent = parent.trim().parse().ok();
        } else if let Some(command) = text.strip_prefix("Command: ") {
            command.clone_into(&mut self.command);
        }
    }
}

/// The part of one process in a log of several processes.
#[derive(Debug)]
pub struct ProcessLog {
    /// The process id.
    pub pid: u64,
    /// The parent and the command.
    pub preamble: Preamble,
    /// Number of the last line, starting from 1.
    pub last: usize,
    /// Selected lines with their numbers, without `==PID== `.
    pub lines: Vec<(usize, String)>,
}

/// Reads the parts of all processes, with the lines that `keep` selects.
pub fn processes(log: &Path, mut keep: impl FnMut(&str) -> bool) -> Result<Vec<ProcessLog>> {
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

/// A message of Valgrind in a log of several processes.
pub struct Message<'a> {
    /// Index of the process.
    pub process: usize,
    /// The process id.
    pub pid: u64,
    /// Number of the line.
    pub line: usize,
    /// Message without `==PID== `.
    pub text: &'a str,
}

/// Calls `take` with each message of a log.
pub fn each_message(log: &Path, mut take: impl FnMut(Message<'_>)) -> Result<()> {
    let mut lines = Lines::open(log).map_err(Error::io("read", log))?;
    let mut last: Option<(usize, u64)> = None;
    // A killed process can leave an incomplete line
    while let Some(Line { number, text, .. }) = lines.next_line().map_err(Error::io("read", log))? {
        let line = String::from_utf8_lossy(text);
        let Some((pid, text)) = split_message(line.trim_end_matches('\r')) else { continue };
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

/// Start of Valgrind's warning about a program that changes its user or has capabilities, before the program's path.
pub const REFUSED: &str = "Warning: Can't execute setuid/setgid/setcap executable";

/// Returns the path of a program that Valgrind refused to run for a process of this log.
pub fn refused_program(log: &Path) -> Option<String> {
    let mut program = None;
    let read = each_message(log, |message| {
        let path = message.text.strip_prefix(REFUSED).and_then(|rest| rest.strip_prefix(": "));
        program = program.take().or(path.map(str::to_owned));
    });
    read.ok().and(program)
}

/// Returns `true` if the tool reports in its log that it could not open one of its files.
pub fn has_unwritten_file(log: &Path) -> bool {
    const REPORTS: [&str; 3] =
        ["error: can not open ", "error: can't open ", "error: cannot create "];
    let mut found = false;
    let read = each_message(log, |message| {
        let text = message.text.to_ascii_lowercase();
        found |= text.contains(" file ") && REPORTS.iter().any(|report| text.starts_with(report));
    });
    read.is_ok() && found
}

/// Returns the part of a log before the statistics at its end, with the reason of a failure.
pub fn without_statistics(log: &str) -> &str {
    let is_start = |line: &str| {
        let text = split_message(line).map(|(_, text)| text);
        text.is_some_and(|text| STATISTICS.iter().any(|start| text.starts_with(start)))
    };
    let mut length = 0;
    for line in log.split_inclusive('\n') {
        if is_start(line) {
            break;
        }
        length += line.len();
    }
    &log[..length]
}

/// Returns the last instruction in a log that Valgrind reports not to know.
pub fn unknown_instruction(log: &Path) -> Option<UnknownInstruction> {
    let mut lines = Lines::open(log).ok()?;
    let (mut bytes, mut found) = (String::new(), None::<UnknownInstruction>);
    while let Ok(Some(Line { text, .. })) = lines.next_line() {
        let line = String::from_utf8_lossy(text);
        if let Some((_, rest)) = line.split_once(": unhandled instruction ") {
            rest.trim_start_matches("bytes: ").trim().clone_into(&mut bytes);
        } else if line.contains("valgrind: Unrecognised instruction at address") {
            let bytes = std::mem::take(&mut bytes);
            found = Some(UnknownInstruction { bytes, ..UnknownInstruction::default() });
        } else if let Some(instruction) = found.as_mut().filter(|found| found.place.is_empty()) {
            let frame = split_message(&line).and_then(|(_, text)| text.trim().strip_prefix("at "));
            let function = frame.and_then(|frame| frame.split_once(": "));
            function.map_or("", |(_, function)| function).clone_into(&mut instruction.place);
        }
    }
    found
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
        let stamped = log.replace("==12", "==00:00:01:02.345 12");
        assert_eq!(parse(stamped.as_bytes()), expected);
    }

    #[test]
    fn the_program_is_the_first_word_of_the_command() {
        for (command, expected) in [
            ("/bin/true -- x", Some("/bin/true")),
            (r"/a\ b\\c/d\<e x", Some(r"/a b\c/d<e")),
            ("x", Some("x")),
            (r"x\", None),
            ("", None),
        ] {
            let preamble = Preamble { parent: None, command: command.to_owned() };
            assert_eq!(preamble.program().as_deref(), expected.map(Path::new), "{command}");
        }
    }

    #[test]
    fn a_time_stamp_is_not_part_of_the_process_id() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("7.log");
        let lines = "==00:00:00:00.000 12== Command: a\n==00:00:00:00.910 12== \n\
                     ==00:00:00:00.917 13== Command: b == 14== c\n";
        fs::write(&log, lines).unwrap();
        let processes = processes(&log, |_| true).unwrap();
        let commands: Vec<_> =
            processes.iter().map(|log| (log.pid, &*log.preamble.command)).collect();
        assert_eq!(commands, [(12, "a"), (13, "b == 14== c")]);
    }

    #[test]
    fn an_instruction_that_valgrind_does_not_know() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("7.log");
        let reason = "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0x7D 0x48\n\
                      vex amd64->IR:   REX=0 REX.W=0 REX.R=0 REX.X=0 REX.B=0\n\
                      ==7== valgrind: Unrecognised instruction at address 0x11be81.\n\
                      ==7==    at 0x11BE81: a::wide (a.rs:3)\n==7==    by 0x11BE65: main (in /a)\n\
                      ==7== Your program just tried to execute an instruction that Valgrind\n";
        fs::write(&log, format!("==7== Command: a\n{reason}")).unwrap();
        let UnknownInstruction { bytes, place, .. } = unknown_instruction(&log).unwrap();
        assert_eq!((&*bytes, &*place), ("0x62 0xF1 0x7D 0x48", "a::wide (a.rs:3)"));
        fs::write(&log, "==7==    at 0x11BE81: a::wide (a.rs:3)\n").unwrap();
        assert_eq!(unknown_instruction(&log), None);
    }

    #[test]
    fn a_file_that_the_tool_could_not_open() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("7.log");
        for (text, expected) in [
            ("Error: can not open cache simulation output file `/a/7.out'", true),
            ("Error: can not open xtree output file `/a/7.out'", true),
            ("error: can't open DHAT output file '/a/7.out'", true),
            ("Error: cannot create pc file /a/7.pc", true),
            ("ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)", false),
            ("Command: /a/error: can't open file", false),
        ] {
            fs::write(&log, format!("==7== Command: a\n==7== {text}\n")).unwrap();
            assert_eq!(has_unwritten_file(&log), expected, "{text}");
        }
    }

    #[test]
    fn statistics_are_no_part_of_a_reason() {
        let reason = "==7== Process terminating with default action of signal 8 (SIGFPE)\n\
                      ==7==  Integer divide by zero at address 0x1\nEvents    : of the program\n==7== \n";
        for statistics in
            ["==7== Events    : Ir\n==7== Collected : 1\n", "==7== I   refs:   1\n", ""]
        {
            assert_eq!(without_statistics(&format!("{reason}{statistics}")), reason);
        }
    }

    #[test]
    fn a_log_without_a_preamble_has_default_values() {
        for log in ["", "==12==", "==12== Parent PID: many\n", "\u{0}\n"] {
            assert_eq!(parse(log.as_bytes()), Preamble::default());
        }
    }
}
