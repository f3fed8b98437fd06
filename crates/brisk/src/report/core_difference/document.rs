//! The decided content of a report on the difference between two builds; renderers only format it.
//!
//! This is the part `core_difference` of the JSON of schema `brisk/1`. Fields are only ever added.

use ghc::causes::doubts::doubts;
use ghc::causes::{Program, Site};
use ghc::core::arena::Id;
use ghc::core::tree::Expr;
use ghc::difference::{By, Difference, Group, Moved, words};
use ghc::instructions::{Elsewhere, Instructions};
use serde::{Deserialize, Serialize};

use crate::report::explanation::document::{EvidencePart, RunPart, compiler};
use crate::report::quantity::percent;

/// A group whose change in cost is a smaller share of the total is minor.
const LEAST_SHARE: f64 = 0.01;

/// The value of `told_by` for allocations in libraries.
pub(super) const LIBRARIES: &str = "libraries";

/// A change of smaller weight, which merely follows from others, is not named as a reason for
/// allocations in libraries.
const LEAST_WEIGHT: u32 = 50;

/// The largest number of unchanged bindings reported because their cost changed.
const MOST_ELSEWHERE: usize = 5;

/// The changes in Core between two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoreDifferencePart {
    /// The build before.
    pub before: BuildPart,
    /// The build after.
    pub after: BuildPart,
    /// The numbers of top-level bindings that stayed, changed, came or went.
    pub bindings: CountsPart,
    /// The cost of all code with counters; missing if one of the two was not measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total: Option<MovedPart>,
    /// Bytes that the whole programs, with their libraries, allocated in their runs, if both are
    /// known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocated_bytes: Option<[u64; 2]>,
    /// Instructions executed by the runs without counters, or the reason they were not counted;
    /// absent if nothing was run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions: Option<ExecutedPart>,
    /// The measure that describes the difference: `allocations`, or `libraries` if most of the
    /// change in allocations was there; or, if allocations did not change, `instructions` or
    /// `entries`.
    pub told_by: String,
    /// The share of the total movement, up and down, that lies in bindings whose Core changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explained_share: Option<f64>,
    /// The changes, those with the largest change in cost first.
    pub changes: Vec<GroupPart>,
    /// Bindings whose cost changed although their Core did not.
    pub elsewhere: Vec<ElsewherePart>,
    /// Rewrite rules that fired a different number of times.
    pub rules: Vec<RulePart>,
    /// Modules that only the build before has.
    pub modules_gone: Vec<String>,
    /// Modules that only the build after has.
    pub modules_new: Vec<String>,
    /// Reasons to doubt the whole comparison, in sentences.
    pub doubts: Vec<String>,
}

/// One of the two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BuildPart {
    /// The subject of the build: a path, a folder of dumps, a commit.
    pub subject: String,
    /// The version of the compiler, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// The number of modules read.
    pub modules: usize,
    /// The run of the build, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RunPart>,
}

/// The instructions of both runs, or the reason they were not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ExecutedPart {
    /// The instructions were counted.
    Counted {
        /// Instructions of the build before.
        before: WherePart,
        /// Instructions of the build after.
        after: WherePart,
        /// The reason bindings cannot be compared by instructions, if they cannot.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        unattributed: Option<String>,
    },
    /// The instructions were not counted.
    Missing {
        /// The reason.
        missing: String,
    },
}

/// A run's executed instructions, by the kind of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WherePart {
    /// All instructions.
    pub total: u64,
    /// Those in the program's bindings.
    pub bindings: u64,
    /// Those in code of its modules that belongs to no binding of their dumps.
    pub unplaced: u64,
    /// Those in libraries compiled by GHC.
    pub libraries: u64,
    /// Those in code not compiled by GHC: its runtime, the C library.
    pub runtime: u64,
    /// Those in code without a symbol.
    pub nameless: u64,
}

/// The numbers of top-level bindings that stayed, changed, came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountsPart {
    /// Unchanged bindings.
    pub same: usize,
    /// Changed bindings.
    pub changed: usize,
    /// Removed bindings.
    pub only_before: usize,
    /// Added bindings.
    pub only_after: usize,
    /// Bindings under another name or in another module, changed or not.
    pub renamed: usize,
}

