//! Values of the machine that code asks for and no run fixes. Each row has a value's name and how
//! it is recognized.

pub(crate) mod instructions;
mod requests;
mod system_calls;

use std::collections::HashMap;

use fnv::FnvBuildHasher;

pub(crate) use self::requests::request_value;
pub(crate) use self::system_calls::system_call_name;
use crate::table::Environment;

/// A value of the machine, which can differ from run to run.
#[derive(Debug, PartialEq, Eq)]
pub struct MachineValue {
    /// Name in tables and in the machine-readable output: `free-space`.
    pub name: &'static str,
    /// Description of a benchmark that uses it: `reads the free space of a file system`.
    pub text: &'static str,
    asked: Asked,
    /// Names of parts of the environment, and their values in runs that fix this value; empty if no run fixes it. The first one
    /// decides what the value is.
    fixed: &'static [(&'static str, Fixed)],
    /// Much code asks for it, and counts seldom depend on it.
    pub(crate) is_common: bool,
}

/// Questions of code for a value.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// By one of these C library functions, or by the system call of that name, without underscores
    /// at the start and without `64` at the end.
    Functions(&'static [&'static str]),
    /// By an instruction.
    Instruction,
    /// Every program depends on it.
    EveryProgram,
    /// Results of programs that depend on it have its part of the environment.
    Recorded,
}

