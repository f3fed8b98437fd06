//! The results of the expectations, from the measurements and acceptances.

use super::figures::MeasuredFigures;
use super::measuring::Measurement;
use super::programs::Programs;
use super::question::Question;
use configuration::settings;
use findings::CheckedExpectation;
use judge::acceptance::{Acceptance, standing};
use judge::expectation::evaluate;
use model::failure::Failure;
use model::spec::project::Expected;
use model::verdict::Margin;

/// Decides each expectation.
pub(super) fn checked(
    question: &Question<'_>,
    programs: &Programs,
    measurement: &Measurement,
    acceptances: &[Acceptance],
) -> Result<Vec<CheckedExpectation>, Failure> {
    let margin = margin(question, programs)?;
    let figures = MeasuredFigures { programs, measurement };
    let one = |expected: &Expected| {
        let id = expected.that.id();
        let evaluation = evaluate(&expected.that.relation, &figures);
        let (standing, acceptance) = standing(id, &evaluation, acceptances, margin);
        let acceptance = acceptance.cloned();
        let (that, why) = (expected.that.text.clone(), expected.why.clone());
        CheckedExpectation { id, that, why, evaluation, standing, acceptance }
    };
    Ok(question.expectations().iter().map(one).collect())
}

fn margin(question: &Question<'_>, programs: &Programs) -> Result<Margin, Failure> {
    let benchmarks = question.benchmarks(programs.benchmarks());
    let options = settings::stopping(&question.arguments.stopping, &benchmarks);
    let rule = options.rule(1)?;
    Ok(rule.margin)
}
