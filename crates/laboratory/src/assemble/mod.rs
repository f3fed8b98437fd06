//! Builds a [`Document`] from an experiment's runs.
//!
//! [`document`] judges the variants and their pairs. The other modules add what only some experiments
//! have: each takes a document, and returns one, or its part.
//!
//! The runs stay in the store: each metric is loaded as a column, judged, and released. With many
//! runs only a few metrics are loaded at a time, so memory does not grow with the experiment.

pub(crate) mod equal_work;
pub(crate) mod finding;
pub(crate) mod memory;
pub mod old_side;
pub(crate) mod setups;

use std::collections::BTreeMap;

use findings::{
    Answer, Bound, ComparedPair, Contender, Course, Document, Finding, LayoutSpread, MetricSummary,
    MissingValues, Rank, SCHEMA, of_candidate,
};
use judge::comparison::{ComparisonSettings, Judgement, compare};
use judge::comparison::{Contestant, ranking};
use judge::diagnosis::{self, CONTENTION_SHARE, IdleTime, SHORT_RUN_SECONDS};
use judge::level::{self, level_of};
use judge::sequence::Sequence;
use judge::step::{is_equal_count, is_moved_by_layout};
use model::design::contrasts::Contrasts;
use model::metric::{
    self, CPU_TIME, CPU_WAIT, Direction, ENERGY, INSTRUCTIONS, Metric, MetricId, PEAK_RSS,
    PEAK_RSS_FLOOR, REGISTRY, RSS_SLACK_BYTES, Source, THROUGHPUT, TIME_PER_ITERATION, WAIT_SHARE,
    WALL_TIME,
};
use model::note::Note;
use model::sample::{Column, Columns};
use model::spec::copies::Copies;
use model::verdict::Verdict;
use stats::RatioEstimate;
use stats::sequential::Look;

/// The facts about an experiment other than its runs.
pub struct Facts<'a> {
    /// The way it was made.
    pub experiment: Course,
    /// A description of the machine.
    pub machine: serde_json::Value,
    /// The state of the machine during the experiment.
    pub conditions: serde_json::Value,
    /// The variants that were compared.
    pub variants: Vec<Contender>,
    /// The metrics outside the registry: user-defined ones and quantiles.
    pub beyond_registry: Vec<MetricId>,
    /// The pairs of variants to compare.
    pub contrasts: &'a Contrasts,
    /// The looks at the data.
    pub sequence: &'a Sequence,
    /// For each pair of the contrasts, the look at which it was settled.
    pub settled_at: &'a [Option<usize>],
    /// Notes made beforehand: about shells, failures and counters.
    pub notes: Vec<Note>,
}

/// The most memory, in bytes, for the columns of one pass over the runs. Each pass reads every run
/// again: with a pass for every few metrics, the end of a long experiment took minutes.
const PASS_BYTES: usize = 64 << 20;

/// The largest number of rounds, evenly spaced, in which noise is diagnosed.
const MOST_DIAGNOSED_ROUNDS: usize = 10_000;

/// Above this number of variants, noise is not diagnosed per variant: nobody would read it.
const MOST_DIAGNOSED: usize = 20;

/// Judges all metrics. `load` fills columns with some metrics of every run.
pub fn document<E>(
    facts: Facts<'_>,
    load: &mut dyn FnMut(&[MetricId]) -> Result<Columns, E>,
) -> Result<Document, E> {
    let runs = facts.experiment.rounds as usize * facts.variants.len();
    let mut assembly = Assembly::new(facts);
    let beyond = assembly.facts.beyond_registry.clone();
    for group in groups(runs, &beyond) {
        let columns = load(&group)?;
        for id in &group {
            let metric = metric::find(id).expect("groups are of metrics that are known");
            assembly.take(&metric, &columns);
        }
        if group.contains(&WALL_TIME) {
            assembly.diagnose(&columns, &group);
        }
    }
    Ok(assembly.finish())
}

