//! The costs of bindings, computed by hand for a program of two functions; and the ranking of
//! findings.

use ghc::causes::cause::{Look, Need, Paid};
use ghc::causes::costs::Costs;
use ghc::causes::doubts::{Doubt, doubts};
use ghc::causes::examine::{Examination, examine_for};
use ghc::causes::{Basis, Cause, Finding, Module, Program, Remedy, Site};
use ghc::core::Dump;
use ghc::core::tree::Id;
use ghc::core::tree::{Binding, Expr};
use ghc::ticky;

const SIMPL: &str = "\
Main.small :: Int -> Int
[GblId, Arity=1]
Main.small = \\ (x_a1 :: Int) -> let { go_s1 = f x_a1 } in let { go_s2 = go_s1 } in g go_s2

large_r2 :: Int -> Int
[GblId, Arity=1]
large_r2 = \\ (x_a1 :: Int) -> h x_a1
";

/// As left by CorePrep: other uniques inside, one more binding, and a part of `large` before it.
const PREP: &str = "\
Main.small = \\ (x_s3 :: Int) -> let { go_s4 = let { sat_s5 = x_s3 } in f sat_s5 } in let { go_s6 = go_s4 } in g go_s6

sat_s9 = k

large_r2 = \\ (x_s7 :: Int) -> h x_s7 sat_s9
";

/// A profile with these rows, in the format of the file.
fn profile(rows: &str) -> ticky::Profile {
    let text = format!(
        "    Entries      Alloc    Alloc'd  Non-void Arguments      STG Name\n\
         ----------\n{rows}\n**********\n   3 UNKNOWN_CALL_ctr\n   0 GC_FAILED_PROMOTION_ctr\n"
    );
    ticky::read(text.as_bytes()).expect("a sound profile")
}

const ROWS: &str = "\
 10   100   0   1 M   Main.small{v r1} (fun)
 10    50  40   0     go_s4{v} (Main) (thk) in r1
  5    30   0   0     sat_s5{v} (Main) (thk) in s4
  5    20   0   0     go_s6{v} (Main) (thk) in r1
 60   780   0   1 M   large{v r2} (Main) (fun)
 10    20   0   0     sat_s9{v} (Main) (thk)
";

fn program(rows: &str, prep: Option<&str>) -> Program {
    let mut module = Module::new("Main", Dump::read(SIMPL.as_bytes()));
    module.prep = prep.map(|text| Dump::read(text.as_bytes()));
    assert!(module.dump.problems.is_empty());
    let mut program = Program::new(vec![module]);
    program.ticky = Some(profile(rows));
    program.allocated_bytes = Some(2000);
    program
}

const SMALL: Site = Site { module: 0, top: 0 };
const LARGE: Site = Site { module: 0, top: 1 };

/// The bindings named `go` within `small`.
fn goes(program: &Program) -> Vec<Id<Binding>> {
    let core = program.modules[0].core();
    core.walk(program.binding(SMALL).right)
        .filter_map(|it| match core.exprs[it] {
            Expr::Let(_, bindings, _) => bindings.ids().next(),
            _ => None,
        })
        .collect()
}

#[test]
fn a_binding_costs_what_it_and_all_within_it_allocate() {
    let program = program(ROWS, Some(PREP));
    let costs = Costs::from_program(&program);
    let small = costs.site(SMALL);
    assert_eq!((small.allocated_bytes, small.entries), (200, Some(30)));
    // A share of the runtime's total, not of the counters' total.
    assert_eq!(small.allocation_share, Some(0.1));
    assert_eq!(small.entry_share, Some(0.3));
    // The part that CorePrep made a top-level binding is counted with it.
    let large = costs.site(LARGE);
    assert_eq!((large.allocated_bytes, large.entries), (800, Some(70)));
    let coverage = costs.coverage();
    assert_eq!((coverage.instrumented_bytes, coverage.outside_share), (1000, Some(0.5)));
    assert_eq!((coverage.rows, coverage.unplaced_rows), (6, 0));
    assert_eq!(coverage.stranger_share, Some(0.0));
}

#[test]
fn a_part_is_found_by_its_name_and_number() {
    let program = program(ROWS, Some(PREP));
    let costs = Costs::from_program(&program);
    let goes = goes(&program);
    let part = |number: usize| costs.basis(&program, &Basis::binding(SMALL, Some(goes[number])));
    assert_eq!(part(0).allocated_bytes, 80, "with the binding that only CorePrep has");
    assert_eq!(part(1).allocated_bytes, 20);
    let both = Basis { parts: vec![(SMALL, goes[0])], ..Basis::site(SMALL) };
    assert_eq!(costs.basis(&program, &both).allocated_bytes, 200, "nothing counts twice");
    // If CorePrep dropped one of two, it is unknown which is left.
    let prep = PREP.replace("let { go_s6 = go_s4 } in g go_s6", "g go_s4");
    let program = self::program(ROWS, Some(&prep));
    let costs = Costs::from_program(&program);
    assert_eq!(costs.rows_within(&program, SMALL, self::goes(&program)[0]), None);
}

