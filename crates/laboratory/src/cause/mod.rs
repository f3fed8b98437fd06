//! The cause of a change between two commits, and its proof.
//!
//! In the order of their cost:
//! * the difference is cut into hunks, and read for the functions that it touches;
//! * both programs are run under callgrind, and their functions compared, by cost and machine code;
//! * programs with some of the hunks are built, and counted or measured, until the hunks that make
//!   the change are known and proved ([`judge::hunks`]).
//!
//! [`judge::cause`] decides on the class. What the time did not suffice for is said.

mod otherwise;
mod trials;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use configuration::BuildOptions;
use explain::instructions::touched::{
    ComparedFunctions, CountedSide, TouchedText, compared, compared_samples,
};
use findings::cause::{Cause, HunkSearch, ProvedHunks};
use findings::instructions::Range;
use findings::{Document, MetricSummary};
use judge::cause::{CauseEvidence, TimeParts, stand_for};
use judge::hunks::{self, GuiltyHunks, Interrupted, guilty};
use judge::step::{Origin, is_moved_by_layout};
use measure::Launcher;
use model::failure::Failure;
use model::metric::{CPU_TIME, CPU_WAIT, INSTRUCTIONS, MetricId, SYSTEM_TIME, Source, WALL_TIME};
use model::spec::invocation::RunSettings;
use model::spec::reading::Sources;
use prepare::{Commit, Difference, Hunk, HunkLines, HunkText, Recipe, Repository};
use stats::interval::{Interval, sum};
use toolchains::machine_code::FunctionCode;
use toolchains::project::is_compiled;
use toolchains::source_change::{
    ChangedText, FileRole, TouchedCode, bare_name, file_role, has_same_code, identifiers,
    is_declaration,
};

use crate::explaining::native::Counted;
use crate::watcher::{Event, Watcher};
use trials::{Trials, Tried};

/// The way in which the programs of commits are built and run.
#[derive(Clone)]
pub(crate) struct ProgramOfCommits<'a> {
    /// The repository.
    pub(crate) repository: &'a Repository,
    /// The recipe of their builds.
    pub(crate) recipe: &'a Recipe,
    /// The options of their builds.
    pub(crate) options: &'a BuildOptions,
    /// The command, with `{artifact}` for the program.
    pub(crate) template: &'a str,
    /// The way in which it is run.
    pub(crate) run_settings: &'a RunSettings,
    /// The instruments of the readings.
    pub(crate) sources: Sources,
}

/// A change of a metric between two commits, with what is known about it.
#[derive(Debug, Clone)]
pub(crate) struct KnownChange {
    /// The older commit.
    pub(crate) from: Commit,
    /// The newer commit.
    pub(crate) to: Commit,
    /// The metric.
    pub(crate) metric: MetricId,
    /// The newer commit's value over the older one's.
    pub(crate) ratio: f64,
    /// The origin, if it was examined.
    pub(crate) origin: Option<Origin>,
    /// The parts of the change of a time; `None` in other metrics.
    pub(crate) parts: Option<TimeParts>,
    /// The time of a run, in seconds.
    pub(crate) run_seconds: f64,
    /// The seconds that may be spent besides builds.
    pub(crate) allowance: Allowance,
}

/// The seconds that the cause of a change may take, besides builds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Allowance {
    pub(crate) seconds: f64,
    /// True if a budget is set. Otherwise a search may take a few times as long as counting both
    /// programs.
    is_strict: bool,
}

impl KnownChange {
    /// The change of a metric between two variants of a document, which are these commits.
    pub(crate) fn between(
        document: &Document,
        variants: [u32; 2],
        commits: [&Commit; 2],
        metric: &MetricId,
        ratio: f64,
    ) -> Self {
        Self {
            from: commits[0].clone(),
            to: commits[1].clone(),
            metric: metric.clone(),
            ratio,
            origin: None,
            parts: time_parts(document, variants, metric),
            run_seconds: variants
                .map(|one| run_seconds(document, one))
                .into_iter()
                .fold(0.0, f64::max),
            allowance: Allowance { seconds: LEAST_SECONDS, is_strict: false },
        }
    }

