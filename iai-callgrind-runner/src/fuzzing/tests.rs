//! The fuzzers' inputs, and damaged copies of them, in a few seconds on any toolchain.

mod memory;

use std::panic::{self, AssertUnwindSafe};

use super::*;

/// Number of damaged copies of the inputs of each fuzzer.
const COPIES: usize = 60;

/// The same for the long form.
const MANY_COPIES: usize = 5000;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/");

/// Words that parsers can handle wrongly.
const WORDS: [&[u8]; 20] = [
    b"0",
    b"1",
    b"-1",
    b"+",
    b"*",
    b"(",
    b")",
    b"\n",
    b"\0",
    b"\xff",
    b" ",
    b"=",
    b":",
    b"18446744073709551615",
    b"9223372036854775808",
    b"(1)",
    b"fn=(1)",
    b"calls=1 1\n1 ",
    b"totals: ",
    b"../",
];

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // xorshift
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap()
    }
}

/// Returns a copy with one to four pieces removed, repeated, replaced or exchanged with those of another input.
fn damage(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut copy = input.to_vec();
    for _ in 0..=random.below(4) {
        let from = random.below(copy.len() + 1);
        let longest = 1 << random.below(8);
        let to = (from + random.below(longest)).min(copy.len());
        let piece = match random.below(5) {
            0 => Vec::new(),
            1 => copy[from..to].repeat(2),
            2 => vec![u8::try_from(random.below(256)).unwrap(); to - from],
            3 => WORDS[random.below(WORDS.len())].to_vec(),
            _ => {
                let start = random.below(other.len());
                other[start..(start + to - from).min(other.len())].to_vec()
            }
        };
        copy.splice(from..to, piece);
    }
    copy
}

/// Returns the files in the fuzzer's corpus, and the fixtures.
fn inputs(target: &Target) -> Vec<Vec<u8>> {
    let corpus = format!("{ROOT}../tests/fuzz/corpus/{}", target.name);
    let fixtures = target.fixtures.iter().flat_map(|name| {
        ["profile", "tools"].map(|crate_name| {
            format!("{ROOT}../crates/iai-callgrind-{crate_name}/tests/fixtures/{name}")
        })
    });
    let files = |directory: String| fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        fixtures.chain([corpus]).flat_map(files).map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Adds a failing input to the corpus.
fn run(target: &Target, input: &[u8]) {
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    if outcome.is_err() {
        let file = std::env::temp_dir().join(format!("iai-callgrind-fuzz-{}", target.name));
        fs::write(&file, input).unwrap();
        panic!("`{}` fails with what is in {}", target.name, file.display());
    }
}

/// Replays all inputs of a fuzzer, and this many damaged copies.
fn replay(name: &str, copies: usize) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "there is no input for `{name}`");
    for input in &inputs {
        run(target, input);
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..copies {
        let input = &inputs[random.below(inputs.len())];
        let other = &inputs[random.below(inputs.len())];
        run(target, &damage(input, other, &mut random));
    }
}

macro_rules! replay {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name), COPIES);
            }
        )*

        #[test]
        fn every_fuzzer_is_replayed() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

#[test]
#[ignore = "long"]
fn many_copies() {
    for target in TARGETS {
        replay(target.name, MANY_COPIES);
    }
}

replay!(callgrind merge flamegraph cachegrind dhat massif log plan summary table import options journal archive pages note places texts);
