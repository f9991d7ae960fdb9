//! Commands whose programs need the real thing: signals, groups, children, files with ids, limits of memory, and rights of
//! another user.

#[cfg(all(target_env = "gnu", target_arch = "x86_64"))]
mod x86_64;

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::Advice;

use end_to_end_tests::{Run, clean, run, runner};

/// Runs a command without a benchmark file in this directory.
fn exec(directory: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(runner());
    clean(&mut command).current_dir(directory).args(["exec", "--nocapture"]).args(arguments);
    run(&mut command).expect(0)
}

/// Returns the instructions of a command.
fn instructions(run: &Run) -> u64 {
    let count = run.stdout.lines().find_map(|line| line.trim().strip_prefix("Instructions:"));
    let count = count.and_then(|count| count.split('|').next()).expect("a count");
    count.trim().parse().expect("a number")
}

/// Compiles a program in this directory.
fn compile(directory: &Path, source: &str) {
    fs::write(directory.join("program.rs"), source).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-g", "program.rs"]).current_dir(directory);
    assert_eq!(run(&mut rustc).expect(0).stderr, "");
}

/// Prints if there is an error for 1 GiB of memory.
const ALLOCATION: &str = "fn main() {
    let is_error = Vec::<u8>::new().try_reserve_exact(1 << 30).is_err();
    println!(\"no memory {is_error}\");
}";

const SCRIPT: &str = "trap 'echo own signal' USR1; kill -USR1 $$
    trap 'echo signal of the group' TERM; kill -TERM 0
    (exit 7) & wait $!; echo child $?
    echo $$ > pid; bash -c 'kill -0 $(cat pid) && echo alive'; rm pid
    ./program; (ulimit -v 800000; ./program)";

#[test]
fn a_command_has_its_signals_children_and_limits() {
    let directory = tempfile::tempdir().unwrap();
    compile(directory.path(), ALLOCATION);
    let printed =
        "own signal\nsignal of the group\nchild 7\nalive\nno memory false\nno memory true\n";
    for change in ["N/A", "(No change)"] {
        let run = exec(directory.path(), &["--", "bash", "-c", SCRIPT]);
        assert!(run.stdout.contains(printed), "{}", run.stdout);
        let counts = run.stdout.lines().find(|line| line.contains("Instructions:"));
        assert!(counts.is_some_and(|line| line.contains(change)), "{}", run.stdout);
    }
}

// How far the child is after the sleep depends on the machine's load: no count is compared
#[test]
fn a_command_kills_the_group_of_a_child() {
    let directory = tempfile::tempdir().unwrap();
    let script = "set -m; sleep 60 & sleep 1; kill -INT -- -$!; wait $!; echo killed group $?";
    let run = exec(directory.path(), &["--", "bash", "-c", script]);
    assert!(run.stdout.contains("killed group 130\n"), "{}", run.stdout);
}

/// Counts a program in this directory with a file in the place of another one; an error if nothing can be mounted here.
fn exec_with_file(
    directory: &Path,
    [file, place]: [PathBuf; 2],
    arguments: &[&str],
) -> Result<Run, String> {
    let script = "mount --bind \"$0\" \"$1\" || exit 42; shift; exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).args([file, place]);
    command.arg(runner()).args(["exec", "--explain=all"]).args(arguments);
    let run = run(clean(&mut command).current_dir(directory));
    if run.code == Some(42) || run.stderr.starts_with("unshare:") {
        return Err(format!("nothing can be mounted here: {}", run.stderr));
    }
    Ok(run)
}

// A module of the kernel, such as that of containers, adds a line which `ls` reads
#[test]
fn other_file_systems_of_the_kernel_do_not_change_a_command() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let systems = fs::read_to_string("/proc/filesystems").unwrap();
    fs::write(path("same"), &systems).unwrap();
    fs::write(path("other"), format!("{systems}nodev\tother\n")).unwrap();
    let exec = |name: &str| {
        exec_with_file(
            directory.path(),
            [path(name), "/proc/filesystems".into()],
            &["--", "ls", "/"],
        )
    };
    if let Err(reason) = exec("same") {
        return end_to_end_tests::skip(&reason);
    }
    let other = exec("other").unwrap().expect(0);
    assert_eq!(other.stdout.matches("(No change)").count(), 6, "{}", other.stdout);
    let read = |name: &str| {
        let place = "/proc/filesystems";
        exec_with_file(directory.path(), [path(name), place.into()], &["--", "cat", place]).unwrap()
    };
    assert!(!read("other").expect(0).stdout.contains("other"));

    // With that of access control, they would do more
    fs::create_dir_all(path("fs/selinux")).unwrap();
    let script = "stat -f /sys/fs/selinux || echo absent";
    let program = ["--nocapture", "--", "sh", "-c", script];
    let places = [path("fs"), "/sys/fs".into()];
    let run = exec_with_file(directory.path(), places, &program).unwrap().expect(0);
    assert!(run.stdout.contains("absent\n"), "{}", run.stdout);
}

