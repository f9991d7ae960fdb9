//! System calls of the processes of a command that have the same results in each run: random numbers from a seed, the
//! CPU, and the list of mappings.
//!
//! A seccomp filter stops a process of the command that asks the kernel for random numbers, and a thread of the runner
//! writes them to the memory of the process. So it does not matter in which language a program is written, or how it is
//! linked.
//!
//! The kernel also puts 16 random bytes next to the arguments of a program (`AT_RANDOM`), and Valgrind copies its own for
//! the program that it runs. Before it does, it asks for the limit of its data, which other programs hardly do: this
//! stops it as well, and the thread overwrites the bytes.
//!
//! A process that runs on a single CPU sees the first one, whichever it is: programs count the CPUs by
//! going through the set.
//!
//! Threads take turns by the same filter. At the end of each time slice, and hardly ever else, Valgrind asks for a pending
//! signal (`rt_sigtimedwait`). A thread that is stopped there queues again behind the others that are ready to run,
//! as the policy `SCHED_FIFO` has them, whenever the answer comes. Without this, a thread that spins never lets go.
//! A process stops as well before it gets this policy, until it may have it: see [`super::real_time`].

mod auxiliary_vector;
mod filter;
mod mappings;

use std::fs;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::OnceLock;

pub(crate) use self::auxiliary_vector::hide_auxiliary_vector;
use self::linux as system;
use super::ProcessError;
pub(crate) use super::real_time::is_only_cpu;
use crate::error::Result;

/// First version of Linux in which a system call that was stopped can go on.
const OLDEST_KERNEL: (u32, u32) = (5, 5);

/// The system calls that stop a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoppedCalls {
    /// Those at which threads take turns.
    Turns,
    /// Those as well whose results are fixed, with random numbers from this seed.
    TurnsAndResults { seed: u64 },
}

impl StoppedCalls {
    /// Returns the calls for this seed; without one, the results are the system's.
    pub(crate) fn with_seed(seed: Option<u64>) -> Self {
        seed.map_or(Self::Turns, |seed| Self::TurnsAndResults { seed })
    }
}

/// The moment at which the threads and processes of a command get a fixed order, if it may have one by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadOrder {
    None,
    /// When a process asks for it, as those of the harness do.
    OnRequest,
    /// Before the command starts its first thread or process.
    FromFirstFork,
}

/// The fixed system calls of a command that starts.
#[derive(Debug)]
pub(crate) struct FixedSystemCalls {
    calls: StoppedCalls,
    order: ThreadOrder,
    /// The connection over which the command sends the descriptor of its filter.
    receiver: UnixStream,
    /// The end of the command.
    sender: UnixStream,
}

/// Answers the system calls of a command until it is dropped.
#[derive(Debug)]
pub(crate) struct SystemCallAnswers {
    /// The thread ends when this is closed.
    _stop: UnixStream,
}

/// A generator of random numbers (`SplitMix64`).
#[derive(Debug, Clone, Copy)]
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + size_of::<u64>());
        while bytes.len() < length {
            bytes.extend(self.next().to_le_bytes());
        }
        bytes.truncate(length);
        bytes
    }
}

/// Parses a version of Linux such as `5.10.0-28-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Returns `true` if this process can stop the system calls of a command. A kernel can be too old for it, and a container
/// can forbid it.
///
/// # Errors
///
/// Returns an error if no thread can be started, with which the answer is not known.
pub(crate) fn can_stop_calls() -> Result<bool> {
    static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
    if let Some(is_possible) = IS_POSSIBLE.get() {
        return Ok(*is_possible);
    }
    let is_possible = probe()?;
    Ok(*IS_POSSIBLE.get_or_init(|| {
        if !is_possible {
            log::info!("commands have the system calls of the kernel, which allows no others");
        }
        is_possible
    }))
}

/// Finds out if the system allows a filter.
fn probe() -> Result<bool> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // The filter stays with the thread
    Ok(version(&release) >= Some(OLDEST_KERNEL)
        && super::spawn(system::can_filter)?.join().unwrap())
}

