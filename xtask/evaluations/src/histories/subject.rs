//! The crates whose histories are run.

use std::fmt;

use clap::ValueEnum;

/// A crate with a history in git.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// URL of the repository.
    pub(crate) repository: &'static str,
    /// Last revision of the history, so that a table can be made again.
    pub(crate) end: &'static str,
    /// Benchmark file, which compiles at each revision.
    pub(crate) benchmarks: &'static str,
}

/// All crates.
pub(crate) const SUBJECTS: [Subject; 14] = [
    Subject {
        name: "arrayvec",
        repository: "https://github.com/bluss/arrayvec",
        end: "8a7c8211a237b9b258275e6ab0d967b7d0cb2704",
        benchmarks: include_str!("benches/arrayvec.rs"),
    },
    Subject {
        name: "base64",
        repository: "https://github.com/marshallpierce/rust-base64",
        end: "5b98ee180cc7c2a64af6cb12c724b1721550e0d0",
        benchmarks: include_str!("benches/base64.rs"),
    },
    Subject {
        name: "byteorder",
        repository: "https://github.com/BurntSushi/byteorder",
        end: "18f32ca3a41c9823138e782752bc439e99ef7ec8",
        benchmarks: include_str!("benches/byteorder.rs"),
    },
    Subject {
        name: "bytes",
        repository: "https://github.com/tokio-rs/bytes",
        end: "d5c8ad3227afe459c09f1d0d85455abf00f0381a",
        benchmarks: include_str!("benches/bytes.rs"),
    },
    Subject {
        name: "hex",
        repository: "https://github.com/KokaKiwi/rust-hex",
        end: "5cb1fe814c6432cd9efa96292e64933f81de603f",
        benchmarks: include_str!("benches/hex.rs"),
    },
    Subject {
        name: "httparse",
        repository: "https://github.com/seanmonstar/httparse",
        end: "ac44a38a6b3d1f2dde01c250f622def4aa89f5e0",
        benchmarks: include_str!("benches/httparse.rs"),
    },
    Subject {
        name: "itoa",
        repository: "https://github.com/dtolnay/itoa",
        end: "1577ed901354d0d7448ac162328f9dbf5183124c",
        benchmarks: include_str!("benches/itoa.rs"),
    },
    Subject {
        name: "ryu",
        repository: "https://github.com/dtolnay/ryu",
        end: "3131fd6b2405a1fa921797b00b5a4fba4fa0ef87",
        benchmarks: include_str!("benches/ryu.rs"),
    },
    Subject {
        name: "semver",
        repository: "https://github.com/dtolnay/semver",
        end: "8591f2344b52b31d85b538de58b76a676fe9ff90",
        benchmarks: include_str!("benches/semver.rs"),
    },
    Subject {
        name: "smallvec",
        repository: "https://github.com/servo/rust-smallvec",
        end: "b079a9b4f873ea25912e221ad1bf54135354a1d3",
        benchmarks: include_str!("benches/smallvec.rs"),
    },
    Subject {
        name: "strsim",
        repository: "https://github.com/dguo/strsim-rs",
        end: "86f54df1ed3da183438879848fd06ee0525ec584",
        benchmarks: include_str!("benches/strsim.rs"),
    },
    Subject {
        name: "textwrap",
        repository: "https://github.com/mgeisler/textwrap",
        end: "e29daecac5298f7b712df0c0a35d6981e91209f7",
        benchmarks: include_str!("benches/textwrap.rs"),
    },
    Subject {
        name: "unicode-segmentation",
        repository: "https://github.com/unicode-rs/unicode-segmentation",
        end: "3874b9a64103caa7581753283f5ff3794f62e152",
        benchmarks: include_str!("benches/unicode-segmentation.rs"),
    },
    Subject {
        name: "unicode-width",
        repository: "https://github.com/unicode-rs/unicode-width",
        end: "4bba1d1e4801c55b2bc110e4026cbdced377fba2",
        benchmarks: include_str!("benches/unicode-width.rs"),
    },
];

/// A harness that the benchmark files run under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Harness {
    /// This checkout
    Ours,
    /// The published iai-callgrind 0.16.1
    IaiCallgrind,
    /// The published gungraun 0.20.0
    Gungraun,
}

impl Harness {
    /// Returns the package that the benchmark file uses.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Self::Ours | Self::IaiCallgrind => "iai-callgrind",
            Self::Gungraun => "gungraun",
        }
    }

    /// Returns the published version, if it is not this checkout.
    pub(crate) fn version(self) -> Option<&'static str> {
        match self {
            Self::Ours => None,
            Self::IaiCallgrind => Some("0.16.1"),
            Self::Gungraun => Some("0.20.0"),
        }
    }

    /// Returns the name of its files in a work directory.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::IaiCallgrind => "iai-callgrind-0.16.1",
            Self::Gungraun => "gungraun-0.20.0",
        }
    }

    /// Returns the benchmark file for this harness. That of gungraun separates the arguments of a group by commas.
    pub(crate) fn benchmarks(self, text: &str) -> String {
        if self != Self::Gungraun {
            return text.to_owned();
        }
        let text = text.replace("iai_callgrind", "gungraun").replace("name = all;", "name = all,");
        let text = text.replace("benchmarks = ", "benchmarks = [");
        match text.rsplit_once(");\n\nmain!") {
            Some((group, main)) => format!("{}]);\n\nmain!{main}", group.trim_end()),
            None => text,
        }
    }
}

/// The codegen units of the bench profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Units {
    /// As many as the compiler chooses
    Default,
    /// `codegen-units = 1`
    One,
    /// `codegen-units = 1`, and each function starts at a cache line
    Aligned,
}

impl Units {
    pub(crate) const ALL: [Self; 3] = [Self::Default, Self::One, Self::Aligned];

    /// Returns the words of a table.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::One => "1",
            Self::Aligned => "1, functions at cache lines",
        }
    }

    /// Returns the flags of the compiler.
    pub(crate) fn flags(self) -> Option<&'static str> {
        (self == Self::Aligned).then_some("-Cllvm-args=-align-all-functions=6")
    }
}

impl fmt::Display for Units {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Default => "default-units",
            Self::One => "one-unit",
            Self::Aligned => "one-unit-aligned",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_a_group_for_gungraun() {
        for subject in &SUBJECTS {
            let text = Harness::Gungraun.benchmarks(subject.benchmarks);
            let (_, group) = text.split_once("library_benchmark_group!(").unwrap();
            let (list, main) = group.split_once("]);").unwrap();
            assert!(list.contains("name = all,") && list.contains("benchmarks = ["), "{list}");
            assert_eq!(main, "\n\nmain!(library_benchmark_groups = all);\n");
            assert!(!text.contains("iai_callgrind"), "{text}");
        }
    }
}
