//! Recognition of values in names and machine code.

use super::instructions::{Instruction, NumberRegister, decode, number_before};
use super::*;
use iai_callgrind_debuginfo::Architecture::{Aarch64, Riscv64, X86_64};

fn names(values: &[&MachineValue]) -> Vec<&'static str> {
    values.iter().map(|value| value.name).collect()
}

#[test]
fn functions_ask_for_values_under_all_of_their_names() {
    let functions = AskingFunctions::default();
    for (function, value) in [
        ("statfs", "free-space"),
        ("__statfs64@@GLIBC_2.2.5", "free-space"),
        ("__GI___fxstat64", "file-metadata"),
        ("fstatat", "file-metadata"),
        ("readdir64", "directory"),
        ("pread64", "file-content"),
        ("accept4", "port"),
        ("readlink", "file-content"),
        ("mkstemp64", "existing-files"),
        ("shmget", "ipc-ids"),
        ("setitimer", "timers"),
        ("ntp_gettimex", "timers"),
        ("getsockopt", "network"),
        ("getifaddrs", "interfaces"),
        ("faccessat2", "existing-files"),
        ("capget", "rights"),
        ("__ptsname_r", "terminal-numbers"),
        ("__getauxval", "user"),
        ("sched_getaffinity", "cpus"),
        ("get_nprocs", "cpus"),
        ("syscall.Statfs", "free-space"),
        ("golang.org/x/sys/unix.Getsockname", "port"),
    ] {
        assert_eq!(functions.values(function), [value], "{function}");
    }
    assert_eq!(functions.values("fork"), ["process-ids", "processes"]);
    for other in ["my_crate::statfs", "write", "memcpy", "statfsx", "syscall.Write"] {
        assert_eq!(functions.values(other), [""; 0], "{other}");
    }
}

