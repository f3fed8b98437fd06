//! The benchmarks of one or two executables, turned into an experiment.
//!
//! Each benchmark of each executable is a variant. With two executables, the old and the new one, a
//! benchmark that both have is compared, and one that only one of them has is measured. If a suite
//! is run in several arrangements, each benchmark is a further variant in each of the others; these
//! are company, which shows the dependences of each benchmark.

mod baseline;
pub mod commits;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

pub use baseline::{Baseline, BaselineError};
use measure::AllowedExits;
use serde::{Deserialize, Serialize};
use toolchains::harness;
use toolchains::harness::description::{Arranges, Harness};

use super::duration::DurationError;
use super::{Experiment, Invocation, Variant, place, words};
use crate::design::contrasts::{Company, Contrasts, Failing, Made, MadeError};
use crate::spec::artifacts::Layouts;
use crate::spec::labels::{BenchmarkLabel, Labels};

/// A program with benchmarks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteProgram {
    /// The name as typed.
    pub name: String,
    /// The harness of its benchmarks.
    #[serde(with = "harness_word")]
    pub harness: &'static Harness,
    /// The invocation, without arguments of the harness.
    pub run: Invocation,
    /// The names of its benchmarks, in its own order.
    pub listed: Vec<String>,
}

/// A harness in JSON: its word, or its word in a project's file, with the file's text.
mod harness_word {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use toolchains::harness::{description::Harness, find};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Known(String),
        OfProject { word: String, project: String },
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(
        harness: &&'static Harness,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let word = harness.word.clone();
        let written = match harness.project.clone() {
            Some(project) => Written::OfProject { word, project },
            None => Written::Known(word),
        };
        written.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static Harness, D::Error> {
        let (word, found) = match Written::deserialize(deserializer)? {
            Written::Known(word) => {
                let found = find(&word);
                (word, found)
            }
            Written::OfProject { word, project } => {
                let all = Harness::of_project(&project).map_err(D::Error::custom)?;
                let found = all.into_iter().find(|one| one.word == word);
                (word, found.map(super::kept_for_good))
            }
        };
        found.ok_or_else(|| D::Error::custom(format!("unknown harness `{word}`")))
    }
}

/// A harness that lasts as long as the process, like brisk's own; a project has few.
pub(super) fn kept_for_good(harness: Harness) -> &'static Harness {
    Box::leak(Box::new(harness))
}

/// A benchmark of a program: the meaning of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The index of the program.
    pub program: usize,
    /// The benchmark's name there.
    pub benchmark: String,
    /// The number of benchmarks of the same name before it there.
    pub namesakes_before: usize,
    /// The arrangement: the benchmarks that run before it in its process.
    pub arrangement: Arrangement,
}

/// The programs and benchmarks to run, beside the experiment with the comparisons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    /// The programs.
    pub programs: Vec<SuiteProgram>,
    /// The member of each variant.
    pub members: Vec<Member>,
    /// Set if all benchmarks of the programs are run.
    pub is_whole: bool,
    /// The time that a benchmark is measured in one process, in seconds.
    pub seconds_per_run: f64,
}

/// The reason that the options do not give a suite.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum SuiteError {
    #[error("bad `{option}`")]
    Duration { option: &'static str, source: DurationError },
    #[error("`{0}` is not an assignment; write NAME=VALUE")]
    Assignment(String),
    #[error("unknown harness `{word}`")]
    Harness { word: String, known: Vec<String> },
    #[error("`{0}` has a quotation mark that is not closed")]
    Command(String),
    #[error("`{0}` is not a folder")]
    Folder(PathBuf),
    #[error("`{program}` has no benchmarks")]
    Empty { program: String },
    #[error("`{program}` has no benchmark {what}")]
    NothingSelected { program: String, what: String },
    #[error(
        "`{program}` has {count} benchmarks called `{benchmark}`, and {harness} runs all of \
             them in one process"
    )]
    Duplicate { program: String, harness: String, benchmark: String, count: usize },
    #[error("`--order {order}`: {harness} cannot run its benchmarks in that order")]
    Order { order: &'static str, harness: String },
    #[error("`{old}` and `{new}` have no benchmark in common")]
    NothingInCommon { old: String, new: String },
    #[error("bad `--made-of`")]
    Made(#[from] MadeError),
}

impl SuiteError {
    /// A suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        let fixed = match self {
            Self::Harness { word, known } => {
                let known = known.iter().map(String::as_str);
                return Some(place::suggestion(word, "known:", known).into());
            }
            Self::NothingSelected { .. } => Some("`--list` shows what there is"),
            Self::Duplicate { .. } => {
                Some("give them names of their own, or tell them apart by `--order together`")
            }
            Self::Order { .. } => Some("`--order alone` and `--order together` always work"),
            Self::Made(MadeError::Unknown { .. }) => Some("`--list` shows what there is"),
            Self::NothingInCommon { .. } => {
                Some("`--list` shows what there is; names must agree to the letter")
            }
            _ => None,
        };
        fixed.map(Cow::Borrowed)
    }
}

