//! The contents of an executable compiled by GHC, by address: its symbols, and its lines of source.
//!
//! A symbol of GHC's ends at the end of its binding's code. Code nested in the binding, and that of
//! helpers that no other module may use, has no symbol, and comes before that of the binding (GHC
//! makes code from the inside out): so it belongs to the next symbol. Modules compiled with `-g1`
//! also have lines.

use std::collections::HashMap;

use gimli::{EndianSlice, RunTimeEndian};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use toolchains::symbol::{GhcSymbol, ghc_symbol};

/// A program's file, reduced to the description of its code.
#[derive(Debug)]
pub struct Image {
    /// The linked contents by address, without zero-initialised data.
    pieces: Vec<(u64, Vec<u8>)>,
    /// In the order of their addresses.
    symbols: Vec<Symbol>,
    /// The beginnings of lines, in the order of the addresses; `None` for code after the end of
    /// code with lines.
    lines: Vec<(u64, Option<Line>)>,
    /// The link address of the file's first byte.
    base: u64,
}

#[derive(Debug)]
struct Symbol {
    address: u64,
    end: u64,
    code: Code,
}

/// The owner of some code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Code {
    /// A Haskell binding of the top level, or code nested in it.
    Haskell {
        /// The package; `None` for that of the program itself.
        package: Option<String>,
        /// The module.
        module: String,
        /// The name.
        name: String,
    },
    /// The runtime, or a library in C.
    Native(String),
}

/// A line of source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// The file, as passed to GHC.
    pub file: String,
    /// From 1.
    pub line: u64,
}

/// The reason why a file does not describe its code.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is not an executable.
    #[error("the program's file cannot be read")]
    Object(#[from] object::Error),
    /// It has no symbols.
    #[error("the program has no symbols")]
    Stripped,
}

impl Image {
    /// Reads an executable of this machine.
    ///
    /// # Errors
    ///
    /// When it is not an executable, or its symbols were removed.
    pub fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        let file = object::File::parse(bytes)?;
        let symbols = symbols(&file);
        if symbols.is_empty() {
            return Err(ImageError::Stripped);
        }
        let piece = |segment: object::Segment<'_, '_>| {
            Some((segment.address(), segment.data().ok()?.to_vec()))
        };
        let pieces: Vec<(u64, Vec<u8>)> = file.segments().filter_map(piece).collect();
        let base = file.segments().find(|it| it.file_range().0 == 0).map_or(0, |it| it.address());
        // Errors in its lines do not affect the symbols.
        let mut lines = lines(&file).unwrap_or_default();
        lines.sort_by_key(|(address, line)| (*address, line.is_some()));
        Ok(Self { pieces, symbols, lines, base })
    }

    /// A program in one piece, with functions of a module `M` at some addresses, each with a line
    /// of `M.hs` unless that is 0.
    #[cfg(test)]
    pub(super) fn made(start: u64, words: &[u64], functions: &[(u64, &str, u64)]) -> Self {
        let bytes = words.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let symbol = |(address, name, _): &(u64, &str, u64)| Symbol {
            address: *address,
            end: address + 8,
            code: Code::Haskell { package: None, module: "M".into(), name: (*name).to_owned() },
        };
        let line = |(address, _, line): &(u64, &str, u64)| {
            (*address, (*line > 0).then(|| Line { file: "M.hs".into(), line: *line }))
        };
        Self {
            pieces: vec![(start, bytes)],
            symbols: functions.iter().map(symbol).collect(),
            lines: functions.iter().map(line).collect(),
            base: start,
        }
    }

    /// The link address of the file's first byte; if the program is loaded elsewhere, all other
    /// addresses are shifted by the same distance.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// A word of the constant memory loaded from the file: code and the tables in it.
    pub fn word(&self, address: u64) -> Option<u64> {
        let (start, bytes) = self
            .pieces
            .iter()
            .find(|(start, bytes)| *start <= address && address - start < bytes.len() as u64)?;
        let at = usize::try_from(address - start).ok()?;
        Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    }

    /// The owner of the code at an address; the flag is set if a symbol covers it, otherwise it
    /// belongs to the next symbol.
    pub fn code(&self, address: u64) -> Option<(&Code, bool)> {
        let after = self.symbols.partition_point(|it| it.address <= address);
        let before = after.checked_sub(1).map(|it| &self.symbols[it]);
        if let Some(symbol) = before.filter(|it| address < it.end) {
            return Some((&symbol.code, true));
        }
        let next = self.symbols.get(after)?;
        matches!(next.code, Code::Haskell { .. }).then_some((&next.code, false))
    }

    /// True if the code at an address belongs to the runtime, or to a library in C.
    pub fn is_native(&self, address: u64) -> bool {
        self.code(address).is_none_or(|(code, _)| matches!(code, Code::Native(_)))
    }

    /// The addresses from the first symbol to the end of the last: all code is there.
    pub fn code_range(&self) -> std::ops::Range<u64> {
        let start = self.symbols.first().map_or(0, |it| it.address);
        start..self.symbols.iter().map(|it| it.end).max().unwrap_or(0)
    }

    /// The source line of the code at an address.
    pub fn line(&self, address: u64) -> Option<&Line> {
        let after = self.lines.partition_point(|(start, _)| *start <= address);
        self.lines[after.checked_sub(1)?].1.as_ref()
    }
}

fn symbols(file: &object::File<'_>) -> Vec<Symbol> {
    let is_code = |it: &object::Symbol<'_, '_>| {
        it.kind() == SymbolKind::Text || it.name().is_ok_and(|name| name.ends_with("_info"))
    };
    let symbol = |it: object::Symbol<'_, '_>| {
        let (address, name) = (it.address(), it.name().ok()?);
        let code = code_of(name);
        Some(Symbol { address, end: address + it.size().max(1), code })
    };
    let mut symbols: Vec<Symbol> =
        file.symbols().filter(|it| it.is_definition()).filter(is_code).filter_map(symbol).collect();
    symbols.sort_by_key(|it| it.address);
    symbols
}

fn code_of(name: &str) -> Code {
    match ghc_symbol(name) {
        // The code of a constructor only returns it.
        Some(GhcSymbol { package, module: Some(module), name, what })
            if package.as_deref() != Some("") && what != "con_info" =>
        {
            Code::Haskell { package, module, name }
        }
        _ => Code::Native(name.to_owned()),
    }
}

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The beginnings of lines, and the ends of code with lines.
fn lines(file: &object::File<'_>) -> Result<Vec<(u64, Option<Line>)>, gimli::Error> {
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<std::borrow::Cow<'_, [u8]>, gimli::Error> {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|it| it.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section)?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut found = Vec::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        if let Some(program) = unit.line_program.clone() {
            of_unit(&dwarf, &unit, program, &mut found)?;
        }
    }
    Ok(found)
}

fn of_unit<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    program: gimli::IncompleteLineProgram<Slice<'a>>,
    found: &mut Vec<(u64, Option<Line>)>,
) -> Result<(), gimli::Error> {
    let mut names: HashMap<u64, String> = HashMap::new();
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        if row.end_sequence() {
            found.push((row.address(), None));
            continue;
        }
        let (Some(line), Some(file)) = (row.line(), row.file(header)) else { continue };
        let name = match names.get(&row.file_index()) {
            Some(name) => name.clone(),
            None => {
                let name =
                    dwarf.attr_string(unit, file.path_name())?.to_string_lossy().into_owned();
                names.insert(row.file_index(), name.clone());
                name
            }
        };
        found.push((row.address(), Some(Line { file: name, line: line.get() })));
    }
    Ok(())
}
