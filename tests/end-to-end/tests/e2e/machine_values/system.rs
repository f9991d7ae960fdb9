//! Values that other programs, other users and other machines change, and those that a run passes through.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::Command;

use end_to_end_tests::{Run, Suite, run, skip};

use super::{exec, notes, on_cpu, write_file};

/// Runs a benchmark file whose processes make this change before they start.
fn run_after(command: &mut Command, change: fn() -> io::Result<()>) -> Run {
    // SAFETY: the changes make system calls alone.
    run(unsafe { command.pre_exec(change) })
}

/// Returns the notes with their benchmarks in a line each.
fn texts(run: &Run) -> Vec<String> {
    let _ = run.succeeded();
    notes(run).into_iter().map(|(name, text)| format!("{name}: {text}")).collect()
}

/// Returns the error of a system call that returned -1.
fn checked(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Takes away the right to administer the clock, and large pages.
fn drop_rights() -> io::Result<()> {
    const CLOCK: libc::c_int = 25;
    // SAFETY: system calls without pointers.
    unsafe {
        // Only the superuser has it, and can lose it
        if libc::geteuid() == 0 {
            checked(libc::prctl(libc::PR_CAPBSET_DROP, CLOCK, 0, 0, 0))?;
        }
        checked(libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0))
    }
}

#[test]
fn rights_have_a_note() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    let arguments = ["::capabilities", "::large_pages"];
    assert_eq!(notes(&suite.run(&arguments).expect(0)), BTreeMap::new());
    let run = run_after(suite.command().args(arguments), drop_rights).expect(0);
    let rights = "reads the rights of the process";
    let mut noted =
        BTreeMap::from([("of_system::capabilities", rights), ("of_system::large_pages", rights)]);
    // SAFETY: a system call without pointers.
    if unsafe { libc::geteuid() } != 0 {
        noted.remove("of_system::capabilities");
    }
    assert_eq!(notes(&run), noted, "{}", run.stderr);
}

/// Moves a process into a network of its own with one interface, which has no address.
fn enter_network() -> io::Result<()> {
    // SAFETY: a system call without pointers.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNET) })
}

/// Does the same, and gives the interface its address and another name.
fn enter_other_network() -> io::Result<()> {
    enter_network()?;
    // SAFETY: zeros are a valid value, and the pointers are valid during the calls.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0);
        checked(socket)?;
        let mut request: libc::ifreq = std::mem::zeroed();
        for (at, byte) in b"lo".iter().enumerate() {
            request.ifr_name[at] = (*byte).try_into().unwrap_or_default();
        }
        for (at, byte) in b"longer".iter().enumerate() {
            request.ifr_ifru.ifru_newname[at] = (*byte).try_into().unwrap_or_default();
        }
        checked(libc::ioctl(socket, libc::SIOCSIFNAME, &raw const request))?;
        request.ifr_name = request.ifr_ifru.ifru_newname;
        request.ifr_ifru.ifru_flags = libc::IFF_UP.try_into().unwrap_or_default();
        checked(libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request))?;
        checked(libc::close(socket))
    }
}

#[test]
fn network_interfaces_have_a_note() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    let mut allowed = Command::new("true");
    // SAFETY: the closure makes system calls alone.
    if unsafe { allowed.pre_exec(enter_other_network) }.status().is_err() {
        return skip("there is no network of a process's own here");
    }
    let run = |network| run_after(suite.command().arg("interfaces"), network).expect(0);
    for _ in 0..2 {
        assert_eq!(notes(&run(enter_network)), BTreeMap::new());
    }
    let other = run(enter_other_network);
    let noted = notes(&other);
    let interfaces = "reads the network interfaces";
    assert_eq!(noted.get("of_system::names_of_interfaces"), Some(&interfaces), "{}", other.stderr);
    assert_eq!(noted.get("of_system::requested_interfaces"), Some(&interfaces), "{}", other.stderr);
    let addresses = noted.get("of_system::addresses_of_interfaces");
    assert!(addresses.is_some_and(|text| text.contains("the network interfaces")), "{addresses:?}");
}

