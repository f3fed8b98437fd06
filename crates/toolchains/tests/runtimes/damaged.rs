//! No output of a run makes a parser panic, and truncated output is not taken for complete.

use proptest::prelude::*;
use toolchains::runtime;
use toolchains::runtime::adapter::Said;
use toolchains::runtime::executable::interpreter;
use toolchains::runtime::figures::FiguresError;

use super::damage::{changes, damaged};
use super::{said, samples};

/// Ten thousand damaged reports for each runtime: read or refused, and times are never infinite.
#[test]
fn any_damaged_report_is_read_or_refused() {
    for adapter in runtime::ALL.into_iter().filter(|adapter| adapter.word != "ghc") {
        let texts: Vec<String> = samples()
            .into_iter()
            .filter(|(_, of, _)| *of == adapter)
            .map(|(.., text)| text)
            .collect();
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 10_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let strategy = (0..texts.len(), changes(), any::<bool>());
        let outcome = runner.run(&strategy, |(index, changes, is_stderr_whole)| {
            let text = damaged(&texts[index], &changes);
            let said = Said { is_stderr_whole, ..said(&text) };
            for way in adapter.ways {
                for figures in (way.read)(&said).unwrap_or_default() {
                    for quantity in runtime::figures::Quantity::ALL {
                        let value = figures.get(quantity).unwrap_or(0.0);
                        prop_assert!(value.is_finite() && value >= 0.0, "{quantity:?}: {value}");
                    }
                }
            }
            let _ = (adapter.refusal)(&text);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", adapter.word));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", beginning in prop::collection::vec(any::<u8>(), 0..300)) {
        for adapter in runtime::ALL {
            for way in adapter.ways {
                let _ = (way.read)(&said(&text));
            }
            let _ = (adapter.differences)(&said(&text), &text);
        }
        let _ = interpreter(&beginning);
        let _ = interpreter(&[b"#!/", beginning.as_slice()].concat());
    }
}

#[test]
fn what_is_no_report_holds_no_figures() {
    for adapter in runtime::ALL {
        for way in adapter.ways {
            for text in ["", "words", "words\n", "gc is on\n[gc] fine\nminor_collections: 7\n"] {
                assert_eq!((way.read)(&said(text)), Ok(Vec::new()), "{} of {text}", adapter.word);
            }
        }
    }
}

/// Truncated anywhere after the beginning, OCaml's counters and MLton's summary are incomplete.
#[test]
fn what_is_cut_off_at_the_end_is_refused() {
    for (name, adapter, text) in samples() {
        let last_needed = match adapter.word {
            "ocaml" => text.rfind("heap_words: ").or(text.rfind("major_collections: ")),
            "mlton" => text.rfind("max heap size: "),
            "polyml" => text.rfind("GC (Total): GC time: "),
            _ => continue,
        };
        let begin = text.find("allocated_words: ").unwrap_or(80) + "allocated_words: 1".len();
        for end in (begin..last_needed.expect("every one has it")).step_by(7) {
            let found = (adapter.ways[0].read)(&said(&text[..end]));
            assert!(found.is_err(), "{name} cut at {end}: {found:?}");
        }
    }
}

/// If only the end of standard error was kept, processes that began before it are not added up as
/// if complete.
#[test]
fn what_is_cut_off_at_the_beginning_is_refused() {
    for (name, adapter, text) in samples() {
        if !["ocaml", "go", "mlton"].contains(&adapter.word)
            || !text.contains("gc 2 @") && adapter.word == "go"
        {
            continue;
        }
        let begin = match adapter.word {
            "ocaml" => text.find("promoted_words: "),
            "go" => text.find("gc 2 @"),
            _ => text.find("total time: "),
        };
        let end = Said {
            mailbox: "",
            stderr: &text[begin.expect("every one has it")..],
            is_stderr_whole: false,
            files: &[],
        };
        let way = adapter.ways.last().expect("one at least");
        let found = (way.read)(&end);
        assert!(matches!(found, Err(FiguresError::CutOff { .. })), "{name}: {found:?}");
    }
}
