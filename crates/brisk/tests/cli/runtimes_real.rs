//! Figures of real runtimes, for programs with known behaviour.

use serde_json::Value;

use crate::lab::{Lab, has, not_checked, run};
use crate::runtimes::said;

fn compared(lab: &Lab, command: &str) -> Value {
    lab.compared(&["-r", "2", command])
}

/// True if these programs are installed; otherwise prints a message.
fn there_are(what: &str, programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| !has(program));
    if let Some(program) = missing {
        not_checked(&format!("what {what} says: {program} is not installed"));
    }
    missing.is_none()
}

fn least(readings: &[Value]) -> f64 {
    let values =
        readings.iter().map(|reading| reading.as_f64().unwrap_or_else(|| panic!("{reading}")));
    values.reduce(f64::min).expect("it was asked")
}

/// Asserts that there are two readings (or more, if rounds disagreed in other respects), all of
/// this value.
fn assert_each(readings: &[Value], value: f64) {
    assert!(
        readings.len() >= 2 && readings.iter().all(|reading| *reading == value),
        "{readings:?}"
    );
}

/// Builds in the lab's folder with this command.
fn build(lab: &Lab, command: &str) {
    let folder = lab.path(".").display().to_string();
    assert!(run("sh", &["-c", &format!("cd '{folder}' && {command}")]), "{command}");
}

#[test]
fn cpython_counts_collections_also_of_scripts() {
    if !there_are("CPython", &["python3"]) {
        return;
    }
    let lab = Lab::new();
    lab.write(
        "which.py",
        "import os, sys\nopen('path', 'w').write(os.path.realpath(sys.executable))\n",
    );
    build(&lab, "python3 which.py");
    let python = lab.read("path");
    std::fs::create_dir(lab.path("theirs")).expect("writable");
    lab.write("theirs/sitecustomize.py", "open('loaded', 'a').write('x')\n");
    let program = "import gc, sys\ngc.disable()\nfor _ in range(3): gc.collect()\n\
                   open('seen', 'a').write(repr(sys.path) + '\\n')\n";
    lab.write("collect", &format!("#!{python}\n{program}"));
    build(&lab, "chmod +x collect");
    let lab = lab.with("PYTHONPATH", "theirs");
    let document = compared(&lab, "./collect");
    assert_each(&said(&document, 0, "major_gc_count"), 3.0);
    assert_each(&said(&document, 0, "minor_gc_count"), 0.0);
    assert!(least(&said(&document, 0, "max_pause")) <= least(&said(&document, 0, "pause_time")));
    let reason = said(&document, 0, "allocated")[0]["missing"].clone();
    assert!(reason.as_str().is_some_and(|reason| reason.contains("tracemalloc")), "{reason}");
    // The user's module is loaded as usual, and the program does not see ours.
    let seen = lab.lines("seen");
    assert!(seen.len() >= 4, "{seen:?}");
    assert_eq!(lab.read("loaded"), "x".repeat(seen.len()));
    assert!(seen.iter().all(|path| *path == seen[0]), "{seen:?}");
}

#[test]
fn node_counts_collections() {
    if !there_are("Node", &["node"]) {
        return;
    }
    let lab = Lab::new();
    lab.write("collect.js", "for (let i = 0; i < 3; i++) gc();\nconsole.log('done');\n");
    let document = compared(&lab, "node --expose-gc collect.js");
    if said(&document, 0, "gc_count").iter().all(|reading| reading["missing"].is_string()) {
        return not_checked("what Node says: this one is older than 18.15");
    }
    assert_each(&said(&document, 0, "major_gc_count"), 3.0);
    let live = least(&said(&document, 0, "max_live"));
    assert!(live > 1e5 && live < least(&said(&document, 0, "memory_in_use")), "{live}");
}

#[test]
fn the_java_virtual_machine_counts_collections() {
    if !there_are("the Java virtual machine", &["java", "javac"]) {
        return;
    }
    let lab = Lab::new();
    lab.write(
        "Collect.java",
        "class Collect { public static void main(String[] a) { byte[] kept = new byte[20 << 20];\n\
         for (int i = 0; i < 3; i++) System.gc(); System.out.println(kept.length); } }\n",
    );
    build(&lab, "javac Collect.java");
    let document = compared(&lab, "java -XX:+UseSerialGC -Xmx64m Collect");
    assert_each(&said(&document, 0, "major_gc_count"), 3.0);
    let live = least(&said(&document, 0, "max_live"));
    assert!((20.0 * 1048576.0..24.0 * 1048576.0).contains(&live), "{live}");
    assert!(least(&said(&document, 0, "memory_in_use")) >= live);
    assert!(least(&said(&document, 0, "max_pause")) <= least(&said(&document, 0, "pause_time")));
}

