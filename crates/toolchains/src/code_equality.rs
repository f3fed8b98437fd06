//! The proof that a run of one program is a run of another one.
//!
//! Two programs may differ and still do the same in a run. If every function that ran has the same
//! instructions in the other program, its references lead to the same functions, imports and data,
//! and all data is the same, then the other program executes the same instructions in the same
//! order. Addresses do not count: a reference is compared by the name and offset of its target.
//!
//! Supported are position-independent programs for x86-64 with symbols. Everything else, and all
//! that is not understood, is a [`Difference`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::read::elf::{Dyn as _, ElfFile64, ElfSymbol64, FileHeader as _, SectionHeader as _};
use object::read::{SectionIndex, SymbolIndex};
use object::{
    Architecture, Endianness, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationFlags,
    RelocationTarget, SectionFlags, SymbolFlags, elf,
};

/// The reason that a run of one program may not be a run of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum Difference {
    #[error("the program cannot be compared: {0}")]
    NotCompared(&'static str),
    #[error("`{0}` has other machine code")]
    Code(String),
    #[error("`{0}` has no machine code of its own any more")]
    Gone(String),
    #[error("`{0}` ran, but the program has no symbol of that name")]
    Unknown(String),
    #[error("code without a symbol ran")]
    Unnamed,
    #[error("the run unwinds its stack, as exceptions and panics do")]
    Unwinds,
    #[error("`{0}` asks for the kind of processor, and callgrind's is another one")]
    Processor(String),
    #[error("the data in `{0}` is other data")]
    Data(String),
    #[error("the program imports or exports other symbols")]
    Linking,
}

/// Proves that `new` does what `old` did in a run that executed the functions with these symbols.
///
/// # Errors
///
/// The first difference that the run could notice, or the reason that this is unknown.
pub fn check<'e>(
    old: &[u8],
    new: &[u8],
    executed: impl IntoIterator<Item = &'e str>,
) -> Result<(), Difference> {
    let (old, new) = (Image::read(old)?, Image::read(new)?);
    let ran = old.symbols_that_ran(executed)?;
    for name in &ran {
        compare_function(&old, &new, name)?;
        old.check_processor(name)?;
    }
    compare_linking(&old, &new)?;
    compare_data(&old, &new, &ran)
}

/// True if callgrind may name code at this address by the address alone, although it belongs to one
/// of these programs or libraries: it knows no names of the code that starts and ends them, nor of
/// jumps to imported functions. Where they are loaded is not known, but for the place in a page.
pub fn may_be_nameless<'b>(address: u64, files: impl IntoIterator<Item = &'b [u8]>) -> bool {
    let place = address % PAGE_BYTES;
    files.into_iter().any(|bytes| {
        let Ok(file) = ElfFile64::<Endianness>::parse(bytes) else { return false };
        file.sections().any(|section| {
            let name = section.name().unwrap_or_default();
            let is_nameless = [".init", ".fini"].contains(&name) || name.starts_with(".plt");
            let from_start = place.wrapping_sub(section.address()) % PAGE_BYTES;
            is_nameless && from_start < section.size()
        })
    })
}

/// The role of a piece of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Code,
    /// Jumps to imported functions.
    Stubs,
    Data,
    /// Tables for the loader, whose entries are compared one by one.
    Linking,
    /// Tables for unwinding, and notes about the build.
    Unread,
}

/// A section that is loaded.
struct Piece<'a> {
    name: &'a str,
    address: u64,
    size: u64,
    /// Empty if it starts as zeros.
    bytes: &'a [u8],
    role: Role,
}

impl Piece<'_> {
    fn range(&self) -> Range<u64> {
        self.address..self.address + self.size
    }
}

/// A symbol of code.
struct CodeSymbol<'a> {
    range: Range<u64>,
    name: &'a str,
}

/// The target of a reference, independent of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target<'a> {
    /// Code, by its symbol, the number of the symbol among those of that name, and the offset.
    Code(&'a str, usize, u64),
    Import(&'a str),
    Data(&'a str, u64),
    Absolute(u64),
}

/// An entry of the tables that the loader works through.
#[derive(Debug, PartialEq, Eq)]
struct Fixup<'a> {
    place: Target<'a>,
    flags: RelocationFlags,
    symbol: Option<&'a str>,
    addend: Target<'a>,
}

/// A symbol that other files may use, or that they provide.
#[derive(Debug, PartialEq, Eq)]
struct DynamicSymbol<'a> {
    name: &'a str,
    target: Target<'a>,
    flags: SymbolFlags<SectionIndex, SymbolIndex>,
}

