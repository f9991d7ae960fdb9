//! Benchmarks that ask the system for values that other programs, other users and other machines change.

use std::ffi::{CStr, CString};
use std::fs;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;

use iai_callgrind::library_benchmark;

use super::{FILE, spin};

/// Returns the content of the file, whose length decides how much a benchmark does.
pub(super) fn content() -> Vec<u8> {
    fs::read(FILE).unwrap()
}

/// Asks the kernel for the rights that the process can have.
#[library_benchmark]
pub(super) fn capabilities() -> u64 {
    // The third version of its types, for the calling process
    let mut header = [0x2008_0522_u32, 0];
    // Effective, permitted and inherited ones, in two words each
    let mut rights = [0_u32; 6];
    // SAFETY: the pointers are valid during the call.
    let result =
        unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), rights.as_mut_ptr()) };
    assert_eq!(result, 0);
    spin(rights[1].count_ones().into())
}

/// Asks if the process can have large pages.
#[library_benchmark]
pub(super) fn large_pages() -> u64 {
    // SAFETY: a system call without pointers.
    spin(100 * u64::from(unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) } == 1))
}

/// Adds up the bytes of a name.
fn sum(name: *const libc::c_char) -> u64 {
    // SAFETY: names of interfaces end with a zero.
    unsafe { CStr::from_ptr(name) }.to_bytes().iter().map(|byte| u64::from(*byte)).sum()
}

#[library_benchmark]
pub(super) fn names_of_interfaces() -> u64 {
    // SAFETY: the list ends with an entry whose number is zero, and is valid until it is freed.
    unsafe {
        let first = libc::if_nameindex();
        let mut names = 0;
        let mut interface = first;
        while (*interface).if_index != 0 {
            names += sum((*interface).if_name);
            interface = interface.add(1);
        }
        libc::if_freenameindex(first);
        spin(names)
    }
}

#[library_benchmark]
pub(super) fn addresses_of_interfaces() -> u64 {
    let mut first = ptr::null_mut();
    // SAFETY: the list ends with a null pointer, and is valid until it is freed.
    unsafe {
        assert_eq!(libc::getifaddrs(&raw mut first), 0);
        let mut names = 0;
        let mut address = first;
        while !address.is_null() {
            names += sum((*address).ifa_name);
            address = (*address).ifa_next;
        }
        libc::freeifaddrs(first);
        spin(names)
    }
}

/// Asks the kernel for the interfaces with an address, without the functions of the C library for that.
#[library_benchmark]
pub(super) fn requested_interfaces() -> u64 {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    // SAFETY: zeros are valid values, the length is that of the array, and the pointers are valid during the call.
    let length = unsafe {
        let mut interfaces: [libc::ifreq; 8] = std::mem::zeroed();
        let mut list: libc::ifconf = std::mem::zeroed();
        list.ifc_len = size_of_val(&interfaces).try_into().unwrap();
        list.ifc_ifcu.ifcu_req = interfaces.as_mut_ptr();
        assert_eq!(libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFCONF, &raw mut list), 0);
        list.ifc_len
    };
    spin(length.unsigned_abs().into())
}

#[library_benchmark]
pub(super) fn existing_file() -> u64 {
    // SAFETY: the path ends with a zero.
    spin(100 * u64::from(unsafe { libc::access(c"a longer name".as_ptr(), libc::F_OK) } == 0))
}

#[library_benchmark]
pub(super) fn target_of_link() -> u64 {
    spin(Path::new("link").read_link().unwrap().as_os_str().len() as u64)
}

/// Returns the id of new shared memory, which the kernel counts.
#[library_benchmark]
pub(super) fn shared_memory() -> u64 {
    // SAFETY: system calls without pointers.
    unsafe {
        let id = libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600);
        assert!(id >= 0);
        assert_eq!(libc::shmctl(id, libc::IPC_RMID, ptr::null_mut()), 0);
        spin(id.unsigned_abs().into())
    }
}

/// Opens the next pseudo terminal, and asks for its name.
#[library_benchmark]
pub(super) fn pseudo_terminal() -> u64 {
    let mut name = [0; 64];
    // SAFETY: the pointer is valid during the call, and the length is that of the array.
    unsafe {
        let terminal = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY);
        assert!(terminal >= 0);
        assert_eq!(libc::ptsname_r(terminal, name.as_mut_ptr(), name.len()), 0);
        assert_eq!(libc::close(terminal), 0);
    }
    spin(sum(name.as_ptr()))
}

