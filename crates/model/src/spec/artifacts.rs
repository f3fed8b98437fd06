//! A command that is run with the artefact of each commit, which may be linked in several layouts,
//! or be a checkout kept as a whole.
//!
//! `{artifact}` in the command stands for the path of the artefact, `{commit}` for the commit's
//! hash. A command with the artefact's path in the project, as one would type it there, is
//! understood, too.

use super::invocation::{CommandError, RunSettings};
use super::labels::{ArtifactId, ArtifactLabel, Labels, Work};
use super::own_metric::By;
use super::parameters::{Point, placeholders};
use super::{Experiment, Invocation, Variant, invocation, words};
use measure::{CommandLine, Stdin};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// The placeholder of the artefact's path.
const ARTIFACT: &str = "artifact";
/// The placeholder of the commit's hash.
const COMMIT: &str = "commit";
/// The placeholder of the amount of work.
pub const WORK: &str = "work";

/// The artefact of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltArtifact<'a> {
    /// The commit's full hash.
    pub commit: &'a str,
    /// Its name in tables.
    pub name: String,
    /// The path of the artefact.
    pub path: &'a Path,
    /// The identity of the artefact.
    pub id: ArtifactId,
    /// The amount of work to do, if the command contains `{work}`.
    pub work: Option<Work>,
    /// The layouts that take turns in its place; empty if it runs as built.
    pub layouts: &'a [Layout],
    /// The checkout in which it runs, if it is only a part of the program.
    pub checkout: Option<&'a KeptCheckout>,
}

impl<'a> BuiltArtifact<'a> {
    /// A placeholder for a commit before it is built.
    pub fn to_be(commit: &'a str, name: String) -> Self {
        let path = Path::new("/dev/null");
        let id = ArtifactId::default();
        Self { commit, name, path, id, work: None, layouts: &[], checkout: None }
    }
}

/// True if an artefact's path is that of the checkout itself.
pub fn is_checkout(artifact: &Path) -> bool {
    let mut parts = artifact.components().peekable();
    parts.peek().is_some() && parts.all(|part| part == Component::CurDir)
}

/// The command, with `{artifact}` in place of the artefact.
///
/// `words` is the part after `--`: a single one is a command line, several are the words of one. If
/// empty, the artefact itself is run. Other braces belong to the command, as in `awk '{print}'`.
///
/// # Errors
///
/// When the command does not contain the artefact.
pub fn template(
    words: &[String],
    artifact: &Path,
    run_settings: &RunSettings,
) -> Result<String, CommandError> {
    let command = match words {
        [] if is_checkout(artifact) => return Err(CommandError::NoCommand),
        [] => format!("{{{ARTIFACT}}}"),
        [line] => line.clone(),
        several => several.iter().map(|word| words::quote(word)).collect::<Vec<_>>().join(" "),
    };
    let texts: Vec<&str> = std::iter::once(command.as_str()).chain(run_settings.texts()).collect();
    if texts.iter().any(|text| placeholders(text).any(|name| name == ARTIFACT)) {
        return Ok(command);
    }
    // The command runs in the checkout that was built.
    if is_checkout(artifact) {
        return Ok(command);
    }
    in_project(&command, artifact).ok_or(CommandError::NoArtifact { command })
}

/// The command with the artefact's path replaced by the placeholder; `None` if it does not occur.
fn in_project(command: &str, artifact: &Path) -> Option<String> {
    let plain = artifact.to_str()?;
    let plain = plain.strip_prefix("./").unwrap_or(plain);
    let mut found = false;
    let replaced: Vec<String> = command
        .split(' ')
        .map(|word| {
            if word.strip_prefix("./").unwrap_or(word) == plain {
                found = true;
                format!("{{{ARTIFACT}}}")
            } else {
                word.to_owned()
            }
        })
        .collect();
    found.then(|| replaced.join(" "))
}

/// True if the artefact itself is the program that the command starts.
pub fn starts_artifact(template: &str) -> bool {
    template.split_whitespace().next() == Some("{artifact}")
}

