//! The next step for a task: a pure function of the task's observed state.

use super::{Job, JobState, Unreachable};

/// After this number of polls without a job or a result, the job counts as lost. A single poll may
/// fall between the end of a job and the appearance of its files.
pub const PATIENCE_POLLS: u32 = 3;

/// The most jobs submitted for one task. Each but the first replaces one that vanished.
pub const MOST_SUBMISSIONS: u32 = 10;

/// The most jobs submitted if none of them even began, which more waiting does not fix.
pub const MOST_UNSTARTED: u32 = 5;

/// The observed state of a task.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// Set if the result is there.
    pub is_finished: bool,
    /// The number of jobs submitted so far, by any brisk.
    pub submissions: u32,
    /// The number of jobs that began.
    pub attempts: u32,
    /// Its jobs that the engine reports now.
    pub jobs: Result<&'a [Job], &'a Unreachable>,
}

/// A step to take for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Take the result.
    Take,
    /// Submit a job, the first or a replacement of one that vanished.
    Submit {
        /// The number of the job within its task, from 1.
        number: u32,
    },
    /// End this job.
    Cancel(Job),
    /// Make this job start now.
    Release(Job),
    /// Too many jobs vanished: something is wrong.
    GiveUp,
}

/// The state kept for a task between polls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    absent_polls: u32,
}

impl Memory {
    /// Returns the steps to take after a poll, in this order.
    pub fn decide(&mut self, sight: Sight<'_>) -> Vec<Action> {
        if sight.is_finished {
            let left = sight.jobs.unwrap_or_default().iter().cloned().map(Action::Cancel);
            return left.chain([Action::Take]).collect();
        }
        // An engine that does not answer says nothing about jobs.
        let Ok(jobs) = sight.jobs else { return Vec::new() };
        if !jobs.is_empty() {
            self.absent_polls = 0;
            return jobs.iter().filter_map(about).collect();
        }
        if sight.submissions > 0 {
            self.absent_polls += 1;
            if self.absent_polls < PATIENCE_POLLS {
                return Vec::new();
            }
            let most = if sight.attempts == 0 { MOST_UNSTARTED } else { MOST_SUBMISSIONS };
            if sight.submissions >= most {
                return vec![Action::GiveUp];
            }
        }
        self.absent_polls = 0;
        vec![Action::Submit { number: sight.submissions + 1 }]
    }
}

