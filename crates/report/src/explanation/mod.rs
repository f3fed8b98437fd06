//! The reasons for the cost of a program: the page with its findings by place, costliest first, and
//! the unseen parts.

pub mod cause;

use findings::explanation::{
    BlindSpot, CauseFinding, ChangeProof, CoreExcerpt, CostGrowth, CostPlace, DumpCoverage,
    Explanation, FindingCost, HeapKind, HeapPeak, LibraryTime, SampledTime, SourceLocation,
    TimeShare,
};
use model::metric::Unit;
use page::{Block, Code, Label, Line, Page, Section, Span, Tone, line};
use words::quantity::{percent, quantity};
use words::reasons::named;
use words::{capitalised, counted, folded};

/// The label of reasons to doubt the whole report.
pub(crate) const DOUBT: Label = Label { word: "doubt", tone: Tone::Open };

const KEYWORDS: &[&str] =
    &["case", "of", "let", "letrec", "join", "joinrec", "jump", "and", "->", "=", "{", "}"];

/// Builds the page; cheap findings are folded.
pub(crate) fn page(part: &Explanation) -> Page {
    let mut page = Page::default();
    page.push(Block::Heading(head(part)));
    page.push(Block::Answer(answer(part)));
    page.sentences(undumped(part));
    page.notes(DOUBT, part.doubts.iter().map(|doubt| Line::of_message(doubt)));
    let (major, minor): (Vec<&CostPlace>, Vec<&CostPlace>) =
        part.places.iter().partition(|place| findings(part, place).any(|finding| !finding.minor));
    let sections = |places: &[&CostPlace], first: usize| -> Vec<Block> {
        let numbered = (first..).zip(places);
        numbered.map(|(number, it)| Block::Section(section(part, number, it))).collect()
    };
    page.blocks.extend(sections(&major, 1));
    let count = minor.iter().map(|place| place.findings.len()).sum();
    page.blocks.extend(fold(count, sections(&minor, major.len() + 1)));
    page.sentences(pages(part));
    page.sentences(run(part));
    page.sentences(
        part.growth
            .as_ref()
            .map(|growth| Line::from(format!("The whole program: {}.", growth_in_words(growth)))),
    );
    page.sentences(part.heap.as_ref().and_then(heap_at_peak));
    page.sentences(part.time.as_ref().map(time_spent).or_else(|| collector_time(part)));
    page.sentences(part.coverage.iter().flat_map(coverage));
    let blind = part.not_looked.iter();
    page.notes(Label::NOTE, blind.map(|it| not_looked(it, part.modules.len())));
    page
}

fn findings<'a>(
    part: &'a Explanation,
    place: &'a CostPlace,
) -> impl Iterator<Item = &'a CauseFinding> {
    place.findings.iter().filter_map(|number| part.findings.get(*number))
}

/// Folds findings that cost little.
fn fold(count: usize, blocks: Vec<Block>) -> Vec<Block> {
    folded(format!("{} below 1 %", counted(count, "more finding")), blocks)
}

fn section(part: &Explanation, number: usize, place: &CostPlace) -> Section {
    let location = place.location.as_ref().map(|it| {
        let location = Span::foreign(location(it));
        line!["  ", location.toned(Tone::Quiet)]
    });
    let title = line![
        format!("{number}. "),
        Span::code(place.binding.clone()),
        declared_in(place),
        location.unwrap_or_default()
    ];
    let findings: Vec<&CauseFinding> = findings(part, place).collect();
    let mut blocks = Vec::new();
    if let [only] = findings[..] {
        blocks.extend(only.cost.iter().map(|cost| Block::Sentence(whole_cost(cost))));
        blocks.push(Block::Sentence(what(only)));
        blocks.extend(growth(only));
        blocks.extend(evidence(only));
        return Section::new(title, blocks);
    }
    blocks.extend(place.cost.iter().map(|cost| Block::Sentence(whole_cost(cost))));
    let mut minor = Vec::new();
    for (letter, finding) in ('a'..).zip(findings) {
        let mut said = vec![Block::Sentence(what(finding))];
        said.extend(own_cost(finding, place).map(Block::Sentence));
        said.extend(growth(finding));
        said.extend(evidence(finding));
        let title = format!("{letter}. {}", finding.title);
        let to = if finding.minor { &mut minor } else { &mut blocks };
        to.push(Block::Section(Section::new(title, said)));
    }
    // If all are minor, the place itself is folded.
    let is_major = blocks.iter().any(|block| matches!(block, Block::Section(_)));
    match is_major {
        true => blocks.extend(fold(minor.len(), minor)),
        false => blocks.extend(minor),
    }
    Section::new(title, blocks)
}

