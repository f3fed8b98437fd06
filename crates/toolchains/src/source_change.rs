//! The functions that a change of a source text touches, and the role of a changed file, as far as
//! the text tells.
//!
//! A line defines a function if it has the form that its language gives to definitions; nothing is
//! parsed. So this says what a change is likely to be about, and machine code and counts say what it
//! does.

use std::collections::BTreeSet;

use crate::project::is_compiled;

/// The role of a file for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Source code.
    Source,
    /// A description of the build or of dependencies, a lock file, or code of others.
    Build,
    /// Anything else: data that the program or its build reads.
    Data,
}

/// Names of files that describe a build, its dependencies or its tools.
const BUILD_FILES: [&str; 49] = [
    "BUILD",
    "BUILD.bazel",
    "CMakeLists.txt",
    "CMakePresets.json",
    "Cargo.lock",
    "Cargo.toml",
    "GNUmakefile",
    "Gemfile",
    "Gemfile.lock",
    "MODULE.bazel",
    "Makefile",
    "Makefile.am",
    "Makefile.in",
    "Pipfile.lock",
    "Setup.hs",
    "WORKSPACE",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "build.sbt",
    "cabal.project",
    "cabal.project.freeze",
    "cabal.project.local",
    "composer.lock",
    "conanfile.txt",
    "configure",
    "configure.ac",
    "dune",
    "dune-project",
    "flake.lock",
    "flake.nix",
    "go.mod",
    "go.sum",
    "hie.yaml",
    "makefile",
    "meson.build",
    "meson_options.txt",
    "package-lock.json",
    "package.json",
    "package.yaml",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "stack.yaml",
    "uv.lock",
    "yarn.lock",
];

/// Further endings and names of such files.
const BUILD_ENDINGS: [&str; 8] =
    [".cabal", ".opam", ".cmake", ".mk", ".gemspec", ".nix", ".bzl", ".lock"];
const BUILD_STARTS: [&str; 4] = ["requirements", "rust-toolchain", ".tool-versions", ".gitmodules"];

/// Folders with the code of others.
const OF_OTHERS: [&str; 5] = ["vendor", "third_party", "third-party", "node_modules", "extern"];

/// Endings of sources that are not compiled to machine code.
const INTERPRETED: [&str; 16] = [
    "py", "js", "mjs", "cjs", "ts", "rb", "lua", "pl", "pm", "sh", "bash", "php", "awk", "tcl",
    "r", "scm",
];

/// The role of a file, by its path in the repository.
pub fn file_role(path: &str) -> FileRole {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_of_others = folders.split('/').any(|folder| OF_OTHERS.contains(&folder));
    let is_build = BUILD_FILES.contains(&name)
        || BUILD_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || BUILD_STARTS.iter().any(|start| name.starts_with(start))
        || path.starts_with(".cargo/");
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match () {
        () if is_of_others || is_build => FileRole::Build,
        () if is_compiled(ending) || INTERPRETED.contains(&ending) => FileRole::Source,
        () => FileRole::Data,
    }
}

/// A changed piece of a source.
#[derive(Debug, Clone, Copy)]
pub struct ChangedText<'a> {
    /// The path of its file.
    pub path: &'a str,
    /// The lines before it at which functions may begin, the nearest first.
    pub headings: &'a [String],
    /// The lines that are gone.
    pub removed: &'a [String],
    /// The lines that are new.
    pub added: &'a [String],
}

/// What a changed text touches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TouchedCode {
    /// The functions whose bodies or heads it changes, by their names alone.
    pub functions: BTreeSet<String>,
    /// Functions that it adds as a whole.
    pub added: BTreeSet<String>,
}