/// The suite, its experiment, and the comparisons.
///
/// # Errors
///
/// When the options do not fit the programs; nothing was measured.
pub fn suite(
    request: &SuiteRequest,
    mut programs: Vec<SuiteProgram>,
) -> Result<(Suite, Experiment, Contrasts), SuiteError> {
    for program in &programs {
        check(request, program)?;
    }
    if let [old, new] = programs.as_mut_slice()
        && old.name == new.name
    {
        new.name += " (2)";
    }
    let arrangement = request.order.unwrap_or(Arrangement::Alone);
    let judged = members(&request.filter, &programs, arrangement);
    let mut contrasts = contrasts(&judged);
    contrasts.failing = Failing::CostsTheRun;
    if let [old, new] = programs.as_slice()
        && contrasts.compared().next().is_none()
    {
        let (old, new) = (old.name.clone(), new.name.clone());
        return Err(SuiteError::NothingInCommon { old, new });
    }
    let mut members = judged.clone();
    if request.order.is_none() {
        members.extend(company(&judged, &programs));
    }
    let count = |members: &[Member]| u32::try_from(members.len()).expect("at most 2^20");
    if members.len() > judged.len() {
        contrasts.company = Some(Company { from: count(&judged), rounds: ORDER_ROUNDS });
    }
    let several = programs.len() > 1;
    let is_judged = |number: usize| number < judged.len();
    let variants = members
        .iter()
        .enumerate()
        .map(|(number, member)| variant(member, &programs, several, is_judged(number)));
    let mut variants: Vec<Variant> = variants.collect();
    claim(&request.made_of, &judged, &mut variants)?;
    let experiment = Experiment {
        variants,
        commands: u32::try_from(programs.len()).expect("at most two"),
        shell: None,
        timeout: request.timeout,
        allowed: AllowedExits::Zero,
        outlives_failures: true,
        setup_runs: 1,
        claims_equal_work: false,
    };
    let listed: usize = programs.iter().map(|program| program.listed.len()).sum();
    let is_whole = judged.len() == listed;
    let seconds_per_run = request.seconds_per_run;
    Ok((Suite { programs, members, is_whole, seconds_per_run }, experiment, contrasts))
}

/// Records the claims of composition with each judged benchmark.
fn claim(claims: &[String], judged: &[Member], variants: &mut [Variant]) -> Result<(), SuiteError> {
    let names: Vec<String> = judged.iter().map(Member::title).collect();
    for text in claims {
        let made = Made::parse(text, &names)?;
        for (member, variant) in judged.iter().zip(variants.iter_mut()) {
            if member.title() != names[made.whole] {
                continue;
            }
            let claims = variant.labels.benchmark.as_mut().map(|benchmark| &mut benchmark.made_of);
            claims.into_iter().for_each(|claims| claims.push(text.clone()));
        }
    }
    Ok(())
}

/// The number of rounds of the other arrangements: in ten, a carry-over of 5 % is found in nine of
/// ten cases (`docs/design/bench.md`).
const ORDER_ROUNDS: u32 = 10;

/// The judged benchmarks in every other arrangement of their program.
fn company(judged: &[Member], programs: &[SuiteProgram]) -> Vec<Member> {
    let mut company = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let of_program: Vec<&Member> = judged.iter().filter(|one| one.program == number).collect();
        let arrangements = Arrangement::of_design(program.harness, of_program.len());
        for arrangement in arrangements.into_iter().filter(|one| *one != Arrangement::Alone) {
            let arranged = |member: &&Member| Member { arrangement, ..(*member).clone() };
            company.extend(of_program.iter().map(arranged));
        }
    }
    company
}

