//! The functions of a program with their lines of source, from its debug information (DWARF).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;

use gimli::{
    AttributeValue, DebuggingInformationEntry, DwTag, EndianSlice, RunTimeEndian, UnitOffset,
    constants,
};
use object::{Object, ObjectSection};

use super::symbol::{Program, readable};

/// The sources of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DebugFunctions {
    /// The paths of all source files, as the compiler knew them.
    pub files: BTreeSet<String>,
    /// The functions, also those that were inlined everywhere or removed.
    pub functions: BTreeSet<SourceFunction>,
}

/// A function in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFunction {
    /// The path of the file, as the compiler knew it.
    pub file: String,
    /// The first line of the declaration.
    pub first: u64,
    /// The last line that has code; if none has, the last one before the next function.
    pub last: u64,
    /// The name, as people know it.
    pub name: String,
    /// The name of the symbol, or of the function where the compiler gives no other.
    pub symbol: String,
}

impl SourceFunction {
    /// The lines of the function.
    pub fn lines(&self) -> RangeInclusive<u64> {
        self.first..=self.last
    }
}

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// Reads the functions of a program whose file satisfies `is_wanted`, and the paths of all files.
/// `None` if the program has no debug information that can be read.
pub fn read(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Option<DebugFunctions> {
    let file = object::File::parse(bytes).ok()?;
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|it| it.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut found = Found::default();
    let mut units = dwarf.units();
    while let Some(header) = units.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        UnitReader::new(&dwarf, &unit).ok()?.read(is_wanted, &mut found).ok()?;
    }
    (!found.files.is_empty()).then(|| found.functions())
}

/// A function, by its declaration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Declaration {
    file: String,
    line: u64,
    symbol: String,
}

#[derive(Default)]
struct Found {
    files: BTreeSet<String>,
    /// The last line of each function that has code.
    last_lines: BTreeMap<Declaration, Option<u64>>,
}

impl Found {
    fn functions(self) -> DebugFunctions {
        let function = |(declaration, last): (&Declaration, &Option<u64>)| SourceFunction {
            name: readable(&declaration.symbol, Program::default()),
            symbol: declaration.symbol.clone(),
            file: declaration.file.clone(),
            first: declaration.line,
            last: last.unwrap_or_else(|| self.before_the_next(declaration)),
        };
        let functions = self.last_lines.iter().map(function).collect();
        DebugFunctions { files: self.files, functions }
    }

    /// The line before the next function of the file; without one, the declaration's own.
    fn before_the_next(&self, declaration: &Declaration) -> u64 {
        let others = self.last_lines.keys();
        let after = others.filter(|it| it.file == declaration.file && it.line > declaration.line);
        after.map(|it| it.line - 1).min().unwrap_or(declaration.line)
    }
}

/// The beginning of a line's code.
struct Row {
    address: u64,
    file: u64,
    line: u64,
}

struct UnitReader<'u, 'a> {
    dwarf: &'u gimli::Dwarf<Slice<'a>>,
    unit: &'u gimli::Unit<Slice<'a>>,
    /// The paths of the unit's files, by their numbers.
    paths: HashMap<u64, String>,
    /// In the order of their addresses.
    rows: Vec<Row>,
}