/// The registry's metrics and those `beyond` it, in groups that fit into one pass each. The first
/// group holds the metrics that the diagnosis needs together.
fn groups(runs: usize, beyond: &[MetricId]) -> Vec<Vec<MetricId>> {
    let together = [WALL_TIME, CPU_WAIT, CPU_TIME];
    let per_pass = (PASS_BYTES / (8 * runs.max(1))).max(together.len());
    let rest = REGISTRY.iter().map(|metric| &metric.id).filter(|id| !together.contains(id));
    let ordered: Vec<MetricId> = together.iter().chain(rest).chain(beyond).cloned().collect();
    let mut groups: Vec<Vec<MetricId>> = ordered.chunks(per_pass).map(<[_]>::to_vec).collect();
    // The floor explains the peak, so both go into the same group.
    if let Some(group) = groups.iter_mut().find(|group| group.contains(&PEAK_RSS))
        && !group.contains(&PEAK_RSS_FLOOR)
    {
        group.push(PEAK_RSS_FLOOR);
    }
    groups
}

struct Assembly<'a> {
    facts: Facts<'a>,
    rule: ComparisonSettings,
    summaries: Vec<MetricSummary>,
    missing: Vec<MissingValues>,
    comparisons: Vec<ComparedPair>,
    wait_shares: Vec<f64>,
    idle: Vec<(u32, IdleTime)>,
    notes: Vec<Note>,
    /// The metrics in which neighbours are not compared because they did different amounts of work.
    uncompared: BTreeMap<(u32, u32), Vec<MetricId>>,
}

impl<'a> Assembly<'a> {
    fn new(mut facts: Facts<'a>) -> Self {
        let experiment = &facts.experiment;
        Self {
            rule: ComparisonSettings {
                estimator: experiment.estimator.into(),
                margin: experiment.margin,
            },
            summaries: Vec::new(),
            missing: Vec::new(),
            comparisons: Vec::new(),
            wait_shares: vec![0.0; facts.variants.len()],
            idle: Vec::new(),
            notes: std::mem::take(&mut facts.notes),
            uncompared: BTreeMap::new(),
            facts,
        }
    }

    fn take(&mut self, metric: &Metric<'_>, columns: &Columns) {
        for source in Source::ALL {
            let Some(column) = columns.get(&metric.id, source) else { continue };
            let already =
                self.summaries.iter().any(|s| s.metric == metric.id && s.source == source);
            if already {
                continue;
            }
            let at_floor = self.summarise(metric, source, column, columns);
            self.compare(metric, source, column, &at_floor);
        }
    }

    /// Summarises every variant, and records whose values are only upper bounds.
    fn summarise(
        &mut self,
        metric: &Metric<'_>,
        source: Source,
        column: &Column,
        columns: &Columns,
    ) -> Vec<bool> {
        let floors = columns.get(&PEAK_RSS_FLOOR, Source::Run).filter(|_| metric.id == PEAK_RSS);
        let variants = 0..u32::try_from(self.facts.variants.len()).expect("at most 2^20");
        variants
            .map(|variant| {
                if let Some((reason, runs)) = column.missing(variant) {
                    self.missing.push(MissingValues {
                        variant,
                        metric: metric.id.clone(),
                        source,
                        runs,
                        reason: reason.to_owned(),
                    });
                }
                let values = column.of_variant(variant);
                let Some(summary) = stats::describe::summarise(&values) else { return false };
                let floor = floors
                    .and_then(|floors| floors.of_variant(variant).into_iter().reduce(f64::max));
                let at_most = floor.is_some_and(|floor| summary.median <= floor + RSS_SLACK_BYTES);
                let is_quantile = metric.id.quantile().is_some();
                self.summaries.push(MetricSummary {
                    variant,
                    metric: metric.id.clone(),
                    source,
                    n: summary.n,
                    mean: summary.mean,
                    sd: summary.sd,
                    median: summary.median,
                    min: summary.min,
                    max: summary.max,
                    quartiles: Some([summary.q1, summary.q3]),
                    low: summary.median_interval.map(|(low, _)| low),
                    high: summary.median_interval.map(|(_, high)| high),
                    outliers: summary.mild_outliers + summary.severe_outliers,
                    severe_outliers: summary.severe_outliers,
                    at_most,
                    layouts: column.spread(variant).map(LayoutSpread::from),
                    quantile: level_of(&metric.id, &values).filter(|_| is_quantile),
                });
                at_most
            })
            .collect()
    }

