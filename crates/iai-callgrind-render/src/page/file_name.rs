//! The names of the pages of benchmarks: readable, and safe for file systems.

use std::collections::HashSet;
use std::hash::Hasher;

use fnv::FnvHasher;
use iai_callgrind_summary::Summary;

/// Maximum number of characters before the hash. File systems have 255 bytes for a name.
const LONGEST: usize = 120;

/// The names that were given. The same benchmark for another target has the name of the first one with a number in its
/// hash.
#[derive(Default)]
pub(super) struct FileNames(HashSet<String>);

impl FileNames {
    /// Returns the name of a benchmark's page without its extension. It depends only on the benchmark, so that links to
    /// it stay valid.
    pub(super) fn add(&mut self, summary: &Summary) -> String {
        self.add_name(&summary.package, &summary.name)
    }

    /// Returns the same for a group or a benchmark of a package.
    pub(super) fn add_name(&mut self, package: &str, benchmark: &str) -> String {
        let mut name = file_name(package, benchmark, 0);
        let mut number = 0;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = file_name(package, benchmark, number);
        }
        name
    }
}

/// Returns the name of a page: the benchmark with dots between its parts, below its package. Equal
/// names collide on file systems that ignore case.
fn file_name(package: &str, benchmark: &str, number: u64) -> String {
    let name = format!("{package}-{}", benchmark.replace("::", "."));
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let readable =
        |c: char| if is_safe(c.to_ascii_lowercase()) { c.to_ascii_lowercase() } else { '-' };
    let mut slug = String::new();
    for c in name.chars().map(readable).take(LONGEST) {
        // Neither `..` nor several replacement characters in a row
        if c != '-' && c != '.' || !slug.ends_with(c) {
            slug.push(c);
        }
    }
    let slug = slug.trim_matches(|c| c == '-' || c == '.');
    let has_dot = package.contains('.') || benchmark.contains('.');
    if slug == name && !has_dot && number == 0 {
        return slug.to_owned();
    }
    let mut hasher = FnvHasher::default();
    for text in [package, benchmark] {
        hasher.write(text.as_bytes());
        hasher.write(&[0]);
    }
    hasher.write(&number.to_le_bytes());
    let hash = hasher.finish();
    format!("{slug}-{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable_and_only_others_have_a_hash() {
        let name = |benchmark| file_name("words", benchmark, 0);
        assert_eq!(name("count::group::f::two_3"), "words-count.group.f.two_3");
        for (benchmark, start) in [
            ("count::F", "words-count.f-"),
            ("a.b", "words-a.b-"),
            ("../../etc/passwd", "words-.-.-etc-passwd-"),
            ("a::\"><script>", "words-a.-script-"),
            ("שלום", "words-"),
            ("a\0\n\u{202e}", "words-a-"),
            ("", "words-"),
        ] {
            let name = name(benchmark);
            assert!(name.starts_with(start), "{name}");
            assert!(name.is_ascii() && !name.contains(['/', '<', '"', ' ', '\\', ':']), "{name}");
        }
        let long = name(&"long".repeat(100));
        assert!(long.len() <= LONGEST + 9, "{long}");
    }

    #[test]
    fn different_benchmarks_have_different_names() {
        let mut names = HashSet::new();
        for benchmark in
            ["a::b", "a.b", "A::b", "a::-b", "a:b", "a::b ", &"x".repeat(200), &"x".repeat(201)]
        {
            let name = file_name("p", benchmark, 0);
            assert!(names.insert(name.clone()), "{name}");
        }
        assert_ne!(file_name("p", "a", 1), file_name("p", "a", 0));
    }
}
