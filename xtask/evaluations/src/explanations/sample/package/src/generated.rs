//! Code of the build script and of other packages.

include!(concat!(env!("OUT_DIR"), "/steps.rs"));

/// Returns the sum of the steps of all numbers.
pub fn all_steps(numbers: &[u32]) -> u32 {
    numbers.iter().map(|number| steps(*number)).sum()
}

/// Returns numbers that two other packages changed.
pub fn changed(numbers: &[u32]) -> u32 {
    let mut sum = 0_u32;
    for number in numbers {
        sum = sum.wrapping_add(member::shuffled(outside::doubled(*number)));
    }
    sum
}
