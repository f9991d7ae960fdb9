//! The shape of machine instructions: their length, and the bytes that depend on addresses.

/// An instruction of x86-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Number of bytes.
    pub(crate) length: usize,
    /// A distance, counted from the end of the instruction.
    pub(crate) distance: Option<Distance>,
}

/// The distance to another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Distance {
    /// Offset of its bytes in the instruction.
    pub(crate) offset: usize,
    /// Number of its bytes: 1 or 4.
    pub(crate) size: usize,
    /// The operand leads to code: the instruction is a call or a jump.
    pub(crate) is_branch: bool,
}

/// The operands that follow an opcode.
#[derive(Debug, Clone, Copy, Default)]
struct Operands {
    has_modrm: bool,
    /// Number of bytes of the constant.
    constant: usize,
    /// The constant is the distance of a branch.
    is_branch: bool,
}

/// Bytes that are read one after the other.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}

/// Sizes that prefixes change.
#[derive(Default)]
struct Prefixes {
    /// 0x66
    operand_size: bool,
    /// 0x67
    address_size: bool,
    /// `REX.W`
    is_wide: bool,
}

/// Decodes the first of these bytes, as the "Intel 64 and IA-32 Architectures Software Developer's
/// Manual", volume 2, appendix A defines them for 64-bit mode. `None` if they are not an
/// instruction.
pub(crate) fn x86_64(bytes: &[u8]) -> Option<Shape> {
    let mut bytes = Bytes { bytes, at: 0 };
    let mut prefixes = Prefixes::default();
    let mut byte = bytes.next()?;
    loop {
        match byte {
            0x66 => prefixes.operand_size = true,
            0x67 => prefixes.address_size = true,
            0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 | 0xf0 | 0xf2 | 0xf3 => {}
            _ => break,
        }
        byte = bytes.next()?;
    }
    if byte & 0xf0 == 0x40 {
        prefixes.is_wide = byte & 8 != 0;
        byte = bytes.next()?;
    }
    let (map, opcode) = opcode(byte, &mut bytes)?;
    let mut operands = match map {
        0 => one_byte(opcode, &prefixes)?,
        1 => two_bytes(opcode),
        3 => Operands { has_modrm: true, constant: 1, is_branch: false },
        _ => Operands { has_modrm: true, ..Operands::default() },
    };
    let mut distance = None;
    if operands.has_modrm {
        let modrm = bytes.next()?;
        distance = memory(modrm, &mut bytes).ok()?;
        // TEST has a constant, the other instructions of its group have none
        if map == 0 && opcode & 0xfe == 0xf6 && modrm & 0x30 == 0 {
            operands.constant = if opcode == 0xf6 { 1 } else { word(&prefixes) };
        }
    }
    if operands.is_branch {
        let size = operands.constant;
        distance = Some(Distance { offset: bytes.at, size, is_branch: true });
    }
    let length = bytes.at + operands.constant;
    (length <= bytes.bytes.len()).then_some(Shape { length, distance })
}

/// Returns the map and the opcode that start with this byte.
fn opcode(first: u8, bytes: &mut Bytes<'_>) -> Option<(u8, u8)> {
    match first {
        0x0f => match bytes.next()? {
            0x38 => Some((2, bytes.next()?)),
            0x3a => Some((3, bytes.next()?)),
            opcode => Some((1, opcode)),
        },
        // VEX with two and with three bytes
        0xc5 => {
            bytes.next()?;
            Some((1, bytes.next()?))
        }
        0xc4 => {
            let map = bytes.next()? & 0x1f;
            bytes.next()?;
            Some((map, bytes.next()?))
        }
        // EVEX
        0x62 => {
            let map = bytes.next()? & 7;
            bytes.next()?;
            bytes.next()?;
            Some((map, bytes.next()?))
        }
        opcode => Some((0, opcode)),
    }
}

/// Returns the number of bytes of a constant that has the size of the operands, at most 4.
fn word(prefixes: &Prefixes) -> usize {
    if prefixes.operand_size && !prefixes.is_wide { 2 } else { 4 }
}

