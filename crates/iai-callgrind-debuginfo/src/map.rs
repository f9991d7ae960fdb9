//! Files in memory, page by page as they are used.

use iai_callgrind_profile::files;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// Maps a file into memory.
///
/// # Errors
///
/// Returns an error if the file can't be opened, or is not a regular file.
pub fn map(path: &Path) -> io::Result<impl Deref<Target = [u8]> + use<>> {
    let file = files::open(path)?;
    // SAFETY: object files are not written in place: linkers and installers replace them. A process
    // that does so nevertheless can end this one with SIGBUS, just as it can end a program that
    // runs the file.
    unsafe { Mmap::map(&file) }
}
