//! Changes to a command.

use std::ffi::OsString;

use toolchains::runtime::tuning::{ApplyError, Change, Facts, Start};

use crate::{menu, places};

fn apply(
    word: &str,
    turned: &[(&str, &str)],
    argv: Option<&[&str]>,
    variables: &[(&str, &str)],
) -> Result<Change, ApplyError> {
    let menu = menu(word, Facts::default());
    let setting = menu.setting(&places(&menu, turned));
    let argv: Option<Vec<OsString>> = argv.map(|words| words.iter().map(Into::into).collect());
    let variable = |name: &str| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    setting.apply(&Start { argv: argv.as_deref(), variable: &variable })
}

fn line(word: &str, turned: &[(&str, &str)], argv: &[&str], variables: &[(&str, &str)]) -> String {
    apply(word, turned, Some(argv), variables).expect("applies").line()
}

#[test]
fn the_default_changes_nothing() {
    for word in ["ocaml", "sbcl", "mlton", "jvm"] {
        let change = apply(word, &[], None, &[("OCAMLRUNPARAM", "s=1M")]).expect("nothing to do");
        assert_eq!((change.line(), change), (String::new(), Change::default()), "{word}");
    }
}

#[test]
fn what_the_user_set_stays_unless_it_is_that_knob() {
    let turned = &[("s", "32M"), ("o", "200")];
    let ocaml = |value| line("ocaml", turned, &["./p"], &[("OCAMLRUNPARAM", value)]);
    assert_eq!(ocaml(""), "export OCAMLRUNPARAM=s=32M,o=200");
    assert_eq!(ocaml("b,v=0x400,s=1M,,h=2M"), "export OCAMLRUNPARAM=b,v=0x400,h=2M,s=32M,o=200");
    let old = line("ocaml", turned, &["./p"], &[("CAMLRUNPARAM", "b")]);
    assert_eq!(old, "export OCAMLRUNPARAM=b,s=32M,o=200");
    let ghc = |value| {
        let turned = &[("-A", "64m"), ("collector", "--nonmoving-gc")];
        line("ghc", turned, &["./p"], &[("GHCRTS", value)])
    };
    assert_eq!(ghc(""), "export GHCRTS='-A64m --nonmoving-gc'");
    assert_eq!(ghc("-t -A1m -AL2m -c30"), "export GHCRTS='-t -AL2m -A64m --nonmoving-gc'");
    let jvm = |value| {
        let turned = &[("collector", "-XX:+UseSerialGC"), ("-Xmn", "64m")];
        line("jvm", turned, &["java", "P"], &[("JDK_JAVA_OPTIONS", value)])
    };
    let expected = "export JDK_JAVA_OPTIONS='-ea -XX:+UseSerialGC -Xmn64m'";
    assert_eq!(jvm("-XX:+UseG1GC -ea -Xmn1g"), expected);
    let node = line(
        "node",
        &[("--max-semi-space-size", "64")],
        &["node", "p.js"],
        &[("NODE_OPTIONS", "--max_semi_space_size=1 --require x")],
    );
    assert_eq!(node, "export NODE_OPTIONS='--require x --max-semi-space-size=64'");
    let go = line("go", &[("GOGC", "off"), ("GOMEMLIMIT", "1GiB")], &["./p"], &[("GOGC", "50")]);
    assert_eq!(go, "export GOGC=off GOMEMLIMIT=1GiB");
}

#[test]
fn arguments_stand_where_the_runtime_takes_them() {
    let poly = line("polyml", &[("-H", "512")], &["poly", "--script", "x y.sml"], &[]);
    assert_eq!(poly, "poly -H 512 --script 'x y.sml'");
    let live = &[("live-ratio", "16")];
    assert_eq!(line("mlton", live, &["./p", "7"], &[]), "./p @MLton live-ratio 16 -- 7");
    let behind = ["./p", "@MLton", "gc-summary", "--", "7"];
    let expected = "./p @MLton gc-summary -- @MLton live-ratio 16 -- 7";
    assert_eq!(line("mlton", live, &behind, &[]), expected);
    let sbcl = |argv: &[&str]| {
        let turned = [("--dynamic-space-size", "4096"), ("bytes-consed-between-gcs", "268435456")];
        line("sbcl", &turned, argv, &[])
    };
    let form = "--eval '(progn (setf (sb-ext:bytes-consed-between-gcs) 268435456) (gc))'";
    let script = "--noinform --disable-ldb --lose-on-corruption";
    assert_eq!(
        sbcl(&["sbcl", "--script", "x.lisp"]),
        format!("sbcl --dynamic-space-size 4096 {script} {form} --script x.lisp")
    );
    assert_eq!(
        sbcl(&["sbcl", "--noinform", "--end-runtime-options", "--load", "x"]),
        format!("sbcl --dynamic-space-size 4096 --noinform --end-runtime-options {form} --load x")
    );
}

#[test]
fn what_the_command_itself_says_is_not_overruled() {
    for (word, turned, argv) in [
        ("ghc", ("-A", "64m"), &["./p", "+RTS", "-A1m"][..]),
        ("jvm", ("-Xmn", "64m"), &["java", "-Xmn1g", "P"]),
        ("node", ("--max-semi-space-size", "64"), &["node", "--max-semi-space-size=1", "p.js"]),
        ("mlton", ("live-ratio", "16"), &["./p", "@MLton", "live-ratio", "9", "--"]),
        ("polyml", ("-H", "512"), &["poly", "-H", "100"]),
        ("sbcl", ("--dynamic-space-size", "4096"), &["sbcl", "--dynamic-space-size", "1000"]),
    ] {
        let refused = apply(word, &[turned], Some(argv), &[]);
        assert!(matches!(refused, Err(ApplyError::SaidInCommand { .. })), "{word}: {refused:?}");
    }
    // An argument of the program itself.
    for argv in [&["./p", "-A1m"][..], &["./p", "+RTS", "-t", "-RTS", "-A1m"]] {
        assert!(apply("ghc", &[("-A", "64m")], Some(argv), &[]).is_ok(), "{argv:?}");
    }
}

#[test]
fn arguments_do_not_pass_a_shell_and_variables_do() {
    for (word, turned) in [
        ("mlton", ("live-ratio", "16")),
        ("polyml", ("-H", "512")),
        ("sbcl", ("--dynamic-space-size", "4096")),
    ] {
        let refused = apply(word, &[turned], None, &[]);
        assert!(matches!(refused, Err(ApplyError::Unreachable { .. })), "{word}: {refused:?}");
    }
    assert!(apply("ocaml", &[("s", "1M")], None, &[]).is_ok());
    let own_core = apply("sbcl", &[("--dynamic-space-size", "4096")], Some(&["./server"]), &[]);
    assert!(matches!(own_core, Err(ApplyError::Unreachable { .. })));
}