    /// True if a change of the instructions may stand for this one.
    fn is_along(&self, instructions: f64) -> bool {
        stand_for(instructions, self.ratio)
    }
}

/// The seconds that valgrind took to count the instructions of a document, about.
fn counting_seconds(document: &Document) -> f64 {
    /// The least usual slowdown factor of cachegrind.
    const SLOWDOWN: f64 = 25.0;
    let is_counted =
        |part: &&MetricSummary| part.metric == INSTRUCTIONS && part.source == Source::Valgrind;
    let counted = document.summaries.iter().filter(is_counted);
    counted.map(|part| part.n as f64 * SLOWDOWN * run_seconds(document, part.variant)).sum()
}

/// The seconds that the cause of a change may take in any case, unless a budget is set.
const LEAST_SECONDS: f64 = 20.0;

impl Allowance {
    /// The allowance of each of these changes: together as much as finding them took, or as is left
    /// of the budget.
    pub(crate) fn of_each(document: &Document, changes: usize, budget: Option<f64>) -> Self {
        let rounds = document.experiment.elapsed_seconds;
        let share = |seconds: f64| seconds / changes.max(1) as f64;
        match budget {
            Some(budget) => Self { seconds: share(rounds.max(budget - rounds)), is_strict: true },
            None => {
                let finding = rounds + counting_seconds(document);
                Self { seconds: share(finding).max(LEAST_SECONDS), is_strict: false }
            }
        }
    }

    /// True if this number of seconds is affordable for counting both programs: those with some of the
    /// hunks take time, too.
    fn suffices_for_counting(self, seconds: f64) -> bool {
        match self.is_strict {
            true => HUNKS_FACTOR * seconds <= self.seconds,
            false => seconds <= self.seconds,
        }
    }

    /// The allowance when counting both programs took this number of seconds.
    fn after_counting(self, seconds: f64) -> Self {
        match self.is_strict {
            true => self,
            false => Self { seconds: self.seconds.max(SEARCH_FACTOR * seconds), ..self },
        }
    }
}

/// The duration of a search in multiples of that of counting both programs twice: a dozen programs,
/// each counted once.
const SEARCH_FACTOR: f64 = 4.0;

/// Counting both programs twice and two more once, in multiples of the former.
const HUNKS_FACTOR: f64 = 1.5;

/// The time of a program's own code on the processor.
const USER_TIME: MetricId = MetricId::known("user_time");

/// The parts of a change of wall time or processor time. None for other metrics, and if an interval is
/// missing.
fn time_parts(document: &Document, variants: [u32; 2], metric: &MetricId) -> Option<TimeParts> {
    let [old, new] = variants;
    let median =
        |variant, metric: &MetricId| Some(document.summary(variant, metric, Source::Run)?.median);
    // Metrics that were read, but not compared, have an interval for each side.
    let apart = |metric: &MetricId| {
        let side = |variant| {
            let part = document.summary(variant, metric, Source::Run)?;
            Some(Interval { estimate: part.median, low: part.low?, high: part.high? })
        };
        Some(sum(side(new)?, side(old)?.negated()))
    };
    let change = |metric: &MetricId| {
        let Some(part) = document.comparison_of(old, new, metric, Source::Run) else {
            return apart(metric);
        };
        let base = median(old, metric)?;
        let seconds = |ratio: f64| (ratio - 1.0) * base;
        let [estimate, low, high] = [part.ratio, part.low, part.high?].map(seconds);
        Some(Interval { estimate, low, high })
    };
    let nothing = Interval { estimate: 0.0, low: 0.0, high: 0.0 };
    let whole = change(metric)?;
    let parts = |own, queued| TimeParts::from_intervals(whole, own, queued);
    match metric {
        it if *it == WALL_TIME => {
            let queued = change(&CPU_WAIT).or_else(|| {
                let change = median(new, &CPU_WAIT)? - median(old, &CPU_WAIT)?;
                Some(Interval { estimate: change, low: change, high: change })
            });
            parts(change(&USER_TIME)?, queued.unwrap_or(nothing))
        }
        it if *it == CPU_TIME => {
            let by_own = parts(change(&USER_TIME)?, nothing)?;
            let by_kernel = change(&SYSTEM_TIME).and_then(|kernel| parts(kernel, nothing));
            Some(by_kernel.map_or(by_own, |it| by_own.also(it.of_the_rest())))
        }
        _ => None,
    }
}

