//! The functions of the profiled suite, each in a forked child that runs it and ends: the least that isolation takes.

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u32>().unwrap());
    let (number, jobs) = (arguments.next().unwrap(), arguments.next().unwrap());
    for index in 0..number {
        // SAFETY: the process has a single thread, and the status is not wanted.
        unsafe {
            if index >= jobs {
                waitpid(-1, std::ptr::null_mut(), 0);
            }
            if fork() == 0 {
                if index < number / 2 {
                    std::hint::black_box(profiled::fibonacci(index % 15 + 5));
                } else {
                    let input = profiled::setup((index - number / 2) % 50 * 4 + 2);
                    std::hint::black_box(profiled::bubble_sort(input));
                }
                _exit(0);
            }
        }
    }
    // SAFETY: as above.
    while unsafe { waitpid(-1, std::ptr::null_mut(), 0) } > 0 {}
}
