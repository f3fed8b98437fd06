//! The difference between two builds, as in a report.

use ghc::causes::doubts::doubts;
use ghc::causes::{Program, Site};
use ghc::core::tree::{Expr, Id};
use ghc::difference::{
    By, Course, Difference, Fate, Group, JoinedCause, Lead, Moved, WholeRun, words,
};
use ghc::instructions::{Elsewhere, Instructions};

use crate::explanation::{compiler, cost, evidence_of_binding, location};
use ::words::quantity::percent;
use findings::core_difference::{
    BindingCounts, CauseChange, CauseFate, ChangeElsewhere, ChangeGroup, ComparedBuild,
    CoreDifference, CostChange, DifferenceLead, ExecutedInstructions, GroupRemark,
    InstructionPlaces, LIBRARIES, RuleCount,
};
use findings::explanation::{CoreExcerpt, ExplainedRun};

/// The largest number of unchanged bindings reported because their cost changed.
const MOST_ELSEWHERE: usize = 5;

/// A build as reported: its subject and its run.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The subject of the build.
    pub subject: String,
    /// The run of the build, if any.
    pub run: Option<ExplainedRun>,
    /// The reason its instructions were not counted, if they should have been.
    pub no_instructions: Option<String>,
}

impl Told {
    /// A build that was not run.
    pub fn from_subject(subject: String) -> Self {
        Self { subject, run: None, no_instructions: None }
    }
}

/// Converts a difference into the part of a report.
pub fn core_difference(difference: &Difference<'_>, [before, after]: [Told; 2]) -> CoreDifference {
    let counts = difference.counts();
    let costs = difference.costs.as_ref();
    let elsewhere = difference.same_but_moved().into_iter().take(MOST_ELSEWHERE);
    let [modules_gone, modules_new] = difference.modules.clone();
    let runs = before.run.as_ref().zip(after.run.as_ref());
    let course = runs.and_then(|(before, after)| course(difference, [before, after]));
    let groups = groups(difference);
    let lead = difference.lead(course).map(|lead| match lead {
        Lead::Cause(number) => DifferenceLead::Cause(number),
        Lead::Group(number) => DifferenceLead::Change(number),
    });
    let bytes = (difference.before().allocated_bytes, difference.after().allocated_bytes);
    let reasons = [&before, &after].map(|told| told.no_instructions.clone());
    CoreDifference {
        instructions: executed(difference, reasons),
        told_by: match difference.by {
            By::Bytes => "allocations".to_owned(),
            By::Outside => LIBRARIES.to_owned(),
            By::Instructions => "instructions".to_owned(),
            By::Entries => "entries".to_owned(),
        },
        before: build(before, difference.before()),
        after: build(after, difference.after()),
        bindings: BindingCounts {
            same: counts.same,
            changed: counts.changed,
            only_before: counts.only_before,
            only_after: counts.only_after,
            renamed: counts.renamed,
        },
        total: difference.total.as_ref().map(|it| moved(difference, it)),
        allocated_bytes: bytes.0.zip(bytes.1).map(|(before, after)| [before, after]),
        lead,
        causes: difference.causes.iter().map(|it| cause(difference, it)).collect(),
        explained_share: difference.explained(),
        changes: groups,
        elsewhere: costs.map_or_else(Vec::new, |costs| {
            let part = |at: usize| ChangeElsewhere {
                binding: difference.bindings[at].name.clone(),
                moved: moved(difference, &costs[at]),
            };
            elsewhere.map(part).collect()
        }),
        rules: difference
            .rules
            .iter()
            .map(|it| RuleCount {
                module: it.module.clone(),
                rule: it.rule.clone(),
                before: it.before,
                after: it.after,
            })
            .collect(),
        modules_gone,
        modules_new,
        doubts: all_doubts(difference),
    }
}

/// True if a cause of cost explains the difference between two runs.
pub fn names_cause(difference: &Difference<'_>, runs: [&ExplainedRun; 2]) -> bool {
    matches!(difference.lead(course(difference, runs)), Some(Lead::Cause(_)))
}

fn course(difference: &Difference<'_>, runs: [&ExplainedRun; 2]) -> Option<Course> {
    let [before, after] = [0, 1].map(|side| whole_run(difference, runs[side], side));
    Course::from_runs(&before, &after)
}

