//! Counts by symbol assigned to bindings. The symbols are GHC 9.0.2's for names in the samples,
//! encoded by hand.

use ghc::causes::{Module, Program, Site};
use ghc::core::Dump;
use ghc::difference::{By, Difference};
use ghc::instructions::{Count, Elsewhere, Instructions};

use super::properties::renamed;
use super::{pair, program};

fn site(program: &Program, name: &str) -> Site {
    program.site_named(name).expect("a binding of this name")
}

/// Counts of code with an unknown source file.
fn counted(program: &Program, counts: &[(&str, u64)]) -> Instructions {
    let count = |&(symbol, instructions)| Count { symbol, file: "", line: 0, instructions };
    Instructions::from_counts(program, counts.iter().map(count))
}

const COUNTS: [(&str, u64); 11] = [
    ("Main_zdwgather_info", 1000),
    // A deeper level of recursion.
    ("Main_zdwgather_info'2", 500),
    ("Main_main1_info", 70),
    // A closure inside it.
    ("sat_s341_info", 5),
    ("base_GHCziShow_zdwitos_info", 3),
    ("stg_BLACKHOLE_info", 20),
    ("_IO_getline_info", 10),
    ("schedule", 200),
    ("0x0000000000408af0", 4),
    // One that is missing from CorePrep, and a binding that is missing from the module.
    ("sat_s9Zz_info", 40),
    ("Main_main99_info", 60),
];

#[test]
fn counts_are_given_to_the_bindings_whose_code_it_is() {
    let before = program(&pair("boxing")[0], None);
    let counted = counted(&before, &COUNTS);
    assert_eq!(counted.site(site(&before, "Main.$wgather")), 1500);
    assert_eq!(counted.site(site(&before, "Main.main1")), 75);
    assert_eq!(counted.elsewhere(Elsewhere::Libraries), 3);
    assert_eq!(counted.elsewhere(Elsewhere::Runtime), 230);
    assert_eq!(counted.elsewhere(Elsewhere::Nameless), 4);
    assert_eq!(counted.elsewhere(Elsewhere::Unplaced), 100);
    assert_eq!((counted.placed(), counted.total()), (1575, 1912));
}

#[test]
fn code_without_a_symbol_is_known_by_its_file() {
    let program = program(&pair("boxing")[0], None);
    let of_file = |symbol, file| Count { symbol, file, line: 3, instructions: 8 };
    let counts = [
        of_file("stg_upd_frame_info", "src/Main.hs"),
        of_file("0x0000000000408af0", "Main.hs"),
        of_file("stg_upd_frame_info", "src/NotMain.hs"),
        of_file("Main_zdwgather_info", "Main.hs"),
    ];
    let counted = Instructions::from_counts(&program, counts.into_iter());
    assert_eq!(counted.elsewhere(Elsewhere::Unplaced), 16);
    assert_eq!(counted.elsewhere(Elsewhere::Runtime), 8);
    assert_eq!(counted.placed(), 8);
}

/// Two bindings; `helper`, on line 4, was inlined into the first.
const NOTED: &str = "\
==================== Tidy Core ====================
Result size of Tidy Core = {terms: 9, types: 4, coercions: 0, joins: 0/0}

-- RHS size: {terms: 5, types: 2, coercions: 0, joins: 0/0}
Main.step :: GHC.Types.Int -> GHC.Types.Int
[GblId, Arity=1]
Main.step = \\ (x_a1 :: GHC.Types.Int) -> src<Main.hs:9:1-20> src<Main.hs:4:5-9> Main.other x_a1

-- RHS size: {terms: 3, types: 2, coercions: 0, joins: 0/0}
Main.other :: GHC.Types.Int -> GHC.Types.Int
[GblId, Arity=1]
Main.other = \\ (x_a2 :: GHC.Types.Int) -> src<Main.hs:9:1-20> x_a2
";

