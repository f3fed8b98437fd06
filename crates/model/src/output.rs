//! The standard output of a run: its length, its hash, and its beginning.
//!
//! Output is processed as it comes, and only its beginning is kept, so a program may print
//! gigabytes.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use measure::Outcome;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::metric::Missing;

/// The number of bytes kept from the beginning, in which the first difference is searched.
/// Arbitrary: if outputs differ, they mostly do so early.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The result of a run of a variant for its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The variant.
    pub variant: u32,
    /// The output and the outcome, or the reason why they are unknown.
    #[serde(with = "crate::metric::known")]
    pub seen: Result<ObservedOutput, Missing>,
}

/// The output of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedOutput {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The output.
    pub output: Output,
}

/// A description of output bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The number of bytes.
    pub bytes: u64,
    /// The SHA-256 of the bytes (FIPS 180-4), as 64 hexadecimal digits.
    pub sha256: String,
    /// The first bytes, at most [`HEAD_BYTES`].
    #[serde(with = "crate::json::exact")]
    pub head: Vec<u8>,
}

/// Describes bytes that come in pieces.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    hash: Sha256,
    bytes: u64,
    head: Vec<u8>,
}

impl Intake {
    /// The description of all bytes up to now.
    pub fn finish(self) -> Output {
        let hash = self.hash.finalize();
        Output {
            bytes: self.bytes,
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            head: self.head,
        }
    }
}

impl Write for Intake {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
        let room = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&piece[..piece.len().min(room)]);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The contents of a file that a run wrote; `None` if it is not a regular file, so that the output
/// is lost.
///
/// # Errors
///
/// When the file cannot be read.
pub fn of_file(path: &Path) -> io::Result<Option<Output>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let mut intake = Intake::default();
    let mut chunk = vec![0; HEAD_BYTES];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(Some(intake.finish())),
            Ok(length) => intake.write_all(&chunk[..length])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_in(pieces: &[&[u8]]) -> Output {
        let mut intake = Intake::default();
        pieces.iter().for_each(|piece| intake.write_all(piece).expect("nothing can fail"));
        intake.finish()
    }

    #[test]
    fn the_hash_is_sha_256() {
        // FIPS 180-4's examples of no message and of one block.
        let known = [
            (&[][..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                &[&b"a"[..], b"bc"],
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
        ];
        for (pieces, expected) in known {
            assert_eq!(taken_in(pieces).sha256, expected);
        }
        assert_eq!(taken_in(&[b"abc"]), taken_in(&[b"", b"ab", b"c"]));
    }

    #[test]
    fn of_a_long_output_the_beginning_is_kept() {
        let text: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
        for piece in [1000, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 200_000] {
            let pieces: Vec<&[u8]> = text.chunks(piece).collect();
            let output = taken_in(&pieces);
            assert_eq!(output.bytes, 200_000);
            assert!(output.head == text[..HEAD_BYTES], "in pieces of {piece}");
        }
    }

    #[test]
    fn only_an_ordinary_file_has_contents() {
        assert_eq!(of_file(Path::new("/dev/null")).ok(), Some(None));
        assert!(of_file(Path::new("/no/such/file")).is_err());
    }
}
