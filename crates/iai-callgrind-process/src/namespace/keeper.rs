//! The first process of a namespace.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use rustix::process::{Signal, WaitOptions, set_parent_process_death_signal, wait};

use super::{FIRST_ID, show_processes};

/// All processes of the namespace but this one.
const OTHERS: libc::pid_t = -1;

/// Id of the last started process (`proc(5)`), from which the kernel continues.
const LAST_ID: &str = "/proc/sys/kernel/ns_last_pid";

/// Clears the namespace each time that the runner asks for it, until the runner closes the connection.
pub(super) fn keep(mut connection: UnixStream) -> ! {
    // It ends with the founder, which ends with the runner
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let mut serve = || {
        // Some containers allow the namespace, but do not allow mounting its `/proc`
        if show_processes().is_err() {
            return;
        }
        while connection.read_exact(&mut [0]).is_ok() {
            clear();
            let is_set = fs::write(LAST_ID, (FIRST_ID - 1).to_string()).is_ok();
            if !is_set || connection.write_all(&[0]).is_err() {
                break;
            }
        }
    };
    serve();
    // SAFETY: always allowed.
    unsafe { libc::_exit(0) }
}

/// Kills all other processes of the namespace. Their ids are free afterwards.
fn clear() {
    // SAFETY: a system call without pointers. This process is the first one of its namespace.
    unsafe { libc::kill(OTHERS, libc::SIGKILL) };
    while matches!(wait(WaitOptions::empty()), Ok(_) | Err(rustix::io::Errno::INTR)) {}
}