/// A program, by the names of its code and data.
struct Image<'a> {
    file: ElfFile64<'a, Endianness>,
    pieces: Vec<Piece<'a>>,
    /// In the order of their addresses.
    symbols: Vec<CodeSymbol<'a>>,
    /// The places of each name, in the order of their addresses.
    places: HashMap<&'a str, Vec<usize>>,
    /// The names of imported symbols, by the address of the word that refers to them.
    imports: HashMap<u64, &'a str>,
    /// The addresses of the words that the loader fills in.
    filled_in: BTreeSet<u64>,
}

const PAGE_BYTES: u64 = 4096;
const WORD_BYTES: u64 = 8;
const TABLE_ENTRY_BYTES: u64 = 4;

/// A word of a jump table: the function that jumps through it, and the target.
#[derive(Debug, PartialEq, Eq)]
struct TableEntry<'a> {
    owner: &'a str,
    target: Target<'a>,
}

impl<'a> Image<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Difference> {
        const BAD: Difference = Difference::NotCompared("it is not a 64-bit ELF file");
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|_| BAD)?;
        if file.architecture() != Architecture::X86_64 {
            return Err(Difference::NotCompared("it is not for x86-64"));
        }
        if file.kind() != ObjectKind::Dynamic {
            return Err(Difference::NotCompared("it is not position-independent"));
        }
        if has_more(&file, bytes) {
            return Err(Difference::NotCompared("its file contains more than the program"));
        }
        let mut pieces = Vec::new();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return Err(BAD) };
            if !sh_flags.contains(elf::SHF_ALLOC) {
                continue;
            }
            let name = section.name().map_err(|_| BAD)?;
            let is_code = sh_flags.contains(elf::SHF_EXECINSTR);
            let kind = section.elf_section_header().sh_type(file.endian());
            let role = match name {
                ".relr.dyn" => {
                    return Err(Difference::NotCompared("its relocations are packed"));
                }
                _ if is_code && name.starts_with(".plt") => Role::Stubs,
                _ if is_code => Role::Code,
                ".eh_frame" | ".eh_frame_hdr" | ".gcc_except_table" => Role::Unread,
                ".dynsym" | ".dynamic" | ".rela.dyn" | ".rela.plt" => Role::Linking,
                _ if kind == elf::SHT_NOTE => Role::Unread,
                _ => Role::Data,
            };
            let bytes = section.data().map_err(|_| BAD)?;
            let (address, size) = (section.address(), section.size());
            if address.checked_add(size).is_none() {
                return Err(BAD);
            }
            pieces.push(Piece { name, address, size, bytes, role });
        }
        let mut this = Self {
            symbols: code_symbols(&file, &pieces),
            file,
            pieces,
            places: HashMap::new(),
            imports: HashMap::new(),
            filled_in: BTreeSet::new(),
        };
        if this.symbols.is_empty() {
            return Err(Difference::NotCompared("it has no symbols"));
        }
        for (index, symbol) in this.symbols.iter().enumerate() {
            this.places.entry(symbol.name).or_default().push(index);
        }
        this.read_imports();
        Ok(this)
    }

    fn read_imports(&mut self) {
        let mut named = Vec::new();
        let mut filled_in = BTreeSet::new();
        for (address, relocation) in self.file.dynamic_relocations().into_iter().flatten() {
            filled_in.insert(address);
            if let Some(name) = self.imported(&relocation) {
                named.push((address, name));
            }
        }
        self.imports.extend(named);
        self.filled_in = filled_in;
    }

    fn imported(&self, relocation: &object::Relocation) -> Option<&'a str> {
        let RelocationTarget::Symbol(index) = relocation.target() else { return None };
        let table = self.file.elf_dynamic_symbol_table();
        let symbol = table.symbol(index).ok()?;
        std::str::from_utf8(table.symbol_name(self.file.endian(), symbol).ok()?).ok()
    }

    fn data(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.pieces.iter().filter(|piece| piece.role == Role::Data)
    }

    fn piece(&self, address: u64) -> Option<&Piece<'a>> {
        let within = self.pieces.iter().find(|piece| piece.range().contains(&address));
        // The end of a list is an address, too.
        within.or_else(|| self.pieces.iter().find(|piece| piece.range().end == address))
    }

    fn bytes(&self, range: &Range<u64>) -> Option<&'a [u8]> {
        let piece = self.piece(range.start)?;
        let from = usize::try_from(range.start - piece.address).ok()?;
        let length = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
        piece.bytes.get(from..from.checked_add(length)?)
    }

    /// The innermost symbol at an address of code.
    fn symbol(&self, address: u64) -> Option<usize> {
        let after = self.symbols.partition_point(|symbol| symbol.range.start <= address);
        let covers = |index: &usize| self.symbols[*index].range.contains(&address);
        let innermost = (0..after).rev().take(MOST_NESTED).find(covers)?;
        // Of several names for one place, the first.
        let start = self.symbols[innermost].range.start;
        let first = self.symbols.partition_point(|symbol| symbol.range.start < start);
        (first..=innermost).find(covers)
    }

    fn target(&self, address: u64) -> Target<'a> {
        let Some(piece) = self.piece(address) else { return Target::Absolute(address) };
        match piece.role {
            Role::Code => match self.symbol(address) {
                Some(index) => {
                    let CodeSymbol { name, range } = &self.symbols[index];
                    let number = self.places[name].iter().position(|other| *other == index);
                    Target::Code(name, number.unwrap_or_default(), address - range.start)
                }
                None => Target::Absolute(address),
            },
            Role::Stubs => match self.stub(address) {
                Some(name) => Target::Import(name),
                None => Target::Absolute(address),
            },
            Role::Data | Role::Linking | Role::Unread => match self.imports.get(&address) {
                Some(name) => Target::Import(name),
                None => Target::Data(piece.name, address - piece.address),
            },
        }
    }

    /// The import that a stub jumps to.
    fn stub(&self, address: u64) -> Option<&'a str> {
        /// A mark for indirect branches, and the jump.
        const INSTRUCTIONS: usize = 2;
        let piece = self.piece(address)?;
        let bytes = self.bytes(&(address..piece.range().end))?;
        let decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        let mut first = decoder.into_iter().take(INSTRUCTIONS);
        let jump = first.find(|it| it.mnemonic() == Mnemonic::Jmp)?;
        let word = jump.is_ip_rel_memory_operand().then(|| jump.ip_rel_memory_address())?;
        self.imports.get(&word).copied()
    }

    /// The symbols of executed functions, which are named as callgrind names them.
    fn symbols_that_ran<'e>(
        &self,
        executed: impl IntoIterator<Item = &'e str>,
    ) -> Result<BTreeSet<&'a str>, Difference> {
        let (mut ran, mut ran_unnamed) = (BTreeSet::new(), false);
        for name in executed {
            // Deeper levels of recursion are the same function.
            let name = name.split_once('\'').map_or(name, |(name, _)| name);
            if name.starts_with("_Unwind_") {
                return Err(Difference::Unwinds);
            }
            if let Some((known, _)) = self.places.get_key_value(name) {
                ran.insert(*known);
            } else if name == "(below main)" {
                ran.extend(BELOW_MAIN.iter().filter_map(|name| self.known(name)));
            } else if name == "???" || name.starts_with("0x") {
                ran_unnamed = true;
            } else {
                return Err(Difference::Unknown(name.to_owned()));
            }
        }
        // They run in every program, and callgrind does not know their names.
        ran.extend(AT_BOTH_ENDS.iter().filter_map(|name| self.known(name)));
        // Stubs have no symbols.
        match ran_unnamed && self.has_unnamed_code() {
            true => Err(Difference::Unnamed),
            false => Ok(ran),
        }
    }

    fn known(&self, name: &str) -> Option<&'a str> {
        self.places.get_key_value(name).map(|(known, _)| *known)
    }

    /// True if code other than padding and stubs has no symbol.
    fn has_unnamed_code(&self) -> bool {
        self.pieces.iter().filter(|piece| piece.role == Role::Code).any(|piece| {
            let mut at = piece.address;
            let within = self.symbols.iter().filter(|it| piece.range().contains(&it.range.start));
            let end = std::iter::once(piece.range().end..u64::MAX);
            for range in within.map(|it| it.range.clone()).chain(end) {
                if range.start > at && !self.is_padding(&(at..range.start)) {
                    return true;
                }
                at = at.max(range.end);
            }
            false
        })
    }

    fn is_padding(&self, range: &Range<u64>) -> bool {
        let Some(bytes) = self.bytes(range) else { return false };
        let mut code = Decoder::with_ip(64, bytes, range.start, DecoderOptions::NONE).into_iter();
        let is_idle = |it: Instruction| {
            matches!(it.mnemonic(), Mnemonic::Nop | Mnemonic::Fnop | Mnemonic::Int3)
                || it.mnemonic() == Mnemonic::Xchg && it.op0_register() == it.op1_register()
        };
        bytes.iter().all(|byte| *byte == 0) || code.all(is_idle)
    }

    /// The words of jump tables, by address: distances from the beginning of the table to code of
    /// the function that jumps through it.
    fn jump_tables(&self) -> BTreeMap<u64, TableEntry<'a>> {
        let mut entries = BTreeMap::new();
        for symbol in &self.symbols {
            let Some(code) = self.bytes(&symbol.range) else { continue };
            let (mut tables, mut jumps) = (Vec::new(), false);
            for it in &mut Decoder::with_ip(64, code, symbol.range.start, DecoderOptions::NONE) {
                jumps |= it.mnemonic() == Mnemonic::Jmp && it.op0_kind() == OpKind::Register;
                if it.mnemonic() == Mnemonic::Lea && it.is_ip_rel_memory_operand() {
                    tables.push(it.ip_rel_memory_address());
                }
            }
            for table in tables.into_iter().filter(|_| jumps) {
                self.read_table(symbol.name, table, &mut entries);
            }
        }
        entries
    }

    fn read_table(&self, owner: &'a str, table: u64, entries: &mut BTreeMap<u64, TableEntry<'a>>) {
        let is_constant = |piece: &Piece<'_>| piece.role == Role::Data && !piece.bytes.is_empty();
        let mut at = table;
        while self.piece(at).is_some_and(is_constant)
            && let Some(word) = self.bytes(&(at..at + TABLE_ENTRY_BYTES))
        {
            let distance = i32::from_le_bytes(word.try_into().expect("four bytes"));
            let target = self.target(table.wrapping_add_signed(i64::from(distance)));
            let Target::Code(name, ..) = target else { break };
            // The unlikely half of a function has its name, too.
            let is_own = name
                .strip_prefix(owner)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if !is_own {
                break;
            }
            entries.insert(at, TableEntry { owner, target });
            at += TABLE_ENTRY_BYTES;
        }
    }

    /// Refuses functions that choose code by the processor: an instrumented run chooses otherwise.
    fn check_processor(&self, name: &str) -> Result<(), Difference> {
        for place in &self.places[name] {
            let range = &self.symbols[*place].range;
            let Some(code) = self.bytes(range) else { continue };
            let mut code =
                Decoder::with_ip(64, code, range.start, DecoderOptions::NONE).into_iter();
            if code.any(|it| it.mnemonic() == Mnemonic::Cpuid) {
                return Err(Difference::Processor(name.to_owned()));
            }
        }
        Ok(())
    }

    fn fixups(&self) -> Vec<Fixup<'a>> {
        let relocations = self.file.dynamic_relocations().into_iter().flatten();
        let one = |(address, relocation): (u64, object::Relocation)| {
            let symbol = self.imported(&relocation);
            let addend = relocation.addend();
            let place = self.piece(address);
            let place = place.map_or(Target::Absolute(address), |it| {
                Target::Data(it.name, address - it.address)
            });
            let addend = match symbol {
                None => self.target(addend.cast_unsigned()),
                Some(_) => Target::Absolute(addend.cast_unsigned()),
            };
            Fixup { place, flags: relocation.flags(), symbol, addend }
        };
        relocations.map(one).collect()
    }

    /// The exported and imported symbols, in the order of their table.
    fn dynamic_symbols(&self) -> Vec<DynamicSymbol<'a>> {
        let one = |symbol: ElfSymbol64<'a, '_, Endianness>| DynamicSymbol {
            name: symbol.name().unwrap_or_default(),
            target: match symbol.is_undefined() {
                true => Target::Absolute(0),
                false => self.target(symbol.address()),
            },
            flags: symbol.flags(),
        };
        self.file.dynamic_symbols().map(one).collect()
    }

    fn dynamic_entries(&self) -> Vec<(i64, u64)> {
        let endian = self.file.endian();
        let entries = || {
            let sections = self.file.elf_header().sections(endian, self.file.data()).ok()?;
            Some(sections.dynamic(endian, self.file.data()).ok()??.0)
        };
        let entries = entries().into_iter().flatten();
        entries.map(|it| (it.tag(endian).0, it.d_val(endian))).collect()
    }
}