/// Values of a part of the environment in runs that fix a value of the machine.
#[derive(Debug, PartialEq, Eq)]
enum Fixed {
    Is(&'static str),
    IsNot(&'static str),
}

/// Start of the descriptions of values that are read.
const READS: &str = "reads ";

/// The names of the values that instructions ask for.
pub(crate) const TIME_STAMP_COUNTER: &str = "time-stamp-counter";
pub(crate) const CPU_RANDOM_NUMBERS: &str = "cpu-random-numbers";

/// The name of the values that the shell hands down.
const LIMITS: &str = "limits";

/// The name of the list of libraries in which the loader of a command looks, which each installed library changes, and its name
/// in the environment.
const LOADER_LIBRARIES: &str = "loader-libraries";
pub(crate) const LOADER_CACHE: &str = "list of the loader's libraries";

/// Name of thread scheduling, and of the ends of timed waits, which depend on the speed of the
/// machine while another thread runs.
pub(crate) const THREAD_ORDER: &str = "thread-order";
const TIMED_WAITS: &str = "timed-waits";

/// The value of the environment for most parts that are fixed.
const FIXED: Fixed = Fixed::Is("fixed");

/// For values that differ between users and checkouts, and not from run to run.
const NEVER_VARIES: Fixed = Fixed::IsNot("");

macro_rules! values {
    ($($name:expr, $text:literal, $asked:expr, $fixed:expr, $is_common:expr;)*) => {
        [$(MachineValue {
            name: $name, text: $text, asked: $asked, fixed: $fixed, is_common: $is_common,
        }),*]
    };
}

/// All values, in the order of their descriptions.
#[rustfmt::skip]
static VALUES: [MachineValue; 36] = values![
    "free-space", "reads the free space of a file system",
        Asked::Functions(&["statfs", "fstatfs", "statvfs", "fstatvfs"]), &[("memory", FIXED)], false;
    "file-metadata", "reads the inode, the times or the size of a file",
        Asked::Functions(&["stat", "fstat", "lstat", "fstatat", "newfstatat", "statx", "xstat", "fxstat", "lxstat",
            "fxstatat", "name_to_handle_at"]), &[], true;
    "file-content", "reads what is in a file or a pipe",
        Asked::Functions(&["read", "pread", "readv", "preadv", "preadv2", "fread", "fread_unlocked", "fgets", "fgetc", "getc",
            "getline", "getdelim", "readlink", "readlinkat"]), &[], true;
    "directory", "reads the entries of a directory in their order",
        Asked::Functions(&["readdir", "readdir_r", "readdir64_r", "scandir", "getdents"]), &[], true;
    // Names come from a seed, and a file that an earlier run left behind costs another attempt
    "existing-files", "reads which files exist",
        Asked::Functions(&["mkstemp", "mkostemp", "mkstemps", "mkostemps", "mkdtemp", "mktemp", "tempnam", "tmpnam",
            "tmpfile", "mkdir", "mkdirat", "access", "faccessat", "faccessat2", "eaccess", "euidaccess"]), &[], true;
    "port", "reads the port of a socket",
        Asked::Functions(&["getsockname", "getpeername", "accept", "accept4"]), &[], false;
    "ipc-ids", "reads ids of shared memory, semaphores, queues or keys",
        Asked::Functions(&["shmget", "shmctl", "semget", "semctl", "msgget", "msgctl", "add_key", "request_key",
            "keyctl"]), &[], false;
    "network", "reads what arrives at a socket or its state",
        Asked::Functions(&["recv", "recvfrom", "recvmsg", "recvmmsg", "getsockopt"]), &[], false;
    "interfaces", "reads the network interfaces",
        Asked::Functions(&["getifaddrs", "if_nameindex", "if_nametoindex", "if_indextoname"]), &[], false;
    "terminal-numbers", "reads the number of a terminal",
        Asked::Functions(&["ptsname", "ptsname_r", "ttyname", "ttyname_r", "openpty", "forkpty"]), &[], false;
    "rights", "reads the rights of the process",
        Asked::Functions(&["capget", "prctl"]), &[], false;
    "name-service", "reads the address of a host",
        Asked::Functions(&["getaddrinfo", "getnameinfo", "gethostbyname", "gethostbyname_r", "gethostbyname2",
            "gethostbyname2_r", "gethostbyaddr", "gethostbyaddr_r"]), &[], false;
    TIME_STAMP_COUNTER, "reads the time stamp counter of the CPU", Asked::Instruction, &[], false;
    CPU_RANDOM_NUMBERS, "reads random numbers of the CPU", Asked::Instruction, &[], false;
    "cpu-number", "reads the number of the CPU that it runs on",
        Asked::Functions(&["sched_getcpu", "getcpu"]),
        &[("CPUs", Fixed::IsNot("native")), ("memory", Fixed::IsNot("system"))], false;
    "cpus", "reads the number of CPUs",
        Asked::Functions(&["sched_getaffinity", "pthread_getaffinity_np", "get_nprocs", "get_nprocs_conf", "sysconf"]),
        &[("CPUs", Fixed::IsNot("native"))], false;
    "scheduling", "reads how the kernel schedules the process",
        Asked::Functions(&["sched_getscheduler", "sched_getparam", "sched_getattr", "sched_rr_get_interval",
            "pthread_getschedparam", "ioprio_get"]), &[], false;
    "resident-pages", "reads which pages are in memory",
        Asked::Functions(&["mincore", "cachestat", "move_pages"]), &[], false;
    "kernel-addresses", "compares addresses in the kernel", Asked::Functions(&["kcmp"]), &[], false;
    "process-ids", "reads ids of processes or threads",
        Asked::Functions(&["getpid", "getppid", "gettid", "getpgid", "getpgrp", "getsid", "setsid", "fork", "vfork",
            "posix_spawn", "posix_spawnp", "wait", "waitpid", "wait4", "waitid", "clone", "pthread_create",
            "pthread_join"]),
        &[("process ids", FIXED)], false;
    "memory", "reads the memory or the load of the machine",
        Asked::Functions(&["sysinfo", "getloadavg", "get_phys_pages", "get_avphys_pages", "sysconf"]),
        &[("memory", FIXED)], false;
    "host", "reads the name of the host",
        Asked::Functions(&["uname", "gethostname", "getdomainname"]), &[("host", FIXED)], false;
    LIMITS, "reads limits of the shell",
        Asked::Functions(&["getrlimit", "prlimit", "umask", "getpriority", "nice", "isatty", "ioctl", "sysconf"]),
        &[("terminal", Fixed::IsNot("yes"))], false;
    "user", "reads ids of the user or the groups",
        Asked::Functions(&["getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups",
            "getauxval"]),
        &[("local user", NEVER_VARIES)], false;
    "working-directory", "reads the path of the working directory",
        Asked::Functions(&["getcwd", "get_current_dir_name", "getwd"]),
        &[("local length of the working directory's path", NEVER_VARIES)], false;
    LOADER_LIBRARIES, "reads the list of the loader's libraries", Asked::Recorded, &[(LOADER_CACHE, NEVER_VARIES)], false;
    "clock", "reads the clock of the system",
        Asked::Functions(&["clock_gettime", "gettimeofday", "time", "timespec_get", "ftime", "clock", "times",
            "getrusage"]),
        &[("clock", Fixed::Is("virtual"))], false;
    "timers", "reads timers or the state of the system's clock",
        Asked::Functions(&["alarm", "ualarm", "getitimer", "setitimer", "timer_gettime", "timer_settime",
            "timerfd_gettime", "timerfd_settime", "adjtimex", "clock_adjtime", "ntp_adjtime", "ntp_gettime",
            "ntp_gettimex"]), &[], false;
    "random-numbers", "reads random numbers of the system", Asked::EveryProgram, &[("seed", Fixed::IsNot("random"))], false;
    "addresses", "runs at random addresses", Asked::EveryProgram, &[("address randomization", Fixed::IsNot("yes"))], false;
    THREAD_ORDER, "has threads in an order of the kernel",
        Asked::Functions(&["pthread_create", "thrd_create", "clone", "clone3"]), &[("CPUs", Fixed::IsNot("native"))], false;
    TIMED_WAITS, "waits for a time next to other threads",
        Asked::Functions(&["pthread_cond_timedwait", "pthread_cond_clockwait", "sem_timedwait", "sem_clockwait",
            "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_timedjoin_np", "pthread_clockjoin_np",
            "nanosleep", "clock_nanosleep", "usleep", "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait",
            "sigtimedwait"]), &[], false;
    "processes", "takes turns with other processes",
        Asked::Functions(&["fork", "vfork", "posix_spawn", "posix_spawnp", "wait", "waitpid", "wait4", "waitid",
            "popen", "system"]), &[], true;
    "other-data", "finds other data than before, such as files that its setup reads or left behind",
        Asked::Functions(&[]), &[], false;
    "other-order", "finds other data than before, or has threads that ran in another order", Asked::Functions(&[]), &[], false;
    "moved-addresses", "has other addresses than before", Asked::Functions(&[]), &[], false;
];

/// Start of the names of parts of the environment that are limits of the shell, and names of other
/// inherited parts.
const LIMIT: &str = "limit of ";
const HANDED_DOWN: [&str; 3] = ["file mode mask", "ignored signals", "terminal"];

impl MachineValue {
    /// Returns `true` if this part of the environment says what the value is.
    fn is_in(&self, part: &str) -> bool {
        let is_of_shell = part.starts_with(LIMIT) || HANDED_DOWN.contains(&part);
        match self.fixed.first() {
            Some(_) if self.name == LIMITS => is_of_shell,
            Some((name, _)) => *name == part,
            None => false,
        }
    }
}

/// Returns the value with this name.
fn find(name: &str) -> Option<&'static MachineValue> {
    VALUES.iter().find(|value| value.name == name)
}

/// Returns the addresses of code and data, which other code moves.
pub(crate) fn moved_addresses() -> Option<&'static MachineValue> {
    find("moved-addresses")
}

