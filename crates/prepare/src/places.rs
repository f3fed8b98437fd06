//! Dividing builds among builders by the places of the earlier builds.
//!
//! Programs may contain the path of their build, so a repeated build should use the same numbered
//! worktree. Each builder owns a place and takes the builds that belong there; when none are left,
//! it moves to a place without owner. If all have owners, it helps a builder with much left to do,
//! in the wrong place.
//!
//! One path for all builds of a repository, although several run at once in separate folders.
//!
//! Compilers write the folder of a build into its products (`__FILE__`, debug information, Go
//! without `-trimpath`), so equal sources give different programs in different folders. If the
//! kernel permits it, each build runs in its own mount namespace, in which its numbered folder also
//! appears at a path that is the same for all. Elsewhere, builds run in the numbered folders.

use measure::Outcome;
use measure::tool::{Tool, output};
use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A build that waits for a builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The commit.
    pub(super) commit: usize,
    /// The number of the worktree of its earlier build; `None` without one.
    pub(super) place: Option<u32>,
}

/// The remaining builds of each place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places(Vec<Place>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    number: Option<u32>,
    commits: VecDeque<usize>,
    owner: Option<usize>,
}

impl Places {
    /// All of these builds, in the order given for each place.
    pub(super) fn new(all: impl IntoIterator<Item = Waiting>) -> Self {
        let mut places: Vec<Place> = Vec::new();
        for Waiting { commit, place } in all {
            match places.iter_mut().find(|one| one.number == place) {
                Some(there) => there.commits.push_back(commit),
                None => {
                    places.push(Place { number: place, commits: [commit].into(), owner: None });
                }
            }
        }
        Self(places)
    }

    /// True if a builder is or will be in this place: helpers keep out of it.
    pub(super) fn wants(&self, number: u32) -> bool {
        let wanted = |place: &Place| place.owner.is_some() || !place.commits.is_empty();
        self.0.iter().any(|place| place.number == Some(number) && wanted(place))
    }

    /// The next build for this builder, and its place; `None` if nothing is left. Without a place,
    /// the builder stays where it is.
    pub(super) fn next(&mut self, builder: usize) -> Option<Waiting> {
        let own = self.0.iter().position(|place| place.owner == Some(builder));
        if let Some(own) = own {
            if let Some(commit) = self.0[own].commits.pop_front() {
                return Some(Waiting { commit, place: self.0[own].number });
            }
            self.0[own].owner = None;
        }
        let free = self.0.iter_mut().filter(|place| place.owner.is_none());
        // The first of several: `max_by_key` would take the last.
        if let Some(place) = free.rev().max_by_key(|place| place.commits.len())
            && let Some(commit) = place.commits.pop_front()
        {
            place.owner = Some(builder);
            return Some(Waiting { commit, place: place.number });
        }
        let longest = self.0.iter_mut().rev().max_by_key(|place| place.commits.len())?;
        // The last build is left to its owner, who will do it in the right place.
        if longest.commits.len() < 2 {
            return None;
        }
        longest.commits.pop_back().map(|commit| Waiting { commit, place: None })
    }
}

/// The common path, and the way to get there.
#[derive(Debug, Clone)]
pub(super) struct SamePlace {
    /// The folder that stands in for that of each builder.
    path: PathBuf,
    /// Determined with the first build.
    way: OnceLock<Way>,
}

/// The way for a build to reach the common path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With its own rights.
    Directly,
    /// As the root of a user namespace, and from there as the original user.
    AsAnotherUser { user: u32, group: u32 },
    /// Impossible.
    None,
}

/// Mounts `$1` at `$2`, changes to the folder `$3`, and runs the words after it.
const THERE: &str = "mount --bind -- \"$1\" \"$2\" && cd -- \"$3\" && shift 3 && exec \"$@\"";

