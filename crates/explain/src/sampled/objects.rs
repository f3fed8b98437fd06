//! Executables and libraries as samples need them: where their code lies in memory, the functions
//! in it, the lines, and the rules for unwinding.

use std::collections::HashMap;
use std::fs;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use framehop::ExplicitModuleSectionInfo;
use gimli::{EndianArcSlice, RunTimeEndian};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind};
use toolchains::symbol::{Program, readable};

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// A file with code.
pub(super) struct Image {
    segments: Vec<Segment>,
    /// By their start; some overlap.
    symbols: Vec<Symbol>,
    scheme: Program,
    sections: HashMap<&'static str, Section>,
    lines: Option<addr2line::Context<EndianArcSlice<RunTimeEndian>>>,
    named: HashMap<u64, Option<String>>,
    located: HashMap<u64, Option<Place>>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u64,
}

/// Code within the file, and where the linker placed it.
#[derive(Debug, Clone, Copy)]
struct Segment {
    offset: u64,
    length: u64,
    address: u64,
}

impl Segment {
    fn end(&self) -> u64 {
        self.address.saturating_add(self.length)
    }

    fn holds(&self, address: u64) -> bool {
        (self.address..self.end()).contains(&address)
    }
}

#[derive(Debug, Clone)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

/// A section for unwinding, by the linker's addresses.
#[derive(Debug, Clone)]
struct Section {
    range: Range<u64>,
    bytes: Piece,
}

/// Part of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    bytes: Arc<[u8]>,
    range: Range<usize>,
}

impl Deref for Piece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl Image {
    /// Reads a file, and the separate file of its symbols and lines if a distribution installed
    /// one; `None` if it is no program or cannot be read.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = read(path)?;
        let debug = object::File::parse(&bytes[..])
            .ok()
            .and_then(|file| Some(debug_path(file.build_id().ok()??)))
            .and_then(|path| read(&path));
        Self::from_bytes(&bytes, debug.as_deref())
    }

    /// Of a program's bytes and those of the file with its symbols and lines, if they are apart.
    pub(super) fn from_bytes(bytes: &Arc<[u8]>, debug: Option<&[u8]>) -> Option<Self> {
        let file = object::File::parse(&bytes[..]).ok()?;
        let debug = debug.and_then(|bytes| object::File::parse(bytes).ok());
        let segments = segments(&file);
        let symbols = symbols([Some(&file), debug.as_ref()].into_iter().flatten(), &segments);
        let scheme = Program::from_symbols(symbols.iter().map(|symbol| symbol.name.as_str()));
        let with_lines =
            debug.as_ref().filter(|file| file.section_by_name(".debug_line").is_some());
        Some(Self {
            sections: sections(&file, bytes),
            lines: lines(with_lines.unwrap_or(&file)),
            segments,
            symbols,
            scheme,
            named: HashMap::new(),
            located: HashMap::new(),
        })
    }

    /// The address that the linker gave to the byte at this offset of the file.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| {
            // Mappings begin at pages, segments anywhere in them.
            let first_page = segment.offset & !0xfff;
            (first_page..segment.offset.saturating_add(segment.length)).contains(&offset)
        })?;
        Some(segment.address.wrapping_add(offset.wrapping_sub(segment.offset)))
    }

    /// The readable name of the function at an address, by the linker's count.
    pub(super) fn function(&mut self, address: u64) -> Option<&str> {
        let (symbols, scheme) = (&self.symbols, self.scheme);
        let named = self.named.entry(address).or_insert_with(|| {
            let after = symbols.partition_point(|symbol| symbol.start <= address);
            // A few outer ones may begin before an inner one that has ended.
            let near = symbols[..after].iter().rev().take(8);
            let symbol = near.into_iter().find(|symbol| address < symbol.end)?;
            Some(readable(&symbol.name, scheme))
        });
        named.as_deref()
    }

    /// Set if it contains GHC's runtime.
    pub(super) fn has_ghc(&self) -> bool {
        self.scheme.has_ghc
    }

    /// The source line of an address, by the linker's count.
    pub(super) fn place(&mut self, address: u64) -> Option<&Place> {
        let lines = self.lines.as_ref()?;
        let located = self.located.entry(address).or_insert_with(|| {
            let location = lines.find_location(address).ok()??;
            let file = location.file?.to_string();
            Some(Place { file, line: location.line?.into() })
        });
        located.as_ref()
    }

    /// The sections for unwinding.
    pub(super) fn unwinding(&self) -> ExplicitModuleSectionInfo<Piece> {
        let range = |name| self.sections.get(name).map(|section| section.range.clone());
        let bytes = |name| self.sections.get(name).map(|section| section.bytes.clone());
        ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: range(".text"),
            text: bytes(".text"),
            got_svma: range(".got"),
            eh_frame_svma: range(".eh_frame"),
            eh_frame: bytes(".eh_frame"),
            eh_frame_hdr_svma: range(".eh_frame_hdr"),
            eh_frame_hdr: bytes(".eh_frame_hdr"),
            debug_frame: bytes(".debug_frame"),
            ..ExplicitModuleSectionInfo::default()
        }
    }
}