    fn compare(&mut self, metric: &Metric<'_>, source: Source, column: &Column, at_floor: &[bool]) {
        let contrasts = self.facts.contrasts;
        let settled_at = self.facts.settled_at.iter().copied().chain(std::iter::repeat(None));
        let pairs = contrasts.pairs.iter().copied().zip(settled_at);
        let judged_spans = contrasts.spans.iter().filter_map(|&span| match source {
            Source::Run => Some((span, Some(self.span_look(column, span.0, span.1)?))),
            _ => Some((span, None)),
        });
        let all: Vec<_> = (pairs.chain(judged_spans))
            .filter(|((baseline, candidate), _)| baseline != candidate)
            .collect();
        for ((baseline, candidate), settled_at) in all {
            let Some((look, rounds)) = self.look(&metric.id, source, settled_at) else { return };
            // More copies use more together, in any program.
            if self.copies(baseline) != self.copies(candidate)
                && !metric.is_of_copies()
                && metric.id != PEAK_RSS
            {
                continue;
            }
            if !column.is_comparable(baseline, candidate) {
                self.uncompared.entry((baseline, candidate)).or_default().push(metric.id.clone());
                continue;
            }
            let pairs = column.pairs_until(baseline, candidate, rounds);
            if pairs.baseline.is_empty() {
                continue;
            }
            let is_low = (at_floor[baseline as usize], at_floor[candidate as usize]);
            let rule = ComparisonSettings {
                estimator: metric.id.estimator(self.rule.estimator),
                ..self.rule
            };
            let compared = compare(&pairs, metric.direction, metric.nature(source), rule, look)
                .ok()
                .filter(|compared| is_certain(compared.verdict, is_low.0, is_low.1));
            if let Some(compared) = compared {
                self.comparisons.push(ComparedPair {
                    metric: metric.id.clone(),
                    source,
                    baseline,
                    candidate,
                    ratio: compared.estimate.ratio,
                    difference: compared.difference.map(Into::into),
                    bound: match is_low {
                        (true, _) => Some(Bound::AtLeast),
                        (false, true) => Some(Bound::AtMost),
                        (false, false) => None,
                    },
                    low: compared.estimate.low,
                    high: Some(compared.estimate.high).filter(|high| high.is_finite()),
                    verdict: compared.verdict,
                    within_margin: compared.within_margin,
                    basis: compared.basis,
                    rounds: compared.estimate.rounds,
                    // More rounds of the same layouts do not settle a question that the layouts
                    // leave open.
                    more_rounds: (compared.more_rounds)
                        .or_else(|| self.rounds_to_an_interval(&metric.id, &compared))
                        .filter(|_| column.layouts_of(candidate) == 0),
                    detectable: compared.detectable,
                    machine: None,
                });
            }
        }
    }

    /// The further rounds until the ratio of quantiles has an interval; `None` if it has one.
    fn rounds_to_an_interval(&self, id: &MetricId, compared: &Judgement) -> Option<u64> {
        let RatioEstimate { high, rounds, .. } = compared.estimate;
        let is_unbounded = id.quantile().is_some() && high.is_infinite();
        let members = self.facts.sequence.members();
        let member = members.iter().find(|one| one.metric == *id).filter(|_| is_unbounded)?;
        u64::from(member.least_rounds(self.rule.estimator, 1.0)).checked_sub(rounds as u64)
    }

    /// The number of copies of a variant that ran at once; `None` if it ran alone.
    fn copies(&self, variant: u32) -> Option<Copies> {
        self.facts.variants[variant as usize].labels.copies
    }

    /// The level for a judged metric and the number of rounds it covers: those of the look at which
    /// a comparison was settled, or of the last one. Instrumented runs have a single look, which
    /// gets the metric's whole error budget.
    fn look(
        &self,
        id: &MetricId,
        source: Source,
        settled_at: Option<usize>,
    ) -> Option<(Look, usize)> {
        let sequence = self.facts.sequence;
        match settled_at {
            Some(look) if source == Source::Run => {
                let rounds = sequence.rounds_at(look).map_or(usize::MAX, |rounds| rounds as usize);
                Some((sequence.level_at(look, id)?, rounds))
            }
            None if source == Source::Run => Some((sequence.level(id)?, usize::MAX)),
            _ => {
                let member = sequence.members().iter().find(|member| member.metric == *id)?;
                let look = Look {
                    nominal_alpha: member.alpha,
                    critical_z: stats::normal::two_sided(member.alpha),
                    spent: member.alpha,
                    increment: member.alpha,
                };
                Some((look, usize::MAX))
            }
        }
    }

