//! Seeds in smallvec: generic methods that are compiled in the crate of the benchmarks.

use iai_callgrind_summary::explanation::Verdict;

use crate::explanations::seeds::seed::{Expected, Seed, change, edit, lines, seed, shared_lines};

const FILE: &str = "src/lib.rs";

const fn smallvec(half: u8, name: &'static str) -> Seed {
    seed("smallvec", half, name)
}

pub(super) const SEEDS: &[Seed] = &[
    Seed {
        edits: &[edit(FILE, "            .checked_add(1)\n", "            .checked_add(40)\n")],
        expected: shared_lines(
            "pushes",
            &["reserve_one_unchecked", "try_grow"],
            &["extends", "inserts"],
        ),
        ..smallvec(1, "more capacity, so that it grows less often")
    },
    Seed {
        edits: &[edit(
            FILE,
            "            ptr::write(ptr.as_ptr().add(*len), value);\n",
            "            ptr::write(core::hint::black_box(ptr.as_ptr()).add(*len), value);\n",
        )],
        expected: shared_lines("pushes", &["push"], &["extends"]),
        ..smallvec(2, "a line of a method that is inlined")
    },
    Seed {
        edits: &[edit(
            FILE,
            "        let (lower_size_bound, _) = iter.size_hint();\n        self.reserve(lower_size_bound);\n\n        unsafe \
             {\n            let (ptr, len_ptr, cap) = self.triple_mut();\n",
            "        let (lower_size_bound, _) = iter.size_hint();\n        self.reserve(lower_size_bound.max(64));\n\n        \
             unsafe {\n            let (ptr, len_ptr, cap) = self.triple_mut();\n",
        )],
        expected: lines("extends", &["extend", "try_grow", "reserve_one_unchecked"]),
        ..smallvec(1, "an argument")
    },
    Seed {
        edits: &[edit(
            FILE,
            "                self.swap(i - del, i);\n",
            "                self.swap(core::hint::black_box(i) - del, i);\n",
        )],
        expected: lines("retains", &["retain"]),
        ..smallvec(2, "a line of a method with a closure")
    },
    Seed {
        edits: &[edit(
            FILE,
            "                ptr::copy(ptr, ptr.add(1), len - index);\n            }\n            *len_ptr = len + 1;\n",
            "                for at in (0..len - index).rev() {\n                    ptr::copy(ptr.add(at), ptr.add(at + 1), \
             1);\n                }\n            }\n            *len_ptr = len + 1;\n",
        )],
        expected: lines("inserts", &["insert"]),
        ..smallvec(1, "a loop instead of a call of the C library")
    },
    Seed {
        edits: &[edit(
            FILE,
            "                    if r != w {\n                        let p_w = p_wm1.add(1);\n                        \
             mem::swap(&mut *p_r, &mut *p_w);\n                    }\n",
            "                    let p_w = p_wm1.add(1);\n                    ptr::swap(p_r, core::hint::black_box(p_w));\n",
        )],
        expected: lines("dedups", &["dedup_by"]),
        ..smallvec(2, "a condition is gone")
    },
    Seed {
        edits: &[edit(
            FILE,
            "            while len < *len_ptr {\n",
            "            while core::hint::black_box(len) < *len_ptr {\n",
        )],
        expected: shared_lines("retains", &["truncate"], &["dedups"]),
        ..smallvec(1, "a condition of a method that another one calls")
    },
    Seed {
        edits: &[edit(
            FILE,
            "            ptr::copy(ptr.add(1), ptr, len - index - 1);\n",
            "            for at in 0..len - index - 1 {\n                ptr::copy(ptr.add(at + 1), ptr.add(at), 1);\n            \
             }\n",
        )],
        expected: lines("removes", &["remove"]),
        known: "changes no instruction, because the compiler makes it a copy again",
        ..smallvec(2, "a loop instead of a copy")
    },
    Seed {
        edits: &[edit("Cargo.toml", "default = []\n", "default = [\"union\"]\n")],
        expected: change("pushes", &[Verdict::Environment, Verdict::CodeGeneration], &[]),
        ..smallvec(1, "a feature")
    },
    Seed {
        edits: &[edit(
            "benches/bench.rs",
            "type Numbers = SmallVec<[u32; 8]>;",
            "type Numbers = SmallVec<[u32; 32]>;",
        )],
        expected: change(
            "pushes",
            &[Verdict::OtherInFile, Verdict::Calls],
            &["push", "reserve_one_unchecked", "try_grow"],
        ),
        ..smallvec(2, "a type argument in the benchmark file")
    },
    Seed {
        edits: &[edit(
            "benches/bench.rs",
            "library_benchmark_group!(",
            "fn unused(numbers: &Numbers) -> Vec<u32> {\n    numbers.iter().rev().copied().collect()\n}\n\n\
             library_benchmark_group!(",
        )],
        expected: Expected::Unchanged,
        ..smallvec(1, "an unused function of the benchmark file")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    pub fn push(&mut self, value: A::Item) {\n",
            "    pub fn push(&mut self, value: A::Item) {\n        // There is room, or it is made\n\n",
        )],
        expected: Expected::Unchanged,
        ..smallvec(2, "a comment and a blank line in a function that runs")
    },
];
