//! Data of the macros, which is in sections of its own.
//!
//! In the compiler's sections it would be between the literals of the user, and move them as soon as the path of the
//! package is longer or the file has another benchmark. A literal at another address needs a different number of cache
//! accesses, and searches in it execute a different number of instructions.

/// Bytes of a text.
#[derive(Debug)]
pub struct Text<const LENGTH: usize>([u8; LENGTH]);

/// Value that is alone in its lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Aligned<T>(pub T);

impl<const LENGTH: usize> Text<LENGTH> {
    /// Copies a text of this length.
    ///
    /// # Panics
    ///
    /// Panics if the text has another length.
    #[must_use]
    pub const fn new(text: &str) -> Self {
        assert!(text.len() == LENGTH, "a text has another length than its copy");
        // SAFETY: The text has this length, and bytes need no alignment
        Self(unsafe { *text.as_ptr().cast::<[u8; LENGTH]>() })
    }

    /// Returns the text.
    #[must_use]
    pub const fn get(&self) -> &str {
        // SAFETY: The bytes are those of a text
        unsafe { core::str::from_utf8_unchecked(&self.0) }
    }

    /// Returns the part of the text from one index to another.
    ///
    /// # Panics
    ///
    /// Panics if an index is within a character or behind the text.
    #[must_use]
    pub const fn part(&self, start: usize, end: usize) -> &str {
        let (before_end, after) = self.0.split_at(end);
        let (_, part) = before_end.split_at(start);
        assert!(
            is_boundary(part) && is_boundary(after),
            "a part starts or ends within a character"
        );
        // SAFETY: The bytes are whole characters of a text
        unsafe { core::str::from_utf8_unchecked(part) }
    }
}

/// Returns the text. For an argument of the wrong type, the compiler's error is better in a call than in a block.
#[must_use]
pub const fn text_argument(copy: &'static str) -> &'static str {
    copy
}

/// Returns the bytes that start here, see [`text_argument`].
///
/// # Panics
///
/// Panics if there are fewer.
#[must_use]
pub const fn bytes_argument<const LENGTH: usize>(
    copies: &'static [u8],
    start: usize,
) -> &'static [u8; LENGTH] {
    let (_, copy) = copies.split_at(start);
    copy.first_chunk().expect("the copies have the bytes")
}

/// Returns `true` unless the bytes, to the end of a text, start within a character. `str::is_char_boundary` is constant since
/// 1.86 only.
const fn is_boundary(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes[0] & 0xc0 != 0x80
}

/// Copies a constant text to the section of texts, and returns the copy as `&'static str`. No benchmark reads it, so that it
/// needs no place of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_text {
    ($text:expr) => {
        const {
            const __IAI_CALLGRIND_ORIGINAL: &::core::primitive::str = $text;
            $crate::__iai_callgrind_static!(
                ".iai_callgrind.texts",
                __IAI_CALLGRIND_COPY,
                $crate::__private::Text<{ __IAI_CALLGRIND_ORIGINAL.len() }>,
                $crate::__private::Text::new(__IAI_CALLGRIND_ORIGINAL)
            );
            __IAI_CALLGRIND_COPY.get()
        }
    };
}

/// Declares a static in the section of texts: a text of this length.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_text_static {
    ($name:ident, $length:expr, $text:expr) => {
        $crate::__iai_callgrind_static!(
            ".iai_callgrind.texts",
            $name,
            $crate::__private::Text<{ $length }>,
            $crate::__private::Text::new($text)
        );
    };
}

/// Declares a static in the section of arguments: a text of this length.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_argument_static {
    ($name:ident, $length:expr, $text:expr) => {
        $crate::__iai_callgrind_static!(
            ".iai_callgrind.arguments",
            $name,
            $crate::__private::Aligned<$crate::__private::Text<{ $length }>>,
            $crate::__private::Aligned($crate::__private::Text::new($text))
        );
    };
}

/// Declares a static in the section of arguments: bytes of this length.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_bytes_static {
    ($name:ident, $length:literal, $bytes:expr) => {
        $crate::__iai_callgrind_static!(
            ".iai_callgrind.arguments",
            $name,
            $crate::__private::Aligned<[::core::primitive::u8; $length]>,
            $crate::__private::Aligned(*$bytes)
        );
    };
}

