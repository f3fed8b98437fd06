//! Figures from a program's runtime: of programs that behave like GHC's, and of real ones.

use std::fs;

use serde_json::Value;

use crate::document::{list, measured};
use crate::lab::{Lab, eventually, has, not_checked, run};

/// Behaves like the runtime of a program linked with `-rtsopts=$1` that allocates `$2` bytes, and
/// records its options. Modelled on GHC 9.0.2; see `fixtures/ghc_runtime`.
const RUNTIME: &str = r#"#!/bin/sh
allowed=$1 allocated=$2 file= exact= asked=
echo "${GHCRTS-unset}" >> log
[ "$allowed" = ignoreAll ] && exit 0
for option in $GHCRTS; do
    case $allowed:$option in
        none:*) echo "fake: Warning: Ignoring GHCRTS variable as RTS options are disabled." >&2
                exit 0;;
        *:-t) asked=yes file=;;
        some:-t*|some:--*)
            echo "fake: Most RTS options are disabled. Link with -rtsopts to enable them." >&2
            exit 1;;
        *:-t*) asked=yes file=${option#-t};;
        *:--machine-readable) exact=yes;;
    esac
done
say() {
    if [ -n "$exact" ]; then
        printf "'fake' +RTS \n [(\"bytes allocated\", \"%s\")\n ,(\"num_GCs\", \"9\")\n" $allocated
        printf ' ,("max_bytes_used", "4096")\n ,("num_byte_usage_samples", "2")\n'
        printf ' ,("peak_megabytes_allocated", "3")\n ,("mut_cpu_seconds", "0.001500")\n'
        printf ' ,("GC_cpu_seconds", "0.000250")\n ,("copied_bytes", "777")\n ]\n'
    else
        printf '<<ghc: %s bytes, 9 GCs, 99/4096 avg/max bytes residency (2 samples), ' $allocated
        printf '3M in use, 0.000 INIT (0.000 elapsed), 0.001 MUT (0.001 elapsed), '
        printf '0.002 GC (0.002 elapsed) :ghc>>\n'
    fi
}
if [ -n "$asked" ]; then
    report=$(say)
    if [ -n "$file" ]; then printf '%s\n' "$report" > "$file"; else printf '%s\n' "$report" >&2; fi
fi
exit ${3-0}
"#;

/// A lab with that runtime in `runtime`, and in `haskell` a compiled program that runs a script and
/// looks as if GHC had built it.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("runtime", RUNTIME);
    let shell = fs::canonicalize("/bin/sh").expect("every Linux has one");
    let mut program = fs::read(shell).expect("readable");
    // Bytes after the end of an ELF file change nothing.
    program.extend_from_slice(b"GHCRTS\0--RTS\0+RTS\0-RTS\0");
    fs::write(lab.path("haskell"), program).expect("writable");
    assert!(run("chmod", &["+x", &lab.path("haskell").display().to_string()]));
    assert!(run("chmod", &["+x", &lab.path("runtime").display().to_string()]));
    lab
}

/// The readings of one metric from the runs of one variant that queried the runtime.
pub(crate) fn said(document: &Value, variant: u32, metric: &str) -> Vec<Value> {
    let asked = list(document, "runs").iter().filter(|run| run["source"] == "runtime");
    let asked = asked.filter(|run| run["variant"] == variant);
    asked.map(|run| run["readings"][metric].clone()).collect()
}

fn comparison<'a>(document: &'a Value, metric: &str) -> &'a Value {
    let mut parts = list(document, "comparisons").iter();
    parts.find(|part| part["metric"] == metric).unwrap_or_else(|| panic!("{metric} is compared"))
}

const FEW: [&str; 2] = ["-r", "2"];

fn compared(lab: &Lab, arguments: &[&str]) -> Value {
    lab.compared(&[&FEW, arguments].concat())
}

#[test]
fn a_runtime_that_may_be_asked_says_everything() {
    let lab = lab();
    let document = compared(&lab, &["./haskell runtime all 1000", "./haskell runtime all 1100"]);
    for (metric, value) in [
        ("allocated", 1000.0),
        ("max_live", 4096.0),
        ("memory_in_use", 3.0 * 1024.0 * 1024.0),
        ("copied", 777.0),
        ("gc_count", 9.0),
        ("gc_time", 0.000_25),
        ("mutator_time", 0.001_5),
    ] {
        assert_eq!(said(&document, 0, metric), [value, value], "{metric}");
    }
    let part = comparison(&document, "allocated");
    assert_eq!((&part["ratio"], &part["basis"]), (&1.1.into(), &"exact".into()));
    assert_eq!((&part["source"], &part["verdict"]), (&"runtime".into(), &"regressed".into()));
    assert_eq!(comparison(&document, "max_live")["verdict"], "unchanged");
    lab.brisk(&["show", "1", "-v"])
        .says("allocated (runtime)")
        .says("exactly 1.100")
        .says("come from 2 separate rounds that agreed exactly");
}

