//! The output of the cases in test mode.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::{env, fs, process};

use crate::error::Cause;
use crate::message;

const VARIABLE: &str = "IAI_CALLGRIND_NOCAPTURE";

/// Streams that are hidden while a case runs. By default none is hidden.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenStreams(&'static [libc::c_int]);

impl HiddenStreams {
    /// Reads the environment variable.
    pub(super) fn of_this_process() -> Result<Self, Cause> {
        let value = env::var(VARIABLE).unwrap_or_default();
        Self::parse(&value)
            .ok_or(Cause::Variable { name: VARIABLE, expected: message::NOCAPTURE_VALUE })
    }

    fn parse(value: &str) -> Option<Self> {
        Some(Self(match value {
            "" | "yes" | "true" => &[],
            "no" | "false" => &[libc::STDOUT_FILENO, libc::STDERR_FILENO],
            "stdout" => &[libc::STDERR_FILENO],
            "stderr" => &[libc::STDOUT_FILENO],
            _ => return None,
        }))
    }

    /// Runs a case, which returns `true` if it passes. Prints the hidden output of a case that fails.
    pub(super) fn run(&self, case: impl FnOnce() -> bool) -> bool {
        let hidden: Vec<_> = self.0.iter().filter_map(|stream| Hidden::new(*stream).ok()).collect();
        let passed = case();
        for stream in hidden {
            // An error of the terminal or of the disk can't be printed
            let _ = stream.end(!passed);
        }
        passed
    }
}

/// Stream that is redirected to a file.
struct Hidden {
    stream: libc::c_int,
    original: OwnedFd,
    file: File,
}

impl Hidden {
    fn new(stream: libc::c_int) -> io::Result<Self> {
        let name = format!("iai-callgrind-{}-{stream}", process::id());
        let path = env::temp_dir().join(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(path)?;
        io::stdout().flush()?;
        // SAFETY: the descriptors are open, and the new one has no other owner.
        let original = unsafe {
            let original = OwnedFd::from_raw_fd(check(libc::dup(stream))?);
            check(libc::dup2(file.as_raw_fd(), stream))?;
            original
        };
        Ok(Self { stream, original, file })
    }

    /// Restores the stream, and prints the hidden output if `is_shown`.
    fn end(mut self, is_shown: bool) -> io::Result<()> {
        io::stdout().flush()?;
        // SAFETY: both descriptors are open.
        unsafe { check(libc::dup2(self.original.as_raw_fd(), self.stream))? };
        if is_shown {
            self.file.rewind()?;
            io::copy(&mut self.file, &mut File::from(self.original))?;
        }
        Ok(())
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_stream_is_hidden() {
        let (stdout, stderr) = (libc::STDOUT_FILENO, libc::STDERR_FILENO);
        for (value, hidden) in [
            ("", &[][..]),
            ("yes", &[]),
            ("no", &[stdout, stderr]),
            ("stdout", &[stderr]),
            ("stderr", &[stdout]),
        ] {
            assert_eq!(HiddenStreams::parse(value).unwrap().0, hidden, "{value}");
        }
        assert_eq!(HiddenStreams::parse("both"), None);
    }
}