fn check(request: &SuiteRequest, program: &SuiteProgram) -> Result<(), SuiteError> {
    let name = || program.name.clone();
    if program.listed.is_empty() {
        return Err(SuiteError::Empty { program: name() });
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let filter = &request.filter;
    for benchmark in program.listed.iter().filter(|benchmark| filter.selects(benchmark)) {
        *counts.entry(benchmark).or_insert(0) += 1;
    }
    if counts.is_empty() {
        let what = filter.wanted().expect("without a filter all are selected");
        return Err(SuiteError::NothingSelected { program: name(), what });
    }
    let harness = program.harness;
    if let Some(order) = request.order.filter(|order| !order.is_possible(harness)) {
        return Err(SuiteError::Order { order: order.word(), harness: harness.name.clone() });
    }
    match counts.into_iter().find(|(_, count)| *count > 1) {
        Some((benchmark, count)) if matches!(request.order, None | Some(Arrangement::Alone)) => {
            let benchmark = benchmark.to_owned();
            Err(SuiteError::Duplicate {
                program: name(),
                harness: harness.name.clone(),
                benchmark,
                count,
            })
        }
        _ => Ok(()),
    }
}

/// The benchmarks of the first program in its order, each beside the other program's of the same
/// name; then those of the other program alone.
fn members(filter: &Filter, programs: &[SuiteProgram], arrangement: Arrangement) -> Vec<Member> {
    let mut members = Vec::new();
    let mut by_name: BTreeMap<(String, usize), Vec<usize>> = BTreeMap::new();
    let mut order: Vec<(String, usize)> = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in program.listed.iter().filter(|name| filter.selects(name)) {
            let before = seen.entry(name).or_insert(0);
            let key = (name.clone(), *before);
            *before += 1;
            let having = by_name.entry(key.clone()).or_default();
            if having.is_empty() {
                order.push(key);
            }
            having.push(number);
        }
    }
    for key in order {
        for program in &by_name[&key] {
            let (benchmark, namesakes_before) = key.clone();
            members.push(Member { program: *program, benchmark, namesakes_before, arrangement });
        }
    }
    members
}

/// Benchmarks of both programs are compared; those of only one are measured by themselves.
fn contrasts(members: &[Member]) -> Contrasts {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (variant, member) in (0_u32..).zip(members) {
        let before = variant.checked_sub(1).map(|before| &members[before as usize]);
        let is_its_new = before.is_some_and(|before| {
            before.benchmark == member.benchmark
                && before.namesakes_before == member.namesakes_before
        });
        match pairs.last_mut() {
            Some(last) if is_its_new => *last = (variant - 1, variant),
            _ => pairs.push((variant, variant)),
        }
    }
    Contrasts { pairs, ..Contrasts::default() }
}

impl Member {
    /// The title in reports.
    pub fn title(&self) -> String {
        match self.namesakes_before {
            0 => self.benchmark.clone(),
            before => format!("{} ({})", self.benchmark, before + 1),
        }
    }
}

fn variant(member: &Member, programs: &[SuiteProgram], several: bool, is_judged: bool) -> Variant {
    let program = &programs[member.program];
    let words: Vec<String> =
        program.run.argv.iter().map(|word| words::quote(&word.to_string_lossy())).collect();
    let title = member.title();
    let benchmark = BenchmarkLabel {
        executable: Some(program.name.clone()),
        ..BenchmarkLabel::new(title.as_str(), &program.harness.word, member.arrangement)
    };
    let name = if several { format!("{title} ({})", program.name) } else { title.clone() };
    let arranged = match is_judged {
        true => String::new(),
        false => format!(", {}", member.arrangement.word()),
    };
    Variant {
        name: name + &arranged,
        command: words.join(" "),
        labels: Labels { benchmark: Some(benchmark), ..Labels::default() },
        run: program.run.clone(),
        setup: None,
        prepare: None,
        conclude: None,
        cleanup: None,
        measures: Vec::new(),
        layouts: Layouts::default(),
    }
}

