//! Why tests are slow that take more than ten seconds.

/// Parts of names of tests, and what they wait for.
const REASONS: &[(&str, &str)] = &[];

/// Returns the reason of a test.
pub(crate) fn reason(test: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| test.starts_with(name)).map(|(_, reason)| *reason)
}
