//! The parts of the format, on small texts and on the samples.

use toolchains::callgrind::{Agreement, CallgrindError, NoInclusive, Profile, Reader, inclusive};

use crate::{SAMPLES, read, sample};

/// Function, file and line with its cost.
fn lines(profile: &Profile) -> Vec<(&str, &str, u64, u64)> {
    let entry = |line: &toolchains::callgrind::LineCost| {
        let function = &profile.functions[line.function as usize];
        (profile.name(function.name), profile.file(line.file), line.line, line.cost)
    };
    profile.lines.iter().map(entry).collect()
}

/// Caller, callee, count, cost.
fn calls(profile: &Profile) -> Vec<(&str, &str, u64, u64)> {
    let name = |place: u32| profile.name(profile.functions[place as usize].name);
    let calls = profile.calls.iter();
    calls
        .map(|call| (name(call.caller), name(call.callee), call.count, call.inclusive_cost))
        .collect()
}

/// The example of the manual, "Simple Example" with numbers by hand: names by number, relative
/// lines, calls, an inlined file.
const SMALL: &str = "\
events: Ir
fl=(1) main.c
fn=(1) main
16 20
cfn=(2) helper
calls=3 50
+1 400
fi=(2) inline.h
-7 5
fe=(1)
* 7
fn=(2)
50 300
+1 100
totals: 432
";

#[test]
fn names_lines_and_calls_are_resolved() {
    let profile = read(SMALL.as_bytes(), None).expect("a sound file");
    assert_eq!(
        lines(&profile),
        [
            ("main", "main.c", 10, 7),
            ("main", "main.c", 16, 20),
            ("main", "inline.h", 10, 5),
            ("helper", "main.c", 50, 300),
            ("helper", "main.c", 51, 100),
        ]
    );
    assert_eq!(calls(&profile), [("main", "helper", 3, 400)]);
    assert_eq!((profile.total(), profile.agreement()), (432, Agreement::Exact));
    let costs = inclusive(&profile).expect("calls that return");
    assert_eq!(costs, [432, 400]);
}

#[test]
fn the_callee_is_in_the_callers_file_and_object_unless_said() {
    let text = "events: Ir\nob=(1) a\nfl=(1) x.c\nfn=(1) f\ncob=(2) b\ncfi=(2) y.c\ncfn=(2) g\n\
                calls=1 1\n1 5\ncfn=(2)\ncalls=1 1\n1 6\nfn=(3) h\n1 1\n";
    let profile = read(text.as_bytes(), None).expect("a sound file");
    let places: Vec<_> = profile
        .functions
        .iter()
        .map(|f| (profile.object(f.object), profile.file(f.file), profile.name(f.name)))
        .collect();
    let expected = [("a", "x.c", "f"), ("b", "y.c", "g"), ("a", "x.c", "g"), ("a", "x.c", "h")];
    assert_eq!(places, expected);
    assert_eq!(profile.total(), 1, "what calls cost is no self cost");
}

#[test]
fn addresses_jumps_and_columns_left_out_are_understood() {
    let text = "positions: instr line\nevents: Dr Ir\nfn=f\n0x10 5 1 2\njcnd=3/4 0x20 7\n\
                0x12 6\n+4 +1 9\n* -2 0 8\njump=1 +1 *\n* *\n";
    let profile = read(text.as_bytes(), None).expect("a sound file");
    assert_eq!(profile.event, "Ir");
    assert_eq!(lines(&profile), [("f", "???", 5, 2 + 8), ("f", "???", 7, 0)]);
    assert_eq!(profile.unread_lines, 0);
}

#[test]
fn parts_add_up() {
    let whole = read(sample("plain").as_bytes(), None).expect("a sound file");
    let parts = read(sample("parts").as_bytes(), None).expect("a sound file");
    let totals: Vec<_> = parts.parts.iter().map(|part| part.totals).collect();
    assert_eq!(totals, [Some(9579), Some(23870)]);
    assert_eq!(whole.total(), parts.total());
    assert_eq!(crate::annotated::by_file(&whole), crate::annotated::by_file(&parts));
}

