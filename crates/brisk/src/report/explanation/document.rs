//! The decided content of an explanation; renderers only format it.
//!
//! This is the part `explanation` of the JSON of schema `brisk/1`. Fields are only ever added.

use ghc::causes::cause::Paid;
use ghc::causes::costs::{Cost, Undumped};
use ghc::causes::doubts::Doubt;
use ghc::causes::examine::{Blind, Examination, Ranked};
use ghc::causes::names::Location;
use ghc::causes::places::Place;
use ghc::causes::{Change, Evidence, Program, Site};
use ghc::core::Readable;
use serde::{Deserialize, Serialize};

use super::cause;
use super::excerpt::excerpt;
use super::growth::GrowthPart;
use super::time::{TimePart, TimeSharePart};

/// The reasons for a program's cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExplanationPart {
    /// The explained program: a path, as it was given.
    pub subject: String,
    /// The version of the compiler, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// The run of the program, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RunPart>,
    /// The modules examined.
    pub modules: Vec<String>,
    /// The share of the run covered by counters; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<CoveragePart>,
    /// The places where a run without counters spent its time; missing if not sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<TimePart>,
    /// The growth of the whole program's allocations with the work, if it ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<GrowthPart>,
    /// The findings, most costly first.
    pub findings: Vec<FindingPart>,
    /// The places of the findings, in the order of each one's first finding.
    pub places: Vec<PlacePart>,
    /// Causes that could not be examined everywhere.
    pub not_looked: Vec<BlindPart>,
    /// Reasons to doubt the whole explanation, in sentences.
    pub doubts: Vec<String>,
}

/// A command, and its runtime's figures on its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "ExplainedRunPart"))]
pub struct RunPart {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Bytes allocated by the plain program.
    pub allocated_bytes: Option<u64>,
    /// Seconds taken by the plain program, according to its runtime.
    pub wall_seconds: Option<f64>,
    /// Bytes allocated by the instrumented program.
    pub instrumented_allocated_bytes: Option<u64>,
    /// Seconds taken by the instrumented program, according to its runtime.
    pub instrumented_wall_seconds: Option<f64>,
}

/// The part of a run that the counters cover.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoveragePart {
    /// All bytes allocated by the program, if known.
    pub allocated_bytes: Option<u64>,
    /// The bytes allocated by instrumented code.
    pub instrumented_bytes: u64,
    /// The share allocated by code without counters: libraries and the runtime.
    pub outside_share: Option<f64>,
    /// The share of the instrumented bytes that belongs to no binding of the dumps.
    pub unplaced_share: Option<f64>,
    /// The number of closures counted.
    pub rows: usize,
    /// The number of these that belong to no binding of the dumps.
    pub unplaced_rows: usize,
    /// The modules with counters but without a dump, which could not be examined; costliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undumped: Vec<UndumpedPart>,
}

/// A module with counters but without a dump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UndumpedPart {
    /// Its name.
    pub module: String,
    /// The bytes allocated by its code.
    pub allocated_bytes: u64,
}

