//! The fork server: the benchmark executable runs once under Valgrind and forks a child for each case.
//!
//! The server reads commands from the standard input and writes messages to the standard output; see
//! [`iai_callgrind_plan::protocol`]. The loop executes the same code for each case, so that each child
//! starts with the same state of the simulated caches, whichever cases ran before.

use std::ffi::CString;
use std::hint::black_box;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{io, mem, ptr};

use iai_callgrind_plan::protocol::{
    DESCRIPTORS, Message, NOT_SENT, SERVER_NUMBER, ServerCommand, ServerEnvironment, capture_name,
};

use crate::message;
use crate::region::Region;
use crate::requests::{callgrind, valgrind};
use crate::suite::LibraryCase;
#[cfg(fixed_surroundings)]
use crate::surroundings;

/// Descriptors of the server's ends of the pipes.
const COMMANDS: libc::c_int = DESCRIPTORS[0];
const MESSAGES: libc::c_int = DESCRIPTORS[1];

/// Exit code of a case that panicked, the same as for a panic in `main`.
const PANICKED: i32 = 101;

/// Returns the place of a case in the executable, see [`ServerCommand::entry`].
pub(crate) fn entry(case: &LibraryCase) -> u64 {
    (case.run as *const () as usize).wrapping_sub(anchor()) as u64
}

/// Returns the function of the case with this [`entry`].
fn case_function(entry: u64) -> fn(&mut Region, usize) {
    let address = anchor().wrapping_add(usize::try_from(entry).unwrap_or(0));
    // SAFETY: the runner got the distance from `entry` in a process of this same executable.
    unsafe {
        mem::transmute::<*const (), fn(&mut Region, usize)>(ptr::with_exposed_provenance(address))
    }
}

fn anchor() -> usize {
    serve as *const () as usize
}

/// Serves commands until the runner closes the pipe.
pub(crate) fn serve(environment: &ServerEnvironment) -> io::Result<()> {
    if valgrind::running_on_valgrind() == 0 {
        return Err(io::Error::other(message::SERVER_WITHOUT_VALGRIND));
    }
    // SAFETY: no other thread runs yet; plain descriptors; the handler only makes a client request.
    unsafe {
        ServerEnvironment::remove();
        move_descriptor(libc::STDIN_FILENO, COMMANDS)?;
        move_descriptor(libc::STDOUT_FILENO, MESSAGES)?;
        // The child of a benchmark that forks must not count the costs before the fork again
        libc::pthread_atfork(None, None, Some(zero_stats));
    }
    #[cfg(fixed_surroundings)]
    {
        surroundings::fix_cpus(environment.cpus);
        surroundings::prepare();
    }
    let region = Region::new(environment.measuring);
    let mut capture = Capture::new(&environment.directory)?;
    warm_up(region, &mut capture)?;

    let mut bytes = [0; ServerCommand::LENGTH];
    while receive(&mut bytes)? {
        let command = ServerCommand::decode(&bytes);
        if command.alone {
            child(command, environment, region, &mut capture);
        }
        let (mut ended, mut status, mut forked) = (0, 0, 0);
        // SAFETY: the server has a single thread, so the child has all threads of its parent.
        unsafe {
            if command.wait {
                ended = libc::waitpid(-1, &raw mut status, 0);
            }
            if command.fork {
                forked = libc::fork();
                if forked == 0 {
                    child(command, environment, region, &mut capture);
                }
                if forked < 0 {
                    forked = -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EAGAIN);
                }
            }
        }
        send(Message::Turn { ended, status, forked })?;
    }
    Ok(())
}