/// Symbols overlap rarely, and never deeply.
const MOST_NESTED: usize = 64;

/// True if data was appended to the program, such as the image of a runtime.
fn has_more(file: &ElfFile64<'_, Endianness>, bytes: &[u8]) -> bool {
    let (header, endian) = (file.elf_header(), file.endian());
    let headers = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    let ends = file.sections().filter_map(|section| section.file_range());
    let end = ends.map(|(start, size)| start.saturating_add(size)).max().unwrap_or(0);
    let end = end.max(header.e_shoff(endian).saturating_add(headers));
    end < bytes.len() as u64
}

/// The functions that callgrind calls `(below main)`, in a program with its C library inside.
const BELOW_MAIN: [&str; 4] =
    ["_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl"];

/// The functions that start and end every program.
const AT_BOTH_ENDS: [&str; 2] = ["_init", "_fini"];

fn code_symbols<'a>(file: &ElfFile64<'a, Endianness>, pieces: &[Piece<'a>]) -> Vec<CodeSymbol<'a>> {
    let code = |address: u64| {
        let mut code = pieces.iter().filter(|piece| piece.role == Role::Code);
        code.find(|piece| piece.range().contains(&address))
    };
    let mut symbols: Vec<CodeSymbol<'a>> = Vec::new();
    for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
        let kind = symbol.elf_symbol().st_type();
        let is_code = [elf::STT_FUNC, elf::STT_NOTYPE, elf::STT_GNU_IFUNC].contains(&kind);
        let Ok(name) = symbol.name() else { continue };
        if is_code && !name.is_empty() && code(symbol.address()).is_some() {
            let start = symbol.address();
            symbols.push(CodeSymbol { range: start..start.saturating_add(symbol.size()), name });
        }
    }
    symbols.sort_by(|a, b| (a.range.start, a.name).cmp(&(b.range.start, b.name)));
    symbols.dedup_by(|a, b| (a.range.start, a.name) == (b.range.start, b.name));
    // A symbol without a size ends where the next one begins.
    let starts: Vec<u64> = symbols.iter().map(|symbol| symbol.range.start).collect();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.range.is_empty()) {
        let start = symbol.range.start;
        let next = starts[starts.partition_point(|other| *other <= start)..].first().copied();
        let end = code(start).map_or(start, |piece| piece.range().end);
        symbol.range.end = next.map_or(end, |next| next.min(end));
    }
    symbols
}

