//! The changes in Core between two builds of a program: the page, and its sentences.

use crate::explanation::{DOUBT, bytes, core, count, figures};
use findings::core_difference::{
    CauseChange, CauseFate, ChangeElsewhere, ChangeGroup, ComparedBuild, CoreDifference,
    CostChange, DifferenceLead, ExecutedInstructions, LIBRARIES, RuleCount,
};
use findings::explanation::{ExplainedRun, FindingCost};
use model::metric::Unit;
use page::{Block, Column, Label, Line, Page, Row, Section, Span, Table, Tone, line};
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
    page.blocks.extend(whole_programs(part).map(Block::Table));
    page.blocks.extend(causes(part));
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

/// The cause or the change in Core that explains how the cost moved, and by how much; `None` if
/// nothing was measured.
pub(super) fn answer(part: &CoreDifference) -> Option<Line> {
    let total = part.total.as_ref()?;
    let whole = whole(part);
    let change = match part.lead {
        Some(DifferenceLead::Cause(number)) => {
            return part.causes.get(number).map(|it| of_cause(it, whole));
        }
        Some(DifferenceLead::Change(number)) => part.changes.get(number),
        None => None,
    };
    if let Some(whole) = whole {
        let whole = format!("the program {whole}");
        return Some(because(&whole, change, "; no change in Core explains it."));
    }
    if part.told_by == LIBRARIES {
        return of_libraries(part, change);
    }
    let allocated = changed("allocations", total.bytes_before, total.bytes_after, Unit::Bytes);
    let [instructions, entries] = [Told::Instructions, Told::Entries].map(|told| {
        let (before, after) = told.counts(total)?;
        changed(told.noun(), before, after, Unit::Count)
    });
    let instructions = instructions.or_else(|| of_whole_programs(part));
    let same = format!("({})", bytes(total.bytes_after));
    let moved = match (allocated, instructions, entries) {
        (Some(allocated), Some(instructions), _) => format!("{allocated}, {instructions}"),
        (Some(allocated), None, _) => allocated,
        (None, Some(moved), _) | (None, None, Some(moved)) => {
            format!("{moved}, allocations unchanged {same}")
        }
        (None, None, None) => {
            return Some(
                format!("Allocations of the code with counters did not change {same}.").into(),
            );
        }
    };
    Some(because(&moved, change, "; no change in Core lies where they changed."))
}

/// `` `Main.render` no longer appends to its own accumulator: that took 98 % of the time; the program
/// runs 12 times faster (1.9 s → 160 ms) ``
fn of_cause(cause: &CauseChange, whole: Option<String>) -> Line {
    let is_before = matches!(cause.fate, CauseFate::Gone | CauseFate::Less);
    let cost = if is_before { &cause.before } else { &cause.after };
    let share = cost.as_ref().and_then(|cost| share_of_cost(cost, is_before));
    let share = share.map_or_else(String::new, |share| format!(": {share}"));
    let whole = whole.map_or_else(String::new, |whole| format!("; the program {whole}"));
    line![
        Span::code(cause.binding.clone()),
        " ",
        Line::of_message(&cause.what),
        format!("{share}{whole}.")
    ]
}

/// `that took 98 % of the time`
fn share_of_cost(cost: &FindingCost, is_past: bool) -> Option<String> {
    let (took, made, filled) = match is_past {
        true => ("took", "allocated", "filled"),
        false => ("takes", "allocates", "fills"),
    };
    let at_most = if cost.at_most { "at most " } else { "" };
    Some(match (cost.paid_in.as_str(), &cost.time, cost.heap_bytes.zip(cost.heap_share)) {
        ("time", Some(time), _) => format!("that {took} {} of the time", percent(time.share)),
        ("memory", _, Some((heap, share))) => {
            format!("that {filled} {} of the heap, {} of its peak", bytes(heap), percent(share))
        }
        ("entries", _, _) => format!("that {took} {} of the entries", percent(cost.entry_share?)),
        _ => {
            let share = percent(cost.allocation_share?);
            format!("that {made} {at_most}{share} of all bytes")
        }
    })
}

/// A smaller change of the run time, in seconds and relative, may be chance.
const LEAST_SECONDS: f64 = 0.02;
const LEAST_TIMES: f64 = 1.1;

/// A smaller relative change of the live heap may be chance.
const LEAST_LIVE: f64 = 0.1;

/// A smaller heap, in bytes, is of no interest.
const LEAST_LIVE_BYTES: u64 = 1 << 20;

/// From this ratio on, a change of the run time is shown as one.
const MANY_TIMES: f64 = 2.0;