/// The processor time of a run, in seconds; the wall time if unknown.
pub(crate) fn run_seconds(document: &Document, variant: u32) -> f64 {
    let median = |id: MetricId| Some(document.summary(variant, &id, Source::Run)?.median);
    [CPU_TIME, WALL_TIME].into_iter().find_map(median).unwrap_or(0.0)
}

/// Adds the causes of these pairs of a document to it: the variants of two commits, and the metric
/// that changed between them. The reason that one cannot be explained is told.
pub(crate) fn add(
    document: &mut Document,
    pairs: &[ChangedPair<'_>],
    budget_seconds: Option<f64>,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<(), Failure> {
    let allowance = Allowance::of_each(document, pairs.len(), budget_seconds);
    for pair in pairs {
        let (variants, commits) = (pair.variants, [&pair.commits[0], &pair.commits[1]]);
        let change = KnownChange::between(document, variants, commits, &pair.metric, pair.ratio);
        let change = KnownChange { allowance, ..change };
        match find(&pair.program, &change, launcher, watcher) {
            Ok(found) => document.causes.push(found.cause),
            Err(failure) if measure::interrupt::requested() => return Err(failure),
            Err(failure) => {
                let commit = findings::short(&change.to.hash);
                watcher.on(Event::Unexplained { commit, failure: &failure });
            }
        }
    }
    Ok(())
}

/// Two variants of a document between which a metric changed.
pub(crate) struct ChangedPair<'a> {
    /// The way in which both are built and run.
    pub(crate) program: ProgramOfCommits<'a>,
    /// The older variant and the newer one.
    pub(crate) variants: [u32; 2],
    /// Their commits.
    pub(crate) commits: [Commit; 2],
    /// The metric.
    pub(crate) metric: MetricId,
    /// The newer variant's value over the older one's.
    pub(crate) ratio: f64,
}

/// Searches for the cause of a change.
///
/// # Errors
///
/// When a commit does not build, git fails, or the user interrupts. What cannot be counted or
/// measured stays open in the result.
pub(crate) fn find(
    program: &ProgramOfCommits<'_>,
    change: &KnownChange,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<FoundCause, Failure> {
    let difference = Difference::between(program.repository, &change.from, &change.to)?;
    let texts = read(&difference, program.recipe);
    let mut trials = Trials::new(program, change, launcher, watcher)?;
    let counted = trials.sides()?;
    let mut open: Vec<String> = counted.as_ref().err().cloned().into_iter().collect();
    let touched: Vec<TouchedText> = texts.iter().map(|read| read.touched.clone()).collect();
    let instructions = counted.as_ref().ok().map(CountedSides::ratio);
    let mut stacks = None;
    let functions = match &counted {
        // Functions explain nothing if the instructions do not change with the metric.
        Ok(sides) => {
            change.is_along(sides.ratio()).then(|| compared(sides.side(0), sides.side(1), &touched))
        }
        Err(_) if is_moved_by_layout(&change.metric) => match trials.sampled()? {
            Ok(mut sampled) => {
                open.clear();
                stacks = sampled.stacks.take();
                let codes = trials.codes();
                let codes = [0, 1].map(|side| codes[side].as_ref());
                let functions = compared_samples(&sampled, codes, &touched);
                (!functions.changed.is_empty()).then_some(functions)
            }
            Err(reason) => {
                open.push(reason);
                None
            }
        },
        Err(_) => None,
    };
    let mut hunks = search(&mut trials, &difference, &texts, functions.as_ref())?;
    let mut guilty: Vec<ReadHunk> = Vec::new();
    let mut needed: Vec<ReadHunk> = Vec::new();
    for one in hunks.iter_mut().flat_map(|found| &mut found.guilty) {
        guilty.extend(narrowed(&mut trials, &difference, one, &texts)?);
        needed.extend(one.needed.iter().map(|number| texts[number - 1].clone()));
    }
    if let Some(found) = &mut hunks {
        found.programs = trials.programs();
    }
    if guilty.is_empty() {
        guilty.clone_from(&texts);
    }
    let is_proved = hunks
        .as_ref()
        .is_some_and(|found| !found.guilty.is_empty() && found.guilty.iter().all(|one| one.proved));
    let roles: BTreeSet<FileRole> = guilty.iter().map(|read| read.role).collect();
    let mut evidence = CauseEvidence {
        origin: change.origin,
        ratio: change.ratio,
        instructions,
        parts: change.parts,
        roles: roles.into_iter().collect(),
        is_proved,
        is_hint: is_hint(guilty.iter().chain(&needed)),
        is_undone: false,
        may_be_inlined: functions.as_ref().is_none_or(|it| may_be_inlined(it, &guilty, &texts)),
        functions: functions.as_ref().map(|it| it.evidence.clone()).unwrap_or_default(),
    };
    let counter_builds = match counted.as_ref() {
        Ok(sides) if trials.yardstick().is_exact() && evidence.asks_for_counter_builds() => {
            let changed = functions.as_ref().map_or(&[][..], |it| &it.changed);
            otherwise::compiled(&mut trials, sides, changed, evidence.may_be_inlined)?
        }
        _ => Vec::new(),
    };
    evidence.is_undone = counter_builds.iter().any(|(counter, built)| {
        built.is_gone && otherwise::decides(*counter, evidence.may_be_inlined)
    });
    let decision = evidence.decide();
    if counted.is_ok() && functions.is_some() {
        stacks = trials.stacks()?;
    }
    if texts.is_empty() {
        open.push("no file differs that could matter for the program".to_owned());
    }
    let functions = functions.unwrap_or_else(|| ComparedFunctions {
        changed: Vec::new(),
        evidence: Vec::new(),
        touched_without_effect: 0,
        ran: BTreeSet::new(),
    });
    let cause = Cause {
        from: change.from.hash.clone(),
        commit: change.to.hash.clone(),
        benchmark: None,
        metric: change.metric.clone(),
        class: decision.class,
        certainty: decision.certainty,
        instructions_ratio: instructions,
        waiting_share: change.parts.map(|parts| parts.waiting),
        functions: functions.changed,
        touched_without_effect: functions.touched_without_effect,
        hunks,
        counter_builds: counter_builds.into_iter().map(|(_, built)| built).collect(),
        stacks,
        open,
    };
    Ok(FoundCause { cause, counted: counted.ok().map(|sides| sides.counted) })
}

/// The cause of a change, with the counts that it rests on.
pub(crate) struct FoundCause {
    pub(crate) cause: Cause,
    /// None if the programs were not counted.
    pub(crate) counted: Option<Counted>,
}

/// A hunk with what its text says.
#[derive(Clone)]
struct ReadHunk {
    place: String,
    role: FileRole,
    touched: TouchedText,
    /// The lines that it removes.
    removed: Vec<String>,
    /// The lines that it adds.
    added: Vec<String>,
}

/// The hunks of a difference with what their texts say.
fn read(difference: &Difference, recipe: &Recipe) -> Vec<ReadHunk> {
    difference.hunks.iter().map(|hunk| ReadHunk::new(hunk, recipe)).collect()
}

/// The role of a file for the programs of a recipe: a script that the build command names is no part
/// of the program.
fn role(path: &str, recipe: &Recipe) -> FileRole {
    let ending = Path::new(path).extension().and_then(OsStr::to_str).unwrap_or_default();
    match recipe.build_names(path) && !is_compiled(ending) {
        true => FileRole::Build,
        false => file_role(path),
    }
}

impl ReadHunk {
    fn new(hunk: &Hunk, recipe: &Recipe) -> Self {
        let read = |text: &HunkText| {
            TouchedCode::from_text(ChangedText {
                path: &hunk.path,
                headings: &text.headings,
                removed: &text.removed,
                added: &text.added,
            })
        };
        let codes: Vec<TouchedCode> = hunk.texts.iter().map(read).collect();
        let changed = |lines: fn(&HunkLines) -> &std::ops::Range<usize>| {
            hunk.stretches.iter().map(|stretch| lines(stretch).clone()).collect()
        };
        Self {
            place: place(hunk),
            role: role(&hunk.path, recipe),
            touched: TouchedText {
                path: hunk.path.clone(),
                before: changed(|lines| &lines.before),
                after: changed(|lines| &lines.after),
                functions: codes.iter().flat_map(|code| code.functions.clone()).collect(),
                added: codes.iter().flat_map(|code| code.added.clone()).collect(),
            },
            removed: hunk.texts.iter().flat_map(|text| text.removed.clone()).collect(),
            added: hunk.texts.iter().flat_map(|text| text.added.clone()).collect(),
        }
    }
}

/// The place of a hunk in the newer commit: `src/parse.rs:214-231`.
fn place(hunk: &Hunk) -> String {
    let Some(lines) = &hunk.lines else { return hunk.path.clone() };
    let (first, last) = (lines.after.start, lines.after.end.saturating_sub(1));
    match last > first {
        true => format!("{}:{first}-{last}", hunk.path),
        false => format!("{}:{}", hunk.path, first.max(1)),
    }
}

/// True if the hunks together change only hints for the compiler, or move code to another place.
fn is_hint<'t>(hunks: impl Iterator<Item = &'t ReadHunk> + Clone) -> bool {
    let all = |lines: fn(&ReadHunk) -> &Vec<String>| -> Vec<String> {
        hunks.clone().flat_map(lines).cloned().collect()
    };
    has_same_code(&all(|read| &read.removed), &all(|read| &read.added))
}

/// True if code of the guilty hunks may be a part of functions that they do not touch: it is outside
/// of functions, or in one that did not run by itself. A function that is new, and that nothing
/// mentions, is a part of none.
fn may_be_inlined(functions: &ComparedFunctions, guilty: &[ReadHunk], all: &[ReadHunk]) -> bool {
    let is_mentioned = |name: &String| {
        let lines = all.iter().flat_map(|read| &read.added).filter(|line| !is_declaration(line));
        lines.flat_map(|line| identifiers(line)).filter(|word| word == name).count() > 1
    };
    guilty.iter().any(|read| {
        let (touched, added) = (&read.touched.functions, &read.touched.added);
        let is_outside = touched.is_empty() && added.is_empty();
        let mut hidden = added.iter().filter(|name| is_mentioned(name)).chain(touched);
        is_outside || hidden.any(|name| !functions.ran.contains(name))
    })
}

/// The sets of a difference's hunks that make its effect, which is this share of the whole change.
fn searched(
    trials: &mut Trials<'_>,
    difference: &Difference,
    effect: f64,
    guess: &BTreeSet<usize>,
) -> Result<Result<Vec<GuiltyHunks>, Interrupted<String>>, Failure> {
    let resolution = match trials.yardstick().measurement {
        Measurement::ExactCount => hunks::LEAST_PART,
        Measurement::MedianCount | Measurement::Rounds => trials::DECIDES,
    };
    let mut failure = None;
    let mut share = |hunks: &BTreeSet<usize>| match trials.share(difference, hunks) {
        Ok(Tried::Share(share)) => Ok(Some(share / effect)),
        Ok(Tried::Unbuilt) => Ok(None),
        Ok(Tried::Open(reason)) => Err(reason),
        Err(error) => {
            failure = Some(error);
            Err(String::new())
        }
    };
    let oracle = hunks::Oracle { share: &mut share, resolution };
    let sets = guilty(difference.hunks.len(), guess, oracle);
    match failure {
        Some(failure) => Err(failure),
        None => Ok(sets),
    }
}

/// The search for hunks. `None` if nothing differs that could matter.
fn search(
    trials: &mut Trials<'_>,
    difference: &Difference,
    texts: &[ReadHunk],
    functions: Option<&ComparedFunctions>,
) -> Result<Option<HunkSearch>, Failure> {
    let total = texts.len();
    if total == 0 {
        return Ok(None);
    }
    let yardstick = trials.yardstick();
    let mut found = HunkSearch {
        total,
        metric: yardstick.metric.clone(),
        exact: yardstick.is_exact(),
        programs: 0,
        guilty: Vec::new(),
        open: None,
    };
    if total == 1 {
        // Both programs are known: those of the two commits.
        let (alone, without) = (yardstick.ratio, Some(1.0));
        found.guilty.push(ProvedHunks {
            numbers: vec![1],
            places: vec![texts[0].place.clone()],
            functions: functions_of(texts),
            needed: Vec::new(),
            alone,
            without,
            proved: true,
        });
        return Ok(Some(found));
    }
    let searched = searched(trials, difference, 1.0, &guess(texts, functions))?;
    let proved = |one: &GuiltyHunks| {
        let number = |hunks: &BTreeSet<usize>| hunks.iter().map(|hunk| hunk + 1).collect();
        let ratio = |share: f64| yardstick.ratio.powf(share);
        ProvedHunks {
            numbers: number(&one.hunks),
            places: one.hunks.iter().map(|hunk| texts[*hunk].place.clone()).collect(),
            functions: functions_of(one.hunks.iter().map(|hunk| &texts[*hunk])),
            needed: number(&one.needed),
            alone: ratio(one.alone),
            without: one.without.map(ratio),
            proved: one.is_proved(),
        }
    };
    let (sets, reason) = match searched {
        Ok(sets) => (sets, None),
        Err(Interrupted { found, error }) => (found, Some(error)),
    };
    found.guilty = sets.iter().map(proved).collect();
    found.open = reason;
    Ok(Some(found))
}

/// The functions that these hunks touch, each once.
fn functions_of<'t>(hunks: impl IntoIterator<Item = &'t ReadHunk>) -> Vec<String> {
    let touched = hunks.into_iter().flat_map(|hunk| {
        let touched = &hunk.touched;
        touched.functions.iter().chain(&touched.added).cloned()
    });
    touched.collect::<BTreeSet<String>>().into_iter().collect()
}