impl TouchedCode {
    /// What this text touches.
    pub fn from_text(text: ChangedText<'_>) -> Self {
        let is_haskell = text.path.ends_with(".hs") || text.path.ends_with(".lhs");
        let defined = |lines: &[String]| -> BTreeSet<String> {
            lines.iter().filter_map(|line| definition(line, is_haskell)).collect()
        };
        let (gone, new) = (defined(text.removed), defined(text.added));
        let mut lines = text.added.iter().chain(text.removed);
        let first = lines.find(|line| !line.trim().is_empty());
        // A new function, or an attribute of one, stands behind another one, whose head is the heading.
        let begins_anew = text.removed.iter().all(|line| is_attribute(line))
            && first
                .is_some_and(|line| definition(line, is_haskell).is_some() || is_attribute(line));
        let around = || text.headings.iter().find_map(|line| definition(line, is_haskell));
        let around: BTreeSet<String> = (!begins_anew).then(around).flatten().into_iter().collect();
        let added: BTreeSet<String> = &new - &gone;
        let functions = &(&around | &gone) | &(&new - &added);
        Self { functions, added }
    }
}

/// Words that tell a compiler how to compile, and not what.
const HINTS: [&str; 30] = [
    "#[inline]",
    "#[inline(always)]",
    "#[inline(never)]",
    "#[cold]",
    "#[target_feature",
    "__attribute__((noinline))",
    "__attribute__((always_inline))",
    "__attribute__((cold))",
    "__attribute__((hot))",
    "__attribute__((flatten))",
    "__attribute__((noipa))",
    "__attribute__((optimize",
    "[[gnu::noinline]]",
    "[[gnu::always_inline]]",
    "__declspec(noinline)",
    "__forceinline",
    "#pragma GCC optimize",
    "#pragma GCC unroll",
    "#pragma GCC ivdep",
    "#pragma clang loop",
    "#pragma omp simd",
    "//go:noinline",
    "//go:nosplit",
    "{-# INLINE",
    "{-# NOINLINE",
    "{-# INLINABLE",
    "{-# SPECIALI",
    "{-# OPTIONS_GHC",
    "[@inline",
    "[@@inline",
];

/// Single words of the same kind.
const HINT_WORDS: [&str; 9] = [
    "inline",
    "noinline",
    "__inline",
    "__inline__",
    "register",
    "restrict",
    "__restrict",
    "static",
    "pub",
];

/// True if a line stands before a definition, and is about it.
fn is_attribute(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("#[")
        || line.starts_with('@')
        || line.starts_with("///")
        || HINTS.iter().any(|hint| line.starts_with(hint))
}

/// True if the removed and the added lines have the same code, in any order: they differ by hints for
/// the compiler, such as `#[inline]`, or by its place. Declarations and imports go with the place.
pub fn has_same_code(removed: &[String], added: &[String]) -> bool {
    let bare = |lines: &[String]| -> Vec<String> {
        let lines = lines.iter().map(|line| without_hints(line));
        let mut lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        lines.retain(|line| !is_declaration(line));
        lines.sort_unstable();
        lines
    };
    (!removed.is_empty() || !added.is_empty()) && bare(removed) == bare(added)
}

/// True if a line only makes other code known: a prototype, an import, a comment.
pub fn is_declaration(line: &str) -> bool {
    let line = line.trim();
    const STARTS: [&str; 9] =
        ["include ", "use ", "pub use ", "mod ", "pub mod ", "import ", "extern ", "//", "/*"];
    let is_prototype = line.ends_with(");") && in_c(line.trim_end_matches(';')).is_some();
    is_prototype || STARTS.iter().any(|start| line.starts_with(start))
}

/// True for a word that only tells how to compile, also by a macro such as `LZ4_FORCE_INLINE`.
fn is_hint_word(word: &str) -> bool {
    const ENDS: [&str; 4] = ["noinline", "forceinline", "alwaysinline", "neverinline"];
    let is_word = word.chars().all(is_identifier);
    let letters: String = word.chars().filter(|c| *c != '_').collect();
    let letters = letters.to_ascii_lowercase();
    HINT_WORDS.contains(&word) || is_word && ENDS.iter().any(|end| letters.ends_with(end))
}

