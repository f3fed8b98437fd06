//! One name for many inputs: a hash of fields, each with its name and its length.
//!
//! SHA-256, because cache entries are looked up by it without a second check, so it must be
//! infeasible to make two inputs with the same hash; it is fast enough for the products of builds.

use sha2::{Digest as _, Sha256};

/// A hash in progress.
pub(super) struct Fingerprint(Sha256);

impl Fingerprint {
    /// A fingerprint of this kind; those of different kinds never coincide.
    pub(super) fn new(kind: &str) -> Self {
        let mut fingerprint = Self(Sha256::new());
        fingerprint.piece(kind.as_bytes());
        fingerprint
    }

    /// Adds a field. Names and lengths keep `ab`, `c` apart from `a`, `bc`.
    pub(super) fn field(&mut self, name: &str, value: &[u8]) {
        self.piece(name.as_bytes());
        self.piece(value);
    }

    /// Adds bytes that arrive in pieces. Their end is not marked, so no field may follow them.
    pub(super) fn stream(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn piece(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The hash as 64 hexadecimal digits.
    pub(super) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        let mut fingerprint = Fingerprint(Sha256::new());
        fingerprint.stream(b"ab");
        fingerprint.stream(b"c");
        // FIPS 180-4, the example for a one-block message.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(fingerprint.finish(), known);
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let of = |kind: &str, fields: &[(&str, &str)]| {
            let mut fingerprint = Fingerprint::new(kind);
            fields.iter().for_each(|(name, value)| fingerprint.field(name, value.as_bytes()));
            fingerprint.finish()
        };
        let all = [
            of("k", &[("ab", "c")]),
            of("k", &[("a", "bc")]),
            of("k", &[("a", "b"), ("c", "")]),
            of("ka", &[("b", "c")]),
            of("k", &[]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(index));
        }
        assert_eq!(of("k", &[("a", "b")]), of("k", &[("a", "b")]));
    }
}
