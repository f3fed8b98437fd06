//! What measuring adds to a run, beside the least that running it can cost.
//!
//! Blocks of runs of `/bin/true` by the launcher and by a C program with nothing
//! but `posix_spawn` and `wait4` take turns, so that both see the same machine:
//!
//!     cargo run --release -p brisk-measure --example overhead [BLOCKS [RUNS]]
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use std::error::Error;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use measure::clock::Stopwatch;
use measure::tool::{Tool, output};
use measure::{
    AllowedExits, Awaits, CommandLine, Launcher, Reads, Stdin, Stdout, Task, Wake, resolve_program,
};

/// What was seen of one side.
#[derive(Default)]
struct Side {
    wall_ns: Vec<f64>,
    runs_per_second: Vec<f64>,
    /// Runs whose peak memory was the launcher's, and the largest floor.
    at_floor: usize,
    floor_bytes: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    // Before anything else, as the tool does it.
    let mut launcher = Launcher::start()?;
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let blocks = arguments.next().transpose()?.unwrap_or(40);
    let runs = arguments.next().transpose()?.unwrap_or(100);

    let directory = std::env::temp_dir().join(format!("brisk-overhead-{}", std::process::id()));
    std::fs::create_dir(&directory)?;
    let bare_loop = build_bare_loop(&directory)?;
    let journal = File::options().append(true).create(true).open(directory.join("journal"))?;

    let slice = vec![run_of_true()?; runs];
    let (mut bare, mut brisk) = (Side::default(), Side::default());
    for block in 0..blocks {
        // Whoever comes first may find the machine cooler.
        for turn in 0..2 {
            if (block + turn) % 2 == 0 {
                run_bare(&bare_loop, runs, &mut bare)?;
            } else {
                run_brisk(&mut launcher, &slice, &journal, &mut brisk)?;
            }
        }
    }
    std::fs::remove_dir_all(&directory)?;

    let wall = (median(&mut bare.wall_ns), median(&mut brisk.wall_ns));
    let rate = (median(&mut bare.runs_per_second), median(&mut brisk.runs_per_second));
    println!("{blocks} blocks of {runs} runs of /bin/true each");
    println!("                bare loop      brisk    ratio");
    println!(
        "wall, us       {:10.1} {:10.1}   {:6.3}",
        wall.0 / 1e3,
        wall.1 / 1e3,
        wall.1 / wall.0
    );
    println!("runs a second  {:10.1} {:10.1}   {:6.3}", rate.0, rate.1, rate.1 / rate.0);
    println!(
        "peak memory: at most the launcher's own {} KiB in {} of {} runs",
        brisk.floor_bytes / 1024,
        brisk.at_floor,
        brisk.wall_ns.len()
    );
    Ok(())
}

fn run_of_true() -> Result<Task, Box<dyn Error>> {
    Ok(Task {
        tag: 0,
        command: CommandLine {
            argv: vec!["true".into()],
            program: resolve_program(OsStr::new("/bin/true"), None, None)?,
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Null,
            stdout: Stdout::Null,
        },
        copies: Vec::new(),
        timeout: Some(Duration::from_secs(10)),
        awaits: Awaits::Command,
        environment_padding_bytes: 0,
        read: Reads::default(),
        stderr_kept_bytes: measure::STDERR_KEPT_BYTES,
        timed: true,
        allowed: AllowedExits::Zero,
    })
}

fn run_bare(bare_loop: &Path, runs: usize, side: &mut Side) -> Result<(), Box<dyn Error>> {
    let tool = Tool::new(bare_loop).args([runs.to_string(), "/bin/true".to_owned()]);
    let printed = String::from_utf8(output(&tool)?.stdout)?;
    let walls = printed.lines().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    // In favour of the other side: neither its start nor its printing counts.
    side.runs_per_second.push(runs as f64 * 1e9 / walls.iter().sum::<f64>());
    side.wall_ns.extend(walls);
    Ok(())
}

fn run_brisk(
    launcher: &mut Launcher,
    slice: &[Task],
    journal: &File,
    side: &mut Side,
) -> Result<(), Box<dyn Error>> {
    let watch = Stopwatch::start();
    let done = launcher.execute(slice, Some(journal), &mut || Wake::Continue)?;
    side.runs_per_second.push(slice.len() as f64 / watch.elapsed().as_secs_f64());
    let peaks = || done.finished.iter().map(|run| run.raw.peak_rss);
    side.at_floor += peaks().filter(|peak| peak.is_at_floor()).count();
    side.floor_bytes =
        peaks().map(|peak| peak.floor.0).chain([side.floor_bytes]).max().unwrap_or(0);
    side.wall_ns.extend(done.finished.iter().map(|run| run.raw.wall.0 as f64));
    Ok(())
}

fn build_bare_loop(directory: &Path) -> Result<std::path::PathBuf, Box<dyn Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bare_loop.c");
    let program = directory.join("bare_loop");
    let tool = Tool::new("cc").args(["-O2".as_ref(), "-o".as_ref(), program.as_os_str()]);
    let built = output(&tool.args([source]))?;
    match built.stderr.is_empty() {
        true => Ok(program),
        false => Err(String::from_utf8_lossy(&built.stderr).into()),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
