//! x86-64: four rotations that add up to nothing, then an exchange of a register with itself.

// The rotations by 3, 13, 61 and 51 bits are two full turns
inline_request! {
    "rol rdi, 3",
    "rol rdi, 13",
    "rol rdi, 61",
    "rol rdi, 51",
    "xchg rbx, rbx",
    result: "rdx",
    arguments: "rax",
}
