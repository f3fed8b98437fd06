//! The lines of functions, as a C compiler describes them.

use toolchains::debug_functions::{DebugFunctions, read};

use super::compiled;

const SOURCE: &str = r"static inline int twice(int n) {
    return n * n + 3;
}

static int unused(int n) {
    return 3 * n;
}

int __attribute__((noinline)) sum(int n) {
    int all = 0;
    for (int i = 0; i < n; i++) {
        all += twice(i);
    }
    return all;
}

int main(int argc, char **argv) {
    return sum(argc);
}
";

fn functions(flags: &[&str]) -> Option<DebugFunctions> {
    let program = compiled("debug-functions", flags, &[("lines.c", SOURCE)])?;
    Some(read(&program, &|file| file.ends_with("/lines.c")).expect("it has debug information"))
}

#[test]
fn functions_have_the_lines_of_their_bodies_whether_inlined_or_not() {
    for flags in [["-O0"], ["-O2"]] {
        let Some(found) = functions(&flags) else { return };
        let lines = |name: &str| {
            let function = found.functions.iter().find(|function| function.name == name);
            function.map(|function| (function.first, function.last))
        };
        assert!(found.files.iter().any(|file| file.ends_with("/lines.c")), "{:?}", found.files);
        assert_eq!(lines("sum"), Some((9, 15)), "{flags:?}");
        assert!(matches!(lines("main"), Some((17, 18..=19))), "{flags:?}: a jump has no end");
        let (first, last) = lines("twice").expect("it is inlined");
        assert!(first == 1 && (2..=3).contains(&last), "{flags:?}: {first}-{last}");
    }
}

#[test]
fn a_program_without_debug_information_has_none() {
    let Some(program) = compiled("no-lines", &["-g0"], &[("lines.c", SOURCE)]) else { return };
    assert_eq!(read(&program, &|_| true), None);
    let program = compiled("lines", &["-O2"], &[("lines.c", SOURCE)]).expect("gcc");
    for length in [0, 64, 4096, program.len() / 2, program.len() - 1] {
        let _ = read(&program[..length], &|_| true);
    }
}
