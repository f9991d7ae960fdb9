//! A function that is worth a benchmark.

/// Returns all primes below `limit`.
pub fn primes(limit: usize) -> Vec<usize> {
    let mut is_composite = vec![false; limit];
    let mut primes = Vec::new();
    for number in 2..limit {
        if !is_composite[number] {
            primes.push(number);
            for multiple in (number * number..limit).step_by(number) {
                is_composite[multiple] = true;
            }
        }
    }
    primes
}
