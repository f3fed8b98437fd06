//! `brisk.toml` as written by `brisk init`: recognised settings are filled in, the rest is a
//! comment.

use std::path::Path;

use toolchains::project::{Product, Recognised};

use crate::spec::artifacts::is_checkout;

/// A file, and the messages about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// The description of the recognised project.
    pub says: String,
    /// The next step for the user.
    pub next: String,
}

/// The file of a project in a folder of this name.
pub fn file(folder: &str, known: Option<&Recognised>) -> Written {
    let programs = known.map(Recognised::programs).unwrap_or_default();
    let harnesses = known.map(Recognised::benchmarks).unwrap_or_default();
    let system = known.map_or_else(String::new, |known| format!("a {} project", known.system));
    let (build, says, next) = match (programs.as_slice(), harnesses.as_slice()) {
        ([only], _) if is_checkout(Path::new(&only.artifact)) => (
            format!(
                "# It is {system}: each commit runs in a checkout of its own.\n{}",
                said(only, "")
            ),
            format!("{system}, each commit of which runs in a checkout of its own"),
            "fill in a benchmark with its command, as one would type it in this folder".to_owned(),
        ),
        ([only], _) => (
            format!("# It is {system}.\n{}", said(only, "")),
            format!("{system}, of which `{}` makes `{}`", only.build, only.artifact),
            "complete its `command`; then `brisk history \
             HEAD~5..HEAD` measures the last five commits, and `brisk ci` judges a branch"
                .to_owned(),
        ),
        ([], [only]) => (
            format!("# It is {system} with benchmarks inside of a program.\n{}", said(only, "")),
            format!("{system}, of which `{}` makes benchmarks", only.build),
            "`brisk history HEAD~5..HEAD` measures them at the last five commits, and `brisk ci` \
             judges a branch"
                .to_owned(),
        ),
        ([], []) => (
            "# The command that builds, and the file or folder that it makes.\n\
             # build = \"make\"\n# artifact = \"path/of/the/program\"\n"
                .to_owned(),
            match known {
                Some(_) => format!("{system}, but no program that it makes is known"),
                None => "no build system was recognised".to_owned(),
            },
            "fill in `build` and `artifact`, and a benchmark with its command".to_owned(),
        ),
        ([], several) | (several, _) => (
            format!(
                "# It is {system} with {} programs: take the `#` from the two lines of one of them.\n{}",
                several.len(),
                several.iter().map(|product| said(product, "# ")).collect::<String>()
            ),
            format!("{system} with {} programs", several.len()),
            "choose one of its programs, and complete the `command`".to_owned(),
        ),
    };
    let measured = match (programs.as_slice(), harnesses.as_slice()) {
        ([], [only]) => suite(only, ""),
        ([], several @ [_, ..]) => several.iter().map(|one| suite(one, "# ")).collect(),
        (programs, harnesses) => {
            let suites = harnesses.iter().map(|one| suite(one, "# "));
            std::iter::once(benchmark(programs)).chain(suites).collect::<String>()
        }
    };
    let subject = match (programs.as_slice(), harnesses.as_slice()) {
        ([first, ..], _) => format!("wall_time({})", subject(&first.name)),
        ([], [first, ..]) => format!("time_per_iteration({}:NAME)", subject(&first.name)),
        ([], []) => "wall_time(usual)".to_owned(),
    };
    let text = format!(
        "# How brisk builds and measures this project. Paths are relative to this file.\n\n\
         [project]\nname = {}\n{build}\
         # Variables for builds and runs.\n# env = {{ LC_ALL = \"C\" }}\n\n{measured}\
         # What should hold; `brisk check` checks it.\n\
         # [[expect]]\n# that = \"{subject} < 2 s\"\n# why = \"people wait for it\"\n",
        quoted(folder),
    );
    Written { text, says, next }
}

fn said(product: &Product, comment: &str) -> String {
    let (build, artifact) = (quoted(&product.build), quoted(&product.artifact));
    let build = match product.build.is_empty() {
        true => String::new(),
        false => format!("{comment}build = {build}\n"),
    };
    format!("{build}{comment}artifact = {artifact}\n")
}

/// The name of a benchmark in expectations.
fn subject(name: &str) -> &str {
    if name.chars().all(|c| c.is_alphanumeric() || c == '_') { name } else { "NAME" }
}