/// A cost before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MovedPart {
    /// Bytes allocated by the code before.
    pub bytes_before: u64,
    /// Bytes allocated by the code after.
    pub bytes_after: u64,
    /// The change in bytes as a share of all that code with counters allocated before; null if that
    /// was zero.
    pub share: Option<f64>,
    /// The number of entries into the code before.
    pub entries_before: Option<u64>,
    /// The number of entries into the code after.
    pub entries_after: Option<u64>,
    /// Instructions executed by the code before, if they were counted and attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_before: Option<u64>,
    /// Instructions executed by the code after, if they were counted and attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_after: Option<u64>,
}

/// Bindings that changed together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GroupPart {
    /// The most telling binding, under its readable name, with its module.
    pub binding: String,
    /// The same binding, under its name in Core.
    pub core_name: String,
    /// The change in it, as one sentence without its subject.
    pub what: String,
    /// The group's cost; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved: Option<MovedPart>,
    /// Set if the change is too small to be shown by default.
    pub minor: bool,
    /// The other changes in the group.
    pub more: Vec<SaidPart>,
    /// The group's removed bindings.
    pub gone: Vec<String>,
    /// The group's added bindings.
    pub new: Vec<String>,
    /// Lines of its Core before, with what the other version lacks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<EvidencePart>,
    /// Lines of its Core after, with what the other version lacks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<EvidencePart>,
}

/// A single change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SaidPart {
    /// The binding's readable name.
    pub binding: String,
    /// The change, as one sentence without its subject.
    pub what: String,
}

/// A binding whose cost changed although its Core did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ElsewherePart {
    /// The binding's readable name.
    pub binding: String,
    /// Its cost.
    pub moved: MovedPart,
}

/// A rewrite rule that fired a different number of times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RulePart {
    /// The module in which it fired.
    pub module: String,
    /// The name of the rule.
    pub rule: String,
    /// The number of times it fired before.
    pub before: usize,
    /// The number of times it fired after.
    pub after: usize,
}

/// A build as reported: its subject and its run.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The subject of the build.
    pub subject: String,
    /// The run of the build, if any.
    pub run: Option<RunPart>,
    /// The reason its instructions were not counted, if they should have been.
    pub no_instructions: Option<String>,
}

impl Told {
    /// A build that was not run.
    #[must_use]
    pub fn from_subject(subject: String) -> Self {
        Self { subject, run: None, no_instructions: None }
    }
}

