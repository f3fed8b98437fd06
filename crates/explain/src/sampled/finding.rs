//! The samples of all rounds as a finding: shares of one program, or changes from one to another.

use std::path::Path;

use findings::time_profile::{Bounded, OffProcessor, SampledFunction, SampledProgram, TimeProfile};
use measure::Kernel;
use model::spec::Variant;
use stats::interval::Interval;
use stats::sampled::{FunctionRounds, LEAST_ROUNDS, RunSamples, change, changes, share};
use words::quantity::percent;

use super::Program;
use crate::instructions::difference::{self, Change, Elsewhere, Evidence, Fate, ProgramCounts};
use crate::instructions::finding::{
    RUNS, Side, Sources, changed_lines, costly_lines, empty, fate_part, line_parts,
};
use crate::instructions::profiling::{Counts, NO_SYMBOL, common_stacks};

/// The level of the intervals.
const ALPHA: f64 = 0.05;

/// The largest number of functions examined line by line.
const LOOKED_INTO: usize = 5;

/// One program and its runs.
pub(super) struct Sampled<'a> {
    pub(super) name: &'a str,
    pub(super) variant: &'a Variant,
    pub(super) program: &'a Program,
}

/// A program's samples in the form of counts, and the text of its sources.
struct Counted {
    counts: Counts,
    sources: Sources,
}

