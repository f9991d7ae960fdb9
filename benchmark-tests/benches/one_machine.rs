//! Functions that ask the system how the machine is, and fail if it is not the one that all benchmarks see.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::mem;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::process::parent_id;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Calls a function of the C library that fills a value.
fn filled<T>(fill: impl FnOnce(*mut T) -> libc::c_int) -> T {
    // SAFETY: these types are valid with zeros in them.
    let mut value: T = unsafe { mem::zeroed() };
    assert_eq!(fill(&raw mut value), 0);
    value
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| error.kind().to_string())
}

/// Returns the value in the line with a name.
fn value(file: &str, name: &str) -> String {
    let text = read(file);
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("nothing");
    line.trim_matches(|c: char| c == ':' || c.is_whitespace()).to_owned()
}

#[library_benchmark]
fn memory() {
    // SAFETY: the pointer is valid during the call.
    let info: libc::sysinfo = filled(|info| unsafe { libc::sysinfo(info) });
    assert_eq!((info.totalram, info.freeram, info.bufferram), (16 << 30, 8 << 30, 256 << 20));
    assert_eq!((info.totalswap, info.procs, info.mem_unit), (0, 1, 1));
    assert_eq!((info.loads, info.uptime), ([0; 3], 1_000_000));
    // SAFETY: calls without pointers.
    let pages =
        [libc::_SC_PHYS_PAGES, libc::_SC_AVPHYS_PAGES].map(|name| unsafe { libc::sysconf(name) });
    assert_eq!(pages, [4 << 20, 2 << 20]);
    assert_eq!(value("/proc/meminfo", "MemTotal"), "16777216 kB");
    assert_eq!(value("/proc/meminfo", "MemFree"), "8388608 kB");
    assert_eq!(value("/proc/meminfo", "MemAvailable"), "12582912 kB");
    assert_eq!(value("/proc/vmstat", "nr_free_pages"), "2097152");
    assert_eq!(read("/proc/sys/vm/overcommit_memory"), "0\n");
    for group in ["/proc/self/cgroup", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cpu.max"] {
        assert_eq!(read(group), "entity not found");
    }
}

#[library_benchmark]
fn space() {
    let directory = File::open(std::env::temp_dir()).unwrap();
    let path = c"/proc/../.";
    // SAFETY: the pointers are valid during the calls.
    let [by_path, by_file, relative] = unsafe {
        [
            filled(|space| libc::statvfs(path.as_ptr(), space)),
            filled(|space| libc::fstatvfs(directory.as_raw_fd(), space)),
            filled(|space| libc::statvfs(c".".as_ptr(), space)),
        ]
    };
    for space in [by_path, by_file, relative] {
        let free = space.f_bfree * space.f_frsize;
        assert_eq!((space.f_blocks * space.f_frsize, free), (64 << 30, 32 << 30));
        assert_eq!((space.f_bavail * space.f_frsize, space.f_ffree), (28 << 30, 3 << 20));
    }
    // SAFETY: as above.
    let mut kernel = filled(|space| unsafe { libc::statvfs(c"/proc".as_ptr(), space) });
    assert_eq!((kernel.f_blocks, kernel.f_bfree), (0, 0));
    // SAFETY: as above.
    assert_eq!(unsafe { libc::statvfs(c"/no/such/file".as_ptr(), &raw mut kernel) }, -1);
}

#[library_benchmark]
fn load() {
    let mut loads = [1.0; 3];
    // SAFETY: the array has three numbers.
    assert_eq!(unsafe { libc::getloadavg(loads.as_mut_ptr(), 3) }, 3);
    assert_eq!(loads.map(f64::to_bits), [0; 3]);
    assert_eq!(read("/proc/loadavg"), "0.00 0.00 0.00 1/1 1000\n");
    assert_eq!(read("/proc/uptime"), "1000000.00 1000000.00\n");
    assert_eq!(value("/proc/stat", "btime"), "1892456000");
    assert_eq!(value("/proc/stat", "procs_running"), "1");
}

#[library_benchmark]
fn host() {
    // SAFETY: the pointer is valid during the call.
    let names: libc::utsname = filled(|names| unsafe { libc::uname(names) });
    let text = |name: &[libc::c_char]| -> String {
        name.iter().take_while(|c| **c != 0).map(|c| char::from(c.to_ne_bytes()[0])).collect()
    };
    assert_eq!(text(&names.nodename), "localhost");
    assert_eq!((text(&names.release), text(&names.version)), ("5.10.0".into(), "#1 SMP".into()));
    assert_eq!(read("/proc/sys/kernel/hostname"), "localhost\n");
    assert_eq!(read("/proc/sys/kernel/osrelease"), "5.10.0\n");
    assert_eq!(read("/proc/version"), "Linux version 5.10.0 (root@localhost) (gcc) #1 SMP\n");
    assert_eq!(read("/proc/mounts"), read("/proc/self/mounts"));
    assert_eq!(read("/proc/mounts").lines().count(), 5);
    assert_eq!(read("/proc/filesystems").lines().count(), 13);
    assert_eq!((read("/proc/modules"), read("/proc/locks")), (String::new(), String::new()));
    assert_eq!(read("/proc/sys/fs/pipe-max-size"), "1048576\n");
    assert_eq!(read("/proc/interrupts").lines().next().unwrap().split_whitespace().count(), 4);
}

