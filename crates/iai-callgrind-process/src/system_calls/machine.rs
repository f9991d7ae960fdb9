//! The values of the machine that a system call returns: 16 GiB of memory, no load and no host name.
//!
//! They fit the files in [`super::machine_files`].

#![expect(clippy::cast_possible_wrap, reason = "small constants, and letters of ASCII")]

use std::mem;
use std::slice;

use super::program::{Start, limit_of};
use super::request::{Answer, Request};

/// Memory in KiB.
pub(super) const TOTAL: u64 = 16 << 20;
pub(super) const FREE: u64 = 8 << 20;
pub(super) const AVAILABLE: u64 = 12 << 20;
pub(super) const SHARED: u64 = 16 << 10;
pub(super) const BUFFERS: u64 = 256 << 10;

/// Seconds since the start of the machine, as the virtual clock of benchmarks has them when it starts.
pub(super) const UPTIME: u64 = 1_000_000;

/// Names of the system.
pub(super) const HOST: &str = "localhost";
pub(super) const DOMAIN: &str = "(none)";
pub(super) const RELEASE: &str = "5.10.0";
pub(super) const VERSION: &str = "#1 SMP";
const SYSTEM: &str = "Linux";

/// Number of threads of all processes, of pending signals and of bytes in message queues.
const PROCESSES: u64 = 63_000;
const MESSAGES: u64 = 819_200;
const LOCKED: u64 = 8 << 20;

/// Bytes of the main stack, as at the start of a benchmark.
const STACK: u64 = 8 << 20;

/// Limits that differ between machines and users. The start of a benchmark does not set them, or
/// not their maximum.
const LIMITS: [(u32, u64, u64); 10] = [
    (libc::RLIMIT_STACK as _, STACK, libc::RLIM_INFINITY),
    (libc::RLIMIT_RSS as _, libc::RLIM_INFINITY, libc::RLIM_INFINITY),
    (libc::RLIMIT_NPROC as _, PROCESSES, PROCESSES),
    (libc::RLIMIT_MEMLOCK as _, LOCKED, LOCKED),
    (libc::RLIMIT_LOCKS as _, libc::RLIM_INFINITY, libc::RLIM_INFINITY),
    (libc::RLIMIT_SIGPENDING as _, PROCESSES, PROCESSES),
    (libc::RLIMIT_MSGQUEUE as _, MESSAGES, MESSAGES),
    (libc::RLIMIT_NICE as _, 0, 0),
    (libc::RLIMIT_RTPRIO as _, 0, 0),
    (libc::RLIMIT_RTTIME as _, libc::RLIM_INFINITY, libc::RLIM_INFINITY),
];

/// Result of `getpriority` for the normal priority: the kernel counts down from 40.
const USUAL_PRIORITY: i64 = 20;

/// Answers `sysinfo`.
pub(super) fn information(request: &Request<'_>) -> Answer {
    // SAFETY: a value of zeros is valid.
    let mut information: libc::sysinfo = unsafe { mem::zeroed() };
    information.uptime = UPTIME as _;
    information.totalram = TOTAL << 10;
    information.freeram = FREE << 10;
    information.sharedram = SHARED << 10;
    information.bufferram = BUFFERS << 10;
    information.procs = 1;
    information.mem_unit = 1;
    write(request, request.arguments[0], &information)
}

/// Answers `uname`.
pub(super) fn names(request: &Request<'_>) -> Answer {
    // SAFETY: a value of zeros is valid.
    let mut names: libc::utsname = unsafe { mem::zeroed() };
    for (field, name) in [
        (&mut names.sysname, SYSTEM),
        (&mut names.nodename, HOST),
        (&mut names.release, RELEASE),
        (&mut names.version, VERSION),
        (&mut names.machine, std::env::consts::ARCH),
        (&mut names.domainname, DOMAIN),
    ] {
        for (target, byte) in field.iter_mut().zip(name.bytes()) {
            *target = byte as _;
        }
    }
    write(request, request.arguments[0], &names)
}

/// Answers `getpriority` of the process itself, its group and its user, unless its priority changed since its start.
pub(super) fn priority(request: &Request<'_>, start: &Start) -> Answer {
    let [kind, process, ..] = request.arguments;
    // The highest priority of a group or of a user's processes is that of other programs as well
    let is_own =
        process == 0 || kind == u64::from(libc::PRIO_PROCESS) && request.is_caller(process);
    if is_own && start.has_same_priority(request.thread) {
        Answer::Result(USUAL_PRIORITY)
    } else {
        Answer::Continue
    }
}

/// Answers `prlimit64` of a process that asks for its own limit.
pub(super) fn limit(request: &Request<'_>, start: &Start) -> Answer {
    let [process, resource, new, old, ..] = request.arguments;
    if new == 0 && old != 0 && request.is_caller(process) {
        limit_to(request, start, resource, old)
    } else {
        Answer::Continue
    }
}

/// Answers `getrlimit`.
pub(super) fn old_limit(request: &Request<'_>, start: &Start) -> Answer {
    let [resource, address, ..] = request.arguments;
    limit_to(request, start, resource, address)
}

/// Writes a limit that the process has not changed since its start.
fn limit_to(request: &Request<'_>, start: &Start, resource: u64, address: u64) -> Answer {
    let fixed = u32::try_from(resource).ok().and_then(fixed_limit);
    let fixed = fixed.filter(|_| start.has_same_limit(request.thread, resource));
    fixed.map_or(Answer::Continue, |limit| write(request, address, &limit))
}

/// Returns the fixed limit of a resource, if it has one.
fn fixed_limit(resource: u32) -> Option<libc::rlimit> {
    let limit = LIMITS.iter().find(|(of, ..)| *of == resource);
    limit.map(|(_, soft, hard)| libc::rlimit { rlim_cur: *soft, rlim_max: *hard })
}

/// Returns the limit that a thread sees.
pub(super) fn seen_limit(thread: libc::pid_t, resource: u32) -> Option<libc::rlimit> {
    fixed_limit(resource).or_else(|| limit_of(thread, resource))
}

/// Answers `getcpu`: the first one.
pub(super) fn current_cpu(request: &Request<'_>) -> Answer {
    let [cpu, node, ..] = request.arguments;
    let write = |address| address == 0 || request.write(address, &0_u32.to_ne_bytes()).is_some();
    if write(cpu) && write(node) { Answer::Result(0) } else { Answer::Continue }
}

/// Writes the value that a call returns in memory.
pub(super) fn write<T>(request: &Request<'_>, address: u64, value: &T) -> Answer {
    // SAFETY: the values are made of zeros, or have no padding: all bytes are initialized.
    let bytes = unsafe { slice::from_raw_parts((&raw const *value).cast(), size_of::<T>()) };
    request.write(address, bytes).map(|_| 0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_user_are_not_hidden() {
        for resource in [libc::RLIMIT_AS, libc::RLIMIT_CPU, libc::RLIMIT_FSIZE, libc::RLIMIT_DATA] {
            assert!(fixed_limit(resource as _).is_none());
        }
        let limit = fixed_limit(libc::RLIMIT_NPROC as _).unwrap();
        assert_eq!((limit.rlim_cur, limit.rlim_max), (63_000, 63_000));
    }
}
