//! The programs of commits, built as a history builds them: for a command that runs each of them, or
//! as the executables of `brisk bench` and `brisk explain`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use configuration::suite::TypedProgram;
use configuration::{
    CommandOptions, CommitOptions, ReadingOptions, StoppingOptions, commands, settings,
};
use findings::reach::ChangeReach;
use findings::{Answer, Document};
use judge::reach::Unfollowed;
use measure::Launcher;
use model::failure::{Failing, Failure};
use model::spec::Experiment;
use model::spec::artifacts::{self, BuiltArtifact, KeptCheckout, Layouts};
use model::spec::copies::CopiesError;
use model::spec::invocation::{CommandError, RunSettings};
use model::spec::project::Benchmark;
use model::spec::suite::{SuiteProgram, SuiteRequest};
use prepare::{Artifact, Commit, WORKTREE, newest};
use run::scratch::Scratch;
use run::suite::listing;
use toolchains::project::matches_pattern;

use crate::cause::{self, ChangedPair, ProgramOfCommits};
use crate::history::merge;
use crate::project::{self, BuildConduct, Project, Settled, layouts_of, plain};
use crate::reach::{self, ChangeSite, ProgramSide, Subject, SubjectRuns};
use crate::watcher::Watcher;

/// A command to run with the program of several commits, completed from `brisk.toml`.
pub struct CommandAtCommits {
    /// The command, and how it is run.
    pub commands: CommandOptions,
    run_settings: RunSettings,
    /// The duration of the measurement.
    pub stopping: StoppingOptions,
    /// The metrics to read.
    pub reading: ReadingOptions,
    project: Project,
    settled: Settled,
    commits: Vec<Commit>,
    template: String,
}

/// The programs to compare.
pub enum Programs {
    /// The command with each program.
    Differ(Experiment),
    /// The commits build the same program, byte for byte. These are their names in tables.
    Same(Vec<String>),
}

impl CommandAtCommits {
    /// Checks as much as possible before anything is built.
    pub fn new(
        at: &CommitOptions,
        benchmark: Option<&str>,
        commands: &CommandOptions,
        stopping: &StoppingOptions,
        reading: &ReadingOptions,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let mut commands = commands.clone();
        refuse(&commands)?;
        let mut revisions = at.all()?;
        if revisions.len() == 1 {
            revisions.push(WORKTREE.to_owned());
        }
        let project = Project::open(at.folder(), &at.build)?;
        let chosen = match &project.file {
            Some(file) => settings::chosen(benchmark, !commands.commands.is_empty(), file)?,
            None => None,
        };
        if let (Some(name), None) = (benchmark, chosen) {
            return Err(Failure::new(format!("unknown benchmark `{name}`"))
                .because("there is no `brisk.toml`"));
        }
        if let Some(benchmark) = chosen.filter(|_| commands.commands.is_empty()) {
            commands.commands.push(benchmark.command.clone());
        }
        let benchmarks: Vec<&Benchmark> = chosen.into_iter().collect();
        if let Some(file) = &project.file {
            commands.invocation =
                settings::invocation(&commands.invocation, at.folder(), &file.project, chosen);
        }
        let stopping = settings::stopping(stopping, &benchmarks);
        let reading = settings::reading(reading, &benchmarks);
        let commits = project.commits(&revisions)?;
        let settled = project.settle(&project.build, &commits, watcher)?;
        let of_file = project.file.as_ref().and_then(|file| file.project.cwd.clone());
        let cwd = chosen.and_then(|benchmark| benchmark.cwd.clone()).or(of_file);
        let typed = project::as_typed(&settled.artifact, cwd.as_deref());
        let run_settings = commands.run_settings()?;
        if run_settings.copies.len() > 1 {
            let typed = commands.copies.clone().unwrap_or_default();
            return Err(CommandError::from(CopiesError::Several(typed)).into());
        }
        let template = artifacts::template(&commands.commands, &typed, &run_settings)?;
        let asked =
            Self { commands, run_settings, stopping, reading, project, settled, commits, template };
        asked.check()?;
        Ok(asked)
    }

    /// Checks that the command works with artefacts in place of its placeholders.
    fn check(&self) -> Result<(), Failure> {
        let all: Vec<BuiltArtifact<'_>> = (self.commits.iter())
            .map(|commit| BuiltArtifact::to_be(&commit.hash, named(commit)))
            .collect();
        commands::of_commits(&self.commands, &self.run_settings, &self.template, &all)
            .map(drop)
            .map_err(Failure::from)
    }

