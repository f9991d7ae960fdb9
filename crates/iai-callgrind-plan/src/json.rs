//! Writes the plan as JSON.
//!
//! Users compile this, so it is small: only the code for the fields of a type exists more than
//! once. Structs are objects, variants without fields are strings, other variants are objects with
//! their name as the only key.

use std::fmt::Write;

/// A value that can be written as JSON.
pub trait Json {
    /// Appends the value.
    fn write(&self, out: &mut String);

    /// Returns the value as JSON.
    #[inline]
    fn to_json(&self) -> String
    where
        Self: Sized,
    {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

/// An object with these members.
pub(crate) struct Object<'a>(pub(crate) &'a [(&'a str, &'a dyn Json)]);

/// A list of these values.
pub(crate) struct List<'a>(pub(crate) &'a [&'a dyn Json]);

impl Json for Object<'_> {
    fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (name, value)) in self.0.iter().enumerate() {
            separate(out, index);
            string(out, name);
            out.push(':');
            value.write(out);
        }
        out.push('}');
    }
}

impl Json for List<'_> {
    fn write(&self, out: &mut String) {
        list(out, self.0.len(), &|out, index| self.0[index].write(out));
    }
}

impl<T: Json> Json for Vec<T> {
    fn write(&self, out: &mut String) {
        list(out, self.len(), &|out, index| self[index].write(out));
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Json, U: Json> Json for (T, U) {
    fn write(&self, out: &mut String) {
        List(&[&self.0, &self.1]).write(out);
    }
}

impl Json for String {
    fn write(&self, out: &mut String) {
        string(out, self);
    }
}

impl Json for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

/// Implements [`Json`] for types of numbers.
macro_rules! numbers {
    ($($number:ty)+) => {$(
        impl Json for $number {
            fn write(&self, out: &mut String) {
                // Writing to a string does not fail
                let _ = write!(out, "{self}");
            }
        }
    )+};
}

numbers!(u8 u32 u64 usize i32 i64);

/// Implements [`Json`] for a struct. A field that is left out is an error of the compiler.
macro_rules! json_struct {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::json::Json for $type {
            fn write(&self, out: &mut String) {
                let Self { $($field),+ } = self;
                $crate::json::Object(&[$((stringify!($field), $field)),+]).write(out);
            }
        }
    };
}
pub(crate) use json_struct;

/// Implements [`Json`] for an enum. A variant's value in parentheses becomes a list.
macro_rules! json_enum {
    ($type:ident { $($variant:ident $({ $($field:ident),+ })? $(($value:ident))?),+ $(,)? }) => {
        impl $crate::json::Json for $type {
            fn write(&self, out: &mut String) {
                match self {$(
                    Self::$variant $({ $($field),+ })? $(($value))? => {
                        $crate::json::json_enum!(@ out $variant $({ $($field),+ })? $(($value))?);
                    }
                )+}
            }
        }
    };
    (@ $out:ident $variant:ident) => {
        $crate::json::string($out, stringify!($variant))
    };
    (@ $out:ident $variant:ident { $($field:ident),+ }) => {
        $crate::json::Object(&[(
            stringify!($variant),
            &$crate::json::Object(&[$((stringify!($field), $field)),+]),
        )])
        .write($out)
    };
    (@ $out:ident $variant:ident ($value:ident)) => {
        $crate::json::Object(&[(stringify!($variant), &$crate::json::List(&[$value]))]).write($out)
    };
}
pub(crate) use json_enum;

/// Reads the single field of a variant, which [`Json`] writes as a list and serde expects bare.
#[cfg(feature = "serde")]
pub(crate) fn only<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    use serde::Deserialize;
    <[T; 1]>::deserialize(deserializer).map(|[value]| value)
}

fn list(out: &mut String, length: usize, write: &dyn Fn(&mut String, usize)) {
    out.push('[');
    for index in 0..length {
        separate(out, index);
        write(out, index);
    }
    out.push(']');
}

fn separate(out: &mut String, index: usize) {
    if index > 0 {
        out.push(',');
    }
}

pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Pair {
        text: String,
        numbers: Vec<Option<i32>>,
    }
    json_struct!(Pair { text, numbers });

    #[derive(Debug, PartialEq, serde::Deserialize)]
    enum Choice {
        Nothing,
        Number((u64,)),
        Named { flag: bool, pair: (u8, usize) },
    }

    impl Json for (u64,) {
        fn write(&self, out: &mut String) {
            self.0.write(out);
        }
    }
    json_enum!(Choice { Nothing, Number(value), Named { flag, pair } });

    #[test]
    fn serde_reads_every_form() {
        let all: String = (0..0x80_u8).map(char::from).chain("größer \u{2028}🦀".chars()).collect();
        let pair = Pair { text: all, numbers: vec![None, Some(-1)] };
        assert_eq!(serde_json::from_str::<Pair>(&pair.to_json()).unwrap(), pair);
        for choice in [
            Choice::Nothing,
            Choice::Number((u64::MAX,)),
            Choice::Named { flag: true, pair: (0, usize::MAX) },
        ] {
            assert_eq!(serde_json::from_str::<Choice>(&choice.to_json()).unwrap(), choice);
        }
    }
}
