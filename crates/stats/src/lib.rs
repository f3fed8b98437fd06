//! Numbers in; estimates, intervals and tests out.
//!
//! This crate draws the conclusions from measurements and does not know how they were taken: no
//! file, no clock, no process, no source of randomness. Its results depend on its arguments alone.
//!
//! # Why rounds
//!
//! An experiment consists of rounds; each round runs every variant once, in an order drawn
//! uniformly anew. For a baseline `b` and a candidate `c` a round yields `d = ln(c / b)`. If the
//! two variants are in truth the same program, any disturbance during the round would have hit the
//! other one had the coin fallen differently: given the size of `d`, its sign is a fair coin, and
//! the coins of different rounds are independent because the orders are. Nothing is assumed of the
//! noise: it may drift, be autocorrelated, have two modes or no mean. A test which uses only the
//! signs' symmetry is then not an approximation but a randomisation test (Fisher, *The Design of
//! Experiments*, 1935).
//!
//! An interval asks the same question of every ratio `θ`: "had the candidate been multiplied by
//! `1/θ`, would the two look the same?", and keeps the `θ` that would. It is therefore as exact as
//! the sentence "the candidate takes `θ` times the baseline's current time". If a change adds a
//! constant instead, or makes the program noisier, it is an approximation.
//!
//! # Where to find what
//!
//! | question | module |
//! |---|---|
//! | how much slower, and how sure? | [`estimate`], [`difference`] |
//! | ... although we looked while it ran? | [`sequential`] |
//! | ... and compared ten things? | [`family`] |
//! | ... and test one proposal after another, without an end? | [`online`] |
//! | what could we have missed? how many more rounds? | [`detect`] |
//! | what do the runs of one variant look like? | [`describe`], [`regimes`], [`drift`] |
//! | how slow are the slowest of its runs? | [`quantile`] |
//! | in which functions is its time, and which of them changed? | [`sampled`] |
//! | does a program's memory grow while it runs? | [`growth`] |
//! | did the order of the runs matter? | [`position`] |
//! | what does an iteration take, by the loops of one process? | [`loops`] |
//! | ... and a benchmark, by several processes? | [`processes`] |
//! | ... or by several against one that was saved, or an experiment of another time? | [`unpaired`] |
//! | is it the change, or where the linker put it? | [`layouts`] |
//! | is its work still done? | [`elision`] |
//! | does it depend on what ran before it in the process? | [`carry_over`] |
//! | which reading goes along with its regimes? | [`regimes`] |
//! | do its parts add up to it? | [`parts`] |
//! | which of many points are still worth running? | [`race`] |
//! | ... and which of them are the answer? | [`front`] |
//! | ... or certainly worse than another? | [`dominance`] |
//! | ... from few runs, taken in batches? | [`batches`] |
//! | which of many commits changed it? | [`bisection`] |
//! | where does a long series change its level? | [`change_points`] |
//!
//! Below these are
//!
//! * the estimators: [`rank_scores`], [`signed_rank`], [`quantile`], and the median, mean and
//!   minimum in [`estimate`];
//! * tests on two groups of readings: [`mann_whitney`] for their level, [`kuiper`] for their place
//!   on a circle;
//! * distributions: [`normal`], [`student`], [`binomial`] and `beta`;
//! * `order` for medians, quantiles and ranks.
#![forbid(unsafe_code)]

pub mod difference;
pub mod estimate;
pub mod quantile;
pub mod rank_scores;
pub mod signed_rank;

pub mod detect;
pub mod family;
pub mod online;
pub mod sequential;

pub mod batches;
pub mod bisection;
pub mod dominance;
pub mod front;
pub mod race;

pub mod carry_over;
pub mod elision;
pub mod kuiper;
pub mod layouts;
pub mod loops;
pub mod parts;
pub mod processes;
pub mod unpaired;

pub mod change_points;
pub mod describe;
pub mod drift;
pub mod growth;
pub mod interval;
pub mod mann_whitney;
pub mod position;
pub mod regimes;
pub mod sampled;

mod beta;
pub mod binomial;
pub mod normal;
mod order;
pub mod student;

pub use estimate::{Estimator, PairedError, RatioEstimate, paired_ratio};
