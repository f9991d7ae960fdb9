//! The machine code of a function, as a number that does not depend on its address.

use std::hash::{Hash, Hasher};

use fnv::FnvHasher;
use iai_callgrind_debuginfo::Architecture;

use crate::decode;

/// Returns a number for the code of a function at this address; 0 for an unknown architecture.
///
/// Jumps inside of the function count by their distance, calls of others by the name of their
/// target. Addresses of constants do not count, so constants do not count either.
pub(crate) fn hash(
    architecture: Architecture,
    code: &[u8],
    start: u64,
    name: impl FnMut(u64) -> Option<String>,
) -> u64 {
    let mut hasher = FnvHasher::default();
    match architecture {
        Architecture::X86_64 => hash_x86_64(code, start, name, &mut hasher),
        Architecture::Aarch64 => hash_aarch64(code, start, name, &mut hasher),
        _ => return 0,
    }
    // Zero means that nothing is known
    hasher.finish().max(1)
}

fn hash_x86_64(
    mut code: &[u8],
    start: u64,
    mut name: impl FnMut(u64) -> Option<String>,
    hasher: &mut FnvHasher,
) {
    let (end, mut address) = (start + code.len() as u64, start);
    while !code.is_empty() {
        let shape = decode::x86_64(code);
        let length = shape.map_or(1, |shape| shape.length);
        let (instruction, rest) = code.split_at(length);
        (code, address) = (rest, address + length as u64);
        let Some(distance) = shape.and_then(|shape| shape.distance) else {
            hasher.write(instruction);
            continue;
        };
        let (before, from) = instruction.split_at(distance.offset);
        let (bytes, after) = from.split_at(distance.size);
        hasher.write(before);
        hasher.write(after);
        let target = address.wrapping_add_signed(signed(bytes));
        if distance.is_branch && (start..end).contains(&target) {
            (target - start).hash(hasher);
        } else if distance.is_branch {
            name(target).hash(hasher);
        }
    }
}

/// Reads a little-endian number of 1 or 4 bytes.
fn signed(bytes: &[u8]) -> i64 {
    match *bytes {
        [byte] => i8::from_le_bytes([byte]).into(),
        [a, b, c, d] => i32::from_le_bytes([a, b, c, d]).into(),
        _ => 0,
    }
}

fn hash_aarch64(
    code: &[u8],
    start: u64,
    mut name: impl FnMut(u64) -> Option<String>,
    hasher: &mut FnvHasher,
) {
    let (end, mut pages) = (start + code.len() as u64, 0);
    let instructions = code.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    for (address, word) in (start..).step_by(4).zip(instructions) {
        let (instruction, distance) = decode::aarch64(u32::from_le_bytes(word), &mut pages);
        instruction.hash(hasher);
        let Some(target) = distance.map(|distance| address.wrapping_add_signed(distance)) else {
            continue;
        };
        if (start..end).contains(&target) {
            (target - start).hash(hasher);
        } else {
            name(target).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a function at 0x5000, loads a constant, jumps back to its start and returns.
    fn code(start: u64, constant: i32) -> Vec<u8> {
        let call = i32::try_from(0x5000 - (start.cast_signed() + 5)).unwrap();
        let mut code = vec![0xe8];
        code.extend(call.to_le_bytes());
        code.extend([0x48, 0x8d, 0x05]);
        code.extend(constant.to_le_bytes());
        code.extend([0xeb, 0xf2, 0xc3]);
        code
    }

    #[test]
    fn the_place_of_code_and_constants_does_not_count() {
        let name = |address| (address == 0x5000).then(|| "callee".to_owned());
        let hash =
            |start, constant| hash(Architecture::X86_64, &code(start, constant), start, name);
        assert_eq!(hash(0x1000, 7), hash(0x2340, 99));
        assert_ne!(hash(0x1000, 7), 0);
    }

    #[test]
    fn other_instructions_and_callees_count() {
        let of = |code: &[u8], callee: &str| {
            hash(Architecture::X86_64, code, 0x1000, |_| Some(callee.to_owned()))
        };
        let mut other = code(0x1000, 7);
        let same = of(&other, "a");
        assert_ne!(same, of(&other, "b"));
        other[13] = 0xf3;
        assert_ne!(same, of(&other, "a"));
        assert_eq!(hash(Architecture::Riscv64, &other, 0, |_| None), 0);
    }
}
