//! Reports of memcheck and DHAT on memory.

use super::valgrind::{run, version};

#[test]
fn memory_is_marked_and_reported() {
    let run = run("memcheck", &[], "undefined");
    assert_eq!(run.answers, "defined: 0\nerrors: 1\n");
    assert_eq!(run.errors(), 1);
    run.assert_log("Conditional jump or move depends on uninitialised value(s)");
}

#[test]
fn addresses_are_checked() {
    let run = run("memcheck", &[], "addresses");
    let expected = "\
first not addressable: 32
first not defined: 32
discard: 0
discard again: 1
still not addressable: 32
addressable: 0
not defined: 0
errors while disabled: 0
errors while enabled: 1
";
    assert_eq!(run.answers, expected);
    run.assert_log("is 32 bytes inside a the block of the test of size 64 client-defined");
    run.assert_log("Invalid read of size 1");
}

#[test]
fn validity_bits_are_copied() {
    let expected = "\
set: 1
get: 1
bits: [0, 255, 15, 0, 170, 170, 170, 170]
few: [0, 255]
of no memory: 3
";
    assert_eq!(run("memcheck", &[], "bits").answers, expected);
}

#[test]
fn leaks_are_counted() {
    let run = run("memcheck", &[], "leaks");
    let expected = "\
leaked bytes: 1000
leaked blocks: 1
reachable bytes: 300
reachable blocks: 1
";
    assert_eq!(run.answers, expected);
    run.assert_log("1,000 bytes in 1 blocks are definitely lost");
    run.assert_log("500 (+500) bytes in 1 (+1) blocks are definitely lost");
    let warns = run.log.contains("Warning: unknown memcheck leak search deltamode");
    assert_eq!(warns, version() < (3, 21), "{}", run.log);
}

#[test]
fn errors_are_counted() {
    let run = run("memcheck", &[], "errors");
    assert_eq!(run.answers, "before: 0\ndisabled: 0\nenabled: 1\n");
    assert_eq!(run.errors(), 1);
}

#[test]
fn blocks_are_those_of_an_allocator() {
    let run = run("memcheck", &["--leak-check=full"], "blocks");
    let expected = "\
hidden after it: Some(100)
defined: false
hidden after less: Some(80)
hidden after free: Some(0)
defined when zeroed: true
";
    assert_eq!(run.answers, expected);
    run.assert_log("is 0 bytes after a block of size 80 alloc'd");
    run.assert_log("is 0 bytes inside a block of size 80 free'd");
    run.assert_log("100 bytes in 1 blocks are definitely lost");
}

#[test]
fn pools_have_pieces() {
    let run = run("memcheck", &[], "pools");
    let expected = "\
exists before: false
exists: true
exists at the old place: false
exists at the new place: true
hidden after a piece: Some(64)
hidden after free: Some(0)
hidden in the other: None
hidden after trim: Some(0)
exists after: false
hidden after autofree: Some(0)
";
    assert_eq!(run.answers, expected);
    run.assert_log("is 0 bytes inside a block of size 32 free'd");
    run.assert_log("is 0 bytes inside a block of size 100 free'd");
}

#[test]
fn stacks_have_numbers() {
    // Valgrind reports all that happens to stacks
    let run = run("memcheck", &["-d", "-d", "-d"], "stacks");
    assert_eq!(run.answers, "numbers: 1\n");
}

#[test]
fn events_are_counted() {
    let run = run("dhat", &["--mode=ad-hoc"], "events");
    run.assert_log("Total:     35 units in 4 events");
}

#[test]
fn accesses_are_counted_byte_by_byte() {
    let run = run("dhat", &["--dhat-out-file=dhat.out"], "histogram");
    let [(_, profile)] = &run.files("dhat.out")[..] else { panic!("one file") };
    // Each of the 4096 bytes once, as DHAT writes it
    let counted = profile.contains("\"acc\":[-4096,1]");
    assert_eq!(counted, version() >= (3, 21), "{profile}");
}