fn compare_function(old: &Image<'_>, new: &Image<'_>, name: &str) -> Result<(), Difference> {
    let gone = || Difference::Gone(name.to_owned());
    let places = new.places.get(name).ok_or_else(gone)?;
    let olds = &old.places[name];
    if olds.len() != places.len() {
        return Err(Difference::Code(name.to_owned()));
    }
    let is_same = |(old_index, new_index): (&usize, &usize)| {
        let ranges = (&old.symbols[*old_index].range, &new.symbols[*new_index].range);
        is_same_code(old, ranges.0, new, ranges.1)
    };
    match olds.iter().zip(places).all(is_same) {
        true => Ok(()),
        false => Err(Difference::Code(name.to_owned())),
    }
}

fn is_same_code(
    old: &Image<'_>,
    old_range: &Range<u64>,
    new: &Image<'_>,
    new_range: &Range<u64>,
) -> bool {
    let (Some(old_bytes), Some(new_bytes)) = (old.bytes(old_range), new.bytes(new_range)) else {
        return false;
    };
    if old_bytes.len() != new_bytes.len() {
        return false;
    }
    let mut olds = Decoder::with_ip(64, old_bytes, old_range.start, DecoderOptions::NONE);
    let mut news = Decoder::with_ip(64, new_bytes, new_range.start, DecoderOptions::NONE);
    while olds.can_decode() {
        let at = olds.position();
        let (before, after) = (olds.decode(), news.decode());
        let end = olds.position();
        if before.is_invalid() || after.is_invalid() || end != news.position() {
            return false;
        }
        let references = (reference(&before), reference(&after));
        let is_same = match references {
            (None, None) => old_bytes[at..end] == new_bytes[at..end],
            (Some(one), Some(other)) => {
                let hidden = hidden(&olds, &before);
                hidden == self::hidden(&news, &after)
                    && (at..end)
                        .filter(|byte| !hidden.contains(&(byte - at)))
                        .all(|byte| old_bytes[byte] == new_bytes[byte])
                    && old.target(one) == new.target(other)
                    && !matches!(old.target(one), Target::Absolute(address) if address != 0)
            }
            _ => false,
        };
        if !is_same {
            return false;
        }
    }
    true
}

