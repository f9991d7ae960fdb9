//! Runs that are killed at random moments.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::reference::{Reference, values};
use super::{Figure, SIZES, arguments, list};
use crate::{ProcessGroup, Suite, kill, processes_of, soon};

/// Kills the runner with SIGKILL this many times, at moments that the seed decides.
#[must_use]
pub fn kills(number: usize, seed: u64) -> Vec<Figure> {
    let reference = Reference::new();
    let suite = Suite::new("faults");
    let kept = Reference::prepare(&suite);
    let start = Instant::now();
    let _ = suite.run(&arguments(SIZES[0]).each_ref().map(String::as_str)).expect(0);
    let longest = start.elapsed();

    let mut random = Random(seed);
    let mut whole =
        Figure::new("killed runs: each stored result is that of one run, with all files");
    let mut gone = Figure::new("killed runs: no process is left");
    let mut next = Figure::new("killed runs: the next run succeeds and counts the same");
    for round in 0..number {
        let size = round % 2;
        let baseline = (round % 4 >= 2).then(|| "--save-baseline=main".to_owned());
        let moment = longest.mul_f64(random.fraction());
        let at = format!("round {round}, killed after {moment:?}: ");
        kill_after(&suite, moment, arguments(SIZES[size]).into_iter().chain(baseline));

        let _ = soon(|| processes_of(suite.root()).is_empty());
        gone.count(processes_of(suite.root()));

        let mut problems = reference.problems_of_files(&suite.directory());
        let listed = list(&suite);
        if listed.code != Some(0) {
            problems.push(format!("the results can't be listed: {}", listed.stderr));
        }
        problems.extend(reference.problems(&suite.directory(), &kept));
        whole.count(problems.into_iter().map(|problem| at.clone() + &problem).collect());

        // The other size, so that the next killed run changes what is there
        let other = 1 - size;
        let run = suite.run(&arguments(SIZES[other]).each_ref().map(String::as_str));
        let is_right = run.code == Some(0) && values(&run.stdout) == reference.printed[other];
        next.count(if is_right { Vec::new() } else { vec![format!("{at}{run:?}")] });
    }
    vec![whole, gone, next]
}

/// Starts a run and kills its runner after a while.
fn kill_after(suite: &Suite, moment: Duration, arguments: impl IntoIterator<Item = String>) {
    let mut command = suite.command();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = ProcessGroup::start(&mut command);
    thread::sleep(moment);
    if let Some(runner) = run.child() {
        kill(runner);
    }
    let _ = run.leader.wait();
}

/// Numbers that look random: xorshift, started by splitmix.
struct Random(u64);

impl Random {
    /// A number between 0 and 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }
}
