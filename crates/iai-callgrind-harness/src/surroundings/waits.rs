//! Waits with a time limit, by the virtual clock.
//!
//! A wait ends as it would by the system's clock: a limit that is a time of the virtual clock becomes one of the
//! system's. When a wait reaches its limit, the virtual clock advances to it.

use std::ffi::{c_int, c_uint};
use std::ptr;

use libc::{clockid_t, nfds_t, timespec, timeval};

use super::c_library::functions_of_c_library;
use super::clock::{self, Deadline, SECOND, nanoseconds};
use super::kernel;

functions_of_c_library!(own:
    nanosleep, clock_nanosleep, poll, ppoll, select, pselect, epoll_wait, epoll_pwait,
    sem_timedwait, pthread_mutex_timedlock, pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock,
    pthread_cond_timedwait, mtx_timedlock, cnd_timedwait, pthread_timedjoin_np,
    sem_clockwait, pthread_mutex_clocklock, pthread_rwlock_clockrdlock, pthread_rwlock_clockwrlock,
    pthread_cond_clockwait, pthread_clockjoin_np,
    timerfd_settime, timer_settime,
);

/// Returns the deadline of a wait that takes this long; `None` with the system's clock or without a limit.
///
/// # Safety
///
/// The pointer is null or valid for reads.
unsafe fn after(limit: *const timespec) -> Option<Deadline> {
    // SAFETY: the caller is responsible for the pointer.
    let limit = unsafe { limit.as_ref() }.filter(|_| clock::is_virtual())?;
    Some(Deadline::after(nanoseconds(*limit)))
}

/// Returns the deadline of a wait of this many milliseconds; a negative number has no limit.
fn after_milliseconds(limit: c_int) -> Option<Deadline> {
    let limit = u64::try_from(limit).ok().filter(|_| clock::is_virtual())?;
    Some(Deadline::after(limit * (SECOND / 1000)))
}

/// Returns the deadline of a wait that takes this long, as [`after`] does.
///
/// # Safety
///
/// The pointer is null or valid for reads.
unsafe fn after_timeval(limit: *const timeval) -> Option<Deadline> {
    // SAFETY: the caller is responsible for the pointer.
    let &timeval { tv_sec, tv_usec } = unsafe { limit.as_ref() }?;
    let limit = timespec { tv_sec, tv_nsec: tv_usec.saturating_mul(1000) };
    // SAFETY: the pointer is valid during the call.
    unsafe { after(&raw const limit) }
}

/// Advances the virtual clock to the deadline of a wait that has reached it. Returns the result of the wait.
fn ended<R>(deadline: Option<Deadline>, result: R, is_at_limit: bool) -> R {
    if let Some(deadline) = deadline.filter(|_| is_at_limit) {
        deadline.reach();
    }
    result
}

/// Calls a function that waits until a time of a virtual clock with the same time of the system's clock. No generic
/// function, because users compile it.
///
/// # Safety
///
/// The pointer is null or valid for reads.
unsafe fn until(
    limit: *const timespec,
    call: &mut dyn FnMut(*const timespec) -> isize,
    is_at_limit: fn(isize) -> bool,
) -> isize {
    // SAFETY: the caller is responsible for the pointer.
    let Some(time) = unsafe { limit.as_ref() }.filter(|_| clock::is_virtual()) else {
        return call(limit);
    };
    let (deadline, real) = Deadline::at(*time);
    let result = call(&raw const real);
    ended(Some(deadline), result, is_at_limit(result))
}

/// Returns `true` if a function failed because its time was up. Some return the error, others set `errno`.
fn is_timeout(result: isize) -> bool {
    /// The result of the functions for threads in the C standard.
    const THRD_TIMEDOUT: isize = 4;
    match result {
        // SAFETY: the pointer is always valid.
        -1 => unsafe { *libc::__errno_location() == libc::ETIMEDOUT },
        result => [libc::ETIMEDOUT as isize, THRD_TIMEDOUT].contains(&result),
    }
}