fn read(path: &Path) -> Option<Arc<[u8]>> {
    let about = fs::metadata(path).ok()?;
    let is_readable = about.is_file() && about.len() <= MOST_BYTES;
    is_readable.then(|| fs::read(path).ok()).flatten().map(Into::into)
}

/// The path that distributions give to the symbols and lines of a program with this identification.
fn debug_path(build_id: &[u8]) -> PathBuf {
    let digits: Vec<String> = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, rest) = digits.split_at(1.min(digits.len()));
    let name = format!("{}/{}.debug", first.concat(), rest.concat());
    Path::new("/usr/lib/debug/.build-id").join(name)
}

fn segments(file: &object::File<'_>) -> Vec<Segment> {
    let is_code = |segment: &object::Segment<'_, '_>| match segment.flags() {
        SegmentFlags::Elf { p_flags, .. } => p_flags.contains(object::elf::PF_X),
        _ => false,
    };
    let segment = |segment: object::Segment<'_, '_>| {
        let (offset, length) = segment.file_range();
        Segment { offset, length, address: segment.address() }
    };
    file.segments().filter(is_code).map(segment).collect()
}

/// The symbols of code by their start, of the linker and of what is exported: the former may have
/// been stripped.
fn symbols<'a>(
    files: impl Iterator<Item = &'a object::File<'a>>,
    segments: &[Segment],
) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = files
        .flat_map(|file| file.symbols().chain(file.dynamic_symbols()))
        .filter_map(|symbol| code_symbol(&symbol))
        .filter(|symbol| segments.iter().any(|segment| segment.holds(symbol.start)))
        .collect();
    // Of several names of one place the last is found: one with an end, and of those the one with
    // the fewest underscores.
    symbols.sort_by(|a, b| {
        let key = |symbol: &Symbol| (symbol.start, symbol.end > symbol.start);
        key(a).cmp(&key(b)).then(b.end.cmp(&a.end)).then_with(|| a.name.cmp(&b.name))
    });
    close(&mut symbols, segments);
    symbols
}

/// A symbol of code or data.
fn code_symbol(symbol: &object::Symbol<'_, '_>) -> Option<Symbol> {
    let is_place = !symbol.is_undefined()
        && !matches!(symbol.kind(), SymbolKind::File | SymbolKind::Section | SymbolKind::Tls);
    let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
    let (start, size) = (symbol.address(), symbol.size());
    // Assemblers' marks of code and data begin with a dollar, and their local labels with a dot.
    let is_named = !name.is_empty() && !name.starts_with(['$', '.']);
    (is_place && is_named).then_some(Symbol { start, end: start.saturating_add(size), name })
}

/// Hand-written code often states no size: it ends where the next symbol begins.
fn close(symbols: &mut [Symbol], segments: &[Segment]) {
    let mut next: Option<u64> = None;
    for place in (0..symbols.len()).rev() {
        let symbol = &mut symbols[place];
        let of_segment = segments.iter().find(|segment| segment.holds(symbol.start));
        let end = of_segment.map_or(symbol.start, Segment::end);
        if symbol.end == symbol.start {
            symbol.end = next.filter(|next| *next < end).unwrap_or(end);
        }
        let is_first = place == 0 || symbols[place - 1].start < symbols[place].start;
        if is_first {
            next = Some(symbols[place].start);
        }
    }
}

