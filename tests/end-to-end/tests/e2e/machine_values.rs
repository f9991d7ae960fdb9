//! Values of the machine that no run fixes: a benchmark that asks for one and whose count varies has a note.

mod system;

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use end_to_end_tests::{Run, Suite, clean, objects, run, runner, skip};

const FREE_SPACE: &str = "reads the free space of a file system";
const FILE_METADATA: &str = "reads the inode, the times or the size of a file";

/// The benchmarks with what their notes say.
const NOTED: [(&str, &str); 6] = [
    ("functions::inode", FILE_METADATA),
    ("functions::time", FILE_METADATA),
    ("functions::port", "reads the port of a socket"),
    ("functions::directory", "reads the entries of a directory in their order"),
    ("functions::content", "reads what is in a file or a pipe"),
    ("functions::time_stamp_counter", "reads the time stamp counter of the CPU"),
];

/// Writes the file that the benchmarks read, with this time after the epoch in seconds.
fn write_file(suite: &Suite, content: &str, seconds: u64) {
    let path = suite.root().join("file");
    fs::write(&path, content).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let times = FileTimes::new().set_modified(time);
    File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
}

/// Puts another file with another time and content in place of the file, and takes space and an entry of the directory.
fn change_everything(suite: &Suite) {
    let path = suite.root().join("file");
    fs::rename(&path, suite.root().join("a longer name")).unwrap();
    write_file(suite, "longer", 1_900_000_000);
    fs::write(suite.root().join("space"), vec![7; 1 << 20]).unwrap();
}

/// Takes the first ports that benchmarks get, unless another program has them.
fn take_ports() -> Vec<TcpListener> {
    (61_000..61_020).filter_map(|port| TcpListener::bind(("127.0.0.1", port)).ok()).collect()
}

/// Returns the texts of the notes about values by benchmark.
fn notes(run: &Run) -> BTreeMap<&str, &str> {
    let notes = run.stderr.lines().filter_map(|line| {
        let note = line.strip_prefix("note: machine_values::")?;
        note.strip_suffix(": its count can vary")?.split_once(": ")
    });
    notes.collect()
}

#[test]
fn a_benchmark_that_asks_for_a_value_has_a_note_if_its_count_varies() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    assert_eq!(notes(&suite.run(&["functions"]).expect(0)), BTreeMap::new(), "nothing is compared");
    change_everything(&suite);
    let ports = take_ports();
    let run = suite.run(&["functions", "--explain=all"]).expect(0);
    assert_eq!(notes(&run), BTreeMap::from(NOTED), "{}", run.stderr);
    let cause = format!("the same code {FILE_METADATA}: 2 benchmarks");
    assert!(run.stdout.contains(&cause), "{}", run.stdout);
    assert!(!run.stdout.contains("data is at another address"), "{}", run.stdout);

    drop(ports);
    change_everything(&suite);
    let json = suite.run(&["functions::port", "functions::independent", "--output-format=json"]);
    let objects = objects(&json.expect(0).stdout);
    let values = |at: usize| objects[at]["tools"][0]["varies_with"].clone();
    assert_eq!(values(0)[0]["name"], "port");
    assert_eq!(values(0)[0]["text"], "reads the port of a socket");
    assert_eq!(values(1).as_array().unwrap().len(), 0);
}

#[test]
fn values_that_vary_have_a_note_if_the_environment_changed_as_well() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    assert_eq!(notes(&suite.run(&["functions"]).expect(0)), BTreeMap::new());
    change_everything(&suite);
    let longer = suite.subdirectory("a longer name of a directory");
    fs::rename(suite.root().join("file"), longer.join("file")).unwrap();
    let _ports = take_ports();
    let run = run(suite.command().arg("functions").current_dir(longer)).expect(0);
    let changed = "Environment differs from the old results: local length of the working directory";
    assert!(run.stdout.contains(changed), "{}", run.stdout);
    let mut noted = BTreeMap::from(NOTED);
    noted.insert("functions::working_directory", "reads the path of the working directory");
    assert_eq!(notes(&run), noted, "{}", run.stderr);
}