/// Makes this process the leader of a new process group, and ends it with its parent process.
fn lead_process_group() {
    // SAFETY: system calls without pointers.
    unsafe {
        libc::setpgid(0, 0);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Runs the code that each child runs around its case. Valgrind translates code when it first runs, and
/// children do not translate again what the server has translated before the fork.
fn warm_up(mut region: Region, capture: &mut Capture) -> io::Result<()> {
    lead_process_group();
    capture.redirect(SERVER_NUMBER)?;
    let _ = catch_unwind(AssertUnwindSafe(|| region.rehearse()));
    send(Message::Region { pid: 0, begin: 0, end: 0, is_unordered: false })?;
    flush();
    Ok(())
}

extern "C" fn zero_stats() {
    callgrind::zero_stats();
}

/// Runs one case in this process and ends the process.
fn child(
    command: ServerCommand,
    environment: &ServerEnvironment,
    mut region: Region,
    capture: &mut Capture,
) -> ! {
    if command.entry == ServerCommand::SETTLE {
        end(0);
    }
    lead_process_group();
    if let Err(error) = capture.redirect(command.number) {
        eprintln!("{}", message::capture_failed(&error));
        end(1);
    }
    if command.enter {
        if let Err(error) = capture.enter() {
            eprintln!("{}", message::place(&error));
            end(1);
        }
    }
    #[cfg(not(fixed_surroundings))]
    let _ = environment;
    #[cfg(fixed_surroundings)]
    if let Some(seed) = command.seed {
        surroundings::fix_randomness(seed);
        if environment.virtual_clock {
            surroundings::fix_clock(seed);
        }
    }
    region.clear_instruction_cache();
    let (run, item) = (case_function(command.entry), usize::try_from(command.item).unwrap_or(0));
    if catch_unwind(AssertUnwindSafe(|| run(&mut region, item))).is_err() {
        end(PANICKED);
    }
    // Massif only measures the heap when a block is freed
    drop(black_box(Box::new(0_u8)));
    let (begin, until) = region.times();
    // SAFETY: a system call without arguments.
    let pid = unsafe { libc::getpid() };
    #[cfg(fixed_surroundings)]
    let is_unordered = surroundings::has_unordered_threads();
    #[cfg(not(fixed_surroundings))]
    let is_unordered = false;
    let sent = send(Message::Region { pid, begin, end: until, is_unordered });
    end(if sent.is_ok() { 0 } else { NOT_SENT })
}

/// Ends this process without exit handlers. They have no task here, and Valgrind would translate them in
/// every child.
fn end(code: i32) -> ! {
    flush();
    // SAFETY: always allowed.
    unsafe { libc::_exit(code) }
}

/// Writes the buffered output of the benchmark, that of Rust and that of C.
fn flush() {
    let _ = io::stdout().flush();
    // SAFETY: null means all streams.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Copies an open descriptor to a number. Programs that this process starts do not inherit the copy.
///
/// # Safety
///
/// No other code uses either descriptor.
unsafe fn move_descriptor(from: libc::c_int, to: libc::c_int) -> io::Result<()> {
    // SAFETY: the caller guarantees it.
    unsafe {
        check(libc::dup2(from, to))?;
        check(libc::fcntl(to, libc::F_SETFD, libc::FD_CLOEXEC))?;
    }
    Ok(())
}

/// Paths of the files for a child's output.
struct Capture {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Capture {
    fn new(directory: &str) -> io::Result<Self> {
        let path = |extension| {
            CString::new(format!("{directory}00000000.{extension}"))
                .map(CString::into_bytes_with_nul)
                .map_err(io::Error::other)
        };
        Ok(Self { stdout: path("stdout")?, stderr: path("stderr")? })
    }

    /// Redirects the output of this process to the files with this number, and empties its input.
    fn redirect(&mut self, number: u32) -> io::Result<()> {
        const FLAGS: libc::c_int = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
        let name = capture_name(number);
        open_as(c"/dev/null".to_bytes_with_nul(), libc::O_RDONLY, libc::STDIN_FILENO)?;
        for (path, descriptor) in
            [(&mut self.stdout, libc::STDOUT_FILENO), (&mut self.stderr, libc::STDERR_FILENO)]
        {
            let at = path.len() - "00000000.stdout\0".len();
            path[at..at + name.len()].copy_from_slice(&name);
            open_as(path, FLAGS, descriptor)?;
        }
        Ok(())
    }

    /// Enters the directory with the number of the output. The path of the standard output without its
    /// extension is the path of the link to the directory, so that the server allocates no other one.
    fn enter(&mut self) -> io::Result<()> {
        let end = self.stdout.len() - ".stdout\0".len();
        self.stdout[end] = 0;
        // SAFETY: the path ends with a zero byte.
        check(unsafe { libc::chdir(self.stdout.as_ptr().cast()) }).map(drop)
    }
}

/// Opens a file as this descriptor.
fn open_as(path: &[u8], flags: libc::c_int, descriptor: libc::c_int) -> io::Result<()> {
    debug_assert_eq!(path.last(), Some(&0));
    // SAFETY: the path ends with a zero byte.
    unsafe {
        let file = check(libc::open(path.as_ptr().cast(), flags, 0o600))?;
        check(libc::dup2(file, descriptor))?;
        check(libc::close(file))?;
    }
    Ok(())
}

/// Reads a whole command. Returns `false` at the end of the pipe.
fn receive(bytes: &mut [u8; ServerCommand::LENGTH]) -> io::Result<bool> {
    // SAFETY: the buffer is as long as the call says.
    let read = unsafe { libc::read(COMMANDS, bytes.as_mut_ptr().cast(), bytes.len()) };
    match usize::try_from(read) {
        Ok(0) => Ok(false),
        Ok(ServerCommand::LENGTH) => Ok(true),
        Ok(_) => Err(io::Error::other(message::INCOMPLETE_COMMAND)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Writes a whole message.
fn send(message: Message) -> io::Result<()> {
    let bytes = message.encode();
    // SAFETY: the buffer is as long as the call says.
    let written = unsafe { libc::write(MESSAGES, bytes.as_ptr().cast(), bytes.len()) };
    if usize::try_from(written) == Ok(bytes.len()) {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
