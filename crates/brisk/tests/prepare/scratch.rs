//! Builds from scratch.

use brisk::prepare::Trees;

use crate::given::{Lab, jobs, output_of};

#[test]
fn a_clean_build_finds_nothing_whatever_the_last_one_did() {
    let looks = "test -z \"$(git status --porcelain --ignored)\" && \
                 test \"$(cat plain)\" = plain && test -n \"$(find plain -perm -400)\" && test -n \"$(find . -maxdepth 0 -perm -200)\" && \
                 test -z \"$(git ls-files -v | grep -v '^H ')\" && \
                 test \"$(ls -A ..)\" = \"$(basename \"$PWD\")\" && \
                 test \"$(git rev-parse --abbrev-ref HEAD)\" = HEAD || exit 3";
    let spoils = [
        "touch -r plain ../time; echo other > plain; touch -r ../time plain; \
         git update-index --assume-unchanged plain",
        "rm plain; git update-index --skip-worktree plain",
        "git symbolic-ref HEAD refs/heads/main; git rm --quiet --cached plain",
        "rm -r .git plain",
        "echo 'gitdir: /nowhere' > .git; echo other > plain",
        "rm \"$(git rev-parse --git-dir)/commondir\"",
        "git worktree lock .; chmod 0 plain",
        "git init --quiet in/nested; echo x > kept.o; mkdir no; echo x > no/x; chmod 555 no .",
    ];
    for spoil in spoils {
        let lab = Lab::new();
        let given = lab.repository("r");
        given.commit(&[("plain", "plain\n"), (".gitignore", "*.o\n")], "plain");
        given.programs(3);
        let main = given.git(&["rev-parse", "main"]);
        let mut recipe = lab.recipe();
        let build = recipe.build.take().unwrap_or_default();
        recipe.build = Some(format!("test ! -e source || {{ {looks}; {build}; {spoil}; }}"));
        recipe.trees = Trees::Clean;
        let range = &given.history()[1..];
        let mut builder = given.builder(&lab.cache(), &recipe);
        let built = builder.build_range(range, jobs(1), &mut |_| {}).expect("nothing stops it");
        let outputs: Vec<String> = built.iter().map(output_of).collect();
        assert_eq!(outputs, ["0", "1", "2"], "{spoil}");
        assert_eq!(lab.builds(), 3, "{spoil}");
        drop(builder);
        assert_eq!(given.worktrees(), 1, "{spoil}");
        assert_eq!(given.git(&["rev-parse", "main"]), main, "{spoil}");
    }
}
