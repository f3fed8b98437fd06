//! The sentences of a difference.

use page::{Line, Span, line};

use findings::core_difference::LIBRARIES;
use findings::core_difference::{
    ChangeElsewhere, ChangeGroup, ComparedBuild, CoreDifference, CostChange, ExecutedInstructions,
    RuleCount,
};
use model::metric::Unit;
use words::quantity::{percent, quantity, signed_percent};
use words::{capitalised, counted};

/// A smaller relative change of all allocations needs no cause.
const NO_CHANGE: f64 = 0.001;

/// A group with a smaller share of the movement is not named as the cause.
const LEAST_PART: f64 = 0.1;

/// A larger share is shown as a ratio: nobody reads five-digit percentages.
const MOST_PERCENT: f64 = 9.0;

/// The remark if nothing was measured.
pub(super) const NOT_MEASURED: &str = "Nothing was measured: changes are in the order of how much they \
                                       usually explain, and may be in code that hardly runs.";

/// The two builds that are compared, in one line.
pub(super) fn head(part: &CoreDifference) -> String {
    let told = |build: &ComparedBuild| match &build.compiler {
        Some(version) => format!("{} (GHC {version})", build.subject),
        None => build.subject.clone(),
    };
    if part.before.compiler == part.after.compiler {
        let both = format!("{} → {}", part.before.subject, part.after.subject);
        return match &part.after.compiler {
            Some(version) => format!("{both} · GHC {version}"),
            None => both,
        };
    }
    format!("{} → {}", told(&part.before), told(&part.after))
}

/// The numbers of bindings that stayed, changed, came or went.
pub(super) fn counts(part: &CoreDifference) -> String {
    let counts = &part.bindings;
    if counts.changed + counts.only_before + counts.only_after == 0 {
        return format!("All {} bindings of the top level are the same.", counts.same);
    }
    let mut words = format!(
        "Bindings of the top level: {} the same, {} changed, {} gone, {} new",
        counts.same, counts.changed, counts.only_before, counts.only_after
    );
    if counts.renamed > 0 {
        words.push_str(&format!(
            "; {} of them under another name or in another module",
            counts.renamed
        ));
    }
    words + "."
}

/// The answer: the change in cost, and the change in Core that explains most of it. `None` if
/// nothing was measured.
#[must_use]
pub fn answer(part: &CoreDifference) -> Option<Line> {
    let total = part.total.as_ref()?;
    if part.told_by == LIBRARIES {
        return of_libraries(part);
    }
    let bytes = changed("allocations", total.bytes_before, total.bytes_after, Unit::Bytes);
    let [instructions, entries] = [Told::Instructions, Told::Entries].map(|told| {
        let (before, after) = told.counts(total)?;
        changed(told.noun(), before, after, Unit::Count)
    });
    let instructions = instructions.or_else(|| of_whole_programs(part));
    let same = format!("({})", quantity(total.bytes_after as f64, Unit::Bytes));
    let (told, change) = match (bytes, instructions, entries) {
        (Some(bytes), Some(instructions), _) => {
            (Told::Allocations, format!("{bytes}, {instructions}"))
        }
        (Some(bytes), None, _) => (Told::Allocations, bytes),
        (None, Some(instructions), _) => {
            (Told::from_part(part), format!("{instructions}, allocations unchanged {same}"))
        }
        (None, None, Some(entries)) => {
            (Told::Entries, format!("{entries}, allocations unchanged {same}"))
        }
        (None, None, None) => {
            return Some(
                format!("Allocations of the code with counters did not change {same}.").into(),
            );
        }
    };
    let moved = |it: &CostChange| {
        told.counts(it).map_or(0.0, |(before, after)| after as f64 - before as f64)
    };
    let cause = part.changes.first().filter(|group| {
        let own = group.moved.as_ref().map_or(0.0, moved);
        own.signum() == moved(total).signum() && own.abs() >= LEAST_PART * moved(total).abs()
    });
    Some(because(&change, cause, "; no change in Core lies where they changed."))
}

