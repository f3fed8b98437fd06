//! The compilers that a build uses: those of the tools that its command names and, if it names no
//! known tool or one that runs others, those for the languages of the project's files.

use std::collections::BTreeSet;

/// Tools, and the programs that run when one of them does.
const TOOLS: [(&[&str], &[&str]); 9] = [
    // Crates may contain C code.
    (&["cargo", "rustc", "cross"], &["cargo", "rustc", "cc", "c++", "ld"]),
    (&["go"], &["go", "gcc", "ld"]),
    (&["cabal"], &["cabal", "ghc", "gcc", "ld"]),
    (&["stack"], &["stack", "ghc", "gcc", "ld"]),
    (&["ghc"], &["ghc", "gcc", "ld"]),
    (
        &["dune", "ocamlfind", "ocamlopt", "ocamlc", "ocamlbuild", "opam"],
        &["dune", "ocamlfind", "ocamlopt", "ocamlc", "as", "gcc", "ld"],
    ),
    (&["mlton", "polyc"], &["mlton", "polyc", "gcc", "g++", "as", "ld"]),
    (&["sbcl"], &["sbcl"]),
    (&["javac"], &["javac"]),
];

/// Compilers that a command names directly; the next list has the programs that they use.
const PLAIN: [&str; 9] = ["cc", "c++", "gcc", "g++", "clang", "clang++", "gfortran", "as", "ld"];
const BESIDE_PLAIN: [&str; 3] = ["ar", "as", "ld"];

/// Programs that run other ones, which the project's files determine.
const DRIVERS: [&str; 21] = [
    "make",
    "gmake",
    "cmake",
    "ninja",
    "meson",
    "sh",
    "bash",
    "dash",
    "zsh",
    "env",
    "python",
    "python3",
    "perl",
    "ruby",
    "nix",
    "bazel",
    "just",
    "scons",
    "rake",
    "npm",
    "configure",
];

/// Programs that move files: their version does not affect the result of a build.
const PORTERS: [&str; 17] = [
    "cd", "cp", "mv", "rm", "mkdir", "rmdir", "chmod", "ln", "touch", "echo", "printf", "test",
    "true", "false", "cat", "install", "exit",
];

/// File name endings of languages, and their compilers.
const LANGUAGES: [(&[&str], &[&str]); 11] = [
    (&["c", "h"], &["cc", "gcc", "clang", "cpp", "as", "ld", "ar"]),
    (
        &["cc", "cpp", "cxx", "C", "hpp", "hh"],
        &["c++", "g++", "clang++", "cc", "gcc", "clang", "cpp", "as", "ld", "ar"],
    ),
    (&["f", "f90", "f95", "f03", "for"], &["gfortran", "as", "ld", "ar"]),
    (&["s", "S", "asm"], &["as", "cc", "ld"]),
    (&["rs"], &["cargo", "rustc", "cc", "c++", "ld"]),
    (&["go"], &["go", "gcc", "ld"]),
    (&["hs", "lhs"], &["ghc", "cabal", "stack", "gcc", "ld"]),
    (&["ml", "mli"], &["dune", "ocamlfind", "ocamlopt", "ocamlc", "as", "gcc", "ld"]),
    (&["sml", "mlb"], &["mlton", "polyc", "gcc", "g++", "as", "ld"]),
    (&["lisp", "lsp", "asd", "cl"], &["sbcl"]),
    (&["java"], &["javac"]),
];

/// Programs that drive compilers or link for them, and have a relevant version, too.
const MORE: [&str; 5] = ["cmake", "make", "ninja", "ld.gold", "ld.lld"];

/// Every compiler, and every program that drives compilers and has a relevant version.
fn all() -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().chain(&LANGUAGES).flat_map(|(_, tools)| tools.iter().copied());
    tools.chain(MORE)
}

/// True for the name of a compiler, or of a program that drives compilers: one that can be asked
/// for its version.
pub fn is_compiler(name: &str) -> bool {
    all().any(|known| known == name)
}

/// True for the ending of a source file's name that a compiler reads.
pub fn is_compiled(ending: &str) -> bool {
    LANGUAGES.iter().any(|(endings, _)| endings.contains(&ending))
}