#[test]
fn the_timed_runs_are_left_alone() {
    let lab = lab();
    let document = compared(&lab, &["./haskell runtime all 1000"]);
    let told = lab.lines("log");
    assert_eq!(&told[..2], ["unset", "unset"]);
    assert_eq!(told.len(), 4);
    assert!(told[2..].iter().all(|told| told.ends_with(" --machine-readable")), "{told:?}");
    assert_eq!(measured(&document).len(), 2);
    assert!(measured(&document).iter().all(|run| run["readings"]["allocated"].is_null()));
    // Of these runs, only the runtime's figures are kept.
    assert!(said(&document, 0, "wall_time").iter().all(Value::is_null));
}

#[test]
fn a_runtime_that_may_not_be_asked_for_everything_says_a_line() {
    let lab = lab();
    let document = compared(&lab, &["--prepare", "echo p >> log", "./haskell runtime some 1000"]);
    assert_eq!(said(&document, 0, "allocated"), [1000.0, 1000.0]);
    assert_eq!(said(&document, 0, "gc_time"), [0.002, 0.002]);
    for reading in said(&document, 0, "copied") {
        let reason = reading["missing"].as_str().expect("nobody said it");
        assert!(reason.contains("-rtsopts"), "{reason}");
    }
    // The query happened once, prepared like every other run, and does not count as a run of the
    // program.
    let told = lab.lines("log");
    assert_eq!(told.iter().filter(|told| told.contains("machine-readable")).count(), 1);
    assert_eq!(told[6..], ["p", "-t", "p", "-t"]);
    assert_eq!(list(&document, "runs").len(), 4);
}

#[test]
fn a_line_of_the_same_times_is_no_proof() {
    let lab = lab();
    let command = "./haskell runtime some 1000";
    let document = compared(&lab, &["--metrics", "gc_time,allocated", command, command]);
    assert_eq!(comparison(&document, "allocated")["basis"], "exact");
    let times = comparison(&document, "gc_time");
    assert_eq!((&times["basis"], &times["verdict"]), (&"ratios".into(), &"inconclusive".into()));
}

#[test]
fn a_runtime_that_may_not_be_asked_at_all_is_missing_with_its_words() {
    let lab = lab();
    for (number, allowed, words) in
        [("1", "none", "Ignoring GHCRTS variable"), ("2", "ignoreAll", "no program of the run")]
    {
        let document = compared(&lab, &[&format!("./haskell runtime {allowed} 1000")]);
        let readings = said(&document, 0, "allocated");
        assert_eq!(readings.len(), 2);
        for reading in readings {
            let reason = reading["missing"].as_str().expect("nothing was said");
            assert!(reason.contains(words), "{reason}");
        }
        lab.brisk(&["show", number])
            .succeeded()
            .says("the runtime reports nothing about ")
            .says(words);
    }
}

#[test]
fn what_the_user_tells_the_runtime_is_kept() {
    let lab = lab().with("GHCRTS", "-A64m");
    compared(&lab, &["./haskell runtime all 1"]);
    let told = lab.lines("log");
    assert_eq!(told[0], "-A64m");
    assert!(told[3].starts_with("-A64m -t/"), "{told:?}");
    let lab = self::lab().with("GHCRTS", "-A64m");
    compared(&lab, &["--env", "GHCRTS=-G3", "./haskell runtime some 1"]);
    assert_eq!(lab.lines("log").last().expect("it ran"), "-G3 -t");
}

#[test]
fn other_programs_run_no_oftener() {
    let lab = Lab::new();
    lab.write("script", "#!/bin/sh\necho x >> log\n");
    assert!(run("chmod", &["+x", &lab.path("script").display().to_string()]));
    compared(&lab, &["./script", "sh -c 'echo x >> log'"]);
    assert_eq!(lab.lines("log").len(), 4);
    // Nor if compared with a Haskell program.
    let lab = self::lab();
    let document = compared(&lab, &["./haskell runtime all 1", "sh -c 'echo x >> others'"]);
    assert_eq!(lab.lines("others").len(), 2);
    assert_eq!(
        (said(&document, 0, "allocated").len(), said(&document, 1, "allocated").len()),
        (2, 0)
    );
    // Nor a Haskell program, unless requested.
    compared(&lab, &["--runtime", "none", "./haskell runtime all 1"]);
    compared(&lab, &["--metrics", "wall_time", "./haskell runtime all 1"]);
    assert_eq!(lab.lines("log").len(), 4 + 2 + 2);
}

