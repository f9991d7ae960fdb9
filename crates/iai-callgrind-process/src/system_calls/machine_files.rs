//! Contents of the files that describe the machine.
//!
//! They fit the values of [`super::machine`]. Control groups are absent, as on a machine without
//! limits for a group.

use std::fmt::Write;

use super::machine::{
    AVAILABLE, BUFFERS, DOMAIN, FREE, HOST, RELEASE, SHARED, TOTAL, UPTIME, VERSION,
};
use super::process_files;
use crate::isolation::{Isolation, NativeValue};

/// The files that are fixed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    pub(super) isolation: Isolation,
    /// Number of CPUs that the process may use.
    pub(super) usable_cpus: u16,
    /// Hundredths of a second since the start of the machine.
    pub(super) uptime: u64,
    pub(super) is_command: bool,
    /// The main thread of the first program.
    pub(super) first: Option<libc::pid_t>,
}

impl Files {
    /// Returns the process whose id its children do not see: the harness hides the server from the functions that it forks.
    pub(super) fn hidden_parent(&self) -> Option<libc::pid_t> {
        let hides = !self.is_command && !self.isolation.is_native(NativeValue::Ids);
        self.first.filter(|_| hides)
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// There is no such file.
    Absent,
    Text(String),
    /// Random numbers without an end.
    Random,
    /// A random id in each file.
    Uuid,
}

/// Kibibytes in the page cache, and of pages that were used lately.
const CACHED: u64 = 4 << 20;
const ACTIVE: u64 = 2 << 20;
const INACTIVE: u64 = 3 << 20;

/// Pages of 4 KiB in a kibibyte's unit.
const KIB_PER_PAGE: u64 = 4;

/// Clock ticks in a second.
const TICKS: u64 = 100;

/// Date at which the machine started: [`UPTIME`] before the virtual clock's start.
const BOOT: u64 = 1_893_456_000 - UPTIME;

/// Number of the last process, and of processes since the start.
const PROCESSES: u64 = 1_000;

const FORBIDDEN_GROUPS: &str = "/sys/fs/cgroup/";

/// The files whose content is a constant.
const CONSTANTS: &[(NativeValue, &str, &str)] = &[
    (NativeValue::Cpus, "/sys/devices/system/cpu/offline", "\n"),
    (NativeValue::Cpus, "/sys/devices/system/cpu/isolated", "\n"),
    (NativeValue::Cpus, "/sys/devices/system/cpu/kernel_max", "511\n"),
    (NativeValue::Cpus, "/sys/devices/system/cpu/cpu0/microcode/version", "0x1\n"),
    (NativeValue::Cpus, "/sys/devices/system/node/online", "0\n"),
    (NativeValue::Cpus, "/sys/devices/system/node/possible", "0\n"),
    (NativeValue::Cpus, "/sys/devices/system/node/has_cpu", "0\n"),
    (NativeValue::Cpus, "/sys/devices/system/node/has_memory", "0\n"),
    (NativeValue::Host, "/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/vda1 ro quiet\n"),
    (NativeValue::Host, "/proc/devices", DEVICES),
    (NativeValue::Host, "/proc/filesystems", FILE_SYSTEMS),
    (NativeValue::Host, "/proc/modules", ""),
    (NativeValue::Host, "/proc/partitions", PARTITIONS),
    (NativeValue::Host, "/proc/sys/kernel/cap_last_cap", "40\n"),
    (NativeValue::Host, "/proc/sys/kernel/core_pattern", "core\n"),
    (NativeValue::Host, "/proc/sys/kernel/ngroups_max", "65536\n"),
    (NativeValue::Host, "/proc/sys/kernel/ostype", "Linux\n"),
    (NativeValue::Host, "/proc/sys/kernel/pid_max", "4194304\n"),
    (NativeValue::Host, "/proc/sys/kernel/randomize_va_space", "2\n"),
    (NativeValue::Host, "/proc/sys/kernel/tainted", "0\n"),
    (NativeValue::Host, "/proc/sys/kernel/threads-max", "126000\n"),
    (NativeValue::Host, "/proc/sys/net/core/rmem_default", "212992\n"),
    (NativeValue::Host, "/proc/sys/net/core/rmem_max", "212992\n"),
    (NativeValue::Host, "/proc/sys/net/core/somaxconn", "4096\n"),
    (NativeValue::Host, "/proc/sys/net/core/wmem_default", "212992\n"),
    (NativeValue::Host, "/proc/sys/net/core/wmem_max", "212992\n"),
    (NativeValue::Host, "/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
    (NativeValue::Host, "/proc/self/loginuid", "4294967295"),
    (NativeValue::Host, "/proc/self/sessionid", "4294967295"),
    (NativeValue::Host, "/proc/self/mountinfo", MOUNT_INFORMATION),
    (NativeValue::Host, "/proc/self/mounts", MOUNTS),
    (NativeValue::Host, "/proc/mounts", MOUNTS),
    (NativeValue::Limits, "/proc/self/oom_score_adj", "0\n"),
    (NativeValue::Limits, "/proc/self/coredump_filter", "00000033\n"),
    (NativeValue::Memory, "/proc/buddyinfo", FREE_BLOCKS),
    (NativeValue::Memory, "/proc/loadavg", "0.00 0.00 0.00 1/1 1000\n"),
    (NativeValue::Memory, "/proc/locks", ""),
    (NativeValue::Memory, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"),
    (NativeValue::Memory, "/proc/diskstats", ""),
    (NativeValue::Memory, "/proc/self/oom_score", "0\n"),
    (NativeValue::Memory, "/proc/self/cpuset", "/\n"),
    (NativeValue::Memory, "/proc/sys/fs/file-max", "1000000\n"),
    (NativeValue::Memory, "/proc/sys/fs/nr_open", "1048576\n"),
    (NativeValue::Memory, "/proc/sys/fs/file-nr", "1024\t0\t1000000\n"),
    (NativeValue::Memory, "/proc/sys/fs/inode-nr", "65536\t0\n"),
    (NativeValue::Memory, "/proc/sys/fs/inode-state", "65536\t0\t0\t0\t0\t0\t0\n"),
    (NativeValue::Memory, "/proc/sys/fs/dentry-state", "65536\t32768\t45\t0\t8192\t0\n"),
    (NativeValue::Memory, "/proc/sys/fs/aio-max-nr", "65536\n"),
    (NativeValue::Memory, "/proc/sys/fs/aio-nr", "0\n"),
    (NativeValue::Memory, "/proc/sys/fs/inotify/max_queued_events", "16384\n"),
    (NativeValue::Memory, "/proc/sys/fs/inotify/max_user_instances", "128\n"),
    (NativeValue::Memory, "/proc/sys/fs/inotify/max_user_watches", "65536\n"),
    (NativeValue::Memory, "/proc/sys/fs/pipe-max-size", "1048576\n"),
    (NativeValue::Memory, "/proc/sys/fs/pipe-user-pages-soft", "16384\n"),
    (NativeValue::Memory, "/proc/sys/kernel/msgmax", "8192\n"),
    (NativeValue::Memory, "/proc/sys/kernel/msgmnb", "16384\n"),
    (NativeValue::Memory, "/proc/sys/kernel/msgmni", "32000\n"),
    (NativeValue::Memory, "/proc/sys/kernel/sem", "32000\t1024000000\t500\t32000\n"),
    (NativeValue::Memory, "/proc/sys/kernel/shmall", "18446744073692774399\n"),
    (NativeValue::Memory, "/proc/sys/kernel/shmmax", "18446744073692774399\n"),
    (NativeValue::Memory, "/proc/sys/kernel/shmmni", "4096\n"),
    (NativeValue::Memory, "/proc/sys/vm/overcommit_memory", "0\n"),
    (NativeValue::Memory, "/proc/sys/vm/overcommit_ratio", "50\n"),
    (NativeValue::Memory, "/proc/sys/vm/overcommit_kbytes", "0\n"),
    (NativeValue::Memory, "/proc/sys/vm/max_map_count", "65530\n"),
    (NativeValue::Memory, "/proc/sys/vm/min_free_kbytes", "65536\n"),
    (NativeValue::Memory, "/proc/sys/vm/nr_hugepages", "0\n"),
    (NativeValue::Memory, "/proc/sys/vm/swappiness", "60\n"),
    (
        NativeValue::Memory,
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "always [madvise] never\n",
    ),
    (NativeValue::Memory, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n"),
    (NativeValue::Random, "/proc/sys/kernel/random/entropy_avail", "256\n"),
    (NativeValue::Random, "/proc/sys/kernel/random/poolsize", "256\n"),
    (
        NativeValue::Random,
        "/proc/sys/kernel/random/boot_id",
        "6f1ae7c4-53b0-4b0e-9d1c-7f5d2a90c3e8\n",
    ),
];

/// Files that are absent: they contain the machine's history, or few kernels have them.
const ABSENT: &[(NativeValue, &str)] = &[
    (NativeValue::Memory, "/proc/cgroups"),
    (NativeValue::Memory, "/proc/self/cgroup"),
    (NativeValue::Memory, "/proc/pressure/cpu"),
    (NativeValue::Memory, "/proc/pressure/io"),
    (NativeValue::Memory, "/proc/pressure/irq"),
    (NativeValue::Memory, "/proc/pressure/memory"),
];

/// The kernel has these without a module. `ls`, `cp` and `mkdir` read all lines: they look for that of access control.
const FILE_SYSTEMS: &str = "\
nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tcgroup\nnodev\tcgroup2\nnodev\tdevtmpfs\nnodev\tsockfs\n\
nodev\tpipefs\nnodev\tramfs\nnodev\tdevpts\n\text3\n\text2\n\text4\n";

const DEVICES: &str = "\
Character devices:\n  1 mem\n  5 /dev/tty\n  5 /dev/console\n  5 /dev/ptmx\n 10 misc\n136 pts\n\n\
Block devices:\n254 virtblk\n";

const PARTITIONS: &str = "\
major minor  #blocks  name\n\n 254        0   67109888 vda\n 254        1   67108864 vda1\n";

/// All free memory is in blocks of 4 MiB.
const FREE_BLOCKS: &str = "\
Node 0, zone   Normal      0      0      0      0      0      0      0      0      0      0   2048 \n";

const MOUNT_INFORMATION: &str = "\
21 26 0:20 / /proc rw,relatime - proc proc rw
22 26 0:21 / /sys rw,relatime - sysfs sysfs rw
23 26 0:5 / /dev rw,relatime - devtmpfs devtmpfs rw,size=8388608k,mode=755
24 23 0:22 / /dev/shm rw,relatime - tmpfs tmpfs rw
26 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
";

const MOUNTS: &str = "\
proc /proc proc rw,relatime 0 0
sysfs /sys sysfs rw,relatime 0 0
devtmpfs /dev devtmpfs rw,relatime,size=8388608k,mode=755 0 0
tmpfs /dev/shm tmpfs rw,relatime 0 0
/dev/vda1 / ext4 rw,relatime 0 0
";

/// Returns the content of the file with a path, in which `self` is the process of a thread; `None`
/// if the kernel's is used.
pub(super) fn content(path: &str, thread: libc::pid_t, files: Files) -> Option<Content> {
    let own = path.strip_prefix("/proc/thread-self/").map(|name| format!("/proc/self/{name}"));
    let path = own.as_deref().unwrap_or(path);
    let is_fixed = |value| !files.isolation.is_native(value);
    if let Some((value, ..)) = ABSENT.iter().find(|(_, absent)| *absent == path) {
        return is_fixed(*value).then_some(Content::Absent);
    }
    if path.starts_with(FORBIDDEN_GROUPS) {
        return is_fixed(NativeValue::Memory).then_some(Content::Absent);
    }
    if let Some((value, _, text)) = CONSTANTS.iter().find(|(_, of, _)| *of == path) {
        return is_fixed(*value).then(|| Content::Text((*text).to_owned()));
    }
    if let Some(name) = path.strip_prefix("/proc/self/") {
        let is_thread = own.is_some();
        let (value, make) = process_files::file(name)?;
        return is_fixed(value)
            .then(|| make(thread, is_thread, files))
            .flatten()
            .map(Content::Text);
    }
    let (value, content) = made(path, files)?;
    is_fixed(value).then_some(content)
}

/// Returns the content of a file that is made.
fn made(path: &str, files: Files) -> Option<(NativeValue, Content)> {
    let cpus = files.isolation.cpus().number();
    let (value, text) = match path {
        "/dev/urandom" | "/dev/random" => return Some((NativeValue::Random, Content::Random)),
        "/proc/sys/kernel/random/uuid" => return Some((NativeValue::Random, Content::Uuid)),
        "/proc/cpuinfo" => (NativeValue::Cpus, super::cpu_files::information(cpus)),
        "/sys/devices/system/cpu/online"
        | "/sys/devices/system/cpu/possible"
        | "/sys/devices/system/cpu/present" => {
            (NativeValue::Cpus, format!("{}\n", super::cpu_files::list(cpus)))
        }
        "/proc/sys/kernel/hostname" => (NativeValue::Host, format!("{HOST}\n")),
        "/proc/sys/kernel/domainname" => (NativeValue::Host, format!("{DOMAIN}\n")),
        "/proc/sys/kernel/osrelease" => (NativeValue::Host, format!("{RELEASE}\n")),
        "/proc/sys/kernel/version" => (NativeValue::Host, format!("{VERSION}\n")),
        "/proc/version" => {
            (NativeValue::Host, format!("Linux version {RELEASE} (root@{HOST}) (gcc) {VERSION}\n"))
        }
        "/proc/meminfo" => (NativeValue::Memory, memory()),
        "/proc/uptime" => {
            let (seconds, rest) = (files.uptime / 100, files.uptime % 100);
            (NativeValue::Memory, format!("{seconds}.{rest:02} {seconds}.{rest:02}\n"))
        }
        "/proc/stat" => (NativeValue::Memory, statistics(cpus.max(1))),
        "/proc/interrupts" => (NativeValue::Memory, none_on_each(cpus.max(1), INTERRUPTS)),
        "/proc/softirqs" => (NativeValue::Memory, none_on_each(cpus.max(1), SOFT_INTERRUPTS)),
        "/proc/vmstat" => (NativeValue::Memory, virtual_memory()),
        _ => return None,
    };
    Some((value, Content::Text(text)))
}

/// Returns `/proc/meminfo`.
fn memory() -> String {
    let mut text = String::new();
    for (name, kib) in [
        ("MemTotal", TOTAL),
        ("MemFree", FREE),
        ("MemAvailable", AVAILABLE),
        ("Buffers", BUFFERS),
        ("Cached", CACHED),
        ("SwapCached", 0),
        ("Active", ACTIVE),
        ("Inactive", INACTIVE),
        ("Active(anon)", ACTIVE / 2),
        ("Inactive(anon)", 0),
        ("Active(file)", ACTIVE / 2),
        ("Inactive(file)", INACTIVE),
        ("Unevictable", 0),
        ("Mlocked", 0),
        ("SwapTotal", 0),
        ("SwapFree", 0),
        ("Dirty", 0),
        ("Writeback", 0),
        ("AnonPages", ACTIVE / 2),
        ("Mapped", BUFFERS),
        ("Shmem", SHARED),
        ("KReclaimable", BUFFERS),
        ("Slab", 2 * BUFFERS),
        ("SReclaimable", BUFFERS),
        ("SUnreclaim", BUFFERS),
        ("KernelStack", SHARED),
        ("PageTables", SHARED),
        ("NFS_Unstable", 0),
        ("Bounce", 0),
        ("WritebackTmp", 0),
        ("CommitLimit", TOTAL / 2),
        ("Committed_AS", ACTIVE),
        ("VmallocTotal", 34_359_738_367),
        ("VmallocUsed", SHARED),
        ("VmallocChunk", 0),
        ("Percpu", SHARED),
        ("HardwareCorrupted", 0),
        ("AnonHugePages", 0),
        ("ShmemHugePages", 0),
        ("ShmemPmdMapped", 0),
        ("FileHugePages", 0),
        ("FilePmdMapped", 0),
    ] {
        let _ = writeln!(text, "{:<16}{kib:>8} kB", format!("{name}:"));
    }
    for name in ["Total", "Free", "Rsvd", "Surp"] {
        let _ = writeln!(text, "{:<16}{:>8}", format!("HugePages_{name}:"), 0);
    }
    text.push_str("Hugepagesize:       2048 kB\nHugetlb:               0 kB\n");
    text
}

/// Returns `/proc/stat`: CPUs that have done nothing.
fn statistics(cpus: u16) -> String {
    let idle = UPTIME * TICKS;
    let mut text = format!("cpu  0 0 0 {} 0 0 0 0 0 0\n", idle * u64::from(cpus));
    for cpu in 0..cpus {
        let _ = writeln!(text, "cpu{cpu} 0 0 0 {idle} 0 0 0 0 0 0");
    }
    let _ = write!(
        text,
        "intr 0\nctxt 0\nbtime {BOOT}\nprocesses {PROCESSES}\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 \
         0 0 0 0\n"
    );
    text
}

/// The names of interrupts that all machines have, and what the kernel says about them.
const INTERRUPTS: &[(&str, &str)] = &[
    ("0", "IO-APIC    2-edge      timer"),
    ("NMI", "Non-maskable interrupts"),
    ("LOC", "Local timer interrupts"),
    ("RES", "Rescheduling interrupts"),
];

const SOFT_INTERRUPTS: &[(&str, &str)] = &[
    ("HI", ""),
    ("TIMER", ""),
    ("NET_TX", ""),
    ("NET_RX", ""),
    ("BLOCK", ""),
    ("IRQ_POLL", ""),
    ("TASKLET", ""),
    ("SCHED", ""),
    ("HRTIMER", ""),
    ("RCU", ""),
];

/// Returns a table of events that have not occurred, with a column for each CPU.
fn none_on_each(cpus: u16, events: &[(&str, &str)]) -> String {
    let mut text = " ".repeat(10);
    for cpu in 0..cpus {
        let _ = write!(text, " {:<10}", format!("CPU{cpu}"));
    }
    for (name, meaning) in events {
        let numbers = format!("{:>11}", 0).repeat(cpus.into());
        let _ = write!(text, "\n{name:>9}:{numbers}");
        if !meaning.is_empty() {
            let _ = write!(text, "   {meaning}");
        }
    }
    text + "\n"
}

/// Returns `/proc/vmstat` with the values that kernels of all versions have.
fn virtual_memory() -> String {
    let pages = |kib: u64| kib / KIB_PER_PAGE;
    let mut text = String::new();
    for (name, value) in [
        ("nr_free_pages", pages(FREE)),
        ("nr_inactive_anon", 0),
        ("nr_active_anon", pages(ACTIVE / 2)),
        ("nr_inactive_file", pages(INACTIVE)),
        ("nr_active_file", pages(ACTIVE / 2)),
        ("nr_unevictable", 0),
        ("nr_mlock", 0),
        ("nr_anon_pages", pages(ACTIVE / 2)),
        ("nr_mapped", pages(BUFFERS)),
        ("nr_file_pages", pages(CACHED + BUFFERS)),
        ("nr_dirty", 0),
        ("nr_writeback", 0),
        ("nr_slab_reclaimable", pages(BUFFERS)),
        ("nr_slab_unreclaimable", pages(BUFFERS)),
        ("nr_page_table_pages", pages(SHARED)),
        ("nr_shmem", pages(SHARED)),
        ("pgpgin", 0),
        ("pgpgout", 0),
        ("pswpin", 0),
        ("pswpout", 0),
        ("pgfault", 0),
        ("pgmajfault", 0),
        ("oom_kill", 0),
    ] {
        let _ = writeln!(text, "{name} {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let (isolation, uptime) = (Isolation::default(), UPTIME * 100 + 7);
        Files { isolation, usable_cpus: 1, uptime, is_command: true, first: None }
    }

    fn text(path: &str) -> String {
        match content(path, std::process::id().try_into().unwrap(), files()) {
            Some(Content::Text(text)) => text,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn files_have_the_format_of_the_kernel() {
        for path in ["/proc/meminfo", "/proc/stat", "/proc/self/status", "/proc/self/limits"] {
            let own = std::fs::read_to_string(path).unwrap();
            let name =
                |line: &str| line.split(|c| [':', ' '].contains(&c)).next().unwrap().to_owned();
            let fixed = text(path);
            let fixed: Vec<_> = fixed.lines().map(name).collect();
            let common: Vec<_> =
                own.lines().map(name).filter(|name| fixed.contains(name)).collect();
            assert!(common.len() >= 6, "{path}: {fixed:?}");
        }
        let numbers = |text: &str| text.split(')').next_back().unwrap().split_whitespace().count();
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert_eq!(numbers(&text("/proc/self/stat")), numbers(&own));
        assert_eq!(text("/proc/thread-self/statm").split(' ').count(), 7);
        assert!(text("/proc/meminfo").starts_with("MemTotal:       16777216 kB\n"));
        assert_eq!(text("/proc/uptime"), "1000000.07 1000000.07\n");
        // Containers hide some of these
        for path in ["/proc/interrupts", "/proc/softirqs", "/proc/partitions", "/proc/buddyinfo"] {
            let first = |text: &str| text.split_whitespace().next().map(ToOwned::to_owned);
            if let Some(own) = std::fs::read_to_string(path).ok().as_deref().and_then(first) {
                assert_eq!(first(&text(path)), Some(own), "{path}");
            }
        }
        let mounts = text("/proc/mounts");
        let systems = text("/proc/filesystems");
        for kind in mounts.lines().map(|line| line.split(' ').nth(2).unwrap()) {
            assert!(systems.lines().any(|line| line.split('\t').nth(1) == Some(kind)), "{kind}");
        }
    }

    #[test]
    fn groups_are_absent_and_other_files_are_the_kernels() {
        let content = |path| content(path, 1, files());
        assert_eq!(content("/proc/self/cgroup"), Some(Content::Absent));
        assert_eq!(content("/sys/fs/cgroup/memory.max"), Some(Content::Absent));
        for path in ["/etc/passwd", "/proc/self/exe", "/proc/self/task/1/stat", "/proc/1/stat"] {
            assert_eq!(content(path), None, "{path}");
        }
    }
}
