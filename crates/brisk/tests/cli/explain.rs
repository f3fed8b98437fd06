//! `brisk explain --core` on existing dumps: those of one small program, by three compilers
//! (`fixtures/explain_dumps/make-dumps`).

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::document::has_all_of;
use crate::lab::Lab;

const VERSIONS: [&str; 3] = ["9.0.2", "9.6.6", "9.10.3"];

fn dumps(version: &str) -> PathBuf {
    fixtures::folder("explain_dumps").join(version)
}

fn path(version: &str, file: &str) -> String {
    dumps(version).join(file).display().to_string()
}

/// The explanation of a version's dumps with these counters.
fn explained(lab: &Lab, version: &str, counters: &str) -> Value {
    let folder = dumps(version).display().to_string();
    let export = ["--export-json", "explained.json"];
    let read = ["explain", "--core", &folder, "--ticky", counters];
    lab.brisk(&[&read[..], &export].concat()).succeeded();
    lab.json("explained.json")
}

/// The dumps of a version, copied into the lab's folder of this name.
fn copied(lab: &Lab, version: &str, folder: &str) {
    fs::create_dir_all(lab.path(folder)).expect("the folder for tests is writable");
    for entry in fs::read_dir(dumps(version)).expect("it is there") {
        let from = entry.expect("it is there").path();
        let name = from.file_name().expect("a file").to_string_lossy().into_owned();
        fs::copy(&from, lab.path(folder).join(name)).expect("it can be copied");
    }
}

#[test]
fn what_a_function_costs_stands_beside_the_core_that_shows_why() {
    let lab = Lab::new();
    for version in VERSIONS {
        let document = explained(&lab, version, &path(version, "program.ticky"));
        assert_eq!(document["schema"], "brisk/1");
        let explanation = &document["explanation"];
        assert_eq!(explanation["doubts"], serde_json::json!([]), "{version}");
        let first = &explanation["findings"][0];
        assert_eq!(first["cause"], "over-saturated-calls", "{version}");
        assert_eq!((&first["binding"], &first["module"]), (&"Main.weigh".into(), &"Main".into()));
        assert_eq!(first["location"]["line"], 10, "{version}");
        // `total` calls `weigh` a thousand times, which calls a function a thousand times. If GHC
        // makes a thunk of `slow n`, it is entered as often.
        let thunks = if version == "9.0.2" { 0 } else { 1000 };
        assert_eq!(first["cost"]["entries"], 2000 + thunks, "{version}");
        let share = first["cost"]["allocation_share"].as_f64().expect("a share");
        assert!(share > 0.5 && share < 1.0, "{version}: {share}");
        let core = first["evidence"][0]["core"].as_str().expect("a text");
        let mark = &first["evidence"][0]["marks"][0];
        let place = |side: usize| mark[side].as_u64().expect("a place") as usize;
        assert!(core.starts_with("weigh ="), "{core}");
        assert!(core[place(0)..place(1)].starts_with("\\ m ->"), "{core}");
        for part in ["what", "remedy", "why"] {
            assert!(first[part].as_str().is_some_and(|words| words.contains("weigh")), "{part}");
        }
    }
}

#[test]
fn it_is_said_in_words_and_as_markdown() {
    let lab = Lab::new().with("COLUMNS", "80");
    let folder = dumps("9.0.2").display().to_string();
    let counters = path("9.0.2", "program.ticky");
    let read = ["explain", "--core", &folder, "--ticky", &counters, "--export-markdown", "why.md"];
    let ended = lab.brisk(&read).succeeded();
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{ended}");
    let answer = ended.stdout.lines().nth(1).expect("the answer follows the title");
    assert!(answer.starts_with("Costliest finding: `Main.weigh` (called with"), "{ended}");
    let ended = ended.says("1. Main.weigh Main.hs:10:15").says("> \\ m -> $fNumInt_$c* w m");
    ended.says("All 7 counted closures were found in the Core.");
    let markdown = lab.read("why.md");
    assert!(markdown.contains("## 1. `Main.weigh`  Main.hs:10:15"), "{markdown}");
    assert!(markdown.contains("```haskell\nweigh =\n"), "{markdown}");
    has_all_of(
        &markdown,
        &lab.with("COLUMNS", "120").brisk(&[&read[..5], &["--all"]].concat()).stdout,
    );
}

