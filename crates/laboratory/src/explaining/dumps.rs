//! Explains existing dumps, with the counters of a run if available.

use std::fs;
use std::path::{Path, PathBuf};

use ghc::causes::doubts::doubts;
use ghc::causes::{Program, examine};
use ghc::heap_profile::{self, HeapProfile};
use ghc::ticky;

use explain::folder;
use findings::explanation::Explanation;
use model::failure::{Failing, Failure};

/// The explanation of a folder of dumps, with its source folders and a heap profile if given.
pub(super) fn explanation(
    folder: &Path,
    counters: Option<&Path>,
    sources: &[PathBuf],
    heap_profile: Option<&Path>,
) -> Result<Explanation, Failure> {
    let heap = heap_profile.map(read_heap_profile).transpose()?;
    let mut program = program(folder, counters)?;
    program.heap = heap;
    for source in sources {
        folder::attach_texts(source, &mut program.modules)
            .failing(format!("cannot read `{}`", source.display()))?;
    }
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    Ok(explain::explanation::explanation(
        &folder.display().to_string(),
        &program,
        &examination,
        &doubts,
    ))
}

/// The program of a folder of dumps, with the counters of a run if given.
pub(super) fn program(folder: &Path, counters: Option<&Path>) -> Result<Program, Failure> {
    // The counters are small and quick to refuse, so they are read before the dumps.
    let ticky = counters.map(read_counters).transpose()?;
    let mut program = folder::program(folder)?;
    program.ticky = ticky;
    Ok(program)
}

fn read_counters(path: &Path) -> Result<ticky::Profile, Failure> {
    let name = path.display();
    let bytes = fs::read(path).failing(format!("cannot read `{name}`"))?;
    ticky::read(&bytes).map_err(|error| {
        Failure::new(format!("cannot read the ticky counters in `{name}`"))
            .caused_by(&error)
            .hint(Some("a program compiled with `-ticky` writes them with `+RTS -rFILE`"))
    })
}

fn read_heap_profile(path: &Path) -> Result<HeapProfile, Failure> {
    let text = fs::read(path).failing(format!("cannot read `{}`", path.display()))?;
    heap_profile::read(&String::from_utf8_lossy(&text)).map_err(|error| {
        Failure::new(format!("cannot read the heap profile in `{}`", path.display()))
            .caused_by(&error)
            .hint(Some("a program writes one to PROGRAM.hp with `+RTS -hT`"))
    })
}
