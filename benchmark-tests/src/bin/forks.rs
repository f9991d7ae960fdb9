//! Works, forks as often as its argument says, and waits for the new processes, which do nothing.

use std::env;
use std::hint::black_box;

fn main() {
    let number: u32 = env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or_default();
    let sum: u64 = (0..black_box(1_000_000_u64)).map(black_box).sum();
    assert!(sum > 0);
    for _ in 0..number {
        // SAFETY: there is a single thread, and the status may be null.
        unsafe {
            if libc::fork() == 0 {
                libc::_exit(0);
            }
            libc::wait(std::ptr::null_mut());
        }
    }
}
