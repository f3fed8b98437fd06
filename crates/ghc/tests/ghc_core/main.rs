//! Dumps of Core and ticky profiles of one program by GHC 8.8.4, 9.0.2, 9.6.6 and 9.10.3
//! (`make-samples`), parsed correctly.

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
    ("8.8.4 simpl", include_bytes!("samples/8.8.4-simpl.txt")),
    ("8.8.4 suppressed", include_bytes!("samples/8.8.4-suppressed.txt")),
    ("8.8.4 prep", include_bytes!("samples/8.8.4-prep.txt")),
    ("9.0.2 simpl", include_bytes!("samples/9.0.2-simpl.txt")),
    ("9.0.2 suppressed", include_bytes!("samples/9.0.2-suppressed.txt")),
    ("9.0.2 notes", include_bytes!("samples/9.0.2-notes.txt")),
    ("9.0.2 prep", include_bytes!("samples/9.0.2-prep.txt")),
    ("9.6.6 simpl", include_bytes!("samples/9.6.6-simpl.txt")),
    ("9.6.6 suppressed", include_bytes!("samples/9.6.6-suppressed.txt")),
    ("9.6.6 notes", include_bytes!("samples/9.6.6-notes.txt")),
    ("9.6.6 prep", include_bytes!("samples/9.6.6-prep.txt")),
    ("9.10.3 simpl", include_bytes!("samples/9.10.3-simpl.txt")),
    ("9.10.3 suppressed", include_bytes!("samples/9.10.3-suppressed.txt")),
    ("9.10.3 notes", include_bytes!("samples/9.10.3-notes.txt")),
    ("9.10.3 prep", include_bytes!("samples/9.10.3-prep.txt")),
];

/// The text of a sample.
pub(crate) fn sample(name: &str) -> &'static [u8] {
    DUMPS.iter().find(|(known, _)| *known == name).expect("a sample of this name").1
}
