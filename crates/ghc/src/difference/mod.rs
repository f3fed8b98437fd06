//! The changes between two builds of a program: in its Core, binding by binding, together with the
//! cost of each binding before and after.
//!
//! A binding becomes a row of tokens, without types and uniques (`tokens`); the bindings of both are
//! paired (`align`), seen from either side (`view`), compared with regard to the properties that
//! decide their cost (`facts`, `compare`), and grouped with the bindings that exchanged code with them
//! (`group`). Beside that, the causes of cost that are found in each are joined (`causes`); and one
//! function decides which of all this is named first (`lead`).

mod align;
mod causes;
mod compare;
mod facts;
mod group;
mod lead;
mod tokens;
mod view;
pub mod words;

use std::collections::{BTreeMap, HashSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::causes::costs::Coverage;
use super::causes::{Examination, Module, Program, Site, examine};
use super::core::Core;
use super::core::tree::{Expr, Id};
use align::{Side, align, rows};
use group::Told;
use tokens::Token;

pub use causes::{Fate, JoinedCause};
pub use compare::Aligned;
pub use facts::{Allocates, Change, Facts, Inner, Reason, Tends};
pub use group::{By, Group, Moved};
pub use lead::{Course, Lead, WholeRun};

/// The changes from one build of a program to another.
#[derive(Debug)]
pub struct Difference<'a> {
    before: Side<'a>,
    after: Side<'a>,
    /// All bindings of the top level of both, except for those that describe types at run time.
    pub bindings: Vec<Aligned>,
    /// The changes, grouped; those with the largest change in cost come first.
    pub groups: Vec<Group>,
    /// The causes of cost of both programs; those that moved most come first.
    pub causes: Vec<JoinedCause>,
    /// The findings of each program.
    pub examinations: [Examination; 2],
    /// The cost of all counted code; `None` if one of the two was not measured.
    pub total: Option<Moved>,
    /// The measure by which the difference is reported.
    pub by: By,
    /// The part of each run that the counters cover.
    pub coverages: Option<[Coverage; 2]>,
    /// The cost of each binding, by number, if both were measured.
    pub costs: Option<Vec<Moved>>,
    /// Modules that only one of the two has.
    pub modules: [Vec<String>; 2],
    /// Rewrite rules that fired more or less often, if both builds recorded them.
    pub rules: Vec<RuleChange>,
}

/// A rewrite rule that fired a different number of times in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    /// The module in which it fired.
    pub module: String,
    /// Its name.
    pub rule: String,
    /// The number of firings before.
    pub before: usize,
    /// The number of firings after.
    pub after: usize,
}