impl FixedSystemCalls {
    /// Has a command stop at these calls, which this process answers. Returns `None` if the system does not allow it.
    pub(crate) fn prepare(
        command: &mut Command,
        calls: StoppedCalls,
        order: ThreadOrder,
    ) -> Result<Option<Self>> {
        if !can_stop_calls()? {
            return Ok(None);
        }
        let (receiver, sender) = UnixStream::pair().map_err(ProcessError::Connection)?;
        system::filter(command, calls, order, &sender);
        Ok(Some(Self { calls, order, receiver, sender }))
    }

    /// Answers the command, which has started. Returns `None` if the system does not allow it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no thread that answers. The command's calls would then fail.
    pub(crate) fn answer(self) -> Result<Option<SystemCallAnswers>> {
        // The command has closed the other copy
        drop(self.sender);
        let listener = system::receive(&self.receiver);
        let Some(listener) = listener else {
            log::info!("the command has the system calls of the kernel, which allows no filter");
            return Ok(None);
        };
        let (stop, stopped) = UnixStream::pair().map_err(ProcessError::Connection)?;
        let responder = system::Responder::new(listener, self.calls, self.order);
        super::spawn(move || responder.run(&stopped))?;
        Ok(Some(SystemCallAnswers { _stop: stop }))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "constants of the kernel, which are small, and process ids"
)]
mod linux {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::mem;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
    use std::os::unix::fs::FileExt;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::slice;

    use libc::{seccomp_notif, seccomp_notif_resp};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::retry_on_intr;

    use super::filter::{Filter, Rule};
    use super::mappings::{ADD_DESCRIPTOR, Mappings, process_file};
    use super::{Generator, StoppedCalls, ThreadOrder};
    use crate::process::real_time::{self, Answer, RealTime};

    /// Requests to the descriptor of a filter: `_IOWR('!', 0, struct seccomp_notif)` and the like.
    const RECEIVE: libc::c_ulong = 0xc050_2100;
    const SEND: libc::c_ulong = 0xc018_2101;
    const IS_VALID: libc::c_ulong = 0x4008_2102;

    /// Maximum number of random bytes for one system call. Callers ask again for the rest.
    const LONGEST: usize = 1 << 16;

    /// A set with the first CPU, of the length of the kernel's smallest one.
    const CPUS: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

    /// The thread of a system call that the kernel gives the number of a thread.
    const THIS_THREAD: libc::pid_t = 0;

    /// Number of bytes at `AT_RANDOM`.
    const START_BYTES: usize = 16;

    /// Length of a control message with a descriptor, with its padding.
    const CONTROL: usize = 32;

