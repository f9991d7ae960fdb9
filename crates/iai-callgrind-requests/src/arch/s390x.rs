//! s390x: five loads of a register into itself.

inline_request! {
    "lr %r15, %r15",
    "lr %r1, %r1",
    "lr %r2, %r2",
    "lr %r3, %r3",
    "lr %r2, %r2",
    result: "r3",
    arguments: "r2",
}
