//! Benchmarks that ask for values which a run can pass through.

use std::hash::{BuildHasher, RandomState};
use std::time::Instant;

use iai_callgrind::library_benchmark;

use super::spin;
use super::system::content;

#[library_benchmark]
pub(super) fn host_name() -> u64 {
    let mut name = [0_u8; 256];
    // SAFETY: the pointer is valid during the call, and the length is that of the array.
    assert_eq!(unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) }, 0);
    spin(name.iter().map(|byte| u64::from(*byte)).sum())
}

#[library_benchmark]
pub(super) fn mode_mask() -> u64 {
    // SAFETY: system calls without pointers.
    let mask = unsafe {
        let mask = libc::umask(0);
        libc::umask(mask);
        mask
    };
    spin(mask.into())
}

/// Measures the time between two readings of the clock.
#[library_benchmark]
pub(super) fn time_of_a_reading() -> u64 {
    let start = Instant::now();
    spin(u64::try_from(start.elapsed().as_nanos()).unwrap())
}

#[library_benchmark]
pub(super) fn random_number() -> u64 {
    spin(RandomState::new().hash_one(7))
}

/// Starts a thread, and does as much as the file is long.
#[library_benchmark]
#[bench::of_setup(content().len())]
pub(super) fn thread(length: usize) -> u64 {
    std::thread::spawn(move || spin(length as u64)).join().unwrap()
}
