//! The menus of knobs.

use proptest::prelude::*;
use toolchains::runtime;
use toolchains::runtime::tuning::{ALL, Choice, Facts, Menu, Untouched};

use crate::{host, menu, places, untouched};

fn names(menu: &Menu) -> Vec<&str> {
    menu.items.iter().map(|item| item.knob.name).collect()
}

#[test]
fn every_runtime_that_can_be_asked_has_knobs_of_the_same_word() {
    let words: Vec<&str> = ALL.iter().map(|tuning| tuning.word).collect();
    let adapters: Vec<&str> = runtime::ALL.iter().map(|adapter| adapter.word).collect();
    assert_eq!(words, adapters);
}

#[test]
fn the_default_is_permitted_and_stands_where_its_size_belongs() {
    for tuning in ALL {
        let menu = tuning.menu(host(16), Facts::default());
        let default = untouched(&menu);
        assert!(menu.permits(&default), "{}", tuning.word);
        assert_eq!(menu.setting(&default).label(), "default");
        for knob in tuning.knobs {
            let claims: Vec<u64> = knob.levels.iter().map(|level| level.claims_bytes).collect();
            assert!(claims.is_sorted(), "{}", knob.name);
            assert!(
                matches!(knob.untouched, Untouched::PartOfMemory(_))
                    || matches!(knob.untouched, Untouched::After(n) if n <= knob.levels.len())
            );
        }
    }
    let jvm = menu("jvm", Facts::default());
    // 16 GiB: a sixty-fourth is 256 MiB, after 64 and 128; a quarter is 4 GiB, after 2.
    let of = |name: &str| jvm.items.iter().find(|item| item.knob.name == name).expect("there");
    assert_eq!((of("-Xms").default_place, of("-Xmx").default_place), (2, 6));
}

#[test]
fn what_a_version_does_not_obey_is_not_on_offer() {
    let of_major = |major| menu("ocaml", Facts { major, ..Facts::default() });
    assert_eq!(names(&of_major(Some(4))), ["s", "o", "a", "i"]);
    assert_eq!(names(&of_major(Some(5))), ["s", "o"]);
    let most = |menu: &Menu| menu.items[0].levels.last().expect("some").text;
    assert_eq!((most(&of_major(Some(4))), most(&of_major(Some(5)))), ("256M", "512M"));
    let left = of_major(Some(5)).left_out;
    let increment = left.iter().find(|left| left.knob.name == "i").expect("left out");
    assert_eq!(increment.reason(), "version 5 has no use for it");
}

#[test]
fn a_program_without_rtsopts_offers_nothing_and_one_without_threads_no_processors() {
    let without = Facts { rtsopts: Some(false), ..Facts::default() };
    assert_eq!(names(&menu("ghc", without)), [] as [&str; 0]);
    let threaded = |threaded| menu("ghc", Facts { threaded, ..Facts::default() });
    assert!(!names(&threaded(Some(false))).contains(&"-N"));
    assert!(names(&threaded(Some(true))).contains(&"-N"));
    assert!(names(&threaded(None)).contains(&"-N"), "not known is not refused");
}

#[test]
fn levels_above_half_of_the_memory_are_not_on_offer() {
    let ghc = runtime::tuning::find("ghc").expect("known");
    let most = |gib| {
        let menu = ghc.menu(host(gib), Facts::default());
        menu.items[0].levels.last().expect("some").text
    };
    assert_eq!((most(1), most(2), most(16)), ("512m", "1g", "2g"));
}

#[test]
fn what_a_runtime_refuses_together_is_not_permitted() {
    for (word, turned) in [
        ("ghc", &[("collector", "-c"), ("-G", "1")][..]),
        ("ghc", &[("collector", "--nonmoving-gc"), ("-G", "1")]),
        ("mlton", &[("copy-ratio", "16")]),
        ("mlton", &[("live-ratio", "2")]),
        ("mlton", &[("live-ratio", "5.6"), ("copy-ratio", "6")]),
        ("polyml", &[("--minheap", "512"), ("-H", "256")]),
        ("polyml", &[("-H", "512"), ("--maxheap", "256")]),
        ("jvm", &[("-Xms", "1g"), ("-Xmx", "512m")]),
        ("jvm", &[("-Xmn", "64m"), ("-XX:NewRatio=", "4")]),
        ("sbcl", &[("--dynamic-space-size", "512"), ("bytes-consed-between-gcs", "536870912")]),
    ] {
        let menu = menu(word, Facts::default());
        assert!(!menu.permits(&places(&menu, turned)), "{word} {turned:?}");
    }
    for (word, turned) in [
        ("mlton", &[("copy-ratio", "16"), ("live-ratio", "32")][..]),
        ("polyml", &[("--minheap", "256"), ("-H", "512"), ("--maxheap", "1024")]),
        ("ghc", &[("collector", "--nonmoving-gc"), ("-G", "3"), ("-A", "64m")]),
    ] {
        let menu = menu(word, Facts::default());
        assert!(menu.permits(&places(&menu, turned)), "{word} {turned:?}");
    }
}

#[test]
fn the_files_tell_the_version_and_the_threads() {
    let facts =
        |word: &str, bytes: &[u8]| (runtime::tuning::find(word).expect("known").facts)(bytes);
    assert_eq!(facts("ocaml", b"..OCAMLRUNPARAM\0..").major, Some(4));
    let five = b"..OCAMLRUNPARAM\0..OCAML_RUNTIME_EVENTS_START\0";
    assert_eq!(facts("ocaml", five).major, Some(5));
    assert_eq!(facts("ocaml", b"").major, None);
    assert_eq!(facts("ghc", b"+RTS\0 -RTS\0").threaded, Some(false));
    assert_eq!(facts("ghc", b"+RTS\0  -N[<n>]    Use").threaded, Some(true));
    assert_eq!(facts("ghc", b"libHSrts").threaded, None, "the library has the help");
}

/// The number chosen for a knob, or the default.
fn number(choices: &[Choice], name: &str, usual: f64) -> f64 {
    let chosen = choices.iter().find(|choice| choice.knob.name == name);
    chosen.map_or(usual, |choice| choice.level.text.parse().expect("a number"))
}

proptest! {
    /// The permitted settings of MLton and Poly/ML, by the rules in their error messages.
    #[test]
    fn nothing_permitted_breaks_the_rules(draws in proptest::collection::vec(0_usize..1000, 7)) {
        for word in ["mlton", "polyml"] {
            let menu = menu(word, Facts::default());
            let places: Vec<usize> =
                menu.items.iter().zip(&draws).map(|(item, draw)| draw % item.places()).collect();
            if !menu.permits(&places) {
                continue;
            }
            let setting = menu.setting(&places);
            let of = |name, usual| number(setting.choices(), name, usual);
            if word == "mlton" {
                prop_assert!(1.04 <= of("copy-ratio", 4.0));
                prop_assert!(of("copy-ratio", 4.0) <= of("live-ratio", 8.0));
            } else {
                let (least, most) = (of("--minheap", 0.0), of("--maxheap", f64::INFINITY));
                let initial = of("-H", least);
                prop_assert!(least <= initial && initial <= most);
            }
        }
    }
}
