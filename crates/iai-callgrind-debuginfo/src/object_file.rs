//! Object files: symbols, machine code, and the inline frames of addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::io::Read;
use std::path::Path;

use addr2line::Context;
use flate2::read::ZlibDecoder;
use fnv::FnvHasher;
use gimli::{AbbreviationsCacheStrategy, Dwarf, EndianSlice, RunTimeEndian};
use object::{
    Architecture, CompressedData, CompressionFormat, Object, ObjectSection, ObjectSymbol,
    SectionKind, SymbolKind,
};

use crate::map::map;
use crate::roots::Roots;

type Slice = EndianSlice<'static, RunTimeEndian>;

/// A function at a place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFrame<'a> {
    /// The mangled name, `None` if it is the symbol's.
    pub name: Option<&'static [u8]>,
    /// The path of the file; empty if it is not known. Frames with the same file can share the text.
    pub file: &'a str,
    /// The number of the line; 0 for code that the compiler generated.
    pub line: u32,
}

/// A function of an object file.
#[derive(Debug)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

/// The known parts of an object file.
pub struct ObjectFile {
    architecture: Architecture,
    /// Functions in the order of their addresses.
    symbols: Vec<Symbol>,
    /// Sections of machine code with their addresses.
    text: Vec<(u64, &'static [u8])>,
    debug_info: Option<Context<Slice>>,
    /// The reason why existing debug information can't be read.
    pub unread: Option<UnreadDebugInfo>,
    /// The compilers and the units of the user's crates.
    pub build: Build,
    /// The build id, if this is the C library.
    pub c_library: Option<String>,
    /// The hash of code and data; 0 if the file can't be read.
    pub identity: u64,
    /// True for the C library and its loader.
    pub is_of_c_library: bool,
}

/// An unsupported form of debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadDebugInfo {
    /// Debug information in other files (`split-debuginfo`).
    Split,
    /// Debug information that is compressed with zstd.
    Zstd,
}

/// The build according to debug information.
#[derive(Debug, Default)]
pub struct Build {
    /// The compilers of the user's units.
    pub compilers: BTreeSet<String>,
    /// Number of codegen units of each of the user's crates, by their names.
    pub units: BTreeMap<String, usize>,
    /// User sources in other languages, such as C++, have their own units.
    has_other_languages: bool,
    /// Units refer to other files.
    is_split: bool,
}

