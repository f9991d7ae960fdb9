//! ARM and Thumb: four rotations that add up to nothing, then the disjunction of a register with
//! itself.

// The rotations by 3, 13, 29 and 19 bits are two full turns
inline_request! {
    "mov r12, r12, ror #3",
    "mov r12, r12, ror #13",
    "mov r12, r12, ror #29",
    "mov r12, r12, ror #19",
    "orr r10, r10, r10",
    result: "r3",
    arguments: "r4",
}