/// The stretches of lines, of all that proved hunks change, that make the change; the hunks themselves
/// if counts do not tell. The places and functions of the hunks become those of the stretches.
fn narrowed(
    trials: &mut Trials<'_>,
    difference: &Difference,
    hunks: &mut ProvedHunks,
    texts: &[ReadHunk],
) -> Result<Vec<ReadHunk>, Failure> {
    let whole: BTreeSet<usize> = hunks.numbers.iter().map(|number| number - 1).collect();
    let as_found = || whole.iter().map(|hunk| texts[*hunk].clone()).collect();
    let stretches: usize = whole.iter().map(|hunk| texts[*hunk].touched.after.len()).sum();
    if !hunks.proved || stretches < 2 || !trials.yardstick().is_exact() {
        return Ok(as_found());
    }
    let difference = difference.stretches_of(&whole)?;
    let texts = read(&difference, trials.program.recipe);
    let effect = hunks.alone.ln() / trials.yardstick().ratio.ln();
    let sets = searched(trials, &difference, effect, &BTreeSet::new())?.unwrap_or_default();
    if sets.is_empty() || !sets.iter().all(GuiltyHunks::is_proved) {
        return Ok(as_found());
    }
    let stretches: BTreeSet<usize> = sets.iter().flat_map(|set| &set.hunks).copied().collect();
    let stretches: Vec<ReadHunk> = stretches.into_iter().map(|one| texts[one].clone()).collect();
    hunks.places = stretches.iter().map(|one| one.place.clone()).collect();
    hunks.functions = functions_of(&stretches);
    Ok(stretches)
}

