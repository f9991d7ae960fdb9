//! Arguments of a tool, as users write them.

/// Arguments of a tool: a list of strings (an array, a slice or a `Vec`), or a single string.
///
/// ```
/// use iai_callgrind::Memcheck;
///
/// Memcheck::default().args(["--leak-check=full", "--track-origins=yes"]);
/// Memcheck::default().args("--error-exitcode=0");
/// Memcheck::default().args(vec![format!("--num-callers={}", 30)]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolArgs(pub(super) Vec<String>);

macro_rules! from_strings {
    ($($string:ty),*) => {$(
        impl From<$string> for ToolArgs {
            fn from(arg: $string) -> Self {
                Self(vec![arg.into()])
            }
        }
    )*};
}

from_strings!(&str, &String, String);

macro_rules! from_lists {
    ($($(const $n:ident)? $list:ty),* $(,)?) => {$(
        impl<T: AsRef<str>, $(const $n: usize)?> From<$list> for ToolArgs {
            fn from(args: $list) -> Self {
                Self(args.into_iter().map(|arg| arg.as_ref().to_owned()).collect())
            }
        }
    )*};
}

from_lists!(const N [T; N], const N &[T; N], &[T], &Vec<T>, Vec<T>);