// The benchmarks that share a process, and their order.

/// The arrangement: the benchmarks that run before a benchmark in its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Each benchmark has its own process.
    #[default]
    Alone,
    /// All benchmarks share a process, in the program's own order.
    Together,
    /// All benchmarks share a process, in reverse order.
    Reversed,
    /// All benchmarks share a process, in a new random order each round.
    Shuffled,
    /// Two processes share the benchmarks, by halves drawn anew each round, in the program's own
    /// order.
    Divided,
}

impl Arrangement {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Alone, Self::Together, Self::Reversed, Self::Shuffled, Self::Divided];

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Together => "together",
            Self::Reversed => "reversed",
            Self::Shuffled => "shuffled",
            Self::Divided => "divided",
        }
    }

    /// The arrangement with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// The arrangements in which a suite of this size is run to show whether its benchmarks depend
    /// on each other: each benchmark alone, and all that change its predecessors.
    ///
    /// A harness that runs its benchmarks only in its own order is given half of them at a time, so
    /// that each has different predecessors.
    fn of_design(harness: &Harness, benchmarks: usize) -> Vec<Self> {
        /// Fewer have no halves that differ both from single benchmarks and from all together.
        const LEAST_DIVIDED: usize = 4;
        let mut arrangements = vec![Self::Alone];
        if benchmarks > 1 {
            let orders = [Self::Together, Self::Reversed, Self::Shuffled];
            arrangements.extend(orders.into_iter().filter(|order| order.is_possible(harness)));
        }
        let can_divide = Self::Divided.is_possible(harness);
        if benchmarks >= LEAST_DIVIDED && can_divide && !arrangements.contains(&Self::Shuffled) {
            arrangements.push(Self::Divided);
        }
        arrangements
    }

    /// True if a harness can run its benchmarks in this arrangement.
    fn is_possible(self, harness: &Harness) -> bool {
        match (self, harness.order.arranges) {
            (Self::Alone, _) | (_, Arranges::AsNamed) => true,
            (_, Arranges::Apart) => false,
            (Self::Together | Self::Divided, Arranges::Own) => true,
            (Self::Reversed, Arranges::Own) => !harness.order.reversed.is_empty(),
            (Self::Shuffled, Arranges::Own) => !harness.order.shuffled.is_empty(),
        }
    }
}

// Renamed benchmarks: the names that refer to the same one.

/// The current name of each renamed benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    now: BTreeMap<String, String>,
}

/// Renames that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum RenameError {
    #[error("`{0}` is renamed to itself")]
    Itself(String),
    #[error("the renames lead in a circle: {}", circle(.0))]
    Circle(Vec<String>),
}

fn circle(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" to ")
}

impl Renames {
    /// Renames of old names to new ones, in any order; a new name may be renamed again.
    ///
    /// # Errors
    ///
    /// When a name leads back to itself.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, RenameError> {
        let pairs: BTreeMap<String, String> = pairs.into_iter().collect();
        let mut now = BTreeMap::new();
        for old in pairs.keys() {
            let mut passed = vec![old.clone()];
            let mut name = old;
            while let Some(next) = pairs.get(name) {
                if next == name {
                    return Err(RenameError::Itself(next.clone()));
                }
                let met = passed.iter().position(|one| one == next);
                passed.push(next.clone());
                if let Some(met) = met {
                    return Err(RenameError::Circle(passed.split_off(met)));
                }
                name = next;
            }
            now.insert(old.clone(), name.clone());
        }
        Ok(Self { now })
    }

    /// The current name of a benchmark with this name.
    pub fn now<'a>(&'a self, name: &'a str) -> &'a str {
        self.now.get(name).map_or(name, String::as_str)
    }
}

// The benchmarks to run, and their settings.

/// The harness of programs' benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessOption {
    /// The harness is detected from the program's file.
    Auto,
    /// A given harness.
    Named(&'static Harness),
    /// One that the project's file is to describe under this name.
    OfProject(&'static str),
}

impl HarnessOption {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Auto).chain(harness::all().iter().map(Self::Named))
    }

    /// Its word on the command line and in `brisk.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(harness) => &harness.word,
            Self::OfProject(word) => word,
        }
    }
}

