//! The labels of a variant: the user's parameters, the artefact with its amount of work, the
//! benchmark.
//!
//! The store and JSON have labels as one list of names with texts. They are parsed once, here:
//! brisk's own become typed, anything else is a user parameter. A parameter may have the name of a
//! brisk label: the labels of an artefact or of a benchmark are recognised only if all of them are
//! present.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::copies::Copies;
use super::parameters::Point;
use super::suite::Arrangement;
use crate::json;

/// The labels that distinguish a variant from others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Labels {
    /// The user's parameters, in order.
    pub parameters: Point,
    /// The artefact, if the variant is one of a commit.
    pub artifact: Option<ArtifactLabel>,
    /// The benchmark, if the variant belongs to a suite.
    pub benchmark: Option<BenchmarkLabel>,
    /// The number of layouts that the artefact runs in, in turn; 0 if it runs as built.
    pub layouts: u32,
    /// The copies that run at once; `None` if it runs alone.
    pub copies: Option<Copies>,
}

/// The identity of a built artefact: the digest of its bytes and, if it runs in several layouts, their
/// number. An artefact in layouts is another one than the same artefact as it was built.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ArtifactId {
    digest: String,
    /// 0 if it runs as built.
    layouts: usize,
}

/// The separator between the digest and the number of layouts in the stored form.
const IN: &str = " in ";
const LAYOUTS_OF_IT: &str = " layouts";

impl ArtifactId {
    /// The artefact with this digest, in this number of layouts; 0 if it runs as built.
    pub fn new(digest: &str, layouts: usize) -> Self {
        Self { digest: digest.to_owned(), layouts }
    }

    /// The identity with this stored form.
    pub fn read(text: &str) -> Self {
        let in_layouts = text.strip_suffix(LAYOUTS_OF_IT).and_then(|text| text.rsplit_once(IN));
        let in_layouts = in_layouts.and_then(|(digest, count)| Some((digest, count.parse().ok()?)));
        let (digest, layouts) = in_layouts.unwrap_or((text, 0));
        Self::new(digest, layouts)
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layouts {
            0 => formatter.write_str(&self.digest),
            count => write!(formatter, "{}{IN}{count}{LAYOUTS_OF_IT}", self.digest),
        }
    }
}

/// The artefact of a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactLabel {
    /// The full hash of the commit it was built from.
    pub commit: String,
    /// The identity of the artefact.
    pub id: ArtifactId,
    /// The amount of work to do; `None` if not given.
    pub work: Option<Work>,
}

// The amount of work that a commit does: less if the whole would take too long.
//
// One commit of a history may need a thousand times as long as another. A command that takes the
// amount of work as `{work}` can do a tenth or a thousandth of it at the slow commits. Readings
// that grow with the work (times, instructions, allocated bytes) are then scaled to the whole;
// others (peaks, live bytes, faults) are left unchanged, and not compared with those of a commit
// that did a different amount. The constant part of a program's work is scaled with the rest: a
// slow commit looks slower by that, never faster.

/// The amount of work that a variant does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The value of `{work}`.
    pub done: u64,
    /// The value of `{work}` without a limit on time.
    pub whole: u64,
}

impl Work {
    /// The full amount of work; `None` if it is 0.
    pub fn whole(whole: u64) -> Option<Self> {
        (whole > 0).then_some(Self { done: whole, whole })
    }

    /// A tenth of the work; `None` if nothing would be left.
    #[must_use]
    pub fn tenth(self) -> Option<Self> {
        let done = self.done / 10;
        (done > 0).then_some(Self { done, ..self })
    }

    /// True if it is the full amount.
    pub fn is_whole(self) -> bool {
        self.done == self.whole
    }

    /// The factor for readings that grow with the work.
    pub fn scale(self) -> f64 {
        self.whole as f64 / self.done as f64
    }
}

/// By variant, from their labels, the factors for readings that grow with the work; empty if no
/// variant has an amount of work.
pub fn scales<'a>(labels: impl Iterator<Item = &'a Labels>) -> Vec<f64> {
    let works: Vec<Option<Work>> = labels.map(Labels::work).collect();
    if works.iter().all(Option::is_none) {
        return Vec::new();
    }
    works.into_iter().map(|work| work.map_or(1.0, Work::scale)).collect()
}