fn what(finding: &CauseFinding) -> Line {
    let what = Line::of_message(&capitalised(&finding.what));
    let cause = match cause::address(&finding.cause) {
        Some(address) => Span::link(finding.cause.clone(), address),
        None => Span::foreign(finding.cause.clone()),
    };
    line![what, " (", cause, ")"]
}

fn growth(finding: &CauseFinding) -> Option<Block> {
    let growth = finding.growth.as_ref()?;
    Some(Block::Sentence(Line::of_message(&capitalised(&growth_in_words(growth)))))
}

/// The Core that shows the problem, the suggested remedy, and the result of trying it.
fn evidence(finding: &CauseFinding) -> impl Iterator<Item = Block> {
    let said = [("try", &finding.remedy), ("why", &finding.why)];
    let said = said.map(|(word, text)| Block::Note(Label::quiet(word), Line::of_message(text)));
    let core = finding.evidence.iter().map(|evidence| Block::Code(core("", evidence)));
    core.chain(said).chain(finding.proof.as_ref().map(proof))
}

fn proof(proof: &ChangeProof) -> Block {
    let is_help = proof.trouble.is_none() && proof.verdict.starts_with("helped");
    let label = Label { word: "tried", tone: if is_help { Tone::Good } else { Tone::Quiet } };
    let came = proof.trouble.as_ref().unwrap_or(&proof.verdict);
    Block::Note(label, line![Line::of_message(&proof.change), ": ", Line::of_message(came)])
}

pub(crate) fn bytes(bytes: u64) -> String {
    quantity(bytes as f64, Unit::Bytes)
}

pub(crate) fn count(count: u64) -> String {
    quantity(count as f64, Unit::Count)
}

pub(crate) fn core(label: &'static str, evidence: &CoreExcerpt) -> Code {
    Code {
        label,
        language: "haskell",
        keywords: KEYWORDS,
        text: evidence.core.clone(),
        marks: evidence.marks.clone(),
    }
}

/// `Interp.hs:24:12`
fn location(location: &SourceLocation) -> String {
    match location.column {
        Some(column) => format!("{}:{}:{column}", location.file, location.line),
        None => format!("{}:{}", location.file, location.line),
    }
}

/// ` in step`, for a binding whose name differs from that of the declaration at its place.
fn declared_in(place: &CostPlace) -> Line {
    let function = place.location.as_ref().and_then(|it| it.function.as_deref());
    let of_binding = place.binding.rsplit('.').next().unwrap_or_default();
    match function.filter(|name| *name != of_binding.trim_matches(['(', ')'])) {
        Some(name) => line![" in ", Span::code(name.to_owned())],
        None => Line::default(),
    }
}

fn head(part: &Explanation) -> Line {
    let modules = counted(part.modules.len(), "module");
    let compiler = part.compiler.as_ref().map(|version| format!(" · GHC {version}"));
    line![part.subject.clone(), " · ", modules, compiler.unwrap_or_default()]
}

