//! Filters of the kernel (seccomp) that decide about the system calls of a process and of those that it starts.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constants of the kernel, which are small"
)]

use std::mem::offset_of;

use libc::{c_long, seccomp_data, sock_filter};

/// The architecture of the system calls that are filtered, as the kernel names it.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Operations of a filter.
const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// A decision about a system call.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) call: c_long,
    /// The index of an argument and the lower half of the value that it must have.
    pub(super) argument: Option<(usize, u32)>,
    /// `SECCOMP_RET_...`.
    pub(super) decision: u32,
}

/// The program that the kernel runs at each system call.
#[derive(Debug)]
pub(super) struct Filter(Vec<sock_filter>);

impl Filter {
    /// Returns the filter that applies the first rule for a system call, and allows it without one.
    pub(super) fn new(rules: &[Rule]) -> Self {
        let operation = |code, jt, jf, k| sock_filter { code, jt, jf, k };
        let load = |offset: usize| operation(LOAD, 0, 0, offset as u32);
        let result = |decision| operation(RETURN, 0, 0, decision);
        let mut program = vec![
            load(offset_of!(seccomp_data, arch)),
            operation(JUMP_IF_EQUAL, 1, 0, ARCHITECTURE),
            result(libc::SECCOMP_RET_ALLOW),
        ];
        for rule in rules {
            let condition = rule.argument.map(|(index, value)| {
                // Both architectures are little-endian
                let offset = offset_of!(seccomp_data, args) + index * size_of::<u64>();
                [load(offset), operation(JUMP_IF_EQUAL, 0, 1, value)]
            });
            let condition: Vec<_> = condition.into_iter().flatten().collect();
            // Past the condition and the decision
            let next = condition.len() as u8 + 1;
            program.push(load(offset_of!(seccomp_data, nr)));
            program.push(operation(JUMP_IF_EQUAL, 0, next, rule.call as u32));
            program.extend(condition);
            program.push(result(rule.decision));
        }
        program.push(result(libc::SECCOMP_RET_ALLOW));
        Self(program)
    }

    /// Installs the filter for this process, with flags. Returns what the kernel answers, or `None` if it refuses.
    ///
    /// Only makes system calls, which are allowed between fork and exec.
    pub(super) fn install(&mut self, flags: libc::c_ulong) -> Option<c_long> {
        let program = libc::sock_fprog { len: self.0.len() as u16, filter: self.0.as_mut_ptr() };
        let install = || {
            // SAFETY: the program is valid during the call.
            let answer = unsafe {
                libc::syscall(
                    libc::SYS_seccomp,
                    libc::SECCOMP_SET_MODE_FILTER,
                    flags,
                    &raw const program,
                )
            };
            (answer >= 0).then_some(answer)
        };
        install().or_else(|| {
            // Without privileges, a filter needs a promise that no program gains some
            // SAFETY: a system call without pointers.
            unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
            install()
        })
    }
}
