//! Processes whose order counts, also as a program.

use std::ffi::c_void;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

unsafe extern "C" {
    fn fork() -> i32;
    fn pipe(ends: *mut i32) -> i32;
    fn read(file: i32, byte: *mut u8, length: usize) -> isize;
    fn write(file: i32, byte: *const u8, length: usize) -> isize;
    fn close(file: i32) -> i32;
    fn uname(names: *mut c_void) -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
}

fn pipe_ends() -> [i32; 2] {
    let mut ends = [0; 2];
    // SAFETY: there is room for two ends.
    assert_eq!(unsafe { pipe(ends.as_mut_ptr()) }, 0);
    ends
}

/// Passes two bytes around between three processes, each of which makes a system call that stops, and reads another page of a
/// file of 8 MB. The order in which they do is a number of loops.
pub(crate) fn ring(data: &File) {
    let (ring, [turns, turn]) = ([(); 3].map(|()| pipe_ends()), pipe_ends());
    let (mut byte, mut children) = (0_u8, [0; 3]);
    // SAFETY: the buffers have these sizes, and the descriptors are those of the pipes.
    unsafe {
        for child in 0..3_u8 {
            let process = fork();
            children[usize::from(child)] = process;
            if process != 0 {
                continue;
            }
            let [own, next] = [child, child + 1].map(|place| ring[usize::from(place % 3)]);
            let mut names = [0_u8; 1024];
            for step in 0..500 {
                read(own[0], &raw mut byte, 1);
                for _ in 0..step * 7 % 50 * u32::from(child + 1) {
                    black_box(step);
                }
                write(next[1], &raw const child, 1);
                uname(names.as_mut_ptr().cast());
                write(turn, &raw const child, 1);
                data.read_exact_at(&mut names[..1], u64::from(step) << 14).unwrap();
                write(turn, &raw const child, 1);
            }
            _exit(0);
        }
        close(turn);
        for place in &ring[..2] {
            write(place[1], &raw const byte, 1);
        }
        let mut order = 0_u64;
        while read(turns, &raw mut byte, 1) == 1 {
            order = order.wrapping_mul(31).wrapping_add(byte.into());
        }
        for child in children {
            waitpid(child, std::ptr::null_mut(), 0);
        }
        for file in ring.as_flattened().iter().chain([&turns]) {
            close(*file);
        }
        for step in 0..order % 1000 {
            black_box(step);
        }
    }
}
