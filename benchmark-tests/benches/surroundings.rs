//! Benchmarks whose counts depend on what the system says: threads, random numbers, clocks, and the number
//! of CPUs.

#[path = "surroundings/ring.rs"]
mod ring;

use std::arch::asm;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;
use std::sync::{Arc, Barrier, Condvar, Mutex, WaitTimeoutResult, mpsc};
use std::thread::{self, JoinHandle, available_parallelism};
use std::time::{Duration, Instant, SystemTime};
use std::{mem, ptr};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Executes as many instructions as the number says.
fn spin(number: u64) -> u64 {
    // With fewer numbers, two times are the same by chance now and then
    (0..number % 1_000_000).fold(0, |sum, number| black_box(sum ^ number))
}

/// Threads that wait for work and yield for a while, as those of a pool do.
struct Pool {
    work: Arc<(Mutex<Vec<u64>>, Condvar)>,
    workers: Vec<JoinHandle<u64>>,
}

fn pool() -> Pool {
    let work = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let workers = (0..available_parallelism().unwrap().get()).map(|_| {
        let work = Arc::clone(&work);
        thread::spawn(move || run_worker(&work))
    });
    let workers = workers.collect();
    Pool { work, workers }
}

fn run_worker((work, is_there): &(Mutex<Vec<u64>>, Condvar)) -> u64 {
    let mut sum = 0;
    loop {
        let found = (0..20).find_map(|_| {
            let found = work.lock().unwrap().pop();
            if found.is_none() {
                thread::yield_now();
            }
            found
        });
        let number = found.unwrap_or_else(|| {
            let waiting = work.lock().unwrap();
            is_there.wait_while(waiting, |work| work.is_empty()).unwrap().pop().unwrap()
        });
        if number == u64::MAX {
            return sum;
        }
        sum ^= spin(number);
    }
}

#[library_benchmark]
#[bench::of_setup(pool())]
fn stealing(pool: Pool) -> u64 {
    let (work, is_there) = &*pool.work;
    for number in 0..60 {
        work.lock().unwrap().push(number * 11);
        is_there.notify_one();
    }
    for _ in &pool.workers {
        work.lock().unwrap().insert(0, u64::MAX);
        is_there.notify_one();
    }
    pool.workers.into_iter().map(|worker| worker.join().unwrap()).fold(0, |sum, it| sum ^ it)
}

#[library_benchmark]
fn channel() -> u64 {
    let (sender, receiver) = mpsc::channel();
    let senders = (1..4).map(|factor| {
        let sender = sender.clone();
        thread::spawn(move || (0..100).for_each(|number| sender.send(number * factor).unwrap()))
    });
    let senders: Vec<_> = senders.collect();
    drop(sender);
    let sum = receiver.iter().map(|number| spin(number % 50)).sum();
    for sender in senders {
        sender.join().unwrap();
    }
    sum
}

#[library_benchmark]
fn mutex() -> u64 {
    let (sum, start) = (Mutex::new(0), Barrier::new(4));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                (0..300).for_each(|number| *sum.lock().unwrap() += spin(number % 20));
            });
        }
    });
    sum.into_inner().unwrap()
}

#[library_benchmark]
fn function() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer has this length.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    spin(u64::from_le_bytes(bytes))
}

#[library_benchmark]
fn system_call() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer has this length.
    unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
    spin(u64::from_le_bytes(bytes))
}

/// Asks for random numbers as a crate does that makes system calls itself.
#[library_benchmark]
fn direct_numbers() -> u64 {
    let mut bytes = [[0_u8; 8]; 2];
    for bytes in &mut bytes {
        let arguments = [bytes.as_mut_ptr() as usize, bytes.len(), 0];
        // SAFETY: the buffer has this length.
        assert_eq!(unsafe { direct_call(libc::SYS_getrandom, arguments) }, 8);
    }
    assert_ne!(bytes[0], bytes[1]);
    spin(u64::from_le_bytes(bytes[0]))
}

