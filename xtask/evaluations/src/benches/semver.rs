//! Benchmarks of https://github.com/dtolnay/semver up to 8591f2344b52b31d85b538de58b76a676fe9ff90

use iai_callgrind::prelude::*;
use semver::{Version, VersionReq};

const VERSION: &str = "1.20.300-alpha.7.long-prerelease+build.2026";
const REQUIREMENT: &str = ">=1.2.3, <2.0.0, ~1.20, ^1.4.5";

fn version() -> Version {
    Version::parse(VERSION).unwrap()
}

#[library_benchmark]
#[bench::long(VERSION)]
fn parse(text: &str) -> Version {
    Version::parse(text).unwrap()
}

#[library_benchmark]
#[bench::four(REQUIREMENT)]
fn parse_requirement(text: &str) -> VersionReq {
    VersionReq::parse(text).unwrap()
}

fn requirement() -> (VersionReq, Version) {
    (VersionReq::parse(REQUIREMENT).unwrap(), Version::new(1, 20, 300))
}

#[library_benchmark(setup = requirement)]
fn matches(both: (VersionReq, Version)) -> bool {
    let matches = both.0.matches(&both.1);
    std::mem::forget(both);
    matches
}

#[library_benchmark(setup = version)]
fn display(version: Version) -> String {
    let text = format!("{version:>60}");
    std::mem::forget(version);
    text
}

fn versions() -> [Version; 4] {
    ["1.2.3-alpha.7", "1.2.3-alpha.10", "1.2.3", "1.2.3-beta"].map(|text| Version::parse(text).unwrap())
}

#[library_benchmark(setup = versions)]
fn sort(mut versions: [Version; 4]) -> [Version; 4] {
    versions.sort();
    versions
}

main!();
