//! Classes of growth with the input size.

use std::fmt;

use crate::json::json_enum;

/// Makes the enum, the list and the texts of all classes: first the printed text, then spellings
/// that are easy to type.
macro_rules! classes {
    ($(#[$about:meta])+ $type:ident { $($(#[$doc:meta])+ $class:ident $texts:expr;)+ }) => {
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        pub enum $type {
            $($(#[$doc])+ $class,)+
        }

        impl $type {
            /// All classes, in the order of their growth.
            pub const ALL: [Self; 9] = [$(Self::$class),+];

            const fn texts(self) -> &'static [&'static str] {
                match self {
                    $(Self::$class => &$texts,)+
                }
            }
        }

        json_enum!($type { $($class),+ });
    };
}

classes! {
    /// Class of a cost that grows with the size `n` of the input. The order is that of the growth.
    ///
    /// ```
    /// use iai_callgrind_plan::Complexity;
    ///
    /// assert_eq!(Complexity::from_text("n log n"), Some(Complexity::NLogN));
    /// assert!(Complexity::NLogN < Complexity::NSquared);
    /// ```
    Complexity {
        /// A cost that does not depend on the size, `1`.
        Constant ["1"];
        /// `log n`
        LogN ["log n"];
        /// `√n`
        SqrtN ["√n", "sqrt n", "n^0.5"];
        /// `n`
        N ["n"];
        /// `n log n`
        NLogN ["n log n"];
        /// `n²`
        NSquared ["n²", "n^2"];
        /// `n² log n`
        NSquaredLogN ["n² log n", "n^2 log n"];
        /// `n³`
        NCubed ["n³", "n^3"];
        /// `2ⁿ`, or any other power of a constant with the exponent `n`.
        Exponential ["2ⁿ", "2^n"];
    }
}

impl Complexity {
    /// Returns the class with this text, in brackets after an `O` or without: `n log n`, `O(n log n)`, `n^2`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let inner = text.strip_prefix("O(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
        Self::ALL.into_iter().find(|class| class.texts().contains(&inner))
    }
}

/// Writes the class without an `O`: `n log n`.
impl fmt::Display for Complexity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.texts()[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_one_class() {
        for class in Complexity::ALL {
            assert_eq!(Complexity::from_text(&format!("O({class})")), Some(class));
            for text in class.texts() {
                assert_eq!(Complexity::from_text(text), Some(class));
            }
        }
        for text in ["", "O()", "n^4", "m", "O(n", "nlogn"] {
            assert_eq!(Complexity::from_text(text), None, "{text}");
        }
        assert!(Complexity::ALL.is_sorted());
    }
}
