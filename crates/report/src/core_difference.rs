//! The changes in Core between two builds of a program: the page, and its sentences.

use crate::explanation::{DOUBT, bytes, core, count};
use findings::core_difference::{
    ChangeElsewhere, ChangeGroup, ComparedBuild, CoreDifference, CostChange, ExecutedInstructions,
    LIBRARIES, RuleCount,
};
use model::metric::Unit;
use page::{Block, Label, Line, Page, Section, Span, Tone, line};
use words::quantity::{percent, quantity, signed_percent};
use words::{capitalised, counted, folded};

/// The largest number of a group's other changes shown by default.
const MOST_MORE: usize = 4;

/// The largest number of rules shown by default.
const MOST_RULES: usize = 3;

/// Builds the page; changes that hardly affect the cost are folded.
pub(super) fn page(part: &CoreDifference) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(head(part).into()));
    let counts = Line::from(counts(part));
    let answer = answer(part);
    let is_measured = answer.is_some();
    match answer {
        Some(answer) => page.push(Block::Answer(answer)),
        None => {
            page.push(Block::Answer(counts.clone()));
            page.sentences([NOT_MEASURED]);
        }
    }
    page.notes(DOUBT, part.doubts.iter().map(|doubt| Line::of_message(doubt)));
    let (minor, major): (Vec<&ChangeGroup>, Vec<&ChangeGroup>) =
        part.changes.iter().partition(|group| group.minor);
    let sections = |groups: &[&ChangeGroup], first: usize| -> Vec<Block> {
        let numbered = (first..).zip(groups);
        numbered.map(|(number, group)| Block::Section(section(number, group))).collect()
    };
    page.blocks.extend(sections(&major, 1));
    let title = folded_title(minor.len(), part.total.is_some());
    page.blocks.extend(folded(title, sections(&minor, major.len() + 1)));
    page.notes(Label::NOTE, part.elsewhere.iter().map(elsewhere));
    for (word, modules) in [("gone: ", &part.modules_gone), ("new: ", &part.modules_new)] {
        if !modules.is_empty() {
            let names = modules.iter().map(|name| Span::code(name.clone()).into());
            page.notes(Label::NOTE, [line!["modules ", word, Line::join(names, ", ")]]);
        }
    }
    let rules = part.rules.iter().map(rule).collect();
    page.blocks.extend(notes(Label::NOTE, rules, MOST_RULES, "more changed rule"));
    if is_measured {
        page.sentences([counts]);
        page.sentences(explained(part));
    }
    page
}

/// Notes, folded after the first `most`.
fn notes(label: Label, all: Vec<Line>, most: usize, noun: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = all.into_iter().map(|line| Block::Note(label, line)).collect();
    let more = blocks.split_off(most.min(blocks.len()));
    blocks.extend(folded(counted(more.len(), noun), more));
    blocks
}

fn section(number: usize, group: &ChangeGroup) -> Section {
    let core_name = Span::code(group.core_name.clone()).toned(Tone::Quiet);
    let title = line![format!("{number}. "), Span::code(group.binding.clone()), "  ", core_name];
    let moved = group.moved.as_ref().map(|cost| moved(cost).into());
    let what = line!["It ", Line::of_message(&group.what), "."];
    let mut blocks: Vec<Block> = moved.into_iter().chain([what]).map(Block::Sentence).collect();
    let also = group.more.iter().map(|said| {
        let is_other = said.binding != group.binding;
        let subject = is_other.then(|| line![Span::code(said.binding.clone()), " "]);
        line![subject.unwrap_or_default(), Line::of_message(&said.what)]
    });
    blocks.extend(notes(Label::quiet("also"), also.collect(), MOST_MORE, "more change"));
    blocks.extend(pieces(group).map(Block::Sentence));
    let sides = [("before", &group.before), ("after", &group.after)];
    let evidence = sides.into_iter().filter_map(|(label, it)| Some(core(label, it.as_ref()?)));
    blocks.extend(evidence.map(Block::Code));
    Section::new(title, blocks)
}

