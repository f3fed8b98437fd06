//! The notes on an experiment, made once everything is summarised and compared.

use std::collections::BTreeMap;

use super::Assembly;
use findings::{MetricSummary, of_candidate};
use judge::diagnosis::{CONTENTION_SHARE, Idleness, SHORT_RUN_SECONDS};
use judge::layouts::{is_equal_count, is_moved_by_layout};
use judge::level;
use model::metric::{
    self, ENERGY, INSTRUCTIONS, MetricId, PEAK_RSS, PEAK_RSS_FLOOR, TIME_PER_ITERATION, WAIT_SHARE,
    WALL_TIME,
};
use model::note::Note;

impl Assembly<'_> {
    pub(super) fn note(&mut self) {
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
            notes.extend(most_idle.map(|&(variant, Idleness { share, cpu, wall })| Note::Idle {
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

    /// Notes the metrics in which neighbours are not compared.
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
            let parts = of_candidate(&self.comparisons, candidate);
            let of = |metric: &MetricId| {
                parts.iter().rfind(|part| part.metric == *metric && part.baseline == baseline)
            };
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

/// For each quantile for which some variant has too few runs: the number of runs, and the number
/// needed.
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
