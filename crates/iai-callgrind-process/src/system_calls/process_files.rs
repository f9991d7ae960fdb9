//! The contents of a process's files about itself.
//!
//! Ids and the user are its own, and memory and times are constants: they depend on Valgrind and on the load.

use std::fmt::Write;
use std::fs;

use super::cpu_files::{list, mask};
use super::machine::seen_limit;
use super::machine_files::Files;
use super::request::process_file;
use crate::isolation::NativeValue;
use crate::status::Status;

/// Kibibytes of the process: of its addresses, and in memory.
const SIZE: u64 = 16 << 10;
const RESIDENT: u64 = 8 << 10;

/// Bytes and kibibytes in a page.
const PAGE: u64 = 4;

/// The time at which the process started, in ticks: just now.
const STARTED: u64 = super::machine::UPTIME * 100;

/// Makes the content of a file for a thread, about the thread alone if the second argument is
/// `true`.
pub(super) type Make = fn(libc::pid_t, bool, Files) -> Option<String>;

/// Returns the function that makes a file in the directory of a process, with the name that
/// disables it.
pub(super) fn file(name: &str) -> Option<(NativeValue, Make)> {
    let make: Make = match name {
        "limits" => return Some((NativeValue::Limits, |thread, _, _| Some(limits(thread)))),
        "stat" => statistics,
        "statm" => |_, _, _| Some(format!("{} {} 512 64 0 512 0\n", SIZE / PAGE, RESIDENT / PAGE)),
        "status" => status,
        "schedstat" => |_, _, _| Some("0 0 1\n".to_owned()),
        "io" => |_, _, _| Some(transfers()),
        "smaps_rollup" => |_, _, _| Some(mappings()),
        "maps" => {
            |thread, _, files| is_forked(thread, files).then(|| mapped_files(thread)).flatten()
        }
        _ => return None,
    };
    Some((NativeValue::Memory, make))
}

/// The state of a process in its innermost namespace.
struct Process {
    status: Status,
    name: String,
    group: libc::pid_t,
    id: libc::pid_t,
    thread: libc::pid_t,
    parent: libc::pid_t,
    session: libc::pid_t,
}

impl Process {
    fn read(
        thread: libc::pid_t,
        is_thread: bool,
        hidden_parent: Option<libc::pid_t>,
    ) -> Option<Self> {
        let mut status = Status::read(thread)?;
        let main = status.number("Tgid")?;
        if !is_thread && main != thread {
            status = Status::read(main)?;
        }
        let is_hidden = hidden_parent.is_some() && status.number("PPid") == hidden_parent;
        let parent = if is_hidden { 0 } else { status.inner_parent()? };
        let name = fs::read_to_string(process_file(if is_thread { thread } else { main }, "comm"));
        Some(Self {
            name: name.ok()?.trim_end_matches('\n').to_owned(),
            group: status.inner("NSpgid")?,
            id: status.inner("NStgid")?,
            thread: status.inner("NSpid")?,
            parent,
            session: status.inner("NSsid")?,
            status,
        })
    }

    /// Returns a line of the kernel's file.
    fn value(&self, name: &str) -> &str {
        self.status.value(name).unwrap_or_default()
    }
}

/// Returns `/proc/self/stat`.
fn statistics(thread: libc::pid_t, is_thread: bool, files: Files) -> Option<String> {
    let process = Process::read(thread, is_thread, files.hidden_parent())?;
    let Process { name, group, thread, parent, session, .. } = &process;
    let threads = process.value("Threads");
    let (size, resident) = (SIZE * 1024, RESIDENT / PAGE);
    Some(format!(
        "{thread} ({name}) R {parent} {group} {session} 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 {threads} 0 {STARTED} {size} \
         {resident} {} 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        u64::MAX
    ))
}

/// Returns `/proc/self/status`.
fn status(thread: libc::pid_t, is_thread: bool, files: Files) -> Option<String> {
    let process = Process::read(thread, is_thread, files.hidden_parent())?;
    let Process { name, group, id, thread, parent, session, .. } = &process;
    let mut text =
        format!("Name:\t{name}\nUmask:\t{}\nState:\tR (running)\n", process.value("Umask"));
    for (name, value) in [("Tgid", *id), ("Ngid", 0), ("Pid", *thread), ("PPid", *parent)] {
        let _ = writeln!(text, "{name}:\t{value}");
    }
    let _ = write!(
        text,
        "TracerPid:\t0\nUid:\t{}\nGid:\t{}\nFDSize:\t64\nGroups:\t{} \n",
        process.value("Uid"),
        process.value("Gid"),
        process.value("Groups")
    );
    for (name, value) in [("NStgid", id), ("NSpid", thread), ("NSpgid", group), ("NSsid", session)]
    {
        let _ = writeln!(text, "{name}:\t{value}");
    }
    for (name, kib) in [
        ("VmPeak", SIZE),
        ("VmSize", SIZE),
        ("VmLck", 0),
        ("VmPin", 0),
        ("VmHWM", RESIDENT),
        ("VmRSS", RESIDENT),
        ("RssAnon", RESIDENT / 2),
        ("RssFile", RESIDENT / 2),
        ("RssShmem", 0),
        ("VmData", RESIDENT / 2),
        ("VmStk", 132),
        ("VmExe", 256),
        ("VmLib", 2048),
        ("VmPTE", 64),
        ("VmSwap", 0),
        ("HugetlbPages", 0),
    ] {
        let _ = writeln!(text, "{name}:\t{kib:>8} kB");
    }
    let _ = write!(
        text,
        "CoreDumping:\t0\nTHP_enabled:\t1\nThreads:\t{}\nSigQ:\t0/63000\n",
        process.value("Threads")
    );
    for name in ["SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt"] {
        let _ = writeln!(text, "{name}:\t{:016x}", 0);
    }
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        let _ = writeln!(text, "{name}:\t{}", process.value(name));
    }
    let cpus = files.usable_cpus;
    let _ = write!(
        text,
        "NoNewPrivs:\t0\nSeccomp:\t0\nSpeculation_Store_Bypass:\tvulnerable\nCpus_allowed:\t{}\nCpus_allowed_list:\t{}\n\
         Mems_allowed:\t1\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n",
        mask(cpus),
        list(cpus)
    );
    Some(text)
}

