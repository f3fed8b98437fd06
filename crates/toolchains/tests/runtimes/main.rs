//! The output of runtimes is parsed correctly.
//!
//! `fixtures/runtimes/samples` has the output of real runtimes; `reference.py` parsed it independently, and wrote
//! `expected.tsv`.

#[path = "../damage/mod.rs"]
mod damage;
mod damaged;
mod events;
mod recognised;
mod requests;
mod settings;

use std::collections::BTreeMap;
use std::fs;

use toolchains::runtime;
use toolchains::runtime::adapter::{Adapter, Said};
use toolchains::runtime::figures::{Figures, FiguresError, Quantity};

/// Every sample with its runtime.
fn samples() -> Vec<(String, &'static Adapter, String)> {
    let folder = fixtures::folder("runtimes").join("samples");
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("it belongs to the tests")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
            let word = name.split('-').next().expect("never empty");
            let adapter = runtime::find(word).expect("samples are called after their runtime");
            (name.clone(), adapter, fs::read_to_string(path).expect("text"))
        })
        .collect();
    found.sort_by(|one, two| one.0.cmp(&two.0));
    found
}

/// The same text in every place that a runtime may be read from.
fn said(text: &str) -> Said<'_> {
    Said { mailbox: text, stderr: text, is_stderr_whole: true, files: &[] }
}

const NAMES: [(Quantity, &str); 12] = [
    (Quantity::Allocated, "allocated_bytes"),
    (Quantity::Promoted, "promoted_bytes"),
    (Quantity::MaxLive, "max_live_bytes"),
    (Quantity::MaxInUse, "max_in_use_bytes"),
    (Quantity::Copied, "copied_bytes"),
    (Quantity::Collections, "collections"),
    (Quantity::MinorCollections, "minor_collections"),
    (Quantity::MajorCollections, "major_collections"),
    (Quantity::GcTime, "gc_cpu_seconds"),
    (Quantity::MutatorTime, "mutator_cpu_seconds"),
    (Quantity::PauseTime, "pause_seconds"),
    (Quantity::MaxPause, "max_pause_seconds"),
];

/// The figures found by the reference, by sample and process.
fn expected() -> BTreeMap<(String, usize), BTreeMap<String, f64>> {
    let mut all: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for line in include_str!("../../../../fixtures/runtimes/expected.tsv").lines() {
        let [sample, process, name, value] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let place = (sample.to_owned(), process.parse().expect("a number"));
        all.entry(place).or_default().insert(name.to_owned(), value.parse().expect("a number"));
    }
    all
}

fn check(sample: &str, process: usize, figures: &Figures, expected: &BTreeMap<String, f64>) {
    for (quantity, name) in NAMES {
        let place = format!("{name} of process {process} in {sample}");
        match (figures.get(quantity), expected.get(name)) {
            (None, None) => {}
            (Some(found), Some(&value)) if name.ends_with("_seconds") => {
                assert!(
                    (found - value).abs() < 1e-9 + 1e-8 * value,
                    "{place}: {found}, not {value}"
                );
            }
            (found, value) => assert_eq!(found, value.copied(), "{place}"),
        }
    }
}

#[test]
fn every_sample_is_read_to_the_last_digit() {
    let expected = expected();
    let mut checked = 0;
    for (name, adapter, text) in samples() {
        for way in adapter.ways {
            let found = (way.read)(&said(&text)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!found.is_empty(), "{name}");
            for (process, figures) in found.iter().enumerate() {
                check(&name, process, figures, &expected[&(name.clone(), process)]);
            }
            assert!(!expected.contains_key(&(name.clone(), found.len())), "{name} has more");
        }
        checked += 1;
    }
    assert!(checked >= 25, "{checked} samples");
}

#[test]
fn every_absent_figure_has_a_reason_or_was_always_there() {
    for (name, adapter, text) in samples() {
        for figures in (adapter.ways[0].read)(&said(&text)).expect("checked above") {
            for quantity in Quantity::ALL {
                if figures.get(quantity).is_none() {
                    assert!(adapter.reason(quantity).is_some(), "{quantity:?} of {name}");
                }
            }
        }
    }
}

#[test]
fn several_processes_add_up_and_their_peaks_do_not() {
    let of = |name: &str| {
        let (_, adapter, text) =
            samples().into_iter().find(|(known, ..)| known == name).expect("a sample");
        (adapter, text)
    };
    let (ocaml, small) = of("ocaml-5.4.1-v0x40F-trees14.txt");
    let (_, large) = of("ocaml-4.13.1-v0x400-alloc10M.txt");
    let both = format!("{small}between\n{large}");
    let found = (ocaml.ways[0].read)(&said(&both)).expect("sound");
    assert_eq!(found.len(), 2);
    let sum = found.into_iter().reduce(Figures::plus).expect("two");
    assert_eq!(sum.allocated_bytes, Some(8 * (540_814 + 30_000_090)));
    assert_eq!(sum.max_in_use_bytes, Some(8 * 33_186_816));
    assert_eq!(sum.max_live_bytes, None);
    // Lines of two virtual machines at the same time.
    let (jvm, one) = of("jvm-17.0.15-serial.txt");
    let other = one.replace("[885]", "[886]");
    let mixed: String =
        one.lines().zip(other.lines()).map(|(a, b)| format!("{a}\n{b}\n")).collect();
    let found = (jvm.ways[0].read)(&said(&mixed)).expect("sound");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].collections, Some(2));
    // Go's lines do not name the process, so they count as one.
    let (go, trace) = of("go-1.26.8.txt");
    let twice = format!("{trace}{trace}");
    let once = (go.ways[0].read)(&said(&trace)).expect("sound")[0];
    let sum = (go.ways[0].read)(&said(&twice)).expect("sound")[0];
    assert_eq!(sum.collections, once.collections.map(|number| 2 * number));
    assert_eq!(sum.max_live_bytes, once.max_live_bytes);
    assert_eq!(sum.max_pause_seconds, once.max_pause_seconds);
}

#[test]
fn a_collection_whose_line_the_end_of_the_program_cut_off_counts_without_its_times() {
    let (_, go, text) =
        samples().into_iter().find(|(name, ..)| name == "go-1.26.8.txt").expect("a sample");
    let last = text.rfind("gc 7 @").expect("seven collections");
    let whole = (go.ways[0].read)(&said(&text[..last])).expect("sound")[0];
    assert_eq!(whole.collections, Some(6));
    for end in last + "gc 7 @".len()..text.trim_end().len() {
        let cut = (go.ways[0].read)(&said(&text[..end])).expect("sound")[0];
        assert_eq!((cut.collections, cut.pause_seconds, cut.max_live_bytes), (Some(7), None, None));
    }
    for end in last + 1..last + "gc 7 @".len() {
        let cut = (go.ways[0].read)(&said(&text[..end]));
        assert_eq!(
            cut,
            Err(FiguresError::CutOff { runtime: "Go's runtime" }),
            "{}",
            &text[last..end]
        );
    }
    // The program's output without a final line break is ignored.
    let spoken = format!("{}the end", &text[..last]);
    assert_eq!((go.ways[0].read)(&said(&spoken)), Ok(vec![whole]));
}
