//! The command lines of tools: the tool that a name stands for, and the meaning of its arguments.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The names by which compilers may call a linker that they did not choose themselves.
pub(super) const LINKERS: [&str; 5] = ["ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"];

const COMPILERS: [&str; 10] =
    ["cc", "gcc", "g++", "c++", "clang", "clang++", "c89", "c99", "gfortran", "gdc"];

/// Suffixes of the source files that these compile.
const SOURCES: [&str; 18] = [
    ".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".i", ".ii", ".m", ".mm", ".f", ".for",
    ".f90", ".f95", ".f03", ".F", ".d",
];

/// The role of a tool, recognised by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It links.
    Linker,
    /// It compiles C, C++ or Fortran, and calls a linker.
    Compiler,
    /// It compiles Haskell.
    Ghc,
    /// It runs a Go tool, which its first argument names.
    GoTool,
    /// It runs the rustc that its first argument names.
    RustcTool,
}

impl Role {
    /// The role of a tool with this name; `None` if it is not such a tool.
    pub(super) fn from_name(name: &OsStr) -> Option<Self> {
        let name = name.to_str()?;
        let tools = [(super::GO_TOOL, Self::GoTool), (super::RUSTC_TOOL, Self::RustcTool)];
        if let Some((_, tool)) = tools.into_iter().find(|(known, _)| *known == name) {
            return Some(tool);
        }
        let is_version = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
        let base = match name.rsplit_once('-') {
            Some((base, version)) if is_version(version) => base,
            _ => name,
        };
        // Cross-compilation tools have the name of the target machine in front.
        let is_one = |known: &&str| {
            base.strip_suffix(*known)
                .is_some_and(|before| before.is_empty() || before.ends_with("-"))
        };
        if base == "ghc" {
            Some(Self::Ghc)
        } else if LINKERS.iter().any(&is_one) {
            Some(Self::Linker)
        } else {
            COMPILERS.iter().any(is_one).then_some(Self::Compiler)
        }
    }
}

/// The arguments with which a compiler puts each function into its own section, and finds our
/// linker before any other.
pub(super) fn of_compiler(arguments: &[OsString], linkers: &Path) -> Vec<OsString> {
    let mut before = OsString::from("-B");
    before.push(linkers);
    let compiles = arguments.iter().any(|argument| {
        let text = argument.to_string_lossy();
        let is_source = || !text.starts_with('-') && SOURCES.iter().any(|end| text.ends_with(end));
        text == "-c" || text == "-S" || is_source()
    });
    let sections = compiles.then(|| OsString::from("-ffunction-sections"));
    // Later arguments win, so the user's come last.
    std::iter::once(before).chain(sections).chain(arguments.iter().cloned()).collect()
}

/// The same arguments for GHC.
pub(super) fn of_ghc(arguments: &[OsString]) -> Vec<OsString> {
    let compiles = arguments.iter().any(|argument| {
        let text = argument.to_string_lossy();
        text == "--make" || text == "-c" || text.ends_with(".hs") || text.ends_with(".lhs")
    });
    let sections = compiles.then(|| OsString::from("-split-sections"));
    arguments.iter().cloned().chain(sections).collect()
}

/// A call of a linker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// The arguments without the output path and other options that would overwrite the build's
    /// files.
    arguments: Vec<OsString>,
    /// The output path.
    pub(super) output: PathBuf,
}