/// The finding about one program, or an old and a new one, of the same number of rounds.
pub(super) fn profile(programs: &[Sampled<'_>]) -> TimeProfile {
    let counted: Vec<Counted> = programs.iter().map(Sampled::counted).collect();
    let (functions, change) = match (programs, &counted[..]) {
        ([before, after], [old, new]) => of_two([before, after], [old, new]),
        _ => (of_one(&programs[0], &counted[0]), None),
    };
    let stacks: Vec<_> = programs.iter().map(Sampled::stacks).collect();
    let newest = &counted[counted.len() - 1].counts;
    TimeProfile {
        variants: programs.iter().map(Sampled::part).collect(),
        functions,
        rounds: programs[0].program.sampled.len(),
        confidence: 1.0 - ALPHA,
        change,
        no_inclusive: newest.inclusive.as_ref().err().cloned(),
        notes: programs.iter().zip(&counted).flat_map(|(it, of)| it.notes(&of.counts)).collect(),
        stacks: Some(common_stacks(&stacks.iter().collect::<Vec<_>>())),
    }
}

fn of_one(program: &Sampled<'_>, side: &Counted) -> Vec<SampledFunction> {
    let counts = &side.counts;
    let text = |file: &str, line: u64| side.sources.text(file, line);
    let nothing = ProgramCounts { runs: vec![empty(counts)] };
    let all = ProgramCounts { runs: vec![counts.clone()] };
    let mut functions = difference::changes(&nothing, &all);
    functions.sort_by_key(|function| std::cmp::Reverse(function.after.middle()));
    let totals = program.totals();
    let function = |(place, of): (usize, &Change)| {
        let found = program.program.tally.by_run(&of.object, &of.name);
        let lines = match place < LOOKED_INTO {
            true => line_parts(costly_lines(&of.name, Side { counts, text: &text }), 1),
            false => Vec::new(),
        };
        SampledFunction {
            seconds: vec![program.seconds(&found)],
            share: share(&found, &totals, ALPHA).map(bounded),
            inclusive: inclusive(of, counts),
            lines,
            ..blank(of)
        }
    };
    functions.iter().enumerate().map(function).collect()
}

fn of_two(
    [before, after]: [&Sampled<'_>; 2],
    [old, new]: [&Counted; 2],
) -> (Vec<SampledFunction>, Option<Bounded>) {
    let [a, b] = [old, new].map(|side| ProgramCounts { runs: vec![side.counts.clone()] });
    let aligned = difference::changes(&a, &b);
    let found: Vec<[Vec<u64>; 2]> = aligned
        .iter()
        .map(|of| {
            let old = before.program.tally.by_run(&of.old_object, &of.name);
            [old, after.program.tally.by_run(&of.object, &of.name)]
        })
        .collect();
    let rounds: Vec<FunctionRounds> = found
        .iter()
        .map(|[a, b]| FunctionRounds { before: before.runs(a), after: after.runs(b) })
        .collect();
    let [old_runs, new_runs] = [before, after].map(|it| it.runs(&it.totals()));
    let whole =
        change(&old_runs, &new_runs, ALPHA).filter(|_| old_runs.len() >= LEAST_ROUNDS).map(bounded);
    let old_seconds = before.seconds(&before.totals());
    let certain = whole.filter(|it| it.excludes_zero());
    let judged = changes(&rounds, ALPHA);
    let mut functions: Vec<(SampledFunction, &Change)> = aligned
        .iter()
        .zip(found)
        .zip(judged)
        .map(|((of, [a, b]), interval)| {
            let seconds = vec![before.seconds(&a), after.seconds(&b)];
            let change = interval.map(bounded);
            let is_named = change.is_some_and(Bounded::excludes_zero);
            let difference = seconds[1] - seconds[0];
            let function = SampledFunction {
                inclusive: inclusive(of, &new.counts),
                relative: change.map(|it| it.over(old_seconds)),
                part_of_change: certain.map(|whole| difference / whole.value),
                named: is_named,
                fate: is_named.then(|| fate(of)).flatten(),
                seconds,
                change,
                ..blank(of)
            };
            (function, of)
        })
        .collect();
    let size = |function: &SampledFunction| (function.seconds[1] - function.seconds[0]).abs();
    functions.sort_by(|(a, _), (b, _)| {
        b.named.cmp(&a.named).then(size(b).total_cmp(&size(a))).then(a.name.cmp(&b.name))
    });
    let texts = [old, new].map(|side| |file: &str, line: u64| side.sources.text(file, line));
    let sides = [
        Side { counts: &old.counts, text: &texts[0] },
        Side { counts: &new.counts, text: &texts[1] },
    ];
    for (function, of) in functions.iter_mut().take(LOOKED_INTO).filter(|(it, _)| it.named) {
        function.lines = line_parts(changed_lines(&of.name, sides[0], sides[1]), 2);
    }
    (functions.into_iter().map(|(function, _)| function).collect(), whole)
}

fn blank(of: &Change) -> SampledFunction {
    SampledFunction {
        name: of.name.clone(),
        object: of.object.clone(),
        seconds: Vec::new(),
        share: None,
        inclusive: None,
        change: None,
        relative: None,
        part_of_change: None,
        named: false,
        fate: None,
        lines: Vec::new(),
    }
}

/// The place of its code in the other program, if its lines run there. A function that was merely
/// not seen has none.
fn fate(of: &Change) -> Option<findings::instructions::FunctionFate> {
    let by_lines = |elsewhere: &Option<Elsewhere>| {
        elsewhere.as_ref().is_some_and(|it| matches!(it.evidence, Evidence::Lines { .. }))
    };
    match &of.fate {
        Fate::Vanished(elsewhere) | Fate::Appeared(elsewhere) if by_lines(elsewhere) => {
            fate_part(of, RUNS)
        }
        _ => None,
    }
}

fn inclusive(of: &Change, counts: &Counts) -> Option<f64> {
    let all = counts.inclusive.as_ref().ok()?;
    let is_it = |object: &str, name: &str| object == of.object && name == of.name;
    let place = counts.functions.iter().position(|it| is_it(&it.object, &it.name))?;
    Some(all[place] as f64 / counts.total.max(1) as f64)
}

fn bounded(interval: Interval) -> Bounded {
    Bounded { value: interval.estimate, low: interval.low, high: interval.high }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    stats::describe::quantiles(&values, &[0.5]).first().copied().unwrap_or(0.0)
}

impl Sampled<'_> {
    fn totals(&self) -> Vec<u64> {
        self.program.tally.runs.iter().map(|run| run.total).collect()
    }

    pub(super) fn samples(&self) -> u64 {
        self.totals().iter().sum()
    }

    /// Samples of each run, with what they stand for.
    fn runs(&self, samples: &[u64]) -> Vec<RunSamples> {
        let runs = samples.iter().zip(&self.program.sampled);
        runs.map(|(&samples, run)| RunSamples { samples, period: run.period }).collect()
    }

    /// The time per run that these samples of each run stand for, in seconds.
    fn seconds(&self, samples: &[u64]) -> f64 {
        let runs = samples.iter().zip(&self.program.sampled);
        let sum: f64 = runs.map(|(samples, run)| *samples as f64 * run.period).sum();
        sum / samples.len().max(1) as f64
    }

    fn counted(&self) -> Counted {
        let program = self.program.path();
        let folder = self.variant.run.cwd.as_deref().unwrap_or(Path::new("."));
        Counted {
            counts: self.program.tally.counts(&program.to_string_lossy()),
            sources: Sources::in_folder(folder, &program),
        }
    }

    fn stacks(&self) -> crate::instructions::profiling::Stacks {
        let runs = self.program.sampled.len().max(1) as f64;
        self.program.tally.stacks(self.period() * 1e9 / runs)
    }

    fn period(&self) -> f64 {
        let runs = &self.program.sampled;
        runs.iter().map(|run| run.period).sum::<f64>() / runs.len().max(1) as f64
    }

    fn part(&self) -> SampledProgram {
        let Program { plain, sampled, .. } = self.program;
        let wall = |run: &measure::FinishedRun| run.raw.wall.0 as f64 / 1e9;
        let cpu = |run: &measure::FinishedRun| run.raw.cpu.0 as f64 / 1e6;
        let count = |of: fn(&measure::RawReadings) -> u64| {
            median(plain.iter().map(|run| of(&run.raw) as f64))
        };
        let ready: Vec<f64> =
            plain.iter().flat_map(|run| &run.raw.cpu_wait).map(|it| it.0 as f64 / 1e9).collect();
        SampledProgram {
            name: self.name.to_owned(),
            program: self.program.path().to_string_lossy().into_owned(),
            samples: self.samples(),
            lost: sampled.iter().map(|run| run.lost).sum(),
            period: self.period(),
            sampled_seconds: self.seconds(&self.totals()),
            sampled_wall: median(sampled.iter().map(|run| run.elapsed.as_secs_f64())),
            plain_wall: median(plain.iter().map(wall)),
            plain_runs: plain.len(),
            off_processor: OffProcessor {
                seconds: median(plain.iter().map(|run| (wall(run) - cpu(run)).max(0.0))),
                ready_seconds: (ready.len() == plain.len()).then(|| median(ready.into_iter())),
                voluntary_switches: count(|raw| raw.voluntary_switches),
                involuntary_switches: count(|raw| raw.involuntary_switches),
                major_faults: count(|raw| raw.major_faults),
                minor_faults: count(|raw| raw.minor_faults),
            },
        }
    }

    /// Remarks on the limits of the samples.
    fn notes(&self, counts: &Counts) -> Vec<String> {
        /// A share that makes a difference to what is read.
        const MUCH: f64 = 0.05;
        let Program { sampled, tally, .. } = self.program;
        let name = self.name;
        let samples = self.samples().max(1) as f64;
        let mut notes = Vec::new();
        if sampled.iter().any(|run| run.kernel == Kernel::Excluded) {
            notes.push(format!(
                "the kernel's work for `{name}` is not in the samples, because this user may not \
                 sample it (kernel.perf_event_paranoid)"
            ));
        }
        let cpu: f64 = sampled.iter().map(|run| run.cpu_seconds).sum::<f64>();
        let seen = self.seconds(&self.totals()) * sampled.len() as f64;
        if cpu > 0.0 && seen < 0.9 * cpu {
            notes.push(format!(
                "samples account for {} of the processor time of `{name}`; processes that end \
                 within a millisecond are not seen",
                percent(seen / cpu)
            ));
        }
        let lost: u64 = sampled.iter().map(|run| run.lost).sum();
        if lost as f64 > MUCH * samples {
            notes.push(format!("the kernel had no room for {lost} samples of `{name}`"));
        }
        if sampled.iter().any(|run| run.throttled > 0) {
            notes.push(format!(
                "the kernel paused sampling of `{name}` at times, because it took too long \
                 (kernel.perf_cpu_time_max_percent)"
            ));
        }
        let nameless = counts.functions.iter().filter(|function| function.name == NO_SYMBOL);
        let nameless = nameless.map(|function| function.count).sum::<u64>() as f64 / samples;
        if nameless > MUCH {
            notes.push(format!(
                "{} of the samples of `{name}` are in code without a symbol: a program or library \
                 that was stripped, or code made while it ran",
                percent(nameless)
            ));
        }
        let without_stack: u64 = sampled.iter().map(|run| run.without_stack).sum();
        let cut = (tally.cut_stacks.max(without_stack)) as f64 / samples;
        if cut > MUCH {
            notes.push(format!(
                "{} of the stacks of `{name}` are not whole, so callers far out have less than \
                 their time",
                percent(cut.min(1.0))
            ));
        }
        notes
    }
}