#[test]
fn a_line_that_one_binding_has_is_that_bindings() {
    let dump = Dump::read(NOTED.as_bytes());
    assert!(dump.problems.is_empty(), "{:?}", dump.problems);
    let program = Program::new(vec![Module::new("Main", dump)]);
    let [step, other] = ["Main.step", "Main.other"].map(|name| site(&program, name));
    let of_line = |symbol, line| Count { symbol, file: "/src/Main.hs", line, instructions: 8 };
    let at = |count| {
        let counted = Instructions::from_counts(&program, [count].into_iter());
        let unplaced = counted.elsewhere(Elsewhere::Unplaced);
        (counted.site(step), counted.site(other), unplaced)
    };
    // Regardless of callgrind's attribution.
    assert_eq!(at(of_line("stg_upd_frame_info", 4)), (8, 0, 0));
    assert_eq!(at(of_line("Main_other_info", 4)), (8, 0, 0));
    // Both have the line, so the symbol decides if it is one of them.
    assert_eq!(at(of_line("Main_other_info", 9)), (0, 8, 0));
    assert_eq!(at(of_line("stg_upd_frame_info", 9)), (0, 0, 8));
    assert_eq!(at(of_line("Main_step_info", 70)), (8, 0, 0));
}

#[test]
fn another_compilation_of_the_same_has_the_same_counts() {
    let compiled = program(&pair("arity")[0], None);
    let again = program(&pair("arity")[0], Some(&renamed));
    // It is visible only in its own module.
    let counts = [("zdwdigits_r3dE_info", 30), ("Main_zdwwalk_info", 9)];
    let counted = counted(&compiled, &counts);
    assert_eq!(counted.placed(), 39);
    let transferred = counted.transferred(&compiled, &again);
    assert_eq!(transferred.placed(), 39);
    let is_digits = |site: &Site| again.name(*site).starts_with("$wdigits_");
    let digits = again.sites().find(is_digits).expect("a worker of it");
    assert_eq!(transferred.site(digits), 30);
    assert_eq!(transferred.site(site(&again, "Main.$wwalk")), 9);
}

#[test]
fn what_has_no_counterpart_is_unplaced() {
    let [before, after] = pair("export").map(|version| program(&version, None));
    let counts = [("Main_execute_info", 30), ("Main_zdwrun_info", 9), ("schedule", 1)];
    let counted = counted(&after, &counts);
    assert_eq!(counted.placed(), 39);
    let transferred = counted.transferred(&after, &before);
    assert_eq!(transferred.elsewhere(Elsewhere::Unplaced), 30);
    assert_eq!(transferred.total(), 40);
}

#[test]
fn where_allocations_are_the_same_instructions_decide() {
    let [mut before, mut after] = [(); 2].map(|()| program(&pair("export")[0], None));
    before.instructions = Some(counted(&before, &[("Main_zdwrun_info", 1_000_000)]));
    after.instructions = Some(counted(&after, &[("Main_zdwrun_info", 1_000_300)]));
    let difference = Difference::new(&before, &after);
    assert_eq!(difference.by, By::Instructions);
    let total = difference.total.expect("both were measured");
    assert_eq!((total.bytes(), total.instructions()), (0, Some(300)));
    let moved = difference.same_but_moved();
    let names: Vec<&str> = moved.iter().map(|at| difference.bindings[*at].name.as_str()).collect();
    assert_eq!(names, ["Main.run"]);
}

#[test]
fn bindings_to_which_little_could_be_attributed_are_not_compared() {
    let [mut before, mut after] = [(); 2].map(|()| program(&pair("export")[0], None));
    let told = |before: &Program, after: &Program| {
        let total = Difference::new(before, after).total.expect("both were measured");
        total.instructions()
    };
    // Most instructions of its modules belong to none of their bindings.
    let unplaced = |own: u64| [("Main_zdwrun_info", own), ("Main_nobody_info", 100_000)];
    let count = |program: &Program, own: u64| counted(program, &unplaced(own));
    before.instructions = Some(count(&before, 107));
    after.instructions = Some(count(&after, 171));
    assert_eq!(told(&before, &after), None);
    before.instructions = Some(count(&before, 150_000));
    assert_eq!(told(&before, &after), None, "one of the two is not enough");
    after.instructions = Some(count(&after, 150_001));
    assert_eq!(told(&before, &after), Some(1));
}

#[test]
fn code_that_allocates_executes_instructions() {
    let program = program(&pair("boxing")[0], None);
    let counted = counted(&program, &[("Main_zdwgather_info", 107), ("schedule", 1_000_000_000)]);
    assert!(counted.compares_bindings(0) && counted.compares_bindings(800));
    assert!(!counted.compares_bindings(1_700_000_000));
    // An empty count does not count either.
    assert!(!Instructions::default().compares_bindings(0));
}
