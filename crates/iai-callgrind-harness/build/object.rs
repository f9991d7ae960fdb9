//! Writes the object file that the linker puts between the benchmark file and all libraries.
//!
//! Each of its sections has one byte at the start of a block. So code and data of the libraries keep their offsets
//! within a page when the benchmark file grows. As long as the file does not fill another block, they keep their whole
//! addresses, which some hash maps use as seeds.

const HEADER: usize = 64;
const SECTION_HEADER: usize = 64;

/// Type of a section with contents, and of one that starts as zeros.
const CONTENTS: u32 = 1;
const ZEROS: u32 = 8;

const ALLOCATED: u64 = 2;
const WRITABLE: u64 = 1;
const EXECUTABLE: u64 = 4;
/// The linker keeps the section, to which nothing refers.
const RETAINED: u64 = 0x20_0000;

/// A section with a byte that is aligned to a block.
struct Section {
    name: &'static str,
    kind: u32,
    flags: u64,
    block: u64,
}

impl Section {
    const fn new(name: &'static str, flags: u64, block: u64) -> Self {
        Self { name, kind: CONTENTS, flags: ALLOCATED | RETAINED | flags, block }
    }
}

const PAGE: u64 = 4096;

/// Code and constants. lld puts them after the addresses that the loader fills in, of which each benchmark has some.
const LARGE: u64 = 256 * 1024;

/// Variables, tables and rare functions, of which a benchmark has few. GNU `ld` writes all zeros of a block.
const SMALL: u64 = 64 * 1024;

/// Sections of the compiler, and those of the macros: what comes after the macros' data keeps its place too.
///
/// GNU `ld` puts the functions that hardly ever run, of all crates, before all others.
///
/// The last one has the variables that start as zeros, and the heap follows it. Linkers put it after `.data` and the
/// tables, whose last block ends at a fixed address. Its own block is never larger than a page: GNU `ld` divides a
/// segment in which pages are skipped, and Valgrind reads no symbols of a file with a segment that consists of zeros
/// alone.
const SECTIONS: [Section; 9] = [
    Section::new(".text.unlikely.iai_callgrind", EXECUTABLE, SMALL),
    Section::new(".text.iai_callgrind", EXECUTABLE, LARGE),
    Section::new(".rodata.iai_callgrind", 0, LARGE),
    Section::new(".data.rel.ro.iai_callgrind", WRITABLE, PAGE),
    Section::new(".data.iai_callgrind", WRITABLE, SMALL),
    Section::new(".iai_callgrind.arguments", 0, PAGE),
    Section::new(".iai_callgrind.texts", 0, PAGE),
    Section::new(".iai_callgrind.tables", WRITABLE, SMALL),
    Section { kind: ZEROS, ..Section::new(".bss.iai_callgrind", WRITABLE, PAGE) },
];

/// Returns the number of an architecture in object files of 64 bits, with the low byte first.
pub(crate) fn machine(architecture: &str) -> Option<u16> {
    match architecture {
        "x86_64" => Some(62),
        "aarch64" => Some(183),
        _ => None,
    }
}

/// Returns the object file for this machine.
pub(crate) fn object(machine: u16) -> Vec<u8> {
    // No section, those with a byte, the mark that the stack is not executable, and the names
    let names = SECTIONS.each_ref().map(|section| section.name);
    let all_names = [&names[..], &[".note.GNU-stack", ".shstrtab"]].concat();
    let mut texts = vec![0_u8];
    let mut offsets = Vec::new();
    for name in all_names {
        offsets.push(u32::try_from(texts.len()).expect("a few names"));
        texts.extend_from_slice(name.as_bytes());
        texts.push(0);
    }
    let number = offsets.len() + 1;

    let contents = HEADER;
    let texts_at = contents + SECTIONS.len();
    let headers_at = (texts_at + texts.len()).next_multiple_of(8);
    let mut file = vec![0; contents];
    let ident = [0x7f, b'E', b'L', b'F', 2, 1, 1, 3];
    file[..8].copy_from_slice(&ident);
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &1_u16.to_le_bytes());
    put(18, &machine.to_le_bytes());
    put(20, &1_u32.to_le_bytes());
    put(40, &wide(headers_at));
    put(52, &short(HEADER));
    put(58, &short(SECTION_HEADER));
    put(60, &short(number));
    put(62, &short(number - 1));
    file.resize(contents + SECTIONS.len(), 0);
    file.extend_from_slice(&texts);
    file.resize(headers_at + SECTION_HEADER, 0);

    let header = |name: u32, kind: u32, flags: u64, at: usize, size: usize, align: u64| {
        let mut bytes = Vec::new();
        bytes.extend(name.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(wide(0));
        bytes.extend(wide(at));
        bytes.extend(wide(size));
        bytes.extend([0; 8]);
        bytes.extend(align.to_le_bytes());
        bytes.extend(wide(0));
        bytes
    };
    for (index, Section { kind, flags, block, .. }) in SECTIONS.iter().enumerate() {
        file.extend(header(offsets[index], *kind, *flags, contents + index, 1, *block));
    }
    file.extend(header(offsets[SECTIONS.len()], CONTENTS, 0, texts_at, 0, 1));
    file.extend(header(offsets[SECTIONS.len() + 1], 3, 0, texts_at, texts.len(), 1));
    file
}

fn wide(value: usize) -> [u8; 8] {
    (value as u64).to_le_bytes()
}

fn short(value: usize) -> [u8; 2] {
    u16::try_from(value).expect("a small number").to_le_bytes()
}
