//! Numbers of the system calls that ask for values of the machine.

use iai_callgrind_debuginfo::Architecture;

/// A system call that an architecture does not have.
const ABSENT: u32 = u32::MAX;

/// Names with the numbers of x86-64 and of `AArch64`.
#[rustfmt::skip]
const SYSTEM_CALLS: [(&str, u32, u32); 92] = [
    ("statfs", 137, 43), ("fstatfs", 138, 44),
    ("stat", 4, ABSENT), ("fstat", 5, 80), ("lstat", 6, ABSENT), ("newfstatat", 262, 79), ("statx", 332, 291),
    ("read", 0, 63), ("pread64", 17, 67), ("readv", 19, 65), ("preadv", 295, 69), ("preadv2", 327, 286),
    ("getdents64", 217, 61), ("mkdir", 83, ABSENT), ("mkdirat", 258, 34),
    ("getsockname", 51, 204), ("getpeername", 52, 205), ("accept", 43, 202), ("accept4", 288, 242),
    ("recvfrom", 45, 207), ("recvmsg", 47, 212), ("recvmmsg", 299, 243),
    ("getcpu", 309, 168), ("sched_getscheduler", 145, 120), ("sched_getparam", 143, 121), ("sched_getattr", 315, 275),
    ("sched_rr_get_interval", 148, 127), ("ioprio_get", 252, 31), ("mincore", 27, 232),
    ("cachestat", 451, 451), ("move_pages", 279, 239), ("kcmp", 312, 272),
    ("getpid", 39, 172), ("getppid", 110, 173), ("gettid", 186, 178), ("getpgid", 121, 155), ("getpgrp", 111, ABSENT),
    ("getsid", 124, 156), ("setsid", 112, 157), ("fork", 57, ABSENT), ("vfork", 58, ABSENT), ("clone", 56, 220),
    ("clone3", 435, 435), ("wait4", 61, 260), ("waitid", 247, 95),
    ("sysinfo", 99, 179), ("uname", 63, 160),
    ("getrlimit", 97, 163), ("prlimit64", 302, 261), ("umask", 95, 166), ("getpriority", 140, 141),
    ("clock_gettime", 228, 113), ("gettimeofday", 96, 169), ("time", 201, ABSENT), ("times", 100, 153),
    ("getrusage", 98, 165),
    ("name_to_handle_at", 303, 264), ("readlink", 89, ABSENT), ("readlinkat", 267, 78), ("shmget", 29, 194),
    ("shmctl", 31, 195), ("semget", 64, 190), ("semctl", 66, 191), ("msgget", 68, 186), ("msgctl", 71, 187),
    ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219), ("getsockopt", 55, 209),
    ("alarm", 37, ABSENT), ("getitimer", 36, 102), ("setitimer", 38, 103), ("timer_gettime", 224, 108),
    ("timer_settime", 223, 110), ("timerfd_gettime", 287, 87), ("timerfd_settime", 286, 86), ("adjtimex", 159, 171),
    ("clock_adjtime", 305, 266),
    ("getuid", 102, 174), ("geteuid", 107, 175), ("getgid", 104, 176), ("getegid", 108, 177), ("getresuid", 118, 148),
    ("getresgid", 120, 150), ("getgroups", 115, 158), ("getcwd", 79, 17), ("capget", 125, 90), ("prctl", 157, 167),
    ("access", 21, ABSENT), ("faccessat", 269, 48), ("faccessat2", 439, 439),
    ("ioctl", 16, 29),
];

