//! Opens files that can be those of others: a directory of results can come from elsewhere, and benchmarks write to
//! theirs.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Number of bytes of the largest file that is read into memory.
const LARGEST: u64 = 1 << 30;

/// Opens a regular file to read it. Neither a pipe nor a device blocks.
///
/// # Errors
///
/// Returns an error if the file can't be opened, or is something else.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.read(true).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Reads a regular file.
///
/// # Errors
///
/// Returns an error as [`open`] does, or if the file has more than a gibibyte.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_up_to(path.as_ref(), LARGEST)
}

/// Reads a regular file of UTF-8.
///
/// # Errors
///
/// Returns an error as [`read`] does, or if the file is not UTF-8.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Reads a text that the user names, which can also come from a pipe, such as `<(..)` of a shell.
///
/// # Errors
///
/// Returns an error if the file can't be read, is not UTF-8, or has more than a gibibyte, as a device without an end.
pub fn read_named(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_open(File::open(path)?, 0, LARGEST)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn read_up_to(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    read_open(file, length, largest)
}

/// Reads the rest of a file. One of the kernel has content and no length.
fn read_open(file: File, length: u64, largest: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(ErrorKind::FileTooLarge, "larger than 1 GiB");
    if length > largest {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_nothing_blocks() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        for name in ["file", "link"] {
            assert_eq!(read_to_string(path(name)).unwrap(), "text", "{name}");
        }
        let made = Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        symlink(path("pipe"), path("link-to-pipe")).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for name in ["pipe", "link-to-pipe", "socket", ".", "/dev/zero", "/dev/null"] {
            let error = read(path(name)).unwrap_err();
            assert_ne!(error.kind(), ErrorKind::NotFound, "{name}");
        }
        assert_eq!(read(path("missing")).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(!read(Path::new("/proc/self/status")).unwrap().is_empty());
        let mut writer = Command::new("sh");
        writer.args(["-c", "echo text > pipe"]).current_dir(directory.path());
        let mut writer = writer.spawn().unwrap();
        assert_eq!(read_named(path("pipe")).unwrap(), "text\n", "a pipe that the user names");
        writer.wait().unwrap();
    }

    #[test]
    fn large_files_and_other_bytes_are_errors() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(read(&path).unwrap_err().to_string(), "larger than 1 GiB");
        fs::write(&path, [b'a'; 5]).unwrap();
        assert_eq!(read_up_to(&path, 5).unwrap().len(), 5);
        read_up_to(&path, 4).unwrap_err();
        let endless = File::open("/dev/zero").unwrap();
        assert_eq!(read_open(endless, 0, 4).unwrap_err().to_string(), "larger than 1 GiB");
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_to_string(&path).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