impl SamePlace {
    /// The common path of the repository whose worktrees lie in `folder`.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("build"), way: OnceLock::new() }
    }

    /// A shell with this script, in the folder `cwd` of the builder's `folder`.
    pub(super) fn shell(&self, script: &str, folder: &Path, cwd: &Path) -> Tool {
        let way = *self.way.get_or_init(|| self.find(folder));
        self.going(way, script, folder, cwd)
            .unwrap_or_else(|| Tool::new("sh").args(["-c", script]).cwd(cwd))
    }

    fn going(&self, way: Way, script: &str, folder: &Path, cwd: &Path) -> Option<Tool> {
        let within = cwd.strip_prefix(folder).ok()?;
        let there = self.path.join(within);
        let tool = Tool::new("unshare").cwd(folder);
        let tool = match way {
            Way::Directly => tool.args(["--mount"]),
            Way::AsAnotherUser { .. } => tool.args(["--user", "--map-root-user", "--mount"]),
            Way::None => return None,
        };
        let tool = tool.args(["--", "sh", "-c", THERE, "sh"]).args([
            folder,
            self.path.as_path(),
            there.as_path(),
        ]);
        let tool = match way {
            Way::AsAnotherUser { user, group } => tool.args([
                "unshare".to_owned(),
                "--user".to_owned(),
                format!("--map-user={user}"),
                format!("--map-group={group}"),
                "--".to_owned(),
            ]),
            Way::Directly | Way::None => tool,
        };
        Some(tool.args(["sh", "-c", script]))
    }

    /// The first way that leads to the common path and back to the same user.
    fn find(&self, folder: &Path) -> Way {
        let Ok(facts) = fs::create_dir_all(&self.path).and_then(|()| fs::metadata(&self.path))
        else {
            return Way::None;
        };
        let (user, group) = (facts.uid(), facts.gid());
        let is_there = |way: &Way| {
            let Some(tool) = self.going(*way, "pwd -P; id -u", folder, folder) else {
                return false;
            };
            let expected = format!("{}\n{user}\n", self.path.display());
            let answer = output(&tool.finishing_regardless());
            answer.is_ok_and(|answer| {
                answer.outcome == Outcome::Exited(0) && answer.stdout == expected.as_bytes()
            })
        };
        let ways = [Way::Directly, Way::AsAnotherUser { user, group }];
        ways.into_iter().find(is_there).unwrap_or(Way::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waiting(all: &[(usize, Option<u32>)]) -> Vec<Waiting> {
        all.iter().map(|&(commit, place)| Waiting { commit, place }).collect()
    }

    #[test]
    fn each_builder_keeps_to_a_place_as_long_as_there_is_something_to_do() {
        let all = waiting(&[(0, Some(4)), (1, Some(7)), (2, Some(7)), (3, Some(4)), (4, Some(7))]);
        let mut places = Places::new(all);
        let taken = [0, 1, 0, 1, 0].map(|builder| places.next(builder).expect("there is one"));
        let expected = [(1, Some(7)), (0, Some(4)), (2, Some(7)), (3, Some(4)), (4, Some(7))];
        assert_eq!(taken.to_vec(), waiting(&expected));
        assert_eq!((places.next(0), places.next(1)), (None, None));
    }

    #[test]
    fn who_has_nothing_left_helps_where_much_is_left_and_leaves_the_last_one() {
        let mut places = Places::new((0..4).map(|commit| Waiting { commit, place: Some(0) }));
        assert_eq!(places.next(0), Some(Waiting { commit: 0, place: Some(0) }));
        assert_eq!(places.next(1), Some(Waiting { commit: 3, place: None }));
        assert_eq!(places.next(1), Some(Waiting { commit: 2, place: None }));
        assert_eq!(places.next(1), None);
        assert_eq!(places.next(0), Some(Waiting { commit: 1, place: Some(0) }));
    }

    #[test]
    fn a_place_is_wanted_until_its_owner_finds_nothing_left() {
        let mut places = Places::new(waiting(&[(0, Some(3))]));
        assert!(places.wants(3) && !places.wants(4));
        assert_eq!(places.next(1), Some(Waiting { commit: 0, place: Some(3) }));
        assert!(places.wants(3));
        assert_eq!(places.next(1), None);
        assert!(!places.wants(3));
    }

    #[test]
    fn a_builder_moves_to_a_place_that_nobody_owns() {
        let mut places = Places::new(waiting(&[(0, Some(0)), (1, Some(1)), (2, None)]));
        let taken = [0, 0, 0].map(|builder| places.next(builder).expect("there is one"));
        assert_eq!(taken.to_vec(), waiting(&[(0, Some(0)), (1, Some(1)), (2, None)]));
    }

    proptest! {
        #[test]
        fn everything_is_built_once_and_no_place_has_two_builders(
            numbers in proptest::collection::vec(proptest::option::of(0_u32..4), 0..40),
            builders in 1_usize..5,
            turns in proptest::collection::vec(0_usize..5, 0..120),
        ) {
            let all: Vec<Waiting> = numbers
                .iter()
                .enumerate()
                .map(|(commit, place)| Waiting { commit, place: *place })
                .collect();
            let mut places = Places::new(all.clone());
            let mut taken = Vec::new();
            // The place of each builder.
            let mut at = vec![None; builders];
            let turns = turns.into_iter().map(|turn| turn % builders);
            // At the end, each builder continues until none of its builds are left.
            let rest = (0..builders).flat_map(|builder| std::iter::repeat_n(builder, 41));
            for builder in turns.chain(rest) {
                match places.next(builder) {
                    Some(Waiting { commit, place }) => {
                        taken.push(commit);
                        if let Some(number) = place {
                            prop_assert_eq!(all[commit].place, Some(number));
                            at[builder] = place;
                        }
                        let here = at.iter().flatten().filter(|other| Some(**other) == place);
                        prop_assert!(here.count() <= 1);
                    }
                    None => at[builder] = None,
                }
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, (0..all.len()).collect::<Vec<_>>());
        }
    }
}