impl ObjectFile {
    /// Reads an object file. Unreadable parts are unknown.
    #[must_use]
    pub fn open(path: &str, roots: &Roots) -> Self {
        let mut opened = Self {
            architecture: Architecture::Unknown,
            symbols: Vec::new(),
            text: Vec::new(),
            debug_info: None,
            unread: None,
            build: Build::default(),
            c_library: None,
            identity: 0,
            is_of_c_library: is_of_c_library(path),
        };
        let Ok(data) = map(Path::new(path)) else { return opened };
        // It is needed until the program ends
        let data: &'static [u8] = Box::leak(Box::new(data));
        let Ok(file) = object::File::parse(data) else { return opened };
        opened.architecture = file.architecture();
        opened.symbols = symbols(&file);
        opened.identity = identity(&file);
        let is_c_library = path.rsplit('/').next().is_some_and(|name| name.starts_with("libc.so"));
        let id = file.build_id().ok().flatten().filter(|_| is_c_library);
        opened.c_library =
            id.and_then(|id| Some(format!("{:08x}", u32::from_be_bytes(*id.first_chunk()?))));
        let is_code = |section: &object::Section<'_, '_>| section.kind() == SectionKind::Text;
        opened.text = file
            .sections()
            .filter(is_code)
            .filter_map(|section| Some((section.address(), section.data().ok()?)))
            .collect();
        let is_zstd = |section: object::Section<'_, '_>| {
            section
                .compressed_file_range()
                .is_ok_and(|range| range.format == CompressionFormat::Zstandard)
        };
        if file.sections().any(is_zstd) {
            opened.unread = Some(UnreadDebugInfo::Zstd);
        } else if let Some(mut dwarf) = dwarf(&file) {
            // Both readers parse the abbreviations of all units
            dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::All);
            opened.build = Build::read(&dwarf, roots);
            opened.unread = opened.build.is_split.then_some(UnreadDebugInfo::Split);
            opened.debug_info = Context::from_dwarf(dwarf).ok();
        }
        opened
    }

    /// Returns true if inline frames are known.
    #[must_use]
    pub fn has_debug_info(&self) -> bool {
        self.debug_info.is_some()
    }

    /// Returns the index of the symbol that contains this address.
    #[must_use]
    pub fn symbol_at(&self, address: u64) -> Option<usize> {
        let after = self.symbols.partition_point(|symbol| symbol.start <= address);
        let index = after.checked_sub(1)?;
        (address < self.symbols[index].end).then_some(index)
    }

    /// Returns the same as [`Self::symbol_at`], without a search if the address is in this symbol.
    #[must_use]
    pub fn symbol_near(&self, symbol: usize, address: u64) -> Option<usize> {
        let Symbol { start, end, .. } = self.symbols[symbol];
        let next = self.symbols.get(symbol + 1).map_or(u64::MAX, |next| next.start);
        let is_in = (start..end.min(next)).contains(&address);
        if is_in { Some(symbol) } else { self.symbol_at(address) }
    }

    /// Returns the mangled name of a symbol.
    #[must_use]
    pub fn name(&self, symbol: usize) -> &str {
        &self.symbols[symbol].name
    }

    /// Returns the architecture of the machine code.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Returns the machine code of a symbol with its first address; `None` if the file does not contain it.
    #[must_use]
    pub fn code(&self, symbol: usize) -> Option<(u64, &'static [u8])> {
        let Symbol { start, end, .. } = self.symbols[symbol];
        let bytes = self.text.iter().find_map(|(address, bytes)| {
            let from = usize::try_from(start.checked_sub(*address)?).ok()?;
            let to = usize::try_from(end.checked_sub(*address)?).ok()?;
            bytes.get(from..to)
        });
        bytes.map(|bytes| (start, bytes))
    }

    /// Returns the machine code of the section with this address, split at the address.
    #[must_use]
    pub fn code_around(&self, address: u64) -> Option<(&'static [u8], &'static [u8])> {
        self.text.iter().find_map(|(start, bytes)| {
            let at = usize::try_from(address.checked_sub(*start)?).ok()?;
            (at < bytes.len()).then(|| bytes.split_at(at))
        })
    }

    /// Returns addresses in a symbol at which the code of all its lines starts.
    #[must_use]
    pub fn line_starts(&self, symbol: usize) -> Vec<u64> {
        let Symbol { start, end, .. } = self.symbols[symbol];
        let found = self.debug_info.as_ref().map(|context| context.find_location_range(start, end));
        let Some(Ok(ranges)) = found else { return Vec::new() };
        ranges.map(|(address, ..)| address.max(start)).collect()
    }

    /// Returns the indices of the symbols of closures, and perhaps of a few others.
    pub fn closures(&self) -> impl Iterator<Item = usize> + '_ {
        let names = self.symbols.iter().map(|symbol| &symbol.name).enumerate();
        // Both manglings
        let closures = names.filter(|(_, name)| {
            name.contains("closure") || name.starts_with("_R") && name.contains("NC")
        });
        closures.map(|(index, _)| index)
    }

    /// Returns the functions that the instruction at this address belongs to, the innermost one first. Empty without
    /// debug information.
    pub fn frames(&self, address: u64) -> Vec<SourceFrame<'_>> {
        let found = self.debug_info.as_ref().map(|context| context.find_frames(address));
        let Some(Ok(mut frames)) = found.map(addr2line::LookupResult::skip_all_loads) else {
            return Vec::new();
        };
        let mut result = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.map(|function| function.name.slice());
            let (file, line) =
                frame.location.map_or((None, None), |place| (place.file, place.line));
            let (file, line) = (file.unwrap_or_default(), line.unwrap_or_default());
            result.push(SourceFrame { name, file, line });
        }
        result
    }
}

/// Returns true for the C library and its parts, such as the loader.
fn is_of_c_library(path: &str) -> bool {
    const NAMES: [&str; 7] =
        ["libc.so", "libc-", "ld-", "ld64", "libpthread", "libresolv", "libnss_"];
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.iter().any(|start| name.starts_with(start))
}

