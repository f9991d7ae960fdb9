//! AArch64: four rotations that add up to nothing, then the disjunction of a register with itself.

// The rotations by 3, 13, 51 and 61 bits are two full turns
inline_request! {
    "ror x12, x12, #3",
    "ror x12, x12, #13",
    "ror x12, x12, #51",
    "ror x12, x12, #61",
    "orr x10, x10, x10",
    result: "x3",
    arguments: "x4",
}
