//! The machine code of a program's functions, independent of where it lies.
//!
//! Two builds of one source have the same functions at other addresses. So addresses do not count:
//! a jump within a function is a distance from its beginning, a call is the name of the called
//! function, and a place in the data is a place in the data. Two functions of equal code execute the
//! same instructions on the same input, if the data and the called functions are the same.
//!
//! The code of 64-bit x86 is read; that of other processors is not.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use object::elf::{EM_X86_64, SHT_SYMTAB, STT_FUNC};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, elf::FileHeader64};

use crate::symbol::{Program, readable};

/// The code of the functions of one name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FunctionCode {
    /// A hash of the code of each symbol with this name, in ascending order.
    hashes: Vec<u64>,
    /// The size in bytes.
    pub bytes: u64,
    /// The number of instructions that work on several values at once.
    pub packed: u32,
    /// The functions that it calls, with the number of calls in its code.
    pub calls: BTreeMap<String, u32>,
}

impl FunctionCode {
    /// True if both have the same code.
    pub fn is_same(&self, other: &Self) -> bool {
        self.hashes == other.hashes
    }

    fn join(&mut self, other: Self) {
        self.hashes.extend(other.hashes);
        self.hashes.sort_unstable();
        self.bytes += other.bytes;
        self.packed += other.packed;
        for (name, calls) in other.calls {
            *self.calls.entry(name).or_default() += calls;
        }
    }
}

/// A function's symbol in a program.
struct Symbol {
    name: String,
    addresses: Range<u64>,
}

/// The functions of a program by their readable names; `None` if it is stripped, damaged, or not a
/// 64-bit ELF file for x86.
pub fn functions(bytes: &[u8]) -> Option<BTreeMap<String, FunctionCode>> {
    let header = FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    if header.e_machine(endian) != EM_X86_64 {
        return None;
    }
    let sections = header.sections(endian, bytes).ok()?;
    let table = sections.symbols(endian, bytes, SHT_SYMTAB).ok()?;
    let named: Vec<(&str, Range<u64>)> = table
        .iter()
        .filter(|symbol| symbol.st_type() == STT_FUNC && symbol.st_size(endian) > 0)
        .filter_map(|symbol| {
            let name = table.symbol_name(endian, symbol).ok()?;
            let start = symbol.st_value(endian);
            let end = start.checked_add(symbol.st_size(endian))?;
            Some((std::str::from_utf8(name).ok()?, start..end))
        })
        .collect();
    let program = Program::from_symbols(named.iter().map(|(name, _)| *name));
    let mut symbols: Vec<Symbol> = named
        .into_iter()
        .map(|(name, addresses)| Symbol { name: readable(name, program), addresses })
        .collect();
    symbols.sort_by(|a, b| (a.addresses.start, &a.name).cmp(&(b.addresses.start, &b.name)));
    // Names of one place are one function.
    symbols.dedup_by_key(|symbol| symbol.addresses.start);
    let loaded = sections.iter().filter(|section| section.sh_addr(endian) > 0);
    let ends = loaded.map(|one| (one.sh_addr(endian), one.sh_addr(endian) + one.sh_size(endian)));
    let image = ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
    let image = image.map_or(0..0, |(start, end)| start..end);
    let layout = Layout { symbols: &symbols, image };
    let mut functions: BTreeMap<String, FunctionCode> = BTreeMap::new();
    for section in sections.iter() {
        let Ok(content) = section.data(endian, bytes) else { continue };
        let start = section.sh_addr(endian);
        let end = start.checked_add(content.len() as u64)?;
        let first = symbols.partition_point(|symbol| symbol.addresses.start < start);
        let inside = symbols[first..].iter().take_while(|symbol| symbol.addresses.end <= end);
        for symbol in inside.filter(|_| start > 0) {
            let (from, to) = (symbol.addresses.start - start, symbol.addresses.end - start);
            let code = content.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)?;
            functions.entry(symbol.name.clone()).or_default().join(layout.code(code, symbol));
        }
    }
    (!functions.is_empty()).then_some(functions)
}

/// The places of a program's functions and of everything else that is loaded.
struct Layout<'a> {
    symbols: &'a [Symbol],
    image: Range<u64>,
}

impl Layout<'_> {
    fn code(&self, bytes: &[u8], symbol: &Symbol) -> FunctionCode {
        let mut hasher = DefaultHasher::new();
        let start = symbol.addresses.start;
        let mut code = FunctionCode { bytes: bytes.len() as u64, ..FunctionCode::default() };
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let called = self.hash(&instruction, symbol, &mut hasher);
            code.packed += u32::from(is_packed(&instruction));
            if let Some(name) = called {
                *code.calls.entry(name).or_default() += 1;
            }
        }
        code.hashes.push(hasher.finish());
        code
    }

    /// Hashes an instruction without addresses. Returns the function that it calls.
    fn hash(
        &self,
        instruction: &Instruction,
        symbol: &Symbol,
        hasher: &mut DefaultHasher,
    ) -> Option<String> {
        instruction.code().hash(hasher);
        let mut called = None;
        for operand in 0..instruction.op_count() {
            match instruction.op_kind(operand) {
                OpKind::Register => instruction.op_register(operand).hash(hasher),
                OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => {
                    let target = instruction.near_branch_target();
                    if symbol.addresses.contains(&target) {
                        (target - symbol.addresses.start).hash(hasher);
                    } else {
                        let name = self.name(target);
                        name.hash(hasher);
                        let is_call = instruction.flow_control() == FlowControl::Call;
                        called = name.filter(|_| is_call).map(str::to_owned);
                    }
                }
                OpKind::Memory => self.hash_memory(instruction, hasher),
                OpKind::FarBranch16 | OpKind::FarBranch32 => {}
                kind if is_immediate(kind) => {
                    let value = instruction.immediate(operand);
                    if !self.image.contains(&value) {
                        value.hash(hasher);
                    }
                }
                kind => (kind as u8).hash(hasher),
            }
        }
        called
    }

    fn hash_memory(&self, instruction: &Instruction, hasher: &mut DefaultHasher) {
        instruction.memory_base().hash(hasher);
        instruction.memory_index().hash(hasher);
        instruction.memory_index_scale().hash(hasher);
        instruction.segment_prefix().hash(hasher);
        let place = instruction.memory_displacement64();
        let is_address = instruction.is_ip_rel_memory_operand()
            || (instruction.memory_base() == Register::None && self.image.contains(&place));
        if !is_address {
            place.hash(hasher);
        }
    }

    /// The function at an address; `None` for stubs of libraries.
    fn name(&self, address: u64) -> Option<&str> {
        let behind = self.symbols.partition_point(|symbol| symbol.addresses.start <= address);
        let symbol = self.symbols.get(behind.checked_sub(1)?)?;
        symbol.addresses.contains(&address).then_some(symbol.name.as_str())
    }
}