#[test]
fn other_libraries_of_the_system_are_the_cause_of_other_counts() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::copy("/etc/ld.so.cache", path("same")).unwrap();
    // Without any library. The paths of users do not have the directory of this program
    let mut ldconfig = Command::new("/sbin/ldconfig");
    ldconfig.arg("-r").arg(directory.path()).args(["-C", "/other", "-X"]);
    let _ = run(&mut ldconfig).expect(0);
    let exec = |cache: &str, program: &[&str]| {
        let places = [path(cache), "/etc/ld.so.cache".into()];
        exec_with_file(directory.path(), places, &[&["--"], program].concat())
    };
    let echo = ["echo", "text"];
    if let Err(reason) = exec("same", &echo) {
        return end_to_end_tests::skip(&reason);
    }
    let exec = |cache, program| exec(cache, program).unwrap();
    let again = exec("same", &echo).expect(0);
    assert!(!again.stdout.contains("Causes:"), "{}", again.stdout);
    let other = exec("other", &echo).expect(0);
    let cause = "the environment differs: list of the loader's libraries";
    assert!(other.stdout.contains(cause), "{}", other.stdout);

    // A value that varies can be the reason as well
    let read = ["cat", "same"];
    let _ = exec("same", &read).expect(0);
    let other = exec("other", &read).expect(0);
    assert!(!other.stdout.contains(cause), "{}", other.stdout);
    let note = " and the list of the loader's libraries: its count can vary";
    assert!(other.stderr.contains(note), "{}", other.stderr);
}

#[test]
fn a_program_with_other_rights_that_does_not_run_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    fs::copy("/bin/true", &program).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o4755)).unwrap();
    let run = exec(directory.path(), &["--", "bash", "-c", "./program; echo $?"]);
    assert!(run.stdout.contains("126\n"), "{}", run.stdout);
    run.complains(&["Valgrind did not run ", "/program, which changes its user", "help: "]);
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let run = exec(directory.path(), &["--", "bash", "-c", "./program; echo $?"]);
    assert!(run.stdout.contains("0\n") && run.stderr.is_empty(), "{}", run.stderr);
}

/// Processes that read a file and count differently in another order.
const RING: &str = concat!(
    include_str!("../../../../benchmark-tests/benches/surroundings/ring.rs"),
    "fn main() { ring(&File::open(\"data\").unwrap()); }"
);

// A process keeps its turn while it waits for a disk
#[test]
fn processes_at_once_take_the_same_turns() {
    // Other temporary files can be in memory
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    compile(directory.path(), RING);
    let data = directory.path().join("data");
    fs::write(&data, vec![1; 500 << 14]).unwrap();
    let data = File::open(&data).unwrap();
    data.sync_all().unwrap();
    let count = |number| {
        if number % 2 == 1 {
            rustix::fs::fadvise(&data, 0, None, Advice::DontNeed).unwrap();
        }
        instructions(&exec(directory.path(), &["--", "./program"]))
    };
    let counts: BTreeSet<_> = (0..8).map(count).collect();
    assert_eq!(counts.len(), 1, "{counts:?}");
}

/// Wakes up a thread ten times, and spins until it has run.
const SPINS: &str = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::mpsc::channel;
    static TURN: AtomicU32 = AtomicU32::new(0);
    fn main() {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(|| for () in receiver { TURN.fetch_add(1, SeqCst); });
        for turn in 0..10 {
            sender.send(()).unwrap();
            while TURN.load(SeqCst) <= turn {}
        }
        drop(sender);
        thread.join().unwrap();
    }";

// A thread that spins for another one goes on after one time slice, whichever processes there are
#[test]
fn threads_keep_their_order_next_to_other_processes() {
    let directory = tempfile::tempdir().unwrap();
    compile(directory.path(), SPINS);
    let count = |script| instructions(&exec(directory.path(), &["--", "bash", "-c", script]));
    let alone = count("exec ./program");
    for script in ["./program; :", "./program & wait", "./program & ./program & wait"] {
        let programs = script.matches("program").count() as u64;
        let counts = count(script);
        // The shell has less than a slice of one thread in each turn
        assert!(counts < programs * alone + 3_000_000, "{script}: {counts}, alone {alone}");
    }
}