/// The hunks that touch the function that changed most.
fn guess(texts: &[ReadHunk], functions: Option<&ComparedFunctions>) -> BTreeSet<usize> {
    let lead = functions.and_then(|it| it.changed.iter().find(|function| function.touched));
    let Some(lead) = lead else { return BTreeSet::new() };
    let name = bare_name(&lead.name);
    let is_of_it = |read: &ReadHunk| read.touched.functions.contains(name);
    (0..).zip(texts).filter(|(_, read)| is_of_it(read)).map(|(number, _)| number).collect()
}

/// The two programs, counted.
struct CountedSides {
    counted: Counted,
    codes: Vec<Option<BTreeMap<String, FunctionCode>>>,
}

impl CountedSides {
    fn side(&self, place: usize) -> CountedSide<'_> {
        let counts = &self.counted.subjects[place].measured;
        CountedSide { counts, code: self.codes[place].as_ref() }
    }

    fn total(&self, place: usize) -> Range {
        self.side(place).counts.total()
    }

    /// True if a function has another number of instructions on vectors in both programs.
    fn has_other_vectors(&self, function: &str) -> bool {
        let packed = |code: &Option<BTreeMap<String, FunctionCode>>| {
            code.as_ref().and_then(|code| code.get(function)).map_or(0, |code| code.packed)
        };
        packed(&self.codes[0]) != packed(&self.codes[1])
    }

    /// The instructions of the newer program over those of the older one.
    fn ratio(&self) -> f64 {
        self.total(1).middle() as f64 / self.total(0).middle().max(1) as f64
    }
}

