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

/// Tags of the dynamic section (`DT_INIT_ARRAY` and `DT_INIT_ARRAYSZ`).
const INITIAL_FUNCTIONS: usize = 25;
const INITIAL_FUNCTIONS_SIZE: usize = 27;

/// The addresses of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AddressTable {
    start: usize,
    end: usize,
}

impl AddressTable {
    /// Finds the table of the executable. It is empty if it is not where linkers put it: at the end of what the loader
    /// protects, after the dynamic section and, with mold, the list of functions that run before `main`.
    pub(crate) fn find() -> Self {
        let mut table = Self::default();
        // SAFETY: the function gets the pointer, and ends with the first object, which is the executable.
        unsafe { libc::dl_iterate_phdr(Some(find_in_executable), (&raw mut table).cast()) };
        table
    }

    /// Returns the table in these segments. `functions` is the list of functions that run before `main`.
    fn within(
        protected: &Range<usize>,
        dynamic: &Range<usize>,
        functions: Option<Range<usize>>,
    ) -> Self {
        if !protected.contains(&dynamic.start) {
            return Self::default();
        }
        let after = functions.filter(|functions| protected.contains(&functions.start));
        let start = after.map_or(dynamic.end, |functions| dynamic.end.max(functions.end));
        let end = protected.end - protected.end % align_of::<usize>();
        let is_read = start < end && end - start <= LARGEST;
        if is_read { Self { start, end } } else { Self::default() }
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
        let segment = |kind: u32, size: fn(&Header) -> Option<usize>| -> Option<Range<usize>> {
            let header = headers.iter().find(|header| header.p_type == kind)?;
            let start =
                usize::try_from(info.dlpi_addr).ok()? + usize::try_from(header.p_vaddr).ok()?;
            Some(start..start + size(header)?)
        };
        // Without the padding at the end, which has no contents
        let protected = segment(libc::PT_GNU_RELRO, |header| usize::try_from(header.p_filesz).ok());
        let dynamic = segment(libc::PT_DYNAMIC, |header| usize::try_from(header.p_memsz).ok());
        if let (Some(protected), Some(dynamic)) = (protected, dynamic) {
            let base = usize::try_from(info.dlpi_addr).ok();
            let functions = base.and_then(|base| initial_functions(&dynamic, base));
            *table = AddressTable::within(&protected, &dynamic, functions);
        }
    }
    1
}

/// Returns the list of functions that run before `main`, from the dynamic section of an object that is loaded here.
///
/// # Safety
///
/// The range is the dynamic section.
unsafe fn initial_functions(dynamic: &Range<usize>, base: usize) -> Option<Range<usize>> {
    let (mut start, mut size) = (None, None);
    for entry in dynamic.clone().step_by(2 * size_of::<usize>()) {
        let entry = ptr::with_exposed_provenance::<[usize; 2]>(entry);
        // SAFETY: the section consists of such entries.
        match unsafe { entry.read() } {
            [INITIAL_FUNCTIONS, value] => start = Some(base + value),
            [INITIAL_FUNCTIONS_SIZE, value] => size = Some(value),
            [0, _] => break,
            _ => {}
        }
    }
    Some(start?..start? + size?)
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

    #[test]
    fn the_table_is_where_each_linker_puts_it() {
        // Executables with 105 benchmarks. With lld and GNU `ld`, the functions that run before `main` come first
        let lld = (
            0x0014_e700..0x0015_88e0,
            0x0015_71d0..0x0015_73a0,
            0x0014_e728..0x0014_e9b0,
            0x0015_73a0,
        );
        let gnu = (
            0x0014_cd50..0x0015_7000,
            0x0015_51d0..0x0015_53e0,
            0x0014_cd70..0x0014_cff8,
            0x0015_53e0,
        );
        let mold = (
            0x0014_d5e0..0x0015_7978,
            0x0014_d628..0x0014_d838,
            0x0015_61d8..0x0015_6460,
            0x0015_6460,
        );
        for (protected, dynamic, functions, start) in [lld, gnu, mold] {
            let end = protected.end;
            let table = AddressTable::within(&protected, &dynamic, Some(functions));
            assert_eq!(table, AddressTable { start, end });
        }
        let none = AddressTable::default();
        assert_eq!(AddressTable::within(&(0x1000..0x9000), &(0x1000..0x1200), None), none);
        assert_eq!(AddressTable::within(&(0x1000..0x2000), &(0x3000..0x3200), None), none);
    }

    #[test]
    fn the_list_of_initial_functions_is_found() {
        let section = [[1, 7], [INITIAL_FUNCTIONS, 0x40], [INITIAL_FUNCTIONS_SIZE, 16], [0, 0]];
        let start = section.as_ptr().expose_provenance();
        let dynamic = start..start + size_of_val(&section);
        // SAFETY: it is a section of entries.
        let functions = unsafe { initial_functions(&dynamic, 0x1000) };
        assert_eq!(functions, Some(0x1040..0x1050));
        // SAFETY: as above.
        assert_eq!(unsafe { initial_functions(&(start..start + 16), 0x1000) }, None);
    }
}
