//! Files of the standard streams of commands.
//!
//! Opening a pipe blocks until a program opens its other end.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use iai_callgrind_profile::files;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::error::{Error, LaunchError, Result};

/// Opens a file or a device for the standard input of a command. The content of a pipe can be read
/// by one run only.
pub fn open_input(path: &Path) -> Result<File> {
    let failed = || Error::io("read", path);
    let file = files::open_any(OpenOptions::new().read(true), path).map_err(failed())?;
    let kind = file.metadata().map_err(failed())?.file_type();
    if kind.is_fifo() {
        return Err(LaunchError::InputPipe { path: path.to_owned() }.into());
    }
    if kind.is_dir() {
        return Err(failed()(io::ErrorKind::IsADirectory.into()));
    }
    set_blocking(file).map_err(failed())
}

/// Creates a file for an output stream of a command, or opens a device, or a pipe that a program
/// reads.
pub fn create_output(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let opened = files::open_any(options.write(true).create(true).truncate(true), path);
    match opened.and_then(set_blocking) {
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
            Err(LaunchError::OutputPipe { path: path.to_owned() }.into())
        }
        opened => opened.map_err(Error::io("create", path)),
    }
}

/// Makes reads and writes block again, as programs expect.
fn set_blocking(file: File) -> io::Result<File> {
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::process::Command;

    use super::*;

    #[test]
    fn no_stream_blocks_at_its_start() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        let error = open_input(&path("pipe")).unwrap_err().to_string();
        assert!(error.contains("pipe: a pipe, ") && error.contains("\nhelp: "), "{error}");
        let error = create_output(&path("pipe")).unwrap_err().to_string();
        assert!(error.contains("pipe: a pipe that no program reads"), "{error}");
        assert!(open_input(directory.path()).is_err() && open_input(&path("missing")).is_err());

        let reader = files::open_any(OpenOptions::new().read(true), path("pipe")).unwrap();
        create_output(&path("pipe")).unwrap().write_all(b"text").unwrap();
        let mut text = String::new();
        (&reader).read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");

        fs::write(path("file"), "longer text").unwrap();
        create_output(&path("file")).unwrap().write_all(b"text").unwrap();
        let input = open_input(&path("file")).unwrap();
        assert!(!fcntl_getfl(&input).unwrap().contains(OFlags::NONBLOCK));
        assert_eq!(io::read_to_string(input).unwrap(), "text");
        open_input(Path::new("/dev/zero")).unwrap();
        create_output(Path::new("/dev/null")).unwrap();
    }
}