/// The measure by which programs with some of the hunks are judged.
#[derive(Debug, Clone, PartialEq)]
struct Yardstick {
    metric: MetricId,
    measurement: Measurement,
    /// The newer commit over the older one.
    ratio: f64,
}

/// The way in which a program is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measurement {
    /// The instructions of one run: they repeat.
    ExactCount,
    /// The median instructions of several runs: they nearly repeat.
    MedianCount,
    /// The metric, in rounds beside both commits.
    Rounds,
}

impl Yardstick {
    /// Instructions, if they were counted, repeat well enough, and change with the metric; else the
    /// metric in rounds.
    fn new(change: &KnownChange, sides: Option<&CountedSides>) -> Self {
        let in_rounds = Self {
            metric: change.metric.clone(),
            measurement: Measurement::Rounds,
            ratio: change.ratio,
        };
        let is_counted = change.metric == INSTRUCTIONS || is_moved_by_layout(&change.metric);
        let Some(sides) = sides.filter(|_| is_counted) else { return in_rounds };
        let ratio = sides.ratio();
        let spread = |place| {
            let range = sides.total(place);
            (range.high - range.low) as f64 / range.middle().max(1) as f64
        };
        match measurement(spread(0).max(spread(1)) / ratio.ln().abs()) {
            Measurement::Rounds => in_rounds,
            _ if !change.is_along(ratio) => in_rounds,
            measurement => Self { metric: INSTRUCTIONS, measurement, ratio },
        }
    }

    fn is_exact(&self) -> bool {
        self.measurement == Measurement::ExactCount
    }
}

/// The measurement for counts whose runs differ by this part of the change.
fn measurement(spread: f64) -> Measurement {
    /// With this spread, three runs tell the whole change from nothing: it is some three standard
    /// errors of their median from half of the change.
    const NEARLY_REPEATS: f64 = 0.3;
    /// Two runs that differ often may agree by chance, but seldom this well.
    const REPEATS: f64 = 0.02;
    match spread {
        _ if spread < REPEATS => Measurement::ExactCount,
        _ if spread < NEARLY_REPEATS => Measurement::MedianCount,
        _ => Measurement::Rounds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_repeat_leave_the_decision_to_rounds() {
        for (spread, found) in [
            (0.0, Measurement::ExactCount),
            (0.2, Measurement::MedianCount),
            (0.8, Measurement::Rounds),
            (f64::INFINITY, Measurement::Rounds),
            (f64::NAN, Measurement::Rounds),
        ] {
            assert_eq!(measurement(spread), found, "{spread}");
        }
    }
}
