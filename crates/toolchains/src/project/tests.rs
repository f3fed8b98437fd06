//! Small projects of each build system, as their own documentation writes them.

use super::*;

/// The project recognised in these files, from the folder `place`.
fn project(place: &str, files: &[(&str, &str)]) -> Option<Recognised> {
    let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let read = |name: &str| {
        files.iter().find(|(other, _)| *other == name).map(|(_, text)| (*text).to_owned())
    };
    recognise(Files { names: &names, read: &read }, place)
}

/// The commands and artefacts of the programs.
#[track_caller]
fn programs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let found = project("", files).expect("it is recognised");
    let both = |product: &Product| (product.build.clone(), product.artifact.clone());
    found.programs().into_iter().map(both).collect()
}

fn pair(build: &str, artifact: &str) -> (String, String) {
    (build.to_owned(), artifact.to_owned())
}

#[test]
fn a_package_of_cargo_makes_its_main_program() {
    let manifest =
        "[package]\nname = \"words\"\n\n[[bench]]\nname = \"big-one\"\nharness = false\n";
    let files = [("Cargo.toml", manifest), ("src/main.rs", ""), ("benches/big-one.rs", "")];
    let build = "cargo build --release --bin words";
    assert_eq!(programs(&files), [pair(build, "target/release/words")]);
    let found = project("src", &files).expect("it lies above");
    assert_eq!((found.system, found.folder.as_str()), (System::Cargo, ""));
    let bench = "cargo bench --no-run --bench big-one";
    assert_eq!(found.build_of("target/release/deps/big_one-*"), bench);
    assert_eq!(found.build_of("target/release/deps/big_one-0a1b2c"), bench);
    assert_eq!(found.build_of("target/debug/words"), "cargo build");
    assert_eq!(found.build_of("target/fat/words"), "cargo build --profile fat");
    assert_eq!(found.build_of("target/release/libwords.so"), "cargo build --release");
}

#[test]
fn programs_of_cargo_are_those_that_the_manifest_and_the_folders_name() {
    let manifest = "[package]\nname = \"p\"\n[[bin]]\nname = \"tool\"\npath = \"src/main.rs\"\n\
                    required-features = [\"cli\", \"x\"]\n[[bin]]\nname = \"gone\"\npath = \"no.rs\"\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/main.rs", ""),
        ("src/bin/one.rs", ""),
        ("src/bin/two/main.rs", ""),
        ("src/bin/two/part.rs", ""),
    ];
    let builds = |files: &[(&str, &str)]| -> Vec<String> {
        programs(files).into_iter().map(|(build, _)| build).collect()
    };
    let prefix = "cargo build --release --bin";
    let both = [format!("{prefix} one"), format!("{prefix} two")];
    let with_tool = [&both[..], &[format!("{prefix} tool --features cli,x")]].concat();
    assert_eq!(builds(&files), with_tool);
    let mut chosen = files;
    let text = manifest.replace("\"p\"\n", "\"p\"\ndefault-run = \"two\"\n");
    chosen[0].1 = &text;
    assert_eq!(builds(&chosen), [both[1].clone()]);
    let text = manifest.replace("\"p\"\n", "\"p\"\nautobins = false\n");
    chosen[0].1 = &text;
    assert_eq!(builds(&chosen), [with_tool[2].clone()]);
    // A library.
    assert!(programs(&[("Cargo.toml", "[package]\nname = \"l\""), ("src/lib.rs", "")]).is_empty());
}

#[test]
fn a_workspace_builds_its_default_members_at_its_root() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/old\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\""),
        ("crates/a/src/main.rs", ""),
        ("crates/b/Cargo.toml", "[package]\nname = \"b\""),
        ("crates/b/src/main.rs", ""),
        ("crates/old/Cargo.toml", "[package]\nname = \"old\""),
        ("crates/old/src/main.rs", ""),
    ];
    let of = |name: &str| {
        pair(
            &format!("cargo build --release -p {name} --bin {name}"),
            &format!("target/release/{name}"),
        )
    };
    assert_eq!(programs(&files), [of("a"), of("b")]);
    let mut chosen = files;
    chosen[0].1 = "[workspace]\nmembers = [\"crates/*\"]\ndefault-members = [\"crates/b\"]\n";
    assert_eq!(programs(&chosen), [of("b")]);
    let member = project("crates/a", &files).expect("a member");
    assert_eq!(member.folder, "", "it is built where its target folder is");
    assert_eq!(member.programs()[0].artifact, "target/release/a");
    assert_eq!(member.programs().len(), 1);
    let alone = project("crates/old", &files).expect("a package of its own");
    assert_eq!(alone.folder, "crates/old");
}

