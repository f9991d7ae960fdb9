//! Benchmarks whose counts are values that a process inherits from the shell that starts it, or paths of the run.

use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{env, fs, mem, ptr};

use iai_callgrind::{
    LibraryBenchmarkConfig, Sandbox, library_benchmark, library_benchmark_group, main,
};

/// Executes as many instructions as the number says.
fn spin(number: u64) -> u64 {
    (0..number % 1009 + number / 1009 % 97).fold(0, |sum, number| black_box(sum ^ number))
}

fn spin_for(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_bytes().iter();
    spin(bytes.fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add((*byte).into())))
}

#[library_benchmark]
fn umask() -> u64 {
    // SAFETY: no pointers.
    spin(unsafe { libc::umask(0) }.into())
}

#[library_benchmark]
#[bench::files(libc::RLIMIT_NOFILE)]
#[bench::stack(libc::RLIMIT_STACK)]
#[bench::core(libc::RLIMIT_CORE)]
fn limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    spin(limit.rlim_cur >> 4) ^ spin(limit.rlim_max >> 4)
}

/// Looks at a signal that `nohup` ignores.
#[library_benchmark]
fn ignored() -> u64 {
    // SAFETY: an action of zeros is a valid one, and the pointer is valid.
    let action = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        libc::sigaction(libc::SIGHUP, ptr::null(), &raw mut action);
        action
    };
    spin(action.sa_sigaction as u64 * 100)
}

#[library_benchmark]
fn terminal() -> u64 {
    spin(u64::from(File::open("/dev/tty").is_ok()) * 100)
}

/// Asks which of the standard streams are terminals, and how wide these are.
#[library_benchmark]
fn streams() -> u64 {
    let columns = |stream| {
        // SAFETY: zeros are a valid size, and the pointer is valid during the call.
        unsafe {
            let mut size: libc::winsize = mem::zeroed();
            let is_terminal = libc::isatty(stream) == 1;
            let has_size = libc::ioctl(stream, libc::TIOCGWINSZ, &raw mut size) == 0;
            u64::from(is_terminal) * 100 + u64::from(has_size) * 10 + u64::from(size.ws_col)
        }
    };
    spin((0..3).map(columns).sum())
}

#[library_benchmark]
fn descriptor() -> u64 {
    spin(File::open("/dev/null").map_or(0, |file| file.as_raw_fd().unsigned_abs().into()))
}

#[library_benchmark]
fn descriptors() -> u64 {
    spin(fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64 * 10))
}

#[library_benchmark]
fn executable() -> u64 {
    spin_for(&env::current_exe().unwrap_or_default())
}

#[library_benchmark(config = LibraryBenchmarkConfig::default().sandbox(Sandbox::new(true)))]
fn sandbox() -> u64 {
    spin_for(&env::current_dir().unwrap_or_default())
}

library_benchmark_group!(name = shell; benchmarks = umask, limit, ignored, terminal, streams, descriptor, descriptors);
library_benchmark_group!(name = paths; benchmarks = executable, sandbox);

main!(library_benchmark_groups = shell, paths);
