//! The captured output and the logs of cases.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use iai_callgrind_base::console::Section;
use iai_callgrind_plan::protocol::{SERVER_NUMBER, capture_name};
use iai_callgrind_profile::files;
use iai_callgrind_store::{read_if_exists, remove_file};
use iai_callgrind_tools::stable_path::StablePath;

use crate::error::Result;

/// Maximum number of bytes of a process's output in an error. The end is shown, which has the
/// reason.
const TAIL: usize = 8192;

/// Maximum length of a line of the output. `assert_eq!` prints both values in one line each.
const LINE: usize = 1024;

/// Number of bytes at the end of the output in which its last lines are looked for.
const SEARCHED: usize = 16 << 20;

/// Number of bytes at the end of a log in which its last lines are searched. Most lines contain the
/// long path of the program.
const LOG_TAIL: usize = 16 * TAIL;

/// The streams of the benchmarks that are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// The standard output is.
    pub stdout: bool,
    /// The standard error is.
    pub stderr: bool,
}

impl FromStr for Shown {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "yes" | "true" => Ok(Self { stdout: true, stderr: true }),
            "no" | "false" => Ok(Self::default()),
            "stdout" => Ok(Self { stdout: true, stderr: false }),
            "stderr" => Ok(Self { stdout: false, stderr: true }),
            _ => Err("expected `yes`, `no`, `stdout` or `stderr`"),
        }
    }
}

/// The captured streams of a case or of the fork server.
#[derive(Debug, Clone, Copy)]
pub struct Captured<'a> {
    staging: &'a Path,
    number: u32,
}

impl<'a> Captured<'a> {
    /// The extensions of the streams.
    pub(crate) const STREAMS: [&'static str; 2] = ["stdout", "stderr"];

    /// Returns the streams with this number.
    pub(crate) fn new(staging: &'a Path, number: u32) -> Self {
        Self { staging, number }
    }

    /// Returns the streams of a case.
    pub fn of_case(staging: &'a Path, case: usize) -> Self {
        Self::new(staging, capture_number(case))
    }

    /// Removes the files.
    pub fn remove(self) -> Result<()> {
        Ok(Self::STREAMS.iter().try_for_each(|stream| remove_file(&self.file(stream)))?)
    }

    /// Returns the streams of the fork server.
    pub fn of_server(staging: &'a Path) -> Self {
        Self { staging, number: SERVER_NUMBER }
    }

    /// Returns the file of a stream.
    pub fn file(self, extension: &str) -> PathBuf {
        let name = capture_name(self.number);
        self.staging.join(format!("{}.{extension}", String::from_utf8_lossy(&name)))
    }

    /// Returns the end of the output.
    pub fn sections(self) -> Vec<Section> {
        let streams = [("output", "stdout"), ("error output", "stderr")];
        streams.map(|(name, stream)| (name, tail(&self.file(stream)))).into()
    }

    /// Reads the streams that are shown; `None` if none is.
    pub fn shown(self, shown: Shown) -> Result<Option<Vec<u8>>> {
        let streams = [(shown.stdout, "stdout"), (shown.stderr, "stderr")];
        let mut output = None;
        for (_, stream) in streams.into_iter().filter(|(is_shown, _)| *is_shown) {
            // A stream that is not captured has no file
            let bytes = read_if_exists(&self.file(stream))?;
            output.get_or_insert_with(Vec::new).extend(bytes.unwrap_or_default());
        }
        Ok(output)
    }
}

/// Returns the number of the captured output of a case, see [`capture_name`].
pub fn capture_number(case: usize) -> u32 {
    u32::try_from(case).map_or(u32::MAX, |case| case.saturating_add(SERVER_NUMBER + 1))
}

/// Returns the last lines of a text file, long ones shortened, and an empty text if it can't be
/// read.
pub fn tail(path: &Path) -> String {
    last_lines(&read_end(path, SEARCHED).unwrap_or_default())
}

/// Returns the end of Valgrind's log of a program that ran under this path, as [`tail`] does, with
/// the program's original path, which is shorter.
pub fn log_tail(path: &Path, link: &StablePath) -> String {
    let text = link.renamed().restored(&read_end(path, LOG_TAIL).unwrap_or_default());
    last_lines(&text)
}

/// Reads the end of a text file.
fn read_end(path: &Path, length: usize) -> io::Result<String> {
    let mut file = files::open(path)?;
    let start = file.metadata()?.len().saturating_sub(length as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the last lines of a text.
fn last_lines(text: &str) -> String {
    let lines = text.split_inclusive('\n').rev().map(shortened);
    let shown = lines.scan(0, |length, line| {
        *length += line.len();
        (*length <= TAIL).then_some(line)
    });
    let mut shown: Vec<_> = shown.collect();
    shown.reverse();
    shown.concat()
}

/// Returns the start of a long line, with the number of omitted bytes.
fn shortened(line: &str) -> Cow<'_, str> {
    let text = line.strip_suffix('\n').unwrap_or(line);
    if text.len() <= LINE {
        return line.into();
    }
    let end = (0..=LINE).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let (left_out, newline) = (text.len() - end, &line[text.len()..]);
    format!("{}... ({left_out} more bytes){newline}", &text[..end]).into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use iai_callgrind_tools::executable::Executable;

    #[test]
    fn the_path_of_the_executable_is_shortened_before_the_log() {
        let directory = tempfile::tempdir().unwrap();
        let own = directory.path().join("program");
        fs::write(&own, "").unwrap();
        let executable = Executable::open(own.to_str().unwrap().to_owned()).unwrap();
        let link = StablePath::create(&executable, directory.path());
        let frame = format!("==7==    by 0x1: f (in {})\n", link.path());
        let log = directory.path().join("7.log");
        fs::write(&log, format!("{}==7== The reason\n{}", frame.repeat(100), frame.repeat(10)))
            .unwrap();
        let text = log_tail(&log, &link);
        let frame = format!("==7==    by 0x1: f (in {})\n", own.display());
        assert!(text.ends_with(&format!("==7== The reason\n{}", frame.repeat(10))), "{text}");
        assert!(text.starts_with("==7==") && text.len() <= TAIL, "{text}");
    }

    #[test]
    fn a_tail_consists_of_whole_lines() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("stderr");
        let line = format!("{}\n", "x".repeat(1023));
        for (lines, kept) in [(1, 1), (8, 8), (9, 8), (20, 8)] {
            fs::write(&file, line.repeat(lines)).unwrap();
            assert_eq!(tail(&file), line.repeat(kept));
        }
        fs::write(&file, "ä".repeat(3000)).unwrap();
        assert_eq!(tail(&file), format!("{}... (4976 more bytes)", "ä".repeat(512)));
        let value = "1, ".repeat(1_000_000);
        let text = format!("panicked at a.rs:1:2:\n left: [{value}]\nright: [{value}]\nnote\n");
        fs::write(&file, text).unwrap();
        let text = tail(&file);
        assert!(text.starts_with("panicked at a.rs:1:2:\n left: [1, 1, "), "{text}");
        assert!(
            text.contains(" more bytes)\nright: [1, 1, ") && text.ends_with("\nnote\n"),
            "{text}"
        );
        assert_eq!(tail(&directory.path().join("missing")), "");
    }
}