/// The names of the programs that determine the result of a build by this command, of a project
/// with these files; empty without a command.
pub fn compilers(build: Option<&str>, files: &[String]) -> BTreeSet<String> {
    let Some(build) = build else { return BTreeSet::new() };
    let named: BTreeSet<&str> = words(build).filter(|word| !PORTERS.contains(word)).collect();
    let mut used = chosen(&TOOLS, &named);
    if PLAIN.iter().any(|name| named.contains(name)) {
        used.extend(BESIDE_PLAIN);
    }
    let is_script = |word: &&str| {
        word.contains('/')
            && !word.starts_with('/')
            && files.iter().any(|f| f == word.trim_start_matches("./"))
    };
    let is_driven = named.iter().any(|word| DRIVERS.contains(word) || is_script(word));
    if used.is_empty() || is_driven {
        used.extend(of_languages(files));
    }
    used.extend(named);
    used.into_iter().map(str::to_owned).collect()
}

/// The compilers for the languages of the files; all known compilers if no language is recognised.
fn of_languages(files: &[String]) -> BTreeSet<&'static str> {
    let ends: BTreeSet<&str> =
        files.iter().filter_map(|name| Some(super::last(name).rsplit_once('.')?.1)).collect();
    let used = chosen(&LANGUAGES, &ends);
    if used.is_empty() { all().collect() } else { used }
}

/// The tools in the rows of a table that these names choose.
fn chosen<'a>(table: &[(&[&str], &[&'a str])], names: &BTreeSet<&str>) -> BTreeSet<&'a str> {
    let is_chosen = |keys: &[&str]| keys.iter().any(|key| names.contains(key));
    let rows = table.iter().filter(|(keys, _)| is_chosen(keys));
    rows.flat_map(|(_, tools)| tools.iter().copied()).collect()
}

/// The words of a command that may be names of programs.
fn words(build: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "._-+/".contains(c);
    build.split(move |c| !is_part(c)).filter(|word| !word.is_empty() && !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compilers_of(build: &str, files: &[&str]) -> Vec<String> {
        let files: Vec<String> = files.iter().map(|&name| name.to_owned()).collect();
        compilers(Some(build), &files).into_iter().filter(|name| is_compiler(name)).collect()
    }

    #[test]
    fn a_command_that_names_its_tools_uses_those_and_no_others() {
        let rust = ["c++", "cargo", "cc", "ld", "rustc"];
        assert_eq!(compilers_of("cargo build --release", &["src/main.rs", "x.ml"]), rust);
        assert_eq!(compilers_of("cd sub && cargo build && cp target/a b", &["x.ml"]), rust);
        assert_eq!(compilers_of("go build -o bin/x ./cmd/x", &["x.c"]), ["gcc", "go", "ld"]);
        assert_eq!(compilers_of("clang -O2 a.c -o a", &["a.hs"]), ["ar", "as", "clang", "ld"]);
        assert!(compilers(None, &["a.c".to_owned()]).is_empty(), "nothing is built");
    }

    #[test]
    fn a_command_that_runs_others_uses_those_for_the_languages_of_the_project() {
        let c = ["ar", "as", "cc", "clang", "cpp", "gcc", "ld"];
        let with_make: Vec<&str> = c.iter().copied().chain(["make"]).collect();
        assert_eq!(compilers_of("make", &["main.c", "README"]), with_make);
        assert_eq!(compilers_of("./build.sh", &["build.sh", "main.c"]), c);
        assert!(
            compilers_of("./build.sh cargo", &["build.sh", "main.hs"]).contains(&"ghc".to_owned())
        );
        assert_eq!(compilers_of("make", &["README"]).len(), 30, "where nothing is known, all");
        assert_eq!(compilers_of("mycc x", &[]).len(), 30);
    }

    #[test]
    fn what_a_command_names_counts_unless_it_only_moves_files() {
        let all = compilers(Some("CC=clang make -j4&&(./a.sh;strip 'x y'); cp a b"), &[]);
        for name in ["CC", "clang", "make", "./a.sh", "strip", "x", "y", "a", "b"] {
            assert!(all.contains(name), "{name}");
        }
        assert!(!all.contains("cp") && !all.contains("-j4"));
    }
}
