//! Roles of this program when the checks start it as a process to observe.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use measure::{Launcher, Wake};

use crate::support::{BUSY, eventually, program, script};

/// The variable that names the role.
pub(crate) const ROLE: &str = "BRISK_TEST_ROLE";
/// The variable with the directory for the traces of a role.
pub(crate) const DIRECTORY: &str = "BRISK_TEST_DIRECTORY";

/// The variable with the duration of a role.
pub(crate) const MILLISECONDS: &str = "BRISK_TEST_MILLISECONDS";

/// Plays the role, if one is set.
pub(crate) fn run_if_asked() -> bool {
    let Ok(role) = std::env::var(ROLE) else { return false };
    match role.as_str() {
        "hold 300 MB" => {
            let memory = vec![1_u8; 300_000_000];
            std::hint::black_box(&memory);
        }
        "hold 300 MB for a while" => {
            let memory = vec![1_u8; 300_000_000];
            std::thread::sleep(Duration::from_millis(milliseconds()));
            std::hint::black_box(&memory);
        }
        "work in a thread" => {
            let work = || (0..200_000_000_u64).fold(0, |sum, i| std::hint::black_box(sum ^ i));
            std::thread::spawn(work).join().expect("it does not panic");
        }
        "measure until killed" => measure_until_killed(None),
        "measure until a thread panics" => measure_until_killed(Some("panic")),
        other => panic!("unknown role `{other}`"),
    }
    true
}

/// Twenty short runs, then an endless one that starts processes that try to escape. A thread panics
/// once a file with this name exists.
fn measure_until_killed(panics_at: Option<&str>) {
    let mut launcher = Launcher::start().expect("fork works");
    let directory = std::env::var(DIRECTORY).expect("a role comes with its directory");
    let directory = Path::new(&directory);
    if let Some(sign) = panics_at.map(|name| directory.join(name)) {
        std::thread::spawn(move || {
            eventually("the thread is to panic", || sign.exists());
            panic!("this is what the check is about");
        });
    }
    let journal = File::options().create(true).append(true).open(directory.join("journal"));
    let pids = directory.join("pids");
    let mut slice = vec![program(&["true"]); 20];
    let endless = format!(
        "echo $$ >> {pids}; (setsid sh -c 'echo $$ >> {pids}; {BUSY}; sleep 1000' &); \
         sleep 1000 & echo $! >> {pids}; echo all >> {pids}; sleep 1000",
        pids = pids.display()
    );
    let mut endless = script(&endless);
    endless.timeout = None;
    slice.push(endless);
    let journal = journal.expect("writable");
    let done = launcher.execute(&slice, Some(&journal), &mut || Wake::Continue);
    panic!("nobody killed us: {done:?}");
}

fn milliseconds() -> u64 {
    let text = std::env::var(MILLISECONDS).expect("whoever gives this role says how long");
    text.parse().expect("a number")
}
