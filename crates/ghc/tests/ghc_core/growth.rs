//! The reader's work grows linearly with the text, even if the text is nested, long, or
//! unterminated.
//!
//! Steps are counted and not timed: this program runs again under callgrind, which records the
//! instructions of each call of `work_on`.

use std::process::Command;

use ghc::core::Dump;
use toolchains::callgrind::{Profile, Reader};

/// Set for the run under callgrind.
const COUNTED: &str = "BRISK_TEST_GROWTH";

/// Approximate size in bytes of the smaller text of each pair.
const FEW: usize = 2 << 10;

/// The size of the larger text, as a multiple. Containers that double when full have doubled three
/// times in between.
const TIMES: usize = 8;

/// Fixed costs make it less than `TIMES`; sorting and the like make it a little more.
const MOST: f64 = TIMES as f64 * 1.1;

/// An awkward text: a prefix, a repeated part, and a suffix.
struct Awkward(&'static str, &'static str, &'static str, &'static str);

impl Awkward {
    fn text(&self, times: usize) -> String {
        let Self(_, before, piece, behind) = self;
        format!("{before}{}{behind}\n", piece.repeat(times * FEW / piece.len()))
    }
}

const ALL: [Awkward; 42] = [
    Awkward("brackets", "x = y ", "(f ", ""),
    Awkward("brackets that close nothing", "x = y", ")", ""),
    Awkward("tuples", "x = ", "(# a, ", ""),
    Awkward("sums", "x = ", "(# _| | ", ""),
    Awkward("bars", "x = (# ", "| ", ""),
    Awkward("lets", "x = ", "let { y = z } in ", "y"),
    Awkward("lets in lets", "x = ", "let { y = ", "z"),
    Awkward("bindings of one let", "x = letrec { ", "y = z; ", "w = v } in y"),
    Awkward("cases", "x = ", "case y of z { _ -> ", ""),
    Awkward("cases of cases", "x = ", "case ", "y"),
    Awkward("alternatives", "x = case y of { ", "1# -> z; ", "_ -> z }"),
    Awkward("lambdas", "x = ", "\\ y -> ", "y"),
    Awkward("parameters", "x = \\ ", "(y :: T) ", "-> y"),
    Awkward("arguments", "x = f ", "y ", ""),
    Awkward("applications of applications", "x = ", "(f) ", ""),
    Awkward("casts", "x = y", " `cast` <Co:1>", ""),
    Awkward("notes", "x = ", "src<A.hs:1:2-3> ", "y"),
    Awkward("notes without an end", "x = y\n\n", "y = src<A.hs z\n\n", ""),
    Awkward("notes of cost centres", "x = ", "scc<a b> ", "y"),
    Awkward("strings", "x = f ", "\"a\\\"b\"# ", ""),
    Awkward("strings without an end", "x = y\n\n", "y = \"\n\n", ""),
    Awkward("ticks", "x :: ", "' ", "a\nx = y"),
    Awkward("names", "x = f ", "y_s1 ", ""),
    Awkward("a name", "x = f ", "y", ""),
    Awkward("a name with brackets", "x = f ", "y[1](,)", ""),
    Awkward("types", "x :: ", "(a -> ", ""),
    Awkward("arrows", "x :: ", "a -> ", "a\nx = y"),
    Awkward("variables of types", "x :: forall ", "(a :: k) ", ". a\nx = y"),
    Awkward("operators", "x :: a", " ~R# a", "\nx = y"),
    Awkward("lists of types", "x :: ", "[a, ", ""),
    Awkward("reflexivity", "x = CO: ", "<a>_N ; ", "<a>_N"),
    Awkward("reflexivity without an end", "x = CO: ", "<", "a"),
    Awkward("implicit parameters", "x :: ", "?x::", "a\nx = y"),
    Awkward("attributes", "x :: a\n[GblId", ", Arity=1", "]\nx = y"),
    Awkward("a demand", "x :: a\n[Str=", "<L(", ""),
    Awkward("fields", "x :: a\n[Unf=Unf{", "Src=a\n   ", "}]\nx = y"),
    Awkward("rules", "x :: a\n[RULES: ", "\"r\" forall z. f z = z ", "]\nx = y"),
    Awkward("rules at the end", "x = y\n\n", "\"a \"b\" c\" forall z. f z = z\n", ""),
    Awkward("a dictionary", "x :: a\n[Unf=DFun: ", "\\ (@ a) ", "]\nx = y"),
    Awkward("sizes without an end", "x = y\n\n", "-- RHS size: {terms: 1,\n  types\n", ""),
    Awkward("blank lines", "x = y\n", "\n  \n", ""),
    Awkward("groups", "x = y\n\n", "Rec {\n", ""),
];

/// The counted function. No other symbol, such as a closure, may have this in its name.
#[inline(never)]
fn work_on(text: &str) -> usize {
    all_of(text)
}

/// Reads a text, and runs every query on every binding.
fn all_of(text: &str) -> usize {
    let dump = Dump::read(text.as_bytes());
    let tops = dump.passes.iter().flat_map(|pass| dump.tops(pass));
    let asked = tops.map(|top| {
        let binding = &dump.core.bindings[top.binding];
        let free = dump.core.free_variables(binding.right).len();
        free + dump.core.size(binding.right).terms as usize
    });
    asked.sum()
}

#[test]
fn awkward_texts_are_read_in_proportion_to_their_length() {
    for awkward in &ALL {
        for times in [1, TIMES] {
            work_on(&awkward.text(times));
        }
    }
    if std::env::var_os(COUNTED).is_some() {
        return;
    }
    let Some(profile) = counted() else {
        eprintln!("not checked: there is no valgrind, or it does not work here");
        return;
    };
    // The first part ends at the start of the first call, and each of the others at the start of
    // the next.
    let calls: Vec<u64> = profile.parts.iter().skip(1).map(|part| part.read).collect();
    assert_eq!(calls.len(), 2 * ALL.len());
    for (Awkward(name, ..), pair) in ALL.iter().zip(calls.chunks(2)) {
        let grown = pair[1] as f64 / pair[0] as f64;
        assert!(
            grown < MOST,
            "{name}: {} steps, and {TIMES} times as much takes {}",
            pair[0],
            pair[1]
        );
    }
}

/// Callgrind's profile of this test, run once more. `None` without callgrind.
fn counted() -> Option<Profile> {
    let folder = std::env::temp_dir().join(format!("brisk-growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let out = folder.join("out");
    let this = std::env::current_exe().expect("a program knows where it is");
    #[expect(clippy::disallowed_methods, reason = "a test of what another program counts")]
    let ran = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--combine-dumps=yes"])
        .args(["--dump-before=*work_on*"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(this)
        .args(["--exact", "growth::awkward_texts_are_read_in_proportion_to_their_length"])
        .env(COUNTED, "1")
        .output();
    let text = std::fs::read(&out);
    std::fs::remove_dir_all(&folder).expect("it was there");
    let text = text.ok().filter(|_| ran.is_ok_and(|ran| ran.status.success()))?;
    let mut reader = Reader::default();
    reader.take(&text);
    Some(reader.finish().expect("a sound file"))
}
