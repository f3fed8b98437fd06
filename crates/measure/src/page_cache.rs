//! The state of compared programs' files in the page cache, made the same for every copy.
//!
//! The pages of its program that a run maps, and so its peak memory and its page faults, depend on
//! the way the kernel caches the file: a fault maps the cached pages around it, or the whole large
//! folio that contains it (`filemap_map_pages` and `finish_fault` in Linux's mm/). The folios of a
//! file differ between writing and reading it, and the size of the writes counts too. With Linux
//! 6.18 and ext4, twenty copies of one program of 21 MB peaked at 8.4, 10.6 or 18.1 MB. Read afresh
//! with read-ahead, nineteen peaked at 13.0 MB, and one, for which large folios were not available,
//! at 12.4 MB. Read afresh without, in single pages, all peaked at 8.4 MB.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use crate::sys::descriptors;
use crate::task::CommandLine;

/// The size of a read, in bytes. Arbitrary: enough for a disk to be fast.
const CHUNK_BYTES: usize = 1 << 20;

/// The beginning of program files (elf(5)).
const ELF: [u8; 4] = *b"\x7fELF";

/// Settles the programs in which the commands differ; a program that all commands run is the same
/// for each of them. A program that cannot be settled is measured as it is.
pub fn settle_differing<'a>(commands: impl Iterator<Item = &'a CommandLine>) {
    for program in differing(commands.map(programs)) {
        let _ = settle(&program);
    }
}

/// The programs that some commands have and others do not.
fn differing(all: impl Iterator<Item = BTreeSet<PathBuf>>) -> BTreeSet<PathBuf> {
    let all: Vec<BTreeSet<PathBuf>> = all.collect();
    let every = all.iter().flatten().cloned().collect::<BTreeSet<_>>();
    every.into_iter().filter(|one| !all.iter().all(|own| own.contains(one))).collect()
}

/// The program that a command starts, and those named in its words, which a shell or an interpreter
/// starts.
fn programs(command: &CommandLine) -> BTreeSet<PathBuf> {
    let folder = command.cwd.as_deref().unwrap_or(Path::new("."));
    let words = command.argv.iter().skip(1).filter_map(|argument| argument.to_str());
    let is_between = |letter: char| letter.is_whitespace() || "'\"`=;&|()<>".contains(letter);
    let words = words.flat_map(|argument| argument.split(is_between));
    let named = words.filter(|word| word.contains('/')).map(|word| folder.join(word));
    let all = std::iter::once(command.program.clone()).chain(named);
    all.filter(|path| is_program(path)).collect()
}

/// True if this is a program's file, which the kernel maps.
fn is_program(path: &Path) -> bool {
    let mut start = [0; ELF.len()];
    // Opening a pipe would wait for its other end.
    path.metadata().is_ok_and(|it| it.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == ELF
}

/// Writes the file out, drops it from the page cache, and reads it from beginning to end into
/// single pages. Pages that are currently mapped stay as they are.
fn settle(path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    // Unwritten pages are not dropped.
    file.sync_data()?;
    descriptors::forget_pages(file.as_raw_fd())?;
    // Read-ahead would create large folios.
    descriptors::read_nothing_ahead(file.as_raw_fd())?;
    let mut chunk = vec![0; CHUNK_BYTES];
    while file.read(&mut chunk)? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::task::{Stdin, Stdout};

    use super::*;
    use crate::made_up::Folder;

    fn command(program: &Path, arguments: &[&str]) -> CommandLine {
        CommandLine {
            argv: std::iter::once("x")
                .chain(arguments.iter().copied())
                .map(OsString::from)
                .collect(),
            program: program.to_owned(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    #[test]
    fn programs_are_found_behind_shells_and_those_of_all_commands_left_alone() {
        let own = std::env::current_exe().expect("this test is a program");
        let path = own.to_str().expect("UTF-8");
        let shell = Path::new("/bin/sh").canonicalize().expect("there is one");
        let behind = [format!("'{path}' --list >/dev/null"), "true".to_owned()];
        let [with, without] = behind.map(|text| command(&shell, &["-c", &text]));
        assert!(programs(&with).contains(&own) && programs(&with).contains(&shell));
        let found = differing([&with, &without].into_iter().map(programs));
        assert_eq!(found, BTreeSet::from([own]));
        assert!(differing([&with, &with].into_iter().map(programs)).is_empty());
    }

    #[test]
    fn a_program_is_told_from_a_script_a_folder_and_nothing() {
        let own = std::env::current_exe().expect("this test is a program");
        assert!(is_program(&own));
        for other in
            ["/dev/null", "/", "/no/such/file", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]
        {
            assert!(!is_program(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn a_file_that_is_settled_has_the_same_bytes() {
        let folder = Folder::new("settled", &[]);
        let path = folder.join("file");
        let bytes: Vec<u8> = (0..1_000_003_u32).map(|n| n.to_le_bytes()[0]).collect();
        std::fs::write(&path, &bytes).expect("writable");
        settle(&path).expect("it is there");
        assert!(std::fs::read(&path).expect("readable") == bytes);
        assert!(settle(&folder.join("other")).is_err());
    }
}
