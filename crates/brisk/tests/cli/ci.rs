//! `brisk ci`: a change against its base, as a CI service runs it.
//!
//! The programs are shell loops that differ by a large factor, or are the same bytes.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::bench::script;
use crate::history_suite::suite;
use crate::lab::Lab;
use crate::repository::Repository;

const PROJECT: &str = r#"
[project]
build = "cp source prog && chmod +x prog"
artifact = "prog"
"#;

const BENCHMARK: &str = "\n[[benchmark]]\nname = 'work'\ncommand = './prog'\n";

const MARKER: &str = "<!-- brisk: performance -->\n## Performance\n\n";

fn counting_to(number: u32) -> String {
    format!("#!/bin/sh\ni=0\nwhile [ $i -lt {number} ]; do i=$((i+1)); done\n")
}

/// A branch `main` whose last commit is missing from the branch `change`, and one more commit on
/// `change`.
fn branched<'a>(
    lab: &'a Lab,
    project: &str,
    [before, after]: [&str; 2],
) -> (Repository<'a>, [String; 3]) {
    let repository = Repository::new(lab);
    repository.write("brisk.toml", project);
    repository.write("source", before);
    let base = repository.commit("Work");
    repository.git(&["switch", "--quiet", "--create", "change"]);
    repository.write("source", after);
    repository.write("README", "another file");
    let head = repository.commit("Work | otherwise");
    repository.git(&["switch", "--quiet", "main"]);
    repository.write("source", "#!/bin/sh\nexit 1\n");
    let tip = repository.commit("Fail, which is not the change's fault");
    repository.git(&["switch", "--quiet", "change"]);
    (repository, [base, head, tip])
}

fn ci(lab: &Lab, options: &[&str]) -> crate::lab::Ended {
    lab.brisk(
        &[&["ci", "--project", "repo"], options, &["--", "--quiet", "--counters", "none"]].concat(),
    )
}

#[test]
fn a_slower_change_fails_and_leaves_its_reports() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    let (_, [base, head, _]) = branched(&lab, &project, [&counting_to(300), &counting_to(30_000)]);
    ci(&lab, &[]).exited(1).says("1 expectation: 1 fails").says("wall_time(work@baseline)");
    let comment = lab.read("brisk-ci/comment.md");
    assert!(comment.starts_with(MARKER) && comment.contains("1 fails"), "{comment}");
    assert!(comment.contains(&base[..7]) && comment.contains(&head[..7]), "{comment}");
    assert!(comment.contains("(Work | otherwise)"), "{comment}");
    assert!(lab.read("brisk-ci/report.html").contains("<svg"));
    assert!(lab.read("brisk-ci/expectations.xml").contains("<failure"));
    let much = lab.brisk(&["ci", "--project", "repo", "--", "--quiet", "--no-slower=900"]);
    assert!(much.stdout.contains("<= 10 "), "another tolerance: {much}");
    // A commit that the branch already has changes nothing in it.
    let ended = ci(&lab, &["--base", &head, "--head", &base]);
    ended.exited(0).says("exactly 1");
}

#[test]
fn what_makes_the_same_bytes_is_not_measured() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    branched(&lab, &project, [&counting_to(300), &counting_to(300)]);
    ci(&lab, &[]).exited(0).says("1 expectation: 1 holds").says("exactly 1");
    assert!(lab.read("brisk-ci/report.html").contains("1 holds"));
    assert!(lab.read("brisk-ci/comment.md").contains("1 holds"));
}