impl CoveragePart {
    /// All bytes allocated by the program, as far as known.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.allocated_bytes.unwrap_or_default().max(self.instrumented_bytes)
    }

    /// The bytes allocated by code of bindings in the dumps.
    #[must_use]
    pub fn looked_at_bytes(&self) -> u64 {
        let unplaced = self.unplaced_share.unwrap_or_default() * self.instrumented_bytes as f64;
        self.instrumented_bytes.saturating_sub(unplaced.round() as u64)
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingPart {
    /// The cause's identifier.
    pub cause: String,
    /// A short title of the cause.
    pub title: String,
    /// The cause's page, as a file of brisk's documentation.
    pub page: String,
    /// The module.
    pub module: String,
    /// The binding's readable name, with its module.
    pub binding: String,
    /// The binding's name in Core.
    pub core_name: String,
    /// Its place in the source, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<LocationPart>,
    /// The problem.
    pub what: String,
    /// Its cost; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<CostPart>,
    /// The growth of its cost with the work, if the program ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<GrowthPart>,
    /// Set if its cost is too small to be shown by default.
    pub minor: bool,
    /// The Core that shows the problem.
    pub evidence: Vec<EvidencePart>,
    /// The suggested remedy.
    pub remedy: String,
    /// The change that a program can make by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<ChangePart>,
    /// The reason GHC did not do that by itself.
    pub why: String,
    /// The result of trying the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<ProofPart>,
}

/// A binding with its findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlacePart {
    /// The binding's readable name, with its module.
    pub binding: String,
    /// Its place in the source, if known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<LocationPart>,
    /// The cost of all code that its findings are about; missing if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<CostPart>,
    /// The findings by number, from 0, most costly first.
    pub findings: Vec<usize>,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LocationPart {
    /// The file, as passed to GHC.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
    /// The name of the top-level declaration there, if the source is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
}

/// The cost of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CostPart {
    /// The quantity that decides its rank: `allocations`, `entries`, `memory` or `time`.
    pub paid_in: String,
    /// Bytes allocated by the code in question.
    pub allocated_bytes: u64,
    /// Their share of all allocated bytes.
    pub allocation_share: Option<f64>,
    /// Set if the bytes are all that the code allocated, because those in question were not counted
    /// separately.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// The number of entries into that code.
    pub entries: Option<u64>,
    /// Their share of all entries.
    pub entry_share: Option<f64>,
    /// Bytes it occupies in the heap at its largest, if sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_bytes: Option<u64>,
    /// Their share of the heap at that moment.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_share: Option<f64>,
    /// The share of the time spent in libraries on its behalf, without the collector's, if sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<TimeSharePart>,
    /// Counters of the whole program in which it shows.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counters: Vec<CounterPart>,
}

/// A counter of the whole program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CounterPart {
    /// Its name, such as `UNKNOWN_CALL_ctr`.
    pub name: String,
    /// Its value.
    pub count: u64,
}

/// Lines of Core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvidencePart {
    /// The binding's readable name, with its module.
    pub binding: String,
    /// The lines.
    pub core: String,
    /// The byte ranges of `core` that matter: beginnings and ends.
    pub marks: Vec<[usize; 2]>,
}

/// A change that a program can make by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ChangePart {
    /// A pragma before a binding.
    Pragma {
        /// The module.
        module: String,
        /// The binding.
        binding: String,
        /// The pragma, without brackets.
        pragma: String,
    },
    /// An export list.
    ExportList {
        /// The module.
        module: String,
        /// The exported names.
        exports: Vec<String>,
    },
    /// An option for GHC.
    CompilerOption {
        /// The option.
        option: String,
    },
    /// Options of the runtime.
    RuntimeOption {
        /// The options.
        option: String,
    },
}

/// The result of trying a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProofPart {
    /// The change, in words.
    pub change: String,
    /// The verdict on it.
    pub verdict: String,
    /// The ratio of candidate to baseline in allocated bytes, if both were read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocation_ratio: Option<f64>,
    /// The ratio of candidate to baseline in wall time, with its interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ratio: Option<[f64; 3]>,
    /// The reason there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trouble: Option<String>,
}

/// A cause that could not be examined in some modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlindPart {
    /// The cause's identifier.
    pub cause: String,
    /// The missing information.
    pub lacks: String,
    /// The reason it is missing.
    pub reason: String,
    /// The modules.
    pub modules: Vec<String>,
}