/// Returns `/proc/self/io`.
fn transfers() -> String {
    let names =
        ["rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"];
    names.map(|name| format!("{name}: 0\n")).concat()
}

/// Returns `/proc/self/smaps_rollup`.
fn mappings() -> String {
    let mut text = format!("{:<73}[rollup]\n", "00400000-1fff001000 ---p 00000000 00:00 0");
    for (name, kib) in [
        ("Rss", RESIDENT),
        ("Pss", RESIDENT),
        ("Shared_Clean", 0),
        ("Shared_Dirty", 0),
        ("Private_Clean", RESIDENT / 2),
        ("Private_Dirty", RESIDENT / 2),
        ("Referenced", RESIDENT),
        ("Anonymous", RESIDENT / 2),
        ("Swap", 0),
        ("SwapPss", 0),
        ("Locked", 0),
    ] {
        let _ = writeln!(text, "{:<16}{kib:>8} kB", format!("{name}:"));
    }
    text
}

/// Returns `true` for a function in a process that its server forked. The C library of the server
/// reads the list before `main`. With a file in memory, it would have a buffer of another size,
/// which would move the heap.
fn is_forked(thread: libc::pid_t, files: Files) -> bool {
    !files.is_command && files.first != Some(thread)
}

/// Returns `/proc/self/maps` without devices and inodes, which change when an executable is built
/// or copied again. Commands have the list in another order, see [`super::mappings`].
fn mapped_files(thread: libc::pid_t) -> Option<String> {
    let list = fs::read_to_string(process_file(thread, "maps")).ok()?;
    list.lines().map(without_inode).collect()
}

/// Returns a line of a list of mappings with zeros in place of the device and the inode.
fn without_inode(line: &str) -> Option<String> {
    let mut parts = line.splitn(6, ' ');
    let [range, access, offset, _, _] = [(); 5].map(|()| parts.next());
    let start = format!("{} {} {} 00:00 0", range?, access?, offset?);
    Some(match parts.next()?.trim_start() {
        "" => format!("{start} \n"),
        path => format!("{start:<72} {path}\n"),
    })
}

/// Returns `/proc/self/limits` with the limits that system calls return. Valgrind answers for two of them itself.
fn limits(thread: libc::pid_t) -> String {
    let mut text =
        format!("{:<25} {:<20} {:<20} {:<10}\n", "Limit", "Soft Limit", "Hard Limit", "Units");
    for (name, resource, unit) in [
        ("cpu time", libc::RLIMIT_CPU, "seconds"),
        ("file size", libc::RLIMIT_FSIZE, "bytes"),
        ("data size", libc::RLIMIT_DATA, "bytes"),
        ("stack size", libc::RLIMIT_STACK, "bytes"),
        ("core file size", libc::RLIMIT_CORE, "bytes"),
        ("resident set", libc::RLIMIT_RSS, "bytes"),
        ("processes", libc::RLIMIT_NPROC, "processes"),
        ("open files", libc::RLIMIT_NOFILE, "files"),
        ("locked memory", libc::RLIMIT_MEMLOCK, "bytes"),
        ("address space", libc::RLIMIT_AS, "bytes"),
        ("file locks", libc::RLIMIT_LOCKS, "locks"),
        ("pending signals", libc::RLIMIT_SIGPENDING, "signals"),
        ("msgqueue size", libc::RLIMIT_MSGQUEUE, "bytes"),
        ("nice priority", libc::RLIMIT_NICE, ""),
        ("realtime priority", libc::RLIMIT_RTPRIO, ""),
        ("realtime timeout", libc::RLIMIT_RTTIME, "us"),
    ] {
        let limit = if resource == libc::RLIMIT_NOFILE {
            Some(libc::rlimit { rlim_cur: 1012, rlim_max: 1012 })
        } else {
            seen_limit(thread, resource as _)
        };
        let number = |value| match value {
            None | Some(libc::RLIM_INFINITY) => "unlimited".to_owned(),
            Some(number) => number.to_string(),
        };
        let soft = number(limit.map(|limit| limit.rlim_cur));
        let hard = number(limit.map(|limit| limit.rlim_max));
        let _ = writeln!(text, "{:<25} {soft:<20} {hard:<20} {unit:<10}", format!("Max {name}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_keep_their_columns_without_inodes() {
        let path =
            "00108000-0011c000 r--p 00000000 fe:00 9978107                            /tmp/a  b";
        assert_eq!(
            without_inode(path).unwrap(),
            path.replace("fe:00 9978107", "00:00 0      ") + "\n"
        );
        for kept in [
            "1ffeffe000-1fff001000 rw-p 00000000 00:00 0 ",
            "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
        ] {
            assert_eq!(without_inode(kept).unwrap(), format!("{kept}\n"));
        }
        assert_eq!(without_inode("1ffeffe000-1fff001000 rw-p"), None);
    }
}
