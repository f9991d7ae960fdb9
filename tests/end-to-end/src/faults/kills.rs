//! Runs that are killed at random moments.

use std::thread;
use std::time::Instant;

use super::Figure;
use super::killed::Killed;
use crate::{ProcessGroup, kill};

/// Kills the runner with SIGKILL this many times, at moments that the seed decides.
#[must_use]
pub fn kills(number: usize, seed: u64) -> Vec<Figure> {
    let mut killed = Killed::new("killed runs");
    let start = Instant::now();
    let status = killed.command(0, false).status().expect("the benchmarks can be run");
    assert!(status.success(), "an undisturbed run succeeds");
    let longest = start.elapsed();

    let mut random = Random(seed);
    for round in 0..number {
        let size = round % 2;
        let moment = longest.mul_f64(random.fraction());
        let mut run = ProcessGroup::start(&mut killed.command(size, round % 4 >= 2));
        thread::sleep(moment);
        if let Some(runner) = run.child() {
            kill(runner);
        }
        let _ = run.leader.wait();
        killed.look(size, &format!("round {round}, killed after {moment:?}"));
    }
    killed.figures()
}

/// Numbers that look random: xorshift, started by splitmix.
struct Random(u64);

impl Random {
    /// Returns a number between 0 and 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }
}