#[test]
fn without_core_prep_rows_go_where_their_closures_are_allocated() {
    let program = program(ROWS, None);
    let costs = Costs::from_program(&program);
    assert_eq!(costs.site(SMALL).allocated_bytes, 200);
    assert_eq!(costs.site(LARGE).allocated_bytes, 780, "nobody says where `sat_s9` belongs");
    let coverage = costs.coverage();
    assert_eq!((coverage.unplaced_rows, coverage.unplaced_share), (1, Some(0.02)));
    assert_eq!(coverage.stranger_share, None);
}

#[test]
fn rows_with_other_uniques_are_of_another_build() {
    let program = program(&ROWS.replace("_s", "_s1"), Some(PREP));
    let coverage = Costs::from_program(&program).coverage();
    assert_eq!(coverage.stranger_share, Some(0.8), "`large_r2` alone is in both");
    let doubts = doubts(&program, Some(&coverage));
    assert_eq!(doubts, [Doubt::OtherBuild { share: 0.8 }]);
}

fn finding(cause: &'static Cause, site: Site) -> Finding {
    Finding {
        cause,
        site,
        within: None,
        at: None,
        what: String::new(),
        predicate: None,
        evidence: Vec::new(),
        remedy: Remedy { text: String::new(), change: None },
        why: String::new(),
        basis: Basis::site(site),
    }
}

const fn cause(id: &'static str, explains: f64, paid: Paid, find: Find) -> Cause {
    Cause { id, title: id, about: "", seed: "", needs: &[Need::IdInfo], explains, paid, find }
}

type Find = fn(&Look<'_>) -> Vec<Finding>;

static EVERYWHERE: Cause = cause("everywhere", 0.1, Paid::Allocations, |look| {
    look.sites().map(|site| finding(&EVERYWHERE, site)).collect()
});
static OF_SMALL: Cause = cause("of-small", 1.0, Paid::Entries, |_| vec![finding(&OF_SMALL, SMALL)]);

fn order(examination: &Examination) -> Vec<(&str, usize)> {
    examination
        .ranked
        .iter()
        .map(|ranked| (ranked.finding.cause.id, ranked.finding.site.top))
        .collect()
}

#[test]
fn findings_are_ranked_by_what_they_cost_times_what_their_cause_explains() {
    let program = program(ROWS, Some(PREP));
    let examination = examine_for(&program, &[&EVERYWHERE, &OF_SMALL]);
    // 0.3 of entries times 1, 0.4 of allocations times 0.1, 0.1 of allocations times 0.1.
    let expected = [("of-small", 0), ("everywhere", 1), ("everywhere", 0)];
    assert_eq!(order(&examination), expected);
    assert!(examination.ranked.iter().all(|ranked| !ranked.is_minor()));
    // A hundredth of the allocations is the smallest share shown.
    let mut program = program;
    program.allocated_bytes = Some(20_001);
    let examination = examine_for(&program, &[&EVERYWHERE]);
    let minor: Vec<bool> = examination.ranked.iter().map(|it| it.is_minor()).collect();
    assert_eq!(
        (order(&examination), minor),
        (vec![("everywhere", 1), ("everywhere", 0)], vec![false, true])
    );
}

#[test]
fn without_counters_findings_are_in_the_order_of_the_causes() {
    let mut program = program(ROWS, Some(PREP));
    program.ticky = None;
    let examination = examine_for(&program, &[&EVERYWHERE, &OF_SMALL]);
    assert_eq!(order(&examination), [("everywhere", 0), ("everywhere", 1), ("of-small", 0)]);
    assert!(examination.ranked.iter().all(|it| it.cost.is_none() && !it.is_minor()));
    assert_eq!(examination.coverage, None);
}

#[test]
fn a_cause_does_not_look_at_modules_that_lack_what_it_needs() {
    let bare = Module::new("Bare", Dump::read(b"f = \\ x_a1 -> x_a1\n"));
    let whole = Module::new("Main", Dump::read(SIMPL.as_bytes()));
    let program = Program::new(vec![bare, whole]);
    let examination = examine_for(&program, &[&EVERYWHERE]);
    assert!(examination.ranked.iter().all(|ranked| ranked.finding.site.module == 1));
    assert_eq!(examination.ranked.len(), 2);
    let blind = &examination.blind[0];
    assert_eq!((&blind.modules[..], blind.lacks), (&[0][..], Need::IdInfo));
    assert!(blind.reason.contains("-dsuppress-"), "{}", blind.reason);
}
