//! Builds that run elsewhere: here a site that forgets some of them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use measure::tool::{Log, Tool, logged};
use prepare::{BuildError, BuildOrder, BuildSite, FailureReason, LostBuilds, SiteError, Trees};

use crate::given::{Lab, artifact, failure, jobs, output_of};

/// Runs builds on this machine, and loses the first ones.
#[derive(Debug, Default)]
struct Forgetful {
    loses: u32,
    /// The folder of each build.
    places: Mutex<Vec<PathBuf>>,
}

impl BuildSite for Forgetful {
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError> {
        self.places.lock().expect("nobody panicked").push(order.cwd.to_owned());
        if order.lost.all < self.loses {
            return Err(SiteError::Lost(LostBuilds { all: order.lost.all + 1, begun: 0 }));
        }
        let tool = Tool::new("sh").args(["-c", order.command]).cwd(order.cwd);
        let env = order.env.iter();
        let tool = env.fold(tool, |tool, (name, value)| tool.env(name, value.as_deref()));
        Ok(logged(&tool, order.kept_bytes, order.requests).expect("there is a shell"))
    }
}

#[test]
fn a_build_that_got_lost_is_made_again_in_another_checkout() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(2);
    let site = Arc::new(Forgetful { loses: 2, ..Forgetful::default() });
    let builder = given.builder(&lab.cache(), &lab.recipe());
    let mut builder = builder.building_at(Some(site.clone()));
    let built = builder.build_range(&given.history(), jobs(1), &mut drop).expect("they build");
    assert_eq!([output_of(&built[0]), output_of(&built[1])], ["0", "1"]);
    let places = site.places.lock().expect("nobody panicked").clone();
    assert_eq!(places.len(), 6);
    let [lost, again, third, ..] = &places[..] else { panic!("{places:?}") };
    assert!(lost != again && again != third && lost != third, "{places:?}");
    assert!(lost.exists() && again.exists(), "somebody may still be building there");
    // The first build in a new checkout is from scratch.
    assert_eq!(artifact(&built[1]).trees, Trees::Clean);
    drop(builder);
    assert!(!lost.exists() && !again.exists());
    assert_eq!(given.worktrees(), 1);
}

#[test]
fn a_build_that_fails_elsewhere_is_a_failure() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.commit(&[("other", "")], "no source");
    let site = Arc::new(Forgetful::default());
    let builder = given.builder(&lab.cache(), &lab.recipe());
    let mut builder = builder.building_at(Some(site));
    let built = builder.build_range(&given.history(), jobs(1), &mut drop).expect("it is tried");
    let failure = failure(&built[0]);
    assert_eq!(failure.reason, FailureReason::Exited { status: 1 });
    assert!(failure.log_tail.contains("source"), "{}", failure.log_tail);
}

/// A site on which nothing runs.
#[derive(Debug)]
struct Closed;

impl BuildSite for Closed {
    fn run(&self, order: &BuildOrder<'_>) -> Result<Log, SiteError> {
        Err(SiteError::Folder {
            path: order.folder.to_owned(),
            source: std::io::Error::other("closed"),
        })
    }
}

#[test]
fn what_nobody_knows_of_a_build_is_not_kept_as_its_failure() {
    let lab = Lab::new();
    let given = lab.repository("r");
    given.programs(1);
    let builder = given.builder(&lab.cache(), &lab.recipe());
    let mut builder = builder.building_at(Some(Arc::new(Closed)));
    let stopped = builder.build_range(&given.history(), jobs(1), &mut drop);
    assert!(matches!(stopped, Err(BuildError::Site(_))), "{stopped:?}");
    drop(builder);
    let built = given.build(&lab.cache(), &lab.recipe(), 1);
    assert_eq!((output_of(&built[0]), lab.builds()), ("0".to_owned(), 1));
}