impl HarnessOption {
    /// The option with the harness that the project describes, if it means one of these.
    ///
    /// # Errors
    ///
    /// When it means another one.
    pub fn resolved(self, of_project: &[&'static Harness]) -> Result<Self, SuiteError> {
        let Self::OfProject(word) = self else { return Ok(self) };
        let found = of_project.iter().find(|harness| harness.word == word);
        found.map(|harness| Self::Named(harness)).ok_or_else(|| {
            let own = of_project.iter().map(|harness| harness.word.as_str());
            let known = own.chain(Self::all().map(Self::word)).map(str::to_owned).collect();
            SuiteError::Harness { word: word.to_owned(), known }
        })
    }
}

/// The selection of benchmarks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Parts of their names; if empty, all are selected.
    pub texts: Vec<String>,
    /// Set if these are whole names.
    pub exact: bool,
}

impl Filter {
    /// True if a benchmark of this name is selected.
    pub fn selects(&self, name: &str) -> bool {
        let fits =
            |text: &String| if self.exact { name == text } else { name.contains(text.as_str()) };
        self.texts.is_empty() || self.texts.iter().any(fits)
    }

    /// The selection in words; `None` if everything is selected.
    pub fn wanted(&self) -> Option<String> {
        let quoted: Vec<String> = self.texts.iter().map(|text| format!("`{text}`")).collect();
        let how = if self.exact { "called" } else { "with" };
        (!quoted.is_empty()).then(|| format!("{how} {}", quoted.join(" or ")))
    }
}

/// The settings for running the benchmarks of programs.
#[derive(Debug, Clone)]
pub struct SuiteRequest {
    /// The selection.
    pub filter: Filter,
    /// The arrangement; `None` for all that the harness supports.
    pub order: Option<Arrangement>,
    /// Claims that a benchmark is made of others.
    pub made_of: Vec<String>,
    /// The time limit of a process.
    pub timeout: Option<Duration>,
    /// The time that a benchmark is measured in one process, in seconds.
    pub seconds_per_run: f64,
}

// The program and benchmark of each variant of a suite, read from the variants' labels.
//
// So measured suites and stored ones are treated alike.

/// The program and benchmark of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seat {
    /// The program, by its index in the suite.
    pub program: usize,
    /// The benchmark, by its index in the suite.
    pub benchmark: usize,
}

/// A suite as described by its variants' labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seats {
    /// The programs, each with its harness, by their words; of two, the old one first.
    pub programs: Vec<(String, String)>,
    /// The names of the benchmarks, with a number appended if others have the same name.
    pub benchmarks: Vec<String>,
    /// The seats, by variant.
    pub seats: Vec<Seat>,
    /// The arrangement, by variant.
    pub arrangements: Vec<Arrangement>,
}

impl Seats {
    /// Reads the labels of each variant; `None` if they are not benchmarks of programs.
    pub fn from_labels<'a>(variants: impl IntoIterator<Item = &'a Labels>) -> Option<Self> {
        let mut found = Self::default();
        let mut taken: BTreeSet<(Seat, &str)> = BTreeSet::new();
        for labels in variants {
            let BenchmarkLabel { name, executable, harness, order, .. } =
                labels.benchmark.as_ref()?;
            let program = (executable.clone()?, harness.clone());
            found.arrangements.push(*order);
            let order = order.word();
            let known = found.programs.iter().position(|one| *one == program);
            let program = known.unwrap_or_else(|| {
                found.programs.push(program);
                found.programs.len() - 1
            });
            // A name with a number appended may equal another benchmark's own name.
            let named = (0..).zip(&found.benchmarks).filter(|(_, known)| *known == name);
            let seat = named
                .map(|(benchmark, _)| Seat { program, benchmark })
                .find(|seat| !taken.contains(&(*seat, order)));
            let seat = seat.unwrap_or_else(|| {
                found.benchmarks.push(name.clone());
                Seat { program, benchmark: found.benchmarks.len() - 1 }
            });
            taken.insert((seat, order));
            found.seats.push(seat);
        }
        Some(found)
    }

    /// The variant of a benchmark in an arrangement.
    pub fn variant(&self, seat: Seat, arrangement: Arrangement) -> Option<u32> {
        let mut all = self.seats.iter().zip(&self.arrangements);
        let place = all.position(|(other, order)| (*other, *order) == (seat, arrangement))?;
        u32::try_from(place).ok()
    }
}