/// The costliest finding, or the reason there is none.
fn answer(part: &Explanation) -> Line {
    let Some(first) = part.findings.first() else {
        return no_cause(part, "");
    };
    match &first.cost {
        _ if part.coverage.is_none() => line![
            counted(part.findings.len(), "finding"),
            ". Nothing was measured: findings are in a fixed order of causes, not by cost, and may be \
             in code that hardly runs."
        ],
        Some(cost) if !first.minor => {
            let binding = Span::code(first.binding.clone());
            line!["Costliest finding: ", binding, format!(" ({}), {}.", first.title, figures(cost))]
        }
        _ => no_cause(part, " that costs 1 % or more"),
    }
}

/// A pointer to further reading on the causes found.
fn pages(part: &Explanation) -> Option<Line> {
    let first = part.findings.first()?;
    let command = Span::code(format!("brisk explain --cause {}", first.cause));
    Some(line!["What a cause is, with an example, and when it does not matter: ", command, "."])
}

/// If a smaller share of the cost was examined, a lack of findings means little.
const MOST_OF_IT: f64 = 0.5;

/// Says that nothing was found, or that most of the cost was not examined, and where it is.
fn no_cause(part: &Explanation, which: &str) -> Line {
    let little = part.coverage.as_ref().filter(|coverage| {
        (coverage.looked_at_bytes() as f64) < MOST_OF_IT * coverage.whole_bytes() as f64
    });
    let Some(coverage) = little else { return format!("No known cause was found{which}.").into() };
    let (whole, looked_at) = (coverage.whole_bytes(), coverage.looked_at_bytes());
    let share = |bytes: u64| percent(bytes as f64 / whole as f64);
    let undumped: u64 = coverage.undumped.iter().map(|it| it.allocated_bytes).sum();
    let outside = whole - coverage.instrumented_bytes;
    let unknown = whole.saturating_sub(looked_at + undumped + outside);
    let costliest = part.time.as_ref().and_then(costliest);
    let costliest = costliest.map(|it| line![" Most costly is ", it, "."]);
    // Samples of the running program reach into libraries as well.
    let is_looked_at = ((undumped + unknown) as f64) < MOST_OF_IT * whole as f64;
    if let Some(costliest) = costliest.clone().filter(|_| is_looked_at) {
        return line![format!("No known cause was found{which}."), costliest];
    }
    let elsewhere = [
        (outside, "code without counters (libraries that were compiled before, and the runtime)"),
        (undumped, "modules without a dump of their Core"),
        (unknown, "counted closures that are in no dump"),
    ];
    let elsewhere = elsewhere.into_iter().filter(|(bytes, _)| *bytes > 0);
    let elsewhere: Vec<Line> =
        elsewhere.map(|(bytes, what)| format!("{} in {what}", share(bytes)).into()).collect();
    line![
        format!(
            "Most of the cost was not looked at: {} of allocations are in the Core that was, and no known \
             cause was found there{which}. The rest is elsewhere: ",
            share(looked_at)
        ),
        Line::join(elsewhere, ", "),
        ".",
        costliest.unwrap_or_default()
    ]
}

/// The modules that could not be examined for lack of a dump, with the reason.
fn undumped(part: &Explanation) -> Option<Line> {
    /// The largest number of modules named; others are only counted.
    const NAMED: usize = 8;
    let coverage = part.coverage.as_ref().filter(|coverage| !coverage.undumped.is_empty())?;
    let named = coverage.undumped.iter().take(NAMED).map(|it| {
        let share = it.allocated_bytes as f64 / coverage.whole_bytes().max(1) as f64;
        line![Span::code(it.module.clone()), format!(" ({} of allocations)", percent(share))]
    });
    let more = match coverage.undumped.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let why = match part.run {
        Some(_) => {
            "GHC wrote none to where it was told: options in their source or in the cabal file may lead \
             it elsewhere (`-dumpdir`)"
        }
        None => "the folder has none, or is of another program",
    };
    Some(line![
        "Nothing was looked at of modules without a dump: ",
        Line::join(named, ", "),
        more,
        ". ",
        Line::of_message(&capitalised(why)),
        "."
    ])
}

