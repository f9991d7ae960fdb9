//! The fork server: the benchmark executable runs once under Valgrind and forks a child for each case.
//!
//! The server reads commands from the standard input and writes messages to the standard output; see
//! [`iai_callgrind_plan::protocol`]. The loop executes the same code for each case, so that each child
//! starts with the same state of the simulated caches, whichever cases ran before.

mod capture;
#[cfg(target_os = "linux")]
mod isolation;
mod message_pipe;
mod timed;

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, mem, ptr};

use iai_callgrind_plan::protocol::{
    Counting, DESCRIPTORS, Message, NOT_SENT, SERVER_NUMBER, ServerCommand, ServerEnvironment,
    Token,
};
use iai_callgrind_plan::walk::Item;

use self::capture::{Capture, open_as};
use self::message_pipe::MessagePipe;
use crate::error::Cause;
use crate::region::{Region, mark_log};
use crate::suite::LibraryCase;
#[cfg(fixed_surroundings)]
use crate::surroundings::{self, Heap};
use crate::walk::{Reached, Visitor, enter, walk};
use crate::{counters, message};
use iai_callgrind_requests::harness::{callgrind, valgrind};

/// Descriptors of the server's ends of the pipes.
const COMMANDS: libc::c_int = DESCRIPTORS[0];
const MESSAGES: libc::c_int = DESCRIPTORS[1];

/// Exit code of a case that panicked, the same as for a panic in `main`.
const PANICKED: i32 = 101;

/// Returns the place of a case in the executable, see [`ServerCommand::entry`].
pub(crate) fn entry(case: &LibraryCase) -> u64 {
    distance(case.run)
}

/// Returns the distance of a case's function from the server's.
fn distance(run: fn(&mut Region, usize)) -> u64 {
    (run as *const () as usize).wrapping_sub(anchor()) as u64
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

/// `true` in the server while it forks the child of a case.
static FORKS_CASE: AtomicBool = AtomicBool::new(false);

/// The pipes have their descriptors, and the standard streams are free.
static HAS_PIPES: AtomicBool = AtomicBool::new(false);

/// Gives the pipes of a fork server their descriptors before `main`, where the code of a file calls the harness later on and
/// can use the standard streams until then. Its output goes to the standard error.
pub extern "C" fn claim_pipes() {
    if ServerEnvironment::of_this_process().is_none() {
        return;
    }
    // SAFETY: nothing has used a stream.
    let claimed = unsafe {
        move_pipes()
            .and_then(|()| {
                open_as(c"/dev/null".to_bytes_with_nul(), libc::O_RDONLY, libc::STDIN_FILENO)
            })
            .and_then(|()| check(libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO)))
    };
    if let Err(error) = claimed {
        eprintln!("{}", Cause::Server(error));
        end(1);
    }
    HAS_PIPES.store(true, Ordering::Relaxed);
}

/// Serves commands until the runner closes the pipe. `code` is that of a walk through the file, if the file has one.
pub(crate) fn serve(environment: &ServerEnvironment, code: Option<fn()>) -> io::Result<()> {
    let Some(server) = prepare(environment)? else { return Ok(()) };
    let walker = server.start_walk(&mut empty_benchmark)?;
    let panicked = code.is_some_and(|code| !walk(code, &walker));
    finish_walk(&walker, panicked)
}

/// Serves commands on a walk through the rest of this thread's code. Returns a function for its end, which takes `true`
/// if the code panicked. `empty` runs the code of the front end around a benchmark.
pub(crate) fn begin(
    environment: &ServerEnvironment,
    empty: &mut dyn FnMut(&mut Region),
) -> io::Result<impl FnOnce(bool) -> io::Result<()> + use<>> {
    let Some(server) = prepare(environment)? else { end(0) };
    let walker = server.start_walk(empty)?;
    enter(&walker);
    Ok(move |panicked| finish_walk(&walker, panicked))
}