#[test]
fn values_that_other_programs_change_have_a_note() {
    let suite = Suite::new("machine_values");
    let arguments = [
        "existing_file",
        "target_of_link",
        "shared_memory",
        "timer",
        "received",
        "address_of_host",
        "other_process",
        "order_of_files",
        "random_number_of_cpu",
    ];
    let run = |content: &str| {
        write_file(&suite, content, 1_000_000_000);
        let link = suite.root().join("link");
        let _ = fs::remove_file(&link);
        symlink(content, link).unwrap();
        suite.run(&arguments).expect(0)
    };
    assert_eq!(notes(&run("text")), BTreeMap::new());
    fs::write(suite.root().join("a longer name"), "").unwrap();
    let run = run("longer");
    let noted = [
        ("existing_file", "reads which files exist"),
        ("target_of_link", "reads what is in a file or a pipe"),
        ("shared_memory", "reads ids of shared memory, semaphores, queues or keys"),
        ("timer", "reads timers or the state of the system's clock"),
        ("received of_setup:content().len()", "reads what arrives at a socket or its state"),
        (
            "address_of_host of_setup:CString::new(content()).unwrap()",
            "reads the address of a host",
        ),
        ("other_process of_setup:content().len()", "takes turns with other processes"),
        ("order_of_files of_setup:content().len()", "compares addresses in the kernel"),
    ];
    #[cfg(target_arch = "x86_64")]
    let of_cpu = std::arch::is_x86_feature_detected!("rdrand")
        .then_some(("random_number_of_cpu", "reads random numbers of the CPU"));
    #[cfg(not(target_arch = "x86_64"))]
    let of_cpu = None;
    let noted: Vec<_> = noted
        .into_iter()
        .chain(of_cpu)
        .map(|(name, text)| (format!("of_system::{name}"), text))
        .collect();
    let noted = noted.iter().map(|(name, text)| (&**name, *text)).collect();
    assert_eq!(notes(&run), noted, "{}", run.stderr);
}

/// Leaves the ids of the user, and stays the owner of its files.
fn leave_user() -> io::Result<()> {
    // SAFETY: a system call without pointers.
    checked(unsafe { libc::unshare(libc::CLONE_NEWUSER) })
}

#[test]
fn another_user_has_a_note() {
    let suite = Suite::new("machine_values");
    let mut allowed = Command::new("true");
    // SAFETY: the closure makes a system call alone.
    if unsafe { allowed.pre_exec(leave_user) }.status().is_err() {
        return skip("there is no namespace of users here");
    }
    assert_eq!(notes(&suite.run(&["::user"]).expect(0)), BTreeMap::new());
    let run = run_after(suite.command().arg("::user"), leave_user).expect(0);
    let noted = [("of_system::user", "reads ids of the user or the groups")];
    assert_eq!(notes(&run), BTreeMap::from(noted), "{}", run.stderr);
    assert!(run.stdout.contains("local user ("), "{}", run.stdout);
}

/// Changes what a shell hands down, and the name of the host where the system allows it.
fn change_shell_and_host() -> io::Result<()> {
    const NAME: &[u8] = b"a-long-name";
    // SAFETY: system calls; the pointer is valid during the call.
    unsafe {
        libc::umask(0o77);
        if libc::unshare(libc::CLONE_NEWUTS) == 0 {
            checked(libc::sethostname(NAME.as_ptr().cast(), NAME.len()))?;
        }
    }
    Ok(())
}

#[test]
fn each_value_that_is_passed_through_has_its_note() {
    let suite = Suite::new("machine_values");
    let arguments = [
        "host_name",
        "mode_mask",
        "time_of_a_reading",
        "::thread",
        "--native=host,limits,clock,cpus",
    ];
    write_file(&suite, "text", 1_000_000_000);
    let first = run(suite.command().args(arguments)).expect(0);
    assert_eq!(notes(&first), BTreeMap::new());
    write_file(&suite, "longer", 1_000_000_000);
    let other = run_after(suite.command().args(arguments), change_shell_and_host).expect(0);
    let mut noted = BTreeMap::from([
        ("passed_through::host_name", "reads the name of the host"),
        ("passed_through::mode_mask", "reads limits of the shell"),
        ("passed_through::time_of_a_reading", "reads the clock of the system"),
        (
            "passed_through::thread of_setup:content().len()",
            "has threads in an order of the kernel",
        ),
    ]);
    if !other.stdout.contains("host (") {
        noted.remove("passed_through::host_name");
    }
    assert_eq!(notes(&other), noted, "{}", other.stderr);
}

