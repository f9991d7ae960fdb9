//! One CPU for all threads of a benchmark, and a constant number of CPUs that it sees.
//!
//! On several CPUs, the threads of a program take turns in another way in each run, and count differently. On one
//! CPU they hardly do. Thread pools start as many threads as there are CPUs, so that this number must not depend
//! on the machine.

use std::ffi::{c_int, c_long};
use std::mem::size_of_val;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::c_library::functions_of_c_library;
use super::kernel;

functions_of_c_library!(own: sched_getaffinity, sched_setaffinity, sysconf);

type GetSet = unsafe extern "C" fn(c_int, usize, *mut u8) -> c_int;
type SetSet = unsafe extern "C" fn(c_int, usize, *const u8) -> c_int;

/// The number of CPUs that the process sees; zero for those of the machine.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// A set of CPUs: a bit for each.
type Set = [u64; 16];

unsafe extern "C" {
    /// Calls `sysconf` by the C library's own name.
    fn __sysconf(name: c_int) -> c_long;
}

/// Sets the number of CPUs that this process and its children see.
pub(crate) fn fix(number: u16) {
    SEEN.store(number.into(), Ordering::Relaxed);
}

/// Returns `true` if the process sees a fixed number of CPUs.
pub(super) fn are_fixed() -> bool {
    SEEN.load(Ordering::Relaxed) != 0
}

/// Keeps this thread, and those that it starts, on the CPU that it runs on.
pub(super) fn pin() {
    let mut cpu = 0_u32;
    let mut set: Set = [0; 16];
    // SAFETY: the pointers are valid during the calls.
    unsafe {
        kernel::call(libc::SYS_getcpu, [&raw mut cpu as usize, 0, 0, 0, 0, 0]);
        if let Some(word) = set.get_mut(cpu as usize / 64) {
            *word = 1 << (cpu % 64);
            let arguments = [0, size_of_val(&set), set.as_ptr() as usize, 0, 0, 0];
            kernel::call(libc::SYS_sched_setaffinity, arguments);
        }
    }
}

/// Returns the set of CPUs that a process may use, as `sched_getaffinity(2)` does.
///
/// # Safety
///
/// The set is valid for writes of this size.
#[unsafe(no_mangle)]
unsafe extern "C" fn sched_getaffinity(pid: c_int, size: usize, set: *mut u8) -> c_int {
    let seen = SEEN.load(Ordering::Relaxed) as usize;
    if seen > 8 * size {
        kernel::set_error(libc::EINVAL);
        return -1;
    }
    // SAFETY: the caller is responsible for the set, whose end the writes don't reach; the C library's function has this type.
    unsafe {
        if seen == 0 {
            if let Some(own) = own::sched_getaffinity.found::<GetSet>() {
                return own(pid, size, set);
            }
            ptr::write_bytes(set, 0, size);
            let arguments = [pid as usize, size, set as usize, 0, 0, 0];
            let result = kernel::result(kernel::call(libc::SYS_sched_getaffinity, arguments));
            return if result < 0 { -1 } else { 0 };
        }
        ptr::write_bytes(set, 0, size);
        for cpu in 0..seen {
            *set.add(cpu / 8) |= 1 << (cpu % 8);
        }
    }
    0
}

/// Sets the CPUs that a process may use, as `sched_setaffinity(2)` does. Has no effect on a pinned process.
///
/// # Safety
///
/// The set is valid for reads of this size.
#[unsafe(no_mangle)]
unsafe extern "C" fn sched_setaffinity(pid: c_int, size: usize, set: *const u8) -> c_int {
    if are_fixed() {
        return 0;
    }
    let arguments = [pid as usize, size, set as usize, 0, 0, 0];
    // SAFETY: the caller is responsible for the set; the C library's function has this type.
    unsafe {
        match own::sched_setaffinity.found::<SetSet>() {
            Some(own) => own(pid, size, set),
            None => kernel::result(kernel::call(libc::SYS_sched_setaffinity, arguments)) as c_int,
        }
    }
}

/// Returns a value of the system, as `sysconf(3)` does.
#[unsafe(no_mangle)]
extern "C" fn sysconf(name: c_int) -> c_long {
    // SAFETY: any name is valid; the C library's function has this type.
    unsafe {
        match (SEEN.load(Ordering::Relaxed), own::sysconf.found()) {
            (0, Some::<extern "C" fn(c_int) -> c_long>(own)) => own(name),
            (seen, _) if seen != 0 && is_number_of_cpus(name) => seen.into(),
            _ => __sysconf(name),
        }
    }
}

fn is_number_of_cpus(name: c_int) -> bool {
    name == libc::_SC_NPROCESSORS_CONF || name == libc::_SC_NPROCESSORS_ONLN
}

#[cfg(test)]
mod tests {
    use std::thread::available_parallelism;

    use super::*;

    // One test, because the number is the process's. It is the highest one, which no other test can take for the
    // machine's
    #[test]
    fn the_standard_library_sees_the_fixed_number() {
        // SAFETY: any name is valid.
        let machine = unsafe { __sysconf(libc::_SC_NPROCESSORS_ONLN) };
        assert_eq!(sysconf(libc::_SC_NPROCESSORS_ONLN), machine);
        assert!(available_parallelism().unwrap().get() <= usize::try_from(machine).unwrap());
        fix(700);
        assert_eq!(available_parallelism().unwrap().get(), 700);
        assert_eq!(sysconf(libc::_SC_NPROCESSORS_ONLN), 700);
        assert_ne!(sysconf(libc::_SC_PAGESIZE), 700);
        let mut set = [0; 8];
        // SAFETY: the set has this size.
        assert_eq!(unsafe { sched_getaffinity(0, set.len(), set.as_mut_ptr()) }, -1);
        fix(0);
    }
}
