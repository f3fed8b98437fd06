//! What is said of each pair. What is expected was told from the sources and the dumps by eye.

use toolchains::ghc::difference::{Change, Difference, Reason, words};

use super::{pair, program};

/// The name and the change that lead, and what all counted code allocated more.
fn lead(name: &str, is_back: bool) -> (String, Change, i128) {
    let [before, after] = pair(name).map(|version| program(version, None));
    let (before, after) = if is_back { (after, before) } else { (before, after) };
    let difference = Difference::new(&before, &after);
    let group = &difference.groups[0];
    let (at, change) = group.lead.expect("something changed");
    let binding = &difference.bindings[at];
    let total = difference.total.expect("both have counters");
    let moved = group.moved.expect("both have counters");
    assert!(
        // Its callers may save something, too.
        moved.bytes().unsigned_abs() * 2 >= total.bytes().unsigned_abs(),
        "the cause is named where the cost is: {moved:?} of {total:?}"
    );
    (binding.name.clone(), binding.changes[change].clone(), total.bytes())
}

#[test]
fn a_function_that_must_not_be_inlined_is_told_with_its_pragma() {
    let (name, change, bytes) = lead("inlining", false);
    assert_eq!(name, "Main.walk");
    let reasons = vec![Reason::Forbidden];
    assert_eq!(change, Change::NoLongerInlines { what: "Main.scale".to_owned(), reasons });
    // The loop allocated nothing; now there are two numbers, and the argument is boxed.
    assert!(bytes > 0);
    let (name, change, bytes) = lead("inlining", true);
    assert_eq!(name, "Main.walk");
    assert_eq!(change, Change::Inlines { what: "Main.scale".to_owned() });
    assert!(bytes < 0);
}

#[test]
fn a_function_that_is_given_back_is_told() {
    let (name, change, bytes) = lead("arity", false);
    assert_eq!((&name[..], change), ("Main.advance", Change::GivesFunction { now: false }));
    assert!(bytes < 0);
    let (name, change, bytes) = lead("arity", true);
    assert_eq!((&name[..], change), ("Main.advance", Change::GivesFunction { now: true }));
    assert!(bytes > 0);
}

#[test]
fn an_overloaded_function_in_place_of_its_copy_is_told() {
    let (name, change, bytes) = lead("overloading", false);
    assert_eq!(name, "Main.main");
    assert_eq!(change, Change::NoLongerSpecialised { what: "Main.norm".to_owned() });
    assert!(bytes > 0);
    let (_, change, _) = lead("overloading", true);
    assert_eq!(change, Change::Specialised { what: "Main.norm".to_owned() });
}

#[test]
fn a_parameter_that_gets_a_box_is_told() {
    let (name, change, bytes) = lead("boxing", false);
    assert_eq!((&name[..], change), ("Main.gather", Change::Unboxed { before: 2, after: 1 }));
    assert!(bytes > 0);
    let (_, change, _) = lead("boxing", true);
    assert_eq!(change, Change::Unboxed { before: 1, after: 2 });
}

#[test]
fn a_function_that_its_module_exports_is_told() {
    let (name, change, bytes) = lead("export", false);
    assert_eq!(name, "Main.run");
    let reasons = vec![Reason::Exported];
    let expected = Change::NoLongerInlines { what: "Main.execute".to_owned(), reasons };
    assert_eq!(change, expected);
    assert!(words::change(&change).contains("because its module exports it"));
    assert!(bytes > 0);
}

#[test]
fn all_that_moved_is_found_in_what_changed() {
    for (name, versions) in super::PAIRS {
        let [before, after] = versions.map(|version| program(version, None));
        let difference = Difference::new(&before, &after);
        assert_eq!(difference.unplaced(), 0, "{name}");
        assert_eq!(difference.explained(), Some(1.0), "{name}");
    }
}

#[test]
fn what_differs_is_marked_on_both_sides() {
    let [before, after] = pair("inlining").map(|version| program(version, None));
    let difference = Difference::new(&before, &after);
    let (at, _) = difference.groups[0].lead.expect("something changed");
    let binding = &difference.bindings[at];
    let (ours, theirs) = (binding.before.expect("before"), binding.after.expect("after"));
    let [marks, marks_now] = difference.differing(ours, theirs);
    let shown = |program: &toolchains::ghc::causes::Program, site, marks: &[_]| {
        let core = program.module_of(site).core();
        let readable = core.readable_marked(program.binding(site), marks);
        let marked: Vec<String> =
            readable.marks.iter().map(|mark| readable.text[mark.clone()].to_owned()).collect();
        marked.join("\n")
    };
    let (marked, marked_now) = (shown(&before, ours, &marks), shown(&after, theirs, &marks_now));
    assert!(marked.contains("*#") && !marked.contains("$wscale"), "{marked}");
    assert!(marked_now.contains("$wscale") && !marked_now.contains("*#"), "{marked_now}");
}