/// The benchmark of a variant.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkLabel {
    /// Its name; with a number appended if others have the same name.
    pub name: String,
    /// The program as typed; `None` if given by a commit or a project.
    pub executable: Option<String>,
    /// The harness, by its word.
    pub harness: String,
    /// The arrangement: the benchmarks that run before it in its process.
    pub order: Arrangement,
    /// The claims about the benchmarks it is made of.
    pub made_of: Vec<String>,
    /// The baseline that its harness saved at another time.
    pub baseline: Option<SavedBaseline>,
}

/// The figures of a benchmark that a harness saved at another time.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedBaseline {
    /// The file.
    pub file: String,
    /// The time of one iteration, or the reason that it is unknown.
    pub time: Result<SavedTime, String>,
    /// The benchmarks of the file that the program does not have; on one variant only.
    pub gone: Vec<String>,
}

/// The time of one iteration of a benchmark when it was saved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SavedTime {
    /// The time, in seconds.
    pub seconds: f64,
    /// Its relative standard error, if the file gives it.
    pub error: Option<f64>,
    /// The bytes allocated, if the file gives them.
    pub allocated: Option<f64>,
}

/// A label with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the label `{name}` is `{value}`; expected: {wanted}")]
pub struct LabelError {
    name: &'static str,
    value: String,
    wanted: &'static str,
}

const COMMIT: &str = "commit";
const DIGEST: &str = "artifact";
const WORK: &str = "work";
const WHOLE_WORK: &str = "whole_work";
const LAYOUTS: &str = "layouts";
const COPIES: &str = "copies";
const PROCESSORS: &str = "processors";
const BENCHMARK: &str = "benchmark";
const EXECUTABLE: &str = "executable";
const HARNESS: &str = "harness";
const ORDER: &str = "order";
/// One claim per line.
const MADE_OF: &str = "made_of";
const BASELINE: &str = "baseline";
const BASELINE_SECONDS: &str = "baseline_seconds";
const BASELINE_ERROR: &str = "baseline_error";
const BASELINE_ALLOCATED: &str = "baseline_allocated";
const BASELINE_MISSING: &str = "baseline_missing";
/// One benchmark per line.
const BASELINE_GONE: &str = "baseline_gone";

/// The labels of every artefact.
const OF_ARTIFACT: &[&str] = &[COMMIT, DIGEST];
/// The labels of every benchmark.
const OF_BENCHMARK: &[&str] = &[BENCHMARK, HARNESS, ORDER];

/// The labels of all copies that run at once.
const OF_COPIES: &[&str] = &[COPIES, PROCESSORS];

/// The brisk labels that parameters with these names would be mistaken for; `None` if they remain
/// the user's.
pub(super) fn taken_for(names: &[&str]) -> Option<&'static [&'static str]> {
    let is_there = |group: &&&[&str]| group.iter().all(|name| names.contains(name));
    [OF_ARTIFACT, OF_BENCHMARK, OF_COPIES].iter().find(is_there).copied()
}

impl Labels {
    /// Reads labels, each with its name and text.
    ///
    /// # Errors
    ///
    /// The first label with an invalid value.
    pub fn read(labels: Vec<(String, String)>) -> Result<Self, LabelError> {
        let mut rest = Rest(labels);
        let artifact = rest.artifact()?;
        let benchmark = rest.benchmark()?;
        let layouts = match artifact.is_some() || benchmark.is_some() {
            true => rest.typed(LAYOUTS, "number of layouts", |text| text.parse().ok())?,
            false => None,
        };
        let copies = rest.copies()?;
        let layouts = layouts.unwrap_or(0);
        Ok(Self { parameters: rest.0, artifact, benchmark, layouts, copies })
    }

