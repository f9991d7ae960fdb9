//! Reading needs memory for the result, not for the file.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::{env, iter, thread};

use iai_callgrind_flamegraph::costs_of_stacks;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_profile::{ProfileDetails, merge};
use iai_callgrind_tools::tool::{LaunchOptions, ReadOptions, ResultFiles, TOOLS, Tool};
use tempfile::TempDir;

/// Variables that make a process of this test read a file.
const TOOL: &str = "IAI_CALLGRIND_TEST_TOOL";
const FILE: &str = "IAI_CALLGRIND_TEST_FILE";

/// A file of a tool: its start, a repeated part, and its end.
struct Sample {
    tool: &'static str,
    begin: &'static str,
    repeated: &'static str,
    /// Returns the end of a file with that many repetitions.
    end: fn(u64) -> String,
}

const SAMPLES: [Sample; 6] = [
    Sample {
        tool: "callgrind",
        begin: "version: 1\npid: 7\ncmd: x\npositions: line\nevents: Ir Dr\n\n\
                ob=(1) x\nfl=(1) x.rs\nfn=(1) main\n1 1 1\ncob=(2) /lib/libc.so.6\ncfn=(2) malloc\n\
                calls=1 1\n1 1 1\ncfn=(3) work\ncalls=1 1\n1 1 1\nob=(3) ???\nfn=(4) 0x1\n1 1\n",
        repeated: "ob=(1)\nfl=(1)\nfn=(3)\n16 3 1\n+1 2\ncob=(2)\ncfi=(1)\ncfn=(2)\ncalls=1 9\n* 5 1\n\
                   ob=(3)\nfn=(4)\n1 1\ncob=(2)\ncfn=(2)\ncalls=1 9\n* 5 1\n",
        end: |times| format!("totals: {} {times}\n", 16 * times + 3),
    },
    Sample {
        tool: "cachegrind",
        begin: "desc: x\ncmd: x\nevents: Ir Dr\nfl=x.rs\n",
        repeated: "fn=main\n1 1 2\n2 3\nfn=work\n3 4 5\n",
        end: |times| format!("summary: {} {}\n", 8 * times, 7 * times),
    },
    Sample {
        tool: "dhat",
        begin: "{\"dhatFileVersion\":2,\"mode\":\"ad-hoc\",\"verb\":\"x\",\"bklt\":false,\"bkacc\":false\n\
                ,\"cmd\":\"x\",\"pid\":7,\"te\":1,\"pps\":\n [{\"tb\":1,\"tbk\":1,\"fs\":[1]}\n",
        repeated: " ,{\"tb\":60,\"tbk\":3\n  ,\"fs\":[1,2]\n  }\n",
        end: |_| {
            " ]\n,\"ftbl\":[\"[root]\",\"0x1: a (b.c:1)\",\"0x1: main (b.c:1)\"]\n}\n".to_owned()
        },
    },
    Sample {
        tool: "massif",
        begin: "desc: x\ncmd: x\ntime_unit: i\n",
        repeated: "#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=1\nmem_heap_extra_B=2\n\
                   mem_stacks_B=0\nheap_tree=peak\nn1: 1 (heap)\n n0: 1 0x1: main (x.c:1)\n",
        end: |_| String::new(),
    },
    Sample {
        tool: "memcheck",
        begin: "==7== Memcheck, a memory error detector\n==7== Command: x\n",
        repeated: "==7== Invalid read of size 1\n==7==    at 0x1: main (x.c:1)\n--7-- y\nz\n",
        end: |_| {
            "==7== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)\n".to_owned()
        },
    },
    Sample {
        tool: "bbv",
        begin: "==7== exp-bbv, a SimPoint basic block vector generator\n==7== Command: x\n",
        repeated: "==7== x\n--7-- y\nz\n",
        end: |_| {
            "==7== # Thread 1\n==7== #   Total intervals: 1\n==7== #   Total instructions: 9\n"
                .to_owned()
        },
    },
];

impl Sample {
    /// Writes a file of at least this many megabytes.
    fn write(&self, path: &Path, megabytes: u64) {
        const AT_ONCE: usize = 1000;
        let repeated = self.repeated.repeat(AT_ONCE);
        let pieces = (megabytes * 1_000_000).div_ceil(repeated.len() as u64);
        let mut file = BufWriter::new(File::create(path).unwrap());
        file.write_all(self.begin.as_bytes()).unwrap();
        (0..pieces).for_each(|_| file.write_all(repeated.as_bytes()).unwrap());
        file.write_all((self.end)(pieces * AT_ONCE as u64).as_bytes()).unwrap();
        file.flush().unwrap();
    }
}

/// Reads a file of each tool at once, each in a process that may need this many MiB more than for a
/// file of 1 MB.
fn read_files_of(megabytes: u64, limit: u64) {
    thread::scope(|scope| {
        for sample in &SAMPLES {
            scope.spawn(move || {
                let [small, large] = [1, megabytes].map(|megabytes| peak(sample, megabytes));
                println!("{} of 1 MB: {small} KiB, of {megabytes} MB: {large} KiB", sample.tool);
                let more = large.saturating_sub(small);
                assert!(more < limit << 10, "{}: {more} KiB more", sample.tool);
            });
        }
    });
}

/// Returns the memory in KiB of a process that reads a file of this size.
fn peak(sample: &Sample, megabytes: u64) -> u64 {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    sample.write(&file, megabytes);
    let test = "fuzzing::tests::memory::reads_a_file";
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(TOOL, sample.tool)
        .env(FILE, &file)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed.lines().find_map(|line| line.split_once("peak: ")).unwrap().1.parse().unwrap()
}

#[test]
fn a_file_of_5_mb_takes_less_than_2_mib_more() {
    read_files_of(5, 2);
}

#[test]
#[ignore = "takes minutes"]
fn a_file_of_1_gb_takes_less_than_45_mib_more() {
    read_files_of(1000, 45);
}

#[test]
#[ignore = "a process of the other tests"]
fn reads_a_file() {
    let (Some(tool), Some(file)) = (env::var_os(TOOL), env::var_os(FILE)) else { return };
    let tool = TOOLS.into_iter().find(|row| *row.name == *tool).unwrap();
    let file = Path::new(&file);
    if tool.name == "callgrind" {
        let merged = file.with_extension("merged");
        let details =
            ProfileDetails { heap_calls: true, call_graph: true, ..ProfileDetails::default() };
        let profile = merge(&[file.to_owned()], &merged, details).unwrap();
        assert!(profile.call_graph.is_some());
        fs::rename(merged, file).unwrap();
        costs_of_stacks(file).unwrap();
    }
    read(tool, file);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak: {}", peak.trim().trim_end_matches(" kB"));
}

/// Reads log-based formats.
fn read(tool: &Tool, file: &Path) {
    let mut log = file.to_owned();
    if !matches!(tool.name, "memcheck" | "bbv") {
        log.set_extension("log");
        fs::write(&log, "==7== Command: x\n").unwrap();
    }
    let files = iter::once(file.to_owned()).filter(|_| tool.file.is_some()).collect();
    let wanted = [MetricKind::Allocations];
    let options = LaunchOptions {
        entry_point: iai_callgrind_plan::EntryPoint::None,
        ..LaunchOptions::default()
    };
    let measurement = (tool.read)(
        &ResultFiles { files, log },
        &ReadOptions { options: Some(&options), wanted: &wanted },
    );
    assert!(measurement.unwrap().total.events().any(|(_, count)| count > 0));
}
