//! What a bench is of: one that was interrupted is gone on with when it is of the same.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::BenchArguments;
use crate::host;
use crate::spec::Experiment;
use crate::spec::suite::{Program, Suite};

/// Everything that decides what is measured, as text. A program that was built anew is another one,
/// whatever its name; so its contents are part of this.
///
/// # Errors
///
/// When a program cannot be read; then nothing can be said to be the same.
pub(super) fn subject(
    arguments: &BenchArguments,
    suite: &Suite,
    experiment: &Experiment,
) -> io::Result<String> {
    let programs: Vec<String> = suite.programs.iter().map(program).collect::<io::Result<_>>()?;
    let variants = experiment.variants.iter().map(|variant| (&variant.name, &variant.labels));
    let subject = serde_json::json!({
        "bench": programs,
        "variants": variants.collect::<Vec<_>>(),
        "seconds_per_run": suite.seconds_per_run,
        "timeout": arguments.suite.timeout,
        "metrics": arguments.metrics,
        "stopping": arguments.stopping.key(),
        "machine": host::machine(),
        "folder": std::env::current_dir().unwrap_or_default(),
    });
    Ok(subject.to_string())
}

/// How a program is started, and the digest of its contents.
fn program(program: &Program) -> io::Result<String> {
    let resolved = program.run.resolve().map_err(io::Error::other)?;
    Ok(format!("{:?} {}", program.run, digest(Path::new(&resolved.program))?))
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