/// Returns a hash of the code and the data of a file: of its build id, if the linker gave it one.
fn identity(file: &object::File<'_>) -> u64 {
    let mut hasher = FnvHasher::default();
    if let Ok(Some(id)) = file.build_id() {
        hasher.write(id);
        return hasher.finish().max(1);
    }
    for section in file.sections() {
        let is_loaded = matches!(
            section.kind(),
            SectionKind::Text
                | SectionKind::Data
                | SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyDataWithRel
                | SectionKind::ReadOnlyString
        );
        if let Some(data) = section.data().ok().filter(|_| is_loaded) {
            hasher.write(data);
        }
    }
    hasher.finish().max(1)
}

fn symbols(file: &object::File<'_>) -> Vec<Symbol> {
    let functions = file.symbols().filter(|symbol| {
        symbol.kind() == SymbolKind::Text && symbol.size() > 0 && symbol.is_definition()
    });
    let mut symbols: Vec<_> = functions
        .map(|symbol| Symbol {
            start: symbol.address(),
            end: symbol.address() + symbol.size(),
            name: symbol.name().unwrap_or_default().to_owned(),
        })
        .collect();
    // The first of several names counts, in every build
    symbols.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
    symbols.dedup_by_key(|symbol| symbol.start);
    symbols
}

fn dwarf(file: &object::File<'static>) -> Option<Dwarf<Slice>> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    file.section_by_name(".debug_info")?;
    let section = |id: gimli::SectionId| -> Result<Slice, gimli::Error> {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.compressed_data().ok());
        Ok(EndianSlice::new(data.map(uncompressed).unwrap_or_default(), endian))
    };
    Dwarf::load(section).ok()
}

/// Returns the contents of a section; empty if it is damaged.
fn uncompressed(data: CompressedData<'static>) -> &'static [u8] {
    if data.format != CompressionFormat::Zlib {
        return data.data;
    }
    let mut bytes = Vec::new();
    // It is needed until the program ends
    match ZlibDecoder::new(data.data).take(data.uncompressed_size).read_to_end(&mut bytes) {
        Ok(_) => bytes.leak(),
        Err(_) => &[],
    }
}

impl Build {
    /// Returns true if the user's code has debug information.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !self.units.is_empty() || self.has_other_languages
    }

    fn read(dwarf: &Dwarf<Slice>, roots: &Roots) -> Self {
        let mut build = Self::default();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            // A unit that can't be read says nothing
            let _ = build.add(dwarf, header, roots);
        }
        build
    }

    fn add(
        &mut self,
        dwarf: &Dwarf<Slice>,
        header: gimli::UnitHeader<Slice>,
        roots: &Roots,
    ) -> gimli::Result<()> {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        let Some((_, root)) = entries.next_dfs()? else { return Ok(()) };
        let text = |name| -> Option<String> {
            let value = root.attr_value(name).ok()??;
            let value = dwarf.attr_string(&unit, value).ok()?;
            Some(value.to_string_lossy().into_owned())
        };
        let is_in = |name| root.attr_value(name).is_ok_and(|value| value.is_some());
        self.is_split |= is_in(gimli::DW_AT_dwo_name) || is_in(gimli::DW_AT_GNU_dwo_name);
        let directory = text(gimli::DW_AT_comp_dir).unwrap_or_default();
        let name = text(gimli::DW_AT_name).unwrap_or_default();
        // `src/lib.rs/@/name.0123456789abcdef-cgu.0`
        let Some((krate, _)) = name.rsplit_once("-cgu.") else {
            if is_own_file(&Path::new(&directory).join(name), roots) {
                self.has_other_languages = true;
                self.compilers.extend(text(gimli::DW_AT_producer).map(without_options));
            }
            return Ok(());
        };
        if Path::new(&directory).starts_with(&roots.workspace) {
            *self.units.entry(krate.to_owned()).or_default() += 1;
            self.compilers.extend(text(gimli::DW_AT_producer));
        }
        Ok(())
    }
}

/// Returns true for a user source file. Sources of the system's object files, such as the start of
/// a program, do not exist.
fn is_own_file(path: &Path, roots: &Roots) -> bool {
    path.to_str().is_some_and(|path| roots.own(path).is_some()) && path.is_file()
}

/// Returns a compiler without its options, which GCC adds: `GNU C++17 12.2.0 -O2`.
fn without_options(mut compiler: String) -> String {
    let end = compiler.find(" -").unwrap_or(compiler.len());
    compiler.truncate(end);
    compiler
}
