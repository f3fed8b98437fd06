//! The examination of a GHC program as an explanation, whose evidence is excerpts of its Core
//! around the marks in it.

use findings::explanation::{
    BlindSpot, CauseFinding, CoreExcerpt, CostGrowth, CostPlace, CounterValue, DumpCoverage,
    Explanation, FindingCost, HeapKind, HeapPeak, LibraryTime, ProposedChange, SampledTime,
    SourceLocation, TimeShare, UndumpedModule,
};
use ghc::causes::cause::Paid;
use ghc::causes::costs::{Cost, Undumped};
use ghc::causes::doubts::Doubt;
use ghc::causes::examine::{Blind, Examination, Place, Ranked};
use ghc::causes::names::{Location, for_people};
use ghc::causes::{Evidence, Program, RemedyChange, Site};
use ghc::core::Readable;
use ghc::heap_profile::HeapProfile;
use ghc::samples::{Function, Samples};
use std::ops::Range;

/// Converts the examination of a program into the part of a report.
pub fn explanation(
    subject: &str,
    program: &Program,
    examination: &Examination,
    doubts: &[Doubt],
) -> Explanation {
    let findings: Vec<CauseFinding> =
        examination.ranked.iter().map(|ranked| finding(program, ranked)).collect();
    Explanation {
        subject: subject.to_owned(),
        compiler: compiler(program),
        run: None,
        time: program.samples.as_ref().ok().map(time),
        heap: program.heap.as_ref().and_then(heap_peak),
        growth: None,
        modules: program.modules.iter().map(|module| module.name.clone()).collect(),
        coverage: examination.coverage.map(|coverage| DumpCoverage {
            allocated_bytes: coverage.allocated_bytes,
            instrumented_bytes: coverage.instrumented_bytes,
            outside_share: coverage.outside_share,
            unplaced_share: coverage.unplaced_share,
            rows: coverage.rows,
            unplaced_rows: coverage.unplaced_rows,
            undumped: examination.undumped.iter().map(undumped).collect(),
        }),
        places: examination.places.iter().map(|it| place(program, it, &findings)).collect(),
        findings,
        not_looked: examination.blind.iter().map(|blind| not_looked(program, blind)).collect(),
        doubts: doubts.iter().map(ToString::to_string).collect(),
    }
}

/// The growth of each finding with more work; `None` if it was not found with less. `seconds` are
/// the run times of the program itself.
pub fn growth_of_findings(
    works: [u64; 2],
    seconds: [Option<f64>; 2],
    [less, more]: [&Examination; 2],
) -> Vec<Option<CostGrowth>> {
    let grown = |it: &Ranked| {
        let is_same = |other: &&Ranked| {
            let (one, other) = (&it.finding, &other.finding);
            one.cause == other.cause
                && (one.site, one.within, &one.what) == (other.site, other.within, &other.what)
        };
        let before = less.ranked.iter().find(is_same)?;
        let paid = match &it.cost {
            Some(cost) => it.finding.cause.paid.in_which(cost),
            None => it.finding.cause.paid,
        };
        let of = match paid {
            Paid::Allocations | Paid::Memory | Paid::Work => "allocations",
            Paid::Entries => "entries",
            Paid::Time => "time",
        };
        let cost = |it: &Ranked, seconds: Option<f64>| {
            let cost = it.cost.as_ref()?;
            match paid {
                Paid::Allocations | Paid::Memory | Paid::Work => Some(cost.allocated_bytes as f64),
                Paid::Entries => cost.entries.map(|it| it as f64),
                Paid::Time => Some(cost.time?.share() * seconds?),
            }
        };
        CostGrowth::from_costs(of, works, [cost(before, seconds[0]), cost(it, seconds[1])])
    };
    more.ranked.iter().map(grown).collect()
}

/// The largest number of kinds of closures reported at the peak of the heap.
const MOST_KINDS: usize = 8;

/// The contents of the heap at its peak.
fn heap_peak(profile: &HeapProfile) -> Option<HeapPeak> {
    let peak = profile.peak()?;
    let kinds = peak.largest().into_iter().take(MOST_KINDS);
    let kinds = kinds.map(|(band, bytes)| HeapKind { kind: kind(band).to_owned(), bytes });
    Some(HeapPeak { bytes: peak.bytes(), kinds: kinds.collect() })
}