/// The words of a line without hints.
fn without_hints(line: &str) -> String {
    let mut rest = line.to_owned();
    for hint in HINTS {
        while let Some(start) = rest.find(hint) {
            let end = end_of_hint(&rest, start, start + hint.len());
            rest.replace_range(start..end, " ");
        }
    }
    let words: Vec<&str> = rest.split_whitespace().filter(|word| !is_hint_word(word)).collect();
    words.join(" ").trim_matches(['-', '#', '}', ' ']).to_owned()
}

/// The end of the hint whose text is `start..behind`: that of its brackets, which may be open still;
/// without any, that of the line.
fn end_of_hint(line: &str, start: usize, behind: usize) -> usize {
    let is_open = |c: char| "([{".contains(c);
    if !line[start..behind].contains(is_open) {
        return if line[start..].starts_with(['#', '/']) { line.len() } else { behind };
    }
    let mut depth = 0;
    for (place, c) in line[start..].char_indices() {
        depth += i32::from(is_open(c)) - i32::from(")]}".contains(c));
        let end = start + place + c.len_utf8();
        if depth == 0 && end >= behind {
            return end;
        }
    }
    line.len()
}

/// Words before the name of a function.
const KEYWORDS: [&str; 10] =
    ["fn", "func", "def", "function", "fun", "let", "and", "sub", "defun", "method"];

/// Words that a statement begins with, and a definition does not.
const STATEMENTS: [&str; 14] = [
    "if", "else", "for", "while", "switch", "return", "case", "do", "sizeof", "typedef", "new",
    "throw", "delete", "goto",
];

/// Words that a line of Haskell begins with that defines no function.
const HASKELL_WORDS: [&str; 16] = [
    "module", "import", "where", "type", "data", "newtype", "class", "instance", "infix", "infixl",
    "infixr", "deriving", "foreign", "default", "in", "of",
];

/// The name of the function that a line begins to define.
fn definition(line: &str, is_haskell: bool) -> Option<String> {
    let text = line.trim();
    if text.is_empty() || text.starts_with(['#', '*', '{', '}']) || text.starts_with("//") {
        return None;
    }
    if is_haskell {
        let is_outermost = !line.starts_with([' ', '\t', '-']);
        let name = identifiers(text).next().filter(|_| is_outermost)?;
        let is_name = name.starts_with(|first: char| first.is_lowercase() || first == '_')
            && text.starts_with(name)
            && !HASKELL_WORDS.contains(&name);
        return is_name.then(|| name.to_owned());
    }
    by_keyword(text).or_else(|| in_c(text)).map(str::to_owned)
}

/// `fn name`, `func (r Receiver) name`, `let rec name`.
fn by_keyword(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let start = rest.find(is_identifier)?;
        let word = identifiers(&rest[start..]).next()?;
        let behind = &rest[start + word.len()..];
        if !KEYWORDS.contains(&word) {
            // Only words such as `pub`, `async` and `local` come before.
            let is_prefix = rest[..start].chars().all(|c| c.is_whitespace() || "()".contains(c));
            if !is_prefix || text.len() - rest.len() > 60 {
                return None;
            }
            rest = behind;
            continue;
        }
        let behind = behind.trim_start();
        let behind = match behind.strip_prefix('(') {
            Some(receiver) => receiver.split_once(')')?.1,
            None => behind,
        };
        let name = identifiers(behind).next()?;
        let name = match name {
            "rec" | "mut" => identifiers(behind).nth(1)?,
            other => other,
        };
        // A local variable is no function.
        let is_let = word == "let" || word == "and";
        let takes = behind.split_once(name)?.1.trim_start();
        return (!is_let || takes.starts_with(|c: char| is_identifier(c) || c == '('))
            .then_some(name);
    }
}

