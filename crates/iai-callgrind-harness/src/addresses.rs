//! Reads the executable's table of addresses before a region, so that all of it is in the simulated data cache.
//!
//! Code reads the addresses of functions of other libraries, and of variables, from a table (`.got`), which the linker orders. An
//! entry that no code has read before is in the first-level cache or not, depending on which other entries share its line. So
//! one more function anywhere in the executable would move accesses between the caches.

use std::ffi::c_int;
use std::hint::black_box;
use std::ops::Range;
use std::ptr;

/// Length of the lines of the simulated caches.
const LINE: usize = 64;

/// The largest table that is read. A larger one would take the place of everything else in the first-level cache.
const LARGEST: usize = 16 * 1024;

/// The addresses of the table.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AddressTable {
    start: usize,
    end: usize,
}

impl AddressTable {
    /// Finds the table of the executable. It is empty if it is not where linkers put it: after the dynamic section, in what
    /// the loader protects.
    pub(crate) fn find() -> Self {
        let mut table = Self::default();
        // SAFETY: the function gets the pointer, and ends with the first object, which is the executable.
        unsafe { libc::dl_iterate_phdr(Some(find_in_executable), (&raw mut table).cast()) };
        table
    }

    /// Reads a word of each line.
    #[inline(never)]
    pub(crate) fn read(self) {
        for address in (self.start..self.end).step_by(LINE) {
            // SAFETY: the lines are in a segment of the executable.
            black_box(unsafe { ptr::with_exposed_provenance::<usize>(address).read_volatile() });
        }
    }
}

unsafe extern "C" fn find_in_executable(
    info: *mut libc::dl_phdr_info,
    _: libc::size_t,
    table: *mut libc::c_void,
) -> c_int {
    // SAFETY: the C library passes valid headers of an object, and the pointer of the caller.
    unsafe {
        let info = &*info;
        let table = &mut *table.cast::<AddressTable>();
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let segment = |kind: u32, size: fn(&Header) -> u64| -> Option<Range<usize>> {
            let header = headers.iter().find(|header| header.p_type == kind)?;
            let start =
                usize::try_from(info.dlpi_addr).ok()? + usize::try_from(header.p_vaddr).ok()?;
            Some(start..start + usize::try_from(size(header)).ok()?)
        };
        // Without the padding at the end, which has no contents
        let protected = segment(libc::PT_GNU_RELRO, |header| header.p_filesz);
        let dynamic = segment(libc::PT_DYNAMIC, |header| header.p_memsz);
        if let (Some(protected), Some(dynamic)) = (protected, dynamic) {
            let size = protected.end.saturating_sub(dynamic.end);
            if protected.contains(&dynamic.start) && size <= LARGEST {
                let end = protected.end - protected.end % align_of::<usize>();
                *table = AddressTable { start: dynamic.end, end };
            }
        }
    }
    1
}

#[cfg(target_pointer_width = "64")]
type Header = libc::Elf64_Phdr;
#[cfg(target_pointer_width = "32")]
type Header = libc::Elf32_Phdr;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_executable() {
        let AddressTable { start, end } = AddressTable::find();
        // An executable of Rust has hundreds of entries
        assert!(start < end && end - start > 8 * LINE, "{start:x} {end:x}");
        AddressTable { start, end }.read();
    }
}
