//! The kind of a build's file, and the parts of a program that are loaded when it runs.
//!
//! Two files of one link, one of them stripped or signed afterwards, differ in their bytes but not
//! in the parts that are loaded.

use object::elf::{
    DF_1_PIE, DT_FLAGS_1, DT_RPATH, DT_RUNPATH, ET_DYN, ET_EXEC, ET_REL, SHF_ALLOC, SHT_PROGBITS,
};
use object::read::elf::{Dyn as _, FileHeader as _, SectionHeader as _};
use object::{Endianness, elf::FileHeader64};

/// The kind of a file, from a linker's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A program linked for this sort of machine: 64-bit ELF.
    Program,
    /// A library that programs load when they start.
    SharedLibrary,
    /// Compiled, but not linked.
    Object,
    /// Several objects in one file.
    StaticArchive,
    /// Text that an interpreter runs.
    Script,
    /// Anything else.
    Other,
}

/// A piece of a program that is loaded when it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name, such as `.text`.
    pub name: Vec<u8>,
    /// The address that it is linked to.
    pub address: u64,
    /// The bytes.
    pub content: Vec<u8>,
}

/// The bytes that precede the code of a Go program; the build ID that follows is filled in after
/// linking (`cmd/internal/buildid`).
const GO_BUILD_ID: &[u8] = b"\xff Go build ID: \"";
const GO_BUILD_ID_END: &[u8] = b"\"\n \xff";

/// The kind of the file with these bytes.
pub fn kind(bytes: &[u8]) -> FileKind {
    match bytes {
        [b'#', b'!', ..] => FileKind::Script,
        _ if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") => {
            FileKind::StaticArchive
        }
        _ => elf(bytes).map_or(FileKind::Other, |header| of_elf(header, bytes)),
    }
}

fn elf(bytes: &[u8]) -> Option<&FileHeader64<Endianness>> {
    FileHeader64::<Endianness>::parse(bytes).ok()
}

fn of_elf(header: &FileHeader64<Endianness>, bytes: &[u8]) -> FileKind {
    let Ok(endian) = header.endian() else { return FileKind::Other };
    match header.e_type(endian) {
        ET_REL => FileKind::Object,
        ET_EXEC => FileKind::Program,
        ET_DYN if is_started(header, endian, bytes) => FileKind::Program,
        ET_DYN => FileKind::SharedLibrary,
        _ => FileKind::Other,
    }
}

/// True if a position-independent file names its loader or is flagged as a program.
fn is_started(header: &FileHeader64<Endianness>, endian: Endianness, bytes: &[u8]) -> bool {
    let Ok(sections) = header.sections(endian, bytes) else { return false };
    let has_loader = sections.section_by_name(endian, b".interp").is_some();
    let says_so = || {
        let (entries, _) = sections.dynamic(endian, bytes).ok()??;
        let flags = entries.iter().find(|entry| entry.tag(endian) == DT_FLAGS_1)?;
        Some(flags.d_val(endian) & DF_1_PIE.0 != 0)
    };
    has_loader || says_so() == Some(true)
}

/// The code, the constants and the initial values of the variables of a program; `None` if the file
/// is not a program. Sections that identify a build, and change when a linker's output is finished,
/// are left out.
pub fn loaded(bytes: &[u8]) -> Option<Vec<Section>> {
    let header = elf(bytes).filter(|header| of_elf(header, bytes) == FileKind::Program)?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    let mut loaded = Vec::new();
    for section in sections.iter() {
        let is_loaded = section.sh_flags(endian).contains(SHF_ALLOC);
        if !is_loaded || section.sh_type(endian) != SHT_PROGBITS {
            continue;
        }
        let name = sections.section_name(endian, section).ok()?.to_vec();
        let content = section.data(endian, bytes).ok()?;
        loaded.push(Section {
            name,
            address: section.sh_addr(endian),
            content: without_build_id(content).to_vec(),
        });
    }
    Some(loaded)
}

/// The library search folders that a program names (`DT_RPATH`, `DT_RUNPATH`), as written there;
/// empty if it names none or is not 64-bit ELF.
pub fn library_folders(bytes: &[u8]) -> Vec<Vec<u8>> {
    let folders = || {
        let header = elf(bytes)?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, bytes).ok()?;
        let (entries, link) = sections.dynamic(endian, bytes).ok()??;
        let strings = sections.strings(endian, bytes, link).ok()?;
        let is_path = |tag| tag == DT_RPATH || tag == DT_RUNPATH;
        let paths = entries.iter().filter(|entry| is_path(entry.tag(endian)));
        let paths =
            paths.filter_map(|entry| strings.get(entry.d_val(endian).try_into().ok()?).ok());
        Some(paths.flat_map(|path| path.split(|byte| *byte == b':')).map(<[u8]>::to_vec).collect())
    };
    let mut folders: Vec<Vec<u8>> = folders().unwrap_or_default();
    folders.retain(|folder| !folder.is_empty());
    folders
}

fn without_build_id(content: &[u8]) -> &[u8] {
    let Some(rest) = content.strip_prefix(GO_BUILD_ID) else { return content };
    let end = memchr::memmem::find(rest, GO_BUILD_ID_END);
    end.map_or(content, |end| &rest[end + GO_BUILD_ID_END.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_what_they_begin_with() {
        for (bytes, expected) in [
            (&b"#!/bin/sh\n"[..], FileKind::Script),
            (b"!<arch>\nx", FileKind::StaticArchive),
            (b"!<thin>\nx", FileKind::StaticArchive),
            (b"MZ", FileKind::Other),
            (b"\x7fELF", FileKind::Other),
            (b"", FileKind::Other),
        ] {
            assert_eq!(kind(bytes), expected, "{bytes:?}");
            assert_eq!(loaded(bytes), None);
        }
    }

    #[test]
    fn a_program_is_told_and_has_code() {
        let own = std::fs::read("/proc/self/exe").expect("this test is a program");
        assert_eq!(kind(&own), FileKind::Program);
        let sections = loaded(&own).expect("it is one");
        let code = sections.iter().find(|section| section.name == b".text").expect("it has code");
        assert!(!code.content.is_empty());
        assert!(sections.iter().all(|section| !section.name.starts_with(b".note")));
        // A truncated file is not a program, but must not panic.
        for length in [64, own.len() / 2] {
            assert_eq!(loaded(&own[..length]), None);
        }
    }

    #[test]
    fn the_name_that_go_gives_a_build_does_not_count() {
        let one = b"\xff Go build ID: \"ab/cd\"\n \xffcode";
        let other = b"\xff Go build ID: \"xy/zz\"\n \xffcode";
        assert_eq!(without_build_id(one), b"code");
        assert_eq!(without_build_id(one), without_build_id(other));
        assert_eq!(without_build_id(b"\xff Go build ID: \"ab"), b"\xff Go build ID: \"ab");
    }
}
