//! Harnesses that a project describes, and commands whose first word does not have the benchmarks.

use crate::bench::{script, suite};
use crate::lab::Lab;

/// A harness with a report in JSON, with odd names, and benchmarks that fail or take no time. Its
/// arguments are `names`, or a file, `run` and a name.
const PROGRAM: &str = "\
[ \"$1\" = names ] && printf '%s\\n' 'a/b, [c] {folder} ü' 'a/b, [c]' broken zero none && exit
[ \"$2\" = run ] || exit 9
printf 'printed\\n'
case $3 in
    broken) entry='\"failed\": \"no map\"';;
    zero) entry='\"nanoseconds\": [0]';;
    none) entry='\"nanoseconds\": []';;
    *) entry='\"nanoseconds\": [100, 120]';;
esac
printf '{\"loops\": 4, \"all\": [{\"called\": \"%s\", %s}]}' \"$3\" \"$entry\" > \"$1\"
";

const DESCRIPTION: &str = "\
[harness.mine]
name = \"our harness\"
list.arguments = [\"names\"]
select.arguments = [\"run\", \"{name}\"]
report = { arguments = [\"{file}\"], file = \"report.json\" }

[harness.mine.read]
entries = \"all.*\"
name = [\"{called}\"]
refuse = [{ at = \"failed\", reason = \"it failed: {failed}\" }]
time = [{ at = \"nanoseconds.*\", iterations = [\"loops\"] }]
unit = \"ns\"
";

#[test]
fn a_described_harness_is_run_like_brisks_own() {
    let lab = Lab::new();
    script(&lab, "program", PROGRAM);
    lab.write("brisk.toml", DESCRIPTION);
    let listed = lab.brisk(&["bench", "--harness", "mine", "--list", "./program"]).exited(0);
    assert_eq!(listed.stdout, "a/b, [c] {folder} ü\na/b, [c]\nbroken\nzero\nnone\n");
    let ended = lab.brisk(&["bench", "-q", "--harness", "mine", "--runs", "3", "./program"]);
    let ended = ended.exited(2);
    let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "`broken`: it failed: no map",
        "`zero`: the harness says it took 0 s",
        "`none`: the harness gives no time",
        "from 110.0 ns (`a/b, [c] {folder} ü`) to 110.0 ns (`a/b, [c]`)",
    ] {
        assert!(said.contains(expected), "{expected}: {ended}");
    }
}

#[test]
fn a_description_is_refused_with_its_place_and_the_keys_that_exist() {
    let lab = Lab::new();
    script(&lab, "program", PROGRAM);
    let bench = || lab.brisk(&["bench", "--harness", "mine", "./program"]);
    bench().refused("unknown harness `mine`").hinting("known:");
    lab.write("brisk.toml", &DESCRIPTION.replace("entries", "entires"));
    let ended = bench().refused("unknown field `entires`");
    assert!(ended.stderr.contains("`entries`") && ended.stderr.contains("line 8"), "{ended}");
    lab.write("brisk.toml", &DESCRIPTION.replace("harness.mine", "harness.go"));
    bench().refused("`go` is a harness that brisk has");
    lab.write("brisk.toml", &DESCRIPTION.replace("\"ns\"", "\"furlongs\""));
    let ended = lab.brisk(&["bench", "-q", "--harness", "mine", "--runs", "2", "./program"]);
    ended.exited(2);
}

#[test]
fn a_command_is_a_program_with_the_name_that_was_typed() {
    let lab = Lab::new();
    suite(&lab, "old", &["a"], 100);
    suite(&lab, "new", &["a"], 100);
    let named = ["bench", "-q", "--harness", "lines", "--runs", "2"];
    let ended = lab.brisk(&[&named[..], &["--", "sh", "old"]].concat()).exited(0);
    assert!(ended.stdout.contains("`a`: 100.0 µs time per iteration"), "{ended}");
    let ended = lab.brisk(&[&named[..], &["sh old", "sh './new'"]].concat()).exited(0);
    assert!(ended.stdout.contains("old  sh old\nnew  sh ./new\n"), "{ended}");
    lab.brisk(&["bench", "sh 'old"]).refused("`sh 'old` has a quotation mark that is not closed");
}
