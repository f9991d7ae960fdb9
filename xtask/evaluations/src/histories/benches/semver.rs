//! Benchmarks of semver.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use semver::{Comparator, Version, VersionReq};

const LONG: &str = "1.20.300-alpha.7.long-prerelease+build.2026";
const REQUIREMENT: &str = ">=1.2.3, <2.0.0, ~1.20, ^1.4.5";

#[library_benchmark]
#[bench::short("1.2.3")]
#[bench::long(LONG)]
#[bench::bad("1.2.x")]
fn parse(text: &str) -> bool {
    Version::parse(black_box(text)).is_ok()
}

#[library_benchmark]
#[bench::any("*")]
#[bench::one("^1.2")]
#[bench::four(REQUIREMENT)]
#[bench::bad(">1.2.3 <2")]
fn parse_requirement(text: &str) -> bool {
    VersionReq::parse(black_box(text)).is_ok()
}

#[library_benchmark]
fn parse_comparator() -> bool {
    Comparator::parse(black_box("~1.20.0-rc.1")).is_ok()
}

fn requirement(version: &str) -> (VersionReq, Version) {
    (VersionReq::parse(REQUIREMENT).unwrap(), Version::parse(version).unwrap())
}

#[library_benchmark(setup = requirement)]
#[bench::yes("1.20.300")]
#[bench::prerelease("1.20.300-rc.2")]
fn matches((requirement, version): (VersionReq, Version)) -> bool {
    requirement.matches(&version)
}

fn version() -> Version {
    Version::parse(LONG).unwrap()
}

#[library_benchmark(setup = version)]
fn display(version: Version) -> String {
    format!("{version:>60}")
}

#[library_benchmark(setup = version)]
fn clone(version: Version) -> Version {
    version.clone()
}

fn versions() -> [Version; 4] {
    ["1.2.3-alpha.7", "1.2.3-alpha.10", "1.2.3", "1.2.3-beta"].map(|text| Version::parse(text).unwrap())
}

#[library_benchmark(setup = versions)]
fn sort(mut versions: [Version; 4]) -> [Version; 4] {
    versions.sort();
    versions
}

library_benchmark_group!(
    name = all;
    benchmarks = parse, parse_requirement, parse_comparator, matches, display, clone, sort
);

main!(library_benchmark_groups = all);
