//! Functions of the crate semver.

use iai_callgrind::library_benchmark;
use semver::{Version, VersionReq};

use crate::inputs::random;

fn texts(len: usize) -> Vec<String> {
    let version = |number: u64| {
        format!("{}.{}.{}-alpha.{}", number % 9, number % 50, number % 700, number % 13)
    };
    random().map(version).take(len).collect()
}

fn versions(len: usize) -> Vec<Version> {
    // The texts stay, so that the first allocation of the measured function does not join their freed blocks
    texts(len).leak().iter().filter_map(|text| text.parse().ok()).collect()
}

#[library_benchmark(setup = texts)]
#[bench::n(60)]
fn parse(texts: Vec<String>) -> Vec<Version> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

#[library_benchmark(setup = versions)]
#[bench::n(100)]
fn sort(mut versions: Vec<Version>) -> Vec<Version> {
    versions.sort();
    versions
}

#[library_benchmark(setup = |n| (VersionReq::parse(">=2.3, <5").unwrap(), versions(n)))]
#[bench::n(300)]
fn matching((request, versions): (VersionReq, Vec<Version>)) -> usize {
    versions.iter().filter(|version| request.matches(version)).count()
}

#[library_benchmark(setup = versions)]
#[bench::n(60)]
fn format(versions: Vec<Version>) -> String {
    versions.iter().map(Version::to_string).collect()
}