    /// Searches for the cause of each change that a document of these programs shows.
    ///
    /// # Errors
    ///
    /// When the user interrupts. The reason that a change cannot be explained is told.
    pub fn explain(
        &self,
        document: &mut Document,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<(), Failure> {
        let recipe = self.settled.recipe(self.project.env())?;
        let commands = [(self.template.as_str(), &self.run_settings)];
        let repository = self.project.repository();
        let recipe = project::run_by(recipe, repository, &self.commits, &commands)?;
        let program = ProgramOfCommits {
            repository,
            recipe: &recipe,
            options: &self.settled.options,
            template: &self.template,
            run_settings: &self.run_settings,
            sources: self.reading.sources(),
        };
        let commit = |variant: u32| {
            let labels = &document.variants.get(variant as usize)?.labels;
            let hash = labels.commit()?;
            self.commits.iter().find(|commit| commit.hash == hash).cloned()
        };
        let pair = |answer: &Answer| {
            let part = document.deciding(answer).filter(|part| part.verdict.is_change())?;
            Some(ChangedPair {
                program: program.clone(),
                variants: [answer.baseline, answer.candidate],
                commits: [commit(answer.baseline)?, commit(answer.candidate)?],
                metric: part.metric.clone(),
                ratio: part.ratio,
            })
        };
        let pairs: Vec<ChangedPair<'_>> = document.answers.iter().filter_map(pair).collect();
        cause::add(document, &pairs, self.stopping.budget_seconds(), launcher, watcher)
    }

    /// Builds the commits.
    pub fn build(
        &self,
        conduct: BuildConduct<'_>,
        watcher: &mut dyn Watcher,
    ) -> Result<Programs, Failure> {
        let commands = [(self.template.as_str(), &self.run_settings)];
        let made =
            self.project.built(&self.settled, self.commits.clone(), &commands, conduct, watcher)?;
        let digest = |(_, artifact): &(Commit, Artifact)| artifact.digest.clone();
        let first = made.first().map(digest);
        if made.iter().all(|one| Some(digest(one)) == first) && !self.template.contains("{commit}")
        {
            return Ok(Programs::Same(made.iter().map(|(commit, _)| named(commit)).collect()));
        }
        let all: Vec<BuiltArtifact<'_>> = (made.iter())
            .map(|(commit, artifact)| project::to_run(&commit.hash, named(commit), artifact))
            .collect::<Result<_, Failure>>()?;
        commands::of_commits(&self.commands, &self.run_settings, &self.template, &all)
            .map(Programs::Differ)
            .map_err(Failure::from)
    }
}

pub(crate) fn named(commit: &Commit) -> String {
    merge::name(&commit.hash, &commit.subject)
}

/// Refuses commands and parameters that cannot be combined with several commits.
fn refuse(commands: &CommandOptions) -> Result<(), Failure> {
    let count = commands.commands.len() + usize::from(commands.reference.is_some());
    if count > 1 {
        return Err(Failure::new(format!("`--at` takes one command, and there are {count}"))
            .because("the commits are what is compared")
            .hint(Some("put the words of one command in quotes")));
    }
    let parameters = commands.parameters.parameters();
    if parameters.is_ok_and(|parameters| !parameters.is_empty()) {
        return Err(Failure::new("`--at` and parameters cannot both be given")
            .because("the commits are what is compared"));
    }
    Ok(())
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// The path of the program.
    pub path: PathBuf,
    /// Its arguments, before those of its harness.
    pub arguments: Vec<OsString>,
    /// Its name in reports, if different from what was typed.
    pub name: Option<String>,
    /// The layouts that take turns in its place.
    pub layouts: Layouts,
    /// The checkout in which it runs, if it depends on other files of it.
    pub checkout: Option<KeptCheckout>,
    /// The digest of the artefact that it is in, if brisk built it.
    pub digest: Option<String>,
}

/// The programs to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Executables {
    /// One or two programs, the old one first.
    Some(Vec<Executable>),
    /// The two commits build the same program, byte for byte, so nothing is measured.
    Same {
        /// The names of the commits in tables.
        names: [String; 2],
    },
}

/// The programs, built if commits are named.
pub fn executables(
    options: &CommitOptions,
    typed: &[TypedProgram],
    conduct: BuildConduct<'_>,
    watcher: &mut dyn Watcher,
) -> Result<Executables, Failure> {
    let as_it_is = |program: &TypedProgram| Executable {
        path: if program.is_command { program.path().to_owned() } else { newest(program.path()) },
        arguments: program.words[1..].to_vec(),
        name: program.is_command.then(|| program.title()),
        layouts: Layouts::default(),
        checkout: None,
        digest: None,
    };
    let revisions = options.revisions()?;
    let program = match (&revisions[..], typed) {
        ([], all) => return Ok(Executables::Some(all.iter().map(as_it_is).collect())),
        (_, [program]) => program,
        _ => {
            return Err(Failure::new("`--at` takes one program, and two are given")
                .hint(Some("leave out the old one: `--at` takes its place")));
        }
    };
    let (built, within) = built_of(options, &revisions, program, conduct, watcher)?;
    if let [(old, one), (new, two)] = built.as_slice()
        && one.digest == two.digest
    {
        return Ok(Executables::Same { names: [named(old), named(new)] });
    }
    let executable = |(commit, artifact): (Commit, Artifact)| {
        let name = named(&commit);
        let all = layouts_of(&name, &artifact)?.to_vec();
        let layouts = Layouts { artifact: artifact.path.clone(), all };
        // An empty path would add a slash.
        let path = match (program.is_command, within.as_os_str().is_empty()) {
            (true, _) => program.path().to_owned(),
            (false, true) => artifact.path,
            (false, false) => artifact.path.join(&within),
        };
        let arguments = program.words[1..].to_vec();
        let digest = Some(artifact.digest.as_str().to_owned());
        Ok(Executable {
            path,
            arguments,
            name: Some(name),
            layouts,
            checkout: artifact.checkout,
            digest,
        })
    };
    let mut all = built.into_iter().map(executable).collect::<Result<Vec<_>, Failure>>()?;
    all.extend((revisions.len() == 1).then(|| as_it_is(program)));
    Ok(Executables::Some(all))
}

