//! The settings given to OCaml, and those in effect.

use toolchains::runtime::adapter::Difference;
use toolchains::runtime::ocaml;

use super::said;

const VERSION_4: &str =
    include_str!("../../../../fixtures/runtimes/samples/ocaml-4.13.1-settings.txt");
const DEFAULTS: &str = include_str!("../../../../fixtures/runtimes/samples/ocaml-4.13.1.txt");
const VERSION_5: &str = include_str!("../../../../fixtures/runtimes/samples/ocaml-5.4.1.txt");

fn differences(stderr: &str, asked: &str) -> Vec<(String, String)> {
    let pair = |Difference { asked, effective }: Difference| (asked, effective);
    (ocaml::ADAPTER.differences)(&said(stderr), asked).into_iter().map(pair).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(asked, told)| ((*asked).to_owned(), (*told).to_owned())).collect()
}

/// Printed by a program started with `s=300M,i=4M,h=1k`.
#[test]
fn version_4_tells_what_it_made_of_its_settings() {
    let clamped =
        [("s=300M", "OCaml runs with 262144k words"), ("h=1k", "OCaml runs with 480k bytes")];
    assert_eq!(differences(VERSION_4, "s=300M,i=4M,h=1k"), pairs(&clamped));
    assert_eq!(differences(VERSION_4, "s=256M,o=120,O=500,a=2,w=1"), []);
    let no_number = [("s=abc", "OCaml runs with 256k words"), ("o=-5", "OCaml runs with 120%")];
    assert_eq!(differences(DEFAULTS, "s=abc,o=-5,v=64"), pairs(&no_number));
    assert_eq!(differences(DEFAULTS, "s=262144,s=0x40000"), []);
    assert_eq!(differences(DEFAULTS, ""), []);
}

#[test]
fn version_5_tells_nothing_and_what_is_sure_is_said_all_the_same() {
    let expected = [
        ("s=abc", "it is not a number, and OCaml silently uses another one"),
        ("i=3", "OCaml 5 has no use for it"),
        ("zz=3", "OCaml knows no such setting"),
    ];
    assert_eq!(differences(VERSION_5, "v=0,s=abc,s=32M,b,i=3,zz=3"), pairs(&expected));
}