#[cfg(test)]
mod tests {
    use measure::{Stdin, Stdout};
    use toolchains::harness;

    use super::*;

    fn known(word: &str) -> &'static Harness {
        harness::find(word).expect("known")
    }

    pub(super) fn program(name: &str, listed: &[&str]) -> SuiteProgram {
        SuiteProgram {
            name: name.to_owned(),
            harness: known("lines"),
            run: Invocation {
                argv: vec![name.into()],
                env: Vec::new(),
                cwd: None,
                stdin: Stdin::Null,
                stdout: Stdout::Null,
            },
            listed: listed.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn request(filter: &[&str], order: Arrangement) -> SuiteRequest {
        let texts = filter.iter().map(|text| (*text).to_owned()).collect();
        SuiteRequest {
            filter: Filter { texts, exact: false },
            order: Some(order),
            made_of: Vec::new(),
            timeout: None,
            seconds_per_run: 0.1,
        }
    }

    #[test]
    fn what_both_have_is_compared_and_what_one_has_is_measured() {
        let programs = vec![program("old", &["a", "b", "c"]), program("new", &["c", "a", "d"])];
        let request = request(&[], Arrangement::Alone);
        let (suite, experiment, contrasts) = suite(&request, programs).expect("a suite");
        let names: Vec<&str> = experiment.variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a (old)", "a (new)", "b (old)", "c (old)", "c (new)", "d (new)"]);
        assert_eq!(contrasts.pairs, [(0, 1), (2, 2), (3, 4), (5, 5)]);
        assert!(suite.is_whole);
    }

    #[test]
    fn namesakes_are_told_apart_by_their_places_but_not_alone() {
        let programs = || vec![program("old", &["a", "b", "a"]), program("new", &["a", "a"])];
        let together = request(&[], Arrangement::Together);
        let (_, experiment, contrasts) = suite(&together, programs()).expect("a suite");
        let names: Vec<&str> = experiment.variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a (old)", "a (new)", "b (old)", "a (2) (old)", "a (2) (new)"]);
        assert_eq!(contrasts.pairs, [(0, 1), (2, 2), (3, 4)]);
        let refused = suite(&request(&[], Arrangement::Alone), programs());
        assert!(matches!(refused, Err(SuiteError::Duplicate { count: 2, .. })));
        let (_, experiment, _) =
            suite(&request(&["b"], Arrangement::Alone), vec![program("one", &["a", "b", "a"])])
                .expect("the namesakes are not run");
        assert_eq!(experiment.variants.len(), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let alone = || request(&[], Arrangement::Alone);
        assert!(matches!(suite(&alone(), vec![program("x", &[])]), Err(SuiteError::Empty { .. })));
        let strangers = vec![program("x", &["a"]), program("y", &["b"])];
        let error = suite(&alone(), strangers).map(drop);
        assert!(matches!(error, Err(SuiteError::NothingInCommon { .. })));
        let unknown = suite(&request(&["z"], Arrangement::Alone), vec![program("x", &["a"])]);
        let message = unknown.map(drop).expect_err("no such benchmark").to_string();
        assert_eq!(message, "`x` has no benchmark with `z`");
        let google = SuiteProgram { harness: known("google-benchmark"), ..program("x", &["a"]) };
        let error = suite(&request(&[], Arrangement::Reversed), vec![google]).map(drop);
        assert!(matches!(error, Err(SuiteError::Order { .. })));
    }

    #[test]
    fn all_that_the_harness_can_is_company_for_each_alone() {
        let designed = |harness, listed: &[&str]| {
            let program = SuiteProgram { harness, ..program("x", listed) };
            let request = SuiteRequest { order: None, ..request(&[], Arrangement::Alone) };
            let (suite, experiment, contrasts) = suite(&request, vec![program]).expect("a suite");
            let words: Vec<&str> = suite.members.iter().map(|one| one.arrangement.word()).collect();
            let names: Vec<String> = experiment.variants.iter().map(|v| v.name.clone()).collect();
            (words.join(" "), names, contrasts)
        };
        let (words, names, contrasts) = designed(known("lines"), &["a", "b"]);
        assert_eq!(words, "alone alone together together reversed reversed shuffled shuffled");
        assert_eq!(names[..3], ["a", "b", "a, together"]);
        assert_eq!(contrasts.pairs, [(0, 0), (1, 1)]);
        assert_eq!(contrasts.company, Some(Company { from: 2, rounds: ORDER_ROUNDS }));
        let (words, ..) = designed(known("criterion"), &["a", "b", "c", "d"]);
        let four = |word: &str| [word; 4].join(" ");
        assert_eq!(words, [four("alone"), four("together"), four("divided")].join(" "));
        let (words, ..) = designed(known("criterion"), &["a", "b"]);
        assert_eq!(words, "alone alone together together", "halves of two are each alone");
        let (words, _, contrasts) = designed(known("lines"), &["a"]);
        assert_eq!((words.as_str(), contrasts.company), ("alone", None));
    }
}

#[cfg(test)]
mod renames_tests {
    use super::*;

    fn renames(pairs: &[(&str, &str)]) -> Result<Renames, RenameError> {
        Renames::new(pairs.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())))
    }

    #[test]
    fn a_benchmark_that_was_renamed_twice_has_its_last_name() {
        let renames = renames(&[("b", "c"), ("a", "b"), ("x", "c")]).expect("sound");
        assert_eq!(
            ["a", "b", "c", "x", "y"].map(|name| renames.now(name)),
            ["c", "c", "c", "c", "y"]
        );
    }

    #[test]
    fn names_that_lead_back_are_refused() {
        let told = |pairs: &[(&str, &str)]| renames(pairs).expect_err("it cannot be").to_string();
        assert_eq!(told(&[("a", "b"), ("b", "b")]), "`b` is renamed to itself");
        let circle = told(&[("a", "b"), ("b", "c"), ("c", "b")]);
        assert_eq!(circle, "the renames lead in a circle: `b` to `c` to `b`");
    }
}

