//! Programs that a C compiler makes from two versions of a source, and what is known of them.

mod code_equality;
mod debug_functions;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of the program made from these files, of which the headers are only written; `None`,
/// with a remark, where there is no C compiler.
pub(crate) fn compiled(name: &str, flags: &[&str], files: &[(&str, &str)]) -> Option<Vec<u8>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}"));
    std::fs::create_dir_all(&folder).expect("a folder for programs can be made");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a source can be written");
    }
    let sources = files.iter().map(|(file, _)| *file).filter(|file| file.ends_with(".c"));
    let program = PathBuf::from("program");
    #[expect(clippy::disallowed_methods, reason = "a test's surroundings")]
    let mut compiler = Command::new("gcc");
    compiler.current_dir(&folder).args(["-g", "-fPIE", "-pie"]).args(flags);
    match compiler.args(sources).arg("-o").arg(&program).status() {
        Ok(status) => assert!(status.success(), "{name} compiles"),
        Err(_) => {
            not_checked("there is no gcc");
            return None;
        }
    }
    Some(std::fs::read(folder.join(program)).expect("the compiler wrote a program"))
}

#[expect(clippy::print_stderr, reason = "what was not checked must not look like a pass")]
fn not_checked(why: &str) {
    eprintln!("not checked: {why}");
}
