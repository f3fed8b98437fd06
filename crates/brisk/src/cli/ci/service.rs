//! Information from a CI service about the change under test: from its variables, and from the
//! event file that GitHub writes.
//!
//! [GitHub's variables](https://docs.github.com/actions/reference/workflows-and-actions/variables),
//! [GitLab's](https://docs.gitlab.com/ci/variables/predefined_variables/).

use std::path::PathBuf;

use serde_json::Value;

/// The variables with the target branch on other services: Jenkins, Azure, Bitbucket, Buildkite,
/// Woodpecker and Drone.
const TARGETS: [&str; 6] = [
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCHNAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CI_COMMIT_TARGET_BRANCH",
    "DRONE_TARGET_BRANCH",
];

/// The CI service's view of the change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Service {
    /// The commit that the change is based on, or one of its target branch.
    pub base: Option<String>,
    /// The target branch of changes, if the service names it.
    pub target: Option<String>,
    /// The newest commit of the change. None if it is the checked-out commit.
    pub head: Option<String>,
    /// The file to which a summary for people is appended.
    pub summary: Option<PathBuf>,
}

/// The path of the event file, which only GitHub writes.
pub(super) fn event_file(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    is_github(variable).then(|| variable("GITHUB_EVENT_PATH").map(PathBuf::from)).flatten()
}

/// Reads the service's variables; `event` is the content of its [`event_file`].
pub(super) fn service(variable: &dyn Fn(&str) -> Option<String>, event: &Value) -> Service {
    if is_github(variable) {
        let summary = variable("GITHUB_STEP_SUMMARY").map(PathBuf::from);
        return Service { summary, ..of_github(event) };
    }
    if variable("GITLAB_CI").is_some() {
        return of_gitlab(variable);
    }
    Service { target: TARGETS.iter().find_map(|name| variable(name)), ..Service::default() }
}

fn is_github(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// A pull request is checked out as its merge into the target branch, but the question is what the
/// change itself does.
fn of_github(event: &Value) -> Service {
    let at = |pointer: &str| commit(event.pointer(pointer).and_then(Value::as_str));
    let of = |base: &str, head: &str| at(base).map(|base| (Some(base), at(head)));
    let target = event.pointer("/repository/default_branch").and_then(Value::as_str);
    let (base, head) = of("/pull_request/base/sha", "/pull_request/head/sha")
        .or_else(|| of("/merge_group/base_sha", "/merge_group/head_sha"))
        .or_else(|| of("/before", "/after"))
        .unwrap_or_default();
    Service { base, head, target: target.map(str::to_owned), summary: None }
}

fn of_gitlab(variable: &dyn Fn(&str) -> Option<String>) -> Service {
    let at = |name: &str| commit(variable(name).as_deref());
    Service {
        base: at("CI_MERGE_REQUEST_DIFF_BASE_SHA").or_else(|| at("CI_COMMIT_BEFORE_SHA")),
        target: variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
            .or_else(|| variable("CI_DEFAULT_BRANCH")),
        // The change's own commit, if the pipeline runs on its merge.
        head: at("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA").or_else(|| at("CI_COMMIT_SHA")),
        summary: None,
    }
}

/// The name of a commit. None if the service writes zeros, which mean that there is no commit.
fn commit(name: Option<&str>) -> Option<String> {
    let name = name.filter(|name| name.chars().any(|digit| digit != '0'))?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(variables: &[(&str, &str)], event: &Value) -> Service {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        service(&variable, event)
    }

    fn read(variables: &[(&str, &str)], event: &Value) -> (Option<String>, Option<String>) {
        let Service { base, head, .. } = said(variables, event);
        (base, head)
    }

    fn target(variables: &[(&str, &str)], event: &Value) -> Option<String> {
        said(variables, event).target
    }

    fn both(base: &str, head: &str) -> (Option<String>, Option<String>) {
        (Some(base.to_owned()), Some(head.to_owned()))
    }

    const GITHUB: &[(&str, &str)] = &[("GITHUB_ACTIONS", "true")];

    #[test]
    fn a_pull_request_is_compared_with_what_it_is_based_on() {
        let event = json!({
            "pull_request": {"base": {"sha": "b1", "ref": "main"}, "head": {"sha": "h1"}},
            "before": "p1", "after": "p2",
        });
        assert_eq!(read(GITHUB, &event), both("b1", "h1"));
        assert_eq!(read(&[], &event), (None, None), "somebody's shell");
    }

    #[test]
    fn a_push_is_compared_with_what_was_there_before() {
        let event = json!({"before": "p1", "after": "p2", "ref": "refs/heads/main"});
        assert_eq!(read(GITHUB, &event), both("p1", "p2"));
        let zeros = "0".repeat(40);
        let new = json!({"before": zeros, "after": "p2"});
        assert_eq!(read(GITHUB, &new), (None, None), "a new branch");
        assert_eq!(
            read(GITHUB, &json!({"merge_group": {"base_sha": "b", "head_sha": "h"}})),
            both("b", "h")
        );
        assert_eq!(read(GITHUB, &Value::Null), (None, None), "a manual start");
    }

    #[test]
    fn a_merge_request_of_gitlab_names_its_base() {
        let zeros = "0".repeat(40);
        let of_request = [
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "b1"),
            ("CI_COMMIT_BEFORE_SHA", &zeros),
            ("CI_COMMIT_SHA", "merged"),
            ("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "h1"),
        ];
        assert_eq!(read(&of_request, &Value::Null), both("b1", "h1"));
        let of_branch = [
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_BEFORE_SHA", &zeros),
            ("CI_COMMIT_SHA", "h1"),
            ("CI_DEFAULT_BRANCH", "trunk"),
        ];
        assert_eq!(read(&of_branch, &Value::Null), (None, Some("h1".to_owned())));
        assert_eq!(target(&of_branch, &Value::Null).as_deref(), Some("trunk"));
    }

    #[test]
    fn services_name_the_branch_that_a_change_is_meant_for() {
        let event = json!({"before": "0".repeat(40), "repository": {"default_branch": "trunk"}});
        assert_eq!(target(GITHUB, &event).as_deref(), Some("trunk"));
        let jenkins = [("CHANGE_TARGET", "develop")];
        assert_eq!(target(&jenkins, &Value::Null).as_deref(), Some("develop"));
        assert_eq!(target(&[], &event), None, "somebody's shell");
    }

    #[test]
    fn the_summary_and_the_event_are_where_github_says() {
        let variable = |name: &str| {
            Some(if name == "GITHUB_ACTIONS" { "true".into() } else { format!("/{name}") })
        };
        assert_eq!(event_file(&variable), Some("/GITHUB_EVENT_PATH".into()));
        assert_eq!(service(&variable, &Value::Null).summary, Some("/GITHUB_STEP_SUMMARY".into()));
        assert_eq!(event_file(&|_| None), None);
    }
}