#[library_benchmark]
fn ports() {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [first, second] = listeners.each_ref().map(|it| it.local_addr().unwrap().port());
    assert!(first >= 61_000 && second > first, "{first} {second}");
    let reused: libc::c_int = filled(|reused: *mut libc::c_int| {
        let mut length = size_of::<libc::c_int>().try_into().unwrap();
        let socket = listeners[0].as_raw_fd();
        // SAFETY: the pointers are valid during the call, and the length is that of the value.
        unsafe {
            libc::getsockopt(
                socket,
                libc::SOL_SOCKET,
                libc::SO_REUSEADDR,
                reused.cast(),
                &raw mut length,
            )
        }
    });
    assert_eq!(reused, 1);
    assert!(UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() >= 61_000);
    // A port that the program chooses is its own
    assert!(TcpListener::bind(("127.0.0.1", first)).is_err());
}

#[library_benchmark]
fn cpus() {
    // SAFETY: calls without pointers.
    let numbers = [libc::_SC_NPROCESSORS_CONF, libc::_SC_NPROCESSORS_ONLN]
        .map(|name| unsafe { libc::sysconf(name) });
    assert_eq!(numbers, [4; 2]);
    assert_eq!(read("/sys/devices/system/cpu/online"), "0-3\n");
    assert_eq!(read("/proc/cpuinfo").matches("processor\t: ").count(), 4);
    let (mut cpu, mut node) = (7_u32, 7_u32);
    // SAFETY: the pointers are valid during the call.
    let result = unsafe { libc::syscall(libc::SYS_getcpu, &raw mut cpu, &raw mut node, 0) };
    assert_eq!((result, cpu, node), (0, 0, 0));
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: a set of zeros is valid, the pointers are valid during the calls, and the sets have this size.
    let sets: [libc::cpu_set_t; 4] = unsafe {
        let mut sets: [libc::cpu_set_t; 4] = mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size, &raw mut sets[0]), 0);
        assert_eq!(libc::pthread_getaffinity_np(libc::pthread_self(), size, &raw mut sets[1]), 0);
        for (set, process) in sets[2..].iter_mut().zip([0, libc::getpid()]) {
            let call = libc::SYS_sched_getaffinity;
            assert_eq!(libc::syscall(call, process, size, &raw mut *set), 8);
        }
        sets
    };
    for set in sets {
        // SAFETY: a set has bits for these CPUs.
        let seen = (0..1024).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) });
        assert_eq!(seen.collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}

#[library_benchmark]
fn limits() {
    // SAFETY: the pointers are valid during the calls.
    unsafe {
        let limit = |resource| filled(|limit| libc::getrlimit(resource, limit)).rlim_max;
        assert_eq!(limit(libc::RLIMIT_STACK), libc::RLIM_INFINITY);
        assert_eq!((limit(libc::RLIMIT_NPROC), limit(libc::RLIMIT_MEMLOCK)), (63_000, 8 << 20));
        let own = libc::getpid();
        let priority = |of, id: libc::pid_t| libc::getpriority(of, id.unsigned_abs());
        assert_eq!(priority(libc::PRIO_PROCESS, 0), 0);
        assert_eq!((priority(libc::PRIO_PROCESS, own), priority(libc::PRIO_PGRP, 0)), (0, 0));
        let by_id = filled(|limit| libc::prlimit(own, libc::RLIMIT_NPROC, ptr::null(), limit));
        assert_eq!(by_id.rlim_cur, 63_000);
        // A limit that a program sets is its own
        let own = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
        assert_eq!(libc::setrlimit(libc::RLIMIT_MSGQUEUE, &raw const own), 0);
        assert_eq!(limit(libc::RLIMIT_MSGQUEUE), 4096);
    }
    assert!(value("/proc/self/limits", "Max pending signals").starts_with("63000 "));
    assert_eq!(read("/proc/self/oom_score_adj"), "0\n");
}