impl Link {
    /// Parses the arguments of a linker; `None` if they do not link a program.
    pub(super) fn parse(
        arguments: &[OsString],
        read: &dyn Fn(&Path) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let all = expanded(arguments, read);
        let no_program = ["-shared", "-Bshareable", "-r", "-i", "--relocatable", "--shared"];
        let asks_only = ["--version", "-v", "-V", "--help", "--print-output-format"];
        if all.iter().any(|one| no_program.iter().chain(&asks_only).any(|word| one == word)) {
            return None;
        }
        let mut output = PathBuf::from("a.out");
        let mut kept = Vec::new();
        let mut rest = all.into_iter();
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy().into_owned();
            let value = |text: &str, names: &[&str]| {
                names.iter().find_map(|name| text.strip_prefix(name)).map(str::to_owned)
            };
            match text.as_str() {
                "-o" | "--output" => output = rest.next()?.into(),
                "-Map" | "--Map" | "--dependency-file" => drop(rest.next()),
                _ if value(&text, &["-Map=", "--Map=", "--dependency-file="]).is_some() => {}
                _ => match value(&text, &["--output=", "-o"]).filter(|_| !is_word(&text)) {
                    Some(path) => output = path.into(),
                    None => kept.push(argument),
                },
            }
        }
        Some(Self { arguments: kept, output })
    }

    /// The arguments of the same link in the order of a seed, for lld or mold.
    pub(super) fn shuffled(&self, by: &Shuffling, seed: u32, output: &Path) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        arguments.extend(["-o".into(), output.as_os_str().to_owned()]);
        arguments.extend(by.options(seed).into_iter().map(OsString::from));
        arguments
    }

    /// True for the small programs by which configure scripts and build systems test a compiler,
    /// and for programs that only the build runs.
    pub(super) fn is_trial(&self, folder: &Path) -> bool {
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let tries = ["conftest", "cmTC_", "build_script_", "sanitycheck"];
        let path = folder.join(&self.output);
        let is_of_trials = |part: &OsStr| part == "CMakeScratch" || part == "meson-private";
        let is_in =
            |part: &OsStr| is_of_trials(part) || part.to_string_lossy().starts_with("CompilerId");
        tries.iter().any(|begin| name.starts_with(begin)) || path.iter().any(is_in)
    }
}

/// True for the linker options that begin like `-o`.
fn is_word(text: &str) -> bool {
    ["-omagic", "-oformat", "-oformat="].iter().any(|word| text.starts_with(word))
}

/// A linker that can shuffle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shuffling {
    /// Its path.
    pub(super) program: PathBuf,
    /// True if it also draws padding between the sections (lld 20).
    pub(super) pads: bool,
}

impl Shuffling {
    fn is_mold(&self) -> bool {
        self.program.file_name().is_some_and(|name| name.to_string_lossy().ends_with("mold"))
    }

    /// Code, constants and variables are shuffled separately.
    fn options(&self, seed: u32) -> Vec<String> {
        if self.is_mold() {
            return vec![format!("--shuffle-sections={seed}")];
        }
        let pads = self.pads.then(|| format!("--randomize-section-padding={seed}"));
        let sections = [".text*", ".rodata*", ".data*", ".bss*"];
        let shuffle = sections.map(|name| format!("--shuffle-sections={name}={seed}"));
        shuffle.into_iter().chain(pads).collect()
    }
}

/// The output of Go's linker, and its arguments as a function of a seed and an output; `None` if it
/// does not link a program. The file to link comes last.
pub(super) fn of_go(
    arguments: &[OsString],
) -> Option<(PathBuf, impl Fn(u32, &Path) -> Vec<OsString>)> {
    let place = arguments.iter().position(|argument| argument == "-o")?;
    let output = PathBuf::from(arguments.get(place + 1)?);
    let mode = arguments.iter().find_map(|one| one.to_str()?.strip_prefix("-buildmode="));
    if !matches!(mode, None | Some("exe" | "pie")) {
        return None;
    }
    let (last, others) = arguments.split_last()?;
    let (last, others) = (last.clone(), others.to_vec());
    Some((output, move |seed: u32, output: &Path| {
        let own =
            [format!("-randlayout={seed}").into(), "-o".into(), output.as_os_str().to_owned()];
        others.iter().cloned().chain(own).chain([last.clone()]).collect()
    }))
}