#[test]
fn a_service_says_what_is_judged_and_gets_its_summary() {
    let lab = Lab::new();
    let project = PROJECT.to_owned()
        + BENCHMARK
        + "\n[[expect]]\nthat = 'cpu_time(work) < 100 * cpu_time(work@baseline)'\n";
    let (repository, [_, head, tip]) =
        branched(&lab, &project, [&counting_to(300), &counting_to(400)]);
    // As on GitHub: the merge is checked out, and the base is the newest commit of the branch.
    repository.git(&["switch", "--quiet", "--create", "merged", &tip]);
    repository.git(&["merge", "--quiet", "--strategy=ours", "--no-edit", &head]);
    let event = json!({"pull_request": {"base": {"sha": tip}, "head": {"sha": head}}});
    lab.write("event.json", &event.to_string());
    lab.write("summary.md", "what others wrote\n");
    let path = |name: &str| lab.path(name).to_string_lossy().into_owned();
    let (event, summary) = (path("event.json"), path("summary.md"));
    let lab = lab
        .with("GITHUB_ACTIONS", "true")
        .with("GITHUB_EVENT_PATH", event)
        .with("GITHUB_STEP_SUMMARY", summary);
    ci(&lab, &[]).exited(0).says("1 expectation: 1 holds");
    let comment = lab.read("brisk-ci/comment.md");
    assert!(comment.contains("cpu_time(work@baseline)"), "{comment}");
    assert!(comment.contains(&head[..7]), "{comment}");
    assert_eq!(lab.read("summary.md"), format!("what others wrote\n{comment}"));
    lab.write("event.json", "{");
    ci(&lab, &[]).refused("cannot read the event");
}

#[test]
fn benchmarks_inside_of_programs_have_a_history() {
    let lab = Lab::new();
    let project = PROJECT.to_owned()
        + "\n[[benchmark]]\nname = 'suite'\ncommand = './prog'\nharness = 'auto'\nruns = 16\n";
    let [old, new] =
        [100, 200].map(|units| suite("a suite", &[("steady", 100), ("slower", units)], ""));
    branched(&lab, &project, [&old, &new]);
    ci(&lab, &[]).exited(1);
    let comment = lab.read("brisk-ci/comment.md");
    assert!(comment.contains("slower") && comment.contains("regressed"), "{comment}");
    assert!(!lab.exists("brisk-ci/report.html"), "nothing was checked");
    assert!(lab.read("brisk-ci/history-1.html").contains("<svg"));
}

#[test]
fn what_cannot_be_built_is_told_in_the_comment() {
    let lab = Lab::new();
    let project = PROJECT.replace("cp source prog", "grep i= source && cp source prog") + BENCHMARK;
    branched(&lab, &project, [&counting_to(300), "#!/bin/sh\nexit 0\n"]);
    ci(&lab, &[]).failed("cannot build");
    let comment = lab.read("brisk-ci/comment.md");
    assert!(comment.starts_with(MARKER), "{comment}");
    assert!(
        comment.contains("could not be measured") && comment.contains("cannot build"),
        "{comment}"
    );
}

#[test]
fn bad_input_is_refused_before_anything_is_built() {
    let lab = Lab::new();
    let builds = lab.path("builds");
    let build = format!("build = \"echo x >> '{}' &&", builds.display());
    let project = PROJECT.replace("build = \"", &build) + BENCHMARK;
    let (repository, _) = branched(&lab, &project, [&counting_to(300), &counting_to(400)]);
    ci(&lab, &["--base", "nowhere"]).refused("unknown revision `nowhere`");
    lab.brisk(&["ci", "--project", "repo", "--", "--no-such-option"])
        .refused("an option is not understood")
        .because("--no-such-option");
    repository.git(&["switch", "--quiet", "--orphan", "stranger"]);
    repository.write("brisk.toml", &project);
    repository.commit("Begin elsewhere");
    ci(&lab, &["--base", "main"]).refused("have no commit in common");
    fs::remove_file(repository.path().join("brisk.toml")).expect("it is there");
    ci(&lab, &[]).refused("there is no `brisk.toml`").hinting("brisk init");
    repository.write("brisk.toml", PROJECT);
    ci(&lab, &["--base", "HEAD"]).refused("says nothing to measure");
    assert!(!lab.exists("builds"), "something was built");
    assert!(!lab.exists("brisk-ci"), "something was written");
}

#[test]
fn a_clone_that_is_cut_off_is_told_from_a_wrong_name() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    let (repository, [_, _, tip]) =
        branched(&lab, &project, [&counting_to(300), &counting_to(400)]);
    let from = format!("file://{}", repository.path().display());
    let to = lab.path("shallow").to_string_lossy().into_owned();
    repository.git(&["clone", "--quiet", "--depth", "1", &from, &to]);
    let ended = lab.brisk(&["ci", "--project", "shallow", "--base", &tip]);
    ended.refused("unknown revision").hinting("fetch-depth: 0");
    let ended = lab.brisk(&["ci", "--project", "shallow"]);
    let ended = ended.refused("the base of the change is not known");
    ended.because("this is a shallow clone of 1 commit").hinting("git fetch --deepen");
}