#[library_benchmark]
fn own_state() {
    let id = std::process::id().to_string();
    assert_eq!(value("/proc/self/status", "Pid"), id);
    // The server, which forks each benchmark, has no id
    assert_eq!((parent_id(), value("/proc/self/status", "PPid")), (0, "0".into()));
    assert_eq!(read("/proc/self/stat").split(' ').nth(3), Some("0"));
    assert_eq!(value("/proc/self/status", "VmRSS"), "8192 kB");
    assert_eq!(value("/proc/self/status", "Cpus_allowed_list"), "0-3");
    assert_eq!(read("/proc/self/statm"), "4096 2048 512 64 0 512 0\n");
    assert_eq!(read("/proc/self/schedstat"), "0 0 1\n");
    assert!(read("/proc/self/stat").starts_with(&format!("{id} (")));
    assert_eq!(value("/proc/self/io", "rchar"), "0");
    let files = read("/proc/self/maps");
    assert!(
        files.contains("/one_machine-") && files.lines().all(|line| line.contains(" 00:00 0 "))
    );
    assert_eq!(read(&format!("/proc/{id}/statm")), read("/proc/thread-self/statm"));
}

/// Prints addresses of its code, constants, variables, stack and heap.
#[library_benchmark]
fn addresses() {
    static VARIABLE: AtomicU32 = AtomicU32::new(7);
    let (local, boxed) = (VARIABLE.load(Ordering::Relaxed), Box::new(7));
    let (code, constant) = (addresses as fn() as usize, &raw const "constant"[..]);
    println!(
        "addresses {code:x} {constant:?} {:p} {:p} {boxed:p}",
        &raw const VARIABLE, &raw const local
    );
}

/// Prints the variables of the environment, without those that have the path of Valgrind.
#[library_benchmark]
fn environment() {
    let names = std::env::vars_os().map(|(name, _)| name);
    let mut names: Vec<_> =
        names.filter(|name| name != "LD_PRELOAD" && name != "VALGRIND_LIB").collect();
    names.sort();
    println!("environment {names:?}");
}

#[library_benchmark]
fn settings() {
    assert_eq!(read("/proc/sys/vm/swappiness"), "60\n");
    assert_eq!(read("/proc/sys/fs/file-max"), "1000000\n");
    let pages = read("/sys/kernel/mm/transparent_hugepage/enabled");
    assert_eq!(pages, "always [madvise] never\n");
    // SAFETY: a system call without pointers.
    assert_eq!(unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) }, 50_000);
}

#[library_benchmark]
fn random_device() {
    let mut bytes = Vec::new();
    File::open("/dev/urandom").unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 4096);
}

#[library_benchmark]
fn random_ids() -> [String; 2] {
    let ids = [(); 2].map(|()| read("/proc/sys/kernel/random/uuid"));
    assert_eq!((ids[0].len(), ids[0] == ids[1]), (37, false));
    assert_eq!(read("/proc/sys/kernel/random/entropy_avail"), "256\n");
    println!("uuid {}", ids[0].trim());
    ids
}

/// Opens a file in the ways that the kernel knows.
#[library_benchmark]
fn paths() {
    let directory = std::env::temp_dir().join(format!("one-machine-{}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory).unwrap();
    let link = directory.join("link");
    symlink("/proc/../proc/loadavg", &link).unwrap();
    let load = read("/proc/loadavg");
    assert_eq!(read(link.to_str().unwrap()), load);
    assert_eq!(read("//proc/./loadavg"), load);
    // Through the directory of the process itself
    let state = read("/proc/self/statm");
    for (number, target) in
        ["/proc/self/statm", "/proc/self/root/../proc/./thread-self/statm"].iter().enumerate()
    {
        let link = directory.join(number.to_string());
        symlink(target, &link).unwrap();
        assert_eq!(read(link.to_str().unwrap()), state, "{target}");
    }
    symlink("/proc/self", directory.join("own")).unwrap();
    assert_eq!(read(directory.join("own/statm").to_str().unwrap()), state);
    assert_eq!(read(directory.join("own/../loadavg").to_str().unwrap()), load);
    fs::remove_dir_all(&directory).unwrap();
    // A file of the same name elsewhere is another one
    let other = std::env::temp_dir().join(format!("loadavg-{}", std::process::id()));
    fs::write(&other, "own").unwrap();
    assert_eq!(read(other.to_str().unwrap()), "own");
    fs::remove_file(other).unwrap();
    let mut file = File::open("/proc/loadavg").unwrap();
    assert!(file.metadata().unwrap().is_file());
    let mut again = String::new();
    for _ in 0..2 {
        again.clear();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_string(&mut again).unwrap();
        assert_eq!(again, load);
    }
    std::env::set_current_dir("/proc").unwrap();
    assert_eq!(read("loadavg"), load);
    assert_eq!(read("self/statm"), read("/proc/self/statm"));
}

library_benchmark_group!(
    name = values;
    benchmarks = memory, space, load, host, ports, cpus, limits, own_state, addresses, environment, settings, random_device,
        random_ids, paths
);

main!(library_benchmark_groups = values);