/// The cost of a finding by itself, if it differs from that of its whole place.
fn own_cost(finding: &CauseFinding, place: &CostPlace) -> Option<Line> {
    let (own, all) = (finding.cost.as_ref()?, place.cost.as_ref()?);
    let part = (figures(own) != figures(all)).then(|| line!["its part: ", figures(own)]);
    let said: Vec<Line> = part.into_iter().chain(counters(own)).collect();
    (!said.is_empty()).then(|| Line::join(said, "; "))
}

/// The cost of a place or a finding.
fn whole_cost(cost: &FindingCost) -> Line {
    Line::join(std::iter::once(Line::from(figures(cost))).chain(counters(cost)), "; ")
}

/// `34 % of allocations (204 MB), 12 % of entries (1.2 M)`
pub(crate) fn figures(cost: &FindingCost) -> String {
    let allocated = bytes(cost.allocated_bytes);
    let allocations = match cost.allocation_share {
        // Stack frames are in the heap, but nobody allocated them.
        _ if cost.allocated_bytes == 0 && cost.heap_bytes.is_some() => None,
        Some(share) if cost.at_most => {
            Some(format!("at most {} of allocations ({allocated})", percent(share)))
        }
        Some(share) => Some(format!("{} of allocations ({allocated})", percent(share))),
        None => Some("nothing was allocated".to_owned()),
    };
    let entries = match (cost.entries, cost.entry_share) {
        (Some(entries), Some(share)) => {
            let entries = count(entries);
            format!("{} of entries ({entries})", percent(share))
        }
        (Some(_), None) => "no entries".to_owned(),
        (None, _) => "entries not counted".to_owned(),
    };
    let words: Vec<String> = allocations.into_iter().chain([entries]).collect();
    let mut words = words.join(", ");
    if let Some(time) = &cost.time {
        words = format!("{}; {words}", share_of_time(time));
    }
    if let (Some(heap), Some(share)) = (cost.heap_bytes, cost.heap_share) {
        let (share, heap) = (percent(share), bytes(heap));
        words.push_str(&format!(", {heap} of the heap at most ({share} of its peak)"));
    }
    words
}

/// `UNKNOWN_CALL_ctr of the whole program: 1.2 M`
fn counters(cost: &FindingCost) -> impl Iterator<Item = Line> {
    cost.counters.iter().map(|counter| {
        let count = count(counter.count);
        line![Span::code(counter.name.clone()), " of the whole program: ", count]
    })
}

/// The scope of the figures: what they cover, and what they do not.
fn coverage(part: &DumpCoverage) -> [String; 2] {
    let about = match (part.allocated_bytes, part.outside_share) {
        (Some(all), Some(outside)) => format!(
            "The program allocated {}. Of these, {} were allocated by code without counters: \
             libraries that were compiled before, and the runtime.",
            bytes(all),
            percent(outside)
        ),
        _ => format!(
            "The code with counters allocated {}. Shares are of that: it is not known what other code \
             allocated.",
            bytes(part.instrumented_bytes)
        ),
    };
    let joined = match part.unplaced_share {
        _ if part.unplaced_rows == 0 => {
            format!("All {} counted closures were found in the Core.", part.rows)
        }
        Some(share) => format!(
            "{} of {} counted closures, with {} of the counted bytes, belong to no binding of the \
             dumps.",
            part.unplaced_rows,
            part.rows,
            percent(share)
        ),
        None => format!(
            "{} of {} counted closures belong to no binding of the dumps.",
            part.unplaced_rows, part.rows
        ),
    };
    [about, joined]
}

/// A cause that could not be examined in some modules.
fn not_looked(blind: &BlindSpot, all: usize) -> Line {
    let modules = match blind.modules.len() == all {
        true => " anywhere".into(),
        false => line![
            " in ",
            named(blind.modules.iter().map(|module| Span::code(module).into()).collect())
        ],
    };
    line![
        Span::code(blind.cause.clone()),
        " could not look",
        modules,
        format!(": it needs {} (", blind.lacks),
        Line::of_message(&blind.reason),
        ")"
    ]
}

