//! Damaged dumps: readable parts are read, the others reported, and nothing panics.

use ghc::core::{Dump, Reason};
use proptest::prelude::*;

use crate::{DUMPS, printer, sample};

/// Names of the top-level bindings.
fn names(dump: &Dump) -> Vec<String> {
    let tops = dump.passes.iter().flat_map(|pass| dump.tops(pass));
    tops.map(|top| dump.core.text(dump.core.bindings[top.binding].name).to_owned()).collect()
}

#[test]
fn a_binding_that_cannot_be_read_is_left_out_and_the_others_are_read() {
    let text = String::from_utf8_lossy(sample("9.0.2 simpl")).into_owned();
    let whole = Dump::read(text.as_bytes());
    let broken = text.replacen("case ", "case ) ", 1);
    let line = 1 + text[..text.find("case ").expect("a case")].matches('\n').count() as u32;
    let dump = Dump::read(broken.as_bytes());
    assert_eq!(dump.problems.len(), 1, "{:?}", dump.problems);
    let problem = &dump.problems[0];
    assert_eq!(problem.line, line);
    assert!(problem.begins <= line);
    let expected = Reason::Unexpected { expected: "an expression", found: Some(")".to_owned()) };
    assert_eq!(problem.reason, expected);
    assert_eq!(problem.to_string(), format!("line {line}: expected an expression, found `)`"));
    assert_eq!(names(&dump).len(), names(&whole).len() - 1);
}

#[test]
fn a_dump_that_is_cut_off_says_so() {
    let text = sample("9.10.3 simpl");
    let rec = text.windows(6).position(|window| window == b"\nRec {").expect("a group");
    let end = text.windows(9).position(|window| window == b"end Rec }").expect("its end");
    assert!(rec < end);
    let dump = Dump::read(&text[..end]);
    assert_eq!(dump.problems.last().map(|problem| &problem.reason), Some(&Reason::CutOff));
    assert_eq!(dump.unread_parts, dump.problems.len());
    let half = Dump::read(&text[..rec + 200]);
    assert!(!half.problems.is_empty());
}

#[test]
fn nesting_has_no_limit_in_expressions_and_one_in_types() {
    let deep = 20_000;
    let cases = format!("x = {}y{}\n", "case y of { _ -> ".repeat(deep), " }".repeat(deep));
    let brackets = format!("x = {}y{}\n", "f (".repeat(deep), ")".repeat(deep));
    let lambdas = format!("x = let {{ w = {}y }} in y\n", "\\ z -> ".repeat(deep));
    for text in [cases, brackets, lambdas] {
        let dump = Dump::read(text.as_bytes());
        assert_eq!(dump.problems, []);
        let printed = printer::dump(&dump);
        assert_eq!(printer::dump(&Dump::read(printed.as_bytes())), printed);
        let top = dump.tops(&dump.passes[0]).next().expect("one");
        let binding = &dump.core.bindings[top.binding];
        assert!(dump.core.free_variables(binding.right).len() <= 2);
        assert!(dump.core.size(binding.right).terms as usize > deep);
        assert!(dump.core.readable_marked(binding, &[]).text.contains("..."));
    }
    let types = format!("x :: {}a{}\nx = y\n", "(b -> ".repeat(deep), ")".repeat(deep));
    let problems = Dump::read(types.as_bytes()).problems;
    assert!(matches!(problems[0].reason, Reason::TooDeep { what: "types", .. }), "{problems:?}");
    for templated in ["Unf=Unf{Tmpl= ", "RULES: \"r\" forall z. f z = "] {
        let level = format!("{templated}let {{\n  y :: b\n  [LclId, ");
        let text = format!("x :: a\n[GblId, {}", level.repeat(deep));
        let problems = Dump::read(text.as_bytes()).problems;
        assert!(
            matches!(problems[0].reason, Reason::TooDeep { what: "unfoldings and rules", .. }),
            "{problems:?}"
        );
    }
}

#[test]
fn of_very_many_parts_that_cannot_be_read_the_first_are_named_and_all_counted() {
    let dump = Dump::read(")\n\n".repeat(10_000).as_bytes());
    assert_eq!(dump.unread_parts, 10_000);
    let lines: Vec<u32> = dump.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines[..3], [1, 3, 5]);
    assert!((10..1000).contains(&lines.len()));
}

#[test]
fn text_that_is_no_dump_gives_problems_and_no_bindings() {
    for text in [
        "",
        "\n\n",
        "hello\n",
        "<html>\n<body>\n",
        "int main() { return 0; }\n",
        "\0\u{1}\u{2}",
        "\"",
        "x =",
    ] {
        let dump = Dump::read(text.as_bytes());
        assert!(names(&dump).is_empty(), "{text}");
        assert_eq!(dump.problems.is_empty(), text.trim().is_empty(), "{text}");
    }
}

/// Texts inserted into samples: beginnings and ends of constructs.
const WORDS: [&str; 32] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "`cast`",
    "->",
    "@",
    "@~",
    "<Co:3>",
    "::",
    "=",
    "\\ ",
    "case ",
    " of ",
    "let {",
    "} in",
    "jump ",
    "forall ",
    ",",
    ";",
    "\"",
    "'",
    "#)",
    "(# ",
    "\n",
    "\n\n",
    "Rec {\n",
    "RULES: \"",
    "Unf=Unf{",
    "DFun: ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_whatever_is_changed(
        which in 0..DUMPS.len(),
        changes in prop::collection::vec((any::<u32>(), 0..40_usize, 0..WORDS.len(), 1..200_usize), 1..6),
        kept in any::<u32>(),
    ) {
        let mut text = DUMPS[which].1.to_vec();
        for (place, removed, word, times) in changes {
            let place = place as usize % text.len();
            let end = (place + removed).min(text.len());
            text.splice(place..end, WORDS[word].repeat(if times > 190 { times } else { 1 }).into_bytes());
        }
        text.truncate(text.len() - kept as usize % (text.len() / 4));
        let dump = Dump::read(&text);
        for pass in &dump.passes {
            for top in dump.tops(pass) {
                let binding = &dump.core.bindings[top.binding];
                let _ = (dump.core.size(binding.right), dump.core.readable_marked(binding, &[]));
            }
        }
        let _ = dump.suppressed();
    }

    #[test]
    fn nothing_panics_on_any_bytes(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Dump::read(&text);
    }
}