#[test]
fn the_base_is_found_or_asked_for_and_always_named() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    let repository = Repository::new(&lab);
    repository.git(&["switch", "--quiet", "--create", "trunk"]);
    repository.write("brisk.toml", &project);
    repository.write("source", &counting_to(300));
    let base = repository.commit("Work");
    let lone = ci(&lab, &[]);
    lone.refused("the base of the change is not known").hinting("--base REVISION");
    repository.git(&["switch", "--quiet", "--create", "change"]);
    repository.write("source", &counting_to(30_000));
    repository.commit("Work more");
    repository.write("README", "another file");
    let head = repository.commit("Explain");
    // The only other branch: the commit before the newest is not slower than it.
    let named = |head: &str, branch: &str| {
        let [head, base] = [head, &base].map(|hash| hash[..7].to_owned());
        let ends = format!("the change {head} (Explain) against its base {base} (Work)");
        format!("{ends}, which it shares with `{branch}`\n")
    };
    let ended = ci(&lab, &[]).exited(1);
    assert!(ended.stdout.starts_with(&named(&head, "trunk")), "{ended}");
    // A clone in which the change itself is the default branch, ahead of the remote.
    let clone = |name: &str| {
        let to = lab.path(name).to_string_lossy().into_owned();
        repository.git(&["clone", "--quiet", &repository.path().to_string_lossy(), &to]);
        Repository::at(&lab, name)
    };
    let cloned = clone("clone");
    cloned.write("README", "one more line");
    let ahead = cloned.commit("Explain");
    let in_clone = || {
        let options = ["--", "--quiet", "--counters", "none"];
        lab.brisk(&[&["ci", "--project", "clone"][..], &options].concat())
    };
    let ended = in_clone().exited(1);
    assert!(ended.stdout.starts_with(&named(&ahead, "origin/trunk")), "{ended}");
    // If branches disagree, brisk does not guess.
    repository.git(&["branch", "--quiet", "part", "HEAD^"]);
    let ended = ci(&lab, &[]).refused("the base of the change is not known");
    ended.because("`part`").because("`trunk`").hinting("--base BRANCH");
    repository.git(&["config", "init.defaultBranch", "trunk"]);
    let ended = ci(&lab, &[]).exited(1);
    assert!(ended.stdout.starts_with(&named(&head, "trunk")), "{ended}");
}

#[test]
fn reports_are_no_change_of_the_project() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    let (repository, _) = branched(&lab, &project, [&counting_to(300), &counting_to(300)]);
    let out = repository.path().join("brisk-ci").to_string_lossy().into_owned();
    ci(&lab, &["--output", &out]).exited(0);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    // A folder left there by an earlier brisk does not count either.
    fs::remove_file(repository.path().join("brisk-ci/.gitignore")).expect("it is there");
    let tree = ["compare", "--quiet", "--build", "ls > list", "--artifact", "list"];
    let ends = ["--project", "repo", "--at", "HEAD..WORKTREE", "cat {artifact}"];
    let ended = lab.brisk(&[&tree[..], &ends].concat());
    ended.succeeded().says("the same program, byte for byte");
}

#[test]
fn what_an_earlier_call_left_is_no_report_of_this_one() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    branched(&lab, &project, [&counting_to(300), "#!/bin/sh\nexit 3\n"]);
    fs::create_dir_all(lab.path("brisk-ci")).expect("the folder for tests is writable");
    lab.write("brisk-ci/expectations.xml", "<testsuites/>");
    ci(&lab, &[]).failed("exited with status 3");
    assert!(!lab.exists("brisk-ci/expectations.xml"));
    assert!(lab.read("brisk-ci/comment.md").contains("could not be measured"));
}

/// The action's script, and a `gh` that records its requests and knows these comments.
struct Action<'a> {
    lab: &'a Lab,
    variables: Vec<(&'static str, String)>,
}

