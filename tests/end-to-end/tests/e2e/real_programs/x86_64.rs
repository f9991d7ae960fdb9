//! Values that the kernel passes to each program, and functions that the C library chooses by the CPU.

use std::os::unix::process::CommandExt;
use std::process::Command;

use end_to_end_tests::{Run, clean, run, runner};

use super::{compile, exec, instructions};

/// Prints values of the auxiliary vector, the version of the C library, if the kernel answers with Valgrind's vector, and if the
/// port of a socket is a fixed one.
const START: &str = "use std::ffi::{CStr, c_char, c_ulong};
    unsafe extern \"C\" {
        fn getauxval(kind: c_ulong) -> c_ulong;
        fn gnu_get_libc_version() -> *const c_char;
        fn prctl(option: i32, ...) -> i32;
    }
    fn main() {
        let value = |kind| unsafe { getauxval(kind) };
        let text = |kind| unsafe { CStr::from_ptr(value(kind) as *const c_char) };
        println!(\"page size {}, clock {}, features {}\", value(6), value(17), value(16));
        println!(\"kernel's functions {}, safe {}\", value(33), value(23));
        println!(\"platform {:?}, path {:?}\", text(15), text(31));
        println!(\"random {:x?}\", unsafe { *(value(25) as *const [u8; 16]) });
        println!(\"library {:?}\", unsafe { CStr::from_ptr(gnu_get_libc_version()) });
        let socket = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();
        let mut values = [0_u64; 64];
        let (kind, size) = (0x4155_5856, size_of_val(&values));
        let values = unsafe { prctl(kind, &mut values, size, 0, 0) };
        println!(\"the kernel's own {}\", values != -1);
        println!(\"fixed port {}\", socket.local_addr().unwrap().port() >= 61000);
    }";

/// Returns the lines that the program printed.
fn printed(run: &Run) -> Vec<&str> {
    let is_title = |line: &&str| line.starts_with("exec::");
    let is_end = |line: &&str| !line.starts_with("- end");
    run.stdout.lines().skip_while(is_title).take_while(is_end).collect()
}

#[test]
fn a_command_starts_with_the_same_values_of_the_kernel() {
    let directory = tempfile::tempdir().unwrap();
    compile(directory.path(), START);
    let plain = exec(directory.path(), &["--", "./program"]);
    let path = directory.path().canonicalize().unwrap().join("program");
    let first = [
        "page size 4096, clock 100, features 2".to_owned(),
        "kernel's functions 0, safe 0".to_owned(),
        format!("platform \"x86_64\", path {path:?}"),
    ];
    assert_eq!(printed(&plain)[..3], first);
    let native = run(&mut Command::new(&path)).expect(0);
    let native: Vec<_> = native.stdout.lines().collect();
    assert_eq!(printed(&plain)[4], native[4], "the library is the system's");
    assert_ne!(printed(&plain)[1], native[1], "natively there is a vDSO");
    assert_eq!(printed(&plain)[5], "the kernel's own false");
    assert_eq!([printed(&plain)[6], native[6]], ["fixed port true", "fixed port false"]);

    let mut other = Command::new(runner());
    clean(&mut other).current_dir(directory.path()).env("LONG", "x".repeat(5000));
    other.args(["exec", "--nocapture", "--", "./program"]);
    // SAFETY: the closure makes a system call without pointers.
    unsafe {
        other.pre_exec(|| {
            libc::setpriority(libc::PRIO_PROCESS, 0, 5);
            Ok(())
        });
    }
    let other = run(&mut other).expect(0);
    assert_eq!(printed(&other), printed(&plain));
    assert_eq!(other.stdout.matches("(No change)").count(), 6, "{}", other.stdout);
    let seeded = exec(directory.path(), &["--seed=7", "--", "./program"]);
    let differs: Vec<_> =
        (0..5).filter(|&at| printed(&seeded)[at] != printed(&plain)[at]).collect();
    assert_eq!(differs, [3], "{}", seeded.stdout);
}

/// Copies 64 KiB, whose length the compiler does not know.
const COPY: &str = "fn main() {
    let from = vec![7_u8; 1 << 16];
    let mut to = vec![0; std::hint::black_box(1 << 16)];
    for _ in 0..20 { to.copy_from_slice(std::hint::black_box(&from)); std::hint::black_box(&to); }
}";

#[test]
fn a_command_has_the_functions_of_the_c_library_for_every_cpu() {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return end_to_end_tests::skip("this CPU has no functions of its own");
    }
    let directory = tempfile::tempdir().unwrap();
    compile(directory.path(), COPY);
    let count = |options: &[&str]| {
        instructions(&exec(directory.path(), &[options, &["--", "./program"]].concat()))
    };
    // Not always less: each byte that `rep movsb` copies counts. The text of the tunables is a small difference
    let (plain, native) = (count(&[]), count(&["--native-cpu"]));
    assert!(native.abs_diff(plain) > 50_000, "{native} and {plain}");
}