/// Defines functions whose last argument is the time until which they wait at most.
macro_rules! waits_until {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        /// Waits as the C library's function does.
        ///
        /// # Safety
        ///
        /// The arguments are valid for the function.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type,)* limit: *const timespec) -> c_int {
            // SAFETY: the caller is responsible for the arguments; the C library's function has this type.
            unsafe {
                let own: unsafe extern "C" fn($($type,)* *const timespec) -> c_int =
                    own::$name.get();
                until(limit, &mut |limit| own($($argument,)* limit) as isize, is_timeout) as c_int
            }
        }
    )*};
}

// An address or a thread is a `usize` here
waits_until! {
    sem_timedwait(semaphore: usize);
    sem_clockwait(semaphore: usize, clock: clockid_t);
    pthread_mutex_timedlock(mutex: usize);
    pthread_mutex_clocklock(mutex: usize, clock: clockid_t);
    mtx_timedlock(mutex: usize);
    pthread_rwlock_timedrdlock(lock: usize);
    pthread_rwlock_timedwrlock(lock: usize);
    pthread_rwlock_clockrdlock(lock: usize, clock: clockid_t);
    pthread_rwlock_clockwrlock(lock: usize, clock: clockid_t);
    pthread_cond_timedwait(condition: usize, mutex: usize);
    pthread_cond_clockwait(condition: usize, mutex: usize, clock: clockid_t);
    cnd_timedwait(condition: usize, mutex: usize);
    pthread_timedjoin_np(thread: usize, result: usize);
    pthread_clockjoin_np(thread: usize, result: usize, clock: clockid_t);
}

/// Defines functions that wait for a time, and return zero when it is up.
macro_rules! waits_for {
    ($($name:ident($($argument:ident: $type:ty),*) until $deadline:expr;)*) => {$(
        /// Waits as the C library's function does.
        ///
        /// # Safety
        ///
        /// The arguments are valid for the function.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the caller is responsible for the arguments; the C library's function has this type.
            unsafe {
                let deadline = $deadline;
                let own: unsafe extern "C" fn($($type),*) -> c_int = own::$name.get();
                let result = own($($argument),*);
                ended(deadline, result, result == 0)
            }
        }
    )*};
}

// An address is a `usize` here
waits_for! {
    nanosleep(time: *const timespec, rest: *mut timespec) until after(time);
    poll(files: usize, number: nfds_t, limit: c_int) until after_milliseconds(limit);
    ppoll(files: usize, number: nfds_t, limit: *const timespec, signals: usize)
        until after(limit);
    select(number: c_int, read: usize, write: usize, except: usize, limit: *mut timeval)
        until after_timeval(limit);
    pselect(
        number: c_int, read: usize, write: usize, except: usize, limit: *const timespec,
        signals: usize
    ) until after(limit);
    epoll_wait(file: c_int, events: usize, number: c_int, limit: c_int)
        until after_milliseconds(limit);
    epoll_pwait(file: c_int, events: usize, number: c_int, limit: c_int, signals: usize)
        until after_milliseconds(limit);
}

/// Sleeps as `clock_nanosleep(2)` does.
///
/// # Safety
///
/// The pointers are valid for the function.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    time: *const timespec,
    rest: *mut timespec,
) -> c_int {
    // SAFETY: the caller is responsible for the arguments; the C library's function has this type.
    unsafe {
        let own: unsafe extern "C" fn(clockid_t, c_int, *const timespec, *mut timespec) -> c_int =
            own::clock_nanosleep.get();
        if flags & libc::TIMER_ABSTIME != 0 {
            let mut call = |time: *const timespec| own(clock, flags, time, rest) as isize;
            return until(time, &mut call, |result| result == 0) as c_int;
        }
        let deadline = after(time);
        let result = own(clock, flags, time, rest);
        ended(deadline, result, result == 0)
    }
}

/// Sleeps as `sleep(3)` does.
///
/// # Safety
///
/// Always safe to call.
#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let time = timespec { tv_sec: seconds.into(), tv_nsec: 0 };
    let mut rest = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointers are valid during the call.
    match unsafe { nanosleep(&raw const time, &raw mut rest) } {
        0 => 0,
        _ => c_uint::try_from(rest.tv_sec).unwrap_or(seconds),
    }
}