/// The step to take for a job of a task without a result.
fn about(job: &Job) -> Option<Action> {
    match job.state {
        JobState::Queued(_) | JobState::Running => None,
        JobState::Deferred => Some(Action::Release(job.clone())),
        // The next polls find no job, and another one is submitted.
        JobState::Stuck(_) => Some(Action::Cancel(job.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, state: JobState) -> Job {
        Job { id: id.to_owned(), name: "brisk-k".to_owned(), state }
    }

    fn running(id: &str) -> Vec<Job> {
        vec![job(id, JobState::Running)]
    }

    /// A task and its engine, played by a script.
    #[derive(Default)]
    struct Scene {
        memory: Memory,
        submissions: u32,
        attempts: u32,
        is_finished: bool,
    }

    impl Scene {
        /// A poll that finds these jobs.
        fn poll(&mut self, jobs: &[Job]) -> Vec<Action> {
            self.see(Ok(jobs))
        }

        fn see(&mut self, jobs: Result<&[Job], &Unreachable>) -> Vec<Action> {
            let (is_finished, submissions) = (self.is_finished, self.submissions);
            let attempts = self.attempts;
            let actions = self.memory.decide(Sight { is_finished, submissions, attempts, jobs });
            let submits = |action: &&Action| matches!(action, Action::Submit { .. });
            self.submissions += u32::from(actions.iter().any(|action| submits(&action)));
            actions
        }

        /// Polls without finding a job until there is a step to take.
        fn polls_of_nothing(&mut self) -> (u32, Vec<Action>) {
            let mut polls = 0;
            loop {
                polls += 1;
                let actions = self.poll(&[]);
                if !actions.is_empty() {
                    return (polls, actions);
                }
            }
        }
    }

    #[test]
    fn a_job_that_runs_and_finishes_is_submitted_once() {
        let mut scene = Scene::default();
        assert_eq!(scene.poll(&[]), [Action::Submit { number: 1 }]);
        let queued = job("1", JobState::Queued("Resources".to_owned()));
        assert_eq!(scene.poll(&[queued]), []);
        assert_eq!(scene.poll(&running("1")), []);
        assert_eq!(scene.poll(&[]), [], "its end was seen before what it wrote");
        scene.is_finished = true;
        assert_eq!(scene.poll(&[]), [Action::Take]);
    }

    #[test]
    fn a_lost_or_forgotten_job_is_submitted_again_after_some_polls() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        // Accepted, but lost with the controller before any poll saw it.
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 2 }]));
        scene.poll(&running("2"));
        // Died and was forgotten.
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 3 }]));
    }

    #[test]
    fn a_job_that_is_seen_again_starts_the_count_anew() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        for _ in 0..10 {
            assert_eq!(scene.poll(&[]), []);
            assert_eq!(scene.poll(&[]), []);
            assert_eq!(scene.poll(&running("1")), []);
        }
    }

    #[test]
    fn nobody_who_does_not_answer_has_lost_a_job() {
        let mut scene = Scene::default();
        let away = Unreachable("no controller".to_owned());
        assert_eq!(scene.see(Err(&away)), [], "nothing is submitted to nobody");
        scene.poll(&[]);
        for _ in 0..100 {
            assert_eq!(scene.see(Err(&away)), []);
        }
        assert_eq!((scene.poll(&[]), scene.poll(&[])), (vec![], vec![]));
        scene.is_finished = true;
        assert_eq!(scene.see(Err(&away)), [Action::Take], "the result is not the engine's");
    }

    #[test]
    fn of_a_job_that_runs_twice_the_first_result_counts_and_the_rest_is_ended() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        let both = [running("1"), running("2")].concat();
        assert_eq!(scene.poll(&both), []);
        scene.is_finished = true;
        let [one, two] = [&both[0], &both[1]].map(|job| Action::Cancel(job.clone()));
        assert_eq!(scene.poll(&both), [one, two, Action::Take]);
    }

    #[test]
    fn a_requeued_job_is_released_and_one_that_cannot_start_is_replaced() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        let deferred = job("1", JobState::Deferred);
        assert_eq!(scene.poll(std::slice::from_ref(&deferred)), [Action::Release(deferred)]);
        assert_eq!(scene.poll(&running("1")), [], "preempted or not: it runs");
        let stuck = job("1", JobState::Stuck("launch failed".to_owned()));
        assert_eq!(scene.poll(std::slice::from_ref(&stuck)), [Action::Cancel(stuck)]);
        assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number: 2 }]);
    }

    #[test]
    fn a_number_that_is_used_again_is_of_no_consequence() {
        let mut scene = Scene::default();
        scene.poll(&[]);
        scene.poll(&running("19"));
        // The controller died and reused 19 for another user's job: none has our name.
        assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number: 2 }]);
        assert_eq!(scene.poll(&running("19")), [], "it is ours by its name");
    }

    #[test]
    fn what_vanishes_again_and_again_is_given_up() {
        for (attempts, most) in [(0, MOST_UNSTARTED), (1, MOST_SUBMISSIONS)] {
            let mut scene = Scene { attempts, ..Scene::default() };
            scene.poll(&[]);
            for number in 2..=most {
                assert_eq!(scene.polls_of_nothing().1, [Action::Submit { number }]);
            }
            assert_eq!(scene.polls_of_nothing().1, [Action::GiveUp]);
        }
    }

    #[test]
    fn who_comes_back_goes_on_where_the_folder_is() {
        // After kill -9 there is no memory, and the folder says that a job was submitted.
        let mut scene = Scene { submissions: 1, ..Scene::default() };
        assert_eq!(scene.poll(&running("1")), []);
        let mut scene = Scene { submissions: 1, ..Scene::default() };
        assert_eq!(scene.polls_of_nothing(), (PATIENCE_POLLS, vec![Action::Submit { number: 2 }]));
    }
}
