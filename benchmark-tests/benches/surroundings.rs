//! Benchmarks whose counts depend on what the system says: threads, random numbers, and the number of CPUs.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::sync::{Arc, Barrier, Condvar, Mutex, mpsc};
use std::thread::{self, JoinHandle, available_parallelism};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Executes as many instructions as the number says.
fn spin(number: u64) -> u64 {
    (0..number % 5000).fold(0, |sum, number| black_box(sum ^ number))
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

library_benchmark_group!(name = threads; benchmarks = stealing, channel, mutex);
library_benchmark_group!(
    name = randomness;
    benchmarks = function, system_call, entropy, device, auxiliary_vector
);
library_benchmark_group!(name = machine; benchmarks = cpus);
main!(library_benchmark_groups = threads, randomness, machine);