    /// The look at which a span is judged: the last one up to which both of its ends ran.
    fn span_look(&self, column: &Column, baseline: u32, candidate: u32) -> Option<usize> {
        let common = column.pairs(baseline, candidate).baseline.len();
        let is_common = |look: &usize| {
            self.facts.sequence.rounds_at(*look).is_some_and(|rounds| rounds as usize <= common)
        };
        (0..self.facts.sequence.looks()).rev().find(is_common)
    }

    fn diagnose(&mut self, columns: &Columns, group: &[MetricId]) {
        let Some(wall) = columns.get(&WALL_TIME, Source::Run) else { return };
        // The harness chooses how long a process with a benchmark takes.
        let named = self.facts.experiment.metrics.as_deref();
        if named.is_some_and(|named| named.contains(&TIME_PER_ITERATION)) {
            return;
        }
        let count = self.facts.variants.len();
        let others: Vec<(MetricId, &Column)> = group
            .iter()
            .filter(|id| ![WALL_TIME, PEAK_RSS_FLOOR].contains(id))
            .filter(|id| id.quantile().is_none())
            .filter_map(|id| Some((id.clone(), columns.get(id, Source::Run)?)))
            .filter(|(id, _)| !id.as_str().contains("utilised"))
            .collect();
        for variant in 0..u32::try_from(count).expect("at most 2^20") {
            // Copies that wait for each other are the subject of the measurement, not contention.
            let is_alone = self.copies(variant).is_none();
            let waits = columns.get(&CPU_WAIT, Source::Run).filter(|_| is_alone);
            let wait_share = waits.and_then(|waits| diagnosis::wait_share(wall, waits, variant));
            self.wait_shares[variant as usize] = wait_share.unwrap_or(0.0);
            if let Some(cpu) = columns.get(&CPU_TIME, Source::Run).filter(|_| is_alone) {
                let idleness = diagnosis::idleness(wall, cpu, wait_share, variant);
                self.idle.extend(idleness.map(|idleness| (variant, idleness)));
            }
            if count <= MOST_DIAGNOSED {
                let stride = self.facts.experiment.rounds as usize / MOST_DIAGNOSED_ROUNDS + 1;
                self.notes.extend(diagnosis::of_variant(variant, wall, &others, stride));
            }
        }
        if let Some(positions) = columns.positions().filter(|_| count <= MOST_DIAGNOSED) {
            let first = |column: &Column| column.first_rounds(MOST_DIAGNOSED_ROUNDS);
            self.diagnose_order(&first(wall), &first(positions));
        }
    }

    fn diagnose_order(&mut self, wall: &Column, positions: &Column) {
        let is_pair = self.facts.variants.len() == 2;
        let tests = self.facts.contrasts.compared().count() + if is_pair { 2 } else { 0 };
        for (baseline, candidate) in self.facts.contrasts.compared() {
            let pairs = wall.pairs(baseline, candidate);
            let places = positions.pairs(baseline, candidate);
            let after: Vec<bool> =
                places.baseline.iter().zip(&places.candidate).map(|(b, c)| c > b).collect();
            self.notes.extend(diagnosis::of_position(candidate, &pairs, &after, tests));
        }
        if is_pair {
            for variant in 0..2 {
                let (values, after_other) = diagnosis::predecessors(wall, positions, variant);
                let note = diagnosis::of_carry_over(variant, &values, &after_other, tests);
                self.notes.extend(note);
            }
        }
    }

    fn answers(&self) -> Vec<Answer> {
        let pairs = self.facts.contrasts.pairs.iter();
        pairs.filter_map(|&(baseline, candidate)| self.answer(baseline, candidate)).collect()
    }

