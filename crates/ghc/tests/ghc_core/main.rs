//! Dumps of Core and ticky profiles of one program by GHC 8.8.4, 9.0.2, 9.6.6 and 9.10.3
//! (`fixtures/ghc_core`), parsed correctly.

/// The bytes of one of the samples.
macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fixtures/ghc_core/samples/", $name))
    };
}

mod damaged;
mod forms;
mod generated;
mod growth;
mod printer;
mod questions;
mod sizes;
mod ticky;

/// The samples of dumps: name and text.
pub(crate) const DUMPS: [(&str, &[u8]); 15] = [
    ("8.8.4 simpl", sample!("8.8.4-simpl.txt")),
    ("8.8.4 suppressed", sample!("8.8.4-suppressed.txt")),
    ("8.8.4 prep", sample!("8.8.4-prep.txt")),
    ("9.0.2 simpl", sample!("9.0.2-simpl.txt")),
    ("9.0.2 suppressed", sample!("9.0.2-suppressed.txt")),
    ("9.0.2 notes", sample!("9.0.2-notes.txt")),
    ("9.0.2 prep", sample!("9.0.2-prep.txt")),
    ("9.6.6 simpl", sample!("9.6.6-simpl.txt")),
    ("9.6.6 suppressed", sample!("9.6.6-suppressed.txt")),
    ("9.6.6 notes", sample!("9.6.6-notes.txt")),
    ("9.6.6 prep", sample!("9.6.6-prep.txt")),
    ("9.10.3 simpl", sample!("9.10.3-simpl.txt")),
    ("9.10.3 suppressed", sample!("9.10.3-suppressed.txt")),
    ("9.10.3 notes", sample!("9.10.3-notes.txt")),
    ("9.10.3 prep", sample!("9.10.3-prep.txt")),
];

/// The text of a sample.
pub(crate) fn sample(name: &str) -> &'static [u8] {
    DUMPS.iter().find(|(known, _)| *known == name).expect("a sample of this name").1
}
