//! A trial: proposals for one program, each of them kept or not; who proposes does not matter.
//!
//! The rules are those of the first state: its brisk.toml, its benchmarks, checks and generators are
//! taken from the commit at which the trial began, so a proposal cannot change its judge. A proposal is
//! put on top of the incumbent, and goes from the cheap questions to the dear ones: may it change these
//! files, does it build, are its bytes new, do the checks pass, what does it write elsewhere, and only
//! then rounds. The level of the rounds is allotted by [`stats::online`], and written down before they
//! begin. `log` has what is remembered, `attending` the runs, `effects` what strace sees of them, `counting`
//! what callgrind does.

mod attending;
mod counting;
mod effects;
mod log;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use configuration::{BuildOptions, InvocationOptions, TryRequest, settings};
use findings::brief::{Brief, Figure, TrialFacts};
use findings::short;
use judge::trial::{Decision, decide};
use measure::{Launcher, Stdin};
use model::commission::Kind;
use model::design::contrasts::Contrasts;
use model::design::stopping::StoppingRule;
use model::expectation::Vocabulary;
use model::failure::{Failing, Failure};
use model::host;
use model::metric::{CPU_TIME, WALL_TIME};
use model::spec::artifacts;
use model::spec::invocation::RunSettings;
use model::spec::project::{Benchmark, FILE_NAME, ProjectFile, TrialRules};
use model::spec::{Experiment, own_metric};
use model::verdict::{Margin, Verdict};
use prepare::ledger::commit_tree;
use prepare::proposal::{changed_paths, merged, nearest, patched};
use prepare::{
    Artifact, BuildError, Builder, Checkout, Commit, Ingredients, Recipe, Repository, ledger,
};
use run::{Ending, RunError};
use toolchains::source_change::{FileRole, file_role};
use words::quantity::ChangeSize;

use crate::commits::named;
use crate::measured::run_failure;
use crate::project::{self, Project, Settled, place_in};
use crate::question::{Asker, Question, Site};
use crate::watcher::{Event, Watcher, nobody};
use attending::{Checker, Generator, Rounds, shell};
use counting::Worth;
use effects::Watched;
use log::{Judged, Kept, Log, Started};

/// The usual time to measure a proposal with a benchmark, in seconds.
const USUAL_BUDGET_SECONDS: f64 = 30.0;

/// The number of times that a proposal is measured again because another one was kept meanwhile.
const MOST_MOVES: usize = 3;

/// The name of the newer side in rounds.
const PROPOSAL: &str = "proposal";

/// The rounds of the last comparison have this level, one-sided: it is the only one of its kind.
const FINISH_LEVEL: f64 = 0.025;

/// A trial that is open, with its rules and the programs that it builds.
struct Trial<'a> {
    request: &'a TryRequest,
    project: Project,
    rules: TrialRules,
    settled: Settled,
    recipe: Recipe,
    builder: Builder,
    /// The first state, as a checkout that nothing is built in.
    referee: Checkout,
    /// The folder of the project in a checkout.
    place: PathBuf,
}

/// The list of tries of a trial.
pub struct TrialLog {
    /// The number of the trial.
    pub number: u32,
    /// The tries, the oldest first.
    pub tries: Vec<JudgedTry>,
}

/// A try that was decided on.
pub struct JudgedTry {
    /// The proposal as it was typed.
    pub typed: String,
    /// The short hash of its commit.
    pub proposal: String,
    /// The answer.
    pub brief: Brief,
}

