//! The benchmarks inside programs that expectations are about: listed, and turned into an
//! experiment.

use std::collections::HashMap;

use super::programs::{CheckedProgram, one_experiment, run_settings};
use super::question::Question;
use configuration::{CommitSuiteOptions, settings};
use model::design::contrasts::Company;
use model::failure::Failure;
use model::spec::invocation::{RunSettings, ShellChoice};
use model::spec::labels::BenchmarkLabel;
use model::spec::nearest::{listed, nearest};
use model::spec::suite::commits::{CommitSuite, Selected};
use model::spec::suite::{self, Arrangement, Member, Suite};
use model::spec::{Experiment, Variant};
use run::suite::listing;

/// The suites, each asked once for its benchmarks, by [`CheckedProgram::suite_key`].
#[derive(Default)]
pub(super) struct Suites {
    asked: HashMap<String, Asked>,
    templates: HashMap<usize, String>,
}

/// A suite in one state of the project.
struct Asked {
    suite: CommitSuite,
    /// The variant that starts it, with the details of its state.
    variant: Variant,
    timeout: Option<std::time::Duration>,
    program: suite::SuiteProgram,
    selected: Selected,
}

/// The experiment, and the benchmarks included only because processes are shared.
pub(super) struct Planned {
    pub suite: Suite,
    pub experiment: Experiment,
    pub company: Option<Company>,
}

/// The maximum number of names in a hint.
const NAMES_TOLD: usize = 10;

impl Suites {
    /// Asks the suites of these programs.
    pub(super) fn new(
        question: &Question<'_>,
        programs: &[CheckedProgram],
        templates: &HashMap<usize, String>,
    ) -> Result<Self, Failure> {
        let mut this = Self { asked: HashMap::new(), templates: templates.clone() };
        for program in programs.iter().filter(|program| program.inner.is_some()) {
            let key = program.suite_key();
            if !this.asked.contains_key(&key) {
                let asked = this.ask(question, program)?;
                this.asked.insert(key, asked);
            }
        }
        Ok(this)
    }

    fn ask(&self, question: &Question<'_>, program: &CheckedProgram) -> Result<Asked, Failure> {
        let benchmark = &question.file.benchmarks[program.benchmark];
        let typed = settings::suite(&CommitSuiteOptions::default(), Some(benchmark));
        let suite = typed.suite()?;
        let suite = suite.expect("only benchmarks with a harness have others inside");
        let run_settings = run_settings(question, benchmark)?;
        let direct = RunSettings { shell: ShellChoice::Never, ..run_settings };
        let timeout = direct.timeout;
        let mut one = one_experiment(question, program, &self.templates, &direct)?;
        let variant = one.variants.remove(0);
        let mut listed = listing::program(variant.run.clone(), suite.harness, timeout)?;
        listed.name.clone_from(&benchmark.name);
        let selected = suite.select(&listed)?;
        Ok(Asked { suite, variant, timeout, program: listed, selected })
    }

    /// The reason that a program's benchmark cannot be measured. None if it can.
    pub(super) fn lacks(&self, program: &CheckedProgram) -> Option<String> {
        let inner = program.inner.as_ref()?;
        let Asked { selected, program, .. } = self.asked.get(&program.suite_key())?;
        match selected.iter().find(|(title, _)| title == inner) {
            Some((_, member)) => member.as_ref().err().cloned(),
            None => Some(format!("`{}` has no benchmark `{inner}`", program.name)),
        }
    }

    /// A hint with the benchmarks that the program has.
    pub(super) fn hint(&self, program: &CheckedProgram) -> Option<String> {
        let inner = program.inner.as_ref()?;
        let names = || {
            let asked = self.asked.get(&program.suite_key());
            asked.into_iter().flat_map(|asked| &asked.selected).map(|(title, _)| title.as_str())
        };
        let meant = nearest(inner, names()).map(|meant| format!("did you mean `{meant}`? "));
        let more = if names().count() > NAMES_TOLD { " and others" } else { "" };
        let told = listed(names().take(NAMES_TOLD));
        Some(format!("{}it has {told}{more}", meant.unwrap_or_default()))
    }

    /// The benchmarks of these programs as one experiment. None if there are none.
    pub(super) fn plan(&self, programs: &[&CheckedProgram]) -> Result<Option<Planned>, Failure> {
        let mut suites: Vec<(String, &Asked)> = Vec::new();
        let mut members: Vec<Member> = Vec::new();
        let mut variants: Vec<Variant> = Vec::new();
        for program in programs {
            let key = program.suite_key();
            let asked = &self.asked[&key];
            let place = suites.iter().position(|(known, _)| *known == key);
            let number = place.unwrap_or(suites.len());
            if place.is_none() {
                suites.push((key, asked));
            }
            let inner = program.inner.as_deref().unwrap_or_default();
            let member = asked.member(inner, number).expect("what is lacking is not measured");
            variants.push(asked.variant(program.name.clone(), &member));
            members.push(member);
        }
        let Some((_, first)) = suites.first() else { return Ok(None) };
        check_limits(&suites)?;
        let judged = members.len();
        for (number, (_, asked)) in suites.iter().enumerate() {
            if asked.suite.order == Arrangement::Alone {
                continue;
            }
            for (title, _) in &asked.selected {
                let Some(member) = asked.member(title, number) else { continue };
                if !members[..judged].contains(&member) {
                    variants
                        .push(asked.variant(format!("{}:{title}", asked.program.name), &member));
                    members.push(member);
                }
            }
        }
        let listed: usize = suites.iter().map(|(_, asked)| asked.program.listed.len()).sum();
        let seconds = suites.iter().map(|(_, asked)| asked.suite.seconds_per_run);
        let count = |many: usize| u32::try_from(many).expect("fewer than 2^20");
        let company = Company { from: count(judged), rounds: u32::MAX };
        let company = (members.len() > judged).then_some(company);
        let experiment = Experiment {
            commands: count(variants.len()),
            variants,
            shell: None,
            timeout: first.timeout,
            allowed: measure::AllowedExits::Zero,
            outlives_failures: true,
            setup_runs: 1,
            claims_equal_work: false,
        };
        let suite = Suite {
            is_whole: members.len() == listed,
            members,
            seconds_per_run: seconds.fold(0.0, f64::max),
            programs: suites.iter().map(|(_, asked)| asked.program.clone()).collect(),
        };
        Ok(Some(Planned { suite, experiment, company }))
    }
}

/// Refuses suites with different time limits, because a limit applies to the whole experiment.
fn check_limits(suites: &[(String, &Asked)]) -> Result<(), Failure> {
    let (_, first) = &suites[0];
    match suites.iter().find(|(_, other)| other.timeout != first.timeout) {
        None => Ok(()),
        Some((_, other)) => {
            let names = format!("`{}` and `{}`", first.program.name, other.program.name);
            Err(Failure::new(format!("{names} cannot be measured together"))
                .because("they differ in `timeout`")
                .hint(Some("give both the same, here or on the command line")))
        }
    }
}

impl Asked {
    fn member(&self, title: &str, program: usize) -> Option<Member> {
        let (_, member) = self.selected.iter().find(|(known, _)| known == title)?;
        Some(Member { program, ..member.clone().ok()? })
    }

    fn variant(&self, name: String, member: &Member) -> Variant {
        let mut variant = self.variant.clone();
        let harness = self.program.harness.word;
        let benchmark = BenchmarkLabel::new(member.title(), harness, member.arrangement);
        variant.labels.benchmark = Some(benchmark);
        Variant { name, ..variant }
    }
}