fn run(part: &Explanation) -> Option<Line> {
    let run = part.run.as_ref()?;
    let figures = |seconds: Option<f64>, allocated: Option<u64>| {
        let seconds = seconds.map(|seconds| quantity(seconds, Unit::Seconds));
        let allocated = allocated.map(|allocated| bytes(allocated) + " allocated");
        let said: Vec<String> = seconds.into_iter().chain(allocated).collect();
        if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
    };
    Some(line![
        Span::code(run.command.join(" ")),
        " ran once plain",
        figures(run.wall_seconds, run.allocated_bytes),
        " and once with counters",
        figures(run.instrumented_wall_seconds, run.instrumented_allocated_bytes),
        "."
    ])
}

/// The smallest peak of a heap, in bytes, whose contents are of interest.
const LEAST_HEAP_BYTES: u64 = 1 << 20;

/// The kinds of closures that fill the heap at its peak.
fn heap_at_peak(heap: &HeapPeak) -> Option<Line> {
    let share = |it: &HeapKind| it.bytes as f64 / heap.bytes.max(1) as f64;
    let large = heap.kinds.iter().filter(|it| share(it) >= LEAST).take(NAMED);
    let kinds = large.map(|it| {
        let words = format!(" {} ({})", bytes(it.bytes), percent(share(it)));
        line![Span::code(it.kind.clone()), words]
    });
    let kinds = Line::join(kinds, ", ");
    (heap.bytes >= LEAST_HEAP_BYTES && !kinds.is_empty())
        .then(|| line![format!("At its peak the heap had {}: ", bytes(heap.bytes)), kinds, "."])
}

/// The collector's share of the time as its runtime counts it, for programs whose stack was not
/// looked at.
fn collector_time(part: &Explanation) -> Option<Line> {
    let share = part.run.as_ref()?.collector_share().filter(|share| *share >= LEAST)?;
    Some(Line::from(format!("The collector took {} of the processor time.", percent(share))))
}

/// `61 % of the time (58 to 64 %)`
fn share_of_time(part: &TimeShare) -> String {
    format!("{} of the time ({} to {})", percent(part.share), percent(part.low), percent(part.high))
}

/// The largest number of functions named; the data have more.
const NAMED: usize = 3;

const LEAST: f64 = 0.05;

/// The library function with the largest share of the time; `None` if that is small.
fn costliest(part: &SampledTime) -> Option<Line> {
    part.libraries.first().filter(|it| it.time.share >= LEAST).map(in_library)
}

fn in_library(it: &LibraryTime) -> Line {
    let of = match &it.caller {
        Some(caller) => line![", called by ", Span::code(caller.clone())],
        None => ", for no function that could be seen".into(),
    };
    line![share_of_time(&it.time), " in ", Span::code(it.function.clone()), of]
}

/// The places where time was spent without any counter seeing it.
fn time_spent(part: &SampledTime) -> Line {
    let named = part.libraries.iter().filter(|it| it.time.share >= LEAST).take(NAMED);
    let said = named.map(in_library);
    let own = line![percent(part.own.share), " in the program's own code"];
    let said = std::iter::once(own).chain(said);
    let all = part.looks + part.collector_looks;
    let collector = part.collector_looks as f64 / all.max(1) as f64;
    line![
        format!(
            "Looked at {all} times, the program was in the collector {} of the time. Of the rest: ",
            percent(collector)
        ),
        Line::join(said, "; "),
        "."
    ]
}