#[test]
fn runs_of_one_benchmark_that_differ_have_a_note() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    let run = suite.run(&["functions::time", "--repeat=3"]).expect(0);
    let counter = ("functions::time_stamp_counter", "reads the time stamp counter of the CPU");
    assert_eq!(notes(&run), BTreeMap::from([counter]), "{}", run.stderr);

    // Data of their setups, for which no function of the measured code asks
    let run = suite.run(&["growing::", "--repeat=3", "--parallel=1"]).expect(0);
    let data = "finds other data than before, such as files that its setup reads or left behind";
    let data = ("growing::appended of_setup:append()", data);
    let order = "finds other data than before, or has threads that ran in another order";
    let order = ("growing::appended_next_to_a_thread of_setup:append()", order);
    assert_eq!(notes(&run), BTreeMap::from([data, order]), "{}", run.stderr);
}

#[test]
fn values_that_are_passed_through_have_a_note() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    let run =
        || suite.run(&["process_id", "free_space", "direct_call", "--native=ids,memory"]).expect(0);
    assert_eq!(notes(&run()), BTreeMap::new());
    change_everything(&suite);
    let noted = [
        ("passed_through::process_id", "reads ids of processes or threads"),
        ("passed_through::free_space", FREE_SPACE),
        ("passed_through::direct_call", FREE_SPACE),
    ];
    assert_eq!(notes(&run()), BTreeMap::from(noted));
    // The space is another one than in the last run, then it is fixed
    let run = || suite.run(&["free_space", "direct_call"]).expect(0);
    assert_eq!(notes(&run()), BTreeMap::from([noted[1], noted[2]]));
    assert_eq!(run().stderr, "");
}

#[test]
fn data_of_a_setup_that_changed_has_a_note() {
    let suite = Suite::new("machine_values");
    let run = |content: &str| {
        write_file(&suite, content, 1_000_000_000);
        suite.run(&["data::"]).expect(0)
    };
    assert_eq!(notes(&run("text")), BTreeMap::new());
    let longer = run("longer");
    let text = "finds other data than before, such as files that its setup reads or left behind";
    assert_eq!(
        notes(&longer),
        BTreeMap::from([("data::length of_setup:metadata(FILE).unwrap().len()", text)])
    );
    assert_eq!(notes(&run("longer")), BTreeMap::new());
}

/// Starts a command on this CPU alone.
fn on_cpu(cpu: usize, command: &mut Command) -> &mut Command {
    let change = move || {
        // SAFETY: a set of zeros is an empty one, and the pointer is valid during the call.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut set);
            assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &raw const set), 0);
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(change) }
}

#[test]
fn the_number_of_cpus_has_a_note_if_it_is_passed_through() {
    if std::thread::available_parallelism().unwrap().get() == 1 {
        return skip("a machine with two CPUs");
    }
    let suite = Suite::new("machine_values");
    assert_eq!(notes(&suite.run(&["cpus", "--cpus=native"]).expect(0)), BTreeMap::new());
    let run_on_one =
        |options: &[&str]| run(on_cpu(0, suite.command().arg("cpus").args(options))).expect(0);
    let native = run_on_one(&["--cpus=native"]);
    let noted = [("passed_through::cpus", "reads the number of CPUs")];
    assert_eq!(notes(&native), BTreeMap::from(noted), "{}", native.stderr);
    let fixed = suite.run(&["cpus"]).expect(0).report().all_instructions();
    assert_eq!(run_on_one(&[]).report().all_instructions(), fixed);
}

/// Makes the kernel schedule a command and its input and output in another way.
fn schedule_in_batches(command: &mut Command) -> &mut Command {
    let change = || {
        let parameters = libc::sched_param { sched_priority: 0 };
        // The process itself, and the lowest priority of the usual class
        let (process, lowest) = (1, (2 << 13) | 7);
        // SAFETY: system calls; the pointer is valid during the call.
        unsafe {
            assert_eq!(libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const parameters), 0);
            assert_eq!(libc::syscall(libc::SYS_ioprio_set, process, 0, lowest), 0);
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(change) }
}

#[test]
fn scheduling_and_pages_in_memory_have_a_note() {
    let suite = Suite::new("machine_values");
    let pages = suite.root().join("pages");
    File::create(&pages).unwrap().set_len(16 * 4096).unwrap();
    assert_eq!(notes(&suite.run(&["kernel"]).expect(0)), BTreeMap::new());
    assert_eq!(notes(&suite.run(&["kernel"]).expect(0)), BTreeMap::new());
    // Written pages are in memory, and those of a hole are not
    fs::write(&pages, vec![7; 16 * 4096]).unwrap();
    let run = run(schedule_in_batches(suite.command().arg("kernel"))).expect(0);
    let scheduling = "reads how the kernel schedules the process";
    let noted = [
        ("kernel::policy", scheduling),
        ("kernel::io_priority", scheduling),
        ("kernel::resident_pages", "reads which pages are in memory"),
    ];
    assert_eq!(notes(&run), BTreeMap::from(noted), "{}", run.stderr);
}