/// The command with each artefact, as variants of one experiment.
///
/// # Errors
///
/// When the command or an option cannot be used.
pub fn experiment(
    run_settings: &RunSettings,
    template: &str,
    artifacts: &[BuiltArtifact<'_>],
) -> Result<Experiment, CommandError> {
    let points: Vec<Point> = artifacts.iter().map(point).collect();
    let mut experiment = invocation::experiment(run_settings, &[template], &points)?;
    for (variant, built) in experiment.variants.iter_mut().zip(artifacts) {
        name(variant, built, template);
    }
    Ok(experiment)
}

fn point(built: &BuiltArtifact<'_>) -> Point {
    let path = words::quote(&built.path.to_string_lossy());
    let work = built.work.map(|work| (WORK.to_owned(), work.done.to_string()));
    let point = [(ARTIFACT.to_owned(), path), (COMMIT.to_owned(), built.commit.to_owned())];
    point.into_iter().chain(work).collect()
}

/// Names the variant. The path of the artefact is specific to this machine; the command is kept as
/// the user gave it, together with the artefact's label.
fn name(variant: &mut Variant, built: &BuiltArtifact<'_>, template: &str) {
    variant.name.clone_from(&built.name);
    template.clone_into(&mut variant.command);
    let copies = variant.labels.copies;
    variant.labels = Labels { artifact: Some(label(built)), copies, ..Labels::default() };
    variant.runs_in(layouts_of(built));
    if let Some(checkout) = built.checkout {
        checkout.take_in(variant);
    }
}

/// The label: commit and artefact.
pub(super) fn label(built: &BuiltArtifact<'_>) -> ArtifactLabel {
    ArtifactLabel { commit: built.commit.to_owned(), id: built.id.clone(), work: built.work }
}

/// The layouts that run in its place.
pub(super) fn layouts_of(built: &BuiltArtifact<'_>) -> Layouts {
    Layouts { artifact: built.path.to_owned(), all: built.layouts.to_vec() }
}

// Paths in a command, as seen from a folder of the user's checkout, are found in the same folder of
// a kept one: scripts, the modules that they load, data, input. Files that a commit does not have,
// such as a virtual environment, are the user's.

/// A commit's checkout and its counterpart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCheckout {
    /// Its root.
    root: PathBuf,
    /// The root of the user's checkout, without links.
    of: PathBuf,
    /// The folder in it for commands that were typed outside the user's checkout; `None` if they
    /// run where they were typed.
    place: Option<PathBuf>,
}

impl KeptCheckout {
    /// The checkout at `root`, the counterpart of the user's at `of`; commands that were typed
    /// elsewhere run in the folder `place`, if any.
    pub fn new(root: &Path, of: &Path, place: Option<&Path>) -> Self {
        let of = of.canonicalize().unwrap_or_else(|_| of.to_owned());
        Self { root: root.to_owned(), of, place: place.map(Path::to_owned) }
    }

    /// Moves all commands of a variant to this checkout.
    pub(super) fn take_in(&self, variant: &mut Variant) {
        let setup = variant.setup.iter_mut().map(|setup| &mut setup.run);
        let hooks = [&mut variant.prepare, &mut variant.conclude, &mut variant.cleanup];
        let measures = variant.measures.iter_mut().filter_map(|measure| match &mut measure.by {
            By::Command(run) => Some(run),
            By::Pattern(_) | By::Json(_) => None,
        });
        let all = [&mut variant.run].into_iter().chain(setup);
        all.chain(hooks.into_iter().flatten()).chain(measures).for_each(|run| self.move_here(run));
    }