/// The figures of a run by which the course of the whole program is judged.
fn whole_run(difference: &Difference<'_>, run: &ExplainedRun, side: usize) -> WholeRun {
    let program = [difference.before(), difference.after()][side];
    WholeRun {
        seconds: run.cpu_seconds(),
        instructions: program.instructions.as_ref().map(Instructions::total),
        allocated_bytes: run.allocated_bytes,
        max_live_bytes: run.max_live_bytes,
    }
}

/// A cause of both sides.
fn cause(difference: &Difference<'_>, it: &JoinedCause) -> CauseChange {
    let programs = [difference.before(), difference.after()];
    let ranked = [0, 1]
        .map(|side| it.findings[side].map(|number| &difference.examinations[side].ranked[number]));
    let side = if ranked[it.dearer_side()].is_some() { it.dearer_side() } else { 1 };
    let finding = ranked[side].map(|ranked| &ranked.finding);
    let predicate = finding.and_then(|finding| finding.predicate.as_deref());
    let predicate = predicate.unwrap_or(it.cause.title);
    let binding = it.binding.map(|number| &difference.bindings[number]);
    let is_whole = binding.is_some_and(|it| it.before.is_none() || it.after.is_none());
    let fate = match it.fate {
        Fate::Gone => CauseFate::Gone,
        Fate::New => CauseFate::New,
        Fate::Less => CauseFate::Less,
        Fate::More => CauseFate::More,
        Fate::Same => CauseFate::Same,
    };
    let costs = [0, 1].map(|side| cost(programs[side], ranked[side]?));
    let [before, after] = costs;
    CauseChange {
        cause: it.cause.id.to_owned(),
        binding: it.name.clone(),
        location: finding.and_then(|finding| {
            let at = programs[side].location_of(finding)?;
            Some(location(programs[side], finding.site, at))
        }),
        fate,
        what: words::fate(it.fate, predicate, is_whole),
        problem: finding.map(|finding| finding.what.clone()).unwrap_or_default(),
        moved_share: it.moved,
        before,
        after,
    }
}

fn executed(
    difference: &Difference<'_>,
    reasons: [Option<String>; 2],
) -> Option<ExecutedInstructions> {
    let part = |it: &Instructions| InstructionPlaces {
        total: it.total(),
        bindings: it.placed(),
        unplaced: it.elsewhere(Elsewhere::Unplaced),
        libraries: it.elsewhere(Elsewhere::Libraries),
        runtime: it.elsewhere(Elsewhere::Runtime),
        nameless: it.elsewhere(Elsewhere::Nameless),
    };
    let counted = [difference.before(), difference.after()].map(|it| it.instructions.as_ref());
    match (counted, reasons) {
        ([Some(before), Some(after)], _) => {
            let lacks = difference.total.is_some_and(|it| it.instructions().is_none());
            Some(ExecutedInstructions::Counted {
                before: part(before),
                after: part(after),
                unattributed: lacks.then(|| unattributed([before, after])),
            })
        }
        (_, [Some(missing), _] | [None, Some(missing)]) => {
            Some(ExecutedInstructions::Missing { missing })
        }
        _ => None,
    }
}

/// The reason bindings cannot be compared by their instructions.
fn unattributed(both: [&Instructions; 2]) -> String {
    let least = both.iter().filter_map(|it| it.placed_share()).reduce(f64::min).unwrap_or(0.0);
    format!(
        "only {} of those in the program's own modules could be attributed to a binding",
        percent(least)
    )
}

fn build(told: Told, program: &Program) -> ComparedBuild {
    ComparedBuild {
        subject: told.subject,
        compiler: compiler(program),
        modules: program.modules.len(),
        run: told.run,
    }
}

fn moved(difference: &Difference<'_>, it: &Moved) -> CostChange {
    let all = difference.total.map_or(0, |total| total.bytes_before);
    CostChange {
        bytes_before: it.bytes_before,
        bytes_after: it.bytes_after,
        share: (all > 0).then(|| it.bytes() as f64 / all as f64),
        entries_before: it.entries_before,
        entries_after: it.entries_after,
        instructions_before: it.instructions_before,
        instructions_after: it.instructions_after,
    }
}

/// The groups with anything to report.
fn groups(difference: &Difference<'_>) -> Vec<ChangeGroup> {
    let told = difference.groups.iter().filter(|group| group.lead.is_some() || costs(group));
    let mut parts: Vec<ChangeGroup> = told.map(|group| part(difference, group)).collect();
    if parts.iter().all(|part| part.minor) && difference.total.is_none() {
        parts.iter_mut().for_each(|part| part.minor = false);
    }
    parts
}

