//! RISC-V: four shifts of the register that is always zero, then the disjunction of a register with
//! itself. All of them in their long encoding, which is the one that Valgrind looks for.

inline_request! {
    ".option push",
    ".option norvc",
    "srli zero, zero, 3",
    "srli zero, zero, 13",
    "srli zero, zero, 51",
    "srli zero, zero, 61",
    "or a0, a0, a0",
    ".option pop",
    result: "a3",
    arguments: "a4",
}
