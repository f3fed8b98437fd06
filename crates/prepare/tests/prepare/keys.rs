//! The key of a build changes with its inputs, and with nothing else.

use std::path::Path;

use prepare::{BuildError, Builder, CacheKey, Ingredients, Recipe, RecipeError, Retry};

use crate::given::{Lab, make_executable, recipe, write};

const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

fn key(recipe: &Recipe) -> CacheKey {
    Ingredients::read(recipe).expect("a good recipe").key(TREE)
}

#[test]
fn a_key_changes_with_everything_that_goes_into_the_build() {
    let lab = Lab::new();
    let (patch, overlay) = (lab.path("p.patch"), lab.path("overlay"));
    write(&patch, "a");
    write(&overlay.join("bench/one"), "1");
    let plain = recipe("make", &lab.path("built"));
    let base = Recipe { patch: Some(patch.clone()), overlay: Some(overlay.clone()), ..plain };
    let before = key(&base);
    assert_eq!(before, key(&base.clone()), "the same recipe has the same key");
    assert_ne!(before, Ingredients::read(&base).expect("good").key(&TREE.replace('4', "5")));
    let mut seen = vec![before.clone()];
    let mut changes = |what: &str, recipe: &Recipe| {
        let key = key(recipe);
        assert!(!seen.contains(&key), "{what}");
        seen.push(key);
    };
    changes("command", &Recipe { build: Some("make all".to_owned()), ..base.clone() });
    changes("no command", &Recipe { build: None, ..base.clone() });
    changes("artefact", &Recipe { artifact: "other".into(), ..base.clone() });
    changes("folder", &Recipe { cwd: "sub".into(), ..base.clone() });
    changes("no patch", &Recipe { patch: None, ..base.clone() });
    changes("no overlay", &Recipe { overlay: None, ..base.clone() });
    let mut env = base.clone();
    env.env.push(("SIZE".into(), "1".into()));
    changes("variable", &env);
    env.env.push(("PATH".into(), "/elsewhere".into()));
    changes("PATH", &env);
    write(&patch, "b");
    changes("the patch's content", &base);
    write(&patch, "a");
    write(&overlay.join("bench/one"), "2");
    changes("the overlay's content", &base);
    write(&overlay.join("bench/one"), "1");
    make_executable(&overlay.join("bench/one"));
    changes("the overlay's modes", &base);
    write(&overlay.join("bench/two"), "");
    changes("the overlay's names", &base);
}

#[test]
fn a_key_does_not_depend_on_how_long_a_build_may_take_or_where_the_patch_lies() {
    let lab = Lab::new();
    write(&lab.path("p.patch"), "a");
    write(&lab.path("q.patch"), "a");
    let base = Recipe { patch: Some(lab.path("p.patch")), ..recipe("make", &lab.path("built")) };
    let other = Recipe {
        patch: Some(lab.path("q.patch")),
        timeout: Some(std::time::Duration::from_secs(9)),
        trees: prepare::Trees::Clean,
        ..base.clone()
    };
    assert_eq!(key(&base), key(&other));
}

#[test]
fn a_key_changes_with_the_compiler_that_would_be_used() {
    let lab = Lab::new();
    let bin = lab.path("bin");
    let compiler = bin.join("mycc");
    write(&compiler, "#!/bin/sh\necho 1\n");
    make_executable(&compiler);
    write(&bin.join("unrelated"), "#!/bin/sh\n");
    make_executable(&bin.join("unrelated"));
    let mut recipe = recipe("mycc -o out/prog", &lab.path("built"));
    recipe.env.push(("PATH".into(), bin.clone().into()));
    let before = key(&recipe);
    write(&bin.join("unrelated"), "#!/bin/sh\nchanged\n");
    assert_eq!(before, key(&recipe), "what the build does not name does not matter");
    write(&compiler, "#!/bin/sh\necho 1 1\n");
    let updated = key(&recipe);
    assert_ne!(before, updated);
    // A listed compiler counts even if the command does not name it.
    write(&bin.join("gcc"), "#!/bin/sh\n");
    make_executable(&bin.join("gcc"));
    assert_ne!(updated, key(&recipe));
}

#[test]
fn rustc_is_asked_for_its_version_once_however_often_path_has_its_folder() {
    let lab = Lab::new();
    let bin = lab.path("bin");
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"; echo x >> asked; cat version\n";
    write(&bin.join("rustc"), script);
    make_executable(&bin.join("rustc"));
    let mut recipe = recipe("make", &lab.path("built"));
    let path = std::env::join_paths([&bin, &bin]).expect("no colon in it");
    recipe.env.push(("PATH".into(), path));
    let key_of_version = |version: &str| {
        write(&bin.join("version"), version);
        key(&recipe)
    };
    assert_ne!(key_of_version("1.0"), key_of_version("1.1"), "the file itself is the same");
    assert_eq!(std::fs::read_to_string(bin.join("asked")).expect("it was asked"), "x\nx\n");
}

#[test]
fn a_recipe_that_leads_out_of_the_repository_is_refused() {
    let lab = Lab::new();
    let base = recipe("make", &lab.path("built"));
    let refusal = |recipe: Recipe| {
        let error = Ingredients::read(&recipe).expect_err("to be refused");
        assert!(error.hint().is_some());
        error
    };
    for path in ["", "..", "../x", "/etc/passwd", "a/../../b", ".git/config", "a/.."] {
        let error = refusal(Recipe { artifact: path.into(), ..base.clone() });
        assert!(matches!(error, RecipeError::Artifact { .. }), "{path}");
    }
    for path in ["..", "/tmp", "a/../../b"] {
        let error = refusal(Recipe { cwd: path.into(), ..base.clone() });
        assert!(matches!(error, RecipeError::Cwd { .. }), "{path}");
    }
    let error = refusal(Recipe { build: Some(" \n".to_owned()), ..base.clone() });
    assert!(matches!(error, RecipeError::EmptyBuild));
    let error = refusal(Recipe { patch: Some(lab.path("no.patch")), ..base.clone() });
    assert!(matches!(error, RecipeError::Patch { .. }));
    let error = refusal(Recipe { overlay: Some(lab.path("nowhere")), ..base.clone() });
    assert!(matches!(error, RecipeError::Overlay { .. }));
    write(&lab.path("bad/sub/.git"), "gitdir: /elsewhere");
    let error = refusal(Recipe { overlay: Some(lab.path("bad")), ..base });
    assert!(matches!(error, RecipeError::Overlay { .. }));
}

#[test]
fn a_cache_that_cannot_be_made_is_trouble_before_anything_is_built() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    write(&lab.path("file"), "");
    let cache = prepare::Cache::at(lab.path("file").join("cache"));
    let refused = Builder::new(&given.open(), &cache, &lab.recipe(), Retry::WhereItMayHelp);
    let error = refused.expect_err("a file is no folder");
    assert!(matches!(&error, BuildError::Cache(_)), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("BRISK_CACHE")));
    assert!(!Path::new(&lab.path("built")).exists());
}
