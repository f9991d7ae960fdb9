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
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// A decision about a system call.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) call: c_long,
    /// The conditions on its arguments.
    pub(super) conditions: [Option<Condition>; 2],
    /// `SECCOMP_RET_...`.
    pub(super) decision: u32,
}

/// A condition on the argument with an index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Condition {
    /// The bits of the mask in its lower half are the value.
    Bits {
        index: usize,
        mask: u32,
        value: u32,
    },
    /// The lower half is another value.
    LowerIsNot(usize, u32),
    /// The upper half is another value.
    UpperIsNot(usize, u32),
    IsNotZero(usize),
}

/// The place at which a filter goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Next,
    /// Past this many operations.
    Past(u8),
    /// Past the decision of the rule.
    NextRule,
}

impl Condition {
    /// Returns the condition that the lower half of an argument is this value.
    pub(super) const fn lower_is(index: usize, value: u32) -> Self {
        Self::Bits { index, mask: u32::MAX, value }
    }

    /// Returns `true` for these arguments.
    pub(super) fn holds(self, arguments: &[u64; 6]) -> bool {
        match self {
            Self::Bits { index, mask, value } => arguments[index] as u32 & mask == value,
            Self::LowerIsNot(index, value) => arguments[index] as u32 != value,
            Self::UpperIsNot(index, value) => (arguments[index] >> 32) as u32 != value,
            Self::IsNotZero(index) => arguments[index] != 0,
        }
    }

    /// Returns the operations with the jump targets for equal and for different values.
    fn operations(self) -> Vec<(u16, u32, Target, Target)> {
        use Target::{Next, NextRule, Past};
        // Both architectures are little-endian
        let offset = |index, half| offset_of!(seccomp_data, args) + index * size_of::<u64>() + half;
        let load = |offset: usize| (LOAD, offset as u32, Next, Next);
        let (lower, upper) = (|index| load(offset(index, 0)), |index| load(offset(index, 4)));
        let jump = |value, equal, other| (JUMP_IF_EQUAL, value, equal, other);
        match self {
            Self::Bits { index, mask, value } => {
                vec![lower(index), (AND, mask, Next, Next), jump(value, Next, NextRule)]
            }
            Self::LowerIsNot(index, value) => vec![lower(index), jump(value, NextRule, Next)],
            Self::UpperIsNot(index, value) => vec![upper(index), jump(value, NextRule, Next)],
            Self::IsNotZero(index) => {
                vec![lower(index), jump(0, Next, Past(2)), upper(index), jump(0, NextRule, Next)]
            }
        }
    }
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
            let is_call = (JUMP_IF_EQUAL, rule.call as u32, Target::Next, Target::NextRule);
            let conditions = rule.conditions.into_iter().flatten().flat_map(Condition::operations);
            let operations: Vec<_> = std::iter::once(is_call).chain(conditions).collect();
            program.push(load(offset_of!(seccomp_data, nr)));
            for (index, (code, value, equal, other)) in operations.iter().enumerate() {
                let jump = |target: &Target| match *target {
                    Target::Next => 0,
                    Target::Past(operations) => operations,
                    // The rest of the operations, and the decision
                    Target::NextRule => (operations.len() - index) as u8,
                };
                program.push(operation(*code, jump(equal), jump(other), *value));
            }
            program.push(result(rule.decision));
        }
        program.push(result(libc::SECCOMP_RET_ALLOW));
        Self(program)
    }

    /// Installs the filter for this process, with flags. Returns the kernel's answer, or `None` if
    /// it refuses.
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
