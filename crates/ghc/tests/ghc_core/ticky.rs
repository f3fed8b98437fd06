//! Ticky profiles: sums as computed by another program (`reference.py`), damaged profiles, and the
//! bindings of their rows.

use ghc::core::Dump;
use ghc::ticky::join;
use ghc::ticky::{Kind, Missing, Profile, TickyError, read};

use crate::sample;

const EXPECTED: &str = include_str!("../../../../fixtures/ghc_core/expected.tsv");

const PROFILES: [(&str, &[u8]); 8] = [
    ("8.8.4-ticky-entries.txt", sample!("8.8.4-ticky-entries.txt")),
    ("8.8.4-ticky.txt", sample!("8.8.4-ticky.txt")),
    ("9.0.2-ticky-entries.txt", sample!("9.0.2-ticky-entries.txt")),
    ("9.0.2-ticky.txt", sample!("9.0.2-ticky.txt")),
    ("9.10.3-ticky-entries.txt", sample!("9.10.3-ticky-entries.txt")),
    ("9.10.3-ticky.txt", sample!("9.10.3-ticky.txt")),
    ("9.6.6-ticky-entries.txt", sample!("9.6.6-ticky-entries.txt")),
    ("9.6.6-ticky.txt", sample!("9.6.6-ticky.txt")),
];

fn profile(name: &str) -> Profile {
    let text = PROFILES.iter().find(|(known, _)| *known == name).expect("a sample").1;
    read(text).expect("a sound profile")
}

#[test]
fn sums_are_those_of_the_columns() {
    for (name, _) in PROFILES {
        let line =
            EXPECTED.lines().find(|line| line.split('\t').next() == Some(name)).expect("a line");
        let figures: Vec<u64> =
            line.split('\t').skip(1).map(|it| it.parse().expect("a number")).collect();
        let [rows, entries, allocates, allocated] = figures[..] else { panic!("{line}") };
        let closures = profile(name).closures;
        assert_eq!(closures.len() as u64, rows, "{name}");
        assert_eq!(closures.iter().map(|it| it.allocates_bytes).sum::<u64>(), allocates, "{name}");
        let sum = closures.iter().map(|it| it.entries).sum::<Result<u64, _>>();
        let bytes = closures.iter().map(|it| it.allocated_bytes).sum::<Result<u64, _>>();
        let (expected_entries, expected_bytes) = match name {
            "9.6.6-ticky.txt" => (Err(Missing::Mixed), Err(Missing::Mixed)),
            _ if name.contains("entries") => (Ok(entries), Err(Missing::NotCounted)),
            _ => (Ok(entries), Ok(allocated)),
        };
        assert_eq!((sum, bytes), (expected_entries, expected_bytes), "{name}");
    }
}

#[test]
fn rows_say_what_closures_are() {
    for name in ["8.8.4-ticky.txt", "9.0.2-ticky.txt", "9.10.3-ticky.txt"] {
        let profile = profile(name);
        let find =
            |end: &str| profile.closures.iter().find(|it| it.name.ends_with(end)).expect("a row");
        // `main` calls `pick` a thousand times, in its loop.
        let pick = find("pick");
        assert_eq!((pick.entries, pick.arity, pick.arguments.len()), (Ok(1000), 1, 1), "{name}");
        assert_eq!((&pick.kind, pick.module.as_deref()), (&Kind::Function, Some("Main")));
        // `area` is called for a circle and for a polygon.
        assert_eq!(find("Main.$warea").entries, Ok(2), "{name}");
        // The loop runs once more than a thousand times.
        let in_loop = profile.closures.iter().find(|it| it.entries == Ok(1001)).expect("a loop");
        assert_eq!(in_loop.kind, Kind::LetNoEscape, "{name}");
        assert!(profile.closures.iter().any(|it| it.single_entry), "{name}");
        let boxes: Vec<_> =
            profile.closures.iter().filter(|it| matches!(it.kind, Kind::Constructor(_))).collect();
        assert!(boxes.iter().all(|it| it.entries == Ok(0)), "{name}");
        if name != "8.8.4-ticky.txt" {
            let int = Kind::Constructor(Some("GHC.Types.I#".to_owned()));
            assert!(boxes.iter().any(|it| it.kind == int), "{name}");
        }
        assert!(profile.counters["KNOWN_CALL_ctr"] > 1000, "{name}");
    }
}

#[test]
fn rows_are_bindings_of_the_same_compilation() {
    for version in ["8.8.4", "9.0.2", "9.6.6", "9.10.3"] {
        let profile = profile(&format!("{version}-ticky.txt"));
        let dump = Dump::read(sample(&format!("{version} prep")));
        let joined = join(&profile, &[("Main", &dump)]);
        let without: Vec<&str> = joined
            .iter()
            .zip(&profile.closures)
            .filter(|(place, _)| place.is_none())
            .map(|(_, row)| row.name.as_str())
            .collect();
        assert_eq!(without, [""; 0], "{version}");
    }
}

#[test]
fn rows_of_another_build_do_not_join() {
    let profile = profile("9.0.2-ticky.txt");
    let other = Dump::read(sample("9.10.3 prep"));
    let joined = join(&profile, &[("Main", &other)]);
    let rows = joined.iter().filter(|it| it.is_none()).count() as f64 / joined.len() as f64;
    assert!(rows > 0.4 && rows < 1.0, "{rows}");
    assert!(join(&profile, &[]).iter().all(Option::is_none));
}

#[test]
fn what_is_no_profile_is_refused() {
    assert_eq!(read(b""), Err(TickyError::NoTable));
    assert_eq!(read(b"hello\n"), Err(TickyError::NoTable));
    let (_, text) = PROFILES[3];
    let table = text.windows(7).position(|window| window == b"Entries").expect("a table");
    for end in (table + 80..text.len() - 60).step_by(97) {
        assert!(read(&text[..end]).is_err(), "{end}");
    }
    let spoilt = String::from_utf8_lossy(text).replacen("(fun)", "fun", 1);
    assert!(matches!(read(spoilt.as_bytes()), Err(TickyError::Row { line: 40.., .. })));
}

/// A row by GHC 9.0.2 for a program that allocated 12 GB in one closure.
#[test]
fn columns_that_touch_are_told_apart_by_their_heads() {
    let row = "  30000000012000000000 9600000000   1 S                    sat_s2rD{v} (Interp) (fun) in r2mA";
    let (_, text) = PROFILES[3];
    let text = String::from_utf8_lossy(text);
    let (before, after) = text.split_once("--\n").expect("a table");
    let profile = read(format!("{before}--\n{row}\n{after}").as_bytes()).expect("a sound profile");
    let first = &profile.closures[0];
    assert_eq!((first.entries, first.allocates_bytes), (Ok(300_000_000), 12_000_000_000));
    assert_eq!((first.allocated_bytes, first.arity), (Ok(9_600_000_000), 1));
    assert_eq!((first.name.as_str(), first.parent.as_deref()), ("sat_s2rD", Some("r2mA")));
}