fn benchmark(programs: &[&Product]) -> String {
    let (name, command, comment) = match programs {
        [only] if is_checkout(Path::new(&only.artifact)) => ("usual", "./run input.txt", "# "),
        [only] => (only.name.as_str(), only.artifact.as_str(), ""),
        [first, ..] => (first.name.as_str(), first.artifact.as_str(), "# "),
        [] => ("usual", "path/of/the/program input.txt", "# "),
    };
    format!(
        "# What to measure: a command that does typical work for a tenth of a second or more.\n\
         {comment}[[benchmark]]\n{comment}name = {}\n{comment}command = {}\n\
         # warmup = 1\n# metrics = [\"wall_time\", \"peak_rss\"]\n\n",
        quoted(name),
        quoted(command),
    )
}

/// The benchmarks within a program, which their harness runs.
fn suite(program: &Product, comment: &str) -> String {
    format!(
        "# The benchmarks inside of what `{}` makes.\n\
         {comment}[[benchmark]]\n{comment}name = {}\n{comment}command = {}\n\
         {comment}harness = \"auto\"\n\n",
        program.build,
        quoted(&program.name),
        quoted(&program.artifact),
    )
}

/// The text as a TOML string: a literal one if possible.
fn quoted(text: &str) -> String {
    if !text.contains('\'') && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use toolchains::project::{Files, recognise};

    use super::super::ProjectFile;
    use super::*;
    use crate::expectation::Vocabulary;
    use crate::spec::suite::HarnessOption;

    fn project(files: &[(&str, &str)]) -> Option<Recognised> {
        let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let read = |name: &str| {
            files.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned())
        };
        recognise(Files { names: &names, read: &read }, "")
    }

    fn parsed(text: &str) -> ProjectFile {
        ProjectFile::parse(text, &Vocabulary::of_registry())
            .unwrap_or_else(|error| panic!("{error}:\n{text}"))
    }

    const CABAL: &str = "name: it's\nexecutable a\\b\n";

    #[test]
    fn what_is_recognised_is_filled_in_and_read_back() {
        for files in [
            &[("Cargo.toml", "[package]\nname = \"words\""), ("src/main.rs", "")][..],
            &[("go.mod", "module m"), ("main.go", "package main")],
            &[("it's.cabal", CABAL)],
            &[("dune-project", ""), ("bin/dune", "(executable (name main))")],
            &[("CMakeLists.txt", "add_executable(x x.c)")],
            &[("Makefile", "x: x.c")],
        ] {
            let known = project(files).expect("recognised");
            let product = known.programs()[0].clone();
            let written = file("o'brien \"\\\t", Some(&known));
            let file = parsed(&written.text);
            assert_eq!(file.project.name.as_deref(), Some("o'brien \"\\\t"));
            assert_eq!(file.project.build, Some(product.build));
            assert_eq!(file.project.artifact, Some(product.artifact.clone().into()));
            assert_eq!(file.benchmarks[0].command, product.artifact);
        }
    }

    #[test]
    fn benchmarks_inside_of_a_program_are_run_by_their_harness() {
        let package = "[package]\nname = \"words\"\n";
        let manifest = format!("{package}[[bench]]\nname = \"big-one\"\nharness = false\n");
        let library = [("Cargo.toml", &*manifest), ("src/lib.rs", ""), ("benches/big-one.rs", "")];
        let written = file("p", project(&library).as_ref());
        let read = parsed(&written.text);
        assert_eq!(read.project.build.as_deref(), Some("cargo bench --no-run --bench big-one"));
        let [benchmark] = &read.benchmarks[..] else { panic!("{:?}", read.benchmarks) };
        assert_eq!(benchmark.command, "target/release/deps/big_one-*");
        assert_eq!(benchmark.harness, Some(HarnessOption::Auto));
        // Beside a program they are listed as comments to choose from.
        let program = [("src/main.rs", ""), library[0], library[2]];
        let written = file("p", project(&program).as_ref());
        let read = parsed(&written.text);
        assert_eq!(read.benchmarks.len(), 1, "{}", written.text);
        assert_eq!(read.benchmarks[0].harness, None);
        assert!(written.text.contains("# harness = \"auto\""), "{}", written.text);
    }

    #[test]
    fn what_is_not_known_is_a_comment() {
        let several = [("Makefile", "all: a b\na: a.c\nb: b.c\n")];
        let written = file("p", project(&several).as_ref());
        assert_eq!(parsed(&written.text).project.build, None);
        for line in ["# build = 'make a'", "# artifact = 'a'", "# artifact = 'b'"] {
            assert!(written.text.contains(line), "{}", written.text);
        }
        let chosen =
            written.text.replacen("# build", "build", 1).replacen("# artifact", "artifact", 1);
        assert_eq!(parsed(&chosen).project.build.as_deref(), Some("make a"));
        let nothing = file("p", None);
        let parsed = parsed(&nothing.text);
        assert_eq!((parsed.project.artifact, parsed.benchmarks.len()), (None, 0));
    }
}
