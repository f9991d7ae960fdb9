//! Times a process, from the start of its program until it exits.

use std::io::{self, Read, Write};
use std::mem;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use super::clock::{monotonic, read};
use super::group::RunningProcess;

/// Number of bytes of a reading of both clocks.
const READING: usize = 2 * size_of::<u64>();

/// The time of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessTime {
    /// The time that passed.
    pub wall: Duration,
    /// CPU time of the process, and of the children that it waited for.
    pub cpu: Duration,
}

/// Times the process of one command. No other child of this process is waited for meanwhile.
#[derive(Debug)]
pub struct Stopwatch {
    start: UnixStream,
    /// The CPU time of all children so far.
    children: Duration,
}

impl Stopwatch {
    /// Has the process read the clocks right before its program starts.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no more sockets.
    pub fn attach(command: &mut Command) -> io::Result<Self> {
        let (start, writer) = UnixStream::pair()?;
        let read_clocks = move || {
            let wall = monotonic();
            let cpu = read(libc::CLOCK_PROCESS_CPUTIME_ID);
            let mut bytes = [0; READING];
            for (bytes, time) in bytes.chunks_exact_mut(size_of::<u64>()).zip([wall, cpu]) {
                bytes.copy_from_slice(&nanoseconds(time).to_ne_bytes());
            }
            (&writer).write_all(&bytes)
        };
        // SAFETY: the function makes system calls only. It does not allocate.
        unsafe { command.pre_exec(read_clocks) };
        Ok(Self { start, children: children() })
    }

    /// Returns the time of the process, which was waited for.
    ///
    /// # Errors
    ///
    /// Returns an error if its program did not start.
    pub fn stop(mut self, process: &RunningProcess) -> io::Result<ProcessTime> {
        let exit = process.exit.unwrap_or_else(monotonic);
        let mut bytes = [0; READING];
        self.start.read_exact(&mut bytes)?;
        let mut times = bytes.chunks_exact(size_of::<u64>()).map(|bytes| {
            Duration::from_nanos(u64::from_ne_bytes(bytes.try_into().unwrap_or_default()))
        });
        let [wall, cpu] = [(); 2].map(|()| times.next().unwrap_or_default());
        let children = children().saturating_sub(self.children);
        Ok(ProcessTime { wall: exit.saturating_sub(wall), cpu: children.saturating_sub(cpu) })
    }
}

/// Returns the CPU time of all children that were waited for.
fn children() -> Duration {
    // SAFETY: zeros are valid, and the pointer is valid during the call.
    let usage = unsafe {
        let mut usage: libc::rusage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let duration = |time: libc::timeval| {
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(microseconds)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    fn time(stopwatch: Stopwatch, command: &mut Command) -> ProcessTime {
        let mut process = RunningProcess::start(command).unwrap();
        assert!(process.wait(None).unwrap().success());
        stopwatch.stop(&process).unwrap()
    }

    // The CPU time is that of all children, and other tests have some
    #[test]
    fn processes_are_timed() {
        let output = Command::new(env::current_exe().unwrap())
            .args(["stopwatch::tests::", "--ignored", "--test-threads=1", "--nocapture"])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains(" 1 passed"), "{printed}");
    }

    #[test]
    #[ignore = "a process of the other test"]
    fn time_passes_in_a_process_that_sleeps_without_a_cpu() {
        let mut command = Command::new("sleep");
        let stopwatch = Stopwatch::attach(command.arg("0.5")).unwrap();
        let time = time(stopwatch, &mut command);
        assert!(time.wall >= Duration::from_millis(500), "{time:?}");
        assert!(time.cpu < time.wall / 2, "{time:?}");
    }
}
