//! Random numbers that are the same in every run.
//!
//! `HashMap` and others take their seeds from `getrandom`, so that the number of their instructions would
//! change from run to run. In the fork server, random numbers come from a fixed seed: those of `getrandom` and
//! `getentropy`, of the system call, of `/dev/urandom`, and those that the kernel leaves above the stack.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::c_library::functions_of_c_library;
use super::kernel;

functions_of_c_library!(own: getrandom, getentropy);

type GetRandom = unsafe extern "C" fn(*mut u8, usize, c_uint) -> libc::ssize_t;
type GetEntropy = unsafe extern "C" fn(*mut c_void, usize) -> c_int;

/// `true` if random numbers come from [`STATE`].
static FIXED: AtomicBool = AtomicBool::new(false);

/// State of the generator.
static STATE: AtomicU64 = AtomicU64::new(0);

/// Sets the seed of all further random numbers of this process.
pub(crate) fn fix(seed: u64) {
    // The 16 bytes above the stack are another sequence than the one of `getrandom`
    STATE.store(!seed, Ordering::Relaxed);
    // SAFETY: the kernel passes the address of 16 bytes, which belong to this process; no other thread runs.
    unsafe {
        let bytes = libc::getauxval(libc::AT_RANDOM) as *mut [u64; 2];
        if !bytes.is_null() {
            bytes.write_unaligned([next(), next()]);
        }
    }
    STATE.store(seed, Ordering::Relaxed);
    FIXED.store(true, Ordering::Relaxed);
}

/// Makes this process read the random numbers of the system again, with these above its stack.
pub(super) fn release(above_stack: Option<[u64; 2]>) {
    FIXED.store(false, Ordering::Relaxed);
    // SAFETY: as in `fix`.
    unsafe {
        let bytes = libc::getauxval(libc::AT_RANDOM) as *mut [u64; 2];
        if let Some(own) = above_stack {
            bytes.write_unaligned(own);
        }
    }
}

/// Returns the random bytes that the kernel leaves above the stack.
pub(super) fn above_stack() -> Option<[u64; 2]> {
    // SAFETY: the kernel passes the address of 16 bytes, which belong to this process.
    unsafe {
        let bytes = libc::getauxval(libc::AT_RANDOM) as *const [u64; 2];
        (!bytes.is_null()).then(|| bytes.read_unaligned())
    }
}

/// Returns `true` if random numbers come from a fixed seed.
pub(super) fn is_fixed() -> bool {
    FIXED.load(Ordering::Relaxed)
}

/// Fills the buffer with random bytes, as `getrandom(2)` does. Without a fixed seed they are the system's.
///
/// # Safety
///
/// The buffer must be valid for writes of this length.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn getrandom(
    buffer: *mut u8,
    length: usize,
    flags: c_uint,
) -> libc::ssize_t {
    // SAFETY: the C library's function has this type, and the system call its arguments; the caller is responsible for the
    // buffer.
    unsafe {
        if is_fixed() {
            fill(buffer, length);
            return libc::ssize_t::try_from(length).unwrap_or(libc::ssize_t::MAX);
        }
        if let Some(own) = own::getrandom.found::<GetRandom>() {
            return own(buffer, length, flags);
        }
        let arguments = [buffer as usize, length, flags as usize, 0, 0, 0];
        kernel::result(kernel::call(libc::SYS_getrandom, arguments))
    }
}

/// Fills the buffer with bytes from the seed.
///
/// # Safety
///
/// The buffer must be valid for writes of this length.
#[inline(always)]
unsafe fn fill(buffer: *mut u8, length: usize) {
    for start in (0..length).step_by(8) {
        let bytes = next().to_le_bytes();
        let rest = bytes.len().min(length - start);
        // SAFETY: the bytes are within the buffer.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.add(start), rest) };
    }
}

/// Fills the buffer with at most 256 random bytes, as `getentropy(3)` does.
///
/// # Safety
///
/// The buffer must be valid for writes of this length.
#[unsafe(no_mangle)]
unsafe extern "C" fn getentropy(buffer: *mut c_void, length: usize) -> c_int {
    const MAXIMUM: usize = 256;
    if length > MAXIMUM {
        kernel::set_error(libc::EIO);
        return -1;
    }
    // SAFETY: the caller is responsible for the buffer; the C library's function has this type.
    unsafe {
        if is_fixed() {
            fill(buffer.cast(), length);
            return 0;
        }
        if let Some(own) = own::getentropy.found::<GetEntropy>() {
            return own(buffer, length);
        }
        // So few bytes always come at once
        if getrandom(buffer.cast(), length, 0) < 0 { -1 } else { 0 }
    }
}

/// Returns the next 64 bits of the generator `SplitMix64` of Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (2014).
fn next() -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut bits = STATE.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::Command;

    use super::*;

    fn random(length: usize) -> Vec<u8> {
        let mut buffer = vec![0; length];
        // SAFETY: the buffer has this length.
        let filled = unsafe { getrandom(buffer.as_mut_ptr(), buffer.len(), 0) };
        assert_eq!(usize::try_from(filled), Ok(length));
        buffer
    }

    // The state is the process's, and other tests have hash maps
    #[test]
    fn numbers_come_from_the_system_or_a_seed() {
        let test = "surroundings::random::tests::real_at_first_and_the_same_from_a_seed_on";
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && printed.contains(" 1 passed"), "{printed}{errors}");
    }

    #[test]
    #[ignore = "a process of the other test"]
    fn real_at_first_and_the_same_from_a_seed_on() {
        assert_ne!(random(32), random(32));
        fix(0);
        // The first outputs of the published reference implementation for the seed 0
        let expected = [0xe220_a839_7b1d_cdaf_u64, 0x6e78_9e6a_a1b9_65f4];
        let expected: Vec<u8> = expected.into_iter().flat_map(u64::to_le_bytes).collect();
        let first = random(13);
        assert_eq!(first, expected[..13]);
        fix(0);
        assert_eq!(random(13), first);
        assert_ne!(random(13), first);

        fix(0);
        let mut buffer = [0_u8; 300];
        // SAFETY: the calls write to the buffer, which is at least as long.
        unsafe {
            assert_eq!(libc::syscall(libc::SYS_getrandom, buffer.as_mut_ptr(), 13, 0), 13);
            assert_eq!(buffer[..13], *first);
            fix(0);
            assert_eq!(getentropy(buffer.as_mut_ptr().cast(), 13), 0);
            assert_eq!(buffer[..13], *first);
            assert_eq!(getentropy(buffer.as_mut_ptr().cast(), 300), -1);
        }
        fix(0);
        let mut file = std::fs::File::open("/dev/urandom").unwrap();
        std::io::Read::read_exact(&mut file, &mut buffer[..13]).unwrap();
        assert_eq!(buffer[..13], *first);
    }
}
