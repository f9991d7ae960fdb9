//! Waits until the threads that setup has started are idle.
//!
//! The threads of a runtime are still starting when setup returns. How far they get before the measured function
//! starts depends on the machine, and what they do afterwards counts.

use std::arch::asm;
use std::ffi::{CStr, c_int};
use std::sync::atomic::AtomicU64;

use iai_callgrind_plan::protocol::UNSTOPPED;

use super::{clock, kernel, scheduling};

/// Time between two looks at the threads, in nanoseconds. During this time, other threads of the process run.
const PAUSE: i64 = 1_000_000;

/// Number of looks without a change after which the threads are idle.
const QUIET: u32 = 5;

/// Maximum number of looks. A thread that never becomes idle is part of the benchmark.
const LOOKS: u32 = 500;

/// Maximum number of looks in a row that find threads running, or ready to run. One that spins is always.
const BUSY_LOOKS: u32 = 32;

/// Waits until all other threads of this process are idle, for half a second at most. Then starts a time slice, so
/// that the threads, or the processes that the benchmark starts, take turns after the same number of steps in every run.
pub(crate) fn wait_until_idle() {
    if !is_single() {
        wait_for_others();
    }
    start_time_slice();
}

fn wait_for_others() {
    let take_turns = scheduling::has_started_threads() && !scheduling::has_unordered_threads();
    let (mut before, mut quiet, mut busy) = (None, 0, 0);
    for _ in 0..LOOKS {
        let now = if take_turns { Some(switches()) } else { activity() };
        let is_quiet = now.is_some() && now == before;
        (quiet, busy) = if is_quiet { (quiet + 1, 0) } else { (0, busy + 1) };
        if quiet == QUIET || busy == BUSY_LOOKS {
            break;
        }
        before = now;
        if take_turns && !is_quiet {
            // A turn of each thread. In a pause, one that spins would take more steps or fewer from run to run
            // SAFETY: a system call without arguments.
            unsafe { kernel::call(libc::SYS_sched_yield, [0; 6]) };
        } else {
            kernel::sleep(&libc::timespec { tv_sec: 0, tv_nsec: PAUSE });
        }
    }
}

/// Returns a number that changes when another thread has had its turn: how often the kernel has switched to another one.
///
/// Valgrind lets other threads run during each system call that can wait, such as those that open and read files. During
/// this one it does not.
fn switches() -> u64 {
    let [all, own] = [libc::RUSAGE_SELF, libc::RUSAGE_THREAD].map(|who| {
        let usage = clock::usage(who);
        usage.ru_nvcsw.unsigned_abs() + usage.ru_nivcsw.unsigned_abs()
    });
    all.wrapping_sub(own)
}

/// Returns true if this process has a single thread.
#[inline(always)]
fn is_single() -> bool {
    const INVALID: isize = -(libc::EINVAL as isize);
    // SAFETY: a system call without pointers. The kernel allows it, which changes nothing, only to a process with a
    // single thread.
    match unsafe { kernel::call(libc::SYS_unshare, [libc::CLONE_THREAD as usize, 0, 0, 0, 0, 0]) } {
        0 => true,
        INVALID => false,
        // Containers refuse it
        _ => lists_one_thread(),
    }
}

/// Returns true if the kernel lists a single thread. Reads no memory and calls no function, so that the simulated caches stay
/// as they are.
#[inline(always)]
fn lists_one_thread() -> bool {
    /// The size of an entry whose name has at most 12 bytes: there is room for one at a time.
    const SIZE: usize = 32;
    /// An entry that nothing reads, outside of the stack.
    static ENTRY: [AtomicU64; SIZE / 8] = [const { AtomicU64::new(0) }; SIZE / 8];
    let Some(tasks) = File::open(c"/proc/self/task") else { return false };
    let arguments = [tasks.0 as usize, ENTRY.as_ptr() as usize, SIZE, 0, 0, 0];
    // SAFETY: the buffer is as long as the call says, and can change.
    let has_next = || unsafe { kernel::call(libc::SYS_getdents64, arguments) } > 0;
    // The directory itself, the one above, and the thread
    has_next() && has_next() && has_next() && !has_next()
}

/// Starts a time slice of Valgrind's scheduler. After a pause instruction, the current one ends within 300 blocks of
/// code. The first pause can come less than that before its end, the second one can't.
///
/// Accesses no memory, so that the simulated caches stay as they are. Valgrind can unroll loops, but not those with a
/// jump to an address in a register.
#[inline(always)]
fn start_time_slice() {
    // SAFETY: the code changes its own registers.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(
            "mov {pauses:e}, 2",
            "lea {block}, [rip + 3f]",
            "2:",
            "pause",
            "mov {blocks:e}, 400",
            "3:",
            "dec {blocks:e}",
            "jz 4f",
            "jmp {block}",
            "4:",
            "dec {pauses:e}",
            "jnz 2b",
            pauses = out(reg) _,
            blocks = out(reg) _,
            block = out(reg) _,
            options(nomem, nostack)
        );
        // Valgrind takes no other instruction for a pause there, not that of `spin_loop`
        #[cfg(target_arch = "aarch64")]
        asm!(
            "mov {pauses:w}, #2",
            "adr {block}, 3f",
            "2:",
            "yield",
            "mov {blocks:w}, #400",
            "3:",
            "subs {blocks:w}, {blocks:w}, #1",
            "b.eq 4f",
            "br {block}",
            "4:",
            "subs {pauses:w}, {pauses:w}, #1",
            "b.ne 2b",
            pauses = out(reg) _,
            blocks = out(reg) _,
            block = out(reg) _,
            options(nomem, nostack)
        );
    }
}