/// The instructions of the whole programs, if those of their bindings are missing.
fn of_whole_programs(part: &CoreDifference) -> Option<String> {
    match part.instructions.as_ref()? {
        ExecutedInstructions::Counted { before, after, unattributed: Some(_) } => {
            changed("instructions in all", before.total, after.total, Unit::Count)
        }
        _ => None,
    }
}

/// The change in cost, and the change in Core that explains it.
fn because(change: &str, cause: Option<&ChangeGroup>, none: &'static str) -> Line {
    let begin = capitalised(change);
    match cause {
        Some(ChangeGroup { binding, what, .. }) => {
            line![begin, ": ", Span::code(binding.clone()), " ", Line::of_message(what), "."]
        }
        None => line![begin, none],
    }
}

/// The answer if most of the movement was allocated in libraries. Counters do not show their
/// callers, so the answer names the change that usually explains most.
fn of_libraries(part: &CoreDifference) -> Option<Line> {
    let [before, after] = part.allocated_bytes?;
    let change = changed("allocations", before, after, Unit::Bytes)
        .unwrap_or_else(|| "allocations unchanged in all".to_owned());
    let change = format!("{change}, and what moved is mostly in libraries");
    let cause = part.changes.first().filter(|group| !group.minor);
    Some(because(&change, cause, "; no change in Core says why."))
}

/// The measure that describes a difference.
#[derive(Clone, Copy)]
pub(crate) enum Told {
    Allocations,
    Instructions,
    Entries,
}

impl Told {
    pub(crate) fn from_part(part: &CoreDifference) -> Self {
        match part.told_by.as_str() {
            "instructions" => Self::Instructions,
            "entries" => Self::Entries,
            _ => Self::Allocations,
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Allocations => Unit::Bytes,
            Self::Instructions | Self::Entries => Unit::Count,
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Allocations => "allocations",
            Self::Instructions => "instructions",
            Self::Entries => "entries of code",
        }
    }

    pub(crate) fn counts(self, moved: &CostChange) -> Option<(u64, u64)> {
        match self {
            Self::Allocations => Some((moved.bytes_before, moved.bytes_after)),
            Self::Instructions => moved.instructions_before.zip(moved.instructions_after),
            Self::Entries => moved.entries_before.zip(moved.entries_after),
        }
    }
}

/// `+12 % allocations (1 MB → 1.12 MB)`; `None` if it is practically unchanged.
fn changed(noun: &str, before: u64, after: u64, unit: Unit) -> Option<String> {
    let shown = |count: u64| quantity(count as f64, unit);
    let sum = format!("{} → {}", shown(before), shown(after));
    if before == 0 {
        return (after > 0).then(|| format!("{noun} {sum}"));
    }
    let share = (after as f64 - before as f64) / before as f64;
    match share {
        _ if share.abs() < NO_CHANGE => None,
        _ if share > MOST_PERCENT => Some(format!("{noun} {} ({sum})", times(before, after))),
        _ => Some(format!("{} {noun} ({sum})", signed_percent(share))),
    }
}

/// The share of the movement that lies in changed bindings.
pub(super) fn explained(part: &CoreDifference) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(share) = part.explained_share {
        all.push(format!(
            "{} of all that moved lies in bindings whose Core changed, or that came or went with them.",
            percent(share)
        ));
    }
    all.extend(part.instructions.as_ref().map(executed));
    if let (Some([before, after]), Some(total)) = (part.allocated_bytes, &part.total) {
        let outside =
            |all: u64, counted: u64| quantity(all.saturating_sub(counted) as f64, Unit::Bytes);
        all.push(format!(
            "Code without counters (libraries that were compiled before, and the runtime) allocated {} \
             before and {} after.",
            outside(before, total.bytes_before),
            outside(after, total.bytes_after)
        ));
    }
    all
}