/// Returns the data that a benchmark finds when it starts, which its setup makes. The order of its threads can be the reason as
/// well.
pub(crate) fn other_data(has_threads: bool) -> Option<&'static MachineValue> {
    find(if has_threads { "other-order" } else { "other-data" })
}

/// Returns the values with these names, and values that every program depends on, unless runs with
/// this environment fix them.
#[must_use]
pub fn machine_values<'a>(
    asked: impl Iterator<Item = &'a str>,
    environment: &Environment,
) -> Vec<&'static MachineValue> {
    let asked: Vec<_> = asked.collect();
    let is_native = |value: &MachineValue| {
        let is_passed = |(name, fixed): &(&str, Fixed)| {
            environment.get(*name).is_some_and(|value| match fixed {
                Fixed::Is(fixed) => value != fixed,
                Fixed::IsNot(native) => value == native,
            })
        };
        value.fixed.is_empty() || value.fixed.iter().any(is_passed)
    };
    let has_threads = asked.contains(&THREAD_ORDER);
    let is_asked = |value: &MachineValue| {
        let is_asked = value.asked == Asked::EveryProgram || asked.contains(&value.name);
        is_asked && (value.name != TIMED_WAITS || has_threads)
    };
    VALUES.iter().filter(|value| is_asked(value) && is_native(value)).collect()
}