/// The address that an instruction contains as a distance from itself.
fn reference(instruction: &Instruction) -> Option<u64> {
    if instruction.is_ip_rel_memory_operand() {
        return Some(instruction.ip_rel_memory_address());
    }
    let is_near = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
    is_near.then(|| instruction.near_branch_target())
}

/// The bytes of an instruction that hold its reference.
fn hidden(decoder: &Decoder<'_>, instruction: &Instruction) -> Range<usize> {
    let offsets = decoder.get_constant_offsets(instruction);
    match instruction.is_ip_rel_memory_operand() {
        true => {
            let from = offsets.displacement_offset();
            from..from + offsets.displacement_size()
        }
        false => offsets.immediate_offset()..offsets.immediate_offset() + offsets.immediate_size(),
    }
}

fn compare_linking(old: &Image<'_>, new: &Image<'_>) -> Result<(), Difference> {
    let entries = (old.dynamic_entries(), new.dynamic_entries());
    let is_same_entry = |((tag, value), (other_tag, other)): (&(i64, u64), &(i64, u64))| {
        tag == other_tag && (value == other || old.target(*value) == new.target(*other))
    };
    let is_same = entries.0.len() == entries.1.len()
        && entries.0.iter().zip(&entries.1).all(is_same_entry)
        && old.dynamic_symbols() == new.dynamic_symbols()
        && old.fixups() == new.fixups();
    if is_same { Ok(()) } else { Err(Difference::Linking) }
}

