//! Branches of `AArch64` ("Arm Architecture Reference Manual", C4.1.66: branches, exception generating and system
//! instructions).

/// The effect of an instruction on the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// A call of the function at this address.
    Call(u64),
    /// An unconditional jump to this address.
    Jump(u64),
    /// A call or jump to an address in a register.
    Indirect,
    /// A return.
    Return,
    /// None, or a jump on a condition.
    Other,
}

impl Branch {
    /// Decodes the instruction at an address.
    #[must_use]
    pub fn of_aarch64(instruction: u32, address: u64) -> Self {
        // 26 bits with a sign, in units of four bytes
        let distance = i64::from(i32::from_ne_bytes((instruction << 6).to_ne_bytes())) >> 4;
        let target = address.wrapping_add_signed(distance);
        match instruction >> 26 {
            0b10_0101 => return Self::Call(target),
            0b00_0101 => return Self::Jump(target),
            _ => {}
        }
        // With and without authentication of the address
        match (instruction >> 25, instruction >> 21 & 0b111) {
            (0b110_1011, 0 | 1) => Self::Indirect,
            (0b110_1011, 2) => Self::Return,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_as_the_assembler_writes_them() {
        for (instruction, branch) in [
            (0x9400_0002, Branch::Call(0x1008)),
            (0x97ff_ffff, Branch::Call(0xffc)),
            (0x1400_0003, Branch::Jump(0x100c)),
            (0x17ff_fffe, Branch::Jump(0xff8)),
            // br x17, blr x8, braa x1, x2, blraaz x8
            (0xd61f_0220, Branch::Indirect),
            (0xd63f_0100, Branch::Indirect),
            (0xd71f_0822, Branch::Indirect),
            (0xd63f_091f, Branch::Indirect),
            // ret, retaa
            (0xd65f_03c0, Branch::Return),
            (0xd65f_0bff, Branch::Return),
            // b.eq, cbz, tbnz, nop, eret
            (0x5400_0040, Branch::Other),
            (0xb400_0040, Branch::Other),
            (0x3708_0040, Branch::Other),
            (0xd503_201f, Branch::Other),
            (0xd69f_03e0, Branch::Other),
        ] {
            assert_eq!(Branch::of_aarch64(instruction, 0x1000), branch, "{instruction:#x}");
        }
    }
}