/// The instructions outside of bindings by kind of code, or the reason they were not counted.
fn executed(part: &ExecutedInstructions) -> String {
    let (before, after, unattributed) = match part {
        ExecutedInstructions::Missing { missing } => {
            return format!("Instructions were not counted: {missing}.");
        }
        ExecutedInstructions::Counted { before, after, unattributed } => {
            (before, after, unattributed)
        }
    };
    let of_bindings = unattributed.as_ref().map_or_else(String::new, |reason| {
        format!(" Bindings are not compared by their instructions: {reason}.")
    });
    let count = |count: u64| quantity(count as f64, Unit::Count);
    let share = |part: u64| percent(part as f64 / after.total.max(1) as f64);
    format!(
        "Instructions of the whole program, in one run under callgrind: {} → {}. Of those after the \
         change, {} are in bindings, {} in libraries, {} in the runtime, and {} in code that \
         could not be placed.{of_bindings}",
        count(before.total),
        count(after.total),
        share(after.bindings),
        share(after.libraries),
        share(after.runtime),
        share(after.unplaced + after.nameless)
    )
}

/// `-77 % of all allocations (89.6 MB → 20.8 MB), entries 4.4 M → 1.2 M`
pub(super) fn moved(moved: &CostChange) -> String {
    let bytes = |bytes: u64| quantity(bytes as f64, Unit::Bytes);
    let sum = format!("{} → {}", bytes(moved.bytes_before), bytes(moved.bytes_after));
    let mut words = match moved.share {
        Some(_) if moved.bytes_before == moved.bytes_after => {
            format!("allocations unchanged ({})", bytes(moved.bytes_after))
        }
        Some(_) if moved.bytes_before == 0 => format!("allocations {sum}"),
        Some(share) if share > MOST_PERCENT => {
            format!("allocations {} ({sum})", times(moved.bytes_before, moved.bytes_after))
        }
        Some(share) => format!("{} of all allocations ({sum})", signed_percent(share)),
        None => sum,
    };
    words.push_str(&match (moved.entries_before, moved.entries_after) {
        (Some(before), Some(after)) => {
            let count = |count: u64| quantity(count as f64, Unit::Count);
            format!(", entries {} → {}", count(before), count(after))
        }
        _ => ", entries not counted".to_owned(),
    });
    if let Some((before, after)) = Told::Instructions.counts(moved) {
        let count = |count: u64| quantity(count as f64, Unit::Count);
        words.push_str(&format!(", instructions {} → {}", count(before), count(after)));
    }
    words
}

/// The other bindings that a group gained or lost.
pub(super) fn pieces(group: &ChangeGroup) -> Option<Line> {
    let list = |(word, names): (&'static str, &Vec<String>)| {
        const MOST: usize = 4;
        let shown = names.iter().take(MOST).map(|it| Span::code(it.clone()).into());
        let more = names.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("{more} more").into());
        let names = Line::join(shown.chain(more), ", ");
        (!names.is_empty()).then(|| line![word, ": ", names])
    };
    let parts: Vec<Line> =
        [("gone", &group.gone), ("new", &group.new)].into_iter().filter_map(list).collect();
    (!parts.is_empty()).then(|| Line::join(parts, "; "))
}

/// A binding whose cost changed although its Core did not.
pub(super) fn elsewhere(part: &ChangeElsewhere) -> Line {
    let often = match (part.moved.entries_before, part.moved.entries_after) {
        (Some(before), Some(after)) if before != after && before > 0 => {
            let times = after as f64 / before as f64;
            format!("; it is entered {times:.2} times as often")
        }
        _ => String::new(),
    };
    line![Span::code(part.binding.clone()), " is the same: ", moved(&part.moved), often]
}

/// A rewrite rule that fired a different number of times.
pub(super) fn rule(part: &RuleCount) -> Line {
    let fires = match (part.before, part.after) {
        (before, 0) => format!("no longer fires (before: {before})"),
        (0, after) => format!("fires now ({after} times)"),
        (before, after) => format!("fires {after} times instead of {before}"),
    };
    let module = Span::code(part.module.clone());
    line![format!("rule \"{}\" in ", part.rule), module, " ", fires]
}

/// The number of changes not shown, with the reason.
pub(super) fn minor(count: usize, is_measured: bool) -> String {
    let why = if is_measured { "less than 1 % of the cost each" } else { "only another body" };
    format!("{} ({why})", counted(count, "more change"))
}

/// `× 35`
fn times(before: u64, after: u64) -> String {
    format!("× {}", quantity(after as f64 / before as f64, Unit::Count))
}