    /// Moves an invocation to this checkout.
    pub fn move_here(&self, run: &mut Invocation) {
        let before = run.cwd.take();
        let seen_from = before.as_deref().unwrap_or(Path::new("."));
        // A folder that the commit does not have is reported when the command runs.
        let cwd = match (self.place_of(seen_from), &before, &self.place) {
            (Some(here), _, _) => Some(here),
            // The user chose another folder.
            (None, Some(elsewhere), _) => Some(elsewhere.clone()),
            (None, None, place) => place.as_ref().map(|place| self.root.join(place)),
        };
        if let Stdin::File(path) = &mut run.stdin
            && let Some(here) = self.counterpart(path)
        {
            *path = here;
        }
        for word in run.argv.iter_mut().filter(|word| Path::new(word).is_absolute()) {
            if let Some(here) = self.counterpart(Path::new(word)) {
                *word = here.into();
            }
        }
        if let Some(program) = run.argv.first_mut() {
            stay_found(program, cwd.as_deref().unwrap_or(Path::new(".")), seen_from);
        }
        run.cwd = cwd;
    }

    /// The counterpart here of a path in the user's checkout; `None` if it does not exist.
    fn counterpart(&self, path: &Path) -> Option<PathBuf> {
        self.place_of(path).filter(|here| here.exists())
    }

    /// The place here of a path in the user's checkout; `None` for a path elsewhere.
    fn place_of(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        let within = real.strip_prefix(&self.of).ok()?;
        // An empty path would add a slash.
        let is_root = within.as_os_str().is_empty();
        Some(if is_root { self.root.clone() } else { self.root.join(within) })
    }
}

/// Replaces a program that only the user's checkout has, such as `.venv/bin/python`, by its
/// absolute path there. Links are kept: an interpreter finds its modules by them.
fn stay_found(program: &mut OsString, cwd: &Path, seen_from: &Path) {
    let path = Path::new(program);
    let is_seen_from_cwd = path.is_relative() && path.components().count() > 1;
    if !is_seen_from_cwd || cwd.join(path).exists() {
        return;
    }
    let there = seen_from.join(path);
    if there.exists()
        && let Ok(there) = std::path::absolute(there)
    {
        *program = there.into();
    }
}

// An artefact that was linked several times, with its parts in different places each time.
//
// The layout of a run follows from its round: the layouts take turns, in the order in which they
// were drawn, so all run equally often, and changes of the machine affect all of them. The two
// sides of a comparison have separate layouts.

/// The smallest useful number of layouts: that number of pairs gives no p-value below 2⁻⁷.
pub const FEWEST_LAYOUTS: u32 = 8;

/// The maximum: each is a file as large as the program.
pub const MOST_LAYOUTS: u32 = 1000;

/// The minimum number linked by default.
const USUAL_LAYOUTS: u32 = 12;

/// The default number of layouts, if `enough_pairs` pairs suffice to find a clear change. In steps
/// of four, so that the links can be reused when one more comparison shares the error.
pub fn usual_layouts(enough_pairs: u32) -> u32 {
    enough_pairs.clamp(USUAL_LAYOUTS, MOST_LAYOUTS).next_multiple_of(4)
}

/// The versions of lld that are installed under versioned names, the newest first; 13 is the first
/// that shuffles the sections with a certain name.
const LLD_VERSIONS: std::ops::RangeInclusive<u32> = 13..=30;

/// The names of linkers that can shuffle, the preferred one first.
pub fn shuffling_linkers() -> impl Iterator<Item = String> {
    let versions = LLD_VERSIONS.rev().map(|version| format!("ld.lld-{version}"));
    let first = std::iter::once("ld.lld".to_owned()).chain(versions);
    first.chain(["mold", "ld.mold"].map(str::to_owned))
}

/// The linker that can shuffle, if `path` has one: of several, the preferred one.
pub fn shuffling_linker(path: &OsStr) -> Option<PathBuf> {
    shuffling_linkers().find_map(|name| {
        let places = std::env::split_paths(path).map(|folder| folder.join(&name));
        places.into_iter().find(|place| place.is_file())
    })
}

/// One linked version of an artefact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The seed of the order.
    pub seed: u32,
    /// The path of the file.
    pub path: PathBuf,
}

/// The layouts of a variant's artefact; empty if it runs as built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layouts {
    /// The artefact as built: the path in the variant's command.
    pub artifact: PathBuf,
    /// The layouts, in the order in which they were drawn.
    pub all: Vec<Layout>,
}

impl Layouts {
    /// True if the artefact runs as built.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The number of layouts.
    pub fn count(&self) -> u32 {
        u32::try_from(self.all.len()).expect("at most a thousand")
    }