/// `runs 12 times faster (1.9 s → 160 ms), allocates 40 MB instead of 1.7 GB`; `None` if one of the
/// programs did not run, or nothing moved.
fn whole(part: &CoreDifference) -> Option<String> {
    let (before, after) = (part.before.run.as_ref()?, part.after.run.as_ref()?);
    let time = run_time(before, after).or_else(|| {
        let (before, after) = instructions(part).ok()?;
        let counts = changed("instructions", before, after, Unit::Count)?;
        Some(format!("executes {counts}"))
    });
    let allocated = before.allocated_bytes.zip(after.allocated_bytes);
    let allocated = allocated.filter(|(before, after)| {
        before.abs_diff(*after) as f64 >= NO_CHANGE * (*before).max(1) as f64
    });
    let allocated =
        allocated.map(|(before, after)| format!("allocates {} → {}", bytes(before), bytes(after)));
    let live = before.max_live_bytes.zip(after.max_live_bytes).filter(|(before, after)| {
        let most = *before.max(after);
        most >= LEAST_LIVE_BYTES && before.abs_diff(*after) as f64 >= LEAST_LIVE * most as f64
    });
    let live =
        live.map(|(before, after)| format!("keeps at most {} → {}", bytes(before), bytes(after)));
    let said: Vec<String> = time.into_iter().chain(allocated).chain(live).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// `runs 12 times faster (1.9 s → 160 ms)`
fn run_time(before: &ExplainedRun, after: &ExplainedRun) -> Option<String> {
    let (before, after) = (before.cpu_seconds()?, after.cpu_seconds()?);
    let (least, most) = (before.min(after), before.max(after));
    if most - least < LEAST_SECONDS || most < LEAST_TIMES * least {
        return None;
    }
    let way = if after < before { "faster" } else { "slower" };
    let seconds = |seconds: f64| quantity(seconds, Unit::Seconds);
    let how = match most / least {
        ratio if ratio >= MANY_TIMES => format!("{} times {way}", quantity(ratio, Unit::Ratio)),
        _ => format!("{} {way}", percent((after - before).abs() / before)),
    };
    Some(format!("runs {how} ({} → {})", seconds(before), seconds(after)))
}

/// The instructions of the whole programs, or the reason they were not counted.
fn instructions(part: &CoreDifference) -> Result<(u64, u64), String> {
    match &part.instructions {
        Some(ExecutedInstructions::Counted { before, after, .. }) => {
            Ok((before.total, after.total))
        }
        Some(ExecutedInstructions::Missing { missing }) => Err(missing.clone()),
        None => Err("nothing was run".to_owned()),
    }
}

/// The figures of the whole programs, if both ran.
fn whole_programs(part: &CoreDifference) -> Option<Table> {
    let runs = [part.before.run.as_ref()?, part.after.run.as_ref()?];
    let columns = [Column::left(""), Column::right("before"), Column::right("after")];
    let mut table = Table { title: "The whole program".into(), ..Table::new(columns) };
    let mut row = |name: &'static str, cells: [Option<String>; 2], missing: &str| {
        let cell = |it: Option<String>| Line::from(it.unwrap_or_else(|| "not known".to_owned()));
        if cells.contains(&None) {
            table.foot.push(format!("{name}: {missing}").into());
        }
        let [before, after] = cells.map(cell);
        table.rows.push([Line::from(name), before, after].into_iter().collect::<Row>());
    };
    let silent = "the runtime did not report it";
    let seconds = |it: Option<f64>| it.map(|seconds| quantity(seconds, Unit::Seconds));
    row("processor time", runs.map(|run| seconds(run.cpu_seconds())), silent);
    row("collector", runs.map(|run| run.collector_share().map(percent)), silent);
    row("allocated", runs.map(|run| run.allocated_bytes.map(bytes)), silent);
    row("most live", runs.map(|run| run.max_live_bytes.map(bytes)), "no major collection");
    row("peak memory", runs.map(|run| run.peak_bytes.map(bytes)), silent);
    let (counts, missing) = match instructions(part) {
        Ok((before, after)) => ([Some(count(before)), Some(count(after))], String::new()),
        Err(missing) => ([None, None], missing),
    };
    row("instructions", counts, &missing);
    Some(table)
}

/// The causes of both sides: those that moved, and folded those that did not.
fn causes(part: &CoreDifference) -> Vec<Block> {
    let (same, moved): (Vec<&CauseChange>, Vec<&CauseChange>) =
        part.causes.iter().partition(|it| it.fate == CauseFate::Same);
    let notes = |all: Vec<&CauseChange>| -> Vec<Block> {
        all.into_iter().map(|it| Block::Note(label(it.fate), of_both_sides(it))).collect()
    };
    let title = counted(same.len(), "cause") + " with the same cost on both sides";
    notes(moved).into_iter().chain(folded(title, notes(same))).collect()
}

fn label(fate: CauseFate) -> Label {
    let (word, tone) = match fate {
        CauseFate::Gone => ("gone", Tone::Good),
        CauseFate::New => ("new", Tone::Bad),
        CauseFate::Less => ("less", Tone::Good),
        CauseFate::More => ("more", Tone::Bad),
        CauseFate::Same => ("same", Tone::Quiet),
    };
    Label { word, tone }
}

/// A cause with its costs on both sides.
fn of_both_sides(it: &CauseChange) -> Line {
    let cost = |word: &'static str, cost: &Option<FindingCost>| {
        cost.as_ref().map(|cost| Line::from(format!("{word}: {}", figures(cost))))
    };
    let costs: Vec<Line> =
        [cost("before", &it.before), cost("after", &it.after)].into_iter().flatten().collect();
    let costs =
        if costs.is_empty() { Line::default() } else { line![" (", Line::join(costs, "; "), ")"] };
    line![Line::of_message(&capitalised(&it.problem)), format!(" ({})", it.cause), costs]
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
fn of_libraries(part: &CoreDifference, change: Option<&ChangeGroup>) -> Option<Line> {
    let [before, after] = part.allocated_bytes?;
    let moved = changed("allocations", before, after, Unit::Bytes)
        .unwrap_or_else(|| "allocations unchanged in all".to_owned());
    let moved = format!("{moved}, and what moved is mostly in libraries");
    Some(because(&moved, change, "; no change in Core says why."))
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
