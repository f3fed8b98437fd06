//! Causes against programs: the causes found in each.

use std::collections::BTreeSet;

use fixtures::GHC_CAUSES;
use ghc::causes::{ALL, Examination, Paid, examine};
use ghc::difference::{Course, Difference, Fate, Lead};

use crate::program::{VERSIONS, program};

/// Each pair of programs, with the cause in the first of the two.
pub(crate) const PAIRS: [(&str, &str); 30] = [
    ("append", "append-to-accumulator"),
    ("boxed_argument", "boxed-argument"),
    ("boxed_elements", "boxed-elements"),
    ("boxed_reference", "boxed-reference"),
    ("closure_chain", "closure-chain"),
    ("copy_on_write", "copy-on-write"),
    ("deep_stack", "deep-stack"),
    ("eta", "lambda-under-case"),
    ("existential", "existential-dictionary"),
    ("function_argument", "function-argument"),
    ("integer_loop", "integer-arithmetic"),
    ("kept_slices", "kept-slices"),
    ("lazy_argument", "lazy-accumulator"),
    ("list_kept", "list-kept"),
    ("list_shared", "list-kept"),
    ("list_floated", "list-kept"),
    ("literal_list", "literal-list"),
    ("lock_frame", "lock-frame"),
    ("lost_specialise", "lost-specialise"),
    ("made_anew", "made-anew"),
    ("missing_optimisation", "missing-optimisation"),
    ("over_saturated", "over-saturated-calls"),
    ("overloaded", "overloaded-loop"),
    ("overloaded_constant", "overloaded-constant"),
    ("rebuild", "rebuild-after-recursion"),
    ("sort_keys", "sort-keys"),
    ("thunk_leak", "thunk-leak"),
    ("tree_substitution", "tree-substitution"),
    ("unknown_call", "unknown-call"),
    ("visible_used_once", "visible-used-once"),
];

/// Pairs compiled by a single GHC.
const OF_9_0: [&str; 6] =
    ["deep_stack", "kept_slices", "list_floated", "list_shared", "made_anew", "sort_keys"];

/// The compilers that compiled a pair.
fn versions(pair: &str) -> &'static [&'static str] {
    if OF_9_0.contains(&pair) { &["9.0.2"] } else { &VERSIONS }
}

/// All pairs, with each of their compilers.
fn compiled() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let all = PAIRS.iter();
    all.flat_map(|(pair, cause)| {
        versions(pair).iter().map(move |version| (*version, *pair, *cause))
    })
}

/// The number of findings visible without scrolling.
const FIRST: usize = 3;

/// The findings of a program, the most costly first, without minor ones.
fn shown(examination: &Examination) -> Vec<&'static str> {
    let shown = examination.ranked.iter().filter(|it| !it.is_minor());
    shown.map(|it| it.finding.cause.id).collect()
}