/// Serves the commands before the walk. Returns the server if there is one for the walk.
fn prepare(environment: &ServerEnvironment) -> io::Result<Option<Server>> {
    let is_native = environment.measuring.counting.is_native();
    if !is_native && valgrind::running_on_valgrind() == 0 {
        return Err(io::Error::other(message::SERVER_WITHOUT_VALGRIND));
    }
    // SAFETY: no other thread runs yet; plain descriptors; the handler only makes a client request.
    unsafe {
        ServerEnvironment::remove();
        if HAS_PIPES.load(Ordering::Relaxed) {
            flush();
        } else {
            move_pipes()?;
        }
        libc::pthread_atfork(None, None, Some(zero_stats));
    }
    #[cfg(fixed_surroundings)]
    if is_native {
        surroundings::use_library();
    } else {
        surroundings::fix_cpus(environment.cpus);
        surroundings::fix_order(environment.stops_threads);
        if environment.parent == iai_callgrind_plan::protocol::ParentId::Hidden {
            surroundings::hide_parent();
        }
        surroundings::prepare();
    }
    counters::set_recording(!is_native);
    mark_log(environment.marks_log);
    let region = Region::new(environment.measuring);
    #[cfg(target_os = "linux")]
    let region = region.with_addresses();
    let checks_allocator = environment.measuring.checks_allocator;
    let region = region.with_unseen_allocator(checks_allocator && !sees_allocator());
    let mut server = Server {
        environment: environment.clone(),
        region,
        messages: MessagePipe::current()?,
        capture: Capture::new(&environment.directory)?,
        #[cfg(target_os = "linux")]
        isolation: isolation::Isolation::new(&environment.directory)?,
        pending: None,
        #[cfg(fixed_surroundings)]
        heap: None,
    };
    server.region.load_stack();
    server.rehearse()?;
    // Each child sets its costs to zero. For costs that are not zero yet, it would copy their
    // memory
    callgrind::zero_stats();
    Ok(server.turns(&mut Place::Start)?.then_some(server))
}

/// Returns `false` if the tool does not know the blocks of Rust code. It replaces the functions of the C library's allocator,
/// of which one returns the size of a block, or zero if the tool does not know it.
///
/// A static executable keeps its allocator: the replacement is a shared library.
fn sees_allocator() -> bool {
    #[cfg(all(target_os = "linux", not(target_feature = "crt-static")))]
    {
        /// The C library's own blocks for this size are larger.
        const SIZE: usize = 96;
        let usable_size = |block| {
            // SAFETY: the tool looks the block up in a list. The C library, where nothing replaces it, gets its own ones only.
            unsafe { libc::malloc_usable_size(block) }
        };
        // SAFETY: always allowed.
        let own = black_box(unsafe { libc::malloc(SIZE) });
        let is_replaced = usable_size(own) == SIZE;
        // SAFETY: it has no other owner.
        unsafe { libc::free(own) };
        let mut block = black_box(Box::new([0_u8; SIZE]));
        !is_replaced || usable_size(block.as_mut_ptr().cast()) != 0
    }
    #[cfg(not(all(target_os = "linux", not(target_feature = "crt-static"))))]
    false
}

/// Serves commands after the walk.
fn finish_walk(walker: &RefCell<Walker>, panicked: bool) -> io::Result<()> {
    flush();
    let Walker { server, passed } = &mut *walker.borrow_mut();
    server.turns(&mut Place::End(End { panicked, passed: mem::take(passed) })).map(drop)
}

/// The fork server with what each child gets.
struct Server {
    environment: ServerEnvironment,
    region: Region,
    messages: MessagePipe,
    capture: Capture,
    #[cfg(target_os = "linux")]
    isolation: isolation::Isolation,
    /// Command for a benchmark that the walk has not reached.
    pending: Option<ServerCommand>,
    /// Heap before the walk, if there is a walk and instructions count.
    #[cfg(fixed_surroundings)]
    heap: Option<Heap>,
}

/// The place of the server in the walk.
enum Place<'a> {
    /// Before the walk, if there is one.
    Start,
    /// At this benchmark.
    Benchmark(Item, &'a mut dyn FnMut(&mut Region)),
    /// After the walk.
    End(End),
}

