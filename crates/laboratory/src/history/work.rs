//! The amount of work of each commit: as much as it can do in the time that a run may take.

use std::collections::HashMap;
use std::time::Duration;

use measure::Outcome;
use measure::tool::{LogEnd, Tool, logged};

use super::question::Question;
use model::failure::Failure;
use model::spec::artifacts::{self, BuiltArtifact};
use model::spec::labels::ArtifactId;
use model::spec::labels::Work;

/// The number of bytes kept of a trial's output: enough to see why it failed.
const KEPT_BYTES: usize = 4096;

/// Sets the work of each artefact: that of an earlier experiment, or else the result of trials, by
/// tenths from the whole downwards.
pub(super) fn give(
    question: &Question<'_>,
    built: &mut [BuiltArtifact<'_>],
    earlier: &HashMap<ArtifactId, Work>,
) -> Result<(), Failure> {
    let Some((whole, limit)) = question.work()? else { return Ok(()) };
    for one in built {
        let work = match earlier.get(&one.id) {
            Some(work) if work.whole == whole.whole => *work,
            _ => find(question, one, whole, limit)?,
        };
        one.work = Some(work);
    }
    Ok(())
}

fn find(
    question: &Question<'_>,
    built: &BuiltArtifact<'_>,
    whole: Work,
    limit: Duration,
) -> Result<Work, Failure> {
    let mut work = whole;
    loop {
        let trial = BuiltArtifact { work: Some(work), ..built.clone() };
        match run(question, &trial, limit)? {
            LogEnd::Interrupted => return Err(Failure::new("interrupted before measuring")),
            LogEnd::TimedOut => {}
            // A failing program is reported when it is measured.
            LogEnd::ByItself(_) => return Ok(work),
        }
        work = work.tenth().ok_or_else(|| {
            Failure::new(format!("`{}` takes too long with any work", built.name))
                .because(format!("with `{{work}}` = {} it {}", work.done, Outcome::TimedOut))
                .hint(Some("allow more with `--work-time`"))
        })?;
    }
}

fn run(
    question: &Question<'_>,
    trial: &BuiltArtifact<'_>,
    limit: Duration,
) -> Result<LogEnd, Failure> {
    let experiment = artifacts::experiment(
        &question.run_settings,
        &question.template,
        std::slice::from_ref(trial),
    )?;
    let invocation = &experiment.variants[0].run;
    let command = invocation.resolve()?;
    let mut tool = Tool::new(&command.program).args(&command.argv[1..]).timeout(limit);
    for (name, value) in &command.env {
        tool = tool.env(name, value.as_deref());
    }
    if let Some(folder) = &command.cwd {
        tool = tool.cwd(folder);
    }
    let requests = measure::interrupt::requests();
    let log = logged(&tool, KEPT_BYTES, requests)?;
    Ok(log.end)
}
