//! Builds that fail, hang, flood or lie, one by one.

use std::fs;
use std::time::Duration;

use prepare::{Builder, FailureReason, Recipe, Retry, Shape, Trees, When};

use crate::given::{Given, Lab, artifact, failure, get, jobs, output_of, write};

/// The usual recipe with an additional command at the end.
fn then(lab: &Lab, more: &str) -> Recipe {
    let mut recipe = lab.recipe();
    recipe.build = recipe.build.map(|build| format!("{build}\n{more}"));
    recipe
}

fn two_good_and_one_bad(lab: &Lab) -> Given {
    let given = lab.repository("r");
    given.programs(1);
    given.commit(&[("bad", "")], "bad");
    given.git(&["rm", "--quiet", "bad"]);
    given.commit(&[("source", "#!/bin/sh\necho good\n")], "good again");
    given
}

#[test]
fn a_commit_that_does_not_build_is_recorded_with_its_log_and_the_rest_goes_on() {
    let lab = Lab::new();
    let given = two_good_and_one_bad(&lab);
    let recipe = then(&lab, "if test -e bad; then echo seen; echo 'no such größe' >&2; exit 7; fi");
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(failure(&built[1]).reason, FailureReason::Exited { status: 7 });
    assert_eq!(failure(&built[1]).log_tail, "seen\nno such größe\n");
    assert_eq!((output_of(&built[0]).as_str(), output_of(&built[2]).as_str()), ("0", "good"));
    assert_eq!(lab.builds(), 4, "the bad one also from a fresh checkout");
    let again = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(lab.builds(), 4, "failures are kept");
    assert_eq!(failure(&again[1]).when, When::Before);
    assert_eq!(failure(&again[1]).log_tail, failure(&built[1]).log_tail);
    let mut builder = Builder::new(&given.open(), &lab.cache(), &recipe, Retry::AllFailures)
        .expect("a good recipe");
    builder.build_range(&given.history(), jobs(1), &mut |_| {}).expect("nothing stops it");
    assert_eq!(lab.builds(), 5, "and tried again when asked");
}

#[test]
fn a_failure_gives_way_to_a_later_success() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let recipe = then(&lab, &format!("test -e \"{}\"", lab.path("repaired").display()));
    assert!(given.build(&lab.cache(), &recipe, 1)[0].outcome.is_err());
    write(&lab.path("repaired"), "");
    assert!(given.build(&lab.cache(), &recipe, 1)[0].outcome.is_err());
    let mut builder = Builder::new(&given.open(), &lab.cache(), &recipe, Retry::AllFailures)
        .expect("a good recipe");
    assert_eq!(output_of(&get(&mut builder, &given.history()[0])), "0");
    assert_eq!(output_of(&given.build(&lab.cache(), &recipe, 1)[0]), "0");
}

#[test]
fn what_earlier_builds_left_fails_no_commit() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    let recipe = then(&lab, "test ! -e left || exit 1; touch left");
    let built = given.build(&lab.cache(), &recipe, 1);
    assert!(built.iter().all(|one| artifact(one).trees == Trees::Clean));
}

#[test]
fn a_signal_that_ends_the_build_is_a_failure() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let built = given.build(&lab.cache(), &then(&lab, "kill -SEGV $$"), 1);
    assert_eq!(failure(&built[0]).reason, FailureReason::Signalled { signal: 11 });
}

#[test]
fn a_patch_that_does_not_apply_fails_the_commits_it_does_not_fit() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    let patch = "--- a/source\n+++ b/source\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo 1\n+echo patched\n\
                 --- /dev/null\n+++ b/new/file\n@@ -0,0 +1 @@\n+x\n";
    write(&lab.path("a.patch"), patch);
    let mut recipe = then(&lab, "test -e new/file");
    recipe.patch = Some(lab.path("a.patch"));
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(failure(&built[0]).reason, FailureReason::Patch);
    assert!(failure(&built[2]).log_tail.contains("source"), "{}", failure(&built[2]).log_tail);
    assert_eq!(output_of(&built[1]), "patched");
    assert_eq!(lab.builds(), 1);
}

#[test]
fn a_patch_and_an_overlay_are_applied_to_every_commit_of_a_walk() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    given.commit(&[("laid/over", "of the commit")], "has the file itself");
    let patch = "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+made\n";
    write(&lab.path("a.patch"), patch);
    write(&lab.path("overlay/made"), "laid over what the patch made\n");
    write(&lab.path("overlay/laid/over"), "ours\n");
    let mut recipe = then(&lab, "echo \"#$(cat made laid/over)\" >> out/prog");
    recipe.patch = Some(lab.path("a.patch"));
    recipe.overlay = Some(lab.path("overlay"));
    for built in given.build(&lab.cache(), &recipe, 1) {
        let text = fs::read_to_string(&artifact(&built).path).expect("a script");
        assert!(text.ends_with("#laid over what the patch made\nours\n"), "{text}");
    }
    assert_eq!(lab.builds(), 4, "none had to be tried again");
}

#[test]
fn a_build_that_floods_its_log_is_kept_by_its_end() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let recipe = then(&lab, "yes flood | head -c 49999998; echo the end; exit 1");
    let built = given.build(&lab.cache(), &recipe, 1);
    let tail = &failure(&built[0]).log_tail;
    assert!(tail.ends_with("flood\nthe end\n"));
    assert!(tail.len() <= 64 * 1024, "{}", tail.len());
}