/// Returns a number that changes when another thread runs; `None` while one is ready to run. Allocates nothing, so
/// that the benchmark finds the same heap however long this takes.
fn activity() -> Option<u64> {
    let mut entries = [0_u8; 4096];
    let mut sum = 0_u64;
    let tasks = File::open(c"/proc/self/task")?;
    // SAFETY: a system call without arguments.
    let own = unsafe { kernel::call(libc::SYS_gettid, [0; 6]) };
    loop {
        let arguments = [tasks.0 as usize, entries.as_mut_ptr() as usize, entries.len(), 0, 0, 0];
        // SAFETY: the buffer is as long as the call says.
        let read = unsafe { kernel::call(libc::SYS_getdents64, arguments) };
        let mut rest = entries.get(..usize::try_from(read).ok()?)?;
        if rest.is_empty() {
            return Some(sum);
        }
        // Each entry: inode and offset with 8 bytes, length with 2, type with 1, then the name
        while let Some(length) = rest.get(16..18) {
            let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
            let name = CStr::from_bytes_until_nul(rest.get(19..length)?).ok()?;
            rest = &rest[length..];
            let Some(thread) = number(name.to_bytes()) else { continue };
            if thread != own.unsigned_abs() as u64 {
                sum = sum.wrapping_add(activity_of(name)?.wrapping_mul(thread | 1));
            }
        }
    }
}

/// Returns the time that a thread has run, with the number of times that it was scheduled; `None` while it is ready
/// to run.
fn activity_of(thread: &CStr) -> Option<u64> {
    let mut buffer = [0; 512];
    let status = read(thread, c"/stat", &mut buffer)?;
    // The state follows the name of the program, which is in parentheses and can contain others
    let name_end = status.iter().rposition(|byte| *byte == b')')?;
    if status.get(name_end + 2) == Some(&b'R') {
        return None;
    }
    let schedule = read(thread, c"/schedstat", &mut buffer)?;
    let mut numbers = schedule.split(u8::is_ascii_whitespace).filter_map(number);
    let (run, _, times) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some(run.wrapping_add(times))
}

/// Returns the nanoseconds that the main thread has waited for a CPU; 0 if the kernel does not count them.
pub(super) fn delay_of_main() -> u64 {
    let mut buffer = [0; 512];
    let schedule = File::open(c"/proc/self/schedstat").and_then(|file| file.read(&mut buffer));
    let mut numbers = schedule.unwrap_or_default().split(u8::is_ascii_whitespace);
    numbers.nth(1).and_then(number).unwrap_or(0)
}

/// Reads a file of a thread.
fn read<'a>(thread: &CStr, name: &CStr, buffer: &'a mut [u8; 512]) -> Option<&'a [u8]> {
    let mut path = [0_u8; 64];
    let parts = [b"/proc/self/task/", thread.to_bytes(), name.to_bytes()];
    let mut end = 0;
    for part in parts {
        path.get_mut(end..end + part.len())?.copy_from_slice(part);
        end += part.len();
    }
    File::open(CStr::from_bytes_until_nul(&path).ok()?)?.read(buffer)
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// An open file or directory.
struct File(c_int);

impl File {
    fn open(path: &CStr) -> Option<Self> {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let (path, flags) = (path.as_ptr() as usize, flags as usize);
        let arguments = [libc::AT_FDCWD as usize, path, flags, UNSTOPPED as usize, 0, 0];
        // SAFETY: the path is valid during the call.
        let file = unsafe { kernel::call(libc::SYS_openat, arguments) };
        if file < 0 { None } else { c_int::try_from(file).ok().map(Self) }
    }

    /// Reads what fits into the buffer.
    fn read(self, buffer: &mut [u8; 512]) -> Option<&[u8]> {
        let arguments = [self.0 as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0];
        // SAFETY: the buffer is as long as the call says.
        let read = unsafe { kernel::call(libc::SYS_read, arguments) };
        buffer.get(..usize::try_from(read).ok()?)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor belongs to this value.
        unsafe { kernel::call(libc::SYS_close, [self.0 as usize, 0, 0, 0, 0, 0]) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_runs_changes_the_activity() {
        let (request, requests) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let running = thread::spawn(move || requests.iter().try_for_each(|()| answer.send(())));
        let run = || {
            request.send(()).unwrap();
            answers.recv().unwrap();
        };
        run();
        let before = activity();
        run();
        assert!(before.is_none() || activity() != before);
        drop(request);
        running.join().unwrap().unwrap();
    }
}