    /// The layout that runs in a round.
    pub fn of_round(&self, round: u32) -> Option<&Layout> {
        let place = round.checked_rem(self.count())?;
        self.all.get(place as usize)
    }

    /// The command with the layout of a round in place of the artefact.
    #[must_use]
    pub fn in_round(&self, round: u32, command: &CommandLine) -> CommandLine {
        match self.of_round(round) {
            Some(layout) => with(&self.artifact, &layout.path, command),
            None => command.clone(),
        }
    }
}

/// The command with every occurrence of one path replaced by another.
fn with(from: &Path, to: &Path, command: &CommandLine) -> CommandLine {
    let text = |text: &OsStr| replaced(text, from.as_os_str(), to.as_os_str());
    let path = |path: &PathBuf| PathBuf::from(text(path.as_os_str()));
    let variable =
        |(name, value): &(OsString, Option<OsString>)| (name.clone(), value.as_deref().map(text));
    CommandLine {
        argv: command.argv.iter().map(|word| text(word)).collect(),
        program: path(&command.program),
        env: command.env.iter().map(variable).collect(),
        cwd: command.cwd.as_ref().map(path),
        ..command.clone()
    }
}

/// A text with every occurrence of one piece replaced by another.
pub(super) fn replaced(text: &OsStr, from: &OsStr, to: &OsStr) -> OsString {
    let (text, from, to) = (text.as_bytes(), from.as_bytes(), to.as_bytes());
    let mut made = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = memchr::memmem::find(rest, from).filter(|_| !from.is_empty()) {
        made.extend_from_slice(&rest[..place]);
        made.extend_from_slice(to);
        rest = &rest[place + from.len()..];
    }
    made.extend_from_slice(rest);
    OsString::from_vec(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    use measure::Stdout;
    use std::fs;

    fn words(text: &str) -> Vec<String> {
        text.split('|').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn the_artefact_is_found_where_one_would_type_it() {
        for (given, artifact, expected) in [
            ("", "prog", "{artifact}"),
            ("{artifact} x", "prog", "{artifact} x"),
            ("./prog x", "prog", "{artifact} x"),
            ("prog|x y", "./prog", "{artifact} 'x y'"),
            ("time dist/prog", "dist/prog", "time {artifact}"),
            ("awk '{print}' {artifact}", "prog", "awk '{print}' {artifact}"),
        ] {
            let template = template(&words(given), Path::new(artifact), &RunSettings::default());
            assert_eq!(template.expect("understood"), expected, "{given}");
        }
    }

    #[test]
    fn a_command_without_the_artefact_is_refused() {
        let refused = template(&words("sleep 1"), Path::new("prog"), &RunSettings::default());
        assert!(matches!(refused, Err(CommandError::NoArtifact { .. })));
        let env = vec!["TOOL={artifact}".to_owned()];
        let elsewhere = RunSettings { env, ..RunSettings::default() };
        assert_eq!(template(&words("x"), Path::new("prog"), &elsewhere).expect("ok"), "x");
    }

    #[test]
    fn the_artefact_is_started_where_it_is_the_first_word() {
        for (template, is_started) in [
            ("{artifact}", true),
            (" {artifact} x", true),
            ("{artifact}/bin/prog", false),
            ("run {artifact}", false),
            ("", false),
        ] {
            assert_eq!(starts_artifact(template), is_started, "{template}");
        }
    }

    #[test]
    fn a_path_with_blanks_and_quotes_stays_one_word() {
        let path = Path::new("/tmp/a b/it's");
        let built = BuiltArtifact {
            commit: "c0ffee",
            name: "c0ffee1 x".to_owned(),
            path,
            id: ArtifactId::new("d1", 0),
            work: Work::whole(7),
            layouts: &[],
            checkout: None,
        };
        let experiment =
            experiment(&RunSettings::default(), "{artifact} --at {commit} {work}", &[built])
                .expect("sound");
        let variant = &experiment.variants[0];
        assert_eq!(variant.run.argv, ["/tmp/a b/it's", "--at", "c0ffee", "7"]);
        assert_eq!(variant.command, "{artifact} --at {commit} {work}");
        assert_eq!(variant.labels.work(), Work::whole(7));
        assert_eq!(variant.labels.artifact_id(), Some(&ArtifactId::new("d1", 0)));
    }

    #[test]
    fn a_command_finds_in_a_checkout_what_it_finds_in_the_users() {
        let folder = tempfile::tempdir().expect("a folder for tests");
        let folder = folder.path().canonicalize().expect("it is there");
        let (user, kept) = (folder.join("user"), folder.join("kept"));
        for file in
            ["user/sub/run.sh", "user/data", "user/venv/bin/python", "kept/sub/run.sh", "kept/data"]
        {
            fs::create_dir_all(folder.join(file).parent().expect("a file")).expect("ours");
            fs::write(folder.join(file), "").expect("ours");
        }
        let checkout = KeptCheckout::new(&kept, &user, Some(Path::new("sub")));
        let moved = |words: &[&str], cwd: Option<PathBuf>| {
            let mut run = Invocation {
                argv: words.iter().map(OsString::from).collect(),
                env: Vec::new(),
                cwd,
                stdin: Stdin::File(user.join("data")),
                stdout: Stdout::Null,
            };
            checkout.move_here(&mut run);
            assert_eq!(run.stdin, Stdin::File(kept.join("data")));
            (run.argv, run.cwd.expect("it runs somewhere"))
        };
        let here = |path: &str| kept.join(path).into_os_string();
        let data = user.join("data");
        let data = data.to_str().expect("UTF-8");
        // Tests run outside both of them.
        assert_eq!(
            moved(&["./run.sh", data], None),
            (vec!["./run.sh".into(), here("data")], kept.join("sub"))
        );
        assert_eq!(
            moved(&["sub/run.sh"], Some(user.clone())),
            (vec!["sub/run.sh".into()], kept.clone())
        );
        let python = user.join("venv/bin/python").into_os_string();
        assert_eq!(moved(&["venv/bin/python"], Some(user.clone())), (vec![python], kept.clone()));
        assert_eq!(moved(&["x"], Some(folder.clone())), (vec!["x".into()], folder.clone()));
    }

    #[test]
    fn as_many_are_linked_as_are_enough_in_steps_of_four() {
        assert_eq!(
            [1, 11, 12, 13, 17, u32::MAX].map(usual_layouts),
            [12, 12, 12, 16, 20, MOST_LAYOUTS]
        );
    }

    fn linked_command() -> CommandLine {
        CommandLine {
            argv: vec!["sh".into(), "-c".into(), "'/a/prog' x | /a/prog".into()],
            program: "/a/prog".into(),
            env: vec![("TOOL".into(), Some("/a/prog".into())), ("GONE".into(), None)],
            cwd: Some("/a".into()),
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        }
    }

    #[test]
    fn each_round_has_the_next_layout_wherever_the_artefact_is_named() {
        let all = [(7, "/l/7/prog"), (9, "/l/9/prog")];
        let all = all.map(|(seed, path)| Layout { seed, path: path.into() }).to_vec();
        let layouts = Layouts { artifact: "/a/prog".into(), all };
        let seeds: Vec<u32> =
            (0..5).filter_map(|round| layouts.of_round(round)).map(|one| one.seed).collect();
        assert_eq!(seeds, [7, 9, 7, 9, 7]);
        let made = layouts.in_round(3, &linked_command());
        assert_eq!(made.argv[2], "'/l/9/prog' x | /l/9/prog");
        assert_eq!(made.program, PathBuf::from("/l/9/prog"));
        assert_eq!(made.env[0].1.as_deref(), Some(OsStr::new("/l/9/prog")));
        assert_eq!((made.env[1].1.clone(), made.cwd), (None, Some("/a".into())));
    }

    #[test]
    fn without_layouts_the_command_stays_as_it_is() {
        assert_eq!(Layouts::default().in_round(4, &linked_command()), linked_command());
        assert_eq!(Layouts::default().of_round(0), None);
    }
}
