//! The example on the library's front page, as its users would run it.

use std::path::Path;
use std::process::Command;

/// Cargo builds examples with the tests of a workspace. Building it again for this package alone
/// would build half of the workspace with other features.
#[test]
#[expect(clippy::disallowed_methods, reason = "an example is tested here, not measured")]
fn the_example_compares_two_commands_and_writes_the_page() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("compare-two");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let built = target.with_file_name(profile).join("examples").join("compare_two");
    let mut command = match built.is_file() {
        true => Command::new(built),
        false => {
            let mut command =
                Command::new(std::env::var_os("CARGO").expect("cargo runs this test"));
            let run = ["run", "--quiet", "--offline", "--example", "compare_two"];
            command.args(run).args((profile == "release").then_some("--release")).arg("--");
            command
        }
    };
    let ended = command
        .args(["sleep 0.01", "sleep 0.05"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the example can be started");
    let told = String::from_utf8_lossy(&ended.stdout);
    let progress = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{told}{progress}");
    assert_eq!(told, "wall_time: regressed\n");
    assert!(progress.contains(" rounds"), "{progress}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("it was written");
    assert!(page.contains("sleep 0.05") && page.contains("<svg"), "a page with pictures");
}
