//! Seeds in strsim: loops over characters, generic functions and hash tables in one file.

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::seeds::seed::{Expected, Profile, Seed, change, edit, lines, seed};

const FILE: &str = "src/lib.rs";

const fn strsim(half: u8, name: &'static str) -> Seed {
    seed("strsim", half, name)
}

pub(super) const SEEDS: &[Seed] = &[
    Seed {
        edits: &[edit(
            FILE,
            "                if x != y {\n                    count += 1;\n",
            "                if x != y {\n                    count += std::hint::black_box(1);\n",
        )],
        expected: lines("hamming", &["generic_hamming"]),
        ..strsim(1, "a line of a generic function")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    let mut search_range = max(a_len, b_len) / 2;\n",
            "    let mut search_range = max(a_len, b_len) / 3;\n",
        )],
        expected: lines("jaro_winkler", &["generic_jaro"]),
        ..strsim(2, "a constant of an algorithm")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    let mut cache: Vec<usize> = (1..b_len + 1).collect();\n",
            "    let mut cache = Vec::new();\n    for index in 0..b_len {\n        cache.push(index + 1);\n    }\n",
        )],
        expected: lines("levenshtein", &["generic_levenshtein"]),
        ..strsim(1, "a loop instead of an iterator")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    let mut curr_distances: Vec<usize> = vec![0; b_len + 1];\n",
            "    let mut curr_distances: Vec<usize> = prev_distances.clone();\n",
        )],
        expected: lines("osa", &["osa_distance"]),
        ..strsim(2, "a clone")
    },
    Seed {
        edits: &[edit(FILE, "fn flat_index(", "#[inline(never)]\nfn flat_index(")],
        expected: change("generic_damerau", &[Verdict::ChangedLines], &["flat_index"]),
        ..strsim(1, "a function is no longer inlined")
    },
    Seed {
        edits: &[edit(
            FILE,
            "usize> = HashMap::new();\n",
            "usize> = HashMap::with_capacity(64);\n",
        )],
        expected: lines("dice", &["sorensen_dice"]),
        ..strsim(2, "a capacity")
    },
    Seed {
        edits: &[
            edit(FILE, "        self.mask = 8 - 1;\n", "        self.mask = 64 - 1;\n"),
            edit(
                FILE,
                "GrowingHashmapMapElemChar::default(); 8]",
                "GrowingHashmapMapElemChar::default(); 64]",
            ),
        ],
        expected: lines("damerau", &["allocate"]),
        ..strsim(1, "a function that is called once")
    },
    Seed {
        edits: &[edit(
            FILE,
            "        if value <= 255 {\n            let val_u8 = u8::try_from(value).expect(\"we check the bounds \
             above\");\n            self.extended_ascii",
            "        if value <= 127 {\n            let val_u8 = u8::try_from(value).expect(\"we check the bounds \
             above\");\n            self.extended_ascii",
        )],
        expected: lines("damerau", &["get", "lookup"]),
        known: "changes no instruction",
        ..strsim(2, "a condition of a method")
    },
    Seed {
        edits: &[edit(
            FILE,
            "pub fn normalized_levenshtein(a: &str, b: &str) -> f64 {\n    if a.is_empty() && b.is_empty() {\n        return \
             1.0;\n    }\n",
            "pub fn normalized_levenshtein(a: &str, b: &str) -> f64 {\n",
        )],
        expected: lines("levenshtein", &["normalized_levenshtein"]),
        ..strsim(1, "no early return, which another function has too")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    s.chars().zip(s.chars().skip(1))\n",
            "    s.char_indices().filter_map(move |(i, c)| Some((c, s[i..].chars().nth(1)?)))\n",
        )],
        expected: lines("dice", &["bigrams", "sorensen_dice"]),
        ..strsim(2, "an iterator that another function consumes")
    },
    Seed {
        edits: &[edit(
            FILE,
            "        mem::swap(&mut prev_two_distances, &mut prev_distances);\n",
            "        prev_two_distances.copy_from_slice(&prev_distances);\n",
        )],
        profile: Profile::Units,
        expected: lines("osa", &["osa_distance"]),
        ..strsim(1, "a copy, with several codegen units")
    },
    Seed {
        edits: &[edit(
            FILE,
            "/// Returns an Iterator of char tuples.\n",
            "/// Returns an iterator of pairs of characters.\n// No pair has a character twice\n",
        )],
        expected: Expected::Unchanged,
        ..strsim(1, "comments")
    },
    Seed {
        edits: &[edit(
            FILE,
            "/// Returns an Iterator of char tuples.\n",
            "/// Returns the number of common characters.\npub fn common(a: &str, b: &str) -> usize {\n    \
             generic_levenshtein(&StringWrapper(a), &StringWrapper(b)) + a.len().abs_diff(b.len())\n}\n\n/// Returns an \
             Iterator of char tuples.\n",
        )],
        expected: Expected::Bystander,
        ..strsim(2, "an unrelated function that calls others")
    },
];
