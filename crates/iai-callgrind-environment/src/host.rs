//! Values of the host that benchmarks see, because they are passed through or can't be fixed.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use iai_callgrind_process::{Isolation, NativeValue};
use iai_callgrind_tools::fingerprint::Fingerprint;
use iai_callgrind_tools::valgrind::inherited::{self, MASK, limits, seen_files};
use rustix::process::{Resource, Rlimit, getegid, geteuid, getgroups, getrlimit};
use rustix::system::uname;

/// The value of those that are the same on each machine.
const FIXED: &str = "fixed";

/// The value of those that are not.
const SYSTEM: &str = "system";

/// Limits that are the user's: lower ones are there on purpose.
const LIMITS: [(&str, Resource); 4] = [
    ("CPU time", Resource::Cpu),
    ("data", Resource::Data),
    ("file sizes", Resource::Fsize),
    ("memory", Resource::As),
];

/// Adds the values of this host that benchmarks see which start in this directory. Those that system calls return are the system's if
/// these can't be stopped.
pub(super) fn add_values(
    fingerprint: &mut Fingerprint,
    isolation: Isolation,
    can_stop: bool,
    directory: &Path,
) {
    let other = if can_stop { FIXED } else { SYSTEM };
    let host = isolation.is_native(NativeValue::Host).then(host_name);
    fingerprint.insert("host", host.unwrap_or(other.to_owned()));
    let memory = isolation.is_native(NativeValue::Memory).then(memory);
    fingerprint.insert("memory", memory.unwrap_or(other.to_owned()));
    fingerprint.insert_local("user", user());
    let length = directory.as_os_str().as_bytes().len();
    fingerprint.insert_local("length of the working directory's path", length.to_string());
    add_inherited(fingerprint, isolation.is_native(NativeValue::Limits), can_stop);
}

/// Adds what benchmarks inherit from the shell that starts the run.
fn add_inherited(fingerprint: &mut Fingerprint, is_native: bool, can_stop: bool) {
    for limit in limits() {
        let value = match is_native {
            true => getrlimit(limit.resource),
            false if can_stop && limit.is_answered() => limit.fixed,
            false => limit.at_start(),
        };
        let value = match limit.resource {
            Resource::Nofile => number(seen_files(value)),
            _ => limit_text(value),
        };
        fingerprint.insert(&format!("limit of {}", limit.name), value);
    }
    for (name, resource) in LIMITS {
        fingerprint.insert(&format!("limit of {name}"), limit_text(getrlimit(resource)));
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let mask = if is_native { field("Umask:").map(str::to_owned) } else { None };
    fingerprint.insert("file mode mask", mask.unwrap_or_else(|| format!("{MASK:04o}")));
    let ignored = field("SigIgn:").filter(|_| is_native);
    fingerprint.insert("ignored signals", ignored.map_or("none".to_owned(), ignored_signals));
    let has_terminal = is_native && inherited::has_terminal();
    fingerprint.insert("terminal", if has_terminal { "yes" } else { "no" });
}

/// Returns the numbers of the signals in this set, which is in hexadecimal. The standard library sets the one of pipes back.
fn ignored_signals(set: &str) -> String {
    let set = u64::from_str_radix(set, 16).unwrap_or(0);
    let is_ignored = |signal: &i32| set >> (signal - 1) & 1 == 1 && *signal != libc::SIGPIPE;
    let signals: Vec<_> = (1..=64).filter(is_ignored).map(|signal| signal.to_string()).collect();
    if signals.is_empty() { "none".to_owned() } else { signals.join(" ") }
}

/// Returns a limit as text, with the value up to which programs can raise it.
fn limit_text(limit: Rlimit) -> String {
    let Rlimit { current, maximum } = limit;
    let text = number(current);
    if current == maximum { text } else { format!("{text} of {}", number(maximum)) }
}

fn number(limit: Option<u64>) -> String {
    limit.map_or("unlimited".to_owned(), |limit| limit.to_string())
}

/// Returns the names of the host and of its kernel.
fn host_name() -> String {
    let system = uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    format!("{}, Linux {}", text(system.nodename()), text(system.release()))
}

/// Returns the memory of the machine, if known.
fn memory() -> String {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        let unit = u64::from(info.mem_unit.max(1));
        format!("{} KiB", (info.totalram as u64).saturating_mul(unit) / 1024)
    }
    #[cfg(not(target_os = "linux"))]
    SYSTEM.to_owned()
}

/// Returns the ids of the user and of the groups.
fn user() -> String {
    let groups = getgroups().unwrap_or_default().into_iter();
    let groups: Vec<_> = groups.map(|group| group.as_raw().to_string()).collect();
    format!("{} in {} {}", geteuid().as_raw(), getegid().as_raw(), groups.join(" "))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_host_are_named_that_are_passed_through() {
        let (mut fixed, mut native) = (Fingerprint::default(), Fingerprint::default());
        add_values(&mut fixed, Isolation::default(), true, Path::new("/p"));
        let isolation = Isolation::default();
        let passed = [NativeValue::Host, NativeValue::Limits, NativeValue::Memory];
        let isolation = passed.into_iter().fold(isolation, Isolation::with_native);
        add_values(&mut native, isolation, true, Path::new("/p"));
        assert_eq!(fixed.changes_since(&fixed.clone()).count(), 0);
        let changes: Vec<_> = native.changes_since(&fixed).map(|change| change.name).collect();
        assert!(changes.starts_with(&["host".to_owned()]), "{changes:?}");
        assert!(changes.contains(&"memory".to_owned()), "{changes:?}");
    }

    #[test]
    fn values_that_no_system_call_fixes_are_those_of_the_system() {
        let [fixed, system] = [true, false].map(|can_stop| {
            let mut fingerprint = Fingerprint::default();
            add_values(&mut fingerprint, Isolation::default(), can_stop, Path::new("/p"));
            fingerprint
        });
        let changes: Vec<_> = system.changes_since(&fixed).map(|change| change.name).collect();
        assert_eq!(changes, ["host", "memory"]);
    }

    #[test]
    fn signals_have_numbers() {
        assert_eq!(ignored_signals("0000000000001001"), "1");
        assert_eq!(ignored_signals("8000000000000003"), "1 2 64");
        assert_eq!(ignored_signals("0"), "none");
    }
}
