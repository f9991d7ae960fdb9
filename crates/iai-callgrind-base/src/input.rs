//! Files that the user names. They can be pipes, such as that of `<(command)`.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use iai_callgrind_profile::files;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::FileError;
use super::note::print_line;

/// Time for another program to open a pipe. A writer that waited for a reader needs a moment.
const OPENING: Duration = Duration::from_secs(1);

/// Interval at which to look for such a program.
const INTERVAL: Duration = Duration::from_millis(10);

/// The time without input after which waiting is reported.
const REPORTED: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// A note: another program has opened a pipe that the user names, and writes nothing.
#[derive(Debug, thiserror::Error)]
#[error("waiting for a program that writes to {}", path.display())]
struct WaitingForPipe<'a> {
    path: &'a Path,
}

/// Reads the text of a regular file or of a pipe.
///
/// # Errors
///
/// Returns an error if it can't be read, is something else, or is a pipe that no program writes to.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    read(path).map_err(FileError::io("read", path))
}

fn read(path: &Path) -> io::Result<String> {
    let file = files::open_any(OpenOptions::new().read(true), path)?;
    if !file.metadata()?.file_type().is_fifo() {
        return files::read_to_string(path);
    }
    let bytes = read_pipe(file, path)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Reads a pipe that does not block until all programs that write to it have closed it.
fn read_pipe(mut pipe: File, path: &Path) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    let (mut has_writer, mut is_reported) = (false, false);
    let mut part = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut part) {
            Ok(0) if has_writer => return Ok(bytes),
            // It has not opened the pipe yet
            Ok(0) if start.elapsed() < OPENING => thread::sleep(INTERVAL),
            Ok(0) => {
                let problem = "a pipe that no program writes to";
                return Err(io::Error::new(ErrorKind::InvalidInput, problem));
            }
            Ok(length) => {
                has_writer = true;
                bytes.extend_from_slice(&part[..length]);
                if bytes.len() as u64 > files::LARGEST {
                    return Err(files::too_large());
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                has_writer = true;
                let mut descriptors = [PollFd::new(&pipe, PollFlags::IN)];
                let ready = poll(&mut descriptors, Some(&REPORTED)).unwrap_or(1);
                if ready == 0 && !is_reported {
                    print_line(&WaitingForPipe { path });
                    is_reported = true;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::process::Command;

    use super::*;

    fn pipe() -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        (directory, path)
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let (_directory, path) = pipe();
        let text = "a line\n".repeat(100_000);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = OpenOptions::new().write(true).open(&path).unwrap();
                for part in text.as_bytes().chunks(text.len() / 3) {
                    writer.write_all(part).unwrap();
                    thread::sleep(3 * INTERVAL);
                }
            });
            assert_eq!(read(&path).unwrap(), text);
        });
    }

    #[test]
    fn nothing_else_blocks() {
        let (directory, path) = pipe();
        let error = read_text(&path).unwrap_err().to_string();
        assert!(error.ends_with("pipe: a pipe that no program writes to"), "{error}");
        for path in [directory.path(), Path::new("/dev/zero"), Path::new("/dev/ptmx")] {
            assert_eq!(read(path).unwrap_err().kind(), ErrorKind::InvalidInput, "{path:?}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::NotFound);
        fs::write(&path, "text").unwrap();
        assert_eq!(read(&path).unwrap(), "text");
    }
}