fn is_immediate(kind: OpKind) -> bool {
    use OpKind::{
        Immediate8, Immediate8_2nd, Immediate8to16, Immediate8to32, Immediate8to64, Immediate16,
        Immediate32, Immediate32to64, Immediate64,
    };
    matches!(
        kind,
        Immediate8
            | Immediate8_2nd
            | Immediate16
            | Immediate32
            | Immediate64
            | Immediate8to16
            | Immediate8to32
            | Immediate8to64
            | Immediate32to64
    )
}

/// True if an instruction computes with several values at once. Moves do not count: compilers copy
/// structures with them.
fn is_packed(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    let name = name.strip_prefix('V').unwrap_or(&name);
    let is_vector = |operand| instruction.op_register(operand).is_vector_register();
    (0..instruction.op_count()).any(is_vector)
        && (name.ends_with("ps") || name.ends_with("pd") || name.starts_with('P'))
        && !name.starts_with("Mov")
        && !["Pxor", "Xorps", "Xorpd"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8], at: u64, others: &[(&str, Range<u64>)]) -> FunctionCode {
        let symbol =
            |name: &str, addresses: Range<u64>| Symbol { name: name.to_owned(), addresses };
        let mut symbols: Vec<Symbol> =
            others.iter().map(|(name, addresses)| symbol(name, addresses.clone())).collect();
        symbols.push(symbol("own", at..at + bytes.len() as u64));
        symbols.sort_by_key(|symbol| symbol.addresses.start);
        let layout = Layout { symbols: &symbols, image: 0x1000..0x9000 };
        layout.code(bytes, &symbol("own", at..at + bytes.len() as u64))
    }

    /// `call` to a distance from behind it.
    fn call(distance: i32) -> Vec<u8> {
        [&[0xe8], &distance.to_le_bytes()[..]].concat()
    }

    #[test]
    fn code_is_the_same_wherever_it_lies() {
        let here = code(&call(0x100 - 5), 0x2000, &[("f", 0x2100..0x2110)]);
        let there = code(&call(0x300 - 5), 0x4000, &[("f", 0x4300..0x4310)]);
        assert!(here.is_same(&there));
        assert_eq!(here.calls, BTreeMap::from([("f".to_owned(), 1)]));
        let other = code(&call(0x100 - 5), 0x2000, &[("g", 0x2100..0x2110)]);
        assert!(!here.is_same(&other), "another function is called");
        // mov eax, [rip+distance]
        let load = |distance: u8| code(&[0x8b, 0x05, distance, 0, 0, 0], 0x2000, &[]);
        assert!(load(4).is_same(&load(8)));
        // mov eax, 0x5000 is a place in the image, and mov eax, 5 is a number.
        let number = |value: u32| code(&[&[0xb8], &value.to_le_bytes()[..]].concat(), 0x2000, &[]);
        assert!(number(0x5000).is_same(&number(0x5008)));
        assert!(!number(5).is_same(&number(6)));
        // jmp to itself, wherever that is.
        assert!(code(&[0xeb, 0xfe], 0x2000, &[]).is_same(&code(&[0xeb, 0xfe], 0x3000, &[])));
        assert!(!code(&[0x90, 0xeb, 0xfe], 0x2000, &[]).is_same(&code(
            &[0x90, 0xeb, 0xfd],
            0x2000,
            &[]
        )));
    }

    #[test]
    fn arithmetic_on_several_values_is_told_from_copies() {
        // addps xmm0, xmm1; paddd xmm0, xmm1; addss xmm0, xmm1; movaps xmm0, xmm1
        let all =
            [0x0f, 0x58, 0xc1, 0x66, 0x0f, 0xfe, 0xc1, 0xf3, 0x0f, 0x58, 0xc1, 0x0f, 0x28, 0xc1];
        assert_eq!(code(&all, 0x2000, &[]).packed, 2);
    }

    #[test]
    fn a_program_has_functions_and_is_equal_to_itself() {
        let own = std::fs::read("/proc/self/exe").expect("this test is a program");
        if cfg!(not(target_arch = "x86_64")) {
            assert_eq!(functions(&own), None);
            return;
        }
        let all = functions(&own).expect("it has symbols");
        let named = all.iter().find(|(name, _)| name.ends_with("machine_code::functions"));
        let (_, code) = named.expect("the function under test");
        assert!(code.bytes > 100 && code.calls.values().sum::<u32>() > 3);
        for length in [0, 64, own.len() / 2] {
            assert_eq!(functions(&own[..length]), None, "{length} bytes");
        }
    }
}
