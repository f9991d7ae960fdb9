//! Names that are similar to one that does not exist.

use strsim::{jaro_winkler, osa_distance};

/// Maximum number of similar names.
const MOST: usize = 3;

/// Minimum similarity of a suggested name.
const LEAST: f64 = 0.7;

/// Similarity of a name that contains the text.
const CONTAINED: f64 = 0.95;

/// Returns the names that are most similar to a text, the most similar one first.
pub fn similar<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<_> = names.map(|name| (similarity(text, name), name)).collect();
    found.retain(|(similarity, _)| *similarity >= LEAST);
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.dedup_by_key(|(_, name)| *name);
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Returns a question with the names that are most similar to a text: ``did you mean `a` or `b`?``; `None` without any.
pub fn did_you_mean<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = similar(text, names).into_iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => format!("did you mean {last}?"),
        others => format!("did you mean {} or {last}?", others.join(", ")),
    })
}

/// Returns the name that was mistyped as this text: one letter is missing, added or replaced, or
/// two are exchanged; in longer names this can happen twice. A short word, or one that starts with
/// the name, is taken for another word: `last`, `lists`.
pub fn typo<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const SHORT: usize = 4;
    let most = match text.len() {
        ..=SHORT => return None,
        5..=6 => 1,
        _ => 2,
    };
    let names = names.filter(|name| !text.starts_with(name));
    let near = names.map(|name| (osa_distance(text, name), name));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

/// Returns the help for an unknown name: the most similar ones, then all.
pub fn help<'a>(text: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = names.clone().collect::<Vec<_>>().join(", ");
    match did_you_mean(text, names) {
        Some(question) => format!("help: {question} (all: {all})"),
        None => format!("help: use one of {all}"),
    }
}

/// Returns how similar a name, or the most similar part of it, is to a text: from 0 to 1.
fn similarity(text: &str, name: &str) -> f64 {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    if !text.is_empty() && name.contains(&text) {
        return CONTAINED;
    }
    let parts = name.split("::").chain([&*name]);
    parts.map(|part| jaro_winkler(&text, part)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let names = ["Ir", "L1hits", "EstimatedCycles"];
        assert_eq!(similar("cycles", names.into_iter()), ["EstimatedCycles"]);
        assert_eq!(similar("l1hit", names.into_iter()), ["L1hits"]);
        assert!(similar("", names.into_iter()).is_empty());
        let path = "file::group::fibonacci::short";
        assert_eq!(similar("fibonaci", [path].into_iter()), [path]);
    }

    #[test]
    fn a_typo_is_next_to_the_name() {
        let names = ["annotate", "list", "export"];
        let find = |text: &str| typo(text, names.into_iter());
        assert_eq!(
            ["anotate", "annoatte", "exprt"].map(find),
            [Some("annotate"), Some("annotate"), Some("export")]
        );
        assert_eq!(["short", "last", "list", "lists", "exports"].map(find), [None; 5]);
    }

    #[test]
    fn all_names_are_a_part_of_the_help() {
        let names = ["dhat", "memcheck"].into_iter();
        assert_eq!(
            help("memchek", names.clone()),
            "help: did you mean `memcheck`? (all: dhat, memcheck)"
        );
        assert_eq!(help("x", names), "help: use one of dhat, memcheck");
        let question = did_you_mean("base", ["base1", "base2"].into_iter());
        assert_eq!(question.as_deref(), Some("did you mean `base1` or `base2`?"));
    }
}
