//! Which benchmarks to run, by their names.

/// Whether the pattern selects the benchmark with this name: `file::group::function::id`.
///
/// In a pattern with `*` or `?` these stand for any characters and for one, and the whole name has to
/// match. Any other pattern selects the names that contain it.
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

/// Whether the whole name matches the pattern, in which `*` stands for any characters and `?` for one.
#[must_use]
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// Matches from the left. When it does not go on, the last `*` takes one character more; an earlier one
/// never has to, because the last one takes whatever is left.
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
    fn a_plain_word_is_a_part_of_the_name() {
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
    fn many_stars_are_no_trouble() {
        assert!(!selects(&format!("{}b", "a*".repeat(50)), &"a".repeat(10_000)));
    }
}