fn one_byte(opcode: u8, prefixes: &Prefixes) -> Option<Operands> {
    let (has_modrm, constant, is_branch) = match opcode {
        // Arithmetic
        0x00..=0x3f => match opcode & 7 {
            0..=3 => (true, 0, false),
            4 => (false, 1, false),
            5 => (false, word(prefixes), false),
            _ => return None,
        },
        0x63 | 0x84..=0x8f | 0xd0..=0xd3 | 0xd8..=0xdf | 0xf6 | 0xf7 | 0xfe | 0xff => {
            (true, 0, false)
        }
        0x68 | 0xa9 => (false, word(prefixes), false),
        0x69 | 0x81 | 0xc7 => (true, word(prefixes), false),
        0x6a | 0xa8 | 0xb0..=0xb7 | 0xcd | 0xe4..=0xe7 => (false, 1, false),
        0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 => (true, 1, false),
        0x70..=0x7f | 0xe0..=0xe3 | 0xeb => (false, 1, true),
        0xe8 | 0xe9 => (false, 4, true),
        0xa0..=0xa3 => (false, if prefixes.address_size { 4 } else { 8 }, false),
        0xb8..=0xbf => (false, if prefixes.is_wide { 8 } else { word(prefixes) }, false),
        0xc2 | 0xca => (false, 2, false),
        0xc8 => (false, 3, false),
        0x50..=0x5f
        | 0x6c..=0x6f
        | 0x90..=0x99
        | 0x9b..=0x9f
        | 0xa4..=0xa7
        | 0xaa..=0xaf
        | 0xc3
        | 0xc9
        | 0xcb
        | 0xcc
        | 0xcf
        | 0xd7
        | 0xec..=0xef
        | 0xf1
        | 0xf4
        | 0xf5
        | 0xf8..=0xfd => (false, 0, false),
        _ => return None,
    };
    Some(Operands { has_modrm, constant, is_branch })
}

fn two_bytes(opcode: u8) -> Operands {
    let (has_modrm, constant, is_branch) = match opcode {
        // Jumps have 4 bytes, whatever the prefixes
        0x80..=0x8f => (false, 4, true),
        0x05..=0x0b | 0x0e | 0x30..=0x37 | 0x77 | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf => {
            (false, 0, false)
        }
        0x0f | 0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6 => (true, 1, false),
        _ => (true, 0, false),
    };
    Operands { has_modrm, constant, is_branch }
}

/// The code ends in the middle of an instruction.
struct EndOfCode;

/// Reads the rest of a memory operand. Returns its distance if it is relative to the instruction.
fn memory(modrm: u8, bytes: &mut Bytes<'_>) -> Result<Option<Distance>, EndOfCode> {
    let (mode, register) = (modrm >> 6, modrm & 7);
    if mode == 3 {
        return Ok(None);
    }
    let base = if register == 4 { bytes.next().ok_or(EndOfCode)? & 7 } else { register };
    let offset = bytes.at;
    let (size, is_relative) = match mode {
        0 if base == 5 => (4, register == 5),
        1 => (1, false),
        2 => (4, false),
        _ => (0, false),
    };
    bytes.at += size;
    Ok(is_relative.then_some(Distance { offset, size, is_branch: false }))
}