impl<'a> Action<'a> {
    fn new(lab: &'a Lab, earlier: &str, pull_requests: &str) -> Self {
        fs::create_dir_all(lab.path("bin")).expect("the folder for tests is writable");
        let body = format!(
            "echo \"$*\" >> gh-calls\ncase \"$*\" in\n*--paginate*) echo '{earlier}' ;;\n\
             *'--method GET'*) echo '{pull_requests}' ;;\n*) echo https://example.org/comment ;;\nesac\n"
        );
        script(lab, "bin/gh", &body);
        let path = std::env::var("PATH").expect("there are programs");
        let path = format!("{}:{path}", lab.path("bin").display());
        Self { lab, variables: vec![("PATH", path), ("GITHUB_REPOSITORY", "o/r".to_owned())] }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn run(&self, step: &str) -> (Option<i32>, String) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/action");
        #[expect(clippy::disallowed_methods, reason = "what GitHub would start")]
        let mut command = Command::new(root);
        let command =
            command.arg(step).current_dir(self.lab.path("")).env("HOME", self.lab.path(""));
        let own = self.variables.iter().map(|(name, value)| (name, value));
        let ended = command
            .env_remove("BRISK_CACHE")
            .env("BRISK_LOCK", "off")
            .envs(own)
            .output()
            .expect("the script is there");
        let told = [ended.stdout, ended.stderr].concat();
        (ended.status.code(), String::from_utf8_lossy(&told).into_owned())
    }
}

#[test]
fn the_steps_of_the_action_judge_and_comment() {
    let lab = Lab::new();
    let project = PROJECT.to_owned() + BENCHMARK;
    branched(&lab, &project, [&counting_to(300), &counting_to(30_000)]);
    let action = Action::new(&lab, "", "")
        .with("BRISK", env!("CARGO_BIN_EXE_brisk"))
        .with("BRISK_PROJECT", "repo")
        .with("BRISK_BASE", "main")
        .with("BRISK_OPTIONS", "--quiet --build-timeout '10 m'")
        .with("BRISK_PULL_REQUEST", "7");
    let (code, told) = action.run("run");
    assert!(code == Some(2) && told.contains("10 m"), "options are split as in a shell: {told}");
    let action = action.with("BRISK_OPTIONS", "--quiet --counters none");
    let (code, told) = action.run("run");
    assert!(code == Some(1) && told.contains("1 fails"), "{told}");
    let (code, told) = action.run("comment");
    assert_eq!((code, told.trim()), (Some(0), "https://example.org/comment"));
    let calls = lab.lines("gh-calls");
    assert!(calls[0].contains("repos/o/r/issues/7/comments"), "{calls:?}");
    let posts =
        "api --method POST repos/o/r/issues/7/comments -F body=@brisk-ci/comment.md --jq .html_url";
    assert_eq!(calls[1], posts);
}

#[test]
fn a_comment_replaces_the_earlier_one_and_comes_from_forks_too() {
    let lab = Lab::new();
    let action = Action::new(&lab, "", "").with("BRISK_PULL_REQUEST", "7");
    assert_eq!(
        action.run("comment").0,
        Some(0),
        "where nothing was measured there is nothing to say"
    );
    assert!(!lab.exists("gh-calls"));
    fs::create_dir_all(lab.path("brisk-ci")).expect("the folder for tests is writable");
    lab.write("brisk-ci/comment.md", "all well");
    let action = Action::new(&lab, "311", "12")
        .with("BRISK_HEAD_OWNER", "fork")
        .with("BRISK_HEAD_BRANCH", "change");
    assert_eq!(action.run("comment").0, Some(0));
    let calls = lab.lines("gh-calls");
    assert!(calls[0].contains("-f head=fork:change"), "{calls:?}");
    assert!(calls[1].contains("issues/12/comments"), "{calls:?}");
    assert!(calls[2].contains("--method PATCH repos/o/r/issues/comments/311"), "{calls:?}");
    let action = Action::new(&lab, "", "12/../../elsewhere").with("BRISK_HEAD_BRANCH", "change");
    let (code, told) = action.with("BRISK_HEAD_OWNER", "fork").run("comment");
    assert!(code == Some(2) && told.contains("is no pull request"), "{told}");
}