/// The benchmarks of two programs of commits that the change between them reaches.
pub fn affected(
    options: &CommitOptions,
    executables: &[Executable],
    programs: &[SuiteProgram],
    request: &SuiteRequest,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<ChangeReach, Failure> {
    let ([old, new], [old_side, new_side]) = (programs, executables) else {
        return Err(Failure::new("`--affected` needs two commits, or a commit and the worktree"));
    };
    let project = Project::open(options.folder(), &options.build)?;
    let mut revisions = options.revisions()?;
    if revisions.len() == 1 {
        revisions.push(WORKTREE.to_owned());
    }
    let commits = project.commits(&revisions)?;
    let [base, head] = commits.as_slice() else {
        return Err(Failure::new("`--affected` needs two commits"));
    };
    let scratch = Scratch::new().failing("cannot make a folder for reports")?;
    let brief = |program: &SuiteProgram, name: &str| {
        let run = listing::brief_command(program, name, scratch.path());
        reach::brief_experiment(run, request.timeout)
    };
    let subject = |name: &String| {
        let count = |program: &SuiteProgram| program.listed.iter().filter(|it| *it == name).count();
        let runs = match (count(old), count(new)) {
            (1, 1) => Ok(SubjectRuns { old: brief(old, name), new: brief(new, name) }),
            (_, 0) => Err(Unfollowed::Run("the new program lacks it".to_owned())),
            (0, _) => Err(Unfollowed::Run("it is new".to_owned())),
            _ => Err(Unfollowed::Run("several benchmarks have this name".to_owned())),
        };
        Subject { name: name.clone(), runs }
    };
    let names: BTreeSet<&String> = old.listed.iter().chain(&new.listed).collect();
    let selected = names.into_iter().filter(|name| request.filter.selects(name));
    let subjects: Vec<Subject> = selected.map(subject).collect();
    let side = |executable: &Executable| ProgramSide {
        path: executable.path.clone(),
        digest: executable.digest.clone(),
        is_in_checkout: executable.checkout.is_some(),
    };
    let programs = Some(reach::Programs { old: side(old_side), new: side(new_side) });
    let (repository, folder) = (&project.repository, scratch.path());
    let site = ChangeSite { repository, base, head, programs, folder };
    reach::of_change(&site, &subjects, launcher, watcher)
}

/// The path of the program in the artefact. Empty if it is the artefact itself.
fn within(artifact: &Path, program: &Path) -> Result<PathBuf, Failure> {
    let (artifact, program) = (plain(artifact), plain(program));
    if matches_pattern(&artifact.to_string_lossy(), &program.to_string_lossy()) {
        return Ok(PathBuf::new());
    }
    let within = program.strip_prefix(artifact).map(Path::to_owned);
    within.map_err(|_| {
        let (program, artifact) = (program.display(), artifact.display());
        Failure::new(format!("the build makes `{artifact}`, and `{program}` is not in it"))
            .hint(Some("say with `--artifact` what the build makes"))
    })
}

/// The artefacts of the commits, in their order, and the program's path in them.
fn built_of(
    options: &CommitOptions,
    revisions: &[String],
    program: &TypedProgram,
    conduct: BuildConduct<'_>,
    watcher: &mut dyn Watcher,
) -> Result<(Vec<(Commit, Artifact)>, PathBuf), Failure> {
    let project = Project::open(options.folder(), &options.build)?;
    let commits = project.commits(revisions)?;
    let mut build = project.build.clone();
    // A command runs scripts, tests or jars in the checkout.
    build.artifact.get_or_insert_with(|| match program.is_command {
        true => PathBuf::from("."),
        false => plain(program.path()).to_owned(),
    });
    let settled = project.settle(&build, &commits, watcher)?;
    let within = match program.is_command {
        true => PathBuf::new(),
        false => within(&settled.artifact, program.path())?,
    };
    Ok((project.built(&settled, commits, &[], conduct, watcher)?, within))
}
