//! The user's checkout, index, configuration and references stay unchanged, and nothing of ours is
//! left.

use std::fs;
use std::path::Path;

use prepare::Trees;

use crate::given::{Given, Lab, artifact, make_executable, output_of, write};

/// Everything that a user could notice.
fn state(given: &Given) -> Vec<(String, Vec<u8>)> {
    let file = |name: &str| {
        let bytes = fs::read(given.root.join(name)).unwrap_or_default();
        (name.to_owned(), bytes)
    };
    let said = |args: &[&str]| (args.join(" "), given.git(args).into_bytes());
    let mut state = vec![
        file(".git/index"),
        file(".git/config"),
        file(".git/HEAD"),
        said(&["for-each-ref"]),
        said(&["worktree", "list"]),
        said(&["stash", "list"]),
        file("source"),
        file("new file"),
    ];
    // Last, because it may rewrite the index itself.
    state.push(said(&["status", "--porcelain", "--ignored"]));
    state
}

fn dirty(given: &Given) {
    given.write("source", "changed, not staged");
    given.write("staged ü", "changed");
    given.git(&["add", "staged ü"]);
    given.write("new file", "untracked");
    // So that the index is as git leaves it.
    given.git(&["status"]);
}

#[test]
fn a_dirty_checkout_is_fine_and_stays_dirty() {
    let lab = Lab::new();
    let given = lab.repository("so viel größe");
    given.programs(4);
    dirty(&given);
    let before = state(&given);
    let mut recipe = lab.recipe();
    let patch = "--- /dev/null\n+++ b/patched\n@@ -0,0 +1 @@\n+x\n";
    write(&lab.path("a.patch"), patch);
    write(&lab.path("overlay/laid over"), "y");
    recipe.patch = Some(lab.path("a.patch"));
    recipe.overlay = Some(lab.path("overlay"));
    let built = given.build(&lab.cache(), &recipe, 2);
    let outputs: Vec<String> = built.iter().map(output_of).collect();
    assert_eq!(outputs, ["0", "1", "2", "3"]);
    assert_eq!(state(&given), before);
    recipe.trees = Trees::Clean;
    given.build(&lab.cache(), &recipe, 1);
    assert_eq!(state(&given), before);
}

#[test]
fn hooks_of_the_repository_do_not_run() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    let hook = given.root.join(".git/hooks/post-checkout");
    let trace = lab.path("hooked");
    write(&hook, &format!("#!/bin/sh\ntouch \"{}\"\n", trace.display()));
    make_executable(&hook);
    given.build(&lab.cache(), &lab.recipe(), 1);
    assert!(!trace.exists());
    given.git(&["checkout", "--quiet", "-b", "other"]);
    assert!(trace.exists(), "the hook works");
}

#[test]
fn a_build_that_destroys_its_checkout_destroys_nothing_else() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(3);
    given.write(".git/info/exclude", "cache\n");
    dirty(&given);
    let before = state(&given);
    let mut recipe = lab.recipe();
    recipe.build = recipe.build.map(|build| format!("{build}; rm -rf .git"));
    // In the user's checkout, where git would find it if it searched the parent folders.
    let cache = prepare::Cache::at(given.root.join("cache"));
    let built = given.build(&cache, &recipe, 1);
    let outputs: Vec<String> = built.iter().map(output_of).collect();
    assert_eq!(outputs, ["0", "1", "2"]);
    fs::remove_dir_all(given.root.join("cache")).expect("ours");
    assert_eq!(state(&given), before);
}

#[test]
fn submodules_are_checked_out_without_a_network_or_a_trace() {
    let lab = Lab::new();
    let inner = lab.repository("inner");
    inner.commit(&[("deep", "i")], "inner");
    let library = lab.repository("library ü");
    library.commit(&[("part", "a")], "library a");
    library.git(&["submodule", "--quiet", "add", &inner.root.display().to_string(), "in side"]);
    library.commit(&[], "library with inner");
    let given = lab.repository("r");
    given.commit(&[("source", "#!/bin/sh\n")], "before");
    let url = library.root.display().to_string();
    given.git(&["submodule", "--quiet", "add", "--name", "l.i b", &url, "lib/a b"]);
    given.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    given.commit(&[], "with submodule");
    library.commit(&[("part", "b")], "library b");
    lab.git(&given.root.join("lib/a b"), &["pull", "--quiet"]);
    given.commit(&[], "newer submodule");
    // Only the contents of the user's repository are left.
    fs::rename(&library.root, lab.path("gone")).expect("ours");
    fs::rename(&inner.root, lab.path("gone too")).expect("ours");
    let before = state(&given);
    let mut recipe = lab.recipe();
    let build = "mkdir -p out; cat source > out/prog; chmod +x out/prog; \
                 test ! -e 'lib/a b/part' || \
                 echo \"echo $(cat 'lib/a b/part' 'lib/a b/in side/deep')\" >> out/prog";
    recipe.build = Some(build.to_owned());
    recipe.trees = Trees::Clean;
    let outputs: Vec<String> =
        given.build(&lab.cache(), &recipe, 1).iter().map(output_of).collect();
    assert_eq!(outputs, ["", "ai", "bi"]);
    recipe.trees = Trees::Incremental;
    recipe.env.push(("AGAIN".into(), "1".into()));
    let built = given.build(&lab.cache(), &recipe, 1);
    assert_eq!(output_of(&built[2]), "bi");
    assert_eq!(artifact(&built[2]).trees, Trees::Incremental);
    assert_eq!(state(&given), before);
}

#[test]
fn a_submodule_that_cannot_be_had_fails_its_commit_alone() {
    let lab = Lab::new();
    let library = lab.repository("library");
    library.commit(&[("part", "a")], "library");
    let given = lab.repository("r");
    given.programs(1);
    let url = library.root.display().to_string();
    given.git(&["submodule", "--quiet", "add", &url, "lib"]);
    given.commit(&[], "with submodule");
    given.git(&["rm", "--quiet", "lib"]);
    given.commit(&[], "without");
    fs::rename(&library.root, lab.path("gone")).expect("ours");
    fs::remove_dir_all(given.root.join(".git/modules")).expect("ours");
    let built = given.build(&lab.cache(), &lab.recipe(), 1);
    let failure = crate::given::failure(&built[1]);
    assert_eq!(failure.reason, prepare::FailureReason::Submodules);
    assert!(failure.log_tail.contains("library"), "{}", failure.log_tail);
    assert_eq!(output_of(&built[2]), "0");
}

#[test]
fn overlays_and_artefacts_do_not_follow_links_out_of_the_checkout() {
    let lab = Lab::new();
    let given = lab.repository("r");
    let outside = lab.path("outside");
    write(&outside.join("bench"), "precious");
    write(&outside.join("prog"), "precious");
    let link = |from: &str, to: &Path| {
        let path = given.root.join(from);
        std::os::unix::fs::symlink(to, path).expect("ours");
    };
    given.commit(&[("source", "#!/bin/sh\n"), ("plain", "")], "plain");
    link("overlaid", &outside);
    link("out", &outside);
    given.commit(&[], "with links");
    given.commit(&[("plain", "x")], "again");
    write(&lab.path("overlay/overlaid/bench"), "ours");
    let mut recipe = lab.recipe();
    recipe.overlay = Some(lab.path("overlay"));
    recipe.build = Some("cat overlaid/bench > /dev/null".to_owned());
    given.build(&lab.cache(), &recipe, 1);
    for name in ["bench", "prog"] {
        let text = fs::read_to_string(outside.join(name)).expect("it is still there");
        assert_eq!(text, "precious");
    }
}
