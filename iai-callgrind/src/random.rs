//! Random numbers that are the same in every run.
//!
//! `HashMap` and others take their seeds from `getrandom`, so that the number of their instructions would
//! change from run to run. In the fork server, `getrandom` returns numbers from a fixed seed. The symbol
//! in the benchmark executable replaces the one of libc, also for the crates `getrandom` and `rand`.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// `true` if random numbers come from [`STATE`].
static FIXED: AtomicBool = AtomicBool::new(false);

/// State of the generator.
static STATE: AtomicU64 = AtomicU64::new(0);

/// Sets the seed of all further random numbers of this process.
pub(crate) fn fix(seed: u64) {
    STATE.store(seed, Ordering::Relaxed);
    FIXED.store(true, Ordering::Relaxed);
}

/// Fills the buffer with random bytes, as `getrandom(2)` does. Without a fixed seed they are the system's.
///
/// # Safety
///
/// The buffer must be valid for writes of this length.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(
    buffer: *mut u8,
    length: usize,
    flags: libc::c_uint,
) -> libc::ssize_t {
    if !FIXED.load(Ordering::Relaxed) {
        // SAFETY: the system call that libc's function makes, with its arguments.
        let filled = unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) };
        return libc::ssize_t::try_from(filled).unwrap_or(-1);
    }
    for start in (0..length).step_by(8) {
        let bytes = next().to_le_bytes();
        let rest = bytes.len().min(length - start);
        // SAFETY: the bytes are within the buffer.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.add(start), rest) };
    }
    libc::ssize_t::try_from(length).unwrap_or(libc::ssize_t::MAX)
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
    use super::*;

    fn random(length: usize) -> Vec<u8> {
        let mut buffer = vec![0; length];
        // SAFETY: the buffer has this length.
        let filled = unsafe { getrandom(buffer.as_mut_ptr(), buffer.len(), 0) };
        assert_eq!(usize::try_from(filled), Ok(length));
        buffer
    }

    // One test, because the state is the process's
    #[test]
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
    }
}
