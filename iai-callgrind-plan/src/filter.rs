//! Filters of benchmarks by name.

/// Returns true if the pattern selects the benchmark with this name: `file::group::function::id`.
///
/// A pattern with `*`, any characters, or `?`, one character, must match the whole name. Any other pattern
/// selects the names that contain it.
///
/// ```
/// use iai_callgrind_plan::filter::selects;
///
/// assert!(selects("fibonacci", "my_benchmark::group::bench_fibonacci::short"));
/// assert!(selects("*::bench_*::short", "my_benchmark::group::bench_fibonacci::short"));
/// assert!(!selects("bench_*", "my_benchmark::group::bench_fibonacci::short"));
/// ```
#[must_use]
pub fn selects(pattern: &str, name: &str) -> bool {
    if pattern.contains(['*', '?']) {
        matches_pattern(pattern, name)
    } else {
        name.contains(pattern)
    }
}

/// Returns true if the whole name matches the pattern: `*` matches any characters, `?` one.
#[must_use]
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// Matches from the left. At a mismatch the last `*` takes another character; an earlier one never has to,
/// because the last one can take the rest.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut last_star = None;
    while position < name.len() {
        match pattern.get(at) {
            Some('*') => {
                last_star = Some((at, position));
                at += 1;
            }
            Some(&expected) if expected == '?' || expected == name[position] => {
                at += 1;
                position += 1;
            }
            _ => {
                let Some((star, taken)) = last_star else { return false };
                last_star = Some((star, taken + 1));
                (at, position) = (star + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_wildcards_is_a_part_of_the_name() {
        assert!(selects("", "a::b::c"));
        assert!(selects("b::c", "a::b::c"));
        assert!(!selects("b::d", "a::b::c"));
    }

    #[test]
    fn a_pattern_matches_the_whole_name() {
        for pattern in ["*", "a*", "*c", "a::?::c", "a*b*c", "*::*", "a::b::c*", "**c", "?*?"] {
            assert!(selects(pattern, "a::b::c"), "{pattern}");
        }
        for pattern in ["?", "b*", "*b", "a::??::c", "*c*d", "a::b::c?"] {
            assert!(!selects(pattern, "a::b::c"), "{pattern}");
        }
        assert!(selects("*größer?", "a::größer1"));
    }

    #[test]
    fn many_stars_match_in_short_time() {
        assert!(!selects(&format!("{}b", "a*".repeat(50)), &"a".repeat(10_000)));
    }
}