#[test]
fn a_value_that_is_fixed_does_not_vary() {
    let environment = |entries: &[(&str, &str)]| {
        entries.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let asked = ["process-ids", "clock", "memory", "host", "port", "unknown"];
    let of =
        |entries: &[(&str, &str)]| names(&machine_values(asked.into_iter(), &environment(entries)));
    assert_eq!(of(&[]), ["port"]);
    assert_eq!(of(&[("clock", "virtual"), ("process ids", "fixed")]), ["port"]);
    assert_eq!(of(&[("memory", "fixed"), ("host", "fixed")]), ["port"]);
    assert_eq!(
        of(&[("clock", "system"), ("process ids", "system"), ("memory", "system")]),
        ["port", "process-ids", "memory", "clock"]
    );
    // The values that are passed through, and one that only functions lack
    let passed =
        [("memory", "4096 KiB"), ("host", "here, Linux 6.1"), ("clock", "virtual in functions")];
    assert_eq!(of(&passed), ["port", "memory", "host", "clock"]);
    let of_waits = |asked: &[&'static str]| {
        names(&machine_values(asked.iter().copied(), &environment(&[("CPUs", "4")])))
    };
    assert_eq!(of_waits(&["timed-waits"]), [""; 0]);
    assert_eq!(of_waits(&["timed-waits", "thread-order"]), ["timed-waits"]);
    let of_terminal = |has_terminal: &str| {
        names(&machine_values(["limits"].into_iter(), &environment(&[("terminal", has_terminal)])))
    };
    assert_eq!((of_terminal("no"), of_terminal("yes")), (vec![], vec!["limits"]));
    let of_cpus =
        |cpus: &str| names(&machine_values(["cpus"].into_iter(), &environment(&[("CPUs", cpus)])));
    assert_eq!((of_cpus("4"), of_cpus("native")), (vec![], vec!["cpus"]));
    let of_cpu = |entries: &[(&str, &str)]| {
        names(&machine_values(["cpu-number"].into_iter(), &environment(entries)))
    };
    assert_eq!(of_cpu(&[("CPUs", "4"), ("memory", "fixed")]), [""; 0]);
    // System calls that can't be answered
    assert_eq!(of_cpu(&[("CPUs", "4"), ("memory", "system")]), ["cpu-number"]);
    assert_eq!(of_cpu(&[("CPUs", "native"), ("memory", "fixed")]), ["cpu-number"]);
    let random = [("seed", "random"), ("address randomization", "yes")];
    assert_eq!(of(&random), ["port", "random-numbers", "addresses"]);
}

#[test]
fn several_values_are_one_sentence() {
    let words = |names: &[&str]| {
        let values: Vec<_> = names.iter().filter_map(|name| find(name)).collect();
        in_words(&values)
    };
    assert_eq!(words(&["port"]), "reads the port of a socket");
    assert_eq!(
        words(&["free-space", "port", "time-stamp-counter"]),
        "reads the free space of a file system, the port of a socket and the time stamp counter of the CPU"
    );
    assert_eq!(
        words(&["port", "addresses"]),
        "reads the port of a socket and runs at random addresses"
    );
    assert_eq!(
        words(&["port", "free-space", "addresses"]),
        "reads the port of a socket and the free space of a file system, and runs at random addresses"
    );
}

#[test]
fn instructions_of_x86_64() {
    let reads = |code: &[u8]| decode(X86_64, code);
    for code in [&[0x0f, 0x31][..], &[0x0f, 0x01, 0xf9]] {
        assert_eq!(reads(code), Some(Instruction::Reads(TIME_STAMP_COUNTER)), "{code:x?}");
    }
    // rdrand eax, rdseed rcx, rdrand r9
    for code in [&[0x0f, 0xc7, 0xf0][..], &[0x48, 0x0f, 0xc7, 0xf9], &[0x49, 0x0f, 0xc7, 0xf1]] {
        assert_eq!(reads(code), Some(Instruction::Reads(CPU_RANDOM_NUMBERS)), "{code:x?}");
    }
    // cmpxchg8b, cpuid, nop, ud2, the end
    for code in
        [&[0x0f, 0xc7, 0x4c, 0x24, 8][..], &[0x0f, 0xa2], &[0x90], &[0x0f, 0x0b], &[0x0f], &[]]
    {
        assert_eq!(reads(code), None, "{code:x?}");
    }
}

#[test]
fn the_number_of_a_system_call_is_the_last_one_in_its_register() {
    let number = |before: &[u8]| number_before(X86_64, before, NumberRegister::Instruction);
    // mov eax, 5; mov eax, 137; mov r8d, 9; mov edi, 1
    let before = [0xb8, 5, 0, 0, 0, 0xb8, 137, 0, 0, 0, 0x41, 0xb8, 9, 0, 0, 0, 0xbf, 1, 0, 0, 0];
    assert_eq!(decode(X86_64, &[0x0f, 0x05]), Some(Instruction::SystemCall));
    assert_eq!(number(&before), Some(137));
    assert_eq!(number_before(X86_64, &before, NumberRegister::FirstArgument), Some(1));
    // mov rax, 332
    let wide = [0x48, 0xc7, 0xc0, 0x4c, 1, 0, 0];
    assert_eq!((number(&wide), number(&[0x90; 100])), (Some(332), None));
    // mov x8, #43; mov x0, #1; svc #0
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let (before, svc) = (words(&[0xd280_0568, 0xd280_0020]), words(&[0xd400_0001]));
    assert_eq!(decode(Aarch64, &svc), Some(Instruction::SystemCall));
    assert_eq!(number_before(Aarch64, &before, NumberRegister::Instruction), Some(43));
    assert_eq!(number_before(Aarch64, &before, NumberRegister::FirstArgument), Some(1));
    let mrs = words(&[0xd53b_e040 | 3]);
    assert_eq!(decode(Aarch64, &mrs), Some(Instruction::Reads(TIME_STAMP_COUNTER)));
    assert_eq!(decode(Aarch64, &words(&[0xd503_201f])), None);
    assert_eq!(decode(Riscv64, &svc), None);
}

#[test]
fn a_request_is_the_last_number_in_the_register_of_its_argument() {
    let request = |architecture, code: &[u8], register| {
        request_value(number_before(architecture, code, register)?)
    };
    let of_x86_64 = |code: &[u8]| request(X86_64, code, NumberRegister::SecondArgument);
    // mov esi, TIOCGPTN
    assert_eq!(of_x86_64(&[0xbe, 0x30, 0x54, 4, 0x80]), Some("terminal-numbers"));
    // mov esi, SIOCGIFCONF; mov edi, 3; mov r14d, 3
    let interfaces = [0xbe, 0x12, 0x89, 0, 0, 0xbf, 3, 0, 0, 0, 0x41, 0xbe, 3, 0, 0, 0];
    assert_eq!(of_x86_64(&interfaces), Some("interfaces"));
    // mov esi, FIONBIO after another request
    assert_eq!(of_x86_64(&[&interfaces[..], &[0xbe, 0x21, 0x54, 0, 0]].concat()), None);
    // mov edx, FIONREAD
    let third = request(X86_64, &[0xba, 0x1b, 0x54, 0, 0], NumberRegister::ThirdArgument);
    assert_eq!(third, Some("file-content"));
    // mov w1, #0x5430; movk w1, #0x8004, lsl #16
    let of_aarch64 = |words: &[u32]| {
        let code: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        request(Aarch64, &code, NumberRegister::SecondArgument)
    };
    assert_eq!(of_aarch64(&[0x528a_8601, 0x72b0_0081]), Some("terminal-numbers"));
    // mov w1, #0x80040000; movk w1, #0x5430
    assert_eq!(of_aarch64(&[0x52b0_0081, 0x728a_8601]), Some("terminal-numbers"));
    // mov w1, #SIOCGIFCONF; mov x1, #FIONBIO
    assert_eq!(of_aarch64(&[0x5291_2241]), Some("interfaces"));
    assert_eq!(of_aarch64(&[0x5291_2241, 0xd28a_8421]), None);
}

#[test]
fn requests_are_those_of_this_system() {
    for (request, value) in [
        (libc::SIOCGIFCONF, "interfaces"),
        (libc::SIOCGIFNAME, "interfaces"),
        (libc::SIOCGIFMAP, "interfaces"),
        (libc::TIOCGPTN, "terminal-numbers"),
        (libc::FIONREAD, "file-content"),
        (libc::TIOCOUTQ, "network"),
        (libc::TIOCGPGRP, "process-ids"),
        (libc::TIOCGSID, "process-ids"),
        (libc::FS_IOC_GETFLAGS, "file-metadata"),
        (libc::FS_IOC_GETVERSION, "file-metadata"),
    ] {
        let low = u16::try_from(request & 0xffff).unwrap();
        assert_eq!(request_value(low), Some(value), "{request:x}");
        assert!(find(value).is_some(), "{value}");
    }
    let low = u16::try_from(libc::TIOCGWINSZ & 0xffff).unwrap();
    assert_eq!(request_value(low), None);
}

#[test]
fn all_names_of_system_calls_are_known_functions() {
    let functions = AskingFunctions::default();
    for architecture in [X86_64, Aarch64] {
        let names = (0..500).filter_map(|number| system_call_name(architecture, number));
        let unknown: Vec<_> = names.filter(|name| functions.values(name).is_empty()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

#[test]
fn a_reader_needs_the_size_of_a_file_alone() {
    assert!(needs_size_only("std::fs::read::inner"));
    assert!(needs_size_only("<std::fs::File as std::io::Read>::read_to_end"));
    assert!(!needs_size_only("my_crate::read::inner") && !needs_size_only("std::fs::metadata"));
    assert!(passes_metadata_on("std::sys::fs::unix::try_statx"));
}
