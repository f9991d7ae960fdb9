//! Benchmarks whose counts depend on values of the machine that no run fixes.

use std::fs::{self, metadata};
use std::hint::black_box;
use std::mem;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::process;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[path = "machine_values/native.rs"]
mod native;
#[path = "machine_values/system.rs"]
mod system;

/// Name of a file in the directory of the run.
const FILE: &str = "file";

/// Name of a file of 16 pages.
const PAGES: &str = "pages";

/// Executes as many instructions as the number says.
fn spin(number: u64) -> u64 {
    (0..number % 1_000_003).fold(0, |sum, number| black_box(sum ^ number))
}

#[library_benchmark]
fn free_space() -> u64 {
    // SAFETY: zeros are a valid value, and the pointers are valid during the call.
    let space = unsafe {
        let mut space: libc::statvfs = mem::zeroed();
        libc::statvfs(c".".as_ptr(), &raw mut space);
        space
    };
    spin(space.f_bfree)
}

#[library_benchmark]
fn inode() -> u64 {
    spin(metadata(FILE).unwrap().ino())
}

#[library_benchmark]
fn time() -> u64 {
    spin(metadata(FILE).unwrap().mtime().unsigned_abs())
}

#[library_benchmark]
fn port() -> u64 {
    spin(TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().into())
}

#[library_benchmark]
fn directory() -> usize {
    fs::read_dir(".").unwrap().map(|entry| entry.unwrap().file_name().len()).sum()
}

#[library_benchmark]
fn content() -> u64 {
    fs::read(FILE).unwrap().iter().fold(0, |sum, byte| black_box(sum ^ u64::from(*byte)))
}

#[library_benchmark]
fn time_stamp_counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: all of these CPUs have the counter.
    let ticks = unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instruction writes the output alone.
    let ticks = unsafe {
        let ticks: u64;
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks);
        ticks
    };
    spin(ticks)
}

/// Asks for the free space without the C library.
#[library_benchmark]
fn direct_call() -> u64 {
    // SAFETY: zeros are a valid value, and the pointers are valid during the call.
    let space = unsafe {
        let mut space: libc::statfs = mem::zeroed();
        let path = c".".as_ptr();
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!(
            "mov eax, 137", "syscall",
            in("rdi") path, in("rsi") &raw mut space, out("rax") _, out("rcx") _, out("r11") _
        );
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!(
            "mov x8, 43", "svc 0", inout("x0") path => _, in("x1") &raw mut space, out("x8") _
        );
        space
    };
    spin(space.f_bfree)
}

#[library_benchmark]
fn process_id() -> u64 {
    spin(process::id().into())
}

#[library_benchmark]
fn cpus() -> u64 {
    spin(std::thread::available_parallelism().unwrap().get() as u64)
}

#[library_benchmark]
fn policy() -> u64 {
    // SAFETY: a system call without pointers.
    spin(unsafe { libc::sched_getscheduler(0) }.unsigned_abs().into())
}

/// Asks for the priority of input and output, for which the C library has no function.
#[library_benchmark]
fn io_priority() -> u64 {
    // SAFETY: a system call without pointers.
    spin(unsafe { libc::syscall(libc::SYS_ioprio_get, 1, 0) }.unsigned_abs())
}

/// Counts the pages of a file that are in memory.
#[library_benchmark]
fn resident_pages() -> u64 {
    const LENGTH: usize = 16 * 4096;
    let file = fs::File::open(PAGES).unwrap();
    let mut pages = [0; 16];
    // SAFETY: the mapping is as long as the file, and there is a byte for each page.
    unsafe {
        let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
        let start = libc::mmap(std::ptr::null_mut(), LENGTH, read, shared, file.as_raw_fd(), 0);
        assert_eq!(libc::mincore(start, LENGTH, pages.as_mut_ptr()), 0);
    }
    spin(pages.iter().map(|page| u64::from(page & 1)).sum())
}

/// Counts the bytes that its setup reads.
#[library_benchmark]
#[bench::of_setup(metadata(FILE).unwrap().len())]
fn length(length: u64) -> u64 {
    spin(length)
}

#[library_benchmark]
fn working_directory() -> u64 {
    spin(std::env::current_dir().unwrap().as_os_str().len() as u64)
}

/// Appends a byte to a file, and returns its length.
fn append() -> u64 {
    let mut bytes = fs::read("growing").unwrap_or_default();
    bytes.push(b'x');
    fs::write("growing", &bytes).unwrap();
    bytes.len() as u64
}

/// Counts the bytes of a file that grows in each run.
#[library_benchmark]
#[bench::of_setup(append())]
fn appended(length: u64) -> u64 {
    spin(length)
}

/// Counts the bytes of a file that grows in each run, and starts a thread.
#[library_benchmark]
#[bench::of_setup(append())]
fn appended_next_to_a_thread(length: u64) -> u64 {
    std::thread::spawn(|| {}).join().unwrap();
    spin(length)
}

/// Asks for values, and its count does not depend on them.
#[library_benchmark]
fn independent() -> bool {
    metadata(FILE).is_ok() && TcpListener::bind("127.0.0.1:0").unwrap().local_addr().is_ok()
}

library_benchmark_group!(
    name = functions;
    benchmarks =
        inode, time, port, directory, content, time_stamp_counter, working_directory, independent
);
library_benchmark_group!(
    name = passed_through;
    benchmarks =
        process_id, free_space, direct_call, cpus, native::host_name, native::mode_mask, native::time_of_a_reading,
        native::random_number, native::thread
);
library_benchmark_group!(name = kernel; benchmarks = policy, io_priority, resident_pages);
library_benchmark_group!(name = data; benchmarks = length);
library_benchmark_group!(name = growing; benchmarks = appended, appended_next_to_a_thread);
library_benchmark_group!(
    name = of_system;
    benchmarks =
        system::capabilities, system::large_pages, system::names_of_interfaces, system::addresses_of_interfaces,
        system::existing_file, system::target_of_link, system::shared_memory, system::timer, system::received,
        system::address_of_host, system::other_process, system::order_of_files, system::random_number_of_cpu,
        system::number_of_cpu, system::user, system::pseudo_terminal, system::requested_interfaces,
        system::requested_terminal
);
main!(library_benchmark_groups = functions, passed_through, kernel, data, growing, of_system);