    /// The labels, each with its name and text: the parameters first, in order.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut own: Vec<(&str, String)> = Vec::new();
        if let Some(ArtifactLabel { commit, id, work }) = &self.artifact {
            own.extend([(COMMIT, commit.clone()), (DIGEST, id.to_string())]);
            own.extend(work.iter().flat_map(|work| {
                [(WORK, work.done.to_string()), (WHOLE_WORK, work.whole.to_string())]
            }));
        }
        if let Some(benchmark) = &self.benchmark {
            benchmark.add(&mut own);
        }
        own.extend((self.layouts > 0).then(|| (LAYOUTS, self.layouts.to_string())));
        own.extend(self.copies.iter().flat_map(|copies| {
            [(COPIES, copies.count.to_string()), (PROCESSORS, copies.processors.to_string())]
        }));
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        self.parameters.iter().cloned().chain(own).collect()
    }

    /// The labels by name.
    pub fn by_name(&self) -> BTreeMap<String, String> {
        self.pairs().into_iter().collect()
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The commit of its artefact.
    pub fn commit(&self) -> Option<&str> {
        self.artifact.as_ref().map(|artifact| &*artifact.commit)
    }

    /// The identity of its artefact.
    pub fn artifact_id(&self) -> Option<&ArtifactId> {
        self.artifact.as_ref().map(|artifact| &artifact.id)
    }

    /// The name of its benchmark.
    pub fn benchmark_name(&self) -> Option<&str> {
        self.benchmark.as_ref().map(|benchmark| &*benchmark.name)
    }

    /// The amount of work to do; `None` if not given.
    pub fn work(&self) -> Option<Work> {
        self.artifact.as_ref()?.work
    }
}

impl From<Point> for Labels {
    fn from(parameters: Point) -> Self {
        Self { parameters, ..Self::default() }
    }
}

impl BenchmarkLabel {
    /// A benchmark without further details.
    pub fn new(name: impl Into<String>, harness: &str, order: Arrangement) -> Self {
        Self {
            name: name.into(),
            executable: None,
            harness: harness.to_owned(),
            order,
            made_of: Vec::new(),
            baseline: None,
        }
    }

    fn add(&self, labels: &mut Vec<(&str, String)>) {
        labels.push((BENCHMARK, self.name.clone()));
        labels.extend(self.executable.iter().map(|program| (EXECUTABLE, program.clone())));
        labels.push((HARNESS, self.harness.clone()));
        labels.push((ORDER, self.order.word().to_owned()));
        if !self.made_of.is_empty() {
            labels.push((MADE_OF, self.made_of.join("\n")));
        }
        let Some(SavedBaseline { file, time, gone }) = &self.baseline else { return };
        labels.push((BASELINE, file.clone()));
        if !gone.is_empty() {
            labels.push((BASELINE_GONE, gone.join("\n")));
        }
        match time {
            Ok(SavedTime { seconds, error, allocated }) => {
                let figures = [
                    (BASELINE_SECONDS, Some(*seconds)),
                    (BASELINE_ERROR, *error),
                    (BASELINE_ALLOCATED, *allocated),
                ];
                let known = figures.into_iter().filter_map(|(name, value)| Some((name, value?)));
                labels.extend(known.map(|(name, value)| (name, value.to_string())));
            }
            Err(reason) => labels.push((BASELINE_MISSING, reason.clone())),
        }
    }
}

/// The labels not parsed yet.
struct Rest(Vec<(String, String)>);

