//! Seeds in semver: parsers, comparisons, derived traits, unsafe code in several files.

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::seeds::seed::{Expected, Seed, change, edit, lines, seed, shared_lines};

const fn semver(half: u8, name: &'static str) -> Seed {
    seed("semver", half, name)
}

pub(super) const SEEDS: &[Seed] = &[
    Seed {
        edits: &[edit(
            "src/parse.rs",
            "        len += 1;\n    }\n\n    if len > 0 {\n",
            "        len += core::hint::black_box(1);\n    }\n\n    if len > 0 {\n",
        )],
        expected: shared_lines("parse", &["numeric_identifier"], &["parse_requirement"]),
        ..semver(1, "a line of a parser")
    },
    Seed {
        edits: &[edit(
            "src/parse.rs",
            "        out.reserve_exact(depth + 1);\n",
            "        out.reserve(depth + 1);\n",
        )],
        expected: lines("parse_requirement", &["version_req"]),
        ..semver(2, "another capacity")
    },
    Seed {
        edits: &[edit(
            "src/eval.rs",
            "fn matches_less(cmp: &Comparator, ver: &Version) -> bool {\n",
            "fn matches_less(cmp: &Comparator, ver: &Version) -> bool {\n    assert!(ver.minor < 1_000_000);\n",
        )],
        expected: lines("matches", &["matches_less"]),
        ..semver(1, "a check")
    },
    Seed {
        edits: &[edit(
            "src/eval.rs",
            "    for cmp in &req.comparators {\n        if !matches_impl(cmp, ver) {\n",
            "    for cmp in &req.comparators.clone() {\n        if !matches_impl(cmp, ver) {\n",
        )],
        expected: lines("matches", &["matches_req"]),
        ..semver(2, "a clone")
    },
    Seed {
        edits: &[
            edit("src/display.rs", "    if val < 10 {\n", "    if val < 2 {\n"),
            edit(
                "src/display.rs",
                "        1 + digits(val / 10)\n",
                "        1 + digits(val / 2)\n",
            ),
        ],
        expected: lines("display", &["digits"]),
        known: "the length that the function returns changes three of its callers more than itself",
        ..semver(1, "a deeper recursion")
    },
    Seed {
        edits: &[edit(
            "src/display.rs",
            "            write!(formatter, \"{}.{}.{}\", self.major, self.minor, self.patch)?;\n",
            "            write!(formatter, \"{}.\", self.major)?;\n            write!(formatter, \"{}.{}\", self.minor, \
             self.patch)?;\n",
        )],
        expected: lines(
            "display",
            &[
                "<impl core::fmt::Display for semver::Version>::fmt",
                "<semver::Version as core::fmt::Display>::fmt",
            ],
        ),
        ..semver(2, "two writes in a closure")
    },
    Seed {
        edits: &[edit(
            "src/impls.rs",
            "Ord::cmp(&lhs.len(), &rhs.len()).then_with(string_cmp),\n",
            "Ord::cmp(&lhs.parse::<u64>().ok(), &rhs.parse::<u64>().ok()),\n",
        )],
        expected: lines(
            "sort",
            &[
                "<impl core::cmp::Ord for semver::Prerelease>::cmp",
                "<semver::Prerelease as core::cmp::Ord>::cmp",
            ],
        ),
        ..semver(1, "another comparison")
    },
    Seed {
        edits: &[edit(
            "src/lib.rs",
            "    pub major: u64,\n    pub minor: u64,\n    pub patch: u64,\n    pub pre: Prerelease,\n    pub build: \
             BuildMetadata,\n}\n",
            "    pub patch: u64,\n    pub minor: u64,\n    pub major: u64,\n    pub pre: Prerelease,\n    pub build: \
             BuildMetadata,\n}\n",
        )],
        expected: change(
            "sort",
            &[Verdict::OtherInFile],
            &[
                "<semver::Version as core::cmp::Ord>::cmp",
                "<semver::Version as core::cmp::PartialOrd>::partial_cmp",
            ],
        ),
        known: "changes no instruction",
        ..semver(2, "another order of fields for a derived trait")
    },
    Seed {
        edits: &[edit(
            "src/parse.rs",
            "",
            "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn empty() {\n        \
             assert!(crate::Version::parse(\"\").is_err());\n    }\n}\n",
        )],
        expected: Expected::Unchanged,
        ..semver(1, "a test")
    },
    Seed {
        edits: &[
            edit(
                "benches/bench.rs",
                "library_benchmark_group!(",
                "#[library_benchmark(setup = versions)]\nfn clones(versions: [Version; 4]) -> [Version; 4] {\n    \
                 versions.clone()\n}\n\nlibrary_benchmark_group!(",
            ),
            edit("benches/bench.rs", "display, sort);", "display, sort, clones);"),
        ],
        expected: Expected::Bystander,
        ..semver(2, "another benchmark")
    },
    Seed {
        edits: &[edit(
            "src/parse.rs",
            "                    && input[accumulated_len..].starts_with('0')\n",
            "                    && input[accumulated_len..].trim_start().starts_with('0')\n",
        )],
        expected: Expected::Bystander,
        ..semver(1, "a line that does not run")
    },
];
