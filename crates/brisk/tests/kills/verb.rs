//! The verbs that measure, each with a command that takes about a second, and its files.

/// A verb that measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Compare,
    Sweep,
    Bench,
    History,
    Check,
}

/// All verbs.
pub(crate) const VERBS: [Verb; 5] =
    [Verb::Compare, Verb::Sweep, Verb::Bench, Verb::History, Verb::Check];

/// The file to which every measured program appends a line as its last act; a suite appends one for
/// each benchmark.
pub(crate) const LOG: &str = "log";

impl Verb {
    /// Its arguments, without the store.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Compare => {
                &["compare", "-q", "-r", "50", "--cleanup", "echo x >> cleaned", "./a", "./b"]
            }
            Self::Sweep => &["sweep", "-q", "-r", "40", "-L", "n", "a,b", "./{n}"],
            Self::Bench => &["bench", "-q", "-r", "25", "./suite"],
            Self::History => &[
                "history",
                "HEAD~2..HEAD",
                "--runs",
                "40",
                "--build",
                "cp source program",
                "--artifact",
                "program",
                "--",
                "./program",
            ],
            Self::Check => &["check", "-q"],
        }
    }

    /// The files it needs, by name; they are executable.
    pub(crate) fn files(self) -> Vec<(&'static str, String)> {
        let program = |what: &str| format!("#!/bin/sh\n# {what}\n: {what}\necho x >> \"$LOG\"\n");
        match self {
            Self::Compare | Self::Sweep => vec![("a", program("a")), ("b", program("b"))],
            Self::Bench => {
                let suite = "#!/bin/sh\necho 'brisk-bench 1'\n\
                             [ \"$1\" = --list ] && { echo one; echo two; exit; }\n\
                             shift\nfor name; do printf '%s\\t1000\\t0.25\\n' \"$name\"; done\n\
                             printf 'x\\n%.0s' \"$@\" >> \"$LOG\"\n";
                vec![("suite", suite.to_owned())]
            }
            Self::History => vec![("source", program("0"))],
            Self::Check => {
                let benchmark = |name: &str| {
                    format!("[[benchmark]]\nname = \"{name}\"\ncommand = \"./{name}\"\nruns = 40\n")
                };
                let expected = "[[expect]]\nthat = 'wall_time(a) < 1000 * wall_time(b)'\n";
                let toml = format!("{}\n{}\n{expected}", benchmark("a"), benchmark("b"));
                vec![("a", program("a")), ("b", program("b")), ("brisk.toml", toml)]
            }
        }
    }

    /// A shell script that prepares the files before brisk starts.
    pub(crate) fn preparation(self) -> &'static str {
        match self {
            Self::History => {
                "git init -q -b main . && git config user.name n && git config user.email e &&
                 for n in 1 2 3; do sed -i \"s/: .*/: $n/\" source && git add source &&
                 git commit -q -m $n || exit 1; done"
            }
            _ => "true",
        }
    }

    /// The number of stored runs from one process: a process of a suite may run both benchmarks.
    pub(crate) fn runs_in_flight(self) -> usize {
        if self == Self::Bench { 2 } else { 1 }
    }

    /// True if the same command resumes interrupted work.
    pub(crate) fn goes_on(self) -> bool {
        !matches!(self, Self::Check)
    }
}
