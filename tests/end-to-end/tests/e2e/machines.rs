//! The same numbers on every machine: the C library's functions and randomness.

use std::fs;

use end_to_end_tests::{Suite, here, run, skip};

/// Returns the functions of the C library that the profile of a benchmark names.
fn functions(machine: &Suite, benchmark: &str) -> Vec<String> {
    let profile = fs::read_to_string(machine.result(benchmark, "out")).expect("a profile");
    // A name is given where the function occurs first, which can be in a call
    let entry = |line| str::strip_prefix(line, "fn=").or_else(|| str::strip_prefix(line, "cfn="));
    let names = profile.lines().filter_map(|line| entry(line)?.split_once(") "));
    names.map(|(_, name)| name.to_owned()).filter(|name| !name.contains("::")).collect()
}

/// The functions that are chosen on every CPU of an architecture.
#[derive(Clone, Copy)]
struct Variants {
    /// The benchmarks, and the names of the function that each spends its time in.
    known: [(&'static str, &'static [&'static str]); 3],
    /// Parts of the names of functions for newer CPUs.
    newer: &'static [&'static str],
    /// Tunables of glibc that choose other functions.
    tunables: &'static str,
}

/// The variants by architecture. The function for memory that may overlap also has the name that old programs use.
const VARIANTS: [(&str, Variants); 2] = [
    (
        "x86_64",
        Variants {
            known: [
                (
                    "libc::memcpy::kib64",
                    &["__memcpy_sse2_unaligned", "__memmove_sse2_unaligned", "memcpy@GLIBC_2.2.5"],
                ),
                ("libc::memcmp::kib64", &["__memcmp_sse2"]),
                ("libc::strlen::kib64", &["__strlen_sse2"]),
            ],
            newer: &["avx", "evex", "erms", "sse4"],
            tunables: "glibc.cpu.hwcaps=-SSE2:glibc.cpu.x86_rep_movsb_threshold=4096",
        },
    ),
    (
        "aarch64",
        Variants {
            known: [
                ("libc::memcpy::kib64", &["__GI_memcpy", "__memcpy_generic"]),
                ("libc::memcmp::kib64", &["bcmp", "memcmp"]),
                ("libc::strlen::kib64", &["__strlen_asimd"]),
            ],
            newer: &["_a64fx", "_falkor", "_mops", "_mte", "_oryon", "_sve", "_thunderx"],
            tunables: "glibc.cpu.name=a64fx",
        },
    ),
];

#[test]
fn libc_functions_are_those_for_every_cpu() {
    let Some(variants) = here(&VARIANTS).filter(|_| cfg!(target_env = "gnu")) else {
        return skip("this C library has no variants that are pinned");
    };
    let machine = Suite::new("machine");
    let plain = machine.report(&["machine::libc::"]);
    let tuned =
        run(machine.command().arg("machine::libc::").env("GLIBC_TUNABLES", variants.tunables));
    assert_eq!(tuned.expect(0).report().values(), plain.values());
    for (benchmark, known) in variants.known {
        let functions = functions(&machine, benchmark);
        let is_known = functions.iter().any(|function| known.contains(&&**function));
        assert!(is_known, "{benchmark} calls {functions:?}");
        let newer = |function: &String| variants.newer.iter().any(|part| function.contains(part));
        assert!(!functions.iter().any(newer), "{benchmark} calls {functions:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn libc_functions_can_be_those_for_this_cpu() {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return skip("this CPU has no functions of its own");
    }
    let instructions = |arguments: &[&str]| {
        end_to_end_tests::shared_report("machine", arguments).instructions("libc::strlen::kib64")
    };
    let (native, pinned) = (instructions(&["--native-cpu"]), instructions(&["--native-cpu=no"]));
    assert!(native < pinned, "{native} is not less than {pinned}");
    let by_variable = Suite::new("machine");
    let run = run(by_variable.command().env("IAI_CALLGRIND_NATIVE_CPU", "yes")).expect(0);
    assert_eq!(run.report().instructions("libc::strlen::kib64"), native);
}

#[test]
fn hash_maps_are_one_number_in_every_run() {
    let machine = Suite::new("machine");
    let first = machine.report(&["machine::random::"]);
    for _ in 1..3 {
        let report = machine.report(&["machine::random::"]);
        assert_eq!(report.values(), first.values());
        for line in &report.benchmarks[0].lines {
            assert_eq!((line.old, &*line.change), (Some(line.new), "(No change)"));
        }
    }
}
