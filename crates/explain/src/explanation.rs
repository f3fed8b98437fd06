//! The examination of a GHC program as an explanation.

use ghc::causes::cause::Paid;
use ghc::causes::costs::{Cost, Undumped};
use ghc::causes::doubts::Doubt;
use ghc::causes::examine::{Blind, Examination, Ranked};
use ghc::causes::names::{Location, for_people};
use ghc::causes::places::Place;
use ghc::causes::{Change, Evidence, Program, Site};
use ghc::core::Readable;
use ghc::samples::{Function, OUTSIDE, Samples};

use crate::excerpt::excerpt;
use findings::explanation::{
    BlindSpot, CauseFinding, CoreExcerpt, CostGrowth, CostPlace, CounterValue, DumpCoverage,
    Explanation, FindingCost, LibraryTime, ProposedChange, SampledTime, SourceLocation, TimeShare,
    UndumpedModule,
};

/// Converts the examination of a program into the part of a report.
#[must_use]
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
#[must_use]
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
    let native = || match functions.first()?.name.as_str() {
        OUTSIDE => Some(OUTSIDE.to_owned()),
        name => Some(name.to_owned()),
    };
    named.or_else(native)
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

fn location(program: &Program, site: Site, it: Location) -> SourceLocation {
    let function = program.declared(site, &it).map(str::to_owned);
    SourceLocation { file: it.file, line: it.line, column: it.column, function }
}

fn cost(program: &Program, ranked: &Ranked) -> Option<FindingCost> {
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

fn change(change: &Change) -> ProposedChange {
    match change {
        Change::Pragma { module, binding, pragma } => ProposedChange::Pragma {
            module: module.clone(),
            binding: binding.clone(),
            pragma: pragma.clone(),
        },
        Change::ExportList { module, exports } => {
            ProposedChange::ExportList { module: module.clone(), exports: exports.clone() }
        }
        Change::CompilerOption(option) => ProposedChange::CompilerOption { option: option.clone() },
        Change::RuntimeOption(option) => ProposedChange::RuntimeOption { option: option.clone() },
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