/// The end of the walk.
struct End {
    /// The code of the file panicked.
    panicked: bool,
    passed: Vec<Item>,
}

impl Server {
    /// Serves commands at this place. Returns `true` if a command is for a benchmark further on, and `false` at the end
    /// of the pipe.
    fn turns(&mut self, place: &mut Place<'_>) -> io::Result<bool> {
        let mut bytes = [0; ServerCommand::LENGTH];
        loop {
            let command = match self.pending.take() {
                Some(command) => command,
                None if receive(&mut bytes)? => {
                    #[cfg(fixed_surroundings)]
                    surroundings::forgive_lag();
                    ServerCommand::decode(&bytes)
                }
                None => return Ok(false),
            };
            if command.entry == ServerCommand::WALK && place.is_before(&command) {
                self.pending = Some(command);
                return Ok(true);
            }
            self.turn(command, place)?;
        }
    }

    /// Carries out a command.
    fn turn(&mut self, mut command: ServerCommand, place: &mut Place<'_>) -> io::Result<()> {
        let obstacle = place.obstacle(&command);
        if obstacle.is_some() {
            command.entry = ServerCommand::SETTLE;
        }
        if command.alone {
            if let Some(obstacle) = obstacle {
                self.messages
                    .send(Message::Turn { ended: 0, status: 0, forked: obstacle }, command.token)?;
                end(0);
            }
            self.child(&command, place);
        }
        let (mut ended, mut status, mut forked) = (0, 0, 0);
        // SAFETY: the server has a single thread, so the child has all threads of its parent. With several threads the
        // child ends at once.
        unsafe {
            if command.wait {
                ended = wait(&mut status);
            }
            if command.fork {
                forked = self.fork(&command, place);
                if forked == 0 {
                    self.child(&command, place);
                }
                if forked == -1 {
                    forked = -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EAGAIN);
                } else if let Some(obstacle) = obstacle {
                    forked = obstacle;
                }
            }
        }
        self.messages.send(Message::Turn { ended, status, forked }, command.token)
    }

    /// Forks a child, in a namespace of its own if the command demands it. Returns 0 in the child.
    ///
    /// # Safety
    ///
    /// As for `fork`.
    unsafe fn fork(&mut self, command: &ServerCommand, place: &Place<'_>) -> libc::pid_t {
        let fork: unsafe fn() -> libc::pid_t = match place {
            #[cfg(fixed_surroundings)]
            Place::Start if !self.is_native() => surroundings::fork_plainly,
            _ => fork_with_handlers,
        };
        FORKS_CASE.store(true, Ordering::Relaxed);
        // SAFETY: the caller guarantees it.
        let child = unsafe {
            match command.isolate {
                #[cfg(target_os = "linux")]
                true => self.isolation.fork(command.number, fork),
                _ => fork(),
            }
        };
        FORKS_CASE.store(false, Ordering::Relaxed);
        child
    }

    /// Runs the code that each child runs around its case. Valgrind translates code when it first runs, and children do not
    /// translate again what the server has translated before the fork.
    fn rehearse(&mut self) -> io::Result<()> {
        if self.is_native() {
            lead_process_group();
            self.capture.redirect(SERVER_NUMBER)?;
            return self.messages.send(self.region.message(0, false), Token::START);
        }
        self.rehearse_at(&mut Place::Start)?;
        // The first one makes the standard output
        flush();
        flush();
        Ok(())
    }

    /// Runs the code that each child runs around its case at this place.
    fn rehearse_at(&mut self, place: &mut Place<'_>) -> io::Result<()> {
        #[cfg(fixed_surroundings)]
        let unfixed = surroundings::Unfixed::keep();
        let code = self.live(&rehearsal(), place);
        #[cfg(fixed_surroundings)]
        unfixed.restore();
        if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Runs one case in this process and ends the process.
    fn child(&mut self, command: &ServerCommand, place: &mut Place<'_>) -> ! {
        let code =
            if command.entry == ServerCommand::SETTLE { 0 } else { self.live(command, place) };
        end(code)
    }

    /// Runs all that a child runs before its end. Returns its exit code.
    #[inline(never)]
    fn live(&mut self, command: &ServerCommand, place: &mut Place<'_>) -> i32 {
        lead_process_group();
        #[cfg(target_os = "linux")]
        if !isolation::show_processes(command.isolate) {
            let turn = Message::Turn { ended: 0, status: 0, forked: Message::NOT_ISOLATED };
            let _ = self.messages.send(turn, command.token);
            return 0;
        }
        #[cfg(fixed_surroundings)]
        if !self.is_native() {
            surroundings::begin_benchmark();
        }
        let code = self.run_case(command, place);
        if !self.region.has_profile() {
            // Massif only measures the heap when a block is freed
            drop(black_box(Box::new(0_u8)));
        }
        code
    }

    /// Runs one case in this process and reports its region. Returns the exit code.
    #[inline(never)]
    fn run_case(&mut self, command: &ServerCommand, place: &mut Place<'_>) -> i32 {
        if let Err(error) = self.capture.redirect(command.number) {
            eprintln!("{}", message::capture_failed(&error));
            return 1;
        }
        if command.enter {
            if let Err(error) = self.capture.enter() {
                eprintln!("{}", message::place(&error));
                return 1;
            }
        }
        if self.is_native() {
            // SAFETY: a system call without arguments.
            let pid = unsafe { libc::getpid() };
            let message = match self.environment.measuring.counting {
                Counting::Profile => place.repeat(command, pid),
                _ => place.time(command).map(|batch| Message::Time { pid, batch }),
            };
            let Some(message) = message else { return PANICKED };
            let sent = self.messages.send(message, command.token);
            return if sent.is_ok() { 0 } else { NOT_SENT };
        }
        if command.alone && matches!(place, Place::Benchmark(..)) {
            let turn = Message::Turn { ended: 0, status: 0, forked: 0 };
            if self.messages.send(turn, command.token).is_err() {
                return NOT_SENT;
            }
        }
        self.fix_surroundings(command.seed);
        // SAFETY: a system call without arguments.
        let pid = unsafe { libc::getpid() };
        let mut region = self.region.with_first_dump(self.capture.first_dump(command.isolate, pid));
        region.clear_caches();
        let passed = match place {
            Place::Benchmark(_, run) => {
                #[cfg(fixed_surroundings)]
                self.heap.iter().for_each(Heap::restore);
                counters::set_recording(true);
                catch_unwind(AssertUnwindSafe(|| run(&mut region))).is_ok()
            }
            Place::Start | Place::End(_) => {
                let run = case_function(command.entry);
                let item = usize::try_from(command.item).unwrap_or(0);
                catch_unwind(AssertUnwindSafe(|| run(&mut region, item))).is_ok()
            }
        };
        if !passed {
            return PANICKED;
        }
        if let Err(error) = self.capture.write_counters() {
            eprintln!("{}", message::capture_failed(&error));
            return 1;
        }
        #[cfg(fixed_surroundings)]
        let is_unordered = surroundings::has_unordered_threads();
        #[cfg(not(fixed_surroundings))]
        let is_unordered = false;
        // The case can have copied the process. The message of the rehearsal has no process id
        // SAFETY: a system call without arguments.
        let pid = unsafe { libc::getpid() };
        let sender = if command.token == Token::START { 0 } else { pid };
        let sent = self.messages.send(region.message(sender, is_unordered), command.token);
        if sent.is_ok() { 0 } else { NOT_SENT }
    }

    /// Returns `true` if calls are timed or repeated, and do not count.
    fn is_native(&self) -> bool {
        self.environment.measuring.counting.is_native()
    }

    /// Fixes random numbers and time, unless they are the system's.
    fn fix_surroundings(&self, seed: Option<u64>) {
        #[cfg(not(fixed_surroundings))]
        let _ = (self.environment.virtual_clock, seed);
        #[cfg(fixed_surroundings)]
        if let Some(seed) = seed {
            surroundings::fix_randomness(seed);
            if self.environment.virtual_clock {
                surroundings::fix_clock(seed);
            }
        }
    }

    /// Returns the visitor of a walk through the file, which serves commands at each benchmark. `empty` runs the code around a
    /// benchmark, for the rehearsal.
    fn start_walk(mut self, empty: &mut dyn FnMut(&mut Region)) -> io::Result<Rc<RefCell<Walker>>> {
        let counting = self.environment.measuring.counting;
        let counts = counting != Counting::Process && !counting.is_native();
        if counts {
            self.rehearse_walk(empty)?;
        }
        // Seed 0 here, so that shared code sees the same numbers in each benchmark
        if !self.is_native() {
            self.fix_surroundings(self.pending.and_then(|command| command.seed).map(|_| 0));
        }
        #[cfg(fixed_surroundings)]
        {
            self.heap = counts.then(Heap::empty).flatten();
        }
        if let Some(command) = self.pending.filter(|command| command.alone) {
            self.capture.open_ahead(command.number)?;
        }
        // The code around the benchmarks belongs to none of them
        counters::set_recording(false);
        Ok(Rc::new(RefCell::new(Walker { server: self, passed: Vec::new() })))
    }

    /// Does the same as [`Self::rehearse`] for the benchmarks of a walk. Afterwards the heap is as before, so that the
    /// walk starts with the same one.
    fn rehearse_walk(&mut self, empty: &mut dyn FnMut(&mut Region)) -> io::Result<()> {
        #[cfg(fixed_surroundings)]
        {
            self.heap = Heap::empty();
            Heap::leave_free_blocks();
        }
        let mut run = |region: &mut Region| empty(&mut region.without_requests());
        self.rehearse_at(&mut Place::Benchmark(Item::new("", "", 0), &mut run))
    }
}