    /// Returns `true` if the kernel allows a filter to the current thread, which keeps it: one that allows everything.
    pub(super) fn can_filter() -> bool {
        let listener = Filter::new(&[]).install(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
        let listener = listener.and_then(|number| RawFd::try_from(number).ok());
        // SAFETY: the descriptor has no other owner.
        listener.map(|listener| unsafe { OwnedFd::from_raw_fd(listener) }).is_some()
    }

    /// The system calls that start a thread or a process.
    const FORKS: &[libc::c_long] = &[
        libc::SYS_clone,
        libc::SYS_clone3,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork,
    ];

    /// Stops the processes of the command at these system calls, and at those where it gets a fixed order.
    pub(super) fn filter(
        command: &mut Command,
        calls: StoppedCalls,
        order: ThreadOrder,
        sender: &UnixStream,
    ) {
        let sender = sender.as_raw_fd();
        let stop = |call, argument| Rule { call, argument, decision: libc::SECCOMP_RET_USER_NOTIF };
        let mut rules = vec![stop(libc::SYS_rt_sigtimedwait, None)];
        match order {
            ThreadOrder::None => {}
            ThreadOrder::OnRequest => rules.push(stop(libc::SYS_sched_setscheduler, None)),
            ThreadOrder::FromFirstFork => rules.extend(FORKS.iter().map(|call| stop(*call, None))),
        }
        if calls != StoppedCalls::Turns {
            rules.extend([
                stop(libc::SYS_getrandom, None),
                stop(libc::SYS_sched_getaffinity, None),
                stop(libc::SYS_prlimit64, Some((1, libc::RLIMIT_DATA as _))),
                // The C library looks at an open file with the first, and before version 2.33 with the second
                stop(libc::SYS_newfstatat, Some((3, libc::AT_EMPTY_PATH as _))),
                stop(libc::SYS_fstat, None),
            ]);
        }
        let mut filter = Filter::new(&rules);
        let install = move || {
            // The kernel answers with a descriptor, which exec closes
            let listener = filter.install(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
            if let Some(listener) = listener.and_then(|number| RawFd::try_from(number).ok()) {
                send(sender, listener);
            }
            Ok(())
        };
        // SAFETY: the closure makes system calls, which are allowed between fork and exec.
        unsafe { command.pre_exec(install) };
    }

    /// Sends a descriptor over a socket.
    fn send(socket: RawFd, descriptor: RawFd) {
        with_message(|message| {
            // SAFETY: the message has space for a header and a descriptor.
            unsafe {
                let header = libc::CMSG_FIRSTHDR(message);
                (*header).cmsg_level = libc::SOL_SOCKET;
                (*header).cmsg_type = libc::SCM_RIGHTS;
                (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
                libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
                libc::sendmsg(socket, message, 0);
            }
        });
    }

    /// Receives a descriptor from a socket; `None` at its end.
    pub(super) fn receive(socket: &UnixStream) -> Option<OwnedFd> {
        with_message(|message| {
            // SAFETY: the kernel fills the message, and hands over the descriptor.
            unsafe {
                if libc::recvmsg(socket.as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) <= 0 {
                    return None;
                }
                let header = libc::CMSG_FIRSTHDR(message);
                if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
                    return None;
                }
                let descriptor = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
                Some(OwnedFd::from_raw_fd(descriptor))
            }
        })
    }

    /// Calls a function with a message of one byte that has space for a descriptor.
    fn with_message<T>(call: impl FnOnce(*mut libc::msghdr) -> T) -> T {
        #[repr(align(8))]
        struct Control([u8; CONTROL]);
        let (mut byte, mut control) = (0_u8, Control([0; CONTROL]));
        let mut part =
            libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: size_of_val(&byte) };
        // SAFETY: a message of zeros is an empty one.
        let mut message: libc::msghdr = unsafe { mem::zeroed() };
        // SAFETY: the function does not access memory.
        message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as _;
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control.0).cast();
        call(&raw mut message)
    }

    /// Answers the processes that the filter stops.
    pub(super) struct Responder {
        listener: OwnedFd,
        generator: Generator,
        /// The bytes at `AT_RANDOM` of each program.
        start: Vec<u8>,
        order: ThreadOrder,
        real_time: RealTime,
    }

    /// The reason why a responder goes on.
    #[derive(PartialEq, Eq)]
    enum Woken {
        Stopped,
        Time,
        End,
    }

    impl Responder {
        pub(super) fn new(listener: OwnedFd, calls: StoppedCalls, order: ThreadOrder) -> Self {
            let seed = match calls {
                StoppedCalls::Turns => 0,
                StoppedCalls::TurnsAndResults { seed } => seed,
            };
            let start = Generator(!seed).bytes(START_BYTES);
            let (generator, real_time) = (Generator(seed), RealTime::default());
            Self { listener, generator, start, order, real_time }
        }

        /// Answers until the last process has exited, or the other end of the connection is closed.
        pub(super) fn run(mut self, stopped: &UnixStream) {
            // Answers at once on a busy machine. The order of the threads does not depend on it
            real_time::give_to(THIS_THREAD);
            loop {
                while let Some(answer) = self.next_answer() {
                    self.give_order(&answer);
                }
                match self.wait(stopped) {
                    Woken::Stopped => {}
                    Woken::Time => continue,
                    Woken::End => return,
                }
                // SAFETY: a request of zeros is an empty one, as the kernel demands.
                let mut request: seccomp_notif = unsafe { mem::zeroed() };
                match self.control(RECEIVE, &mut request) {
                    // A signal ended the system call that was stopped
                    Err(error) if error.raw_os_error() == Some(libc::ENOENT) => continue,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => return,
                    Ok(()) => {}
                }
                if self.awaits_order(&request) {
                    self.real_time.add(request.id, request.pid as libc::pid_t);
                    continue;
                }
                let mut response = self.respond(&request);
                let _ = self.control(SEND, &mut response);
            }
        }

