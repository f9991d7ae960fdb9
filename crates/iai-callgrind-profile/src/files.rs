//! Opens files that others can have written: a directory of results can come from elsewhere, and
//! benchmarks write to theirs.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Number of bytes of the largest file that is read into memory.
pub const LARGEST: u64 = 1 << 30;

/// Opens a file of any kind with these options. Neither a pipe nor a device blocks, then or later.
///
/// # Errors
///
/// Returns an error if the file can't be opened.
pub fn open_any(options: &mut OpenOptions, path: impl AsRef<Path>) -> io::Result<File> {
    #[cfg(unix)]
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    options.open(path)
}

/// Opens a regular file to read it.
///
/// # Errors
///
/// Returns an error if the file can't be opened, or is something else. [`ErrorKind::NotFound`] means that there is nothing,
/// not even a link.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    let file = open_any(OpenOptions::new().read(true), path).map_err(|error| {
        let is_link = error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_ok();
        if is_link { io::Error::new(ErrorKind::InvalidInput, "a link to nothing") } else { error }
    })?;
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

/// Returns the error of a file with more bytes than [`LARGEST`].
#[must_use]
pub fn too_large() -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, "larger than 1 GiB")
}

fn read_up_to(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > largest {
        return Err(too_large());
    }
    // A file of the kernel has content and no length
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
        symlink(path("missing"), path("link-to-nothing")).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for name in
            ["pipe", "link-to-pipe", "link-to-nothing", "socket", ".", "/dev/zero", "/dev/null"]
        {
            let error = read(path(name)).unwrap_err();
            assert_ne!(error.kind(), ErrorKind::NotFound, "{name}");
        }
        assert_eq!(read(path("missing")).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(!read(Path::new("/proc/self/status")).unwrap().is_empty());
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
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_to_string(&path).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
