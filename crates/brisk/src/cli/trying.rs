//! `brisk try`: keep it or not?

use configuration::TryRequest;
use findings::brief::{Brief, Figure, TrialFacts};
use findings::short;
use laboratory::trial::{self, JudgedTry};
use measure::Launcher;
use model::failure::{Failing, Failure};
use words::quantity::ChangeSize;

use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode};

/// Decides on a proposal, or begins, shows or finishes the trial.
pub(super) fn run(request: &TryRequest, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    measure::interrupt::install().failing("cannot watch for Ctrl-C")?;
    if request.log {
        return list(&trial::tries(request)?, output);
    }
    let mut terminal = Terminal::unless(request.measuring.quiet, output);
    let brief = if request.start {
        trial::start(request, &mut launcher, &mut terminal)?
    } else if request.status {
        trial::status(request)?
    } else if request.finish {
        trial::finish(request, &mut launcher, &mut terminal)?
    } else {
        trial::judge(request, &mut launcher, &mut terminal)?
    };
    drop(terminal);
    match output.is_brief() {
        true => output.answer(brief.clone()),
        false => output.data(&text(&brief))?,
    }
    Ok(ExitCode::Command(brief.exit))
}

/// Prints a line for each try.
fn list(log: &trial::TrialLog, output: &Output) -> Done {
    if output.is_brief() {
        return Err(Failure::new("`--log` lists all tries, and `--json` prints one answer")
            .hint(Some("`brisk try --status --json` has the state of the trial")));
    }
    for JudgedTry { typed, proposal, brief } in &log.tries {
        let figure = brief.figures.first().map(|figure| format!("  {}", shown(figure)));
        let reason = brief.reasons.first().filter(|_| brief.figures.is_empty());
        let reason = reason.map(|reason| format!("  {}", reason.replace('\n', " ")));
        let why = figure.or(reason).unwrap_or_default();
        output.data(&format!("{proposal}  {:<7}  {typed}{why}\n", brief.answer))?;
    }
    Ok(ExitCode::Fine)
}

/// The answer in sentences.
fn text(brief: &Brief) -> String {
    let mut lines = vec![format!("{}: {}", brief.answer, brief.meaning)];
    lines.extend(brief.figures.iter().map(|figure| format!("  {}", shown(figure))));
    lines.extend(brief.reasons.iter().map(|reason| format!("  {reason}")));
    lines.extend(brief.trial.iter().map(facts));
    lines.push(format!("next: {}", brief.next));
    lines.join("\n") + "\n"
}

fn shown(figure: &Figure) -> String {
    let size = ChangeSize::of_ratio(figure.ratio, figure.low, figure.high);
    let interval = size.interval().map(|ends| format!(" {ends}")).unwrap_or_default();
    let (name, metric, rounds) = (&figure.name, words::label(&figure.metric), figure.rounds);
    format!("{metric} of `{name}`: {}{interval}, {rounds} rounds", size.words())
}

fn facts(facts: &TrialFacts) -> String {
    let TrialFacts { trial, incumbent, tries, kept, errors_left, .. } = facts;
    let left = 100.0 * errors_left;
    let incumbent = short(incumbent);
    let tries = if *tries == 1 { "1 try".to_owned() } else { format!("{tries} tries") };
    format!(
        "trial {trial}: {tries}, {kept} kept, {left:.0} % of its error left; incumbent {incumbent}"
    )
}
