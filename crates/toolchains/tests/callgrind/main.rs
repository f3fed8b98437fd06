//! Profiles of one program by callgrind 3.19 (`fixtures/callgrind`), read as by `callgrind_annotate`.

mod annotated;
mod damaged;
mod forms;
mod live;

use toolchains::callgrind::{CallgrindError, Profile, Reader};

/// The samples: name, profile, and the output of `callgrind_annotate`.
pub(crate) const SAMPLES: [(&str, &str, &str); 5] = [
    (
        "plain",
        include_str!("../../../../fixtures/callgrind/samples/plain.out"),
        include_str!("../../../../fixtures/callgrind/samples/plain.annotated"),
    ),
    (
        "events",
        include_str!("../../../../fixtures/callgrind/samples/events.out"),
        include_str!("../../../../fixtures/callgrind/samples/events.annotated"),
    ),
    (
        "parts",
        include_str!("../../../../fixtures/callgrind/samples/parts.out"),
        include_str!("../../../../fixtures/callgrind/samples/parts.annotated"),
    ),
    (
        "contexts",
        include_str!("../../../../fixtures/callgrind/samples/contexts.out"),
        include_str!("../../../../fixtures/callgrind/samples/contexts.annotated"),
    ),
    (
        "uncompressed",
        include_str!("../../../../fixtures/callgrind/samples/uncompressed.out"),
        include_str!("../../../../fixtures/callgrind/samples/uncompressed.annotated"),
    ),
];

/// The profile of a sample.
pub(crate) fn sample(name: &str) -> &'static str {
    SAMPLES.iter().find(|(known, _, _)| *known == name).expect("a sample of this name").1
}

pub(crate) fn read(text: &[u8], event: Option<&str>) -> Result<Profile, CallgrindError> {
    let mut reader = Reader::new(event);
    reader.take(text);
    reader.finish()
}