#[test]
fn compressed_or_not_is_the_same() {
    let profile = |name| read(sample(name).as_bytes(), None).expect("a sound file");
    let (plain, long) = (profile("plain"), profile("uncompressed"));
    // The functions come in another order.
    let mut sorted = [lines(&plain), lines(&long)];
    sorted.iter_mut().for_each(|lines| lines.sort_unstable());
    assert!(sorted[0] == sorted[1]);
    let mut sorted = [calls(&plain), calls(&long)];
    sorted.iter_mut().for_each(|calls| calls.sort_unstable());
    assert!(sorted[0] == sorted[1]);
    assert_eq!(plain.command, "./sums");
    assert!(plain.process.is_some());
}

/// By the lines `calls=` of the sample, with their costs; `fibonacci` calls itself, and includes
/// its callees.
#[test]
fn inclusive_costs_hold_what_is_called() {
    let profile = read(sample("plain").as_bytes(), None).expect("a sound file");
    let costs = inclusive(&profile).expect("calls that return");
    let of = |name: &str| {
        let has_name = |f: &toolchains::callgrind::Function| profile.name(f.name) == name;
        costs[profile.functions.iter().position(has_name).expect("it ran")]
    };
    assert_eq!(of("main"), 33_449);
    assert_eq!(of("squares"), 7007);
    assert_eq!(of("fibonacci"), 2563);
}

#[test]
fn what_calls_cost_means_nothing_where_it_exceeds_the_total() {
    let text = "events: Ir\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 5\nfn=g\n1 5\ncfn=f\ncalls=1 1\n1 90\n";
    let profile = read(text.as_bytes(), None).expect("a sound file");
    assert_eq!(inclusive(&profile), Err(NoInclusive::BeyondTheTotal));
    let flat = read(b"events: Ir\nfn=f\n1 5\n", None).expect("a sound file");
    assert_eq!(inclusive(&flat), Err(NoInclusive::NoCalls));
}

#[test]
fn names_need_not_be_unicode_and_stay_apart() {
    let profile = read(b"events: Ir\nfn=(1) a\xff\n1 5\nfn=(2) a\xfe\n1 6\n", None);
    let profile = profile.expect("a sound file");
    let costs: Vec<_> = profile.functions.iter().map(|f| f.self_cost).collect();
    assert_eq!(costs, [5, 6]);
    assert_eq!(profile.name(profile.functions[0].name), "a\u{fffd}");
}

#[test]
fn it_does_not_matter_how_it_is_cut_into_pieces() {
    for (name, text, _) in SAMPLES {
        let whole = read(text.as_bytes(), None);
        for size in [1, 7, 4096] {
            let mut reader = Reader::default();
            text.as_bytes().chunks(size).for_each(|piece| reader.take(piece));
            assert_eq!(reader.finish(), whole, "{name} in pieces of {size}");
        }
    }
}

#[test]
fn what_is_no_profile_is_refused() {
    assert_eq!(read(b"", None), Err(CallgrindError::NoEvents));
    assert_eq!(read(b"hello\n", None), Err(CallgrindError::NoEvents));
    assert_eq!(read(b"events: Ir\n", None), Err(CallgrindError::NoCosts));
    let counted = vec!["Ir".to_owned()];
    assert_eq!(
        read(b"events: Ir\nfn=f\n1 1\n", Some("Dr")),
        Err(CallgrindError::NoEvent { event: "Dr".to_owned(), counted })
    );
    assert_eq!(
        read(b"events: Ir\nfn=f\n1 1\nevents: Ir Dr\n", None),
        Err(CallgrindError::OtherEvents { line: 4 })
    );
    let much = format!("events: Ir\nfn=f\n1 {}\n1 1\n", u64::MAX);
    assert_eq!(read(much.as_bytes(), None), Err(CallgrindError::Overflow { line: 4 }));
}