#[library_benchmark]
fn entropy() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: the buffer has this length.
    unsafe { libc::getentropy(bytes.as_mut_ptr().cast(), bytes.len()) };
    spin(u64::from_le_bytes(bytes))
}

#[library_benchmark]
fn device() -> u64 {
    let mut bytes = [0; 8];
    File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    spin(u64::from_le_bytes(bytes))
}

#[library_benchmark]
fn auxiliary_vector() -> u64 {
    // SAFETY: the kernel passes the address of 16 bytes.
    spin(unsafe { (libc::getauxval(libc::AT_RANDOM) as *const u64).read_unaligned() })
}

#[library_benchmark]
fn cpus() -> usize {
    // SAFETY: a call without pointers.
    let [configured, online] = [libc::_SC_NPROCESSORS_CONF, libc::_SC_NPROCESSORS_ONLN]
        .map(|name| usize::try_from(unsafe { libc::sysconf(name) }).unwrap());
    let seen = available_parallelism().unwrap().get();
    assert_eq!((configured, online), (seen, seen));
    println!("{seen} CPUs");
    seen
}

/// Asks the kernel for the values with which it started the program. Under Valgrind they are those of Valgrind.
#[library_benchmark]
fn values_of_the_kernel() -> i32 {
    const PR_GET_AUXV: i32 = 0x4155_5856;
    let mut values = [0_usize; 64];
    // SAFETY: the buffer has this length.
    let length =
        unsafe { libc::prctl(PR_GET_AUXV, values.as_mut_ptr(), size_of_val(&values), 0, 0) };
    println!("{length} bytes");
    length
}

#[library_benchmark]
fn reading() -> Instant {
    Instant::now()
}

#[library_benchmark]
fn instant() -> u64 {
    let mut hasher = DefaultHasher::new();
    Instant::now().hash(&mut hasher);
    spin(hasher.finish())
}

#[library_benchmark]
fn date() -> u64 {
    spin(SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos().into())
}

#[library_benchmark]
fn date_in_c() -> u64 {
    let microseconds = || SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let before = microseconds();
    // SAFETY: the pointers are valid during the calls.
    unsafe { libc::gettimeofday(&raw mut time, ptr::null_mut()) };
    let after = microseconds();
    let [seconds, part] = [time.tv_sec, time.tv_usec].map(|value| u64::try_from(value).unwrap());
    assert!((before..=after).contains(&u128::from(seconds * 1_000_000 + part)));
    spin(part)
}

unsafe extern "C" {
    fn clock() -> libc::clock_t;
}

/// Reads the time of the CPU with functions of C that have the kernel read it.
#[library_benchmark]
fn cpu_time() -> u64 {
    // SAFETY: zeros are valid values of these types, and the pointers are valid during the calls.
    unsafe {
        let (mut usage, mut times): (libc::rusage, libc::tms) = (mem::zeroed(), mem::zeroed());
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        libc::times(&raw mut times);
        let rest = usage.ru_stime.tv_usec + usage.ru_minflt + usage.ru_nvcsw + times.tms_stime;
        let time = clock() + usage.ru_utime.tv_usec + usage.ru_maxrss + times.tms_utime + rest;
        spin(time.unsigned_abs())
    }
}

/// Makes a system call without the C library, as some crates do.
///
/// # Safety
///
/// The arguments are valid for the call.
unsafe fn direct_call(number: libc::c_long, arguments: [usize; 3]) -> libc::c_long {
    let [first, second, third] = arguments;
    let result: libc::c_long;
    // SAFETY: the caller is responsible for the arguments; the call changes no registers but these.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") first, in("rsi") second, in("rdx") third,
            lateout("rcx") _, lateout("r11") _,
        );
        #[cfg(target_arch = "aarch64")]
        asm!(
            "svc 0",
            in("x8") number, inlateout("x0") first => result, in("x1") second, in("x2") third,
        );
    }
    result
}