/// Declares a static in the section with this name.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_static {
    ($section:literal, $name:ident, $type:ty, $value:expr) => {
        #[cfg_attr(target_os = "linux", unsafe(link_section = $section))]
        static $name: $type = $value;
    };
}

/// Puts a value into the section of tables, and returns a reference to it.
#[doc(hidden)]
#[macro_export]
macro_rules! __iai_callgrind_table {
    ($type:ty, $value:expr) => {
        const {
            $crate::__iai_callgrind_static!(
                ".iai_callgrind.tables",
                __IAI_CALLGRIND_TABLE,
                $type,
                $value
            );
            &__IAI_CALLGRIND_TABLE
        }
    };
}

/// Keeps the places of the benchmark file's data and of all that comes after it.
#[doc(hidden)]
#[macro_export]
#[cfg(page_starts)]
macro_rules! __iai_callgrind_page_starts {
    () => {
        // A macro in the place of a statement, as in the examples of documentation, can expand to a module only
        #[allow(clippy::inline_asm_x86_intel_syntax)]
        mod __iai_callgrind_page_starts {
            // Constants that the linker merges with those of all libraries come before the others: their number depends on
            // the whole program. A page starts after them. The assembler does this once in an object file
            ::core::arch::global_asm!(
                ".ifndef .Liai_callgrind_page_starts",
                ".pushsection .rodata.cst32, \"aM\", %progbits, 32",
                ".p2align 5",
                ".Liai_callgrind_cst32: .zero 32",
                ".popsection",
                ".pushsection .rodata.cst16, \"aM\", %progbits, 16",
                ".p2align 4",
                ".Liai_callgrind_cst16: .zero 16",
                ".popsection",
                ".pushsection .rodata.cst8, \"aM\", %progbits, 8",
                ".p2align 3",
                ".Liai_callgrind_cst8: .zero 8",
                ".popsection",
                ".pushsection .rodata.cst4, \"aM\", %progbits, 4",
                ".p2align 2",
                ".Liai_callgrind_cst4: .zero 4",
                ".popsection",
                ".pushsection .rodata.str1.1, \"aMS\", %progbits, 1",
                ".Liai_callgrind_str1: .asciz \"iai\"",
                ".popsection",
                ".pushsection .rodata.iai_callgrind, \"aR\", %progbits",
                ".p2align 12",
                ".Liai_callgrind_page_starts:",
                ".long .Liai_callgrind_str1 - .",
                ".long .Liai_callgrind_cst4 - .",
                ".long .Liai_callgrind_cst8 - .",
                ".long .Liai_callgrind_cst16 - .",
                ".long .Liai_callgrind_cst32 - .",
                ".popsection",
                ".pushsection .text.iai_callgrind, \"axR\", %progbits",
                ".p2align 12",
                ".byte 0",
                ".popsection",
                ".pushsection .data.rel.ro.iai_callgrind, \"awR\", %progbits",
                ".p2align 12",
                ".byte 0",
                ".popsection",
                ".endif",
            );

            #[link(
                name = "iai_callgrind_page_starts.o",
                kind = "static",
                modifiers = "+verbatim,-bundle"
            )]
            unsafe extern "C" {}
        }
    };
}

/// Without effect: there is no object file for the target.
#[doc(hidden)]
#[macro_export]
#[cfg(not(page_starts))]
macro_rules! __iai_callgrind_page_starts {
    () => {};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_text_and_its_parts_and_lines_of_its_own() {
        static COPY: Aligned<Text<7>> = Aligned(Text::new("aä b c"));
        let Aligned(text) = &COPY;
        assert_eq!(text.get(), "aä b c");
        assert_eq!((text.part(0, 1), text.part(1, 3), text.part(7, 7)), ("a", "ä", ""));
        __iai_callgrind_argument_static!(TEXTS, 2, "ä");
        __iai_callgrind_bytes_static!(BYTES, 3, b"abc");
        assert_eq!(TEXTS.0.get().as_ptr().align_offset(64), 0);
        assert_eq!(bytes_argument(&BYTES.0, 1), b"bc");
        assert_eq!((size_of_val(&COPY), align_of_val(&COPY)), (64, 64));
        assert_eq!(__iai_callgrind_text!(concat!("a", "b")), "ab");
        assert_eq!(__iai_callgrind_table!([u8; 2], [1, 2]), &[1, 2]);
    }
}
