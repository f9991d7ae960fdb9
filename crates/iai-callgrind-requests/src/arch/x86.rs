//! x86: four rotations that add up to nothing, then an exchange of a register with itself.

// The rotations by 3, 13, 29 and 19 bits are two full turns
inline_request! {
    "rol edi, 3",
    "rol edi, 13",
    "rol edi, 29",
    "rol edi, 19",
    "xchg ebx, ebx",
    result: "edx",
    arguments: "eax",
}