impl<'u, 'a> UnitReader<'u, 'a> {
    fn new(
        dwarf: &'u gimli::Dwarf<Slice<'a>>,
        unit: &'u gimli::Unit<Slice<'a>>,
    ) -> Result<Self, gimli::Error> {
        let mut this = Self { dwarf, unit, paths: HashMap::new(), rows: Vec::new() };
        let Some(program) = unit.line_program.clone() else { return Ok(this) };
        let header = program.header();
        // Before version 5, files count from 1.
        let first = u64::from(header.version() < 5);
        for (number, file) in (first..).zip(header.file_names()) {
            let path = this.path(header, file)?;
            this.paths.insert(number, path);
        }
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            if let Some(line) = row.line().filter(|_| !row.end_sequence()) {
                let (address, file) = (row.address(), row.file_index());
                this.rows.push(Row { address, file, line: line.get() });
            }
        }
        this.rows.sort_by_key(|row| row.address);
        // Of several lines that begin at one address, all but the last have no code.
        this.rows.reverse();
        this.rows.dedup_by_key(|row| row.address);
        this.rows.reverse();
        Ok(this)
    }

    fn path(
        &self,
        header: &gimli::LineProgramHeader<Slice<'a>>,
        file: &gimli::FileEntry<Slice<'a>>,
    ) -> Result<String, gimli::Error> {
        let text = |value| self.dwarf.attr_string(self.unit, value);
        let mut path = match self.unit.comp_dir {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => String::new(),
        };
        if let Some(folder) = file.directory(header) {
            join(&mut path, &text(folder)?.to_string_lossy());
        }
        join(&mut path, &text(file.path_name())?.to_string_lossy());
        Ok(path)
    }

    fn read(
        &self,
        is_wanted: &dyn Fn(&str) -> bool,
        found: &mut Found,
    ) -> Result<(), gimli::Error> {
        found.files.extend(self.paths.values().cloned());
        let mut declarations: Vec<Declaration> = Vec::new();
        // Children come after their parents, so the innermost function of a row is the last one.
        let mut owners: Vec<Option<usize>> = vec![None; self.rows.len()];
        let mut entries = self.unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if !is_function(entry.tag()) {
                continue;
            }
            let Some(declaration) = self.declaration(entry)? else { continue };
            let mut ranges = self.dwarf.die_ranges(self.unit, entry)?;
            while let Some(range) = ranges.next()? {
                // Removed code begins at 0.
                let from = self.rows.partition_point(|row| row.address < range.begin);
                let to = self.rows.partition_point(|row| row.address < range.end);
                if range.begin != 0 && from < to {
                    owners[from..to].fill(Some(declarations.len()));
                }
            }
            declarations.push(declaration);
        }
        for declaration in declarations.iter().filter(|it| is_wanted(&it.file)) {
            found.last_lines.entry(declaration.clone()).or_insert(None);
        }
        for (row, owner) in self.rows.iter().zip(owners) {
            let Some(declaration) = owner.map(|owner| &declarations[owner]) else { continue };
            if self.paths.get(&row.file) == Some(&declaration.file)
                && let Some(last) = found.last_lines.get_mut(declaration)
            {
                *last = (*last).max(Some(row.line.max(declaration.line)));
            }
        }
        Ok(())
    }

    /// The declaration of a function or of inlined code. `None` if it has no line.
    fn declaration(&self, entry: &Entry<'a>) -> Result<Option<Declaration>, gimli::Error> {
        /// An inlined function of a class refers to the function, and this to the class.
        const MOST_REFERENCES: usize = 4;
        let (mut file, mut line, mut name, mut symbol) = (None, None, None, None);
        let mut next = self.take(entry, &mut file, &mut line, &mut name, &mut symbol)?;
        for _ in 0..MOST_REFERENCES {
            let Some(offset) = next else { break };
            let mut entries = self.unit.entries_at_offset(offset)?;
            let Some(referred) = entries.next_dfs()? else { break };
            next = self.take(referred, &mut file, &mut line, &mut name, &mut symbol)?;
        }
        let path = file.and_then(|number| self.paths.get(&number));
        let declaration = path.zip(line).zip(symbol.or(name));
        Ok(declaration.map(|((file, line), symbol)| Declaration {
            file: file.clone(),
            line,
            symbol,
        }))
    }

    /// Takes what is not known yet from an entry; returns the entry that it refers to.
    fn take(
        &self,
        entry: &Entry<'a>,
        file: &mut Option<u64>,
        line: &mut Option<u64>,
        name: &mut Option<String>,
        symbol: &mut Option<String>,
    ) -> Result<Option<UnitOffset>, gimli::Error> {
        let number = |at| entry.attr_value(at).and_then(|value| value.udata_value());
        let file_number = || match entry.attr_value(constants::DW_AT_decl_file)? {
            AttributeValue::FileIndex(number) => Some(number),
            value => value.udata_value(),
        };
        let text = |at| -> Result<Option<String>, gimli::Error> {
            let Some(value) = entry.attr_value(at) else { return Ok(None) };
            let text = self.dwarf.attr_string(self.unit, value)?;
            Ok(Some(text.to_string_lossy().into_owned()))
        };
        // The definition of a function has its own place.
        if file.is_none() || line.is_none() {
            *file = file_number().or(*file);
            *line = number(constants::DW_AT_decl_line).or(*line);
        }
        if name.is_none() {
            *name = text(constants::DW_AT_name)?;
        }
        if symbol.is_none() {
            *symbol = text(constants::DW_AT_linkage_name)?;
        }
        let referred = [constants::DW_AT_abstract_origin, constants::DW_AT_specification];
        let referred = referred.into_iter().find_map(|at| match entry.attr_value(at)? {
            AttributeValue::UnitRef(offset) => Some(offset),
            _ => None,
        });
        Ok(referred)
    }
}

fn is_function(tag: DwTag) -> bool {
    [constants::DW_TAG_subprogram, constants::DW_TAG_inlined_subroutine].contains(&tag)
}

/// Appends to a path; an absolute path takes its place.
fn join(path: &mut String, more: &str) {
    let more = more.strip_prefix("./").unwrap_or(more);
    if more.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !more.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    if more != "." {
        path.push_str(more);
    }
}
