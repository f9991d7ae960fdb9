//! Machine instructions that ask for values of the machine.

use super::{CPU_RANDOM_NUMBERS, TIME_STAMP_COUNTER};
use crate::debuginfo::Architecture;

/// An instruction that asks for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// Read of the value with this name.
    Reads(&'static str),
    SystemCall,
}

/// A register with the number of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberRegister {
    /// Register of the instruction.
    OfInstruction,
    /// First argument of the function `syscall`.
    OfFunction,
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

/// Returns the number of a system call that is last put into its register before the end of this
/// code.
pub(crate) fn number_before(
    architecture: Architecture,
    before: &[u8],
    register: NumberRegister,
) -> Option<u32> {
    let near = &before[before.len().saturating_sub(REACH)..];
    match (architecture, register) {
        (Architecture::X86_64, NumberRegister::OfInstruction) => moved_x86_64(near, 0),
        (Architecture::X86_64, NumberRegister::OfFunction) => moved_x86_64(near, 7),
        (Architecture::Aarch64, NumberRegister::OfInstruction) => moved_aarch64(near, 8),
        (Architecture::Aarch64, NumberRegister::OfFunction) => moved_aarch64(near, 0),
        _ => None,
    }
}

/// Returns the last small constant that is moved to this register. Numbers of system calls have at most two bytes.
fn moved_x86_64(code: &[u8], register: u8) -> Option<u32> {
    (0..code.len()).rev().find_map(|at| {
        let is_extended = at > 0 && code[at - 1] == 0x41;
        match &code[at..] {
            [opcode, low, high, 0, 0, ..] if *opcode == 0xb8 + register && !is_extended => {
                Some(u16::from_le_bytes([*low, *high]).into())
            }
            [0x48, 0xc7, operand, low, high, 0, 0, ..] if *operand == 0xc0 + register => {
                Some(u16::from_le_bytes([*low, *high]).into())
            }
            _ => None,
        }
    })
}

/// Returns the last constant that is moved to this register.
fn moved_aarch64(code: &[u8], register: u32) -> Option<u32> {
    let words = code.rchunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let mut words = words.map(u32::from_le_bytes);
    // MOVZ of a register with 32 or 64 bits
    let word = words.find(|word| word & 0x7fe0_001f == 0x5280_0000 | register)?;
    Some(word >> 5 & 0xffff)
}
