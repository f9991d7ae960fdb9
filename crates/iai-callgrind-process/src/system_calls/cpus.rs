//! The CPUs that a process sees.

use std::mem;

use super::machine_files::Files;
use super::request::{Answer, Request};

/// Number of CPUs in a word of a set. The kernel writes whole words.
const WORD: u16 = 64;

/// Answers `sched_getaffinity`. Functions see all CPUs, as by the harness's function of this name. Commands that run on one CPU see
/// the first one, whichever it is.
pub(super) fn affinity(request: &Request<'_>, files: Files) -> Answer {
    let [process, length, address, ..] = request.arguments;
    let is_fixed =
        !files.is_command || request.is_caller(process) && has_single_cpu(request.thread);
    if !is_fixed {
        return Answer::Continue;
    }
    let set = first(files.usable_cpus);
    if length < set.len() as u64 {
        return Answer::Error(libc::EINVAL);
    }
    request.write(address, &set).into()
}

/// Returns the set of this many CPUs.
fn first(cpus: u16) -> Vec<u8> {
    let mut set = vec![0; usize::from(cpus.div_ceil(WORD) * WORD / 8)];
    for cpu in 0..usize::from(cpus) {
        set[cpu / 8] |= 1 << (cpu % 8);
    }
    set
}

/// Returns `true` if a process runs on one CPU.
fn has_single_cpu(process: libc::pid_t) -> bool {
    // SAFETY: a set of zeros is an empty one, and the pointer is valid during the calls.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        let result = libc::sched_getaffinity(process, size_of_val(&set), &raw mut set);
        result == 0 && libc::CPU_COUNT(&set) == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_whole_words() {
        assert_eq!(first(1), [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(first(9), [0xff, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(first(64), [0xff; 8]);
        let set = first(65);
        assert_eq!((set.len(), set[8]), (16, 1));
    }
}