/// Returns an instruction of `AArch64` without the bits that depend on addresses of other code and
/// data, and the distance of a call or a jump to another function. The "Arm Architecture Reference
/// Manual", section C4, defines the bits.
///
/// `pages` has a bit for each register that holds the page of an address.
pub(crate) fn aarch64(instruction: u32, pages: &mut u32) -> (u32, Option<i64>) {
    const ADDRESS: u32 = 0x60ff_ffe0;
    const OFFSET: u32 = 0x003f_fc00;
    const LITERAL: u32 = 0x00ff_ffe0;
    const BRANCH: u32 = 0x03ff_ffff;
    let (to, from) = (instruction & 31, (instruction >> 5) & 31);
    let is_page = |register: u32| *pages >> register & 1 == 1;
    // B, BL
    if instruction & 0x7c00_0000 == 0x1400_0000 {
        let distance = i32::from_le_bytes((instruction << 6).to_le_bytes()) >> 6;
        let distance = i64::from(distance) * 4;
        return (instruction & !BRANCH, Some(distance));
    }
    // ADR, ADRP
    if instruction & 0x1f00_0000 == 0x1000_0000 {
        *pages |= 1 << to;
        return (instruction & !ADDRESS, None);
    }
    // LDR of a literal
    if instruction & 0x3b00_0000 == 0x1800_0000 {
        return (instruction & !LITERAL, None);
    }
    // ADD, LDR, STR with a constant that completes the address of a page
    let is_add = instruction & 0x7f80_0000 == 0x1100_0000;
    let is_access = instruction & 0x3b00_0000 == 0x3900_0000;
    if (is_add || is_access) && is_page(from) {
        return (instruction & !OFFSET, None);
    }
    (instruction, None)
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions, OpKind};
    use object::{Object, ObjectSection};

    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn this_test_decodes_as_with_another_decoder() {
        let executable = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = object::File::parse(&*executable).unwrap();
        let text = file.section_by_name(".text").unwrap();
        let bytes = text.data().unwrap();
        let mut decoder = Decoder::with_ip(64, bytes, text.address(), DecoderOptions::NONE);
        let mut number = 0;
        while decoder.can_decode() {
            let start = decoder.position();
            let expected = decoder.decode();
            // Padding and tables between functions can be anything
            if expected.is_invalid() {
                continue;
            }
            let shape =
                x86_64(&bytes[start..]).unwrap_or_else(|| panic!("{expected:?} at {start:#x}"));
            assert_eq!(
                shape.length,
                expected.len(),
                "{expected:?} {:x?}",
                &bytes[start..][..expected.len()]
            );
            let is_branch = expected.op_count() > 0 && expected.op0_kind() == OpKind::NearBranch64;
            let is_relative = is_branch || expected.is_ip_rel_memory_operand();
            assert_eq!(shape.distance.is_some(), is_relative, "{expected:?}");
            if let Some(distance) = shape.distance {
                assert_eq!(distance.is_branch, is_branch, "{expected:?}");
                let constants = decoder.get_constant_offsets(&expected);
                let offset = if is_branch {
                    constants.immediate_offset()
                } else {
                    constants.displacement_offset()
                };
                assert_eq!(distance.offset, offset, "{expected:?}");
            }
            number += 1;
        }
        assert!(number > 100_000, "{number}");
    }

    #[test]
    fn vector_instructions() {
        for (bytes, length) in [
            (&[0xc5, 0xf8, 0x77][..], 3),
            (&[0xc4, 0xe2, 0x7d, 0x18, 0x05, 0, 0, 0, 0], 9),
            (&[0xc4, 0xe3, 0x7d, 0x19, 0xc1, 1], 6),
            (&[0x62, 0xf1, 0x7c, 0x48, 0x10, 0x47, 1], 7),
            (&[0x62, 0xf3, 0x75, 0x48, 0x3e, 0xc2, 2], 7),
        ] {
            assert_eq!(x86_64(bytes).unwrap().length, length, "{bytes:x?}");
            assert_eq!(x86_64(&bytes[..length - 1]), None, "{bytes:x?}");
        }
        assert_eq!(x86_64(&[]), None);
        assert_eq!(x86_64(&[0x06]), None);
    }

    #[test]
    fn addresses_of_aarch64_are_left_out() {
        let mut pages = 0;
        // adrp x1, page; add x1, x1, #0x123; add x2, x2, #0x123; ldr x0, [x1, #8]
        let adrp = |page: u32| 0x9000_0001 | page << 5;
        assert_eq!(aarch64(adrp(3), &mut pages), aarch64(adrp(9), &mut pages));
        let add =
            |register: u32, constant: u32| 0x9100_0000 | constant << 10 | register << 5 | register;
        assert_eq!(aarch64(add(1, 0x123), &mut pages), aarch64(add(1, 0x456), &mut pages));
        assert_ne!(aarch64(add(2, 0x123), &mut pages), aarch64(add(2, 0x456), &mut pages));
        let load = |constant: u32| 0xf940_0020 | constant << 10;
        assert_eq!(aarch64(load(1), &mut pages), aarch64(load(2), &mut pages));
        // bl, forwards and backwards
        assert_eq!(aarch64(0x9400_0002, &mut pages), (0x9400_0000, Some(8)));
        assert_eq!(aarch64(0x97ff_ffff, &mut pages), (0x9400_0000, Some(-4)));
    }
}