#[test]
fn a_cause_is_among_the_first_findings_where_it_is_and_none_where_it_is_not() {
    let mut wrong = Vec::new();
    for (version, pair, cause) in compiled() {
        let before = examine(&program(version, pair, "before"));
        let after = examine(&program(version, pair, "after"));
        let found = shown(&before);
        if !found.iter().take(FIRST).any(|it| *it == cause) {
            wrong.push(format!("{version} {pair}, before: {cause} is not among {found:?}"));
        }
        // Not even as a minor one.
        if after.ranked.iter().any(|it| it.finding.cause.id == cause) {
            wrong.push(format!("{version} {pair}, after: {cause} is still there"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What leads a difference in a course: the cause and its fate, or the weight of a change in Core.
fn leading(difference: &Difference<'_>, course: Course) -> Result<(&'static str, Fate), u32> {
    match difference.lead(Some(course)) {
        Some(Lead::Cause(number)) => {
            let cause = &difference.causes[number];
            Ok((cause.cause.id, cause.fate))
        }
        Some(Lead::Group(number)) => {
            let (at, change) = difference.groups[number].lead.expect("a group that leads");
            Err(difference.bindings[at].weight(change))
        }
        None => Err(0),
    }
}

#[test]
fn the_first_sentence_names_the_cause_that_went_or_came_or_the_reason_for_it() {
    /// The weight of a change in Core that is the reason for a cause.
    const REASON: u32 = 100;
    /// Pairs where another cause or change leads: a consequence of the same change.
    const CONSEQUENCE_LEADS: [&str; 3] = ["existential", "literal_list", "unknown_call"];
    let mut wrong = Vec::new();
    for (pair, cause) in PAIRS {
        if CONSEQUENCE_LEADS.contains(&pair) {
            continue;
        }
        let [before, after] = ["before", "after"].map(|variant| program("9.0.2", pair, variant));
        let cured = leading(&Difference::new(&before, &after), Course::Better);
        let back = leading(&Difference::new(&after, &before), Course::Worse);
        for (found, fate) in [(cured, Fate::Gone), (back, Fate::New)] {
            if found != Ok((cause, fate)) && !found.is_err_and(|weight| weight >= REASON) {
                wrong.push(format!("{pair}: {cause} is {fate:?}, and {found:?} leads"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cause_that_went_does_not_lead_where_the_program_costs_more() {
    for (pair, _) in PAIRS {
        let [before, after] = ["before", "after"].map(|variant| program("9.0.2", pair, variant));
        let found = leading(&Difference::new(&before, &after), Course::Worse);
        let is_gone = found.is_ok_and(|(_, fate)| matches!(fate, Fate::Gone | Fate::Less));
        assert!(!is_gone, "{pair}: {found:?}");
    }
}

#[test]
fn a_nest_of_binds_is_told_at_the_function_that_makes_it() {
    for version in VERSIONS {
        let program = program(version, "tree_substitution", "before");
        let ranked = examine(&program).ranked;
        let found = ranked.iter().find(|it| it.finding.cause.id == "tree-substitution");
        let finding = &found.expect("its finding").finding;
        let at = program.location_of(finding).expect("a place");
        assert_eq!(program.name_at(finding.site, Some(&at)), "count", "{version}");
        assert!(finding.what.starts_with("`andThen` goes down"), "{version}: {}", finding.what);
        assert!(finding.what.contains("`count` gives it"), "{version}: {}", finding.what);
    }
}

#[test]
fn programs_without_a_cause_have_no_other_either() {
    // Real costs that a program still has, besides the one that the pair is about.
    let known = [
        ("lost_specialise", "lazy-accumulator"),
        ("lost_specialise", "boxed-argument"),
        ("over_saturated", "lazy-accumulator"),
        ("function_argument", "boxed-reference"),
        ("list_kept", "lazy-accumulator"),
        ("deep_stack", "boxed-argument"),
        ("list_shared", "boxed-argument"),
        ("overloaded_constant", "overloaded-loop"),
        ("tree_substitution", "function-argument"),
        ("overloaded", "boxed-reference"),
        ("thunk_leak", "boxed-reference"),
    ];
    let mut wrong = Vec::new();
    for (version, pair, _) in compiled() {
        for found in shown(&examine(&program(version, pair, "after"))) {
            if !known.contains(&(pair, found)) {
                wrong.push(format!("{version} {pair}: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_cause_has_its_pair_and_every_pair_its_program() {
    // Some causes have several pairs.
    let of_pairs: BTreeSet<&str> = PAIRS.iter().map(|(_, cause)| *cause).collect();
    // Time shows only in a running program: those pairs are built and run by the tests of the tool.
    let kept = ALL.iter().filter(|cause| cause.paid != Paid::Time);
    let all: BTreeSet<&str> = kept.map(|cause| cause.id).collect();
    assert_eq!(of_pairs, all);
    let programs = std::fs::read_dir(GHC_CAUSES.folder().join("programs")).expect("the programs");
    let programs: BTreeSet<String> = programs
        .map(|it| it.expect("a folder").file_name().into_string().expect("a name"))
        .collect();
    let pairs: BTreeSet<String> = PAIRS.iter().map(|(pair, _)| (*pair).to_owned()).collect();
    assert_eq!(pairs, programs);
}

#[test]
fn every_packed_program_is_examined() {
    let folder = |path: &str| path.rsplit_once('/').expect("a folder").0.to_owned();
    let packed: BTreeSet<String> = GHC_CAUSES.paths().map(folder).collect();
    let examined: BTreeSet<String> = compiled()
        .flat_map(|(version, pair, _)| {
            ["before", "after"].map(|variant| format!("{version}/{pair}/{variant}"))
        })
        .collect();
    assert_eq!(packed, examined);
}

#[test]
fn each_place_is_told_once_with_all_its_findings() {
    let mut most = 0;
    for (version, pair, _) in compiled() {
        let examination = examine(&program(version, pair, "before"));
        // One binding may hold code from several declarations.
        let program = program(version, pair, "before");
        let declared = examination.places.iter().map(|place| {
            let first = &examination.ranked[place.findings[0]].finding;
            let at = program.location_of(first);
            (place.site, at.and_then(|at| program.declared(place.site, &at).map(str::to_owned)))
        });
        let declared: BTreeSet<_> = declared.collect();
        assert_eq!(declared.len(), examination.places.len(), "{version} {pair}");
        let mut told: Vec<usize> = Vec::new();
        for place in &examination.places {
            most = most.max(place.findings.len());
            told.extend(&place.findings);
            let cost = place.cost.expect("a cost").allocated_bytes;
            for number in &place.findings {
                let own = examination.ranked[*number].cost.expect("a cost").allocated_bytes;
                assert!(own <= cost, "{version} {pair}: a part costs more than its place");
            }
        }
        told.sort_unstable();
        assert!(told.iter().copied().eq(0..examination.ranked.len()), "{version} {pair}");
    }
    assert!(most > 1, "no program has several causes in one place");
}

#[test]
fn a_finding_says_all_that_a_reader_needs() {
    for (pair, cause) in PAIRS {
        let program = program("9.0.2", pair, "before");
        let examination = examine(&program);
        let found = examination.ranked.iter().find(|it| it.finding.cause.id == cause);
        let finding = &found.expect("its finding").finding;
        for text in [&finding.what, &finding.why, &finding.remedy.text] {
            assert!(!text.is_empty() && !text.contains("  "), "{cause}: {text}");
        }
        assert!(finding.why.ends_with('.') && !finding.what.ends_with('.'), "{cause}");
        assert!(!finding.cause.seed.is_empty() && !finding.cause.about.is_empty(), "{cause}");
        let first = finding.evidence.first().expect("evidence");
        let module = program.module_of(first.site);
        let binding = match first.within {
            Some(within) => &module.core().bindings[within],
            None => module.binding(first.site.top),
        };
        let shown = module.core().readable_marked(binding, &first.focus);
        assert_eq!(shown.marks.is_empty(), first.focus.is_empty(), "{cause}: {}", shown.text);
        assert!(program.location(finding.site).is_some(), "{cause}: where it is");
    }
}

#[test]
fn without_counters_causes_are_found_too_and_nothing_is_said_to_be_measured() {
    for (pair, cause) in PAIRS {
        // The counters or the heap reveal these.
        let told = [
            "unknown-call",
            "thunk-leak",
            "list-kept",
            "closure-chain",
            "overloaded-constant",
            "sort-keys",
            "deep-stack",
            "made-anew",
        ];
        if told.contains(&cause) {
            continue;
        }
        let mut program = program("9.0.2", pair, "before");
        program.ticky = None;
        program.allocated_bytes = None;
        let examination = examine(&program);
        assert!(examination.ranked.iter().any(|it| it.finding.cause.id == cause), "{cause}");
        assert!(examination.ranked.iter().all(|it| it.cost.is_none()), "{cause}");
    }
}