/// `static int name(int x) {`, `int Class::name() const`.
fn in_c(text: &str) -> Option<&str> {
    let (head, _) = text.split_once('(')?;
    let is_head = |c: char| is_identifier(c) || " \t*&:<>,~[]".contains(c);
    let first = identifiers(head).next()?;
    if text.ends_with(';') || !head.chars().all(is_head) || STATEMENTS.contains(&first) {
        return None;
    }
    let name = identifiers(head).last()?;
    let before = head.trim_end().strip_suffix(name)?;
    let has_type = before.ends_with(['*', '&', ' ', '\t', '>']) && before.contains(is_identifier);
    let is_member = before.ends_with("::");
    (has_type || is_member).then_some(name)
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// The identifiers of a text, in their order.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_identifier(c)).filter(|word| !word.is_empty())
}

/// The name of a function alone, from its readable symbol: without modules, types, arguments,
/// closures, and the marks of a worker.
pub fn bare_name(symbol: &str) -> &str {
    // Arguments follow a name; a receiver such as `(*Parser)` follows a dot.
    let is_behind_name = |(place, _): &(usize, &str)| symbol[..*place].ends_with(is_identifier);
    let arguments = symbol.match_indices('(').find(is_behind_name);
    let head = arguments.map_or(symbol, |(place, _)| &symbol[..place]);
    let parts: Vec<&str> = head.split("::").flat_map(|part| part.split('.')).collect();
    let is_name = |part: &&&str| part.starts_with(|c: char| is_identifier(c) || c == '$');
    let name = parts.iter().rev().find(is_name).copied().unwrap_or(symbol);
    let name = name.strip_prefix("$w").unwrap_or(name);
    identifiers(name).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_statements_in_many_languages() {
        for (path, line, name) in [
            ("a.c", "static int parse_header(const char *s) {", Some("parse_header")),
            ("a.c", "int", None),
            ("a.c", "    return parse_header(s);", None),
            ("a.c", "    parse_header(s);", None),
            ("a.c", "    if (x) {", None),
            ("a.c", "    } else if (x) {", None),
            ("a.c", "char *name(void)", Some("name")),
            ("a.c", "int declared(int);", None),
            ("a.cc", "void Parser::header(int x) const {", Some("header")),
            ("a.cc", "std::vector<int> numbers(int n)", Some("numbers")),
            ("a.rs", "    pub(crate) const fn step(&mut self) -> u8 {", Some("step")),
            ("a.rs", "    let x = step(1);", None),
            ("a.go", "func (p *Parser) Next() bool {", Some("Next")),
            ("a.go", "func main() {", Some("main")),
            ("a.py", "    async def fetch(self):", Some("fetch")),
            ("a.js", "export function render(page) {", Some("render")),
            ("a.lua", "local function walk(tree)", Some("walk")),
            ("a.ml", "let rec walk tree =", Some("walk")),
            ("a.ml", "  let x = 3 in", None),
            ("A.hs", "walk :: Tree -> Int", Some("walk")),
            ("A.hs", "walk (Node l r) = walk l", Some("walk")),
            ("A.hs", "  walk x = y", None),
            ("A.hs", "import Data.List", None),
            ("A.hs", "data Tree = Leaf", None),
        ] {
            assert_eq!(definition(line, path == "A.hs").as_deref(), name, "{line}");
        }
    }

    fn touched(path: &str, heading: &str, removed: &str, added: &str) -> TouchedCode {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (headings, removed, added) = (lines(heading), lines(removed), lines(added));
        let text = ChangedText { path, headings: &headings, removed: &removed, added: &added };
        TouchedCode::from_text(text)
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_change_touches_the_function_around_it_and_those_it_defines() {
        let body = touched("a.c", "int two(int x) {", "  return 2;", "  return 20;");
        assert_eq!((body.functions, body.added), (names(&["two"]), names(&[])));
        let head = touched("a.c", "int two(int x) {", "int three(int x) {", "int three(long x) {");
        assert_eq!(head.functions, names(&["two", "three"]));
        let new = touched("a.rs", "fn old() {", "", "\n#[inline]\nfn fresh() {\n    1\n}");
        assert_eq!((new.functions, new.added), (names(&[]), names(&["fresh"])));
        let attribute = touched("a.rs", "fn old() {", "    #[inline(always)]", "");
        assert_eq!(attribute.functions, names(&[]));
        let gone = touched("a.rs", "fn old() {", "fn gone() {\n}", "");
        assert_eq!(gone.functions, names(&["old", "gone"]));
    }

    #[test]
    fn hints_are_told_from_other_changes() {
        for (removed, added, is_hint) in [
            ("#[inline(never)]", "", true),
            ("#[inline]", "#[inline(always)]", true),
            ("int f(int x) {", "__attribute__((noinline)) int f(int x) {", true),
            ("static inline int f(int x) {", "int f(int x) {", true),
            (
                "int f(int x) {\n  return x;\n}",
                "int f(int x);\nint f(int x) {\n  return x;\n}",
                true,
            ),
            ("#include <a.h>", "", true),
            ("", "{-# NOINLINE walk #-}", true),
            ("{-# INLINE walk #-}", "{-# NOINLINE walk #-}", true),
            ("__attribute__((optimize(\"O1\")))", "", true),
            ("int f(int x) {", "__attribute__((optimize(\"O0\"))) int f(int x) {", true),
            ("int f(int x) {", "__forceinline int f(int x) {", true),
            ("#[target_feature(enable = \"avx2\")]", "", true),
            ("walk x = {-# SCC walk #-} x", "walk x = x", false),
            ("", "#pragma GCC unroll 8", true),
            ("static inline int f(int x) {", "static int f(long x) {", false),
            ("  x = 1;", "  x = 2;", false),
            ("", "", false),
            ("void *get(size_t n)", "PUGI_IMPL_NO_INLINE void *get(size_t n)", true),
            ("LZ4_FORCE_INLINE int f(void)", "static int f(void)", true),
            ("int f(void)", "DEADLINE int f(void)", false),
            ("f(x);", "noinline(x);", false),
        ] {
            let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
            let found = has_same_code(&lines(removed), &lines(added));
            assert_eq!(found, is_hint, "{removed} -> {added}");
        }
    }

    #[test]
    fn symbols_are_known_by_their_last_name() {
        for (symbol, name) in [
            ("parse_header", "parse_header"),
            ("core::str::parse_header", "parse_header"),
            ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", "clone"),
            ("prog::main::{{closure}}", "main"),
            ("Parser::header(int, char const*)", "header"),
            ("std::vector<int>::push_back(int const&)", "push_back"),
            ("main.(*Parser).Next", "Next"),
            ("main.parseHeader", "parseHeader"),
            ("Main.$wwalk", "walk"),
            ("Data.Map.Internal.insert", "insert"),
            ("???", "???"),
        ] {
            assert_eq!(bare_name(symbol), name, "{symbol}");
        }
    }

    #[test]
    fn files_have_roles() {
        for (path, role) in [
            ("src/main.rs", FileRole::Source),
            ("a.h", FileRole::Source),
            ("tool.py", FileRole::Source),
            ("Cargo.lock", FileRole::Build),
            ("crates/a/Cargo.toml", FileRole::Build),
            ("Makefile", FileRole::Build),
            (".cargo/config.toml", FileRole::Build),
            ("requirements-dev.txt", FileRole::Build),
            ("vendor/zlib/inflate.c", FileRole::Build),
            ("x.cabal", FileRole::Build),
            ("data/words.txt", FileRole::Data),
            ("input.json", FileRole::Data),
        ] {
            assert_eq!(file_role(path), role, "{path}");
        }
    }
}