    fn compared(&self, baseline: u32, candidate: u32, metric: &MetricId) -> Option<&ComparedPair> {
        let parts = of_candidate(&self.comparisons, candidate);
        parts.iter().rfind(|part| part.metric == *metric && part.baseline == baseline)
    }

    fn answer(&self, baseline: u32, candidate: u32) -> Option<Answer> {
        let of = |metric: &MetricId| self.compared(baseline, candidate, metric);
        let answer = |part: &ComparedPair, wait_share| Answer { wait_share, ..Answer::from(part) };
        let chosen = self.facts.experiment.metrics.as_deref();
        let deciding = match chosen {
            Some(chosen) if chosen.first() != Some(&WALL_TIME) => {
                return chosen.iter().find_map(of).map(|part| answer(part, None));
            }
            None if let Some(part) = of(&THROUGHPUT) => return Some(answer(part, None)),
            _ => of(&WALL_TIME)?,
        };
        let wait_share =
            self.wait_shares[baseline as usize].max(self.wait_shares[candidate as usize]);
        let contended = wait_share >= CONTENTION_SHARE;
        let fallback = of(&CPU_TIME).filter(|part| part.verdict.is_conclusive());
        match fallback {
            Some(cpu) if contended && deciding.verdict == Verdict::Inconclusive => {
                Some(answer(cpu, Some(wait_share)))
            }
            _ => Some(answer(deciding, None)),
        }
    }

    /// All commands in order of the metric that answers first, for three or more at one point.
    fn ranking(&self, answers: &[Answer]) -> Vec<Rank> {
        let Some(first) = answers.first().filter(|_| answers.len() > 1) else { return Vec::new() };
        let variants = self.facts.variants.len();
        let is_of_commands = self.facts.experiment.commands as usize == variants;
        let has_one_baseline = answers.iter().all(|one| one.baseline == first.baseline);
        if !is_of_commands || answers.len() + 1 != variants || !has_one_baseline {
            return Vec::new();
        }
        let direction = metric::find(&first.metric).map(|metric| metric.direction);
        let contestant = |(variant, ratio, low, high): (u32, f64, f64, f64)| match direction {
            Some(Direction::Higher) => {
                Contestant { variant, ratio: 1.0 / ratio, low: 1.0 / high, high: 1.0 / low }
            }
            _ => Contestant { variant, ratio, low, high },
        };
        // Other answers may rest on another metric, but a ranking has one.
        let compared = |answer: &Answer| {
            let mut parts = of_candidate(&self.comparisons, answer.candidate).iter();
            let part = parts.find(|part| {
                (part.baseline, &part.metric, part.source)
                    == (first.baseline, &first.metric, first.source)
            })?;
            Some((part.candidate, part.ratio, part.low, part.high.unwrap_or(f64::INFINITY)))
        };
        let Some(compared) = answers.iter().map(compared).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let all = std::iter::once((first.baseline, 1.0, 1.0, 1.0)).chain(compared);
        let mut before = 0;
        let mut ranked = Vec::new();
        for group in ranking(all.map(contestant).collect()) {
            let rank = before + 1;
            before += u32::try_from(group.len()).expect("at most 2^20");
            ranked.extend(group.into_iter().map(|variant| Rank { variant, rank }));
        }
        ranked
    }

    fn finish(mut self) -> Document {
        self.note();
        let mut detectable = BTreeMap::new();
        for part in &self.comparisons {
            if let Some(change) = part.detectable {
                let worst = detectable.entry(part.metric.clone()).or_insert(change);
                *worst = change.max(*worst);
            }
        }
        self.summaries.sort_by_key(|part| (part.variant, metric::order(&part.metric)));
        self.comparisons.sort_by_key(|part| (part.candidate, metric::order(&part.metric)));
        let answers = self.answers();
        Document {
            schema: SCHEMA.to_owned(),
            ranking: self.ranking(&answers),
            answers,
            machine: self.facts.machine,
            conditions: self.facts.conditions,
            experiment: self.facts.experiment,
            variants: self.facts.variants,
            summaries: self.summaries,
            missing: self.missing,
            comparisons: self.comparisons,
            detectable,
            notes: self.notes,
            finding: Finding::Compare,
            causes: Vec::new(),
            setups: Vec::new(),
            paybacks: Vec::new(),
            equal_work: None,
            memory_over_time: None,
            memory_verdicts: None,
        }
    }
}

