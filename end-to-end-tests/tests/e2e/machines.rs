//! The same numbers on every machine: the C library's functions and randomness.

use std::fs;

use end_to_end_tests::{Suite, run, shared_report, skip};

/// The functions of the C library that the profile of a benchmark names.
fn functions(machine: &Suite, benchmark: &str) -> Vec<String> {
    let profile = fs::read_to_string(machine.result(benchmark, "out")).expect("a profile");
    // A name is given where the function occurs first, which can be in a call
    let entry = |line| str::strip_prefix(line, "fn=").or_else(|| str::strip_prefix(line, "cfn="));
    let names = profile.lines().filter_map(|line| entry(line)?.split_once(") "));
    names.map(|(_, name)| name.to_owned()).filter(|name| !name.contains("::")).collect()
}

/// The benchmarks, and the function that each spends its time in: the variant for every x86-64 CPU.
/// The one for memory that may overlap also has the name that programs of old know it by.
const VARIANTS: [(&str, &[&str]); 3] = [
    (
        "libc::memcpy::kib64",
        &["__memcpy_sse2_unaligned", "__memmove_sse2_unaligned", "memcpy@GLIBC_2.2.5"],
    ),
    ("libc::memcmp::kib64", &["__memcmp_sse2"]),
    ("libc::strlen::kib64", &["__strlen_sse2"]),
];

#[test]
fn libc_functions_are_those_for_every_cpu() {
    if !cfg!(all(target_arch = "x86_64", target_env = "gnu")) {
        skip("this C library has no variants that are pinned");
        return;
    }
    let machine = Suite::new("machine");
    let plain = machine.report(&["machine::libc::"]);
    let tuned = run(machine
        .command()
        .arg("machine::libc::")
        .env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-SSE2:glibc.cpu.x86_rep_movsb_threshold=4096"));
    assert_eq!(tuned.expect(0).report().values(), plain.values());
    for (benchmark, variants) in VARIANTS {
        let functions = functions(&machine, benchmark);
        let known = functions.iter().any(|function| variants.contains(&&**function));
        assert!(known, "{benchmark} calls {functions:?}");
        let wide = ["avx", "evex", "erms", "sse4"];
        let wide = |function: &String| wide.iter().any(|variant| function.contains(variant));
        assert!(!functions.iter().any(wide), "{benchmark} calls {functions:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn libc_functions_can_be_those_for_this_cpu() {
    if !std::arch::is_x86_feature_detected!("avx2") {
        skip("this CPU has no functions of its own");
        return;
    }
    let instructions = |arguments: &[&str]| {
        shared_report("machine", arguments).instructions("libc::strlen::kib64")
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