#[test]
fn a_package_at_the_root_of_a_workspace_is_what_cargo_builds_there() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"main\"\n[workspace]\nmembers = [\"side\"]\n"),
        ("src/main.rs", ""),
        ("side/Cargo.toml", "[package]\nname = \"side\""),
        ("side/src/main.rs", ""),
        (
            ".cargo/config.toml",
            "[build]\ntarget-dir = \"out\"\ntarget = \"x86_64-unknown-linux-musl\"",
        ),
    ];
    let folder = "out/x86_64-unknown-linux-musl/release";
    let build = "cargo build --release -p main --bin main";
    assert_eq!(programs(&files), [pair(build, &format!("{folder}/main"))]);
    let found = project("", &files).expect("recognised");
    let side = "cargo build --release -p side --bin side";
    assert_eq!(found.build_of(&format!("{folder}/side")), side);
}

#[test]
fn a_module_of_go_makes_its_packages_main() {
    let module = "module example.org/tools/count/v2 // the second\n\ngo 1.22\n";
    let root = [("go.mod", module), ("a.go", "// Words.\npackage main\n"), ("b/b.go", "package b")];
    let build = "go build -trimpath -buildvcs=false -o";
    assert_eq!(programs(&root), [pair(&format!("{build} bin/count ."), "bin/count")]);
    let files = [
        ("go.mod", module),
        ("gen.go", "//go:build ignore\n\npackage main\n"),
        ("lib.go", "package count\n"),
        ("cmd/one/main.go", "package main // it\n"),
        ("cmd/two/x.go", "package main\n"),
        ("cmd/two/x_test.go", "package main_test\n"),
        ("examples/e/main.go", "package main\n"),
        ("vendor/v/main.go", "package main\n"),
        ("other/go.mod", "module other"),
        ("other/main.go", "package main\n"),
    ];
    let of = |name: &str| pair(&format!("{build} bin/{name} ./cmd/{name}"), &format!("bin/{name}"));
    assert_eq!(programs(&files), [of("one"), of("two")]);
    let found = project("cmd/one", &files).expect("recognised");
    assert_eq!(found.build_of("bin/e"), format!("{build} bin/e ./examples/e"));
    assert_eq!(project("other", &files).expect("its own module").folder, "other");
}

#[test]
fn packages_of_haskell_make_their_executables_by_cabal_or_by_stack() {
    let package =
        "name: tools\n\nlibrary\n  hs-source-dirs: src\n\nexecutable zipper\n  main-is: A.hs\n";
    let by_cabal = "cabal build tools:exe:zipper && mkdir -p dist-newstyle/bin && cp \"$(cabal \
                    list-bin -v0 tools:exe:zipper)\" dist-newstyle/bin/";
    let cabal = [("tools.cabal", package), ("src/A.hs", "")];
    assert_eq!(programs(&cabal), [pair(by_cabal, "dist-newstyle/bin/zipper")]);
    let by_stack = "stack build tools:exe:zipper --copy-bins --local-bin-path .stack-work/bin";
    let stack = [("stack.yaml", ""), ("tools.cabal", package)];
    assert_eq!(programs(&stack), [pair(by_stack, ".stack-work/bin/zipper")]);
    let hpack = "name: \"tools\"\n# note\nexecutables:\n  zipper:\n    main: A.hs\n    source-dirs: app\n\
                 tests:\n  t:\n    main: T.hs\n";
    let stack = [("stack.yaml", ""), ("package.yaml", hpack), ("tools.cabal", package)];
    assert_eq!(programs(&stack), [pair(by_stack, ".stack-work/bin/zipper")]);
    let both =
        [("cabal.project", "packages: */"), ("sub/tools.cabal", package), ("stack.yaml", "")];
    let found = project("", &both).expect("recognised");
    assert_eq!((found.system, found.programs().len()), (System::Cabal, 1));
}

#[test]
fn dune_makes_what_its_executables_name() {
    let files = [
        ("dune-project", "(lang dune 3.0)"),
        (
            "bin/dune",
            "; the (executable) itself\n(executable\n (public_name x)\n (name main)\n (libraries \"str\"))",
        ),
        ("tools/dune", "(executables (names a b))\n(rule (action (run a)))"),
        ("test/dune", "(test (name t)) (executable (name helper))"),
        ("src/dune", "(library (name l))) (executable (name"),
    ];
    let of = |path: &str| {
        let path = format!("{path}.exe");
        pair(&format!("dune build --profile release ./{path}"), &format!("_build/default/{path}"))
    };
    assert_eq!(programs(&files), [of("bin/main"), of("tools/a"), of("tools/b")]);
}

