//! A run of a machine: boots it, passes its output on, and fetches the files that it leaves.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use xtask::command::{self, in_file};
use xtask::machine::Machine;

use crate::vm::architecture::Architecture;
use crate::vm::disk;
use crate::vm::image::Image;

/// The parts of each machine that do not depend on its architecture.
const ARGUMENTS: &[&str] = &[
    "-smp",
    "2",
    "-m",
    "3G",
    "-display",
    "none",
    "-nodefaults",
    "-no-reboot",
    // Nothing is written to the files of the disks
    "-snapshot",
    "-device",
    "nvme,drive=root,serial=root",
    "-device",
    "virtio-blk-pci,drive=given",
    "-device",
    "virtio-serial-pci",
    "-chardev",
    "file,id=output,path=/dev/stdout",
    "-device",
    "virtserialport,chardev=output,name=output",
    "-device",
    "virtserialport,chardev=results,name=results",
];

/// Lines of the console that are shown if the machine ends without results.
const CONSOLE_LINES: usize = 30;

/// A machine that is running. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Qemu {
    child: Child,
    lines: Receiver<String>,
    start: Instant,
    end: Instant,
    directory: PathBuf,
}

impl Qemu {
    /// Starts a machine with these arguments of qemu for its CPU, an image, and the disk in the directory.
    pub(crate) fn start(
        machine: &Machine,
        architecture: &Architecture,
        arguments: &[&str],
        image: &Image,
        directory: &Path,
        limit: Duration,
    ) -> Result<Self, String> {
        let file = |name: &str| directory.join(name).display().to_string();
        let drive = |id: &str, file: &Path| {
            // A comma separates qemu's options
            let file = file.display().to_string().replace(',', ",,");
            ["-drive".to_owned(), format!("if=none,id={id},format=raw,file={file}")]
        };
        let mut qemu = machine.command(architecture.qemu.name, arguments);
        qemu.args(ARGUMENTS);
        qemu.args(drive("root", &image.disk())).args(drive("given", &directory.join(disk::DISK)));
        qemu.args(["-chardev".to_owned(), format!("file,id=results,path={}", file("results"))]);
        qemu.args(["-serial".to_owned(), format!("file:{}", file("console"))]);
        qemu.arg("-kernel").arg(image.kernel()).arg("-append").arg(format!(
            "root=/dev/nvme0n1 rw rootflags=noinit_itable rootwait init=/init console={} panic=-1 loglevel=4",
            architecture.console
        ));
        println!("machine: {}, {}", architecture.name, arguments.join(" "));
        let start = Instant::now();
        let mut child = qemu
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} can't be started: {error}", architecture.qemu.name))?;
        let output = child.stdout.take().expect("the output is a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                if sender.send(line.trim_end_matches('\r').to_owned()).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines, start, end: start + limit, directory: directory.to_owned() })
    }

    /// Returns the next line of output; none when the machine has ended, and an error after the time limit.
    pub(crate) fn line(&mut self) -> Result<Option<String>, Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(self.end - self.start),
        }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Waits for the end, and unpacks the files that the machine left. Returns its exit code.
    pub(crate) fn finish(mut self, results: &Path) -> Result<i32, String> {
        let status = self.child.wait().map_err(|error| format!("qemu: {error}"))?;
        fs::create_dir_all(results).map_err(in_file(results))?;
        let archive = self.directory.join("results");
        let mut tar = command::new("tar");
        let unpacked = command::output(tar.arg("-xf").arg(&archive).arg("-C").arg(results));
        let code = unpacked.and_then(|_| {
            let file = results.join("exit");
            let code = fs::read_to_string(&file).map_err(in_file(&file))?;
            code.trim().parse().map_err(in_file(&file))
        });
        code.map_err(|error| {
            format!("the machine left no exit code ({status}): {error}\n{}", self.console())
        })
    }

    /// Returns the last lines of the kernel's console.
    pub(crate) fn console(&self) -> String {
        let console = fs::read(self.directory.join("console")).unwrap_or_default();
        let console = String::from_utf8_lossy(&console);
        let lines: Vec<_> = console.lines().collect();
        lines[lines.len().saturating_sub(CONSOLE_LINES)..].join("\n")
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // Has no effect if the machine has ended
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