impl<'a> Difference<'a> {
    /// Compares two builds.
    pub fn new(before: &'a Program, after: &'a Program) -> Self {
        let (before, after) = (Side::new(before), Side::new(after));
        let pairs = align(&before, &after);
        let mut bindings = compare::compare(&before, &after, &pairs);
        let programs = [before.names.program, after.names.program];
        let examinations = programs.map(examine);
        compare::add_causes(&mut bindings, programs, &examinations);
        group::settle(&mut bindings, |it| {
            let is_overloaded = |site: Option<Site>, side: &Side<'_>| {
                site.is_some_and(|site| {
                    Facts::from_binding(side.names.program, site).dictionaries > 0
                })
            };
            is_overloaded(it.before, &before) && is_overloaded(it.after, &after)
        });
        let both = group::Both::new(&before, &after);
        let costs: Option<Vec<Moved>> =
            both.as_ref().map(|both| bindings.iter().map(|it| both.moved(it)).collect());
        let coverages = both.as_ref().map(group::Both::coverages);
        let total = coverages.map(|[one, other]| total(&costs, &one, &other));
        let outside = total.as_ref().and_then(|total| outside(total, [&before, &after]));
        let by = total.as_ref().map_or(By::Bytes, |total| By::from_moved(total, outside));
        let told = both.as_ref().map(|both| (both, Told { by, outside }));
        let groups = group::groups(&bindings, &before, &after, told);
        Self {
            total,
            by,
            coverages,
            costs,
            groups,
            causes: causes::joined(&bindings, programs, &examinations),
            examinations,
            modules: modules(before.names.program, after.names.program),
            rules: rules(before.names.program, after.names.program),
            bindings,
            before,
            after,
        }
    }

    /// The program before.
    pub fn before(&self) -> &'a Program {
        self.before.names.program
    }

    /// The program after.
    pub fn after(&self) -> &'a Program {
        self.after.names.program
    }

    /// The expressions of a binding that its other version does not have, before and after.
    pub fn differing(&self, before: Site, after: Site) -> [Vec<Id<Expr>>; 2] {
        differing(&self.before, before, &self.after, after)
    }

    /// The share of all movement, up and down, in bindings whose Core changed; `None` if nothing
    /// moved or nothing was measured.
    pub fn explained(&self) -> Option<f64> {
        let costs = self.costs.as_ref()?;
        let size = |moved: &Moved| moved.by(self.by).unsigned_abs() as f64;
        let of_groups: f64 = self.groups.iter().filter_map(|it| it.moved.as_ref()).map(size).sum();
        let grouped: HashSet<usize> =
            self.groups.iter().flat_map(|group| group.bindings.iter().copied()).collect();
        let others = costs.iter().enumerate().filter(|(at, _)| !grouped.contains(at));
        let rest: f64 = others.map(|(_, moved)| size(moved)).sum();
        let unplaced = match self.by {
            By::Bytes => self.unplaced().unsigned_abs() as f64,
            // Instructions outside all bindings are reported separately; entries outside them are
            // unknown.
            By::Outside | By::Instructions | By::Entries => 0.0,
        };
        let all = of_groups + rest + unplaced;
        // The sum of nothing is -0.
        (all > 0.0).then(|| (of_groups / all).max(0.0))
    }

    /// The change in bytes of counted code without a binding in the dumps.
    pub fn unplaced(&self) -> i128 {
        let (Some(total), Some(costs)) = (&self.total, &self.costs) else { return 0 };
        total.bytes() - costs.iter().map(Moved::bytes).sum::<i128>()
    }

    /// The bindings with unchanged Core, by number, whose cost changed; the largest change first.
    pub fn same_but_moved(&self) -> Vec<usize> {
        let Some(costs) = &self.costs else { return Vec::new() };
        let grouped: HashSet<usize> =
            self.groups.iter().flat_map(|group| group.bindings.iter().copied()).collect();
        let mut all: Vec<usize> = (0..self.bindings.len())
            .filter(|at| !grouped.contains(at) && costs[*at].by(self.by) != 0)
            .collect();
        all.sort_by_key(|at| std::cmp::Reverse(costs[*at].by(self.by).unsigned_abs()));
        all
    }

    /// The number of bindings that are the same, changed, only before, only after.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for aligned in &self.bindings {
            match (aligned.before, aligned.after) {
                (Some(_), Some(_)) if aligned.changes.is_empty() => counts.same += 1,
                (Some(_), Some(_)) => counts.changed += 1,
                (Some(_), None) => counts.only_before += 1,
                _ => counts.only_after += 1,
            }
        }
        counts.renamed = self.bindings.iter().filter(|it| it.renamed_from.is_some()).count();
        counts
    }
}

/// The number of bindings by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// The same before and after.
    pub same: usize,
    /// Changed.
    pub changed: usize,
    /// Gone.
    pub only_before: usize,
    /// New.
    pub only_after: usize,
    /// With another name or in another module, changed or not.
    pub renamed: usize,
}

fn total(costs: &Option<Vec<Moved>>, before: &Coverage, after: &Coverage) -> Moved {
    let sum = group::sum(costs.iter().flatten().copied());
    Moved { bytes_before: before.instrumented_bytes, bytes_after: after.instrumented_bytes, ..sum }
}

