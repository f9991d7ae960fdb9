//! Reads and writes the file of a snapshot. Others can have changed it, so links are not followed
//! and its size is limited.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use iai_callgrind_store::replace_file;

use super::error::SnapshotError;
use crate::error::{Error, Result};

/// Maximum size of a snapshot. A line has about a hundred bytes.
const LARGEST: u64 = 1 << 24;

/// Reads a snapshot; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>> {
    check_directory(path)?;
    let mut options = File::options();
    let opened = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = match opened {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            return Err(SnapshotError::Link { path: path.to_owned() }.into());
        }
        opened => opened.map_err(Error::io("read", path))?,
    };
    if !file.metadata().map_err(Error::io("read", path))?.is_file() {
        return Err(SnapshotError::Foreign { path: path.to_owned() }.into());
    }
    let mut content = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut content).map_err(Error::io("read", path))?;
    if content.len() as u64 > LARGEST {
        return Err(SnapshotError::TooLarge { path: path.to_owned() }.into());
    }
    let text = String::from_utf8(content);
    Ok(Some(text.map_err(|_| SnapshotError::Foreign { path: path.to_owned() })?))
}

/// Writes a snapshot in one step.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    check_directory(path)?;
    if text.len() as u64 > LARGEST {
        return Err(SnapshotError::TooLarge { path: path.to_owned() }.into());
    }
    if is_link(path) {
        return Err(SnapshotError::Link { path: path.to_owned() }.into());
    }
    let write = || -> io::Result<()> {
        if let Some(directory) = path.parent().filter(|directory| !directory.exists()) {
            fs::create_dir(directory)?;
        }
        replace_file(path, text.as_bytes())
    };
    write().map_err(Error::io("write", path))
}

/// Returns an error if the directory of the file is a link, which can lead out of the repository.
fn check_directory(path: &Path) -> Result<(), SnapshotError> {
    let directory = path.parent().unwrap_or(path);
    if is_link(directory) {
        return Err(SnapshotError::Link { path: directory.to_owned() });
    }
    Ok(())
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_snapshot_is_written_and_read() {
        let package = tempfile::tempdir().unwrap();
        let path = package.path().join("benches/f.counts");
        assert_eq!(read(&path).unwrap(), None);
        for text in ["first", "second"] {
            write(&path, text).unwrap();
            assert_eq!(read(&path).unwrap().as_deref(), Some(text));
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_read_or_written_through_a_link() {
        let package = tempfile::tempdir().unwrap();
        let (benches, precious) = (package.path().join("benches"), package.path().join("precious"));
        let path = benches.join("f.counts");
        fs::create_dir(&benches).unwrap();
        fs::write(&precious, "precious").unwrap();
        symlink(&precious, &path).unwrap();
        let link = |error: Error| error.to_string().contains("a symbolic link");
        assert!(link(read(&path).unwrap_err()) && link(write(&path, "x").unwrap_err()));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");

        let elsewhere = package.path().join("elsewhere");
        fs::remove_dir_all(&benches).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, &benches).unwrap();
        assert!(link(read(&path).unwrap_err()) && link(write(&path, "x").unwrap_err()));
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }

    #[test]
    fn other_files_are_errors() {
        let package = tempfile::tempdir().unwrap();
        let path = package.path().join("f.counts");
        fs::write(&path, [0xff]).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not a file of counts"));
        File::create(&path).unwrap().set_len(LARGEST + 1).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("larger than 16 MiB"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not a file of counts"));
    }
}