/// The server on its walk.
struct Walker {
    server: Server,
    /// Benchmarks that it has reached.
    passed: Vec<Item>,
}

impl Visitor for Walker {
    fn visit(&mut self, reached: Reached<'_>, run: &mut dyn FnMut(&mut Region)) {
        let item = reached.item(self.passed.len());
        self.passed.push(item);
        // As in `prepare`, for the code since the last benchmark
        callgrind::zero_stats();
        match self.server.turns(&mut Place::Benchmark(item, run)) {
            Ok(true) => {}
            Ok(false) => end(0),
            Err(error) => {
                eprintln!("{}", Cause::Server(error));
                end(1);
            }
        }
    }
}

impl Place<'_> {
    /// Returns `true` if the walk may reach the benchmark of the command further on.
    fn is_before(&self, command: &ServerCommand) -> bool {
        match self {
            Self::Start => true,
            Self::Benchmark(item, _) => !item.is_wanted(command),
            Self::End(_) => false,
        }
    }

    /// Returns the reason why a child can't run the benchmark of the command, as [`Message::Turn`] has it.
    fn obstacle(&self, command: &ServerCommand) -> Option<i32> {
        match self {
            Self::Benchmark(..) if !command.alone && has_had_threads() => {
                Some(Message::HAS_THREADS)
            }
            Self::End(End { panicked, passed }) if command.entry == ServerCommand::WALK => {
                Some(match panicked {
                    _ if passed.iter().any(|item| item.is_wanted(command)) => Message::PASSED,
                    true => Message::WALK_PANICKED,
                    false => Message::NOT_REACHED,
                })
            }
            _ => None,
        }
    }
}

