//! A program that makes client requests, for the tests to run under Valgrind's tools.
//!
//! The argument names a scenario. Answers to requests are printed as lines `name: value`.

mod answer;
mod callgrind;
mod every;
mod heap;
mod memcheck;
mod threads;

use std::process::ExitCode;

fn main() -> ExitCode {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    match scenario.as_str() {
        "toggle" => callgrind::toggle(),
        "zero" => callgrind::zero(),
        "dumps" => callgrind::dumps(),
        "instrumentation" => callgrind::instrumentation(),
        "cachegrind" => callgrind::cachegrind(),
        "undefined" => memcheck::undefined(),
        "addresses" => memcheck::addresses(),
        "bits" => memcheck::bits(),
        "leaks" => memcheck::leaks(),
        "errors" => memcheck::errors(),
        "blocks" => heap::blocks(),
        "pools" => heap::pools(),
        "stacks" => heap::stacks(),
        "events" => heap::events(),
        "histogram" => heap::histogram(),
        "prints" => every::prints(),
        "core" => every::core(),
        "every" => every::every(),
        "race" => threads::race(),
        "ordered" => threads::ordered(),
        "forgotten" => threads::forgotten(),
        "ordered-drd" => threads::ordered_drd(),
        "mutex" => threads::mutex(),
        "rwlock" => threads::rwlock(),
        "cleaned" => threads::cleaned(),
        "ignored" => threads::ignored(),
        "ignored-drd" => threads::ignored_drd(),
        "unrecorded" => threads::unrecorded(),
        "helgrind" => threads::helgrind_answers(),
        "drd" => threads::drd_answers(),
        _ => {
            eprintln!("there is no scenario {scenario:?}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
