//! The reported change for each pair. The expectations were derived by eye from the sources and the
//! dumps.

use ghc::difference::{By, Change, Difference, Reason, words};

use super::{pair, program};

/// The allocations of the programs of the pair `append` for 1000 events, by GHC 9.0.2's runtime.
const OLD_BYTES: u64 = 56_113_144;
const NEW_BYTES: u64 = 184_376;

/// The first name and change, and the additional allocations of all counted code.
fn lead(name: &str, is_back: bool) -> (String, Change, i128) {
    let [before, after] = pair(name).map(|version| program(&version, None));
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
    // The loop allocated nothing; now it allocates two numbers, and the argument is boxed.
    assert!(bytes > 0);
    let (name, change, bytes) = lead("inlining", true);
    assert_eq!(name, "Main.walk");
    let reasons = vec![Reason::Forbidden];
    assert_eq!(change, Change::Inlines { what: "Main.scale".to_owned(), reasons });
    assert!(words::change(&change).ends_with("because no pragma forbids it any more (`NOINLINE`)"));
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
    assert_eq!(name, "Main.gather");
    assert_eq!(words::change(&change), "now puts off what it accumulates");
    assert!(bytes > 0);
    let [before, after] = pair("boxing").map(|version| program(&version, None));
    let difference = Difference::new(&before, &after);
    let (at, _) = difference.groups[0].lead.expect("something changed");
    let unboxed = Change::Unboxed { before: 2, after: 1 };
    assert!(difference.bindings[at].changes.contains(&unboxed));
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
fn a_function_of_a_library_is_none_of_the_same_name_that_is_exported() {
    // `read` calls `ReadP.run` in both, but only one exports its own `run`.
    let [before, after] = pair("export").map(|version| program(&version, None));
    let difference = Difference::new(&before, &after);
    let main = difference.bindings.iter().filter(|it| it.name == "Main.main");
    let mut changes = main.flat_map(|it| &it.changes).peekable();
    assert!(changes.peek().is_some(), "it calls `run` otherwise");
    assert!(changes.all(|it| !matches!(it, Change::Uses { .. })));
}

#[test]
fn a_function_that_grew_is_told_with_its_lines() {
    let (name, change, bytes) = lead("grown", false);
    assert_eq!(name, "Main.step");
    let reasons = vec![Reason::Longer { before: 5, after: 10 }];
    let expected = Change::NoLongerInlines { what: "Main.instr".to_owned(), reasons };
    assert_eq!(change, expected);
    assert!(bytes > 0);
    let (name, change, _) = lead("grown", true);
    assert_eq!(name, "Main.step");
    assert!(words::change(&change).contains("its definition shrank from 10 to 5 lines"));
}

#[test]
fn known_causes_that_come_and_go_are_told() {
    let (name, change, bytes) = lead("strictness", false);
    assert_eq!(name, "Main.walk");
    assert_eq!(words::change(&change), "now puts off what it accumulates");
    assert!(bytes > 0);
    let (_, change, _) = lead("strictness", true);
    assert_eq!(words::change(&change), "no longer puts off what it accumulates");
}

#[test]
fn what_libraries_allocate_is_told_by_what_usually_explains_it() {
    let [mut before, mut after] = pair("append").map(|version| program(&version, None));
    // As reported by the runtime in these runs (`-t`): the allocations of `++` happen in base.
    (before.allocated_bytes, after.allocated_bytes) = (Some(OLD_BYTES), Some(NEW_BYTES));
    let difference = Difference::new(&before, &after);
    assert_eq!(difference.by, By::Outside);
    let (at, change) = difference.groups[0].lead.expect("something changed");
    let binding = &difference.bindings[at];
    assert_eq!(binding.name, "Main.events");
    let said = words::change(&binding.changes[change]);
    assert_eq!(said, "no longer appends to its own accumulator");
}

#[test]
fn all_that_moved_is_found_in_what_changed() {
    for name in super::PAIRS {
        let [before, after] = pair(name).map(|version| program(&version, None));
        let difference = Difference::new(&before, &after);
        assert_eq!(difference.unplaced(), 0, "{name}");
        // The allocations of `++` are in a library.
        let expected = (name != "append").then_some(1.0);
        assert_eq!(difference.explained(), expected, "{name}");
    }
}

#[test]
fn what_differs_is_marked_on_both_sides() {
    let [before, after] = pair("inlining").map(|version| program(&version, None));
    let difference = Difference::new(&before, &after);
    let (at, _) = difference.groups[0].lead.expect("something changed");
    let binding = &difference.bindings[at];
    let (ours, theirs) = (binding.before.expect("before"), binding.after.expect("after"));
    let [marks, marks_now] = difference.differing(ours, theirs);
    let shown = |program: &ghc::causes::Program, site, marks: &[_]| {
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