impl CoreDifferencePart {
    /// Converts a difference into the part of a report.
    #[must_use]
    pub fn new(difference: &Difference<'_>, [before, after]: [Told; 2]) -> Self {
        let counts = difference.counts();
        let costs = difference.costs.as_ref();
        let elsewhere = difference.same_but_moved().into_iter().take(MOST_ELSEWHERE);
        let [modules_gone, modules_new] = difference.modules.clone();
        let bytes = (difference.before().allocated_bytes, difference.after().allocated_bytes);
        let reasons = [&before, &after].map(|told| told.no_instructions.clone());
        Self {
            instructions: executed(difference, reasons),
            told_by: match difference.by {
                By::Bytes => "allocations".to_owned(),
                By::Outside => LIBRARIES.to_owned(),
                By::Instructions => "instructions".to_owned(),
                By::Entries => "entries".to_owned(),
            },
            before: build(before, difference.before()),
            after: build(after, difference.after()),
            bindings: CountsPart {
                same: counts.same,
                changed: counts.changed,
                only_before: counts.only_before,
                only_after: counts.only_after,
                renamed: counts.renamed,
            },
            total: difference.total.as_ref().map(|it| moved(difference, it)),
            allocated_bytes: bytes.0.zip(bytes.1).map(|(before, after)| [before, after]),
            explained_share: difference.explained(),
            changes: groups(difference),
            elsewhere: costs.map_or_else(Vec::new, |costs| {
                let part = |at: usize| ElsewherePart {
                    binding: difference.bindings[at].name.clone(),
                    moved: moved(difference, &costs[at]),
                };
                elsewhere.map(part).collect()
            }),
            rules: difference
                .rules
                .iter()
                .map(|it| RulePart {
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

    /// The changes shown by default.
    pub fn major(&self) -> impl Iterator<Item = &GroupPart> {
        self.changes.iter().filter(|it| !it.minor)
    }
}

fn executed(difference: &Difference<'_>, reasons: [Option<String>; 2]) -> Option<ExecutedPart> {
    let part = |it: &Instructions| WherePart {
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
            Some(ExecutedPart::Counted {
                before: part(before),
                after: part(after),
                unattributed: lacks.then(|| unattributed([before, after])),
            })
        }
        (_, [Some(missing), _] | [None, Some(missing)]) => Some(ExecutedPart::Missing { missing }),
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

fn build(told: Told, program: &Program) -> BuildPart {
    BuildPart {
        subject: told.subject,
        compiler: compiler(program),
        modules: program.modules.len(),
        run: told.run,
    }
}

fn moved(difference: &Difference<'_>, it: &Moved) -> MovedPart {
    let all = difference.total.map_or(0, |total| total.bytes_before);
    MovedPart {
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
fn groups(difference: &Difference<'_>) -> Vec<GroupPart> {
    let told = difference.groups.iter().filter(|group| group.lead.is_some() || costs(group));
    let mut parts: Vec<GroupPart> = told.map(|group| part(difference, group)).collect();
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

fn is_minor(difference: &Difference<'_>, group: &Group) -> bool {
    let share = |part: u128, all: Option<u64>| {
        all.filter(|all| *all > 0).is_some_and(|all| part as f64 / all as f64 >= LEAST_SHARE)
    };
    let weight = group.lead.map_or(0, |(at, change)| difference.bindings[at].weight(change));
    match (&group.moved, &difference.total) {
        (Some(_), Some(_)) if difference.by == By::Outside && weight >= LEAST_WEIGHT => false,
        (Some(moved), Some(total)) => {
            // Relative to the larger side: code that allocated nothing before would have no share.
            let bytes = total.bytes_before.max(total.bytes_after);
            let entries = total.entries_before.max(total.entries_after);
            let instructions = total.instructions_before.max(total.instructions_after);
            let by = |by: By| moved.by(by).unsigned_abs();
            !share(by(By::Bytes), Some(bytes))
                && !share(by(By::Entries), entries)
                && !share(by(By::Instructions), instructions)
        }
        // Without measurements, named changes precede mere differences.
        _ => weight == 0,
    }
}

fn part(difference: &Difference<'_>, group: &Group) -> GroupPart {
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
    GroupPart {
        binding: binding.name.clone(),
        core_name: core_name(difference, at),
        moved: group.moved.as_ref().map(|it| moved(difference, it)),
        minor: is_minor(difference, group),
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
fn more(difference: &Difference<'_>, group: &Group, of: &str, what: &str) -> Vec<SaidPart> {
    let mut all: Vec<(u32, SaidPart)> = Vec::new();
    for at in &group.bindings {
        let binding = &difference.bindings[*at];
        for change in &binding.changes {
            let said = SaidPart { binding: binding.name.clone(), what: words::change(change) };
            let is_lead = said.binding == of && said.what == what;
            if !is_lead && !all.iter().any(|(_, known)| *known == said) {
                all.push((change.weight(), said));
            }
        }
        if let Some(old) = &binding.renamed_from {
            let what = format!("was called `{old}` before");
            all.push((1, SaidPart { binding: binding.name.clone(), what }));
        }
    }
    all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    all.into_iter().map(|(_, said)| said).collect()
}

/// Lines of both versions of a binding, around the differences.
fn evidence(difference: &Difference<'_>, at: usize) -> [Option<EvidencePart>; 2] {
    let binding = &difference.bindings[at];
    let [ours, theirs] = match (binding.before, binding.after) {
        (Some(before), Some(after)) => difference.differing(before, after),
        _ => [Vec::new(), Vec::new()],
    };
    let lines = |program: &Program, site: Option<Site>, focus: &[Id<Expr>]| {
        let site = site?;
        let readable = program.module_of(site).core().readable_marked(program.binding(site), focus);
        Some(EvidencePart::from_binding(binding.name.clone(), &readable))
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