/// `2 times the work, 3.9 times the time: it grows with the square of the work`
fn growth_in_words(growth: &CostGrowth) -> String {
    let (work, cost) =
        (growth.works[1] as f64 / growth.works[0] as f64, growth.costs[1] / growth.costs[0]);
    let how = match growth.exponent {
        it if it < 0.25 => "it hardly grows with the work".to_owned(),
        it if it < 0.75 => "it grows more slowly than the work".to_owned(),
        it if it < 1.25 => "it grows as the work does".to_owned(),
        it if it < 1.75 => "it grows faster than the work".to_owned(),
        it if it < 2.25 => "it grows with the square of the work".to_owned(),
        it if (2.75..3.25).contains(&it) => "it grows with the cube of the work".to_owned(),
        it => format!("it grows with the power {it:.1} of the work"),
    };
    let (work, cost) = (rounded(work), rounded(cost));
    format!("{work} times the work, {cost} times the {}: {how}", growth.of)
}

/// The number with one decimal place, unless that is 0.
fn rounded(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_power_is_that_of_the_work() {
        let said = |costs: [f64; 2]| {
            let growth = CostGrowth::from_costs("entries", [100, 200], costs.map(Some));
            growth_in_words(&growth.expect("both are known"))
        };
        let begin = "2 times the work, ";
        assert_eq!(
            said([10.0, 40.0]),
            format!("{begin}4 times the entries: it grows with the square of the work")
        );
        assert_eq!(
            said([7.0, 14.0]),
            format!("{begin}2 times the entries: it grows as the work does")
        );
        assert_eq!(
            said([1.0, 8.0]),
            format!("{begin}8 times the entries: it grows with the cube of the work")
        );
        assert!(said([5.0, 5.0]).ends_with("it hardly grows with the work"));
    }

    #[test]
    fn the_peak_of_the_heap_is_told_by_its_largest_kinds() {
        let kind = |kind: &str, bytes: u64| HeapKind { kind: kind.to_owned(), bytes };
        let kinds = vec![
            kind("Data.Map.Internal.Bin", 400_000_000),
            kind("THUNK_2_0", 200_000_000),
            kind("GHC.Types.:", 20_000_000),
            kind("STACK", 10_000_000),
        ];
        let said = |bytes: u64| {
            heap_at_peak(&HeapPeak { bytes, kinds: kinds.clone() }).map(|line| line.to_string())
        };
        // 400, 200 and 20 of 800 million; a fortieth is not worth a word.
        let expected = "At its peak the heap had 800.0 MB: `Data.Map.Internal.Bin` 400.0 MB (50 %), \
                        `THUNK_2_0` 200.0 MB (25 %).";
        assert_eq!(said(800_000_000).as_deref(), Some(expected));
        assert_eq!(heap_at_peak(&HeapPeak { bytes: 1000, kinds: vec![kind("STACK", 900)] }), None);
        assert_eq!(heap_at_peak(&HeapPeak { bytes: 1 << 30, kinds: Vec::new() }), None);
    }

    #[test]
    fn the_collector_is_told_where_the_stack_was_not_looked_at() {
        let said = |mutator: f64, collector: f64| {
            let run = serde_json::json!({"command": ["A"], "mutator_seconds": mutator,
                "collector_seconds": collector});
            let part = serde_json::json!({"subject": "A.hs", "modules": [], "findings": [],
                "places": [], "not_looked": [], "doubts": [], "run": run});
            let part = serde_json::from_value(part).expect("a part");
            collector_time(&part).map(|line| line.to_string())
        };
        let expected = "The collector took 75 % of the processor time.";
        assert_eq!(said(1.0, 3.0).as_deref(), Some(expected));
        assert_eq!(said(99.0, 1.0), None);
        assert_eq!(said(0.0, 0.0), None);
    }

    #[test]
    fn what_is_not_known_or_nothing_has_no_growth() {
        assert_eq!(CostGrowth::from_costs("time", [1, 2], [None, Some(1.0)]), None);
        assert_eq!(CostGrowth::from_costs("time", [1, 2], [Some(0.0), Some(1.0)]), None);
    }
}