#[test]
fn programs_behind_a_shell_or_a_script_are_asked_too_and_added_up() {
    let lab = lab();
    let both = "./haskell runtime all 1000 2>/dev/null; ./haskell runtime all 234 2>/dev/null";
    let document = compared(&lab, &[both]);
    assert_eq!(said(&document, 0, "allocated"), [1234.0, 1234.0]);
    assert_eq!(said(&document, 0, "max_live"), [4096.0, 4096.0]);
    // One of them must not be asked for all figures, so neither is.
    let mixed = "./haskell runtime all 1000; ./haskell runtime some 234";
    let document = compared(&lab, &[mixed]);
    assert_eq!(said(&document, 0, "allocated"), [1234.0, 1234.0]);
    // A script is not recognised, but is queried on request.
    let document = compared(&lab, &["--runtime", "ghc", "./runtime all 5", "env ./runtime some 6"]);
    assert_eq!(said(&document, 0, "allocated"), [5.0, 5.0]);
    assert_eq!(said(&document, 1, "allocated"), Vec::<Value>::new());
    assert_eq!(said(&compared(&lab, &["./runtime all 5"]), 0, "allocated").len(), 0);
}

#[test]
fn a_program_that_prints_such_a_line_itself_is_not_taken_at_its_word() {
    let lab = lab();
    let words = "<<ghc: 5 bytes, 5 GCs :ghc>>";
    lab.write("talker", &format!("echo '{words}' >&2; . ./runtime\n"));
    let document = compared(&lab, &["./haskell talker all 1000"]);
    assert_eq!(said(&document, 0, "allocated"), [1000.0, 1000.0]);
    // A nonsensical line does not break anything either.
    lab.write("talker", "echo '<<ghc: nonsense' >&2; . ./runtime\n");
    let document = compared(&lab, &["./haskell talker ignoreAll 1000"]);
    let reason = said(&document, 0, "allocated")[0]["missing"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("cut off")), "{reason}");
}

#[test]
fn a_program_that_does_not_do_the_same_every_time_is_asked_ten_times() {
    let lab = lab();
    lab.write("varies", "set -- all $((1000 + $(wc -l < log))); . ./runtime\n");
    lab.write("log", "");
    let arguments = ["--metrics", "allocated", "./haskell runtime all 900", "./haskell varies"];
    let document = compared(&lab, &arguments);
    assert_eq!(said(&document, 1, "allocated").len(), 10);
    let part = comparison(&document, "allocated");
    assert_eq!((&part["basis"], &part["verdict"]), (&"ratios".into(), &"regressed".into()));
    lab.brisk(&["show", "1"]).says("10 separate rounds").says("does not allocate or keep the same");
}

#[test]
fn beside_other_metrics_such_a_program_is_asked_until_a_change_could_be_certain() {
    let lab = lab();
    lab.write("varies", "set -- all $((1000 + $(wc -l < log))); . ./runtime\n");
    lab.write("log", "");
    let document = compared(&lab, &["./haskell runtime all 900", "./haskell varies"]);
    assert!(said(&document, 1, "allocated").len() > 10);
    assert_eq!(comparison(&document, "allocated")["verdict"], "regressed");
}

#[test]
fn a_program_that_cannot_bear_to_be_asked_is_run_without_and_one_that_fails_has_failed() {
    let lab = lab();
    lab.write("picky", "[ -z \"$GHCRTS\" ] || { echo 'picky: no' >&2; exit 7; }\n");
    let document = compared(&lab, &["./haskell picky"]);
    let reason = said(&document, 0, "allocated")[1]["missing"].clone();
    assert_eq!(reason, "the command fails with `GHCRTS=-t` and says \"picky: no\"");
    // Figures together with a failure: the program itself fails.
    lab.write("failing", "[ -z \"$GHCRTS\" ] || set -- all 5 3; . ./runtime\n");
    let failing = ["compare", "-r", "2", "./haskell failing all 5"];
    lab.brisk(&failing)
        .failed("exited with status 3 in runtime round 1")
        .hinting("the 2 finished rounds are stored");
}

