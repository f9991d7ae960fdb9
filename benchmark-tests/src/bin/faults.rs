//! `benchmark-tests-faults KILLS SEED`: the fault suite, for `cargo xtask faults`.

use std::process::ExitCode;

use benchmark_tests::faults::{
    Figure, at_once, full_disk, imports_killed_at_renames, kills, kills_at_renames,
};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let (Some(Ok(number)), Some(Ok(seed))) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: benchmark-tests-faults KILLS SEED");
        return ExitCode::from(2);
    };
    println!("{number} kills with the seed {seed}");
    let mut has_failed = false;
    let mut tell = |figures: Vec<Figure>| {
        has_failed |= figures.iter().any(Figure::has_failed);
        for figure in figures {
            println!("{figure}");
        }
    };
    tell(at_once(5));
    tell(full_disk(usize::MAX));
    tell(vec![imports_killed_at_renames()]);
    tell(kills_at_renames(1));
    tell(kills(usize::try_from(number).unwrap_or(usize::MAX), seed));
    if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