#[test]
fn go_traces_collections() {
    if !there_are("Go", &["go"]) {
        return;
    }
    let lab = Lab::new();
    lab.write(
        "collect.go",
        "package main\nimport (\"runtime\"; \"time\")\nvar kept []byte\nfunc main() { kept = make([]byte, 20<<20)\n\
         for i := 0; i < 3; i++ { runtime.GC() }\ntime.Sleep(100 * time.Millisecond)\n\
         runtime.KeepAlive(kept) }\n",
    );
    build(&lab, "go build -o collect collect.go");
    let lab = lab.with("GOGC", "off");
    let document = compared(&lab, "./collect");
    assert_each(&said(&document, 0, "gc_count"), 3.0);
    let live = least(&said(&document, 0, "max_live"));
    assert!((20.0 * 1048576.0..24.0 * 1048576.0).contains(&live), "{live}");
}

#[test]
fn ocaml_counts_words() {
    if !there_are("OCaml", &["ocamlopt"]) {
        return;
    }
    let lab = Lab::new();
    // A list cell has three words including its header.
    lab.write(
        "grow.ml",
        "let rec grow n kept = if n = 0 then kept else grow (n - 1) (n :: kept)\n\
         let () = Gc.minor (); Gc.minor (); print_int (List.length (grow 1_000_000 []))\n",
    );
    build(&lab, "ocamlopt grow.ml -o grow");
    let document = compared(&lab, "./grow");
    let allocated = least(&said(&document, 0, "allocated"));
    assert!((24e6..25e6).contains(&allocated), "{allocated}");
    assert!(least(&said(&document, 0, "minor_gc_count")) >= 2.0);
    assert!(least(&said(&document, 0, "promoted")) <= allocated);
    assert_eq!(said(&document, 0, "allocated")[0], said(&document, 0, "allocated")[1]);
}

#[test]
fn sbcl_counts_bytes_also_of_scripts() {
    if !there_are("SBCL", &["sbcl"]) {
        return;
    }
    let lab = Lab::new();
    // A cons is two words.
    lab.write(
        "grow.lisp",
        "(defvar *kept* (loop repeat 1000000 collect 1))\n\
         (with-open-file (s \"seen\" :direction :output :if-exists :append :if-does-not-exist :create)\n\
         (format s \"~s~%\" (list sb-ext:*posix-argv* *package*)))\n",
    );
    for command in ["sbcl --script grow.lisp 7", "sbcl --noinform --load grow.lisp --quit"] {
        let document = compared(&lab, command);
        let allocated = least(&said(&document, 0, "allocated"));
        assert!((16e6..40e6).contains(&allocated), "{allocated}");
        assert!(least(&said(&document, 0, "mutator_time")) > 0.0);
    }
    let seen = lab.lines("seen");
    assert!(seen.len() >= 8, "{seen:?}");
    assert!(seen[..4].iter().all(|line| *line == seen[0]), "{seen:?}");
}

#[test]
fn polyml_logs_collections() {
    if !there_are("Poly/ML", &["poly"]) {
        return;
    }
    let lab = Lab::new();
    lab.write("collect.sml", "PolyML.fullGC (); PolyML.fullGC (); PolyML.fullGC ();\n");
    let document = compared(&lab, "poly --script collect.sml");
    assert_each(&said(&document, 0, "major_gc_count"), 3.0);
    assert!(least(&said(&document, 0, "max_live")) < least(&said(&document, 0, "memory_in_use")));
}

#[test]
fn mlton_sums_up() {
    if !there_are("MLton", &["mlton"]) {
        return;
    }
    let lab = Lab::new();
    // A list cell has a header, an element and a pointer.
    lab.write(
        "grow.sml",
        "fun grow (0, kept) = kept | grow (n, kept) = grow (n - 1, n :: kept)\n\
         val () = print (Int.toString (length (grow (1000000, []))) ^ \"\\n\")\n",
    );
    build(&lab, "mlton -output grow grow.sml");
    let document = compared(&lab, "./grow 7");
    let allocated = least(&said(&document, 0, "allocated"));
    assert!((16e6..33e6).contains(&allocated), "{allocated}");
    assert!(least(&said(&document, 0, "max_live")) <= least(&said(&document, 0, "memory_in_use")));
}