#[test]
fn cmake_makes_what_add_executable_names() {
    let root = "project( Fast LANGUAGES C) # (it)\nset(NAME \"fast-tool\")\nadd_executable(${NAME} a.c)\n\
                ADD_EXECUTABLE(${UNKNOWN} b.c)\nadd_executable(other ALIAS fast-tool)\nadd_subdirectory(src)";
    let files = [
        ("CMakeLists.txt", root),
        ("src/CMakeLists.txt", "add_executable(${PROJECT_NAME}\n  c.c)"),
        ("tests/CMakeLists.txt", "add_executable(t t.c)"),
    ];
    let of = |name: &str, place: &str| {
        let configure = "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release";
        pair(
            &format!("{configure} && cmake --build build --target {name}"),
            &format!("{place}/{name}"),
        )
    };
    assert_eq!(programs(&files), [of("fast-tool", "build"), of("Fast", "build/src")]);
    let root = format!("set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${{CMAKE_BINARY_DIR}}/bin)\n{root}");
    let placed = [("CMakeLists.txt", root.as_str())];
    assert_eq!(programs(&placed), [of("fast-tool", "build/bin")]);
}

#[test]
fn make_makes_what_its_first_target_comes_to() {
    let of = |name: &str| pair(&format!("make {name}"), name);
    let make = |text: &str| programs(&[("Makefile", text), ("README", ""), ("main.c", "")]);
    let text = "CC ?= gcc\nBIN := out/$(NAME)\nNAME = fib # it\n.PHONY: all clean\n\nall: $(BIN) docs.html README\n\n\
                $(BIN): main.o\n\t$(CC) -o $@ $<\n\nclean:\n\trm -f x:y\n";
    assert_eq!(make(text), [of("out/fib")]);
    assert_eq!(
        make("prog: main.o \\\n  util.o\n\tcc -o prog main.o\nmain.o: main.c\n"),
        [of("prog")]
    );
    assert_eq!(make("all: a b\na: a.o\nb: b.o\n"), [of("a"), of("b")]);
    assert_eq!(make(".DEFAULT_GOAL := b\na: x\nb: y\n"), [of("b")]);
    for unknown in [
        "all: $(shell ls)\n",
        "include config.mk\nall: $(PROG)\n",
        "build:\n\tcc main.c\n",
        "%.o: %.c\n",
    ] {
        assert!(make(unknown).is_empty(), "{unknown}");
    }
}

#[test]
fn the_nearest_build_system_counts_and_of_several_the_more_particular_one() {
    let files = [
        ("Makefile", "prog: prog.c"),
        ("Cargo.toml", "[package]\nname = \"r\""),
        ("src/main.rs", ""),
        ("c/Makefile", "p: p.c"),
        ("c/sub/p.c", ""),
    ];
    let system = |place| project(place, &files).expect("recognised").system;
    assert_eq!(
        (system(""), system("c/sub"), system("src")),
        (System::Cargo, System::Make, System::Cargo)
    );
    let names: Vec<String> = files[3..].iter().map(|(name, _)| (*name).to_owned()).collect();
    let read = |_: &str| Some("p: p.c".to_owned());
    assert_eq!(recognise(Files { names: &names, read: &read }, ""), None);
    assert_eq!(below(Files { names: &names, read: &read }, ""), ["c"]);
    assert_eq!(project("", &[("README", "")]), None);
}

#[test]
fn what_is_interpreted_is_the_whole_checkout() {
    let system = |files: &[(&str, &str)]| project("", files).map(|known| known.system);
    for (files, expected) in [
        (&[("pyproject.toml", ""), ("src/words/__init__.py", "")][..], System::Python),
        (&[("setup.py", ""), ("run.sh", "")], System::Python),
        (&[("main.py", "")], System::Python),
        (&[("Gemfile", ""), ("lib/words.rb", "")], System::Ruby),
        (&[("words.gemspec", "")], System::Ruby),
        (&[("package.json", "{}"), ("index.js", "")], System::Node),
        (&[("run.sh", "")], System::Shell),
        // A Makefile that builds no program serves another purpose.
        (
            &[("Makefile", ".PHONY: test\ntest:\n\tpytest\n"), ("pyproject.toml", "")],
            System::Python,
        ),
        // Compiled languages come first.
        (&[("Makefile", "prog: prog.c\n\tcc prog.c\n"), ("setup.py", "")], System::Make),
        (&[("Cargo.toml", "[package]\nname = \"p\""), ("pyproject.toml", "")], System::Cargo),
    ] {
        assert_eq!(system(files), Some(expected), "{files:?}");
    }
    assert_eq!(programs(&[("pyproject.toml", "")]), [pair("", ".")]);
    let package = "{\"dependencies\": {\"x\": \"1\"}, \"scripts\": {\"build\": \"tsc\"}}";
    let files = [("package.json", package), ("package-lock.json", "{}")];
    assert_eq!(programs(&files), [pair("npm ci && npm run build", ".")]);
    assert_eq!(programs(&files[..1]), [pair("npm run build", ".")]);
    assert_eq!(programs(&[("package.json", "{}"), ("yarn.lock", "")]), [pair("", ".")]);
}
