//! The machine code of requests: what the macros of Valgrind's headers become in C, and nothing at all
//! with the feature `client_requests_defs` alone.

mod disassembly;
mod library;

use self::disassembly::{Listing, functions};
use self::library::{Library, macros};

/// The functions that there are in Rust and in C
const FUNCTIONS: [&str; 7] = [
    "no_arguments",
    "one_argument",
    "four_arguments",
    "a_result",
    "arguments_and_a_result",
    "another_default",
    "two_requests",
];

#[test]
#[cfg(target_arch = "x86_64")]
fn a_request_costs_what_the_macro_costs() {
    /// The instructions that Valgrind recognizes
    const SEQUENCE: [&str; 5] =
        ["rol $0x3,%rdi", "rol $0xd,%rdi", "rol $0x3d,%rdi", "rol $0x33,%rdi", "xchg %rbx,%rbx"];
    let is_sequence = |instruction: &&String| SEQUENCE.contains(&instruction.as_str());

    let c = functions(&macros());
    let rust = functions(&Library::build("made", "client_requests").archive());
    for name in FUNCTIONS {
        let (c, rust) = (&c[name], &rust[name]);
        let requests = if name == "two_requests" { 2 } else { 1 };
        for listing in [c, rust] {
            let sequence: Vec<_> = listing.iter().filter(is_sequence).collect();
            assert_eq!(sequence, SEQUENCE.repeat(requests), "{name}: {listing:#?}");
            assert!(!calls(listing), "{name} calls something: {listing:#?}");
        }
        // The optimizers differ in how they write the arguments; C's has to keep the result in memory
        assert!(rust.len() <= c.len(), "{name}: Rust {rust:#?}\nC {c:#?}");
        for (kind, is) in KINDS {
            let count = |listing: &Listing| listing.iter().filter(|text| is(text)).count();
            assert!(count(rust) <= count(c), "{name}: {kind} of Rust {rust:#?}\nC {c:#?}");
        }
    }
}

/// Kinds of instructions that surround the sequence
#[cfg(target_arch = "x86_64")]
type Kind = (&'static str, fn(&str) -> bool);

#[cfg(target_arch = "x86_64")]
const KINDS: [Kind; 4] = [
    ("stores", |text| text.starts_with("mov") && text.ends_with("(%rsp)")),
    ("loads", |text| text.starts_with("mov") && text.contains("(%rsp),")),
    ("addresses", |text| text.starts_with("lea")),
    ("returns", |text| text == "ret"),
];

fn calls(listing: &Listing) -> bool {
    listing.iter().any(|text| text.starts_with("call") || text.starts_with('j'))
}

#[test]
#[cfg(target_arch = "x86_64")]
fn definitions_alone_are_no_code() {
    let library = Library::build("defined", "client_requests_defs");
    let functions = functions(&library.archive());
    for name in ["no_arguments", "one_argument", "four_arguments", "two_requests", "many"] {
        assert_eq!(functions[name], ["ret"], "{name}");
    }
    for name in ["a_result", "arguments_and_a_result"] {
        assert_eq!(functions[name], ["xor %eax,%eax", "ret"], "{name}");
    }
    assert_eq!(functions["another_default"], ["mov $0xfffffffffffffffe,%rax", "ret"]);
    assert_eq!(library.code_of("iai_callgrind_harness"), 0, "bytes of code in the library itself");
    assert_eq!(library.code_of("valgrind_headers"), 0, "bytes of code in the table");
}
