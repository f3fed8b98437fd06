//! The state of a program's file in the page cache, made the same for every copy.
//!
//! The pages of its program that a run maps, and so its peak memory and its page faults, depend on
//! the way the kernel caches the file: a fault maps the cached pages around it, or the whole large
//! folio that contains it (`filemap_map_pages` and `finish_fault` in Linux's mm/). The folios of a
//! file differ between writing and reading it, and the size of the writes counts too. With Linux
//! 6.18 and ext4, twenty copies of one program of 21 MB peaked at 8.4, 10.6 or 18.1 MB. Read afresh
//! with read-ahead, nineteen peaked at 13.0 MB, and one, for which large folios were not available,
//! at 12.4 MB. Read afresh without, in single pages, all peaked at 8.4 MB.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::sys::descriptors;

/// The size of a read, in bytes. Arbitrary: enough for a disk to be fast.
const CHUNK_BYTES: usize = 1 << 20;

/// The beginning of program files (elf(5)).
const ELF: [u8; 4] = *b"\x7fELF";

/// True if this is a program's file, which the kernel maps.
pub fn is_program(path: &Path) -> bool {
    let mut start = [0; ELF.len()];
    // Opening a pipe would wait for its other end.
    path.metadata().is_ok_and(|it| it.is_file())
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == ELF
}

/// Writes the file out, drops it from the page cache, and reads it from beginning to end into
/// single pages. Pages that are currently mapped stay as they are.
///
/// # Errors
///
/// When the file cannot be opened, written out or read.
pub fn settle(path: &Path) -> io::Result<()> {
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
    use super::*;

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
        let path = std::env::temp_dir().join(format!("brisk-settled-{}", std::process::id()));
        let bytes: Vec<u8> = (0..1_000_003_u32).map(|n| n.to_le_bytes()[0]).collect();
        std::fs::write(&path, &bytes).expect("writable");
        settle(&path).expect("it is there");
        assert!(std::fs::read(&path).expect("readable") == bytes);
        std::fs::remove_file(&path).expect("we made it");
        assert!(settle(&path).is_err());
    }
}
