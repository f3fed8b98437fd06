//! Truncated or broken files: the existing parts are read, and the missing ones reported.

use proptest::prelude::*;
use toolchains::callgrind::{Agreement, CallgrindError, inclusive};

use crate::{read, sample};

#[test]
fn a_file_that_is_cut_off_never_agrees_with_itself() {
    let text = sample("plain").as_bytes();
    let end = text.windows(7).rposition(|window| window == b"totals:").expect("its last line");
    let whole = read(text, None).expect("a sound file");
    for length in (0..end).step_by(5) {
        match read(&text[..length], None) {
            Ok(profile) => {
                assert!(profile.total() <= whole.total(), "cut at {length}");
                let is_whole = profile.total() == whole.total();
                assert!(profile.agreement() != Agreement::Exact || is_whole, "cut at {length}");
            }
            Err(error) => assert!(
                matches!(error, CallgrindError::NoEvents | CallgrindError::NoCosts),
                "cut at {length}: {error}"
            ),
        }
    }
}

#[test]
fn half_a_line_is_not_read() {
    let profile = read(b"events: Ir\nfn=f\n1 5\n2 123", None).expect("a beginning");
    assert_eq!((profile.total(), profile.unread_lines), (5, 1));
    assert_eq!(profile.agreement(), Agreement::NotStated);
    assert_eq!(profile.problems[0].line, 4);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_named() {
    let text = "events: Ir\nsummary: 99\nfn=(1) f\n1 5\nx\n2 y\nfn=(7)\n3 1\nzz: 1\n*x 1\n\
                calls=1 1\n4 4\n";
    let profile = read(text.as_bytes(), None).expect("a sound beginning");
    let problems: Vec<_> = profile.problems.iter().map(|p| (p.line, p.what)).collect();
    assert_eq!(
        problems,
        [
            (5, "it is neither a cost nor a statement"),
            (6, "a cost is not a number"),
            (7, "its number has no name"),
            (9, "its key is not known"),
            (10, "a position is not a number"),
        ]
    );
    assert_eq!(profile.unread_lines, 6);
    assert_eq!(profile.agreement(), Agreement::Differs { stated: 99, read: 6 });
}

proptest! {
    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..9000_usize) {
        let mut text = sample("plain").as_bytes().to_vec();
        text.splice(at..at, bytes);
        if let Ok(profile) = read(&text, None) {
            let own: u64 = profile.functions.iter().map(|function| function.self_cost).sum();
            prop_assert_eq!(own, profile.total());
            let _ = (inclusive(&profile), profile.agreement());
        }
    }
}
