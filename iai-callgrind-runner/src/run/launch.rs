//! A launch: one Valgrind command that runs many cases.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use super::InOrder;
use super::case::{Case, capture_file, tail};
use super::server::{Event, Server};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::link::Link;
use crate::output::OutputDirectory;
use crate::protocol::{Counting, SERVER_NUMBER, ServerEnvironment};
use crate::report::progress::Progress;
use crate::settings::Settings;
use crate::tool::{Launch, Tool};
use crate::valgrind::{Valgrind, stack_strings};

/// Where the fork server's own errors go in the staging directory.
const SERVER_ERRORS: &str = "server.stderr";

/// Runs the benchmarks under this tool.
pub(crate) fn run(
    benchmarks: &[Benchmark],
    tool: &Tool,
    executable: &Executable,
    settings: &Settings,
    output: &OutputDirectory,
    outcomes: &mut InOrder<'_>,
) -> Result<()> {
    if benchmarks.is_empty() {
        return Ok(());
    }
    let valgrind = Valgrind::find()?;
    let staging = output.staging()?;
    let counting = if executable.has_symbols { Counting::Function } else { Counting::Marks };
    if counting == Counting::Marks {
        eprintln!(
            "note: the benchmarks are stripped of their symbols, so a few instructions around each \
             call count as well; `strip = false` in [profile.bench] avoids that"
        );
    }
    let functions: BTreeSet<_> = benchmarks.iter().map(|benchmark| &benchmark.function).collect();
    let launch = Launch { directory: staging.path(), counting, functions: &functions };
    let surroundings = settings.surroundings;
    let link = if surroundings.own_path {
        Link::none(executable)
    } else {
        Link::create(executable, staging.path())
    };
    let mut command = valgrind.command(tool.name, staging.path(), executable, surroundings);
    command.args((tool.arguments)(&launch)).args(&settings.arguments);
    let others = stack_strings(&link, executable, surroundings);
    let mut server = start(command, &launch, &link, others)?;
    let entries: Vec<u64> = benchmarks.iter().map(|benchmark| benchmark.entry).collect();
    let progress = Progress::new(benchmarks.len());

    let complete = thread::scope(|scope| {
        let (sender, events) = mpsc::channel();
        let driver = scope.spawn(move || {
            // When nobody listens any more the run is to end
            let complete = server.run(&entries, settings.jobs, |event| sender.send(event).is_ok());
            (complete.is_some(), server.end())
        });
        for event in &events {
            match event {
                Event::Started(case) => progress.started(&benchmarks[case]),
                Event::Ended(ended) => {
                    let case = Case {
                        staging: staging.path(),
                        tool,
                        link: &link,
                        ended: &ended,
                        shown: settings.shown,
                    };
                    let slot = &settings.mode.new;
                    let outcome = case.finish(&benchmarks[ended.case].files, slot);
                    let next = progress.suspend(|| outcomes.push(ended.case, outcome));
                    progress.ended();
                    if next.is_break() {
                        break;
                    }
                }
            }
        }
        drop(events);
        driver.join()
    });
    match complete {
        Ok((true, _)) => Ok(()),
        Ok((false, status)) => Err(server_failure(status, &valgrind, staging.path(), &link)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Has Valgrind run the executable as a fork server, above whose stack there are `others` bytes.
fn start(mut command: Command, launch: &Launch<'_>, link: &Link, others: usize) -> Result<Server> {
    let environment = ServerEnvironment {
        counting: launch.counting,
        directory: launch.directory.to_string_lossy().into_owned(),
    };
    let errors = launch.directory.join(SERVER_ERRORS);
    command
        .arg(link.path())
        .envs(environment.variables(others))
        .stderr(File::create(&errors).map_err(Error::io("create", &errors))?);
    log::debug!("running {command:?}");
    Server::start(command)
}

/// Why the server did not get to the end of its cases, in the words of Valgrind.
fn server_failure(
    status: Option<std::process::ExitStatus>,
    valgrind: &Valgrind,
    staging: &Path,
    link: &Link,
) -> Error {
    let status = status.map_or_else(String::new, |status| format!(" ({status})"));
    let logs = fs::read_dir(staging).into_iter().flatten().flatten().map(|entry| entry.path());
    let log = logs.filter(|path| path.extension().is_some_and(|it| it == "log")).min();
    let said = vec![
        ("error output of Valgrind", tail(&staging.join(SERVER_ERRORS))),
        ("error output of the fork server", tail(&capture_file(staging, SERVER_NUMBER, "stderr"))),
        ("log", link.restored(&log.as_deref().map(tail).unwrap_or_default())),
    ];
    let what = format!("{} ended before the benchmarks did{status}", valgrind.program().display());
    Error::Process { what, said }
}