/// Runs a command in this directory without a benchmark file, and returns the text of its note.
fn exec(directory: &Path, command: &[&str]) -> Option<String> {
    let mut runner = Command::new(runner());
    let exec = ["exec", "--native=memory", "--"];
    clean(&mut runner).current_dir(directory).args(exec).args(command);
    let run = run(&mut runner).expect(0);
    let note = run.stderr.lines().find_map(|line| line.strip_suffix(": its count can vary"))?;
    note.rsplit_once(": ").map(|(_, text)| text.to_owned())
}

#[test]
fn a_command_that_asks_for_a_value_has_a_note() {
    let suite = Suite::new("machine_values");
    write_file(&suite, "text", 1_000_000_000);
    let command = ["stat", "-c", "%y", "file"];
    assert_eq!([1, 2].map(|_| exec(suite.root(), &command)), [None, None]);
    change_everything(&suite);
    let text = exec(suite.root(), &command).expect("a note");
    assert!(text.contains("the inode, the times or the size of a file"), "{text}");
}

/// A program that asks for the free space of a file system, and repeats its work so many times.
const PROGRAM: &str = "
    unsafe extern \"C\" { fn statvfs(path: *const u8, space: *mut [u64; 32]) -> i32; }
    fn main() {
        let mut space = [0; 32];
        unsafe { statvfs(c\".\".as_ptr().cast(), &mut space) };
        for _ in 0..TIMES { for at in 0..space[3] % 100_003 { std::hint::black_box(at); } }
    }
";

#[test]
fn code_that_changed_is_the_reason_for_its_count() {
    let directory = tempfile::tempdir().unwrap();
    let run_program = |times: &str, space: usize| {
        fs::write(directory.path().join("space"), vec![7; space]).unwrap();
        fs::write(directory.path().join("program.rs"), PROGRAM.replace("TIMES", times)).unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2024", "-g", "program.rs"]).current_dir(directory.path());
        assert_eq!(run(&mut rustc).expect(0).stderr, "");
        exec(directory.path(), &["./program"])
    };
    assert_eq!(run_program("1", 1 << 20), None);
    let text = run_program("1", 2 << 20).expect("a note");
    // The standard library asks for the bounds of the stack
    assert!(text.starts_with(FREE_SPACE), "{text}");
    assert_eq!(run_program("2", 3 << 20), None);
}

/// A program whose main thread waits for a time, next to another one if there is an argument. It repeats its work as often as a
/// file has bytes.
const WAITING: &str = "
    unsafe extern \"C\" {
        fn sem_init(semaphore: *mut [u64; 8], shared: i32, value: u32) -> i32;
        fn sem_timedwait(semaphore: *mut [u64; 8], until: *const [i64; 2]) -> i32;
    }
    fn main() {
        if THREADS { std::thread::spawn(|| {}).join().unwrap(); }
        let (mut semaphore, past) = ([0; 8], [1, 0]);
        unsafe {
            assert_eq!(sem_init(&mut semaphore, 0, 0), 0);
            assert_eq!(sem_timedwait(&mut semaphore, &past), -1);
        }
        for at in 0..std::fs::read(\"file\").unwrap().len() { std::hint::black_box(at); }
    }
";

#[test]
fn a_wait_for_a_time_next_to_threads_has_a_note() {
    let directory = tempfile::tempdir().unwrap();
    for (threads, is_noted) in [("false", false), ("true", true)] {
        fs::write(directory.path().join("program.rs"), WAITING.replace("THREADS", threads))
            .unwrap();
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2024", "-g", "program.rs"]).current_dir(directory.path());
        assert_eq!(run(&mut rustc).expect(0).stderr, "");
        let text = [100, 200].map(|length| {
            fs::write(directory.path().join("file"), vec![7; length]).unwrap();
            exec(directory.path(), &["./program"])
        });
        let [None, Some(text)] = text else { panic!("{text:?}") };
        let is_named = text.contains("waits for a time next to other threads");
        assert_eq!(is_named, is_noted, "{text}");
    }
}
