//! Explaining dumps that somebody has, with the counters of a run where there are some.

use std::fs;
use std::path::Path;

use toolchains::ghc::causes::doubts::doubts;
use toolchains::ghc::causes::{Program, examine};
use toolchains::ghc::ticky;

use crate::explain::folder;
use crate::failure::{Failing, Failure};
use crate::report::explanation::document::ExplanationPart;

/// What the dumps of a folder say.
pub(super) fn explanation(
    folder: &Path,
    counters: Option<&Path>,
) -> Result<ExplanationPart, Failure> {
    let program = program(folder, counters)?;
    let examination = examine(&program);
    let doubts = doubts(&program, examination.coverage.as_ref());
    Ok(ExplanationPart::new(&folder.display().to_string(), &program, &examination, &doubts))
}

/// The program that the dumps of a folder are of, with the counters of a run where there are some.
pub(super) fn program(folder: &Path, counters: Option<&Path>) -> Result<Program, Failure> {
    // Small and quick to refuse, so before the dumps.
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