/// The name of a band without its package: `ghc-prim:GHC.Types.:` is `GHC.Types.:`.
fn kind(band: &str) -> &str {
    band.split_once(':').map_or(band, |(_, name)| name)
}

/// The places where a run spent its time.
fn time(samples: &Samples) -> SampledTime {
    let working = samples.working();
    let own = samples.uses.iter().filter(|it| it.functions.is_empty());
    let own = own.map(|it| it.looks).sum();
    let mut libraries: Vec<(String, Option<String>, u64)> = Vec::new();
    for it in &samples.uses {
        let Some(function) = outermost(&it.functions) else { continue };
        let known = libraries
            .iter_mut()
            .find(|(name, caller, _)| *name == function && *caller == it.caller);
        match known {
            Some((_, _, looks)) => *looks += it.looks,
            None => libraries.push((function, it.caller.clone(), it.looks)),
        }
    }
    libraries.sort_by_key(|(_, _, looks)| std::cmp::Reverse(*looks));
    let part = |(function, caller, looks)| LibraryTime {
        function,
        caller,
        time: TimeShare::from_looks(looks, working),
    };
    SampledTime {
        looks: working,
        collector_looks: samples.collector,
        own: TimeShare::from_looks(own, working),
        libraries: libraries.into_iter().map(part).collect(),
    }
}

/// The first function called, otherwise the one in the runtime or in C.
fn outermost(functions: &[Function]) -> Option<String> {
    let named = functions.iter().find_map(|it| Some(for_people(it.module.as_deref()?, &it.name)));
    named.or_else(|| functions.first().map(|it| it.name.clone()))
}

/// The lines around the marks.
pub(crate) fn evidence_of_binding(binding: String, readable: &Readable) -> CoreExcerpt {
    let (core, marks) = excerpt(&readable.text, &readable.marks);
    CoreExcerpt {
        binding,
        core,
        marks: marks.into_iter().map(|mark| [mark.start, mark.end]).collect(),
    }
}

/// The version of the compiler, if known.
pub(crate) fn compiler(program: &Program) -> Option<String> {
    let numbers = program.compiler.as_ref()?.iter().map(ToString::to_string);
    Some(numbers.collect::<Vec<_>>().join("."))
}

fn undumped(undumped: &Undumped) -> UndumpedModule {
    let Undumped { module, allocated_bytes, .. } = undumped;
    UndumpedModule { module: module.clone(), allocated_bytes: *allocated_bytes }
}

fn finding(program: &Program, ranked: &Ranked) -> CauseFinding {
    let finding = &ranked.finding;
    let at = program.location_of(finding);
    CauseFinding {
        cause: finding.cause.id.to_owned(),
        title: finding.cause.title.to_owned(),
        page: format!("docs/causes/{}.md", finding.cause.id),
        module: program.module_of(finding.site).name.clone(),
        binding: program.shown_name(finding.site),
        core_name: program.name(finding.site).to_owned(),
        location: at.map(|at| location(program, finding.site, at)),
        what: finding.what.clone(),
        cost: cost(program, ranked),
        growth: None,
        minor: ranked.is_minor(),
        evidence: finding.evidence.iter().map(|it| evidence(program, it)).collect(),
        remedy: finding.remedy.text.clone(),
        change: finding.remedy.change.as_ref().map(change),
        why: finding.why.clone(),
        proof: None,
    }
}

fn place(program: &Program, place: &Place, findings: &[CauseFinding]) -> CostPlace {
    // Parts of a binding have their own places; findings in several of them get the declaration's.
    let first = &findings[place.findings[0]];
    let is_same = |number: &usize| findings[*number].location == first.location;
    let location = match place.findings.iter().all(is_same) {
        true => first.location.clone(),
        false => {
            let whole = program.nearest_location(place.site);
            let whole = whole.map(|at| location(program, place.site, at));
            let function = first.location.as_ref().and_then(|it| it.function.clone());
            whole.filter(|it| it.function == function).or_else(|| first.location.clone())
        }
    };
    let cost = place.cost.as_ref();
    CostPlace {
        binding: program.shown_name(place.site),
        location,
        cost: cost.map(|cost| {
            let paid_in = first.cost.as_ref().map_or_else(String::new, |it| it.paid_in.clone());
            cost_part(cost, paid_in)
        }),
        findings: place.findings.clone(),
    }
}