fn sections(file: &object::File<'_>, bytes: &Arc<[u8]>) -> HashMap<&'static str, Section> {
    const NAMES: [&str; 5] = [".text", ".got", ".eh_frame", ".eh_frame_hdr", ".debug_frame"];
    let section = |name: &'static str| {
        let section = file.section_by_name(name)?;
        let (offset, length) = section.file_range()?;
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        bytes.get(start..end)?;
        let range = section.address()..section.address().checked_add(section.size())?;
        Some((name, Section { range, bytes: Piece { bytes: bytes.clone(), range: start..end } }))
    };
    NAMES.into_iter().filter_map(section).collect()
}

fn lines(file: &object::File<'_>) -> Option<addr2line::Context<EndianArcSlice<RunTimeEndian>>> {
    file.section_by_name(".debug_line")?;
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let load = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        // Compressed sections are not read: their lines are missing.
        let bytes = section.and_then(|section| section.data().ok().map(<Arc<[u8]>>::from));
        Ok::<_, gimli::Error>(EndianArcSlice::new(bytes.unwrap_or_default(), endian))
    };
    addr2line::Context::from_dwarf(gimli::Dwarf::load(load).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: Segment = Segment { offset: 0x1010, length: 0x1000, address: 0x40_1010 };

    fn symbol(start: u64, size: u64, name: &str) -> Symbol {
        Symbol { start, end: start + size, name: name.to_owned() }
    }

    fn image(mut symbols: Vec<Symbol>) -> Image {
        close(&mut symbols, &[TEXT]);
        Image {
            segments: vec![TEXT],
            symbols,
            scheme: Program::default(),
            sections: HashMap::new(),
            lines: None,
            named: HashMap::new(),
            located: HashMap::new(),
        }
    }

    #[test]
    fn an_address_is_of_the_function_around_it_and_of_none_between_two() {
        let mut image = image(vec![
            symbol(0x40_1010, 0x10, "f"),
            symbol(0x40_1030, 0, "by_hand"),
            symbol(0x40_1040, 0x20, "outer"),
            symbol(0x40_1044, 0x4, "inner"),
        ]);
        let names = [0x40_1010, 0x40_101f, 0x40_1020, 0x40_103f, 0x40_1046, 0x40_1050, 0x40_1060]
            .map(|address| image.function(address).map(str::to_owned));
        let expected = ["f", "f", "", "by_hand", "inner", "outer", ""];
        assert_eq!(names, expected.map(|name| (!name.is_empty()).then(|| name.to_owned())));
    }

    #[test]
    fn offsets_of_a_file_become_addresses() {
        let image = image(Vec::new());
        assert_eq!(image.address(0x1010), Some(0x40_1010));
        assert_eq!(image.address(0x1000), Some(0x40_1000), "the page of a mapping begins before");
        assert_eq!(image.address(0x3000), None);
    }

    #[test]
    fn bytes_that_are_no_program_are_no_image() {
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", &[0xff; 4096]] {
            assert!(Image::from_bytes(&bytes.into(), None).is_none());
        }
    }

    #[test]
    fn a_program_cut_or_changed_anywhere_is_read_without_a_panic() {
        let own = fs::read("/bin/true").expect("there is one");
        for length in (0..own.len()).step_by(own.len() / 97 + 1) {
            let _ = Image::from_bytes(&own[..length].into(), None);
        }
        for place in (0..own.len().min(4096)).step_by(7) {
            let mut changed = own.clone();
            changed[place] ^= 0xff;
            if let Some(mut image) = Image::from_bytes(&changed.into(), None) {
                let _ = image.function(0x1234);
                let _ = image.place(0x1234);
                let _ = image.address(4096);
                let _ = image.unwinding();
            }
        }
    }
}
