//! Seeds in the crate of this directory, with a program, a member and a package outside of the workspace.

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::seeds::seed::{
    Expected, Profile, Seed, change, edit, lines, seed, shared_lines,
};

const fn sample(half: u8, name: &'static str) -> Seed {
    seed("sample", half, name)
}

pub(super) const SEEDS: &[Seed] = &[
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "    for number in numbers {\n        if number % 2 == 0 {",
            "    for number in numbers.iter().chain(&[2, 4]) {\n        if number % 2 == 0 {",
        )],
        expected: lines("squares", &["squares"]),
        ..sample(1, "two more iterations of a loop")
    },
    Seed {
        edits: &[edit(
            "src/threads.rs",
            "        sum += black_box(*number);\n",
            "        sum += black_box(*number) + black_box(1);\n",
        )],
        expected: lines("parallel", &["partial"]),
        ..sample(2, "more work in threads")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    left.len().cmp(&right.len()).then_with(|| left.cmp(right))\n",
            "    left.to_lowercase().cmp(&right.to_lowercase())\n",
        )],
        expected: lines("sorted", &["order"]),
        ..sample(1, "a function that a closure calls that std calls")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    names.sort_by(|left, right| order(left, right));\n",
            "    names.sort_by_cached_key(|name| name.chars().rev().collect::<String>());\n",
        )],
        expected: lines("sorted", &["sorted"]),
        ..sample(2, "another sort of std with another closure")
    },
    Seed {
        edits: &[edit(
            "src/settings.rs",
            "pub const ROUNDS: u32 = 4;",
            "pub const ROUNDS: u32 = 5;",
        )],
        expected: change("mixed", &[Verdict::Calls], &["mix", "rounds"]),
        ..sample(1, "a constant of another file decides how often a function is called")
    },
    Seed {
        edits: &[edit(
            "src/settings.rs",
            "pub const THREADS: usize = 2;",
            "pub const THREADS: usize = 3;",
        )],
        expected: change("parallel", &[Verdict::Calls], &["parallel"]),
        ..sample(2, "one more thread by a constant of another file")
    },
    Seed {
        edits: &[edit("src/numbers.rs", "const BASE: u64 = 10;", "const BASE: u64 = 7;")],
        expected: change("digits", &[Verdict::Calls], &["digits"]),
        ..sample(1, "a constant decides on the depth of a recursion")
    },
    Seed {
        edits: &[edit("src/numbers.rs", "type Factor = u32;", "type Factor = u64;")],
        expected: change("products", &[Verdict::OtherInFile], &["products"]),
        ..sample(2, "a type of the same file")
    },
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "    odd: |number| number % 2 == 1,\n",
            "    odd: |number| number % 3 == 1 && number > 7,\n",
        )],
        expected: lines("odd", &["odd"]),
        ..sample(1, "a closure in the arguments of a macro")
    },
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "                if test(black_box(*number)) {\n",
            "                if test(black_box(*number)) && black_box(true) {\n",
        )],
        expected: lines("odd", &["odd"]),
        ..sample(2, "a line of a macro's body")
    },
    Seed {
        edits: &[edit(
            "src/shapes.rs",
            "        self.area() * 100\n",
            "        (self.area() * 100).to_string().len() as u64\n",
        )],
        expected: lines("areas", &["scaled"]),
        ..sample(1, "a default method of a trait object")
    },
    Seed {
        edits: &[edit(
            "src/shapes.rs",
            "        self.0 * self.0\n",
            "        (0..self.0).map(|_| std::hint::black_box(self.0)).sum()\n",
        )],
        expected: lines("areas", &["area"]),
        ..sample(2, "a method of a trait object")
    },
    Seed {
        edits: &[edit(
            "src/tables.rs",
            "BuildHasherDefault<DefaultHasher>;",
            "BuildHasherDefault<Multiplied>;",
        )],
        expected: change("different", &[Verdict::OtherInFile], &["different", "write"]),
        ..sample(1, "another hasher by a type")
    },
    Seed {
        edits: &[edit(
            "src/tables.rs",
            "    let mut all = Vec::new();\n",
            "    let mut all = Vec::with_capacity(words.len());\n",
        )],
        expected: lines("positions", &["positions"]),
        ..sample(2, "a capacity")
    },
    Seed {
        edits: &[edit(
            "src/tables.rs",
            "    let mut all = Vec::new();\n    for (index, word) in words.iter().enumerate() {\n        all.push((index, \
             *word));\n    }\n    all\n",
            "    words.iter().copied().enumerate().collect()\n",
        )],
        expected: lines("positions", &["positions"]),
        ..sample(1, "an iterator instead of a loop")
    },
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "    if left == 0 || right == 0 {\n        return false;\n    }\n",
            "",
        )],
        expected: lines("divisible", &["divides"]),
        ..sample(1, "no early return")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    if field.is_empty() {\n",
            "    if field.is_empty() || field.chars().count() > 19 {\n",
        )],
        expected: lines("fields", &["parse"]),
        ..sample(2, "another check for an early return")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    text.push_str(word);\n",
            "    text.push_str(&format!(\"{word}\"));\n",
        )],
        expected: lines("reversed", &["append"]),
        ..sample(1, "a format")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    for word in words.iter().rev() {\n",
            "    for word in words.clone().iter().rev() {\n",
        )],
        expected: lines("reversed", &["reversed"]),
        ..sample(2, "a clone")
    },
    Seed {
        edits: &[
            edit(
                "src/numbers.rs",
                "#[inline(never)]\nfn square(number: u32) -> u64 {\n    u64::from(number) * u64::from(number)\n}\n\n",
                "",
            ),
            edit(
                "src/numbers.rs",
                "use crate::settings::ROUNDS;\n",
                "use crate::settings::{ROUNDS, square};\n",
            ),
            edit(
                "src/settings.rs",
                "",
                "\n#[inline(never)]\npub fn square(number: u32) -> u64 {\n    u64::from(number) * u64::from(number)\n}\n",
            ),
        ],
        expected: change(
            "squares",
            &[Verdict::ChangedLines, Verdict::OtherInFile],
            &["squares", "square"],
        ),
        ..sample(1, "a function moves to another module")
    },
    Seed {
        edits: &[
            edit(
                "src/numbers.rs",
                "|state, _| mix(state, number))",
                "|state, _| blend(state, number))",
            ),
            edit("src/numbers.rs", "fn mix(state: u32", "fn blend(state: u32"),
        ],
        expected: Expected::Unchanged,
        ..sample(2, "another name of a function")
    },
    Seed {
        edits: &[
            edit(
                "src/numbers.rs",
                "        if divides(*left, *right) {\n",
                "        if is_divisor(*left, *right) {\n",
            ),
            edit("src/numbers.rs", "fn divides(left: u32", "fn is_divisor(left: u32"),
            edit(
                "src/numbers.rs",
                "        rest = black_box(rest - left);\n",
                "        rest = black_box(black_box(rest) - left);\n",
            ),
        ],
        expected: lines("divisible", &["is_divisor"]),
        ..sample(1, "a function has another name and does more")
    },
    Seed {
        edits: &[edit(
            "../outside/src/lib.rs",
            "    number.wrapping_add(number)\n",
            "    (0..2).fold(0, |sum, _| std::hint::black_box(sum) + number)\n",
        )],
        expected: lines("changed", &["doubled"]),
        ..sample(1, "a package outside of the workspace")
    },
    Seed {
        edits: &[edit("member/src/lib.rs", "    for _ in 0..3 {\n", "    for _ in 0..5 {\n")],
        expected: lines("changed", &["shuffled"]),
        ..sample(2, "another member of the workspace")
    },
    Seed {
        edits: &[edit("build.rs", "black_box(number / 2);", "black_box(number / 3);")],
        expected: lines("all_steps", &["steps"]),
        ..sample(1, "a function that the build script writes")
    },
    Seed {
        edits: &[edit(
            "build.rs",
            "    let mut steps = 0;\n",
            "    let mut steps = std::hint::black_box(0);\n",
        )],
        expected: lines("all_steps", &["steps"]),
        ..sample(2, "a line that the build script writes")
    },
    Seed {
        edits: &[edit(
            "src/tasks.rs",
            "        length += std::hint::black_box(character.len_utf8());\n",
            "        length += std::hint::black_box(character.len_utf8()) + usize::from(character == 'o');\n",
        )],
        expected: lines("lengths", &["length"]),
        ..sample(2, "an asynchronous function")
    },
    Seed {
        edits: &[edit(
            "src/tasks.rs",
            "        sum += length(word).await;\n",
            "        sum += length(word).await + length(word).await;\n",
        )],
        expected: lines("lengths", &["lengths", "length"]),
        ..sample(1, "an asynchronous function waits twice")
    },
    Seed {
        edits: &[edit(
            "src/main.rs",
            "    while half * 2 < sum {\n",
            "    while half * 3 < sum {\n",
        )],
        expected: lines("program", &["half"]),
        ..sample(2, "less work in a program")
    },
    Seed {
        edits: &[edit(
            "src/main.rs",
            "        sum += argument.parse::<u64>().unwrap_or(0);\n",
            "        sum += argument.to_lowercase().parse::<u64>().unwrap_or(0);\n",
        )],
        expected: lines("program", &["sum"]),
        ..sample(1, "more work in a program and in its process")
    },
    Seed {
        edits: &[edit("src/main.rs", "const LIMIT: u64 = 50;", "const LIMIT: u64 = 500;")],
        expected: change("program", &[Verdict::OtherInFile, Verdict::Calls], &["main"]),
        ..sample(2, "a program starts no process, by a constant")
    },
    Seed {
        edits: &[edit("benches/sample_benchmark.rs", "99,0,abc,5\"", "99,0,abc,5;1,2,3,4,5\"")],
        expected: change("fields", &[Verdict::Calls, Verdict::OtherInFile], &["fields", "parse"]),
        ..sample(1, "more input by a constant of the benchmark file")
    },
    Seed {
        edits: &[edit("benches/sample_benchmark.rs", "    (1..40).map(", "    (1..60).map(")],
        expected: change(
            "squares",
            &[Verdict::Calls, Verdict::OtherInFile],
            &["squares", "square"],
        ),
        ..sample(2, "more input by the setup")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    for word in text.split_whitespace() {\n",
            "    for word in text.split_whitespace().chain([\"the\", \"fox\"]) {\n",
        )],
        expected: lines("most_frequent", &["most_frequent"]),
        ..sample(2, "a caller calls more often")
    },
    Seed {
        edits: &[
            edit("src/text.rs", "    word.to_ascii_lowercase()\n", "    word.to_lowercase()\n"),
            edit(
                "src/text.rs",
                "    all.sort_by_key(|(_, number)| std::cmp::Reverse(*number));\n",
                "",
            ),
        ],
        expected: lines("most_frequent", &["normalized"]),
        ..sample(1, "one function does more and another one less")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "filter_map(|field| parse(field)).sum::<u64>();",
            "filter_map(|field| parse(field).map(|n| n as f64)).sum::<f64>() as u64;",
        )],
        expected: lines("fields", &["fields"]),
        ..sample(1, "another type argument")
    },
    Seed {
        edits: &[edit("src/numbers.rs", "fn rounds(", "#[inline(never)]\nfn rounds(")],
        expected: change("mixed", &[Verdict::ChangedLines], &["rounds"]),
        ..sample(1, "a function is no longer inlined")
    },
    Seed {
        edits: &[edit("src/numbers.rs", "#[inline(never)]\nfn mix(", "#[inline(always)]\nfn mix(")],
        expected: change("mixed", &[Verdict::ChangedLines], &["mix"]),
        ..sample(2, "a function is inlined")
    },
    Seed {
        edits: &[
            edit(
                ".cargo/config.toml",
                "",
                "[build]\nrustflags = [\"-Csymbol-mangling-version=v0\"]\n",
            ),
            edit(
                "src/text.rs",
                "    left.len().cmp(&right.len()).then_with(|| left.cmp(right))\n",
                "    right.chars().count().cmp(&left.chars().count())\n",
            ),
        ],
        expected: change("sorted", &[Verdict::Environment], &["order"]),
        ..sample(1, "other names of symbols and a line")
    },
    Seed {
        edits: &[
            edit("Cargo.toml", "debug = 1\n", "debug = \"line-tables-only\"\n"),
            edit(
                "src/shapes.rs",
                "        self.0 * self.1 / 2\n",
                "        (0..self.0).map(|_| std::hint::black_box(self.1)).sum::<u64>() / 2\n",
            ),
        ],
        expected: lines("areas", &["area"]),
        ..sample(2, "less debug information and a line")
    },
    Seed {
        edits: &[
            edit("Cargo.toml", "debug = 1\n", "debug = 0\n"),
            edit("src/text.rs", "    word.to_ascii_lowercase()\n", "    word.to_lowercase()\n"),
        ],
        expected: change("most_frequent", &[Verdict::OtherInFile], &["crate sample"]),
        ..sample(1, "no debug information and a line")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    word.to_ascii_lowercase()\n",
            "    word.chars().rev().collect()\n",
        )],
        profile: Profile::Unoptimized,
        expected: lines("most_frequent", &["normalized"]),
        ..sample(2, "a line without optimization")
    },
    Seed {
        edits: &[edit("Cargo.toml", "codegen-units = 1\n", "codegen-units = 1\nopt-level = 1\n")],
        expected: change("products", &[Verdict::Environment], &[]),
        ..sample(1, "another level of optimization")
    },
    Seed {
        edits: &[edit(
            "Cargo.toml",
            "codegen-units = 1\n",
            "codegen-units = 1\noverflow-checks = true\n",
        )],
        expected: change("squares", &[Verdict::Environment], &[]),
        known: "the checks are not part of the environment, and the benchmark has none",
        ..sample(2, "checks for overflows by the profile")
    },
    Seed {
        edits: &[edit(
            "Cargo.toml",
            "outside = { path = \"../outside\" }\n",
            "outside = { path = \"../outside\", features = [\"checked\"] }\n",
        )],
        expected: change("changed", &[Verdict::Environment, Verdict::CodeGeneration], &["doubled"]),
        ..sample(2, "a feature of a dependency")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    left.len().cmp(&right.len()).then_with(|| left.cmp(right))\n",
            "    left.to_uppercase().cmp(&right.to_uppercase())\n",
        )],
        profile: Profile::Units,
        expected: lines("sorted", &["order"]),
        ..sample(2, "a line with several codegen units")
    },
    Seed {
        edits: &[edit(
            "src/settings.rs",
            "",
            "\n/// Returns the words with their lengths.\npub fn unrelated(words: &[&str]) -> Vec<(usize, String)> {\n    let \
             mut all: Vec<_> = words.iter().map(|word| (word.len(), word.to_string())).collect();\n    all.sort();\n    \
             all\n}\n",
        )],
        profile: Profile::Units,
        expected: Expected::Bystander,
        ..sample(1, "an unrelated function with several codegen units")
    },
    Seed {
        edits: &[edit(
            "src/tables.rs",
            "/// Returns the number of different words.\n",
            "// The table counts words, and their number is that of its keys\n/// Returns the number of different words.\n",
        )],
        expected: Expected::Unchanged,
        ..sample(1, "a comment above a function")
    },
    Seed {
        edits: &[edit(
            "src/shapes.rs",
            "/// Returns the area of all shapes.\n",
            "/// Returns the area of all shapes,\n/// in square meters.\n",
        )],
        expected: Expected::Unchanged,
        ..sample(2, "a doc comment")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "use std::cmp::Ordering;\n",
            "\n\n\nuse std::cmp::Ordering;\n",
        )],
        expected: Expected::Unchanged,
        ..sample(1, "blank lines that move the others")
    },
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "/// Returns a hash of the numbers.\n",
            "/// Returns the numbers as texts.\npub fn unrelated(numbers: &[u32]) -> Vec<String> {\n    numbers.iter().map(|n| \
             format!(\"{n:?}\")).collect()\n}\n\n/// Returns a hash of the numbers.\n",
        )],
        expected: Expected::Bystander,
        ..sample(2, "an unrelated function of the same file")
    },
    Seed {
        edits: &[edit(
            "src/settings.rs",
            "",
            "\n/// Returns the sum of the numbers.\npub fn unrelated(numbers: &[u32]) -> u64 {\n    numbers.iter().map(|n| \
             u64::from(*n)).sum()\n}\n",
        )],
        expected: Expected::Bystander,
        ..sample(1, "an unrelated function of another file")
    },
    Seed {
        edits: &[
            edit(
                "benches/sample_benchmark.rs",
                "library_benchmark_group!(",
                "#[library_benchmark(setup = sequence)]\nfn large(values: Vec<u32>) -> usize {\n    \
                 numbers::large(&values)\n}\n\nlibrary_benchmark_group!(",
            ),
            edit(
                "benches/sample_benchmark.rs",
                "all_steps, changed\n",
                "all_steps, changed, large\n",
            ),
        ],
        expected: Expected::Bystander,
        ..sample(2, "another benchmark")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "    left.len().cmp(&right.len()).then_with(|| left.cmp(right))\n",
            "    left.len()\n        .cmp(&right.len())\n        .then_with(|| left.cmp(right))\n",
        )],
        expected: Expected::Unchanged,
        ..sample(1, "a line is broken into three")
    },
    Seed {
        edits: &[edit(
            "src/text.rs",
            "",
            "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn words_are_reversed() {\n        \
             assert_eq!(super::reversed(\"a b\"), \"b a\");\n    }\n}\n",
        )],
        expected: Expected::Unchanged,
        ..sample(2, "a test")
    },
    Seed {
        edits: &[edit("Cargo.toml", "[dependencies]\n", "[dependencies]\nfnv = \"1\"\n")],
        expected: Expected::Unchanged,
        ..sample(1, "a dependency that is not used")
    },
    Seed {
        edits: &[
            edit("Cargo.toml", "[dependencies]\n", "[dependencies]\nfnv = \"1\"\n"),
            edit(
                "src/tables.rs",
                "    let mut table: HashMap<&str, usize, State> = HashMap::default();\n",
                "    let mut table: fnv::FnvHashMap<&str, usize> = HashMap::default();\n",
            ),
        ],
        expected: change(
            "different",
            &[Verdict::Environment, Verdict::ChangedLines],
            &["different"],
        ),
        ..sample(2, "a dependency that a changed line uses")
    },
    Seed {
        edits: &[edit(
            "src/numbers.rs",
            "    (state ^ number).wrapping_mul(0x85eb_ca6b).rotate_left(13)\n",
            "    (state ^ number).wrapping_mul(0x85eb_ca6b).wrapping_mul(0x9e37_79b1).rotate_left(number)\n",
        )],
        expected: shared_lines("mixed", &["mix"], &[]),
        ..sample(2, "more work in a function that is called")
    },
];