fn compare_data(old: &Image<'_>, new: &Image<'_>, ran: &BTreeSet<&str>) -> Result<(), Difference> {
    let shape = |piece: &Piece<'_>| (piece.name.to_owned(), piece.size, piece.address % PAGE_BYTES);
    let shapes = |image: &Image<'_>| image.data().map(shape).collect::<Vec<_>>();
    let (olds, news) = (shapes(old), shapes(new));
    let lacks = |all: &[(String, u64, u64)], others: &[(String, u64, u64)]| {
        all.iter().find(|one| !others.contains(one)).map(|(name, ..)| name.clone())
    };
    if let Some(name) = lacks(&olds, &news).or_else(|| lacks(&news, &olds)) {
        return Err(Difference::Data(name));
    }
    let tables = (old.jump_tables(), new.jump_tables());
    for (before, after) in old.data().zip(new.data()) {
        let differs = || Difference::Data(before.name.to_owned());
        let mut at = 0;
        while at < before.bytes.len() {
            let place = at as u64;
            let addresses = (before.address + place, after.address + place);
            let entries = (tables.0.get(&addresses.0), tables.1.get(&addresses.1));
            at += if old.filled_in.contains(&addresses.0) {
                // Compared with the other tables of the loader.
                WORD_BYTES as usize
            } else if let (Some(one), Some(other)) = entries {
                let is_unused = one.owner == other.owner && !ran.contains(one.owner);
                if !is_unused && one != other {
                    return Err(differs());
                }
                TABLE_ENTRY_BYTES as usize
            } else if before.name.starts_with(".got") && place.is_multiple_of(WORD_BYTES) {
                let words = (word(before.bytes, at), word(after.bytes, at));
                let is_same = words.0 == words.1
                    || words.0.zip(words.1).is_some_and(|(a, b)| old.target(a) == new.target(b));
                if !is_same {
                    return Err(differs());
                }
                WORD_BYTES as usize
            } else {
                if before.bytes[at] != after.bytes[at] {
                    return Err(differs());
                }
                1
            };
        }
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + WORD_BYTES as usize)?.try_into().ok()?))
}
