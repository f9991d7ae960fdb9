//! Seeds in heck: functions and closures as arguments, formatting, a file for each trait.

use crate::explanations::seeds::seed::{Expected, Profile, Seed, edit, lines, seed, shared_lines};

const FILE: &str = "src/lib.rs";

const fn heck(half: u8, name: &'static str) -> Seed {
    seed("heck", half, name)
}

pub(super) const SEEDS: &[Seed] = &[
    Seed {
        edits: &[edit(
            FILE,
            "            write!(f, \"{}\", c.to_lowercase())?;\n",
            "            core::fmt::Display::fmt(&c.to_lowercase(), f)?;\n",
        )],
        expected: shared_lines("snake", &["lowercase"], &["kebab", "title", "camel"]),
        ..heck(1, "a line of a function that is passed to another one")
    },
    Seed {
        edits: &[edit(
            FILE,
            "            lowercase(&s[i..], f)?;\n",
            "            lowercase(&alloc::string::String::from(&s[i..]), f)?;\n",
        )],
        expected: shared_lines("title", &["capitalize"], &["camel"]),
        ..heck(2, "an allocation")
    },
    Seed {
        edits: &[edit(
            "src/snake.rs",
            "lowercase, |f| write!(f, \"_\"), f)",
            "lowercase, |f| write!(f, \"{}\", '_'), f)",
        )],
        expected: lines("snake", &["AsSnakeCase as core::fmt::Display>::fmt"]),
        ..heck(1, "a closure")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    for word in s.split(|c: char| !c.is_alphanumeric()) {\n",
            "    for word in s.split(|c: char| !c.is_lowercase() && !c.is_alphanumeric()) {\n",
        )],
        expected: shared_lines("kebab", &["transform"], &["snake", "shouty", "title", "camel"]),
        ..heck(2, "a closure of a generic function")
    },
    Seed {
        edits: &[edit(FILE, "fn lowercase(", "#[inline(never)]\nfn lowercase(")],
        expected: shared_lines("snake", &["lowercase"], &["kebab", "camel"]),
        ..heck(1, "a function is no longer inlined")
    },
    Seed {
        edits: &[edit(FILE, "fn capitalize(", "#[inline(always)]\nfn capitalize(")],
        expected: shared_lines("camel", &["capitalize", "transform"], &["title"]),
        ..heck(2, "a function is inlined")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    for c in s.chars() {\n        write!(f, \"{}\", c.to_uppercase())?;\n    }\n",
            "    for c in s.chars().flat_map(char::to_uppercase) {\n        fmt::Write::write_char(f, c)?;\n    }\n",
        )],
        expected: lines("shouty", &["uppercase"]),
        ..heck(1, "less formatting")
    },
    Seed {
        edits: &[edit(
            "src/shouty_snake.rs",
            "        AsShoutySnakeCase(self).to_string()\n",
            "        AsShoutySnakeCase(AsShoutySnakeCase(self).to_string()).to_string()\n",
        )],
        expected: lines("shouty", &["to_shouty_snake_case"]),
        known: "the functions that are called twice as often come first",
        ..heck(2, "a caller calls twice")
    },
    Seed {
        edits: &[
            edit(FILE, "mod kebab;\n", "mod dot;\nmod kebab;\n"),
            edit(
                "src/dot.rs",
                "",
                "//! Dots.\n\nuse crate::{lowercase, transform};\n\n/// Dots.\npub struct AsDotCase<'a>(pub &'a str);\n\nimpl core::fmt::Display for \
                 AsDotCase<'_> {\n    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {\n        \
                 transform(self.0, lowercase, |f| write!(f, \".\"), f)\n    }\n}\n",
            ),
            edit(FILE, "use core::fmt;\n", "pub use dot::AsDotCase;\n\nuse core::fmt;\n"),
        ],
        expected: Expected::Bystander,
        ..heck(1, "a new file with another instance of a generic function")
    },
    Seed {
        edits: &[
            edit(
                FILE,
                "fn uppercase(s: &str, f: &mut fmt::Formatter) -> fmt::Result {\n    for c in s.chars() {\n        write!(f, \
                 \"{}\", c.to_uppercase())?;\n    }\n\n    Ok(())\n}\n\n",
                "",
            ),
            edit(
                FILE,
                "fn lowercase(",
                "fn uppercase(s: &str, f: &mut fmt::Formatter) -> fmt::Result {\n    for c in s.chars() {\n        write!(f, \
                 \"{}\", c.to_uppercase())?;\n    }\n\n    Ok(())\n}\n\nfn lowercase(",
            ),
        ],
        expected: Expected::Bystander,
        ..heck(2, "two functions change places")
    },
    Seed {
        edits: &[edit(
            FILE,
            "    let mut char_indices = s.char_indices();\n    if let Some((_, c)) = char_indices.next() {\n        write!(f, \"{}\", \
             c.to_uppercase())?;\n",
            "    let mut char_indices = s.char_indices();\n    if let Some((_, c)) = char_indices.next() {\n        for c in \
             c.to_uppercase() {\n            write!(f, \"{c}\")?;\n        }\n",
        )],
        profile: Profile::Units,
        expected: shared_lines("title", &["capitalize"], &["camel"]),
        ..heck(1, "a loop, with several codegen units")
    },
];