pub(crate) fn location(program: &Program, site: Site, it: Location) -> SourceLocation {
    let function = program.declared(site, &it).map(str::to_owned);
    SourceLocation { file: it.file, line: it.line, column: it.column, function }
}

pub(crate) fn cost(program: &Program, ranked: &Ranked) -> Option<FindingCost> {
    let cost = ranked.cost.as_ref()?;
    let counters = program.ticky.as_ref().map(|profile| &profile.counters);
    let counter = |name: &&'static str| {
        let count = *counters?.get(*name)?;
        Some(CounterValue { name: (*name).to_owned(), count })
    };
    let paid_in = match ranked.finding.cause.paid.in_which(cost) {
        Paid::Allocations | Paid::Work => "allocations",
        Paid::Entries => "entries",
        Paid::Memory => "memory",
        Paid::Time => "time",
    };
    Some(FindingCost {
        counters: ranked.finding.basis.counters.iter().filter_map(counter).collect(),
        ..cost_part(cost, paid_in.to_owned())
    })
}

fn cost_part(cost: &Cost, paid_in: String) -> FindingCost {
    FindingCost {
        paid_in,
        allocated_bytes: cost.allocated_bytes,
        allocation_share: cost.allocation_share,
        at_most: cost.at_most,
        entries: cost.entries,
        entry_share: cost.entry_share,
        heap_bytes: cost.held.map(|held| held.bytes),
        heap_share: cost.held.map(|held| held.share),
        time: cost.time.map(|time| TimeShare::from_looks(time.looks, time.of)),
        counters: Vec::new(),
    }
}

fn evidence(program: &Program, evidence: &Evidence) -> CoreExcerpt {
    let module = program.module_of(evidence.site);
    let binding = match evidence.within {
        Some(part) => &module.core().bindings[part],
        None => program.binding(evidence.site),
    };
    let readable = module.core().readable_marked(binding, &evidence.focus);
    evidence_of_binding(program.shown_name(evidence.site), &readable)
}

fn change(change: &RemedyChange) -> ProposedChange {
    match change {
        RemedyChange::Pragma { module, binding, pragma } => ProposedChange::Pragma {
            module: module.clone(),
            binding: binding.clone(),
            pragma: pragma.clone(),
        },
        RemedyChange::ExportList { module, exports } => {
            ProposedChange::ExportList { module: module.clone(), exports: exports.clone() }
        }
        RemedyChange::CompilerOption(option) => {
            ProposedChange::CompilerOption { option: option.clone() }
        }
    }
}

fn not_looked(program: &Program, blind: &Blind) -> BlindSpot {
    BlindSpot {
        cause: blind.cause.id.to_owned(),
        lacks: blind.lacks.words().to_owned(),
        reason: blind.reason.clone(),
        modules: blind.modules.iter().map(|it| program.modules[*it].name.clone()).collect(),
    }
}

/// Lines of Core shown for one piece of evidence. Arbitrary; nobody reads more.
const MOST_LINES: usize = 10;

/// The lines around the marks, with the marks moved accordingly. The first line, which names the
/// subject, is always kept. A line of dots replaces lines left out after it or at the end.
fn excerpt(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let lines: Vec<Range<usize>> = lines(text);
    if lines.len() <= MOST_LINES {
        return (text.to_owned(), marks.to_vec());
    }
    let (cut, marks) = cut(text, &lines, marks);
    outdent(&cut, &marks)
}

/// The first line, and the lines around the first mark.
fn cut(text: &str, lines: &[Range<usize>], marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let first = marks
        .first()
        .map_or(0, |mark| lines.iter().rposition(|line| line.start <= mark.start).unwrap_or(0));
    // Some lines before the mark show the way to it.
    let begin = first.saturating_sub(MOST_LINES / 3).min(lines.len() - MOST_LINES + 1).max(1);
    let end = (begin + MOST_LINES - 1).min(lines.len());
    let mut cut = String::new();
    let mut moved = Vec::new();
    let mut keep = |range: Range<usize>, cut: &mut String| {
        for mark in marks {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            if start < end {
                moved.push(cut.len() + start - range.start..cut.len() + end - range.start);
            }
        }
        cut.push_str(&text[range]);
    };
    keep(lines[0].clone(), &mut cut);
    let indent = |line: &Range<usize>| indent(&text[line.clone()]);
    if begin > 1 {
        cut.push_str(&format!("\n{:1$}...", "", indent(&lines[begin])));
    }
    cut.push('\n');
    keep(lines[begin].start..lines[end - 1].end, &mut cut);
    if end < lines.len() {
        cut.push_str(&format!("\n{:1$}...", "", indent(&lines[end])));
    }
    (cut, moved)
}

