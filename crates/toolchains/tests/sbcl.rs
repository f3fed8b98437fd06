//! The output of SBCL 2.2.9 for `squares.lisp` (`fixtures/sbcl`), parsed correctly.

use proptest::prelude::*;
use toolchains::sbcl::{FormNotes, notes, samples};

const NOTES: &str = include_str!("../../../fixtures/sbcl/samples/notes.txt");
const PROFILE: &str = include_str!("../../../fixtures/sbcl/samples/profile.txt");

#[test]
fn every_note_is_read_and_belongs_to_a_form() {
    let forms = notes(NOTES);
    let count: usize = forms.iter().map(|form| form.count).sum();
    assert_eq!(count, NOTES.matches("; note: ").count());
    let within: Vec<&str> = forms.iter().map(|form| form.within.as_str()).collect();
    assert!(within.contains(&"DEFUN SQUARES") && within.contains(&"DEFUN MEAN"), "{within:?}");
    assert!(forms.iter().all(|form| form.form.starts_with('(')), "{forms:#?}");
}

/// In SBCL's words, each kind of note once.
const KINDS: &str = "\
; file: /code/a.lisp
; in: DEFUN F
;     (* X
;        Y)
; 
; note: unable to
;   open-code float conversion in mixed numeric operation
; due to type uncertainty:
;   The first argument is a NUMBER, not a FLOAT.
;   The second argument is a NUMBER, not a (OR (COMPLEX SINGLE-FLOAT)
;                                              (COMPLEX DOUBLE-FLOAT)).
; 
; note: forced to do GENERIC-* (cost 30)
;       unable to do inline fixnum arithmetic (cost 4) because:
;       The first argument is a NUMBER, not a FIXNUM.

;     (/ X 2)
; 
; note: doing float to pointer coercion (cost 13) to \"<return value>\"
; 
; in:
;      LET ((A (G)))
;     (+ A 1)
; 
; note: forced to do GENERIC-+ (cost 10)

; in: DEFUN F
;     (/ X 2)
; 
; note: forced to do full call
; 
; compilation unit finished
;   printed 3 notes
";

#[test]
fn what_could_not_be_done_and_why_are_told_apart() {
    let form = |form: &str, count, what: &[&str], why: &[&str]| FormNotes {
        within: "DEFUN F".to_owned(),
        form: form.to_owned(),
        count,
        what: what.iter().map(|&text| text.to_owned()).collect(),
        why: why.iter().map(|&text| text.to_owned()).collect(),
    };
    let expected = [
        form(
            "(* X Y)",
            2,
            &[
                "unable to open-code float conversion in mixed numeric operation",
                "forced to do GENERIC-* (cost 30) unable to do inline fixnum arithmetic (cost 4)",
            ],
            &[
                "The first argument is a NUMBER, not a FLOAT.",
                "The second argument is a NUMBER, not a (OR (COMPLEX SINGLE-FLOAT) (COMPLEX \
                 DOUBLE-FLOAT)).",
                "The first argument is a NUMBER, not a FIXNUM.",
            ],
        ),
        form(
            "(/ X 2)",
            2,
            &[
                "doing float to pointer coercion (cost 13) to \"<return value>\"",
                "forced to do full call",
            ],
            &[],
        ),
        FormNotes {
            within: "LET ((A (G)))".to_owned(),
            ..form("(+ A 1)", 1, &["forced to do GENERIC-+ (cost 10)"], &[])
        },
    ];
    assert_eq!(notes(KINDS), expected);
    assert_eq!(expected[0].function(), Some("F"));
    assert_eq!(notes("compiled\nwithout notes\n"), []);
}

#[test]
fn samples_add_up_to_what_the_report_says() {
    let seen = samples(PROFILE).expect("a report");
    assert!(seen.count > 0);
    let itself: u64 = seen.functions.iter().map(|function| function.itself).sum();
    assert_eq!(itself + seen.elsewhere, seen.count);
    let squares = seen.functions.iter().find(|function| function.name == "SQUARES");
    assert!(squares.is_some_and(|function| function.total >= function.itself));
    assert_eq!(samples("no report"), None);
    assert_eq!(samples("Number of samples:   x\n"), None);
}

proptest! {
    #[test]
    fn nothing_panics(cut in 0..20_000_usize, more in "\\PC{0,40}") {
        for text in [NOTES, PROFILE] {
            let end = (0..=cut.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
            let text = format!("{}{more}", &text[..end.unwrap_or(0)]);
            let _ = (notes(&text), samples(&text));
        }
    }
}