/// A smaller relative change of all allocations needs no cause.
const NO_CHANGE: f64 = 0.001;

/// A group with a smaller share of the movement is not named as the cause.
const LEAST_PART: f64 = 0.1;

/// A larger share is shown as a ratio: nobody reads five-digit percentages.
const MOST_PERCENT: f64 = 9.0;

const NOT_MEASURED: &str = "Nothing was measured: changes are in the order of how much they \
                                       usually explain, and may be in code that hardly runs.";

/// The two builds that are compared, in one line.
fn head(part: &CoreDifference) -> String {
    let (before, after) = (&part.before, &part.after);
    if before.compiler == after.compiler {
        let compiler = after.compiler.as_ref().map(|version| format!(" · GHC {version}"));
        return format!("{} → {}{}", before.subject, after.subject, compiler.unwrap_or_default());
    }
    let told = |build: &ComparedBuild| match &build.compiler {
        Some(version) => format!("{} (GHC {version})", build.subject),
        None => build.subject.clone(),
    };
    format!("{} → {}", told(before), told(after))
}

/// The numbers of bindings that stayed, changed, came or went.
fn counts(part: &CoreDifference) -> String {
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

/// The change in cost and the change in Core behind most of it; `None` if nothing was measured.
pub(super) fn answer(part: &CoreDifference) -> Option<Line> {
    let total = part.total.as_ref()?;
    if part.told_by == LIBRARIES {
        return of_libraries(part);
    }
    let allocated = changed("allocations", total.bytes_before, total.bytes_after, Unit::Bytes);
    let [instructions, entries] = [Told::Instructions, Told::Entries].map(|told| {
        let (before, after) = told.counts(total)?;
        changed(told.noun(), before, after, Unit::Count)
    });
    let instructions = instructions.or_else(|| of_whole_programs(part));
    let same = format!("({})", bytes(total.bytes_after));
    let (told, change) = match (allocated, instructions, entries) {
        (Some(allocated), Some(instructions), _) => {
            (Told::Allocations, format!("{allocated}, {instructions}"))
        }
        (Some(allocated), None, _) => (Told::Allocations, allocated),
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
fn explained(part: &CoreDifference) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(share) = part.explained_share {
        all.push(format!(
            "{} of all that moved lies in bindings whose Core changed, or that came or went with them.",
            percent(share)
        ));
    }
    all.extend(part.instructions.as_ref().map(executed));
    if let (Some([before, after]), Some(total)) = (part.allocated_bytes, &part.total) {
        let outside = |all: u64, counted: u64| bytes(all.saturating_sub(counted));
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
fn moved(moved: &CostChange) -> String {
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
            format!(", entries {} → {}", count(before), count(after))
        }
        _ => ", entries not counted".to_owned(),
    });
    if let Some((before, after)) = Told::Instructions.counts(moved) {
        words.push_str(&format!(", instructions {} → {}", count(before), count(after)));
    }
    words
}

/// The other bindings that a group gained or lost.
fn pieces(group: &ChangeGroup) -> Option<Line> {
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
fn elsewhere(part: &ChangeElsewhere) -> Line {
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
fn rule(part: &RuleCount) -> Line {
    let fires = match (part.before, part.after) {
        (before, 0) => format!("no longer fires (before: {before})"),
        (0, after) => format!("fires now ({after} times)"),
        (before, after) => format!("fires {after} times instead of {before}"),
    };
    let module = Span::code(part.module.clone());
    line![format!("rule \"{}\" in ", part.rule), module, " ", fires]
}

/// The number of changes not shown, with the reason.
fn folded_title(count: usize, is_measured: bool) -> String {
    let why = if is_measured { "less than 1 % of the cost each" } else { "only another body" };
    format!("{} ({why})", counted(count, "more change"))
}

/// `× 35`
fn times(before: u64, after: u64) -> String {
    format!("× {}", quantity(after as f64 / before as f64, Unit::Count))
}