/// Begins a trial.
pub fn start(
    request: &TryRequest,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Brief, Failure> {
    let repository = Repository::open(request.folder())?;
    let revision = request.proposal.as_deref().unwrap_or("HEAD");
    let first = existing(&repository, revision)?;
    let place = place_in(&repository, request.folder());
    let trial = Trial::open(request, &first, &place, watcher)?;
    let built = trial
        .built(&first, watcher)?
        .map_err(|why| Failure::new(format!("`{revision}` cannot begin a trial")).because(why))?;
    for check in &trial.rules.checks {
        if let Err(why) = trial.passes(&first, check)? {
            return Err(Failure::new(format!("the check `{check}` does not pass at `{revision}`"))
                .because(why)
                .hint(Some("a trial keeps only what passes, so its first state must")));
        }
    }
    for benchmark in trial.benchmarks() {
        trial.rehearse(benchmark, &Pair::twice(&first, &built), launcher)?;
    }
    let toolchain = trial.toolchain()?;
    let place = place.to_string_lossy().into_owned();
    let number = Log::start(&repository, &Started { first: first.hash, place, toolchain })?;
    let log = Log::open(&repository)?;
    let mut brief = Brief::new("try", "started", 0, "the trial has begun");
    brief.next = "change something, and run `brisk try`".to_owned();
    brief.trial = Some(log.facts(&trial.rules));
    brief.reasons = trial.not_checked();
    debug_assert_eq!(number, log.number);
    Ok(brief)
}

/// The state of the trial.
pub fn status(request: &TryRequest) -> Result<Brief, Failure> {
    let repository = Repository::open(request.folder())?;
    let log = Log::open(&repository)?;
    let rules = rules_of(&repository, &log.started.first, Path::new(&log.started.place))?.1;
    let state = if log.finished.is_some() { "finished" } else { "running" };
    let mut brief = Brief::new("try", state, 0, "done");
    brief.next = format!(
        "the incumbent is `{}`; `brisk try --log` lists the tries",
        log::incumbent_name(log.number)
    );
    brief.trial = Some(log.facts(&rules));
    Ok(brief)
}

/// The tries so far.
pub fn tries(request: &TryRequest) -> Result<TrialLog, Failure> {
    let repository = Repository::open(request.folder())?;
    let log = Log::open(&repository)?;
    let one = |judged: &Judged| JudgedTry {
        typed: judged.typed.clone(),
        proposal: short(&judged.proposal).to_owned(),
        brief: judged.brief.clone(),
    };
    Ok(TrialLog { number: log.number, tries: log.judged.iter().map(one).collect() })
}

/// Decides on a proposal.
pub fn judge(
    request: &TryRequest,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Brief, Failure> {
    let repository = Repository::open(request.folder())?;
    let mut log = Log::open(&repository)?;
    if log.finished.is_some() {
        return Err(Failure::new(format!("trial {} is finished", log.number))
            .hint(Some("`brisk try --start` begins the next one")));
    }
    let first = existing(&repository, &log.started.first)?;
    let place = PathBuf::from(&log.started.place);
    let trial = Trial::open(request, &first, &place, watcher)?;
    if trial.toolchain()? != log.started.toolchain {
        return Err(Failure::new(
            "the toolchain or its environment has changed since the trial began",
        )
        .because("a gain could come from there, and not from a proposal")
        .hint(Some("`brisk try --start` begins another trial, at the incumbent if you name it")));
    }
    let typed = request.proposal.as_deref().unwrap_or(prepare::WORKTREE);
    let proposed = Proposed::read(&repository, typed)?;
    for _ in 0..MOST_MOVES {
        let (judged, kept) = trial.round(&mut log, typed, &proposed, launcher, watcher)?;
        if let Kept::Written = kept {
            return Ok(judged);
        }
        watcher
            .on(Event::Note("another proposal was kept meanwhile; this one is compared with it"));
    }
    let mut brief = Brief::of_decision(Decision::Open);
    brief
        .reasons
        .push("other proposals were kept while it was measured, again and again".to_owned());
    brief.trial = Some(log.facts(&trial.rules));
    Ok(brief)
}

/// Compares the last state with the first, and makes a branch of what was kept.
pub fn finish(
    request: &TryRequest,
    launcher: &mut Launcher,
    watcher: &mut dyn Watcher,
) -> Result<Brief, Failure> {
    let repository = Repository::open(request.folder())?;
    let mut log = Log::open(&repository)?;
    let (first, last) = (log.started.first.clone(), log.incumbent().to_owned());
    let first = existing(&repository, &first)?;
    let mut trial = Trial::open(request, &first, Path::new(&log.started.place.clone()), watcher)?;
    let mut brief = if first.hash == last {
        Brief::new("try", "nothing", 0, "nothing was kept")
    } else {
        if let Some(holdback) = trial.rules.holdback.take() {
            trial.rules.generator = Some(holdback);
        }
        trial.confirmed(&first, &existing(&repository, &last)?, launcher, watcher)?
    };
    let branch = format!("refs/heads/brisk/trial-{}", log.number);
    let from = ledger::tip(&repository, &branch)?;
    if from.as_deref() != Some(log.incumbent()) {
        let is_moved = ledger::moved(&repository, &branch, from.as_deref(), log.incumbent())?;
        if !is_moved {
            return Err(Failure::new(format!("`{branch}` was moved by another process"))
                .hint(Some("`brisk try --finish` tries again")));
        }
    }
    let name = branch.trim_start_matches("refs/heads/");
    brief.next = format!("`git log {}..{name}` has what was kept", short(&first.hash));
    brief.reasons.extend(trial.not_checked());
    brief.trial = Some(log.facts(&trial.rules));
    log.finish(&brief)?;
    Ok(brief)
}

/// A proposal as it was read, before it is put on top of an incumbent.
enum Proposed {
    State(Commit),
    Patch(Vec<u8>),
}

impl Proposed {
    fn read(repository: &Repository, typed: &str) -> Result<Self, Failure> {
        if typed == "-" {
            let mut patch = Vec::new();
            std::io::stdin().lock().read_to_end(&mut patch).failing("cannot read the patch")?;
            return Ok(Self::Patch(patch));
        }
        if let Some(commit) = prepare::commit(repository, typed)? {
            return Ok(Self::State(commit));
        }
        if Path::new(typed).is_file() {
            let patch = std::fs::read(typed).failing(format!("cannot read `{typed}`"))?;
            return Ok(Self::Patch(patch));
        }
        Err(Failure::new(format!("`{typed}` is not a revision, and there is no such file"))
            .hint(Some("name a revision, `WORKTREE`, or a file with a patch")))
    }
}

/// Two states with their programs, the old one first.
struct Pair<'a> {
    commits: [&'a Commit; 2],
    artifacts: [&'a Artifact; 2],
}

impl<'a> Pair<'a> {
    /// One state on both sides.
    fn twice(commit: &'a Commit, artifact: &'a Artifact) -> Self {
        Self { commits: [commit; 2], artifacts: [artifact; 2] }
    }
}

/// The result of measuring a pair.
enum Measured {
    /// The newer state is invalid, for this reason.
    Invalid(String),
    /// The figure of each benchmark, and the last experiment.
    Figures(Vec<Figure>, Option<i64>),
}

/// The answer on a proposal before it is written down.
struct Answer {
    decision: Decision,
    reasons: Vec<String>,
    figures: Vec<Figure>,
    experiment: Option<i64>,
    begun: Option<(usize, f64)>,
}

impl Answer {
    fn without_rounds(decision: Decision, reason: impl Into<String>) -> Self {
        Self {
            decision,
            reasons: vec![reason.into()],
            figures: Vec::new(),
            experiment: None,
            begun: None,
        }
    }
}

impl<'a> Trial<'a> {
    fn open(
        request: &'a TryRequest,
        first: &Commit,
        place: &Path,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let repository = Repository::open(request.folder())?;
        let (file, rules) = rules_of(&repository, &first.hash, place)?;
        let options = BuildOptions { clean_builds: true, ..BuildOptions::default() };
        let project = Project::with_file(request.folder(), Some(file), &options)?;
        let settled = project.settle(&project.build, std::slice::from_ref(first), watcher)?;
        let recipe = settled.recipe(project.env())?;
        let builder = project::builder(project.repository(), &recipe, &settled.options, None)?;
        let nothing = Settled::as_said(&BuildOptions::default(), PathBuf::new());
        let bare = project::builder(&repository, &nothing.recipe(&[])?, &nothing.options, None)?;
        let referee =
            bare.check_out(first)?.map_err(|failure| project::unbuilt(first, &failure))?;
        let place = place.to_owned();
        Ok(Self { request, project, rules, settled, recipe, builder, referee, place })
    }

    fn repository(&self) -> &Repository {
        self.project.repository()
    }

    fn file(&self) -> &ProjectFile {
        self.project.file.as_ref().expect("a trial has rules, which are in a file")
    }

    fn benchmarks(&self) -> impl Iterator<Item = &Benchmark> {
        let named = |name: &String| self.file().benchmarks.iter().find(|one| one.name == *name);
        self.rules.benchmarks.iter().filter_map(named)
    }

    /// The digest of everything besides the tree that a build depends on.
    fn toolchain(&self) -> Result<String, Failure> {
        let read = Ingredients::read(&self.recipe).map_err(BuildError::from)?;
        Ok(read.key("").as_str().to_owned())
    }

    /// The limits of what the rules let brisk check.
    fn not_checked(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.rules.generator.is_none() {
            all.push(
                "not checked: an answer for this input alone (`generator` draws others)".to_owned(),
            );
        }
        if self.rules.checks.is_empty() {
            all.push("not checked: tests (`checks` names them)".to_owned());
        }
        all
    }

    /// One decision on a proposal, against the present incumbent.
    fn round(
        &self,
        log: &mut Log<'_>,
        typed: &str,
        proposed: &Proposed,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<(Brief, Kept), Failure> {
        let incumbent = existing(self.repository(), log.incumbent())?;
        let tree = self.on_top(log, proposed, &incumbent)?;
        let answer = match &tree {
            Err(why) => Answer::without_rounds(Decision::Invalid, why.clone()),
            Ok(tree) => {
                if let Some(earlier) = log.earlier(tree) {
                    let mut brief = earlier.brief.clone();
                    brief.reasons.insert(0, "it was tried before, with this answer".to_owned());
                    let proposal = Some(earlier.proposal.clone());
                    brief.trial = Some(TrialFacts { proposal, ..log.facts(&self.rules) });
                    return Ok((brief, Kept::Written));
                }
                self.decided(log, tree, &incumbent, launcher, watcher)?
            }
        };
        let tree = tree.ok();
        let mut brief = Brief::of_decision(answer.decision);
        brief.reasons = answer.reasons;
        brief.figures = answer.figures;
        brief.experiment = answer.experiment;
        let message = message(typed, proposed, &brief);
        let parents = [incumbent.hash.as_str()];
        // What could not be put there has an entry of its own all the same.
        let content = tree.as_ref().unwrap_or(&incumbent.tree);
        let proposal = commit_tree(self.repository(), content, parents, &message)?;
        let mut facts = log.facts(&self.rules);
        facts.tries += 1;
        facts.proposal = Some(proposal.clone());
        facts.level = answer.begun.map(|(_, level)| level);
        if answer.decision == Decision::Keep {
            facts.kept += 1;
            facts.incumbent.clone_from(&proposal);
        }
        brief.trial = Some(facts);
        let kept = log.keep(Judged {
            decision: answer.decision,
            begun: answer.begun.map(|(number, _)| number),
            typed: typed.to_owned(),
            tree,
            proposal,
            incumbent: incumbent.hash,
            brief: brief.clone(),
        })?;
        // Others may have been decided on meanwhile.
        brief.trial = brief.trial.map(|TrialFacts { proposal, level, .. }| TrialFacts {
            proposal,
            level,
            ..log.facts(&self.rules)
        });
        Ok((brief, kept))
    }

    /// The tree of a proposal on top of the incumbent; or the reason that it cannot be put there.
    fn on_top(
        &self,
        log: &Log<'_>,
        proposed: &Proposed,
        incumbent: &Commit,
    ) -> Result<Result<String, String>, Failure> {
        let repository = self.repository();
        let tree = match proposed {
            Proposed::Patch(patch) => match patched(repository, &incumbent.hash, patch)? {
                Ok(tree) => tree,
                Err(said) => return Ok(Err(format!("it does not apply to the incumbent: {said}"))),
            },
            Proposed::State(state) => {
                let kept = log.kept().map(|judged| judged.proposal.clone());
                let states: Vec<String> =
                    std::iter::once(log.started.first.clone()).chain(kept).collect();
                let base = nearest(repository, &states, &state.hash)?;
                // A state that conflicts with what was kept is compared as a whole.
                let whole = || state.tree.clone();
                merged(repository, base, &incumbent.hash, &state.hash)?.unwrap_or_else(whole)
            }
        };
        let patterns: Vec<String> = self
            .rules
            .edit
            .iter()
            .map(|one| self.place.join(one).to_string_lossy().into_owned())
            .collect();
        let (changed, allowed) = changed_paths(repository, &incumbent.hash, &tree, &patterns)?;
        for one in &changed {
            let path = one.path.display();
            if let Some(why) = self.protected(&one.path) {
                return Ok(Err(format!("it changes `{path}`, {why}")));
            }
            if !allowed.contains(&one.path) {
                let rules = self.rules.edit.join("`, `");
                return Ok(Err(format!("it changes `{path}`, and only `{rules}` may be changed")));
            }
            if one.leads_elsewhere {
                return Ok(Err(format!("it makes `{path}` a link or a submodule")));
            }
        }
        Ok(Ok(tree))
    }

    /// The reason that a file must not be changed, whatever the patterns say.
    fn protected(&self, path: &Path) -> Option<&'static str> {
        let within = path.strip_prefix(&self.place).unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if within == Path::new(FILE_NAME) {
            return Some("which has the rules of the trial");
        }
        if path.components().any(|part| part.as_os_str().to_string_lossy().starts_with(".git")) {
            return Some("which git obeys");
        }
        let is_named = self.rules.edit.iter().any(|one| Path::new(one) == within);
        // By name alone: code of others may be faster, too.
        let is_build_file = file_role(&name) == FileRole::Build || within.starts_with(".cargo");
        if is_build_file && !is_named {
            return Some("which decides how it is built");
        }
        let commands = self.benchmarks().map(|benchmark| benchmark.command.as_str());
        let rules = &self.rules;
        let own = [&rules.generator, &rules.holdback, &rules.checker, &rules.input];
        let own = own.into_iter().flatten().chain(&rules.checks).map(String::as_str);
        let words = commands
            .chain(own)
            .flat_map(|text| text.split(|c: char| c.is_whitespace() || "'\"|;&<>()".contains(c)));
        let mut words = words.map(|word| Path::new(word.strip_prefix("./").unwrap_or(word)));
        let is_used = words.any(|word| word == within);
        (is_used && !is_named).then_some("which a command of the trial names")
    }

    /// The answer on a proposal that may be built.
    fn decided(
        &self,
        log: &mut Log<'_>,
        tree: &str,
        incumbent: &Commit,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Answer, Failure> {
        use Decision::{Discard, Invalid};
        if *tree == incumbent.tree {
            return Ok(Answer::without_rounds(Discard, "it changes nothing"));
        }
        let parents = [incumbent.hash.as_str()];
        let proposal = commit_tree(self.repository(), tree, parents, "a proposal")?;
        let proposal = existing(self.repository(), &proposal)?;
        let old = self.built(incumbent, watcher)?;
        let old =
            old.map_err(|why| Failure::new("the incumbent does not build any more").because(why))?;
        let new = match self.built(&proposal, watcher)? {
            Ok(new) => new,
            Err(why) => return Ok(Answer::without_rounds(Invalid, why)),
        };
        if old.digest == new.digest {
            return Ok(Answer::without_rounds(
                Discard,
                "it builds the same program, byte for byte",
            ));
        }
        for check in &self.rules.checks {
            let Err(why) = self.passes(&proposal, check)? else { continue };
            // A test that fails by chance is the trial's fault, and says nothing about a proposal.
            for _ in 0..2 {
                if let Err(why) = self.passes(incumbent, check)? {
                    return Err(Failure::new(format!("the check `{check}` fails for the incumbent, too"))
                        .because(why)
                        .hint(Some("a check must pass whenever nothing is wrong; repair it, and begin another trial")));
                }
            }
            return Ok(Answer::without_rounds(Invalid, format!("the check `{check}` {why}")));
        }
        let pair = Pair { commits: [incumbent, &proposal], artifacts: [&old, &new] };
        let mut reasons = match self.foreseen(&pair, launcher)? {
            Ok(answer) => return Ok(answer),
            Err(not_checked) => not_checked,
        };
        let (number, level) = log.begin(&self.rules)?;
        let begun = Some((number, level));
        let measured = self.rounds(&pair, level, launcher, watcher)?;
        reasons.extend(self.not_checked());
        Ok(match measured {
            Measured::Invalid(why) => Answer { begun, ..Answer::without_rounds(Invalid, why) },
            Measured::Figures(figures, experiment) => {
                let verdicts: Vec<Verdict> = figures.iter().map(|one| one.verdict).collect();
                Answer { decision: decide(&verdicts), reasons, figures, experiment, begun }
            }
        })
    }

    /// The program of a commit, built from clean; or the reason that there is none.
    fn built(
        &self,
        commit: &Commit,
        watcher: &mut dyn Watcher,
    ) -> Result<Result<Artifact, String>, Failure> {
        let mut builder =
            project::builder(self.repository(), &self.recipe, &self.settled.options, None)?;
        let commits = std::slice::from_ref(commit);
        let no_wait = self.request.measuring.hold.no_wait;
        let built =
            project::outcomes(&mut builder, commits, &self.settled.options, no_wait, watcher)?;
        let built = built.into_iter().next().expect("one was built");
        Ok(built.outcome.map_err(|failure| {
            let last = failure.log_tail.trim().lines().next_back().unwrap_or_default();
            format!("it does not build: {} ({last})", failure.reason)
        }))
    }

    /// Runs a check in a checkout of this commit that was built; or the reason that it does not pass.
    fn passes(&self, commit: &Commit, check: &str) -> Result<Result<(), String>, Failure> {
        let checkout = match self.builder.check_out(commit)? {
            Ok(checkout) => checkout,
            Err(failure) => return Ok(Err(format!("cannot be run: {}", failure.reason))),
        };
        let folder = checkout.path().join(&self.place);
        let (passes, said) = shell(check, &folder).map_err(Failure::new)?;
        Ok(if passes { Ok(()) } else { Err(said) })
    }

    /// The experiment of a benchmark with both sides, and the attendant of its runs.
    fn prepared(
        &self,
        benchmark: &Benchmark,
        pair: &Pair<'_>,
    ) -> Result<(Experiment, Rounds), Failure> {
        let folder = self.referee.path().join(&self.place);
        let rules = &self.rules;
        let input = rules.input.as_ref().map(|input| folder.join(input));
        let generator = rules.generator.clone();
        let generator = generator.map(|command| Generator { command, folder: folder.clone() });
        let checker = rules.checker.clone();
        let checker = checker.map(|command| Checker { command, folder: folder.clone() });
        let rounds = Rounds::new(input.as_deref(), generator, checker, host::fresh_seed())?;
        let typed = InvocationOptions { setup_runs: 1, ..InvocationOptions::default() };
        // Files are those of the first state; a program that needs a whole checkout runs in its own,
        // of which a proposal may change as much as the rules allow.
        let artifact = &self.settled.artifact;
        let is_kept = pair.artifacts.iter().any(|artifact| artifact.checkout.is_some());
        let from = if is_kept { self.request.folder() } else { &folder };
        let invocation = settings::invocation(&typed, from, &self.file().project, Some(benchmark));
        let mut run_settings =
            RunSettings { output: vec!["pipe".to_owned()], ..invocation.run_settings()? };
        let typed = project::as_typed(artifact, invocation.cwd.as_deref());
        let mut command = benchmark.command.clone();
        if let (Some(name), Some(drawn)) = (&rules.input, rounds.input()) {
            let drawn_text = drawn.to_string_lossy();
            let word = |word: &str| match word.strip_prefix("./").unwrap_or(word) == name {
                true => drawn_text.clone().into_owned(),
                false => word.to_owned(),
            };
            command = command.split(' ').map(word).collect::<Vec<_>>().join(" ");
            if benchmark.input.as_ref() == Some(name) {
                run_settings.stdin = Stdin::File(drawn);
            }
        }
        let template = artifacts::template(&[command], &typed, &run_settings)?;
        let all = [0, 1].map(|side| {
            project::to_run(
                &pair.commits[side].hash,
                named(pair.commits[side]),
                pair.artifacts[side],
            )
        });
        let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut experiment = artifacts::experiment(&run_settings, &template, &all)?;
        for (variant, name) in experiment.variants.iter_mut().zip(["incumbent", PROPOSAL]) {
            name.clone_into(&mut variant.name);
        }
        Ok((experiment, rounds))
    }

    /// Runs a state against itself once, to find what a trial cannot compare.
    fn rehearse(
        &self,
        benchmark: &Benchmark,
        pair: &Pair<'_>,
        launcher: &mut Launcher,
    ) -> Result<(), Failure> {
        let (experiment, rounds) = self.prepared(benchmark, pair)?;
        let name = &benchmark.name;
        if let Some(why) = run_once(&experiment, &rounds, launcher)? {
            return Err(Failure::new(format!("`{name}` cannot be compared with itself"))
                .because(why)
                .hint(Some("output that differs from run to run needs a `checker` in `[trial]`")));
        }
        if rounds.printed_nothing() {
            return Err(Failure::new(format!("`{name}` prints nothing"))
                .because(
                    "a trial compares what is printed in the timed runs, to see that work was done",
                )
                .hint(Some("let it print its result, or a checksum of it")));
        }
        Ok(())
    }

    /// The answer that a run or two of each side give before any rounds; or the checks that were left out.
    fn foreseen(
        &self,
        pair: &Pair<'_>,
        launcher: &mut Launcher,
    ) -> Result<Result<Answer, Vec<String>>, Failure> {
        let (mut not_checked, mut refuted) = (Vec::new(), 0);
        for benchmark in self.benchmarks() {
            let (experiment, rounds) = self.prepared(benchmark, pair)?;
            let invalid = |why: String| {
                let why = format!("{}: {why}", benchmark.name);
                Ok(Ok(Answer::without_rounds(Decision::Invalid, why)))
            };
            if let Some(why) = run_once(&experiment, &rounds, launcher)? {
                // A proposal that fails and runs first is compared with nothing.
                if rounds.evidence().is_none() {
                    let incumbent = Pair::twice(pair.commits[0], pair.artifacts[0]);
                    self.rehearse(benchmark, &incumbent, launcher)?;
                }
                return invalid(why);
            }
            match effects::watch(&experiment, &rounds)? {
                Watched::Clean => {}
                Watched::NotChecked(why) => not_checked.push(format!("not checked: {why}")),
                Watched::Evidence(why) => return invalid(why),
            }
            let worth =
                Worth { margin: self.margin(benchmark), seconds: self.budget_seconds(benchmark) };
            let is_time = [WALL_TIME, CPU_TIME].contains(&self.rules.minimize);
            if is_time && counting::is_refuted(&experiment, &rounds, worth, launcher)? {
                refuted += 1;
            }
        }
        if refuted == self.rules.benchmarks.len() {
            let why = "it executes all that the incumbent does and more, and a run took no less processor time";
            return Ok(Ok(Answer::without_rounds(Decision::Discard, why)));
        }
        Ok(Err(not_checked))
    }

    fn margin(&self, benchmark: &Benchmark) -> Margin {
        self.rules.margin.or(benchmark.margin).unwrap_or(Margin::ONE_PERCENT)
    }

    /// The longest time to measure a benchmark of a proposal, in seconds.
    fn budget_seconds(&self, benchmark: &Benchmark) -> f64 {
        let budget = self.rules.budget.or(benchmark.budget);
        budget.map_or(USUAL_BUDGET_SECONDS, |budget| budget.as_secs_f64())
    }

    /// Measures a pair with all benchmarks, at this level for all of them together.
    fn rounds(
        &self,
        pair: &Pair<'_>,
        level: f64,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Measured, Failure> {
        let place = self.request.measuring.store.place()?;
        let level = level / self.rules.benchmarks.len() as f64;
        let (mut figures, mut last) = (Vec::new(), None);
        for benchmark in self.benchmarks() {
            let (experiment, rounds) = self.prepared(benchmark, pair)?;
            let metrics = Some(vec![self.rules.minimize.clone()]);
            let contrasts = Contrasts::of_commands(2, 2);
            let rule = self.rule(benchmark, level, &contrasts)?;
            let title = format!("try {} of {}", short(&pair.commits[1].hash), benchmark.name);
            let question = Question {
                title,
                metrics: metrics.clone(),
                attendant: Some(&rounds),
                project: Some(self.request.folder().to_string_lossy().into_owned()),
                asker: Asker::new(Vec::new()),
                ..Question::new(Kind::Compare, &experiment, contrasts, &rule)
            };
            let site = Site::Here { no_wait: self.request.measuring.hold.no_wait };
            let measured = question.measure(&place, &site, launcher, None, watcher)?;
            let evidence = rounds.evidence().or_else(|| failure_of_proposal(&measured.ending));
            let (_, id, document) = match (measured.completed(&place, false, watcher), evidence) {
                (_, Some(why)) => {
                    return Ok(Measured::Invalid(format!("{}: {why}", benchmark.name)));
                }
                (Err(failure), None) => return Err(failure),
                (Ok(completed), None) => completed,
            };
            last = Some(id.0);
            let pair = document.comparisons.iter().find(|one| one.metric == self.rules.minimize);
            let pair =
                pair.ok_or_else(|| {
                    let metric = self.rules.minimize.name();
                    let why = document.missing.iter().find(|one| one.metric == self.rules.minimize);
                    Failure::new(format!("`{metric}` of `{}` could not be read", benchmark.name))
                        .because(why.map_or_else(
                            || "no run has it".to_owned(),
                            |one| one.reason.to_string(),
                        ))
                })?;
            figures.push(Figure::from_pair(benchmark.name.clone(), pair));
        }
        Ok(Measured::Figures(figures, last))
    }

    /// The answer on the last state against the first, in fresh rounds.
    fn confirmed(
        &self,
        first: &Commit,
        last: &Commit,
        launcher: &mut Launcher,
        watcher: &mut dyn Watcher,
    ) -> Result<Brief, Failure> {
        let mut sides = Vec::new();
        for commit in [first, last] {
            let built = self.built(commit, watcher)?;
            let failed =
                |why: String| Failure::new("a state of the trial cannot be built").because(why);
            sides.push(built.map_err(failed)?);
        }
        let pair = Pair { commits: [first, last], artifacts: [&sides[0], &sides[1]] };
        let measured = self.rounds(&pair, FINISH_LEVEL, launcher, watcher)?;
        Ok(match measured {
            Measured::Invalid(why) => {
                let meaning = "the last state does not do what the first does";
                Brief { reasons: vec![why], ..Brief::new("try", "invalid", 4, meaning) }
            }
            Measured::Figures(figures, experiment) => {
                let verdicts: Vec<Verdict> = figures.iter().map(|one| one.verdict).collect();
                let (exit, answer, meaning) = match decide(&verdicts) {
                    Decision::Keep => (0, "improved", "the trial gained, and nothing is slower"),
                    Decision::Discard => {
                        (1, "discard", "the last state is not better than the first")
                    }
                    Decision::Open | Decision::Invalid => (3, "open", "the gain was not confirmed"),
                };
                Brief { figures, experiment, ..Brief::new("try", answer, exit, meaning) }
            }
        })
    }

    /// The rule of a benchmark's rounds: they end as soon as a gain, a loss or the lack of both shows.
    fn rule(
        &self,
        benchmark: &Benchmark,
        level: f64,
        contrasts: &Contrasts,
    ) -> Result<StoppingRule, Failure> {
        let usual = StoppingRule::usual(2);
        let rule = StoppingRule {
            warmup: benchmark.warmup.unwrap_or(0),
            budget_seconds: Some(self.budget_seconds(benchmark)),
            margin: self.margin(benchmark),
            // A gain is a gain, however large it is.
            precision: 1.0,
            resolution: 1.0,
            // The interval has two sides, and a proposal is kept on one of them.
            confidence: 1.0 - 2.0 * level,
            own_metrics: own_metric::parse_all(&benchmark.measure)
                .map(|all| all.into_iter().map(|one| one.metric).collect())
                .map_err(|error| Failure::from_error(&error))?,
            ..usual
        };
        let members = contrasts.members(Some(std::slice::from_ref(&self.rules.minimize)), &rule);
        Ok(rule.with_enough_rounds(&members))
    }
}

/// Runs each side once in turn, and returns the reason that the second is invalid.
fn run_once(
    experiment: &Experiment,
    rounds: &Rounds,
    launcher: &mut Launcher,
) -> Result<Option<String>, Failure> {
    let rule = StoppingRule {
        min_rounds: 1,
        max_rounds: 1,
        budget_seconds: None,
        ..StoppingRule::usual(2)
    };
    let scratch = tempfile::tempdir().failing("cannot write to the folder for temporary files")?;
    let place = store::Place::File(scratch.path().join("once.db"));
    let contrasts = Contrasts::of_commands(2, 2);
    let question = Question {
        attendant: Some(rounds),
        ..Question::new(Kind::Compare, experiment, contrasts, &rule)
    };
    let measured = question.measure(&place, &Site::BesideOthers, launcher, None, &mut nobody)?;
    let evidence = rounds.evidence().or_else(|| failure_of_proposal(&measured.ending));
    match (measured.ending, evidence) {
        (_, Some(why)) => Ok(Some(why)),
        (Ok(Ending::Complete), None) => Ok(None),
        (Ok(Ending::Aborted), None) => Err(Failure::new("interrupted")),
        (Err(error), None) => Err(run_failure(&error, None)),
    }
}

/// The failure of a run of the proposal, if that ended the rounds.
fn failure_of_proposal(ending: &Result<Ending, RunError>) -> Option<String> {
    match ending {
        Err(RunError::Failed { name, outcome, .. }) if name == PROPOSAL => {
            Some(format!("it {outcome}"))
        }
        _ => None,
    }
}

/// The message of a proposal's commit.
fn message(typed: &str, proposed: &Proposed, brief: &Brief) -> String {
    let subject = match proposed {
        Proposed::State(commit) if !commit.is_uncommitted() => commit.subject.clone(),
        _ => format!("try {}", typed.replace(['\n', '\r'], " ")),
    };
    let sentence = |figure: &Figure| {
        let size = ChangeSize::of_ratio(figure.ratio, figure.low, figure.high);
        let ends = size.interval().map(|ends| format!(" {ends}")).unwrap_or_default();
        let (metric, name) = (words::label(&figure.metric), &figure.name);
        format!("**Improvement**: {metric} of `{name}`: {}{ends}.\n", size.words())
    };
    let improved = brief.figures.iter().filter(|figure| figure.verdict == Verdict::Improved);
    let sentences: String = improved.map(sentence).collect();
    format!("{subject}\n\n{sentences}")
}

/// The file and the rules of a state.
fn rules_of(
    repository: &Repository,
    commit: &str,
    place: &Path,
) -> Result<(ProjectFile, TrialRules), Failure> {
    let path = place.join(FILE_NAME);
    let object = format!("{commit}:{}", path.display());
    let text = match repository.try_ask(["cat-file", "blob", &object])? {
        Ok(text) => String::from_utf8(text).failing("`brisk.toml` is not text in UTF-8")?,
        Err(_) => {
            return Err(Failure::new(format!("{} has no `{}`", short(commit), path.display()))
                .hint(Some(
                    "commit a brisk.toml with `[trial]`; `brisk init` writes a first one",
                )));
        }
    };
    let mut file = ProjectFile::parse(&text, &Vocabulary::of_registry())?;
    let rules = file.trial.take().ok_or_else(|| {
        Failure::new(format!("`{FILE_NAME}` of {} has no `[trial]`", short(commit)))
            .hint(Some("write and commit one: `[trial]` with `edit = [\"src/**\"]` is the least"))
    })?;
    Ok((file, rules))
}

fn existing(repository: &Repository, revision: &str) -> Result<Commit, Failure> {
    prepare::commit(repository, revision)?
        .ok_or_else(|| Failure::new(format!("unknown revision `{revision}`")))
}