/// True if a verdict holds although the values of the baseline or the candidate are only upper
/// bounds. Such a verdict could only become more pronounced.
fn is_certain(verdict: Verdict, baseline: bool, candidate: bool) -> bool {
    match (baseline, candidate) {
        (false, false) => true,
        (true, false) => verdict == Verdict::Regressed,
        (false, true) => verdict == Verdict::Improved,
        (true, true) => false,
    }
}

// The notes on an experiment, made once everything is summarised and compared.

impl Assembly<'_> {
    fn note(&mut self) {
        self.note_the_whole();
        self.note_counted();
        self.note_layouts();
        self.note_likely_layouts();
        self.note_the_uncompared();
    }

    /// Notes on all variants together, if they concern a metric that is shown.
    fn note_the_whole(&mut self) {
        let chosen = self.facts.experiment.metrics.as_deref();
        let is_chosen = |id: &MetricId| chosen.is_some_and(|chosen| chosen.contains(id));
        let shows = |id: MetricId| chosen.is_none() || is_chosen(&id);
        let is_suite = is_chosen(&TIME_PER_ITERATION);
        let of = |id: MetricId| self.summaries.iter().filter(move |s| s.metric == id);
        let mut notes = Vec::new();
        let wait_share = match is_suite {
            // The median over a benchmark's processes: they are many, and each is short.
            true => of(WAIT_SHARE).map(|summary| summary.median).fold(0.0, f64::max),
            false => self.wait_shares.iter().copied().fold(0.0, f64::max),
        };
        if wait_share >= CONTENTION_SHARE && (shows(WALL_TIME) || is_suite) {
            notes.push(Note::Contention { wait_share, quota_cpus: self.quota_cpus() });
        }
        if shows(WALL_TIME) {
            let most_idle = self.idle.iter().max_by(|a, b| a.1.share.total_cmp(&b.1.share));
            notes.extend(most_idle.map(|&(variant, IdleTime { share, cpu, wall })| Note::Idle {
                variant,
                share,
                cpu,
                wall,
            }));
            let shortest = of(WALL_TIME).map(|s| s.median).reduce(f64::min);
            if let Some(median) = shortest.filter(|&median| median < SHORT_RUN_SECONDS) {
                notes.push(Note::ShortRuns { median });
            }
        }
        notes.extend(few_for_quantiles(&self.summaries));
        notes.extend(of(ENERGY).next().map(|_| Note::EnergyOfAll));
        if shows(PEAK_RSS) && of(PEAK_RSS).any(|summary| summary.at_most) {
            let floor = of(PEAK_RSS_FLOOR).map(|s| s.max).reduce(f64::max);
            notes.extend(floor.map(|floor_bytes| Note::AtFloor { floor_bytes }));
        }
        self.notes.extend(notes);
    }

    /// The CPU quota of the control group, in CPUs; `None` if it is no lower than the CPUs online.
    fn quota_cpus(&self) -> Option<f64> {
        let quota = self.facts.conditions.get("cpu_quota")?.as_f64()?;
        let cpus = self.facts.machine.get("cpus_online").and_then(|cpus| cpus.as_f64());
        cpus.is_none_or(|cpus| quota < cpus).then_some(quota)
    }

    /// Adds to the notes on variants with two regimes whether instructions were counted.
    fn note_counted(&mut self) {
        let is_counted = self.summaries.iter().any(|part| part.metric == INSTRUCTIONS);
        for note in &mut self.notes {
            if let Note::Bimodal { counted, .. } = note {
                *counted = is_counted;
            }
        }
    }

    fn note_the_uncompared(&mut self) {
        let done = |variant: u32| self.facts.variants[variant as usize].labels.work();
        for (&(baseline, candidate), metrics) in &self.uncompared {
            let is_neighbour = self.facts.contrasts.pairs.contains(&(baseline, candidate));
            let works = done(baseline).zip(done(candidate)).filter(|_| is_neighbour);
            self.notes.extend(works.map(|(before, after)| {
                let mut metrics = metrics.clone();
                metrics.sort_by_key(metric::order);
                metrics.dedup();
                Note::OtherWork { baseline, candidate, done: [before.done, after.done], metrics }
            }));
        }
    }

    /// Notes how far layout alone moves the program that it moves most.
    fn note_layouts(&mut self) {
        let named = self.facts.experiment.metrics.as_deref().and_then(<[_]>::first);
        let metric = named.cloned().unwrap_or(WALL_TIME);
        let layouts = |variant: u32| self.facts.variants[variant as usize].labels.layouts;
        let of_metric = self.summaries.iter().filter(|part| part.metric == metric);
        let in_layouts = of_metric.filter(|part| layouts(part.variant) > 0);
        let sd = |part: &MetricSummary| part.layouts.map_or(-1.0, |spread| spread.sd);
        let most = in_layouts.max_by(|a, b| sd(a).total_cmp(&sd(b)));
        let note = most.map(|part| Note::Layouts {
            variant: part.variant,
            layouts: layouts(part.variant),
            metric: metric.clone(),
            spread: part.layouts.map(|spread| [spread.sd, spread.low, spread.high]),
        });
        self.notes.extend(note);
    }

    /// Notes programs that execute the same instructions but take different times.
    fn note_likely_layouts(&mut self) {
        let mut notes = Vec::new();
        for answer in self.answers().iter().filter(|answer| answer.verdict.is_change()) {
            let (baseline, candidate) = (answer.baseline, answer.candidate);
            let of = |metric: &MetricId| self.compared(baseline, candidate, metric);
            let is_in_layouts = self.facts.variants[candidate as usize].labels.layouts > 0;
            if let (Some(time), Some(counted)) = (of(&answer.metric), of(&INSTRUCTIONS))
                && is_moved_by_layout(&answer.metric)
                && is_equal_count(counted.ratio)
                && !is_in_layouts
            {
                let (ratio, instructions) = (time.ratio, counted.ratio);
                notes.push(Note::LikelyLayout { baseline, candidate, ratio, instructions });
            }
        }
        self.notes.extend(notes);
    }
}

