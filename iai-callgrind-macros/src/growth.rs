//! Limits of the growth of instructions with the size of the input: `complexity` and `per_element`.

use proc_macro2::Span;
use syn::{Expr, Ident, LitStr};

use crate::errors::{Errors, error};
use crate::message;
use crate::parameters::Parameters;
use crate::tokens::{enumerate, ungroup};

/// Classes of the library's `Complexity`, by the names of their variants, with the texts that name them.
const CLASSES: [(&str, &[&str]); 9] = [
    ("Constant", &["1"]),
    ("LogN", &["log n"]),
    ("SqrtN", &["√n", "sqrt n", "n^0.5"]),
    ("N", &["n"]),
    ("NLogN", &["n log n"]),
    ("NSquared", &["n²", "n^2"]),
    ("NSquaredLogN", &["n² log n", "n^2 log n"]),
    ("NCubed", &["n³", "n^3"]),
    ("Exponential", &["2ⁿ", "2^n"]),
];

/// Limits in an attribute.
#[derive(Default)]
pub(crate) struct GrowthLimits {
    /// Worst class, as a variant of the library's `Complexity`.
    pub(crate) complexity: Option<Ident>,
    /// Largest increase of the cost per element, in percent.
    pub(crate) per_element: Option<Expr>,
}

impl GrowthLimits {
    /// Takes the limits out of `parameters`.
    pub(crate) fn take(parameters: &mut Parameters, errors: &mut Errors) -> Self {
        let complexity = parameters.take("complexity").and_then(|parameter| {
            errors.check(parameter.into_text().and_then(|text| class(&text)))
        });
        let per_element = parameters.take_expression("per_element", errors).map(ungroup);
        Self { complexity, per_element }
    }
}

/// Returns the variant for this text, in brackets after an `O` or without.
fn class(literal: &LitStr) -> syn::Result<Ident> {
    let value = literal.value();
    let text = value.trim();
    let text = text.strip_prefix("O(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let class = CLASSES.into_iter().find(|(_, texts)| texts.contains(&text));
    let (variant, _) = class.ok_or_else(|| {
        let texts = enumerate(CLASSES.iter().flat_map(|(_, texts)| *texts));
        error(literal, message::unknown_class(&value, &texts))
    })?;
    Ok(Ident::new(variant, Span::mixed_site()))
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Complexity;

    use super::*;

    /// Returns the variant that the macros name, and the one that the plan's crate parses.
    fn classes(text: &str) -> [Option<String>; 2] {
        let named = class(&LitStr::new(text, Span::call_site())).ok();
        let parsed = Complexity::from_text(text);
        [named.map(|class| class.to_string()), parsed.map(|class| format!("{class:?}"))]
    }

    #[test]
    fn the_classes_are_those_of_the_plan() {
        let variants = CLASSES.map(|(variant, _)| variant.to_owned());
        assert_eq!(variants, Complexity::ALL.map(|class| format!("{class:?}")));
        for (variant, texts) in CLASSES {
            for text in texts {
                let expected = [Some(variant.to_owned()), Some(variant.to_owned())];
                assert_eq!(classes(text), expected, "{text}");
                assert_eq!(classes(&format!(" O({text})")), expected, "{text}");
            }
        }
        for class in Complexity::ALL {
            let [named, parsed] = classes(&class.to_string());
            assert_eq!(named, parsed);
        }
        for text in ["", "n^4", "O(n", "m"] {
            assert_eq!(classes(text), [None, None], "{text}");
        }
    }
}