#[test]
fn random_numbers_and_addresses_have_a_note_without_a_function() {
    let suite = Suite::new("machine_values");
    let random = || texts(&suite.run(&["passed_through::random_number", "--seed=random"]));
    assert_eq!(random(), [""; 0]);
    let text = "passed_through::random_number: reads random numbers of the system";
    assert_eq!(random(), [text]);
    // Valgrind's own addresses are the same
    let at_addresses = |content: &str| {
        write_file(&suite, content, 1_000_000_000);
        texts(&suite.run(&["data::", "--allow-aslr"]))
    };
    assert_eq!(at_addresses("text"), [""; 0]);
    let text = "data::length of_setup:metadata(FILE).unwrap().len(): runs at random addresses";
    assert_eq!(at_addresses("longer"), [text]);
}

#[test]
fn the_number_of_the_cpu_has_a_note_if_it_is_passed_through() {
    if std::thread::available_parallelism().unwrap().get() == 1 {
        return skip("a machine with two CPUs");
    }
    let suite = Suite::new("machine_values");
    let run = |command: &mut Command| run(command.args(["::number_of_cpu", "--cpus=native"]));
    assert_eq!(notes(&run(on_cpu(0, &mut suite.command())).expect(0)), BTreeMap::new());
    let other = run(on_cpu(1, &mut suite.command())).expect(0);
    let noted = [("of_system::number_of_cpu", "reads the number of the CPU that it runs on")];
    assert_eq!(notes(&other), BTreeMap::from(noted), "{}", other.stderr);
}

/// Opens pseudo terminals, so that the next ones have other numbers.
fn open_terminals() -> [OwnedFd; 3] {
    [(); 3].map(|()| {
        // SAFETY: a call without pointers, whose descriptor nothing else uses.
        unsafe { OwnedFd::from_raw_fd(libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY)) }
    })
}

#[test]
fn the_number_of_a_terminal_has_a_note() {
    let suite = Suite::new("machine_values");
    let run = || suite.run(&["_terminal"]).expect(0);
    assert_eq!(notes(&run()), BTreeMap::new());
    let terminals = open_terminals();
    let run = run();
    drop(terminals);
    let benchmarks = [
        "of_system::pseudo_terminal",
        "of_system::requested_terminal of_any_system_call:true",
        "of_system::requested_terminal of_function:false",
    ];
    let noted = benchmarks.map(|name| (name, "reads the number of a terminal"));
    assert_eq!(notes(&run), BTreeMap::from(noted), "{}", run.stderr);
}

/// A program that asks the kernel for the number of a new terminal.
const REQUEST: &str = "
    unsafe extern \"C\" {
        fn posix_openpt(flags: i32) -> i32;
        fn ioctl(terminal: i32, request: u64, ...) -> i32;
    }
    fn main() {
        let mut number = 0_u32;
        unsafe { assert_eq!(ioctl(posix_openpt(2), 0x8004_5430, &raw mut number), 0) };
        for at in 0..100 * number { std::hint::black_box(at); }
    }
";

// The program calls `ioctl@plt` then.
#[test]
fn a_request_has_a_note_if_the_loader_finds_functions_when_they_are_called() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("program.rs"), REQUEST).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-g", "-Crelro-level=off", "-Clink-arg=-Wl,-z,lazy"]);
    assert_eq!(run(rustc.arg("program.rs").current_dir(directory.path())).expect(0).stderr, "");
    let exec = || exec(directory.path(), &["./program"]);
    assert_eq!(exec(), None);
    let terminals = open_terminals();
    let text = exec().expect("a note");
    drop(terminals);
    assert!(text.contains("the number of a terminal"), "{text}");
}