/// Reads a clock with a system call.
fn direct_now(clock: libc::clockid_t) -> [u64; 2] {
    let mut time = [0_u64; 2];
    let clock = usize::from_ne_bytes(i64::from(clock).to_ne_bytes());
    let arguments = [clock, time.as_mut_ptr() as usize, 0];
    // SAFETY: the pointer is valid during the call.
    assert_eq!(unsafe { direct_call(libc::SYS_clock_gettime, arguments) }, 0);
    time
}

/// Reads a clock as a crate does that makes system calls itself. It is the clock of the C library.
#[library_benchmark]
fn direct_reading() -> u64 {
    let before = now(libc::CLOCK_MONOTONIC);
    let time = direct_now(libc::CLOCK_MONOTONIC);
    let after = now(libc::CLOCK_MONOTONIC);
    let [before, after] =
        [before, after].map(|time| [time.tv_sec, time.tv_nsec].map(i64::unsigned_abs));
    assert!((before..=after).contains(&time));
    spin(time[1] / 1000)
}

/// Reads the CPU time of a process and of a thread by their ids.
#[library_benchmark]
fn cpu_time_by_id() -> u64 {
    let [mut process, mut thread] = [0; 2];
    // SAFETY: the pointers are valid during the calls, and the thread exists.
    unsafe {
        assert_eq!(libc::clock_getcpuclockid(libc::getpid(), &raw mut process), 0);
        assert_eq!(libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut thread), 0);
    }
    let [time, direct] = [now(process).tv_nsec.unsigned_abs(), direct_now(thread)[1]];
    assert!(time < direct);
    spin(direct / 1000)
}

fn now(clock: libc::clockid_t) -> libc::timespec {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid during the call.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time
}

/// The time that each wait takes.
const LIMIT: Duration = Duration::from_millis(3);

/// Waits, and executes as many instructions as the wait took nanoseconds more than it should.
fn wait(wait: impl FnOnce()) -> u64 {
    let start = Instant::now();
    wait();
    let more = start.elapsed().checked_sub(LIMIT).expect("the wait takes its time");
    spin(u64::try_from(more.as_nanos()).unwrap())
}

#[library_benchmark]
fn busy_wait() -> u64 {
    wait(|| {
        let start = Instant::now();
        while start.elapsed() < LIMIT {}
    })
}

#[library_benchmark]
fn waits() -> u64 {
    let lock = Mutex::new(());
    let is_over = |time: WaitTimeoutResult| assert!(time.timed_out());
    let (_sender, receiver) = mpsc::channel::<()>();
    wait(|| thread::sleep(LIMIT))
        ^ wait(|| thread::park_timeout(LIMIT))
        ^ wait(|| assert!(receiver.recv_timeout(LIMIT).is_err()))
        ^ wait(|| is_over(Condvar::new().wait_timeout(lock.lock().unwrap(), LIMIT).unwrap().1))
}

/// Returns the time at the end of a wait.
fn end(clock: libc::clockid_t) -> libc::timespec {
    let mut time = now(clock);
    time.tv_nsec += i64::from(LIMIT.subsec_nanos());
    time.tv_sec += time.tv_nsec / 1_000_000_000;
    time.tv_nsec %= 1_000_000_000;
    time
}

/// Waits until a time with functions of C, each of which ends because its time is up.
#[library_benchmark]
fn deadlines_in_c() -> u64 {
    use libc::{CLOCK_MONOTONIC, CLOCK_REALTIME, ETIMEDOUT};
    // SAFETY: the pointers are valid during the calls; zeros are valid values of these types.
    unsafe {
        let mut mutex: libc::pthread_mutex_t = mem::zeroed();
        let mut condition: libc::pthread_cond_t = mem::zeroed();
        let mut semaphore: libc::sem_t = mem::zeroed();
        let (mutex, condition) = (&raw mut mutex, &raw mut condition);
        let alarm = libc::timerfd_create(CLOCK_MONOTONIC, 0);
        libc::pthread_mutex_lock(mutex);
        let counts = [
            wait(|| {
                let end = end(CLOCK_REALTIME);
                assert_eq!(
                    libc::pthread_cond_timedwait(condition, mutex, &raw const end),
                    ETIMEDOUT
                );
            }),
            wait(|| {
                let end = end(CLOCK_REALTIME);
                assert_eq!(libc::sem_timedwait(&raw mut semaphore, &raw const end), -1);
            }),
            wait(|| {
                let end = end(CLOCK_MONOTONIC);
                let flags = libc::TIMER_ABSTIME;
                let rest = ptr::null_mut();
                assert_eq!(libc::clock_nanosleep(CLOCK_MONOTONIC, flags, &raw const end, rest), 0);
            }),
            {
                let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                let new = libc::itimerspec { it_interval: none, it_value: end(CLOCK_MONOTONIC) };
                let flags = libc::TFD_TIMER_ABSTIME;
                libc::timerfd_settime(alarm, flags, &raw const new, ptr::null_mut());
                let mut times = 0_u64;
                libc::read(alarm, (&raw mut times).cast(), 8);
                spin(times)
            },
        ];
        libc::close(alarm);
        counts.into_iter().fold(0, |sum, it| sum ^ it)
    }
}

