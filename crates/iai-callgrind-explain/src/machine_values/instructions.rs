//! Machine instructions that ask for values of the machine.

use super::{CPU_RANDOM_NUMBERS, TIME_STAMP_COUNTER};
use iai_callgrind_debuginfo::Architecture;

/// An instruction that asks for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// Read of the value with this name.
    Reads(&'static str),
    SystemCall,
}

/// A register with the number of a system call or with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberRegister {
    /// Number of a system call for the instruction.
    Instruction,
    /// Number of a system call for the function `syscall`.
    FirstArgument,
    /// Request for the function `ioctl` and for the system call.
    SecondArgument,
    /// Request for the function `syscall`.
    ThirdArgument,
}

/// Number of bytes before a system call in which its number is set.
const REACH: usize = 48;

/// Returns the meaning of the first instruction of this code; `None` if it asks for nothing.
pub(crate) fn decode(architecture: Architecture, code: &[u8]) -> Option<Instruction> {
    match architecture {
        Architecture::X86_64 => x86_64(code),
        Architecture::Aarch64 => aarch64(u32::from_le_bytes(*code.first_chunk()?)),
        _ => None,
    }
}

fn x86_64(mut code: &[u8]) -> Option<Instruction> {
    // Prefixes of the size of operands
    while let [0x66 | 0x40..=0x4f, rest @ ..] = code {
        code = rest;
    }
    match code {
        // RDTSC, RDTSCP
        [0x0f, 0x31, ..] | [0x0f, 0x01, 0xf9, ..] => Some(Instruction::Reads(TIME_STAMP_COUNTER)),
        // RDRAND, RDSEED
        [0x0f, 0xc7, operand, ..] if operand & 0xf0 == 0xf0 => {
            Some(Instruction::Reads(CPU_RANDOM_NUMBERS))
        }
        // SYSCALL
        [0x0f, 0x05, ..] => Some(Instruction::SystemCall),
        _ => None,
    }
}

fn aarch64(word: u32) -> Option<Instruction> {
    match word & !0x1f {
        // MRS of CNTPCT_EL0, CNTVCT_EL0, CNTPCTSS_EL0, CNTVCTSS_EL0
        0xd53b_e020 | 0xd53b_e040 | 0xd53b_e0a0 | 0xd53b_e0c0 => {
            Some(Instruction::Reads(TIME_STAMP_COUNTER))
        }
        // MRS of RNDR, RNDRRS
        0xd53b_2400 | 0xd53b_2420 => Some(Instruction::Reads(CPU_RANDOM_NUMBERS)),
        // SVC
        0xd400_0000 if word & 0x1f == 1 => Some(Instruction::SystemCall),
        _ => None,
    }
}

/// Returns the number of a system call, or the low half of that of a request, that is last put into its register before the end
/// of this code.
pub(crate) fn number_before(
    architecture: Architecture,
    before: &[u8],
    register: NumberRegister,
) -> Option<u16> {
    let near = &before[before.len().saturating_sub(REACH)..];
    // The numbers of the registers in machine code
    let (x86_64, aarch64) = match register {
        NumberRegister::Instruction => (0, 8),
        NumberRegister::FirstArgument => (7, 0),
        NumberRegister::SecondArgument => (6, 1),
        NumberRegister::ThirdArgument => (2, 2),
    };
    let is_request =
        matches!(register, NumberRegister::SecondArgument | NumberRegister::ThirdArgument);
    match architecture {
        Architecture::X86_64 => moved_x86_64(near, x86_64, is_request),
        Architecture::Aarch64 => moved_aarch64(near, aarch64),
        _ => None,
    }
}

/// Returns the low half of the last constant that is moved to this register. Numbers of system calls have no other one.
fn moved_x86_64(code: &[u8], register: u8, has_high_half: bool) -> Option<u16> {
    (0..code.len()).rev().find_map(|at| {
        let is_extended = at > 0 && code[at - 1] == 0x41;
        let (low, high) = match &code[at..] {
            [opcode, low_0, low_1, high_0, high_1, ..]
                if *opcode == 0xb8 + register && !is_extended =>
            {
                ([*low_0, *low_1], [*high_0, *high_1])
            }
            [0x48, 0xc7, operand, low_0, low_1, high_0, high_1, ..]
                if *operand == 0xc0 + register =>
            {
                ([*low_0, *low_1], [*high_0, *high_1])
            }
            _ => return None,
        };
        (has_high_half || high == [0, 0]).then(|| u16::from_le_bytes(low))
    })
}

/// Returns the low half of the last constant that is moved to this register.
fn moved_aarch64(code: &[u8], register: u32) -> Option<u16> {
    let words = code.rchunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let mut words = words.map(u32::from_le_bytes);
    // MOVZ or MOVK of the low half of a register with 32 or 64 bits
    let word = words.find(|word| word & 0x5fe0_001f == 0x5280_0000 | register)?;
    u16::try_from(word >> 5 & 0xffff).ok()
}
