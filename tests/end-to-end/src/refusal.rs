//! Commands to which the kernel refuses a system call, as in a container.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes a system call of the command fail with this error.
pub fn refuse(command: &mut Command, system_call: libc::c_long, error: libc::c_int) {
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(move || filter(system_call, error)) };
}

fn filter(system_call: libc::c_long, error: libc::c_int) -> io::Result<()> {
    const LOAD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let refused = libc::SECCOMP_RET_ERRNO | error.unsigned_abs();
    let operation = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
    let mut program = [
        // The number of the system call is the first field
        operation(LOAD, 0, 0),
        operation(JUMP_IF_EQUAL, 1, u32::try_from(system_call).unwrap_or_default()),
        operation(RETURN, 0, refused),
        operation(RETURN, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: program.as_mut_ptr() };
    // SAFETY: system calls; the program is valid for the duration of the call.
    let is_done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if is_done { Ok(()) } else { Err(io::Error::last_os_error()) }
}