#[test]
fn without_counters_it_is_said_that_nothing_was_measured() {
    let lab = Lab::new();
    let folder = dumps("9.10.3").display().to_string();
    let ended = lab.brisk(&["explain", "--core", &folder]).succeeded();
    ended.says("Nothing was measured").says("1. Main.weigh");
}

/// A growing heap, by kind of closure.
fn heap_profile() -> String {
    let head =
        "JOB \"main +RTS -hT\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n";
    let sample = |number: u32| {
        format!("BEGIN_SAMPLE {number}.0\nTHUNK\t{}\nEND_SAMPLE {number}.0\n", number * 1_000_000)
    };
    (1..=12).fold(head.to_owned(), |text, number| text + &sample(number))
}

#[test]
fn causes_that_need_a_source_or_a_heap_profile_look_where_these_are_given() {
    let lab = Lab::new();
    lab.write("main.hp", &heap_profile());
    let folder = dumps("9.0.2").display().to_string();
    let source = dumps("").display().to_string();
    let counters = path("9.0.2", "program.ticky");
    let read = ["explain", "--core", &folder, "--ticky", &counters, "--export-json", "why.json"];
    let not_looked = |more: &[&str]| {
        lab.brisk(&[&read[..], more].concat()).succeeded();
        let all = lab.json("why.json")["explanation"]["not_looked"].clone();
        let causes = all.as_array().expect("a list").iter();
        causes.map(|it| it["cause"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let has = |causes: &[String], name: &str| causes.iter().any(|cause| cause == name);
    let (by_source, by_heap) = ("visible-used-once", "thunk-leak");
    let none = not_looked(&[]);
    assert!(has(&none, by_source) && has(&none, by_heap), "{none:?}");
    let with_source = not_looked(&["--source", &source]);
    assert!(!has(&with_source, by_source) && has(&with_source, by_heap), "{with_source:?}");
    let with_heap = not_looked(&["--heap-profile", "main.hp"]);
    assert!(has(&with_heap, by_source) && !has(&with_heap, by_heap), "{with_heap:?}");
    assert!(!has(&not_looked(&["--source", &source, "--heap-profile", "main.hp"]), by_heap));
    let refused = |more: &[&str], error: &str| {
        lab.brisk(&[&read[..], more].concat()).refused(error);
    };
    refused(&["--source", "gone"], "cannot read `gone`");
    refused(&["--heap-profile", "gone"], "cannot read `gone`");
    refused(&["--heap-profile", &counters], "cannot read the heap profile in");
    let two = ["explain", "--core", &folder, &folder, "--source", &source];
    lab.brisk(&two).refused("`--source` and `--heap-profile` belong to one folder of dumps");
    lab.brisk(&["explain", "Main.hs", "--source", &source]).exited(2);
}

#[test]
fn counters_of_another_build_are_doubted() {
    let lab = Lab::new();
    let document = explained(&lab, "9.6.6", &path("9.0.2", "program.ticky"));
    let doubts = document["explanation"]["doubts"].to_string();
    assert!(doubts.contains("the counters are of another build"), "{doubts}");
}

#[test]
fn counters_that_ghc_mixed_up_are_doubted_and_give_no_entries() {
    let lab = Lab::new();
    let document = explained(&lab, "9.6.6", &path("9.6.6", "mixed.ticky"));
    let doubts = document["explanation"]["doubts"].to_string();
    assert!(doubts.contains("GHC added allocated bytes to entries"), "{doubts}");
    let cost = &document["explanation"]["findings"][0]["cost"];
    assert_eq!(cost["entries"], Value::Null);
    assert!(cost["allocated_bytes"].as_u64() > Some(10_000), "{cost}");
}

#[test]
fn dumps_of_two_compilers_are_doubted() {
    let lab = Lab::new();
    copied(&lab, "9.0.2", "both/old");
    copied(&lab, "9.6.6", "both/new");
    let ended = lab.brisk(&["explain", "--core", "both"]).succeeded();
    ended.says("doubt: the dumps are of different compilers").says("several dumps of a module");
}

#[test]
fn dumps_of_two_compilations_are_doubted() {
    let lab = Lab::new();
    copied(&lab, "9.6.6", "both");
    let other = dumps("9.10.3").join("Main.debug.dump-prep");
    fs::copy(other, lab.path("both/Main.debug.dump-prep")).expect("it can be copied");
    let ended = lab.brisk(&["explain", "--core", "both"]).succeeded();
    ended.says("are of different compilations: their names do not agree");
}

#[test]
fn a_dump_that_is_cut_off_is_read_as_far_as_it_goes() {
    let lab = Lab::new();
    let text = fs::read_to_string(dumps("9.0.2").join("Main.dump-simpl")).expect("it is there");
    fs::create_dir_all(lab.path("cut")).expect("the folder for tests is writable");
    let end = text.find("slow n").or_else(|| text.rfind("case")).expect("it is there");
    lab.write("cut/Main.dump-simpl", &text[..end]);
    lab.brisk(&["explain", "--core", "cut"])
        .succeeded()
        .says("doubt: a part of `Main`'s dump could not be read: line");
}

#[test]
fn what_flags_removed_is_named_with_the_causes_that_need_it() {
    let lab = Lab::new();
    let sample = fixtures::folder("ghc_core").join("samples/9.0.2-suppressed.txt");
    fs::create_dir_all(lab.path("bare")).expect("the folder for tests is writable");
    fs::copy(sample, lab.path("bare/Main.dump-simpl")).expect("it can be copied");
    let ended = lab.brisk(&["explain", "--core", "bare"]).succeeded();
    ended.says(
        "`over-saturated-calls` could not look anywhere: it needs arity and strictness (removed by \
         `-dsuppress-type-signatures`, or a flag that implies it)",
    );
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let lab = Lab::new();
    let folder = dumps("9.0.2").display().to_string();
    fs::create_dir_all(lab.path("empty")).expect("the folder for tests is writable");
    fs::create_dir_all(lab.path("prose")).expect("the folder for tests is writable");
    lab.write("prose/A.dump-simpl", "");
    lab.write("words.ticky", "hello\n");
    let counters = fs::read(dumps("9.0.2").join("program.ticky")).expect("it is there");
    fs::write(lab.path("cut.ticky"), &counters[..counters.len() / 2]).expect("writable");
    let refused = |arguments: &[&str], error: &str| {
        lab.brisk(&[&["explain"], arguments].concat()).refused(error)
    };
    refused(&["--core", "nowhere"], "cannot read `nowhere`");
    refused(&["--core", "empty"], "there is no dump of Core in `empty`");
    refused(&["--core", "prose"], "none of the 1 dumps in `prose` holds any Core");
    refused(&["--ticky", "words.ticky"], "`--ticky` without `--core`");
    // More than any machine has; sparse, so it takes no space on disk.
    fs::create_dir_all(lab.path("huge")).expect("the folder for tests is writable");
    for number in 0..1000 {
        let file = fs::File::create(lab.path(&format!("huge/M{number}.dump-simpl")));
        file.and_then(|file| file.set_len(4_000_000_000)).expect("a file with a hole");
    }
    refused(
        &["--core", "huge"],
        "the dumps in `huge` have 4.000 TB: reading them takes up to 20.00 TB",
    );
    let file = fs::File::create(lab.path("huge/M1.dump-simpl"));
    file.and_then(|file| file.set_len(5_000_000_000)).expect("a file with a hole");
    refused(&["--core", "huge"], "`huge/M1.dump-simpl` has 5.000 GB");
    refused(&["--core", &folder, "Main.hs"], "`--core` and `Main.hs` cannot both be given");
    refused(&["--core", &folder, "--ticky", "nowhere"], "cannot read `nowhere`");
    refused(&["--core", &folder, "--ticky", "words.ticky"], "cannot read the ticky counters")
        .because("there is no table of closures");
    refused(&["--core", &folder, "--ticky", "cut.ticky"], "cannot read the ticky counters")
        .because("the ticky counters are cut off");
    refused(&["--core", &folder, "--export-json", "no/where.json"], "cannot write");
    refused(&["Missing.hs"], "there is no `Missing.hs`");
    refused(&["a", "b", "c"], "3 subjects");
}