/// The arguments, with each `@FILE` replaced by the words of that file.
fn expanded(arguments: &[OsString], read: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<OsString> {
    let mut all = Vec::new();
    for argument in arguments {
        let file = argument.as_bytes().strip_prefix(b"@");
        match file.and_then(|path| read(Path::new(OsStr::from_bytes(path)))) {
            Some(text) => all.extend(words(&text)),
            None => all.push(argument.clone()),
        }
    }
    all
}

/// The words of a file of arguments, as the GNU tools write them: with quotes of both kinds, and
/// with `\` before a literal character (`buildargv` of libiberty).
pub(super) fn words(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut letters = text.iter().copied();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (b'\\', None | Some(b'"')) => {
                word.get_or_insert_default().extend(letters.next());
            }
            (letter, Some(open)) if letter == open => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_ascii_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn link(text: &str) -> Option<Link> {
        Link::parse(&all(text), &|_| None)
    }

    #[test]
    fn tools_are_told_by_their_names() {
        for (name, role) in [
            ("cc", Some(Role::Compiler)),
            ("x86_64-linux-gnu-g++-12", Some(Role::Compiler)),
            ("clang++-14", Some(Role::Compiler)),
            ("ld", Some(Role::Linker)),
            ("x86_64-linux-gnu-ld.gold", Some(Role::Linker)),
            ("ld.lld-16", Some(Role::Linker)),
            ("ghc", Some(Role::Ghc)),
            ("ghc-9.0.2", Some(Role::Ghc)),
            ("go-tool", Some(Role::GoTool)),
            ("rustc-tool", Some(Role::RustcTool)),
            ("gcc-ar", None),
            ("ghc-pkg", None),
            ("ldd", None),
            ("build", None),
            ("brisk", None),
            ("old", None),
        ] {
            assert_eq!(Role::from_name(OsStr::new(name)), role, "{name}");
        }
    }

    #[test]
    fn functions_get_sections_where_something_is_compiled() {
        let linkers = Path::new("/w/ld");
        let of = |text: &str| of_compiler(&all(text), linkers);
        assert_eq!(of("-O2 a.c -o a"), all("-B/w/ld -ffunction-sections -O2 a.c -o a"));
        assert_eq!(of("-c -x c -"), all("-B/w/ld -ffunction-sections -c -x c -"));
        assert_eq!(of("a.o -o a"), all("-B/w/ld a.o -o a"));
        assert_eq!(of_ghc(&all("--make Main")), all("--make Main -split-sections"));
        assert_eq!(of_ghc(&all("--info")), all("--info"));
    }

    #[test]
    fn a_link_is_repeated_with_its_output_elsewhere() {
        let made = link("-pie -o out/prog -Map=out/map a.o -lc").expect("a program");
        assert_eq!(made.output, PathBuf::from("out/prog"));
        let lld = Shuffling { program: "/usr/bin/ld.lld".into(), pads: true };
        let words = made.shuffled(&lld, 7, Path::new("/l/7"));
        let shuffle = ".text* .rodata* .data* .bss*".split(' ');
        let shuffle = shuffle.map(|name| format!("--shuffle-sections={name}=7"));
        let expected = format!(
            "-pie a.o -lc -o /l/7 {} --randomize-section-padding=7",
            shuffle.collect::<Vec<_>>().join(" ")
        );
        assert_eq!(words, all(&expected));
        let mold = Shuffling { program: "/usr/bin/mold".into(), pads: false };
        assert!(
            made.shuffled(&mold, 7, Path::new("x")).ends_with(&all("-o x --shuffle-sections=7"))
        );
        assert_eq!(link("a.o").expect("a program").output, PathBuf::from("a.out"));
        assert_eq!(link("-oprog a.o").expect("a program").output, PathBuf::from("prog"));
        for other in ["-shared -o x.so a.o", "-r -o x.o a.o", "--version"] {
            assert_eq!(link(other), None, "{other}");
        }
    }

    #[test]
    fn trials_are_no_programs_to_measure() {
        let folder = Path::new("/src/CMakeFiles");
        assert!(link("-o conftest a.o").expect("a link").is_trial(folder));
        assert!(link("-o target/build_script_build-1 a.o").expect("a link").is_trial(folder));
        assert!(link("-o CMakeScratch/x/cmTC_1 a.o").expect("a link").is_trial(folder));
        assert!(!link("-o prog a.o").expect("a link").is_trial(folder));
    }

    #[test]
    fn arguments_in_a_file_are_read() {
        let read = |path: &Path| {
            (path == Path::new("args")).then(|| b"-o 'my prog' a\\ b.o \"c d\"".to_vec())
        };
        let made = Link::parse(&all("@args @other"), &read).expect("a program");
        assert_eq!(made.output, PathBuf::from("my prog"));
        assert_eq!(made.arguments, ["a b.o", "c d", "@other"]);
    }

    #[test]
    fn the_linker_of_go_takes_its_file_last() {
        let given = all("-o /w/a.out -buildmode=exe -s /w/main.a");
        let (output, with) = of_go(&given).expect("a program");
        assert_eq!(output, PathBuf::from("/w/a.out"));
        let expected = "-o /w/a.out -buildmode=exe -s -randlayout=5 -o /l/5 /w/main.a";
        assert_eq!(with(5, Path::new("/l/5")), all(expected));
        assert!(of_go(&all("-V=full")).is_none());
        assert!(of_go(&all("-o x -buildmode=c-shared main.a")).is_none());
    }
}