/// The quantiles for which some variant has too few runs, with the number needed.
fn few_for_quantiles(summaries: &[MetricSummary]) -> Vec<Note> {
    let mut fewest: BTreeMap<&MetricId, usize> = BTreeMap::new();
    for part in summaries.iter().filter(|part| part.interval().is_none()) {
        if part.quantile.is_some() {
            let least = fewest.entry(&part.metric).or_insert(part.n);
            *least = part.n.min(*least);
        }
    }
    let note = |(metric, runs): (&MetricId, usize)| {
        let needed = metric.quantile()?.least_values(level::ALPHA)?;
        Some(Note::FewForQuantile { metric: metric.clone(), runs, needed })
    };
    fewest.into_iter().filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_loaded_however_many_runs_there_are() {
        for runs in [0, 10, 200_000, 10_000_000] {
            let own = [MetricId::known("size[bytes]")];
            let groups = groups(runs, &own);
            for id in REGISTRY.iter().map(|metric| &metric.id).chain(&own) {
                assert!(groups.iter().any(|group| group.contains(id)), "{id}");
            }
            let with_peak = groups.iter().find(|group| group.contains(&PEAK_RSS)).expect("loaded");
            assert!(with_peak.contains(&PEAK_RSS_FLOOR));
            assert!(groups[0].contains(&CPU_WAIT));
        }
        assert_eq!(groups(10, &[]).len(), 1);
    }

    /// The number of passes, which decides the work at the end: a few, unless memory forbids it.
    #[test]
    fn many_runs_are_read_a_few_times_and_more_often_only_for_lack_of_memory() {
        assert!(groups(164_090, &[]).len() <= 2, "{}", groups(164_090, &[]).len());
        assert!(groups(1_000_000, &[]).len() <= 10, "{}", groups(1_000_000, &[]).len());
        for runs in [1_000, 164_090, 1_000_000, 100_000_000] {
            for group in groups(runs, &[]) {
                assert!(group.len() <= 3 || 8 * runs * (group.len() - 1) <= PASS_BYTES);
            }
        }
    }
}
