//! Everything that an explanation shows, decided; the renderers only format it.
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

/// Why a program costs what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExplanationPart {
    /// What was explained: a path, as it was given.
    pub subject: String,
    /// The version of the compiler, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// What was run, where something was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RunPart>,
    /// The modules that were looked at.
    pub modules: Vec<String>,
    /// How much of the run was seen; missing where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub coverage: Option<CoveragePart>,
    /// Where the time of a run without counters passed; missing where it was not looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<TimePart>,
    /// How the allocations of the whole program grow with the work, where it ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<GrowthPart>,
    /// What was found, the most costly first.
    pub findings: Vec<FindingPart>,
    /// The places that the findings are about, in the order of the first finding of each.
    pub places: Vec<PlacePart>,
    /// What could not be looked at.
    pub not_looked: Vec<BlindPart>,
    /// What makes the whole doubtful, in sentences.
    pub doubts: Vec<String>,
}

/// A command, and what the runtime says of its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "ExplainedRunPart"))]
pub struct RunPart {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Bytes that the plain program allocated.
    pub allocated_bytes: Option<u64>,
    /// Seconds that the plain program took, by its runtime.
    pub wall_seconds: Option<f64>,
    /// Bytes that the instrumented program allocated.
    pub instrumented_allocated_bytes: Option<u64>,
    /// Seconds that the instrumented program took, by its runtime.
    pub instrumented_wall_seconds: Option<f64>,
}

/// How much of a run the counters are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoveragePart {
    /// All bytes that the program allocated, where that is known.
    pub allocated_bytes: Option<u64>,
    /// The bytes that instrumented code allocated.
    pub instrumented_bytes: u64,
    /// The share allocated by code without counters: libraries and the runtime.
    pub outside_share: Option<f64>,
    /// The share of the instrumented bytes that belongs to no binding of the dumps.
    pub unplaced_share: Option<f64>,
    /// How many closures were counted.
    pub rows: usize,
    /// How many of them belong to no binding of the dumps.
    pub unplaced_rows: usize,
    /// The modules with counters of which there is no dump, so that nothing of them was looked at; the
    /// costliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undumped: Vec<UndumpedPart>,
}

/// A module with counters of which there is no dump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UndumpedPart {
    /// Its name.
    pub module: String,
    /// The bytes that its code allocated.
    pub allocated_bytes: u64,
}

impl CoveragePart {
    /// All bytes that the program allocated, as far as known.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.allocated_bytes.unwrap_or_default().max(self.instrumented_bytes)
    }

    /// The bytes that code of bindings in the dumps allocated.
    #[must_use]
    pub fn looked_at_bytes(&self) -> u64 {
        let unplaced = self.unplaced_share.unwrap_or_default() * self.instrumented_bytes as f64;
        self.instrumented_bytes.saturating_sub(unplaced.round() as u64)
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingPart {
    /// The cause's name in data.
    pub cause: String,
    /// The cause in a few words.
    pub title: String,
    /// The page on the cause, as a file of brisk's documentation.
    pub page: String,
    /// The module.
    pub module: String,
    /// The binding for people, with its module.
    pub binding: String,
    /// The binding as Core names it.
    pub core_name: String,
    /// Where it is in the source, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<LocationPart>,
    /// What is wrong.
    pub what: String,
    /// Its cost; missing where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<CostPart>,
    /// How its cost grows with the work, where the program ran with two amounts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub growth: Option<GrowthPart>,
    /// Whether its cost is below what is shown unasked.
    pub minor: bool,
    /// The Core that shows it.
    pub evidence: Vec<EvidencePart>,
    /// What to try.
    pub remedy: String,
    /// The change that a program can make.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<ChangePart>,
    /// Why GHC did not do that by itself.
    pub why: String,
    /// What became of the change when it was tried.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<ProofPart>,
}

/// A binding, and what was found there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlacePart {
    /// The binding for people, with its module.
    pub binding: String,
    /// Where it is in the source, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<LocationPart>,
    /// What all the code costs that its findings are about; missing where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<CostPart>,
    /// The findings by number, from 0, the most costly first.
    pub findings: Vec<usize>,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LocationPart {
    /// The file, as GHC was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
    /// The name of the top level that is declared there, where the source is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
}

/// What a finding costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CostPart {
    /// What decides its rank: `allocations`, `entries`, `memory` or `time`.
    pub paid_in: String,
    /// Bytes that the code in question allocated.
    pub allocated_bytes: u64,
    /// Their share of all.
    pub allocation_share: Option<f64>,
    /// Whether these bytes are those of all that the code allocated, because nobody counted those in
    /// question alone.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// How often that code was entered.
    pub entries: Option<u64>,
    /// Their share of all.
    pub entry_share: Option<f64>,
    /// Bytes of the heap that it is when there is most of it, where that was sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_bytes: Option<u64>,
    /// Their share of the heap at that moment.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap_share: Option<f64>,
    /// The share of the time that passed in libraries for it, without the collector's, where that was
    /// sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<TimeSharePart>,
    /// Counters of the whole program that it shows in.
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
    /// The binding for people, with its module.
    pub binding: String,
    /// The lines.
    pub core: String,
    /// The bytes of `core` that matter: beginnings and ends.
    pub marks: Vec<[usize; 2]>,
}

/// A change that a program can make.
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
        /// What it exports.
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

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProofPart {
    /// What was changed, in words.
    pub change: String,
    /// What came of it.
    pub verdict: String,
    /// Candidate over baseline of allocated bytes, where both were read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allocation_ratio: Option<f64>,
    /// Candidate over baseline of wall time, with its interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ratio: Option<[f64; 3]>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trouble: Option<String>,
}

/// What a cause could not look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BlindPart {
    /// The cause's name in data.
    pub cause: String,
    /// What it lacks.
    pub lacks: String,
    /// Why that is not there.
    pub reason: String,
    /// In which modules.
    pub modules: Vec<String>,
}

impl ExplanationPart {
    /// What an examination says of a program.
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
            time: program.samples.as_ref().ok().map(TimePart::of),
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
    /// The lines around what matters.
    pub(in crate::report) fn of(binding: String, readable: &Readable) -> Self {
        let (core, marks) = excerpt(&readable.text, &readable.marks);
        Self {
            binding,
            core,
            marks: marks.into_iter().map(|mark| [mark.start, mark.end]).collect(),
        }
    }
}

/// The version of the compiler, where it is known.
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
    // Parts of a binding have places of their own; what several have in common is the declaration's.
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
        time: cost.time.map(|time| TimeSharePart::of(time.looks, time.of)),
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
    EvidencePart::of(program.shown_name(evidence.site), &readable)
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