/// The change in bytes allocated by code without counters, if the runtime reported the totals of
/// both programs.
fn outside(total: &Moved, sides: [&Side<'_>; 2]) -> Option<i128> {
    let [before, after] = sides.map(|side| side.names.program.allocated_bytes.map(i128::from));
    Some(after? - before? - total.bytes())
}

fn modules(before: &Program, after: &Program) -> [Vec<String>; 2] {
    let only = |one: &Program, other: &Program| {
        let has = |module: &&Module| !other.modules.iter().any(|it| it.name == module.name);
        one.modules.iter().filter(has).map(|module| module.name.clone()).collect()
    };
    [only(before, after), only(after, before)]
}

/// The rules of the program that fired a different number of times in modules that both have.
fn rules(before: &Program, after: &Program) -> Vec<RuleChange> {
    let mut changes = Vec::new();
    for module in &before.modules {
        let other = after.modules.iter().find(|it| it.name == module.name);
        let Some((ours, theirs)) =
            module.firings.as_ref().zip(other.and_then(|it| it.firings.as_ref()))
        else {
            continue;
        };
        let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (side, firings) in [ours, theirs].into_iter().enumerate() {
            for firing in firings.iter().filter(|it| it.module.as_deref() != Some("BUILTIN")) {
                counts.entry(&firing.rule).or_default()[side] += 1;
            }
        }
        counts.retain(|_, [before, after]| before != after);
        changes.extend(counts.into_iter().map(|(rule, [before, after])| RuleChange {
            module: module.name.clone(),
            rule: rule.to_owned(),
            before,
            after,
        }));
    }
    changes
}

/// Comparing takes time in proportion to the product of the lengths, at worst.
const MOST_TOKENS: usize = 6000;

/// The outermost expressions of a binding that the other version does not have, before and after.
/// Empty if the two are too large to be compared, or have nothing in common.
fn differing(before: &Side<'_>, ours: Site, after: &Side<'_>, theirs: Site) -> [Vec<Id<Expr>>; 2] {
    let row = |side: &Side<'_>, site: Site| {
        rows(&side.names, site, &|name| side.names.label(site.module, name))
    };
    let (left, right) = (row(before, ours), row(after, theirs));
    if left.len().max(right.len()) > MOST_TOKENS {
        return [Vec::new(), Vec::new()];
    }
    let loose = |row: &[Token]| row.iter().map(|token| token.loose).collect::<Vec<_>>();
    let operations = capture_diff_slices(Algorithm::Myers, &loose(&left), &loose(&right));
    let mut marked = [HashSet::new(), HashSet::new()];
    for operation in operations {
        if let DiffOp::Equal { .. } = operation {
            continue;
        }
        marked[0].extend(left[operation.old_range()].iter().map(|token| token.expr));
        marked[1].extend(right[operation.new_range()].iter().map(|token| token.expr));
    }
    [
        outermost(before.names.program.core_of(ours), before, ours, &marked[0]),
        outermost(after.names.program.core_of(theirs), after, theirs, &marked[1]),
    ]
}

/// The marked expressions that are not within another marked one. A whole lambda, case or let is
/// not marked for its first node: the new parts in it are marked separately.
fn outermost(
    core: &Core,
    side: &Side<'_>,
    site: Site,
    marked: &HashSet<Id<Expr>>,
) -> Vec<Id<Expr>> {
    let mut found = Vec::new();
    let mut inside: HashSet<Id<Expr>> = HashSet::new();
    for it in core.walk(side.names.program.binding(site).right) {
        let is_inside = inside.contains(&it);
        let is_block = matches!(core.exprs[it], Expr::Lambda(..) | Expr::Let(..) | Expr::Case(..));
        let is_marked = marked.contains(&it) && !is_block;
        if is_marked && !is_inside {
            found.push(it);
        }
        if is_inside || is_marked {
            core.children(it, |child| {
                inside.insert(child);
            });
        }
    }
    found
}