/// Returns the name of the system call with this number, if it can ask for a value of the machine.
pub(crate) fn system_call_name(architecture: Architecture, number: u32) -> Option<&'static str> {
    let found = SYSTEM_CALLS.iter().find(|(_, x86_64, aarch64)| match architecture {
        Architecture::X86_64 => *x86_64 == number,
        Architecture::Aarch64 => *aarch64 == number,
        _ => false,
    });
    found.map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_this_system() {
        let here = if cfg!(target_arch = "aarch64") {
            Architecture::Aarch64
        } else {
            Architecture::X86_64
        };
        for (name, number) in [
            ("statfs", libc::SYS_statfs),
            ("fstatfs", libc::SYS_fstatfs),
            ("fstat", libc::SYS_fstat),
            ("newfstatat", libc::SYS_newfstatat),
            ("statx", libc::SYS_statx),
            ("read", libc::SYS_read),
            ("pread64", libc::SYS_pread64),
            ("readv", libc::SYS_readv),
            ("preadv", libc::SYS_preadv),
            ("getdents64", libc::SYS_getdents64),
            ("mkdirat", libc::SYS_mkdirat),
            ("getsockname", libc::SYS_getsockname),
            ("getpeername", libc::SYS_getpeername),
            ("accept", libc::SYS_accept),
            ("accept4", libc::SYS_accept4),
            ("recvfrom", libc::SYS_recvfrom),
            ("recvmsg", libc::SYS_recvmsg),
            ("recvmmsg", libc::SYS_recvmmsg),
            ("getcpu", libc::SYS_getcpu),
            ("sched_getscheduler", libc::SYS_sched_getscheduler),
            ("sched_getparam", libc::SYS_sched_getparam),
            ("sched_getattr", libc::SYS_sched_getattr),
            ("sched_rr_get_interval", libc::SYS_sched_rr_get_interval),
            ("ioprio_get", libc::SYS_ioprio_get),
            ("mincore", libc::SYS_mincore),
            ("preadv2", libc::SYS_preadv2),
            ("move_pages", libc::SYS_move_pages),
            ("kcmp", libc::SYS_kcmp),
            ("getpid", libc::SYS_getpid),
            ("getppid", libc::SYS_getppid),
            ("gettid", libc::SYS_gettid),
            ("getpgid", libc::SYS_getpgid),
            ("getsid", libc::SYS_getsid),
            ("setsid", libc::SYS_setsid),
            ("clone", libc::SYS_clone),
            ("clone3", libc::SYS_clone3),
            ("wait4", libc::SYS_wait4),
            ("waitid", libc::SYS_waitid),
            ("sysinfo", libc::SYS_sysinfo),
            ("uname", libc::SYS_uname),
            ("getrlimit", libc::SYS_getrlimit),
            ("prlimit64", libc::SYS_prlimit64),
            ("umask", libc::SYS_umask),
            ("getpriority", libc::SYS_getpriority),
            ("clock_gettime", libc::SYS_clock_gettime),
            ("gettimeofday", libc::SYS_gettimeofday),
            ("times", libc::SYS_times),
            ("getrusage", libc::SYS_getrusage),
            ("name_to_handle_at", libc::SYS_name_to_handle_at),
            ("readlinkat", libc::SYS_readlinkat),
            ("shmget", libc::SYS_shmget),
            ("shmctl", libc::SYS_shmctl),
            ("semget", libc::SYS_semget),
            ("semctl", libc::SYS_semctl),
            ("msgget", libc::SYS_msgget),
            ("msgctl", libc::SYS_msgctl),
            ("add_key", libc::SYS_add_key),
            ("request_key", libc::SYS_request_key),
            ("keyctl", libc::SYS_keyctl),
            ("getsockopt", libc::SYS_getsockopt),
            ("getitimer", libc::SYS_getitimer),
            ("setitimer", libc::SYS_setitimer),
            ("timer_gettime", libc::SYS_timer_gettime),
            ("timer_settime", libc::SYS_timer_settime),
            ("timerfd_gettime", libc::SYS_timerfd_gettime),
            ("timerfd_settime", libc::SYS_timerfd_settime),
            ("adjtimex", libc::SYS_adjtimex),
            ("clock_adjtime", libc::SYS_clock_adjtime),
            ("getuid", libc::SYS_getuid),
            ("geteuid", libc::SYS_geteuid),
            ("getgid", libc::SYS_getgid),
            ("getegid", libc::SYS_getegid),
            ("getresuid", libc::SYS_getresuid),
            ("getresgid", libc::SYS_getresgid),
            ("getgroups", libc::SYS_getgroups),
            ("getcwd", libc::SYS_getcwd),
            ("capget", libc::SYS_capget),
            ("prctl", libc::SYS_prctl),
            ("faccessat", libc::SYS_faccessat),
            ("faccessat2", libc::SYS_faccessat2),
            ("ioctl", libc::SYS_ioctl),
        ] {
            let number = u32::try_from(number).unwrap();
            assert_eq!(system_call_name(here, number), Some(name));
        }
        assert_eq!(system_call_name(here, ABSENT - 1), None);
    }
}