#[test]
fn a_build_that_hangs_is_ended_and_tried_again_only_with_more_time() {
    let lab = Lab::new();
    let given = two_good_and_one_bad(&lab);
    let mut recipe = then(&lab, "test ! -e bad || { echo waiting; sleep 1000; }");
    recipe.timeout = Some(Duration::from_secs(2));
    let built = given.build(&lab.cache(), &recipe, 1);
    let timed_out = FailureReason::TimedOut { limit_seconds: 2.0 };
    assert_eq!(failure(&built[1]).reason, timed_out);
    assert_eq!(failure(&built[1]).log_tail, "waiting\n");
    assert_eq!(artifact(&built[2]).trees, Trees::Clean, "a killed build may have left half a file");
    assert_eq!(lab.builds(), 3, "there is no use in trying it from a fresh checkout");
    given.build(&lab.cache(), &recipe, 1);
    assert_eq!(lab.builds(), 3);
    recipe.timeout = Some(Duration::from_secs(3));
    given.build(&lab.cache(), &recipe, 1);
    assert_eq!(lab.builds(), 4);
}

#[test]
fn a_success_refutes_a_failure_however_either_was_built() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    let history = given.history();
    let gate = lab.path("gate");
    let mut recipe = then(&lab, &format!("test ! -e \"{}\" || sleep 1000", gate.display()));
    recipe.timeout = Some(Duration::from_secs(1));
    write(&gate, "");
    let hung = get(&mut given.builder(&lab.cache(), &recipe), &history[1]);
    assert_eq!(failure(&hung).reason, FailureReason::TimedOut { limit_seconds: 1.0 });
    fs::remove_file(&gate).expect("ours");
    let patient = Recipe { timeout: None, ..recipe.clone() };
    let mut builder = given.builder(&lab.cache(), &patient);
    get(&mut builder, &history[0]);
    let built = get(&mut builder, &history[1]);
    assert_eq!(artifact(&built).trees, Trees::Incremental);
    let later = get(&mut given.builder(&lab.cache(), &recipe), &history[1]);
    assert_eq!(artifact(&later).digest, artifact(&built).digest);
    assert_eq!(artifact(&later).when, When::Before);
}

#[test]
fn a_build_that_fills_the_disk_fails_alone_and_is_not_held_against_the_commit() {
    let lab = Lab::new();
    let given = two_good_and_one_bad(&lab);
    // Writing to /dev/full fails as on a full disk (full(4)).
    let recipe = then(&lab, "test ! -e bad || cat source > /dev/full");
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(failure(&built[1]).reason, FailureReason::DiskFull);
    assert!(failure(&built[1]).reason.hint().is_some_and(|hint| hint.contains("BRISK_CACHE")));
    assert_eq!(output_of(&built[2]), "good");
    assert_eq!(lab.builds(), 3);
    given.build(&lab.cache(), &recipe, 1);
    assert_eq!(lab.builds(), 4);
}

#[test]
fn an_artefact_that_is_missing_is_never_that_of_another_commit() {
    let lab = Lab::new();
    let given = two_good_and_one_bad(&lab);
    let mut recipe = lab.recipe();
    recipe.build = Some("test -e bad || { mkdir -p out; cp source out/prog; }".to_owned());
    let built = given.build(&lab.cache(), &recipe, 1);
    let missing = FailureReason::NoArtifact { artifact: "out/prog".to_owned() };
    assert_eq!(failure(&built[1]).reason, missing);
    assert!(failure(&built[1]).reason.hint().is_some());
    assert_eq!(artifact(&built[0]).shape, Shape::File, "not executable, and said so");
}

#[test]
fn what_cannot_be_copied_is_no_artefact() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let commit = &given.history()[0];
    for (build, is_missing) in [
        ("mkdir -p out; mkfifo out/prog", false),
        ("mkdir -p out/prog; mkfifo out/prog/fifo", false),
        ("mkdir -p out; ln -s nowhere out/prog", true),
        ("mkdir -p out; ln -s prog out/prog", false),
        ("echo > out", true),
    ] {
        let mut recipe = lab.recipe();
        recipe.build = Some(build.to_owned());
        let built = get(&mut given.builder(&lab.cache(), &recipe), commit);
        let reason = &failure(&built).reason;
        let missing = matches!(reason, FailureReason::NoArtifact { .. });
        let bad = matches!(reason, FailureReason::BadArtifact { .. });
        assert!(if is_missing { missing } else { bad }, "{build}: {reason}");
    }
}

#[test]
fn a_folder_to_build_in_that_old_commits_lack_fails_those() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    given.commit(&[("sub/source", "#!/bin/sh\necho sub\n")], "sub");
    let mut recipe = lab.recipe();
    recipe.cwd = "sub".into();
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(failure(&built[0]).reason, FailureReason::NoFolder { cwd: "sub".to_owned() });
    assert_eq!(output_of(&built[1]), "sub");
}

#[test]
fn a_damaged_entry_is_built_again() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    let built = given.build(&lab.cache(), &lab.recipe(), 1);
    fs::write(&artifact(&built[0]).path, "cut").expect("ours");
    fs::remove_file(&artifact(&built[1]).path).expect("ours");
    // A script is kept in its checkout, any number of folders below the entry.
    let above = artifact(&built[2]).path.ancestors();
    let meta = above.map(|folder| folder.join("meta.json")).find(|meta| meta.is_file());
    fs::write(meta.expect("the entry"), "{").expect("ours");
    let again = given.build(&lab.cache(), &lab.recipe(), 1);
    let outputs: Vec<String> = again.iter().map(output_of).collect();
    assert_eq!(outputs, ["0", "1", "2"]);
    assert_eq!(lab.builds(), 6);
}