/// Waits for a while with functions of C, each of which ends because its time is up.
#[library_benchmark]
fn limits_in_c() -> u64 {
    // SAFETY: the pointers are null or valid during the calls.
    unsafe {
        let epoll = libc::epoll_create1(0);
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        let mut time = libc::timeval { tv_sec: 0, tv_usec: 3000 };
        let none = ptr::null_mut;
        let counts = [
            wait(|| assert_eq!(libc::poll(ptr::null_mut(), 0, 3), 0)),
            wait(|| assert_eq!(libc::select(0, none(), none(), none(), &raw mut time), 0)),
            wait(|| assert_eq!(libc::epoll_wait(epoll, &raw mut event, 1, 3), 0)),
            wait(|| assert_eq!(libc::usleep(3000), 0)),
        ];
        libc::close(epoll);
        counts.into_iter().fold(0, |sum, it| sum ^ it)
    }
}

/// Waits for another process with a limit that no function of the C library knows.
#[library_benchmark]
fn foreign_wait() -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        Command::new("sleep").arg("1").status().unwrap();
    }
    true
}

/// Waits for another process longer than the clock may be behind.
fn wait_for_process() {
    Command::new("sleep").arg("11").status().unwrap();
}

/// Uses the first time that it reads, as crates do that make a seed of it.
#[library_benchmark]
#[bench::at_once(())]
#[bench::after_slow_setup(setup = wait_for_process)]
fn first_instant((): ()) -> u64 {
    let mut hasher = DefaultHasher::new();
    Instant::now().hash(&mut hasher);
    spin(hasher.finish())
}

/// Executes an instruction in each of as many lines as the simulated instruction cache has, but for a few.
#[inline(never)]
fn fill_instruction_cache() {
    // SAFETY: nothing but jumps forward to the next line.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(".p2align 6", ".rept 480", "jmp 2f", ".p2align 6", "2:", ".endr");
        #[cfg(target_arch = "aarch64")]
        asm!(".p2align 6", ".rept 480", "b 2f", ".p2align 6", "2:", ".endr");
    }
}

/// Fills the cache after a time that the harness's clock does not see.
fn fill_after(seconds: i64) {
    let time = libc::timespec { tv_sec: seconds, tv_nsec: 0 };
    // SAFETY: the time is valid during the call.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
    fill_instruction_cache();
}

/// Executes what its setup left in the cache.
#[library_benchmark]
#[benches::seconds(iter = [0, 11], setup = fill_after)]
fn filled_cache((): ()) {
    fill_instruction_cache();
}

/// Waits, at once and when the clock of the machine has advanced.
#[library_benchmark]
#[benches::seconds(iter = [0, 11], setup = fill_after)]
fn wait_after_setup((): ()) {
    thread::sleep(Duration::from_millis(1));
}