#[cfg(test)]
mod request_tests {
    use super::*;

    #[test]
    fn exact_names_are_no_parts_of_names() {
        let parts = Filter { texts: vec!["fib/1".to_owned()], exact: false };
        assert!(parts.selects("fib/10"));
        let exact = Filter { exact: true, ..parts };
        assert!(exact.selects("fib/1") && !exact.selects("fib/10"));
    }
}

#[cfg(test)]
mod seats_tests {
    use super::*;

    fn seats_of(variants: &[(&str, &str, Arrangement)]) -> Option<Seats> {
        let labels = |&(name, program, order): &(&str, &str, Arrangement)| Labels {
            benchmark: Some(BenchmarkLabel {
                executable: Some(program.to_owned()),
                ..BenchmarkLabel::new(name, "lines", order)
            }),
            ..Labels::default()
        };
        Seats::from_labels(&variants.iter().map(labels).collect::<Vec<Labels>>())
    }

    #[test]
    fn a_benchmark_is_the_same_in_every_program_and_arrangement() {
        let seats = seats_of(&[
            ("a", "old", Arrangement::Alone),
            ("a", "new", Arrangement::Alone),
            ("b", "new", Arrangement::Alone),
            ("a", "old", Arrangement::Together),
            ("b", "new", Arrangement::Shuffled),
        ])
        .expect("a suite");
        let seat = |program, benchmark| Seat { program, benchmark };
        let expected = [seat(0, 0), seat(1, 0), seat(1, 1), seat(0, 0), seat(1, 1)];
        assert_eq!(seats.seats, expected);
        assert_eq!(seats.variant(seat(1, 1), Arrangement::Shuffled), Some(4));
        assert_eq!(seats.variant(seat(1, 0), Arrangement::Shuffled), None);
    }

    #[test]
    fn who_is_called_like_a_namesake_is_somebody_else() {
        let seats = seats_of(&[("a (2)", "x", Arrangement::Together); 2]);
        assert_eq!(seats.expect("a suite").benchmarks, ["a (2)", "a (2)"]);
    }

    #[test]
    fn other_experiments_are_no_suites() {
        assert_eq!(
            Seats::from_labels(&[Labels::from(vec![("order".to_owned(), "alone".to_owned())])]),
            None
        );
    }
}
