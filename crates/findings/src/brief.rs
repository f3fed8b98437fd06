//! An answer in one line, for programs that decide what to do next. It is apart from the documents of
//! schema `brisk/1`: small, flat, and the same for all verbs.

use judge::trial::Decision;
use model::metric::MetricId;
use model::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::{ComparedPair, Document};

/// The name of the format.
pub const BRIEF_SCHEMA: &str = "brisk-brief/1";

/// The answer of a verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Brief {
    /// `brisk-brief/1`, the name of the format.
    pub schema: String,
    /// The verb that was called.
    pub verb: String,
    /// The answer in one word: a verdict, a decision, or the state of a trial.
    pub answer: String,
    /// The exit status.
    pub exit: u8,
    /// The meaning of that exit status.
    pub meaning: String,
    /// The figures behind the answer, the most important first.
    pub figures: Vec<Figure>,
    /// The reasons for the answer, besides the figures; what was not checked is among them.
    pub reasons: Vec<String>,
    /// The next step.
    pub next: String,
    /// The number of the stored experiment; absent if nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<i64>,
    /// The trial that the answer belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<TrialFacts>,
}

/// A ratio of a candidate to its baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Figure {
    /// The benchmark, command or commit.
    pub name: String,
    /// The metric.
    pub metric: MetricId,
    /// Candidate over baseline.
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end; null if it is unbounded.
    pub high: Option<f64>,
    /// The verdict from the interval.
    pub verdict: Verdict,
    /// The smallest change that would have been found nine times in ten, as a fraction.
    pub detectable: Option<f64>,
    /// The number of rounds.
    pub rounds: usize,
}

/// The state of a trial after an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TrialFacts {
    /// The number of the trial.
    pub trial: u32,
    /// The commit that the next proposal is compared with.
    pub incumbent: String,
    /// The proposal on top of the incumbent that it was compared with; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// The number of decided proposals so far.
    pub tries: usize,
    /// The number of kept ones.
    pub kept: usize,
    /// The probability of error that this try was given; absent if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// The part of the trial's error that is left, as a fraction of it.
    pub errors_left: f64,
}

impl Figure {
    /// The figure of a comparison, under this name.
    pub fn from_pair(name: String, pair: &ComparedPair) -> Self {
        Self {
            name,
            metric: pair.metric.clone(),
            ratio: pair.ratio,
            low: pair.low,
            high: pair.high,
            verdict: pair.verdict,
            detectable: pair.detectable,
            rounds: pair.rounds,
        }
    }
}

impl Brief {
    /// An answer with its exit status, without figures.
    pub fn new(verb: &str, answer: &str, exit: u8, meaning: &str) -> Self {
        Self {
            schema: BRIEF_SCHEMA.to_owned(),
            verb: verb.to_owned(),
            answer: answer.to_owned(),
            exit,
            meaning: meaning.to_owned(),
            figures: Vec::new(),
            reasons: Vec::new(),
            next: String::new(),
            experiment: None,
            trial: None,
        }
    }

    /// The answer for a decision on a proposal.
    pub fn of_decision(decision: Decision) -> Self {
        let (exit, meaning, next) = match decision {
            Decision::Keep => (
                0,
                "the proposal is the new incumbent",
                "continue from the incumbent with another proposal",
            ),
            Decision::Discard => {
                (1, "the proposal is not better", "undo it, and propose something else")
            }
            Decision::Open => (
                3,
                "neither a gain nor its absence was found",
                "propose something with a larger effect, or submit it again for fresh rounds",
            ),
            Decision::Invalid => (
                4,
                "the proposal breaks a rule of the trial",
                "remove what the reasons name, and submit it again",
            ),
        };
        Self { next: next.to_owned(), ..Self::new("try", decision.word(), exit, meaning) }
    }

    /// The answer of an experiment with comparisons, whose process ends with this status.
    pub fn from_document(verb: &str, document: &Document, exit: u8) -> Self {
        let deciding = document.answers.iter().filter_map(|answer| document.deciding(answer));
        let figures: Vec<Figure> = deciding
            .map(|pair| {
                let variant = document.variants.get(pair.candidate as usize);
                let name = variant.map_or_else(String::new, |variant| variant.name.clone());
                Figure::from_pair(name, pair)
            })
            .collect();
        let has = |verdict| figures.iter().any(|figure| figure.verdict == verdict);
        let order =
            [Verdict::Regressed, Verdict::Improved, Verdict::Inconclusive, Verdict::Unchanged];
        let answer = order.into_iter().find(|verdict| has(*verdict));
        let answer = answer.unwrap_or(Verdict::Inconclusive);
        let shown = document.experiment.id.map(|id| format!("; `brisk show {id}` has the report"));
        let next = match answer {
            Verdict::Regressed => "undo or repair the change that made it slower",
            Verdict::Improved => "keep the change",
            Verdict::Unchanged => "decide by other reasons than speed",
            Verdict::Inconclusive => "measure longer with `--budget`, or accept that it is open",
        };
        let next = format!("{next}{}", shown.unwrap_or_default());
        Self {
            figures,
            next,
            experiment: document.experiment.id,
            ..Self::new(verb, answer.word(), exit, meaning(exit))
        }
    }
}

/// The meaning of an exit status that all verbs share.
pub fn meaning(exit: u8) -> &'static str {
    match exit {
        0 => "done, and nothing regressed",
        1 => "a regression, or an expectation that does not hold",
        3 => "inconclusive, although a verdict was required",
        75 => "the machine is held by somebody else",
        _ => "trouble: see the message on standard error",
    }
}
