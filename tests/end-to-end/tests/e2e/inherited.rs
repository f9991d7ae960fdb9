//! Values that benchmarks inherit from the shell are the same in each run, and so are their paths.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{mem, ptr, thread};

use end_to_end_tests::{Run, Suite, clean, kill, run, runner};

/// Commands of a shell that change what programs inherit from it.
const OTHER_SHELL: &str = "umask 077; ulimit -Sn 512; ulimit -Ss 16384; ulimit -c unlimited; trap '' HUP QUIT; \
                           exec 7</dev/null; exec 9</dev/null";

/// Returns a command that starts another one in a shell after these commands.
fn in_shell(commands: &str, command: &Command) -> Command {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("{commands}; exec \"$@\""), "bash"]);
    shell.arg(command.get_program()).args(command.get_args());
    clean(&mut shell).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = command.get_current_dir() {
        shell.current_dir(directory);
    }
    shell
}

fn differs(run: &Run) -> Vec<String> {
    let line = run.stdout.lines().find(|line| line.starts_with("Environment differs"));
    let changes = line.and_then(|line| line.split_once(": ")).map_or("", |(_, changes)| changes);
    changes
        .split("), ")
        .filter_map(|change| change.split_once(" ("))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn functions_inherit_the_same_from_each_shell() {
    let suite = Suite::new("inherited");
    let plain = run(&mut suite.command()).expect(0);
    let other = run(&mut in_shell(OTHER_SHELL, &suite.command())).expect(0);
    assert_eq!(other.report().values(), plain.report().values());
    assert_eq!(differs(&other), [""; 0]);
    let native = run(in_shell(OTHER_SHELL, &suite.command()).arg("--native=limits")).expect(0);
    let changed = native.report().benchmarks.into_iter().filter(|benchmark| {
        benchmark
            .lines
            .iter()
            .any(|line| line.label == "Instructions" && line.old != Some(line.new))
    });
    let changed: Vec<_> = changed.map(|benchmark| benchmark.title).collect();
    for name in ["umask", "limit files", "limit stack", "limit core", "ignored"] {
        let name = format!("inherited::shell::{name}");
        assert!(changed.iter().any(|title| title.starts_with(&name)), "{name} in {changed:?}");
    }
    let names = [
        "file mode mask",
        "ignored signals",
        "limit of core files",
        "limit of open files",
        "limit of the stack",
    ];
    assert_eq!(differs(&native), names);
}

// The superuser raises it, if it may
#[test]
fn a_limit_that_cannot_be_raised_is_named() {
    let suite = Suite::new("inherited");
    let arguments = ["inherited::shell::limit"];
    let plain = run(suite.command().args(arguments)).expect(0);
    let other = run(in_shell("ulimit -n 512", &suite.command()).args(arguments)).expect(0);
    if other.report().values() == plain.report().values() {
        assert_eq!(differs(&other), [""; 0]);
    } else {
        assert_eq!(differs(&other), ["limit of open files"]);
        assert!(other.stdout.contains("limit of open files (1012 → 500)"), "{}", other.stdout);
    }
}

#[test]
fn another_directory_of_functions_is_named() {
    let suite = Suite::new("inherited");
    let start = |executable: &Path, directory: &Path| {
        let plain = suite.command();
        let mut command = Command::new(executable);
        command.args(plain.get_args()).arg("executable").current_dir(directory);
        clean(&mut command).envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        run(&mut command).expect(0)
    };
    let executable = suite.command().get_program().to_owned();
    let executable = Path::new(&executable);
    let plain = start(executable, suite.root());
    // Another name of the same executable is not a change
    let link = suite.root().join("another name");
    symlink(executable, &link).unwrap();
    let by_link = start(&link, suite.root());
    assert_eq!(by_link.report().values(), plain.report().values());
    assert_eq!(differs(&by_link), [""; 0]);
    let longer = suite.root().join("longer");
    fs::create_dir(&longer).unwrap();
    let elsewhere = start(executable, &longer);
    assert_eq!(differs(&elsewhere), ["local length of the working directory's path"]);
}

#[test]
fn a_command_inherits_the_same_from_each_shell() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let script = "umask; ulimit -n; ulimit -s; ulimit -Hs; ulimit -c; trap; pwd; echo /proc/self/fd/*; cat </dev/tty; true";
    let mut command = Command::new(runner());
    command.args(["exec", "--nocapture", "--sandbox", "--", "sh", "-c", script]);
    clean(&mut command).current_dir(directory.path());
    let plain = run(&mut command).expect(0);
    let other = run(&mut in_shell(OTHER_SHELL, &command)).expect(0);
    assert_eq!(other.stdout.matches("(No change)").count(), 6, "{}", other.stdout);
    let printed = |run: &Run| {
        let lines = run.stdout.lines().skip(1).take_while(|line| !line.starts_with("  "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(printed(&other), printed(&plain));
    assert_eq!(printed(&plain)[..5], ["0022", "1012", "8192", "unlimited", "0"]);
}

/// Returns the ids and names of the processes of a session that a terminal has stopped, as it stops those of a background
/// group that read from it.
fn stopped_processes(session: u32) -> Vec<(libc::pid_t, String)> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let stopped = entries.filter_map(|entry| {
        let fields = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (start, rest) = fields.rsplit_once(") ")?;
        let (id, name) = start.split_once(" (")?;
        let fields: Vec<_> = rest.split(' ').collect();
        let is_stopped = fields[0] == "T" && fields[3] == session.to_string();
        is_stopped.then(|| Some((id.parse().ok()?, name.to_owned())))?
    });
    stopped.collect()
}

/// Opens a terminal at whose end each reader of its input is at once.
fn open_terminal() -> (File, OwnedFd) {
    let (mut terminal, mut end) = (0, 0);
    // SAFETY: the pointers are valid or null, and the descriptors are new ones that nothing else owns.
    unsafe {
        let (name, modes, size) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        assert_eq!(libc::openpty(&raw mut terminal, &raw mut end, name, modes, size), 0);
        let mut modes: libc::termios = mem::zeroed();
        assert_eq!(libc::tcgetattr(end, &raw mut modes), 0);
        modes.c_lflag &= !libc::ICANON;
        (modes.c_cc[libc::VMIN], modes.c_cc[libc::VTIME]) = (0, 0);
        assert_eq!(libc::tcsetattr(end, libc::TCSANOW, &raw const modes), 0);
        (File::from_raw_fd(terminal), OwnedFd::from_raw_fd(end))
    }
}

/// Runs a command in a session whose terminal is its input and output.
fn run_on_terminal(mut command: Command) {
    let (mut terminal, end) = open_terminal();
    let lead = || {
        // SAFETY: system calls without pointers.
        let is_led = unsafe { libc::setsid() != -1 && libc::ioctl(0, libc::TIOCSCTTY, 0) == 0 };
        if is_led { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    let another = || end.try_clone().expect("a descriptor");
    command.stdin(another()).stdout(another()).stderr(another());
    // SAFETY: the closure makes system calls alone.
    let mut child = unsafe { command.pre_exec(lead) }.spawn().expect("the command can be run");
    drop((command, end));
    // An error is the end, when all processes have closed the terminal
    let reader = thread::spawn(move || {
        let mut printed = Vec::new();
        let _ = terminal.read_to_end(&mut printed);
        String::from_utf8_lossy(&printed).into_owned()
    });
    let mut stopped = Vec::new();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        for (id, name) in stopped_processes(child.id()) {
            kill(id);
            stopped.push(name);
        }
        thread::sleep(Duration::from_millis(20));
    };
    let printed = reader.join().unwrap();
    assert!(stopped.is_empty(), "{stopped:?} read from the terminal\n{printed}");
    assert!(status.success(), "{printed}");
}

/// Runs a command without a standard input.
fn run_without_input(command: &mut Command) -> Run {
    let close = || {
        // SAFETY: a system call without pointers.
        unsafe { libc::close(0) };
        Ok(())
    };
    // SAFETY: the closure makes a system call alone.
    run(unsafe { command.pre_exec(close) })
}

#[test]
fn functions_have_no_terminal_and_an_empty_input() {
    let suite = Suite::new("inherited");
    let command = || {
        let mut command = suite.command();
        command.args(["::streams", "::terminal", "::descriptor"]);
        command
    };
    run_on_terminal(command());
    for run in [run_without_input(&mut command()), run(&mut command())] {
        let run = run.expect(0);
        assert_eq!(run.stdout.matches("(No change)").count(), 6 * 4, "{}", run.stdout);
    }
}

#[test]
fn commands_have_no_terminal_and_an_empty_input() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let script =
        "tty; stty size; cat; cat </dev/tty; ls --color=auto /; ls -l /proc/self/fd/0; true";
    let command = || {
        let mut command = Command::new(runner());
        command.args(["exec", "--timeout=100s", "--", "sh", "-c", script]);
        clean(&mut command).current_dir(directory.path());
        command
    };
    run_on_terminal(command());
    for run in [run_without_input(&mut command()), run(&mut command())] {
        let run = run.expect(0);
        assert_eq!(run.stdout.matches("(No change)").count(), 6, "{}", run.stdout);
    }
}
