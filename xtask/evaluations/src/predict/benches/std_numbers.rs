//! Functions of numbers with the standard library only.

use iai_callgrind::library_benchmark;

use crate::inputs::{bytes, floats, numbers, small_numbers};

#[library_benchmark(setup = small_numbers)]
#[bench::n(4000)]
fn sum_before(numbers: Vec<u32>) -> u64 {
    let mut sum = 0;
    for at in 0..numbers.len() {
        sum = std::hint::black_box(sum + u64::from(numbers[at]));
    }
    sum
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(4000)]
fn sum_after(numbers: Vec<u32>) -> u64 {
    numbers.iter().map(|number| u64::from(*number)).sum()
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(3000)]
fn filter_before(numbers: Vec<u32>) -> u32 {
    let mut sum = 0_u32;
    for number in numbers {
        if number >= 500 {
            // Keeps the compiler from an instruction without a branch
            sum = std::hint::black_box(sum + number);
        }
    }
    sum
}

#[library_benchmark(setup = small_numbers)]
#[bench::n(3000)]
fn filter_after(numbers: Vec<u32>) -> u32 {
    numbers.iter().fold(0, |sum, number| sum + number * u32::from(*number >= 500))
}

fn matrices(n: usize) -> (usize, Vec<f64>, Vec<f64>) {
    (n, floats(n * n), floats(n * n))
}

#[library_benchmark(setup = matrices)]
#[bench::n(32)]
fn multiply_before((n, a, b): (usize, Vec<f64>, Vec<f64>)) -> Vec<f64> {
    let mut product = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..n {
            for at in 0..n {
                product[row * n + column] += a[row * n + at] * b[at * n + column];
            }
        }
    }
    product
}

#[library_benchmark(setup = matrices)]
#[bench::n(32)]
fn multiply_after((n, a, b): (usize, Vec<f64>, Vec<f64>)) -> Vec<f64> {
    let mut product = vec![0.0; n * n];
    for (row, a) in product.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
        for (factor, b) in a.iter().zip(b.chunks_exact(n)) {
            for (sum, b) in row.iter_mut().zip(b) {
                *sum += factor * b;
            }
        }
    }
    product
}

#[library_benchmark(setup = matrices)]
#[bench::n(100)]
fn columns_before((n, a, _): (usize, Vec<f64>, Vec<f64>)) -> f64 {
    (0..n).map(|column| (0..n).map(|row| a[row * n + column]).sum::<f64>().sqrt()).sum()
}

#[library_benchmark(setup = matrices)]
#[bench::n(100)]
fn columns_after((n, a, _): (usize, Vec<f64>, Vec<f64>)) -> f64 {
    let mut sums = vec![0.0; n];
    for row in a.chunks_exact(n) {
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    sums.iter().map(|sum| sum.sqrt()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(300)]
fn bits_before(numbers: Vec<u64>) -> u32 {
    let count = |mut number: u64| {
        let mut bits = 0;
        while number != 0 {
            number &= number - 1;
            bits += 1;
        }
        bits
    };
    numbers.into_iter().map(count).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(300)]
fn bits_after(numbers: Vec<u64>) -> u32 {
    numbers.into_iter().map(u64::count_ones).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn gcd_before(numbers: Vec<u64>) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    numbers.windows(2).fold(0, |sum, pair| sum ^ gcd(pair[0], pair[1]))
}

#[library_benchmark(setup = numbers)]
#[bench::n(200)]
fn gcd_after(numbers: Vec<u64>) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        let shift = (a | b).trailing_zeros();
        a >>= a.trailing_zeros();
        while b != 0 {
            b >>= b.trailing_zeros();
            (a, b) = (a.min(b), a.abs_diff(b));
        }
        a << shift
    };
    numbers.windows(2).fold(0, |sum, pair| sum ^ gcd(pair[0], pair[1]))
}

#[library_benchmark(setup = floats)]
#[bench::n(1000)]
fn scale_before(numbers: Vec<f64>) -> Vec<f64> {
    let divisor = std::hint::black_box(3.7);
    numbers.into_iter().map(|number| number / divisor).collect()
}

#[library_benchmark(setup = floats)]
#[bench::n(1000)]
fn scale_after(numbers: Vec<f64>) -> Vec<f64> {
    let factor = 1.0 / std::hint::black_box(3.7);
    numbers.into_iter().map(|number| number * factor).collect()
}

#[library_benchmark]
#[bench::n(3000)]
fn sieve_before(n: usize) -> usize {
    let mut composite = vec![false; n];
    for prime in (2..n).take_while(|prime| prime * prime < n) {
        (prime * prime..n).step_by(prime).for_each(|at| composite[at] = true);
    }
    composite.iter().filter(|composite| !**composite).count()
}

#[library_benchmark]
#[bench::n(3000)]
fn sieve_after(n: usize) -> usize {
    let mut composite = vec![0_u64; n.div_ceil(64)];
    for prime in (2..n).take_while(|prime| prime * prime < n) {
        if composite[prime / 64] >> (prime % 64) & 1 == 0 {
            (prime * prime..n).step_by(prime).for_each(|at| composite[at / 64] |= 1 << (at % 64));
        }
    }
    composite.iter().map(|word| word.count_zeros() as usize).sum()
}

#[library_benchmark(setup = floats)]
#[bench::n(300)]
fn square_roots(numbers: Vec<f64>) -> f64 {
    numbers.iter().fold(0.0, |sum, number| (sum + number).sqrt())
}

#[library_benchmark(setup = floats)]
#[bench::n(200)]
fn sines(numbers: Vec<f64>) -> f64 {
    numbers.iter().map(|number| number.sin()).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn remainders(numbers: Vec<u64>) -> u64 {
    let divisor = std::hint::black_box(1_000_003);
    numbers.iter().map(|number| number % divisor).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn wide_products(numbers: Vec<u64>) -> u128 {
    numbers.iter().fold(1, |product, number| (product * u128::from(*number)) >> 60)
}

#[library_benchmark(setup = bytes)]
#[bench::n(4000)]
fn histogram(bytes: Vec<u8>) -> [u32; 256] {
    let mut counts = [0; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    counts
}

#[library_benchmark(setup = numbers)]
#[bench::n(2000)]
fn largest(numbers: Vec<u64>) -> Option<u64> {
    numbers.into_iter().max()
}

#[library_benchmark(setup = numbers)]
#[bench::n(1000)]
fn checked(numbers: Vec<u64>) -> usize {
    numbers.windows(2).filter(|pair| pair[0].checked_add(pair[1]).is_none()).count()
}