/// The number of blanks at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The text with all lines but the first moved left, until the leftmost is indented by two blanks.
fn outdent(text: &str, marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let lines = lines(text);
    let least = lines.iter().skip(1).map(|line| indent(&text[line.clone()])).min().unwrap_or(0);
    let removed = least.saturating_sub(2);
    // Each line but the first begins after a line break and lost `removed` blanks.
    let moved = |at: usize| {
        let line = lines.iter().rposition(|line| line.start <= at).unwrap_or(0);
        if line == 0 {
            return at;
        }
        let within = (at - lines[line].start).saturating_sub(removed);
        lines[line].start - removed * (line - 1) + within
    };
    let mut out = String::new();
    for (number, line) in lines.iter().enumerate() {
        let line = &text[line.clone()];
        if number > 0 {
            out.push('\n');
        }
        out.push_str(if number == 0 { line } else { &line[removed.min(line.len())..] });
    }
    (out, marks.iter().map(|mark| moved(mark.start)..moved(mark.end)).collect())
}

/// The ranges of a text's lines, without line breaks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split('\n') {
        all.push(start..start + line.len());
        start += line.len() + 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ghc::heap_profile;

    #[test]
    fn the_peak_is_the_moment_with_the_largest_heap() {
        let text = "BEGIN_SAMPLE 0.1\nTHUNK_2_0\t900\nEND_SAMPLE 0.1\n\
                    BEGIN_SAMPLE 0.2\nTHUNK_2_0\t40\nghc-prim:GHC.Types.:\t960\nEND_SAMPLE 0.2\n\
                    BEGIN_SAMPLE 0.3\nSTACK\t800\nEND_SAMPLE 0.3\n";
        let profile = heap_profile::read(text).expect("a profile");
        let kinds = [("GHC.Types.:", 960), ("THUNK_2_0", 40)];
        let kinds = kinds.map(|(kind, bytes)| HeapKind { kind: kind.to_owned(), bytes });
        let expected = HeapPeak { bytes: 1000, kinds: kinds.to_vec() };
        assert_eq!(heap_peak(&profile), Some(expected));
        assert_eq!(heap_peak(&HeapProfile::default()), None);
    }

    fn numbered(count: usize) -> String {
        (0..count).map(|number| format!("  line {number:02}")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_short_text_is_left_as_it_is() {
        let text = numbered(10);
        let mark = 5..8;
        assert_eq!(excerpt(&text, std::slice::from_ref(&mark)), (text.clone(), vec![mark]));
    }

    #[test]
    fn of_a_long_text_the_head_and_the_lines_around_the_mark_are_kept() {
        let text = numbered(40);
        let begin = text.find("line 20").expect("it is there");
        let mark = begin..begin + 7;
        let (cut, marks) = excerpt(&text, std::slice::from_ref(&mark));
        assert_eq!(cut.lines().next(), Some("  line 00"));
        assert_eq!(cut.lines().nth(1), Some("  ..."));
        assert_eq!(cut.lines().last(), Some("  ..."));
        assert_eq!(marks.len(), 1);
        assert_eq!(&cut[marks[0].clone()], "line 20");
        let (cut, _) = excerpt(&text, &[]);
        assert_eq!(cut.lines().nth(1), Some("  line 01"));
    }

    #[test]
    fn deep_lines_move_to_the_left_with_their_marks() {
        let text = "f =\n      case x of\n        A -> y\n";
        let mark = text.find("y").expect("it is there");
        let (text, marks) = outdent(text.trim_end(), std::slice::from_ref(&(mark..mark + 1)));
        assert_eq!(text, "f =\n  case x of\n    A -> y");
        assert_eq!(&text[marks[0].clone()], "y");
    }

    #[test]
    fn a_mark_that_ends_outside_is_cut() {
        let text = numbered(40);
        let begin = text.find("line 38").expect("it is there");
        let (cut, marks) = excerpt(&text, std::slice::from_ref(&(begin..text.len())));
        assert!(cut.ends_with("line 39"));
        assert_eq!(&cut[marks[0].clone()], "line 38\n  line 39");
    }
}