#[test]
fn many_programs_do_not_wait_for_each_other() {
    let lab = lab();
    // 4 MB of figures, more than a pipe holds.
    let report = "for i in 1 2 3 4 5 6 7 8; do cat big; done > \"${GHCRTS#-t}\"\n";
    let pad = " ,(\"key\", \"0\")\n".repeat(35_000);
    let list = format!(" [(\"bytes allocated\", \"5\")\n ,(\"num_GCs\", \"1\")\n{pad} ]\n");
    lab.write("big", &list);
    lab.write(
        "writer",
        &format!("[ -z \"$GHCRTS\" ] || {{ set -- $GHCRTS; GHCRTS=$1; {report} }}\n"),
    );
    let document = compared(&lab, &["./haskell writer"]);
    assert_eq!(said(&document, 0, "allocated"), [40.0, 40.0]);
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_runs() {
    let lab = Lab::new();
    let touch = "touch ran";
    lab.brisk(&["compare", "--runtime", "ghc", touch])
        .refused("no command is a program with GHC's");
    for runtime in ["auto", "none"] {
        lab.brisk(&["compare", "--runtime", runtime, "--metrics", "wall_time,max_live", touch])
            .refused("`max_live` is read from a program's runtime")
            .hinting("`--runtime ghc`");
    }
    let ended = lab.brisk(&["compare", "--runtime", "smalltalk", touch]).exited(2);
    let known =
        "[possible values: auto, ghc, ocaml, sbcl, mlton, polyml, go, jvm, node, cpython, none]";
    assert!(ended.stderr.contains(known), "{ended}");
    assert!(!lab.exists("ran"));
}

#[test]
fn ctrl_c_while_the_runtime_is_asked_keeps_the_timed_rounds_and_leaves_nothing_behind() {
    let lab = lab();
    let scratch = lab.path("scratch");
    fs::create_dir(&scratch).expect("writable");
    let lab = lab.with("TMPDIR", scratch.display().to_string());
    lab.write("sleepy", "echo x >> log; [ -z \"$GHCRTS\" ] || sleep 1000\n");
    let running = lab.start(&["compare", "-r", "2", "./haskell sleepy"]);
    eventually("asking", || lab.lines("log").len() == 3);
    running.signal("INT");
    running.wait().failed("interrupted after 2 rounds").hinting("`brisk show 1`");
    lab.nothing_is_left();
    assert_eq!(measured(&lab.exported("1")).len(), 2);
    let left: Vec<_> = fs::read_dir(&scratch).expect("readable").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_folder_for_temporary_files_with_a_blank_in_its_name_costs_only_exactness() {
    let lab = lab();
    let scratch = lab.path("a b");
    fs::create_dir(&scratch).expect("writable");
    let lab = lab.with("TMPDIR", scratch.display().to_string());
    let document = compared(&lab, &["./haskell runtime all 1000"]);
    assert_eq!(said(&document, 0, "allocated"), [1000.0, 1000.0]);
    assert_eq!(lab.lines("log")[2..], ["-t", "-t"]);
}

#[test]
fn real_programs_of_ghc_are_recognised_and_say_the_same_however_they_are_asked() {
    if !has("ghc") {
        return not_checked("what programs of GHC say: ghc is not installed");
    }
    let lab = Lab::new();
    lab.write("Grow.hs", include_str!("../../../../fixtures/ghc_runtime/Grow.hs"));
    let folder = lab.path(".").display().to_string();
    for (name, options) in [("plain", ""), ("open", "-rtsopts"), ("closed", "-rtsopts=none")] {
        let build = format!("cd '{folder}' && ghc -v0 {options} Grow.hs -outputdir o -o {name}");
        assert!(run("sh", &["-c", &build]), "{build}");
    }
    run("strip", &[&lab.path("plain").display().to_string()]);
    let document = compared(&lab, &["./plain 20000", "./open 20000", "./open 22000 > sum"]);
    let allocated = |variant| said(&document, variant, "allocated")[0].as_f64().expect("said");
    assert!(allocated(0) > 1e6 && allocated(0) < 1e9, "{}", allocated(0));
    assert_eq!(allocated(0), allocated(1));
    let more = allocated(2) / allocated(0);
    assert!(more > 1.0 && more < 1.5, "{more}");
    assert_eq!(comparison(&document, "allocated")["verdict"], "unchanged");
    for metric in ["max_live", "memory_in_use", "gc_count"] {
        assert_eq!(said(&document, 0, metric), said(&document, 1, metric), "{metric}");
    }
    assert!(said(&document, 0, "copied")[0]["missing"].is_string());
    assert!(said(&document, 1, "copied")[0].as_f64().is_some_and(|bytes| bytes > 0.0));
    let document = compared(&lab, &["./closed 20000"]);
    assert!(said(&document, 0, "allocated")[0]["missing"].is_string());
}