        /// Waits until a process is stopped or, while one waits for its order, for a moment.
        fn wait(&self, stopped: &UnixStream) -> Woken {
            let mut descriptors =
                [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
            let interval = Timespec::try_from(real_time::INTERVAL).ok();
            let patience = interval.as_ref().filter(|_| self.real_time.is_busy());
            match retry_on_intr(|| poll(&mut descriptors, patience)) {
                Ok(0) => Woken::Time,
                Ok(_) if descriptors[0].revents().contains(PollFlags::IN) => Woken::Stopped,
                _ => Woken::End,
            }
        }

        /// Returns `true` if a process is about to get a fixed order.
        fn awaits_order(&self, request: &seccomp_notif) -> bool {
            let call = libc::c_long::from(request.data.nr);
            match self.order {
                ThreadOrder::None => false,
                ThreadOrder::OnRequest => {
                    let policy = request.data.args[1] as libc::c_int;
                    let is_real_time = [libc::SCHED_FIFO, libc::SCHED_RR].contains(&policy);
                    call == libc::SYS_sched_setscheduler && is_real_time
                }
                ThreadOrder::FromFirstFork => FORKS.contains(&call),
            }
        }

        /// Returns the answer to a process that waited for its order, if there is one by now.
        fn next_answer(&mut self) -> Option<Answer> {
            let Self { listener, real_time, .. } = self;
            real_time.answer(|request| is_valid(listener, request))
        }

        /// Lets a process go on with a fixed order, or without one if it may not have it.
        fn give_order(&mut self, answer: &Answer) {
            let is_command = self.order == ThreadOrder::FromFirstFork;
            if is_command {
                // Those that it starts have it too
                self.order = ThreadOrder::None;
                if answer.is_granted {
                    real_time::give_to(answer.process);
                }
            }
            let is_refused = !is_command && !answer.is_granted;
            let mut response = seccomp_notif_resp {
                id: answer.request,
                val: 0,
                error: if is_refused { -libc::EPERM } else { 0 },
                flags: if is_refused { 0 } else { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 },
            };
            let _ = self.control(SEND, &mut response);
        }

        /// Writes the result that a process asks for. If that fails, its system call goes on.
        fn respond(&mut self, request: &seccomp_notif) -> seccomp_notif_resp {
            let [first, second, third, ..] = request.data.args;
            let number = match libc::c_long::from(request.data.nr) {
                libc::SYS_getrandom => {
                    let length = usize::try_from(second).unwrap_or(LONGEST).min(LONGEST);
                    let bytes = self.generator.bytes(length);
                    self.write(request, first, &bytes)
                }
                libc::SYS_sched_getaffinity => {
                    let is_own = first == 0 || first == u64::from(request.pid);
                    let is_long_enough = second >= CPUS.len() as u64;
                    let is_fixed = is_own && is_long_enough && has_single_cpu(request.pid);
                    is_fixed.then(|| self.write(request, third, &CPUS)).flatten()
                }
                libc::SYS_prlimit64 => {
                    let address = address_of_start_bytes(request.pid);
                    let _ = address.map(|address| self.write(request, address, &self.start));
                    None
                }
                libc::SYS_newfstatat => self.replace_mappings(request, first, third),
                libc::SYS_fstat => self.replace_mappings(request, first, second),
                _ => None,
            };
            let flags = match number {
                Some(_) => 0,
                None => libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
            };
            seccomp_notif_resp { id: request.id, val: number.unwrap_or(0), error: 0, flags }
        }

        /// Puts the stack first if a descriptor is the list of mappings, and writes the state of the list to this
        /// address. Returns the result of the system call.
        ///
        /// The request to replace it came with Linux 5.9.
        fn replace_mappings(
            &self,
            request: &seccomp_notif,
            descriptor: u64,
            state: u64,
        ) -> Option<i64> {
            let mappings = Mappings::new(request.pid, descriptor, state)?;
            let mut replacing = mappings.replacing(request.id, descriptor)?;
            self.control(ADD_DESCRIPTOR, &mut replacing).ok()?;
            let bytes = (&raw const mappings.state).cast();
            // SAFETY: the kernel has written each byte of the state.
            let bytes = unsafe { slice::from_raw_parts(bytes, size_of_val(&mappings.state)) };
            self.write(request, state, bytes).map(|_| 0)
        }

        /// Writes to the memory of the process that made this request. Returns the number of bytes.
        fn write(&self, request: &seccomp_notif, address: u64, bytes: &[u8]) -> Option<i64> {
            let memory = process_file(request.pid, "mem");
            let memory: File = OpenOptions::new().write(true).open(memory).ok()?;
            // Otherwise the process id can be that of another process by now
            if !is_valid(&self.listener, request.id) {
                return None;
            }
            memory.write_all_at(bytes, address).ok()?;
            i64::try_from(bytes.len()).ok()
        }

        fn control<T>(&self, request: libc::c_ulong, value: &mut T) -> io::Result<()> {
            control(&self.listener, request, value)
        }
    }