fn costs(group: &Group) -> bool {
    group
        .moved
        .is_some_and(|moved| moved.bytes() != 0 || moved.instructions().is_some_and(|it| it != 0))
}

fn part(difference: &Difference<'_>, group: &Group) -> ChangeGroup {
    let (at, lead) = match group.lead {
        Some((at, change)) => (at, Some(change)),
        None => (group.bindings[0], None),
    };
    let binding = &difference.bindings[at];
    let names = |is_wanted: fn(Option<Site>, Option<Site>) -> bool| -> Vec<String> {
        let all = group.bindings.iter().map(|it| &difference.bindings[*it]);
        let mut names: Vec<String> =
            all.filter(|it| is_wanted(it.before, it.after)).map(|it| it.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let what = match (lead, binding.before, binding.after) {
        (Some(lead), _, _) => words::change(&binding.changes[lead]),
        (None, Some(_), None) => "is gone".to_owned(),
        (None, ..) => "is new".to_owned(),
    };
    let [before, after] = evidence(difference, at);
    ChangeGroup {
        binding: binding.name.clone(),
        core_name: core_name(difference, at),
        moved: group.moved.as_ref().map(|it| moved(difference, it)),
        minor: difference.is_minor(group),
        more: more(difference, group, &binding.name, &what),
        what,
        gone: names(|before, after| before.is_some() && after.is_none()),
        new: names(|before, after| before.is_none() && after.is_some()),
        before,
        after,
    }
}

fn core_name(difference: &Difference<'_>, at: usize) -> String {
    let binding = &difference.bindings[at];
    let after = binding.after.map(|site| difference.after().name(site));
    let name = after.or(binding.before.map(|site| difference.before().name(site)));
    name.unwrap_or_default().to_owned()
}

/// The other changes of a group, each listed once, those that explain most first.
fn more(difference: &Difference<'_>, group: &Group, of: &str, what: &str) -> Vec<GroupRemark> {
    let mut all: Vec<(u32, GroupRemark)> = Vec::new();
    for at in &group.bindings {
        let binding = &difference.bindings[*at];
        for change in &binding.changes {
            let said = GroupRemark { binding: binding.name.clone(), what: words::change(change) };
            let is_lead = said.binding == of && said.what == what;
            if !is_lead && !all.iter().any(|(_, known)| *known == said) {
                all.push((change.weight(), said));
            }
        }
        if let Some(old) = &binding.renamed_from {
            let what = format!("was called `{old}` before");
            all.push((1, GroupRemark { binding: binding.name.clone(), what }));
        }
    }
    all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    all.into_iter().map(|(_, said)| said).collect()
}

/// Lines of both versions of a binding, around the differences.
fn evidence(difference: &Difference<'_>, at: usize) -> [Option<CoreExcerpt>; 2] {
    let binding = &difference.bindings[at];
    let [ours, theirs] = match (binding.before, binding.after) {
        (Some(before), Some(after)) => difference.differing(before, after),
        _ => [Vec::new(), Vec::new()],
    };
    let lines = |program: &Program, site: Option<Site>, focus: &[Id<Expr>]| {
        let site = site?;
        let readable = program.module_of(site).core().readable_marked(program.binding(site), focus);
        Some(evidence_of_binding(binding.name.clone(), &readable))
    };
    [
        lines(difference.before(), binding.before, &ours),
        lines(difference.after(), binding.after, &theirs),
    ]
}

fn all_doubts(difference: &Difference<'_>) -> Vec<String> {
    let sides = [("before", difference.before()), ("after", difference.after())];
    let mut all = Vec::new();
    for (side, (when, program)) in sides.into_iter().enumerate() {
        let coverage = difference.coverages.map(|both| both[side]);
        let doubts = doubts(program, coverage.as_ref());
        all.extend(doubts.iter().map(|doubt| format!("{when}: {doubt}")));
    }
    let measured = [difference.before().ticky.is_some(), difference.after().ticky.is_some()];
    if difference.total.is_none() && measured.contains(&true) {
        all.push("only one of the two has counters of a run, so costs are not compared".to_owned());
    }
    if let (Some(before), Some(after)) =
        (&difference.before().compiler, &difference.after().compiler)
        && before != after
    {
        all.push("two versions of GHC: what they do differently is told as a change".to_owned());
    }
    all
}
