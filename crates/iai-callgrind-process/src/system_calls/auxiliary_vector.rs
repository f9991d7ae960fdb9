//! The values with which the kernel starts a program, read by a system call.
//!
//! Since Linux 6.4 a program can ask for them with `PR_GET_AUXV`. Valgrind passes the call on, and
//! the kernel answers with Valgrind's own values. One is the address of the functions of the kernel
//! (vDSO), which Valgrind has removed: the crate `rustix` reads there when it looks for the page
//! size or a clock, and the program crashes. Without the call, programs read `/proc/self/auxv`,
//! which Valgrind replaces with a file with the right values.

use std::os::unix::process::CommandExt;
use std::process::Command;

use super::filter::{Condition, Filter, Rule};

/// The first argument of `prctl`.
const PR_GET_AUXV: u32 = 0x4155_5856;

/// Has the kernel answer a command as if it did not know the call, if it allows filters.
pub fn hide_auxiliary_vector(command: &mut Command) {
    let mut filter = Filter::new(&[Rule {
        call: libc::SYS_prctl,
        conditions: [Some(Condition::lower_is(0, PR_GET_AUXV)), None],
        decision: libc::SECCOMP_RET_ERRNO | libc::EINVAL.unsigned_abs(),
    }]);
    let install = move || {
        // Without the flag, some kernels run the processes of a filter slower
        let _ = filter.install(libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW);
        Ok(())
    };
    // SAFETY: the closure makes system calls, which are allowed between fork and exec.
    unsafe { command.pre_exec(install) };
}