    /// Makes a request to the descriptor of a filter.
    fn control<T>(listener: &OwnedFd, request: libc::c_ulong, value: &mut T) -> io::Result<()> {
        // SAFETY: the value has the type that the request demands.
        match unsafe { libc::syscall(libc::SYS_ioctl, listener.as_raw_fd(), request, value) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Returns `true` while the process that made this request waits for the answer.
    fn is_valid(listener: &OwnedFd, request: u64) -> bool {
        control(listener, IS_VALID, &mut request.clone()).is_ok()
    }

    /// Returns `true` if a process runs on one CPU.
    fn has_single_cpu(process: u32) -> bool {
        // SAFETY: a set of zeros is an empty one, and the pointer is valid during the calls.
        unsafe {
            let mut set: libc::cpu_set_t = mem::zeroed();
            let result = libc::sched_getaffinity(process as i32, size_of_val(&set), &raw mut set);
            result == 0 && libc::CPU_COUNT(&set) == 1
        }
    }

    /// Returns the address of the random bytes with which the kernel started a process.
    fn address_of_start_bytes(process: u32) -> Option<u64> {
        let vector = fs::read(process_file(process, "auxv")).ok()?;
        let mut entries = vector.chunks_exact(2 * size_of::<u64>()).map(|entry| {
            let (kind, value) = entry.split_at(size_of::<u64>());
            let number = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).ok();
            Some((number(kind)?, number(value)?))
        });
        entries.find_map(|entry| {
            entry.filter(|(kind, _)| *kind == libc::AT_RANDOM).map(|(_, value)| value)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn versions_of_linux() {
        for (release, expected) in [
            ("5.10.0-28-amd64\n", Some((5, 10))),
            ("6.18.44-fc-v769", Some((6, 18))),
            ("5.4", Some((5, 4))),
            ("5", None),
            ("", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
        assert!(version("5.4.0") < Some(OLDEST_KERNEL) && version("") < Some(OLDEST_KERNEL));
    }

    #[test]
    fn a_thread_that_cannot_be_started_is_not_a_system_without_filters() {
        if !probe().unwrap() {
            return;
        }
        let mut child = Command::new("/bin/true");
        let probe = || {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: system calls; `none` is valid for the duration of the call. The limit does not hold for the superuser.
            unsafe {
                libc::setrlimit(libc::RLIMIT_NPROC, &raw const none);
                libc::setuid(54_321);
            }
            match probe() {
                Ok(_) => Ok(()),
                Err(_) => Err(io::Error::from_raw_os_error(libc::EAGAIN)),
            }
        };
        // SAFETY: the memory of this process is copied, and allocations have room in it.
        unsafe { child.pre_exec(probe) };
        assert_eq!(child.status().unwrap_err().raw_os_error(), Some(libc::EAGAIN));
    }

    #[test]
    fn a_generator_has_bytes_of_any_number() {
        let bytes = |length| Generator(7).bytes(length);
        assert_eq!((bytes(0).len(), bytes(3).len(), bytes(16).len()), (0, 3, 16));
        assert_eq!(bytes(16)[..3], bytes(3));
        assert_ne!(bytes(16)[..8], bytes(16)[8..]);
        assert_ne!(Generator(8).bytes(8), bytes(8));
    }
}