impl Rest {
    fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.0.iter().any(|(known, _)| known == name))
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }

    /// Takes a label, if present, and parses its text with `read`.
    fn typed<T>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, LabelError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(LabelError { name, value, wanted }),
        }
    }

    fn copies(&mut self) -> Result<Option<Copies>, LabelError> {
        if !self.has_all(OF_COPIES) {
            return Ok(None);
        }
        let count = self.typed(COPIES, "number of copies", |text| text.parse().ok())?;
        let processors =
            self.typed(PROCESSORS, "number of processors", |text| text.parse().ok())?;
        Ok(count.zip(processors).map(|(count, processors)| Copies { count, processors }))
    }

    fn artifact(&mut self) -> Result<Option<ArtifactLabel>, LabelError> {
        if !self.has_all(OF_ARTIFACT) {
            return Ok(None);
        }
        let (commit, digest) = (self.take(COMMIT), self.take(DIGEST));
        let work = if self.has_all(&[WORK, WHOLE_WORK]) { self.work()? } else { None };
        Ok(commit.zip(digest).map(|(commit, digest)| {
            let id = ArtifactId::read(&digest);
            ArtifactLabel { commit, id, work }
        }))
    }

    fn work(&mut self) -> Result<Option<Work>, LabelError> {
        let amount = |text: &str| text.parse::<u64>().ok().filter(|amount| *amount > 0);
        let done = self.typed(WORK, "amount of work", amount)?;
        let whole = self.typed(WHOLE_WORK, "amount of work", amount)?;
        Ok(done.zip(whole).map(|(done, whole)| Work { done, whole }))
    }

    fn benchmark(&mut self) -> Result<Option<BenchmarkLabel>, LabelError> {
        if !self.has_all(OF_BENCHMARK) {
            return Ok(None);
        }
        let (name, harness) = (self.take(BENCHMARK), self.take(HARNESS));
        let order = self.typed(ORDER, "arrangement of benchmarks", Arrangement::of_word)?;
        let Some(((name, harness), order)) = name.zip(harness).zip(order) else { return Ok(None) };
        let claims = self.take(MADE_OF).unwrap_or_default();
        Ok(Some(BenchmarkLabel {
            name,
            executable: self.take(EXECUTABLE),
            harness,
            order,
            made_of: claims.lines().map(str::to_owned).collect(),
            baseline: self.baseline()?,
        }))
    }

    fn baseline(&mut self) -> Result<Option<SavedBaseline>, LabelError> {
        let Some(file) = self.take(BASELINE) else { return Ok(None) };
        let figure = |text: &str| f64::from_str(text).ok().filter(|figure| figure.is_finite());
        let seconds = self.typed(BASELINE_SECONDS, "number of seconds", figure)?;
        let error = self.typed(BASELINE_ERROR, "relative error", figure)?;
        let allocated = self.typed(BASELINE_ALLOCATED, "number of bytes", figure)?;
        let missing = self.take(BASELINE_MISSING);
        let time = seconds.map(|seconds| SavedTime { seconds, error, allocated });
        let time = time.ok_or_else(|| missing.unwrap_or_else(|| "it says no time".to_owned()));
        let gone = self.take(BASELINE_GONE).unwrap_or_default();
        let gone = gone.lines().map(str::to_owned).collect();
        Ok(Some(SavedBaseline { file, time, gone }))
    }
}

impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(json::read_pairs(deserializer, "labels with texts")?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{
        self, ALLOCATED, INSTRUCTIONS, MAX_LIVE, MINOR_FAULTS, PEAK_RSS, WALL_TIME,
    };

    fn pairs(labels: &[(&str, &str)]) -> Vec<(String, String)> {
        labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn labels_are_written_as_they_are_read() {
        let all = pairs(&[
            ("size", "10"),
            ("age", ""),
            ("commit", "c0ffee"),
            ("artifact", "d1"),
            ("work", "25"),
            ("whole_work", "250"),
            ("benchmark", "sort (2)"),
            ("executable", "./old"),
            ("harness", "criterion"),
            ("order", "shuffled"),
            ("made_of", "sort = a + b\nsort >= c"),
            ("baseline", "old.txt"),
            ("baseline_seconds", "0.00005"),
            ("baseline_error", "0.25"),
        ]);
        let labels = Labels::read(all.clone()).expect("sound");
        assert_eq!(labels.pairs(), all);
        assert_eq!((labels.parameter("size"), labels.parameter("commit")), (Some("10"), None));
        assert_eq!(labels.commit(), Some("c0ffee"));
        assert_eq!(labels.artifact_id(), Some(&ArtifactId::new("d1", 0)));
        assert_eq!(labels.work(), Some(Work { done: 25, whole: 250 }));
        let benchmark = labels.benchmark.as_ref().expect("it is one");
        assert_eq!((&*benchmark.name, benchmark.order), ("sort (2)", Arrangement::Shuffled));
        assert_eq!(benchmark.made_of, ["sort = a + b", "sort >= c"]);
        let time = SavedTime { seconds: 5e-5, error: Some(0.25), allocated: None };
        assert_eq!(benchmark.baseline.as_ref().map(|saved| &saved.time), Some(&Ok(time)));
        let json = serde_json::to_string(&labels).expect("writable");
        assert!(json.starts_with(r#"{"size":"10","age":"","commit":"c0ffee","#), "{json}");
        assert_eq!(serde_json::from_str::<Labels>(&json).expect("readable"), labels);
    }

    #[test]
    fn how_many_copies_ran_on_how_many_processors_is_read_back() {
        let copies = Some(Copies { count: 4, processors: 2 });
        let labels = Labels { copies, ..pairs(&[("n", "1")]).into() };
        let some = pairs(&[("n", "1"), ("copies", "4"), ("processors", "2")]);
        assert_eq!(labels.pairs(), some);
        assert_eq!(Labels::read(some).expect("sound"), labels);
        let of_the_user = pairs(&[("copies", "many")]);
        assert_eq!(Labels::read(of_the_user.clone()).expect("sound"), of_the_user.into());
        assert!(Labels::read(pairs(&[("copies", "many"), ("processors", "2")])).is_err());
    }

    #[test]
    fn parameters_called_like_labels_of_brisk_are_parameters() {
        let some = pairs(&[("order", "7"), ("commit", "x"), ("work", "much"), ("baseline", "y")]);
        assert_eq!(Labels::read(some.clone()).expect("sound"), Labels::from(some));
        assert_eq!(taken_for(&["order", "commit", "harness"]), None);
        assert_eq!(taken_for(&["order", "n", "harness", "benchmark"]), Some(OF_BENCHMARK));
    }

    #[test]
    fn a_label_that_is_not_what_its_name_says_is_named() {
        let benchmark = [("benchmark", "a"), ("harness", "lines"), ("order", "alone")];
        let artifact = [("commit", "c"), ("artifact", "d")];
        let wrong = |with: &[(&str, &str)], (name, value): (&str, &str)| {
            let mut labels = pairs(with);
            labels.retain(|(known, _)| known != name);
            labels.extend(pairs(&[(name, value)]));
            let json =
                serde_json::json!(labels.iter().cloned().collect::<BTreeMap<String, String>>())
                    .to_string();
            let error = Labels::read(labels).expect_err(name).to_string();
            assert!(error.contains(&format!("`{name}` is `{value}`")), "{error}");
            let of_json = serde_json::from_str::<Labels>(&json).expect_err(name).to_string();
            assert!(of_json.contains(&error), "{of_json}");
        };
        wrong(&benchmark, ("order", "sideways"));
        wrong(&[&artifact[..], &[("whole_work", "9")]].concat(), ("work", "0"));
        wrong(&[&artifact[..], &[("work", "9")]].concat(), ("whole_work", "-1"));
        let saved = [&benchmark[..], &[("baseline", "old.txt")]].concat();
        wrong(&saved, ("baseline_seconds", "soon"));
        wrong(&saved, ("baseline_error", "NaN"));
        wrong(&saved, ("baseline_allocated", ""));
    }

    #[test]
    fn an_artefact_in_layouts_is_another_one_and_is_read_as_it_is_written() {
        for (id, text) in [
            (ArtifactId::new("d1", 0), "d1"),
            (ArtifactId::new("d1", 8), "d1 in 8 layouts"),
            (ArtifactId::new("d1 in x layouts", 0), "d1 in x layouts"),
        ] {
            assert_eq!(id.to_string(), text);
            assert_eq!(ArtifactId::read(text), id);
        }
        assert_ne!(ArtifactId::new("d1", 0), ArtifactId::new("d1", 8));
    }

    #[test]
    fn work_shrinks_by_tenths_until_nothing_is_left() {
        let whole = Work::whole(250).expect("something");
        let done: Vec<u64> =
            std::iter::successors(Some(whole), |work| work.tenth()).map(|work| work.done).collect();
        assert_eq!(done, [250, 25, 2]);
        assert_eq!(Work::whole(0), None);
    }

    #[test]
    fn what_was_done_in_part_is_scaled_to_the_whole() {
        assert!((Work { done: 25, whole: 250 }.scale() - 10.0).abs() < 1e-12);
    }

    #[test]
    fn times_counts_and_allocations_grow_with_the_work_and_peaks_do_not() {
        for (id, grows) in [
            (WALL_TIME, true),
            (INSTRUCTIONS, true),
            (ALLOCATED, true),
            (PEAK_RSS, false),
            (MAX_LIVE, false),
            (MINOR_FAULTS, false),
            (metric::COPIED, false),
            (metric::GC_COUNT, true),
            (metric::MetricId::known("clock_rate"), false),
            (metric::MetricId::known("cpus_utilised"), false),
        ] {
            let metric = metric::find(&id).expect("in the registry");
            assert_eq!(metric.grows_with_work(), grows, "{id}");
        }
    }
}
