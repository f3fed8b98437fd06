//! Everything that is told of a difference between two builds, decided; the renderers only format it.
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

/// A group whose cost changed by a smaller share of everything than this is minor.
const LEAST_SHARE: f64 = 0.01;

/// In `told_by`: what libraries allocated.
pub(super) const LIBRARIES: &str = "libraries";

/// What explains less is not told as a reason for what libraries do: what follows from other changes.
const LEAST_WEIGHT: u32 = 50;

/// So many bindings that cost more or less for no reason of their own are told.
const MOST_ELSEWHERE: usize = 5;

/// What changed in Core between two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoreDifferencePart {
    /// The build before.
    pub before: BuildPart,
    /// The build after.
    pub after: BuildPart,
    /// How many bindings of the top level became what.
    pub bindings: CountsPart,
    /// What all code with counters cost; missing where one of the two was not measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total: Option<MovedPart>,
    /// Bytes that the whole programs allocated in their runs, libraries among them, where both are
    /// known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocated_bytes: Option<[u64; 2]>,
    /// Instructions that the runs without counters executed, or why they were not counted; absent where
    /// nothing was run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions: Option<ExecutedPart>,
    /// What the difference is told by: `allocations`, or `libraries` where most of what moved was
    /// allocated there; or, where allocations did not change, `instructions` or `entries`.
    pub told_by: String,
    /// The share of all that moved, up and down, that lies in bindings whose Core changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explained_share: Option<f64>,
    /// What changed, what changed most in cost first.
    pub changes: Vec<GroupPart>,
    /// Bindings whose Core is the same, and which cost more or less.
    pub elsewhere: Vec<ElsewherePart>,
    /// Rewrite rules that fired another number of times.
    pub rules: Vec<RulePart>,
    /// Modules that only the build before has.
    pub modules_gone: Vec<String>,
    /// Modules that only the build after has.
    pub modules_new: Vec<String>,
    /// What makes the whole doubtful, in sentences.
    pub doubts: Vec<String>,
}

/// One of the two builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BuildPart {
    /// What it is of: a path, a folder of dumps, a commit.
    pub subject: String,
    /// The version of the compiler, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// How many modules were read.
    pub modules: usize,
    /// What was run, where something was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RunPart>,
}

/// The instructions of both runs, or why they were not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ExecutedPart {
    /// They were.
    Counted {
        /// Of the build before.
        before: WherePart,
        /// Of the build after.
        after: WherePart,
        /// Why bindings cannot be compared by them, where they cannot.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        unattributed: Option<String>,
    },
    /// They were not.
    Missing {
        /// Why.
        missing: String,
    },
}

/// Where a run executed its instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WherePart {
    /// In all.
    pub total: u64,
    /// In the bindings of the program.
    pub bindings: u64,
    /// In code of its modules that belongs to no binding of their dumps.
    pub unplaced: u64,
    /// In libraries that GHC compiled.
    pub libraries: u64,
    /// In code that is not GHC's: its runtime, the C library.
    pub runtime: u64,
    /// In code without a symbol.
    pub nameless: u64,
}

/// How many bindings of the top level became what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountsPart {
    /// The same before and after.
    pub same: usize,
    /// Changed.
    pub changed: usize,
    /// Gone.
    pub only_before: usize,
    /// New.
    pub only_after: usize,
    /// Under another name or in another module, whether changed or not.
    pub renamed: usize,
}

/// A cost before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MovedPart {
    /// Bytes that the code allocated before.
    pub bytes_before: u64,
    /// Bytes that the code allocated after.
    pub bytes_after: u64,
    /// Their change as a share of all that was allocated before in code with counters; none where
    /// that was nothing.
    pub share: Option<f64>,
    /// How often the code was entered before.
    pub entries_before: Option<u64>,
    /// How often the code was entered after.
    pub entries_after: Option<u64>,
    /// Instructions that the code executed before, where they were counted and could be attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_before: Option<u64>,
    /// Instructions that the code executed after, where they were counted and could be attributed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instructions_after: Option<u64>,
}

/// Bindings that changed together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GroupPart {
    /// The binding that says most, for people, with its module.
    pub binding: String,
    /// The same, as Core names it.
    pub core_name: String,
    /// What changed in it, in one sentence without its subject.
    pub what: String,
    /// What the group cost; missing where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved: Option<MovedPart>,
    /// Whether it is below what is shown unasked.
    pub minor: bool,
    /// What else changed in the group.
    pub more: Vec<SaidPart>,
    /// Its bindings that are gone.
    pub gone: Vec<String>,
    /// Its bindings that are new.
    pub new: Vec<String>,
    /// Lines of its Core before, with what the other version does not have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<EvidencePart>,
    /// Lines of its Core after, with what the other version does not have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<EvidencePart>,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SaidPart {
    /// The binding, for people.
    pub binding: String,
    /// What changed, in one sentence without its subject.
    pub what: String,
}

/// A binding whose Core is the same, and which costs more or less.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ElsewherePart {
    /// The binding, for people.
    pub binding: String,
    /// What it cost.
    pub moved: MovedPart,
}

/// A rewrite rule that fired another number of times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RulePart {
    /// The module in which it fired.
    pub module: String,
    /// Its name.
    pub rule: String,
    /// How often before.
    pub before: usize,
    /// How often after.
    pub after: usize,
}

/// A build as it is told: what it is of, and what was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// What it is of.
    pub subject: String,
    /// What was run, where something was.
    pub run: Option<RunPart>,
    /// Why its instructions were not counted, where they should have been.
    pub no_instructions: Option<String>,
}

impl Told {
    /// Of a build of which nothing was run.
    #[must_use]
    pub fn of(subject: String) -> Self {
        Self { subject, run: None, no_instructions: None }
    }
}

impl CoreDifferencePart {
    /// What a difference says.
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

    /// The changes that are shown unasked.
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

/// Why bindings cannot be compared by their instructions.
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

/// The groups in which something is to be told.
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
            // Of the larger side: what allocated nothing before has no share of that.
            let bytes = total.bytes_before.max(total.bytes_after);
            let entries = total.entries_before.max(total.entries_after);
            let instructions = total.instructions_before.max(total.instructions_after);
            let by = |by: By| moved.by(by).unsigned_abs();
            !share(by(By::Bytes), Some(bytes))
                && !share(by(By::Entries), entries)
                && !share(by(By::Instructions), instructions)
        }
        // Without measurement, what has a name is told before what is only different.
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

/// What else is said of a group, what explains most first, and everything once.
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

/// Lines of both versions of a binding, around what differs.
fn evidence(difference: &Difference<'_>, at: usize) -> [Option<EvidencePart>; 2] {
    let binding = &difference.bindings[at];
    let [ours, theirs] = match (binding.before, binding.after) {
        (Some(before), Some(after)) => difference.differing(before, after),
        _ => [Vec::new(), Vec::new()],
    };
    let lines = |program: &Program, site: Option<Site>, focus: &[Id<Expr>]| {
        let site = site?;
        let readable = program.module_of(site).core().readable_marked(program.binding(site), focus);
        Some(EvidencePart::of(binding.name.clone(), &readable))
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