/// Reads the clock after a time in which the code ran.
fn run_and_read() {
    const NANOSECONDS: i64 = 200_000_000;
    let counter = || -> u64 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: each CPU has the instruction.
        return unsafe { std::arch::x86_64::_rdtsc() };
        #[cfg(target_arch = "aarch64")]
        {
            let count;
            // SAFETY: Linux lets programs read this register.
            unsafe { asm!("mrs {}, cntvct_el0", out(reg) count) };
            count
        }
    };
    let time = libc::timespec { tv_sec: 0, tv_nsec: NANOSECONDS };
    let start = counter();
    // SAFETY: the time is valid during the call.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const time, 0) };
    let second = (counter() - start) * 1_000_000_000 / NANOSECONDS.unsigned_abs();
    while counter() - start < 12 * second {
        std::hint::spin_loop();
    }
    let _ = black_box(Instant::now());
}

/// Does not read the clock, which its setup does after ten seconds.
#[library_benchmark]
#[bench::once(setup = run_and_read)]
fn after_busy_setup((): ()) -> u64 {
    spin(1)
}

/// Reads what other processes write, in the same way in each case.
#[library_benchmark]
#[benches::times(iter = 0..5)]
fn output(_: u32) -> usize {
    let output = || Command::new("echo").arg("text").output().unwrap().stdout.len();
    (0..3).map(|_| output()).sum()
}

/// Returns a file on a disk, which the kernel has to read again in each second case.
fn data(number: u32) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_TMPFILE);
    let mut data = options.open(env!("CARGO_TARGET_TMPDIR")).unwrap();
    data.write_all(&vec![1; 500 << 14]).unwrap();
    data.sync_all().unwrap();
    if number % 2 == 1 {
        // SAFETY: a system call without pointers.
        unsafe { libc::posix_fadvise(data.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    }
    data
}

/// Starts processes that read a file at once.
#[library_benchmark]
#[benches::times(iter = 0..4, setup = data)]
fn in_a_ring(data: File) -> File {
    ring::ring(&data);
    data
}

/// Starts processes with functions of C.
#[library_benchmark]
#[benches::times(iter = 0..2)]
fn processes_of_c(_: u32) -> usize {
    let mut line = [0; 64];
    // SAFETY: the strings are C strings, the buffer has this size, and the stream is closed once.
    unsafe {
        let stream = libc::popen(c"sleep 0.01; echo text".as_ptr(), c"r".as_ptr());
        while !libc::fgets(line.as_mut_ptr(), 64, stream).is_null() {}
        libc::pclose(stream);
        assert_eq!(libc::system(c"exit 3".as_ptr()), 3 << 8);
        let mut ends = [0; 2];
        libc::pipe(ends.as_mut_ptr());
        let child = libc::fork();
        if child == 0 {
            libc::write(ends[1], line.as_ptr().cast(), 5);
            libc::_exit(0);
        }
        libc::close(ends[1]);
        let mut read = 0;
        while let Ok(number @ 1..) =
            usize::try_from(libc::read(ends[0], line.as_mut_ptr().cast(), 1))
        {
            read += number;
        }
        libc::close(ends[0]);
        libc::waitpid(child, ptr::null_mut(), 0);
        read
    }
}

library_benchmark_group!(name = threads; benchmarks = stealing, channel, mutex);
library_benchmark_group!(name = processes; benchmarks = output, in_a_ring, processes_of_c);
library_benchmark_group!(
    name = randomness;
    benchmarks = function, system_call, direct_numbers, entropy, device, auxiliary_vector
);
library_benchmark_group!(
    name = clocks;
    benchmarks =
        instant, date, date_in_c, cpu_time, cpu_time_by_id, direct_reading, busy_wait, waits, deadlines_in_c,
        limits_in_c
);
library_benchmark_group!(name = one_reading; benchmarks = reading);
library_benchmark_group!(name = lag; benchmarks = foreign_wait, first_instant, filled_cache, wait_after_setup,
        after_busy_setup);
library_benchmark_group!(name = machine; benchmarks = cpus);
library_benchmark_group!(name = kernel; benchmarks = values_of_the_kernel);
main!(
    library_benchmark_groups = threads,
    processes,
    randomness,
    clocks,
    one_reading,
    lag,
    machine,
    kernel
);