/// Returns the values with these names whose parts of the environment changed; `None` if a part changed that is not one of these
/// values. Unless a part changed on which every program depends, these are next to the values that no run fixes.
#[must_use]
pub fn changed_values<'a>(
    asked: impl Iterator<Item = &'a str>,
    changed: &[&str],
    environment: &Environment,
) -> Option<Vec<&'static MachineValue>> {
    let is_known = |part: &&str| VALUES.iter().any(|value| value.is_in(part));
    if !changed.iter().all(is_known) {
        return None;
    }
    let asked: Vec<_> = asked.collect();
    let has_changed = |value: &MachineValue| has_changed(value, changed);
    let decides_alone =
        |value: &MachineValue| value.asked == Asked::EveryProgram || value.name == THREAD_ORDER;
    let is_alone = VALUES.iter().any(|value| decides_alone(value) && has_changed(value));
    let varying =
        if is_alone { Vec::new() } else { machine_values(asked.iter().copied(), environment) };
    let is_asked =
        |value: &MachineValue| value.asked == Asked::Recorded || asked.contains(&value.name);
    let is_named =
        |value: &&MachineValue| has_changed(value) && is_asked(value) || varying.contains(value);
    Some(VALUES.iter().filter(is_named).collect())
}

/// Returns `true` if one of these parts of the environment says what the value is.
pub(crate) fn has_changed(value: &MachineValue, changed: &[&str]) -> bool {
    changed.iter().any(|part| value.is_in(part))
}

/// Returns `true` for the list of the loader's libraries, which is a part of the environment like others if it is the only reason.
pub(crate) fn is_of_loader(value: &MachineValue) -> bool {
    value.name == LOADER_LIBRARIES
}

/// Returns what a benchmark does with these values: `reads a and b, and runs at random addresses`.
#[must_use]
pub fn in_words(values: &[&MachineValue]) -> String {
    let read: Vec<_> = values.iter().filter_map(|value| value.text.strip_prefix(READS)).collect();
    let others = values.iter().map(|value| value.text).filter(|text| !text.starts_with(READS));
    let read = (!read.is_empty()).then(|| format!("{READS}{}", joined(&read, " and ")));
    let parts: Vec<_> = read.as_deref().into_iter().chain(others).collect();
    let is_list = parts.len() > 1 && parts.iter().any(|part| part.contains(" and "));
    joined(&parts, if is_list { ", and " } else { " and " })
}

/// Joins texts with commas, and the last one with this word.
fn joined(texts: &[&str], last_word: &str) -> String {
    match texts {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{}{last_word}{last}", first.join(", ")),
    }
}

/// The values by the functions that ask for them, several for some functions.
pub(crate) struct AskingFunctions(HashMap<&'static str, Vec<&'static str>, FnvBuildHasher>);

impl Default for AskingFunctions {
    fn default() -> Self {
        let mut functions: HashMap<_, Vec<_>, _> = HashMap::default();
        for value in &VALUES {
            let Asked::Functions(names) = value.asked else { continue };
            for name in names {
                functions.entry(*name).or_default().push(value.name);
            }
        }
        Self(functions)
    }
}

impl AskingFunctions {
    /// Returns the names of the values that a function or a system call with this name asks for.
    pub(crate) fn values(&self, name: &str) -> &[&'static str] {
        // Go's functions for system calls are `syscall.Statfs` and `golang.org/x/sys/unix.Statfs`
        let of_go = name.strip_prefix("syscall.").or(name.strip_prefix("golang.org/x/sys/unix."));
        let found = match of_go {
            Some(name) => self.0.get(&*name.to_ascii_lowercase()),
            None => self.0.get(plain(name)),
        };
        found.map_or(&[], Vec::as_slice)
    }
}

/// Returns the name of a function of the C library without what distinguishes its variants: `__statfs64@@GLIBC_2.2.5`.
fn plain(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    let name = name.trim_start_matches('_');
    let name = name.strip_prefix("GI_").unwrap_or(name).trim_start_matches('_');
    name.strip_suffix("64").unwrap_or(name)
}

/// Returns true for functions that ask for the metadata of a file.
pub(crate) fn is_file_metadata(name: &str) -> bool {
    name == "file-metadata"
}

/// Returns true for a function of the standard library that asks for metadata on behalf of its callers.
pub(crate) fn passes_metadata_on(function: &str) -> bool {
    ["try_statx", "::file_attr"].iter().any(|end| function.ends_with(end))
}

/// Returns true for a function of the standard library that asks for a file's metadata only because
/// of its size, before it reads the file.
pub(crate) fn needs_size_only(function: &str) -> bool {
    const READERS: [&str; 4] = [
        "std::fs::read::inner",
        "std::fs::read_to_string::inner",
        "std::fs::buffer_capacity_required",
        "std::fs::File as std::io::Read>::read_to_",
    ];
    READERS.iter().any(|reader| function.contains(reader))
}

#[cfg(test)]
mod tests;
