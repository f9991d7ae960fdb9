//! Functions with generics, lifetimes and conversions, and with names that expansions use.

#![deny(warnings)]
#![forbid(unsafe_code)]
#![warn(clippy::pedantic)]

use std::collections::BTreeMap;
use std::fmt::Display;

use iai_callgrind::__private::LibraryBenchmark;
use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::numbers(vec![3, 1, 2])]
#[bench::texts(vec!["b", "a"])]
#[bench::empty(Vec::<u8>::new())]
fn generic<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values
}

#[library_benchmark]
#[bench::a([1, 2, 3])]
fn constant<const N: usize>(values: [u8; N]) -> usize
where
    [u8; N]: Sized,
{
    values.len()
}

/// Runs a future that is ready at once.
fn block_on<F: std::future::Future>(future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => unreachable!(),
    }
}

#[library_benchmark(block_on = block_on)]
#[bench::number(&mut vec![1], "2")]
async fn future<T: std::str::FromStr>(
    numbers: &mut Vec<T>,
    text: &str,
) -> Result<usize, <T as std::str::FromStr>::Err>
where
    T: Clone,
{
    if text.is_empty() {
        return Ok(0);
    }
    let number = async { text.parse::<T>() }.await?;
    numbers.push(number);
    Ok(numbers.len())
}

#[library_benchmark]
#[bench::literal("text")]
#[bench::temporary(&String::from("text"))]
#[bench::nested(String::from("text").as_str().trim())]
fn borrowed(text: &str) -> &str {
    text
}

#[library_benchmark]
#[bench::a("a", &"b".to_owned())]
fn two_lifetimes<'a, 'b>(left: &'a str, right: &'b str) -> (&'a str, &'b str) {
    (left, right)
}

#[library_benchmark]
#[bench::vector(&vec![1, 2])]
#[bench::array(&[1, 2])]
fn slice(values: &[u64]) -> impl Iterator<Item = u64> + '_ {
    values.iter().copied()
}

#[library_benchmark]
#[bench::a(&mut Vec::new(), 1)]
fn mutable(values: &mut Vec<u64>, value: u64) {
    values.push(value);
}

#[library_benchmark]
#[bench::closure(|value| value + 1, 1)]
#[bench::path(u64::count_ones as fn(u64) -> u32, 1)]
fn callback<R>(function: impl Fn(u64) -> R, value: u64) -> R {
    function(value)
}

#[library_benchmark]
#[bench::closure(Box::new(|value| value + 1))]
fn boxed(function: Box<dyn Fn(u64) -> u64>) -> u64 {
    function(1)
}

#[library_benchmark]
#[bench::a(Default::default())]
#[bench::b([(1, "a")].into())]
fn inferred(map: BTreeMap<u8, &'static str>) -> Option<&'static str> {
    map.get(&1).copied()
}

#[library_benchmark]
#[bench::number(&1_u8)]
fn dynamic(value: &dyn Display) -> String {
    value.to_string()
}

#[library_benchmark]
#[bench::a(1)]
fn must_use(value: u8) -> Result<u8, String> {
    Ok(value)
}

/// Uses the names of the expansion.
fn case_0() -> u64 {
    0
}

fn function() -> u64 {
    1
}

fn argument_0() -> u64 {
    2
}

/// Takes six arguments: the library has code for calls with up to six, and the expansion that for more.
#[library_benchmark]
#[bench::a(1, 2, 3, 4, 5, 6)]
fn six(a: u8, b: u16, c: u32, d: u64, e: i8, f: i16) -> i64 {
    i64::from(a) + i64::from(b) + i64::from(c) + d as i64 + i64::from(e) + i64::from(f)
}

#[library_benchmark]
#[bench::a(1, 2, 3, 4, 5, 6, &mut [7])]
fn seven(a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: &mut [i32]) -> &mut i32 {
    g[0] += (a as i32) + i32::from(b) + c as i32 + d as i32 + i32::from(e) + i32::from(f);
    &mut g[0]
}

#[library_benchmark]
#[bench::a(case_0(), function(), argument_0())]
fn region(result: u64, region: u64, _: u64) -> u64 {
    result + region
}

#[library_benchmark]
#[bench::a(1)]
fn r#match(value: u8) -> u8 {
    value
}

#[library_benchmark]
#[inline(never)]
#[must_use]
#[allow(clippy::ptr_arg)]
#[doc = "Has attributes."]
fn attributes() -> u8 {
    1
}

#[cfg(not(target_os = "linux"))]
#[library_benchmark]
fn not_here_before() {}

#[library_benchmark]
#[cfg(not(target_os = "linux"))]
fn not_here_after() {}

#[cfg(target_os = "linux")]
fn not_here_after() {}

const fn in_a_constant() -> u8 {
    1
}

#[library_benchmark]
#[bench::a(const { in_a_constant() })]
const fn constant_function(value: u8) -> u8 {
    value
}

fn main() {
    macro_rules! number_of_cases {
        ($($name:ident)*) => {
            [$((<$name as LibraryBenchmark>::FUNCTION.name, <$name as LibraryBenchmark>::FUNCTION.cases.len())),*]
        };
    }
    assert_eq!(
        number_of_cases!(generic constant borrowed two_lifetimes slice mutable callback boxed),
        [
            ("generic", 3),
            ("constant", 1),
            ("borrowed", 3),
            ("two_lifetimes", 1),
            ("slice", 2),
            ("mutable", 1),
            ("callback", 2),
            ("boxed", 1),
        ]
    );
    assert_eq!(
        number_of_cases!(inferred dynamic must_use region r#match attributes constant_function),
        [
            ("inferred", 2),
            ("dynamic", 1),
            ("must_use", 1),
            ("region", 1),
            ("match", 1),
            ("attributes", 1),
            ("constant_function", 1),
        ]
    );
    assert_eq!(number_of_cases!(six seven), [("six", 1), ("seven", 1)]);
    not_here_after();
}
