//! Functions and instructions of an object file, without its lines.

use std::ops::Range;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::map::map;

/// Directory with separate debug information of a system.
const DEBUG_FILES: &str = "/usr/lib/debug";

/// Name of the section with the jumps to functions of other object files.
const LINKAGE: &str = ".plt";

/// The functions and instructions of an object file; none if the file can't be read.
#[derive(Debug, Default)]
pub struct CodeFile {
    is_aarch64: bool,
    /// Functions in the order of their addresses.
    symbols: Vec<(Range<u64>, String)>,
    /// Sections of machine code with their addresses.
    sections: Vec<(u64, Vec<u8>)>,
    linkage: Range<u64>,
}

impl CodeFile {
    /// Reads an object file, and the system's separate file with its symbols.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let Ok(data) = map(path) else { return Self::default() };
        let Ok(file) = object::File::parse(&*data) else { return Self::default() };
        let mut symbols = functions(&file, file.symbols());
        if symbols.is_empty() {
            symbols = functions(&file, file.dynamic_symbols());
            symbols.extend(debug_file(&file).as_deref().map(functions_of).unwrap_or_default());
        }
        let linkage = file.section_by_name(LINKAGE).map_or(0..0, |section| extent(&section));
        let code = file.sections().filter(|section| section.kind() == SectionKind::Text);
        let sections =
            code.filter_map(|section| Some((section.address(), section.data().ok()?.to_vec())));
        Self {
            is_aarch64: file.architecture() == object::Architecture::Aarch64,
            symbols: sorted(symbols),
            sections: sections.collect(),
            linkage,
        }
    }

    /// Returns the first address and the mangled name of the function whose symbol contains this address.
    #[must_use]
    pub fn symbol(&self, address: u64) -> Option<(u64, &str)> {
        let after = self.symbols.partition_point(|(range, _)| range.start <= address);
        let (range, name) = self.symbols.get(after.checked_sub(1)?)?;
        range.contains(&address).then_some((range.start, name))
    }

    /// Returns true for an address among the jumps to functions of other object files.
    #[must_use]
    pub fn is_linkage(&self, address: u64) -> bool {
        self.linkage.contains(&address)
    }

    /// Returns the instruction at an address; `None` if it is not code of `AArch64`.
    #[must_use]
    pub fn aarch64_instruction(&self, address: u64) -> Option<u32> {
        self.sections.iter().filter(|_| self.is_aarch64).find_map(|(start, bytes)| {
            let at = usize::try_from(address.checked_sub(*start)?).ok()?;
            Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
        })
    }
}

fn extent<'a>(section: &impl ObjectSection<'a>) -> Range<u64> {
    section.address()..section.address().saturating_add(section.size())
}

type Functions = Vec<(Range<u64>, String)>;

fn functions<'a, S: ObjectSymbol<'a>>(
    file: &object::File<'a>,
    symbols: impl Iterator<Item = S>,
) -> Functions {
    let is_function = |symbol: &S| symbol.kind() == SymbolKind::Text && symbol.is_definition();
    let function = |symbol: S| {
        let start = symbol.address();
        let mut end = start.saturating_add(symbol.size());
        if end == start {
            // Up to the next one
            let section =
                symbol.section_index().and_then(|index| file.section_by_index(index).ok())?;
            end = extent(&section).end;
        }
        Some((start..end, symbol.name().ok()?.to_owned()))
    };
    symbols.filter(is_function).filter_map(function).collect()
}

/// Sorts functions by their addresses. The first of several names counts, and a function ends at
/// the start of the next one.
fn sorted(mut symbols: Functions) -> Functions {
    symbols.sort_by(|(a, a_name), (b, b_name)| (a.start, a_name).cmp(&(b.start, b_name)));
    symbols.dedup_by_key(|(range, _)| range.start);
    for index in 1..symbols.len() {
        let next = symbols[index].0.start;
        let range = &mut symbols[index - 1].0;
        range.end = range.end.min(next);
    }
    symbols
}

/// Returns the separate file with an object file's symbols.
fn debug_file(file: &object::File<'_>) -> Option<PathBuf> {
    let (first, rest) = file.build_id().ok()??.split_first()?;
    let rest = rest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    Some(Path::new(DEBUG_FILES).join(format!(".build-id/{first:02x}/{rest}.debug")))
}

fn functions_of(path: &Path) -> Functions {
    let Ok(data) = map(path) else { return Functions::default() };
    object::File::parse(&*data).map(|file| functions(&file, file.symbols())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_functions_and_code() {
        let path = std::env::current_exe().unwrap();
        let file = CodeFile::open(&path);
        let of = |part: &str| {
            let mut symbols = file.symbols.iter();
            symbols.find(|(_, name)| name.contains(part)).map(|(range, _)| range.clone())
        };
        let range = of("this_test_has_functions_and_code").expect("the test has a symbol");
        assert_eq!(file.symbol(range.start).map(|(start, _)| start), Some(range.start));
        assert_eq!(file.symbol(range.end - 1).map(|(start, _)| start), Some(range.start));
        assert_ne!(file.symbol(range.end).map(|(start, _)| start), Some(range.start));
        let is_arm = cfg!(target_arch = "aarch64");
        assert_eq!(file.aarch64_instruction(range.start).is_some(), is_arm);
        assert!(!file.is_linkage(range.start));
    }

    #[test]
    fn a_function_ends_where_the_next_one_starts() {
        let symbols =
            vec![(8..20, "b".to_owned()), (0..4, "a".to_owned()), (16..20, "c".to_owned())];
        let ranges: Vec<_> = sorted(symbols).into_iter().map(|(range, _)| range).collect();
        assert_eq!(ranges, [0..4, 8..16, 16..20]);
    }

    #[test]
    fn what_is_no_object_file_has_nothing() {
        let file = CodeFile::open(Path::new("/etc/passwd"));
        assert_eq!((file.symbol(0), file.aarch64_instruction(0)), (None, None));
    }
}