/// Sleeps as `usleep(3)` does.
///
/// # Safety
///
/// Always safe to call.
#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    let time = clock::timespec(u64::from(microseconds) * 1000);
    // SAFETY: the pointers are null or valid during the call.
    unsafe { nanosleep(&raw const time, ptr::null_mut()) }
}

/// Sets a timer as `timerfd_settime(2)` does.
///
/// # Safety
///
/// The arguments are valid for the function.
#[unsafe(no_mangle)]
unsafe extern "C" fn timerfd_settime(
    file: c_int,
    flags: c_int,
    new: *const libc::itimerspec,
    old: *mut libc::itimerspec,
) -> c_int {
    // SAFETY: the caller is responsible for the arguments; the C library's function has this type.
    unsafe {
        let own: SetTimer<c_int> = own::timerfd_settime.get();
        set_timer(flags & libc::TFD_TIMER_ABSTIME != 0, new, |new| own(file, flags, new, old))
    }
}

/// Sets a timer as `timer_settime(2)` does.
///
/// # Safety
///
/// The arguments are valid for the function.
#[unsafe(no_mangle)]
unsafe extern "C" fn timer_settime(
    timer: usize,
    flags: c_int,
    new: *const libc::itimerspec,
    old: *mut libc::itimerspec,
) -> c_int {
    // SAFETY: the caller is responsible for the arguments; the C library's function has this type.
    unsafe {
        let own: SetTimer<usize> = own::timer_settime.get();
        set_timer(flags & libc::TIMER_ABSTIME != 0, new, |new| own(timer, flags, new, old))
    }
}

type SetTimer<T> =
    unsafe extern "C" fn(T, c_int, *const libc::itimerspec, *mut libc::itimerspec) -> c_int;

/// Calls a function that sets a timer, with the system's time instead of the virtual clock's. A zero turns it off.
///
/// # Safety
///
/// The pointer is null or valid for reads.
unsafe fn set_timer(
    is_absolute: bool,
    new: *const libc::itimerspec,
    call: impl FnOnce(*const libc::itimerspec) -> c_int,
) -> c_int {
    // SAFETY: the caller is responsible for the pointer.
    let setting = unsafe { new.as_ref() }
        .filter(|new| is_absolute && clock::is_virtual() && nanoseconds(new.it_value) != 0);
    let Some(setting) = setting else { return call(new) };
    let (_, it_value) = Deadline::at(setting.it_value);
    call(&libc::itimerspec { it_value, ..*setting })
}

/// Waits for a futex, as the system call `futex(2)` with these arguments does, or does something else with one.
///
/// # Safety
///
/// The arguments are valid for the call.
pub(super) unsafe fn futex(arguments: [usize; 6]) -> isize {
    const COMMAND: c_int = libc::FUTEX_CMD_MASK;
    let [_, operation, _, limit, ..] = arguments;
    let limit = limit as *const timespec;
    let mut call = |limit: *const timespec| {
        let mut arguments = arguments;
        arguments[3] = limit as usize;
        // SAFETY: the caller is responsible for the other arguments.
        unsafe { kernel::call(libc::SYS_futex, arguments) }
    };
    let is_timeout: fn(isize) -> bool = |result| result == -(libc::ETIMEDOUT as isize);
    // SAFETY: these operations have a limit, null or valid; in others the argument is a number.
    unsafe {
        match operation as c_int & COMMAND {
            libc::FUTEX_WAIT => {
                let deadline = after(limit);
                let result = call(limit);
                ended(deadline, result, is_timeout(result))
            }
            libc::FUTEX_WAIT_BITSET
            | libc::FUTEX_LOCK_PI
            | libc::FUTEX_LOCK_PI2
            | libc::FUTEX_WAIT_REQUEUE_PI => until(limit, &mut call, is_timeout),
            _ => call(limit),
        }
    }
}