/// Opens the next pseudo terminal, and asks the kernel for its number in both ways.
#[library_benchmark]
#[bench::of_function(false)]
#[bench::of_any_system_call(true)]
pub(super) fn requested_terminal(is_any_system_call: bool) -> u64 {
    let mut number = 0_u32;
    // SAFETY: the pointer is valid during the call.
    unsafe {
        let terminal = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY);
        assert!(terminal >= 0);
        let number = &raw mut number;
        if is_any_system_call {
            assert_eq!(libc::syscall(libc::SYS_ioctl, terminal, libc::TIOCGPTN, number), 0);
        } else {
            assert_eq!(libc::ioctl(terminal, libc::TIOCGPTN, number), 0);
        }
        assert_eq!(libc::close(terminal), 0);
    }
    spin(100 * u64::from(number))
}

/// Asks how long a timer still runs.
#[library_benchmark]
pub(super) fn timer() -> u64 {
    let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let hour = libc::timespec { tv_sec: 3600, tv_nsec: 0 };
    let time = libc::itimerspec { it_interval: none, it_value: hour };
    let mut left = libc::itimerspec { it_interval: none, it_value: none };
    // SAFETY: the pointers are valid during the calls.
    unsafe {
        let timer = libc::timerfd_create(libc::CLOCK_MONOTONIC, 0);
        assert_eq!(libc::timerfd_settime(timer, 0, &raw const time, ptr::null_mut()), 0);
        assert_eq!(libc::timerfd_gettime(timer, &raw mut left), 0);
        assert_eq!(libc::close(timer), 0);
    }
    spin(left.it_value.tv_nsec.unsigned_abs())
}

/// Sends bytes to a socket, and receives them.
#[library_benchmark]
#[bench::of_setup(content().len())]
pub(super) fn received(length: usize) -> u64 {
    let socket = UdpSocket::bind("127.0.0.1:61999").unwrap();
    socket.send_to(&[7; 64][..length], "127.0.0.1:61999").unwrap();
    let mut buffer = [0; 64];
    spin(socket.recv(&mut buffer).unwrap() as u64)
}

/// Asks for the address of a host that is a number, without a server.
#[library_benchmark]
#[bench::of_setup(CString::new(content()).unwrap())]
pub(super) fn address_of_host(name: CString) -> u64 {
    // SAFETY: zeros are a valid value, and the pointers are valid during the call.
    unsafe {
        let mut hints: libc::addrinfo = std::mem::zeroed();
        hints.ai_flags = libc::AI_NUMERICHOST;
        let mut found = ptr::null_mut();
        let result =
            libc::getaddrinfo(name.as_ptr(), ptr::null(), &raw const hints, &raw mut found);
        assert_eq!(result, libc::EAI_NONAME);
    }
    spin(name.into_bytes().len() as u64)
}

/// Waits for a process that ends with the length of the file.
#[library_benchmark]
#[bench::of_setup(content().len())]
pub(super) fn other_process(length: usize) -> u64 {
    let mut status = 0;
    // SAFETY: the child makes a system call alone, and the pointer is valid during the call.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(length.try_into().unwrap());
        }
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
    }
    spin(libc::WEXITSTATUS(status).unsigned_abs().into())
}

/// Compares files in the kernel, whose order is random.
#[library_benchmark]
#[bench::of_setup(content().len())]
pub(super) fn order_of_files(length: usize) -> u64 {
    let [first, second] = [(); 2].map(|()| fs::File::open("/dev/null").unwrap());
    let process = std::process::id();
    let [first, second] = [first.as_raw_fd(), second.as_raw_fd()];
    // SAFETY: a system call without pointers; 0 compares open files.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, process, process, 0, first, second) };
    spin(length as u64 + order.unsigned_abs())
}

#[library_benchmark]
pub(super) fn number_of_cpu() -> u64 {
    // SAFETY: a call without pointers.
    spin(100 * u64::from(unsafe { libc::sched_getcpu() }.unsigned_abs()))
}

#[library_benchmark]
pub(super) fn user() -> u64 {
    // SAFETY: a system call without pointers.
    spin(unsafe { libc::getuid() }.into())
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "rdrand")]
fn random_number() -> u64 {
    let mut number = 0;
    while std::arch::x86_64::_rdrand64_step(&mut number) == 0 {}
    number
}

/// Asks the CPU for a random number, if it has such an instruction under Valgrind.
#[library_benchmark]
pub(super) fn random_number_of_cpu() -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("rdrand") {
        // SAFETY: the CPU has the instruction.
        return spin(unsafe { random_number() } % 10_007);
    }
    0
}
