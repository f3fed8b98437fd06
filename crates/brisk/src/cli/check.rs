//! `brisk check`: does what `brisk.toml` expects hold?

use configuration::CheckRequest;
use findings::CheckedExpectation;
use findings::brief::Brief;
use judge::acceptance::Standing;
use laboratory::check;
use measure::Launcher;
use model::failure::Failure;

use super::laboratory::asker;
use super::output::Output;
use super::watching::Terminal;
use super::{Done, ExitCode, Findings};

/// Conducts the check, and reports it; or accepts a failure, or stores a baseline.
pub(super) fn run(request: &CheckRequest, output: &Output) -> Done {
    // Before anything that takes memory: the launcher's own memory is the smallest peak it can see.
    let mut launcher = Launcher::start()?;
    if let Some(id) = &request.accept {
        let accepted = check::accept(request, id, request.why.as_deref())?;
        return output
            .data(&format!("accepted: {}\n", accepted.join("; ")))
            .map(|()| ExitCode::Fine);
    }
    if request.save_baseline {
        let head = check::save_baseline(request)?;
        let short = findings::short(&head.hash);
        return output
            .data(&format!("the baseline is now {short} {}\n", head.subject))
            .map(|()| ExitCode::Fine);
    }
    let mut terminal = Terminal::new(output, &request.measuring, &request.stopping)
        .without_rounds(request.invocation.show_output);
    let conducted = check::conduct(request, &asker(), &mut launcher, &mut terminal)?;
    if output.is_brief() {
        output.answer(brief(&conducted.found.expectations));
    }
    output.message(&conducted.remarks());
    output.page(&conducted.page())?;
    conducted.write(&mut terminal)?;
    findings(&conducted.found.expectations).done(request.stopping.require_verdict)
}

/// The answer in one line, whose reasons are the expectations that do not hold, or are not decided.
fn brief(checked: &[CheckedExpectation]) -> Brief {
    let is = |standing| checked.iter().any(|one| one.standing == standing);
    let (answer, next) = if is(Standing::Fails) {
        ("fails", "repair what the reasons name, or accept it with `brisk check --accept`")
    } else if is(Standing::Unmeasured) {
        ("trouble", "repair what could not be measured")
    } else if is(Standing::Undecided) {
        ("undecided", "measure longer with `--budget`")
    } else {
        ("holds", "nothing")
    };
    let open = [Standing::Fails, Standing::Unmeasured, Standing::Undecided];
    let open = checked.iter().filter(|one| open.contains(&one.standing));
    Brief {
        reasons: open.map(|one| format!("`{}`", one.that)).collect(),
        next: next.to_owned(),
        ..Brief::new("check", answer, 0, "")
    }
}

fn findings(checked: &[CheckedExpectation]) -> Findings {
    let are = |standing| checked.iter().filter(move |one| one.standing == standing);
    let unmeasured: Vec<String> =
        are(Standing::Unmeasured).map(|one| format!("`{}`", one.that)).collect();
    let failure = || Failure::new(format!("could not be measured: {}", unmeasured.join(", ")));
    Findings {
        unmeasured: (!unmeasured.is_empty()).then(failure),
        is_regressed: are(Standing::Fails).next().is_some(),
        is_open: are(Standing::Undecided).next().is_some(),
    }
}
