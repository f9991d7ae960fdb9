//! Counters and amounts of a benchmark.

use std::ffi::{CStr, c_char};

use iai_callgrind_harness::__private::{report_amount, report_text};
use iai_callgrind_harness::counter;
use iai_callgrind_plan::CounterName;
use iai_callgrind_plan::counter_record::{LABEL, SKIPPED};

/// Largest integer up to which all are numbers with a fraction too.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reports a counter. A value that no counter can have is left out with a note.
///
/// # Safety
///
/// The name ends with a zero byte.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_counter(name: *const c_char, value: f64) {
    // SAFETY: the caller guarantees it.
    let name = counter_name(&unsafe { CStr::from_ptr(name) }.to_string_lossy());
    if !value.is_finite() || value < 0.0 {
        eprintln!("note: the counter `{name}` is left out: its value is {value}");
    } else if value.fract() == 0.0 && value <= EXACT {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        counter(&name, value as u64);
    } else {
        counter(&name, value);
    }
}

/// Returns the name with underscores in place of characters that no name can have.
fn counter_name(name: &str) -> String {
    let allowed = |character: char| match character {
        '|' | ':' | ',' | '=' => '_',
        _ if character.is_control() => '_',
        _ => character,
    };
    let name: String = name.trim().chars().map(allowed).collect();
    let first = |number| name.chars().take(number).collect::<String>();
    let whole = first(CounterName::LONGEST);
    if CounterName::new(whole.trim_end()).is_ok() {
        return whole.trim_end().to_owned();
    }
    let prefix = "counter ";
    let name = format!("{prefix}{}", first(CounterName::LONGEST - prefix.len()));
    name.trim_end().to_owned()
}

/// Reports the items and the bytes that all counted calls process. A negative number means none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn iai_callgrind_amount(items: i64, bytes: i64) {
    report_amount(u64::try_from(items).ok(), u64::try_from(bytes).ok());
}

/// Reports the text that the benchmark sets about itself.
///
/// # Safety
///
/// The text ends with a zero byte.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_label(label: *const c_char) {
    // SAFETY: the caller guarantees it.
    report_text(LABEL, &unsafe { CStr::from_ptr(label) }.to_string_lossy());
}

/// Reports that the benchmark skips itself, with the reason.
///
/// # Safety
///
/// As for [`iai_callgrind_label`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn iai_callgrind_skipped(reason: *const c_char) {
    // SAFETY: the caller guarantees it.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    eprintln!("the benchmark skips itself: {reason}");
    report_text(SKIPPED, &reason);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_allowed_characters_only() {
        assert_eq!(counter_name("a:b|c,d=e"), "a_b_c_d_e");
        assert_eq!(counter_name("Ir"), "counter Ir");
        assert_eq!(counter_name(&"x".repeat(70)).len(), CounterName::LONGEST);
        for (name, expected) in [("", "counter"), (" \n", "counter"), ("a ", "a")] {
            assert_eq!(counter_name(name), expected);
        }
        let cut = counter_name(&format!("{} {}", "x".repeat(CounterName::LONGEST - 1), "y"));
        assert_eq!(cut, "x".repeat(CounterName::LONGEST - 1));
    }
}
