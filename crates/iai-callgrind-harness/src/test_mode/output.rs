//! The output of the cases in test mode.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::{env, fs, process};

use super::summary::FAILED;
use crate::error::Cause;
use crate::message;
use crate::platform::{self, Original, Stream};

const VARIABLE: &str = "IAI_CALLGRIND_NOCAPTURE";

/// Streams that are hidden while a case runs. By default none is hidden.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenStreams(&'static [Stream]);

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
            "no" | "false" => &[Stream::Stdout, Stream::Stderr],
            "stdout" => &[Stream::Stderr],
            "stderr" => &[Stream::Stdout],
            _ => return None,
        }))
    }

    /// Runs a case, which returns `true` if it passes. Prints the hidden output of a case that fails.
    pub(super) fn run(&self, case: impl FnOnce() -> bool) -> bool {
        let hidden: Vec<_> = self.0.iter().filter_map(|stream| Hidden::new(*stream).ok()).collect();
        let passed = case();
        for stream in hidden {
            stream.end(!passed);
        }
        passed
    }
}

/// Stream that is redirected to a file.
struct Hidden {
    stream: Stream,
    original: Original,
    file: File,
}

impl Hidden {
    fn new(stream: Stream) -> io::Result<Self> {
        let name = format!("iai-callgrind-{}-{stream:?}", process::id());
        let path = env::temp_dir().join(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(path)?;
        io::stdout().flush()?;
        // A case can close the descriptors up to the limit
        let file = platform::beyond_limit(&file)?;
        let original = platform::redirect(stream, &file)?;
        Ok(Self { stream, original, file })
    }

    /// Restores the stream, and prints the hidden output if `is_shown`.
    fn end(self, is_shown: bool) {
        let Self { stream, original, file } = self;
        let _ = io::stdout().flush();
        if platform::restore(original).is_err() {
            // The case closed the copy, too, and there is no stream for a message
            platform::end(FAILED);
        }
        if is_shown {
            // An error of the terminal or of the disk can't be printed
            let _ = print(file, stream);
        }
    }
}

/// Prints the hidden output of a stream.
fn print(mut file: File, stream: Stream) -> io::Result<()> {
    file.rewind()?;
    let mut writer = stream.writer();
    io::copy(&mut file, &mut writer)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_stream_is_hidden() {
        let (stdout, stderr) = (Stream::Stdout, Stream::Stderr);
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