impl ExplanationPart {
    /// Converts the examination of a program into the part of a report.
    #[must_use]
    pub fn new(
        subject: &str,
        program: &Program,
        examination: &Examination,
        doubts: &[Doubt],
    ) -> Self {
        let findings: Vec<FindingPart> =
            examination.ranked.iter().map(|ranked| finding(program, ranked)).collect();
        Self {
            subject: subject.to_owned(),
            compiler: compiler(program),
            run: None,
            time: program.samples.as_ref().ok().map(TimePart::from_samples),
            growth: None,
            modules: program.modules.iter().map(|module| module.name.clone()).collect(),
            coverage: examination.coverage.map(|coverage| CoveragePart {
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
}

impl EvidencePart {
    /// The lines around the marks.
    pub(in crate::report) fn from_binding(binding: String, readable: &Readable) -> Self {
        let (core, marks) = excerpt(&readable.text, &readable.marks);
        Self {
            binding,
            core,
            marks: marks.into_iter().map(|mark| [mark.start, mark.end]).collect(),
        }
    }
}

/// The version of the compiler, if known.
pub(in crate::report) fn compiler(program: &Program) -> Option<String> {
    let numbers = program.compiler.as_ref()?.iter().map(ToString::to_string);
    Some(numbers.collect::<Vec<_>>().join("."))
}

fn undumped(undumped: &Undumped) -> UndumpedPart {
    let Undumped { module, allocated_bytes, .. } = undumped;
    UndumpedPart { module: module.clone(), allocated_bytes: *allocated_bytes }
}

fn finding(program: &Program, ranked: &Ranked) -> FindingPart {
    let finding = &ranked.finding;
    let at = program.location_of(finding);
    FindingPart {
        cause: finding.cause.id.to_owned(),
        title: finding.cause.title.to_owned(),
        page: cause::file(finding.cause.id),
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

fn place(program: &Program, place: &Place, findings: &[FindingPart]) -> PlacePart {
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
    PlacePart {
        binding: program.shown_name(place.site),
        location,
        cost: cost.map(|cost| {
            let paid_in = first.cost.as_ref().map_or_else(String::new, |it| it.paid_in.clone());
            cost_part(cost, paid_in)
        }),
        findings: place.findings.clone(),
    }
}

fn location(program: &Program, site: Site, it: Location) -> LocationPart {
    let function = program.declared(site, &it).map(str::to_owned);
    LocationPart { file: it.file, line: it.line, column: it.column, function }
}

fn cost(program: &Program, ranked: &Ranked) -> Option<CostPart> {
    let cost = ranked.cost.as_ref()?;
    let counters = program.ticky.as_ref().map(|profile| &profile.counters);
    let counter = |name: &&'static str| {
        let count = *counters?.get(*name)?;
        Some(CounterPart { name: (*name).to_owned(), count })
    };
    let paid_in = match ranked.finding.cause.paid.in_which(cost) {
        Paid::Allocations | Paid::Work => "allocations",
        Paid::Entries => "entries",
        Paid::Memory => "memory",
        Paid::Time => "time",
    };
    Some(CostPart {
        counters: ranked.finding.basis.counters.iter().filter_map(counter).collect(),
        ..cost_part(cost, paid_in.to_owned())
    })
}

fn cost_part(cost: &Cost, paid_in: String) -> CostPart {
    CostPart {
        paid_in,
        allocated_bytes: cost.allocated_bytes,
        allocation_share: cost.allocation_share,
        at_most: cost.at_most,
        entries: cost.entries,
        entry_share: cost.entry_share,
        heap_bytes: cost.held.map(|held| held.bytes),
        heap_share: cost.held.map(|held| held.share),
        time: cost.time.map(|time| TimeSharePart::from_looks(time.looks, time.of)),
        counters: Vec::new(),
    }
}

fn evidence(program: &Program, evidence: &Evidence) -> EvidencePart {
    let module = program.module_of(evidence.site);
    let binding = match evidence.within {
        Some(part) => &module.core().bindings[part],
        None => program.binding(evidence.site),
    };
    let readable = module.core().readable_marked(binding, &evidence.focus);
    EvidencePart::from_binding(program.shown_name(evidence.site), &readable)
}

fn change(change: &Change) -> ChangePart {
    match change {
        Change::Pragma { module, binding, pragma } => ChangePart::Pragma {
            module: module.clone(),
            binding: binding.clone(),
            pragma: pragma.clone(),
        },
        Change::ExportList { module, exports } => {
            ChangePart::ExportList { module: module.clone(), exports: exports.clone() }
        }
        Change::CompilerOption(option) => ChangePart::CompilerOption { option: option.clone() },
        Change::RuntimeOption(option) => ChangePart::RuntimeOption { option: option.clone() },
    }
}

fn not_looked(program: &Program, blind: &Blind) -> BlindPart {
    BlindPart {
        cause: blind.cause.id.to_owned(),
        lacks: blind.lacks.words().to_owned(),
        reason: blind.reason.clone(),
        modules: blind.modules.iter().map(|it| program.modules[*it].name.clone()).collect(),
    }
}