/// Returns `true` if this process has other threads than this one, or had them.
///
/// Threads of the walk continue while the server waits for commands, which takes a different time in each run. So their
/// effects, such as the heaps of threads that have ended, differ from run to run.
fn has_had_threads() -> bool {
    #[cfg(fixed_surroundings)]
    if surroundings::has_started_threads() {
        return true;
    }
    #[cfg(target_os = "linux")]
    return !is_single()
        && !(0..MOMENT).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            is_single()
        });
    #[cfg(not(target_os = "linux"))]
    false
}

/// Number of milliseconds in which a thread that was joined exits, also next to other work.
#[cfg(target_os = "linux")]
const MOMENT: u32 = 50;

/// Returns `true` if this process has a single thread.
#[cfg(target_os = "linux")]
fn is_single() -> bool {
    use std::os::unix::fs::MetadataExt;

    // SAFETY: a system call without pointers. The kernel allows it, which changes nothing, only to a single thread.
    if unsafe { libc::unshare(libc::CLONE_THREAD) } == 0 {
        return true;
    }
    // Containers refuse it. The directory has a link for each thread, after its own ones
    io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL)
        && std::fs::metadata("/proc/self/task").is_ok_and(|threads| threads.nlink() == 3)
}

/// Makes this process the leader of a new process group, and ends it with its parent process.
#[inline(never)]
fn lead_process_group() {
    // SAFETY: system calls without pointers.
    unsafe {
        libc::setpgid(0, 0);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// Sets the costs of a new process to zero, because the costs before its fork must not count again. A child of the
/// server begins its region at zero.
extern "C" fn zero_stats() {
    if !FORKS_CASE.load(Ordering::Relaxed) {
        callgrind::zero_stats();
    }
}

/// Forks this process, with the handlers that the code of the file can have registered.
///
/// # Safety
///
/// As for `fork`.
unsafe fn fork_with_handlers() -> libc::pid_t {
    // SAFETY: the caller guarantees it.
    unsafe { libc::fork() }
}

/// Runs the code of the harness around a benchmark of a walk.
pub(crate) fn empty_benchmark(region: &mut Region) {
    region.measure(|| ());
}

/// Returns the command whose case is the code around a call.
fn rehearsal() -> ServerCommand {
    ServerCommand {
        entry: distance(|region, _| region.rehearse()),
        item: 0,
        seed: Some(0),
        number: SERVER_NUMBER,
        wait: false,
        fork: false,
        enter: false,
        alone: false,
        isolate: false,
        token: Token::START,
    }
}

/// Ends this process without exit handlers. They have no task here, and Valgrind would translate them in
/// every child.
fn end(code: i32) -> ! {
    flush();
    // SAFETY: always allowed.
    unsafe { libc::_exit(code) }
}

/// Writes the buffered output of the benchmark, that of Rust and that of C.
#[inline(never)]
fn flush() {
    let _ = io::stdout().flush();
    // SAFETY: null means all streams.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Copies the standard streams to the descriptors of the pipes.
///
/// # Safety
///
/// No other code uses the streams or the descriptors.
unsafe fn move_pipes() -> io::Result<()> {
    // SAFETY: the caller guarantees it.
    unsafe {
        move_descriptor(libc::STDIN_FILENO, COMMANDS)?;
        move_descriptor(libc::STDOUT_FILENO, MESSAGES)
    }
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

/// Reads a whole command. Returns `false` at the end of the pipe.
fn receive(bytes: &mut [u8; ServerCommand::LENGTH]) -> io::Result<bool> {
    // SAFETY: the buffer is as long as the call says.
    let read = again(|| unsafe { libc::read(COMMANDS, bytes.as_mut_ptr().cast(), bytes.len()) });
    match usize::try_from(read) {
        Ok(0) => Ok(false),
        Ok(ServerCommand::LENGTH) => Ok(true),
        Ok(_) => Err(io::Error::other(message::INCOMPLETE_COMMAND)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Waits for a child to exit. Returns its process id, and -1 without a child.
fn wait(status: &mut libc::c_int) -> libc::pid_t {
    // SAFETY: the pointer is valid during the call.
    let ended = again(|| unsafe { libc::waitpid(-1, status, 0) as libc::ssize_t });
    libc::pid_t::try_from(ended).unwrap_or(-1)
}

/// Makes a system call until no signal interrupts it: the file can handle signals that arrive at any time.
fn again(mut call: impl FnMut() -> libc::ssize_t) -> libc::ssize_t {
    loop {
        let result = call();
        if result >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return result;
        }
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
